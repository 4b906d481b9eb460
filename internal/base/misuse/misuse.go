// Package misuse formats panic messages for wrong calls of this module's functions:
//
//	pegasimd: len(x) = 3, len(y) = 4
//
// The stack trace below the message names the function that was called.
package misuse

import (
	"context"
	"fmt"
)

// Of returns the message to panic with: the module's name, then the text in format. A function that
// should be inlined, or small, should call Of in a separate function marked go:noinline, which
// returns the message: then the compiler sees the panic and knows that nothing follows.
//
//go:noinline
func Of(format string, args ...any) string {
	return fmt.Sprintf("pegasimd: "+format, args...)
}

// Lengths returns the message for two lengths, or other numbers, that should be equal but are not:
// n, which is called a in the message, and m, which is called b.
//
//go:noinline
func Lengths(a string, n int, b string, m int) any {
	return Of("%s = %d, %s = %d", a, n, b, m)
}

// CheckEqual panics with the message of Lengths if n and m differ. It is inlined.
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
