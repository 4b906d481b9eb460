package scale

import (
	"math"
	"slices"
	"sync"

	"github.com/pegasimd/pegasimd/internal/asm"
)

// At returns the scaled value of v, an element of column j, in float64. s must have factors.
func (s *Scale) At(j int, v float32) float64 {
	if s.Shift == nil {
		return float64(float64(v) * float64(s.Factor[j]))
	}
	return float64((float64(v) - float64(s.Shift[j])) * float64(s.Factor[j]))
}

// Row scales the elements of one row in values, and stores them in dst, which may be values.
// columns holds each element's column; nil means all columns. Kind must not be None.
func (s *Scale) Row(dst []float32, columns []int32, values []float32) {
	dst = dst[:len(values)]
	switch {
	case s.Kind == Unit:
		length := Length(values)
		for k, v := range values {
			dst[k] = float32(float64(v) / length)
		}
	case columns != nil:
		for k, v := range values {
			dst[k] = float32(s.At(int(columns[k]), v))
		}
	case s.Shift != nil:
		shift, factor := s.Shift[:len(values)], s.Factor[:len(values)]
		for j, v := range values {
			dst[j] = float32((float64(v) - float64(shift[j])) * float64(factor[j]))
		}
	default:
		factor := s.Factor[:len(values)]
		for j, v := range values {
			dst[j] = float32(float64(v) * float64(factor[j]))
		}
	}
}

// Length returns the Euclidean norm of a row, or 1 for a row of zeros. values may leave out zeros.
func Length(values []float32) float64 {
	sum := 0.0
	for _, v := range values {
		sum += float64(float64(v) * float64(v))
	}
	if sum == 0 {
		return 1
	}
	return math.Sqrt(sum)
}

var rowBuffers = sync.Pool{New: func() any { return new(rowBuffer) }}

type rowBuffer struct{ row, terms []float32 }

// Dots scales and expands a raw row, and stores its dot product with each vector of w in dst. If
// index is nil, the row is dense. Otherwise it is sparse, and columns not in index are 0. Columns
// that the vectors lack count only in the length by which Unit divides.
func (s *Scale) Dots(dst []float64, index []int32, values []float32, w [][]float32) {
	cols := len(w[0]) - s.Terms()
	if s.Kind == Unit {
		length, n := Length(values), len(index)
		for n > 0 && int(index[n-1]) >= cols {
			n--
		}
		for k, v := range w {
			if index == nil {
				dst[k] = float64(asm.Dot(values, v)) / length
			} else {
				dst[k] = float64(asm.DotSparse(index[:n], values[:n], v)) / length
			}
		}
		return
	}
	buffer := rowBuffers.Get().(*rowBuffer)
	defer rowBuffers.Put(buffer)
	buffer.row = slices.Grow(buffer.row[:0], cols)[:cols]
	row := buffer.row
	clear(row)
	if index == nil {
		copy(row, values)
	}
	for k, j := range index {
		if int(j) < len(row) {
			row[j] = values[k]
		}
	}
	if s.Kind != None {
		s.Row(row, nil, row)
	}
	if s.Expansion == nil {
		for k, v := range w {
			dst[k] = float64(asm.Dot(row, v))
		}
		return
	}
	buffer.terms = s.Expansion.Append32(buffer.terms[:0], row)
	for k, v := range w {
		z := asm.Dot(row, v[:cols])
		dst[k] = float64(z + asm.Dot(buffer.terms, v[cols:]))
	}
}

// ScoreOfZeros returns the sum, over the columns j from cols on, of w[j] times the scaled value of
// a raw 0. s must have factors.
func (s *Scale) ScoreOfZeros(w []float32, cols int) (sum float64) {
	for j := cols; j < len(w); j++ {
		sum += float64(float64(w[j]) * s.At(j, 0))
	}
	return sum
}
