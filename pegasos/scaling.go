package pegasos

import (
	"github.com/pegasimd/pegasimd/internal/rows/curves"
	"github.com/pegasimd/pegasimd/internal/rows/scale"
)

// Scale names a way to scale features or regression targets for training.
type Scale = scale.Kind // a string

const (
	ScaleNone Scale = "none" // no scaling
	// ScaleStandard subtracts each column's mean and divides by its standard deviation. Sparse rows
	// become dense.
	ScaleStandard Scale = "standard"
	// ScaleMaxAbs divides each column by its largest magnitude.
	ScaleMaxAbs Scale = "max-abs"
	// ScaleUnit divides each row by its Euclidean norm. Rows of zeros stay as they are.
	ScaleUnit Scale = "unit"
)

// Scaling records how rows and targets were scaled for training. With ScaleUnit each row was
// divided by its norm; otherwise the value x of column j became (x - Shift[j])*Factor[j], where a
// nil Shift means 0 and a nil Factor 1. The target y became (y - Centre)/Spread. Lambda, the
// objective and its lower bound refer to scaled rows and targets.
type Scaling struct {
	Kind Scale `json:"kind"` // scaling of the features
	// Folded says that weights and biases were converted to apply to unscaled rows. If Folded is
	// false, the model scales each row before scoring it: with ScaleUnit, with an Expansion, or if
	// float32 would be too coarse for the converted weights, because a column's mean is much larger
	// than its standard deviation or a factor is extreme.
	Folded bool      `json:"folded"`
	Shift  []float32 `json:"-"`                // column means with ScaleStandard; else nil
	Factor []float32 `json:"-"`                // column factors; nil with ScaleNone and ScaleUnit
	Centre float64   `json:"centre,omitempty"` // subtracted from targets
	Spread float64   `json:"spread,omitempty"` // divisor of targets; 0 means 1
	R2     float64   `json:"r2"`               // mean squared norm of scaled rows, without a bias
	// Note may say why the features were left unscaled, how lambda, Curves and Multiclass were
	// chosen, and how many seconds a proof would take.
	Note string `json:"note,omitempty"`
	// Expansion lists the columns that Config.Curves appended; nil if none.
	Expansion *Expansion `json:"expansion,omitempty"`
}

// Curves names a kind of columns to append to scaled rows: with them a linear model can be a curved
// function of the features.
type Curves = curves.Kind // a string

const (
	CurvesNone Curves = "none" // no columns are appended
	// CurvesProducts appends the square of each column with more than two values and, for up to 12
	// columns, the product of each pair of columns. Constant and duplicate columns do not count.
	CurvesProducts Curves = "products"
	// CurvesPieces makes the model a piecewise linear function of each column with more than two
	// values. It has a knot at about each quartile of such a column, and appends the amount by
	// which a value exceeds the knot, or 0.
	CurvesPieces Curves = "pieces"
)

// Expansion lists the appended columns, its Terms. The value of term k in a row with the scaled
// values z is (f - Shift[k])*Factor[k]. For CurvesProducts f is c(z[a])*c(z[b]), for CurvesPieces
// max(0, c(z[a]) - Knots[k]), where a, b are Terms[k] and c cuts values off at -4 and 4:
//
//	Kind   Curves
//	Terms  [][2]int32 // columns a <= b of each term; a = b for a square or a piece
//	Knots  []float32  // for CurvesPieces, in scaled units; else nil
//	Shift  []float32  // mean of each f in the training rows
//	Factor []float32  // inverse of each f's standard deviation
type Expansion = curves.Expansion

func (s *Scaling) internal() *scale.Scale { return (*scale.Scale)(s) }

// Same reports whether s and t scale the features, not the targets, in the same way. It returns
// false if s is nil; otherwise t must not be nil.
func (s *Scaling) Same(t *Scaling) bool { return s.internal().Same(t.internal()) }
