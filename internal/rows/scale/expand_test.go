package scale_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/rows/curves"
	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
)

func goOn() bool { return false }

func numbers(seed uint64, rows, cols int) *dense.Matrix {
	g := rand.New(rand.NewPCG(seed, 3))
	x := dense.New(rows, cols)
	for i := range rows {
		for j := range x.Row(i) {
			x.Row(i)[j] = float32(g.NormFloat64())
		}
	}
	return x
}

// -1 stands for a column of zeros, and -2 for a column of ones.
func columnsOf(x *dense.Matrix, columns []int) *dense.Matrix {
	y := dense.New(x.Rows(), len(columns))
	for i := range x.Rows() {
		for k, j := range columns {
			if j >= 0 {
				y.Row(i)[k] = x.Row(i)[j]
			} else {
				y.Row(i)[k] = float32(-1 - j)
			}
		}
	}
	return y
}

func namesOf(e *curves.Expansion, names []int) (all []string) {
	for k := range e.Len() {
		all = append(all, e.Name(k, func(j int) string { return fmt.Sprint(names[j]) },
			func(_ int, z float64) string { return fmt.Sprint(z) }))
	}
	return all
}

func TestTerms(t *testing.T) {
	x := numbers(1, 300, 4)
	for i := range x.Rows() {
		x.Row(i)[3] = float32(i%2) - 0.5
	}
	weight := make([]float64, x.Rows())
	for i := range weight {
		weight[i] = float64(min(1, i%7)) // each seventh row is absent
	}
	for i := 0; i < x.Rows(); i += 7 {
		x.Row(i)[3] = float32(i) // the column has two values in the other rows
	}
	plain := []int{0, 1, 2, 3}
	ofTwo := map[curves.Kind]int{curves.Products: 1 + 1, curves.Pieces: 3}
	for kind, want := range map[curves.Kind]int{curves.Products: 3 + 6, curves.Pieces: 9} {
		first := scale.Terms(kind, store.Of(x), nil, weight, goOn)
		if first.Len() != want {
			t.Errorf("%s: %d terms, want %d", kind, first.Len(), want)
		}
		for _, columns := range [][]int{{-1, 0, 1, -2, 2, 3}, {0, 0, 1, 2, 1, 3, 3},
			{-2, 0, -2, 1, 2, -1, -1, 3, -2, 2, -1, -1, -1, -1}} {
			more := scale.Terms(kind, store.Of(columnsOf(x, columns)), nil, weight, goOn)
			if have, want := namesOf(more, columns), namesOf(first, plain); !slices.Equal(have, want) {
				t.Errorf("%s of %d: %s, want %s", kind, columns, have, want)
			}
		}
		for _, rows := range []store.Examples{x, sample.ToSparse(x)} {
			some := scale.Terms(kind, store.Of(rows), []int{1, 3}, weight, goOn)
			if have := namesOf(some, plain); len(have) != ofTwo[kind] {
				t.Errorf("%s of two columns: %s", kind, have)
			}
		}
	}
}

func TestTermsLimits(t *testing.T) {
	x := numbers(2, 2100, 257)
	all := make([]int, 256)
	for j := range all {
		all[j] = j
	}
	for _, c := range []struct {
		columns []int
		terms   int
	}{
		{all[:12], 12 + 66},
		{append(all[:12:12], -1, 3, -2, 0), 12 + 66},
		{all[:13], 13},
		{all, 256},
		{append(slices.Clone(all), -1, 5, -2), 256},
		{append(slices.Clone(all), 256), 0},
	} {
		e := scale.Terms(curves.Products, store.Of(columnsOf(x, c.columns)), nil, nil, goOn)
		if e.Len() != c.terms {
			t.Errorf("%d columns: %d terms, want %d", len(c.columns), e.Len(), c.terms)
		}
	}
	twins := columnsOf(x, []int{0, 0})
	twins.Row(2099)[1]++
	if e := scale.Terms(curves.Products, store.Of(twins), nil, nil, goOn); e.Len() != 3 {
		t.Errorf("%d terms of two columns", e.Len())
	}
}

func TestFitTerms(t *testing.T) {
	x := numbers(3, 5000, 3)
	weight := make([]float64, x.Rows())
	for i := range weight {
		weight[i] = float64(min(1, i%3))
		x.Row(i)[2] = 0 // its products with the others are constant
		if i%3 == 0 {
			x.Row(i)[2] = 1000
		}
	}
	for _, raw := range []*curves.Expansion{
		{Kind: curves.Products, Terms: []curves.Term{{0, 0}, {0, 1}, {0, 2}, {1, 1}, {2, 2}}},
		{Kind: curves.Pieces, Terms: []curves.Term{{0, 0}, {1, 1}, {1, 1}, {1, 1}},
			Knots: []float32{0, -1, 1, 4}},
	} {
		want := scale.FitTerms(raw, store.Of(x), weight, 1, goOn)
		if err := want.Check(3); err != nil || want.Len() != 3 {
			t.Fatalf("%+v, %v", want, err)
		}
		for _, rows := range []store.Examples{x, sample.ToSparse(x)} {
			for _, threads := range []int{1, 2, 7} {
				have := scale.FitTerms(raw, store.Of(rows), weight, threads, goOn)
				if !have.Same(want) {
					t.Errorf("%s, %T, %d threads: %+v, want %+v", raw.Kind, rows, threads, have, want)
				}
			}
		}
		terms := make([]float64, want.Len())
		for k := range terms {
			var n, mean, square float64
			for i, w := range weight {
				curves.Fill(want, terms, x.Row(i))
				v := terms[k]
				n, mean, square = n+w, mean+w*v, square+w*v*v
			}
			mean /= n
			if d := math.Sqrt(square/n - mean*mean); math.Abs(mean) > 1e-6 || math.Abs(d-1) > 1e-6 {
				t.Errorf("%s, term %d: mean %v, deviation %v", want.Kind, k, mean, d)
			}
		}
	}
}

func TestTermsOfUncountedSample(t *testing.T) {
	x := numbers(4, 1<<16+3, 1) // more rows than are sampled: every second row
	weight := make([]float64, x.Rows())
	for i := range weight {
		weight[i] = float64(i % 2)
	}
	if e := scale.Terms(curves.Pieces, store.Of(x), nil, weight, goOn); e.Len() != 0 {
		t.Errorf("%d terms, want 0", e.Len())
	}
}
