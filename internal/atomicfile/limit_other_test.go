//go:build !linux

package atomicfile_test

// limited is for Linux.
func limited() bool { return false }
