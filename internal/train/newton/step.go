package newton

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/train/certificate"
)

// setMargins recomputes the margins from v, with weights rounded to float32. exact selects float64
// dot products.
func (n *Method) setMargins(exact bool) {
	w := make([]float32, n.p.Cols)
	for j := range w {
		w[j] = float32(n.v[j])
	}
	wide, bias := floats.Float64s(w), n.biasOf(n.v)
	dots := n.pool.borrow(len(n.p.Rows))
	defer n.pool.giveBack(dots)
	n.forChunks(func(from, to int) {
		x := n.p.X.Clone()
		if !exact {
			x.DotMany(dots[from:to], n.p.At[from:to], w)
		}
		for j := from; j < to; j++ {
			z := float64(dots[j])
			if exact {
				z = x.Dot64(int(n.p.At[j]), wide)
			}
			n.m[j] = float64(float64(n.p.Side[j])*(z+bias)) - n.p.targetOf(j)
		}
	})
}

func (n *Method) objective(factor float64) float64 {
	loss := 0.0
	for _, sum := range mapChunks(n, func(from, to int) float64 {
		return n.losses(factor, from, to, 1)
	}) {
		loss += sum
	}
	return n.penalty(factor) + loss/float64(len(n.p.Rows))
}

// losses returns the weighted sum of the losses for the weights factor*v, over every step-th row
// from first to end-1.
func (n *Method) losses(factor float64, first, end, step int) (sum float64) {
	var m [blockRows]float64
	for first < end {
		count := min(blockRows, (end-first+step-1)/step)
		for k := range count {
			j := first + k*step
			target := n.p.targetOf(j)
			m[k] = float64(factor*(n.m[j]+target)) - target
		}
		n.p.Loss.Losses(m[:count], m[:count])
		for k, loss := range m[:count] {
			sum += float64(n.p.weightOf(first+k*step) * loss)
		}
		first += count * step
	}
	return sum
}

// penalty returns lambda/2 |factor*v|^2, where v excludes a bias that has no penalty.
func (n *Method) penalty(factor float64) float64 {
	squares := 0.0
	for _, v := range n.v[:n.dim()] {
		squares += float64(v * v)
	}
	return float64(n.p.Lambda / 2 * float64(factor*factor) * squares)
}

type evaluation struct {
	p, d                    float64
	smoothing, optimization float64 // S and O in doc.go
	zone                    []int32 // ascending
	curvature               float64 // sum of row weight times second derivative
}

func (n *Method) evaluate() (at evaluation) {
	b, visit := n.buffers, n.visit
	if n.hinge {
		visit = n.visitHinge
	}
	var s tally
	changed, zone := b.changed[:0], b.zone[:0]
	for k, t := range mapChunks(n, visit) {
		s.add(&t)
		changed = append(changed, b.changed[k*chunkRows:][:t.changed]...)
		zone = append(zone, b.zone[k*chunkRows:][:t.zone]...)
	}
	n.updateSums(changed)
	if n.over() {
		return at
	}
	at = n.gap(&s)
	at.zone, at.curvature = zone, s.curvature
	if at.p < n.bestP {
		n.bestP = at.p
		copy(n.bestV, n.v)
	}
	if at.d > n.bestD {
		n.bestD, n.bestH = at.d, n.h
		copy(n.bestA, n.a)
	}
	return at
}

func (n *Method) updateSums(changed []int32) {
	b := n.buffers
	coefficient := func(k int, side, a float64) float64 {
		v := float64(side * a)
		if n.p.Free && (v > 0) != (k == 0) {
			return 0
		}
		return v
	}
	for k := range n.sums {
		if n.sums[k] == nil {
			continue
		}
		only := b.only[:0]
		for _, j := range changed {
			i, y := n.p.At[j], float64(n.p.Side[j])
			c := coefficient(k, y, float64(n.a[j])) - coefficient(k, y, float64(b.was[j]))
			if c != 0 {
				b.weight[i] = float64(c * n.p.weightOf(int(j)))
				only = append(only, i)
			}
		}
		n.addRows(n.sums[k], only)
	}
}

// If the bias has no penalty, dual variables are feasible only if the sum of c_i*a_i*y_i is 0. gap
// therefore computes D with the a_i of one side (a_i*y_i above or below 0) scaled down.
func (n *Method) gap(s *tally) (at evaluation) {
	p, d := n.p, n.p.Cols
	rows := float64(len(n.p.Rows))
	r := [2]float64{1, 1} // factors of the a_i with a_i*y_i > 0 and with a_i*y_i < 0
	if up, down := s.bias[0], -s.bias[1]; n.p.Free && up > down {
		r[0] = down / up
	} else if n.p.Free && down > up {
		r[1] = up / down
	}
	if n.p.Beta > 0 {
		n.sums[0][d] = float64(n.p.Beta * (s.bias[0] + s.bias[1]))
	}
	scale := 1 / float64(p.Lambda*rows)
	var ww, aa, distance float64
	for j := range n.dim() {
		a, b := float64(n.sums[0][j]*scale), 0.0
		if n.p.Free {
			b = float64(n.sums[1][j] * scale)
			a, b = float64(a*r[0]), float64(b*r[1])
		}
		a += b
		v := n.v[j]
		ww += float64(v * v)
		aa += float64(a * a)
		distance += float64((v - a) * (v - a))
	}
	half := p.Lambda / 2
	at.p = float64(half*ww) + s.loss/rows
	at.optimization, at.smoothing = float64(half*distance), s.smoothing/rows
	if p.Loss.Kind.Traits().Entropy {
		// The last term estimates how much scaling the a_i can change their entropy.
		at.d = at.p - at.optimization - float64((2-r[0]-r[1])*8)
		return at
	}
	mean := (float64(s.gain[0]*r[0]) + float64(s.gain[1]*r[1])) / rows
	quadratic := float64(half * aa)
	for k, v := range s.squares {
		quadratic += float64(p.Loss.Kind.Traits().Quadratic * float64(v*float64(r[k]*r[k])) / rows)
	}
	at.d, _ = certificate.Parabola(mean, quadratic)
	if n.p.Free {
		at.optimization = max(0, at.p-at.d-at.smoothing)
	}
	return at
}

func (n *Method) findDirection(at evaluation) bool {
	b, center := n.buffers, n.sumHessian(at.zone, at.curvature)
	if n.over() {
		return false
	}
	rows := float64(len(n.p.Rows))
	err := Decompose(b.factor, b.matrix, n.p.Lambda, n.curvatureScale()/rows, n.threads)
	return err == nil && n.solve(center, at.curvature)
}

// solve sets n.line from the results of sumHessian. If the direction is not finite or not a descent
// direction, it returns false and leaves n.line nil.
func (n *Method) solve(center []float64, curvature float64) bool {
	p, d, rows := n.p, n.p.Cols, float64(len(n.p.Rows))
	to := &direction{p: make([]float64, len(n.v)), step: make([]float32, d),
		q: n.pool.borrow(len(p.Rows))}
	gradient := make([]float64, len(n.v))
	for j, v := range n.v {
		u := n.sums[0][j]
		if p.Free && j < d {
			u += n.sums[1][j]
		}
		gradient[j] = float64(p.Lambda*v) - u/rows
	}
	x := to.p[:n.dim()]
	if p.Free {
		gradient[d] = -n.sums[0][d] / rows
		if curvature > 0 { // to.p[d] is the bias of the centered rows
			to.p[d] = -gradient[d] * rows / curvature
		}
	}
	for j := range x {
		x[j] = -gradient[j]
		if center != nil {
			x[j] += float64(center[j] * gradient[d])
		}
	}
	n.buffers.factor.Solve(x)
	for j, c := range center {
		to.p[d] -= float64(c * x[j])
	}
	finite := true
	for j := range to.step {
		to.step[j] = float32(to.p[j])
		finite = finite && floats.IsFinite(to.step[j])
		to.p[j] = float64(to.step[j])
	}
	to.slope = 0
	for j, z := range to.p {
		to.slope += float64(gradient[j] * z)
	}
	if finite && to.slope < 0 && !math.IsInf(to.slope, 0) {
		n.line = to
	} else {
		n.pool.giveBack(to.q)
	}
	return n.line != nil
}
