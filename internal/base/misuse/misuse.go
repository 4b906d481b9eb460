// Package misuse formats panic messages for wrong calls of this module's functions:
//
//	dense: Dot: len(x) = 3, len(y) = 4
//
// A message starts with the package and the name of the public function that the user called,
// wherever in this module the error was detected. Both are read from the stack, so that fast
// functions such as kernels need no argument that names their caller.
package misuse

import (
	"context"
	"fmt"
	"runtime"
	"strings"
)

// Of returns the message to panic with: the package and the name of the public function that the
// user called, then the text in format. A function that should be inlined, or small, should call Of
// in a separate function marked go:noinline.
func Of(format string, args ...any) string {
	return called() + ": " + fmt.Sprintf(format, args...)
}

// Lengths returns the message for two lengths, or other numbers, that should be equal but are not:
// n, which is called a in the message, and m, which is called b.
func Lengths(a string, n int, b string, m int) string {
	return Of("%s = %d, %s = %d", a, n, b, m)
}

// Context panics if ctx is nil.
func Context(ctx context.Context) {
	if ctx == nil {
		panic(Of("the context is nil: use context.Background()"))
	}
}

// module returns the path of this module, followed by a slash.
func module() string {
	pc, _, _, _ := runtime.Caller(0)
	path, _, _ := strings.Cut(runtime.FuncForPC(pc).Name(), "internal/base/misuse.")
	return path
}

// called returns the package and the name of the public function that the user called. It walks up
// the stack to the first public package of this module, and on to the last frame before a function
// of another package or of a test. The function is the last exported function of the public package
// on this way.
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

// split returns the package and the function of a full function name from the stack. public reports
// whether the package is a public package of this module.
func split(full string) (pkg, function string, public bool) {
	path, inModule := strings.CutPrefix(full, module())
	slash := strings.LastIndex(path, "/") + 1
	pkg, function, _ = strings.Cut(path[slash:], ".")
	function, _, _ = strings.Cut(function, ".func")  // a function literal in it
	function, _, _ = strings.Cut(function, "-range") // the body of a range-over-func loop
	function, _, _ = strings.Cut(function, "[")      // type arguments
	function = strings.NewReplacer("(*", "", ")", "").Replace(function)
	return pkg, function, inModule && !strings.Contains(path[:slash], "internal/")
}

// exported reports whether name is an exported function, or an exported method of an exported type.
func exported(name string) bool {
	for _, part := range strings.Split(name, ".") {
		if part == "" || part[0] < 'A' || part[0] > 'Z' {
			return false
		}
	}
	return true
}
