package scale_test

import (
	"math"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/internal/rows/scale"
)

var (
	vectors = [][]float32{{1, -2, 0.5, 3}, {0.25, 1, 1, -1}}
	row     = []float32{3, 5, -7, 2}
)

func TestFold(t *testing.T) {
	for _, s := range scales() {
		for _, b := range [][]float64{nil, {2, -1}} {
			folded, biases := s.Fold(vectors, b)
			scaled := scaledRow(s, row)
			if !s.Folded { // the model scales rows itself
				scaled = []float64{3, 5, -7, 2}
			}
			for k, w := range vectors {
				want := dot(w, scaled)
				if b != nil {
					want += b[k]
				}
				want = want*s.TargetUnit() + s.Centre
				have := dot(folded[k], []float64{3, 5, -7, 2})
				if biases != nil {
					have += biases[k]
				}
				if !near(have, want) {
					t.Errorf("%+v, biases %v: vector %d scores %v, want %v", s, b, k, have, want)
				}
			}
			if moves := s.Centre != 0 || s.Folded && s.Shift != nil; (biases != nil) !=
				(b != nil || moves) {
				t.Errorf("%+v: biases %v of %v", s, biases, b)
			}
		}
	}
}

func TestUnfold(t *testing.T) {
	for _, s := range scales() {
		for _, b := range [][]float64{nil, {2, -1}} {
			folded, biases := s.Fold(vectors, b)
			for _, bias := range []bool{true, false} {
				back, rest := s.Unfold(folded, biases, s, bias)
				for k, w := range back {
					wide, b64 := s.UnfoldExact(folded[k], at(biases, k))
					for j, v := range w {
						if !near(float64(v), float64(vectors[k][j])) || !near(wide[j], float64(v)) {
							t.Errorf("%+v: weight %d of %d is %v", s, j, k, v)
						}
					}
					if rest != nil && !near(rest[k], at(b, k)) || !near(b64, at(b, k)) {
						t.Errorf("%+v: bias %v, exactly %v, want %v", s, rest, b64, at(b, k))
					}
				}
				if want := bias || b != nil; (rest != nil) != want {
					t.Errorf("%+v, bias %v: %v was unfolded from %v", s, bias, rest, biases)
				}
			}
		}
	}
}

func at(b []float64, k int) float64 {
	if b == nil {
		return 0
	}
	return b[k]
}

// Without an old scale, Unfold treats the vectors as vectors for raw rows.
func TestUnfoldRaw(t *testing.T) {
	for _, s := range scales() {
		w, b := s.Unfold(vectors, []float64{2, -1}, nil, true)
		if s.Kind == "unit" {
			if want := float32(float64(vectors[0][0]) / s.TargetUnit()); w[0][0] != want {
				t.Errorf("%+v: weight %v, want %v", s, w[0][0], want)
			}
			continue
		}
		for k, v := range vectors {
			want := dot(v, []float64{3, 5, -7, 2}) + []float64{2, -1}[k]
			if have := (dot(w[k], scaledRow(s, row))+b[k])*s.TargetUnit() + s.Centre; !near(have, want) {
				t.Errorf("%+v: vector %d scores %v, want %v", s, k, have, want)
			}
		}
	}
	s := scales()[4]
	folded, biases := s.Fold(vectors, nil)
	for _, c := range []struct {
		add  float64
		kept bool
	}{{0, false}, {1e-14, false}, {1e-10, true}} {
		biases := slices.Clone(biases)
		biases[1] += c.add
		if _, b := s.Unfold(folded, biases, s, false); (b != nil) != c.kept {
			t.Errorf("with %v more the biases are %v", c.add, b)
		}
	}
}

func TestFoldErrors(t *testing.T) {
	for i, s := range scales() {
		if have := s.Changes(); have != (i > 0) {
			t.Errorf("%+v: changes %v", s, have)
		}
		want := 0x1.01p-24
		if s.Factor == nil && s.TargetUnit() == 1 {
			want = 0
		}
		if have := s.WeightError(); have != want {
			t.Errorf("%+v: weights are off by %v", s, have)
		}
	}
	for _, s := range []*scale.Scale{{Kind: "none", Centre: 1}, {Kind: "none", Spread: 2}} {
		if !s.Changes() {
			t.Errorf("%+v: changes nothing", s)
		}
	}
	s := &scale.Scale{Kind: "standard", Folded: true, Shift: floats(1, -2, 0, 5),
		Factor: floats(0.5, 2, 3, 1), Centre: -7, Spread: 2}
	// First vector: |1*.5*2*1| + |-2*2*2*-2| + |3*1*2*5| = 47; second: 18.25.
	if have := s.BiasError(vectors); have != (47+7)/2.0 {
		t.Errorf("biases are off by %v", have)
	}
	s.Folded = false
	if have := s.BiasError(vectors); have != 3.5 {
		t.Errorf("biases that are not folded are off by %v", have)
	}
	if folded, _ := s.Fold([][]float32{{1}}, nil); math.Abs(float64(folded[0][0])) != 2 {
		t.Errorf("the weight is %v", folded[0][0])
	}
}
