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
)

// This file improves dual variables that package certificate has made of scores, by passes of dual
// coordinate ascent: a step moves those of one row to where the dual objective is largest, or
// towards it, all others being as they are. Rounding errors of float32 on the way cost some of what
// could be reached and nothing else: the bound is found from the dual variables alone.

// A climber is an ascent of dual variables that are shares at its end.
type climber interface {
	SumUp()
	Ascend(rows []uint32)
	Shares() []float32
	endPass()
}

// climb returns the bound after the passes, in a random order each; 0 if rows are too large.
func climb(c climber, s *iterate.State, of objective.Problem, passes int, r2 float64) float64 {
	c.SumUp()
	pcg, rows := rand.NewPCG(0, order.Stream), make([]uint32, s.Count())
	for range passes {
		order.Permute(pcg, rows)
		for k, j := range rows {
			rows[k] = uint32(s.Row(int(j)))
		}
		if c.Ascend(rows); s.Err != nil {
			s.Err = nil
			return 0
		}
		c.endPass()
	}
	bound, _ := certificate.Bound(of, c.Shares(), r2)
	return bound
}

// Improve returns the bound after passes from the given shares; 0 without an ascent.
func Improve(s *iterate.State, of *objective.Binary, share []float32, passes int,
	r2 float64) float64 {
	log := of.Cost.Kind == loss.Log
	if passes == 0 || s.Free || s.Prior != nil || !log && !of.Cost.Kind.Traits().Ascent {
		return 0
	}
	d := New(s, of, times(s, share, 1), s.T, nil, nil)
	if log {
		return climb(logAscent{d, share}, s, of, passes, r2)
	}
	return climb(d, s, of, passes, r2)
}

// A logAscent is that of the log loss. With w made of the shares a, the dual objective is largest
// along that of row i where log((1-a)/a) is the margin y<w,x>: where, with t for log(a/(1-a)) and q
// for how much the margin rises with a,
//
//	t + m + q (sigmoid(t) - a) = 0
//
// whose left side rises with t, at a rate between 1 and 1 + q/4.
type logAscent struct {
	*Ascent
	share []float32
}

func (d logAscent) Shares() []float32 { return d.share }

func (d logAscent) Ascend(rows []uint32) {
	inverse := 1 / d.Fixed
	for _, i := range rows {
		side, _ := d.Of.Label(i)
		old, weight := float64(d.share[i]), d.Share(int(i))
		dot := float64(d.X.Dot(int(i), d.v)) + float64(d.BiasScale*d.Biases[0])
		m := float64(float64(float64(side)*dot) * inverse)
		q := weight * (float64(d.Norms[i]) + float64(d.BiasScale*d.BiasScale)) * inverse
		if !floats.IsFinite(m) || !floats.IsFinite(q) {
			d.NotFinite(i)
			return
		}
		d.share[i] = float32(balancedLogit(m, q, old))
		step := side * float32(float64(float64(d.share[i])-old)*weight)
		d.X.Axpy(int(i), step, d.v)
		d.Biases[0] += float64(float64(step) * d.BiasScale)
	}
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

// ImproveJoint is Improve for a vector of each class.
func ImproveJoint(s *iterate.State, of *objective.Joint, m *dense.Matrix, a []float32, passes int,
	r2 float64) float64 {
	if passes == 0 || s.Free || s.Prior != nil {
		return 0
	}
	j := NewJoint(s, of, m, a, s.T)
	if of.Log {
		return climb(softAscent{j}, s, of, passes, r2)
	}
	return climb(j, s, of, passes, r2)
}

// A softAscent is that of a multinomial problem. The dual variables of a row are shares p_r of the
// classes r, whose sum is 1; Alpha has all but that of the row's own class. w_r is the sum of
// (1 - p_r) x over the rows of class r, less that of p_r x over the others, divided by lambda n.
// The dual objective as a function of the p_r of one row is
//
//	sum of z_r p_r, less q/2 (p_r - old p_r)^2, plus entropy(p)
//
// with q as in logAscent.
type softAscent struct{ *Joint }

func (c softAscent) Shares() []float32 { return c.Alpha }

func (c softAscent) SumUp() {
	c.empty()
	for _, i := range c.All() {
		for r, p := range c.ofClasses(i) {
			c.shift(r, i, -p)
		}
		c.shift(int(c.Class[i]), i, 1)
	}
}

// ofClasses returns the p_r of row i, in a buffer.
func (c softAscent) ofClasses(i int) []float64 {
	own, k := int(c.Class[i]), len(c.b)
	var sum float64
	for r, v := range c.Alpha[i*k:][:k] {
		if c.b[r] = float64(v); r != own {
			sum += c.b[r]
		}
	}
	c.b[own] = max(0, 1-sum)
	return c.b
}

func (c softAscent) Ascend(rows []uint32) {
	inverse := 1 / c.Fixed
	for _, row := range rows {
		i, own := int(row), int(c.Class[row])
		q := c.Share(i) * (float64(c.Norms[i]) + float64(c.BiasScale*c.BiasScale)) * inverse
		c.X.DotVectors(c.dots, i, c.m, 0)
		for r, dot := range c.dots {
			c.z[r] = float64((float64(dot) + float64(c.BiasScale*c.Biases[r])) * inverse)
			if !floats.IsFinite(c.z[r]) || !floats.IsFinite(q) {
				c.NotFinite(row)
				return
			}
		}
		zero := c.z[own]
		for r := range c.z {
			c.z[r] -= zero
		}
		old, to := c.ofClasses(i), c.sorted
		c.towardsSoftmax(old, to, q)
		for r, p := range to {
			if d := p - old[r]; d != 0 {
				c.shift(r, i, -d)
				if r != own {
					c.Alpha[i*len(to)+r] = float32(p)
				}
			}
		}
	}
}

// towardsSoftmax sets to to the best point on the way from the old shares to the softmax of the
// scores, or nearly: the dual objective is concave along it, and rises at its start.
func (c softAscent) towardsSoftmax(old, to []float64, q float64) {
	certificate.Softmax(c.z, to)
	var square float64
	for r, p := range to {
		d := p - old[r]
		square += float64(d * d)
	}
	// Newton's steps for the point s of the way, from where a bend of 1 in place of the entropy's
	// would have it.
	s := 1 / (1 + q)
	for range 4 {
		slope, bend := -float64(float64(q*s)*square), -float64(q*square)
		for r, end := range to {
			d := end - old[r]
			p := old[r] + float64(s*d)
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
	for r, p := range to {
		to[r] = old[r] + float64(s*(p-old[r]))
	}
}
