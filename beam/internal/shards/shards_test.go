package shards_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/beam/internal/shards"
	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/train/rounds"
)

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func digits(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if filepath.Ext(name) == ".pgsm" {
		err = dataset.WritePGSM(f, dataset.Digits())
	} else {
		err = dataset.WriteSvmlight(f, dataset.Digits())
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func split(t *testing.T, path string, n int) *shards.Manifest {
	t.Helper()
	m, err := shards.Split(path, filepath.Join(t.TempDir(), "shards"), shards.Options{Shards: n})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The statistics depend neither on the format of the data nor on the number of shards.
func TestSplit(t *testing.T) {
	want := dataset.Digits()
	var values string
	for _, name := range []string{"digits.svm", "digits.pgsm"} {
		path := digits(t, name)
		for _, n := range []int{1, 3, 8, 20} {
			m := split(t, path, n)
			row, empty := 0, 0
			for i, s := range m.Shards {
				part, err := m.Open(i)
				if err != nil {
					t.Fatal(err)
				}
				if part.First != row || part.Rows() != s.Rows ||
					s.Rows > 0 && part.First%rounds.Block != 0 {
					t.Fatalf("shard %d begins at row %d, want %d", i, part.First, row)
				}
				if s.Rows == 0 {
					empty++
				}
				for k := range part.Rows() {
					if part.Y[k] != want.Y[row] ||
						!slices.Equal(part.Dense.Row(k), want.Dense.Row(row)) {
						t.Fatalf("%s: row %d differs in shard %d of %d", name, row, i, n)
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
			got := fmt.Sprint(m.Rows, m.Cols, m.Nonzeros, m.Classes, m.Count, m.Values, m.Columns)
			if values == "" {
				values = got
			}
			if got != values {
				t.Errorf("%s in %d shards: the statistics are\n%s\nwant\n%s", name, n, got, values)
			}
		}
	}
}

// The statistics are computed by hand.
func TestStatistics(t *testing.T) {
	m := split(t, write(t, "a.svm", "1 1:3 2:4\n-1 1:1\n-1 2:-2\n1 1:1 3:2\n"), 2)
	v := m.Values
	if v.MaxSquare != 25 || v.MeanSquare != 35./4 ||
		v.Lengths != [3]float64{1, 5, 25} || m.Nonzeros != 6 {
		t.Errorf("%+v", v)
	}
	if !slices.Equal(m.Classes, []float32{-1, 1}) || !slices.Equal(m.Count, []int{2, 2}) {
		t.Errorf("%v, %v", m.Classes, m.Count)
	}
	if u := v.Scaled["unit"]; u.MaxSquare < 0.999 || u.MaxSquare > 1.001 || u.MeanSquare < 0.999 {
		t.Errorf("rows of length 1: %+v", u)
	}
	// In standardized columns the mean square is 1.
	if s := v.Scaled["standard"]; s.MeanSquare < 2.999 || s.MeanSquare > 3.001 {
		t.Errorf("standardized rows: %+v", s)
	}
	if s := v.Scaled["max-abs"]; s.MaxSquare != 2 {
		t.Errorf("rows by their largest magnitudes: %+v", s)
	}
	c, err := m.Statistics()
	if err != nil || !slices.Equal(c.MaxAbs, []float32{3, 4, 2}) ||
		!slices.Equal(c.Mean, []float64{1.25, 0.5, 0.5}) {
		t.Errorf("%+v, %v", c, err)
	}
}

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
		_, err := m.Open(1)
		if err == nil || !strings.Contains(err.Error(), "manifest beside it") {
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

// Models copy some fields of manifests.
func TestBadManifests(t *testing.T) {
	m := split(t, digits(t, "digits.svm"), 2)
	path := filepath.Join(filepath.Dir(m.Path(0)), "manifest.json")
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const base = `"index_base": 1`
	for _, edit := range [][3]string{
		{`"version": 2`, `"version": 1`, "version is 1"},
		{`"version": 2`, `"version": null`, "no version"},
		{`"rows": 1797`, `"rows": 1796`, "rows"},
		{`"cols": 64`, `"cols": 0`, "cols 0,"},
		{`"layout": "dense"`, `"layout": "other"`, "layout"},
		{`"max_square": `, `"max_square": -`, "squared row lengths"},
		{`"rows"`, `"rovs"`, "rovs"},
		{base, `"index_base": 7`, "index base"},
		{base, base + `, "hash_bits": 60`, "hash_bits 60, cols 64:"},
		{base, base + `, "hash_bits": -1`, "hash_bits -1"},
		{base, base + `, "hash_bits": 7`, "hash_bits 7"},
		{base, base + `, "names": ["a","b","c","d","e","f","g","h","i","j","k"]`, "11 names for 10"},
		{base, base + `, "table": {"columns": ["a", "b", "c", "d", "e"]}`, "table"},
		{`"count": [`, `"count": [1,`, "class"},
	} {
		bad := bytes.Replace(good, []byte(edit[0]), []byte(edit[1]), 1)
		if bytes.Equal(bad, good) {
			t.Fatalf("there is no %s", edit[0])
		}
		if err := os.WriteFile(path, bad, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := shards.Read(path); err == nil || !strings.Contains(err.Error(), edit[2]) {
			t.Errorf("%s: %v, want %q", edit[1], err, edit[2])
		}
	}
}

// Split removes the shards of an earlier manifest that the new manifest does not list, but no other
// files.
func TestFolders(t *testing.T) {
	data := digits(t, "digits.svm")
	for dir, want := range map[string]bool{
		t.TempDir():                             true,
		filepath.Join(t.TempDir(), "new"):       true,
		filepath.Dir(write(t, "photo.jpg", "")): false,
	} {
		if _, err := shards.Split(data, dir, shards.Options{Shards: 9}); (err == nil) != want {
			t.Errorf("%v", err)
		}
		note := filepath.Join(dir, "shard-00007.pgsm.txt")
		if err := os.WriteFile(note, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := shards.Split(data, dir, shards.Options{Shards: 2, Force: !want})
		if err != nil {
			t.Error(err)
		}
		found, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil || len(found) != 5 && want || len(found) != 6 && !want {
			t.Errorf("%v, %v", found, err)
		}
	}
}

// Names that no row has are left out.
func TestNames(t *testing.T) {
	set, err := dataset.Read(write(t, "a.csv", "1,a\n2,b\n3,c\n4,c\n"), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "some.pgsm")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := dataset.WritePGSM(f, set.Subset([]int{0, 2, 3})); err != nil {
		t.Fatal(err)
	}
	m := split(t, path, 2)
	if !slices.Equal(m.Names, []string{"a", "c"}) || !slices.Equal(m.Classes, []float32{0, 2}) {
		t.Errorf("%v, %v", m.Names, m.Classes)
	}
}

func TestOtherFormats(t *testing.T) {
	for path, want := range map[string]string{
		write(t, "a.csv", "1,2\n3,4\n"): "the format is csv: convert the file to .pgsm first",
		write(t, "a.jsonl.gz", ""):      "the format is jsonl: convert",
		write(t, "a.pgsm.gz", ""):       "a compressed .pgsm file: unpack it first",
		t.TempDir():                     "a folder: want a file",
		os.DevNull:                      "want a regular file",
	} {
		_, err := shards.Split(path, t.TempDir(), shards.Options{Shards: 2})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}
