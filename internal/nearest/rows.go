package nearest

import (
	"unsafe"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/blob"
	"github.com/pegasimd/pegasimd/internal/matrices"
	"github.com/pegasimd/pegasimd/internal/misuse"
)

// A Metric is what rows are ranked by: package dense's Metric.
type Metric uint8

const (
	ByDot Metric = iota
	ByCosine
	ByDistance
)

// A Hit is package dense's Hit.
type Hit struct {
	Row   int
	Score float32
}

// Rows are those to choose from, of one kind: numbers in one slice, bytes in one, or floats
// somewhere else. Elements of 16 bits are halves. A program that has none of them links no kernels
// of halves.
type Rows[E float32 | uint16] struct {
	Slice  []E
	Brain  bool            // halves are bfloat16s
	Bytes  []byte          // of floats, little-endian; Stride counts them
	Stride int             // from the beginning of a row to that of the next
	Idx    []int32         // picks rows of the slice; nil for all
	Each   [][]float32     // slices of their own
	Blobs  [][]byte        // the same of bytes
	Matrix *matrices.Dense // rows that have to be checked
	N      int             // floats of a row
	Count  int             // rows

	buffer []float32 // a row of bytes that can't be looked at as floats
}

// Count returns how many rows of n elements, stride apart, a slice of elements holds. The gap
// behind the last row may be missing or shorter than the others. Count panics if the rows are empty
// or overlap, or if the slice ends inside a row.
func Count(elements, stride, n int) int {
	if n == 0 || stride < n {
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

// CheckEach panics with the index of the first row that has not want elements. The message calls
// want by name.
func CheckEach[T any](rows [][]T, name string, want int) {
	for i := range rows {
		if len(rows[i]) != want {
			panic(misuse.Of("len(rows[%d]) = %d, %s = %d", i, len(rows[i]), name, want))
		}
	}
}

// number returns the number of the i-th row to choose from.
func (s *Rows[E]) number(i int) int {
	if s.Idx != nil {
		return int(s.Idx[i])
	}
	return i
}

// row returns the row of floats with a number.
func (s *Rows[E]) row(number int) []float32 {
	switch {
	case s.Each != nil:
		return s.Each[number]
	case s.Matrix != nil:
		return s.Matrix.Row(number)
	case s.Blobs != nil:
		return s.read(s.Blobs[number])
	case s.Bytes != nil:
		return s.read(s.Bytes[number*s.Stride:][:4*s.N])
	}
	return s.floats()[number*s.Stride:][:s.N]
}

// floats and halves are the slice, which is of the one or of the other.
func (s *Rows[E]) floats() []float32 { return *(*[]float32)(unsafe.Pointer(&s.Slice)) }
func (s *Rows[E]) halves() []uint16  { return *(*[]uint16)(unsafe.Pointer(&s.Slice)) }

// areHalves is a constant for each type, so that the compiler leaves the other one's code out.
func (s *Rows[E]) areHalves() bool { return unsafe.Sizeof(*new(E)) == 2 }

// read returns the floats of bytes, which are there until the next call.
func (s *Rows[E]) read(b []byte) []float32 {
	if v, ok := blob.View[float32](b); ok {
		return v
	}
	s.buffer = blob.Append(s.buffer[:0], b)
	return s.buffer
}

// halfRow returns the row of halves with a number.
func (s *Rows[E]) halfRow(number int) []uint16 { return s.halves()[number*s.Stride:][:s.N] }

// scoresAtOnce is how many scores are made before they are ranked: enough rows for DotRows to see
// whether they come from memory.
const scoresAtOnce, fewRows = 4096, 256

// hits are those of another package's type, which is the same in memory.
type hits interface {
	~struct {
		Row   int
		Score float32
	}
}

// Top finds the rows nearest to x, as many as dst is long or all: see package dense.
func Top[H hits, E float32 | uint16](s *Rows[E], dst []H, by Metric, x []float32) []H {
	found := s.top(*(*[]Hit)(unsafe.Pointer(&dst)), by, x)
	return dst[:len(found):len(found)]
}

// TopMany is Top for many queries; with several threads each worker takes run rows at a time.
func TopMany[H hits, E float32 | uint16](s *Rows[E], dst [][]H, by Metric, queries [][]float32,
	threads, run int) {
	s.topMany(*(*[][]Hit)(unsafe.Pointer(&dst)), by, queries, threads, run)
}

func (s *Rows[E]) top(dst []Hit, by Metric, x []float32) []Hit {
	dst = dst[:0:min(len(dst), s.Count)]
	if cap(dst) == 0 {
		return dst
	}
	hits, queries := [1][]Hit{dst}, [1][]float32{x}
	s.rank(hits[:], by, queries[:], 0, s.Count)
	o := s.order(by, x)
	o.finish(hits[0])
	return hits[0]
}

// score sets dst[i] to what row first + i is ranked by, greater being better.
func (s *Rows[E]) score(dst []float32, by Metric, x []float32, first int) {
	switch {
	case s.areHalves():
		s.scoreHalves(dst, by, x, first)
	case by == ByDot && s.Idx != nil:
		asm.DotRowsAt(dst, s.floats(), s.Stride, s.Idx[first:][:len(dst)], x)
	case s.Slice != nil && s.Idx == nil:
		by.scores(dst, s.floats()[first*s.Stride:], s.Stride, x)
	case s.Each != nil:
		by.scoresOf(dst, s.Each[first:], x)
	default:
		for i := range dst {
			if first+i+1 < s.Count {
				asm.Prefetch(s.row(s.number(first + i + 1)))
			}
			dst[i] = by.score(x, s.row(s.number(first+i)))
		}
	}
}

// scoreHalves is score for rows of halves.
func (s *Rows[E]) scoreHalves(dst []float32, by Metric, x []float32, first int) {
	if s.Idx == nil {
		by.halfScores(dst, s.halves()[first*s.Stride:], s.Stride, x, s.Brain)
		return
	}
	for i := range dst {
		if first+i+1 < s.Count {
			asm.Prefetch(s.halfRow(s.number(first + i + 1)))
		}
		by.halfScores(dst[i:i+1], s.halfRow(s.number(first+i)), 0, x, s.Brain)
	}
}

// scores are those of rows that follow each other, greater being better.
func (by Metric) scores(dst, rows []float32, stride int, x []float32) {
	switch by {
	case ByDot:
		asm.DotRows(dst, rows, stride, x)
	case ByCosine:
		asm.CosineRows(dst, rows, stride, x)
	case ByDistance:
		asm.SquaredDistanceRows(dst, rows, stride, x)
		for i, v := range dst {
			dst[i] = -v
		}
	default:
		panic(misuse.Of("there is no metric %d", by))
	}
}

// scoresOf are those of rows that are slices of their own.
func (by Metric) scoresOf(dst []float32, rows [][]float32, x []float32) {
	for i := range dst {
		if i+1 < len(rows) {
			asm.Prefetch(rows[i+1])
		}
		dst[i] = by.score(x, rows[i])
	}
}

// halfScores are scores of rows of halves.
func (by Metric) halfScores(dst []float32, rows []uint16, stride int, x []float32, brain bool) {
	switch by {
	case ByDot:
		asm.HalfRows(asm.HalfDot, dst, rows, stride, x, brain)
	case ByCosine:
		asm.CosineHalfRows(dst, rows, stride, x, brain)
	case ByDistance:
		asm.HalfRows(asm.HalfSquaredDistance, dst, rows, stride, x, brain)
		for i, v := range dst {
			dst[i] = -v
		}
	default:
		panic(misuse.Of("there is no metric %d", by))
	}
}

// score is that of one row, greater being better.
func (by Metric) score(x, row []float32) float32 {
	switch by {
	case ByDot:
		return asm.Dot(row, x)
	case ByCosine:
		return asm.Cosine(x, row)
	case ByDistance:
		return -asm.SquaredDistance(row, x)
	}
	panic(misuse.Of("there is no metric %d", by))
}

// RowsARun is how many rows a worker takes before it asks for more.
const RowsARun = 256

// blockElements is how much of the rows is scored against all queries before the next: 256 KB stay
// in the second cache.
const blockElements = 1 << 16

// rank offers the rows from first to end-1 to the hits of each query, a block of rows at a time.
func (s *Rows[E]) rank(dst [][]Hit, by Metric, queries [][]float32, first, end int) {
	if end-first <= fewRows {
		var scores [fewRows]float32 // which takes less time to clear
		s.rankBlocks(dst, scores[:], by, queries, first, end)
		return
	}
	var scores [scoresAtOnce]float32
	s.rankBlocks(dst, scores[:], by, queries, first, end)
}

// rankBlocks does the work of rank, with scores as a buffer.
func (s *Rows[E]) rankBlocks(dst [][]Hit, scores []float32, by Metric, queries [][]float32,
	first, end int) {
	size := len(scores)
	if len(queries) > 1 {
		size = min(max(blockElements/s.N&^3, 4), size)
	}
	for ; first < end; first += size {
		some := scores[:min(size, end-first)]
		if by == ByCosine && len(queries) > 1 {
			s.rankCosines(dst, some, queries, first)
			continue
		}
		for q, x := range queries {
			s.score(some, by, x, first)
			o := s.order(by, x)
			dst[q] = o.offer(dst[q], some, first)
		}
	}
}

// rankCosines offers the len(scores) rows from first on to the hits of each query. It computes the
// norm of each row once for all queries.
func (s *Rows[E]) rankCosines(dst [][]Hit, scores []float32, queries [][]float32, first int) {
	var norms [scoresAtOnce]float32
	for i := range scores {
		norms[i] = s.squares(first+i, queries[0])
	}
	for q, x := range queries {
		s.score(scores, ByDot, x, first)
		xx := asm.SumSquares(x)
		for i, xy := range scores {
			scores[i] = s.cosine(x, first+i, xy, xx, norms[i])
		}
		o := s.order(ByCosine, x)
		dst[q] = o.offer(dst[q], scores, first)
	}
}

// squares returns the sum of the squares of a row, which is as long as x.
func (s *Rows[E]) squares(i int, x []float32) float32 {
	if s.areHalves() {
		_, yy := asm.HalfNorms(x, s.halfRow(s.number(i)), s.Brain)
		return yy
	}
	return asm.SumSquares(s.row(s.number(i)))
}

// cosine returns the cosine of x and a row, given the sums that it is made of.
func (s *Rows[E]) cosine(x []float32, i int, xy, xx, yy float32) float32 {
	if s.areHalves() {
		return asm.CosineOfHalves(x, s.halfRow(s.number(i)), xy, xx, yy, s.Brain)
	}
	return asm.CosineOf(x, s.row(s.number(i)), xy, xx, yy)
}

func (s *Rows[E]) topMany(dst [][]Hit, by Metric, queries [][]float32, threads, run int) {
	for q := range dst {
		dst[q] = dst[q][:0:min(len(dst[q]), s.Count)]
	}
	runs := (s.Count + run - 1) / run
	if threads = min(threads, (runs+3)/4); threads <= 1 { // else it is done before they begin
		s.rank(dst, by, queries, 0, s.Count)
	} else {
		s.rankThreads(dst, by, queries, threads, run, runs)
	}
	for q, x := range queries {
		o := s.order(by, x)
		o.finish(dst[q])
	}
}

// rankThreads is rank of all rows by workers with hits of their own. It has a copy of s, which goes
// to the heap.
func (s Rows[E]) rankThreads(dst [][]Hit, by Metric, queries [][]float32, threads, run, runs int) {
	before := func(q int, a, b Hit) bool {
		o := s.order(by, queries[q])
		return o.better(a, b)
	}
	Merge(dst, threads, runs, before, func(hits [][]Hit, i int) {
		s.rank(hits, by, queries, i*run, min((i+1)*run, s.Count))
	})
}
