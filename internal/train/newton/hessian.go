package newton

import (
	"slices"

	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/vectors/cholesky"
	"github.com/pegasimd/pegasimd/internal/vectors/gram"
)

const (
	maxParts    = 8
	minPartRows = 256
)

// sumHessian stores the Hessian over the zone, without lambda and divided by curvatureScale, in
// n.buffers.matrix. curvature is the sum of c_i*b_i in doc.go. If curvature is above 0 and the bias
// has no penalty, sumHessian centers the rows and returns their mean.
func (n *Method) sumHessian(zone []int32, curvature float64) (center []float64) {
	centered := n.p.Free && curvature > 0
	switch {
	case n.nonzeros != nil:
		n.sumSparse(zone)
	case n.pixels != nil:
		if n.sumPixels(zone); centered {
			center = n.pixels.center()
		}
	default:
		if centered {
			center = n.zoneMean(zone, curvature)
		}
		n.sumDense(zone, center)
	}
	return center
}

func (n *Method) curvatureScale() float64 {
	if n.p.Loss.Kind.Traits().Kinks {
		return 1 / n.h
	}
	return 1
}

// zoneMean returns the mean of the zone's rows, weighted by c_i*b_i in doc.go. curvature is the sum
// of these weights.
func (n *Method) zoneMean(zone []int32, curvature float64) []float64 {
	b := n.buffers
	only := b.only[:0]
	for _, j := range zone {
		i := n.p.At[j]
		b.weight[i] = float64(b.curvature[j])
		only = append(only, i)
	}
	mean := make([]float64, n.p.Cols)
	n.addRows(mean, only)
	for j := range mean {
		mean[j] /= curvature
	}
	return mean
}

func (n *Method) sumDense(zone []int32, center []float64) {
	b, d, width := n.buffers, n.p.Cols, n.dim()
	scale := 1 / n.curvatureScale()
	b.dense.Reset()
	stride := width + 32 // so that no two goroutines write to the same cache line
	b.packed = slices.Grow(b.packed[:0], n.threads*stride)[:n.threads*stride]
	views := make([]store.Rows, n.threads)
	for k := range views {
		views[k] = n.p.X.Clone()
	}
	asStored := width == d && center == nil
	for len(zone) > 0 && !n.over() {
		some := zone[:min(16*gramBlock, len(zone))]
		zone = zone[len(some):]
		b.dense.AddEach(len(some), n.threads, func(worker, r int) ([]float32, float32) {
			j := some[r]
			c := float32(float64(b.curvature[j]) * scale)
			index, values := views[worker].Row(int(n.p.At[j]))
			if asStored && index == nil {
				return values, c
			}
			row := b.packed[worker*stride:][:width]
			if index == nil {
				copy(row, values)
			} else {
				clear(row)
				for k, l := range index {
					row[l] = values[k]
				}
			}
			for l, c := range center {
				row[l] = float32(float64(row[l]) - c)
			}
			if width > d {
				row[d] = float32(n.p.Beta)
			}
			return row, c
		})
	}
}

// UseSparse allows Hessians to be summed from the rows' nonzeros. Tests change it.
var UseSparse = true

func (n *Method) nonzerosReader() *store.Nonzeros {
	if n.p.Free || !UseSparse {
		return nil // centering makes rows dense
	}
	values := store.DensityOf(n.p.X, n.p.At)
	d := float64(n.p.X.Cols())
	// estimated nanoseconds to add a row's nonzeros, and to add a dense row
	if 0.6*values.Squares < 10+d*d/100 {
		return store.NonzerosOf(n.p.X)
	}
	return nil
}

func (n *Method) sumSparse(zone []int32) {
	b, d := n.buffers, n.p.Cols
	scale := 1 / n.curvatureScale()
	b.sparse.Reset()
	for len(zone) > 0 && !n.over() {
		some := zone[:min(4*gramBlock, len(zone))]
		zone = zone[len(some):]
		index, values, ends := b.index[:0], b.packed[:0], b.ends[:0]
		for _, j := range some {
			columns, row := n.nonzeros.Row(int(n.p.At[j]))
			for l, v := range row {
				if v != 0 {
					index, values = append(index, columns[l]), append(values, v)
				}
			}
			if n.p.Beta > 0 {
				index, values = append(index, int32(d)), append(values, float32(n.p.Beta))
			}
			ends = append(ends, len(index))
		}
		b.index, b.packed, b.ends = index, values, ends
		b.sparse.Add(len(some), func(r int) gram.Row {
			from := 0
			if r > 0 {
				from = ends[r-1]
			}
			return gram.Row{Index: index[from:ends[r]], Values: values[from:ends[r]],
				C: float64(float64(b.curvature[some[r]]) * scale)}
		}, n.threads)
	}
}

// addRows adds n.buffers.weight[i] times row i of Problem.X to u, for each i of indices.
func (n *Method) addRows(u []float64, indices []uint32) {
	b, d := n.buffers, n.p.Cols
	parts := max(1, min(maxParts, len(indices)/minPartRows))
	for len(b.parts) < parts {
		b.parts = append(b.parts, make([]float64, d))
	}
	parallel.For(n.threads, parts, func(_, k int) {
		if n.over() {
			return
		}
		clear(b.parts[k])
		n.p.X.Clone().AddTo(b.parts[k], store.Sum{
			Only:   indices[k*len(indices)/parts : (k+1)*len(indices)/parts],
			Weight: b.weight,
		})
	})
	for _, part := range b.parts[:parts] {
		for j, z := range part {
			u[j] += z
		}
	}
}

func (n *Method) fitBuffers() {
	b, rows, dim := n.buffers, len(n.p.Rows), n.dim()
	if b.factor == nil || b.dim != dim {
		b.dim, b.factor = dim, cholesky.New(dim)
		b.dense, b.sparse, b.parts = nil, nil, nil
	}
	switch {
	case n.nonzeros != nil:
		if b.sparse == nil {
			b.sparse = gram.NewSparseSum(dim)
		}
		b.matrix = b.sparse
	case n.pixels != nil:
		b.matrix = n.pixels
	default:
		if b.dense == nil {
			b.dense = gram.New(dim)
		}
		b.matrix = b.dense
	}
	if len(b.curvature) < rows {
		b.curvature, b.was = make([]float32, rows), make([]float32, rows)
		b.changed, b.zone = make([]int32, rows), make([]int32, rows)
		b.only = make([]uint32, rows)
	}
	if all := n.p.X.Rows(); len(b.weight) < all {
		b.weight = make([]float64, all)
	}
}

func (n *Method) newPixels() *pixelRows {
	unit := n.p.Loss.Kind.Traits().Flat
	if unit == 0 || n.p.Weight != nil || n.nonzeros != nil {
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

func (n *Method) zoneChanges(zone []int32) (entering, leaving []int32) {
	b, buffers := n.pixels, n.buffers
	entering, leaving = buffers.entering[:0], buffers.leaving[:0]
	next := 0
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

// places are indices in Problem.Rows.
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
