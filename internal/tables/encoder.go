package tables

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/budget"
	"github.com/pegasimd/pegasimd/internal/modelfile"
)

// version is the version of an encoder's JSON. Version 1 coded the first of two levels as 0, the
// value of an unknown word.
const version = 2

// An Encoder makes rows of numbers of the cells of a table. A model's file has it as JSON, in place
// of a [dataset.Table]: see [Decode].
type Encoder struct {
	Version int      `json:"encoder"`
	Columns []Column `json:"columns"` // all but the label's, in the order of the training's file
	// Header says that the names of the columns tell them apart; if not, they go by their places.
	Header  bool   `json:"header"`
	Label   string `json:"label,omitempty"` // the name of the label's column
	LabelAt int    `json:"label_at"`        // its number in the file, or -1 if it was the last
}

// Decode reads the encoder that JSON is of. It returns nil if there is none, but a [dataset.Table].
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
	if e.LabelAt < -1 || e.LabelAt > len(e.Columns) {
		return nil, fmt.Errorf("table: encoder: the label is in column %d", e.LabelAt)
	}
	texts, features := 0, int64(0)
	for i := range e.Columns {
		if err := e.Columns[i].check(); err != nil {
			return nil, fmt.Errorf("table: encoder: %w", err)
		}
		if e.Columns[i].Kind == Text {
			texts++
		}
		features += int64(e.Columns[i].Features())
	}
	if texts > maxTexts || features > math.MaxInt32 {
		return nil, fmt.Errorf("table: encoder: %d columns of text, %d features: too many", texts,
			features)
	}
	return e, nil
}

// Cols returns the number of features.
func (e *Encoder) Cols() (n int) {
	for i := range e.Columns {
		n += e.Columns[i].Features()
	}
	return n
}

// Bytes returns about how much memory the rows take that the encoder was fitted on.
func (e *Encoder) Bytes() int64 {
	rows, nonzeros := 0, 0
	for i := range e.Columns {
		c := &e.Columns[i]
		rows = c.Rows
		switch c.Kind {
		case Text:
			for _, count := range c.Text.counts {
				nonzeros += int(count)
			}
		case Date:
			nonzeros += 3 * rows
		case Number, Category:
			nonzeros += rows
		}
	}
	return min(4*int64(rows)*int64(e.Cols()), 8*int64(nonzeros))
}

// maxNames is how many features have names at most.
const maxNames = 1 << 16

// Names returns the names of the features, or nil if they are more than 65,536 or take more memory
// than they may: the name of a column is in the names of all its features.
func (e *Encoder) Names() (names []string) {
	if e.Cols() > maxNames {
		return nil
	}
	left := budget.Account{Part: budget.Names}
	for i := range e.Columns {
		for j := range e.Columns[i].Features() {
			name := e.Columns[i].feature(j).Name
			if !left.Take(int64(len(name) + nameBytes)) {
				return nil
			}
			names = append(names, name)
		}
	}
	return names
}

// nameBytes is about what a name takes beside its text.
const nameBytes = 32

// Spreads returns Feature.Spread of all features.
func (e *Encoder) Spreads() []float64 {
	all := make([]float64, 0, e.Cols())
	for _, c := range e.Columns {
		c.Name = "" // which would be copied for each feature
		for j := range c.Features() {
			all = append(all, c.feature(j).Spread)
		}
	}
	return all
}

// Feature says what feature j of an encoded row stands for.
func (e *Encoder) Feature(j int) Feature {
	for i := range e.Columns {
		n := e.Columns[i].Features()
		if j < n {
			return e.Columns[i].feature(j)
		}
		j -= n
	}
	panic("table: no such feature")
}

// Table returns what tells the columns of another file apart.
func (e *Encoder) Table() *dataset.Table {
	t := &dataset.Table{LabelAt: e.LabelAt}
	if e.Header {
		t.Label = e.Label
		for i := range e.Columns {
			t.Columns = append(t.Columns, e.Columns[i].Name)
		}
	}
	return t
}

// Options has opt read a CSV file by the encoder, and returns the [Coder] that does.
func (e *Encoder) Options(opt *dataset.Options) *Coder {
	c := e.Coder()
	opt.Encoder, opt.Features, opt.Table = c, len(e.Columns), e.Table()
	return c
}
