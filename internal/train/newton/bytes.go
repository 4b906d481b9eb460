package newton

import (
	"cmp"
	"slices"

	"github.com/pegasimd/pegasimd/internal/gram"
	"github.com/pegasimd/pegasimd/internal/store"
)

// This file has the Hessian of rows that are bytes, such as pixels, for losses whose second
// derivative is the same for all rows of the zone. It is a sum of products of whole numbers, which
// is exact: so rows that come into the zone are added and those that leave it are taken away, and
// whether a problem keeps its sum from one iteration to the next makes no difference, not of a bit.

// PixelsKept is how many bytes the sums take at most that are kept between iterations. Problems
// beyond that add up all rows of the zone each time.
var PixelsKept = 1 << 29 // a variable for the sake of tests

// pixelRows are the rows of a problem as bytes, the rows of its sum, and that as a gram.Matrix.
type pixelRows struct {
	*store.PixelReader
	beta float64 // what the bytes' 1 stands for; 0 for no column of the matrix
	free bool    // the rows are centred
	unit float64 // the second derivative times zoneScale

	sum  *gram.Bytes
	own  *gram.Bytes // the same where it is kept
	in   []bool      // the rows in own, by their places
	row  []float64   // a buffer for one of sum
	mean []float64   // its last column over its last element: of the bytes, and 1
}

// newPixels returns the rows as bytes; nil if that is no way to add them up.
func (n *Method) newPixels() *pixelRows {
	unit, ok := n.p.Loss.Flat()
	if !ok || n.p.Weight != nil || n.few != nil {
		return nil
	}
	all, ok := n.pool.pixels()
	if !ok {
		return nil
	}
	b := &pixelRows{PixelReader: all.Reader(), beta: n.p.Beta, free: n.p.Free, unit: unit,
		row: make([]float64, all.Cols()), mean: make([]float64, all.Cols())}
	if n.pool.keeps(pixelBytes(b.Cols())) {
		b.own, b.in = gram.NewBytes(all.Cols()), make([]bool, len(n.p.Rows))
	}
	return b
}

// pixelBytes is about how many bytes a sum over rows of the given columns takes.
func pixelBytes(cols int) int {
	rounded := cols + 32
	return 4 * rounded * rounded
}

// keeps reports whether that many more bytes may be kept.
func (l *Pool) keeps(bytes int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.kept+bytes > min(cmp.Or(l.Kept, PixelsKept), PixelsKept) {
		return false
	}
	l.kept += bytes
	return true
}

// pixels returns the rows of the data as bytes, or false if they are other numbers.
func (l *Pool) pixels() (*store.Pixels, bool) {
	l.once.Do(func() { l.bytes, l.areBytes = store.PixelsOf(l.X, l.Threads) })
	return l.bytes, l.areBytes
}

// addPixels makes the sum that of the rows of the zone.
func (n *Method) addPixels(zone []int32) {
	b, buffers := n.pixels, n.buffers
	if buffers.room == nil {
		buffers.room = gram.NewRoom(b.Cols())
	}
	come, left := zone, []int32(nil)
	if b.sum = b.own; b.own == nil {
		if buffers.bytes == nil {
			buffers.bytes = gram.NewBytes(b.Cols())
		}
		b.sum = buffers.bytes
	} else {
		come, left = n.moved(zone)
	}
	b.sum.Use(buffers.room)
	if len(come)+len(left) >= len(zone) {
		b.sum.Reset()
		come, left = zone, nil
	}
	n.change(b.sum.Remove, left)
	n.change(b.sum.Add, come)
	last := b.Cols() - 1
	rows := float64(max(1, b.sum.At(last, last)))
	for j := range b.mean {
		b.mean[j] = float64(b.sum.At(j, last)) / rows
	}
}

// moved returns the rows of the zone that are not in the sum, and those of the sum that have left
// the zone, and takes both as done. The slices are valid until the next call.
func (n *Method) moved(zone []int32) (come, left []int32) {
	b, buffers := n.pixels, n.buffers
	come, left = buffers.come[:0], buffers.left[:0]
	next := 0 // of the zone, which is ascending
	for j, in := range b.in {
		inside := next < len(zone) && int(zone[next]) == j
		if inside {
			next++
		}
		if b.in[j] = inside; inside && !in {
			come = append(come, int32(j))
		} else if in && !inside {
			left = append(left, int32(j))
		}
	}
	buffers.come, buffers.left = come, left
	return come, left
}

// change calls f, which adds or removes rows, for those at the given places.
func (n *Method) change(f func(rows int, row func(r int) []byte, threads int), places []int32) {
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

// centre returns the mean of the rows of the sum.
func (b *pixelRows) centre() []float64 {
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
	scale := b.stands(i)
	value := scale / b.N
	if !b.free {
		b.sum.UpperTimes(value, i, dst)
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
			dst[i] = float64(v * (b.stands(i) / b.N))
		} else {
			dst[i] = float64(v * b.stands(i) * b.beta)
		}
	}
}

// stands returns what the bytes of a column stand for, times the unit.
func (b *pixelRows) stands(column int) float64 {
	if column == b.Cols()-1 {
		return float64(b.unit * b.beta)
	}
	return b.unit / b.N
}
