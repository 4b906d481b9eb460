package nearest

import "github.com/pegasimd/pegasimd/internal/base/parallel"

// Merge finds hits in several goroutines and adds them to the heaps dst, one for each query. It
// calls rank(hits, run) once for each run of rows, to add the run's hits to hits, the heaps of the
// calling goroutine. before(q, a, b) reports whether hit a of query q is better than hit b. It must
// be a total order, because any goroutine may rank any run.
func Merge[H any](dst [][]H, threads, runs int, before func(q int, a, b H) bool,
	rank func(hits [][]H, run int)) {
	found := make([][][]H, threads)
	for w := range found {
		found[w] = make([][]H, len(dst))
		for q := range dst {
			found[w][q] = make([]H, 0, cap(dst[q]))
		}
	}
	parallel.For(threads, runs, func(worker, run int) { rank(found[worker], run) })
	for q := range dst {
		better := func(a, b H) bool { return before(q, a, b) }
		for w := range found {
			for _, h := range found[w][q] {
				dst[q] = Add(dst[q], h, better)
			}
		}
	}
}
