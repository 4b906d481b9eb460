package tables

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/asmtest"
	"github.com/pegasimd/pegasimd/internal/csvcell"
	"github.com/pegasimd/pegasimd/internal/escape"
)

var mutants = flag.Int("mutants", 40_000, "how many mutants of tables TestMutants reads")

// pieces are what a mutant may have that a table has not.
var pieces = []string{
	"", ",", ",,", "\n", "\r\n", "\r", "\"", "\"\"", "\"a,b\"", "\"a\nb\"", " ", "\t", "NA", "?", "nan",
	"0", "-0", "1e39", "1e-320", "1e999", "0x10", "1_0", "+5", "inf", "-", "\xff", "caf\xe9", "\ufeff",
	"\x1b[31m", "\u202e", "\x00", "yes", "no", "TRUE", "true", "0,1,2,y\n", "a,a,a,y\n",
}

// randomTable returns a table of 5 to 40 rows, with columns such as people have.
func randomTable(r *rand.Rand) string {
	kinds := []func(i int) string{
		func(i int) string { return strconv.Itoa(i) },
		func(i int) string { return strconv.Itoa(r.IntN(50)) },
		func(i int) string { return strconv.FormatFloat(r.Float64(), 'g', 5, 64) },
		func(i int) string { return []string{"0", "0", "0", "0", "0", "7.5"}[r.IntN(6)] },
		func(i int) string { return []string{"red", "green", "blue", "", "1"}[r.IntN(5)] },
		func(i int) string { return []string{"yes", "no"}[r.IntN(2)] },
		func(i int) string { return []string{"True", "TRUE", "false", "False", "Bob"}[r.IntN(5)] },
		func(i int) string { return []string{"true", "TRUE", "NA"}[r.IntN(3)] },
		func(i int) string { return "name " + strconv.Itoa(r.IntN(100)) },
		func(i int) string { return "7" },
		func(i int) string { return []string{"", "NA", "3", "4", "5.0"}[r.IntN(5)] },
		func(i int) string { return []string{"1", "2", "1.0", "2e0", "none"}[min(r.IntN(60), 4)] },
		func(i int) string { return strconv.Itoa(r.IntN(900_000) + 100_000) },
	}
	columns := make([]func(i int) string, 1+r.IntN(5))
	var b strings.Builder
	header := r.IntN(3) > 0
	for k := range columns {
		columns[k] = kinds[r.IntN(len(kinds))]
		if header {
			fmt.Fprintf(&b, "%s,", []string{"a", "b", "c", "d", "yes", "caf\u00e9", "0"}[r.IntN(7)])
		}
	}
	if header {
		b.WriteString("y\n")
	}
	for i := range 5 + r.IntN(36) {
		for _, cell := range columns {
			b.WriteString(cell(i) + ",")
		}
		b.WriteString([]string{"p\n", "q\n"}[r.IntN(2)])
	}
	return b.String()
}

// mutant returns a text with up to three faults, or none.
func mutant(r *rand.Rand, text string) string {
	b := []byte(text)
	for range r.IntN(4) {
		at := r.IntN(len(b) + 1)
		end := min(len(b), at+r.IntN(1<<r.IntN(6)))
		before, piece, after := b[:at:at], pieces[r.IntN(len(pieces))], b[end:]
		switch r.IntN(6) {
		case 0:
			if at < len(b) {
				b[at] ^= 1 << r.IntN(8)
			}
		case 1: // in place of some bytes
			b = append(append(before, piece...), after...)
		case 2: // between two
			b = append(append(before, piece...), b[at:]...)
		case 3: // some bytes twice
			b = append(bytes.Clone(b[:end]), b[at:]...)
		case 4: // in place of the next cell
			next := bytes.IndexAny(b[at:], ",\n")
			if next >= 0 {
				b = append(append(before, piece...), b[at+next:]...)
			}
		case 5:
			if r.IntN(4) == 0 {
				b = before // cut off
			}
		}
	}
	return string(b)
}

// A mutated table is refused with a short error, or its features say what its cells did.
func TestMutants(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(2000)) // most of the time would go there
	r := rand.New(rand.NewPCG(uint64(*mutants), 11))
	refused, total := 0, *mutants
	if testing.Short() || asmtest.Race {
		total /= 20
	}
	for range total {
		text := mutant(r, randomTable(r))
		opt := dataset.Options{}
		switch r.IntN(8) {
		case 0:
			opt.Header = dataset.HeaderYes
		case 1:
			opt.Header = dataset.HeaderNo
		case 2:
			opt.LabelColumn = "0"
		}
		if !checkTable(t, text, opt) {
			refused++
		}
	}
	t.Logf("%d mutants, %d refused", total, refused)
	if refused == 0 || refused > 2*total/3 {
		t.Error("too many or too few are refused")
	}
}

func FuzzTable(f *testing.F) {
	for _, text := range []string{
		people, "1,2,3\n", "a,b,y\n1,,p\n\"x,\"\"y\",?,q\n", "\ufeffa,y\r\n1,p\r\nNA,q\r\n", "a\rb,c\rd,e",
		"0,1,2,y\n1,2,3,p\n", strings.Repeat("1,none,p\n2,3,q\n", 12), "1,caf\xe9,p\n",
		"a,a,y\n1,2,p\n3,4,q\n", "1e39,-0,p\n0,0.0,q\n",
	} {
		f.Add(text, false, "")
		f.Add(text, true, "0")
	}
	long := strings.Repeat("\x01", 500)
	f.Add("a,b\n1,p\n", true, long)
	f.Add(","+long+",y\n1,2,p", true, "0")
	f.Fuzz(func(t *testing.T, text string, header bool, label string) {
		opt := dataset.Options{LabelColumn: label}
		if header {
			opt.Header = dataset.HeaderYes
		}
		checkTable(t, text, opt)
	})
}

// checkTable fits an encoder on a text and fails the test if the features lose or add anything. It
// reports whether the text was not refused.
func checkTable(t *testing.T, text string, opt dataset.Options) bool {
	t.Helper()
	opt.Layout = dataset.LayoutDense
	e, err := new(Fitter).Fit(opt, reading(text))
	if err != nil {
		checkError(t, text, err)
		return false
	}
	set, err := encoded(e, text, opt)
	if err != nil {
		checkError(t, text, err)
		return false
	}
	file := asJSON(t, e)
	back, err := Decode(file)
	if err != nil {
		t.Fatalf("%q: %v: %s", text, err, file)
	}
	if again := asJSON(t, back); !bytes.Equal(again, file) {
		t.Fatalf("%q: other files\n%s\n%s", text, file, again)
	}
	rows, coder := plainRows(t, text, set, e), back.Coder()
	for k, row := range rows {
		columns, values, _, reason := coder.Encode(row, nil, nil)
		have := make([]float32, e.Cols())
		for i, j := range columns {
			have[j] = values[i]
		}
		if reason != "" || !slices.Equal(have, rowOf(set, k)) {
			t.Fatalf("%q: %v by the file, want %v, %s", text, have, rowOf(set, k), reason)
		}
	}
	for i := range e.Columns {
		column := make([]string, len(rows))
		for k, row := range rows {
			column[k] = row[i]
		}
		if !checkColumn(t, &e.Columns[i], column, set, e, i) {
			t.Fatalf("%q, column %d: %s", text, i, file)
		}
	}
	return true
}

// checkError fails the test if an error fills a screen, or could take hold of it.
func checkError(t *testing.T, text string, err error) {
	t.Helper()
	if s := err.Error(); len(s) > 400 || escape.Text(s) != s {
		t.Fatalf("%q: an error of %d bytes: %.400q", text, len(s), s)
	}
}

// plainRows returns the cells of the features as encoding/csv has them, without the header's if the
// set was read so. It fails the test if a row is missing.
func plainRows(t *testing.T, text string, set *dataset.Set, e *Encoder) [][]string {
	t.Helper()
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
	r.TrimLeadingSpace = true
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatalf("%q: read, though %v", text, err)
	}
	if len(rows) == set.Rows()+1 {
		rows = rows[1:] // by its names, or as its own names, which come twice
	}
	if len(rows) != set.Rows() || e.Columns[0].Rows != len(rows) {
		t.Fatalf("%q: %d rows, want %d", text, set.Rows(), len(rows))
	}
	at := e.LabelAt
	if at < 0 {
		at = len(e.Columns)
	}
	for i, row := range rows {
		for k := range row {
			row[k] = strings.TrimSpace(row[k])
		}
		rows[i] = slices.Delete(row, at, at+1)
	}
	return rows
}

// checkColumn reports whether the features of column i, in all rows, are those of its cells, and
// says what is wrong if not.
func checkColumn(t *testing.T, c *Column, column []string, set *dataset.Set, e *Encoder, i int) bool {
	first := 0
	for k := range i {
		first += e.Columns[k].Features()
	}
	gaps, counts := 0, map[string]int{}
	for _, cell := range column {
		if csvcell.IsMissing(cell) || slices.Contains(c.GapWords, cell) {
			gaps++
		} else {
			counts[cell]++
		}
	}
	if gaps != c.Gaps || c.Rows != len(column) {
		t.Errorf("%d gaps in %d rows, want %d in %d", c.Gaps, c.Rows, gaps, len(column))
	}
	rare := func(_ string, n int) bool { return n < leastRows }
	joined, level := map[string]int{}, func(cell string) string {
		if slices.Contains(c.GapWords, cell) {
			return cell
		}
		return cmp.Or(csvcell.Truth(cell), cell)
	}
	for cell, n := range counts {
		joined[level(cell)] += n
	}
	maps.DeleteFunc(joined, rare)
	counts = joined
	if c.Kind == Category && c.Levels != nil && !slices.Equal(slices.Sorted(maps.Keys(counts)), c.Levels) {
		t.Errorf("levels %q, want those of %v", c.Levels, counts)
	}
	for k, cell := range column {
		have := rowOf(set, k)[first:][:c.Features()]
		if want := featuresOf(c, level(cell), counts); !slices.EqualFunc(have, want, near) {
			t.Errorf("row %d, %q: %v, want %v", k, cell, have, want)
		}
	}
	return !t.Failed()
}

func near(have, want float32) bool {
	return math.Abs(float64(have-want)) <= 1e-6*math.Abs(float64(want))
}

// featuresOf returns the features of a cell in the plainest way, by how many rows have each level.
func featuresOf(c *Column, cell string, counts map[string]int) (row []float32) {
	is := func(yes bool) float32 {
		if yes {
			return 1
		}
		return 0
	}
	gap := csvcell.IsMissing(cell) || slices.Contains(c.GapWords, cell)
	switch {
	case c.Kind == LeftOut:
		return nil
	case c.Kind == Number && gap:
		row = append(row, float32((c.Mean-c.Shift)*c.Factor))
	case c.Kind == Number:
		v, err := strconv.ParseFloat(cell, 64)
		if err != nil {
			return nil
		}
		row = append(row, float32((v-c.Shift)*c.Factor))
	case c.Levels != nil:
		levels := slices.Sorted(maps.Keys(counts))
		if len(levels) == 2 && counts[levels[0]]+counts[levels[1]]+c.Gaps == c.Rows {
			if counts[levels[0]] < counts[levels[1]] {
				slices.Reverse(levels) // the rarer one comes second
			}
			row = append(row, is(cell == levels[1])-is(cell == levels[0]))
			break
		}
		for _, level := range levels {
			row = append(row, is(cell == level))
		}
	}
	if c.GapFeature {
		row = append(row, is(gap))
	}
	return row
}
