// Package sgd has the steps of Pegasos: of one vector (Binary), of several that share rows (Group),
// of copies that share the work (Shards), and of a vector for each class (Joint).
package sgd

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/loss"
	"github.com/pegasimd/pegasimd/internal/train/objective"
)

// A Binary is the training of one vector.
type Binary struct {
	iterate.State
	V  []float32 // the one vector
	Of objective.Binary

	// Buffers for a batch.
	dots         []float32 // the rows' dot products with V
	z            []float64 // their scores
	updates      []uint32  // the rows that V is updated with
	coefficients []float32 // what each of them is multiplied by
}

// NewBinary returns the training of the vector of s.
func NewBinary(s iterate.State, cost loss.Func, positive int32) *Binary {
	return &Binary{State: s, V: s.Vectors[0],
		Of: objective.Binary{Terms: s.Terms, Cost: cost, Positive: positive}}
}

// Steps takes a step with each of the rows idx and samples w in between. After an error it does
// nothing.
func (p *Binary) Steps(idx []uint32) {
	for len(idx) > 0 && p.Err == nil {
		n := p.BeforeSample(len(idx))
		switch {
		case p.Radius > 0:
			for i := range idx[:n] {
				p.batch(idx[i : i+1])
			}
		case p.PlainHinge():
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

// Batches takes a step with each of the batches of the rows idx, of which ends has the ends.
func (p *Binary) Batches(idx []uint32, ends []int) {
	inBatches(&p.State, idx, ends, p.batch)
}

// inBatches calls batch for each of them, and samples w in between, up to an error.
func inBatches(s *iterate.State, idx []uint32, ends []int, batch func(idx []uint32)) {
	start := 0
	for _, end := range ends {
		if batch(idx[start:end]); s.Err != nil {
			return
		}
		s.Sample()
		start = end
	}
}

// batch takes a step with the mean over the rows idx, and projects w onto the ball if there is one.
func (p *Binary) batch(idx []uint32) {
	if p.Err != nil {
		return
	}
	n := len(idx)
	if cap(p.dots) < n {
		p.dots, p.coefficients = make([]float32, n), make([]float32, n)
		p.updates = make([]uint32, n)
	}
	dots, rows, coefficients := p.dots[:n], p.updates[:0], p.coefficients[:0]
	p.X.DotMany(dots, idx, p.V)
	divisor, share := p.Divisor(), float64(p.Factor*float64(n))
	p.z = p.z[:0] // all first: the rows of a batch do not influence each other
	for _, dot := range dots {
		p.z = append(p.z, p.Score(0, dot, divisor))
	}
	for k, i := range idx {
		z := p.z[k]
		c, g := p.Of.Coefficient(i, z)
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
			p.X.AxpyMany(coefficients, rows, p.V)
		}
	}
	p.T++
	p.Project()
}

// PlainHinge reports whether the loss of a row is that of the hinge by its own score, without a
// prior or an unregularised bias.
func (p *Binary) PlainHinge() bool {
	return p.Of.Cost.Kind == loss.Hinge && p.PriorScores == nil && !p.Free
}

// runHinge takes a step of the hinge loss with each of the rows idx.
func (p *Binary) runHinge(idx []uint32) {
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
		if dot := x.Dot(int(i), p.V); !p.beyond(i, dot) && !p.violate(i, dot) {
			return
		}
		p.T++
	}
}

// margin returns the margin of row i times scale, by its dot product with v.
func (p *Binary) margin(i uint32, dot float32) float64 {
	return float64(p.Of.Sign(i)) * (float64(dot) + float64(p.BiasScale*p.Biases[0]))
}

// beyond reports whether the margin of row i is a number, and large enough for its loss to be 0.
func (p *Binary) beyond(i uint32, dot float32) bool {
	m := p.margin(i, dot)
	return m >= p.Scale() && m <= math.MaxFloat64
}

// violate updates v with row i, whose margin is too small. It reports whether the margin is a
// number.
func (p *Binary) violate(i uint32, dot float32) bool {
	a, ok := p.violation(i, dot)
	if ok {
		p.X.Axpy(int(i), a, p.V)
	}
	return ok
}

// violation counts a violation by row i, and returns a: a times the row is to be added to v.
func (p *Binary) violation(i uint32, dot float32) (a float32, ok bool) {
	if m := p.margin(i, dot); !floats.IsFinite(m) {
		p.NotFinite(i)
		return 0, false
	}
	y := p.Of.Weighted(i, p.Of.Sign(i))
	p.Biases[0] += float64(float64(y) * p.BiasScale)
	p.Violations++
	if p.Recent != nil {
		p.Recent.Count[i]++
	}
	return y, true
}

// runLoss takes a step with each of the rows idx, of any loss. w is still v/scale, for the step
// from w to (1 - 1/(t+t0)) w + g x/(lambda*(t+t0)) adds g x to v, whatever g is.
func (p *Binary) runLoss(idx []uint32) {
	for _, i := range idx {
		z := p.Score(0, p.X.Dot(int(i), p.V), p.Scale())
		c, g := p.Of.Coefficient(i, z)
		if !floats.IsFinite(z) || !floats.IsFinite(g) {
			p.NotFinite(i)
			return
		}
		if c != 0 {
			p.X.Axpy(int(i), g, p.V)
			p.Biases[0] += p.BiasUpdate(float64(g), float64(g))
			p.Violations++
			if p.Recent != nil {
				p.Recent.Count[i] += c
			}
		}
		p.T++
	}
}
