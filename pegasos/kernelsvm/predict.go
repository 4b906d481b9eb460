package kernelsvm

import (
	"context"
	"runtime"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/misuse"
	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/model/labels"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/pegasos"
)

// prepare builds, on the first call, what predictions need: the weight vectors of all problems if
// the kernel is linear, otherwise the stores of the support rows. It panics if the kernel is a
// function and Func is nil.
func (m *Model) prepare() {
	if m.Config.Kernel == Function && m.Func == nil {
		panic(misuse.Of("the model's kernel is a function: set Func after reading"))
	}
	m.once.Do(func() {
		if m.Config.Kernel == Linear {
			m.sumLinear()
			return
		}
		n := m.rows.Rows()
		at := make([]int32, n)
		for i := range at {
			at[i] = int32(i)
		}
		k := m.Config.function(m.Func)
		m.store = newStore(k, m.rows, at, m.counts, false)
		m.general = m.store
		if m.store.words != nil {
			m.general = newStore(k, m.rows, at, m.counts, true)
		}
	})
}

// sumLinear computes the weight vectors of all problems with a linear kernel, by compensated
// summation: the rounding errors of a sum are accumulated and added to it at the end, since for
// rows far from the origin little more than rounding errors would remain otherwise.
func (m *Model) sumLinear() {
	m.linear = make([][]float64, m.Problems())
	for k := range m.linear {
		w, lost := make([]float64, m.Cols()), make([]float64, m.Cols())
		for i, a := range m.Coefficients(k) {
			if a == 0 {
				continue
			}
			eachValue(m.rows, []int32{int32(i)}, func(j int, v float64) {
				v = float64(v * float64(a)) // exact: a product of two float32 numbers
				sum := w[j] + v
				part := sum - w[j]
				lost[j] += (w[j] - (sum - part)) + (v - part)
				w[j] = sum
			})
		}
		for j, v := range lost {
			w[j] += v
		}
		m.linear[k] = w
	}
}

// queryRows is the number of rows that are predicted together, so that the support rows are read
// from memory once for all of them.
const queryRows = 64

// DecisionAll returns the scores of all rows of x, as [pegasos.Model.DecisionAll] does: those of
// row i start at i*Problems(). Features that the model lacks are ignored; features that x lacks
// count as 0. DecisionAll uses GOMAXPROCS goroutines. It panics if the kernel is a function and
// Func is not set.
func (m *Model) DecisionAll(x pegasos.Examples) []float64 {
	return m.decisionAll(x, runtime.GOMAXPROCS(0))
}

func (m *Model) decisionAll(x pegasos.Examples, threads int) []float64 {
	if err := store.CheckExamples(x); err != nil {
		panic(misuse.Of("%v", err))
	}
	scores := make([]float64, x.Rows()*m.Problems())
	m.scoreAll(context.Background(), x, nil, threads, func(start int, some []float64) {
		copy(scores[start*m.Problems():], some)
	})
	return scores
}

// scoreAll computes the scores of all rows of x or, if subset is not nil, of the rows with the
// indices in subset. It calls emit from several goroutines, each time with the scores of up to
// queryRows successive rows; start is the position of the first of them, in x or in subset. Once
// ctx is done it computes no more.
func (m *Model) scoreAll(ctx context.Context, x pegasos.Examples, subset []int32, threads int,
	emit func(start int, scores []float64)) {
	m.prepare()
	n, p := x.Rows(), m.Problems()
	if subset != nil {
		n = len(subset)
	}
	workers := make([]*queryWorker, threads)
	_, matrix := store.MatrixOf(x)
	parallel.For(threads, (n+queryRows-1)/queryRows, func(worker, block int) {
		if ctx.Err() != nil {
			return
		}
		w := workers[worker]
		if w == nil {
			w = &queryWorker{rows: store.Of(x), subset: subset, matrix: matrix,
				kernel: make([][tileRows]float64, queryRows), scores: make([]float64, queryRows*p)}
			workers[worker] = w
		}
		start := block * queryRows
		end := min(start+queryRows, n)
		scores := w.scores[:(end-start)*p]
		clear(scores)
		if m.linear == nil {
			m.scoreProbes(m.probe(w, start, end), w, scores)
		}
		for i := start; i < end && m.linear != nil; i++ {
			index, values := w.row(i)
			m.scoreLinear(Row{index, values}, scores[(i-start)*p:])
		}
		emit(start, scores)
	})
}

// queryWorker is the memory that one goroutine needs to predict.
type queryWorker struct {
	rows   store.Rows
	subset []int32 // indices of the rows to predict; nil for all
	matrix bool    // rows is a store.Matrix, whose slices stay valid
	probes []probe
	kernel [][tileRows]float64 // kernel of each probe with the rows of a tile
	scores []float64           // scores of up to queryRows rows
	buffer rowBuffer           // memory for the probe of a single row
}

func (w *queryWorker) row(i int) (index []int32, values []float32) {
	if w.subset != nil {
		i = int(w.subset[i])
	}
	return w.rows.Row(i)
}

// rowBuffer is memory for a row that is converted to a probe, the form in which a store compares it
// with its own rows.
type rowBuffer struct {
	words  []uint64
	index  []int32
	values []float32
}

// probe sets w.probes to the rows from start to end-1, in the form for the store that it returns.
// That is m.store, with one exception: if m.store has bit rows, and the rows do not come from a
// store.Matrix or contain a value other than 0 and 1, it is m.general.
func (m *Model) probe(w *queryWorker, start, end int) *rowStore {
	s := m.store
	for i := start; i < end && s.words != nil; i++ {
		if _, values := w.row(i); !w.matrix || !store.AreBinary(values) {
			s = m.general
		}
	}
	w.probes = w.probes[:0]
	for i := start; i < end; i++ {
		index, values := w.row(i)
		w.probes = append(w.probes, s.makeProbe(index, values, w.matrix, &rowBuffer{}))
	}
	return s
}

// scoreProbes adds the scores of the worker's probes to scores, which must be 0. To the bit a score
// is the sum in float64, over the support rows in order, of coefficient times kernel value.
func (m *Model) scoreProbes(s *rowStore, w *queryWorker, scores []float64) {
	p, c, first, last := m.Problems(), 0, 0, m.counts[0]
	for t, tile := range s.tiles {
		for tile.start >= last {
			c++
			first, last = last, last+m.counts[c]
		}
		from, to := tile.start-first, tile.end-first
		probes, rest := w.probes, scores
		if s.width == 2 && m.Config.Kernel == RBF && p == 1 {
			for ; len(probes) >= 2; probes, rest = probes[2:], rest[2:] {
				s.addPopcountValues2((*[2]float64)(rest), m.coef[c][0][from:to], probes, tile.start)
			}
		}
		s.tile64(w.kernel, probes, t)
		for slot, coef := range m.coef[c] {
			k := m.Config.problem(len(m.Classes), c, slot)
			addValues(rest, p, k, coef[from:to], w.kernel[:len(probes)])
		}
	}
}

// scoreLinear computes the scores of a row with the linear kernel, each summed in the order of the
// columns.
func (m *Model) scoreLinear(x Row, scores []float64) {
	for k, w := range m.linear {
		sum := 0.0
		for i, v := range x.Value {
			if j := column(x.Index, i); int(j) < len(w) {
				sum += float64(w[j] * float64(v))
			}
		}
		scores[k] = sum
	}
}

// addValues adds, for every row i of rows, the sum of coef[j]*rows[i][j], in the order of j, to the
// score of problem k, which is scores[i*p+k] for p problems. It computes the sums of four rows at a
// time, which the CPU can add independently of each other.
func addValues(scores []float64, p, k int, coef []float32, rows [][tileRows]float64) {
	for ; len(rows) >= 4; rows, k = rows[4:], k+4*p {
		v0, v1, v2, v3 := rows[0][:len(coef)], rows[1][:len(coef)], rows[2][:len(coef)],
			rows[3][:len(coef)]
		s0, s1, s2, s3 := scores[k], scores[k+p], scores[k+2*p], scores[k+3*p]
		for j, c := range coef {
			a := float64(c)
			s0 += float64(a * v0[j])
			s1 += float64(a * v1[j])
			s2 += float64(a * v2[j])
			s3 += float64(a * v3[j])
		}
		scores[k], scores[k+p], scores[k+2*p], scores[k+3*p] = s0, s1, s2, s3
	}
	for i := range rows {
		sum := scores[k]
		for j, c := range coef {
			sum += float64(float64(c) * rows[i][j])
		}
		scores[k] = sum
		k += p
	}
}

// makeProbe converts a row to a probe for the store s, without the columns that the model does not
// have. If stable is true, the values of a dense row stay valid while the probe is in use, so that
// the probe may share them. Converted rows are stored in b.
func (s *rowStore) makeProbe(index []int32, values []float32, stable bool, b *rowBuffer) probe {
	if s.words != nil {
		b.words = append(b.words[:0], make([]uint64, s.width)...)
		packRow(b.words, index, values, s.cols)
		return probe{words: b.words}
	}
	if s.dense == nil {
		if index == nil {
			index, values = b.nonzeros(nil, values)
		}
		k := len(index)
		for k > 0 && int(index[k-1]) >= s.cols {
			k--
		}
		index, values = index[:k], values[:k]
		return probe{square: s.squaredNorm64(values), index: index, values: values}
	}
	if index == nil && stable && len(values) == s.cols {
		return probe{square: s.squaredNorm64(values), values: values}
	}
	b.values = append(b.values[:0], make([]float32, s.cols)...)
	for k, v := range values {
		if j := column(index, k); int(j) < s.cols {
			b.values[j] = v
		}
	}
	return probe{square: s.squaredNorm64(b.values), values: b.values}
}

// nonzeros returns the nonzero values of a row and their columns, in memory of b. columns holds the
// columns of the row's values; it is nil for a dense row.
func (b *rowBuffer) nonzeros(columns []int32, row []float32) (index []int32, values []float32) {
	b.index, b.values = b.index[:0], b.values[:0]
	if b.index == nil {
		b.index = []int32{} // a nil index would mean a dense row
	}
	for k, v := range row {
		if v != 0 {
			b.index, b.values = append(b.index, column(columns, k)), append(b.values, v)
		}
	}
	return b.index, b.values
}

// Class returns the index in Classes of the class predicted by the scores of a row, or -1 if a
// score is not finite. For two classes it is the second if the score is above 0, else the first.
// With one-vs-one it is the class that wins most of its pairs; among classes with equally many
// wins, the one with the largest sum of scores in its favor. With one-vs-rest it is the class with
// the highest score. Remaining ties go to the first class.
func (m *Model) Class(scores []float64) int {
	n := len(m.Classes)
	if len(scores) < m.Outputs() || n == 0 {
		panic(misuse.Of("%d scores for a model of %d classes", len(scores), n))
	}
	if floats.FirstNotFinite(scores[:m.Outputs()]) >= 0 {
		return -1
	}
	if !m.Config.pairs(n) {
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

// ClassScores stores a score for each class in dst, in the order of Classes, and returns dst, or a
// new slice if dst is too short. See [pegasos.Model.ClassScores].
func (m *Model) ClassScores(scores, dst []float64) []float64 {
	n := len(m.Classes)
	return labels.ClassScores(scores[:m.Outputs()], dst, n, m.Config.pairs(n))
}

// PredictAll returns the predicted labels of all rows of x, NaN where a score is not finite.
// Columns that only x or only the model has are treated as in [Model.DecisionAll].
func (m *Model) PredictAll(x pegasos.Examples) []float32 {
	scores, p := m.DecisionAll(x), m.Problems()
	predicted := make([]float32, x.Rows())
	for i := range predicted {
		predicted[i] = labels.At(m.Classes, m.Class(scores[i*p:][:p]))
	}
	return predicted
}

// Score stores the scores of one row in dst, one for each problem, and returns dst[:n] for
// n = [Model.Outputs], or a new slice if dst is shorter. The scores have the same bits as those of
// [Model.DecisionAll]. If dst is long enough, Score allocates nothing after the first calls.
// [Model.Class] turns scores into a class. Score panics unless x has Cols values. It may be called
// from several goroutines at once.
//
// For many rows DecisionAll is faster: it reads the support rows once for 64 of them. Both panic if
// the kernel is a function and Func is not set.
func (m *Model) Score(x []float32, dst []float64) []float64 {
	misuse.CheckEqual("len(x)", len(x), "m.Cols()", m.Cols())
	return m.scoreRow(nil, x, dst)
}

// ScoreSparse is [Model.Score] for a row of a sparse matrix, whose columns and values are passed as
// to [pegasos.Model.ScoreSparse].
func (m *Model) ScoreSparse(idx []int32, val []float32, dst []float64) []float64 {
	store.CheckRow(idx, val)
	if idx == nil {
		idx = []int32{} // a nil index would mean a dense row
	}
	return m.scoreRow(idx, val, dst)
}

// scoreRow stores the scores of a row in dst. index is nil if the row is dense.
func (m *Model) scoreRow(index []int32, values []float32, dst []float64) []float64 {
	m.prepare()
	if len(dst) < m.Problems() {
		dst = make([]float64, m.Problems())
	}
	dst = dst[:m.Problems()]
	if m.linear != nil {
		m.scoreLinear(Row{index, values}, dst)
		return dst
	}
	clear(dst)
	w, _ := m.single.Get().(*queryWorker)
	if w == nil {
		w = &queryWorker{kernel: make([][tileRows]float64, 1)}
	}
	s := m.store
	if s.words != nil && !store.AreBinary(values) {
		s = m.general
	}
	w.probes = append(w.probes[:0], s.makeProbe(index, values, true, &w.buffer))
	m.scoreProbes(s, w, dst)
	w.probes[0] = probe{} // do not keep the caller's row alive
	m.single.Put(w)
	return dst
}

// fewProblems is the largest number of problems for which predicting a single row does not allocate
// memory for its scores.
const fewProblems = 64

// PredictDense returns the predicted label of one row, NaN if a score is not finite, as
// [Model.PredictAll] does. It panics unless x has Cols values. If the model has at most 64
// problems, it allocates nothing after the first calls.
func (m *Model) PredictDense(x []float32) float32 {
	var space [fewProblems]float64
	return labels.At(m.Classes, m.Class(m.Score(x, space[:])))
}

// PredictSparse is [Model.PredictDense] for a row of a sparse matrix, as in [Model.ScoreSparse].
func (m *Model) PredictSparse(idx []int32, val []float32) float32 {
	var space [fewProblems]float64
	return labels.At(m.Classes, m.Class(m.ScoreSparse(idx, val, space[:])))
}
