package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/pegasos"
)

// A problem is rows and a lambda.
type problem struct {
	name      string
	lambda    float64
	x         pegasos.Examples
	y         []float32
	hingeOnly bool
	alone     bool      // not for liblinear: its file would be too large
	bounds    []float64 // the best that is proven of each class
}

// A source says where a set's rows are from.
type source struct {
	name    string
	files   string // in the folder of data; empty for rows that are made
	lambdas []float64
	change  func(x pegasos.Examples, y []float32) (pegasos.Examples, []float32)
}

const fashion = "fashion-mnist/train-images-idx3-ubyte.gz,fashion-mnist/train-labels-idx1-ubyte.gz"

// sources are all sets.
var sources = []source{
	{"pair", fashion, []float64{1e-4}, onlyClasses(2, 6)},
	{"shirts", fashion, []float64{1e-4}, against(6)},
	{"fashion", fashion, []float64{1e-4}, nil},
	{"a9a", "a9a/a9a.svm.gz", []float64{1e-4, 1e-5}, nil},
	{"covtype", "covtype20k/covtype20k.binary.svm.gz", []float64{1e-6}, maxAbs},
	{"covtype-raw", "covtype20k/covtype20k.binary.svm.gz", []float64{1e-6}, nil},
	{"letter", "letter/letter.scale.svm.gz", []float64{1e-4}, against(1)},
	{"mammography", "mammography/mammography.svm.gz", []float64{1e-4}, nil},
	{"digits", "digits/digits.csv.gz", []float64{1e-4}, against(8)},
	{"raw", "", []float64{1e-4}, rawColumns},
	{"outliers", "", []float64{1e-4}, outliers},
	{"fourier-500", "letter/letter.scale.svm.gz", []float64{1e-4}, fourier(500)},
	{"fourier-1000", "letter/letter.scale.svm.gz", []float64{1e-4}, fourier(1000)},
	{"fourier-2000", "letter/letter.scale.svm.gz", []float64{1e-4}, fourier(2000)},
	{"imdb", "imdb/imdb.tfidf.train.svm.gz", []float64{1e-4, 1e-5}, nil},
	{"moneyfx", "reuters-moneyfx/reuters.moneyfx.train.svm.gz", []float64{1e-4}, nil},
	{"corporate", "reuters21578/reuters21578.corp.tfidf.train.svm.gz", []float64{1e-4}, nil},
	{"rcv1-small", "rcv1-small/rcv1.small.train.svm.gz", []float64{1e-4}, nil},
}

// names are those of the sets.
func names() (all []string) {
	for _, s := range sources {
		all = append(all, s.name)
	}
	return all
}

// load reads the rows of a set, and names its lambdas.
func load(dir, name string) (all []*problem, err error) {
	for _, s := range sources {
		if s.name != name {
			continue
		}
		var x pegasos.Examples
		var y []float32
		if s.files != "" {
			var paths []string
			for _, f := range strings.Split(s.files, ",") {
				paths = append(paths, filepath.Join(dir, f))
			}
			set, err := dataset.Read(strings.Join(paths, ","), dataset.Options{})
			if err != nil {
				return nil, err
			}
			x, y = set.Examples(), set.Y
		}
		if s.change != nil {
			x, y = s.change(x, y)
		}
		made := strings.HasPrefix(name, "fourier")
		for _, lambda := range s.lambdas {
			all = append(all, &problem{name: fmt.Sprintf("%s, %g", name, lambda), lambda: lambda,
				x: x, y: y, hingeOnly: made, alone: made})
		}
		return all, nil
	}
	return nil, fmt.Errorf("there is no set %q", name)
}

// onlyClasses returns the rows of two classes.
func onlyClasses(a, b float32) func(pegasos.Examples, []float32) (pegasos.Examples, []float32) {
	return func(x pegasos.Examples, y []float32) (pegasos.Examples, []float32) {
		var rows []int
		var labels []float32
		for i, label := range y {
			if label == a || label == b {
				rows, labels = append(rows, i), append(labels, label)
			}
		}
		m := dense.New(len(rows), x.Cols())
		for k, i := range rows {
			x.Axpy(i, 1, m.Row(k))
		}
		return m, labels
	}
}

// against makes a class 1 and the others -1.
func against(class float32) func(pegasos.Examples, []float32) (pegasos.Examples, []float32) {
	return func(x pegasos.Examples, y []float32) (pegasos.Examples, []float32) {
		labels := make([]float32, len(y))
		for i := range y {
			if labels[i] = -1; y[i] == class {
				labels[i] = 1
			}
		}
		return x, labels
	}
}

// maxAbs returns the rows with columns of at most 1.
func maxAbs(x pegasos.Examples, y []float32) (pegasos.Examples, []float32) {
	m := dense.New(x.Rows(), x.Cols())
	most := make([]float32, x.Cols())
	for i := range m.Rows() {
		x.Axpy(i, 1, m.Row(i))
		for j, v := range m.Row(i) {
			most[j] = max(most[j], v, -v)
		}
	}
	for i := range m.Rows() {
		for j := range most {
			if most[j] > 0 {
				m.Row(i)[j] /= most[j]
			}
		}
	}
	return m, y
}

// normal makes two classes of normal rows whose means are apart, and which overlap.
func normal(rows, cols int, g *rand.Rand) (*dense.Matrix, []float32) {
	m, y := dense.New(rows, cols), make([]float32, rows)
	for i := range y {
		y[i] = float32(2*g.IntN(2) - 1)
		for j := range m.Row(i) {
			m.Row(i)[j] = float32(g.NormFloat64()) + y[i]*float32(0.3/(1+float64(j%7)))
		}
	}
	return m, y
}

// rawColumns makes rows whose columns have scales from 1e-3 to 1e4, some of them far from 0.
func rawColumns(pegasos.Examples, []float32) (pegasos.Examples, []float32) {
	g := rand.New(rand.NewPCG(17, 1))
	m, y := normal(20000, 50, g)
	for j := range m.Cols() {
		scale, shift := float32(math.Pow(10, -3+7*g.Float64())), []float32{0, 0, 1, 10}[g.IntN(4)]
		for i := range y {
			m.Row(i)[j] = scale * (m.Row(i)[j] + shift)
		}
	}
	return m, y
}

// outliers makes rows of which one value in 500 is a hundred times as large.
func outliers(pegasos.Examples, []float32) (pegasos.Examples, []float32) {
	g := rand.New(rand.NewPCG(17, 2))
	m, y := normal(20000, 30, g)
	for i := range y {
		for j := range m.Row(i) {
			if g.IntN(500) == 0 {
				m.Row(i)[j] *= 100
			}
		}
	}
	return m, y
}

// fourier makes so many random Fourier features of the rows, whose labels up to 13 are a class.
func fourier(d int) func(pegasos.Examples, []float32) (pegasos.Examples, []float32) {
	return func(x pegasos.Examples, y []float32) (pegasos.Examples, []float32) {
		g := rand.New(rand.NewPCG(17, 3))
		w, shift := dense.New(d, x.Cols()), make([]float64, d)
		for k := range d {
			for j := range w.Row(k) {
				w.Row(k)[j] = float32(g.NormFloat64())
			}
			shift[k] = 2 * math.Pi * g.Float64()
		}
		m, labels := dense.New(x.Rows(), d), make([]float32, len(y))
		for i := range y {
			for k := range d {
				m.Row(i)[k] = float32(math.Sqrt(2/float64(d)) *
					math.Cos(float64(x.Dot(i, w.Row(k)))+shift[k]))
			}
			if labels[i] = -1; y[i] <= 13 {
				labels[i] = 1
			}
		}
		return m, labels
	}
}
