// Package asm implements Pegasimd's kernels: loops over slices of numbers, mostly float32, in
// assembly for AVX2, AVX-512 and NEON, and in plain Go.
//
// # Contract
//
// A kernel's result is defined to the bit by its generic body (dotGeneric, say), and every path
// returns those bits (NaN for NaN; payloads and signs of NaNs are not promised):
//
//   - A product in a float32 sum is rounded to float32 before it is added: multiplication and
//     addition are not fused. In a float64 sum of float32 products each product is exact.
//   - A float32 sum over dense vectors has 64 lanes (but [Gemm] and [RankK] define sums of their
//     own). Element i is added to lane i mod 64, in order of i, starting from +0. Then the lanes
//     are folded: lanes l and l+32 are added for l < 32, then l and l+16 for l < 16, and so on
//     until one is left. A float64 sum has 32 lanes, folded in the same way.
//   - A sparse sum has 8 lanes: nonzero k is added to lane k mod 8. The lanes are folded in the
//     same way.
//   - A vector longer than [Block] elements is summed block by block, and the blocks' sums are
//     added from left to right.
//   - Element-wise kernels round each operation.
//
// The assembly's loops do not check slice lengths. They are checked first, in Go or in the dispatch
// stubs, unless a function's comment leaves that to the caller. Indices of sparse rows are not
// checked. A call into assembly can't be preempted, so a function makes several calls for a long
// vector.
//
// # Dispatch
//
// Each kernel has a dispatch stub in assembly, such as dotFlat, which jumps to the body for the
// path in use. A dispatcher in Go would cost short vectors one more stack frame, and calls through
// function variables would make the arguments escape to the heap. The parameters of dotFlat are
// pointers and lengths; dotActive takes them from slices. Both are generated, like the bodies.
//
// docs/spec.md has the formulas, docs/kernels.md the error bounds and measurements.
package asm

//go:generate go -C ../gen run . -dir ../asm
