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

// What the reports of all kinds of training have.
type (
	objectiveReport struct {
		Objective     number  `json:"objective"`
		DualObjective number  `json:"dual_objective"`
		Gap           number  `json:"gap"`
		Lambda        float64 `json:"lambda"`
		worstReport

		advice string // what brings a better bound
	}
	// worstReport is about the problem of the largest gap, where there are several.
	worstReport struct {
		WorstGap   *number `json:"worst_gap,omitempty"`
		WorstClass string  `json:"worst_class,omitempty"`
	}
	sizeReport struct {
		Rows     int      `json:"rows"`
		Features int      `json:"features"`
		NNZ      int      `json:"nnz"`
		Classes  int      `json:"classes"`
		Labels   []string `json:"labels"`
	}
	outcomeReport struct {
		ISA         string `json:"isa"`
		Layout      string `json:"layout"`
		Seed        uint64 `json:"seed"`
		IndexBase   int    `json:"index_base"`
		ModelHash   string `json:"model_hash"`
		Model       string `json:"model"`
		Interrupted bool   `json:"interrupted"`
	}
)

func newSizeReport(set *dataset.Set, labels []string) sizeReport {
	return sizeReport{set.Rows(), set.Cols(), set.NNZ(), len(labels), labels}
}

// trainReport is what train -json writes.
type trainReport struct {
	objectiveReport
	C number `json:"c"` // null with -multiclass ovo and without -c: each pair has its own
	sizeReport
	Steps          int64   `json:"steps"`
	Epochs         float64 `json:"epochs"`
	Violations     int64   `json:"violations"`
	Replaced       int     `json:"replaced,omitempty"` // as in pegasos.Result
	R2             float64 `json:"r2"`
	T0             float64 `json:"t0"`
	LoadSeconds    float64 `json:"load_seconds"`
	TrainSeconds   float64 `json:"train_seconds"`
	MeasureSeconds float64 `json:"measure_seconds"`
	StepsPerSecond float64 `json:"steps_per_second"`
	outcomeReport

	stopReport
	Settings string         `json:"settings"` // what was chosen or given, in a line
	Fit      *fitReport     `json:"fit,omitempty"`
	Warnings []string       `json:"warnings,omitempty"`
	Config   pegasos.Config `json:"config"`
	Path     []pathPoint    `json:"path,omitempty"` // with -lambdas
}

func newTrainReport(r *linearRun) *trainReport {
	m, of := r.result, r.result.Result
	multiclass := m.Config.Multiclass
	pairs := multiclass == pegasos.OneVsOne && len(m.Classes) > 2
	steps := r.taken - r.keep.before // of this run, of all vectors
	if multiclass != pegasos.OneVsOne && !multiclass.Joint() {
		steps *= int64(len(m.Weights))
	}
	weight := of.Weight
	if weight == 0 {
		weight = float64(r.set.Rows())
	}
	c := 1 / (m.Lambda * weight)
	if r.cfg.C != 0 {
		c = r.cfg.C
	} else if pairs {
		c = math.NaN()
	}
	report := &trainReport{
		objectiveReport: newObjectiveReport(m),
		C:               number(c), sizeReport: newSizeReport(r.set, predictions.ClassNames(m)),
		Steps: of.Steps, Epochs: of.Epochs, Violations: of.Violations, Replaced: of.Replaced,
		R2: of.R2, T0: of.T0,
		LoadSeconds: r.times.loading.Seconds(), TrainSeconds: r.times.training.Seconds(),
		MeasureSeconds: r.times.measuring.Seconds(),
		StepsPerSecond: float64(steps) / r.times.training.Seconds(),
		outcomeReport: outcomeReport{
			asm.Active().String(), string(r.set.Layout()), m.Config.Seed, m.IndexBase, m.Hash(),
			r.model, r.interrupted != nil,
		},
		stopReport: newStopReport(r), Settings: m.Settings(), Config: m.Config,
		Path: r.points,
	}
	if r.interrupted == nil {
		report.Fit = newFitReport(m, r.set, r.trainer.Weights, r.reader.opt.Threads)
		report.Warnings = report.Fit.warnings(m, r.set.Rows())
	}
	return report
}

func (r *trainReport) print(w io.Writer) {
	lambda := fmt.Sprintf("lambda %.6g (C %.6g)", r.Lambda, float64(r.C))
	if r.Config.Multiclass == pegasos.OneVsOne && r.Classes > 2 {
		if lambda = fmt.Sprintf("lambda %.6g", r.Lambda); r.Config.C != 0 {
			lambda = fmt.Sprintf("C %.6g in each pair", r.Config.C)
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
