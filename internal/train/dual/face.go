package dual

import (
	"cmp"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/vectors/cholesky"
	"github.com/pegasimd/pegasimd/internal/vectors/gram"
)

// This file speeds up the descent on problems with a small lambda, or with columns or rows of very
// unequal norms. The dual objective is a quadratic function of the free variables, those that are
// neither 0 nor at a limit. Conjugate gradients optimize them together, clipped to the limits
// (compare Moré and Toraldo, SIAM J. Optimization 1, 1991).

const (
	firstFace     = 16       // passes before the first step with all free variables
	facePeriod    = 8        // passes between such steps; more after a failure
	faceProducts  = 10       // largest number of products with the matrix in a step
	faceHalvings  = 8        // largest number of step lengths tried
	heavyShare    = 1. / 256 // least mean share of a heavy column in diagonal elements
	maxHeavy      = 64
	leastDiagonal = 1e-3    // least element of D, as a share of the matrix's diagonal element
	maxFree       = 1 << 18 // largest number of free variables
	maxHeavyBytes = 1 << 24 // largest size of H in bytes, without the column for the bias
)

// FaceBytes estimates the most bytes of a step with all free variables, without a buffer by column.
func FaceBytes(rows, columns float64) float64 {
	rows = min(rows, maxFree)
	heavy := 4 * float64(rows*min(columns, maxHeavy))
	return rows*(6*8+2*4) + min(heavy, maxHeavyBytes) + 4*rows // 4 for the bias
}

// face is the set of free rows, and a quadratic model of the dual objective.
// With s_i = y_i times the change of c_i*a_i, n times the change of the dual objective is
//
//	sum of slope_i*s_i - 1/2 sum of s_i*s_j*<x_i, x_j>/(lambda*n) - bend/2 sum of s_i^2/c_i.
//
// The preconditioner approximates lambda*n times the matrix of the quadratic terms by D + H*H'. H
// has the heavy columns, with a large share of the diagonal, and the bias's feature. D is the rest
// of the diagonal.
type face struct {
	*Descent
	rows    []uint32
	slope   []float64
	bend    float64
	root    []float64        // of D
	heavy   int              // number of columns of H
	h       []float32        // H, with row k divided by root[k]
	factor  *cholesky.Factor // of I + h'*h
	r, p, q []float64        // buffers
	step    []float64
	u       []float32 // result of sumRows; also a buffer, by column
	t       []float64 // an element per column of H
}

// limits returns the range in which a can change without crossing a kink of the dual objective.
func (d *Descent) limits(a float64) (low, high float64) {
	t := d.Of.Cost.Kind.Traits()
	low, high = max(t.Low, -math.MaxFloat32), min(t.High, math.MaxFloat32)
	switch {
	case t.Epsilon && a > 0:
		low = 0
	case t.Epsilon:
		high = 0
	}
	return low, high
}

// moveFree steps with all free variables. It reports whether it took a step.
func (d *Descent) moveFree() bool {
	traits := d.Of.Cost.Kind.Traits()
	if traits.Entropy {
		return false
	}
	f := &face{Descent: d, bend: 2 * traits.Quadratic}
	for _, i := range d.All() {
		a := float64(d.alpha[i])
		low, high := d.limits(a)
		if a != 0 && a > low && a < high && d.RowWeight(i) > 0 &&
			float64(d.Norms[i])+d.square > 0 {
			if f.rows = append(f.rows, uint32(i)); len(f.rows) > maxFree {
				return false
			}
		}
	}
	if len(f.rows) == 0 {
		return false
	}
	for _, b := range []*[]float64{&f.slope, &f.root, &f.r, &f.p, &f.q, &f.step} {
		*b = make([]float64, len(f.rows))
	}
	f.u = make([]float32, len(d.v))
	inverse := 1 / d.FixedScale
	for k, i := range f.rows {
		side, target := d.Of.MarginTerms(i)
		a, y := float64(d.alpha[i]), float64(side)
		m := float64(y*d.score(i, inverse)) - target
		f.slope[k] = float64(y * (d.Of.Cost.DualLinear(a)/a - float64(f.bend*a) - m))
	}
	f.precondition()
	f.conjugateGradients(inverse)
	return f.move(inverse)
}

// diagonal returns lambda*n times element k of the matrix's diagonal.
func (f *face) diagonal(k int) float64 {
	i := f.rows[k]
	return float64(f.Norms[i]) + f.square + float64(f.bend*f.FixedScale)/f.RowWeight(int(i))
}

func (f *face) eachValue(do func(k, column int, value float64)) {
	for k, i := range f.rows {
		index, values := f.X.Row(int(i))
		for l, v := range values {
			j := l
			if index != nil {
				j = int(index[l])
			}
			do(k, j, float64(v))
		}
	}
}

// findHeavy numbers the heavy columns from 1 in f.u, with 0 for other columns, and returns their
// count.
func (f *face) findHeavy() int {
	f.eachValue(func(k, j int, v float64) { f.u[j] += float32(float64(v*v) / f.diagonal(k)) })
	var columns []int
	for j, share := range f.u {
		if float64(share) >= float64(heavyShare*float64(len(f.rows))) {
			columns = append(columns, j)
		}
	}
	slices.SortStableFunc(columns, func(a, b int) int { return cmp.Compare(f.u[b], f.u[a]) })
	columns = columns[:min(len(columns), maxHeavy, maxHeavyBytes/4/len(f.rows))]
	clear(f.u)
	for k, j := range columns {
		f.u[j] = float32(k + 1)
	}
	return len(columns)
}

// precondition computes root, h and factor. It drops H if I + h'*h can't be factored.
func (f *face) precondition() {
	columns := f.findHeavy()
	if f.heavy = columns; f.square > 0 {
		f.heavy++
	}
	f.h = make([]float32, len(f.rows)*f.heavy)
	for k := range f.rows {
		f.root[k] = f.diagonal(k) - f.square
		if f.square > 0 {
			f.h[k*f.heavy+columns] = float32(math.Sqrt(f.square))
		}
	}
	f.eachValue(func(k, j int, v float64) {
		if to := int(f.u[j]); to > 0 {
			f.h[k*f.heavy+to-1] = float32(v)
			f.root[k] -= float64(v * v)
		}
	})
	for k, rest := range f.root {
		f.root[k] = math.Sqrt(max(rest, float64(leastDiagonal*f.diagonal(k))))
		for l, v := range f.h[k*f.heavy:][:f.heavy] {
			f.h[k*f.heavy+l] = float32(float64(v) / f.root[k])
		}
	}
	if f.heavy == 0 {
		return
	}
	sum := gram.New(f.heavy)
	sum.AddEach(len(f.rows), 1, func(_, k int) ([]float32, float32) {
		return f.h[k*f.heavy:][:f.heavy], 1
	})
	f.factor, f.t = cholesky.New(f.heavy), make([]float64, f.heavy)
	if f.factor.Decompose(sum, 1, 1, 1) != nil {
		f.heavy = 0
	}
}

// solve stores the solution z of (D + H*H') z = r in f.q.
func (f *face) solve() {
	clear(f.t)
	for k, r := range f.r {
		f.q[k] = r / f.root[k]
		if f.heavy > 0 {
			asm.Axpy64(f.q[k], f.h[k*f.heavy:][:f.heavy], f.t)
		}
	}
	if f.heavy > 0 {
		f.factor.Solve(f.t)
	}
	for k := range f.q {
		if f.heavy > 0 {
			f.q[k] -= floats.Dot(f.h[k*f.heavy:][:f.heavy], f.t)
		}
		f.q[k] /= f.root[k]
	}
}

// sumRows stores in f.u the sum of the free rows, each multiplied by its p rounded to float32, and
// returns the sum of the rounded p.
func (f *face) sumRows(p []float64) (total float64) {
	clear(f.u)
	for k, i := range f.rows {
		if c := float32(p[k]); c != 0 {
			f.X.Axpy(int(i), c, f.u)
			total += float64(c)
		}
	}
	return total
}

// inverse is 1/(lambda*n).
func (f *face) conjugateGradients(inverse float64) {
	copy(f.r, f.slope)
	f.solve()
	copy(f.p, f.q)
	rq := floats.Dot(f.r, f.q)
	enough := float64(1e-4 * rq)
	for n := 0; n < faceProducts && rq > enough; n++ {
		total := f.sumRows(f.p)
		for k, i := range f.rows {
			dot := float64(f.X.Dot(int(i), f.u)) + float64(f.square*total)
			f.q[k] = float64(dot*inverse) + float64(f.bend*f.p[k])/f.RowWeight(int(i))
		}
		a := rq / floats.Dot(f.p, f.q)
		if !(a > 0) || math.IsInf(a, 0) {
			return
		}
		for k := range f.rows {
			f.step[k] += float64(a * f.p[k])
			f.r[k] -= float64(a * f.q[k])
		}
		f.solve()
		next := floats.Dot(f.r, f.q)
		b := next / rq
		for k := range f.p {
			f.p[k] = f.q[k] + float64(b*f.p[k])
		}
		rq = next
	}
}

// move takes f.step or a fraction of it, clipped to the limits, that raises the dual objective. It
// returns false if it finds none. inverse is 1/(lambda*n).
func (f *face) move(inverse float64) bool {
	length := 1.0
	for range faceHalvings {
		linear, quadratic := 0.0, 0.0
		for k, i := range f.rows {
			y, _ := f.Of.MarginTerms(i)
			a, c, side := float64(f.alpha[i]), f.RowWeight(int(i)), float64(y)
			low, high := f.limits(a)
			to := a + float64(float64(length*f.step[k])*side)/c
			f.q[k] = float64(float32(max(low, min(to, high))))
			f.p[k] = float64(float64(c*(f.q[k]-a)) * side)
			linear += float64(f.p[k] * f.slope[k])
			quadratic += float64(f.bend*float64(f.p[k]*f.p[k])) / c
		}
		total := f.sumRows(f.p)
		square := float64(float64(total*total) * f.square)
		for _, v := range f.u {
			square += float64(float64(v) * float64(v))
		}
		gain := linear - float64(square*inverse)/2 - quadratic/2
		if gain > 0 && !math.IsInf(gain, 0) {
			f.accept(total)
			return true
		}
		length /= 2
	}
	return false
}

// total is the result of sumRows.
func (f *face) accept(total float64) {
	for k, i := range f.rows {
		f.alpha[i] = float32(f.q[k])
	}
	dense.Axpy(1, f.u, f.v)
	if f.FreeBias {
		f.BiasSum += total
	} else {
		f.Biases[0] += float64(total * f.BiasScale)
	}
}
