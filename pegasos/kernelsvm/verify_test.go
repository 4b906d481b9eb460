package kernelsvm

import (
	"bytes"
	"context"
	"crypto/sha256"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/sparse"
)

// On rows in training's layout, Verify must prove about the gap that a model of dual coordinate
// ascent claims.
func TestVerify(t *testing.T) {
	ctx := context.Background()
	for name, cfg := range map[string]Config{
		"rbf": {}, "linear": {Kernel: Linear, Lambda: 0.1}, "tol": {Tol: 1e-3},
		"polynomial": {Kernel: Polynomial, Coef0: 1}, "sigmoid": {Kernel: Sigmoid, Gamma: 0.1},
		"c": {C: 2}, "rest": {Multiclass: pegasos.OneVsRest}, "steps": {Finish: pegasos.FinishNone},
		"iid": {Order: pegasos.IID},
	} {
		for classes := 2; classes <= 3; classes++ {
			p := sample.Random(uint64(classes), 150, 6, classes, 0.7)
			x := []pegasos.Examples{p.Dense, p.Sparse}
			tr := Trainer{Config: cfg, Fingerprint: true}
			m, err := tr.Train(ctx, x[classes%2], p.Y)
			if err != nil {
				t.Fatal(err)
			}
			var file bytes.Buffer
			if err := m.Write(&file); err != nil {
				t.Fatal(err)
			}
			if m, err = Read(bytes.NewReader(file.Bytes())); err != nil {
				t.Fatal(err)
			}
			for k, x := range x {
				v, err := tr.Verify(ctx, m, x, p.Y)
				if err != nil || v.Verdict == pegasos.Contradicted || !v.Known ||
					v.Bound > v.Objective {
					t.Errorf("%s, %d classes: verification %+v, error %v", name, classes, v, err)
				}
				finished := cfg.Finish == "" && cfg.Order == "" && cfg.Kernel != Sigmoid
				if finished && k == classes%2 &&
					!(v.Gap <= max(1.05*m.Result.Gap, m.Result.Gap+1e-4)) {
					t.Errorf("%s, %d classes: gap %v, want about %v", name, classes, v.Gap,
						m.Result.Gap)
				}
			}
		}
	}
}

func TestVerifyWithoutFeatures(t *testing.T) {
	x, err := sparse.New(0, make([]int64, 4), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	y := []float32{1, 1, 0}
	m, err := new(Trainer).Train(t.Context(), x, y)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := new(Trainer).Verify(t.Context(), m, x, y); err != nil ||
		v.Verdict == pegasos.Contradicted {
		t.Errorf("%+v, %v", v, err)
	}
}

func TestVerifyContradicts(t *testing.T) {
	ctx := context.Background()
	p := sample.Random(7, 120, 5, 3, 1)
	tr := Trainer{Fingerprint: true}
	m, err := tr.Train(ctx, p.Dense, p.Y)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := m.Write(&file); err != nil {
		t.Fatal(err)
	}
	body := file.Bytes()[:file.Len()-32]
	first := bytes.Index(body, []byte("\n\n")) + 2
	for at := first; at < len(body); at += 7 {
		changed := bytes.Clone(body)
		changed[at] ^= 1 << (at % 8)
		sum := sha256.Sum256(changed)
		if _, err := Read(bytes.NewReader(append(changed, sum[:]...))); err == nil {
			t.Errorf("byte %d changed: no error", at)
		}
	}
	again := func() *Model {
		m, err := Read(bytes.NewReader(file.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	labels, other := slices.Clone(p.Y), dense.New(120, 5)
	labels[3] = p.Y[slices.IndexFunc(p.Y, func(y float32) bool { return y != p.Y[3] })]
	for i := range 120 {
		copy(other.Row(i), p.Dense.Row(i))
	}
	other.Row(17)[2] += 0.25
	for name, c := range map[string]struct {
		change func(m *Model)
		x      *dense.Matrix
		y      []float32
		want   string
	}{
		"label": {func(*Model) {}, p.Dense, labels, "the data are not the model's"},
		"row":   {func(*Model) {}, other, p.Y, "the data are not the model's"},
		"unknown label": {func(m *Model) { m.Data = "" }, p.Dense, labels,
			""}, // either the objective or a support row contradicts
		"objective": {func(m *Model) { m.Result.Objective *= 1 + 1e-15 }, p.Dense, p.Y, "the mean"},
		"problem": {func(m *Model) {
			m.Result.PerProblem[1].Objective *= 0.9
			m.Result.Objective *= 0.97
		}, p.Dense, p.Y, "of problem 1"},
		"bound":       {func(m *Model) { m.Result.PerProblem[2].DualObjective *= 2 }, p.Dense, p.Y, "bound"},
		"coefficient": {func(m *Model) { m.coef[0][0] *= 3 }, p.Dense, p.Y, "the objective"},
		"lambda":      {func(m *Model) { m.Lambda *= 2 }, p.Dense, p.Y, "lambda"},
	} {
		m := again()
		c.change(m)
		v, err := tr.Verify(ctx, m, c.x, c.y)
		if err != nil || v.Verdict != pegasos.Contradicted ||
			!strings.Contains(strings.Join(v.Reasons, "; "), c.want) {
			t.Errorf("%s: verification %+v, error %v, want the reason %q", name, v, err, c.want)
		}
	}
	more := slices.Clone(p.Y)
	more[0] = 99
	if _, err := tr.Verify(ctx, m, p.Dense, more); err == nil ||
		!strings.Contains(err.Error(), "the label 99 of the rows is not a class") {
		t.Errorf("another class: %v", err)
	}
	for i, y := range p.Y {
		if more[i] = y; y == m.Classes[2] {
			more[i] = m.Classes[0]
		}
	}
	named := again()
	named.Names = []string{"a", "b", "c"}
	if _, err := tr.Verify(ctx, named, p.Dense, more); err == nil ||
		!strings.Contains(err.Error(), "no row has the label c, a class of the model") {
		t.Errorf("no rows of a class: %v", err)
	}
	if _, err := tr.Verify(ctx, m, dense.New(120, 4), p.Y); err == nil {
		t.Error("no error for fewer features")
	}
	m.Result.Objective = math.NaN()
	if v, err := tr.Verify(ctx, m, p.Dense, p.Y); err != nil || len(v.Reasons) > 0 {
		t.Errorf("no claimed objective: verification %+v, error %v", v, err)
	}
}

func TestVerifyLambdaBeyondTheRows(t *testing.T) {
	p := sample.Random(5, 30, 3, 2, 1)
	m, err := Train(t.Context(), p.Dense, p.Y, Config{Kernel: Linear, C: 1})
	if err != nil {
		t.Fatal(err)
	}
	m.Config.C = 1e-300
	_, err = new(Trainer).Verify(t.Context(), m, p.Dense, p.Y)
	if err == nil || !strings.HasPrefix(err.Error(), "kernelsvm: config.c of the model: have") {
		t.Error(err)
	}
}
