package onnx

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/pegasos"
	"google.golang.org/protobuf/encoding/protowire"
)

// fields returns the values of each field number: []byte, int64 or float32.
func fields(t *testing.T, m []byte) map[protowire.Number][]any {
	t.Helper()
	all := map[protowire.Number][]any{}
	for len(m) > 0 {
		number, kind, n := protowire.ConsumeTag(m)
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		m = m[n:]
		switch kind {
		case protowire.VarintType:
			v, n := protowire.ConsumeVarint(m)
			all[number], m = append(all[number], int64(v)), m[n:]
		case protowire.BytesType:
			v, n := protowire.ConsumeBytes(m)
			if n < 0 {
				t.Fatal(protowire.ParseError(n))
			}
			all[number], m = append(all[number], v), m[n:]
		case protowire.Fixed32Type:
			v, n := protowire.ConsumeFixed32(m)
			all[number], m = append(all[number], math.Float32frombits(v)), m[n:]
		default:
			t.Fatalf("unknown wire type %d", kind)
		}
	}
	return all
}

func describe(t *testing.T, m *pegasos.Model) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, m); err != nil {
		t.Fatal(err)
	}
	var s strings.Builder
	graph := fields(t, fields(t, b.Bytes())[7][0].([]byte))
	for _, n := range graph[1] {
		node := fields(t, n.([]byte))
		fmt.Fprintf(&s, "%s %s:", node[4][0], bytes.Join(asBytes(node[2]), []byte(" ")))
		for _, a := range node[5] {
			attribute := fields(t, a.([]byte))
			fmt.Fprintf(&s, " %s=", attribute[1][0])
			switch attribute[20][0].(int64) {
			case typeFloat:
				fmt.Fprint(&s, attribute[2][0])
			case typeInt:
				fmt.Fprint(&s, attribute[3][0])
			case typeString:
				fmt.Fprintf(&s, "%s", attribute[4][0])
			case typeFloats:
				fmt.Fprint(&s, unpack(attribute[7][0].([]byte)))
			case typeInts:
				fmt.Fprint(&s, attribute[8])
			case typeStrings:
				fmt.Fprintf(&s, "%q", asBytes(attribute[9]))
			}
		}
		s.WriteByte('\n')
	}
	for _, i := range graph[5] {
		tensor := fields(t, i.([]byte))
		switch tensor[2][0].(int64) {
		case elementFloat:
			fmt.Fprintf(&s, "%s%v=%v\n", tensor[8][0], tensor[1], unpack(tensor[4][0].([]byte)))
		case elementInt64:
			fmt.Fprintf(&s, "%s%v=%v\n", tensor[8][0], tensor[1], tensor[7])
		case elementDouble:
			packed, values := tensor[10][0].([]byte), []float64{}
			for ; len(packed) > 0; packed = packed[8:] {
				values = append(values, math.Float64frombits(binary.LittleEndian.Uint64(packed)))
			}
			fmt.Fprintf(&s, "%s%v=%v\n", tensor[8][0], tensor[1], values)
		case elementString:
			fmt.Fprintf(&s, "%s%v=%q\n", tensor[8][0], tensor[1], asBytes(tensor[6]))
		}
	}
	return s.String()
}

func unpack(packed []byte) (values []float32) {
	for ; len(packed) > 0; packed = packed[4:] {
		values = append(values, math.Float32frombits(binary.LittleEndian.Uint32(packed)))
	}
	return values
}

func asBytes(values []any) (all [][]byte) {
	for _, v := range values {
		all = append(all, v.([]byte))
	}
	return all
}

func TestWrite(t *testing.T) {
	for want, m := range map[string]*pegasos.Model{
		"LinearClassifier label scores: coefficients=[-1 2 -0 1 -2 0] intercepts=[-0.5 0.5] " +
			"classlabels_ints=[-1 7] multi_class=0 post_transform=NONE\n": {
			Classes: []float32{-1, 7}, Weights: [][]float32{{1, -2, 0}}, Bias: []float64{0.5}},
		"LinearClassifier label probabilities: coefficients=[-1 1] intercepts=[-0 0] " +
			"classlabels_strings=[\"0.5\" \"7\"] multi_class=0 post_transform=LOGISTIC\n": {
			Classes: []float32{0.5, 7}, Weights: [][]float32{{1}},
			Config: pegasos.Config{Loss: pegasos.Log}},
		"LinearClassifier label odds: coefficients=[1 2 3] intercepts=[0 0 0] " +
			"classlabels_strings=[\"a\" \"b\" \"ü\"] multi_class=0 post_transform=LOGISTIC\n" +
			"Normalizer probabilities: norm=L1\n": {
			Classes: []float32{0, 1, 2}, Names: []string{"a", "b", "ü"},
			Weights: [][]float32{{1}, {2}, {3}}, Config: pegasos.Config{Loss: pegasos.Log}},
		"LinearClassifier label probabilities: coefficients=[1 2] intercepts=[0 0] " +
			"classlabels_ints=[0 1] multi_class=0 post_transform=SOFTMAX\n": {
			Classes: []float32{0, 1}, Weights: [][]float32{{1}, {2}},
			Config: pegasos.Config{Loss: pegasos.Log, Multiclass: pegasos.Multinomial}},
		"LinearClassifier label scores: coefficients=[-1 1] intercepts=[-0 0] " +
			"classlabels_ints=[0 1] multi_class=0 post_transform=NONE\n" +
			"Mul scaled:\nAdd shifted:\nSigmoid probabilities:\nfactors[2]=[2 " +
			"2]\nterms[2]=[0.5 -0.5]\n": {
			Classes: []float32{0, 1}, Weights: [][]float32{{1}}, Calibration: []pegasos.Sigmoid{
				{A: -2, B: 0.5}}},
		"LinearClassifier label scores: coefficients=[1 2 3] intercepts=[0 0 0] " +
			"classlabels_ints=[0 1 2] multi_class=0 post_transform=NONE\n" +
			"Mul scaled:\nAdd shifted:\nSigmoid each:\nNormalizer probabilities: " +
			"norm=L1\nfactors[3]=[2 3 4]\nterms[3]=[-0.5 -0.25 -0]\n": {
			Classes: []float32{0, 1, 2}, Weights: [][]float32{{1}, {2}, {3}},
			Calibration: []pegasos.Sigmoid{{A: -2, B: 0.5}, {A: -3, B: 0.25}, {A: -4}},
			Config:      pegasos.Config{Loss: pegasos.Log}},
		votes + "zero[1]=[0]\nthree[1]=[3]\nsides[3 3]=[-1 1 0 -1 0 1 0 -1 1]\nfirsts[3]=[2 1 " +
			"0]\nlabels[3]=[1 2 5]\n": {
			Classes: []float32{1, 2, 5}, Weights: [][]float32{{1}, {2}, {3}},
			Config: pegasos.Config{Multiclass: pegasos.OneVsOne}},
		votes + "zero[1]=[0]\nthree[1]=[3]\nsides[3 3]=[-1 1 0 -1 0 1 0 -1 1]\nfirsts[3]=[2 1 " +
			"0]\nlabels[3]=[\"a\" \"b\" \"c\"]\n": {
			Classes: []float32{0, 1, 2}, Names: []string{"a", "b", "c"},
			Weights: [][]float32{{1}, {2}, {3}},
			Config:  pegasos.Config{Multiclass: pegasos.OneVsOne}},
		"LinearRegressor prediction: coefficients=[1 2] intercepts=[3] targets=1\n": {
			Weights: [][]float32{{1, 2}}, Bias: []float64{3},
			Config: pegasos.Config{Loss: pegasos.EpsInsensitive}},
	} {
		if have := describe(t, m); have != want {
			t.Errorf("%s\nwant\n%s", have, want)
		}
	}
}

const votes = `LinearRegressor pairs: coefficients=[1 2 3] intercepts=[0 0 0] targets=3
Greater positive:
Cast won: to=1
MatMul moved:
Add votes:
MatMul sums:
Abs sizes:
Mul thrice:
Add scale:
Div parts:
Add scores:
ArgMax class: axis=1 keepdims=0
Gather label:
`

func TestWriteScaled(t *testing.T) {
	unit := &pegasos.Scaling{Kind: pegasos.ScaleUnit}
	far := &pegasos.Scaling{Kind: pegasos.ScaleStandard, Shift: []float32{5000, 1},
		Factor: []float32{0.5, 2}}
	tiny := &pegasos.Scaling{Kind: pegasos.ScaleMaxAbs, Factor: []float32{4, 1}}
	folded := *far
	folded.Folded = true
	two := pegasos.Model{Classes: []float32{0, 1}, Weights: [][]float32{{3, 4}}}
	three := pegasos.Model{Classes: []float32{0, 1, 2},
		Weights: [][]float32{{3, 4}, {1, 2}, {0, 1}},
		Config:  pegasos.Config{Multiclass: pegasos.OneVsOne}}
	number := pegasos.Model{Weights: [][]float32{{3, 4}}}
	const scaler = "Scaler rescaled: offset=[5000 1] scale=[0.5 2]\n"
	for _, c := range []struct {
		m     pegasos.Model
		s     *pegasos.Scaling
		first string
		input string
	}{
		{two, unit, "Normalizer rescaled: norm=L2\n", "rescaled"},
		{two, far, scaler, "rescaled"}, {three, far, scaler, "rescaled"},
		{number, far, scaler, "rescaled"},
		{two, tiny, "Scaler rescaled: offset=[0 0] scale=[4 1]\n", "rescaled"},
		{two, &folded, "LinearClassifier label", "features"},
	} {
		c.m.Scaling = c.s
		if have := describe(t, &c.m); !strings.HasPrefix(have, c.first) {
			t.Errorf("%+v:\n%swant the start\n%s", c.s, have, c.first)
		}
		var b bytes.Buffer
		if err := Write(&b, &c.m); err != nil {
			t.Fatal(err)
		}
		for _, n := range fields(t, fields(t, b.Bytes())[7][0].([]byte))[1] {
			nd := fields(t, n.([]byte))
			if linear := bytes.HasPrefix(nd[4][0].([]byte), []byte("Linear")); linear &&
				string(nd[1][0].([]byte)) != c.input {
				t.Errorf("%+v: %s reads %s, want %s", c.s, nd[4][0], nd[1][0], c.input)
			}
		}
	}
	wrong := two
	wrong.Scaling = &pegasos.Scaling{Kind: pegasos.ScaleMaxAbs, Factor: []float32{1}}
	err := Write(io.Discard, &wrong)
	if err == nil || !strings.Contains(err.Error(), "does not fit") {
		t.Error(err)
	}
}

func TestWriteErrors(t *testing.T) {
	for want, m := range map[string]*pegasos.Model{
		"weight 1 of vector 0": {Classes: []float32{0, 1},
			Weights: [][]float32{{0, float32(math.NaN())}}},
		"not finite in float32": {Classes: []float32{0, 1}, Weights: [][]float32{{0}},
			Bias: []float64{1e39}},
		"weight vectors: have 6, want 4:": {Classes: []float32{0, 1, 2, 3},
			Weights: make([][]float32, 6)},
		"one for each pair": {Classes: []float32{0, 1, 2}, Weights: make([][]float32, 4),
			Config: pegasos.Config{Multiclass: pegasos.OneVsOne}},
		"calibration A 1e+39, B 0": {Classes: []float32{0, 1}, Weights: [][]float32{{0}},
			Calibration: []pegasos.Sigmoid{{A: 1e39}}},
		"536870912 weights, want at most": {Classes: make([]float32, 1<<16),
			Weights: [][]float32{make([]float32, 1<<13)}},
	} {
		if err := Write(io.Discard, m); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	two := &pegasos.Model{Classes: []float32{0, 1}, Weights: [][]float32{{0}}}
	if err := Write(&sample.FailingWriter{}, two); err != sample.ErrFull {
		t.Error(err)
	}
}
