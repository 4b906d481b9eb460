package dataset

import (
	"strings"

	"github.com/pegasimd/pegasimd/internal/text/form"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
)

// collector gathers the rows of a table. If the size of the file and its first block tell about how
// many rows there are, the rows are copied to the matrix of the set as they are read. Otherwise blocks
// keep them, which takes twice the memory and another copy.
type collector struct {
	opt    Options
	blocks []block
	set    Set         // with the labels of rows
	rows   *rowBuilder // nil if the blocks keep the rows
	layout Layout      // of rows
	space  int         // rows that a dense matrix has space for
	nnz    int         // nonzeros of rows
}

// add adds the block of rows that t has read.
func (c *collector) add(t *tableFile) {
	b, cols := &t.block, t.cols()
	if c.rows == nil && c.blocks == nil && len(b.y) > 0 {
		c.begin(b, cols, t.share())
	}
	if c.rows == nil {
		c.blocks = append(c.blocks, b.clone())
		return
	}
	c.set.Y = append(c.set.Y, b.y...)
	c.nnz += len(b.val)
	if c.layout == LayoutDense && len(c.set.Y) > c.space {
		c.grow(cols)
	}
	start := 0
	for _, end := range b.ends {
		columns := b.idx[start:end]
		if len(columns) == cols {
			columns = nil // all
		}
		c.rows.add(columns, b.val[start:end])
		start = end
	}
}

// begin makes space for the rows of the file, of which b is the given share. It does nothing if the
// share is 0, or if they are too many for the layout: then the end of the file tells.
func (c *collector) begin(b *block, cols int, share float64) {
	const slack = 1 + 1./64
	rows, nnz := slack*float64(len(b.y))/share, slack*float64(len(b.val))/share
	layout, err := c.opt.Layout.choose(int(nnz), int(rows), cols)
	if share == 0 || cols == 0 || err != nil {
		return
	}
	c.layout, c.space = layout, int(rows)+1
	c.rows = newRowBuilder(c.space, cols, int(nnz)+1, layout)
	c.set.Y = make([]float32, 0, c.space)
}

// grow makes space in a dense matrix for as many rows as there are labels, and half as many more.
func (c *collector) grow(cols int) {
	old := c.rows
	c.space = len(c.set.Y) + len(c.set.Y)/2
	c.rows = newRowBuilder(c.space, cols, 0, LayoutDense)
	for i := range old.rows {
		c.rows.add(nil, old.dense.Row(i))
	}
}

// finish returns the set of all rows.
func (c *collector) finish(cols int) (*Set, error) {
	if c.rows == nil {
		return assemble(c.blocks, 0, cols, c.opt)
	}
	layout, err := c.opt.Layout.choose(c.nnz, len(c.set.Y), cols)
	if err != nil {
		return nil, err
	}
	if c.layout == LayoutDense {
		(*matrices.Dense)(c.rows.dense).Truncate(c.rows.rows)
	}
	if err := c.rows.into(&c.set); err != nil || layout == c.layout {
		return &c.set, err
	}
	return c.set.WithLayout(layout)
}

// share returns which part of the file has been read; 0 if that is not known, or if later rows may
// have more columns.
func (t *tableFile) share() float64 {
	f := t.rows.Form()
	if t.size <= 0 || f.Format == form.JSONL {
		return 0
	}
	size := float64(t.size)
	if strings.HasPrefix(f.Encoding, "utf-16") {
		size /= 2
	}
	return min(1, float64(t.rows.Offset())/size)
}
