package pegasos

import (
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/sparse"
)

// A Finish says how a run goes on after its first epochs.
type Finish string

const (
	// FinishNone goes on as it began.
	FinishNone Finish = "none"
	// FinishDual goes on with dual coordinate ascent (Hsieh et al., ICML 2008; Shalev-Shwartz and Zhang, JMLR 14, 2013) from the
	// dual variables that Pegasos leaves: the rows' shares of violations. A step makes the best of one row's. The result is the
	// best by P of the average over the last half of that, of its last iterate, and of Pegasos's own.
	FinishDual Finish = "dual"
	// FinishAuto does so only once the gap is below 70 %. Where the rows are long, and lambda times their number small, such as on
	// raw pixels, that may be never, and the dual would be slower.
	FinishAuto Finish = "auto"
)

// autoGap is the gap below which FinishAuto turns to the dual; see docs/benchmarks.md.
const autoGap = 0.7

// An ascent is the dual part of a problem's run. With a_i between 0 and the row's weight c_i,
//
//	w = v/(lambda*n), v = sum of a_i*y_i*x_i,
//
// and what rises is the dual objective: for the hinge the mean of the a_i, for the squared hinge that of a_i - a_i^2/(4c_i), less
// lambda/2 |w|^2.
type ascent struct {
	start int64     // the step after which it began
	alpha []float32 // of each row

	// Rows whose a_i is at a bound, and that are further from wanting to leave it than any row was from what it wanted in the
	// pass before, sit out until the next pass over all: every fullPass-th.
	idle     []float32 // 1 if so
	pass     int
	most     float64 // of the gradients in this pass
	least    float64
	oldMost  float64 // and in the one before
	oldLeast float64

	// What Pegasos itself would have given.
	w     [][]float32
	b     []float64
	p     float64
	bound float64 // on the least P, from its shares
}

const fullPass = 4

// turn begins the ascent, if it is time for that: after an epoch of the run, of which so many are done.
func (p *problem) turn(cfg Config, epochs int, r2 float64) {
	if cfg.Finish == "" || cfg.Finish == FinishNone || p.ascent != nil || p.err != nil || epochs < cfg.FinishAfter || p.t >= p.total {
		return
	}
	if cfg.Finish == FinishAuto {
		// After as many epochs again, and so on: it takes about as long as an epoch.
		if n := epochs / cfg.FinishAfter; epochs%cfg.FinishAfter != 0 || n&(n-1) != 0 {
			return
		}
	}
	a := &ascent{w: vectors(1, len(p.v)), b: make([]float64, 1)}
	p.state.weights(a.w, a.b)
	a.p = p.objective(a.w[0], a.b[0])
	share, s, bound := p.bestShares(r2)
	if cfg.Finish == FinishAuto && !(a.p-bound <= float64(autoGap*a.p)) {
		return
	}
	a.bound = bound
	a.alpha = make([]float32, len(share))
	for j := range p.count() {
		i := p.row(j)
		a.alpha[i] = float32(float64(s*float64(share[i])) * p.share(i))
	}
	p.begin(a, p.t)
	p.sumUp()
}

// begin makes room for the ascent, which begins after step t, and for its average.
func (p *problem) begin(a *ascent, t int64) {
	p.ascent, p.recent, a.start = a, nil, t
	a.idle = make([]float32, p.x.Rows())
	a.reset()
	p.fixed = float64(p.lambda * float64(p.count()))
	p.period = max(1, int64(p.count()/64), int64(len(p.v)/32))
	if p.avg != nil {
		p.origin = t
		p.avg = newSuffix(p.total-t, 1, len(p.v))
	}
}

// sumUp makes v of the a_i.
func (p *problem) sumUp() {
	clear(p.v)
	p.vb[0] = 0
	for j := range p.count() {
		i := p.row(j)
		if a := p.ascent.alpha[i]; a != 0 {
			a *= p.sign(uint32(i)) // exact
			p.x.Axpy(i, a, p.v)
			p.vb[0] += float64(float64(a) * p.biasScale)
		}
	}
}

func (a *ascent) reset() {
	a.most, a.least = math.Inf(-1), math.Inf(1)
	a.oldMost, a.oldLeast = math.Inf(1), math.Inf(-1)
}

// endPass is called after each pass.
func (a *ascent) endPass() {
	if a.pass++; a.pass%fullPass == 0 {
		clear(a.idle)
		a.reset()
		return
	}
	a.oldMost, a.oldLeast = math.Inf(1), math.Inf(-1)
	if a.most > 0 {
		a.oldMost = a.most
	}
	if a.least < 0 {
		a.oldLeast = a.least
	}
	a.most, a.least = math.Inf(-1), math.Inf(1)
}

// climb takes a step with each of the rows idx.
func (p *problem) climb(idx []uint32) {
	a := p.ascent
	squared := p.cost.loss == squaredHingeCost
	sx, isSparse := p.x.(*sparse.Matrix)
	dx, isDense := p.x.(*dense.Matrix)
	for n, i := range idx {
		if a.idle[i] != 0 {
			p.t++
			continue
		}
		var dot float32
		switch {
		case isSparse:
			if p.scattered && n+rowsAhead < len(idx) {
				sx.Prefetch(int(idx[n+rowsAhead]))
			}
			dot = sx.Dot(int(i), p.v)
		case isDense:
			if p.scattered && n+1 < len(idx) {
				dx.Prefetch(int(idx[n+1]))
			}
			dot = dx.Dot(int(i), p.v)
		default:
			dot = p.x.Dot(int(i), p.v)
		}
		y := p.sign(i)
		old, top := a.alpha[i], 1.0
		if p.weight != nil {
			top = p.weight[i]
		}
		// The gradient, with the sign changed: what is above 0 wants a_i to fall.
		g := float64(float64(y)*(float64(dot)+float64(p.biasScale*p.vb[0])))/p.fixed - 1
		if squared {
			g += float64(old) / (2 * top)
			top = math.Inf(1)
		}
		if g-g != 0 {
			p.err = &StepError{p.t + 1, p.name(i), "the score is not finite: " + tooLarge}
			return
		}
		p.t++
		switch {
		case old == 0 && g >= 0:
			if g > a.oldMost {
				a.idle[i] = 1
				continue
			}
		case float64(old) >= top && g <= 0:
			if g < a.oldLeast {
				a.idle[i] = 1
				continue
			}
		default:
			a.most, a.least = max(a.most, g), min(a.least, g)
			bend := (float64(p.norms[i]) + float64(p.biasScale*p.biasScale)) / p.fixed
			if squared {
				bend += 1 / (2 * p.share(int(i)))
			}
			next := top
			if bend > 0 {
				next = max(0, min(float64(old)-g/bend, top))
			}
			to := float32(next)
			step := to - old
			if step == 0 {
				continue
			}
			a.alpha[i] = to
			step *= y // exact
			p.x.Axpy(int(i), step, p.v)
			p.vb[0] += float64(float64(step) * p.biasScale)
			p.violations++
		}
	}
}

// result is what learner asks for. After an ascent it is the best by P of what there is.
func (p *problem) result(w [][]float32, b []float64) {
	p.state.weights(w, b)
	a := p.ascent
	if a == nil {
		return
	}
	best := p.objective(w[0], b[0])
	consider := func(v []float32, bias, objective float64) {
		if objective < best || best != best {
			best, b[0] = objective, bias
			copy(w[0], v)
		}
	}
	if p.avg != nil { // else it was the last iterate
		last := state{vs: p.vs, vb: p.vb, t: p.t, biasScale: p.biasScale, factor: 1, fixed: p.fixed}
		v, bias := [][]float32{slices.Clone(w[0])}, make([]float64, 1)
		last.weights(v, bias)
		consider(v[0], bias[0], p.objective(v[0], bias[0]))
	}
	consider(a.w[0], a.b[0], a.p)
}

// objective returns P.
func (p *problem) objective(w []float32, b float64) float64 {
	return p.penalty([][]float32{w}, []float64{b}) + p.losses(w, b, 0, p.count())/float64(p.count())
}
