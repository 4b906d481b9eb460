package kernelsvm

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/pegasimd/pegasimd/internal/labels"
	"github.com/pegasimd/pegasimd/internal/misuse"
	"github.com/pegasimd/pegasimd/internal/options"
	"github.com/pegasimd/pegasimd/internal/order"
	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/pegasos"
)

// Train trains a kernel machine on the rows of x with the labels y: the paper's Fig. 3, on the
// problem of [pegasos.Train] with the hinge loss, in which a kernel of rows stands in for their
// inner product. Two labels make one problem, in which the larger is +1; more make one for each
// pair of them, or one a label against all others.
//
// Errors are those of [pegasos.Train]. If ctx is done before the run is over, the model is the one
// it has got so far.
func Train(ctx context.Context, x pegasos.Examples, y []float32, cfg Config) (*Model, error) {
	return (&Trainer{Config: cfg}).Train(ctx, x, y)
}

// DefaultCacheMB is the size of the cache of kernel values. There is none for rows of zeros and
// ones in up to wordsUncached times 64 columns, whose values are computed as fast as they come from
// memory: see docs/kernelised.md.
const DefaultCacheMB = 256

const wordsUncached = 4

// A Trainer is a Config along with what has no influence on the model, or can't be printed.
type Trainer struct {
	Config

	// Func is the kernel if Config.Kernel is Function, and nil otherwise.
	Func Func

	// Threads is the number of goroutines; 0 means GOMAXPROCS.
	Threads int

	// CacheMB is the most memory, in MB of 10^6 bytes, for kernel values that may be needed again:
	// 0 means DefaultCacheMB, or none where it would be of no use; below 0 there is none. Beside it
	// a run takes some 40 bytes for each row and each problem that the row is part of, a few MB for
	// each thread, and the nonzeros of sparse rows again.
	CacheMB int

	// MaxMemory is the most bytes that a run may take beside the data and the cache; 0 means 4 GiB.
	// The need is estimated before anything is allocated.
	MaxMemory int64

	// Fingerprint makes Train put a fingerprint of the data into Model.Data.
	Fingerprint bool

	// Progress, if not nil, is called after each epoch and each pass of the finish, and at the end
	// of the run.
	Progress func(Progress)
}

// Progress tells how far a run is.
type Progress struct {
	Epoch  int   // epochs of Pegasos done; the last may be cut short
	Pass   int   // passes of the finish done
	Values int64 // kernel values computed so far: cached ones are counted once

	// Objective and Gap are those of the model if the run ended here; NaN if they are not known.
	Objective, Gap float64
}

// A problem is the training of one weight vector, w = sum of alpha*sign*phi(x)/scale.
//
// While Pegasos runs, alpha is the number of the row's violations, score is y's score times the
// scale lambda*(t+t0), and the mean over the last iterates is had as follows. Let S be the sum,
// over the iterates to be averaged so far, of one over their scale. A violation adds to every later
// iterate; when the sum is S_1 in the end and was S_0 when it happened, it has added S_1 - S_0 to
// their sum. So the mean's alpha is (alpha*S - late)/samples, late being the sum of the S_0.
//
// The finish starts from alpha = violations/epochs, which lie in [0, 1], and has the scale
// lambda*rows.
type problem struct {
	first, second int // its classes, by position; first is -1 if it is all but the second
	// The rows of its classes in the store; those of minus are all if first is -1. The state has
	// them in this order: see row.
	minus, plus span
	rows        int
	lambda, t0  float64
	r2          float64
	t           int64
	violations  int64

	invScaleSum float64 // S
	samples     int64

	score, scoreLag []float64
	alpha, alphaLag []float64
	best            []float64 // the alphas of the finish's best pass
	alpha64         []float64 // those of scores that were found in float64

	updates  []update // of the present block
	maxDelta float64  // the longest move of the pass
	done     bool     // its gap is small enough, or there is nothing left to do
	err      error

	objective, bound float64 // of the best iterate, and the best there is; NaN for not known
	factor           float64 // that the iterate is multiplied by in the model: 1, or less
	rounded          bool    // its coefficients are rounded in the finish too

	// How the bound came about: how far the objective may be off, the largest gap that the best
	// pass can have, and the bound with roundings counted and without.
	objectiveError, gap, lower, rawLower float64
	recomputedAt                         int64 // violations when the scores were last found in float64
	recomputations                       int
}

// A alphaMove is a change of an alpha.
type update struct {
	index      int // the row's place in the block
	delta, lag float64
}

type run struct {
	cfg           Config
	f             Func
	x             pegasos.Examples
	store         *rowStore
	caches        []*kernelCache // of each tile; nil for none
	classes       []float32
	groups        []span  // the rows of each class, which are side by side in the store
	classProblems [][]int // the problems that each class has part in
	problems      []*problem
	pos           []int32 // of each row in the store
	classOf       []int32 // of each row there
	diagonal      []float32
	norms         []float64  // of the diagonal
	maxNorm       float64    // the largest
	bound32       errorBound // of kernel values, and in float64
	bound64       errorBound
	lambda        float64
	rows          int   // of x
	sizes         []int // of the classes
	partial       bool
	order         *order.Visits
	t, total      int64
	epoch         int
	pass          int
	dual          bool // the finish has begun
	values        atomic.Int64
	threads       int
	progress      func(Progress)

	block   rowBlock
	workers []*blockWorker
}

// Train is like the function of that name.
func (tr *Trainer) Train(ctx context.Context, x pegasos.Examples, y []float32) (*Model, error) {
	misuse.Context(ctx)
	r, err := newRun(tr, x, y)
	if err != nil {
		return nil, err
	}
	stopped, err := r.pegasos(ctx)
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
			"is to be set with the kernel %q, and with no other", Function),
	}); err != nil {
		return nil, err
	}
	if err := cmp.Or(tr.checkColumns(x), store.Labelled(x, y, 31)); err != nil {
		return nil, err
	}
	r := &run{cfg: tr.Config, f: tr.Func, x: x, rows: x.Rows(), progress: tr.Progress,
		threads: parallel.Threads(tr.Threads)}
	if r.partial = r.cfg.Steps != 0 && r.cfg.Steps < int64(r.rows); r.partial {
		if r.cfg.Finish == pegasos.FinishDual {
			return nil, badField("Finish", "have %q, but %d steps do not visit all of %d rows",
				pegasos.FinishDual, r.cfg.Steps, r.rows)
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

// checkColumns returns an error if x claims a number of columns that no rows can have, or that takes
// more memory than MaxMemory.
func (tr *Trainer) checkColumns(x pegasos.Examples) error {
	if err := store.Given(x); err != nil {
		return err
	}
	what := fmt.Sprintf("vectors of %d features", x.Cols())
	most := cmp.Or(tr.MaxMemory, options.Allowed)
	return options.First(fieldError,
		[]options.Rule{options.Memory(most, store.LeastMemory(x), what)})
}

// stateSize is about what a class takes in each problem beside what its rows do.
const stateSize = 320

// checkMemory refuses a run that would take too much memory, before it is allocated.
func (r *run) checkMemory(most int64) error {
	n, rows := float64(len(r.classes)), float64(r.rows)
	problems, states, visited := n, n*n, n*rows // one for each class
	if r.cfg.pairs(len(r.classes)) {
		problems, states, visited = n*(n-1)/2, n*(n-1), (n-1)*rows
	}
	perRow := 28. // score and alpha, and the coefficients of the model
	switch {
	case r.cfg.Finish != pegasos.FinishNone:
		perRow += 8 // the best so far
	case r.cfg.Average == pegasos.LastHalf:
		perRow += 16
	}
	what := fmt.Sprintf("%.0f problems, which have %.3g rows in all,", problems, visited)
	return options.First(fieldError,
		[]options.Rule{options.Memory(most, states*stateSize+visited*perRow, what)})
}

// lambda returns the penalty for the rows.
func (cfg Config) lambda(rows float64) (float64, error) {
	lambda, rule := options.LambdaFor(cfg.Lambda, cfg.C, rows)
	return lambda, options.First(fieldError, []options.Rule{rule})
}

// arrange puts the rows that will be visited into the store, class by class.
func (r *run) arrange(class []int32, cacheMB int) error {
	visited := r.visited()
	slices.SortStableFunc(visited, func(i, j int32) int { return int(class[i] - class[j]) })
	counts := r.group(class, visited)
	m, at := store.Own(r.x, visited)
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
			Reason: "the values, like those of the other rows, are too small for float32"}
	}
	if err := options.First(fieldError, []options.Rule{
		options.LambdaFits(r.lambda, r.cfg.C, largest)}); err != nil {
		return err
	}
	r.makeCaches(cacheMB)
	return nil
}

// visited returns the rows that the run will visit, ascending: with fewer steps than rows it tries
// out the order.
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

// group notes which rows are of which class, and returns how many of each are in the store.
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

// makeCaches makes the tiles' caches of kernel values, of cacheMB MB in all.
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

// defaultGamma returns one over the mean squared norm of the rows at of m, so that the kernel does
// not depend on their scale. For RBF, which does not depend on where they are, it is that of the
// rows less their mean.
func defaultGamma(kernel Kernel, m store.Matrix, at []int32) float64 {
	n := float64(len(at))
	mean := make([]float64, m.Cols())
	if kernel == RBF {
		eachValue(m, at, func(j int, v float64) { mean[j] += v / n })
	}
	var sum float64
	absent := make([]int, len(mean)) // zeros of sparse rows
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
		return 1 // the rows are the same, or one will be refused
	}
	return n / sum
}

// eachValue calls f for the values of the rows at of m.
func eachValue(m store.Matrix, at []int32, f func(column int, value float64)) {
	for _, i := range at {
		index, values := m.Row(int(i))
		for k, v := range values {
			f(int(column(index, k)), float64(v))
		}
	}
}

// setUp makes the problems, one for each pair of classes or one for each class, and the workers.
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

// addRows makes the state of a problem's rows.
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

// row returns the place of a problem's row i in the store, and its label, 1 or -1.
func (p *problem) row(i int) (pos int, sign float64) {
	if pos = p.minus.start + i; pos >= p.minus.end {
		pos += p.plus.start - p.minus.end
	}
	if p.plus.has(pos) {
		return pos, 1
	}
	return pos, -1
}

// find is the inverse of row. The row is -1 if it has no part in the problem.
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

// scale returns what scores and alphas have to be divided by.
func (p *problem) scale() float64 { return float64(p.lambda * (float64(p.t) + p.t0)) }

// pegasos takes the steps and the passes of the finish, to the end, or until ctx is done: then it
// is stopped.
func (r *run) pegasos(ctx context.Context) (stopped bool, err error) {
	for r.t < r.total {
		if ctx.Err() != nil {
			return true, nil
		}
		// A block does not reach over the middle of the run, where averaging begins.
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
	return r.finish(ctx)
}

// finish takes passes of dual coordinate ascent until every gap is small enough. Early passes make
// no short moves: a move costs as much as another however short it is, and most short ones are
// taken back soon. Those below a hundredth of Tol are made only where there are no others.
func (r *run) finish(ctx context.Context) (stopped bool, err error) {
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

// longMove is the least move that the first pass makes, as a share of the longest move there is.
// Once no move as long as shortest is left, there is nothing more to do.
const (
	initialThreshold = 0.25
	minThreshold     = 0x1p-40
)

func (r *run) nextPass() {
	for _, c := range r.caches {
		c.pass++
	}
}

// beginDual turns the state of Pegasos into that of the finish, of which w = 0 is the first model.
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

// dualScale returns what scores and alphas have to be divided by in the finish.
func (p *problem) dualScale() float64 { return float64(p.lambda * float64(p.rows)) }

// eachViolation returns what each violation in the given number of epochs adds to an alpha:
// 1/epochs, or just enough less that the coefficients of all violation counts are exact in float32.
func (p *problem) alphaPerViolation(epochs int) float64 {
	scale := p.dualScale()
	c := math.Float32bits(float32(1 / (float64(epochs) * scale)))
	c &^= 1<<bits.Len(uint(epochs)) - 1
	if float64(math.Float32frombits(c))*float64(epochs)*scale > 1 {
		c -= 1 << bits.Len(uint(epochs))
	}
	return float64(math.Float32frombits(c)) * scale
}

// storable returns the alpha nearest to a that a float32 coefficient, alpha/scale, can have, so
// that the model that is written is the one that was measured. It is 1 at most.
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

// each calls f for every problem, from several goroutines.
func (r *run) each(f func(k int)) {
	parallel.For(r.threads, len(r.problems), func(_, k int) { f(k) })
}
