package pegasos

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/compact"
)

// sameMost is the mean number of nonzeros up to which runSame is faster than run.
var sameMost = 20 // a variable for the sake of BenchmarkRunSame, which it is chosen by

// sameSteps is how many steps runSame prepares before it takes them.
const sameSteps = 64

// runSame is run for short rows of one value, without an appended feature. What a step needs but w is prepared for some of
// them, and then they are taken in one call.
func (p *problem) runSame(x *compact.Same, idx []uint32) {
	var prepared [sameSteps]asm.Step
	for len(idx) > 0 {
		rows := idx[:min(len(idx), sameSteps)]
		steps := prepared[:len(rows)]
		for k, i := range rows {
			value, start, count := x.Place(int(i))
			if p.scattered {
				x.Prefetch(int(i))
			}
			y := p.sign(i)
			// Field by field: a whole Step would be made elsewhere and moved.
			s := &steps[k]
			s.Start, s.Count = start, count
			s.Value, s.Pull = y*value, float32(p.weighted(i, y)*value)
			s.Least = roundUp(p.lambda * (float64(p.t+int64(k)) + p.t0)) // scale, so many steps on
		}
		x.Steps(steps, p.v)
		for k, i := range rows {
			s := &steps[k]
			if s.Margin-s.Margin != 0 {
				p.notFinite(i)
				return
			}
			pulls := uint8(0)
			if s.Margin < s.Least {
				pulls = 1
			}
			p.violations += int64(pulls)
			if p.recent != nil {
				p.recent.count[i] += float32(pulls)
			}
			p.t++
		}
		idx = idx[len(rows):]
	}
}

// roundUp returns the least float32 that is not less than x, which is 2^-126 at least.
func roundUp(x float64) float32 {
	const beyond = 1<<29 - 1 // the bits that a float32 has no room for
	return float32(math.Float64frombits((math.Float64bits(x) + beyond) &^ beyond))
}
