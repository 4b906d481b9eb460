package tables

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dataset"
)

// A table of plain numbers is not raw if float32 loses much of the differences in a column. Numbers
// whose differences even float64 loses are words, with a doubt.
func TestPrecision(t *testing.T) {
	code := func(first int64, different int) func(i int) string {
		return func(i int) string { return fmt.Sprint(first + int64(i*i%997%different)) }
	}
	decimals := func(format string, different int) func(i int) string {
		return func(i int) string { return fmt.Sprintf(format, i*i%997%different) }
	}
	for name, c := range map[string]struct {
		cell  func(i int) string
		raw   bool
		kind  Kind
		doubt bool
	}{
		"seconds of a minute": {code(1700000000, 30), false, Number, false},
		"6 long codes":        {code(4000000001, 6), false, Number, false},
		"negative":            {code(-1700000000, 30), false, Number, false},
		"degrees":             {decimals("52.123%04d", 500), false, Number, false},
		"centimetres":         {decimals("5412%05d", 900), false, Number, false},
		"all large": {func(i int) string { return fmt.Sprint(int64(4000000000) + int64(i*7919%5000)) }, false,
			Number, false},
		"17 digits":   {code(12345678901234567, 3), false, Category, true},
		"18 digits":   {code(-123456789012345678, 3), false, Category, true},
		"nanoseconds": {decimals("1700000000.123456%03d", 30), false, Category, true},
		"below 2^24":  {code(16777000, 200), true, Number, false},
		"coarse":      {decimals("52.12%02d0000", 90), true, Number, false},
		"a long range": {func(i int) string { return fmt.Sprint(1700000000 + i%97*7919) }, true, Number,
			false},
		"one value": {code(1700000001, 1), true, Number, false},
		"zeros":     {decimals("0.0000000%d", 1), true, Number, false},
		"fractions": {func(i int) string { return fmt.Sprint(float64(i*i%997) / 997) }, true, Number,
			false},
	} {
		rows := 600
		if name == "all large" {
			rows = 6000
		}
		var b strings.Builder
		b.WriteString("x,b,y\n")
		for i := range rows {
			fmt.Fprintf(&b, "%s,%d.5,%d\n", c.cell(i), i*i%17, i%2)
		}
		f := new(Fitter)
		e, _, err := fitTo(f, dataset.Options{}, reading(b.String()))
		if err != nil {
			t.Fatal(err)
		}
		if e.Raw != c.raw || e.Columns[0].Kind != c.kind || (len(f.Doubts) > 0) != c.doubt {
			t.Errorf("%s: raw %t, want %t, kind %s, doubts %s", name, e.Raw, c.raw,
				e.Columns[0].Kind, f.Doubts)
		}
		features, coder := map[string]string{}, e.Coder()
		for i := range rows {
			columns, values, _, _ := coder.Encode([]string{c.cell(i), "0"}, nil, nil)
			of := fmt.Sprint(columns, values)
			if other, found := features[of]; found && other != c.cell(i) {
				t.Errorf("%s: %s and %s have the same features", name, other, c.cell(i))
				break
			}
			features[of] = c.cell(i)
		}
		for kind := range slices.Values([]Kind{Number, Category}) {
			given := &Fitter{Overrule: map[string]Given{"x": {Kind: kind}}}
			e, _, err := fitTo(given, dataset.Options{}, reading(b.String()))
			if err != nil || len(given.Doubts) > 0 || e.Columns[0].Kind != kind ||
				kind == Number && c.kind == Number && e.Raw != c.raw {
				t.Errorf("%s given %s: %v, raw %t, doubts %s", name, kind, err, e.Raw, given.Doubts)
			}
		}
	}
}

// In a table without other columns, numbers that float64 does not tell apart become text.
func TestPrecisionOfTheOnlyColumn(t *testing.T) {
	var b strings.Builder
	b.WriteString("x,y\n")
	for i := range 300 {
		fmt.Fprintf(&b, "100000000000000000000%03d,%d\n", i*7%300, i%2)
	}
	f := new(Fitter)
	e, _, err := fitTo(f, dataset.Options{}, reading(b.String()))
	if err != nil || e.Raw || e.Columns[0].Kind != Text || len(f.Doubts) == 0 {
		t.Errorf("%+v, %v, %v", e, f.Doubts, err)
	}
}
