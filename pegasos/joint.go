package pegasos

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/train/dual"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/objective"
	"github.com/pegasimd/pegasimd/internal/train/sgd"
)

// A joint problem has a weight vector for each class, which are trained as one.
type joint struct {
	*sgd.Joint
	ascent *dual.Joint // nil before it begins
}

func (j *joint) common() *iterate.State { return &j.State }

func (j *joint) objective() objective.Problem { return &j.Of }

func (j *joint) takeSteps(idx []uint32) {
	if j.ascent != nil {
		for len(idx) > 0 && j.Err == nil {
			n := j.BeforeSample(len(idx))
			if j.ascent.Ascend(idx[:n]); j.Err == nil {
				j.Sample()
			}
			idx = idx[n:]
		}
		return
	}
	j.Steps(idx)
}

// startAscent starts the ascent, if it is time for that.
func (j *joint) startAscent(cfg Config, epochs int, r2 float64) {
	if j.ascent == nil && finishDue(&j.State, cfg, epochs) {
		j.ascent = dual.BeginJoint(&j.State, &j.Of, j.M, r2, cfg.gapToAscend())
	}
}

func (j *joint) endEpoch(epochs int) {
	j.State.EndEpoch(epochs)
	if j.ascent != nil {
		j.ascent.EndEpoch()
	}
}

// result is what learner asks for.
func (j *joint) result(w [][]float32, b []float64) {
	if j.ascent != nil {
		j.ascent.Result(w, b)
		return
	}
	j.Weights(w, b)
}

// shares is what learner asks for.
func (j *joint) shares() []float32 {
	if j.ascent == nil {
		return nil
	}
	return j.ascent.Shares()
}

// climb is what learner asks for.
func (j *joint) climb(a []float32, passes int, r2 float64) float64 {
	return dual.ImproveJoint(&j.State, &j.Of, j.M, a, passes, r2)
}

func (tr *Trainer) checkCosts(classes int) error {
	if tr.Costs == nil {
		return nil
	}
	if tr.Config.Multiclass != CrammerSinger {
		return badField("Costs", "they are for Multiclass %q, have %q", CrammerSinger,
			tr.Config.Plain().Multiclass)
	}
	if len(tr.Costs) != classes {
		return badField("Costs", "have %d rows, want one for each of the %d classes", len(tr.Costs),
			classes)
	}
	for y, row := range tr.Costs {
		if len(row) != classes {
			return badField("Costs", "row %d has %d numbers, want one for each of the %d classes",
				y, len(row), classes)
		}
		for r, c := range row {
			if r == y && c != 0 || r != y && !(c > 0 && c <= math.MaxFloat32) {
				return badField("Costs", "have %v for predicting class %d where %d is right: "+
					"want 0 where they are the same, else a positive finite number", c, r, y)
			}
		}
	}
	return nil
}
