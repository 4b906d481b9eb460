package pegasos

import (
	"github.com/pegasimd/pegasimd/internal/scaling"
	"github.com/pegasimd/pegasimd/internal/train/scale"
)

// A Scale says how the features are scaled for training. Predictions take rows as they are.
type Scale string

const (
	ScaleNone Scale = scaling.None
	// ScaleStandard takes its mean off each column and divides by the standard deviation. Sparse
	// rows become dense, if that takes no more than four times their bytes.
	ScaleStandard Scale = scaling.Standard
	// ScaleMaxAbs divides each column by the largest magnitude in it: zeros stay.
	ScaleMaxAbs Scale = scaling.MaxAbs
	// ScaleUnit divides each row by its Euclidean norm. Rows of zeros stay.
	ScaleUnit Scale = scaling.Unit
)

// A Scaling is how the rows, and numbers to predict, were scaled for training, by choice or because
// the Config says so: feature x of column j was (x - Shift[j])*Factor[j], and the number y was
// (y - Centre)/Spread. Lambda, the objective and its bound are about those.
type Scaling struct {
	Kind Scale `json:"kind"`
	// Folded says that the weights and biases take rows as they are. Otherwise rows are scaled
	// before they are multiplied: with ScaleUnit, or where a column's mean is so much larger than
	// its deviation that float32 would lose the difference.
	Folded bool      `json:"folded"`
	Shift  []float32 `json:"-"` // of each column, with ScaleStandard; else nil
	Factor []float32 `json:"-"` // of each column, with ScaleStandard and ScaleMaxAbs; else nil
	Centre float64   `json:"centre,omitempty"`
	Spread float64   `json:"spread,omitempty"` // 0 for 1
	R2     float64   `json:"r2"`               // mean squared length of scaled rows, without a bias
	// Note says what the automatic choice left unscaled and why, by what it chose lambda, or what a
	// proof would take.
	Note    string  `json:"note,omitempty"`
	epsilon float64 // Config.Epsilon of numbers as they are; not in files
}

// room returns s as the trainer's rooms take it.
func (s *Scaling) room() *scale.Scale {
	if s == nil {
		return nil
	}
	return &scale.Scale{Kind: string(s.Kind), Folded: s.Folded, Shift: s.Shift, Factor: s.Factor,
		Centre: s.Centre, Spread: s.Spread, R2: s.R2, Note: s.Note, Epsilon: s.epsilon}
}

func fromScale(s *scale.Scale) *Scaling {
	if s == nil {
		return nil
	}
	return &Scaling{Kind: Scale(s.Kind), Folded: s.Folded, Shift: s.Shift, Factor: s.Factor,
		Centre: s.Centre, Spread: s.Spread, R2: s.R2, Note: s.Note, epsilon: s.Epsilon}
}

// Same reports whether the features are scaled alike.
func (s *Scaling) Same(t *Scaling) bool { return s.room().Same(t.room()) }

// scalesRows reports whether rows have to be scaled before the weights take them.
func (m *Model) scalesRows() bool {
	return m.Scaling != nil && !m.Scaling.Folded && m.Scaling.Kind != ScaleNone
}
