// Package misuse formats panic messages for wrong calls of this module's functions:
//
//	pegasimd: len(x) = 3, len(y) = 4
package misuse

import (
	"context"
	"fmt"
)

// Of returns the message to panic with: the module's name, then the formatted text. A function that
// should be inlined must stay small: it panics itself, with a message from a separate go:noinline
// function that calls Of.
//
//go:noinline
func Of(format string, args ...any) string {
	return fmt.Sprintf("pegasimd: "+format, args...)
}

// Lengths returns the message for two numbers that should be equal: n, called a, and m, called b.
//
//go:noinline
func Lengths(a string, n int, b string, m int) any {
	return Of("%s = %d, %s = %d", a, n, b, m)
}

func CheckEqual(a string, n int, b string, m int) {
	if n != m {
		panic(Lengths(a, n, b, m))
	}
}

func Context(ctx context.Context) {
	if ctx == nil {
		panic(Of("the context is nil: use context.Background()"))
	}
}
