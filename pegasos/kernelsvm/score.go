package kernelsvm

import (
	"github.com/pegasimd/pegasimd/internal/labels"
	"github.com/pegasimd/pegasimd/internal/misuse"
	"github.com/pegasimd/pegasimd/internal/store"
)

// Score writes the scores of one row to dst, one for each problem, and returns dst: the bits of
// [Model.DecisionAll] for the same row. x has Cols features. With a dst of [Model.Outputs] elements
// nothing is allocated, after the first calls; if dst is too short, a new slice is made.
// [Model.Class] takes the scores. Any number of goroutines may score at once.
//
// Of many rows DecisionAll is faster: it reads the support rows once for 64 of them. It panics if
// the kernel is a function and Func is not set.
func (m *Model) Score(x []float32, dst []float64) []float64 {
	if len(x) != m.Cols() {
		panic(misuse.Lengths("len(x)", len(x), "m.Cols()", m.Cols()))
	}
	return m.scoreRow(nil, x, dst)
}

// ScoreSparse is [Model.Score] for a row of a sparse matrix: val[k] is the value of feature idx[k],
// counted from 0, in ascending order; the others are 0. Features that the model lacks, from Cols
// on, are ignored. It panics if idx and val differ in length, or idx is not ascending or begins
// below 0.
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
		m.decideLinear(Row{index, values}, dst)
		return dst
	}
	clear(dst)
	w, _ := m.single.Get().(*queryWorker)
	if w == nil {
		w = &queryWorker{found: make([][tileRows]float64, 1)}
	}
	s := m.store
	if s.words != nil && !store.AreBinary(values) {
		s = m.general
	}
	w.probes = append(w.probes[:0], s.query(index, values, true, &w.buffer))
	m.decide(s, w, dst)
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
	return m.label(m.Score(x, space[:]))
}

// PredictSparse is [Model.PredictDense] for a row of a sparse matrix, as in [Model.ScoreSparse].
func (m *Model) PredictSparse(idx []int32, val []float32) float32 {
	var space [fewProblems]float64
	return m.label(m.ScoreSparse(idx, val, space[:]))
}

// label is the one that the scores of a row speak for, NaN if one of them is not finite.
func (m *Model) label(scores []float64) float32 {
	return labels.At(m.Classes, m.Class(scores))
}
