package pegasos_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/metrics"
	"github.com/pegasimd/pegasimd/pegasos"
)

// reference is a problem with the result of liblinear 2.3.0 (-s 3, dual coordinate descent): see
// the README of the data folder.
type reference struct {
	lambda           float64
	bias             pegasos.Bias
	objective, bound float64        // upper and lower bound on the optimum
	trainError       float64        // percent
	testError        float64        // percent; NaN if unknown
	cfg              pegasos.Config // other settings, for an objective within 1 %
}

var unknown = math.NaN()

var referenceSets = []struct {
	name, train, test string
	cols              int
	prepare           func(x pegasos.Examples, y []float32) (pegasos.Examples, []float32)
	problems          []reference
}{
	{"Fashion-MNIST, 6", fashion("train"), fashion("t10k"), 784, shirts, []reference{
		{1e-4, pegasos.BiasNone, 0.17453292, 0.17450822, 6.705, 7.440, pegasos.Config{Epochs: 160}},
	}},
	{"IMDB", "imdb/imdb.tfidf.train.svm.gz", "imdb/imdb.tfidf.test.svm.gz", 28082, nil, []reference{
		{1e-4, pegasos.BiasNone, 0.31293524, 0.31293522, 5.396, 10.900, pegasos.Config{Epochs: 10}},
		{1e-5, pegasos.BiasNone, 0.094493491, 0.094493434, 0.696, 14.276,
			pegasos.Config{Epochs: 20, Finish: pegasos.FinishDual}},
	}},
	{"Reuters, corporate", "reuters21578/reuters21578.corp.tfidf.train.svm.gz",
		"reuters21578/reuters21578.corp.tfidf.test.svm.gz", 15543, nil, []reference{
			{1e-4, pegasos.BiasNone, 0.079209298, 0.079209249, 0.656, 1.940, pegasos.Config{Epochs: 40}},
			{1e-5, pegasos.BiasNone, 0.010718936, 0.010718878, 0.000, 2.334,
				pegasos.Config{Epochs: 40, Finish: pegasos.FinishDual}},
		}},
	{"Reuters, money-fx", "reuters-moneyfx/reuters.moneyfx.train.svm.gz",
		"reuters-moneyfx/reuters.moneyfx.test.svm.gz", 8315, nil, []reference{
			{1.29e-4, pegasos.BiasNone, 0.04893601, 0.048935937, 0.721, 2.577, pegasos.Config{Epochs: 40}},
			{1e-4, pegasos.BiasNone, 0.042201484, 0.042201394, 0.605, 2.607, pegasos.Config{Epochs: 60}},
			{1e-5, pegasos.BiasNone, 0.0098827269, 0.0098729511, 0.206, 3.213,
				pegasos.Config{Epochs: 80, Finish: pegasos.FinishDual}},
		}},
	{"RCV1 sample", "rcv1-small/rcv1.small.train.svm.gz", "rcv1-small/rcv1.small.test.svm.gz",
		47236, nil, []reference{
			{1e-3, pegasos.BiasNone, 0.26613255, 0.26613244, 0.700, 12.000, pegasos.Config{Epochs: 40}},
			{1e-4, pegasos.BiasNone, 0.029282768, 0.029282722, 0.000, 13.200,
				pegasos.Config{Epochs: 20, Finish: pegasos.FinishDual}},
		}},
	{"covertype, scaled", "covtype20k/covtype20k.binary.svm.gz", "", 54, columnsToOne, []reference{
		{1e-4, pegasos.BiasNone, 0.34090864, 0.34090764, 14.795, unknown, pegasos.Config{Epochs: 20}},
	}},
	{"a9a", "a9a/a9a.svm.gz", "a9a/a9a.t.svm.gz", 123, nil, []reference{
		{1e-3, pegasos.BiasNone, 0.35652434, 0.35652433, 15.227, 15.054, pegasos.Config{Epochs: 5}},
		{1e-4, pegasos.BiasNone, 0.35176302, 0.35176133, 15.009, 15.030, pegasos.Config{Epochs: 20}},
		{1e-5, pegasos.BiasNone, 0.35094921, 0.35089833, 14.981, 15.030, pegasos.Config{Epochs: 160}},
		{1e-4, pegasos.BiasAugmented, 0.35175671, 0.35175082, 15.012, 15.024, pegasos.Config{Epochs: 20}},
	}},
	{"mammography", "mammography/mammography.svm.gz", "", 6, nil, []reference{
		{1e-3, pegasos.BiasNone, 0.80223322, 0.80223322, 21.828, unknown, pegasos.Config{Epochs: 40}},
		{1e-4, pegasos.BiasNone, 0.79908157, 0.79908129, 21.828, unknown, pegasos.Config{Epochs: 320}},
		{
			1e-3,
			pegasos.BiasAugmented,
			0.044472453,
			0.044472449,
			1.940,
			unknown,
			pegasos.Config{Epochs: 20},
		},
		{
			1e-4,
			pegasos.BiasAugmented,
			0.042678467,
			0.042671693,
			1.735,
			unknown,
			pegasos.Config{Epochs: 160},
		},
	}},
	{"heart", "heart/heart_scale.svm.gz", "", 13, nil, []reference{
		{0.1, pegasos.BiasNone, 0.43302293, 0.4330228, 15.926, unknown, pegasos.Config{Epochs: 5}},
		{0.01, pegasos.BiasNone, 0.36574874, 0.36573321, 15.926, unknown, pegasos.Config{Epochs: 40}},
		{0.001, pegasos.BiasNone, 0.35326279, 0.35310969, 15.926, unknown, pegasos.Config{Epochs: 160}},
		{
			0.01,
			pegasos.BiasAugmented,
			0.35759906,
			0.35759863,
			14.815,
			unknown,
			pegasos.Config{Epochs: 20},
		},
	}},
	{"sofia-ml demo", "sofia-demo/sofia.demo.train.svm.gz", "sofia-demo/sofia.demo.test.svm.gz",
		109621, nil, []reference{
			{0.1, pegasos.BiasNone, 0.069336343, 0.0693361, 0.000, 1.200, pegasos.Config{Epochs: 160}},
			{0.01, pegasos.BiasNone, 0.0071772609, 0.00717712, 0.000, 1.200,
				pegasos.Config{Epochs: 40, Finish: pegasos.FinishDual}},
		}},
}

func fashion(part string) string {
	return fmt.Sprintf(
		"fashion-mnist/%s-images-idx3-ubyte.gz,fashion-mnist/%[1]s-labels-idx1-ubyte.gz", part)
}

func shirts(x pegasos.Examples, y []float32) (pegasos.Examples, []float32) {
	two := make([]float32, len(y))
	for i, v := range signs(y, 6) {
		two[i] = float32(v)
	}
	return x, two
}

func columnsToOne(x pegasos.Examples, y []float32) (pegasos.Examples, []float32) {
	w := widen(x, 0)
	top := make([]float64, w.cols)
	for i := range y {
		for k, j := range w.idx[i] {
			top[j] = math.Max(top[j], math.Abs(w.val[i][k]))
		}
	}
	d := dense.New(len(y), w.cols)
	for i := range y {
		for k, j := range w.idx[i] {
			d.Row(i)[j] = float32(w.val[i][k] / top[j])
		}
	}
	return toSparse(d), y
}

func realData(t testing.TB) string {
	t.Helper()
	dir := dataDir(t)
	if dir == "" {
		t.Skip("no data sets")
	}
	if testing.Short() {
		t.Skip("takes long on real data: skipped with -short")
	}
	return dir
}

type protocol struct {
	text strings.Builder
	w    *tabwriter.Writer
}

func newProtocol(head ...string) *protocol {
	p := &protocol{}
	p.w = tabwriter.NewWriter(&p.text, 0, 0, 2, ' ', tabwriter.AlignRight)
	p.add(head...)
	return p
}

func (p *protocol) add(cells ...string) { fmt.Fprintln(p.w, strings.Join(cells, "\t")+"\t") }

func (p *protocol) log(t testing.TB) {
	p.w.Flush()
	t.Logf("\n%s", p.text.String())
}

func TestReference(t *testing.T) {
	dir := realData(t)
	p := newProtocol("set", "lambda", "bias", "lambda*rows", "epochs", "finish", "seconds",
		"P/optimum", "bound/optimum", "gap", "training error", "test error")
	for _, set := range referenceSets {
		x, y := readSet(t, dir, set.train, set.cols)
		var xt pegasos.Examples
		var yt []float32
		if set.test != "" {
			xt, yt = readSet(t, dir, set.test, set.cols)
		}
		if set.prepare != nil {
			x, y = set.prepare(x, y)
			if xt != nil {
				xt, yt = set.prepare(xt, yt)
			}
		}
		for _, c := range set.problems {
			cfg := c.cfg
			cfg.Lambda, cfg.Bias = c.lambda, c.bias
			start := time.Now()
			m := mustTrain(t, x, y, cfg)
			seconds := time.Since(start).Seconds()
			r, train := m.Result, 100-100*accuracy(m, x, y)
			tested := ""
			if r.Objective > 1.01*c.objective || r.Objective < c.bound*(1-1e-5) ||
				r.DualObjective > c.objective*(1+1e-7) {
				t.Errorf("%s, %+v: objective %v and bound %v, optimum %v to %v", set.name, cfg,
					r.Objective, r.DualObjective, c.bound, c.objective)
			}
			if limit := math.Max(0.3, 300/float64(len(y))); math.Abs(train-c.trainError) > limit {
				t.Errorf("%s, %+v: %.3f %% errors on training rows, %.3f %% by liblinear",
					set.name, cfg, train, c.trainError)
			}
			if xt != nil {
				e := 100 - 100*accuracy(m, xt, yt)
				tested = fmt.Sprintf("%.2f (%.2f)", e, c.testError)
				if math.Abs(e-c.testError) > 0.3 {
					t.Errorf("%s, %+v: %.3f %% errors on test rows, %.3f %% by liblinear",
						set.name, cfg, e, c.testError)
				}
			}
			p.add(set.name, fmt.Sprint(c.lambda), string(c.bias),
				fmt.Sprintf("%.3g", c.lambda*float64(len(y))), fmt.Sprintf("%.0f", r.Epochs),
				string(cfg.Finish), fmt.Sprintf("%.2f", seconds),
				fmt.Sprintf("%.4f", r.Objective/c.objective),
				fmt.Sprintf("%.4f", r.DualObjective/c.objective), fmt.Sprintf("%.2f %%", 100*r.Gap),
				fmt.Sprintf("%.2f (%.2f)", train, c.trainError), tested)
		}
	}
	p.log(t)
}

// liblinear's model has errors on 37.34 % of the training rows and 37.84 % of the test rows.
func TestReferenceLetters(t *testing.T) {
	dir := realData(t)
	x, y := readSet(t, dir, "letter/letter.scale.svm.gz", 16)
	xt, yt := readSet(t, dir, "letter/letter.scale.t.svm.gz", 16)
	start := time.Now()
	m := mustTrain(t, x, y, pegasos.Config{Lambda: 1e-4, Epochs: 400})
	seconds := time.Since(start).Seconds()
	train, test := 100-100*accuracy(m, x, y), 100-100*accuracy(m, xt, yt)
	t.Logf("%d classes, %.0f epochs, %.2f s: gap %.2f %%, %.3f %% errors (37.340), on test rows "+
		"%.3f %% (37.840)", len(m.Classes), m.Result.Epochs, seconds, 100*m.Result.Gap, train, test)
	if len(m.Classes) != 26 || math.Abs(train-37.34) > 0.3 || math.Abs(test-37.84) > 0.3 {
		t.Errorf("%d classes, %.3f %% errors, on test rows %.3f %%", len(m.Classes), train, test)
	}
}

// In cal_housing, prices are divided by 100,000, and each column by its largest magnitude.
func TestReferenceNumbers(t *testing.T) {
	dir := realData(t)
	p := newProtocol("set", "lambda", "epsilon", "epochs", "seconds", "dualAscent's seconds",
		"optimum", "P/optimum", "bound/optimum", "RMSE", "standard deviation of targets")
	for _, c := range []struct {
		name, file string
		cols       int
		unit       float32
		prepare    func(x pegasos.Examples, y []float32) (pegasos.Examples, []float32)
		lambda     float64
		epsilon    float64
		bias       pegasos.Bias
		epochs     int
	}{
		{"abalone", "abalone/abalone_scale.svm.gz", 8, 1, nil, 1e-3, 0.5, pegasos.BiasAugmented, 100},
		{"abalone", "abalone/abalone_scale.svm.gz", 8, 1, nil, 1e-4, 0.5, pegasos.BiasAugmented, 100},
		{"abalone", "abalone/abalone_scale.svm.gz", 8, 1, nil, 1e-3, 0, pegasos.BiasNone, 100},
		{"cal_housing", "cal_housing/cal_housing.svm.gz", 8, 100_000, columnsToOne, 1e-3, 0.1,
			pegasos.BiasAugmented, 100},
		{"cal_housing", "cal_housing/cal_housing.svm.gz", 8, 100_000, columnsToOne, 1e-4, 0.1,
			pegasos.BiasAugmented, 100},
	} {
		x, y := readSet(t, dir, c.file, c.cols)
		if c.prepare != nil {
			x, y = c.prepare(x, y)
		}
		targets, bias := make([]float64, len(y)), 0.0
		var mean, variance float64
		for i := range y {
			y[i] /= c.unit
			targets[i] = float64(y[i])
			mean += targets[i] / float64(len(y))
		}
		for _, v := range targets {
			variance += (v - mean) * (v - mean) / float64(len(y))
		}
		if c.bias == pegasos.BiasAugmented {
			bias = 1
		}
		start := time.Now()
		_, low, high := dualAscent(t, widen(x, bias), targets, c.lambda,
			wideLoss{true, c.epsilon}, 1e-4)
		solver := time.Since(start).Seconds()
		start = time.Now()
		cfg := pegasos.Config{Loss: pegasos.EpsInsensitive, Epsilon: c.epsilon, Lambda: c.lambda,
			Bias: c.bias, Epochs: c.epochs}
		m := mustTrain(t, x, y, cfg)
		seconds, r := time.Since(start).Seconds(), m.Result
		rmse := metrics.RMSE(y, m.DecisionAll(x), nil)
		if r.Objective > 1.01*high || r.Objective < low*(1-1e-5) || r.DualObjective > high {
			t.Errorf("%s, %+v: objective %v and bound %v, optimum %v to %v", c.name, cfg,
				r.Objective, r.DualObjective, low, high)
		}
		p.add(c.name, fmt.Sprint(c.lambda), fmt.Sprint(c.epsilon), fmt.Sprint(c.epochs),
			fmt.Sprintf("%.2f", seconds), fmt.Sprintf("%.2f", solver), fmt.Sprintf("%.5f", high),
			fmt.Sprintf("%.4f", r.Objective/high), fmt.Sprintf("%.4f", r.DualObjective/high),
			fmt.Sprintf("%.3f", rmse), fmt.Sprintf("%.3f", math.Sqrt(variance)))
	}
	p.log(t)
}
