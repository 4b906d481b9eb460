// Package floats implements the float64 functions that the trainer and its metrics need:
// exponentials, logarithms, the sigmoid and dot products. Their bits are the same on every machine
// and for every release of Go.
//
// # Contract
//
// The functions of package math are written in assembly for some architectures, and the compiler
// may fuse x*y + z into one instruction that rounds once. So the functions here use only sums,
// products, quotients, comparisons and the bits of numbers, which IEEE 754 defines. Each product is
// assigned or explicitly converted to float64, which forbids fusing. Any changed result changes
// trained models. NaN results agree as NaN; payloads are not promised.
//
// # Errors
//
// Errors are at most, in units in the last place of the exact result (2^-1074 for a subnormal
// result):
//
//	Exp        0.67
//	Log        0.55
//	Sigmoid    0.75
//	Log1pExp   0.80
//
// Intermediate results carry their rounding error in a second float64. As errors may exceed half a
// unit, the functions need not be monotonic.
package floats
