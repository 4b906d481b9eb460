package runs

import (
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/internal/train/rounds"
	"github.com/pegasimd/pegasimd/internal/train/settings"
	"github.com/pegasimd/pegasimd/pegasos"
)

// This file converts models between package rounds and package pegasos.

// public converts m to a pegasos.Model.
func public(m *rounds.Model) *pegasos.Model {
	to := &pegasos.Model{Classes: m.Classes, Weights: m.Weights, Bias: m.Bias, Lambda: m.Lambda,
		Scaling: (*pegasos.Scaling)(m.Scale), Result: pegasos.Result(m.Result)}
	settings.Copy(&to.Config, m.Config)
	return to
}

// internal converts m to a model of package rounds.
func internal(m *pegasos.Model) *rounds.Model {
	to := &rounds.Model{Classes: m.Classes, Weights: m.Weights, Bias: m.Bias, Lambda: m.Lambda,
		Result: proof.Result(m.Result)}
	settings.Copy(&to.Config, m.Config)
	if m.Scaling != nil && m.Scaling.Kind != pegasos.ScaleNone {
		to.Scale = (*scale.Scale)(m.Scaling)
	}
	return to
}
