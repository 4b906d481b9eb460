package pegasos_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/pegasos"
)

func TestVerifyChangedModel(t *testing.T) {
	data := random(71, 60, 5, 3, 1)
	m := train(t, data.dense, data.y, pegasos.Trainer{Config: pegasos.Config{Lambda: 0.05,
		Scale: pegasos.ScaleMaxAbs, Bias: pegasos.BiasAugmented, Multiclass: pegasos.OneVsRest,
		Epochs: 40, Finish: pegasos.FinishNone}, Fingerprint: true})
	verify := func(change func(m *pegasos.Model)) *pegasos.Verification {
		c := *m
		scaling := *m.Scaling
		c.Scaling, scaling.Factor = &scaling, append([]float32(nil), scaling.Factor...)
		c.Result.PerClass = append([]pegasos.ClassResult(nil), m.Result.PerClass...)
		change(&c)
		v, err := new(pegasos.Trainer).Verify(t.Context(), &c, data.dense, data.y,
			pegasos.VerifyOptions{Passes: 20})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	v := verify(func(*pegasos.Model) {})
	if v.Verdict != pegasos.Confirmed || len(v.Reasons) > 0 || !v.Scaling || !v.Known || v.Proven ||
		v.Hash != m.Hash() || v.Data != m.Data {
		t.Errorf("the unchanged model: %+v", v)
	}
	for want, change := range map[string]func(m *pegasos.Model){
		"config.scale is standard, but scaling.kind is max-abs": func(m *pegasos.Model) {
			m.Config.Scale = pegasos.ScaleStandard
		},
		"config.bias is none, but the model has a bias": func(m *pegasos.Model) {
			m.Config.Bias, m.Config.BiasScale = pegasos.BiasNone, 0
		},
		"config.bias is augmented, but the model has no bias": func(m *pegasos.Model) { m.Bias = nil },
		"config and the data give lambda 0.05, but its lambda is 0.06": func(m *pegasos.Model) {
			m.Lambda = 0.06
		},
		"the lambda of weight vector 1 is 0.05, not 0.07": func(m *pegasos.Model) {
			m.Result.PerClass[1].Lambda = 0.07
		},
		"the objective of weight vector 2 is": func(m *pegasos.Model) {
			m.Result.PerClass[2].Objective *= 1.1
		},
		"results of 2 weight vectors, want 3": func(m *pegasos.Model) {
			m.Result.PerClass = m.Result.PerClass[:2]
		},
		"the mean of the claimed objectives is": func(m *pegasos.Model) {
			m.Result.Objective *= 1 + 1e-9
		},
		"the data are not the model's": func(m *pegasos.Model) {
			m.Data = "dense:" + strings.Repeat("0", 64)
		},
	} {
		v := verify(change)
		if v.Verdict != pegasos.Contradicted || !strings.Contains(strings.Join(v.Reasons, "; "), want) {
			t.Errorf("%s: %v, want %q", v.Verdict, v.Reasons, want)
		}
	}
	if v := verify(func(m *pegasos.Model) { m.Scaling.Factor[2] *= 1.5 }); v.Scaling {
		t.Errorf("with a changed factor Verify recognizes the scaling: %+v", v)
	}
	if v := verify(func(m *pegasos.Model) {
		m.Result.Objective, m.Result.DualObjective, m.Result.Gap = math.NaN(), math.NaN(), math.NaN()
	}); v.Verdict != pegasos.ClaimsNothing || len(v.Reasons) > 0 {
		t.Errorf("without claims: %+v", v)
	}
	v, err := new(pegasos.Trainer).Verify(t.Context(), m, data.sparse, data.y,
		pegasos.VerifyOptions{Passes: 20})
	if err != nil || v.Verdict == pegasos.Contradicted || !v.Known || v.Data == m.Data {
		t.Errorf("sparse rows: %+v, %v", v, err)
	}
}

func TestVerifyChangedGap(t *testing.T) {
	data := random(72, 60, 5, 2, 1)
	m := mustTrain(t, data.dense, data.y, pegasos.Config{Lambda: 0.05, Epochs: 40})
	text := string(encode(t, m))
	text = text[:len(text)-32]
	begin := strings.Index(text, `"gap":`) + len(`"gap":`)
	end := begin + strings.IndexAny(text[begin:], ",}")
	bad := text[:begin] + "0.00001234" + text[end:]
	read, err := pegasos.Read(strings.NewReader(seal(bad, "")))
	if err != nil {
		t.Fatal(err)
	}
	if read.Result.Gap != m.Result.Gap {
		t.Errorf("the gap is %v, want %v as computed", read.Result.Gap, m.Result.Gap)
	}
	v, err := new(pegasos.Trainer).Verify(t.Context(), read, data.dense, data.y,
		pegasos.VerifyOptions{})
	if err != nil || v.Verdict != pegasos.Contradicted ||
		!strings.Contains(strings.Join(v.Reasons, "; "), "the gap is 1.234e-05 in the file") {
		t.Errorf("%+v, %v", v, err)
	}
}

func TestVerifyRowsThatDoNotFitSettings(t *testing.T) {
	data := random(72, 60, 5, 2, 1)
	var rows []int
	for i, y := range data.y {
		if y == data.y[0] {
			rows = append(rows, i)
		}
	}
	other := data.y[slices.IndexFunc(data.y, func(y float32) bool { return y != data.y[0] })]
	some := dense.New(len(rows), 5)
	labels := make([]float32, len(rows))
	for k, i := range rows {
		copy(some.Row(k), data.dense.Row(i))
		labels[k] = data.y[0]
	}
	for _, cfg := range []pegasos.Config{
		{Batch: 60}, {ClassWeight: fmt.Sprintf("%v=2", other)},
	} {
		cfg.Lambda, cfg.Epochs = 0.1, 2
		m := train(t, data.dense, data.y, pegasos.Trainer{Config: cfg, Fingerprint: true})
		v, err := new(pegasos.Trainer).Verify(t.Context(), m, some, labels, pegasos.VerifyOptions{})
		if err != nil || v.Verdict != pegasos.Contradicted ||
			!strings.HasPrefix(v.Reasons[0], "the data are not the model's training data") {
			t.Errorf("batch %d, class weights %q: %+v, %v", cfg.Batch, cfg.ClassWeight, v, err)
		}
	}
}

func TestScaledLabelBeyondFloat32(t *testing.T) {
	data := random(73, 30, 3, 2, 1)
	small, large := make([]float32, 30), make([]float32, 30)
	for i := range small {
		small[i], large[i] = float32(i)*1e-10, float32(i)*1e37
	}
	m := train(t, data.dense, small, pegasos.Trainer{Config: pegasos.Config{Loss: pegasos.Squared}})
	_, err := new(pegasos.Trainer).Verify(t.Context(), m, data.dense, large,
		pegasos.VerifyOptions{})
	p, perr := pegasos.NewPartialFrom(m)
	if perr != nil {
		t.Fatal(perr)
	}
	for what, err := range map[string]error{"Verify": err, "Fit": p.Fit(data.dense, large)} {
		var row *pegasos.RowError
		if !errors.As(err, &row) || !strings.HasPrefix(row.Reason, "the scaled label exceeds") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestVerifyLambdaBeyondTheRows(t *testing.T) {
	data := random(74, 30, 3, 2, 1)
	m := train(t, data.dense, data.y, pegasos.Trainer{Config: pegasos.Config{Lambda: 1}})
	m.Config.Lambda = 1e300
	_, err := new(pegasos.Trainer).Verify(t.Context(), m, data.dense, data.y,
		pegasos.VerifyOptions{})
	if err == nil || !strings.HasPrefix(err.Error(), "pegasos: config.lambda of the model: have") {
		t.Error(err)
	}
}
