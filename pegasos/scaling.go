package pegasos

import (
	"fmt"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/matrices"
	"github.com/pegasimd/pegasimd/internal/scaling"
	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/objective"
)

// A Scale says how the features are brought to one scale before training. Predictions take rows as
// they are: see [Scaling].
type Scale string

const (
	ScaleNone Scale = scaling.None
	// ScaleStandard takes its mean off each column and divides by the standard deviation. Sparse
	// rows become dense for it, if that takes no more than four times their bytes.
	ScaleStandard Scale = scaling.Standard
	// ScaleMaxAbs divides each column by the largest magnitude in it: zeros stay.
	ScaleMaxAbs Scale = scaling.MaxAbs
	// ScaleUnit divides each row by its Euclidean norm. Rows of zeros stay.
	ScaleUnit Scale = scaling.Unit
)

// A Scaling is how the rows, and numbers to predict, were scaled for training, by choice or because
// the Config says so: feature x of column j was (x - Shift[j])*Factor[j], and the number y was
// (y - Centre)/Spread. Lambda, the objective and its bound are about those.
type Scaling struct {
	Kind Scale `json:"kind"`
	// Folded says that the weights and biases are such that scores come from rows as they are.
	// Else rows are scaled before they are multiplied: of ScaleUnit, or where the mean of a column
	// is so much larger than its deviation that float32 would lose the difference.
	Folded bool      `json:"folded"`
	Shift  []float32 `json:"-"` // of each column, with ScaleStandard; else nil
	Factor []float32 `json:"-"` // of each column, with ScaleStandard and ScaleMaxAbs; else nil
	Centre float64   `json:"centre,omitempty"`
	Spread float64   `json:"spread,omitempty"` // 0 for 1
	// R2 is the mean squared length of the scaled rows, without a bias.
	R2 float64 `json:"r2"`
	// Note says what the automatic choice would have scaled, but left as it was, and why; or that
	// the model is from a second try.
	Note string `json:"note,omitempty"`

	epsilon float64 // Config.Epsilon of numbers as they are; not in files
}

// What can be folded: float32 has room for the weights then, and for differences from the mean.
const (
	largestRatio  = 1e3     // of a mean to the standard deviation
	largestFactor = 0x1p60  // of a column
	leastFactor   = 0x1p-60 // likewise
)

// foldable reports whether the scale can be folded into weights.
func (s *Scaling) foldable() bool {
	if s.Kind == ScaleUnit {
		return false
	}
	for j, f := range s.Factor {
		if f > largestFactor || f < leastFactor {
			return false
		}
		// A constant column, of the factor 1 and the weight 0, has no deviation.
		if s.Shift != nil && f != 1 &&
			math.Abs(float64(s.Shift[j]))*float64(f) > largestRatio {
			return false
		}
	}
	return true
}

func (s *Scaling) spread() float64 {
	if s == nil || s.Spread == 0 {
		return 1
	}
	return s.Spread
}

// scaler returns the arithmetic of it.
func (s *Scaling) scaler() *scaling.Scaler {
	return &scaling.Scaler{Kind: string(s.Kind), Shift: s.Shift, Factor: s.Factor}
}

// check returns an error unless it is one of so many columns.
func (s *Scaling) check(cols int) error {
	if !s.scaler().Check(cols) || !(s.spread() > 0) || !(math.Abs(s.Centre) <= math.MaxFloat64) ||
		!(s.spread() <= math.MaxFloat64) {
		return fmt.Errorf("the scaling %q does not fit %d features", s.Kind, cols)
	}
	for _, f := range s.Factor {
		if !(f > 0) {
			return fmt.Errorf("the scaling has the factor %v", f)
		}
	}
	return nil
}

// factor returns what column j is multiplied by when it is folded.
func (s *Scaling) factor(j int) float64 {
	if !s.Folded || s.Factor == nil {
		return 1
	}
	return float64(s.Factor[j])
}

// shift returns what is taken off column j when it is folded.
func (s *Scaling) shift(j int) float64 {
	if !s.Folded || s.Shift == nil {
		return 0
	}
	return float64(s.Shift[j])
}

// foldWeight returns the weight of column j in a model that takes rows as they are, if it is w for
// scaled rows and numbers.
func (s *Scaling) foldWeight(j int, w float32) float32 {
	return float32(float64(float64(w)*s.factor(j)) * s.spread())
}

// exactWeights returns the weights of vector w, as folding rounds them, for scaled rows.
func (s *Scaling) exactWeights(w []float32) []float64 {
	wide := make([]float64, len(w))
	for j, v := range w {
		wide[j] = float64(s.foldWeight(j, v)) / float64(s.factor(j)*s.spread())
	}
	return wide
}

// moved returns the sum of the shifts times the weights of w, as folding rounds them, and the sum
// of the magnitudes.
func (s *Scaling) moved(w []float32) (sum, size float64) {
	if !s.Folded || s.Shift == nil {
		return 0, 0
	}
	for j, v := range w {
		p := float64(float64(s.foldWeight(j, v)) * s.shift(j))
		sum += p
		size += math.Abs(p)
	}
	return sum, size
}

// Fold returns m, which is about scaled rows and numbers, as a model that takes rows as they are
// and keeps s.
func (s *Scaling) Fold(m *Model) *Model {
	if s == nil {
		return m
	}
	f := *m
	f.Scaling = s
	f.Weights = iterate.Zeros(len(m.Weights), m.Cols())
	if m.Bias != nil || s.Centre != 0 || s.Folded && s.Shift != nil {
		f.Bias = make([]float64, len(m.Weights))
	}
	for k, w := range m.Weights {
		for j, v := range w {
			f.Weights[k][j] = s.foldWeight(j, v)
		}
		if f.Bias != nil {
			moved, _ := s.moved(w)
			f.Bias[k] = float64(m.bias(k)*s.spread()) + s.Centre - moved
		}
	}
	f.Config.Epsilon = s.epsilon
	if m.Proof != nil {
		proof := *m.Proof
		proof.model = f.proofHash()
		f.Proof = &proof
	}
	return &f
}

// Unfold returns m, which takes rows as they are or was made with s, as a model about rows and
// numbers scaled by s.
func (s *Scaling) Unfold(m *Model) *Model {
	if s == nil {
		return m
	}
	from := s
	if m.Scaling == nil || m.Scaling.Folded { // it takes rows as they are
		raw := *s
		raw.Folded = s.Kind != ScaleUnit
		from = &raw
	}
	u := *m
	u.Weights, u.Bias = iterate.Zeros(len(m.Weights), m.Cols()), make([]float64, len(m.Weights))
	for k := range m.Weights {
		wide, b := from.Exact(m, k)
		for j, v := range wide {
			u.Weights[k][j] = float32(v)
		}
		u.Bias[k] = b
	}
	if m.Config.Plain().Bias == BiasNone && from.onlyShifts(m, u.Bias) {
		u.Bias = nil
	}
	u.Scaling = nil
	u.Config.Epsilon = m.Config.Epsilon / s.spread()
	return &u
}

// onlyShifts reports whether the biases of m are made of the shifts alone: what is left of them,
// for scaled rows, is no more than roundings.
func (s *Scaling) onlyShifts(m *Model, left []float64) bool {
	for k, b := range left {
		size := math.Abs(m.bias(k)) + math.Abs(s.Centre)
		for j, v := range m.Weights[k] {
			size += math.Abs(float64(float64(v) * s.shift(j)))
		}
		if math.Abs(b)*s.spread() > float64(0x1p-44*size) {
			return false
		}
	}
	return true
}

// Exact returns vector k of m, which was folded by s, and its bias, for scaled rows and numbers.
func (s *Scaling) Exact(m *Model, k int) (w []float64, b float64) {
	w, b = make([]float64, m.Cols()), m.bias(k)-s.Centre
	for j, v := range m.Weights[k] {
		w[j] = float64(v) / float64(s.factor(j)*s.spread())
		b += float64(float64(v) * s.shift(j))
	}
	return w, b / s.spread()
}

// scoreScaled writes the scores of a row as it is, of all values if index is nil, by vectors that
// take scaled ones.
func (m *Model) scoreScaled(index []int32, values []float32, dst []float64) {
	s := m.Scaling
	if s.Kind == ScaleUnit {
		length := scaling.Length(values)
		n := len(index)
		for n > 0 && int(index[n-1]) >= m.Cols() {
			n--
		}
		for k, w := range m.Weights {
			var dot float32
			if index == nil {
				dot = asm.Dot(values, w)
			} else {
				dot = asm.DotSparse(index[:n], values[:n], w)
			}
			dst[k] = float64(dot)/length + m.bias(k)
		}
		return
	}
	row := matrices.Vectors(1, m.Cols())[0]
	if index == nil {
		copy(row, values)
	}
	for k, j := range index {
		if int(j) < len(row) {
			row[j] = values[k]
		}
	}
	s.scaler().Row(row, nil, row)
	for k, w := range m.Weights {
		dst[k] = float64(asm.Dot(row, w)) + m.bias(k)
	}
}

// withCols returns the scaling over so many features: further ones are as they are.
func (s *Scaling) withCols(cols int) *Scaling {
	if s == nil || s.Factor == nil {
		return s
	}
	c := *s
	c.Factor = slices.Clone(s.Factor[:min(cols, len(s.Factor))])
	for len(c.Factor) < cols {
		c.Factor = append(c.Factor, 1)
	}
	if s.Shift != nil {
		c.Shift = slices.Clone(s.Shift[:min(cols, len(s.Shift))])
		for len(c.Shift) < cols {
			c.Shift = append(c.Shift, 0)
		}
	}
	return &c
}

// rest returns what zeros in the columns from cols on add to a score by w, which takes scaled rows.
func (s *Scaling) rest(w []float32, cols int) (sum float64) {
	scaler := s.scaler()
	for j := cols; j < len(w); j++ {
		sum += float64(float64(w[j]) * scaler.At(j, 0))
	}
	return sum
}

// biasError returns a number that float64's relative error in sums has to be multiplied by for the
// error of a folded bias, for scaled rows.
func (s *Scaling) biasError(w [][]float32) (size float64) {
	for _, v := range w {
		_, moved := s.moved(v)
		size = max(size, moved)
	}
	return (size + math.Abs(s.Centre)) / s.spread()
}

// biasPenaltyError returns by how much the penalty of the biases may change by the error that they
// have when they are folded.
func biasPenaltyError(t *objective.Terms, c *Scaling, w [][]float32, b []float64) (sum float64) {
	if t.BiasScale == 0 {
		return 0
	}
	size := c.biasError(w)
	for k, v := range b {
		d := float64(t.Sums*(size+math.Abs(v))) / t.BiasScale
		sum += float64(d * (math.Abs(v-t.PriorBias[k])/t.BiasScale + d))
	}
	return float64(t.Lambda * sum)
}

// penaltyError returns by how much the penalty of the vectors w may change when folding rounds
// them: each weight by 2^-24 of itself, their difference from a prior by as much.
func (s *Scaling) penaltyError(w [][]float32, lambda, penalty float64) float64 {
	var sum float64
	for _, v := range w {
		sum += objective.SquareSum(v)
	}
	if s.Factor == nil && s.spread() == 1 {
		return 0 // nothing is rounded
	}
	d := 0x1.01p-24 * math.Sqrt(sum)
	return float64(lambda * d * (math.Sqrt(2*penalty/lambda) + d))
}

// numbers returns how many shifts and factors there are, of so many columns.
func (s *Scaling) numbers(cols int) (shifts, factors int) {
	switch s.Kind {
	case ScaleStandard:
		return cols, cols
	case ScaleMaxAbs:
		return 0, cols
	}
	return 0, 0
}

// errScaled is what TakesRawRows returns.
type errScaled struct{ kind Scale }

func (e errScaled) Error() string {
	return fmt.Sprintf("the model scales rows (%s) before it multiplies them, which can't be made "+
		"part of its weights: train it with the Scale %s or %s", e.kind, ScaleMaxAbs, ScaleNone)
}

// TakesRawRows returns an error if scores are not the products of rows as they are and the weights,
// plus the biases: rows are scaled first then, and other programs would have to do so.
func (m *Model) TakesRawRows() error {
	if s := m.Scaling; s != nil && !s.Folded {
		return errScaled{s.Kind}
	}
	return nil
}

// apply returns rows and numbers to predict as they were scaled. Once stop is true, the rows are of
// no use.
func (s *Scaling) apply(x Examples, y []float32, threads int, stop func() bool) (Examples,
	[]float32) {
	if s.Kind != ScaleNone {
		x = store.Scale(store.Of(x), s.scaler(), s.Kind == ScaleStandard, threads, stop)
	}
	if s.Spread == 0 {
		return x, y
	}
	scaled := make([]float32, len(y))
	for i, v := range y {
		scaled[i] = float32((float64(v) - s.Centre) / s.Spread)
	}
	return x, scaled
}
