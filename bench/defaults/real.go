package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/pegasimd/pegasimd/dataset"
)

// realProblems returns those of PEGASIMD_DATA and those that scikit-learn ships.
func realProblems(python string) []problem {
	return []problem{
		file("a9a", true, false, "a9a/a9a.svm.gz", "a9a/a9a.t.svm.gz"),
		file("abalone", true, true, "abalone/abalone_scale.svm.gz", ""),
		file("cal_housing", false, true, "cal_housing/cal_housing.svm.gz", ""),
		file("covtype-binary", false, false, "covtype20k/covtype20k.binary.svm.gz", ""),
		file("covtype", false, false, "covtype20k/covtype20k.multi.svm.gz", ""),
		fashion("fashion", 8000, nil),
		fashion("fashion-2-6", 0, []float32{2, 6}),
		file("heart", true, false, "heart/heart_scale.svm.gz", ""),
		file("imdb", true, false, "imdb/imdb.tfidf.train.svm.gz", "imdb/imdb.tfidf.test.svm.gz"),
		file("letter", true, false, "letter/letter.scale.svm.gz", "letter/letter.scale.t.svm.gz"),
		file("mammography", true, false, "mammography/mammography.svm.gz", ""),
		file("rcv1-small", true, false, "rcv1-small/rcv1.small.train.svm.gz",
			"rcv1-small/rcv1.small.test.svm.gz"),
		file("money-fx", true, false, "reuters-moneyfx/reuters.moneyfx.train.svm.gz",
			"reuters-moneyfx/reuters.moneyfx.test.svm.gz"),
		file("reuters-corporate", true, false, "reuters21578/reuters21578.corp.tfidf.train.svm.gz",
			"reuters21578/reuters21578.corp.tfidf.test.svm.gz"),
		file("sofia", true, false, "sofia-demo/sofia.demo.train.svm.gz",
			"sofia-demo/sofia.demo.test.svm.gz"),
		shipped(python, "iris", false, false),
		shipped(python, "wine", false, false),
		shipped(python, "breast_cancer", false, false),
		shipped(python, "digits", false, false),
		shipped(python, "diabetes", false, true),
		shipped(python, "linnerud", false, true),
	}
}

// errAbsent says that a set is not on this machine.
var errAbsent = errors.New("not on this machine")

func read(name string) (*dataset.Set, error) {
	root := os.Getenv("PEGASIMD_DATA")
	if root == "" {
		return nil, fmt.Errorf("%w: PEGASIMD_DATA is not set", errAbsent)
	}
	return dataset.Read(filepath.Join(root, name),
		dataset.Options{Layout: dataset.LayoutSparse})
}

func file(name string, scaled, numbers bool, train, test string) problem {
	return problem{name: name, scaled: scaled, numbers: numbers,
		load: func() (*table, *table, error) {
			a, err := read(train)
			if err != nil || test == "" {
				return fromSet(a), nil, err
			}
			b, err := read(test)
			return fromSet(a), fromSet(b), err
		}}
}

// fashion has the first rows of Fashion-MNIST, or those of some classes, with pixels from 0 to 1.
func fashion(name string, rows int, classes []float32) problem {
	return problem{name: name, load: func() (train, test *table, err error) {
		var of [2]*table
		for k, part := range []string{"train", "t10k"} {
			images := "fashion-mnist/" + part + "-images-idx3-ubyte.gz"
			labels := filepath.Join(os.Getenv("PEGASIMD_DATA"),
				"fashion-mnist/"+part+"-labels-idx1-ubyte.gz")
			s, err := read(images + "," + labels)
			if err != nil {
				return nil, nil, err
			}
			of[k] = fromSet(s).of(classes)
		}
		if rows > 0 {
			of[0].x, of[0].y = of[0].x[:rows], of[0].y[:rows]
		}
		return of[0], of[1], nil
	}}
}

// of keeps the rows of some classes, or all if none is named.
func (t *table) of(classes []float32) *table {
	if classes == nil {
		return t
	}
	var rows []int
	for i, y := range t.y {
		for _, c := range classes {
			if y == float64(c) {
				rows = append(rows, i)
			}
		}
	}
	return t.subset(rows)
}

// shipped is a set of scikit-learn's, written to the user's cache by shipped.py.
func shipped(python, name string, scaled, numbers bool) problem {
	return problem{name: name, scaled: scaled, numbers: numbers,
		load: func() (*table, *table, error) {
			if python == "" {
				return nil, nil, fmt.Errorf("%w: it comes with scikit-learn", errAbsent)
			}
			cache, err := os.UserCacheDir()
			if err != nil {
				return nil, nil, err
			}
			dir := filepath.Join(cache, "pegasimd", "defaults")
			path := filepath.Join(dir, name+".svm")
			if _, err := os.Stat(path); err != nil {
				if err := os.MkdirAll(dir, 0o777); err != nil {
					return nil, nil, err
				}
				if out, err := exec.Command(python, "-c", shippedScript, dir).
					CombinedOutput(); err != nil {
					return nil, nil, fmt.Errorf("%w: %s", err, out)
				}
			}
			s, err := dataset.Read(path, dataset.Options{Layout: dataset.LayoutSparse})
			return fromSet(s), nil, err
		}}
}

func fromSet(s *dataset.Set) *table {
	if s == nil {
		return nil
	}
	t := &table{features: s.Cols()}
	for i := range s.Rows() {
		idx, val := s.Sparse.Row(i)
		row := make([]feature, len(idx))
		for k, j := range idx {
			row[k] = feature{int(j), float64(val[k])}
		}
		t.x = append(t.x, row)
		t.y = append(t.y, float64(s.Y[i]))
	}
	return t
}
