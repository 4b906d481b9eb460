// Package nearest keeps the best of many: a heap in memory that the caller gives.
package nearest

import (
	"slices"

	"github.com/pegasimd/pegasimd/internal/misuse"
)

// Add puts h among hits, a heap whose root is the worst of them, and drops the worst if there are
// more than its capacity. before tells whether a is better than b.
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

// sink moves the root down to where it belongs.
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

// Sort brings hits into order, the best first.
func Sort[H any](hits []H, before func(a, b H) bool) {
	slices.SortFunc(hits, func(a, b H) int { // only copies of one hit are equal: any order will do
		if before(a, b) {
			return -1
		}
		return 1
	})
}

// CheckQueries panics unless queries are as many as the places for their results, and equally long.
func CheckQueries[T any](places int, queries [][]T) {
	if places != len(queries) {
		panic(misuse.Lengths("len(dst)", places, "len(queries)", len(queries)))
	}
	for q, x := range queries {
		if len(x) != len(queries[0]) {
			panic(misuse.Of("len(queries[%d]) = %d, len(queries[0]) = %d", q, len(x),
				len(queries[0])))
		}
	}
}
