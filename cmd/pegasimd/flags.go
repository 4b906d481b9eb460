package main

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm"
)

// This file has the flags of all commands, in groups. A flag's usage begins with its placeholder in
// backquotes, a type or the choices; help prints it behind the flag's name.

// A flagGroup is flags that belong together, and their values.
type flagGroup interface{ define(f *flag.FlagSet) }

// dataFlags are those of every command that reads data.
type dataFlags struct {
	opt                          dataset.Options
	format, layout, base, header string
	quiet, force                 bool
}

func (d *dataFlags) define(f *flag.FlagSet) {
	f.StringVar(&d.format, "format", "auto",
		"`svmlight|csv|tsv|npy|idx|pgsm|auto` the data's format; auto goes by the name")
	f.StringVar(&d.layout, "layout", "auto",
		"`dense|sparse|auto` how the features are held; auto is dense if a quarter of the values or "+
			"more are not 0")
	f.StringVar(&d.base, "index-base", "",
		"`0|1|auto` the number of the first feature in svmlight data (default 1, or the model's)")
	f.StringVar(&d.header, "header", "auto",
		"`yes|no|auto` whether a CSV file's first row names the columns")
	f.StringVar(&d.opt.LabelColumn, "label-column", "",
		"`column` where the label is in a CSV or .npy file: a name, a number from 0, or last "+
			"(default last, or where it was in training)")
	f.Func("unsorted", "`error|sort|sum` what to do with svmlight indices that don't ascend; "+
		"sum adds values of the same index (default error)", text(&d.opt.Unsorted))
	f.IntVar(&d.opt.HashBits, "hash-bits", 0,
		"`n` hash svmlight indices, which may be any below 2^64, to 2^n features (0: do not)")
	f.BoolVar(&d.opt.InMemory, "in-memory", false,
		"read a .pgsm file into memory and check it, in place of mapping it")
	f.BoolVar(&d.opt.Verify, "verify", false, "check all of a .pgsm file before it is used")
	f.IntVar(&d.opt.MaxFeatures, "max-features", 0, "`n` refuse data with more features (0: 2^20, "+
		"or one for each value in the file if that is more; 2^18 of CSV)")
	f.Int64Var(&d.opt.MaxBytes, "max-bytes", 0,
		"`n` refuse data of more bytes, counted after decompression (0: no limit)")
	f.IntVar(&d.opt.Threads, "threads", 0,
		"`n` the number of threads (0: all); the result does not depend on it")
	f.BoolVar(&d.quiet, "quiet", false, "print no progress and no summary")
	f.BoolVar(&d.force, "force", false, "replace any file: without it a command does not write "+
		"to a file that it reads, or that holds something else than what it writes")
}

// settingFlags are the fields of pegasos.Config. Those given override a preset's.
type settingFlags struct {
	cfg    pegasos.Config
	task   string
	preset string
}

func (s *settingFlags) define(f *flag.FlagSet) {
	s.defineProblem(f)
	s.defineSteps(f)
	s.defineFinish(f)
}

// defineProblem defines what is minimised.
func (s *settingFlags) defineProblem(f *flag.FlagSet) {
	cfg := &s.cfg
	f.Float64Var(&cfg.Lambda, "lambda", 0,
		"`number` the weight of the penalty, for rows as they are scaled (default by the data: see "+
			"above)")
	f.Float64Var(&cfg.C, "c", 0,
		"`number` the penalty as other solvers have it: lambda is 1/(C * rows)")
	f.StringVar(&s.task, "task", taskAuto, "`auto|classes|numbers` what labels are: classes, or "+
		"numbers to predict, with -loss squared if no other is given; auto is numbers where there "+
		"are very many, or many with fractions, and no other flag says what they are")
	f.Func("loss", lossUsage(), text(&cfg.Loss))
	f.Float64Var(&cfg.Epsilon, "epsilon", 0,
		"`number` the error that costs nothing with -loss eps-insensitive (default a tenth of the "+
			"labels' standard deviation)")
	f.Func("bias", "`none|augmented|unregularised` the constant term: augmented is an "+
		"appended constant feature; unregularised has no penalty and takes separate steps "+
		"(default augmented)", text(&cfg.Bias))
	f.Float64Var(&cfg.BiasScale, "bias-scale", 0,
		"`number` the appended feature's value (default as large as the others' root mean square)")
	f.Func("scale", "`none|standard|max-abs|unit` scale the features first, and in every later use "+
		"of the model: standard is zero mean and unit variance, max-abs a largest magnitude of 1 in "+
		"each column, unit is rows of length 1 (default by the data: see above)", text(&cfg.Scale))
	f.Func("target-scale", "`none|standard` the same of numbers to predict (default standard)",
		text(&cfg.TargetScale))
	f.Func("multiclass", "`ovr|ovo|crammer-singer|multinomial` what problems more than two labels "+
		"make: ovr is one for each label against the rest; ovo one for each pair of labels; "+
		"crammer-singer, or with -loss log multinomial, a single one of all (default by the data: see "+
		"above)",
		text(&cfg.Multiclass))
	f.StringVar(&cfg.ClassWeight, "class-weight", "",
		"`balanced|label=weight,...` the weights of rows by their label: balanced gives all "+
			"classes the same weight; a list is such as yes=2.5,no=1 (default 1 each)")
}

// defineSteps defines how it is minimised, and for how long.
func (s *settingFlags) defineSteps(f *flag.FlagSet) {
	cfg := &s.cfg
	f.StringVar(&s.preset, "preset", "",
		"`paper` start from the paper's choices: -order iid -offset none -average none -scale none "+
			"-bias none -multiclass ovr -lambda 1e-4 -epochs 20")
	f.IntVar(&cfg.Epochs, "epochs", 0,
		"`n` the number of passes over the rows (default by the data, 10 to 2000; with more than 100, "+
			"or -finish newton, no more than prove 1 %)")
	f.Int64Var(&cfg.Steps, "steps", 0, "`n` the number of steps")
	f.Float64Var(&cfg.Tol, "tol", 0, "`share` stop before -epochs or -steps (with -tol 2000 epochs "+
		"unless given) when the objective is proven to be at most this share above the optimum: "+
		"0.01 is 1 %")
	f.Float64Var(&cfg.Change, "change", 0, "`share` stop when the objective falls by no more than "+
		"this share of itself between two measurements, a quarter of the run apart")
	f.Func("order", "`shuffled|permutation|iid|sequential|blocks` the order of the rows: shuffled "+
		"once, and blocks of them in a new order each epoch; a permutation, new in each epoch; "+
		"iid, with replacement; sequential, as in the file; blocks of rows as in the file "+
		"(default shuffled)", text(&cfg.Order))
	f.IntVar(&cfg.Block, "block", 0,
		"`n` the rows of a block with -order shuffled or blocks (default 64)")
	f.IntVar(&cfg.Batch, "batch", 0, "`n` the rows of a step, no row twice (default 1)")
	f.IntVar(&cfg.Shards, "shards", 0, "`n` the copies of the weights that share the work, so "+
		"that two classes too are trained on several threads (default 1)")
	f.BoolVar(&cfg.Project, "project", false, "keep the weights in the ball of radius "+
		"1/sqrt(lambda) (of the log loss sqrt(log(2)/lambda))")
	f.Func("offset", "`r2|none` the rule for t0, which steps count from: r2 is "+
		"mean |x|^2/lambda, none is 0 (default r2)", text(&cfg.Offset))
	f.Func("average", "`last-half|none` the result: the mean over the last half of the run, or "+
		"its last iterate (default last-half)", text(&cfg.Average))
	f.Uint64Var(&cfg.Seed, "seed", 0, "`n` the seed of the random numbers")
}

// defineFinish defines how the run ends.
func (s *settingFlags) defineFinish(f *flag.FlagSet) {
	f.Func("finish", "`none|dual|auto|newton` how the run goes on after the first epoch: dual is "+
		"coordinate ascent from there, which is closer to the optimum after a few epochs (also "+
		"of crammer-singer); newton is Newton's method, for dense rows of up to some thousand columns, which ends "+
		"at -tol or at 0.1 %; auto is newton, dual or none by what they would cost (default auto with -tol; "+
		"else newton, up to a proof of 1 %, where that is quicker than the default epochs, or none)",
		text(&s.cfg.Finish))
}

// applyPreset puts a preset's choices where no others are given.
func (s *settingFlags) applyPreset() error {
	if s.preset == "" {
		return nil
	}
	if s.preset != "paper" {
		return usagef("there is no preset %q, only paper", s.preset)
	}
	paper := pegasos.Paper()
	for _, f := range []struct{ to, from *string }{
		{(*string)(&s.cfg.Order), (*string)(&paper.Order)},
		{(*string)(&s.cfg.Offset), (*string)(&paper.Offset)},
		{(*string)(&s.cfg.Average), (*string)(&paper.Average)},
		{(*string)(&s.cfg.Scale), (*string)(&paper.Scale)},
		{(*string)(&s.cfg.TargetScale), (*string)(&paper.TargetScale)},
		{(*string)(&s.cfg.Bias), (*string)(&paper.Bias)},
		{(*string)(&s.cfg.Multiclass), (*string)(&paper.Multiclass)},
	} {
		if *f.to == "" {
			*f.to = *f.from
		}
	}
	if s.cfg.Lambda == 0 && s.cfg.C == 0 {
		s.cfg.Lambda = paper.Lambda
	}
	if s.cfg.Epochs == 0 && s.cfg.Steps == 0 {
		s.cfg.Epochs = paper.Epochs
	}
	return nil
}

// kernelFlags are those that go with -kernel alone.
type kernelFlags struct {
	cfg     kernelsvm.Config
	cacheMB int
	gammas  string // of cv
}

// withKernelOnly are the flags that need -kernel, and besideKernel those, beside the flags about
// data, that may be given along with it.
var (
	withKernelOnly = strings.Fields("gamma gammas coef0 degree passes max-sv cache-mb")
	besideKernel   = strings.Fields("kernel task lambda c epochs steps tol order offset average " +
		"finish multiclass seed preset json folds lambdas cs metric model max-memory")
)

func (k *kernelFlags) define(f *flag.FlagSet) {
	f.Func("kernel", "`rbf|linear|polynomial|sigmoid` train a kernel machine; the defaults are "+
		"then -epochs 1, or 10 with -finish none, -finish dual, -tol 0.01 and -multiclass ovo; "+
		"the flags that go with it are listed above", text(&k.cfg.Kernel))
	f.Float64Var(&k.cfg.Gamma, "gamma", 0,
		"`number` the gamma of -kernel rbf, e^(-gamma |x-z|^2), and the factor of the inner "+
			"product with polynomial and sigmoid (default one over the rows' mean squared norm, "+
			"with rbf that of the rows less their mean)")
	f.Float64Var(&k.cfg.Coef0, "coef0", 0,
		"`number` the term of -kernel polynomial, (gamma <x,z> + coef0)^degree, and sigmoid")
	f.IntVar(&k.cfg.Degree, "degree", 0, "`n` the power of -kernel polynomial (default 3)")
	f.IntVar(&k.cfg.Passes, "passes", 0, "`n` the most passes of the dual that follows the epochs "+
		"with -kernel, unless -finish is none (default 100); it ends when -tol is reached")
	f.IntVar(&k.cfg.MaxSV, "max-sv", 0, "`n` keep at most n support rows a problem: a few hundred "+
		"often predict as well as all")
	f.IntVar(&k.cacheMB, "cache-mb", 0, fmt.Sprintf("`n` keep at most n MB of kernel values for "+
		"later, -1 for none (default %d, or none where rows are up to 256 zeros and ones); the "+
		"result does not depend on it", kernelsvm.DefaultCacheMB))
}

// defineGammas defines the grid of cv.
func (k *kernelFlags) defineGammas(f *flag.FlagSet) {
	f.StringVar(&k.gammas, "gammas", "", "`list` try these with -kernel, such as 0.01,0.1,1")
}

// wanted reports whether a kernel machine is to be trained.
func (k *kernelFlags) wanted() bool { return k.cfg.Kernel != "" }

// check returns an error if a flag is given that needs -kernel, or one that does not go with it.
func (k *kernelFlags) check(c *call) (err error) {
	aboutData := flag.NewFlagSet("", flag.ContinueOnError)
	new(dataFlags).define(aboutData)
	c.flags.Visit(func(f *flag.Flag) {
		only := slices.Contains(withKernelOnly, f.Name)
		goes := only || slices.Contains(besideKernel, f.Name) || aboutData.Lookup(f.Name) != nil
		switch {
		case err != nil:
		case !k.wanted() && only:
			err = usagef("-%s needs -kernel", f.Name)
		case k.wanted() && !goes:
			err = usagef("-%s can't be given with -kernel", f.Name)
		}
	})
	return err
}

// inputFlags are those of train that name what it reads beside the data.
type inputFlags struct {
	start, prior   string
	weights, costs string
	valid          string
	patience       int
	proba          bool
}

func (i *inputFlags) define(f *flag.FlagSet) {
	f.StringVar(&i.start, "start", "",
		"`file` go on from this model, with smaller steps; its features and labels are used")
	f.StringVar(&i.prior, "prior", "",
		"`file` penalise the distance from this model's weights; its "+
			"features and labels are used")
	defineWeights(f, &i.weights, "2 is as good as having the row twice")
	f.BoolVar(&i.proba, "proba", false, "give the model probabilities by Platt's method, with 5 "+
		"folds: trains 6 times; -loss log has its own")
	f.IntVar(&i.patience, "patience", 0, "`n` stop after n measurements without a better model on "+
		"the data of -valid, and take the best")
	f.StringVar(&i.valid, "valid", "", "`file` data that are not trained on, to report how well "+
		"the model predicts: at the end, for -patience, and in -plot and -curve")
	f.StringVar(&i.costs, "costs", "", "`file` the costs of mistakes with -multiclass "+
		"crammer-singer: a line for each true label, in it a number for each predicted one, both "+
		"in ascending order; 0 where they are the same")
}

func defineWeights(f *flag.FlagSet, to *string, more string) {
	f.StringVar(to, "weights", "", "`file` a weight for each row, a line each; "+more)
}

// checkpointFlags are those of train that keep, and resume from, the state of a run.
type checkpointFlags struct {
	file, resume string
	every        time.Duration
}

func (k *checkpointFlags) define(f *flag.FlagSet) {
	f.StringVar(&k.file, "checkpoint", "", "`file` keep the state of the run in this file, now "+
		"and then and when the run ends or is interrupted")
	f.DurationVar(&k.every, "every", 30*time.Second, "`duration` the time between two checkpoints")
	f.StringVar(&k.resume, "resume", "",
		"`file` go on with the run of this checkpoint, on the same data; the model is that of an "+
			"unbroken run, to the bit. Its settings need not be repeated; -epochs or -steps may "+
			"make it longer")
}

// check returns what is wrong with the flags.
func (k *checkpointFlags) check(c *call) error {
	switch {
	case k.file == "" && c.given("every"):
		return usagef("-every is of no use without -checkpoint")
	case k.every <= 0:
		return usagef("-every must be greater than 0")
	case k.file == "-":
		return usagef("-checkpoint: want a file, which is replaced again and again")
	}
	return nil
}

// curveFlags are those of train that draw the course of a run.
type curveFlags struct{ plot, against, csv string }

func (v *curveFlags) define(f *flag.FlagSet) {
	f.StringVar(&v.plot, "plot", "",
		"`file` draw objective, its distance from the optimum and accuracy (.svg, .png, .pdf)")
	f.StringVar(&v.against, "plot-x", "steps", "`steps|seconds` what -plot draws them against; "+
		"seconds are those of training, without what -plot itself takes")
	f.StringVar(&v.csv, "curve", "", "`file` write the same as a table (CSV). Each of the "+
		"points, about two for each doubling of the steps, costs the time of one or two epochs, "+
		"which is not counted as training time")
}

// wanted reports whether the run is to be measured.
func (v *curveFlags) wanted() bool { return v.plot != "" || v.csv != "" }

// trainFlags are those of train.
type trainFlags struct {
	data   dataFlags
	set    settingFlags
	kernel kernelFlags
	in     inputFlags
	keep   checkpointFlags
	curve  curveFlags
	memory memoryFlags
	proof  string
	json   string

	lambdas string
}

func (t *trainFlags) define(f *flag.FlagSet) {
	t.data.define(f)
	t.set.define(f)
	t.kernel.define(f)
	t.in.define(f)
	t.keep.define(f)
	t.curve.define(f)
	t.memory.define(f)
	f.StringVar(&t.lambdas, "lambdas", "", "`list` train with each of these lambdas, from the "+
		"largest on, such as 1e-3,1e-4 or 1e-6:1e-2:9, and write one model: see above")
	defineProof(f, &t.proof)
	defineJSON(f, &t.json, "the run's numbers", "")
}

// defineJSON defines -json, which all reports have.
func defineJSON(f *flag.FlagSet, to *string, what, instead string) {
	f.StringVar(to, "json", "", "`file` write "+what+" to this file, or - for standard output"+
		instead)
}

// cvFlags are those of cv.
type cvFlags struct {
	data        dataFlags
	set         settingFlags
	kernel      kernelFlags
	folds       int
	lambdas, cs string
	metric      string
	weights     string
	memory      memoryFlags
	model, json string
}

func (v *cvFlags) define(f *flag.FlagSet) {
	v.data.define(f)
	v.set.define(f)
	v.kernel.define(f)
	v.kernel.defineGammas(f)
	v.memory.define(f)
	f.IntVar(&v.folds, "folds", 5, "`n` the number of folds that the rows are cut into")
	f.StringVar(&v.lambdas, "lambdas", "",
		"`list` try these, such as 1e-3,1e-4, or 1e-6:1e-2:9 for nine from 1e-6 to 1e-2, each the "+
			"same multiple of the one before (default 0.1 to 1e-7 times mean |x|^2, see above)")
	f.StringVar(&v.metric, "metric", "", metricUsage())
	f.StringVar(&v.cs, "cs", "", "`list` try these for C in place of lambda, such as 0.1,1,10 or 0.01:100:9")
	defineWeights(f, &v.weights, "it counts in training, and in the accuracy or the RMSE")
	f.StringVar(&v.model, "model", "",
		"`file` write a model of the best lambda, trained on all rows")
	defineJSON(f, &v.json, "the numbers", " instead of the table")
}

// predictFlags are those of predict.
type predictFlags struct {
	data          dataFlags
	labels        string
	scores, proba bool
}

func (p *predictFlags) define(f *flag.FlagSet) {
	p.data.define(f)
	f.StringVar(&p.labels, "labels", "auto", "`yes|no|auto` whether DATA has labels; auto finds "+
		"out: by the header or the number of columns, or by how the first line begins")
	f.BoolVar(&p.scores, "scores", false, "write the scores beside the labels")
	f.BoolVar(&p.proba, "proba", false, "write the classes' probabilities beside the labels")
}

// evalFlags are those of eval.
type evalFlags struct {
	data       dataFlags
	json, plot string
}

func (e *evalFlags) define(f *flag.FlagSet) {
	e.data.define(f)
	defineJSON(f, &e.json, "the numbers", " instead of the table")
	f.StringVar(&e.plot, "plot", "", "`file` draw the confusion matrix (.svg, .png, .pdf)")
}

// scaleFlags are those of scale.
type scaleFlags struct {
	data             dataFlags
	kind, save, like string
}

func (s *scaleFlags) define(f *flag.FlagSet) {
	s.data.define(f)
	f.StringVar(&s.kind, "kind", "max-abs", "`max-abs|standard|unit` the kind of scaling")
	f.StringVar(&s.save, "save", "", "`file` write the scale to this file, as JSON")
	f.StringVar(&s.like, "like", "", "`file` use the scale that -save wrote to this file")
}

// inspectFlags are those of inspect.
type inspectFlags struct {
	data dataFlags
	top  int
	json string
}

func (i *inspectFlags) define(f *flag.FlagSet) {
	i.data.define(f)
	f.IntVar(&i.top, "top", 5, "`n` the number of weights to tell of each class, the largest")
	defineJSON(f, &i.json, "it all", " instead of the text")
}

// convertFlags are those of convert.
type convertFlags struct {
	data     dataFlags
	from, to string
	lambda   float64
	stream   bool
}

func (v *convertFlags) define(f *flag.FlagSet) {
	v.data.define(f)
	f.StringVar(&v.from, "from", "", "`liblinear|json` read a model in this form")
	f.StringVar(&v.to, "to", "", "`liblinear|onnx|json` write the model in this form")
	f.Float64Var(&v.lambda, "lambda", pegasos.DefaultLambda,
		"`number` the weight of the penalty of a model from liblinear, whose file lacks it")
	f.BoolVar(&v.stream, "stream", false,
		"from svmlight to .pgsm: read DATA twice, in place of holding them in memory")
}

// text returns what sets a field of a string type from its flag.
func text[T ~string](to *T) func(string) error {
	return func(s string) error {
		*to = T(s)
		return nil
	}
}

// given reports whether a flag was on the command line.
func (c *call) given(name string) (given bool) {
	c.flags.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	return given
}

// checkSettings applies the preset, and checks what the packages can't: that flags which are given
// are not 0, and go with -kernel or without it.
func (c *call) checkSettings(s *settingFlags, k *kernelFlags) error {
	if err := s.applyPreset(); err != nil {
		return err
	}
	if err := k.check(c); err != nil {
		return err
	}
	if err := s.applyTask(k.wanted()); err != nil {
		return err
	}
	return c.checkPositive()
}

// checkPositive refuses flags that are given as 0, which would stand for their default.
func (c *call) checkPositive() (err error) {
	positive := strings.Fields("lambda c epochs steps tol change patience gamma degree " +
		"passes max-sv")
	c.flags.Visit(func(f *flag.Flag) {
		zero := strings.TrimPrefix(f.Value.String(), "-") == "0"
		if err == nil && zero && slices.Contains(positive, f.Name) {
			err = usagef("-%s must be greater than 0", f.Name)
		}
	})
	return err
}

// lossUsage lists the losses with their formulas.
func lossUsage() string {
	var names, formulas []string
	for _, l := range pegasos.Losses() {
		names = append(names, string(l))
		formula := string(l) + " " + l.Formula()
		if l.Regression() {
			formula += ", for labels that are numbers to predict"
		}
		formulas = append(formulas, formula)
	}
	return "`" + strings.Join(names, "|") + "` what a row costs, of its label y and its score z: " +
		strings.Join(formulas, "; ") + " (default hinge, or squared with -task numbers)"
}
