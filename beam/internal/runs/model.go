package runs

import (
	"errors"

	"github.com/pegasimd/pegasimd/internal/train/settings"
	"github.com/pegasimd/pegasimd/pegasos"
)

// Model returns the trained model. Before the rounds are done, it returns the best model so far,
// whose Result has neither an objective nor a lower bound. It fails if the rounds verify a model.
func (f *Folder) Model() (*pegasos.Model, error) {
	state, err := f.newest()
	if err != nil {
		return nil, err
	}
	m, err := f.rounds.Model(state)
	if err != nil {
		return nil, err
	}
	to := &pegasos.Model{Classes: m.Classes, Names: f.manifest.Names, Weights: m.Weights,
		Bias: m.Bias, HashBits: f.manifest.HashBits, IndexBase: f.manifest.IndexBase,
		Lambda: m.Lambda, Scaling: (*pegasos.Scaling)(m.Scale), Result: pegasos.Result(m.Result)}
	settings.Copy(&to.Config, m.Config)
	return to, to.Validate()
}

// Verified compares the model's claims with the objective and lower bound that the rounds found. It
// fails if the rounds are not done, or train a model.
func (f *Folder) Verified() (*pegasos.Verification, error) {
	state, err := f.newest()
	if err != nil {
		return nil, err
	}
	switch {
	case f.verified == nil:
		return nil, errors.New("pegasos: the rounds in this folder train a model, and verify none")
	case !state.Done:
		return nil, errors.New("pegasos: the rounds of the verification are not finished")
	}
	return f.verified.Compare(pegasos.Result(f.rounds.Result(state))), nil
}
