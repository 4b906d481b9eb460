//go:build amd64 || arm64

package asm_test

import (
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/pegasimd/pegasimd/internal/asm"
)

// TestLargeIndices needs little memory: only the pages that it accesses are in use.
func TestLargeIndices(t *testing.T) {
	const n = 70
	elements := 1<<31 + 5*n
	all, err := unix.Mmap(-1, 0, 4*elements, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		t.Skip(err)
	}
	defer func() {
		if err := unix.Munmap(all); err != nil {
			t.Error(err)
		}
	}()
	rows := unsafe.Slice((*float32)(unsafe.Pointer(&all[0])), elements)
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(i%5 - 2)
	}
	idx := []uint32{1 << 31, 0, 1<<31 + n, 1<<31 + 4*n}
	for k, j := range idx {
		for i := range n {
			rows[int(j)+i] = float32((i + k) % 7)
		}
	}
	for _, isa := range asm.Available() {
		func() {
			defer asm.Use(asm.Use(isa))
			got, want := make([]float32, len(idx)), make([]float32, len(idx))
			asm.DotRowsAt(got, rows, 1, idx, x)
			for k, j := range idx {
				want[k] = asm.Dot(rows[j:][:n], x)
			}
			compare(t, n, got, want)
			asm.SquaredDistanceRowsAt(got, rows, 1, idx, x)
			for k, j := range idx {
				want[k] = asm.SquaredDistance(rows[j:][:n], x)
			}
			compare(t, n, got, want)
			sum, one := make([]float32, n), make([]float32, n)
			asm.AxpyRows(want, rows, 1, idx, sum)
			for k, j := range idx {
				asm.Axpy(want[k], rows[j:][:n], one)
			}
			compare(t, n, sum, one)
		}()
	}
}
