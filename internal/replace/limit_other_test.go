//go:build !linux

package replace_test

// limited is for Linux.
func limited() bool { return false }
