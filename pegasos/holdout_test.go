package pegasos_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/metrics"
	"github.com/pegasimd/pegasimd/pegasos"
)

func TestHoldout(t *testing.T) {
	for _, loss := range []pegasos.Loss{"", pegasos.Squared} {
		p := random(3, 300, 5, 3, 1)
		x, y := p.dense, p.y
		weights := make([]float32, len(y))
		for i := range weights {
			weights[i] = float32(i % 3)
		}
		tr := pegasos.Trainer{Config: pegasos.Config{Loss: loss, Lambda: 0.01, Epochs: 5, Seed: 4},
			Holdout: 0.3, Weights: weights, Fingerprint: true}
		m, err := tr.Train(context.Background(), x, y)
		if err != nil {
			t.Fatal(err)
		}
		e := m.Result.HeldOut
		if e == nil || e.Share != 0.3 || e.Rows < 50 || e.Rows > 70 || !(e.StdErr > 0) {
			t.Fatalf("%s: %+v", loss, e)
		}
		v, err := tr.Verify(context.Background(), m, x, y, pegasos.VerifyOptions{Passes: 20})
		if err != nil || !v.Known || v.Verdict == pegasos.Contradicted {
			t.Errorf("%s: %+v, %v", loss, v, err)
		}
		all := tr
		all.Holdout = 0
		if v, err = all.Verify(context.Background(), m, x, y, pegasos.VerifyOptions{}); err != nil ||
			v.Verdict != pegasos.Contradicted {
			t.Errorf("%s: without Holdout: %+v, %v", loss, v, err)
		}
		if have := clone(t, m).Result.HeldOut; *have != *e {
			t.Errorf("%s: read %+v, wrote %+v", loss, have, e)
		}
	}
}

func TestEstimate(t *testing.T) {
	p := random(5, 200, 4, 3, 1)
	for _, loss := range []pegasos.Loss{"", pegasos.Squared} {
		m := mustTrain(t, p.dense, p.y, pegasos.Config{Loss: loss, Lambda: 0.01, Epochs: 3})
		e, err := m.Estimate(&pegasos.Labelled{X: p.dense, Y: p.y})
		want, metric := metrics.Accuracy(p.y, m.PredictAll(p.dense), nil), "accuracy"
		if loss == pegasos.Squared {
			want, metric = metrics.R2(p.y, m.DecisionAll(p.dense), nil), "r2"
		}
		if err != nil || e.Value != want || e.Metric != metric || e.Rows != 200 {
			t.Errorf("%+v, %v, want %s %v", e, err, metric, want)
		}
	}
	m := mustTrain(t, p.dense, p.y, pegasos.Config{Lambda: 0.01, Epochs: 3})
	huge := dense.New(1, 4)
	for j := range 4 {
		huge.Row(0)[j] = 3e38
	}
	for k := range m.Weights {
		for j := range m.Weights[k] {
			m.Weights[k][j] = 9
		}
	}
	if e, err := m.Estimate(&pegasos.Labelled{X: huge, Y: p.y[:1]}); err == nil {
		t.Errorf("an estimate from a score that is not finite: %+v", e)
	}
	copy(p.dense.Row(7), huge.Row(0))
	weights := slices.Repeat([]float32{1}, 200)
	weights[7] = 0
	if e, err := m.Estimate(&pegasos.Labelled{X: p.dense, Y: p.y, Weights: weights}); err != nil ||
		e.Rows != 199 {
		t.Errorf("%+v, %v, with a score that is not finite in a row of weight 0", e, err)
	}
}

func TestHoldoutRefuses(t *testing.T) {
	p := random(5, 50, 4, 2, 1)
	m := mustTrain(t, p.dense, p.y, pegasos.Config{Lambda: 0.01, Epochs: 3})
	for name, tr := range map[string]pegasos.Trainer{
		"1": {Holdout: 1}, "-1": {Holdout: -1}, "20": {Holdout: 20}, "none": {Holdout: 1e-3},
		"start": {Holdout: 0.2, Start: m}, "prior": {Holdout: 0.2, Prior: m},
		"resume": {Holdout: 0.2, Resume: m}, "state": {Holdout: 0.2, KeepState: true},
		"pause": {Holdout: 0.2, Pause: 3},
	} {
		_, err := tr.Train(context.Background(), p.dense, p.y)
		var refused *pegasos.ConfigError
		if !errors.As(err, &refused) || refused.Field != "Holdout" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Errors name a row by its index among all rows.
func TestHoldoutRow(t *testing.T) {
	tr := pegasos.Trainer{Config: pegasos.Config{Lambda: 0.01, Epochs: 3}, Holdout: 0.3}
	held := 0
	for i := range 40 {
		p := random(5, 40, 4, 2, 1)
		p.dense.Row(i)[0] = float32(math.NaN())
		_, err := tr.Train(context.Background(), p.dense, p.y)
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("row %d: ", i)) {
			t.Errorf("NaN in row %d: %v", i, err)
		}
		if strings.Contains(err.Error(), "the rows held out") {
			held++
		}
	}
	if held < 5 || held > 20 {
		t.Errorf("%d of 40 rows are held out", held)
	}
}

func TestHoldoutCanceled(t *testing.T) {
	p := random(5, 50, 4, 2, 1)
	ctx, cancel := context.WithCancel(context.Background())
	tr := pegasos.Trainer{Config: pegasos.Config{Lambda: 0.01, Epochs: 50}, Holdout: 0.2,
		Progress: func(pegasos.Progress) { cancel() }}
	m, err := tr.Train(ctx, p.dense, p.y)
	if !errors.Is(err, context.Canceled) || m == nil || m.Result.HeldOut != nil {
		t.Errorf("%v, model %v", err, m)
	}
}

func TestReadRefusesEstimates(t *testing.T) {
	p := random(5, 50, 4, 2, 1)
	m := mustTrain(t, p.dense, p.y, pegasos.Config{Lambda: 0.01, Epochs: 3})
	good := pegasos.Estimate{Metric: "accuracy", Value: 0.5, StdErr: 0.25, Rows: 7}
	m.Result.CrossValidated, m.Result.HeldOut = &good, &good
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if !strings.Contains(text, `"cross_validated":{"metric":"accuracy"`) {
		t.Fatalf("written: %.900s", text)
	}
	if _, err := pegasos.Read(strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	for name, e := range map[string]pegasos.Estimate{
		"metric": {Metric: "auc", Value: 0.5, Rows: 7},
		"value":  {Metric: "accuracy", Value: 2, Rows: 7},
		"error":  {Metric: "r2", Value: 0.5, StdErr: -0.25, Rows: 7},
		"rows":   {Metric: "r2", Value: 0.5},
	} {
		for _, held := range []bool{false, true} {
			if m.Result.CrossValidated, m.Result.HeldOut = &e, nil; held {
				m.Result.CrossValidated, m.Result.HeldOut = nil, &e
			}
			b.Reset()
			if err := m.Write(&b); err != nil {
				continue // Write rejects the estimate
			}
			if _, err := pegasos.Read(&b); err == nil || !strings.Contains(err.Error(), "result: ") {
				t.Errorf("%s, held out %v: %v", name, held, err)
			}
		}
	}
}
