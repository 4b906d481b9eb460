package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/app/predictions"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/train/newton"
	"github.com/pegasimd/pegasimd/modelio"
	"github.com/pegasimd/pegasimd/pegasos"
)

func newTrainReport(r *linearRun) *trainReport {
	m, of := r.result, r.result.Result
	report := &trainReport{
		runReport: linearModel{m}.run(), advice: advice(m),
		C: number(r.penaltyC()), Replaced: of.Replaced, Seed: m.Config.Seed,
		Train: r.training.Seconds(), Measure: r.measuring.Seconds(), Interrupted: r.interrupted != nil,
		TolReached: tolReached(r.cfg.Tol, of.Gap, r.interrupted != nil),
		Validation: r.validation(), Settings: m.Settings(), Curve: r.curve.points, Config: m.Config,
	}
	report.describe(r.set, m, r.model, r.loading)
	if r.interrupted == nil {
		report.Fit = newFitReport(m, r.curve.rows, r.reader.opt.Threads)
		r.warn(report.Fit.warnings(m, r.set.Rows())...)
		report.CrossValidated = of.CrossValidated
	}
	if r.held != nil {
		report.HeldOut = r.held.report
		report.heldOut, report.HeldOutEstimate = r.held, of.HeldOut
	}
	if n := report.Replaced; n > 0 {
		r.warn(fmt.Sprintf("in %s (one for each class or pair) training ended worse than it began, so "+
			"that the best of the weights at the start, those of the last step and 0 were kept: more "+
			"-epochs, or -scale, may help", count(n, "problem")))
	}
	report.settled(r.reader, r.set, m.Config.Multiclass)
	return report
}

func (m linearModel) run() runReport {
	of := m.Result
	return runReport{
		number(of.Objective), number(of.DualObjective), number(of.Gap), m.Lambda,
		newWorstReport(of, len(m.Weights), m.problemName),
		of.Steps, of.Epochs, of.Violations, of.Solver, of.R2, of.T0,
	}
}

// describe sets what there is of all kinds of models and their data.
func (r *trainReport) describe(
	set *dataset.Set, m modelio.Predictor, name string, loading time.Duration,
) {
	r.Rows, r.Features, r.NNZ, r.Layout = set.Rows(), set.Cols(), set.NNZ(), string(set.Layout())
	r.Labels = predictions.ClassNames(m)
	r.Classes, r.IndexBase = len(r.Labels), m.Head().IndexBase
	r.Model, r.ModelHash, r.ISA = name, m.Hash(), asm.Active().String()
	r.LoadSeconds = loading.Seconds()
}

// penaltyC returns the C of the run, NaN if each pair of classes has its own.
func (r *linearRun) penaltyC() float64 {
	m := r.result
	weight := m.Result.Weight
	if weight == 0 {
		weight = float64(r.set.Rows())
	}
	switch {
	case r.cfg.C != 0:
		return r.cfg.C
	case m.Config.Multiclass == pegasos.OneVsOne && len(m.Classes) > 2:
		return math.NaN()
	}
	return 1 / (m.Lambda * weight)
}

// print writes the report of a linear model for people.
func (r *trainReport) print(w io.Writer, cfg pegasos.Config) {
	lambda := fmt.Sprintf("lambda %.6g (C %.6g)", r.Lambda, float64(r.C))
	if cfg.Multiclass == pegasos.OneVsOne && r.Classes > 2 {
		if lambda = fmt.Sprintf("lambda %.6g", r.Lambda); cfg.C != 0 {
			lambda = fmt.Sprintf("C %.6g in each pair", cfg.C)
		}
	}
	fmt.Fprintln(w, r.Settings)
	fmt.Fprintf(w, "%s, %.4g epochs%s, %d steps, seed %d\n", lambda, r.Epochs, bySolver(r.Solver),
		r.Steps, r.Seed)
	fmt.Fprintf(w, "trained in %.3g s with %s kernels\n", r.Train, r.ISA)
	r.printObjective(w)
	if r.Fit != nil {
		fmt.Fprintln(w, r.Fit)
	}
	if line := estimateLine(r.CrossValidated); line != "" {
		fmt.Fprintln(w, line)
	}
	r.printModel(w)
	r.printStop(w, cfg)
	if r.HeldOut != nil {
		r.heldOut.print(w, r.HeldOutEstimate)
	}
}

// bySolver says of epochs what they were of, unless they were Pegasos's.
func bySolver(solver string) string {
	solver = strings.TrimPrefix(strings.TrimPrefix(solver, "steps"), ", ")
	if solver == "" {
		return ""
	}
	return " (" + strings.NewReplacer("dual", "dual descent", "newton", "Newton's method").
		Replace(solver) + ")"
}

// validation measures the model on the data of -valid, if there are any.
func (r *linearRun) validation() *validationReport {
	m, valid := r.result, r.trainer.Valid
	if valid == nil {
		return nil
	}
	v := &validationReport{
		Metric: "accuracy", Value: number(fit(m, valid, r.reader.opt.Threads)),
		Rows: valid.X.Rows(), Epochs: m.Result.Epochs,
	}
	if m.Classes == nil {
		v.Metric = "rmse"
	}
	if r.ended && m.Config.Patience > 0 && m.Config.Calibrate == 0 {
		v.Stopped = r.epochs
	}
	return v
}

// tolReached returns whether a gap is as small as is wanted, nil if none is.
func tolReached(tol, gap float64, interrupted bool) *bool {
	if tol == 0 || interrupted {
		return nil
	}
	return new(gap <= tol)
}

// printStop says whether the run has ended as its stopping rules want it.
func (r *trainReport) printStop(w io.Writer, cfg pegasos.Config) {
	if r.TolReached != nil && !*r.TolReached {
		fmt.Fprintf(w, "-tol %v was not reached: %s would come closer\n", cfg.Tol, r.advice)
	}
	v := r.Validation
	if v == nil {
		return
	}
	value := fmt.Sprintf("accuracy %.4f %%", 100*v.Value)
	if v.Metric == "rmse" {
		value = "RMSE " + v.Value.String()
	}
	fmt.Fprintf(w, "validation %s on %s", value, count(v.Rows, "row"))
	if cfg.Patience > 0 {
		fmt.Fprintf(w, ", the best, after %.4g epochs", v.Epochs)
	}
	if v.Stopped > 0 {
		fmt.Fprintf(w, "; -patience %d ended the run after %d", cfg.Patience, v.Stopped)
	}
	fmt.Fprintln(w)
}

func (r *trainReport) printObjective(w io.Writer) {
	objective, gap := float64(r.Objective), float64(r.Gap)
	switch {
	case r.Interrupted:
		fmt.Fprintln(w,
			"interrupted: the model is that of the steps so far, its objective was not measured")
	case math.IsNaN(gap):
		fmt.Fprintf(w, "objective %.8g; %s with these settings\n", objective, proof.Standing(gap))
	case !proof.Useful(gap):
		fmt.Fprintf(w, "objective %.8g; no useful bound yet on its distance from the optimum: "+
			"%s would bring one\n", objective, r.advice)
	default:
		fmt.Fprintf(w, "objective %.8g, %s", objective, proof.Standing(gap))
		if gap > largeGap {
			fmt.Fprintf(w, ": %s would bring it closer; accuracy is another matter", r.advice)
		}
		fmt.Fprintln(w)
	}
}

// largeGap is one that may be of use to make smaller.
const largeGap = 0.1

// newWorstReport returns the report on the worst problem, which is empty if there is only one.
func newWorstReport(
	of interface{ WorstGap() (gap float64, k int) }, problems int, name func(k int) string,
) (r worstReport) {
	gap, k := of.WorstGap()
	if k < 0 || k >= problems || problems < 2 {
		return r
	}
	return worstReport{new(number(gap)), name(k)}
}

// String is what follows an objective and its gap.
func (r worstReport) String() string {
	if r.WorstGap == nil {
		return ""
	}
	return fmt.Sprintf("; worst class %s, %s", escape.Name(r.WorstClass),
		proof.Standing(float64(*r.WorstGap)))
}

// advice says what would bring a model like m a better bound.
func advice(m *pegasos.Model) string {
	cfg := m.Config
	if cfg.Finish == pegasos.FinishNewton && m.Result.Epochs < float64(cfg.Epochs) {
		if cfg.Scale == pegasos.ScaleNone {
			return "-scale standard, or a larger -lambda,"
		}
		return "a larger -lambda"
	}
	if cfg.Finish = pegasos.FinishNewton; len(m.Weights[0]) <= newton.MaxColumns &&
		cfg.Validate() == nil {
		return "more -epochs, or -finish newton,"
	}
	if m.Config.Finish == pegasos.FinishAuto {
		return "more -epochs, or a larger -lambda,"
	}
	cfg.Finish = pegasos.FinishAuto
	if m.Prior == "" && cfg.Validate() == nil {
		return "more -epochs, or -finish auto,"
	}
	return "more -epochs"
}

func (r *trainReport) printModel(w io.Writer) {
	fmt.Fprintf(w, "model %s, hash %.16s...\n", escape.Name(r.Model), r.ModelHash)
	if r.Command != "" {
		fmt.Fprintf(w, "resolved: %s\n", escape.Text(r.Command))
	}
}

// settled sets the warnings, and the command line that trains the model on a table again.
func (r *trainReport) settled(d *dataReader, set *dataset.Set, multiclass pegasos.Multiclass) {
	r.Warnings = d.call.warnings
	if set.Form != nil {
		r.Command = d.call.commandLine(append(d.resolved(set, multiclass, true), d.call.args...))
	}
}
