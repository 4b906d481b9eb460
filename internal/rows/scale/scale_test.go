package scale_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/rows/curves"
	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
)

func floats(values ...float32) []float32 { return values }

func TestCheck(t *testing.T) {
	inf := math.Inf(1)
	square := &curves.Expansion{Kind: curves.Products, Terms: []curves.Term{{1, 1}},
		Shift: floats(0), Factor: floats(1)}
	for _, c := range []struct {
		s    scale.Scale
		want bool
	}{
		{scale.Scale{Kind: "none"}, true},
		{scale.Scale{Kind: "none", Folded: true, Spread: 2, Centre: -3}, true},
		{scale.Scale{Kind: "none", Spread: -2}, false},
		{scale.Scale{Kind: "none", Spread: inf}, false},
		{scale.Scale{Kind: "none", Spread: math.NaN()}, false},
		{scale.Scale{Kind: "none", Spread: 1, Centre: inf}, false},
		{scale.Scale{Kind: "none", Centre: 5}, false},
		{scale.Scale{}, false},
		{scale.Scale{Kind: "other"}, false},
		{scale.Scale{Kind: "unit"}, true},
		{scale.Scale{Kind: "unit", Folded: true}, false},
		{scale.Scale{Kind: "unit", Expansion: square}, false},
		{scale.Scale{Kind: "none", Expansion: square}, true},
		{scale.Scale{Kind: "none", Folded: true, Expansion: square}, false},
		{scale.Scale{Kind: "unit", Factor: floats(1, 2)}, false},
		{scale.Scale{Kind: "max-abs", Factor: floats(1, 2)}, true},
		{scale.Scale{Kind: "max-abs", Factor: floats(1)}, false},
		{scale.Scale{Kind: "max-abs", Factor: floats(1, 0)}, false},
		{scale.Scale{Kind: "max-abs", Factor: floats(1, -2)}, false},
		{scale.Scale{Kind: "max-abs", Factor: floats(1, float32(inf))}, false},
		{scale.Scale{Kind: "max-abs", Shift: floats(0, 0), Factor: floats(1, 2)}, false},
		{scale.Scale{Kind: "standard", Shift: floats(0, -1), Factor: floats(1, 2)}, true},
		{scale.Scale{Kind: "standard", Factor: floats(1, 2)}, false},
		{scale.Scale{Kind: "standard", Shift: floats(0, -1), Factor: floats(1)}, false},
		{scale.Scale{Kind: "standard", Shift: floats(0, float32(inf)), Factor: floats(1, 2)}, false},
	} {
		if err := c.s.Check(2); (err == nil) != c.want {
			t.Errorf("%+v: %v", c.s, err)
		}
	}
}

func TestCheckTerms(t *testing.T) {
	two := floats(1, 1)
	for want, e := range map[string]curves.Expansion{
		`"products": term 1 is 1*1: want two columns from 0 to 1, the lower first, and terms in`: {
			Kind: curves.Products, Terms: []curves.Term{{1, 1}, {1, 1}}},
		`"pieces": term 1 is of columns 1 and 1, with the knot 0.5: want one column, twice`: {
			Kind: curves.Pieces, Terms: []curves.Term{{1, 1}, {1, 1}}, Knots: floats(1, .5)},
	} {
		e.Shift, e.Factor = two, two
		if err := e.Check(2); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestSame(t *testing.T) {
	s := &scale.Scale{Kind: "standard", Shift: floats(1, 2), Factor: floats(3, 4), Centre: 1}
	same := &scale.Scale{Kind: "standard", Shift: floats(1, 2), Factor: floats(3, 4), Note: "x"}
	if !s.Same(same) || (*scale.Scale)(nil).Same(s) {
		t.Error("scales that scale rows alike differ, or a nil scale is the same")
	}
	for _, other := range []*scale.Scale{
		{Kind: "max-abs", Shift: floats(1, 2), Factor: floats(3, 4)},
		{Kind: "standard", Shift: floats(1, 9), Factor: floats(3, 4)},
		{Kind: "standard", Shift: floats(1, 2), Factor: floats(3, 9)},
		{Kind: "standard", Shift: floats(1, 2), Factor: floats(3, 4),
			Expansion: new(curves.Expansion)},
	} {
		if s.Same(other) {
			t.Errorf("%+v is the same as %+v", other, s)
		}
	}
}

func TestNumbers(t *testing.T) {
	for kind, want := range map[scale.Kind][2]int{"none": {0, 0}, "unit": {0, 0}, "max-abs": {0, 3},
		"standard": {3, 3}} {
		var s scale.Scale
		s.Kind = kind
		shifts, factors := s.Lengths(3)
		if [2]int{shifts, factors} != want {
			t.Errorf("%s: %d shifts, %d factors", kind, shifts, factors)
		}
		if shifts > 0 {
			s.Shift = make([]float32, shifts)
		}
		if factors > 0 {
			s.Factor = slices.Repeat(floats(1), factors)
		}
		if err := s.Check(3); err != nil {
			t.Error(err)
		}
		if s.Shift == nil {
			s.Shift = []float32{} // scaling a row would subtract it
			if err := s.Check(3); err == nil {
				t.Errorf("%s: empty shifts pass", kind)
			}
		}
	}
}

func TestWithCols(t *testing.T) {
	s := &scale.Scale{Kind: "standard", Shift: floats(5, 6), Factor: floats(7, 8), R2: 9}
	for cols, want := range map[int][2][]float32{1: {floats(5), floats(7)},
		2: {floats(5, 6), floats(7, 8)}, 4: {floats(5, 6, 0, 0), floats(7, 8, 1, 1)}} {
		c := s.WithCols(cols)
		if !slices.Equal(c.Shift, want[0]) || !slices.Equal(c.Factor, want[1]) || c.R2 != 9 {
			t.Errorf("%d columns: %+v", cols, c)
		}
	}
	largest := (&scale.Scale{Kind: "max-abs", Factor: floats(2)}).WithCols(2)
	if largest.Shift != nil || !slices.Equal(largest.Factor, floats(2, 1)) {
		t.Errorf("%+v", largest)
	}
	if (*scale.Scale)(nil).WithCols(3) != nil {
		t.Error("WithCols of a nil scale is not nil")
	}
	unit := &scale.Scale{Kind: "unit"}
	if unit.WithCols(3) != unit {
		t.Error("WithCols has copied a scale without factors")
	}
}

func scales() []*scale.Scale {
	return []*scale.Scale{
		{Kind: "none", Folded: true},
		{Kind: "none", Folded: true, Centre: 3, Spread: 4},
		{Kind: "max-abs", Folded: true, Factor: floats(0.5, 2, 3, 1)},
		{Kind: "max-abs", Factor: floats(0.5, 2, 3, 1), Centre: -1, Spread: 0.5},
		{Kind: "standard", Folded: true, Shift: floats(1, -2, 0, 5), Factor: floats(0.5, 2, 3, 1)},
		{Kind: "standard", Folded: true, Shift: floats(1, -2, 0, 5), Factor: floats(0.5, 2, 3, 1),
			Centre: 7, Spread: 3},
		{Kind: "standard", Shift: floats(1, -2, 0, 5), Factor: floats(0.5, 2, 3, 1)},
		{Kind: "unit"},
		{Kind: "unit", Centre: 7, Spread: 3},
	}
}

func scaledRow(s *scale.Scale, row []float32) []float64 {
	scaled, length := make([]float64, len(row)), 0.0
	for j, v := range row {
		scaled[j] = float64(v)
		length += float64(v) * float64(v)
		if s.Shift != nil {
			scaled[j] -= float64(s.Shift[j])
		}
		if s.Factor != nil {
			scaled[j] *= float64(s.Factor[j])
		}
	}
	if s.Kind == "unit" && length > 0 {
		for j := range scaled {
			scaled[j] /= math.Sqrt(length)
		}
	}
	return scaled
}

func dot(w []float32, x []float64) (sum float64) {
	for j, v := range w {
		sum += float64(v) * x[j]
	}
	return sum
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-5*(1+math.Abs(b)) }

func TestApplyAndDots(t *testing.T) {
	x := dense.New(5, 4)
	for i := range 4 { // the last row is zeros
		copy(x.Row(i), floats(float32(i), 2, 0, float32(3-i)))
	}
	y := floats(1, 2, 3, 4, 5)
	w := [][]float32{{1, -2, 0.5, 3}, {0.25, 1, 1, -1}}
	for _, s := range scales() {
		for _, rows := range []store.Examples{x, sample.ToSparse(x)} {
			examples, targets := s.Apply(rows, y, 0, 1, func() bool { return false })
			for i := range 5 {
				row := scaledRow(s, x.Row(i))
				index, values := []int32(nil), x.Row(i)
				if rows != store.Examples(x) {
					index, values = sample.ToSparse(x).Row(i)
				}
				want := float64(y[i])
				if s.Spread != 0 {
					want = (want - s.Centre) / s.Spread
				}
				if !near(float64(targets[i]), want) {
					t.Errorf("%+v: target %v, want %v", s, targets[i], want)
				}
				for k := range w {
					if have := float64(examples.Dot(i, w[k])); !near(have, dot(w[k], row)) {
						t.Errorf("%+v, %T: row %d scores %v, want %v", s, rows, i, have,
							dot(w[k], row))
					}
				}
				if s.Kind == "none" {
					continue
				}
				dots := make([]float64, len(w))
				s.Dots(dots, index, values, w)
				for k, z := range dots {
					if want := dot(w[k], row); !near(z, want) {
						t.Errorf("%+v, %T: Dots of row %d is %v, want %v", s, rows, i, z, want)
					}
				}
			}
		}
	}
}

func TestDotsOfOtherColumns(t *testing.T) {
	w := [][]float32{{1, 2, 3, 4}}
	for _, s := range scales()[2:] {
		row := floats(3, 0, 4, 0, 12)
		want := dot(w[0], scaledRow(s, row[:4]))
		if s.Kind == "unit" {
			want = (3*1 + 4*3) / 13.0 // the row's length includes column 4
		}
		z := make([]float64, 1)
		if s.Dots(z, []int32{0, 2, 4}, floats(3, 4, 12), w); !near(z[0], want) {
			t.Errorf("%+v: %v, want %v", s, z, want)
		}
		want = dot(w[0], scaledRow(s, floats(3, 0, 4, 0)))
		if s.Dots(z, []int32{0, 2}, floats(3, 4), w); !near(z[0], want) {
			t.Errorf("%+v, fewer columns: %v, want %v", s, z, want)
		}
		if s.Kind == "unit" {
			continue
		}
		zeros := scaledRow(s, make([]float32, 4))
		if have := s.ScoreOfZeros(w[0], 2); !near(have, 3*zeros[2]+4*zeros[3]) {
			t.Errorf("%+v: the zeros of the last columns add %v", s, have)
		}
	}
}
