package rounds

import (
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/cholesky"
	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/internal/train/newton"
	objectives "github.com/pegasimd/pegasimd/internal/train/objective"
)

// This file updates the state of Newton's method by the sums over all rows. The method is that of
// internal/train/newton.

// widthSums are the sums for one width of the zone.
type widthSums struct {
	width     float64
	rows      float64   // number of rows in the zone
	smoothing float64   // part of P - D due to the smoothing: S of internal/train/newton
	rest      float64   // part of P - D that steps remove: O of internal/train/newton
	u         []float64 // mean of c_i*a_i*y_i*x_i
}

// nextSums updates s by the gradient and Hessian sums: it chooses the width of the zone and the
// search direction of each problem.
func (r *Rounds) nextSums(s *State, tasks []task) error {
	s.Iterations++
	for k := range tasks {
		t := &tasks[k]
		widths := r.measureWidths(t)
		s.updateDone(t.Problem, newton.Patience)
		if t.Done {
			continue
		}
		pick := r.pickWidth(widths)
		t.Width = widths[pick].width
		if !r.findDirection(t, widths[pick], pick) {
			t.Done, t.Stuck = true, true
		}
	}
	if !r.scheduleProof(s) {
		s.Kind = Line
	}
	return nil
}

// measureWidths returns the sums for each width, from the widest to the narrowest. It stores the
// objective and the bound if they are the best so far.
func (r *Rounds) measureWidths(t *task) (widths []widthSums) {
	rings, objective := r.rings(), r.objective(t)
	dualTerms, inRings, us := t.sum[1:], t.sum[1+rings:1+2*rings], t.sum[1+2*rings:]
	for g, width := 0, t.Width; g < rings; g, width = g+1, width/widthRatio {
		z := widthSums{width: width, u: r.meanVector(t.segments[3], us[:r.vars])}
		if g > 0 {
			z.u = r.meanVector(t.segments[3], us[:r.vars], us[g*r.vars:])
		}
		var rest float64
		for j, u := range z.u {
			d := t.W[j] - u/r.Lambda
			rest += float64(d * d)
		}
		bound := r.mean(dualTerms[g], t.segments[1]) - objectives.SquareSum(z.u)/(2*r.Lambda)
		z.rest = float64(r.Lambda / 2 * rest)
		z.smoothing = max(0, objective-bound-z.rest)
		if bound > t.Bound {
			t.Bound, t.DualWidth = bound, width
			copy(t.DualW, t.W)
		}
		for _, v := range inRings[g:] {
			z.rows += float64(v)
		}
		widths = append(widths, z)
	}
	return widths
}

// minZoneShare is the fraction of the rows that must lie in a narrower zone for it to be preferred
// over a zone that is narrow enough already.
const minZoneShare = 0.1

// pickWidth returns the index of the next width. From the widest on it skips the widths whose
// smoothing dominates P - D, and then goes on to narrower ones as long as their zones have enough
// rows.
func (r *Rounds) pickWidth(widths []widthSums) (pick int) {
	for pick < len(widths)-1 && newton.TooWide(widths[pick].rest, widths[pick].smoothing) {
		pick++
	}
	enough := max(minZoneShare*r.weightedRows, min(3*float64(r.vars), r.weightedRows))
	for pick < len(widths)-1 && widths[pick+1].rows >= enough {
		pick++
	}
	return pick
}

// findDirection computes Newton's direction and the slope along it, for the objective smoothed over
// the given zone, whose width has the given index. It reports false if it finds no direction in
// which that objective falls, or if the direction's norm exceeds the range of float32.
func (r *Rounds) findDirection(t *task, zone widthSums, index int) bool {
	triangles := t.sum[t.size-r.rings()*r.triangle():]
	// A zone consists of its ring and the rings inside.
	h := &hessian{r, slices.Collect(slices.Chunk(triangles, r.triangle()))[index:]}
	scale := 1 / r.weightedRows
	if r.rings() > 1 {
		scale /= zone.width
	}
	factor := cholesky.New(r.vars)
	if newton.Decompose(factor, h, r.Lambda, scale, parallel.Threads(0)) != nil {
		return false
	}
	for j, u := range zone.u {
		t.Direction[j] = u - float64(r.Lambda*t.W[j])
	}
	factor.Solve(t.Direction)
	t.Slope = 0
	for j, p := range t.Direction {
		t.Slope += float64((float64(r.Lambda*t.W[j]) - zone.u[j]) * p)
	}
	return t.Slope < 0 && !math.IsInf(t.Slope, 0) && norm(t.Direction) < math.MaxFloat32
}

// hessian is a sum of outer products of rows. It implements gram.Matrix.
type hessian struct {
	r     *Rounds
	rings [][]int64 // upper triangles, in quanta of scaled variables
}

// Dim returns the number of variables.
func (h *hessian) Dim() int { return h.r.vars }

// at returns element (i, j) of the sum, for i <= j, in unscaled variables.
func (h *hessian) at(i, j int) float64 {
	var v int64
	for _, ring := range h.rings {
		v += ring[h.r.rowStart(i)+j]
	}
	return float64(v) * h.r.hessianQuantum.unit / h.r.scale[i] / h.r.scale[j]
}

// Upper sets dst[j] to element (i, j) for i <= j < Dim().
func (h *hessian) Upper(i int, dst []float64) {
	for j := i; j < h.r.vars; j++ {
		dst[j] = h.at(i, j)
	}
}

// Diagonal sets dst[i] to element (i, i).
func (h *hessian) Diagonal(dst []float64) {
	for i := range dst[:h.r.vars] {
		dst[i] = h.at(i, i)
	}
}

// nextLine updates s by the slopes along the directions: it moves W to where the slope is 0, by
// linear interpolation between two step lengths, or by the longest if the slope is negative there.
func (r *Rounds) nextLine(s *State, tasks []task) error {
	for k := range tasks {
		t := &tasks[k]
		var wp float64
		for j, p := range t.Direction {
			wp += float64(t.W[j] * p)
		}
		pp := objectives.SquareSum(t.Direction)
		to, from, slope := stepLengths[len(stepLengths)-1], 0.0, t.Slope
		for l, next := range stepLengths {
			v := r.mean(t.sum[l], t.segments[l]) + float64(r.Lambda*(wp+float64(next*pp)))
			if v >= 0 {
				to = from + float64((next-from)*(-slope/(v-slope)))
				break
			}
			from, slope = next, v
		}
		for j, p := range t.Direction {
			t.W[j] += float64(to * p)
		}
	}
	s.Kind = Sums
	return nil
}
