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

type curve struct {
	out *output

	rows    *pegasos.Labelled
	valid   *pegasos.Labelled
	threads int
	next    int64 // number of steps at the next measurement
	points  []curvePoint
}

// Train and Valid are accuracies, or RMSEs for regression; Valid is null without -valid.
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

func (v *curve) early() (parts []float64) {
	for part := 1. / 64; v.out != nil && part < 1; part *= 2 {
		parts = append(parts, part, part*1.5)
	}
	return parts
}

// measure adds a point if one is due, except at the end of the run, which finish measures. It
// reports whether it computed a model.
func (v *curve) measure(now pegasos.Progress, training time.Duration) bool {
	if v.out == nil || now.Steps < v.next || now.Steps == now.TotalSteps {
		return false
	}
	v.next = now.Steps + max(1, now.Steps*3/10)
	m := now.Model()
	if m.Result.Epochs < float64(now.Epoch) { // a later run, for the calibration
		v.next = math.MaxInt64
	} else {
		v.add(m, training)
	}
	return true
}

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

// With -patience, m may be earlier than the last point; finish then does not add it.
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
	falls := slices.Max(objective) > 10*least
	for i := range bound {
		if falls && bound[i] < least/10 {
			bound[i] = math.NaN() // would stretch the axis
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
	title := fmt.Sprintf("%s: %s loss,%s %s", escape.Name(shortName(data)), m.Config.Loss, kind,
		linearModel{m}.penaltyText())
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
