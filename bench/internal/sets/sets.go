// Package sets opens the data sets of sets.csv by name: files in the folder PEGASIMD_DATA, the
// embedded digits, and synthetic sets.
package sets

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/bench/internal/frame"
	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/sparse"
)

//go:embed sets.csv
var table string

type source struct {
	Name   string // for -sets
	timed  bool   // also without -sets
	file   string // training files, separated by spaces, or ":" and a synthetic set
	test   string // test files like file; empty for none
	change string // of the rows, see changed; empty for none
}

// Selected returns the sources that match one of the comma-separated patterns, or the timed sources
// if patterns is empty. A pattern that matches no source is an error.
func Selected(patterns string) (some []source, err error) {
	lines, err := frame.ReadLines(strings.NewReader(table))
	if err != nil {
		return nil, fmt.Errorf("sets.csv: %w", err)
	}
	var names []string
	for _, row := range lines {
		s := source{row[0], row[1] == "yes", row[2], row[3], row[4]}
		names = append(names, s.Name)
		if Matches(patterns, s.Name) || patterns == "" && s.timed {
			some = append(some, s)
		}
	}
	return some, CheckPatterns("set", patterns, names)
}

// Matches reports whether one of the comma-separated patterns matches name.
func Matches(patterns, name string) bool {
	return slices.ContainsFunc(strings.Split(patterns, ","), func(pattern string) bool {
		ok, _ := path.Match(pattern, name)
		return ok
	})
}

// CheckPatterns returns an error if one of the comma-separated patterns matches none of the names.
// An empty list is no error.
func CheckPatterns(kind, patterns string, names []string) error {
	for pattern := range strings.SplitSeq(patterns, ",") {
		matches := func(name string) bool { return Matches(pattern, name) }
		if patterns != "" && !slices.ContainsFunc(names, matches) {
			return fmt.Errorf("no %s matches %q; the %ss are %s", kind, pattern, kind,
				strings.Join(names, ", "))
		}
	}
	return nil
}

var ErrAbsent = errors.New("a file is missing")

// A Set is a source's rows. Train and Test are sparse, with the same columns.
type Set struct {
	source
	Train, Test *dataset.Set // Test is nil without test files
}

func (s source) Open() (*Set, error) {
	of := &Set{source: s}
	var err error
	if of.Train, err = s.part(s.file, 0); err == nil && s.test != "" {
		of.Test, err = s.part(s.test, of.Train.Cols())
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	return of, nil
}

// OpenSplit opens the first set that matches name. Without test rows, three of every ten training
// rows become test rows.
func OpenSplit(name string) (*Set, error) {
	some, err := Selected(name)
	if err != nil {
		return nil, err
	}
	of, err := some[0].Open()
	if err == nil && of.Test == nil {
		all := of.Train
		of.Train = where(all, func(i int, _ float32) bool { return i%10 >= 3 })
		of.Test = where(all, func(i int, _ float32) bool { return i%10 < 3 })
	}
	return of, err
}

// columns is dataset.Options.Features.
func (s source) part(file string, columns int) (of *dataset.Set, err error) {
	var rows, cols int
	root := os.Getenv("PEGASIMD_DATA")
	made, isMade := strings.CutPrefix(file, ":")
	kind, sizes, _ := strings.Cut(made, " ")
	fmt.Sscan(sizes, &rows, &cols)
	switch {
	case !isMade:
		of, err = dataset.Read(filepath.Join(root, strings.ReplaceAll(file, " ", ","+root+"/")),
			dataset.Options{Features: columns})
		if errors.Is(err, os.ErrNotExist) {
			hint := ""
			if root == "" {
				hint = ", and PEGASIMD_DATA does not name a folder of data sets"
			}
			err = fmt.Errorf("%w%s: %w", ErrAbsent, hint, err)
		}
	case kind == "digits":
		of, err = rescale(dataset.Digits(), scale.MaxAbs)
	case kind == "text":
		of = words(rows, cols)
	case kind == "outliers":
		of = outliers(rows, cols)
	default:
		err = fmt.Errorf("sets.csv: no synthetic set %q", made)
	}
	if err == nil {
		of, err = changed(of, s.change)
	}
	if err != nil {
		return nil, err
	}
	return of.WithLayout(dataset.LayoutSparse)
}

func changed(of *dataset.Set, change string) (*dataset.Set, error) {
	var a, b float32
	word, classes, _ := strings.Cut(change, " ")
	fmt.Sscan(classes, &a, &b)
	switch word {
	case "max-abs":
		return rescale(of, scale.MaxAbs)
	case "unit":
		return rescale(of, scale.Unit)
	case "only":
		return where(of, func(_ int, y float32) bool { return y == a || y == b }), nil
	case "against":
		Against(of, a)
	case "":
	default:
		return nil, fmt.Errorf("sets.csv: unknown change %q", change)
	}
	return of, nil
}

func (s *Set) String() string {
	m := s.Train.Sparse
	return fmt.Sprintf("%s, %d x %d, %.1f nonzeros a row", s.Name, m.Rows(), m.Cols(),
		float64(m.NNZ())/float64(m.Rows()))
}

func rescale(s *dataset.Set, kind scale.Kind) (*dataset.Set, error) {
	s, err := s.WithLayout(dataset.LayoutAuto)
	if err != nil {
		return nil, err
	}
	rows, never := store.Of(s.Examples()), func() bool { return false }
	columns := scale.Measure(rows, nil, kind == scale.Standard, 1, never)
	scaled, t := scale.Fit(kind, columns).Rows(rows, 1, never), *s
	t.Dense = scaled.Dense()
	t.Sparse, _ = scaled.Examples().(*sparse.Matrix)
	return &t, s.Err()
}

func where(s *dataset.Set, kept func(i int, y float32) bool) *dataset.Set {
	var rows []int
	for i, y := range s.Y {
		if kept(i, y) {
			rows = append(rows, i)
		}
	}
	return s.Subset(rows)
}

func First(s *dataset.Set, n int) *dataset.Set {
	return where(s, func(i int, _ float32) bool { return i < n })
}

func Against(s *dataset.Set, class float32) {
	for i, y := range s.Y {
		if s.Y[i] = -1; y == class {
			s.Y[i] = 1
		}
	}
}
