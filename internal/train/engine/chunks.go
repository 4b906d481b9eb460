package engine

import (
	"context"
	"math"

	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// Chunks trains a model with one pass over each chunk of rows. The step count and the random number
// generator continue from chunk to chunk.
type Chunks struct {
	settings.Settings
	classes []float32
	cols    int
	start   *Point // initial point, or nil
	runs    []*Run // runs[k]: latest run whose first vector is k; nil if none
	epochs  float64
}

// NewChunks returns a trainer for chunks with labels among classes. s.ClassWeight must not be
// Balanced. The caller multiplies the rows' weights by a list of class weights. start is the
// initial point, or nil.
func NewChunks(s settings.Settings, classes []float32, cols int, start *Point) *Chunks {
	vectors, _ := s.Vectors(len(classes))
	return &Chunks{Settings: s, classes: classes, cols: cols, start: start,
		runs: make([]*Run, vectors)}
}

// Train trains on one chunk, which may lack rows of some classes. The rows' weights are not scaled
// to a mean of 1. If a step fails, Train returns an [iterate.Error], and the trainer has no valid
// point from then on.
func (c *Chunks) Train(set *store.Set, threads int) error {
	s := &Session{chunk: true, Job: Job{Settings: c.Settings, Rows: set, Start: c.start,
		Threads: parallel.Threads(threads), Until: context.Background()}}
	s.Epochs = 1
	s.compact()
	if err := set.Measure(); err != nil {
		return err
	}
	if err := s.addRuns(); err != nil || len(s.Runs) == 0 {
		return err
	}
	for _, r := range s.Runs {
		c.continueFrom(r)
	}
	err := s.advanceRuns(s.Until,
		func(*Run) (bool, int64) { return true, math.MaxInt64 })
	for _, r := range s.Runs {
		r.releaseRows()
	}
	c.epochs++
	return err
}

func (c *Chunks) continueFrom(r *Run) {
	last := c.runs[r.first]
	if last != nil {
		r.Order.Continue(last.Order)
	}
	for i, l := range r.Learners {
		l.Windows = nil
		if w := r.s.Rows.Weight; w != nil { // not scaled to a mean of 1
			l.Weight = w
		}
		if last != nil {
			l.Adopt(last.Learners[i].State)
			continue
		}
		l.Total = 1 << 62 // so that the windows of the average end at powers of two
		if l.Average != nil {
			l.Average.Total = l.Total
		}
	}
	c.runs[r.first] = r
}

func (r *Run) releaseRows() {
	r.s, r.View, r.Order.Only, r.groups = nil, store.View{}, nil, nil
	for _, l := range r.Learners {
		l.View = store.View{}
	}
}

func (c *Chunks) Point() *Point {
	m := newPoint(&c.Settings, len(c.classes), c.cols, c.Bias != settings.BiasNone)
	for k := range m.Result.PerClass {
		m.Result.PerClass[k].Lambda = c.Lambda
	}
	if from := c.start; from != nil {
		m.copyFrom(from)
		m.Result.Steps, m.Result.R2, m.Result.T0 = from.Result.Steps, from.Result.R2,
			from.Result.T0
	}
	for _, r := range c.runs {
		if r != nil {
			r.write(m)
			m.Result.R2, m.Result.T0 = r.R2, r.Learners[0].T0
		}
	}
	m.Result.Epochs = c.epochs
	return m
}
