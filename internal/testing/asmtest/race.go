//go:build race

package asmtest

// Race tells whether the race detector is on. Telling it what assembly reads allocates.
const Race = true
