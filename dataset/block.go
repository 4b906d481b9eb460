package dataset

import (
	"slices"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/base/parallel"
)

// A block is a number of consecutive rows of a text file, to become part of a matrix.
type block struct {
	y       []float32
	ends    []int   // where row i ends in idx and val
	idx     []int32 // indices as in the file, before the base is subtracted; nil for all columns
	val     []float32
	ignored int64

	// These fields are for svmlight text only.
	file    int // index of the file
	rounded int
	size    int64  // the largest index, also of a zero, and one more; 0 if there is none
	lowest  uint64 // index
	lines   int
	err     *SyntaxError // ended the block; its line counts within the block, here and below
	last    *SyntaxError // the error for the largest index allowed, if the base turns out to be 0
}

// clone returns a copy of the rows of b, which were read from a table.
func (b *block) clone() block {
	c := block{y: slices.Clone(b.y), ends: slices.Clone(b.ends), val: slices.Clone(b.val)}
	start := 0
	for _, end := range b.ends {
		for k, j := range b.idx[start:end] {
			if int(j) != k { // there is a zero
				c.idx = slices.Clone(b.idx)
				return c
			}
		}
		start = end
	}
	return c
}

// assemble builds a set from the blocks, which it empties one by one so that their memory can be
// reused.
func assemble(blocks []block, base, cols int, opt Options) (*Set, error) {
	s := &Set{IndexBase: base}
	type place struct{ row, value int }
	places, end := make([]place, len(blocks)), place{}
	for i := range blocks {
		b := &blocks[i]
		if size := int64(cols) + int64(base); b.size > size { // only if base 0 was found late
			b.trim(size)
		}
		places[i] = end
		end = place{end.row + len(b.y), end.value + len(b.val)}
		s.Ignored += b.ignored
		s.Rounded += b.rounded
	}
	layout, err := opt.Layout.choose(end.value, end.row, cols)
	if err != nil {
		return nil, err
	}
	s.Y = make([]float32, end.row)
	m := newRowBuilder(end.row, cols, end.value, layout)
	if layout == LayoutSparse {
		m.starts = m.starts[:end.row+1]
		m.indices, m.values = m.indices[:end.value], m.values[:end.value]
	}
	parallel.For(opt.Threads, len(blocks), func(_, i int) {
		b, at := &blocks[i], places[i]
		copy(s.Y[at.row:], b.y)
		if layout == LayoutSparse {
			b.fillSparse(m, base, at.row, at.value)
		} else {
			b.fillDense(m.dense, base, at.row)
		}
		*b = block{}
	})
	return s, m.into(s)
}

// fillDense copies the rows to m, from row first on.
func (b *block) fillDense(m *dense.Matrix, base, first int) {
	start := 0
	for i, end := range b.ends {
		row := m.Row(first + i)
		if b.idx == nil {
			copy(row, b.val[start:end])
		} else {
			for k, j := range b.idx[start:end] {
				row[int(j)-base] = b.val[start+k]
			}
		}
		start = end
	}
}

// fillSparse copies the rows to m, from row first and value at on.
func (b *block) fillSparse(m *rowBuilder, base, first, at int) {
	copy(m.values[at:], b.val)
	start := 0
	for i, end := range b.ends {
		m.starts[first+i+1] = int64(at + end)
		for k := start; k < end; k++ {
			j := k - start
			if b.idx != nil {
				j = int(b.idx[k]) - base
			}
			m.indices[at+k] = int32(j)
		}
		start = end
	}
}

// trim removes features with an index of size or more, and counts them as ignored.
func (b *block) trim(size int64) {
	n, k := 0, 0
	for r, end := range b.ends {
		for ; k < end; k++ {
			if int64(b.idx[k]) >= size {
				b.ignored++
				continue
			}
			b.idx[n], b.val[n] = b.idx[k], b.val[k]
			n++
		}
		b.ends[r] = n
	}
	b.idx, b.val = b.idx[:n], b.val[:n]
	b.size = size
}
