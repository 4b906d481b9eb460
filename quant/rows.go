package quant

import (
	"unsafe"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/misuse"
	"github.com/pegasimd/pegasimd/internal/nearest"
	"github.com/pegasimd/pegasimd/internal/parallel"
)

// DotRows multiplies many rows by one vector: row i begins at rows[i*stride] and has as many
// elements as x.
//
//	for i := range dst {
//		dst[i] = Dot(rows[i*stride:][:len(x)], x)
//	}
//
// It panics if rows ends before the last row does or stride is negative.
func DotRows[T Byte](dst []int64, rows []T, stride int, x []T) {
	asm.CheckRows(len(rows), stride, len(dst), len(x))
	score(dst, dense.ByDot, rows, stride, x)
}

// An element is that of a row: a byte, or a word of bits.
type element interface{ Byte | uint64 }

// byHamming is the distance of words of bits, and of nothing else.
const byHamming dense.Metric = 255

func checkMetric(by dense.Metric) {
	if by != dense.ByDot && by != dense.ByDistance {
		panic(misuse.Of("the metric is %d, neither ByDot nor ByDistance", by))
	}
}

// score sets dst to what each row scores.
func score[T element](dst []int64, by dense.Metric, rows []T, stride int, x []T) {
	if len(x) > asm.Block {
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

// unsigned and words are the same slice, of bytes or of words.
func unsigned[T element](x []T) []uint8 { return *(*[]uint8)(unsafe.Pointer(&x)) }
func words[T element](x []T) []uint64   { return *(*[]uint64)(unsafe.Pointer(&x)) }

func scoreOne[T element](by dense.Metric, row, x []T) int64 {
	switch by {
	case dense.ByDot:
		return asm.DotBytes(unsigned(row), unsigned(x), ^T(0) < 1)
	case dense.ByDistance:
		return asm.SquaredDistanceBytes(unsigned(row), unsigned(x), ^T(0) < 1)
	}
	return Hamming(words(row), words(x))
}

// A Hit is a row that was found, and its score: [Dot] or [SquaredDistance] of row and query.
type Hit struct {
	Row   int
	Score int64
}

// Top finds the rows nearest to x as [dense.Top] does, by dense.ByDot or dense.ByDistance: a better
// score comes first, of equal ones the lower row. It panics for dense.ByCosine: the dot product of
// vectors that were normalised before they were quantised ranks by cosine, but for the rounding.
func Top[T Byte](dst []Hit, by dense.Metric, rows []T, stride int, x []T) []Hit {
	checkMetric(by)
	count := nearest.Count(len(rows), stride, len(x))
	return finish(rank(dst[:0:min(len(dst), count)], by, rows, stride, x, 0, count), by)
}

// TopAt is [Top] among rows picked by index, as [dense.TopAt] is.
func TopAt[T Byte](dst []Hit, by dense.Metric, rows []T, stride int, idx []int32, x []T) []Hit {
	checkMetric(by)
	asm.CheckRowsAt(len(rows), stride, idx, len(x))
	dst = dst[:0:min(len(dst), len(idx))]
	for k, j := range idx {
		score := scoreOne(by, rows[int(j)*stride:][:len(x)], x)
		if h := hit(by, int(j), score); good(h, dst) {
			dst = nearest.Add(dst, h, before)
		}
		if k+2 < len(idx) {
			asm.Prefetch(rows[int(idx[k+2])*stride:][:len(x)])
		}
	}
	return finish(dst, by)
}

// TopMany is [Top] for many queries at once, as [dense.TopMany] is: dst[q] becomes what Top returns
// for queries[q], and each row is read from memory once for all of them. The rows are divided among
// as many goroutines as threads says, or GOMAXPROCS if it is 0, which changes nothing in the
// result. With one thread nothing is allocated. It panics if dst and queries differ in length or
// the queries among themselves, and where Top does.
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
	block := max(blockBytes/n, 4)
	runs := (count + block - 1) / block
	if threads = min(parallel.Threads(threads), runs); threads <= 1 {
		for run := range runs {
			rankAll(dst, by, rows, stride, queries, run*block, min((run+1)*block, count))
		}
	} else {
		rankThreads(dst, by, rows, stride, queries, threads, block, count)
	}
	for q := range dst {
		dst[q] = finish(dst[q], by)
	}
}

// blockBytes is how much of the rows meets all queries before the next: 256 KB stay in the second
// cache.
const blockBytes = 1 << 18

// rankAll offers the rows from first to end-1 to the hits of each query.
func rankAll[T Byte](dst [][]Hit, by dense.Metric, rows []T, stride int, queries [][]T,
	first, end int) {
	for q, x := range queries {
		dst[q] = rank(dst[q], by, rows, stride, x, first, end)
	}
}

// rank offers them to the hits of one.
func rank[T element](hits []Hit, by dense.Metric, rows []T, stride int, x []T,
	first, end int) []Hit {
	var scores [128]int64
	for ; first < end; first += len(scores) {
		some := scores[:min(end-first, len(scores))]
		score(some, by, rows[first*stride:], stride, x)
		for i, score := range some {
			if h := hit(by, first+i, score); good(h, hits) {
				hits = nearest.Add(hits, h, before)
			}
		}
	}
	return hits
}

// rankThreads is rankAll of all rows by several goroutines. It is a function of its own since what
// its closure sees goes to the heap.
func rankThreads[T Byte](dst [][]Hit, by dense.Metric, rows []T, stride int, queries [][]T,
	threads, block, count int) {
	nearest.Merge(dst, threads, (count+block-1)/block,
		func(_ int, a, b Hit) bool { return before(a, b) },
		func(hits [][]Hit, run int) {
			rankAll(hits, by, rows, stride, queries, run*block, min((run+1)*block, count))
		})
}

// hit is a row whose score is the greater, the better it is.
func hit(by dense.Metric, row int, score int64) Hit {
	if by != dense.ByDot {
		score = -score
	}
	return Hit{row, score}
}

// good tells whether a hit is among the best so far. It is small enough to be inlined, as few are.
func good(h Hit, hits []Hit) bool {
	return len(hits) < cap(hits) || len(hits) > 0 && before(h, hits[0])
}

func before(a, b Hit) bool {
	return a.Score > b.Score || a.Score == b.Score && a.Row < b.Row
}

// finish makes of a heap what is returned.
func finish(hits []Hit, by dense.Metric) []Hit {
	nearest.Sort(hits, before)
	if by != dense.ByDot {
		for i := range hits {
			hits[i].Score = -hits[i].Score
		}
	}
	return hits
}
