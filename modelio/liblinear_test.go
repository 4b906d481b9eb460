package modelio

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/pegasos"
)

func readText(t testing.TB, text string) *pegasos.Model {
	t.Helper()
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	m, err := ReadLiblinear(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	if err := m.Write(io.Discard); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return m
}

func writeText(t testing.TB, m *pegasos.Model) string {
	t.Helper()
	var b strings.Builder
	if err := WriteLiblinear(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func row(t testing.TB, values ...float32) *dense.Matrix {
	t.Helper()
	x, err := dense.FromSlice(1, len(values), values)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

const binary = `solver_type L2R_L2LOSS_SVC
nr_class 2
label -1 +1
nr_feature 3
bias 0.5
w
1.5 
-2 
0 
0.25 
`

func TestReadLiblinear(t *testing.T) {
	m := readText(t, binary)
	if fmt.Sprint(m.Classes, m.Weights) != "[-1 1] [[-1.5 2 -0]]" ||
		math.Abs(m.Bias[0]+0.125) > 1e-16 || m.IndexBase != 1 ||
		m.Config.Loss != pegasos.SquaredHinge || m.Config.BiasScale != 0.5 ||
		m.Lambda != pegasos.DefaultLambda {
		t.Errorf("two classes: %+v", m)
	}
	// Any white space separates tokens, and the header's lines may have another order.
	other := readText(t, "nr_class\t2 label\r\n1\n-1 bias 0 solver_type L2R_LR nr_feature 3 w "+
		"-1.5 2 0 99")
	if fmt.Sprint(other.Classes, other.Weights, other.Bias) != "[-1 1] [[-1.5 2 0]] []" ||
		other.Config.Loss != pegasos.Log || other.Config.Bias != "" {
		t.Errorf("header in another order: %+v", other)
	}
	three := readText(t, "solver_type MCSVM_CS\nnr_class 3\nlabel 5 -3 1\nnr_feature 2\nbias "+
		"-1\nw\n1 2 3 \n4 5 6 \n")
	if fmt.Sprint(three.Classes, three.Weights) != "[-3 1 5] [[2 5] [3 6] [1 4]]" ||
		three.Config.Multiclass != pegasos.CrammerSinger {
		t.Errorf("three classes: %+v", three)
	}
	// A Crammer-Singer file has two vectors for two classes; the model has the first.
	two := readText(t, "solver_type MCSVM_CS\nnr_class 2\nlabel 1 -1\nnr_feature 2\nbias 1\nw\n1 "+
		"-1 \n4 -4 \n7 -7 \n")
	if fmt.Sprint(two.Classes, two.Weights, two.Bias) != "[-1 1] [[1 4]] [7]" {
		t.Errorf("Crammer-Singer, two classes: %+v", two)
	}
	for solver, loss := range map[string]pegasos.Loss{"L2R_L2LOSS_SVR": pegasos.Squared,
		"L2R_L2LOSS_SVR_DUAL": pegasos.Squared, "L2R_L1LOSS_SVR_DUAL": pegasos.EpsInsensitive} {
		numbers := readText(t, "solver_type "+solver+"\nnr_class 2\nnr_feature 2\nbias 1\nw\n1 "+
			"\n4 \n7 \n")
		if fmt.Sprint(numbers.Classes, numbers.Weights, numbers.Bias) != "[] [[1 4]] [7]" ||
			numbers.Config.Loss != loss {
			t.Errorf("%s: %+v", solver, numbers)
		}
	}
}

func TestWriteLiblinear(t *testing.T) {
	x := row(t, 0)
	m := &pegasos.Model{Classes: []float32{-1, 1}, Weights: [][]float32{{0.1, -1e-40, 3e38}},
		Bias: []float64{1. / 3}, Lambda: 1}
	want := "solver_type L2R_L1LOSS_SVC_DUAL\nnr_class 2\nlabel 1 -1\nnr_feature 3\nbias 1\nw\n" +
		"0.10000000149011612 \n-9.99994610111476e-41 \n3.0000000054977558e+38 " +
		"\n0.3333333333333333 \n"
	if have := writeText(t, m); have != want {
		t.Errorf("%s\nwant\n%s", have, want)
	}
	m.Config.Loss, m.Bias, m.Classes, m.Weights = pegasos.Log, nil, []float32{1, 2, 7}, [][]float32{
		{1}, {2}, {3}}
	if have := writeText(t, m); have != "solver_type L2R_LR\nnr_class 3\nlabel 1 2 7\nnr_feature "+
		"1\nbias -1\nw\n1 2 3 \n" {
		t.Error(have)
	}
	m.Config.Loss, m.Classes, m.Weights = pegasos.EpsInsensitive, nil, [][]float32{{1}}
	if have := writeText(t, m); have != "solver_type L2R_L1LOSS_SVR_DUAL\nnr_class 2\nnr_feature "+
		"1\nbias -1\nw\n1 \n" {
		t.Error(have)
	}
	m.Config.Loss = pegasos.Squared
	if have := writeText(t, m); have != "solver_type L2R_L2LOSS_SVR\nnr_class 2\nnr_feature "+
		"1\nbias -1\nw\n1 \n" {
		t.Error(have)
	}
	m = &pegasos.Model{Classes: []float32{1, 2}, Weights: [][]float32{{1, 2}, {3, -7}},
		Bias: []float64{1, 0.5}, Lambda: 1,
		Config: pegasos.Config{Multiclass: pegasos.CrammerSinger}}
	if have := writeText(t, m); have != "solver_type L2R_L1LOSS_SVC_DUAL\nnr_class 2\nlabel 2 "+
		"1\nnr_feature 2\nbias 1\nw\n2 \n-9 \n-0.5 \n" {
		t.Error(have)
	}
	m.Classes, m.Weights, m.Bias = []float32{1, 2, 3}, [][]float32{{1}, {2}, {3}}, nil
	if have := writeText(t, m); have != "solver_type MCSVM_CS\nnr_class 3\nlabel 1 2 "+
		"3\nnr_feature 1\nbias -1\nw\n1 2 3 \n" {
		t.Error(have)
	}
	nan := float32(math.NaN())
	for want, m := range map[string]*pegasos.Model{
		"whole number of 32 bits": {Classes: []float32{0.5, 1}, Weights: [][]float32{{1}}},
		"label 2.1474836e+09":     {Classes: []float32{0, 1 << 31}, Weights: [][]float32{{1}}},
		"3 weight vectors":        {Classes: []float32{0, 1}, Weights: [][]float32{{1}, {1}, {1}}},
		"6 weight vectors":        {Classes: []float32{0, 1, 2, 3}, Weights: make([][]float32, 6)},
		"one-vs-one models of 3 classes": {Classes: []float32{0, 1, 2}, Weights: make([][]float32, 3),
			Config: pegasos.Config{Multiclass: pegasos.OneVsOne}},
		"1 class, want":        {Classes: []float32{0}, Weights: [][]float32{{1}}},
		"weight 0 of vector 0": {Classes: []float32{0, 1}, Weights: [][]float32{{nan}}},
		"bias 0 is": {Classes: []float32{0, 1}, Weights: [][]float32{{1}},
			Bias: []float64{math.Inf(1)}},
	} {
		m.Lambda = 1
		if err := WriteLiblinear(io.Discard, m); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	two := &pegasos.Model{Classes: []float32{0, 1}, Weights: [][]float32{x.Row(0)}, Lambda: 1,
		Scaling: &pegasos.Scaling{Kind: pegasos.ScaleNone}}
	if err := WriteLiblinear(io.Discard, two); err != nil {
		t.Errorf("a scaling that changes nothing: %v", err)
	}
	if err := WriteLiblinear(&sample.FailingWriter{}, two); err != sample.ErrFull {
		t.Error(err)
	}
}

// With two labels, the second in the file wins a tie; with more, the first of the tied labels.
func TestLiblinearTies(t *testing.T) {
	for _, c := range []struct {
		header, w string
		row       []float32
		want      float32
	}{
		{"label 1 -1 nr_feature 1 bias -1", "2", []float32{0}, -1},
		{"label -1 1 nr_feature 1 bias -1", "2", []float32{0}, 1},
		{"label -1 1 nr_feature 1 bias -1", "2", []float32{1e-45}, -1}, // not a tie
		{"label -1 1 nr_feature 1 bias -1", "2", []float32{-1e-45}, 1},
		{"label 1 -1 nr_feature 1 bias 1", "2 -6", []float32{3}, -1},
		{"label -1 1 nr_feature 1 bias 1", "2 -6", []float32{3}, 1},
		{"label -1 1 nr_feature 1 bias 1", "2 -6", []float32{math.Nextafter32(3, 4)}, -1},
		{"label -1 1 nr_feature 1 bias 1", "2 -6", []float32{math.Nextafter32(3, 2)}, 1},
		{"label -1 1 nr_feature 1 bias 0", "2 -6", []float32{0}, 1},
	} {
		m := readText(t, "solver_type L2R_LR nr_class 2 "+c.header+" w "+c.w)
		if got := m.Predict(row(t, c.row...), 0); got != c.want {
			t.Errorf("%s, %v: %v, want %v", c.header, c.row, got, c.want)
		}
		if again := readText(t, writeText(t, m)).Predict(row(t, c.row...), 0); again != c.want {
			t.Errorf("%s, %v, after writing and reading: %v, want %v", c.header, c.row, again, c.want)
		}
	}
	for _, c := range []struct {
		text string
		x    float32
		want float32
	}{
		{"label 3 9 1 2 nr_feature 1 bias -1 w 0 1 1 2", 0, 3},
		{"label 9 3 1 2 nr_feature 1 bias -1 w 0 1 1 2", 0, 9},
		{"label 1 2 3 9 nr_feature 1 bias -1 w 0 1 1 2", 0, 1},
		{"label 9 3 1 2 nr_feature 1 bias -1 w 0 1 1 2", 1, 2},
		{"label 9 3 1 2 nr_feature 1 bias -1 w 0 1 1 2", -1, 9},
		{"label 9 3 1 2 nr_feature 1 bias 1 w 0 1 1 2 5 7 7 7", 0, 3}, // three biases tie
		{"label 9 3 1 2 nr_feature 1 bias 1 w 0 1 1 2 7 5 7 7", 0, 9},
		{"label 9 3 1 2 nr_feature 1 bias 1 w 0 1 1 2 5 6 8 7", 0, 1}, // none tie
	} {
		m := readText(t, "solver_type L2R_LR nr_class 4 "+c.text)
		if got := m.Predict(row(t, c.x), 0); got != c.want {
			t.Errorf("%s, %v: %v, want %v", c.text, c.x, got, c.want)
		}
		if again := readText(t, writeText(t, m)); again.Hash() != m.Hash() {
			t.Errorf("%s: the model is another when written and read again", c.text)
		}
	}
}

func TestLiblinearStart(t *testing.T) {
	m := readText(t, "solver_type L2R_L1LOSS_SVC_DUAL nr_class 2 label -1 1 nr_feature 1 "+
		"bias -1 w -2")
	x, err := dense.FromSlice(2, 1, []float32{1, -1})
	if err != nil {
		t.Fatal(err)
	}
	tr := pegasos.Trainer{Start: m, Config: pegasos.Config{Lambda: 0.5, Epochs: 1}}
	if next, err := tr.Train(t.Context(), x, []float32{1, -1}); err != nil || next.Bias != nil ||
		next.Weights[0][0] <= 0 {
		t.Errorf("trained model %+v, error %v", next, err)
	}
}

func TestLiblinearHostile(t *testing.T) {
	edit := func(old, new string) string {
		if !strings.Contains(binary, old) {
			t.Fatalf("the file has no %q", old)
		}
		return strings.Replace(binary, old, new, 1)
	}
	for name, c := range map[string]struct{ text, want string }{
		"empty":               {"", "line 1, column 1: the text ends"},
		"another file":        {"pegasimd model 1\n", `line 1, column 1: "pegasimd"`},
		"binary":              {"\x00\x01\x02", "line 1, column 1"},
		"solver unknown":      {edit("SVC\n", "SVX\n"), "line 1, column 13"},
		"solver of one class": {edit("L2R_L2LOSS_SVC", "ONECLASS_SVM"), "line 1, column 13"},
		"rho":                 {edit("bias", "rho 1 bias"), `"rho"`},
		"solver missing": {edit("solver_type L2R_L2LOSS_SVC\n", ""),
			"line 5, column 1: solver_type is missing"},
		"classes missing": {edit("nr_class 2\nlabel -1 +1\n", ""),
			"nr_class is missing"},
		"features missing": {edit("nr_feature 3\n", ""), "nr_feature is missing"},
		"bias missing":     {edit("bias 0.5\n", ""), "bias is missing"},
		"labels missing":   {edit("label -1 +1\n", ""), "line 5, column 1: label is missing"},
		"labels before their number": {"label 1 2\nnr_class 2\n",
			"line 1, column 1: label: want nr_class before it"},
		"labels of numbers": {edit("L2R_L2LOSS_SVC", "L2R_L2LOSS_SVR"),
			"want nr_class 2, and no label, for the regression L2R_L2LOSS_SVR"},
		"classes of numbers": {"solver_type L2R_L2LOSS_SVR nr_class 3 nr_feature 0 " +
			"bias -1 w", "want nr_class 2"},
		"no classes": {edit("nr_class 2", "nr_class 0"),
			"line 2, column 10: nr_class 0: want"},
		"one class": {edit("nr_class 2", "nr_class 1"),
			"line 2, column 10: nr_class 1: want"},
		"a billion classes": {edit("nr_class 2", "nr_class 1000000000"),
			"line 2, column 10: nr_class 1000000000: want"},
		"classes negative": {edit("nr_class 2", "nr_class -2"), "nr_class -2: want"},
		"classes beyond 64 bits": {edit("nr_class 2", "nr_class 99999999999999999999"),
			"whole number"},
		"classes not whole": {edit("nr_class 2", "nr_class 2.5"), "whole number"},
		"fewer labels": {edit("label -1 +1", "label -1"),
			`line 4, column 1: label: "nr_feature"`},
		"more labels": {edit("label -1 +1", "label -1 +1 3"),
			`line 3, column 13: "3"`},
		"label twice": {edit("label -1 +1", "label 1 1"),
			"line 3, column 9: the label 1 is there twice"},
		"label beyond float32": {edit("label -1", "label 16777217"),
			"line 3, column 7: the label 16777217"},
		"label beyond 32 bits": {edit("label -1", "label 2147483648"), "32 bits"},
		"line twice": {edit("nr_feature 3", "nr_feature 3 nr_feature 3"),
			`line 4, column 14: "nr_feature" is there twice`},
		"features negative": {edit("nr_feature 3", "nr_feature -1"), "-1 features"},
		"features overflow": {edit("nr_feature 3", "nr_feature 4294967297"), "32 bits"},
		"more features claimed": {edit("nr_feature 3", "nr_feature 200000000"),
			"line 11, column 1: the text ends"},
		// an error on all machines: too many weights if int has 32 bits, else a text cut short
		"all features claimed": {edit("nr_feature 3", "nr_feature 2147483647"), "line"},
		"fewer features claimed": {edit("nr_feature 3", "nr_feature 2"),
			`line 10, column 1: "0.25": want the end`},
		"bias NaN":               {edit("bias 0.5", "bias nan"), `line 5, column 6: bias: "nan"`},
		"bias too large":         {edit("bias 0.5", "bias 1e39"), "beyond float32"},
		"weight NaN":             {edit("-2", "nan"), `line 8, column 1: weight: "nan"`},
		"weight -NaN":            {edit("-2", "-nan"), "line 8"},
		"weight infinite":        {edit("-2", "inf"), "line 8"},
		"weight hexadecimal":     {edit("-2", "0x1p3"), "line 8"},
		"weight beyond float64":  {edit("-2", "1e999"), "line 8"},
		"weight beyond float32":  {edit("-2", "-1e39"), "line 8, column 1: weight 2 is -1e+39"},
		"weight not a number":    {edit("-2", "-2,5"), `"-2,5"`},
		"weight with underscore": {edit("-2", "1_0"), `"1_0"`},
		"zero byte":              {binary + "\x00", "line 11, column 1"},
		"bias's weight infinite": {strings.Replace(edit("bias 0.5", "bias 1e38"), "0.25", "1e300",
			1), "line 10, column 1: the weight 1e+300 times"},
		"cut in the header":      {binary[:46], "the text ends too early"},
		"cut before w":           {binary[:strings.Index(binary, "w\n")], "the text ends too early"},
		"cut in the weights":     {binary[:len(binary)-15], "the text ends too early"},
		"cut in the last number": {strings.TrimRight(binary, " \n"), "does not end in a newline"},
		"something follows":      {binary + "1\n", `line 11, column 1: "1": want the end`},
		"a token of a megabyte": {edit("-2", strings.Repeat("1", 1<<20)),
			"line 8, column 1: \"11111111111111111111\"... is too long"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ReadLiblinear(strings.NewReader(c.text))
			var at *SyntaxError
			if !errors.As(err, &at) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
	want := errors.New("disk on fire")
	for _, n := range []int{0, 5, 60, len(binary)} {
		if _, err := ReadLiblinear(io.MultiReader(strings.NewReader(binary[:n]),
			iotest.ErrReader(want))); err != want {
			t.Errorf("after %d bytes: %v", n, err)
		}
	}
}

func TestLiblinearCut(t *testing.T) {
	for _, whole := range []string{binary, writeText(t, readText(t, binary)),
		"solver_type L2R_LR\nnr_class 2\nlabel 1 2\nnr_feature 2\nbias -1\nw\n0.5 \n0.125 \n"} {
		want := readText(t, whole).Hash()
		for n := range whole {
			m, err := ReadLiblinear(strings.NewReader(whole[:n]))
			if err == nil && (m.Hash() != want || n < len(whole)-1) {
				t.Errorf("a truncated file was read: %q", whole[:n])
			}
		}
	}
}

func TestClaimsMemory(t *testing.T) {
	for text, read := range map[string]func(io.Reader) (*pegasos.Model, error){
		"solver_type L2R_LR nr_class 2 label 1 2 nr_feature 2147483647 bias -1 w 1 2 3": ReadLiblinear,
		"solver_type L2R_LR nr_class 65536 label 1 2 3":                                 ReadLiblinear,
		"solver_type L2R_L2LOSS_SVR nr_class 2 nr_feature 2147483647 bias 1 w 1 2 3":    ReadLiblinear,
		strings.Replace(goodJSON, `"features": 2`, `"features": 1000000000`, 1):         ReadJSON,
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := read(strings.NewReader(text))
		runtime.ReadMemStats(&after)
		if err == nil {
			t.Errorf("%s: no error", text)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<18 {
			t.Errorf("%s: %d bytes were allocated, want up to 256 KiB", text, n)
		}
	}
}

func FuzzReadLiblinear(f *testing.F) {
	f.Add([]byte(binary))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := ReadLiblinear(bytes.NewReader(text))
		if err != nil {
			return
		}
		if err := m.Write(io.Discard); err != nil {
			t.Fatalf("%q gives a model that can't be written: %v", text, err)
		}
		// The hash does not cover BiasScale, which becomes 1.
		again := readText(t, writeText(t, m))
		if again.Hash() != m.Hash() {
			t.Fatalf("%q: the model is another when written and read again: %v %v", text, m, again)
		}
	})
}
