package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/app/predictions"
	"github.com/pegasimd/pegasimd/pegasos"
)

func TestColumns(t *testing.T) {
	rows := [][3]string{{"3", "0.5", "pear"}, {"2.5", "1", "pear"}, {"0.5", "2", "fig"},
		{"1", "3", "fig"}}
	// Columns other than long, wide and fruit get words.
	table := func(header bool, columns ...string) string {
		var b strings.Builder
		if header {
			b.WriteString(strings.Join(columns, ",") + "\n")
		}
		for i, r := range rows {
			cell := map[string]string{"long": r[0], "wide": r[1], "fruit": r[2]}
			for j, c := range columns {
				if j > 0 {
					b.WriteByte(',')
				}
				if v, known := cell[c]; known {
					b.WriteString(v)
				} else {
					fmt.Fprintf(&b, "%d of %s", i, c)
				}
			}
			b.WriteByte('\n')
		}
		return file(t, "table.csv", b.String())
	}
	const fruits = "pear\npear\nfig\nfig\n"
	for _, kind := range [][]string{{}, {"-kernel", "linear"}, {"-start"}} {
		t.Run(strings.Join(kind, " "), func(t *testing.T) {
			dir := t.TempDir()
			train := func(model string, args ...string) string {
				model = filepath.Join(dir, model)
				args = append(append([]string{"train", "-quiet"}, args...), model)
				if len(kind) == 1 { // the model that the run started from decides the columns
					must(t, args...)
					again := model + " again"
					args = append([]string{"train", "-start", model}, args[1:len(args)-1]...)
					args = append(args, again)
					model = again
				} else {
					args = append(args, kind...)
				}
				must(t, args...)
				return model
			}
			named := train("named", table(true, "long", "wide", "fruit"))
			first := train("first", "-label-column", "0", table(false, "fruit", "long", "wide"))
			last := train("last", table(false, "long", "wide", "fruit"))
			within := train("within", "-label-column", "fruit",
				table(true, "long", "fruit", "wide"))
			for _, c := range []struct {
				model, data, told string
			}{
				{named, table(true, "long", "wide", "fruit"), "4 of 4"},
				{named, table(true, "fruit", "wide", "long"), "4 of 4"},
				{named, table(true, "id", "wide", "fruit", "note", "long"),
					"does not have: id, note\naccuracy 100"},
				{named, table(true, "wide", "long"), "4 rows without labels"},
				{named, table(true, "wide", "id", "long"), "have: id\n4 rows without labels"},
				{named, table(false, "long", "wide", "fruit"), "4 of 4"},
				{named, table(false, "long", "wide"), "4 rows without labels"},
				{within, table(true, "fruit", "wide", "long"), "4 of 4"},
				{within, table(false, "long", "fruit", "wide"), "4 of 4"},
				{within, table(false, "long", "wide"), "4 rows without labels"},
				{first, table(false, "fruit", "long", "wide"), "4 of 4"},
				{first, table(false, "long", "wide"), "4 rows without labels"},
				{last, table(false, "long", "wide", "fruit"), "4 of 4"},
				{last, table(true, "long", "wide", "fruit"), "4 of 4"},
				{last, table(true, "long", "wide"), "4 rows without labels"},
			} {
				out, told := must(t, "predict", c.data, c.model)
				if out != fruits || !strings.Contains(told, c.told) {
					t.Errorf("%s: predicted %q, printed %q, want %q", filepath.Base(c.model), out,
						told, c.told)
				}
			}
			if out, _ := must(t, "predict", "-labels", "no", table(true, "wide", "fruit", "long"),
				named); out != fruits {
				t.Errorf("-labels no: %q", out)
			}
			if out, _ := must(t, "predict", "-label-column", "last",
				table(false, "long", "wide", "fruit"), first); out != fruits {
				t.Errorf("-label-column last: %q", out)
			}
			for want, args := range map[string][]string{
				`no column is called "wide" in the header`: {"predict",
					table(true, "long", "fruit"), named},
				"4 columns, want 2, or 3 with the label column": {"predict",
					table(false, "long", "wide", "fruit", "fruit"), last},
				"2 columns, want 3 with the label column": {"eval", table(false, "long", "wide"), last},
				`no column is called "fruit" in the header, like the label column of`: {"eval",
					table(true, "long", "wide"), named},
				"3 columns, want 2": {"predict", "-labels", "no",
					table(false, "long", "wide", "fruit"), last},
			} {
				fails(t, exitError, want, args...)
			}
			fails(t, exitUsage, "-label-column has no effect", "predict", "-labels", "no",
				"-label-column", "0", table(false, "long", "wide"), last)
			fails(t, exitUsage, `-labels: have "maybe", want yes, no or auto`, "predict",
				"-labels", "maybe", table(false, "long", "wide"), last)
		})
	}
}

func TestColumnsOfCrossValidation(t *testing.T) {
	model := filepath.Join(t.TempDir(), "model")
	data := "a,b,y\n"
	for i := range 20 {
		data += fmt.Sprintf("%d,%d,%s\n", 1-2*(i%2), i%3, []string{"up", "down"}[i%2])
	}
	other := file(t, "other.csv", "y,b,a\nup,0,1\ndown,1,-1\n")
	for _, kernel := range [][]string{nil, {"-kernel", "rbf"}} {
		must(t, append([]string{"cv", "-quiet", "-folds", "2", "-c", "1", "-model", model,
			file(t, "data.csv", data)}, kernel...)...)
		if out, told := must(t, "predict", other, model); out != "up\ndown\n" {
			t.Errorf("%v: %q, %q", kernel, out, told)
		}
	}
	_, told := must(t, "train", "-patience", "2", "-valid", other, file(t, "data.csv", data), model)
	if !strings.Contains(told, "validation accuracy 100.0000 % on 2 rows") {
		t.Error(told)
	}
}

func TestColumnsOfConvert(t *testing.T) {
	dir := t.TempDir()
	must(t, "train", "-quiet", file(t, "four.csv", "a,b,y\n1,10,p\n-2,5,q\n2,9,p\n-1,6,q\n"),
		dir+"/model")
	must(t, "convert", "-label-column", "y", file(t, "test.csv", "y,b,a\np,10,1\nq,5,-2\n"),
		dir+"/test.csv")
	text, err := os.ReadFile(dir + "/test.csv")
	if err != nil || string(text) != "b,a,y\n10,1,p\n5,-2,q\n" {
		t.Errorf("%q, %v", text, err)
	}
	if out, told := must(t, "predict", dir+"/test.csv", dir+"/model"); out != "p\nq\n" {
		t.Errorf("%q, %q", out, told)
	}
}

// A blank line of svmlight text without labels is a row.
func TestPredictUnlabelledSvmlight(t *testing.T) {
	model := filepath.Join(t.TempDir(), "model")
	must(t, "train", "-quiet", file(t, "toy.svm", toy), model)
	bare := file(t, "bare.svm", "1:2 2:1\n\n2:-3\n")
	for _, labels := range []string{"auto", "no"} {
		out, told := must(t, "predict", "-labels", labels, bare, model)
		if out != "1\n1\n-1\n" || told != "3 rows without labels\n" {
			t.Errorf("-labels %s: %q, %q", labels, out, told)
		}
	}
	fails(t, exitError, "a feature where the label should be", "eval", bare, model)
	fails(t, exitError, "a feature where the label should be", "predict", "-labels", "yes", bare,
		model)
	fails(t, exitError, "the data are read without labels", "predict",
		file(t, "b.svm", "1:2\n1 1:2\n"),
		model)
	must(t, "train", "-quiet", "-loss", "eps-insensitive", file(t, "n.svm", "1 1:1\n0 2:1\n"),
		model)
	if out, told := must(t, "predict", bare, model); strings.Count(out, "\n") != 3 ||
		told != "3 rows without labels\n" {
		t.Errorf("%q, %q", out, told)
	}
}

func TestColumnsOfTheSameName(t *testing.T) {
	model := filepath.Join(t.TempDir(), "model")
	_, told := must(t, "train", file(t, "x.csv", "a,a,y\n1,2,p\n-1,-2,q\n2,2,p\n-2,-2,q\n"), model)
	if !strings.Contains(told, `two columns are called "a"`) {
		t.Error(told)
	}
	if out, _ := must(t, "predict", file(t, "x.csv", "b,c,y\n1,2,p\n-1,-2,q\n"), model); out !=
		"p\nq\n" {
		t.Errorf("%q", out)
	}
	fails(t, exitError, "3 columns, want 2", "predict", "-labels", "no",
		file(t, "x.csv", "1,2,3\n"), model)
}

func TestLackingColumns(t *testing.T) {
	dir := t.TempDir()
	must(t, "train", "-quiet", file(t, "x.csv", "1,2,0\n3,4,1\n1,3,0\n3,5,1\n"), dir+"/model")
	must(t, "convert", file(t, "x.csv", "1,0\n3,1\n"), dir+"/x.pgsm")
	if _, told := must(t, "predict", dir+"/x.pgsm", dir+"/model"); !strings.HasPrefix(told,
		"the data lack the last 1 feature of the model, which count as 0\n") {
		t.Error(told)
	}
	_, told := must(t, "predict", file(t, "x.svm", "0 1:1\n1 1:3\n"), dir+"/model")
	if strings.Contains(told, "lack") {
		t.Error(told)
	}
}

func TestBadTable(t *testing.T) {
	name := filepath.Join(t.TempDir(), "model")
	for table, want := range map[string]string{
		`{"columns":["a"],"label_at":-1}`: "the model's table: a table of 1 name for 2",
		`[1]`:                             "the model's table: want an object",
		`{"label_at":-7}`:                 "the model's table: the LabelAt of a table",
	} {
		m := &pegasos.Model{Classes: []float32{0, 1}, Weights: [][]float32{{1, 2}}, Lambda: 1,
			Config: pegasos.Config{Lambda: 1}.Plain(), Table: []byte(table)}
		save(t, m, name)
		fails(t, exitError, want, "predict", file(t, "x.csv", "1,2\n"), name)
	}
	// Without the position of the label's column, the label is in the last column.
	if have, err := predictions.Table([]byte("{}"), 2); err != nil || have.LabelAt != -1 {
		t.Errorf("{}: %v, %v", have, err)
	}
}

func TestNotesOnValidationData(t *testing.T) {
	data := file(t, "a.csv", "a,b,y\n"+strings.Repeat("1,2,p\n2,1,q\n", 6))
	valid := file(t, "v.csv", "a,more,b,y\n1,0,2,p\n2,0,1,q\n1,0,1,\n")
	_, told := must(t, "train", "-missing", "drop", "-valid", valid, data,
		filepath.Join(t.TempDir(), "m.model"))
	if !strings.Contains(told, "v.csv: left out 1 row without a label\nv.csv: ignored columns that "+
		"the model does not have: more\n") {
		t.Error(told)
	}
}

func TestLabelOfNPY(t *testing.T) {
	array := filepath.Join(t.TempDir(), "x.npy")
	must(t, "convert", file(t, "a.svm", strings.Repeat(toy, 3)), array)
	for flags, want := range map[string]string{"": "the label is the last column\n",
		"-label-column last":                   "the label is the last column\n",
		"-label-column 0 -loss squared -force": "the label is column 0\n",
		"-loss log -force":                     "the label is the last column\n"} {
		_, told := must(t, strings.Fields("train "+flags+" -model "+array+".model "+array)...)
		if !strings.Contains(told, want) {
			t.Errorf("%s: %s", flags, told)
		}
	}
}
