package pegasos

import (
	"context"
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/labels"
	"github.com/pegasimd/pegasimd/internal/options"
	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/internal/train/newton"
)

// Labelled is rows with their labels.
type Labelled struct {
	X Examples
	Y []float32 // one for each row
}

// A data is what all runs over the same rows share.
type data struct {
	x       store.Rows
	y       []float32
	weight  []float64 // of each row, its own times that of its label; nil if there are none
	classes []float32 // nil for numbers to predict
	class   []int32   // of each row
	norms   []float32 // squared, of each row
	squares float64   // their sum, in order

	until context.Context // of what is measured; nil while nothing stops it
	keeps bool            // the dual variables, in a Proof

	compacted store.Rows // the rows of x once more, in fewer bytes; nil if they are not kept so

	byClass [][]uint32 // see rowsOf

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
	if err := store.Given(x); err != nil {
		return nil, err
	}
	d := &data{x: store.Of(x), y: y, known: known, scaling: tr.scaling}
	n := x.Rows()
	if n == 0 {
		return nil, fmt.Errorf("pegasos: no rows to train on")
	}
	if len(y) != n {
		return nil, fmt.Errorf("pegasos: %d labels for %d rows", len(y), n)
	}
	if uint64(n) > math.MaxUint32 {
		return nil, fmt.Errorf("pegasos: %d rows: want fewer than 2^32", n)
	}
	if err := d.setWeights(tr); err != nil {
		return nil, err
	}
	if err := d.setModels(tr); err != nil {
		return nil, err
	}
	var err error
	if tr.Config.Loss.Regression() {
		err = labels.Finite(y, rowError)
	} else {
		d.classes, d.class, err = labels.Classify(y, d.weight, d.known, rowError)
	}
	if err != nil {
		return nil, err
	}
	d.compact(tr)
	d.newtons.X, d.newtons.Threads = d.rows(), parallel.Threads(tr.Threads)
	if err := d.setNorms(); err != nil {
		return nil, err
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

// leastR2 is the least mean squared length of rows with which float32 can do: products of values
// and weights are still beyond its subnormal numbers then.
const leastR2 = 0x1p-120

// setNorms finds the rows' norms. It is the first pass over all rows, and tells what is wrong with
// them.
func (d *data) setNorms() error {
	x := d.rows()
	d.norms = store.Squares(x)
	for _, s := range d.norms {
		d.squares += float64(s)
	}
	bad := -1
	if !floats.IsFinite(d.squares) { // float64 holds the sum of any that are finite
		bad = floats.FirstNotFinite(d.norms)
	}
	if err := d.x.Err(); err != nil {
		return fmt.Errorf("pegasos: %w", err)
	}
	if bad >= 0 {
		if size := largestValue(x, bad, 0x1p-20); !(size <= math.MaxFloat32) {
			return &RowError{Row: bad, Reason: "a value is NaN or infinite"}
		}
		return &RowError{bad, "the values are too large to be squared in float32", true}
	}
	if d.squares < float64(leastR2*float64(len(d.norms))) {
		for i := range d.norms {
			if largestValue(x, i, 0x1p100) > 0 {
				return &RowError{i, fmt.Sprintf("the values, like those of the other rows, are too "+
					"small for float32: the mean squared length is below %.1g", leastR2), true}
			}
		}
	}
	return nil
}

// largestValue returns the largest magnitude in a row times a factor; NaN if one is NaN.
func largestValue(x store.Rows, row int, factor float32) (size float64) {
	w := make([]float32, x.Cols())
	x.Axpy(row, factor, w)
	for _, v := range w {
		size = max(size, math.Abs(float64(v)))
	}
	return size
}

// rows returns the rows in the form that is fastest for one worker.
func (d *data) rows() store.Rows {
	if d.compacted != nil {
		return d.compacted.ForWorker()
	}
	return d.x.ForWorker()
}
