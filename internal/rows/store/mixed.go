package store

import (
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/sparse"
)

// Mixed is an interleaved copy of several vectors: all elements for the first column, then all for
// the second, and so on. Results have the same bits as with each vector alone.
type Mixed struct {
	rows     *sparse.Matrix
	at       []uint32 // index in rows of each row of a subset; nil for other rows
	k        int
	elements []float32
	dots     []float32 // k elements, padded to a multiple of 8
	a        []float32 // padded like dots
}

// NewMixed returns space for k vectors. MixingPays must report true for x.
func NewMixed(x Rows, k int) *Mixed {
	n := (k + 7) / 8 * 8
	m := &Mixed{k: k, elements: dense.New(1, n*x.Cols()).Row(0), dots: make([]float32, n),
		a: make([]float32, n)}
	if p := subsetOf(x); p != nil {
		x, m.at = p.rows, p.at
	}
	m.rows = x.Interleaved()
	return m
}

// MixingPays reports whether x has kernels for interleaved vectors and, in the given number of
// visits to rows, columns have on average about least nonzeros or more.
func MixingPays(x Rows, visits, least int) bool {
	if p := subsetOf(x); p != nil {
		x = p.rows
	}
	rows := x.Interleaved()
	return rows != nil && rows.Rows() > 0 && rows.NNZ()/rows.Rows()*visits >= least*rows.Cols()
}

// in columns: few cache lines per vector, so that the block stays in the cache
const mixedBlock = 128

func (m *Mixed) Load(vectors [][]float32) { m.copy(vectors, false) }

func (m *Mixed) Store(vectors [][]float32) { m.copy(vectors, true) }

func (m *Mixed) copy(vectors [][]float32, back bool) {
	n, cols := len(m.dots), m.rows.Cols()
	for first := 0; first < cols; first += mixedBlock {
		end := min(first+mixedBlock, cols)
		block := m.elements[first*n : end*n]
		for k, v := range vectors {
			for j := range v[first:end] {
				if back {
					v[first+j] = block[j*n+k]
				} else {
					block[j*n+k] = v[first+j]
				}
			}
		}
	}
}

// Dots returns the dot products of row i with the vectors, valid until the next call.
func (m *Mixed) Dots(i int) []float32 {
	m.rows.DotK(m.base(i), m.dots, m.elements)
	return m.dots[:m.k]
}

// Axpy adds row i, multiplied by element k of Coefficients, to each vector k, and zeroes the
// coefficients. No element of a vector may be -0.
func (m *Mixed) Axpy(i int) {
	count := 0
	for _, a := range m.a {
		if a != 0 {
			count++
		}
	}
	if fewVectors*count > len(m.a) {
		// A coefficient of 0 adds 0 or -0, which changes no number but -0.
		m.rows.AxpyK(m.base(i), m.a, m.elements)
		clear(m.a)
		return
	}
	index, values := m.rows.Row(m.base(i))
	for k, a := range m.a {
		if a == 0 {
			continue
		}
		for n, j := range index {
			m.elements[int(j)*len(m.a)+k] += float32(a * values[n])
		}
		m.a[k] = 0
	}
}

// Axpy visits the changed vectors alone if they are at most 1/fewVectors of all, padding included.
const fewVectors = 16

func (m *Mixed) base(i int) int {
	if m.at != nil {
		return int(m.at[i])
	}
	return i
}

// Coefficients returns the buffer for Axpy's coefficients, one for each vector.
func (m *Mixed) Coefficients() []float32 { return m.a[:m.k] }
