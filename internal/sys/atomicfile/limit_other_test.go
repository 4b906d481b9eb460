//go:build !linux

package atomicfile_test

// limited returns false: only Linux has the test with limits.
func limited() bool { return false }
