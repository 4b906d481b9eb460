package labels

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func badRow(row int, reason string) error { return fmt.Errorf("row %d: %s", row, reason) }

func TestClassify(t *testing.T) {
	nan := float32(math.NaN())
	zero := float32(0)
	for _, c := range []struct {
		y       []float32
		weight  []float64
		known   []float32
		classes []float32
		class   []int32
		err     string
	}{
		{y: []float32{3, -1, 3}, classes: []float32{-1, 3}, class: []int32{1, 0, 1}},
		{y: []float32{-zero, 1}, classes: []float32{0, 1}, class: []int32{0, 1}},
		{
			y: []float32{3, 7, -1}, weight: []float64{1, 0, 1},
			classes: []float32{-1, 3}, class: []int32{1, -1, 0},
		},
		{y: []float32{2, 2}, known: []float32{1, 2}, classes: []float32{1, 2},
			class: []int32{1, 1}},
		{y: []float32{2, 3}, known: []float32{1, 2}, err: "row 1: the label 3 is not one"},
		{y: []float32{2, nan}, err: "row 1: the label is NaN"},
		{y: []float32{2, 2}, err: "all rows have the same label"},
	} {
		classes, class, err := Classify(c.y, c.weight, c.known, badRow)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%v: %v, want %q", c.y, err, c.err)
			}
			continue
		}
		if err != nil || !slices.Equal(classes, c.classes) || !slices.Equal(class, c.class) {
			t.Errorf("%v: %v, %v, %v", c.y, classes, class, err)
		}
	}
}

func TestClassifyTwoAndMore(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	minusZero := float32(math.Copysign(0, -1))
	for n := 2; n < 200; n++ {
		for third := -1; third < n; third += 1 + n/7 {
			for _, weighted := range []bool{false, true} {
				y, weight := make([]float32, n), make([]float64, n)
				for i := range y {
					y[i] = []float32{0, minusZero, 5}[r.IntN(3)]
					weight[i] = 1
				}
				y[0], y[n-1] = 5, minusZero
				want, classes := make([]int32, n), []float32{0, 5}
				if third >= 0 {
					y[third], weight[third] = 3, 0
					if !weighted {
						classes = []float32{0, 3, 5}
					}
				}
				for i, v := range y {
					want[i] = int32(slices.Index(classes, v)) // == ignores the sign of 0
				}
				if !slices.Contains(y, 5) || !slices.Contains(y, 0) {
					continue
				}
				if !weighted {
					weight = nil
				}
				got, class, err := Classify(y, weight, nil, badRow)
				if err != nil || !slices.Equal(got, classes) || !slices.Equal(class, want) {
					t.Fatalf("%v: %v, %v, %v, want %v, %v", y, got, class, err, classes, want)
				}
				if math.Signbit(float64(got[0])) {
					t.Fatal("a class is -0")
				}
			}
		}
	}
}

func TestFind(t *testing.T) {
	for _, n := range []int{1, 3, 8, 9, 40} {
		var classes []float32
		for i := range n {
			classes = append(classes, float32(2*i))
		}
		for label := -1; label <= 2*n; label++ {
			at, found := Find(classes, float32(label))
			if want := (label + 1) / 2; at != min(want, n) ||
				found != (label%2 == 0 && label < 2*n) {
				t.Errorf("%d classes: %d is at %d, %v", n, label, at, found)
			}
		}
	}
}

func TestCheckClasses(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, bad := range [][]float32{{1, 1}, {2, 1}, {0, inf}} {
		if CheckClasses(bad, nil) == nil {
			t.Errorf("%v is no error", bad)
		}
	}
	if err := errors.Join(CheckClasses([]float32{0, 1}, nil),
		CheckClasses([]float32{0, 1}, []string{"a", "b"})); err != nil {
		t.Error(err)
	}
	if CheckClasses([]float32{0, 1}, []string{"a"}) == nil {
		t.Error("one name for two classes is no error")
	}
}

func TestClassScores(t *testing.T) {
	two, three := make([]float64, 2), make([]float64, 3)
	ClassScores([]float64{0.5}, two, 2, true)
	if two[0] != -0.5 || two[1] != 0.5 {
		t.Error(two)
	}
	if ClassScores([]float64{0, -0.5, 0}, three, 3, true); Highest(three) != 0 || !(three[0] > 2) {
		t.Error(three)
	}
	if ClassScores([]float64{3, 1}, two, 2, false); two[0] != 3 || two[1] != 1 {
		t.Error(two)
	}
	ClassScores([]float64{1, 3, -1}, three, 3, true)
	if want := []float64{0 - 4.0/15, 2 + 2.0/9, 1 + 2.0/9}; !slices.EqualFunc(three, want,
		func(a, b float64) bool { return math.Abs(a-b) < 1e-15 }) {
		t.Errorf("%v, want %v", three, want)
	}
	if best := Highest(three); best != 1 {
		t.Errorf("the highest is %d", best)
	}
	ClassScores([]float64{1, 3, -1}, three, 3, false)
	if !slices.Equal(three, []float64{1, 3, -1}) || Highest([]float64{2, 2, 1}) != 0 {
		t.Error(three)
	}
}

func TestNameAndAt(t *testing.T) {
	classes := []float32{-0.5, 2}
	for class, want := range []string{"-0.5", "2"} {
		if have := Name(classes, nil, class); have != want || At(classes, class) != classes[class] {
			t.Errorf("class %d: %s, %v", class, have, At(classes, class))
		}
	}
	if have := Name(classes, []string{"a", "b"}, 0); have != "a" {
		t.Errorf("class 0: %s", have)
	}
	if v := At(classes, -1); v == v {
		t.Errorf("class -1: %v, want NaN", v)
	}
	for _, class := range []int{-1, 2} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Name does not panic for class %d", class)
				}
			}()
			Name(classes, nil, class)
		}()
	}
}

func TestClassifyKnown(t *testing.T) {
	bad := func(row int, reason string) error { return fmt.Errorf("row %d: %s", row, reason) }
	y, weight, known := []float32{1, 3, 2}, []float64{1, 0, 1}, []float32{1, 2}
	if _, class, err := Classify(y, weight, known, bad); err != nil ||
		!slices.Equal(class, []int32{0, -1, 1}) {
		t.Errorf("%v, %v", class, err)
	}
	weight[1] = 1
	if _, _, err := Classify(y, weight, known, bad); err == nil {
		t.Error("an unknown label is accepted")
	}
}
