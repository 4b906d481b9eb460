//go:build !linux

package main

func pin() string { return "not pinned" }
