package pegasos

import (
	"context"

	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/internal/train/engine"
)

// Trainer holds the settings and the other inputs of training runs. A zero Trainer is ready to use.
// The methods do not change the Trainer.
type Trainer struct {
	Config

	// Threads limits the goroutines of a run. 0 means GOMAXPROCS; other values are cut to the
	// larger of 64 and four for each processor. The model does not depend on Threads.
	Threads int
	// Weights, if not nil, holds a weight for each row: 0, or 1e-15 to 1e15. Class weights multiply
	// these weights. The objective is lambda/2 |w|^2 + sum of weight*loss / sum of weights. A step
	// with a row is multiplied by the row's weight over the mean of the weights above 0. Scaling
	// counts all rows of a weight above 0 alike.
	Weights []float32
	// CurveColumns, if not nil, lists in ascending order the columns that Config.Curves may expand.
	// They must have mean 0 and standard deviation 1, with or without ScaleStandard. Nil means all
	// columns of dense rows scaled by ScaleStandard, and no columns of other rows.
	CurveColumns []int
	// Holdout, if not 0, is a share above 0 and below 1 of the rows. Train holds these rows out of
	// training and of the choice of settings, and predicts them with the model: see Result.HeldOut.
	// Equal rows form a group. Hashes of the rows and Config.Seed choose about this share of each
	// class's groups. Each class keeps a group in training. Rows of weight 0 stay in training.
	// Model.Data and Model.Proof refer to the training rows alone. Verify needs the same Holdout.
	// Holdout can't be combined with Start, Prior, Resume, KeepState or Pause.
	Holdout float64
	// Start, if not nil, is a model to continue from: the run begins at the weights of Start, and
	// the step number t continues from Start.Result.Steps. Features that Start lacks begin at the
	// weight 0. Every label must be a class of Start. Epochs and Steps count this run alone. The
	// model differs from the model of a single longer run.
	Start *Model

	// KeepState makes Train and Progress.Model store the state that Resume needs in the model. It
	// takes several times the memory of the weights, and some bytes for each row and weight vector.
	KeepState bool
	// Fingerprint makes Train store a fingerprint of the data in Model.Data, for Verify.
	Fingerprint bool
	// KeepProof makes Train store the dual variables that prove the bound in Model.Proof. The run's
	// bounds are then computed from these rounded variables and may be lower. KeepProof implies
	// Fingerprint.
	KeepProof bool

	// Resume, if not nil, is a model with a State, whose run Train continues. The data and the
	// Config must be as in the interrupted run. The result is then the model of an uninterrupted
	// run, to the bit. Epochs or Steps, which count the whole run, may be larger than in the
	// interrupted run. But then an average of iterates, an adapted t0, and the epoch in which
	// Newton's method begins or the run ends early may differ. Start is the Start of the
	// interrupted run; it may be nil without Config.Calibrate.
	Resume *Model
	// Pause, if not 0, is the number of steps of each weight vector after which Train returns
	// ErrPaused. In a resumed run the steps before the interruption count, too.
	Pause int64

	// Prior, if not nil, is a model with weights w0 for the penalty lambda/2 |w - w0|^2, which
	// includes the weight of the appended feature. Without Start the run begins at w0. If Bias is
	// BiasNone, the model has the prior's bias. Features and labels are matched as for Start.
	Prior *Model
	// Costs, if not nil, holds the costs of mistakes for CrammerSinger: Costs[y][r], above 0, is
	// the cost of predicting class r for a row of class y, in ascending order of the labels;
	// Costs[y][y] is 0. If nil, every mistake costs 1.
	Costs [][]float64
	// Valid holds the validation rows for Config.Patience. A row whose label is missing from the
	// training set counts as a mistake.
	Valid *Labelled
	// MaxMemory limits the estimated memory of training in bytes, without the data; 0 means 4 GiB
	// or, if less, the memory that the machine or the control group has left for this process. The
	// choice of settings from the data depends on MaxMemory, or on 4 GiB if MaxMemory is 0, but not
	// on the memory left. The error for a run that does not fit is a *[ConfigError].
	MaxMemory int64

	// Progress, if not nil, is called after each epoch, at the end of the run, and at the fractions
	// in Early of the first epoch.
	Progress func(Progress)
	Early    []float64 // fractions of the first epoch at which to report, 0 to 1, ascending
}

// Labelled is a set of rows with their labels.
type Labelled struct {
	X       Examples
	Y       []float32 // one label for each row
	Weights []float32 // one weight for each row, as in Trainer.Weights; nil if all are 1
}

// Progress reports how far a run has come. With one-vs-one, steps are summed over the pairs.
type Progress struct {
	Epoch      int   // epochs completed; the last epoch of a run may be shorter
	Steps      int64 // steps taken
	TotalSteps int64 // largest number of steps of the run, which may end earlier
	Violations int64 // steps so far that changed weights, summed over all problems

	task    *task
	session *engine.Session
}

// task is a Trainer during one call of a method. After prepare, Start, Prior and Resume are models
// of the scaled rows.
type task struct {
	Trainer
	// scale may be of kind none. It is nil if all settings were given and they ask for no scaling.
	scale          *scale.Scale
	rawEpsilon     float64         // Epsilon for unscaled targets; not set if scale is nil
	columns        int             // number of non-empty columns; 0 if not counted
	classes        []float32       // distinct labels, ascending; nil to use the training labels
	priorHash      string          // hash of the unscaled Prior
	startHash      string          // hash of Start, or of the resumed run's Start
	crossValidated *proof.Estimate // nil if no folds were run
	prepareCtx     context.Context // cancels the preparation; may be nil
	// verifies is set while Verify computes objectives and bounds. A Batch or ClassWeight that does
	// not fit the rows is then no error: the rows contradict the model's claims.
	verifies bool
}

func (t *task) stopped() bool { return t.prepareCtx != nil && t.prepareCtx.Err() != nil }
