package pegasos

import (
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// Order is the order in which training visits the rows. An epoch has one step for each row of a
// weight above 0 or, if Config.Batch is set, for each batch of these rows.
type Order string

const (
	// Shuffled shuffles the rows once and cuts them into blocks of up to Config.Block rows, at
	// least 64 blocks if there are 64 rows. It visits the blocks in a new random order each epoch.
	// A run that begins with dual coordinate descent uses Permutation instead.
	Shuffled Order = "shuffled"
	// IID draws rows with replacement, as the paper does. There is no certificate.
	IID Order = "iid"
	// Sequential visits the rows in the order in which they are stored. It is slow if the rows are
	// nearly sorted by label.
	Sequential Order = "sequential"
	// Blocks visits blocks of Config.Block successive rows in a new random order each epoch, and
	// the rows of a block in sequence. It is slow if the rows are nearly sorted by label.
	Blocks Order = "blocks"
	// Permutation visits the rows in a new random order each epoch. It is the default of package
	// kernelsvm. [Config.Validate] and [Train] reject it, but [Partial] stores it in a model's
	// Config in place of Shuffled.
	Permutation Order = "permutation"
)

// Offset is the rule that chooses t0 in the step size of step t, 1/(lambda*(t+t0)).
type Offset string

const (
	// OffsetAuto begins with the t0 of OffsetR2. If the Loss is Hinge and the Finish FinishNone,
	// the first half of the run adapts t0 to the norms of the weights and of the sub-gradients. t0
	// is fixed with a Start, a joint Multiclass, a Batch above 1, Project or BiasUnregularised, and
	// in [Partial].
	OffsetAuto Offset = "auto"
	// OffsetR2 sets t0 to R^2/lambda, where R^2 is the mean of c^2*|x|^2 over the rows x, with the
	// appended feature. c is the row's weight divided by the mean of the weights above 0. With
	// Squared, R^2 is the largest c*|x|^2 instead; with SquaredHinge, twice the largest. For these
	// losses x also includes a feature of 1 for the bias of BiasUnregularised.
	OffsetR2 Offset = "r2"
	// OffsetNone sets t0 to 0, as in the paper. With the squared losses numbers may overflow; Train
	// then returns a *StepError.
	OffsetNone Offset = "none"
)

// Average selects a mean of iterates or the last iterate as the model.
type Average string

const (
	LastHalf    Average = "last-half" // mean of iterates from about the last half of the run
	LastIterate Average = "none"      // last iterate alone, as in the paper
)

// Bias selects how the model's constant term is trained.
type Bias string

const (
	BiasNone Bias = "none" // no constant term, as in the paper
	// BiasAugmented trains the bias as the weight of an appended feature with the value
	// Config.BiasScale. The weight is penalized like the others; a larger BiasScale reduces the
	// effect of the penalty.
	BiasAugmented Bias = "augmented"
	// BiasUnregularised trains a bias without a penalty (section 6 of the paper).
	BiasUnregularised Bias = "unregularised"
)

// Balanced is the [Config.ClassWeight] that gives all K classes the same total weight: rows of
// class k have the weight n/(K*n_k), where n and n_k count all rows and the rows of the class. With
// Trainer.Weights, n and n_k are sums of row weights.
const Balanced = "balanced"

// Finish names the solver of a run.
type Finish string

const (
	FinishNone Finish = "none" // only Pegasos's steps
	// FinishDual is dual coordinate descent from the first epoch on (Hsieh et al., ICML 2008; with
	// Log: Yu, Huang and Lin, Machine Learning 85, 2011; with CrammerSinger: Keerthi et al., KDD
	// 2008). The model is the last iterate. But it is the mean of the last epoch's iterates if
	// Average is LastHalf and either the loss has a kink or the descent is predicted to need more
	// than 20 epochs.
	FinishDual Finish = "dual"
	// FinishAuto picks the solver with the least predicted cost: dual coordinate descent or, for
	// data of up to 2,000 columns, Newton's method after an epoch of Pegasos's steps. A run of
	// fewer than 100 epochs that is far too short for the descent begins with Pegasos's steps.
	// Newton's method may later take over problems. Without Tol, the run ends once Newton's method
	// has ended on all problems.
	FinishAuto Finish = "auto"
	// FinishNewton is Newton's method after a first epoch of Pegasos's steps. It excludes
	// CrammerSinger, Multinomial, Patience, IID, Project and a Batch above 1. It suits dense rows
	// of up to some thousand columns, small lambdas and a bias without a penalty. Newton's method
	// ends when the gap is at most Tol, or 0.1 % if Tol is 0, or when there is no more progress.
	FinishNewton Finish = "newton"
)

// Multiclass is the scheme by which more than two labels are reduced to training problems. Two
// labels make a single problem in OneVsRest and OneVsOne.
type Multiclass string

const (
	// OneVsRest trains a problem for each label against all others. The highest score wins.
	OneVsRest Multiclass = "ovr"
	// OneVsOne trains a problem for each pair of labels on the rows of these two labels alone: C,
	// Epochs, Balanced and t0 refer to the rows of the pair. The pairs of indices in Model.Classes
	// are in the order (0, 1), (0, 2), ..., (1, 2), .... Each pair votes for one of its labels: see
	// [Model.ClassScores].
	OneVsOne Multiclass = "ovo"
	// CrammerSinger trains one problem, with a weight vector for each label. Vector r gives label r
	// the score z_r, and the loss of a row with the label y is the maximum over r of
	// cost(y, r) - z_y + z_r; Trainer.Costs sets the costs. Config.Loss must be Hinge or zero.
	CrammerSinger Multiclass = "crammer-singer"
	// Multinomial is like CrammerSinger, with the loss log(sum over r of e^(z_r - z_y)).
	// Config.Loss must be Log or zero.
	Multinomial Multiclass = "multinomial"
)

// Joint reports whether m trains all weight vectors in one problem.
func (m Multiclass) Joint() bool { return m == CrammerSinger || m == Multinomial }

// DefaultLambda is the Lambda that [Config.Plain] sets.
const DefaultLambda = 1e-4

// Config holds the settings of a training run. The settings, the data, the layout of the rows and
// the other inputs of the [Trainer] together determine the model.
//
// A zero field means its default, the value listed first; [Config.Plain] documents exceptions.
// Train chooses the defaults of the following fields by the rules of docs/training.md, most of them
// from the data: Scale, TargetScale, Curves, Bias, BiasScale, Multiclass, Epsilon, Finish, Lambda
// (unless C is set), Epochs (unless Steps is set), and Tol (unless Epochs or Steps is set). A run
// that builds on the model in Trainer.Resume, Start or Prior copies these fields, where they are
// zero, from that model's Config instead, C along with Lambda, and Steps along with Epochs.
// BiasScale is only copied if Bias is zero, too; Epsilon only if both runs have the same loss;
// Finish, Tol, Epochs and Steps only if the run is resumed.
//
// The Config of a [Model] holds the values that were chosen.
type Config struct {
	Loss Loss `json:"loss,omitempty"` // Hinge, Log, SquaredHinge, EpsInsensitive, Squared
	// Epsilon is a parameter of EpsInsensitive, in the units of the labels. 0 means a tenth of
	// their standard deviation (0.1 if they are equal), or 0 if TargetScale is ScaleNone.
	Epsilon float64 `json:"epsilon,omitempty"`
	// Multiclass is OneVsRest, OneVsOne, CrammerSinger or Multinomial.
	Multiclass Multiclass `json:"multiclass,omitempty"`
	// ClassWeight is empty, Balanced, or a list of labels and weights such as "-1=1,1=2.5". A row's
	// weight in Trainer.Weights is multiplied by the weight of its label. Labels that are not in
	// the list have the weight 1.
	ClassWeight string `json:"class_weight,omitempty"`

	// Lambda is the weight of the penalty on the weights for scaled rows. C, the parameter of
	// liblinear, sets lambda to 1/(C*n), where n is the number of rows or the sum of their weights.
	// At most one of Lambda and C may be set. Lambda must be at least 1e-12*min(1, R^2), where R^2
	// is the mean squared norm of the scaled rows, with the appended feature.
	Lambda float64 `json:"lambda,omitempty"`
	C      float64 `json:"c,omitempty"`

	// Epochs (passes over the rows) or Steps is the length of the run. Only one of them may be set.
	Epochs int   `json:"epochs,omitempty"`
	Steps  int64 `json:"steps,omitempty"`

	// Tol, if not 0, ends the run once Result.Gap is at most Tol: 0.01 means an objective at most
	// 1 % above the optimum. Steps or Epochs then limit the run, to 2000 epochs
	// (200 with FinishNewton) if both are 0, and a zero Finish means FinishAuto where that is
	// possible. With Pegasos's steps the gap is computed after epochs 1 to 8, 10, 12, 15 and so on,
	// a quarter more each time.
	Tol float64 `json:"tol,omitempty"`

	// Patience, if not 0, ends the run after this number of successive tests that found no better
	// model. A test computes the accuracy of the model so far on Trainer.Valid or, for regression,
	// its mean squared error. The result is the best of the tested models. Tests follow the epochs
	// listed for Tol, and the end of the run.
	Patience int `json:"patience,omitempty"`

	Order Order `json:"order,omitempty"` // Shuffled, IID, Sequential or Blocks
	Block int   `json:"block,omitempty"` // rows in a block, 64 if 0; for Shuffled and Blocks only
	// Batch is the number of rows in a step, one if 0: w moves by the mean of the rows' updates.
	// With IID a batch is a random set of distinct rows. The other orders cut an epoch into
	// rows/Batch batches, rounded up, which differ in size by at most one.
	Batch int `json:"batch,omitempty"`

	// Project keeps w, with the weight of an appended feature, in a ball that contains the optimum:
	// |w|^2 <= P(0)/lambda; with a Trainer.Prior w0, |w - w0|^2 <= P(w0)/lambda.
	Project bool    `json:"project,omitempty"`
	Offset  Offset  `json:"offset,omitempty"`  // OffsetAuto, OffsetR2 or OffsetNone
	Average Average `json:"average,omitempty"` // LastHalf or LastIterate
	Finish  Finish  `json:"finish,omitempty"`  // FinishNone, FinishDual, FinishAuto or FinishNewton

	Bias      Bias    `json:"bias,omitempty"`       // BiasNone, BiasAugmented or BiasUnregularised
	BiasScale float64 `json:"bias_scale,omitempty"` // appended feature's value, for BiasAugmented
	// Scale is ScaleNone, ScaleStandard, ScaleMaxAbs or ScaleUnit, for the features.
	Scale Scale `json:"scale,omitempty"`
	// TargetScale is ScaleNone or ScaleStandard, for regression targets.
	TargetScale Scale `json:"target_scale,omitempty"`
	// Curves is CurvesNone, CurvesProducts or CurvesPieces: see [Expansion].
	Curves Curves `json:"curves,omitempty"`

	// Calibrate, if not 0, is the number of folds, 2 to 1000, for Platt's method, which enables
	// [Model.Probabilities]. The rows of each fold are scored by a model trained on the other
	// folds. Then a sigmoid for each weight vector is fitted to all these scores. The fit uses
	// Trainer.Weights; it ignores class weights other than 0, which excludes rows. The loss Log has
	// probabilities without Calibrate.
	Calibrate int    `json:"calibrate,omitempty"`
	Seed      uint64 `json:"seed,omitempty"` // seed of the random number generator, which may be 0
}

// Paper returns the settings of the algorithm in Fig. 1 of the paper: unscaled rows, no bias, IID,
// OffsetNone and LastIterate. Lambda is DefaultLambda and Epochs is 20. Set Lambda to 0 to use C,
// and Epochs to 0 to use Steps.
func Paper() Config { return Config{Order: IID, Offset: OffsetNone, Average: LastIterate}.Plain() }

// Plain returns cfg with its zero fields set to defaults that do not depend on the data:
// DefaultLambda unless C is set, 20 epochs unless Steps is set (200 with FinishNewton), and for
// other fields but Finish, which stays zero, the value listed first. The Loss of Multinomial is
// Log, Offset is OffsetR2 for settings that do not adapt t0, and BiasScale is 1 with BiasAugmented.
// A zero field in the Config of a [Model] means the value that Plain gives it.
func (cfg Config) Plain() Config { return fromSettings(cfg.settings().Plain()) }

// Validate returns a *[ConfigError] for an invalid field, or nil. Train also checks the settings
// against the data.
func (cfg Config) Validate() error { return publicError(cfg.settings().Validate()) }

func (cfg Config) settings() *settings.Settings {
	s := new(settings.Settings)
	settings.Copy(s, cfg)
	return s
}

func fromSettings(s settings.Settings) (cfg Config) {
	settings.Copy(&cfg, s)
	return cfg
}
