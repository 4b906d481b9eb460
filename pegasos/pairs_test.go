package pegasos_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/internal/train/settings"
	"github.com/pegasimd/pegasimd/pegasos"
)

func (p pair) of(a, b float32, weights []float32) (pair, []float32) {
	take := make([]float32, len(p.y))
	var left []float32
	for i, v := range p.y {
		if v == a || v == b {
			take[i] = 1
			if weights != nil {
				left = append(left, weights[i])
			}
		}
	}
	return p.repeat(take), left
}

func onlyVector(m *pegasos.Model, k int) *pegasos.Model {
	if m == nil {
		return nil
	}
	a, b := m.Pair(k)
	c := &pegasos.Model{Classes: []float32{m.Classes[a], m.Classes[b]}, Weights: m.Weights[k : k+1],
		Config: m.Config, Lambda: vectorResult(m, k).Lambda}
	if m.Bias != nil {
		c.Bias = m.Bias[k : k+1]
	}
	c.Result.Steps = vectorResult(m, k).Steps
	return c
}

func TestPairsAreAlone(t *testing.T) {
	for n, cfg := range []pegasos.Config{
		{}, {C: 0.5}, {ClassWeight: pegasos.Balanced, C: 2}, {ClassWeight: "0=2,1=0.5,2=3,4=1"},
		{Order: pegasos.IID}, {Order: pegasos.Sequential}, {Order: pegasos.Blocks, Block: 5},
		{Batch: 6}, {Batch: 5, Order: pegasos.IID, Project: true}, {Steps: 500},
		{Epochs: 3, Loss: pegasos.Log, Average: pegasos.LastIterate}, {Loss: pegasos.SquaredHinge,
			Offset: pegasos.OffsetR2},
		{Loss: pegasos.Log, Offset: pegasos.OffsetNone, Seed: 9},
		{Bias: pegasos.BiasAugmented, BiasScale: 2}, {Bias: pegasos.BiasUnregularised},
		{Bias: pegasos.BiasUnregularised, Loss: pegasos.Log, Batch: 3},
	} {
		cfg.Multiclass = pegasos.OneVsOne
		for kind, with := range []struct {
			name                  string
			weights, start, prior bool
		}{
			{name: "nothing"},
			{name: "weights", weights: true},
			{name: "start", start: true},
			{name: "weights and start", weights: true, start: true},
			{name: "prior", prior: true},
			{name: "weights and prior", weights: true, prior: true},
			{name: "start and prior", start: true, prior: true},
			{name: "all", weights: true, start: true, prior: true},
		} {
			t.Run(fmt.Sprintf("config %d with %s", n, with.name), func(t *testing.T) {
				data := random(uint64(n), 150, 6, 5, 0.8)
				before := random(uint64(n)+50, 90, 6, 5, 0.8)
				tr := pegasos.Trainer{Config: cfg, Threads: 1 + kind%3}
				if with.weights {
					tr.Weights = some(150)
				}
				if with.start {
					tr.Start = mustTrain(t, before.dense, before.y, cfg)
				}
				if with.prior {
					tr.Prior = mustTrain(t, before.sparse, before.y, cfg)
				}
				checkPairs(t, tr, data, func(p pair) pegasos.Examples {
					return []pegasos.Examples{p.dense, p.sparse, sample.UserRows(p.dense)}[(n+kind)%3]
				})
			})
		}
	}
}

func checkPairs(t *testing.T, tr pegasos.Trainer, data pair, x func(p pair) pegasos.Examples) {
	cfg := tr.Config
	m, err := trainPlain(t.Context(), &tr, x(data), data.y)
	if err != nil {
		t.Fatalf("%+v: %v", cfg, err)
	}
	if len(m.Weights) != 10 || len(m.Result.PerClass) != 10 || len(m.Classes) != 5 {
		t.Fatalf("%+v: %d vectors of %d classes", cfg, len(m.Weights), len(m.Classes))
	}
	var all pegasos.Result
	k := 0
	for a := range 5 {
		for b := a + 1; b < 5; b++ {
			if i, j := m.Pair(k); i != a || j != b {
				t.Errorf("pair %d is %d and %d, want %d and %d", k, i, j, a, b)
			}
			rows, weights := data.of(float32(a), float32(b), tr.Weights)
			single := tr
			single.Weights = weights
			single.Start, single.Prior = onlyVector(tr.Start, k), onlyVector(tr.Prior, k)
			if cfg.ClassWeight != pegasos.Balanced && cfg.ClassWeight != "" {
				by := []float32{2, 0.5, 3, 1, 1}
				single.ClassWeight = fmt.Sprintf("%d=%v,%d=%v", a, by[a], b, by[b])
			}
			alone, err := trainPlain(t.Context(), &single, x(rows), rows.y)
			if err != nil {
				t.Fatal(err)
			}
			comparePair(t, m, k, alone)
			c := m.Result.PerClass[k]
			all.Objective += c.Objective / 10
			all.DualObjective += c.DualObjective / 10
			all.Violations += c.Violations
			all.Steps = max(all.Steps, c.Steps)
			all.Epochs = max(all.Epochs, alone.Result.Epochs)
			k++
		}
	}
	r := m.Result
	if math.Abs(r.Objective-all.Objective) > 1e-12*all.Objective ||
		math.Abs(r.DualObjective-all.DualObjective) > 1e-12 ||
		r.Violations != all.Violations || r.Steps != all.Steps || r.Epochs != all.Epochs {
		t.Errorf("%+v: %+v, computed from the pairs %+v", cfg, r, all)
	}
	if cfg.Order != pegasos.IID &&
		!(r.Gap >= 0 && r.Gap == (r.Objective-r.DualObjective)/r.DualObjective) {
		t.Errorf("%+v: gap %v", cfg, r.Gap)
	}
	var sum float64
	for _, v := range tr.Weights {
		sum += float64(v)
	}
	if cfg.ClassWeight == "" && math.Abs(r.Weight-sum) > 1e-9 {
		t.Errorf("%+v: the rows have the weight %v, want %v", cfg, r.Weight, sum)
	}
	if tr.Weights == nil && tr.Prior == nil && cfg.ClassWeight == "" {
		have := m.Objective(m.DecisionAll(x(data)), data.y, nil)
		if math.Abs(have-all.Objective) > 1e-6*all.Objective { // rounding of float32 scores
			t.Errorf("%+v: objective %v, Model.Objective %v", cfg, all.Objective, have)
		}
	}
}

func comparePair(t *testing.T, m *pegasos.Model, k int, alone *pegasos.Model) {
	t.Helper()
	c, r := m.Result.PerClass[k], alone.Result.PerClass[0]
	if !slices.Equal(alone.Weights[0], m.Weights[k]) ||
		vectorBias(alone, 0) != vectorBias(m, k) ||
		(alone.Bias == nil) != (m.Bias == nil) {
		t.Errorf("%+v: pair %d has other weights or another bias than alone", m.Config, k)
	}
	// The bound allows for rounding errors, more of them with more classes.
	d := math.Abs(c.DualObjective - r.DualObjective)
	if d > 1e-9*(1+r.DualObjective) || math.IsNaN(c.DualObjective) != math.IsNaN(r.DualObjective) {
		t.Errorf("%+v: pair %d has the bound %v, alone %v",
			m.Config, k, c.DualObjective, r.DualObjective)
	}
	c.DualObjective, r.DualObjective = 0, 0
	if c != r || c.Lambda != alone.Lambda || c.Steps != alone.Result.Steps {
		t.Errorf("%+v: pair %d: %+v, alone %+v", m.Config, k, c, r)
	}
}

// sums[c] is the sum of the scores of class c's pairs, negated for pairs of which c is the first
// class.
func votes(classes int, scores []float64) (votes []int, sums []float64) {
	votes, sums = make([]int, classes), make([]float64, classes)
	k := 0
	for a := range classes {
		for b := a + 1; b < classes; b++ {
			winner := a
			if scores[k] > 0 {
				winner = b
			}
			votes[winner]++
			sums[a] -= scores[k]
			sums[b] += scores[k]
			k++
		}
	}
	return votes, sums
}

func TestVotes(t *testing.T) {
	g := rand.New(rand.NewPCG(4, 4))
	for _, classes := range []int{3, 4, 5, 17, 40} {
		m := &pegasos.Model{Config: pegasos.Config{Multiclass: pegasos.OneVsOne}}
		n := classes * (classes - 1) / 2
		for k := range classes {
			m.Classes = append(m.Classes, float32(k*k))
		}
		m.Weights = slices.Repeat([][]float32{{0}}, n)
		ties := 0
		for trial := range 300 {
			scores := make([]float64, n)
			for k := range scores {
				switch trial % 3 {
				case 0:
					scores[k] = float64(g.IntN(5) - 2)
				case 1:
					scores[k] = 2*g.Float64() - 1
				case 2:
					scores[k] = math.Ldexp(2*g.Float64()-1, g.IntN(30))
				}
			}
			v, sums := votes(classes, scores)
			best := 0
			for c := range classes {
				if v[c] > v[best] || v[c] == v[best] && sums[c] > sums[best] {
					best = c
				}
				if c != best && v[c] == v[best] {
					ties++
				}
			}
			if have := m.Class(scores); have != best {
				t.Fatalf("%v: class %d, want %d: votes %v, sums %v", scores, have, best, v, sums)
			}
			all := m.ClassScores(scores, make([]float64, 2)) // dst is too short
			for c, s := range all {
				want := float64(v[c]) + sums[c]/(3*(math.Abs(sums[c])+1))
				if len(all) != classes || math.Abs(s-want) > 1e-12 ||
					math.Abs(s-float64(v[c])) > 1./3 {
					t.Fatalf("class %d has the score %v, want %v", c, s, want)
				}
			}
			buf := make([]float64, classes+3)
			again := m.ClassScores(scores, buf)
			if &again[0] != &buf[0] || !slices.Equal(again, all) {
				t.Fatalf("scores %v in a given slice, %v in a new one", again, all)
			}
		}
		if ties == 0 {
			t.Errorf("%d classes: no ties", classes)
		}
		if m.Class(make([]float64, n)) != 0 {
			t.Error("for scores of 0, Class does not return 0")
		}
	}
	m := &pegasos.Model{Classes: []float32{7, 8, 9}, Weights: slices.Repeat([][]float32{{0}}, 3),
		Config: pegasos.Config{Multiclass: pegasos.OneVsOne}}
	for _, c := range []struct {
		scores []float64
		want   int
	}{
		{[]float64{-1, 1, -1}, 0}, // a cycle with scores of equal size: the first class
		{[]float64{-1, 1, -2}, 1},
		{[]float64{-1, 2, -1}, 2},
		{[]float64{1, 100, -0.1}, 1}, // two votes beat any sum of scores
		{[]float64{0, 0, 5}, 0},      // a score of 0 is a vote for the first class of the pair
	} {
		if have := m.Class(c.scores); have != c.want {
			t.Errorf("%v: class %d, want %d", c.scores, have, c.want)
		}
	}
}

func TestPairModel(t *testing.T) {
	for _, cfg := range []pegasos.Config{{C: 1, Bias: pegasos.BiasAugmented},
		{ClassWeight: pegasos.Balanced}} {
		data := random(8, 200, 6, 4, 1)
		for i, v := range data.y {
			data.y[i] = []float32{-2, 0.5, 3, 100}[int(v)]
		}
		cfg.Multiclass = pegasos.OneVsOne
		m := mustTrain(t, data.dense, data.y, cfg)
		n := clone(t, m)
		if fmt.Sprint(n) != fmt.Sprint(m) || n.Hash() != m.Hash() {
			t.Errorf("read %+v, wrote %+v", n, m)
		}
		scores := m.DecisionAll(data.dense)
		for i, v := range n.PredictAll(data.dense) {
			row := scores[6*i:][:6]
			if v != m.Classes[m.Class(row)] || v != m.Predict(data.dense, i) ||
				!slices.Equal(row, m.Decision(data.dense, i, nil)) {
				t.Errorf("row %d: predicted %v, alone %v, by Class %v",
					i, v, m.Predict(data.dense, i), m.Classes[m.Class(row)])
			}
		}
		if right := accuracy(m, data.dense, data.y); right < 0.75 {
			t.Errorf("accuracy %v", right)
		}
	}
}

func TestPairsWithoutRows(t *testing.T) {
	data := random(9, 120, 5, 4, 1)
	old := mustTrain(t, data.dense, data.y, pegasos.Config{Multiclass: pegasos.OneVsOne, C: 1,
		Bias: pegasos.BiasAugmented})
	for _, cfg := range []pegasos.Config{
		{}, {C: 1}, {Bias: pegasos.BiasUnregularised, Batch: 2}, {Order: pegasos.IID,
			Average: pegasos.LastIterate},
		{ClassWeight: pegasos.Balanced, Order: pegasos.Blocks},
	} {
		cfg.Multiclass = pegasos.OneVsOne
		if cfg.Bias == "" {
			cfg.Bias = pegasos.BiasAugmented
		}
		for _, labels := range [][2]float32{{1, 3}, {2, 2}} {
			rows, _ := data.of(labels[0], labels[1], nil)
			for _, asPrior := range []bool{false, true} {
				start, prior := old, (*pegasos.Model)(nil)
				if asPrior {
					start, prior = nil, old
				}
				m := from(t, rows.dense, rows.y, start, prior, cfg)
				n := 0.0
				var objective float64
				for k, c := range m.Result.PerClass {
					a, b := m.Pair(k)
					if slices.Contains(labels[:], float32(a)) ||
						slices.Contains(labels[:], float32(b)) {
						objective += c.Objective
						n++
						if c.Steps == 0 || math.IsNaN(c.Objective) {
							t.Errorf("%+v: pair %d: %+v", cfg, k, c)
						}
						continue
					}
					want := vectorResult(old, k).Steps
					if asPrior {
						want = 0
					}
					if !slices.Equal(m.Weights[k], old.Weights[k]) || m.Bias[k] != old.Bias[k] ||
						!math.IsNaN(c.Objective) || c.Steps != want || vectorResult(m, k).Steps != want ||
						c.Lambda != vectorResult(old, k).Lambda {
						t.Errorf("%+v prior %v: pair %d without rows: %+v", cfg, asPrior, k, c)
					}
				}
				r := m.Result
				if math.Abs(r.Objective-objective/n) > 1e-12 || m.Validate() != nil || n == 6 {
					t.Errorf("%+v: objective %v, mean over %v pairs %v", cfg, r.Objective, n, objective/n)
				}
				if again := clone(t, m); fmt.Sprint(again.Result) != fmt.Sprint(m.Result) {
					t.Errorf("%+v: read %v", cfg, again)
				}
			}
		}
	}
}

func TestPairsRun(t *testing.T) {
	data := random(10, 130, 9, 5, 0.9)
	pairs := pegasos.Config{Multiclass: pegasos.OneVsOne}
	// With five classes, an epoch visits each row four times.
	t.Run("epochs", func(t *testing.T) {
		var last pegasos.Progress
		tr := pegasos.Trainer{Config: pegasos.Config{Multiclass: pegasos.OneVsOne, Epochs: 6}}
		tr.Progress = func(p pegasos.Progress) {
			if p.Epoch != last.Epoch+1 || p.Steps != last.Steps+4*130 ||
				p.TotalSteps != 6*4*130 || p.Violations < last.Violations {
				t.Errorf("%+v after %+v", p, last)
			}
			last = p
			if r := p.Measure(); r.Violations != p.Violations || !(r.Gap >= 0) {
				t.Errorf("%+v: %+v", p, r)
			}
		}
		m, err := trainPlain(t.Context(), &tr, data.dense, data.y)
		if err != nil || last.Steps != last.TotalSteps || last.Epoch != 6 ||
			m.Result.Violations != last.Violations {
			t.Errorf("%v, at the end %+v", err, last)
		}
	})
	// Steps are counted for each pair: 10 pairs of 100 steps.
	t.Run("steps", func(t *testing.T) {
		count := make([]int64, 5)
		for _, v := range data.y {
			count[int(v)]++
		}
		var last pegasos.Progress
		tr := pegasos.Trainer{Config: pegasos.Config{Multiclass: pegasos.OneVsOne, Steps: 100}}
		tr.Progress = func(p pegasos.Progress) { last = p }
		m, err := trainPlain(t.Context(), &tr, data.dense, data.y)
		if err != nil || last.Steps != 1000 || last.TotalSteps != 1000 {
			t.Errorf("%v, at the end %+v", err, last)
		}
		k := 0
		for a := range 5 {
			for b := a + 1; b < 5; b++ {
				if c := m.Result.PerClass[k]; c.Steps != 100 {
					t.Errorf("pair %d of %d rows: %+v", k, count[a]+count[b], c)
				}
				k++
			}
		}
	})
	t.Run("canceled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		tr := pegasos.Trainer{Config: pairs, Progress: func(p pegasos.Progress) {
			if p.Epoch == 3 {
				cancel()
			}
		}}
		m, err := trainPlain(ctx, &tr, data.dense, data.y)
		if !errors.Is(err, context.Canceled) || m.Validate() != nil || m.Result.Epochs != 3 ||
			!math.IsNaN(m.Result.Objective) {
			t.Errorf("%v, %+v", err, m.Result)
		}
		encode(t, m)
		m, err = trainPlain(ctx, &pegasos.Trainer{Config: pairs}, data.dense, data.y)
		if !errors.Is(err, context.Canceled) || m.Validate() != nil || m.Result.Steps != 0 {
			t.Errorf("canceled before the run: %v, %+v", err, m)
		}
	})
	t.Run("overflow", func(t *testing.T) {
		bad := dense.New(130, 9)
		for i := range 130 {
			copy(bad.Row(i), data.dense.Row(i))
			dense.Scale(0.4e19, bad.Row(i))
		}
		var step *pegasos.StepError
		want := ""
		for threads := 1; threads < 5; threads++ {
			tr := pegasos.Trainer{Config: pegasos.Config{Multiclass: pegasos.OneVsOne, Lambda: 1e37},
				Threads: threads}
			_, err := trainPlain(t.Context(), &tr, bad, data.y)
			if !errors.As(err, &step) || want != "" && err.Error() != want {
				t.Fatalf("%d threads: %v, want %v", threads, err, want)
			}
			want = err.Error()
		}
	})
	t.Run("two classes", func(t *testing.T) {
		two := random(11, 50, 4, 2, 1)
		a, b := mustTrain(t, two.dense, two.y, pairs), mustTrain(t, two.dense, two.y, pegasos.Config{})
		if a.Hash() != b.Hash() {
			t.Error("the models differ")
		}
	})
	t.Run("too many classes", func(t *testing.T) {
		var e *pegasos.ConfigError
		y := make([]float32, settings.MaxPairClasses+1)
		for i := range y {
			y[i] = float32(i)
		}
		m, err := fixed(t.Context(), dense.New(len(y), 1), y, pairs)
		if m != nil || !errors.As(err, &e) || e.Field != "Multiclass" {
			t.Errorf("%d classes: %v", len(y), err)
		}
	})
	t.Run("a batch larger than a pair", func(t *testing.T) {
		var e *pegasos.ConfigError
		cfg := pegasos.Config{Multiclass: pegasos.OneVsOne, Batch: 100}
		_, err := fixed(t.Context(), data.dense, data.y, cfg)
		if !errors.As(err, &e) || e.Field != "Batch" {
			t.Error(err)
		}
	})
}

func TestGoldenPairs(t *testing.T) {
	many := random(3, 500, 70, 5, 0.5)
	for _, c := range []struct {
		name string
		x    pegasos.Examples
		cfg  pegasos.Config
		want string
	}{
		{"dense", many.dense,
			pegasos.Config{Multiclass: pegasos.OneVsOne, C: 1, Epochs: 5, Bias: pegasos.BiasAugmented},
			"ea65aeb1cfbeffdabd1119610e957df483005b4e792319b34dbebc0f7df6e7dd"},
		{"sparse", many.sparse,
			pegasos.Config{
				Multiclass: pegasos.OneVsOne, Loss: pegasos.Log, ClassWeight: pegasos.Balanced, Order: pegasos.IID,
				Batch: 3, Epochs: 5,
			},
			"a1c575b87ba4760083f6e47602376220112a8882253687012e160be146585b71"},
	} {
		for _, isa := range paths() {
			t.Run(fmt.Sprintf("%s/isa=%v", c.name, isa), func(t *testing.T) {
				defer asm.Use(asm.Use(isa))
				for threads := 1; threads < 5; threads++ {
					tr := pegasos.Trainer{Config: c.cfg, Threads: threads}
					m, err := trainPlain(t.Context(), &tr, c.x, many.y)
					if err != nil || m.Hash() != c.want {
						t.Errorf("%d threads: %v %s, want %s", threads, err, m.Hash(), c.want)
					}
				}
			})
		}
	}
}
