// Package engine trains linear models: it builds the optimization problems of a Job, advances their
// solvers epoch by epoch, checks the stopping criteria, and measures, verifies and checkpoints the
// result. It is the only package of the trainer that knows all solvers.
//
// Its main type, Session, is one training run. A session has one Run over all rows or, for
// one-vs-one with more than two classes, one for each pair of classes. A Run has a Learner for each
// class against the rest, or a single Learner for two classes, for regression or for a joint
// problem. The learners of a run visit the same rows in the same order. A Learner takes Pegasos
// steps, or steps of dual coordinate descent, or iterations of Newton's method.
package engine

import (
	"context"

	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/internal/train/checkpoint"
	"github.com/pegasimd/pegasimd/internal/train/newton"
	"github.com/pegasimd/pegasimd/internal/train/result"
	"github.com/pegasimd/pegasimd/internal/train/rows"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// Job is the input of a Session: rows, settings, and the models or the checkpoint that training
// starts from.
type Job struct {
	settings.Settings              // settings for the scaled rows
	Rows              *rows.Set    // training set: scaled rows with labels and weights
	Scale             *scale.Scale // scaling of the rows and targets; nil for none
	Columns           int          // number of nonempty columns; 0 if unknown

	Start, Prior *Point      // initial model; model at the center of the penalty; nil for none
	PriorHash    string      // hash of the prior, part of the data's fingerprint; "" for none
	Costs        [][]float64 // Crammer-Singer costs, by true and predicted class; nil for 1 each
	Resume       *Resume     // checkpoint to continue from; nil for a new run

	Threads   int   // goroutines; 0 for GOMAXPROCS
	MaxMemory int64 // limit in bytes; 0 for the default, or the free memory if that is less
	Share     int   // number of concurrent sessions that share the memory; 0 counts as 1
	Pause     int64 // step of each run after which Train pauses; 0 for never
	KeepState bool  // the caller will request checkpoints: count the memory for them
	KeepProof bool  // lower bounds are computed from dual variables rounded as in a proof

	// Until is a context that cancels New; nil if nothing cancels it. Train and Verify replace Until
	// by their context.
	Until context.Context
	// Quality returns how good a model is on validation data; larger is better. If Quality is set,
	// Train returns the best of the points that it checked. Patience requires Quality.
	Quality func(*Point) float64
	// Progress, if not nil, is called after each epoch. It is also called during the first epoch,
	// when each of the fractions of that epoch that Early lists, 0 to 1, is complete.
	Progress func(Progress)
	Early    []float64
}

// Resume is the checkpoint that a resumed run continues from.
type Resume struct {
	*checkpoint.State                   // nil if the model has no checkpoint
	Settings          settings.Settings // settings of the interrupted run
	Biases            int               // number of biases in the model with the checkpoint
}

// Point is a model for the rows after scaling: its weight vectors and biases, and the objectives
// that were measured.
type Point struct {
	Weights [][]float32
	Bias    []float64 // one bias for each weight vector; nil for none
	Result  result.Result

	// Folded is the same model for the rows before scaling: the scaling is folded into its weights
	// and biases. Without a scaling it points to the Point itself; nil until Fold computes it.
	Folded *Point
}

// bias returns the bias of weight vector k, or 0 if p has no biases.
func (p *Point) bias(k int) float64 {
	if p.Bias == nil {
		return 0
	}
	return p.Bias[k]
}

// vectors returns n weight vectors of p, with the indices from start to start+n-1, and their
// biases. If p has no biases, these are zeros.
func (p *Point) vectors(start, n int) (w [][]float32, b []float64) {
	for k := range n {
		b = append(b, p.bias(start+k))
	}
	return p.Weights[start:][:n], b
}

// Fold returns p.Folded, the same model for the rows before the scaling s; a nil s means no
// scaling. If p.Folded is nil, Fold computes it first.
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

// Progress says how far a session has trained. Its step counts are sums over the runs of the
// session: for one-vs-one, over all pairs of classes.
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
	chunk          bool        // the rows are a chunk of a stream; they may be fewer than a batch
	Newtons        newton.Pool // rows and buffers shared by the problems of Newton's method
	auto           autoInputs
	plan           plan
	verifyByNewton bool // Verify may use Newton's method to find a bound

	abandonable bool   // the measurement in progress is useless once Until is done
	hash        string // fingerprint of the data; empty until Fingerprint computes it

	round int // number of epochs that all runs have completed
	// undecided is set if the context was done before the stopping criteria at the end of an epoch
	// were decided. The epoch then does not count as completed.
	undecided bool
	ended     bool // a stopping criterion ended the session before its last step
	stop      stopState

	measured *Point // point measured last, rounded as the written model will be
	proven   *Point // point whose gap, at most Tol, ended the session; nil for none
}

// pairs reports whether the session has a run for each pair of classes.
func (s *Session) pairs() bool { return s.Pairwise(len(s.Rows.Classes)) }

// parallel calls f for each run, on up to s.threads goroutines.
func (s *Session) parallel(f func(i int, r *Run)) {
	parallel.For(s.threads, len(s.Runs), func(_, i int) { f(i, s.Runs[i]) })
}

// mayAbandon reports whether the measurement in progress may be abandoned, because its result is
// not used any more after the context is done.
func (s *Session) mayAbandon() bool { return s.abandonable && s.Until.Err() != nil }
