// Package matrices is how the matrices of dense and sparse are held in memory, and what only this
// module may do with them.
//
// The types of those packages are defined as the ones here:
//
//	type Matrix matrices.Dense
//
// so that a conversion, which costs nothing, turns one into the other wherever this package can be
// imported. Readers of mapped files and the trainers' stores use it. Everybody else sees the
// methods that dense and sparse have.
package matrices
