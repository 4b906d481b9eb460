package pegasos

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/labels"
	"github.com/pegasimd/pegasimd/internal/options"
	"github.com/pegasimd/pegasimd/internal/scaling"
	"github.com/pegasimd/pegasimd/internal/store"
)

// statisticsOf returns what NewRounds asks of all rows.
func statisticsOf(t testing.TB, x Examples, y []float32) *Statistics {
	t.Helper()
	rows := store.Of(x)
	c := store.Measure(rows, nil, true, 1, func() bool { return false })
	classes, class, err := labels.Classify(y, nil, nil, rowError)
	if err != nil {
		t.Fatal(err)
	}
	m, _ := store.MatrixOf(x)
	s := &Statistics{Rows: c.Rows, Cols: x.Cols(), Nonzeros: int64(c.Nonzeros),
		Dense: m.Dense() != nil, Classes: classes, Counts: make([]int64, len(classes)),
		MaxAbs: c.MaxAbs, Mean: c.Mean, Variance: c.Variance, Constant: c.Constant,
		Sizes: make(map[Scale]RowSizes)}
	for _, k := range class {
		s.Counts[k]++
	}
	copy(s.Lengths[:], store.Quantiles(c.Squares, 0, 0.5, 1))
	s.Sizes[ScaleNone] = sizesOf(c.Squares)
	for _, kind := range []string{scaling.Standard, scaling.MaxAbs, scaling.Unit} {
		scaled := store.Scale(rows, c.Scaler(kind), kind == scaling.Standard, 1,
			func() bool { return false })
		squares := make([]float64, c.Rows)
		for i := range squares {
			squares[i] = float64(scaled.SumSquares(i))
		}
		s.Sizes[Scale(kind)] = sizesOf(squares)
	}
	return s
}

func sizesOf(squares []float64) (s RowSizes) {
	for _, v := range squares {
		s.MaxSquare = math.Max(s.MaxSquare, v)
		s.MeanSquare += v / float64(len(squares))
	}
	return s
}

// inShards cuts rows into so many shards.
func inShards(t testing.TB, r *Rounds, x Examples, y []float32, n int) (shards []*RoundShard) {
	t.Helper()
	m, _ := store.MatrixOf(x)
	blocks := (len(y) + RoundBlock - 1) / RoundBlock
	for k := range n {
		first, end := min(len(y), k*blocks/n*RoundBlock), min(len(y), (k+1)*blocks/n*RoundBlock)
		var only []int32
		for i := first; i < end; i++ {
			only = append(only, int32(i))
		}
		part := store.TakeMatrix(m, only).Examples()
		s, err := r.Shard(k, part, y[first:end], first)
		if err != nil {
			t.Fatal(err)
		}
		shards = append(shards, s)
	}
	return shards
}

// runRounds trains in rounds. Of the shards the last is first in every other round, and there are
// other numbers of goroutines.
func runRounds(t testing.TB, r *Rounds, shards []*RoundShard) *Model {
	t.Helper()
	m, err := r.Model(endOfRounds(t, r, shards))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// endOfRounds returns the state in which they end.
func endOfRounds(t testing.TB, r *Rounds, shards []*RoundShard) *RoundState {
	t.Helper()
	s := r.Start()
	alpha := make([][]float32, len(shards))
	for !s.Done {
		sum := make([]int64, r.sumLength(s))
		for i := range shards {
			k := i
			if s.Round%2 == 1 {
				k = len(shards) - 1 - i
			}
			part, next, err := shards[k].Take(context.Background(), s, alpha[k], 1+s.Round%4)
			if err != nil {
				t.Fatal(err)
			}
			alpha[k] = next
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

// newRoundTrial makes a random problem for rounds.
func newRoundTrial(seed uint64) (*trial, RoundMethod, int) {
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
	method := pick(g, RoundNewton, RoundNewton, RoundDual)
	cfg := Config{Loss: pick(g, Hinge, SquaredHinge, Log), Seed: seed, Epochs: 1 + g.IntN(60)}
	if method == RoundDual && cfg.Loss == Log {
		cfg.Loss = Hinge
	}
	t.labels(cfg.Loss, pick(g, 2, 2, 3))
	cfg.Lambda = math.Pow(10, -5*g.Float64())
	if g.IntN(3) > 0 {
		cfg.Lambda = math.Max(MinLambda, cfg.Lambda*scale*scale)
	}
	cfg.Tol = math.Pow(10, -1-5*g.Float64())
	cfg.Bias = pick(g, BiasNone, BiasAugmented)
	if cfg.Bias == BiasAugmented {
		cfg.BiasScale = pick(g, 0.3, 1, 30) * math.Max(1, scale)
	}
	cfg.Scale = pick(g, ScaleNone, ScaleNone, ScaleStandard, ScaleMaxAbs, ScaleUnit, "")
	cfg.ClassWeight = pick(g, "", "", Balanced)
	t.tr = Trainer{Config: cfg}
	return t, method, 1 + g.IntN(3)
}

// certifyRounds is certify for rounds. Problems that training would refuse too are left out.
func (n *tally) certifyRounds(t testing.TB, seed uint64) {
	trial, method, shards := newRoundTrial(seed)
	if _, _, err := labels.Classify(trial.y, nil, nil, rowError); err != nil {
		return
	}
	s := statisticsOf(t, trial.x, trial.y)
	r, err := NewRounds(trial.tr.Config, method, s, shards)
	if err != nil {
		if c := (*ConfigError)(nil); !errors.As(err, &c) {
			t.Fatalf("seed %d: %v", seed, err)
		}
		return
	}
	n.trials++
	m := runRounds(t, r, inShards(t, r, trial.x, trial.y, shards))
	all, first := trial.problems(m)
	for i, p := range all {
		w, b := trial.vector(m, first[i])
		if m.Bias == nil || m.Config.Bias == BiasNone {
			b = 0
		}
		err := n.hold(p, [][]float64{w}, []float64{b}, m.Result.PerClass[first[i]], false)
		if err != nil {
			t.Errorf("seed %d: %s of %d x %d, %+v: vector %d: %v", seed, method,
				trial.rows.Rows(), trial.rows.Cols(), m.Config, i, err)
		}
	}
}

// No proof of rounds is wrong, the roundings to integers included.
func TestRoundsCertificate(t *testing.T) {
	var n tally
	least := uint64(1500)
	if testing.Short() {
		least = 150
	}
	start := time.Now()
	for seed := uint64(0); seed < least || time.Since(start) < *certifyFor; seed++ {
		n.certifyRounds(t, seed)
	}
	t.Logf("%d runs: %d problems, %d with a bound, %d of them proven within 100 %%, %d within 0.1 %%",
		n.trials, n.problems, n.bounds, n.useful, n.close)
	if n.bounds < n.problems/2 || n.useful < n.bounds/2 || n.close < n.bounds/10 {
		t.Error("too few proofs to hold")
	}
}

func FuzzRounds(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { new(tally).certifyRounds(t, seed) })
}

// The same bits on every machine and path, for any number of threads and, of Newton's method, of
// shards.
func TestGoldenRounds(t *testing.T) {
	data := random(54, 2000, 40, 2, 0.4)
	many := random(55, 1200, 17, 4, 0.5)
	few := random(57, 2000, 60, 2, 0.05)
	for _, c := range []struct {
		method RoundMethod
		cfg    Config
		x      Examples
		y      []float32
		want   string
	}{
		{RoundNewton, Config{Loss: Hinge, Bias: BiasAugmented}, data.dense, data.y,
			"c9d037627292ad44 0x1.a21fe0fe1838cp-02 0x1.a1dfefcaf87cep-02"},
		{RoundNewton, Config{Loss: SquaredHinge, ClassWeight: "0=2"}, data.sparse, data.y,
			"c436fd85bb2df59c 0x1.bde7f1809d862p-02 0x1.bdd8f0e8ca2e2p-02"},
		{RoundNewton, Config{Loss: Log, Scale: ScaleStandard}, data.sparse, data.y,
			"724d7a8e7a211fb9 0x1.6e3136bcf0828p-02 0x1.6e2fc1890ce3ap-02"},
		{RoundNewton, Config{Loss: Hinge, Scale: ScaleUnit}, many.dense, many.y,
			"09b2b3c54241fdfd 0x1.5d19f5b9b525cp-01 0x1.5cf49ab01ae33p-01"},
		{RoundNewton, Config{Loss: Hinge, Scale: ScaleMaxAbs}, few.sparse, few.y,
			"132dc6472baa4bc2 0x1.681255eabec81p-01 0x1.67e76f12b8dc1p-01"},
		{RoundDual, Config{Loss: Hinge, Bias: BiasAugmented}, few.sparse, few.y,
			"79ea445f26e77d05 0x1.54423568d3d47p-01 0x1.53fbd49d087f1p-01"},
		{RoundDual, Config{Loss: SquaredHinge, ClassWeight: Balanced}, many.sparse, many.y,
			"54e584d010756234 0x1.6d2db20406c3cp-01 0x1.6cd830b2f742dp-01"},
	} {
		c.cfg.Lambda, c.cfg.Tol = 1e-2, 1e-3
		options.Fill(&c.cfg.Bias, BiasNone)
		options.Fill(&c.cfg.Scale, ScaleNone)
		s := statisticsOf(t, c.x, c.y)
		for k, isa := range paths() {
			for _, n := range []int{1, 4, 16} {
				if n != 4 && (k > 0 || c.method == RoundDual) {
					continue
				}
				func() {
					defer asm.Use(asm.Use(isa))
					r, err := NewRounds(c.cfg, c.method, s, n)
					if err != nil {
						t.Fatal(err)
					}
					m := runRounds(t, r, inShards(t, r, c.x, c.y, n))
					if m.Result.Gap > c.cfg.Tol {
						t.Errorf("%+v: gap %v", c.cfg, m.Result.Gap)
					}
					have := fmt.Sprintf("%.16s %x %x", m.Hash(), m.Result.Objective,
						m.Result.DualObjective)
					if have != c.want {
						t.Errorf("%s, %+v on %s, %d shards: %s, want %s", c.method, c.cfg, isa, n,
							have, c.want)
					}
				}()
			}
		}
	}
}

// Statistics choose what training on all rows does.
func TestStatisticsChoose(t *testing.T) {
	wide := random(61, 300, 400, 2, 0.02)
	for name, c := range map[string]pair{
		"dense":   random(58, 500, 20, 2, 1),
		"sparse":  random(59, 400, 30, 3, 0.1),
		"binary":  zerosAndOnes(random(60, 300, 60, 2, 0.1)),
		"columns": wide,
	} {
		for _, x := range []Examples{c.dense, c.sparse} {
			for _, cfg := range []Config{
				{}, {C: 0.5}, {Scale: ScaleMaxAbs}, {Scale: ScaleUnit, Loss: SquaredHinge},
				{Scale: ScaleStandard}, {Scale: ScaleNone, Bias: BiasNone},
			} {
				cfg.Multiclass = OneVsRest
				own, err := (&Trainer{Config: cfg}).choose(x, c.y)
				if err != nil {
					t.Fatal(err)
				}
				want := own.trainer.Config
				have, scaling, err := statisticsOf(t, x, c.y).Choose(cfg)
				if err != nil {
					t.Fatal(err)
				}
				near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-5*math.Abs(b) }
				if have.Scale != want.Scale || have.Bias != want.Bias || have.C != want.C ||
					!near(have.BiasScale, want.BiasScale) || !near(have.Lambda, want.Lambda) {
					t.Errorf("%s, %T, %+v: chose %+v, want %+v", name, x, cfg, have, want)
				}
				if scaling != nil && !scaling.same(own.trainer.scaling) {
					t.Errorf("%s, %T, %+v: another scaling", name, x, cfg)
				}
			}
		}
	}
	s := statisticsOf(t, wide.dense, wide.y)
	s.Counts[0]++
	if _, _, err := s.Choose(Config{}); err == nil {
		t.Error("classes of more rows than there are were taken")
	}
}

// A shard is refused whose rows are not as the statistics have them: sums could leave their bounds.
func TestShardRefused(t *testing.T) {
	data := random(62, 300, 5, 2, 1)
	s := statisticsOf(t, data.dense, data.y)
	r, err := NewRounds(Config{Scale: ScaleNone}, RoundNewton, s, 2)
	if err != nil {
		t.Fatal(err)
	}
	large, y := data.dense.Take([]uint32{0, 1}), []float32{data.y[0], data.y[1]}
	if _, err := r.Shard(0, large, y, 256); err != nil {
		t.Error(err)
	}
	for what, shard := range map[string]func() error{
		"a first row within a block": func() error { _, err := r.Shard(0, large, y, 7); return err },
		"rows beyond all":            func() error { _, err := r.Shard(0, large, y, 512); return err },
		"a label too few":            func() error { _, err := r.Shard(0, large, y[:1], 0); return err },
		"another class": func() error {
			_, err := r.Shard(0, large, []float32{0, 9}, 0)
			return err
		},
		"a larger value": func() error {
			large.Row(1)[2] = 1e6
			_, err := r.Shard(0, large, y, 0)
			return err
		},
		"a column more": func() error {
			_, err := r.Shard(0, random(63, 2, 6, 2, 1).dense, y, 0)
			return err
		},
	} {
		if shard() == nil {
			t.Errorf("%s was taken", what)
		}
	}
	state := r.Start()
	if _, err := r.Next(state, make([]int64, 3)); err == nil {
		t.Error("a sum of another length was taken")
	}
	state.Problems[0].W[0] = math.NaN()
	if r.Check(state) == nil {
		t.Error("a state with a NaN was taken")
	}
}
