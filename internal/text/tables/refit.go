package tables

import (
	"slices"

	"github.com/pegasimd/pegasimd/dataset"
)

// Refit returns an encoder that is fitted anew with the kinds, the decimal marks, the orders of
// dates and the n-grams that e has, and with names for the buckets of text that e names. The
// columns of the table come in the order of e. skip is [Fitter.Skip]; opt and read are those of
// [Fitter.Fit].
func (e *Encoder) Refit(skip func(row int) bool, opt dataset.Options,
	read func(dataset.Options) (*dataset.Set, error)) (*Encoder, error) {
	f := Fitter{kinds: make([]Given, len(e.Columns)), Skip: skip, Inspect: true,
		headed: e.headed()}
	for i, c := range e.Columns {
		f.kinds[i].Kind = c.Kind
		if c.Date != nil {
			f.kinds[i].Order, _ = orderOf(c.Date.Order)
		}
		if f.marks = append(f.marks, 0); c.Number != nil && !e.Raw {
			f.marks[i] = c.Number.Format.mark()
		}
		if c.Kind == Text {
			f.Grams = c.Text.Grams
		}
	}
	f.labels.mark = e.Label.Format.mark()
	e.Options(&opt)
	fitted, _, err := f.Fit(opt, read)
	if err != nil {
		return nil, err
	}
	features := fitted.namedBy(e)
	if len(features) == 0 {
		return fitted, nil
	}
	n := fitted.Namer(features)
	opt.Encoder, opt.Labels = n, dataset.LabelsAuto
	if _, err = read(opt); err != nil {
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
