// Package asmtest provides Kernels, a table of package asm's kernels, and operands for them:
// sources of numbers, and memory that detects accesses beyond its ends.
package asmtest

import (
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unsafe"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/sys/bandwidth"
)

type Kernel struct {
	Name string
	// Inexact reports that results are rounded even if all operands are small integers.
	Inexact bool
	// MaxSize is the size beyond which operands do not grow, or 0 if there is no limit.
	MaxSize int
	// New returns arguments of size n.
	New func(n int, m Memory, s *Source) *Args
	// Call calls the kernel. It returns one of its results, or 0 if all are stored in Args.
	Call func(a *Args) float32
	// Wide returns the kernel's results, computed in float64, and for each result the sum of its
	// terms' absolute values, to which the rounding error is compared. Wide must be called before
	// Call, which may overwrite operands.
	Wide func(a *Args) (want, scale []float64)
	// Bytes returns the number of bytes that a call reads and writes.
	Bytes func(a *Args) int
	// Shape is the kernel's pattern of loads and stores, or None.
	Shape bandwidth.Shape
}

func (k Kernel) withShape(s bandwidth.Shape) Kernel {
	k.Shape = s
	return k
}

func (k Kernel) inexact() Kernel {
	k.Inexact = true
	return k
}

type Args struct {
	A, B         float32
	X, Y         []float32
	Scalars      []float32
	Idx          []int32
	Packed       []byte    // input of Unpack and UnpackDot
	Bytes        [2][]byte // [0]: rows or a vector of int8 or uint8; [1]: a vector
	ByteQueries  [][]byte  // of equal length
	Shorts       []uint16  // column indices, strictly ascending
	Halves       []uint16
	StoresHalves bool        // the kernel stores into Halves
	Words        [2][]uint64 // [0]: rows of bits; [1]: a vector of bits
	Steps        []asm.Step
	Doubles      []float64  // the kernel stores into Doubles if Out is nil
	Pairs        [2][]int32 // operands of RankKPairs: two int16s in each element
	Sums         []int32
	Scores       []int64
	W            []float32
	Queries      [][]float32 // vectors of equal length in X
	Stride       int         // distance between rows or panels, in elements
	Width        int

	Rows, Cols, Depth int
	Out               []float32 // the kernel stores into Out; nil if there is none
}

// Inputs returns the float32 operands that a call must not change.
func (a *Args) Inputs() [][]float32 {
	var in [][]float32
	for _, v := range [][]float32{a.X, a.Y, a.Scalars, a.W} {
		if len(v) > 0 && (len(a.Out) == 0 || &v[0] != &a.Out[0]) {
			in = append(in, v)
		}
	}
	return in
}

// Stored returns the numbers that a call stored, except margins in Steps, as float32s:
// half-precision numbers by their bits, integers as parts of 16 bits, and each float64 as three
// float32s, which add up to exactly the float64 unless it is huge or tiny.
func (a *Args) Stored() []float32 {
	switch {
	case a.Scores != nil:
		out := make([]float32, 0, 4*len(a.Scores))
		for _, v := range a.Scores {
			out = appendParts(out, v)
		}
		return out
	case a.Sums != nil:
		return splitSums(a.Sums)
	case a.StoresHalves:
		return bitsOf(a.Halves)
	case a.Doubles == nil || a.Out != nil:
		return a.Out
	}
	out := make([]float32, 0, 3*len(a.Doubles))
	for _, v := range a.Doubles {
		out = appendDouble(out, v)
	}
	return out
}

func splitSums(sums []int32) (out []float32) {
	for _, v := range sums {
		out = append(out, float32(v>>16), float32(v&0xffff))
	}
	return out
}

// the lowest part first
func appendParts(out []float32, v int64) []float32 {
	for range 4 {
		out = append(out, float32(uint16(v)))
		v >>= 16
	}
	return out
}

func appendDouble(out []float32, v float64) []float32 {
	for range 3 {
		part := float32(v)
		out = append(out, part)
		v -= float64(part)
	}
	return out
}

// Footprint returns the bytes of the operands. Float32 operands at the same address count once.
func (a *Args) Footprint() int {
	bytes := 4*len(a.Idx) + 2*len(a.Shorts) + len(a.Packed) + 8*(len(a.Doubles)+len(a.Scores)) +
		len(a.Bytes[0]) + len(a.Bytes[1]) + 2*len(a.Halves) + 8*(len(a.Words[0])+len(a.Words[1]))
	for _, x := range a.ByteQueries {
		bytes += len(x)
	}
	bytes += 4 * (len(a.Pairs[0]) + len(a.Pairs[1]) + len(a.Sums))
	bytes += int(unsafe.Sizeof(asm.Step{})) * len(a.Steps)
	var seen []*float32
	for _, v := range [][]float32{a.X, a.Y, a.Scalars, a.W, a.Out} {
		if p := unsafe.SliceData(v); len(v) > 0 && !slices.Contains(seen, p) {
			seen = append(seen, p)
			bytes += 4 * len(v)
		}
	}
	return bytes
}

var Kernels = []Kernel{
	{
		Name:  "dot",
		New:   newTwo,
		Call:  func(a *Args) float32 { return asm.Dot(a.X, a.Y) },
		Wide:  func(a *Args) (want, scale []float64) { return wideDot(a.X, a.Y) },
		Bytes: func(a *Args) int { return 8 * len(a.X) },
		Shape: bandwidth.Read2,
	},
	{
		Name:  "sumsquares",
		New:   func(n int, m Memory, s *Source) *Args { return &Args{X: s.floats(m, n)} },
		Call:  func(a *Args) float32 { return asm.SumSquares(a.X) },
		Wide:  func(a *Args) (want, scale []float64) { return wideDot(a.X, a.X) },
		Bytes: func(a *Args) int { return 4 * len(a.X) },
		Shape: bandwidth.Read,
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
			return wideMap(len(a.Y), func(i int) (y, ax float64) {
				return float64(a.Y[i]), float64(a.A) * float64(a.X[i])
			})
		},
		Bytes: func(a *Args) int { return 12 * len(a.X) },
		Shape: bandwidth.Axpy,
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
			return wideMap(len(a.X), func(i int) (zero, ax float64) {
				return 0, float64(a.A) * float64(a.X[i])
			})
		},
		Bytes: func(a *Args) int { return 8 * len(a.X) },
		Shape: bandwidth.Update,
	},
	{
		Name: "dotsparse",
		New:  newSparse,
		Call: func(a *Args) float32 { return asm.DotSparse(a.Idx, a.X, a.W) },
		Wide: func(a *Args) (want, scale []float64) {
			return wideSum(len(a.Idx),
				func(k int) float64 { return float64(a.X[k]) * float64(a.W[a.Idx[k]]) })
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
			return wideAdd(a.W, func(add func(j int, term float64)) {
				for k, j := range a.Idx {
					add(int(j), float64(a.A)*float64(a.X[k]))
				}
			})
		},
		Bytes: func(a *Args) int { return 16 * len(a.Idx) },
	},
	{
		Name:    "dotsame",
		MaxSize: asm.Block,
		New:     newSame,
		Call:    func(a *Args) float32 { return asm.DotSame(a.A, a.Shorts, a.W) },
		Wide: func(a *Args) (want, scale []float64) {
			return wideSum(len(a.Shorts),
				func(k int) float64 { return float64(a.A) * float64(a.W[a.Shorts[k]]) })
		},
		Bytes: func(a *Args) int { return 6 * len(a.Shorts) },
	},
	{
		Name:    "axpysame",
		MaxSize: asm.Block,
		New: func(n int, m Memory, s *Source) *Args {
			a := newSame(n, m, s)
			a.Out = a.W
			return a
		},
		Call: func(a *Args) float32 { asm.AxpySame(a.A, a.Shorts, a.W); return 0 },
		Wide: func(a *Args) (want, scale []float64) {
			return wideAdd(a.W, func(add func(j int, term float64)) {
				for _, j := range a.Shorts {
					add(int(j), float64(a.A))
				}
			})
		},
		Bytes: func(a *Args) int { return 10 * len(a.Shorts) },
	},
	{
		Name:    "stepssame",
		MaxSize: asm.Block,
		New:     newSteps,
		Call: func(a *Args) float32 {
			asm.StepsSame(a.Steps, a.Shorts, a.W)
			return a.Steps[len(a.Shorts)%len(a.Steps)].Margin
		},
		Wide: func(a *Args) (want, scale []float64) {
			// Rounding may decide whether a row has an update, so margins are computed in float32.
			w := slices.Clone(a.W)
			return wideAdd(a.W, func(add func(j int, term float64)) {
				for _, s := range a.Steps {
					row := a.Shorts[s.Start:][:s.Count]
					if asm.DotSame(s.Value, row, w) < s.Least {
						asm.AxpySame(s.Update, row, w)
						for _, j := range row {
							add(int(j), float64(s.Update))
						}
					}
				}
			})
		},
		Bytes: func(a *Args) int {
			bytes := 0
			for _, s := range a.Steps {
				// Each index is read twice, each weight accessed three times.
				bytes += 24 + 16*int(s.Count)
			}
			return bytes
		},
	},
	{
		Name:  "squareddistance",
		New:   newTwo,
		Call:  func(a *Args) float32 { return asm.SquaredDistance(a.X, a.Y) },
		Wide:  func(a *Args) (want, scale []float64) { return wideSquaredDistance(a.X, a.Y) },
		Bytes: func(a *Args) int { return 8 * len(a.X) },
		Shape: bandwidth.Read2,
	},
	{
		Name: "dotnorms",
		New: func(n int, m Memory, s *Source) *Args {
			return &Args{X: s.floats(m, n), Y: s.floats(m, n), Out: m.Floats(3)}
		},
		Call: func(a *Args) float32 {
			a.Out[0], a.Out[1], a.Out[2] = asm.DotNorms(a.X, a.Y)
			return 0
		},
		Wide: func(a *Args) (want, scale []float64) {
			pairs := [3][2][]float32{{a.X, a.Y}, {a.X, a.X}, {a.Y, a.Y}}
			return wideEach(3, func(i int) (want, scale []float64) {
				return wideDot(pairs[i][0], pairs[i][1])
			})
		},
		Bytes: func(a *Args) int { return 8 * len(a.X) },
	},
	{
		Name:    "norm",
		Inexact: true,
		New:     func(n int, m Memory, s *Source) *Args { return &Args{X: s.floats(m, n)} },
		Call:    func(a *Args) float32 { return asm.Norm(a.X) },
		Wide: func(a *Args) (want, scale []float64) {
			return wideRoot(len(a.X), func(i int) float64 { return float64(a.X[i]) })
		},
		Bytes: func(a *Args) int { return 4 * len(a.X) },
	},
	{
		Name:    "distance",
		Inexact: true,
		New:     newTwo,
		Call:    func(a *Args) float32 { return asm.Distance(a.X, a.Y) },
		Wide: func(a *Args) (want, scale []float64) {
			return wideRoot(len(a.X), func(i int) float64 { return float64(a.X[i] - a.Y[i]) })
		},
		Bytes: func(a *Args) int { return 8 * len(a.X) },
	},
	{
		Name:    "cosine",
		Inexact: true,
		New:     newTwo,
		Call:    func(a *Args) float32 { return asm.Cosine(a.X, a.Y) },
		Wide:    func(a *Args) (want, scale []float64) { return wideCosine(a.X, a.Y) },
		Bytes:   func(a *Args) int { return 8 * len(a.X) },
	},
	{
		Name: "axpby",
		New: func(n int, m Memory, s *Source) *Args {
			a := &Args{A: s.Float(), B: s.Float(), X: s.floats(m, n), Y: s.floats(m, n)}
			a.Out = a.Y
			return a
		},
		Call: func(a *Args) float32 { asm.Axpby(a.A, a.X, a.B, a.Y); return 0 },
		Wide: func(a *Args) (want, scale []float64) {
			return wideMap(len(a.Y), func(i int) (ax, by float64) {
				return float64(a.A) * float64(a.X[i]), float64(a.B) * float64(a.Y[i])
			})
		},
		Bytes: func(a *Args) int { return 12 * len(a.X) },
		Shape: bandwidth.Axpy,
	},
	{
		Name: "sum",
		New:  func(n int, m Memory, s *Source) *Args { return &Args{X: s.floats(m, n)} },
		Call: func(a *Args) float32 { return asm.Sum(a.X) },
		Wide: func(a *Args) (want, scale []float64) {
			return wideSum(len(a.X), func(i int) float64 { return float64(a.X[i]) })
		},
		Bytes: func(a *Args) int { return 4 * len(a.X) },
		Shape: bandwidth.Read,
	},
	{
		Name: "sumabs",
		New:  func(n int, m Memory, s *Source) *Args { return &Args{X: s.floats(m, n)} },
		Call: func(a *Args) float32 { return asm.SumAbs(a.X) },
		Wide: func(a *Args) (want, scale []float64) {
			return wideSum(len(a.X), func(i int) float64 { return math.Abs(float64(a.X[i])) })
		},
		Bytes: func(a *Args) int { return 4 * len(a.X) },
		Shape: bandwidth.Read,
	},
	{
		Name: "l1distance",
		New:  newTwo,
		Call: func(a *Args) float32 { return asm.L1Distance(a.X, a.Y) },
		Wide: func(a *Args) (want, scale []float64) {
			return wideSum(len(a.X), func(i int) float64 {
				return math.Abs(float64(a.X[i] - a.Y[i])) // rounded to float32, as by the kernel
			})
		},
		Bytes: func(a *Args) int { return 8 * len(a.X) },
		Shape: bandwidth.Read2,
	},
	{
		Name: "axpy64",
		New: func(n int, m Memory, s *Source) *Args {
			a := &Args{A: s.Float(), X: s.floats(m, n), Doubles: m.Doubles(n)}
			for i := range a.Doubles {
				a.Doubles[i] = float64(s.Float())
			}
			return a
		},
		Call: func(a *Args) float32 { asm.Axpy64(float64(a.A), a.X, a.Doubles); return 0 },
		Wide: func(a *Args) (want, scale []float64) {
			for i, v := range a.X {
				product := float64(a.A) * float64(v)
				size := math.Abs(product) + math.Abs(a.Doubles[i])
				want = append(want, a.Doubles[i]+product, 0, 0)
				scale = append(scale, size, size, size)
			}
			return want, scale
		},
		Bytes: func(a *Args) int { return 20 * len(a.X) },
	},
	{
		Name: "fromfloat64",
		New: func(n int, m Memory, s *Source) *Args {
			a := &Args{Doubles: m.Doubles(n), Out: m.Floats(n)}
			for i := range a.Doubles {
				a.Doubles[i] = float64(s.Float()) * float64(s.Float())
			}
			return a
		},
		Call: func(a *Args) float32 { asm.FromFloat64(a.Out, a.Doubles); return 0 },
		Wide: func(a *Args) (want, scale []float64) {
			return wideMap(len(a.Doubles), func(i int) (v, zero float64) {
				return a.Doubles[i], 0
			})
		},
		Bytes: func(a *Args) int { return 12 * len(a.Doubles) },
	},
	doublesKernel("sigmoid", asm.Sigmoid, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }),
	doublesKernel("log1pexp", asm.Log1pExp, func(x float64) float64 {
		return max(0, x) + math.Log1p(math.Exp(-math.Abs(x)))
	}),
	doubleSumsKernel("dot64", func(x, y []float32) (sums [3]float64) {
		sums[0] = asm.Dot64(x, y)
		return sums
	}, func(x, y float64) float64 { return x * y }).withShape(bandwidth.Read2),
	doubleSumsKernel("squareddistance64", func(x, y []float32) (sums [3]float64) {
		sums[0] = asm.SquaredDistance64(x, y)
		return sums
	}, func(x, y float64) float64 { return (x - y) * (x - y) }),
	doubleSumsKernel("dotnorms64", func(x, y []float32) (sums [3]float64) {
		sums[0], sums[1], sums[2] = asm.DotNorms64(x, y)
		return sums
	}, func(x, y float64) float64 { return x * y }, func(x, y float64) float64 { return x * x },
		func(x, y float64) float64 { return y * y }),
	{
		Name:  "min",
		New:   func(n int, m Memory, s *Source) *Args { return &Args{X: s.floats(m, n)} },
		Call:  func(a *Args) float32 { return asm.Min(a.X) },
		Wide:  func(a *Args) (want, scale []float64) { return wideExtreme(a.X, 1) },
		Bytes: func(a *Args) int { return 4 * len(a.X) },
		Shape: bandwidth.Read,
	},
	{
		Name:  "max",
		New:   func(n int, m Memory, s *Source) *Args { return &Args{X: s.floats(m, n)} },
		Call:  func(a *Args) float32 { return asm.Max(a.X) },
		Wide:  func(a *Args) (want, scale []float64) { return wideExtreme(a.X, -1) },
		Bytes: func(a *Args) int { return 4 * len(a.X) },
		Shape: bandwidth.Read,
	},
	{
		Name:  "argmin",
		New:   func(n int, m Memory, s *Source) *Args { return &Args{X: s.floats(m, n)} },
		Call:  func(a *Args) float32 { return float32(asm.ArgMin(a.X)) },
		Wide:  func(a *Args) (want, scale []float64) { return wideArg(a.X, 1) },
		Bytes: func(a *Args) int { return 4 * len(a.X) },
	},
	{
		Name:  "argmax",
		New:   func(n int, m Memory, s *Source) *Args { return &Args{X: s.floats(m, n)} },
		Call:  func(a *Args) float32 { return float32(asm.ArgMax(a.X)) },
		Wide:  func(a *Args) (want, scale []float64) { return wideArg(a.X, -1) },
		Bytes: func(a *Args) int { return 4 * len(a.X) },
	},
	{
		Name: "find",
		New: func(n int, m Memory, s *Source) *Args {
			a := &Args{X: s.floats(m, n), A: 9} // 9 is outside the range of uniform numbers
			if n > 0 && n%8 > 0 {
				a.A = a.X[s.IntN(n)]
			}
			return a
		},
		Call: func(a *Args) float32 { return float32(asm.Find(a.X, a.A)) },
		Wide: func(a *Args) (want, scale []float64) {
			return []float64{float64(slices.Index(a.X, a.A))}, []float64{0}
		},
		Bytes: func(a *Args) int { return 4 * len(a.X) },
	},
	{
		Name: "add",
		New:  newThree,
		Call: func(a *Args) float32 { asm.Add(a.Out, a.X, a.Y); return 0 },
		Wide: func(a *Args) (want, scale []float64) {
			return wideMap(len(a.X),
				func(i int) (x, y float64) { return float64(a.X[i]), float64(a.Y[i]) })
		},
		Bytes: func(a *Args) int { return 12 * len(a.X) },
	},
	{
		Name: "sub",
		New:  newThree,
		Call: func(a *Args) float32 { asm.Sub(a.Out, a.X, a.Y); return 0 },
		Wide: func(a *Args) (want, scale []float64) {
			return wideMap(len(a.X),
				func(i int) (x, y float64) { return float64(a.X[i]), -float64(a.Y[i]) })
		},
		Bytes: func(a *Args) int { return 12 * len(a.X) },
	},
	{
		Name: "mul",
		New:  newThree,
		Call: func(a *Args) float32 { asm.Mul(a.Out, a.X, a.Y); return 0 },
		Wide: func(a *Args) (want, scale []float64) {
			return wideMap(len(a.X), func(i int) (zero, xy float64) {
				return 0, float64(a.X[i]) * float64(a.Y[i])
			})
		},
		Bytes: func(a *Args) int { return 12 * len(a.X) },
	},
	{
		Name: "scaleto",
		New: func(n int, m Memory, s *Source) *Args {
			return &Args{A: s.Float(), X: s.floats(m, n), Out: m.Floats(n)}
		},
		Call: func(a *Args) float32 { asm.ScaleTo(a.Out, a.A, a.X); return 0 },
		Wide: func(a *Args) (want, scale []float64) {
			return wideMap(len(a.X), func(i int) (zero, ax float64) {
				return 0, float64(a.A) * float64(a.X[i])
			})
		},
		Bytes: func(a *Args) int { return 8 * len(a.X) },
		Shape: bandwidth.Copy,
	},
	{
		Name: "axpyto",
		New:  newThree,
		Call: func(a *Args) float32 { asm.AxpyTo(a.Out, a.A, a.X, a.Y); return 0 },
		Wide: func(a *Args) (want, scale []float64) {
			return wideMap(len(a.X), func(i int) (ax, y float64) {
				return float64(a.A) * float64(a.X[i]), float64(a.Y[i])
			})
		},
		Bytes: func(a *Args) int { return 12 * len(a.X) },
	},
	rowsKernel("dotrows", false, wideDot, func(a *Args) {
		asm.DotRows(a.Out, a.W, a.Stride, a.X)
	}).withShape(bandwidth.Read),
	rowsKernel("squareddistancerows", false, wideSquaredDistance, func(a *Args) {
		asm.SquaredDistanceRows(a.Out, a.W, a.Stride, a.X)
	}),
	tileKernel("dottile", asm.DotTile, wideDot),
	tileKernel("squareddistancetile", asm.SquaredDistanceTile, wideSquaredDistance),
	rowsKernel("cosinerows", false, wideCosine, func(a *Args) {
		asm.CosineRows(a.Out, a.W, a.Stride, a.X)
	}).inexact(),
	rowsKernel("dotrowsat", true, wideDot, func(a *Args) {
		asm.DotRowsAt(a.Out, a.W, a.Stride, a.Idx, a.X)
	}),
	rowsKernel("squareddistancerowsat", true, wideSquaredDistance, func(a *Args) {
		asm.SquaredDistanceRowsAt(a.Out, a.W, a.Stride, a.Idx, a.X)
	}),
	rowsKernel("cosinerowsat", true, wideCosine, func(a *Args) {
		asm.CosineRowsAt(a.Out, a.W, a.Stride, a.Idx, a.X)
	}).inexact(),
	{
		Name: "axpyrows",
		New: func(n int, m Memory, s *Source) *Args {
			a := newRows(n, m, s, true)
			a.Scalars, a.Y, a.Out = a.Out, a.X, a.X
			for i := range a.Scalars {
				a.Scalars[i] = s.Float()
			}
			return a
		},
		Call: func(a *Args) float32 {
			asm.AxpyRows(a.Scalars, a.W, a.Stride, a.Idx, a.Y)
			return 0
		},
		Wide: func(a *Args) (want, scale []float64) {
			return wideAdd(a.Y, func(add func(j int, term float64)) {
				for i, r := range a.Idx {
					for j := range a.Y {
						add(j, float64(a.Scalars[i])*float64(a.W[int(r)*a.Stride+j]))
					}
				}
			})
		},
		Bytes: func(a *Args) int { return 4 * len(a.Y) * (len(a.Idx) + 2) },
	},
	{
		Name: "gemvt",
		New: func(n int, m Memory, s *Source) *Args {
			a := newRows(n, m, s, false)
			a.A, a.Scalars, a.Y, a.Out = s.Float(), a.Out, a.X, a.X
			for i := range a.Scalars {
				a.Scalars[i] = s.Float()
			}
			return a
		},
		Call: func(a *Args) float32 { asm.GemvT(a.A, a.W, a.Stride, a.Scalars, a.Y); return 0 },
		Wide: func(a *Args) (want, scale []float64) {
			return wideAdd(a.Y, func(add func(j int, term float64)) {
				for i, v := range a.Scalars {
					for j := range a.Y {
						add(j, float64(a.A*v)*float64(a.W[i*a.Stride+j]))
					}
				}
			})
		},
		Bytes: func(a *Args) int { return 4 * len(a.Y) * (len(a.Scalars) + 2) },
	},
	{
		Name: "ger",
		New: func(n int, m Memory, s *Source) *Args {
			a := newRows(n, m, s, false)
			a.A, a.Scalars, a.Out = s.Float(), a.Out, a.W
			for i := range a.Scalars {
				a.Scalars[i] = s.Float()
			}
			return a
		},
		Call: func(a *Args) float32 { asm.Ger(a.A, a.Scalars, a.X, a.W, a.Stride); return 0 },
		Wide: func(a *Args) (want, scale []float64) {
			return wideAdd(a.W, func(add func(j int, term float64)) {
				for i, v := range a.Scalars {
					for j, y := range a.X {
						add(i*a.Stride+j, float64(a.A*v)*float64(y))
					}
				}
			})
		},
		Bytes: func(a *Args) int { return 8 * len(a.X) * len(a.Scalars) },
	},
	{
		Name:    "rankk",
		MaxSize: 16 * 600, // 600 rows: more than two blocks of BlockRows
		New: func(n int, m Memory, s *Source) *Args {
			k, stride := (min(n, 16*600)+15)/16, asm.TileCols+n%5
			a := &Args{X: s.floats(m, k*asm.TileRows), Y: s.floats(m, k*asm.TileCols),
				W: s.floats(m, (asm.TileRows-1)*stride+asm.TileCols), Stride: stride}
			a.Out = a.W
			return a
		},
		Call: func(a *Args) float32 { asm.RankK(a.W, a.Stride, a.X, a.Y); return 0 },
		Wide: func(a *Args) (want, scale []float64) {
			return wideAdd(a.W, func(add func(j int, term float64)) {
				for i := range asm.TileRows * asm.TileCols {
					i, j := i/asm.TileCols, i%asm.TileCols
					for r := range len(a.X) / asm.TileRows {
						add(i*a.Stride+j,
							float64(a.X[r*asm.TileRows+i])*float64(a.Y[r*asm.TileCols+j]))
					}
				}
			})
		},
		Bytes: func(a *Args) int {
			return 4 * (len(a.X) + len(a.Y) + 2*asm.TileRows*asm.TileCols)
		},
	},
	{
		Name:    "gemm",
		MaxSize: 16 * 256,
		New:     newGemm,
		Call: func(a *Args) float32 {
			row, step := a.steps()
			asm.Gemm(a.W, a.Stride, a.X, row, step, a.Y, a.Cols+1, a.Rows, a.Cols, a.Depth)
			return 0
		},
		Wide: func(a *Args) (want, scale []float64) {
			row, step := a.steps()
			return wideAdd(a.W, func(add func(j int, term float64)) {
				for i := range a.Rows * a.Cols {
					i, j := i/a.Cols, i%a.Cols
					for l := range a.Depth {
						add(i*a.Stride+j, float64(a.X[i*row+l*step])*float64(a.Y[l*(a.Cols+1)+j]))
					}
				}
			})
		},
		Bytes: func(a *Args) int { return 4 * (len(a.X) + len(a.Y) + 2*a.Rows*a.Cols) },
	},
	{
		Name:    "rankkpairs",
		MaxSize: 16 * 600,
		New: func(n int, m Memory, s *Source) *Args {
			k, stride := (min(n, 16*600)+15)/16, asm.TileCols+n%5
			a := &Args{Pairs: [2][]int32{m.Ints(k * asm.TileRows), m.Ints(k * asm.TileCols)},
				Sums: m.Ints((asm.TileRows-1)*stride + asm.TileCols), Stride: stride}
			for _, pairs := range a.Pairs {
				for i := range pairs {
					pairs[i] = int32(s.Uint32())
				}
			}
			for i := range a.Sums {
				a.Sums[i] = int32(s.Uint32())
			}
			return a
		},
		Call: func(a *Args) float32 {
			unsigned := func(v []int32) []uint32 {
				return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(v))), len(v))
			}
			asm.RankKPairs(a.Sums, a.Stride, unsigned(a.Pairs[0]), unsigned(a.Pairs[1]))
			return 0
		},
		Wide: func(a *Args) (want, scale []float64) {
			sums := slices.Clone(a.Sums)
			for i := range asm.TileRows * asm.TileCols {
				i, j := i/asm.TileCols, i%asm.TileCols
				for r := range len(a.Pairs[0]) / asm.TileRows {
					x, y := a.Pairs[0][r*asm.TileRows+i], a.Pairs[1][r*asm.TileCols+j]
					sums[i*a.Stride+j] += int32(int16(x))*int32(int16(y)) + x>>16*(y>>16)
				}
			}
			for _, v := range splitSums(sums) {
				want = append(want, float64(v))
			}
			return want, make([]float64, len(want))
		},
		Bytes: func(a *Args) int {
			return 4 * (len(a.Pairs[0]) + len(a.Pairs[1]) + 2*asm.TileRows*asm.TileCols)
		},
	},
	{
		Name: "pack",
		New: func(n int, m Memory, s *Source) *Args {
			// Odd and even n have different widths; for n from 400 to 499 the widths are exchanged.
			width := asm.TileRows
			if n%2 == 1 != (n/100 == 4) {
				width = asm.TileCols
			}
			a := &Args{A: s.Float(), X: s.floats(m, n), Width: width, Stride: width + n%7}
			if n > 0 {
				last := (n - 1) / width
				a.Out = m.Floats(last*a.Stride + n - last*width)
			}
			return a
		},
		Call: func(a *Args) float32 { asm.Pack(a.Out, a.Width, a.Stride, a.A, a.X); return 0 },
		Wide: func(a *Args) (want, scale []float64) {
			want, scale = make([]float64, len(a.Out)), make([]float64, len(a.Out))
			for i, v := range a.X {
				j := i/a.Width*a.Stride + i%a.Width
				want[j] = float64(a.A) * float64(v)
				scale[j] = math.Abs(want[j])
			}
			return want, scale
		},
		Bytes: func(a *Args) int { return 8 * len(a.X) },
	},
	{
		Name: "packcolumns",
		New: func(n int, m Memory, s *Source) *Args {
			a := &Args{A: s.Float(), Cols: 1 + n%13}
			a.Depth = (n + a.Cols - 1) / a.Cols
			a.Width, a.Stride = a.Cols+n%3, a.Depth+n%2
			if n > 0 {
				a.X = s.floats(m, (a.Cols-1)*a.Stride+a.Depth)
				a.Out = m.Floats((a.Depth-1)*a.Width + a.Cols)
			}
			return a
		},
		Call: func(a *Args) float32 {
			asm.PackColumns(a.Out, a.Width, a.A, a.X, a.Stride, a.Cols, a.Depth)
			return 0
		},
		Wide: func(a *Args) (want, scale []float64) {
			want, scale = make([]float64, len(a.Out)), make([]float64, len(a.Out))
			for i := range a.Cols * a.Depth {
				i, j := i/a.Cols, i%a.Cols
				want[i*a.Width+j] = float64(a.A) * float64(a.X[j*a.Stride+i])
				scale[i*a.Width+j] = math.Abs(want[i*a.Width+j])
			}
			return want, scale
		},
		Bytes: func(a *Args) int { return 8 * len(a.X) },
	},
	{
		Name: "dotsparsek",
		New: func(n int, m Memory, s *Source) *Args {
			a := newInterleaved(n, m, s)
			a.Out = m.Floats(interleaved(n))
			return a
		},
		Call: func(a *Args) float32 { asm.DotSparseK(a.Out, a.Idx, a.X, a.W); return 0 },
		Wide: func(a *Args) (want, scale []float64) {
			k := len(a.Out)
			return wideEach(k, func(c int) (want, scale []float64) {
				return wideSum(len(a.Idx), func(i int) float64 {
					return float64(a.X[i]) * float64(a.W[int(a.Idx[i])*k+c])
				})
			})
		},
		Bytes: func(a *Args) int { return len(a.Idx) * (8 + 4*len(a.Out)) },
	},
	{
		Name: "axpysparsek",
		New: func(n int, m Memory, s *Source) *Args {
			a := newInterleaved(n, m, s)
			a.Scalars, a.Out = s.floats(m, interleaved(n)), a.W
			return a
		},
		Call: func(a *Args) float32 { asm.AxpySparseK(a.Scalars, a.Idx, a.X, a.W); return 0 },
		Wide: func(a *Args) (want, scale []float64) {
			return wideAdd(a.W, func(add func(j int, term float64)) {
				for i, j := range a.Idx {
					for c, v := range a.Scalars {
						add(int(j)*len(a.Scalars)+c, float64(v)*float64(a.X[i]))
					}
				}
			})
		},
		Bytes: func(a *Args) int { return len(a.Idx) * (8 + 8*len(a.Scalars)) },
	},
	{
		Name:    "exp",
		Inexact: true,
		New: func(n int, m Memory, s *Source) *Args {
			a := &Args{X: s.floats(m, n), Out: m.Floats(n)}
			for i := range a.X {
				a.X[i] *= 90 // results range from subnormal numbers to infinity
			}
			return a
		},
		Call: func(a *Args) float32 { asm.Exp(a.Out, a.X); return 0 },
		Wide: func(a *Args) (want, scale []float64) {
			return wideMap(len(a.X), func(i int) (zero, e float64) {
				e = math.Exp(float64(a.X[i]))
				if e > math.MaxFloat32 {
					e = math.Inf(1)
				}
				return 0, e
			})
		},
		Bytes: func(a *Args) int { return 8 * len(a.X) },
		Shape: bandwidth.Copy,
	},
	{
		Name: "unpack",
		New: func(n int, m Memory, s *Source) *Args {
			a := &Args{A: s.Float(), B: s.Float(), Packed: m.Bytes(n), Out: m.Floats(n)}
			for i := range a.Packed {
				a.Packed[i] = byte(s.Uint32())
			}
			return a
		},
		Call: func(a *Args) float32 { asm.Unpack(a.Out, a.Packed, a.A, a.B); return 0 },
		Wide: func(a *Args) (want, scale []float64) {
			return wideMap(len(a.Packed), func(i int) (hi, lo float64) {
				return float64(a.Packed[i]) * float64(a.A), float64(a.Packed[i]) * float64(a.B)
			})
		},
		Bytes: func(a *Args) int { return 5 * len(a.Packed) },
	},
	{
		Name:    "unpackdot",
		Inexact: true,
		New: func(n int, m Memory, s *Source) *Args {
			whole := (n + 7) &^ 7
			a := &Args{A: 1 / float32(1+s.IntN(999)), B: 1e-4 / float32(1+s.IntN(999)),
				Packed: m.Bytes(whole), Out: m.Floats(whole), W: s.floats(m, n)}
			for i := range n {
				a.Packed[i] = byte(s.Uint32())
			}
			return a
		},
		Call: func(a *Args) float32 { return asm.UnpackDot(a.Out, a.Packed, a.A, a.B, a.W) },
		Wide: func(a *Args) (want, scale []float64) {
			return wideMap(len(a.Packed), func(i int) (hi, lo float64) {
				return float64(a.Packed[i]) * float64(a.A), float64(a.Packed[i]) * float64(a.B)
			})
		},
		Bytes: func(a *Args) int { return 5*len(a.Packed) + 4*len(a.W) },
	},
	bytesKernel("dotint8", true, asm.DotBytes, product),
	bytesKernel("dotuint8", false, asm.DotBytes, product),
	bytesKernel("squareddistanceint8", true, asm.SquaredDistanceBytes, square),
	bytesKernel("squareddistanceuint8", false, asm.SquaredDistanceBytes, square),
	byteRowsKernel("dotrowsint8", true, asm.DotRowsBytes, product),
	byteRowsKernel("dotrowsuint8", false, asm.DotRowsBytes, product),
	byteRowsKernel("squareddistancerowsint8", true, asm.SquaredDistanceRowsBytes, square),
	byteRowsKernel("squareddistancerowsuint8", false, asm.SquaredDistanceRowsBytes, square),
	byteTileKernel("dottileint8", true),
	byteTileKernel("dottileuint8", false),
	floatBytesKernel("dotfloatint8", true),
	floatBytesKernel("dotfloatuint8", false),
	halfRowsKernel("dotfloat16", false, asm.HalfDot, func(x, y float64) float64 { return x * y }),
	halfRowsKernel("dotbfloat16", true, asm.HalfDot, func(x, y float64) float64 { return x * y }),
	halfRowsKernel("squareddistancefloat16", false, asm.HalfSquaredDistance, squareInFloat32),
	halfRowsKernel("squareddistancebfloat16", true, asm.HalfSquaredDistance, squareInFloat32),
	halfNormsKernel("normsfloat16", false),
	halfNormsKernel("normsbfloat16", true),
	halfCosineKernel("cosinefloat16", false),
	halfCosineKernel("cosinebfloat16", true),
	unpackHalvesKernel("unpackfloat16", false),
	unpackHalvesKernel("unpackbfloat16", true),
	packHalvesKernel("packfloat16", false),
	packHalvesKernel("packbfloat16", true),
	{
		Name:    "hamming",
		MaxSize: asm.Block,
		New: func(n int, m Memory, s *Source) *Args {
			n = min(n, asm.Block)
			count, stride := 1+n%5, n+n%3
			a := &Args{Stride: stride, Scores: integers[int64](m, count),
				Words: [2][]uint64{integers[uint64](m, (count-1)*stride+n), integers[uint64](m, n)}}
			for _, v := range a.Words {
				for i := range v {
					v[i] = s.Uint64() & s.Uint64()
				}
			}
			return a
		},
		Call: func(a *Args) float32 {
			asm.HammingRows(a.Scores, a.Words[0], a.Stride, a.Words[1])
			return 0
		},
		Wide: func(a *Args) (want, scale []float64) {
			for i := range a.Scores {
				ones := 0
				for j, v := range a.Words[1] {
					ones += strings.Count(strconv.FormatUint(v^a.Words[0][i*a.Stride+j], 2), "1")
				}
				for _, part := range appendParts(nil, int64(ones)) {
					want = append(want, float64(part))
				}
			}
			return want, make([]float64, len(want))
		},
		Bytes: func(a *Args) int { return 8 * len(a.Words[1]) * (len(a.Scores) + 1) },
	},
	{
		Name:  "prefetch",
		New:   func(n int, m Memory, s *Source) *Args { return &Args{X: s.floats(m, n)} },
		Call:  func(a *Args) float32 { asm.Prefetch(a.X); return 0 },
		Wide:  func(a *Args) (want, scale []float64) { return []float64{0}, []float64{0} },
		Bytes: func(a *Args) int { return 4 * len(a.X) },
	},
}

// The first factor has Depth columns, the second Depth rows. If Depth is odd, the first factor is
// transposed.
func newGemm(n int, m Memory, s *Source) *Args {
	a := &Args{Rows: 1 + n%29, Cols: 1 + n%71, Depth: (min(n, 16*256) + 15) / 16}
	a.Stride = a.Cols + n%3
	if row, step := a.steps(); n > 0 {
		a.X = s.floats(m, (a.Rows-1)*row+(a.Depth-1)*step+1)
		a.Y = s.floats(m, (a.Depth-1)*(a.Cols+1)+a.Cols)
	}
	a.W = s.floats(m, (a.Rows-1)*a.Stride+a.Cols)
	a.Out = a.W
	return a
}

// steps returns the distances in X between the rows and between the columns of the first factor.
func (a *Args) steps() (row, step int) {
	if a.Depth%2 == 1 {
		return 1, a.Rows + a.Depth%3
	}
	return a.Depth + a.Rows%3, 1
}

func newTwo(n int, m Memory, s *Source) *Args {
	return &Args{X: s.floats(m, n), Y: s.floats(m, n)}
}

func newThree(n int, m Memory, s *Source) *Args {
	return &Args{A: s.Float(), X: s.floats(m, n), Y: s.floats(m, n), Out: m.Floats(n)}
}

// sign is 1 for the least element and -1 for the greatest.
func wideExtreme(x []float32, sign float64) (want, scale []float64) {
	least := math.Inf(1)
	for _, v := range x {
		least = min(least, sign*float64(v))
	}
	return []float64{sign*least + 0}, []float64{0}
}

// sign is as in wideExtreme. x must be finite.
func wideArg(x []float32, sign float64) (want, scale []float64) {
	least, first := math.Inf(1), -1
	for i, v := range x {
		if sign*float64(v) < least {
			least, first = sign*float64(v), i
		}
	}
	return []float64{float64(first)}, []float64{0}
}

func newRows(n int, m Memory, s *Source, picked bool) *Args {
	count := 4 + n%7
	stride := n + n%3
	a := &Args{Stride: stride, X: s.floats(m, n), W: s.floats(m, (count-1)*stride+n),
		Out: m.Floats(count)}
	if picked {
		a.Idx = m.Ints(count)
		for i := range a.Idx {
			a.Idx[i] = int32(s.IntN(count))
		}
	}
	return a
}

// y may be longer than x.
type wideOf func(x, y []float32) (want, scale []float64)

func rowsKernel(name string, picked bool, wide wideOf, call func(a *Args)) Kernel {
	return Kernel{
		Name: name,
		New:  func(n int, m Memory, s *Source) *Args { return newRows(n, m, s, picked) },
		Call: func(a *Args) float32 { call(a); return 0 },
		Wide: func(a *Args) (want, scale []float64) {
			return wideEach(len(a.Out), func(i int) (want, scale []float64) {
				if picked {
					i = int(a.Idx[i])
				}
				return wide(a.X, a.W[i*a.Stride:])
			})
		},
		Bytes: func(a *Args) int { return 4 * len(a.X) * (len(a.Out) + 1) },
	}
}

func tileKernel(name string, call func(dst []float32, step int, rows []float32,
	stride, count int, queries [][]float32, next []byte), wide wideOf) Kernel {
	return Kernel{
		Name: name,
		New: func(n int, m Memory, s *Source) *Args {
			a := newRows(n, m, s, false)
			a.Rows, a.Queries = len(a.Out), make([][]float32, 2+n%4)
			a.X = s.floats(m, len(a.Queries)*n)
			a.Out = m.Floats(len(a.Queries) * a.Rows)
			for j := range a.Queries {
				a.Queries[j] = a.X[j*n:][:n]
			}
			return a
		},
		Call: func(a *Args) float32 {
			call(a.Out, a.Rows, a.W, a.Stride, a.Rows, a.Queries, nil)
			return 0
		},
		Wide: func(a *Args) (want, scale []float64) {
			return wideEach(len(a.Out), func(i int) (want, scale []float64) {
				return wide(a.Queries[i/a.Rows], a.W[i%a.Rows*a.Stride:])
			})
		},
		Bytes: func(a *Args) int { return 4 * (len(a.X) + len(a.W)) },
	}
}

func interleaved(n int) int { return 8 * (1 + n%3) }

func newInterleaved(n int, m Memory, s *Source) *Args {
	k := interleaved(n)
	features := n/2 + 1
	idx := m.Ints(n)
	for i := range idx {
		idx[i] = int32(s.IntN(features))
	}
	return &Args{Idx: idx, X: s.floats(m, n), W: s.floats(m, features*k)}
}

func newSparse(n int, m Memory, s *Source) *Args {
	w := s.floats(m, 3*n+1)
	idx := m.Ints(n)
	for k := range idx {
		idx[k] = int32(s.IntN(len(w)))
	}
	return &Args{Idx: idx, X: s.floats(m, n), W: w}
}

func newSteps(n int, m Memory, s *Source) *Args {
	a := newSame(n, m, s)
	a.Out = a.W
	n = len(a.Shorts)
	floats := m.Floats(6 * 5)
	a.Steps = unsafe.Slice((*asm.Step)(unsafe.Pointer(&floats[0])), 5)
	for i, ends := range [5][2]int{{0, n}, {n / 3, n}, {0, n % 16}, {n / 2, n}, {0, n}} {
		a.Steps[i] = asm.Step{Start: uint32(ends[0]), Count: uint32(ends[1] - ends[0]),
			Value: s.Float(), Update: s.Float(), Least: s.Float()}
	}
	return a
}

func newSame(n int, m Memory, s *Source) *Args {
	n = min(n, asm.Block)
	a := &Args{A: s.Float(), W: s.floats(m, min(3*n+1, 1<<16)), Shorts: m.Shorts(n)}
	k := 0
	for j := range a.W {
		if s.IntN(len(a.W)-j) < n-k {
			a.Shorts[k] = uint16(j)
			k++
		}
	}
	return a
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

func wideDot(x, y []float32) (want, scale []float64) {
	return wideSum(len(x), func(i int) float64 { return float64(x[i]) * float64(y[i]) })
}

func wideSquaredDistance(x, y []float32) (want, scale []float64) {
	return wideSum(len(x), func(i int) float64 {
		d := float64(x[i] - y[i]) // rounded to float32, as by the kernel
		return d * d
	})
}

func wideRoot(n int, term func(int) float64) (want, scale []float64) {
	sum, _ := wideSum(n, func(i int) float64 { return term(i) * term(i) })
	root := []float64{math.Sqrt(sum[0])}
	return root, root
}

func wideCosine(x, y []float32) (want, scale []float64) {
	var xy, xx, yy float64
	for i, v := range x {
		a, b := float64(v), float64(y[i])
		xy, xx, yy = xy+a*b, xx+a*a, yy+b*b
	}
	return []float64{xy / math.Sqrt(xx*yy)}, []float64{1}
}

func wideMap(n int, terms func(int) (u, v float64)) (want, scale []float64) {
	for i := range n {
		u, v := terms(i)
		want = append(want, u+v)
		scale = append(scale, math.Abs(u)+math.Abs(v))
	}
	return want, scale
}

// each calls add with the index of an element of y and a term to add to it.
func wideAdd(y []float32, each func(add func(j int, term float64))) (want, scale []float64) {
	want, scale = wideMap(len(y), func(j int) (v, zero float64) { return float64(y[j]), 0 })
	each(func(j int, term float64) {
		want[j] += term
		scale[j] += math.Abs(term)
	})
	return want, scale
}

func wideEach(n int, wide func(i int) (want, scale []float64)) (want, scale []float64) {
	for i := range n {
		w, s := wide(i)
		want, scale = append(want, w...), append(scale, s...)
	}
	return want, scale
}

func doublesKernel(name string, call func(dst, x []float64), f func(x float64) float64) Kernel {
	return Kernel{
		Name:    name,
		Inexact: true,
		New: func(n int, m Memory, s *Source) *Args {
			a := &Args{Doubles: m.Doubles(n)}
			for i := range a.Doubles {
				a.Doubles[i] = 40 * float64(s.Float())
			}
			return a
		},
		Call: func(a *Args) float32 { call(a.Doubles, a.Doubles); return 0 },
		Wide: func(a *Args) (want, scale []float64) {
			for _, x := range a.Doubles {
				v := f(x)
				want, scale = append(want, v, 0, 0), append(scale, v, v, v)
			}
			return want, scale
		},
		Bytes: func(a *Args) int { return 16 * len(a.Doubles) },
	}
}

func bytesKernel(name string, signed bool, call func(x, y []byte, signed bool) int64,
	term func(x, y int64) int64) Kernel {
	return Kernel{
		Name: name,
		New:  func(n int, m Memory, s *Source) *Args { return newBytes(n, 1, n, m, s) },
		Call: func(a *Args) float32 {
			a.Scores[0] = call(a.Bytes[0], a.Bytes[1], signed)
			return 0
		},
		Wide:  func(a *Args) (want, scale []float64) { return wideBytes(a, signed, term) },
		Bytes: func(a *Args) int { return 2 * len(a.Bytes[0]) },
	}
}

func byteRowsKernel(name string, signed bool,
	call func(dst []int64, rows []byte, stride int, x []byte, signed bool),
	term func(x, y int64) int64) Kernel {
	return Kernel{
		Name:    name,
		MaxSize: asm.Block,
		New: func(n int, m Memory, s *Source) *Args {
			n = min(n, asm.Block)
			return newBytes(n, 4+n%7, n+n%3, m, s)
		},
		Call: func(a *Args) float32 {
			call(a.Scores, a.Bytes[0], a.Stride, a.Bytes[1], signed)
			return 0
		},
		Wide:  func(a *Args) (want, scale []float64) { return wideBytes(a, signed, term) },
		Bytes: func(a *Args) int { return len(a.Bytes[1]) * (len(a.Scores) + 1) },
	}
}

func byteTileKernel(name string, signed bool) Kernel {
	return Kernel{
		Name:    name,
		MaxSize: asm.Block,
		New: func(n int, m Memory, s *Source) *Args {
			n = min(n, asm.Block)
			a := newBytes(n, 4+n%7, n+n%3, m, s)
			a.ByteQueries = [][]byte{a.Bytes[1]}
			for range 3 + n%5 {
				a.ByteQueries = append(a.ByteQueries, newBytes(n, 1, n, m, s).Bytes[1])
			}
			a.Scores = integers[int64](m, len(a.ByteQueries)*len(a.Scores))
			return a
		},
		Call: func(a *Args) float32 {
			asm.DotTileBytes(a.Scores, a.Bytes[0], a.Stride, a.ByteQueries, nil, signed)
			return 0
		},
		Wide: func(a *Args) (want, scale []float64) {
			some := *a
			some.Scores = a.Scores[:len(a.Scores)/len(a.ByteQueries)]
			return wideEach(len(a.ByteQueries), func(i int) (want, scale []float64) {
				some.Bytes[1] = a.ByteQueries[i]
				return wideBytes(&some, signed, product)
			})
		},
		Bytes: func(a *Args) int { return len(a.Bytes[0]) + len(a.ByteQueries)*len(a.Bytes[1]) },
	}
}

func product(x, y int64) int64 { return x * y }
func square(x, y int64) int64  { return (x - y) * (x - y) }

// With probability 1/3 the rows hold only the extremes of int8 and uint8: 0, 127, 128 and 255.
// Independently, the same holds for the vector.
func newBytes(n, count, stride int, m Memory, s *Source) *Args {
	a := &Args{Bytes: [2][]byte{m.Bytes((count-1)*stride + n), m.Bytes(n)}, Stride: stride,
		Scores: integers[int64](m, count)}
	for _, v := range a.Bytes {
		extreme := s.IntN(3) == 0
		for i := range v {
			v[i] = byte(s.Uint32())
			if extreme {
				v[i] = [4]byte{0, 127, 128, 255}[v[i]%4]
			}
		}
	}
	return a
}

func byteValue(b byte, signed bool) int64 {
	if signed {
		return int64(int8(b))
	}
	return int64(b)
}

func wideBytes(a *Args, signed bool, term func(x, y int64) int64) (want, scale []float64) {
	for i := range a.Scores {
		var sum int64
		for j, b := range a.Bytes[1] {
			sum += term(byteValue(a.Bytes[0][i*a.Stride+j], signed), byteValue(b, signed))
		}
		for _, part := range appendParts(nil, sum) {
			want = append(want, float64(part))
		}
	}
	return want, make([]float64, len(want))
}

func doubleSumsKernel(name string, call func(x, y []float32) [3]float64,
	terms ...func(x, y float64) float64) Kernel {
	return Kernel{
		Name: name,
		New: func(n int, m Memory, s *Source) *Args {
			return &Args{X: s.floats(m, n), Y: s.floats(m, n), Out: m.Floats(3 * len(terms))}
		},
		Call: func(a *Args) float32 {
			sums, out := call(a.X, a.Y), a.Out[:0]
			for k := range terms {
				out = appendDouble(out, sums[k])
			}
			return 0
		},
		Wide: func(a *Args) (want, scale []float64) {
			for _, term := range terms {
				w, s := wideSum(len(a.X),
					func(i int) float64 { return term(float64(a.X[i]), float64(a.Y[i])) })
				want, scale = append(want, w[0], 0, 0), append(scale, s[0], s[0], s[0])
			}
			return want, scale
		},
		Bytes: func(a *Args) int { return 8 * len(a.X) },
	}
}

// HalfValue returns the value of a half-precision number.
func HalfValue(h uint16, bfloat16 bool) float64 {
	fraction, least := 10, -24 // exponent of the least positive number
	if bfloat16 {
		fraction, least = 7, -133
	}
	mantissa, exponent := int(h)&(1<<fraction-1), int(h&0x7fff)>>fraction
	v := math.Ldexp(float64(mantissa), least)
	switch {
	case exponent == 0x7fff>>fraction && mantissa != 0:
		v = math.NaN()
	case exponent == 0x7fff>>fraction:
		v = math.Inf(1)
	case exponent > 0:
		v = math.Ldexp(float64(mantissa+1<<fraction), least+exponent-1)
	}
	if h>>15 == 1 {
		return -v
	}
	return v
}

// HalfUnbounded is HalfValue for a number that is not negative. For infinity it returns the number
// that would follow the greatest finite number, so that rounding boundaries are midpoints.
func HalfUnbounded(h uint16, bfloat16 bool) float64 {
	if v := HalfValue(h, bfloat16); !math.IsInf(v, 1) {
		return v
	}
	return 2*HalfValue(h-1, bfloat16) - HalfValue(h-2, bfloat16)
}

func bitsOf(halves []uint16) []float32 {
	v := make([]float32, len(halves))
	for i, h := range halves {
		v[i] = float32(h)
	}
	return v
}

func (s *Source) halves(m Memory, n int, bfloat16 bool) []uint16 {
	v, x := m.Shorts(n), make([]float32, n)
	for i := range x {
		x[i] = s.Float()
	}
	asm.PackHalves(v, x, bfloat16)
	return v
}

func newHalves(bfloat16 bool) func(n int, m Memory, s *Source) *Args {
	return func(n int, m Memory, s *Source) *Args {
		count, stride := 1+n%5, n+n%3
		return &Args{X: s.floats(m, n), Halves: s.halves(m, (count-1)*stride+n, bfloat16),
			Stride: stride, Out: m.Floats(count)}
	}
}

func squareInFloat32(x, y float64) float64 {
	d := float64(float32(y) - float32(x)) // rounded to float32, as by the kernel
	return d * d
}

func halfRowsKernel(name string, bfloat16 bool, op asm.HalfSum,
	term func(x, y float64) float64) Kernel {
	return Kernel{
		Name: name,
		New:  newHalves(bfloat16),
		Call: func(a *Args) float32 {
			asm.HalfRows(op, a.Out, a.Halves, a.Stride, a.X, bfloat16)
			return 0
		},
		Wide: func(a *Args) (want, scale []float64) {
			return wideEach(len(a.Out), func(i int) (want, scale []float64) {
				return wideSum(len(a.X), func(j int) float64 {
					return term(float64(a.X[j]), HalfValue(a.Halves[i*a.Stride+j], bfloat16))
				})
			})
		},
		Bytes: func(a *Args) int { return len(a.X) * (4 + 2*len(a.Out)) },
	}
}

func halfNormsKernel(name string, bfloat16 bool) Kernel {
	return Kernel{
		Name: name,
		New: func(n int, m Memory, s *Source) *Args {
			return &Args{X: s.floats(m, n), Halves: s.halves(m, n, bfloat16), Out: m.Floats(2)}
		},
		Call: func(a *Args) float32 {
			a.Out[0], a.Out[1] = asm.HalfNorms(a.X, a.Halves, bfloat16)
			return 0
		},
		Wide: func(a *Args) (want, scale []float64) {
			y := func(j int) float64 { return HalfValue(a.Halves[j], bfloat16) }
			want, scale = wideSum(len(a.X), func(j int) float64 { return float64(a.X[j]) * y(j) })
			w, s := wideSum(len(a.X), func(j int) float64 { return y(j) * y(j) })
			// Squares of numbers with few bits are rounded to the same side more often, so the
			// error bound is doubled.
			return append(want, w...), append(scale, 2*s[0])
		},
		Bytes: func(a *Args) int { return 6 * len(a.X) },
	}
}

func halfCosineKernel(name string, bfloat16 bool) Kernel {
	return Kernel{
		Name:    name,
		Inexact: true,
		New:     newHalves(bfloat16),
		Call: func(a *Args) float32 {
			asm.CosineHalfRows(a.Out, a.Halves, a.Stride, a.X, bfloat16)
			return 0
		},
		Wide: func(a *Args) (want, scale []float64) {
			return wideEach(len(a.Out), func(i int) (want, scale []float64) {
				row := make([]float32, len(a.X))
				for j := range row {
					row[j] = float32(HalfValue(a.Halves[i*a.Stride+j], bfloat16))
				}
				return wideCosine(a.X, row)
			})
		},
		Bytes: func(a *Args) int { return len(a.X) * (4 + 2*len(a.Out)) },
	}
}

func unpackHalvesKernel(name string, bfloat16 bool) Kernel {
	return Kernel{
		Name: name,
		New: func(n int, m Memory, s *Source) *Args {
			return &Args{Halves: s.halves(m, n, bfloat16), Out: m.Floats(n)}
		},
		Call: func(a *Args) float32 { asm.UnpackHalves(a.Out, a.Halves, bfloat16); return 0 },
		Wide: func(a *Args) (want, scale []float64) {
			for _, h := range a.Halves {
				want = append(want, HalfValue(h, bfloat16))
			}
			return want, make([]float64, len(want))
		},
		Bytes: func(a *Args) int { return 6 * len(a.Halves) },
	}
}

func packHalvesKernel(name string, bfloat16 bool) Kernel {
	return Kernel{
		Name: name,
		New: func(n int, m Memory, s *Source) *Args {
			return &Args{X: s.floats(m, n), Halves: m.Shorts(n), StoresHalves: true}
		},
		Call: func(a *Args) float32 { asm.PackHalves(a.Halves, a.X, bfloat16); return 0 },
		Wide: func(a *Args) (want, scale []float64) {
			for _, v := range a.X {
				want = append(want, float64(NearestHalf(v, bfloat16)))
			}
			return want, make([]float64, len(want))
		},
		Bytes: func(a *Args) int { return 6 * len(a.X) },
	}
}

// NearestHalf returns the half-precision number nearest to v, ties to even. From the midpoint of
// the greatest finite number and the next power of two on, it returns infinity. v must not be NaN.
func NearestHalf(v float32, bfloat16 bool) uint16 {
	infinity := uint16(0x7c00)
	if bfloat16 {
		infinity = 0x7f80
	}
	size := math.Abs(float64(v))
	value := func(h uint16) float64 { return HalfUnbounded(h, bfloat16) }
	above := uint16(sort.Search(int(infinity), func(h int) bool { return value(uint16(h)) >= size }))
	if above > 0 {
		below := above - 1
		down, up := size-value(below), value(above)-size
		if down < up || down == up && below%2 == 0 {
			above = below
		}
	}
	if math.Signbit(float64(v)) {
		above |= 0x8000
	}
	return above
}

func integers[T int64 | uint64](m Memory, n int) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(m.Doubles(n)))), n)
}

func floatBytesKernel(name string, signed bool) Kernel {
	return Kernel{
		Name: name,
		New: func(n int, m Memory, s *Source) *Args {
			a := &Args{X: s.floats(m, n), Bytes: [2][]byte{m.Bytes(n)}}
			for i := range a.Bytes[0] {
				a.Bytes[0][i] = byte(s.Uint32())
			}
			return a
		},
		Call: func(a *Args) float32 { return asm.DotFloatBytes(a.X, a.Bytes[0], signed) },
		Wide: func(a *Args) (want, scale []float64) {
			return wideSum(len(a.X), func(i int) float64 {
				return float64(a.X[i]) * float64(byteValue(a.Bytes[0][i], signed))
			})
		},
		Bytes: func(a *Args) int { return 5 * len(a.X) },
	}
}
