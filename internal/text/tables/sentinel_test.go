package tables

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dataset"
)

func TestSentinels(t *testing.T) {
	at := func(odd string, every int, usual func(i int) string) func(i int) string {
		return func(i int) string {
			if i%every == 0 {
				return odd
			}
			return usual(i)
		}
	}
	below := func(n int) func(i int) string {
		return func(i int) string { return fmt.Sprint(i * i % n) }
	}
	day := func(i int) string { return fmt.Sprintf("20%02d-0%d-11", 10+i%21, 1+i%9) }
	for _, c := range []struct {
		cell func(i int) string
		want string
	}{
		{at("-9", 20, below(2)), `20 of 400 cells have one value far from most others, read as it ` +
			`stands, such as "-9"`},
		{at("-99", 9, below(20)), `such as "-99"`},
		{at("-999.0", 100, below(20)), `4 of 400`},
		{at("99", 9, below(20)), `such as "99"`},
		{at("99.99", 9, below(20)), `such as "99.99"`},
		{at("999999", 8, below(100)), `such as "999999"`},
		{at("9999", 9, at("-9999", 8, below(100))), `such as "9999"`},
		{at("9999-12-31", 8, day), `such as "9999-12-31"`},
		{at("1900-01-01 00:00", 8, day), `such as "1900-01-01 00:00"`},
		{at("1970-01-01", 8, day), ``},
		{at("1970-01-02", 8, day), ``},
		{at("99999", 150, below(20)), ``}, // three of 400 cells are too few
		{at("-9999", 8, below(5000)), ``},
		{at("999", 8, below(1500)), ``},
		{at("9", 8, below(3)), ``},
		{at("-9990", 8, below(100)), ``},
		{at("-99.5", 8, below(20)), ``},
		{at("99999", 1, nil), ``},
	} {
		for _, other := range [][]string{{"3", "5"}, {"new", "old"}} { // a raw table, and another
			for _, column := range []string{"x", "y"} {
				if column == "y" && (strings.Count(c.cell(0), "-") > 1 || c.cell(1) == c.cell(0)) {
					continue // dates are no targets, and a single target is an error
				}
				var b strings.Builder
				b.WriteString("b,x,y\n")
				for i := range 400 {
					x, y := c.cell(i), fmt.Sprint(i*i%29)
					if column == "y" {
						x, y = y, x
					}
					fmt.Fprintf(&b, "%s,%s,%s\n", other[i%2], x, y)
				}
				f := new(Fitter)
				if _, _, err := fitTo(f, dataset.Options{}, reading(b.String())); err != nil {
					t.Fatal(err)
				}
				text := fmt.Sprint(f.Doubts)
				if (text == "[]") != (c.want == "") || !strings.Contains(text, c.want) ||
					c.want != "" && f.Doubts[0].Column != column {
					t.Errorf("%s among %s: doubts %s, want %s", c.cell(0), c.cell(1), text, c.want)
				}
			}
		}
	}
}

func TestSentinelsGiven(t *testing.T) {
	text := "x,y\n" + strings.Repeat("-99,p\n1,q\n2,q\n", 9)
	for kind, doubts := range map[Kind]int{"": 1, Number: 0} {
		f := &Fitter{Overrule: map[string]Given{"x": {Kind: kind}}}
		if kind == "" {
			f.Overrule = nil
		}
		_, _, err := fitTo(f, dataset.Options{}, reading(text))
		if err != nil || len(f.Doubts) != doubts {
			t.Errorf("%q: %v, %v", kind, err, f.Doubts)
		}
	}
}
