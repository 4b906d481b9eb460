package pegasos

import (
	"github.com/pegasimd/pegasimd/internal/train/dual"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/objective"
	"github.com/pegasimd/pegasimd/internal/train/sgd"
)

// A problem is the training state of one weight vector: of the rows of one class against others, or
// of numbers to predict.
type problem struct {
	*sgd.Binary
	shards *sgd.Shards // that take its steps; nil for none

	ascent *dual.Ascent // nil before it begins
	newton *newtonPart  // likewise; there is one of them at most

	newtons int // how often Newton's method has begun
}

// takeSteps takes a step with each of the rows idx and samples w in between. After an error it does
// nothing.
func (p *problem) takeSteps(idx []uint32) {
	if p.newton != nil {
		p.T += int64(len(idx)) // an iteration is due at the epoch's end
		return
	}
	if p.shards != nil {
		p.shards.Steps(idx)
		return
	}
	if p.ascent == nil {
		p.Steps(idx)
		return
	}
	for len(idx) > 0 && p.Err == nil {
		n := p.BeforeSample(len(idx))
		if p.ascent.Ascend(idx[:n]); p.Err == nil {
			p.Sample()
		}
		idx = idx[n:]
	}
}

func (p *problem) common() *iterate.State { return &p.State }

func (p *problem) objective() objective.Problem { return &p.Of }

func (p *problem) endEpoch(epochs int) {
	p.State.EndEpoch(epochs)
	if p.ascent != nil {
		p.ascent.EndEpoch()
	}
}
