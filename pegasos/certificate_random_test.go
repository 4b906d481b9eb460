package pegasos_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/testing/certtest"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/pegasos"
)

var (
	certifyFor  = flag.Duration("certify", 0, "time for the random problems of a certificate test")
	certifyFrom = flag.Uint64("certify-from", 0,
		"first seed; 0 for seed 0 or, with -certify, a seed from the clock")
	certifyRuns = flag.Uint64("certify-runs", 0,
		"number of random problems of a certificate test; 0 for the number in the test")
)

type trial struct {
	g    *rand.Rand
	x    pegasos.Examples
	rows *dense.Matrix
	y    []float32
	tr   pegasos.Trainer
	half bool
	auto bool // Train chooses the settings that are zero from the data

	whole bool // train without Start and Prior
	each  func(*pegasos.Model)
}

func pick[T any](g *rand.Rand, of ...T) T { return of[g.IntN(len(of))] }

func newTrial(seed uint64) *trial {
	g := rand.New(rand.NewPCG(seed, 77))
	t := &trial{g: g}
	rows, cols := 2+g.IntN(24), 1+g.IntN(5)
	classes := pick(g, 2, 2, 2, 3, 4)
	scale := pick(g, 1e-6, 1e-3, 1, 1, 1, 1e3, 1e6)
	shift := pick(g, 0, 0, 0, 1, 100, 1e5)
	t.rows = t.random(rows, cols, scale, shift)
	cfg := pegasos.Config{Loss: pick(g, pegasos.Losses()...), Seed: seed}
	t.labels(cfg.Loss, classes)
	if classes > 2 && !cfg.Loss.Regression() {
		cfg.Multiclass = pick(g, pegasos.OneVsRest, pegasos.OneVsOne, pegasos.CrammerSinger,
			pegasos.Multinomial)
	} else if g.IntN(5) == 0 && !cfg.Loss.Regression() {
		cfg.Multiclass = pick(g, pegasos.CrammerSinger, pegasos.Multinomial)
	}
	switch cfg.Multiclass {
	case pegasos.CrammerSinger:
		cfg.Loss = pegasos.Hinge
	case pegasos.Multinomial:
		cfg.Loss = pegasos.Log
	}
	if cfg.Loss == pegasos.EpsInsensitive {
		cfg.Epsilon = pick(g, 0, 0.01, 0.5)
	}
	cfg.Lambda = math.Pow(10, -5*g.Float64())
	if g.IntN(3) > 0 {
		cfg.Lambda = math.Max(options.MinLambda, cfg.Lambda*scale*scale)
	}
	cfg.Bias = pick(g, pegasos.BiasNone, pegasos.BiasNone, pegasos.BiasAugmented,
		pegasos.BiasUnregularised)
	if cfg.Bias == pegasos.BiasAugmented {
		cfg.BiasScale = pick(g, 0, 0.3, 30) * math.Max(1, scale)
	}
	cfg.Epochs = 1 + g.IntN(60)
	cfg.Order = pick(g, pegasos.Shuffled, pegasos.Sequential, pegasos.Blocks, pegasos.IID)
	cfg.Offset = pick(g, pegasos.OffsetR2, pegasos.OffsetR2, pegasos.OffsetNone)
	cfg.Average = pick(g, pegasos.LastHalf, pegasos.LastHalf, pegasos.LastIterate)
	cfg.Finish = pick(g, pegasos.FinishNone, pegasos.FinishDual, pegasos.FinishDual,
		pegasos.FinishAuto)
	cfg.Project = g.IntN(6) == 0
	if g.IntN(5) == 0 {
		cfg.Batch = 1 + g.IntN(rows)
	}
	cfg.Tol = pick(g, 0, 0, 0.5, 0.1, 1e-3, 1e-6)
	if !cfg.Loss.Regression() {
		cfg.ClassWeight = pick(g, "", "", "", pegasos.Balanced, "0=0.1,1=7")
	}
	t.settle(&cfg)
	t.tr = pegasos.Trainer{Config: cfg, Threads: 1}
	if g.IntN(3) == 0 {
		for i := range rows {
			w := pick[float32](g, 0, 1, 1, 0.3, 1e-3, 1e3)
			if i < classes {
				w++ // every class needs a row of positive weight
			}
			t.tr.Weights = append(t.tr.Weights, w)
		}
	}
	t.x = pick[pegasos.Examples](g, t.rows, toSparse(t.rows), sample.UserRows(t.rows))
	t.half = g.IntN(5) == 0
	if t.auto = g.IntN(3) == 0; t.auto {
		t.open()
	}
	return t
}

func (t *trial) open() {
	cfg, g := &t.tr.Config, t.g
	cfg.Scale = pick(g, "", "", pegasos.ScaleStandard, pegasos.ScaleMaxAbs, pegasos.ScaleUnit,
		pegasos.ScaleNone)
	if cfg.Loss.Regression() {
		cfg.TargetScale = pick(g, "", pegasos.ScaleStandard, pegasos.ScaleNone)
	}
	if g.IntN(2) == 0 {
		cfg.Lambda = 0
	}
	if g.IntN(2) == 0 {
		cfg.Bias, cfg.BiasScale = "", 0
	}
	if g.IntN(4) == 0 && cfg.Loss != pegasos.Log {
		cfg.Multiclass = ""
	}
	t.settle(cfg)
}

func (t *trial) settle(cfg *pegasos.Config) {
	for range 20 {
		var e *pegasos.ConfigError
		if !errors.As(cfg.Validate(), &e) {
			return
		}
		switch e.Field {
		case "Finish":
			cfg.Finish = ""
		case "Offset":
			cfg.Offset = ""
		case "Tol":
			cfg.Tol = 0
		case "Project":
			cfg.Project = false
		case "Batch":
			cfg.Batch = 0
		case "ClassWeight":
			cfg.ClassWeight = ""
		default:
			panic(e)
		}
	}
}

func (t *trial) random(rows, cols int, scale, shift float64) *dense.Matrix {
	m := dense.New(rows, cols)
	fill := pick(t.g, 0.3, 1, 1)
	for i := range rows {
		for j := range cols {
			if t.g.Float64() < fill {
				m.Row(i)[j] = float32(scale * (t.g.NormFloat64() + shift))
			}
		}
	}
	return m
}

func (t *trial) labels(loss pegasos.Loss, classes int) {
	truth := t.random(classes, t.rows.Cols(), 1, 0)
	t.y = make([]float32, t.rows.Rows())
	for i := range t.y {
		best := float32(math.Inf(-1))
		for c := range classes {
			if z := dense.Dot(t.rows.Row(i), truth.Row(c)); z > best {
				best, t.y[i] = z, float32(c)
			}
		}
		if t.g.IntN(6) == 0 || i < classes {
			t.y[i] = float32(i % classes)
		}
		if loss.Regression() {
			t.y[i] = pick(t.g, 1, best, float32(t.g.NormFloat64()))
		}
	}
}

func (t *trial) models() {
	cfg := t.tr.Config
	cfg.Epochs, cfg.Tol, cfg.Finish, cfg.Project = 2, 0, "", false
	train := func() *pegasos.Model {
		m, err := trainPlain(context.Background(), &pegasos.Trainer{Config: cfg}, t.rows, t.y)
		if err != nil {
			return nil
		}
		return m
	}
	if t.g.IntN(4) == 0 {
		if t.tr.Prior = train(); t.tr.Prior != nil {
			size := pick(t.g, 1, 1, 2000) // 2000 makes the terms of scores cancel
			for _, w := range t.tr.Prior.Weights {
				for j := range w {
					w[j] *= float32(size * (1 - 2*(j%2)))
				}
			}
		}
	}
	if t.g.IntN(5) == 0 {
		t.tr.Start = train()
	}
}

func (t *trial) train() (*pegasos.Model, error) {
	var m *pegasos.Model
	var err error
	if t.half {
		first := t.tr
		first.KeepState, first.Pause = true, 1+int64(t.g.IntN(40))
		if m, err = t.run(&first); errors.Is(err, pegasos.ErrPaused) {
			rest := t.tr
			rest.Start, rest.Resume = nil, m
			m, err = t.run(&rest)
		}
	} else {
		m, err = t.run(&t.tr)
	}
	var step *pegasos.StepError
	var row *pegasos.RowError
	var config *pegasos.ConfigError
	if errors.As(err, &step) || errors.As(err, &row) || errors.As(err, &config) {
		return nil, nil
	}
	return m, err
}

func (t *trial) run(tr *pegasos.Trainer) (*pegasos.Model, error) {
	if t.auto {
		return tr.Train(context.Background(), t.x, t.y)
	}
	return trainPlain(context.Background(), tr, t.x, t.y)
}

func (t *trial) row(m *pegasos.Model, i int) []float64 {
	if m.Scaling == nil {
		return floats.Float64s(t.rows.Row(i))
	}
	row := scaledRow(m.Scaling, t.rows.Row(i))
	return append(row, termsOf(m.Scaling.Expansion, row)...)
}

func termsOf(e *pegasos.Expansion, row []float64) (terms []float64) {
	cut := func(j int32) float64 { return math.Max(-4, math.Min(4, float64(float32(row[j])))) }
	for k := range e.Len() {
		f := cut(e.Terms[k][0]) * cut(e.Terms[k][1])
		if e.Kind == pegasos.CurvesPieces {
			f = math.Max(0, cut(e.Terms[k][0])-float64(e.Knots[k]))
		}
		terms = append(terms, (f-float64(e.Shift[k]))*float64(e.Factor[k]))
	}
	return terms
}

func (t *trial) vector(m *pegasos.Model, k int) (w []float64, b float64) {
	if m.Scaling == nil {
		return floats.Float64s(m.Weights[k]), vectorBias(m, k)
	}
	return m.Scaling.Exact(m, k)
}

// first[i] is the index of the first weight vector of all[i].
func (t *trial) problems(m *pegasos.Model) (all []*certtest.Problem, first []int) {
	cfg := m.Config
	p := certtest.Problem{Lambda: m.Lambda, Epsilon: cfg.Epsilon, Vectors: 1,
		Bias: cfg.Bias != pegasos.BiasNone}
	if s := m.Scaling; s != nil && s.Spread != 0 {
		p.Epsilon /= s.Spread
	}
	if cfg.Bias == pegasos.BiasAugmented {
		p.BiasScale = cfg.BiasScale
	}
	p.Kind = certtest.KindOf(string(cfg.Loss))
	joint := cfg.Multiclass.Joint()
	vectors := len(m.Weights)
	if joint {
		p.Kind, p.Vectors = certtest.CrammerSinger, vectors
		if cfg.Multiclass == pegasos.Multinomial {
			p.Kind = certtest.Multinomial
		}
	}
	for k := 0; k < vectors; k += p.Vectors {
		q := p
		q.Lambda = vectorResult(m, k).Lambda
		negative, positive := -1, k // one-vs-rest: class k against all others
		switch {
		case vectors == 1:
			negative, positive = 0, 1
		case cfg.Multiclass == pegasos.OneVsOne:
			negative, positive = m.Pair(k)
		}
		if prior := t.tr.Prior; prior != nil {
			prior = m.Scaling.Unfold(prior)
			q.Prior = prior.Weights[k:][:p.Vectors]
			for i := range p.Vectors {
				q.PriorBias = append(q.PriorBias, vectorBias(prior, k+i))
			}
		}
		t.addRows(&q, m, negative, positive, joint)
		if len(q.Rows) > 0 {
			all, first = append(all, &q), append(first, k)
		}
	}
	return all, first
}

func (t *trial) addRows(q *certtest.Problem, m *pegasos.Model, negative, positive int, joint bool) {
	byLabel := make(map[float32]float64)
	for _, part := range strings.Split(m.Config.ClassWeight, ",") {
		var label float32
		var weight float64
		if n, _ := fmt.Sscanf(part, "%g=%g", &label, &weight); n == 2 {
			byLabel[label] = weight
		}
	}
	class := make(map[float32]int)
	for c, label := range m.Classes {
		class[label] = c
	}
	sums := make(map[int]float64)
	for i, y := range t.y {
		c, weight := class[y], 1.0
		if t.tr.Weights != nil {
			weight = float64(t.tr.Weights[i])
		}
		if v, ok := byLabel[y]; ok {
			weight *= v
		}
		if weight == 0 || m.Classes != nil && !joint && c != positive &&
			negative >= 0 && c != negative {
			continue
		}
		label := float64(y)
		if s := m.Scaling; s != nil && s.Spread != 0 {
			label = float64(float32((label - s.Centre) / s.Spread))
		}
		switch {
		case joint:
			label = float64(c)
		case m.Classes != nil && c == positive:
			label = 1
		case m.Classes != nil:
			label = -1
		}
		q.Rows = append(q.Rows, t.row(m, i))
		q.Labels, q.Weight = append(q.Labels, label), append(q.Weight, weight)
		sums[c] += weight
	}
	if m.Config.ClassWeight == pegasos.Balanced {
		n := 0
		for i, y := range t.y {
			c := class[y]
			if t.tr.Weights != nil && t.tr.Weights[i] == 0 ||
				!joint && c != positive && negative >= 0 && c != negative {
				continue
			}
			q.Weight[n] /= sums[c]
			n++
		}
	}
}

func (t *trial) hasBounds() bool {
	cfg := t.tr.Config
	return cfg.Order != pegasos.IID &&
		!(cfg.Multiclass.Joint() && cfg.Bias == pegasos.BiasUnregularised)
}

// bounds counts problems with a lower bound, useful those with a gap of at most 100 %, close those
// with a gap below 0.1 %.
type tally struct{ trials, problems, bounds, useful, close, replaced int }

func (n *tally) certify(t *trial, seed uint64) error {
	if !t.whole {
		t.models()
	}
	m, err := t.train()
	what := func() string {
		return fmt.Sprintf("seed %d: %T of %d x %d, weights %v, prior %v, start %v, resumed %v, %+v",
			seed, t.x, t.rows.Rows(), t.rows.Cols(), t.tr.Weights, t.tr.Prior != nil,
			t.tr.Start != nil, t.half, t.tr.Config)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what(), err)
	}
	n.trials++
	if m == nil {
		return nil
	}
	if t.each != nil {
		t.each(m)
	}
	n.replaced += m.Result.Replaced
	if g := m.Result.Gap; g < 0 {
		return fmt.Errorf("%s: gap %v", what(), g)
	}
	all, first := t.problems(m)
	for i, p := range all {
		c := pegasos.ClassResult{Objective: m.Result.Objective, DualObjective: m.Result.DualObjective}
		if m.Result.PerClass != nil {
			c = m.Result.PerClass[first[i]]
		}
		var w [][]float64
		var b []float64
		for k := range p.Vectors {
			wk, bk := t.vector(m, first[i]+k)
			w, b = append(w, wk), append(b, bk)
		}
		if err := n.hold(p, w, b, c, m.Config.Offset == pegasos.OffsetNone); err != nil {
			return fmt.Errorf("%s: vector %d: %w", what(), first[i], err)
		}
	}
	return nil
}

// A run without the offset t0 (paper is true) may end above the objective at w = 0 or at the prior.
func (n *tally) hold(
	p *certtest.Problem, w [][]float64, b []float64, c pegasos.ClassResult, paper bool,
) error {
	n.problems++
	const ulps = 0x1p-50 // relative error of certtest's float64 losses
	truth := p.Objective(w, b)
	if d := math.Abs(c.Objective - truth); d > 1.001*proof.ObjectiveTolerance*truth &&
		math.IsNaN(c.DualObjective) {
		return fmt.Errorf("claimed objective %v, true objective %v", c.Objective, truth)
	}
	_, _, least := p.Minimize()
	least = math.Min(least, truth) * (1 + ulps)
	zero, none := make([][]float64, len(w)), make([]float64, len(w))
	for k := range zero {
		zero[k] = make([]float64, len(w[k]))
		if p.Prior != nil {
			zero[k], none[k] = floats.Float64s(p.Prior[k]), p.PriorBias[k]
		}
	}
	start := p.Objective(zero, none)
	// Training replaces weights worse than w = 0 or the prior's by these, rounded to float32. The
	// terms of a score may cancel: size, the largest sum of their magnitudes, bounds the rounding
	// error.
	size := 0.0
	for _, row := range p.Rows {
		for k, wk := range w {
			sum := math.Abs(b[k])
			for j, v := range row {
				sum += math.Abs(float64(v * wk[j]))
			}
			size = math.Max(size, sum)
		}
	}
	slope := 1.0 // bound on the mean slope of the loss: 2 sqrt(P) for a quadratic loss
	if p.Kind == certtest.Squared || p.Kind == certtest.SquaredHinge {
		slope = max(slope, 2*math.Sqrt(start))
	}
	if truth > start*(1+1e-5)+1e-5+0x1p-22*size*slope && !paper {
		return fmt.Errorf("objective %v, at w = 0 or the prior only %v", truth, start)
	}
	if math.IsNaN(c.DualObjective) {
		return nil
	}
	n.bounds++
	gap := (c.Objective - c.DualObjective) / c.DualObjective
	switch {
	case c.DualObjective > c.Objective:
		return fmt.Errorf("bound %v, objective %v", c.DualObjective, c.Objective)
	case c.DualObjective > least:
		return fmt.Errorf("bound %v, but P is %v", c.DualObjective, least)
	case c.DualObjective > 0 && truth > least*(1+gap):
		return fmt.Errorf("claimed objective %v and gap %v, true objective %v, but P can be %v",
			c.Objective, gap, truth, least)
	}
	if gap <= 1 {
		n.useful++
	}
	if gap < 1e-3 {
		n.close++
	}
	return nil
}

func (n *tally) certifyRandom(t *testing.T, least, short uint64, trial func(seed uint64) *trial) {
	if testing.Short() {
		least = short
	}
	start, from := time.Now(), *certifyFrom
	if from == 0 && *certifyFor > 0 {
		from = uint64(start.UnixNano())
	}
	if *certifyRuns > 0 {
		least = *certifyRuns
	}
	for seed := from; seed-from < least || time.Since(start) < *certifyFor; seed++ {
		if err := n.certify(trial(seed), seed); err != nil {
			t.Error(err)
		}
		if *certifyFor > 0 && time.Since(start) > *certifyFor {
			break
		}
	}
	t.Logf("%d runs: %d problems, %d with a bound, %d of them proven within 100 %%, %d within "+
		"0.1 %%, %d replaced; seeds from %d", n.trials, n.problems, n.bounds, n.useful, n.close,
		n.replaced, from)
}

func TestCertificate(t *testing.T) {
	var n tally
	n.certifyRandom(t, 3000, 400, newTrial)
	if n.bounds < n.problems/2 || n.useful < n.bounds/5 || n.close < n.bounds/50 {
		t.Error("too few lower bounds, useful bounds or close bounds")
	}
}

func TestDescentCertificate(t *testing.T) {
	var n tally
	trial := func(seed uint64) *trial {
		t := newTrial(seed)
		cfg := &t.tr.Config
		cfg.Finish, cfg.Project, cfg.Batch = pegasos.FinishDual, false, 0
		if cfg.Order == pegasos.IID {
			cfg.Order = ""
		}
		if cfg.Multiclass.Joint() && cfg.Bias == pegasos.BiasUnregularised {
			cfg.Bias = ""
		}
		cfg.Epochs = pick(t.g, 1, 3, 30, 300)
		return t
	}
	const cancels = 1795663818832290052
	if err := n.certify(trial(cancels), cancels); err != nil {
		t.Error(err)
	}
	n.certifyRandom(t, 2000, 200, trial)
	if n.bounds < n.problems || n.close < n.problems/4 {
		t.Error("a problem without a lower bound, or too few close bounds")
	}
}

func TestCurvesCertificate(t *testing.T) {
	var n tally
	curved := 0
	n.certifyRandom(t, 1500, 200, func(seed uint64) *trial {
		t := newTrial(seed)
		cfg := &t.tr.Config
		cfg.Curves = pick(t.g, pegasos.CurvesProducts, pegasos.CurvesPieces)
		cfg.Scale, t.x, t.auto, t.whole = pegasos.ScaleStandard, t.rows, true, true
		if t.g.IntN(3) == 0 {
			cfg.Scale = pegasos.ScaleNone
			t.tr.CurveColumns = []int{0, t.rows.Cols() - 1}[:min(2, t.rows.Cols())]
			t.x = pick[pegasos.Examples](t.g, t.rows, toSparse(t.rows))
		}
		if t.g.IntN(2) == 0 {
			cfg.Finish = ""
		}
		t.settle(cfg)
		t.each = func(m *pegasos.Model) {
			if m.Scaling.Expansion != nil {
				curved++
			}
		}
		return t
	})
	if curved < n.trials*2/3 || n.bounds < n.problems/2 || n.close < n.bounds/20 {
		t.Errorf("%d of %d models have curves; too few of these, of lower bounds or of close bounds",
			curved, n.trials)
	}
}

func FuzzCertificate(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) {
		if err := new(tally).certify(newTrial(seed), seed); err != nil {
			t.Error(err)
		}
	})
}
