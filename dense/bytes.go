package dense

import (
	"github.com/pegasimd/pegasimd/internal/base/blob"
	"github.com/pegasimd/pegasimd/internal/base/misuse"
)

// Float32s returns the floats that b encodes in little-endian order as a slice in b's memory, which
// may be a BLOB or a mapped file. ok is false if len(b) or b's address is not a multiple of four,
// or the machine is big-endian.
func Float32s(b []byte) (v []float32, ok bool) { return blob.View[float32](b) }

// AppendFloat32s appends the floats that b encodes in little-endian order to dst. b may have any
// alignment. It panics if len(b) is not a multiple of four.
func AppendFloat32s(dst []float32, b []byte) []float32 {
	if len(b)%4 != 0 {
		panic(misuse.Of("len(b) = %d, not a multiple of 4", len(b)))
	}
	return blob.Append(dst, b)
}
