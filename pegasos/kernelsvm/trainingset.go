package kernelsvm

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/base/order"
	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/model/labels"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/pegasos"
)

// trainingSet is the rows that a run visits, in a store that is ordered by class, and the settings
// of the run. A store position is the index of a row in the store.
type trainingSet struct {
	cfg      Config // with defaults filled in
	function function
	threads  int

	x        pegasos.Examples
	rows     int       // number of rows of x
	classes  []float32 // labels, ascending
	problems int       // number of problems
	byClass  [][]int32 // rows of x of each class, ascending
	pos      []int32   // store position of each row of x; -1 for rows that are not visited
	rowOf    []int32   // row of x at each store position
	groups   []span    // store positions of the rows of each class
	partial  bool      // the run has fewer steps than rows, and may not visit all of them
	store    *rowStore
	diagonal []float32  // k(x,x) of each row in the store
	norms    []float64  // |phi(x)| = sqrt(k(x,x)) of each row in the store
	maxNorm  float64    // largest of norms
	bound32  errorBound // error bound of kernel values computed in float32
	bound64  errorBound // error bound of kernel values computed in float64
	lambda   float64    // for all rows
}

func newTrainingSet(tr *Trainer, x pegasos.Examples, y []float32) (*trainingSet, error) {
	if err := tr.Config.Validate(); err != nil {
		return nil, err
	}
	if err := check([]options.Rule{
		options.Range("Threads", tr.Threads, 0, math.MaxInt, "0 or more"),
		options.Range("MaxMemory", tr.MaxMemory, 0, math.MaxInt64, "0 or more"),
		options.Not("Func", (tr.Func != nil) != (tr.Kernel == Function),
			"must be set if %s is %q, and only then", options.Name("Kernel"), Function),
	}); err != nil {
		return nil, err
	}
	if err := cmp.Or(tr.checkColumns(x), store.CheckLabels(x, y, 31)); err != nil {
		return nil, err
	}
	set := &trainingSet{cfg: tr.Config, x: x, rows: x.Rows(), threads: parallel.Threads(tr.Threads)}
	if set.partial = set.cfg.Steps != 0 && set.cfg.Steps < int64(set.rows); set.partial {
		if set.cfg.Finish == pegasos.FinishDual {
			return nil, badField("Finish", "have %q, want %q: %d steps do not visit all of %d rows",
				pegasos.FinishDual, pegasos.FinishNone, set.cfg.Steps, set.rows)
		}
		set.cfg.Finish = pegasos.FinishNone
	}
	set.cfg = set.cfg.WithDefaults()
	classes, class, err := labels.Classify(y, nil, nil, func(row int, reason string) error {
		return &pegasos.RowError{Row: row, Reason: reason}
	})
	if err != nil {
		return nil, err
	}
	set.classes, set.problems = classes, set.cfg.problems(len(classes))
	if set.lambda, err = set.cfg.lambda(float64(set.rows)); err != nil {
		return nil, err
	}
	if err := set.checkMemory(tr.MaxMemory); err != nil {
		return nil, err
	}
	if n := len(classes); set.problems > maxProblems {
		return nil, badField("Multiclass", "%d classes make %d pairs, want %d at most: use %q",
			n, set.problems, maxProblems, pegasos.OneVsRest)
	}
	set.byClass = make([][]int32, len(classes))
	for i, c := range class {
		set.byClass[c] = append(set.byClass[c], int32(i))
	}
	return set, set.arrange(tr.Func)
}

// arrange builds the row store: it orders the rows that the run will visit by class, sets the
// default gamma, checks the kernel's diagonal and computes the error bounds of kernel values.
func (set *trainingSet) arrange(f Func) error {
	visited := set.visited()
	set.pos = make([]int32, set.rows)
	var counts []int
	for _, rows := range set.byClass {
		start := len(set.rowOf)
		for _, i := range rows {
			if set.pos[i] = -1; visited == nil || visited[i] {
				set.pos[i] = int32(len(set.rowOf))
				set.rowOf = append(set.rowOf, i)
			}
		}
		set.groups = append(set.groups, span{start, len(set.rowOf)})
		counts = append(counts, len(set.rowOf)-start)
	}
	m, at := store.MatrixFrom(set.x, set.rowOf)
	cfg := &set.cfg
	if cfg.hasGamma() {
		options.Fill(&cfg.Gamma, defaultGamma(cfg.Kernel, m, at))
	}
	set.function = cfg.function(f)
	set.store = newStore(set.function, m, at, counts, false)
	if err := store.Of(set.x).Err(); err != nil {
		return fmt.Errorf("pegasos: %w", err)
	}
	set.diagonal = make([]float32, len(at))
	if bad := set.store.diagonal(set.diagonal); bad >= 0 {
		return &pegasos.RowError{Row: int(set.rowOf[bad]), Scale: true,
			Reason: "a value is NaN or infinite, or too large for the kernel in float32"}
	}
	first := int(slices.Min(set.rowOf)) // blamed for what all rows have in common
	if g := cfg.Gamma; cfg.hasGamma() && !(g >= minGamma && g <= maxGamma) {
		return &pegasos.RowError{Row: first, Scale: true,
			Reason: fmt.Sprintf("the rows are too large or too small for float32: gamma would be "+
				"%.3g, 1 over their mean squared length", g)}
	}
	set.norms = make([]float64, len(at))
	for p, v := range set.diagonal {
		set.norms[p] = math.Sqrt(max(0, float64(v)))
	}
	set.maxNorm = slices.Max(set.norms)
	largest := float64(set.maxNorm * set.maxNorm)
	set.bound32, set.bound64 = set.store.errorBound32(largest), set.store.errorBound64(largest)
	if most := slices.Max(set.store.squares); cfg.Kernel == Linear && most > 0 && most < 0x1p-120 {
		return &pegasos.RowError{Row: first, Scale: true,
			Reason: "the values of all rows are too small for float32; scale the rows"}
	}
	return check([]options.Rule{
		options.LambdaFits(set.lambda, cfg.C, largest)})
}

// rowsOf returns the rows of x of the classes first and second, or all rows if first is -1, in
// ascending order.
func (set *trainingSet) rowsOf(first, second int) []int32 {
	var rows []int32
	if first >= 0 {
		rows = slices.Concat(set.byClass[first], set.byClass[second])
	} else {
		rows = slices.Concat(set.byClass...)
	}
	slices.Sort(rows)
	return rows
}

// visits returns the order in which the run visits the given number of rows of a problem.
func (set *trainingSet) visits(rows int) *order.Visits {
	return order.New(string(set.cfg.Order), rows, 0, 0, set.cfg.Seed)
}

// visited returns which rows of x a run of fewer steps than rows visits, in any of its problems. It
// returns nil for other runs, which visit all rows.
func (set *trainingSet) visited() []bool {
	if !set.partial {
		return nil
	}
	visited := make([]bool, set.rows)
	for _, classes := range set.cfg.pairsOf(len(set.classes)) {
		rows := set.rowsOf(classes[0], classes[1])
		visits := set.visits(len(rows))
		for t := int64(0); t < set.cfg.Steps; t++ {
			visited[rows[visits.Next(1)[0]]] = true
		}
		if classes[0] < 0 {
			break // all problems visit the same rows
		}
	}
	return visited
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
