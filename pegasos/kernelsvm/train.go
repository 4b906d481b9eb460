package kernelsvm

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/pegasimd/pegasimd/internal/base/misuse"
	"github.com/pegasimd/pegasimd/internal/base/order"
	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/model/labels"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/pegasos"
)

// Train trains a kernel support vector machine on the rows of x with the labels y, one for each
// row. It runs Pegasos in its kernelized form (the paper's Fig. 3), then dual coordinate ascent.
// Both solve the problem of [pegasos.Train] with the hinge loss. Two labels make one problem, in
// which the larger is +1. More labels make a problem for each pair of them, or for each label
// against all others.
//
// Train returns the same kinds of errors as [pegasos.Train]: *[pegasos.RowError] for unusable data,
// *[pegasos.ConfigError] for a bad setting, *[pegasos.StepError] for numbers beyond float32. If ctx
// is done before the run ends, Train returns ctx.Err() and the model so far, whose objective, bound
// and gap are NaN.
func Train(ctx context.Context, x pegasos.Examples, y []float32, cfg Config) (*Model, error) {
	return (&Trainer{Config: cfg}).Train(ctx, x, y)
}

// DefaultCacheMB is the default size of the kernel cache, in MB of 10^6 bytes. By default there is
// no cache for rows of zeros and ones in at most 256 columns, whose kernel values are computed as
// fast as they would be read from memory: see docs/kernelised.md.
const DefaultCacheMB = 256

// wordsUncached is the largest number of 64-bit words per row of zeros and ones for which no kernel
// cache is used by default.
const wordsUncached = 4

// Trainer is a Config together with settings that do not influence the model, and with Func, which
// cannot be written to a file.
type Trainer struct {
	Config

	// Func is the kernel; required if Config.Kernel is Function, nil for all other kernels.
	Func Func

	// Threads is the number of goroutines; 0 means GOMAXPROCS. It does not influence the model.
	Threads int

	// CacheMB is the maximum size of the kernel cache in MB of 10^6 bytes. 0 means DefaultCacheMB,
	// or no cache where it would not help; below 0 there is no cache. Besides the cache a run needs
	// about 40 bytes for each row of each problem, a few MB for each goroutine, and a copy of the
	// nonzeros of sparse rows.
	CacheMB int

	// MaxMemory is the maximum number of bytes that a run may need besides the data and the kernel
	// cache; 0 means 4 GiB. The need is estimated before the run's memory is allocated; a run that
	// needs more is refused with a *[pegasos.ConfigError].
	MaxMemory int64

	// Fingerprint makes Train store a fingerprint of the rows and labels in Model.Data, for Verify.
	Fingerprint bool

	// Progress, if not nil, is called after each epoch of Pegasos, including an incomplete last
	// one, and after each pass of dual coordinate ascent.
	Progress func(Progress)
}

// Progress reports the state of a run.
type Progress struct {
	Epoch  int   // finished epochs of Pegasos, including an incomplete last one
	Pass   int   // finished passes of dual coordinate ascent
	Values int64 // kernel values computed so far, without those read from the cache

	// Objective and Gap (relative, as in Result) belong to the model that the run would return if
	// it ended now; NaN if unknown.
	Objective, Gap float64
}

// problem is the state of training one weight vector, w = sum of alpha*sign*phi(x)/scale over the
// rows x of its classes, where sign is the row's label, 1 or -1.
//
// While Pegasos runs, alpha counts a row's violations, score is <w,phi(x)> times the scale
// lambda*(t+t0), and the mean of the last iterates is maintained as follows. Let S be the running
// sum of 1/scale over the iterates to average. A violation contributes to every later iterate: if
// the sum was S_0 when the violation happened and is S at the end, it adds S - S_0 to the sum of
// the iterates. So the mean iterate has alpha (alpha*S - alphaLag)/samples, where alphaLag is the
// sum of the S_0 of the row's violations.
//
// Dual coordinate ascent starts from alpha = violations/epochs, which is in [0, 1], and has the
// scale lambda*rows.
type problem struct {
	first, second int // class indices of the labels -1 and +1; first is -1 in one-vs-rest
	// Store positions of the rows labeled -1 and +1; minus spans the whole store if first is -1,
	// and then contains plus. The slices by row below follow the order that row defines.
	minus, plus span
	rows        int // number of rows of x with the problem's classes, visited or not
	lambda, t0  float64
	r2          float64 // mean of k(x,x) over the problem's rows in the store
	t           int64   // Pegasos steps that visited a row of the problem
	violations  int64   // steps and moves that changed an alpha

	invScaleSum float64 // S, the sum of 1/scale over the iterates to average
	samples     int64   // number of iterates in invScaleSum

	score, scoreLag []float64 // by row; scoreLag is the score computed from alphaLag for alpha
	alpha, alphaLag []float64 // by row; alphaLag is nil unless iterates are averaged
	best            []float64 // alphas of the best pass of dual coordinate ascent
	alpha64         []float64 // alphas of the last float64 recomputation of scores; nil if none

	updates  []update // updates in the current block of steps
	maxDelta float64  // largest change of an alpha in the current pass
	done     bool     // dual coordinate ascent has ended: gap at most Tol, or no move is left
	err      error

	// Objective of the model so far, and the reported lower bound on the optimum; NaN if unknown.
	objective, bound float64
	factor           float64 // multiplies the iterate; below 1 if that lowers an objective above 1
	rounded          bool    // the pass's objective was above 1, so its alphas are scaled and rounded

	objectiveError  float64 // bound on the rounding error of objective
	gap             float64 // upper bound on P - D, D from the best pass's alphas; +Inf if unknown
	lower, rawLower float64 // lower bounds on the optimum: proven; ignoring rounding errors
	recomputedAt    int64   // value of violations when the scores were last recomputed in float64
	recomputations  int     // number of times the scores were recomputed in float64
}

// update is the change of one row's alpha in a step, times the row's sign.
type update struct {
	index int     // position of the row in its block
	delta float64 // change of alpha*sign
	lag   float64 // sign*invScaleSum at the update; 0 where iterates are not averaged
}

// run is one training run. A store position is the index of a row in the store, which is ordered by
// class; only the rows that the run visits are in it.
type run struct {
	cfg      Config
	f        Func
	progress func(Progress)
	threads  int

	x        pegasos.Examples
	rows     int       // number of rows of x
	classes  []float32 // labels, ascending
	sizes    []int     // number of rows of x in each class
	pos      []int32   // store position of each row of x; 0 for rows that are not visited
	classOf  []int32   // class index of the row at each store position
	groups   []span    // store positions of the rows of each class
	partial  bool      // the run has fewer steps than rows
	store    *rowStore
	caches   []*kernelCache // kernel cache of each tile; nil for no cache
	diagonal []float32      // k(x,x) of each row in the store
	norms    []float64      // |phi(x)| = sqrt(k(x,x)) of each row in the store
	maxNorm  float64        // largest of norms
	bound32  errorBound     // error bound of kernel values computed in float32
	bound64  errorBound     // error bound of kernel values computed in float64

	lambda        float64
	problems      []*problem
	classProblems [][]int // indices of the problems that use the rows of each class

	order    *order.Visits
	t, total int64        // Pegasos steps done, and to do in all
	epoch    int          // finished epochs of Pegasos, including an incomplete last one
	pass     int          // finished passes of dual coordinate ascent
	dual     bool         // dual coordinate ascent has begun
	values   atomic.Int64 // kernel values computed; see Progress.Values
	block    rowBlock
	workers  []*blockWorker
}

// Train trains a model as the function [Train] does, with the settings of tr.
func (tr *Trainer) Train(ctx context.Context, x pegasos.Examples, y []float32) (*Model, error) {
	misuse.Context(ctx)
	r, err := newRun(tr, x, y)
	if err != nil {
		return nil, err
	}
	stopped, err := r.solve(ctx)
	if err != nil {
		return nil, err
	}
	m, err := r.model(!stopped)
	if err != nil {
		return m, err
	}
	if stopped {
		return m, ctx.Err()
	}
	if tr.Fingerprint {
		m.Data = fingerprint(x, y, r.threads, func() bool { return false })
	}
	return m, nil
}

const (
	maxRows     = math.MaxInt32
	maxProblems = 1 << 16
)

func newRun(tr *Trainer, x pegasos.Examples, y []float32) (*run, error) {
	if err := tr.Config.Validate(); err != nil {
		return nil, err
	}
	if err := options.First(fieldError, []options.Rule{
		options.Range("Threads", tr.Threads, 0, math.MaxInt, "0 or more"),
		options.Range("MaxMemory", tr.MaxMemory, 0, math.MaxInt64, "0 or more"),
		options.Not("Func", (tr.Func != nil) != (tr.Kernel == Function),
			"must be set if Kernel is %q, and only then", Function),
	}); err != nil {
		return nil, err
	}
	if err := cmp.Or(tr.checkColumns(x), store.CheckLabels(x, y, 31)); err != nil {
		return nil, err
	}
	r := &run{cfg: tr.Config, f: tr.Func, x: x, rows: x.Rows(), progress: tr.Progress,
		threads: parallel.Threads(tr.Threads)}
	if r.partial = r.cfg.Steps != 0 && r.cfg.Steps < int64(r.rows); r.partial {
		if r.cfg.Finish == pegasos.FinishDual {
			return nil, badField("Finish", "have %q, want %q: %d steps do not visit all of %d rows",
				pegasos.FinishDual, pegasos.FinishNone, r.cfg.Steps, r.rows)
		}
		r.cfg.Finish = pegasos.FinishNone
	}
	r.cfg = r.cfg.WithDefaults()
	classes, class, err := labels.Classify(y, nil, nil, func(row int, reason string) error {
		return &pegasos.RowError{Row: row, Reason: reason}
	})
	if err != nil {
		return nil, err
	}
	r.classes = classes
	if r.lambda, err = r.cfg.lambda(float64(r.rows)); err != nil {
		return nil, err
	}
	r.order = order.New(string(r.cfg.Order), r.rows, 0, 0, r.cfg.Seed)
	if r.total = r.cfg.Steps; r.total == 0 {
		r.total = int64(r.cfg.Epochs) * int64(r.rows)
	}
	if err := r.checkMemory(tr.MaxMemory); err != nil {
		return nil, err
	}
	if err := r.arrange(class, tr.CacheMB); err != nil {
		return nil, err
	}
	return r, r.setUp()
}

// checkColumns returns an error if x.Cols() is negative or too large, or if vectors of that length
// need more memory than MaxMemory.
func (tr *Trainer) checkColumns(x pegasos.Examples) error {
	if err := store.CheckExamples(x); err != nil {
		return err
	}
	what := fmt.Sprintf("vectors of %d features", x.Cols())
	most := cmp.Or(tr.MaxMemory, options.Allowed)
	return options.First(fieldError,
		[]options.Rule{options.Memory(most, store.MinMemory(x), what)})
}

// stateSize is the approximate number of bytes that each class needs in each of its problems, apart
// from the memory of its rows.
const stateSize = 320

// checkMemory returns an error if the estimated memory of the run's problems, without the data and
// the kernel cache, exceeds limit bytes, or 4 GiB if limit is 0. It must be called before that
// memory is allocated.
func (r *run) checkMemory(limit int64) error {
	n, rows := float64(len(r.classes)), float64(r.rows)
	problems, states, visited := n, n*n, n*rows // one-vs-rest
	if r.cfg.pairs(len(r.classes)) {
		problems, states, visited = n*(n-1)/2, n*(n-1), (n-1)*rows
	}
	perRow := 28. // bytes: score, alpha, the model's coefficient in float64 and in float32
	switch {
	case r.cfg.Finish != pegasos.FinishNone:
		perRow += 8 // bytes of the best pass's alpha
	case r.cfg.Average == pegasos.LastHalf:
		perRow += 16 // bytes of scoreLag and alphaLag
	}
	what := fmt.Sprintf("%.0f problems, which have %.3g rows in all,", problems, visited)
	return options.First(fieldError,
		[]options.Rule{options.Memory(limit, states*stateSize+visited*perRow, what)})
}

// lambda returns the weight of the penalty for a problem of the given number of rows, or an error
// if C makes that weight unusable.
func (cfg Config) lambda(rows float64) (float64, error) {
	lambda, rule := options.LambdaFor(cfg.Lambda, cfg.C, rows)
	return lambda, options.First(fieldError, []options.Rule{rule})
}

// arrange builds the row store: it orders the rows that the run will visit by class, sets the
// default gamma, checks the kernel's diagonal, computes the error bounds of kernel values and
// creates the caches. class has the class index of each row of x.
func (r *run) arrange(class []int32, cacheMB int) error {
	visited := r.visited()
	slices.SortStableFunc(visited, func(i, j int32) int { return int(class[i] - class[j]) })
	counts := r.group(class, visited)
	m, at := store.MatrixFrom(r.x, visited)
	if r.cfg.hasGamma() {
		options.Fill(&r.cfg.Gamma, defaultGamma(r.cfg.Kernel, m, at))
	}
	r.store = newStore(r.cfg.function(r.f), m, at, counts, false)
	if err := store.Of(r.x).Err(); err != nil {
		return fmt.Errorf("pegasos: %w", err)
	}
	r.diagonal = make([]float32, len(visited))
	if bad := r.store.diagonal(r.diagonal); bad >= 0 {
		return &pegasos.RowError{Row: int(visited[bad]), Scale: true,
			Reason: "a value is NaN or infinite, or too large for the kernel in float32"}
	}
	if g := r.cfg.Gamma; r.cfg.hasGamma() && !(g >= minGamma && g <= maxGamma) {
		return &pegasos.RowError{Row: int(visited[0]), Scale: true,
			Reason: fmt.Sprintf("the rows are too large or too small for float32: gamma would be "+
				"%.3g, 1 over their mean squared length", g)}
	}
	r.norms = make([]float64, len(r.diagonal))
	for p, v := range r.diagonal {
		r.norms[p] = math.Sqrt(max(0, float64(v)))
	}
	r.maxNorm = slices.Max(r.norms)
	largest := float64(r.maxNorm * r.maxNorm)
	r.bound32, r.bound64 = r.store.errorBound32(largest), r.store.errorBound64(largest)
	if most := slices.Max(r.store.squares); r.cfg.Kernel == Linear && most > 0 && most < 0x1p-120 {
		return &pegasos.RowError{Row: int(visited[0]), Scale: true,
			Reason: "the values of all rows are too small for float32; scale the rows"}
	}
	if err := options.First(fieldError, []options.Rule{
		options.LambdaFits(r.lambda, r.cfg.C, largest)}); err != nil {
		return err
	}
	r.makeCaches(cacheMB)
	return nil
}

// visited returns the rows that the run will visit, ascending. If the run has fewer steps than
// rows, it replays the visiting order to find them.
func (r *run) visited() []int32 {
	visited, known := make([]int32, 0, r.rows), make([]bool, r.rows)
	trial := order.New(string(r.cfg.Order), r.rows, 0, 0, r.cfg.Seed)
	for t := int64(0); r.partial && t < r.total; {
		for _, i := range trial.Next(int(r.total - t)) {
			known[i] = true
			t++
		}
	}
	for i, known := range known {
		if known || !r.partial {
			visited = append(visited, int32(i))
		}
	}
	return visited
}

// group records the number of rows of x in each class, and the class, store position and span of
// the visited rows, which are ordered by class. It returns the number of visited rows of each
// class.
func (r *run) group(class, visited []int32) []int {
	r.sizes = make([]int, len(r.classes))
	for _, c := range class {
		r.sizes[c]++
	}
	r.pos, r.classOf = make([]int32, r.rows), make([]int32, len(visited))
	counts := make([]int, len(r.classes))
	for p, i := range visited {
		r.pos[i], r.classOf[p] = int32(p), class[i]
		counts[class[i]]++
	}
	start := 0
	for _, n := range counts {
		r.groups = append(r.groups, span{start, start + n})
		start += n
	}
	return counts
}

// makeCaches creates a kernel cache for each tile. All caches together hold at most cacheMB MB of
// kernel values; cacheMB has the special values of Trainer.CacheMB.
func (r *run) makeCaches(cacheMB int) {
	if cacheMB == 0 && (r.store.words == nil || r.store.width > wordsUncached) {
		cacheMB = DefaultCacheMB
	}
	all := int64(len(r.classOf))
	rows := int64(min(cacheMB, 1<<30)) * 1e6 / 4 / all
	if rows <= 0 {
		return
	}
	for _, tile := range r.store.tiles {
		r.caches = append(r.caches, newCache(tile.end-tile.start, int(min(rows, all))))
	}
}

// defaultGamma returns 1 over the mean squared norm of the rows of m whose indices are in at, so
// that the kernel does not depend on the scale of the data. For RBF, which does not depend on a
// shift of the data either, the rows are centered first. It returns 1 if the mean is 0 or not
// finite.
func defaultGamma(kernel Kernel, m store.Matrix, at []int32) float64 {
	n := float64(len(at))
	mean := make([]float64, m.Cols())
	if kernel == RBF {
		eachValue(m, at, func(j int, v float64) { mean[j] += v / n })
	}
	var sum float64
	absent := make([]int, len(mean)) // number of rows without a stored value, by column
	for j := range absent {
		absent[j] = len(at)
	}
	eachValue(m, at, func(j int, v float64) {
		d := v - mean[j]
		sum += float64(d * d)
		absent[j]--
	})
	for j, k := range absent {
		sum += float64(float64(k) * float64(mean[j]*mean[j]))
	}
	if !(sum > 0 && sum <= math.MaxFloat64) {
		return 1 // the rows are equal, or a row is not finite and will be refused
	}
	return n / sum
}

// eachValue calls f for every stored value of the rows of m whose indices are in at.
func eachValue(m store.Matrix, at []int32, f func(column int, value float64)) {
	for _, i := range at {
		index, values := m.Row(int(i))
		for k, v := range values {
			f(int(column(index, k)), float64(v))
		}
	}
}

// setUp creates the problems, one for each pair of classes or for each class, and the workers.
func (r *run) setUp() error {
	n := len(r.classes)
	if r.cfg.problems(n) > maxProblems {
		return badField("Multiclass", "%d classes make %d pairs, want %d at most: use %q",
			n, n*(n-1)/2, maxProblems, pegasos.OneVsRest)
	}
	for c := range n {
		r.classProblems = append(r.classProblems, make([]int, r.cfg.slots(n)))
		for slot := range r.classProblems[c] {
			r.classProblems[c][slot] = r.cfg.problem(n, c, slot)
		}
		for b := c + 1; b < n && r.cfg.pairs(n); b++ {
			r.problems = append(r.problems, &problem{first: c, second: b})
		}
		if !r.cfg.pairs(n) {
			r.problems = append(r.problems, &problem{first: -1, second: c})
		}
	}
	for _, p := range r.problems {
		r.addRows(p)
		p.objective, p.bound, p.factor, p.lambda = math.NaN(), math.NaN(), 1, r.lambda
		if p.first >= 0 && n > 2 && r.cfg.C != 0 {
			var err error
			if p.lambda, err = r.cfg.lambda(float64(p.rows)); err != nil {
				return err
			}
		}
		if r.cfg.Offset == pegasos.OffsetR2 {
			p.t0 = max(0, p.r2) / p.lambda
		}
	}
	for range r.threads {
		r.workers = append(r.workers, new(blockWorker))
	}
	return nil
}

// addRows sets the spans of a problem's rows and allocates their state.
func (r *run) addRows(p *problem) {
	p.minus, p.plus, p.rows = span{0, len(r.classOf)}, r.groups[p.second], r.rows
	size := p.minus.end
	if p.first >= 0 {
		p.minus, p.rows = r.groups[p.first], r.sizes[p.first]+r.sizes[p.second]
		size = p.minus.end - p.minus.start + p.plus.end - p.plus.start
	}
	p.score, p.alpha = make([]float64, size), make([]float64, size)
	if r.cfg.Finish == pegasos.FinishNone && r.cfg.Average == pegasos.LastHalf {
		p.scoreLag, p.alphaLag = make([]float64, size), make([]float64, size)
	}
	for i := range size {
		pos, _ := p.row(i)
		p.r2 += float64(r.diagonal[pos])
	}
	p.r2 /= float64(max(1, size))
}

// row returns the store position of a problem's row i, and its label, 1 or -1.
func (p *problem) row(i int) (pos int, sign float64) {
	if pos = p.minus.start + i; pos >= p.minus.end {
		pos += p.plus.start - p.minus.end
	}
	if p.plus.has(pos) {
		return pos, 1
	}
	return pos, -1
}

// find is the inverse of row: it returns the problem's index of the row at store position pos and
// its label, or -1 and 0 if the row does not belong to the problem.
func (p *problem) find(pos int) (i int, sign float64) {
	switch {
	case p.plus.has(pos) && p.first < 0:
		return pos, 1
	case p.plus.has(pos):
		return pos - p.plus.start + p.minus.end - p.minus.start, 1
	case p.minus.has(pos):
		return pos - p.minus.start, -1
	}
	return -1, 0
}

// scale returns lambda*(t+t0). Divided by it, the scores and alphas of Pegasos are scores and
// coefficients of w, up to sign.
func (p *problem) scale() float64 { return float64(p.lambda * (float64(p.t) + p.t0)) }

// solve runs the Pegasos steps and, unless Finish is none, dual coordinate ascent. It returns
// early, with stopped set, once ctx is done.
func (r *run) solve(ctx context.Context) (stopped bool, err error) {
	for r.t < r.total {
		if ctx.Err() != nil {
			return true, nil
		}
		// A block never crosses the middle of the run, where averaging begins.
		limit := r.total - r.t
		if r.t < r.total/2 {
			limit = r.total/2 - r.t
		}
		idx := r.order.Next(int(min(limit, blockRows)))
		if err := r.takeSteps(idx, 0); err != nil {
			return false, err
		}
		if end := r.order.AtEnd(); end || r.t == r.total {
			r.epoch++
			r.nextPass()
			if !r.partial {
				r.each(func(k int) { r.measureSteps(r.problems[k]) })
			}
			r.report()
		}
	}
	if r.cfg.Finish == pegasos.FinishNone {
		return false, nil
	}
	return r.dualAscent(ctx)
}

// dualAscent runs passes of dual coordinate ascent until every problem is done or Passes is
// reached. A pass skips moves shorter than its threshold, which halves from pass to pass: a short
// move costs the same kernel values as a long one, and early short moves are mostly reverted soon.
// The threshold falls below Tol/100 (see initialThreshold for the unit) only if a pass with that
// threshold made no move in a problem that is not done.
func (r *run) dualAscent(ctx context.Context) (stopped bool, err error) {
	r.beginDual()
	least := r.cfg.Tol / 100
	for threshold := initialThreshold; r.pass < r.cfg.Passes; threshold = max(threshold/2, least) {
		if !slices.ContainsFunc(r.problems, func(p *problem) bool { return !p.done }) {
			break
		}
		for _, p := range r.problems {
			p.maxDelta = 0
		}
		for done := 0; done < r.rows; {
			if ctx.Err() != nil {
				return true, nil
			}
			idx := r.order.Next(blockRows)
			if err := r.takeSteps(idx, threshold); err != nil {
				return false, err
			}
			done += len(idx)
		}
		r.pass++
		r.nextPass()
		r.each(func(k int) { r.measureDual(r.problems[k]) })
		if r.endPass(ctx, threshold <= minThreshold); ctx.Err() != nil {
			return true, nil
		}
		r.report()
		for _, p := range r.problems {
			if !p.done && p.maxDelta == 0 && threshold == least {
				least = max(least/8, minThreshold)
			}
		}
	}
	return false, nil
}

// initialThreshold is the shortest move made in the first pass, as a fraction of min(1,
// dualScale/k(x,x)), the length of a move of a row with score 0 and alpha 0. The ascent of a
// problem ends with a pass without moves whose threshold is at most minThreshold, in the same unit.
const (
	initialThreshold = 0.25
	minThreshold     = 0x1p-40
)

func (r *run) nextPass() {
	for _, c := range r.caches {
		c.pass++
	}
}

// beginDual turns the alphas and scores of Pegasos into feasible dual variables and their scores.
// The first model of dual coordinate ascent is w = 0 or, if its objective is lower, the model of
// these alphas.
func (r *run) beginDual() {
	r.dual = true
	for _, p := range r.problems {
		each := p.alphaPerViolation(r.epoch)
		for i := range p.score {
			p.score[i] *= each
			p.alpha[i] *= each
		}
		p.best = make([]float64, len(p.alpha))
	}
	r.each(func(k int) {
		p := r.problems[k]
		p.objective, p.objectiveError, p.gap = 1, 0, math.Inf(1)
		r.measureDual(p)
	})
}

// dualScale returns lambda*rows. Divided by it, the scores and alphas of dual coordinate ascent are
// scores and coefficients of w, up to sign.
func (p *problem) dualScale() float64 { return float64(p.lambda * float64(p.rows)) }

// alphaPerViolation returns the dual variable that one violation counts for after the given number
// of epochs: 1/epochs, rounded down to few enough bits that the coefficients of all possible
// violation counts are exact in float32.
func (p *problem) alphaPerViolation(epochs int) float64 {
	scale := p.dualScale()
	c := math.Float32bits(float32(1 / (float64(epochs) * scale)))
	c &^= 1<<bits.Len(uint(epochs)) - 1
	if float64(math.Float32frombits(c))*float64(epochs)*scale > 1 {
		c -= 1 << bits.Len(uint(epochs))
	}
	return float64(math.Float32frombits(c)) * scale
}

// roundAlpha returns an alpha near a, at most 1, whose coefficient alpha/scale is a float32 number,
// so that the model that is written is the one that was measured.
func roundAlpha(a, scale float64) float64 {
	c := float32(a / scale)
	if float64(c)*scale > 1 {
		c = math.Nextafter32(c, 0)
	}
	return float64(c) * scale
}

func (r *run) report() {
	if r.progress == nil {
		return
	}
	res := r.result()
	r.progress(Progress{Epoch: r.epoch, Pass: r.pass, Values: r.values.Load(),
		Objective: res.Objective, Gap: res.Gap})
}

// each calls f for the index of every problem, from up to r.threads goroutines at a time.
func (r *run) each(f func(k int)) {
	parallel.For(r.threads, len(r.problems), func(_, k int) { f(k) })
}
