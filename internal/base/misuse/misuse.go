// Package misuse formats panic messages for wrong calls of this module's functions:
//
//	pegasimd: len(x) = 3, len(y) = 4
package misuse

import (
	"context"
	"fmt"
)

// Of returns the message to panic with: the module's name, then the text in format. To stay small,
// a function that should be inlined calls Of in a separate go:noinline function that returns the
// message, and panics itself.
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

// CheckEqual panics with the message of Lengths if n and m differ.
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
