package dual

import "github.com/pegasimd/pegasimd/internal/train/iterate"

// Result writes the best by P of the average, the last iterate and what Pegasos left, or nearly:
// see choose.
func (d *Ascent) Result(w [][]float32, b []float64) {
	d.State.Weights(w, b)
	if d.ChosenAt != d.T {
		d.choose(w[0], b[0])
	}
	switch d.Chosen {
	case LastIterate:
		d.Last(w, b)
	case before:
		copy(w[0], d.W[0])
		b[0] = d.B[0]
	}
}

// What Ascent.Chosen may be.
const (
	average     = iota // if there is one, else the last iterate
	LastIterate        // if there is an average
	before             // what Pegasos left
)

// Last is State.Weights of the last iterate.
func (d *Ascent) Last(w [][]float32, b []float64) {
	s := iterate.State{Vectors: d.Vectors, Biases: d.Biases, T: d.T, Terms: d.Terms, Factor: 1,
		Fixed: d.Fixed}
	s.Weights(w, b)
}

// endRun chooses the result when the last step has been taken, so that this is a part of training,
// and not of what is asked later.
func (d *Ascent) endRun() {
	w, b := iterate.Zeros(1, len(d.v)), make([]float64, 1)
	d.State.Weights(w, b)
	d.choose(w[0], b[0])
}

// choose chooses the result. w is the average if there is one.
func (d *Ascent) choose(w []float32, b float64) {
	d.Chosen, d.ChosenAt = average, d.T
	if d.Average != nil {
		last, bias := iterate.Zeros(1, len(d.v)), make([]float64, 1)
		d.Last(last, bias)
		// Rows that rest at 0 had no loss when they were last visited. With few exceptions they
		// have none now.
		var sum, sumLast float64
		for j := range d.Count() {
			if i := d.Row(j); d.Alpha[i] != 0 || d.Resting[i] == 0 {
				sum += d.Of.Losses(w, b, j, j+1)
				sumLast += d.Of.Losses(last[0], bias[0], j, j+1)
			}
		}
		n := float64(d.Count())
		mean := d.Penalty([][]float32{w}, []float64{b}) + sum/n
		if f := d.Penalty(last, bias) + sumLast/n; !(mean <= f) {
			d.Chosen, w, b = LastIterate, last[0], bias[0]
		}
	}
	// What Pegasos left is seldom better. Unless it is clearly worse on some of the rows it is
	// compared on all.
	if d.estimate(d.W[0], d.B[0]) < float64(clearly*d.estimate(w, b)) &&
		d.Of.At(d.W, d.B) < d.Of.At([][]float32{w}, []float64{b}) {
		d.Chosen = before
	}
}
