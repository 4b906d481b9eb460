package nearest

import (
	"unsafe"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/base/blob"
	"github.com/pegasimd/pegasimd/internal/base/misuse"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
)

// Metric is the score by which rows are ranked, with the values of package dense's Metric.
type Metric uint8

const (
	ByDot Metric = iota
	ByCosine
	ByDistance
	ByL1 // float32 rows only
)

func (by Metric) isDistance() bool { return by >= ByDistance }

// Hit is a row and its score, laid out like package dense's Hit.
type Hit struct {
	Row   int
	Score float32
}

// Rows are the rows that a search ranks, in one of several layouts. E is uint16 for half-precision
// rows, which are always in Slice, and float32 for others. E is a type parameter so that programs
// without half-precision rows link no kernels for them.
type Rows[E float32 | uint16] struct {
	Slice      []E // elements of rows in one slice
	Bfloat16   bool
	Bytes      []byte   // rows of little-endian floats in one slice
	Stride     int      // between row starts, in elements of Slice or bytes of Bytes
	Idx        []uint32 // indices of the rows of Slice to rank; nil for all rows
	Slices     [][]float32
	ByteSlices [][]byte // rows of little-endian floats that are separate slices
	Matrix     *matrices.Dense
	N          int
	Count      int // number of rows to rank

	buffer []float32 // copy of a row of bytes that can't be viewed as floats
}

// Count returns the number of rows of n elements, stride apart, in a slice of the given number of
// elements. The gap after the last row may be shorter or missing. Count panics if n is not
// positive, rows overlap, or the slice ends inside a row.
func Count(elements, stride, n int) int {
	if n <= 0 || stride < n {
		panic(misuse.Of("rows of %d elements, %d apart", n, stride))
	}
	count, rest := elements/stride, elements%stride
	switch {
	case rest >= n:
		count++
	case rest > 0:
		panic(misuse.Of("len(rows) = %d ends inside row %d: rows of %d elements, %d apart",
			elements, count, n, stride))
	}
	return count
}

// CheckEach panics if the length of a row is not want, which the message calls name.
func CheckEach[T any](rows [][]T, name string, want int) {
	for i := range rows {
		if len(rows[i]) != want {
			panic(misuse.Of("len(rows[%d]) = %d, %s = %d", i, len(rows[i]), name, want))
		}
	}
}

func (s *Rows[E]) rowNumber(i int) int {
	if s.Idx != nil {
		return int(s.Idx[i])
	}
	return i
}

func (s *Rows[E]) row(number int) []float32 {
	switch {
	case s.Slices != nil:
		return s.Slices[number]
	case s.Matrix != nil:
		return s.Matrix.Row(number)
	case s.ByteSlices != nil:
		return s.read(s.ByteSlices[number])
	case s.Bytes != nil:
		return s.read(s.Bytes[number*s.Stride:][:4*s.N])
	}
	return s.floats()[number*s.Stride:][:s.N]
}

func (s *Rows[E]) floats() []float32 { return *(*[]float32)(unsafe.Pointer(&s.Slice)) }
func (s *Rows[E]) halves() []uint16  { return *(*[]uint16)(unsafe.Pointer(&s.Slice)) }

// isHalf is constant for each E, so the compiler removes the code for the other type.
func (s *Rows[E]) isHalf() bool { return unsafe.Sizeof(*new(E)) == 2 }

// The floats that read returns are valid until the next call.
func (s *Rows[E]) read(b []byte) []float32 {
	if v, ok := blob.View[float32](b); ok {
		return v
	}
	s.buffer = blob.Append(s.buffer[:0], b)
	return s.buffer
}

func (s *Rows[E]) halfRow(number int) []uint16 { return s.halves()[number*s.Stride:][:s.N] }

// score sets dst[i] to the score of the row at position firstRow + i, negated for distances.
func (s *Rows[E]) score(dst []float32, by Metric, x []float32, firstRow int) {
	switch {
	case s.isHalf():
		s.scoreHalves(dst, by, x, firstRow)
	case s.Slices != nil:
		by.scoreSlices(dst, s.Slices[firstRow:], x)
	case s.Idx != nil && by != ByL1:
		by.scoresAt(dst, s.floats(), s.Stride, s.Idx[firstRow:][:len(dst)], x)
	case s.Slice != nil && by != ByL1:
		by.scores(dst, s.floats()[firstRow*s.Stride:], s.Stride, x)
	default:
		for i := range dst {
			if firstRow+i+1 < s.Count {
				asm.Prefetch(s.row(s.rowNumber(firstRow + i + 1)))
			}
			dst[i] = by.score(x, s.row(s.rowNumber(firstRow+i)))
		}
	}
}

func (s *Rows[E]) scoreHalves(dst []float32, by Metric, x []float32, firstRow int) {
	if s.Idx == nil {
		by.halfScores(dst, s.halves()[firstRow*s.Stride:], s.Stride, x, s.Bfloat16)
		return
	}
	picks := s.Idx[firstRow:][:len(dst)]
	switch by {
	case ByDot:
		asm.HalfRowsAt(asm.HalfDot, dst, s.halves(), s.Stride, picks, x, s.Bfloat16)
	case ByCosine:
		asm.CosineHalfRowsAt(dst, s.halves(), s.Stride, picks, x, s.Bfloat16)
	case ByDistance:
		asm.HalfRowsAt(asm.HalfSquaredDistance, dst, s.halves(), s.Stride, picks, x, s.Bfloat16)
		negate(dst)
	default:
		panic(by.unknownOfHalves())
	}
}

func (by Metric) scores(dst, rows []float32, stride int, x []float32) {
	switch by {
	case ByDot:
		asm.DotRows(dst, rows, stride, x)
	case ByCosine:
		asm.CosineRows(dst, rows, stride, x)
	case ByDistance:
		asm.SquaredDistanceRows(dst, rows, stride, x)
		negate(dst)
	default:
		panic(by.unknown())
	}
}

func (by Metric) scoresAt(dst, rows []float32, stride int, idx []uint32, x []float32) {
	switch by {
	case ByDot:
		asm.DotRowsAt(dst, rows, stride, idx, x)
	case ByCosine:
		asm.CosineRowsAt(dst, rows, stride, idx, x)
	case ByDistance:
		asm.SquaredDistanceRowsAt(dst, rows, stride, idx, x)
		negate(dst)
	default:
		panic(by.unknown())
	}
}

func negate(v []float32) {
	for i := range v {
		v[i] = -v[i]
	}
}

func (by Metric) unknown() any { return misuse.Of("there is no metric %d", by) }

func (by Metric) unknownOfHalves() any {
	return misuse.Of("the metric is %d, not ByDot, ByCosine or ByDistance", by)
}

func (by Metric) scoreSlices(dst []float32, rows [][]float32, x []float32) {
	for i := range dst {
		if i+1 < len(rows) {
			asm.Prefetch(rows[i+1])
		}
		dst[i] = by.score(x, rows[i])
	}
}

func (by Metric) halfScores(dst []float32, rows []uint16, stride int, x []float32, bfloat16 bool) {
	switch by {
	case ByDot:
		asm.HalfRows(asm.HalfDot, dst, rows, stride, x, bfloat16)
	case ByCosine:
		asm.CosineHalfRows(dst, rows, stride, x, bfloat16)
	case ByDistance:
		asm.HalfRows(asm.HalfSquaredDistance, dst, rows, stride, x, bfloat16)
		negate(dst)
	default:
		panic(by.unknownOfHalves())
	}
}

func (by Metric) score(x, row []float32) float32 {
	switch by {
	case ByDot:
		return asm.Dot(row, x)
	case ByCosine:
		return asm.Cosine(x, row)
	case ByDistance:
		return -asm.SquaredDistance(row, x)
	case ByL1:
		return -asm.L1Distance(row, x)
	}
	panic(by.unknown())
}

// x may be any vector of the row's length.
func (s *Rows[E]) squares(i int, x []float32) float32 {
	if s.isHalf() {
		_, yy := asm.HalfNorms(x, s.halfRow(s.rowNumber(i)), s.Bfloat16)
		return yy
	}
	return asm.SumSquares(s.row(s.rowNumber(i)))
}

func (s *Rows[E]) cosine(x []float32, i int, xy, xx, yy float32) float32 {
	if s.isHalf() {
		return asm.CosineOfHalves(x, s.halfRow(s.rowNumber(i)), xy, xx, yy, s.Bfloat16)
	}
	return asm.CosineOf(x, s.row(s.rowNumber(i)), xy, xx, yy)
}
