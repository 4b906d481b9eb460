package dataset

// A block is a number of consecutive rows of a text file, to become part of a matrix.
type block struct {
	y       []float32
	ends    []int   // for each row, the position in idx and val after its last value
	idx     []int32 // column of each value; of svmlight text that is not hashed, its index there
	val     []float32
	ignored int64 // number of nonzeros left out

	// The fields below are for svmlight text only. Lines in errors are counted within the block.
	file    int // index of the file
	rounded int
	size    int64 // largest index plus 1, at most limit plus 1 (see rules); 0 for none
	zero    bool  // whether a feature has index 0
	lines   int
	err     *SyntaxError // error that ended the block, or nil
	last    *SyntaxError // error for an index that is too large if the base is 0, or nil
}
