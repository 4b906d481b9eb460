package asm

import (
	"unsafe"

	"github.com/pegasimd/pegasimd/internal/base/misuse"
)

// DotTile computes
//
//	for j, x := range queries {
//		for i := range count {
//			dst[j*step+i] = Dot(rows[i*stride:][:len(x)], x)
//		}
//	}
//
// and prefetches next. The rows should fit into the first-level cache. DotTile does nothing without
// rows or queries. It panics if the queries differ in length, step or stride is negative, or dst or
// rows is too short. count must not be negative.
func DotTile(dst []float32, step int, rows []float32, stride, count int, queries [][]float32,
	next []byte) {
	sumTile(false, dst, step, rows, stride, count, queries, next)
}

// SquaredDistanceTile is DotTile with SquaredDistance in place of Dot.
func SquaredDistanceTile(dst []float32, step int, rows []float32, stride, count int,
	queries [][]float32, next []byte) {
	sumTile(true, dst, step, rows, stride, count, queries, next)
}

// sumTile's kernels handle a multiple of four rows of 64 to Block elements and an even number of
// queries. If the number of queries is odd, the last query is passed to a kernel twice, with step
// 0, so that both results are stored in the same place.
func sumTile(distance bool, dst []float32, step int, rows []float32, stride, count int,
	queries [][]float32, next []byte) {
	if len(queries) == 0 || count == 0 {
		return
	}
	n := len(queries[0])
	for _, x := range queries[1:] {
		misuse.CheckEqual("len(queries[0])", n, "length of another query", len(x))
	}
	CheckRows(len(rows), stride, count, n)
	CheckRows(len(dst), step, len(queries), count)
	// One call into assembly computes at most 4*Block terms, unless two queries need more.
	most := max(4*Block/max(count*n, 1)&^1, 2)
	for ; len(queries) > most; queries = queries[most:] {
		sumTile(distance, dst, step, rows, stride, count, queries[:most], next)
		dst, next = dst[most*step:], nil
	}
	fours := count &^ 3
	if n < lanes || n > Block {
		fours = 0
	}
	if fours > 0 {
		if race {
			raceReads(queries...)
			raceReadRows(rows, stride, nil, fours, n)
			raceWriteRows(dst, step, len(queries), fours)
		}
		even := len(queries) &^ 1
		if even > 0 {
			start, pace := startPrefetch(rows, next, fours*even*(n/lanes))
			tiles(distance, dst, step, rows, stride, fours, queries[:even], start, pace)
		}
		if even < len(queries) {
			twice := [2][]float32{queries[even], queries[even]}
			start, pace := startPrefetch(rows, nil, 0)
			tiles(distance, dst[even*step:], 0, rows, stride, fours, twice[:], start, pace)
		}
	}
	if fours == count {
		return
	}
	for j, x := range queries {
		to, rest := dst[j*step:][fours:count], rows[fours*stride:]
		if distance {
			SquaredDistanceRows(to, rest, stride, x)
		} else {
			DotRows(to, rest, stride, x)
		}
	}
}

func tiles(distance bool, dst []float32, step int, rows []float32, stride, count int,
	queries [][]float32, next *byte, pace int) {
	n := len(queries[0])
	if distance {
		squaredDistanceTileActive(dst, step, rows, stride, count, queries, n, next, pace)
	} else {
		dotTileActive(dst, step, rows, stride, count, queries, n, next, pace)
	}
}

// startPrefetch returns the address from which a kernel prefetches, and the pace: the number of
// bytes, at most 32, to prefetch for every 64 terms. The kernel adds 64*terms terms. Bytes of next
// that the kernel does not reach are prefetched at once.
func startPrefetch(rows []float32, next []byte, terms int) (start *byte, pace int) {
	if len(next) == 0 {
		return (*byte)(unsafe.Pointer(&rows[0])), 0
	}
	if len(next) > 32*terms {
		Prefetch(next[32*terms:])
	}
	return &next[0], min(len(next)/terms+1, 32)
}

func dotTileGeneric(dst []float32, step int, rows []float32, stride, count int,
	queries [][]float32, _ int, _ *byte, _ int) {
	for j, x := range queries {
		dotRowsGeneric(dst[j*step:][:count], rows, stride, nil, x)
	}
}

func squaredDistanceTileGeneric(dst []float32, step int, rows []float32, stride, count int,
	queries [][]float32, _ int, _ *byte, _ int) {
	for j, x := range queries {
		squaredDistanceEachRowGeneric(dst[j*step:][:count], rows, stride, x)
	}
}
