package pegasos

import (
	"slices"
)

// fits returns m over the columns of the data, or says why a run can't build on it.
func (d *data) fits(m *Model, what string, cfg Config) (*Model, error) {
	if m == nil {
		return nil, nil
	}
	if err := m.check(); err != nil {
		return nil, badField(what, "%v", err)
	}
	if (m.Classes == nil) != cfg.Loss.Regression() {
		return nil, badField(what, "only one of the model and the loss %s is about numbers "+
			"to predict", cfg.Loss)
	}
	if have, want := m.Config.Plain().Multiclass,
		cfg.Plain().Multiclass; have != want && (len(m.Classes) > 2 || have.Joint() ||
		want.Joint()) {
		return nil, badField(what, "the model's Multiclass is %q, want %q", have, want)
	}
	if d.known != nil && !slices.Equal(d.known, m.Classes) {
		return nil, badField(what, "the classes %v differ from those of the other model, %v",
			m.Classes, d.known)
	}
	d.known = m.Classes
	return m.WithCols(d.X.Cols()), nil
}
