package dataset

import "slices"

// A block is some rows that were read from text, to become part of a matrix.
type block struct {
	y       []float32
	ends    []int   // where row i ends in idx and val
	idx     []int32 // as in the file: the base is still to be taken off; nil for all columns
	val     []float32
	ignored int64

	// Of svmlight text only.
	rounded int
	size    int64  // the largest index, also of a zero, and one more; 0 if there is none
	lowest  uint64 // index
	lines   int
	err     *SyntaxError // ended the block; its line counts within the block, here and below
	last    *SyntaxError // what to say of the largest index allowed if base 0 comes out
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

// assemble makes a set of the blocks, which it takes apart as it goes so that the garbage collector
// can follow.
func assemble(blocks []block, base, cols int, layout Layout) (*Set, error) {
	s := &Set{IndexBase: base}
	rows, nnz := 0, 0
	for i := range blocks {
		b := &blocks[i]
		if end := int64(cols) + int64(base); b.size > end { // only if base 0 was found late
			b.trim(end)
		}
		rows += len(b.y)
		nnz += len(b.val)
		s.Ignored += b.ignored
		s.Rounded += b.rounded
	}
	layout, err := layout.choose(nnz, rows, cols)
	if err != nil {
		return nil, err
	}
	s.Y = make([]float32, 0, rows)
	m := newRowBuilder(rows, cols, nnz, layout)
	for i, b := range blocks {
		for k := range b.idx {
			b.idx[k] -= int32(base)
		}
		start := 0
		for _, end := range b.ends {
			var columns []int32
			if b.idx != nil {
				columns = b.idx[start:end]
			}
			m.add(columns, b.val[start:end])
			start = end
		}
		s.Y = append(s.Y, b.y...)
		blocks[i] = block{}
	}
	return s, m.into(s)
}

// trim drops, and counts as ignored, what has an index of size or more.
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
