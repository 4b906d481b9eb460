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
	settings.Settings              // settings for the scaled rows
	Rows              *rows.Set    // training set: scaled rows with labels and weights
	Scale             *scale.Scale // scaling of the rows and targets; nil for none
	Columns           int          // number of nonempty columns; 0 if unknown

	Start, Prior *Point      // model to start from, and center of the penalty; nil for none
	PriorHash    string      // hash of the prior, part of the data's fingerprint; "" for none
	Costs        [][]float64 // Crammer-Singer costs, by true and predicted class; nil for 1 each
	Resume       *Resume     // checkpoint to continue from; nil for a new run

	Threads   int   // goroutines; 0 for GOMAXPROCS
	MaxMemory int64 // limit in bytes; 0 for the default, or the free memory if that is less
	Share     int   // number of concurrent sessions that share the memory; 0 counts as 1
	Pause     int64 // step of each run after which Train pauses; 0 for never
	KeepState bool  // checkpoints will be requested; memory for them is counted
	KeepProof bool  // lower bounds are computed from dual variables rounded as in a proof

	// Until cancels New; nil means that nothing does. Train and Verify replace it by their context.
	Until context.Context
	// Quality returns how good a model is on validation data; larger is better. If Quality is set,
	// Train returns the best of the points that it checked. It must be set if Patience is.
	Quality func(*Point) float64
	// Progress, if not nil, is called after each epoch, and during the first epoch when the shares
	// of it that Early lists, numbers from 0 to 1, are complete.
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

// vectors returns n weight vectors, starting with vector first, and their biases, zeros if p has
// none.
func (p *Point) vectors(first, n int) (w [][]float32, b []float64) {
	for k := range n {
		b = append(b, p.bias(first+k))
	}
	return p.Weights[first:][:n], b
}

// Fold returns p.Folded: the same model for the rows before the scaling s, which is nil for none.
// If p.Folded is nil, Fold computes it.
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

// Progress tells how far a session is. Its step counts are sums over the runs: for one-vs-one, over
// all pairs of classes.
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
	chunk          bool        // the rows are a chunk of a stream, and may be fewer than a batch
	Newtons        newton.Pool // rows and buffers shared by the problems of Newton's method
	auto           autoInputs
	plan           plan
	verifyByNewton bool // Verify may use Newton's method to find a bound

	abandonable bool   // the current measurement may be abandoned once Until is done
	hash        string // fingerprint of the data; empty until Fingerprint computes it

	round int // number of epochs that all runs have completed
	// undecided is set if the context was done before the stopping criterion was decided. The round
	// then does not count as completed.
	undecided bool
	ended     bool // a stopping criterion ended the session before its last step
	stop      stopState

	measured *Point // point measured last, rounded as the written model will be
	proven   *Point // point whose measured gap ended the session; nil for none
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
