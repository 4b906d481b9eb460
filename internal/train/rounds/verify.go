package rounds

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// Verification trains to find its own lower bound, but its proofs compute the objective of the
// given model.

// TargetBound exceeds the claimed lower bound by this fraction of the claimed P - D, because the
// proof subtracts rounding errors.
const claimSurplus = 0.05

// NewVerification returns the Rounds that verify the claims of m on rows with the statistics s. For
// shards see New. iterations limits the dual passes or Newton's iterations; 0 means the default of
// New. A state that is Done has the objectives of the model and the lower bounds found.
func NewVerification(m *Model, s *scale.Statistics, shards, iterations int) (*Rounds, error) {
	switch cols := len(m.Weights[0]); {
	case cols != s.Cols:
		return nil, fmt.Errorf("pegasos: the rows have %s, the model has %d",
			plural.Count(s.Cols, "feature"), cols)
	case m.Classes == nil:
		return nil, errors.New("pegasos: the model is for regression")
	case !slices.Equal(m.Classes, s.Classes):
		return nil, fmt.Errorf("pegasos: the model's classes, %s, are not those of the rows, %s",
			list(m.Classes), list(s.Classes))
	case m.Result.HeldOut != nil && m.Result.HeldOut.Share > 0:
		return nil, errors.New("pegasos: training held out some of the rows")
	}
	cfg := m.Config.InForce()
	settings.KeepOnly(&cfg, settings.Round)
	cfg.Lambda, cfg.C, cfg.Tol, cfg.Epochs, cfg.Scale = m.Lambda, 0, 0, iterations, scale.None
	if m.Scale != nil {
		cfg.Scale = m.Scale.Kind
	}
	if len(m.Classes) == 2 && cfg.Multiclass == settings.OneVsOne {
		cfg.Multiclass = "" // with two classes, one-vs-one is the same problem as one-vs-rest
	}
	r, err := New(cfg, "", s, shards)
	if err != nil {
		return nil, err
	}
	if sum := m.Result.Weight; math.Abs(sum-r.weightSum) > 1e-9*max(sum, r.weightSum) {
		return nil, fmt.Errorf("pegasos: the weights of the rows sum to %g, but summed to %g in the "+
			"model's training: want the training rows; a model trained with row weights can't be "+
			"verified", cmp.Or(r.weightSum, r.weightedRows), sum)
	}
	bias := m.Bias
	if m.Scale != nil {
		// Labels of classes are not scaled, but Unfold would divide the weights by a Spread.
		if !r.Scale.Same(m.Scale) || m.Scale.Spread != 0 || m.Scale.Centre != 0 {
			return nil, fmt.Errorf("pegasos: the model's scaling differs from the scaling of these rows")
		}
		_, bias = m.Scale.Unfold(m.Weights, m.Bias, m.Scale, false)
	}
	if r.biasScale == 0 && bias != nil {
		return nil, fmt.Errorf("pegasos: config.bias is none, but the model has a bias")
	}
	r.claimed = m
	return r, nil
}

func list(classes []float32) string {
	const most = 10
	if len(classes) > most {
		return fmt.Sprintf("%v and %d more", classes[:most], len(classes)-most)
	}
	return fmt.Sprint(classes)
}

func (r *Rounds) startVerifying(p *Problem, k int) {
	c := r.claimed.claim(k)
	if c.DualObjective > 0 && c.DualObjective <= c.Objective {
		p.TargetBound = c.DualObjective + float64(claimSurplus*(c.Objective-c.DualObjective))
	}
	if r.Method == Newton {
		e := r.modelVector(r.claimed, k)
		copy(p.W, e.w)
		if r.biasScale > 0 {
			p.W[r.cols] = e.bias / r.biasScale
		}
	}
}
