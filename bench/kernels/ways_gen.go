// Code generated from ways/ways.txt by go generate. DO NOT EDIT.

package main

import "github.com/pegasimd/pegasimd/dense"
import "github.com/pegasimd/pegasimd/half"
import "github.com/pegasimd/pegasimd/internal/sys/bandwidth"
import "github.com/pegasimd/pegasimd/quant"
import "github.com/pegasimd/pegasimd/sparse"
import "github.com/tphakala/simd/f32"
import "github.com/viterin/vek/vek32"
import "gonum.org/v1/gonum/blas"
import "math"

func init() {
	addWay("Dot", way{name: "Pegasimd", inC: false, loop: func(n int) {
		for range n {
			sink = dense.Dot(x, y)
		}
	}})
	addWay("Dot", way{name: "gonum", inC: false, loop: func(n int) {
		for range n {
			sink = blasGo.Sdot(len(x), x, 1, y, 1)
		}
	}})
	addWay("Dot", way{name: "vek32", inC: false, loop: func(n int) {
		for range n {
			sink = vek32.Dot(x, y)
		}
	}})
	addWay("Dot", way{name: "tphakala", inC: false, loop: func(n int) {
		for range n {
			sink = f32.DotProduct(x, y)
		}
	}})
	addWay("Dot", way{name: "Go loop", inC: false, loop: func(n int) {
		for range n {
			sink = loopDot(x, y)
		}
	}})
	addWay("Axpy", way{name: "Pegasimd", inC: false, loop: func(n int) {
		for range n {
			dense.Axpy(alpha, x, y)
		}
	}})
	addWay("Axpy", way{name: "gonum", inC: false, loop: func(n int) {
		for range n {
			blasGo.Saxpy(len(x), alpha, x, 1, y, 1)
		}
	}})
	addWay("Axpy", way{name: "tphakala", inC: false, loop: func(n int) {
		for range n {
			f32.AddScaled(y, alpha, x)
		}
	}})
	addWay("Axpy", way{name: "Go loop", inC: false, loop: func(n int) {
		for range n {
			loopAxpy(alpha, x, y)
		}
	}})
	addWay("Scale", way{name: "Pegasimd", inC: false, loop: func(n int) {
		for range n {
			dense.Scale(alpha, y)
		}
	}})
	addWay("Scale", way{name: "gonum", inC: false, loop: func(n int) {
		for range n {
			blasGo.Sscal(len(y), alpha, y, 1)
		}
	}})
	addWay("Scale", way{name: "vek32", inC: false, loop: func(n int) {
		for range n {
			vek32.MulNumber_Inplace(y, alpha)
		}
	}})
	addWay("Scale", way{name: "tphakala", inC: false, loop: func(n int) {
		for range n {
			f32.Scale(y, y, alpha)
		}
	}})
	addWay("Scale", way{name: "Go loop", inC: false, loop: func(n int) {
		for range n {
			loopScale(alpha, y)
		}
	}})
	addWay("Sum", way{name: "Pegasimd", inC: false, loop: func(n int) {
		for range n {
			sink = dense.Sum(x)
		}
	}})
	addWay("Sum", way{name: "vek32", inC: false, loop: func(n int) {
		for range n {
			sink = vek32.Sum(x)
		}
	}})
	addWay("Sum", way{name: "tphakala", inC: false, loop: func(n int) {
		for range n {
			sink = f32.Sum(x)
		}
	}})
	addWay("Sum", way{name: "Go loop", inC: false, loop: func(n int) {
		for range n {
			sink = loopSum(x)
		}
	}})
	addWay("SumSquares", way{name: "Pegasimd", inC: false, loop: func(n int) {
		for range n {
			sink = dense.SumSquares(x)
		}
	}})
	addWay("SumSquares", way{name: "vek32 Dot", inC: false, loop: func(n int) {
		for range n {
			sink = vek32.Dot(x, x)
		}
	}})
	addWay("SumSquares", way{name: "tphakala", inC: false, loop: func(n int) {
		for range n {
			sink = f32.SumOfSquares(x)
		}
	}})
	addWay("SumSquares", way{name: "Go loop", inC: false, loop: func(n int) {
		for range n {
			sink = loopDot(x, x)
		}
	}})
	addWay("Norm", way{name: "Pegasimd", inC: false, loop: func(n int) {
		for range n {
			sink = dense.Norm(x)
		}
	}})
	addWay("Norm", way{name: "gonum", inC: false, loop: func(n int) {
		for range n {
			sink = blasGo.Snrm2(len(x), x, 1)
		}
	}})
	addWay("Norm", way{name: "vek32", inC: false, loop: func(n int) {
		for range n {
			sink = vek32.Norm(x)
		}
	}})
	addWay("Norm", way{name: "tphakala, and a root", inC: false, loop: func(n int) {
		for range n {
			sink = root(f32.SumOfSquares(x))
		}
	}})
	addWay("Norm", way{name: "Go loop", inC: false, loop: func(n int) {
		for range n {
			sink = root(loopDot(x, x))
		}
	}})
	addWay("SquaredDistance", way{name: "Pegasimd", inC: false, loop: func(n int) {
		for range n {
			sink = dense.SquaredDistance(x, y)
		}
	}})
	addWay("SquaredDistance", way{name: "Go loop", inC: false, loop: func(n int) {
		for range n {
			sink = loopDistance(x, y)
		}
	}})
	addWay("Distance", way{name: "Pegasimd", inC: false, loop: func(n int) {
		for range n {
			sink = dense.Distance(x, y)
		}
	}})
	addWay("Distance", way{name: "vek32", inC: false, loop: func(n int) {
		for range n {
			sink = vek32.Distance(x, y)
		}
	}})
	addWay("Distance", way{name: "tphakala", inC: false, loop: func(n int) {
		for range n {
			sink = f32.EuclideanDistance(x, y)
		}
	}})
	addWay("Distance", way{name: "Go loop", inC: false, loop: func(n int) {
		for range n {
			sink = root(loopDistance(x, y))
		}
	}})
	addWay("Cosine", way{name: "Pegasimd", inC: false, loop: func(n int) {
		for range n {
			sink = dense.Cosine(x, y)
		}
	}})
	addWay("Cosine", way{name: "vek32", inC: false, loop: func(n int) {
		for range n {
			sink = vek32.CosineSimilarity(x, y)
		}
	}})
	addWay("Cosine", way{name: "Go loop", inC: false, loop: func(n int) {
		for range n {
			sink = loopCosine(x, y)
		}
	}})
	addWay("Cosine64", way{name: "Pegasimd", inC: false, loop: func(n int) {
		for range n {
			sink = float32(dense.Cosine64(x, y))
		}
	}})
	addWay("Cosine64", way{name: "Pegasimd, three Dot64", inC: false, loop: func(n int) {
		for range n {
			sink = float32(dense.Dot64(x, y) / math.Sqrt(dense.Dot64(x, x)*dense.Dot64(y, y)))
		}
	}})
	addWay("Cosine64", way{name: "Go loop", inC: false, loop: func(n int) {
		for range n {
			sink = float32(loopCosine64(x, y))
		}
	}})
	addWay("Dot of halves", way{name: "Pegasimd, float32", inC: false, loop: func(n int) {
		for range n {
			sink = dense.Dot(x, y)
		}
	}})
	addWay("Dot of halves", way{name: "Pegasimd, float16", inC: false, loop: func(n int) {
		for range n {
			sink = half.Dot(x, float16s)
		}
	}})
	addWay("Dot of halves", way{name: "Pegasimd, bfloat16", inC: false, loop: func(n int) {
		for range n {
			sink = half.Dot(x, bfloat16s)
		}
	}})
	addWay("Dot of halves", way{name: "Go loop, float16", inC: false, loop: func(n int) {
		for range n {
			sink = loopHalf(x, float16s)
		}
	}})
	addWay("uint8 Dot", way{name: "Pegasimd", inC: false, loop: func(n int) {
		for range n {
			sink = float32(quant.Dot(bytesX, bytesY))
		}
	}})
	addWay("uint8 Dot", way{name: "Go loop", inC: false, loop: func(n int) {
		for range n {
			sink = float32(loopBytes(bytesX, bytesY))
		}
	}})
	addWay("int8 Dot", way{name: "Pegasimd", inC: false, loop: func(n int) {
		for range n {
			sink = float32(quant.Dot(int8X, int8Y))
		}
	}})
	addWay("int8 Dot", way{name: "Go loop", inC: false, loop: func(n int) {
		for range n {
			sink = float32(loopBytes(int8X, int8Y))
		}
	}})
	addWay("DotRows", way{name: "Pegasimd", inC: false, loop: func(n int) {
		for range n {
			dense.DotRows(out, rows, len(x), x)
		}
	}})
	addWay("DotRows", way{name: "Pegasimd, a call per row", inC: false, loop: func(n int) {
		for range n {
			for i := range out {
				out[i] = dense.Dot(row(i), x)
			}
		}
	}})
	addWay("DotRows", way{name: "gonum Gemv", inC: false, loop: func(n int) {
		for range n {
			blasGo.Sgemv(blas.NoTrans, len(out), len(x), 1, rows, len(x), x, 1, 0, out, 1)
		}
	}})
	addWay("DotRows", way{name: "vek32, a call per row", inC: false, loop: func(n int) {
		for range n {
			for i := range out {
				out[i] = vek32.Dot(row(i), x)
			}
		}
	}})
	addWay("DotRows", way{name: "tphakala", inC: false, loop: func(n int) {
		for range n {
			f32.DotProductStrided(out, rows, x, len(out), len(x), len(x))
		}
	}})
	addWay("DotRows", way{name: "Go loop", inC: false, loop: func(n int) {
		for range n {
			for i := range out {
				out[i] = loopDot(row(i), x)
			}
		}
	}})
	if bandwidth.Available() {
		addWay("Rows from memory", way{name: "read loop", inC: false, loop: func(n int) {
			for range n {
				bandwidth.Run(bandwidth.Read, rows, nil)
				nextRows()
			}
		}})
	}
	addWay("Rows from memory", way{name: "Pegasimd DotRows", inC: false, loop: func(n int) {
		for range n {
			dense.DotRows(out, rows, len(x), x)
			nextRows()
		}
	}})
	addWay("Rows from memory", way{name: "Pegasimd Dot, a call per row", inC: false, loop: func(n int) {
		for range n {
			for i := range out {
				out[i] = dense.Dot(row(i), x)
			}
			nextRows()
		}
	}})
	addWay("Rows from memory", way{name: "Pegasimd Top by dot product", inC: false, loop: func(n int) {
		for range n {
			dense.Top(hits, dense.ByDot, rows, len(x), x)
			nextRows()
		}
	}})
	addWay("Rows from memory", way{name: "Pegasimd Top by cosine", inC: false, loop: func(n int) {
		for range n {
			dense.Top(hits, dense.ByCosine, rows, len(x), x)
			nextRows()
		}
	}})
	addWay("Rows from memory", way{name: "Pegasimd Top by distance", inC: false, loop: func(n int) {
		for range n {
			dense.Top(hits, dense.ByDistance, rows, len(x), x)
			nextRows()
		}
	}})
	addWay("Rows from memory", way{name: "gonum Gemv", inC: false, loop: func(n int) {
		for range n {
			blasGo.Sgemv(blas.NoTrans, len(out), len(x), 1, rows, len(x), x, 1, 0, out, 1)
			nextRows()
		}
	}})
	addWay("Rows from memory", way{name: "vek32, a call per row", inC: false, loop: func(n int) {
		for range n {
			for i := range out {
				out[i] = vek32.Dot(row(i), x)
			}
			nextRows()
		}
	}})
	addWay("Rows from memory", way{name: "tphakala", inC: false, loop: func(n int) {
		for range n {
			f32.DotProductStrided(out, rows, x, len(out), len(x), len(x))
			nextRows()
		}
	}})
	addWay("Picked rows by dot", way{name: "Pegasimd DotRowsAt", inC: false, loop: func(n int) {
		for range n {
			dense.DotRowsAt(out, large(), len(x), picks, x)
			nextRows()
		}
	}})
	addWay("Picked rows by dot", way{name: "Pegasimd Dot, a call per row", inC: false, loop: func(n int) {
		for range n {
			for k, i := range picks {
				out[k] = dense.Dot(pick(i), x)
			}
			nextRows()
		}
	}})
	addWay("Picked rows by dot", way{name: "vek32, a call per row", inC: false, loop: func(n int) {
		for range n {
			for k, i := range picks {
				out[k] = vek32.Dot(pick(i), x)
			}
			nextRows()
		}
	}})
	addWay("Picked rows by dot", way{name: "tphakala", inC: false, loop: func(n int) {
		for range n {
			f32.DotProductIndexed(out, large(), x, asUint32(picks), len(x))
			nextRows()
		}
	}})
	addWay("Picked rows by distance", way{name: "Pegasimd SquaredDistanceRowsAt", inC: false, loop: func(n int) {
		for range n {
			dense.SquaredDistanceRowsAt(out, large(), len(x), picks, x)
			nextRows()
		}
	}})
	addWay("Picked rows by distance", way{name: "Pegasimd SquaredDistance, a call per row", inC: false, loop: func(n int) {
		for range n {
			for k, i := range picks {
				out[k] = dense.SquaredDistance(pick(i), x)
			}
			nextRows()
		}
	}})
	addWay("Picked rows by cosine", way{name: "Pegasimd CosineRowsAt", inC: false, loop: func(n int) {
		for range n {
			dense.CosineRowsAt(out, large(), len(x), picks, x)
			nextRows()
		}
	}})
	addWay("Picked rows by cosine", way{name: "Pegasimd Cosine, a call per row", inC: false, loop: func(n int) {
		for range n {
			for k, i := range picks {
				out[k] = dense.Cosine(pick(i), x)
			}
			nextRows()
		}
	}})
	addWay("Picked rows by cosine", way{name: "vek32, a call per row", inC: false, loop: func(n int) {
		for range n {
			for k, i := range picks {
				out[k] = vek32.CosineSimilarity(pick(i), x)
			}
			nextRows()
		}
	}})
	addTopMany("vek32, a call per pair", false, 64, func(first, n int) {
		b, rows := &floatBatch, rows[first*batchCols:]
		b.eachPair(rows, n, vek32.Dot)
	})
	addTopMany("tphakala, a call per query", false, 64, func(first, n int) {
		b, rows := &floatBatch, rows[first*batchCols:]
		for q, x := range b.queries {
			f32.DotProductStrided(b.scores[q*n:][:n], rows, x, n, batchCols, batchCols)
		}
	})
	addWay("GemvT", way{name: "Pegasimd", inC: false, loop: func(n int) {
		for range n {
			dense.GemvT(1, rows, len(x), left, 0, out)
		}
	}})
	addWay("GemvT", way{name: "gonum", inC: false, loop: func(n int) {
		for range n {
			blasGo.Sgemv(blas.Trans, len(left), len(x), 1, rows, len(x), left, 1, 0, out, 1)
		}
	}})
	addWay("GemvT", way{name: "Go loop", inC: false, loop: func(n int) {
		for range n {
			clear(out)
			for i, v := range left {
				loopAxpy(v, row(i), out)
			}
		}
	}})
	addWay("Ger", way{name: "Pegasimd", inC: false, loop: func(n int) {
		for range n {
			dense.Ger(alpha, left, x, rows, len(x))
		}
	}})
	addWay("Ger", way{name: "gonum", inC: false, loop: func(n int) {
		for range n {
			blasGo.Sger(len(left), len(x), alpha, left, 1, x, 1, rows, len(x))
		}
	}})
	addWay("Ger", way{name: "Go loop", inC: false, loop: func(n int) {
		for range n {
			for i, v := range left {
				loopAxpy(alpha*v, x, row(i))
			}
		}
	}})
	addWay("Gemm", way{name: "Pegasimd", inC: false, loop: func(n int) {
		for range n {
			a, b := dense.Factor{Data: x, Stride: dim}, dense.Factor{Data: y, Stride: dim}
			dense.Gemm(dim, dim, dim, 1, a, b, 0, out, dim, 1)
		}
	}})
	addWay("Gemm", way{name: "gonum", inC: false, loop: func(n int) {
		for range n {
			blasGo.Sgemm(blas.NoTrans, blas.NoTrans, dim, dim, dim, 1, x, dim, y, dim, 0, out, dim)
		}
	}})
	addWay("Gemm", way{name: "vek32", inC: false, loop: func(n int) {
		for range n {
			vek32.MatMul_Into(out, x, y, dim)
		}
	}})
	addWay("DotSparse", way{name: "Pegasimd", inC: false, loop: func(n int) {
		for range n {
			for i := range text.Rows() {
				sink = text.Dot(i, y)
			}
		}
	}})
	addWay("DotSparse", way{name: "Pegasimd, indices checked at each call", inC: false, loop: func(n int) {
		for range n {
			for i := range text.Rows() {
				idx, val := textRow(i)
				sink = sparse.Dot(idx, val, y)
			}
		}
	}})
	addWay("DotSparse", way{name: "Go loop", inC: false, loop: func(n int) {
		for range n {
			for i := range text.Rows() {
				idx, val := textRow(i)
				sink = loopDotSparse(idx, val, y)
			}
		}
	}})
	addWay("DotSparse", way{name: "Go loop, 4 sums", inC: false, loop: func(n int) {
		for range n {
			for i := range text.Rows() {
				idx, val := textRow(i)
				sink = fourDotSparse(idx, val, y)
			}
		}
	}})
	addWay("AxpySparse", way{name: "Pegasimd", inC: false, loop: func(n int) {
		for range n {
			for i := range text.Rows() {
				text.Axpy(i, alpha, y)
			}
		}
	}})
	addWay("AxpySparse", way{name: "Pegasimd, indices checked at each call", inC: false, loop: func(n int) {
		for range n {
			for i := range text.Rows() {
				idx, val := textRow(i)
				sparse.Axpy(alpha, idx, val, y)
			}
		}
	}})
	addWay("AxpySparse", way{name: "Go loop", inC: false, loop: func(n int) {
		for range n {
			for i := range text.Rows() {
				idx, val := textRow(i)
				loopAxpySparse(alpha, idx, val, y)
			}
		}
	}})
}
