package engine

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/train/certificate"
	"github.com/pegasimd/pegasimd/internal/train/dual"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/newton"
	"github.com/pegasimd/pegasimd/internal/train/objective"
	"github.com/pegasimd/pegasimd/internal/train/settings"
	"github.com/pegasimd/pegasimd/internal/train/sgd"
)

// Learner solves one optimization problem: for one weight vector, or for all vectors of a joint
// problem.
type Learner struct {
	*iterate.State
	Of     objective.Problem
	Binary *sgd.Binary // nil in a joint problem
	Joint  *sgd.Joint  // nil unless the problem is joint

	steps func(idx []uint32, ends []int)

	Dual   dual.Solver    // nil while another solver is in use
	Newton *newton.Method // nil while another solver is in use

	newtonStarts int
	newtonStart  int64 // step after which Newton's method began
	afterDual    bool  // Newton's method replaced dual coordinate descent
}

type phase uint8

const (
	stepping phase = iota
	descending
	iterating // Newton's method, also after it is done
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

var phaseNames = [...]string{"steps", settings.FinishDual, settings.FinishNewton}

func (l *Learner) newtonActive() bool { return l.Newton != nil && l.Newton.Works() }

// While Newton's method is in use, TakeSteps only counts the steps. After an error it does nothing.
func (l *Learner) TakeSteps(idx []uint32, ends []int) {
	switch phase := l.phase(); {
	case l.Err != nil:
	case phase == iterating:
		l.T += int64(len(idx)) // Newton's method iterates at the end of the epoch
	case phase == descending:
		for len(idx) > 0 && l.Err == nil {
			n := l.BeforeSample(len(idx))
			if l.Dual.Visit(idx[:n]); l.Err == nil {
				l.Sample()
			}
			idx = idx[n:]
		}
	default:
		l.steps(idx, ends)
	}
}

// EndEpoch must be called after each epoch, with the number of completed epochs.
func (l *Learner) EndEpoch(epochs int) {
	l.State.EndEpoch(epochs)
	if l.Dual != nil {
		l.Dual.EndEpoch()
	}
}

// dualVariables returns nil while l takes Pegasos steps.
func (l *Learner) dualVariables() []float32 {
	switch l.phase() {
	case iterating:
		a := make([]float32, l.X.Rows())
		l.Newton.Duals(a)
		return a
	case descending:
		return l.Dual.Duals()
	}
	return nil
}

// lowerBound returns the lower bound of the current dual variables; NaN if l keeps none. If rounded
// is set, the dual variables are first rounded as in a proof file.
func (l *Learner) lowerBound(r2 float64, rounded bool) (bound float64) {
	if rounded {
		if v, ok := l.pack(r2); ok {
			return boundOf(l.Of, v.Unpack(l.Of), r2)
		}
		return math.NaN()
	}
	if a := l.dualVariables(); a != nil {
		return boundOf(l.Of, a, r2)
	}
	if l.Windows != nil {
		_, bound = l.Windows.Best(l.Of, l.Done(), r2)
		return max(0, bound)
	}
	return math.NaN()
}

func boundOf(p objective.Problem, a []float32, r2 float64) float64 {
	bound, _ := certificate.Bound(p, a, r2)
	return bound
}

// pack rounds the dual variables of l as in a proof file; false if there are none.
func (l *Learner) pack(r2 float64) (v certificate.Packed, ok bool) {
	a := l.dualVariables()
	if a == nil && l.Windows != nil {
		a, _ = l.Windows.Best(l.Of, l.Done(), r2)
	}
	if a == nil {
		return v, false
	}
	return certificate.Pack(l.Of, a), true
}

// ForNewton returns the problem of l, which starts from the weights after step t. If l has copies
// of more than half of the pool's rows, the problem reads the pool's rows instead. The results are
// the same to the bit.
func (l *Learner) ForNewton(pool *newton.Pool, t int64) *newton.Problem {
	l.ComputePriorScores64()
	rows, of := l.BySetRow(), &l.Binary.Of
	n := &newton.Problem{Loss: of.Cost, Lambda: l.Lambda, Cols: l.X.Cols(), Beta: l.BiasScale,
		Free: l.FreeBias, Rows: rows, X: l.X, At: rows, Name: l.SetRow, Weight: l.Weight,
		AtZero: l.Of.AtZero}
	if l.FreeBias {
		n.Beta = 1
	}
	if l.SetRows != nil && 2*len(rows) > pool.X.Rows() {
		n.X, n.At = pool.X.Clone(), make([]uint32, len(rows))
		for j, i := range rows {
			n.At[j] = uint32(l.SetRow(i))
		}
	}
	n.Side = make([]int8, len(rows))
	for j, i := range rows {
		side, _ := of.Label(i)
		n.Side[j] = int8(side)
	}
	if l.Target != nil || l.Prior != nil {
		n.Target = func(i uint32) float64 { return of.Target64(int(i)) }
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
