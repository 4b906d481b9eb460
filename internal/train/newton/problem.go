package newton

import (
	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/internal/train/loss"
)

// A Problem is what the method minimises. Row j of the method has the number Rows[j] in the
// caller's arrays; the order is that of the data.
type Problem struct {
	Loss   loss.Func
	Lambda float64
	Cols   int
	Beta   float64 // the feature of the bias; 0 without one
	Free   bool    // the bias has no penalty; Beta is 1 then

	Rows []uint32
	X    store.Rows           // where the rows are read, in the order of memory if that can be
	At   []uint32             // the place of each row in X
	Name func(row uint32) int // the place of a row, given by its number, in Pool.X
	Side []int8               // y_i of each row, or 1 where labels are numbers

	Weight []float64                // c_i by the row's number; nil if all are 1
	Target func(row uint32) float64 // what y_i*z_i is less, by the row's number; nil if it is 0
	AtZero func() float64           // the mean loss of w = 0

	// Start gives the weights to begin with, less the prior's, and the bias.
	Start func() (w []float32, bias float64)
}

// busy returns how many goroutines an iteration keeps busy: each takes some 4 ms of a usual machine,
// for it waits for the others dozens of times. The results are the same bits for any number.
func (p *Problem) busy() int {
	cols := float64(p.Cols)
	return 1 + int(float64(len(p.Rows))*(60+0.2*cols+0.0015*cols*cols)/4e6)
}

// share returns the weight of row j.
func (p *Problem) share(j int) float64 {
	if p.Weight == nil {
		return 1
	}
	return p.Weight[p.Rows[j]]
}

// targetOf returns what the margin of row j is less.
func (p *Problem) targetOf(j int) float64 {
	if p.Target == nil {
		return 0
	}
	return p.Target(p.Rows[j])
}
