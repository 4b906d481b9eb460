package pegasos_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/labels"
	"github.com/pegasimd/pegasimd/internal/options"
	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/internal/train/rounds"
	"github.com/pegasimd/pegasimd/pegasos"
)

// inShards cuts rows into n shards.
func inShards(t testing.TB, r *rounds.Rounds, x pegasos.Examples, y []float32, n int) (
	shards []*rounds.Shard,
) {
	t.Helper()
	m, _ := store.MatrixOf(x)
	blocks := (len(y) + rounds.Block - 1) / rounds.Block
	for k := range n {
		first, end := min(len(y), k*blocks/n*rounds.Block), min(len(y), (k+1)*blocks/n*rounds.Block)
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

// runRounds trains in rounds. The shards are reversed in every other round, and the number of
// goroutines varies.
func runRounds(t testing.TB, r *rounds.Rounds, shards []*rounds.Shard) *pegasos.Model {
	t.Helper()
	m, err := r.Model(endOfRounds(t, r, shards))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// endOfRounds returns the state in which they end.
func endOfRounds(t testing.TB, r *rounds.Rounds, shards []*rounds.Shard) *rounds.State {
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
			part, next, err := shards[k].Take(context.Background(), s, alpha[k], 1+s.Round%4)
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

// method is how a trial's rounds train.
func method(trial *pegasos.RoundTrial) rounds.Method {
	if trial.Dual {
		return rounds.Dual
	}
	return rounds.Newton
}

// certifyRounds holds the models of rounds. Problems that training would refuse too are left out.
func certifyRounds(t testing.TB, n *pegasos.RoundTally, seed uint64) {
	trial := pegasos.NewRoundTrial(seed)
	if _, _, err := labels.Classify(trial.Y, nil, nil, badRow); err != nil {
		return
	}
	s := pegasos.StatisticsOf(t, trial.X, trial.Y)
	r, err := rounds.New(trial.Config, method(trial), s, trial.Shards)
	if err != nil {
		if c := (*pegasos.ConfigError)(nil); !errors.As(err, &c) {
			t.Fatalf("seed %d: %v", seed, err)
		}
		return
	}
	n.Hold(t, seed, trial, runRounds(t, r, inShards(t, r, trial.X, trial.Y, trial.Shards)))
}

func badRow(row int, reason string) error { return &pegasos.RowError{Row: row, Reason: reason} }

// No proof of rounds is wrong, the roundings to integers included.
func TestRoundsCertificate(t *testing.T) {
	n := new(pegasos.RoundTally)
	n.Certify(t, func(seed uint64) { certifyRounds(t, n, seed) })
}

func FuzzRounds(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { certifyRounds(t, new(pegasos.RoundTally), seed) })
}

// The same bits on every machine and path, for any number of threads and, of Newton's method, of
// shards.
func TestGoldenRounds(t *testing.T) {
	data := sample.Random(54, 2000, 40, 2, 0.4)
	many := sample.Random(55, 1200, 17, 4, 0.5)
	few := sample.Random(57, 2000, 60, 2, 0.05)
	for _, c := range []struct {
		method rounds.Method
		cfg    pegasos.Config
		x      pegasos.Examples
		y      []float32
		want   string
	}{
		{rounds.Newton, pegasos.Config{Loss: pegasos.Hinge, Bias: pegasos.BiasAugmented},
			data.Dense, data.Y,
			"c9d037627292ad44 0x1.a21fe0fe1838cp-02 0x1.a1dfefcaf87cep-02"},
		{rounds.Newton, pegasos.Config{Loss: pegasos.SquaredHinge, ClassWeight: "0=2"},
			data.Sparse, data.Y,
			"c436fd85bb2df59c 0x1.bde7f1809d862p-02 0x1.bdd8f0e8ca2e2p-02"},
		{rounds.Newton, pegasos.Config{Loss: pegasos.Log, Scale: pegasos.ScaleStandard},
			data.Sparse, data.Y,
			"724d7a8e7a211fb9 0x1.6e3136bcf0828p-02 0x1.6e2fc1890ce3ap-02"},
		{rounds.Newton, pegasos.Config{Loss: pegasos.Hinge, Scale: pegasos.ScaleUnit},
			many.Dense, many.Y,
			"09b2b3c54241fdfd 0x1.5d19f5b9b525cp-01 0x1.5cf49ab01ae33p-01"},
		{rounds.Newton, pegasos.Config{Loss: pegasos.Hinge, Scale: pegasos.ScaleMaxAbs},
			few.Sparse, few.Y,
			"132dc6472baa4bc2 0x1.681255eabec81p-01 0x1.67e76f12b8dc1p-01"},
		{rounds.Dual, pegasos.Config{Loss: pegasos.Hinge, Bias: pegasos.BiasAugmented},
			few.Sparse, few.Y,
			"79ea445f26e77d05 0x1.54423568d3d47p-01 0x1.53fbd49d087f1p-01"},
		{rounds.Dual, pegasos.Config{Loss: pegasos.SquaredHinge, ClassWeight: pegasos.Balanced},
			many.Sparse, many.Y,
			"54e584d010756234 0x1.6d2db20406c3cp-01 0x1.6cd830b2f742dp-01"},
	} {
		c.cfg.Lambda, c.cfg.Tol = 1e-2, 1e-3
		options.Fill(&c.cfg.Bias, pegasos.BiasNone)
		options.Fill(&c.cfg.Scale, pegasos.ScaleNone)
		s := pegasos.StatisticsOf(t, c.x, c.y)
		for k, isa := range sample.Paths() {
			for _, n := range []int{1, 4, 16} {
				if n != 4 && (k > 0 || c.method == rounds.Dual) {
					continue
				}
				func() {
					defer asm.Use(asm.Use(isa))
					r, err := rounds.New(c.cfg, c.method, s, n)
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

// A shard is refused whose rows are not as the statistics have them: sums could leave their bounds.
func TestShardRefused(t *testing.T) {
	data := sample.Random(62, 300, 5, 2, 1)
	s := pegasos.StatisticsOf(t, data.Dense, data.Y)
	r, err := rounds.New(pegasos.Config{Scale: pegasos.ScaleNone}, rounds.Newton, s, 2)
	if err != nil {
		t.Fatal(err)
	}
	large, y := data.Dense.Take([]uint32{0, 1}), []float32{data.Y[0], data.Y[1]}
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
			_, err := r.Shard(0, sample.Random(63, 2, 6, 2, 1).Dense, y, 0)
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

// verifyInRounds verifies a model in the given number of shards.
func verifyInRounds(tb testing.TB, t *pegasos.RoundTrial, m *pegasos.Model,
	s *store.Statistics, shards int,
) (
	*pegasos.Verification, error,
) {
	tb.Helper()
	r, err := rounds.NewVerification(m, s, shards, 0)
	if err != nil {
		return nil, err
	}
	return r.Verified(endOfRounds(tb, r, inShards(tb, r, t.X, t.Y, shards)))
}

// Rounds know weights of classes. A model that was trained with weights of rows is refused: of rows
// that count alike, its objective would be another one.
func TestRoundsVerifyWeights(t *testing.T) {
	data := sample.Random(64, 200, 4, 2, 1)
	trial := &pegasos.RoundTrial{X: data.Dense, Y: data.Y}
	weights := make([]float32, 200)
	for i := range weights {
		weights[i] = float32(1 + i%3)
	}
	s := pegasos.StatisticsOf(t, trial.X, trial.Y)
	for _, classWeight := range []string{"", pegasos.Balanced, "0=3"} {
		tr := pegasos.Trainer{Config: pegasos.Config{Loss: pegasos.SquaredHinge, Lambda: 0.1,
			ClassWeight: classWeight, Scale: pegasos.ScaleNone, Bias: pegasos.BiasNone}}
		m, err := tr.Train(t.Context(), trial.X, trial.Y)
		if err != nil {
			t.Fatal(err)
		}
		if v, err := verifyInRounds(t, trial, m, s, 2); err != nil ||
			v.Verdict == pegasos.Contradicted {
			t.Errorf("%q: %+v, %v", classWeight, v, err)
		}
		tr.Weights = weights
		if m, err = tr.Train(t.Context(), trial.X, trial.Y); err != nil {
			t.Fatal(err)
		}
		if v, err := verifyInRounds(t, trial, m, s, 2); err == nil ||
			!strings.Contains(err.Error(), "weights of rows") {
			t.Errorf("%q with weights of rows: %+v, %v", classWeight, v, err)
		}
	}
}

// Models that rounds have made are never contradicted, and most of them are confirmed; models that
// claim more than is true are contradicted.
func TestRoundsVerify(t *testing.T) {
	found, tampered := map[pegasos.Verdict]int{}, 0
	for seed := range uint64(150) {
		trial := pegasos.NewRoundTrial(seed + 9e6)
		shards := trial.Shards
		if _, _, err := labels.Classify(trial.Y, nil, nil, badRow); err != nil {
			continue
		}
		s := pegasos.StatisticsOf(t, trial.X, trial.Y)
		r, err := rounds.New(trial.Config, method(trial), s, shards)
		if err != nil {
			continue
		}
		m := runRounds(t, r, inShards(t, r, trial.X, trial.Y, shards))
		v, err := verifyInRounds(t, trial, m, s, 1+shards%3)
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		if v.Verdict == pegasos.Contradicted || !(v.Bound <= v.Objective) ||
			v.Verdict == pegasos.Confirmed && v.Bound < m.Result.DualObjective {
			t.Errorf("seed %d, %s: %+v\n%+v", seed, r.Method, v, m.Config)
		}
		found[v.Verdict]++
		for what, change := range map[string]func(m *pegasos.Model, c *pegasos.ClassResult){
			"objective": func(m *pegasos.Model, c *pegasos.ClassResult) { c.Objective *= 0.999 },
			"bound": func(m *pegasos.Model, c *pegasos.ClassResult) {
				c.DualObjective = 1.01 * c.Objective
			},
			"weights": func(m *pegasos.Model, _ *pegasos.ClassResult) {
				for j := range m.Weights[0] {
					m.Weights[0][j] = -2 * m.Weights[0][j]
				}
			},
		} {
			lie := *m
			lie.Weights = slices.Clone(m.Weights)
			for k := range lie.Weights {
				lie.Weights[k] = slices.Clone(m.Weights[k])
			}
			c := &lie.Result
			c.PerClass = slices.Clone(c.PerClass)
			change(&lie, &c.PerClass[0])
			c.Objective, c.DualObjective = 0, 0
			for _, of := range c.PerClass {
				c.Objective += of.Objective / float64(len(c.PerClass))
				c.DualObjective += of.DualObjective / float64(len(c.PerClass))
			}
			if what == "bound" && c.DualObjective <= c.Objective {
				continue // of a mean, which is another bound
			}
			v, err := verifyInRounds(t, trial, &lie, s, shards)
			if what == "weights" && err == nil &&
				math.Abs(v.Objective-m.Result.Objective) <= 1e-5*v.Objective {
				continue // of a column that hardly matters
			}
			if err == nil && v.Verdict != pegasos.Contradicted {
				t.Errorf("seed %d, another %s: %+v, trained %+v", seed, what, v, m.Result)
			}
			tampered++
		}
	}
	t.Logf("%v, and %d lies", found, tampered)
	if found[pegasos.Confirmed] < 2*found[pegasos.NotConfirmed] || tampered < 200 {
		t.Error("too few are confirmed, or lies")
	}
}
