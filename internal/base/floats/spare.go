package floats

import "sync"

var spare sync.Pool

// Borrow returns a slice of n zeros, possibly one from GiveBack.
func Borrow(n int) []float64 {
	if p, ok := spare.Get().(*[]float64); ok && cap(*p) >= n {
		v := (*p)[:n]
		clear(v)
		return v
	}
	return make([]float64, n)
}

// GiveBack takes back a slice from Borrow. The caller must not use the slice afterwards.
func GiveBack(v []float64) { spare.Put(&v) }
