package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/help"
	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/app/predictions"
	"github.com/pegasimd/pegasimd/pegasos"
)

var trainCommand = command{help.Command{
	Name:      "train",
	Arguments: "DATA... [MODEL]",
	Summary:   "train a model on labeled data",
	Help: `Train reads labeled data and trains a linear support vector machine, another linear
model (see -loss) or a kernel machine (see -kernel). Without MODEL, the model gets the name of the
first DATA with the ending .model, in the working folder. An existing file is replaced only if it is
a model or empty, or with -force.

Train trains on the rows of several DATA together. All DATA are svmlight text, all are lines of
JSON, or all are other tables. Headers of tables, if any, have the same names in any order. The last
of several arguments is MODEL if it ends in .model, or is - for standard output. The second of two
is MODEL if DATA is -, or if it has no ending of data and -format is not given. -model names a model
of any name instead. Every other argument is data, and has to exist.

Without flags the data decide the scaling, curves, lambda, the multi-class scheme, the solver and
the length of the run. The output lists the choices. The model stores the scaling and applies it to
rows that it predicts. If labels look like regression targets, train fits a regression, unless
-loss, -kernel, -multiclass, -class-weight, -costs, -proba or -preset is given. docs/training.md has
the rules.

DATA is svmlight text (.svm .libsvm .svmlight .txt), a table (.csv .psv .tsv .tab .jsonl .ndjson),
NumPy's .npy, a pair of IDX files given as IMAGES,LABELS, or - for standard input. Standard input is
svmlight text unless -format is given. All these may be compressed (.gz .bz2 .zst). DATA can also be
a .pgsm file, which convert writes.

The separator and other details of a table, its label column and the kinds of its columns are
detected and printed. Lines 'warning: ...' at the end name doubts and, where it helps, a flag. For a
table the line 'resolved:' has a command that trains the same model without detection. The model
stores the flags of this command.

By default the objective is lambda/2 |w|^2 + the mean loss of the scores z = <w,x>. The last element
of x is the bias's constant feature. With -c C, two classes and the hinge loss, it is that of
liblinear's -s 3 -c C on the scaled rows, divided by C * rows. The same data, flags and seed give
the same model, bit for bit, on every machine.

Examples:
  pegasimd train people.csv
  pegasimd train jan.csv feb.csv mar.csv year.model
  pegasimd train -lambda 1e-4 a9a.svm
  pegasimd train -loss log -bias augmented a9a.svm odds.model
  pegasimd train -holdout 0.2 people.csv
  pegasimd train -c 1 -epochs 40 -json run.json train.csv.gz digits.model
  pegasimd train -kernel rbf -gamma 0.05 -lambda 3.07e-5 a9a.svm
  pegasimd train -plot curve.svg -valid a9a.t.svm a9a.svm
  pegasimd train -epochs 5000 -checkpoint run.state text.svm.gz text.model
  pegasimd train -resume run.state -checkpoint run.state text.svm.gz text.model`,
}, runTrain}

type linearRun struct {
	*call
	cfg         pegasos.Config
	classWeight string // cfg.ClassWeight with names of classes in place of labels
	keep        *checkpoints

	model        string
	modelOut     *output
	proofOut     *output
	jsonOut      *output
	reader       *dataReader
	set          *dataset.Set
	held         *heldOut // rows of -holdout; nil without it
	known        labelling
	start, prior *pegasos.Model
	trainer      pegasos.Trainer
	curve        curve

	result      *pegasos.Model
	epochs      int   // including epochs before -resume
	ended       bool  // the run ended before its last step
	interrupted error // why the run was interrupted; nil if it was not

	loading, training, measuring time.Duration // wall-clock times
}

func runTrain(c *call, args []string) error {
	if err := c.checkSettings(); err != nil {
		return err
	}
	model, err := outputName(cmp.Or(c.flags.Model, append(args, "")[1]), args[0], ".model", "MODEL")
	if err != nil {
		return err
	}
	if model == args[0] && model != "-" {
		if is, _ := c.holdsModel(model); is {
			return flags.Usagef("%s is a model, want data to train on", model)
		}
	}
	if c.flags.UsesKernel() {
		return trainKernel(c, c.fittingReader(args[0]), model)
	}
	r := &linearRun{
		call: c, cfg: c.flags.Config, keep: &checkpoints{},
		model: model, reader: c.fittingReader(args[0]),
	}
	return steps(r.checkSettings, r.openFiles, r.readData, r.readInputs, r.train, r.write, r.report,
		r.end)
}

func (r *linearRun) checkSettings() error {
	in := r.flags
	if in.Proba && !r.cfg.Loss.LogOdds() && r.cfg.Multiclass != pegasos.Multinomial {
		r.cfg.Calibrate = 5
	}
	if err := cmp.Or(r.keep.check(r.call), checkHoldout(r.call)); err != nil {
		return err
	}
	if err := r.keep.read(r.call, &r.cfg); err != nil {
		return err
	}
	if in.Valid == nil && r.cfg.Patience != 0 {
		whose := ""
		if r.keep.restored {
			whose = ", a setting of the checkpoint,"
		}
		return flags.Usagef("-patience%s needs -valid, the data on which it measures the model", whose)
	}
	if in.Valid == nil && in.ValidWeights != "" {
		return flags.Usagef("-valid-weights needs -valid, the data whose rows it weighs")
	}
	if err := checkPicture(r.flags.Plot); err != nil {
		return err
	}
	if err := checkList(in.Valid); err != nil {
		return err
	}
	r.classWeight = r.cfg.ClassWeight
	return validate(&r.cfg)
}

// validate deletes a list of class weights, because labels of named classes are known only after
// reading the data.
func validate(cfg *pegasos.Config) error {
	if cfg.ClassWeight != pegasos.Balanced {
		cfg.ClassWeight = ""
	}
	checked := *cfg
	if checked.Loss == "" {
		// The labels, or the model of -start, -prior or -resume, may make it a regression.
		checked.TargetScale, checked.Epsilon = "", 0
	}
	return flags.FromConfig(checked.Validate())
}

func (r *linearRun) openFiles() (err error) {
	f := r.flags
	r.modelOut = r.writesModel(r.model)
	r.keep.out = r.writes("-checkpoint", f.Checkpoint, modelKind)
	r.curve.out = r.writes("-plot", f.Plot, pictureKind)
	r.proofOut = r.writes("-proof", f.KeepProof, proofKind)
	r.jsonOut = r.writes("-json", f.JSON, reportKind)
	if err := r.openOutputs(); err != nil {
		return err
	}
	r.prior, err = readLinearModel(f.Prior)
	if err == nil {
		r.start, err = readLinearModel(f.Start)
	}
	return err
}

func (r *linearRun) readData() (err error) {
	if err = r.reader.readWeights(r.flags.Weights); err != nil {
		return err
	}
	if r.keep.from != nil {
		r.reader.likeTraining(r.keep.from.Data)
	}
	// like is the model whose features and labels are used. A checkpoint has the features and
	// labels of its -start model.
	like := cmp.Or(r.keep.from, r.start, r.prior)
	if like == nil {
		recheck := func() error { return validate(&r.cfg) }
		r.set, r.loading, err = r.reader.readTraining(&r.cfg, recheck)
		if err == nil {
			r.known = labelling{names: r.set.Names}
			err = r.holdOut()
		}
		return err
	}
	if r.flags.Given("scale") {
		of := "-prior"
		switch like {
		case r.keep.from:
			of = "-resume"
		case r.start:
			of = "-start"
		}
		return flags.Usagef("-scale can't be given with %s, whose model decides how features are scaled",
			of)
	}
	if like.Classes == nil && r.cfg.Loss == "" {
		r.cfg.Loss = like.Config.Loss
	}
	head := like.Head()
	if r.set, r.loading, err = r.reader.read(&head); err != nil {
		return err
	}
	if err := cmp.Or(r.reader.settle(true), r.reader.checkWeights(r.set)); err != nil {
		return err
	}
	if err := r.reader.checkNumbers(r.set, r.cfg.Loss); err != nil {
		return err
	}
	r.known = labelling{names: r.set.Names}
	numbers := like.Classes == nil || r.cfg.Loss.Regression()
	r.reader.describeSet(r.set, numbers, r.loading)
	if !numbers {
		rename := relabel
		if like == r.keep.from {
			rename = relabelTrainingSet
		}
		if err := rename(r.set, linearModel{like}, r.reader.weights); err != nil {
			return fmt.Errorf("%s: %w", r.reader, err)
		}
		r.known = labelling{like.Names, like.Classes}
	}
	if r.start != nil && r.prior != nil &&
		!slices.Equal(predictions.ClassNames(r.start), predictions.ClassNames(r.prior)) {
		return flags.Usagef("-start and -prior: the models have different classes")
	}
	return nil
}

func (r *linearRun) readInputs() (err error) {
	in := r.flags
	tr := &r.trainer
	if r.cfg.ClassWeight = r.classWeight; !r.keep.restored {
		if r.cfg.ClassWeight, err = r.known.classWeight(r.classWeight); err != nil {
			return err
		}
	}
	tr.Weights = r.reader.weights
	if tr.Costs, err = readCosts(in.Costs); err != nil {
		return err
	}
	var leftOut []int // rows of -valid
	if in.Valid != nil {
		tr.Valid, leftOut, err = r.reader.readValid(in.Valid, r.set, r.known, r.cfg.Loss.Regression())
	}
	if err != nil || in.ValidWeights == "" {
		return err
	}
	rows := len(tr.Valid.Y) + len(leftOut)
	weights, err := readWeights(in.ValidWeights, 0, rows)
	if err != nil {
		return err
	}
	if err := checkWeights(in.ValidWeights, weights, rows); err != nil {
		return err
	}
	tr.Valid.Weights = withoutRows(weights, leftOut)
	if slices.Max(tr.Valid.Weights) == 0 {
		return fmt.Errorf("%s: no row to validate with has a weight above 0", inputName(in.ValidWeights))
	}
	return nil
}

func (r *linearRun) train() error {
	if err := r.Err(); err != nil {
		return err // no model to write yet
	}
	tr, threads := &r.trainer, r.reader.opt.Threads
	tr.Config, tr.Threads, tr.Start, tr.Prior = r.cfg, threads, r.start, r.prior
	tr.CurveColumns = r.reader.curveColumns()
	tr.MaxMemory = memoryFlag(r.flags.MaxMemory).linear(r.set, r.cfg.Loss.Regression())
	tr.Fingerprint, tr.KeepProof = true, r.proofOut != nil
	tr.Early = r.curve.early()
	r.curve.rows = &pegasos.Labelled{X: r.set.Examples(), Y: r.set.Y, Weights: tr.Weights}
	r.curve.valid, r.curve.threads = tr.Valid, threads
	progress := newProgress(r.stderr, r.flags.Quiet)
	start := time.Now()
	tr.Progress = func(now pegasos.Progress) {
		training := time.Since(start) - r.measuring
		r.training = training
		r.epochs, r.ended = now.Epoch, now.Steps < now.TotalSteps
		if r.curve.measure(now, training) {
			r.measuring = time.Since(start) - training
		}
		progress.show(float64(now.Steps-r.keep.before)/float64(now.TotalSteps-r.keep.before),
			"training: pass %d", now.Epoch)
	}
	stage.Store(training)
	m, err := r.keep.train(r, tr)
	r.measuring = time.Since(start) - r.training // includes measuring the result
	progress.clear()
	if m == nil || err != nil && !errors.Is(err, context.Canceled) {
		var bad *pegasos.ConfigError
		if errors.As(err, &bad) && bad.Field == "Costs" && r.flags.Costs != "" {
			err = fmt.Errorf("%s: %w", inputName(r.flags.Costs), err)
		}
		return r.reader.failed(err)
	}
	stage.Store(finishing)
	r.result, r.interrupted = m, err
	return nil
}

func (r *linearRun) write() error {
	m := r.result
	if err := r.reader.nameHeaviest(m.Weights); err != nil {
		return err
	}
	if err := cmp.Or(r.describe(m), r.evaluateHeldOut(m)); err != nil {
		return err
	}
	if err := r.modelOut.write(m.Write); err != nil {
		return err
	}
	if m.Proof != nil {
		if err := r.proofOut.write(m.Proof.Write); err != nil {
			return err
		}
	}
	return r.curve.finish(r.reader.String(), m, r.training, r.interrupted != nil)
}

// For a run with a checkpoint's settings, describe stores the checkpoint's flags, followed by
// -epochs or -steps if given.
func (r *linearRun) describe(m *pegasos.Model) error {
	err := r.reader.describe(m, r.set, r.known)
	if r.keep.restored {
		length := r.flags.Words(true, func(f *flags.Flag) bool {
			return f.Name == "epochs" || f.Name == "steps"
		})
		m.Command = strings.TrimSpace(r.keep.from.Command + " " + shellWords(length))
	}
	return err
}

func (r *linearRun) report() error {
	out := newTrainReport(r)
	if err := r.jsonOut.writeJSON(out); err != nil {
		return err
	}
	if !r.flags.Quiet {
		r.reader.tell(r.set)
		out.print(r.stderr, r.result.Config)
	}
	return nil
}

// end returns an error that does not prevent writing the model: an interruption, or a failure to
// write a checkpoint.
func (r *linearRun) end() error {
	if r.keep.failed != nil {
		return r.keep.failed
	}
	if r.interrupted != nil && r.flags.Checkpoint != "" && !r.flags.Quiet {
		fmt.Fprintln(r.stderr, "to continue:", r.continuation())
	}
	return r.interrupted
}

// continuation returns the command line that continues the run from its checkpoint, which has the
// settings and the kinds of the columns.
func (c *call) continuation() string {
	words := c.flags.Words(true, func(f *flags.Flag) bool {
		return !f.Is(flags.Setting|flags.Kinds) &&
			!slices.Contains(strings.Fields("model proba resume"), f.Name)
	})
	words = append(words, "-resume", c.flags.Checkpoint)
	return c.commandLine(append(words, c.trainArguments()...))
}
