// Package blob reads numbers from little-endian bytes.
package blob

import (
	"encoding/binary"
	"math"
	"unsafe"
)

var BigEndian = binary.NativeEndian.Uint16([]byte{1, 0}) != 1

// View returns the numbers in b without copying them. ok is false if b has the wrong length or
// alignment, or if the machine is big-endian.
func View[T ~float32 | ~uint16](b []byte) (v []T, ok bool) {
	size := int(unsafe.Sizeof(*new(T)))
	p := unsafe.Pointer(unsafe.SliceData(b))
	if BigEndian || len(b)%size != 0 || uintptr(p)%uintptr(size) != 0 {
		return nil, false
	}
	return Numbers[T](b), true
}

// Numbers returns the bytes of b as numbers in native byte order. b must be aligned for T.
func Numbers[T ~float32 | ~uint16 | ~int32 | ~int64](b []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(*new(T))))
}

// Append appends the len(b)/4 little-endian float32 numbers in b to dst.
func Append(dst []float32, b []byte) []float32 {
	for ; len(b) >= 4; b = b[4:] {
		dst = append(dst, math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	return dst
}
