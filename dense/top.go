package dense

import (
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/matrices"
	"github.com/pegasimd/pegasimd/internal/misuse"
	"github.com/pegasimd/pegasimd/internal/nearest"
	"github.com/pegasimd/pegasimd/internal/parallel"
)

// A Metric says by which score the functions whose names begin with Top rank rows.
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
// holds; the gap behind the last one may be missing or shorter than the others.
//
// It finds as many rows as dst is long, or all if there are fewer, writes them to dst, and returns
// the part of dst that it has written. A better score comes first, of equal ones the lower row, and
// NaN comes last, the lower row first: the order is total, so that the result is the same on every
// machine, and that of sorting all rows.
//
// The order is right at every scale, and so may be finer than the scores: a row whose score is
// infinite or NaN, or so near 0 that underflow may have changed it by more than a rounding, is ranked
// by what [Dot64], [SquaredDistance64] or [Cosine64] returns. docs/spec.md has the exact rule.
//
// Top allocates nothing. It panics if x is empty, stride is less than its length, or rows ends
// inside a row.
func Top(dst []Hit, by Metric, rows []float32, stride int, x []float32) []Hit {
	s := strided(rows, stride, len(x))
	return nearest.Top(&s, dst, nearest.Metric(by), x)
}

// TopAt is [Top] among rows picked by index, in any order; Hit.Row is the element of idx. Rows may
// overlap, and rows that are not picked do not matter. It panics if a picked row is not wholly
// within rows.
func TopAt(dst []Hit, by Metric, rows []float32, stride int, idx []int32, x []float32) []Hit {
	asm.CheckRowsAt(len(rows), stride, idx, len(x))
	s := nearest.Rows[float32]{Slice: rows, Stride: stride, Idx: idx, N: len(x), Count: len(idx)}
	return nearest.Top(&s, dst, nearest.Metric(by), x)
}

// TopSlices is [Top] among rows that are slices of their own. It panics with the index of the first
// row whose length is not that of x.
func TopSlices(dst []Hit, by Metric, rows [][]float32, x []float32) []Hit {
	nearest.CheckEach(rows, "len(x)", len(x))
	s := nearest.Rows[float32]{Each: rows, N: len(x), Count: len(rows)}
	return nearest.Top(&s, dst, nearest.Metric(by), x)
}

// TopBytes is [Top] among rows of floats that stand little-endian in bytes, as in a file or a
// database: row i begins at rows[i*stride], and stride is in bytes. Where [Float32s] can't look at
// them, memory for one row is allocated.
func TopBytes(dst []Hit, by Metric, rows []byte, stride int, x []float32) []Hit {
	s := nearest.Rows[float32]{Bytes: rows, Stride: stride, N: len(x),
		Count: nearest.Count(len(rows), stride, 4*len(x))}
	if floats, ok := Float32s(rows); ok && stride%4 == 0 {
		s.Slice, s.Stride, s.Bytes = floats, stride/4, nil
	}
	return nearest.Top(&s, dst, nearest.Metric(by), x)
}

// TopByteSlices is [TopBytes] among rows that are slices of their own. It panics with the index of
// the first row that has not four bytes for each element of x.
func TopByteSlices(dst []Hit, by Metric, rows [][]byte, x []float32) []Hit {
	nearest.CheckEach(rows, "4*len(x)", 4*len(x))
	s := nearest.Rows[float32]{Blobs: rows, N: len(x), Count: len(rows)}
	return nearest.Top(&s, dst, nearest.Metric(by), x)
}

// TopMany is [Top] for many queries at once: dst[q] becomes what Top returns for queries[q], to the
// bit. Each row is read from memory once for all of them, which makes it several times as fast as
// one query after the other, where the rows are too many for the caches.
//
// The rows are divided among as many goroutines as threads says, or GOMAXPROCS if it is 0, which
// changes nothing in the result. With one thread nothing is allocated. It panics if dst and queries
// differ in length or the queries among themselves, and where Top does.
func TopMany(dst [][]Hit, by Metric, rows []float32, stride int, queries [][]float32, threads int) {
	nearest.CheckQueries(len(dst), queries)
	if len(queries) == 0 {
		return
	}
	s := strided(rows, stride, len(queries[0]))
	nearest.TopMany(&s, dst, nearest.Metric(by), queries, parallel.Threads(threads),
		nearest.RowsARun)
}

// Top is the function Top among the rows of the matrix.
func (m *Matrix) Top(dst []Hit, by Metric, x []float32) []Hit {
	if len(x) != m.Cols() {
		panic(misuse.Lengths("len(x)", len(x), "Cols", m.Cols()))
	}
	s := nearest.Rows[float32]{N: len(x), Count: m.Rows()}
	if m.unchecked() {
		s.Matrix = (*matrices.Dense)(m)
	} else {
		s.Slice, s.Stride = (*matrices.Dense)(m).Padded()
	}
	return nearest.Top(&s, dst, nearest.Metric(by), x)
}

func strided(rows []float32, stride, n int) nearest.Rows[float32] {
	return nearest.Rows[float32]{Slice: rows, Stride: stride, N: n,
		Count: nearest.Count(len(rows), stride, n)}
}
