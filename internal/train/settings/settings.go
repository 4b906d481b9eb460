// Package settings has what a training can be told: the fields of pegasos.Config, which of them
// stand for what when they are zero, which go together, and which count where. The rooms of the
// trainer that have to know settings know these.
package settings

import (
	"fmt"
	"iter"
	"reflect"

	"github.com/pegasimd/pegasimd/internal/labels"
	"github.com/pegasimd/pegasimd/internal/options"
	"github.com/pegasimd/pegasimd/internal/order"
	"github.com/pegasimd/pegasimd/internal/scaling"
	"github.com/pegasimd/pegasimd/internal/train/loss"
)

// The values of fields, by their names in files and flags; package pegasos says what they are. The
// orders are those of package order, the scales those of package scaling, and the losses those of
// package loss.
const (
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

// These values stand for zero fields.
const (
	DefaultLambda       = 1e-4
	DefaultEpochs       = 20
	DefaultBiasScale    = 1
	DefaultBlock        = 64
	DefaultNewtonEpochs = 200
)

// Settings are a pegasos.Config whose names are plain strings. The fields are the same.
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
	Shards      int
	Project     bool
	Offset      string
	Average     string
	Finish      string
	Bias        string
	BiasScale   float64
	Scale       string
	TargetScale string
	Calibrate   int
	Seed        uint64
}

// Copy copies the fields of one struct to those of the same names of another, to which to points:
// a Config to Settings, or the other way.
func Copy(to, from any) {
	dst, src := reflect.ValueOf(to).Elem(), reflect.ValueOf(from)
	for i := range src.NumField() {
		f := dst.FieldByName(src.Type().Field(i).Name)
		f.Set(src.Field(i).Convert(f.Type()))
	}
}

// Plain returns s with its zero fields filled in by values that do not go by the data.
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
		options.Fill(&s.BiasScale, DefaultBiasScale)
	}
	options.Fill(&s.Scale, scaling.None)
	options.Fill(&s.TargetScale, scaling.None)
	options.Fill(&s.Offset, OffsetR2)
	options.Fill(&s.Average, LastHalf)
	return s
}

// InForce returns the settings of a run: Plain ones, without the scale of a feature that is not
// appended, of which 1 is allowed.
func (s Settings) InForce() Settings {
	s = s.Plain()
	if s.Bias != BiasAugmented {
		s.BiasScale = 0
	}
	return s
}

// Kind returns the loss, the hinge where there is none of that name: Validate refuses it.
func (s *Settings) Kind() loss.Kind {
	k, _ := loss.KindOf(s.Loss)
	return k
}

// Cost returns the loss of a row as a function of its margin.
func (s *Settings) Cost() loss.Func {
	f := loss.Func{Kind: s.Kind()}
	if f.Kind.Traits().Epsilon {
		f.Epsilon = s.Epsilon
	}
	return f
}

// Numbers reports whether labels are numbers to predict.
func (s *Settings) Numbers() bool { return s.Kind().Traits().Numbers }

// Joint reports whether all weight vectors are trained in one problem.
func (s *Settings) Joint() bool {
	return s.Multiclass == CrammerSinger || s.Multiclass == Multinomial
}

// Finishes reports whether the run does not end as it began.
func (s *Settings) Finishes() bool { return s.Finish != "" && s.Finish != FinishNone }

// Bounds reports whether there is a bound with the settings.
func (s Settings) Bounds() bool {
	s = s.Plain()
	return s.Order != order.IID && !(s.Joint() && s.Bias == BiasUnregularised)
}

// CanFinish reports whether a run with the settings can have a finish.
func (s *Settings) CanFinish() bool {
	return s.Order != order.IID && s.Batch <= 1 && !s.Project
}

// CanDescend reports whether a run with the settings can have the dual descent as its finish.
func (s *Settings) CanDescend() bool {
	return s.CanFinish() && !(s.Joint() && s.Bias == BiasUnregularised)
}

// CanNewton reports whether a run with the settings can have Newton's method as its finish.
func (s *Settings) CanNewton() bool {
	return s.CanFinish() && !s.Joint() && s.Patience == 0
}

// MayProve reports whether a run can end when it is proven to be near the optimum, and nothing else
// is to end it.
func (s *Settings) MayProve() bool {
	return s.Tol == 0 && s.Patience == 0 && !s.Finishes() && s.Bounds()
}

// Length returns the length of the run in steps, for epochs of the given number.
func (s *Settings) Length(epoch int) (int64, error) {
	if s.Steps != 0 {
		return s.Steps, nil
	}
	if int64(s.Epochs) > options.MaxSteps/int64(epoch) {
		return 0, options.Bad("Epochs", "have %d, which is more than 2^53 steps of %d an epoch",
			s.Epochs, epoch)
	}
	return int64(s.Epochs) * int64(epoch), nil
}

// MaxPairClasses keeps the number of pairs below 2^22.
const MaxPairClasses = 2048

// Pairwise reports whether there is a problem for each pair of the classes.
func (s *Settings) Pairwise(classes int) bool { return s.Multiclass == OneVsOne && classes > 2 }

// Parts yields, for each part of a training on the classes, the place of its first weight
// vector, and the pair of classes whose rows it is about, in a slice that is used again for the
// next; or the one part of all rows, and nil.
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

// Vectors returns how many weight vectors there are for the classes.
func (s *Settings) Vectors(classes int) (int, error) {
	numbers := s.Numbers()
	switch {
	case numbers && classes == 0, !numbers && classes == 2 && !s.Joint():
		return 1, nil
	case numbers:
		return 0, fmt.Errorf("%d classes, want none for the loss %s", classes, s.Loss)
	case classes < 2 || classes > labels.MaxClasses:
		return 0, fmt.Errorf("%d classes, want 2 to %d", classes, labels.MaxClasses)
	case s.Multiclass == OneVsOne && classes > MaxPairClasses:
		return 0, fmt.Errorf("%d classes, want at most %d with one-vs-one", classes, MaxPairClasses)
	case s.Multiclass == OneVsOne:
		return classes * (classes - 1) / 2, nil
	}
	return classes, nil
}
