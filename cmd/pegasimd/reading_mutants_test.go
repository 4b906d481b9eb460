package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pegasimd/pegasimd/internal/testing/asmtest"
	"github.com/pegasimd/pegasimd/pegasos"
)

var mutants = flag.Int("mutants", 20_000,
	"how many random files TestReadingMutants reads; fewer with -short or -race")

type maker struct {
	kinds string // right kinds of the column, separated by bars; any kind if empty
	cell  func(r *rand.Rand, row int) string
}

func pick(r *rand.Rand, list string) string {
	words := strings.Fields(list)
	return words[r.IntN(len(words))]
}

func dateOf(r *rand.Rand, layout string) string {
	return firstDay.AddDate(0, 0, r.IntN(2000)).Format(layout)
}

// In the column of dates like 27/11/2019, the second cell decides the order of day and month.
var makers = []maker{
	{"number", func(r *rand.Rand, _ int) string {
		return fmt.Sprintf("%.2f", 100*r.NormFloat64())
	}},
	{"number", func(r *rand.Rand, _ int) string { return fmt.Sprint(r.IntN(60)) }},
	{"number", func(r *rand.Rand, _ int) string {
		return "$" + grouped(1e5*r.Float64(), 2, ",", ".")
	}},
	{"number", func(r *rand.Rand, _ int) string { return fmt.Sprintf("%.1f kg", 90*r.Float64()) }},
	{"number", func(r *rand.Rand, _ int) string { return fmt.Sprintf("%d%%", r.IntN(100)) }},
	{"number", func(r *rand.Rand, _ int) string {
		return pick(r, "1.5 2.5 - 3.25 4 unknown 7 9.5 12")
	}},
	{"date", func(r *rand.Rand, _ int) string { return dateOf(r, time.DateOnly) }},
	{"date", func(r *rand.Rand, _ int) string { return dateOf(r, "2 Jan 2006") }},
	{"date", func(r *rand.Rand, row int) string {
		if row == 1 {
			return "27/11/2019"
		}
		return dateOf(r, "02/01/2006")
	}},
	{"category", func(r *rand.Rand, _ int) string { return pick(r, "red green blue") }},
	{"category", func(r *rand.Rand, _ int) string { return pick(r, "Köln Graz Besançon Århus") }},
	{"category", func(r *rand.Rand, _ int) string { return pick(r, "01067 04109 00501") }},
	{"category", func(r *rand.Rand, _ int) string { return pick(r, "yes no yes TRUE") }},
	{"category|left out|text", func(r *rand.Rand, _ int) string {
		return pick(r, "a the one") + " " + pick(r, `big small "odd" quick`) + ", " + pick(r,
			"tree sea; house|hut")
	}},
	{"", func(r *rand.Rand, _ int) string { return pick(r, "3 4 5") + pick(r, "a b c") }},
	{"", func(r *rand.Rand, row int) string { return fmt.Sprint(row) }},
	{"", func(*rand.Rand, int) string { return "" }},
}

type oddFile struct {
	name        string
	kinds       []string // of all columns but the label; nil if not known
	least, most int      // fewest and most rows that may be read without a warning
	text        string
	what        string // form and fault of the file, for messages
}

// kinds leaves out the last column, the label.
func newSheet(r *rand.Rand) (s sheet, kinds []string) {
	var of []maker
	for range 1 + r.IntN(4) {
		of = append(of, makers[r.IntN(len(makers))])
	}
	for k, m := range of {
		s.names = append(s.names, fmt.Sprintf("%s_%c", pick(r, "size kind when Größe %"), 'a'+k))
		kinds = append(kinds, m.kinds)
	}
	s.names = append(s.names, "answer")
	label := []string{"p q", "in out", "1 0", "1 2 3", "ja nein", "ein aus mitte"}[r.IntN(6)]
	for row := range 20 + r.IntN(20) {
		var cells []string
		for _, m := range of {
			cells = append(cells, m.cell(r, row))
		}
		s.rows = append(s.rows, append(cells,
			strings.Fields(label)[row%len(strings.Fields(label))]))
	}
	return s, kinds
}

func newOddFile(r *rand.Rand) oddFile {
	s, kinds := newSheet(r)
	m := oddFile{name: "x.csv", kinds: kinds, least: len(s.rows), most: len(s.rows)}
	if r.IntN(8) == 0 {
		m.name, m.text, m.what = "x.jsonl", s.jsonLines(), "JSON lines"
		m.fault(r, ",")
		return m
	}
	separator := string(",,;\t|"[r.IntN(5)])
	m.what = fmt.Sprintf("%q", separator)
	switch {
	case r.IntN(5) == 0:
		m.text, m.what = allQuoted(s.escaped(), separator), m.what+" quoted"
	case r.IntN(6) == 0 && len(s.names) > 2:
		m.text, m.what = s.body(separator), m.what+" without a header"
	default:
		m.text = s.text(separator)
	}
	switch r.IntN(12) {
	case 0:
		m.text, m.what = "# a comment\n"+m.text, m.what+" comment"
	case 1:
		m.text, m.what = "sep="+separator+"\n"+m.text, m.what+" sep="
	case 2:
		m.text, m.what = "Made by the office\n\n"+m.text, m.what+" title"
	}
	m.fault(r, separator)
	switch r.IntN(6) {
	case 0:
		m.text, m.what = strings.ReplaceAll(m.text, "\n", "\r\n"), m.what+" CRLF"
	case 1:
		m.text, m.what = strings.ReplaceAll(m.text, "\n", "\r"), m.what+" CR"
	}
	switch r.IntN(8) {
	case 0:
		m.text, m.what = "\ufeff"+m.text, m.what+" mark"
	case 1:
		m.text, m.what = asUTF16(m.text, r.IntN(2) == 0, true), m.what+" UTF-16"
	case 2:
		m.text, m.what = asUTF16(m.text, r.IntN(2) == 0, false), m.what+" UTF-16 without a mark"
	case 3:
		m.text, m.what = asLatin1(m.text), m.what+" Latin-1"
	}
	if r.IntN(10) == 0 { // changes a bit of the encoded file
		b := []byte(m.text)
		b[r.IntN(len(b))] ^= 1 << r.IntN(8)
		m.text, m.what, m.kinds = string(b), m.what+" byte", nil
	}
	return m
}

func (s sheet) escaped() sheet {
	of := sheet{names: s.names}
	for _, row := range s.rows {
		cells := slices.Clone(row)
		for k := range cells {
			cells[k] = strings.ReplaceAll(cells[k], `"`, `""`)
		}
		of.rows = append(of.rows, cells)
	}
	return of
}

// The lines of the text must end in line feeds.
func (m *oddFile) fault(r *rand.Rand, separator string) {
	lines := strings.SplitAfter(strings.TrimSuffix(m.text, "\n"), "\n")
	at := len(lines) - 1 - r.IntN(m.least-1) // a row other than the first
	cut := r.IntN(len(lines[at]))
	what, kinds := "", m.kinds
	m.kinds = nil // damaged cells may be of another kind
	switch r.IntN(24) {
	case 0:
		what, lines[at] = "a short row", lines[at][:cut/2]+"\n"
		m.least--
	case 1:
		what, lines[at] = "a long row", strings.TrimSuffix(lines[at], "\n")+separator+"x\n"
		m.least--
	case 2:
		what, lines[at] = "the header again", lines[0]+lines[at]
		m.most++ // without a header, the line is a row
	case 3:
		what, lines = "a footer", append(lines, "\n"+pick(r, "Total Source: ... (20) END"))
	case 4:
		what, lines = "a full footer", append(lines, "\nTotal"+strings.Repeat(separator, max(1,
			len(kinds))))
		m.most++
	case 5:
		what, lines[at] = "blank lines", "\n\n"+lines[at]
	case 6:
		what, lines[at] = "a quote", lines[at][:cut]+`"`+lines[at][cut:]
	case 7:
		what, lines[at] = "a quote at a cell's start", `"`+lines[at]
	case 8:
		m.most -= len(lines) - 1 - at
		m.least = m.most - 1
		what, lines = "a cut", append(lines[:at:at], lines[at][:cut])
	case 9:
		what, lines[at] = "NUL", lines[at][:cut]+"\x00"+lines[at][cut:]
	case 10:
		what, lines[at] = "a separator", lines[at][:cut]+separator+lines[at][cut:]
		m.least--
	case 11:
		what, lines[at] = "a line feed", lines[at][:cut]+"\n"+lines[at][cut:]
		m.least--
	case 12:
		odd := pick(r, "unknown 12x € 1,5 1.234 31.02.2019 NaN ∞ Ω 1e999 0x10 - ? <NA>")
		what, lines[at] = "an odd cell", odd+strings.TrimLeft(lines[at],
			"0123456789abcdefghijklmnopqrstuvwxyz.$")
	case 13:
		what, lines[at] = "a row twice", strings.TrimSuffix(lines[at], "\n")+"\n"+lines[at]
		m.least, m.most = m.least+1, m.most+1
	case 14:
		units := strings.Repeat("cm"+separator, len(kinds)) + "kg\n"
		what, lines[0] = "units", lines[0]+units
		m.most++
	default:
		m.kinds = kinds
		return
	}
	m.what += ", " + what
	m.text = strings.Join(lines, "")
}

// ran runs a command line without the checks of the function pegasimd.
func ran(args ...string) (code int, out, told string) {
	var o, e bytes.Buffer
	code = run(context.Background(), args, &o, &e)
	return code, o.String(), e.String()
}

func kindsOf(name string) (kinds []string, err error) {
	m, err := pegasos.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var table struct{ Columns []struct{ Kind string } }
	if err = json.Unmarshal(m.Table, &table); err != nil {
		return nil, err
	}
	for _, c := range table.Columns {
		kinds = append(kinds, c.Kind)
	}
	return kinds, nil
}

// An empty string in want allows any kind.
func sameKinds(have, want []string) bool {
	if len(have) != len(want) {
		return false
	}
	for k := range want {
		if want[k] != "" && have[k] != "left out" && !slices.Contains(strings.Split(want[k], "|"),
			have[k]) {
			return false
		}
	}
	return true
}

// The verdict is "refused", "questioned" (with a warning), "right", "wrong kinds" of columns
// without a warning, or "wrong".
func checkMutant(dir string, m oddFile) (verdict, why string) {
	wrong := func(format string, args ...any) (verdict, why string) {
		return "wrong", fmt.Sprintf(format, args...)
	}
	data, model := filepath.Join(dir, m.name), filepath.Join(dir, "x.model")
	if err := os.WriteFile(data, []byte(m.text), 0o666); err != nil {
		return wrong("%v", err)
	}
	code, out, told := ran("train", "-force", "-epochs", "2", "-finish", "none", "-lambda", "1e-3",
		"-threads", "1", "-max-memory", "500", "-json", "-", data, model)
	if code != exitDone {
		if len(told) == 0 || len(told) > 6000 {
			return wrong("exit code %d, printed %d bytes, %.500s", code, len(told), told)
		}
		return "refused", told
	}
	var r struct{ Rows int }
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		return wrong("the report: %v: %s", err, out)
	}
	kinds, err := kindsOf(model)
	if err != nil {
		return wrong("%v", err)
	}
	doubts := doubtsOf(told)
	code, out, odd := ran("predict", data, model)
	if rows := strings.Count(out, "\n"); code != exitDone {
		return wrong("train succeeded, but predict: exit code %d, %s", code, odd)
	} else if len(doubts) > 0 {
		return "questioned", doubts[0]
	} else if r.Rows < m.least || r.Rows > m.most || rows != r.Rows {
		return wrong("%d rows and %d predictions, want %d to %d, or a warning\n%s", r.Rows, rows,
			m.least, m.most, brief(told))
	}
	if m.kinds != nil && !sameKinds(kinds, m.kinds) {
		return "wrong kinds", fmt.Sprintf("%q, want %q", kinds, m.kinds)
	}
	return "right", ""
}

// detail matches the parts of messages that differ between files.
var detail = regexp.MustCompile(`(?s)/\S*|"[^"\n]*"|\d+|(?:column|-numbers) \S+|line \S+|\n.*`)

func TestReadingMutants(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(1000)) // saves time for garbage collections
	total := *mutants
	if testing.Short() {
		total /= 10
	}
	if asmtest.Race {
		total /= 20
	}
	// Verdicts on all mutants, and on mutants without damage.
	counts, whole := map[string]int{}, map[string]int{}
	// Reasons for wrong verdicts, and for all verdicts on mutants without damage.
	reasons, dir := map[string]int{}, t.TempDir()
	for i := 1; i <= total; i++ {
		m := newOddFile(rand.New(rand.NewPCG(uint64(i), 44)))
		m.what = fmt.Sprintf("mutant %d, %s", i, m.what)
		verdict, why := checkMutant(dir, m)
		if counts[verdict]++; m.kinds != nil {
			whole[verdict]++
		}
		if m.kinds != nil || verdict == "wrong" {
			reasons[verdict+": "+detail.ReplaceAllString(why, "_")]++
		}
		if verdict == "wrong" && counts[verdict] <= 20 {
			t.Errorf("%s: %s\n%.900q", m.what, why, m.text)
		}
	}
	t.Logf("of %d mutants %v; of those without damage %v", total, counts, whole)
	for _, reason := range sorted(reasons) {
		t.Logf("%d %s", reasons[reason], reason)
	}
	all := 0
	for _, n := range whole {
		all += n
	}
	if 2*whole["right"] < all || 20*whole["refused"] > all || 100*whole["wrong kinds"] > all {
		t.Errorf("of %d files without damage %v, want at least half of them right, at most 5 %% refused "+
			"and 1 %% of wrong kinds", all, whole)
	}
}
