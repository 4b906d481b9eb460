package rounds_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/model/labels"
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/testing/certtest"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/internal/train/loss"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/internal/train/rounds"
	"github.com/pegasimd/pegasimd/internal/train/settings"
	"github.com/pegasimd/pegasimd/pegasos"
)

func badRow(row int, reason string) error { return fmt.Errorf("row %d: %s", row, reason) }

// Some shards may have no rows.
func shardsOf(t testing.TB, r *rounds.Rounds, x store.Examples, y []float32, n int) (
	shards []*rounds.Shard,
) {
	t.Helper()
	m, _ := store.MatrixOf(x)
	blocks := (len(y) + rounds.Block - 1) / rounds.Block
	for k := range n {
		first, end := min(len(y), k*blocks/n*rounds.Block), min(len(y), (k+1)*blocks/n*rounds.Block)
		var rows []int32
		for i := first; i < end; i++ {
			rows = append(rows, int32(i))
		}
		s, err := r.Shard(k, store.TakeMatrix(m, rows).Examples(), y[first:end], first)
		if err != nil {
			t.Fatal(err)
		}
		shards = append(shards, s)
	}
	return shards
}

func finalState(t testing.TB, r *rounds.Rounds, shards []*rounds.Shard) *rounds.State {
	t.Helper()
	s := r.Start()
	alpha := make([][]float32, len(shards))
	for !s.Done {
		var sum []int64
		for i := range shards {
			k := i
			if s.Round%2 == 1 {
				k = len(shards) - 1 - i
			}
			part, next, err := shards[k].Visit(context.Background(), s, alpha[k], 1+s.Round%4)
			if err != nil {
				t.Fatal(err)
			}
			alpha[k] = next
			if sum == nil {
				sum = make([]int64, len(part))
			}
			for j, v := range part {
				sum[j] += v
			}
		}
		var err error
		if s, err = r.Next(s, sum); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func train(t testing.TB, r *rounds.Rounds, shards []*rounds.Shard) *rounds.Model {
	t.Helper()
	m, err := r.Model(finalState(t, r, shards))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func verify(t testing.TB, c *rounds.Model, x store.Examples, y []float32, s *scale.Statistics,
	n int,
) (*rounds.Rounds, *rounds.State, error) {
	t.Helper()
	r, err := rounds.NewVerification(c, s, n, 0)
	if err != nil {
		return nil, nil, err
	}
	return r, finalState(t, r, shardsOf(t, r, x, y, n)), nil
}

func public(c *rounds.Model) *pegasos.Model {
	m := &pegasos.Model{Classes: c.Classes, Weights: c.Weights, Bias: c.Bias, Lambda: c.Lambda,
		Scaling: (*pegasos.Scaling)(c.Scale), Result: pegasos.Result(c.Result)}
	settings.Copy(&m.Config, c.Config)
	return m
}

func compare(c *rounds.Model, r *rounds.Rounds, s *rounds.State) *pegasos.Verification {
	return public(c).Compare(pegasos.Result(r.Result(s)))
}

var hinge, squaredHinge, logLoss = loss.Hinge.Name(), loss.SquaredHinge.Name(), loss.Log.Name()

type problem struct {
	g      *rand.Rand
	rows   *dense.Matrix
	x      store.Examples
	y      []float32
	cfg    settings.Settings
	method rounds.Method
	shards int
}

func pick[T any](g *rand.Rand, of ...T) T { return of[g.IntN(len(of))] }

func newProblem(seed uint64) *problem {
	g := rand.New(rand.NewPCG(seed, 78))
	p := &problem{g: g}
	rows, cols := 2+g.IntN(24), 1+g.IntN(5)
	if g.IntN(8) == 0 {
		rows, cols = 200+g.IntN(400), 1+g.IntN(2) // up to three blocks
	}
	size := pick(g, 1e-6, 1e-3, 1, 1, 1, 1e3, 1e6)
	p.rows = p.matrix(rows, cols, size, pick(g, 0, 0, 0, 1, 100, 1e5))
	p.x = p.rows
	if g.IntN(2) == 0 {
		p.x = sample.ToSparse(p.rows)
	}
	p.method = pick(g, rounds.Newton, rounds.Newton, rounds.Dual)
	cfg := settings.Settings{Loss: pick(g, hinge, squaredHinge, logLoss),
		Seed: seed, Epochs: 1 + g.IntN(60)}
	if p.method == rounds.Dual && cfg.Loss == logLoss {
		cfg.Loss = hinge
	}
	p.label(pick(g, 2, 2, 3))
	cfg.Lambda = math.Pow(10, -5*g.Float64())
	if g.IntN(3) > 0 {
		cfg.Lambda = math.Max(options.MinLambda, cfg.Lambda*size*size)
	}
	cfg.Tol = math.Pow(10, -1-5*g.Float64())
	cfg.Bias = pick(g, settings.BiasNone, settings.BiasAugmented)
	if cfg.Bias == settings.BiasAugmented {
		cfg.BiasScale = pick(g, 0.3, 1, 30) * math.Max(1, size)
	}
	cfg.Scale = pick(g, scale.None, scale.None, scale.Standard,
		scale.MaxAbs, scale.Unit, "")
	cfg.ClassWeight = pick(g, "", "", settings.Balanced)
	p.cfg, p.shards = cfg, 1+g.IntN(3)
	return p
}

func (p *problem) matrix(rows, cols int, scale, mean float64) *dense.Matrix {
	m := dense.New(rows, cols)
	fill := pick(p.g, 0.3, 1, 1)
	for i := range rows {
		for j := range cols {
			if p.g.Float64() < fill {
				m.Row(i)[j] = float32(scale * (p.g.NormFloat64() + mean))
			}
		}
	}
	return m
}

func (p *problem) label(classes int) {
	truth := p.matrix(classes, p.rows.Cols(), 1, 0)
	p.y = make([]float32, p.rows.Rows())
	for i := range p.y {
		best := float32(math.Inf(-1))
		for c := range classes {
			if z := dense.Dot(p.rows.Row(i), truth.Row(c)); z > best {
				best, p.y[i] = z, float32(c)
			}
		}
		if p.g.IntN(6) == 0 || i < classes {
			p.y[i] = float32(i % classes)
		}
	}
}

// train returns nil if the labels or settings are refused.
func (p *problem) train(t testing.TB) *rounds.Model {
	t.Helper()
	if _, _, err := labels.Classify(p.y, nil, nil, badRow); err != nil {
		return nil
	}
	r, err := rounds.New(p.cfg, p.method, sample.Statistics(t, p.x, p.y), p.shards)
	if errors.As(err, new(options.Rule)) {
		return nil
	} else if err != nil {
		t.Fatal(err)
	}
	return train(t, r, shardsOf(t, r, p.x, p.y, p.shards))
}

func (p *problem) scaledRow(m *rounds.Model, i int) []float64 {
	row, length := floats.Float64s(p.rows.Row(i)), 0.0
	for _, v := range row {
		length += v * v
	}
	for j := range row {
		switch s := m.Scale; {
		case s == nil:
		case s.Kind == scale.Unit && length > 0:
			row[j] /= math.Sqrt(length)
		case s.Kind == scale.Standard:
			row[j] = (row[j] - float64(s.Shift[j])) * float64(s.Factor[j])
		case s.Kind == scale.MaxAbs:
			row[j] *= float64(s.Factor[j])
		}
	}
	return row
}

func (p *problem) vector(m *rounds.Model, k int) (w []float64, b float64) {
	if m.Bias != nil {
		b = m.Bias[k]
	}
	if m.Scale != nil {
		w, b = m.Scale.UnfoldExact(m.Weights[k], b)
	} else {
		w = floats.Float64s(m.Weights[k])
	}
	if m.Bias == nil || m.Config.Bias == settings.BiasNone {
		b = 0
	}
	return w, b
}

// With two classes the second class is positive, otherwise class k.
func (p *problem) subproblem(m *rounds.Model, k int) *certtest.Problem {
	q := &certtest.Problem{Lambda: m.Lambda, Vectors: 1, BiasScale: m.Config.BiasScale,
		Bias: m.Config.Bias == settings.BiasAugmented,
		Kind: map[string]certtest.Kind{hinge: certtest.Hinge, squaredHinge: certtest.SquaredHinge,
			logLoss: certtest.Log}[m.Config.Loss]}
	if len(m.Classes) == 2 {
		k = 1
	}
	count := make(map[float32]float64)
	for _, y := range p.y {
		count[y]++
	}
	for i, y := range p.y {
		label, weight := -1.0, 1.0
		if y == m.Classes[k] {
			label = 1
		}
		if m.Config.ClassWeight == settings.Balanced {
			weight = 1 / count[y]
		}
		q.Rows, q.Labels = append(q.Rows, p.scaledRow(m, i)), append(q.Labels, label)
		q.Weight = append(q.Weight, weight)
	}
	return q
}

type tally struct{ problems, bounds, useful, close int }

func (n *tally) check(p *problem, m *rounds.Model) error {
	for k, c := range m.Result.PerClass {
		w, b := p.vector(m, k)
		if err := n.checkVector(p.subproblem(m, k), w, b, c); err != nil {
			return fmt.Errorf("%d x %d, %+v: vector %d: %w", p.rows.Rows(), p.rows.Cols(), m.Config, k,
				err)
		}
	}
	return nil
}

func (n *tally) checkVector(q *certtest.Problem, w []float64, b float64, c proof.ClassResult,
) error {
	n.problems++
	truth := q.Objective([][]float64{w}, []float64{b})
	_, _, least := q.Minimize()
	least = math.Min(least, truth) * (1 + 0x1p-50) // certtest's own rounding
	start := q.Objective([][]float64{make([]float64, len(w))}, []float64{0})
	slope := 1.0 // bound on the mean derivative of the loss
	if q.Kind == certtest.SquaredHinge {
		slope = max(slope, 2*math.Sqrt(start))
	}
	gap := (c.Objective - c.DualObjective) / c.DualObjective
	switch {
	case !(c.DualObjective <= c.Objective):
		return fmt.Errorf("bound %v, objective %v", c.DualObjective, c.Objective)
	case c.DualObjective > least:
		return fmt.Errorf("bound %v, but an objective of %v is possible", c.DualObjective, least)
	case math.Abs(c.Objective-truth) > 1e-10*truth+0x1p-44*scoreSize(q, w, b)*slope:
		return fmt.Errorf("objective %v, in truth %v", c.Objective, truth)
	case c.DualObjective > 0 && truth > least*(1+gap):
		return fmt.Errorf("objective %v, in truth %v; the gap is %v, but %v is possible", c.Objective,
			truth, gap, least)
	case truth > start*(1+1e-5)+1e-5+0x1p-22*scoreSize(q, w, b)*slope: // w is rounded to float32
		return fmt.Errorf("objective %v, of zero weights %v", truth, start)
	}
	n.bounds++
	if gap <= 1 {
		n.useful++
	}
	if gap < 1e-3 {
		n.close++
	}
	return nil
}

// scoreSize returns the largest sum of |b| and the magnitudes of a row's products with w.
func scoreSize(q *certtest.Problem, w []float64, b float64) (size float64) {
	for _, row := range q.Rows {
		sum := math.Abs(b)
		for j, v := range row {
			sum += math.Abs(float64(v * w[j]))
		}
		size = math.Max(size, sum)
	}
	return size
}
