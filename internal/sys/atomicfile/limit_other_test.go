//go:build !linux

package atomicfile_test

func limited() bool { return false }
