package pegasos

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/rows"
)

// A Partial trains on rows that come in chunks: those that do not fit in memory at once, or are not
// all there yet. The classes are known from the start, the number of rows is not. Each chunk is a
// pass over its rows in the Config's order; t counts on from chunk to chunk, and so does the
// generator of random numbers.
//
// The same chunks give the same model to the bit on every machine. How the rows are cut into chunks
// does matter.
type Partial struct {
	cfg     Config
	classes []float32
	cols    int
	byLabel map[float32]float64
	runs    []*run // of the last chunk that each had rows in; nil before the first
	from    *Model // that it goes on from, about scaled rows, with its Scaling; nil for none
	epochs  float64
	failed  error

	// Threads is the number of goroutines for the classes, or pairs, of a chunk; 0 means
	// GOMAXPROCS.
	Threads int
}

// NewPartial returns a trainer of rows with so many columns, whose labels are among classes:
// distinct, and at least two. For numbers to predict there are none. Settings that go by all rows
// can't be used: Scale, C, Epochs, Steps, Tol, Change, Patience, Finish, Shards, Balanced,
// and Project with numbers to predict. Of each chunk there is one pass, for which
// Shuffled means Permutation. Class weights multiply the loss as they are. There is no certificate.
// Fields that are zero are those of [Config.Plain]: nothing is chosen by the data, which are not
// there yet. Not scaled are rows and numbers, there is no bias, lambda is DefaultLambda whatever
// the rows' lengths, and classes are one against the rest. [NewPartialFrom] has what training chose
// for rows that are there.
func NewPartial(cfg Config, classes []float32, cols int) (*Partial, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	for _, f := range []struct {
		field string
		given bool
	}{
		{"C", cfg.C != 0}, {"Epochs", cfg.Epochs != 0}, {"Steps", cfg.Steps != 0},
		{"Tol", cfg.Tol != 0}, {"Change", cfg.Change != 0},
		{"Patience", cfg.Patience != 0}, {"ClassWeight", cfg.ClassWeight == Balanced},
		{"Finish", cfg.finishes()}, {"Shards", cfg.Shards > 1},
		{"Scale", cfg.Scale != "" && cfg.Scale != ScaleNone},
		{"TargetScale", cfg.TargetScale != "" && cfg.TargetScale != ScaleNone},
		{"Project", cfg.Project && cfg.Loss.Regression()},
	} {
		if f.given {
			return nil, badField(f.field, "it goes by all rows, which come in chunks here")
		}
	}
	if cols < 0 || cols > math.MaxInt32 {
		return nil, fmt.Errorf("pegasos: %d columns", cols)
	}
	p := &Partial{cfg: cfg.inForce(), classes: slices.Clone(classes), cols: cols}
	if p.cfg.Order == Shuffled { // for one pass that is the same, but for the work
		p.cfg.Order, p.cfg.Block = Permutation, 0
	}
	slices.Sort(p.classes)
	for i, c := range p.classes {
		if !floats.IsFinite(c) || i > 0 && c == p.classes[i-1] {
			return nil, fmt.Errorf("pegasos: classes must be finite and distinct, have %v", c)
		}
		p.classes[i] += 0 // a class is never -0
	}
	vectors, err := weightVectors(p.cfg, len(p.classes))
	if err != nil {
		return nil, fmt.Errorf("pegasos: %w", err)
	}
	p.byLabel, _ = cfg.ClassWeights() // was validated
	for label := range p.byLabel {
		if !slices.Contains(p.classes, label) {
			return nil, badField("ClassWeight", "the label %v is none of the classes", label)
		}
	}
	if p.pairs() {
		p.runs = make([]*run, vectors)
	} else {
		p.runs = make([]*run, 1)
	}
	return p, nil
}

func (p *Partial) pairs() bool { return p.cfg.Multiclass == OneVsOne && len(p.classes) > 2 }

// Fit trains on a chunk: rows, and a label for each. A chunk may lack classes, and may be empty.
// The first one's R^2 makes the step offset. After an error about the rows or labels, which names
// the row, the model is what it was before; after a *[StepError] it is lost, and all further calls
// return that error.
func (p *Partial) Fit(x Examples, y []float32) error {
	if p.failed != nil {
		return p.failed
	}
	if err := store.Given(x); err != nil {
		return err
	}
	if x.Cols() != p.cols {
		return fmt.Errorf("pegasos: %d columns, want %d", x.Cols(), p.cols)
	}
	if x.Rows() == 0 && len(y) == 0 {
		return nil
	}
	x, y, err := p.scaled(x, y)
	if err != nil {
		return err
	}
	s, err := p.newChunk(x, y)
	if err != nil || len(s.runs) == 0 {
		return err
	}
	if len(s.runs) == 1 {
		s.runs[0].threads = min(s.threads, len(s.runs[0].learners))
	}
	errs := make([]error, len(s.runs))
	s.parallel(func(i int, r *run) { errs[i] = r.advance(context.Background(), math.MaxInt64) })
	for _, r := range s.runs {
		r.forgetRows()
	}
	p.epochs++
	p.failed = firstError(errs...)
	return p.failed
}

// newChunk makes the session of a chunk, with the runs that have rows in it.
func (p *Partial) newChunk(x Examples, y []float32) (*session, error) {
	tr := &Trainer{Config: p.cfg}
	tr.ClassWeight, tr.Epochs = "", 1
	tr.Start, tr.scaling = p.from, p.scaling()
	d, err := newData(x, y, tr, p.classes)
	if err != nil {
		return nil, err
	}
	if p.byLabel != nil {
		d.Weight = make([]float64, len(y))
		for i, label := range y {
			d.Weight[i] = 1
			if w, ok := p.byLabel[label]; ok {
				d.Weight[i] = w
			}
		}
	}
	s := &session{cfg: p.cfg, data: d, threads: parallel.Threads(p.Threads)}
	add := func(pair []int32, k int) error {
		r, err := d.chunk(tr, pair, k, p.runs[k])
		if err != nil || r == nil {
			return err
		}
		p.runs[k] = r
		s.runs = append(s.runs, r)
		return nil
	}
	if !p.pairs() {
		return s, add(nil, 0)
	}
	k := 0
	for a := range p.classes {
		for b := a + 1; b < len(p.classes); b++ {
			if err := add([]int32{int32(a), int32(b)}, k); err != nil {
				return nil, err
			}
			k++
		}
	}
	return s, nil
}

// forgetRows lets go of the rows and what is known of them.
func (r *run) forgetRows() {
	r.data, r.View, r.order.Only = nil, rows.View{}, nil
	for _, l := range r.learners {
		c := l.common()
		c.View = rows.View{}
	}
}

// chunk makes the run of the chunk d that goes on from last, or starts if that is nil. It is nil if
// the chunk has no row for it.
func (d *data) chunk(tr *Trainer, pair []int32, first int, last *run) (*run, error) {
	inner := *tr
	view, _, err := d.View(pair, false)
	if err != nil {
		return nil, publicError(err)
	}
	if view.Count() == 0 {
		return nil, nil
	}
	inner.Batch = min(tr.Batch, view.Count()) // the last chunk may be short
	r, err := d.run(&inner, pair, first)
	if err != nil {
		return nil, err
	}
	if last != nil {
		r.order.Continue(last.order)
	}
	for k, l := range r.learners {
		s := l.common()
		s.Recent = nil
		if d.Weight != nil { // as they were, before they were scaled to a mean of 1
			s.Weight = d.Weight
		}
		if last == nil {
			s.Total = 1 << 62 // the average's windows end at powers of two
			if s.Average != nil {
				s.Average.Total = s.Total
			}
			continue
		}
		s.Adopt(last.learners[k].common())
	}
	return r, nil
}

// Model returns the model of this moment. Its objective is not known.
func (p *Partial) Model() (*Model, error) {
	if p.failed != nil {
		return nil, p.failed
	}
	vectorCount, _ := weightVectors(p.cfg, len(p.classes)) // was checked
	nan := math.NaN()
	m := &Model{
		Classes: slices.Clone(p.classes), Weights: iterate.Zeros(vectorCount, p.cols),
		Lambda: p.cfg.Lambda, Config: p.cfg,
		Result: Result{Objective: nan, DualObjective: nan, Gap: nan},
	}
	if len(p.classes) == 0 {
		m.Classes = nil
	}
	if p.cfg.Bias != BiasNone {
		m.Bias = make([]float64, vectorCount)
	}
	if !p.cfg.Multiclass.Joint() {
		m.Result.PerClass = make([]ClassResult, vectorCount)
		for k := range m.Result.PerClass {
			m.Result.PerClass[k] = ClassResult{Objective: nan, DualObjective: nan,
				Lambda: p.cfg.Lambda}
		}
	}
	if p.from != nil {
		p.keep(m)
	}
	for _, r := range p.runs {
		if r != nil {
			r.write(m)
			m.Result.R2, m.Result.T0 = r.r2, r.learners[0].common().T0
		}
	}
	m.Result.Epochs = p.epochs
	m = p.scaling().Fold(m)
	if err := m.check(); err != nil {
		return nil, &StepError{m.Result.Steps, -1, err.Error() + ": " + rows.TooLarge}
	}
	return m, nil
}
