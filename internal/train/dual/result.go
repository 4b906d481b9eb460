package dual

// What Ascent.Chosen may be.
const (
	average     = iota // if there is one, else the last iterate
	LastIterate        // if there is an average
	before             // what Pegasos left
)

// Result writes the best by P of the average, the last iterate and what Pegasos left, or nearly.
func (d *Ascent) Result(w [][]float32, b []float64) {
	d.Weights(w, b)
	if d.ChosenAt != d.T {
		d.choose(w, b)
	}
	switch d.Chosen {
	case LastIterate:
		d.Last(w, b)
	case before:
		copy(w[0], d.W[0])
		b[0] = d.B[0]
	}
}

// choose chooses the result. w and b are the average if there is one.
func (d *Ascent) choose(w [][]float32, b []float64) {
	d.Chosen, d.ChosenAt = average, d.T
	if d.Average != nil {
		last, bias := d.Room()
		d.Last(last, bias)
		// Rows that rest at 0 had no loss when they were last visited. With few exceptions they
		// have none now.
		var sum, sumLast float64
		for j, i := range d.All() {
			if d.Alpha[i] != 0 || d.Resting[i] == 0 {
				sum += d.Of.Losses(w[0], b[0], j, j+1)
				sumLast += d.Of.Losses(last[0], bias[0], j, j+1)
			}
		}
		n := float64(d.Count())
		if !(d.Penalty(w, b)+sum/n <= d.Penalty(last, bias)+sumLast/n) {
			d.Chosen, w, b = LastIterate, last, bias
		}
	}
	// What Pegasos left is seldom better. Unless it is clearly worse on some of the rows it is
	// compared on all.
	if estimate(d.Of, d.W, d.B) < float64(clearly*estimate(d.Of, w, b)) &&
		d.Of.At(d.W, d.B) < d.Of.At(w, b) {
		d.Chosen = before
	}
}
