package dataset

import (
	"math"
	"strings"
	"testing"
)

func TestData(t *testing.T) {
	for _, c := range []struct {
		name            string
		rows, cols, nnz int
		positive        int // labels above 0; -1: not checked
		layout          Layout
	}{
		{"a9a/a9a.svm.gz", 32561, 123, 451592, 7841, LayoutSparse},
		{"a9a/a9a.t.svm.gz", 16281, 122, 225731, 3846, LayoutSparse},
		{"abalone/abalone_scale.svm.gz", 4177, 8, 32080, -1, LayoutDense},
		{"cal_housing/cal_housing.svm.gz", 20640, 8, 165120, -1, LayoutDense},
		{"covtype20k/covtype20k.binary.svm.gz", 20000, 54, 235108, 6022, LayoutSparse},
		{"covtype20k/covtype20k.multi.svm.gz", 20000, 54, 235108, -1, LayoutSparse},
		{"digits/digits.csv.gz", 1797, 64, -1, -1, LayoutDense},
		{"fashion-mnist/train-images-idx3-ubyte.gz,fashion-mnist/train-labels-idx1-ubyte.gz", 60000,
			784, 23423502, 54000, LayoutDense},
		{"fashion-mnist/t10k-images-idx3-ubyte.gz,fashion-mnist/t10k-labels-idx1-ubyte.gz", 10000,
			784, 3920817, 9000, LayoutDense},
		{"heart/heart_scale.svm.gz", 270, 13, 3378, 120, LayoutDense},
		{"imdb/imdb.tfidf.train.svm.gz", 25000, 28082, 3357810, 12500, LayoutSparse},
		{"imdb/imdb.tfidf.test.svm.gz", 25000, 28081, 3266366, 12500, LayoutSparse},
		{"letter/letter.scale.svm.gz", 15000, 16, 240000, -1, LayoutDense},
		{"letter/letter.scale.t.svm.gz", 5000, 16, 80000, -1, LayoutDense},
		{"mammography/mammography.svm.gz", 11183, 6, 67098, 260, LayoutDense},
		{"rcv1-small/rcv1.small.train.svm.gz", 1000, 47117, 77739, 459, LayoutSparse},
		{"rcv1-small/rcv1.small.test.svm.gz", 500, 47042, 39448, 245, LayoutSparse},
		{"reuters-moneyfx/reuters.moneyfx.train.svm.gz", 7770, 8315, 339837, 538, LayoutSparse},
		{"reuters-moneyfx/reuters.moneyfx.test.svm.gz", 3299, 8315, 136821, 179, LayoutSparse},
		{"reuters21578/reuters21578.corp.tfidf.train.svm.gz", 9603, 15543, 656260, 4511,
			LayoutSparse},
		{"reuters21578/reuters21578.corp.tfidf.test.svm.gz", 3299, 15543, 204053, 1803,
			LayoutSparse},
		{"sofia-demo/sofia.demo.train.svm.gz", 1000, 47697, 177741, 322, LayoutSparse},
		{"sofia-demo/sofia.demo.test.svm.gz", 1000, 109621, 177080, 314, LayoutSparse},
	} {
		var paths []string
		for name := range strings.SplitSeq(c.name, ",") {
			path, ok := data(t, name)
			if !ok {
				return
			}
			paths = append(paths, path)
		}
		s, err := Read(strings.Join(paths, ","), Options{})
		if err != nil {
			t.Error(err)
			continue
		}
		if s.Rows() != c.rows || s.Cols() != c.cols || c.nnz >= 0 && s.NNZ() != c.nnz ||
			s.Layout() != c.layout || s.IndexBase != 1 || s.Ignored != 0 {
			t.Errorf("%s: %d x %d, %d nonzeros, %s, base %d, %d ignored; want %d x %d, %d, %s, 1, 0",
				c.name, s.Rows(), s.Cols(), s.NNZ(), s.Layout(), s.IndexBase, s.Ignored, c.rows, c.cols,
				c.nnz, c.layout)
		}
		positive := 0
		for _, y := range s.Y {
			if y > 0 {
				positive++
			}
		}
		if c.positive >= 0 && positive != c.positive {
			t.Errorf("%s: %d positive, want %d", c.name, positive, c.positive)
		}
	}
}

func TestDataNorms(t *testing.T) {
	path, ok := data(t, "reuters21578/reuters21578.corp.tfidf.test.svm.gz")
	if !ok {
		return
	}
	s, err := Read(path, Options{Features: 15543})
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.Rows() {
		if n := s.Sparse.SumSquares(i); math.Abs(float64(n)-1) > 1e-3 {
			t.Fatalf("row %d: squared norm %v, want 1", i, n)
		}
	}
}
