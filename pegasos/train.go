package pegasos

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/pegasimd/pegasimd/dense"
)

// Examples are the rows of the data. *dense.Matrix and *sparse.Matrix have these methods. They may be called from
// several goroutines at a time. If they have a method Err() error as well, training asks it once it has met all rows,
// before the first step, and fails with its error: see [sparse.Lazy].
type Examples interface {
	Rows() int
	Cols() int
	// Dot returns the dot product of row i and w, which has Cols elements.
	Dot(i int, w []float32) float32
	// Axpy adds a times row i to w, which has Cols elements.
	Axpy(i int, a float32, w []float32)
	// SumSquares returns the squared Euclidean norm of row i.
	SumSquares(i int) float32
}

// Train trains a model on the rows of x with the labels y. Two labels make one problem, in which the larger is +1; more
// make one a label, against all others. With the loss EpsInsensitive the labels are numbers to predict.
//
// Data that can't be used give a *[RowError] that names the row, a bad setting a *[ConfigError]. If ctx is done before
// the run is over, Train returns the model it has got so far along with ctx.Err(); with any other error the model is nil.
// A model's weights are always finite.
func Train(ctx context.Context, x Examples, y []float32, cfg Config) (*Model, error) {
	return (&Trainer{Config: cfg}).Train(ctx, x, y)
}

// A Trainer is a Config along with what has no influence on the model.
type Trainer struct {
	Config

	// Threads is the number of goroutines to train the classes of one-vs-rest with; 0 means GOMAXPROCS. A problem of two
	// classes is trained by one.
	Threads int

	// Weights, if not nil, has a weight for each row: 0, or 1e-15 to 1e15. It multiplies that of the row's class. A weight of
	// 2 is the same problem as having the row twice; a row of weight 0 is as if it were not there. What is minimised is
	//
	//	lambda/2 |w|^2 + sum of weight*loss / sum of weights
	//
	// A step with a row takes its weight, over the mean of all, as a factor.
	Weights []float32

	// Start, if not nil, is a model to go on from: its weights are the first w, and t counts on from its Result.Steps, so that
	// the steps are small from the first one on. Epochs and Steps are those of this run. Its result is not the same as that
	// of one long run. Features that it lacks have the weight 0. The labels must be among its classes.
	Start *Model

	// Prior, if not nil, is a model that the result should not be far from: the penalty is lambda/2 |w - w0|^2, where w0
	// are its weights, and so with the appended feature's. Without Start the run starts at w0. Its bias is kept if Bias is
	// BiasNone. Features and labels are as in Start.
	Prior *Model

	// Progress, if not nil, is called after each epoch and at the end of the run.
	Progress func(Progress)
}

// Progress tells how far a run is.
type Progress struct {
	Epoch      int   // epochs done; the last may be cut short
	Steps      int64 // steps done
	TotalSteps int64 // steps of the whole run
	Violations int64 // steps so far that changed the weights, over all classes

	run *run
}

// Measure returns how good the model would be if the run ended here. It takes about a pass over the rows, which is why
// it is not done unasked. It must not be called after the callback has returned.
func (p Progress) Measure() Result {
	m := p.run.model()
	p.run.measure(m)
	return m.Result
}

// Train is like the function of that name.
func (tr *Trainer) Train(ctx context.Context, x Examples, y []float32) (*Model, error) {
	if tr.Config.Bias == BiasOuter {
		return tr.outer(ctx, x, y)
	}
	r, err := newRun(x, y, tr)
	if err != nil {
		return nil, err
	}
	m, stopped, err := r.finish(ctx)
	if stopped {
		err = ctx.Err()
	}
	return m, err
}

// finish trains to the end and returns the model, measured, or that of the moment in which ctx was done.
func (r *run) finish(ctx context.Context) (m *Model, stopped bool, err error) {
	if stopped, err = r.train(ctx); err != nil {
		return nil, false, err
	}
	m = r.model()
	if m.check() != nil {
		return nil, false, &StepError{r.t, -1, "a weight is not finite: " + tooLarge}
	}
	if stopped {
		return m, true, nil
	}
	r.measure(m)
	if v := m.Result.Objective; v-v != 0 {
		return nil, false, &StepError{r.t, -1, "the objective is not finite: " + tooLarge}
	}
	return m, false, nil
}

const tooLarge = "the rows are too large for float32, or lambda too small; scale the rows"

// A run is a training run on its way.
type run struct {
	cfg       Config // defaults filled in
	x         Examples
	rows      int // in an epoch
	classes   []float32
	known     []float32 // the classes of Start and Prior; nil if there are none
	prior     string    // its hash
	priorBias bool      // it has one
	weight    []float64 // of each row, with a mean of 1; nil if all weigh the same
	sum       float64   // of the weights as they were given, or 0
	only      []uint32  // the rows with a weight above 0; nil for all
	lambda    float64
	r2        float64
	t, total  int64
	epoch     int
	look      int // the epoch after which the gap is to be found next
	order     *order
	problems  []*problem
	threads   int
	progress  func(Progress)
}

func newRun(x Examples, y []float32, tr *Trainer) (*run, error) {
	if err := tr.Config.Validate(); err != nil {
		return nil, err
	}
	if tr.Threads < 0 {
		return nil, badField("Threads", "have %d, want 0 or more", tr.Threads)
	}
	cfg := tr.Config.WithDefaults()
	if cfg.Bias != BiasAugmented {
		cfg.BiasScale = 0 // 1 was allowed
	}
	r := &run{cfg: cfg, x: x, rows: x.Rows(), threads: tr.Threads, progress: tr.Progress}
	if r.rows == 0 {
		return nil, fmt.Errorf("pegasos: no rows to train on")
	}
	if len(y) != r.rows {
		return nil, fmt.Errorf("pegasos: %d labels for %d rows", len(y), r.rows)
	}
	if uint64(r.rows) > math.MaxUint32 {
		return nil, fmt.Errorf("pegasos: %d rows: want fewer than 2^32", r.rows)
	}
	if err := r.weigh(y, tr.Weights); err != nil {
		return nil, err
	}
	prior, err := r.fits(tr.Prior, "Prior")
	if err != nil {
		return nil, err
	}
	start, err := r.fits(tr.Start, "Start")
	if err != nil {
		return nil, err
	}
	if start != nil && (start.Result.Steps < 0 || start.Result.Steps > maxSteps) {
		return nil, badField("Start", "the model has taken %d steps, want 0 to 2^53", start.Result.Steps)
	}
	if prior != nil {
		r.prior, r.priorBias = tr.Prior.Hash(), prior.Bias != nil
	}
	var class []int32
	var target []float32
	first, n := int32(0), 1
	if cfg.Loss.Regression() {
		if err := checkTargets(y); err != nil {
			return nil, err
		}
		target = y
	} else {
		if r.classes, class, err = classify(y, r.weight, r.known); err != nil {
			return nil, err
		}
		if n = len(r.classes); n == 2 {
			first, n = 1, 1 // the larger label is +1
		}
		if cfg.ClassWeight == Balanced {
			r.balance(class, len(r.classes))
		}
	}
	sum, err := r.normalise()
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
	r.order = newOrder(cfg.Order, r.rows, cfg.Block, cfg.Batch, cfg.Seed)
	r.order.only = r.only
	if r.total, err = cfg.steps(r.order.steps); err != nil {
		return nil, err
	}
	t0, err := r.squaredNorms()
	if lazy, ok := x.(interface{ Err() error }); ok && lazy.Err() != nil {
		return nil, fmt.Errorf("pegasos: %w", lazy.Err())
	}
	if err != nil {
		return nil, err
	}
	for k := range n {
		p := &problem{
			x: x, cost: cfg.cost(), weight: r.weight, class: class, k: first + int32(k), target: target,
			lambda: r.lambda, t0: t0, biasScale: cfg.BiasScale, factor: 1,
			v:     make([]float32, x.Cols()),
			total: r.total, period: period(r.total, x.Cols()),
		}
		if cfg.Average == LastHalf {
			p.avg = newSuffix(r.total, x.Cols())
		}
		if cfg.Order != IID { // each row once an epoch
			p.recent = newRecent(r.total, r.rows, r.order.steps, x.Rows())
		}
		if prior != nil {
			if err := p.setPrior(prior, k); err != nil {
				return nil, err
			}
		}
		if start != nil {
			if err := p.setStart(start, k); err != nil {
				return nil, err
			}
		}
		if cfg.Project {
			p.radius = math.Sqrt(p.lossAtZero() / p.lambda)
		}
		r.problems = append(r.problems, p)
	}
	if r.threads == 0 {
		r.threads = runtime.GOMAXPROCS(0)
	}
	r.threads = min(r.threads, n)
	return r, nil
}

// period returns the number of steps between two samples of w. A sample costs about as much as a step with a dense row,
// so that this is 1 or 2 % of the run, and the mean is as good as that of all iterates. A short run has some at any cost.
func period(total int64, cols int) int64 {
	return max(1, min(max(64, int64(cols/4)), total/16))
}

const maxClasses = 1 << 16

// classify returns the distinct labels, ascending, and for each row the position of its label among them. Rows of weight 0
// have none; weight may be nil.
// If the classes are known, the labels have to be among them.
func classify(y []float32, weight []float64, known []float32) (classes []float32, class []int32, err error) {
	for i, v := range y {
		if v-v != 0 {
			return nil, nil, &RowError{i, fmt.Sprintf("the label is %v, want a finite number", v)}
		}
		if weight != nil && weight[i] == 0 {
			continue
		}
		if known != nil {
			if _, found := slices.BinarySearch(known, v); !found {
				return nil, nil, unknownLabel(i, v, known)
			}
			continue
		}
		if at, found := slices.BinarySearch(classes, v); !found {
			if len(classes) == maxClasses {
				return nil, nil, &RowError{i, fmt.Sprintf("more than %d distinct labels: are they numbers to predict?", maxClasses)}
			}
			classes = slices.Insert(classes, at, v+0) // +0: a class is never -0
		}
	}
	if known != nil {
		classes = known
	}
	if len(classes) == 1 {
		return nil, nil, fmt.Errorf("pegasos: all %d rows have the label %v: want two or more classes", len(y), classes[0])
	}
	class = make([]int32, len(y))
	for i, v := range y {
		at, found := slices.BinarySearch(classes, v)
		if !found {
			at = -1
		}
		class[i] = int32(at)
	}
	return classes, class, nil
}

func checkTargets(y []float32) error {
	for i, v := range y {
		if v-v != 0 {
			return &RowError{i, fmt.Sprintf("the label is %v, want a finite number", v)}
		}
	}
	return nil
}

// squaredNorms finds R^2, the mean of the rows' squared norms, the appended feature included, and returns t0. With weights
// R^2 is their mean as well. In t0 they count twice: it is lambda*t0 that a step's length is measured by, squared.
func (r *run) squaredNorms() (t0 float64, err error) {
	var sum, steps, largest float64
	b := float64(r.cfg.BiasScale * r.cfg.BiasScale)
	for i := range r.x.Rows() {
		s := float64(r.x.SumSquares(i))
		if s-s != 0 {
			return 0, &RowError{i, "a value is NaN or infinite, or too large to be squared in float32"}
		}
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
	switch {
	case r.cfg.Offset == OffsetNone:
		return 0, nil
	case r.cfg.Loss == SquaredHinge:
		return 2 * largest / r.lambda, nil
	case r.weight != nil:
		return steps / n / r.lambda, nil
	}
	return r.r2 / r.lambda, nil
}

// segment returns the number of steps between two looks at the context.
func segment(cols int) int { return min(max(1<<24/max(cols, 1), 1024), 8192) }

// blockRows returns how many rows all classes see before the next ones are turned to, so that a row comes from the cache
// for all classes but the first (2.6 times as fast on Fashion-MNIST). With many columns, where v is long and the rows
// mostly sparse, it is v that should stay there. It has no influence on the result.
func blockRows(cols int) int { return max(32, cols/256) }

// train runs to the end, or until ctx is done: then it is stopped.
func (r *run) train(ctx context.Context) (stopped bool, err error) {
	limit, block := int64(segment(r.x.Cols())), blockRows(r.x.Cols())
	for r.t < r.total {
		if ctx.Err() != nil {
			return true, nil
		}
		var idx []uint32
		var ends []int
		steps := min(limit, r.total-r.t)
		if k := int64(r.order.batch); k > 0 {
			idx, ends = r.order.batches(int(min(steps, limit/k+1)))
			steps = int64(len(ends))
		} else {
			idx = r.order.next(int(steps))
			steps = int64(len(idx))
		}
		r.parallel(func(first, step int) {
			if ends != nil {
				for k := first; k < len(r.problems); k += step {
					r.problems[k].batches(idx, ends)
				}
				return
			}
			if step >= len(r.problems) {
				r.problems[first].steps(idx)
				return
			}
			for rest := idx; len(rest) > 0; {
				n := min(block, len(rest))
				for k := first; k < len(r.problems); k += step {
					r.problems[k].steps(rest[:n])
				}
				rest = rest[n:]
			}
		})
		r.t += steps
		end := r.order.atEnd()
		if end {
			r.epoch++
			r.parallel(func(first, step int) {
				for k := first; k < len(r.problems); k += step {
					r.problems[k].endEpoch(r.epoch)
				}
			})
		}
		for _, p := range r.problems {
			if p.err != nil {
				return false, p.err
			}
		}
		enough := end && r.cfg.Tol > 0 && r.t < r.total && r.within(r.cfg.Tol)
		if r.progress != nil && (end || r.t == r.total) {
			pr := Progress{Epoch: r.epoch, Steps: r.t, TotalSteps: r.total, run: r}
			if !end {
				pr.Epoch++
			}
			for _, p := range r.problems {
				pr.Violations += p.violations
			}
			r.progress(pr)
		}
		if enough {
			break
		}
	}
	return false, nil
}

// within reports whether the gap is known to be at most tol. It is not looked at after each epoch.
func (r *run) within(tol float64) bool {
	if r.epoch < r.look {
		return false
	}
	r.look = r.epoch + max(1, r.epoch/4)
	m := r.model()
	r.measure(m)
	return m.Result.Gap <= tol
}

// parallel calls f from several goroutines, with each its share of the problems: first, first+step, ...
func (r *run) parallel(f func(first, step int)) {
	if r.threads == 1 {
		f(0, 1)
		return
	}
	var wg sync.WaitGroup
	for first := range r.threads {
		wg.Go(func() { f(first, r.threads) })
	}
	wg.Wait()
}

// model returns the model of this moment, not yet measured.
func (r *run) model() *Model {
	nan := math.NaN()
	m := &Model{
		Classes: slices.Clone(r.classes),
		Lambda:  r.lambda,
		Config:  r.cfg,
		Prior:   r.prior,
		Result: Result{
			Steps: r.problems[0].start + r.t, Epochs: float64(r.t) / float64(r.order.steps),
			Weight: r.sum, R2: r.r2, T0: r.problems[0].t0,
			Objective: nan, DualObjective: nan, Gap: nan,
		},
	}
	w := dense.New(len(r.problems), r.x.Cols()) // its rows start on a cache line
	for k, p := range r.problems {
		m.Weights = append(m.Weights, w.Row(k))
		b := p.weights(w.Row(k))
		p.addPrior(w.Row(k))
		if p.biasScale != 0 || r.priorBias {
			m.Bias = append(m.Bias, b+p.priorBias)
		}
		m.Result.Violations += p.violations
		m.Result.PerClass = append(m.Result.PerClass, ClassResult{nan, nan, p.violations})
	}
	return m
}
