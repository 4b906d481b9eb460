package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/internal/text/form"
	"github.com/pegasimd/pegasimd/internal/text/tables"
	"github.com/pegasimd/pegasimd/pegasos"
)

// Each fold has a word that no other fold has, and a word that only one row of the next fold
// shares. The mean of the numbers depends on the fold left out.
func foldTable(folds int) (lines []string, fold []int) {
	const rows = 80
	y := make([]float32, rows)
	for i := range y {
		y[i] = float32(i / 3 % 2)
	}
	fold = pegasos.Folds(y, nil, folds, 0)
	shared := make([]int, folds)
	for i, f := range fold {
		word := fmt.Sprint("of all ", i%5)
		if shared[f]++; shared[f] == 1 {
			word = fmt.Sprint("twice ", f)
		} else if shared[f] == 2 {
			word = fmt.Sprint("twice ", (f+1)%folds)
		} else if i%2 == 0 {
			word = fmt.Sprintf("%v in fold %d", y[i], f)
		}
		age := ""
		if i%4 > 0 {
			age = fmt.Sprint(100*f + i%7)
		}
		lines = append(lines, fmt.Sprintf("%s,%s,%d,%c\n", word, age, 3*i%11, "pq"[int(y[i])]))
	}
	return lines, fold
}

func parts(t *testing.T, header string, lines []string, of []int, fold int) (out, in string) {
	others, own := header, header
	for i, line := range lines {
		if of[i] == fold {
			own += line
		} else {
			others += line
		}
	}
	return file(t, "others.csv", others), file(t, "own.csv", own)
}

func searchOf(t *testing.T, data string, folds int, mapped bool) *search {
	t.Helper()
	c := &call{Context: t.Context(), stderr: io.Discard, flags: flags.NewSet("cv")}
	t.Cleanup(c.closeTemporary)
	_, err := c.flags.Parse([]string{"-quiet", "-folds", fmt.Sprint(folds)})
	v := &search{call: c, reader: c.fittingReader(data)}
	if err == nil {
		err = steps(v.makeGrid, v.checkSettings, v.readData)
	}
	if err == nil && mapped {
		v.reader.most, v.encoded = 1, nil
		err = v.encode()
	}
	if err != nil || len(v.encoded) != folds || mapped && len(c.temporary) != folds {
		t.Fatalf("%d encoded sets, %d files, %v", len(v.encoded), len(c.temporary), err)
	}
	return v
}

func encodedBy(t *testing.T, other, name string) *dataset.Set {
	t.Helper()
	e, _, err := new(tables.Fitter).Fit(func(enc form.Encoder) error {
		_, err := dataset.Read(other, dataset.Options{Encoder: enc})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	set, err := dataset.Read(name, dataset.Options{Encoder: e.Coder()})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestTableFolds(t *testing.T) {
	const folds, header = 4, "word,age,size,label\n"
	lines, of := foldTable(folds)
	all := file(t, "all.csv", header+strings.Join(lines, ""))
	for _, mapped := range []bool{false, true} {
		v := searchOf(t, all, folds, mapped)
		if !slices.Equal(v.fold, of) {
			t.Fatalf("folds %v, want %v", v.fold, of)
		}
		for f, have := range v.encoded {
			others, _ := parts(t, header, lines, of, f)
			want := encodedBy(t, others, all)
			names := strings.Join(have.Table.Columns, ", ")
			if !slices.Equal(have.Table.Columns, want.Table.Columns) ||
				strings.Contains(names, fmt.Sprint("in fold ", f)) ||
				!strings.Contains(names, fmt.Sprint("twice ", f)) ||
				!strings.Contains(names, fmt.Sprint("in fold ", (f+1)%folds)) {
				t.Errorf("mapped %t: fold %d has the features %s, want %q", mapped, f, names,
					want.Table.Columns)
			}
			for i := range lines {
				if !slices.Equal(rowOf(have, i), rowOf(want, i)) {
					t.Fatalf("mapped %t: fold %d, row %d: %v, want %v", mapped, f, i,
						rowOf(have, i), rowOf(want, i))
				}
			}
		}
	}
}

func TestTableCrossValidation(t *testing.T) {
	const folds, header = 3, "word,age,size,label\n"
	lines, of := foldTable(folds)
	all := file(t, "all.csv", header+strings.Join(lines, ""))
	for _, flags := range []string{"-c 1 -epochs 5", "-kernel rbf -gamma 0.5 -c 1"} {
		flags := strings.Fields(flags)
		r, _ := cvOf(t, append([]string{"-folds", fmt.Sprint(folds), all}, flags...)...)
		for f, have := range r.Grid[0].Scores {
			others, own := parts(t, header, lines, of, f)
			model := filepath.Join(t.TempDir(), "model")
			must(t, append([]string{"train", "-quiet", others, model}, flags...)...)
			numbers := filepath.Join(t.TempDir(), "json")
			must(t, "eval", "-json", numbers, own, model)
			if want := report(t, numbers)["accuracy"].(float64); have != want {
				t.Errorf("%q, fold %d: accuracy %v, want %v", flags, f, have, want)
			}
		}
	}
}

func TestTableVerify(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	text := people(300)
	data := file(t, "people.csv", text)
	must(t, "train", "-quiet", "-proof", at("proof"), data, at("model"))
	for _, args := range [][]string{{"-proof", at("proof")}, {}} {
		printed, _ := must(t, append([]string{"verify", at("model"), data}, args...)...)
		if !strings.HasSuffix(printed, "\nconfirmed\n") {
			t.Errorf("verify %q: %s", args, printed)
		}
	}
	for cell, other := range map[string]string{",Oslo,": ",Rome,", ",NA,": ",17,"} {
		changed := file(t, "changed.csv", strings.Replace(text, cell, other, 1))
		fails(t, exitError, "contradicted", "verify", at("model"), changed)
	}
}

func TestTableContinued(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	text := people(300)
	data := file(t, "people.csv", text)
	run := strings.Fields("train -quiet -finish none -average none")
	must(t, append(run, "-epochs", "7", "-checkpoint", at("state"), data, at("7"))...)
	must(t, append(run, "-epochs", "20", "-resume", at("state"), data, at("resumed"))...)
	must(t, append(run, "-epochs", "20", data, at("20"))...)
	if read(t, at("resumed")) != read(t, at("20")) {
		t.Error("a resumed run gives another model")
	}
	others := file(t, "others.csv", people(100))
	want, err := json.Marshal(encoderOf(t, at("20")))
	if err != nil {
		t.Fatal(err)
	}
	for _, flag := range []string{"-start", "-prior"} {
		_, told := must(t, "train", flag, at("20"), others, at(flag))
		have, _ := json.Marshal(encoderOf(t, at(flag)))
		if !bytes.Equal(have, want) || strings.Contains(told, "say otherwise") {
			t.Errorf("%s: %s, want %s; printed %s", flag, have, want, told)
		}
	}
	for flag, from := range map[string]string{"-start": "20", "-prior": "20", "-resume": "state"} {
		fails(t, exitUsage, ", which decides what the columns are", "train", flag, at(from), "-ignore", "age", data, at("refused"))
	}
	valid := file(t, "valid.csv", strings.Replace(text, ",Oslo,", ",Bern,", 3))
	_, told := must(t, "train", "-valid", valid, data, at("validated"))
	if !regexp.MustCompile(`validation accuracy \d+\.\d+ % on 300 rows`).MatchString(told) ||
		!strings.Contains(told, "valid.csv: column city: 3 cells with a word that") {
		t.Errorf("-valid: printed %s", told)
	}
}

func TestTableFromStandardInput(t *testing.T) {
	text := people(100)
	data := file(t, "people.csv", text)
	for _, line := range []string{
		"train -quiet -format csv IN -", "convert -format csv IN -", "inspect -format csv IN",
		"cv -quiet -format csv -lambdas 0.1 -model - IN",
	} {
		want, _ := must(t, strings.Fields(strings.Replace(line, "IN", data, 1))...)
		for _, zip := range []bool{false, true} {
			args := strings.Fields(strings.Replace(line, "IN", "-", 1))
			if have := fromStdin(t, text, zip, args...); have != want {
				t.Errorf("%s, zipped %t: %.900q, want %.900q", line, zip, have, want)
			}
		}
	}
}

func modelHash(t *testing.T, name string) string {
	t.Helper()
	m, err := readPredictor(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m.Hash()
}

func TestTableInLittleMemory(t *testing.T) {
	temporary, dir := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temporary)
	t.Setenv("TMP", temporary)     // for Windows
	const rows, columns = 9000, 15 // with 8 bytes for each cell more than 1 MB
	var b strings.Builder
	for i := range rows {
		for k := range columns - 1 {
			fmt.Fprintf(&b, "w%d,", (i+k)*(i-k)%13)
		}
		b.WriteString(strings.Repeat(fmt.Sprint(i*i%97), min(i%9, 1)))
		fmt.Fprintf(&b, ",%c\n", "pq"[i*i%5%2])
	}
	data := file(t, "x.csv", b.String())
	for _, more := range [][]string{{"-epochs", "1", "-lambda", "0.01"},
		{"-kernel", "rbf", "-steps", "500"}} {
		args := append([]string{"train", "-quiet", "-header", "no", data}, more...)
		for _, most := range []string{"300", "1"} {
			must(t, append(args, dir+"/"+most, "-max-memory", most)...)
			sample.OnlyFiles(t, temporary)
			if told, _ := must(t, "inspect", dir+"/"+most); !strings.Contains(told, " -label-column 15 ") {
				t.Errorf("inspect: %s", told)
			}
		}
		if modelHash(t, dir+"/300") != modelHash(t, dir+"/1") {
			t.Errorf("%q: little memory changes the model", more)
		}
	}
	t.Setenv("TMPDIR", filepath.Join(temporary, "none"))
	t.Setenv("TMP", filepath.Join(temporary, "none"))
	fails(t, exitError, " to another folder, or give a larger -max-memory", "train", "-header", "no",
		"-max-memory", "1", data, dir+"/refused")
}

func TestTableConvert(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	data := file(t, "people.csv", people(300))
	must(t, "train", "-quiet", "-lambda", "0.01", data, at("model"))
	_, told := must(t, "convert", data, at("a.pgsm"))
	_, streamed := must(t, "convert", "-stream", data, at("b.pgsm"))
	if want := strings.ReplaceAll(told, "a.pgsm", "b.pgsm"); streamed != want ||
		!strings.Contains(told, "city    category") ||
		!strings.Contains(told, "a.pgsm predicts rows of these features, not rows of the table\n") {
		t.Errorf("-stream: printed %s, want %s", streamed, want)
	}
	must(t, "convert", "-for", at("model"), data, at("c.pgsm"))
	for _, name := range []string{"b.pgsm", "c.pgsm"} {
		if read(t, at("a.pgsm")) != read(t, at(name)) {
			t.Errorf("%s differs from a.pgsm", name)
		}
	}
	few := file(t, "few.csv", "income,city,age\n1,Bern,\n")
	_, told = must(t, "convert", "-for", at("model"), few, at("few.svm"))
	if !strings.HasPrefix(told, "1 row, 8 features: ") ||
		!strings.Contains(told, `city: 1 cell with a word that`) {
		t.Errorf("-for: printed %s", told)
	}
	one := file(t, "one.csv", "income,city,age,label\n1,Rome,20,stays\n")
	must(t, "convert", "-for", at("model"), one, at("one.svm"))
	if text := read(t, at("one.svm")); !strings.HasPrefix(text, "1 ") {
		t.Errorf("the label of the second class is not 1: %q", text)
	}
	fails(t, exitUsage, ", which decides what the columns are", "convert", "-ignore", "age",
		"-for", at("model"), data, at("x.svm"))

	must(t, "convert", "-for", at("model"), data, at("rows.svm"))
	must(t, "train", "-quiet", "-scale", "none", "-lambda", "0.01", at("rows.svm"), at("plain"))
	a := modelOf(t, at("model"))
	b, err := pegasos.ReadFile(at("plain"))
	if err != nil || a.Result.Objective != b.Result.Objective {
		t.Errorf("trained on the rows in svmlight: objective %v, want %v, %v", b.Result.Objective,
			a.Result.Objective, err)
	}

	must(t, "convert", at("model"), at("model.json"))
	must(t, "convert", "-from", "json", at("model.json"), at("back"))
	if read(t, at("model")) != read(t, at("back")) {
		t.Error("conversion to JSON and back changes the model file")
	}
	fails(t, exitError, "the format liblinear can't represent how cells become numbers: write the "+
		"data as numbers (convert -for "+at("model")+" DATA rows.svm), train a model on rows.svm "+
		"with -curves none -scale none", "convert", at("model"), at("x.liblinear"))
	must(t, "train", "-quiet", "-format", "lines", "-text", "*", file(t, "text",
		strings.Repeat("a\tone two\nb\tthree two\n", 3)), at("text.model"))
	_, _, told = pegasimd(t, "convert", at("text.model"), at("text.onnx"))
	if !strings.Contains(told, "text") || strings.Contains(told, "leaves out") {
		t.Errorf("a model that can't be converted: %s", told)
	}
	if _, told := must(t, "convert", at("model"), at("x.onnx")); !strings.HasPrefix(told,
		"onnx leaves out how cells are read: pass numbers as floats, words without ") {
		t.Errorf("convert to ONNX printed %s", told)
	}
}

func TestTableHostile(t *testing.T) {
	const good = `{"name":"c","kind":"category","levels":{"names":["a","b","d"],"counts":[2,3,4]}}`
	name, data := filepath.Join(t.TempDir(), "model"), file(t, "x.csv", "c,y\na,0\nb,1\nd,1\n")
	write := func(encoder string) {
		m := &pegasos.Model{Classes: []float32{0, 1}, Weights: [][]float32{{1, 2, 3}}, Lambda: 1,
			Config: pegasos.Config{Lambda: 1}.Plain(), Table: []byte(encoder)}
		save(t, m, name)
	}
	of := func(columns string) string {
		return `{"encoder":5,"columns":[` + columns + `],"rows":9,"header":true,"label":{"name":"y",` +
			`"kind":"number"},"label_at":-1}`
	}
	write(of(good))
	must(t, "predict", data, name)
	change := func(old, with string) string { return of(strings.Replace(good, old, with, 1)) }
	for what, encoder := range map[string]string{
		"more features":       of(good + "," + strings.Replace(good, `"c"`, `"e"`, 1)),
		"fewer features":      of(strings.Replace(good, `4]}`, `4]},"gap_feature":true`, 1)),
		"no columns":          of(""),
		"levels not sorted":   change(`"a","b"`, `"b","a"`),
		"more levels":         change(`"a",`, `"a","aa",`),
		"more counts":         change(`[2,3`, `[2,3,1`),
		"too few rows":        strings.Replace(of(good), `:9`, `:8`, 1),
		"no rows":             strings.Replace(of(good), `:9`, `:0`, 1),
		"hashed levels":       change(`"names"`, `"hash_bits":12,"names"`),
		"many hash bits":      change(`"names":["a","b","d"],"counts":[2,3,4]`, `"hash_bits":62`),
		"an unknown kind":     change(`category`, `date`),
		"a number's levels":   change(`category"`, `number","number":{"factor":1}`),
		"no scale":            of(`{"name":"c","kind":"number"}`),
		"a huge factor":       of(`{"name":"c","kind":"number","number":{"factor":1e999}}`),
		"a label beyond":      strings.Replace(of(good), "-1", "2", 1),
		"a label before":      strings.Replace(of(good), "-1", "-2", 1),
		"another version":     strings.Replace(of(good), `"encoder":5`, `"encoder":3`, 1),
		"columns of a number": `{"encoder":5,"columns":7}`,
	} {
		write(encoder)
		for _, args := range [][]string{
			{"predict", data, name}, {"eval", data, name}, {"verify", name, data}, {"inspect", name},
			{"train", "-start", name, data, name + " new"}, {"convert", name, name + ".json"},
			{"convert", "-for", name, data, name + ".svm"},
		} {
			code, _, told := pegasimd(t, args...)
			if code != exitError || !strings.Contains(told, "table") {
				t.Errorf("%s: %s: exit code %d, %s", what, args[0], code, told)
			}
		}
	}
}
