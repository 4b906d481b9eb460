package main

import (
	"bytes"
	"crypto/sha256"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm"
)

func TestVerifyEditedClaims(t *testing.T) {
	data, model := file(t, "toy.svm", toy), filepath.Join(t.TempDir(), "model")
	three := file(t, "three.svm", toy+"2 1:9 2:9\n2 1:8 2:9\n")
	for _, c := range []struct{ train, data, from, to, verdict, told string }{
		{"-lambda 0.1", data, `"gap":`, `"gap":0.1`, "contradicted", "the gap is 0.1"},
		{"-kernel rbf", data, `"gap":`, `"gap":0.1`, "contradicted", "the gap is 0.1"},
		{"-multiclass crammer-singer -lambda 0.1", three, `"objective":`,
			`"per_class":[{"violations":1,"objective":0.001,"dual_objective":0.001}],"objective":`,
			"contradicted", "want none: all weight vectors share one problem"},
		{"-lambda 0.1", data, "\ndata: ", "", "not confirmed", "does not say what data"},
		{"-kernel rbf", data, "\ndata: ", "", "not confirmed", "does not say what data"},
		{"-lambda 0.1", data, "\nindex_base: 1", "\nindex_base: 1", "confirmed", ""},
	} {
		must(t, append(strings.Fields("train -quiet "+c.train), c.data, model)...)
		text := []byte(read(t, model))
		head, body, _ := bytes.Cut(text[:len(text)-sha256.Size], []byte("\n\n"))
		before, after, found := strings.Cut(string(head), c.from)
		switch { // removes the rest of the old value, or of the line
		case c.from == `"gap":`:
			after = after[strings.IndexAny(after, ",}"):]
		case c.to == "":
			after = after[strings.IndexByte(after, '\n'):]
		}
		changed := append([]byte(before+c.to+after+"\n\n"), body...)
		sum := sha256.Sum256(changed)
		if err := os.WriteFile(model, append(changed, sum[:]...), 0o666); err != nil || !found {
			t.Fatal(err, found)
		}
		_, out, _ := pegasimd(t, "verify", model, c.data)
		if !strings.HasSuffix(out, "\n"+c.verdict+"\n") || !strings.Contains(out, c.told) {
			t.Errorf("%s, %q: %s", c.train, c.to, out)
		}
		_, out, told := pegasimd(t, "verify", "-quiet", model, c.data)
		if out != "" || (c.verdict == "confirmed") != (told == "") ||
			!strings.Contains(told, strings.TrimPrefix(c.verdict, "confirmed")) {
			t.Errorf("%s, %q, -quiet: %s%s", c.train, c.to, out, told)
		}
	}
}

func TestVerifyNegatedSigmoids(t *testing.T) {
	data, model := file(t, "named.csv", asCSV(t, mixedTable(3, 90), 2, 3, 6)),
		filepath.Join(t.TempDir(), "model")
	data = file(t, "named.csv", strings.ReplaceAll(read(t, data), "none", "30"))
	must(t, "train", "-quiet", "-proba", "-lambda", "1", data, model)
	m := modelOf(t, model)
	s := &m.Calibration[0]
	s.A = -max(s.A, -s.A, 0.1)
	for range 2 {
		save(t, m, model)
		out, _ := must(t, "verify", model, data)
		if !strings.Contains(out, "\nthe probabilities were not checked: -sigmoids") ||
			strings.Contains(out, "\nsuspicious: the higher the score of yes") != (s.A > 0) {
			t.Errorf("A = %v: %s", s.A, out)
		}
		s.A, s.B = -s.A, -s.B
	}
	fails(t, exitError, "give other sigmoids", "verify", "-sigmoids", model, data)
}

// A new field of a header must not be forgotten.
func TestVerifyParts(t *testing.T) {
	known := func(part string) {
		t.Helper()
		if partRules[part] == nil {
			t.Errorf("%s has no rule", part)
		}
	}
	of := func(part string, header any) {
		t.Helper()
		for _, f := range reflect.VisibleFields(reflect.TypeOf(header)) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name != "" && name != "-" && name != "per_class" && name != "per_problem" {
				known(part + name)
			}
		}
	}
	of("config.", pegasos.Config{})
	of("config.", kernelsvm.Config{})
	of("scaling.", pegasos.Scaling{})
	of("result.", proof.ResultHeader{})
	of("result.", kernelsvm.Result{})
	perClass, _ := reflect.TypeFor[proof.ResultHeader]().FieldByName("PerClass")
	of("result.per_class.", reflect.Zero(perClass.Type.Elem()).Interface())
	field := regexp.MustCompile(`modelfile\.(?:Required|Optional)\("(\w+)"`)
	for _, name := range []string{"modelfile.go", "kernelsvm/file.go"} {
		all := field.FindAllStringSubmatch(read(t, filepath.Join("..", "..", "pegasos", name)), -1)
		if len(all) < 10 {
			t.Errorf("%s: %d fields, want 10 or more", name, len(all))
		}
		for _, found := range all {
			if part := found[1]; part != "config" && part != "result" && part != "scaling" {
				known(part)
			}
		}
	}
}

func TestVerifyEditedSettings(t *testing.T) {
	for _, c := range []struct{ train, data, from, to, told string }{
		{"-scale standard", toy, `"scale":"standard"`, `"scale":"none"`, "scale is none, but"},
		{"-scale standard", toy, `"scale":"standard",`, ``, "scale is none, but scaling.kind"},
		{"-scale none", toy, `"scale":"none"`, `"scale":"unit"`, "scale is unit, but"},
		{"-loss squared", numbers, `"target_scale":"standard"`, `"target_scale":""`,
			"target_scale is none"},
		{"-scale standard -bias unregularised", toy, `"bias":"unregularised"`, `"bias":""`,
			"bias is none, but the model has a bias"},
		{"-bias none -scale none", toy, `"bias":"none"`, `"bias":"augmented"`,
			"bias is augmented, but the model has no bias"},
		{"", toy, `"loss":"hinge"`, `"loss":"log","loss":"hinge"`, `"loss" is there twice`},
		{"", toy, `"loss":"hinge"`, `"LOSS":"hinge"`, `unknown field "LOSS"`},
		{"", toy, `"tol":`, `"patience":null,"tol":`, "patience: null is not allowed"},
		{"", toy, `"per_class":[{`, `"per_class":[{"steps":1,`, `"steps" is there twice`},
		{"-kernel rbf", toy, `"kernel":"rbf"`, `"KERNEL":"rbf"`, `unknown field "KERNEL"`},
		{"", toy, "\ndata: \"", "\ndata: \"0", `data: want "dense:", "sparse:"`},
		{"-kernel rbf", toy, "\ndata: \"", "\ndata: \"0", `data: want "dense:", "sparse:"`},
		{"", headed, `"label_at":`, `"more":1,"label_at":`, `unknown field "more"`},
		{"", headed, `"label_at":`, `"label_at":0,"label_at":`, `"label_at" is there twice`},
	} {
		name := "toy.svm"
		if c.data == headed {
			name = "named.csv"
		}
		data, model := file(t, name, c.data), filepath.Join(t.TempDir(), "model")
		must(t, append(strings.Fields("train -quiet -lambda 0.1 "+c.train), data, model)...)
		text := read(t, model)
		head, numbers, _ := strings.Cut(text[:len(text)-sha256.Size], "\n\n")
		if strings.Count(head, c.from) == 0 {
			t.Fatalf("%s: no %s in %s", c.train, c.from, head)
		}
		head = regexp.MustCompile("\nhash: .*").ReplaceAllString(head, "")
		edited := sample.Seal(strings.Replace(head, c.from, c.to, 1)+"\n\n", numbers)
		write(t, model, edited)
		fails(t, exitError, c.told, "verify", model, data)
	}
}

const (
	numbers = "1.5 1:1 2:3\n2.5 1:2 2:1\n7 1:3 2:9\n-3 1:4 2:1\n0.5 1:5\n9.25 2:8\n"
	headed  = "width,height,kind\n1,2,plum\n3,1,pear\n2,2,plum\n4,1,pear\n"
)

func TestHashBitsOfModel(t *testing.T) {
	data, model := file(t, "toy.svm", toy), filepath.Join(t.TempDir(), "model")
	for _, c := range []struct{ train, told string }{
		{"", "indices are not hashed"}, {"-hash-bits 3", "indices are hashed to 3 bits"},
	} {
		told := c.told
		must(t, append(strings.Fields("train -quiet -lambda 0.1 "+c.train), data, model)...)
		fails(t, exitError, told, "verify", "-hash-bits", "5", model, data)
		fails(t, exitError, told, "predict", "-hash-bits", "5", data, model)
		fails(t, exitError, told, "eval", "-hash-bits", "5", data, model)
	}
	must(t, "predict", "-hash-bits", "3", data, model)
}

func TestVerifyHashOfTraining(t *testing.T) {
	data, model := file(t, "toy.svm", toy), filepath.Join(t.TempDir(), "model")
	for _, kind := range []string{"", "-kernel rbf"} {
		must(t, append(strings.Fields("train -quiet -lambda 0.1 "+kind), data, model)...)
		out, _ := must(t, "verify", model, data)
		_, not, _ := strings.Cut(out, "\nnot checked")
		if !strings.HasPrefix(not, " hash (training), ") {
			t.Errorf("without -hash: %s", out)
		}
		hash, _, _ := strings.Cut(strings.TrimPrefix(out, "model hash "), "\n")
		out, _ = must(t, "verify", "-hash", hash[:shortestHash], model, data)
		if !strings.Contains(out, "\nchecked     hash (training), ") {
			t.Errorf("with -hash: %s", out)
		}
	}
}

// The sign of the weight changes no row's loss, so the claims stay true.
func TestVerifyOtherWeights(t *testing.T) {
	data, model := file(t, "data.svm", "1 1:1\n-1 1:-1\n1 1:3 2:0.5\n-1 1:-3 2:-0.5\n"),
		filepath.Join(t.TempDir(), "model")
	must(t, "train", "-quiet", "-lambda", "0.1", "-scale", "none", "-bias", "none", "-finish", "none",
		"-epochs", "20", data, model)
	m, err := pegasos.ReadFile(model)
	if err != nil || m.Weights[0][1] == 0 {
		t.Fatal(m.Weights, err)
	}
	honest := m.Hash()
	m.Weights[0][1] *= -1
	save(t, m, model)
	out, _ := must(t, "verify", model, data)
	if !strings.HasSuffix(out, "\nconfirmed\n") ||
		!strings.Contains(out, "\nnot checked hash (training), ") {
		t.Errorf("%s", out)
	}
	fails(t, exitError, "the model's hash is", "verify", "-hash", honest, model, data)
}
