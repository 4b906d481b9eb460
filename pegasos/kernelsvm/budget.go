package kernelsvm

import (
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/base/parallel"
)

// The budget of support rows. If a problem has more of them than MaxSV, kernel matching pursuit
// (Vincent and Bengio, Machine Learning 48, 2002) replaces its weight vector w by a sum w' over at
// most MaxSV rows that is close to w:
//
//  1. Pick the support row whose scores by w and by w' differ most, relative to the square root of
//     its kernel with itself, and change its coefficient so that the two scores become equal. Of
//     all rows and steps, this reduces |w-w'| most. A row may be picked again. Stop when another
//     row would exceed MaxSV, or after 4*MaxSV picks.
//  2. Fit the coefficients of these rows to minimize |w-w'|, by conjugate gradients.
//
// Dropping the rows with the smallest alphas would not work: where classes overlap most alphas are
// 1, those of rows inside the margin.

// maxCGIterations limits the iterations of conjugateGradient. That function ends earlier once the
// squared norm of the residual is at most cgTolerance times the squared norm of the right-hand
// side. If rows are close to each other, the linear system is nearly singular, and the residual
// that remains does not matter.
const (
	maxCGIterations = 200
	cgTolerance     = 1e-12
)

// applyBudget applies kernel matching pursuit to each problem with more than MaxSV support rows. It
// replaces all[k], the coefficients of such a problem k, and marks its objective as unknown.
func (r *run) applyBudget(all [][]float64) {
	for _, p := range r.problems {
		p.updates = p.updates[:0]
	}
	for k, p := range r.problems {
		if countNonzeros(all[k]) <= r.cfg.MaxSV {
			continue
		}
		support := r.startPursuit(p, all[k])
		target := slices.Clone(p.score)
		picked, coef := r.matchingPursuit(p, support)
		r.refit(p, target, picked, coef)
		for i, row := range picked {
			all[k][row] = coef[i]
		}
		p.objectiveError, p.gap = math.Inf(1), math.Inf(1)
	}
}

// countNonzeros returns the number of coefficients that are not 0.
func countNonzeros(coef []float64) (n int) {
	for _, v := range coef {
		if v != 0 {
			n++
		}
	}
	return n
}

// startPursuit prepares the approximation of a weight vector w. It returns the support rows of w,
// sets the problem's scores to those of w, and sets all of coef, the problem's coefficients, to 0.
// After dual coordinate ascent w is the weight vector of the last pass, whose scores are known, not
// of the best pass.
func (r *run) startPursuit(p *problem, coef []float64) (support []int) {
	scale := r.scaleOf(p)
	for i := range p.score {
		_, score := p.alphaScore(i, r.averaged(p))
		if scale > 0 {
			score = float64(score/scale) * p.factor
		}
		p.score[i] = score
		if r.dual && p.alpha[i] != 0 || !r.dual && coef[i] != 0 {
			support = append(support, i)
		}
	}
	clear(coef)
	return support
}

// matchingPursuit picks rows from support and returns them with their coefficients, which together
// make up w', the approximation of w. It expects the scores of w in p.score and leaves those of w -
// w' there.
func (r *run) matchingPursuit(p *problem, support []int) (picked []int, coef []float64) {
	at := make(map[int]int)
	for range 4 * r.cfg.MaxSV {
		best, most, step := -1, 0.0, 0.0
		for _, i := range support {
			pos, _ := p.row(i)
			e := p.score[i]
			if d := float64(r.diagonal[pos]); d > 0 && float64(e*e)/d > most {
				best, most, step = i, float64(e*e)/d, e/d
			}
		}
		if best < 0 {
			break
		}
		if _, again := at[best]; !again {
			if len(picked) == r.cfg.MaxSV {
				break
			}
			at[best] = len(picked)
			picked, coef = append(picked, best), append(coef, 0)
		}
		coef[at[best]] += step
		pos, _ := p.row(best)
		r.block.positions = append(r.block.positions[:0], int32(pos))
		r.block.load(r)
		p.updates = append(p.updates, update{0, -step, 0})
		r.updateScores()
		p.updates = p.updates[:0]
	}
	return picked, coef
}

// refit sets the coefficients of the picked rows to those that minimize |w-w'|, rounded to float32.
// scores holds the score by w of each row of the problem.
func (r *run) refit(p *problem, scores []float64, picked []int, coef []float64) {
	target := make([]float64, len(picked))
	for i, row := range picked {
		target[i] = scores[row]
	}
	r.conjugateGradient(r.gram(p, picked), coef, target)
	for i, v := range coef {
		coef[i] = float64(float32(v))
	}
}

// gram returns the Gram matrix of a problem's picked rows, row by row.
func (r *run) gram(p *problem, picked []int) []float32 {
	n := len(picked)
	at, values := make([]int32, n), make([]float32, n*n)
	for i, row := range picked {
		pos, _ := p.row(row)
		at[i] = r.store.at[pos]
	}
	rows := newStore(r.store.kernel, r.store.matrix, at, []int{n}, false)
	rows.direct = r.store.direct
	parallel.For(r.threads, len(rows.tiles), func(_, t int) {
		tile := rows.tiles[t]
		for i := range n {
			rows.tile([][]float32{values[i*n+tile.start : i*n+tile.end]},
				[]probe{rows.probe(i)}, t)
		}
	})
	return values
}

// conjugateGradient solves matrix*coef = target approximately by conjugate gradients, starting from
// the values in coef. The matrix is stored row by row.
func (r *run) conjugateGradient(matrix []float32, coef, target []float64) {
	n := len(coef)
	product, residual, direction := make([]float64, n), make([]float64, n), make([]float64, n)
	multiply := func(x []float64) {
		parallel.For(r.threads, n, func(_, i int) {
			var sum float64
			for j, v := range matrix[i*n:][:n] {
				sum += float64(float64(v) * x[j])
			}
			product[i] = sum
		})
	}
	multiply(coef)
	var norm, start float64 // squared norms of the residual and of target
	for i, want := range target {
		residual[i] = want - product[i]
		direction[i] = residual[i]
		norm += float64(residual[i] * residual[i])
		start += float64(want * want)
	}
	for range maxCGIterations {
		if norm <= float64(cgTolerance*start) {
			break
		}
		multiply(direction)
		var curvature float64
		for i, v := range direction {
			curvature += float64(v * product[i])
		}
		if !(curvature > 0) {
			break // the matrix is singular up to rounding
		}
		step := norm / curvature
		previous := norm
		norm = 0
		for i := range coef {
			coef[i] += float64(step * direction[i])
			residual[i] -= float64(step * product[i])
			norm += float64(residual[i] * residual[i])
		}
		for i := range direction {
			direction[i] = residual[i] + float64(norm/previous*direction[i])
		}
	}
}
