package tables

import "github.com/pegasimd/pegasimd/internal/text/cell"

// A Rule describes how the cells of a column become features, for programs without a [Coder]. It
// does not cover dates, text or the factor of weak columns.
type Rule struct {
	*Column
	First  int32           // first feature
	Words  map[string]Code // by word of a category; empty if levels are hashed
	Filled float32         // value of First for a gap among numbers
	Gap    int32           // gap feature, or -1 for none
	Marks  bool            // the gap feature is 1 in rows with a value, not in rows without
}

type Code struct {
	Feature int32
	Value   float32
}

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
