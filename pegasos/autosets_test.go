package pegasos_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/pegasos"
)

func longData(t *testing.T) string {
	t.Helper()
	if os.Getenv("PEGASIMD_LONG") == "" {
		t.Skip("takes minutes: PEGASIMD_LONG is not set")
	}
	return realData(t)
}

// certtest computes the optima from the same rows: of a large set, every n-th row.
func TestAutoSets(t *testing.T) {
	dir := longData(t)
	for _, c := range []struct {
		file  string
		every int
		class float32 // class to tell from all others; 0 to keep the labels
	}{
		{"heart/heart_scale.svm.gz", 1, 0}, {"mammography/mammography.svm.gz", 2, 0},
		{"digits/digits.csv.gz", 1, 8}, {"letter/letter.scale.svm.gz", 4, 1},
		{"covtype20k/covtype20k.binary.svm.gz", 10, 0}, {"a9a/a9a.svm.gz", 16, 0},
		{"abalone/abalone_scale.svm.gz", 1, 0}, {"cal_housing/cal_housing.svm.gz", 4, 0},
	} {
		name, _, _ := strings.Cut(c.file, "/")
		t.Run(name, func(t *testing.T) {
			x, y := readSet(t, dir, c.file, 0)
			rows := dense.New(x.Rows()/c.every, x.Cols())
			for i := range rows.Rows() {
				x.Axpy(c.every*i, 1, rows.Row(i))
				if y[i] = y[c.every*i]; c.class != 0 && y[i] != c.class {
					y[i] = c.class + 1
				}
			}
			losses := []pegasos.Loss{pegasos.Hinge, pegasos.SquaredHinge, pegasos.Log}
			if name == "abalone" || name == "cal_housing" {
				losses = []pegasos.Loss{pegasos.EpsInsensitive, pegasos.Squared}
			}
			var n tally
			for _, loss := range losses {
				for _, bias := range []pegasos.Bias{pegasos.BiasNone, pegasos.BiasAugmented,
					pegasos.BiasUnregularised} {
					for _, scale := range []pegasos.Scale{pegasos.ScaleNone, ""} {
						cfg := pegasos.Config{Loss: loss, Bias: bias, Scale: scale, Finish: pegasos.FinishAuto}
						holdSet(t, &n, rows, y[:rows.Rows()], cfg)
					}
				}
			}
			t.Logf("%d models, %d with a bound, %d proven within 0.1 %%", n.trials, n.bounds,
				n.close)
		})
	}
}

func holdSet(t *testing.T, n *tally, rows *dense.Matrix, y []float32, cfg pegasos.Config) {
	for _, cfg.Tol = range []float64{1e-2, 1e-3} {
		trial := &trial{x: rows, rows: rows, y: y, tr: pegasos.Trainer{Config: cfg, Threads: 1}}
		m, err := trial.tr.Train(context.Background(), rows, y)
		if err != nil {
			t.Errorf("%+v: %v", cfg, err)
			continue
		}
		n.trials++
		if !(m.Result.Gap <= cfg.Tol) {
			t.Logf("%+v: gap %v after %v epochs", cfg, m.Result.Gap, m.Result.Epochs)
		}
		all, first := trial.problems(m)
		for i, p := range all {
			w, b := trial.vector(m, first[i])
			if err := n.hold(p, [][]float64{w}, []float64{b}, m.Result.PerClass[first[i]],
				false); err != nil {
				t.Errorf("%+v: %v", cfg, err)
			}
		}
	}
}

// low and high bound the optimum: see the README of the data.
func TestAutoReferences(t *testing.T) {
	dir := longData(t)
	pixels := "fashion-mnist/train-images-idx3-ubyte.gz,fashion-mnist/train-labels-idx1-ubyte.gz"
	for _, c := range []struct {
		file      string
		lambda    float64
		high, low float64
	}{
		{"a9a/a9a.svm.gz", 1e-3, 0.35652434, 0.35652433},
		{"a9a/a9a.svm.gz", 1e-4, 0.35176302, 0.35176133},
		{"a9a/a9a.svm.gz", 1e-5, 0.35094921, 0.35089833},
		{"imdb/imdb.tfidf.train.svm.gz", 1e-4, 0.31293524, 0.31293522},
		{"imdb/imdb.tfidf.train.svm.gz", 1e-5, 0.094493491, 0.094493434},
		{"reuters21578/reuters21578.corp.tfidf.train.svm.gz", 1e-4, 0.079209298, 0.079209249},
		{"reuters21578/reuters21578.corp.tfidf.train.svm.gz", 1e-5, 0.010718936, 0.010718878},
		{"reuters-moneyfx/reuters.moneyfx.train.svm.gz", 1e-4, 0.042201484, 0.042201394},
		{"reuters-moneyfx/reuters.moneyfx.train.svm.gz", 1e-5, 0.0098827269, 0.0098729511},
		{"rcv1-small/rcv1.small.train.svm.gz", 1e-3, 0.26613255, 0.26613244},
		{"rcv1-small/rcv1.small.train.svm.gz", 1e-4, 0.029282768, 0.029282722},
		{"sofia-demo/sofia.demo.train.svm.gz", 1e-1, 0.069336343, 0.0693361},
		{"sofia-demo/sofia.demo.train.svm.gz", 1e-2, 0.0071772609, 0.00717712},
		{"mammography/mammography.svm.gz", 1e-3, 0.80223322, 0.80223322},
		{pixels, 1e-4, 0.17453292, 0.17450822},
	} {
		x, y := readSet(t, dir, c.file, 0)
		if c.file == pixels { // class 6 against the rest
			for i := range y {
				if y[i] != 6 {
					y[i] = 0
				}
			}
		}
		for _, tol := range []float64{1e-2, 1e-3} {
			what := fmt.Sprintf("%s, lambda %v, tol %v", c.file, c.lambda, tol)
			m, err := pegasos.Train(t.Context(), x, y, pegasos.Config{Lambda: c.lambda, Tol: tol,
				Scale: pegasos.ScaleNone, Bias: pegasos.BiasNone, Multiclass: pegasos.OneVsRest})
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			r := m.Result
			// The reference numbers are rounded.
			if !(r.Gap <= tol) || r.DualObjective > c.high*(1+1e-7) ||
				r.Objective < c.low*(1-1e-7) || r.Objective/(1+r.Gap) > c.high*(1+1e-7) {
				t.Errorf("%s: objective %v, bound %v, gap %v; the optimum is between %v and %v", what,
					r.Objective, r.DualObjective, r.Gap, c.low, c.high)
			}
		}
	}
}
