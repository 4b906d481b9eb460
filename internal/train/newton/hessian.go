package newton

import (
	"slices"

	"github.com/pegasimd/pegasimd/internal/gram"
	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/internal/store"
)

// This file adds up the Hessian of the zone's rows, without lambda: in blocks, by their nonzeros,
// or as bytes (bytes.go).

// addUp makes the matrix that of the rows of the zone. Where the bias has no penalty it is of the
// rows less their mean, which addUp returns.
func (n *Method) addUp(zone []int32, bend float64) (centre []float64) {
	centred := n.p.Free && bend > 0
	switch {
	case n.few != nil:
		n.addFew(zone)
	case n.pixels != nil:
		if n.addPixels(zone); centred {
			centre = n.pixels.centre()
		}
	default:
		if centred {
			centre = n.centre(zone, bend)
		}
		n.addZone(zone, centre)
	}
	return centre
}

// zoneScale is what the coefficients of the rows in H are divided by, so that they are near 1.
func (n *Method) zoneScale() float64 {
	if n.p.Loss.Kind.Traits().Kinks {
		return 1 / n.h
	}
	return 1
}

// centre returns the mean of the zone's rows, by their second derivatives, whose sum is bend.
func (n *Method) centre(zone []int32, bend float64) []float64 {
	b := n.buffers
	only := b.only[:0]
	for _, j := range zone {
		i := n.p.At[j]
		b.weight[i] = float64(b.bend[j])
		only = append(only, i)
	}
	mean := make([]float64, n.p.Cols)
	n.addRows(mean, only)
	for j := range mean {
		mean[j] /= bend
	}
	return mean
}

// addZone makes b.sum that of the rows of the zone.
func (n *Method) addZone(zone []int32, centre []float64) {
	b, d, width := n.buffers, n.p.Cols, n.solved()
	scale := 1 / n.zoneScale()
	b.sum.Reset()
	apart := width + 32 // so that no two goroutines write to one line of the cache
	b.packed = slices.Grow(b.packed[:0], n.threads*apart)[:n.threads*apart]
	views := make([]store.Rows, n.threads)
	for k := range views {
		views[k] = n.p.X.ForWorker()
	}
	for len(zone) > 0 && !n.over() {
		some := zone[:min(16*gramBlock, len(zone))]
		zone = zone[len(some):]
		b.sum.AddEach(len(some), n.threads, func(worker, r int) ([]float32, float32) {
			row, j := b.packed[worker*apart:][:width], some[r]
			clear(row)
			views[worker].Axpy(int(n.p.At[j]), 1, row[:d])
			for l, c := range centre {
				row[l] = float32(float64(row[l]) - c)
			}
			if width > d {
				row[d] = float32(n.p.Beta)
			}
			return row, float32(float64(b.bend[j]) * scale)
		})
	}
}

// SumFew is whether rows may be added up by their nonzeros.
var SumFew = true // a variable for the sake of tests

// fewNonzeros returns a reader of the rows if they have so few nonzeros that their products are
// added up sooner one by one. It goes by a sample of the rows, however they are held.
func (n *Method) fewNonzeros() store.Nonzeros {
	if n.p.Free || !SumFew {
		return nil // rows that are centred have no zeros
	}
	values := store.DensityOf(n.p.X, n.p.At)
	d := float64(n.p.X.Cols())
	// Nanoseconds for a row: of half its nonzeros' squares, and of half a matrix in blocks.
	if 0.6*values.Squares < 10+d*d/100 {
		return store.NonzerosOf(n.p.X)
	}
	return nil
}

// addFew makes b.wide the sum of the rows of the zone.
func (n *Method) addFew(zone []int32) {
	b, d := n.buffers, n.p.Cols
	scale := 1 / n.zoneScale()
	b.wide.Reset()
	for len(zone) > 0 && !n.over() {
		some := zone[:min(4*gramBlock, len(zone))]
		zone = zone[len(some):]
		index, values, ends := b.index[:0], b.packed[:0], b.ends[:0]
		for _, j := range some {
			columns, row := n.few.Nonzeros(int(n.p.At[j]))
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
		b.wide.Add(len(some), func(r int) gram.Row {
			from := 0
			if r > 0 {
				from = ends[r-1]
			}
			return gram.Row{Index: index[from:ends[r]], Values: values[from:ends[r]],
				C: float64(float64(b.bend[some[r]]) * scale)}
		}, n.threads)
	}
}

// addRows adds the given rows to u, by the buffers' weights.
func (n *Method) addRows(u []float64, only []uint32) {
	b, d := n.buffers, n.p.Cols
	parts := max(1, min(mostParts, len(only)/leastPart))
	for len(b.parts) < parts {
		b.parts = append(b.parts, make([]float64, d))
	}
	parallel.For(n.threads, parts, func(_, k int) {
		if n.over() {
			return
		}
		clear(b.parts[k])
		n.p.X.ForWorker().AddTo(b.parts[k], store.Sum{
			Only: only[k*len(only)/parts : (k+1)*len(only)/parts], A: b.ones, Weight: b.weight,
		})
	})
	for _, part := range b.parts[:parts] {
		for j, z := range part {
			u[j] += z
		}
	}
}
