package kernel

import "slices"

// columnIndex is an inverted index of a tile's sparse rows: the stored values of column column[k]
// are entries starts[k] to starts[k+1]-1 of rows and values.
type columnIndex struct {
	column []int32
	starts []int32
	rows   []int32 // row of each stored value, counted from the tile's start
	values []float32
}

// next is scratch memory with a 0 for each column, restored on return.
func newColumnIndex(n int, row func(i int) Row, next []int32) (c columnIndex) {
	nonzeros := 0
	for i := range n {
		index := row(i).Index
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
	for i := range n {
		x := row(i)
		for k, j := range x.Index {
			c.rows[next[j]], c.values[next[j]] = int32(i), x.Value[k]
			next[j]++
		}
	}
	for _, j := range c.column {
		next[j] = 0
	}
	return c
}

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
