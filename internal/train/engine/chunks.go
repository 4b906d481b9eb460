package engine

import (
	"context"
	"math"

	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/internal/train/rows"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// Chunks train on rows that come in chunks. Each is a pass over its rows; t counts on from chunk to
// chunk, and so does the generator of random numbers.
type Chunks struct {
	settings.Settings
	classes []float32
	cols    int
	start   *Point // nil for none
	runs    []*Run // of the last chunk that each had rows in, at its first vector; nil before
	epochs  float64
}

// NewChunks returns a trainer of chunks of rows with cols columns, whose labels are among classes.
// The settings are those of one chunk, for one epoch, without weights of classes: they are the
// rows' here. start is the point that the first chunk goes on from, or nil.
func NewChunks(s settings.Settings, classes []float32, cols int, start *Point) *Chunks {
	vectors, _ := s.Vectors(len(classes))
	return &Chunks{Settings: s, classes: classes, cols: cols, start: start,
		runs: make([]*Run, vectors)}
}

// Train trains on a chunk, whose classes are those of the trainer: some may have no rows. The rows'
// weights multiply the loss as they are. An error of the steps, an [iterate.Error], leaves no
// point.
func (c *Chunks) Train(set *rows.Set, threads int) error {
	s := &Session{threads: parallel.Threads(threads), chunk: true, Job: Job{Settings: c.Settings,
		Rows: set, Start: c.start, Until: context.Background()}}
	s.Epochs = 1
	s.compact()
	if err := set.Measure(); err != nil {
		return err
	}
	if err := s.addRuns(); err != nil || len(s.Runs) == 0 {
		return err
	}
	for _, r := range s.Runs {
		c.follow(r)
	}
	err := s.advanceRuns(s.Until,
		func(*Run) (bool, int64) { return true, math.MaxInt64 })
	for _, r := range s.Runs {
		r.forgetRows()
	}
	c.epochs++
	return err
}

// follow makes a run go on from that of the chunk before, if there is one.
func (c *Chunks) follow(r *Run) {
	last := c.runs[r.first]
	if last != nil {
		r.Order.Continue(last.Order)
	}
	for i, l := range r.Learners {
		l.Recent = nil
		if w := r.s.Rows.Weight; w != nil { // as they were, before they were scaled to a mean of 1
			l.Weight = w
		}
		if last != nil {
			l.Adopt(last.Learners[i].State)
			continue
		}
		l.Total = 1 << 62 // the average's windows end at powers of two
		if l.Average != nil {
			l.Average.Total = l.Total
		}
	}
	c.runs[r.first] = r
}

// forgetRows lets go of the rows and of all data about them.
func (r *Run) forgetRows() {
	r.s, r.View, r.Order.Only = nil, rows.View{}, nil
	for _, l := range r.Learners {
		l.View = rows.View{}
	}
}

// Point returns where training is. Its objective is not known.
func (c *Chunks) Point() *Point {
	m := newPoint(&c.Settings, len(c.classes), c.cols, c.Bias != settings.BiasNone)
	for k := range m.Result.PerClass {
		m.Result.PerClass[k].Lambda = c.Lambda
	}
	if from := c.start; from != nil {
		m.take(from)
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
