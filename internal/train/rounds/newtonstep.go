package rounds

import (
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/cholesky"
	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/internal/train/newton"
	objectives "github.com/pegasimd/pegasimd/internal/train/objective"
)

// This file is what Newton's method makes of the sums over all rows: see internal/train/newton.

// A zoneWidth is what the sums say of one width of the zone.
type widthSums struct {
	width     float64
	rows      float64   // in the zone
	smoothing float64   // S of internal/train/newton
	rest      float64   // O
	u         []float64 // mean of c_i*a_i*y_i*x_i
}

// nextSums takes in a pass for the gradient and the Hessian.
func (r *Rounds) nextSums(s *State, of []task) error {
	s.Iterations++
	for k := range of {
		at := &of[k]
		widths := r.measureWidths(at)
		s.updateDone(at.Problem, newton.Patience)
		if at.Done {
			continue
		}
		pick := r.pickWidth(widths)
		at.Width = widths[pick].width
		if !r.findDirection(at, widths[pick], pick) {
			at.Done, at.Stuck = true, true
		}
	}
	if !r.scheduleProof(s) {
		s.Kind = Line
	}
	return nil
}

// widthsOf finds the objective and the bounds, and keeps the best ones.
func (r *Rounds) measureWidths(at *task) (widths []widthSums) {
	rings, objective := r.rings(), r.objective(at)
	gains, inside, us := at.sum[1:], at.sum[1+rings:1+2*rings], at.sum[1+2*rings:]
	for g, width := 0, at.Width; g < rings; g, width = g+1, width/widthRatio {
		z := widthSums{width: width, u: r.meanVector(at.segments[3], us[:r.vars])}
		if g > 0 {
			z.u = r.meanVector(at.segments[3], us[:r.vars], us[g*r.vars:])
		}
		var rest float64
		for j, u := range z.u {
			d := at.W[j] - u/r.Lambda
			rest += float64(d * d)
		}
		bound := r.mean(gains[g], at.segments[1]) - objectives.SquareSum(z.u)/(2*r.Lambda)
		z.rest = float64(r.Lambda / 2 * rest)
		z.smoothing = max(0, objective-bound-z.rest)
		if bound > at.Bound {
			at.Bound, at.DualWidth = bound, width
			copy(at.DualW, at.W)
		}
		for _, v := range inside[g:] {
			z.rows += float64(v)
		}
		widths = append(widths, z)
	}
	return widths
}

// leastInZone is the share of the rows that a zone is not to be narrower than at first.
const minZoneShare = 0.1

// pick returns which of the widths is next: the first of which the smoothing is not what keeps P
// and D apart, and as narrow as leaves a part of the rows in the zone.
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

// direct finds the direction, and the slope along it. It reports whether that leads down.
func (r *Rounds) findDirection(at *task, zone widthSums, pick int) bool {
	triangles := at.sum[at.size-r.rings()*r.triangle():]
	// A zone is its ring and all within.
	h := &hessian{r, slices.Collect(slices.Chunk(triangles, r.triangle()))[pick:]}
	scale := 1 / r.weightedRows
	if r.rings() > 1 {
		scale /= zone.width
	}
	factor := cholesky.New(r.vars)
	if newton.Decompose(factor, h, r.Lambda, scale, parallel.Threads(0)) != nil {
		return false
	}
	for j, u := range zone.u {
		at.Direction[j] = u - float64(r.Lambda*at.W[j])
	}
	factor.Solve(at.Direction)
	at.Slope = 0
	for j, p := range at.Direction {
		at.Slope += float64((float64(r.Lambda*at.W[j]) - zone.u[j]) * p)
	}
	return at.Slope < 0 && !math.IsInf(at.Slope, 0) && norm(at.Direction) < math.MaxFloat32
}

// A hessian is a sum of the rows' products, as a gram.Matrix.
type hessian struct {
	r     *Rounds
	rings [][]int64 // triangles
}

// Dim returns the number of variables.
func (h *hessian) Dim() int { return h.r.vars }

// at returns element (i, j) for i <= j.
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

// nextLine takes in a pass along the directions: w goes to where the slope is 0, between two of the
// lengths as a straight line has it.
func (r *Rounds) nextLine(s *State, of []task) error {
	for k := range of {
		at := &of[k]
		var wp float64
		for j, p := range at.Direction {
			wp += float64(at.W[j] * p)
		}
		pp := objectives.SquareSum(at.Direction)
		to, from, slope := stepLengths[len(stepLengths)-1], 0.0, at.Slope
		for l, next := range stepLengths {
			v := r.mean(at.sum[l], at.segments[l]) + float64(r.Lambda*(wp+float64(next*pp)))
			if v >= 0 {
				to = from + float64((next-from)*(-slope/(v-slope)))
				break
			}
			from, slope = next, v
		}
		for j, p := range at.Direction {
			at.W[j] += float64(to * p)
		}
	}
	s.Kind = Sums
	return nil
}
