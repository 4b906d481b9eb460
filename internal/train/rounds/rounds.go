// Package rounds trains and verifies linear models over rows that are distributed in shards. In
// each round, Visit computes integer sums over the rows of each shard, on any machine. From the
// total of all shards, Next computes the state for the next round:
//
//	sum, alpha = Shard.Visit(state, alpha)   each shard, anywhere
//	state      = Rounds.Next(state, total)   once
//
// Integer sums may be added in any order. Most sums over a block of Block rows are computed in
// floating point, in row order, and truncated once to a multiple of 2^-q, where
//
//	q = 61 - exponent of (number of rows of all shards * bound on the mean addend)
//
// and this bound is known before the round. Every shard begins at a multiple of Block rows, so
// block sums don't depend on the division into shards.
//
// Newton's method, as in internal/train/newton, stores nothing per row, and its result has the same
// bits for any number of shards. The dual method, CoCoA+ (Ma, Smith, Jaggi, Jordan, Richtarik and
// Takac, ICML 2015), stores the dual variables of the rows: see dual.go.
package rounds

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/internal/train/choose"
	"github.com/pegasimd/pegasimd/internal/train/loss"
	"github.com/pegasimd/pegasimd/internal/train/newton"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// Block is the number of rows over which sums are computed in floating point.
const Block = 256

// Method is a solver for training in rounds, with a value of Settings.Finish.
type Method string

const (
	Newton Method = settings.FinishNewton
	Dual   Method = settings.FinishDual // CoCoA+, for the hinge and squared hinge loss
)

// lossLimits holds upper bounds on values of a loss, for the quantum of each sum.
type lossLimits struct {
	// margin bounds the loss, the dual variable and the dual term's magnitude of a row with |1 -
	// y*z| at most m. m must be at least 1.
	margin func(m float64) (row, dual, dualTerm float64)
	// bounds on the mean magnitudes of dual variables and of dual terms, for the dual method
	meanDual, meanDualTerm float64
}

var supported = map[loss.Kind]*lossLimits{
	loss.Hinge: {unitSlope, 1, 1},
	loss.Log:   {unitSlope, 1, 1},
	// Squared hinge has unbounded dual variables, but their mean square is below 16 where the dual
	// objective is positive.
	loss.SquaredHinge: {func(m float64) (row, dual, dualTerm float64) {
		return float64(m * m), 2 * m, 2*m + float64(m*m)
	}, 1 << 10, 1 << 20},
}

func unitSlope(m float64) (row, dual, dualTerm float64) { return m, 1, 1 }

// Model is a linear model as stored in a file.
type Model struct {
	Classes []float32
	Weights [][]float32 // one per problem; they include the scale if Scale.Folded
	Bias    []float64   // one per problem; nil if the model has none
	Lambda  float64     // of the penalty
	Config  settings.Settings
	Scale   *scale.Scale // nil if the rows were not scaled
	Result  proof.Result // with the proven claims
}

// claim's results are NaN if unknown.
func (m *Model) claim(k int) proof.Claim {
	if all := m.Result.PerClass; len(all) == len(m.Weights) {
		return proof.Claim{Objective: all[k].Objective, DualObjective: all[k].DualObjective}
	}
	return proof.Claim{Objective: math.NaN(), DualObjective: math.NaN()}
}

// Rounds holds the settings of a training or verification, and bounds from the statistics of the
// rows. It is immutable.
type Rounds struct {
	Method Method
	Config settings.Settings // with defaults filled in
	Scale  *scale.Scale      // nil if the rows are not scaled
	Lambda float64           // as set or computed from C
	Shards int               // shards that have rows, at least 1

	labels       []float32
	rows         int     // of all shards
	weightSum    float64 // before normalization; 0 without class weights
	meanSquare   float64 // of scaled rows, with the bias feature
	weightedRows float64 // number of rows with a class weight above 0
	cols         int
	vars         int       // variables per weight vector: the columns, then the bias if any
	biasScale    float64   // value of the bias feature; 0 without a bias
	classWeights []float64 // with a mean of 1 over weighted rows
	loss         loss.Func
	limits       *lossLimits
	claimed      *Model // model whose claims are verified; nil when training

	scale         []float64 // power of 2 per variable that scales all |features| to less than 1
	maxLength     float64   // upper bound on a scaled row's norm, with the bias feature
	maxAbs        []float32 // per column, before scaling
	maxSquare     float64   // squared norm of a row, before scaling
	sparseHessian bool

	// for Hessians of features times scale. The means of their elements over the rows are at most
	// 2: such features are below 1, the mean row weight is 1, and second derivatives, without the
	// factor 1/width, are at most 2.
	hessianQuantum quantum
}

// New returns the Rounds of a training run on rows with the statistics s. shards is the number of
// shards that have rows. An empty method selects Newton's method for the log loss and for up to
// newton.MaxColumns columns, and the dual method otherwise.
//
// cfg may only have settings of the use settings.Round. Loss must be hinge, squared hinge or, with
// Newton's method, log; Bias none or augmented; Multiclass one-vs-rest. Epochs limits dual passes
// or Newton's iterations. Zero fields get defaults or are chosen from the statistics.
func New(cfg settings.Settings, method Method, s *scale.Statistics, shards int) (*Rounds, error) {
	kind, known := loss.KindOf(cmp.Or(cfg.Loss, loss.Hinge.Name()))
	if method == "" {
		if method = Dual; s.Cols <= newton.MaxColumns || kind == loss.Log {
			method = Newton
		}
	}
	if err := checkConfig(cfg, method, kind, known); err != nil {
		return nil, err
	}
	cfg.Finish = string(method)
	options.Fill(&cfg.Tol, choose.ProofTol)
	options.Fill(&cfg.Epochs, settings.DefaultNewtonEpochs)
	c, err := choose.FromStatistics(choose.Open{Settings: cfg}, s)
	if err != nil {
		return nil, err
	}
	r := &Rounds{Method: method, Config: c.Settings, Shards: max(1, shards),
		labels: slices.Clone(s.Classes), cols: s.Cols, vars: s.Cols, rows: s.Rows,
		limits: supported[kind]}
	r.loss.Kind = kind
	if c.Scale.Kind != scale.None {
		r.Scale, c.Scale.Note = c.Scale, ""
	}
	if r.Config.Bias == settings.BiasAugmented {
		r.biasScale = r.Config.BiasScale
		r.vars++
	}
	if err := cmp.Or(r.setWeights(s), r.setBounds(s)); err != nil {
		return nil, err
	}
	var rule options.Rule
	r.Lambda, rule = options.LambdaFor(r.Config.Lambda, r.Config.C,
		cmp.Or(r.weightSum, r.weightedRows))
	r.Config.Lambda, r.Config.C = r.Lambda, 0
	return r, options.Check([]options.Rule{rule, options.LambdaFits(r.Lambda, 0, r.meanSquare)})
}

// known is false if cfg has an unknown loss.
func checkConfig(cfg settings.Settings, method Method, kind loss.Kind, known bool) error {
	classes, bias := cmp.Or(cfg.Multiclass, settings.OneVsRest), cmp.Or(cfg.Bias, settings.BiasNone)
	others := settings.SetBeyond(cfg, settings.Round)
	const only = "have %q, but training in rounds supports only %s"
	return options.Check([]options.Rule{
		options.OneOf("Method", method, Newton, Dual),
		options.Not("Loss", !known || supported[kind] == nil, only, cfg.Loss,
			"hinge, squared-hinge and log"),
		options.Not("Loss", method == Dual && kind == loss.Log,
			"have %q, which the method %q does not support: use the method %q", cfg.Loss, Dual, Newton),
		options.Not("Bias", bias != settings.BiasNone && bias != settings.BiasAugmented, only, bias,
			"none and augmented"),
		options.Not("Multiclass", classes != settings.OneVsRest, only, classes, settings.OneVsRest),
		options.Not("Config", len(others) > 0, "training in rounds does not support %s",
			strings.Join(others, ", ")),
	})
}

func (r *Rounds) setWeights(s *scale.Statistics) error {
	byLabel, err := r.Config.ClassWeights()
	if err != nil {
		return err
	}
	sum, weighted := 0.0, []float32(nil)
	for k, label := range s.Classes {
		w, n := 1.0, float64(s.Counts[k])
		if c, ok := byLabel[label]; ok {
			w = c
			delete(byLabel, label)
		}
		if r.Config.ClassWeight == settings.Balanced && n > 0 {
			w = float64(s.Rows) / float64(float64(len(s.Counts))*n)
		}
		r.classWeights = append(r.classWeights, w)
		if w > 0 {
			sum += float64(w * n)
			r.weightedRows += n
			weighted = append(weighted, label)
		}
	}
	for label := range byLabel {
		return options.Bad("ClassWeight", "no row has the label %v", label)
	}
	if !(r.weightedRows > 0) {
		return options.Bad("ClassWeight", "no row has a weight above 0")
	}
	if len(weighted) == 1 {
		return options.Bad("ClassWeight", "all rows with a weight above 0 have the same label (as a "+
			"number, %v): want two or more classes", weighted[0])
	}
	if r.Config.ClassWeight == "" {
		return nil
	}
	r.weightSum = sum
	for k := range r.classWeights {
		r.classWeights[k] /= sum / r.weightedRows
		if w := r.classWeights[k]; w > math.MaxFloat32 || w > 0 && float32(w) == 0 {
			return options.Bad("ClassWeight", "the weight of the label %v is too far from the mean "+
				"weight", r.labels[k])
		}
	}
	return nil
}

// blocks is an upper bound.
func (r *Rounds) blocks() int { return r.rows/Block + 1 }

func (r *Rounds) setBounds(s *scale.Statistics) error {
	r.maxAbs, r.maxSquare = s.MaxAbs, s.Sizes[scale.None].MaxSquare
	for j := range r.vars {
		size := r.biasScale
		if j < r.cols {
			size = r.maxScaled(j)
		}
		_, exponent := math.Frexp(float64(size * (1 + 0x1p-20)))
		r.scale = append(r.scale, math.Ldexp(1, -exponent))
	}
	sizes, bias := s.Sizes[r.Config.Scale], float64(r.biasScale*r.biasScale)
	r.meanSquare = sizes.MeanSquare + bias
	r.maxLength = (1 + 0x1p-20) * math.Sqrt(sizes.MaxSquare+bias)
	if !(r.maxLength < math.MaxFloat32) {
		with := ""
		if r.biasScale > 0 {
			with = fmt.Sprintf(" with the bias feature %v", r.biasScale)
		}
		return fmt.Errorf("pegasos: the largest norm of a row%s is %v, want less than 3.4e38", with,
			r.maxLength)
	}
	r.hessianQuantum = r.quantum(2)
	nonzeros, d := float64(s.Nonzeros)/float64(s.Rows), float64(r.vars)
	if s.Dense || r.Scale != nil && r.Scale.Shift != nil {
		nonzeros = float64(s.Cols)
	}
	// estimated nanoseconds per row: by its nonzeros, and in a block of dense rows
	r.sparseHessian = float64(0.6*nonzeros)*nonzeros < 10+float64(d*d)/100
	return nil
}

func (r *Rounds) maxScaled(j int) float64 {
	size, s := float64(r.maxAbs[j]), r.Scale
	switch {
	case s == nil || size == 0 && s.Factor == nil:
		return size
	case s.Factor == nil:
		return 1 // rows are scaled to norm 1
	case s.Shift != nil:
		size += math.Abs(float64(s.Shift[j]))
	}
	return float64(size * float64(s.Factor[j]))
}

// norm must be at least the norm of the weights with the bias variable.
func (r *Rounds) rowBounds(norm float64) (row, dual, dualTerm float64) {
	return r.limits.margin(1 + float64(float64(norm*r.maxLength)*(1+0x1p-20)))
}

// quantum is a power of 2, called the unit, and its inverse. Sums are integer multiples of the
// unit.
type quantum struct{ inverse, unit float64 }

// bound limits the mean magnitude of the addends over the rows of all shards.
func (r *Rounds) quantum(bound float64) quantum {
	_, e := math.Frexp(float64(float64(r.rows) * bound))
	return quantum{math.Ldexp(1, 61-e), math.Ldexp(1, e-61)}
}

const maxDualShards = 16

func (r *Rounds) Warning() string {
	if r.Method != Dual || r.Shards <= maxDualShards {
		return ""
	}
	return fmt.Sprintf("the dual method needs more rounds the more shards there are, here %d: use "+
		"fewer, larger shards", r.Shards)
}
