package main

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

// A model that was trained with -scale scales what it sees: it is the model of data that were
// scaled before, and predicts the same of the rest as they are.
func TestTrainScaled(t *testing.T) {
	dir := t.TempDir()
	rows := func(seed, n int) string {
		var b strings.Builder
		for i := range n {
			x, y := float64((i*37+seed*11)%101)-50, float64((i*53+seed)%89)*1000
			label := 1
			if x/50+y/44000 < 1 {
				label = -1
			}
			fmt.Fprintf(&b, "%d 1:%v 2:%v 3:1\n", label, x, y+1)
		}
		return b.String()
	}
	data, test := file(t, "data.svm", rows(1, 200)), file(t, "test.svm", rows(2, 100))
	for _, kind := range []string{"max-abs", "unit", "standard"} {
		dense := []string{"-layout", "dense"}
		args := func(list ...string) []string { return append(list, dense...) }
		must(t, args("train", "-scale", kind, "-quiet", "-bias", "augmented", "-checkpoint",
			dir+"/state", "-json", dir+"/json", data, dir+"/model")...)
		must(t, args("scale", "-kind", kind, "-save", dir+"/scaler", data, dir+"/data.npy")...)
		must(t, "train", "-quiet", "-bias", "augmented", "-json", dir+"/other", dir+"/data.npy",
			dir+"/plain")
		if a, b := report(t, dir+"/json")["model_hash"], report(t,
			dir+"/other")["model_hash"]; a != b {
			t.Errorf("%s: %v, of data that were scaled before %v", kind, a, b)
		}
		must(t, args("scale", "-like", dir+"/scaler", test, dir+"/test.npy")...)
		have, _ := must(t, args("predict", "-quiet", "-scores", test, dir+"/model")...)
		want, _ := must(t, "predict", "-quiet", "-scores", dir+"/test.npy", dir+"/plain")
		if have != want {
			t.Errorf("%s: other predictions than of data that were scaled before", kind)
		}
		must(t, args("eval", "-quiet", "-json", dir+"/eval", data, dir+"/model")...)
		if a, b := report(t, dir+"/eval")["objective"].(float64), report(t,
			dir+"/json")["objective"].(float64); math.Abs(a/b-1) > 1e-6 {
			t.Errorf("%s: objective %v, in training %v", kind, a, b)
		}
		// What goes on from it has its scale.
		must(t, args("train", "-quiet", "-resume", dir+"/state", "-json", dir+"/other", data,
			dir+"/again")...)
		if a, b := report(t, dir+"/json")["model_hash"], report(t,
			dir+"/other")["model_hash"]; a != b {
			t.Errorf("%s: %v, resumed at the end %v", kind, a, b)
		}
		for _, c := range [][]string{
			{"train", "-scale", kind, "-start", dir + "/model", data, dir + "/x"},
			{"convert", "-to", "liblinear", dir + "/model", dir + "/x"},
			{"convert", "-to", "onnx", dir + "/model", dir + "/x"},
		} {
			fails(t, anyFailure, "scale", c...)
		}
		must(t, "convert", "-to", "json", dir+"/model", dir+"/model.json")
		if text, err := os.ReadFile(dir + "/model.json"); err != nil ||
			!strings.Contains(string(text), kind) {
			t.Errorf("%s: %v, no scaler in the JSON", kind, err)
		}
	}
	fails(t, anyFailure, "max-abs", "train", "-scale", "other", data, dir+"/x")
}

// A model of hashed features hashes what it sees.
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
