// Package nearest finds the rows nearest to a query by dot product, cosine or distance. Rows holds
// float32 or half-precision rows in one of several layouts. Top and TopMany rank them. Add, Sort
// and Merge keep hits of any type in a heap in the caller's memory.
package nearest

import (
	"slices"

	"github.com/pegasimd/pegasimd/internal/base/misuse"
)

// Add adds h to hits, a heap whose root is the worst hit, and returns the heap. If hits is full
// (its length equals its capacity), h is dropped or, if better, replaces the root. before reports
// whether a is better than b.
func Add[H any](hits []H, h H, before func(a, b H) bool) []H {
	if len(hits) == cap(hits) {
		if len(hits) > 0 && before(h, hits[0]) {
			hits[0] = h
			sink(hits, before)
		}
		return hits
	}
	hits = append(hits, h)
	for i := len(hits) - 1; i > 0; {
		parent := (i - 1) / 2
		if !before(hits[parent], hits[i]) {
			break
		}
		hits[parent], hits[i] = hits[i], hits[parent]
		i = parent
	}
	return hits
}

func sink[H any](hits []H, before func(a, b H) bool) {
	for i := 0; ; {
		child := 2*i + 1
		if child >= len(hits) {
			return
		}
		if child+1 < len(hits) && before(hits[child], hits[child+1]) {
			child++
		}
		if !before(hits[i], hits[child]) {
			return
		}
		hits[i], hits[child] = hits[child], hits[i]
		i = child
	}
}

// Sort sorts hits, best first. before must be a total order.
func Sort[H any](hits []H, before func(a, b H) bool) {
	slices.SortFunc(hits, func(a, b H) int { // equal hits are copies: their order does not matter
		if before(a, b) {
			return -1
		}
		return 1
	})
}

// CheckQueries panics unless places, the number of slices for results, is the number of queries,
// and all queries have equal length.
func CheckQueries[T any](places int, queries [][]T) {
	misuse.CheckEqual("len(dst)", places, "len(queries)", len(queries))
	for q, x := range queries {
		if len(x) != len(queries[0]) {
			panic(misuse.Of("len(queries[%d]) = %d, len(queries[0]) = %d", q, len(x),
				len(queries[0])))
		}
	}
}
