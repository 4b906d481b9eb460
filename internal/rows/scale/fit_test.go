package scale

import (
	"reflect"
	"testing"
)

func TestFit(t *testing.T) {
	c := &Columns{MaxAbs: []float32{4, 0}, Mean: []float64{3, 0}, Variance: []float64{4, 0}}
	for kind, want := range map[Kind]Scale{
		None:     {Folded: true},
		Standard: {Folded: true, Shift: []float32{3, 0}, Factor: []float32{.5, 1}},
		MaxAbs:   {Folded: true, Factor: []float32{.25, 1}},
		Unit:     {},
	} {
		want.Kind = kind
		if have := Fit(kind, c); !reflect.DeepEqual(*have, want) {
			t.Errorf("%+v, want %+v", have, want)
		}
	}
}

func TestFoldable(t *testing.T) {
	columns := func(values ...float32) []float32 { return values }
	varying := &Columns{Variance: []float64{1, 1}}
	for _, c := range []struct {
		s    Scale
		want bool
	}{
		{Scale{Kind: "none"}, true},
		{Scale{Kind: "unit"}, false},
		{Scale{Kind: "max-abs", Factor: columns(3, 0x1p60, 0x1p-60)}, true},
		{Scale{Kind: "max-abs", Factor: columns(3, 0x1.1p60)}, false},
		{Scale{Kind: "max-abs", Factor: columns(3, 0x1.fp-61)}, false},
		{Scale{Kind: "standard", Shift: columns(500, -500), Factor: columns(2, 2)}, true},
		{Scale{Kind: "standard", Shift: columns(500, 501), Factor: columns(2, 2)}, false},
		{Scale{Kind: "standard", Shift: columns(500, -501), Factor: columns(2, 2)}, false},
		{Scale{Kind: "standard", Shift: columns(1001), Factor: columns(1)}, false},
	} {
		if have := c.s.foldable(varying); have != c.want {
			t.Errorf("%+v: %v", c.s, have)
		}
	}
	constant := &Scale{Kind: "standard", Shift: columns(1e9), Factor: columns(1)}
	if !constant.foldable(&Columns{Variance: []float64{0}}) {
		t.Error("the scale of a constant column is not folded")
	}
}
