package kernelsvm

import (
	"github.com/pegasimd/pegasimd/internal/proof"
	"github.com/pegasimd/pegasimd/pegasos"
)

// The certificate is that of certificate.go, whose u is here a sum of alpha*y*phi(x): as every
// row's score is known at the end of a pass, so are |u|^2, the sum of alpha*y*score, and the
// losses, and the objective and the bound take no kernel values. They are those of the kernel's
// values as they were computed: what float32 has rounded off in these, some 1e-7 of each, is not
// counted. With a kernel that is no inner product there is no bound.

// certified reports whether the alphas give a bound.
func (r *run) certified() bool { return r.cfg.Order != pegasos.IID && r.cfg.Kernel != Sigmoid }

// averaged reports whether the model of this moment has the mean over iterates.
func (r *run) averaged(p *problem) bool { return !r.dual && p.samples > 0 }

// sums adds up over the rows of problem k: their alphas, alpha*y times their score, and their
// losses when scores are divided by scale; of the mean over iterates if mean is true.
func (r *run) sums(k int, mean bool, scale float64) (alphas, square, loss float64) {
	p := r.problems[k]
	for c := range r.groups {
		s := r.slot(k, c)
		if s == nil {
			continue
		}
		for i, score := range s.score {
			a := s.alpha[i]
			if mean {
				score = float64(score*p.sum) - s.late[i]
				a = float64(a*p.sum) - s.lateAlpha[i]
			}
			z := float64(s.sign * score)
			alphas += a
			square += float64(a * z)
			loss += max(0, 1-z/scale)
		}
	}
	return alphas, square, loss
}

// measureSteps finds the objective of problem k's iterate, or of their mean, and the best bound,
// after an epoch.
func (r *run) measureSteps(k int) {
	p := r.problems[k]
	n := float64(p.rows)
	alphas, square, loss := r.sums(k, false, p.scale())
	if r.certified() {
		e := float64(r.epoch) * n
		mean, half := alphas/e, square/e/e/(2*p.lambda)
		bound := 0.0 // the largest s*mean - s^2*half for s from 0 to 1
		switch {
		case mean >= 2*half:
			bound = mean - half
		case mean > 0:
			bound = mean * mean / (4 * half)
		}
		p.raise(bound)
	}
	scale := p.scale()
	if r.averaged(p) {
		scale = float64(p.samples)
		_, square, loss = r.sums(k, true, scale)
	}
	p.objective = float64(p.lambda/2*square/scale/scale) + loss/n
}

// measureDual finds the same after a pass of the finish, and keeps the best pass.
func (r *run) measureDual(k int) {
	p := r.problems[k]
	n := float64(p.rows)
	scale := float64(p.lambda * n)
	alphas, square, loss := r.sums(k, false, scale)
	penalty := float64(p.lambda / 2 * square / scale / scale)
	p.raise(alphas/n - penalty)
	if objective := penalty + loss/n; !(objective >= p.objective) {
		p.objective = objective
		for c := range r.groups {
			if s := r.slot(k, c); s != nil {
				copy(s.best, s.alpha)
			}
		}
	}
}

func (p *problem) raise(bound float64) {
	if !(bound <= p.bound) {
		p.bound = bound
	}
}

// result returns what is known at this moment.
func (r *run) result() Result {
	res := Result{Steps: r.t, Epochs: float64(r.t) / float64(r.rows), Passes: r.pass}
	var sum, bound float64
	for _, p := range r.problems {
		res.Violations += p.violations
		res.R2 += p.r2 / float64(len(r.problems))
		res.T0 += p.t0 / float64(len(r.problems))
		sum += p.objective
		bound += p.bound
		res.PerProblem = append(res.PerProblem, ProblemResult{p.objective, p.bound})
	}
	n := float64(len(r.problems))
	res.Objective, res.DualObjective = sum/n, bound/n
	res.Gap = proof.Gap(res.Objective, res.DualObjective)
	return res
}

// weights writes the coefficients of a slot's rows to dst: what their kernel is multiplied by.
func (r *run) weights(s *classState, dst []float64) {
	p := r.problems[s.problem]
	if r.dual {
		scale := float64(p.lambda * float64(p.rows))
		for i, a := range s.best {
			dst[i] = float64(s.sign*a) / scale
		}
		return
	}
	scale := p.scale()
	if r.averaged(p) {
		scale = float64(p.samples)
	}
	for i, a := range s.alpha {
		if r.averaged(p) {
			a = float64(a*p.sum) - s.lateAlpha[i]
		}
		if dst[i] = 0; a != 0 {
			dst[i] = float64(s.sign*a) / scale
		}
	}
}
