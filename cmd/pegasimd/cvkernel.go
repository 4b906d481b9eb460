package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/predictions"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm"
)

// kernelCVReport is what cv -kernel -json writes.
type kernelCVReport struct {
	Metric   string        `json:"metric"` // as -metric has it
	Folds    int           `json:"folds"`
	Rows     int           `json:"rows"`
	Features int           `json:"features"`
	Grid     []kernelPoint `json:"grid"`
	Best     kernelPoint   `json:"best"`
	searchReport
	Config kernelsvm.Config `json:"config"` // of the best

	metric *cvMetric
}

// A kernelPoint is a setting and what it gave. Lambda or C is 0, whichever the grid is not of; so
// is a gamma that the data give.
type kernelPoint struct {
	Gamma   float64   `json:"gamma"`
	Lambda  float64   `json:"lambda"`
	C       float64   `json:"c"`
	Mean    float64   `json:"mean"`   // of the metric
	Spread  float64   `json:"spread"` // standard deviation over the folds, of n-1
	Scores  []float64 `json:"scores"` // of each fold
	Seconds float64   `json:"seconds"`
}

// defaultKernelCs is what cv -kernel tries by default.
var defaultKernelCs = []penalty{{c: 0.1}, {c: 1}, {c: 10}, {c: 100}}

// A kernelCV is a cross-validation of kernel machines.
type kernelCV struct {
	*call
	flags   *cvFlags
	cfg     kernelsvm.Config
	grid    []kernelPoint
	data    string // the file
	from    *dataReader
	outs    searchOutputs
	set     *dataset.Set
	loading time.Duration
	fold    []int // of each row
	metric  *cvMetric
	out     kernelCVReport
}

func crossValidateKernel(c *call, f *cvFlags, penalties []penalty, data string) (err error) {
	v := &kernelCV{call: c, flags: f, data: data}
	if v.cfg, err = f.kernel.config(f.set.cfg); err != nil {
		return err
	}
	if v.metric, err = f.metricFor(false); err != nil {
		return err
	}
	if err := v.makeGrid(penalties); err != nil {
		return err
	}
	if err := v.outs.openFiles(c, f, data); err != nil {
		return err
	}
	for _, step := range []func() error{v.readData, v.search, v.writeModel, v.report} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// makeGrid makes the points, every gamma with every penalty, and checks them.
func (v *kernelCV) makeGrid(penalties []penalty) (err error) {
	gammas := []float64{v.cfg.Gamma}
	if list := v.flags.kernel.gammas; list != "" {
		if v.given("gamma") {
			return usagef("only one of -gamma and -gammas can be given")
		}
		if gammas, err = positiveNumbers("gammas", list, "0.01,0.1,1"); err != nil {
			return err
		}
	}
	if penalties == nil {
		penalties = defaultKernelCs
	}
	for _, gamma := range gammas {
		for _, l := range penalties {
			p := kernelPoint{Gamma: gamma, Lambda: l.lambda, C: l.c}
			if err := v.at(p).Validate(); err != nil {
				return configError(err)
			}
			v.grid = append(v.grid, p)
		}
	}
	return nil
}

// at returns the configuration of a point.
func (v *kernelCV) at(p kernelPoint) kernelsvm.Config {
	cfg := v.cfg
	cfg.Gamma, cfg.Lambda, cfg.C = p.Gamma, p.Lambda, p.C
	return cfg
}

func (v *kernelCV) trainer(p kernelPoint) kernelsvm.Trainer {
	return kernelsvm.Trainer{
		Config: v.at(p), Threads: v.flags.data.opt.Threads, CacheMB: v.flags.kernel.cacheMB,
		MaxMemory: v.flags.memory.limit(v.set), Fingerprint: true,
	}
}

// readData reads the data and cuts the rows into folds.
func (v *kernelCV) readData() (err error) {
	v.from = v.reader(v.flags.data)
	if v.set, v.loading, err = v.from.read(v.data, nil); err != nil {
		return err
	}
	if err := v.from.checkClasses(v.data, v.set, false, v.loading); err != nil {
		return err
	}
	v.fold = pegasos.Folds(v.set.Y, nil, v.flags.folds, v.cfg.Seed)
	for f := range v.flags.folds {
		if !slices.Contains(v.fold, f) {
			return fmt.Errorf("%s: too few rows for %d folds", v.data, v.flags.folds)
		}
	}
	return nil
}

// search does all runs and finds the best point.
func (v *kernelCV) search() error {
	start := time.Now()
	progress := newProgress(v.stderr, v.flags.data.quiet)
	defer progress.clear()
	for i := range v.grid {
		p := &v.grid[i]
		progress.show(float64(i)/float64(len(v.grid)), "%d of %d settings", i, len(v.grid))
		tr, began := v.trainer(*p), time.Now()
		predicted, err := tr.CrossPredict(v, v.set.Examples(), v.set.Y, v.flags.folds)
		if err != nil {
			return dataError(v.data, err)
		}
		if i := floats.FirstNotFinite(predicted); i >= 0 {
			return dataError(v.data, predictions.RowOverflows(i, float64(predicted[i])))
		}
		p.Seconds = time.Since(began).Seconds()
		p.score(v.metric, predicted, v.set.Y, v.fold, v.flags.folds)
	}
	best := v.grid[0] // the smallest gamma and the largest lambda, unless another is better
	for _, p := range v.grid {
		if v.metric.better(number(p.Mean), number(best.Mean)) {
			best = p
		}
	}
	v.out = kernelCVReport{
		Metric: v.metric.name, metric: v.metric,
		Folds: v.flags.folds, Rows: v.set.Rows(), Features: v.set.Cols(), Grid: v.grid, Best: best,
		searchReport: newSearchReport(v.set, v.cfg.Seed, v.loading, start),
		Config:       v.at(best).WithDefaults(),
	}
	return nil
}

// score fills in the metric of each fold.
func (p *kernelPoint) score(m *cvMetric, predicted, y []float32, fold []int, folds int) {
	labels := slices.Clone(y)
	slices.Sort(labels)
	labels = slices.Compact(labels)
	of := make([]foldPredictions, folds)
	for i, v := range predicted {
		f := &of[fold[i]]
		truth, _ := slices.BinarySearch(labels, y[i])
		k, _ := slices.BinarySearch(labels, v)
		f.classes = len(labels) + 1
		f.truth, f.predicted = append(f.truth, truth), append(f.predicted, k)
		f.weight = append(f.weight, 1)
	}
	for f := range of {
		p.Scores = append(p.Scores, m.of(&of[f]))
	}
	p.Mean, p.Spread = meanAndSpread(p.Scores)
}

// writeModel trains on all rows with the best setting, if a model is wanted.
func (v *kernelCV) writeModel() error {
	if v.outs.model == nil {
		return nil
	}
	tr := v.trainer(v.out.Best)
	m, err := tr.Train(v, v.set.Examples(), v.set.Y)
	if err != nil {
		return dataError(v.data, err)
	}
	m.Names, m.IndexBase = v.set.Names, v.set.IndexBase
	m.HashBits, m.Table = v.from.hashBits, v.from.table
	if err := v.outs.model.write(m.Write); err != nil {
		return err
	}
	v.out.Model, v.out.Hash = v.flags.model, m.Hash()
	return nil
}

func (v *kernelCV) report() error {
	if err := v.outs.json.writeJSON(v.out); err != nil {
		return err
	}
	if !v.flags.data.quiet && !v.outs.json.toStdout() {
		v.warn(v.set)
		v.out.print(v.outs.table(v.call))
	}
	return nil
}

func (r *kernelCVReport) print(w io.Writer) {
	fmt.Fprintf(w, "%s, %s; %d folds, seed %d; kernel %s\n\n", count(r.Rows, "row"),
		count(r.Features, "feature"),
		r.Folds, r.Seed, r.Config.Kernel)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	unit, of := "lambda", func(p kernelPoint) float64 { return p.Lambda }
	if r.Best.C != 0 {
		unit, of = "C", func(p kernelPoint) float64 { return p.C }
	}
	digits, scale := r.metric.show()
	fmt.Fprintf(t, "gamma\t%s\t%s\t+-\ttrained, s\t\t\n", unit, r.metric.heading)
	for _, p := range r.Grid {
		mark, gamma := "", "default"
		if p.Gamma != 0 {
			gamma = fmt.Sprintf("%.6g", p.Gamma)
		}
		if p.Gamma == r.Best.Gamma && of(p) == of(r.Best) {
			mark = "best"
		}
		fmt.Fprintf(t, "%s\t%.6g\t%s\t%s\t%.3g\t%s\t\n", gamma, of(p),
			(number(p.Mean) * scale).format(digits), (number(p.Spread) * scale).format(digits),
			p.Seconds, mark)
	}
	t.Flush()
	r.searchReport.print(w, len(r.Grid)*r.Folds)
}
