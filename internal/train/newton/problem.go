package newton

import (
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/loss"
)

// Problem is an objective that a Method minimizes. Row j of the problem has the row number Rows[j],
// its index in the caller's arrays, such as Weight.
type Problem struct {
	Loss   loss.Func
	Lambda float64
	Cols   int     // without the feature for the bias
	Beta   float64 // value of the bias's feature; 0 for no bias
	Free   bool    // the bias has no penalty; Beta must then be 1

	Rows []uint32
	X    store.Rows
	At   []uint32             // index in X of each row
	Name func(row uint32) int // index in Pool.X of the row with the given number
	Side []int8               // label y_i of each row, or 1 for a regression

	Weight []float64                // by row number; nil if all are 1
	Target func(row uint32) float64 // subtracted from y_i*z_i; by row number; nil for 0
	AtZero func() float64           // P of w = 0

	// Start returns the initial weights and bias, as differences from the prior's.
	Start func() (w []float32, bias float64)
}

// usefulThreads returns 1, plus 1 for each 4 ms of estimated work per iteration: goroutines wait
// for each other many times per iteration.
func (p *Problem) usefulThreads() int {
	cols := float64(p.Cols)
	return 1 + int(float64(len(p.Rows))*(60+0.2*cols+0.0015*cols*cols)/4e6)
}

func (p *Problem) weightOf(j int) float64 {
	if p.Weight == nil {
		return 1
	}
	return p.Weight[p.Rows[j]]
}

func (p *Problem) targetOf(j int) float64 {
	if p.Target == nil {
		return 0
	}
	return p.Target(p.Rows[j])
}
