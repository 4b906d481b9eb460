package tables

import (
	"slices"

	"github.com/pegasimd/pegasimd/internal/text/form"
)

// Refit fits e anew, with the kinds, the decimal marks, the orders of dates and the n-grams that it
// has, and with names for the buckets of text that e names. The columns of the table come in the
// order of e. See [Fitter.Fit] for read.
func (f *Fitter) Refit(e *Encoder, read func(form.Encoder) error) (*Encoder, error) {
	f.like, f.Inspect = e, true
	f.kinds, f.marks = make([]Given, len(e.Columns)), make([]byte, len(e.Columns))
	for i, c := range e.Columns {
		f.kinds[i].Kind = c.Kind
		if c.Date != nil {
			f.kinds[i].Order, _ = orderOf(c.Date.Order)
		}
		if c.Number != nil && !e.Raw {
			f.marks[i] = c.Number.Format.mark()
		}
		if c.Kind == Text {
			f.Grams = c.Text.Grams
		}
	}
	f.labels.mark = e.Label.Format.mark()
	fitted, _, err := f.Fit(read)
	if err != nil {
		return nil, err
	}
	features := fitted.namedBy(e)
	if len(features) == 0 {
		return fitted, nil
	}
	n := fitted.Namer(features)
	if err := read(n); err != nil {
		return nil, err
	}
	n.Name()
	return fitted, nil
}

// namedBy returns the features of text whose buckets have an n-gram in the Words of other.
func (e *Encoder) namedBy(other *Encoder) (features []int) {
	first := 0
	for i := range e.Columns {
		c, o := &e.Columns[i], &other.Columns[i]
		if c.Kind == Text && o.Kind == Text {
			for bucket := range o.Text.Words {
				if j, found := slices.BinarySearch(c.Text.at, bucket); found {
					features = append(features, first+j)
				}
			}
		}
		first += e.FeaturesOf(i)
	}
	slices.Sort(features)
	return features
}
