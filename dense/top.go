package dense

import (
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/matrices"
	"github.com/pegasimd/pegasimd/internal/misuse"
	"github.com/pegasimd/pegasimd/internal/nearest"
	"github.com/pegasimd/pegasimd/internal/parallel"
)

// A Metric is what the functions whose names begin with Top rank rows by.
type Metric uint8

const (
	ByDot      Metric = iota // the dot product, the greatest first
	ByCosine                 // the cosine of the angle between row and query, the greatest first
	ByDistance               // the squared Euclidean distance, the least first
)

// A Hit is a row that was found, and its score: by the [Metric], [Dot], [Cosine] or
// [SquaredDistance] of the row and the query, to the bit.
type Hit struct {
	Row   int
	Score float32
}

// Top finds the rows nearest to x, the best first, among those that are stored one after the other:
// row i begins at rows[i*stride] and has as many elements as x. There are as many rows as rows
// holds.
//
// It finds as many rows as dst is long, or all if there are fewer, writes them to dst, and returns
// the part of dst that it has written. A better score comes first, of equal ones the lower row, and
// NaN comes last, the lower row first: the order is total, so that the result is the same on every
// machine, and that of sorting all rows.
//
// Top allocates nothing. It panics if x is empty or stride is less than its length.
func Top(dst []Hit, by Metric, rows []float32, stride int, x []float32) []Hit {
	s := strided(rows, stride, len(x))
	return s.top(dst, by, x)
}

// TopAt is [Top] among rows picked by index, in any order; Hit.Row is the element of idx. It panics
// as well if a row is not wholly within rows.
func TopAt(dst []Hit, by Metric, rows []float32, stride int, idx []int32, x []float32) []Hit {
	asm.CheckRowsAt(len(rows), stride, idx, len(x))
	s := candidates{rows: rows, stride: stride, idx: idx, n: len(x), count: len(idx)}
	return s.top(dst, by, x)
}

// TopSlices is [Top] among rows that are slices of their own. It panics if one has another length
// than x.
func TopSlices(dst []Hit, by Metric, rows [][]float32, x []float32) []Hit {
	s := candidates{each: rows, n: len(x), count: len(rows)}
	return s.top(dst, by, x)
}

// TopMany is [Top] for many queries at once: dst[q] becomes what Top returns for queries[q], to the
// bit. Each row is read from memory once for all of them, which makes it several times as fast as
// one query after the other, where the rows are too many for the caches.
//
// The rows are divided among so many goroutines, or GOMAXPROCS if threads is 0, which changes
// nothing in the result. With one thread nothing is allocated. It panics if dst and queries differ
// in length or the queries among themselves, and where Top does.
func TopMany(dst [][]Hit, by Metric, rows []float32, stride int, queries [][]float32, threads int) {
	if len(dst) != len(queries) {
		panic(misuse.Lengths("len(dst)", len(dst), "len(queries)", len(queries)))
	}
	if len(queries) == 0 {
		return
	}
	for q, x := range queries {
		if len(x) != len(queries[0]) {
			panic(misuse.Of("len(queries[%d]) = %d, len(queries[0]) = %d", q, len(x),
				len(queries[0])))
		}
	}
	s := strided(rows, stride, len(queries[0]))
	s.topMany(dst, by, queries, parallel.Threads(threads), rowsARun)
}

// rowsARun is how many rows a worker takes before it asks for more.
const rowsARun = 256

// Top is the function Top among the rows of the matrix.
func (m *Matrix) Top(dst []Hit, by Metric, x []float32) []Hit {
	if len(x) != m.Cols() {
		panic(misuse.Lengths("len(x)", len(x), "Cols", m.Cols()))
	}
	s := candidates{matrix: m, n: len(x), count: m.Rows()}
	if !m.unchecked() {
		s.matrix = nil
		s.rows, s.stride = (*matrices.Dense)(m).Padded()
	}
	return s.top(dst, by, x)
}

// candidates are the rows to choose from.
type candidates struct {
	rows   []float32
	stride int
	idx    []int32     // nil for all
	each   [][]float32 // in place of the above
	matrix *Matrix     // likewise, where rows have to be checked
	n      int         // elements of a row
	count  int
}

func strided(rows []float32, stride, n int) candidates {
	if n == 0 || stride < n {
		panic(misuse.Of("rows of %d elements, %d apart", n, stride))
	}
	count := len(rows) / stride
	if len(rows)%stride >= n {
		count++
	}
	return candidates{rows: rows, stride: stride, n: n, count: count}
}

func (s *candidates) at(i int) []float32 {
	switch {
	case s.each != nil:
		return s.each[i]
	case s.matrix != nil:
		return s.matrix.Row(i)
	case s.idx != nil:
		i = int(s.idx[i])
	}
	return s.rows[i*s.stride:][:s.n]
}

// scoresAtOnce is how many scores are made before they are ranked: enough rows for DotRows to see
// whether they come from memory.
const scoresAtOnce = 4096

func (s *candidates) top(dst []Hit, by Metric, x []float32) []Hit {
	dst = dst[:0:min(len(dst), s.count)]
	if cap(dst) == 0 {
		return dst
	}
	var scores [scoresAtOnce]float32
	for first := 0; first < s.count; first += len(scores) {
		some := scores[:min(len(scores), s.count-first)]
		s.score(some, by, x, first)
		dst = s.offer(dst, some, first)
	}
	finish(dst, by)
	return dst
}

// score sets dst[i] to what row first + i is ranked by, greater being better.
func (s *candidates) score(dst []float32, by Metric, x []float32, first int) {
	switch {
	case by == ByDot && s.idx != nil:
		asm.DotRowsAt(dst, s.rows, s.stride, s.idx[first:][:len(dst)], x)
	case s.consecutive():
		by.scores(dst, s.rows[first*s.stride:], s.stride, x)
	default:
		for i := range dst {
			if first+i+1 < s.count {
				asm.Prefetch(s.at(first + i + 1))
			}
			dst[i] = by.score(x, s.at(first+i))
		}
	}
}

// consecutive reports whether the candidates are all rows of a slice.
func (s *candidates) consecutive() bool { return s.each == nil && s.matrix == nil && s.idx == nil }

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

// blockElements is how much of the rows is scored against all queries before the next: 256 KB stay
// in the second cache.
const blockElements = 1 << 16

// rank offers the rows from first to end-1 to the hits of each query, a block of rows at a time.
func (s *candidates) rank(dst [][]Hit, by Metric, queries [][]float32, first, end int) {
	var scores, norms [scoresAtOnce]float32
	size := len(scores)
	if len(queries) > 1 {
		size = min(max(blockElements/s.n&^3, 4), size)
	}
	for ; first < end; first += size {
		some := scores[:min(size, end-first)]
		if by == ByCosine && len(queries) > 1 {
			for i := range some {
				norms[i] = asm.SumSquares(s.at(first + i))
			}
		}
		for q, x := range queries {
			if by == ByCosine && len(queries) > 1 {
				s.score(some, ByDot, x, first)
				xx := asm.SumSquares(x)
				for i, xy := range some {
					some[i] = asm.CosineOf(x, s.at(first+i), xy, xx, norms[i])
				}
			} else {
				s.score(some, by, x, first)
			}
			dst[q] = s.offer(dst[q], some, first)
		}
	}
}

// topMany is TopMany; with several threads each worker takes so many rows at a time.
func (s *candidates) topMany(dst [][]Hit, by Metric, queries [][]float32, threads, run int) {
	for q := range dst {
		dst[q] = dst[q][:0:min(len(dst[q]), s.count)]
	}
	runs := (s.count + run - 1) / run
	if threads = min(threads, (runs+3)/4); threads <= 1 { // else it is done before they begin
		s.rank(dst, by, queries, 0, s.count)
	} else {
		s.rankThreads(dst, by, queries, threads, run, runs)
	}
	for q := range dst {
		finish(dst[q], by)
	}
}

// rankThreads is rank of all rows by workers with hits of their own. It has a copy of s, which goes
// to the heap.
func (s candidates) rankThreads(dst [][]Hit, by Metric, queries [][]float32,
	threads, run, runs int) {
	nearest.Merge(dst, threads, runs, before, func(hits [][]Hit, i int) {
		s.rank(hits, by, queries, i*run, min((i+1)*run, s.count))
	})
}

// offer adds those of the rows from first on that are good enough.
func (s *candidates) offer(hits []Hit, scores []float32, first int) []Hit {
	for i, score := range scores {
		if len(hits) == cap(hits) && (len(hits) == 0 || score < hits[0].Score) {
			continue
		}
		row := first + i
		if s.idx != nil {
			row = int(s.idx[row])
		}
		hits = nearest.Add(hits, Hit{row, score}, before)
	}
	return hits
}

// finish makes of a heap what is returned: the best first, and scores as the metric has them.
func finish(hits []Hit, by Metric) {
	nearest.Sort(hits, before)
	if by == ByDistance {
		for i := range hits {
			hits[i].Score = -hits[i].Score
		}
	}
}

// before reports whether a is better than b: a total order of different rows.
func before(a, b Hit) bool {
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
