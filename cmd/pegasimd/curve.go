package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/chart"
	"github.com/pegasimd/pegasimd/internal/replace"
	"github.com/pegasimd/pegasimd/pegasos"
)

// A curve measures a training run on its way: about twice for each doubling of the steps, from a 64th of an epoch on.
type curve struct {
	plot, csv string // files to write; both empty for no curve

	rows    *pegasos.Labelled
	checks  *pegasos.Labelled // further rows to measure on, which are not trained on; or nil
	threads int
	next    int64 // the steps after which to measure again
	points  []curvePoint
}

type curvePoint struct {
	seconds      float64
	result       pegasos.Result
	train, valid float64 // accuracies or root mean square errors; NaN without rows
}

func (cv *curve) define(c *call) {
	c.flags.StringVar(&cv.plot, "plot", "", "draw objective, gap and accuracy against the steps, to `file` (.svg, .png, .pdf)")
	c.flags.StringVar(&cv.csv, "curve", "", "write the same as a table to `file` (CSV). Each of the points, about two for each doubling of the steps, costs\nthe time of one or two epochs, which is not counted as training time")
}

func (cv *curve) wanted() bool { return cv.plot != "" || cv.csv != "" }

// check returns what is wrong with the flags.
func (cv *curve) check(cfg pegasos.Config) error {
	if cv.plot != "" {
		if _, err := chart.Format(cv.plot); err != nil {
			return usagef("-plot: %v", err)
		}
	}
	if cv.wanted() && cfg.Bias == pegasos.BiasOuter {
		return usagef("-plot, -curve: with -bias outer there are 20 runs, not one curve")
	}
	return nil
}

// early returns the parts of the first epoch after which to measure: 1/64, and each about sqrt(2) times the one before.
func (cv *curve) early() []float64 {
	if !cv.wanted() {
		return nil
	}
	return []float64{1. / 64, 3. / 128, 1. / 32, 3. / 64, 1. / 16, 3. / 32, 1. / 8, 3. / 16, 1. / 4, 3. / 8, 1. / 2, 3. / 4}
}

// look measures if it is time to, the run having trained for so long, and reports whether it did.
func (cv *curve) look(now pegasos.Progress, training time.Duration) (r pegasos.Result, looked bool) {
	if !cv.wanted() || now.Steps < cv.next || now.Steps == now.TotalSteps { // the last point is the result
		return r, false
	}
	cv.next = now.Steps + max(1, now.Steps*3/10)
	m := now.Model()
	if m.Result.Epochs < float64(now.Epoch) { // this is another run, for the calibration
		cv.next = math.MaxInt64
		return m.Result, true
	}
	cv.add(m, training)
	return m.Result, true
}

// add adds the point of a measured model.
func (cv *curve) add(m *pegasos.Model, training time.Duration) {
	p := curvePoint{training.Seconds(), m.Result, fit(m, cv.rows, cv.threads), math.NaN()}
	if cv.checks != nil {
		p.valid = fit(m, cv.checks, cv.threads)
	}
	cv.points = append(cv.points, p)
}

// finish adds the result as the last point, unless it is an earlier one that was the best, and writes what was asked for.
// data names the rows.
func (cv *curve) finish(data string, m *pegasos.Model, training time.Duration, interrupted bool) error {
	if n := len(cv.points); cv.wanted() && !interrupted && (n == 0 || m.Result.Steps > cv.points[n-1].result.Steps) {
		cv.add(m, training)
	}
	if len(cv.points) == 0 {
		return nil
	}
	return cv.write(data, m)
}

// fit returns the accuracy on some rows, or the root mean square error.
func fit(m *pegasos.Model, d *pegasos.Labelled, threads int) float64 {
	m = m.WithCols(d.X.Cols())
	rows := d.X.Rows()
	const block = 1024
	sums := make([]float64, (rows+block-1)/block) // of squares, or of what is right: divided in a way that no thread changes
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers(threads, len(sums)) {
		wg.Go(func() {
			for b := int(next.Add(1)) - 1; b < len(sums); b = int(next.Add(1)) - 1 {
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
			}
		})
	}
	wg.Wait()
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

func (cv *curve) write(data string, m *pegasos.Model) error {
	if cv.csv != "" {
		if err := replace.File(cv.csv, func(w io.Writer) error { return cv.table(w, m) }); err != nil {
			return err
		}
	}
	if cv.plot == "" {
		return nil
	}
	format, err := chart.Format(cv.plot)
	if err != nil {
		return err
	}
	picture, err := cv.picture(data, m, format)
	if err != nil {
		return fmt.Errorf("%s: %w", cv.plot, err)
	}
	return replace.File(cv.plot, picture.Write)
}

// workers returns how many goroutines to divide so many tasks among; 0 threads are all there are.
func workers(threads, tasks int) int {
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	return min(threads, tasks)
}

// measure is what train and valid are of a point.
func measure(m *pegasos.Model) string {
	if m.Classes == nil {
		return "rmse"
	}
	return "accuracy"
}

func (cv *curve) table(w io.Writer, m *pegasos.Model) error {
	t := csv.NewWriter(w)
	t.Write([]string{"epoch", "steps", "seconds", "objective", "dual_objective", "gap", "train_" + measure(m), "valid_" + measure(m)})
	for _, p := range cv.points {
		line := []string{"", strconv.FormatInt(p.result.Steps, 10)}
		for _, v := range []float64{p.seconds, p.result.Objective, p.result.DualObjective, p.result.Gap, p.train, p.valid} {
			if math.IsNaN(v) {
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

func (cv *curve) picture(data string, m *pegasos.Model, format string) (*chart.Picture, error) {
	n := len(cv.points)
	steps, objective, bound, gap := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	train, valid := make([]float64, n), make([]float64, n)
	for i, p := range cv.points {
		steps[i] = float64(p.result.Steps)
		objective[i], bound[i], gap[i] = p.result.Objective, p.result.DualObjective, 100*p.result.Gap
		train[i], valid[i] = p.train, p.valid
	}
	objectives := chart.Panel{Label: "objective", Band: true, Lines: []chart.Line{{Name: "objective", Values: objective}, {Name: "lower bound on the optimum", Values: bound}}}
	if least := slices.Min(objective); slices.Max(objective) > 10*least {
		objectives.Label, objectives.Log = "objective (log)", true
		for i, b := range bound {
			if b < least/10 {
				bound[i] = math.NaN() // far below the picture
			}
		}
	}
	fits := chart.Panel{Label: "RMSE", Lines: []chart.Line{{Name: "training rows", Values: train}, {Name: "validation rows", Values: valid}}}
	if m.Classes != nil {
		fits.Label = "accuracy, %"
		for i := range train {
			train[i], valid[i] = 100*train[i], 100*valid[i]
		}
	}
	kind := ""
	if len(m.Classes) > 2 {
		kind = fmt.Sprintf(" %s,", m.Config.Multiclass)
	}
	title := fmt.Sprintf("%s: %s loss,%s lambda %.6g", shortName(data), m.Config.Loss, kind, m.Lambda)
	return chart.Curves(title, "steps (log)", steps, []chart.Panel{
		objectives,
		{Label: "gap, % (log)", Log: true, Lines: []chart.Line{{Name: "most that the objective can be above the optimum", Values: gap}}},
		fits,
	}, format)
}
