package kernel

import "slices"

// columnIndex is an inverted index of a tile's sparse rows: the nonzeros of column column[k] are
// entries starts[k] to starts[k+1]-1 of rows and values.
type columnIndex struct {
	column []int32
	starts []int32
	rows   []int32 // row of each nonzero, counted from the tile's start
	values []float32
}

// buildIndex builds the column index of every tile of sparse rows.
func (r *Rows) buildIndex() {
	if r.dense != nil {
		return
	}
	if r.next == nil {
		r.next = make([]int32, r.cols)
	}
	next := r.next // first the number of nonzeros by column, then the position of the next one
	r.index = make([]columnIndex, len(r.Tiles))
	for t, tile := range r.Tiles {
		var c columnIndex
		nonzeros := 0
		for p := tile.Start; p < tile.End; p++ {
			index := r.row(p).Index
			nonzeros += len(index)
			for _, j := range index {
				if next[j] == 0 {
					c.column = append(c.column, j)
				}
				next[j]++
			}
		}
		slices.Sort(c.column)
		c.starts = make([]int32, 1, len(c.column)+1)
		for k, j := range c.column {
			c.starts = append(c.starts, c.starts[k]+next[j])
			next[j] = c.starts[k]
		}
		c.rows, c.values = make([]int32, nonzeros), make([]float32, nonzeros)
		for p := tile.Start; p < tile.End; p++ {
			x := r.row(p)
			for k, j := range x.Index {
				c.rows[next[j]], c.values[next[j]] = int32(p-tile.Start), x.Value[k]
				next[j]++
			}
		}
		for _, j := range c.column {
			next[j] = 0
		}
		r.index[t] = c
	}
}

// products sets dst[j] to the inner product of a sparse row and row j of the tile.
func (c *columnIndex) products(dst *[TileRows]float64, x *Row) {
	clear(dst[:])
	at := 0
	for k, j := range x.Index {
		n, found := slices.BinarySearch(c.column[at:], j)
		if at += n; found {
			v := float64(x.Value[k])
			rows := c.rows[c.starts[at]:c.starts[at+1]]
			values := c.values[c.starts[at]:][:len(rows)]
			for i, row := range rows { // row%TileRows is row, but saves the bounds check
				dst[uint32(row)%TileRows] += float64(v * float64(values[i]))
			}
		}
	}
}
