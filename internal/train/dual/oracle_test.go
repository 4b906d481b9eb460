package dual_test

import "math"

// This file computes the dual objective and duality gaps in float64.

func entropy(p float64) float64 {
	if p <= 0 {
		return 0
	}
	return -p * math.Log(p)
}

func (s *spec) cost(y, r int) float64 {
	switch {
	case y == r || s.log:
		return 0
	case s.costs != nil:
		return s.costs[y][r]
	}
	return 1
}

func (s *spec) jointLossAt(z []float64, y int) float64 {
	most, sum := 0.0, 0.0
	for r, v := range z {
		most = math.Max(most, s.cost(y, r)+v-z[y])
	}
	if !s.log {
		return most
	}
	for _, v := range z {
		sum += math.Exp(v - z[y] - most)
	}
	return most + math.Log(sum)
}

func (d *problem) dualsOf(i int) []float32 {
	k := len(d.alpha) / len(d.wide)
	return d.alpha[i*k:][:k]
}

func (d *problem) label(i int) (side, target float64) {
	switch {
	case d.Target != nil:
		return 1, float64(d.y[i])
	case d.y[i] == 1:
		return 1, 0
	}
	return -1, 0
}

// offset returns the part of row i's score by vector k that does not depend on dual variables.
func (d *problem) offset(i, k int) (z float64) {
	if d.PriorScores != nil {
		z = d.PriorScores[i*len(d.Vectors)+k]
	}
	if d.spec.free {
		z += d.Biases[k]
	}
	return z
}

// coefficients returns the multiple of row i in each vector, before weighting, and the row's part
// of the dual objective without the squared norm of w.
func (d *problem) coefficients(i int) (c []float64, gain float64) {
	a := d.dualsOf(i)
	if !d.spec.joint {
		side, target := d.label(i)
		c = []float64{float64(a[0]) * side}
		return c, d.spec.loss.DualTerm(float64(a[0])) + float64(a[0])*target - c[0]*d.offset(i, 0)
	}
	y, own := int(d.Class[i]), 1.0
	c = make([]float64, len(a))
	for r, p := range a {
		if r != y {
			c[r] = -float64(p)
			own -= float64(p)
		}
	}
	c[y] = 1 - own
	for r := range a {
		p := -c[r]
		if r == y {
			p = own
		}
		if gain += p*d.spec.cost(y, r) - c[r]*d.offset(i, r); d.spec.log {
			gain += entropy(p)
		}
	}
	return c, gain
}

func (d *problem) dual() (value float64, v [][]float64) {
	v = make([][]float64, len(d.Vectors))
	for k := range v {
		v[k] = make([]float64, len(d.wide[0]))
	}
	n, squares := float64(d.Count()), 0.0
	for _, i := range d.All() {
		c, gain := d.coefficients(i)
		value += d.RowWeight(i) * gain / n
		for k, a := range c {
			for j, z := range d.wide[i] {
				v[k][j] += d.RowWeight(i) * a * z
			}
		}
	}
	for _, v := range v {
		for _, z := range v {
			squares += z * z
		}
	}
	return value - squares/(2*d.Lambda*n*n), v
}

func (d *problem) gap(i int, v [][]float64) float64 {
	c, gain := d.coefficients(i)
	z, at := make([]float64, len(c)), 0.0
	for k := range z {
		for j, x := range d.wide[i] {
			z[k] += v[k][j] * x / (d.Lambda * float64(d.Count()))
		}
		at += c[k] * z[k]
		z[k] += d.offset(i, k)
	}
	if d.spec.joint {
		return at + d.spec.jointLossAt(z, int(d.Class[i])) - gain
	}
	side, target := d.label(i)
	return at + d.spec.loss.At(side*z[0]-target) - gain
}

func (d *problem) meanGap() (gap float64) {
	_, v := d.dual()
	for _, i := range d.All() {
		gap += d.RowWeight(i) * d.gap(i, v) / float64(d.Count())
	}
	return gap
}
