// Package compact has rows of a matrix in fewer bytes, with the same bits in every result: what does not fit into the caches
// as float32 may do so here, and what comes from memory comes sooner.
package compact
