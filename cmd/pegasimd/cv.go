package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/help"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/modelio"
	"github.com/pegasimd/pegasimd/pegasos"
)

var cvCommand = command{help.Command{
	Name:      "cv",
	Arguments: "DATA...",
	Summary:   "find the best lambda by cross-validation",
	Help: `Cv divides the rows of DATA into folds with nearly equal shares of every class. For each
lambda and each fold, it trains on the other folds and predicts the fold. The table has the mean of
-metric over the folds with its standard deviation and, for linear models, the means of the
objective and the gap in training. The best mean wins, or of equal means the first in the table. The
last line has the command that trains a model with the best settings on all rows. -model trains and
writes it at once. Several DATA are read as one, as by train.

The kinds of a table's columns, of scaling and of curves, and the multi-class scheme are chosen
once, from all rows. The solver, the length of training, and values that are measured, such as
means, levels and n-grams, come from the training rows of each fold alone.

The default lambdas are 0.1, 0.01 and so on to 1e-7, times mean |x|^2, the mean squared length of
the scaled rows. With -kernel each of -gammas is tried with each lambda or C. The default is C 0.1,
1, 10, 100. The other flags are as in train. The same data, flags and seed give the same numbers,
except for times, on every machine.

Examples:
  pegasimd cv a9a.svm
  pegasimd cv -lambdas 1e-3,1e-4,1e-5 -folds 10 -loss log -model a9a.model a9a.svm
  pegasimd cv -metric roc-auc -class-weight balanced mammography.csv
  pegasimd cv -kernel rbf -gammas 0.01,0.1 -cs 1,10 -model best.model heart.svm`,
}, runCv}

func runCv(c *call, args []string) error {
	if err := c.checkSettings(); err != nil {
		return err
	}
	if c.flags.Folds < 2 {
		return flags.Usagef("-folds: have %d, want 2 or more", c.flags.Folds)
	}
	v := &search{call: c, reader: c.fittingReader(args[0]), cfg: c.flags.Config,
		classWeight: c.flags.ClassWeight}
	return steps(v.makeGrid, v.checkSettings, v.readData, v.choose, v.search,
		v.writeModel, v.write)
}

// If no flag names points, makeGrid leaves the grid of linear models nil; choose fills it in.
func (v *search) makeGrid() error {
	points, err := penalties(v.flags)
	if v.grid = points; err != nil || !v.flags.UsesKernel() {
		return err
	}
	v.kernel = v.flags.KernelConfig()
	if err := flags.FromConfig(v.kernel.Validate()); err != nil {
		return err
	}
	gammas := []float64{v.kernel.Gamma}
	if list := v.flags.Gammas; list != "" {
		if v.flags.Given("gamma") {
			return flags.Usagef("only one of -gamma and -gammas can be given")
		}
		if gammas, err = positiveNumbers("gammas", list, "0.01,0.1,1"); err != nil {
			return err
		}
	}
	if points == nil {
		points = []cvPoint{{C: 0.1}, {C: 1}, {C: 10}, {C: 100}}
	}
	v.grid = nil
	for _, gamma := range gammas {
		for _, p := range points {
			p.Gamma = gamma
			v.grid = append(v.grid, p)
		}
	}
	return nil
}

func (v *search) checkSettings() (err error) {
	if metricOfNumbers(v.flags.Metric) && v.cfg.Loss == "" && !v.flags.UsesKernel() &&
		!v.flags.GivenAny(flags.ForClasses) {
		v.cfg.Loss = pegasos.Squared
	}
	if v.metric, err = metricFor(v.flags, v.cfg.Loss.Regression()); err != nil {
		return err
	}
	if v.grid == nil {
		cfg := v.cfg
		return validate(&cfg)
	}
	for _, p := range v.grid {
		cfg := p.config(v.cfg)
		if v.flags.UsesKernel() {
			err = flags.FromConfig(p.kernelConfig(v.kernel).Validate())
		} else {
			err = validate(&cfg)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (v *search) readData() (err error) {
	v.modelOut = v.writes("-model", v.flags.Model, modelKind)
	v.jsonOut = v.writes("-json", v.flags.JSON, reportKind)
	if err := v.openOutputs(); err != nil {
		return err
	}
	if err = v.reader.readWeights(v.flags.Weights); err != nil {
		return err
	}
	v.set, v.loading, err = v.reader.readTraining(&v.cfg, v.checkSettings)
	if err != nil {
		return err
	}
	v.weights = v.reader.weights
	v.memory = memoryFlag(v.flags.MaxMemory).limit(v.set, v.cfg.Loss.Regression())
	if !v.flags.UsesKernel() {
		v.memory = memoryFlag(v.flags.MaxMemory).linear(v.set, v.cfg.Loss.Regression())
	}
	names := labelling{names: v.set.Names}
	if v.cfg.ClassWeight, err = names.classWeight(v.classWeight); err != nil {
		return err
	}
	if err = checkWeights(v.flags.Weights, v.weights, v.set.Rows()); err != nil {
		return err
	}
	if err := v.deal(); err != nil {
		return fmt.Errorf("%s: %w", v.reader, err)
	}
	start := time.Now()
	err = v.encode()
	v.loading += time.Since(start)
	return err
}

// encode encodes the table once per fold, with an encoder fitted to the other folds.
func (v *search) encode() error {
	v.encoded, v.curved = nil, nil
	for fold := range v.flags.Folds {
		if e := v.reader.encoder; e == nil || e.Raw { // features depend on no other row
			break
		}
		r := *v.reader
		r.skip = func(row int) bool { return v.fold[row] == fold || v.fold[row] < 0 }
		set, err := r.refit()
		if err != nil {
			return fmt.Errorf("fold %d of %d: %w", fold+1, v.flags.Folds, err)
		}
		v.encoded, v.curved = append(v.encoded, set), append(v.curved, r.curveColumns())
	}
	return nil
}

func (v *search) choose() error {
	if v.flags.UsesKernel() {
		return nil
	}
	cfg := v.cfg
	if v.grid != nil {
		cfg = v.grid[0].config(cfg)
	}
	tr := v.trainer(cfg)
	chosen, r2, err := tr.Choose(v, v.set.Examples(), v.set.Y)
	if err != nil {
		return v.reader.failed(err)
	}
	v.cfg.Scale, v.cfg.TargetScale, v.cfg.Multiclass = chosen.Scale, chosen.TargetScale,
		chosen.Multiclass
	v.cfg.Curves = chosen.Curves
	if v.r2 = r2; !(r2 > 0) {
		v.r2 = 1
	}
	if v.grid == nil {
		for _, share := range []float64{1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7} {
			v.grid = append(v.grid, cvPoint{Lambda: number(share * v.r2)})
		}
	}
	if auto := v.cfg; auto.Tol != 0 && auto.Finish == "" {
		if auto.Finish = pegasos.FinishAuto; auto.Validate() == nil {
			v.cfg.Finish = auto.Finish
		}
	}
	for i := range v.grid {
		v.grid[i].cfg = v.grid[i].config(v.cfg)
	}
	return nil
}

func (v *search) search() error {
	start := time.Now()
	p := newProgress(v.stderr, v.flags.Quiet)
	run := v.run
	if v.flags.UsesKernel() {
		run = v.runKernels
	}
	err := run(p)
	p.clear()
	if err != nil {
		return v.reader.failed(err)
	}
	if err := v.set.Err(); err != nil { // damage found while reading a mapped file
		return fmt.Errorf("%s: %w", v.reader, err)
	}
	best := &v.grid[0]
	for i := range v.grid {
		v.grid[i].Share = v.grid[i].Lambda / number(v.r2)
		if v.metric.better(v.grid[i].Mean, best.Mean) {
			best = &v.grid[i]
		}
	}
	best.mark = "best"
	v.out = cvReport{
		Metric: v.metric.name, Folds: v.flags.Folds, FoldRows: v.sizes, Rows: v.set.Rows(),
		Features: v.set.Cols(), Labels: v.labels, MeanSquare: number(v.r2), Grid: v.grid,
		Best: *best, Load: v.loading.Seconds(), Seconds: time.Since(start).Seconds(),
		ISA: asm.Active().String(), Layout: string(v.set.Layout()), Seed: v.cfg.Seed,
		Config: best.cfg,
	}
	if v.flags.UsesKernel() {
		v.out.Config = best.kernelConfig(v.kernel).WithDefaults()
	}
	return nil
}

func (v *search) writeModel() error {
	if v.modelOut == nil {
		return nil
	}
	m, err := v.trainBest()
	if err != nil {
		return v.reader.failed(err)
	}
	v.out.Model, v.out.Hash = v.flags.Model, m.Hash()
	return v.modelOut.write(m.Write)
}

func (v *search) trainBest() (modelio.Predictor, error) {
	if v.flags.UsesKernel() {
		tr := v.kernelTrainer(&v.out.Best)
		m, err := tr.Train(v, v.set.Examples(), v.set.Y)
		v.setBest()
		if err == nil {
			err = v.reader.describeKernel(m, v.set)
		}
		return m, err
	}
	tr := v.trainer(v.out.Best.cfg)
	m, err := tr.Train(v, v.set.Examples(), v.set.Y)
	v.setBest()
	if err == nil {
		v.out.Gap = new(number(m.Result.Gap))
		err = v.reader.describe(m, v.set, labelling{names: v.set.Names})
	}
	return m, err
}

// setBest sets flags to the best point, for command lines in the model and the report.
func (v *search) setBest() {
	best := &v.out.Best
	lambda, c := best.cfg.Lambda, best.cfg.C
	if v.flags.UsesKernel() {
		lambda, c = float64(best.Lambda), float64(best.C)
	}
	for name, value := range map[string]float64{"lambda": lambda, "c": c, "gamma": best.Gamma} {
		if value != 0 {
			v.flags.Set(name, fmt.Sprint(value))
		}
	}
	if c := best.cfg.Curves; c != "" && c != pegasos.CurvesNone { // train chooses none with -lambda
		v.flags.Set("curves", string(c))
	}
}

func (v *search) write() error {
	switch n, of := len(v.rare), v.reader.ofWeight(); {
	case n == 1:
		v.warn(fmt.Sprintf("the class %s has fewer rows%s than there are folds: some folds have none "+
			"of its rows", escape.Name(v.rare[0]), of))
	case n > 1:
		v.warn(fmt.Sprintf("%d classes (%s) have fewer rows%s than there are folds: each is missing "+
			"from some folds", n, firstNames(v.rare), of))
	}
	v.out.Warnings = v.call.warnings
	v.setBest()
	words := v.reader.resolved(v.set, v.cfg.Multiclass, true)
	v.out.Command = "pegasimd train " + shellWords(append(words, v.args...))
	if err := v.jsonOut.writeJSON(v.out); err != nil {
		return err
	}
	if v.flags.Quiet || v.jsonOut.toStdout() {
		return nil
	}
	v.reader.tell(v.set)
	w := io.Writer(v.stdout)
	if v.modelOut.toStdout() {
		w = v.stderr
	}
	v.print(w)
	return nil
}

func (v *search) print(w io.Writer) {
	r, kind := &v.out, count(len(v.labels), "class")
	if r.Labels == nil {
		kind = "regression targets"
	}
	kernel := v.flags.UsesKernel()
	if kernel {
		kind += ", kernel " + string(v.kernel.Kernel)
	}
	rows, unused := count(r.Rows, "row"), r.Rows
	for _, n := range r.FoldRows {
		unused -= n
	}
	if unused > 0 {
		rows += fmt.Sprintf(" (%d of weight 0, in no fold)", unused)
	}
	fmt.Fprintf(w, "%s, %s, %s; %d folds of %s, seed %d\n\n", rows, count(r.Features, "feature"), kind,
		r.Folds, rowRange(r.FoldRows), r.Seed)
	penalty, of := "lambda", func(p *cvPoint) number { return p.Lambda }
	if r.Best.cfg.C != 0 || kernel && r.Best.C != 0 {
		penalty, of = "C", func(p *cvPoint) number { return p.C }
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	if kernel {
		fmt.Fprintf(t, "gamma\t%s\t%s\t+-\ttrained, s\t\t\n", penalty, v.metric.heading)
		for _, p := range r.Grid {
			gamma := "default"
			if p.Gamma != 0 {
				gamma = fmt.Sprintf("%.6g", p.Gamma)
			}
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%.3g\t%s\t\n", gamma, of(&p), v.metric.text(p.Mean),
				v.metric.text(p.Spread), p.Seconds, p.mark)
		}
	} else {
		fmt.Fprintf(t, "lambda\t/|x|^2\tC\t%s\t+-\tobjective\tabove the optimum\ttrained, s\t\t\n",
			v.metric.heading)
		for _, p := range r.Grid {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%.3g\t%s\t\n", p.Lambda, p.Share.format("%.3g"), p.C,
				v.metric.text(p.Mean), v.metric.text(p.Spread), p.Objective, most(float64(p.Gap)),
				p.Seconds, p.mark)
		}
	}
	t.Flush()
	fmt.Fprintf(w, "\nread in %.3g s, %d runs in %.3g s\n", r.Load, len(r.Grid)*r.Folds, r.Seconds)
	if v.mayImprove() {
		fmt.Fprint(w, r.edge(penalty, of),
			r.edge("gamma", func(p *cvPoint) number { return number(p.Gamma) }))
	}
	if r.Model != "" {
		fmt.Fprintf(w, "model %s of all rows, hash %.16s...\n", escape.Name(r.Model), r.Hash)
	}
	fmt.Fprintf(w, "the best, on all rows: %s\n", escape.Text(r.Command))
}

// mayImprove reports whether the score of one or more folds is not perfect.
func (v *search) mayImprove() bool {
	perfect := 1.0
	if v.metric.least {
		perfect = 0
	}
	return slices.ContainsFunc(v.out.Best.Scores, func(s float64) bool { return s != perfect })
}

func (r *cvReport) edge(name string, of func(*cvPoint) number) string {
	best, least, largest, as := of(&r.Best), true, true, 0
	for i := range r.Grid {
		at := of(&r.Grid[i])
		least, largest = least && best <= at, largest && best >= at
		if r.Grid[i].Mean == r.Best.Mean {
			as++
		}
	}
	switch {
	case as > 1 || least == largest:
		return ""
	case least:
		return fmt.Sprintf("the best %s is the smallest value tried: try smaller values\n", name)
	}
	return fmt.Sprintf("the best %s is the largest value tried: try larger values\n", name)
}
