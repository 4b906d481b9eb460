package tables

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/text/form"
)

func TestLabels(t *testing.T) {
	prices := cells(30, func(i int) string { return fmt.Sprintf("$%d,%03d.50", i+1, i*i) })
	for _, c := range []struct {
		name   string
		labels []string
		kind   Kind
		format string
		first  string
	}{
		{"numbers", times(9, "1.5", "2"), Number, "<nil>", "1.5"},
		{"words", times(9, "red", "1"), Category, "<nil>", "red"},
		{"a number, then words", append([]string{"-5"}, times(9, "red", "blue")...), Category, "<nil>",
			"-5"},
		{"prices", prices, Number, "&{ $ true false []}", "1000.5"},
		{"a bare number, then prices", append([]string{"-7"}, prices...), Number, "&{ $ true false []}", "-7"},
		{"percent", times(9, "58.6%", "12%"), Number, "&{ % false false []}", "58.6"},
		{"brackets", times(9, "(12.5)", "3"), Number, "<nil>", "-12.5"},
		{"decimal commas", times(9, "1,5", "2,25", "3"), Number, "&{,  false false []}", "1.5"},
		{"decimal commas and thousands", times(9, "1.250", "1.250,75"), Number, "&{,  true false []}", "1250"},
		{"codes", times(9, "01", "02", "10"), Category, "<nil>", "01"},
		{"codes with stars", times(5, "1", "2", "3*"), Category, "<nil>", "1"},
		{"grades", times(9, "1+", "1", "1-"), Category, "<nil>", "1+"},
		{"ages", times(9, "18", "18+"), Category, "<nil>", "18"},
		{"a minus after numbers", times(9, "1.5-", "2"), Number, "<nil>", "-1.5"},
		{"a few classes and a word", append(times(12, "1", "2", "3"), "all"), Category, "<nil>", "1"},
		{"True", times(9, "True", "FALSE", "true"), Category, "<nil>", "True"},
		{"two units", times(9, "1 kg", "2 cm"), Category, "<nil>", "1 kg"},
		{"NA", times(9, "NA", "ZA"), Category, "<nil>", "NA"},
		{"dates", times(9, "2019-01-02", "2019-01-03"), Category, "<nil>", "2019-01-02"},
	} {
		for name, column := range map[string]func(i int) string{
			"numbers": func(i int) string { return fmt.Sprint(i * i % 7) },
			"words":   func(i int) string { return []string{"red", "blue", "", "red"}[i%4] },
		} {
			var rows [][]string
			for i, label := range c.labels {
				rows = append(rows, []string{column(i), fmt.Sprint(i % 3), label})
			}
			text := written(t, rows)
			e, set, err := fitTo(new(Fitter), dataset.Options{Header: dataset.HeaderNo}, reading(text))
			if err != nil {
				t.Fatalf("%s, %s: %v", c.name, name, err)
			}
			if set == nil {
				if set, err = encoded(e, text, dataset.Options{Header: dataset.HeaderNo}); err != nil {
					t.Fatalf("%s, %s: %v", c.name, name, err)
				}
			}
			first := fmt.Sprint(set.Y[0])
			if set.Names != nil {
				first = set.Names[int(set.Y[0])]
			}
			if e.Label.Kind != c.kind || fmt.Sprint(e.Label.Format) != c.format || first != c.first {
				t.Errorf("%s, %s: %+v, %v, first %s", c.name, name, e.Label, e.Label.Format, first)
			}
			refit, err := refit(e, dataset.Options{Header: dataset.HeaderNo}, reading(text))
			if err != nil || !bytes.Equal(asJSON(t, refit), asJSON(t, e)) {
				t.Errorf("%s, %s: %v: fitted again %s, want %s", c.name, name, err, asJSON(t, refit),
					asJSON(t, e))
			}
		}
	}
}

// A gap of letters is a class if the labels are words, the gap recurs and the options do not say
// otherwise.
func TestMissingLabels(t *testing.T) {
	row := func(labels ...string) string {
		var b strings.Builder
		for i, label := range labels {
			fmt.Fprintf(&b, "%d,%d,%s\n", i*i%7, i%3, label)
		}
		return b.String()
	}
	drop := dataset.Options{Header: dataset.HeaderNo, MissingLabels: dataset.MissingKeep}
	for _, c := range []struct {
		name, text string
		opt        dataset.Options
		class      bool
		missing    int
	}{
		{"NA", row(times(5, "NA", "ZA", "US")...), dataset.Options{}, true, 0},
		{"null", row(times(5, "null", "ZA")...), dataset.Options{}, true, 0},
		{"NA once", row(append(times(5, "ZA", "US"), "NA")...), dataset.Options{}, false, 1},
		{"empty cells", row(times(5, "", "ZA", "US")...), drop, false, 5},
		{"question marks", row(times(5, "?", "ZA", "US")...), drop, false, 5},
		{"NA, to be dropped", row(times(5, "NA", "ZA", "US")...), drop, false, 5},
		{"among numbers", row(times(5, "NA", "1", "2.5")...), dataset.Options{}, false, 5},
		{"words among numbers", row(append(cells(40, plus(1)), "unknown", "-")...), drop, false, 2},
	} {
		c.opt.Header = dataset.HeaderNo
		f := new(Fitter)
		e, _, err := fitTo(f, c.opt, reading(c.text))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		coder, missing := e.Coder(), 0
		for _, line := range strings.Split(strings.TrimSpace(c.text), "\n") {
			l, reason := coder.Label(line[strings.LastIndex(line, ",")+1:])
			if l.Missing {
				missing++
			}
			if reason != "" {
				t.Errorf("%s: %s", c.name, reason)
			}
		}
		if missing != c.missing || e.Label.GapIsClass != c.class {
			t.Errorf("%s: %d labels are missing, want %d: %+v", c.name, missing, c.missing, e.Label)
		}
		told := slices.ContainsFunc(f.Doubts, func(d form.Doubt) bool {
			return d.Flag == "-missing drop"
		})
		if told != c.class {
			t.Errorf("%s: doubts %v", c.name, f.Doubts)
		}
	}
	f := new(Fitter)
	_, _, err := fitTo(f, dataset.Options{}, reading("a,b,y\n"+row(times(9, "1K", "2000", "3K")...)))
	// The doubt names no flag, because the label's column can't be given a kind.
	if err != nil || len(f.Doubts) != 1 || f.Doubts[0].Flag != "" {
		t.Error(err, f.Doubts)
	}
	e := fitted(t, row("1", "2.5", "3"))
	if _, reason := e.Coder().Label("red"); !strings.Contains(reason, "not a number") {
		t.Error(reason)
	}
}

func TestDoubtsNameTheColumn(t *testing.T) {
	for _, c := range []struct{ header, last, want string }{
		{"", "", `column "1": 9 of 99`}, {"a,y\n", "", `column "y": 9 of 99`},
		{"a,,y\n", ",1", "a column without a name: 9 of 99"},
	} {
		text := c.header
		for i := range 99 {
			last := []string{fmt.Sprint(i % 13), "-999"}[i%11/10] + c.last
			text += fmt.Sprintf("%d.5,%s\n", i*i%17, last)
		}
		f := new(Fitter)
		if _, _, err := fitTo(f, dataset.Options{}, reading(text)); err != nil {
			t.Fatal(err)
		}
		if have := fmt.Sprint(f.Doubts); !strings.Contains(have, c.want) {
			t.Errorf("%q: %s, want %s", c.header, have, c.want)
		}
	}
}
