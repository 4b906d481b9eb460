package pegasos

// readAhead asks for up to n rows that come next in the epoch, so that they are read while the
// learners take steps with those before. It changes no result. Without it each page is waited for,
// alone: where the data exceed the memory that is 10 times slower and more.
func (r *run) readAhead(n int) {
	willNeed := r.X.WillNeed()
	if willNeed == nil {
		return
	}
	rows := r.order.Coming(n)
	for len(rows) > 0 {
		k := 1 // rows side by side in the file
		for k < len(rows) && rows[k] == rows[k-1]+1 {
			k++
		}
		willNeed(int(rows[0]), int(rows[0])+k)
		rows = rows[k:]
	}
}
