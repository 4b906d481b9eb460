package pegasos

import "math"

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

	t          int64     // steps done
	v          []float32 // sum of y*x over the violations; of other losses than the hinge, of each row's pull times x
	vb         float64   // the same for the appended feature
	violations int64

	total  int64   // steps of the whole run
	period int64   // steps between two samples of w
	avg    *suffix // of w; nil if the last iterate is wanted

	recent *recent // for the certificate; nil without one

	checked int64 // the step after which v was last found finite
	err     error
}

// scale returns what v has to be divided by to get w.
func (p *problem) scale() float64 { return p.lambda * (float64(p.t) + p.t0) }

// steps takes a step with each of the rows idx and samples w on the way. After an error it does nothing.
func (p *problem) steps(idx []uint32) {
	for len(idx) > 0 && p.err == nil {
		n := int64(len(idx))
		if p.avg != nil {
			n = min(n, (p.total-p.t-1)%p.period+1) // counted back from the end, so that the last step is sampled
		}
		if p.cost.loss == hingeCost {
			p.run(idx[:n])
		} else {
			p.runPulls(idx[:n])
		}
		idx = idx[n:]
		if p.avg != nil && (p.total-p.t)%p.period == 0 {
			p.avg.add(p.t, float32(1/p.scale()), p.v, p.vb)
		}
	}
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

// frame returns how the loss of row i depends on its score z: it is that of side*z - target.
func (p *problem) frame(i uint32) (side float32, target float64) {
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
		if b, ok := p.avg.mean(p.t, w); ok {
			return float64(p.biasScale * b)
		}
	}
	clear(w)
	if p.t == 0 {
		return 0
	}
	scale := p.scale()
	for j, v := range p.v {
		w[j] = float32(float64(v) / scale)
	}
	return float64(p.biasScale*p.vb) / scale
}
