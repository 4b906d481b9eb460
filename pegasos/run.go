package pegasos

import (
	"cmp"
	"context"
	"math"
	"sync"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/options"
	"github.com/pegasimd/pegasimd/internal/order"
	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/internal/train/certificate"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/objective"
	"github.com/pegasimd/pegasimd/internal/train/rows"
	"github.com/pegasimd/pegasimd/internal/train/sgd"
)

// A learner takes steps with rows, which are given by their numbers.
type learner interface {
	takeSteps(idx []uint32)
	Batches(idx []uint32, ends []int)
	endEpoch(epochs int)
	// result writes the weight vectors and biases of this moment. With a prior they are what is
	// added to it.
	result(w [][]float32, b []float64)
	// shares returns the dual variables of what takes the place of steps, nil before.
	shares() []float32
	// climb returns the bound of dual variables after so many passes of an ascent.
	climb(a []float32, passes int, r2 float64) float64
	// objective returns what the learner minimises.
	objective() objective.Problem
	common() *iterate.State
}

// dualOf returns the bound of l on the least P there is, or NaN, and with packed that of what a
// proof keeps, so that no run ends with less than its proof will show.
func dualOf(l learner, r2 float64, packed bool) (bound float64) {
	p := l.objective()
	if packed {
		if v, ok := pack(l, r2); ok {
			return boundOf(p, v.Spread(p), r2)
		}
		return math.NaN()
	}
	if a := l.shares(); a != nil {
		return boundOf(p, a, r2)
	}
	if w := l.common().Recent; w != nil {
		_, _, bound = w.Best(p, l.common().Done(), r2)
		return max(0, bound)
	}
	return math.NaN()
}

// boundOf returns the bound of dual variables.
func boundOf(p objective.Problem, a []float32, r2 float64) float64 {
	bound, _ := certificate.Bound(p, a, r2)
	return bound
}

// pack returns the dual variables of l as a proof has them. It reports false if there are none.
func pack(l learner, r2 float64) (v certificate.Packed, ok bool) {
	a := l.shares()
	if w := l.common().Recent; a == nil && w != nil {
		a, _, _ = w.Best(l.objective(), l.common().Done(), r2)
	}
	if a == nil {
		return v, false
	}
	return certificate.Pack(l.objective(), a), true
}

// A run is the training of one or more learners that visit the same rows in the same order: the
// problems of one-vs-rest, a joint problem, or a pair of one-vs-one.
type run struct {
	cfg       Config // defaults filled in
	data      *data
	first     int     // the place of its first vector in models
	rows.View         // of the rows that the learners visit
	sum       float64 // of the weights as they were given, or 0
	lambda    float64
	r2        float64
	t, total  int64
	epoch     int
	order     *order.Visits
	learners  []learner
	problems  []*problem // the same, or nil
	joint     *joint     // the same, or nil
	threads   int
	inner     int // goroutines for the work on each learner; 0 for one

	measured []measurement // of the learners, by the last measure
	dotError float64       // see dotSize; 0 before it is known

	matrix  *dense.Matrix     // of the problems' v; nil if there is one
	buffers map[int][]float32 // see groupBuffer
	mu      sync.Mutex        // of buffers
}

// newRun makes the run of all rows. It is not for one-vs-one of more than two classes.
func newRun(x Examples, y []float32, tr *Trainer) (*run, error) {
	if err := tr.Config.Validate(); err != nil {
		return nil, err
	}
	d, err := newData(x, y, tr, nil)
	if err != nil {
		return nil, err
	}
	return d.run(tr, nil, 0)
}

// run makes a run, of the rows of two classes if a pair is given. Its vectors take the places from
// first on in models.
func (d *data) run(tr *Trainer, pair []int32, first int) (*run, error) {
	cfg := tr.Config.inForce()
	r := &run{cfg: cfg, data: d, first: first, threads: 1}
	var err error
	if r.View, r.sum, err = d.Set.View(pair, cfg.ClassWeight == Balanced); err != nil {
		return nil, publicError(err)
	}
	if r.lambda, err = cfg.lambda(cmp.Or(r.sum, float64(r.Count()))); err != nil {
		return nil, err
	}
	if cfg.Batch > r.Count() {
		return nil, badField("Batch", "have %d, want at most the number of rows, %d",
			cfg.Batch, r.Count())
	}
	r.order = order.New(string(cfg.Order), r.Count(), cfg.Block, cfg.Batch, cfg.Seed)
	if r.total, err = cfg.runLength(r.order.Steps); err != nil {
		return nil, err
	}
	if err := tr.interrupted(); err != nil {
		return nil, err
	}
	t0 := r.squaredNorms()
	if err := options.First(fieldError, []options.Rule{
		options.LambdaFits(r.lambda, cfg.C, r.r2)}); err != nil {
		return nil, err
	}
	r.arrange()
	r.order.Only = r.Only
	if cfg.Multiclass.Joint() {
		err = r.addJoint(tr.Costs, t0)
	} else {
		err = r.addProblems(pair, t0)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// addJoint makes the run that of a joint problem.
func (r *run) addJoint(costs [][]float64, t0 float64) error {
	s, err := r.newState(r.first, len(r.data.Classes), t0)
	if err != nil {
		return err
	}
	r.joint = &joint{Joint: sgd.NewJoint(s, r.cfg.Multiclass == Multinomial, costs)}
	r.learners = []learner{r.joint}
	if r.cfg.Project {
		r.joint.Radius = math.Sqrt(r.joint.Of.AtZero() / r.lambda)
	}
	return nil
}

// addProblems makes the run that of a problem for each class against the rest, or of one.
func (r *run) addProblems(pair []int32, t0 float64) error {
	n, positive := len(r.data.Classes), int32(0)
	switch {
	case r.data.Classes == nil:
		n = 1
	case pair != nil:
		n, positive = 1, pair[1]
	case n == 2:
		n, positive = 1, 1 // the larger label is +1
	}
	if n > 1 {
		r.matrix = dense.New(n, r.data.X.Cols())
	}
	for k := range n {
		s, err := r.newState(r.first+k, 1, t0)
		if err != nil {
			return err
		}
		if n > 1 {
			copy(r.matrix.Row(k), s.Vectors[0]) // it may have a start
			s.Vectors[0] = r.matrix.Row(k)
		}
		p := &problem{Binary: sgd.NewBinary(s, r.cfg.cost(), positive+int32(k))}
		if r.cfg.Project {
			p.Radius = math.Sqrt(p.Of.AtZero() / p.Lambda)
		}
		r.problems = append(r.problems, p)
		r.learners = append(r.learners, p)
		if r.cfg.Shards > 1 {
			p.shards = sgd.NewShards(p.Binary, r.cfg.Shards)
		}
	}
	return nil
}

// newState makes that of a learner with n vectors, which take the places from first on in models.
func (r *run) newState(first, n int, t0 float64) (iterate.State, error) {
	d, cols := r.data, r.data.X.Cols()
	s := iterate.New(&objective.Terms{
		View: r.ForWorker(), Lambda: r.lambda, BiasScale: r.cfg.BiasScale,
		Free: r.cfg.Bias == BiasUnregularised, PriorBias: make([]float64, n),
		Sums: objective.SumError(r.Count(), cols, len(d.Classes)),
	}, n)
	s.T0, s.Total, s.Period = t0, r.total, period(r.total, cols)
	steps := r.order.Steps
	if k := r.cfg.Shards; k > 1 {
		steps = int(sgd.ShardSteps(int64(steps), r.Count(), cols, k))
		s.Total, s.Period = sgd.ShardSteps(r.total, r.Count(), cols, k), 1
	}
	if r.cfg.Average == LastHalf {
		s.Average = iterate.NewAverage(s.Total, n, cols)
	}
	// Only if each row is visited once an epoch. See joint.dual for the latter.
	if r.cfg.Order != IID && !(n > 1 && s.Free) {
		s.Recent = certificate.NewWindows(s.Total, steps, r.X.Rows()*n)
	}
	biases := func(m *Model) (b []float64) {
		for k := range n {
			b = append(b, m.bias(first+k))
		}
		return b
	}
	if d.prior != nil {
		if err := s.SetPrior(d.prior.Weights[first:][:n], biases(d.prior)); err != nil {
			return s, publicError(err)
		}
	}
	if d.start != nil {
		w, t := d.start.Weights[first:][:n], d.start.stepsOf(first)
		if err := s.SetStart(w, biases(d.start), t); err != nil {
			return s, badField("Start", "%v", err)
		}
	}
	return s, nil
}

// period returns the number of steps between two samples of w. A sample costs about as much as a
// step with a dense row, so that this is 1 or 2 % of the run, and the mean is as good as that of
// all iterates. A short run has some at any cost.
func period(total int64, cols int) int64 {
	return max(1, min(max(64, int64(cols/4)), total/16))
}

// squaredNorms finds R^2, the mean of the rows' squared norms, the appended feature included, and
// returns t0. With weights R^2 is their mean as well. In t0 they count twice: it is lambda*t0 that
// a step's length is measured by, squared.
func (r *run) squaredNorms() (t0 float64) {
	var sum, steps, largest, bias float64
	b := float64(r.cfg.BiasScale * r.cfg.BiasScale)
	if r.cfg.Bias == BiasUnregularised {
		bias = 1 // it takes steps of the same size, as of a feature that is 1
	}
	curvature := r.cfg.Loss.traits().Curvature
	rows := r.Count()
	if r.Only == nil && r.Weight == nil && curvature == 0 { // the sum is all that is asked for
		sum, rows = r.data.Squares, 0
	}
	for j := range rows {
		i := r.Row(j)
		s := float64(r.Norms[i])
		if r.Weight != nil {
			w := r.Weight[i]
			s = float64(s * w)
			steps += float64(w * (s + float64(w*b)))
			largest = max(largest, s+float64(w*(b+bias)))
		} else {
			largest = max(largest, s+b+bias)
		}
		sum += s
	}
	n := float64(r.Count())
	r.r2 = sum/n + b // the weights' mean is 1
	switch {
	case r.cfg.Offset == OffsetNone:
		return 0
	case curvature > 0:
		return curvature * largest / r.lambda
	case r.Weight != nil:
		return steps / n / r.lambda
	}
	return r.r2 / r.lambda
}

// segment returns that number for the vectors of the run. Many of them take a million steps in all
// on each thread, some 0.1 s. For sparse rows they are enough to be worth mixing the vectors: see
// newGroup.
func (r *run) segment() int {
	cols := r.data.X.Cols()
	share := (1 << 20) * r.threads / max(r.vectors(), 1)
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

// advance trains to the end of the epoch, of the run, or to step pause. It stops early if ctx is
// done.
func (r *run) advance(ctx context.Context, pause int64) error {
	for end := min(r.total, pause); r.t < end; {
		if ctx.Err() != nil {
			return nil
		}
		idx, ends := r.next(end - r.t)
		r.readAhead(len(idx))
		r.share(func(first, end int) { r.takeSteps(first, end, idx, ends) })
		if ends != nil {
			r.t += int64(len(ends))
		} else {
			r.t += int64(len(idx))
		}
		atEnd := r.order.AtEnd()
		if atEnd {
			r.endEpoch()
		}
		for _, l := range r.learners {
			if err := l.common().Err; err != nil {
				return publicError(err)
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
func (r *run) next(steps int64) (idx []uint32, ends []int) {
	limit := int64(r.segment())
	if r.cfg.Shards > 1 { // a round is taken as a whole
		round := int64(sgd.RoundRows(r.data.X.Cols(), r.cfg.Shards))
		limit = max(1, limit/round) * round
		steps = min((min(limit, steps)+round-1)/round*round, r.total-r.t)
	}
	steps = min(limit, steps)
	if k := int64(r.order.Batch); k > 0 {
		return r.order.Batches(int(min(steps, limit/k+1)))
	}
	return r.order.Next(int(steps)), nil
}

// takeSteps takes steps of the learners from first to end-1 with the rows idx, of whose batches
// ends has the ends; nil if each row is a step.
func (r *run) takeSteps(first, end int, idx []uint32, ends []int) {
	learners := r.learners[first:end]
	if ends != nil {
		for _, l := range learners {
			l.Batches(idx, ends)
		}
		return
	}
	if g := r.newGroup(first, end); g != nil {
		g.Steps(idx)
		return
	}
	block := blockRows(r.data.X.Cols())
	if len(learners) == 1 || r.cfg.Shards > 1 {
		block = len(idx)
	}
	for len(idx) > 0 {
		n := min(block, len(idx))
		for _, l := range learners {
			l.takeSteps(idx[:n])
		}
		idx = idx[n:]
	}
}

// endEpoch is called when all learners have visited all rows.
func (r *run) endEpoch() {
	r.epoch++
	r.parallel(func(k int) { r.learners[k].endEpoch(r.epoch) })
	if r.joint != nil && r.cfg.canAscend() && r.joint.Prior == nil {
		r.joint.startAscent(r.cfg, r.epoch, r.r2)
	} else if r.joint == nil {
		r.goOn()
	}
}

// share calls f from several goroutines, with each its share of the learners: those from first to
// end-1.
func (r *run) share(f func(first, end int)) {
	n := len(r.learners)
	parallel.For(r.threads, r.threads, func(_, k int) {
		f(k*n/r.threads, (k+1)*n/r.threads)
	})
}

// parallel calls f for each learner, from several goroutines.
func (r *run) parallel(f func(k int)) {
	r.share(func(first, end int) {
		for k := first; k < end; k++ {
			f(k)
		}
	})
}

// inBlocks calls f for each learner and block of the rows 0 to n-1, such that a block comes from
// the cache for all learners but the first.
func (r *run) inBlocks(n int, f func(k, from, to int)) {
	block := blockRows(r.data.X.Cols())
	r.share(func(first, end int) {
		for from := 0; from < n; from += block {
			to := min(from+block, n)
			if r.data.over() {
				return
			}
			for k := first; k < end; k++ {
				f(k, from, to)
			}
		}
	})
}

// vectors returns how many the run has.
func (r *run) vectors() (n int) {
	for _, l := range r.learners {
		n += len(l.common().Vectors)
	}
	return n
}

// write fills in the run's part of m.
func (r *run) write(m *Model) {
	first := r.first
	for _, l := range r.learners {
		s := l.common()
		n := len(s.Vectors)
		w, b := m.Weights[first:][:n], make([]float64, n)
		l.result(w, b)
		s.AddPrior(w)
		for k := range b {
			if m.Bias != nil {
				m.Bias[first+k] = b[k] + s.PriorBias[k]
			}
		}
		m.Result.Violations += s.Violations
		m.Result.Steps = max(m.Result.Steps, s.T)
		if r.joint == nil {
			m.Result.PerClass[first] = ClassResult{
				Objective: math.NaN(), DualObjective: math.NaN(), Violations: s.Violations,
				Steps: s.T, Lambda: r.lambda,
			}
			if p, ok := l.(*problem); ok && p.newton != nil {
				m.Result.PerClass[first].Width = p.newton.Width()
			}
		}
		first += n
	}
	m.Result.Epochs = max(m.Result.Epochs, float64(r.t)/float64(r.order.Steps))
}

// newGroup returns the group of the problems from first to end-1, or nil if they have to go one by
// one.
func (r *run) newGroup(first, end int) *sgd.Group {
	if r.matrix == nil || end-first < 2 || r.cfg.Shards > 1 {
		return nil
	}
	var group []*sgd.Binary
	for _, p := range r.problems[first:end] {
		if p.ascent != nil || p.newton != nil {
			return nil
		}
		group = append(group, p.Binary)
	}
	return sgd.NewGroup(group, r.matrix, first, func(n int) []float32 {
		return r.groupBuffer(first, n)
	})
}

// groupBuffer returns zeros for the group whose first problem is given: always the same ones, for
// groups come and go.
func (r *run) groupBuffer(first, n int) []float32 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.buffers == nil {
		r.buffers = make(map[int][]float32)
	}
	if len(r.buffers[first]) != n {
		r.buffers[first] = dense.New(1, n).Row(0)
	}
	return r.buffers[first]
}
