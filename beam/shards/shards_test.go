package shards_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/beam/shards"
	"github.com/pegasimd/pegasimd/dataset"
)

// write writes a file of a test.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// digits writes the embedded digits in a form that the name tells.
func digits(t *testing.T, name string) string {
	t.Helper()
	var b bytes.Buffer
	var err error
	if filepath.Ext(name) == ".csv" {
		err = dataset.WriteCSV(&b, dataset.Digits())
	} else {
		err = dataset.WriteSvmlight(&b, dataset.Digits())
	}
	if err != nil {
		t.Fatal(err)
	}
	return write(t, name, b.String())
}

func split(t *testing.T, path string, n int) *shards.Manifest {
	t.Helper()
	m, err := shards.Split(path, filepath.Join(t.TempDir(), "shards"), shards.Options{Shards: n})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// All rows are in the shards, in order, in whole blocks, whatever the form of the data was and
// however many shards there are, and the statistics are the same.
func TestSplit(t *testing.T) {
	want := dataset.Digits()
	var values string
	for _, name := range []string{"digits.svm", "digits.csv"} {
		path := digits(t, name)
		for _, n := range []int{1, 3, 8, 20} {
			m := split(t, path, n)
			row, empty := 0, 0
			for i, s := range m.Shards {
				if err := m.Verify(i); err != nil {
					t.Fatal(err)
				}
				part, err := m.Open(i)
				if err != nil {
					t.Fatal(err)
				}
				if part.First != row || part.Rows() != s.Rows ||
					s.Rows > 0 && part.First%shards.Block != 0 {
					t.Fatalf("shard %d begins at row %d, want %d", i, part.First, row)
				}
				if s.Rows == 0 {
					empty++
				}
				for k := range part.Rows() {
					if part.Y[k] != want.Y[row] ||
						!slices.Equal(part.Dense.Row(k), want.Dense.Row(row)) {
						t.Fatalf("%s: row %d is another one in shard %d of %d", name, row, i, n)
					}
					row++
				}
				if err := part.Close(); err != nil {
					t.Fatal(err)
				}
			}
			if row != want.Rows() || (empty > 0) != (n > 8) {
				t.Fatalf("%d shards have %d rows; %d are empty", n, row, empty)
			}
			got := fmt.Sprint(m.Rows, m.Cols, m.Nonzeros, m.Labels, m.Values, m.Columns)
			if values == "" {
				values = got
			}
			if got != values {
				t.Errorf("%s in %d shards: the statistics are\n%s\nwant\n%s", name, n, got, values)
			}
		}
	}
}

// The statistics are those of the rows.
func TestStatistics(t *testing.T) {
	m := split(t, write(t, "a.svm", "1 1:3 2:4\n-1 1:1\n-1 2:-2\n1 1:1 3:2\n"), 2)
	v := m.Values
	if v.MaxAbs != 4 || v.MaxSquare != 25 || v.MeanSquare != 35./4 ||
		v.Lengths != [3]float64{1, 5, 25} || v.Used != 3 || m.Nonzeros != 6 {
		t.Errorf("%+v", v)
	}
	l := m.Labels
	if !slices.Equal(l.Classes, []float32{-1, 1}) || !slices.Equal(l.Count, []int{2, 2}) ||
		l.Mean != 0 || l.Deviation != 1 || l.MaxAbs != 1 {
		t.Errorf("%+v", l)
	}
	if u := v.Scaled["unit"]; u.MaxSquare < 0.999 || u.MaxSquare > 1.001 || u.MeanSquare < 0.999 {
		t.Errorf("rows of length 1: %+v", u)
	}
	// Of standardised columns the mean of the squares is 1 each.
	if s := v.Scaled["standard"]; s.MeanSquare < 2.999 || s.MeanSquare > 3.001 {
		t.Errorf("standardised rows: %+v", s)
	}
	if s := v.Scaled["max-abs"]; s.MaxAbs != 1 || s.MaxSquare != 2 {
		t.Errorf("rows by their largest magnitudes: %+v", s)
	}
	c, err := m.ReadColumns()
	if err != nil || !slices.Equal(c.MaxAbs, []float32{3, 4, 2}) ||
		!slices.Equal(c.Mean, []float64{1.25, 0.5, 0.5}) {
		t.Errorf("%+v, %v", c, err)
	}
}

// A file that the manifest does not mean is refused, whatever is wrong with it.
func TestForeignShards(t *testing.T) {
	m := split(t, digits(t, "digits.svm"), 3)
	other := split(t, digits(t, "digits.svm"), 4)
	path := m.Path(1)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := os.ReadFile(other.Path(1))
	if err != nil {
		t.Fatal(err)
	}
	middle := bytes.Clone(good)
	middle[len(middle)/2] ^= 1
	for name, data := range map[string][]byte{
		"cut": good[:len(good)-1], "empty": nil, "longer": append(bytes.Clone(good), 0),
		"another": foreign, "damaged": middle,
	} {
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		part, err := m.Open(1)
		if name == "damaged" { // found when the row is visited
			if err != nil {
				t.Fatal(err)
			}
			for i := range part.Set.Rows() {
				part.Set.Examples().SumSquares(i)
			}
			if part.Set.Err() == nil {
				t.Error("damage in the middle was not found")
			}
			part.Close()
			err = m.Verify(1)
		}
		if err == nil || !strings.Contains(err.Error(), "another file") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Open(1); !os.IsNotExist(err) {
		t.Errorf("missing: %v", err)
	}
}

// Manifests that were written by another hand are refused, not believed.
func TestBadManifests(t *testing.T) {
	m := split(t, digits(t, "digits.svm"), 2)
	path := filepath.Join(filepath.Dir(m.Path(0)), "manifest.json")
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, edit := range [][2]string{
		{`"version": 1`, `"version": 2`}, {`"rows": 1797`, `"rows": 1796`},
		{`"cols": 64`, `"cols": 0`}, {`"first": 0`, `"first": 1`},
		{`shard-00001.pgsm`, `../shard-00001.pgsm`}, {`"layout": "dense"`, `"layout": "other"`},
		{`"max_abs": 16`, `"max_abs": -1`}, {`"sha256": "`, `"sha256": "x`},
		{`"rows"`, `"rovs"`}, {`"deviation"`, `"mean"`},
	} {
		bad := bytes.Replace(good, []byte(edit[0]), []byte(edit[1]), 1)
		if bytes.Equal(bad, good) {
			t.Fatalf("there is no %s", edit[0])
		}
		if err := os.WriteFile(path, bad, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := shards.Read(path); err == nil {
			t.Errorf("%s was believed", edit[1])
		}
	}
}

// What is no folder of shards is not written to without being asked.
func TestReplaceable(t *testing.T) {
	m := split(t, digits(t, "digits.svm"), 2)
	for dir, want := range map[string]bool{
		filepath.Dir(m.Path(0)):                 true,
		t.TempDir():                             true,
		filepath.Join(t.TempDir(), "new"):       true,
		filepath.Dir(write(t, "photo.jpg", "")): false,
	} {
		if err := shards.Replaceable(dir); (err == nil) != want {
			t.Errorf("%v", err)
		}
	}
}

// What has to be held in memory is refused if it may take too much, with the way out; svmlight text
// and .pgsm are not.
func TestMaxMemory(t *testing.T) {
	text := digits(t, "digits.svm")
	for path, want := range map[string]bool{
		text: false, split(t, text, 1).Path(0): false, digits(t, "digits.csv"): true,
	} {
		_, err := shards.Split(path, t.TempDir(), shards.Options{Shards: 2, MaxMemory: 100_000})
		refused := err != nil && strings.Contains(err.Error(), "pegasimd convert")
		if refused != want || err != nil && !refused {
			t.Errorf("%s: %v", path, err)
		}
	}
}
