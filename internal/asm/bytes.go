package asm

import (
	"unsafe"

	"github.com/pegasimd/pegasimd/internal/base/misuse"
)

// Unpack sets dst[i] to float32(b*hi) + float32(b*lo), with b = float32(src[i]).
func Unpack(dst []float32, src []byte, hi, lo float32) {
	if race {
		raceReads(src)
		raceWrites(dst)
	}
	unpackActive(dst, src, hi, lo)
}

func unpackGeneric(dst []float32, src []byte, hi, lo float32) {
	dst = dst[:len(src)]
	for i, b := range src {
		v := float32(b)
		dst[i] = float32(v*hi) + float32(v*lo)
	}
}

// UnpackDot computes
//
//	Unpack(dst, src, hi, lo)
//	return Dot(dst[:len(w)], w)
//
// It panics unless dst and src have length len(w), rounded up to a multiple of eight. The bytes of
// src from len(w) on must be 0, and hi and lo finite.
func UnpackDot(dst []float32, src []byte, hi, lo float32, w []float32) float32 {
	n := len(w)
	misuse.CheckEqual("len(dst)", len(dst), "len(w) rounded up", (n+7)&^7)
	misuse.CheckEqual("len(src)", len(src), "len(dst)", len(dst))
	if race {
		raceReads(src)
		raceWrites(dst)
		raceReads(w)
	}
	if n == 0 || n > Block {
		Unpack(dst, src, hi, lo)
		return Dot(dst[:n], w)
	}
	return unpackDotActive(dst, src, hi, lo, w)
}

func unpackDotGeneric(dst []float32, src []byte, hi, lo float32, w []float32) float32 {
	unpackGeneric(dst, src, hi, lo)
	return dotGeneric(dst[:len(w)], w)
}

// Vectors of bytes hold int8 values if the parameter signed is true, and uint8 values otherwise.
// The assembly sums each block in 32 bits, which is exact: 65536*255*255 < 2^32.

// DotBytes returns the exact sum of x[i]*y[i].
func DotBytes(x, y []uint8, signed bool) int64 {
	if race {
		raceReads(x, y)
	}
	return dotBytesActive(x, y, signed)
}

func dotBytesGeneric(x, y []uint8, signed bool) (sum int64) {
	y = y[:len(x)]
	if signed {
		for i, v := range x {
			sum += int64(int8(v)) * int64(int8(y[i]))
		}
		return sum
	}
	for i, v := range x {
		sum += int64(v) * int64(y[i])
	}
	return sum
}

// SquaredDistanceBytes returns the exact sum of (x[i]-y[i])^2.
func SquaredDistanceBytes(x, y []uint8, signed bool) int64 {
	if race {
		raceReads(x, y)
	}
	return squaredDistanceBytesActive(x, y, signed)
}

func squaredDistanceBytesGeneric(x, y []uint8, signed bool) (sum int64) {
	y = y[:len(x)]
	var flip uint8
	if signed {
		flip = 128 // added to both values, which keeps their difference
	}
	for i, v := range x {
		d := int64(v^flip) - int64(y[i]^flip)
		sum += d * d
	}
	return sum
}

// DotRowsBytes sets dst[i] to DotBytes(rows[i*stride:][:len(x)], x, signed). The caller checks that
// there are 1 to RowsAtOnce(len(x)) rows, all within the slice, of at most Block elements: without
// a row, the assembly would store a result beyond dst.
func DotRowsBytes(dst []int64, rows []uint8, stride int, x []uint8, signed bool) {
	if race {
		raceOperands(dst, rows, stride, nil, x)
	}
	dotRowsBytesActive(dst, rows, stride, x, signed)
}

func dotRowsBytesGeneric(dst []int64, rows []uint8, stride int, x []uint8, signed bool) {
	for i := range dst {
		dst[i] = dotBytesGeneric(rows[i*stride:][:len(x)], x, signed)
	}
}

// SquaredDistanceRowsBytes is DotRowsBytes with SquaredDistanceBytes in place of DotBytes.
func SquaredDistanceRowsBytes(dst []int64, rows []uint8, stride int, x []uint8, signed bool) {
	if race {
		raceOperands(dst, rows, stride, nil, x)
	}
	squaredDistanceRowsBytesActive(dst, rows, stride, x, signed)
}

func squaredDistanceRowsBytesGeneric(dst []int64, rows []uint8, stride int, x []uint8,
	signed bool) {
	for i := range dst {
		dst[i] = squaredDistanceBytesGeneric(rows[i*stride:][:len(x)], x, signed)
	}
}

// DotTileBytes computes
//
//	for q, x := range queries {
//		DotRowsBytes(dst[q*count:][:count], rows, stride, x, signed)
//	}
//
// for count = len(dst) / len(queries), which must be a whole number. The queries must have equal
// length. The caller checks that there are at most RowsAtOnce(len(queries[0])) rows, all within the
// slice. Rows may have more than Block elements. The assembly may prefetch next.
func DotTileBytes(dst []int64, rows []uint8, stride int, queries [][]uint8, next []uint8,
	signed bool) {
	if len(dst) == 0 {
		return
	}
	n, count := len(queries[0]), len(dst)/len(queries)
	if race {
		raceWrites(dst)
		raceReadRows(rows, stride, nil, count, n)
		raceReads(queries...)
	}
	pace := 2
	if len(next) == 0 {
		next = rows
	} else if len(next) > count*stride/2 {
		pace = 4
	}
	tiles := active >= NEONDot && n >= minTileBytes && n <= Block && count >= tileRows
	for ; tiles && len(queries) >= tileQueries; queries = queries[tileQueries:] {
		dotTileBytesActive(dst[:tileQueries*count], rows, stride, queries[:tileQueries],
			n, unsafe.SliceData(next), pace, signed)
		done := count &^ (tileRows - 1)
		dotEachQuery(dst, count, done, rows, stride, queries[:tileQueries], signed)
		dst = dst[tileQueries*count:]
	}
	dotEachQuery(dst, count, 0, rows, stride, queries, signed)
}

func dotEachQuery(dst []int64, count, first int, rows []uint8, stride int, queries [][]uint8,
	signed bool) {
	for q, x := range queries {
		switch some := dst[q*count:][first:count]; {
		case len(some) == 0:
		case len(x) <= Block:
			dotRowsBytesActive(some, rows[first*stride:], stride, x, signed)
		default:
			for i := range some {
				some[i] = dotBytesActive(rows[(first+i)*stride:][:len(x)], x, signed)
			}
		}
	}
}

// minTileBytes is the least length of rows for which assembly computes tiles.
const tileRows, tileQueries, minTileBytes = 4, 4, 16

func dotTileBytesGeneric(dst []int64, rows []uint8, stride int, queries [][]uint8, _ int,
	_ *uint8, _ int, signed bool) {
	count := len(dst) / len(queries)
	for q, x := range queries {
		dotRowsBytesGeneric(dst[q*count:][:count], rows, stride, x, signed)
	}
}

// DotFloatBytes computes
//
//	for i, v := range x {
//		lane[i%64] += float32(v * float32(y[i]))
//	}
//
// and folds the lanes as the package comment says.
func DotFloatBytes(x []float32, y []uint8, signed bool) float32 {
	if race {
		raceReads(x)
		raceReads(y)
	}
	return dotFloatBytesActive(x, y, signed)
}

func dotFloatBytesGeneric(x []float32, y []uint8, signed bool) float32 {
	y = y[:len(x)]
	var lane [lanes]float32
	for i, v := range x {
		b := int32(y[i])
		if signed {
			b = int32(int8(b))
		}
		lane[i%lanes] += float32(v * float32(b))
	}
	return fold(lane[:])
}
