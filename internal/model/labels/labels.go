// Package labels determines the classes and weights of rows, and computes class scores from the
// scores of binary problems.
package labels

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/misuse"
	"github.com/pegasimd/pegasimd/internal/base/plural"
)

const MaxClasses = 1 << 16 // of a model

const maxListed = 20 // classes in a message

// Classify returns the classes in ascending order, and for each row the index of its label in the
// classes: -1 for a row of weight 0 whose label is not a class. weight may be nil.
//
// If known is nil, the classes are the distinct labels of the rows whose weight is not 0. Otherwise
// known lists the classes, which must include these labels.
//
// Classify returns an error if a label is not finite, even of a row of weight 0, if there is only
// one class, or if known is nil and there are more than MaxClasses classes.
func Classify(y []float32, weight []float64, known []float32,
	badRow func(row int, reason string) error) (classes []float32, class []int32, err error) {
	if err := Finite(y, badRow); err != nil {
		return nil, nil, err
	}
	if known != nil {
		classes = known
		for i, v := range y {
			if weight != nil && weight[i] == 0 {
				continue
			}
			if _, found := Find(known, v); !found {
				of := fmt.Sprintf("classes %v", known)
				if len(known) > maxListed {
					of = fmt.Sprintf("%d classes", len(known))
				}
				return nil, nil, badRow(i, fmt.Sprintf("the label %v is not one of the %s", v, of))
			}
		}
	} else if classes, err = distinct(y, weight, badRow); err != nil {
		return nil, nil, err
	}
	if len(classes) == 1 {
		rows := "rows"
		if weight != nil {
			rows = "rows with a weight above 0"
		}
		return nil, nil, fmt.Errorf("pegasos: all %s have the same label (as a number, %v): want two "+
			"or more classes", rows, classes[0])
	}
	class = make([]int32, len(y))
	if len(classes) == 2 { // fast path
		for i, v := range y {
			c := int32(-1)
			if v == classes[0] {
				c = 0
			}
			if v == classes[1] {
				c = 1
			}
			class[i] = c
		}
		return classes, class, nil
	}
	for i, v := range y {
		at, found := Find(classes, v)
		if !found {
			at = -1
		}
		class[i] = int32(at)
	}
	return classes, class, nil
}

func distinct(y []float32, weight []float64, badRow func(int, string) error) ([]float32, error) {
	var classes []float32
	for i := 0; i < len(y); i++ {
		if len(classes) == 2 {
			if i += countEither(y[i:], classes[0], classes[1]); i == len(y) {
				break
			}
		}
		v := y[i]
		if weight != nil && weight[i] == 0 {
			continue
		}
		at, found := Find(classes, v)
		if found {
			continue
		}
		if len(classes) == MaxClasses {
			return nil, badRow(i, fmt.Sprintf(
				"more than %d distinct labels: are they regression targets?", MaxClasses))
		}
		classes = slices.Insert(classes, at, v+0) // +0 turns -0 into 0
	}
	return classes, nil
}

// countEither counts labels at the start of y that have the bits of a or b. It may miss up to three
// just before a different label.
func countEither(y []float32, a, b float32) (n int) {
	first, second := math.Float32bits(a), math.Float32bits(b)
	neither := func(v float32) uint64 { // 0 if v is a or b
		u := math.Float32bits(v)
		return uint64(u^first) * uint64(u^second)
	}
	for len(y)-n >= 4 {
		v := (*[4]float32)(y[n:])
		if neither(v[0])|neither(v[1])|neither(v[2])|neither(v[3]) != 0 {
			return n
		}
		n += 4
	}
	for n < len(y) && neither(y[n]) == 0 {
		n++
	}
	return n
}

// Find returns the index of label in the ascending classes. If found is false, at is the index at
// which to insert a label that is not NaN.
func Find(classes []float32, label float32) (at int, found bool) {
	if len(classes) > 8 {
		return slices.BinarySearch(classes, label)
	}
	for at, c := range classes {
		if c >= label {
			return at, c == label
		}
	}
	return len(classes), false
}

func Finite(y []float32, badRow func(row int, reason string) error) error {
	for i, v := range y {
		if !floats.IsFinite(v) {
			return badRow(i, fmt.Sprintf("the label is %v, want a finite number", v))
		}
	}
	return nil
}

func CheckClasses(classes []float32, names []string) error {
	for i, c := range classes {
		if !floats.IsFinite(c) || i > 0 && c <= classes[i-1] {
			return fmt.Errorf("classes must be finite and strictly ascending: class %d is %v", i, c)
		}
	}
	if names != nil && len(names) != len(classes) {
		return fmt.Errorf("%s for %s", plural.Count(len(names), "name"),
			plural.Count(len(classes), "class"))
	}
	return nil
}

// Name returns the name of a class, or its label as text if names is nil.
func Name(classes []float32, names []string, class int) string {
	if class < 0 || class >= len(classes) {
		panic(misuse.Of("class %d of %d", class, len(classes)))
	}
	if names != nil {
		return names[class]
	}
	return Format(classes[class])
}

func Format(label float32) string { return strconv.FormatFloat(float64(label), 'g', -1, 32) }

// At returns the label of a class, or NaN for class -1.
func At(classes []float32, class int) float32 {
	if class < 0 {
		return float32(math.NaN())
	}
	return classes[class]
}
