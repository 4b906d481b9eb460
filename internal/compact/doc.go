// Package compact has rows of a matrix in fewer bytes, with the same bits: what Dot, Axpy and SumSquares give is what the
// ordinary matrix gives, for a fraction of the memory that is read.
//
// It is for loops that meet rows many times. A copy is made at their start, in about the time of one pass over the data.
package compact
