package frame

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
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
			t.Fatalf("the runs alternated in the order %v", order)
		}
	}
	if median, lower, upper := race.Ratio(1, 0); median != 2 || lower != 2 || upper != 2 {
		t.Errorf("ratio %v with quartiles %v and %v, want 2", median, lower, upper)
	}
	if _, err := Runs(2, 0, func() (float64, error) { return 0, errors.New("failed") }); err == nil {
		t.Error("Runs does not return the error of a run")
	}
	race, _ = Runs(9, 1, func() (float64, error) { time.Sleep(time.Millisecond); return 1, nil })
	if len(race[0]) != 1 {
		t.Errorf("%d rounds although the first exceeds the limit of time", len(race[0]))
	}
}

func TestLoops(t *testing.T) {
	var calls int // operations in the last sample
	wait := func(d time.Duration) func(int) {
		return func(n int) {
			calls = n
			for range n {
				for start := time.Now(); time.Since(start) < d; {
				}
			}
		}
	}
	var race Race
	var took, median float64
	for range 5 { // other processes may disturb a race
		began := time.Now()
		race = Loops(9, wait(4*time.Microsecond), wait(time.Microsecond))
		took = time.Since(began).Seconds()
		if median, _, _ = race.Ratio(0, 1); median >= 2 && median <= 8 {
			break
		}
	}
	if median < 2 || median > 8 {
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
	for seconds, want := range map[float64]string{2: "2 s", .0123: "12.3 ms", 2e-6: "2 us",
		1e-8: "10 ns"} {
		if got := Short(seconds); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestGrid(t *testing.T) {
	g := &Grid{Title: "T", Rows: []string{"peer", "Pegasimd, a", "Pegasimd"}, Columns: []string{"1"},
		Races: []Race{{{4, 4}, nil, {2, 2}}}, NoteHead: []string{"note"},
		Notes: [][]string{{"x"}, {"y"}, {"z"}}}
	var b strings.Builder
	if err := g.Write(&b, []any{"more", 7}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| peer        | 2.00 | x    |", "| Pegasimd, a | -    | y    |",
		"| more        | 7    |      |", "| peer        | 4 s |"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	file := filepath.Join(t.TempDir(), "folder", "file.csv")
	if err := WriteCSV(file, []*Grid{g}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	want := "table,row,column,round,seconds\nT,peer,1,0,4\nT,peer,1,1,4\nT,Pegasimd,1,0,2\n" +
		"T,Pegasimd,1,1,2\n"
	if err != nil || string(text) != want {
		t.Errorf("%v: %q", err, text)
	}
}

func TestNumbers(t *testing.T) {
	if got, err := Numbers("1e-4,.01,2", 0, 2.); err != nil || !slices.Equal(got, []float64{1e-4, .01, 2}) {
		t.Errorf("numbers %v, error %v", got, err)
	}
	for _, list := range []string{"", "1,", "1x", "1 2", "0", "9", "1.5", "NaN"} {
		if got, err := Numbers(list, 1, 8); err == nil {
			t.Errorf("%q gives %v and no error", list, got)
		}
	}
}
