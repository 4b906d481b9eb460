package pegasos

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/loss"
	"github.com/pegasimd/pegasimd/internal/train/objective"
)

// A problem is the training state of one weight vector: of the rows of one class against others, or
// of numbers to predict.
type problem struct {
	iterate.State
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
		p.T += int64(len(idx)) // an iteration is due at the epoch's end
		return
	}
	for len(idx) > 0 && p.Err == nil {
		n := p.BeforeSample(len(idx))
		switch {
		case p.ascent != nil:
			p.ascend(idx[:n])
		case p.Radius > 0:
			for i := range idx[:n] {
				p.batch(idx[i : i+1])
			}
		case p.plainHinge():
			p.runHinge(idx[:n])
		default:
			p.runLoss(idx[:n])
		}
		idx = idx[n:]
		if p.Err == nil {
			p.Sample()
		}
	}
}

// plainHinge reports whether the loss of a row is that of the hinge by its own score, without a
// prior or an unregularised bias.
func (p *problem) plainHinge() bool {
	return p.of.Cost.Kind == loss.Hinge && p.PriorScores == nil && !p.Free
}

func (p *problem) common() *iterate.State { return &p.State }

func (p *problem) objective() objective.Problem { return &p.of }

func (p *problem) endEpoch(epochs int) {
	p.State.EndEpoch(epochs)
	if p.ascent != nil {
		p.ascent.pass++
		if p.T == p.Total && p.Err == nil {
			p.endRun()
		}
	}
}

// takeBatches takes a step with each of the batches of the rows idx, of which ends has the ends.
func (p *problem) takeBatches(idx []uint32, ends []int) {
	start := 0
	for _, end := range ends {
		if p.batch(idx[start:end]); p.Err != nil {
			return
		}
		p.Sample()
		start = end
	}
}

// batch takes a step with the mean over the rows idx, and projects w onto the ball if there is one.
func (p *problem) batch(idx []uint32) {
	if p.Err != nil {
		return
	}
	n := len(idx)
	if cap(p.dots) < n {
		p.dots, p.coefficients = make([]float32, n), make([]float32, n)
		p.updates = make([]uint32, n)
	}
	dots, rows, coefficients := p.dots[:n], p.updates[:0], p.coefficients[:0]
	p.X.DotMany(dots, idx, p.v)
	divisor, share := p.Divisor(), float64(p.Factor*float64(n))
	p.z = p.z[:0] // all first: the rows of a batch do not influence each other
	for _, dot := range dots {
		p.z = append(p.z, p.Score(0, dot, divisor))
	}
	for k, i := range idx {
		z := p.z[k]
		c, g := p.of.Coefficient(i, z)
		a := float32(float64(g) / share)
		if !floats.IsFinite(z) || !floats.IsFinite(a) {
			p.NotFinite(i)
			return
		}
		if c == 0 {
			continue
		}
		rows, coefficients = append(rows, i), append(coefficients, a)
		if p.Radius > 0 {
			p.AddRow(0, i, a)
		}
		p.Biases[0] += p.BiasUpdate(float64(g)/float64(n), float64(a))
		if p.Recent != nil {
			p.Recent.Count[i] += c
		}
	}
	if len(rows) > 0 {
		p.Violations++
		if p.Radius == 0 {
			p.X.AxpyMany(coefficients, rows, p.v)
		}
	}
	p.T++
	p.Project()
}

// runHinge takes a step of the hinge loss with each of the rows idx.
func (p *problem) runHinge(idx []uint32) {
	if p.T == 0 && p.T0 == 0 {
		// w is 0 by definition and violates any margin; the test below would be 0 < 0.
		p.violate(idx[0], 0)
		p.T, idx = 1, idx[1:]
	}
	if steps := p.X.Steps(); steps != nil && p.BiasScale == 0 && p.Scale() >= 0x1p-126 {
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
		p.T++
	}
}

// margin returns the margin of row i times scale, by its dot product with v.
func (p *problem) margin(i uint32, dot float32) float64 {
	return float64(p.of.Sign(i)) * (float64(dot) + float64(p.BiasScale*p.Biases[0]))
}

// beyond reports whether the margin of row i is a number, and large enough for its loss to be 0.
func (p *problem) beyond(i uint32, dot float32) bool {
	m := p.margin(i, dot)
	return m >= p.Scale() && m <= math.MaxFloat64
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
		p.NotFinite(i)
		return 0, false
	}
	y := p.of.Weighted(i, p.of.Sign(i))
	p.Biases[0] += float64(float64(y) * p.BiasScale)
	p.Violations++
	if p.Recent != nil {
		p.Recent.Count[i]++
	}
	return y, true
}

// runLoss takes a step with each of the rows idx, of any loss. w is still v/scale, for the step
// from w to (1 - 1/(t+t0)) w + g x/(lambda*(t+t0)) adds g x to v, whatever g is.
func (p *problem) runLoss(idx []uint32) {
	for _, i := range idx {
		z := p.Score(0, p.X.Dot(int(i), p.v), p.Scale())
		c, g := p.of.Coefficient(i, z)
		if !floats.IsFinite(z) || !floats.IsFinite(g) {
			p.NotFinite(i)
			return
		}
		if c != 0 {
			p.X.Axpy(int(i), g, p.v)
			p.Biases[0] += p.BiasUpdate(float64(g), float64(g))
			p.Violations++
			if p.Recent != nil {
				p.Recent.Count[i] += c
			}
		}
		p.T++
	}
}
