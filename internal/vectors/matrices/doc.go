// Package matrices implements the Matrix types of packages dense and sparse, which are defined as
// the types here:
//
//	type Matrix matrices.Dense
//
// So conversions cost nothing, but users of the module see only the methods of dense and sparse.
package matrices
