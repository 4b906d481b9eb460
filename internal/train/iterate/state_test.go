package iterate_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/train/certificate"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
)

// oracle holds w itself in float64. A step multiplies w by 1-1/(t+t0), adds a multiple of a row,
// and scales w into the ball.
type oracle struct {
	w [][]float64 // weight vectors, each followed by its bias
}

func TestStepsAndProjection(t *testing.T) {
	for _, c := range []struct {
		biasScale float64
		free      bool
		radius    float64
		t0        float64
	}{
		{0, false, 0, 3}, {2, false, 0, 3}, {0, true, 0, 3}, {0, false, 0.5, 3}, {2, false, 0.7, 0},
		{0, true, 0.5, 0}, {2, false, 1e-3, 3}, {0, false, 1e-9, 0},
	} {
		const lambda = 0.3
		s := newState(t, 2, lambda, c.biasScale, c.free)
		s.Radius, s.T0 = c.radius, c.t0
		o := oracle{[][]float64{make([]float64, 7), make([]float64, 7)}}
		for step := range 100 {
			i, k := step*7%testRows, step%2
			g := float64(step%5) - 2.5
			eta := 1 / (lambda * (float64(step+1) + s.T0))
			x := row(s.X, i)
			want := o.w[k][6]
			for j, v := range x {
				want += o.w[k][j] * v
			}
			have := s.Score(k, s.X.Dot(i, s.Vectors[k]), s.Divisor())
			if math.Abs(have-want) > 1e-4*(1+math.Abs(want)) {
				t.Fatalf("%+v, step %d: score %v, want %v", c, step, have, want)
			}
			a := float32(g / s.Factor)
			s.AddRow(k, uint32(i), a)
			s.Biases[k] += s.BiasUpdate(g, float64(a))
			s.T++
			for r := range o.w {
				for j := range o.w[r] {
					if j < 6 || !c.free {
						o.w[r][j] *= 1 - eta*lambda
					}
				}
			}
			for j, v := range x {
				o.w[k][j] += eta * g * v
			}
			if c.free {
				o.w[k][6] += eta * g
			} else {
				o.w[k][6] += eta * g * c.biasScale * c.biasScale
			}
			s.Project()
			norm, exact := 0.0, 0.0
			for _, w := range o.w {
				for j, v := range w {
					switch {
					case j < 6:
						norm += v * v
					case c.biasScale > 0:
						norm += v / c.biasScale * v / c.biasScale
					}
				}
			}
			if f := c.radius / math.Sqrt(norm); c.radius > 0 && f < 1 {
				for _, w := range o.w {
					for j := range w {
						if j < 6 || !c.free {
							w[j] *= f
						}
					}
				}
			}
			var all []float64
			for _, w := range o.w {
				all = append(all, w...)
			}
			if have := last(s); !near(have, all) && c.radius != 1e-9 {
				t.Fatalf("%+v, step %d: w is %v, want %v", c, step, have, all)
			}
			tracked := s.Norm2
			s.RefreshNorm()
			if exact = s.Norm2; c.radius > 0 && math.Abs(tracked-exact) > 1e-5*exact {
				t.Fatalf("%+v, step %d: Norm2 is %v, want %v", c, step, tracked, exact)
			}
			if have := s.Factor * math.Sqrt(exact) / s.Scale(); c.radius > 0 &&
				have > c.radius*(1+1e-5) || !(s.Factor >= 0x1p-20) {
				t.Fatalf("%+v, step %d: |w| is %v, factor %v", c, step, have, s.Factor)
			}
		}
		if c.radius == 0 && s.Factor != 1 || c.radius > 0 && c.radius < 1 && s.Factor == 1 {
			t.Errorf("%+v: factor %v", c, s.Factor)
		}
	}
}

func TestSetStart(t *testing.T) {
	for _, c := range []struct {
		biasScale float64
		free      bool
		prior     bool
		steps     int64
	}{{0, false, false, 7}, {2, false, true, 0}, {0, true, false, 7}, {0, true, true, 3},
		{0.5, false, false, 9}} {
		s := newState(t, 2, 0.3, c.biasScale, c.free)
		w, b := iterate.Zeros(2, testCols), []float64{0.75, -2}
		if c.biasScale == 0 && !c.free {
			b = []float64{0x1p-1001, 0} // SetStart ignores so small a bias
		}
		for k := range w {
			for j := range w[k] {
				w[k][j] = float32(k+1) * float32(j-2) / 8
			}
		}
		want := flat(w, b)
		if c.prior {
			u, v := iterate.Zeros(2, testCols), []float64{0.25, 0.5}
			for k := range u {
				for j := range u[k] {
					u[k][j] = float32(j*j) / 16
				}
			}
			if err := s.SetPrior(u, v); err != nil {
				t.Fatal(err)
			}
			for i, p := range flat(u, v) {
				want[i] -= p
			}
		}
		if err := s.SetStart(w, b, c.steps); err != nil {
			t.Fatal(err)
		}
		if have := last(s); !near(have, want) {
			t.Errorf("%+v: the last iterate is %v, want %v", c, have, want)
		}
		if s.T != c.steps || s.Start != c.steps || s.Origin != c.steps || s.Total != 100+c.steps ||
			s.Done() != 0 || &s.StartWeights.W[0][0] != &w[0][0] || &s.StartWeights.B[0] != &b[0] {
			t.Errorf("%+v: step %d, start %d, origin %d, total %d, %d steps done; or the start "+
				"weights are copies", c, s.T, s.Start, s.Origin, s.Total, s.Done())
		}
		norm := s.Norm2
		if s.RefreshNorm(); s.Norm2 != norm || norm == 0 {
			t.Errorf("%+v: |v|^2 is %v, want %v", c, norm, s.Norm2)
		}
		for _, v := range s.Vectors {
			for _, z := range v {
				if z == 0 && math.Signbit(float64(z)) {
					t.Errorf("%+v: v has -0", c)
				}
			}
		}
	}
	for _, c := range []struct {
		weight  float32
		bias, m float64
		want    string
	}{
		{1, 1, 0.3, "no bias"}, {1, 0x1p-1000, 0.3, "no bias"},
		{1e30, 0, 1e30, "their product is too large for float32"},
		{1, 0x1p-1001, 0.3, ""},
	} {
		s := newState(t, 1, c.m, 0, false)
		w := iterate.Zeros(1, testCols)
		w[0][5] = c.weight
		if err := s.SetStart(w, []float64{c.bias}, 1); (err == nil) != (c.want == "") ||
			err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v", c, err)
		}
	}
}

func TestSamples(t *testing.T) {
	for _, free := range []bool{false, true} {
		s := newState(t, 2, 0.3, 2, false)
		if s.FreeBias = free; free {
			s.BiasScale = 0
		}
		s.T, s.Start, s.Origin, s.Total = 30, 30, 30, 133
		if s.BeforeSample(50) != 50 || s.Samples() {
			t.Errorf("a sample is due without an average")
		}
		s.Average = iterate.NewAverage(103, 2, testCols)
		var want []int64
		for k := int64(33); k <= 133; k += 5 {
			want = append(want, k)
		}
		var have []int64
		sum, n := make([]float64, 14), 0.0
		for s.T < s.Total {
			for k := range s.Vectors {
				for j := range s.Vectors[k] {
					s.Vectors[k][j] = float32(k+j) + float32(s.T%7)
				}
				s.Biases[k] = float64(s.T) - float64(k)
			}
			steps := s.BeforeSample(1000)
			if one := s.BeforeSample(1); one != 1 || steps > 5 {
				t.Fatalf("BeforeSample(1000) is %d, BeforeSample(1) is %d", steps, one)
			}
			s.T += int64(steps) - 1
			if s.Samples() && s.Period > 1 {
				s.Sample() // no sample is due
			}
			s.T++
			if s.Samples() {
				have = append(have, s.T)
				if s.Sample(); 2*(s.T-30) > 103 {
					n++
					for i, z := range last(s) {
						sum[i] += z
					}
				}
			}
		}
		for i := range sum {
			sum[i] /= n
		}
		if !slices.Equal(have, want) || !near(result(s), sum) {
			t.Errorf("sampled after %v, want %v; the mean is %v, want %v", have, want, result(s),
				sum)
		}
	}
}

func TestResult(t *testing.T) {
	s := newState(t, 1, 0.3, 2, false)
	s.T, s.Vectors[0][1], s.Biases[0] = 5, 12, 6
	want := []float64{0, 12 / 2.4, 0, 0, 0, 0, 2 * 6 / 2.4}
	if have := result(s); !near(have, want) {
		t.Errorf("the result is %v, want %v", have, want)
	}
	if v := s.LastIterate(); v.W != nil || v.B != nil {
		t.Errorf("without an average, LastIterate returns %v", v)
	}
	s.Average = iterate.NewAverage(s.Total, 1, testCols)
	if have := result(s); !near(have, want) {
		t.Errorf("no sample yet: %v, want %v", have, want)
	}
	prior := iterate.Zeros(1, testCols)
	prior[0][1], prior[0][3] = 1, 7
	if err := s.SetPrior(prior, []float64{3}); err != nil {
		t.Fatal(err)
	}
	if v := s.LastIterate(); !near(flat(v.W, v.B), []float64{0, 6, 0, 7, 0, 0, 8}) {
		t.Errorf("the last iterate with a prior is %v", v)
	}
	if v := s.Zero(); !near(flat(v.W, v.B), []float64{0, 1, 0, 7, 0, 0, 3}) {
		t.Errorf("zero with a prior is %v", v)
	}
	s.T, s.T0 = 0, 0
	if have := last(s); !near(have, make([]float64, 7)) || s.Score(0, 5, s.Divisor()) != 0 {
		t.Errorf("before the first step: %v", have)
	}
	free := newState(t, 1, 0.3, 0, true)
	free.T, free.T0, free.Vectors[0][1], free.Biases[0] = 0, 0, 3, 4
	if have := last(free); !near(have, []float64{0, 0, 0, 0, 0, 0, 4}) ||
		free.Score(0, 5, 0) != 4 {
		t.Errorf("a bias without a penalty before the first step: %v", have)
	}
}

func TestErrors(t *testing.T) {
	inf := float32(math.Inf(1))
	for name, c := range map[string]struct {
		harm func(s *iterate.State)
		step int64
		row  int
		text string
	}{
		"score": {func(s *iterate.State) { s.NotFinite(4) }, 8, 14,
			"step 8: the score is not finite"},
		"weight": {func(s *iterate.State) { s.Vectors[1][5] = inf; s.EndEpoch(1) }, 7, -1,
			"step 7: a weight is not finite"},
		"bias": {func(s *iterate.State) { s.Biases[1] = math.NaN(); s.EndEpoch(1) }, 7, -1,
			"step 7: a bias is not finite"},
		"norm": {func(s *iterate.State) { s.Radius, s.Norm2 = 1, math.Inf(1); s.Project() }, 7, -1,
			"step 7: the norm of the weights is not finite"},
	} {
		s := newState(t, 2, 0.3, 2, false)
		s.T = 7
		var e *iterate.Error
		if c.harm(s); !errors.As(s.Err, &e) || e.Step != c.step || e.Row != c.row ||
			!strings.HasPrefix(e.Error(), c.text) {
			t.Errorf("%s: error %v", name, s.Err)
		}
		if before := s.Checked; name == "weight" {
			if s.Vectors[1][5] = 0; before != 0 {
				t.Errorf("checked after step %d", before)
			}
			s.T = 90
			s.EndEpoch(2)
			if s.Checked != 0 {
				t.Error("checked after an error")
			}
		}
	}
}

func TestEndEpoch(t *testing.T) {
	s := newState(t, 16, 0.3, 2, false)
	s.Radius, s.Norm2, s.Vectors[2][1], s.Biases[1] = 1, 99, 2, 3
	s.Windows = certificate.NewWindows(100, 20, testRows*16)
	s.Checked = 10
	none := newState(t, 1, 0.3, 2, false)
	none.T, none.Norm2 = 50, 99
	none.EndEpoch(1)
	if none.Checked != 50 || none.Norm2 != 99 {
		t.Errorf("without projection: checked after step %d, norm %v", none.Checked, none.Norm2)
	}
	for k, c := range []struct {
		t, checked int64
		norm       float64
	}{{12, 10, 99}, {15, 10, 99}, {16, 16, 13}, {17, 16, 13}} {
		if s.T = c.t; c.t == 17 {
			s.Norm2 = 13
		}
		if s.EndEpoch(k + 1); s.Err != nil || s.Checked != c.checked || s.Norm2 != c.norm {
			t.Errorf("step %d: checked after %d, norm %v; %v", c.t, s.Checked, s.Norm2, s.Err)
		}
	}
	if w := s.Windows; w.Start != 2 || w.OldStart != 1 {
		t.Errorf("the certificate's windows start at epochs %d and %d", w.OldStart, w.Start)
	}
}

func TestBeginDual(t *testing.T) {
	for _, mean := range []bool{false, true} {
		s := newState(t, 1, 0.3, 2, false)
		s.T, s.Period, s.Average = 11, 77, iterate.NewAverage(100, 1, testCols)
		s.Windows = certificate.NewWindows(100, 20, testRows)
		s.Only = make([]uint32, 32)
		s.BeginDual(mean)
		if s.Windows != nil || s.FixedScale != 0.3*32 || s.Scale() != s.FixedScale ||
			(s.Average != nil) != mean {
			t.Errorf("after BeginDual: %+v", s)
		}
		if mean && (s.Origin != 11 || s.Period != 2 || s.Average.Shift != 0) {
			t.Errorf("origin %d, period %d, shift %d", s.Origin, s.Period, s.Average.Shift)
		}
	}
}

func TestAdopt(t *testing.T) {
	a, b := newState(t, 2, 0.3, 2, false), newState(t, 2, 0.3, 2, false)
	a.T0, a.T, a.Start, a.Origin, a.Total, a.Period = 1, 2, 3, 4, 5, 6
	a.Factor, a.Radius, a.Norm2, a.Violations, a.Checked = 0.5, 7, 8, 9, 10
	a.Vectors[1][2], a.Biases[1] = 3, 4
	a.Average = iterate.NewAverage(5, 2, testCols)
	b.Adopt(a)
	if b.T0 != 1 || b.T != 2 || b.Start != 3 || b.Origin != 4 || b.Total != 5 || b.Period != 6 ||
		b.Factor != 0.5 || b.Radius != 7 || b.Norm2 != 8 || b.Violations != 9 || b.Checked != 10 ||
		b.Vectors[1][2] != 3 || b.Biases[1] != 4 || b.Average != a.Average {
		t.Errorf("the state is %+v, want %+v", b, a)
	}
	if a.Vectors[1][2] = 5; b.Vectors[1][2] != 3 {
		t.Error("the vectors are shared")
	}
}
