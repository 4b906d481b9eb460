package cell

// Encoder encodes the rows of a table as features and labels. Package tables implements it.
type Encoder interface {
	// Uses reports whether the features depend on column i. A table may lack the columns of which
	// the features are independent.
	Uses(i int) bool
	// Cols returns the number of features.
	Cols() int
	// Features returns the names of the features; nil if they have none, or are too many.
	Features() []string
	// Encode appends the indices of a row's nonzero features, in ascending order, to columns, and
	// their values to values. If Encode rejects a cell it returns the cell's index and the reason,
	// and the caller must drop the appended elements. The cells have no leading or trailing blanks,
	// and are valid until Encode returns.
	Encode(cells []string, columns []int32, values []float32) ([]int32, []float32, int, string)
	// Label returns the label in a cell of the label column, or the reason why the cell cannot
	// be a label of this column.
	Label(cell string) (l Label, reason string)
}

// Label is the label of one row.
type Label struct {
	Value   float32 // the label, if it is a number
	Word    bool    // whether the label is the cell's text, not Value
	Missing bool    // whether the cell is a gap
}
