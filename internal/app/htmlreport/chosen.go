package htmlreport

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/text/tables"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm"
)

var lossWords = map[pegasos.Loss]string{
	pegasos.Hinge:          "seeks a wide margin between the classes; scores are not probabilities",
	pegasos.SquaredHinge:   "seeks a wide margin between the classes, and counts large mistakes more",
	pegasos.Log:            "logistic regression, which gives probabilities",
	pegasos.Squared:        "ridge regression: least squares with a penalty",
	pegasos.EpsInsensitive: "ignores errors up to epsilon; of larger errors the excess counts",
}

var schemeWords = map[pegasos.Multiclass][2]string{
	pegasos.OneVsRest:     {"one-vs-rest", "each class against all others; the highest score wins"},
	pegasos.OneVsOne:      {"one-vs-one", "each pair of classes votes"},
	pegasos.CrammerSinger: {"Crammer-Singer", "one joint problem; the highest score wins"},
	pegasos.Multinomial:   {"multinomial", "one joint problem, with probabilities"},
}

var scaleWords = map[pegasos.Scale][2]string{
	pegasos.ScaleNone: {"none", "features are not scaled"},
	pegasos.ScaleStandard: {"mean 0, standard deviation 1",
		"so that units do not matter"},
	pegasos.ScaleMaxAbs: {"largest magnitude 1", "so that zeros stay 0"},
	pegasos.ScaleUnit:   {"rows of length 1", "so that long and short rows count alike"},
}

const lambdaWords = "the weight of the penalty on large weights"

func (v *view) chosen() {
	add := func(name, value, why string) { v.Chosen = append(v.Chosen, fact{name, value, why}) }
	var multiclass pegasos.Multiclass
	switch m := v.Predictor.(type) {
	case *pegasos.Model:
		cfg := m.Config
		multiclass = cfg.Multiclass
		add("Loss", string(cfg.Loss), lossWords[cfg.Loss])
		scale := scaleWords[cfg.Scale]
		note := ""
		if s := m.Scaling; s != nil {
			note = s.Note
		}
		e, err := tables.Decode(m.Table)
		if err == nil && e != nil && !e.Raw && cfg.Scale == pegasos.ScaleNone {
			scale = [2]string{"columns of numbers and dates", scaleWords[pegasos.ScaleStandard][1]}
			if !slices.ContainsFunc(e.Columns, func(c tables.Column) bool { return c.Number != nil }) {
				scale = [2]string{}
			}
		}
		if scale[0] != "" {
			add("Scaling", scale[0], scale[1])
		}
		why := lambdaWords
		if m.Result.CrossValidated != nil {
			why += "; compared with other values by cross-validation"
		}
		own := m.Result.Steps > 0 // else the model is another program's
		pairs := multiclass == pegasos.OneVsOne && v.Known > 2
		switch {
		case own && pairs && cfg.C != 0:
			v.addPairC(cfg.C)
		case own:
			add("Lambda", strconv.FormatFloat(m.Lambda, 'g', 3, 64), why)
		}
		if s := m.Scaling; s != nil && s.Expansion != nil {
			add("Curves", fmt.Sprintf("%s, %s", cfg.Curves, count(s.Expansion.Len(), "column")),
				"functions of the columns of numbers, so that predictions need not be linear")
		}
		if m.Calibration != nil {
			how := "by Platt's method"
			if cfg.Calibrate > 0 {
				how += " on folds of the training rows"
			}
			add("Probabilities", "calibrated", how)
		}
		if own {
			steps := count(int(m.Result.Steps), "step")
			if v.Known > 2 && !multiclass.Joint() { // the largest number of a problem
				steps = "up to " + steps + " a problem"
			}
			add("Run", fmt.Sprintf("%s, passes: %.4g, seed: %d", steps, m.Result.Epochs, cfg.Seed), "")
		}
		if note != "" {
			add("Notes on the choice", note, "")
		}
		if e := m.Result.CrossValidated; e != nil {
			value, stdErr := figures(e)
			v.Estimate = fmt.Sprintf("The model's file claims that settings were chosen by "+
				"cross-validation with %s, and that the best had an %s of %s ± %s. This is a little "+
				"optimistic, as the best of several.", count(e.Folds, "fold"), metricName(e), value, stdErr)
		}
	case *kernelsvm.Model:
		multiclass = m.Config.Multiclass
		add("Kernel", string(m.Config.Kernel), "")
		if m.Config.Gamma != 0 {
			add("Gamma", strconv.FormatFloat(m.Config.Gamma, 'g', 4, 64), "")
		}
		if multiclass == pegasos.OneVsOne && v.Known > 2 && m.Config.C != 0 {
			v.addPairC(m.Config.C)
		} else {
			add("Lambda", strconv.FormatFloat(m.Lambda, 'g', 3, 64), lambdaWords)
		}
		add("Support rows", thousands(m.SupportRows().Rows()), "training rows that the model keeps")
	}
	if scheme := schemeWords[multiclass]; v.Known > 2 && scheme[0] != "" {
		add("Classes", scheme[0], scheme[1])
	}
}

// C gives each pair of classes its own lambda.
func (v *view) addPairC(c float64) {
	v.Chosen = append(v.Chosen, fact{"C", strconv.FormatFloat(c, 'g', 3, 64) + " in each pair",
		"the weight of the loss against the penalty; each pair has its own lambda"})
}

func figures(e *pegasos.Estimate) (value, stdErr string) {
	if e.Metric == proof.R2 {
		return share(e.Value), share(e.StdErr)
	}
	return percent(e.Value), percent(e.StdErr)
}

func metricName(e *pegasos.Estimate) string {
	if e.Metric == proof.R2 {
		return "R²"
	}
	return "accuracy"
}

// claims returns tiles of the accuracy or R²: the measured value, and the estimates in the
// model's file.
func (v *view) claims(name, measured string) (tiles []tile) {
	own := tile{strings.ToUpper(name[:1]) + name[1:], measured, "", "measured here on " + v.place()}
	m, linear := v.Predictor.(*pegasos.Model)
	if !linear {
		return []tile{own}
	}
	if e := m.Result.HeldOut; e != nil {
		value, stdErr := figures(e)
		note := "claimed by the model's file for " + count(e.Rows, "row") + " held out of training"
		if v.Origin == HeldOut && value == measured {
			own = tile{"Held-out " + name, value, stdErr, own.Note +
				"; the value agrees with the model's file, which has the ±"}
		} else {
			tiles = append(tiles, tile{"Held-out " + metricName(e), value, stdErr, note})
		}
	}
	if e := m.Result.CrossValidated; e != nil {
		value, stdErr := figures(e)
		tiles = append(tiles, tile{"Cross-validated " + metricName(e), value, stdErr, fmt.Sprintf(
			"claimed by the model's file; settings were chosen on the same %d folds", e.Folds)})
	}
	if v.Origin == HeldOut {
		return append([]tile{own}, tiles...)
	}
	return append(tiles, own)
}

type proofView struct {
	Claim string
	Facts []fact
}

func (v *view) prove() {
	var objective, bound, gap float64
	problems, unit := 0, ""
	switch m := v.Predictor.(type) {
	case *pegasos.Model:
		objective, bound, gap = m.Result.Objective, m.Result.DualObjective, m.Result.Gap
		problems = len(m.Result.PerClass)
		if m.Scaling != nil && m.Scaling.Spread != 0 {
			unit = ", of labels scaled for training"
		}
	case *kernelsvm.Model:
		objective, bound, gap = m.Result.Objective, m.Result.DualObjective, m.Result.Gap
		problems = len(m.Result.PerProblem)
	}
	if problems > 1 {
		unit = ", averaged over the binary problems"
	}
	p := &v.Proof
	switch {
	case math.IsNaN(objective):
		p.Claim = "The model's file has no objective, so nothing is proven."
		return
	case math.IsNaN(gap):
		p.Claim = "The model's file has no lower bound, so nothing is proven of the objective's " +
			"distance from the optimum."
	case !proof.Useful(gap):
		p.Claim = "The lower bound in the model's file is of little use: the objective may be more " +
			"than twice the optimum."
	default:
		p.Claim = fmt.Sprintf("The model's file claims that the training objective is at most %s above "+
			"the smallest objective of any weights, for the training rows and settings. The claim does "+
			"not say how good the predictions are.", proof.Percent(gap))
		most := "≤ " + proof.Percent(gap)
		if gap < 1e-5 {
			most = "< 0.001 %"
		}
		v.Tiles = append(v.Tiles, tile{"Objective above the optimum", most, "",
			"claimed by the model's file; the command to check it is below"})
	}
	p.Facts = []fact{{"Objective", strconv.FormatFloat(objective, 'g', 8, 64),
		"penalty plus mean loss on the training rows" + unit}}
	if !math.IsNaN(bound) {
		p.Facts = append(p.Facts, fact{"Lower bound", strconv.FormatFloat(bound, 'g', 8, 64),
			"the model's file claims that no weights have a smaller objective"})
	}
}
