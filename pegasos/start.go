package pegasos

import (
	"fmt"
	"slices"
)

// fits returns m over the columns of the data, or says why the run can't build on it.
func (r *run) fits(m *Model, what string) (*Model, error) {
	if m == nil {
		return nil, nil
	}
	if err := m.check(); err != nil {
		return nil, badField(what, "%v", err)
	}
	if (m.Classes == nil) != r.cfg.Loss.Regression() {
		return nil, badField(what, "only one of the model and the loss %s is about numbers to predict", r.cfg.Loss)
	}
	if r.known != nil && !slices.Equal(r.known, m.Classes) {
		return nil, badField(what, "the classes %v differ from those of the other model, %v", m.Classes, r.known)
	}
	r.known = m.Classes
	return m.WithCols(r.x.Cols()), nil
}

// setPrior makes p look for u = w - w0, w0 being the prior's weights and bias: the scores of w0 become part of what the
// rows want of u.
func (p *problem) setPrior(prior *Model, k int) error {
	p.prior, p.priorBias = prior.Weights[k], prior.bias(k)
	p.ahead = make([]float64, p.x.Rows())
	for i := range p.ahead {
		z := float64(p.x.Dot(i, p.prior)) + p.priorBias
		if z-z != 0 {
			return &RowError{i, "the prior's score is not finite: " + tooLarge}
		}
		p.ahead[i] = z
	}
	return nil
}

// setStart makes w that of a model, after as many steps as it has taken.
func (p *problem) setStart(start *Model, k int) error {
	p.t, p.start = start.Result.Steps, start.Result.Steps
	p.total += p.start
	bias := start.bias(k) - p.priorBias
	if bias != 0 && p.biasScale == 0 {
		return badField("Start", "the model has a bias, but Bias is %q", BiasNone)
	}
	scale := p.scale()
	for j, w := range start.Weights[k] {
		u := float64(w)
		if p.prior != nil {
			u -= float64(p.prior[j])
		}
		v := float32(u * scale)
		if v-v != 0 {
			return badField("Start", "weight %d times lambda*(t+t0) is too large for float32", j)
		}
		p.v[j] = v
	}
	if bias != 0 {
		p.vb = float64(bias*scale) / p.biasScale
	}
	p.refreshNorm()
	return nil
}

// addPrior turns u into w.
func (p *problem) addPrior(w []float32) {
	for j, v := range p.prior {
		w[j] += v
	}
}

func unknownLabel(row int, label float32, classes []float32) error {
	return &RowError{row, fmt.Sprintf("the label %v is none of the model's: %v", label, classes)}
}
