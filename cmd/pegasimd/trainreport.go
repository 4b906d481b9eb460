package main

import (
	"fmt"
	"io"
	"math"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/predictions"
	"github.com/pegasimd/pegasimd/internal/proof"
	"github.com/pegasimd/pegasimd/internal/visible"
	"github.com/pegasimd/pegasimd/pegasos"
)

func newSizeReport(set *dataset.Set, labels []string) sizeReport {
	return sizeReport{set.Rows(), set.Cols(), set.NNZ(), len(labels), labels}
}

func newTrainReport(r *linearRun) *trainReport {
	m, of := r.result, r.result.Result
	steps := r.taken - r.keep.before // of this run, of all vectors
	if kind := m.Config.Multiclass; kind != pegasos.OneVsOne && !kind.Joint() {
		steps *= int64(len(m.Weights))
	}
	report := &trainReport{
		objectiveReport: newObjectiveReport(m), C: number(r.penaltyC()),
		sizeReport: newSizeReport(r.set, predictions.ClassNames(m)),
		Steps:      of.Steps, Epochs: of.Epochs, Violations: of.Violations, Replaced: of.Replaced,
		R2: of.R2, T0: of.T0,
		LoadSeconds: r.times.loading.Seconds(), TrainSeconds: r.times.training.Seconds(),
		MeasureSeconds: r.times.measuring.Seconds(),
		StepsPerSecond: float64(steps) / r.times.training.Seconds(),
		outcomeReport: outcomeReport{
			asm.Active().String(), string(r.set.Layout()), m.Config.Seed, m.IndexBase, m.Hash(),
			r.model, r.interrupted != nil,
		},
		stopReport: newStopReport(r), Settings: m.Settings(), Config: m.Config,
	}
	if r.interrupted == nil {
		report.Fit = newFitReport(m, r.set, r.trainer.Weights, r.reader.opt.Threads)
		report.Warnings = report.Fit.warnings(m, r.set.Rows())
	}
	return report
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
	fmt.Fprintf(w, "%s, %.4g epochs, %d steps, seed %d\n", lambda, r.Epochs, r.Steps, r.Seed)
	fmt.Fprintf(w, "trained in %.3g s with %s kernels: %.3g steps/s\n",
		r.TrainSeconds, r.ISA, r.StepsPerSecond)
	r.printObjective(w, r.Interrupted)
	if r.Fit != nil {
		fmt.Fprintln(w, r.Fit)
	}
	for _, warning := range r.Warnings {
		fmt.Fprintln(w, "warning:", warning)
	}
	if r.Replaced > 0 {
		fmt.Fprintf(w, "%d of the problems ended worse than they began: their weights are those of "+
			"the start, the prior or 0, or the last iterate, whichever is best; more -epochs or "+
			"-scale may help\n", r.Replaced)
	}
	r.printModel(w)
	r.printStop(w, cfg)
}

// newStopReport measures the model on the data of -valid.
func newStopReport(r *linearRun) (s stopReport) {
	m := r.result
	s.TolReached = tolReached(r.cfg.Tol, m.Result.Gap, r.interrupted != nil)
	if valid := r.trainer.Valid; valid != nil {
		s.Validation = &validationReport{
			Metric: metricName(m), Value: number(fit(m, valid, r.reader.opt.Threads)),
			Rows: valid.X.Rows(), Epochs: m.Result.Epochs,
		}
		if r.ended && m.Config.Patience > 0 && m.Config.Calibrate == 0 {
			s.Validation.Stopped = r.epochs
		}
	}
	return s
}

// tolReached returns whether a gap is as small as is wanted, nil if none is.
func tolReached(tol, gap float64, interrupted bool) *bool {
	if tol == 0 || interrupted {
		return nil
	}
	reached := gap <= tol
	return &reached
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

func newObjectiveReport(m *pegasos.Model) objectiveReport {
	of := m.Result
	return objectiveReport{
		number(of.Objective), number(of.DualObjective), number(of.Gap), m.Lambda,
		newWorstReport(of, len(m.Weights), linearModel{m}.problemName), advice(m),
	}
}

func (o *objectiveReport) printObjective(w io.Writer, interrupted bool) {
	objective, gap := float64(o.Objective), float64(o.Gap)
	switch {
	case interrupted:
		fmt.Fprintln(w,
			"interrupted: the model is that of the steps so far, its objective was not measured")
	case math.IsNaN(gap):
		fmt.Fprintf(w, "objective %.8g; %s with these settings\n", objective, proof.Standing(gap))
	case !proof.Useful(gap):
		fmt.Fprintf(w, "objective %.8g; no useful bound yet on its distance from the optimum: "+
			"%s would bring one\n", objective, o.advice)
	default:
		fmt.Fprintf(w, "objective %.8g, %s%s\n", objective, proof.Standing(gap), o.worstReport)
	}
}

// newWorstReport returns that of the worst of so many problems, of which name has the names.
func newWorstReport(
	of interface{ WorstGap() (gap float64, k int) }, problems int, name func(k int) string,
) (r worstReport) {
	gap, k := of.WorstGap()
	if k < 0 || k >= problems || problems < 2 {
		return r
	}
	worst := number(gap)
	return worstReport{&worst, name(k)}
}

// String is what follows an objective and its gap.
func (r worstReport) String() string {
	if r.WorstGap == nil {
		return ""
	}
	return fmt.Sprintf("; worst class %s, %s", visible.Name(r.WorstClass),
		proof.Standing(float64(*r.WorstGap)))
}

// newtonColumns is the number of features up to which -finish newton is worth a try on any rows.
const newtonColumns = 2000

// advice says what would bring a model like m a better bound.
func advice(m *pegasos.Model) string {
	cfg := m.Config
	if cfg.Finish == pegasos.FinishNewton && m.Result.Epochs < float64(cfg.Epochs) {
		if cfg.Scale == pegasos.ScaleNone {
			return "-scale standard, or a larger -lambda,"
		}
		return "a larger -lambda"
	}
	if cfg.Finish = pegasos.FinishNewton; m.Cols() <= newtonColumns && cfg.Validate() == nil {
		return "more -epochs, or -finish newton,"
	}
	cfg.Finish = pegasos.FinishAuto
	if m.Prior == "" && cfg.Validate() == nil {
		return "more -epochs, or -finish auto,"
	}
	return "more -epochs"
}

func (o *outcomeReport) printModel(w io.Writer) {
	fmt.Fprintf(w, "model %s, hash %.16s...\n", visible.Name(o.Model), o.ModelHash)
}
