package pegasos_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/pegasimd/pegasimd/pegasos"
)

// resumed pauses training after each of the given numbers of steps, and resumes from a file.
func resumed(t *testing.T, x pegasos.Examples, y []float32, tr pegasos.Trainer,
	pauses ...int64) *pegasos.Model {
	t.Helper()
	tr.KeepState = true
	before := steps(tr.Start)
	for _, p := range append(pauses, 0) {
		tr.Pause = p
		m, err := trainPlain(t.Context(), &tr, x, y)
		if err == nil && p > 0 { // the run ended before the pause
			return m
		}
		if err != nil && !(errors.Is(err, pegasos.ErrPaused) && p > 0) {
			t.Fatalf("pause %d: %v", p, err)
		}
		if p == 0 {
			return m
		}
		if m.Result.Steps-before > p {
			t.Fatalf("paused after %d steps, want at most %d", m.Result.Steps-before, p)
		}
		tr.Resume, tr.Start = clone(t, m), nil
	}
	panic("unreachable")
}

func steps(m *pegasos.Model) int64 {
	if m == nil {
		return 0
	}
	return m.Result.Steps
}

func TestResumeLonger(t *testing.T) {
	data := random(33, 30, 4, 2, 1)
	cfg := pegasos.Config{Lambda: 0.05, Average: pegasos.LastIterate, Epochs: 4}
	tr := pegasos.Trainer{Config: cfg, KeepState: true}
	m, err := trainPlain(t.Context(), &tr, data.dense, data.y)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Epochs = 9
	want := mustTrain(t, data.dense, data.y, cfg)
	have, err := trainPlain(t.Context(), &pegasos.Trainer{Config: cfg, Resume: m}, data.dense, data.y)
	if err != nil || have.Hash() != want.Hash() {
		t.Errorf("%v, %s, want %s", err, have.Hash(), want.Hash())
	}
	if have.State != nil {
		t.Error("the model has a State without KeepState")
	}
}

// FinishAuto starts a run of 100 passes with dual coordinate descent, and a short one with steps.
func TestResumeLongerAuto(t *testing.T) {
	data := random(33, 60, 2100, 2, 1) // too many columns for Newton's method
	for _, average := range []pegasos.Average{pegasos.LastHalf, pegasos.LastIterate} {
		cfg := pegasos.Config{Lambda: 1e-5, Finish: pegasos.FinishAuto, Tol: 1e-9, Average: average}
		var m *pegasos.Model
		for _, cfg.Epochs = range []int{2, 100, 101} {
			tr := pegasos.Trainer{Config: cfg, KeepState: true, Resume: m}
			var err error
			if m, err = trainPlain(t.Context(), &tr, data.dense, data.y); err != nil {
				t.Fatalf("%s, %d epochs: %v", average, cfg.Epochs, err)
			}
		}
		if m.Result.Solver != "steps" {
			t.Errorf("%s: solvers %s, want steps", average, m.Result.Solver)
		}
	}
}

// In a longer run the pair of few rows is many epochs ahead of the other pairs.
func TestResumeLongerPairs(t *testing.T) {
	data := random(34, 430, 4, 3, 1)
	for i := range data.y {
		data.y[i] = float32(min(2, i/12%40))
		if i >= 40 {
			data.y[i] = 2
		}
	}
	cfg := pegasos.Config{Lambda: 0.05, Multiclass: pegasos.OneVsOne, Finish: pegasos.FinishNone,
		Average: pegasos.LastIterate, Steps: 300}
	tr := pegasos.Trainer{Config: cfg, KeepState: true}
	m, err := trainPlain(t.Context(), &tr, data.dense, data.y)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Steps = 4000
	want := mustTrain(t, data.dense, data.y, cfg)
	tr = pegasos.Trainer{Config: cfg, KeepState: true}
	for turn := 1; turn <= 20; turn++ {
		tr.Resume, tr.Pause = clone(t, m), int64(300+500*turn)
		if m, err = trainPlain(t.Context(), &tr, data.dense, data.y); err == nil {
			if turn < 4 || m.Hash() != want.Hash() {
				t.Errorf("in turn %d %s, want %s", turn, m.Hash(), want.Hash())
			}
			return
		}
		if !errors.Is(err, pegasos.ErrPaused) {
			t.Fatal(err)
		}
	}
	t.Error("the run does not end")
}

func TestResumeCanceled(t *testing.T) {
	data := random(34, 40, 5, 3, 1)
	cfg := pegasos.Config{Lambda: 0.02, Epochs: 11}
	for _, multiclass := range []pegasos.Multiclass{pegasos.OneVsRest, pegasos.OneVsOne} {
		cfg.Multiclass = multiclass
		want := mustTrain(t, data.dense, data.y, cfg)
		ctx, cancel := context.WithCancel(t.Context())
		var kept *pegasos.Model
		tr := pegasos.Trainer{Config: cfg, KeepState: true, Progress: func(p pegasos.Progress) {
			if p.Epoch == 3 {
				kept = p.Model()
			}
			if p.Epoch == 6 {
				cancel()
			}
		}}
		m, err := trainPlain(ctx, &tr, data.dense, data.y)
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		for _, from := range []*pegasos.Model{kept, m} {
			tr := pegasos.Trainer{Config: cfg, Resume: from, Threads: 2}
			have, err := trainPlain(t.Context(), &tr, data.dense, data.y)
			if err != nil || have.Hash() != want.Hash() {
				t.Errorf("%s: %v, or another hash", multiclass, err)
			}
		}
	}
}

func TestResumeRefuses(t *testing.T) {
	data := random(35, 20, 3, 2, 1)
	cfg := pegasos.Config{Lambda: 0.1, Epochs: 3}
	tr := pegasos.Trainer{Config: cfg, KeepState: true, Pause: 31}
	m, err := trainPlain(t.Context(), &tr, data.dense, data.y)
	if !errors.Is(err, pegasos.ErrPaused) {
		t.Fatal(err)
	}
	damaged := *m
	damaged.Weights = nil
	plain := mustTrain(t, data.dense, data.y, cfg)
	other := random(36, 20, 3, 2, 1)
	labels := append([]float32(nil), data.y...)
	labels[3] = 1 - labels[3]
	wrong := cfg
	wrong.Seed = 1
	shorter := cfg
	shorter.Epochs = 1
	for name, c := range map[string]struct {
		tr pegasos.Trainer
		x  pegasos.Examples
		y  []float32
	}{
		"no state":     {pegasos.Trainer{Config: cfg, Resume: plain}, data.dense, data.y},
		"no weights":   {pegasos.Trainer{Config: cfg, Resume: &damaged}, data.dense, data.y},
		"start too":    {pegasos.Trainer{Config: cfg, Resume: m, Start: plain}, data.dense, data.y},
		"other seed":   {pegasos.Trainer{Config: wrong, Resume: m}, data.dense, data.y},
		"other rows":   {pegasos.Trainer{Config: cfg, Resume: m}, other.dense, data.y},
		"other labels": {pegasos.Trainer{Config: cfg, Resume: m}, data.dense, labels},
		"shorter":      {pegasos.Trainer{Config: shorter, Resume: m}, data.dense, data.y},
		"pause":        {pegasos.Trainer{Config: cfg, Pause: -1}, data.dense, data.y},
	} {
		var e *pegasos.ConfigError
		if m, err := trainPlain(t.Context(), &c.tr, c.x, c.y); m != nil || !errors.As(err, &e) {
			t.Errorf("%s: %v, %v", name, m, err)
		}
	}
}

func TestResumeCalibrated(t *testing.T) {
	data := random(35, 60, 3, 2, 1)
	cfg := pegasos.Config{Lambda: 0.1, Epochs: 3}
	start := mustTrain(t, data.dense, data.y, cfg)
	for folds, field := range map[int]string{0: "Resume", 5: "Start"} {
		cfg.Calibrate = folds
		tr := pegasos.Trainer{Config: cfg, KeepState: true, Start: start}
		m, err := trainPlain(t.Context(), &tr, data.dense, data.y)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Calibrate = 5
		tr = pegasos.Trainer{Config: cfg, Resume: m}
		_, err = trainPlain(t.Context(), &tr, data.dense, data.y)
		var e *pegasos.ConfigError
		if !errors.As(err, &e) || e.Field != field {
			t.Errorf("%d folds: %v, want an error of %s", folds, err, field)
		}
	}
}

func TestResumeFiles(t *testing.T) {
	chains := 200
	if testing.Short() {
		chains = 40
	}
	seed, paused := uint64(0), 0
	for ; chains > 0; seed++ {
		trial := newTrial(seed + 7e6)
		trial.half, trial.auto = false, true
		trial.models()
		tr := trial.tr
		tr.Fingerprint = true
		tr.Finish = pick(trial.g, "", pegasos.FinishNone, pegasos.FinishDual, pegasos.FinishNewton,
			pegasos.FinishAuto)
		tr.Scale = pick(trial.g, "", pegasos.ScaleNone, pegasos.ScaleStandard, pegasos.ScaleMaxAbs,
			pegasos.ScaleUnit)
		trial.settle(&tr.Config)
		want, err := tr.Train(t.Context(), trial.x, trial.y)
		if err != nil {
			continue
		}
		chains--
		name := fmt.Sprintf("seed %d: %+v", seed, tr.Config)
		rest := tr
		rest.KeepState = true
		for range 1 + trial.g.IntN(3) {
			rest.Pause = 1 + int64(trial.g.IntN(100))
			m, err := rest.Train(t.Context(), trial.x, trial.y)
			if !errors.Is(err, pegasos.ErrPaused) {
				break
			}
			rest.Resume = clone(t, m)
			paused++
		}
		rest.KeepState, rest.Pause = false, 0
		have, err := rest.Train(t.Context(), trial.x, trial.y)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if string(encode(t, have)) != string(encode(t, want)) {
			t.Errorf("%s:\n%+v %+v\nwant\n%+v %+v", name, have.Result, have.Scaling, want.Result,
				want.Scaling)
		}
	}
	t.Logf("%d interruptions", paused)
}
