package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/pegasos"
)

// A curve measures a training run while it goes on: about twice for each doubling of the steps,
// from a 64th of an epoch on.
type curve struct {
	out *output // nil if there is none to draw

	rows    *pegasos.Labelled // of the training
	valid   *pegasos.Labelled // further rows to measure on, which are not trained on; or nil
	threads int
	next    int64 // the steps after which to measure again
	points  []curvePoint
}

// A curvePoint is a model on the way. Train and Valid are accuracies or root mean square errors.
type curvePoint struct {
	Seconds       float64 `json:"seconds"`
	Epochs        float64 `json:"epochs"`
	Steps         int64   `json:"steps"`
	Objective     number  `json:"objective"`
	DualObjective number  `json:"dual_objective"`
	Gap           number  `json:"gap"`
	Train         number  `json:"train"`
	Valid         number  `json:"valid"`
}

// early returns the parts of the first epoch after which to measure: 1/64, and each about sqrt(2)
// times the one before.
func (v *curve) early() (parts []float64) {
	for part := 1. / 64; v.out != nil && part < 1; part *= 2 {
		parts = append(parts, part, part*1.5)
	}
	return parts
}

// measure measures if it is time to, and reports whether it did.
func (v *curve) measure(now pegasos.Progress, training time.Duration) bool {
	// the last point is the result
	if v.out == nil || now.Steps < v.next || now.Steps == now.TotalSteps {
		return false
	}
	v.next = now.Steps + max(1, now.Steps*3/10)
	m := now.Model()
	if m.Result.Epochs < float64(now.Epoch) { // this is another run, for the calibration
		v.next = math.MaxInt64
	} else {
		v.add(m, training)
	}
	return true
}

// add adds the point of a measured model.
func (v *curve) add(m *pegasos.Model, training time.Duration) {
	of := m.Result
	p := curvePoint{
		training.Seconds(), of.Epochs, of.Steps, number(of.Objective), number(of.DualObjective),
		number(of.Gap), number(fit(m, v.rows, v.threads)), number(math.NaN()),
	}
	if v.valid != nil {
		p.Valid = number(fit(m, v.valid, v.threads))
	}
	v.points = append(v.points, p)
}

// finish adds the result as the last point, unless it is an earlier one that was the best, and
// draws the picture that was asked for. data names the rows.
func (v *curve) finish(
	data string, m *pegasos.Model, training time.Duration, interrupted bool,
) error {
	if n := len(v.points); v.out != nil && !interrupted &&
		(n == 0 || m.Result.Steps > v.points[n-1].Steps) {
		v.add(m, training)
	}
	if len(v.points) == 0 {
		return nil
	}
	return v.out.write(func(w io.Writer) error { return v.draw(w, data, m) })
}

// draw draws the objective, its distance from the optimum, and the accuracy or the error.
func (v *curve) draw(w io.Writer, data string, m *pegasos.Model) error {
	column := func(of func(p curvePoint) number) (values []float64) {
		for _, p := range v.points {
			values = append(values, float64(of(p)))
		}
		return values
	}
	along := column(func(p curvePoint) number { return number(p.Steps) })
	objective := column(func(p curvePoint) number { return p.Objective })
	bound := column(func(p curvePoint) number { return p.DualObjective })
	least := slices.Min(objective)
	falls := slices.Max(objective) > 10*least // by so much that the axis is to be logarithmic
	for i := range bound {
		if falls && bound[i] < least/10 {
			bound[i] = math.NaN() // far below the picture
		}
	}
	label, scale := "RMSE", number(1)
	if m.Classes != nil {
		label, scale = "accuracy, %", 100
	}
	kind := ""
	if len(m.Classes) > 2 {
		kind = fmt.Sprintf(" %s,", m.Config.Multiclass)
	}
	title := fmt.Sprintf("%s: %s loss,%s lambda %.6g", escape.Name(shortName(data)),
		m.Config.Loss, kind, m.Lambda)
	return writePanels(w, title, "steps", along, []panel{
		{"objective", falls, []panelLine{
			{"objective", objective}, {"bound on the optimum", bound},
		}},
		{"gap, %", true, []panelLine{
			{"", column(func(p curvePoint) number { return 100 * p.Gap })},
		}},
		{label, false, []panelLine{
			{"training rows", column(func(p curvePoint) number { return scale * p.Train })},
			{"validation rows", column(func(p curvePoint) number { return scale * p.Valid })},
		}},
	})
}
