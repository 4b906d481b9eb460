package main

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/pegasos"
)

// A model trained with -scale scores unscaled rows as a model of scaled data scores scaled rows, up
// to rounding.
func TestTrainScaled(t *testing.T) {
	dir := t.TempDir()
	text := func(seed, n int, scaled func([3]float64) [3]float64) string {
		var b strings.Builder
		for i := range n {
			x, y := float64((i*37+seed*11)%101)-50, float64((i*53+seed)%89)*1000
			label := 1
			if x/50+y/44000 < 1 {
				label = -1
			}
			v := [3]float64{x, y + 1, 1}
			if scaled != nil {
				v = scaled(v)
			}
			fmt.Fprintf(&b, "%d 1:%v 2:%v 3:%v\n", label, v[0], v[1], v[2])
		}
		return b.String()
	}
	data, test := file(t, "data.svm", text(1, 200, nil)), file(t, "test.svm", text(2, 100, nil))
	for _, kind := range []string{"max-abs", "unit", "standard"} {
		dense := []string{"-layout", "dense"}
		args := func(list ...string) []string { return append(list, dense...) }
		given := strings.Fields("train -quiet -bias augmented -bias-scale 1 -lambda 1e-3 -epochs 20")
		must(t, append(given, args("-scale", kind, "-checkpoint", dir+"/state", "-json",
			dir+"/json", data, dir+"/model")...)...)
		m := modelOf(t, dir+"/model")
		scaled := func(v [3]float64) [3]float64 {
			length := math.Hypot(math.Hypot(v[0], v[1]), v[2])
			for j := range v {
				if kind == "unit" {
					v[j] /= length
					continue
				}
				if kind == "standard" {
					v[j] -= float64(m.Scaling.Shift[j])
				}
				v[j] *= float64(m.Scaling.Factor[j])
			}
			return v
		}
		must(t, append(given, args("-scale", "none", file(t, "scaled.svm", text(1, 200, scaled)),
			dir+"/plain")...)...)
		have := scoresOf(t, args(test, dir+"/model")...)
		want := scoresOf(t, args(file(t, "scaled.svm", text(2, 100, scaled)), dir+"/plain")...)
		for i, v := range have {
			if math.Abs(v-want[i]) > 1e-4*(1+math.Abs(v)) {
				t.Fatalf("%s: row %d has the score %v, with a model of scaled data %v",
					kind, i, v, want[i])
			}
		}
		must(t, args("eval", "-quiet", "-json", dir+"/eval", data, dir+"/model")...)
		if a, b := report(t, dir+"/eval")["objective"].(float64), report(t,
			dir+"/json")["objective"].(float64); math.Abs(a/b-1) > 1e-5 {
			t.Errorf("%s: objective %v, in training %v", kind, a, b)
		}
		must(t, args("train", "-quiet", "-resume", dir+"/state", "-json", dir+"/other", data,
			dir+"/again")...)
		if a, b := report(t, dir+"/json")["model_hash"], report(t,
			dir+"/other")["model_hash"]; a != b {
			t.Errorf("%s: hash %v, resumed at the end %v", kind, a, b)
		}
		must(t, args("train", "-quiet", "-start", dir+"/model", data, dir+"/again")...)
		again, err := pegasos.ReadFile(dir + "/again")
		if err != nil || string(again.Config.Scale) != kind || again.Lambda != 1e-3 {
			t.Errorf("%s: %v, %+v", kind, err, again)
		}
		fails(t, anyFailure, "-scale", "train", "-scale", kind, "-start", dir+"/model", data,
			dir+"/"+kind)
		for _, form := range []string{"liblinear", "onnx", "json"} {
			to := []string{"convert", "-force", "-to", form, dir + "/model", dir + "/out"}
			if kind == "unit" && form == "liblinear" {
				fails(t, anyFailure, "train with -scale none", to...)
				continue
			}
			must(t, to...)
			if form == "onnx" {
				continue
			}
			from := []string{"convert", "-from", form, dir + "/out", dir + "/back"}
			if form == "liblinear" {
				from = append(from, "-lambda", "1e-3")
			}
			must(t, from...)
			back := scoresOf(t, args(test, dir+"/back")...)
			for i, v := range have {
				if math.Abs(v-back[i]) > 1e-5*(1+math.Abs(v)) {
					t.Fatalf("%s: row %[3]d has the score %[4]v as %[2]s, want %[5]v",
						kind, form, i, back[i], v)
				}
			}
		}
	}
	fails(t, anyFailure, "max-abs", "train", "-scale", "other", data, dir+"/x")
}

func scoresOf(t *testing.T, args ...string) (scores []float64) {
	t.Helper()
	out, _ := must(t, append([]string{"predict", "-quiet", "-scores"}, args...)...)
	for _, line := range strings.Split(strings.TrimSpace(out), "\n")[1:] {
		var v float64
		fmt.Sscan(strings.Split(line, "\t")[1], &v)
		scores = append(scores, v)
	}
	return scores
}

func TestTrainHashed(t *testing.T) {
	dir := t.TempDir()
	data := file(t, "data.svm", "1 18446744073709551000:2\n-1 7:3 99999999999:1\n1 3:1 "+
		"18446744073709551000:1\n-1 7:1\n")
	for _, args := range [][]string{
		{"train", "-lambda", "0.01", data, dir + "/model"},
		{"train", "-kernel", "linear", data, dir + "/model"},
		{"cv", "-folds", "2", "-lambda", "0.01", "-model", dir + "/model", data},
		{"cv", "-folds", "2", "-kernel", "linear", "-c", "1", "-model", dir + "/model", data},
	} {
		must(t, append(args, "-quiet", "-hash-bits", "10")...)
		have, _ := must(t, "predict", "-quiet", data, dir+"/model")
		if want := "1\n-1\n1\n-1\n"; have != want {
			t.Errorf("%q: predicted %q, want %q", args, have, want)
		}
		if told, _ := must(t, "eval", data, dir+"/model"); !strings.Contains(told,
			"accuracy 100.0000 %") || strings.Contains(told, "ignored") {
			t.Errorf("%q: %s", args, told)
		}
	}
}
