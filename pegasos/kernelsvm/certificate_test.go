package kernelsvm

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/model/labels"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/pegasos"
)

var (
	certifyFor  = flag.Duration("certify", 0, "least time for which TestCertificates tries problems")
	certifyFrom = flag.Uint64("certify-from", 0,
		"first seed of TestCertificates; with -certify, 0 means the current time")
)

type smallProblem struct {
	x   *dense.Matrix
	y   []float32
	cfg Config
	// type of the rows in training: dense, sparse or custom
	form string
}

func pick[T any](g *rand.Rand, from ...T) T { return from[g.IntN(len(from))] }

func newSmallProblem(seed uint64) smallProblem {
	g := rand.New(rand.NewPCG(seed, 27))
	classes := pick(g, 2, 2, 2, 3, 4)
	n, cols := classes*2+g.IntN(20), 1+g.IntN(6)
	p := smallProblem{x: dense.New(n, cols), y: make([]float32, n), form: pick(g, "dense", "sparse",
		"custom")}
	scale := math.Pow(10, float64(g.IntN(13)-6))
	shift := pick(g, 0, 0, 1, 100, 1e3, 1e4, 1e5) * g.Float64()
	if g.IntN(6) == 0 {
		scale, shift = 1, 0 // makes all values 0 or 1
	}
	bits := scale == 1 && shift == 0
	for i := range n {
		p.y[i] = float32(i % classes)
		for j := range p.x.Row(i) {
			v := g.NormFloat64() + 0.7*float64(p.y[i])
			if bits {
				v = math.Round(g.Float64())
			} else if g.IntN(3) == 0 {
				v = 0
			}
			p.x.Row(i)[j] = float32(scale * (v + shift))
		}
	}
	p.cfg = p.config(g, scale*scale*float64(cols))
	return p
}

// square is about the mean squared norm of the rows before they are shifted.
func (p *smallProblem) config(g *rand.Rand, square float64) Config {
	cfg := Config{
		Kernel: pick(g, RBF, RBF, RBF, Linear, Polynomial, Sigmoid), Seed: g.Uint64(),
		Order:      pick(g, pegasos.Permutation, pegasos.Sequential, pegasos.IID),
		Offset:     pick(g, pegasos.OffsetR2, pegasos.OffsetNone),
		Average:    pick(g, pegasos.LastHalf, pegasos.LastIterate),
		Multiclass: pick(g, pegasos.OneVsOne, pegasos.OneVsRest),
		Epochs:     pick(g, 0, 1, 2, 3, 7),
	}
	if g.IntN(4) > 0 && cfg.hasGamma() {
		cfg.Gamma = math.Pow(10, 4*g.Float64()-2) / square
	}
	if cfg.scalesProducts() && g.IntN(2) == 0 {
		cfg.Coef0 = 2 * g.Float64()
		if cfg.Kernel == Sigmoid {
			cfg.Coef0 -= 1
		}
	}
	if cfg.Kernel == Polynomial {
		cfg.Degree = 1 + g.IntN(4)
	}
	size := 1.0
	if cfg.Kernel == Linear {
		size = square
	}
	if g.IntN(2) == 0 {
		cfg.C = math.Pow(10, 6*g.Float64()-3) / size
	} else {
		cfg.Lambda = max(1e-12, math.Pow(10, 6*g.Float64()-6)*size)
	}
	if g.IntN(4) > 0 && cfg.Order != pegasos.IID && cfg.Kernel != Sigmoid {
		cfg.Tol = pick(g, 0, 0.3, 1e-3, 1e-6)
		cfg.Passes = pick(g, 0, 1, 3, 1000)
	} else {
		cfg.Finish = pegasos.FinishNone
	}
	return cfg
}

func (p *smallProblem) examples() pegasos.Examples {
	switch p.form {
	case "sparse":
		return sample.ToSparse(p.x)
	case "custom":
		return sample.UserRows(p.x)
	}
	return p.x
}

type problem64 struct {
	sign   []float64
	kernel [][]float64
	lambda float64
}

// off bounds the rounding error of objective.
func (w *problem64) objective(coef []float64) (objective, off float64) {
	n := float64(len(w.sign))
	var square float64
	for i, row := range w.kernel {
		var score, size float64
		for j, k := range row {
			score += coef[j] * k
			size += math.Abs(coef[j] * k)
		}
		square += coef[i] * score
		objective += max(0, 1-w.sign[i]*score) / n
		off += 1e-14 * size * (1/n + w.lambda*math.Abs(coef[i]))
	}
	return objective + w.lambda/2*max(0, square), off
}

// optimum returns an upper bound on the optimum: the least objective that dual coordinate ascent
// finds, plus a bound on its rounding error, but at most 1, the objective of w = 0.
func (w *problem64) optimum() float64 {
	n := len(w.sign)
	scale := w.lambda * float64(n)
	alpha, coef, score := make([]float64, n), make([]float64, n), make([]float64, n)
	best := 1.0
	for pass := range 3000 {
		most := 0.0
		for i, row := range w.kernel {
			if row[i] <= 0 {
				continue
			}
			to := min(max(alpha[i]+(1-w.sign[i]*score[i])*scale/row[i], 0), 1)
			step := to - alpha[i]
			most = max(most, math.Abs(step)*row[i]/scale)
			alpha[i] = to
			for j, k := range row {
				score[j] += step * w.sign[i] * k / scale
			}
		}
		if pass%20 == 19 || most < 1e-11 {
			for i, a := range alpha {
				coef[i] = a * w.sign[i] / scale
			}
			objective, off := w.objective(coef)
			best = min(best, objective+off)
		}
		if most < 1e-11 {
			break
		}
	}
	return best
}

func (p *smallProblem) problem(m *Model, k int) (w problem64, coef []float64) {
	n := len(m.Classes)
	first, second := -1, k
	if m.Config.pairs(n) {
		first, second = labels.Pair(k, n)
	}
	rows, support := p.rowsOf(first, second), m.SupportRows().(interface {
		Rows() int
		Axpy(i int, a float32, w []float32)
	})
	w.lambda = m.Lambda
	if n > 2 && first >= 0 && m.Config.C != 0 {
		w.lambda = 1 / (m.Config.C * float64(len(rows)))
	}
	// The first of equal rows with equal labels gets the sum of their coefficients.
	byRow := make(map[string]float64)
	all := m.Coefficients(k)
	class := 0
	for i, left := 0, m.counts[0]; i < support.Rows(); i, left = i+1, left-1 {
		for left == 0 {
			class++
			left = m.counts[class]
		}
		row := make([]float32, p.x.Cols())
		support.Axpy(i, 1, row)
		byRow[fmt.Sprint(class, row)] += float64(all[i])
	}
	for _, i := range rows {
		key := fmt.Sprint(int(p.y[i]), p.x.Row(i))
		coef = append(coef, byRow[key])
		delete(byRow, key)
		w.sign = append(w.sign, -1)
		if int(p.y[i]) == second {
			w.sign[len(w.sign)-1] = 1
		}
		var kernel []float64
		for _, j := range rows {
			kernel = append(kernel, kernel64(m.Config, p.x.Row(i), p.x.Row(j)))
		}
		w.kernel = append(w.kernel, kernel)
	}
	return w, coef
}

func (p *smallProblem) rowsOf(first, second int) (rows []int) {
	for i, v := range p.y {
		if first < 0 || int(v) == first || int(v) == second {
			rows = append(rows, i)
		}
	}
	return rows
}

// useful counts bounds that prove a gap of at most 100 %. ok is false if training fails.
func checkCertificate(t *testing.T, seed uint64) (bounds, useful int, ok bool) {
	t.Helper()
	p := newSmallProblem(seed)
	m, err := Train(context.Background(), p.examples(), p.y, p.cfg)
	if err != nil {
		return 0, 0, false
	}
	for k, r := range m.Result.PerProblem {
		w, coef := p.problem(m, k)
		truth, off := w.objective(coef)
		fail := func(what string) {
			t.Errorf("seed %d, problem %d, %s %+v: %s: objective %v, exact %v +- %v, bound %v",
				seed, k, p.form, m.Config, what, r.Objective, truth, off, r.DualObjective)
		}
		if truth-off > 1+1e-9 {
			fail("worse than w = 0")
		}
		if p.cfg.Kernel == Sigmoid || p.cfg.Order == pegasos.IID {
			if !math.IsNaN(r.DualObjective) {
				fail("a bound, but none can be proven")
			}
			continue
		}
		bounds++
		if r.Objective <= 2*r.DualObjective {
			useful++
		}
		best := w.optimum()
		slack := 1e-12 * best
		switch {
		case !(r.DualObjective <= r.Objective):
			fail("the bound is above the objective")
		case r.DualObjective > best+slack:
			fail(fmt.Sprintf("the bound is above the optimum %v", best))
		// A bound of 0 proves no gap, since bounds below 0 are reported as 0.
		case r.DualObjective > 0 && truth-off-best > r.Objective-r.DualObjective+slack:
			fail(fmt.Sprintf("further above the optimum %v than the certificate says", best))
		case math.Abs(truth-r.Objective) > off+1e-3*r.Objective+(r.Objective-r.DualObjective):
			fail("the objective is wrong")
		}
	}
	return bounds, useful, true
}

func TestCertificates(t *testing.T) {
	n := 3000
	if testing.Short() {
		n = 300
	}
	start, from := time.Now(), *certifyFrom
	if from == 0 && *certifyFor > 0 {
		from = uint64(start.UnixNano())
	}
	tried, models, bounds, useful := 0, 0, 0, 0
	for ; tried < n || time.Since(start) < *certifyFor; tried++ {
		b, u, ok := checkCertificate(t, from+uint64(tried))
		if bounds, useful = bounds+b, useful+u; ok {
			models++
		}
	}
	t.Logf("%d runs: %d models, %d bounds, %d of them with a gap of at most 100 %%; seeds from %d", tried,
		models, bounds, useful, from)
	if models < tried*9/10 || useful < bounds/5 {
		t.Error("too few models or useful bounds")
	}
}

func FuzzCertificate(f *testing.F) {
	f.Add(uint64(0))
	f.Fuzz(func(t *testing.T, seed uint64) { checkCertificate(t, seed) })
}
