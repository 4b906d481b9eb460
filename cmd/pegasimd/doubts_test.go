package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/pegasos"
)

type madeTable struct {
	separator, decimal, before, header, date string
	quote                                    bool
}

func (m madeTable) text() string {
	g := rand.New(rand.NewPCG(4, 4))
	var b strings.Builder
	b.WriteString(m.before)
	join := func(cells ...string) {
		for i, c := range cells {
			if m.quote {
				c = `"` + strings.ReplaceAll(c, `"`, `""`) + `"`
			}
			if i > 0 {
				b.WriteString(m.separator)
			}
			b.WriteString(c)
		}
		b.WriteByte('\n')
	}
	if m.header != "" {
		join(strings.Split(m.header, "|")...)
	}
	for i := range 60 {
		day := fmt.Sprintf(m.date, 1+i*7%28, 1+i%12, 2010+i%9)
		amount := strings.Replace(fmt.Sprintf("%.2f", 10*g.Float64()), ".", m.decimal, 1)
		join(amount, []string{"Oslo", "Rome", "Köln"}[g.IntN(3)], day, fmt.Sprint(4711+i*i),
			[]string{"stays", "goes"}[g.IntN(2)])
	}
	return b.String()
}

const madeHeader = "amount|town|since|number|label"

func tablesOfForms() map[string]string {
	plain := madeTable{separator: ",", decimal: ".", header: madeHeader, date: "%[3]d-%02[2]d-%02[1]d"}
	with := func(change func(*madeTable)) string {
		m := plain
		change(&m)
		return m.text()
	}
	tabs := with(func(m *madeTable) { m.separator = "\t" })
	var numbers, counts, jsonLines, lines strings.Builder
	for i := range 80 {
		fmt.Fprintf(&numbers, "%d,%.2f,%d\n", i*i%17, float64(i*i%31)/7, i%2)
		fmt.Fprintf(&counts, "%d,%.2f,%d\n", i*i%17, float64(i*i%31)/7, 3*i)
		fmt.Fprintf(&jsonLines, `{"a":%d,"b":"%c","label":"%c"}`+"\n", i*i%17, "xyz"[i%3], "pq"[i%2])
		fmt.Fprintf(&lines, "%s\t%s day number %d\n", []string{"good", "bad"}[i%2],
			[]string{"what a fine", "such a sad"}[i%2], i)
	}
	return map[string]string{
		"plain.csv":  plain.text(),
		"semi.csv":   with(func(m *madeTable) { m.separator, m.decimal = ";", "," }),
		"tabs.tsv":   tabs,
		"pipes.csv":  with(func(m *madeTable) { m.separator = "|" }),
		"quotes.csv": with(func(m *madeTable) { m.quote = true }),
		"us.csv":     with(func(m *madeTable) { m.date = "%02[2]d/%02[1]d/%[3]d" }),
		"german.csv": with(func(m *madeTable) {
			m.separator, m.decimal, m.date = ";", ",", "%02[1]d.%02[2]d.%[3]d"
		}),
		"euro.csv":    with(func(m *madeTable) { m.date = "%02[1]d/%02[2]d/%[3]d" }),
		"comment.csv": with(func(m *madeTable) { m.before = "# made by hand\n# twice\n" }),
		"above.csv":   with(func(m *madeTable) { m.before = "Report of the year\n\n" }),
		"bare.csv":    with(func(m *madeTable) { m.header = "" }),
		"twice.csv":   with(func(m *madeTable) { m.header = "a|a|since|number|label" }),
		"names.csv":   with(func(m *madeTable) { m.quote, m.header = true, "a, b|*|it's|\"q\"|the label" }),
		"hidden.csv":  with(func(m *madeTable) { m.header = "a\x1bb|town|2019|last|4" }),
		"first.csv": with(func(m *madeTable) {
			m.header = "amount|town|since|number|"
		}),
		"latin.csv":   strings.ReplaceAll(plain.text(), "ö", "\xf6"),
		"utf16.csv":   asUTF16(tabs, false, true),
		"utf16be.csv": asUTF16(tabs, true, true),
		"numbers.csv": numbers.String(),
		"counts.csv":  "a,b,count\n" + counts.String(),
		"rows.jsonl":  jsonLines.String(),
		"texts.tsv":   lines.String(),
	}
}

func TestResolved(t *testing.T) {
	for name, text := range tablesOfForms() {
		data, dir := file(t, name, text), t.TempDir()
		a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
		for _, flags := range []string{"", "-kernel rbf -passes 2", "-loss squared-hinge -seed 7 -ngrams 1"} {
			if strings.HasPrefix(name, "counts") && flags != "" {
				continue
			}
			_, told := must(t, append(append([]string{"train", "-force"}, strings.Fields(flags)...), data,
				a)...)
			line := regexp.MustCompile(`(?m)^resolved: (.*)$`).FindStringSubmatch(told)
			if line == nil {
				t.Fatalf("%s: %s", name, told)
			}
			words := shellSplit(t, line[1])
			at := slices.Index(words, "-model")
			if words[0] != "pegasimd" || at < 0 || words[at+1] != a {
				t.Fatalf("%s: %q", name, words)
			}
			args := slices.Clone(words[1:])
			args[at] = b
			_, again := must(t, append(args, "-force")...)
			if read(t, a) != read(t, b) {
				t.Errorf("%s: %s\ngives another model than %q", name, line[1], flags)
			}
			for _, doubt := range []string{"warning: column", "warning: line",
				"taken for regression targets"} {
				if strings.Contains(again, doubt) && !strings.Contains(again, "count as missing") {
					t.Errorf("%s: %q causes a warning: %s", name, words, again)
				}
			}
			printed, _ := must(t, "inspect", a)
			if stored := "command   " + strings.TrimSuffix(line[1][len("pegasimd train "):],
				" -model "+shellWord(a)+" "+shellWord(data)); !strings.Contains(printed, stored+"\n") {
				t.Errorf("%s: inspect prints %.1500s, want %s", name, printed, stored)
			}
		}
	}
}

// The data of the -start model may have another name for the label column.
func TestResolvedStart(t *testing.T) {
	dir, rows := t.TempDir(), "1,2,p\n2,3,q\n3,1,p\n4,4,q\n"
	first, second := filepath.Join(dir, "first"), filepath.Join(dir, "second")
	must(t, "train", "-quiet", file(t, "y.csv", "a,b,y\n"+rows), first)
	_, told := must(t, "train", "-start", first, "-label-column", "z",
		file(t, "z.csv", "a,b,z\n"+rows), second)
	if !strings.Contains(told, " -label-column z ") || strings.Contains(told, " -label-column y ") ||
		strings.Contains(told, "the label is") {
		t.Error(told)
	}
	_, told = must(t, "train", "-start", first, file(t, "y.csv", "y,b,a\np,2,1\nq,3,2\n"), second)
	if !strings.Contains(told, "the label is the column y\n") {
		t.Error(told)
	}
}

// shellSplit fails the test if one of the characters "*;|$&()<>#~ is not quoted.
func shellSplit(t *testing.T, line string) (words []string) {
	t.Helper()
	word, in, quoted := "", false, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\'':
			quoted, in = !quoted, true
		case quoted:
			word += string(c)
		case c == '\\':
			i++
			word += line[i : i+1]
		case c == ' ' && in:
			words, word, in = append(words, word), "", false
		case strings.IndexByte(`"*;|$&()<>#~`, c) >= 0:
			t.Fatalf("%q in %s is not quoted", c, line)
		default:
			word, in = word+string(c), true
		}
	}
	return append(words, word)
}

func TestCommandOfModel(t *testing.T) {
	dir := t.TempDir()
	data := file(t, "x.csv", tablesOfForms()["numbers.csv"])
	weights := file(t, "w", strings.Repeat("1\n2\n", 40))
	run := strings.Fields("train -quiet -finish none -epochs 3")
	must(t, append(run, "-weights", weights, "-json", dir+"/json", "-checkpoint", dir+"/state", data,
		dir+"/a")...)
	must(t, "train", "-quiet", "-weights", weights, "-resume", dir+"/state", data, dir+"/b")
	for _, name := range []string{"a", "b", "state"} {
		m, err := pegasos.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.HasSuffix(m.Command, " -epochs 3 -finish none -weights FILE") ||
			strings.Contains(m.Command, dir) {
			t.Errorf("%s: %q, %v", name, m.Command, err)
		}
	}
}

func labelsOf(rows int, label func(i int) any) string {
	var b strings.Builder
	b.WriteString("a,b,y\n")
	for i := range rows {
		fmt.Fprintf(&b, "%d,%d,%v\n", i*i%13, i*7%11, label(i))
	}
	return b.String()
}

func TestTask(t *testing.T) {
	const numbers = "taken for regression targets"
	const doubt = "are taken for classes, not for regression targets"
	mod := func(n int) func(int) any { return func(i int) any { return i % n } }
	for _, c := range []struct {
		rows  int
		label func(i int) any
		flags string
		code  int
		want  string
		not   string
	}{
		{100, mod(21), "", exitDone, numbers, doubt},
		{105, mod(21), "", exitDone, doubt, numbers}, // five rows for each label
		{104, mod(21), "", exitDone, numbers, doubt}, // one label has four rows
		{100, mod(20), "", exitDone, "20 classes", "warning: the labels"},
		{42, mod(20), "", exitDone, "20 classes", numbers},
		{400, mod(40), "", exitDone, doubt + " (-loss squared)", numbers},
		{400, mod(40), "-multiclass ovr", exitDone, "40 classes", doubt},
		{400, mod(40), "-loss log", exitDone, "40 classes", doubt},
		{400, mod(40), "-loss squared", exitDone, "regression targets from", doubt},
		{100, func(i int) any { return float64(i%25) / 2 }, "", exitDone, numbers, doubt},
		{100, func(i int) any { return float64(i%9) / 2 }, "", exitDone, "9 classes", numbers},
		{60, func(i int) any { return 20_000_001 + 2*i }, "", exitDone,
			"rounded 60 labels (whole numbers of a magnitude above 2^24) to the nearest float32",
			"warning: the labels"},
		{60, func(i int) any { return 1_700_000_001 + 9*i }, "-loss squared", exitDone, "warning: the " +
			"labels are rounded by up to 64 to the nearest float32, and the standard deviation is 1", "error"},
		{60, func(i int) any { return 20_000_001 + 2*(i%3) }, "", exitError,
			"would be rounded to the nearest float32", ""},
		{60, func(i int) any { return fmt.Sprint("name ", i) }, "", exitError,
			"each of the 60 classes, such as name 0, has one row: name the column that has the labels", ""},
		{8, mod(8), "", exitError, "has one row: predict numbers with -loss squared", ""},
		{61, func(i int) any { return []string{"p", "q", "Total"}[max(i%2, i/60*2)] }, "", exitDone,
			"warning: the class Total has one row: does it come from a header, a footer or a typing error?",
			"-loss squared"},
	} {
		text := labelsOf(c.rows, c.label)
		names := map[string]string{"x.csv": text}
		if fmt.Sprintf("%T", c.label(0)) != "string" {
			names["x.svm"] = regexp.MustCompile(`(?m)^(\d+),(\d+),(.*)$`).ReplaceAllString(
				strings.TrimPrefix(text, "a,b,y\n"), "$3 1:$1 2:$2")
		}
		for name, text := range names {
			args := append(append([]string{"train"}, strings.Fields(c.flags)...), file(t, name, text),
				filepath.Join(t.TempDir(), "m"))
			code, _, told := pegasimd(t, args...)
			if code != c.code || !strings.Contains(told, c.want) ||
				c.not != "" && strings.Contains(told, c.not) {
				t.Errorf("%d rows, labels such as %v, %s %s: exit code %d, want %d, %q; %s", c.rows,
					c.label(1), c.flags, name, code, c.code, c.want, told)
			}
		}
	}
	// Rows of weight 0 do not count.
	text := labelsOf(110, func(i int) any { return min(i%21, 20-i/105*20) })
	weights := file(t, "w", strings.Repeat("1\n", 104)+strings.Repeat("0\n", 6))
	if _, told := must(t, "train", "-weights", weights, file(t, "x.csv", text),
		filepath.Join(t.TempDir(), "m")); !strings.Contains(told, numbers) {
		t.Error(told)
	}
}

func TestLabelQuestion(t *testing.T) {
	t.Chdir(t.TempDir())
	for header, want := range map[string]string{
		"survived,age,class,fare":   "survived class fare",
		"y,a,b,label":               "y label",
		"a,target,b,c":              "target c",
		"a,Class,SalePrice,it's":    `Class SalePrice 'it'\''s'`,
		"id,class,y,d e":            "class y 'd e'",
		"a,\"label\",is_fraud,\x1b": "label is_fraud 3",
	} {
		write(t, "my data.csv", header+"\n"+strings.Repeat("1,2,0,1\n2,1,1,0\n3,2,1,1\n0,1,0,0\n", 6))
		for _, command := range []string{"train", "cv", "convert"} {
			args := []string{command, "my data.csv"}
			line := "  pegasimd " + command + " -threads 2 -label-column %s 'my data.csv'"
			out := map[string]string{"train": "out.model", "convert": "out.svm"}[command]
			if command != "cv" {
				args, line = append(args, out), line+" "+out
			}
			code, _, told := pegasimd(t, append(args, "-threads", "2")...)
			at := strings.Index(told, "\n") + 1
			var answers string
			for _, name := range regexp.MustCompile(`'.+'|\S+`).FindAllString(want, -1) {
				if strings.HasPrefix(name, "Class SalePrice") {
					name = want
				}
				answers += fmt.Sprintf(line+"\n", name)
			}
			if code != exitUsage || !strings.Contains(told[:at], "may have the labels") ||
				told[at:] != answers {
				t.Errorf("%s of %q: exit code %d, %s, want %s",
					command, header, code, told, answers)
			}
			if _, err := os.Stat(out); err == nil {
				t.Fatal("an output was written")
			}
			last := shellSplit(t, strings.TrimSpace(told[strings.LastIndex(strings.TrimSpace(told), "\n"):]))
			must(t, append(last[1:], "-quiet", "-force")...)
			os.Remove(out)
		}
	}
}

func TestLabelByName(t *testing.T) {
	rows := strings.Repeat("1,2,0\n2,1,1\n3,2,1\n0,1,0\n", 8)
	for header, want := range map[string]string{
		"LABEL,a,b":      "the label is column 0, LABEL, by its name\n",
		"a,b,Target":     "the label is the last column, Target, by its name\n",
		"class,a,b":      "the label is column 0, class, by its name\n",
		"a,b,c":          "the label is the last column, c\n",
		"diagnosis,a,b":  `warning: column "diagnosis": may have the labels, which are taken from column b`,
		"a,is_fraud,b":   `warning: column "is_fraud": may have the labels`,
		"a,Sale Price,y": `warning: column "Sale Price": may have the labels, which are taken from column y`,
	} {
		data, model := file(t, "x.csv", header+"\n"+rows), filepath.Join(t.TempDir(), "m")
		_, told := must(t, "train", data, model)
		if !strings.Contains(told, want) ||
			strings.Contains(told, "may have the labels") != strings.HasPrefix(want, "warning") {
			t.Errorf("%s: %s, want %s", header, told, want)
		}
		_, told = must(t, "train", "-label", "0", data, filepath.Join(t.TempDir(), "m"))
		if strings.Contains(told, "may have the labels") {
			t.Errorf("%s: %s", header, told)
		}
		fields := strings.Split(header, ",")
		var lines strings.Builder
		for row := range strings.Lines(rows) {
			cells := strings.Split(strings.TrimSpace(row), ",")
			fmt.Fprintf(&lines, "{%q:%s,%q:%s,%q:%s}\n", fields[0], cells[0], fields[1], cells[1], fields[2],
				cells[2])
		}
		other := filepath.Join(t.TempDir(), "m")
		must(t, "train", "-quiet", file(t, "x.jsonl", lines.String()), other)
		if hashOf(t, model) != hashOf(t, other) {
			t.Errorf("%s: JSON lines give another model", header)
		}
		turned := file(t, "new.csv", fields[2]+","+fields[0]+","+fields[1]+"\n0,1,2\n1,3,2\n")
		for _, args := range [][]string{{"eval", turned, model}, {"predict", turned, model}} {
			if _, told := must(t, args...); strings.Contains(told, "without labels") {
				t.Errorf("%q: %s", args, told)
			}
		}
	}
}

func TestWarningsAreLast(t *testing.T) {
	t.Chdir(t.TempDir())
	rows := labelsOf(130, func(i int) any { return "pq"[i%2 : i%2+1] })
	write(t, "good.csv", rows)
	write(t, "doubt.csv", strings.Replace(rows, "\n0,0,p\n", "\n0,0,p\n0,zero,q\n", 1))
	must(t, "train", "-quiet", "good.csv", "good.model")
	for _, args := range [][]string{
		{"train", "DATA", "-json", "JSON", "OUT.model"}, {"cv", "-folds", "2", "-json", "JSON", "DATA"},
		{"convert", "DATA", "OUT.svm"}, {"convert", "-stream", "DATA", "OUT.pgsm"},
		{"inspect", "-json", "JSON", "DATA"}, {"inspect", "-label", "y", "-json", "JSON", "DATA"},
		{"train", "-kernel", "rbf", "-json", "JSON", "DATA", "OUT.kernel"},
	} {
		for _, data := range []string{"good.csv", "doubt.csv"} {
			line := strings.NewReplacer("DATA", data, "JSON", "json", "OUT", "out").Replace(
				strings.Join(args, " "))
			os.Remove("json")
			_, told := must(t, append(strings.Fields(line), "-force")...)
			lines := strings.Split(strings.TrimSuffix(told, "\n"), "\n")
			first := len(lines)
			for i, l := range lines {
				if strings.HasPrefix(l, "warning: ") && first == len(lines) {
					first = i
				}
				if i > first && !strings.HasPrefix(l, "warning: ") {
					t.Errorf("%s: %q comes after a warning", line, l)
				}
			}
			told = strings.Join(lines[first:], "\n")
			if wants := data == "doubt.csv"; strings.Contains(told, `column "b": 1 of 131 `) != wants ||
				!wants && strings.Contains(told, "warning: column") {
				t.Errorf("%s: %s", line, told)
			}
			if text, err := os.ReadFile("json"); err == nil {
				var r struct{ Warnings []string }
				if err := json.Unmarshal(text, &r); err != nil || data == "doubt.csv" && (len(r.Warnings) == 0 ||
					!strings.Contains(r.Warnings[0], `such as "zero"`)) {
					t.Errorf("%s: %v, %q", line, err, r.Warnings)
				}
			}
			os.Remove("out.model")
			code, _, told := pegasimd(t, append(strings.Fields(line), "-force", "-strict")...)
			if want := map[string]int{"good.csv": exitDone, "doubt.csv": exitError}[data]; code != want ||
				(want == exitError) != strings.Contains(told, "1 doubt, an error because of -strict") {
				t.Errorf("%s -strict: exit code %d, %s", line, code, told)
			}
			if _, err := os.Stat("out.model"); err == nil && data == "doubt.csv" {
				t.Errorf("%s -strict: a model was written", line)
			}
		}
	}
	write(t, "ragged.csv", rows+"1,2\n")
	for _, command := range []string{"predict", "eval"} {
		_, told := must(t, command, "ragged.csv", "good.model")
		lines := strings.Split(strings.TrimSpace(told), "\n")
		if !strings.HasPrefix(lines[len(lines)-1], "warning: ") {
			t.Errorf("%s: %s", command, told)
		}
		fails(t, exitError, "-strict", command, "-strict", "ragged.csv", "good.model")
	}
}

func TestCommentMayBeHeader(t *testing.T) {
	data := file(t, "x.csv", "# made by\n# width,len,class\n"+strings.Repeat("5,1,yes\n2,8,no\n", 20))
	model := filepath.Join(t.TempDir(), "m")
	fails(t, exitError, "away and give -comment \"#\"; otherwise, -header no)\n", "train", data, model)
	if _, told := must(t, "train", "-header", "no", "-strict", data, model); !strings.Contains(told,
		": 40 rows, ") {
		t.Errorf("-header no: %s", told)
	}
}

func TestStoppingDoubts(t *testing.T) {
	data := file(t, "x.csv", "x,5,7,good\n"+strings.Repeat("5,1,9,yes\n2,8,1,no\n7,7,3,yes\n", 9))
	model := filepath.Join(t.TempDir(), "m")
	for _, command := range [][]string{{"train", data, model}, {"cv", "-folds", "2", data}} {
		fails(t, exitError, "-header yes or -header no", command...)
		if _, err := os.Stat(model); err == nil {
			t.Error("a model was written")
		}
		for _, header := range []string{"yes", "no"} {
			must(t, append(command, "-header", header, "-quiet")...)
		}
		os.Remove(model)
	}
	if _, told := must(t, "inspect", data); !strings.Contains(told, "warning: line 1: ") {
		t.Error(told)
	}
}

func TestPredictKeepsStep(t *testing.T) {
	dir := t.TempDir()
	texts := filepath.Join(dir, "texts")
	must(t, "train", "-quiet", file(t, "texts.tsv", tablesOfForms()["texts.tsv"]), texts)
	for text, lines := range map[string]int{"what a fine\n\nsuch a sad\n\n\n": 5, "\n\nsad": 3, "a\r\n\r\nb\r\n": 3,
		"good\twhat a fine\n\nbad\tsad\n": 3} {
		out, told := must(t, "predict", "-format", "lines", file(t, "new.txt", text), texts)
		if strings.Count(out, "\n") != lines {
			t.Errorf("%q: %q, %s", text, out, told)
		}
	}
	model := filepath.Join(dir, "model")
	must(t, "train", "-quiet", file(t, "x.csv", labelsOf(60, func(i int) any {
		return "pq"[i%2 : i%2+1]
	})),
		model)
	for text, want := range map[string]string{
		"a,b,y\n1,2,p\n3\n5,4,q\n":              "line 3",
		"a,b,y\n1,2,p\n3,4,q,9\n5,4,q\n":        "line 3",
		"a,b,y\n1,2,\n3,4,q\n5,6,\n":            "2 rows without labels\naccuracy ",
		"a,b,y\n1,2,\n3,4,NA\n5,6,\n":           "3 rows without labels\n",
		"a,b,y\n1,,p\nx,4,q\n?,unknown,p\n":     "column a: 1 cell without a number as in the training",
		"a,b,y\n1,2 kg,p\n$3,4,q\n5,1 000,p\n":  "column b: 1 cell without a number as in the training",
		"a,b,more,y\n1,2,x,p\n3,4,y,q\n1,1,z,p": "ignored columns that the model does not have: more\n",
	} {
		out, told := must(t, "predict", file(t, "new.csv", text), model)
		if strings.Count(out, "\n") != 3 || !strings.Contains(told, want) {
			t.Errorf("%q: %q, %s, want %q", text, out, told, want)
		}
	}
	numbers := filepath.Join(dir, "numbers")
	must(t, "train", "-quiet", file(t, "x.csv", labelsOf(60, func(i int) any {
		return i % 2
	})), numbers)
	if out, told := must(t, "predict", file(t, "new.csv", "a,b,y\n1,2,0\n3,4,x\n5,6,1\n"), numbers); strings.
		Count(out, "\n") != 3 || !strings.HasPrefix(told, "1 row without labels\naccuracy ") {
		t.Errorf("%q, %s", out, told)
	}
	printed, told := must(t, "eval", file(t, "new.csv", "a,b,y\n1,2,\n3,4,q\n5,6,p\n1,1,NA\n"), model)
	if !strings.Contains(printed, "of 2), error") || told != "left out 2 rows without a label\n" {
		t.Errorf("%s%s", printed, told)
	}
	// A blank line of a file with one column is a row.
	one := filepath.Join(dir, "one")
	must(t, "train", "-quiet", file(t, "one.csv", "a,y\n"+strings.Repeat("1,p\n-1,q\n2,p\n-3,q\n", 9)), one)
	if out, _ := must(t, "predict", file(t, "new.csv", "a\n1\n\n-2\n\n"), one); strings.Count(out, "\n") != 4 {
		t.Errorf("%q", out)
	}
}

func TestMissingDrop(t *testing.T) {
	dir := t.TempDir()
	rows := labelsOf(90, func(i int) any { return []string{"p", "q", "", "?", "p", "q"}[i%6] })
	without := regexp.MustCompile(`(?m)^.*,\??\n`).ReplaceAllString(rows, "")
	weights := strings.Repeat("1\n0\n3\n2\n2\n1\n", 15)
	kept := strings.Repeat("1\n0\n2\n1\n", 15)
	for _, flags := range []string{"", "-kernel rbf", "-words 3"} {
		args := append([]string{"train", "-force"}, strings.Fields(flags)...)
		_, told := must(t, append(args, "-missing", "drop", file(t, "x.csv", rows), dir+"/a")...)
		must(t, append(args, file(t, "x.csv", without), dir+"/b")...)
		if modelHash(t, dir+"/a") != modelHash(t, dir+"/b") ||
			!strings.Contains(told, "left out 30 rows without a label\n") {
			t.Errorf("%s: another model than without the rows: %s", flags, told)
		}
		fails(t, exitError, "-missing drop", append(args, file(t, "x.csv", rows), dir+"/c")...)
	}
	must(t, "train", "-force", "-missing", "drop", "-weights", file(t, "w", weights),
		file(t, "x.csv", rows), dir+"/a")
	must(t, "train", "-force", "-weights", file(t, "w", kept), file(t, "x.csv", without), dir+"/b")
	if modelHash(t, dir+"/a") != modelHash(t, dir+"/b") {
		t.Error("with weights: another model than without the rows")
	}
}

func TestColumnLists(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("\"a, b\",,when,c,label\n")
	for i := range 40 {
		fmt.Fprintf(&b, "%d,%d,%02d/%02d/2020,%c,%c\n", i*i%7, i, 1+i%12, 1+i%11, "xyz"[i%3], "pq"[i%2])
	}
	data := file(t, "x.csv", b.String())
	for flags, want := range map[string][]string{
		`-ignore '' -dates when=dmy`:       {"\n  \"\" left out as given", "\n when date as given"},
		`-categories '"a, b"'`:             {"\n a, b category as given: 0 "},
		`-numbers '*'`:                     {"\n c number as given", "\n when number as given"},
		`-ignore '*' -categories c,'a, b'`: nil,
		`-ignore '*' -categories 'c,"a, b"'`: {"\n a, b category", "\n \"\" left out as given",
			"\n when left out as given", "\n c category as given"},
		`-text c -ignore 1`: {"\n c text as given", "\n \"\" left out as given"},
		`-dates when=mdy,c`: {"\n when date as given", "\n c date as given",
			`warning: column "c": 40 of 40 values`},
		`-categories when,c,when`: nil,
	} {
		args := append(shellSplit(t, flags), "inspect")
		code, out, told := pegasimd(t, append([]string{"inspect", data}, args[:len(args)-1]...)...)
		if want == nil {
			if code == exitDone {
				t.Errorf("%s: exit code %d", flags, code)
			}
			continue
		}
		for _, line := range want {
			if text := single(out + told); code != exitDone || !strings.Contains(strings.ReplaceAll(text, "\n ",
				"\n "), strings.ReplaceAll(line, "\n  ", "\n ")) {
				t.Errorf("%s: exit code %d, %s, want %q", flags, code, out+told, line)
			}
		}
	}
}

func TestTextOfTableFlags(t *testing.T) {
	rows := func(separator string) string {
		return strings.ReplaceAll(labelsOf(30, func(i int) any {
			return "pq"[i%2 : i%2+1]
		}), ",", separator)
	}
	for _, c := range []struct{ text, flags, want string }{
		{rows(";"), "-sep semicolon", "semicolons between cells"},
		{rows("|"), "-sep pipe -comment none -quote none", "pipes between cells"},
		{rows("\t"), "-sep tab", "tabs between cells"},
		{rows("~"), "-sep ~", `"~" between cells`},
		{"% note\n" + rows(","), "-comment %", "comments after %"},
		{"one\ntwo\n" + rows(","), "-skip-lines 2", "2 lines above the table"},
		{rows(","), "-skip-lines 0 -header yes -encoding utf-8", "commas between cells, a header\n"},
		{strings.ReplaceAll(rows(","), "p", "\xe9"), "-encoding latin1", "windows-1252"},
		{strings.ReplaceAll(rows(","), "p", "\xe9"), "-encoding iso-8859-1", "windows-1252"},
		{strings.ReplaceAll(rows(";"), ";1", ";1,234"), "-decimal ,", "with decimal commas"},
	} {
		printed, _ := must(t, append([]string{"inspect", file(t, "x.csv", c.text)},
			strings.Fields(c.flags)...)...)
		if !strings.Contains(printed, c.want) {
			t.Errorf("%s: %s, want %q", c.flags, printed, c.want)
		}
	}
	for flag, want := range map[string]string{
		"-sep=ab":    `-sep: have "ab", want a printable ASCII character`,
		"-decimal=x": `-decimal: have "x", want`, "-skip-lines=-2": "-skip-lines: have -2, want",
		"-encoding=koi8": "-encoding: have \"koi8\", want utf-8,", "-comment=": `-comment: have "", want`} {
		fails(t, exitUsage, want, "inspect", flag, file(t, "x.csv", rows(",")))
	}
}

func TestInspectTables(t *testing.T) {
	for text, want := range map[string][]string{
		"name,x\nAnn,1\nBob,2\nCid,\n": {"3 rows, 2 columns\nformat: commas between cells, a header\n",
			"number numbers: mean 1.5, deviation 0.5; 1 gap", "train takes the labels from the last column, x,"},
		"id,who\n1,Ann\n2,Bob\n3,Cid\n": {"3 rows, 2 columns\n", " id left out looks like an identifier: whole numbers"},
		"survived,age,class,fare\n1,2,a,3\n0,3,b,4\n1,4,a,5\n": {
			"columns class, fare may have the labels: train asks which (-label-column)"},
		"outcome,x,z\n1,2,3\n0,3,1\n1,1,1\n": {`column "outcome": may have the labels, which are taken from ` +
			"column z (-label-column)"},
		"a\n1\n2\n5\n": {"3 rows, 1 column\n"},
		"who,x\n'Lee, Ann',1\n'Poe, Jo',2\n": {"format: commas between cells, a header, single quotes\n",
			"who category 2 different words"},
	} {
		printed, told := must(t, "inspect", file(t, "x.csv", text))
		for _, line := range want {
			if !strings.Contains(single(printed+told), line) {
				t.Errorf("%q: %s%s, want %q", text, printed, told, line)
			}
		}
	}
	var wide, row strings.Builder
	for i := range 300 {
		fmt.Fprintf(&wide, "c%d,", i)
		fmt.Fprintf(&row, "%d,", i%9)
	}
	printed, _ := must(t, "inspect", file(t, "wide.csv", wide.String()+"y\n"+strings.Repeat(row.String()+
		"p\n"+row.String()+"q\n", 9)))
	if !strings.Contains(printed, "18 rows, 301 columns\n") || !strings.Contains(printed, "\n  c299 ") {
		t.Errorf("%.900s", printed)
	}
}

func TestFailurePrintsDoubts(t *testing.T) {
	text := "churn,age,name\n"
	for i := range 12 {
		text += fmt.Sprintf("%d,%d,n%d\n", i%2, 20+i*7%9, i)
	}
	code, _, told := pegasimd(t, "train", file(t, "a.csv", text))
	warning, failure, _ := strings.Cut(told, "pegasimd train: ")
	if code != exitError || !strings.Contains(warning, `column "churn": may have the labels`) ||
		!strings.Contains(failure, "has one row: name the column") {
		t.Errorf("exit code %d\n%s", code, told)
	}
	text = "x,5,7,good\n" + strings.Repeat("5,1,9,yes\n2,8,1,no\n7,7,3,yes\n", 9)
	for _, args := range []string{"train", "cv", "inspect -strict"} {
		code, _, told := pegasimd(t, append(strings.Fields(args), file(t, "x.csv", text))...)
		if code == exitDone || strings.Count(told, "may name the columns") != 1 {
			t.Errorf("%s: exit code %d\n%s", args, code, told)
		}
	}
}
