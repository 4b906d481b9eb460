package pegasos

import (
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/misuse"
	"github.com/pegasimd/pegasimd/internal/store"
)

// Score writes the scores of one row to dst, one for each weight vector, and returns dst: the bits
// of [Model.Decision] for the same row. x has Cols features. With a dst of [Model.Outputs] elements
// nothing is allocated; if dst is too short, a new slice is made. [Model.Class] and
// [Model.Probabilities] take the scores. Any number of goroutines may score at once.
//
// With a Scaling that is not folded the row is scaled first, in new memory. A model with a Scaler,
// HashBits or a Table takes rows that have been scaled, hashed or ordered like its training data.
func (m *Model) Score(x []float32, dst []float64) []float64 {
	if len(x) != m.Cols() {
		panic(misuse.Lengths("len(x)", len(x), "m.Cols()", m.Cols()))
	}
	dst = sized(dst, len(m.Weights))
	if m.scalesRows() {
		m.scoreScaled(nil, x, dst)
		return dst
	}
	for k, w := range m.Weights {
		dst[k] = float64(asm.Dot(x, w)) + m.bias(k)
	}
	return dst
}

// ScoreSparse is [Model.Score] for a row of a sparse matrix: val[k] is the value of feature idx[k],
// counted from 0, in ascending order; the others are 0. Features that the model lacks, from Cols
// on, are ignored, as in [Model.PredictAll]. It panics if idx and val differ in length, or idx is
// not ascending or begins below 0.
func (m *Model) ScoreSparse(idx []int32, val []float32, dst []float64) []float64 {
	store.CheckRow(idx, val)
	dst = sized(dst, len(m.Weights))
	if m.scalesRows() {
		m.scoreScaled(idx, val, dst)
		return dst
	}
	n := len(idx)
	for n > 0 && int(idx[n-1]) >= m.Cols() {
		n--
	}
	for k, w := range m.Weights {
		dst[k] = float64(asm.DotSparse(idx[:n], val[:n], w)) + m.bias(k)
	}
	return dst
}

// scalesRows reports whether rows have to be scaled before the weights take them.
func (m *Model) scalesRows() bool { return m.Scaling != nil && !m.Scaling.Folded }

// sized returns the first n elements of dst, or a new slice of so many if dst is too short.
func sized(dst []float64, n int) []float64 {
	if len(dst) < n {
		return make([]float64, n)
	}
	return dst[:n]
}

// fewOutputs is the most weight vectors with which a single row is predicted without allocating.
const fewOutputs = 64

// PredictDense returns the label of one row, as [Model.Predict] does: NaN if a score is not finite.
// x has Cols features. It allocates nothing in a model of up to 64 weight vectors.
func (m *Model) PredictDense(x []float32) float32 {
	var space [fewOutputs]float64
	return m.label(m.Score(x, space[:]))
}

// PredictSparse is [Model.PredictDense] for a row of a sparse matrix, as in [Model.ScoreSparse].
func (m *Model) PredictSparse(idx []int32, val []float32) float32 {
	var space [fewOutputs]float64
	return m.label(m.ScoreSparse(idx, val, space[:]))
}
