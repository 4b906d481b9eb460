package pegasos

import (
	"context"

	"github.com/pegasimd/pegasimd/internal/misuse"
	"github.com/pegasimd/pegasimd/internal/train/engine"
	"github.com/pegasimd/pegasimd/internal/train/rows"
)

// Train trains a model on the rows of x with the labels y, one for each row. Two labels make one
// problem, in which the larger is +1; for more see [Multiclass]. For the losses Squared and
// EpsInsensitive labels are numbers to predict.
//
// Data that can't be used give a *[RowError] that names the row, a bad setting a *[ConfigError],
// and numbers beyond float32 a *[StepError]. If ctx is done before the run is over, Train returns
// its model so far along with ctx.Err(): nil while the first step is being prepared, unless ctx was
// done from the start, and one without measures while these are found. With any other error but
// [ErrPaused] the model is nil. A model's weights are always finite.
func Train(ctx context.Context, x Examples, y []float32, cfg Config) (*Model, error) {
	return (&Trainer{Config: cfg}).Train(ctx, x, y)
}

// A Trainer is a Config along with what has no influence on the model.
type Trainer struct {
	Config

	// Threads is the number of goroutines for the classes of one-vs-rest, the pairs of one-vs-one
	// or the Config.Shards, at most a few for each processor; 0 means GOMAXPROCS.
	Threads int
	// Weights, if not nil, has a weight for each row: 0, or 1e-15 to 1e15. It multiplies that of
	// the row's class. A row of weight 2 counts as two rows, one of weight 0 as none: the objective
	// is lambda/2 |w|^2 + sum of weight*loss / sum of weights, and the step with a row is
	// multiplied by its weight over the mean weight. The scale and the other settings that the
	// data choose count rows of any weight above 0 alike; only the mistakes by which folds choose
	// lambda are weighted.
	Weights []float32
	// Start, if not nil, is a model to go on from: its weights are the first w, and t counts on
	// from its Result.Steps. Features that it lacks have the weight 0. The labels must be among its
	// classes. Epochs and Steps are those of this run, whose result is not that of one long run.
	Start *Model

	// KeepState makes Train, and Progress.Model, put what Resume needs into the model: several
	// times the model's size, and eight bytes for each row and weight vector.
	KeepState bool
	// Fingerprint makes Train put a fingerprint of the data into Model.Data, for Verify: by a pass.
	Fingerprint bool
	// KeepProof makes Train put the dual variables of the bound into Model.Proof, rounded to two
	// bytes each. All bounds are what these prove, a little less than without: with a small
	// Config.Tol the run may take some more epochs. It implies Fingerprint.
	KeepProof bool

	// Resume, if not nil, is a model whose state the run goes on from. The data and the Config must
	// be those of its run, which then ends with the same model to the bit as if it had never
	// stopped. Epochs or Steps, which are those of the run in all, may be larger; then that holds
	// only if Average is LastIterate and nothing ends the run early.
	Resume *Model
	// Pause, if not 0, is the number of steps of each vector after which Train returns ErrPaused.
	Pause int64

	// Prior, if not nil, is a model with weights w0 for the penalty lambda/2 |w - w0|^2, the
	// appended feature's among them. Without Start the run starts at w0. The prior's bias is kept
	// if Bias is BiasNone. Features and labels are as in Start.
	Prior *Model
	// Costs, if not nil, has the costs of mistakes for CrammerSinger: Costs[y][r], above 0, is that
	// of predicting class r for a row of class y, in ascending order of labels; Costs[y][y] is 0.
	Costs [][]float64
	// Valid has the rows for Config.Patience. One whose label training lacks is never right.
	Valid *Labelled
	// MaxMemory is the most bytes that training may take beside the data, as estimated before; 0
	// means 4 GiB, or what the machine or its control group has if that is less. One-vs-rest takes
	// some 24 for each class and feature, 8 for each class and row. Where a given MaxMemory has no
	// room for the settings that the data choose, it chooses others or is refused by a ConfigError;
	// the machine's memory chooses none.
	MaxMemory int64

	// Progress, if not nil, is called after each epoch and at the end of the run, and after the
	// parts of the first epoch that Early names, from 0 to 1 and ascending.
	Progress func(Progress)
	Early    []float64
}

// Labelled is rows with their labels.
type Labelled struct {
	X       Examples
	Y       []float32 // one for each row
	Weights []float32 // one for each row, as in Trainer.Weights; nil for ones
}

// Progress tells how far a run is. With one-vs-one its steps are those of all pairs together.
type Progress struct {
	Epoch      int   // epochs done; the last may be cut short
	Steps      int64 // steps done
	TotalSteps int64 // steps of the whole run
	Violations int64 // steps so far that changed the weights, over all classes

	task    *task
	session *engine.Session
}

// Measure returns how good the model would be if the run ended here, which takes about a pass. It
// must not be called after the callback has returned.
func (p Progress) Measure() Result { return resultOf(p.session.Point().Result) }

// Model returns the model that the run would end with here, measured, and with its state if the
// trainer keeps it. It must not be called after the callback has returned.
func (p Progress) Model() *Model { return p.task.model(p.session, p.session.Point(), true) }

// Train is like the function [Train].
func (tr *Trainer) Train(ctx context.Context, x Examples, y []float32) (*Model, error) {
	misuse.Context(ctx)
	t := &task{Trainer: *tr}
	if ctx.Err() == nil {
		t.until = ctx
	}
	set, err := t.prepare(x, y)
	if err != nil {
		return nil, err
	}
	m, err := t.train(ctx, set)
	if m != nil {
		if bad := m.checkFinite(); bad != nil {
			return nil, &StepError{m.Result.Steps, -1, bad.Error() + ": " + rows.TooLarge}
		}
	}
	return m, err
}

// Choose returns the Config that Train would give its model, and R^2, the mean squared length of
// the rows as they are scaled, without a bias, in a copy, which MaxMemory counts.
func (tr *Trainer) Choose(ctx context.Context, x Examples, y []float32) (cfg Config, r2 float64,
	err error) {
	misuse.Context(ctx)
	t := &task{Trainer: *tr, until: ctx}
	set, err := t.prepare(x, y)
	if err != nil {
		return cfg, 0, err
	}
	if t.scale != nil {
		return t.Config.Plain(), t.scale.R2, nil
	}
	if err := set.Measure(); err != nil {
		return cfg, 0, publicError(err)
	}
	counted := 0.0
	for i, s := range set.Norms {
		if set.Weight == nil || set.Weight[i] > 0 {
			r2 += float64(s)
			counted++
		}
	}
	return t.Config.Plain(), r2 / counted, nil
}
