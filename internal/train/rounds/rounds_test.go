package rounds_test

import (
	"flag"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/options"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/internal/train/rounds"
	"github.com/pegasimd/pegasimd/pegasos"
)

var (
	certifyFor  = flag.Duration("certify", 0, "how long TestCertificate tries random problems")
	certifyFrom = flag.Uint64("certify-from", 0, "the first seed")
)

// Certificates hold for random problems, with all roundings to integers.
func TestCertificate(t *testing.T) {
	least := uint64(1500)
	if testing.Short() {
		least = 150
	}
	var n tally
	start, from := time.Now(), *certifyFrom
	for seed := from; seed-from < least || time.Since(start) < *certifyFor; seed++ {
		p := newProblem(seed)
		m := p.train(t)
		if m == nil {
			continue
		}
		if err := n.check(p, m); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
	t.Logf("%d problems, %d with a bound, %d of them proven within 100 %%, %d within 0.1 %%",
		n.problems, n.bounds, n.useful, n.close)
	if n.useful < n.bounds/2 || n.close < n.bounds/10 {
		t.Error("too few bounds are near the objective")
	}
}

func FuzzCertificate(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) {
		p := newProblem(seed)
		if m := p.train(t); m != nil {
			if err := new(tally).check(p, m); err != nil {
				t.Error(err)
			}
		}
	})
}

// The same bits on every machine and path, for any number of threads and, of Newton's method, of
// shards.
func TestGolden(t *testing.T) {
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
		s := statisticsOf(t, c.x, c.y)
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
					m := train(t, r, shardsOf(t, r, c.x, c.y, n))
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
	s := statisticsOf(t, data.Dense, data.Y)
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

// A model that was trained with weights of rows can't be verified: rounds have weights of classes
// alone, so that their objective is another one.
func TestVerifyRowWeights(t *testing.T) {
	data := sample.Random(64, 200, 4, 2, 1)
	weights := make([]float32, 200)
	for i := range weights {
		weights[i] = float32(1 + i%3)
	}
	s := statisticsOf(t, data.Dense, data.Y)
	for _, classWeight := range []string{"", pegasos.Balanced, "0=3"} {
		tr := pegasos.Trainer{Config: pegasos.Config{Loss: pegasos.SquaredHinge, Lambda: 0.1,
			ClassWeight: classWeight, Scale: pegasos.ScaleNone, Bias: pegasos.BiasNone}}
		m, err := tr.Train(t.Context(), data.Dense, data.Y)
		if err != nil {
			t.Fatal(err)
		}
		v, err := verify(t, m, data.Dense, data.Y, s, 2)
		if err != nil || v.Verdict == pegasos.Contradicted {
			t.Errorf("%q: %+v, %v", classWeight, v, err)
		}
		tr.Weights = weights
		if m, err = tr.Train(t.Context(), data.Dense, data.Y); err != nil {
			t.Fatal(err)
		}
		v, err = verify(t, m, data.Dense, data.Y, s, 2)
		if err == nil || !strings.Contains(err.Error(), "weights of rows") {
			t.Errorf("%q with weights of rows: %+v, %v", classWeight, v, err)
		}
	}
}

// Models trained in rounds are never contradicted, and most are confirmed; models that claim more
// than is true are contradicted.
func TestVerify(t *testing.T) {
	found, tampered := map[pegasos.Verdict]int{}, 0
	for seed := range uint64(100) {
		p := newProblem(seed + 9e6)
		m := p.train(t)
		if m == nil {
			continue
		}
		s := statisticsOf(t, p.x, p.y)
		v, err := verify(t, m, p.x, p.y, s, 1+p.shards%3)
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		if v.Verdict == pegasos.Contradicted || !(v.Bound <= v.Objective) ||
			v.Verdict == pegasos.Confirmed && v.Bound < m.Result.DualObjective {
			t.Errorf("seed %d, %s: %+v\n%+v", seed, p.method, v, m.Config)
		}
		found[v.Verdict]++
		for change, apply := range tamperings {
			lie := tamper(m, apply)
			if change == "bound" && lie.Result.DualObjective <= lie.Result.Objective {
				continue // the mean over the vectors is a claim that may be true
			}
			v, err := verify(t, lie, p.x, p.y, s, p.shards)
			if change == "weights" && err == nil &&
				math.Abs(v.Objective-m.Result.Objective) <= 1e-5*v.Objective {
				continue // the objective hardly depends on the weights
			}
			if err == nil && v.Verdict != pegasos.Contradicted {
				t.Errorf("seed %d, another %s: %+v, trained %+v", seed, change, v, m.Result)
			}
			tampered++
		}
	}
	t.Logf("%v, and %d tampered models", found, tampered)
	if found[pegasos.Confirmed] < 2*found[pegasos.NotConfirmed] || tampered < 130 {
		t.Error("too few models are confirmed or tampered with")
	}
}

// tamperings make a model or the result c of its first vector untrue.
var tamperings = map[string]func(m *pegasos.Model, c *pegasos.ClassResult){
	"objective": func(m *pegasos.Model, c *pegasos.ClassResult) { c.Objective *= 0.999 },
	"bound":     func(m *pegasos.Model, c *pegasos.ClassResult) { c.DualObjective = 1.01 * c.Objective },
	"weights": func(m *pegasos.Model, _ *pegasos.ClassResult) {
		for j := range m.Weights[0] {
			m.Weights[0][j] *= -2
		}
	},
}

// tamper returns a changed copy of a model. The means in its result are recomputed from PerClass.
func tamper(m *pegasos.Model, change func(*pegasos.Model, *pegasos.ClassResult)) *pegasos.Model {
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
	return &lie
}
