// Package matrices implements the matrices of packages dense and sparse, with operations for this
// module alone.
//
// The Matrix types of those packages are defined as the types here:
//
//	type Matrix matrices.Dense
//
// so that conversions cost nothing, but users of the module see only the methods of dense and
// sparse.
package matrices
