package pegasos

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/labels"
	"github.com/pegasimd/pegasimd/internal/misuse"
	"github.com/pegasimd/pegasimd/internal/order"
)

// A Sigmoid makes a probability of a score z: 1/(1 + e^(A*z+B)) (Platt 1999).
type Sigmoid struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
}

func (s Sigmoid) isFinite() bool { return floats.IsFinite(s.A) && floats.IsFinite(s.B) }

func (s Sigmoid) at(z float64) float64 { return floats.Sigmoid(-(float64(s.A*z) + s.B)) }

// fitSigmoid returns the one that makes what is known of so many scores likeliest, with Platt's
// targets in place of 0 and 1. It is the method of Lin, Lin and Weng (Machine Learning 68, 2007):
// Newton's, with a line search and a ridge.
func fitSigmoid(z []float64, positive []bool) Sigmoid {
	var pos, neg float64
	for _, p := range positive {
		if p {
			pos++
		} else {
			neg++
		}
	}
	l := &likelihood{z, make([]float64, len(z))}
	high, low := (pos+1)/(pos+2), 1/(neg+2)
	for i, p := range positive {
		l.target[i] = low
		if p {
			l.target[i] = high
		}
	}
	s := Sigmoid{0, floats.Log((neg + 1) / (pos + 1))}
	best := l.value(s)
	for range 100 {
		da, db, slope, flat := l.newtonStep(s)
		if flat {
			break
		}
		step, moved := 1.0, false
		for step >= 1e-10 {
			next := Sigmoid{s.A + float64(step*da), s.B + float64(step*db)}
			if v := l.value(next); v < best+float64(1e-4*float64(step*slope)) {
				s, best, moved = next, v, true
				break
			}
			step /= 2
		}
		if !moved {
			break
		}
	}
	return s
}

// A likelihood is the problem of fitSigmoid: scores, and what their probabilities should be.
type likelihood struct{ z, target []float64 }

// value returns minus the logarithm of the likelihood.
func (l *likelihood) value(s Sigmoid) (sum float64) {
	for i, z := range l.z {
		f := float64(s.A*z) + s.B
		// t*f + log(1 + e^-f) for f >= 0, and (t-1)*f + log(1 + e^f) for others: the same, without
		// overflow.
		sum += float64(l.target[i]*f) + floats.Log1pExp(-f)
	}
	return sum
}

// newtonStep returns the step of Newton's method from s and the slope along it, or that the
// gradient is 0, nearly.
func (l *likelihood) newtonStep(s Sigmoid) (da, db, slope float64, flat bool) {
	const ridge = 1e-12
	h11, h22, h21, g1, g2 := ridge, ridge, 0.0, 0.0, 0.0
	for i, z := range l.z {
		p := s.at(z)
		d2 := float64(p * (1 - p))
		zd := float64(z * d2)
		h11 += float64(z * zd)
		h22 += d2
		h21 += zd
		d1 := l.target[i] - p
		g1 += float64(z * d1)
		g2 += d1
	}
	if math.Abs(g1) < 1e-5 && math.Abs(g2) < 1e-5 {
		return 0, 0, 0, true
	}
	det := float64(h11*h22) - float64(h21*h21)
	da = -(float64(h22*g1) - float64(h21*g2)) / det
	db = -(float64(h11*g2) - float64(h21*g1)) / det
	return da, db, float64(g1*da) + float64(g2*db), false
}

// Calibrate fits Platt's sigmoids, one for each weight vector, to scores that [Model.DecisionAll]
// gave of rows with the labels y, which should not be those of the training. From then on the model
// has probabilities.
func (m *Model) Calibrate(scores []float64, y []float32) error {
	if m.Classes == nil {
		return fmt.Errorf("pegasos: a model that predicts numbers has no probabilities")
	}
	vectors := len(m.Weights)
	if len(scores) != vectors*len(y) {
		return fmt.Errorf("pegasos: %d scores for %d rows and %d weight vectors",
			len(scores), len(y), vectors)
	}
	_, classes, err := labels.Classify(y, nil, m.Classes, rowError)
	if err != nil {
		return err
	}
	if i := floats.FirstNotFinite(scores); i >= 0 {
		return rowError(i/vectors, fmt.Sprintf("the score is %v", scores[i]))
	}
	calibration := make([]Sigmoid, vectors)
	for k := range calibration {
		negative, positive := m.sides(k)
		var z []float64
		var is []bool
		for i, c := range classes {
			if c := int(c); c == positive || negative < 0 || c == negative {
				z, is = append(z, scores[i*vectors+k]), append(is, c == positive)
			}
		}
		calibration[k] = fitSigmoid(z, is)
		if s := calibration[k]; !s.isFinite() {
			return fmt.Errorf("pegasos: no sigmoid fits the scores of weight vector %d", k)
		}
	}
	m.Calibration = calibration
	return nil
}

// sides returns the class that a score of vector k above 0 speaks for, and the one that it speaks
// against, or -1 for all others.
func (m *Model) sides(k int) (negative, positive int) {
	switch {
	case len(m.Weights) == 1:
		return 0, 1
	case m.Config.Multiclass == OneVsOne:
		return m.Pair(k)
	}
	return -1, k
}

// HasProbabilities reports whether the model can tell probabilities: it was trained with the loss
// Log, or calibrated.
func (m *Model) HasProbabilities() bool {
	return m.Classes != nil && (m.Calibration != nil || m.Config.Loss.LogOdds())
}

// Probabilities writes the probability of each class to dst, for scores of one row, and returns
// dst. If dst is too short, a new slice is made. They add up to 1. Of one-vs-rest they are those of
// the classes' own problems, divided by their sum; of one-vs-one they agree best with those of the
// pairs (Wu, Lin and Weng, JMLR 5, 2004, the second method); of Multinomial they are e^z, divided
// by the sum. It panics if the model has none: see HasProbabilities.
func (m *Model) Probabilities(scores, dst []float64) []float64 {
	if !m.HasProbabilities() {
		panic(misuse.Of("the model has no probabilities"))
	}
	n := len(m.Classes)
	if len(dst) < n {
		dst = make([]float64, n)
	}
	dst = dst[:n]
	if m.Calibration == nil && m.Config.Multiclass == Multinomial {
		top := math.Inf(-1)
		for _, z := range scores[:n] {
			top = max(top, z)
		}
		for k, z := range scores[:n] {
			dst[k] = floats.Exp(z - top)
		}
		return normalise(dst)
	}
	at := func(k int) float64 {
		if m.Calibration == nil {
			return floats.Sigmoid(scores[k])
		}
		return m.Calibration[k].at(scores[k])
	}
	switch {
	case len(m.Weights) == 1:
		dst[1] = at(0)
		dst[0] = 1 - dst[1]
		return dst
	case m.Config.Multiclass == OneVsOne:
		return couple(dst, func(k int) float64 { return at(k) })
	}
	for k := range dst {
		dst[k] = at(k)
	}
	return normalise(dst)
}

func normalise(p []float64) []float64 {
	var sum float64
	for _, v := range p {
		sum += v
	}
	for k := range p {
		if sum > 0 {
			p[k] /= sum
		} else { // all underflowed
			p[k] = 1 / float64(len(p))
		}
	}
	return p
}

// couple finds the p with a sum of 1 that makes sum over the pairs of (r_ba*p_a - r_ab*p_b)^2
// least: at(k) is what pair k makes of the second of its classes.
func couple(p []float64, at func(k int) float64) []float64 {
	n := len(p)
	var few [2*10*10 + 10]float64
	space := few[:]
	if n > 10 {
		space = make([]float64, 2*n*n+n)
	}
	r, q, qp := space[:n*n], space[n*n:2*n*n], space[2*n*n:][:n]
	// r[a*n+b] is the probability of a rather than b.
	k := 0
	for a := range n {
		for b := a + 1; b < n; b++ {
			v := max(1e-7, min(at(k), 1-1e-7))
			r[b*n+a], r[a*n+b] = v, 1-v
			k++
		}
	}
	for a := range n {
		p[a] = 1 / float64(n)
		for b := range n {
			if a != b {
				q[a*n+a] += float64(r[b*n+a] * r[b*n+a])
				q[a*n+b] = -float64(r[b*n+a] * r[a*n+b])
			}
		}
	}
	for range max(100, n) {
		var pqp float64
		for a := range n {
			qp[a] = 0
			for b := range n {
				qp[a] += float64(q[a*n+b] * p[b])
			}
			pqp += float64(p[a] * qp[a])
		}
		worst := 0.0
		for _, v := range qp {
			worst = max(worst, math.Abs(v-pqp))
		}
		if worst < 0.005/float64(n) {
			break
		}
		for a := range n {
			d := (pqp - qp[a]) / q[a*n+a]
			p[a] += d
			pqp = (pqp + float64(d*(float64(d*q[a*n+a])+2*qp[a]))) / float64((1+d)*(1+d))
			for b := range n {
				qp[b] = (qp[b] + float64(d*q[a*n+b])) / (1 + d)
				p[b] /= 1 + d
			}
		}
	}
	return normalise(p)
}

// calibrate fits sigmoids to the scores that models of the same settings give for rows they have
// not been trained on: there is one for each fold, trained on the others. Rows without weight have
// no part in it.
func (tr *Trainer) calibrate(ctx context.Context, m *Model, x Examples, y []float32) error {
	folds := tr.Config.Calibrate
	fold := Folds(y, tr.Weights, folds, tr.Config.Seed)
	inner := *tr
	inner.Config.Calibrate, inner.KeepState, inner.Resume, inner.Pause = 0, false, nil, 0
	inner.classes = m.Classes
	var scores []float64
	var held []float32 // the labels
	vectors := len(m.Weights)
	for f := range folds {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		inner.Weights = make([]float32, len(y))
		for i := range y {
			if fold[i] != f && fold[i] >= 0 {
				inner.Weights[i] = 1
				if tr.Weights != nil {
					inner.Weights[i] = tr.Weights[i]
				}
			}
		}
		part, err := inner.train(ctx, x, y)
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return fmt.Errorf("pegasos: calibration, fold %d of %d: %w", f+1, folds, err)
		}
		z := make([]float64, vectors)
		for i := range y {
			if fold[i] == f {
				scores = append(scores, part.Decision(x, i, z)...)
				held = append(held, y[i])
			}
		}
	}
	return m.Calibrate(scores, held)
}

// Folds deals the rows of each label of y out to so many folds, in random order: stratified, as for
// cross-validation. The same labels and seed give the same folds on every machine. It returns the
// number of each row's fold, -1 for rows whose weight is 0; weights may be nil.
func Folds(y, weights []float32, folds int, seed uint64) []int {
	if folds < 1 {
		panic(misuse.Of("%d folds", folds))
	}
	if weights != nil && len(weights) != len(y) {
		panic(misuse.Lengths("len(y)", len(y), "len(weights)", len(weights)))
	}
	fold := make([]int, len(y))
	shuffled := make([]uint32, len(y))
	order.Permute(rand.NewPCG(seed, order.Stream), shuffled)
	dealt := make(map[float32]int)
	next := 0 // labels start where the one before has ended, so that folds are of equal size
	for _, i := range shuffled {
		if weights != nil && weights[i] == 0 {
			fold[i] = -1
			continue
		}
		if _, ok := dealt[y[i]]; !ok {
			dealt[y[i]] = next
			next++
		}
		fold[i] = dealt[y[i]] % folds
		dealt[y[i]]++
	}
	return fold
}
