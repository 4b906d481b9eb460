package sgd

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/store"
)

// preparedSteps is how many steps runPrepared prepares before it takes them.
const preparedSteps = 64

// runPrepared is runHinge for rows that take many steps in one call, without an appended feature.
// It first prepares the inputs of some steps, all but w and the row, and then takes them.
func (p *Binary) runPrepared(x *store.Stepper, idx []uint32) {
	var prepared [preparedSteps]asm.Step
	for len(idx) > 0 {
		rows := idx[:min(len(idx), preparedSteps)]
		steps := prepared[:len(rows)]
		for k, i := range rows {
			if p.Scattered {
				x.Fetch(int(i))
			}
			y := p.Of.Sign(i)
			// Field by field: a whole Step would be made elsewhere and moved.
			s := &steps[k]
			x.Place(s, int(i), y, p.Of.Weighted(i, y))
			s.Least = roundUp(p.Lambda * (float64(p.T+int64(k)) + p.T0)) // the scale k steps on
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
			if p.Recent != nil {
				p.Recent.Count[i] += float32(violates)
			}
			p.T++
		}
		idx = idx[len(rows):]
	}
}

// roundUp returns the least float32 that is not less than x, which is 2^-126 at least.
func roundUp(x float64) float32 {
	const beyond = 1<<29 - 1 // the bits that a float32 lacks
	return float32(math.Float64frombits((math.Float64bits(x) + beyond) &^ beyond))
}
