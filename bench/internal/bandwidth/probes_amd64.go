//go:build gc && !purego && !noasm

package bandwidth

import "github.com/klauspost/cpuid/v2"

// 256-bit loads reach what 512-bit ones do in the caches, and more from memory (docs/kernels.md).
var available = cpuid.CPU.Supports(cpuid.AVX)
