// Package asm holds Pegasimd's kernels: the loops over float32 slices that everything else is made
// of.
//
// # Contract
//
// A kernel's result is defined to the bit by its generic body, and every path gives those bits (NaN
// with NaN; payloads and signs of NaNs are not promised):
//
//   - A product is rounded to float32 before it is added; nothing is fused.
//   - A dense sum has 64 lanes. Element i is added to lane i mod 64, in order of i, starting from
//     +0. Then lanes l and l+32 are added for l < 32, then l and l+16 for l < 16, and so on down to
//     one.
//   - A sparse sum has 8 lanes: nonzero k goes to lane k mod 8, folded the same way.
//   - Sums longer than [Block] elements are taken block by block, and the blocks' sums added from
//     left to right.
//   - Element-wise kernels round each operation.
//
// Lengths are checked here, in front of the assembly; the assembly trusts them. Indices of sparse
// rows are not checked here: package sparse proves them in range before it calls. No kernel
// allocates, and none runs longer than Block elements without a point at which the goroutine can be
// pre-empted.
//
// # Dispatch
//
// Each kernel has a door in assembly, dotActive say, which checks the lengths and jumps to the body
// of the path in use: a Go function in its place would be one frame more than short vectors can
// bear, and through function variables the arguments would escape. The doors are generated, like the
// bodies, and stand aside for plain Go in builds without assembly.
//
// docs/kernels.md has the formulas, the error bounds and the numbers.
package asm

//go:generate go -C ../gen run . -dir ../asm
