package tables

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/pegasimd/pegasimd/internal/model/modelfile"
	"github.com/pegasimd/pegasimd/internal/sys/budget"
	"github.com/pegasimd/pegasimd/internal/text/form"
)

// version is the version of an encoder's JSON. Version 2 described only tables with words, with
// other keys.
const version = 3

// An Encoder encodes the cells of a table's rows as features. A model's file has it as JSON, in
// place of a [form.Table]: see [Decode].
type Encoder struct {
	Version int      `json:"encoder"`
	Columns []Column `json:"columns"` // all but the label's, in the order of the training's file
	Rows    int      `json:"rows"`    // that the encoder was fitted on
	// Header says that columns are found by their names; if not, by their places.
	Header  bool  `json:"header"`
	Label   Label `json:"label"`
	LabelAt int   `json:"label_at"` // the label column's number in the file, or -1 if it was the last
	// Raw says that all columns are of plain numbers without gaps, and that the features are these
	// numbers as float32. In any other table the encoder scales numbers.
	Raw bool `json:"raw,omitempty"`
}

// Label describes the label column.
type Label struct {
	Name string `json:"name,omitempty"`
	// Kind is Number, Category for names of classes, or "" if the table had no label.
	Kind   Kind    `json:"kind,omitempty"`
	Format *Format `json:"format,omitempty"` // of numbers that are not in plain form
	// GapIsClass says that cells such as NA are the name of a class.
	GapIsClass bool `json:"gap_is_class,omitempty"`
}

// Decode reads an encoder's JSON. It returns nil if the JSON is a [form.Table] or nothing.
func Decode(text json.RawMessage) (*Encoder, error) {
	var is struct {
		Version int `json:"encoder"`
	}
	if text == nil || json.Unmarshal(text, &is) != nil || is.Version == 0 {
		return nil, nil
	}
	if is.Version != version {
		return nil, fmt.Errorf("table: an encoder of version %d, and this program reads only "+
			"version %d: train the model again", is.Version, version)
	}
	e := new(Encoder)
	if err := modelfile.Unmarshal(text, e); err != nil {
		return nil, fmt.Errorf("table: encoder: %w", err)
	}
	if err := e.check(); err != nil {
		return nil, fmt.Errorf("table: encoder: %w", err)
	}
	return e, nil
}

// Cols returns the number of features.
func (e *Encoder) Cols() (n int) {
	for i := range e.Columns {
		n += e.Columns[i].features(e.Rows)
	}
	return n
}

// FeaturesOf returns the number of features of column i.
func (e *Encoder) FeaturesOf(i int) int { return e.Columns[i].features(e.Rows) }

// Bytes returns about how much memory the encoded training rows take.
func (e *Encoder) Bytes() int64 {
	nonzeros := 0
	for i := range e.Columns {
		switch c := &e.Columns[i]; c.Kind {
		case Text:
			for _, count := range c.Text.counts {
				nonzeros += int(count)
			}
		case Date:
			nonzeros += 3 * e.Rows
		case Number, Category:
			nonzeros += e.Rows
		}
	}
	return min(4*int64(e.Rows)*int64(e.Cols()), 8*int64(nonzeros))
}

// maxNames is the largest number of features that have names.
const maxNames = 1 << 16

// Names returns the names of the features, or nil if they are more than 65,536 or take more memory
// than they may: the name of a column is in the names of all its features.
func (e *Encoder) Names() (names []string) {
	if e.Cols() > maxNames {
		return nil
	}
	left := budget.Account{Part: budget.Names}
	for i := range e.Columns {
		for j := range e.FeaturesOf(i) {
			name := e.Columns[i].feature(j, e.Rows).Name
			if !left.Take(int64(len(name) + nameBytes)) {
				return nil
			}
			names = append(names, name)
		}
	}
	return names
}

// nameBytes is about what a name takes besides its text.
const nameBytes = 32

// Spreads returns Feature.Spread of all features.
func (e *Encoder) Spreads() []float64 {
	all := make([]float64, 0, e.Cols())
	for _, c := range e.Columns {
		c.Name = "" // which would be copied for each feature
		for j := range c.features(e.Rows) {
			all = append(all, c.feature(j, e.Rows).Spread)
		}
	}
	return all
}

// Feature returns the meaning of feature j of an encoded row.
func (e *Encoder) Feature(j int) Feature {
	for i := range e.Columns {
		n := e.FeaturesOf(i)
		if j < n {
			return e.Columns[i].feature(j, e.Rows)
		}
		j -= n
	}
	panic("table: no such feature")
}

// Table returns the names and places of the columns, by which another file is read.
func (e *Encoder) Table() *form.Table {
	t := &form.Table{LabelAt: e.LabelAt}
	if e.Header {
		t.Label = e.Label.Name
		for i := range e.Columns {
			t.Columns = append(t.Columns, e.Columns[i].Name)
		}
	}
	return t
}

// headed reports whether the columns have names that do not tell them apart.
func (e *Encoder) headed() bool {
	t := &form.Table{LabelAt: e.LabelAt}
	for i := range e.Columns {
		if !e.Header && e.Columns[i].Name != strconv.Itoa(t.FileColumn(i)) {
			return true
		}
	}
	return false
}

// Describe says how the cells of column i are read, in a few words. [Fitter.Reports] has the reason
// for the kind too, after a fit.
func (e *Encoder) Describe(i int) string {
	switch c := &e.Columns[i]; {
	case c.Kind == Number || c.Kind == Date:
		return c.describe()
	case c.Kind == Text:
		return "text"
	case c.Kind == LeftOut:
		return "left out of the training"
	case c.Levels != nil && c.Levels.HashBits > 0:
		return fmt.Sprintf("words, more than %d of them in %d rows or more", maxLevels, leastRows)
	case c.Levels != nil:
		return fmt.Sprintf("words, %d of them in %d rows or more", len(c.Levels.Names), leastRows)
	}
	return fmt.Sprintf("words, none of them in %d rows or more", leastRows)
}
