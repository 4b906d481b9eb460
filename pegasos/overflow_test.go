package pegasos_test

import (
	"errors"
	"math"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/pegasos"
)

func TestPredictOverflow(t *testing.T) {
	x := dense.New(3, 2)
	copy(x.Row(0), []float32{3e38, 3e38})  // products +Inf and -Inf
	copy(x.Row(1), []float32{3e38, 0})     // product +Inf
	copy(x.Row(2), []float32{1e-3, -1e-3}) // finite score
	big, small := []float32{1e3, -1e3}, []float32{1, 0}
	eps := pegasos.Config{Loss: pegasos.EpsInsensitive}
	pairs := pegasos.Config{Multiclass: pegasos.OneVsOne}
	for name, c := range map[string]struct {
		m    *pegasos.Model
		last float32
	}{
		"two classes": {&pegasos.Model{Classes: []float32{-1, 1}, Weights: [][]float32{big}}, 1},
		"three classes": {
			&pegasos.Model{Classes: []float32{1, 2, 3}, Weights: [][]float32{small, big, small}}, 2},
		"pairs": {&pegasos.Model{Classes: []float32{1, 2, 3}, Weights: [][]float32{small, small, big},
			Config: pairs}, 3},
		"numbers": {&pegasos.Model{Weights: [][]float32{big}, Config: eps}, 2},
	} {
		labels := c.m.PredictAll(x)
		for i, y := range labels {
			if one := c.m.Predict(x, i); one != y && !(math.IsNaN(float64(one)) && i < 2) {
				t.Errorf("%s: row %d: prediction %v alone, %v among all rows", name, i, one, y)
			}
			if i < 2 && !math.IsNaN(float64(y)) {
				t.Errorf("%s: row %d: %v, want NaN", name, i, y)
			}
		}
		if labels[2] != c.last {
			t.Errorf("%s: %v, want %v", name, labels[2], c.last)
		}
		if c.m.Classes == nil {
			continue
		}
		for _, z := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			scores := make([]float64, len(c.m.Weights))
			scores[len(scores)-1] = z
			if k := c.m.Class(scores); k != -1 {
				t.Errorf("%s: class %d for a score of %v", name, k, z)
			}
		}
	}
}

// Weights for unscaled rows may overflow when those for scaled rows are finite.
func TestUnscaledWeightsOverflow(t *testing.T) {
	x := matrix(t, 4, 1, 1e-18, 2e-18, -1e-18, -2e-18)
	y := []float32{1e22, 2e22, -1e22, -2e22}
	cfg := pegasos.Config{Loss: pegasos.Squared, Scale: pegasos.ScaleMaxAbs,
		TargetScale: pegasos.ScaleStandard, Lambda: 1e-3, Epochs: 50}
	for _, pause := range []int64{0, 7} {
		tr := pegasos.Trainer{Config: cfg, Pause: pause, KeepState: pause > 0}
		m, err := tr.Train(t.Context(), x, y)
		var step *pegasos.StepError
		if m != nil || !errors.As(err, &step) {
			t.Errorf("pause %d: %v, %v", pause, m, err)
		}
	}
}
