package dataset

// A block holds consecutive rows parsed from text.
type block struct {
	y       []float32
	ends    []int   // for each row, the position in idx and val after its last value
	idx     []int32 // columns; for svmlight text that is not hashed, the indices in the text
	val     []float32
	ignored int64

	// The following fields are for svmlight text only. Line numbers in errors count from the
	// block's start.
	file    int // index of the block's file
	rounded int
	size    int64 // largest index plus 1, at most rules.limit plus 1; undefined if hashed
	zero    bool  // whether a feature has index 0
	lines   int
	err     *SyntaxError // if not nil, the block has no rows
	last    *SyntaxError // error for the first index too large if the base turns out to be 0
}
