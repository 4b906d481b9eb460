package kernel

import (
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/base/floats"
)

// Values sets dst[k][j] to the kernel value of the query row probes[k] and row j of tile t.
func Values[T float](r *Rows, dst [][]T, probes []Probe, t int) {
	tile := r.Tiles[t]
	n := tile.Len()
	squares, table := precise[T](r)
	squares = squares[tile.Start:tile.End]
	switch {
	case r.Func != nil:
		for k := range probes {
			for j := range n {
				dst[k][j] = T(r.Func(r.row(tile.Start+j), probes[k].Row))
			}
		}
	case probes[0].words != nil:
		for k := range probes {
			lookUp(r, dst[k][:n], table, &probes[k], r.words[tile.Start*r.width:])
		}
	case r.dense != nil:
		// A chunk of at most 16 KiB or four rows should stay in the L1 cache for all probes.
		chunk := max(4, 4096/max(r.cols, 1)&^3)
		for j := 0; j < n; j += chunk {
			end := min(j+chunk, n)
			for k := range probes {
				denseProducts(r, dst[k][j:end], r.At[tile.Start+j:tile.Start+end], probes[k].Value)
			}
		}
		for k := range probes {
			apply(&r.Function, dst[k], dst[k][:n], r.direct, probes[k].square, squares)
		}
	default:
		var products [TileRows]float64
		for k := range probes {
			r.index[t].products(&products, &probes[k].Row)
			apply(&r.Function, dst[k], products[:n], false, probes[k].square, squares)
		}
	}
}

// denseProducts stores inner products with x or, with r.direct, squared distances from x.
func denseProducts[T float](r *Rows, dst []T, rows []int32, x []float32) {
	switch dst := any(dst).(type) {
	case []float32:
		if !r.direct {
			r.dense.DotRowsAt(dst, rows, x)
			return
		}
		for j, i := range rows {
			dst[j] = dense.SquaredDistance(r.dense.Row(int(i)), x)
		}
	case []float64:
		for j, i := range rows {
			if z := r.dense.Row(int(i)); r.direct {
				dst[j] = floats.SquaredDistance(z, x)
			} else {
				dst[j] = dense.Dot64(z, x)
			}
		}
	}
}

func precise[T float](r *Rows) (squares []float64, table []T) {
	if table, is := any(r.table32).([]T); is {
		return r.squares, table
	}
	return r.squares64, any(r.table64).([]T)
}
