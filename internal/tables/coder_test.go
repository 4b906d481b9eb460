package tables

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/asmtest"
)

// people is a table of 8 rows with a column of each way to encode: numbers of mean 2 and deviation
// 1, numbers of which three quarters are 0, words with a gap, two words, and numbers with gaps.
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

// A table's cells become these features, and a file encoded by what was fitted on another these.
func TestFeatures(t *testing.T) {
	e := fitted(t, people)
	names := []string{"size", "spare", "city=Paris", "city=Rome", "city is missing", "ok=yes", "age",
		"age is missing"}
	for i, f := range e.Features() {
		if f.Name != names[i] {
			t.Errorf("feature %d is %q", i, f.Name)
		}
	}
	for _, c := range []struct {
		name, text string
		want       [][]float32
	}{
		{"the training's rows", people, [][]float32{
			{-1, 0, 0, 1, 0, 1, -1, 0},
			{1, 0, 0, 1, 0, -1, 1, 0},
			{-1, 0, 1, 0, 0, 1, 0, 1},
			{1, 2, 1, 0, 0, -1, 1, 0},
			{-1, 0, 0, 0, 1, 1, -1, 0},
			{1, -2, 0, 0, 0, -1, 0, 1},
			{-1, 0, 0, 1, 0, 1, -1, 0},
			{1, 0, 1, 0, 0, -1, 1, 0},
		}},
		{"other columns in another order",
			"age,id,y,ok,city,size,spare\n5,1,a,no,Rome,2.5,1\n,2,b,yes,?,2,0\n", [][]float32{
				{0.5, 0.5, 0, 1, 0, -1, 2, 0},
				{0, 0, 0, 0, 1, 1, 0, 1},
			}},
		{"no header", "2,0,Paris,no,3,a\n", [][]float32{{0, 0, 1, 0, 0, -1, 0, 0}}},
		{"levels of one row or none", "size,spare,city,ok,age,y\n2,0,Oslo,perhaps,3,a\n" +
			"2,0,rome,Yes,3,a\n", [][]float32{
			{0, 0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 0, 0},
		}},
		{"gaps that training lacked", "size,spare,city,ok,age,y\n,?,Rome,NA,3,a\n", [][]float32{
			{0, 0, 0, 1, 0, 0, 0, 0},
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

// A column's numbers are brought to deviation 1, with that of three quarters zeros as they are.
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
			have := settled(c.cells, Number)
			near := func(have, want float64) bool { return math.Abs(have-want) <= 1e-12*math.Abs(want) }
			if !near(have.Mean, c.mean) || !near(have.Shift, c.shift) ||
				math.Abs(have.Factor-c.factor) > 0x1p-24*c.factor {
				t.Errorf("mean %v, shift %v, factor %v", have.Mean, have.Shift, have.Factor)
			}
		})
	}
}

// The spread of a feature is its deviation over the rows of the training.
func TestSpread(t *testing.T) {
	e := fitted(t, people)
	s, err := encoded(e, people, dataset.Options{Layout: dataset.LayoutDense})
	if err != nil {
		t.Fatal(err)
	}
	n := float64(s.Rows())
	for j, f := range e.Features() {
		if strings.HasPrefix(f.Name, "age") && j == 6 {
			continue // gaps are no part of its deviation
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
	two := &Column{Name: "s", Kind: Category, Rows: 8, Gaps: 2, GapFeature: true,
		Levels: []string{"a", "b"}, Counts: []int{4, 2}} // -1 four times, 1 twice
	if f := two.feature(0); f.Name != "s=b" || math.Abs(f.Spread-math.Sqrt(.75-.0625)) > 1e-12 {
		t.Errorf("%+v", f)
	}
	hashed := &Column{Name: "w", Kind: Category, HashBits: 2, Rows: 9, Gaps: 3, GapFeature: true}
	var all []Feature
	for j := range hashed.Features() {
		all = append(all, hashed.feature(j))
	}
	if len(all) != 5 || all[3].Name != "w in bucket 3" || math.Abs(all[3].Spread-math.Sqrt(8)/9) > 1e-12 ||
		all[4].Name != "w is missing" || math.Abs(all[4].Spread-math.Sqrt(2)/3) > 1e-12 {
		t.Errorf("%+v", all)
	}
}

// A level's bucket is the top 12 bits of its 64-bit FNV-1a: these are of the hash's specification.
func TestBucket(t *testing.T) {
	for level, want := range map[string]int32{"": 0xcbf, "a": 0xaf6, "foobar": 0x859} {
		if have := bucket(level, hashBits); have != want {
			t.Errorf("%q: %#x, want %#x", level, have, want)
		}
	}
}

const gap = "missing value: fill it in or leave the row out"

// Cells that can't be encoded are refused with their place, and with how many there are.
func TestRefusedCells(t *testing.T) {
	const header = "size,spare,city,ok,age,y\n"
	for _, c := range []struct {
		name, text string
		refuse     bool
		want       string
	}{
		{"word", header + "1,0,Rome,yes,2,a\n1,0,Rome,no,old,b\n", false,
			`a.csv:3:13: column "age": token "old": ` + notNumber},
		{"several", header + "1,0,Rome,yes,old,a\nx,y,Rome,no,1,b\n1e39,0,,no,,b\n", false,
			`a.csv:2:14: column "age": token "old": ` + notNumber + " (and in 2 more rows)"},
		{"no header", "1,0,Rome,yes,old,a\n", false, `a.csv:1:14: token "old": ` + notNumber},
		{"too large", header + "1,3e38,Rome,yes,2,a\n", false, ""},
		{"not UTF-8", header + "1,0,M\xfcnchen,yes,2,a\n", false, `a.csv:2:5: column "city": token ` +
			`"M\xfcnchen": the word is not UTF-8: convert the file, with iconv for instance`},
		{"gap", header + "1,0,,yes,2,a\n", true, `a.csv:2:5: column "city": ` + gap},
		{"gap in numbers", header + "1,0,Rome,yes,NA,a\n", true,
			`a.csv:2:14: column "age": token "NA": ` + gap},
		{"gap that training lacked", header + "?,0,Rome,yes,1,a\n", true,
			`a.csv:2:1: column "size": token "?": ` + gap},
		{"no gap", header + "1,0,Rome,yes,1,a\n", true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := fitted(t, people)
			var opt dataset.Options
			e.Options(&opt)
			opt.Encoder.(*Coder).RefuseGaps = c.refuse
			_, err := reading(c.text)(opt)
			if c.want == "" && err != nil || c.want != "" && (err == nil || err.Error() != c.want) {
				t.Errorf("%v, want\n%s", err, c.want)
			}
		})
	}
}

// Beside the least of numbers 2 is too large, and a word is refused unless the training had it.
func TestRefusedNumbers(t *testing.T) {
	e := &Encoder{Columns: []Column{*settled(words("1e-45 3e-45"), "")}}
	if _, _, at, reason := e.Coder().Encode([]string{"2"}, nil, nil); at != 0 ||
		reason != "the number is too large beside those of the training" {
		t.Error(reason)
	}
	e = &Encoder{Columns: []Column{*settled(append(times(9, "1", "2"), "none"), "")}}
	coder := e.Coder()
	if _, _, _, reason := coder.Encode([]string{"none"}, nil, nil); reason != "" {
		t.Error(reason)
	}
	coder.RefuseGaps = true
	if _, _, _, reason := coder.Encode([]string{"none"}, nil, nil); reason != gap {
		t.Error(reason)
	}
	if _, _, _, reason := coder.Encode([]string{"None"}, nil, nil); reason != notNumber {
		t.Error(reason)
	}
}

// Names of which only the gaps count may be anything, and so may cells of a column left out.
func TestCellsWithoutAFeature(t *testing.T) {
	var b strings.Builder
	for i := range 30 {
		fmt.Fprintf(&b, "%d,Ann %d,%d,a\n", i, i, i%3)
	}
	b.WriteString("30,,1,b\n")
	e := fitted(t, b.String())
	coder := e.Coder()
	for _, cells := range [][]string{{"30", "\xff", "1"}, {"old", "Ann 1", "1"}, {"", "Eve", "1"}} {
		columns, _, _, reason := coder.Encode(cells, nil, nil)
		if reason != "" || slices.Contains(columns, 0) {
			t.Errorf("%q: %v, %q", cells, columns, reason)
		}
	}
	if columns, _, _, _ := coder.Encode([]string{"1", "?", "1"}, nil, nil); !slices.Contains(columns, 0) {
		t.Error("no feature of the gap")
	}
	if odd := coder.Odd(); odd != nil {
		t.Error(odd)
	}
	if coder.Uses(0) || !coder.Uses(1) || !coder.Uses(2) {
		t.Error("uses another column")
	}
}

// Cells that training lacked are counted, and said a line for each column.
func TestOdd(t *testing.T) {
	e := fitted(t, people)
	coder := e.Coder()
	if coder.Odd() != nil {
		t.Error(coder.Odd())
	}
	long := strings.Repeat("x", 100)
	for _, cells := range [][]string{
		{"1", "0", "Rome", "yes", ""}, {"", "NA", "Oslo", "?", "1"}, {"1", "", "Bonn", "yes", "1"},
		{"1", "1", long, "yes", "1"},
	} {
		if _, _, _, reason := coder.Encode(cells, nil, nil); reason != "" {
			t.Fatal(reason)
		}
	}
	const gap = "without a value, as no row of the training was: taken for "
	const level = "with words that the training had in fewer than 2 rows, such as "
	want := []string{
		"size: 1 cell " + gap + "the mean", "spare: 2 cells " + gap + "the mean",
		`city: 3 cells ` + level + `"Oslo": taken for none of the words`,
		"ok: 1 cell " + gap + "none of the words",
	}
	if have := coder.Odd(); !slices.Equal(have, want) {
		t.Errorf("%q, want\n%q", have, want)
	}
	coder = e.Coder()
	coder.Encode([]string{"1", "0", long, "perhaps", "1"}, nil, nil)
	want = []string{
		"city: 1 cell " + level + `"` + long[:40] + `...": taken for none of the words`,
		"ok: 1 cell " + level + `"perhaps": taken for none of the words`,
	}
	if have := coder.Odd(); !slices.Equal(have, want) {
		t.Errorf("%q, want\n%q", have, want)
	}
}

// A row makes no garbage, whatever its cells are.
func TestCoderAllocates(t *testing.T) {
	e := fitted(t, people)
	e.Columns = append(e.Columns, Column{Name: "hashed", Kind: Category, HashBits: 12, Rows: 8},
		*settled(append(times(9, "1", "2"), "-"), ""))
	coder := e.Coder()
	columns, values := make([]int32, 0, 20), make([]float32, 0, 20)
	for _, cells := range [][]string{
		{"1", "0.25", "Rome", "yes", "2", "w", "1e-3"}, {"", "?", "", "NA", "n/a", "", "-"},
		{"1", "2", "Bonn", "perhaps", "NaN", "\xff", "."}, {"1", "2", "Oslo", "no", "NULL", "null", "-"},
	} {
		n := testing.AllocsPerRun(100, func() { coder.Encode(cells, columns, values) })
		if n != 0 && !asmtest.Race {
			t.Errorf("%q: %v allocations", cells, n)
		}
	}
}

// Several goroutines may use a coder at a time.
func TestCoderIsShared(t *testing.T) {
	coder := fitted(t, people).Coder()
	row := []string{"1", "4", "Bonn", "yes", ""}
	want, _, _, _ := coder.Encode(row, nil, nil)
	var wait sync.WaitGroup
	for range 4 {
		wait.Add(1)
		go func() {
			defer wait.Done()
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
	if odd := coder.Odd(); len(odd) != 1 || !strings.HasPrefix(odd[0], "city: 2001 cells") {
		t.Error(odd)
	}
}
