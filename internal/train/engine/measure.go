package engine

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/objective"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// Now returns the current point without measuring it.
func (s *Session) Now() *Point {
	m := newPoint(&s.Settings, len(s.Rows.Classes), s.Rows.X.Cols(),
		s.Bias != settings.BiasNone || s.Prior != nil && s.Prior.Bias != nil)
	r := s.Runs[0]
	m.Result.R2, m.Result.T0 = r.R2, r.Learners[0].T0
	s.copyInitial(m)
	for _, r := range s.Runs {
		m.Result.Weight += r.weightSum
		r.write(m)
	}
	m.Result.Solver = s.solverNames()
	if s.pairs() {
		m.Result.Weight /= float64(len(s.Rows.Classes) - 1) // each row belongs to this many pairs
	}
	s.center(m)
	return m
}

// solverNames lists the first solver, then the others in use; "" if Finish allows only steps.
func (s *Session) solverNames() string {
	if !s.HasSolver() {
		return ""
	}
	names := []string{"steps"}
	if s.plan.startsWithDual {
		names[0] = "dual"
	}
	for _, l := range s.learners() {
		if p := l.phase(); p != stepping && !slices.Contains(names, phaseNames[p]) {
			names = append(names, phaseNames[p])
		}
	}
	return strings.Join(names, ", ")
}

// center shifts the bias, if any, of a model of scaled regression targets so that the weighted mean
// residual is 0. If Tol is set and Finish allows a solver, the objective must not rise: center then
// minimizes it for a loss with MeanResidual, and shifts nothing for another loss.
func (s *Session) center(m *Point) {
	if s.Scale == nil || s.Scale.Spread == 0 || s.Bias == settings.BiasNone ||
		s.Tol > 0 && s.HasSolver() && !s.Kind().Traits().MeanResidual {
		return
	}
	p := s.Runs[0].Learners[0]
	var sum, weight float64
	for _, i := range p.All() {
		z := float64(p.X.Dot(i, m.Weights[0])) + m.Bias[0]
		sum += float64(p.RowWeight(i) * (float64(p.Target[i]) - z))
		weight += p.RowWeight(i)
	}
	shift := sum / weight
	if s.Tol > 0 && s.HasSolver() && s.BiasScale > 0 {
		penalty := p.Lambda / float64(s.BiasScale*s.BiasScale)
		shift = (shift - float64(penalty*(m.Bias[0]-p.PriorBias[0]))) / (1 + penalty)
	}
	if floats.IsFinite(shift) {
		m.Bias[0] += shift
	}
}

// For runs on pairs of classes, copyInitial copies the weights of Start or, without a Start, of
// Prior to m. A pair without rows keeps them.
func (s *Session) copyInitial(m *Point) {
	from := cmp.Or(s.Start, s.Prior)
	if from == nil || !s.pairs() {
		return
	}
	m.copyFrom(from)
	for k := range m.Result.PerClass {
		m.Result.PerClass[k].Lambda = from.Result.PerClass[k].Lambda
		if s.Start == nil {
			m.Result.PerClass[k].Steps = 0
		}
	}
}

// Precision is the precision of an objective's dot products.
type Precision uint8

const (
	Quick    Precision = iota // float32 dot products
	AsNeeded                  // float32 if the objective's error is then small enough, else float64
	Exact                     // float64 dot products
)

// Measure sets the objective, the lower bound from the current dual variables, and the gap in
// m.Result. With a scaling, the objective is of the stored model, whose weights include the scaling
// and are rounded to float32. Measure returns the largest possible error of the objective, averaged
// over the learners.
func (s *Session) Measure(m *Point, how Precision) (maxError float64) {
	s.measured = m
	m.Folded = nil
	if f := m.Fold(s.Scale); f != m {
		s.measured = &Point{Folded: f}
		s.measured.Weights, s.measured.Bias = s.Scale.Unfold(f.Weights, f.Bias, s.Scale,
			s.Bias != settings.BiasNone)
	}
	s.parallel(func(_ int, r *Run) { r.measure(how) })
	return s.sumMeasurements(&m.Result)
}

// sumMeasurements returns the mean of MaxError.
func (s *Session) sumMeasurements(res *proof.Result) (maxError float64) {
	n, objective, bound := 0.0, 0.0, 0.0
	for _, r := range s.Runs {
		for k, at := range r.Measured {
			if res.PerClass != nil {
				c := &res.PerClass[r.first+k]
				c.Objective, c.DualObjective = at.Objective, at.Proven()
			}
			objective += at.Objective
			bound += at.Proven()
			maxError += at.MaxError
			n++
		}
	}
	res.Objective, res.DualObjective = objective/n, bound/n
	res.Gap = proof.Gap(res.Objective, res.DualObjective)
	return maxError / n
}

func (r *Run) measure(how Precision) {
	r.Measured = make([]proof.Measurement, len(r.Learners))
	r.parallel(func(k int) {
		if !r.s.mayAbandon() {
			r.Measured[k].Bound = r.Learners[k].lowerBound(r.R2, r.s.KeepProof)
		}
	})
	if how != Exact || !r.finiteDots() {
		r.setObjectives(nil)
	}
	r.refine(how)
}

// finiteDots reports whether the run's biases in s.measured are finite, and float32 dot products of
// its weight vectors with its rows can't overflow. It returns false for user-defined rows.
func (r *Run) finiteDots() bool {
	for k := range r.Learners {
		w, b := r.vectorsOf(r.s.measured, k)
		for i, v := range w {
			length := math.Sqrt(float64(float64(dense.SumSquares(v)) * r.maxSquaredNorm))
			if !(length < 0x1p120) || !floats.IsFinite(b[i]) {
				return false
			}
		}
	}
	return !math.IsInf(r.X.DotError(0), 1)
}

// refine recomputes finite objectives from float64 dot products if how asks for them.
func (r *Run) refine(how Precision) {
	exact := make([][][]float64, len(r.Measured))
	for k, at := range r.Measured {
		enough := proof.GapTolerance * (at.Objective - at.Bound)
		if math.IsNaN(at.Bound) {
			enough = proof.ObjectiveTolerance * at.Objective
		}
		rough := !(at.MaxError <= enough)
		if floats.IsFinite(at.Objective) && (how == Exact || how == AsNeeded && rough) {
			exact[k] = r.exactVectors(r.s.measured, k)
		}
	}
	r.setObjectives(exact)
	for _, vectors := range exact {
		for _, v := range vectors {
			floats.GiveBack(v)
		}
	}
}

// setObjectives computes the objective P of each learner's part of s.measured, and its largest
// possible error. With a nil exact, it uses float32 dot products, and P is NaN if a score is not
// finite. Otherwise it uses float64 dot products with exact[k], the weight vectors of learner k,
// and skips learner k if exact[k] is nil.
func (r *Run) setObjectives(exact [][][]float64) {
	m, loss, quick := r.s.measured, make([]float64, len(r.Learners)), exact == nil
	dotSize := 0.0 // Terms.SumError covers the errors of float64 dot products
	if quick {
		if r.dotSize == 0 {
			r.dotSize = r.DotSize()
		}
		exact, dotSize = make([][][]float64, len(r.Learners)), r.dotSize
	}
	if j := r.Learners[0].Joint; j != nil {
		if w, b := r.vectorsOf(m, 0); quick || exact[0] != nil {
			loss[0] = j.Of.MeanLoss(w, exact[0], b)
		}
	} else {
		loss = r.meanLosses(func(k int, x store.Rows, from, to int) float64 {
			var wide []float64
			if !quick {
				if exact[k] == nil {
					return 0
				}
				wide = exact[k][0]
			}
			return r.Learners[k].Binary.Of.SumLosses(x, m.Weights[r.first+k], wide,
				m.bias(r.first+k), from, to)
		})
	}
	for k, l := range r.Learners {
		if quick || exact[k] != nil {
			at := &r.Measured[k]
			w, b := r.vectorsOf(m, k)
			at.Objective, at.MaxError = objective.Measure(l.Of, l.Terms, objective.Evaluation{W: w,
				Exact: exact[k], B: b, Loss: loss[k], DotSize: dotSize, R2: r.R2,
				Scale: r.s.Scale})
		}
	}
}

// meanLosses returns each learner's mean loss. f must return the weighted sum of the losses of
// learner k over positions [from, to) of the view. Blocks of rows stay in the cache while
// meanLosses calls f for several learners.
func (r *Run) meanLosses(f func(k int, x store.Rows, from, to int) float64) []float64 {
	block, sums := blockRows(r.X.Cols()), make([][]float64, r.Blocks())
	for b := range sums {
		sums[b] = make([]float64, len(r.Learners))
	}
	r.parallelRanges(func(first, end int) {
		r.InBlocks(func(x store.Rows, b, from, to int) {
			for ; from < to && !r.s.mayAbandon(); from += block {
				for k := first; k < end; k++ {
					sums[b][k] += f(k, x, from, min(from+block, to))
				}
			}
		})
	})
	loss := make([]float64, len(r.Learners))
	for k := range loss {
		for _, sum := range sums {
			loss[k] += sum[k]
		}
		loss[k] /= float64(r.Count())
	}
	return loss
}

// exactVectors returns the weight vectors of learner k in m, for the scaled rows. With a scaling,
// it unfolds m.Folded without rounding to float32. The caller may pass the result to
// floats.GiveBack.
func (r *Run) exactVectors(m *Point, k int) (exact [][]float64) {
	w, _ := r.vectorsOf(m, k)
	for i, v := range w {
		if r.s.Scale == nil {
			wide := floats.Borrow(len(v))
			floats.Widen(wide, v)
			exact = append(exact, wide)
			continue
		}
		f := m.Folded
		wide, _ := r.s.Scale.UnfoldExact(f.Weights[r.first+k+i], f.bias(r.first+k+i))
		exact = append(exact, wide)
	}
	return exact
}
