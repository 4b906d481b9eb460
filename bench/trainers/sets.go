package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/pegasimd/pegasimd/bench/trainers/synthetic"
	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/sparse"
)

// A source is a data set that may be had.
type source struct {
	name    string // what -sets selects
	title   string
	lambdas []float64
	classes bool // more than two
	quick   bool // small enough for -quick
	real    bool // from PEGASIMD_DATA
	load    func(quick bool) (train, test *dataset.Set, err error)
}

var sources = []source{
	{name: "a9a", title: "a9a", lambdas: []float64{1e-4, 1e-5}, real: true,
		load: files("a9a/a9a.svm.gz", "a9a/a9a.t.svm.gz")},
	{name: "imdb", title: "IMDB", lambdas: []float64{1e-4}, real: true,
		load: files("imdb/imdb.tfidf.train.svm.gz", "imdb/imdb.tfidf.test.svm.gz")},
	{name: "moneyfx", title: "Reuters money-fx", lambdas: []float64{1e-4}, real: true,
		load: files("reuters-moneyfx/reuters.moneyfx.train.svm.gz",
			"reuters-moneyfx/reuters.moneyfx.test.svm.gz")},
	{name: "covtype20k", title: "covtype, 20,000 rows, columns scaled",
		lambdas: []float64{1e-4, 1e-6}, real: true, load: covtype},
	{name: "fashion26", title: "Fashion-MNIST, 2 against 6", lambdas: []float64{1e-4}, real: true,
		load: fashion26},
	{name: "synthetic", title: "synthetic text", lambdas: []float64{1e-4}, quick: true, load: text},
	{name: "digits8", title: "digits, 8 against the rest", lambdas: []float64{1e-3}, quick: true,
		load: digits8},
	{name: "digits", title: "digits", lambdas: []float64{1e-4}, classes: true, quick: true,
		load: digits},
	{name: "fashion", title: "Fashion-MNIST", lambdas: []float64{1e-4}, classes: true, real: true,
		load: fashion},
}

// A set is loaded. Both parts are sparse and have the same columns. Training rows are in a random
// order.
type set struct {
	source
	train, test *dataset.Set
	file        string // the training rows, for drivers
	testFile    string
	small       bool // for -quick: not the set of the references
}

// open loads the set and writes its files to dir.
func (s source) open(dir string, quick bool) (*set, error) {
	train, test, err := s.load(quick)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	order := rand.New(rand.NewPCG(1, 2)).Perm(train.Rows())
	opened := &set{source: s, train: train.Subset(order), test: test, small: quick}
	opened.file = filepath.Join(dir, s.name+".train")
	opened.testFile = filepath.Join(dir, s.name+".test")
	if err := writeRows(opened.file, opened.train); err != nil {
		return nil, err
	}
	return opened, writeRows(opened.testFile, test)
}

func (s *set) heading() string {
	m := s.train.Sparse
	return fmt.Sprintf("%s, %d x %d, %.1f nonzeros a row", s.title, m.Rows(), m.Cols(),
		float64(m.NNZ())/float64(m.Rows()))
}

func dataFile(name string) string { return filepath.Join(os.Getenv("PEGASIMD_DATA"), name) }

func read(name string, features int) (*dataset.Set, error) {
	return dataset.Read(dataFile(name), dataset.Options{Layout: dataset.LayoutSparse,
		Features: features})
}

func files(train, test string) func(bool) (*dataset.Set, *dataset.Set, error) {
	return func(bool) (*dataset.Set, *dataset.Set, error) {
		a, err := read(train, 0)
		if err != nil {
			return nil, nil, err
		}
		b, err := read(test, a.Cols())
		return a, b, err
	}
}

// covtype divides the columns by their largest values and keeps a tenth of the rows for testing.
func covtype(bool) (train, test *dataset.Set, err error) {
	s, err := read("covtype20k/covtype20k.binary.svm.gz", 0)
	if err != nil {
		return nil, nil, err
	}
	largest := make([]float32, s.Cols())
	for i := range s.Rows() {
		idx, val := s.Sparse.Row(i)
		for k, j := range idx {
			largest[j] = max(largest[j], max(val[k], -val[k]))
		}
	}
	starts, indices, values := make([]int64, 1), []int32(nil), []float32(nil)
	for i := range s.Rows() {
		idx, val := s.Sparse.Row(i)
		for k, j := range idx {
			indices, values = append(indices, j), append(values, val[k]/largest[j])
		}
		starts = append(starts, int64(len(values)))
	}
	if s.Sparse, err = sparse.NewShared(s.Cols(), starts, indices, values); err != nil {
		return nil, nil, err
	}
	order := rand.New(rand.NewPCG(3, 4)).Perm(s.Rows())
	return s.Subset(order[2000:]), s.Subset(order[:2000]), nil
}

func fashion(bool) (train, test *dataset.Set, err error) {
	a, err := read("fashion-mnist/train-images-idx3-ubyte.gz,"+
		dataFile("fashion-mnist/train-labels-idx1-ubyte.gz"), 0)
	if err != nil {
		return nil, nil, err
	}
	b, err := read("fashion-mnist/t10k-images-idx3-ubyte.gz,"+
		dataFile("fashion-mnist/t10k-labels-idx1-ubyte.gz"), 0)
	return a, b, err
}

// fashion26 has pullovers as -1 and shirts as +1.
func fashion26(quick bool) (train, test *dataset.Set, err error) {
	if train, test, err = fashion(quick); err != nil {
		return nil, nil, err
	}
	return only(train, 2, 6), only(test, 2, 6), nil
}

func only(s *dataset.Set, negative, positive float32) *dataset.Set {
	var rows []int
	for i, y := range s.Y {
		if y == negative || y == positive {
			rows = append(rows, i)
		}
	}
	t := s.Subset(rows)
	signs(t, positive)
	return t
}

// signs makes the labels +1 where they are positive and -1 elsewhere.
func signs(s *dataset.Set, positive float32) {
	for i, y := range s.Y {
		s.Y[i] = -1
		if y == positive {
			s.Y[i] = 1
		}
	}
}

func digits(bool) (train, test *dataset.Set, err error) {
	train, test = dataset.DigitsSplit()
	if train, err = train.WithLayout(dataset.LayoutSparse); err != nil {
		return nil, nil, err
	}
	test, err = test.WithLayout(dataset.LayoutSparse)
	return train, test, err
}

func digits8(quick bool) (train, test *dataset.Set, err error) {
	if train, test, err = digits(quick); err != nil {
		return nil, nil, err
	}
	signs(train, 8)
	signs(test, 8)
	return train, test, nil
}

func text(quick bool) (train, test *dataset.Set, err error) {
	const seed = 1
	rows := synthetic.Rows
	if quick {
		rows /= 10
	}
	train, test = new(dataset.Set), new(dataset.Set)
	if train.Sparse, train.Y, err = synthetic.Text(seed, 0, rows, synthetic.Cols); err != nil {
		return nil, nil, err
	}
	test.Sparse, test.Y, err = synthetic.Text(seed, synthetic.Rows, synthetic.TestRows,
		synthetic.Cols)
	return train, test, err
}

// writeRows writes what peers/driver.h reads: rows, columns and nonzeros, where rows start,
// columns, values, labels; all little-endian.
func writeRows(name string, s *dataset.Set) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	starts := []int64{int64(s.Rows()), int64(s.Cols()), int64(s.NNZ()), 0}
	var indices []int32
	var values []float32
	for i := range s.Rows() {
		idx, val := s.Sparse.Row(i)
		indices, values = append(indices, idx...), append(values, val...)
		starts = append(starts, int64(len(values)))
	}
	for _, part := range []any{starts, indices, values, s.Y} {
		if err := binary.Write(w, binary.LittleEndian, part); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// readRows reads it again.
func readRows(name string) (*dataset.Set, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<20)
	var size [3]int64
	if err := binary.Read(r, binary.LittleEndian, &size); err != nil {
		return nil, err
	}
	starts := make([]int64, size[0]+1)
	indices, values := make([]int32, size[2]), make([]float32, size[2])
	s := &dataset.Set{Y: make([]float32, size[0])}
	for _, part := range []any{starts, indices, values, s.Y} {
		if err := binary.Read(r, binary.LittleEndian, part); err != nil {
			return nil, err
		}
	}
	s.Sparse, err = sparse.NewShared(int(size[1]), starts, indices, values)
	return s, err
}

// The functions below are the judge of all models: float64 from their weights on.

// score returns the product of row i and w.
func score(m *sparse.Matrix, i int, w []float64) (sum float64) {
	idx, val := m.Row(i)
	for k, j := range idx {
		sum += float64(val[k]) * w[j]
	}
	return sum
}

// objective returns lambda/2 |w|^2 and the mean hinge loss, added up.
func objective(s *dataset.Set, lambda float64, w []float64) float64 {
	var loss, squares float64
	for i, y := range s.Y {
		loss += max(0, 1-float64(y)*score(s.Sparse, i, w))
	}
	for _, v := range w {
		squares += v * v
	}
	return lambda/2*squares + loss/float64(s.Rows())
}

// accuracy returns the share of rows on the right side, in percent. A score of 0 counts as -1.
func accuracy(s *dataset.Set, w []float64) float64 {
	right := 0
	for i, y := range s.Y {
		if (score(s.Sparse, i, w) > 0) == (y > 0) {
			right++
		}
	}
	return 100 * float64(right) / float64(s.Rows())
}

// accuracyOfMany is that of a vector a class, of which the highest score wins, or of one for each
// pair of classes, the first class with each further one and so on, positive for the later. Pairs
// have a vote each; equal votes are settled by the sums of the scores, squashed to less than a
// vote, as scikit-learn does.
func accuracyOfMany(s *dataset.Set, vectors [][]float64, pairs bool) (float64, error) {
	classes := slices.Compact(slices.Sorted(slices.Values(s.Y)))
	n := len(classes)
	if want := map[bool]int{false: n, true: n * (n - 1) / 2}[pairs]; len(vectors) != want {
		return 0, fmt.Errorf("%d weight vectors for %d classes, want %d", len(vectors), n, want)
	}
	right := 0
	scores, votes, sums := make([]float64, n), make([]float64, n), make([]float64, n)
	for i, y := range s.Y {
		if !pairs {
			for k, w := range vectors {
				scores[k] = score(s.Sparse, i, w)
			}
		} else {
			clear(votes)
			clear(sums)
			pair := 0
			for a := range n {
				for b := a + 1; b < n; b++ {
					z := score(s.Sparse, i, vectors[pair])
					pair++
					sums[a] -= z
					sums[b] += z
					if z > 0 {
						votes[b]++
					} else {
						votes[a]++
					}
				}
			}
			for k := range n {
				scores[k] = votes[k] + sums[k]/(3*(math.Abs(sums[k])+1))
			}
		}
		best := 0
		for k, z := range scores {
			if z > scores[best] {
				best = k
			}
		}
		if classes[best] == y {
			right++
		}
	}
	return 100 * float64(right) / float64(s.Rows()), nil
}
