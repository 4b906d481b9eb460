package dual_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/internal/train/dual"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/loss"
	"github.com/pegasimd/pegasimd/internal/train/objective"
)

// Unless joint is set, class 1 is positive and all others are negative.
type spec struct {
	name    string
	loss    loss.Func
	joint   bool // Crammer-Singer, or multinomial if log is set
	log     bool
	costs   [][]float64 // nil for 1 each
	lambda  float64
	bias    float64 // value of the appended feature; 0 for none, or with free
	free    bool    // the bias has no penalty
	weights []float32
	prior   bool // random weights
	started bool // begin with random dual variables
	mean    bool // argument of New
}

func (s *spec) kinked() bool {
	if s.joint {
		return !s.log
	}
	return s.loss.Kind.Traits().Kinks
}

// smooth reports whether the conjugate is an entropy, for which a step is not quite the best.
func (s *spec) smooth() bool { return s.joint && s.log || !s.joint && s.loss.Kind.Traits().Entropy }

var costs3 = [][]float64{{0, 1, 2}, {0.5, 0, 3}, {2, 1, 0}}

func specs(rows int) (all []spec) {
	kinds := []spec{
		{name: "Crammer-Singer", joint: true, costs: costs3},
		{name: "multinomial", joint: true, log: true},
	}
	for k := range loss.Kind(loss.Kinds) {
		s := spec{name: k.Name(), loss: loss.Func{Kind: k}}
		if k.Traits().Epsilon {
			s.loss.Epsilon = 0.25
		}
		kinds = append(kinds, s)
	}
	for _, s := range kinds {
		s.lambda, s.mean = 0.02, s.kinked()
		biased, weighted, prior, started, free := s, s, s, s, s
		biased.bias = 1.5
		weighted.weights = make([]float32, rows)
		for i := range weighted.weights {
			weighted.weights[i] = float32((i + 1) % 4)
		}
		prior.prior, started.started, free.free = true, true, true
		all = append(all, biased, weighted, prior, started)
		if !s.joint {
			all = append(all, free)
		}
	}
	return all
}

type problem struct {
	solver dual.Solver
	*iterate.State
	spec   spec
	of     objective.Problem
	binary *objective.Binary // nil in a joint problem
	joint  *objective.Joint  // nil in a binary problem
	r2     float64           // mean squared norm of the rows, with the appended feature
	wide   [][]float64       // the rows, with the appended feature
	y      []float32

	feature float64 // value of the appended feature
	alpha   []float32
}

// Row 7 has no nonzeros.
func newSolver(t testing.TB, s spec, n int, sparse bool) *problem {
	t.Helper()
	data := sample.Random(72, n, 5, 3, 0.9)
	clear(data.Dense.Row(7))
	g := rand.New(rand.NewPCG(73, 1))
	numbers := !s.joint && s.loss.Kind.Traits().Numbers
	if numbers {
		for i := range data.Y {
			data.Y[i] += float32(g.NormFloat64())
		}
	}
	var x store.Examples = data.Dense
	if sparse {
		x = sample.ToSparse(data.Dense)
	}
	return solverOf(t, s, x, data.Y, numbers, g)
}

func solverOf(t testing.TB, s spec, x store.Examples, y []float32, numbers bool,
	g *rand.Rand) *problem {
	t.Helper()
	set, err := store.NewSet(x, y, store.SetOptions{Regression: numbers, Weights: s.weights})
	if err == nil {
		err = set.Measure()
	}
	if err != nil {
		t.Fatal(err)
	}
	view, _, err := set.View(nil, false)
	if err != nil {
		t.Fatal(err)
	}
	view.Scattered = true // rows are prefetched
	k := 1
	if s.joint {
		k = len(set.Classes)
	}
	terms := &objective.Terms{View: view, Lambda: s.lambda, BiasScale: s.bias, FreeBias: s.free,
		PriorBias: make([]float64, k), SumError: objective.SumError(x.Rows(), x.Cols(), k)}
	if s.prior {
		w, b := iterate.Zeros(k, x.Cols()), make([]float64, k)
		for r := range w {
			for j := range w[r] {
				w[r][j] = float32(g.NormFloat64()) / 2
			}
			if s.bias > 0 {
				b[r] = g.NormFloat64()
			}
		}
		if err := terms.SetPrior(w, b); err != nil {
			t.Fatal(err)
		}
	}
	state := iterate.New(terms, k)
	state.Total = int64(1000 * view.Count())
	d := &problem{spec: s, State: &state, y: y, feature: s.bias}
	for i := range x.Rows() {
		row := make([]float32, x.Cols())
		set.X.Axpy(i, 1, row)
		d.wide = append(d.wide, nil)
		for _, v := range row {
			d.wide[i] = append(d.wide[i], float64(v))
		}
	}
	for _, i := range view.All() {
		d.r2 += view.RowWeight(i)*float64(view.Norms[i])/float64(view.Count()) +
			s.bias*s.bias/float64(view.Count())
	}
	if s.free {
		d.feature = math.Sqrt(d.r2)
	}
	for i := range d.wide {
		d.wide[i] = append(d.wide[i], d.feature)
	}
	alpha := make([]float32, x.Rows()*k)
	if s.started {
		for i := range alpha {
			alpha[i] = float32(g.Float64()) / float32(k)
		}
		if s.joint { // the array has 0 for each row's own class
			for _, i := range view.All() {
				alpha[i*k+int(view.Class[i])] = 0
			}
		}
	}
	if s.joint {
		m := dense.New(k, x.Cols())
		for r := range state.Vectors {
			state.Vectors[r] = m.Row(r)
		}
		d.joint = &objective.Joint{Terms: terms, Vectors: k, Log: s.log, Costs: s.costs}
		d.solver, d.of = dual.NewJoint(&state, d.joint, m, alpha, s.mean), d.joint
	} else {
		d.binary = &objective.Binary{Terms: terms, Cost: s.loss, Positive: 1}
		d.solver, d.of = dual.New(&state, d.binary, alpha, d.r2, s.mean), d.binary
	}
	d.alpha = alpha
	d.solver.RecomputeWeights()
	return d
}

func (d *problem) visit(idx ...uint32) {
	for k := range idx {
		if d.solver.Visit(idx[k : k+1]); d.Err == nil {
			d.Sample()
		}
	}
}

func (d *problem) pass() {
	var all []uint32
	for _, i := range d.All() {
		all = append(all, uint32(i))
	}
	for len(all) > 0 && d.Err == nil {
		n := d.BeforeSample(len(all))
		if d.solver.Visit(all[:n]); d.Err == nil {
			d.Sample()
		}
		all = all[n:]
	}
	d.solver.EndEpoch()
}

func (d *problem) skipping(i int) (nextPass, streak float32) {
	var arrays [][]float32
	d.solver.Arrays(func(a []float32) { arrays = append(arrays, a) })
	for j, at := range d.All() {
		if at == i {
			nextPass, streak = arrays[1][j], arrays[2][j]
		}
	}
	return nextPass, streak
}
