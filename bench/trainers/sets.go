package main

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/sparse"
)

// A source is a line of sets.csv.
type source struct {
	name   string // for -sets
	timed  bool   // whether the tables of times show it when -sets is not given
	file   string // training files in PEGASIMD_DATA, separated by spaces, or ":" and a made set
	test   string // test files; may be empty
	change string // made to the rows: max-abs, unit, only A B, against A
}

// selected returns the sources whose names match one of the patterns, or, without patterns, the
// timed ones.
func selected(patterns string) (some []source, err error) {
	var names []string
	for _, row := range csvRows("sets.csv") {
		s := source{row[0], row[1] == "yes", row[2], row[3], row[4]}
		names = append(names, s.name)
		if matches(patterns, s.name) || patterns == "" && s.timed {
			some = append(some, s)
		}
	}
	if some == nil {
		err = fmt.Errorf("no set %q: there are %s", patterns, strings.Join(names, ", "))
	}
	return some, err
}

// matches reports whether one of the patterns, which commas separate, matches a name.
func matches(patterns, name string) bool {
	return slices.ContainsFunc(strings.Split(patterns, ","), func(pattern string) bool {
		ok, _ := path.Match(pattern, name)
		return ok
	})
}

// errAbsent says that a set is not on this machine.
var errAbsent = errors.New("not on this machine")

// A set is loaded. Both parts are sparse and have the same columns.
type set struct {
	source
	train, test *dataset.Set // test is nil if there are no test files
}

func (s source) open() (*set, error) {
	of := &set{source: s}
	var err error
	if of.train, err = s.part(s.file, 0); err == nil && s.test != "" {
		of.test, err = s.part(s.test, of.train.Cols())
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	return of, nil
}

// openSplit opens the set of a name. If it has no test rows, three rows of ten become its test
// rows.
func openSplit(name string) (*set, error) {
	some, err := selected(name)
	if err != nil {
		return nil, err
	}
	of, err := some[0].open()
	if err == nil && of.test == nil {
		all := of.train
		of.train = where(all, func(i int, _ float32) bool { return i%10 >= 3 })
		of.test = where(all, func(i int, _ float32) bool { return i%10 < 3 })
	}
	return of, err
}

// part reads a file or makes the set that it names. Columns from the given number on are left out,
// unless that is 0.
func (s source) part(file string, columns int) (of *dataset.Set, err error) {
	var rows, cols int
	root := os.Getenv("PEGASIMD_DATA")
	made, isMade := strings.CutPrefix(file, ":")
	kind, sizes, _ := strings.Cut(made, " ")
	fmt.Sscan(sizes, &rows, &cols)
	switch {
	case !isMade && root == "":
		return nil, fmt.Errorf("%w: PEGASIMD_DATA is not set", errAbsent)
	case !isMade:
		of, err = dataset.Read(filepath.Join(root, strings.ReplaceAll(file, " ", ","+root+"/")),
			dataset.Options{Features: columns})
	case kind == "digits":
		of, err = rescale(dataset.Digits(), scale.MaxAbs)
	case kind == "text":
		of = words(rows, cols)
	case kind == "outliers":
		of = outliers(rows, cols)
	default:
		err = fmt.Errorf("sets.csv: no made set %q", made)
	}
	if err == nil {
		of, err = changed(of, s.change)
	}
	if err != nil {
		return nil, err
	}
	return of.WithLayout(dataset.LayoutSparse)
}

// changed applies a change of sets.csv: max-abs scales the columns, unit the rows, "only A B" keeps
// the rows of two classes, "against A" makes one class 1 and the others -1.
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
		against(of, a)
	case "":
	default:
		return nil, fmt.Errorf("sets.csv: unknown change %q", change)
	}
	return of, nil
}

func (s *set) String() string {
	m := s.train.Sparse
	return fmt.Sprintf("%s, %d x %d, %.1f nonzeros a row", s.name, m.Rows(), m.Cols(),
		float64(m.NNZ())/float64(m.Rows()))
}

// rescale scales a set's columns, or rows.
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

// where returns the rows for which kept returns true.
func where(s *dataset.Set, kept func(i int, y float32) bool) *dataset.Set {
	var rows []int
	for i, y := range s.Y {
		if kept(i, y) {
			rows = append(rows, i)
		}
	}
	return s.Subset(rows)
}

// first returns the first rows.
func first(s *dataset.Set, rows int) *dataset.Set {
	return where(s, func(i int, _ float32) bool { return i < rows })
}

// against makes a class 1 and the others -1.
func against(s *dataset.Set, class float32) {
	for i, y := range s.Y {
		if s.Y[i] = -1; y == class {
			s.Y[i] = 1
		}
	}
}
