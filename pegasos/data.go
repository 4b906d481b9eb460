package pegasos

import (
	"context"

	"github.com/pegasimd/pegasimd/internal/options"
	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/internal/train/newton"
	"github.com/pegasimd/pegasimd/internal/train/rows"
)

// Labelled is rows with their labels.
type Labelled struct {
	X Examples
	Y []float32 // one for each row
}

// A data is what all runs over the same rows share.
type data struct {
	rows.Set

	until context.Context // of what is measured; nil while nothing stops it
	keeps bool            // the dual variables, in a Proof

	scaling *Scaling // of x, and of y; nil for none
	// The model that is measured, as it will be written, and what is left of it for scaled rows: so
	// who reads it finds the same. Nil without a scaling, and before.
	folded, written *Model

	known        []float32 // the classes of Start and Prior; nil if there are none
	start, prior *Model    // over the columns of x; nil without
	priorHash    string
	hash         string // see fingerprint

	newtons newton.Pool // the buffers of Newton's method
	auto    autoFinish
}

// newData checks the rows and labels, which are among the classes known if there are any.
func newData(x Examples, y []float32, tr *Trainer, known []float32) (*data, error) {
	if err := store.Labelled(x, y, 32); err != nil {
		return nil, err
	}
	d := &data{Set: rows.Set{X: store.Of(x), Y: y}, known: known, scaling: tr.scaling}
	if err := d.setWeights(tr); err != nil {
		return nil, err
	}
	if err := d.setModels(tr); err != nil {
		return nil, err
	}
	if err := d.Label(tr.Config.Loss.Regression(), d.known); err != nil {
		return nil, publicError(err)
	}
	d.compact(tr)
	d.newtons.X, d.newtons.Threads = d.Rows(), parallel.Threads(tr.Threads)
	if err := d.Measure(); err != nil {
		return nil, publicError(err)
	}
	return d, nil
}

// setModels takes over the trainer's Prior and Start.
func (d *data) setModels(tr *Trainer) (err error) {
	if d.prior, err = d.fits(tr.Prior, "Prior", tr.Config); err != nil {
		return err
	}
	if d.prior != nil {
		if d.priorHash = tr.priorHash; d.priorHash == "" {
			d.priorHash = tr.Prior.Hash()
		}
	}
	if d.start, err = d.fits(tr.Start, "Start", tr.Config); err != nil || d.start == nil {
		return err
	}
	for k := range d.start.Weights {
		if t := d.start.stepsOf(k); t < 0 || t > options.MaxSteps {
			return badField("Start", "the model has taken %d steps, want 0 to 2^53", t)
		}
	}
	return nil
}
