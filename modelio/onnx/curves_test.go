package onnx

import (
	"bytes"
	"context"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/pegasos"
)

// evaluate computes the graph's output "scores", or "prediction" of a regression, for the rows of
// x.
func evaluate(t *testing.T, m *pegasos.Model, x *dense.Matrix) [][]float32 {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, m); err != nil {
		t.Fatal(err)
	}
	graph := fields(t, fields(t, b.Bytes())[7][0].([]byte))
	tensors, indices := map[string][]float32{}, map[string][]any{}
	for _, i := range graph[5] {
		f := fields(t, i.([]byte))
		if name := string(f[8][0].([]byte)); f[2][0].(int64) == elementFloat {
			tensors[name] = unpack(f[4][0].([]byte))
		} else {
			indices[name] = f[7]
		}
	}
	rows := map[string][][]float32{}
	for i := range x.Rows() {
		rows["features"] = append(rows["features"], x.Row(i))
	}
	for _, n := range graph[1] {
		f := fields(t, n.([]byte))
		var in []string
		for _, name := range asBytes(f[1]) {
			in = append(in, string(name))
		}
		outputs := asBytes(f[2])
		out := string(outputs[len(outputs)-1]) // the label comes first
		of := attributesOf(t, f[5])
		for i, r := range rows[in[0]] {
			rows[out] = append(rows[out], calculate(t, string(f[4][0].([]byte)), r, of, func(k int) any {
				switch name := in[k]; {
				case tensors[name] != nil:
					return tensors[name]
				case indices[name] != nil:
					return indices[name]
				default:
					return rows[name][i]
				}
			}))
		}
	}
	if m.Classes == nil {
		return rows["prediction"]
	}
	return rows["scores"]
}

func attributesOf(t *testing.T, all []any) map[string][]float32 {
	t.Helper()
	of := map[string][]float32{}
	for _, a := range all {
		f := fields(t, a.([]byte))
		name := string(f[1][0].([]byte))
		switch {
		case f[7] != nil:
			of[name] = unpack(f[7][0].([]byte))
		case name == "axis" && f[3][0].(int64) != 1:
			t.Errorf("the axis is %d", f[3][0])
		}
	}
	return of
}

func calculate(t *testing.T, operator string, row []float32, of map[string][]float32,
	input func(k int) any) (out []float32) {
	t.Helper()
	each := func(f func(j int, v float32) float32) {
		for j, v := range row {
			out = append(out, f(j, v))
		}
	}
	switch operator {
	case "Scaler":
		offset, scale := of["offset"], of["scale"]
		each(func(j int, v float32) float32 { return (v - offset[j]) * scale[j] })
	case "Clip":
		least, most := input(1).([]float32)[0], input(2).([]float32)[0]
		each(func(_ int, v float32) float32 { return max(least, min(most, v)) })
	case "Gather":
		for _, j := range input(1).([]any) {
			out = append(out, row[j.(int64)])
		}
	case "Mul":
		other := input(1).([]float32)
		each(func(j int, v float32) float32 { return v * other[j] })
	case "Sub":
		other := input(1).([]float32)
		each(func(j int, v float32) float32 { return v - other[j] })
	case "Relu":
		each(func(_ int, v float32) float32 { return max(0, v) })
	case "Concat":
		out = append(append(out, row...), input(1).([]float32)...)
	case "LinearClassifier", "LinearRegressor":
		w := of["coefficients"]
		for k, b := range of["intercepts"] {
			for j, v := range row {
				b += v * w[k*len(row)+j]
			}
			out = append(out, b)
		}
	default:
		t.Fatalf("the operator %s is not known", operator)
	}
	return out
}

func TestWriteCurves(t *testing.T) {
	const n, cols = 200, 4
	r := rand.New(rand.NewPCG(1, 2))
	x, two, three, number := dense.New(n, cols), make([]float32, n), make([]float32, n),
		make([]float32, n)
	for i := range n {
		row, sum := x.Row(i), 0.0
		for j := range row {
			z := r.NormFloat64()
			if i == j {
				z = 9
			}
			row[j] = float32(z*float64(j+1) + 3)
			sum += z * z
		}
		number[i] = float32(sum)
		three[i] = float32(min(2, math.Floor(sum/3)))
		two[i] = min(1, three[i])
	}
	base := pegasos.Config{Lambda: 1e-3, Epochs: 20, Bias: pegasos.BiasAugmented, BiasScale: 1}
	for _, kind := range []pegasos.Curves{pegasos.CurvesProducts, pegasos.CurvesPieces} {
		for name, c := range map[string]struct {
			y       []float32
			change  func(*pegasos.Config)
			columns []int
		}{
			"two classes":      {two, func(*pegasos.Config) {}, nil},
			"three classes":    {three, func(c *pegasos.Config) { c.Multiclass = pegasos.OneVsRest }, nil},
			"regression":       {number, func(c *pegasos.Config) { c.Loss = pegasos.Squared }, nil},
			"unscaled columns": {two, func(c *pegasos.Config) { c.Scale = pegasos.ScaleNone }, []int{1, 3}},
		} {
			cfg := base
			cfg.Curves = kind
			c.change(&cfg)
			m, err := (&pegasos.Trainer{Config: cfg, CurveColumns: c.columns}).Train(
				context.Background(), x, c.y)
			if err != nil || m.Scaling.Expansion == nil {
				t.Fatal(err, m.Settings())
			}
			have := evaluate(t, m, x)
			for i := range n {
				want := m.Score(x.Row(i), nil)
				if len(m.Classes) == 2 {
					want = []float64{-want[0], want[0]}
				}
				for k, z := range want {
					if off := math.Abs(float64(have[i][k]) - z); !(off <= 1e-4*max(1, math.Abs(z))) {
						t.Fatalf("%s, %s, row %d: scores %v, want %v", kind, name, i, have[i], want)
					}
				}
			}
		}
	}
}

func TestWriteCurvesErrors(t *testing.T) {
	for _, c := range []struct {
		term    pegasos.Expansion
		kind    pegasos.Scale
		weights int
		want    string
	}{
		{pegasos.Expansion{Kind: pegasos.CurvesProducts}, pegasos.ScaleNone, 3, "0 terms"},
		{square(2), pegasos.ScaleNone, 3, "2*2"},
		{square(1), pegasos.ScaleUnit, 3, "does not fit"},
		{square(1), pegasos.ScaleStandard, 3, "does not fit"},
	} {
		m := &pegasos.Model{Classes: []float32{0, 1}, Weights: [][]float32{make([]float32, c.weights)},
			Scaling: &pegasos.Scaling{Kind: c.kind, Expansion: &c.term}}
		if err := Write(io.Discard, m); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.term, err, c.want)
		}
	}
	e := square(1)
	m := &pegasos.Model{Classes: []float32{0, 1}, Weights: [][]float32{{1, 2, 3}},
		Scaling: &pegasos.Scaling{Kind: pegasos.ScaleNone, Expansion: &e}}
	if err := Write(io.Discard, m); err != nil {
		t.Error(err)
	}
	if err := Write(io.Discard, m.WithCols(1)); err == nil ||
		!strings.Contains(err.Error(), "weights of vector 0: have 3, want 2:") {
		t.Error(err)
	}
}

func square(j int32) pegasos.Expansion {
	return pegasos.Expansion{Kind: pegasos.CurvesProducts, Shift: []float32{0}, Factor: []float32{1},
		Terms: append(new(pegasos.Expansion).Terms, [2]int32{j, j})}
}
