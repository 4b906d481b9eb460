package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/pegasos"
)

var cvCommand = command{
	name:      "cv",
	arguments: "DATA",
	summary:   "find the best lambda by cross-validation",
	help: `Cv cuts the rows of DATA into folds, each with its share of every class. For each lambda, and each fold, it trains on the
other folds and predicts the fold. It tells the mean accuracy, or root mean square error, and the standard deviation over the
folds, beside the mean objective in training and its proven gap. The best lambda is that of the highest mean accuracy, or
the lowest mean error; of equal ones the largest. With -model the model of the best lambda, trained on all rows, is written.

The lambdas are those of -lambdas, or of -cs: C, where lambda is 1/(C * rows), those trained on. Without either they are
seven powers of ten: 10^k/10 to 10^k/10^7, where 10^k is R^2, the mean squared norm of the rows, rounded down.

With -kernel every one of -gammas is tried with every lambda or C; without -lambdas and -cs these are C 0.1, 1, 10, 100.

Each run starts from zero, as train does: what is measured is what train will do. The other flags are as in train; the same
data, flags and seed give the same numbers, but for the times, on every machine and with any number of threads.

Examples:
  pegasimd cv a9a.svm
  pegasimd cv -lambdas 1e-3,1e-4,1e-5 -folds 10 -loss log -model a9a.model a9a.svm
  pegasimd cv -kernel rbf -gammas 0.01,0.1 -cs 1,10 -model best.model heart.svm
  pegasimd cv -cs 0.1,1,10 -multiclass ovo -json cv.json train.csv.gz`,
	run: cv,
}

// cvReport is what -json writes.
type cvReport struct {
	Metric   string         `json:"metric"` // accuracy or rmse
	Folds    int            `json:"folds"`
	FoldRows []int          `json:"fold_rows"`
	Rows     int            `json:"rows"`
	Features int            `json:"features"`
	Labels   []string       `json:"labels"`
	Grid     []cvPoint      `json:"grid"` // from the largest lambda to the smallest
	Best     cvPoint        `json:"best"`
	Load     float64        `json:"load_seconds"`
	Seconds  float64        `json:"seconds"` // of all runs, side by side
	ISA      string         `json:"isa"`
	Layout   string         `json:"layout"`
	Seed     uint64         `json:"seed"`
	Model    string         `json:"model,omitempty"`
	Hash     string         `json:"model_hash,omitempty"`
	Gap      *number        `json:"model_gap,omitempty"`
	Config   pegasos.Config `json:"config"` // of the best
}

// A cvPoint is a lambda, or a C, and what its runs gave.
type cvPoint struct {
	Lambda    number    `json:"lambda"` // with C the mean over the folds
	C         number    `json:"c"`      // with lambda the mean over the folds
	Mean      number    `json:"mean"`
	Spread    number    `json:"spread"` // standard deviation over the folds, of n-1
	Scores    []float64 `json:"scores"` // of each fold
	Objective number    `json:"objective"`
	Gap       number    `json:"gap"`
	Seconds   float64   `json:"train_seconds"` // of all folds

	cfg pegasos.Config
}

// A cvRun is the training of a point without one fold.
type cvRun struct {
	score, lambda, c, objective, gap, seconds float64
	err                                       error
}

func cv(c *call) error {
	var data dataFlags
	var cfg pegasos.Config
	var preset, report, weightsFile, lambdas, cs, model string
	data.define(c)
	configFlags(c.flags, &cfg, &preset)
	var kernel kernelFlags
	kernel.define(c.flags)
	c.flags.StringVar(&kernel.gammas, "gammas", "", "try these with -kernel, a `list` such as 0.01,0.1,1")
	folds := c.flags.Int("folds", 5, "cut the rows into `n` folds")
	c.flags.StringVar(&lambdas, "lambdas", "", "try these, a `list` such as 1e-3,1e-4 (default seven powers of ten, see above)")
	c.flags.StringVar(&cs, "cs", "", "try these for C in place of lambda, a `list` such as 0.1,1,10")
	c.flags.StringVar(&weightsFile, "weights", "", "read a weight for each row from `file`, a line each: it counts in training and in the accuracy")
	c.flags.StringVar(&model, "model", "", "train on all rows with the best lambda, and write the model to `file`")
	c.flags.StringVar(&report, "json", "", "write the numbers to `file`, or - for standard output instead of the table")
	args, err := c.parse(1, 1)
	if err != nil {
		return err
	}
	if err := applyPreset(&cfg, preset); err != nil {
		return err
	}
	if err := c.checkZeros(cfg); err != nil {
		return err
	}
	grid, err := gridOf(c, cfg, lambdas, cs)
	if err != nil {
		return err
	}
	if *folds < 2 {
		return usagef("-folds: have %d, want 2 or more", *folds)
	}
	if err := kernel.check(c, "folds", "lambdas", "cs", "model"); err != nil {
		return err
	}
	if kernel.cfg.Kernel != "" {
		kc, err := kernel.config(c, cfg)
		if err != nil {
			return err
		}
		return cvKernel(c, &data, kc, kernel, grid, *folds, args[0], model, report)
	}
	if cfg.Patience != 0 {
		return usagef("-patience: there are no rows to validate with but the folds")
	}
	byName := cfg.ClassWeight
	if byName != pegasos.Balanced {
		cfg.ClassWeight = "" // labels may be names: see classWeight
	}
	for _, p := range grid {
		if err := p.config(cfg).Validate(); err != nil {
			return usageError{err}
		}
	}
	if grid == nil {
		if err := cfg.Validate(); err != nil {
			return usageError{err}
		}
	}
	set, loading, err := data.read(c, args[0], nil)
	if err != nil {
		return err
	}
	if cfg.Loss.Regression() && set.Names != nil {
		return fmt.Errorf("%s: the labels are names, -loss %s wants numbers", args[0], cfg.Loss)
	}
	if cfg.ClassWeight, err = classWeight(byName, labelling{names: set.Names}); err != nil {
		return err
	}
	var weights []float32
	if weightsFile != "" {
		if weights, err = readWeights(weightsFile); err != nil {
			return err
		}
		if len(weights) != set.Rows() {
			return fmt.Errorf("%s: %d weights for %d rows", weightsFile, len(weights), set.Rows())
		}
	}
	if grid == nil {
		grid = defaultGrid(set)
	}
	v := validation{set: set, weights: weights, folds: *folds}
	if err := v.deal(cfg); err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	for i := range grid {
		grid[i].cfg = grid[i].config(cfg)
	}
	start := time.Now()
	p := newProgress(c.stderr, data.quiet)
	err = v.run(c, grid, data.opt.Threads, p)
	p.clear()
	if err != nil {
		var bad *pegasos.ConfigError
		if errors.As(err, &bad) {
			return usageError{err}
		}
		return fmt.Errorf("%s: %w", args[0], err)
	}
	if err := set.Err(); err != nil { // of a mapped file, all of which has been met
		return fmt.Errorf("%s: %w", args[0], err)
	}

	best := &grid[0] // the largest lambda, unless another is better
	for i := range grid {
		if d := grid[i].Mean - best.Mean; d > 0 && !cfg.Loss.Regression() || d < 0 && cfg.Loss.Regression() {
			best = &grid[i]
		}
	}
	out := cvReport{
		Metric: "accuracy", Folds: *folds, FoldRows: v.sizes, Rows: set.Rows(), Features: set.Cols(), Labels: v.labels,
		Grid: grid, Best: *best, Load: loading.Seconds(), Seconds: time.Since(start).Seconds(),
		ISA: asm.Active().String(), Layout: string(set.Layout()), Seed: cfg.Seed, Config: best.cfg.WithDefaults(),
	}
	if cfg.Loss.Regression() {
		out.Metric = "rmse"
	}
	if model != "" {
		tr := pegasos.Trainer{Config: best.cfg, Threads: data.opt.Threads, Weights: weights}
		m, err := tr.Train(c, matrix(set), set.Y)
		if err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
		m.Names, m.IndexBase = namesOf(m.Classes, labelling{names: set.Names}), set.IndexBase
		if err := m.WriteFile(model); err != nil {
			return err
		}
		gap := number(m.Result.Gap)
		out.Model, out.Hash, out.Gap = model, m.Hash(), &gap
	}
	if err := c.writeJSON(report, out); err != nil {
		return err
	}
	if !data.quiet && report != "-" {
		warnIgnored(c, set.Ignored)
		for _, name := range v.rare {
			fmt.Fprintf(c.stderr, "class %s has fewer rows than there are folds: some have none of it\n", name)
		}
		out.print(c.stdout)
	}
	return nil
}

// gridOf returns the points that the flags name, from the largest lambda to the smallest, or nil if they name none.
func gridOf(c *call, cfg pegasos.Config, lambdas, cs string) (grid []cvPoint, err error) {
	given := 0
	for _, name := range []string{"lambda", "c", "lambdas", "cs"} {
		if c.given(name) {
			given++
		}
	}
	if given > 1 {
		return nil, usagef("only one of -lambda, -c, -lambdas and -cs can be given")
	}
	numbers := func(flag, list string) (values []number, err error) {
		for _, word := range strings.Split(list, ",") {
			v, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
			if err != nil || !(v > 0) || math.IsInf(v, 1) {
				return nil, usagef("-%s: %q: want positive numbers, such as 1e-3,1e-4", flag, word)
			}
			values = append(values, number(v))
		}
		slices.Sort(values)
		return slices.Compact(values), nil
	}
	switch {
	case c.given("lambda"):
		return []cvPoint{{Lambda: number(cfg.Lambda)}}, nil
	case c.given("c"):
		return []cvPoint{{C: number(cfg.C)}}, nil
	case c.given("lambdas"):
		values, err := numbers("lambdas", lambdas)
		slices.Reverse(values)
		for _, v := range values {
			grid = append(grid, cvPoint{Lambda: v})
		}
		return grid, err
	case c.given("cs"):
		values, err := numbers("cs", cs)
		for _, v := range values {
			grid = append(grid, cvPoint{C: v})
		}
		return grid, err
	}
	return nil, nil
}

// config returns cfg with the point's lambda or C, of which one is set before the runs.
func (p *cvPoint) config(cfg pegasos.Config) pegasos.Config {
	cfg.Lambda, cfg.C = float64(p.Lambda), float64(p.C)
	return cfg
}

// defaultGrid goes by the scale of the rows: of rows that are multiplied by c, c^2 times lambda is the same problem.
func defaultGrid(set *dataset.Set) (grid []cvPoint) {
	x := matrix(set)
	var sum float64
	for i := range x.Rows() {
		sum += float64(x.SumSquares(i))
	}
	mean := sum / float64(x.Rows())
	if mean-mean != 0 || mean <= 0 {
		mean = 1 // the trainer says which row is at fault
	}
	_, exponent, _ := strings.Cut(strconv.FormatFloat(mean, 'e', -1, 64), "e")
	k, _ := strconv.Atoi(exponent)
	for j := 1; j <= 7; j++ {
		lambda, _ := strconv.ParseFloat(fmt.Sprintf("1e%d", k-j), 64)
		if lambda = max(lambda, pegasos.MinLambda); len(grid) == 0 || number(lambda) < grid[len(grid)-1].Lambda {
			grid = append(grid, cvPoint{Lambda: number(lambda)})
		}
	}
	return grid
}

// A validation is the rows in their folds.
type validation struct {
	set     *dataset.Set
	weights []float32 // of the rows, or nil
	folds   int
	fold    []int    // of each row; -1 for those without weight
	sizes   []int    // of the folds
	labels  []string // nil for numbers
	rare    []string // those that some folds lack
}

// deal cuts the rows into folds.
func (v *validation) deal(cfg pegasos.Config) error {
	y := v.set.Y
	if cfg.Loss.Regression() {
		y = make([]float32, len(y)) // as if of one class: plain folds
	}
	v.fold = pegasos.Folds(y, v.weights, v.folds, cfg.Seed)
	v.sizes = make([]int, v.folds)
	rows := map[float32]int{}
	for i, f := range v.fold {
		if f >= 0 {
			v.sizes[f]++
			rows[y[i]]++
		}
	}
	if n := slices.Min(v.sizes); n == 0 {
		return fmt.Errorf("too few rows for %d folds", v.folds)
	}
	if cfg.Loss.Regression() {
		return nil
	}
	var classes []float32
	several := 0
	for label, n := range rows {
		classes = append(classes, label)
		if n > 1 {
			several++
		}
	}
	slices.Sort(classes)
	if several < 2 {
		return fmt.Errorf("want two or more classes of two or more rows each, so that no fold takes all of a class")
	}
	for _, label := range classes {
		name := pegasos.FormatLabel(label)
		if v.set.Names != nil {
			name = v.set.Names[int(label)]
		}
		v.labels = append(v.labels, name)
		if rows[label] < v.folds {
			v.rare = append(v.rare, name)
		}
	}
	return nil
}

// run does the runs of all points and folds, several at a time, and fills in the points. No run depends on another: one that
// starts from the model of the next larger lambda would go on with that one's small steps, while w has far to go. Tried with
// train -lambda 1e-5 -start, from 1e-4 from 1e-3, on the IMDB reviews: the objective is 1.25 times as high after as many
// epochs; where lambda matters less it is up to 3 % lower. Nor would it be what train does with the lambda that is chosen.
func (v *validation) run(ctx context.Context, grid []cvPoint, threads int, p *progress) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	runs := make([]cvRun, len(grid)*v.folds)
	at := workers(threads, len(runs))
	within := max(1, workers(threads, math.MaxInt)/at)
	var mu sync.Mutex
	done := make([]float64, len(runs)) // the share of each that is
	show := func(i int, share float64) {
		mu.Lock()
		defer mu.Unlock()
		done[i] = share
		var sum float64
		finished := 0
		for _, s := range done {
			sum += s
			if s == 1 {
				finished++
			}
		}
		p.show(sum/float64(len(done)), "%d of %d runs", finished, len(done))
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range at {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(runs); i = int(next.Add(1)) - 1 {
				runs[i] = v.one(ctx, grid[i/v.folds].cfg, i%v.folds, within, func(share float64) { show(i, share) })
				if runs[i].err != nil {
					cancel()
				}
				show(i, 1)
			}
		})
	}
	wg.Wait()
	// The error of the first run that has one of its own; others may have been cancelled for its sake.
	var failed error
	for i, r := range runs {
		if r.err != nil && (failed == nil || errors.Is(failed, context.Canceled) && !errors.Is(r.err, context.Canceled)) {
			failed = fmt.Errorf("fold %d of %d: %w", i%v.folds+1, v.folds, r.err)
		}
	}
	if failed != nil {
		return failed
	}
	for i := range grid {
		grid[i].sum(runs[i*v.folds:][:v.folds])
	}
	return nil
}

// one trains without a fold and measures on it.
func (v *validation) one(ctx context.Context, cfg pegasos.Config, fold, threads int, progress func(share float64)) (r cvRun) {
	weights := make([]float32, len(v.fold))
	var total float64
	for i, f := range v.fold {
		if f >= 0 && f != fold {
			weights[i] = v.weight(i)
			total += float64(weights[i])
		}
	}
	start := time.Now()
	tr := pegasos.Trainer{Config: cfg, Threads: threads, Weights: weights, Progress: func(p pegasos.Progress) {
		progress(float64(p.Steps) / float64(p.TotalSteps+1))
	}}
	x := matrix(v.set)
	m, err := tr.Train(ctx, x, v.set.Y)
	if err != nil {
		return cvRun{err: err}
	}
	r = cvRun{seconds: time.Since(start).Seconds(), lambda: m.Lambda, objective: m.Result.Objective, gap: m.Result.Gap}
	if m.Result.Weight > 0 {
		total = m.Result.Weight // with those of the classes
	}
	r.c = 1 / (m.Lambda * total)
	var sum, all float64
	for i, f := range v.fold {
		if f != fold {
			continue
		}
		w := float64(v.weight(i))
		label := m.Predict(x, i)
		switch {
		case m.Classes == nil:
			d := float64(label) - float64(v.set.Y[i])
			sum += float64(w * float64(d*d))
		case label == v.set.Y[i]:
			sum += w
		}
		all += w
	}
	if r.score = sum / all; m.Classes == nil {
		r.score = math.Sqrt(r.score)
	}
	return r
}

func (v *validation) weight(i int) float32 {
	if v.weights == nil {
		return 1
	}
	return v.weights[i]
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
	kind := fmt.Sprintf("%d classes", len(r.Labels))
	if r.Labels == nil {
		kind = "numbers to predict"
	}
	fmt.Fprintf(w, "%d rows, %d features, %s; %d folds of %d to %d rows, seed %d\n\n", r.Rows, r.Features, kind, r.Folds,
		slices.Min(r.FoldRows), slices.Max(r.FoldRows), r.Seed)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	heading, digits, scale := "accuracy, %", "%.3f", number(100)
	if r.Labels == nil {
		heading, digits, scale = "RMSE", "%.6g", 1
	}
	fmt.Fprintf(t, "lambda\tC\t%s\t+-\tobjective\tgap\ttrained, s\t\t\n", heading)
	for _, p := range r.Grid {
		mark := ""
		if p.Lambda == r.Best.Lambda && cmp.Compare(p.C, r.Best.C) == 0 {
			mark = "best"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%.3g\t%s\t\n", p.Lambda, p.C, (p.Mean * scale).format(digits),
			(p.Spread * scale).format(digits), p.Objective, percent(float64(p.Gap)), p.Seconds, mark)
	}
	t.Flush()
	fmt.Fprintf(w, "\nread in %.3g s, %d runs in %.3g s\n", r.Load, len(r.Grid)*r.Folds, r.Seconds)
	if r.Model != "" {
		fmt.Fprintf(w, "model %s of all rows, hash %.16s...\n", r.Model, r.Hash)
	}
}
