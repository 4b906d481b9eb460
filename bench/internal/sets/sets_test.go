package sets

import (
	"errors"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/dense"
)

func TestSplit(t *testing.T) {
	of, err := OpenSplit("digits")
	if err != nil {
		t.Fatal(err)
	}
	if a, b := of.Train.Rows(), of.Test.Rows(); a != 1257 || b != 540 {
		t.Errorf("%d training and %d test rows, want 1257 and 540", a, b)
	}
}

func TestMade(t *testing.T) {
	for name, make := range map[string]func() *dataset.Set{
		"outliers": func() *dataset.Set { return outliers(5000, 30) },
		"words":    func() *dataset.Set { return words(500, 800) },
	} {
		a, b, long, zeros := make(), make(), 0, 0
		same := slices.Equal(a.Y, b.Y)
		for i := range a.Rows() {
			idx, val := a.Sparse.Row(i)
			idx2, val2 := b.Sparse.Row(i)
			same = same && slices.Equal(idx, idx2) && slices.Equal(val, val2)
			if dense.Norm(val) > 200 {
				long++
			}
			zeros += a.Cols() - len(val)
		}
		if n := len(slices.Compact(slices.Sorted(slices.Values(a.Y)))); !same || n != 2 {
			t.Errorf("%s: generated equally: %v, %d classes", name, same, n)
		}
		if name == "outliers" && (long < 25 || long > 75 || zeros > 0) ||
			name == "words" && zeros < 300_000 {
			t.Errorf("%s: %d long rows, %d zeros", name, long, zeros)
		}
	}
}

func TestAbsent(t *testing.T) {
	for _, folder := range []string{"", t.TempDir()} {
		t.Setenv("PEGASIMD_DATA", folder)
		for _, name := range []string{"a9a", "fashion"} {
			if _, err := OpenSplit(name); !errors.Is(err, ErrAbsent) {
				t.Errorf("folder %q, %s: error %v, want ErrAbsent", folder, name, err)
			}
		}
	}
}

func TestSources(t *testing.T) {
	t.Setenv("PEGASIMD_DATA", "")
	all, err := Selected("*")
	if err != nil || len(all) < 15 {
		t.Fatalf("%d sets: %v", len(all), err)
	}
	for _, s := range all {
		if testing.Short() && s.Name == "text" {
			continue
		}
		if of, err := s.Open(); err != nil && !errors.Is(err, ErrAbsent) {
			t.Errorf("%s: %v", s.Name, err)
		} else if err == nil && of.Train.Rows() < 1000 {
			t.Errorf("%v: want 1000 rows or more", of)
		}
	}
}

func TestPatterns(t *testing.T) {
	if some, err := Selected("digits,a9?"); err != nil || len(some) != 2 {
		t.Errorf("%d sets: %v", len(some), err)
	}
	for _, patterns := range []string{"none", "digits,none", "digits,"} {
		if some, err := Selected(patterns); err == nil {
			t.Errorf("%q selects %d sets without an error", patterns, len(some))
		}
	}
}
