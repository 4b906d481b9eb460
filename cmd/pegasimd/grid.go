package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
	"github.com/pegasimd/pegasimd/internal/base/floats"
)

// penalties returns a point for each lambda or C that the flags name, from the largest lambda on, or
// nil if they name none.
func penalties(f *flags.Set) (all []cvPoint, err error) {
	var values []float64
	given := slices.DeleteFunc(strings.Fields("lambda c lambdas cs"),
		func(name string) bool { return !f.Given(name) })
	if len(given) > 1 {
		return nil, flags.Usagef("only one of -lambda, -c, -lambdas and -cs can be given")
	}
	switch strings.Join(given, "") {
	case "lambda":
		return []cvPoint{{Lambda: number(f.Lambda)}}, nil
	case "c":
		return []cvPoint{{C: number(f.C)}}, nil
	case "lambdas":
		values, err = positiveNumbers("lambdas", f.Lambdas, "1e-3,1e-4")
		for _, v := range slices.Backward(values) {
			all = append(all, cvPoint{Lambda: number(v)})
		}
	case "cs":
		values, err = positiveNumbers("cs", f.Cs, "1e-3,1e-4")
		for _, v := range values {
			all = append(all, cvPoint{C: number(v)})
		}
	}
	return all, err
}

// positiveNumbers returns the numbers of a flag's list, ascending and without repeats. The list may
// be a range from:to:count, of which each is the same multiple of the one before.
func positiveNumbers(flag, list, example string) (values []float64, err error) {
	if strings.Contains(list, ":") {
		return geometric(flag, list)
	}
	for _, word := range strings.Split(list, ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		if err != nil || !(v > 0) || math.IsInf(v, 1) {
			return nil, flags.Usagef("-%s: %q: want positive numbers, such as %s", flag, word, example)
		}
		values = append(values, v)
	}
	slices.Sort(values)
	return slices.Compact(values), nil
}

// mostPoints is how many a range may have.
const mostPoints = 1000

// geometric returns the numbers of a range.
func geometric(flag, list string) (values []float64, err error) {
	var from, to float64
	var n int
	var rest string
	if read, _ := fmt.Sscanf(list, "%g:%g:%d%s", &from, &to, &n, &rest); read != 3 || n < 2 ||
		n > mostPoints || !(from > 0 && to > from && to <= math.MaxFloat64) {
		return nil, flags.Usagef("-%s: %q: want a range of positive numbers and 2 to %d as the count, such "+
			"as 1e-6:1e-2:9", flag, list, mostPoints)
	}
	for i := range n - 1 {
		part := float64(i) / float64(n-1)
		v := from * floats.Exp(float64(part*floats.Log(to/from)))
		v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64) // a number to be read
		values = append(values, v)
	}
	values[0] = from
	return slices.Compact(append(values, to)), nil
}
