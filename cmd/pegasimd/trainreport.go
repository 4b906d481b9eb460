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
	"github.com/pegasimd/pegasimd/internal/text/tables"
	"github.com/pegasimd/pegasimd/internal/train/newton"
	"github.com/pegasimd/pegasimd/modelio"
	"github.com/pegasimd/pegasimd/pegasos"
)

func newTrainReport(r *linearRun) *trainReport {
	m, of := r.result, r.result.Result
	report := &trainReport{
		runReport: linearModel{m}.run(), advice: advice(m, r.reader.encoder, r.keep.from != nil),
		C: number(r.penaltyC()), Replaced: of.Replaced, Seed: m.Config.Seed,
		Train: r.training.Seconds(), Measure: r.measuring.Seconds(), Interrupted: r.interrupted != nil,
		TolReached: tolReached(r.cfg.Tol, of.Gap, r.interrupted != nil),
		Validation: r.validation(), Settings: settingsOf(m, r.reader.encoder), Curve: r.curve.points,
		Config: m.Config, started: m.Start != "", calibrates: m.Config.Calibrate > 0,
	}
	report.describe(r.set, m, r.model, r.loading)
	if r.interrupted == nil {
		report.Fit = newFitReport(m, r.curve.rows, r.reader.opt.Threads)
		r.warn(report.Fit.warnings(m)...)
		report.CrossValidated = of.CrossValidated
	}
	if r.held != nil {
		report.HeldOut = r.held.report
		report.heldOut, report.HeldOutEstimate = r.held, of.HeldOut
	}
	r.warn(report.replacedWarning(m)...)
	report.settled(r.reader, r.set, m.Config.Multiclass)
	return report
}

// nearOptimal is a relative gap below which better weights can't improve a model much.
const nearOptimal = 1e-4

// replacedWarning is silent about weights that were replaced by nearly optimal ones.
func (r *trainReport) replacedWarning(m *pegasos.Model) []string {
	gap := m.Result.Gap
	if worst, k := m.Result.WorstGap(); k >= 0 {
		gap = worst
	}
	if r.Replaced == 0 || gap <= nearOptimal {
		return nil
	}
	than, try := "weights of 0", ""
	if m.Prior != "" {
		than = "the prior"
	}
	if m.Start != "" {
		than = "the start model or " + than
	}
	if r.advice != "" {
		try = "; " + r.advice + " may help"
	}
	return []string{fmt.Sprintf("in %s training ended with a larger objective than %s: the model "+
		"keeps better weights%s", count(r.Replaced, "problem"), than, try)}
}

func (r *trainReport) describe(
	set *dataset.Set, m modelio.Predictor, name string, loading time.Duration,
) {
	r.Rows, r.Features, r.NNZ, r.Layout = set.Rows(), set.Cols(), set.NNZ(), string(set.Layout())
	r.Labels = predictions.ClassNames(m)
	r.Classes, r.IndexBase = len(r.Labels), m.Head().IndexBase
	r.Model, r.ModelHash, r.ISA = name, m.Hash(), asm.Active().String()
	r.LoadSeconds = loading.Seconds()
}

// penaltyC returns NaN for one-vs-one of several pairs without -c: each pair then has its own C.
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

func (r *trainReport) print(w io.Writer, cfg pegasos.Config) {
	lambda := fmt.Sprintf("lambda %.6g (C %.6g)", r.Lambda, float64(r.C))
	if cfg.Multiclass == pegasos.OneVsOne && r.Classes > 2 {
		if lambda = fmt.Sprintf("lambda %.6g", r.Lambda); cfg.C != 0 {
			lambda = fmt.Sprintf("C %.6g in each pair", cfg.C)
		}
	}
	fmt.Fprintln(w, r.Settings)
	several := r.Classes > 2 && !cfg.Multiclass.Joint()
	fmt.Fprintf(w, "%s, %s%s, %s, seed %d\n", lambda, epochCount(r.Epochs), bySolver(r.Solver),
		stepCount(r.Steps, several, r.started), r.Seed)
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

// bySolver returns, in parentheses, the solvers that ran besides Pegasos steps.
func bySolver(solver string) string {
	solver = strings.TrimPrefix(strings.TrimPrefix(solver, "steps"), ", ")
	if solver == "" {
		return ""
	}
	return " (" + strings.NewReplacer("dual", "dual descent", "newton", "Newton's method").
		Replace(solver) + ")"
}

func (r *linearRun) validation() *validationReport {
	m, valid := r.result, r.trainer.Valid
	if valid == nil {
		return nil
	}
	v := &validationReport{
		Metric: "accuracy", Value: number(fit(m, valid, r.reader.opt.Threads)),
		Rows: valid.X.Rows(), Epochs: m.Result.Epochs, weighted: valid.Weights != nil,
	}
	if m.Classes == nil {
		v.Metric = "rmse"
	}
	if r.ended && r.interrupted == nil && m.Config.Patience > 0 && m.Config.Calibrate == 0 {
		v.Stopped = r.epochs
	}
	return v
}

func tolReached(tol, gap float64, interrupted bool) *bool {
	if tol == 0 || interrupted {
		return nil
	}
	return new(gap <= tol)
}

func (r *trainReport) printStop(w io.Writer, cfg pegasos.Config) {
	if r.TolReached != nil && !*r.TolReached {
		fmt.Fprintf(w, "-tol %v was not reached", cfg.Tol)
		if cfg.Patience > 0 { // -tol may have been reached after the best model
			fmt.Fprint(w, " by the model kept")
		}
		if r.advice != "" {
			fmt.Fprintf(w, ": %s may come closer", r.advice)
		}
		fmt.Fprintln(w)
	}
	v := r.Validation
	if v == nil {
		return
	}
	value := fmt.Sprintf("accuracy %.4f %%", 100*v.Value)
	if v.Metric == "rmse" {
		value = "RMSE " + v.Value.String()
	}
	if v.weighted {
		value += " by weight"
	}
	fmt.Fprintf(w, "validation %s on %s", value, count(v.Rows, "row"))
	if cfg.Patience > 0 && !r.Interrupted {
		fmt.Fprintf(w, ", the best, after %s", epochCount(v.Epochs))
	}
	if v.Stopped > 0 {
		fmt.Fprintf(w, "; the run ended early, after %s", count(v.Stopped, "epoch"))
	}
	fmt.Fprintln(w)
}

func (r *trainReport) printObjective(w io.Writer) {
	objective, gap := float64(r.Objective), float64(r.Gap)
	if r.Interrupted && !math.IsNaN(objective) {
		fmt.Fprintln(w, "interrupted in the folds of -proba: the model has no probabilities")
	}
	switch {
	case r.Interrupted && math.IsNaN(objective):
		also := ""
		if r.calibrates {
			also = ", and it has no probabilities"
		}
		fmt.Fprintf(w, "interrupted: the model is the one trained so far; its objective was not "+
			"measured%s\n", also)
	case math.IsNaN(gap):
		fmt.Fprintf(w, "objective %.8g; %s with these settings\n", objective, proof.Standing(gap))
	case !proof.Useful(gap):
		fmt.Fprintf(w, "objective %.8g; no useful bound yet on its distance from the optimum",
			objective)
		if r.advice != "" {
			fmt.Fprintf(w, ": %s may bring one", r.advice)
		}
		fmt.Fprintln(w)
	default:
		fmt.Fprintf(w, "objective %.8g, %s", objective, proof.Standing(gap))
		if gap > largeGap && r.advice != "" {
			fmt.Fprintf(w, ": %s may reduce it, but need not improve predictions", r.advice)
		}
		fmt.Fprintln(w)
	}
}

const largeGap = 0.1

// advice returns flags that may give a model like m a smaller gap; "" if there are none, or with
// -patience. A resumed run can only be made longer. e may be nil.
func advice(m *pegasos.Model, e *tables.Encoder, resumed bool) string {
	cfg, more, penalty := m.Config, longer(m.Config.Steps), "a larger -lambda"
	if cfg.C != 0 {
		penalty = "a smaller -c"
	}
	reached := cfg.Tol > 0 && m.Result.Gap <= cfg.Tol
	byNewton := cfg.Finish == pegasos.FinishNewton || strings.Contains(m.Result.Solver, "newton")
	converged := byNewton && m.Result.Epochs < float64(cfg.Epochs)
	switch {
	case cfg.Patience > 0, resumed && (reached || converged):
		return ""
	case resumed:
		return more
	case reached:
		return "a smaller -tol"
	case converged:
		if cfg.Scale == pegasos.ScaleNone && m.Start == "" && m.Prior == "" &&
			(e == nil || e.Raw) { // other encoders scale columns
			return "-scale standard, or " + penalty + ","
		}
		return penalty
	case byNewton:
		return more + ", or " + penalty + ","
	case m.Result.Epochs <= 2: // too few for another solver to be better
		return more
	}
	if cfg.Finish = pegasos.FinishNewton; len(m.Weights[0]) <= newton.MaxColumns &&
		cfg.Validate() == nil {
		return more + ", or -finish newton,"
	}
	if m.Config.Finish == pegasos.FinishAuto {
		return more + ", or " + penalty + ","
	}
	cfg.Finish = pegasos.FinishAuto
	if m.Prior == "" && cfg.Validate() == nil {
		return more + ", or -finish auto,"
	}
	return more
}

func longer(steps int64) string {
	if steps != 0 {
		return "more -steps"
	}
	return "more -epochs"
}

func (r *trainReport) printModel(w io.Writer) {
	fmt.Fprintf(w, "model %s, hash %.16s...\n", escape.Name(r.Model), r.ModelHash)
	if r.Command != "" {
		fmt.Fprintf(w, "resolved: %s\n", escape.Text(r.Command))
	}
}

func (r *trainReport) settled(d *dataReader, set *dataset.Set, multiclass pegasos.Multiclass) {
	r.Warnings = d.call.warnings
	if set.Form != nil {
		words := d.resolved(set, multiclass, true)
		if from := d.call.flags.Resume; from != "" { // the checkpoint has the settings
			words = append(words, "-resume", from)
		}
		r.Command = d.call.commandLine(append(words, d.call.trainArguments()...))
	}
}

type trainReport struct {
	runReport
	C           number            `json:"c"` // null with -kernel, and if each pair has its own C
	Rows        int               `json:"rows"`
	Features    int               `json:"features"`
	NNZ         int               `json:"nnz"`
	Classes     int               `json:"classes"`
	Labels      []string          `json:"labels"`
	Replaced    int               `json:"replaced,omitempty"` // see pegasos.Result
	LoadSeconds float64           `json:"load_seconds"`
	Train       float64           `json:"train_seconds"`
	Measure     float64           `json:"measure_seconds"`
	ISA         string            `json:"isa"`
	Layout      string            `json:"layout"`
	Seed        uint64            `json:"seed"`
	IndexBase   int               `json:"index_base"`
	ModelHash   string            `json:"model_hash"`
	Model       string            `json:"model"`
	Interrupted bool              `json:"interrupted"`
	TolReached  *bool             `json:"tol_reached,omitempty"` // missing if unknown
	Validation  *validationReport `json:"validation,omitempty"`
	Settings    string            `json:"settings,omitempty"`
	Fit         *fitReport        `json:"fit,omitempty"`
	// CrossValidated is the estimate of folds that chose settings.
	CrossValidated *pegasos.Estimate `json:"cross_validated,omitempty"`
	// These concern the rows of -holdout.
	HeldOutEstimate *pegasos.Estimate `json:"held_out,omitempty"`
	HeldOut         *evalReport       `json:"held_out_eval,omitempty"`
	Warnings        []string          `json:"warnings,omitempty"`
	Command         string            `json:"command,omitempty"`
	Curve           []curvePoint      `json:"curve,omitempty"`
	*kernelReport
	Config any `json:"config"` // a pegasos.Config, or with -kernel a kernelsvm.Config

	advice     string
	started    bool // with -start; Steps then includes the start model's steps
	calibrates bool // after training
	heldOut    *heldOut
}

type kernelReport struct {
	Problems     int   `json:"problems"`
	SupportRows  int   `json:"support_rows"`
	Passes       int   `json:"passes"`
	KernelValues int64 `json:"kernel_values"`
}

type validationReport struct {
	Metric string  `json:"metric"` // accuracy or rmse
	Value  number  `json:"value"`
	Rows   int     `json:"rows"`
	Epochs float64 `json:"epochs"` // epochs of training of the measured model

	// Stopped is the epoch at which -patience ended the run, or 0.
	Stopped int `json:"stopped_after_epochs"`

	weighted bool // by -valid-weights
}
