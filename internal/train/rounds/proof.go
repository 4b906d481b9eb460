package rounds

import (
	"context"
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/matrices"
	"github.com/pegasimd/pegasimd/internal/proof"
	"github.com/pegasimd/pegasimd/internal/train/certificate"
	"github.com/pegasimd/pegasimd/internal/train/loss"
	"github.com/pegasimd/pegasimd/internal/train/newton"
	objectives "github.com/pegasimd/pegasimd/internal/train/objective"
	"github.com/pegasimd/pegasimd/pegasos"
)

// This file is the last round: the objective of the model as it is written, and the bound, from the
// dual variables rounded to float32, anew. What is told of them carries all roundings, as
// package certificate has it, and those to the quanta of the sums: a sum of so many parts is off by
// no more than as many quanta.

// effectiveModel is a weight vector of the model as it is written, for scaled rows.
type effectiveModel struct {
	w    []float64
	bias float64
	size float64 // of what the bias was added up of
}

// Model returns the model of a state, the best there was. It claims something of itself if the
// state is Done.
func (r *Rounds) Model(s *State) (*pegasos.Model, error) {
	if err := r.Check(s); err != nil {
		return nil, err
	}
	if r.held != nil {
		return nil, fmt.Errorf("pegasos: these rounds verify a model, and make none")
	}
	n := r.problems()
	m := &pegasos.Model{Classes: r.classes, Weights: matrices.Vectors(n, r.cols), Lambda: r.Lambda,
		Config: r.Config}
	if r.beta > 0 {
		m.Bias = make([]float64, n)
	}
	for k, p := range s.Problems {
		for j := range r.cols {
			m.Weights[k][j] = float32(p.Best[j])
		}
		if r.beta > 0 {
			m.Bias[k] = float64(p.Best[r.cols] * r.beta)
		}
	}
	m.Config.Epochs = max(1, s.Iterations)
	steps := int64(s.Iterations) * int64(r.count)
	m.Result = pegasos.Result{Steps: steps, Epochs: float64(s.Iterations), Weight: r.total, R2: r.r2,
		Objective: math.NaN(), DualObjective: math.NaN(), Gap: math.NaN()}
	if s.Done {
		m.Result.Objective, m.Result.DualObjective = s.Objective, s.Bound
		m.Result.Gap = s.Gap()
		for _, p := range s.Problems {
			m.Result.PerClass = append(m.Result.PerClass,
				pegasos.ClassResult{Objective: p.Objective, DualObjective: p.Bound, Steps: steps,
					Lambda: r.Lambda})
		}
	}
	m = r.Scaling.Fold(m)
	return m, m.Validate()
}

// effective returns the weight vectors that a proof is about; nil for other rounds.
func (r *Rounds) effective(s *State) (e []effectiveModel, err error) {
	if s.Kind != Proof {
		return nil, nil
	}
	m := r.held
	if m == nil {
		if m, err = r.Model(s); err != nil {
			return nil, err
		}
	}
	return r.effectiveOf(m), nil
}

// effectiveOf returns the weight vectors of a model for scaled rows.
func (r *Rounds) effectiveOf(m *pegasos.Model) (e []effectiveModel) {
	for k, w := range m.Weights {
		bias := 0.0
		if m.Bias != nil {
			bias = m.Bias[k]
		}
		if r.Scaling == nil {
			e = append(e, effectiveModel{floats.Wide(w), bias, math.Abs(bias)})
			continue
		}
		at := effectiveModel{size: math.Abs(bias)}
		at.w, at.bias = r.Scaling.Exact(m, k)
		if r.Scaling.Folded && r.Scaling.Shift != nil {
			for j, v := range w {
				at.size += math.Abs(float64(float64(v) * float64(r.Scaling.Shift[j])))
			}
		}
		if r.beta == 0 {
			at.bias = 0 // but for roundings of the shifts' sum
		}
		e = append(e, at)
	}
	return e
}

// length returns that of the weights with the bias's.
func (e *effectiveModel) length(r *Rounds) float64 {
	square := objectives.SquareSum(e.w)
	if r.beta > 0 {
		b := e.bias / r.beta
		square += float64(b * b)
	}
	return math.Sqrt(square)
}

// proofSums adds the model's losses, and of Newton's method the dual variables' sums.
func (w *worker) proofSums(first, end int) {
	r, size := w.r, w.r.sumsOf(Proof)
	for i := first; i < end; i++ {
		c := r.weights[w.p.class[i]]
		if c == 0 {
			continue
		}
		index, values := w.row(i)
		for k := range w.s.Problems {
			e, at := &w.model[k], &w.s.Problems[k]
			sums, side := w.sums[k*size:][:size], r.side(k, w.p.class[i])
			m := float64(side * (w.dot(index, values, e.w) + e.bias))
			sums[0] += float64(c * r.cost.At(m))
			if r.Method == Dual {
				continue
			}
			m = float64(side * w.score(index, values, at.Dual))
			bent, _ := r.cost.Bent(m, 1/at.DualWidth)
			a := float64(r.cost.Clamp(float32(bent)))
			sums[1] += float64(c * r.cost.Least(a))
			sums[2] += float64(c * float64(a*a))
			if a != 0 {
				w.add(float64(float64(c*side)*a), index, values, sums[3:])
			}
		}
	}
	for k := range w.s.Problems {
		sums, q := w.sums[k*size:][:size], r.proofQuanta(&w.model[k], &w.s.Problems[k])
		w.put(k*size, sums[0], q.loss)
		if r.Method == Dual {
			continue
		}
		w.put(k*size+1, sums[1], q.gain)
		w.put(k*size+2, sums[2], q.square)
		for j, v := range sums[3:] {
			w.put(k*size+3+j, float64(v*r.scale[j]), q.dual)
		}
	}
}

// proofQuanta are those of a proof's sums.
type proofQuanta struct{ loss, dual, gain, square quantum }

func (r *Rounds) proofQuanta(e *effectiveModel, at *Problem) proofQuanta {
	row, _, _ := r.most(e.length(r) + e.size)
	var dual, gain float64
	if r.Method == Dual {
		dual, gain = r.ascentBounds()
	} else {
		_, dual, gain = r.most(length(at.Dual))
	}
	return proofQuanta{r.quantum(row), r.quantum(dual), r.quantum(gain),
		r.quantum(float64(dual * dual))}
}

// proveDual adds the sums of a shard's dual variables.
func (p *Shard) proveDual(ctx context.Context, s *State, alpha []float32) (
	[]int64, error,
) {
	model, err := p.r.effective(s)
	if err != nil {
		return nil, err
	}
	w := p.worker(s, alpha, model)
	for k := range s.Problems {
		if ctx.Err() != nil {
			break
		}
		w.dualSums(k, k*p.r.sumsOf(Proof), p.alphaOf(s, alpha, k))
	}
	return w.total, w.err
}

// nextProof takes in the model's objective and the bound. If they don't confirm what the method
// believes, it goes on.
func (r *Rounds) nextProof(s *State, sum []int64) error {
	model, err := r.effective(s)
	if err != nil {
		return err
	}
	size := r.sumsOf(Proof)
	s.Objective, s.Bound = 0, 0
	stuck := true
	for k := range s.Problems {
		at := &s.Problems[k]
		p, d := r.certify(&model[k], at, sum[k*size:][:size])
		if err := proof.Check(p, d); err != nil {
			return err
		}
		at.Objective, at.Bound = p, d
		at.Falling, at.Since = p, s.Iterations
		s.Objective += p
		s.Bound += d
		stuck = stuck && at.Stuck
	}
	s.Objective /= float64(len(s.Problems))
	s.Bound /= float64(len(s.Problems))
	if r.provenEnough(s) || stuck || s.Retries >= newton.Retries ||
		s.Iterations >= r.Config.Epochs {
		s.Done = true
		return nil
	}
	s.Retries++
	s.Target /= 2
	for k := range s.Problems {
		r.goOn(s, k)
	}
	if s.Kind = Sums; r.Method == Dual {
		s.Kind = Ascent
	}
	return nil
}

// certify returns the objective of a weight vector as it is written, and a bound on the least there
// is that makes up for everything that was rounded, of the objective as well.
func (r *Rounds) certify(e *effectiveModel, at *Problem, sum []int64) (
	value, bound float64,
) {
	q, n := r.proofQuanta(e, at), r.rows
	mean := func(v int64, q quantum) float64 { return float64(float64(v)*q.unit) / n }
	// As many numbers are rounded to a quantum: one of each block, or of each shard.
	parts, rows := float64(r.count/Block+1), Block // rows in a sum of float64
	if r.Method == Dual {
		parts, rows = parts+float64(r.Shards), r.count
	}
	off := func(q quantum) float64 { return float64(parts*q.unit) / n }
	sums := objectives.SumError(rows, 8*r.vars, 1)
	weights := e.length(r)

	meanLoss, penalty := mean(sum[0], q.loss), float64(r.Lambda/2*float64(weights*weights))
	value = penalty + meanLoss
	z := float64(sums * (1 + e.size + math.Abs(e.bias) + float64(1.001*weights*r.reach)))
	mistake := float64(sums*value) + off(q.loss) + z
	if c := r.cost.Kind.Traits().Curvature; c > 0 {
		mistake += float64(z * (math.Sqrt(2*c*meanLoss) + float64(c/2*z)))
	}
	if r.beta > 0 {
		d := float64(sums*(e.size+math.Abs(e.bias))) / r.beta
		mistake += float64(r.Lambda * float64(d*(math.Abs(e.bias)/r.beta+d)))
	}

	gain, squares := mean(sum[1], q.gain), mean(sum[2], q.square)
	root := math.Sqrt(squares+off(q.square)) * (1 + 1e-6)
	uu, rounded := 0.0, 0.0
	for j, v := range sum[3:] {
		u, o := mean(v, q.dual)/r.scale[j], off(q.dual)/r.scale[j]
		uu += float64(u * u)
		rounded += float64(o * o)
	}
	u := float64(math.Sqrt(uu)*(1+sums)) + math.Sqrt(rounded) +
		float64(float64(sums*root)*r.reach)
	half := float64(u*u) / (2 * r.Lambda) * (1 + sums)
	less := off(q.gain) + mistake
	if r.cost.Kind == loss.Log {
		bound = gain - half - float64(64*sums)
		return value, max(0, bound-less)
	}
	linear := gain
	if c := r.cost.Kind.Traits().Quadratic; c > 0 {
		bend := float64(c * (squares + off(q.square)) * (1 + sums))
		linear += bend
		half += bend
	}
	linear -= float64(2 * sums * (root + float64(root*root)))
	_, s := proof.Parabola(linear, half)
	bound = certificate.DualAt(s, linear, half)
	return value, max(0, bound-less)
}
