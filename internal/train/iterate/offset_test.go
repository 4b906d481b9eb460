package iterate_test

import (
	"math"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/internal/train/iterate"
)

func TestNextAdaptation(t *testing.T) {
	for _, c := range []struct{ total, first, last int64 }{
		{2047, 0, 0}, {2048, 1024, 1024}, {8191, 1024, 2048}, {8192, 1024, 4096},
		{1 << 53, 1024, 1 << 52},
	} {
		var all []int64
		for s := int64(0); ; {
			next := iterate.NextAdaptation(s, c.total)
			if next == math.MaxInt64 {
				break
			}
			if again := iterate.NextAdaptation(next-1, c.total); again != next {
				t.Errorf("after %d of %d steps: %d, want %d", next-1, c.total, again, next)
			}
			all, s = append(all, next), next
		}
		var want []int64
		for s := c.first; s > 0 && s <= c.last; s *= 2 {
			want = append(want, s)
		}
		if !slices.Equal(all, want) {
			t.Errorf("%d steps: AdaptOffset is due after %v, want %v", c.total, all, want)
		}
	}
}

func TestAdaptOffset(t *testing.T) {
	for _, c := range []struct {
		biasScale float64
		steps     int64   // steps taken, in a run of 5000
		weight    float32 // element j of v is weight*(j-2)
		bias      float64 // of the appended feature
		gradient  float64 // root mean square of the sub-gradients' norms
		least     bool    // whether LeastT0 exceeds the computed T0
	}{
		{0, 1024, 0.5, 0, 3, false}, {2, 1024, 0.5, 0.25, 3, false}, {0, 2048, 0.01, 0, 3, false},
		{0, 2048, -1000, 0, 3, true}, {0, 1024, 0.5, 0, 0, true},
	} {
		const lambda, total, least = 0.01, 5000, 20.0
		s := newState(t, 1, lambda, c.biasScale, false)
		s.T, s.Total, s.T0, s.LeastT0 = c.steps, total, 2*least, least
		s.Gradients = c.gradient * c.gradient * float64(c.steps)
		for j := range s.Vectors[0] {
			s.Vectors[0][j] = c.weight * float32(j-2)
		}
		s.Biases[0] = c.bias
		before := last(s)
		norm := c.bias * c.bias
		for _, z := range s.Vectors[0] {
			norm += float64(z) * float64(z)
		}
		norm = math.Sqrt(norm) / (lambda * (float64(c.steps) + 2*least))
		q := c.gradient / (2 * lambda * norm)
		want := 1 / (1/(q*math.Sqrt(min(total/2, 2*float64(c.steps)))) + 1/(q*q))
		if (want < least) != c.least {
			t.Fatalf("%+v: the computed t0 is %v, on the wrong side of the least t0", c, want)
		}
		s.AdaptOffset()
		if want = max(want, least); !(math.Abs(s.T0-want) <= 1e-9*want) {
			t.Errorf("%+v: t0 is %v, want %v", c, s.T0, want)
		}
		if !near(before, last(s)) {
			t.Errorf("%+v: the weights became %v, want %v", c, last(s), before)
		}
	}
	for _, v := range []float32{0, 1e-38} {
		s := newState(t, 1, 0.01, 0, false)
		s.T, s.T0, s.LeastT0, s.Gradients = 1024, 4, 3, 1e38
		s.Vectors[0][1] = v
		if s.AdaptOffset(); s.T0 != 4 || s.Vectors[0][1] != v {
			t.Errorf("v is %v: t0 became %v, want 4 and the same v", v, s.T0)
		}
	}
}

func TestCountGradient(t *testing.T) {
	s := newState(t, 1, 0.1, 2, false)
	want := 0.0
	for i := range s.Norms {
		s.CountGradient(uint32(i), 0.5)
		want += 0.25 * (float64(s.Norms[i]) + 4)
	}
	if !(math.Abs(s.Gradients-want) <= 1e-9*want) {
		t.Errorf("Gradients is %v, want %v", s.Gradients, want)
	}
}
