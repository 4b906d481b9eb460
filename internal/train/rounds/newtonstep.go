package rounds

import (
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/train/newton"
	"github.com/pegasimd/pegasimd/internal/train/objective"
	"github.com/pegasimd/pegasimd/internal/vectors/cholesky"
)

// widthSums holds sums over all rows for one width of the zone.
type widthSums struct {
	width     float64
	rows      float64
	smoothing float64   // S in package newton
	rest      float64   // O in package newton
	u         []float64 // mean of weight * dual variable * label * row
}

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

// measureWidths returns the widthSums of each width, the widest first. It stores the primal
// objective and the largest lower bound in t if they are the best so far.
func (r *Rounds) measureWidths(t *task) (widths []widthSums) {
	rings, primal := r.rings(), r.objective(t)
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
		bound := r.mean(dualTerms[g], t.segments[1]) - objective.SquareSum(z.u)/(2*r.Lambda)
		z.rest = float64(r.Lambda / 2 * rest)
		z.smoothing = max(0, primal-bound-z.rest)
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

const minZoneShare = 0.1

// pickWidth returns the index of the widest width that is not newton.TooWide, or of the narrowest
// width if all are. If narrower zones have enough rows, it returns the narrowest such zone's index.
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

// findDirection computes the search direction, and the slope along it of the objective smoothed
// over the zone. index is 0 for the widest zone. findDirection returns false if it finds no usable
// direction.
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

// hessian is the sum of weighted outer products of a zone's rows, stored as one sum per ring.
type hessian struct {
	r     *Rounds
	rings [][]int64 // upper triangles in units of Rounds.hessianQuantum
}

func (h *hessian) Dim() int { return h.r.vars }

// at requires i <= j.
func (h *hessian) at(i, j int) float64 {
	var v int64
	for _, ring := range h.rings {
		v += ring[h.r.rowStart(i)+j]
	}
	return float64(v) * h.r.hessianQuantum.unit / h.r.scale[i] / h.r.scale[j]
}

func (h *hessian) Upper(i int, dst []float64) {
	for j := i; j < h.r.vars; j++ {
		dst[j] = h.at(i, j)
	}
}

func (h *hessian) Diagonal(dst []float64) {
	for i := range dst[:h.r.vars] {
		dst[i] = h.at(i, i)
	}
}

// nextLine moves each problem's W to where the slope along its search direction is 0, by linear
// interpolation between adjacent step lengths (0 is the first). If the slope is negative at all
// step lengths, W moves by the longest.
func (r *Rounds) nextLine(s *State, tasks []task) error {
	for k := range tasks {
		t := &tasks[k]
		var wp float64
		for j, p := range t.Direction {
			wp += float64(t.W[j] * p)
		}
		pp := objective.SquareSum(t.Direction)
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
