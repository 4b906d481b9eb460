package engine

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/base/order"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/certificate"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/objective"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/internal/train/settings"
	"github.com/pegasimd/pegasimd/internal/train/sgd"
)

// newRun returns a run on the rows of the classes in pair, or on all rows if pair is nil. It
// returns nil if no row has a weight above 0. start is the index of the run's first vector in
// Point.Weights.
func (s *Session) newRun(pair []int32, start int) (*Run, error) {
	r := &Run{s: s, first: start, threads: 1, innerThreads: 1}
	var err error
	r.View, r.weightSum, err = s.Rows.View(pair, s.ClassWeight == settings.Balanced)
	if err != nil || r.Count() == 0 {
		return nil, err
	}
	total := cmp.Or(r.weightSum, float64(r.Count()))
	lambda, rule := options.LambdaFor(s.Settings.Lambda, s.C, total)
	if err := rule.Err(); err != nil {
		return nil, err
	}
	r.Lambda = lambda
	if s.Batch > r.Count() && !s.chunk && !s.Verifies {
		of := ""
		if pair != nil {
			of = " of a pair of classes"
		}
		return nil, options.Bad("Batch", "have %d, want at most %d, the number of training rows%s",
			s.Batch, r.Count(), of)
	}
	t0 := r.measureNorms()
	kind := s.Order
	if kind == order.Shuffled && r.s.plan.startsWithDual {
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

// t0 is the offset of the step count: after t steps, w is v/(lambda*(t+t0)).
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
		n, positive = 1, 1 // the larger label is the positive class
	}
	if n > 1 {
		r.matrix, r.groups = dense.New(n, r.X.Cols()), make([]*sgd.Group, n)
	}
	for k := range n {
		s, err := r.newState(r.first+k, vectors, t0)
		if err != nil {
			return err
		}
		if n > 1 {
			copy(r.matrix.Row(k), s.Vectors[0]) // zeros without a start
			s.Vectors[0] = r.matrix.Row(k)
		}
		l := new(Learner)
		if r.s.Joint() {
			l.Joint = sgd.NewJoint(s, r.s.Multiclass == settings.Multinomial, r.s.Costs)
			l.State, l.Of, l.steps = &l.Joint.State, &l.Joint.Of, l.Joint.Steps
		} else {
			l.Binary = sgd.NewBinary(s, r.s.LossFunc(), positive+int32(k))
			l.State, l.Of, l.steps = &l.Binary.State, &l.Binary.Of, l.Binary.Steps
		}
		if r.s.Project {
			l.Radius = math.Sqrt(l.Of.AtZero() / r.Lambda)
		}
		if r.s.plan.startsWithDual {
			r.startDual(l)
		}
		r.Learners = append(r.Learners, l)
	}
	return nil
}

// start is the index of the first of n vectors in Point.Weights.
func (r *Run) newState(start, n int, t0 float64) (iterate.State, error) {
	cols := r.X.Cols()
	s := iterate.New(&objective.Terms{
		View: r.Clone(), Lambda: r.Lambda, BiasScale: r.s.BiasScale,
		FreeBias: r.s.Bias == settings.BiasUnregularised, PriorBias: make([]float64, n),
		SumError: objective.SumError(r.Count(), cols, len(r.s.Rows.Classes)),
	}, n)
	s.T0, s.Total, s.Period = t0, r.Total, Period(r.Total, cols)
	if r.s.AdaptsOffset() && r.s.Start == nil && !r.s.chunk {
		s.LeastT0 = t0
	}
	if r.s.Average == settings.LastHalf && !r.s.plan.startsWithDual {
		s.Average = iterate.NewAverage(s.Total, n, cols)
	}
	// Windows give the bound, if there is one, after Pegasos steps that visit a row at most once an
	// epoch.
	if r.s.Order != order.IID && !(n > 1 && s.FreeBias) && !r.s.plan.startsWithDual {
		s.Windows = certificate.NewWindows(s.Total, r.Order.Steps, r.X.Rows()*n)
	}
	if r.s.Prior != nil {
		if err := s.SetPrior(r.s.Prior.vectors(start, n)); err != nil {
			return s, err
		}
	}
	if m := r.s.Start; m != nil {
		w, b := m.vectors(start, n)
		if err := s.SetStart(w, b, m.Result.PerClass[start].Steps); err != nil {
			return s, options.Bad("Start", "%v", err)
		}
	}
	return s, nil
}

// Period returns the number of steps between two samples of w for its average.
func Period(total int64, cols int) int64 {
	return max(1, min(max(64, int64(cols/4)), total/16))
}

// measureNorms sets r.maxSquaredNorm, without the appended feature, and r.R2, the weighted mean of
// squared norms with the feature. It returns the offset t0 of the step count:
//
//	OffsetNone          0
//	Traits.Curvature>0  curvature * largest weight*norm^2 of a row / lambda
//	weights given       mean of weight^2*norm^2 over the rows / lambda
//	otherwise           R2/lambda
//
// In this table, norms include the appended feature. In the row of Traits.Curvature, a bias without
// a penalty counts as a feature of 1.
func (r *Run) measureNorms() (t0 float64) {
	var sum, steps, largest, bias float64
	b := float64(r.s.BiasScale * r.s.BiasScale)
	if r.s.Bias == settings.BiasUnregularised { // BiasScale is 0
		bias = 1 // steps change such a bias like the weight of a feature of 1
	}
	for _, i := range r.All() {
		w := r.RowWeight(i)
		r.maxSquaredNorm = max(r.maxSquaredNorm, float64(r.Norms[i]))
		s := float64(w * float64(r.Norms[i]))
		steps += float64(w * (s + float64(w*b)))
		largest = max(largest, s+float64(w*(b+bias)))
		sum += s
	}
	n := float64(r.Count())
	r.R2 = sum/n + b // n is also the sum of the rows' weights
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

func (r *Run) arrange() {
	switch r.Order.Kind {
	case order.Sequential, order.Blocks:
	case order.Permutation, order.IID:
		r.Scatter()
	default:
		r.s.Rows.Shuffle(&r.View, store.Visits{Seed: r.s.Seed, Total: r.Total,
			Epoch: int64(r.Order.Steps),
			Short: r.s.Finish == settings.FinishNewton || r.s.plan.newton})
	}
}

// Segment returns the largest number of steps between two checks of the context. It is small for
// many weight vectors, except where interleaved vectors need long segments to save time.
func (r *Run) Segment() int {
	cols, lead := r.X.Cols(), r.Learners[0]
	share := (1 << 20) * r.threads / (len(r.Learners) * len(lead.Vectors))
	most := sgd.Segment(cols)
	if r.X.Interleaved() != nil {
		if lead.Joint != nil && lead.phase() == descending {
			share, most = 4*share, maxJointSegment
		} else {
			share = max(share, cols)
		}
	}
	rows := min(most, max(share, 32))
	if k := r.Order.Batch; k > 0 {
		return rows/k + 1
	}
	return rows
}

const maxJointSegment = 8192

// blockRows is the number of rows that all learners visit before the next rows, so that the rows
// or, with many columns, v stay in the cache.
func blockRows(cols int) int { return max(32, cols/256) }

// Advance trains to the end of the epoch, the end of the run or step pause, whichever is first. It
// returns early, without an error, if ctx is done.
func (r *Run) Advance(ctx context.Context, pause int64) error {
	for end := min(r.Total, pause); r.T < end; {
		if ctx.Err() != nil {
			return nil
		}
		adaptation := r.nextAdaptation()
		idx, ends := r.Order.NextSteps(int(min(int64(r.Segment()), end-r.T, adaptation-r.T)))
		r.ReadAhead(r.Order.Upcoming(len(idx)))
		r.parallelRanges(func(first, end int) { r.takeSteps(first, end, idx, ends) })
		if ends != nil {
			r.T += int64(len(ends))
		} else {
			r.T += int64(len(idx))
		}
		if r.T == adaptation {
			r.parallel(func(k int) { r.Learners[k].AdaptOffset() })
		}
		atEnd := r.Order.AtEnd()
		if atEnd {
			r.EndReadAhead()
			r.Epoch++
			r.parallel(func(k int) { r.Learners[k].EndEpoch(r.Epoch) })
			r.advanceSolvers()
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

func (r *Run) nextAdaptation() int64 {
	if r.Learners[0].LeastT0 == 0 {
		return math.MaxInt64
	}
	return iterate.NextAdaptation(r.T, r.Total)
}

func (r *Run) takeSteps(start, end int, idx []uint32, ends []int) {
	learners, block := r.Learners[start:end], len(idx)
	if ends == nil {
		if g := r.group(start, end); g != nil {
			g.Steps(idx)
			return
		}
		if len(learners) > 1 {
			block = blockRows(r.X.Cols())
		}
	}
	for len(idx) > 0 {
		n := min(block, len(idx))
		for _, l := range learners {
			l.TakeSteps(idx[:n], ends)
		}
		idx = idx[n:]
	}
}

func (r *Run) group(start, end int) *sgd.Group {
	learners := r.Learners[start:end]
	if len(learners) < 2 || slices.ContainsFunc(learners, func(l *Learner) bool {
		return l.phase() != stepping
	}) {
		return nil
	}
	if r.groups[start] == nil {
		var problems []*sgd.Binary
		for _, l := range learners {
			problems = append(problems, l.Binary)
		}
		r.groups[start] = sgd.NewGroup(problems, r.matrix, start)
	}
	return r.groups[start]
}

func (r *Run) write(m *Point) {
	for k, l := range r.Learners {
		w, b := r.vectorsOf(m, k)
		if l.Newton != nil {
			b[0] = l.Newton.Result(w[0])
		} else {
			l.Weights(w, b)
		}
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
