//go:build !linux

package main

// limitFiles is for Linux.
func limitFiles() {}
