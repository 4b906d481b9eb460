// Package asmtest has the table of package asm's kernels, and memory that faults beyond its ends. Tests and benchmarks
// share both, so that a kernel added to the table is tested and measured everywhere at once.
package asmtest

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/asm"
)

// A Kernel is one kernel as tests and benchmarks see it.
type Kernel struct {
	Name string
	// New makes the arguments for size n: numbers from s, in memory from m.
	New func(n int, m Memory, s *Source) *Args
	// Call calls the kernel in the path that is active; a kernel that stores returns 0.
	Call func(a *Args) float32
	// Wide returns what Call should return, or store into a.Out, in float64, and the sum of the absolute values of the
	// terms behind each, which bounds the rounding error. It must be called before Call.
	Wide func(a *Args) (want, scale []float64)
	// Bytes is what a call reads and writes.
	Bytes func(a *Args) int
}

// Args are a kernel's arguments; each kernel has its own few of them.
type Args struct {
	A    float32
	X, Y []float32
	Idx  []int32
	W    []float32
	Out  []float32 // the operand that is stored into, if any
}

// Inputs returns the operands that a call must leave alone.
func (a *Args) Inputs() [][]float32 {
	var in [][]float32
	for _, v := range [][]float32{a.X, a.Y, a.W} {
		if len(v) > 0 && (len(a.Out) == 0 || &v[0] != &a.Out[0]) {
			in = append(in, v)
		}
	}
	return in
}

// Kernels is the table.
var Kernels = []Kernel{
	{
		Name: "dot",
		New:  func(n int, m Memory, s *Source) *Args { return &Args{X: s.floats(m, n), Y: s.floats(m, n)} },
		Call: func(a *Args) float32 { return asm.Dot(a.X, a.Y) },
		Wide: func(a *Args) (want, scale []float64) {
			return wideSum(len(a.X), func(i int) float64 { return float64(a.X[i]) * float64(a.Y[i]) })
		},
		Bytes: func(a *Args) int { return 8 * len(a.X) },
	},
	{
		Name: "sumsquares",
		New:  func(n int, m Memory, s *Source) *Args { return &Args{X: s.floats(m, n)} },
		Call: func(a *Args) float32 { return asm.SumSquares(a.X) },
		Wide: func(a *Args) (want, scale []float64) {
			return wideSum(len(a.X), func(i int) float64 { return float64(a.X[i]) * float64(a.X[i]) })
		},
		Bytes: func(a *Args) int { return 4 * len(a.X) },
	},
	{
		Name: "axpy",
		New: func(n int, m Memory, s *Source) *Args {
			a := &Args{A: s.Float(), X: s.floats(m, n), Y: s.floats(m, n)}
			a.Out = a.Y
			return a
		},
		Call: func(a *Args) float32 { asm.Axpy(a.A, a.X, a.Y); return 0 },
		Wide: func(a *Args) (want, scale []float64) {
			return wideMap(len(a.Y), func(i int) (y, ax float64) { return float64(a.Y[i]), float64(a.A) * float64(a.X[i]) })
		},
		Bytes: func(a *Args) int { return 12 * len(a.X) },
	},
	{
		Name: "scale",
		New: func(n int, m Memory, s *Source) *Args {
			a := &Args{A: s.Float(), X: s.floats(m, n)}
			a.Out = a.X
			return a
		},
		Call: func(a *Args) float32 { asm.Scale(a.A, a.X); return 0 },
		Wide: func(a *Args) (want, scale []float64) {
			return wideMap(len(a.X), func(i int) (zero, ax float64) { return 0, float64(a.A) * float64(a.X[i]) })
		},
		Bytes: func(a *Args) int { return 8 * len(a.X) },
	},
	{
		Name: "dotsparse",
		New:  newSparse,
		Call: func(a *Args) float32 { return asm.DotSparse(a.Idx, a.X, a.W) },
		Wide: func(a *Args) (want, scale []float64) {
			return wideSum(len(a.Idx), func(k int) float64 { return float64(a.X[k]) * float64(a.W[a.Idx[k]]) })
		},
		Bytes: func(a *Args) int { return 12 * len(a.Idx) },
	},
	{
		Name: "axpysparse",
		New: func(n int, m Memory, s *Source) *Args {
			a := newSparse(n, m, s)
			a.A, a.Out = s.Float(), a.W
			return a
		},
		Call: func(a *Args) float32 { asm.AxpySparse(a.A, a.Idx, a.X, a.W); return 0 },
		Wide: func(a *Args) (want, scale []float64) {
			want, scale = wideMap(len(a.W), func(j int) (w, zero float64) { return float64(a.W[j]), 0 })
			for k, j := range a.Idx {
				product := float64(a.A) * float64(a.X[k])
				want[j] += product
				scale[j] += math.Abs(product)
			}
			return want, scale
		},
		Bytes: func(a *Args) int { return 16 * len(a.Idx) },
	},
}

// newSparse makes a row of n nonzeros whose indices lie anywhere in a vector of about 3n, and come twice at times.
func newSparse(n int, m Memory, s *Source) *Args {
	w := s.floats(m, 3*n+1)
	idx := m.Ints(n)
	for k := range idx {
		idx[k] = int32(s.IntN(len(w)))
	}
	return &Args{Idx: idx, X: s.floats(m, n), W: w}
}

func wideSum(n int, term func(int) float64) (want, scale []float64) {
	var sum, abs float64
	for i := range n {
		v := term(i)
		sum += v
		abs += math.Abs(v)
	}
	return []float64{sum}, []float64{abs}
}

func wideMap(n int, terms func(int) (u, v float64)) (want, scale []float64) {
	for i := range n {
		u, v := terms(i)
		want = append(want, u+v)
		scale = append(scale, math.Abs(u)+math.Abs(v))
	}
	return want, scale
}
