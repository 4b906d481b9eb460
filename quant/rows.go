package quant

import (
	"math"
	"unsafe"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/base/misuse"
	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/vectors/nearest"
)

// DotRows sets dst[i] to Dot(rows[i*stride:][:len(x)], x), like [dense.DotRows].
func DotRows[T Byte](dst []int64, rows []T, stride int, x []T) {
	asm.CheckRows(len(rows), stride, len(dst), len(x))
	score(dst, dense.ByDot, rows, stride, x)
}

// DotRowsAt is DotRows for rows picked by index, like [dense.DotRowsAt].
func DotRowsAt[T Byte, I ~int32 | ~uint32](dst []int64, rows []T, stride int, idx []I, x []T) {
	scoreAt(dst, dense.ByDot, rows, stride, idx, x)
}

// SquaredDistanceRows is DotRows with [SquaredDistance] in place of Dot.
func SquaredDistanceRows[T Byte](dst []int64, rows []T, stride int, x []T) {
	asm.CheckRows(len(rows), stride, len(dst), len(x))
	score(dst, dense.ByDistance, rows, stride, x)
}

// SquaredDistanceRowsAt is DotRowsAt with [SquaredDistance] in place of Dot.
func SquaredDistanceRowsAt[T Byte, I ~int32 | ~uint32](dst []int64, rows []T, stride int, idx []I,
	x []T) {
	scoreAt(dst, dense.ByDistance, rows, stride, idx, x)
}

func scoreAt[T Byte, I ~int32 | ~uint32](dst []int64, by dense.Metric, rows []T, stride int,
	idx []I, x []T) {
	misuse.CheckEqual("len(dst)", len(dst), "len(idx)", len(idx))
	picks := asm.CheckRowsAt(len(rows), stride, idx, len(x))
	for i := range dst {
		dst[i] = scorePick(by, rows, stride, picks, i, x)
	}
}

const farBytes = 4 << 20

func scorePick[T Byte](by dense.Metric, rows []T, stride int, idx []uint32, i int, x []T) int64 {
	if len(rows) >= farBytes && i+2 < len(idx) {
		asm.Prefetch(rows[int(idx[i+2])*stride:][:len(x)])
	}
	return scoreOne(by, rows[int(idx[i])*stride:][:len(x)], x)
}

type element interface{ Byte | uint64 }

const byHamming dense.Metric = 255

func checkMetric(by dense.Metric) {
	if by != dense.ByDot && by != dense.ByDistance {
		panic(misuse.Of("the metric is %d, neither ByDot nor ByDistance", by))
	}
}

func score[T element](dst []int64, by dense.Metric, rows []T, stride int, x []T) {
	if len(x) > asm.Block || by == byHamming && unsafe.Sizeof(*new(T)) == 1 {
		for i := range dst {
			dst[i] = scoreOne(by, rows[i*stride:][:len(x)], x)
		}
		return
	}
	atOnce := asm.RowsAtOnce(len(x))
	for first := 0; first < len(dst); first += atOnce {
		some := dst[first:min(first+atOnce, len(dst))]
		switch here := rows[first*stride:]; by {
		case dense.ByDot:
			asm.DotRowsBytes(some, unsigned(here), stride, unsigned(x), ^T(0) < 1)
		case dense.ByDistance:
			asm.SquaredDistanceRowsBytes(some, unsigned(here), stride, unsigned(x), ^T(0) < 1)
		case byHamming:
			asm.HammingRows(some, words(here), stride, words(x))
		}
	}
}

// unsigned requires bytes, and words requires uint64s. The memory is shared.
func unsigned[T element](x []T) []uint8 { return *(*[]uint8)(unsafe.Pointer(&x)) }
func words[T element](x []T) []uint64   { return *(*[]uint64)(unsafe.Pointer(&x)) }

func scoreOne[T element](by dense.Metric, row, x []T) int64 {
	switch by {
	case dense.ByDot:
		return asm.DotBytes(unsigned(row), unsigned(x), ^T(0) < 1)
	case dense.ByDistance:
		return asm.SquaredDistanceBytes(unsigned(row), unsigned(x), ^T(0) < 1)
	}
	if unsafe.Sizeof(*new(T)) == 1 {
		return asm.HammingBytes(unsigned(row), unsigned(x))
	}
	var sum [1]int64
	asm.HammingRows(sum[:], words(row), 0, words(x))
	return sum[0]
}

// Hit is a row found by a search, and its score: [Dot], [SquaredDistance] or [Hamming] of the row
// and the query.
type Hit struct {
	Row   int
	Score int64
}

// Top finds the rows nearest to x like [dense.Top], by dense.ByDot or dense.ByDistance. It panics
// for other metrics. If vectors are normalized before they are quantized with the same step, the
// dot product ranks by cosine, except for rounding.
func Top[T Byte](dst []Hit, by dense.Metric, rows []T, stride int, x []T) []Hit {
	checkMetric(by)
	count := nearest.Count(len(rows), stride, len(x))
	return finish(rank(dst[:0:min(len(dst), count)], by, rows, stride, x, 0, count), by, 0)
}

// TopAt is [Top] for rows picked by index, like [dense.TopAt].
func TopAt[T Byte, I ~int32 | ~uint32](dst []Hit, by dense.Metric, rows []T, stride int, idx []I,
	x []T) []Hit {
	checkMetric(by)
	picks := asm.CheckRowsAt(len(rows), stride, idx, len(x))
	dst = dst[:0:min(len(dst), len(idx))]
	for i, j := range picks {
		one := [1]int64{scorePick(by, rows, stride, picks, i, x)}
		negateDistances(one[:], by)
		dst = offer(dst, one[:], int(j))
	}
	return finish(dst, by, 0)
}

// TopMany is [Top] for many queries, like [dense.TopMany].
func TopMany[T Byte](dst [][]Hit, by dense.Metric, rows []T, stride int, queries [][]T,
	threads int) {
	checkMetric(by)
	nearest.CheckQueries(len(dst), queries)
	if len(queries) == 0 {
		return
	}
	n := len(queries[0])
	count := nearest.Count(len(rows), stride, n)
	for q := range dst {
		dst[q] = dst[q][:0:min(len(dst[q]), count)]
	}
	chunk := max(chunkBytes/n&^3, 4)
	runs := (count + chunk - 1) / chunk
	if threads = min(parallel.Threads(threads), runs); threads <= 1 {
		for run := range runs {
			rankAll(dst, by, rows, stride, queries, run*chunk, min((run+1)*chunk, count))
		}
	} else {
		rankThreads(dst, by, rows, stride, queries, threads, chunk, count)
	}
	for q, x := range queries {
		var xx int64
		if by == dense.ByDistance && len(queries) >= queriesAtOnce {
			xx = Dot(x, x)
		}
		dst[q] = finish(dst[q], by, xx)
	}
}

const (
	// TopMany ranks chunks of about chunkBytes for all queries, one after the other, so that a
	// chunk stays in the second-level cache.
	chunkBytes = 1 << 18
	// rankAll divides a chunk into strips of about stripBytes, with 4 to stripRows rows, so that a
	// strip stays in the first-level cache with room for prefetched rows.
	stripBytes, stripRows = 24 << 10, 128
)

const queriesAtOnce = 4

// rankAll offers the rows from start to end-1 to each query's heap of hits. For queriesAtOnce
// queries or more, it computes squared distances from dot products, as xx + yy - 2xy: the score of
// a hit is 2xy - yy, which TopMany subtracts from xx.
func rankAll[T Byte](dst [][]Hit, by dense.Metric, rows []T, stride int, queries [][]T,
	start, end int) {
	if len(queries) < queriesAtOnce {
		for q, x := range queries {
			dst[q] = rank(dst[q], by, rows, stride, x, start, end)
		}
		return
	}
	var scores [queriesAtOnce * stripRows]int64
	var squares [stripRows]int64
	var padded [queriesAtOnce][]T
	n := len(queries[0])
	size := min(max(stripBytes/n&^3, 4), stripRows)
	for ; start < end; start += size {
		count, here := min(size, end-start), rows[start*stride:]
		strip := len(here) // length of size rows, or of the rows that are left
		if asm.Fit(size, stride, strip) {
			strip = size * stride
		}
		if by == dense.ByDistance {
			squareSums(squares[:count], here, stride, n)
		}
		for q := 0; q < len(queries); q += queriesAtOnce {
			group := queries[q:min(q+queriesAtOnce, len(queries))]
			own := len(group)
			if own == 3 { // compute a tile, with one query twice
				padded = [queriesAtOnce][]T{group[0], group[1], group[2], group[2]}
				group = padded[:]
			}
			all := scores[:count*len(group)]
			next := prefetchable(here, strip, q, len(queries))
			asm.DotTileBytes(all, unsigned(here), stride, *(*[][]uint8)(unsafe.Pointer(&group)),
				unsigned(next), ^T(0) < 1)
			for k := range own {
				some := all[k*count:][:count]
				if by == dense.ByDistance {
					for i, xy := range some {
						some[i] = 2*xy - squares[i]
					}
				}
				dst[q+k] = offer(dst[q+k], some, start)
			}
		}
	}
}

// prefetchable returns rows to prefetch while a strip is multiplied by the queries from number q
// on. The slice rows begins with the strip, which has size elements.
func prefetchable[T Byte](rows []T, size, q, queries int) []T {
	next := rows[size:]
	switch {
	case queries < 2*queriesAtOnce-1:
		return next
	case q >= 2*queriesAtOnce:
		return nil
	}
	half := size / 2
	next = next[min(q/queriesAtOnce*half, len(next)):]
	return next[:min(half, len(next))]
}

// squareSums sums the rows' squares: for short rows as squared distances from zeros, in one call.
func squareSums[T Byte](dst []int64, rows []T, stride, n int) {
	if n <= len(zeros) {
		asm.SquaredDistanceRowsBytes(dst, unsigned(rows), stride, zeros[:n], ^T(0) < 1)
		return
	}
	for i := range dst {
		row := rows[i*stride:][:n]
		dst[i] = Dot(row, row)
	}
}

var zeros [1024]uint8

func rank[T element](hits []Hit, by dense.Metric, rows []T, stride int, x []T,
	start, end int) []Hit {
	var scores [128]int64
	for ; start < end; start += len(scores) {
		some := scores[:min(end-start, len(scores))]
		score(some, by, rows[start*stride:], stride, x)
		negateDistances(some, by)
		hits = offer(hits, some, start)
	}
	return hits
}

func negateDistances(scores []int64, by dense.Metric) {
	if by != dense.ByDot {
		for i, d := range scores {
			scores[i] = -d
		}
	}
}

// offer adds the rows first, first+1, ... to the heap hits if they are among the best. A greater
// score is better.
func offer(hits []Hit, scores []int64, first int) []Hit {
	least := int64(math.MinInt64)
	if len(hits) == cap(hits) {
		if len(hits) == 0 {
			return hits
		}
		least = hits[0].Score
	}
	for i, score := range scores {
		if score < least {
			continue
		}
		h := Hit{first + i, score}
		if len(hits) == cap(hits) && !before(h, hits[0]) {
			continue
		}
		hits = nearest.Add(hits, h, before)
		if len(hits) == cap(hits) {
			least = hits[0].Score
		}
	}
	return hits
}

// rankThreads is a separate function because its closure moves captured variables to the heap.
func rankThreads[T Byte](dst [][]Hit, by dense.Metric, rows []T, stride int, queries [][]T,
	threads, chunk, count int) {
	nearest.Merge(dst, threads, (count+chunk-1)/chunk,
		func(_ int, a, b Hit) bool { return before(a, b) },
		func(hits [][]Hit, run int) {
			rankAll(hits, by, rows, stride, queries, run*chunk, min((run+1)*chunk, count))
		})
}

func before(a, b Hit) bool {
	return a.Score > b.Score || a.Score == b.Score && a.Row < b.Row
}

// finish sorts a heap of hits, best first. For a metric other than ByDot, it subtracts the scores
// from offset, which gives distances.
func finish(hits []Hit, by dense.Metric, offset int64) []Hit {
	nearest.Sort(hits, before)
	if by != dense.ByDot {
		for i := range hits {
			hits[i].Score = offset - hits[i].Score
		}
	}
	return hits
}
