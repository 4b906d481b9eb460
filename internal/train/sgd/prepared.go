package sgd

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/rows/store"
)

// preparedSteps is the largest number of steps whose inputs runPrepared computes before it takes
// them.
const preparedSteps = 64

// runPrepared does what runHinge does, for row formats whose kernel takes many steps in one call
// and for problems without an appended feature. It first computes the inputs of up to preparedSteps
// steps, except w and the nonzeros of the rows, and then takes these steps.
func (p *Binary) runPrepared(x *store.Stepper, idx []uint32) {
	var prepared [preparedSteps]asm.Step
	for len(idx) > 0 {
		rows := idx[:min(len(idx), preparedSteps)]
		steps := prepared[:len(rows)]
		for k, i := range rows {
			if p.Scattered {
				x.Prefetch(int(i))
			}
			y := p.Of.Sign(i)
			// Field by field, because a composite literal would be built elsewhere and copied.
			s := &steps[k]
			x.Prepare(s, int(i), y, p.Of.Weighted(i, y))
			s.Least = roundUp(p.Lambda * (float64(p.T+int64(k)) + p.T0)) // scale of v after k more steps
		}
		x.Take(steps, p.V)
		for k, i := range rows {
			s := &steps[k]
			if !floats.IsFinite(s.Margin) {
				p.NotFinite(i)
				return
			}
			violates := uint8(0)
			if s.Margin < s.Least {
				violates = 1
			}
			p.Violations += int64(violates)
			if p.Windows != nil {
				p.Windows.Count[i] += float32(violates)
			}
			p.T++
		}
		idx = idx[len(rows):]
	}
}

// roundUp returns the smallest float32 that is at least x, where x >= 2^-126.
func roundUp(x float64) float32 {
	const extra = 1<<29 - 1 // mask of the mantissa bits that a float32 lacks
	return float32(math.Float64frombits((math.Float64bits(x) + extra) &^ extra))
}
