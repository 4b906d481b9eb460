package pegasos_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/train/certificate"
	"github.com/pegasimd/pegasimd/internal/train/checkpoint"
	"github.com/pegasimd/pegasimd/internal/train/engine"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/objective"
	"github.com/pegasimd/pegasimd/pegasos"
)

// conjugates are what a row earns in the dual by a coefficient, beside that times its label: minus
// the conjugates of the losses, written down anew.
var conjugates = map[pegasos.Loss]func(a, epsilon float64) float64{
	pegasos.Hinge:          func(a, _ float64) float64 { return a },
	pegasos.SquaredHinge:   func(a, _ float64) float64 { return a - a*a/4 },
	pegasos.Squared:        func(a, _ float64) float64 { return -a * a / 2 },
	pegasos.EpsInsensitive: func(a, epsilon float64) float64 { return -epsilon * math.Abs(a) },
	pegasos.Log:            func(a, _ float64) float64 { return entropy(a) + entropy(1-a) },
}

func entropy(p float64) float64 {
	if p <= 0 {
		return 0
	}
	return -p * math.Log(p)
}

// A descent is what tests see of one: a problem whose rows are dense.
type descent struct {
	*engine.Learner
	rows             *dense.Matrix
	cfg              pegasos.Config
	costs            [][]float64
	terms            *objective.Terms
	feature          float64   // the value of the appended feature
	alpha, due, calm []float32 // its arrays
}

func descentOf(t *testing.T, r *run, rows *dense.Matrix) *descent {
	t.Helper()
	d := &descent{Learner: r.Learners[0], rows: rows, cfg: r.task.Config, costs: r.task.Costs}
	if d.Dual == nil {
		t.Fatalf("%+v: no descent", d.cfg)
	}
	if d.Joint != nil {
		d.terms = d.Joint.Of.Terms
	} else {
		d.terms = d.Binary.Of.Terms
	}
	if d.feature = d.terms.BiasScale; d.terms.Free {
		d.feature = math.Sqrt(r.R2)
	}
	var arrays [][]float32
	d.Dual.Arrays(func(a []float32) { arrays = append(arrays, a) })
	d.alpha, d.due, d.calm = arrays[0], arrays[1], arrays[2]
	return d
}

// row returns row i with the appended feature.
func (d *descent) row(i int) []float64 { return append(float64s(d.rows.Row(i)), d.feature) }

// of returns the dual variables of row i, which are written to.
func (d *descent) of(i int) []float32 {
	k := len(d.alpha) / d.rows.Rows()
	return d.alpha[i*k:][:k]
}

// offset returns what there is beside the vector k in the score of row i.
func (d *descent) offset(i, k int) (z float64) {
	if d.terms.PriorScores != nil {
		z = d.terms.PriorScores[i*len(d.Vectors)+k]
	}
	if d.terms.Free {
		z += d.Biases[k]
	}
	return z
}

// coefficients returns what row i is multiplied by in each vector, and what it earns.
func (d *descent) coefficients(i int) (c []float64, gain float64) {
	a := d.of(i)
	if d.Joint == nil {
		side, target := d.Binary.Of.Label(uint32(i))
		c = []float64{float64(a[0]) * float64(side)}
		return c, conjugates[d.cfg.Loss](float64(a[0]), d.cfg.Epsilon) + float64(a[0])*target -
			c[0]*d.offset(i, 0)
	}
	y, own := int(d.terms.Class[i]), 1.0
	c = make([]float64, len(a))
	for r, p := range a {
		if r != y {
			c[r] = -float64(p)
			own -= float64(p)
		}
	}
	c[y] = 1 - own
	for r := range a {
		p := -c[r]
		if r == y {
			p = own
		}
		if gain -= c[r] * d.offset(i, r); d.cfg.Multiclass == pegasos.Multinomial {
			gain += entropy(p)
		} else {
			gain += p * worst(d.costs).cost(y, r)
		}
	}
	return c, gain
}

// dual returns the dual objective in float64, the vectors v, and the sum of what the rows earn.
func (d *descent) dual() (value float64, v [][]float64) {
	v = make([][]float64, len(d.Vectors))
	for k := range v {
		v[k] = make([]float64, d.rows.Cols()+1)
	}
	n, squares := float64(d.rows.Rows()), 0.0
	for i := range d.rows.Rows() {
		c, gain := d.coefficients(i)
		share := d.terms.Share(i)
		value += share * gain / n
		for k, a := range c {
			for j, z := range d.row(i) {
				v[k][j] += share * a * z
			}
		}
	}
	for _, v := range v {
		for _, z := range v {
			squares += z * z
		}
	}
	return value - squares/(2*d.terms.Lambda*n*n), v
}

// apart returns how far the loss of row i and what it earns are apart, in float64.
func (d *descent) apart(i int, v [][]float64) float64 {
	c, gain := d.coefficients(i)
	z, at := make([]float64, len(c)), 0.0
	for k := range z {
		for j, x := range d.row(i) {
			z[k] += v[k][j] * x / (d.terms.Lambda * float64(d.rows.Rows()))
		}
		at += c[k] * z[k]
		z[k] += d.offset(i, k)
	}
	switch {
	case d.cfg.Multiclass == pegasos.Multinomial:
		at += jointLosses[2].at(z, int(d.terms.Class[i]))
	case d.Joint != nil:
		at += worst(d.costs).at(z, int(d.terms.Class[i]))
	default:
		side, target := d.Binary.Of.Label(uint32(i))
		for _, l := range losses {
			if l.cfg.Loss == d.cfg.Loss && l.cfg.Epsilon == d.cfg.Epsilon {
				at += l.at(float64(side)*z[0] - target)
			}
		}
	}
	return at - gain
}

// others calls f with row i having other dual variables than those that it had before and has now.
func (d *descent) others(i int, before []float32, f func()) {
	a := d.of(i)
	kept := slices.Clone(a)
	defer copy(a, kept)
	for _, by := range []float32{1, -1, 0.1, -0.1, 1e-3, -1e-3} {
		switch {
		case d.Joint == nil:
			a[0] = d.Of.Clamp(kept[0] + by)
			f()
		case d.cfg.Multiclass == pegasos.Multinomial: // on the way that the step goes
			least := float32(0)
			for r := range a {
				a[r] = kept[r] + by*(kept[r]-before[r])
				least = min(least, a[r], 1-float32(certificate.Total(a)))
			}
			if least == 0 {
				f()
			}
		case by > 0: // on the way to the corners
			for at := range a {
				for r := range a {
					if a[r] = kept[r] * (1 - by); r == at && r != int(d.terms.Class[i]) {
						a[r] += by
					}
				}
				f()
			}
		}
	}
}

// step takes a step with row i and holds it to what it has to be. It reports what kind it was.
func (d *descent) step(t *testing.T, i int) (kind string) {
	was, calm := d.Dual.Save(), d.calm[i]
	awake := d.due[i] <= float32(was.Pass)
	before, v := d.dual()
	want, kept := d.apart(i, v), slices.Clone(d.alpha)
	d.TakeSteps([]uint32{uint32(i)})
	apart := (d.Dual.Save().Sum - was.Sum) / d.terms.Share(i)
	after, _ := d.dual()
	fail := func(what string, have ...any) {
		t.Helper()
		t.Fatalf("%+v, pass %d, row %d: %s: %v", d.cfg, was.Pass, i, what, have)
	}
	if !awake || apart < was.Apart/64 {
		if !slices.Equal(d.alpha, kept) || !awake && (apart != 0 || d.calm[i] != calm) {
			fail("not left alone", kept, d.alpha)
		}
	}
	if !awake {
		return "rests"
	}
	exact := d.cfg.Loss != pegasos.Log && d.cfg.Multiclass != pegasos.Multinomial
	if exact && math.Abs(apart-want) > 1e-4*(1+want) ||
		want > 1e-4 && (apart < want/2.1 || apart > 2.1*want) {
		fail("how far it is apart", apart, want)
	}
	if now := d.calm[i]; now > 0 && (apart > 0 || now != min(calm+1, 4) ||
		d.due[i] != float32(was.Pass+1)+calm) {
		fail("rests until", d.due[i], now)
	}
	if apart < was.Apart/64 {
		return "is left"
	}
	small := 1e-8 * (1 + math.Abs(before))
	if d.terms.Lambda < 0.01 { // whose sums are larger
		small *= 1e3
	}
	if after < before-small {
		fail("falls", before, after)
	}
	k, nearly := len(d.of(i)), 1.0
	switch {
	case d.cfg.Multiclass == pegasos.Multinomial:
		nearly = 1.01
	case d.cfg.Loss == pegasos.Log:
		nearly = 1.001
	}
	d.others(i, kept[i*k:][:k], func() {
		now, _ := d.dual()
		if most := float64(after-before) * nearly; now-before > most+small {
			fail("others are better", d.of(i), kept[i*k:][:k], before, now, after)
		}
	})
	return "steps"
}

// vectors fails unless the solver's vectors are what the dual variables make.
func (d *descent) vectors(t *testing.T) {
	t.Helper()
	value, v := d.dual()
	for k, v := range v {
		bias := d.Biases[k] * d.feature
		if d.terms.BiasScale != 0 {
			bias = d.Biases[k]
		}
		have := append(float64s(d.Vectors[k]), bias)
		if d.terms.Free {
			have[len(have)-1] = d.Dual.Save().Uneven * d.feature
		}
		for j, z := range v {
			if math.Abs(have[j]-z) > 1e-3*(1+math.Abs(z)) {
				t.Fatalf("%+v: v is %v, and the rows make %v", d.cfg, have, v)
			}
		}
	}
	if gain := d.Dual.Gain(); !d.terms.Free && math.Abs(gain-value) > 1e-4*(1+math.Abs(value)) {
		t.Fatalf("%+v: D is %v, in truth %v", d.cfg, gain, value)
	}
}

// descents are trainers of problems of each kind, with data for them: the losses by themselves,
// with
// weights, a prior, a bias without a penalty, and from a start.
func descents(t *testing.T, rows int, f func(tr pegasos.Trainer, data pair)) {
	t.Helper()
	cases := []pegasos.Trainer{
		{Costs: costsOf3, Config: pegasos.Config{Multiclass: pegasos.CrammerSinger}},
		{Config: pegasos.Config{Multiclass: pegasos.Multinomial}},
	}
	for _, l := range losses {
		cases = append(cases, pegasos.Trainer{Config: l.cfg})
	}
	for _, tr := range cases {
		data, other := random(72, rows, 5, 3, 1), random(73, rows, 5, 3, 1)
		if tr.Loss.Regression() {
			data, other = data.numbers(72), other.numbers(73)
		}
		clear(data.dense.Row(7)) // a row without values has a loss as well
		data.sparse = toSparse(data.dense)
		tr.Lambda = 0.02
		model := mustTrain(t, other.dense, other.y, tr.Config)
		weights := make([]float32, rows)
		for i := range weights {
			weights[i] = float32(1 + i%3)
		}
		tr.Finish = pegasos.FinishDual
		was := tr
		for _, change := range []func(){
			func() { tr.Bias, tr.BiasScale = pegasos.BiasAugmented, 1.5 }, func() { tr.Weights = weights },
			func() { tr.Prior = model }, func() { tr.Start = model },
			func() { tr.Bias = pegasos.BiasUnregularised },
		} {
			if change(); tr.Validate() == nil {
				f(tr, data)
			}
			tr = was
		}
	}
}

// pass takes a pass of 48 rows, counts the kinds of steps, and holds the result to what it has to
// be:
// the mean of the pass's iterates, or the last one, which it never is where the loss has a kink.
func (d *descent) pass(t *testing.T, pass int, kinds map[string]int) {
	w, b := d.Room()
	last := func() []float64 {
		d.Last(w, b)
		return append(float64s(w[0]), b[0])
	}
	of := string(d.cfg.Loss)
	if d.Joint != nil {
		of = string(d.cfg.Multiclass)
	}
	mean := make([]float64, 6)
	for i := range 48 {
		kinds[of+" "+d.step(t, i)]++
		if i%3 == 2 { // w is sampled
			for j, z := range last() {
				mean[j] += z / 16
			}
		}
	}
	d.vectors(t)
	if d.Average == nil {
		mean = last()
		if lossOf(d.cfg).Kind.Traits().Kinks {
			t.Fatalf("%+v: no mean", d.cfg)
		}
	}
	d.EndEpoch(pass + 1)
	d.Result(w, b)
	for j, z := range append(float64s(w[0]), b[0]) {
		if moved := j == 5 && d.terms.Free; !moved && math.Abs(z-mean[j]) > 1e-5*(1+math.Abs(z)) {
			t.Fatalf("%+v, pass %d: column %d is %v, want %v", d.cfg, pass, j, z, mean[j])
		}
	}
}

// Each step raises the dual objective to the most that it can be with the other rows as they are,
// rows that have nothing to gain rest, and P - D is known roughly.
func TestDescentSteps(t *testing.T) {
	kinds := make(map[string]int)
	descents(t, 48, func(tr pegasos.Trainer, data pair) {
		tr.Order, tr.Epochs = pegasos.Sequential, 10
		for _, tr.Lambda = range []float64{0.02, 1e-4} {
			if logs := tr.Loss == pegasos.Log || tr.Multiclass == pegasos.Multinomial; tr.Lambda == 1e-4 &&
				!logs {
				continue // no more than sums that are rougher
			}
			r, err := newRun(data.dense, data.y, &tr)
			if err != nil {
				t.Fatal(err)
			}
			d := descentOf(t, r, data.dense)
			d.vectors(t)
			for pass := range 10 {
				d.pass(t, pass, kinds)
				_, v := d.dual()
				apart := 0.0 // P - D
				for i := range 48 {
					apart += d.terms.Share(i) * d.apart(i, v) / 48
				}
				left := d.Dual.Left()
				if pass > 1 && !(left > apart/30 && left < 30*apart) {
					t.Errorf("%+v, pass %d: P - D is %v, not %v", tr.Config, pass, apart, left)
				}
			}
		}
	})
	for _, of := range []string{"hinge", "squared-hinge", "eps-insensitive", "crammer-singer"} {
		if kinds[of+" rests"] < 50 || kinds[of+" is left"] < 50 {
			t.Error(of, kinds)
		}
	}
}

// The gap closes, the bound holds, and the result is at least as good as that of Pegasos, whatever
// the data, the order and the settings.
func TestDescentCloses(t *testing.T) {
	close := func(tr pegasos.Trainer, data pair) {
		t.Helper()
		tr.Lambda, tr.Epochs, tr.Finish = 0.01, 200, pegasos.FinishNone
		p, err := trainPlain(t.Context(), &tr, data.sparse, data.y)
		if err != nil {
			t.Fatal(err)
		}
		tr.Finish = pegasos.FinishDual
		best := math.Inf(-1)
		tr.Progress = func(p pegasos.Progress) { best = math.Max(best, p.Measure().DualObjective) }
		m, err := trainPlain(t.Context(), &tr, data.sparse, data.y)
		if err != nil {
			t.Fatal(err)
		}
		if r := m.Result; !(r.Gap < 3e-3) || r.Objective > p.Result.Objective*(1+1e-6) ||
			best > p.Result.Objective || p.Result.DualObjective > r.Objective {
			t.Errorf("gap %v, bound %v: %+v: %+v, Pegasos alone %+v", r.Gap, best, tr.Config, r,
				p.Result)
		}
	}
	descents(t, 150, close)
	data := random(80, 200, 8, 3, 0.6)
	for _, cfg := range []pegasos.Config{{Multiclass: pegasos.OneVsOne}, {Order: pegasos.Permutation},
		{Order: pegasos.Sequential},
		{Order: pegasos.Blocks}, {Average: pegasos.LastIterate}, {ClassWeight: pegasos.Balanced}} {
		close(pegasos.Trainer{Config: cfg}, data)
	}
	// A model that has taken no steps, such as one of liblinear's, is a start like any other.
	start := mustTrain(t, data.dense, data.y, pegasos.Config{Lambda: 1e-4})
	start.Result.Steps, start.Result.PerClass = 0, nil
	close(pegasos.Trainer{Start: start}, data)
}

func TestDescentRefuses(t *testing.T) {
	for _, cfg := range []pegasos.Config{{Order: pegasos.IID}, {Batch: 2}, {Project: true},
		{Multiclass: pegasos.CrammerSinger, Batch: 2}, {Multiclass: pegasos.CrammerSinger,
			Bias: pegasos.BiasUnregularised},
		{Multiclass: pegasos.Multinomial, Bias: pegasos.BiasUnregularised}} {
		cfg.Finish = pegasos.FinishDual
		var e *pegasos.ConfigError
		if err := cfg.Validate(); !errors.As(err, &e) || e.Field != "Finish" {
			t.Errorf("%+v: %v", cfg, err)
		}
	}
	if (pegasos.Config{Finish: "other"}).Validate() == nil {
		t.Error("another finish: no error")
	}
}

// The same bits on every path, on rows of any type and for any number of threads: of each loss a
// hash of the models' hashes.
func TestGoldenDescent(t *testing.T) {
	want := map[string]string{
		"crammer-singer":      "637f48484a633a9444df66e1ea54d8c5312b9550befd58da602538bb228cc487",
		"multinomial":         "186db95ffe5bd561c917db439ec93a1e2aeb78d097b811fec8a7c3a982e97c19",
		"hinge":               "5cae95c9a629ea6b13ff079870fdb702af491e129030514cd8b22f1c7ee85ad2",
		"squared-hinge":       "15362fe0a3c0f1793b5f3af157092aa2ece5ca85156dea7c1730b946357f8734",
		"log":                 "bd95b4934c1d7fbc5d2709a17df8ea39eee7ba991ed39e7cc48e68062fb19a6b",
		"eps-insensitive":     "185c29bb0dff6eae716b2aa91ba7d0286872a490dea1238b09220e230fe47b0a",
		"eps-insensitive0.25": "380891ea5adce474507feb5b4d5ddbca088c0035b4f8e71f926d370f4b440080",
		"squared":             "e0c8cff34e38481df1e2ac499121f6d04a1f765afdc0eb9a0b7f09baa2148c7c",
	}
	for _, isa := range paths() {
		for threads := 1; threads <= 3; threads++ {
			defer asm.Use(asm.Use(isa))
			hashes := make(map[string]hash.Hash)
			descents(t, 200, func(tr pegasos.Trainer, data pair) {
				of := string(tr.Loss) + string(tr.Multiclass)
				if tr.Epsilon != 0 {
					of += fmt.Sprint(tr.Epsilon)
				}
				if hashes[of] == nil {
					hashes[of] = sha256.New()
				}
				tr.Threads, tr.Epochs, tr.Tol = threads, 30, 1e-3
				pairs := tr
				pairs.Multiclass = pegasos.OneVsOne
				all := []pegasos.Trainer{tr, pairs}
				if tr.Loss.Regression() || tr.Prior != nil || tr.Start != nil ||
					tr.Multiclass.Joint() {
					all = all[:1]
				}
				for _, tr := range all {
					var x pegasos.Examples = data.sparse
					if threads == 3 {
						x = foreign{x}
					}
					m, err := trainPlain(t.Context(), &tr, x, data.y)
					if err != nil {
						t.Fatal(err)
					}
					io.WriteString(hashes[of], m.Hash())
				}
			})
			for of, want := range want {
				if have := hex.EncodeToString(hashes[of].Sum(nil)); have != want {
					t.Errorf("%s on %s, %d threads: %s, want %s", of, isa, threads, have, want)
				}
			}
		}
	}
}

// A state with numbers that a run can't have is refused or harmless: there is no panic, no endless
// run, and no model that is not one.
func TestDescentHostile(t *testing.T) {
	odd := []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1e300, 1e300, -1, 0}
	descents(t, 23, func(tr pegasos.Trainer, data pair) {
		tr.Epochs = 4
		resume := func(change func(*checkpoint.State)) error {
			t.Helper()
			first := tr
			first.KeepState, first.Pause = true, 50
			m, err := trainPlain(t.Context(), &first, data.dense, data.y)
			if !errors.Is(err, pegasos.ErrPaused) {
				t.Fatal(err)
			}
			change(pegasos.CheckpointOf(m.State))
			next := tr
			next.Start, next.Resume = nil, m
			m, err = trainPlain(t.Context(), &next, data.dense, data.y)
			if err != nil {
				return err
			}
			if err := m.Validate(); err != nil || m.Result.DualObjective > m.Result.Objective {
				t.Errorf("%+v: %v, %+v", tr.Config, err, m.Result)
			}
			return nil
		}
		for _, tr.Tol = range []float64{0, 1e-3} {
			for _, pass := range []int{-1, 3, math.MaxInt, 0, 1, 2} {
				var e *pegasos.ConfigError
				err := resume(func(s *checkpoint.State) { s.Learners[0].Dual.Pass = pass })
				if bad := pass < 0 || pass > 2; errors.As(err, &e) != bad || err != nil && !bad {
					t.Errorf("%+v, pass %d: %v", tr.Config, pass, err)
				}
			}
			for _, z := range odd {
				for _, f := range []func(p *iterate.Progress) *float64{
					func(p *iterate.Progress) *float64 { return &p.Sum },
					func(p *iterate.Progress) *float64 { return &p.Apart },
					func(p *iterate.Progress) *float64 { return &p.Before },
					func(p *iterate.Progress) *float64 { return &p.Uneven },
				} {
					resume(func(s *checkpoint.State) { *f(s.Learners[0].Dual) = z })
				}
				resume(func(s *checkpoint.State) { s.Learners[0].Biases[0] = z })
				for n := range 12 {
					resume(func(s *checkpoint.State) {
						for i := range s.Arrays[n%len(s.Arrays)] {
							s.Arrays[n%len(s.Arrays)][i] = float32(z)
						}
					})
				}
			}
		}
	})
}

// costsOf3 are costs of mistakes among three classes.
var costsOf3 = [][]float64{{0, 1, 2}, {0.5, 0, 3}, {2, 1, 0}}
