package frame

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestRaceAlternates(t *testing.T) {
	var order []int
	run := func(i int, seconds float64) func() (float64, error) {
		return func() (float64, error) { order = append(order, i); return seconds, nil }
	}
	race, err := Runs(3, 0, run(0, 1), run(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{0, 1, 1, 0, 0, 1} {
		if order[i] != want {
			t.Fatalf("order %v", order)
		}
	}
	if median, lower, upper := race.Ratio(1, 0); median != 2 || lower != 2 || upper != 2 {
		t.Errorf("ratio %v, %v, %v", median, lower, upper)
	}
	if _, err := Runs(2, 0, func() (float64, error) { return 0, errors.New("failed") }); err == nil {
		t.Error("the error is lost")
	}
	race, _ = Runs(9, 1, func() (float64, error) { time.Sleep(time.Millisecond); return 1, nil })
	if len(race[0]) != 1 {
		t.Errorf("%d rounds beyond the limit", len(race[0]))
	}
}

func TestLoops(t *testing.T) {
	var calls int // of the last sample
	wait := func(d time.Duration) func(int) {
		return func(n int) {
			calls = n
			for range n {
				for start := time.Now(); time.Since(start) < d; {
				}
			}
		}
	}
	began := time.Now()
	race := Loops(9, wait(4*time.Microsecond), wait(time.Microsecond))
	took := time.Since(began).Seconds()
	if median, _, _ := race.Ratio(0, 1); median < 2 || median > 8 {
		t.Errorf("4 us are %v times 1 us", median)
	}
	// Seconds is a lower quartile: at least six of the nine samples took as long or longer.
	if s := race.Seconds(1); s < 1e-6 || s*float64(6*calls) > took {
		t.Errorf("1 us took %v s in samples of %d calls, and all samples together %v s", s, calls, took)
	}
}

func TestTable(t *testing.T) {
	var b strings.Builder
	table := Table{Title: "A", Head: []string{"", "n"}}
	table.Add("long name", 1.5)
	if err := table.Write(&b); err != nil {
		t.Fatal(err)
	}
	want := "\n### A\n\n|           | n   |\n| :--       | --: |\n| long name | 1.5 |\n"
	if b.String() != want {
		t.Errorf("%q", b.String())
	}
	wide := Table{Width: Narrow, Head: []string{"name"}, Rows: [][]string{{"row"}}}
	for i := range 20 {
		wide.Head = append(wide.Head, strconv.Itoa(i))
		wide.Rows[0] = append(wide.Rows[0], "µ"+strings.Repeat("x", 9))
	}
	b.Reset()
	if err := wide.Write(&b); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for line := range strings.SplitSeq(b.String(), "\n") {
		if utf8.RuneCountInString(line) > Narrow {
			t.Errorf("%d columns: %s", utf8.RuneCountInString(line), line)
		}
		if strings.HasPrefix(line, "| row ") {
			seen += strings.Count(line, "x") / 9
		}
	}
	if seen != 20 {
		t.Errorf("%d cells of 20:\n%s", seen, b.String())
	}
	for seconds, want := range map[float64]string{2: "2 s", .0123: "12.3 ms", 2e-6: "2 us",
		1e-8: "10 ns"} {
		if got := Short(seconds); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
