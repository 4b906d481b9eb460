package pegasos_test

import (
	"math"
	"testing"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/pegasos"
)

type theoremSet struct {
	name   string
	x      pegasos.Examples
	y      []float32
	lambda float64
	steps  int64
}

// The values are from 0 to 1, and the labels 1 if the digit is odd, else 0.
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
// with c = 4R^2, or (sqrt(lambda)+R)^2 with projection, where R is the length of the longest row.
// After each epoch, a run must also satisfy the inequality at the end of the proof of Lemma 1,
// where g_t are the sub-gradients:
//
//	sum f(w_t;A_t) <= sum f(w*;A_t) + sum |g_t|^2/(2 lambda t) - lambda T/2 |w_{T+1} - w*|^2
//
// Also, |w_t| <= R/lambda, and with projection |w_t| <= 1/sqrt(lambda). fig1 computes w_t in
// float64, each epoch from the trainer's w.
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
			worst, same, met := theoremRun{}, 0, 0
			for seed := range uint64(20) {
				r := runTheorem(t, set, x, y, best, project, seed)
				worst.theorem = math.Max(worst.theorem, r.theorem)
				worst.lemma = math.Max(worst.lemma, r.lemma)
				worst.norm = math.Max(worst.norm, r.norm)
				worst.average += r.average / 20
				same, met = same+r.same, met+r.met
			}
			if same < met*2/3 {
				t.Errorf("%s: w agrees with Fig. 1 after only %d of %d epochs", set.name, same, met)
			}
			t.Logf("%s, lambda %v, %d steps, projection %v: optimum %.6f to %.6f, mean of "+
				"f(w_t;A_t) %.4f; at most %.1e of Theorem 1's slack, %.3f of Lemma 1's, %.3f of "+
				"the norm",
				set.name, set.lambda, set.steps, project, low, high, worst.average, worst.theorem,
				worst.lemma, worst.norm)
		}
	}
}

type theoremRun struct {
	theorem, lemma, norm float64 // largest fraction of each limit that the run reached
	average              float64 // mean of f(w_t;A_t)
	same, met            int     // epochs after which w agreed with Fig. 1, and all epochs
}

func runTheorem(t *testing.T, set theoremSet, x wide, y, best []float64, project bool,
	seed uint64) (worst theoremRun) {
	t.Helper()
	cfg := pegasos.Paper()
	cfg.Epochs, cfg.Steps = 0, set.steps
	cfg.Lambda, cfg.Seed, cfg.Project = set.lambda, seed, project
	lambda, long := set.lambda, x.longest()
	c, radius := 4*long*long, long/lambda
	if project {
		c, radius = math.Pow(math.Sqrt(lambda)+long, 2), math.Min(radius, 1/math.Sqrt(lambda))
	}
	f := newFig1(set.x, set.y, cfg)
	var ours, optimum, steps float64
	square0 := square(best)
	step := func() {
		norm, s := f.norm, f.step()
		if norm > radius*radius*(1+1e-4) {
			t.Fatalf("%s seed %d: |w_%d| = %v, at most %v is possible", set.name, seed, f.t,
				math.Sqrt(norm), radius)
		}
		worst.norm = math.Max(worst.norm, math.Sqrt(norm)/radius)
		ours += lambda/2*norm + math.Max(0, 1-s.margin)
		optimum += lambda/2*square0 + math.Max(0, 1-y[s.row]*x.dot(s.row, best))
		steps += s.gradient / (2 * lambda * float64(f.t))
		if f.t >= 3 {
			slack := c * (1 + math.Log(float64(f.t))) / (2 * lambda)
			if ours-optimum > slack {
				t.Fatalf("%s seed %d: regret %v after step %d, Theorem 1 allows %v", set.name, seed,
					ours-optimum, f.t, slack)
			}
			worst.theorem = math.Max(worst.theorem, (ours-optimum)/slack)
		}
	}
	tr := pegasos.Trainer{Config: cfg, Threads: 1, Progress: func(p pegasos.Progress) {
		for f.t < p.Steps {
			step()
		}
		if worst.met++; f.meet(t, p, p.Model()) {
			worst.same++
		}
		way := 0.0
		for j, v := range f.u {
			way += (v - best[j]) * (v - best[j])
		}
		if slack := steps - lambda*float64(f.t)/2*way; ours-optimum > slack+1e-6*ours {
			t.Errorf("%s seed %d: regret %v after step %d, Lemma 1 allows %v", set.name, seed,
				ours-optimum, f.t, slack)
		}
		worst.lemma = math.Max(worst.lemma, (ours-optimum+lambda*float64(f.t)/2*way)/steps)
	}}
	if _, err := tr.Train(t.Context(), set.x, set.y); err != nil || f.t != set.steps {
		t.Fatalf("%s seed %d: %v after %d steps", set.name, seed, err, f.t)
	}
	worst.average = ours / float64(set.steps)
	return worst
}
