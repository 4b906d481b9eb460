package dataset

import (
	"strings"

	"github.com/pegasimd/pegasimd/internal/base/parallel"
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

// piece is a block of rows, the number of columns, and the share of the file that has been read.
type piece struct {
	block block
	cols  int
	share float64 // 0 if it is not known
}

// read reads a table. If there may be several threads, another goroutine gathers the rows while the
// next block is read.
func (c *collector) read(from *sources) (t *tableFile, err error) {
	if c.opt.Threads == 1 {
		return scanTable(from, c.opt, func(t *tableFile) error {
			c.add(&piece{t.block, t.cols(), t.share()})
			return nil
		})
	}
	full, free := make(chan piece), make(chan block, 1)
	free <- block{}
	parallel.For(2, 2, func(_, i int) {
		if i == 0 {
			defer close(full)
			t, err = scanTable(from, c.opt, func(t *tableFile) error {
				full <- piece{t.block, t.cols(), t.share()}
				t.block = <-free
				return nil
			})
			return
		}
		defer func() { // after a panic
			for p := range full {
				free <- p.block
			}
		}()
		for p := range full {
			c.add(&p)
			free <- p.block
		}
	})
	return t, err
}

// add adds a piece of the table.
func (c *collector) add(p *piece) {
	b, cols := &p.block, p.cols
	if c.rows == nil && c.blocks == nil && len(b.y) > 0 {
		c.begin(b, cols, p.share)
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
	if t.size <= 0 || t.count == 0 || f.Format == form.JSONL {
		return 0
	}
	size := float64(t.size)
	if strings.HasPrefix(f.Encoding, "utf-16") {
		size /= 2
	}
	return min(1, float64(t.rows.Offset())/size)
}
