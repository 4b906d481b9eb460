package floats

import "sync"

// spare holds slices of float64 numbers that are not in use, as pointers.
var spare sync.Pool

// Borrow returns a slice of n zeros. New memory takes much longer to write to than memory that was
// written to before: GiveBack takes the slice back for a later call.
func Borrow(n int) []float64 {
	if p, ok := spare.Get().(*[]float64); ok && cap(*p) >= n {
		v := (*p)[:n]
		clear(v)
		return v
	}
	return make([]float64, n)
}

// GiveBack takes back a slice from Borrow, which must not be used any more.
func GiveBack(v []float64) { spare.Put(&v) }
