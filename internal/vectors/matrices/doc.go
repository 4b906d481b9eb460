// Package matrices implements the matrices of packages dense and sparse, with operations that only
// this module may use.
//
// The Matrix types of those packages are defined as the types here:
//
//	type Matrix matrices.Dense
//
// A conversion between them costs nothing. Users of the module see only the methods of dense and
// sparse.
package matrices
