package store

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
)

func TestMixed(t *testing.T) {
	const rows, cols = 30, 2*mixedBlock + 5
	full, sparse := halfEmpty(t, rows, cols)
	g := rand.New(rand.NewPCG(6, 6))
	order := make([]uint32, rows)
	for k, i := range g.Perm(rows) {
		order[k] = uint32(i)
	}
	for _, k := range []int{1, 7, 8, 40} {
		x := Of(sparse)
		if k == 7 {
			x = Subset(x, order)
		}
		vectors := matrices.Vectors(k, cols)
		for _, v := range vectors {
			for j := range v {
				v[j] = float32(g.NormFloat64())
			}
		}
		if !MixingPays(x, 3, 1) || MixingPays(x, 3, 2) || MixingPays(Of(full), 1000, 1) {
			t.Error("MixingPays is wrong for sparse rows with about half of the values 0, or for dense rows")
		}
		m := NewMixed(x, k)
		m.Load(vectors)
		for i := range rows {
			for r, have := range m.Dots(i) {
				if want := x.Dot(i, vectors[r]); have != want {
					t.Fatalf("%d vectors, row %d: %v, want %v", k, i, have, want)
				}
			}
			a := m.Coefficients()
			for r := range a {
				if i%2 == 0 || r == i%k { // all vectors, or one
					a[r] = float32(g.NormFloat64())
					x.Axpy(i, a[r], vectors[r])
				}
			}
			m.Axpy(i)
			if slices.ContainsFunc(a, func(v float32) bool { return v != 0 }) {
				t.Fatalf("%d vectors, row %d: coefficients are left: %v", k, i, a)
			}
		}
		have := matrices.Vectors(k, cols)
		m.Store(have)
		for r, v := range have {
			if !slices.Equal(v, vectors[r]) {
				t.Errorf("vector %d of %d differs", r, k)
			}
		}
	}
}
