// Package engine trains: it makes the problems of a job, lets the solvers take turns on them, looks
// whether it is time to end, and measures what has come of it. It is the one room that knows all
// solvers.
//
// A Session is the training of a model. It has a Run for all rows, or, of one-vs-one, one for the
// rows of each pair of classes. A run has a Learner for each class against the rest, or one for a
// joint problem or a pair: they visit the same rows in the same order. A learner is in one of three
// phases: it takes Pegasos's steps, or the dual descent or Newton's method are in their place.
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

// A Job is what is to be trained, and how.
type Job struct {
	settings.Settings              // in full, for the rows as they are scaled
	Rows              *rows.Set    // scaled, with their labels and weights
	Scale             *scale.Scale // of the rows and numbers; nil for none
	Columns           int          // that are not empty; 0 if that is not known

	Start, Prior *Point // that the run builds on, over the columns of the rows; nil for none
	PriorHash    string
	Costs        [][]float64 // of mistakes, for Crammer-Singer; nil for 1 each
	Resume       *Resume     // nil for a new run

	Threads   int   // 0 for GOMAXPROCS
	MaxMemory int64 // 0 for the default
	Share     int   // of how many sessions side by side this is one, which share the memory; 0 for 1
	Pause     int64 // the step to pause after; 0 for none
	KeepState bool  // there will be checkpoints
	KeepProof bool  // bounds are those of dual variables as a proof has them

	// Until ends the preparation, and then that of Train the run; nil for nothing.
	Until context.Context
	// Quality says how good a model is on other data, for Patience: more is better.
	Quality func(*Point) float64
	// Progress is called after each epoch, and after the parts of the first one in Early.
	Progress func(Progress)
	Early    []float64
}

// A Resume is what a run goes on from.
type Resume struct {
	*checkpoint.State                   // nil if the model has none
	Settings          settings.Settings // of the run
	Biases            int               // of the model
}

// A Point is where a training is: weight vectors for rows as they are scaled, and what is known of
// them.
type Point struct {
	Weights [][]float32
	Bias    []float64 // nil for none
	Result  result.Result

	// Folded is the same for rows as they are, as a model has it: its vectors and biases. It is
	// the point itself without a scale, and nil before it is asked for.
	Folded *Point
}

// bias returns that of vector k.
func (p *Point) bias(k int) float64 {
	if p.Bias == nil {
		return 0
	}
	return p.Bias[k]
}

// vectors returns n vectors and their biases, from vector first on.
func (p *Point) vectors(first, n int) (w [][]float32, b []float64) {
	for k := range n {
		b = append(b, p.bias(first+k))
	}
	return p.Weights[first:][:n], b
}

// Fold finds what the point is for rows as they are, if that is not known.
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

// Progress tells how far a session is. With one-vs-one its steps are those of all pairs together.
type Progress struct {
	Epoch      int
	Steps      int64
	TotalSteps int64
	Violations int64
}

// A Session is the training of a model. Its runs train an epoch each, side by side, before any goes
// on to the next.
type Session struct {
	Job
	Runs    []*Run
	threads int
	chunk   bool        // the rows are a chunk, which may be shorter than a batch
	Newtons newton.Pool // the buffers of Newton's method
	auto    autoFinish
	plan    plan
	looks   bool // Newton's method may look for the bound of a model that is verified

	mayCut bool   // what is measured is of no use once Until is done
	hash   string // see Fingerprint

	round int // epochs that all runs have been through
	// The context was done before it was known whether the run is at its end: the round goes on.
	undecided bool
	ended     bool // by a rule, before its last step
	stop      stopping

	measured *Point // the last one, as it will be written
	proven   *Point // the point of this moment, if it has been measured to end the session; else nil
}

// pairs reports whether there is a run for each pair of classes.
func (s *Session) pairs() bool { return s.Pairwise(len(s.Rows.Classes)) }

// parallel calls f for each run, from several goroutines. A run that is alone has its own threads.
func (s *Session) parallel(f func(i int, r *Run)) {
	parallel.For(s.threads, len(s.Runs), func(_, i int) { f(i, s.Runs[i]) })
}

// over reports whether what is measured is not wanted any more.
func (s *Session) over() bool { return s.mayCut && s.Until.Err() != nil }
