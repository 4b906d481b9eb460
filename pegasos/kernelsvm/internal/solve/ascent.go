package solve

import (
	"context"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/model/proof"
)

// Dual coordinate ascent maximizes the dual objective over one alpha after the other. A row's gain
// is the most that its alpha alone can add to the dual objective, times the number of rows. A round
// chooses the rows of the largest gains: up to half a block whose scores have to rise, and as many
// whose scores have to fall. It repeatedly moves the alpha of the largest gain among them, until no
// gain is worth a move or mostMoves is reached. The moves need only the kernel among the chosen
// rows; all scores are updated at the end of the round.

const (
	// leastGain is the least gain worth a move, relative to the largest at the start of a round.
	leastGain = 0.1
	// mostMoves times the number of chosen rows limits the moves of a round.
	mostMoves = 16
	// leastTarget is about the smallest raw gap that ascend aims for.
	leastTarget = 1e-14
)

type roundSums struct {
	alphas, square, loss float64
	up, down             selection
}

// selection is a heap, the least gain first.
type selection struct {
	n    int
	gain [blockRows / 2]float64
	row  [blockRows / 2]int
}

func (h *selection) offer(gain float64, row int) {
	k := h.n
	if k < len(h.gain) {
		for h.n++; k > 0 && h.gain[(k-1)/2] > gain; k = (k - 1) / 2 {
			h.gain[k], h.row[k] = h.gain[(k-1)/2], h.row[(k-1)/2]
		}
		h.gain[k], h.row[k] = gain, row
		return
	}
	if gain <= h.gain[0] {
		return
	}
	for k = 0; 2*k+1 < h.n; {
		next := 2*k + 1
		if next+1 < h.n && h.gain[next+1] < h.gain[next] {
			next++
		}
		if h.gain[next] >= gain {
			break
		}
		h.gain[k], h.row[k] = h.gain[next], h.row[next]
		k = next
	}
	h.gain[k], h.row[k] = gain, row
}

// ascend runs dual coordinate ascent until the gap is at most Tol or cannot be reduced, MaxPasses
// have ended, or ctx is done.
func (s *solver) ascend(ctx context.Context) error {
	s.ascending = true
	each := s.alphaPerViolation(s.Epochs)
	for i := range s.score {
		s.score[i] *= each
		s.alpha[i] *= each
	}
	w, n := weights{s.alpha, s.score, s.dualScale(), 1}, len(s.Pos)
	moves, limit := 0, s.MaxPasses*n
	if s.MaxPasses > math.MaxInt/n {
		limit = math.MaxInt
	}
	sums, target, done := make([]roundSums, len(s.Tiles)), s.Tol, false
	for !done && ctx.Err() == nil {
		all := s.scan(sums)
		penalty := s.penalty(all.square, w.scale)
		objective, dual := penalty+all.loss/float64(s.N), all.alphas/float64(s.N)-penalty
		if !floats.IsFinite(objective) {
			return s.notFinite(slices.IndexFunc(s.score, func(z float64) bool {
				return !floats.IsFinite(z / w.scale)
			}))
		}
		// raw ignores rounding errors. The proven gap costs more time.
		raw := proof.Gap(objective, dual)
		reached := raw <= target
		if !reached && moves < limit {
			made := s.improve(&all)
			if len(s.block.updates) > 0 {
				s.updateScores()
				before := s.Passes
				moves += made
				if s.Passes = (moves + n - 1) / n; s.Passes > before {
					s.Objective, s.Bound = objective, max(0, dual)
					s.report(s.Solution)
				}
				continue
			}
		}
		s.measure(w, s.updatedErrors(w, s.Rows.Error), 1)
		gap := proof.Gap(s.Objective, s.Bound)
		switch {
		case gap > s.Tol && reached && raw > s.Tol/2:
			target = s.Tol / 2
		case gap > s.Tol && s.needsFloat64(gap, raw):
			s.recompute(ctx, w)
		case gap > s.Tol && reached && target > leastTarget:
			target /= 2
		default:
			done = true
		}
	}
	coef := s.coefficients(w)
	if done {
		s.measureModel(coef)
	}
	s.Coef = toFloat32(coef)
	s.report(s.Solution)
	return nil
}

func (s *solver) scan(sums []roundSums) (all roundSums) {
	s.eachTile(func(_ *worker, t int, tile Tile) { s.scanTile(&sums[t], tile) })
	for t := range sums {
		of := &sums[t]
		all.alphas += of.alphas
		all.square += of.square
		all.loss += of.loss
		for k, gain := range of.up.gain[:of.up.n] {
			all.up.offer(gain, of.up.row[k])
		}
		for k, gain := range of.down.gain[:of.down.n] {
			all.down.offer(gain, of.down.row[k])
		}
	}
	return all
}

func (s *solver) scanTile(sums *roundSums, t Tile) {
	scale, sign := s.dualScale(), s.Sign[t.Start]
	highest := roundAlpha(1, scale)
	*sums = roundSums{}
	diagonal := s.Rows.Diagonal[s.Pos[t.Start]:]
	for j, a := range s.alpha[t.Start:t.End] {
		i := t.Start + j
		z := float64(sign * s.score[i])
		slack := 1 - z/scale
		sums.alphas += a
		sums.square += float64(a * z)
		if slack > 0 {
			sums.loss += slack
		}
		if slack > 0 && a >= highest || slack <= 0 && a == 0 {
			continue
		}
		per, drop := curvature(float64(diagonal[j]), scale)
		if _, gain := bestAlpha(a, slack, per, drop, highest); gain > 0 {
			if (slack > 0) == (sign > 0) {
				sums.up.offer(gain, i)
			} else {
				sums.down.offer(gain, i)
			}
		}
	}
}

// bestAlpha returns the alpha of a row, from 0 to highest, that maximizes the dual objective, and
// the row's gain. slack is 1 minus the row's margin; per and drop are from curvature.
func bestAlpha(a, slack, per, drop, highest float64) (to, gain float64) {
	to = a + float64(slack*per)
	if !(to > 0) {
		to = 0
	}
	if to > highest {
		to = highest
	}
	move := to - a
	return to, float64(move * (slack - float64(move*drop)))
}

// curvature returns, for a row with k(x,x) = d: per, the move of its alpha that removes a slack of
// 1 (+Inf if d is 0 or less), and drop, half of the slack that a move of 1 removes.
func curvature(d, scale float64) (per, drop float64) {
	return scale / max(d, 0), d / (2 * scale)
}

// improve makes a round. It stores the total change of each alpha as an update of the block.
func (s *solver) improve(all *roundSums) (moves int) {
	b := &s.block
	b.begin()
	top := 0.0
	for _, h := range []*selection{&all.up, &all.down} {
		for k, gain := range h.gain[:h.n] {
			b.add(s.Problem, h.row[k], s.score[h.row[k]])
			top = max(top, gain)
		}
	}
	scale := s.dualScale()
	highest := roundAlpha(1, scale)
	var alpha, slack, per, drop [blockRows]float64
	for j, i := range b.rows {
		alpha[j], slack[j] = s.alpha[i], 1-float64(b.sign[j]*s.score[i])/scale
		per[j], drop[j] = curvature(float64(s.Rows.Diagonal[b.pos[j]]), scale)
	}
	for range mostMoves * len(b.rows) {
		most, k, best := float64(leastGain*top), -1, 0.0
		for j := range b.rows {
			j &= blockRows - 1 // saves bounds checks
			if to, gain := bestAlpha(alpha[j], slack[j], per[j], drop[j], highest); gain > most {
				most, k, best = gain, j, to
			}
		}
		if k < 0 {
			break
		}
		best = roundAlpha(best, scale)
		move := float64((best - alpha[k]) * b.sign[k])
		if alpha[k] = best; move == 0 {
			per[k], drop[k] = 0, 0 // the best alpha rounds to the present alpha
			continue
		}
		moves++
		for j, v := range b.kernelRow(s.Problem, s.cache, k, s.values) {
			slack[j] -= float64(float64(move*float64(v))*b.sign[j]) / scale
		}
	}
	for j, i := range b.rows {
		if move := alpha[j] - s.alpha[i]; move != 0 {
			s.alpha[i] = alpha[j]
			b.updates = append(b.updates, update{index: j, delta: float64(move * b.sign[j])})
		}
	}
	return moves
}
