package pegasos_test

import (
	"context"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/pegasos"
)

func TestMistakes(t *testing.T) {
	p := random(1, 20, 3, 3, 1)
	m := mustTrain(t, p.dense, p.y, pegasos.Config{Epochs: 1})
	logistic := mustTrain(t, p.dense, p.y, pegasos.Config{Epochs: 1, Loss: pegasos.Log})
	tr, none := new(pegasos.Trainer), context.Context(nil)
	for name, call := range map[string]func(){
		"Trainer.Train: the context is nil": func() { tr.Train(none, p.dense, p.y) },
		"Train: the context is nil": func() {
			pegasos.Train(none, p.dense, p.y,
				pegasos.Config{})
		},
		"Trainer.Choose: the context is nil": func() { tr.Choose(none, p.dense, p.y) },
		"Trainer.Verify: the context is nil": func() {
			tr.Verify(none, m, p.dense, p.y, pegasos.VerifyOptions{})
		},
		"Model.Class: len(scores) = 0, len(m.Weights) = 3": func() { m.Class(nil) },
		"Model.ClassName: class -1 of 3":                   func() { m.ClassName(-1) },
		"Model.Probabilities: len(scores) = 0, len(m.Weights) = 3": func() {
			logistic.Probabilities(nil, nil)
		},
		"Model.Pair: pair 3 of 3 classes": func() { m.Pair(3) },
		"Model.PredictDense: the model has no weights": func() {
			new(pegasos.Model).PredictDense(nil)
		},
	} {
		_, want, _ := strings.Cut(name, ": ")
		want = "pegasimd: " + want
		func() {
			defer func() {
				if have, _ := recover().(string); !strings.HasPrefix(have, want) {
					t.Errorf("%s: the panic is %q", name, have)
				}
			}()
			call()
		}()
	}
}

func TestVerifyRefusesNegativePasses(t *testing.T) {
	p := random(1, 20, 3, 3, 1)
	m := mustTrain(t, p.dense, p.y, pegasos.Config{Epochs: 1})
	_, err := new(pegasos.Trainer).Verify(t.Context(), m, p.dense, p.y,
		pegasos.VerifyOptions{Passes: -1})
	if err == nil || err.Error() != "pegasos: Passes: have -1, want 0 or more" {
		t.Error(err)
	}
}
