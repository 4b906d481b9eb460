package sgd_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/loss"
	"github.com/pegasimd/pegasimd/internal/train/sgd"
)

type stepper interface {
	Steps(idx []uint32, ends []int)
}

func (s *spec) newStepper(t testing.TB, x store.Examples, y []float32) (stepper, *iterate.State) {
	t.Helper()
	if s.joint {
		j := sgd.NewJoint(s.state(t, x, y), s.log, s.costs)
		return j, &j.State
	}
	p := sgd.NewBinary(s.state(t, x, y), s.loss, 1)
	return p, &p.State
}

// take returns the number of steps before rounding might decide a coefficient.
func (s *spec) take(t *testing.T, x store.Examples, wide *dense.Matrix, y []float32) (steps int) {
	t.Helper()
	p, state := s.newStepper(t, x, y)
	o := s.newOracle(wide, y, state)
	violations := int64(0)
	for step := range 150 {
		var idx []uint32
		for k := range max(1, s.batch) {
			i := (step*max(1, s.batch) + k) * 7 % wide.Rows()
			for o.share[i] == 0 {
				i = (i + 1) % wide.Rows()
			}
			idx = append(idx, uint32(i))
		}
		before := slices.Clone(o.counts)
		if s.batch > 0 {
			p.Steps(idx, []int{len(idx)})
		} else {
			p.Steps(idx, nil)
		}
		if o.step(idx) {
			break
		}
		if !slices.Equal(before, o.counts) {
			violations++
		}
		steps++
		if state.Err != nil || state.T != o.t || !o.same(state) || state.Violations != violations {
			t.Fatalf("%+v, %T, step %d: %v after %d updates, want %v after %d: %v", *s, x, step+1,
				weightsOf(state), state.Violations, o.w, violations, state.Err)
		}
	}
	if steps == 150 {
		for i, c := range state.Windows.Count {
			if math.Abs(float64(c)-o.counts[i]) > 1e-3*(1+math.Abs(o.counts[i])) {
				t.Fatalf("%+v: Windows.Count[%d] is %v, want %v", *s, i, c, o.counts[i])
			}
		}
	}
	return steps
}

var costs4 = [][]float64{{0, 1, 3, 1}, {0.5, 0, 0.5, 4}, {2, 1, 0, 0.25}, {1, 1, 1, 0}}

// Losses with a Curvature need a large t0.
var losses = func() []spec {
	all := []spec{{joint: true}, {joint: true, costs: costs4}, {joint: true, log: true}}
	for k := range loss.Kind(loss.Kinds) {
		s := spec{loss: loss.Func{Kind: k}}
		if k.Traits().Epsilon {
			s.loss.Epsilon = 0.25
		}
		if k.Traits().Curvature > 0 {
			s.t0 = 60
		}
		all = append(all, s)
	}
	return all
}()

func TestStepsAreThePapers(t *testing.T) {
	steps, runs := 0, 0
	for k, l := range losses {
		for n, change := range []func(s *spec){
			func(s *spec) {},
			func(s *spec) { s.bias, s.batch = 2, 3 },
			func(s *spec) { s.free = true },
			func(s *spec) { s.free, s.radius = true, 0.4 },
			func(s *spec) { s.free, s.batch, s.radius = true, 7, 0.4 },
			func(s *spec) { s.bias, s.radius = 3, 0.5 },
			func(s *spec) { s.radius, s.batch = 0.3, 2 },
			func(s *spec) { s.bias = 0.5 },
		} {
			for kind := range 6 { // selects weights, a prior and a start
				s := l
				s.lambda = []float64{0.3, 2}[(n+kind)%2]
				if change(&s); kind == 1 || kind == 5 {
					s.weights = make([]float32, 40)
					for i := range s.weights {
						s.weights[i] = float32(i%5) / 2
					}
				}
				s.prior = kind == 2 || kind == 4
				if kind >= 3 {
					s.start = 20
				} else if s.t0 == 0 && n%2 == 0 {
					s.t0 = 5
				}
				x, y := s.data(uint64(n), 40, 4)
				steps += s.take(t, layouts(x)[(k+n+kind)%3], x, y)
				runs++
			}
		}
	}
	if steps < 80*runs {
		t.Errorf("%d steps compared in %d runs: too few", steps, runs)
	}
}

// The first steps, computed by hand.
func TestFirstSteps(t *testing.T) {
	x, y := dense.New(3, 2), []float32{1, 0, 1}
	copy(x.Row(0), []float32{1, 2})
	copy(x.Row(1), []float32{3, -1})
	for _, x := range layouts(x) {
		p := sgd.NewBinary((&spec{lambda: 0.5}).state(t, x, y), loss.Func{}, 1)
		for n, step := range []struct {
			row  uint32
			want [2]float32
		}{
			{0, [2]float32{2, 4}},         // w = 0 violates; eta = 2
			{1, [2]float32{1 - 3, 2 + 1}}, // y<w,x> = -(6-4) < 1; eta = 1; w is halved first
			{1, [2]float32{-4. / 3, 2}},   // y<w,x> = -(-6-3) = 9: only shrinks, to 2/3
			{0, [2]float32{-1, 1.5}},      // y<w,x> = -4/3+4 > 1: shrinks to 3/4
			{2, [2]float32{-0.8, 1.2}},    // y<w,0> = 0 < 1 violates and adds nothing
		} {
			p.Steps([]uint32{step.row}, nil)
			if w := weightsOf(&p.State)[0]; w[0] != float64(step.want[0]) ||
				w[1] != float64(step.want[1]) {
				t.Errorf("%T: after step %d w = %v, want %v", x, n+1, w, step.want)
			}
		}
		if p.Violations != 3 {
			t.Errorf("%T: %d violations, want 3", x, p.Violations)
		}
	}
}

// The paper tests for a margin below 1.
func TestMarginOfOne(t *testing.T) {
	x := dense.New(4, 1)
	for i, v := range []float32{1, 0.5, 0.499, 0} {
		x.Row(i)[0] = v
	}
	for _, x := range layouts(x) {
		for _, c := range []struct {
			row  uint32
			want int64
		}{{1, 1}, {2, 2}} { // w = 2: <w, 0.5> = 1
			state := (&spec{lambda: 0.5}).state(t, x, []float32{1, 1, 1, 0})
			p := sgd.NewBinary(state, loss.Func{}, 1)
			p.Steps([]uint32{0, c.row}, nil)
			if p.Violations != c.want {
				t.Errorf("%T, row %d: %d violations, want %d", x, c.row, p.Violations, c.want)
			}
		}
	}
}

// Eq. (13): w after T steps is 1/(lambda (T+t0)) times the sum of y*x over the violations, which
// p.Windows counts. Float32 sums are exact, because the rows hold small integers.
func TestEq13(t *testing.T) {
	data := sample.Random(3, 60, 9, 2, 0.5)
	for i := range 60 {
		for j, v := range data.Dense.Row(i) {
			data.Dense.Row(i)[j] = float32(math.Round(float64(v) * 7))
		}
	}
	for _, t0 := range []float64{0, 1234.5} {
		for _, x := range layouts(data.Dense) {
			p := sgd.NewBinary((&spec{lambda: 0.01, t0: t0}).state(t, x, data.Y), loss.Func{}, 1)
			for range 7 {
				p.Steps(upTo(60), nil)
			}
			v, total := make([]float32, 9), float32(0)
			for i, c := range p.Windows.Count {
				if total += c; c < 0 || c > 7 {
					t.Fatalf("row %d violated %v times in 7 epochs", i, c)
				}
				dense.Axpy(c*(2*data.Y[i]-1), data.Dense.Row(i), v)
			}
			if total != float32(p.Violations) || !slices.Equal(v, p.V) {
				t.Errorf("%T: the windows count %v violations, want %d; v is %v, want %v", x, total,
					p.Violations, p.V, v)
			}
			for j, w := range weightsOf(&p.State)[0][:9] {
				if want := float64(float32(float64(v[j]) / (0.01 * (420 + t0)))); w != want {
					t.Errorf("%T: w[%d] = %v, want %v", x, j, w, want)
				}
			}
		}
	}
}

func upTo(n int) (idx []uint32) {
	for i := range n {
		idx = append(idx, uint32(i))
	}
	return idx
}

func TestManyStepsAtATime(t *testing.T) {
	for _, l := range losses {
		for _, change := range []func(s *spec){
			func(s *spec) {}, func(s *spec) { s.bias = 2 }, func(s *spec) { s.start = 100 },
			func(s *spec) {
				s.weights = make([]float32, 150)
				for i := range s.weights {
					s.weights[i] = float32(1 + i%3)
				}
			},
			func(s *spec) { s.radius = 0.2 },
			func(s *spec) { s.lambda = 1e-39; s.start = 0 }, // subnormal scales, if t0 is 0
		} {
			s := l
			s.lambda = 0.1
			change(&s)
			x, y := s.data(9, 150, 3)
			if s.costs != nil {
				s.costs = [][]float64{{0, 1, 2}, {1, 0, 3}, {2, 0.5, 0}}
			}
			for _, x := range layouts(x)[:2] {
				var want *iterate.State
				for k, rows := range []store.Examples{sample.UserRows(x), x, x} {
					p, state := s.newStepper(t, rows, y)
					state.Average = iterate.NewAverage(state.Total, len(state.Vectors), 7)
					for range 2 {
						if idx := upTo(150); k < 2 {
							p.Steps(idx, nil)
						} else {
							for i := range idx {
								p.Steps(idx[i:i+1], nil)
							}
						}
					}
					if want == nil {
						want = state
					}
					a, b := state.Save(), want.Save()
					if a.Violations != b.Violations || a.Steps != b.Steps ||
						!slices.Equal(a.Biases, b.Biases) || a.Norm2 != b.Norm2 ||
						!slices.Equal(arrays(state), arrays(want)) || a.Current.N != b.Current.N {
						t.Errorf("%+v, %T: %+v, want %+v", s, rows, a, b)
					}
					if w, b := state.NewWeights(); state.Err == nil && s.lambda > 1e-30 {
						if state.Weights(w, b); state.Average.Current.N < 12 {
							t.Errorf("%+v: %d samples, want 12 or more", s, state.Average.Current.N)
						}
					}
				}
			}
		}
	}
}

func TestPreparedSteps(t *testing.T) {
	data := sample.ZerosAndOnes(sample.Random(12, 150, 7, 2, 0.5))
	for i := range 150 {
		dense.Scale(float32(1+i%3)/2, data.Dense.Row(i))
	}
	x := sample.ToSparse(data.Dense)
	for _, s := range []spec{{lambda: 0.1}, {lambda: 0.01, t0: 300}, {lambda: 0.3, start: 77},
		{lambda: 0.1, weights: upToWeights(150)}, {lambda: 0.1, bias: 2}, {lambda: 1e-39, t0: 5},
		{lambda: 0.1, prior: true}} {
		want := sgd.NewBinary(s.state(t, x, data.Y), s.loss, 1)
		s.compact = true
		have := sgd.NewBinary(s.state(t, x, data.Y), s.loss, 1)
		for _, p := range []*sgd.Binary{want, have} {
			for n := range 3 {
				idx := upTo(150)
				p.Steps(idx[:66-n], nil)
				p.Steps(idx[66-n:], nil)
			}
		}
		if have.Violations != want.Violations || have.T != want.T || want.Err != nil ||
			!slices.Equal(arrays(&have.State), arrays(&want.State)) {
			t.Errorf("%+v: %d updates in %d steps, want %d in %d; v is %v, want %v; %v", s,
				have.Violations, have.T, want.Violations, want.T, have.V, want.V, want.Err)
		}
	}
}

func upToWeights(n int) (weights []float32) {
	for i := range n {
		weights = append(weights, float32(1+i%4))
	}
	return weights
}

func arrays(s *iterate.State) (all []uint32) {
	s.Arrays(func(a []float32) {
		for _, v := range a {
			all = append(all, math.Float32bits(v))
		}
	})
	return all
}

func TestNotFinite(t *testing.T) {
	wide := dense.New(5, 1)
	for i := range 5 {
		wide.Row(i)[0] = 1.5e19
	}
	y := []float32{1, 1, 1, 1, 0}
	for name, s := range map[string]spec{
		"hinge":        {},
		"prepared":     {compact: true},
		"bias":         {bias: 1},
		"log":          {loss: loss.Func{Kind: loss.Log}},
		"squared":      {loss: loss.Func{Kind: loss.SquaredHinge}},
		"Crammer":      {joint: true},
		"multinomial":  {joint: true, log: true},
		"hinge, batch": {batch: 1},
		"multi, batch": {batch: 1, joint: true, log: true},
	} {
		for _, x := range layouts(wide) {
			if s.lambda, s.t0 = 3e38, 1e9; s.compact {
				x = sample.ToSparse(wide)
			}
			p, state := s.newStepper(t, x, y)
			idx := []uint32{3, 2, 1, 0, 3, 2, 1, 0, 3, 2, 1, 0}
			var ends []int
			for i := range idx {
				if s.batch > 0 {
					ends = append(ends, i+1)
				}
			}
			p.Steps(idx, ends)
			var e *iterate.Error
			if !errors.As(state.Err, &e) || e.Step != state.T+1 || e.Step < 2 || e.Step > 8 ||
				e.Row != int(idx[e.Step-1]) || !strings.Contains(e.Reason, "not finite") {
				t.Errorf("%s, %T: %v after %d steps", name, x, state.Err, state.T)
			}
			steps := state.T
			if p.Steps(idx, nil); s.batch == 0 && !s.joint && state.T != steps {
				t.Errorf("%s, %T: takes steps after an error", name, x)
			}
		}
	}
}
