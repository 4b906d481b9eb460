package pegasos

import (
	"fmt"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/store"
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

	compacted store.Rows // the rows of x once more, in fewer bytes; nil if they are not kept so

	byClass [][]uint32 // see rowsOf

	known        []float32 // the classes of Start and Prior; nil if there are none
	start, prior *Model    // over the columns of x; nil without
	priorHash    string
	print        string // see fingerprint
}

// newData checks the rows and labels, which are among the classes known if there are any.
func newData(x Examples, y []float32, tr *Trainer, known []float32) (*data, error) {
	d := &data{x: store.Of(x), y: y, known: known}
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
	if err := d.weigh(tr); err != nil {
		return nil, err
	}
	var err error
	if d.prior, err = d.fits(tr.Prior, "Prior", tr.Config); err != nil {
		return nil, err
	}
	if d.start, err = d.fits(tr.Start, "Start", tr.Config); err != nil {
		return nil, err
	}
	if d.start != nil {
		for k := range d.start.Weights {
			if t := d.start.steps(k); t < 0 || t > maxSteps {
				return nil, badField("Start", "the model has taken %d steps, want 0 to 2^53", t)
			}
		}
	}
	if d.prior != nil {
		d.priorHash = tr.Prior.Hash()
	}
	if tr.Config.Loss.Regression() {
		if err := checkTargets(y); err != nil {
			return nil, err
		}
	} else if d.classes, d.class, err = classify(y, d.weight, d.known); err != nil {
		return nil, err
	}
	d.compact(tr)
	rows := d.rows()
	d.norms = make([]float32, n)
	bad := -1
	for i := range d.norms {
		d.norms[i] = rows.SumSquares(i)
		if s := d.norms[i]; s-s != 0 && bad < 0 {
			bad = i
		}
	}
	if err := d.x.Err(); err != nil {
		return nil, fmt.Errorf("pegasos: %w", err)
	}
	if bad >= 0 {
		return nil, &RowError{bad, "a value is NaN or infinite, or too large to be squared in float32"}
	}
	return d, nil
}

// rows returns the rows in the form that is fastest for one worker.
func (d *data) rows() store.Rows {
	if d.compacted != nil {
		return d.compacted.ForWorker()
	}
	return d.x.ForWorker()
}

const maxClasses = 1 << 16

// classify returns the distinct labels, ascending, and for each row the position of its label among them. Rows of weight 0
// have none; weight may be nil.
// If the classes are known, the labels have to be among them.
func classify(y []float32, weight []float64, known []float32) (classes []float32, class []int32, err error) {
	for i, v := range y {
		if v-v != 0 {
			return nil, nil, &RowError{i, fmt.Sprintf("the label is %v, want a finite number", v)}
		}
		if weight != nil && weight[i] == 0 {
			continue
		}
		if known != nil {
			if _, found := place(known, v); !found {
				return nil, nil, unknownLabel(i, v, known)
			}
			continue
		}
		if at, found := place(classes, v); !found {
			if len(classes) == maxClasses {
				return nil, nil, &RowError{i, fmt.Sprintf("more than %d distinct labels: are they numbers to predict?", maxClasses)}
			}
			classes = slices.Insert(classes, at, v+0) // +0: a class is never -0
		}
	}
	if known != nil {
		classes = known
	}
	if len(classes) == 1 {
		return nil, nil, fmt.Errorf("pegasos: all %d rows have the label %v: want two or more classes", len(y), classes[0])
	}
	class = make([]int32, len(y))
	for i, v := range y {
		at, found := place(classes, v)
		if !found {
			at = -1
		}
		class[i] = int32(at)
	}
	return classes, class, nil
}

// place is slices.BinarySearch, and quicker for few classes.
func place(classes []float32, label float32) (at int, found bool) {
	if len(classes) > 8 {
		return slices.BinarySearch(classes, label)
	}
	for at, c := range classes {
		if c >= label {
			return at, c == label
		}
	}
	return len(classes), false
}

func checkTargets(y []float32) error {
	for i, v := range y {
		if v-v != 0 {
			return &RowError{i, fmt.Sprintf("the label is %v, want a finite number", v)}
		}
	}
	return nil
}
