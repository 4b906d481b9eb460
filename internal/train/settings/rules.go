package settings

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"github.com/pegasimd/pegasimd/internal/base/order"
	"github.com/pegasimd/pegasimd/internal/model/labels"
	"github.com/pegasimd/pegasimd/internal/rows/curves"
	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/internal/train/loss"
	"github.com/pegasimd/pegasimd/internal/train/options"
)

// Names of fields that the reasons of other fields' rules mention.
const (
	nameLoss       options.Name = "Loss"
	nameOrder      options.Name = "Order"
	nameMulticlass options.Name = "Multiclass"
	nameBias       options.Name = "Bias"
	nameBatch      options.Name = "Batch"
	nameProject    options.Name = "Project"
	namePatience   options.Name = "Patience"
)

// Validate returns nil, or an [options.Rule] for a field whose value is not allowed.
func (s Settings) Validate() error {
	if err := options.Check(options.Exclusive(s.Lambda, s.C, s.Epochs, s.Steps)); err != nil {
		return err
	}
	if s.Bias == "" && s.BiasScale != 0 {
		s.Bias = BiasAugmented
	}
	s = s.Plain()
	if _, err := s.ClassWeights(); err != nil {
		return err
	}
	return options.Check(s.valueRules(), s.lengthRules(), s.classRules())
}

func (s *Settings) valueRules() []options.Rule {
	return []options.Rule{
		options.OneOf("Loss", s.Loss, loss.Names()...),
		options.OneOf("Order", s.Order, order.Shuffled, order.IID, order.Sequential, order.Blocks),
		options.OneOf("Offset", s.Offset, OffsetAuto, OffsetR2, OffsetNone),
		options.OneOf("Finish", cmp.Or(s.Finish, FinishNone), FinishNone, FinishDual, FinishAuto,
			FinishNewton),
		options.OneOf("Average", s.Average, LastHalf, LastIterate),
		options.OneOf("Bias", s.Bias, BiasNone, BiasAugmented, BiasUnregularised),
		options.OneOf("Multiclass", s.Multiclass, OneVsRest, OneVsOne, CrammerSinger, Multinomial),
		options.OneOf("Scale", s.Scale, scale.None, scale.Standard, scale.MaxAbs, scale.Unit),
		options.OneOf("TargetScale", s.TargetScale, scale.None, scale.Standard),
		options.Not("TargetScale", s.TargetScale == scale.Standard && !s.Regression(),
			"have %q, but %s %q predicts classes, not numbers", s.TargetScale, nameLoss, s.Loss),
		options.OneOf("Curves", s.Curves, curves.None, curves.Products, curves.Pieces),
		options.Penalty(s.Lambda, s.C),
	}
}

func (s *Settings) lengthRules() []options.Rule {
	rules := []options.Rule{
		options.Range("Epochs", s.Epochs, 0, math.MaxInt, "0 or more"),
		options.Range("Steps", s.Steps, 0, options.MaxSteps, "0 to 2^53"),
		options.Range("Patience", s.Patience, 0, math.MaxInt, "0 or more"),
		options.Not("Tol", s.Tol != 0 && s.Order == order.IID,
			"have %v, but with %s %q training computes no bound", s.Tol, nameOrder, s.Order),
		options.Not("Tol", s.Tol != 0 && s.Bias == BiasUnregularised && s.Joint(),
			"have %v, but with %s %q and %s %q training computes no bound",
			s.Tol, nameMulticlass, s.Multiclass, nameBias, s.Bias),
		options.Not("Finish", s.Finish == FinishDual && !s.CanDescend(),
			"have %q, which excludes %s %q, %s above 1, %s, and %s %q with %s %q or %q", s.Finish,
			nameOrder, order.IID, nameBatch, nameProject, nameBias, BiasUnregularised, nameMulticlass,
			CrammerSinger, Multinomial),
		options.Not("Finish", s.Finish == FinishAuto && !s.canFinish(),
			"have %q, which excludes %s %q, %s above 1 and %s", s.Finish, nameOrder, order.IID,
			nameBatch, nameProject),
		options.Not("Finish", s.Finish == FinishNewton && !s.CanNewton(),
			"have %q, which excludes %s, %s %q and %q, %s %q, %s above 1 and %s", s.Finish, namePatience,
			nameMulticlass, CrammerSinger, Multinomial, nameOrder, order.IID, nameBatch, nameProject),
	}
	if s.Tol != 0 {
		rules = append(rules, options.Share("Tol", s.Tol))
	}
	return append(rules,
		options.Only("Block", !order.InBlocks(s.Order) && s.Block != 0, s.Block, "Order", s.Order),
		options.Range("Block", s.Block, 0, math.MaxInt32, "0 to 2^31-1"),
		options.Range("Batch", s.Batch, 0, math.MaxInt, "0 or more"))
}

func (s *Settings) classRules() []options.Rule {
	numbers, augmented, b := s.Regression(), s.Bias == BiasAugmented, s.BiasScale
	required := map[string]string{CrammerSinger: loss.Hinge.Name(),
		Multinomial: loss.Log.Name()}[s.Multiclass]
	return []options.Rule{
		options.Not("BiasScale", augmented && (!(b > 0) || b > math.MaxFloat32),
			"have %v, want a positive number of at most 3.4e38", b),
		options.Only("BiasScale", !augmented && b != 0 && b != defaultBiasScale, b, "Bias", s.Bias),
		options.Not("Calibrate", s.Calibrate != 0 && (s.Calibrate < 2 || s.Calibrate > 1000),
			"have %d, want 2 to 1000 folds, or 0 for none", s.Calibrate),
		options.Not("Calibrate", s.Calibrate != 0 && numbers,
			"%s %q predicts numbers, which have no probabilities", nameLoss, s.Loss),
		options.Only("Epsilon", s.Epsilon != 0 && !s.Kind().Traits().Epsilon, s.Epsilon, "Loss",
			s.Loss),
		options.Range("Epsilon", s.Epsilon, 0, math.MaxFloat32, "a number from 0 to 3.4e38"),
		options.Not("Multiclass", required != "" && s.Loss != required,
			"have %q, which requires %s %q, but %s is %q", s.Multiclass, nameLoss, required, nameLoss,
			s.Loss),
		options.Not("Multiclass", numbers && s.Multiclass != OneVsRest,
			"have %q, but %s %q predicts numbers, not classes", s.Multiclass, nameLoss, s.Loss),
		options.Not("ClassWeight", numbers && s.ClassWeight != "",
			"have %q, but %s %q predicts numbers, not classes", s.ClassWeight, nameLoss, s.Loss),
	}
}

// ClassWeights returns the weight of each label in ClassWeight, a list of label=weight pairs such
// as "-1=1,1=2.5". If ClassWeight is empty or Balanced, the map is nil.
func (s *Settings) ClassWeights() (map[float32]float64, error) {
	if s.ClassWeight == "" || s.ClassWeight == Balanced {
		return nil, nil
	}
	weights := make(map[float32]float64)
	for _, part := range strings.Split(s.ClassWeight, ",") {
		name, value, pair := strings.Cut(part, "=")
		label, err := strconv.ParseFloat(strings.TrimSpace(name), 32)
		weight, err2 := strconv.ParseFloat(strings.TrimSpace(value), 64)
		switch {
		case err != nil || !pair:
			return nil, options.Bad("ClassWeight",
				"have %.40q, want a list such as -1=1,1=2.5, or %s alone", part, Balanced)
		case err2 != nil || !labels.GoodWeight(weight):
			return nil, options.Bad("ClassWeight", "have the weight %.40q, want %s", value,
				labels.GoodWeights)
		}
		if _, twice := weights[float32(label)]; twice {
			return nil, options.Bad("ClassWeight", "a label is listed twice")
		}
		weights[float32(label)] = weight
	}
	return weights, nil
}
