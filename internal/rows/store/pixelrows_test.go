package store

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
)

func TestCode(t *testing.T) {
	for _, n := range []float64{1, 2, 4, 8, 10, 15, 16, 63, 64, 100, 127, 128, 255, 256, 1000, 1024,
		65535} {
		for k, v := range newCode(n).table {
			if want := float32(k) / float32(n); v != want {
				t.Errorf("%d/%v: %v, want %v", k, n, v, want)
			}
		}
	}
}

func randomPixels(rows, cols int, n float32) *dense.Matrix {
	r := rand.New(rand.NewPCG(1, 2))
	x := dense.New(rows, cols)
	for i := range rows {
		row := x.Row(i)
		for j := range row {
			if r.IntN(2) == 0 {
				row[j] = float32(r.IntN(256)) / n
			}
		}
	}
	if rows > 1 && cols > 0 {
		x.Row(1)[0] = 1 / n // the least value, from which guessCode finds n
	}
	return x
}

func TestPixelRows(t *testing.T) {
	for _, n := range []float32{1, 16, 255, 256} {
		for _, cols := range []int{0, 1, 7, 8, 33, 100} {
			for threads := range 4 {
				x := randomPixels(90, cols, n)
				if cols > 0 {
					clear(x.Row(0)) // guessCode needs a later row
				}
				packed, ok := newPixelRows(x, threads)
				if !ok {
					t.Fatalf("%d columns of k/%v: rejected", cols, n)
				}
				b := packed.(*pixelRows)
				if b.Rows() != x.Rows() || b.Cols() != cols {
					t.Fatalf("%d rows of %d", b.Rows(), b.Cols())
				}
				w := make([]float32, cols)
				for j := range w {
					w[j] = 1 / float32(j+3)
				}
				for i := range x.Rows() {
					b.Prefetch(i)
					if i%2 == 1 { // Dot unpacks the row
						if have, want := b.Dot(i, w), x.Dot(i, w); have != want {
							t.Fatalf("row %d: dot product %v, want %v", i, have, want)
						}
					}
					_, dst := b.Row(i)
					for j, v := range x.Row(i) {
						if math.Float32bits(dst[j]) != math.Float32bits(v) {
							t.Fatalf("row %d, column %d: %v, want %v", i, j, dst[j], v)
						}
					}
				}
			}
		}
	}
}

func TestPackRejects(t *testing.T) {
	for _, bad := range []float32{
		-1. / 255, 256. / 255, 0.5, 1e-3, 1e30, -1e30, float32(math.Copysign(0, -1)),
		float32(math.NaN()), float32(math.Inf(1)),
		math.Nextafter32(1./255, 1), math.Nextafter32(1, 2),
	} {
		for _, at := range []int{0, 63, 64, 89} {
			x := randomPixels(90, 20, 255)
			x.Row(at)[at%20] = bad
			if _, ok := newPixelRows(x, 2); ok {
				t.Errorf("%v in row %d: accepted", bad, at)
			}
		}
	}
	if _, ok := newPixelRows(dense.New(3, 5), 1); !ok {
		t.Error("zeros: rejected")
	}
}
