package tables

import (
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/testing/asmtest"
)

// people has numbers with mean 2 and deviation 1, numbers that are mostly 0, words with a gap, two
// words, numbers with gaps, and labels.
const people = `size,spare,city,ok,age,y
1,0,Rome,yes,2,a
3,0,Rome,no,4,b
1,0,Paris,yes,,a
3,4,Paris,no,4,b
1,0,,yes,2,a
3,-4,Oslo,no,NA,b
1,0,Rome,yes,2,a
3,0,Paris,no,4,b
`

func TestFeatures(t *testing.T) {
	e := fitted(t, people)
	names := []string{"size", "spare", "city=Oslo", "city=Paris", "city=Rome", "city is missing",
		"ok=yes", "age",
		"age is missing"}
	for i, f := range e.featuresOfRow() {
		if f.Name != names[i] {
			t.Errorf("feature %d is %q", i, f.Name)
		}
	}
	for _, c := range []struct {
		name, text string
		want       [][]float32
	}{
		{"the training's rows", people, [][]float32{
			{-1, 0, 0, 0, 1, 0, 1, -1, 0},
			{1, 0, 0, 0, 1, 0, -1, 1, 0},
			{-1, 0, 0, 1, 0, 0, 1, 0, 1},
			{1, 2, 0, 1, 0, 0, -1, 1, 0},
			{-1, 0, 0, 0, 0, 1, 1, -1, 0},
			{1, -2, 1, 0, 0, 0, -1, 0, 1},
			{-1, 0, 0, 0, 1, 0, 1, -1, 0},
			{1, 0, 0, 1, 0, 0, -1, 1, 0},
		}},
		{"other columns in another order",
			"age,id,y,ok,city,size,spare\n5,1,a,no,Rome,2.5,1\n,2,b,yes,?,2,0\n", [][]float32{
				{0.5, 0.5, 0, 0, 1, 0, -1, 2, 0},
				{0, 0, 0, 0, 0, 1, 1, 0, 1},
			}},
		{"no header", "2,0,Paris,no,3,a\n", [][]float32{{0, 0, 0, 1, 0, 0, -1, 0, 0}}},
		{"levels that training lacked", "size,spare,city,ok,age,y\n2,0,Bonn,perhaps,3,a\n" +
			"2,0,rome,Yes,3,a\n", [][]float32{
			{0, 0, 0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 0, 0, 0},
		}},
		{"gaps that training lacked", "size,spare,city,ok,age,y\n,?,Rome,NA,3,a\n", [][]float32{
			{0, 0, 0, 0, 1, 0, 0, 0, 0},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := encoded(e, c.text, dataset.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if s.Rows() != len(c.want) || s.Cols() != len(names) || e.Cols() != len(names) {
				t.Fatalf("%d x %d", s.Rows(), s.Cols())
			}
			for i, want := range c.want {
				if have := rowOf(s, i); !slices.Equal(have, want) {
					t.Errorf("row %d: %v, want %v", i, have, want)
				}
			}
			if !slices.Equal(s.Table.Columns, names) {
				t.Errorf("%q", s.Table.Columns)
			}
		})
	}
}

func TestScale(t *testing.T) {
	for _, c := range []struct {
		name                string
		cells               []string
		mean, shift, factor float64
	}{
		{"mean and deviation", words("1 3 1 3"), 2, 2, 1},
		{"half of them 0", words("0 0 2 2"), 1, 1, 1},
		{"three quarters 0", words("0 0 0 4 0 0 0 -4"), 0, 0, 0.5},
		{"three quarters 0, another mean", words("0 0 0 8"), 2, 0, float64(float32(1 / math.Sqrt(12)))},
		{"zeros that are spelt otherwise", words("0 -0 0.0 8"), 2, 0, float64(float32(1 / math.Sqrt(12)))},
		{"less than three quarters 0", words("0 0 1 2 5"), 1.6, 1.6, float64(float32(1 /
			math.Sqrt(3.44)))},
		{"gaps don't count", words("1 ? 3 NA 1 3"), 2, 2, 1},
		{"one value", words("5 5.0 5"), 5, 5, 1},
		{"far from 0", words("1e8 100000002 1e8 100000002"), 1e8 + 1, 1e8 + 1, 1},
		{"the largest", words("3e38 -3e38"), 0, 0, float64(float32(1 / 3e38))},
		{"the smallest", words("1e-45 3e-45"), 2e-45, 2e-45, math.MaxFloat32},
	} {
		t.Run(c.name, func(t *testing.T) {
			cells := append(c.cells, "NA")
			column, _, _ := settled(t, "x", cells, Given{Kind: Number})
			have := column.Number
			near := func(have, want float64) bool { return math.Abs(have-want) <= 1e-12*math.Abs(want) }
			if !near(have.Mean, c.mean) || !near(have.Shift, c.shift) ||
				math.Abs(have.Factor-c.factor) > 0x1p-24*c.factor {
				t.Errorf("mean %v, shift %v, factor %v", have.Mean, have.Shift, have.Factor)
			}
		})
	}
}

func TestSpread(t *testing.T) {
	e := fitted(t, people)
	s, err := encoded(e, people, dataset.Options{Layout: dataset.LayoutDense})
	if err != nil {
		t.Fatal(err)
	}
	n := float64(s.Rows())
	for j, f := range e.featuresOfRow() {
		if strings.HasPrefix(f.Name, "age") && j == 7 {
			continue // the column's deviation is over the rows with a value
		}
		sum, squares := 0.0, 0.0
		for i := range s.Rows() {
			v := float64(s.Dense.Row(i)[j])
			sum, squares = sum+v, squares+v*v
		}
		if want := math.Sqrt(squares/n - sum/n*(sum/n)); math.Abs(f.Spread-want) > 1e-6 {
			t.Errorf("%s: spread %v, want %v", f.Name, f.Spread, want)
		}
	}
	two := &Column{Name: "s", Kind: Category, Gaps: 2, GapFeature: true,
		Levels: &Levels{Names: []string{"a", "b"}, Counts: []int{4, 2}}} // -1 four times, 1 twice
	if f := two.feature(0, 8); f.Name != "s=b" || math.Abs(f.Spread-math.Sqrt(.75-.0625)) > 1e-12 {
		t.Errorf("%+v", f)
	}
	hashed := &Column{Name: "w", Kind: Category, Levels: &Levels{HashBits: 2}, Gaps: 3, GapFeature: true}
	var all []Feature
	for j := range hashed.features(9) {
		all = append(all, hashed.feature(j, 9))
	}
	if len(all) != 5 || all[3].Name != "w in bucket 3" || math.Abs(all[3].Spread-math.Sqrt(8)/9) > 1e-12 ||
		all[4].Name != "w is missing" || math.Abs(all[4].Spread-math.Sqrt(2)/3) > 1e-12 {
		t.Errorf("%+v", all)
	}
	hashed.Gaps = 6
	if f := hashed.feature(4, 9); f.Name != "w is present" {
		t.Errorf("%+v", f)
	}
}

// The wanted values are from the specification of FNV-1a.
func TestBucket(t *testing.T) {
	for level, want := range map[string]int32{"": 0xcbf, "a": 0xaf6, "foobar": 0x859} {
		if have := bucket(level, hashBits); have != want {
			t.Errorf("%q: %#x, want %#x", level, have, want)
		}
	}
}

func TestRefusedCells(t *testing.T) {
	const (
		header = "size,spare,city,ok,age,y\n"
		gap    = "missing value: fill it in or leave the row out"
		odd    = "the cell is not a number as in the training data: correct it or leave the row out"
	)
	for _, c := range []struct{ name, text, want string }{
		{"word", header + "1,0,Rome,yes,2,a\n1,0,Rome,no,old,b\n",
			`a.csv:3:13: column "age": token "old": ` + odd},
		{"several", header + "1,0,Rome,yes,old,a\nx,y,Rome,no,1,b\n1e39,0,,no,,b\n",
			`a.csv:2:14: column "age": token "old": ` + odd + " (and cells in 2 more rows)"},
		{"no header", "1,0,Rome,yes,old,a\n", `a.csv:1:14: token "old": ` + odd},
		{"another unit", header + "1 kg,3,Rome,yes,2,a\n", `a.csv:2:1: column "size": token "1 kg": ` + odd},
		{"gap", header + "1,0,,yes,2,a\n", `a.csv:2:5: column "city": ` + gap},
		{"gap in numbers", header + "1,0,Rome,yes,NA,a\n",
			`a.csv:2:14: column "age": token "NA": ` + gap},
		{"gap word", header + "1,-,Rome,yes,1,a\n", `a.csv:2:3: column "spare": token "-": ` + gap},
		{"gap that training lacked", header + "?,0,Rome,yes,1,a\n",
			`a.csv:2:1: column "size": token "?": ` + gap},
		{"no gap", header + "1,0,Rome,yes,1,a\n", ""},
		{"unknown words", header + "1,0,M\xfcnchen,perhaps,1,a\n", ""},
		{"too large", header + "1,3e38,Rome,yes,2,a\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := fitted(t, people)
			var opt dataset.Options
			coder := e.Coder()
			opt.Encoder = coder
			if _, err := reading(c.text)(opt); err != nil {
				t.Error(err)
			}
			coder.RefuseGaps = true
			_, err := reading(c.text)(opt)
			if c.want == "" && err != nil || c.want != "" && (err == nil || err.Error() != c.want) {
				t.Errorf("%v, want\n%s", err, c.want)
			}
		})
	}
}

func TestNumberTooLarge(t *testing.T) {
	_, _, e := settled(t, "x", words("1e-45 3e-45 ?"), Given{})
	coder := e.Coder()
	columns, _, _, reason := coder.Encode([]string{"2"}, nil, nil)
	if reason != "" || !slices.Equal(columns, []int32{1}) || len(coder.Odd()) != 1 {
		t.Error(columns, reason, coder.Odd())
	}
}

func TestOdd(t *testing.T) {
	e := fitted(t, people)
	coder := e.Coder()
	if coder.Odd() != nil {
		t.Error(coder.Odd())
	}
	long := strings.Repeat("x", 100)
	for _, cells := range [][]string{
		{"1", "0", "Rome", "yes", ""}, {"", "NA", "Cork", "?", "1"}, {"1", "", "Bonn", "yes", "1"},
		{"1", "1", long, "yes", "1"},
	} {
		if _, _, _, reason := coder.Encode(cells, nil, nil); reason != "" {
			t.Fatal(reason)
		}
	}
	const gap = "without a value, unlike in training: taken for "
	const once = "with a word that no training row had, such as "
	const level = "with a word that fewer than 2 training rows had, such as "
	want := []string{
		"column size: 1 cell " + gap + "the mean", "column spare: 2 cells " + gap + "the mean",
		`column city: 3 cells ` + once + `"Cork": taken for none of the words`,
		"column ok: 1 cell " + gap + "none of the words",
	}
	if have := coder.Odd(); !slices.Equal(have, want) {
		t.Errorf("%q, want\n%q", have, want)
	}
	coder = e.Coder()
	coder.Encode([]string{"wide", "0", long, "perhaps", "old"}, nil, nil)
	want = []string{
		`column size: 1 cell without a number as in the training data, such as "wide": taken for the ` +
			`mean`,
		"column city: 1 cell " + once + `"` + long[:40] + `...": taken for none of the words`,
		"column ok: 1 cell " + level + `"perhaps": taken for none of the words`,
		`column age: 1 cell without a number as in the training data, such as "old": taken for a gap`,
	}
	if have := coder.Odd(); !slices.Equal(have, want) {
		t.Errorf("%q, want\n%q", have, want)
	}
	coder = e.Coder()
	coder.Encode([]string{"1", "0", "Rome", "yes", "-Inf"}, nil, nil)
	want = []string{
		`column age: 1 cell without a number as in the training data, such as "-Inf": taken for a gap`}
	if have := coder.Odd(); !slices.Equal(have, want) {
		t.Errorf("%q, want\n%q", have, want)
	}
}

func TestCoderAllocates(t *testing.T) {
	e := fitted(t, people)
	dates, _, _ := settled(t, "when", times(4, "3/14/2019", "2/5/2018"), Given{})
	money, _, _ := settled(t, "price", times(4, "$1,250.50", "-", "$12"), Given{})
	e.Columns = append(e.Columns, Column{Name: "hashed", Kind: Category, Levels: &Levels{HashBits: 12}},
		*dates, *money)
	coder := e.Coder()
	columns, values := make([]int32, 0, 20), make([]float32, 0, 20)
	for _, cells := range [][]string{
		{"1", "0.25", "Rome", "yes", "2", "w", "3/9/2020", "$2,000"},
		{"", "?", "", "NA", "n/a", "", "?", "-"}, {"1", "2", "Rome", "no", "NaN", "\xff", "4/30/2019", "1e-3"},
		{"1", "2", "Paris", "no", "NULL", "null", "-", "none"},
	} {
		n := testing.AllocsPerRun(100, func() { coder.Encode(cells, columns, values) })
		if n != 0 && !asmtest.Race {
			t.Errorf("%q: %v allocations", cells, n)
		}
	}
}

func TestCoderIsShared(t *testing.T) {
	coder := fitted(t, people).Coder()
	row := []string{"1", "4", "Bonn", "yes", ""}
	want, _, _, _ := coder.Encode(row, nil, nil)
	_, _, texts := settled(t, "x", times(9, "red", "blue"), Given{Kind: Text})
	names := texts.Coder()
	var wait sync.WaitGroup
	for range 4 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			names.Features()
			var columns []int32
			var values []float32
			for range 500 {
				columns, values, _, _ = coder.Encode(row, columns[:0], values[:0])
				coder.Odd()
			}
			if !slices.Equal(columns, want) {
				t.Errorf("%v, want %v", columns, want)
			}
		}()
	}
	wait.Wait()
	if odd := coder.Odd(); len(odd) != 1 || !strings.HasPrefix(odd[0], "column city: 2001 cells") {
		t.Error(odd)
	}
}

func TestOddText(t *testing.T) {
	_, _, e := settled(t, "x", times(9, "red", "blue"), Given{Kind: Text})
	coder := e.Coder()
	coder.Encode([]string{""}, nil, nil)
	const want = "column x: 1 cell without a value, unlike in training: " +
		"taken for an empty text"
	if odd := coder.Odd(); len(odd) != 1 || odd[0] != want {
		t.Errorf("%q, want %q", odd, want)
	}
}

func TestUnread(t *testing.T) {
	colors := &Levels{Names: []string{"a", "b", "c"}, Counts: []int{30, 30, 35}}
	mean := &Scale{Factor: 1}
	for _, c := range []struct {
		column Column
		cells  []string
		want   string // "" for no doubt
	}{
		{Column{Levels: &Levels{Names: []string{"no", "yes"}, Counts: []int{40, 52}}}, times(3, "new"),
			"3 cells with a word"},
		{Column{Levels: &Levels{Names: []string{"Bambi", "Psycho"}, Counts: []int{2, 3}}},
			times(30, "new"), ""},
		{Column{Levels: colors}, times(3, "new"), ""},
		{Column{Levels: colors}, times(20, "new", "a"), "20 cells with a word"},
		{Column{Levels: colors}, times(20, "new", "a", "b"), ""},
		{Column{}, times(30, "new"), ""}, // hashed
		{Column{Number: mean}, times(10, "", "1"), "10 cells without a value, unlike in training"},
		{Column{Number: mean}, times(9, "", "1"), ""},
		{Column{Number: mean, Gaps: 9}, times(10, "", "1"),
			"10 cells without a value, but only 9 gaps in 100 training rows: taken for the mean"},
		{Column{Number: mean, Gaps: 9}, times(10, "", "1", "2"), ""},
		{Column{Number: mean, Gaps: 10}, times(30, ""), ""},
		{Column{Levels: colors}, times(20, ""), "20 cells without a value"},
	} {
		c.column.Name, c.column.Kind = "c", Category
		if c.column.Number != nil {
			c.column.Kind = Number
		}
		e := &Encoder{Rows: 100, Columns: []Column{c.column}}
		coder := e.Coder()
		for _, cell := range c.cells {
			coder.Encode([]string{cell}, nil, nil)
		}
		unread := strings.Join(coder.Unread(), "\n")
		if c.want == "" && unread != "" || !strings.Contains(unread, c.want) {
			t.Errorf("%+v, %d cells: in doubt %q", c.column, len(c.cells), unread)
		}
	}
}
