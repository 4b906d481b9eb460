package half

import (
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/nearest"
	"github.com/pegasimd/pegasimd/internal/parallel"
)

// DotRows multiplies many rows by one vector: row i begins at rows[i*stride] and has as many
// elements as x.
//
//	for i := range dst {
//		dst[i] = Dot(x, rows[i*stride:][:len(x)])
//	}
//
// It panics if rows ends before the last row does or stride is negative. If dst overlaps rows or x,
// its values are undefined.
func DotRows[T Float](dst []float32, rows []T, stride int, x []float32) {
	asm.HalfRows(asm.HalfDot, dst, bits(rows), stride, x, isBfloat16[T]())
}

// Top finds the rows nearest to x as [dense.Top] does: a better score comes first, of equal ones
// the lower row. Scores are [Dot], [Cosine] or [SquaredDistance] of the query and the row.
func Top[T Float](dst []dense.Hit, by dense.Metric, rows []T, stride int, x []float32) []dense.Hit {
	s := rowsOf(rows, stride, len(x))
	s.Count = nearest.Count(len(rows), stride, len(x))
	return nearest.Top(&s, dst, nearest.Metric(by), x)
}

// TopAt is [Top] among rows picked by index, as [dense.TopAt] is.
func TopAt[T Float](dst []dense.Hit, by dense.Metric, rows []T, stride int, idx []int32,
	x []float32) []dense.Hit {
	asm.CheckRowsAt(len(rows), stride, idx, len(x))
	s := rowsOf(rows, stride, len(x))
	s.Idx, s.Count = idx, len(idx)
	return nearest.Top(&s, dst, nearest.Metric(by), x)
}

// TopMany is [Top] for many queries at once, as [dense.TopMany] is: each row is read from memory
// once for all of them. The rows are divided among as many goroutines as threads says, or
// GOMAXPROCS if it is 0, which changes nothing in the result. It panics if dst and queries differ
// in length or the queries among themselves, and where Top does.
func TopMany[T Float](dst [][]dense.Hit, by dense.Metric, rows []T, stride int,
	queries [][]float32, threads int) {
	nearest.CheckQueries(len(dst), queries)
	if len(queries) == 0 {
		return
	}
	n := len(queries[0])
	s := rowsOf(rows, stride, n)
	s.Count = nearest.Count(len(rows), stride, n)
	nearest.TopMany(&s, dst, nearest.Metric(by), queries, parallel.Threads(threads),
		nearest.RowsPerRun)
}

func rowsOf[T Float](rows []T, stride, n int) nearest.Rows[uint16] {
	return nearest.Rows[uint16]{Slice: bits(rows), Bfloat16: isBfloat16[T](), Stride: stride, N: n}
}
