// Package floats implements the float64 functions that the trainer and its metrics need:
// exponentials, logarithms, the sigmoid and dot products. Their bits are the same on every machine
// and for every release of Go.
//
// # Contract
//
// The functions of package math are written in assembly for some architectures, and the compiler
// may fuse x*y + z into one instruction that rounds once. So the functions here use only sums,
// products, quotients, comparisons and the bits of numbers, which IEEE 754 defines, and each
// product is assigned or explicitly converted to float64, which forbids fusing. Any change of a
// result, however small, changes trained models; golden hashes in the tests detect it. NaN results
// agree as NaN; payloads are not promised.
//
// # Errors
//
// Errors are given in units in the last place of the exact result (2^-1074 for a subnormal result);
// rounding the exact result causes up to 0.5. In the table, bound is the sum of the roundings at
// the worst argument, and found is the largest error found over a few million random and regular
// arguments (PEGASIMD_LONG=1 go test -run Accuracy), against math/big:
//
//	           bound  found   correctly rounded
//	Exp        0.67   0.640   99.2 %
//	Log        0.55   0.525   99.9 %
//	Sigmoid    0.75   0.630   99.4 %
//	Log1pExp   0.80   0.630   99.5 %
//
// The bounds hold for all arguments whose result is finite, also for large |z|, where 1+e^z would
// overflow, and near Log(1). Intermediate results carry their rounding error in a second float64,
// so that errors do not accumulate. Sigmoid is within [0, 1], and Log1pExp(z) is never below z or
// 0. As errors exceed half a unit, a result could be one unit below the result for the next smaller
// argument; no such case was found.
//
// Package asm has Sigmoid and Log1pExp for slices, with the same bits, and a faster float32
// exponential. Where the last bit does not matter, use package math, which is about as fast.
package floats
