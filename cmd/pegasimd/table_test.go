package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/app/predictions"
	"github.com/pegasimd/pegasimd/internal/text/tables"
	"github.com/pegasimd/pegasimd/pegasos"
)

const tableRows = 24

func tableOf(cell func(i int) string) string {
	var b strings.Builder
	b.WriteString("c,w,label\n")
	for i := range tableRows {
		fmt.Fprintf(&b, "%s,%c,%c\n", cell(i), "xzz"[i%3], "pq"[i%2])
	}
	return b.String()
}

func cycle(cells ...string) func(i int) string {
	return func(i int) string { return cells[i%len(cells)] }
}

func single(text string) string { return regexp.MustCompile(` +`).ReplaceAllString(text, " ") }

func TestTableKinds(t *testing.T) {
	names := func(i int) string { return fmt.Sprint("Person ", i) }
	for what, c := range map[string]struct {
		cell func(i int) string
		want string
	}{
		"words": {cycle("Oslo", "Lima"), "category 2 different words: Lima 12, Oslo 12\n"},
		"words and gaps": {cycle("Oslo", "Lima", ""),
			"category 2 different words: Lima 8, Oslo 8; 8 gaps\n"},
		"numbers": {cycle("1", "2", "3"), "number numbers: mean 2, deviation 0.8165\n"},
		"numbers and gaps": {cycle("1", "", "3"),
			"number numbers: mean 2; 8 gaps\n"},
		"all ways to write gaps": {cycle("1", "?", "na", "N/A", "nan", "NULL", "3", ""),
			"number numbers: mean 2; 18 gaps\n"},
		"a word for gaps": {cycle("none", "1", "3", "1", "3", "1", "3", "1", "3", "1", "3", "2"),
			"number numbers: mean 2, deviation 0.9535; 2 gaps"},
		"numbers of the rows": {func(i int) string { return fmt.Sprint(1000 + i) },
			"left out looks like a row counter: whole numbers; such as \"1000\"\n"},
		"ids": {func(i int) string { return fmt.Sprint(100000 + 77777*i%800000) },
			"left out looks like an identifier: whole numbers of 6 digits, all different; " +
				"such as "},
		"names": {names, "left out looks like an identifier: 24 different words in 24 rows; such as "},
		"names and gaps": {func(i int) string { return strings.Repeat(names(i), min(i%8, 1)) },
			"category 21 different words; 3 gap"},
		"one value": {cycle("Oslo"), "left out all rows have the same value; such as \"Oslo\"\n"},
		"no value":  {cycle("", "NA"), "left out no cell has a value; 24 gaps\n"},
	} {
		printed, _ := must(t, "inspect", file(t, "x.csv", tableOf(c.cell)))
		if !strings.Contains(single(printed), "\n c "+c.want) {
			t.Errorf("%s: %s, want %q", what, printed, c.want)
		}
	}
}

func TestTableTraps(t *testing.T) {
	cities := tableOf(cycle("Oslo", "Lima"))
	_, bare, _ := strings.Cut(cities, "\n")
	first := "y,a,b\np,1,x\nq,2,z\np,3,x\nq,1,z\n"
	for _, c := range []struct {
		name, text string
		args       string
		code       int
		told       []string
	}{
		{"x.csv", "0,1,2,target\n1.5,2,3,p\n2,1,4,q\n3,2.5,1,p\n", "inspect -label target",
			exitDone, []string{"3 rows, 3 features\n", "label p: 2 rows\nlabel q: 1 row\n"}},
		{"x.csv", "0,1,2,target\n1.5,2,3,p\n2,1,4,q\n3,2.5,1,p\n", "inspect", exitDone, []string{
			"3 rows, 4 columns\nformat: commas between cells, a header\n", "train takes the labels from " +
				"the last column, target, unless"}},
		{"x.csv", bare, "train", exitDone, []string{"x.csv: 24 rows", " 0 category 2 different"}},
		{"x.csv", strings.ReplaceAll(cities, "\n", "\r\n"), "inspect -label 2", exitDone,
			[]string{"24 rows", "label q: 12 rows\n"}},
		{"x.tsv", strings.ReplaceAll(cities, ",", "\t"), "inspect", exitDone,
			[]string{"Lima 12, Oslo 12\n"}},
		{"x.csv", first, "train", exitDone, []string{"the label is column 0, y, by its name\n"}},
		{"x.csv", first, "train -label-column y", exitDone, []string{"the label is column 0, y\n"}},
		{"x.csv", first, "train -label-column 1", exitDone, []string{"the label is column 1, a\n"}},
		{"x.csv", first + "p,4,\n", "train -label last", exitError, []string{`x.csv:6:5: column ` +
			`"b": missing label: fill it in, or leave such rows out (-missing drop)` + "\n"}},
		{"x.csv", first + "p,4,\n", "train -label b -missing drop", exitDone, []string{
			"x.csv: 4 rows", "left out 1 row without a label\n"}},
		{"x.csv", "a,a,y\nx,1,p\nz,2,q\nx,4,p\nz,1,q\n", "train", exitDone, []string{
			"the label is the last column, y, by its name\nthe model does not store the columns' " +
				`names, and finds columns by position: two columns are called "a"` + "\n"}},
		{"data.txt", cities, "train", exitError, []string{
			"data.txt:1:1:", "if the data are CSV or TSV, or lines of a label, a tab and a text, " +
				"give -format csv, tsv or lines\n"}},
		{"data.txt", cities, "train -format csv", exitDone, []string{"Lima 12, Oslo 12\n"}},
		{"x.csv", cities, "train -numbers c", exitDone, []string{`warning: column "c": 24 of 24 ` +
			`values are not read as numbers and count as missing, such as "Oslo"`}},
		{"x.csv", tableOf(cycle("1", "NA", "3")), "train -missing error", exitError, []string{
			`x.csv:3:1: column "c": token "NA": missing value: `, "(and cells in 7 more rows)\n"}},
		{"x.csv", "c,w,label\n", "train", exitError, []string{"x.csv: no rows\n"}},
		{"x.csv", "c,w,label\n1,2,\n3,4,\n", "train -missing drop", exitError, []string{
			"x.csv: no row has a label\n"}},
		{"x.csv", "c,w,label\n1,2,\n3,4,\n", "inspect -label-column label", exitDone, []string{
			"0 distinct labels\n2 rows without a label\n"}},
		{"x.csv", "c,w,label\nOslo,x,p\n", "train", exitError, []string{"no column has a feature"}},
		{"x.csv", cities, "train -ignore c,0", exitError, []string{`column "c" is given twice`}},
		{"x.csv", cities, "train -ignore c,1", exitError, []string{"no column has a feature: "}},
		{"x.csv", cities, "train -ignore city", exitError, []string{`the name or number "city"`}},
		{"x.csv", cities, "train -ignore c -numbers c", exitUsage, []string{
			`the column "c" is given twice`}},
		{"x.csv", cities, "train -ngrams 0", exitUsage, []string{"-ngrams: have 0, want 1 to 8"}},
		{"x.csv", cities, "train -missing skip", exitUsage, []string{
			`-missing: have "skip", want fill, error or drop`}},
		{"x.svm", toy, "train -ignore 1", exitUsage, []string{
			"-ignore is for tables, and "}},
		{"x.csv", tableOf(func(i int) string { return fmt.Sprint(i) }), "inspect -categories c",
			exitDone, []string{"c category as given, no feature: no word is in two training rows\n"}},
		{"x.csv", tableOf(cycle("7", "9")), "inspect -categories 0 -ignore w", exitDone, []string{
			"c category as given: 7 12, 9 12\n w left out as given; such as "}},
	} {
		args := append(strings.Fields(c.args), file(t, c.name, c.text))
		if args[0] == "train" {
			args = append(args, filepath.Join(t.TempDir(), "x.model"))
		}
		code, printed, told := pegasimd(t, args...)
		for _, want := range c.told {
			if code != c.code || !strings.Contains(single(printed+told), want) {
				t.Errorf("%s of %q: exit code %d, %s%s, want %d, %q", c.args, c.text, code, printed,
					told, c.code, want)
			}
		}
	}
}

func TestTableFirstSteps(t *testing.T) {
	t.Chdir(t.TempDir())
	lines := strings.SplitAfter(people(400), "\n")
	for name, text := range map[string]string{
		"people.csv": strings.Join(lines[:301], ""),
		"new.csv":    lines[0] + strings.Join(lines[301:], ""),
	} {
		write(t, name, text)
	}
	kinds := regexp.MustCompile(`  id      left out  looks like a row counter: whole numbers; such as "\d+"
  name    left out  looks like an identifier: 300 different words in 300 rows; such as "Person \d+"
  city    category  4 different words: Lima (\d+), Oslo (\d+), Paris (\d+), Rome (\d+)
  age     number    numbers: mean [\d.]+, deviation [\d.]+; \d+ gaps
  income  number    numbers: mean [\de+.]+, deviation [\de+.]+; \d+ gaps
`)
	printed, _ := must(t, "inspect", "-label", "label", "people.csv")
	counts := kinds.FindStringSubmatch(printed)
	if counts == nil || !strings.Contains(printed, "train makes these features of the 5 columns\n"+
		counts[0]) {
		t.Fatalf("inspect printed %s", printed)
	}
	_, told := must(t, "train", "people.csv")
	if !strings.Contains(told, counts[0]+"the label is the last column, label, by its name\n") {
		t.Errorf("train printed %s", told)
	}
	labels, told := must(t, "predict", "new.csv", "people.model")
	right := regexp.MustCompile(`^accuracy (\d+)\.\d+ % \(\d+ of 100\)\n$`).FindStringSubmatch(told)
	if strings.Count(labels, "\n") != 100 || right == nil || right[1] < "80" {
		t.Errorf("predict printed %s", told)
	}
	printed, _ = must(t, "inspect", "-top", "8", "people.model")
	if !strings.Contains(printed, "\ncolumns   5 of a table, besides the label: label\n"+
		"  id      left out  ") {
		t.Errorf("inspect printed %s", printed)
	}
	weights := regexp.MustCompile(`  feature (\d+) +([-+][\d.]+) x spread = ([-+][\d.]+)  (.+)\n`).
		FindAllStringSubmatch(printed, -1)
	if len(weights) != 8 || weights[0][4] != "age" {
		t.Fatalf("inspect printed %s", printed)
	}
	spread := map[string]float64{"age": 1, "income": 1}
	for k, city := range []string{"Lima", "Oslo", "Paris", "Rome"} {
		n, _ := strconv.ParseFloat(counts[k+1], 64)
		spread["city="+city] = math.Sqrt(n / 300 * (1 - n/300))
	}
	for _, w := range weights {
		weight, _ := strconv.ParseFloat(w[2], 64)
		effect, _ := strconv.ParseFloat(w[3], 64)
		if want, known := spread[w[4]]; known && math.Abs(effect/weight-want) > 1e-4 {
			t.Errorf("%s: %v x spread is %v, want a spread of %v", w[4], weight, effect, want)
		} else if known {
			delete(spread, w[4])
		}
	}
	if len(spread) != 0 {
		t.Errorf("inspect has no %v in %s", spread, printed)
	}
}

func TestTableHashed(t *testing.T) {
	var b strings.Builder
	b.WriteString("user,age,label\n")
	for i := range 9000 {
		fmt.Fprintf(&b, "user %d,%d,%c\n", i%4500, i*i%97, "pq"[i%4500%3%2])
	}
	name, model := file(t, "x.csv", b.String()), filepath.Join(t.TempDir(), "model")
	_, told := must(t, "train", "-epochs", "5", name, model)
	if !strings.Contains(told, "4500 different words, hashed to 4096 features\n") {
		t.Errorf("train printed %s", told)
	}
	printed, _ := must(t, "inspect", "-top", "20", model)
	weights := regexp.MustCompile(`  feature \d+ +([-+][\d.]+) x spread = \S+  user in bucket \d+\n`).
		FindAllStringSubmatch(printed, -1)
	if len(weights) != 19 || !strings.Contains(printed, "  age\n  feature ") {
		t.Fatalf("inspect printed %s", printed)
	}
	last := math.Inf(1)
	for _, w := range weights {
		weight, _ := strconv.ParseFloat(w[1], 64)
		if math.Abs(weight) > last {
			t.Fatalf("inspect printed %s", printed)
		}
		last = math.Abs(weight)
	}
}

// The model file equals the file of pegasos.Trainer, apart from the lines that describe the table
// and the command.
func TestTableOfNumbers(t *testing.T) {
	name, model := file(t, "x.csv", "a,y,b\n1,p,2\n-1,q,0.5\n3,p,-4\n-2,q,1\n"),
		filepath.Join(t.TempDir(), "model")
	must(t, "train", "-quiet", "-label-column", "y", name, model)
	have := read(t, model)
	set, err := dataset.Read(name, dataset.Options{LabelColumn: "y"})
	if err != nil {
		t.Fatal(err)
	}
	tr := pegasos.Trainer{Fingerprint: true}
	m, err := tr.Train(t.Context(), set.Examples(), set.Y)
	if err != nil {
		t.Fatal(err)
	}
	m.Names, m.IndexBase = set.Names, set.IndexBase
	m.Table = json.RawMessage(`{"encoder":5,"columns":[{"name":"a","kind":"number","number":` +
		`{"mean":0.25}},{"name":"b","kind":"number","number":{"mean":-0.125}}],"rows":4,` +
		`"header":true,"label":{"name":"y","kind":"category"},"label_at":1,"raw":true}`)
	m.Command = `-format csv -sep , -quote '"' -comment none -skip-lines 0 -header yes ` +
		`-encoding utf-8 -decimal . -label-column y -numbers '*'`
	var want bytes.Buffer
	if err := m.Write(&want); err != nil || have != want.String() {
		t.Errorf("%.900q, want %.900q, %v", have, want.Bytes(), err)
	}
	must(t, "train", "-quiet", "-ignore", "b", "-label-column", "y", name, model)
	e := encoderOf(t, model)
	if e == nil || e.Cols() != 1 || e.Columns[0].Kind != tables.Number ||
		e.Columns[1].Kind != tables.LeftOut || e.LabelAt != 1 {
		t.Errorf("%+v", e)
	}
}

func encoderOf(t *testing.T, name string) *tables.Encoder {
	t.Helper()
	m := modelOf(t, name)
	e, err := predictions.Encoder(m.Head())
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestTablePredict(t *testing.T) {
	model := filepath.Join(t.TempDir(), "model")
	train := "id,city,age,member,label\n"
	for i := range tableRows {
		train += fmt.Sprintf("%d,%s,%d,%s,%s\n", i, cycle("Lima", "Oslo", "Rome")(i), 30+i%2*10+i%3,
			cycle("no", "yes", "yes")(i), cycle("p", "q")(i))
	}
	must(t, "train", "-quiet", file(t, "x.csv", train), model)
	const unlabelled = " rows without labels\n"
	const more = "41,Rome,no\n41,Rome,no\n"
	for data, want := range map[string][2]string{
		"label,member,age,city\np,no,30,Lima\nq,no,41,Rome\n":   {"p\nq\n", "accuracy 100"},
		"age,city,member\n30,Lima,no\n41,Rome,no\n":             {"p\nq\n", "2" + unlabelled},
		"7,Lima,30,no\n8,Rome,41,no\n":                          {"p\nq\n", "2" + unlabelled},
		"7,Lima,30,no,p\n8,Rome,41,no,q\n":                      {"p\nq\n", "accuracy 100"},
		"x,age,city,y,member\n1,30,Lima,2,no\n3,41,Rome,4,no\n": {"p\nq\n", "have: x, y\n2 rows"},
		"age,city,member\n30,Bern,no\n41,Kiel,yes\n41,Rome,maybe\n" + more: {"p\nq\nq\nq\nq\n", "" +
			`column city: 2 cells with a word that fewer than 2 training rows had, such as ` +
			`"Bern": taken for none of the words` + "\n" +
			`column member: 1 cell with a word that fewer than 2 training rows had, such as ` +
			`"maybe": taken for none of the words` + "\n5" + unlabelled},
		"age,city,member\n30,Lima,no\nold,Rome,yes\n41 years,Rome,no\n" + more: {"p\np\nq\nq\nq\n", "" +
			`column age: 2 cells without a number as in the training data, such as "old": taken for ` +
			"the mean\n5" + unlabelled},
		"age,city,member\n,Lima,no\nNA,,no\n41,Rome,\n": {"q\nq\nq\n", "" +
			"column city: 1 cell without a value, unlike in training: taken for " +
			"none of the words\n" +
			"column age: 2 cells without a value, unlike in training: taken for " +
			"the mean\n" +
			"column member: 1 cell without a value, unlike in training: taken for none " +
			"of the words\n3" + unlabelled},
	} {
		out, told := must(t, "predict", file(t, "new.csv", data), model)
		if out != want[0] || !strings.Contains(told, want[1]) {
			t.Errorf("%q: predicted %q, printed %q, want %q", data, out, told, want)
		}
	}
	for want, args := range map[string][]string{
		`no column is called "age" in the header`: {"predict", "city,member\nLima,no\n"},
		"(and cells in 2 more rows)": {"predict", "-missing", "error",
			"age,city,member\n,Oslo,no\n30,,no\n30,Lima,\n"},
		"2 columns, want 4, or 5 with the label column": {"predict", "30,Lima\n"},
		"rename the column that has the labels":         {"eval", "age,city,member\n"},
		"the training data are a table":                 {"eval", "-format", "npy", toy},
	} {
		last := len(args) - 1
		args[last] = file(t, "new.csv", args[last])
		fails(t, exitError, want, append(args, model)...)
	}
	fails(t, exitUsage, "there is no flag -ignore", "predict", "-ignore", "age", "x.csv", model)
}
