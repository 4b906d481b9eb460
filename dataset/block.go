package dataset

import (
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/sparse"
)

// A block is some rows that were read from text, to become part of a matrix.
type block struct {
	y       []float32
	ends    []int   // where row i ends in idx and val
	idx     []int32 // as in the file: the base is still to be taken off
	val     []float32
	ignored int64

	// Of svmlight text only.
	size   int64  // the largest index, also of a zero, and one more; 0 if there is none
	lowest uint64 // index
	lines  int
	err    *SyntaxError // ended the block; its line counts within the block, here and below
	last   *SyntaxError // what to say of the largest index allowed if base 0 comes out
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
	}
	layout, err := layout.choose(nnz, rows, cols)
	if err != nil {
		return nil, err
	}
	s.Y = make([]float32, 0, rows)
	if layout == LayoutDense {
		s.Dense = dense.New(rows, cols)
		for i, b := range blocks {
			k := 0
			for r, end := range b.ends {
				row := s.Dense.Row(len(s.Y) + r)
				for ; k < end; k++ {
					row[int(b.idx[k])-base] = b.val[k]
				}
			}
			s.Y = append(s.Y, b.y...)
			blocks[i] = block{}
		}
		return s, nil
	}
	starts := make([]int64, 1, rows+1)
	indices := make([]int32, 0, nnz)
	values := make([]float32, 0, nnz)
	for i, b := range blocks {
		for _, end := range b.ends {
			starts = append(starts, int64(len(values)+end))
		}
		n := len(indices)
		indices = indices[:n+len(b.idx)]
		for k, j := range b.idx {
			indices[n:][k] = j - int32(base)
		}
		values = append(values, b.val...)
		s.Y = append(s.Y, b.y...)
		blocks[i] = block{}
	}
	s.Sparse, err = sparse.NewShared(cols, starts, indices, values)
	return s, err
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
