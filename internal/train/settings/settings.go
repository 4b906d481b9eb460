// Package settings provides the configuration of a training run, Settings, its defaults that do not
// depend on data, and the rules that Validate checks.
package settings

import (
	"fmt"
	"iter"
	"reflect"

	"github.com/pegasimd/pegasimd/internal/base/order"
	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/model/labels"
	"github.com/pegasimd/pegasimd/internal/rows/curves"
	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/internal/train/loss"
	"github.com/pegasimd/pegasimd/internal/train/options"
)

// Values of fields of Settings, in files and flags. Package pegasos documents them.
const (
	OffsetAuto = "auto"
	OffsetR2   = "r2"
	OffsetNone = "none"

	LastHalf    = "last-half"
	LastIterate = "none"

	BiasNone          = "none"
	BiasAugmented     = "augmented"
	BiasUnregularised = "unregularised"

	OneVsRest     = "ovr"
	OneVsOne      = "ovo"
	CrammerSinger = "crammer-singer"
	Multinomial   = "multinomial"

	FinishNone   = "none"
	FinishDual   = "dual"
	FinishAuto   = "auto"
	FinishNewton = "newton"

	Balanced = "balanced"
)

// Values that Plain gives to zero fields of Settings.
const (
	DefaultLambda       = 1e-4 // unless C is set
	DefaultEpochs       = 20   // unless Steps is set
	defaultBiasScale    = 1    // with BiasAugmented
	DefaultBlock        = 64   // in rows, with an Order that uses blocks
	DefaultNewtonEpochs = 200  // with FinishNewton, unless Steps is set
)

// Settings is a pegasos.Config with strings in place of its named string types.
type Settings struct {
	Loss        string
	Epsilon     float64
	Multiclass  string
	ClassWeight string
	Lambda      float64
	C           float64
	Epochs      int
	Steps       int64
	Tol         float64
	Patience    int
	Order       string
	Block       int
	Batch       int
	Project     bool
	Offset      string
	Average     string
	Finish      string
	Bias        string
	BiasScale   float64
	Scale       scale.Kind
	TargetScale scale.Kind
	Curves      curves.Kind
	Calibrate   int
	Seed        uint64
}

// Copy copies each field of from to the same field of *to, between pegasos.Config and Settings.
func Copy(to, from any) {
	dst, src := reflect.ValueOf(to).Elem(), reflect.ValueOf(from)
	for i := range src.NumField() {
		f := dst.FieldByName(src.Type().Field(i).Name)
		f.Set(src.Field(i).Convert(f.Type()))
	}
}

// Plain returns s with zero fields set to their constant defaults. Fields without a constant
// default, such as Tol and Finish, stay unchanged. So do Lambda if C is set, Epochs if Steps is
// set, and Block and BiasScale if Order and Bias do not use them.
func (s Settings) Plain() Settings {
	options.Fill(&s.Multiclass, OneVsRest)
	if s.Multiclass == Multinomial {
		options.Fill(&s.Loss, loss.Log.Name())
	}
	options.Fill(&s.Loss, loss.Hinge.Name())
	if s.C == 0 {
		options.Fill(&s.Lambda, DefaultLambda)
	}
	if s.Steps == 0 {
		if s.Finish == FinishNewton {
			options.Fill(&s.Epochs, DefaultNewtonEpochs)
		}
		options.Fill(&s.Epochs, DefaultEpochs)
	}
	options.Fill(&s.Order, order.Shuffled)
	if order.InBlocks(s.Order) {
		options.Fill(&s.Block, DefaultBlock)
	}
	options.Fill(&s.Bias, BiasNone)
	if s.Bias == BiasAugmented {
		options.Fill(&s.BiasScale, defaultBiasScale)
	}
	options.Fill(&s.Scale, scale.None)
	options.Fill(&s.TargetScale, scale.None)
	options.Fill(&s.Curves, curves.None)
	if s.adapts() {
		options.Fill(&s.Offset, OffsetAuto)
	}
	options.Fill(&s.Offset, OffsetR2)
	options.Fill(&s.Average, LastHalf)
	return s
}

// adapts excludes smooth losses, whose gradients change in size with w, and a bias without a
// penalty, which needs large steps.
func (s *Settings) adapts() bool {
	return s.Kind() == loss.Hinge && !s.HasSolver() && !s.Joint() && s.Batch <= 1 && !s.Project &&
		s.Bias != BiasUnregularised
}

// AdaptsOffset reports whether runs that start from w = 0 or from a prior adapt t0.
func (s *Settings) AdaptsOffset() bool { return s.Offset == OffsetAuto && s.adapts() }

// FillFrom sets zero fields of s to their values in base, the settings of the model that the run
// builds on: scaling, curves, multi-class scheme, bias, and Lambda or C. It sets Epsilon only if
// both losses are equal, and Finish, Tol, Epochs and Steps only if resumed is true.
func (s *Settings) FillFrom(base Settings, resumed bool) {
	base = base.Plain()
	options.Fill(&s.Scale, base.Scale)
	if s.Regression() == base.Regression() { // the run otherwise ends in an error
		options.Fill(&s.TargetScale, base.TargetScale)
	}
	options.Fill(&s.Curves, base.Curves)
	options.Fill(&s.Multiclass, base.Multiclass)
	if s.Bias == "" {
		s.Bias = base.Bias
		options.Fill(&s.BiasScale, base.BiasScale)
	}
	if s.Lambda == 0 && s.C == 0 {
		s.Lambda, s.C = base.Lambda, base.C
	}
	if resumed {
		options.Fill(&s.Finish, base.Finish)
		// Tol may have been chosen along with Finish.
		options.Fill(&s.Tol, base.Tol)
		if s.Epochs == 0 && s.Steps == 0 {
			s.Epochs, s.Steps = base.Epochs, base.Steps
		}
	}
	if base.Loss == s.Plain().Loss {
		options.Fill(&s.Epsilon, base.Epsilon)
	}
}

// InForce returns the result of Plain, except that BiasScale is 0 if Bias is not BiasAugmented.
func (s Settings) InForce() Settings {
	s = s.Plain()
	if s.Bias != BiasAugmented {
		s.BiasScale = 0
	}
	return s
}

// Kind returns the loss, or the hinge loss if Loss is empty or unknown.
func (s *Settings) Kind() loss.Kind {
	k, _ := loss.KindOf(s.Loss)
	return k
}

func (s *Settings) LossFunc() loss.Func {
	f := loss.Func{Kind: s.Kind()}
	if f.Kind.Traits().Epsilon {
		f.Epsilon = s.Epsilon
	}
	return f
}

func (s *Settings) Regression() bool { return s.Kind().Traits().Numbers }

// Joint reports whether all weight vectors are trained in one optimization problem.
func (s *Settings) Joint() bool {
	return s.Multiclass == CrammerSinger || s.Multiclass == Multinomial
}

// HasSolver reports whether Finish allows a solver other than Pegasos steps.
func (s *Settings) HasSolver() bool { return s.Finish != "" && s.Finish != FinishNone }

// HasBound reports whether a run computes a lower bound on the optimum.
func (s Settings) HasBound() bool {
	s = s.Plain()
	return s.Order != order.IID && !(s.Joint() && s.Bias == BiasUnregularised)
}

func (s *Settings) canFinish() bool {
	return s.Order != order.IID && s.Batch <= 1 && !s.Project
}

func (s *Settings) CanDescend() bool {
	return s.canFinish() && !(s.Joint() && s.Bias == BiasUnregularised)
}

func (s *Settings) CanNewton() bool {
	return s.canFinish() && !s.Joint() && s.Patience == 0
}

// MayProve reports whether the trainer may choose a Tol that ends the run early.
func (s *Settings) MayProve() bool {
	return s.Tol == 0 && s.Patience == 0 && !s.HasSolver() && s.HasBound()
}

// Length returns the length of the run in steps: Steps or, if Steps is 0, Epochs times
// stepsPerEpoch. It returns an error if that product exceeds 2^53.
func (s *Settings) Length(stepsPerEpoch int) (int64, error) {
	if s.Steps != 0 {
		return s.Steps, nil
	}
	if int64(s.Epochs) > options.MaxSteps/int64(stepsPerEpoch) {
		return 0, options.Bad("Epochs", "have %d epochs of %d steps, want at most 2^53 steps in all",
			s.Epochs, stepsPerEpoch)
	}
	return int64(s.Epochs) * int64(stepsPerEpoch), nil
}

// MaxPairClasses is the largest number of classes that one-vs-one allows.
const MaxPairClasses = 2048

func (s *Settings) Pairwise(classes int) bool { return s.Multiclass == OneVsOne && classes > 2 }

// Parts yields the parts of the data that are trained on separately. If Pairwise(classes), it
// yields each pair of classes, in a slice that it reuses, with the index of the pair's weight
// vector. Otherwise it yields 0 and a nil pair, for all rows.
func (s *Settings) Parts(classes int) iter.Seq2[int, []int32] {
	return func(yield func(int, []int32) bool) {
		if !s.Pairwise(classes) {
			yield(0, nil)
			return
		}
		k, pair := 0, make([]int32, 2)
		for a := range int32(classes) {
			for b := a + 1; b < int32(classes); b++ {
				pair[0], pair[1] = a, b
				if !yield(k, pair) {
					return
				}
				k++
			}
		}
	}
}

// Vectors returns the number of weight vectors of a model, or an error if the settings do not allow
// this number of classes. classes must be 0 for regression.
func (s *Settings) Vectors(classes int) (int, error) {
	numbers, most := s.Regression(), labels.MaxClasses
	if s.Multiclass == OneVsOne {
		most = MaxPairClasses
	}
	switch {
	case numbers && classes == 0, !numbers && classes == 2 && !s.Joint():
		return 1, nil
	case numbers:
		return 0, fmt.Errorf("%s, want 0 for regression with the loss %q",
			plural.Count(classes, "class"), s.Loss)
	case (classes < 2 || classes > most) && s.Multiclass == OneVsOne:
		return 0, fmt.Errorf("%s, want 2 to %d for one-vs-one", plural.Count(classes, "class"), most)
	case classes < 2 || classes > most:
		return 0, fmt.Errorf("%s, want 2 to %d", plural.Count(classes, "class"), most)
	case s.Multiclass == OneVsOne:
		return classes * (classes - 1) / 2, nil
	}
	return classes, nil
}
