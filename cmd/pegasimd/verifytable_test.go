package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func mixedTable(seed uint64, rows int) [][]string {
	g := rand.New(rand.NewPCG(seed, 8))
	table := [][]string{{"id", "city", "age", "size", "seen", "note", "y"}}
	for i := range rows {
		age, good := fmt.Sprint(20+g.IntN(60)), i%2
		if i%20 == 7 {
			age = "none"
		}
		if g.IntN(5) == 0 {
			good = 1 - good
		}
		table = append(table, []string{fmt.Sprint(i), []string{"Oslo", "Lima", "Rome"}[g.IntN(3)], age,
			fmt.Sprintf("%.2f", g.NormFloat64()),
			fmt.Sprintf("2026-%02d-%02d", 1+g.IntN(12), 1+g.IntN(28)),
			fmt.Sprintf("a %s film %d that was %s", []string{"good", "bad"}[good], i,
				[]string{"long", "short", "new"}[g.IntN(3)]),
			[2]string{"no", "yes"}[i%2]})
	}
	return table
}

func asCSV(t *testing.T, table [][]string, columns ...int) string {
	t.Helper()
	var b strings.Builder
	w := csv.NewWriter(&b)
	for _, row := range table {
		cells := []string{}
		for _, i := range columns {
			cells = append(cells, row[i])
		}
		if err := w.Write(cells); err != nil {
			t.Fatal(err)
		}
	}
	w.Flush()
	return b.String()
}

func asJSON(t *testing.T, table [][]string) string {
	t.Helper()
	var b strings.Builder
	for _, row := range table[1:] {
		b.WriteByte('{')
		for i, cell := range row {
			value := json.RawMessage(cell)
			if !json.Valid(value) {
				value, _ = json.Marshal(cell)
			}
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, "%q:%s", table[0][i], value)
		}
		b.WriteString("}\n")
	}
	return b.String()
}

var inOrder = []int{0, 1, 2, 3, 4, 5, 6}

func TestVerifyTables(t *testing.T) {
	table := mixedTable(1, 80)
	data, model := file(t, "table.csv", asCSV(t, table, inOrder...)),
		filepath.Join(t.TempDir(), "model")
	verify := func(name, data string, notChecked ...string) {
		t.Helper()
		_, out, told := pegasimd(t, "verify", "-json", "-", model, data)
		var r struct {
			Verdict string
			Reasons []string
			Checked []string
			Not     []string `json:"not_checked"`
		}
		if err := json.Unmarshal([]byte(out), &r); err != nil {
			t.Fatalf("%s: %s%s", name, out, told)
		}
		if r.Verdict != "confirmed" {
			t.Errorf("%s: %s %q", name, r.Verdict, r.Reasons)
		}
		not := slices.DeleteFunc(slices.Clone(r.Not), func(part string) bool {
			return !strings.HasPrefix(part, "table")
		})
		if !slices.Equal(not, append([]string{"table.label_at"}, notChecked...)) {
			t.Errorf("%s: not checked: %q", name, not)
		}
	}
	for _, flags := range []string{"", "-words 9", "-ngrams 1 -words 3", "-text note -ignore city",
		"-categories size,id", "-numbers age -ignore note,seen", "-text note,city -words 40"} {
		must(t, append(strings.Fields("train -quiet -tol .01 "+flags), data, model)...)
		verify(flags, data)
	}
	must(t, "train", "-quiet", "-tol", ".01", "-words", "5", data, model)
	verify("lines of JSON", file(t, "table.jsonl", asJSON(t, table)))
	verify("another order of columns", file(t, "table.csv", asCSV(t, table, 6, 2, 1, 0, 5, 4, 3)))
	verify("tabs", file(t, "table.tsv", strings.ReplaceAll(asCSV(t, table, inOrder...), ",", "\t")))
	verify("no header", file(t, "table.csv", asCSV(t, table[1:], inOrder...)),
		"table.columns.name", "table.header", "table.label.name")
	noID := file(t, "table.csv", asCSV(t, table, 1, 2, 3, 4, 5, 6))
	_, out, _ := pegasimd(t, "verify", model, noID)
	if !strings.HasSuffix(out, "\nnot confirmed\n") || !strings.Contains(out, `is called "id"`) ||
		!strings.Contains(out, "\nnot checked hash (training), table, ") {
		t.Errorf("data without a column that training left out: %s", out)
	}
	headless := file(t, "headless.csv", asCSV(t, table[1:], inOrder...))
	must(t, "train", "-quiet", "-tol", ".01", "-text", "5", headless, model)
	_, out, _ = pegasimd(t, "verify", "-json", "-", model, headless)
	if !strings.Contains(out, `"table.label_at"`) || !strings.Contains(out, `"verdict": "confirmed"`) {
		t.Errorf("a table without a header: %s", out)
	}
	must(t, "cv", "-quiet", "-folds", "3", "-model", model, data)
	verify("cv", data)
}

// The encoder of the other model may differ from an encoder fitted to the data.
func TestVerifyTableOfStart(t *testing.T) {
	dir := t.TempDir()
	first, model := filepath.Join(dir, "first"), filepath.Join(dir, "model")
	other := file(t, "other.csv", asCSV(t, mixedTable(2, 120), inOrder...))
	data := file(t, "table.csv", asCSV(t, mixedTable(1, 80), inOrder...))
	must(t, "train", "-quiet", "-words", "4", "-lambda", ".1", other, first)
	for _, flag := range []string{"-start", "-prior"} {
		for _, more := range []string{"-words=0", "-words=6"} {
			must(t, "train", "-quiet", "-lambda", ".1", "-tol", ".01", flag, first, more, data, model)
			out, _ := must(t, "verify", flag, first, model, data)
			if !strings.HasSuffix(out, "\nconfirmed\n") || !strings.Contains(out, ", table, ") {
				t.Errorf("%s %s: %s", flag, more, out)
			}
		}
	}
	must(t, "train", "-quiet", "-lambda", ".1", "-tol", ".01", "-start", first, data, model)
	out, _ := must(t, "verify", model, data)
	if !strings.HasSuffix(out, "\nnot confirmed\n") || !strings.Contains(out, "name that model with -start") {
		t.Error(out)
	}
	fails(t, exitUsage, "-start: have the model with the hash", "verify", "-start", model, model, data)
	state := filepath.Join(dir, "state")
	must(t, "train", "-quiet", "-lambda", ".1", "-epochs", "3", "-start", first, "-checkpoint", state,
		data, model)
	must(t, "train", "-quiet", "-resume", state, "-epochs", "60", data, model)
	out, _ = must(t, "verify", "-start", first, model, data)
	if !strings.Contains(out, ", table, ") {
		t.Errorf("a resumed run: %s", out)
	}
}

func TestVerifyEditedEncoders(t *testing.T) {
	data, model := file(t, "table.csv", asCSV(t, mixedTable(1, 80), inOrder...)),
		filepath.Join(t.TempDir(), "model")
	for _, kind := range [][]string{{"-words", "9", "-tol", ".01"}, {"-kernel", "rbf"}} {
		must(t, append(append([]string{"train", "-quiet"}, kind...), data, model)...)
		text := []byte(read(t, model))
		for name, change := range map[string]func(column map[string]any){
			"size": func(c map[string]any) { addTo(c["number"], 1) },
			"seen": func(c map[string]any) { addTo(c["number"], 300) },
			"age": func(c map[string]any) {
				c["number"].(map[string]any)["format"] = map[string]any{"gap_words": []any{"200", "none"}}
			},
			"id": func(c map[string]any) { c["gaps"] = 3 },
			"city": func(c map[string]any) {
				counts := c["levels"].(map[string]any)["counts"].([]any)
				counts[0], counts[1] = counts[0].(float64)+1, counts[1].(float64)-1
			},
			"note,length": func(c map[string]any) {
				text := c["text"].(map[string]any)
				length, _ := text["length"].(float64)
				text["length"] = length + 2
			},
			"note,words": func(c map[string]any) {
				text := c["text"].(map[string]any)
				words, _ := text["words"].(map[string]any)
				if words == nil {
					text["words"] = map[string]any{"3": "good"}
				}
				for bucket := range words {
					words[bucket] = "not good"
				}
			},
		} {
			column, part, _ := strings.Cut(name, ",")
			edited := editTable(t, text, column, change)
			write(t, model, edited)
			want := "the model's encoder differs from an encoder fitted to the data"
			if part == "length" {
				want = ", or the model's table was changed"
			}
			code, out, told := pegasimd(t, "verify", model, data)
			if code != exitError || !strings.Contains(told, want) ||
				!strings.HasSuffix(out, "\ncontradicted\n") {
				t.Errorf("%q %q: exit code %d\n%s%s", kind, name, code, out, told)
			}
		}
	}
}

func TestFirstElement(t *testing.T) {
	long := slices.Repeat([]any{14.}, 40)
	other := slices.Clone(long)
	other[30] = 13.
	for _, c := range []struct {
		have, want any
		told       string
	}{
		{long, other, ": element 30 is 14, these data give 13"},
		{long, long[:39], " has the length 40, these data give 39"},
		{[]any{long}, []any{other}, ": element 0: element 30 is 14, these data give 13"},
		{nil, "a", ` is nothing, these data give "a"`},
	} {
		if told := firstElement(c.have, c.want); told != c.told {
			t.Errorf("%q, want %q", told, c.told)
		}
	}
}

func addTo(scale any, v float64) {
	s := scale.(map[string]any)
	s["mean"] = s["mean"].(float64) + v
}

// editTable drops the hash of the model and sets the checksum.
func editTable(t *testing.T, text []byte, column string, change func(column map[string]any)) []byte {
	t.Helper()
	head, body, _ := bytes.Cut(text[:len(text)-sha256.Size], []byte("\n\n"))
	var edited bytes.Buffer
	for line := range strings.Lines(string(head) + "\n") {
		key, value, _ := strings.Cut(line, ": ")
		if key == "hash" {
			continue
		}
		if key == "table" {
			var e map[string]any
			if err := json.Unmarshal([]byte(value), &e); err != nil {
				t.Fatal(err)
			}
			for _, c := range e["columns"].([]any) {
				if c := c.(map[string]any); c["name"] == column {
					change(c)
				}
			}
			now, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			line = key + ": " + string(now) + "\n"
		}
		edited.WriteString(line)
	}
	edited.WriteByte('\n')
	edited.Write(body)
	sum := sha256.Sum256(edited.Bytes())
	return append(edited.Bytes(), sum[:]...)
}
