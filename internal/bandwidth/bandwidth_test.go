//go:build unix

package bandwidth_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/internal/bandwidth"
	"github.com/pegasimd/pegasimd/internal/testing/asmtest"
)

// TestRun checks that Run changes no operand, except the destination of Copy, and accesses no
// memory beyond the operands, where no page is mapped.
func TestRun(t *testing.T) {
	if !bandwidth.Available() {
		t.Log("no probes on this machine: that is what Available says")
		return
	}
	for shape := bandwidth.Read; shape <= bandwidth.Axpy; shape++ {
		for n := bandwidth.Least; n < 300; n++ {
			for _, atStart := range []bool{false, true} {
				m := &asmtest.Guard{AtStart: atStart}
				x, y := m.Floats(n), m.Floats(n)
				for i := range x {
					x[i], y[i] = float32(i+1), -float32(i+1)
				}
				wantX, wantY := slices.Clone(x), slices.Clone(y)
				if shape == bandwidth.Copy {
					wantY = slices.Clone(x)
				}
				bandwidth.Run(shape, x, y)
				if !slices.Equal(x, wantX) || !slices.Equal(y, wantY) {
					t.Fatalf("shape %d, n = %d: operands changed", shape, n)
				}
				m.Free()
			}
		}
	}
}

func BenchmarkRun(b *testing.B) {
	for shape := bandwidth.Read; shape <= bandwidth.Axpy; shape++ {
		for _, n := range []int{64, 1024, 16384, 1 << 20} {
			b.Run(fmt.Sprintf("shape=%d/n=%d", shape, n), func(b *testing.B) {
				x, y := make([]float32, n), make([]float32, n)
				b.SetBytes(int64(4 * n * shape.Streams()))
				for b.Loop() {
					bandwidth.Run(shape, x, y)
				}
			})
		}
	}
}
