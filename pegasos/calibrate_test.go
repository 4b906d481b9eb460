package pegasos_test

import (
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/pegasos"
)

func TestCalibrateProgress(t *testing.T) {
	data := random(91, 60, 4, 2, 1)
	var last pegasos.Progress
	reports := 0
	tr := pegasos.Trainer{Config: pegasos.Config{Calibrate: 3, Epochs: 4}}
	tr.Progress = func(p pegasos.Progress) {
		if p.Epoch != last.Epoch+1 || p.Steps <= last.Steps || p.Violations < last.Violations ||
			p.TotalSteps != 4*4*60 {
			t.Errorf("epoch %d, %d of %d steps, %d violations; before: epoch %d, %d steps, %d "+
				"violations", p.Epoch, p.Steps, p.TotalSteps, p.Violations, last.Epoch, last.Steps,
				last.Violations)
		}
		last = p
		reports++
	}
	m, err := trainPlain(t.Context(), &tr, data.dense, data.y)
	if err != nil || reports != 4*4 || last.Steps != 4*60+3*4*40 || len(m.Calibration) != 1 {
		t.Errorf("%v, %d reports, the last after %d steps", err, reports, last.Steps)
	}
}

// Every run ends after an epoch. The third fold's run is longer than the second's.
func TestCalibrateProgressEnded(t *testing.T) {
	data := random(91, 61, 4, 2, 1)
	var last pegasos.Progress
	tr := pegasos.Trainer{Config: pegasos.Config{Calibrate: 3, Epochs: 4, Lambda: 1, Tol: 0.9}}
	tr.Progress = func(p pegasos.Progress) {
		if p.Epoch != last.Epoch+1 || p.Steps <= last.Steps || p.TotalSteps != 4*4*61 {
			t.Errorf("epoch %d, %d of %d steps; before: epoch %d, %d steps", p.Epoch, p.Steps,
				p.TotalSteps, last.Epoch, last.Steps)
		}
		last = p
	}
	_, err := trainPlain(t.Context(), &tr, data.dense, data.y)
	if err != nil || last.Epoch != 4 || last.Steps != 61+2*61 {
		t.Errorf("%v, %d steps in %d epochs", err, last.Steps, last.Epoch)
	}
}

func TestCalibrateSkipsEmptyFolds(t *testing.T) {
	data := random(91, 60, 4, 2, 1)
	runs := 0
	tr := pegasos.Trainer{Config: pegasos.Config{Calibrate: 1000, Epochs: 1}}
	tr.Progress = func(pegasos.Progress) { runs++ }
	m, err := trainPlain(t.Context(), &tr, data.dense, data.y)
	if err != nil || runs > 1+60 || len(m.Calibration) != 1 {
		t.Errorf("%v, %d runs for 60 rows", err, runs)
	}
}

func TestCalibrateError(t *testing.T) {
	data := random(91, 60, 4, 2, 1)
	cfg := pegasos.Config{Calibrate: 3, Batch: 60} // a batch has more rows than two folds
	_, err := fixed(t.Context(), data.dense, data.y, cfg)
	if err == nil || !strings.Contains(err.Error(),
		"calibration, training without fold 1 of 3: pegasos: Batch: ") {
		t.Error(err)
	}
}
