package pegasos

import (
	"github.com/pegasimd/pegasimd/internal/order"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// An Order is the order in which the rows are visited. An epoch is as many steps as there are rows.
type Order string

const (
	// Shuffled shuffles the rows once, cuts them into blocks of Config.Block rows, shorter where
	// there would be fewer than 64 blocks, and visits the blocks in a new random order each epoch.
	// It takes as many epochs as Permutation, and they are faster: large data are first copied in
	// shuffled order. Each order but IID keeps eight bytes a row and class for the certificate.
	Shuffled Order = order.Shuffled
	// Permutation visits each row once an epoch, in a new random order each time.
	Permutation Order = order.Permutation
	IID         Order = order.IID // with replacement, as in the paper; there is no certificate
	// Sequential visits the rows as they are stored. It is slow if they are nearly sorted by label.
	Sequential Order = order.Sequential
	// Blocks is Shuffled without the first shuffle, for data too large to copy. Within a block rows
	// are visited as they are stored; like Sequential it needs rows that are not sorted.
	Blocks Order = order.Blocks
)

// An Offset is the rule for t0 in the step size 1/(lambda*(t+t0)) of step t.
type Offset string

const (
	// OffsetR2 is R^2/lambda, so that the first step has size 1/R^2: R^2 is the mean squared norm
	// of the rows. So that no step overshoots, it is the largest squared norm for Squared and twice
	// that for SquaredHinge, and a bias without a penalty counts as a feature that is 1.
	OffsetR2 Offset = settings.OffsetR2
	// OffsetNone is 0, as in the paper: the first step has size 1/lambda, and the objective leaps
	// to R^2/(2 lambda). With the squared losses that can overflow, which is an error.
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
	// BiasAugmented is the weight of an appended feature that is BiasScale in every row. The larger
	// the scale, the less its penalty. The rows are not copied.
	BiasAugmented Bias = settings.BiasAugmented
	// BiasUnregularised is a term without a penalty, with sub-gradient steps of the same size as
	// those of the weights. It converges more slowly (section 6 of the paper).
	BiasUnregularised Bias = settings.BiasUnregularised
)

// Balanced is the [Config.ClassWeight] that gives all K classes the same total weight: each of the
// n_k rows of class k, out of n, has the weight n/(K*n_k). Weights of rows are counted, if given.
const Balanced = settings.Balanced

// A Finish says how a run goes on: by plain steps, or by a solver that takes their place.
type Finish string

const (
	FinishNone Finish = settings.FinishNone // plain steps to the end
	// FinishDual is dual coordinate descent from the first epoch on (Hsieh et al., ICML 2008; of
	// Log Yu, Huang and Lin, Machine Learning 85, 2011; of CrammerSinger Keerthi et al., KDD 2008).
	// The rows of an epoch come in a new random order where Order is Shuffled, and those whose
	// steps have changed nothing rest for some epochs. The result is the mean of the last epoch's
	// iterates where the loss has a kink or the optimum is far, unless Average is LastIterate; else
	// the last iterate.
	FinishDual Finish = settings.FinishDual
	// FinishAuto chooses for each problem by the number of operations that the descent and, of up
	// to 2,000 columns, Newton's method are predicted to take; internal/train/choose has the
	// numbers. Where the descent would take far more epochs than there are, it is plain steps.
	// Newton's method takes over when the descent has cost as much as that was to. The run ends
	// when Newton's method is done with all problems.
	FinishAuto Finish = settings.FinishAuto
	// FinishNewton goes on after the first epoch with Newton's method, for all losses of one score.
	// It is for dense rows of up to some thousand columns on any scale, small lambdas and a bias
	// without a penalty. The run ends when the gap is found to be at most Tol, or 0.1 %.
	FinishNewton Finish = settings.FinishNewton
)

// Multiclass says what problems labels make. Two labels make one problem in the first two.
type Multiclass string

const (
	// OneVsRest is a problem for each label, against all others. The highest score wins.
	OneVsRest Multiclass = settings.OneVsRest
	// OneVsOne is a problem for each pair of labels, in the order (0, 1), (0, 2), ..., (1, 2), ...,
	// about the rows of these two alone: C, the epochs, Balanced and t0 are of these. Each pair
	// votes for one of its labels; see [Model.ClassScores] for ties.
	OneVsOne Multiclass = settings.OneVsOne
	// CrammerSinger is one problem with a weight vector for each label and the loss max over the
	// labels r of cost(y, r) - z_y + z_r, for the loss Hinge. Trainer.Costs has the costs.
	CrammerSinger Multiclass = settings.CrammerSinger
	// Multinomial is the same with the loss log(sum over r of e^(z_r - z_y)), for the loss Log.
	Multinomial Multiclass = settings.Multinomial
)

// Joint reports whether all weight vectors are trained in one problem.
func (m Multiclass) Joint() bool { return m == CrammerSinger || m == Multinomial }

// DefaultLambda is the Lambda of Config.Plain.
const DefaultLambda = settings.DefaultLambda // 1e-4

// A Config says what is trained and how. It holds everything that has an influence on the model
// beside the data. A zero field stands for its default, the one listed first. But Scale,
// TargetScale, Bias, BiasScale, Multiclass, Lambda or C, Epsilon, Finish, and Epochs or Steps (with
// these two Tol) are chosen by the data where they are zero, each by itself, as docs/training.md
// says; or taken from the model in Trainer.Resume, Start or Prior, but for the length of a new run.
// The Config of a model has what was chosen. [Config.Plain] chooses nothing.
type Config struct {
	Loss Loss `json:"loss,omitempty"` // Hinge, Log, SquaredHinge, EpsInsensitive, Squared
	// Epsilon is the error that costs nothing, for EpsInsensitive only: a tenth of the standard
	// deviation of the labels, unless TargetScale is ScaleNone, where it is what it is.
	Epsilon float64 `json:"epsilon,omitempty"`
	// OneVsRest, OneVsOne, CrammerSinger, Multinomial
	Multiclass Multiclass `json:"multiclass,omitempty"`
	// ClassWeight is Balanced, or a list such as "-1=1,1=2.5" of labels and the weights of their
	// rows, as in Trainer.Weights. Rows of other labels have the weight 1, all rows if it is empty.
	ClassWeight string `json:"class_weight,omitempty"`

	// Lambda is the weight of the penalty, for the rows as they are scaled, and C the same in the
	// terms of other solvers: lambda = 1/(C*rows), or 1/(C*sum of the rows' weights). At most one
	// of the two may be set. Lambda has to be at least 1e-12*min(1, R^2) for float32 weights, R^2
	// being the mean squared length of the rows with an appended feature.
	Lambda float64 `json:"lambda,omitempty"`
	C      float64 `json:"c,omitempty"`

	// Epochs is the length of the run in passes over the rows, Steps that in steps. At most one of
	// the two may be set. Config.Plain has 20 epochs, which end within 1 % of the optimum on most
	// text and census data, or 200 with FinishNewton, which ends by itself after some tens.
	Epochs int   `json:"epochs,omitempty"`
	Steps  int64 `json:"steps,omitempty"`

	// Tol, if not 0, ends the run as soon as Result.Gap is known to be at most this: the objective
	// is then at most this share above the least there is. Steps or Epochs are the most there will
	// be, 2000 epochs unless they are given, and Finish is FinishAuto, where it can be, unless that
	// is given. The gap is found after epochs 1 to 8, 10, 12, 15 and so on, a quarter more each
	// time: it takes about as long as an epoch. With FinishDual it is found when an estimate, which
	// costs nothing, says that it is small enough. Patience is tested after the former epochs.
	Tol float64 `json:"tol,omitempty"`

	// Patience, if not 0, ends the run as soon as that many tests in a row have not shown a better
	// model on Trainer.Valid than the best one before, which is the result: one of higher accuracy,
	// or of a lower mean squared error.
	Patience int `json:"patience,omitempty"`

	Order Order `json:"order,omitempty"` // Shuffled, Permutation, IID, Sequential, Blocks
	Block int   `json:"block,omitempty"` // 64 rows; of the orders Shuffled and Blocks only
	// Batch is the number of rows in a step, 0 or 1 for one: w moves by the mean of their updates.
	// In the order IID a batch is a random set of rows, without repeats. In the others an epoch is
	// cut into rows/Batch steps, rounded up, whose batches differ in size by one at most. With a
	// batch of all rows, the order and the seed have no influence.
	Batch int `json:"batch,omitempty"`
	// Shards, if above 1, is the number of copies of w that share the work and are averaged every
	// few thousand rows. With as many threads a problem of two classes takes a fraction of the
	// time, but comes a little less far in an epoch: see [docs/benchmarks.md]. The result depends
	// on it, not on the threads. Not for joint problems, batches, Project and Finish.
	//
	// [docs/benchmarks.md]: https://github.com/pegasimd/pegasimd/blob/main/docs/benchmarks.md
	Shards int `json:"shards,omitempty"`

	// Project keeps w, with the weight of an appended feature, in the ball that has the optimum:
	// |w|^2 <= P(0)/lambda, which is 1/lambda for Hinge. It tames the first steps of OffsetNone.
	Project bool    `json:"project,omitempty"`
	Offset  Offset  `json:"offset,omitempty"`  // OffsetR2, OffsetNone
	Average Average `json:"average,omitempty"` // LastHalf, LastIterate
	Finish  Finish  `json:"finish,omitempty"`  // FinishNone, FinishDual, FinishAuto, FinishNewton

	Bias      Bias    `json:"bias,omitempty"`       // BiasNone, BiasAugmented, BiasUnregularised
	BiasScale float64 `json:"bias_scale,omitempty"` // of BiasAugmented
	// Scale is how the features are scaled first: ScaleNone, ScaleStandard, ScaleMaxAbs, ScaleUnit.
	Scale Scale `json:"scale,omitempty"`
	// TargetScale is how numbers to predict are scaled: ScaleStandard, or ScaleNone.
	TargetScale Scale `json:"target_scale,omitempty"`

	// Calibrate, if not 0, is the number of folds by which the model gets [Model.Probabilities] by
	// Platt's method: a sigmoid for each weight vector, fitted to the scores of each fold by a
	// model trained on the others. Training takes about Calibrate times longer. The loss Log needs
	// no folds. Sigmoids weigh rows by Trainer.Weights, not by ClassWeight.
	Calibrate int `json:"calibrate,omitempty"`
	// Seed starts the random numbers. Zero is a seed like any other.
	Seed uint64 `json:"seed,omitempty"`
}

// Paper returns the algorithm of the paper's Fig. 1 to the letter: rows as they are, without a
// bias, drawn with replacement, step size 1/(lambda*t), and the last iterate as the result. Lambda
// is DefaultLambda and Epochs is 20: set these to 0 to set C or Steps.
func Paper() Config { return Config{Order: IID, Offset: OffsetNone, Average: LastIterate}.Plain() }

// Plain returns cfg with its zero fields filled in by values that do not go by the data: no
// scaling, no bias, one-vs-rest, DefaultLambda, 20 epochs and what else is listed first. They are
// what a zero field stands for in the Config of a [Model].
func (cfg Config) Plain() Config { return fromSettings(cfg.settings().Plain()) }

// Validate returns a *[ConfigError] that names the first field that can't be used, or nil.
func (cfg Config) Validate() error { return publicError(cfg.settings().Validate()) }

// settings returns cfg as the trainer's rooms take it.
func (cfg Config) settings() *settings.Settings {
	s := new(settings.Settings)
	settings.Copy(s, cfg)
	return s
}

func fromSettings(s settings.Settings) (cfg Config) {
	settings.Copy(&cfg, s)
	return cfg
}
