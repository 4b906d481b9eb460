// Package tables finds the kinds of a table's columns and encodes its cells as features. Package
// pegasos/table documents the rules.
//
// A [Fitter] reads the rows of a training file, in several passes if necessary, and fits an
// [Encoder], which a model's file stores. A [Coder] encodes rows with an encoder, and a [Namer]
// finds the n-grams behind features of text.
package tables
