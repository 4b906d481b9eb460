package solve

import (
	"context"
	"math"
	"math/bits"

	"github.com/pegasimd/pegasimd/internal/rows/store"
)

// weights is a weight vector w with the scores of all rows: row i has the coefficient
// Sign[i]*alpha[i]/scale and the score score[i]/scale.
type weights struct {
	alpha, score []float64
	scale        float64
	each         float64 // bounds what one violation adds to an alpha; 1 for dual variables
}

func (p *Problem) coefficients(w weights) []float64 {
	coef := make([]float64, len(w.alpha))
	for i, a := range w.alpha {
		coef[i] = float64(p.Sign[i]*a) / w.scale
	}
	return coef
}

func toFloat32(coef []float64) []float32 {
	all := make([]float32, len(coef))
	for i, a := range coef {
		all[i] = float32(a)
	}
	return all
}

// coef must be float32 numbers. If ctx is done early, the scores are incomplete.
func (p *Problem) model(ctx context.Context, coef []float64, threads int) weights {
	w := weights{make([]float64, len(coef)), make([]float64, len(coef)), p.dualScale(), 1}
	at := make([]uint32, len(coef))
	var support []int32
	var some []float32
	for i, a := range coef {
		at[i] = uint32(p.Rows.At[p.Pos[i]])
		w.alpha[i] = float64(float64(p.Sign[i]*a) * w.scale)
		if a != 0 {
			support, some = append(support, p.Pos[i]), append(some, float32(a))
		}
	}
	e := p.Rows.Expand(support, some)
	e.ScoreAll(ctx, store.Subset(p.Rows.Matrix, at), threads, func(start int, scores []float64) {
		for i, z := range scores {
			w.score[start+i] = float64(z * w.scale)
		}
	})
	return w
}

// alphaPerViolation returns the dual variable of one violation after the given number of epochs:
// 1/epochs, rounded to so few bits that the coefficients of all possible violation counts are exact
// in float32.
func (p *Problem) alphaPerViolation(epochs int) float64 {
	scale := p.dualScale()
	c := math.Float32bits(float32(1 / (float64(epochs) * scale)))
	c &^= 1<<bits.Len(uint(epochs)) - 1
	if float64(math.Float32frombits(c))*float64(epochs)*scale > 1 {
		c -= 1 << bits.Len(uint(epochs))
	}
	return float64(math.Float32frombits(c)) * scale
}

// roundAlpha returns an alpha near a, at most 1, whose coefficient alpha/scale is a float32 number
// but for float64 rounding, so that the model in the file has the measured coefficients.
func roundAlpha(a, scale float64) float64 {
	c := float32(a / scale)
	if float64(c)*scale > 1 {
		c = math.Nextafter32(c, 0)
	}
	return float64(c) * scale
}
