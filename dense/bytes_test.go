package dense

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

// bytesOf returns the bytes of x in little-endian order, at an address off bytes after a multiple
// of 64.
func bytesOf(x []float32, off int) []byte {
	b := make([]byte, 4*len(x)+off+64)
	b = b[int(-uintptr(unsafe.Pointer(&b[0]))%64)+off:][:0]
	for _, v := range x {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

func TestFloat32s(t *testing.T) {
	x := []float32{1, -2.5, float32(math.Inf(1)), 0}
	little := binary.NativeEndian.Uint16([]byte{1, 0}) == 1
	for off := range 8 {
		b := bytesOf(x, off)
		v, ok := Float32s(b)
		if ok != (little && off%4 == 0) || ok && !slices.Equal(v, x) {
			t.Errorf("%d bytes off: Float32s is %v, %t", off, v, ok)
		}
		if got := AppendFloat32s([]float32{7}, b); !slices.Equal(got[1:], x) || got[0] != 7 {
			t.Errorf("%d bytes off: AppendFloat32s is %v", off, got)
		}
		if _, ok := Float32s(b[:7]); ok {
			t.Error("Float32s accepts seven bytes")
		}
	}
	if v, _ := Float32s(nil); len(v) != 0 {
		t.Errorf("Float32s(nil) is %v", v)
	}
}

func TestTopOfBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for n := 1; n < 70; n += 3 {
		stride, count := n+r.IntN(3), 1+r.IntN(60)
		rows, x := make([]float32, (count-1)*stride+n), make([]float32, n)
		for _, v := range [][]float32{rows, x} {
			for i := range v {
				v[i] = float32(r.IntN(5) - 2)
			}
		}
		for by := ByDot; by <= ByL1; by++ {
			want := Top(make([]Hit, 5), by, rows, stride, x)
			for off := range 5 {
				b := bytesOf(rows, off)
				if got := TopBytes(make([]Hit, 5), by, b, 4*stride, x); !slices.Equal(got, want) {
					t.Fatalf("TopBytes: n = %d, %d bytes off: got %v, want %v", n, off, got, want)
				}
				var each [][]byte
				for i := range count {
					each = append(each, b[4*i*stride:][:4*n])
				}
				if got := TopByteSlices(make([]Hit, 5), by, each, x); !slices.Equal(got, want) {
					t.Fatalf("TopByteSlices: n = %d, %d bytes off: got %v, want %v", n, off, got, want)
				}
			}
		}
		// The stride need not be a multiple of four.
		b, odd := bytesOf(rows, 0), 4*n+1
		packed := make([]byte, (count-1)*odd+4*n)
		for i := range count {
			copy(packed[i*odd:], b[4*i*stride:][:4*n])
		}
		want := Top(make([]Hit, 5), ByCosine, rows, stride, x)
		if got := TopBytes(make([]Hit, 5), ByCosine, packed, odd, x); !slices.Equal(got, want) {
			t.Fatalf("TopBytes: n = %d, %d apart: got %v, want %v", n, odd, got, want)
		}
	}
}
