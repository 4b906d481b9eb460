package certificate

import "github.com/pegasimd/pegasimd/internal/train/objective"

// Windows count each row's violations, or add up its coefficients, in the last epochs: in the
// present window of epochs and in the one before. Windows end with epoch E, E/2, E/4 and so on in a
// run of E epochs. Earlier epochs are left out because the early steps violate where the optimum
// does not. Of joint problems there is a count for each row and class.
type Windows struct {
	Steps    int64 // of an epoch
	Epochs   int64 // of the whole run
	Start    int64 // the epochs before the present window
	OldStart int64 // and before the one before
	// A float32 counts up to 2^24. Other coefficients lose bits, but still give a bound.
	Count, Old []float32
}

// NewWindows makes one for a run of total steps, with steps in an epoch, and count counts.
func NewWindows(total int64, steps, count int) *Windows {
	n := int64(steps)
	return &Windows{Steps: n, Epochs: (total + n - 1) / n, Count: make([]float32, count),
		Old: make([]float32, count)}
}

// EndEpoch begins the next window if it is time for that.
func (w *Windows) EndEpoch(epoch int) {
	for e := w.Epochs / 2; e >= int64(epoch); e /= 2 {
		if e == int64(epoch) {
			w.Count, w.Old = w.Old, w.Count
			clear(w.Count)
			w.Start, w.OldStart = e, w.Start
		}
	}
}

// Best returns the best shares of those in the present window of epochs, and in it and the one
// before, the factor they have to be multiplied by, and their bound; none and 0 before the first
// step. A row has been visited once an epoch at most in the steps that are done, so that no share
// is out of range, but for roundings of other losses' coefficients, which Clamp sets right.
func (w *Windows) Best(p objective.Problem, done int64, r2 float64) (
	share []float32, factor, bound float64,
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
		if b, s := Bound(p, a, r2); share == nil || b > bound {
			share, factor, bound = append(share[:0], a...), s, b
		}
	}
	try(epoch-w.Start, func(i int) float32 { return w.Count[i] })
	if w.Start > w.OldStart {
		try(epoch-w.OldStart, func(i int) float32 { return w.Count[i] + w.Old[i] })
	}
	return share, factor, bound
}
