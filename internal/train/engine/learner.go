package engine

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/train/certificate"
	"github.com/pegasimd/pegasimd/internal/train/dual"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/newton"
	"github.com/pegasimd/pegasimd/internal/train/objective"
	"github.com/pegasimd/pegasimd/internal/train/settings"
	"github.com/pegasimd/pegasimd/internal/train/sgd"
)

// A Learner is what is trained as one: the vector of a binary problem, or those of a joint one.
type Learner struct {
	*iterate.State
	Of     objective.Problem // what is minimised
	Binary *sgd.Binary       // the steps of one vector; nil in a joint problem
	Joint  *sgd.Joint        // those of a joint problem; else nil
	shards *sgd.Shards       // that take the steps of the one vector; nil for none

	Dual   dual.Solver // nil before it begins
	Newton *newtonPart // likewise; there is one of them at most

	begins int // how often Newton's method has begun
}

// A newtonPart is the part of a run in which Newton's method takes the place of the steps.
type newtonPart struct {
	*newton.Method
	start int64 // the step after which it began
	dual  bool  // whether the descent came before
}

// A phase is what takes a learner's steps.
type phase uint8

const (
	stepping phase = iota
	descending
	iterating // Newton's method does, or is done
)

func (l *Learner) phase() phase {
	switch {
	case l.Newton != nil:
		return iterating
	case l.Dual != nil:
		return descending
	}
	return stepping
}

// phaseNames says what a Result calls the phases.
var phaseNames = [...]string{"steps", settings.FinishDual, settings.FinishNewton}

// works reports whether Newton's method is at work on it.
func (l *Learner) works() bool { return l.Newton != nil && l.Newton.Works() }

// TakeSteps takes a step with each of the rows idx and samples w in between. After an error it does
// nothing.
func (l *Learner) TakeSteps(idx []uint32) {
	switch phase := l.phase(); {
	case l.Err != nil:
	case phase == iterating:
		l.T += int64(len(idx)) // an iteration is due at the epoch's end
	case phase == descending:
		for len(idx) > 0 && l.Err == nil {
			n := l.BeforeSample(len(idx))
			if l.Dual.Visit(idx[:n]); l.Err == nil {
				l.Sample()
			}
			idx = idx[n:]
		}
	case l.shards != nil:
		l.shards.Steps(idx)
	case l.Joint != nil:
		l.Joint.Steps(idx)
	default:
		l.Binary.Steps(idx)
	}
}

// TakeBatches takes a step with each of the batches of idx, of which ends has the ends.
func (l *Learner) TakeBatches(idx []uint32, ends []int) {
	if l.Joint != nil {
		l.Joint.Batches(idx, ends)
	} else {
		l.Binary.Batches(idx, ends)
	}
}

func (l *Learner) EndEpoch(epochs int) {
	l.State.EndEpoch(epochs)
	if l.Dual != nil {
		l.Dual.EndEpoch()
	}
}

// Result writes the weight vectors and biases of this moment. With a prior they are what is added
// to it.
func (l *Learner) Result(w [][]float32, b []float64) {
	if l.phase() == iterating {
		b[0] = l.Newton.Result(w[0])
	} else {
		l.Weights(w, b)
	}
}

// shares returns the dual variables of what takes the place of steps, nil before.
func (l *Learner) shares() []float32 {
	switch l.phase() {
	case iterating:
		a := make([]float32, l.X.Rows())
		l.Newton.Shares(a)
		return a
	case descending:
		return l.Dual.Shares()
	}
	return nil
}

// dual returns the best bound of l on the least P there is, or NaN, and with packed that of what a
// proof keeps, so that no run ends with less than its proof will show.
func (l *Learner) dual(r2 float64, packed bool) (bound float64) {
	if packed {
		if v, ok := l.pack(r2); ok {
			return boundOf(l.Of, v.Spread(l.Of), r2)
		}
		return math.NaN()
	}
	if a := l.shares(); a != nil {
		return boundOf(l.Of, a, r2)
	}
	if l.Recent != nil {
		_, _, bound = l.Recent.Best(l.Of, l.Done(), r2)
		return max(0, bound)
	}
	return math.NaN()
}

// boundOf returns the bound of dual variables.
func boundOf(p objective.Problem, a []float32, r2 float64) float64 {
	bound, _ := certificate.Bound(p, a, r2)
	return bound
}

// pack returns the dual variables of l as a proof has them. It reports false if there are none.
func (l *Learner) pack(r2 float64) (v certificate.Packed, ok bool) {
	a := l.shares()
	if a == nil && l.Recent != nil {
		a, _, _ = l.Recent.Best(l.Of, l.Done(), r2)
	}
	if a == nil {
		return v, false
	}
	return certificate.Pack(l.Of, a), true
}

// descend makes the descent take the place of the steps. It begins with zeros, or with the dual
// variables that the scores of the weights give.
func (r *Run) descend(l *Learner) {
	var a []float32
	if l.Began.W != nil || l.Done() > 0 {
		w, b := l.Room()
		l.Weights(w, b)
		l.AddPrior(w)
		wide := make([][]float64, len(w))
		for k, v := range w {
			wide[k] = floats.Wide(v)
			b[k] += l.PriorBias[k]
		}
		a, _ = certificate.FromScores(l.Of, wide, b, r.R2, 0)
	}
	r.descendFrom(l, a)
}

// descendFrom is descend with the given dual variables; nil is zeros.
func (r *Run) descendFrom(l *Learner, a []float32) {
	l.Dual = r.newDual(l, a, r.s.plan.means)
	l.Dual.SumUp()
}

// newDual returns a descent of a learner from the given dual variables on; nil is zeros.
func (r *Run) newDual(l *Learner, a []float32, mean bool) dual.Solver {
	if a == nil {
		a = make([]float32, l.X.Rows()*len(l.Vectors))
	}
	if j := l.Joint; j != nil {
		return dual.NewJoint(l.State, &j.Of, j.M, a, mean)
	}
	return dual.New(l.State, &l.Binary.Of, a, r.R2, mean)
}

// ForNewton returns the problem as Newton's method takes it, with the weights of step t. Copies of
// the data's rows are in another order: where they are of most rows, those of the data are read
// instead. The results are the same bits.
func (l *Learner) ForNewton(pool *newton.Pool, t int64) *newton.Problem {
	l.WidenPrior()
	rows, of := l.Ranked(), &l.Binary.Of
	n := &newton.Problem{Loss: of.Cost, Lambda: l.Lambda, Cols: l.X.Cols(), Beta: l.BiasScale,
		Free: l.Free, Rows: rows, X: l.X, At: rows, Name: l.Name, Weight: l.Weight,
		AtZero: l.Of.AtZero}
	if l.Free {
		n.Beta = 1
	}
	if l.Names != nil && 2*len(rows) > pool.X.Rows() {
		n.X, n.At = pool.X.ForWorker(), make([]uint32, len(rows))
		for j, i := range rows {
			n.At[j] = uint32(l.Name(i))
		}
	}
	n.Side = make([]int8, len(rows))
	for j, i := range rows {
		side, _ := of.Label(i)
		n.Side[j] = int8(side)
	}
	if l.Target != nil || l.Prior != nil {
		n.Target = func(i uint32) float64 { return of.WideTarget(int(i)) }
	}
	n.Start = func() ([]float32, float64) {
		s := *l.State
		s.T = t
		w, b := iterate.Zeros(1, l.X.Cols()), make([]float64, 1)
		s.Weights(w, b)
		return w[0], b[0]
	}
	return n
}

// endNewton hands over to the descent, which begins with what Newton's method has found.
func (r *Run) endNewton(l *Learner) {
	a := l.shares()
	l.Newton = nil
	r.descendFrom(l, a)
}
