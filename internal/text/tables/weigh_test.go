package tables

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dataset"
)

// besideText returns a table with a column of text. Of the other columns, those whose names begin
// with "my" depend on the label. label returns the label of a row of the given class.
func besideText(rows, classes int, label func(class int, r *rand.Rand) string) [][]string {
	r := rand.New(rand.NewPCG(uint64(rows), uint64(classes)))
	table := [][]string{{"note", "my number", "number", "my word", "word", "flag", "my gaps", "gaps",
		"seen", "label"}}
	for range rows {
		class := r.IntN(classes)
		shift := float64(class) / float64(classes)
		number := func(mean float64) string { return fmt.Sprintf("%.4f", mean+r.NormFloat64()) }
		word := func(n int) string { return string(rune('a' + n)) }
		gaps := func(p float64) string {
			if r.Float64() < p {
				return ""
			}
			return number(0)
		}
		table = append(table, []string{
			fmt.Sprintf("%s and %s with a blank", word(r.IntN(9)), word(class)), number(shift),
			number(0), word((r.IntN(4) + class*r.IntN(2)) % 7), word(r.IntN(7)), word(r.IntN(2)),
			gaps(shift / 2), gaps(0.3), fmt.Sprintf("2026-%02d-%02d", 1+r.IntN(12), 1+r.IntN(28)),
			label(class, r),
		})
	}
	return table
}

func TestWeak(t *testing.T) {
	class := func(k int, _ *rand.Rand) string { return fmt.Sprint("c", k) }
	number := func(k int, r *rand.Rand) string { return fmt.Sprintf("%.3f", 1e6+float64(k)+r.Float64()) }
	digit := func(k int, _ *rand.Rand) string { return fmt.Sprint(k) }
	for _, c := range []struct {
		name    string
		rows    int
		classes int
		label   func(int, *rand.Rand) string
	}{
		{"two", 900, 2, class}, {"ten", 2000, 10, class}, {"digits", 900, 3, digit},
		{"numbers", 900, 5, number},
	} {
		table := besideText(c.rows, c.classes, c.label)
		f := &Fitter{Overrule: map[string]Given{"note": {Kind: Text}}}
		e, _, err := fitTo(f, dataset.Options{}, reading(written(t, table)))
		if err != nil {
			t.Fatal(err)
		}
		for i, of := range e.Columns {
			wrong := of.Weak == strings.HasPrefix(of.Name, "my ") && of.Kind != Text
			if wrong || of.Weak && of.Kind == Text ||
				of.Weak != strings.HasSuffix(f.Reports[i].Reason, unrelated) ||
				of.Weak != strings.HasSuffix(e.Describe(i), unrelated) {
				t.Errorf("%s: column %s, weak %v: %s", c.name, of.Name, of.Weak, f.Reports[i].Reason)
			}
		}
		for k := range table {
			table[k] = table[k][1:]
		}
		if e := fitted(t, written(t, table)); slices.ContainsFunc(e.Columns, isWeak) {
			t.Errorf("%s: weak columns without text", c.name)
		}
	}
	table := besideText(900, 2, class)
	f := &Fitter{Overrule: map[string]Given{"note": {Kind: Text}}}
	want, _, err := fitTo(f, dataset.Options{}, reading(written(t, table)))
	if err != nil {
		t.Fatal(err)
	}
	for range 300 { // skipped rows, in which the number tells the label
		table = append(table, slices.Clone(table[1+len(table)%2]))
		table[len(table)-1][2] = fmt.Sprint(9 * (len(table) % 2))
	}
	f.Skip = func(row int) bool { return row >= 900 }
	have, _, err := fitTo(f, dataset.Options{}, reading(written(t, table)))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(asJSON(t, have), asJSON(t, want)) {
		t.Errorf("%s, want %s", asJSON(t, have), asJSON(t, want))
	}
}

func isWeak(c Column) bool { return c.Weak }

func TestWeakFeatures(t *testing.T) {
	table := besideText(900, 2, func(k int, _ *rand.Rand) string { return fmt.Sprint("c", k) })
	f := &Fitter{Overrule: map[string]Given{"note": {Kind: Text}}}
	weak, _, err := fitTo(f, dataset.Options{}, reading(written(t, table)))
	if err != nil {
		t.Fatal(err)
	}
	strong := *weak
	strong.Columns = slices.Clone(weak.Columns)
	for i := range strong.Columns {
		strong.Columns[i].Weak = false
	}
	a, err := encoded(weak, written(t, table), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := encoded(&strong, written(t, table), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	squares := 0.0
	for j := range weak.Cols() {
		i, _ := weak.columnOf(j)
		factor := float32(1)
		if weak.Columns[i].Weak {
			factor = 64
		}
		if have, want := float32(weak.Feature(j).Spread), float32(strong.Feature(j).Spread)/factor; have != want {
			t.Errorf("feature %d: deviation %v, want %v", j, have, want)
		}
		for k := range a.Rows() {
			have, want := rowOf(a, k)[j], rowOf(b, k)[j]
			if have*factor != want {
				t.Fatalf("row %d, feature %d: %v, want %v/%v", k, j, have, want, factor)
			}
			if weak.Columns[i].Kind != Text {
				squares += float64(have) * float64(have) / float64(a.Rows())
			}
		}
	}
	if length := weak.Columns[0].Text.length(); math.Abs(length*length-squares) > 1e-3*squares {
		t.Errorf("texts of the length %v beside squares of %v", length, squares)
	}
}
