package settings

import (
	"errors"
	"maps"
	"math"
	"testing"

	"github.com/pegasimd/pegasimd/internal/train/options"
)

func TestValidate(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	joint := Settings{Multiclass: CrammerSinger}
	for _, c := range []struct {
		s     Settings
		field string // "" if the settings are valid
	}{
		{Settings{}, ""},
		{Settings{Loss: "other"}, "Loss"},
		{Settings{Loss: "squared"}, ""},
		{Settings{Order: "other"}, "Order"},
		{Settings{Order: "permutation"}, "Order"},
		{Settings{Order: "iid"}, ""},
		{Settings{Order: "sequential"}, ""},
		{Settings{Order: "blocks"}, ""},
		{Settings{Offset: "other"}, "Offset"},
		{Settings{Offset: OffsetNone}, ""},
		{Settings{Finish: "other"}, "Finish"},
		{Settings{Finish: FinishNone}, ""},
		{Settings{Average: "other"}, "Average"},
		{Settings{Average: LastIterate}, ""},
		{Settings{Bias: "other"}, "Bias"},
		{Settings{Multiclass: "other"}, "Multiclass"},
		{Settings{Multiclass: OneVsOne}, ""},
		{Settings{Scale: "other"}, "Scale"},
		{Settings{Scale: "standard"}, ""},
		{Settings{Scale: "max-abs"}, ""},
		{Settings{Scale: "unit"}, ""},
		{Settings{TargetScale: "unit", Loss: "squared"}, "TargetScale"},
		{Settings{TargetScale: "standard"}, "TargetScale"},
		{Settings{TargetScale: "standard", Loss: "squared"}, ""},
		{Settings{Lambda: -1}, "Lambda"},
		{Settings{Lambda: inf}, "Lambda"},
		{Settings{C: nan}, "C"},
		{Settings{Lambda: 1, C: 1}, "C"},
		{Settings{Epochs: 1, Steps: 1}, "Steps"},
		{Settings{Epochs: -1}, "Epochs"},
		{Settings{Steps: -1}, "Steps"},
		{Settings{Steps: options.MaxSteps}, ""},
		{Settings{Steps: options.MaxSteps + 1}, "Steps"},
		{Settings{Patience: -1}, "Patience"},
		{Settings{Patience: 3}, ""},
		{Settings{Tol: 0.5}, ""},
		{Settings{Tol: 1}, "Tol"},
		{Settings{Tol: -0.1}, "Tol"},
		{Settings{Tol: 0.5, Order: "iid"}, "Tol"},
		{Settings{Tol: 0.5, Bias: BiasUnregularised}, ""},
		{Settings{Tol: 0.5, Bias: BiasUnregularised, Multiclass: CrammerSinger}, "Tol"},
		{Settings{Finish: FinishDual}, ""},
		{Settings{Finish: FinishDual, Batch: 2}, "Finish"},
		{Settings{Finish: FinishDual, Bias: BiasUnregularised, Multiclass: CrammerSinger}, "Finish"},
		{Settings{Finish: FinishAuto}, ""},
		{Settings{Finish: FinishAuto, Project: true}, "Finish"},
		{Settings{Finish: FinishNewton}, ""},
		{Settings{Finish: FinishNewton, Patience: 1}, "Finish"},
		{Settings{Finish: FinishNewton, Multiclass: CrammerSinger}, "Finish"},
		{Settings{Block: 1}, ""},
		{Settings{Block: math.MaxInt32}, ""},
		{Settings{Block: -1}, "Block"},
		{Settings{Block: 8, Order: "sequential"}, "Block"},
		{Settings{Block: 8, Order: "blocks"}, ""},
		{Settings{Batch: -1}, "Batch"},
		{Settings{Batch: 2}, ""},
		{Settings{BiasScale: 2}, ""}, // a BiasScale alone appends a feature
		{Settings{BiasScale: -2}, "BiasScale"},
		{Settings{BiasScale: 2, Bias: BiasNone}, "BiasScale"},
		{Settings{BiasScale: 1, Bias: BiasNone}, ""},
		{Settings{BiasScale: 2, Bias: BiasAugmented}, ""},
		{Settings{BiasScale: 2 * math.MaxFloat32, Bias: BiasAugmented}, "BiasScale"},
		{Settings{Calibrate: 1}, "Calibrate"},
		{Settings{Calibrate: 2}, ""},
		{Settings{Calibrate: 1000}, ""},
		{Settings{Calibrate: 1001}, "Calibrate"},
		{Settings{Calibrate: 5, Loss: "squared"}, "Calibrate"},
		{Settings{Epsilon: 1}, "Epsilon"},
		{Settings{Epsilon: 1, Loss: "eps-insensitive"}, ""},
		{Settings{Epsilon: -1, Loss: "eps-insensitive"}, "Epsilon"},
		{Settings{Epsilon: inf, Loss: "eps-insensitive"}, "Epsilon"},
		{joint, ""},
		{Settings{Multiclass: CrammerSinger, Loss: "log"}, "Multiclass"},
		{Settings{Multiclass: Multinomial}, ""},
		{Settings{Multiclass: Multinomial, Loss: "hinge"}, "Multiclass"},
		{Settings{Multiclass: OneVsOne, Loss: "squared"}, "Multiclass"},
		{Settings{ClassWeight: Balanced}, ""},
		{Settings{ClassWeight: Balanced, Loss: "squared"}, "ClassWeight"},
		{Settings{ClassWeight: "1"}, "ClassWeight"},
	} {
		err := c.s.Validate()
		var rule options.Rule
		if c.field == "" && err != nil || c.field != "" && !errors.As(err, &rule) ||
			rule.Field != c.field {
			t.Errorf("%+v: %v, want %q", c.s, err, c.field)
		}
	}
}

func TestClassWeights(t *testing.T) {
	for _, c := range []struct {
		list string
		want map[float32]float64 // nil if there are none or ok is false
		ok   bool
	}{
		{"", nil, true},
		{Balanced, nil, true},
		{"-1=1, 1 = 2.5", map[float32]float64{-1: 1, 1: 2.5}, true},
		{"3=0", map[float32]float64{3: 0}, true},
		{"3", nil, false}, {"a=1", nil, false}, {"1=a", nil, false}, {"1=-1", nil, false},
		{"1=inf", nil, false}, {"1=1,1=2", nil, false}, {"1=1,", nil, false},
	} {
		s := Settings{ClassWeight: c.list}
		have, err := s.ClassWeights()
		var rule options.Rule
		if (err == nil) != c.ok || !maps.Equal(have, c.want) || (have == nil) != (c.want == nil) ||
			err != nil && (!errors.As(err, &rule) || rule.Field != "ClassWeight") {
			t.Errorf("%q: ClassWeights returned %v, %v", c.list, have, err)
		}
	}
	s := Settings{ClassWeight: "3"}
	_, err := s.ClassWeights()
	want := `ClassWeight: have "3", want a list such as -1=1,1=2.5, or balanced alone`
	if err == nil || err.Error() != want {
		t.Errorf("a label without a weight: %v, want %s", err, want)
	}
}
