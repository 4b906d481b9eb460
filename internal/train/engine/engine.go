// Package engine trains linear models: it builds the problems of a Job, advances their solvers,
// checks the stopping criteria, and measures, verifies and checkpoints the result.
//
// A Session has one Run over all rows or, for one-vs-one with more than two classes, one for each
// pair of classes that has rows. A Run has a Learner for each class against the rest, or a single
// Learner for two classes, for regression or for a joint problem. A Learner uses Pegasos steps,
// dual coordinate descent or Newton's method.
package engine

import (
	"context"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/base/order"
	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/checkpoint"
	"github.com/pegasimd/pegasimd/internal/train/newton"
	"github.com/pegasimd/pegasimd/internal/train/settings"
	"github.com/pegasimd/pegasimd/internal/train/sgd"
)

// Job is the input of a Session.
type Job struct {
	settings.Settings
	Rows    *store.Set   // scaled rows with labels and weights
	Scale   *scale.Scale // scaling of rows and targets; nil for none
	Columns int          // number of nonempty columns; 0 if unknown

	Start, Prior *Point      // initial model; center of the penalty; nil for none
	PriorHash    string      // hash of the prior; "" for none
	Costs        [][]float64 // by true and predicted class; nil for 1 each
	Resume       *Resume     // nil for a new run

	Threads   int   // goroutines; New replaces 0 by GOMAXPROCS
	MaxMemory int64 // limit in bytes; 0 for the default or, if less, the free memory
	Share     int   // concurrent sessions that share the memory; New replaces 0 by 1
	Pause     int64 // step of each run after which Train pauses; New replaces 0 by MaxInt64
	KeepState bool  // count the memory for checkpoints
	KeepProof bool  // round the dual variables of lower bounds as in a proof
	Verifies  bool  // the session takes no steps: any Batch is allowed

	// Until cancels New; may be nil. Train and Verify replace it by their context.
	Until context.Context
	// Quality measures a model on validation data; larger is better. If it is set, Train returns
	// the best checked point, unless it pauses or its context is done. Patience requires Quality.
	Quality func(*Point) float64
	// Progress, if not nil, is called after each epoch, and after each fraction of the first epoch
	// in Early. The fractions are above 0 and below 1.
	Progress func(Progress)
	Early    []float64
}

type Resume struct {
	*checkpoint.State                   // nil if the model has no checkpoint
	Settings          settings.Settings // of the interrupted run
}

// Progress holds counts of a session. Steps and violations are summed over the runs.
type Progress struct {
	Epoch      int
	Steps      int64
	TotalSteps int64
	Violations int64
}

// Session is one training run. All Runs complete an epoch before any begins the next.
type Session struct {
	Job
	Runs           []*Run
	chunk          bool // the rows are a chunk, perhaps fewer than a batch
	Newtons        newton.Pool
	plan           plan
	verifyByNewton bool // Verify may use Newton's method

	abandonable bool   // the current measurement is useless once Until is done
	hash        string // "" until Fingerprint computes it

	round int // number of epochs that all runs have completed
	// undecided is set if the context ended before the stopping criteria were decided. The epoch
	// then counts as incomplete.
	undecided bool
	ended     bool // a stopping criterion ended the session early
	stop      stopState

	measured *Point
	proven   *Point // point whose gap, at most Tol, ended the session
}

func (s *Session) pairs() bool { return s.Pairwise(len(s.Rows.Classes)) }

func (s *Session) parallel(f func(i int, r *Run)) {
	parallel.For(s.Threads, len(s.Runs), func(_, i int) { f(i, s.Runs[i]) })
}

func (s *Session) mayAbandon() bool { return s.abandonable && s.Until.Err() != nil }

type stopState struct {
	nextCheck int     // epoch after which the next check is due
	best      *Point  // nil before the first check
	quality   float64 // of best
	sinceBest int     // checks of Quality since best was found
}

// plan must not depend on the machine.
type plan struct {
	mayNewton bool // Finish is FinishAuto, and may choose Newton's method
	// columns is Job.Columns or, if that is 0, the number of all columns. density and columns are
	// set only with mayNewton.
	density store.Density
	columns int

	newton         bool // Finish is FinishAuto, and Newton's method has the least estimated cost
	startsWithDual bool // without Pegasos steps
	averages       bool // dual coordinate descent returns an average over its last pass
}

// Run trains one or more learners that visit the same rows in the same order.
type Run struct {
	s     *Session
	first int // index of the first vector in Point.Weights
	store.View
	weightSum      float64 // before scaling to mean 1; 0 without weights
	maxSquaredNorm float64 // of a row, without the appended feature
	Lambda         float64
	R2             float64
	T, Total       int64
	Epoch          int
	Order          *order.Visits
	Learners       []*Learner
	threads        int
	innerThreads   int // for the work on each learner

	Measured []proof.Measurement
	dotSize  float64 // 0 until computed

	matrix *dense.Matrix // the learners' vectors; nil for a single learner
	groups []*sgd.Group  // groups[k] begins with learner k; nil if there is none
}

func (s *Session) learners() (all []*Learner) {
	for _, r := range s.Runs {
		all = append(all, r.Learners...)
	}
	return all
}

// parallelRanges calls f in parallel for r.threads ranges of learners, start to end-1.
func (r *Run) parallelRanges(f func(start, end int)) {
	n := len(r.Learners)
	parallel.For(r.threads, r.threads, func(_, k int) {
		f(k*n/r.threads, (k+1)*n/r.threads)
	})
}

func (r *Run) parallel(f func(k int)) {
	parallel.For(r.threads, len(r.Learners), func(_, k int) { f(k) })
}

// vectorsOf does not copy w.
func (r *Run) vectorsOf(m *Point, k int) (w [][]float32, b []float64) {
	return m.vectors(r.first+k, len(r.Learners[k].Vectors))
}
