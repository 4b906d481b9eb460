package pegasos

// readAhead has up to n rows read that come next in the epoch, while the learners take their steps with those before them.
// It changes no result. Without it each page is waited for, alone: where the data exceed the memory that is 10 times
// slower and more.
func (r *run) readAhead(n int) {
	willNeed := r.x.WillNeed()
	if willNeed == nil {
		return
	}
	rows := r.order.Coming(n)
	for len(rows) > 0 {
		k := 1 // rows that lie side by side
		for k < len(rows) && rows[k] == rows[k-1]+1 {
			k++
		}
		willNeed(int(rows[0]), int(rows[0])+k)
		rows = rows[k:]
	}
}
