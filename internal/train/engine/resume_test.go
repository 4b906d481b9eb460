package engine_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/order"
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/internal/train/checkpoint"
	"github.com/pegasimd/pegasimd/internal/train/engine"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

func resumed(t *testing.T, job engine.Job, pauses ...int64) string {
	t.Helper()
	job.KeepState = true
	before := int64(0)
	if job.Start != nil {
		before = job.Start.Result.PerClass[0].Steps
	}
	for _, job.Pause = range append(pauses, 0) {
		s := newSession(t, job)
		pause := job.Pause
		m, stopped, err := s.Train(t.Context())
		if err != nil || stopped && pause == 0 {
			t.Fatalf("pause %d: %v, stopped: %v", pause, err, stopped)
		}
		if !stopped { // a paused run may end before the pause
			return digest(m)
		}
		if m.Result.Steps-before > pause {
			t.Fatalf("paused after %d steps, want at most %d", m.Result.Steps-before, pause)
		}
		job = resumeFrom(t, job, s.Checkpoint())
	}
	panic("unreachable")
}

func resumeJobs(t *testing.T) map[string]engine.Job {
	data := sample.Random(31, 23, 4, 3, 1)
	weights := rowWeights(23)
	start := train(t, newJob(t, data.Dense, data.Y, settings.Settings{Lambda: 0.02, Epochs: 2}))
	jobs := map[string]engine.Job{}
	add := func(name string, s settings.Settings, change func(*engine.Job)) {
		s.Lambda, s.Epochs = 0.01, max(5, s.Epochs)
		job := newJob(t, data.Dense, data.Y, s)
		if change != nil {
			change(&job)
		}
		jobs[name] = job
	}
	add("start", settings.Settings{}, func(job *engine.Job) { job.Start = start })
	add("prior", settings.Settings{}, func(job *engine.Job) { job.Prior = start })
	add("patience", settings.Settings{Patience: 2, Epochs: 12, Bias: settings.BiasAugmented},
		func(job *engine.Job) { job.Quality = accuracyOn(sample.Random(32, 40, 4, 3, 1)) })
	add("costs", settings.Settings{Multiclass: settings.CrammerSinger}, func(job *engine.Job) {
		job.Costs = [][]float64{{0, 1, 2}, {1, 0, 3}, {2, 1, 0}}
	})
	add("tol", settings.Settings{Tol: 0.3, Epochs: 12}, nil)
	add("last", settings.Settings{Average: settings.LastIterate}, nil)
	add("project", settings.Settings{Project: true, Bias: settings.BiasAugmented,
		Offset: settings.OffsetNone}, nil)
	add("free bias", settings.Settings{Bias: settings.BiasUnregularised}, nil)
	for _, batch := range []int{0, 4} {
		for _, kind := range []string{order.IID, order.Sequential, order.Blocks} {
			add(fmt.Sprint(kind, batch), settings.Settings{Order: kind, Batch: batch}, nil)
		}
	}
	for _, finish := range []string{settings.FinishNone, settings.FinishDual, settings.FinishAuto} {
		for _, m := range []string{settings.OneVsOne, settings.CrammerSinger} {
			add(finish+" "+m, settings.Settings{Finish: finish, Multiclass: m,
				Bias: settings.BiasAugmented}, nil)
		}
		add(finish+" multinomial", settings.Settings{Finish: finish, Loss: "log",
			Multiclass: settings.Multinomial}, nil)
		add(finish+" prior", settings.Settings{Finish: finish, Loss: "log"},
			func(job *engine.Job) { job.Prior = start })
		add(finish+" start", settings.Settings{Finish: finish, Bias: settings.BiasUnregularised},
			func(job *engine.Job) { job.Start = start })
	}
	add("newton", settings.Settings{Finish: settings.FinishNewton, Tol: 1e-7}, nil)
	add("newton pairs", settings.Settings{Finish: settings.FinishNewton, Tol: 1e-7,
		Multiclass: settings.OneVsOne, Bias: settings.BiasUnregularised}, nil)
	for _, m := range []string{settings.OneVsRest, settings.OneVsOne} {
		s := settings.Settings{Lambda: 0.01, Epochs: 5, Multiclass: m}
		jobs["weights "+m] = weightedJob(t, data.Sparse, data.Y, weights, s)
	}
	return jobs
}

func accuracyOn(p sample.Pair) func(m *engine.Point) float64 {
	return func(m *engine.Point) float64 {
		right := 0.0
		for i, y := range p.Y {
			best, score := 0, 0.0
			for k, w := range m.Weights {
				z := float64(dense.Dot(p.Dense.Row(i), w))
				if m.Bias != nil {
					z += m.Bias[k]
				}
				if k == 0 || z > score {
					best, score = k, z
				}
			}
			if float32(best) == y {
				right++
			}
		}
		return right / float64(len(p.Y))
	}
}

func TestResume(t *testing.T) {
	first := int64(0)
	jobs := resumeJobs(t)
	for _, name := range slices.Sorted(maps.Keys(jobs)) {
		job := jobs[name]
		want := digest(train(t, job))
		every := int64(1)
		if testing.Short() {
			every = 9
		}
		first++ // with -short, the jobs begin with different pauses
		for p := 1 + first%every; p <= 5*23; p += every {
			if resumed(t, job, p) != want {
				t.Errorf("%s, paused after %d steps: other bits", name, p)
				break
			}
		}
		if resumed(t, job, 3, 4, 23, 24, 50, 51) != want {
			t.Errorf("%s: other bits after several pauses", name)
		}
	}
}

// On all 23 rows, 30 steps end within the second epoch. Bounds may depend on the planned steps.
func TestResumeLonger(t *testing.T) {
	for _, m := range []string{"", settings.CrammerSinger, settings.OneVsOne} {
		data := sample.Random(31, 23, 4, 3, 1)
		job := newJob(t, data.Dense, data.Y, settings.Settings{Lambda: 0.01, Steps: 30, Multiclass: m,
			Offset: settings.OffsetNone, Average: settings.LastIterate})
		job.KeepState = true
		ended := newSession(t, job)
		if _, stopped, err := ended.Train(t.Context()); err != nil || stopped {
			t.Fatal(err, stopped)
		}
		longer := resumeFrom(t, job, ended.Checkpoint())
		longer.Steps, job.Steps = 70, 70
		got, want := train(t, longer), train(t, job)
		if got.Result.Steps != want.Result.Steps || got.Result.Objective != want.Result.Objective {
			t.Errorf("%q: resumed %+v, want %+v", m, got.Result, want.Result)
		}
	}
}

func pausedRun(t *testing.T, s settings.Settings) (engine.Job, *checkpoint.State) {
	t.Helper()
	data := sample.Random(31, 23, 4, 3, 1)
	s.Lambda, s.Epochs = 0.01, 3
	job := newJob(t, data.Dense, data.Y, s)
	job.KeepState, job.Pause = true, 30
	job.Quality = func(*engine.Point) float64 { return 0 }
	if s.Patience == 0 {
		job.Quality = nil
	}
	paused := newSession(t, job)
	if _, stopped, err := paused.Train(t.Context()); err != nil || !stopped {
		t.Fatal(err, stopped)
	}
	return job, paused.Checkpoint()
}

func TestResumeRefusesDamage(t *testing.T) {
	for name, damage := range map[string]func(*checkpoint.State){
		"none":               func(st *checkpoint.State) {},
		"an epoch of 1e9":    func(st *checkpoint.State) { st.Runs[0].Epoch = 1e9 },
		"an epoch of -1":     func(st *checkpoint.State) { st.Runs[0].Epoch = -1 },
		"a round of 1e9":     func(st *checkpoint.State) { st.Round = 1e9 },
		"a round of -1":      func(st *checkpoint.State) { st.Round = -1 },
		"a round ahead":      func(st *checkpoint.State) { st.Round = 2 },
		"steps of -1":        func(st *checkpoint.State) { st.Runs[0].Steps = -1 },
		"too many steps":     func(st *checkpoint.State) { st.Runs[0].Steps = 70 },
		"another step":       func(st *checkpoint.State) { st.Runs[0].Steps += 23 },
		"learners behind":    func(st *checkpoint.State) { st.Learners[0].Steps-- },
		"learners ahead":     func(st *checkpoint.State) { st.Learners[0].Steps++ },
		"learners far ahead": func(st *checkpoint.State) { st.Learners[0].Steps += 39 },
		"a position of -1":   func(st *checkpoint.State) { st.Runs[0].Position = -1 },
		"a position of 1e9":  func(st *checkpoint.State) { st.Runs[0].Position = 1e9 },
		"no generator":       func(st *checkpoint.State) { st.Runs[0].Generator = nil },
		"a short generator":  func(st *checkpoint.State) { st.Runs[0].Generator = []byte("x") },
		"no runs":            func(st *checkpoint.State) { st.Runs = nil },
		"a run more":         func(st *checkpoint.State) { st.Runs = append(st.Runs, st.Runs[0]) },
		"no learners":        func(st *checkpoint.State) { st.Learners = nil },
		"a learner less":     func(st *checkpoint.State) { st.Learners = st.Learners[1:] },
		"a learner more": func(st *checkpoint.State) {
			st.Learners = append(st.Learners, st.Learners[0])
		},
		"two biases":         func(st *checkpoint.State) { st.Learners[0].Biases = make([]float64, 2) },
		"a start of -1":      func(st *checkpoint.State) { st.Learners[0].Start = -1 },
		"a start of 2^62":    func(st *checkpoint.State) { st.Learners[0].Start = 1 << 62 },
		"no average":         func(st *checkpoint.State) { st.Learners[0].Old = nil },
		"a shift of 63":      func(st *checkpoint.State) { st.Learners[0].Shift = 63 },
		"a solver":           func(st *checkpoint.State) { st.Learners[0].Dual = new(iterate.Progress) },
		"Newton's method":    func(st *checkpoint.State) { st.Learners[0].Newton = new(checkpoint.Newton) },
		"-1 Newton's method": func(st *checkpoint.State) { st.Learners[0].NewtonStarts = -1 },
		"an array less":      func(st *checkpoint.State) { st.Arrays = st.Arrays[1:] },
		"an array more":      func(st *checkpoint.State) { st.Arrays = append(st.Arrays, nil) },
		"a shorter array":    func(st *checkpoint.State) { st.Arrays[0] = st.Arrays[0][1:] },
		"a best point": func(st *checkpoint.State) {
			st.Best = &checkpoint.Best{Result: &proof.ResultHeader{}}
		},
		"no fingerprint":    func(st *checkpoint.State) { st.Data = "" },
		"other fingerprint": func(st *checkpoint.State) { st.Data += "0" },
	} {
		for _, s := range []settings.Settings{{Order: order.Blocks},
			{Multiclass: settings.CrammerSinger}, {Multiclass: settings.OneVsOne}} {
			job, st := pausedRun(t, s)
			damage(st)
			if _, err := engine.New(resumeFrom(t, job, st)); (err == nil) != (name == "none") {
				t.Errorf("a checkpoint with the damage %q, %q: New returned %v", name, s.Multiclass, err)
			}
		}
	}
}

func TestResumeRefusesDamagedSolvers(t *testing.T) {
	newton := settings.Settings{Finish: settings.FinishNewton, Tol: 1e-9}
	dual := settings.Settings{Finish: settings.FinishDual}
	for name, c := range map[string]struct {
		settings settings.Settings
		damage   func(*checkpoint.State)
	}{
		"newton": {newton, func(st *checkpoint.State) {}},
		"dual":   {dual, func(st *checkpoint.State) {}},
		"starts after the last step": {newton, func(st *checkpoint.State) {
			st.Learners[0].Newton.Start = st.Learners[0].Steps + 1
		}},
		"starts far ahead": {newton, func(st *checkpoint.State) {
			st.Learners[0].Newton.Start = math.MaxInt64
		}},
		"starts before the run": {newton, func(st *checkpoint.State) {
			st.Learners[0].Newton.Start = -1
		}},
		"more iterations than epochs": {newton, func(st *checkpoint.State) {
			st.Learners[0].Newton.Iterations = 9
		}},
		"most iterations": {newton, func(st *checkpoint.State) {
			st.Learners[0].Newton.Iterations = math.MaxInt
		}},
		"iterations of -1": {newton, func(st *checkpoint.State) {
			st.Learners[0].Newton.Iterations = -1
		}},
		"retries that descend": {newton, func(st *checkpoint.State) {
			st.Learners[0].Newton.Retries = []int{2, 1}
		}},
		"a retry of -1": {newton, func(st *checkpoint.State) {
			st.Learners[0].Newton.Retries = []int{-1}
		}},
		"100 retries": {newton, func(st *checkpoint.State) {
			st.Learners[0].Newton.Retries = make([]int, 100)
		}},
		"a pass more":    {dual, func(st *checkpoint.State) { st.Learners[0].Dual.Pass = 2 }},
		"the last pass":  {dual, func(st *checkpoint.State) { st.Learners[0].Dual.Pass = math.MaxInt }},
		"a pass of -1":   {dual, func(st *checkpoint.State) { st.Learners[0].Dual.Pass = -1 }},
		"dual, one pass": {dual, func(st *checkpoint.State) { st.Learners[0].Dual.Pass = 1 }},
		"dual, no pass":  {dual, func(st *checkpoint.State) { st.Learners[0].Dual.Pass = 0 }},
	} {
		job, st := pausedRun(t, c.settings)
		c.damage(st)
		_, err := engine.New(resumeFrom(t, job, st))
		want := name == "newton" || strings.HasPrefix(name, "dual")
		if (err == nil) != want {
			t.Errorf("%s: New returned %v", name, err)
		}
	}
	for name, damage := range map[string]func(*engine.Job){
		"best":               func(job *engine.Job) {},
		"best without bias":  func(job *engine.Job) { job.Resume.Best.Bias = nil },
		"a bias more":        func(job *engine.Job) { job.Resume.Best.Bias = make([]float64, 4) },
		"best not measured":  func(job *engine.Job) { job.Resume.Best.Result = nil },
		"a best without use": func(job *engine.Job) { job.Quality = nil },
	} {
		job, st := pausedRun(t, settings.Settings{Patience: 2, Bias: settings.BiasAugmented})
		job = resumeFrom(t, job, st)
		damage(&job)
		if _, err := engine.New(job); (err == nil) != (name == "best") {
			t.Errorf("%s: New returned %v", name, err)
		}
	}
}

func TestResumeHarmless(t *testing.T) {
	data, other := sample.Random(72, 23, 4, 3, 1), sample.Random(73, 23, 4, 3, 1)
	clear(data.Dense.Row(7)) // a row without values has a loss as well
	for n, s := range []settings.Settings{{}, {Loss: "squared-hinge"}, {Loss: "log"},
		{Loss: "eps-insensitive", Epsilon: 0.25}, {Loss: "squared"},
		{Multiclass: settings.CrammerSinger}, {Loss: "log", Multiclass: settings.Multinomial}} {
		s.Lambda, s.Epochs = 0.02, 4
		point := train(t, newJob(t, other.Dense, other.Y, s))
		if s.Joint() { // a start has the steps of each vector
			point.Result.PerClass = slices.Repeat([]proof.ClassResult{{Steps: point.Result.Steps}}, 3)
		}
		s.Finish = settings.FinishDual
		for kind, change := range []func(job *engine.Job){
			func(job *engine.Job) { job.Bias, job.BiasScale = settings.BiasAugmented, 1.5 },
			func(job *engine.Job) {}, // rows have weights: see below
			func(job *engine.Job) { job.Prior = point }, func(job *engine.Job) { job.Start = point },
			func(job *engine.Job) { job.Bias = settings.BiasUnregularised },
		} {
			var weights []float32
			if kind == 1 {
				weights = upToThree(23)
			}
			job := weightedJob(t, data.Dense, data.Y, weights, s)
			if change(&job); job.Validate() != nil {
				continue
			}
			job.Tol = []float64{0, 1e-3}[(n+kind)%2]
			job.KeepState, job.Pause = true, 50
			paused := newSession(t, job)
			if _, stopped, err := paused.Train(t.Context()); err != nil || !stopped {
				t.Fatal(err, stopped)
			}
			job.Start, job.Pause = nil, 0
			resumeDamaged(t, job, paused.Checkpoint())
		}
	}
}

func upToThree(n int) (w []float32) {
	for i := range n {
		w = append(w, float32(1+i%3))
	}
	return w
}

// resumeDamaged fails the test if a run resumed from a damaged checkpoint returns a bound above the
// objective, or weights that are not finite.
func resumeDamaged(t *testing.T, job engine.Job, st *checkpoint.State) {
	t.Helper()
	resume := func(change func(*checkpoint.State)) {
		t.Helper()
		damaged := *st
		damaged.Learners, damaged.Arrays = slices.Clone(st.Learners), nil
		for _, a := range st.Arrays {
			damaged.Arrays = append(damaged.Arrays, slices.Clone(a))
		}
		first, dual := &damaged.Learners[0], *st.Learners[0].Dual
		first.Biases, first.Dual = slices.Clone(first.Biases), &dual
		change(&damaged)
		job := job
		job.Resume = &engine.Resume{State: &damaged, Settings: job.Settings}
		s, err := engine.New(job)
		if err != nil {
			return
		}
		m, _, err := s.Train(t.Context())
		if err != nil {
			return
		}
		if m.Result.DualObjective > m.Result.Objective {
			t.Errorf("%+v: the bound is above the objective: %+v", job.Settings, m.Result)
		}
		bad := floats.FirstNotFinite(m.Bias) >= 0
		for _, w := range m.Weights {
			bad = bad || floats.FirstNotFinite(w) >= 0
		}
		if bad {
			t.Errorf("%+v: not finite: weights %v, biases %v", job.Settings, m.Weights, m.Bias)
		}
	}
	for _, z := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1e300, 1e300, -1, 0} {
		for _, f := range []func(p *iterate.Progress) *float64{
			func(p *iterate.Progress) *float64 { return &p.GapSum },
			func(p *iterate.Progress) *float64 { return &p.MeanGap },
			func(p *iterate.Progress) *float64 { return &p.PrevGap },
			func(p *iterate.Progress) *float64 { return &p.BiasSum },
			func(p *iterate.Progress) *float64 { return &p.GainSum },
			func(p *iterate.Progress) *float64 { return &p.MeanGain },
		} {
			resume(func(s *checkpoint.State) { *f(s.Learners[0].Dual) = z })
		}
		resume(func(s *checkpoint.State) { s.Learners[0].Biases[0] = z })
		for n := range st.Arrays {
			resume(func(s *checkpoint.State) {
				for i := range s.Arrays[n] {
					s.Arrays[n][i] = float32(z)
				}
			})
		}
	}
}

func TestResumeRefuses(t *testing.T) {
	job, st := pausedRun(t, settings.Settings{})
	whole := job
	whole.Pause = 0
	start := train(t, whole)
	for want, change := range map[string]func(*engine.Job){
		"trained with KeepState": func(job *engine.Job) { job.Resume.State = nil },
		"combined with Start":    func(job *engine.Job) { job.Start = start },
		"other settings: Seed":   func(job *engine.Job) { job.Seed = 1 },
		"data are not those":     func(job *engine.Job) { job.Resume.Data = strings.Repeat("0", 64) },
		"end at step 23:":        func(job *engine.Job) { job.Epochs = 1 },
		"state does not fit":     func(job *engine.Job) { job.Resume.Arrays = nil },
	} {
		job := resumeFrom(t, job, st)
		change(&job)
		if _, err := engine.New(job); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	job, st = pausedRun(t, settings.Settings{Multiclass: settings.CrammerSinger})
	if job = resumeFrom(t, job, st); len(job.Rows.Classes) < 2 {
		t.Fatal("the run has no classes")
	}
	job.Costs = make([][]float64, len(job.Rows.Classes))
	for y := range job.Costs {
		job.Costs[y] = slices.Repeat([]float64{1}, len(job.Costs))
		job.Costs[y][y] = 0
	}
	if _, err := engine.New(job); err == nil || !strings.Contains(err.Error(), "had other Costs") {
		t.Errorf("costs that the run to resume lacks: %v", err)
	}
}

func TestResumeKnowsTheRows(t *testing.T) {
	const rows, cols = 30, 12
	x, y := dense.New(rows, cols), make([]float32, rows)
	all := make([]uint32, rows)
	for i := range rows {
		x.Row(i)[i%5], y[i], all[i] = 1, float32(i%2), uint32(i)
	}
	job := newJob(t, x, y, settings.Settings{Lambda: 0.1, Epochs: 3})
	job.Pause, job.KeepState = 40, true
	s := newSession(t, job)
	if _, stopped, err := s.Train(t.Context()); err != nil || !stopped {
		t.Fatal(err, stopped)
	}
	st := s.Checkpoint()
	for name, change := range map[string]func(x *dense.Matrix){
		"": func(x *dense.Matrix) {},
		"columns": func(x *dense.Matrix) {
			for i := range rows {
				row := x.Row(i)
				row[i%5], row[11-i%5] = 0, 1
			}
		},
		"a column": func(x *dense.Matrix) { row := x.Row(7); row[2], row[3] = 0, 1 },
		"order": func(x *dense.Matrix) {
			a, b := x.Row(3), x.Row(5) // rows with equal labels
			a[3], a[0], b[0], b[3] = 0, 1, 0, 1
		},
		"a sign": func(x *dense.Matrix) { x.Row(29)[4] = -1 },
	} {
		other := x.Take(all)
		change(other)
		_, err := engine.New(resumeFrom(t, newJob(t, other, y, job.Settings), st))
		if name == "" && err != nil || name != "" && (err == nil ||
			!strings.Contains(err.Error(), "the data are not those of the run to resume")) {
			t.Errorf("changed %q: New returned %v", name, err)
		}
	}
	_, err := engine.New(resumeFrom(t, newJob(t, sample.ToSparse(x), y, job.Settings), st))
	if err == nil || !strings.Contains(err.Error(), "the rows are sparse, but were dense") {
		t.Error(err)
	}
}

func TestFingerprint(t *testing.T) {
	data := sample.Random(3, 20, 4, 2, 1)
	job := newJob(t, data.Dense, data.Y, settings.Settings{Lambda: 0.1})
	done, cancel := context.WithCancel(t.Context())
	cancel()
	s := newSession(t, job)
	if have := s.Fingerprint(done); have != "" {
		t.Errorf("a canceled pass returned the fingerprint %q", have)
	}
	have := s.Fingerprint(t.Context())
	if s.Fingerprint(done) != have {
		t.Error("a fingerprint that was computed before is not returned")
	}
	job.PriorHash = "1"
	if other := newSession(t, job).Fingerprint(t.Context()); other == have || other == "" {
		t.Errorf("%q with a prior, %q without", other, have)
	}
}
