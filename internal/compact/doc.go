// Package compact has rows of a matrix in fewer bytes, with the same bits: what Dot, Axpy and SumSquares give is what the
// ordinary matrix gives, but memory is read a fraction as fast.
//
// It is for loops that meet rows many times. A copy is made at their start, in about the time of one pass over the data.
package compact
