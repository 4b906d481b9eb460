package dataset

import (
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/text/form"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
)

// collector gathers blocks of rows in a matrix. A dense matrix becomes sparse if it lacks a column
// of a later block.
type collector struct {
	opt    Options
	set    Set
	rows   *rowBuilder // nil before the first row
	layout Layout
	cols   int // columns of a dense matrix
	space  int // rows that a dense matrix has space for
	nnz    int
}

type piece struct {
	block block
	first int     // value in block.idx of column 0
	cols  int     // number of columns so far
	share float64 // approximate share of the text that the first block covers; 0 if unknown
}

func (c *collector) read(from *sources) (t *tableFile, err error) {
	if c.opt.Threads == 1 {
		return scanTable(from, c.opt, func(t *tableFile) error {
			c.add(&piece{t.block, 0, t.cols(), t.share()})
			return nil
		})
	}
	full, free := make(chan piece), make(chan block, 1)
	free <- block{}
	parallel.For(2, 2, func(_, i int) {
		if i == 0 {
			defer close(full)
			t, err = scanTable(from, c.opt, func(t *tableFile) error {
				full <- piece{t.block, 0, t.cols(), t.share()}
				t.block = <-free
				return nil
			})
			return
		}
		defer func() { // scanTable must not wait forever if add panics
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

// add copies p's rows, so that the block's memory may be reused.
func (c *collector) add(p *piece) {
	b := &p.block
	c.set.Ignored += b.ignored
	c.set.Rounded += b.rounded
	if len(b.y) == 0 {
		return
	}
	if c.rows == nil {
		c.begin(p)
	}
	c.set.Y = append(withSpace(c.set.Y, len(b.y)), b.y...)
	c.nnz += len(b.val)
	if c.layout == LayoutDense {
		if p.first != c.rows.first || p.cols > c.cols {
			c.rebuild(LayoutSparse)
		} else if len(c.set.Y) > c.space {
			c.space = len(c.set.Y) + len(c.set.Y)/2
			c.rebuild(LayoutDense)
		}
	}
	if c.layout != LayoutDense {
		c.rows.starts = withSpace(c.rows.starts, len(b.y))
		c.rows.indices = withSpace(c.rows.indices, len(b.val))
		c.rows.values = withSpace(c.rows.values, len(b.val))
	}
	start := 0
	for _, end := range b.ends {
		columns := b.idx[start:end]
		if c.layout == LayoutDense && len(columns) == c.cols {
			columns = nil // the row has a value in every column
		}
		c.rows.add(columns, b.val[start:end])
		start = end
	}
}

func withSpace[T any](s []T, n int) []T {
	if n <= cap(s)-len(s) {
		return s
	}
	return slices.Grow(s, max(n, len(s)/2))
}

// begin allocates a matrix for the number of rows that it estimates from p, the first block.
func (c *collector) begin(p *piece) {
	rows, nnz := float64(len(p.block.y)), float64(len(p.block.val))
	if p.share > 0 {
		const slack = 1 + 1./64
		rows, nnz = slack*rows/p.share, slack*nnz/p.share
	}
	layout, err := c.opt.Layout.choose(int(nnz), int(rows), p.cols)
	if p.cols == 0 || err != nil {
		layout = LayoutSparse
	}
	c.layout, c.cols, c.space = layout, p.cols, int(rows)+1
	c.rows = newRowBuilder(c.space, p.cols, int(nnz)+1, layout)
	c.rows.first = p.first
	c.set.Y = make([]float32, 0, c.space)
}

func (c *collector) rebuild(layout Layout) {
	old := c.rows
	c.layout, c.rows = layout, newRowBuilder(c.space, c.cols, c.nnz, layout)
	c.rows.first = old.first
	for i := range old.rows {
		c.rows.add(nil, old.dense.Row(i))
	}
}

// finish returns the set of all rows, with cols columns: column j has the index first+j in the
// blocks. Values of further columns are left out and counted in Set.Ignored.
func (c *collector) finish(first, cols int) (*Set, error) {
	s := &c.set
	if c.rows == nil {
		c.layout, c.rows, s.Y = LayoutSparse, newRowBuilder(0, cols, 0, LayoutSparse), []float32{}
	}
	if c.layout == LayoutDense && (first != c.rows.first || cols != c.cols) {
		c.rebuild(LayoutSparse)
	}
	if c.layout == LayoutDense {
		(*matrices.Dense)(c.rows.dense).Truncate(c.rows.rows)
	} else {
		further := c.rows.settle(first, cols)
		s.Ignored += int64(further)
		c.nnz -= further
	}
	layout, err := c.opt.Layout.choose(c.nnz, len(s.Y), cols)
	if err != nil {
		return nil, err
	}
	if err := c.rows.into(s); err != nil || layout == c.layout {
		return s, err
	}
	return s.WithLayout(layout)
}

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
