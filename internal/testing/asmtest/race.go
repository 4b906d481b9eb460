//go:build race

package asmtest

// Race reports whether the race detector is on.
const Race = true
