package kernelsvm

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/order"
	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/model/labels"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm/internal/kernel"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm/internal/solve"
)

// trainingSet is the rows that a run visits, ordered by class. A position is the index of a row in
// this order.
type trainingSet struct {
	cfg     Config
	threads int

	x       pegasos.Examples
	classes []float32    // ascending
	byClass [][]int32    // rows of x, ascending in each class
	pos     []int32      // position of each row of x; -1 for rows that are not visited
	rowOf   []int32      // by position: row of x
	starts  []int        // position of each class's first row, then the number of positions
	partial bool         // fewer steps than rows
	rows    *kernel.Rows // by position, with a group for each class
	pairs   [][2]int     // by problem: classes labeled -1 and 1; class -1 is all other classes
	lambda  float64      // of a problem of all rows
}

func newTrainingSet(tr *Trainer, x pegasos.Examples, y []float32) (*trainingSet, error) {
	if err := tr.Config.Validate(); err != nil {
		return nil, err
	}
	if err := options.Check([]options.Rule{
		options.Range("Threads", tr.Threads, 0, math.MaxInt, "0 or more"),
		options.Range("MaxMemory", tr.MaxMemory, 0, math.MaxInt64, "0 or more"),
		options.Not("Func", (tr.Func != nil) != (tr.Kernel == Function),
			"must be set if %s is %q, and only then", options.Name("Kernel"), Function),
	}); err != nil {
		return nil, err
	}
	if err := options.CheckRows(x, tr.MaxMemory); err != nil {
		return nil, err
	}
	if err := store.CheckLabels(x, y, 31); err != nil {
		return nil, err
	}
	set := &trainingSet{cfg: tr.Config, x: x, threads: parallel.Threads(tr.Threads)}
	if set.partial = set.cfg.Steps != 0 && set.cfg.Steps < int64(len(y)); set.partial {
		if set.cfg.Finish == pegasos.FinishDual {
			return nil, options.Bad("Finish", "have %q, want %q with fewer %s than rows: %d and %d",
				pegasos.FinishDual, pegasos.FinishNone, options.Name("Steps"), set.cfg.Steps, len(y))
		}
		set.cfg.Finish = pegasos.FinishNone
		const none = "have %v, which has no effect with fewer %s than rows: %d and %d"
		if err := options.Check([]options.Rule{
			options.Not("Passes", tr.Passes != 0, none, tr.Passes, options.Name("Steps"), tr.Steps, len(y)),
			options.Not("Tol", tr.Tol != 0, none, tr.Tol, options.Name("Steps"), tr.Steps, len(y)),
		}); err != nil {
			return nil, err
		}
	}
	set.cfg = set.cfg.WithDefaults()
	classes, class, err := labels.Classify(y, nil, nil, store.BadRow)
	if err != nil {
		return nil, err
	}
	set.classes, set.byClass = classes, make([][]int32, len(classes))
	for i, c := range class {
		set.byClass[c] = append(set.byClass[c], int32(i))
	}
	if set.lambda, err = set.cfg.lambda(float64(len(y))); err != nil {
		return nil, err
	}
	if err := set.checkMemory(tr.MaxMemory); err != nil {
		return nil, err
	}
	n := len(classes)
	if problems := set.cfg.problems(n); problems > maxProblems {
		return nil, options.Bad("Multiclass", "%d classes make %d pairs, want %d at most: use %q",
			n, problems, maxProblems, pegasos.OneVsRest)
	}
	for k := range set.cfg.problems(n) {
		pair := [2]int{-1, k}
		if set.cfg.pairs(n) {
			pair[0], pair[1] = labels.Pair(k, n)
		}
		set.pairs = append(set.pairs, pair)
	}
	return set, set.arrange(tr)
}

func (set *trainingSet) arrange(tr *Trainer) error {
	visited := set.visited()
	set.pos, set.starts = make([]int32, set.x.Rows()), make([]int, 1)
	var counts []int
	for c, rows := range set.byClass {
		for _, i := range rows {
			if set.pos[i] = -1; visited == nil || visited[i] {
				set.pos[i] = int32(len(set.rowOf))
				set.rowOf = append(set.rowOf, i)
			}
		}
		set.starts = append(set.starts, len(set.rowOf))
		counts = append(counts, len(set.rowOf)-set.starts[c])
	}
	m, at := store.MatrixFrom(set.x, set.rowOf)
	cfg := &set.cfg
	if cfg.hasGamma() {
		options.Fill(&cfg.Gamma, defaultGamma(cfg.Kernel, m, at))
	}
	set.rows = kernel.NewRows(cfg.function(tr.Func), m, at, counts)
	if err := store.Of(set.x).Err(); err != nil {
		return fmt.Errorf("pegasos: %w", err)
	}
	if bad := set.rows.Measure(); bad >= 0 {
		return &store.RowError{Row: int(set.rowOf[bad]), Scale: true, Reason: set.whyBad(bad)}
	}
	if g := cfg.Gamma; cfg.hasGamma() && !(g >= minGamma && g <= maxGamma) {
		centered := ""
		if cfg.Kernel == RBF {
			centered = "centered "
		}
		return options.Bad("Gamma", "not set, and the default, 1 over the mean squared norm of the "+
			"%srows that training visits, would be %.3g: scale the rows, or set a number from %v to %v",
			centered, g, minGamma, maxGamma)
	}
	tiny := false // a value is not 0, but its square may underflow
	if cfg.Kernel == Linear && set.rows.MaxSquare < 0x1p-120 {
		kernel.EachValue(m, at, func(_ int, v float64) { tiny = tiny || v != 0 })
	}
	if tiny {
		return &store.RowError{Row: int(slices.Min(set.rowOf)), Scale: true,
			Reason: fmt.Sprintf("the squared norms of all rows that training visits are below %.1g",
				0x1p-120)}
	}
	return options.LambdaFits(set.lambda, cfg.C, float64(set.rows.MaxNorm*set.rows.MaxNorm)).Err()
}

// whyBad says why Rows.Measure refused the row at position bad.
func (set *trainingSet) whyBad(bad int) string {
	values := kernel.RowOf(set.rows.Matrix, int(set.rows.At[bad])).Value
	square := 0.0
	for _, v := range values {
		square += float64(float64(v) * float64(v))
	}
	switch {
	case floats.FirstNotFinite(values) >= 0:
		return "a value is NaN or infinite"
	case square > math.MaxFloat32/2 || floats.IsFinite(set.rows.Diagonal[bad]):
		return "the squared norm is above 1.7e38"
	}
	return "the kernel value k(x,x) is NaN or infinite in float32"
}

// rowsOf returns indices in x, ascending.
func (set *trainingSet) rowsOf(k int) []int32 {
	of := set.byClass
	if pair := set.pairs[k]; pair[0] >= 0 {
		of = [][]int32{of[pair[0]], of[pair[1]]}
	}
	rows := slices.Concat(of...)
	slices.Sort(rows)
	return rows
}

// count includes rows that are not visited.
func (set *trainingSet) count(k int) int {
	if pair := set.pairs[k]; pair[0] >= 0 {
		return len(set.byClass[pair[0]]) + len(set.byClass[pair[1]])
	}
	return set.x.Rows()
}

func (set *trainingSet) visits(rows int) *order.Visits {
	return order.New(string(set.cfg.Order), rows, 0, 0, set.cfg.Seed)
}

// visited reports for each row of x whether a problem visits the row; nil means that all rows are
// kept.
func (set *trainingSet) visited() []bool {
	if !set.partial {
		return nil
	}
	visited := make([]bool, set.x.Rows())
	for k, pair := range set.pairs {
		rows := set.rowsOf(k)
		visits := set.visits(len(rows))
		for t := int64(0); t < set.cfg.Steps; t++ {
			visited[rows[visits.Next(1)[0]]] = true
		}
		if pair[0] < 0 {
			break
		}
	}
	return visited
}

func (set *trainingSet) problem(k int) (*solve.Problem, error) {
	pair, n := set.pairs[k], set.count(k)
	lambda, err := set.cfg.lambda(float64(n))
	if err != nil {
		return nil, err
	}
	return solve.NewProblem(set.rows, n, lambda, func(class int) float64 {
		switch {
		case class == pair[1]:
			return 1
		case class == pair[0] || pair[0] < 0:
			return -1
		}
		return 0
	}), nil
}

// number returns the index in problem k of the row at position pos.
func (set *trainingSet) number(k int, pos int32) int32 {
	switch pair := set.pairs[k]; {
	case pair[0] < 0:
		return pos
	case int(pos) < set.starts[pair[0]+1]:
		return pos - int32(set.starts[pair[0]])
	default:
		return pos - int32(set.starts[pair[1]]-(set.starts[pair[0]+1]-set.starts[pair[0]]))
	}
}

func (set *trainingSet) settings(k int) solve.Settings {
	cfg, rows := set.cfg, set.rowsOf(k)
	s := solve.Settings{Visits: set.visits(len(rows)), Visit: make([]int32, len(rows)),
		Total:  cmp.Or(cfg.Steps, int64(cfg.Epochs)*int64(len(rows))),
		Offset: cfg.Offset == pegasos.OffsetR2, Average: cfg.Average == pegasos.LastHalf,
		Dual: cfg.Finish == pegasos.FinishDual, MaxPasses: cfg.Passes, Tol: cfg.Tol,
		Bounded: cfg.bounded(), Measured: !set.partial, Problems: len(set.pairs)}
	for i, row := range rows {
		if s.Visit[i] = set.pos[row]; s.Visit[i] >= 0 {
			s.Visit[i] = set.number(k, s.Visit[i])
		}
	}
	return s
}

// defaultGamma returns 1 over the mean squared norm of the rows in at. For RBF the rows are
// centered first: a shift does not change distances. It returns 1 if the sum of squares is 0 or not
// finite.
func defaultGamma(k Kernel, m store.Matrix, at []int32) float64 {
	n := float64(len(at))
	mean := make([]float64, m.Cols())
	if k == RBF {
		kernel.EachValue(m, at, func(j int, v float64) { mean[j] += v / n })
	}
	var sum float64
	absent := make([]int, len(mean)) // by column: number of rows without a stored value
	for j := range absent {
		absent[j] = len(at)
	}
	kernel.EachValue(m, at, func(j int, v float64) {
		d := v - mean[j]
		sum += float64(d * d)
		absent[j]--
	})
	for j, k := range absent {
		sum += float64(float64(k) * float64(mean[j]*mean[j]))
	}
	if !(sum > 0 && sum <= math.MaxFloat64) {
		return 1
	}
	return n / sum
}

// checkMemory must be called before the memory that it estimates is allocated. The estimate
// excludes the data and the kernel cache. A limit of 0 means 4 GiB.
func (set *trainingSet) checkMemory(limit int64) error {
	const (
		sliceSize = 96 // bytes of slices for each class and each of its problems
		perRow    = 8  // bytes for each row of a problem: its float32 coefficient, twice
		solving   = 96 // bytes for each row of a problem that is being solved
	)
	n, rows := float64(len(set.classes)), float64(set.x.Rows())
	problems, states, visited := n, n*n, n*rows // one-vs-rest
	if set.cfg.pairs(len(set.classes)) {
		problems, states, visited = n*(n-1)/2, n*(n-1), (n-1)*rows
	}
	what := fmt.Sprintf("%s (with %.0f rows in all)",
		plural.Count(int64(problems), "binary problem"), visited)
	live := min(problems, float64(set.threads)) * visited / problems
	return options.Memory(limit, states*sliceSize+visited*perRow+live*solving, what).Err()
}
