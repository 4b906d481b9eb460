package pegasos

import (
	"fmt"

	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/internal/store"
)

// NewPartialFrom returns a trainer of chunks that goes on from m, as training with it as
// Trainer.Start does: t counts on from there. Columns, classes and all settings are m's, those that
// training had chosen among them; how long the run was and how it ended are left out, as are the
// shards. The rows, and numbers to predict, are given as they are, and scaled chunk by chunk as m's
// were. m is not changed. It can't go on from what [NewPartial] can't use: Balanced, and
// problems that have a lambda each, by C with OneVsOne.
func NewPartialFrom(m *Model) (*Partial, error) {
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("pegasos: the model: %w", err)
	}
	cfg := m.Config.Plain()
	if l := m.lambda(0); l > 0 {
		cfg.Lambda, cfg.C = l, 0
	}
	for k := range m.Weights {
		if m.lambda(k) != m.lambda(0) {
			return nil, badField("C", "have %v, which gave each pair of classes a lambda of its "+
				"own: it goes by all rows, which come in chunks here", m.Config.C)
		}
	}
	cfg.Epochs, cfg.Steps, cfg.Tol, cfg.Change, cfg.Patience = 0, 0, 0, 0, 0
	cfg.Finish, cfg.Shards, cfg.Calibrate = "", 0, 0
	cfg.Scale, cfg.TargetScale = ScaleNone, ScaleNone
	from := *m
	if m.Scaling != nil {
		s := *m.Scaling
		s.epsilon = m.Config.Epsilon
		from = *s.Unfold(m)
		from.Scaling = &s
		cfg.Epsilon = from.Config.Epsilon
	}
	p, err := NewPartial(cfg, m.Classes, m.Cols())
	if err != nil {
		return nil, err
	}
	p.from = &from
	p.cfg.Scale, p.cfg.TargetScale = m.Config.Scale, m.Config.TargetScale
	return p, nil
}

// scaling is that of the model that the trainer goes on from; nil for none.
func (p *Partial) scaling() *Scaling {
	if p.from == nil {
		return nil
	}
	return p.from.Scaling
}

// scaled returns a chunk's rows and numbers as the model's were scaled.
func (p *Partial) scaled(x Examples, y []float32) (Examples, []float32, error) {
	s := p.scaling()
	if s == nil || len(y) != x.Rows() {
		return x, y, nil
	}
	x, y = s.apply(x, y, parallel.Threads(p.Threads), func() bool { return false })
	if err := store.Of(x).Err(); err != nil {
		return nil, nil, fmt.Errorf("pegasos: %w", err)
	}
	return x, y, nil
}

// keep gives m what the model has that the trainer goes on from.
func (p *Partial) keep(m *Model) {
	m.Names, m.IndexBase = p.from.Names, p.from.IndexBase
	m.Scaler, m.HashBits, m.Table = p.from.Scaler, p.from.HashBits, p.from.Table
	for k, w := range p.from.Weights {
		copy(m.Weights[k], w)
		if m.Bias != nil {
			m.Bias[k] = p.from.bias(k)
		}
		if m.Result.PerClass != nil {
			m.Result.PerClass[k].Steps = p.from.stepsOf(k)
		}
	}
	m.Result.Steps, m.Result.R2, m.Result.T0 = p.from.Result.Steps, p.from.Result.R2,
		p.from.Result.T0
}
