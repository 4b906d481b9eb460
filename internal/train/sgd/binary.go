// Package sgd implements the steps of Pegasos (Shalev-Shwartz et al., Mathematical Programming 127,
// 2011): stochastic sub-gradient steps of size 1/(lambda*(t+t0)), on single rows or batches, with
// or without projection. Binary trains one weight vector, Joint one for each class, and Group
// several one-vs-rest problems together.
package sgd

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/loss"
	"github.com/pegasimd/pegasimd/internal/train/objective"
)

type Binary struct {
	iterate.State
	V  []float32 // the state's only vector
	Of objective.Binary

	// buffers for a batch
	dots         []float32
	z            []float64
	updates      []uint32
	coefficients []float32 // multiples of the rows in updates
}

// NewBinary returns a Binary that trains the only vector of s. Rows of the given class have the
// label +1, all other rows -1. A regression ignores the class.
func NewBinary(s iterate.State, cost loss.Func, class int32) *Binary {
	return &Binary{State: s, V: s.Vectors[0],
		Of: objective.Binary{Terms: s.Terms, Cost: cost, Positive: class}}
}

// Steps takes a step with each of the rows idx or, if ends is not nil, with each batch: batch k is
// idx[ends[k-1]:ends[k]], and batch 0 begins at index 0. Steps samples w when a sample is due, and
// stops if a step sets Err.
func (p *Binary) Steps(idx []uint32, ends []int) {
	if ends != nil || p.Radius > 0 {
		inBatches(&p.State, idx, ends, p.batch)
		return
	}
	for len(idx) > 0 && p.Err == nil {
		n := p.BeforeSample(len(idx))
		if p.PlainHinge() {
			p.runHinge(idx[:n])
		} else {
			p.runLoss(idx[:n])
		}
		idx = idx[n:]
		if p.Err == nil {
			p.Sample()
		}
	}
}

func inBatches(s *iterate.State, idx []uint32, ends []int, step func(idx []uint32)) {
	for k, start := 0, 0; start < len(idx) && s.Err == nil; k++ {
		end := start + 1
		if ends != nil {
			end = ends[k]
		}
		if step(idx[start:end]); s.Err == nil {
			s.Sample()
		}
		start = end
	}
}

// batch projects w if Radius is above 0 (Fig. 2 of the Pegasos paper).
func (p *Binary) batch(idx []uint32) {
	n := len(idx)
	if cap(p.dots) < n {
		p.dots, p.coefficients = make([]float32, n), make([]float32, n)
		p.updates = make([]uint32, n)
	}
	dots, rows, coefficients := p.dots[:n], p.updates[:0], p.coefficients[:0]
	p.X.DotMany(dots, idx, p.V)
	divisor, share := p.Divisor(), float64(p.Factor*float64(n))
	p.z = p.z[:0] // all rows of a batch are scored by the same w
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
		if p.Windows != nil {
			p.Windows.Count[i] += c
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

// PlainHinge reports whether the loss is the hinge, there is no prior, and any bias has a penalty.
func (p *Binary) PlainHinge() bool {
	return p.Of.Cost.Kind == loss.Hinge && p.PriorScores == nil && !p.FreeBias
}

func (p *Binary) runHinge(idx []uint32) {
	if p.T == 0 && p.T0 == 0 {
		// w is 0: satisfied would return true
		p.violate(idx[0], 0)
		p.T, idx = 1, idx[1:]
	}
	if steps := p.X.Steps(); steps != nil && p.BiasScale == 0 && p.Scale() >= 0x1p-126 {
		p.runPrepared(steps, idx)
		return
	}
	x, distance := p.X, p.PrefetchDistance()
	for n, i := range idx {
		if distance > 0 && n+distance < len(idx) {
			x.Prefetch(int(idx[n+distance]))
		}
		if dot := x.Dot(int(i), p.V); !p.satisfied(i, dot) && !p.violate(i, dot) {
			return
		}
		p.T++
	}
}

// scaledMargin returns the margin of row i times Scale. dot is the row's dot product with v.
func (p *Binary) scaledMargin(i uint32, dot float32) float64 {
	return float64(p.Of.Sign(i)) * (float64(dot) + float64(p.BiasScale*p.Biases[0]))
}

// satisfied reports whether the margin of row i is finite and at least 1. Before the first step of
// a run without an offset, where Scale is 0, it wrongly returns true.
func (p *Binary) satisfied(i uint32, dot float32) bool {
	m := p.scaledMargin(i, dot)
	return m >= p.Scale() && m <= math.MaxFloat64
}

func (p *Binary) violate(i uint32, dot float32) bool {
	a, ok := p.violation(i, dot)
	if ok {
		p.X.Axpy(int(i), a, p.V)
	}
	return ok
}

// violation returns the multiple of row i that the caller must add to v. If the margin is not
// finite, violation ends the run and returns false.
func (p *Binary) violation(i uint32, dot float32) (a float32, ok bool) {
	if m := p.scaledMargin(i, dot); !floats.IsFinite(m) {
		p.NotFinite(i)
		return 0, false
	}
	y := p.Of.Weighted(i, p.Of.Sign(i))
	p.Biases[0] += float64(float64(y) * p.BiasScale)
	p.Violations++
	if p.Windows != nil {
		p.Windows.Count[i]++
	}
	if p.LeastT0 > 0 {
		p.CountGradient(i, y)
	}
	return y, true
}

// Since w is v/scale, the step from w to (1 - 1/(t+t0)) w + g x/(lambda*(t+t0)) only adds g x to v.
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
			if p.Windows != nil {
				p.Windows.Count[i] += c
			}
			if p.LeastT0 > 0 {
				p.CountGradient(i, g)
			}
		}
		p.T++
	}
}

const preparedSteps = 64

// runPrepared is runHinge for row formats whose kernel takes many steps in a call. There must be no
// bias feature.
func (p *Binary) runPrepared(x *store.Stepper, idx []uint32) {
	var prepared [preparedSteps]asm.Step
	for len(idx) > 0 {
		rows := idx[:min(len(idx), preparedSteps)]
		steps := prepared[:len(rows)]
		for k, i := range rows {
			if p.Scattered {
				x.Prefetch(int(i))
			}
			y := p.Of.Sign(i)
			s := &steps[k]
			x.Prepare(s, int(i), y, p.Of.Weighted(i, y))
			s.Least = roundUp(p.Lambda * (float64(p.T+int64(k)) + p.T0)) // Scale k steps later
		}
		x.Take(steps, p.V)
		for k, i := range rows {
			s := &steps[k]
			if !floats.IsFinite(s.Margin) {
				p.NotFinite(i)
				return
			}
			violates := uint8(0)
			if s.Margin < s.Least {
				violates = 1
			}
			p.Violations += int64(violates)
			if p.Windows != nil {
				p.Windows.Count[i] += float32(violates)
			}
			if p.LeastT0 > 0 {
				p.CountGradient(i, p.Of.Weighted(i, float32(violates)))
			}
			p.T++
		}
		idx = idx[len(rows):]
	}
}

// roundUp returns the smallest float32 that is at least x, where x >= 2^-126.
func roundUp(x float64) float32 {
	const extra = 1<<29 - 1 // mask of the mantissa bits that a float32 lacks
	return float32(math.Float64frombits((math.Float64bits(x) + extra) &^ extra))
}
