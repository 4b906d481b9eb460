package nearest

import "unsafe"

// RowsPerRun is the run that packages dense and half pass to TopMany.
const RowsPerRun = 256

// hits is implemented by other packages' Hit types with the layout of Hit.
type hits interface {
	~struct {
		Row   int
		Score float32
	}
}

// Top writes the best hits for the query x to dst, best first, and returns the part of dst that it
// has written: len(dst) hits or, if there are fewer rows, one per row.
func Top[H hits, E float32 | uint16](s *Rows[E], dst []H, by Metric, x []float32) []H {
	found := s.top(*(*[]Hit)(unsafe.Pointer(&dst)), by, x)
	return dst[:len(found):len(found)]
}

// TopMany is Top for many queries, in at most threads goroutines. If there are several, each ranks
// run rows at a time.
func TopMany[H hits, E float32 | uint16](s *Rows[E], dst [][]H, by Metric, queries [][]float32,
	threads, run int) {
	s.topMany(*(*[][]Hit)(unsafe.Pointer(&dst)), by, queries, threads, run)
}

func (s *Rows[E]) top(dst []Hit, by Metric, x []float32) []Hit {
	dst = dst[:0:min(len(dst), s.Count)]
	if cap(dst) == 0 {
		return dst
	}
	hits := s.rank(dst, by, x, 0, s.Count)
	o := s.order(by, x)
	o.finish(hits)
	return hits
}

func (s *Rows[E]) topMany(dst [][]Hit, by Metric, queries [][]float32, threads, run int) {
	for q := range dst {
		dst[q] = dst[q][:0:min(len(dst[q]), s.Count)]
	}
	runs := (s.Count + run - 1) / run
	if threads = min(threads, (runs+3)/4); threads <= 1 {
		s.rankMany(dst, by, queries, 0, s.Count)
	} else {
		s.rankThreads(dst, by, queries, threads, run, runs)
	}
	for q, x := range queries {
		o := s.order(by, x)
		o.finish(dst[q])
	}
}

// rankThreads copies its receiver: variables that goroutines share are allocated on the heap, and
// the caller's Rows should not be.
func (s Rows[E]) rankThreads(dst [][]Hit, by Metric, queries [][]float32, threads, run, runs int) {
	before := func(q int, a, b Hit) bool {
		o := s.order(by, queries[q])
		return o.better(a, b)
	}
	Merge(dst, threads, runs, before, func(hits [][]Hit, i int) {
		own := s // each run needs its own buffer for read
		own.buffer = nil
		own.rankMany(hits, by, queries, i*run, min((i+1)*run, own.Count))
	})
}
