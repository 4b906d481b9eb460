package kernelsvm

import (
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/parallel"
)

// A budget of support rows. A problem with more of them than MaxSV is given up to that many by
// kernel matching pursuit (Vincent and Bengio, Machine Learning 48, 2002), which looks for a w', a
// sum over few rows, that is close to w:
//
//  1. Pick the support row whose score by w' is furthest from that by w, over the root of its
//     kernel with itself, and give it the coefficient that puts its own score right. That is the
//     row and the step by which |w-w'| falls most. A row may be picked again. Stop when MaxSV rows
//     have been picked, or after 4*MaxSV picks.
//  2. Find the coefficients of these rows that make |w-w'| least, by conjugate gradients.
//
// Dropping the rows with the smallest alphas would be of no use: most of them are 1, those of rows
// that are wrong.

// maxRefits is the number of iterations of conjugate gradients, and refitted the share of the
// squared error at which they end. The system is nearly singular where rows are close to each
// other: what is left then doesn't matter.
const (
	maxCGIterations = 200
	cgTolerance     = 1e-12
)

// shrink keeps each problem's coefficients within the budget. Its objective is to be found again.
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

// count returns how many coefficients are not 0.
func countNonzeros(coef []float64) (n int) {
	for _, v := range coef {
		if v != 0 {
			n++
		}
	}
	return n
}

// own clears a problem's coefficients, makes its scores those of its w, and returns the rows that
// this consists of. After a finish it is the w of the last pass, whose scores are known, not of the
// best.
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

// pursue picks rows. The scores of the problem become those of w - w'.
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

// refit makes the coefficients the best there are, in float32.
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

// gram returns the kernel of a problem's rows with each other.
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

// solve brings a matrix times coef close to target, by conjugate gradients.
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
	var norm, start float64 // of the rest
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
			break // rounding has the last word
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
