// Package options provides the defaults and rules that the configurations of the trainers share.
package options

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/rows/store"
)

func Fill[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Rule is a violated rule of a configuration; zero if the rule holds.
type Rule struct {
	Field    string
	Reason   string
	Mentions string // names of the other fields in Reason, in order, separated by blanks
}

// Name is a field name that Not lists in Rule.Mentions.
type Name string

func (r Rule) Error() string { return r.Field + ": " + r.Reason }

func (r Rule) Err() error {
	if r.Field == "" {
		return nil
	}
	return r
}

func Bad(field, format string, args ...any) error { return Not(field, true, format, args...) }

// OfModel turns a Rule about Lambda or C into an error of another type, about the model. It returns
// other errors unchanged.
func OfModel(pkg string, err error) error {
	if bad, is := err.(Rule); is && (bad.Field == "Lambda" || bad.Field == "C") {
		return fmt.Errorf("%s: config.%s of the model: %s", pkg, strings.ToLower(bad.Field), bad.Reason)
	}
	return err
}

func Check(tables ...[]Rule) error {
	for _, table := range tables {
		for _, r := range table {
			if r.Field != "" {
				return r
			}
		}
	}
	return nil
}

// Not returns a violated Rule if broken is true, otherwise the zero Rule.
func Not(field string, broken bool, format string, args ...any) Rule {
	if !broken {
		return Rule{}
	}
	var mentions []string
	for _, arg := range args {
		if name, is := arg.(Name); is {
			mentions = append(mentions, string(name))
		}
	}
	return Rule{field, fmt.Sprintf(format, args...), strings.Join(mentions, " ")}
}

func Choices[S ~string](values ...S) string { return join(values, "|") }

func join[S ~string](values []S, separator string) string {
	var list []string
	for _, v := range values {
		list = append(list, string(v))
	}
	return strings.Join(list, separator)
}

func OneOf[S ~string](field string, have S, values ...S) Rule {
	if slices.Contains(values, have) {
		return Rule{}
	}
	last := len(values) - 1
	want := join(values[:last], ", ") + " or " + string(values[last])
	return Not(field, true, "have %q, want %s", have, want)
}

// Range returns the rule that have is from low to high. want describes the range in messages.
func Range[T cmp.Ordered](field string, have, low, high T, want string) Rule {
	return Not(field, !(have >= low && have <= high), "have %v, want %s", have, want)
}

func Positive(field string, have float64) Rule {
	return Not(field, !(have > 0 && have <= math.MaxFloat64),
		"have %v, want a positive finite number", have)
}

func Share(field string, have float64) Rule {
	return Not(field, !(have > 0 && have < 1), "have %v, want more than 0 and less than 1", have)
}

// Only returns the rule, violated if broken is true, that a field has no meaning while the field
// named other has the given value.
func Only[V any, S ~string](field string, broken bool, have V, other string, value S) Rule {
	return Not(field, broken, "have %v, which has no effect with %s %q", have, Name(other), value)
}

// MaxSteps is the largest number of steps: float64 represents all whole numbers up to it.
const MaxSteps = 1 << 53

// MinLambda is the least Lambda for rows with a mean squared length R^2 of 1 or more; below 1, the
// least is MinLambda times R^2.
const MinLambda = 1e-12

// Exclusive returns the rules that at most one of Lambda and C, and one of Epochs and Steps, is
// set, before defaults are filled in.
func Exclusive(lambda, c float64, epochs int, steps int64) []Rule {
	return []Rule{
		Not("C", lambda != 0 && c != 0,
			"only one of %s and %s can be set, have %v and %v", Name("Lambda"), Name("C"), lambda, c),
		Not("Steps", epochs != 0 && steps != 0,
			"only one of %s and %s can be set, have %d and %d", Name("Epochs"), Name("Steps"), epochs,
			steps),
	}
}

// LambdaFits returns the rule that lambda is in the range allowed for rows of the mean squared
// length r2 (for kernels, the largest squared length). c is the C from which lambda was computed,
// or 0.
func LambdaFits(lambda, c, r2 float64) Rule {
	least, most := float64(MinLambda*min(1, r2)), float64(math.MaxFloat32*max(1, r2))
	field, have := "Lambda", fmt.Sprint(lambda)
	if c != 0 {
		field, have = "C", fmt.Sprintf("%v, which makes lambda %v", c, lambda)
	}
	return Not(field, !(lambda >= least && lambda <= most),
		"have %s, want a lambda from %.4g to %.4g for these rows", have, least, most)
}

func Penalty(lambda, c float64) Rule {
	if c == 0 {
		return Positive("Lambda", lambda)
	}
	return Positive("C", c)
}

// LambdaFor returns 1/(c*rows), and the rule that it is positive and finite; if c is 0, lambda and
// the zero Rule. rows is the number of rows, or the sum of their weights.
func LambdaFor(lambda, c, rows float64) (float64, Rule) {
	if c == 0 {
		return lambda, Rule{}
	}
	lambda = 1 / float64(c*rows)
	broken := Positive("Lambda", lambda).Field != ""
	return lambda, Not("C", broken, "have %v, which makes lambda %v for rows of the total "+
		"weight %v, want a positive finite lambda", c, lambda, rows)
}

// DefaultMaxMemory, in bytes, stands for a MaxMemory of 0 when settings are chosen: the choice is
// then the same on every machine.
const DefaultMaxMemory = 1 << 32

// Allowed is the number of bytes that training may use if MaxMemory is 0. Programs may change it.
var Allowed int64 = DefaultMaxMemory

// Memory returns the rule that need, in bytes, does not exceed limit, the MaxMemory; 0 means
// DefaultMaxMemory. what names the data structures that need the memory.
func Memory(limit int64, need float64, what string) Rule {
	if limit == 0 {
		limit = DefaultMaxMemory
	}
	return Not("MaxMemory", need > float64(limit), "have %.6g MB, but %s would take %.6g MB beside "+
		"the data", float64(limit)/1e6, what, need/1e6)
}

// CheckRows returns the error of store.CheckExamples, or an error if x has too many columns for
// limit, the MaxMemory; 0 means Allowed.
func CheckRows(x store.Examples, limit int64) error {
	if err := store.CheckExamples(x); err != nil {
		return err
	}
	what := "vectors of " + plural.Count(x.Cols(), "feature")
	return Memory(cmp.Or(limit, Allowed), store.MinMemory(x), what).Err()
}
