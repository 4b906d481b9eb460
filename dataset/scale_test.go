package dataset

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
)

func denseSet(t testing.TB, rows, cols int, values ...float32) *Set {
	t.Helper()
	d, err := dense.FromSlice(rows, cols, values)
	if err != nil {
		t.Fatal(err)
	}
	return &Set{Dense: d, Y: make([]float32, rows), IndexBase: 1}
}

// copyOf returns the set with rows of its own: Apply uses them up.
func copyOf(s *Set) *Set {
	c, err := s.withCols(s.Cols())
	if err != nil {
		panic(err)
	}
	return c
}

// In place gives the same numbers, in the same memory unless they are in a file or sparse.
func TestScaleInPlace(t *testing.T) {
	for _, layout := range []Layout{LayoutDense, LayoutSparse} {
		for _, kind := range []ScaleKind{ScaleMaxAbs, ScaleStandard, ScaleUnit} {
			s := randomSet(rand.New(rand.NewPCG(1, 7)), 50, 20, layout)
			c, err := FitScaler(s, kind)
			if layout == LayoutSparse && kind == ScaleStandard {
				continue // is refused
			}
			if err != nil {
				t.Fatal(err)
			}
			want, err := c.Apply(copyOf(s))
			if err != nil {
				t.Fatal(err)
			}
			both(t, pgsm(t, s), Options{}, func(m *Set, err error) {
				if err != nil {
					t.Fatal(err)
				}
				mapped, before := m.Mapped(), m.Dense
				got, err := c.Apply(m)
				if err != nil {
					t.Fatal(err)
				}
				same(t, got, want)
				if got.Mapped() || (got.Dense == before) != (layout == LayoutSparse || !mapped) {
					t.Errorf("%s, %s: mapped %v, in place %v", layout, kind, mapped,
						got.Dense == before)
				}
			})
		}
	}
}

func TestScale(t *testing.T) {
	for _, c := range []struct {
		kind          ScaleKind
		values, want  []float32 // of 3 columns
		shift, factor []float32
	}{
		{ScaleMaxAbs, []float32{1, -4, 0, -2, 2, 0}, []float32{0.5, -1, 0, -1, 0.5, 0}, nil,
			[]float32{0.5, 0.25, 1}},
		{ScaleMaxAbs, []float32{1e-45, 3e38, 7},
			[]float32{math.SmallestNonzeroFloat32 * math.MaxFloat32, 1 - 0x1p-24, 1}, nil,
			[]float32{math.MaxFloat32, float32(1 / float64(float32(3e38))), 1. / 7}},
		{ScaleStandard, []float32{1, 5, 0, 3, 5, 0}, []float32{-1, 0, 0, 1, 0, 0},
			[]float32{2, 5, 0}, []float32{1, 1, 1}},
		{ScaleStandard, []float32{0, 0.1, -8, 4, 0.1, 8}, []float32{-1, 0, -1, 1, 0, 1},
			[]float32{2, 0.1, 0}, []float32{0.5, 1, 0.125}},
		{ScaleUnit, []float32{3, 0, -4, 0, 0, 0}, []float32{0.6, 0, -0.8, 0, 0, 0}, nil, nil},
		{ScaleUnit, []float32{3e38, 0, -4, 1e-45, 0, 0}, []float32{1, 0, -4. / 3e38, 1, 0, 0},
			nil, nil},
	} {
		s := denseSet(t, len(c.values)/3, 3, c.values...)
		want := denseSet(t, len(c.values)/3, 3, c.want...)
		for _, layout := range []Layout{LayoutDense, LayoutSparse} {
			in, err := s.WithLayout(layout)
			if err != nil {
				t.Fatal(err)
			}
			sc, err := FitScaler(in, c.kind)
			if c.kind == ScaleStandard && layout == LayoutSparse {
				if !says(err, "use max-abs, or the dense layout") {
					t.Error(err)
				}
				if sc, err = FitScaler(s, c.kind); err != nil {
					t.Fatal(err)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(sc.Shift, c.shift) || !reflect.DeepEqual(sc.Factor, c.factor) {
				t.Errorf("%s: %v %v, want %v %v", c.kind, sc.Shift, sc.Factor, c.shift, c.factor)
			}
			// It is what it was after a way through JSON.
			text, err := json.Marshal(sc)
			if err != nil {
				t.Fatal(err)
			}
			again := &Scaler{}
			if err := json.Unmarshal(text, again); err != nil || !reflect.DeepEqual(again, sc) {
				t.Errorf("%s: %+v, %v", text, again, err)
			}
			got, err := again.Apply(copyOf(in))
			if err != nil {
				t.Fatal(err)
			}
			same(t, got, want)
			if (got.Layout() == LayoutDense) != (layout == LayoutDense || c.kind == ScaleStandard) {
				t.Errorf("%s: layout %s", c.kind, got.Layout())
			}
			if in.NNZ() != s.NNZ() {
				t.Error("the set was changed")
			}
		}
	}
}

// Against plain formulas, and with the properties that the kinds are for.
func TestScaleRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 5))
	for range 20 {
		rows, cols := 2+r.IntN(50), 1+r.IntN(20)
		values := make([]float32, rows*cols)
		for i := range values {
			values[i] = float32(r.NormFloat64()*math.Exp(4*r.NormFloat64()) + 3)
		}
		s := denseSet(t, rows, cols, values...)
		for _, kind := range []ScaleKind{ScaleMaxAbs, ScaleStandard, ScaleUnit} {
			sc, err := FitScaler(s, kind)
			if err != nil {
				t.Fatal(err)
			}
			got, err := sc.Apply(copyOf(s))
			if err != nil {
				t.Fatal(err)
			}
			for j := range cols {
				sum, square, largest := 0.0, 0.0, 0.0
				for i := range rows {
					v := float64(got.Dense.Row(i)[j])
					sum += v
					square += v * v
					largest = max(largest, math.Abs(v))
				}
				switch n := float64(rows); {
				case kind == ScaleMaxAbs && (largest > 1 || largest < 1-1e-7):
					t.Errorf("column %d: largest %v", j, largest)
				case kind == ScaleStandard &&
					(math.Abs(sum/n) > 1e-3 || math.Abs(square/n-1) > 1e-3):
					t.Errorf("column %d: mean %v, square %v", j, sum/n, square/n)
				}
			}
			for i := range rows {
				if n := got.Dense.SumSquares(i); kind == ScaleUnit &&
					math.Abs(float64(n)-1) > 1e-5 {
					t.Errorf("row %d: squared norm %v", i, n)
				}
			}
		}
	}
}

func TestScaleErrors(t *testing.T) {
	s := denseSet(t, 2, 2, 1, 2, 3, 4)
	if _, err := FitScaler(s, "round"); err == nil ||
		err.Error() != `dataset: scale "round": want max-abs, standard or unit` {
		t.Error(err)
	}
	nan := float32(math.NaN())
	for _, kind := range []ScaleKind{ScaleMaxAbs, ScaleStandard} {
		if _, err := FitScaler(denseSet(t, 0, 2), kind); err == nil ||
			err.Error() != "dataset: no rows to find the scale by" {
			t.Error(err)
		}
		if _, err := FitScaler(denseSet(t, 2, 2, 1, 2, 3, nan), kind); err == nil ||
			err.Error() != "dataset: row 1 has a number that is not finite" {
			t.Error(err)
		}
	}
	for want, sc := range map[string]*Scaler{
		`dataset: scale "": want max-abs, standard or unit`: {},
		"dataset: a max-abs scaler of 0 shifts and 1 factors for 2 features": {
			Kind: ScaleMaxAbs, Factor: []float32{1},
		},
		"dataset: a standard scaler of 0 shifts and 2 factors for 2 features": {
			Kind: ScaleStandard, Factor: []float32{1, 1},
		},
		"dataset: a unit scaler of 0 shifts and 2 factors for 2 features": {
			Kind: ScaleUnit, Factor: []float32{1, 1},
		},
		"dataset: the scaler's numbers of column 1 are not finite": {
			Kind: ScaleMaxAbs, Factor: []float32{1, nan},
		},
		"dataset: the scaler's numbers of column 0 are not finite": {
			Kind: ScaleStandard, Shift: []float32{nan, 1}, Factor: []float32{1, 1},
		},
		"dataset: row 1, column 1: too large for float32 when it is scaled": {
			Kind: ScaleMaxAbs, Factor: []float32{1, 1e38},
		},
		"dataset: row 0, column 0: too large for float32 when it is scaled": {
			Kind: ScaleStandard, Shift: []float32{-3e38, 0}, Factor: []float32{2, 1},
		},
	} {
		for _, layout := range []Layout{LayoutDense, LayoutSparse} {
			in, err := s.WithLayout(layout)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := sc.Apply(copyOf(in)); err == nil || err.Error() != want {
				t.Errorf("%v, want %s", err, want)
			}
		}
	}
	// A value may become 0 in a sparse set, which stores none.
	thin, err := readText("1 1:1e-45 100:1\n", Options{})
	if err != nil {
		t.Fatal(err)
	}
	factor := make([]float32, 100)
	factor[99] = 1
	got, err := (&Scaler{Kind: ScaleMaxAbs, Factor: factor}).Apply(thin)
	if err != nil || got.NNZ() != 1 {
		t.Error(got.NNZ(), err)
	}
}
