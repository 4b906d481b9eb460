package engine

import (
	"cmp"
	"context"
	"math"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/options"
	"github.com/pegasimd/pegasimd/internal/order"
	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/internal/train/certificate"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/objective"
	"github.com/pegasimd/pegasimd/internal/train/rows"
	"github.com/pegasimd/pegasimd/internal/train/settings"
	"github.com/pegasimd/pegasimd/internal/train/sgd"
)

// A Run is the training of one or more learners that visit the same rows in the same order.
type Run struct {
	s         *Session
	first     int     // the place of its first vector in models
	rows.View         // of the rows that the learners visit
	sum       float64 // of the weights as they were given, or 0
	longest   float64 // the largest squared norm of a row, without the appended feature
	Lambda    float64
	R2        float64
	T, Total  int64
	Epoch     int
	Order     *order.Visits
	Learners  []*Learner
	threads   int
	inner     int // goroutines for the work on each learner

	Measured []Measurement // of the learners, by the last measure
	dotError float64       // View.DotSize; 0 before it is known

	matrix  *dense.Matrix // of the vectors of several binary problems, else nil
	buffers [][]float32   // of the group of each first learner, for sgd.NewGroup
}

// newRun makes a run, of the rows of two classes if a pair is given; nil if there are none. Its
// vectors take the places from first on in models.
func (s *Session) newRun(pair []int32, first int) (*Run, error) {
	r := &Run{s: s, first: first, threads: 1, inner: 1}
	var err error
	r.View, r.sum, err = s.Rows.View(pair, s.ClassWeight == settings.Balanced)
	if err != nil || r.Count() == 0 {
		return nil, err
	}
	lambda, rule := options.LambdaFor(s.Settings.Lambda, s.C, cmp.Or(r.sum, float64(r.Count())))
	if err := rule.Err(); err != nil {
		return nil, err
	}
	r.Lambda = lambda
	if s.Batch > r.Count() && !s.chunk {
		return nil, options.Bad("Batch", "have %d, want at most the number of rows, %d",
			s.Batch, r.Count())
	}
	t0 := r.squaredNorms()
	kind := s.Order
	if kind == order.Shuffled && r.s.plan.descends {
		kind = order.Permutation
	}
	r.Order = order.New(kind, r.Count(), s.Block, min(s.Batch, r.Count()), s.Seed)
	if r.Total, err = s.Length(r.Order.Steps); err != nil {
		return nil, err
	}
	if err := s.Until.Err(); err != nil {
		return nil, err
	}
	if err := options.LambdaFits(r.Lambda, s.C, r.R2).Err(); err != nil {
		return nil, err
	}
	r.arrange()
	r.Order.Only = r.Only
	return r, r.addLearners(pair, t0)
}

// addLearners gives the run its learners: one for each class against the rest, or one.
func (r *Run) addLearners(pair []int32, t0 float64) error {
	n, vectors, positive := len(r.s.Rows.Classes), 1, int32(0)
	switch {
	case r.s.Joint():
		n, vectors = 1, n
	case r.s.Rows.Classes == nil:
		n = 1
	case pair != nil:
		n, positive = 1, pair[1]
	case n == 2:
		n, positive = 1, 1 // the larger label is +1
	}
	if n > 1 {
		r.matrix, r.buffers = dense.New(n, r.X.Cols()), make([][]float32, n)
	}
	for k := range n {
		s, err := r.newState(r.first+k, vectors, t0)
		if err != nil {
			return err
		}
		if n > 1 {
			copy(r.matrix.Row(k), s.Vectors[0]) // it may have a start
			s.Vectors[0] = r.matrix.Row(k)
		}
		l := new(Learner)
		if r.s.Joint() {
			l.Joint = sgd.NewJoint(s, r.s.Multiclass == settings.Multinomial, r.s.Costs)
			l.State, l.Of = &l.Joint.State, &l.Joint.Of
		} else {
			l.Binary = sgd.NewBinary(s, r.s.Cost(), positive+int32(k))
			l.State, l.Of = &l.Binary.State, &l.Binary.Of
		}
		if r.s.Project {
			l.Radius = math.Sqrt(l.Of.AtZero() / r.Lambda)
		}
		if r.s.Shards > 1 {
			l.shards = sgd.NewShards(l.Binary, r.s.Shards)
		}
		if r.s.plan.descends {
			r.descend(l)
		}
		r.Learners = append(r.Learners, l)
	}
	return nil
}

// newState makes that of a learner with n vectors, which take the places from first on in models.
func (r *Run) newState(first, n int, t0 float64) (iterate.State, error) {
	cols := r.X.Cols()
	s := iterate.New(&objective.Terms{
		View: r.ForWorker(), Lambda: r.Lambda, BiasScale: r.s.BiasScale,
		Free: r.s.Bias == settings.BiasUnregularised, PriorBias: make([]float64, n),
		Sums: objective.SumError(r.Count(), cols, len(r.s.Rows.Classes)),
	}, n)
	s.T0, s.Total, s.Period = t0, r.Total, Period(r.Total, cols)
	steps := r.Order.Steps
	if k := r.s.Shards; k > 1 {
		steps = int(sgd.ShardSteps(int64(steps), r.Count(), cols, k))
		s.Total, s.Period = sgd.ShardSteps(r.Total, r.Count(), cols, k), 1
	}
	if r.s.Average == settings.LastHalf && !r.s.plan.descends {
		s.Average = iterate.NewAverage(s.Total, n, cols)
	}
	// Only if each row is visited once an epoch, and not where there is no bound.
	if r.s.Order != order.IID && !(n > 1 && s.Free) && !r.s.plan.descends {
		s.Recent = certificate.NewWindows(s.Total, steps, r.X.Rows()*n)
	}
	if r.s.Prior != nil {
		if err := s.SetPrior(r.s.Prior.vectors(first, n)); err != nil {
			return s, err
		}
	}
	if m := r.s.Start; m != nil {
		w, b := m.vectors(first, n)
		if err := s.SetStart(w, b, m.Result.PerClass[first].Steps); err != nil {
			return s, options.Bad("Start", "%v", err)
		}
	}
	return s, nil
}

// Period returns the number of steps between two samples of w. A sample costs about as much as a
// step with a dense row, so that this is 1 or 2 % of the run, and the mean is as good as that of
// all iterates. A short run has some at any cost.
func Period(total int64, cols int) int64 {
	return max(1, min(max(64, int64(cols/4)), total/16))
}

// squaredNorms finds R^2, the mean of the rows' squared norms, the appended feature included, and
// returns t0. With weights R^2 is their mean as well. In t0 they count twice: it is lambda*t0 that
// a step's length is measured by, squared.
func (r *Run) squaredNorms() (t0 float64) {
	var sum, steps, largest, bias float64 // steps and largest are of steps' lengths, squared
	b := float64(r.s.BiasScale * r.s.BiasScale)
	if r.s.Bias == settings.BiasUnregularised { // and b is 0
		bias = 1 // it takes steps of the same size, as of a feature that is 1
	}
	for _, i := range r.All() {
		w := r.Share(i)
		r.longest = max(r.longest, float64(r.Norms[i]))
		s := float64(w * float64(r.Norms[i]))
		steps += float64(w * (s + float64(w*b)))
		largest = max(largest, s+float64(w*(b+bias)))
		sum += s
	}
	n := float64(r.Count())
	r.R2 = sum/n + b // the weights' mean is 1
	switch curvature := r.s.Kind().Traits().Curvature; {
	case r.s.Offset == settings.OffsetNone:
		return 0
	case curvature > 0:
		return curvature * largest / r.Lambda
	case r.Weight != nil:
		return steps / n / r.Lambda
	}
	return r.R2 / r.Lambda
}

// arrange puts the rows into the order in which they are visited, if that is always the same.
func (r *Run) arrange() {
	switch r.Order.Kind {
	case order.Sequential, order.Blocks:
	case order.Permutation, order.IID:
		r.Scatter()
	default:
		r.s.Rows.Shuffle(&r.View, rows.Visits{Seed: r.s.Seed, Total: r.Total,
			Epoch: int64(r.Order.Steps),
			Short: r.s.Finish == settings.FinishNewton || r.s.plan.newton})
	}
}

// Segment returns the number of steps after which the context is asked again. Many vectors take a
// million steps in all on each thread, some 0.1 s. For sparse rows they are enough to be worth
// mixing the vectors: see newGroup.
func (r *Run) Segment() int {
	cols := r.X.Cols()
	share := (1 << 20) * r.threads / (len(r.Learners) * len(r.Learners[0].Vectors))
	if r.X.Interleaved() != nil {
		share = max(share, cols)
	}
	return min(sgd.Segment(cols), max(share, 32))
}

// blockRows returns how many rows all classes visit before the next ones, so that a row comes from
// the cache for all classes but the first (2.6 times as fast on Fashion-MNIST). With many columns,
// where v is long and the rows mostly sparse, it is v that should stay there. It has no influence
// on the result.
func blockRows(cols int) int { return max(32, cols/256) }

// Advance trains to the end of the epoch, of the run, or to step pause. It stops early if ctx is
// done.
func (r *Run) Advance(ctx context.Context, pause int64) error {
	for end := min(r.Total, pause); r.T < end; {
		if ctx.Err() != nil {
			return nil
		}
		idx, ends := r.next(end - r.T)
		r.ReadAhead(r.Order.Coming(len(idx)))
		r.share(func(first, end int) { r.takeSteps(first, end, idx, ends) })
		if ends != nil {
			r.T += int64(len(ends))
		} else {
			r.T += int64(len(idx))
		}
		atEnd := r.Order.AtEnd()
		if atEnd {
			r.EndReadAhead()
			r.Epoch++
			r.parallel(func(k int) { r.Learners[k].EndEpoch(r.Epoch) })
			r.goOn()
		}
		for _, l := range r.Learners {
			if l.Err != nil {
				return l.Err
			}
		}
		if atEnd {
			return nil
		}
	}
	return nil
}

// next returns the rows of the next steps, up to the given number or, of shards, to the end of the
// round in which that is; and the ends of their batches, or nil if each row is a step.
func (r *Run) next(steps int64) (idx []uint32, ends []int) {
	limit := int64(r.Segment())
	if r.s.Shards > 1 { // a round is taken as a whole
		round := int64(sgd.RoundRows(r.X.Cols(), r.s.Shards))
		limit = max(1, limit/round) * round
		steps = min((min(limit, steps)+round-1)/round*round, r.Total-r.T)
	}
	steps = min(limit, steps)
	if k := int64(r.Order.Batch); k > 0 {
		return r.Order.Batches(int(min(steps, limit/k+1)))
	}
	return r.Order.Next(int(steps)), nil
}

// takeSteps takes steps of the learners from first to end-1 with the rows idx, of whose batches
// ends has the ends; nil if each row is a step.
func (r *Run) takeSteps(first, end int, idx []uint32, ends []int) {
	learners := r.Learners[first:end]
	if ends != nil {
		for _, l := range learners {
			l.TakeBatches(idx, ends)
		}
		return
	}
	if g := r.newGroup(first, end); g != nil {
		g.Steps(idx)
		return
	}
	block := blockRows(r.X.Cols())
	if len(learners) == 1 || r.s.Shards > 1 {
		block = len(idx)
	}
	for len(idx) > 0 {
		n := min(block, len(idx))
		for _, l := range learners {
			l.TakeSteps(idx[:n])
		}
		idx = idx[n:]
	}
}

// newGroup returns the group of the learners from first to end-1, or nil if they have to go one by
// one.
func (r *Run) newGroup(first, end int) *sgd.Group {
	if r.matrix == nil || end-first < 2 || r.s.Shards > 1 {
		return nil
	}
	var group []*sgd.Binary
	for _, l := range r.Learners[first:end] {
		if l.phase() != stepping {
			return nil
		}
		group = append(group, l.Binary)
	}
	return sgd.NewGroup(group, r.matrix, first, func(n int) []float32 {
		if len(r.buffers[first]) != n {
			r.buffers[first] = dense.New(1, n).Row(0)
		}
		return r.buffers[first]
	})
}

// share calls f from several goroutines, with each its share of the learners: those from first to
// end-1.
func (r *Run) share(f func(first, end int)) {
	n := len(r.Learners)
	parallel.For(r.threads, r.threads, func(_, k int) {
		f(k*n/r.threads, (k+1)*n/r.threads)
	})
}

// parallel calls f for each learner, from several goroutines.
func (r *Run) parallel(f func(k int)) {
	r.share(func(first, end int) {
		for k := first; k < end; k++ {
			f(k)
		}
	})
}

// vectorsOf returns the vectors of m that learner k has trained, and their biases.
func (r *Run) vectorsOf(m *Point, k int) (w [][]float32, b []float64) {
	return m.vectors(r.first+k, len(r.Learners[k].Vectors))
}

// write fills in the run's part of m.
func (r *Run) write(m *Point) {
	for k, l := range r.Learners {
		w, b := r.vectorsOf(m, k)
		l.Result(w, b)
		l.AddPrior(w)
		if m.Bias != nil {
			for i := range b {
				m.Bias[r.first+k+i] = b[i] + l.PriorBias[i]
			}
		}
		m.Result.Violations += l.Violations
		m.Result.Steps = max(m.Result.Steps, l.T)
		if m.Result.PerClass != nil {
			c := &m.Result.PerClass[r.first+k]
			c.Violations, c.Steps, c.Lambda = l.Violations, l.T, r.Lambda
			if l.Newton != nil {
				c.Width = l.Newton.Width()
			}
		}
	}
	m.Result.Epochs = max(m.Result.Epochs, float64(r.T)/float64(r.Order.Steps))
}
