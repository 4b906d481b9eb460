//go:build unix

package bandwidth_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/internal/sys/bandwidth"
	"github.com/pegasimd/pegasimd/internal/testing/asmtest"
)

func TestRun(t *testing.T) {
	if !bandwidth.Available() {
		t.Log("this machine has none of the loops: Available returns false")
		return
	}
	for shape := bandwidth.Read; shape <= bandwidth.Axpy; shape++ {
		for n := bandwidth.MinLength; n < 300; n++ {
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

func TestStreams(t *testing.T) {
	for shape, want := range []int{0, 1, 2, 2, 2, 3} {
		if got := bandwidth.Shape(shape).Streams(); got != want {
			t.Errorf("shape %d: %d streams, want %d", shape, got, want)
		}
	}
}

func TestRunChecks(t *testing.T) {
	if !bandwidth.Available() {
		t.Skip("not tested: this machine has none of the loops (Available returns false)")
	}
	for _, c := range []struct {
		shape  bandwidth.Shape
		x, y   int
		panics bool
	}{
		{bandwidth.None, 8, 8, true}, {bandwidth.Axpy + 1, 8, 8, true},
		{bandwidth.Read, 7, 7, true}, {bandwidth.Read, 8, 0, false},
		{bandwidth.Update, 7, 7, true}, {bandwidth.Update, 8, 0, false},
		{bandwidth.Read2, 8, 8, false}, {bandwidth.Read2, 8, 9, true}, {bandwidth.Read2, 9, 8, true},
		{bandwidth.Copy, 8, 8, false}, {bandwidth.Copy, 8, 9, true},
		{bandwidth.Axpy, 8, 8, false}, {bandwidth.Axpy, 9, 8, true},
	} {
		func() {
			defer func() {
				if panics := recover() != nil; panics != c.panics {
					t.Errorf("shape %d of %d and %d elements: panics %t", c.shape, c.x, c.y, panics)
				}
			}()
			bandwidth.Run(c.shape, make([]float32, c.x), make([]float32, c.y))
		}()
	}
}
