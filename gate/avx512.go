package main

import "github.com/klauspost/cpuid/v2"

// because says what Valgrind's CPU lacks of this one.
func because() string {
	if cpuid.CPU.Supports(cpuid.AVX512F) {
		return ", whose CPU has no AVX-512"
	}
	return ""
}
