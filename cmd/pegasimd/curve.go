package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/chart"
	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/internal/visible"
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
	if _, err := chart.Format(plainName(v.plot)); v.plot != "" && err != nil {
		return usagef("-plot: %v", err)
	}
	if v.against != "steps" && v.against != "seconds" {
		return usagef("-plot-x: have %q, want steps or seconds", v.against)
	}
	if v.against != "steps" && v.plot == "" {
		return usagef("-plot-x is what -plot draws against, and -plot is not given")
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

// measure measures if it is time to, the run having trained for so long, and reports whether it
// did.
func (v *curve) measure(
	now pegasos.Progress, training time.Duration,
) (r pegasos.Result, measured bool) {
	// the last point is the result
	if !v.wanted() || now.Steps < v.next || now.Steps == now.TotalSteps {
		return r, false
	}
	v.next = now.Steps + max(1, now.Steps*3/10)
	m := now.Model()
	if m.Result.Epochs < float64(now.Epoch) { // this is another run, for the calibration
		v.next = math.MaxInt64
		return m.Result, true
	}
	v.add(m, training)
	return m.Result, true
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

// fit returns the accuracy on some rows, or the root mean square error.
func fit(m *pegasos.Model, d *pegasos.Labelled, threads int) float64 {
	m = m.WithCols(d.X.Cols())
	rows := d.X.Rows()
	const block = 1024
	// of squares, or of what is right: divided in a way that no thread changes
	sums := make([]float64, (rows+block-1)/block)
	parallel.For(parallel.Threads(threads), len(sums), func(_, b int) {
		for i := b * block; i < min((b+1)*block, rows); i++ {
			label := m.Predict(d.X, i)
			switch {
			case m.Classes == nil:
				d := float64(label) - float64(d.Y[i])
				sums[b] += float64(d * d)
			case label == d.Y[i]:
				sums[b]++
			}
		}
	})
	var sum float64
	for _, s := range sums {
		sum += s
	}
	if mean := sum / float64(rows); m.Classes != nil {
		return mean
	} else {
		return math.Sqrt(mean)
	}
}

func (v *curve) write(data string, m *pegasos.Model) error {
	table := func(w io.Writer) error { return v.table(w, m) }
	if err := v.tableOut.write(table); err != nil || v.plot == "" {
		return err
	}
	format, err := chart.Format(plainName(v.plot))
	if err != nil {
		return err
	}
	picture, err := v.picture(data, m, format)
	if err != nil {
		return fmt.Errorf("%s: %w", v.plot, err)
	}
	return v.pictureOut.write(picture.Write)
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

func (v *curve) picture(data string, m *pegasos.Model, format string) (*chart.Picture, error) {
	along := v.column(func(p curvePoint) float64 { return float64(p.result.Steps) })
	if v.against == "seconds" {
		along = v.column(func(p curvePoint) float64 { return p.seconds })
	}
	gap := v.column(func(p curvePoint) float64 {
		if math.IsInf(p.result.Gap, 1) {
			return math.NaN()
		}
		return 100 * p.result.Gap
	})
	kind := ""
	if len(m.Classes) > 2 {
		kind = fmt.Sprintf(" %s,", m.Config.Multiclass)
	}
	title := fmt.Sprintf("%s: %s loss,%s lambda %.6g", visible.Name(shortName(data)),
		m.Config.Loss, kind, m.Lambda)
	return chart.Curves(title, v.against+" (log)", along, []chart.Panel{
		v.objectives(),
		{Label: "above the optimum, % (log)", Log: true, Lines: []chart.Line{
			{Name: "most that the objective can be above the optimum", Values: gap},
		}},
		v.fits(m),
	}, format)
}

// column returns a number of each point.
func (v *curve) column(of func(p curvePoint) float64) (values []float64) {
	for _, p := range v.points {
		values = append(values, of(p))
	}
	return values
}

// objectives is the panel of the objective and its bound.
func (v *curve) objectives() chart.Panel {
	objective := v.column(func(p curvePoint) float64 { return p.result.Objective })
	bound := v.column(func(p curvePoint) float64 { return p.result.DualObjective })
	panel := chart.Panel{Label: "objective", Band: true, Lines: []chart.Line{
		{Name: "objective", Values: objective}, {Name: "lower bound on the optimum", Values: bound},
	}}
	if least := slices.Min(objective); slices.Max(objective) > 10*least {
		panel.Label, panel.Log = "objective (log)", true
		for i, b := range bound {
			if b < least/10 {
				bound[i] = math.NaN() // far below the picture
			}
		}
	}
	return panel
}

// fits is the panel of the accuracy or the error.
func (v *curve) fits(m *pegasos.Model) chart.Panel {
	label, scale := "RMSE", 1.
	if m.Classes != nil {
		label, scale = "accuracy, %", 100
	}
	return chart.Panel{Label: label, Lines: []chart.Line{
		{Name: "training rows",
			Values: v.column(func(p curvePoint) float64 { return scale * p.train })},
		{Name: "validation rows",
			Values: v.column(func(p curvePoint) float64 { return scale * p.valid })},
	}}
}
