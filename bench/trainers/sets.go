package main

import (
	"errors"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/sparse"
)

// A source describes a data set.
type source struct {
	name   string // for -sets
	file   string // training files in the folder PEGASIMD_DATA, separated by spaces
	test   string // test files; without them, some of the training rows are for testing
	use    use
	change func(*dataset.Set) (*dataset.Set, error)
	load   func() (*dataset.Set, error) // in place of file
}

// use says which tables show a set when -sets is not given, and in which groups.
type use int

const (
	timed    use = 1 << iota // time to an objective
	accurate                 // -defaults
	scaled                   // columns or rows have one scale
	numbers                  // regression
	made                     // by a recipe
)

var uses = map[string]use{"timed": timed, "accurate": accurate, "scaled": scaled, "numbers": numbers,
	"made": made}

// sources returns all sets: those of sets.csv and then the made ones. In place of a file, sets.csv
// may name a way to load the rows, after a colon.
func sources() (all []source) {
	for _, row := range csvRows("sets.csv") {
		s := source{name: row[0], file: row[2], test: row[3], change: changeOf(row[4])}
		for _, word := range strings.Fields(row[1]) {
			if uses[word] == 0 {
				log.Fatalf("sets.csv: %s: unknown use %q", s.name, word)
			}
			s.use |= uses[word]
		}
		switch {
		case s.file == ":digits":
			s.load = func() (*dataset.Set, error) { return dataset.Digits(), nil }
		case s.file == ":digits-scaled":
			s.load = func() (*dataset.Set, error) { return maxAbs(dataset.Digits()) }
		case s.file == ":scikit-learn":
			s.load = shipped(s.name)
		case s.file == ":recipe":
			s.load = recipes[slices.IndexFunc(recipes, func(r *recipe) bool {
				return r.Timed && r.Name == s.name
			})].timed
		case strings.HasPrefix(s.file, ":"):
			log.Fatalf("sets.csv: %s: no way to load %q", s.name, s.file)
		}
		all = append(all, s)
	}
	return append(all, madeSources()...)
}

// changeOf returns the function that a change in sets.csv names: "max-abs" scales the columns,
// "only A B" keeps the rows of two classes, "against A" makes one class 1 and the others -1, and
// "first N" keeps the first rows.
func changeOf(text string) func(*dataset.Set) (*dataset.Set, error) {
	words := strings.Fields(text)
	var n []float32
	for _, word := range words[min(1, len(words)):] {
		v, err := strconv.ParseFloat(word, 32)
		if err != nil {
			log.Fatalf("sets.csv: change %q: %v", text, err)
		}
		n = append(n, float32(v))
	}
	switch {
	case text == "":
		return nil
	case text == "max-abs":
		return maxAbs
	case words[0] == "only":
		return where(func(_ int, y float32) bool { return slices.Contains(n, y) })
	case words[0] == "against" && len(n) == 1:
		return against(n[0])
	case words[0] == "first" && len(n) == 1:
		return first(int(n[0]))
	}
	log.Fatalf("sets.csv: unknown change %q", text)
	return nil
}

// selected returns the sources whose names match one of the patterns, or, without patterns, the
// sources with the use byDefault.
func selected(patterns string, byDefault use) (some []source, err error) {
	all := sources()
	if patterns == "" {
		return slices.DeleteFunc(all, func(s source) bool { return s.use&byDefault == 0 }), nil
	}
	for _, pattern := range strings.Split(patterns, ",") {
		found := false
		for _, s := range all {
			if ok, _ := path.Match(pattern, s.name); ok {
				found, some = true, append(some, s)
			}
		}
		if !found {
			var names []string
			for _, s := range all {
				names = append(names, s.name)
			}
			return nil, fmt.Errorf("no set %q: there are %s", pattern, strings.Join(names, ", "))
		}
	}
	return some, nil
}

// errAbsent says that a set is not on this machine.
var errAbsent = errors.New("not on this machine")

// A set is loaded. Both parts are sparse and have the same columns.
type set struct {
	source
	train, test *dataset.Set // test is nil if it was not separate
}

func (s source) open() (*set, error) {
	train, err := s.part(s.file, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	opened := &set{source: s, train: train}
	if s.test == "" {
		return opened, nil
	}
	if opened.test, err = s.part(s.test, train.Cols()); err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	return opened, nil
}

// openNamed opens the set of a name.
func openNamed(name string) (*set, error) {
	some, err := selected(name, 0)
	if err != nil {
		return nil, err
	}
	return some[0].open()
}

// openSet opens the set of a name, with test rows.
func openSet(name string) (*set, error) {
	of, err := openNamed(name)
	if err == nil {
		of, _ = of.kept(0)
	}
	return of, err
}

// part reads a file, of which columns that training didn't have are left out.
func (s source) part(file string, columns int) (of *dataset.Set, err error) {
	if s.load != nil {
		of, err = s.load()
	} else {
		root := os.Getenv("PEGASIMD_DATA")
		if root == "" {
			return nil, fmt.Errorf("%w: PEGASIMD_DATA is not set", errAbsent)
		}
		of, err = dataset.Read(filepath.Join(root, strings.ReplaceAll(file, " ", ","+root+"/")),
			dataset.Options{Features: columns})
	}
	if err == nil && s.change != nil {
		of, err = s.change(of)
	}
	if err != nil {
		return nil, err
	}
	return of.WithLayout(dataset.LayoutSparse)
}

// fromRows makes a sparse set. row adds the nonzeros of a row, with ascending columns.
func fromRows(cols int, y []float32, row func(i int, add func(column int, v float32)),
) *dataset.Set {
	starts, indices, values := make([]int64, 1), []int32(nil), []float32(nil)
	for i := range y {
		row(i, func(j int, v float32) {
			indices, values = append(indices, int32(j)), append(values, v)
		})
		starts = append(starts, int64(len(values)))
	}
	m, err := sparse.NewShared(cols, starts, indices, values)
	if err != nil {
		panic(err) // the rows are of our own making
	}
	return &dataset.Set{Sparse: m, Y: y, IndexBase: 1}
}

// kept divides a set without test rows by a seed: 70 % of the rows of each class are for training,
// and at least one for each side of a class of two rows or more. Rows with numbers are of one
// class. It also returns which rows the test rows were.
func (s *set) kept(seed int) (*set, []int) {
	if s.test != nil {
		rows := make([]int, s.test.Rows())
		for i := range rows {
			rows[i] = i
		}
		return s, rows
	}
	y, tests := s.train.Y, map[float32]int{} // of each class
	class := func(i int) float32 {
		if s.use&numbers != 0 {
			return 0
		}
		return y[i]
	}
	for i := range y {
		tests[class(i)]++
	}
	for c, n := range tests {
		tests[c] = max((3*n+5)/10, min(n-1, 1))
	}
	var a, b []int
	for _, i := range rand.New(rand.NewPCG(uint64(seed), 0x70)).Perm(len(y)) {
		if tests[class(i)]--; tests[class(i)] >= 0 {
			b = append(b, i)
		} else {
			a = append(a, i)
		}
	}
	return &set{s.source, s.train.Subset(a), s.train.Subset(b)}, b
}

func (s *set) String() string {
	m := s.train.Sparse
	return fmt.Sprintf("%s, %d x %d, %.1f nonzeros a row", s.name, m.Rows(), m.Cols(),
		float64(m.NNZ())/float64(m.Rows()))
}

// maxAbs divides the columns by their largest magnitudes.
func maxAbs(s *dataset.Set) (*dataset.Set, error) { return rescale(s, scale.MaxAbs) }

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

// where keeps some of the rows.
func where(kept func(i int, y float32) bool) func(*dataset.Set) (*dataset.Set, error) {
	return func(s *dataset.Set) (*dataset.Set, error) {
		var rows []int
		for i, y := range s.Y {
			if kept(i, y) {
				rows = append(rows, i)
			}
		}
		return s.Subset(rows), nil
	}
}

func first(rows int) func(*dataset.Set) (*dataset.Set, error) {
	return where(func(i int, _ float32) bool { return i < rows })
}

// against makes a class 1 and the others -1.
func against(class float32) func(*dataset.Set) (*dataset.Set, error) {
	return func(s *dataset.Set) (*dataset.Set, error) {
		for i, y := range s.Y {
			if s.Y[i] = -1; y == class {
				s.Y[i] = 1
			}
		}
		return s, nil
	}
}

// shipped is a set that scikit-learn has, kept as text in the user's cache.
func shipped(name string) func() (*dataset.Set, error) {
	return func() (*dataset.Set, error) {
		cache, err := os.UserCacheDir()
		if err != nil {
			return nil, err
		}
		dir := filepath.Join(cache, "pegasimd-trainers")
		file := filepath.Join(dir, name+".svm")
		if _, err := os.Stat(file); err != nil {
			text, _ := peerSources.ReadFile("peers/scikit.py")
			if err := os.MkdirAll(dir, 0o777); err != nil {
				return nil, err
			}
			out, err := exec.Command(python, "-c", string(text), "-shipped", dir).CombinedOutput()
			if err != nil {
				return nil, fmt.Errorf("%w: it comes with scikit-learn: %w: %s", errAbsent, err, out)
			}
		}
		return dataset.Read(file, dataset.Options{})
	}
}
