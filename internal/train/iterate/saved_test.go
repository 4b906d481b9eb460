package iterate_test

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/internal/train/certificate"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/options"
)

func full(t *testing.T) *iterate.State {
	s := newState(t, 2, 0.3, 2, false)
	s.Average = iterate.NewAverage(s.Total, 2, testCols)
	s.Windows = certificate.NewWindows(s.Total, 20, testRows*2)
	return s
}

func TestRestore(t *testing.T) {
	s := full(t)
	w := iterate.Zeros(2, testCols)
	w[1][2] = 5
	if err := s.SetStart(w, []float64{1, 2}, 40); err != nil {
		t.Fatal(err)
	}
	for range 70 {
		s.AddRow(1, uint32(s.T%testRows), 0.5)
		s.T++
		s.Sample()
	}
	s.Violations, s.Checked, s.Factor, s.Norm2, s.Windows.Start, s.Windows.OldStart = 7, 60, 0.5, 9,
		3, 2
	s.Biases[0], s.Windows.Count[3], s.Windows.Old[4] = 11, 5, 6
	s.LeastT0, s.T0, s.Gradients = 3, 5, 8
	file, err := json.Marshal(s.Save())
	if err != nil {
		t.Fatal(err)
	}
	var arrays [][]float32
	s.Arrays(func(a []float32) { arrays = append(arrays, slices.Clone(a)) })
	if len(arrays) != 2+2+4+2 {
		t.Errorf("%d arrays, want 10", len(arrays))
	}
	var saved iterate.Saved
	if err := json.Unmarshal(file, &saved); err != nil {
		t.Fatal(err)
	}
	other := full(t)
	other.LeastT0 = 3
	if !other.RestoreStep(&saved) || !other.Restore(&saved) {
		t.Fatal("not restored")
	}
	other.Arrays(func(a []float32) { copy(a, arrays[0]); arrays = arrays[1:] })
	if !reflect.DeepEqual(s.Save(), other.Save()) || !slices.Equal(result(s), result(other)) ||
		!slices.Equal(last(s), last(other)) || other.T != 110 || other.Start != 40 ||
		other.Origin != 40 || other.Total != 140 || other.StartWeights.W[1][2] != 5 ||
		other.T0 != 5 || other.Gradients != 8 || other.Windows.Count[3] != 5 || other.Windows.Old[4] != 6 {
		t.Errorf("the restored state is %+v, want %+v", other, s)
	}
	if s.Biases[0] = 12; saved.Biases[0] != 11 {
		t.Error("the biases are shared")
	}
}

func TestRestoreRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		change func(k *iterate.Saved)
		want   bool
	}{
		"as it is":       {func(k *iterate.Saved) {}, true},
		"negative start": {func(k *iterate.Saved) { k.Start = -1 }, false},
		"start too late": {func(k *iterate.Saved) {
			k.Start, k.Steps = options.MaxSteps+1, options.MaxSteps+1
		}, false},
		"last start": {func(k *iterate.Saved) {
			k.Start, k.Steps = options.MaxSteps, options.MaxSteps
		}, true},
		"steps before start":  {func(k *iterate.Saved) { k.Start, k.Steps = 5, 4 }, false},
		"no steps":            {func(k *iterate.Saved) { k.Start, k.Steps = 5, 5 }, true},
		"too many steps":      {func(k *iterate.Saved) { k.Start, k.Steps = 5, 106 }, false},
		"all steps":           {func(k *iterate.Saved) { k.Start, k.Steps = 5, 105 }, true},
		"biases at the start": {func(k *iterate.Saved) { k.Began = make([]float64, 3) }, false},
		"biases":              {func(k *iterate.Saved) { k.Biases = make([]float64, 3) }, false},
		"no certificate":      {func(k *iterate.Saved) { k.Recent = false }, false},
		"shift":               {func(k *iterate.Saved) { k.Shift = 63 }, false},
		"last shift":          {func(k *iterate.Saved) { k.Shift = 62 }, true},
		"no old window":       {func(k *iterate.Saved) { k.Old = nil }, false},
		"no present window":   {func(k *iterate.Saved) { k.Current = nil }, false},
		"scalars": {func(k *iterate.Saved) {
			k.Current.Scalars = k.Current.Scalars[:1]
		}, false},
	} {
		saved := full(t).Save()
		c.change(&saved)
		s := full(t)
		if have := s.RestoreStep(&saved) && s.Restore(&saved); have != c.want {
			t.Errorf("%s: restored %v", name, have)
		}
	}
	for _, c := range []struct {
		t0, gradients float64
		adapts, want  bool
	}{
		{4, 1, true, true}, {3, 0, true, true}, {0, 0, true, true}, {2.9, 1, true, false},
		{4, -1, true, false}, {math.Inf(1), 1, true, false}, {4, 1, false, false},
	} {
		s := full(t)
		saved := s.Save()
		saved.T0, saved.Gradients = c.t0, c.gradients
		if c.adapts {
			s.LeastT0 = 3
		}
		if have := s.Restore(&saved); have != c.want || have && (s.LeastT0 > 0) != (c.t0 > 0) {
			t.Errorf("%+v: restored %v, the least t0 is %v", c, have, s.LeastT0)
		}
	}
	bare := newState(t, 2, 0.3, 2, false)
	if saved := bare.Save(); saved.Old != nil || saved.Recent || !bare.Restore(&saved) {
		t.Errorf("a state without average and windows saves %+v, or is not restored", saved)
	}
	n := 0
	bare.Arrays(func([]float32) { n++ })
	if n != 2 {
		t.Errorf("%d arrays of a bare state", n)
	}
}
