package engine_test

import (
	"context"
	"math"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/internal/testing/certtest"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/internal/train/certificate"
	"github.com/pegasimd/pegasimd/internal/train/engine"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

func problemOf(p sample.Pair, weights []float32, s settings.Settings) *certtest.Problem {
	q := &certtest.Problem{Vectors: 1, Lambda: s.Lambda, Epsilon: s.Epsilon,
		Bias: s.Bias == settings.BiasAugmented || s.Bias == settings.BiasUnregularised}
	if s.Bias == settings.BiasAugmented {
		q.BiasScale = max(s.BiasScale, 1)
	}
	q.Kind = map[string]certtest.Kind{"log": certtest.Log, "squared-hinge": certtest.SquaredHinge,
		"squared": certtest.Squared, "eps-insensitive": certtest.EpsInsensitive}[s.Loss]
	for i, y := range p.Y {
		var row []float64
		for _, v := range p.Dense.Row(i) {
			row = append(row, float64(v))
		}
		q.Rows = append(q.Rows, row)
		if q.Kind != certtest.Squared && q.Kind != certtest.EpsInsensitive {
			y = 2*y - 1
		}
		q.Labels = append(q.Labels, float64(y))
		if weights != nil {
			q.Weight = append(q.Weight, float64(weights[i]))
		}
	}
	return q
}

var measuredCases = []settings.Settings{
	{}, {Loss: "log", Bias: settings.BiasAugmented, BiasScale: 2},
	{
		Loss:   "squared-hinge",
		Finish: settings.FinishDual,
	}, {Tol: 1e-6, Finish: settings.FinishNewton},
	{Loss: "squared"}, {Loss: "squared", Bias: settings.BiasUnregularised, Tol: 1e-6,
		Finish: settings.FinishNewton},
	{Loss: "eps-insensitive", Epsilon: 0.1, Bias: settings.BiasAugmented},
	{Bias: settings.BiasUnregularised, Finish: settings.FinishDual},
}

func TestMeasure(t *testing.T) {
	data, weights := sample.Random(61, 80, 6, 2, 1), rowWeights(80)
	for _, c := range measuredCases {
		for _, w := range [][]float32{nil, weights} {
			c.Lambda = 0.01
			if c.Epochs = 5; c.Finish != "" {
				c.Epochs = 100
			}
			p := data
			if c.Loss == "squared" || c.Loss == "eps-insensitive" {
				p = targets(data)
			}
			problem := problemOf(p, w, c)
			_, _, optimum := problem.Minimize()
			job := weightedJob(t, p.Dense, p.Y, w, c)
			job.KeepProof, job.Threads = true, 2
			s := newSession(t, job)
			m, _, err := s.Train(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			bias := []float64{0}
			if m.Bias != nil {
				bias = m.Bias
			}
			want := problem.Objective([][]float64{wide(m.Weights[0])}, bias)
			check := func(name string, r proof.Result, precision float64) {
				t.Helper()
				if !(math.Abs(r.Objective-want) <= precision*want) ||
					r.DualObjective > optimum*(1+1e-9) ||
					r.Gap != (r.Objective-r.DualObjective)/r.DualObjective ||
					r.PerClass[0].Objective != r.Objective {
					t.Errorf(
						"%s of %+v: %+v, want %v and a bound of at most %v",
						name,
						c,
						r,
						want,
						optimum,
					)
				}
			}
			check("training", m.Result, 1e-6)
			bound := m.Result.DualObjective
			if c.Finish != "" && !(bound > optimum*0.99) || !(bound > optimum*0.3) {
				t.Errorf("%+v: a bound of %v, the optimum is %v", c, bound, optimum)
			}
			quick := s.Measure(m, engine.Quick)
			check("Quick", m.Result, 1e-6)
			exact := s.Measure(m, engine.Exact)
			check("Exact", m.Result, 1e-12)
			if found := s.Runs[0].Measured[0]; !(0 < exact && exact < quick && quick < 1e-4) ||
				found.MaxError != exact || found.Proven() != m.Result.DualObjective {
				t.Errorf("%+v: largest errors of %v and %v, %+v", c, quick, exact, found)
			}
			proof, err := s.Prove()
			if err != nil || !s.Fits(proof) || s.Fits(nil) || s.Fits([]certificate.Packed{{}}) {
				t.Fatalf("%+v: %v, a proof of %d vectors", c, err, len(proof))
			}
			found, res := s.Verify(t.Context(), m, engine.Check{Proof: proof})
			check("Verify", res, 1e-12)
			if res.DualObjective != found[0].Exact.Proven() || found[0].Lambda != 0.01 ||
				math.Abs(res.DualObjective-bound) > 1e-4*bound {
				t.Errorf("%+v: a proof of %v, want %v", c, res.DualObjective, bound)
			}
		}
	}
}

func wide(v []float32) []float64 {
	w := make([]float64, len(v))
	for j, z := range v {
		w[j] = float64(z)
	}
	return w
}

func TestMeasureAsNeeded(t *testing.T) {
	data := sample.Random(62, 200, 20, 2, 1)
	for _, c := range []struct {
		s     settings.Settings
		exact bool
	}{
		{settings.Settings{Lambda: 1e-4, Epochs: 2}, false},
		{settings.Settings{Lambda: 1, Epochs: 200, Tol: 1e-9, Finish: settings.FinishNewton}, true},
		{settings.Settings{Lambda: 1e-3, Epochs: 2, Order: "iid"}, false}, // no bound
		// no bound, and an objective too small for float32
		{settings.Settings{Lambda: 1e-5, Epochs: 99, Order: "iid"}, true},
	} {
		if c.s.Epochs == 99 { // the first column is the class
			for i, y := range data.Y {
				data.Dense.Row(i)[0] = 2*y - 1
			}
		}
		s := newSession(t, newJob(t, data.Dense, data.Y, c.s))
		m, _, err := s.Train(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var mistakes []float64
		for _, how := range []engine.Precision{engine.AsNeeded, engine.Quick, engine.Exact} {
			mistakes = append(mistakes, s.Measure(m, how))
		}
		want := mistakes[1]
		if c.exact {
			want = mistakes[2]
		}
		if mistakes[0] != want || mistakes[1] == mistakes[2] {
			t.Errorf("%+v: largest errors %v, want an exact measurement: %v", c.s, mistakes, c.exact)
		}
	}
}

// The rows are divided into blocks and parts.
func TestMeasureThreads(t *testing.T) {
	const rows, cols = 9000, 5
	x, y := dense.New(rows, cols), make([]float32, rows)
	for i := range rows {
		for j := range cols {
			x.Row(i)[j] = float32((i*(j+3)+i/7)%23-11) / 8
		}
		y[i] = float32(i % 3)
		x.Row(i)[i%3]++
	}
	for _, s := range []settings.Settings{
		{Epochs: 1},
		{Epochs: 1, Loss: "log", Bias: settings.BiasUnregularised},
		{Epochs: 2, Finish: settings.FinishDual, ClassWeight: settings.Balanced},
		{Epochs: 1, Multiclass: settings.CrammerSinger},
		{Epochs: 1, Loss: "squared"},
	} {
		s.Lambda = 1e-3
		job := newJob(t, x, y, s)
		if s.Loss == "squared" {
			job.Scale = &scale.Scale{Kind: "none", Centre: 1, Spread: 0.5, Folded: true}
		}
		want := digest(train(t, job))
		for _, job.Threads = range []int{2, 8} {
			if digest(train(t, job)) != want {
				t.Errorf("%+v, %d goroutines: another result", s, job.Threads)
			}
		}
	}
}

// The columns' means are far from 0, so that the bias and its penalty are large.
func TestCenterReachesTol(t *testing.T) {
	p := targets(sample.Random(65, 100, 3, 2, 1))
	for i := range p.Y {
		row := p.Dense.Row(i)
		for j := range row {
			row[j] += 3
		}
		p.Y[i] += row[0]
	}
	s := settings.Settings{Loss: "squared", Bias: settings.BiasAugmented, Lambda: 0.1, Epochs: 300,
		Finish: settings.FinishDual, Tol: 1e-6}
	job := newJob(t, p.Dense, p.Y, s)
	job.Scale = &scale.Scale{Kind: "none", Centre: 1, Spread: 0.5, Folded: true}
	if m := train(t, job); !(m.Result.Gap <= s.Tol) || m.Result.Epochs == 300 {
		t.Errorf("a gap of %v after %v epochs", m.Result.Gap, m.Result.Epochs)
	}
}

func TestNoProof(t *testing.T) {
	data := sample.Random(63, 30, 4, 2, 1)
	s := newSession(t, newJob(t, data.Dense, data.Y, settings.Settings{Lambda: 0.1, Order: "iid"}))
	m, _, err := s.Train(t.Context())
	if err != nil || !math.IsNaN(m.Result.DualObjective) || !math.IsNaN(m.Result.Gap) {
		t.Errorf("error %v, want NaN as bound and gap: %+v", err, m.Result)
	}
	if v, err := s.Prove(); err == nil {
		t.Errorf("Prove returned a proof: %v", v)
	}
}

func TestVerify(t *testing.T) {
	data := sample.Random(64, 150, 8, 2, 1)
	for _, c := range measuredCases {
		c.Lambda, c.Epochs = 0.02, 2
		p := data
		if c.Loss == "squared" || c.Loss == "eps-insensitive" {
			p = targets(data)
		}
		job := newJob(t, p.Dense, p.Y, c)
		rough := job
		rough.Tol, rough.Finish = 0, ""
		m := train(t, rough)
		_, _, optimum := problemOf(p, nil, c).Minimize()
		bounds := []float64{}
		for _, check := range []engine.Check{{}, {Passes: 1}, {Passes: 20}} {
			claim := engine.Point{Weights: m.Weights, Bias: m.Bias}
			job.Finish, job.Tol = "", 0
			found, res := newSession(t, job).Verify(t.Context(), &claim, check)
			if math.Abs(res.Objective-m.Result.Objective) > 1e-6*res.Objective ||
				!(res.DualObjective <= optimum*(1+1e-9)) || len(found) != 1 || found[0].Vector != 0 ||
				math.Abs(found[0].Quick.Objective-found[0].Exact.Objective) > 1e-5 {
				t.Errorf("%+v, %d passes: %+v, want P %v, D at most %v", c, check.Passes, res,
					m.Result.Objective, optimum)
			}
			bounds = append(bounds, res.DualObjective)
		}
		if bounds[1] < bounds[0]*(1-1e-9) || bounds[2] < bounds[1]*(1-1e-9) ||
			c.Loss != "eps-insensitive" && c.Bias != settings.BiasUnregularised &&
				bounds[2] < 0.99*optimum {
			t.Errorf("%+v: bounds %v, the optimum is %v", c, bounds, optimum)
		}
	}
}

func TestVerifyClaims(t *testing.T) {
	data := sample.Random(65, 300, 30, 2, 1)
	s := settings.Settings{Lambda: 1e-4, Epochs: 200, Finish: settings.FinishNewton, Tol: 1e-7}
	job := newJob(t, data.Dense, data.Y, s)
	m := train(t, job)
	claims := m.Result
	modest := proof.Result{PerClass: []proof.ClassResult{{Objective: claims.Objective,
		Width: claims.PerClass[0].Width}}}
	job.Finish, job.Tol = "", 0
	bound := func(check engine.Check) float64 {
		m := engine.Point{Weights: m.Weights, Bias: m.Bias}
		_, res := newSession(t, job).Verify(t.Context(), &m, check)
		return res.DualObjective
	}
	least := bound(engine.Check{Passes: 1, Claims: modest})
	descent := bound(engine.Check{Passes: 1, Claims: claims, Finish: settings.FinishDual})
	newton := bound(engine.Check{Passes: 1, Claims: claims, Finish: settings.FinishNewton})
	auto := bound(engine.Check{Passes: 1, Claims: claims, Finish: settings.FinishAuto})
	none := bound(engine.Check{Passes: 0, Claims: claims, Finish: settings.FinishNewton})
	if !(none <= least && least < descent && descent < newton && newton == auto &&
		newton >= claims.DualObjective*(1-1e-6)) {
		t.Errorf("bounds: no passes %v, one %v, more %v, Newton's method %v, %v; claimed %v", none,
			least, descent, newton, auto, claims.DualObjective)
	}

	// With a prior, Newton's method starts from differences from the prior.
	s.Bias = settings.BiasAugmented
	job = newJob(t, data.Dense, data.Y, s)
	job.Prior = train(t, newJob(t, data.Sparse, data.Y, settings.Settings{Lambda: 0.1, Epochs: 1,
		Bias: settings.BiasAugmented}))
	job.Prior.Bias[0] += 3
	m = train(t, job)
	job.Finish, job.Tol = "", 0
	claims = m.Result
	if newton = bound(engine.Check{Passes: 1, Claims: claims,
		Finish: settings.FinishNewton}); !(newton >=
		claims.DualObjective*(1-1e-6)) {
		t.Errorf("with a prior: a bound of %v, claimed %v", newton, claims.DualObjective)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, res := newSession(t, job).Verify(ctx, m, engine.Check{}); !math.IsNaN(res.DualObjective) {
		t.Errorf("a canceled Verify returned a bound: %+v", res)
	}
}

func TestVerifyJoint(t *testing.T) {
	data := sample.Random(9, 150, 8, 3, 0.7)
	for _, s := range []settings.Settings{
		{Multiclass: settings.CrammerSinger}, {Loss: "log", Multiclass: settings.Multinomial},
		{Loss: "log", Multiclass: settings.OneVsOne},
	} {
		s.Lambda, s.Bias, s.Epochs = 0.05, settings.BiasAugmented, 2
		job := newJob(t, data.Dense, data.Y, s)
		m := train(t, job)
		job.Epochs = 200
		best := train(t, job).Result.Objective
		var bounds []float64
		for _, passes := range []int{0, 30} {
			m := engine.Point{Weights: m.Weights, Bias: m.Bias}
			found, res := newSession(t, job).Verify(t.Context(), &m, engine.Check{Passes: passes})
			bounds = append(bounds, res.DualObjective)
			if want := map[bool]int{true: 3, false: 1}[s.Multiclass == settings.OneVsOne]; len(found) !=
				want ||
				found[want-1].Vector != want-1 {
				t.Errorf("%s: Verify found %+v", s.Multiclass, found)
			}
		}
		before, after := best-bounds[0], best-bounds[1]
		if after < 0 || after > 0.1*before || after > 2e-3*best {
			t.Errorf("%s: the optimum is at most %v, the bound was %v, is %v", s.Multiclass, best,
				bounds[0], bounds[1])
		}
	}
}
