package main

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/train/choose"
	"github.com/pegasimd/pegasimd/internal/train/loss"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/internal/train/settings"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm"
)

// This file has the flags of all commands, in groups. A flag's usage begins with its placeholder in
// backquotes, a type or the choices; help prints it behind the flag's name.

// dataFlags are those of every command that reads data.
type dataFlags struct {
	opt          dataset.Options
	missing      string
	strict       bool
	quiet, force bool
}

// usualDataFlags are those that -h lists of commands that read data.
const usualDataFlags = "label format sep header strict threads quiet force"

func (d *dataFlags) define(f *flag.FlagSet) {
	f.StringVar((*string)(&d.opt.Format), "format", "auto",
		"`"+options.Choices(append(dataset.Formats(), dataset.FormatAuto)...)+"` the data's format; "+
			"lines are a label, a tab and a text; auto goes by the file's name")
	f.StringVar((*string)(&d.opt.Layout), "layout", "auto", "`dense|sparse|auto` how rows are "+
		"stored; auto is dense if a quarter of the values or more are not 0")
	f.StringVar((*string)(&d.opt.IndexBase), "index-base", "",
		"`0|1|auto` the number of the first feature in svmlight data (default 1, or the model's)")
	f.StringVar((*string)(&d.opt.Header), "header", "auto",
		"`yes|no|auto` whether a table's first row names the columns")
	d.defineForm(f)
	f.StringVar(&d.opt.LabelColumn, "label-column", "",
		"`column` the label's column in a table or .npy file: a name, a number from 0, or last "+
			"(default: the first or last column if it is called label, target, class or y, else the "+
			"last; or as in training)")
	f.StringVar(&d.opt.LabelColumn, "label", "", "`column` is short for -label-column")
	f.StringVar(&d.missing, "missing", "fill", "`fill|error|drop` what to do with gaps in a table: "+
		"the mean stands in for a number, and a word may be missing; or they are errors; or rows "+
		"without a label are left out, and other gaps are filled")
	f.StringVar((*string)(&d.opt.Unsorted), "unsorted", "", "`error|sort|sum` what to do with "+
		"svmlight indices that don't ascend; sum adds the values of equal indices (default "+
		"error)")
	f.IntVar(&d.opt.HashBits, "hash-bits", 0,
		"`n` hash svmlight indices, which may be any below 2^64, to 2^n features (0: do not)")
	f.BoolVar(&d.opt.InMemory, "in-memory", false,
		"read a .pgsm file into memory and check it, instead of mapping it")
	f.IntVar(&d.opt.MaxFeatures, "max-features", 0, "`n` refuse data with more features (0: 2^20, "+
		"or one for each value in the file if that is more; 2^18 of CSV)")
	f.Int64Var(&d.opt.MaxBytes, "max-bytes", 0,
		"`n` refuse data of more bytes, counted after decompression (0: no limit)")
	f.IntVar(&d.opt.Threads, "threads", 0,
		"`n` the number of threads (0: all); the result does not depend on it")
	f.BoolVar(&d.strict, "strict", false, "take doubts about the data, which are lines that begin "+
		"with 'warning:', for errors")
	f.BoolVar(&d.quiet, "quiet", false, "print no progress and no summary")
	f.BoolVar(&d.force, "force", false, "replace any file; without it a command replaces only "+
		"files that show that they are ours, and none that it reads")
}

// defineForm defines the flags that say how the text of a table is read.
func (d *dataFlags) defineForm(f *flag.FlagSet) {
	f.Var(character{to: &d.opt.Separator}, "sep", "`character` what stands between the cells of a "+
		"table: a character, or comma, semicolon, tab or pipe (default: the data decide)")
	f.Var(character{to: &d.opt.Quote}, "quote", "`character` what stands around cells, or none")
	f.Var(character{to: &d.opt.Comment}, "comment", "`character` what lines that are left out begin "+
		"with, or none")
	f.Var(lineCount{&d.opt.SkipLines}, "skip-lines", "`n` leave out the first n lines of a table")
	f.StringVar(&d.opt.Encoding, "encoding", "", "`utf-8|utf-16le|utf-16be|windows-1252|latin1` "+
		"how a table's text is encoded; latin1 is read as windows-1252")
	f.Var(character{&d.opt.Decimal, ".,"}, "decimal", "`character` the decimal mark, . or ,, in "+
		"columns whose cells leave it open")
}

// A character is the value of a flag that takes a character, or the name of one.
type character struct {
	to *string
	of string // the characters to choose from; empty for all, and none
}

var characterNames = map[string]string{"comma": ",", "semicolon": ";", "tab": "\t", `\t`: "\t",
	"pipe": "|", "point": "."}

func (c character) String() string {
	if c.to == nil {
		return ""
	}
	return *c.to
}

func (c character) Set(text string) error {
	if named, ok := characterNames[text]; ok {
		text = named
	}
	*c.to = text
	one := len(text) == 1 && (text >= " " && text <= "~" || text == "\t")
	if c.of == "" && (one || text == "none") || one && strings.Contains(c.of, text) {
		return nil
	}
	return errors.New("want a character")
}

// A lineCount is the value of -skip-lines: 0, which is given, becomes the -1 of
// dataset.Options.SkipLines.
type lineCount struct{ to *int }

func (n lineCount) String() string {
	if n.to == nil || *n.to == 0 {
		return ""
	}
	return strconv.Itoa(max(0, *n.to))
}

func (n lineCount) Set(text string) error {
	v, err := strconv.Atoi(text)
	if *n.to = v; v == 0 || v == -1 { // both are none
		*n.to = -1
	}
	if v < -1 {
		return errors.New("want 0 or more")
	}
	return err
}

// tableFlags say which kinds the columns of a table have.
type tableFlags struct {
	ignore, numbers, dates, categories, text string

	grams, words int
}

func (t *tableFlags) define(f *flag.FlagSet) {
	f.StringVar(&t.ignore, "ignore", "", "`list` columns of a table to leave out: names, or numbers "+
		"from 0, with commas between and quotes where a name has a comma; * is all that no list "+
		"names, and '' a column without a name")
	f.StringVar(&t.numbers, "numbers", "", "`list` columns of a table to read as numbers; other "+
		"cells count as missing")
	f.StringVar(&t.dates, "dates", "", "`list` columns of a table to read as dates, as in born or "+
		"born=dmy, which says that the day stands before the month (dmy, mdy or ymd)")
	f.StringVar(&t.categories, "categories", "", "`list` columns of a table to read as words, with a "+
		"feature for each, also if they look like numbers or like names")
	f.StringVar(&t.text, "text", "", "`list` columns of a table to read as text, with a feature "+
		"for each n-gram")
	f.IntVar(&t.words, "words", 0, "`n` keep in the model the words of the n largest weights of text, "+
		"for inspect")
	f.IntVar(&t.grams, "ngrams", 2, "`n` how many words of text an n-gram has at most")
}

// saysColumns are the flags that say which kinds columns have.
var saysColumns = strings.Fields("ignore numbers dates categories text ngrams")

// settingFlags are the fields of pegasos.Config. Those given override a preset's.
type settingFlags struct {
	cfg    pegasos.Config
	preset string
}

// define defines what is minimised, how, and for how long.
func (s *settingFlags) define(f *flag.FlagSet) {
	s.defineProblem(f)
	s.defineRun(f)
}

func (s *settingFlags) defineProblem(f *flag.FlagSet) {
	cfg := &s.cfg
	f.Float64Var(&cfg.Lambda, "lambda", 0,
		"`number` the weight of the penalty on the scaled rows (default: the data decide)")
	f.Float64Var(&cfg.C, "c", 0, "`number` the C of other solvers: lambda is 1/(C * rows)")
	f.StringVar((*string)(&cfg.Loss), "loss", "", lossUsage())
	f.Float64Var(&cfg.Epsilon, "epsilon", 0,
		"`number` the error that costs nothing with -loss eps-insensitive (default a tenth of the "+
			"labels' standard deviation)")
	f.StringVar((*string)(&cfg.Bias), "bias", "", "`none|augmented|unregularised` the constant "+
		"term: augmented is the weight of an appended constant feature; unregularised has no "+
		"penalty (default augmented)")
	f.Float64Var(&cfg.BiasScale, "bias-scale", 0, "`number` the value of the appended feature "+
		"(default the root mean square of the others)")
	f.StringVar((*string)(&cfg.Scale), "scale", "", "`none|standard|max-abs|unit` scale the "+
		"features, also when the model is used: standard is to zero mean and unit variance, "+
		"max-abs to a largest magnitude of 1 in each column, unit to rows of length 1 (default: "+
		"the data decide)")
	f.StringVar((*string)(&cfg.Curves), "curves", "", "`none|products|pieces` append columns to the "+
		"scaled ones, so that the model can bend: products are the squares of the columns of "+
		"numbers and, of up to 12 such columns, the product of each pair; pieces bend at the quartiles "+
		"of each (default: the folds that choose lambda decide)")
	f.StringVar((*string)(&cfg.TargetScale), "target-scale", "", "`none|standard` scale the "+
		"numbers to predict (default standard)")
	f.StringVar((*string)(&cfg.Multiclass), "multiclass", "",
		"`ovr|ovo|crammer-singer|multinomial` the problems for more than two classes: ovr is each "+
			"class against the rest; ovo is one for each pair of classes; crammer-singer, and "+
			"with -loss log multinomial, are a joint problem (default: the data decide)")
	f.StringVar(&cfg.ClassWeight, "class-weight", "", "`balanced|label=weight,...` the weights of "+
		"rows by class: balanced gives all classes the same total, a list is such as yes=2.5,no=1 "+
		"(default 1 each)")
}

func (s *settingFlags) defineRun(f *flag.FlagSet) {
	cfg := &s.cfg
	f.StringVar(&s.preset, "preset", "",
		"`paper` the paper's choices: "+paper+", unless others are given")
	f.IntVar(&cfg.Epochs, "epochs", 0, fmt.Sprintf("`n` the number of passes over the rows "+
		"(default: the data decide, %d to %d; long runs end when %g %% is proven)",
		choose.MinPasses, choose.MaxPasses, 100*choose.ProofTol))
	f.Int64Var(&cfg.Steps, "steps", 0, "`n` the number of steps")
	f.Float64Var(&cfg.Tol, "tol", 0, fmt.Sprintf("`share` stop when the objective is proven to be "+
		"at most this share above the optimum: 0.01 is 1 %% (with -epochs %d unless given)",
		choose.MaxPasses))
	f.StringVar((*string)(&cfg.Order), "order", "", "`shuffled|iid|sequential|blocks` the order of "+
		"the rows: shuffled once, with blocks of them in a new order each epoch; iid, with "+
		"replacement; sequential, as in the file; blocks of rows as in the file (default shuffled; "+
		"with -kernel, a new permutation each epoch)")
	f.IntVar(&cfg.Block, "block", 0, fmt.Sprintf("`n` the rows of a block with -order shuffled or "+
		"blocks (default %d)", settings.DefaultBlock))
	f.IntVar(&cfg.Batch, "batch", 0, "`n` the rows of a step (default 1)")
	f.BoolVar(&cfg.Project, "project", false, "keep the weights in the ball of radius "+
		"1/sqrt(lambda) (of the log loss sqrt(log(2)/lambda))")
	f.StringVar((*string)(&cfg.Offset), "offset", "", "`auto|r2|none` the t0 that steps count from: "+
		"r2 is mean |x|^2/lambda; auto raises it during steps with the hinge loss where smaller steps "+
		"get closer to the optimum; none is 0 (default auto)")
	f.StringVar((*string)(&cfg.Average), "average", "", "`last-half|none` the result: the mean "+
		"over the last half of the run, or its last iterate (default last-half)")
	f.StringVar((*string)(&cfg.Finish), "finish", "", "`none|dual|auto|newton` the solver in place "+
		"of Pegasos's steps: dual is dual coordinate descent; newton is Newton's method, for dense "+
		"rows of up to some thousand columns; auto is the one that is predicted to cost least; none "+
		"is Pegasos's steps (default: auto with -tol, else newton where it is quicker, or none)")
	f.Uint64Var(&cfg.Seed, "seed", 0, "`n` the seed of the random numbers")
}

// paper is what the preset of that name stands for: pegasos.Paper.
const paper = "-order iid -offset none -average none -scale none -target-scale none -bias none " +
	"-multiclass ovr -lambda 1e-4 -epochs 20"

// applyPreset sets those flags of a preset that are not given, unless one is given that takes the
// place of theirs.
func (c *call) applyPreset(preset string) error {
	if preset == "" {
		return nil
	}
	if preset != "paper" {
		return usagef("there is no preset %q, only paper", preset)
	}
	instead := map[string]string{"lambda": "c", "epochs": "steps"}
	for choice := range slices.Chunk(strings.Fields(paper), 2) {
		name := choice[0][1:]
		if !c.given(name) && !c.given(instead[name]) {
			c.flags.Lookup(name).Value.Set(choice[1]) // it is still not given
		}
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
// data and columns, that may be given along with it.
var (
	withKernelOnly = strings.Fields("gamma gammas coef0 degree passes cache-mb")
	besideKernel   = strings.Fields("kernel lambda c epochs steps tol order offset average " +
		"finish multiclass seed preset json folds lambdas cs metric model max-memory")
)

func (k *kernelFlags) define(f *flag.FlagSet) {
	f.StringVar((*string)(&k.cfg.Kernel), "kernel", "", "`rbf|linear|polynomial|sigmoid` train a "+
		"kernel machine; the defaults are then -epochs 1 (10 with -finish none), -finish dual, "+
		"-tol 0.01 and -multiclass ovo")
	f.Float64Var(&k.cfg.Gamma, "gamma", 0,
		"`number` the gamma of -kernel rbf, e^(-gamma |x-z|^2), and the factor of the inner "+
			"product in polynomial and sigmoid (default 1 over the mean squared norm of the rows, "+
			"with rbf less their mean)")
	f.Float64Var(&k.cfg.Coef0, "coef0", 0,
		"`number` the term of -kernel polynomial, (gamma <x,z> + coef0)^degree, and sigmoid")
	f.IntVar(&k.cfg.Degree, "degree", 0, "`n` the power of -kernel polynomial (default 3)")
	f.IntVar(&k.cfg.Passes, "passes", 0, "`n` the most passes of the dual finish with -kernel "+
		"(default 100); it ends when -tol is reached")
	f.IntVar(&k.cacheMB, "cache-mb", 0, fmt.Sprintf("`n` keep at most n MB of kernel values, -1 for "+
		"none (default %d, or none where rows are up to 256 zeros and ones)",
		kernelsvm.DefaultCacheMB))
}

// wanted reports whether a kernel machine is to be trained.
func (k *kernelFlags) wanted() bool { return k.cfg.Kernel != "" }

// check returns an error if a flag is given that needs -kernel, or one that does not go with it.
func (k *kernelFlags) check(c *call) (err error) {
	aboutData := flag.NewFlagSet("", flag.ContinueOnError)
	new(dataFlags).define(aboutData)
	new(tableFlags).define(aboutData)
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

func defineWeights(f *flag.FlagSet, to *string) {
	f.StringVar(to, "weights", "",
		"`file` a weight for each row, a line each: in losses, bounds, probabilities and figures 2 "+
			"is as good as having the row twice; scales, means for gaps and counts of words count rows")
}

func defineCosts(f *flag.FlagSet, to *string) {
	f.StringVar(to, "costs", "", "`file` the costs of mistakes with -multiclass crammer-singer: a "+
		"line for each true label, with a number for each predicted one, both ascending; 0 where "+
		"they are the same")
}

// trainFlags are those of train.
type trainFlags struct {
	data   dataFlags
	set    settingFlags
	kernel kernelFlags
	keep   checkpoints
	memory memoryFlag

	start, prior   string // what is read beside the data
	weights, costs string
	holdout        float64
	valid          string
	validWeights   string
	patience       int
	proba          bool

	plot, proof, json string
	tables            tableFlags
}

func (t *trainFlags) define(f *flag.FlagSet) {
	t.data.define(f)
	t.tables.define(f)
	t.set.define(f)
	t.kernel.define(f)
	t.keep.define(f)
	t.memory.define(f)
	f.StringVar(&t.start, "start", "", "`file` continue training this model, with smaller steps; "+
		"its features and labels are used")
	f.StringVar(&t.prior, "prior", "", "`file` penalise the distance from this model's weights; "+
		"its features and labels are used")
	defineWeights(f, &t.weights)
	defineCosts(f, &t.costs)
	f.BoolVar(&t.proba, "proba", false, "add probabilities by Platt's method, with 5 folds, which "+
		"trains 6 times; they count rows by -weights, not by -class-weight; -loss log has its own")
	f.Float64Var(&t.holdout, "holdout", 0, "`share` hold this share of the different rows out of "+
		"training, in each class, and print eval's figures for them: 0.2 is 20 %; rows that are equal "+
		"are held out together, and -seed chooses which")
	f.IntVar(&t.patience, "patience", 0, "`n` stop after n measurements, a quarter of the run "+
		"apart, without a better model on the data of -valid, and take the best")
	f.StringVar(&t.valid, "valid", "",
		"`file` data to measure the model on, for the report, -patience and -plot")
	f.StringVar(&t.validWeights, "valid-weights", "", "`file` a weight for each row of -valid")
	f.StringVar(&t.plot, "plot", "", "`file` draw objective, gap and accuracy against the steps "+
		"(.svg, .png, .pdf); -json has the numbers too. There are about two points for each "+
		"doubling of the steps; each costs the time of one or two epochs, which is not counted as "+
		"training time")
	f.StringVar(&t.proof, "proof", "", "`file` write the dual variables, which prove the gap, for "+
		"verify: two bytes for each row and weight vector")
	defineJSON(f, &t.json)
}

// defineJSON defines -json, which all reports have.
func defineJSON(f *flag.FlagSet, to *string) {
	f.StringVar(to, "json", "", "`file` write the numbers to this file, or - for standard output "+
		"instead of text")
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
	memory      memoryFlag
	model, json string
	tables      tableFlags
}

func (v *cvFlags) define(f *flag.FlagSet) {
	v.data.define(f)
	v.tables.define(f)
	v.set.define(f)
	v.kernel.define(f)
	v.memory.define(f)
	f.StringVar(&v.kernel.gammas, "gammas", "", "`list` the gammas to try with -kernel, such as "+
		"0.01,0.1,1")
	f.IntVar(&v.folds, "folds", 5, "`n` the number of folds")
	f.StringVar(&v.lambdas, "lambdas", "", "`list` the lambdas to try, such as 1e-3,1e-4, or "+
		"1e-6:1e-2:9 for nine from 1e-6 to 1e-2 (default 0.1 to 1e-7 times mean |x|^2)")
	f.StringVar(&v.cs, "cs", "", "`list` the C to try instead of lambda, such as 0.1,1,10 or "+
		"0.01:100:9")
	f.StringVar(&v.metric, "metric", "", metricUsage())
	defineWeights(f, &v.weights)
	f.StringVar(&v.model, "model", "",
		"`file` write a model of the best setting, trained on all rows")
	defineJSON(f, &v.json)
}

// predictFlags are those of predict.
type predictFlags struct {
	data          dataFlags
	scores, proba bool
}

func (p *predictFlags) define(f *flag.FlagSet) {
	p.data.define(f)
	f.StringVar((*string)(&p.data.opt.Labels), "labels", "auto", "`yes|no|auto` whether DATA has "+
		"labels; auto goes by the header, the number of columns, or the beginning of the first line")
	f.BoolVar(&p.scores, "scores", false, "write the scores beside the labels")
	f.BoolVar(&p.proba, "proba", false, "write the classes' probabilities beside the labels")
}

// evalFlags are those of eval.
type evalFlags struct {
	data                dataFlags
	json, plot, weights string
}

func (e *evalFlags) define(f *flag.FlagSet) {
	e.data.define(f)
	defineJSON(f, &e.json)
	defineWeights(f, &e.weights)
	f.StringVar(&e.plot, "plot", "", "`file` draw the confusion matrix (.svg, .png, .pdf)")
}

// inspectFlags are those of inspect.
type inspectFlags struct {
	data   dataFlags
	top    int
	json   string
	tables tableFlags
	in     string
}

func (i *inspectFlags) define(f *flag.FlagSet) {
	i.data.define(f)
	i.tables.define(f)
	f.IntVar(&i.top, "top", 5, "`n` the number of weights to print of each class, the largest")
	f.StringVar(&i.in, "data", "", "`file` data of a table with text, such as those of the training: "+
		"weights of text are named by their words")
	defineJSON(f, &i.json)
}

// convertFlags are those of convert.
type convertFlags struct {
	data     dataFlags
	from, to string
	model    string
	lambda   float64
	stream   bool
	tables   tableFlags
}

func (v *convertFlags) define(f *flag.FlagSet) {
	v.data.define(f)
	v.tables.define(f)
	f.StringVar(&v.from, "from", "", "`liblinear|json` read a model in this form")
	f.StringVar(&v.to, "to", "", "`liblinear|onnx|json` write the model in this form")
	f.StringVar(&v.model, "for", "", "`file` write the features that this model makes of DATA")
	f.Float64Var(&v.lambda, "lambda", pegasos.DefaultLambda,
		"`number` the weight of the penalty of a model from liblinear, whose file lacks it")
	f.BoolVar(&v.stream, "stream", false,
		"from svmlight or CSV to .pgsm: read DATA twice or more, instead of holding them in memory")
}

// given reports whether a flag was on the command line.
func (c *call) given(name string) (given bool) {
	c.flags.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	return given
}

// checkSettings applies the preset, and checks what the packages can't: that flags which are given
// go with -kernel or without it.
func (c *call) checkSettings(s *settingFlags, k *kernelFlags) error {
	if err := c.applyPreset(s.preset); err != nil {
		return err
	}
	return k.check(c)
}

// lossUsage lists the losses with their formulas.
func lossUsage() string {
	var names, formulas []string
	for _, l := range pegasos.Losses() {
		kind, _ := loss.KindOf(string(l))
		names = append(names, string(l))
		formula := string(l) + " " + kind.Traits().Formula
		if l.Regression() {
			formula += " (numbers)"
		}
		formulas = append(formulas, formula)
	}
	return "`" + strings.Join(names, "|") + "` the loss of a row with the label y and the score z: " +
		strings.Join(formulas, "; ") + " (default hinge, or squared for numbers)"
}
