package tables

import "github.com/pegasimd/pegasimd/internal/text/cell"

// A Rule says how the cells of a column become features, for programs that have no [Coder]. It has
// nothing of dates and text, and the features of a weak column are to be multiplied.
type Rule struct {
	*Column
	First  int32           // feature of the column
	Words  map[string]Code // of the words of a category that set a feature and are no gaps
	Filled float32         // the value of feature First for a gap in a column of numbers
	Gap    int32           // the feature of gaps, or -1
	Marks  bool            // the feature of gaps is 1 in rows with a value, else in rows without
}

// A Code is the feature that a word sets, and the value.
type Code struct {
	Feature int32
	Value   float32
}

// Rules returns the rules of the columns.
func (e *Encoder) Rules() []Rule {
	rules := make([]Rule, len(e.Columns))
	for i, in := range codingsOf(e.Columns, e.Rows, e.Raw) {
		r := Rule{in.Column, in.first, nil, in.filled, in.gap, in.marks}
		if in.levels != nil {
			r.Words = make(map[string]Code, len(in.levels))
		}
		for word, code := range in.levels {
			if !cell.IsMissing(word) {
				r.Words[word] = Code{code.feature, code.value}
			}
		}
		rules[i] = r
	}
	return rules
}
