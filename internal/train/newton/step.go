package newton

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/internal/proof"
)

// chunkRows is the number of rows whose sums are formed by themselves, by one goroutine, and then
// added up in order. So the number of goroutines changes no bit.
const chunkRows = 4096

// fewRows is the number of rows whose losses are found at a time, in buffers on the stack.
const fewRows = 256

const (
	mostParts = 8   // into which rows are cut that are added to the sums
	leastPart = 256 // rows
)

// inChunks calls f for each chunk of the rows.
func (n *Method) inChunks(f func(from, to int)) {
	ofChunks(n, func(from, to int) (none struct{}) {
		f(from, to)
		return none
	})
}

// ofChunks returns what f makes of each chunk of the rows.
func ofChunks[T any](n *Method, f func(from, to int) T) []T {
	rows := len(n.p.Rows)
	all := make([]T, (rows+chunkRows-1)/chunkRows)
	parallel.For(n.threads, len(all), func(_, k int) {
		if !n.over() {
			all[k] = f(k*chunkRows, min((k+1)*chunkRows, rows))
		}
	})
	return all
}

// setMargins finds the margins from v. Exact ones are from float64 dot products.
func (n *Method) setMargins(exact bool) {
	w := make([]float32, n.p.Cols)
	for j := range w {
		w[j] = float32(n.v[j])
	}
	wide, bias := floats.Wide(w), n.biasOf(n.v)
	n.inChunks(func(from, to int) {
		x := n.p.X.ForWorker()
		for j := from; j < to; j++ {
			i, z := int(n.p.At[j]), 0.0
			if exact {
				z = x.WideDot(i, wide)
			} else {
				z = float64(x.Dot(i, w))
			}
			n.m[j] = float64(float64(n.p.Side[j])*(z+bias)) - n.p.targetOf(j)
		}
	})
}

// objective returns P of the given multiple of v, by the margins.
func (n *Method) objective(times float64) float64 {
	loss := 0.0
	for _, sum := range ofChunks(n, func(from, to int) float64 {
		return n.losses(times, from, to, 1)
	}) {
		loss += sum
	}
	return n.penalty(times) + loss/float64(len(n.p.Rows))
}

// losses returns the sum of the losses for a multiple of v of each step-th row from first to end-1.
func (n *Method) losses(times float64, first, end, step int) (sum float64) {
	var m [fewRows]float64
	for first < end {
		count := min(fewRows, (end-first+step-1)/step)
		for k := range count {
			j := first + k*step
			target := n.p.targetOf(j)
			m[k] = float64(times*(n.m[j]+target)) - target
		}
		n.p.Loss.Losses(m[:count], m[:count])
		for k, loss := range m[:count] {
			sum += float64(n.p.share(first+k*step) * loss)
		}
		first += count * step
	}
	return sum
}

// penalty returns that of a multiple of v.
func (n *Method) penalty(times float64) float64 {
	squares := 0.0
	for _, v := range n.v[:n.solved()] {
		squares += float64(v * v)
	}
	return float64(n.p.Lambda / 2 * float64(times*times) * squares)
}

// tally are sums over rows.
type tally struct {
	loss      float64    // of c_i*loss(m_i)
	smoothing float64    // of the parts of S
	gain      [2]float64 // of what D has for a_i, linear in a, of those below 0 and above
	squares   [2]float64 // of c_i*a_i^2, likewise
	bias      [2]float64 // of c_i*a_i*y_i, likewise
	bend      float64    // of c_i*f”(m_i)
	changed   int        // the rows whose a_i is another
	zone      int        // the rows with a second derivative
}

func (s *tally) add(t *tally) {
	s.loss += t.loss
	s.smoothing += t.smoothing
	for k := range s.gain {
		s.gain[k] += t.gain[k]
		s.squares[k] += t.squares[k]
		s.bias[k] += t.bias[k]
	}
	s.bend += t.bend
	s.changed += t.changed
	s.zone += t.zone
}

// visit finds the a_i and second derivatives of the rows from first to end-1, and their sums.
func (n *Method) visit(first, end int) (s tally) {
	var losses, dual, bends [fewRows]float64
	for from := first; from < end; from += fewRows {
		m := n.m[from:min(from+fewRows, end)]
		n.p.Loss.Losses(losses[:], m)
		n.p.Loss.Bends(dual[:], bends[:], m, 1/n.h)
		n.visitFew(&s, first, from, losses[:len(m)], dual[:], bends[:])
	}
	return s
}

// visitFew does so for rows of which losses, coefficients and second derivatives are given.
func (n *Method) visitFew(s *tally, first, from int, losses, dual, bends []float64) {
	p, b := n.p, n.buffers
	kinked := p.Loss.Kind.Traits().Kinks
	for k, loss := range losses {
		j, bend := from+k, bends[k]
		m, a, c := n.m[j], float32(dual[k]), n.p.share(j)
		linear := p.Loss.Linear(float64(a))
		s.loss += float64(c * loss)
		if bend > 0 {
			bend = float64(c * bend)
			b.bend[j] = float32(bend)
			s.bend += bend
			b.zone[first+s.zone] = int32(j)
			s.zone++
		}
		if a != n.a[j] {
			b.was[j] = n.a[j]
			n.a[j] = a
			b.changed[first+s.changed] = int32(j)
			s.changed++
		}
		if a == 0 {
			if kinked {
				s.smoothing += float64(c * loss)
			}
			continue
		}
		if kinked {
			s.smoothing += float64(c * (loss - linear + float64(float64(a)*m)))
		}
		side := float64(n.p.Side[j])
		k := 0
		if float64(float64(a)*side) < 0 {
			k = 1
		}
		ca := float64(c * float64(a))
		s.gain[k] += float64(c*linear) + float64(ca*n.p.targetOf(j))
		s.squares[k] += float64(ca * float64(a))
		s.bias[k] += float64(ca * side)
	}
}

// A place is what there is to know of the weights, and the width.
type place struct {
	p, d, smoothing, rest float64 // P and D, and S and O
	zone                  []int32 // the rows with a second derivative
	bend                  float64 // the sum of these
}

// evaluate finds where the method is, with the a_i and their sums.
func (n *Method) evaluate() (at place) {
	b, visit := n.buffers, n.visit
	if n.quick {
		visit = n.visitHinge
	}
	var s tally
	changed, zone := b.changed[:0], b.zone[:0]
	for k, t := range ofChunks(n, visit) {
		s.add(&t)
		changed = append(changed, b.changed[k*chunkRows:][:t.changed]...)
		zone = append(zone, b.zone[k*chunkRows:][:t.zone]...)
	}
	n.addChanged(changed)
	if n.over() {
		return at
	}
	at = n.gap(&s)
	at.zone, at.bend = zone, s.bend
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

// addChanged brings the sums up to date.
func (n *Method) addChanged(changed []int32) {
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
				b.weight[i] = float64(c * n.p.share(int(j)))
				only = append(only, i)
			}
		}
		n.addRows(n.sums[k], only)
	}
}

// gap finds P and D, and their parts, by the sums over the rows.
func (n *Method) gap(s *tally) (at place) {
	p, d := n.p, n.p.Cols
	rows := float64(len(n.p.Rows))
	r := [2]float64{1, 1} // what the sums are multiplied by
	if up, down := s.bias[0], -s.bias[1]; n.p.Free && up > down {
		r[0] = down / up
	} else if n.p.Free && down > up {
		r[1] = up / down
	}
	if n.p.Beta > 0 {
		n.sums[0][d] = float64(n.p.Beta * (s.bias[0] + s.bias[1]))
	}
	scale := 1 / float64(p.Lambda*rows)
	var ww, aa, rest float64
	for j := range n.solved() {
		a, b := float64(n.sums[0][j]*scale), 0.0
		if n.p.Free {
			b = float64(n.sums[1][j] * scale)
			a, b = float64(a*r[0]), float64(b*r[1])
		}
		a += b
		v := n.v[j]
		ww += float64(v * v)
		aa += float64(a * a)
		rest += float64((v - a) * (v - a))
	}
	half := p.Lambda / 2
	at.p = float64(half*ww) + s.loss/rows
	at.rest, at.smoothing = float64(half*rest), s.smoothing/rows
	if p.Loss.Kind.Traits().Entropy {
		// Making the a_i smaller changes their entropy by no more than about this.
		at.d = at.p - at.rest - float64((2-r[0]-r[1])*8)
		return at
	}
	mean := (float64(s.gain[0]*r[0]) + float64(s.gain[1]*r[1])) / rows
	bend := float64(half * aa)
	for k, v := range s.squares {
		bend += float64(p.Loss.Kind.Traits().Quadratic * float64(v*float64(r[k]*r[k])) / rows)
	}
	at.d, _ = proof.Parabola(mean, bend)
	if n.p.Free {
		at.rest = max(0, at.p-at.d-at.smoothing)
	}
	return at
}

// direct finds a direction. It reports false if there is none in which the objective falls.
func (n *Method) direct(at place) bool {
	b, centre := n.buffers, n.addUp(at.zone, at.bend)
	if n.over() {
		return false
	}
	rows := float64(len(n.p.Rows))
	err := Decompose(b.factor, b.matrix, n.p.Lambda, n.zoneScale()/rows, n.threads)
	return err == nil && n.solve(centre, at.bend)
}

// solve makes the line of the gradient. It reports whether the smoothed objective falls along it.
func (n *Method) solve(centre []float64, bend float64) bool {
	p, d, rows := n.p, n.p.Cols, float64(len(n.p.Rows))
	to := &direction{p: make([]float64, len(n.v)), step: make([]float32, d),
		q: make([]float32, len(p.Rows))}
	gradient := make([]float64, len(n.v))
	for j, v := range n.v {
		u := n.sums[0][j]
		if p.Free && j < d {
			u += n.sums[1][j]
		}
		gradient[j] = float64(p.Lambda*v) - u/rows
	}
	x := to.p[:n.solved()]
	if p.Free {
		gradient[d] = -n.sums[0][d] / rows
		if bend > 0 { // the step of the bias, in terms of the centred rows
			to.p[d] = -gradient[d] * rows / bend
		}
	}
	for j := range x {
		x[j] = -gradient[j]
		if centre != nil {
			x[j] += float64(centre[j] * gradient[d])
		}
	}
	n.buffers.factor.Solve(x)
	for j, c := range centre {
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
	}
	return n.line != nil
}
