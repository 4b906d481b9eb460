package pegasos

import (
	"bytes"
	"testing"
)

// A run that had ended by a rule before it was interrupted, while it was measured or calibrated, is
// not made longer when it is resumed.
func TestResumeEnded(t *testing.T) {
	data := random(37, 200, 5, 3, 1)
	valid := &Labelled{X: data.dense, Y: data.y}
	for _, finish := range []Finish{FinishNone, FinishDual, FinishNewton} {
		cfg := Config{Lambda: 0.1, Epochs: 1000, Tol: 0.2, Finish: finish}
		if finish == FinishNone {
			cfg.Tol, cfg.Patience = 0, 1
		}
		for _, multiclass := range []Multiclass{OneVsRest, OneVsOne} {
			cfg.Multiclass = multiclass
			tr := Trainer{Config: cfg, KeepState: true, Valid: valid}
			m, err := tr.plain(t.Context(), data.dense, data.y)
			if err != nil {
				t.Fatal(err)
			}
			if m.Result.Epochs >= 1000 {
				t.Errorf("%s, %s: no rule ended the run", finish, multiclass)
			}
			from, err := Read(bytes.NewReader(encode(t, m)))
			if err != nil {
				t.Fatal(err)
			}
			m.State = nil
			again := Trainer{Config: cfg, Resume: from, Valid: valid}
			have, err := again.plain(t.Context(), data.dense, data.y)
			if err != nil || !bytes.Equal(encode(t, have), encode(t, m)) {
				t.Errorf("%s, %s: %v, another file: %v passes, want %v", finish, multiclass, err,
					have.Result.Epochs, m.Result.Epochs)
			}
		}
	}
}
