package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/pegasos"
)

var trainCommand = command{
	name:      "train",
	arguments: "DATA [MODEL]",
	summary:   "train a model on labelled data",
	help: `Train reads labelled data, trains a linear support vector machine and writes the model. Two labels make one
problem, more make one for each label against the rest; with -loss eps-insensitive labels are numbers to predict.
Without MODEL the model is written to the working folder under DATA's name with the ending .model.

DATA is svmlight text (.svm .libsvm .svmlight .txt), CSV (.csv .tsv), a pair of IDX files given as IMAGES,LABELS, or - for
svmlight text from standard input; each may be compressed with gzip.

What is minimised is lambda/2 |w|^2 + the mean loss, which is max(0, 1 - yz) for hinge, where z = <w,x>, log(1 + e^-yz)
for log, max(0, 1 - yz)^2 for squared-hinge, and max(0, |y - z| - epsilon) for eps-insensitive. With -c it is the same
as liblinear's -s 3 -c: lambda is 1/(C * rows). With -class-weight or -weights the mean is weighted, and in place of the rows stands their
weight. The same data, flags and seed give the same model, bit for bit, on every machine.

With -kernel the hinge loss is minimised over functions of a kernel: what goes with it are -gamma -coef0 -degree -finish
-passes -max-sv -cache-mb, -lambda -c -epochs -steps -tol -order -offset -average -multiclass -seed -preset -json, and the
flags about data.

Examples:
  pegasimd train -lambda 1e-4 a9a.svm
  pegasimd train -loss log -bias augmented a9a.svm odds.model
  pegasimd train -c 1 -epochs 40 -json run.json train.csv.gz digits.model
  pegasimd train -kernel rbf -gamma 0.05 -lambda 3.07e-5 a9a.svm
  pegasimd train -plot curve.svg -valid a9a.t.svm a9a.svm
  pegasimd train train-images-idx3-ubyte.gz,train-labels-idx1-ubyte.gz fashion.model
  pegasimd train -preset paper -lambda 1e-4 -steps 1000000 text.svm.gz text.model
  pegasimd train -epochs 5000 -checkpoint run.state text.svm.gz text.model
  pegasimd train -resume run.state -checkpoint run.state text.svm.gz text.model`,
	run: train,
}

// trainReport is what -json writes.
type trainReport struct {
	Objective      number   `json:"objective"`
	DualObjective  number   `json:"dual_objective"`
	Gap            number   `json:"gap"`
	Lambda         float64  `json:"lambda"`
	C              number   `json:"c"` // null with -multiclass ovo and without -c: each pair has its own
	Rows           int      `json:"rows"`
	Features       int      `json:"features"`
	NNZ            int      `json:"nnz"`
	Classes        int      `json:"classes"`
	Labels         []string `json:"labels"`
	Steps          int64    `json:"steps"`
	Epochs         float64  `json:"epochs"`
	Violations     int64    `json:"violations"`
	R2             float64  `json:"r2"`
	T0             float64  `json:"t0"`
	LoadSeconds    float64  `json:"load_seconds"`
	TrainSeconds   float64  `json:"train_seconds"`
	MeasureSeconds float64  `json:"measure_seconds"`
	StepsPerSecond float64  `json:"steps_per_second"`
	ISA            string   `json:"isa"`
	Layout         string   `json:"layout"`
	Seed           uint64   `json:"seed"`
	IndexBase      int      `json:"index_base"`
	ModelHash      string   `json:"model_hash"`
	Model          string   `json:"model"`
	Interrupted    bool     `json:"interrupted"`

	Config pegasos.Config `json:"config"`
}

// configFlags are the fields of pegasos.Config. Those given override a preset's.
func configFlags(f *flag.FlagSet, cfg *pegasos.Config, preset *string) {
	f.StringVar(preset, "preset", "", "start from the choices of the `paper`: -order iid -offset none -average none")
	f.Float64Var(&cfg.Lambda, "lambda", 0, "the penalty's `weight` (default 1e-4 unless -c is given)")
	f.Float64Var(&cfg.C, "c", 0, "the penalty as other solvers have it: lambda is 1/(`C` * rows)")
	f.Func("loss", "what a row costs: `hinge`, log, squared-hinge, or, for labels that are numbers to predict, eps-insensitive (default hinge)", text(&cfg.Loss))
	f.Float64Var(&cfg.Epsilon, "epsilon", 0, "the `error` that costs nothing with -loss eps-insensitive (default 0)")
	f.IntVar(&cfg.Epochs, "epochs", 0, "train for `n` passes over the rows (default 20 unless -steps is given)")
	f.Int64Var(&cfg.Steps, "steps", 0, "train for `n` steps")
	f.Float64Var(&cfg.Tol, "tol", 0, "stop before -epochs or -steps when the objective is proven to be within `share` of the optimum: 0.01 is 1 %")
	f.Float64Var(&cfg.Change, "change", 0, "stop when the objective falls by no more than this `share` of itself between two looks, a quarter of the run apart")
	f.IntVar(&cfg.Patience, "patience", 0, "stop after `n` looks without a better model on -valid's data, and take the best")
	f.Func("order", "the `order` of the rows: shuffled, once, and blocks of them in a new order each epoch; permutation, new in each epoch; iid, with\nreplacement; sequential, as in the file; or blocks of rows as in the file (default shuffled)", text(&cfg.Order))
	f.IntVar(&cfg.Block, "block", 0, "the `rows` of a block with -order shuffled or blocks (default 64)")
	f.IntVar(&cfg.Batch, "batch", 0, "look at `n` rows in a step, no row twice (default 1)")
	f.IntVar(&cfg.Shards, "shards", 0, "let `n` copies of the weights share the work, so that two classes too are trained on several threads (default 1)")
	f.BoolVar(&cfg.Project, "project", false, "keep the weights in the ball of radius 1/sqrt(lambda) (of the log loss sqrt(log(2)/lambda))")
	f.Func("finish", "what `follows` the first epochs, for hinge and squared-hinge: none; dual, coordinate ascent from there, which is closer to the\noptimum after a few; or auto, the same if the gap speaks for it (default none)", text(&cfg.Finish))
	f.IntVar(&cfg.FinishAfter, "finish-after", 0, "how many `epochs` come before -finish (default 1)")
	f.Func("offset", "the `rule` for t0, which steps count from: r2 for R^2/lambda; pilot for a multiple of it that a run over an eighth of the rows suggests,\nwith which the objective often falls faster; or none for 0 (default r2)", text(&cfg.Offset))
	f.Func("average", "the result is the `mean` over the last-half of the run, or none: its last iterate (default last-half)", text(&cfg.Average))
	f.Func("bias", "the constant `term`: none; augmented, an appended constant feature; unregularised, one without\npenalty and with steps of its own; or outer, the same found in 20 runs (default none)", text(&cfg.Bias))
	f.Float64Var(&cfg.BiasScale, "bias-scale", 0, "the appended feature's `value` (default 1)")
	f.Func("multiclass", "what more than two labels make: `ovr`, a problem for each label against the rest; ovo, one for each pair of labels;\ncrammer-singer, or with -loss log multinomial, a single one of all (default ovr)", text(&cfg.Multiclass))
	f.StringVar(&cfg.ClassWeight, "class-weight", "", "what rows `weigh`: balanced, so that classes do the same, or a list such as yes=2.5,no=1 (default 1 each)")
	f.Uint64Var(&cfg.Seed, "seed", 0, "the random numbers' `seed`")
}

func text[T ~string](to *T) func(string) error {
	return func(s string) error {
		*to = T(s)
		return nil
	}
}

func train(c *call) error {
	var data dataFlags
	var cfg pegasos.Config
	var preset, report, scale, weights, startFile, priorFile, valid, costs string
	var points curve
	data.define(c)
	configFlags(c.flags, &cfg, &preset)
	var checks checkpoints
	checks.define(c)
	var kernel kernelFlags
	kernel.define(c.flags)
	c.flags.StringVar(&startFile, "start", "", "go on from a `model`, with smaller steps; its features and labels are used")
	c.flags.StringVar(&priorFile, "prior", "", "penalise the distance from a `model`'s weights; its features and labels are used")
	c.flags.StringVar(&scale, "scale", "", "scale the features first, and in every later use of the model: max-abs, standard (zero mean, unit variance) or unit (`rows` of length 1)")
	c.flags.StringVar(&weights, "weights", "", "read a weight for each row from `file`, a line each; 2 is as good as having the row twice")
	proba := c.flags.Bool("proba", false, "give the model probabilities by Platt's method, with 5 folds: trains 6 times; -loss log has its own")
	c.flags.StringVar(&valid, "valid", "", "the `data` to validate with, which are not trained on: for -patience, -plot and -curve")
	c.flags.StringVar(&costs, "costs", "", "read what mistakes cost with -multiclass crammer-singer from `file`: a line for each true label, in it a number for each\npredicted one, both in ascending order; 0 where they are the same")
	c.flags.StringVar(&report, "json", "", "write the run's numbers to `file`, or - for standard output")
	points.define(c)
	args, err := c.parse(1, 2)
	if err != nil {
		return err
	}
	if err := applyPreset(&cfg, preset); err != nil {
		return err
	}
	if err := kernel.check(c); err != nil {
		return err
	}
	if kernel.cfg.Kernel != "" {
		return trainKernel(c, &data, cfg, kernel, args, report)
	}
	if err := c.checkZeros(cfg); err != nil {
		return err
	}
	if *proba && cfg.Loss != pegasos.Log && cfg.Multiclass != pegasos.Multinomial {
		cfg.Calibrate = 5
	}
	var name string
	if len(args) == 2 {
		name = args[1]
	} else if name, err = modelName(args[0]); err != nil {
		return err
	}
	if err := checks.read(c, &cfg, name); err != nil {
		return err
	}
	if (valid == "") != (cfg.Patience == 0) && (valid == "" || !points.wanted()) {
		return usagef("-valid and -patience go together, but for -plot and -curve")
	}
	if err := points.check(cfg); err != nil {
		return err
	}
	byName := cfg.ClassWeight
	if byName != pegasos.Balanced {
		cfg.ClassWeight = "" // labels may be names: see classWeight
	}
	if err := cfg.Validate(); err != nil {
		return usageError{err}
	}

	var startModel, priorModel, like *pegasos.Model
	for _, f := range []struct {
		file string
		to   **pegasos.Model
	}{{priorFile, &priorModel}, {startFile, &startModel}} {
		if f.file != "" && (checks.from == nil || f.to == &priorModel) {
			if *f.to, err = pegasos.ReadFile(f.file); err != nil {
				return err
			}
			like = *f.to
		}
	}
	if checks.from != nil {
		like = checks.from // with what it started from, if it did
	}
	set, loading, err := data.read(c, args[0], like)
	if err != nil {
		return err
	}
	if cfg.Loss.Regression() && set.Names != nil {
		return fmt.Errorf("%s: the labels are names, -loss %s wants numbers", args[0], cfg.Loss)
	}
	if scale != "" {
		if like != nil {
			return usagef("-scale: the other model says how the features are scaled")
		}
		if set, err = data.fitScaler(args[0], scale, set); err != nil {
			return err
		}
	}
	known := labelling{names: set.Names}
	if like != nil && like.Classes != nil && !cfg.Loss.Regression() {
		if err := relabel(set, like); err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
		if startModel != nil && priorModel != nil && !slices.Equal(classNames(startModel), classNames(priorModel)) {
			return usagef("-start and -prior: the models have different classes")
		}
		known = labelling{like.Names, like.Classes}
	}
	if cfg.ClassWeight, err = classWeight(byName, known); err != nil {
		return err
	}
	var rowWeights []float32
	if weights != "" {
		if rowWeights, err = readWeights(weights); err != nil {
			return err
		}
	}
	var costMatrix [][]float64
	if costs != "" {
		if costMatrix, err = readCosts(costs); err != nil {
			return err
		}
	}
	var held *pegasos.Labelled
	if valid != "" {
		if held, err = data.readValid(c, valid, set, known, cfg.Loss.Regression()); err != nil {
			return err
		}
	}
	points.rows, points.checks, points.threads = &pegasos.Labelled{X: matrix(set), Y: set.Y}, held, data.opt.Threads
	p := newProgress(c.stderr, data.quiet)
	var training, measuring time.Duration
	var taken int64
	var start time.Time
	trainer := pegasos.Trainer{Config: cfg, Threads: data.opt.Threads, Weights: rowWeights, Costs: costMatrix, Valid: held, Start: startModel, Prior: priorModel, Early: points.early()}
	trainer.Progress = func(now pegasos.Progress) {
		training, taken = time.Since(start)-measuring, now.Steps
		r, looked := points.look(now, training)
		show := now.Steps != now.TotalSteps && p.due()
		if show && !looked {
			r, looked = now.Measure(), true
		}
		if looked {
			measuring = time.Since(start) - training
		}
		if !show {
			return
		}
		speed := float64(now.Steps) / training.Seconds()
		p.show(float64(now.Steps)/float64(now.TotalSteps), "epoch %d, step %d: objective %.6g, gap %s, %.3g steps/s",
			now.Epoch, now.Steps, r.Objective, percent(r.Gap), speed)
	}
	start = time.Now()
	m, err := checks.train(c, &trainer, set, data.scaled)
	measuring = time.Since(start) - training // with the last measurement, of the result
	p.clear()
	interrupted := errors.Is(err, context.Canceled)
	if err != nil && !(interrupted && m != nil) {
		var bad *pegasos.ConfigError
		if errors.As(err, &bad) {
			if bad.Field == "Costs" && costs != "" {
				err = fmt.Errorf("%s: %w", costs, err)
			}
			return usageError{err}
		}
		return fmt.Errorf("%s: %w", args[0], err)
	}
	m.Names, m.IndexBase = namesOf(m.Classes, known), set.IndexBase
	if err := data.scaled(m); err != nil {
		return err
	}
	if err := m.WriteFile(name); err != nil {
		return err
	}
	if err := points.finish(args[0], m, training, interrupted); err != nil {
		return err
	}

	r := m.Result
	steps := taken - checks.before // of this run, of all vectors
	if cfg.Multiclass != pegasos.OneVsOne && !cfg.Multiclass.Joint() {
		steps *= int64(len(m.Weights))
	}
	weight := r.Weight
	if weight == 0 {
		weight = float64(set.Rows())
	}
	penalty := 1 / (m.Lambda * weight)
	if pairs := m.Config.Multiclass == pegasos.OneVsOne && len(m.Classes) > 2; cfg.C != 0 {
		penalty = cfg.C
	} else if pairs {
		penalty = math.NaN()
	}
	out := trainReport{
		Objective: number(r.Objective), DualObjective: number(r.DualObjective), Gap: number(r.Gap),
		Lambda: m.Lambda, C: number(penalty),
		Rows: set.Rows(), Features: set.Cols(), NNZ: set.NNZ(), Classes: len(m.Classes), Labels: classNames(m),
		Steps: r.Steps, Epochs: r.Epochs, Violations: r.Violations, R2: r.R2, T0: r.T0,
		LoadSeconds: loading.Seconds(), TrainSeconds: training.Seconds(), MeasureSeconds: measuring.Seconds(),
		StepsPerSecond: float64(steps) / training.Seconds(),
		ISA:            asm.Active().String(), Layout: string(set.Layout()), Seed: m.Config.Seed, IndexBase: m.IndexBase,
		ModelHash: m.Hash(), Model: name, Interrupted: interrupted, Config: m.Config,
	}
	if err := c.writeJSON(report, out); err != nil {
		return err
	}
	if !data.quiet {
		warnIgnored(c, set.Ignored)
		warnScale(c, set)
		out.print(c)
	}
	if checks.failed != nil {
		return checks.failed
	}
	if interrupted {
		if checks.file != "" && !data.quiet {
			fmt.Fprintf(c.stderr, "to go on: pegasimd train -resume %s %s %s\n", checks.file, args[0], name)
		}
		return err
	}
	return nil
}

func applyPreset(cfg *pegasos.Config, preset string) error {
	if preset == "" {
		return nil
	}
	if preset != "paper" {
		return usagef("there is no preset %q, only paper", preset)
	}
	paper := pegasos.Paper()
	for _, f := range []struct{ to, from *string }{
		{(*string)(&cfg.Order), (*string)(&paper.Order)},
		{(*string)(&cfg.Offset), (*string)(&paper.Offset)},
		{(*string)(&cfg.Average), (*string)(&paper.Average)},
	} {
		if *f.to == "" {
			*f.to = *f.from
		}
	}
	return nil
}

// checkZeros refuses flags that are given as 0, which would stand for their default.
func (c *call) checkZeros(cfg pegasos.Config) error {
	for _, zero := range []struct {
		flag string
		zero bool
	}{{"lambda", cfg.Lambda == 0}, {"c", cfg.C == 0}, {"epochs", cfg.Epochs == 0}, {"steps", cfg.Steps == 0}, {"tol", cfg.Tol == 0}, {"change", cfg.Change == 0}, {"patience", cfg.Patience == 0}} {
		if zero.zero && c.given(zero.flag) {
			return usagef("-%s must be greater than 0", zero.flag)
		}
	}
	return nil
}

// given tells whether a flag was on the command line.
func (c *call) given(name string) (given bool) {
	c.flags.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	return given
}

// namesOf returns the names of classes; nil if they have none. Some of the names may not be among them.
func namesOf(classes []float32, known labelling) (names []string) {
	if known.names == nil {
		return nil
	}
	for _, label := range classes {
		k := int(label)
		if known.labels != nil {
			k = slices.Index(known.labels, label)
		}
		names = append(names, known.names[k])
	}
	return names
}

func classNames(m *pegasos.Model) (names []string) {
	for i := range m.Classes {
		names = append(names, m.ClassName(i))
	}
	return names
}

func (r *trainReport) print(c *call) {
	w := c.stderr
	kind := fmt.Sprintf("%d classes", r.Classes)
	if r.Config.Loss.Regression() {
		kind = "numbers to predict"
	}
	fmt.Fprintf(w, "%d rows, %d features, %s; %s layout, %s kernels\n", r.Rows, r.Features, kind, r.Layout, r.ISA)
	lambda := fmt.Sprintf("lambda %.6g (C %.6g)", r.Lambda, float64(r.C))
	if r.Config.Multiclass == pegasos.OneVsOne && r.Classes > 2 {
		if lambda = fmt.Sprintf("lambda %.6g", r.Lambda); r.Config.C != 0 {
			lambda = fmt.Sprintf("C %.6g in each pair", r.Config.C)
		}
	}
	fmt.Fprintf(w, "%s, %.4g epochs, %d steps, seed %d\n", lambda, r.Epochs, r.Steps, r.Seed)
	fmt.Fprintf(w, "read in %.3g s, trained in %.3g s: %.3g steps/s\n", r.LoadSeconds, r.TrainSeconds, r.StepsPerSecond)
	switch gap := float64(r.Gap); {
	case r.Interrupted:
		fmt.Fprintln(w, "interrupted: the model is that of the steps so far, its objective was not measured")
	case gap != gap:
		fmt.Fprintf(w, "objective %.8g; no bound on its distance from the optimum with these settings\n", float64(r.Objective))
	default:
		fmt.Fprintf(w, "objective %.8g, proven to be within %s of the optimum\n", float64(r.Objective), percent(gap))
	}
	fmt.Fprintf(w, "model %s, hash %.16s...\n", r.Model, r.ModelHash)
}
