package store

// A Density is how many values of the rows are not 0, by a sample of them: their mean, and the mean
// of their squared numbers.
type Density struct{ Nonzeros, Squares float64 }

// DensityOf returns that of the given rows of x, nil for all. It goes by the values alone, however
// they are held.
func DensityOf(x Rows, only []uint32) (d Density) {
	const sample = 256
	rows, count, n := NonzerosOf(x), x.Rows(), 0.0
	if only != nil {
		count = len(only)
	}
	for j := 0; j < count; j += max(1, count/sample) {
		i := j
		if only != nil {
			i = int(only[j])
		}
		nonzeros := 0.0
		_, values := rows.Nonzeros(i)
		for _, v := range values {
			if v != 0 {
				nonzeros++
			}
		}
		d.Nonzeros += nonzeros
		d.Squares += float64(nonzeros * nonzeros)
		n++
	}
	d.Nonzeros /= n
	d.Squares /= n
	return d
}
