// Package misuse says what was wrong with a call of one of this module's functions, for a panic:
//
//	dense: Dot: len(x) = 3, len(y) = 4
//
// It begins with the package and the name of the function that the caller called, wherever in this
// module the fault was found. They are read off the stack, so that what finds it, such as a kernel
// that runs in nanoseconds, need not be told on whose behalf it runs.
package misuse

import (
	"context"
	"fmt"
	"runtime"
	"strings"
)

// Of returns what to panic with. Callers that are to be inlined, or to be small, call it in a
// function of its own that isn't (go:noinline).
func Of(format string, args ...any) string {
	return called() + ": " + fmt.Sprintf(format, args...)
}

// Lengths is Of for two lengths, or other numbers, that should be equal.
func Lengths(a string, n int, b string, m int) string {
	return Of("%s = %d, %s = %d", a, n, b, m)
}

// Context panics if there is none.
func Context(ctx context.Context) {
	if ctx == nil {
		panic(Of("the context is nil: use context.Background()"))
	}
}

// module returns the path of this module and a slash.
func module() string {
	pc, _, _, _ := runtime.Caller(0)
	path, _, _ := strings.Cut(runtime.FuncForPC(pc).Name(), "internal/misuse.")
	return path
}

// called returns the package and the name of the exported function that was called from outside: of
// the first package on the stack that others can import, the outermost one before that package is
// left.
func called() string {
	var stack [64]uintptr
	frames := runtime.CallersFrames(stack[:runtime.Callers(3, stack[:])])
	where, name := "", ""
	for {
		f, more := frames.Next()
		pkg, function, public := split(f.Function)
		if where != "" && pkg != where || strings.HasSuffix(f.File, "_test.go") {
			break
		}
		if public {
			where = pkg
			if exported(function) {
				name = function
			}
		}
		if !more {
			break
		}
	}
	switch {
	case where == "":
		return "pegasimd"
	case name == "":
		return where
	}
	return where + ": " + name
}

// split returns the parts of a function's full name, and whether it is of a package of this module
// that others can import.
func split(full string) (pkg, function string, public bool) {
	path, inModule := strings.CutPrefix(full, module())
	slash := strings.LastIndex(path, "/") + 1
	pkg, function, _ = strings.Cut(path[slash:], ".")
	function, _, _ = strings.Cut(function, ".func")  // a literal in it
	function, _, _ = strings.Cut(function, "-range") // the body of a loop over a function
	function, _, _ = strings.Cut(function, "[")      // type arguments
	function = strings.NewReplacer("(*", "", ")", "").Replace(function)
	return pkg, function, inModule && !strings.Contains(path[:slash], "internal/")
}

// exported reports whether a function or method is.
func exported(name string) bool {
	for _, part := range strings.Split(name, ".") {
		if part == "" || part[0] < 'A' || part[0] > 'Z' {
			return false
		}
	}
	return true
}
