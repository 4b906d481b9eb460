// Package options has the defaults and the rules that the configurations of the trainers share. A
// configuration is checked by a table of rules, each of which names a field and says what it may
// be; the first rule that is broken is the error.
package options

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Fill gives a field its default if it is zero.
func Fill[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// A Rule is one line of a table: the zero Rule is kept, any other is broken.
type Rule struct {
	Field  string
	Reason string
}

// Error makes a broken rule an error.
func (r Rule) Error() string { return r.Field + ": " + r.Reason }

// Err returns the rule if it is broken, else nil.
func (r Rule) Err() error {
	if r.Field == "" {
		return nil
	}
	return r
}

// Bad returns a broken rule.
func Bad(field, format string, args ...any) error { return Not(field, true, format, args...) }

// Check returns the first rule that is broken, or nil.
func Check(tables ...[]Rule) error {
	return First(func(field, reason string) error { return Rule{field, reason} }, tables...)
}

// First returns the error, made by badField, of the first rule that is broken, or nil.
func First(badField func(field, reason string) error, tables ...[]Rule) error {
	for _, table := range tables {
		for _, r := range table {
			if r.Field != "" {
				return badField(r.Field, r.Reason)
			}
		}
	}
	return nil
}

// Not is a rule for a field that is broken if broken is true.
func Not(field string, broken bool, format string, args ...any) Rule {
	if !broken {
		return Rule{}
	}
	return Rule{field, fmt.Sprintf(format, args...)}
}

// OneOf is the rule that a field has one of the values.
func OneOf[S ~string](field string, have S, values ...S) Rule {
	if slices.Contains(values, have) {
		return Rule{}
	}
	var list []string
	for _, v := range values {
		list = append(list, string(v))
	}
	return Not(field, true, "have %q, want %s", have, strings.Join(list, " or "))
}

// Range is the rule that a number is from least to most; want says so in words.
func Range[T cmp.Ordered](field string, have, least, most T, want string) Rule {
	return Not(field, !(have >= least && have <= most), "have %v, want %s", have, want)
}

// Positive is the rule that a number is above 0 and finite.
func Positive(field string, have float64) Rule {
	return Not(field, !(have > 0 && have <= math.MaxFloat64),
		"have %v, want a positive finite number", have)
}

// Share is the rule that a number lies between 0 and 1.
func Share(field string, have float64) Rule {
	return Not(field, !(have > 0 && have < 1), "have %v, want a number between 0 and 1", have)
}

// Only is the rule that a field is not set unless another has a certain value.
func Only[V any, S ~string](field string, set bool, have V, other string, value S) Rule {
	return Not(field, set, "have %v, but %s is %q", have, other, value)
}

// MaxSteps is the largest number of steps that float64 counts exactly.
const MaxSteps = 1 << 53

// MinLambda is the least penalty of rows whose mean squared length R^2 is 1 or more. For others it
// is that times R^2.
const MinLambda = 1e-12

// Exclusive are the rules of the pairs of fields of which at most one may be set, before defaults
// are filled in.
func Exclusive(lambda, c float64, epochs int, steps int64) []Rule {
	return []Rule{
		Not("C", lambda != 0 && c != 0,
			"only one of Lambda and C can be set, have %v and %v", lambda, c),
		Not("Steps", epochs != 0 && steps != 0,
			"only one of Epochs and Steps can be set, have %d and %d", epochs, steps),
	}
}

// LambdaFits is the rule that the penalty is one that float32 can cope with for rows of the mean
// squared length r2. c is the C that it was given as, or 0.
func LambdaFits(lambda, c, r2 float64) Rule {
	least, most := float64(MinLambda*min(1, r2)), float64(math.MaxFloat32*max(1, r2))
	field, have := "Lambda", fmt.Sprint(lambda)
	if c != 0 {
		field, have = "C", fmt.Sprintf("%v, which makes lambda %v", c, lambda)
	}
	return Not(field, !(lambda >= least && lambda <= most),
		"have %s, want a lambda from %.4g to %.4g for rows of the mean squared length %.4g",
		have, least, most, r2)
}

// Penalty is the rule of Lambda, or of C if that is set.
func Penalty(lambda, c float64) Rule {
	if c == 0 {
		return Positive("Lambda", lambda)
	}
	return Positive("C", c)
}

// LambdaFor returns the penalty for the given number of rows, or for weights with that sum, and
// the rule that it can be used.
func LambdaFor(lambda, c, rows float64) (float64, Rule) {
	if c == 0 {
		return lambda, Rule{}
	}
	lambda = 1 / float64(c*rows)
	broken := Positive("Lambda", lambda).Field != ""
	return lambda, Not("C", broken, "have %v, which makes lambda %v for %v rows", c, lambda, rows)
}

// DefaultMaxMemory is the MaxMemory by which settings are chosen, on any machine, if it is 0: 4
// GiB.
const DefaultMaxMemory = 1 << 32

// Allowed is the most that a training may take if MaxMemory is 0. The command, which takes files at
// their word only if they are as large as they say, allows what the machine has.
var Allowed int64 = DefaultMaxMemory

// Memory is the rule that training takes no more bytes than MaxMemory allows; what says what takes
// them.
func Memory(most int64, need float64, what string) Rule {
	if most == 0 {
		most = DefaultMaxMemory
	}
	return Not("MaxMemory", need > float64(most), "have %.0f MB, but %s take %.0f MB beside the data",
		float64(most)/1e6, what, need/1e6)
}
