package pegasos_test

import (
	"math"
	"testing"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/pegasos"
)

// theoremSet is a set of real data with two classes, and the settings for it.
type theoremSet struct {
	name   string
	x      pegasos.Examples
	y      []float32
	lambda float64
	steps  int64
}

// digits returns the embedded digits with values from 0 to 1, odd against even ones.
func digits(t testing.TB) (*dense.Matrix, []float32) {
	t.Helper()
	s := dataset.Digits()
	x, y := dense.New(s.Rows(), s.Cols()), make([]float32, s.Rows())
	for i := range y {
		for j, v := range s.Dense.Row(i) {
			x.Row(i)[j] = v / 16
		}
		y[i] = float32(int(s.Y[i]) % 2)
	}
	return x, y
}

func theoremSets(t testing.TB) []theoremSet {
	x, y := digits(t)
	if testing.Short() {
		return []theoremSet{{"digits", x, y, 0.01, 3_000}}
	}
	sets := []theoremSet{{"digits", x, y, 0.01, 20_000}, {"digits", x, y, 1e-4, 20_000}}
	if dir := dataDir(t); dir != "" {
		x, y := readSet(t, dir, "a9a/a9a.svm.gz", 123)
		sets = append(sets, theoremSet{"a9a", x, y, 1e-3, 40_000})
		x, y = readSet(t, dir, "imdb/imdb.tfidf.train.svm.gz", 28082)
		sets = append(sets, theoremSet{"IMDB", x, y, 1e-4, 40_000})
	}
	return sets
}

// Theorem 1 of the paper, for the trainer in the paper's form, k = 1: at every T >= 3 of every run
//
//	sum f(w_t;A_t) <= sum f(w*;A_t) + c (1 + ln T)/(2 lambda)
//
// with c = 4R^2, or (sqrt(lambda)+R)^2 with projection. The theorem is far from tight, so that each
// run must also satisfy the inequality at the end of the proof of Lemma 1. It has the lengths of
// the actual sub-gradients g_t and the distance from w* in place of bounds on them:
//
//	sum f(w_t;A_t) <= sum f(w*;A_t) + sum |g_t|^2/(2 lambda t) - lambda T/2 |w_{T+1} - w*|^2
//
// At small lambda this is nearly an equation. Also, |w_t| <= R/lambda, and <= 1/sqrt(lambda) with
// projection, and w_{T+1} is the sum of Eq. (13) over the steps with a violation.
func TestTheorem(t *testing.T) {
	for _, set := range theoremSets(t) {
		x := widen(set.x, 0)
		y := signs(set.y, 1)
		best, low, high := dualAscent(t, x, y, set.lambda, wideLoss{}, 1e-4)
		if r := 1 / math.Sqrt(set.lambda); math.Sqrt(square(best)) > r*1.001 {
			t.Errorf("%s: |w*| = %v is outside of the ball of radius %v", set.name,
				math.Sqrt(square(best)), r)
		}
		for _, project := range []bool{false, true} {
			worst := theoremRun{}
			for seed := range uint64(20) {
				r := runTheorem(t, set, x, y, best, project, seed)
				worst.theorem = math.Max(worst.theorem, r.theorem)
				worst.lemma = math.Max(worst.lemma, r.lemma)
				worst.norm = math.Max(worst.norm, r.norm)
				worst.average += r.average / 20
			}
			t.Logf("%s, lambda %v, %d steps, projection %v: optimum %.6f to %.6f, mean of "+
				"f(w_t;A_t) %.4f; at most %.1e of Theorem 1's slack, %.3f of Lemma 1's, %.3f of "+
				"the norm",
				set.name, set.lambda, set.steps, project, low, high, worst.average, worst.theorem,
				worst.lemma, worst.norm)
		}
	}
}

// theoremRun holds how near a run came to the limits, as shares of these, and its mean of
// f(w_t;A_t).
type theoremRun struct{ theorem, lemma, norm, average float64 }

// runTheorem takes the steps of the trainer one at a time and checks w_t before each.
func runTheorem(t *testing.T, set theoremSet, x wide, y, best []float64, project bool,
	seed uint64) (worst theoremRun) {
	t.Helper()
	cfg := pegasos.Paper()
	cfg.Epochs, cfg.Steps = 0, set.steps
	cfg.Lambda, cfg.Seed, cfg.Project = set.lambda, seed, project
	run := mustRun(t, set.x, set.y, cfg)
	p, lambda, long := run.problems[0], set.lambda, x.longest()
	c, radius := 4*long*long, long/lambda
	if project {
		c, radius = math.Pow(math.Sqrt(lambda)+long, 2), math.Min(radius, 1/math.Sqrt(lambda))
	}
	norm := 0.0 // |w_t|^2, carried along in float64 and found anew now and then
	counts, have := make([]float64, len(y)), make([]float32, len(best))
	var ours, optimum, steps float64
	square0 := square(best)
	for T := int64(1); T <= set.steps; T++ {
		i := int(run.Order.Next(1)[0])
		scale := p.Divisor()
		z := 0.0
		if T > 1 {
			z = float64(set.x.Dot(i, p.V)) / scale
		}
		if norm > radius*radius*(1+1e-4) {
			t.Fatalf("%s seed %d: |w_%d| = %v, at most %v is possible", set.name, seed, T,
				math.Sqrt(norm), radius)
		}
		worst.norm = math.Max(worst.norm, math.Sqrt(norm)/radius)
		ours += lambda/2*norm + math.Max(0, 1-y[i]*z)
		optimum += lambda/2*square0 + math.Max(0, 1-y[i]*x.dot(i, best))
		before := p.Violations
		p.TakeSteps([]uint32{uint32(i)})
		if p.Err != nil {
			t.Fatal(p.Err)
		}
		if run.Order.AtEnd() {
			run.Epoch++
			p.EndEpoch(run.Epoch)
		}
		violated := p.Violations > before
		if violated != (y[i]*z < 1) && math.Abs(y[i]*z-1) > 1e-5 {
			t.Fatalf("%s seed %d step %d: violated = %v with the margin %v", set.name, seed, T,
				violated, y[i]*z)
		}
		// The sub-gradient lambda w - y x of a violation, lambda w otherwise; and the new norm
		// before projection.
		eta, shrink := 1/(lambda*float64(T)), 1-1/float64(T)
		gradient := lambda * lambda * norm
		norm *= shrink * shrink
		if violated {
			gradient += x.square[i] - 2*lambda*y[i]*z
			norm += eta*eta*x.square[i] + 2*eta*shrink*y[i]*z
			counts[i]++
		}
		if project {
			norm = math.Min(norm, 1/lambda)
		}
		steps += eta / 2 * gradient
		if T%1000 == 0 || T == set.steps {
			exact, way := 0.0, 0.0
			for j, v := range p.V {
				w := float64(v) / p.Divisor()
				exact += w * w
				way += (w - best[j]) * (w - best[j])
			}
			if math.Abs(norm-exact) > 1e-4*exact {
				t.Fatalf("%s seed %d: |w|^2 is %v after step %d, %v by the paper's steps", set.name,
					seed, exact, T, norm)
			}
			norm = exact
			if slack := steps - lambda*float64(T)/2*way; ours-optimum > slack+1e-6*ours {
				t.Errorf("%s seed %d: regret %v after step %d, Lemma 1's sum is %v", set.name, seed,
					ours-optimum, T, slack)
			}
			worst.lemma = math.Max(worst.lemma, (ours-optimum+lambda*float64(T)/2*way)/steps)
		}
		// Train gives the same w as these single steps.
		if seed == 0 && (T == 1 || T == 3 || T == 100 || T == set.steps) {
			cfg.Steps = T
			p.weights(have)
			if m := mustTrain(t, set.x, set.y, cfg); distance(m.Weights[0], have) != 0 {
				t.Errorf("%s: Train has another w after %d steps", set.name, T)
			}
		}
		if T >= 3 {
			slack := c * (1 + math.Log(float64(T))) / (2 * lambda)
			if ours-optimum > slack {
				t.Fatalf("%s seed %d: regret %v after step %d, Theorem 1 has %v", set.name, seed,
					ours-optimum, T, slack)
			}
			worst.theorem = math.Max(worst.theorem, (ours-optimum)/slack)
		}
	}
	worst.average = ours / float64(set.steps)
	p.weights(have)
	if !project {
		want := make([]float64, len(best)) // Eq. (13)
		for i, n := range counts {
			x.axpy(i, n*y[i]/(lambda*float64(set.steps)), want)
		}
		far := 0.0
		for j, v := range have {
			far += math.Pow(float64(v)-want[j], 2)
		}
		if far > 1e-10*square(want) {
			t.Errorf("%s seed %d: w is %v of its length away from Eq. (13)'s", set.name, seed,
				math.Sqrt(far/square(want)))
		}
	}
	return worst
}
