//go:build race

package asmtest

// Race reports whether the race detector is on. Kernels then allocate memory when they report their
// memory accesses to it.
const Race = true
