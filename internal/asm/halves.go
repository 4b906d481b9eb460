package asm

import "math"

// Halves are floats of 16 bits: bfloat16s, which are the upper halves of float32s, if the parameter
// brain is true, and else float16s, IEEE 754's binary16. A sum over a vector and a row of halves
// has the bits of the same sum over the vector and the row's float32s.

// UnpackHalves sets dst[i] to src[i], exactly. A float16 that is a signalling NaN becomes quiet. It
// panics if the lengths differ.
func UnpackHalves(dst []float32, src []uint16, brain bool) {
	if race {
		raceReads(src)
		raceWrites(dst)
	}
	unpackHalvesActive(dst, src, brain)
}

func unpackHalvesRare(dst []float32, src []uint16, brain bool) {
	if len(dst) != len(src) {
		panic(mismatch("len(dst)", len(dst), "len(src)", len(src)))
	}
	if len(dst) <= Block {
		unpackHalvesGeneric(dst, src, brain)
		return
	}
	for start := 0; start < len(dst); start += Block {
		end := min(start+Block, len(dst))
		unpackHalvesActive(dst[start:end], src[start:end], brain)
	}
}

func unpackHalvesGeneric(dst []float32, src []uint16, brain bool) {
	dst = dst[:len(src)]
	for i, h := range src {
		dst[i] = fromHalf(h, brain)
	}
}

func fromHalf(h uint16, brain bool) float32 {
	if brain {
		return math.Float32frombits(uint32(h) << 16)
	}
	return fromFloat16(h)
}

// fromFloat16 puts the exponent of a float16 where that of a float32 is, where it is 112 too small;
// multiplying by a power of two makes normal numbers of subnormal ones as well.
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

// PackHalves sets dst[i] to src[i], rounded to the nearest half, to even where two are as near, and
// to an infinity beyond the greatest. NaN keeps its sign and the upper bits of its payload, and is
// quiet. It panics if the lengths differ.
func PackHalves(dst []uint16, src []float32, brain bool) {
	if race {
		raceReads(src)
		raceWrites(dst)
	}
	packHalvesActive(dst, src, brain)
}

func packHalvesRare(dst []uint16, src []float32, brain bool) {
	if len(dst) != len(src) {
		panic(mismatch("len(dst)", len(dst), "len(src)", len(src)))
	}
	if len(dst) <= Block {
		packHalvesGeneric(dst, src, brain)
		return
	}
	for start := 0; start < len(dst); start += Block {
		end := min(start+Block, len(dst))
		packHalvesActive(dst[start:end], src[start:end], brain)
	}
}

func packHalvesGeneric(dst []uint16, src []float32, brain bool) {
	dst = dst[:len(src)]
	for i, v := range src {
		if brain {
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
	case b >= 0x477ff000: // halfway from the greatest to the next power of two
		return sign | 0x7c00
	case b >= 0x38800000: // 2^-14, the least that is normal
		return sign | uint16((b-112<<23+0xfff+b>>13&1)>>13)
	}
	// The last place of numbers from 0.5 on is that of subnormal float16s.
	return sign | uint16(math.Float32bits(math.Float32frombits(b)+0.5)-0x3f000000)
}

// A HalfSum is a sum over a vector and a row of halves.
type HalfSum uint8

const (
	HalfDot             HalfSum = iota // that of Dot
	HalfSquaredDistance                // that of SquaredDistance
)

// HalfRows is
//
//	for i := range dst {
//		dst[i] = op.Of(x, rows[i*stride:][:len(x)], brain)
//	}
//
// It panics if rows ends before its last row does. dst must not overlap rows or x.
func HalfRows(op HalfSum, dst []float32, rows []uint16, stride int, x []float32, brain bool) {
	CheckRows(len(rows), stride, len(dst), len(x))
	if race {
		raceReads(x)
		raceReadRows(rows, stride, nil, len(dst), len(x))
		raceWrites(dst)
	}
	n := len(x)
	if n > Block {
		for i := range dst {
			dst[i] = op.Of(x, rows[i*stride:][:n], brain)
		}
		return
	}
	for i, step := 0, RowsAtOnce(n); i < len(dst); i += step {
		op.rows(dst[i:min(i+step, len(dst))], rows[i*stride:], stride, x, brain)
	}
}

// Of returns the sum over x and y. It panics if the lengths differ.
func (op HalfSum) Of(x []float32, y []uint16, brain bool) (total float32) {
	if len(x) != len(y) {
		panic(mismatch("len(x)", len(x), "len(y)", len(y)))
	}
	if race {
		raceReads(x)
		raceReads(y)
	}
	var sum [1]float32
	for len(x) > Block {
		op.rows(sum[:], y[:Block], 0, x[:Block], brain)
		total += sum[0]
		x, y = x[Block:], y[Block:]
	}
	op.rows(sum[:], y, 0, x, brain)
	return total + sum[0]
}

// rows is for rows that are there, at least one and no more than RowsAtOnce, of no more than Block
// elements.
func (op HalfSum) rows(dst []float32, rows []uint16, stride int, x []float32, brain bool) {
	switch op {
	case HalfDot:
		dotHalvesActive(dst, rows, stride, x, brain)
	case HalfSquaredDistance:
		squaredDistanceHalvesActive(dst, rows, stride, x, brain)
	}
}

func dotHalvesGeneric(dst []float32, rows []uint16, stride int, x []float32, brain bool) {
	for i := range dst {
		var lane [lanes]float32
		for j, h := range rows[i*stride:][:len(x)] {
			lane[j%lanes] += float32(x[j] * fromHalf(h, brain))
		}
		dst[i] = fold(lane[:])
	}
}

func squaredDistanceHalvesGeneric(dst []float32, rows []uint16, stride int, x []float32,
	brain bool) {
	for i := range dst {
		var lane [lanes]float32
		for j, h := range rows[i*stride:][:len(x)] {
			d := fromHalf(h, brain) - x[j]
			lane[j%lanes] += float32(d * d)
		}
		dst[i] = fold(lane[:])
	}
}

// normsHalvesGeneric sets two elements of dst for each row: the sum that Dot is, and that of the
// squares of the row.
func normsHalvesGeneric(dst []float32, rows []uint16, stride int, x []float32, brain bool) {
	for i := range len(dst) / 2 {
		var xy, yy [lanes]float32
		for j, h := range rows[i*stride:][:len(x)] {
			v := fromHalf(h, brain)
			xy[j%lanes] += float32(x[j] * v)
			yy[j%lanes] += float32(v * v)
		}
		dst[2*i], dst[2*i+1] = fold(xy[:]), fold(yy[:])
	}
}

// HalfNorms returns the sums over x and y that are those of Dot(x, y) and SumSquares(y). It panics
// if the lengths differ.
func HalfNorms(x []float32, y []uint16, brain bool) (xy, yy float32) {
	if len(x) != len(y) {
		panic(mismatch("len(x)", len(x), "len(y)", len(y)))
	}
	if race {
		raceReads(x)
		raceReads(y)
	}
	var sums [2]float32
	for len(x) > Block {
		normsHalvesActive(sums[:], y[:Block], 0, x[:Block], brain)
		xy, yy = xy+sums[0], yy+sums[1]
		x, y = x[Block:], y[Block:]
	}
	normsHalvesActive(sums[:], y, 0, x, brain)
	return xy + sums[0], yy + sums[1]
}

// CosineHalfRows sets each element of dst to the Cosine of x and a row of halves. It panics where
// HalfRows does.
func CosineHalfRows(dst []float32, rows []uint16, stride int, x []float32, brain bool) {
	CheckRows(len(rows), stride, len(dst), len(x))
	if race {
		raceReads(x)
		raceReadRows(rows, stride, nil, len(dst), len(x))
		raceWrites(dst)
	}
	n, xx := len(x), SumSquares(x)
	if n > Block {
		for i := range dst {
			dst[i] = CosineHalves(x, rows[i*stride:][:n], brain)
		}
		return
	}
	var sums [2 * 64]float32
	step := min(len(sums)/2, RowsAtOnce(n))
	for start := 0; start < len(dst); start += step {
		to, here := dst[start:min(start+step, len(dst))], rows[start*stride:]
		normsHalvesActive(sums[:2*len(to)], here, stride, x, brain)
		for i := range to {
			to[i] = CosineOfHalves(x, here[i*stride:][:n], sums[2*i], xx, sums[2*i+1], brain)
		}
	}
}

// CosineHalves is Cosine(x, y). It panics if the lengths differ.
func CosineHalves(x []float32, y []uint16, brain bool) float32 {
	xy, yy := HalfNorms(x, y, brain)
	return CosineOfHalves(x, y, xy, SumSquares(x), yy, brain)
}

// CosineOfHalves is CosineHalves(x, y), given the sums that it is made of.
func CosineOfHalves(x []float32, y []uint16, xy, xx, yy float32, brain bool) float32 {
	c, ok := cosineOf(xy, xx, yy)
	switch {
	case ok:
		return c
	case !brain && xy == 0 && yy == 0: // the squares of float16s don't underflow: y is zeros
		return 0
	}
	return float32(CosineHalves64(x, y, brain))
}

// CosineHalves64 is Cosine64(x, y), for vectors of equal length. It is plain Go: few rows need it.
func CosineHalves64(x []float32, y []uint16, brain bool) float64 {
	var dot, squaresX, squaresY float64
	for start := 0; start < len(x); start += Block {
		end := min(start+Block, len(x))
		a, b, c := norms64Halves(x[start:end], y[start:end], brain)
		dot += a
		squaresX += b
		squaresY += c
	}
	return cosine64(dot, squaresX, squaresY)
}

// Of64 is Dot64(x, y) or SquaredDistance64(x, y), for vectors of equal length. It is plain Go: few
// rows need it.
func (op HalfSum) Of64(x []float32, y []uint16, brain bool) (total float64) {
	for start := 0; start < len(x); start += Block {
		var lane [doubleLanes]float64
		for i, v := range x[start:min(start+Block, len(x))] {
			a, b := float64(v), float64(fromHalf(y[start+i], brain))
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

// norms64Halves is DotNorms64 of x and y, of no more than Block elements. It is for what hardly
// ever happens.
func norms64Halves(x []float32, y []uint16, brain bool) (xy, xx, yy float64) {
	var dot, squaresX, squaresY [doubleLanes]float64
	for i, v := range x {
		a, b, l := float64(v), float64(fromHalf(y[i], brain)), i%doubleLanes
		dot[l] += a * b // exact, as in Dot64
		squaresX[l] += a * a
		squaresY[l] += b * b
	}
	return fold64(&dot), fold64(&squaresX), fold64(&squaresY)
}
