package dense

import (
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/base/misuse"
	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
	"github.com/pegasimd/pegasimd/internal/vectors/nearest"
)

// Metric selects the score by which the functions whose names begin with Top rank rows.
type Metric uint8

const (
	ByDot      Metric = iota // dot product, greatest first
	ByCosine                 // cosine of the angle between row and query, greatest first
	ByDistance               // squared Euclidean distance, least first
	ByL1                     // L1 distance, least first; for float32 rows only
)

// Hit is a row found by a search, and its score by the [Metric]: [Dot], [Cosine], [SquaredDistance]
// or [L1Distance] of the row and the query.
type Hit struct {
	Row   int
	Score float32
}

// Top finds the rows nearest to x, best first. Row i begins at rows[i*stride] and has len(x)
// elements; the slice rows determines their number. The gap after the last row may be missing or
// shorter than the others.
//
// It finds len(dst) rows, or all if there are fewer, writes them to dst, and returns the part of
// dst that it has written. Rows with equal scores are in ascending order, and NaN comes last.
//
// Overflow and underflow do not affect the order. A row is ranked by its score in float64 ([Dot64],
// [Cosine64], [SquaredDistance64] or the L1 distance) if its float32 score is infinite or NaN, or
// so close to 0 that underflow may have changed it by more than rounding does. So such rows may be
// in another order than their float32 scores. docs/spec.md has the exact rule.
//
// by must be one of the four metrics. Top panics if x is empty, stride is less than len(x), or rows
// ends inside a row.
func Top(dst []Hit, by Metric, rows []float32, stride int, x []float32) []Hit {
	s := strided(rows, stride, len(x))
	return nearest.Top(&s, dst, nearest.Metric(by), x)
}

// TopAt is [Top] for rows picked by index, in any order: it ranks row j for each j in idx, and sets
// Hit.Row to j. Unlike Top, it accepts rows that overlap and an empty x. It panics if a picked row
// is not wholly within rows.
func TopAt[I ~int32 | ~uint32](dst []Hit, by Metric, rows []float32, stride int, idx []I,
	x []float32) []Hit {
	s := nearest.Rows[float32]{Slice: rows, Stride: stride, N: len(x), Count: len(idx),
		Idx: asm.CheckRowsAt(len(rows), stride, idx, len(x))}
	return nearest.Top(&s, dst, nearest.Metric(by), x)
}

// TopSlices is [Top] for rows that are separate slices. It panics with the index of the first row
// whose length is not len(x).
func TopSlices(dst []Hit, by Metric, rows [][]float32, x []float32) []Hit {
	nearest.CheckEach(rows, "len(x)", len(x))
	s := nearest.Rows[float32]{Slices: rows, N: len(x), Count: len(rows)}
	return nearest.Top(&s, dst, nearest.Metric(by), x)
}

// TopBytes is [Top] for rows of little-endian floats in a byte slice, as in a file or a database.
// Row i begins at rows[i*stride]; stride is in bytes. If [Float32s] cannot return a view of the
// rows, or stride is not a multiple of four, memory for one row may be allocated.
func TopBytes(dst []Hit, by Metric, rows []byte, stride int, x []float32) []Hit {
	s := nearest.Rows[float32]{Bytes: rows, Stride: stride, N: len(x),
		Count: nearest.Count(len(rows), stride, 4*len(x))}
	if floats, ok := Float32s(rows); ok && stride%4 == 0 {
		s.Slice, s.Stride, s.Bytes = floats, stride/4, nil
	}
	return nearest.Top(&s, dst, nearest.Metric(by), x)
}

// TopByteSlices is [TopBytes] for rows that are separate slices. It panics with the index of the
// first row whose length is not 4*len(x).
func TopByteSlices(dst []Hit, by Metric, rows [][]byte, x []float32) []Hit {
	nearest.CheckEach(rows, "4*len(x)", 4*len(x))
	s := nearest.Rows[float32]{ByteSlices: rows, N: len(x), Count: len(rows)}
	return nearest.Top(&s, dst, nearest.Metric(by), x)
}

// TopMany is [Top] for many queries: it sets dst[q] to the result of Top for queries[q]. The
// queries share the reads of the rows from memory.
//
// threads is the number of goroutines that share the rows, 0 for GOMAXPROCS. It does not change the
// result. It panics if dst and queries differ in length, queries differ in length from each other,
// or Top would panic.
func TopMany(dst [][]Hit, by Metric, rows []float32, stride int, queries [][]float32, threads int) {
	nearest.CheckQueries(len(dst), queries)
	if len(queries) == 0 {
		return
	}
	s := strided(rows, stride, len(queries[0]))
	nearest.TopMany(&s, dst, nearest.Metric(by), queries, parallel.Threads(threads),
		nearest.RowsPerRun)
}

// Top finds the rows of the matrix nearest to x, like the function Top.
func (m *Matrix) Top(dst []Hit, by Metric, x []float32) []Hit {
	misuse.CheckEqual("len(x)", len(x), "Cols", m.Cols())
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
