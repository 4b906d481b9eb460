package tables

import (
	"fmt"
	"slices"

	"github.com/pegasimd/pegasimd/internal/text/form"
)

// After mostPasses, Fit keeps its assumptions about numbers, dates and labels.
const mostPasses = 8

// Fit fits an encoder to the training file. It calls read for each pass; read must read the file
// from the start and pass its rows to the given form.Encoder. whole reports whether the last pass
// encoded all rows and labels; otherwise the caller must read the file again, with [Encoder.Coder].
func (f *Fitter) Fit(read func(form.Encoder) error) (e *Encoder, whole bool, err error) {
	if f.Grams < 0 || f.Grams > maxGrams {
		return nil, false, fmt.Errorf("n-grams of up to %d words: want 1 to %d", f.Grams, maxGrams)
	}
	raw := f.mayBeRaw() && !f.NoRows
	f.plan, f.forced, f.kept = nil, false, false
	f.labels = labelStats{mark: f.labels.mark}
	for pass := 0; ; pass++ {
		f.begin(raw)
		err := read(f)
		if f.broken {
			raw = false
			continue
		}
		if f.tooMany > 0 || err == nil && f.raw == nil && len(f.held) > 0 {
			return nil, false, f.tooManyColumns()
		}
		if err != nil {
			return nil, false, err
		}
		f.finish()
		e, err := f.encoder(pass >= mostPasses)
		if err != nil {
			return nil, false, err
		}
		if e == nil {
			raw = raw && f.raw != nil
			continue
		}
		f.columns, f.labels.full = nil, nil
		if err := f.weigh(e, read); err != nil {
			return nil, false, err
		}
		return e, f.raw != nil && f.raw.whole && f.labels.usable, nil
	}
}

// Refit fits an encoder with the kinds of columns, the decimal marks, the orders of dates and the
// n-gram length of e. It names the buckets of text that e names, if they have features. The table
// must have the columns of e. read is as in [Fitter.Fit].
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
