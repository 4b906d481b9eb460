package pegasos

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/pegasimd/pegasimd/internal/labels"
	"github.com/pegasimd/pegasimd/internal/options"
	"github.com/pegasimd/pegasimd/internal/scaling"
	"github.com/pegasimd/pegasimd/internal/store"
)

// This file has what the tests of rounds, in package pegasos_test, need of this one's tests.

// StatisticsOf returns what rounds ask of all rows.
func StatisticsOf(t testing.TB, x Examples, y []float32) *store.Statistics {
	t.Helper()
	rows := store.Of(x)
	c := store.Measure(rows, nil, true, 1, func() bool { return false })
	classes, class, err := labels.Classify(y, nil, nil, rowError)
	if err != nil {
		t.Fatal(err)
	}
	m, _ := store.MatrixOf(x)
	s := &store.Statistics{Rows: c.Rows, Cols: x.Cols(), Nonzeros: int64(c.Nonzeros),
		Dense: m.Dense() != nil, Classes: classes, Counts: make([]int64, len(classes)),
		MaxAbs: c.MaxAbs, Mean: c.Mean, Variance: c.Variance, Constant: c.Constant,
		Sizes: make(map[string]store.RowSizes)}
	for _, k := range class {
		s.Counts[k]++
	}
	copy(s.Lengths[:], store.Quantiles(c.Squares, 0, 0.5, 1))
	s.Sizes[scaling.None] = sizesOf(c.Squares)
	for _, kind := range []string{scaling.Standard, scaling.MaxAbs, scaling.Unit} {
		scaled := store.Scale(rows, c.Scaler(kind), kind == scaling.Standard, 1,
			func() bool { return false })
		squares := make([]float64, c.Rows)
		for i := range squares {
			squares[i] = float64(scaled.SumSquares(i))
		}
		s.Sizes[kind] = sizesOf(squares)
	}
	return s
}

func sizesOf(squares []float64) (s store.RowSizes) {
	for _, v := range squares {
		s.MaxSquare = math.Max(s.MaxSquare, v)
		s.MeanSquare += v / float64(len(squares))
	}
	return s
}

// A RoundTrial is a random problem for rounds, whose tests are in another package.
type RoundTrial struct {
	*trial
	X      Examples
	Y      []float32
	Config Config
	Dual   bool
	Shards int
}

// NewRoundTrial makes one.
func NewRoundTrial(seed uint64) *RoundTrial {
	g := rand.New(rand.NewPCG(seed, 78))
	t := &trial{g: g}
	rows, cols := 2+g.IntN(24), 1+g.IntN(5)
	if g.IntN(8) == 0 {
		rows, cols = 200+g.IntN(400), 1+g.IntN(2) // of several blocks
	}
	scale := pick(g, 1e-6, 1e-3, 1, 1, 1, 1e3, 1e6)
	t.rows = t.random(rows, cols, scale, pick(g, 0, 0, 0, 1, 100, 1e5))
	t.x = t.rows
	if g.IntN(2) == 0 {
		t.x = toSparse(t.rows)
	}
	dual := pick(g, false, false, true)
	cfg := Config{Loss: pick(g, Hinge, SquaredHinge, Log), Seed: seed, Epochs: 1 + g.IntN(60)}
	if dual && cfg.Loss == Log {
		cfg.Loss = Hinge
	}
	t.labels(cfg.Loss, pick(g, 2, 2, 3))
	cfg.Lambda = math.Pow(10, -5*g.Float64())
	if g.IntN(3) > 0 {
		cfg.Lambda = math.Max(options.MinLambda, cfg.Lambda*scale*scale)
	}
	cfg.Tol = math.Pow(10, -1-5*g.Float64())
	cfg.Bias = pick(g, BiasNone, BiasAugmented)
	if cfg.Bias == BiasAugmented {
		cfg.BiasScale = pick(g, 0.3, 1, 30) * math.Max(1, scale)
	}
	cfg.Scale = pick(g, ScaleNone, ScaleNone, ScaleStandard, ScaleMaxAbs, ScaleUnit, "")
	cfg.ClassWeight = pick(g, "", "", Balanced)
	t.tr = Trainer{Config: cfg}
	return &RoundTrial{t, t.x, t.y, cfg, dual, 1 + g.IntN(3)}
}

// A RoundTally counts what the models of rounds have proven.
type RoundTally struct{ tally }

// Hold holds the claims of a model that rounds have made of a trial to the least there is.
func (n *RoundTally) Hold(tb testing.TB, seed uint64, trial *RoundTrial, m *Model) {
	n.trials++
	all, first := trial.problems(m)
	for i, p := range all {
		w, b := trial.vector(m, first[i])
		if m.Bias == nil || m.Config.Bias == BiasNone {
			b = 0
		}
		err := n.hold(p, [][]float64{w}, []float64{b}, m.Result.PerClass[first[i]], false)
		if err != nil {
			tb.Errorf("seed %d of %d x %d, %+v: vector %d: %v", seed, trial.rows.Rows(),
				trial.rows.Cols(), m.Config, i, err)
		}
	}
}

// Certify makes models for as long as the tests take, and complains of too few proofs.
func (n *RoundTally) Certify(t *testing.T, model func(seed uint64)) {
	least := uint64(1500)
	if testing.Short() {
		least = 150
	}
	start := time.Now()
	for seed := uint64(0); seed < least || time.Since(start) < *certifyFor; seed++ {
		model(seed)
	}
	t.Logf("%d runs: %d problems, %d with a bound, %d of them proven within 100 %%, %d within 0.1 %%",
		n.trials, n.problems, n.bounds, n.useful, n.close)
	if n.bounds < n.problems/2 || n.useful < n.bounds/2 || n.close < n.bounds/10 {
		t.Error("too few proofs to hold")
	}
}
