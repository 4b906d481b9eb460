package newton

import (
	"cmp"
	"slices"

	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/vectors/gram"
)

// This file has the Hessian over rows whose values are bytes, such as pixels, for losses whose
// second derivative is the same for all rows of the zone. It is a sum of products of integers and
// therefore exact: rows that enter the zone are added and rows that leave it are removed, and
// keeping the sum between iterations changes no bit.

// MaxKeptBytes limits the bytes of all Hessians together that are kept between iterations. A
// problem whose Hessian does not fit sums it over all rows of the zone in each iteration. Only
// tests change MaxKeptBytes.
var MaxKeptBytes = 1 << 29

// pixelRows holds the rows of a problem as bytes, and the Hessian over them. It implements
// gram.Matrix. A column of ones follows the columns of the rows.
type pixelRows struct {
	*store.PixelReader
	beta float64 // value of the bias's feature, which the column of ones represents; 0 for no bias
	free bool    // the bias has no penalty, and the rows are centered
	unit float64 // second derivative of a row of the zone, divided by curvatureScale

	sum  *gram.Bytes // integer Hessian of the bytes
	own  *gram.Bytes // equal to sum if the problem keeps it between iterations; else nil
	in   []bool      // whether each row of the problem is part of the sum own
	row  []float64   // buffer for one row of sum
	mean []float64   // mean of each column, in bytes, over the rows in sum
}

// newPixels returns the problem's rows as bytes. It returns nil if summing the Hessian by nonzeros
// is faster, or if the Hessian can't be summed from bytes: if bytes can't represent a value, if
// rows have weights, or if the second derivative of the smoothed loss has several nonzero values.
func (n *Method) newPixels() *pixelRows {
	unit, ok := n.p.Loss.Flat()
	if !ok || n.p.Weight != nil || n.nonzeros != nil {
		return nil
	}
	all, ok := n.pool.pixels()
	if !ok {
		return nil
	}
	b := &pixelRows{PixelReader: all.Reader(), beta: n.p.Beta, free: n.p.Free, unit: unit,
		row: make([]float64, all.Cols()), mean: make([]float64, all.Cols())}
	if n.pool.reserve(pixelBytes(b.Cols())) {
		b.own, b.in = gram.NewBytes(all.Cols()), make([]bool, len(n.p.Rows))
	}
	return b
}

// pixelBytes estimates the size in bytes of an integer Hessian of rows with the given number of
// columns.
func pixelBytes(cols int) int {
	rounded := cols + 32
	return 4 * rounded * rounded
}

// reserve reports whether a Hessian of the given number of bytes may be kept between iterations. If
// so, it adds the number to l.kept.
func (l *Pool) reserve(bytes int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.kept+bytes > min(cmp.Or(l.MaxKeptBytes, MaxKeptBytes), MaxKeptBytes) {
		return false
	}
	l.kept += bytes
	return true
}

// pixels returns the rows l.X as bytes. It reports false if bytes can't represent their values.
func (l *Pool) pixels() (*store.Pixels, bool) {
	l.once.Do(func() { l.bytes, l.areBytes = store.PixelsOf(l.X, l.Threads) })
	return l.bytes, l.areBytes
}

// sumPixels stores the Hessian over the rows of the zone in n.pixels.sum.
func (n *Method) sumPixels(zone []int32) {
	b, buffers := n.pixels, n.buffers
	if buffers.room == nil {
		buffers.room = gram.NewBuffer(b.Cols())
	}
	entering, leaving := zone, []int32(nil)
	if b.sum = b.own; b.own == nil {
		if buffers.bytes == nil {
			buffers.bytes = gram.NewBytes(b.Cols())
		}
		b.sum = buffers.bytes
	} else {
		entering, leaving = n.zoneChanges(zone)
	}
	b.sum.SetBuffer(buffers.room)
	if len(entering)+len(leaving) >= len(zone) {
		b.sum.Reset()
		entering, leaving = zone, nil
	}
	n.update(b.sum.Remove, leaving)
	n.update(b.sum.Add, entering)
	last := b.Cols() - 1
	rows := float64(max(1, b.sum.At(last, last)))
	for j := range b.mean {
		b.mean[j] = float64(b.sum.At(j, last)) / rows
	}
}

// zoneChanges returns the rows that have entered the zone and the rows that have left it since its
// last call, and records the new zone in n.pixels.in. The slices are valid until the next call.
func (n *Method) zoneChanges(zone []int32) (entering, leaving []int32) {
	b, buffers := n.pixels, n.buffers
	entering, leaving = buffers.entering[:0], buffers.leaving[:0]
	next := 0 // index in zone, which is ascending
	for j, in := range b.in {
		inside := next < len(zone) && int(zone[next]) == j
		if inside {
			next++
		}
		if b.in[j] = inside; inside && !in {
			entering = append(entering, int32(j))
		} else if in && !inside {
			leaving = append(leaving, int32(j))
		}
	}
	buffers.entering, buffers.leaving = entering, leaving
	return entering, leaving
}

// update calls f, which is the Add or the Remove of a gram.Bytes, for the rows of the problem that
// places lists as indices in Problem.Rows.
func (n *Method) update(f func(rows int, row func(r int) []byte, threads int), places []int32) {
	b, p := n.pixels, n.p
	if b.Size() > 0 {
		f(len(places), func(r int) []byte { return b.Row(p.Name(n.p.Rows[places[r]])) }, n.threads)
		return
	}
	cols := b.Cols()
	for len(places) > 0 && !n.over() {
		some := places[:min(2*gramBlock, len(places))]
		places = places[len(some):]
		block := slices.Grow(n.buffers.block[:0], len(some)*cols)[:len(some)*cols]
		n.buffers.block = block
		for r, j := range some {
			b.Read(block[r*cols:][:cols], p.Name(n.p.Rows[j]))
		}
		f(len(some), func(r int) []byte { return block[r*cols:][:cols] }, n.threads)
	}
}

// center returns the mean of the rows in sum, converted from bytes to the values of the data.
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

// columnScale returns b.unit times the value that a byte of 1 in the column represents.
func (b *pixelRows) columnScale(column int) float64 {
	if column == b.Cols()-1 {
		return float64(b.unit * b.beta)
	}
	return b.unit / b.N
}
