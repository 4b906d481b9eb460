package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/pegasimd/pegasimd/internal/visible"
	"github.com/pegasimd/pegasimd/pegasos"
)

// cvReport is what -json writes.
type cvReport struct {
	Metric   string   `json:"metric"` // as -metric has it
	Folds    int      `json:"folds"`
	FoldRows []int    `json:"fold_rows"`
	Rows     int      `json:"rows"`
	Features int      `json:"features"`
	Labels   []string `json:"labels"`
	// MeanSquare is R^2, the mean squared length of the rows as they are scaled, without a bias.
	MeanSquare number    `json:"mean_squared_length"`
	Warm       bool      `json:"warm_starts"`
	Grid       []cvPoint `json:"grid"` // from the largest lambda to the smallest
	Best       cvPoint   `json:"best"`
	searchReport
	Gap    *number        `json:"model_gap,omitempty"`
	Config pegasos.Config `json:"config"` // of the best; what is left out goes by the rows

	metric *cvMetric
}

// A cvPoint is a lambda, or a C, and what its runs gave.
type cvPoint struct {
	Lambda    number    `json:"lambda"` // with C the mean over the folds
	C         number    `json:"c"`      // with lambda the mean over the folds
	Share     number    `json:"lambda_of_r2"`
	Mean      number    `json:"mean"`
	Spread    number    `json:"spread"` // standard deviation over the folds, of n-1
	Scores    []float64 `json:"scores"` // of each fold
	Objective number    `json:"objective"`
	Gap       number    `json:"gap"`
	Seconds   float64   `json:"train_seconds"` // of all folds

	cfg pegasos.Config
}

// A linearCV is a cross-validation of linear models.
type linearCV struct {
	*call
	flags       *cvFlags
	cfg         pegasos.Config
	classWeight string // of cfg, with names in place of labels
	grid        []cvPoint
	data        string // the file
	from        *dataReader
	outs        searchOutputs
	loading     time.Duration
	validation
	r2   float64
	best *cvPoint
	out  cvReport
}

func crossValidateLinear(c *call, f *cvFlags, grid []penalty, data string) error {
	v := &linearCV{call: c, flags: f, cfg: f.set.cfg, data: data}
	v.folds = f.folds
	for _, p := range grid {
		v.grid = append(v.grid, cvPoint{Lambda: number(p.lambda), C: number(p.c)})
	}
	for _, step := range []func() error{
		v.checkSettings, v.openFiles, v.readData, v.choose, v.search, v.writeModel, v.report,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (v *linearCV) checkSettings() error {
	v.classWeight = v.cfg.ClassWeight
	if v.flags.metricOfNumbers() && v.call.task() == taskAuto && v.cfg.Loss == "" &&
		!slices.ContainsFunc(saysClasses, v.call.given) {
		v.cfg.Loss = pegasos.Squared
	}
	var err error
	if v.metric, err = v.flags.metricFor(v.cfg.Loss.Regression()); err != nil {
		return err
	}
	if v.grid == nil {
		return validate(&v.cfg)
	}
	for _, p := range v.grid {
		cfg := p.config(v.cfg)
		if err := validate(&cfg); err != nil {
			return err
		}
	}
	return nil
}

func (v *linearCV) openFiles() error { return v.outs.openFiles(v.call, v.flags, v.data) }

// readData reads the data and the weights, and cuts the rows into folds.
func (v *linearCV) readData() (err error) {
	v.from = v.reader(v.flags.data)
	if v.set, v.loading, err = v.from.read(v.data, nil); err != nil {
		return err
	}
	if v.from.settleTask(v.data, v.set, &v.cfg) {
		if err := v.checkSettings(); err != nil {
			return err
		}
	}
	if err := checkNumbers(v.data, v.set, v.cfg.Loss); err != nil {
		return err
	}
	err = v.from.checkClasses(v.data, v.set, v.cfg.Loss.Regression(), v.loading)
	if err != nil {
		return err
	}
	v.memory = v.flags.memory.linear(v.set)
	names := labelling{names: v.set.Names}
	if v.cfg.ClassWeight, err = names.classWeight(v.classWeight); err != nil {
		return err
	}
	if v.weights, err = readWeights(v.flags.weights, v.set.Rows()); err != nil {
		return err
	}
	if err := v.deal(v.cfg); err != nil {
		return fmt.Errorf("%s: %w", v.data, err)
	}
	return nil
}

// choose settles what goes by all rows: what train would choose that has a name, and the lambdas.
func (v *linearCV) choose() error {
	cfg := v.cfg
	if v.grid != nil {
		cfg = v.grid[0].config(cfg)
	}
	tr := pegasos.Trainer{
		Config: cfg, Threads: v.flags.data.opt.Threads, Weights: v.weights, MaxMemory: v.memory,
	}
	chosen, r2, err := tr.Choose(v, v.set.Examples(), v.set.Y)
	if err != nil {
		return dataError(v.data, err)
	}
	v.cfg.Scale, v.cfg.TargetScale, v.cfg.Multiclass = chosen.Scale, chosen.TargetScale,
		chosen.Multiclass
	v.r2 = r2
	if !(v.r2 > 0) {
		v.r2 = 1
	}
	if v.grid == nil {
		for _, share := range []float64{1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7} {
			v.grid = append(v.grid, cvPoint{Lambda: number(share * v.r2)})
		}
	}
	for i := range v.grid {
		v.grid[i].cfg = v.grid[i].config(v.cfg)
	}
	if auto := v.cfg; auto.Tol != 0 && auto.Finish == "" { // as train chooses it
		if auto.Finish = pegasos.FinishAuto; auto.Validate() == nil {
			v.cfg.Finish = auto.Finish
			for i := range v.grid {
				v.grid[i].cfg.Finish = auto.Finish
			}
		}
	}
	finish := v.cfg.Finish != "" && v.cfg.Finish != pegasos.FinishNone
	v.warm = finish && (v.cfg.Tol != 0 || v.cfg.Change != 0) && len(v.grid) > 1 &&
		v.cfg.Offset != pegasos.OffsetNone
	return nil
}

// search does all runs and finds the best point.
func (v *linearCV) search() error {
	start := time.Now()
	p := newProgress(v.stderr, v.flags.data.quiet)
	err := v.run(v, v.grid, v.flags.data.opt.Threads, p)
	p.clear()
	if err != nil {
		return dataError(v.data, err)
	}
	if err := v.set.Err(); err != nil { // of a mapped file, all of which has been read
		return fmt.Errorf("%s: %w", v.data, err)
	}
	v.best = &v.grid[0] // the largest lambda, unless another is better
	for i := range v.grid {
		v.grid[i].Share = v.grid[i].Lambda / number(v.r2)
		if v.metric.better(v.grid[i].Mean, v.best.Mean) {
			v.best = &v.grid[i]
		}
	}
	v.out = cvReport{
		Metric: v.metric.name, metric: v.metric, MeanSquare: number(v.r2), Warm: v.warm,
		Folds: v.folds, FoldRows: v.sizes, Rows: v.set.Rows(),
		Features: v.set.Cols(), Labels: v.labels, Grid: v.grid, Best: *v.best,
		searchReport: newSearchReport(v.set, v.cfg.Seed, v.loading, start),
		Config:       v.best.cfg,
	}
	return nil
}

// writeModel trains on all rows with the best setting, if a model is wanted.
func (v *linearCV) writeModel() error {
	if v.outs.model == nil {
		return nil
	}
	tr := pegasos.Trainer{
		Config: v.best.cfg, Threads: v.flags.data.opt.Threads, Weights: v.weights,
		MaxMemory: v.memory, Fingerprint: true,
	}
	m, err := tr.Train(v, v.set.Examples(), v.set.Y)
	if err != nil {
		return dataError(v.data, err)
	}
	m.Names = labelling{names: v.set.Names}.namesOf(m.Classes)
	m.IndexBase = v.set.IndexBase
	if err := v.from.describe(m); err != nil {
		return err
	}
	if err := v.outs.model.write(m.Write); err != nil {
		return err
	}
	gap := number(m.Result.Gap)
	v.out.Model, v.out.Hash, v.out.Gap = v.flags.model, m.Hash(), &gap
	return nil
}

func (v *linearCV) report() error {
	if err := v.outs.json.writeJSON(v.out); err != nil {
		return err
	}
	if !v.flags.data.quiet && !v.outs.json.toStdout() {
		v.warn(v.set)
		for _, name := range v.rare {
			fmt.Fprintf(v.stderr,
				"class %s has fewer rows than there are folds: some have none of it\n",
				visible.Name(name))
		}
		v.out.print(v.outs.table(v.call))
	}
	return nil
}

// config returns cfg with the point's lambda or C, of which one is set before the runs.
func (p *cvPoint) config(cfg pegasos.Config) pegasos.Config {
	cfg.Lambda, cfg.C = float64(p.Lambda), float64(p.C)
	return cfg
}

// sum fills in the point from its runs, one for each fold.
func (p *cvPoint) sum(runs []cvRun) {
	n := float64(len(runs))
	var lambda, c, score, objective, gap, squares float64
	for _, r := range runs {
		lambda += r.lambda / n
		c += r.c / n
		score += r.score / n
		objective += r.objective / n
		gap += r.gap / n
		p.Seconds += r.seconds
		p.Scores = append(p.Scores, r.score)
	}
	for _, r := range runs {
		d := r.score - score
		squares += float64(d * d)
	}
	if p.cfg.C != 0 {
		p.Lambda = number(lambda)
	} else {
		p.C = number(c)
	}
	p.Mean, p.Spread = number(score), number(math.Sqrt(squares/(n-1)))
	p.Objective, p.Gap = number(objective), number(gap)
}

// print writes the report for people.
func (r *cvReport) print(w io.Writer) {
	kind := count(len(r.Labels), "class")
	if r.Labels == nil {
		kind = "numbers to predict"
	}
	fmt.Fprintf(w, "%s, %s, %s; %d folds of %d to %d rows, seed %d\n\n",
		count(r.Rows, "row"), count(r.Features, "feature"), kind, r.Folds,
		slices.Min(r.FoldRows), slices.Max(r.FoldRows), r.Seed)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	digits, scale := r.metric.show()
	fmt.Fprintf(t, "lambda\t/|x|^2\tC\t%s\t+-\tobjective\tabove the optimum\ttrained, s\t\t\n",
		r.metric.heading)
	for _, p := range r.Grid {
		mark := ""
		if p.Lambda == r.Best.Lambda && cmp.Compare(p.C, r.Best.C) == 0 {
			mark = "best"
		}
		fmt.Fprintf(t, "%s\t%.3g\t%s\t%s\t%s\t%s\t%s\t%.3g\t%s\t\n", p.Lambda, p.Share, p.C,
			(p.Mean * scale).format(digits), (p.Spread * scale).format(digits), p.Objective,
			most(float64(p.Gap)), p.Seconds, mark)
	}
	t.Flush()
	r.searchReport.print(w, len(r.Grid)*r.Folds)
}
