package store

// Density is the mean number of nonzeros in a row, and the mean of the squared number of nonzeros,
// estimated from a sample of the rows.
type Density struct{ Nonzeros, Squares float64 }

// DensityOf estimates the density of the given rows of x; nil means all rows. The result depends on
// the values alone, not on the row format. It is NaN if there are no rows.
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
