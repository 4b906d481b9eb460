package kernelsvm

import (
	"runtime"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/labels"
	"github.com/pegasimd/pegasimd/internal/mistake"
	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/pegasos"
)

// prepare makes what predictions need.
func (m *Model) prepare() {
	if m.Config.Kernel == Function && m.Func == nil {
		panic(mistake.Of("the model's kernel is a function: set Func after reading"))
	}
	m.once.Do(func() {
		at := make([]int32, m.rows.Rows())
		for i := range at {
			at[i] = int32(i)
		}
		m.scorer = &scorer[float32]{m.Config, len(m.Classes), m.counts, m.coef, nil}
		if m.Config.Kernel == Linear {
			m.scorer.addUp(m.rows, at)
			return
		}
		k, ends := m.Config.function(m.Func), endsOf(m.counts)
		m.store = newStore(k, m.rows, at, ends)
		m.general = m.store
		if m.store.words != nil {
			m.general = newGeneralStore(k, m.rows, at, ends)
		}
	})
}

// queryRows is the number of rows that are predicted together: the support rows come from memory
// once for all of them.
const queryRows = 64

// DecisionAll returns the scores of all rows of x, one row after the other: those of row i start at
// i*Problems(). If x has more features than the model, the further ones are ignored; if it has
// fewer, the rest count as 0. The work is done by GOMAXPROCS goroutines. It panics if the kernel is
// a function and Func is not set.
func (m *Model) DecisionAll(x pegasos.Examples) []float64 {
	return m.decisionAll(x, runtime.GOMAXPROCS(0))
}

func (m *Model) decisionAll(x pegasos.Examples, threads int) []float64 {
	m.prepare()
	n, p := x.Rows(), m.Problems()
	scores := make([]float64, n*p)
	workers := make([]*queryWorker, threads)
	_, matrix := store.MatrixOf(x)
	parallel.For(threads, (n+queryRows-1)/queryRows, func(worker, block int) {
		w := workers[worker]
		if w == nil {
			w = newWorker(queryRows)
			w.rows, w.matrix = store.ReaderOf(x), matrix
			workers[worker] = w
		}
		start := block * queryRows
		end := min(start+queryRows, n)
		for i := start; i < end && m.scorer.linear != nil; i++ {
			index, values := w.rows.Row(i)
			m.scorer.decideLinear(Row{index, values}, scores[i*p:])
		}
		if m.scorer.linear == nil {
			m.scorer.decide(m.probe(w, start, end), w, scores[start*p:end*p])
		}
	})
	return scores
}

// A queryWorker has what one goroutine needs to predict.
type queryWorker struct {
	rows   store.Reader
	matrix bool // the rows are a store.Matrix
	probes []probe
	found  []*[tileRows]float64 // kernel values of each probe with a tile
	buffer rowBuffer            // of a single row
}

// newWorker returns one for up to so many rows at a time.
func newWorker(rows int) *queryWorker {
	w := new(queryWorker)
	for range rows {
		w.found = append(w.found, new([tileRows]float64))
	}
	return w
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
	if s.words != nil && !w.allBinary(start, end) {
		s = m.general
	}
	w.probes = w.probes[:0]
	for i := start; i < end; i++ {
		index, values := w.rows.Row(i)
		w.probes = append(w.probes, s.query(index, values, w.matrix, &rowBuffer{}))
	}
	return s
}

func (w *queryWorker) allBinary(start, end int) bool {
	for i := start; i < end && w.matrix; i++ {
		if !store.IsBinary(w.rows, i) {
			return false
		}
	}
	return w.matrix
}

// query returns a row of a store.Reader as a probe, without the columns that the model lacks. The
// probe has the values themselves where they last, as those of a matrix do, or else is in b.
func (s *rowStore) query(index []int32, values []float32, last bool, b *rowBuffer) probe {
	if s.words != nil {
		b.words = zeros(b.words, s.width)
		packRow(b.words, index, values, s.cols)
		return probe{words: b.words}
	}
	if s.dense == nil {
		if index == nil {
			index, values = b.nonzeros(values)
		}
		k := len(index)
		for k > 0 && int(index[k-1]) >= s.cols {
			k--
		}
		index, values = index[:k], values[:k]
		return probe{wide: s.wideSquare(values), index: index, values: values}
	}
	if index == nil && last && len(values) == s.cols {
		return probe{wide: s.wideSquare(values), values: values}
	}
	row := zeros(b.values, s.cols)
	b.values = row
	if index == nil {
		copy(row, values)
	}
	for k, j := range index {
		if int(j) < s.cols {
			row[j] = values[k]
		}
	}
	return probe{wide: s.wideSquare(row), values: row}
}

// zeros returns n zeros, in buf if it is large enough.
func zeros[T any](buf []T, n int) []T {
	if cap(buf) < n {
		return make([]T, n)
	}
	clear(buf[:n])
	return buf[:n]
}

func (b *rowBuffer) nonzeros(row []float32) (index []int32, values []float32) {
	b.index, b.values = b.index[:0], b.values[:0]
	if b.index == nil {
		b.index = []int32{} // nil is how rows that are dense are told
	}
	for j, v := range row {
		if v != 0 {
			b.index, b.values = append(b.index, int32(j)), append(b.values, v)
		}
	}
	return b.index, b.values
}

// Class returns the position in Classes of the class that the scores of a row speak for. For two
// classes it is the second if the score is above 0. Of pairs it is the class that wins most of
// them, and of those that win as many the one whose scores against the others have the largest sum;
// otherwise it is that of the highest score. The first of equals is taken. It is -1 if a score is
// not finite.
func (m *Model) Class(scores []float64) int {
	n := len(m.Classes)
	if len(scores) < m.Outputs() || n == 0 {
		panic(mistake.Of("%d scores of a model of %d classes", len(scores), n))
	}
	if floats.FirstNotFinite(scores[:m.Outputs()]) >= 0 {
		return -1
	}
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
	pairs := m.Config.Multiclass == pegasos.OneVsOne
	return labels.ClassScores(scores[:m.Outputs()], dst, len(m.Classes), pairs)
}

// PredictAll returns the labels of all rows of x, NaN where a score is not finite. Features that x
// or the model lacks are as in [Model.DecisionAll].
func (m *Model) PredictAll(x pegasos.Examples) []float32 {
	scores, p := m.DecisionAll(x), m.Problems()
	labels := make([]float32, x.Rows())
	for i := range labels {
		labels[i] = m.label(scores[i*p:][:p])
	}
	return labels
}
