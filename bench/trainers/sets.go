package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/sparse"
)

// A source is a data set that may be had.
type source struct {
	name   string // what -sets selects
	file   string // of training rows, in the folder PEGASIMD_DATA, or how they are made
	test   string // file of test rows; none: some of the others are for testing
	use    use
	change func(*dataset.Set) (*dataset.Set, error)
	load   func() (*dataset.Set, error) // in place of a file
}

// use says what a set is used for where -sets doesn't say.
type use int

const (
	timed    use = 1 << iota // the time to an objective
	accurate                 // -defaults
	scaled                   // its columns, or rows, were brought to one scale before
	numbers                  // to predict; else classes
	made                     // by a generator
)

const (
	images     = "fashion-mnist/train-images-idx3-ubyte.gz,fashion-mnist/train-labels-idx1-ubyte.gz"
	testImages = "fashion-mnist/t10k-images-idx3-ubyte.gz,fashion-mnist/t10k-labels-idx1-ubyte.gz"
	covtype    = "covtype20k/covtype20k.binary.svm.gz"
)

// sources returns all sets.
func sources() []source {
	all := []source{
		{name: "a9a", file: "a9a/a9a.svm.gz", test: "a9a/a9a.t.svm.gz",
			use: timed | accurate | scaled},
		{name: "imdb", file: "imdb/imdb.tfidf.train.svm.gz", test: "imdb/imdb.tfidf.test.svm.gz",
			use: timed | accurate | scaled},
		{name: "money-fx", file: "reuters-moneyfx/reuters.moneyfx.train.svm.gz",
			test: "reuters-moneyfx/reuters.moneyfx.test.svm.gz", use: timed | accurate | scaled},
		{name: "corporate", file: "reuters21578/reuters21578.corp.tfidf.train.svm.gz",
			test: "reuters21578/reuters21578.corp.tfidf.test.svm.gz",
			use:  timed | accurate | scaled},
		{name: "rcv1-small", file: "rcv1-small/rcv1.small.train.svm.gz",
			test: "rcv1-small/rcv1.small.test.svm.gz", use: timed | accurate | scaled},
		{name: "covtype-scaled", file: covtype, use: timed, change: largestOne},
		{name: "fashion-2-6", file: images, test: testImages, use: timed | accurate,
			change: where(func(_ int, y float32) bool { return y == 2 || y == 6 })},
		{name: "shirts", file: images, test: testImages, change: against(6)},
		{name: "digits-8", load: digits, use: timed, change: against(8)},
		{name: "digits-scaled", load: digits},
		{name: "digits", load: func() (*dataset.Set, error) { return dataset.Digits(), nil },
			use: accurate},
		{name: "text", use: timed | made, load: func() (*dataset.Set, error) {
			return words(rand.New(rand.NewPCG(1, 2)), 200_000, 47_236, 2, true)
		}},
		{name: "outliers", use: timed | made, load: recipe{rows: 50_000, cols: 30, classes: 2,
			noise: .5, outliers: true}.timed()},
		{name: "dense", use: made, load: recipe{rows: 200_000, cols: 54, classes: 2, noise: .5,
			factors: 6, common: .5}.timed()},
		{name: "covtype-binary", file: covtype, use: accurate},
		{name: "covtype", file: "covtype20k/covtype20k.multi.svm.gz", use: accurate},
		{name: "fashion", file: images, test: testImages},
		{name: "fashion-8000", file: images, test: testImages, use: accurate, change: first(8000)},
		{name: "letter", file: "letter/letter.scale.svm.gz", test: "letter/letter.scale.t.svm.gz",
			use: accurate | scaled},
		{name: "mammography", file: "mammography/mammography.svm.gz", use: accurate | scaled},
		{name: "heart", file: "heart/heart_scale.svm.gz", use: accurate | scaled},
		{name: "sofia", file: "sofia-demo/sofia.demo.train.svm.gz",
			test: "sofia-demo/sofia.demo.test.svm.gz", use: accurate | scaled},
		{name: "abalone", file: "abalone/abalone_scale.svm.gz", use: accurate | scaled | numbers},
		{name: "cal_housing", file: "cal_housing/cal_housing.svm.gz", use: accurate | numbers},
	}
	for _, name := range []string{"iris", "wine", "breast_cancer"} {
		all = append(all, source{name: name, load: shipped(name), use: accurate})
	}
	for _, name := range []string{"diabetes", "linnerud"} {
		all = append(all, source{name: name, load: shipped(name), use: accurate | numbers})
	}
	return append(all, madeSources()...)
}

// selected returns the sources whose names match one of the patterns, or, without patterns, those
// of the default use.
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
		of, err = dataset.Read(filepath.Join(root, strings.ReplaceAll(file, ",", ","+root+"/")),
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

// largestOne divides the columns by their largest magnitudes.
func largestOne(s *dataset.Set) (*dataset.Set, error) { return rescale(s, scale.MaxAbs) }

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

// digits are the embedded ones, with columns from 0 to 1.
func digits() (*dataset.Set, error) { return largestOne(dataset.Digits()) }

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
