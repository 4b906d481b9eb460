package pegasos

import (
	"math"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/proof"
	"github.com/pegasimd/pegasimd/internal/train/loss"
	"github.com/pegasimd/pegasimd/internal/train/objective"
	"github.com/pegasimd/pegasimd/internal/train/rows"
)

// A joint problem has a weight vector for each class, which are trained as one: section 5 of the
// paper, examples 3 and 4. With phi(x, r) being x in the place of class r and zeros elsewhere, its
// sub-gradient for a row x of class y is
//
//	sum over r of b_r*phi(x, r), less phi(x, y) times the sum of the b_r
//
// over the other classes r: of the hinge b is 1 for the class of the largest cost(y, r) - z_y +
// z_r, if that is above 0, and 0 for all others; of the log loss b_r is the probability of r.
type joint struct {
	learnerState
	m  *dense.Matrix // of the vectors
	of objective.Joint

	ascent *jointAscent // nil before it begins

	dots []float32 // of a row and the vectors
	z    []float64 // the scores of a batch, one row after the other
	b    []float64 // the coefficients of a row
}

func newJoint(s learnerState, log bool, costs [][]float64) *joint {
	k := len(s.vs)
	j := &joint{learnerState: s,
		of: objective.Joint{Terms: s.Terms, Vectors: k, Log: log, Costs: costs}}
	j.m = dense.New(k, s.X.Cols())
	for r, v := range s.vs {
		copy(j.m.Row(r), v) // not zeros after setStart
		j.vs[r] = j.m.Row(r)
	}
	j.dots, j.b = make([]float32, k), make([]float64, k)
	return j
}

func (j *joint) objective() objective.Problem { return &j.of }

func (j *joint) takeSteps(idx []uint32) {
	if j.ascent != nil {
		for len(idx) > 0 && j.err == nil {
			n := j.beforeSample(len(idx))
			if j.ascend(idx[:n]); j.err == nil {
				j.sample()
			}
			idx = idx[n:]
		}
		return
	}
	for n := range idx {
		j.batch(idx[n : n+1])
		if j.err != nil {
			return
		}
		j.sample()
	}
}

func (j *joint) takeBatches(idx []uint32, ends []int) {
	start := 0
	for _, end := range ends {
		j.batch(idx[start:end])
		if j.err != nil {
			return
		}
		j.sample()
		start = end
	}
}

// batch takes a step with the mean over the rows idx, and projects w onto the ball if there is one.
func (j *joint) batch(idx []uint32) {
	k, divisor := len(j.vs), j.divisor()
	j.z = j.z[:0] // all first: the rows of a batch do not influence each other
	for _, i := range idx {
		j.X.DotVectors(j.dots, int(i), j.m, 0)
		for r, dot := range j.dots {
			j.z = append(j.z, j.score(r, dot, divisor))
		}
	}
	share, moved := float64(j.factor*float64(len(idx))), false
	for n, i := range idx {
		z := j.z[n*k:][:k]
		for _, v := range z {
			if !floats.IsFinite(v) {
				j.notFinite(i)
				return
			}
		}
		y := int(j.Class[i])
		if !j.of.Coefficients(z, j.b, i) {
			continue
		}
		moved = true
		weight := float32(j.Share(int(i)))
		var all float64
		for r, b := range j.b {
			if b == 0 || r == y {
				continue
			}
			all += b
			j.move(r, i, float32(float32(-b)*weight), share, len(idx))
			if j.recent != nil {
				j.recent.count[int(i)*k+r] += float32(b)
			}
		}
		j.move(y, i, float32(float32(all)*weight), share, len(idx))
		if j.err != nil {
			return
		}
	}
	if moved {
		j.violations++
	}
	j.t++
	j.project()
}

// move adds row i to vector r with the coefficient g, divided by share.
func (j *joint) move(r int, i uint32, g float32, share float64, of int) {
	a := float32(float64(g) / share)
	if !floats.IsFinite(a) {
		j.err = &StepError{j.t + 1, j.Name(i), "a weight is not finite: " + rows.TooLarge}
		return
	}
	j.addRow(r, i, a)
	j.vb[r] += j.biasUpdate(float64(g)/float64(of), float64(a))
}

// dual returns a lower bound on P: of the hinge
//
//	max over r of cost(y, r) - z_y + z_r >= sum over r of a_r*(cost(y, r) - z_y + z_r)
//
// for all a_r >= 0 with a sum of at most 1, and of the log loss the right side without the costs,
// plus the entropy of the a_r and what they lack to 1. The a_r are the means of the row's
// coefficients. The rest is as for one vector: see certificate.go.
func (j *joint) dual(r2 float64) float64 {
	if j.ascent != nil {
		return j.bound(j.ascentShares(), r2)
	}
	if j.recent == nil {
		return math.NaN()
	}
	return j.bestBound(func(share float32) float32 { return max(0, share) },
		func(a []float32) float64 { return j.bound(a, r2) })
}

// bestShares returns the shares that dual has its bound from before an ascent, what they have to be
// multiplied by, and the bound.
func (j *joint) bestShares(r2 float64) (share []float32, factor, bound float64) {
	j.bestBound(func(share float32) float32 { return max(0, share) }, func(a []float32) float64 {
		b, s := j.boundAt(a, r2)
		if share == nil || b > bound {
			share, factor, bound = append(share[:0], a...), s, b
		}
		return b
	})
	return share, factor, bound
}

// bound returns the dual objective at a, which it scales down where roundings have made a row's sum
// larger than 1, or at what s makes larger.
func (j *joint) bound(a []float32, r2 float64) float64 {
	value, _ := j.boundAt(a, r2)
	return value
}

// boundAt is bound, and s. For the log loss s is always 1.
func (j *joint) boundAt(a []float32, r2 float64) (value, s float64) {
	k, n := len(j.vs), j.Count()
	j.WidenPrior()
	own := j.ownShares(a)
	half, prior := j.halfNorm(a, own, r2)
	if j.of.Log {
		return j.entropyBound(a, own, half) - prior, 1
	}
	var mean, size float64
	for p := range n {
		i := j.Row(p)
		y := int(j.Class[i])
		var gain, parts float64
		for r, v := range a[i*k:][:k] {
			z, own := j.WideScore(i, r), j.WideScore(i, y)
			gain += float64(float64(v) * (j.of.Cost(y, r) + z - own))
			parts += float64(float64(v) * (j.of.Cost(y, r) + math.Abs(z) + math.Abs(own)))
		}
		mean += float64(j.Share(i) * gain)
		size += float64(j.Share(i) * parts)
	}
	mean = (mean-float64(j.Sums*size))/float64(n) - prior
	_, s = proof.Parabola(mean, half)
	return dualAt(s, mean, half), s
}

// ownShares returns for each row the sum of its shares, with which it is added to the vector of its
// own class. Sums that roundings have made larger than 1 are scaled down.
func (j *joint) ownShares(a []float32) []float64 {
	k, n := len(j.vs), j.Count()
	own := make([]float64, n)
	for p := range n {
		row := a[j.Row(p)*k:][:k]
		var sum float64
		for _, v := range row {
			sum += float64(v)
		}
		if sum > 1 {
			for r := range row {
				row[r] = float32(float64(row[r]) / (sum * (1 + 0x1p-20)))
			}
			sum = 0
			for _, v := range row {
				sum += float64(v)
			}
		}
		own[p] = sum
	}
	return own
}

// halfNorm returns no less than |u|^2/(2 lambda), u being the mean of the rows times their shares
// in all vectors' places, and a bound on what the roundings of the prior's scores may have added to
// the mean.
func (j *joint) halfNorm(a []float32, own []float64, r2 float64) (half, prior float64) {
	k, n := len(j.vs), j.Count()
	u := make([]float64, j.X.Cols())
	c := make([]float32, j.X.Rows())
	var sum, squares float64
	for r := range k {
		clear(u)
		clear(c)
		var ub float64
		for p := range n {
			i := j.Row(p)
			v := -float64(a[i*k+r])
			if int(j.Class[i]) == r {
				v = own[p]
			}
			c[i] = float32(v)
			b := float64(j.Share(i) * float64(c[i]))
			ub += float64(b * j.BiasScale)
			squares += float64(float64(c[i]) * b)
		}
		// own[p] was rounded to float32: what is lost is a share of at most 2^-24 in the row's own
		// class, which has no cost. It is counted as a rounding below.
		j.AddTo(u, c)
		for _, v := range u {
			sum += float64(v * v)
		}
		sum += float64(ub * ub)
	}
	squares /= float64(n)
	norm := math.Sqrt(sum)/float64(n) +
		float64(1.001*(j.AddError()+j.Sums+0x1p-23)*math.Sqrt(squares*r2))
	norm = float64(norm * (1 + j.Sums))
	return norm * norm / (2 * j.Lambda), float64(2 * math.Sqrt(squares) * j.PriorError(r2))
}

// entropyBound is like that of one vector.
func (j *joint) entropyBound(a []float32, own []float64, half float64) float64 {
	k, n := len(j.vs), j.Count()
	best, s := 0.0, 1.0
	for range 3 {
		var value, slope, bend, size float64
		for p := range n {
			i := j.Row(p)
			weight, y := j.Share(i), int(j.Class[i])
			var h, linear, dh float64
			for r, v := range a[i*k:][:k] {
				if v <= 0 {
					continue
				}
				h -= loss.XLogX(float64(s * float64(v)))
				dh -= float64(float64(v) * floats.Log(float64(s*float64(v))))
				z, own := j.WideScore(i, r), j.WideScore(i, y)
				linear += float64(float64(v) * (z - own))
				size += float64(float64(weight*float64(v)) * (math.Abs(z) + math.Abs(own)))
			}
			rest := 1 - float64(s*own[p])
			h -= loss.XLogX(rest)
			value += float64(weight * (h + float64(s*linear)))
			if rest > 0 {
				dh += float64(own[p] * floats.Log(rest))
				bend -= float64(weight*own[p]) / (s * rest)
			}
			slope += float64(weight * (dh + linear))
		}
		rows := float64(n)
		value, slope = value/rows-float64(s*s*half), slope/rows-float64(2*s*half)
		bend = bend/rows - 2*half
		best = max(best, value-float64(j.Sums*(64+size/rows)))
		if !(bend < 0) {
			break
		}
		s = max(s/4, min(s-slope/bend, 1))
	}
	return best
}

func (tr *Trainer) checkCosts(classes int) error {
	if tr.Costs == nil {
		return nil
	}
	if tr.Config.Multiclass != CrammerSinger {
		return badField("Costs", "they are for Multiclass %q, have %q", CrammerSinger,
			tr.Config.Plain().Multiclass)
	}
	if len(tr.Costs) != classes {
		return badField("Costs", "have %d rows, want one for each of the %d classes", len(tr.Costs),
			classes)
	}
	for y, row := range tr.Costs {
		if len(row) != classes {
			return badField("Costs", "row %d has %d numbers, want one for each of the %d classes",
				y, len(row), classes)
		}
		for r, c := range row {
			if r == y && c != 0 || r != y && !(c > 0 && c <= math.MaxFloat32) {
				return badField("Costs", "have %v for predicting class %d where %d is right: "+
					"want 0 where they are the same, else a positive finite number", c, r, y)
			}
		}
	}
	return nil
}
