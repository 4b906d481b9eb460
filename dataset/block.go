package dataset

// A block is a number of consecutive rows of a text file, to become part of a matrix.
type block struct {
	y       []float32
	ends    []int   // where row i ends in idx and val
	idx     []int32 // indices as in the file, before the base is subtracted
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
