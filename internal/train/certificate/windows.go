package certificate

import "github.com/pegasimd/pegasimd/internal/train/objective"

// Windows sums each row's coefficients (for the hinge, counts its violations) over windows of
// epochs. The windows of E epochs end after ..., E/8, E/4 and E/2 epochs, rounded down, and at the
// end. The means of the coefficients are dual variables. Early epochs are left out: their steps
// find violations by rows that satisfy the margin at the optimum.
type Windows struct {
	Steps    int64
	Epochs   int64 // epochs of the whole run, rounded up
	Start    int64 // epochs before the present window
	OldStart int64 // epochs before the previous window
	// Count and Old are the sums in the present and the previous window, for each row, or for each
	// row and class. For the hinge, they are exact up to 2^24.
	Count, Old []float32
}

// NewWindows returns the windows of a run of total steps. steps is the number of steps per epoch,
// and count the number of sums.
func NewWindows(total int64, steps, count int) *Windows {
	n := int64(steps)
	return &Windows{Steps: n, Epochs: (total + n - 1) / n, Count: make([]float32, count),
		Old: make([]float32, count)}
}

// EndEpoch begins the next window if one ends with epoch, counted from 1.
func (w *Windows) EndEpoch(epoch int) {
	for e := w.Epochs / 2; e >= int64(epoch); e /= 2 {
		if e == int64(epoch) {
			w.Count, w.Old = w.Old, w.Count
			clear(w.Count)
			w.Start, w.OldStart = e, w.Start
		}
	}
}

// Best returns the mean coefficients over the present window or over both windows, whichever have
// the larger bound, and the bound; nil and 0 before the first step. done is the number of steps;
// for r2 see Bound. Each row must be visited at most once in an epoch, so that the means are in the
// range of the loss, except for roundings.
func (w *Windows) Best(p objective.Problem, done int64, r2 float64) (
	best []float32, bound float64,
) {
	epoch := (done + w.Steps - 1) / w.Steps
	a := make([]float32, len(w.Count))
	try := func(epochs int64, count func(i int) float32) {
		if epochs <= 0 {
			return
		}
		for i := range a {
			a[i] = p.Clamp(count(i) / float32(epochs))
		}
		if b, _ := Bound(p, a, r2); best == nil || b > bound {
			best, bound = append(best[:0], a...), b
		}
	}
	try(epoch-w.Start, func(i int) float32 { return w.Count[i] })
	if w.Start > w.OldStart {
		try(epoch-w.OldStart, func(i int) float32 { return w.Count[i] + w.Old[i] })
	}
	return best, bound
}
