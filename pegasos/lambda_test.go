package pegasos_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/metrics"
	"github.com/pegasimd/pegasimd/pegasos"
)

func nearlyEqual(seed uint64, rows, cols, classes int, signal bool) pair {
	x, y := sample.NearlyEqual(seed, rows, cols, classes, signal)
	return pair{x, toSparse(x), y}
}

// The signal is in small differences of correlated columns, which only a small lambda finds.
func TestLambdaByFolds(t *testing.T) {
	for _, classes := range []int{2, 3} {
		for _, loss := range []pegasos.Loss{pegasos.Hinge, pegasos.Log} {
			p := nearlyEqual(1, 900, 12, classes, true)
			x, y := p.dense.Take(sequence(600)), p.y[:600]
			m := train(t, x, y, pegasos.Trainer{Config: pegasos.Config{Loss: loss,
				Curves: pegasos.CurvesNone}})
			rest := p.dense.Take(sequence(900)[600:])
			if a := metrics.Accuracy(p.y[600:], m.PredictAll(rest), nil); a < 0.85 ||
				!strings.Contains(m.Settings(), "lambda of ") {
				t.Errorf("%d classes, %s: accuracy %v, %s", classes, loss, a, m.Settings())
			}
			noise := nearlyEqual(2, 900, 12, classes, false)
			m = train(t, noise.dense, noise.y, pegasos.Trainer{Config: pegasos.Config{Loss: loss}})
			if m.Scaling.R2/m.Lambda > 1e5 {
				t.Errorf("%d classes, %s, noise: %s", classes, loss, m.Settings())
			}
		}
	}
}

func TestLambdaTooCostly(t *testing.T) {
	p := random(6, 3000, 900, 4, 1)
	m := train(t, p.dense, p.y, pegasos.Trainer{})
	if s := m.Settings(); !strings.HasSuffix(s, "until within 1 % of the optimum") {
		t.Error(s)
	}
	m = train(t, p.dense, p.y, pegasos.Trainer{Config: pegasos.Config{Lambda: 1e-9}})
	if s := m.Settings(); !strings.Contains(s, "(not up to a proof: tol 0.01 is estimated to take ") {
		t.Error(s)
	}
	for _, tr := range []pegasos.Trainer{{Config: pegasos.Config{Lambda: 1e-3}},
		{Config: pegasos.Config{C: 1}},
		{Start: m}, {Prior: m}} {
		if s := train(t, p.dense, p.y, tr).Settings(); strings.Contains(s, "lambda of") {
			t.Error(s)
		}
	}
}

func TestLambdaResumed(t *testing.T) {
	p := nearlyEqual(3, 400, 8, 2, true)
	whole := train(t, p.dense, p.y, pegasos.Trainer{})
	half, err := (&pegasos.Trainer{KeepState: true, Pause: 300}).Train(t.Context(), p.dense, p.y)
	if !errors.Is(err, pegasos.ErrPaused) {
		t.Fatal(err)
	}
	m := train(t, p.dense, p.y, pegasos.Trainer{Resume: clone(t, half)})
	if m.Hash() != whole.Hash() || !reflect.DeepEqual(m.Config, whole.Config) ||
		m.Settings() != whole.Settings() {
		t.Errorf("%s, want %s", m.Settings(), whole.Settings())
	}
}
