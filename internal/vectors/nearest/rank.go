package nearest

// maxScores is the greatest number of scores that are computed before they are ranked. A search in
// at most fewRows rows uses a smaller buffer, for fewRows scores.
const maxScores, fewRows = 4096, 256

// rank adds the best rows at positions firstRow to end-1 of the rows to rank to the heap hits, and
// returns the heap.
func (s *Rows[E]) rank(hits []Hit, by Metric, x []float32, firstRow, end int) []Hit {
	if end-firstRow <= fewRows {
		var scores [fewRows]float32 // a smaller array takes less time to clear
		return s.rankBuffered(hits, scores[:], by, x, firstRow, end)
	}
	var scores [maxScores]float32
	return s.rankBuffered(hits, scores[:], by, x, firstRow, end)
}

// rankBuffered is rank with a buffer for scores. It scores len(scores) rows at a time.
func (s *Rows[E]) rankBuffered(hits []Hit, scores []float32, by Metric, x []float32,
	firstRow, end int) []Hit {
	o := s.order(by, x)
	for ; firstRow < end; firstRow += len(scores) {
		some := scores[:min(len(scores), end-firstRow)]
		s.score(some, by, x, firstRow)
		hits = o.offer(hits, some, firstRow)
	}
	return hits
}
