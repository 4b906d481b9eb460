// Package engine trains linear models: it builds the optimization problems of a Job, advances their
// solvers epoch by epoch, checks the stopping criteria, and measures, verifies and checkpoints the
// result. It is the only package of the trainer that knows all solvers.
//
// Its main type, Session, is one training run. A session has one Run over all rows or, for
// one-vs-one, one for each pair of classes. A Run has a Learner for each class against the rest, or
// a single one for a joint problem or a pair; the learners of a run visit the same rows in the same
// order. A Learner takes Pegasos steps, or steps of dual coordinate descent, or iterations of
// Newton's method.
package engine

import (
	"context"

	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/internal/train/checkpoint"
	"github.com/pegasimd/pegasimd/internal/train/newton"
	"github.com/pegasimd/pegasimd/internal/train/result"
	"github.com/pegasimd/pegasimd/internal/train/rows"
	"github.com/pegasimd/pegasimd/internal/train/scale"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// Job is the input of a Session: rows, settings, and what the run starts from.
type Job struct {
	settings.Settings              // all fields filled in; for the rows after scaling
	Rows              *rows.Set    // training set: scaled rows with labels and weights
	Scale             *scale.Scale // scaling of the rows and targets; nil for none
	Columns           int          // number of nonempty columns; 0 if unknown

	Start, Prior *Point      // initial model, and center of the penalty; nil for none
	PriorHash    string      // part of the fingerprint of the data
	Costs        [][]float64 // Crammer-Singer costs, by true and predicted class; nil for 1 each
	Resume       *Resume     // checkpoint to continue from; nil for a new run

	Threads   int   // goroutines; 0 for GOMAXPROCS
	MaxMemory int64 // limit in bytes; 0 for the default
	Share     int   // number of concurrent sessions that share the memory; 0 counts as 1
	Pause     int64 // step after which Train pauses; 0 for never
	KeepState bool  // the caller will ask for checkpoints, so memory for them is counted
	KeepProof bool  // lower bounds are computed from dual variables rounded as in a proof

	// Until cancels New; Train and Verify replace it by their own context. nil for none.
	Until context.Context
	// Quality returns how good a model is on validation data; larger is better. Train then returns
	// the best of the points that it checked. nil for none; Patience needs it.
	Quality func(*Point) float64
	// Progress is called after each epoch and after those parts of the first epoch, from 0 to 1,
	// that Early lists.
	Progress func(Progress)
	Early    []float64
}

// Resume is the checkpoint that a run continues from.
type Resume struct {
	*checkpoint.State                   // nil if the model has no checkpoint
	Settings          settings.Settings // settings of the interrupted run
	Biases            int               // number of biases in the model with the checkpoint
}

// Point is a set of weight vectors, for the rows after scaling, with their biases and measured
// objectives.
type Point struct {
	Weights [][]float32
	Bias    []float64 // one bias for each weight vector; nil for none
	Result  result.Result

	// Folded is the same model for the rows before scaling: the scaling is folded into its weights
	// and biases. Without a scaling it points to the Point itself; nil until Fold computes it.
	Folded *Point
}

// bias returns the bias of weight vector k, 0 without biases.
func (p *Point) bias(k int) float64 {
	if p.Bias == nil {
		return 0
	}
	return p.Bias[k]
}

// vectors returns n weight vectors and their biases, starting with vector first.
func (p *Point) vectors(first, n int) (w [][]float32, b []float64) {
	for k := range n {
		b = append(b, p.bias(first+k))
	}
	return p.Weights[first:][:n], b
}

// Fold returns the same model for the rows before scaling. It computes Folded if that is nil.
func (p *Point) Fold(s *scale.Scale) *Point {
	switch {
	case p.Folded != nil:
	case s == nil:
		p.Folded = p
	default:
		p.Folded = new(Point)
		p.Folded.Weights, p.Folded.Bias = s.Fold(p.Weights, p.Bias)
	}
	return p.Folded
}

// Progress tells how far a session is. For one-vs-one, its steps are the sum over all pairs.
type Progress struct {
	Epoch      int
	Steps      int64
	TotalSteps int64
	Violations int64
}

// Session is one training run. Its Runs train in parallel; all of them complete an epoch before any
// begins the next.
type Session struct {
	Job
	Runs           []*Run
	threads        int
	chunk          bool        // the rows are one chunk of a stream and may be fewer than a batch
	Newtons        newton.Pool // rows and buffers shared by the problems of Newton's method
	auto           autoInputs
	plan           plan
	verifyByNewton bool // Verify may use Newton's method to find a bound

	abandonable bool   // the current measurement may be abandoned once Until is done
	hash        string // fingerprint of the data; empty until Fingerprint computes it

	round int // epochs that all runs have completed
	// undecided is set if the context was done before the stopping criterion was decided: the round
	// is not over.
	undecided bool
	ended     bool // a stopping criterion ended the run before its last step
	stop      stopState

	measured *Point // last point measured, rounded as the written model will be
	proven   *Point // current point, if its measurement ended the session; else nil
}

// pairs reports whether there is a run for each pair of classes.
func (s *Session) pairs() bool { return s.Pairwise(len(s.Rows.Classes)) }

// parallel calls f for each run, on up to s.threads goroutines.
func (s *Session) parallel(f func(i int, r *Run)) {
	parallel.For(s.threads, len(s.Runs), func(_, i int) { f(i, s.Runs[i]) })
}

// mayAbandon reports whether the measurement in progress may be abandoned: its result is no longer
// used, because the context is done.
func (s *Session) mayAbandon() bool { return s.abandonable && s.Until.Err() != nil }
