package form

// Encoder encodes the rows of a table as features and labels.
type Encoder interface {
	// Reads returns the table whose columns the encoder reads and, for each column, whether
	// features depend on it; the file may lack the other columns. Encode gets the cells of the
	// table's columns or, if the table is nil, of all columns but the label's, in the order of the
	// file.
	Reads() (t *Table, uses []bool)
	// Begin is called before the first row of a file.
	Begin(s Source)
	Cols() int
	// Features returns the names of the features; nil if they have none, or are too many.
	Features() []string
	// Encode appends the indices of a row's features, in ascending order, to columns, and their
	// values to values. If Encode rejects a cell, it returns the cell's index and the reason, and
	// the caller must drop the appended elements. If the reason is Stop, the caller must end the
	// reading with an error. The cells have no leading or trailing blanks, and are valid until
	// Encode returns.
	Encode(cells []string, columns []int32, values []float32) ([]int32, []float32, int, string)
	// Label returns the label in a cell, or the reason why the cell is no label.
	Label(cell string) (l Label, reason string)
}

type Source struct {
	// Table has the names of the columns and the place of the label; nil if there are no names and
	// the label is in the last column or absent. While a file of the format JSONL is read, the
	// names of new fields are appended.
	Table *Table
	Form  Form
	// Decimal is the given decimal mark, '.' or ','; 0 to detect the mark.
	Decimal byte
	// DropUnlabelled is whether the caller treats rows whose label cell is a gap, such as NA, as
	// rows without a label.
	DropUnlabelled bool
	// AnyWidth allows any number of columns.
	AnyWidth bool
}

// Stop is the reason that Encoder.Encode returns to end the reading.
const Stop = "the encoder needs no more rows"

type Label struct {
	Value   float32 // if it is a number
	Word    bool    // whether the label is the cell's text, not Value
	Missing bool
	Rounded bool // whether Value, from a notation such as 16,777,217, is rounded from a whole number
}
