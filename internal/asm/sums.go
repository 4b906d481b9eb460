package asm

import (
	"math"
	"unsafe"

	"github.com/pegasimd/pegasimd/internal/base/misuse"
)

// Dot computes
//
//	for i, v := range x {
//		lane[i%64] += float32(v * y[i])
//	}
//
// and folds the lanes as the package comment says.
func Dot(x, y []float32) float32 {
	if race {
		raceReads(x, y)
	}
	return dotActive(x, y)
}

func dotSlow(x, y []float32) float32 {
	misuse.CheckEqual("len(x)", len(x), "len(y)", len(y))
	if len(x) > Block {
		return dotBlocks(x, y)
	}
	return dotGeneric(x, y)
}

// minDotTwo is the length, in elements, from which Dot sums two blocks at a time.
const minDotTwo = 4 << 20

func dotBlocks(x, y []float32) (sum float32) {
	if len(x) >= minDotTwo {
		var two [2]float32
		for len(x) >= 2*Block {
			dotTwoActive(two[:], x[:2*Block], y[:2*Block])
			sum += two[0]
			sum += two[1]
			x, y = x[2*Block:], y[2*Block:]
		}
	}
	for i := 0; i < len(x); i += Block {
		j := min(i+Block, len(x))
		sum += Dot(x[i:j], y[i:j])
	}
	return sum
}

// Half the length of x must be a multiple of 64.
func dotTwoGeneric(dst, x, y []float32) {
	n := len(x) / 2
	dst[0], dst[1] = dotGeneric(x[:n], y[:n]), dotGeneric(x[n:], y[n:])
}

// dotGeneric computes eight lanes at a time, which stay in registers.
func dotGeneric(x, y []float32) float32 {
	y = y[:len(x)]
	var lane [lanes]float32
	for g := 0; g < lanes && g < len(x); g += 8 {
		var s0, s1, s2, s3, s4, s5, s6, s7 float32
		i := g
		for ; i+8 <= len(x); i += lanes {
			a, b := (*[8]float32)(x[i:]), (*[8]float32)(y[i:])
			s0 += float32(a[0] * b[0])
			s1 += float32(a[1] * b[1])
			s2 += float32(a[2] * b[2])
			s3 += float32(a[3] * b[3])
			s4 += float32(a[4] * b[4])
			s5 += float32(a[5] * b[5])
			s6 += float32(a[6] * b[6])
			s7 += float32(a[7] * b[7])
		}
		*(*[8]float32)(lane[g:]) = [8]float32{s0, s1, s2, s3, s4, s5, s6, s7}
		for l := g; i < len(x); i, l = i+1, l+1 {
			lane[l] += float32(x[i] * y[i])
		}
	}
	// Lanes that a short vector does not reach are +0, and adding +0 to the other lanes, which are
	// never -0, changes nothing.
	n := lanes
	for n/2 >= len(x) && n > 1 {
		n /= 2
	}
	return fold(lane[:n])
}

func fold(lane []float32) float32 {
	for n := len(lane) / 2; n > 0; n /= 2 {
		for l := range n {
			lane[l] += lane[n+l]
		}
	}
	return lane[0]
}

// SumSquares returns the bits of Dot(x, x).
func SumSquares(x []float32) float32 {
	if race {
		raceReads(x)
	}
	return sumSquaresActive(x)
}

func sumSquaresGeneric(x []float32) float32 { return dotGeneric(x, x) }

// SquaredDistance computes
//
//	for i, v := range x {
//		d := v - y[i]
//		lane[i%64] += float32(d * d)
//	}
//
// and folds the lanes.
func SquaredDistance(x, y []float32) float32 {
	if race {
		raceReads(x, y)
	}
	return squaredDistanceActive(x, y)
}

func squaredDistanceGeneric(x, y []float32) float32 {
	y = y[:len(x)]
	var lane [lanes]float32
	for len(x) >= lanes {
		a, b := (*[lanes]float32)(x), (*[lanes]float32)(y)
		for l := range lane {
			d := a[l] - b[l]
			lane[l] += float32(d * d)
		}
		x, y = x[lanes:], y[lanes:]
	}
	for l, v := range x {
		d := v - y[l]
		lane[l] += float32(d * d)
	}
	return fold(lane[:])
}

// DotNorms returns Dot(x, y), SumSquares(x) and SumSquares(y).
func DotNorms(x, y []float32) (xy, xx, yy float32) {
	if race {
		raceReads(x, y)
	}
	var sums [3]float32
	dotNormsActive(&sums[0], x, y)
	return sums[0], sums[1], sums[2]
}

func dotNormsSlow(dst *float32, x, y []float32) {
	misuse.CheckEqual("len(x)", len(x), "len(y)", len(y))
	sums := unsafe.Slice(dst, 3)
	if len(x) <= Block {
		sums[0], sums[1], sums[2] = dotNormsGeneric(x, y)
		return
	}
	var block [3]float32
	clear(sums)
	for i := 0; i < len(x); i += Block {
		j := min(i+Block, len(x))
		dotNormsActive(&block[0], x[i:j], y[i:j])
		for k := range sums {
			sums[k] += block[k]
		}
	}
}

func dotNormsGeneric(x, y []float32) (xy, xx, yy float32) {
	return dotGeneric(x, y), dotGeneric(x, x), dotGeneric(y, y)
}

// Sum computes
//
//	for i, v := range x {
//		lane[i%64] += v
//	}
//
// and folds the lanes.
func Sum(x []float32) float32 {
	if race {
		raceReads(x)
	}
	return sumActive(x)
}

func sumGeneric(x []float32) float32 {
	var lane [lanes]float32
	for i, v := range x {
		lane[i%lanes] += v
	}
	return fold(lane[:])
}

// SumAbs returns Sum of the absolute values of x.
func SumAbs(x []float32) float32 {
	if race {
		raceReads(x)
	}
	return sumAbsActive(x)
}

func sumAbsGeneric(x []float32) float32 {
	var lane [lanes]float32
	for i, v := range x {
		lane[i%lanes] += abs(v)
	}
	return fold(lane[:])
}

func abs(v float32) float32 { return math.Float32frombits(math.Float32bits(v) &^ (1 << 31)) }

// L1Distance computes
//
//	for i, v := range x {
//		lane[i%64] += |v - y[i]|
//	}
//
// and folds the lanes.
func L1Distance(x, y []float32) float32 {
	if race {
		raceReads(x, y)
	}
	return l1DistanceActive(x, y)
}

func l1DistanceGeneric(x, y []float32) float32 {
	y = y[:len(x)]
	var lane [lanes]float32
	for i, v := range x {
		lane[i%lanes] += abs(v - y[i])
	}
	return fold(lane[:])
}
