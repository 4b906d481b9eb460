package dual

import (
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/train/certificate"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/loss"
	"github.com/pegasimd/pegasimd/internal/train/objective"
)

// A Joint is the descent of a problem with a vector for each class (Keerthi et al., KDD 2008). With
// shares p_ir, at least 0, of each row i for each class r, whose sum is 1,
//
//	w_r = v_r/(lambda*n), v_r = sum of c_i*((1 if r is y, else 0) - p_ir)*x_i,
//
// y being the row's own class, and what rises is the mean of the sums of c_i*p_ir*cost(y, r), or,
// of the log loss, of c_i times the entropy of the p_ir, less lambda/2 |w|^2. A step makes the best
// of all shares of a row, as with z_r, the score of r, and q = c_i |x_i|^2/(lambda n)
//
//	sum of p_r (cost(y, r) + z_r) - q/2 (p_r - old p_r)^2, plus entropy(p) of the log loss
//
// is what they earn. Without an entropy these are the nearest to (cost(y, r) + z_r)/q + old p_r
// among those that are at least 0 with the sum 1.
type Joint struct {
	running // with 0 for the rows' own classes
	Of      *objective.Joint
	m       *dense.Matrix // of the vectors

	dots              []float32 // buffers for a row
	z, old, b, sorted []float64
}

// NewJoint is New for a vector of each class, which are the rows of m.
func NewJoint(s *iterate.State, of *objective.Joint, m *dense.Matrix, alpha []float32,
	mean bool) *Joint {
	k := len(s.Vectors)
	return &Joint{running: start(s, alpha, mean), Of: of, m: m, dots: make([]float32, k),
		z: make([]float64, k), old: make([]float64, k), b: make([]float64, k),
		sorted: make([]float64, k)}
}

func (j *Joint) SumUp() {
	for _, v := range j.Vectors {
		clear(v)
	}
	clear(j.Biases)
	for _, i := range j.All() {
		for r, p := range j.shares(i) {
			if r == int(j.Class[i]) {
				p -= 1
			}
			j.shift(r, i, -p)
		}
	}
}

// shares returns the p_r of row i, in a buffer.
func (j *Joint) shares(i int) []float64 {
	own, k := int(j.Class[i]), len(j.old)
	row := j.alpha[i*k:][:k]
	for r, v := range row {
		j.old[r] = float64(v)
	}
	j.old[own] = max(0, 1-certificate.Total(row))
	return j.old
}

// shift adds row i times its weight and change to vector r.
func (j *Joint) shift(r, i int, change float64) {
	a := float32(change * j.Share(i))
	if a == 0 {
		return
	}
	j.X.Axpy(i, a, j.Vectors[r])
	j.Biases[r] += float64(float64(a) * j.BiasScale)
}

func (j *Joint) Visit(all []uint32) {
	for _, i := range j.notResting(all) {
		q, ok := j.scores(int(i))
		if !ok {
			j.T += int64(slices.Index(all, i))
			j.NotFinite(i)
			return
		}
		j.shares(int(i)) // to the buffer of old ones
		apart := 0.0
		if j.Of.Log {
			apart = j.towardsSoftmax(q)
		} else {
			apart = j.nearest(q)
		}
		j.Sum += float64(j.Share(int(i)) * apart)
		j.rest(i, apart)
		if !(apart < j.least) {
			j.step(int(i))
		}
	}
	j.T += int64(len(all))
}

// scores finds what the classes earn for row i, and q. It reports whether all are finite.
func (j *Joint) scores(i int) (q float64, ok bool) {
	inverse, y := 1/j.Fixed, int(j.Class[i])
	j.X.DotVectors(j.dots, i, j.m, 0)
	for r, dot := range j.dots {
		z := float64((float64(dot) + float64(j.BiasScale*j.Biases[r])) * inverse)
		j.z[r] = j.Of.Full(z, r, uint32(i))
		if !j.Of.Log {
			j.z[r] += j.Of.Cost(y, r)
		}
	}
	own := j.z[y]
	for r := range j.z {
		j.z[r] -= own
	}
	square := float64(j.Norms[i]) + float64(j.BiasScale*j.BiasScale)
	q = float64(float64(j.Share(i)*square) * inverse)
	return q, floats.IsFinite(q) && floats.FirstNotFinite(j.z) < 0
}

// step changes the shares of row i to those in the buffer.
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
		j.Violations++
	}
}

// nearest finds the best shares of Crammer-Singer, and how far the old ones are apart from the loss.
func (j *Joint) nearest(q float64) (apart float64) {
	top := slices.Max(j.z)
	for r, p := range j.old {
		apart += float64(p * (top - j.z[r]))
		j.z[r] += float64(q * p)
	}
	certificate.Nearest(j.z, q, j.b, j.sorted)
	return apart
}

// towardsSoftmax finds the best shares of the log loss on the way from the old ones to the softmax
// of the scores, or nearly: the dual objective is concave along it, and rises at its start. How far
// the old ones are apart is an estimate, as of loss.Func.Best.
func (j *Joint) towardsSoftmax(q float64) (apart float64) {
	certificate.Softmax(j.z, j.b)
	square, close := 0.0, true
	for r, p := range j.b {
		d := p - j.old[r]
		square += float64(d * d)
		if close = close && math.Abs(d) <= p; p > 0 {
			apart += float64(d*d) / (2 * p)
		}
	}
	if !close {
		apart = j.fromSoftmax()
	}
	// Newton's steps for the point s of the way, between bounds, from where a bend of 1 in place of
	// the entropy's would have it.
	s, low, high := 1/(1+q), 0.0, 1.0
	for range 16 {
		slope, bend := -float64(float64(q*s)*square), -float64(q*square)
		for r, end := range j.b {
			d := end - j.old[r]
			p := j.old[r] + float64(s*d)
			if d == 0 || !(p > 0) {
				continue
			}
			slope += float64(d * (j.z[r] - floats.Log(p)))
			bend -= float64(d*d) / p
		}
		if !(bend < 0) {
			break
		}
		if slope > 0 {
			low = s
		} else {
			high = s
		}
		step := -slope / bend
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
	return apart
}

// fromSoftmax returns the entropy of the old shares relative to that of the softmax.
func (j *Joint) fromSoftmax() (apart float64) {
	top := slices.Max(j.z)
	least := floats.Log(slices.Max(j.b)) - top
	for r, p := range j.old {
		apart += loss.XLogX(p) - float64(p*(j.z[r]+least))
	}
	return max(0, apart)
}

func (j *Joint) Shares() []float32 {
	share := slices.Clone(j.alpha)
	for i, a := range share {
		share[i] = max(0, a) // a state may say anything
	}
	return share
}

func (j *Joint) Gain() float64 {
	var sum, square float64
	for _, i := range j.All() {
		y, gain := int(j.Class[i]), 0.0
		for r, p := range j.shares(i) {
			gain += float64(p * (j.Of.Full(0, r, uint32(i)) - j.Of.Full(0, y, uint32(i))))
			if j.Of.Log {
				gain -= loss.XLogX(p)
			} else {
				gain += float64(p * j.Of.Cost(y, r))
			}
		}
		sum += float64(j.Share(i) * gain)
	}
	for r, v := range j.Vectors {
		square += float64(dense.SumSquares(v)) + float64(j.Biases[r]*j.Biases[r])
	}
	return sum/float64(j.Count()) - square/(2*j.Fixed*float64(j.Count()))
}
