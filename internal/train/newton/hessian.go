package newton

import (
	"slices"

	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/vectors/gram"
)

// This file adds up the Hessian over the rows of the zone, without lambda: from dense rows, from
// the nonzeros of sparse rows, or from rows of bytes (bytes.go).

// sumHessian stores the Hessian over the rows of the zone, divided by curvatureScale, in
// n.buffers.matrix. If the bias has no penalty and the zone is not empty, sumHessian centers the
// rows by their mean and returns the mean; otherwise it returns nil. curvature is the sum over the
// rows of weight times second derivative, c_i*b_i in doc.go.
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

// curvatureScale returns the typical second derivative of a row in the zone, by which the Hessian
// is divided: 1/h for a loss with a kink, else 1.
func (n *Method) curvatureScale() float64 {
	if n.p.Loss.Kind.Traits().Kinks {
		return 1 / n.h
	}
	return 1
}

// zoneMean returns the mean of the zone's rows, each weighted by its weight times its second
// derivative, c_i*b_i in doc.go. curvature is the sum of these products.
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

// sumDense stores the Hessian over the rows of the zone in n.buffers.dense. It copies each row to a
// buffer and, unless center is nil, subtracts center there.
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
	for len(zone) > 0 && !n.over() {
		some := zone[:min(16*gramBlock, len(zone))]
		zone = zone[len(some):]
		b.dense.AddEach(len(some), n.threads, func(worker, r int) ([]float32, float32) {
			row, j := b.packed[worker*stride:][:width], some[r]
			clear(row)
			views[worker].Axpy(int(n.p.At[j]), 1, row[:d])
			for l, c := range center {
				row[l] = float32(float64(row[l]) - c)
			}
			if width > d {
				row[d] = float32(n.p.Beta)
			}
			return row, float32(float64(b.curvature[j]) * scale)
		})
	}
}

// UseSparse allows the Hessian to be added up from the rows' nonzeros. Only tests set it to false.
var UseSparse = true

// nonzerosReader returns a reader of the rows' nonzeros if adding up the Hessian from these is
// faster than from dense rows, according to a sample of the rows. Otherwise it returns nil.
func (n *Method) nonzerosReader() store.Nonzeros {
	if n.p.Free || !UseSparse {
		return nil // centering makes rows dense
	}
	values := store.DensityOf(n.p.X, n.p.At)
	d := float64(n.p.X.Cols())
	// Estimated nanoseconds that a row takes in half of the matrix: by nonzeros, and in dense
	// blocks.
	if 0.6*values.Squares < 10+d*d/100 {
		return store.NonzerosOf(n.p.X)
	}
	return nil
}

// sumSparse stores the Hessian over the rows of the zone in n.buffers.sparse, from their nonzeros.
func (n *Method) sumSparse(zone []int32) {
	b, d := n.buffers, n.p.Cols
	scale := 1 / n.curvatureScale()
	b.sparse.Reset()
	for len(zone) > 0 && !n.over() {
		some := zone[:min(4*gramBlock, len(zone))]
		zone = zone[len(some):]
		index, values, ends := b.index[:0], b.packed[:0], b.ends[:0]
		for _, j := range some {
			columns, row := n.nonzeros.Nonzeros(int(n.p.At[j]))
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

// addRows adds the rows of Problem.X with the given indices to u, row i times n.buffers.weight[i].
// It cuts the rows into parts, sums these in parallel, and adds the parts' sums to u in order.
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
			Only: indices[k*len(indices)/parts : (k+1)*len(indices)/parts], A: b.ones,
			Weight: b.weight,
		})
	})
	for _, part := range b.parts[:parts] {
		for j, z := range part {
			u[j] += z
		}
	}
}
