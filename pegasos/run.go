package pegasos

import (
	"context"
	"math"
	"sync"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/order"
	"github.com/pegasimd/pegasimd/internal/parallel"
)

// A learner takes steps with rows that it is told the numbers of.
type learner interface {
	steps(idx []uint32)
	batches(idx []uint32, ends []int)
	endEpoch(epochs int)
	// result writes the weight vectors and biases of this moment. With a prior they are what is added to it.
	result(w [][]float32, b []float64)
	common() *state
}

// A run is the training of one or more learners that meet the same rows in the same order: the problems of one-vs-rest, a
// joint problem, or a pair of one-vs-one.
type run struct {
	cfg      Config // defaults filled in
	data     *data
	first    int       // the place of its first vector in models
	rows     int       // in an epoch
	only     []uint32  // which, in the order in which they are counted; nil for all
	weight   []float64 // of each row, with a mean of 1; nil if all weigh the same
	layout             // the rows as the learners see them
	sum      float64   // of the weights as they were given, or 0
	lambda   float64
	r2       float64
	t, total int64
	epoch    int
	order    *order.Visits
	learners []learner
	problems []*problem // the same, or nil
	joint    *joint     // the same, or nil
	threads  int

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

// run makes a run, of the rows of two classes if a pair is given. Its vectors take the places from first on in models.
func (d *data) run(tr *Trainer, pair []int32, first int) (*run, error) {
	cfg := tr.Config.inForce()
	r := &run{cfg: cfg, data: d, first: first, rows: len(d.y), threads: 1}
	r.choose(pair)
	sum, err := r.weigh()
	if err != nil {
		return nil, err
	}
	if r.weight != nil {
		r.sum = sum
	}
	if r.lambda, err = cfg.lambda(sum); err != nil {
		return nil, err
	}
	if cfg.Batch > r.rows {
		return nil, badField("Batch", "have %d, want at most the number of rows, %d", cfg.Batch, r.rows)
	}
	r.order = order.New(string(cfg.Order), r.rows, cfg.Block, cfg.Batch, cfg.Seed)
	if r.total, err = cfg.steps(r.order.Steps); err != nil {
		return nil, err
	}
	t0 := r.squaredNorms()
	r.lay()
	r.order.Only = r.only
	if cfg.Multiclass.Joint() {
		s, err := r.state(first, len(d.classes), t0)
		if err != nil {
			return nil, err
		}
		r.joint = newJoint(s, cfg.Multiclass == Multinomial, tr.Costs)
		r.learners = []learner{r.joint}
		if cfg.Project {
			r.joint.radius = math.Sqrt(r.joint.lossAtZero() / r.lambda)
		}
		return r, nil
	}
	n, positive := len(d.classes), int32(0)
	switch {
	case d.classes == nil:
		n = 1
	case pair != nil:
		n, positive = 1, pair[1]
	case n == 2:
		n, positive = 1, 1 // the larger label is +1
	}
	if n > 1 {
		r.matrix = dense.New(n, d.x.Cols())
	}
	for k := range n {
		s, err := r.state(first+k, 1, t0)
		if err != nil {
			return nil, err
		}
		if n > 1 {
			copy(r.matrix.Row(k), s.vs[0]) // it may have a start
			s.vs[0] = r.matrix.Row(k)
		}
		p := &problem{state: s, v: s.vs[0], cost: cfg.cost(), k: positive + int32(k)}
		if cfg.Project {
			p.radius = math.Sqrt(p.lossAtZero() / p.lambda)
		}
		if cfg.Offset == OffsetPilot && d.start == nil && tr.Resume == nil {
			p.t0 *= r.pilot(p)
		}
		r.problems = append(r.problems, p)
		if cfg.Shards > 1 {
			r.learners = append(r.learners, newShards(p, cfg.Shards))
		} else {
			r.learners = append(r.learners, p)
		}
	}
	return r, nil
}

// state makes that of a learner with n vectors, which take the places from first on in models.
func (r *run) state(first, n int, t0 float64) (state, error) {
	d, cols := r.data, r.data.x.Cols()
	s := state{
		layout: r.layout.forWorker(), weight: r.weight, only: r.only,
		lambda: r.lambda, t0: t0, biasScale: r.cfg.BiasScale, free: r.cfg.Bias == BiasUnregularised, factor: 1,
		vs: vectors(n, cols), vb: make([]float64, n), priorBias: make([]float64, n),
		total: r.total, period: period(r.total, cols), scalars: make([]float64, n),
	}
	steps := r.order.Steps
	if k := r.cfg.Shards; k > 1 {
		steps = int(shardSteps(int64(steps), r.rows, cols, k))
		s.total, s.period = shardSteps(r.total, r.rows, cols, k), 1
	}
	if r.cfg.Average == LastHalf {
		s.avg = newSuffix(s.total, n, cols)
	}
	if r.cfg.Order != IID && !(n > 1 && s.free) { // each row once an epoch; see joint.dual for the latter
		s.recent = newRecent(s.total, steps, r.x.Rows()*n)
	}
	biases := func(m *Model) (b []float64) {
		for k := range n {
			b = append(b, m.bias(first+k))
		}
		return b
	}
	if d.prior != nil {
		if err := s.setPrior(d.prior.Weights[first:][:n], biases(d.prior)); err != nil {
			return s, err
		}
	}
	if d.start != nil {
		if err := s.setStart(d.start.Weights[first:][:n], biases(d.start), d.start.steps(first)); err != nil {
			return s, err
		}
	}
	return s, nil
}

// period returns the number of steps between two samples of w. A sample costs about as much as a step with a dense row,
// so that this is 1 or 2 % of the run, and the mean is as good as that of all iterates. A short run has some at any cost.
func period(total int64, cols int) int64 {
	return max(1, min(max(64, int64(cols/4)), total/16))
}

// row returns the number of the j-th row of the run.
func (r *run) row(j int) int {
	if r.only != nil {
		return int(r.only[j])
	}
	return j
}

// squaredNorms finds R^2, the mean of the rows' squared norms, the appended feature included, and returns t0. With weights
// R^2 is their mean as well. In t0 they count twice: it is lambda*t0 that a step's length is measured by, squared.
func (r *run) squaredNorms() (t0 float64) {
	var sum, steps, largest float64
	b := float64(r.cfg.BiasScale * r.cfg.BiasScale)
	for j := range r.rows {
		i := r.row(j)
		s := float64(r.data.norms[i])
		if r.weight != nil {
			w := r.weight[i]
			s = float64(s * w)
			steps += float64(w * (s + float64(w*b)))
			largest = max(largest, s+float64(w*b))
		} else {
			largest = max(largest, s+b)
		}
		sum += s
	}
	n := float64(r.rows)
	r.r2 = sum/n + b // the weights' mean is 1
	switch curvature := r.cfg.Loss.traits().curvature; {
	case r.cfg.Offset == OffsetNone:
		return 0
	case curvature > 0:
		return curvature * largest / r.lambda
	case r.weight != nil:
		return steps / n / r.lambda
	}
	return r.r2 / r.lambda
}

// segment returns the number of steps between two looks at the context.
func segment(cols int) int { return min(max(1<<24/max(cols, 1), 1024), 8192) }

// blockRows returns how many rows all classes see before the next ones are turned to, so that a row comes from the cache
// for all classes but the first (2.6 times as fast on Fashion-MNIST). With many columns, where v is long and the rows
// mostly sparse, it is v that should stay there. It has no influence on the result.
func blockRows(cols int) int { return max(32, cols/256) }

// advance trains to the end of the epoch, of the run, or to step pause. It stops early if ctx is done.
func (r *run) advance(ctx context.Context, pause int64) error {
	cols := r.data.x.Cols()
	limit, block := int64(segment(cols)), blockRows(cols)
	stretch := int64(1)
	if r.cfg.Shards > 1 { // no step from within a stretch on
		stretch = int64(stretchRows(cols, r.cfg.Shards))
		limit = max(1, limit/stretch) * stretch
	}
	for end := min(r.total, pause); r.t < end; {
		if ctx.Err() != nil {
			return nil
		}
		var idx []uint32
		var ends []int
		steps := min(limit, end-r.t)
		if stretch > 1 {
			steps = min((steps+stretch-1)/stretch*stretch, r.total-r.t)
		}
		if k := int64(r.order.Batch); k > 0 {
			idx, ends = r.order.Batches(int(min(steps, limit/k+1)))
			steps = int64(len(ends))
		} else {
			idx = r.order.Next(int(steps))
			steps = int64(len(idx))
		}
		r.readAhead(len(idx))
		r.share(func(first, end int) {
			if ends != nil {
				for _, l := range r.learners[first:end] {
					l.batches(idx, ends)
				}
				return
			}
			if end-first == 1 || stretch > 1 {
				for _, l := range r.learners[first:end] {
					l.steps(idx)
				}
				return
			}
			if g := r.newGroup(first, end); g != nil {
				g.steps(idx)
				return
			}
			for rest := idx; len(rest) > 0; {
				n := min(block, len(rest))
				for _, l := range r.learners[first:end] {
					l.steps(rest[:n])
				}
				rest = rest[n:]
			}
		})
		r.t += steps
		atEnd := r.order.AtEnd()
		if atEnd {
			r.epoch++
			r.parallel(func(k int) {
				r.learners[k].endEpoch(r.epoch)
				if r.joint == nil {
					r.problems[k].turn(r.cfg, r.epoch, r.r2)
				}
			})
		}
		for _, l := range r.learners {
			if err := l.common().err; err != nil {
				return err
			}
		}
		if atEnd {
			return nil
		}
	}
	return nil
}

// share calls f from several goroutines, with each its share of the learners: those from first to end-1.
func (r *run) share(f func(first, end int)) {
	n := len(r.learners)
	if r.threads == 1 {
		f(0, n)
		return
	}
	var wg parallel.Group
	for k := range r.threads {
		wg.Go(func() { f(k*n/r.threads, (k+1)*n/r.threads) })
	}
	wg.Wait()
}

// parallel calls f for each learner, from several goroutines.
func (r *run) parallel(f func(k int)) {
	r.share(func(first, end int) {
		for k := first; k < end; k++ {
			f(k)
		}
	})
}

// inBlocks calls f for each learner and block of the rows 0 to n-1, such that a block comes from the cache for all learners
// but the first.
func (r *run) inBlocks(n int, f func(k, from, to int)) {
	block := blockRows(r.data.x.Cols())
	r.share(func(first, end int) {
		for from := 0; from < n; from += block {
			to := min(from+block, n)
			for k := first; k < end; k++ {
				f(k, from, to)
			}
		}
	})
}

// vectors returns how many the run has.
func (r *run) vectors() (n int) {
	for _, l := range r.learners {
		n += len(l.common().vs)
	}
	return n
}

// write fills in the run's part of m.
func (r *run) write(m *Model) {
	first := r.first
	for _, l := range r.learners {
		s := l.common()
		n := len(s.vs)
		w, b := m.Weights[first:][:n], make([]float64, n)
		l.result(w, b)
		s.addPrior(w)
		for k := range b {
			if m.Bias != nil {
				m.Bias[first+k] = b[k] + s.priorBias[k]
			}
		}
		m.Result.Violations += s.violations
		m.Result.Steps = max(m.Result.Steps, s.t)
		if r.joint == nil {
			m.Result.PerClass[first] = ClassResult{
				Objective: math.NaN(), DualObjective: math.NaN(), Violations: s.violations, Steps: s.t, Lambda: r.lambda,
			}
		}
		first += n
	}
	m.Result.Epochs = max(m.Result.Epochs, float64(r.t)/float64(r.order.Steps))
}
