package dual

import (
	"math"
	"math/rand/v2"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/order"
	"github.com/pegasimd/pegasimd/internal/train/certificate"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/loss"
	"github.com/pegasimd/pegasimd/internal/train/objective"
	"github.com/pegasimd/pegasimd/internal/train/rows"
)

// This file improves dual variables that package certificate has made of scores, by passes of dual
// coordinate ascent: a step moves those of one row to where the dual objective is largest, or
// towards it, all others being as they are. Rounding errors of float32 on the way cost some of what
// could be reached and nothing else: the bound is found from the dual variables alone.

// passesOf calls visit for so many passes, with the learner's rows in a random order each, until it
// returns false.
func passesOf(v *rows.View, passes int, visit func(pass int, rows []uint32) bool) bool {
	pcg, rows := rand.NewPCG(0, order.Stream), make([]uint32, v.Count())
	for pass := range passes {
		order.Permute(pcg, rows)
		for k, j := range rows {
			rows[k] = uint32(v.Row(int(j)))
		}
		if !visit(pass, rows) {
			return false
		}
	}
	return true
}

// boundOf returns the bound of dual variables.
func boundOf(p objective.Problem, a []float32, r2 float64) float64 {
	bound, _ := certificate.Bound(p, a, r2)
	return bound
}

// climbs reports whether there is an ascent.
func climbs(t *objective.Terms) bool { return !t.Free && t.Prior == nil }

// Improve returns the bound of dual variables after so many passes from the given ones; 0 where
// there is no ascent.
func Improve(s *iterate.State, of *objective.Binary, share []float32, passes int,
	r2 float64) float64 {
	p := &Ascent{State: s, Of: of, v: s.Vectors[0], Alpha: make([]float32, len(share))}
	switch {
	case passes == 0 || !climbs(p.Terms):
		return 0
	case p.Of.Cost.Kind == loss.Log:
		return p.climbLog(share, passes, r2)
	case !p.Of.Cost.Kind.Traits().Ascent:
		return 0
	}
	p.weigh(share)
	p.setUp(p.T)
	p.SumUp()
	if !passesOf(&p.View, passes, func(pass int, rows []uint32) bool {
		p.Pass = pass
		p.Ascend(rows)
		return p.Err == nil
	}) {
		p.Err = nil // the rows are too large for it
		return 0
	}
	return boundOf(p.Of, p.Shares(), r2)
}

// weigh makes the dual variables of shares.
func (p *Ascent) weigh(share []float32) {
	for _, i := range p.All() {
		p.Alpha[i] = float32(float64(share[i]) * p.Share(i))
	}
}

// climbLog is Improve for the log loss. With w made of the shares a, the dual objective is largest
// along that of row i where log((1-a)/a) is the margin y<w,x>: where, with t for log(a/(1-a)) and q
// for how much the margin rises with a,
//
//	t + m + q (sigmoid(t) - a) = 0
//
// whose left side rises with t, at a rate between 1 and 1 + q/4.
func (p *Ascent) climbLog(share []float32, passes int, r2 float64) float64 {
	p.weigh(share)
	p.SumUp()
	inverse := 1 / float64(p.Lambda*float64(p.Count()))
	if !passesOf(&p.View, passes, func(_ int, rows []uint32) bool {
		for _, i := range rows {
			side, _ := p.Of.Label(i)
			old, weight := float64(share[i]), p.Share(int(i))
			dot := float64(p.X.Dot(int(i), p.v)) + float64(p.BiasScale*p.Biases[0])
			m := float64(float64(float64(side)*dot) * inverse)
			q := weight * (float64(p.Norms[i]) + float64(p.BiasScale*p.BiasScale)) * inverse
			if !floats.IsFinite(m) || !floats.IsFinite(q) {
				return false
			}
			share[i] = float32(balancedLogit(m, q, old))
			step := side * float32(float64(float64(share[i])-old)*weight)
			p.X.Axpy(int(i), step, p.v)
			p.Biases[0] += float64(float64(step) * p.BiasScale)
		}
		return true
	}) {
		return 0
	}
	return boundOf(p.Of, share, r2)
}

// balancedLogit returns the sigmoid of the t with t + m + q (sigmoid(t) - a) = 0, or nearly.
func balancedLogit(m, q, a float64) float64 {
	low, high := -m-float64(q*(1-a)), -m+float64(q*a)
	t := max(low, min(-m, high))
	s := floats.Sigmoid(t)
	for range 8 {
		f := t + m + float64(q*(s-a))
		if f > 0 {
			high = t
		} else {
			low = t
		}
		next := t - f/(1+float64(q*float64(s*(1-s))))
		if !(next > low && next < high) {
			next = low + (high-low)/2
		}
		done := math.Abs(next-t) <= 1e-9*(1+math.Abs(t))
		t = next
		s = floats.Sigmoid(t)
		if done {
			break
		}
	}
	return s
}

// ImproveJoint is Improve for a vector of each class. The dual variables of a row are shares p_r of
// the classes r, whose sum is 1; a has all but that of the row's own class. w_r is the sum of (1 -
// p_r) x over the rows of class r, less that of p_r x over the others, divided by lambda n. The
// dual objective as a function of the p_r of one row is
//
//	sum of z_r p_r, less q/2 (p_r - old p_r)^2, plus entropy(p)
//
// for the log loss, with q as in climbLog; joint.go has the hinge.
func ImproveJoint(s *iterate.State, of *objective.Joint, m *dense.Matrix, a []float32, passes int,
	r2 float64) float64 {
	if passes == 0 || !climbs(s.Terms) {
		return 0
	}
	if !of.Log {
		j := NewJoint(s, of, m, a, s.T)
		j.SumUp()
		if !passesOf(&j.View, passes, func(pass int, rows []uint32) bool {
			j.Pass = pass
			j.Ascend(rows)
			return j.Err == nil
		}) {
			j.Err = nil // the rows are too large for it
			return 0
		}
		return boundOf(j.Of, j.Shares(), r2)
	}
	c := newClimber(s, a)
	if !passesOf(&s.View, passes, func(_ int, rows []uint32) bool {
		for _, i := range rows {
			if !c.step(int(i)) {
				return false
			}
		}
		return true
	}) {
		return 0
	}
	return boundOf(of, a, r2)
}

// A climber is the ascent of a multinomial problem under way.
type climber struct {
	*iterate.State
	a          []float32
	w          *dense.Matrix // lambda n times w
	bias       []float64
	inverse    float64
	dots       []float32 // buffers for the classes
	z, old, to []float64
}

// newClimber adds up the vectors that the shares make.
func newClimber(j *iterate.State, a []float32) *climber {
	k := len(j.Vectors)
	c := &climber{State: j, a: a, w: dense.New(k, j.X.Cols()), bias: make([]float64, k),
		inverse: 1 / float64(j.Lambda*float64(j.Count())), z: make([]float64, k),
		dots: make([]float32, k),
		old:  make([]float64, k), to: make([]float64, k)}
	for _, i := range j.All() {
		for r, p := range c.ofClasses(i) {
			c.add(i, r, -p)
		}
		c.add(i, int(j.Class[i]), 1)
	}
	return c
}

// ofClasses returns the p_r of row i, in a buffer.
func (c *climber) ofClasses(i int) []float64 {
	own := int(c.Class[i])
	var sum float64
	for r, v := range c.a[i*len(c.old):][:len(c.old)] {
		if c.old[r] = float64(v); r != own {
			sum += c.old[r]
		}
	}
	c.old[own] = max(0, 1-sum)
	return c.old
}

// add adds a share of row i to vector r.
func (c *climber) add(i, r int, share float64) {
	if v := float32(float64(share * c.Share(i))); v != 0 {
		c.X.Axpy(i, v, c.w.Row(r))
		c.bias[r] += float64(float64(v) * c.BiasScale)
	}
}

// step moves the shares of row i. It returns false where a score is not finite.
func (c *climber) step(i int) bool {
	own := int(c.Class[i])
	q := c.Share(i) * (float64(c.Norms[i]) + float64(c.BiasScale*c.BiasScale)) * c.inverse
	c.X.DotVectors(c.dots, i, c.w, 0)
	old := c.ofClasses(i)
	for r, dot := range c.dots {
		c.z[r] = float64((float64(dot) + float64(c.BiasScale*c.bias[r])) * c.inverse)
		if !floats.IsFinite(c.z[r]) || !floats.IsFinite(q) {
			return false
		}
	}
	zero := c.z[own]
	for r := range c.z {
		c.z[r] -= zero
	}
	c.towardsSoftmax(q)
	for r, p := range c.to {
		if d := p - old[r]; d != 0 {
			c.add(i, r, -d)
			if r != own {
				c.a[i*len(c.to)+r] = float32(p)
			}
		}
	}
	return true
}

// towardsSoftmax sets c.to to the best point on the way from the shares to the softmax of the
// scores, or nearly: the dual objective is concave along it, and rises at its start.
func (c *climber) towardsSoftmax(q float64) {
	certificate.Softmax(c.z, c.to)
	var square float64
	for r, p := range c.to {
		d := p - c.old[r]
		square += float64(d * d)
	}
	// Newton's steps for the point s of the way, from where a bend of 1 in place of the entropy's
	// would have it.
	s := 1 / (1 + q)
	for range 4 {
		slope, bend := -float64(float64(q*s)*square), -float64(q*square)
		for r, to := range c.to {
			d := to - c.old[r]
			p := c.old[r] + float64(s*d)
			if d == 0 || !(p > 0) {
				continue
			}
			slope += float64(d * (c.z[r] - floats.Log(p)))
			bend -= float64(d*d) / p
		}
		if !(bend < 0) {
			break
		}
		s = max(s/4, min(s-slope/bend, 1))
	}
	for r, to := range c.to {
		c.to[r] = c.old[r] + float64(s*(to-c.old[r]))
	}
}
