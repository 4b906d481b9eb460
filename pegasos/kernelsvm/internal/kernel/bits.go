package kernel

import (
	"math/bits"

	"github.com/pegasimd/pegasimd/internal/rows/store"
)

// Rows of zeros and ones in few columns are stored as bits, 64 columns to a word. For RBF, a table
// of kernel values is indexed by the number of columns in which two rows differ, their squared
// distance; for other kernels, by the number of columns in which both rows have a 1, their inner
// product.

const (
	// Float32 inner products of zeros and ones are exact up to 2^24. So with at most maxDenseBits
	// columns, a query row that is not packed gets the same kernel values.
	maxDenseBits  = 1 << 20
	maxSparseBits = 512
)

// pack stores the rows as bits if possible.
func (r *Rows) pack() bool {
	limit := maxSparseBits
	if r.dense != nil {
		limit = maxDenseBits
	}
	if r.cols > limit {
		return false
	}
	for p := range r.At {
		if !store.AreBinary(r.row(p).Value) {
			return false
		}
	}
	r.width, r.maxStored = (r.cols+63)/64, r.MaxSquare
	r.words = make([]uint64, r.width*len(r.At))
	for p := range r.At {
		x := r.row(p)
		packRow(r.words[p*r.width:][:r.width], &x, r.cols)
	}
	counts := make([]float64, r.cols+1)
	for d := range counts {
		counts[d] = float64(d)
	}
	r.table32, r.table64 = make([]float32, len(counts)), make([]float64, len(counts))
	apply(&r.Function, r.table32, counts, true, 0, nil)
	apply(&r.Function, r.table64, counts, true, 0, nil)
	return true
}

func packRow(words []uint64, x *Row, cols int) {
	for k, v := range x.Value {
		if j := x.column(k); v == 1 && j < cols {
			words[j/64] |= 1 << (j % 64)
		}
	}
}

// lookUp sets dst[j] to the kernel value in table for q and the bit row that starts at
// words[j*width].
func lookUp[T float](r *Rows, dst, table []T, q *Probe, words []uint64) {
	if r.width == 2 && r.Kind == RBF {
		lookUp2(dst, table, words[:2*len(dst)], q.words[0], q.words[1])
		return
	}
	for j := range dst {
		n := 0
		for k, w := range words[j*r.width:][:len(q.words)] {
			if r.Kind == RBF {
				n += bits.OnesCount64(q.words[k] ^ w)
			} else {
				n += bits.OnesCount64(q.words[k] & w)
			}
		}
		dst[j] = table[n]
	}
}

// lookUp2 is lookUp for RBF and rows of two words. Inlining it would spill registers in the loop.
//
//go:noinline
func lookUp2[T float](dst, table []T, w []uint64, x0, x1 uint64) {
	for j := range dst {
		two := (*[2]uint64)(w)
		dst[j] = table[bits.OnesCount64(x0^two[0])+bits.OnesCount64(x1^two[1])]
		w = w[2:]
	}
}

// addLookUp2 adds to the scores of two query rows, for RBF and rows of two words, the sum of
// coef[j] times the kernel value of the query row and row start+j.
func (r *Rows) addLookUp2(scores *[2]float64, coef []float32, probes []Probe, start int) {
	x, z, words := (*[2]uint64)(probes[0].words), (*[2]uint64)(probes[1].words), r.words[2*start:]
	x0, x1, z0, z1 := x[0], x[1], z[0], z[1]
	a, b := scores[0], scores[1]
	for j, c := range coef {
		w, v := (*[2]uint64)(words[2*j:]), float64(c)
		a += float64(v * r.table64[bits.OnesCount64(x0^w[0])+bits.OnesCount64(x1^w[1])])
		b += float64(v * r.table64[bits.OnesCount64(z0^w[0])+bits.OnesCount64(z1^w[1])])
	}
	scores[0], scores[1] = a, b
}
