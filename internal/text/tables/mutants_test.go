package tables

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/testing/asmtest"
)

var mutants = flag.Int("mutants", 2_000, "number of random tables that TestMutants "+
	"fits; a tenth in a short run")

var oddCells = []string{
	"", "NA", "?", "nan", "-", "unknown", "0", "-0", "1e39", "1e-320", "1e999", "0x10", "1_0", "+5", "inf",
	"\xff", "caf\xe9", "\x1b[31m", "\u202e", "\x00", "yes", "TRUE", "true", "$5", "(3)", "5 kg", "7 cm", "1,5",
	"1,234", "1.234", "1.234,5", "12%", "007", "3*", "2019-01-02", "13/1/2019", "1/13/2019", "1/2/2019",
	"20190402", "12:30", "30 Feb 2019", "Jan 2019", "0000-00-00", "这部电影很好看", "สนุกมาก", "a b c d e",
	strings.Repeat("x", 100), strings.Repeat("9", 70), "९", "½", "1e", "--1", ".", ",", "1.2.3",
}

func randomColumn(r *rand.Rand) func(i int) string {
	pick := func(of ...string) func(int) string { return func(int) string { return of[r.IntN(len(of))] } }
	number := func(format string) func(int) string {
		return func(int) string { return fmt.Sprintf(format, 100*r.Float64()) }
	}
	order := []string{"%[1]d/%[2]d/%[3]d", "%[2]d.%[1]d.%[3]d", "%[3]d-%02[1]d-%02[2]d", "%[2]d/%[1]d/%[3]d",
		"%[3]d%02[1]d%02[2]d"}[r.IntN(5)]
	all := []func(i int) string{
		strconv.Itoa, plus(100_000), number("%.0f"), number("%.2f"), number("$%.2f"), number("%.1f kg"),
		number("(%.1f)"), number("%.1f%%"), number("%.3f"), number("%05.0f"),
		func(int) string { return strings.Replace(fmt.Sprintf("%.2f", 9*r.Float64()), ".", ",", 1) },
		func(int) string { return fmt.Sprintf("%d,%03d", r.IntN(90), r.IntN(1000)) },
		func(int) string { return fmt.Sprintf(order, 1+r.IntN(12), 1+r.IntN(28), 2018+r.IntN(4)) },
		pick("0", "0", "0", "0", "0", "7.5"), pick("red", "green", "blue", "", "1"), pick("yes", "no"),
		pick("True", "TRUE", "false", "Bob"), pick("7"), pick("", "", "", "3", "4"), pick("1 kg", "2 cm", "3"),
		func(int) string { return "name " + strconv.Itoa(r.IntN(100)) }, pick("01", "02", "10"),
		func(int) string { return fmt.Sprintf("the %d of %d is it", r.IntN(9), r.IntN(9)) },
		func(int) string { return fmt.Sprintf("%02d:%02d", r.IntN(24), r.IntN(60)) },
	}
	return all[r.IntN(len(all))]
}

func randomTable(r *rand.Rand) (names []string, all [][]string) {
	rows, odd := 3+r.IntN(60), 1+r.IntN(60)
	for k := range 2 + r.IntN(5) {
		cell := randomColumn(r)
		names = append(names, []string{"a", "b,c", "id", "user_id", "", "0", "*"}[r.IntN(7)]+strconv.Itoa(k))
		all = append(all, cells(rows, func(i int) string {
			if odd < 20 && r.IntN(odd) == 0 {
				return oddCells[r.IntN(len(oddCells))]
			}
			return cell(i)
		}))
	}
	return names, all
}

func labelled(names []string, all [][]string) func(dataset.Options) (*dataset.Set, error) {
	last := len(all) - 1
	return func(opt dataset.Options) (*dataset.Set, error) {
		table := &dataset.Table{Columns: names[:last], Label: names[last], LabelAt: -1}
		opt.Encoder.Begin(source(opt, table))
		for i := range all[0] {
			opt.Encoder.Label(all[last][i])
			row := make([]string, last)
			for k := range row {
				row[k] = all[k][i]
			}
			if _, _, _, reason := opt.Encoder.Encode(row, nil, nil); reason != "" {
				return nil, fmt.Errorf("row %d: %s", i, reason)
			}
		}
		return nil, nil
	}
}

// Neither writing and reading nor fitting with its own kinds changes the encoder of a random table.
func TestMutants(t *testing.T) {
	r := rand.New(rand.NewPCG(uint64(*mutants), 44))
	total, kinds, raw := *mutants, map[Kind]int{}, 0
	if testing.Short() || asmtest.Race {
		total /= 10
	}
	for range total {
		names, all := randomTable(r)
		e := checkTable(t, names, all)
		if t.Failed() {
			t.Fatalf("%q: %q", names, all)
		}
		for i := range e.Columns {
			kinds[e.Columns[i].Kind]++
		}
		if e.Raw {
			raw++
		}
	}
	t.Log(kinds, raw)
	for _, kind := range []Kind{Number, Category, Date, Text, LeftOut} {
		if kinds[kind] < total/20 {
			t.Errorf("only %d columns are a %s", kinds[kind], kind)
		}
	}
	if raw < total/100 {
		t.Errorf("only %d tables are raw", raw)
	}
}

func checkTable(t *testing.T, names []string, all [][]string) *Encoder {
	t.Helper()
	f, read := &Fitter{Inspect: true}, labelled(names, all)
	e, _, err := fitTo(f, dataset.Options{}, read)
	if err != nil {
		t.Fatalf("%q: %v", all, err)
	}
	for _, d := range f.Doubts {
		if text := d.String(); len(text) > 400 || escape.Text(text) != text {
			t.Errorf("doubt %q", text)
		}
	}
	file := asJSON(t, e)
	back, err := Decode(file)
	if err != nil {
		t.Fatalf("%v: %s", err, file)
	}
	refit, err := refit(e, dataset.Options{}, read)
	if err != nil {
		t.Fatal(err)
	}
	given := &Fitter{Overrule: map[string]Given{}, Inspect: true}
	for i, c := range e.Columns {
		g := Given{Kind: c.Kind}
		if c.Date != nil {
			g.Order, _ = orderOf(c.Date.Order)
		}
		given.Overrule[names[i]] = g
	}
	named, _, err := fitTo(given, dataset.Options{}, read)
	if err != nil {
		t.Fatal(err)
	}
	for what, other := range map[string]*Encoder{"decoded": back, "refitted": refit, "given": named} {
		if have := asJSON(t, other); !bytes.Equal(have, file) {
			t.Errorf("%s:\n%s, want\n%s", what, have, file)
		}
	}
	checkRows(t, e, back, all)
	return e
}

// checkRows fails the test unless both encoders give the same features, ordered and finite, for
// each row, and the rows have the stated gaps.
func checkRows(t *testing.T, e, back *Encoder, all [][]string) {
	coder, other := e.Coder(), back.Coder()
	gaps := make([]int, len(e.Columns))
	for i := range all[0] {
		row := make([]string, len(e.Columns))
		for k := range row {
			row[k] = all[k][i]
		}
		columns, values, _, _ := coder.Encode(row, nil, nil)
		a, b, _, reason := other.Encode(row, nil, nil)
		if !slices.Equal(a, columns) || !slices.Equal(b, values) || reason != "" || !slices.IsSorted(a) ||
			len(a) > 0 && int(a[len(a)-1]) >= e.Cols() {
			t.Errorf("%q: features %v %v, want %v %v; %s", row, a, b, columns, values, reason)
		}
		for _, v := range values {
			if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
				t.Errorf("%q: feature %v", row, v)
			}
		}
		for k := range row {
			in := &coder.columns[k]
			if of := in.encode(&row2, row[k], e.Raw); of == isGap || of == isOdd && in.Number != nil {
				gaps[k]++
			}
		}
	}
	for k, c := range e.Columns {
		if c.Kind != LeftOut && gaps[k] != c.Gaps {
			t.Errorf("column %q: %d gaps, want %d", c.Name, c.Gaps, gaps[k])
		}
	}
}

var row2 row

func FuzzCells(f *testing.F) {
	for i, text := range oddCells {
		f.Add(text, oddCells[(i+7)%len(oddCells)], oddCells[(i*i)%len(oddCells)], byte(i))
	}
	f.Fuzz(func(t *testing.T, often, rarely, other string, n byte) {
		column := append(times(int(n%50)+1, often), rarely)
		e := checkTable(t, []string{"a", "y"}, [][]string{column, append(column[1:], other)})
		coder := e.Coder()
		if _, _, _, reason := coder.Encode([]string{other}, nil, nil); reason != "" {
			t.Error(reason)
		}
		coder.Label(other)
		coder.Odd()
	})
}

func FuzzDecode(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 44))
	for range 50 {
		names, all := randomTable(r)
		e, _, err := fitTo(&Fitter{Inspect: true}, dataset.Options{}, labelled(names, all))
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(asJSON(f, e)), oddCells[r.IntN(len(oddCells))])
	}
	f.Fuzz(func(t *testing.T, file []byte, text string) {
		e, err := Decode(file)
		if err != nil || e == nil || e.Cols() > 1<<22 {
			return
		}
		coder, cells := e.Coder(), make([]string, len(e.Columns))
		for i := range cells {
			cells[i] = text
			e.Describe(i)
		}
		columns, _, _, reason := coder.Encode(cells, nil, nil)
		if reason != "" || !slices.IsSorted(columns) || len(columns) > 0 &&
			int(columns[len(columns)-1]) >= e.Cols() {
			t.Errorf("%v of %d, %s", columns, e.Cols(), reason)
		}
		coder.Label(text)
		e.Names()
		e.Spreads()
	})
}
