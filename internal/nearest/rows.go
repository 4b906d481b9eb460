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

// Count returns how many rows of n elements, stride apart, a slice of elements holds. The gap behind
// the last row may be missing or shorter than the others. It panics if the rows are empty or overlap,
// or the slice ends inside a row.
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

// CheckEach panics unless each row has want elements, of which name tells the meaning.
func CheckEach[T any](rows [][]T, name string, want int) {
	for i := range rows {
		if len(rows[i]) != want {
			panic(misuse.Of("len(rows[%d]) = %d, %s = %d", i, len(rows[i]), name, want))
		}
	}
}

// at returns row i of floats.
func (s *Rows[E]) at(i int) []float32 {
	switch {
	case s.Each != nil:
		return s.Each[i]
	case s.Matrix != nil:
		return s.Matrix.Row(i)
	case s.Blobs != nil:
		return s.read(s.Blobs[i])
	case s.Bytes != nil:
		return s.read(s.Bytes[i*s.Stride:][:4*s.N])
	case s.Idx != nil:
		i = int(s.Idx[i])
	}
	return s.floats()[i*s.Stride:][:s.N]
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

// half returns row i of halves.
func (s *Rows[E]) half(i int) []uint16 {
	if s.Idx != nil {
		i = int(s.Idx[i])
	}
	return s.halves()[i*s.Stride:][:s.N]
}

// scoresAtOnce is how many scores are made before they are ranked: enough rows for DotRows to see
// whether they come from memory.
const scoresAtOnce = 4096

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
	var scores [scoresAtOnce]float32
	for first := 0; first < s.Count; first += len(scores) {
		some := scores[:min(len(scores), s.Count-first)]
		s.score(some, by, x, first)
		dst = s.offer(dst, some, first)
	}
	finishFloats(dst, by)
	return dst
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
	default:
		for i := range dst {
			if first+i+1 < s.Count {
				asm.Prefetch(s.at(first + i + 1))
			}
			dst[i] = by.score(x, s.at(first+i))
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
			asm.Prefetch(s.half(first + i + 1))
		}
		by.halfScores(dst[i:i+1], s.half(first+i), 0, x, s.Brain)
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
	var scores, norms [scoresAtOnce]float32
	size := len(scores)
	if len(queries) > 1 {
		size = min(max(blockElements/s.N&^3, 4), size)
	}
	for ; first < end; first += size {
		some := scores[:min(size, end-first)]
		if by == ByCosine && len(queries) > 1 {
			for i := range some {
				norms[i] = s.squares(first+i, queries[0])
			}
		}
		for q, x := range queries {
			if by == ByCosine && len(queries) > 1 {
				s.score(some, ByDot, x, first)
				xx := asm.SumSquares(x)
				for i, xy := range some {
					some[i] = s.cosine(x, first+i, xy, xx, norms[i])
				}
			} else {
				s.score(some, by, x, first)
			}
			dst[q] = s.offer(dst[q], some, first)
		}
	}
}

// squares returns the sum of the squares of a row, which is as long as x.
func (s *Rows[E]) squares(i int, x []float32) float32 {
	if s.areHalves() {
		_, yy := asm.HalfNorms(x, s.half(i), s.Brain)
		return yy
	}
	return asm.SumSquares(s.at(i))
}

// cosine returns the cosine of x and a row, given the sums that it is made of.
func (s *Rows[E]) cosine(x []float32, i int, xy, xx, yy float32) float32 {
	if s.areHalves() {
		return asm.CosineOfHalves(x, s.half(i), xy, xx, yy, s.Brain)
	}
	return asm.CosineOf(x, s.at(i), xy, xx, yy)
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
	for q := range dst {
		finishFloats(dst[q], by)
	}
}

// rankThreads is rank of all rows by workers with hits of their own. It has a copy of s, which goes
// to the heap.
func (s Rows[E]) rankThreads(dst [][]Hit, by Metric, queries [][]float32, threads, run, runs int) {
	Merge(dst, threads, runs, better, func(hits [][]Hit, i int) {
		s.rank(hits, by, queries, i*run, min((i+1)*run, s.Count))
	})
}

// offer adds those of the rows from first on that are good enough.
func (s *Rows[E]) offer(hits []Hit, scores []float32, first int) []Hit {
	for i, score := range scores {
		if len(hits) == cap(hits) && (len(hits) == 0 || score < hits[0].Score) {
			continue
		}
		row := first + i
		if s.Idx != nil {
			row = int(s.Idx[row])
		}
		hits = Add(hits, Hit{row, score}, better)
	}
	return hits
}

// finishFloats makes of a heap what is returned: the best first, and scores as the metric has them.
func finishFloats(hits []Hit, by Metric) {
	Sort(hits, better)
	if by == ByDistance {
		for i := range hits {
			hits[i].Score = -hits[i].Score
		}
	}
}

// better reports whether a is better than b: a total order of different rows.
func better(a, b Hit) bool {
	switch {
	case a.Score > b.Score:
		return true
	case a.Score < b.Score:
		return false
	case a.Score != a.Score && b.Score == b.Score:
		return false
	case a.Score == a.Score && b.Score != b.Score:
		return true
	}
	return a.Row < b.Row
}
