package asm

import (
	"math"
	"unsafe"

	"github.com/pegasimd/pegasimd/internal/base/misuse"
)

const doubleLanes = 32 // lanes of a float64 sum

// Dot64 computes
//
//	for i, v := range x {
//		lane[i%32] += float64(v) * float64(y[i])
//	}
//
// and folds the lanes as the package comment says.
func Dot64(x, y []float32) float64 {
	if race {
		raceReads(x, y)
	}
	return dot64Active(x, y)
}

func dot64Generic(x, y []float32) float64 {
	y = y[:len(x)]
	var lane [doubleLanes]float64
	for i, v := range x {
		lane[i%doubleLanes] += float64(v) * float64(y[i])
	}
	return fold64(&lane)
}

func fold64(lane *[doubleLanes]float64) float64 {
	for n := doubleLanes / 2; n > 0; n /= 2 {
		for l := range n {
			lane[l] += lane[n+l]
		}
	}
	return lane[0]
}

// SquaredDistance64 computes
//
//	for i, v := range x {
//		d := float64(v) - float64(y[i])
//		lane[i%32] += float64(d * d)
//	}
//
// and folds the lanes.
func SquaredDistance64(x, y []float32) float64 {
	if race {
		raceReads(x, y)
	}
	return squaredDistance64Active(x, y)
}

func squaredDistance64Generic(x, y []float32) float64 {
	y = y[:len(x)]
	var lane [doubleLanes]float64
	for i, v := range x {
		d := float64(v) - float64(y[i])
		lane[i%doubleLanes] += float64(d * d)
	}
	return fold64(&lane)
}

// DotNorms64 returns Dot64(x, y), Dot64(x, x) and Dot64(y, y).
func DotNorms64(x, y []float32) (xy, xx, yy float64) {
	if race {
		raceReads(x, y)
	}
	var sums [3]float64
	dotNorms64Active(&sums[0], x, y)
	return sums[0], sums[1], sums[2]
}

func dotNorms64Slow(dst *float64, x, y []float32) {
	misuse.CheckEqual("len(x)", len(x), "len(y)", len(y))
	sums := unsafe.Slice(dst, 3)
	if len(x) <= Block {
		sums[0], sums[1], sums[2] = dotNorms64Generic(x, y)
		return
	}
	var block [3]float64
	clear(sums)
	for i := 0; i < len(x); i += Block {
		j := min(i+Block, len(x))
		dotNorms64Active(&block[0], x[i:j], y[i:j])
		for k := range sums {
			sums[k] += block[k]
		}
	}
}

func dotNorms64Generic(x, y []float32) (xy, xx, yy float64) {
	return dot64Generic(x, y), dot64Generic(x, x), dot64Generic(y, y)
}

// Cosine64 returns xy / sqrt(xx*yy), clamped to [-1, 1], for the sums of DotNorms64(x, y), which
// neither overflow nor underflow for finite elements. It returns NaN if an element is infinite or
// NaN, and otherwise 0 if a vector is all zeros.
func Cosine64(x, y []float32) float64 { return cosine64(DotNorms64(x, y)) }

func cosine64(xy, xx, yy float64) float64 {
	if xy == 0 && (xx == 0 || yy == 0) {
		return 0
	}
	return max(-1, min(xy/math.Sqrt(float64(xx*yy)), 1))
}

// Axpy64 adds float64(a * float64(x[i])) to y[i].
func Axpy64(a float64, x []float32, y []float64) {
	if race {
		raceReads(x)
		raceWrites(y)
	}
	axpy64Active(&a, x, y)
}

func axpy64Generic(factor *float64, x []float32, y []float64) {
	a, y := *factor, y[:len(x)]
	for i, v := range x {
		y[i] += float64(a * float64(v))
	}
}

// FromFloat64 sets dst[i] to float32(src[i]).
func FromFloat64(dst []float32, src []float64) {
	if race {
		raceReads(src)
		raceWrites(dst)
	}
	fromFloat64Active(dst, src)
}

func fromFloat64Generic(dst []float32, src []float64) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] = float32(v)
	}
}
