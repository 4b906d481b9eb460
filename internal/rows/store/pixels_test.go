package store

import (
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
)

func TestPixels(t *testing.T) {
	for _, k := range formats(t) {
		name := strings.TrimPrefix(k.name, "subset ")
		want := name != "csr" && name != "lazy" && name != "constant"
		for threads := range 3 {
			p, ok := PixelsOf(k.rows, threads)
			if ok != want || ok && !MayBePixels(k.rows) {
				t.Fatalf("%s: PixelsOf %v, want %v; MayBePixels %v", k.name, ok, want,
					MayBePixels(k.rows))
			}
			if !ok {
				continue
			}
			if stays := k.rows.Size() > 0; (p.Size() > 0) != stays || p.N != 255 || p.Cols() != 34 {
				t.Errorf("%s: %d bytes, n %v, %d columns", k.name, p.Size(), p.N, p.Cols())
			}
			r, have := p.Reader(), make([]byte, p.Cols())
			row := make([]float32, 33)
			for i := range k.rows.Rows() {
				r.Read(have, i)
				clear(row)
				k.original.Axpy(i, 1, row)
				for j, v := range row {
					if float32(have[j])/255 != v {
						t.Fatalf("%s: row %d, column %d: %d for %v", k.name, i, j, have[j], v)
					}
				}
				if have[33] != 1 || p.Size() > 0 && !slices.Equal(p.Row(i), have) {
					t.Fatalf("%s: row %d: %v", k.name, i, have)
				}
			}
		}
	}
	for _, at := range []int{0, 63, 64, 700} {
		x := randomPixels(701, 20, 255)
		x.Row(at)[at%20] = 0.3
		for _, rows := range []Rows{Of(x), Of(userExamples{x})} {
			if _, ok := PixelsOf(rows, 2); ok {
				t.Errorf("0.3 in row %d of %T: accepted", at, rows)
			}
		}
	}
	if p, ok := PixelsOf(Of(dense.New(3, 0)), 1); !ok || p.Cols() != 1 {
		t.Error("rows without columns are rejected, or have other bytes than a 1")
	}
}
