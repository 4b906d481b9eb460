package newton

import (
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/vectors/gram"
)

// pixelRows holds rows of bytes and their Hessian, for losses whose second derivative is equal for
// all rows of the zone. Sums of integers are exact, so rows can be added and removed. The last
// column is ones.
type pixelRows struct {
	*store.PixelReader
	beta float64 // 0 for no bias
	free bool    // the bias has no penalty
	unit float64 // second derivative of rows of the zone, divided by curvatureScale

	sum  *gram.Bytes
	own  *gram.Bytes // nil if no Hessian is kept between iterations
	in   []bool      // rows that own includes
	row  []float64
	mean []float64 // mean of each column over the rows in sum
}

func pixelBytes(cols int) int {
	rounded := cols + 32
	return 4 * rounded * rounded
}

// in the values of the data
func (b *pixelRows) center() []float64 {
	mean := make([]float64, b.Cols()-1)
	for j := range mean {
		mean[j] = b.mean[j] / b.N
	}
	return mean
}

func (b *pixelRows) Dim() int {
	if b.beta == 0 || b.free {
		return b.Cols() - 1
	}
	return b.Cols()
}

func (b *pixelRows) Upper(i int, dst []float64) {
	dst, last := dst[:b.Dim()], b.Cols()-1
	scale := b.columnScale(i)
	value := scale / b.N
	if !b.free {
		b.sum.UpperScaled(value, i, dst)
		if len(dst) > last {
			dst[last] = float64(float64(b.sum.At(i, last)) * scale * b.beta)
		}
		return
	}
	b.sum.Upper(i, b.row)
	mean, all := b.mean[:len(dst)], b.row[last]
	for j := i; j < len(dst); j++ {
		dst[j] = float64((b.row[j] - float64(all*mean[j])) * value)
	}
}

func (b *pixelRows) Diagonal(dst []float64) {
	last := b.Cols() - 1
	for i := range b.Dim() {
		v := float64(b.sum.At(i, i))
		if b.free {
			v -= float64(float64(b.sum.At(i, last)) * b.mean[i])
		}
		if i < last {
			dst[i] = float64(v * (b.columnScale(i) / b.N))
		} else {
			dst[i] = float64(v * b.columnScale(i) * b.beta)
		}
	}
}

func (b *pixelRows) columnScale(column int) float64 {
	if column == b.Cols()-1 {
		return float64(b.unit * b.beta)
	}
	return b.unit / b.N
}
