package pegasos_test

import (
	"testing"
	"time"

	"github.com/pegasimd/pegasimd/metrics"
	"github.com/pegasimd/pegasimd/pegasos"
)

func accuracy(m *pegasos.Model, x pegasos.Examples, y []float32) float64 {
	return metrics.Accuracy(y, m.PredictAll(x), nil)
}

func TestRealData(t *testing.T) {
	dir := dataDir(t)
	if dir == "" {
		return
	}
	for _, c := range []struct {
		name, train, test string
		cols, epochs      int
		optimum           float64 // liblinear's objective, slightly above the optimum
		factor, accuracy  float64 // largest ratio of objective and optimum, least test accuracy
	}{
		{"a9a", "a9a/a9a.svm.gz", "a9a/a9a.t.svm.gz", 123, 40, 0.351763020, 1.01, 0.848},
		{"IMDB", "imdb/imdb.tfidf.train.svm.gz", "imdb/imdb.tfidf.test.svm.gz", 28082, 16,
			0.312935240, 1.005, 0.889},
	} {
		x, y := readSet(t, dir, c.train, c.cols)
		xt, yt := readSet(t, dir, c.test, c.cols)
		start := time.Now()
		m := mustTrain(t, x, y, pegasos.Config{Lambda: 1e-4, Epochs: c.epochs})
		seconds := time.Since(start).Seconds()
		r, right := m.Result, accuracy(m, xt, yt)
		t.Logf("%s: P/optimum %.4f, bound/optimum %.4f, gap %.2f %%, accuracy %.2f %%, %.2f "+
			"million steps/s with the certificate",
			c.name, r.Objective/c.optimum, r.DualObjective/c.optimum, 100*r.Gap, 100*right,
			float64(r.Steps)/seconds/1e6)
		if r.Objective > c.factor*c.optimum {
			t.Errorf("%s: objective %v is %.4f times the optimum, want at most %v", c.name,
				r.Objective, r.Objective/c.optimum, c.factor)
		}
		if r.Objective < c.optimum*(1-1e-5) || r.DualObjective > c.optimum ||
			r.Objective/(1+r.Gap) > c.optimum {
			t.Errorf("%s: objective %v and bound %v do not enclose the optimum %v", c.name,
				r.Objective, r.DualObjective, c.optimum)
		}
		if right < c.accuracy {
			t.Errorf("%s: accuracy %v, want at least %v", c.name, right, c.accuracy)
		}
	}
}

func TestRealImages(t *testing.T) {
	dir := dataDir(t)
	if dir == "" {
		return
	}
	x, y := readSet(t, dir,
		"fashion-mnist/train-images-idx3-ubyte.gz,fashion-mnist/train-labels-idx1-ubyte.gz", 0)
	xt, yt := readSet(t, dir,
		"fashion-mnist/t10k-images-idx3-ubyte.gz,fashion-mnist/t10k-labels-idx1-ubyte.gz", 0)
	var m *pegasos.Model
	for _, c := range []struct {
		cfg      pegasos.Config
		accuracy float64
	}{
		{pegasos.Config{Multiclass: pegasos.OneVsOne, Epochs: 4}, 0.845},
		{pegasos.Config{Multiclass: pegasos.CrammerSinger, Epochs: 5}, 0.84},
		{pegasos.Config{Epochs: 5}, 0.836},
	} {
		c.cfg.Lambda = 1e-4
		start := time.Now()
		m = mustTrain(t, x, y, c.cfg)
		seconds := time.Since(start).Seconds()
		r, right := m.Result, accuracy(m, xt, yt)
		t.Logf("Fashion-MNIST, %s: objective %.5f, bound %.5f, accuracy %.2f %%, %.2f s with the "+
			"certificate",
			m.Config.Multiclass, r.Objective, r.DualObjective, 100*right, seconds)
		if right < c.accuracy {
			t.Errorf("%s: accuracy %v, want at least %v", m.Config.Multiclass, right, c.accuracy)
		}
	}
	// the optimum for class 6 (shirts) against the rest, by Newton's method to a gap of 1e-6
	const optimum = 0.1745153
	if c := m.Result.PerClass[6]; c.DualObjective > optimum || c.Objective < optimum*(1-1e-5) {
		t.Errorf("class 6: objective %v and bound %v do not enclose the optimum %v", c.Objective,
			c.DualObjective, optimum)
	}
}
