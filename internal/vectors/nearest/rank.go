package nearest

const maxScores, fewRows = 4096, 256

func (s *Rows[E]) rank(hits []Hit, by Metric, x []float32, firstRow, end int) []Hit {
	if end-firstRow <= fewRows {
		var scores [fewRows]float32 // a smaller array takes less time to clear
		return s.rankBuffered(hits, scores[:], by, x, firstRow, end)
	}
	var scores [maxScores]float32
	return s.rankBuffered(hits, scores[:], by, x, firstRow, end)
}

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
