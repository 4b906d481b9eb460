package pegasos

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/train/loss"
	"github.com/pegasimd/pegasimd/internal/train/objective"
)

// A problem is the training state of one weight vector: of the rows of one class against others, or
// of numbers to predict.
type problem struct {
	learnerState
	v []float32 // the one vector

	of objective.Binary

	ascent *ascent     // nil before it begins
	newton *newtonPart // likewise; there is one of them at most

	newtons int // how often Newton's method has begun

	// Buffers for a batch.
	dots         []float32 // the rows' dot products with v
	z            []float64 // their scores
	updates      []uint32  // the rows that v is updated with
	coefficients []float32 // what each of them is multiplied by
}

// takeSteps takes a step with each of the rows idx and samples w in between. After an error it does
// nothing.
func (p *problem) takeSteps(idx []uint32) {
	if p.newton != nil {
		p.t += int64(len(idx)) // an iteration is due at the epoch's end
		return
	}
	for len(idx) > 0 && p.err == nil {
		n := p.beforeSample(len(idx))
		switch {
		case p.ascent != nil:
			p.ascend(idx[:n])
		case p.radius > 0:
			for i := range idx[:n] {
				p.batch(idx[i : i+1])
			}
		case p.plainHinge():
			p.runHinge(idx[:n])
		default:
			p.runLoss(idx[:n])
		}
		idx = idx[n:]
		if p.err == nil {
			p.sample()
		}
	}
}

// plainHinge reports whether the loss of a row is that of the hinge by its own score, without a
// prior or an unregularised bias.
func (p *problem) plainHinge() bool {
	return p.of.Cost.Kind == loss.Hinge && p.PriorScores == nil && !p.Free
}

func (p *problem) objective() objective.Problem { return &p.of }

func (p *problem) endEpoch(epochs int) {
	p.learnerState.endEpoch(epochs)
	if p.ascent != nil {
		p.ascent.pass++
		if p.t == p.total && p.err == nil {
			p.endRun()
		}
	}
}

// takeBatches takes a step with each of the batches of the rows idx, of which ends has the ends.
func (p *problem) takeBatches(idx []uint32, ends []int) {
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
	if cap(p.dots) < n {
		p.dots, p.coefficients = make([]float32, n), make([]float32, n)
		p.updates = make([]uint32, n)
	}
	dots, rows, coefficients := p.dots[:n], p.updates[:0], p.coefficients[:0]
	p.X.DotMany(dots, idx, p.v)
	divisor, share := p.divisor(), float64(p.factor*float64(n))
	p.z = p.z[:0] // all first: the rows of a batch do not influence each other
	for _, dot := range dots {
		p.z = append(p.z, p.score(0, dot, divisor))
	}
	for k, i := range idx {
		z := p.z[k]
		c, g := p.of.Coefficient(i, z)
		a := float32(float64(g) / share)
		if !floats.IsFinite(z) || !floats.IsFinite(a) {
			p.notFinite(i)
			return
		}
		if c == 0 {
			continue
		}
		rows, coefficients = append(rows, i), append(coefficients, a)
		if p.radius > 0 {
			p.addRow(0, i, a)
		}
		p.vb[0] += p.biasUpdate(float64(g)/float64(n), float64(a))
		if p.recent != nil {
			p.recent.Count[i] += c
		}
	}
	if len(rows) > 0 {
		p.violations++
		if p.radius == 0 {
			p.X.AxpyMany(coefficients, rows, p.v)
		}
	}
	p.t++
	p.project()
}

// runHinge takes a step of the hinge loss with each of the rows idx.
func (p *problem) runHinge(idx []uint32) {
	if p.t == 0 && p.t0 == 0 {
		// w is 0 by definition and violates any margin; the test below would be 0 < 0.
		p.violate(idx[0], 0)
		p.t, idx = 1, idx[1:]
	}
	if steps := p.X.Steps(); steps != nil && p.BiasScale == 0 && p.scale() >= 0x1p-126 {
		p.runPrepared(steps, idx)
		return
	}
	x, ahead := p.X, p.FetchAhead()
	for n, i := range idx {
		if ahead > 0 && n+ahead < len(idx) {
			x.Fetch(int(idx[n+ahead]))
		}
		if dot := x.Dot(int(i), p.v); !p.beyond(i, dot) && !p.violate(i, dot) {
			return
		}
		p.t++
	}
}

// margin returns the margin of row i times scale, by its dot product with v.
func (p *problem) margin(i uint32, dot float32) float64 {
	return float64(p.of.Sign(i)) * (float64(dot) + float64(p.BiasScale*p.vb[0]))
}

// beyond reports whether the margin of row i is a number, and large enough for its loss to be 0.
func (p *problem) beyond(i uint32, dot float32) bool {
	m := p.margin(i, dot)
	return m >= p.scale() && m <= math.MaxFloat64
}

// violate updates v with row i, whose margin is too small. It reports whether the margin is a
// number.
func (p *problem) violate(i uint32, dot float32) bool {
	a, ok := p.violation(i, dot)
	if ok {
		p.X.Axpy(int(i), a, p.v)
	}
	return ok
}

// violation counts a violation by row i, and returns a: a times the row is to be added to v.
func (p *problem) violation(i uint32, dot float32) (a float32, ok bool) {
	if m := p.margin(i, dot); !floats.IsFinite(m) {
		p.notFinite(i)
		return 0, false
	}
	y := p.of.Weighted(i, p.of.Sign(i))
	p.vb[0] += float64(float64(y) * p.BiasScale)
	p.violations++
	if p.recent != nil {
		p.recent.Count[i]++
	}
	return y, true
}

// runLoss takes a step with each of the rows idx, of any loss. w is still v/scale, for the step
// from w to (1 - 1/(t+t0)) w + g x/(lambda*(t+t0)) adds g x to v, whatever g is.
func (p *problem) runLoss(idx []uint32) {
	for _, i := range idx {
		z := p.score(0, p.X.Dot(int(i), p.v), p.scale())
		c, g := p.of.Coefficient(i, z)
		if !floats.IsFinite(z) || !floats.IsFinite(g) {
			p.notFinite(i)
			return
		}
		if c != 0 {
			p.X.Axpy(int(i), g, p.v)
			p.vb[0] += p.biasUpdate(float64(g), float64(g))
			p.violations++
			if p.recent != nil {
				p.recent.Count[i] += c
			}
		}
		p.t++
	}
}
