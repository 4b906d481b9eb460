// Package asm implements Pegasimd's kernels: loops over slices of float32s and other numbers, in
// assembly for AVX2, AVX-512 and NEON, and in plain Go.
//
// # Contract
//
// A kernel's result is defined to the bit by its generic body (dotGeneric, say). Every code path,
// and the code in a function's comment, gives these bits (NaN for NaN; payloads and signs of NaNs
// are not promised):
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
// # Arguments
//
// A function panics if slices with corresponding elements differ in length. A function of rows
// panics if stride is negative or a row is not within its slice, unless there are no rows. A
// function's comment says so if it leaves these checks to its caller. Indices of sparse rows are
// not checked. Results must not overlap operands unless a comment allows it.
//
// # Dispatch
//
// Each kernel has a dispatch stub in assembly, such as dotFlat, which jumps to the body for the
// path in use. Many stubs also compare lengths: if the lengths differ or exceed Block, or the path
// is Generic, they jump to a function in Go, such as dotSlow. A call into assembly can't be
// preempted, so a function makes several calls for a long vector.
//
// A dispatcher in Go would cost short vectors one more stack frame, and calls through function
// variables would make the arguments escape to the heap.
//
// docs/spec.md has the formulas, docs/kernels.md the error bounds and measurements.
package asm

//go:generate go -C ../gen run . -dir ../asm
