package half

import (
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/vectors/nearest"
)

// DotRows sets dst[i] to Dot(x, rows[i*stride:][:len(x)]), like [dense.DotRows].
func DotRows[T Float](dst []float32, rows []T, stride int, x []float32) {
	asm.HalfRows(asm.HalfDot, dst, bits(rows), stride, x, isBfloat16[T]())
}

// DotRowsAt is DotRows for rows picked by index, like [dense.DotRowsAt].
func DotRowsAt[T Float, I ~int32 | ~uint32](dst []float32, rows []T, stride int, idx []I,
	x []float32) {
	asm.HalfRowsAt(asm.HalfDot, dst, bits(rows), stride, idx, x, isBfloat16[T]())
}

// SquaredDistanceRows is DotRows with [SquaredDistance] in place of Dot.
func SquaredDistanceRows[T Float](dst []float32, rows []T, stride int, x []float32) {
	asm.HalfRows(asm.HalfSquaredDistance, dst, bits(rows), stride, x, isBfloat16[T]())
}

// SquaredDistanceRowsAt is DotRowsAt with [SquaredDistance] in place of Dot.
func SquaredDistanceRowsAt[T Float, I ~int32 | ~uint32](dst []float32, rows []T, stride int,
	idx []I, x []float32) {
	asm.HalfRowsAt(asm.HalfSquaredDistance, dst, bits(rows), stride, idx, x, isBfloat16[T]())
}

// CosineRows is DotRows with [Cosine] in place of Dot.
func CosineRows[T Float](dst []float32, rows []T, stride int, x []float32) {
	asm.CosineHalfRows(dst, bits(rows), stride, x, isBfloat16[T]())
}

// CosineRowsAt is DotRowsAt with [Cosine] in place of Dot.
func CosineRowsAt[T Float, I ~int32 | ~uint32](dst []float32, rows []T, stride int, idx []I,
	x []float32) {
	asm.CosineHalfRowsAt(dst, bits(rows), stride, idx, x, isBfloat16[T]())
}

// Top finds the rows nearest to x like [dense.Top]. Scores are [Dot], [Cosine] or [SquaredDistance]
// of the query and the row. by must not be dense.ByL1.
func Top[T Float](dst []dense.Hit, by dense.Metric, rows []T, stride int, x []float32) []dense.Hit {
	s := rowsOf(rows, stride, len(x))
	s.Count = nearest.Count(len(rows), stride, len(x))
	return nearest.Top(&s, dst, nearest.Metric(by), x)
}

// TopAt is [Top] for rows picked by index, like [dense.TopAt].
func TopAt[T Float, I ~int32 | ~uint32](dst []dense.Hit, by dense.Metric, rows []T, stride int,
	idx []I, x []float32) []dense.Hit {
	s := rowsOf(rows, stride, len(x))
	s.Idx, s.Count = asm.CheckRowsAt(len(rows), stride, idx, len(x)), len(idx)
	return nearest.Top(&s, dst, nearest.Metric(by), x)
}

// TopMany is [Top] for many queries, like [dense.TopMany].
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
