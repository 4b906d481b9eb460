package dual

import (
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/certificate"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/loss"
	"github.com/pegasimd/pegasimd/internal/train/objective"
)

// Joint is dual coordinate descent on a problem with a vector for each class (Keerthi et al., KDD
// 2008), with the loss of Crammer and Singer or the multinomial log loss. Row i, of class y and
// weight c_i, has a dual variable p_ir >= 0 for each class r, and these sum to 1. Let w be the
// weights, minus the prior's if any:
//
//	w_r = v_r/(lambda*n), v_r = sum of c_i*((1 if r is y, else 0) - p_ir)*x_i.
//
// Without a prior, the dual objective is -lambda/2 |w|^2 plus the mean over the rows of c_i times
// the sum over r of p_ir*cost(y, r) or, for the log loss, of c_i times the entropy of the p_ir. A
// step replaces all dual variables of a row. With the scores z_r and q = c_i |x_i|^2/(lambda n),
// new values p change the dual objective by c_i/n times
//
//	sum over r of p_r (cost(y, r) + z_r) - q/2 (p_r - old p_r)^2
//
// up to a constant. For the log loss, entropy(p) replaces the costs; for the other loss, the
// maximizer is the projection of (cost(y, r) + z_r)/q + old p_r onto the simplex.
type Joint struct {
	common // alpha has 0 for each row's own class
	Of     *objective.Joint
	m      *dense.Matrix // rows are the vectors v_r
	space  *store.Mixed
	mixed  *store.Mixed // nil unless Visit mixes the vectors

	dots              []float32
	z, old, b, sorted []float64 // buffers, one number per class
}

// NewJoint returns a solver of p. The rows of m are the vectors of s; alpha holds the initial dual
// variables by row and class. For mean see New.
func NewJoint(s *iterate.State, p *objective.Joint, m *dense.Matrix, alpha []float32,
	mean bool) *Joint {
	k := len(s.Vectors)
	return &Joint{common: newCommon(s, p, alpha, mean), Of: p, m: m, dots: make([]float32, k),
		z: make([]float64, k), old: make([]float64, k), b: make([]float64, k),
		sorted: make([]float64, k)}
}

func (j *Joint) RecomputeWeights() {
	for _, v := range j.Vectors {
		clear(v)
	}
	clear(j.Biases)
	for _, i := range j.All() {
		for r, p := range j.duals(i) {
			if r == int(j.Class[i]) {
				p -= 1
			}
			j.shift(r, i, -p)
		}
	}
}

// duals returns the dual variables p_r of row i, including its own class's, in the buffer old.
func (j *Joint) duals(i int) []float64 {
	own, k := int(j.Class[i]), len(j.old)
	row := j.alpha[i*k:][:k]
	for r, v := range row {
		j.old[r] = float64(v)
	}
	j.old[own] = max(0, 1-certificate.Sum(row))
	return j.old
}

// shift adds row i, multiplied by change and the row's weight, to vector r and its bias. If the
// vectors are mixed, the caller must add the row with mixed.Axpy.
func (j *Joint) shift(r, i int, change float64) {
	a := float32(change * j.RowWeight(i))
	if a == 0 {
		return
	}
	if j.mixed != nil {
		j.mixed.Coefficients()[r] = a
	} else {
		j.X.Axpy(i, a, j.Vectors[r])
	}
	j.Biases[r] += float64(float64(a) * j.BiasScale)
}

// minNonzeros is the argument of store.MixingPays.
const minNonzeros = 2

func (j *Joint) Visit(all []uint32) {
	idx := j.activeRows(all)
	if store.MixingPays(j.X, len(idx), minNonzeros) {
		if j.space == nil {
			j.space = store.NewMixed(j.X, len(j.Vectors))
		}
		j.mixed = j.space
		j.mixed.Load(j.Vectors)
		defer func() {
			j.mixed.Store(j.Vectors)
			j.mixed = nil
		}()
	}
	for _, i := range idx {
		q, ok := j.scores(int(i))
		if !ok {
			j.T += int64(slices.Index(all, i))
			j.NotFinite(i)
			return
		}
		j.duals(int(i)) // stores them in old
		gap := 0.0
		if j.Of.Log {
			gap = j.stepToSoftmax(q)
		} else {
			gap = j.project(q)
		}
		j.GapSum += float64(j.RowWeight(int(i)) * gap)
		j.skip(i, gap)
		square := 0.0
		for r, p := range j.b {
			square += float64((p - j.old[r]) * (p - j.old[r]))
		}
		if j.pays(q, j.RowWeight(int(i)), square) {
			j.step(int(i))
		}
	}
	j.T += int64(len(all))
}

// scores stores cost(y, r) + z_r - z_y or, for the log loss, z_r - z_y in the buffer z for each
// class r, where y is the class of row i. For q see Joint; ok is false if q or an element of z is
// not finite.
func (j *Joint) scores(i int) (q float64, ok bool) {
	inverse, y := 1/j.FixedScale, int(j.Class[i])
	dots := j.dots
	if j.mixed != nil {
		dots = j.mixed.Dots(i)
	} else {
		j.X.DotVectors(dots, i, j.m, 0)
	}
	for r, dot := range dots {
		z := float64((float64(dot) + float64(j.BiasScale*j.Biases[r])) * inverse)
		j.z[r] = j.Of.FullScore(z, r, uint32(i))
		if !j.Of.Log {
			j.z[r] += j.Of.Cost(y, r)
		}
	}
	own := j.z[y]
	for r := range j.z {
		j.z[r] -= own
	}
	square := float64(j.Norms[i]) + float64(j.BiasScale*j.BiasScale)
	q = float64(float64(j.RowWeight(i)*square) * inverse)
	return q, floats.IsFinite(q) && floats.FirstNotFinite(j.z) < 0
}

func (j *Joint) step(i int) {
	y, changed, own := int(j.Class[i]), false, 0.0
	row := j.alpha[i*len(j.b):][:len(j.b)]
	for r, p := range j.b {
		to := float32(p)
		if r == y || to == row[r] {
			continue
		}
		change := float64(row[r]) - float64(to)
		j.shift(r, i, change)
		row[r], changed = to, true
		own -= change
	}
	if changed {
		j.shift(y, i, own)
		if j.mixed != nil {
			j.mixed.Axpy(i)
		}
		j.Violations++
	}
}

// project stores the best dual variables for the Crammer-Singer loss in b, overwrites z, and
// returns the row's duality gap before the step.
func (j *Joint) project(q float64) (gap float64) {
	top := slices.Max(j.z)
	for r, p := range j.old {
		gap += float64(p * (top - j.z[r]))
		j.z[r] += float64(q * p)
	}
	certificate.ProjectSimplex(j.z, q, j.b, j.sorted)
	return gap
}

// stepToSoftmax stores in b nearly the best dual variables for the log loss on the line from old to
// the softmax of the scores. Along this line the dual objective is concave, and does not fall at
// the start. gap is the row's duality gap before the step, to second order if each old dual
// variable differs from the softmax p of its class by at most p.
func (j *Joint) stepToSoftmax(q float64) (gap float64) {
	certificate.Softmax(j.z, j.b)
	square, close := 0.0, true
	for r, p := range j.b {
		d := p - j.old[r]
		square += float64(d * d)
		if close = close && math.Abs(d) <= p; p > 0 {
			gap += float64(d*d) / (2 * p)
		}
	}
	if !close {
		gap = j.relativeEntropy()
	}
	// Newton's method, safeguarded by bisection, finds the position s on the line: 0 is old, 1 the
	// softmax.
	s, low, high := 1/(1+q), 0.0, 1.0
	for range 16 {
		slope, second := -float64(float64(q*s)*square), -float64(q*square)
		for r, end := range j.b {
			d := end - j.old[r]
			p := j.old[r] + float64(s*d)
			if d == 0 || !(p > 0) {
				continue
			}
			slope += float64(d * (j.z[r] - floats.Log(p)))
			second -= float64(d*d) / p
		}
		if !(second < 0) {
			break
		}
		if slope > 0 {
			low = s
		} else {
			high = s
		}
		step := -slope / second
		if slope != 0 && !(s+step > low && s+step < high) {
			step = low + float64((high-low)/2) - s
		}
		if s += step; math.Abs(step) <= s/64 {
			break
		}
	}
	for r, p := range j.b {
		j.b[r] = j.old[r] + float64(s*(p-j.old[r]))
	}
	return gap
}

// The result is the relative entropy of old with respect to the softmax.
func (j *Joint) relativeEntropy() (gap float64) {
	top := slices.Max(j.z)
	least := floats.Log(slices.Max(j.b)) - top
	for r, p := range j.old {
		gap += loss.XLogX(p) - float64(p*(j.z[r]+least))
	}
	return max(0, gap)
}

func (j *Joint) DualEstimate() float64 {
	var sum float64
	for _, i := range j.All() {
		y, gain := int(j.Class[i]), 0.0
		for r, p := range j.duals(i) {
			gain += float64(p * (j.Of.FullScore(0, r, uint32(i)) - j.Of.FullScore(0, y, uint32(i))))
			if j.Of.Log {
				gain -= loss.XLogX(p)
			} else {
				gain += float64(p * j.Of.Cost(y, r))
			}
		}
		sum += float64(j.RowWeight(i) * gain)
	}
	return j.dual(sum)
}
