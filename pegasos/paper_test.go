package pegasos_test

import (
	"math"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/order"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/pegasos"
)

// fig1 runs the algorithm of the paper's Fig. 1 in float64. It shares only the order of the rows
// with the trainer.
type fig1 struct {
	x          wide
	y          []float64 // -1 or 1
	lambda     float64
	project    bool // project w onto the ball of radius 1/sqrt(lambda), the paper's optional step
	rows       *order.Visits
	t          int64 // steps taken
	u          []float64
	scale      float64 // w = scale * u
	norm       float64 // |w|^2
	violations int64
	unsure     bool // rounding may have decided whether a row violated its margin
}

func newFig1(x pegasos.Examples, y []float32, cfg pegasos.Config) *fig1 {
	return &fig1{x: widen(x, 0), y: signs(y, 1), lambda: cfg.Lambda, project: cfg.Project,
		rows: order.New(string(cfg.Order), x.Rows(), cfg.Block, cfg.Batch, cfg.Seed),
		u:    make([]float64, x.Cols()), scale: 1}
}

type fig1Step struct {
	row      int
	margin   float64 // y*<w_t, x> before the step
	gradient float64 // squared length of the sub-gradient
}

func (f *fig1) step() (s fig1Step) {
	s.row = int(f.rows.Next(1)[0])
	s.margin = f.y[s.row] * f.scale * f.x.dot(s.row, f.u)
	s.gradient = f.lambda * f.lambda * f.norm
	f.unsure = f.unsure || math.Abs(s.margin-1) < 1e-4
	f.t++
	eta, shrink := 1/(f.lambda*float64(f.t)), 1-1/float64(f.t)
	f.norm *= shrink * shrink
	if f.t > 1 { // w = 0 before the first step
		f.scale *= shrink
	}
	if s.margin < 1 {
		f.violations++
		s.gradient += f.x.square[s.row] - 2*f.lambda*s.margin
		f.norm += eta*eta*f.x.square[s.row] + 2*eta*shrink*s.margin
		f.x.axpy(s.row, eta*f.y[s.row]/f.scale, f.u)
	}
	if long := math.Sqrt(f.norm * f.lambda); f.project && long > 1 {
		f.scale /= long
		f.norm = 1 / f.lambda
	}
	if f.scale < 1e-50 {
		for j := range f.u {
			f.u[j] *= f.scale
		}
		f.scale = 1
	}
	return s
}

// meet reports whether the weights and violations of f agree with the trainer's, within a
// tolerance, and copies the trainer's values to f. The test fails if they differ unless rounding
// may have decided a step since the last call.
func (f *fig1) meet(t *testing.T, p pegasos.Progress, m *pegasos.Model) bool {
	t.Helper()
	var far, size, norm float64
	for j, v := range m.Weights[0] {
		w := f.scale * f.u[j]
		far, size = math.Max(far, math.Abs(float64(v)-w)), math.Max(size, math.Abs(w))
		f.u[j] = float64(v)
		norm += f.u[j] * f.u[j]
	}
	same := p.Steps == f.t && p.Violations == f.violations &&
		far <= 1e-5*math.Max(size, 1/f.lambda/float64(f.t)) && math.Abs(norm-f.norm) <= 1e-4*norm
	if !same && !f.unsure {
		t.Fatalf("%+v, step %d: %d violations, in float64 %d after %d; a weight is %v away, of up to "+
			"%v; |w|^2 is %v, in float64 %v", m.Config, p.Steps, p.Violations, f.violations, f.t, far,
			size, norm, f.norm)
	}
	f.scale, f.norm, f.violations, f.unsure = 1, norm, p.Violations, false
	return same
}

func TestPaper(t *testing.T) {
	same, met := 0, 0
	for seed := range uint64(20) {
		for _, lambda := range []float64{1, 0.1, 1e-3, 1e-6} {
			data := random(seed, 40, 7, 2, 0.7)
			for _, x := range []pegasos.Examples{data.dense, data.sparse, sample.UserRows(data.dense)} {
				cfg := pegasos.Paper()
				cfg.Epochs, cfg.Lambda, cfg.Seed, cfg.Project = 0, lambda, seed, seed%2 == 1
				for _, cfg.Steps = range []int64{1, 3, 300} {
					f := newFig1(data.dense, data.y, cfg)
					tr := pegasos.Trainer{Config: cfg, Threads: 1, Progress: func(p pegasos.Progress) {
						for f.t < p.Steps {
							f.step()
						}
						if met++; f.meet(t, p, p.Model()) {
							same++
						}
					}}
					m, err := tr.Train(t.Context(), x, data.y)
					if err != nil || f.t != cfg.Steps || !slices.Equal(f.u, floats.Float64s(m.Weights[0])) {
						t.Fatalf("%+v: %v after %d steps, want %v: %v", cfg, m.Weights, f.t, f.u, err)
					}
				}
			}
		}
	}
	if same < met*99/100 {
		t.Errorf("weights and violations agree with Fig. 1 only %d times of %d", same, met)
	}
}

func TestOffset(t *testing.T) {
	data := random(4, 50, 6, 2, 1)
	var r2 float64
	for i := range data.dense.Rows() {
		r2 += float64(data.dense.SumSquares(i)) / 50
	}
	m := mustTrain(t, data.dense, data.y, pegasos.Config{Lambda: 0.25, Epochs: 3})
	if math.Abs(m.Result.R2-r2) > 1e-12 || m.Result.T0 != m.Result.R2/0.25 {
		t.Errorf("R2 = %v, t0 = %v, want %v and %v", m.Result.R2, m.Result.T0, r2, r2/0.25)
	}
	m = mustTrain(t, data.dense, data.y, pegasos.Config{Lambda: 0.25, Epochs: 3,
		Bias: pegasos.BiasAugmented, BiasScale: 3})
	if want := r2 + 9; math.Abs(m.Result.R2-want) > 1e-12 {
		t.Errorf("with BiasScale 3: R2 = %v, want %v", m.Result.R2, want)
	}
	m = mustTrain(t, data.dense, data.y, pegasos.Config{Lambda: 0.25, Epochs: 3,
		Offset: pegasos.OffsetNone})
	if m.Result.T0 != 0 {
		t.Errorf("t0 = %v, want 0", m.Result.T0)
	}
	// The first step has size 1/(lambda*(1+t0)), about 1/R^2.
	m = mustTrain(t, data.dense, data.y, pegasos.Config{Lambda: 1e-9, Steps: 1,
		Order: pegasos.Sequential, Average: pegasos.LastIterate})
	for j, v := range data.dense.Row(0) {
		want := float64(v) * float64(2*data.y[0]-1) / r2
		if w := float64(m.Weights[0][j]); math.Abs(w-want) > 1e-6 {
			t.Errorf("w[%d] = %v after the first step, want %v", j, w, want)
		}
	}
}

func TestBias(t *testing.T) {
	for _, scale := range []float64{1, 0.5, 4} {
		data := random(5, 80, 5, 2, 1)
		wide := dense.New(80, 6)
		for i := range 80 {
			copy(wide.Row(i), data.dense.Row(i))
			wide.Row(i)[5] = float32(scale)
		}
		for _, average := range []pegasos.Average{pegasos.LastHalf, pegasos.LastIterate} {
			cfg := pegasos.Config{Lambda: 0.01, Epochs: 5, Average: average}
			want := mustTrain(t, wide, data.y, cfg)
			cfg.Bias, cfg.BiasScale = pegasos.BiasAugmented, scale
			for _, x := range []pegasos.Examples{data.dense, data.sparse} {
				have := mustTrain(t, x, data.y, cfg)
				if d := distance(have.Weights[0], want.Weights[0][:5]); d > 1e-5*norm(
					want.Weights[0]) {
					t.Errorf("scale %v %s: weights %v, want %v", scale, average, have.Weights[0],
						want.Weights[0])
				}
				b := float64(want.Weights[0][5]) * scale
				if math.Abs(have.Bias[0]-b) > 1e-5*math.Abs(b) {
					t.Errorf("scale %v %s: bias %v, want %v", scale, average, have.Bias[0], b)
				}
				h, w := have.Result, want.Result
				if math.Abs(h.Objective-w.Objective) > 1e-6 ||
					math.Abs(h.DualObjective-w.DualObjective) > 1e-5 || math.Abs(h.R2-w.R2) > 1e-6 {
					t.Errorf("scale %v %s: result %+v, want %+v", scale, average, h, w)
				}
			}
		}
	}
}

// With LastHalf, a model of 500 steps is the mean of the weights after every 31st step of the last
// half, where 31 is 500/16 rounded down.
func TestAveragedModel(t *testing.T) {
	data := random(10, 64, 5, 2, 1)
	other := mustTrain(t, data.dense, data.y, pegasos.Config{Lambda: 1, Steps: 99,
		Bias: pegasos.BiasUnregularised})
	free := pegasos.Config{Bias: pegasos.BiasUnregularised}
	batches, projected := free, free
	batches.Batch, batches.Loss = 7, pegasos.Log
	projected.Project, projected.Offset = true, pegasos.OffsetNone
	for _, tr := range []pegasos.Trainer{
		{}, {Config: pegasos.Config{Bias: pegasos.BiasAugmented}}, {Config: free}, {Config: batches},
		{Config: projected}, {Config: free, Weights: some(64)}, {Config: free, Prior: other},
		{Config: free, Start: other},
	} {
		tr.Lambda, tr.Threads = 0.1, 1
		weights := func(steps int64, average pegasos.Average) []float64 {
			tr.Steps, tr.Average = steps, average
			m, err := trainPlain(t.Context(), &tr, data.dense, data.y)
			if err != nil {
				t.Fatal(err)
			}
			return append(floats.Float64s(m.Weights[0]), vectorBias(m, 0))
		}
		want := make([]float64, 6)
		const samples = 9 // after 500, 469, ..., 252 steps
		for n := range int64(samples) {
			for j, v := range weights(500-31*n, pegasos.LastIterate) {
				want[j] += v / samples
			}
		}
		for j, v := range weights(500, pegasos.LastHalf) {
			if math.Abs(v-want[j]) > 1e-5 {
				t.Errorf("%+v: weight %d: %v, want %v", tr.Config, j, v, want[j])
			}
		}
	}
}
