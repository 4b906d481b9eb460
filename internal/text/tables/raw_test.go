package tables

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dataset"
)

func numbers(rows int, label func(i int) string) string {
	var b strings.Builder
	b.WriteString("a,b,same,y\n")
	for i := range rows {
		fmt.Fprintf(&b, "%d.%03d,%g,7,%s\n", i*7919%101, i%1000, 1e-3*float64(i*i%977-400), label(i))
	}
	return b.String()
}

func passes(read func(dataset.Options) (*dataset.Set, error), n *int) func(dataset.Options) (*dataset.Set, error) {
	return func(opt dataset.Options) (*dataset.Set, error) {
		*n++
		return read(opt)
	}
}

func TestRaw(t *testing.T) {
	for name, label := range map[string]func(i int) string{
		"words":      func(i int) string { return []string{"red", "blue", "True", "true"}[i%4] },
		"0, 1":       func(i int) string { return fmt.Sprint(i % 2) },
		"numbers":    func(i int) string { return fmt.Sprint(i%13-5, ".25") },
		"a class NA": func(i int) string { return []string{"NA", "ZA", "US"}[i%3] },
	} {
		t.Run(name, func(t *testing.T) {
			label := func(i int) string { return strings.ReplaceAll(label(i), " ", "") }
			text, n := numbers(3000, label), 0
			e, have, err := fitTo(new(Fitter), dataset.Options{}, passes(reading(text), &n))
			if err != nil || !e.Raw || n != 1 || have == nil {
				t.Fatalf("%v, %+v in %d passes", err, e, n)
			}
			again, err := encoded(e, text, dataset.Options{})
			if err != nil || hashOf(again) != hashOf(have) || !slices.Equal(again.Names, have.Names) ||
				!slices.Equal(have.Table.Columns, again.Table.Columns) {
				t.Errorf("%v: other rows by the coder", err)
			}
			if name != "a class NA" {
				plain, err := reading(text)(dataset.Options{})
				if err != nil || hashOf(plain) != hashOf(have) || !slices.Equal(plain.Names, have.Names) {
					t.Errorf("%v: other rows than without an encoder", err)
				}
			}
			if e.Columns[2].Kind != Number || e.Columns[2].Number.Mean != 7 || e.Cols() != 3 {
				t.Errorf("%+v", e.Columns[2])
			}
			refit, err := refit(e, dataset.Options{}, reading(text))
			if err != nil || !bytes.Equal(asJSON(t, refit), asJSON(t, e)) {
				t.Errorf("%v: fitted again %s, want %s", err, asJSON(t, refit), asJSON(t, e))
			}
		})
	}
}

// Wherever a cell ends the raw pass, an encoder that is not raw equals the one fitted without a raw
// pass.
func TestNotRaw(t *testing.T) {
	class := func(i int) string { return []string{"p", "q"}[i%2] }
	for _, at := range []int{1, 2, 50, 3000} {
		for _, odd := range []string{"NA", "red", "1e39", "$5", "007", "5 kg"} {
			lines := strings.SplitAfter(numbers(3000, class), "\n")
			lines[at] = odd + lines[at][strings.Index(lines[at], ","):]
			text, n := strings.Join(lines, ""), 0
			e, set, err := fitTo(new(Fitter), dataset.Options{}, passes(reading(text), &n))
			most := 1 // passes
			if at > 2000 {
				most++
			}
			if odd == "5 kg" {
				most++
			}
			if err != nil || e.Raw && odd != "007" || n > most ||
				set != nil && at > 0 && !e.Raw {
				t.Fatalf("%s in row %d: %v, raw %t, %d passes", odd, at, err, e.Raw, n)
			}
			full := &Fitter{Overrule: map[string]Given{"same": {Kind: LeftOut}}}
			want, _, err := fitTo(full, dataset.Options{}, reading(text))
			if err != nil || !e.Raw && !bytes.Equal(asJSON(t, e), asJSON(t, want)) {
				t.Errorf("%s in row %d: %v\n%s, want\n%s", odd, at, err, asJSON(t, e), asJSON(t, want))
			}
		}
	}
}

func TestRawIDs(t *testing.T) {
	for _, c := range []struct {
		name  string
		cell  func(i int) string
		raw   bool
		rows  int
		doubt string
	}{
		{"id", plus(1), false, 30, ""}, {"x", plus(1), false, 30, "left out: looks like a row counter"},
		{"x", plus(1), true, 19, ""}, {"id", plus(1), false, 5, ""},
		{"id", func(i int) string { return fmt.Sprint(i / 2) }, true, 30, ""},
		{"x", func(i int) string { return fmt.Sprint(1e6 + float64(i*i%29)) }, true, 30, ""},
		{"x", func(i int) string { return fmt.Sprint(123456 + i*i) }, false, 30, "6 digits"},
		{"x", func(i int) string { return fmt.Sprint(123456 + i*i/2%700) }, true, 30, ""},
		{"x", func(i int) string { return fmt.Sprint(20150401 + i*11%30*10000) }, true, 30,
			`perhaps dates without separators, read as numbers, such as "20150401"`},
		{"x", func(int) string { return "20150401" }, true, 30, ""},
		{"x", func(i int) string { return fmt.Sprint(20150401 + i*11%30) }, false, 30, "perhaps dates"},
		{"x", func(i int) string { return fmt.Sprintf("%03d", i*i%90) }, false, 30, ""},
	} {
		var b strings.Builder
		fmt.Fprintf(&b, "%s,b,y\n", c.name)
		for i := range c.rows {
			fmt.Fprintf(&b, "%s,%d.5,%d\n", c.cell(i), i*i%17, i%2)
		}
		f := new(Fitter)
		e, set, err := fitTo(f, dataset.Options{}, reading(b.String()))
		if err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprint(f.Doubts)
		if e.Raw != c.raw || (text == "[]") != (c.doubt == "") || !strings.Contains(text, c.doubt) {
			t.Errorf("%s %s: raw %t, want %t, doubts %s", c.name, c.cell(1), e.Raw, c.raw, text)
		}
		if !e.Raw && set != nil {
			t.Error("Fit has encoded the rows, but the encoder is not raw")
		}
		refit, err := refit(e, dataset.Options{}, reading(b.String()))
		if err != nil || !bytes.Equal(asJSON(t, refit), asJSON(t, e)) {
			t.Errorf("%v: fitted again %s, want %s", err, asJSON(t, refit), asJSON(t, e))
		}
	}
}

// Skipped rows change neither the kinds nor the means. With cells other than numbers, they prevent
// the raw pass from returning rows.
func TestRawSkips(t *testing.T) {
	text := numbers(100, func(i int) string { return fmt.Sprint(i % 2) })
	skip := func(row int) bool { return row >= 90 }
	short := strings.Join(strings.SplitAfter(text, "\n")[:91], "")
	want := fitted(t, short)
	for odd, whole := range map[string]bool{"": true, "7,8,red,0\n": false, "1,,2,1\n": false} {
		f := &Fitter{Skip: skip}
		e, set, err := fitTo(f, dataset.Options{}, reading(text+odd))
		if err != nil || !e.Raw || !bytes.Equal(asJSON(t, e), asJSON(t, want)) || (set != nil) != whole {
			t.Errorf("%q: %v, raw %t, %t", odd, err, e.Raw, set != nil)
		}
	}
}

func TestRawPredicts(t *testing.T) {
	coder := fitted(t, "a,y\n1,p\n2,q\n6,p\n").Coder()
	for cell, want := range map[string]float32{"5": 5, "": 3, "old": 3, "1e39": 3, "(2.5)": -2.5,
		"1,000": 3, "1,000,000": 1e6, "-": 3, "0": 0} {
		columns, values, _, reason := coder.Encode([]string{cell}, nil, nil)
		have := float32(0)
		if len(columns) == 1 {
			have = values[0]
		}
		if have != want || reason != "" {
			t.Errorf("%q: %v, want %v, %s", cell, have, want, reason)
		}
	}
	if odd := coder.Odd(); len(odd) != 2 || !strings.Contains(odd[0], "3 cells without a number") ||
		!strings.Contains(odd[1], "2 cells without a value") {
		t.Error(odd)
	}
}

func BenchmarkRaw(b *testing.B) {
	text := numbers(100_000, func(i int) string { return []string{"p", "q"}[i%2] })
	for name, read := range map[string]func() error{
		"fit": func() error {
			_, _, err := fitTo(new(Fitter), dataset.Options{}, reading(text))
			return err
		},
		"numbers": func() error {
			_, err := reading(text)(dataset.Options{})
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if err := read(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
