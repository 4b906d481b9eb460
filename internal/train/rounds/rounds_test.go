package rounds_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/internal/train/loss"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/internal/train/rounds"
	"github.com/pegasimd/pegasimd/internal/train/settings"
	"github.com/pegasimd/pegasimd/pegasos"
)

var (
	certifyFor  = flag.Duration("certify", 0, "how long TestCertificate tries random problems")
	certifyFrom = flag.Uint64("certify-from", 0, "the first seed")
)

func TestCertificate(t *testing.T) {
	least := uint64(1500)
	if testing.Short() {
		least = 120
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

func TestGolden(t *testing.T) {
	data := sample.Random(54, 2000, 40, 2, 0.4)
	many := sample.Random(55, 1200, 17, 4, 0.5)
	few := sample.Random(57, 2000, 60, 2, 0.05)
	for _, c := range []struct {
		method rounds.Method
		cfg    settings.Settings
		x      store.Examples
		y      []float32
		want   string
	}{
		{rounds.Newton, settings.Settings{Loss: hinge, Bias: settings.BiasAugmented},
			data.Dense, data.Y,
			"c9d037627292ad44 0x1.a21fe0fe1838cp-02 0x1.a1dfefcaf87cep-02"},
		{rounds.Newton, settings.Settings{Loss: squaredHinge, ClassWeight: "0=2"},
			data.Sparse, data.Y,
			"c436fd85bb2df59c 0x1.bde7f1809d862p-02 0x1.bdd8f0e8ca2e2p-02"},
		{rounds.Newton, settings.Settings{Loss: logLoss, Scale: scale.Standard},
			data.Sparse, data.Y,
			"724d7a8e7a211fb9 0x1.6e3136bcf0828p-02 0x1.6e2fc1890ce3ap-02"},
		{rounds.Newton, settings.Settings{Loss: hinge, Scale: scale.Unit},
			many.Dense, many.Y,
			"09b2b3c54241fdfd 0x1.5d19f5b9b525cp-01 0x1.5cf49ab01ae33p-01"},
		{rounds.Newton, settings.Settings{Loss: hinge, Scale: scale.MaxAbs},
			few.Sparse, few.Y,
			"132dc6472baa4bc2 0x1.681255eabec81p-01 0x1.67e76f12b8dc1p-01"},
		{rounds.Dual, settings.Settings{Loss: hinge, Bias: settings.BiasAugmented},
			few.Sparse, few.Y,
			"79ea445f26e77d05 0x1.54423568d3d47p-01 0x1.53fbd49d087f1p-01"},
		{rounds.Dual, settings.Settings{Loss: squaredHinge, ClassWeight: settings.Balanced},
			many.Sparse, many.Y,
			"54e584d010756234 0x1.6d2db20406c3cp-01 0x1.6cd830b2f742dp-01"},
	} {
		c.cfg.Lambda, c.cfg.Tol = 1e-2, 1e-3
		options.Fill(&c.cfg.Bias, settings.BiasNone)
		options.Fill(&c.cfg.Scale, scale.None)
		s := sample.Statistics(t, c.x, c.y)
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
						t.Errorf("%+v: the gap %v is above Tol", c.cfg, m.Result.Gap)
					}
					have := fmt.Sprintf("%.16s %x %x", public(m).Hash(), m.Result.Objective,
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

var plain = settings.Settings{Loss: hinge, Lambda: 0.1, Scale: scale.None,
	Bias: settings.BiasNone}

func TestNewDefaults(t *testing.T) {
	data := sample.Random(61, 300, 5, 2, 1)
	s := sample.Statistics(t, data.Dense, data.Y)
	for _, c := range []struct {
		cols int
		loss string
		want rounds.Method
	}{
		{2000, hinge, rounds.Newton}, {2001, hinge, rounds.Dual},
		{2001, logLoss, rounds.Newton},
	} {
		wide := *s
		wide.Cols, wide.MaxAbs, wide.Mean, wide.Variance, wide.Constant = c.cols,
			make([]float32, c.cols), nil, nil, nil
		cfg := plain
		cfg.Loss = c.loss
		r, err := rounds.New(cfg, "", &wide, 2)
		if err != nil || r.Method != c.want || r.Config.Finish != string(c.want) {
			t.Errorf("%+v: New chose the method %v, error %v", c, r.Method, err)
		}
	}
	r, err := rounds.New(settings.Settings{}, "", s, 0)
	if err != nil || r.Config.Tol != 0.01 || r.Config.Epochs != 200 || r.Shards != 1 ||
		r.Lambda != r.Config.Lambda || !(r.Lambda > 0) || r.Config.C != 0 ||
		r.Config.Bias != settings.BiasAugmented || r.Vars() != 6 || r.Problems() != 1 {
		t.Errorf("New with zero settings returned %+v, error %v", r, err)
	}
	cfg := plain
	cfg.Lambda, cfg.C = 0, 2
	for weights, want := range map[string]float64{"": 1. / 600,
		"0=0.5,1=3": 1 / (float64(s.Counts[0]) + float64(6*s.Counts[1])),
		"0=2,1=0.5": 1 / (4*float64(s.Counts[0]) + float64(s.Counts[1]))} {
		cfg.ClassWeight = weights
		if r, err := rounds.New(cfg, "", s, 1); err != nil || math.Abs(r.Lambda-want) > 1e-12*want {
			t.Errorf("weights %q, C 2: %+v, %v, want lambda %v", weights, r, err, want)
		}
	}
	for shards, warns := range map[int]bool{16: false, 17: true} {
		for method, dual := range map[rounds.Method]bool{rounds.Newton: false, rounds.Dual: true} {
			r, err := rounds.New(plain, method, s, shards)
			if err != nil {
				t.Fatal(err)
			}
			warning := r.Warning()
			if (warning != "") != (warns && dual) || warns && dual && !strings.Contains(warning, "17") {
				t.Errorf("%d shards, %s: the warning is %q", shards, method, warning)
			}
		}
	}
}

func TestNewRefused(t *testing.T) {
	data := sample.Random(61, 300, 5, 2, 1)
	for _, c := range []struct {
		field  string
		method rounds.Method
		change func(*settings.Settings)
	}{
		{"Method", "auto", func(*settings.Settings) {}},
		{"Loss", "", func(c *settings.Settings) { c.Loss = loss.Squared.Name() }},
		{"Loss", rounds.Dual, func(c *settings.Settings) { c.Loss = logLoss }},
		{"Bias", "", func(c *settings.Settings) { c.Bias = settings.BiasUnregularised }},
		{"Multiclass", "", func(c *settings.Settings) { c.Multiclass = settings.OneVsOne }},
		{"Config", "", func(c *settings.Settings) { c.Batch = 5 }},
		{"Tol", "", func(c *settings.Settings) { c.Tol = 2 }},
		{"Lambda", "", func(c *settings.Settings) { c.Lambda = 1e-300 }},
		{"Lambda", "", func(c *settings.Settings) { c.Lambda, c.C = 0, 1e300 }},
		{"ClassWeight", "", func(c *settings.Settings) { c.ClassWeight = "7=2" }},
		{"ClassWeight", "", func(c *settings.Settings) { c.ClassWeight = "0=1e-50,1=1" }},
		{"ClassWeight", "", func(c *settings.Settings) { c.ClassWeight = "0=x" }},
		{"ClassWeight", "", func(c *settings.Settings) { c.ClassWeight = "0=0,1=0" }},
		{"ClassWeight", "", func(c *settings.Settings) { c.ClassWeight = "0=0,1=3" }},
	} {
		cfg := plain
		c.change(&cfg)
		_, err := rounds.New(cfg, c.method, sample.Statistics(t, data.Dense, data.Y), 1)
		var bad options.Rule
		if errors.As(err, &bad); bad.Field != c.field || err == nil {
			t.Errorf("%+v: %v, want an error of %q", cfg, err, c.field)
		}
	}
	s := sample.Statistics(t, data.Dense, data.Y)
	s.Sizes["none"] = scale.RowSizes{MaxSquare: 1.2e77, MeanSquare: 1}
	if _, err := rounds.New(plain, "", s, 1); err == nil {
		t.Error("rows too long for float32 are accepted")
	}
}

func TestShardRefused(t *testing.T) {
	data := sample.Random(62, 300, 5, 2, 1)
	s := sample.Statistics(t, data.Dense, data.Y)
	r, err := rounds.New(plain, rounds.Newton, s, 2)
	if err != nil {
		t.Fatal(err)
	}
	rows, y := data.Dense.Take([]uint32{0, 1}), []float32{data.Y[0], data.Y[1]}
	largest, longest := data.Dense.Take([]uint32{0, 1}), data.Dense.Take([]uint32{0, 1})
	for j, v := range s.MaxAbs {
		largest.Row(1)[j], longest.Row(1)[j] = 0, v
	}
	largest.Row(1)[2] = -s.MaxAbs[2]
	larger := largest.Take([]uint32{0, 1})
	larger.Row(1)[2] *= 1 + 0x1p-23
	many := data.Dense.Take(make([]uint32, 44))
	for name, c := range map[string]struct {
		x     store.Examples
		y     []float32
		first int
		want  string // part of the error; "" for no error
	}{
		"first shard":      {rows, y, 0, ""},
		"second shard":     {rows, y, 256, ""},
		"last rows":        {many, make([]float32, 44), 256, ""},
		"beyond the end":   {data.Dense.Take(make([]uint32, 45)), make([]float32, 45), 256, "45 rows"},
		"no rows":          {data.Dense.Take(nil), nil, 7, ""},
		"within a block":   {rows, y, 7, "multiple of 256"},
		"one row within":   {rows.Take([]uint32{0}), y[:1], 7, "multiple of 256"},
		"before the first": {rows, y, -256, "multiple of 256"},
		"beyond all":       {rows, y, 512, "300 rows"},
		"a label too few":  {rows, y[:1], 0, "1 label for 2 rows"},
		"another class":    {rows, []float32{0, 9}, 0, "row 1: the label 9"},
		"largest value":    {largest, y, 0, ""},
		"larger value":     {larger, y, 0, "row 1: the value"},
		"too long":         {longest, y, 0, "row 1: the squared length"},
		"another column":   {sample.Random(63, 2, 6, 2, 1).Dense, y, 0, "6 features, want 5"},
		"other type":       {sample.UserRows(rows), y, 0, "dense.Matrix"},
		"nil":              {nil, y, 0, "nil"},
	} {
		_, err := r.Shard(0, c.x, c.y, c.first)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestRoundRefused(t *testing.T) {
	data := sample.Random(62, 300, 5, 2, 1)
	r, err := rounds.New(plain, rounds.Dual, sample.Statistics(t, data.Dense, data.Y), 1)
	if err != nil {
		t.Fatal(err)
	}
	shard := shardsOf(t, r, data.Dense, data.Y, 1)[0]
	if shard.AlphaLength() != 600 {
		t.Errorf("AlphaLength returned %d, want 600", shard.AlphaLength())
	}
	sum, alpha, err := shard.Visit(t.Context(), r.Start(), nil, 1)
	if err != nil || len(alpha) != 600 {
		t.Fatal(len(alpha), err)
	}
	second, err := r.Next(r.Start(), sum)
	if err != nil || second.Round != 1 || second.Iterations != 1 ||
		second.Objective != second.Problems[0].Objective || second.Bound != second.Problems[0].Bound {
		t.Fatalf("%+v, %v", second, err)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	nan := slices.Clone(alpha)
	nan[0] = float32(math.NaN())
	for name, c := range map[string]struct {
		change func(*rounds.State)
		ctx    context.Context
		alpha  []float32
		want   string
	}{
		"none":      {func(s *rounds.State) {}, t.Context(), alpha, ""},
		"no duals":  {func(s *rounds.State) {}, t.Context(), nil, "0 dual variables, want 600"},
		"few duals": {func(s *rounds.State) {}, t.Context(), alpha[1:], "599 dual variables, want 600"},
		"NaN":       {func(s *rounds.State) {}, t.Context(), nan, "finite"},
		"canceled":  {func(s *rounds.State) {}, canceled, alpha, "canceled"},
		"kind":      {func(s *rounds.State) { s.Kind = rounds.Line }, t.Context(), alpha, `"line"`},
		"no kind":   {func(s *rounds.State) { s.Kind = "" }, t.Context(), alpha, `""`},
		"done":      {func(s *rounds.State) { s.Done = true }, t.Context(), alpha, "final"},
		"problems":  {func(s *rounds.State) { s.Problems = nil }, t.Context(), alpha, "0 problems"},
		"infinite": {func(s *rounds.State) { s.Problems[0].BestW[4] = math.Inf(-1) }, t.Context(),
			alpha, "-Inf"},
		"variables": {func(s *rounds.State) { s.Problems[0].DualW = nil }, t.Context(), alpha,
			"0 variables, want 5"},
	} {
		s, err := r.Next(r.Start(), sum)
		if err != nil {
			t.Fatal(err)
		}
		c.change(s)
		_, _, err = shard.Visit(c.ctx, s, c.alpha, 1)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestModel(t *testing.T) {
	data := sample.Random(62, 300, 5, 3, 1)
	cfg := plain
	cfg.Bias, cfg.BiasScale, cfg.ClassWeight = settings.BiasAugmented, 4, "0=2"
	s := sample.Statistics(t, data.Dense, data.Y)
	r, err := rounds.New(cfg, rounds.Newton, s, 1)
	if err != nil || r.Problems() != 3 || r.Vars() != 6 || r.Lambda != 0.1 ||
		r.Result(r.Start()).Weight != float64(300+s.Counts[0]) {
		t.Fatalf("%+v, %v", r, err)
	}
	state := r.Start()
	for k := range state.Problems {
		copy(state.Problems[k].BestW, []float64{1, 2, 3, 4, 5, 6})
	}
	m, err := r.Model(state)
	if err != nil || !slices.Equal(m.Weights[2], []float32{1, 2, 3, 4, 5}) || m.Bias[1] != 24 ||
		m.Config.Epochs != 1 || m.Result.PerClass != nil || !math.IsNaN(m.Result.Objective) {
		t.Errorf("Model returned %+v, error %v", m, err)
	}
	state = finalState(t, r, shardsOf(t, r, data.Dense, data.Y, 1))
	if m, err = r.Model(state); err != nil || state.Gap() > 0.01 ||
		m.Config.Epochs != state.Iterations || m.Result.Steps != int64(300*state.Iterations) ||
		m.Result.Epochs != float64(state.Iterations) || len(m.Result.PerClass) != 3 ||
		m.Result.PerClass[2].Objective != state.Problems[2].Objective ||
		m.Result.PerClass[2].DualObjective != state.Problems[2].Bound {
		t.Errorf("%+v of %+v, %v", m, state, err)
	}
	if state.Problems = state.Problems[:2]; r.Check(state) == nil {
		t.Error("Check accepts a state with a problem too few")
	}
	if _, err := r.Model(state); err == nil {
		t.Error("Model accepts a state with a problem too few")
	}
}

func TestVerificationRefused(t *testing.T) {
	data := sample.Random(64, 200, 4, 2, 1)
	s := sample.Statistics(t, data.Dense, data.Y)
	cfg := plain
	cfg.Scale, cfg.ClassWeight = scale.Standard, "0=3"
	r, err := rounds.New(cfg, rounds.Newton, s, 1)
	if err != nil {
		t.Fatal(err)
	}
	m := train(t, r, shardsOf(t, r, data.Dense, data.Y, 1))
	type model = rounds.Model
	type stats = scale.Statistics
	for name, c := range map[string]struct {
		change func(*model, *stats)
		want   string
	}{
		"none":    {func(*model, *stats) {}, ""},
		"columns": {func(_ *model, s *stats) { s.Cols = 5 }, "the model has 4"},
		"classes": {func(_ *model, s *stats) { s.Classes = []float32{0, 2} }, "classes"},
		"pairs":   {func(m *model, _ *stats) { m.Config.Multiclass = settings.OneVsOne }, ""},
		"loss":    {func(m *model, _ *stats) { m.Config.Loss = logLoss }, ""},
		"another loss": {func(m *model, _ *stats) { m.Config.Loss = loss.Squared.Name() },
			"Loss: have"},
		"weight":        {func(m *model, _ *stats) { m.Result.Weight *= 1 + 1e-8 }, "weights of the"},
		"weight nearly": {func(m *model, _ *stats) { m.Result.Weight *= 1 + 1e-10 }, ""},
		"no weights":    {func(m *model, _ *stats) { m.Config.ClassWeight = "" }, "weights of the"},
		"scaling":       {func(_ *model, s *stats) { s.Mean[1]++ }, "scaling differs"},
		"spread":        {withTargets(2, 0), "scaling differs"},
		"centre":        {withTargets(1, 5), "scaling differs"},
		"bias": {func(m *model, _ *stats) { m.Scale, m.Bias = nil, []float64{1} },
			"has a bias"},
		"no bias":  {func(m *model, _ *stats) { m.Scale, m.Bias = nil, nil }, ""},
		"no shift": {func(m *model, _ *stats) { m.Bias = nil }, "has a bias"},
	} {
		lie, s := *m, sample.Statistics(t, data.Dense, data.Y)
		c.change(&lie, s)
		r, err := rounds.NewVerification(&lie, s, 1, 7)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if err != nil {
			continue
		}
		if _, err := r.Model(r.Start()); err == nil || r.Config.Epochs != 7 {
			t.Errorf("%s: a verification makes a model, or has not 7 epochs: %+v", name, r.Config)
		}
	}
}

func withTargets(spread, centre float64) func(*rounds.Model, *scale.Statistics) {
	return func(m *rounds.Model, _ *scale.Statistics) {
		s := *m.Scale
		s.Spread, s.Centre = spread, centre
		m.Scale = &s
	}
}

func TestVerifyFolded(t *testing.T) {
	data := sample.Random(64, 200, 4, 2, 1)
	s := sample.Statistics(t, data.Dense, data.Y)
	cfg := plain
	cfg.Scale, cfg.Bias = scale.MaxAbs, settings.BiasAugmented
	r, err := rounds.New(cfg, rounds.Newton, s, 1)
	if err != nil {
		t.Fatal(err)
	}
	m := train(t, r, shardsOf(t, r, data.Dense, data.Y, 1))
	for folded, want := range map[bool]pegasos.Verdict{true: pegasos.Confirmed,
		false: pegasos.Contradicted} {
		scale := *m.Scale
		scale.Folded = folded
		other := *m
		other.Scale = &scale
		r, state, err := verify(t, &other, data.Dense, data.Y, s, 1)
		if err != nil {
			t.Fatal(err)
		}
		if v := compare(&other, r, state); v.Verdict != want {
			t.Errorf("folded %v: the verification is %+v", folded, v)
		}
	}
}

func TestVerify(t *testing.T) {
	seeds := uint64(150)
	if testing.Short() {
		seeds = 80
	}
	found, tampered := map[pegasos.Verdict]int{}, 0
	for seed := range seeds {
		p := newProblem(seed + 9e6)
		m := p.train(t)
		if m == nil {
			continue
		}
		s := sample.Statistics(t, p.x, p.y)
		r, last, err := verify(t, m, p.x, p.y, s, 1+p.shards%3)
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		v := compare(m, r, last)
		if v.Verdict == pegasos.Contradicted || !(v.Bound <= v.Objective) ||
			v.Verdict == pegasos.Confirmed && v.Bound < m.Result.DualObjective {
			t.Errorf("seed %d, %s: %+v\n%+v", seed, p.method, v, m.Config)
		}
		found[v.Verdict]++
		for change, apply := range tamperings {
			lie := tamper(m, apply)
			r, last, err := verify(t, lie, p.x, p.y, s, p.shards)
			if change == "weights" && err == nil &&
				math.Abs(last.Objective-m.Result.Objective) <= 1e-5*last.Objective {
				continue // the objective hardly depends on the weights
			}
			if err == nil && compare(lie, r, last).Verdict != pegasos.Contradicted {
				t.Errorf("seed %d, another %s: %+v, trained %+v", seed, change, last, m.Result)
			}
			tampered++
		}
	}
	t.Logf("%v, and %d tampered models", found, tampered)
	if found[pegasos.Confirmed] < 2*found[pegasos.NotConfirmed] || tampered < 120 {
		t.Error("too few models are confirmed or tampered with")
	}
}

var tamperings = map[string]func(m *rounds.Model, c *proof.ClassResult){
	"objective": func(_ *rounds.Model, c *proof.ClassResult) { c.Objective *= 0.999 },
	"bound": func(_ *rounds.Model, c *proof.ClassResult) {
		c.DualObjective = 1.01 * c.Objective
	},
	"weights": func(m *rounds.Model, _ *proof.ClassResult) {
		for j := range m.Weights[0] {
			m.Weights[0][j] *= -2
		}
	},
}

// tamper returns a changed copy of m, with the result's means recomputed from PerClass.
func tamper(m *rounds.Model, change func(*rounds.Model, *proof.ClassResult)) *rounds.Model {
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
