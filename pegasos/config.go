package pegasos

import (
	"github.com/pegasimd/pegasimd/internal/order"
	"github.com/pegasimd/pegasimd/internal/train/settings"
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

// An Offset is the rule for t0, which is added to the step number in the step size
// 1/(lambda*(t+t0)).
type Offset string

const (
	// OffsetR2 is R^2/lambda: the first step has size 1/R^2, R^2 being the mean squared norm of the
	// rows. For the squared hinge it is twice the largest squared norm instead, for Squared the
	// largest, and a bias without a penalty counts as a feature that is 1: no step overshoots then,
	// and none makes the next one larger.
	OffsetR2 Offset = settings.OffsetR2
	// OffsetNone is 0, as in the paper: the first step has size 1/lambda, the objective leaps to
	// R^2/(2 lambda). With the squared losses, whose gradient has no bound, that can end in an
	// overflow, which is an error.
	OffsetNone Offset = settings.OffsetNone
)

// An Average says which iterates make the model.
type Average string

const (
	LastHalf    Average = settings.LastHalf    // the mean over the last half of the run
	LastIterate Average = settings.LastIterate // the last one alone, as in the paper
)

// A Bias says whether there is a constant term and how it is found.
type Bias string

const (
	BiasNone Bias = settings.BiasNone
	// BiasAugmented is the weight of an appended feature that is BiasScale in every row. It is
	// penalised like the others: the larger the scale, the less. The rows are not copied.
	BiasAugmented Bias = settings.BiasAugmented
	// BiasUnregularised is a term without a penalty that has its own steps, along its own
	// sub-gradient and of the same size as those of the weights. Nothing holds it, so that it
	// converges more slowly (section 6).
	BiasUnregularised Bias = settings.BiasUnregularised
)

// Balanced is the [Config.ClassWeight] that gives each class the same weight in all: the rows of
// class k have the weight n/(K*n_k), for n rows, of which n_k are of class k, and K classes. Of
// rows that have own weights those are counted.
const Balanced = settings.Balanced

// A Finish says how a run goes on after its first epoch.
type Finish string

const (
	// FinishNone goes on as it began.
	FinishNone Finish = settings.FinishNone
	// FinishDual goes on with dual coordinate ascent (Hsieh et al., ICML 2008; Shalev-Shwartz and
	// Zhang, JMLR 14, 2013) from the dual variables that Pegasos leaves: the rows' shares of
	// violations. A step makes the best of one row's. The result is the best by P of the average
	// over the last half of that, of its last iterate, and of Pegasos's own, estimated from the
	// rows that matter most.
	FinishDual Finish = settings.FinishDual
	// FinishAuto goes by the number of operations that Newton's method and the dual would take,
	// problem by problem; internal/train/engine has the numbers. With up to 2,000 columns Newton's
	// method takes over at once where it costs no more than some tens of epochs of the dual, else
	// when epochs have cost half as much as it would. The dual begins once P - D is below 70 % of P:
	// where rows are long, and lambda times their number small, such as on raw pixels, that may be
	// never, and the dual would be slow; Newton's method then takes over if it costs no more than
	// some more epochs. Where neither is the choice, Pegasos goes on. The run ends when Newton's
	// method is done with all problems, as with FinishNewton.
	FinishAuto Finish = settings.FinishAuto
	// FinishNewton goes on with Newton's method, for all losses of one score. It is the finish for
	// dense rows of up to some thousand columns, whatever their scale, for small lambdas and for a
	// bias without a penalty; an iteration takes a pass and work with the square of the columns for
	// many of the rows. The run ends when the method finds the gap to be at most Tol, or 0.1 %.
	FinishNewton Finish = settings.FinishNewton
)

// Multiclass says what problems more than two labels make. Two labels make one problem in the first
// two.
type Multiclass string

const (
	// OneVsRest is a problem a label, against all others. The highest score wins.
	OneVsRest Multiclass = settings.OneVsRest
	// OneVsOne is a problem for each pair of labels, in the order (0, 1), (0, 2), ..., (1, 2), ...:
	// the same as training on the rows of these two labels alone. Each pair votes for one of its
	// labels; see [Model.ClassScores] for the ties. C, the epochs, Balanced and t0 are those of the
	// pair's rows.
	OneVsOne Multiclass = settings.OneVsOne
	// CrammerSinger is one problem with a weight vector a label and the loss max over the labels r
	// of cost(y, r) - z_y + z_r, for the loss Hinge. The costs are 1 but for cost(y, y) = 0; see
	// Trainer.Costs.
	CrammerSinger Multiclass = settings.CrammerSinger
	// Multinomial is the same with the loss log(sum over the labels r of e^(z_r - z_y)), for the
	// loss Log.
	Multinomial Multiclass = settings.Multinomial
)

// Joint reports whether all weight vectors are trained in one problem.
func (m Multiclass) Joint() bool { return m == CrammerSinger || m == Multinomial }

// DefaultLambda is the Lambda of Config.Plain.
const DefaultLambda = settings.DefaultLambda // 1e-4

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
	// weights). At most one of the two may be set. Lambda has to be 1e-12 times R^2 or more, R^2
	// being the mean squared length of the rows with an appended feature, or 1 if that is less:
	// below it float32 weights, which may reach R/lambda, are in danger.
	Lambda float64 `json:"lambda,omitempty"`
	C      float64 `json:"c,omitempty"`

	// Epochs is the length of the run in passes over the rows, Steps that in steps. At most one of
	// the two may be set. In Config.Plain there are 20 epochs, enough for 1 % of the optimum on most
	// text and census data, or with FinishNewton, which ends by itself after some tens, 200.
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
// is DefaultLambda, and there are 20 epochs: who sets C or Steps sets these to 0.
func Paper() Config {
	return Config{Order: IID, Offset: OffsetNone, Average: LastIterate}.Plain()
}

// Plain returns cfg with its zero fields filled in by values that do not go by the data: no
// scaling, no bias, one-vs-rest, DefaultLambda, DefaultEpochs and what else is listed first. With
// these training chooses nothing. They are what a zero field stands for in the Config of a [Model].
func (cfg Config) Plain() Config { return fromSettings(cfg.settings().Plain()) }

// Validate returns a *[ConfigError] that names the first field that can't be used, or nil.
func (cfg Config) Validate() error { return publicError(cfg.settings().Validate()) }

// settings returns cfg as the trainer's rooms take it.
func (cfg Config) settings() (s settings.Settings) {
	settings.Copy(&s, cfg)
	return s
}

// vectors returns how many weight vectors there are for so many classes.
func (cfg Config) vectors(classes int) (int, error) {
	s := cfg.settings()
	return s.Vectors(classes)
}

func fromSettings(s settings.Settings) (cfg Config) {
	settings.Copy(&cfg, s)
	return cfg
}

// ClassWeights returns the weights that ClassWeight gives to labels, nil if it gives none or goes
// by the data.
func (cfg Config) ClassWeights() (map[float32]float64, error) {
	s := cfg.settings()
	weights, err := s.ClassWeights()
	return weights, publicError(err)
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
