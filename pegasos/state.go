package pegasos

import (
	"math"

	"github.com/pegasimd/pegasimd/dense"
)

// A problem is one weight vector on its way: the rows of one class against all others, or numbers to predict.
type problem struct {
	x      Examples
	cost   cost
	weight []float64 // of each row; nil if all weigh the same
	class  []int32   // of each row
	k      int32     // the class that is +1 here
	target []float32 // of each row, in place of a class; or nil

	lambda, t0 float64
	biasScale  float64 // the value of the appended feature, 0 for none

	prior     []float32 // its weights, and v is about the difference of w and them; nil without one
	priorBias float64
	ahead     []float64 // the prior's score of each row

	start      int64     // steps that had been done before the run
	t          int64     // steps done, those included
	v          []float32 // sum of y*x over the violations; of other losses than the hinge, of each row's pull times x
	vb         float64   // the same for the appended feature
	violations int64

	// With projection onto the ball w is factor*v/scale. The factor is 1 without.
	factor float64
	radius float64 // of the ball; 0 for none
	norm2  float64 // |v|^2, the appended feature included; refreshed every epoch

	scores []float32 // of a batch
	rows   []int32   // of those that pull
	pulls  []float32 // and how

	total  int64   // steps of the whole run
	period int64   // steps between two samples of w
	avg    *suffix // of w; nil if the last iterate is wanted

	recent *recent // for the certificate; nil without one

	checked int64 // the step after which v was last found finite
	err     error
}

// scale returns what v has to be divided by to get w, where nothing was projected.
func (p *problem) scale() float64 { return p.lambda * (float64(p.t) + p.t0) }

// divisor is the same after projections.
func (p *problem) divisor() float64 { return p.scale() / p.factor }

// steps takes a step with each of the rows idx and samples w on the way. After an error it does nothing.
func (p *problem) steps(idx []uint32) {
	for len(idx) > 0 && p.err == nil {
		n := int64(len(idx))
		if p.avg != nil {
			n = min(n, (p.total-p.t-1)%p.period+1) // counted back from the end, so that the last step is sampled
		}
		switch {
		case p.radius > 0:
			for i := range idx[:n] {
				p.batch(idx[i : i+1])
			}
		case p.cost.loss == hingeCost && p.ahead == nil:
			p.run(idx[:n])
		default:
			p.runPulls(idx[:n])
		}
		idx = idx[n:]
		if p.err == nil {
			p.sample()
		}
	}
}

// sample adds w to the mean if this is the step for it.
func (p *problem) sample() {
	if p.avg != nil && (p.total-p.t)%p.period == 0 {
		p.avg.add(p.t-p.start, float32(1/p.divisor()), p.v, p.vb)
	}
}

// batches takes a step with each of the batches of the rows idx, of which ends has the ends.
func (p *problem) batches(idx []uint32, ends []int) {
	start := 0
	for _, end := range ends {
		if p.batch(idx[start:end]); p.err != nil {
			return
		}
		p.sample()
		start = end
	}
}

// batch takes a step with the mean over the rows idx, and projects w onto the ball if there is one.
func (p *problem) batch(idx []uint32) {
	if p.err != nil {
		return
	}
	n := len(idx)
	if cap(p.scores) < n {
		p.scores, p.rows, p.pulls = make([]float32, n), make([]int32, n), make([]float32, n)
	}
	scores, rows, pulls := p.scores[:n], p.rows[:0], p.pulls[:0]
	m, isDense := p.x.(*dense.Matrix)
	if isDense = isDense && m.Rows() <= math.MaxInt32; isDense {
		all := p.rows[:n]
		for k, i := range idx {
			all[k] = int32(i)
		}
		m.DotRowsAt(scores, all, p.v)
	} else {
		for k, i := range idx {
			scores[k] = p.x.Dot(int(i), p.v)
		}
	}
	bias, divisor, share := float64(p.biasScale*p.vb), p.divisor(), float64(p.factor*float64(n))
	for k, i := range idx {
		z := 0.0
		if divisor > 0 { // else w is 0 by definition
			z = (float64(scores[k]) + bias) / divisor
		}
		side, target := p.frame(i)
		pull := float32(p.cost.pull(float64(float64(side)*z) - target))
		g := pull * side // exact
		if p.weight != nil {
			g = float32(g * float32(p.weight[i]))
		}
		a := float32(float64(g) / share)
		if z-z != 0 || a-a != 0 {
			p.err = &StepError{p.t + 1, int(i), "the score is not finite: " + tooLarge}
			return
		}
		if pull == 0 {
			continue
		}
		pulls = append(pulls, a)
		if isDense && p.radius == 0 {
			rows = append(rows, int32(i)) // over those of all, none of which is needed any more
		} else {
			p.pull(i, a)
		}
		p.vb += float64(float64(a) * p.biasScale)
		if p.recent != nil {
			p.recent.count[i] += pull
		}
	}
	if len(rows) > 0 {
		m.AxpyRows(pulls, rows, p.v)
	}
	if len(pulls) > 0 {
		p.violations++
	}
	p.t++
	p.project()
}

// pull adds a times row i to v and keeps count of its norm. The appended feature's part of v is still to be added to.
func (p *problem) pull(i uint32, a float32) {
	if p.radius > 0 {
		dot := float64(p.x.Dot(int(i), p.v)) + float64(p.biasScale*p.vb)
		square := float64(p.x.SumSquares(int(i))) + float64(p.biasScale*p.biasScale)
		p.norm2 = max(0, p.norm2+float64(float64(a)*(2*dot+float64(float64(a)*square))))
	}
	p.x.Axpy(int(i), a, p.v)
}

// project scales w down to the ball if it is outside. Only the factor changes.
func (p *problem) project() {
	if p.radius == 0 {
		return
	}
	norm, edge := p.norm2, float64(p.radius*p.scale())
	if norm-norm != 0 {
		p.err = &StepError{p.t, -1, "the norm of the weights is not finite: " + tooLarge}
		return
	}
	if float64(float64(p.factor*p.factor)*norm) > float64(edge*edge) {
		p.factor = edge / math.Sqrt(norm)
	}
	// What is added to v grows as the factor falls. A power of two goes over to v without rounding.
	const small = 0x1p-20
	for p.factor < small {
		dense.Scale(small, p.v)
		p.vb *= small
		p.norm2 *= small * small
		p.factor /= small
	}
}

// refreshNorm finds the norm of v anew.
func (p *problem) refreshNorm() {
	sum := float64(p.vb * p.vb)
	for _, v := range p.v {
		sum += float64(float64(v) * float64(v))
	}
	p.norm2 = sum
}

// run takes a step of the hinge loss with each of the rows idx.
func (p *problem) run(idx []uint32) {
	if p.t == 0 && p.t0 == 0 {
		// w is 0 by definition and violates any margin; the test below would be 0 < 0.
		p.violate(idx[0], p.sign(idx[0]), 0)
		p.t, idx = 1, idx[1:]
	}
	bias := float64(p.biasScale * p.vb)
	for _, i := range idx {
		y := p.sign(i)
		m := float64(y) * (float64(p.x.Dot(int(i), p.v)) + bias)
		if m >= p.scale() && m <= math.MaxFloat64 {
			p.t++
			continue
		}
		if !p.violate(i, y, m) {
			return
		}
		bias = float64(p.biasScale * p.vb)
		p.t++
	}
}

// runPulls takes a step with each of the rows idx, of any loss. w is still v/scale, for the step from w to
// (1 - 1/(t+t0)) w + g x/(lambda*(t+t0)) adds g x to v, whatever g is.
func (p *problem) runPulls(idx []uint32) {
	for _, i := range idx {
		z := 0.0
		if scale := p.scale(); scale > 0 { // else w is 0 by definition
			z = (float64(p.x.Dot(int(i), p.v)) + float64(p.biasScale*p.vb)) / scale
		}
		side, target := p.frame(i)
		pull := float32(p.cost.pull(float64(float64(side)*z) - target))
		g := pull * side // exact
		if p.weight != nil {
			g = float32(g * float32(p.weight[i]))
		}
		if z-z != 0 || g-g != 0 {
			p.err = &StepError{p.t + 1, int(i), "the score is not finite: " + tooLarge}
			return
		}
		if pull != 0 {
			p.x.Axpy(int(i), g, p.v)
			p.vb += float64(float64(g) * p.biasScale)
			p.violations++
			if p.recent != nil {
				p.recent.count[i] += pull
			}
		}
		p.t++
	}
}

// frame returns how the loss of row i depends on its score z: it is that of side*z - target. With a prior z is what is
// added to the prior's score.
func (p *problem) frame(i uint32) (side float32, target float64) {
	side, target = p.label(i)
	if p.ahead != nil {
		target -= float64(float64(side) * p.ahead[i])
	}
	return side, target
}

// label is the same of the score of w, prior or not.
func (p *problem) label(i uint32) (side float32, target float64) {
	if p.target != nil {
		return 1, float64(p.target[i])
	}
	return p.sign(i), 0
}

// sign returns the label of row i: +1 or -1.
func (p *problem) sign(i uint32) float32 {
	s := int32(-1)
	if p.class[i] == p.k {
		s = 1 // a conditional move: as a branch it would be a guess
	}
	return float32(s)
}

// violate takes in row i, whose margin m was too small. It reports whether m was a number.
func (p *problem) violate(i uint32, y float32, m float64) bool {
	if m-m != 0 {
		p.err = &StepError{p.t + 1, int(i), "the score is not finite: " + tooLarge}
		return false
	}
	if p.weight != nil {
		y = float32(y * float32(p.weight[i]))
	}
	p.x.Axpy(int(i), y, p.v)
	p.vb += float64(float64(y) * p.biasScale)
	p.violations++
	if p.recent != nil {
		p.recent.count[i]++
	}
	return true
}

// endEpoch is called after each pass over the rows, of which there were so many.
func (p *problem) endEpoch(epochs int) {
	if p.err != nil {
		return
	}
	if p.recent != nil {
		p.recent.endEpoch(epochs)
	}
	// Not more often than the steps pay for: few rows may have very many columns. The end of the run is no exception,
	// for the model is checked as well.
	if p.t-p.checked >= int64(len(p.v)/16) {
		p.checkFinite()
		if p.radius > 0 {
			p.refreshNorm()
		}
	}
}

func (p *problem) checkFinite() {
	for _, v := range p.v {
		if v-v != 0 {
			p.err = &StepError{p.t, -1, "a weight is not finite: " + tooLarge}
			return
		}
	}
	p.checked = p.t
}

// weights writes the model of this moment to w and returns its bias.
func (p *problem) weights(w []float32) (bias float64) {
	if p.avg != nil {
		if b, ok := p.avg.mean(p.t-p.start, w); ok {
			return float64(p.biasScale * b)
		}
	}
	clear(w)
	if p.t == 0 {
		return 0
	}
	d := p.divisor()
	for j, v := range p.v {
		w[j] = float32(float64(v) / d)
	}
	return float64(p.biasScale*p.vb) / d
}
