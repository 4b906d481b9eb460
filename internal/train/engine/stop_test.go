package engine_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/internal/base/order"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/internal/train/engine"
	"github.com/pegasimd/pegasimd/internal/train/newton"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

func testedEpochs(epochs int) (at []int) {
	for e := 1; e < epochs; e += max(1, e/4) {
		at = append(at, e)
	}
	return at
}

func TestTol(t *testing.T) {
	data := sample.Random(51, 100, 6, 3, 1)
	for _, s := range []settings.Settings{
		{}, {Batch: 8}, {Loss: "log", Order: order.Sequential, Multiclass: settings.OneVsOne},
		{Loss: "squared-hinge", Average: settings.LastIterate},
		{Finish: settings.FinishDual}, {Finish: settings.FinishDual, Multiclass: settings.CrammerSinger},
	} {
		s.Lambda, s.Epochs = 0.05, 500
		for _, s.Tol = range []float64{0.3, 0.03} {
			job := newJob(t, data.Dense, data.Y, s)
			var running *engine.Session
			var gaps []float64
			job.Progress = func(p engine.Progress) {
				gaps = append(gaps, running.Point().Result.Gap)
				if p.Epoch != len(gaps) {
					t.Errorf("epoch %d is reported as %d", len(gaps), p.Epoch)
				}
			}
			running = newSession(t, job)
			m, stopped, err := running.Train(t.Context())
			r := m.Result
			tested := testedEpochs(500)
			if s.Finish == settings.FinishDual { // tested when the estimate is small
				tested = []int{len(gaps)}
			}
			at := slices.Index(tested, len(gaps))
			if err != nil || stopped || !(r.Gap <= s.Tol) || r.Epochs != float64(len(gaps)) ||
				at < 0 {
				t.Fatalf("%+v: %v, %+v", s, err, r)
			}
			next := len(gaps) + max(1, len(gaps)/4)
			if s.Finish == settings.FinishDual {
				next = len(gaps) + 1
			}
			if have := running.Checkpoint().NextCheck; have != next {
				t.Errorf("%+v: the next check would be after epoch %d, want %d", s, have, next)
			}
			for _, e := range tested[:at] {
				if gaps[e-1] <= s.Tol {
					t.Errorf("%+v: gap %v after epoch %d, and the run continues", s, gaps[e-1], e)
				}
			}
			job.Progress, job.Threads = nil, 3
			if other := train(t, job); digest(other) != digest(m) {
				t.Errorf("%+v: another point with 3 goroutines and no progress reports", s)
			}
		}
	}
}

func TestPatience(t *testing.T) {
	data := sample.Random(52, 60, 4, 2, 1)
	for _, patience := range []int{1, 2, 3} {
		for best := range 6 {
			job := newJob(t, data.Dense, data.Y,
				settings.Settings{Lambda: 0.05, Epochs: 10, Patience: patience})
			var points []*engine.Point
			job.Quality = func(m *engine.Point) float64 {
				points = append(points, m)
				return -math.Abs(float64(len(points) - 1 - best)) // equal qualities are no better
			}
			m := train(t, job)
			// The last point is checked at the end of the run, after up to 8 checks in 10
			// epochs.
			if want := min(best+1+patience, 8) + 1; len(points) != want ||
				m.Result.Epochs != float64(best+1) {
				t.Errorf("patience %d, best test %d: %d tests, want %d; the point of epoch %v",
					patience, best, len(points), want, m.Result.Epochs)
			}
			if m.Weights[0][0] != points[best].Weights[0][0] {
				t.Errorf("patience %d: not the weights of test %d", patience, best)
			}
		}
	}
}

// solverStates returns the sequence of a problem's solvers: s for Pegasos steps, d for dual
// descent, n for Newton's method.
func solverStates(t *testing.T, job engine.Job) (states string, m *engine.Point) {
	t.Helper()
	var s *engine.Session
	job.Progress = func(engine.Progress) {
		state := "s"
		switch l := s.Runs[0].Learners[0]; {
		case l.Newton != nil:
			state = "n"
		case l.Dual != nil:
			state = "d"
		}
		if n := len(states); n == 0 || states[n-1:] != state {
			states += state
		}
	}
	s = newSession(t, job)
	m, stopped, err := s.Train(t.Context())
	if err != nil || stopped {
		t.Fatal(err, stopped)
	}
	return states, m
}

func TestAutoChooses(t *testing.T) {
	few, wide := sample.Random(71, 2000, 30, 2, 1), sample.Random(72, 200, 150, 2, 1)
	many := sample.Random(73, 60, newton.MaxColumns+1, 2, 0.02)
	for _, c := range []struct {
		name string
		data sample.Pair
		s    settings.Settings
		want string
	}{
		{"cheap", few, settings.Settings{Lambda: 1e-3, Tol: 1e-3}, "n"},
		{"log", few, settings.Settings{Lambda: 1e-3, Tol: 1e-3, Loss: "log"}, "n"},
		{"after the dual", wide, settings.Settings{Lambda: 1, Tol: 1e-12, Epochs: 900}, "dndnd"},
		{"slow dual", wide, settings.Settings{Lambda: 1e-6, Tol: 1e-2, Epochs: 300}, "n"},
		{"log, wide", wide, settings.Settings{Lambda: 0.1, Tol: 1e-6, Epochs: 300, Loss: "log"}, "d"},
		{"many columns", many, settings.Settings{Lambda: 0.1, Tol: 1e-6, Epochs: 300}, "d"},
		{"few epochs", wide, settings.Settings{Lambda: 1, Tol: 1e-12, Epochs: 10}, "d"},
		{"patience", few, settings.Settings{Lambda: 1e-3, Patience: 9, Epochs: 5}, "d"},
		{"newton", few, settings.Settings{Lambda: 1e-3, Finish: settings.FinishNewton}, "n"},
	} {
		if c.s.Finish == "" {
			c.s.Finish = settings.FinishAuto
		}
		quality := func(*engine.Point) float64 { return 0 }
		job := newJob(t, c.data.Dense, c.data.Y, c.s)
		other := newJob(t, c.data.Sparse, c.data.Y, c.s)
		job.Quality, other.Quality = quality, quality
		if c.s.Patience == 0 {
			job.Quality, other.Quality = nil, nil
		}
		have, m := solverStates(t, job)
		if have != c.want {
			t.Errorf("%s: %s, want %s: %+v", c.name, have, c.want, m.Result)
		}
		if c.s.Tol > 1e-12 && m.Result.Gap > c.s.Tol {
			t.Errorf("%s: gap %v after %v epochs", c.name, m.Result.Gap, m.Result.Epochs)
		}
		if sparse, _ := solverStates(t, other); sparse != have {
			t.Errorf("%s: %s with sparse rows, %s with dense ones", c.name, sparse, have)
		}
	}
}

func TestAutoResumes(t *testing.T) {
	wide := sample.Random(72, 200, 150, 2, 1)
	job := newJob(t, wide.Dense, wide.Y, settings.Settings{Lambda: 1, Tol: 1e-12, Epochs: 150,
		Finish: settings.FinishAuto, Bias: settings.BiasAugmented})
	want := digest(train(t, job))
	every := 7
	if testing.Short() {
		every = 35
	}
	for epoch := 1; epoch < 120; epoch += every {
		for _, p := range []int64{int64(200 * epoch), int64(200*epoch + 77)} {
			if resumed(t, job, p) != want {
				t.Errorf("paused after %d steps: another point", p)
			}
		}
	}
}

func TestCancelAnywhere(t *testing.T) {
	data := sample.Random(53, 20, 4, 3, 1)
	for _, s := range []settings.Settings{
		{Epochs: 4}, {Tol: 0.3, Epochs: 100}, {Tol: 1e-3, Finish: settings.FinishNewton},
		{Tol: 1e-3, Finish: settings.FinishAuto, Epochs: 100},
		{Epochs: 3, Multiclass: settings.OneVsOne},
	} {
		s.Lambda = 0.02
		job := newJob(t, data.Dense, data.Y, s)
		job.KeepState = true
		want := digest(train(t, job))
		stops := 0
		for calls := 0; ; calls++ {
			session := newSession(t, job)
			ctx := &doneAfter{Context: t.Context(), calls: calls}
			m, stopped, err := session.Train(ctx)
			if err != nil {
				t.Fatalf("%+v after %d checks: %v", s, calls, err)
			}
			if !stopped {
				if have := digest(m); have != want {
					t.Errorf("%+v after %d checks: another point", s, calls)
				}
				if ctx.calls >= 0 { // the context was never done
					break
				}
				continue
			}
			stops++
			if testing.Short() && calls%8 != 0 && calls > 9 {
				continue
			}
			if again := train(t, resumeFrom(t, job, session.Checkpoint())); digest(
				again,
			) != want {
				t.Errorf("%+v resumed after %d checks: another point", s, calls)
			}
		}
		if stops < 5 {
			t.Errorf("%+v: stopped %d times, want 5 or more", s, stops)
		}
	}
}

type doneAfter struct {
	context.Context
	calls int
}

func (d *doneAfter) Err() error {
	if d.calls--; d.calls < 0 {
		return context.Canceled
	}
	return nil
}

func TestProgress(t *testing.T) {
	data := sample.Random(54, 60, 4, 3, 1)
	for _, c := range []struct {
		s     settings.Settings
		early []float64
		want  string // epoch:steps of each report
	}{
		{settings.Settings{Epochs: 3}, nil, "1:60 2:120 3:180 "},
		{settings.Settings{Epochs: 2}, []float64{0, 0.25, 0.5, 1}, "0:15 0:30 1:60 2:120 "},
		{settings.Settings{Steps: 70}, nil, "1:60 2:70 "},
		{settings.Settings{Steps: 20}, []float64{0.25, 0.5}, "0:15 1:20 "},
		{settings.Settings{Steps: 60, Batch: 8}, []float64{0.5},
			"0:4 1:8 2:16 3:24 4:32 5:40 6:48 7:56 8:60 "},
		{settings.Settings{Epochs: 2, Multiclass: settings.OneVsOne}, nil, "1:120 2:240 "},
	} {
		c.s.Lambda = 0.05
		job := newJob(t, data.Dense, data.Y, c.s)
		have, last := "", engine.Progress{}
		job.Early, job.Progress = c.early, func(p engine.Progress) {
			have += fmt.Sprintf("%d:%d ", p.Epoch, p.Steps)
			last = p
		}
		m := train(t, job)
		if have != c.want || last.Steps != last.TotalSteps ||
			last.Violations != m.Result.Violations ||
			last.Violations == 0 {
			t.Errorf("%+v: %s, want %s; %+v, %+v", c.s, have, c.want, last, m.Result)
		}
	}
}
