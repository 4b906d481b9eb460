package kernelsvm

import (
	"context"
	"runtime"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/labels"
	"github.com/pegasimd/pegasimd/internal/misuse"
	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/pegasos"
)

// prepare makes what predictions need.
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

// addUp makes the w of each problem with a linear kernel. The part of a sum that rounding loses is
// added to it at the end: of rows far from the origin, little more than that is left.
func (m *Model) sumLinear() {
	m.linear = make([][]float64, m.Problems())
	for k := range m.linear {
		w, lost := make([]float64, m.Cols()), make([]float64, m.Cols())
		for i, a := range m.Coefficients(k) {
			if a == 0 {
				continue
			}
			eachValue(m.rows, []int32{int32(i)}, func(j int, v float64) {
				v = float64(v * float64(a)) // exact
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

// queryRows is the number of rows that are predicted together: the support rows come from memory
// once for all of them.
const queryRows = 64

// DecisionAll returns the scores of all rows of x, as [pegasos.Model.DecisionAll] does: those of
// row i start at i*Problems(). The work is done by GOMAXPROCS goroutines. It panics if the kernel
// is a function and Func is not set.
func (m *Model) DecisionAll(x pegasos.Examples) []float64 {
	return m.decisionAll(x, runtime.GOMAXPROCS(0))
}

func (m *Model) decisionAll(x pegasos.Examples, threads int) []float64 {
	if err := store.Given(x); err != nil {
		panic(misuse.Of("%v", err))
	}
	scores := make([]float64, x.Rows()*m.Problems())
	m.scoreAll(context.Background(), x, nil, threads, func(start int, some []float64) {
		copy(scores[start*m.Problems():], some)
	})
	return scores
}

// decideAll finds the scores of the rows of x, or of some only, unless ctx is done before. It calls
// take with some scores at a time and the number of the first row, from several goroutines.
func (m *Model) scoreAll(ctx context.Context, x pegasos.Examples, only []int32, threads int,
	emit func(start int, scores []float64)) {
	m.prepare()
	n, p := x.Rows(), m.Problems()
	if only != nil {
		n = len(only)
	}
	workers := make([]*queryWorker, threads)
	_, matrix := store.MatrixOf(x)
	parallel.For(threads, (n+queryRows-1)/queryRows, func(worker, block int) {
		if ctx.Err() != nil {
			return
		}
		w := workers[worker]
		if w == nil {
			w = &queryWorker{rows: store.ReaderOf(x), only: only, matrix: matrix,
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

// A queryWorker has what one goroutine needs to predict.
type queryWorker struct {
	rows   store.Reader
	only   []int32 // of the rows; nil for all
	matrix bool    // the rows are a store.Matrix
	probes []probe
	kernel [][tileRows]float64 // kernel values of each probe with a tile
	scores []float64           // of many rows
	buffer rowBuffer           // of a single row
}

func (w *queryWorker) row(i int) (index []int32, values []float32) {
	if w.only != nil {
		i = int(w.only[i])
	}
	return w.rows.Row(i)
}

// A rowBuffer is memory for what becomes of a row.
type rowBuffer struct {
	words  []uint64
	index  []int32
	values []float32
}

// probe makes probes of the rows from start to end, and returns the store that they are for.
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

// decide finds the scores of the worker's probes, which are 0 before. To the bit a score is the sum
// in float64, over the support rows in their order, of coefficient times value.
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

// decideLinear finds the scores of a row by a linear kernel: sums in the order of the columns.
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

// addValues adds to every score of problem k of p the sum of coef[j]*rows[i][j], in the order of j.
// Four sums at a time don't wait for each other.
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

// query returns a row of a store.Reader as a probe, without the columns that the model lacks. The
// probe has the values themselves where they last, as those of a matrix do, or else is in b.
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

// nonzeros returns what of a row is not 0.
func (b *rowBuffer) nonzeros(columns []int32, row []float32) (index []int32, values []float32) {
	b.index, b.values = b.index[:0], b.values[:0]
	if b.index == nil {
		b.index = []int32{} // nil is how rows that are dense are told
	}
	for k, v := range row {
		if v != 0 {
			b.index, b.values = append(b.index, column(columns, k)), append(b.values, v)
		}
	}
	return b.index, b.values
}

// Class returns the position in Classes of the class that the scores of a row speak for. For two
// classes it is the second if the score is above 0. Of pairs it is the class that wins most of
// them, and of those that win as many the one whose scores against the others have the largest sum;
// otherwise it is that of the highest score. Of equal ones the first is taken. It is -1 if a score
// is not finite.
func (m *Model) Class(scores []float64) int {
	n := len(m.Classes)
	if len(scores) < m.Outputs() || n == 0 {
		panic(misuse.Of("%d scores of a model of %d classes", len(scores), n))
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

// ClassScores writes a score for each class to dst, in the order of Classes, and returns dst: see
// [pegasos.Model.ClassScores]. If dst is too short, a new slice is made.
func (m *Model) ClassScores(scores, dst []float64) []float64 {
	n := len(m.Classes)
	return labels.ClassScores(scores[:m.Outputs()], dst, n, m.Config.pairs(n))
}

// PredictAll returns the labels of all rows of x, NaN where a score is not finite. Features that x
// or the model lacks are as in [Model.DecisionAll].
func (m *Model) PredictAll(x pegasos.Examples) []float32 {
	scores, p := m.DecisionAll(x), m.Problems()
	predicted := make([]float32, x.Rows())
	for i := range predicted {
		predicted[i] = labels.At(m.Classes, m.Class(scores[i*p:][:p]))
	}
	return predicted
}

// Score writes the scores of one row to dst, one for each problem, and returns dst: the bits of
// [Model.DecisionAll] for the same row. x has Cols features. With a dst of [Model.Outputs] elements
// nothing is allocated, after the first calls; if dst is too short, a new slice is made.
// [Model.Class] takes the scores. Any number of goroutines may score at once.
//
// Of many rows DecisionAll is faster: it reads the support rows once for 64 of them. Both panic if
// the kernel is a function and Func is not set.
func (m *Model) Score(x []float32, dst []float64) []float64 {
	if len(x) != m.Cols() {
		panic(misuse.Lengths("len(x)", len(x), "m.Cols()", m.Cols()))
	}
	return m.scoreRow(nil, x, dst)
}

// ScoreSparse is [Model.Score] for a row of a sparse matrix, as in [pegasos.Model.ScoreSparse].
func (m *Model) ScoreSparse(idx []int32, val []float32, dst []float64) []float64 {
	store.CheckRow(idx, val)
	if idx == nil {
		idx = []int32{} // nil is how rows that are dense are told
	}
	return m.scoreRow(idx, val, dst)
}

// scoreRow scores a row as a store.Reader has it.
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
	w.probes[0] = probe{} // the row is the caller's
	m.single.Put(w)
	return dst
}

// fewProblems is up to how many problems a model predicts a single row without allocating.
const fewProblems = 64

// PredictDense returns the label of one row, as [Model.PredictAll] does: NaN if a score is not
// finite. x has Cols features. It allocates nothing in a model of up to 64 problems.
func (m *Model) PredictDense(x []float32) float32 {
	var space [fewProblems]float64
	return labels.At(m.Classes, m.Class(m.Score(x, space[:])))
}

// PredictSparse is [Model.PredictDense] for a row of a sparse matrix, as in [Model.ScoreSparse].
func (m *Model) PredictSparse(idx []int32, val []float32) float32 {
	var space [fewProblems]float64
	return labels.At(m.Classes, m.Class(m.ScoreSparse(idx, val, space[:])))
}
