package tables

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/text/cell"
)

func TestOverrule(t *testing.T) {
	zips := shuffled(cells(30, func(i int) string { return fmt.Sprint(1000 + i%10) }))
	early := cells(30, func(i int) string { return fmt.Sprintf("%d/%d/2019", i%12+1, i%11+1) })
	for _, c := range []struct {
		name     string
		cells    []string
		given    Given
		features int
		gaps     int
		doubt    string
	}{
		{"numbers that are categories", zips, Given{Kind: Category}, 10, 0, ""},
		{"ids that are numbers", cells(30, plus(1)), Given{Kind: Number}, 1, 0, ""},
		{"numbers left out", zips, Given{Kind: LeftOut}, 0, 0, ""},
		{"names that are categories", times(2, cells(30, func(i int) string {
			return fmt.Sprintf("n%d", i)
		})...), Given{Kind: Category}, 30, 0, ""},
		{"words that are numbers", times(3, "a", "b"), Given{Kind: Number}, 2, 6,
			`6 of 6 values are not read as numbers and count as missing, such as "a"`},
		{"words and numbers that are numbers", append(cells(20, plus(1)), times(9, "a", "b", "c", "d")...),
			Given{Kind: Number}, 2, 36, `36 of 56 values`},
		{"unknown among words and numbers", append(words("1 2 red"), times(50, "unknown")...),
			Given{Kind: Number}, 2, 51, `1 of 3 values is not read as a number`},
		{"codes that are numbers", times(9, "007", "012"), Given{Kind: Number}, 1, 0, ""},
		{"two units that are numbers", times(3, "1 kg", "2 kg", "5 cm"), Given{Kind: Number}, 2, 3,
			`3 of 9 values are not read as numbers and count as missing, such as "5 cm"`},
		{"gaps that are numbers", times(3, ""), Given{Kind: Number}, 2, 3, ""},
		{"one value that is a number", times(3, "7", ""), Given{Kind: Number}, 2, 3, ""},
		{"one value that is a category", times(3, "7"), Given{Kind: Category}, 1, 0, ""},
		{"many numbers that are categories", cells(5000, plus(1)), Given{Kind: Category}, 4096, 0, ""},
		{"words that are text", times(3, "red", "blue"), Given{Kind: Text}, 2, 0, ""},
		{"eight digits that are dates", cells(28, func(i int) string { return fmt.Sprint(20150401 + i) }),
			Given{Kind: Date}, 20, 0, ""},
		{"dates in the order given", early, Given{Date, cell.MDY}, 20, 0, ""},
		{"dates in another order", append(early[:30:30], "13/1/2019", "1/13/2019"), Given{Date, cell.DMY},
			21, 1, `1 of 32 values is not read as a date and counts as missing, such as "1/13/2019"`},
		{"dates of an unknown order", early, Given{Kind: Date}, 20, 0,
			"dates whose order no cell shows, read with the day before the month"},
		{"dates of both orders", append(early[:30:30], "13/1/2019", "1/13/2019"), Given{Kind: Date}, 21, 1,
			"dates of both orders, read with the day before the month"},
		{"dates that may begin with the year", cells(60, func(i int) string {
			return fmt.Sprintf("%d/%02d/%02d", i%4+14, i%12+1, i%28+1)
		}), Given{Kind: Date}, 20, 0, "or of year, month and day, read as day first"},
		{"ISO dates in an order", cells(28, func(i int) string { return fmt.Sprintf("2019-02-%02d", i+1) }),
			Given{Date, cell.DMY}, 20, 0, ""},
		{"numbers that are dates", words("1 2 3"), Given{Kind: Date}, 2, 3, "3 of 3 values"},
	} {
		t.Run(c.name, func(t *testing.T) {
			have, f, e := settled(t, "x", c.cells, c.given)
			if have.Kind != c.given.Kind || e.FeaturesOf(0) != c.features || have.Gaps != c.gaps {
				t.Errorf("%s, %d features, %d gaps", have.Kind, e.FeaturesOf(0), have.Gaps)
			}
			text := ""
			for _, d := range f.Doubts {
				text += d.String()
			}
			if (text == "") != (c.doubt == "") || !strings.Contains(text, c.doubt) {
				t.Errorf("doubts %q, want %q", text, c.doubt)
			}
			checkAgain(t, e, "x", c.cells)
		})
	}
}

func TestOrderOfDates(t *testing.T) {
	early := cells(30, func(i int) string { return fmt.Sprintf("%d/%d/2019", i%12+1, i%11+1) })
	feature := func(order cell.Order) (string, int32) {
		c, _, e := settled(t, "x", early, Given{Date, order})
		columns, _, _, _ := e.Coder().Encode([]string{"2/1/2019"}, nil, nil)
		return c.Date.Order, columns[1] - 1
	}
	if name, month := feature(cell.DMY); name != "dmy" || month != 0 {
		t.Errorf("%s: month %d", name, month)
	}
	if name, month := feature(cell.MDY); name != "mdy" || month != 1 {
		t.Errorf("%s: month %d", name, month)
	}
}

func TestFlagsOfDoubts(t *testing.T) {
	early := cells(30, func(i int) string { return fmt.Sprintf("%d/%d/2019", i%12+1, i%11+1) })
	for name, want := range map[string]string{
		"born":       "-dates born=dmy or -dates born=mdy",
		"né":         "-dates né=dmy or -dates né=mdy",
		"birth date": `-dates '"birth date=dmy"' or -dates '"birth date=mdy"'`,
		"*":          "-dates 0=dmy or -dates 0=mdy",
		"=a":         `-dates '"=a=dmy"' or -dates '"=a=mdy"'`,
		"COLUMN(s)":  `-dates '"COLUMN(s)=dmy"' or -dates '"COLUMN(s)=mdy"'`,
		`a,"b"'s`:    `-dates '"a,""b""'\''s=dmy"' or -dates '"a,""b""'\''s=mdy"'`,
	} {
		f := new(Fitter)
		_, _, err := fitTo(f, noLabels, columns([]string{name, "b"}, early, times(10, "1", "2", "4")))
		if err != nil || len(f.Doubts) != 1 || f.Doubts[0].Flag != want {
			t.Errorf("%v, %v, want %s", err, f.Doubts, want)
		}
	}
	f := &Fitter{Overrule: map[string]Given{"": {Kind: LeftOut}}}
	_, _, err := fitTo(f, noLabels, columns([]string{"a", "b"}, early, early))
	if err == nil || strings.Contains(err.Error(), "has the labels") {
		t.Error(err)
	}
}

func TestSeveralWordsLeftOut(t *testing.T) {
	size := cells(60, func(i int) string { return fmt.Sprint(i * i % 7) })
	for blanks, want := range []bool{false, false, true} {
		title := cells(60, func(i int) string {
			return "red" + strings.Repeat(" fox", blanks) + fmt.Sprint(i)
		})
		f := new(Fitter)
		e, _, err := fitTo(f, noLabels, columns([]string{"size", "title"}, size, title))
		if err != nil || e.Columns[1].Kind != LeftOut {
			t.Fatalf("%d blanks: %v", blanks, err)
		}
		if have := strings.Contains(fmt.Sprint(f.Doubts),
			"several words in a cell, but left out like an identifier, such as"); have != want {
			t.Errorf("%d blanks: %v", blanks, f.Doubts)
		}
	}
}

// An inspection leaves all columns out.
func TestNothingElse(t *testing.T) {
	id, same := cells(60, plus(1)), times(60, "7")
	title := cells(60, func(i int) string { return fmt.Sprintf("red%d fox%d", i%7, i*i) })
	spans := cells(60, func(i int) string { return fmt.Sprintf("%dh%dm", i+47, i*7%60) })
	for _, c := range []struct {
		columns [][]string
		kinds   []Kind
		doubt   string
	}{
		{[][]string{id, title}, []Kind{LeftOut, Text}, "looks like an identifier, but taken for text"},
		{[][]string{title, same}, []Kind{Text, LeftOut}, "looks like an identifier, but taken for text"},
		{[][]string{same, spans}, []Kind{LeftOut, Text}, `taken for text, such as "47h0m" (-text b;`},
		{[][]string{id, same}, []Kind{Number, Number}, ""},
		{[][]string{id}, []Kind{Number}, ""},
	} {
		read := columns([]string{"id", "b"}[:len(c.columns)], c.columns...)
		f := new(Fitter)
		e, _, err := fitTo(f, noLabels, read)
		if err != nil {
			t.Fatal(err)
		}
		for i, kind := range c.kinds {
			if e.Columns[i].Kind != kind {
				t.Errorf("column %d: %s, want %s", i, e.Columns[i].Kind, kind)
			}
		}
		if text := fmt.Sprint(f.Doubts); !strings.Contains(text, c.doubt) {
			t.Errorf("%s, want %q", text, c.doubt)
		}
		f = &Fitter{Inspect: true}
		if e, _, err = fitTo(f, noLabels, read); err != nil || e.Cols() > 0 {
			t.Errorf("%v: %d features", err, e.Cols())
		}
	}
	if _, _, err := fitTo(new(Fitter), noLabels, columns([]string{"a"}, times(9, "x"))); !says(err,
		"no column has a feature: a (all rows have the same value)") {
		t.Error(err)
	}
	f := &Fitter{Overrule: map[string]Given{"a": {Kind: LeftOut}, "b": {Kind: Category}}}
	if _, _, err := fitTo(f, noLabels, columns([]string{"a", "b"}, id, title)); !says(err,
		"a (left out as given), b (words, none of them in 2 rows or more)") {
		t.Error(err)
	}
}

func TestDecimalOfOthers(t *testing.T) {
	open, comma := times(9, "3.135", "2.750"), times(9, "30,7 %", "8,1 %")
	marked := func(mark string) dataset.Options {
		return dataset.Options{Labels: dataset.LabelsNo, Decimal: mark}
	}
	e, _, err := fitTo(new(Fitter), marked(","), columns([]string{"a"}, open))
	if err != nil || e.Raw || e.Columns[0].Number.Mean != 2942.5 {
		t.Errorf("%v: raw %t, %+v", err, e.Raw, e.Columns[0].Number)
	}
	mean := func(mark string, other []string) float64 {
		e, _, err := fitTo(new(Fitter), marked(mark), columns([]string{"a", "b"}, open, other))
		if err != nil {
			t.Fatal(err)
		}
		return e.Columns[0].Number.Mean
	}
	for _, c := range []struct {
		mark  string
		other []string
		want  float64
	}{
		{"", comma, 2942.5}, {"", times(9, "red", "blue"), 2.9425},
		{".", comma, 2.9425}, {",", times(9, "red", "blue"), 2942.5},
	} {
		if have := mean(c.mark, c.other); have != c.want {
			t.Errorf("%s, %s: mean %v, want %v", c.other[0], c.mark, have, c.want)
		}
	}
}

func TestGivenDecimalOfOpenColumns(t *testing.T) {
	points := cells(40, func(i int) string { return fmt.Sprintf("%d.25", i) })
	open := cells(40, func(i int) string { return fmt.Sprintf("%d,%03d", i%9+1, i) })
	f := new(Fitter)
	e, _, err := fitTo(f, dataset.Options{Labels: dataset.LabelsNo, Decimal: ","},
		columns([]string{"x", "z"}, points, open))
	if err != nil || len(f.Doubts) > 0 || e.Describe(0) != "numbers" ||
		e.Describe(1) != "numbers with decimal commas" {
		t.Error(err, f.Doubts, e.Describe(0), e.Describe(1))
	}
}

func TestWordsThatCountAsGaps(t *testing.T) {
	_, _, e := settled(t, "x", append(cells(40, func(i int) string {
		return fmt.Sprintf("%d.25", i)
	}), "sold", "sold"), Given{})
	coder := e.Coder()
	coder.RefuseGaps = true
	for text, want := range map[string]string{"sold": "counts as a missing", "": "missing value:"} {
		_, _, _, reason := coder.Encode([]string{text}, nil, nil)
		if !strings.Contains(reason, want) {
			t.Errorf("%q: %s, want %s", text, reason, want)
		}
	}
}

func TestSparseFields(t *testing.T) {
	var b strings.Builder
	for i := range 400 {
		fmt.Fprintf(&b, `{"y":"%c","n%d":%d.5,"w%d":"%s"}`+"\n", "pq"[i%2], i%20, i%13, i%20,
			[]string{"red", "blue"}[i/20%2])
	}
	read := func(opt dataset.Options) (*dataset.Set, error) {
		opt.Format, opt.LabelColumn, opt.Layout = dataset.FormatJSONL, "y", dataset.LayoutSparse
		return dataset.ReadFrom(strings.NewReader(b.String()), "a", opt)
	}
	e, _, err := fitTo(new(Fitter), dataset.Options{}, read)
	if err != nil || e.Cols() != 80 || len(e.Columns) != 40 {
		t.Fatal(err, e)
	}
	var opt dataset.Options
	opt.Encoder = e.Coder()
	s, err := read(opt)
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.Rows() {
		if columns, _ := s.Sparse.Row(i); len(columns) > 4 {
			t.Fatalf("row %d has %d values", i, len(columns))
		}
	}
	if names := e.Names(); !slices.Contains(names, "n0 is present") {
		t.Error(names)
	}
	var wide strings.Builder
	for i := range 33_000 {
		fmt.Fprintf(&wide, `{"y":1,"f%d":"a"}`+"\n", i)
	}
	_, _, err = fitTo(new(Fitter), dataset.Options{}, func(opt dataset.Options) (*dataset.Set, error) {
		opt.Format, opt.LabelColumn = dataset.FormatJSONL, "y"
		return dataset.ReadFrom(strings.NewReader(wide.String()), "a", opt)
	})
	if !says(err, "different fields, too many for their size") {
		t.Error(err)
	}
}
