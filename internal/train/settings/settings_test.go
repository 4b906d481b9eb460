package settings

import (
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/internal/train/loss"
	"github.com/pegasimd/pegasimd/internal/train/options"
)

func TestPlain(t *testing.T) {
	plain := Settings{Loss: "hinge", Multiclass: OneVsRest, Lambda: 1e-4, Epochs: 20,
		Order: "shuffled", Block: 64, Offset: OffsetAuto, Average: LastHalf, Bias: BiasNone,
		Scale: "none", TargetScale: "none", Curves: "none"}
	with := func(change func(*Settings)) Settings {
		s := plain
		change(&s)
		return s
	}
	given := Settings{Loss: "log", Multiclass: OneVsOne, C: 3, Epochs: 7, Order: "sequential",
		Offset: OffsetNone, Average: LastIterate, Bias: BiasUnregularised, Scale: "unit",
		TargetScale: "standard", Curves: "products"}
	for _, c := range []struct{ open, want Settings }{
		{Settings{}, plain},
		{given, given},
		{Settings{Multiclass: Multinomial}, with(func(s *Settings) {
			s.Multiclass, s.Loss, s.Offset = Multinomial, "log", OffsetR2
		})},
		{Settings{C: 3}, with(func(s *Settings) { s.C, s.Lambda = 3, 0 })},
		{Settings{Steps: 3}, with(func(s *Settings) { s.Steps, s.Epochs = 3, 0 })},
		{Settings{Finish: FinishNewton}, with(func(s *Settings) {
			s.Finish, s.Epochs, s.Offset = FinishNewton, 200, OffsetR2
		})},
		{Settings{Finish: FinishNewton, Steps: 5}, with(func(s *Settings) {
			s.Finish, s.Epochs, s.Steps, s.Offset = FinishNewton, 0, 5, OffsetR2
		})},
		{Settings{Order: "blocks"}, with(func(s *Settings) { s.Order = "blocks" })},
		{Settings{Order: "iid"}, with(func(s *Settings) { s.Order, s.Block = "iid", 0 })},
		{Settings{Bias: BiasAugmented}, with(func(s *Settings) {
			s.Bias, s.BiasScale = BiasAugmented, 1
		})},
		{Settings{Bias: BiasNone, BiasScale: 1}, with(func(s *Settings) { s.BiasScale = 1 })},
	} {
		if have := c.open.Plain(); have != c.want {
			t.Errorf("%+v: %+v, want %+v", c.open, have, c.want)
		}
	}
	if have := (Settings{Bias: BiasNone, BiasScale: 1}).InForce(); have != plain {
		t.Errorf("InForce returned %+v, want %+v", have, plain)
	}
	if have := (Settings{Bias: BiasAugmented, BiasScale: 3}).InForce(); have.BiasScale != 3 {
		t.Errorf("InForce returned %+v, want the BiasScale 3", have)
	}
}

func TestFillFrom(t *testing.T) {
	base := Settings{Loss: "eps-insensitive", Epsilon: 0.5, C: 3, Epochs: 7, Tol: 0.1,
		Finish: FinishAuto, Bias: BiasAugmented, BiasScale: 2, Scale: "unit", TargetScale: "standard",
		Curves: "products"}
	data := Settings{Multiclass: OneVsRest, C: 3, Bias: BiasAugmented, BiasScale: 2, Scale: "unit",
		Curves: "products"} // no TargetScale: with the hinge loss, the labels are classes
	with := func(change func(*Settings)) Settings {
		s := data
		change(&s)
		return s
	}
	for _, c := range []struct {
		s       Settings
		resumed bool
		want    Settings
	}{
		{Settings{}, false, data},
		{Settings{Loss: "eps-insensitive"}, false, with(func(s *Settings) {
			s.Loss, s.Epsilon, s.TargetScale = "eps-insensitive", 0.5, "standard"
		})},
		{Settings{}, true, with(func(s *Settings) {
			s.Finish, s.Tol, s.Epochs = FinishAuto, 0.1, 7
		})},
		{Settings{Steps: 9, Lambda: 1, Bias: BiasNone}, true, with(func(s *Settings) {
			s.Finish, s.Tol, s.Steps = FinishAuto, 0.1, 9
			s.Lambda, s.C, s.Bias, s.BiasScale = 1, 0, BiasNone, 0
		})},
	} {
		have := c.s
		if have.FillFrom(base, c.resumed); have != c.want {
			t.Errorf("%+v, resumed %v: %+v, want %+v", c.s, c.resumed, have, c.want)
		}
	}
}

func TestSolvers(t *testing.T) {
	for _, c := range []struct {
		s Settings
		// wanted results of canFinish, CanDescend, CanNewton, MayProve and HasBound
		finish, descend, newton, ends, bounds bool
	}{
		{Settings{}, true, true, true, true, true},
		{Settings{Order: "iid"}, false, false, false, false, false},
		{Settings{Batch: 1}, true, true, true, true, true},
		{Settings{Batch: 2}, false, false, false, true, true},
		{Settings{Project: true}, false, false, false, true, true},
		{Settings{Multiclass: CrammerSinger}, true, true, false, true, true},
		{Settings{Multiclass: Multinomial}, true, true, false, true, true},
		{Settings{Bias: BiasUnregularised}, true, true, true, true, true},
		{Settings{Multiclass: CrammerSinger, Bias: BiasUnregularised}, true, false, false, false,
			false},
		{Settings{Patience: 1}, true, true, false, false, true},
		{Settings{Tol: 0.1}, true, true, true, false, true},
		{Settings{Finish: FinishNone}, true, true, true, true, true},
		{Settings{Finish: FinishAuto}, true, true, true, false, true},
	} {
		s := c.s
		if s.canFinish() != c.finish || s.CanDescend() != c.descend || s.CanNewton() != c.newton ||
			s.MayProve() != c.ends || s.HasBound() != c.bounds {
			t.Errorf("%+v: %v %v %v %v %v", s, s.canFinish(), s.CanDescend(), s.CanNewton(),
				s.MayProve(), s.HasBound())
		}
		if want := s.Finish == FinishAuto; s.HasSolver() != want {
			t.Errorf("%+v: HasSolver returned %v", s, !want)
		}
	}
}

func TestKind(t *testing.T) {
	for name, want := range map[string]loss.Kind{"": loss.Hinge, "other": loss.Hinge,
		"log": loss.Log, "squared": loss.Squared, "eps-insensitive": loss.EpsInsensitive} {
		s := Settings{Loss: name, Epsilon: 2}
		cost := loss.Func{Kind: want}
		if want == loss.EpsInsensitive {
			cost.Epsilon = 2
		}
		if s.Kind() != want || s.LossFunc() != cost {
			t.Errorf("%q: Kind is %v, LossFunc is %v", name, s.Kind(), s.LossFunc())
		}
		if numbers := want == loss.Squared || want == loss.EpsInsensitive; s.Regression() != numbers {
			t.Errorf("%q: Regression returned %v", name, !numbers)
		}
	}
}

func TestLength(t *testing.T) {
	for _, c := range []struct {
		s     Settings
		epoch int
		want  int64 // steps; 0 for an error
	}{
		{Settings{Epochs: 3}, 7, 21},
		{Settings{Steps: 5, Epochs: 3}, 7, 5},
		{Settings{Epochs: 1 << 30}, 1 << 23, options.MaxSteps}, // 2^53
		{Settings{Epochs: 1 << 23}, 1 << 30, options.MaxSteps},
		{Settings{Epochs: 1<<30 + 1}, 1 << 23, 0},
	} {
		if have, err := c.s.Length(c.epoch); have != c.want || (err != nil) != (c.want == 0) {
			t.Errorf("%+v: Length returned %d, %v", c.s, have, err)
		}
	}
}

func TestParts(t *testing.T) {
	ovo := &Settings{Multiclass: OneVsOne}
	var pairs [][]int32
	for k, pair := range ovo.Parts(4) {
		if k != len(pairs) {
			t.Errorf("part %d has the index %d", len(pairs), k)
		}
		if pairs = append(pairs, slices.Clone(pair)); k == 4 {
			break
		}
	}
	want := [][]int32{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}}
	if !slices.EqualFunc(pairs, want, slices.Equal) {
		t.Errorf("the pairs are %v", pairs)
	}
	for _, c := range []struct {
		s       Settings
		classes int
	}{{*ovo, 2}, {Settings{}, 4}} {
		for k, pair := range c.s.Parts(c.classes) {
			if k != 0 || pair != nil {
				t.Errorf("%+v of %d classes: part %d, %v", c.s, c.classes, k, pair)
			}
		}
	}
	for _, c := range []struct {
		multiclass, loss string
		classes, want    int // number of vectors wanted; 0 for an error
	}{
		{OneVsRest, "hinge", 2, 1}, {OneVsRest, "hinge", 3, 3}, {OneVsRest, "hinge", 1, 0},
		{OneVsRest, "hinge", 0, 0}, {OneVsRest, "hinge", 1 << 16, 1 << 16},
		{OneVsRest, "hinge", 1<<16 + 1, 0},
		{OneVsOne, "hinge", 2, 1}, {OneVsOne, "hinge", 3, 3}, {OneVsOne, "hinge", 5, 10},
		{OneVsOne, "hinge", 2048, 2048 * 2047 / 2}, {OneVsOne, "hinge", 2049, 0},
		{CrammerSinger, "hinge", 2, 2}, {Multinomial, "log", 3, 3},
		{OneVsRest, "squared", 0, 1}, {OneVsRest, "squared", 2, 0},
	} {
		s := Settings{Multiclass: c.multiclass, Loss: c.loss}
		if have, err := s.Vectors(c.classes); have != c.want || (err != nil) != (c.want == 0) {
			t.Errorf("%s, %s, %d classes: %d vectors, %v", c.multiclass, c.loss, c.classes, have, err)
		}
	}
}

func TestCopy(t *testing.T) {
	type name string
	var to struct {
		Loss   name
		Epochs int
	}
	Copy(&to, struct {
		Epochs int
		Loss   string
	}{3, "log"})
	if to.Loss != "log" || to.Epochs != 3 {
		t.Errorf("the copy is %+v", to)
	}
}

func TestAdaptsOffset(t *testing.T) {
	for _, c := range []struct {
		s    Settings
		want bool
	}{
		{Settings{}, true}, {Settings{Order: "iid"}, true}, {Settings{Loss: "eps-insensitive"}, false},
		{Settings{Multiclass: OneVsOne, Bias: BiasAugmented, Batch: 1}, true},
		{Settings{Finish: FinishNone, Tol: 0.1}, true},
		{Settings{Loss: "log"}, false}, {Settings{Loss: "squared-hinge"}, false},
		{Settings{Multiclass: CrammerSinger}, false}, {Settings{Batch: 2}, false},
		{Settings{Project: true}, false}, {Settings{Bias: BiasUnregularised}, false},
		{Settings{Finish: FinishDual}, false}, {Settings{Finish: FinishAuto}, false},
	} {
		s := c.s.Plain()
		if have := s.AdaptsOffset(); have != c.want || (s.Offset == OffsetAuto) != c.want {
			t.Errorf("%+v: AdaptsOffset returned %v", s, have)
		}
		s.Offset = OffsetAuto
		if have := s.AdaptsOffset(); have != c.want {
			t.Errorf("%+v: AdaptsOffset returned %v", s, have)
		}
		for _, s.Offset = range []string{OffsetR2, OffsetNone} {
			if s.AdaptsOffset() {
				t.Errorf("%+v adapts t0", s)
			}
		}
	}
}
