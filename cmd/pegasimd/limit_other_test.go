//go:build !linux

package main

// limitFiles does nothing: only tests for Linux set a limit.
func limitFiles() {}
