// Package rounds is training over rows that no process has all of. They are in parts, called
// shards. In a round each shard is visited once, by whoever has its rows, and gives sums over them;
// the sums of all shards, added up, make the next state, which is what the next round begins with:
//
//	part, alpha = Shard.Take(state, alpha)         each shard, anywhere
//	state       = Rounds.Next(state, sum of parts)   once
//
// Both are functions of what they are given and nothing else. The sums are integers, so that they
// may be added in any order, as often as it takes: a sum over a block of Block rows, which is
// found in float64 in the rows' order, is rounded once to a multiple of 2^-q, where
//
//	q = 61 - exponent of (rows of all shards times a bound on the addends)
//
// and the bounds are known before the round. So a shard has to begin with a multiple of Block
// rows, and where the rows are cut into shards does not matter to the sums.
//
// There are two methods. Newton's, that of internal/train/newton, finds the margins anew in each
// pass: nothing is kept of the rows, and the result is the same to the bit for any number of
// shards. Its steps cost work with the square of the columns, and there are some tens of them. The
// dual method, CoCoA+ (Ma, Smith, Jaggi, Jordan, Richtarik and Takac, ICML 2015), takes a pass of
// dual coordinate ascent over each shard, as if all together changed sigma' times as much as it
// does alone; it keeps the dual variables of its rows. It is for sparse rows of many columns, and
// takes the more rounds the more shards there are.
package rounds

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/internal/options"
	"github.com/pegasimd/pegasimd/internal/scaling"
	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/internal/train/choose"
	"github.com/pegasimd/pegasimd/internal/train/loss"
	"github.com/pegasimd/pegasimd/internal/train/newton"
	"github.com/pegasimd/pegasimd/internal/train/settings"
	"github.com/pegasimd/pegasimd/pegasos"
)

// Block is the number of rows of a block: the first row of a shard is a multiple of it.
const Block = 256

// A Method is how rounds train, by the name that a Finish has.
type Method string

const (
	Newton = Method(pegasos.FinishNewton) // Newton's method, for up to some thousand columns
	Dual   = Method(pegasos.FinishDual)   // CoCoA+, for pegasos.Hinge and pegasos.SquaredHinge
)

// kinds are the losses that rounds are for.
var lossKinds = map[pegasos.Loss]loss.Kind{pegasos.Hinge: loss.Hinge,
	pegasos.SquaredHinge: loss.SquaredHinge, pegasos.Log: loss.Log}

func fieldError(field, reason string) error {
	return &pegasos.ConfigError{Field: field, Reason: reason}
}

func rowError(row int, format string, args ...any) error {
	return &pegasos.RowError{Row: row, Reason: fmt.Sprintf(format, args...)}
}

// Rounds is what everybody knows who trains over rows in shards: the settings, and bounds on the
// rows. It does not change.
type Rounds struct {
	Method  Method
	Config  pegasos.Config   // in full
	Scaling *pegasos.Scaling // of the rows; nil for as they are
	Lambda  float64          // in force
	Shards  int              // that have rows

	labels []float32
	weightedRows    float64   // that have a weight above 0
	cols    int       // columns of all rows
	vars    int       // variables of a problem: the columns, and the bias
	biasScale    float64   // the feature of the bias; 0 without one
	classWeights []float64 // of a row of each class, such that the mean over the rows is 1
	weightSum   float64   // the sum of the weights before that; 0 without weights
	allRows   int       // rows of all shards
	loss    loss.Func
	verified    *pegasos.Model // that is verified; nil for training

	scaler    *scaling.Scaler // of the rows; nil for as they are
	scale     []float64       // of each variable: a power of two that makes each value less than 1
	maxLength     float64         // no row is longer
	meanSquare        float64         // mean squared length, with the bias's feature
	maxAbs []float32       // the largest of each column, as it is; longest likewise, squared
	maxSquare   float64
	sparseHessian       bool // the rows have so few nonzeros that their products are added one by one

	// Of the sums of the zone's rows, in scaled variables: no weight's mean is above 1, and no
	// second derivative above 2, apart from 1/width.
	hessianQuantum quantum
}

// New returns the rounds of a problem whose rows have the statistics and are in the given number of
// shards, not counting those without rows. If method is empty, the columns and the loss choose it.
// These fields of cfg may be set: Loss (hinge, squared hinge, log), ClassWeight, Lambda or C, Tol
// (0 is 0.01), Bias (none, augmented), BiasScale, Scale, Seed, and Epochs, the most rounds of the
// dual method or iterations of Newton's; the statistics choose those left open.
func New(cfg pegasos.Config, method Method, s *store.Statistics, shards int) (*Rounds, error) {
	if method == "" {
		if method = Dual; s.Cols <= newton.MostColumns || cfg.Loss == pegasos.Log {
			method = Newton
		}
	}
	if err := checkConfig(cfg, method); err != nil {
		return nil, err
	}
	cfg.Finish = pegasos.Finish(method)
	options.Fill(&cfg.Tol, defaultTol)
	options.Fill(&cfg.Epochs, settings.DefaultNewtonEpochs)
	scaled, err := fillConfig(&cfg, s)
	if err != nil {
		return nil, err
	}
	r := &Rounds{Method: method, Config: cfg, Scaling: scaled, Shards: max(1, shards),
		labels: slices.Clone(s.Classes), cols: s.Cols, vars: s.Cols, allRows: s.Rows,
		loss: loss.Func{Kind: lossKinds[cfg.Loss]}}
	if c := scaled; c != nil {
		r.scaler = &scaling.Scaler{Kind: string(c.Kind), Shift: c.Shift, Factor: c.Factor}
	}
	if cfg.Bias == pegasos.BiasAugmented {
		r.biasScale = cfg.BiasScale
		r.vars++
	}
	if err := cmp.Or(r.setWeights(s), r.setBounds(s)); err != nil {
		return nil, err
	}
	var rule options.Rule
	r.Lambda, rule = options.LambdaFor(cfg.Lambda, cfg.C, cmp.Or(r.weightSum, r.weightedRows))
	r.Config.Lambda, r.Config.C = r.Lambda, 0
	return r, options.First(fieldError,
		[]options.Rule{rule, options.LambdaFits(r.Lambda, 0, r.meanSquare)})
}

// chooseFrom fills in the fields that cfg leaves open, and returns how the rows are to be scaled;
// nil for as they are.
func fillConfig(cfg *pegasos.Config, s *store.Statistics) (*pegasos.Scaling, error) {
	var open choose.Open
	settings.Copy(&open.Settings, *cfg)
	c, err := choose.FromStatistics(open, s)
	if rule, ok := err.(options.Rule); ok {
		return nil, fieldError(rule.Field, rule.Reason)
	}
	if err != nil {
		return nil, err
	}
	settings.Copy(cfg, c.Settings)
	if k := c.Scale; k.Kind != scaling.None {
		return &pegasos.Scaling{Kind: pegasos.Scale(k.Kind), Folded: k.Folded, Shift: k.Shift,
			Factor: k.Factor, R2: k.R2}, nil
	}
	return nil, nil
}

// defaultRoundTol is the gap that is asked for where Config.Tol is 0.
const defaultTol = 0.01

// checkRounds returns an error if cfg asks for anything that rounds don't have.
func checkConfig(cfg pegasos.Config, method Method) error {
	classes, bias := cmp.Or(cfg.Multiclass, pegasos.OneVsRest), cmp.Or(cfg.Bias, pegasos.BiasNone)
	_, ok := lossKinds[cmp.Or(cfg.Loss, pegasos.Hinge)]
	others := settings.Beyond(cfg, settings.Round)
	const only = "have %q, but rounds are for %s"
	return options.First(fieldError, []options.Rule{
		options.OneOf("Method", method, Newton, Dual),
		options.Not("Loss", !ok, only, cfg.Loss, "hinge, squared-hinge and log"),
		options.Not("Loss", method == Dual && cfg.Loss == pegasos.Log,
			"have %q, which the dual method is not for: take Newton's", cfg.Loss),
		options.Not("Bias", bias != pegasos.BiasNone && bias != pegasos.BiasAugmented, only, bias,
			"none and augmented"),
		options.Not("Multiclass", classes != pegasos.OneVsRest, only, classes, pegasos.OneVsRest),
		options.Not("Config", len(others) > 0, "rounds go by the loss, the weights of classes, "+
			"lambda or C, the tolerance, the bias, the scale, the seed and the number of epochs "+
			"alone, not by %s", strings.Join(others, ", ")),
	})
}

// setWeights finds the weights of the classes' rows.
func (r *Rounds) setWeights(s *store.Statistics) error {
	byLabel, err := (&settings.Settings{ClassWeight: r.Config.ClassWeight}).ClassWeights()
	if err != nil {
		return err
	}
	sum := 0.0
	for k, label := range s.Classes {
		w, n := 1.0, float64(s.Counts[k])
		if c, ok := byLabel[label]; ok {
			w = c
			delete(byLabel, label)
		}
		if r.Config.ClassWeight == pegasos.Balanced && n > 0 {
			w = float64(s.Rows) / float64(float64(len(s.Counts))*n)
		}
		r.classWeights = append(r.classWeights, w)
		if w > 0 {
			sum += float64(w * n)
			r.weightedRows += n
		}
	}
	for label := range byLabel {
		return fieldError("ClassWeight", fmt.Sprintf("no row has the label %v", label))
	}
	if !(r.weightedRows > 0) {
		return fmt.Errorf("pegasos: no row has a weight above 0")
	}
	if r.Config.ClassWeight == "" {
		return nil
	}
	r.weightSum = sum
	for k := range r.classWeights {
		r.classWeights[k] /= sum / r.weightedRows
		if w := r.classWeights[k]; w > math.MaxFloat32 || w > 0 && float32(w) == 0 {
			return fieldError("ClassWeight", fmt.Sprintf("the weight of the label %v is too far "+
				"from the mean weight", r.labels[k]))
		}
	}
	return nil
}

// setBounds finds bounds on what the scaled rows have.
func (r *Rounds) setBounds(s *store.Statistics) error {
	r.maxAbs, r.maxSquare = s.MaxAbs, s.Sizes[scaling.None].MaxSquare
	for j := range r.vars {
		size := r.biasScale
		if j < r.cols {
			size = r.maxScaled(j)
		}
		_, exponent := math.Frexp(float64(size * (1 + 0x1p-20)))
		r.scale = append(r.scale, math.Ldexp(1, -exponent))
	}
	sizes, bias := s.Sizes[string(r.Config.Scale)], float64(r.biasScale*r.biasScale)
	r.meanSquare = sizes.MeanSquare + bias
	r.maxLength = (1 + 0x1p-20) * math.Sqrt(sizes.MaxSquare+bias)
	if !(r.maxLength < math.MaxFloat32) {
		return fmt.Errorf("pegasos: the rows are too long for float32: scale the features")
	}
	r.hessianQuantum = r.quantum(2)
	nonzeros, d := float64(s.Nonzeros)/float64(s.Rows), float64(r.vars)
	if s.Dense || r.scaler != nil && r.scaler.Shift != nil {
		nonzeros = float64(s.Cols)
	}
	r.sparseHessian = float64(0.6*nonzeros)*nonzeros < 10+float64(d*d)/100
	return nil
}

// largest returns a bound on the magnitudes in column j of the scaled rows.
func (r *Rounds) maxScaled(j int) float64 {
	size, s := float64(r.maxAbs[j]), r.scaler
	switch {
	case s == nil || size == 0 && s.Factor == nil:
		return size
	case s.Factor == nil:
		return 1 // of a row with no other value
	case s.Shift != nil:
		size += math.Abs(float64(s.Shift[j]))
	}
	return float64(size * float64(s.Factor[j]))
}

// manyShards is the number of shards from which the dual method is warned of.
const maxDualShards = 16

// Warning returns what speaks against the method, or nothing.
func (r *Rounds) Warning() string {
	if r.Method != Dual || r.Shards <= maxDualShards {
		return ""
	}
	return fmt.Sprintf("the dual method takes the more rounds the more shards there are, and here "+
		"are %d: fewer and larger ones would do with fewer", r.Shards)
}
