package pegasos

import (
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// Order is the order in which training visits the rows. An epoch has one step for every
// Config.Batch rows, which means one step for each row by default. Every order but IID stores eight
// bytes for each row and class, from which the certificate is computed.
type Order string

const (
	// Shuffled shuffles the rows once, cuts them into at least 64 blocks (if there are 64 rows) of
	// up to Config.Block rows, and visits the blocks in a new random order each epoch. It converges
	// like a new order of all rows each epoch, with faster epochs: the trainer first copies large
	// data in shuffled order.
	Shuffled Order = "shuffled"
	// IID draws rows with replacement, as the paper does. There is no certificate.
	IID Order = "iid"
	// Sequential visits the rows in the order in which they are stored. It converges slowly if they
	// are nearly sorted by label.
	Sequential Order = "sequential"
	// Blocks is Shuffled without the first shuffle, for data too large to copy: blocks come in
	// random order, rows within a block as they are stored. Like Sequential it needs rows that are
	// not sorted by label.
	Blocks Order = "blocks"
	// Permutation visits the rows in a new random order each epoch. It is the default of kernel
	// machines, see package kernelsvm, and the Order in the Config of models that [Partial] trained
	// with Shuffled. [Config.Validate] and [Train] refuse it: use Shuffled.
	Permutation Order = "permutation"
)

// Offset is the rule for t0 in 1/(lambda*(t+t0)), the step size of step t.
type Offset string

const (
	// OffsetAuto is OffsetR2, but runs of plain steps with Hinge adapt t0: after 1024, 2048, 4096,
	// ... steps, up to the middle of the run, t0 becomes the value that suits the norms of the
	// weights and of the sub-gradients so far, but never less than that of OffsetR2. Runs with a
	// Start, a joint Multiclass, Batch, Project or BiasUnregularised keep the t0 of OffsetR2. It is
	// the default of Config.Plain where it adapts t0; elsewhere the default is OffsetR2.
	OffsetAuto Offset = "auto"
	// OffsetR2 sets t0 to R^2/lambda, so that the first step has a size of about 1/R^2, where R^2
	// is the mean squared norm of the rows. With Squared, R^2 is the largest squared norm instead,
	// with SquaredHinge twice that, so that no step overshoots; the bias of BiasUnregularised then
	// counts as the weight of a feature of 1.
	OffsetR2 Offset = "r2"
	// OffsetNone sets t0 to 0, as in the paper. The first step has size 1/lambda and can raise the
	// objective to R^2/(2 lambda). With the squared losses that may overflow, which is a
	// *StepError.
	OffsetNone Offset = "none"
)

// Average says whether the model is a mean of iterates of the run or the last iterate.
type Average string

const (
	LastHalf    Average = "last-half" // mean of iterates from about the last half of the run
	LastIterate Average = "none"      // last iterate alone, as in the paper
)

// Bias says whether the model has a constant term, and how that term is trained.
type Bias string

const (
	BiasNone Bias = "none" // no constant term, as in the paper
	// BiasAugmented trains the bias through the weight of an appended feature, whose value is
	// Config.BiasScale in every row. The weight is penalized like the others; the larger BiasScale,
	// the less the penalty matters. The rows are not copied.
	BiasAugmented Bias = "augmented"
	// BiasUnregularised trains a bias without a penalty. Sub-gradient steps of the same size move
	// the bias and the weights, which converges more slowly (section 6 of the paper).
	BiasUnregularised Bias = "unregularised"
)

// Balanced is the [Config.ClassWeight] that gives all K classes the same total weight: each of the
// n_k rows of class k, out of n rows in all, has the weight n/(K*n_k). With Trainer.Weights, n and
// n_k are sums of row weights.
const Balanced = "balanced"

// Finish names the solver of a run: Pegasos's steps alone (FinishNone), another solver that
// replaces some or all of these steps, or FinishAuto, which chooses.
type Finish string

const (
	FinishNone Finish = "none" // only Pegasos's steps, no other solver
	// FinishDual is dual coordinate descent from the first epoch on (Hsieh et al., ICML 2008; for
	// Log Yu, Huang and Lin, Machine Learning 85, 2011; for CrammerSinger Keerthi et al., KDD
	// 2008). With Shuffled it visits all rows in a new random order each epoch. Rows whose steps
	// changed nothing are skipped for some epochs. The model is the mean of the last epoch's
	// iterates if Average is LastHalf and either the loss has a kink or more than 20 epochs are
	// predicted; otherwise it is the last iterate.
	FinishDual Finish = "dual"
	// FinishAuto picks the solver with the least predicted number of operations: the dual descent
	// or, for data of up to 2,000 columns, Newton's method after an epoch of Pegasos's steps. If
	// the descent would need far more epochs than the run has, Pegasos's steps replace it, and
	// Newton's method follows after an epoch where it is allowed. Newton's method also takes over a
	// problem once the descent has cost as much as Newton's method was predicted to. Without Tol
	// the run ends when Newton's method has ended on all problems.
	FinishAuto Finish = "auto"
	// FinishNewton is Newton's method after a first epoch of Pegasos's steps, for all losses but
	// the joint ones. It suits dense rows of up to some thousand columns of any scale, small
	// lambdas and a bias without a penalty. The run ends when the gap is at most Tol, or 0.1 % if
	// Tol is 0.
	FinishNewton Finish = "newton"
)

// Multiclass is the scheme by which more than two labels are reduced to training problems. Two
// labels make a single problem in OneVsRest and OneVsOne.
type Multiclass string

const (
	// OneVsRest trains a problem for each label against all others. The highest score wins.
	OneVsRest Multiclass = "ovr"
	// OneVsOne trains a problem for each pair of labels, in the order (0, 1), (0, 2), ..., (1, 2),
	// ..., on the rows of these two alone: C, epochs, Balanced and t0 refer to the rows of the
	// pair. Each pair votes for one of its labels; [Model.ClassScores] documents ties.
	OneVsOne Multiclass = "ovo"
	// CrammerSinger trains one problem, with a weight vector for each label. Vector r gives label r
	// the score z_r, and the loss of a row with the label y is the maximum over r of
	// cost(y, r) - z_y + z_r; Trainer.Costs sets the costs. It requires the Loss Hinge.
	CrammerSinger Multiclass = "crammer-singer"
	// Multinomial is like CrammerSinger, with the loss log(sum over r of e^(z_r - z_y)). It
	// requires the Loss Log, which a zero Loss then means.
	Multinomial Multiclass = "multinomial"
)

// Joint reports whether all weight vectors are trained in one problem.
func (m Multiclass) Joint() bool { return m == CrammerSinger || m == Multinomial }

// DefaultLambda is the value that Config.Plain gives to Lambda if neither Lambda nor C is set.
const DefaultLambda = 1e-4

// Config holds the settings of a training run. The settings, the data, the layout of the rows and
// the other inputs of the [Trainer] together determine the model.
//
// A zero field means its default, the value listed first. The defaults of these fields are chosen
// from the data, by the rules of docs/training.md: Scale, TargetScale, Bias, BiasScale, Multiclass,
// Epsilon, Finish, Lambda (unless C is set), Epochs (unless Steps is set), and Tol (unless Epochs
// or Steps is set). In a run that builds on the model in Trainer.Resume, Start or Prior, the zero
// ones among these fields are taken from that model's Config instead, its C in place of Lambda if
// it was trained with C. There are three restrictions: BiasScale only if Bias is zero, too; Epsilon
// only if both losses are equal; Finish, Tol, Epochs and Steps only if the run is resumed.
//
// The Config of a [Model] holds the values that were chosen. [Config.Plain] fills in zero fields
// without data.
type Config struct {
	Loss Loss `json:"loss,omitempty"` // Hinge, Log, SquaredHinge, EpsInsensitive, Squared
	// Epsilon is the absolute error that costs nothing with EpsInsensitive, in the units of the
	// labels. 0 means a tenth of the labels' standard deviation, or 0 if TargetScale is ScaleNone.
	Epsilon float64 `json:"epsilon,omitempty"`
	// Multiclass is OneVsRest, OneVsOne, CrammerSinger or Multinomial.
	Multiclass Multiclass `json:"multiclass,omitempty"`
	// ClassWeight is Balanced, or a list such as "-1=1,1=2.5" of labels with the weight of each of
	// their rows; it multiplies Trainer.Weights. Other labels have the weight 1, all labels if it
	// is empty.
	ClassWeight string `json:"class_weight,omitempty"`

	// Lambda is the weight of the penalty; it refers to the scaled rows. C expresses the same in
	// the terms of other solvers: lambda = 1/(C*n), where n is the number of rows or the sum of
	// their weights. At most one of the two may be set. Lambda must be at least 1e-12*min(1, R^2),
	// the limit of float32 weights, where R^2 is the mean squared norm of the scaled rows, with the
	// appended feature.
	Lambda float64 `json:"lambda,omitempty"`
	C      float64 `json:"c,omitempty"`

	// Epochs is the length of the run in passes over the rows, Steps its length in steps. At most
	// one of the two may be set. Config.Plain sets Epochs to 20, which end within 1 % of the
	// optimum on most text and census data, or to 200 with FinishNewton, which usually converges
	// after some tens.
	Epochs int   `json:"epochs,omitempty"`
	Steps  int64 `json:"steps,omitempty"`

	// Tol, if not 0, ends the run once Result.Gap is proven to be at most Tol: 0.01 means an
	// objective at most 1 % above the optimum. Steps or Epochs then limit the run, to 2000 epochs
	// if both are 0, and a zero Finish means FinishAuto where that is possible. The gap is computed
	// after epochs 1 to 8, 10, 12, 15 and so on, a quarter more each time, which takes about as
	// long as an epoch; during the dual descent it is computed only once an estimate that costs
	// nothing is small enough.
	Tol float64 `json:"tol,omitempty"`

	// Patience, if not 0, is the number of tests in a row after which the run ends if they found no
	// model better on Trainer.Valid than the best so far, by accuracy or, for regression, by mean
	// squared error. The result is the best model. Models are tested after epochs 1 to 8, 10, 12,
	// 15 and so on, and at the end of the run.
	Patience int `json:"patience,omitempty"`

	Order Order `json:"order,omitempty"` // Shuffled, IID, Sequential or Blocks
	Block int   `json:"block,omitempty"` // rows in a block, 64 if 0; for Shuffled and Blocks only
	// Batch is the number of rows in a step, one if 0: w moves by the mean of their updates. With
	// IID a batch is a random set of rows without repeats. The other orders cut an epoch into
	// rows/Batch steps, rounded up, whose batches differ in size by at most one. With a batch of
	// all rows, order and seed make no difference.
	Batch int `json:"batch,omitempty"`

	// Project keeps w, with the weight of an appended feature, in a ball that contains the optimum:
	// |w|^2 <= P(0)/lambda, which is 1/lambda for Hinge. It tames the first steps of OffsetNone.
	Project bool    `json:"project,omitempty"`
	Offset  Offset  `json:"offset,omitempty"`  // OffsetAuto, OffsetR2 or OffsetNone
	Average Average `json:"average,omitempty"` // LastHalf or LastIterate
	Finish  Finish  `json:"finish,omitempty"`  // FinishNone, FinishDual, FinishAuto or FinishNewton

	Bias      Bias    `json:"bias,omitempty"`       // BiasNone, BiasAugmented or BiasUnregularised
	BiasScale float64 `json:"bias_scale,omitempty"` // appended feature's value, for BiasAugmented
	// Scale is the scaling of the features: ScaleNone, ScaleStandard, ScaleMaxAbs or ScaleUnit.
	Scale Scale `json:"scale,omitempty"`
	// TargetScale is the scaling of regression targets: ScaleNone or ScaleStandard.
	TargetScale Scale `json:"target_scale,omitempty"`
	// Curves is CurvesNone, CurvesProducts or CurvesPieces: see [Expansion].
	Curves Curves `json:"curves,omitempty"`

	// Calibrate, if not 0, is the number of folds, 2 to 1000, for Platt's method, which gives the
	// model [Model.Probabilities]: a sigmoid for each weight vector is fitted to the scores that
	// each fold gets from a model trained on the others. Training takes about Calibrate times
	// longer. The loss Log has probabilities without folds. Sigmoids are fitted with
	// Trainer.Weights, but without ClassWeight.
	Calibrate int `json:"calibrate,omitempty"`
	// Seed seeds the random number generator. Zero is a seed like any other.
	Seed uint64 `json:"seed,omitempty"`
}

// Paper returns the settings of the algorithm in Fig. 1 of the paper: unscaled rows, no bias, rows
// drawn with replacement, step size 1/(lambda*t), and the last iterate as the model. Lambda is
// DefaultLambda and Epochs is 20; set these to 0 to use C or Steps instead.
func Paper() Config { return Config{Order: IID, Offset: OffsetNone, Average: LastIterate}.Plain() }

// Plain returns cfg with its zero fields set to defaults that do not depend on the data: ScaleNone,
// BiasNone, OneVsRest, DefaultLambda unless C is set, 20 epochs unless Steps is set (200 with
// FinishNewton), and for other fields the value listed first. The Loss of Multinomial is Log. A
// zero field in the Config of a [Model] means the value that Plain gives it.
func (cfg Config) Plain() Config { return fromSettings(cfg.settings().Plain()) }

// Validate returns a *[ConfigError] for the first invalid field, or nil. Train makes further
// checks, which need the data.
func (cfg Config) Validate() error { return publicError(cfg.settings().Validate()) }

// settings converts cfg to the settings type of the internal packages.
func (cfg Config) settings() *settings.Settings {
	s := new(settings.Settings)
	settings.Copy(s, cfg)
	return s
}

// fromSettings converts s, the settings type of the internal packages, to a Config.
func fromSettings(s settings.Settings) (cfg Config) {
	settings.Copy(&cfg, s)
	return cfg
}
