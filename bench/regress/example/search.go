// Package search is an example of a project that links Pegasimd's kernels and gates its own
// benchmark with bench/regress; docs/gate.md says how.
package search

import "github.com/pegasimd/pegasimd/dense"

// Nearest returns the row of m whose dot product with the query is largest, the first of them if
// there are several. scores has an element for each row.
func Nearest(m *dense.Matrix, query, scores []float32) int {
	m.DotRows(scores, 0, query)
	best := 0
	for i, s := range scores {
		if s > scores[best] {
			best = i
		}
	}
	return best
}
