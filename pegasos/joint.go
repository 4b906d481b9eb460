package pegasos

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/objective"
	"github.com/pegasimd/pegasimd/internal/train/sgd"
)

// A joint problem has a weight vector for each class, which are trained as one.
type joint struct {
	*sgd.Joint
	ascent *jointAscent // nil before it begins
}

func (j *joint) common() *iterate.State { return &j.State }

func (j *joint) objective() objective.Problem { return &j.Of }

func (j *joint) takeSteps(idx []uint32) {
	if j.ascent != nil {
		for len(idx) > 0 && j.Err == nil {
			n := j.BeforeSample(len(idx))
			if j.ascend(idx[:n]); j.Err == nil {
				j.Sample()
			}
			idx = idx[n:]
		}
		return
	}
	j.Steps(idx)
}

func (tr *Trainer) checkCosts(classes int) error {
	if tr.Costs == nil {
		return nil
	}
	if tr.Config.Multiclass != CrammerSinger {
		return badField("Costs", "they are for Multiclass %q, have %q", CrammerSinger,
			tr.Config.Plain().Multiclass)
	}
	if len(tr.Costs) != classes {
		return badField("Costs", "have %d rows, want one for each of the %d classes", len(tr.Costs),
			classes)
	}
	for y, row := range tr.Costs {
		if len(row) != classes {
			return badField("Costs", "row %d has %d numbers, want one for each of the %d classes",
				y, len(row), classes)
		}
		for r, c := range row {
			if r == y && c != 0 || r != y && !(c > 0 && c <= math.MaxFloat32) {
				return badField("Costs", "have %v for predicting class %d where %d is right: "+
					"want 0 where they are the same, else a positive finite number", c, r, y)
			}
		}
	}
	return nil
}
