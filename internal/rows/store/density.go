package store

import "github.com/pegasimd/pegasimd/internal/base/floats"

// Density holds sample means of the number of nonzeros in a row and of that number's square.
type Density struct{ Nonzeros, Squares float64 }

// DensityOf estimates the density of the rows of x with the given indices; nil means all rows.
// Without rows, both means are NaN.
func DensityOf(x Rows, indices []uint32) (d Density) {
	const sample = 256
	rows, count, n := x.Clone(), x.Rows(), 0.0
	if indices != nil {
		count = len(indices)
	}
	for j := 0; j < count; j += max(1, count/sample) {
		i := j
		if indices != nil {
			i = int(indices[j])
		}
		_, values := rows.Row(i)
		nonzeros := float64(floats.CountNonzeros(values))
		d.Nonzeros += nonzeros
		d.Squares += float64(nonzeros * nonzeros)
		n++
	}
	d.Nonzeros /= n
	d.Squares /= n
	return d
}
