package pegasos_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/pegasos"
)

func TestResumeEnded(t *testing.T) {
	data := random(37, 200, 5, 3, 1)
	valid := &pegasos.Labelled{X: data.dense, Y: data.y}
	for _, finish := range []pegasos.Finish{pegasos.FinishNone, pegasos.FinishDual,
		pegasos.FinishNewton} {
		cfg := pegasos.Config{Lambda: 0.1, Epochs: 1000, Tol: 0.2, Finish: finish}
		if finish == pegasos.FinishNone {
			cfg.Tol, cfg.Patience = 0, 1
		}
		for _, multiclass := range []pegasos.Multiclass{pegasos.OneVsRest, pegasos.OneVsOne} {
			cfg.Multiclass = multiclass
			tr := pegasos.Trainer{Config: cfg, KeepState: true, Valid: valid}
			m, err := trainPlain(t.Context(), &tr, data.dense, data.y)
			if err != nil {
				t.Fatal(err)
			}
			if m.Result.Epochs >= 1000 {
				t.Errorf("%s, %s: no stopping criterion ended the run", finish, multiclass)
			}
			again := pegasos.Trainer{Config: cfg, Resume: clone(t, m), Valid: valid}
			m.State = nil
			have, err := trainPlain(t.Context(), &again, data.dense, data.y)
			if err != nil || !bytes.Equal(encode(t, have), encode(t, m)) {
				t.Errorf("%s, %s: %v, another file: %v epochs, want %v", finish, multiclass, err,
					have.Result.Epochs, m.Result.Epochs)
			}
		}
	}
}

func TestResumeComplete(t *testing.T) {
	data := random(91, 60, 4, 2, 1)
	for _, steps := range []int64{3 * 60, 3*60 + 7} {
		cfg := pegasos.Config{Steps: steps, Average: pegasos.LastIterate, Offset: pegasos.OffsetR2}
		tr := pegasos.Trainer{Config: cfg, KeepState: true}
		m, err := trainPlain(t.Context(), &tr, data.dense, data.y)
		if err != nil {
			t.Fatal(err)
		}
		var epochs []int
		tr.Resume = clone(t, m)
		tr.Progress = func(p pegasos.Progress) { epochs = append(epochs, p.Epoch) }
		again, err := trainPlain(t.Context(), &tr, data.dense, data.y)
		if want := []int{int(steps+59) / 60}; err != nil || !slices.Equal(epochs, want) ||
			!bytes.Equal(encode(t, again), encode(t, m)) {
			t.Fatalf("%d steps: %v, another file, or progress after epochs %v, want %v", steps, err,
				epochs, want)
		}
		tr.Resume, tr.Progress = again, nil
		tr.Steps += 100
		longer, err := trainPlain(t.Context(), &tr, data.dense, data.y)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Steps = tr.Steps
		if want := mustTrain(t, data.dense, data.y, cfg); longer.Hash() != want.Hash() {
			t.Errorf("%d steps, resumed for 100 more: another model", steps)
		}
	}
}

// The rows of class 2 have the weight 0: only Start has the class.
func TestResumeClassesOfStart(t *testing.T) {
	data := random(92, 60, 4, 3, 1)
	start := mustTrain(t, data.dense, data.y, pegasos.Config{Epochs: 1})
	tr := pegasos.Trainer{Config: pegasos.Config{Epochs: 3, ClassWeight: "2=0"}, Start: start,
		KeepState: true}
	want, err := trainPlain(t.Context(), &tr, data.dense, data.y)
	if err != nil {
		t.Fatal(err)
	}
	tr.Pause = 70
	paused, err := trainPlain(t.Context(), &tr, data.dense, data.y)
	if err != pegasos.ErrPaused {
		t.Fatal(err)
	}
	tr.Pause, tr.Start, tr.Resume = 0, nil, paused
	have, err := trainPlain(t.Context(), &tr, data.dense, data.y)
	if err != nil || !bytes.Equal(encode(t, have), encode(t, want)) {
		t.Errorf("resumed without Start: %v, or another file", err)
	}
}
