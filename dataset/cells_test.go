package dataset

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/text/form"
)

type cellRecorder struct {
	lengths
	begun *Table
	rows  []string
}

func (c *cellRecorder) Begin(s form.Source) { c.begun = s.Table }

func (c *cellRecorder) Encode(cells []string, columns []int32, values []float32) (
	[]int32, []float32, int, string,
) {
	c.rows = append(c.rows, fmt.Sprintf("%q", cells))
	return columns, values, 0, ""
}

func TestReadCells(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, text := range map[string]string{
		"a.csv":   "\ufeffa, b ,y\n 1 ,\"2\",u\n\n3,,\n5\n6,\"7, \"\"8\"\"\n9\",v,,\n",
		"b.csv":   "1;2;u\n3;4;v\n5;6;u\n",
		"a.tsv":   strings.Repeat("good\tit is a good day\n", 5) + "no label\n",
		"a.jsonl": `{"a":1,"y":"p"}` + "\n" + `{"y":"q","late":"x"}` + "\n",
	} {
		path := write(name, text)
		opt := Options{KeepRows: true, MissingLabels: MissingDrop}
		seen := &cellRecorder{}
		read := opt
		read.Encoder, read.Labels = seen, LabelsNo
		if _, err := Read(path, read); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, threads := range []int{1, 2} {
			opt.Threads = threads
			var rows []string
			names, err := ReadCells(path, opt, func(cells []string) error {
				rows = append(rows, fmt.Sprintf("%q", cells))
				return nil
			})
			var want []string
			if seen.begun != nil {
				want = seen.begun.Columns
			}
			if err != nil || !slices.Equal(rows, seen.rows) || !slices.Equal(names, want) {
				t.Errorf("%s: %q\n%q, want %q\n%q; %v", name, names, rows, want, seen.rows, err)
			}
		}
	}
	path := write("c.csv", "a,y\n1,2\n3,4\n")
	stop := errors.New("stop")
	names, err := ReadCells(path, Options{}, func([]string) error { return stop })
	if !errors.Is(err, stop) || len(names) != 2 {
		t.Errorf("stopped: %q, %v", names, err)
	}
	for path, want := range map[string]string{
		"c.svm":    "c.svm: the format is svmlight, want a table",
		"c.other":  "c.other: the name does not tell the format",
		"none.csv": "none.csv: ",
	} {
		if _, err := ReadCells(path, Options{}, nil); !says(err, want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
