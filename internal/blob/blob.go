// Package blob reads numbers that stand little-endian in bytes, as databases and files hold
// vectors.
package blob

import (
	"encoding/binary"
	"math"
	"unsafe"
)

// BigEndian tells whether memory holds numbers the other way round.
var BigEndian = binary.NativeEndian.Uint16([]byte{1, 0}) != 1

// View returns the numbers in b without copying them. ok is false where that can't be: if the
// length is no multiple of a number's, b doesn't begin at an address that is one, or the machine is
// big-endian.
func View[T ~float32 | ~uint16](b []byte) (v []T, ok bool) {
	size := int(unsafe.Sizeof(*new(T)))
	p := unsafe.Pointer(unsafe.SliceData(b))
	if BigEndian || len(b)%size != 0 || uintptr(p)%uintptr(size) != 0 {
		return nil, false
	}
	return Numbers[T](b), true
}

// Numbers is View of bytes that are known to be numbers as memory has them.
func Numbers[T ~float32 | ~uint16 | ~int32 | ~int64](b []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(*new(T))))
}

// Append appends the floats in b, of which there are len(b)/4, to dst.
func Append(dst []float32, b []byte) []float32 {
	for ; len(b) >= 4; b = b[4:] {
		dst = append(dst, math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	return dst
}
