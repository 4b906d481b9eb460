// Code generated from ways/ways.txt by go generate. DO NOT EDIT.

package main

import (
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/half"
	"github.com/pegasimd/pegasimd/quant"
	"github.com/pegasimd/pegasimd/sparse"
	"github.com/tphakala/simd/f32"
	"github.com/viterin/vek/vek32"
	"gonum.org/v1/gonum/blas"
	"math"
)

var ways = map[string][]way{
	"Dot": {
		{name: "Pegasimd", loop: func(n int) {
			for range n {
				sink = dense.Dot(x, y)
			}
		}},
		{name: "gonum", loop: func(n int) {
			for range n {
				sink = blasGo.Sdot(len(x), x, 1, y, 1)
			}
		}},
		{name: "vek32", loop: func(n int) {
			for range n {
				sink = vek32.Dot(x, y)
			}
		}},
		{name: "tphakala", loop: func(n int) {
			for range n {
				sink = f32.DotProduct(x, y)
			}
		}},
		{name: "Go loop", loop: func(n int) {
			for range n {
				sink = loopDot(x, y)
			}
		}},
	},
	"Axpy": {
		{name: "Pegasimd", loop: func(n int) {
			for range n {
				dense.Axpy(alpha, x, y)
			}
		}},
		{name: "gonum", loop: func(n int) {
			for range n {
				blasGo.Saxpy(len(x), alpha, x, 1, y, 1)
			}
		}},
		{name: "tphakala", loop: func(n int) {
			for range n {
				f32.AddScaled(y, alpha, x)
			}
		}},
		{name: "Go loop", loop: func(n int) {
			for range n {
				loopAxpy(alpha, x, y)
			}
		}},
	},
	"Scale": {
		{name: "Pegasimd", loop: func(n int) {
			for range n {
				dense.Scale(alpha, y)
			}
		}},
		{name: "gonum", loop: func(n int) {
			for range n {
				blasGo.Sscal(len(y), alpha, y, 1)
			}
		}},
		{name: "vek32", loop: func(n int) {
			for range n {
				vek32.MulNumber_Inplace(y, alpha)
			}
		}},
		{name: "tphakala", loop: func(n int) {
			for range n {
				f32.Scale(y, y, alpha)
			}
		}},
		{name: "Go loop", loop: func(n int) {
			for range n {
				loopScale(alpha, y)
			}
		}},
	},
	"Sum": {
		{name: "Pegasimd", loop: func(n int) {
			for range n {
				sink = dense.Sum(x)
			}
		}},
		{name: "vek32", loop: func(n int) {
			for range n {
				sink = vek32.Sum(x)
			}
		}},
		{name: "tphakala", loop: func(n int) {
			for range n {
				sink = f32.Sum(x)
			}
		}},
		{name: "Go loop", loop: func(n int) {
			for range n {
				sink = loopSum(x)
			}
		}},
	},
	"SumSquares": {
		{name: "Pegasimd", loop: func(n int) {
			for range n {
				sink = dense.SumSquares(x)
			}
		}},
		{name: "vek32 Dot", loop: func(n int) {
			for range n {
				sink = vek32.Dot(x, x)
			}
		}},
		{name: "tphakala", loop: func(n int) {
			for range n {
				sink = f32.SumOfSquares(x)
			}
		}},
		{name: "Go loop", loop: func(n int) {
			for range n {
				sink = loopDot(x, x)
			}
		}},
	},
	"Norm": {
		{name: "Pegasimd", loop: func(n int) {
			for range n {
				sink = dense.Norm(x)
			}
		}},
		{name: "gonum", loop: func(n int) {
			for range n {
				sink = blasGo.Snrm2(len(x), x, 1)
			}
		}},
		{name: "vek32", loop: func(n int) {
			for range n {
				sink = vek32.Norm(x)
			}
		}},
		{name: "tphakala, and a root", loop: func(n int) {
			for range n {
				sink = root(f32.SumOfSquares(x))
			}
		}},
		{name: "Go loop", loop: func(n int) {
			for range n {
				sink = root(loopDot(x, x))
			}
		}},
	},
	"SquaredDistance": {
		{name: "Pegasimd", loop: func(n int) {
			for range n {
				sink = dense.SquaredDistance(x, y)
			}
		}},
		{name: "Go loop", loop: func(n int) {
			for range n {
				sink = loopDistance(x, y)
			}
		}},
	},
	"Distance": {
		{name: "Pegasimd", loop: func(n int) {
			for range n {
				sink = dense.Distance(x, y)
			}
		}},
		{name: "vek32", loop: func(n int) {
			for range n {
				sink = vek32.Distance(x, y)
			}
		}},
		{name: "tphakala", loop: func(n int) {
			for range n {
				sink = f32.EuclideanDistance(x, y)
			}
		}},
		{name: "Go loop", loop: func(n int) {
			for range n {
				sink = root(loopDistance(x, y))
			}
		}},
	},
	"Cosine": {
		{name: "Pegasimd", loop: func(n int) {
			for range n {
				sink = dense.Cosine(x, y)
			}
		}},
		{name: "vek32", loop: func(n int) {
			for range n {
				sink = vek32.CosineSimilarity(x, y)
			}
		}},
		{name: "Go loop", loop: func(n int) {
			for range n {
				sink = loopCosine(x, y)
			}
		}},
	},
	"Cosine64": {
		{name: "Pegasimd", loop: func(n int) {
			for range n {
				sink = float32(dense.Cosine64(x, y))
			}
		}},
		{name: "Pegasimd, three Dot64", loop: func(n int) {
			for range n {
				sink = float32(dense.Dot64(x, y) / math.Sqrt(dense.Dot64(x, x)*dense.Dot64(y, y)))
			}
		}},
		{name: "Go loop", loop: func(n int) {
			for range n {
				sink = float32(loopCosine64(x, y))
			}
		}},
	},
	"Dot of halves": {
		{name: "Pegasimd, float32", loop: func(n int) {
			for range n {
				sink = dense.Dot(x, y)
			}
		}},
		{name: "Pegasimd, float16", loop: func(n int) {
			for range n {
				sink = half.Dot(x, float16s)
			}
		}},
		{name: "Pegasimd, bfloat16", loop: func(n int) {
			for range n {
				sink = half.Dot(x, bfloat16s)
			}
		}},
		{name: "Go loop, float16", loop: func(n int) {
			for range n {
				sink = loopHalf(x, float16s)
			}
		}},
	},
	"uint8 Dot": {
		{name: "Pegasimd", loop: func(n int) {
			for range n {
				sink = float32(quant.Dot(bytesX, bytesY))
			}
		}},
		{name: "Go loop", loop: func(n int) {
			for range n {
				sink = float32(loopBytes(bytesX, bytesY))
			}
		}},
	},
	"int8 Dot": {
		{name: "Pegasimd", loop: func(n int) {
			for range n {
				sink = float32(quant.Dot(int8X, int8Y))
			}
		}},
		{name: "Go loop", loop: func(n int) {
			for range n {
				sink = float32(loopBytes(int8X, int8Y))
			}
		}},
	},
	"DotRows": {
		{name: "Pegasimd", loop: func(n int) {
			for range n {
				dense.DotRows(out, rows, len(x), x)
			}
		}},
		{name: "Pegasimd, a call per row", loop: func(n int) {
			for range n {
				dotEach()
			}
		}},
		{name: "gonum Gemv", loop: func(n int) {
			for range n {
				gonumGemv()
			}
		}},
		{name: "vek32, a call per row", loop: func(n int) {
			for range n {
				vekEach()
			}
		}},
		{name: "tphakala", loop: func(n int) {
			for range n {
				tphakalaRows()
			}
		}},
		{name: "Go loop", loop: func(n int) {
			for range n {
				for i := range out {
					out[i] = loopDot(row(i), x)
				}
			}
		}},
	},
	"GemvT": {
		{name: "Pegasimd", loop: func(n int) {
			for range n {
				dense.GemvT(1, rows, len(x), left, 0, out)
			}
		}},
		{name: "gonum", loop: func(n int) {
			for range n {
				blasGo.Sgemv(blas.Trans, len(left), len(x), 1, rows, len(x), left, 1, 0, out, 1)
			}
		}},
		{name: "Go loop", loop: func(n int) {
			for range n {
				clear(out)
				for i, v := range left {
					loopAxpy(v, row(i), out)
				}
			}
		}},
	},
	"Ger": {
		{name: "Pegasimd", loop: func(n int) {
			for range n {
				dense.Ger(alpha, left, x, rows, len(x))
			}
		}},
		{name: "gonum", loop: func(n int) {
			for range n {
				blasGo.Sger(len(left), len(x), alpha, left, 1, x, 1, rows, len(x))
			}
		}},
		{name: "Go loop", loop: func(n int) {
			for range n {
				for i, v := range left {
					loopAxpy(alpha*v, x, row(i))
				}
			}
		}},
	},
	"Gemm": {
		{name: "Pegasimd", loop: func(n int) {
			for range n {
				a, b := dense.Factor{Data: x, Stride: dim}, dense.Factor{Data: y, Stride: dim}
				dense.Gemm(dim, dim, dim, 1, a, b, 0, out, dim, 1)
			}
		}},
		{name: "gonum", loop: func(n int) {
			for range n {
				blasGo.Sgemm(blas.NoTrans, blas.NoTrans, dim, dim, dim, 1, x, dim, y, dim, 0, out, dim)
			}
		}},
		{name: "vek32", loop: func(n int) {
			for range n {
				vek32.MatMul_Into(out, x, y, dim)
			}
		}},
	},
	"DotSparse": {
		{name: "Pegasimd", loop: func(n int) {
			for range n {
				for i := range text.Rows() {
					sink = text.Dot(i, y)
				}
			}
		}},
		{name: "Pegasimd, indices checked at each call", loop: func(n int) {
			for range n {
				for i := range text.Rows() {
					idx, val := text.row(i)
					sink = sparse.Dot(idx, val, y)
				}
			}
		}},
		{name: "Go loop", loop: func(n int) {
			for range n {
				for i := range text.Rows() {
					idx, val := text.row(i)
					sink = loopDotSparse(idx, val, y)
				}
			}
		}},
		{name: "Go loop, 4 sums", loop: func(n int) {
			for range n {
				for i := range text.Rows() {
					idx, val := text.row(i)
					sink = fourDotSparse(idx, val, y)
				}
			}
		}},
	},
	"AxpySparse": {
		{name: "Pegasimd", loop: func(n int) {
			for range n {
				for i := range text.Rows() {
					text.Axpy(i, alpha, y)
				}
			}
		}},
		{name: "Pegasimd, indices checked at each call", loop: func(n int) {
			for range n {
				for i := range text.Rows() {
					idx, val := text.row(i)
					sparse.Axpy(alpha, idx, val, y)
				}
			}
		}},
		{name: "Go loop", loop: func(n int) {
			for range n {
				for i := range text.Rows() {
					idx, val := text.row(i)
					loopAxpySparse(alpha, idx, val, y)
				}
			}
		}},
	},
}
