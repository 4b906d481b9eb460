package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/pegasimd/pegasimd/internal/escape"
	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/pegasos"
)

// A curve measures a training run while it goes on: about twice for each doubling of the steps,
// from a 64th of an epoch on.
type curve struct {
	curveFlags
	tableOut, pictureOut *output

	rows    *pegasos.Labelled
	valid   *pegasos.Labelled // further rows to measure on, which are not trained on; or nil
	threads int
	next    int64 // the steps after which to measure again
	points  []curvePoint
}

type curvePoint struct {
	seconds      float64
	result       pegasos.Result
	train, valid float64 // accuracies or root mean square errors; NaN without rows
}

// check returns what is wrong with the flags.
func (v *curve) check(cfg pegasos.Config) error {
	if _, err := pictureFormat(v.plot); err != nil {
		return err
	}
	return nil
}

// early returns the parts of the first epoch after which to measure: 1/64, and each about sqrt(2)
// times the one before.
func (v *curve) early() []float64 {
	if !v.wanted() {
		return nil
	}
	return []float64{1. / 64, 3. / 128, 1. / 32, 3. / 64, 1. / 16, 3. / 32, 1. / 8, 3. / 16, 1. / 4,
		3. / 8, 1. / 2, 3. / 4}
}

// measure measures if it is time to, and reports whether it did.
func (v *curve) measure(now pegasos.Progress, training time.Duration) bool {
	// the last point is the result
	if !v.wanted() || now.Steps < v.next || now.Steps == now.TotalSteps {
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
	p := curvePoint{training.Seconds(), m.Result, fit(m, v.rows, v.threads), math.NaN()}
	if v.valid != nil {
		p.valid = fit(m, v.valid, v.threads)
	}
	v.points = append(v.points, p)
}

// finish adds the result as the last point, unless it is an earlier one that was the best, and
// writes what was asked for. data names the rows.
func (v *curve) finish(
	data string, m *pegasos.Model, training time.Duration, interrupted bool,
) error {
	if n := len(v.points); v.wanted() && !interrupted &&
		(n == 0 || m.Result.Steps > v.points[n-1].result.Steps) {
		v.add(m, training)
	}
	if len(v.points) == 0 {
		return nil
	}
	return v.write(data, m)
}

func (v *curve) write(data string, m *pegasos.Model) error {
	table := func(w io.Writer) error { return v.table(w, m) }
	if err := v.tableOut.write(table); err != nil || v.plot == "" {
		return err
	}
	return v.pictureOut.write(func(w io.Writer) error { return v.draw(w, data, m) })
}

// metricName is what train and valid are of a point.
func metricName(m *pegasos.Model) string {
	if m.Classes == nil {
		return "rmse"
	}
	return "accuracy"
}

func (v *curve) table(w io.Writer, m *pegasos.Model) error {
	t := csv.NewWriter(w)
	t.Write([]string{"epoch", "steps", "seconds", "objective", "dual_objective", "gap",
		"train_" + metricName(m), "valid_" + metricName(m)})
	for _, p := range v.points {
		line := []string{"", strconv.FormatInt(p.result.Steps, 10)}
		for _, v := range []float64{p.seconds, p.result.Objective, p.result.DualObjective,
			p.result.Gap, p.train, p.valid} {
			if !floats.IsFinite(v) {
				line = append(line, "") // there is none
			} else {
				line = append(line, strconv.FormatFloat(v, 'g', -1, 64))
			}
		}
		line[0] = strconv.FormatFloat(p.result.Epochs, 'g', -1, 64)
		t.Write(line)
	}
	t.Flush()
	return t.Error()
}

// draw draws the objective, its distance from the optimum, and the accuracy or the error.
func (v *curve) draw(w io.Writer, data string, m *pegasos.Model) error {
	format, err := pictureFormat(v.plot)
	if err != nil {
		return err
	}
	column := func(of func(p curvePoint) float64) (values []float64) {
		for _, p := range v.points {
			values = append(values, of(p))
		}
		return values
	}
	along := column(func(p curvePoint) float64 { return float64(p.result.Steps) })
	objective := column(func(p curvePoint) float64 { return p.result.Objective })
	bound := column(func(p curvePoint) float64 { return p.result.DualObjective })
	least := slices.Min(objective)
	falls := slices.Max(objective) > 10*least // by so much that the axis is to be logarithmic
	for i := range bound {
		if falls && bound[i] < least/10 {
			bound[i] = math.NaN() // far below the picture
		}
	}
	label, scale := "RMSE", 1.
	if m.Classes != nil {
		label, scale = "accuracy, %", 100
	}
	kind := ""
	if len(m.Classes) > 2 {
		kind = fmt.Sprintf(" %s,", m.Config.Multiclass)
	}
	title := fmt.Sprintf("%s: %s loss,%s lambda %.6g", escape.Name(shortName(data)),
		m.Config.Loss, kind, m.Lambda)
	return writePanels(w, format, title, "steps", along, []panel{
		{"objective", falls, []panelLine{
			{"objective", objective}, {"bound on the optimum", bound},
		}},
		{"gap, %", true, []panelLine{
			{"", column(func(p curvePoint) float64 { return 100 * p.result.Gap })},
		}},
		{label, false, []panelLine{
			{"training rows", column(func(p curvePoint) float64 { return scale * p.train })},
			{"validation rows", column(func(p curvePoint) float64 { return scale * p.valid })},
		}},
	})
}
