package main

import (
	"math"
	"testing"
)

// Two solvers that have nothing in common must agree, and each must prove what it says.
func TestOptimum(t *testing.T) {
	train, _, err := digits8(true)
	if err != nil {
		t.Fatal(err)
	}
	for _, lambda := range []float64{1e-2, 1e-3} {
		const tol = 1e-6
		a, b := newton(train, lambda, tol), dualAscent(train, lambda, tol)
		t.Logf("lambda %g: %.8f with gap %.1e, %.8f with gap %.1e", lambda, a.upper, a.gap(),
			b.upper, b.gap())
		if a.gap() > tol || b.gap() > tol || math.Abs(a.upper-b.upper) > 2*tol*a.upper {
			t.Errorf("lambda %g: the solvers disagree", lambda)
		}
	}
}
