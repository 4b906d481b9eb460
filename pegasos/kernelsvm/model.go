package kernelsvm

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/labels"
	"github.com/pegasimd/pegasimd/internal/modelfile"
	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/sparse"
)

// A Model is what training gives with a kernel. A score is a sum over the support rows, of a coefficient times the
// kernel of the row and what is to be predicted.
//
// For two classes there is one problem, and a score above 0 speaks for the second class. For more there is one for each pair,
// in the order (0,1), (0,2) ... (1,2) ..., in which a score above 0 speaks for the second of the two; or one a class, as
// in a [Model].
type Model struct {
	Classes []float32 // the labels, ascending
	Names   []string  // of the classes, if they have any: training leaves it nil
	Config  Config    // defaults filled in
	Lambda  float64   // in force, also where C was given; but then each of several pairs has its own

	IndexBase int // the number of the first feature in the file the data came from: the caller's to set and to use

	// Func is the kernel if it is a function. It is not written to a file: set it after reading.
	Func Func

	Result Result

	rows   pegasos.Examples // the support rows, class by class: a *dense.Matrix or a *sparse.Matrix
	counts []int            // of them in each class
	coef   [][][]float32    // of each class, in each of its problems, of each row; nil for a class without rows

	once    sync.Once
	store   *rowStore
	general *rowStore // for queries that are not zeros and ones, where support rows are
	weights []*dense.Matrix
}

// A Result says how a run went.
type Result struct {
	Steps      int64 // of Pegasos, over all rows
	Epochs     float64
	Passes     int   // of the finish
	Violations int64 // steps and moves that changed a weight, over all problems

	R2, T0 float64 // means over the problems, R2 being itself the mean of the kernel of a row with itself

	// As in Result: means over the problems. MaxSV changes the objective, and it is as it was before coefficients were
	// rounded to float32. With fewer steps than rows all three are NaN.
	Objective     float64
	DualObjective float64
	Gap           float64
}

// problems returns the number of problems for so many classes.
func (cfg Config) problems(classes int) int {
	switch {
	case classes == 2:
		return 1
	case cfg.Multiclass == pegasos.OneVsRest:
		return classes
	}
	return classes * (classes - 1) / 2
}

// slots returns the number of problems that a class has part in.
func (cfg Config) slots(classes int) int {
	if classes == 2 {
		return 1
	}
	if cfg.Multiclass == pegasos.OneVsRest {
		return classes
	}
	return classes - 1
}

// problem returns the number of the problem that is the given one of a class.
func (cfg Config) problem(classes, class, slot int) int {
	if classes == 2 || cfg.Multiclass == pegasos.OneVsRest {
		return slot
	}
	a, b := slot, class
	if slot >= class {
		a, b = class, slot+1
	}
	return a*classes - a*(a+1)/2 + b - a - 1
}

// model returns the model of this moment. Unless it is whole the objective is not known.
func (r *run) model(whole bool) (*Model, error) {
	m := &Model{Classes: slices.Clone(r.classes), Config: r.cfg, Lambda: r.lambda, Func: r.f, Result: r.result()}
	if !whole {
		m.Result.Objective, m.Result.DualObjective, m.Result.Gap = math.NaN(), math.NaN(), math.NaN()
	}
	all := make([][][]float64, len(r.groups)) // coefficients of class, slot, row
	for c := range r.groups {
		g := &r.groups[c]
		all[c] = make([][]float64, len(g.slots))
		for s := range g.slots {
			all[c][s] = make([]float64, g.end-g.start)
			r.weights(&g.slots[s], all[c][s])
		}
	}
	if r.cfg.MaxSV > 0 {
		if err := r.shrink(all, &m.Result, whole && !r.partial); err != nil {
			return nil, err
		}
	}
	var at []int32
	for c := range all {
		g := &r.groups[c]
		m.coef = append(m.coef, make([][]float32, len(g.slots)))
		count := 0
		for i := range g.end - g.start {
			used := false
			for s := range g.slots {
				v := float32(all[c][s][i])
				if v-v != 0 {
					return nil, &pegasos.StepError{Step: r.t, Row: -1, Reason: "a coefficient is not finite: " + tooLarge}
				}
				used = used || v != 0
			}
			if !used {
				continue
			}
			at = append(at, r.store.at[g.start+i])
			for s := range g.slots {
				m.coef[c][s] = append(m.coef[c][s], float32(all[c][s][i]))
			}
			count++
		}
		if m.counts = append(m.counts, count); count == 0 {
			m.coef[c] = nil
		}
	}
	m.rows = pick(r.store.from, at)
	if v := m.Result.Objective; whole && !r.partial && v-v != 0 {
		return nil, &pegasos.StepError{Step: r.t, Row: -1, Reason: "the objective is not finite: " + tooLarge}
	}
	return m, nil
}

// pick returns a matrix of the rows at of m.
func pick(m pegasos.Examples, at []int32) pegasos.Examples {
	if m, ok := m.(*dense.Matrix); ok {
		d := dense.New(len(at), m.Cols())
		for k, i := range at {
			copy(d.Row(k), m.Row(int(i)))
		}
		return d
	}
	from := m.(*sparse.Matrix)
	starts := make([]int64, 1, len(at)+1)
	var index []int32
	var values []float32
	for _, i := range at {
		idx, val := from.Row(int(i))
		index, values = append(index, idx...), append(values, val...)
		starts = append(starts, int64(len(index)))
	}
	s, err := sparse.New(m.Cols(), starts, index, values)
	if err != nil {
		panic(err) // rows of a valid matrix are valid
	}
	return s
}

// Cols returns the number of features.
func (m *Model) Cols() int { return m.rows.Cols() }

// Head returns what rows and labels the model is about.
func (m *Model) Head() pegasos.Head {
	return pegasos.Head{Features: m.Cols(), IndexBase: m.IndexBase, Classes: m.Classes, Names: m.Names}
}

// Outputs returns the number of scores that a row has: one for each problem.
func (m *Model) Outputs() int { return m.Problems() }

// SupportRows returns the support rows, class by class: a *dense.Matrix or a *sparse.Matrix. It must not be changed.
func (m *Model) SupportRows() pegasos.Examples { return m.rows }

// Problems returns the number of problems that were trained.
func (m *Model) Problems() int { return m.Config.problems(len(m.Classes)) }

// Coefficients returns what the support rows are multiplied by in one of the problems.
func (m *Model) Coefficients(problem int) []float32 {
	var all []float32
	for c, slots := range m.coef {
		at := -1
		for s := range slots {
			if m.Config.problem(len(m.Classes), c, s) == problem {
				at = s
			}
		}
		if at < 0 {
			all = append(all, make([]float32, m.counts[c])...)
		} else {
			all = append(all, slots[at]...)
		}
	}
	return all
}

// ClassName returns the name of a class, or its label as text if the classes have no names.
func (m *Model) ClassName(class int) string {
	if m.Names != nil {
		return m.Names[class]
	}
	return pegasos.FormatLabel(m.Classes[class])
}

// prepare makes what predictions need.
func (m *Model) prepare() {
	if m.Config.Kernel == Function && m.Func == nil {
		panic("pegasos: the model's kernel is a function: set Func after reading")
	}
	m.once.Do(func() {
		n := m.rows.Rows()
		at := make([]int32, n)
		for i := range at {
			at[i] = int32(i)
		}
		ends, end := make([]int, len(m.counts)), 0
		for c, count := range m.counts {
			end += count
			ends[c] = end
		}
		k := m.Config.function(m.Func)
		m.store = newStore(k, m.rows, at, ends)
		m.general = m.store
		if m.store.words != nil {
			m.general = newGeneralStore(k, m.rows, at, ends)
		}
		c, start := 0, 0
		for _, tile := range m.store.tiles {
			for tile.start >= ends[c] {
				start = ends[c]
				c++
			}
			w := dense.New(len(m.coef[c]), tile.end-tile.start)
			for s := range m.coef[c] {
				copy(w.Row(s), m.coef[c][s][tile.start-start:])
			}
			m.weights = append(m.weights, w)
		}
	})
}

// queryRows is the number of rows that are predicted together: the support rows come from memory once for all of them.
const queryRows = 64

// DecisionAll returns the scores of all rows of x, one row after the other: those of row i start at i*Problems(). If x has
// more features than the model, the further ones are ignored; if it has fewer, the rest count as 0. The work is done by
// GOMAXPROCS goroutines. It panics if the kernel is a function and Func is not set.
func (m *Model) DecisionAll(x pegasos.Examples) []float64 {
	return m.decisionAll(x, runtime.GOMAXPROCS(0))
}

func (m *Model) decisionAll(x pegasos.Examples, threads int) []float64 {
	m.prepare()
	n, p := x.Rows(), m.Problems()
	scores := make([]float64, n*p)
	workers := make([]*queryWorker, threads)
	parallel.For(threads, (n+queryRows-1)/queryRows, func(worker, block int) {
		w := workers[worker]
		if w == nil {
			w = &queryWorker{values: make([]float32, queryRows*tileRows), sums: make([]float32, m.Config.slots(len(m.Classes)))}
			workers[worker] = w
		}
		start := block * queryRows
		end := min(start+queryRows, n)
		m.decide(w, x, start, end, scores[start*p:end*p])
	})
	return scores
}

// A queryWorker has what one goroutine needs to predict.
type queryWorker struct {
	probes []probe
	rows   [][]float32
	values []float32 // of the kernel
	sums   []float32
	row    []float32
}

// decide finds the scores of the rows from start to end. To the bit a score is a sum in float64, tile after tile, of dot
// products of the kernel's values and the coefficients.
func (m *Model) decide(w *queryWorker, x pegasos.Examples, start, end int, scores []float64) {
	s := m.store
	if s.words != nil && !allBinary(x, start, end) {
		s = m.general
	}
	w.probes, w.rows = w.probes[:0], w.rows[:0]
	for i := start; i < end; i++ {
		w.probes = append(w.probes, s.query(x, i, w))
	}
	p, classes := m.Problems(), len(m.Classes)
	c, last := 0, m.counts[0]
	for t, tile := range s.tiles {
		for tile.start >= last {
			c++
			last += m.counts[c]
		}
		n := tile.end - tile.start
		w.rows = w.rows[:0]
		for k := range w.probes {
			w.rows = append(w.rows, w.values[k*tileRows:][:n])
		}
		s.tile(w.rows, w.probes, t)
		sums := w.sums[:len(m.coef[c])]
		for k := range w.probes {
			m.weights[t].DotRows(sums, 0, w.rows[k])
			for slot, v := range sums {
				scores[k*p+m.Config.problem(classes, c, slot)] += float64(v)
			}
		}
	}
}

func allBinary(x pegasos.Examples, start, end int) bool {
	switch x.(type) {
	case *dense.Matrix, *sparse.Matrix:
		for i := start; i < end; i++ {
			if !isBinary(x, i) {
				return false
			}
		}
		return true
	}
	return false
}

// query returns row i of x as a probe.
func (s *rowStore) query(x pegasos.Examples, i int, w *queryWorker) probe {
	if s.words != nil {
		q := probe{words: make([]uint64, s.width)}
		q.square = float32(packRow(q.words, x, i, s.cols))
		return q
	}
	var index []int32
	var values []float32
	switch x := x.(type) {
	case *dense.Matrix:
		values = x.Row(i)
	case *sparse.Matrix:
		index, values = x.Row(i)
		if index == nil {
			index = []int32{}
		}
	default:
		if w.row == nil {
			w.row = make([]float32, x.Cols())
		}
		clear(w.row)
		x.Axpy(i, 1, w.row)
		values = w.row
	}
	if s.sparse != nil {
		if index == nil {
			index, values = nonzeros(values)
		}
		k := len(index)
		for k > 0 && int(index[k-1]) >= s.cols {
			k--
		}
		index, values = index[:k], values[:k]
		return probe{square: sumSquaresInOrder(values), index: index, values: values}
	}
	row := values
	if index != nil || len(values) != s.cols || w.row != nil {
		row = make([]float32, s.cols)
		if index == nil {
			copy(row, values)
		}
		for k, j := range index {
			if int(j) < s.cols {
				row[j] = values[k]
			}
		}
	}
	return probe{square: dense.SumSquares(row), values: row}
}

func nonzeros(row []float32) (index []int32, values []float32) {
	index = []int32{}
	for j, v := range row {
		if v != 0 {
			index, values = append(index, int32(j)), append(values, v)
		}
	}
	return index, values
}

// Class returns the position in Classes of the class that the scores of a row speak for. For two classes it is the second if
// the score is above 0. Of pairs it is the class that wins most of them, and of those that win as many the one whose
// scores against the others have the largest sum; otherwise it is that of the highest score. The first of equals is taken.
func (m *Model) Class(scores []float64) int {
	n := len(m.Classes)
	if n == 2 {
		if scores[0] > 0 {
			return 1
		}
		return 0
	}
	if m.Config.Multiclass == pegasos.OneVsRest {
		return labels.Highest(scores[:n])
	}
	var space [32]float64
	wins, sum := space[:16], space[16:]
	if n > 16 {
		wins, sum = make([]float64, n), make([]float64, n)
	}
	labels.Votes(scores, wins[:n], sum[:n])
	best := 0
	for c := range n {
		if wins[c] > wins[best] || wins[c] == wins[best] && sum[c] > sum[best] {
			best = c
		}
	}
	return best
}

// ClassScores writes a score for each class to dst, in the order of Classes, and returns dst: see
// [pegasos.Model.ClassScores]. If dst is too short, a new slice is made.
func (m *Model) ClassScores(scores, dst []float64) []float64 {
	n := len(m.Classes)
	if len(dst) < n {
		dst = make([]float64, n)
	}
	dst = dst[:n]
	labels.ClassScores(scores[:m.Outputs()], dst, m.Config.Multiclass == pegasos.OneVsOne)
	return dst
}

// PredictAll returns the labels of all rows of x. Features that x or the model lacks are as in [Model.DecisionAll].
func (m *Model) PredictAll(x pegasos.Examples) []float32 {
	scores, p := m.DecisionAll(x), m.Problems()
	labels := make([]float32, x.Rows())
	for i := range labels {
		labels[i] = m.Classes[m.Class(scores[i*p:][:p])]
	}
	return labels
}

// Hash returns the SHA-256 of what makes the predictions, in hexadecimal: of the body of the model's file, which has the
// support rows and the coefficients, and of the kernel, its parameters and the classes.
func (m *Model) Hash() string {
	h := sha256.New()
	c := m.Config
	fmt.Fprintf(h, "%s %v %v %d %s\n", c.Kernel, c.Gamma, c.Coef0, c.Degree, c.Multiclass)
	modelfile.WriteNumbers(h, m.Classes)
	m.writeBody(h)
	return hex.EncodeToString(h.Sum(nil))
}
