package pegasos

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/options"
	"github.com/pegasimd/pegasimd/internal/order"
	"github.com/pegasimd/pegasimd/internal/train/loss"
)

// An Order is the order in which the rows are visited. An epoch is as many steps as there are rows.
type Order string

const (
	// Shuffled shuffles the rows once, cuts them into blocks of Config.Block, the last of which may
	// be shorter, and visits the blocks in a new random order each epoch. Blocks are shorter where
	// there would be fewer than 64 of them. It takes as many epochs as Permutation, and they are
	// faster: rows that are beyond the caches are copied at the start, in shuffled order, so that
	// memory is read in long runs. Twice four bytes for each row and class are kept for the
	// certificate, as in the next three.
	Shuffled Order = order.Shuffled
	// Permutation visits each row once an epoch, shuffled anew for each.
	Permutation Order = order.Permutation
	// IID draws rows with replacement, as the paper does. There is no certificate.
	IID Order = order.IID
	// Sequential visits the rows as they are stored, in each epoch. Rows that are sorted by label,
	// or nearly, make it slow to converge.
	Sequential Order = order.Sequential
	// Blocks is Shuffled without the first shuffle, for data that are too large for a copy: within
	// a block rows are visited as they are stored. Like Sequential it needs rows that are not
	// sorted.
	Blocks Order = order.Blocks
)

func (o Order) inBlocks() bool { return order.InBlocks(string(o)) }

// An Offset is the rule for t0, which is added to the step number in the step size
// 1/(lambda*(t+t0)).
type Offset string

const (
	// OffsetR2 is R^2/lambda: the first step has size 1/R^2, R^2 being the mean squared norm of the
	// rows. For the squared hinge it is twice the largest squared norm instead, for Squared the
	// largest, and a bias without a penalty counts as a feature that is 1: no step overshoots then,
	// and none makes the next one larger.
	OffsetR2 Offset = "r2"
	// OffsetNone is 0, as in the paper: the first step has size 1/lambda, the objective leaps to
	// R^2/(2 lambda). With the squared losses, whose gradient has no bound, that can end in an
	// overflow, which is an error.
	OffsetNone Offset = "none"
)

// An Average says which iterates make the model.
type Average string

const (
	LastHalf    Average = "last-half" // the mean over the last half of the run
	LastIterate Average = "none"      // the last one alone, as in the paper
)

// A Bias says whether there is a constant term and how it is found.
type Bias string

const (
	BiasNone Bias = "none"
	// BiasAugmented is the weight of an appended feature that is BiasScale in every row. It is
	// penalised like the others: the larger the scale, the less. The rows are not copied.
	BiasAugmented Bias = "augmented"
	// BiasUnregularised is a term without a penalty that has its own steps, along its own
	// sub-gradient and of the same size as those of the weights. Nothing holds it, so that it
	// converges more slowly (section 6).
	BiasUnregularised Bias = "unregularised"
)

// Multiclass says what problems more than two labels make. Two labels make one problem in the first
// two.
type Multiclass string

const (
	// OneVsRest is a problem a label, against all others. The highest score wins.
	OneVsRest Multiclass = "ovr"
	// OneVsOne is a problem for each pair of labels, in the order (0, 1), (0, 2), ..., (1, 2), ...:
	// the same as training on the rows of these two labels alone. Each pair votes for one of its
	// labels; see [Model.ClassScores] for the ties. C, the epochs, Balanced and t0 are those of the
	// pair's rows.
	OneVsOne Multiclass = "ovo"
	// CrammerSinger is one problem with a weight vector a label and the loss max over the labels r
	// of cost(y, r) - z_y + z_r, for the loss Hinge. The costs are 1 but for cost(y, y) = 0; see
	// Trainer.Costs.
	CrammerSinger Multiclass = "crammer-singer"
	// Multinomial is the same with the loss log(sum over the labels r of e^(z_r - z_y)), for the
	// loss Log.
	Multinomial Multiclass = "multinomial"
)

// Joint reports whether all weight vectors are trained in one problem.
func (m Multiclass) Joint() bool { return m == CrammerSinger || m == Multinomial }

// MinLambda is the least lambda that can be used where R^2, the mean squared length of the rows
// with an appended feature, is 1 or more; where it is less, MinLambda times R^2 is. Below it
// float32 weights, which may reach R/lambda, are in danger.
const MinLambda = options.MinLambda // 1e-12

// Values that stand in for zero fields in Config.Plain.
const (
	DefaultLambda = 1e-4
	// DefaultEpochs is enough for 1 % of the optimum on most text and census data; see
	// [docs/benchmarks.md].
	//
	// [docs/benchmarks.md]: https://github.com/pegasimd/pegasimd/blob/main/docs/benchmarks.md
	DefaultEpochs    = 20
	DefaultBiasScale = 1
	DefaultBlock     = 64

	// DefaultNewtonEpochs is the most with FinishNewton, which ends by itself after some tens.
	DefaultNewtonEpochs = 200
)

// A Config says what is trained and how. It holds everything that has an influence on the model
// beside the data, and nothing else. A field that is zero stands for its default, the one listed
// first; but Scale, TargetScale, Bias, BiasScale, Multiclass, Lambda or C, Epsilon, Finish, and
// Epochs or Steps (and with these two Tol) are chosen by the data where they are zero, each by
// itself: docs/defaults.md says how.
// Where the trainer has a Resume, a Start or a Prior they are that model's, but for the length of a
// new run. The Config of a model has what was chosen; [Config.Plain] chooses nothing.
type Config struct {
	Loss Loss `json:"loss,omitempty"` // Hinge, Log, SquaredHinge, EpsInsensitive, Squared

	// Epsilon is the error that costs nothing, for EpsInsensitive only: a tenth of the standard
	// deviation of the labels, unless TargetScale is ScaleNone, where it is what it is.
	Epsilon float64 `json:"epsilon,omitempty"`

	// OneVsRest, OneVsOne, CrammerSinger, Multinomial
	Multiclass Multiclass `json:"multiclass,omitempty"`

	// ClassWeight is Balanced, or a list such as "-1=1,1=2.5" of labels and the weight of a row of
	// the label, 1 where the list has no such label; empty, all have the same weight. See
	// Trainer.Weights for what that means.
	ClassWeight string `json:"class_weight,omitempty"`

	// Lambda is the weight of the penalty, about the rows as they are scaled. C is the same in the
	// terms of other solvers: lambda = 1/(C*rows), or, of rows with weights, 1/(C*sum of the
	// weights). At most one of the two may be set.
	Lambda float64 `json:"lambda,omitempty"`
	C      float64 `json:"c,omitempty"`

	// Epochs is the length of the run in passes over the rows, Steps that in steps. At most one of
	// the two may be set.
	Epochs int   `json:"epochs,omitempty"`
	Steps  int64 `json:"steps,omitempty"`

	// Tol, if not 0, ends the run as soon as Result.Gap is known to be at most this: the objective
	// is then at most this share above the least there is. Steps or Epochs are the most there will
	// be, 2000 epochs unless they are given, and Finish is FinishAuto, where it can be, unless that
	// is given. The gap is found after epochs 1 to 8, 10, 12, 15 and so on, a quarter more each
	// time: it takes about as long as an epoch. Change and Patience are tested after the same
	// epochs.
	Tol float64 `json:"tol,omitempty"`

	// Change, if not 0, ends the run as soon as the objective has fallen by no more than this share
	// of itself since the test before, the penalty included.
	Change float64 `json:"change,omitempty"`

	// Patience, if not 0, ends the run as soon as so many tests in a row have not shown a better
	// model on Trainer.Valid than the best one before, which is the result: one of higher accuracy,
	// or of a lower mean squared error.
	Patience int `json:"patience,omitempty"`

	Order Order `json:"order,omitempty"` // Shuffled, Permutation, IID, Sequential, Blocks
	Block int   `json:"block,omitempty"` // 64 rows; of the orders Shuffled and Blocks only

	// Batch is the number of rows in a step, 0 or 1 for one: w moves by the mean of their
	// updates. In the order IID a batch is a random set of
	// so many rows, without repeats. In the others an epoch is cut into rows/Batch steps, rounded
	// up, whose batches differ in size by one at most. A batch of all rows makes the run
	// deterministic, whatever the order and the seed.
	Batch int `json:"batch,omitempty"`

	// Shards, if above 1, lets so many copies of w share the work, which are averaged every few
	// thousand rows: with as many threads a problem of two classes is trained in a fraction of the
	// time, but comes a little less far in an epoch (see [docs/benchmarks.md]). The number of
	// threads has no influence on the result, the number of shards has. Not for joint problems,
	// batches, Project and Finish.
	//
	// [docs/benchmarks.md]: https://github.com/pegasimd/pegasimd/blob/main/docs/benchmarks.md
	Shards int `json:"shards,omitempty"`

	// Project keeps w, and with it the weight of an appended feature, in the ball in which the
	// optimum is known to be: |w|^2 <= P(0)/lambda, which is 1/lambda for Hinge. It tames the first
	// steps, of use without an offset.
	Project bool `json:"project,omitempty"`

	Offset  Offset  `json:"offset,omitempty"`  // OffsetR2, OffsetNone
	Average Average `json:"average,omitempty"` // LastHalf, LastIterate

	// Finish is how the run goes on after its first epoch. FinishDual is for Hinge, SquaredHinge
	// and Squared, CrammerSinger among them.
	Finish Finish `json:"finish,omitempty"` // FinishNone, FinishDual, FinishAuto, FinishNewton

	// BiasNone, BiasAugmented, BiasUnregularised
	Bias      Bias    `json:"bias,omitempty"`
	BiasScale float64 `json:"bias_scale,omitempty"` // of BiasAugmented

	// Scale is how the features are scaled first: ScaleNone, ScaleStandard, ScaleMaxAbs, ScaleUnit.
	Scale Scale `json:"scale,omitempty"`
	// TargetScale is how numbers to predict are scaled: ScaleStandard, or ScaleNone.
	TargetScale Scale `json:"target_scale,omitempty"`

	// Calibrate, if not 0, gives the model probabilities ([Model.Probabilities]) by Platt's method:
	// a sigmoid for each weight vector, fitted to scores of rows that were held out. The rows are
	// dealt out to so many folds, of each of which the scores come from a model trained on the
	// others. Training takes as many times longer. With the loss Log there is no need for it.
	Calibrate int `json:"calibrate,omitempty"`

	// Seed starts the random numbers. Zero is a seed like any other.
	Seed uint64 `json:"seed,omitempty"`
}

// Paper returns the algorithm of the paper's Fig. 1 to the letter: rows as they are, without a
// bias, drawn with replacement, step size 1/(lambda*t), and the last iterate as the result. Lambda
// is DefaultLambda, and there are DefaultEpochs: who sets C or Steps sets these to 0.
func Paper() Config {
	return Config{Order: IID, Offset: OffsetNone, Average: LastIterate}.Plain()
}

// Plain returns cfg with its zero fields filled in by values that do not go by the data: no
// scaling, no bias, one-vs-rest, DefaultLambda, DefaultEpochs and what else is listed first. With
// these training chooses nothing. They are what a zero field stands for in the Config of a [Model].
func (cfg Config) Plain() Config {
	options.Fill(&cfg.Multiclass, OneVsRest)
	if cfg.Multiclass == Multinomial {
		options.Fill(&cfg.Loss, Log)
	}
	options.Fill(&cfg.Loss, Hinge)
	if cfg.C == 0 {
		options.Fill(&cfg.Lambda, DefaultLambda)
	}
	if cfg.Steps == 0 && cfg.Finish == FinishNewton {
		options.Fill(&cfg.Epochs, DefaultNewtonEpochs)
	} else if cfg.Steps == 0 {
		options.Fill(&cfg.Epochs, DefaultEpochs)
	}
	options.Fill(&cfg.Order, Shuffled)
	if cfg.Order.inBlocks() {
		options.Fill(&cfg.Block, DefaultBlock)
	}
	options.Fill(&cfg.Bias, BiasNone)
	if cfg.Bias == BiasAugmented {
		options.Fill(&cfg.BiasScale, DefaultBiasScale)
	}
	options.Fill(&cfg.Scale, ScaleNone)
	options.Fill(&cfg.TargetScale, ScaleNone)
	options.Fill(&cfg.Offset, OffsetR2)
	options.Fill(&cfg.Average, LastHalf)
	return cfg
}

// inForce returns the settings of a run: with defaults, and without the scale of a feature that is
// not appended, of which 1 is allowed.
func (cfg Config) inForce() Config {
	cfg = cfg.Plain()
	if cfg.Bias != BiasAugmented {
		cfg.BiasScale = 0
	}
	return cfg
}

// finishes reports whether the run does not end as it began.
func (cfg Config) finishes() bool { return cfg.Finish != "" && cfg.Finish != FinishNone }

// Validate returns a *[ConfigError] that names the first field that can't be used, or nil.
func (cfg Config) Validate() error {
	if err := options.First(fieldError,
		options.Exclusive(cfg.Lambda, cfg.C, cfg.Epochs, cfg.Steps)); err != nil {
		return err
	}
	if cfg.Bias == "" && cfg.BiasScale != 0 {
		cfg.Bias = BiasAugmented
	}
	cfg = cfg.Plain()
	if _, err := cfg.ClassWeights(); err != nil {
		return err
	}
	return options.First(fieldError,
		cfg.valueRules(), cfg.lengthRules(), cfg.stepRules(), cfg.biasRules(), cfg.classRules())
}

// valueRules are those of fields that have one of a few values, and of the penalty.
func (cfg Config) valueRules() []options.Rule {
	return []options.Rule{
		options.OneOf("Loss", cfg.Loss, Losses()...),
		options.OneOf("Order", cfg.Order, Shuffled, Permutation, IID, Sequential, Blocks),
		options.OneOf("Offset", cfg.Offset, OffsetR2, OffsetNone),
		options.OneOf("Finish", cfg.Finish, "", FinishNone, FinishDual, FinishAuto, FinishNewton),
		options.OneOf("Average", cfg.Average, LastHalf, LastIterate),
		options.OneOf("Bias", cfg.Bias, BiasNone, BiasAugmented, BiasUnregularised),
		options.OneOf("Multiclass", cfg.Multiclass, OneVsRest, OneVsOne, CrammerSinger,
			Multinomial),
		options.OneOf("Scale", cfg.Scale, ScaleNone, ScaleStandard, ScaleMaxAbs, ScaleUnit),
		options.OneOf("TargetScale", cfg.TargetScale, ScaleNone, ScaleStandard),
		options.Not("TargetScale", cfg.TargetScale == ScaleStandard && !cfg.Loss.Regression(),
			"have %q, but labels are classes with the loss %s", cfg.TargetScale, cfg.Loss),
		options.Penalty(cfg.Lambda, cfg.C),
	}
}

// lengthRules are those of how long a run is, and when it ends before that.
func (cfg Config) lengthRules() []options.Rule {
	joint := cfg.Multiclass.Joint()
	rules := []options.Rule{
		options.Range("Epochs", cfg.Epochs, 0, math.MaxInt, "1 or more"),
		options.Range("Steps", cfg.Steps, 0, options.MaxSteps, "1 to 2^53"),
		options.Range("Patience", cfg.Patience, 0, math.MaxInt, "1 or more"),
		options.Not("Tol", cfg.Tol != 0 && cfg.Order == IID,
			"have %v, but with Order %q the gap is not known", cfg.Tol, cfg.Order),
		options.Not("Tol", cfg.Tol != 0 && cfg.Bias == BiasUnregularised && joint,
			"have %v, but with Multiclass %q and Bias %q the gap is not known",
			cfg.Tol, cfg.Multiclass, cfg.Bias),
		options.Not("Finish",
			cfg.Finish == FinishDual && !(cfg.canAscend() && cfg.canFinish()),
			"have %q, which is for the losses %s, and not for multinomial problems, the order iid, "+
				"batches, projection, or a bias without penalty",
			cfg.Finish, lossesThat(func(l *loss.Traits) bool { return l.Ascent })),
		options.Not("Finish", cfg.Finish == FinishAuto && !cfg.canFinish(),
			"have %q, which is not for multinomial problems, the order iid, batches and projection",
			cfg.Finish),
		options.Not("Finish", cfg.Finish == FinishNewton && !cfg.canNewton(),
			"have %q, which ends by itself and has no other early stop than the gap, and is not for "+
				"joint problems, the order iid, batches and projection", cfg.Finish),
	}
	if cfg.Tol != 0 {
		rules = append(rules, options.Share("Tol", cfg.Tol))
	}
	if cfg.Change != 0 {
		rules = append(rules, options.Share("Change", cfg.Change))
	}
	return rules
}

// bounds reports whether there is a bound with the settings.
func (cfg Config) bounds() bool {
	joint := cfg.Plain().Multiclass.Joint()
	return cfg.Order != IID && !(joint && cfg.Bias == BiasUnregularised)
}

// canFinish reports whether a run with the settings can have a finish.
func (cfg Config) canFinish() bool {
	return cfg.Multiclass != Multinomial && cfg.Order != IID && cfg.Batch <= 1 && !cfg.Project
}

// canAscend reports whether there is an ascent for the loss and the bias.
func (cfg Config) canAscend() bool {
	return cfg.Loss.traits().Ascent && cfg.Bias != BiasUnregularised
}

// stepRules are those of what a step is.
func (cfg Config) stepRules() []options.Rule {
	alone := cfg.Multiclass.Joint() || cfg.Batch > 1 || cfg.Project || cfg.finishes()
	return []options.Rule{
		options.Only("Block", !cfg.Order.inBlocks() && cfg.Block != 0, cfg.Block, "Order",
			cfg.Order),
		options.Range("Block", cfg.Block, 0, math.MaxInt32, "1 to 2^31-1"),
		options.Not("Shards", cfg.Shards < 0 || cfg.Shards > maxShards || cfg.Shards > 1 && alone,
			"have %d, want at most %d, and none for joint problems, batches, projection and "+
				"a finish",
			cfg.Shards, maxShards),
		options.Range("Batch", cfg.Batch, 0, math.MaxInt, "1 or more"),
	}
}

// biasRules are those of the constant term.
func (cfg Config) biasRules() []options.Rule {
	if cfg.Bias == BiasAugmented {
		return []options.Rule{options.Not("BiasScale",
			!(cfg.BiasScale > 0) || cfg.BiasScale > math.MaxFloat32,
			"have %v, want a positive finite number", cfg.BiasScale)}
	}
	set := cfg.BiasScale != 0 && cfg.BiasScale != DefaultBiasScale
	return []options.Rule{options.Only("BiasScale", set, cfg.BiasScale, "Bias", cfg.Bias)}
}

// classRules are those of what the labels are, and of the loss that goes with it.
func (cfg Config) classRules() []options.Rule {
	numbers := cfg.Loss.Regression()
	goesWith := map[Multiclass]Loss{CrammerSinger: Hinge, Multinomial: Log}[cfg.Multiclass]
	return []options.Rule{
		options.Not("Calibrate",
			cfg.Calibrate != 0 && (cfg.Calibrate < 2 || cfg.Calibrate > 1000 || numbers),
			"have %d, want 2 to 1000 folds, and labels that are classes", cfg.Calibrate),
		options.Only("Epsilon", cfg.Epsilon != 0 && !cfg.Loss.traits().Epsilon, cfg.Epsilon, "Loss",
			cfg.Loss),
		options.Range("Epsilon", cfg.Epsilon, 0, math.MaxFloat32, "a finite number of at least 0"),
		options.Not("Multiclass", goesWith != "" && cfg.Loss != goesWith,
			"have %q, which is for the loss %s, but Loss is %q", cfg.Multiclass, goesWith,
			cfg.Loss),
		options.Not("Multiclass", numbers && cfg.Multiclass != OneVsRest,
			"have %q, but there are no classes with the loss %s", cfg.Multiclass, cfg.Loss),
		options.Not("ClassWeight", numbers && cfg.ClassWeight != "",
			"have %q, but there are no classes with the loss %s", cfg.ClassWeight, cfg.Loss),
	}
}

const maxShards = 256

func checkLambda(lambda float64) error {
	return options.First(fieldError, []options.Rule{options.Lambda(lambda)})
}

// firstError returns the first of the errors that is not nil.
func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// lambda returns the penalty for so many rows, or for weights with that sum.
func (cfg Config) lambda(rows float64) (float64, error) {
	lambda, rule := options.LambdaFor(cfg.Lambda, cfg.C, rows)
	return lambda, options.First(fieldError, []options.Rule{rule})
}

// runLength returns the length of the run for epochs of so many steps.
func (cfg Config) runLength(epoch int) (int64, error) {
	if cfg.Steps != 0 {
		return cfg.Steps, nil
	}
	if int64(cfg.Epochs) > options.MaxSteps/int64(epoch) {
		return 0, badField("Epochs", "have %d, which is more than 2^53 steps of %d an epoch",
			cfg.Epochs, epoch)
	}
	return int64(cfg.Epochs) * int64(epoch), nil
}
