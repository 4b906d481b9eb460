package pegasos_test

import (
	"bytes"
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
