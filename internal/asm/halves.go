package asm

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/base/misuse"
)

// The uint16s called halves are half-precision floats: bfloat16s, the upper halves of float32s, if
// the parameter bfloat16 is true, and otherwise float16s (IEEE 754's binary16). A sum over halves
// has the bits of the same sum over their float32 values.

// UnpackHalves sets dst[i] to the exact float32 value of src[i]. A signaling NaN in float16 becomes
// quiet.
func UnpackHalves(dst []float32, src []uint16, bfloat16 bool) {
	if race {
		raceReads(src)
		raceWrites(dst)
	}
	unpackHalvesActive(dst, src, bfloat16)
}

func unpackHalvesGeneric(dst []float32, src []uint16, bfloat16 bool) {
	dst = dst[:len(src)]
	for i, h := range src {
		dst[i] = fromHalf(h, bfloat16)
	}
}

func fromHalf(h uint16, bfloat16 bool) float32 {
	if bfloat16 {
		return math.Float32frombits(uint32(h) << 16)
	}
	return fromFloat16(h)
}

// fromFloat16 moves the exponent to its place in a float32, where it is 112 too small, and
// multiplies by 2^112, which also turns subnormal numbers into normal ones.
func fromFloat16(h uint16) float32 {
	sign, rest := uint32(h>>15)<<31, uint32(h&0x7fff)<<13
	switch {
	case rest > 0x0f800000: // NaN
		return math.Float32frombits(sign | 0x7fc00000 | rest)
	case rest == 0x0f800000:
		return math.Float32frombits(sign | 0x7f800000)
	}
	return math.Float32frombits(sign | math.Float32bits(math.Float32frombits(rest)*0x1p112))
}

// PackHalves sets dst[i] to src[i], rounded to the nearest half-precision number, ties to even.
// Values that round beyond the greatest finite one become infinite. NaN keeps its sign and the
// upper bits of its payload and becomes quiet.
func PackHalves(dst []uint16, src []float32, bfloat16 bool) {
	if race {
		raceReads(src)
		raceWrites(dst)
	}
	packHalvesActive(dst, src, bfloat16)
}

func packHalvesGeneric(dst []uint16, src []float32, bfloat16 bool) {
	dst = dst[:len(src)]
	for i, v := range src {
		if bfloat16 {
			dst[i] = toBfloat16(v)
		} else {
			dst[i] = toFloat16(v)
		}
	}
}

func toBfloat16(v float32) uint16 {
	b := math.Float32bits(v)
	if v != v {
		return uint16(b>>16) | 0x40
	}
	return uint16((b + 0x7fff + b>>16&1) >> 16)
}

func toFloat16(v float32) uint16 {
	b := math.Float32bits(v)
	sign, b := uint16(b>>16)&0x8000, b&0x7fffffff
	switch {
	case b > 0x7f800000: // NaN
		return sign | 0x7e00 | uint16(b>>13)&0x3ff
	case b >= 0x477ff000: // halfway from the greatest float16 to the next power of two, or beyond
		return sign | 0x7c00
	case b >= 0x38800000: // at least 2^-14, the least normal float16
		return sign | uint16((b-112<<23+0xfff+b>>13&1)>>13)
	}
	// float32s from 0.5 to 1 are spaced like subnormal float16s, so adding 0.5 rounds to a
	// subnormal float16.
	return sign | uint16(math.Float32bits(math.Float32frombits(b)+0.5)-0x3f000000)
}

type HalfSum uint8

const (
	HalfDot HalfSum = iota
	HalfSquaredDistance
)

// HalfRows sets dst[i] to op.Of(x, rows[i*stride:][:len(x)], bfloat16).
func HalfRows(op HalfSum, dst []float32, rows []uint16, stride int, x []float32, bfloat16 bool) {
	checkOperands(dst, rows, stride, x)
	n := len(x)
	if n > Block {
		for i := range dst {
			dst[i] = op.Of(x, rows[i*stride:][:n], bfloat16)
		}
		return
	}
	for i, step := 0, RowsAtOnce(n); i < len(dst); i += step {
		op.rows(dst[i:min(i+step, len(dst))], rows[i*stride:], stride, x, bfloat16)
	}
}

func HalfRowsAt[I Index](op HalfSum, dst []float32, rows []uint16, stride int, idx []I,
	x []float32, bfloat16 bool) {
	picks := checkOperandsAt(dst, rows, stride, idx, x)
	for i := range dst {
		prefetchHalves(rows, stride, picks, i+2, len(x))
		dst[i] = op.Of(x, row(rows, stride, picks, i, len(x)), bfloat16)
	}
}

func prefetchHalves(rows []uint16, stride int, idx []uint32, i, n int) {
	if len(rows) >= 2*beyondL3 && i < len(idx) {
		Prefetch(row(rows, stride, idx, i, n))
	}
}

func (op HalfSum) Of(x []float32, y []uint16, bfloat16 bool) (total float32) {
	misuse.CheckEqual("len(x)", len(x), "len(y)", len(y))
	if race {
		raceReads(x)
		raceReads(y)
	}
	var sum [1]float32
	for len(x) > Block {
		op.rows(sum[:], y[:Block], 0, x[:Block], bfloat16)
		total += sum[0]
		x, y = x[Block:], y[Block:]
	}
	op.rows(sum[:], y, 0, x, bfloat16)
	return total + sum[0]
}

// There must be 1 to RowsAtOnce(len(x)) rows, all within the slice, of at most Block elements.
func (op HalfSum) rows(dst []float32, rows []uint16, stride int, x []float32, bfloat16 bool) {
	switch op {
	case HalfDot:
		dotHalvesActive(dst, rows, stride, x, bfloat16)
	case HalfSquaredDistance:
		squaredDistanceHalvesActive(dst, rows, stride, x, bfloat16)
	}
}

func dotHalvesGeneric(dst []float32, rows []uint16, stride int, x []float32, bfloat16 bool) {
	for i := range dst {
		var lane [lanes]float32
		for j, h := range rows[i*stride:][:len(x)] {
			lane[j%lanes] += float32(x[j] * fromHalf(h, bfloat16))
		}
		dst[i] = fold(lane[:])
	}
}

func squaredDistanceHalvesGeneric(dst []float32, rows []uint16, stride int, x []float32,
	bfloat16 bool) {
	for i := range dst {
		var lane [lanes]float32
		for j, h := range rows[i*stride:][:len(x)] {
			d := fromHalf(h, bfloat16) - x[j]
			lane[j%lanes] += float32(d * d)
		}
		dst[i] = fold(lane[:])
	}
}

// normsHalvesGeneric sets two elements of dst for each row: the dot product of x and the row, and
// the row's sum of squares.
func normsHalvesGeneric(dst []float32, rows []uint16, stride int, x []float32, bfloat16 bool) {
	for i := range len(dst) / 2 {
		var xy, yy [lanes]float32
		for j, h := range rows[i*stride:][:len(x)] {
			v := fromHalf(h, bfloat16)
			xy[j%lanes] += float32(x[j] * v)
			yy[j%lanes] += float32(v * v)
		}
		dst[2*i], dst[2*i+1] = fold(xy[:]), fold(yy[:])
	}
}

func HalfNorms(x []float32, y []uint16, bfloat16 bool) (xy, yy float32) {
	misuse.CheckEqual("len(x)", len(x), "len(y)", len(y))
	if race {
		raceReads(x)
		raceReads(y)
	}
	var sums [2]float32
	for len(x) > Block {
		normsHalvesActive(sums[:], y[:Block], 0, x[:Block], bfloat16)
		xy, yy = xy+sums[0], yy+sums[1]
		x, y = x[Block:], y[Block:]
	}
	normsHalvesActive(sums[:], y, 0, x, bfloat16)
	return xy + sums[0], yy + sums[1]
}

// CosineHalfRows sets dst[i] to CosineHalves(x, rows[i*stride:][:len(x)], bfloat16).
func CosineHalfRows(dst []float32, rows []uint16, stride int, x []float32, bfloat16 bool) {
	checkOperands(dst, rows, stride, x)
	n, xx := len(x), SumSquares(x)
	if n > Block {
		for i := range dst {
			dst[i] = CosineHalves(x, rows[i*stride:][:n], bfloat16)
		}
		return
	}
	var sums [2 * 64]float32
	step := min(len(sums)/2, RowsAtOnce(n))
	for start := 0; start < len(dst); start += step {
		to, here := dst[start:min(start+step, len(dst))], rows[start*stride:]
		normsHalvesActive(sums[:2*len(to)], here, stride, x, bfloat16)
		for i := range to {
			to[i] = CosineOfHalves(x, here[i*stride:][:n], sums[2*i], xx, sums[2*i+1], bfloat16)
		}
	}
}

func CosineHalfRowsAt[I Index](dst []float32, rows []uint16, stride int, idx []I, x []float32,
	bfloat16 bool) {
	picks, xx := checkOperandsAt(dst, rows, stride, idx, x), SumSquares(x)
	for i := range dst {
		prefetchHalves(rows, stride, picks, i+2, len(x))
		v := row(rows, stride, picks, i, len(x))
		xy, yy := HalfNorms(x, v, bfloat16)
		dst[i] = CosineOfHalves(x, v, xy, xx, yy, bfloat16)
	}
}

func CosineHalves(x []float32, y []uint16, bfloat16 bool) float32 {
	xy, yy := HalfNorms(x, y, bfloat16)
	return CosineOfHalves(x, y, xy, SumSquares(x), yy, bfloat16)
}

func CosineOfHalves(x []float32, y []uint16, xy, xx, yy float32, bfloat16 bool) float32 {
	c, ok := cosineOf(xy, xx, yy)
	switch {
	case ok:
		return c
	case !bfloat16 && xy == 0 && yy == 0: // squares of float16s don't underflow, so y is all zeros
		return 0
	}
	return float32(CosineHalves64(x, y, bfloat16))
}

// CosineHalves64 requires vectors of equal length.
func CosineHalves64(x []float32, y []uint16, bfloat16 bool) float64 {
	var dot, squaresX, squaresY float64
	for start := 0; start < len(x); start += Block {
		end := min(start+Block, len(x))
		a, b, c := norms64Halves(x[start:end], y[start:end], bfloat16)
		dot += a
		squaresX += b
		squaresY += c
	}
	return cosine64(dot, squaresX, squaresY)
}

// Of64 is Of with the float64 sum of Dot64 or SquaredDistance64. x and y must have equal length.
func (op HalfSum) Of64(x []float32, y []uint16, bfloat16 bool) (total float64) {
	for start := 0; start < len(x); start += Block {
		var lane [doubleLanes]float64
		for i, v := range x[start:min(start+Block, len(x))] {
			a, b := float64(v), float64(fromHalf(y[start+i], bfloat16))
			if op == HalfSquaredDistance {
				a -= b
				b = a
			}
			lane[i%doubleLanes] += float64(a * b)
		}
		total += fold64(&lane)
	}
	return total
}

// x and y must have equal length, at most Block.
func norms64Halves(x []float32, y []uint16, bfloat16 bool) (xy, xx, yy float64) {
	var dot, squaresX, squaresY [doubleLanes]float64
	for i, v := range x {
		a, b, l := float64(v), float64(fromHalf(y[i], bfloat16)), i%doubleLanes
		dot[l] += a * b // the product is exact
		squaresX[l] += a * a
		squaresY[l] += b * b
	}
	return fold64(&dot), fold64(&squaresX), fold64(&squaresY)
}
