// Package floats has the few functions of float64 that the trainer and its metrics need, with
// the same bits on every machine and for every release of Go.
//
// # Contract
//
// The functions of package math are written in assembly for some architectures, and the compiler
// may fuse x*y + z into one instruction that rounds once. So the functions here use only sums,
// products, quotients, comparisons and the bits of numbers, which IEEE 754 defines, and each
// product is converted to float64 explicitly, which forbids fusing. A change of any result, however
// small, changes trained models: golden hashes in the tests hold them. NaN results agree as NaN;
// payloads are not promised.
//
// # Errors
//
// In units in the last place of the exact result, which for a subnormal one are 2^-1074; 0.5 is the
// least there can be. The bound adds up the roundings at the worst argument; the worst found is
// that of a few million random and regular arguments (PEGASIMD_LONG=1 go test -run Accuracy),
// against math/big:
//
//	           bound  found   correctly rounded
//	Exp        0.67   0.640   99.2 %
//	Log        0.55   0.525   99.9 %
//	Log1p      0.55   0.524   99.9 %
//	Sigmoid    0.75   0.630   99.4 %
//	Log1pExp   0.80   0.630   99.5 %
//
// They hold for all arguments whose result is finite: nothing is lost for large |z|, where 1+e^z
// would overflow, or near Log(1). The parts they are made of pass on what rounding has lost, as a
// second float64, so that errors don't add up. Sigmoid is within [0, 1], and Log1pExp(z) is never
// below z or 0. Errors above a half let a result be a unit below that of the float before; none was
// found.
//
// Package asm has Sigmoid and Log1pExp of slices, with the same bits, and a faster exponential of
// float32. Where the last bit doesn't matter use
// package math, which is about as fast.
package floats
