package nearest

import "unsafe"

// maxPicked limits the rows of AddAt.
const maxPicked = 64

// AddAt adds the rows of s at idx, at most maxPicked, to hits, a heap of the best rows for the
// query x so far. Scores in the heap are negated for distances.
//
// AddAt returns the heap and a number least: a row outside the heap ranks after all hits if its
// score (negated for distances) is finite and lower than least. least is -Inf if the heap is not
// full.
func AddAt[H hits](s *Rows[float32], hits []H, by Metric, idx []uint32, x []float32) (grown []H,
	least float32) {
	var scores [maxPicked]float32
	heap := *(*[]Hit)(unsafe.Pointer(&hits))
	s.Idx, s.Count = idx, len(idx)
	s.score(scores[:len(idx)], by, x, 0)
	o := s.order(by, x)
	heap = o.offer(heap, scores[:len(idx)], 0)
	return *(*[]H)(unsafe.Pointer(&heap)), o.least(heap, true)
}

// AddMany adds rows first to end-1 of s.Slice to the heaps in dst, one for each query. As in AddAt,
// distances are negated.
func AddMany[H hits](s *Rows[float32], dst [][]H, by Metric, queries [][]float32,
	first, end int) {
	s.Idx, s.Count = nil, end
	s.rankMany(*(*[][]Hit)(unsafe.Pointer(&dst)), by, queries, first, end)
}

// Finish sorts a heap of AddAt, best first, and makes distances positive.
func Finish[H hits](s *Rows[float32], hits []H, by Metric, x []float32) {
	o := s.order(by, x)
	o.finish(*(*[]Hit)(unsafe.Pointer(&hits)))
}

func Better[H hits](s *Rows[float32], by Metric, x []float32, a, b H) bool {
	o := s.order(by, x)
	return o.better(Hit(a), Hit(b))
}
