package tables

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/pegasimd/pegasimd/internal/sys/budget"
	"github.com/pegasimd/pegasimd/internal/text/form"
)

const version = 5

// An Encoder encodes the cells of a table's rows as features. [Decode] reads its JSON.
type Encoder struct {
	Version int      `json:"encoder"`
	Columns []Column `json:"columns"` // without the label's, in the order of the training file
	Rows    int      `json:"rows"`    // training rows
	// Header says to find columns in another file by their names, not by position.
	Header  bool  `json:"header"`
	Label   Label `json:"label"`
	LabelAt int   `json:"label_at"` // the label column's number; -1 if last or none
	// Raw says that the features are the numbers in the cells, as float32. Then all columns are
	// plain numbers without gaps.
	Raw bool `json:"raw,omitempty"`
}

type Label struct {
	Name string `json:"name,omitempty"`
	// Kind is Number, Category for names of classes, or "" without labels.
	Kind   Kind    `json:"kind,omitempty"`
	Format *Format `json:"format,omitempty"` // format of numbers; nil for the zero Format
	// GapIsClass makes cells such as NA the name of a class.
	GapIsClass bool `json:"gap_is_class,omitempty"`
}

func (e *Encoder) Cols() (n int) {
	for i := range e.Columns {
		n += e.Columns[i].features(e.Rows)
	}
	return n
}

func (e *Encoder) FeaturesOf(i int) int { return e.Columns[i].features(e.Rows) }

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

const maxNames = 1 << 16

// Names returns the names of the features, or nil if they are more than maxNames or take too much
// memory.
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

// bytes of a name besides its text, approximately
const nameBytes = 32

func (e *Encoder) Spreads() []float64 {
	all := make([]float64, 0, e.Cols())
	for _, c := range e.Columns {
		c.Name = "" // keep feature from copying the name for each feature
		for j := range c.features(e.Rows) {
			all = append(all, c.feature(j, e.Rows).Spread)
		}
	}
	return all
}

func (e *Encoder) Feature(j int) Feature {
	i, j := e.columnOf(j)
	return e.Columns[i].feature(j, e.Rows)
}

// Decode returns the number that feature j encodes with the value v; dates are days since 1970,
// times are shares of a day. It returns v and false for other features, and for a raw encoder.
func (e *Encoder) Decode(j int, v float64) (number float64, ok bool) {
	i, of := e.columnOf(j)
	return e.Columns[i].decode(of, v)
}

func (c *Column) decode(of int, v float64) (number float64, ok bool) {
	if c.Number == nil || c.Number.Factor == 0 || of != 0 {
		return v, false
	}
	if c.Weak {
		v /= weakFactor
	}
	return v/c.Number.Factor + c.Number.Shift, true
}

// Original formats the number, the date or the time of the day that feature j encodes with the
// value v, or v itself for other features.
func (e *Encoder) Original(j int, v float64) string {
	i, of := e.columnOf(j)
	c := &e.Columns[i]
	v, ok := c.decode(of, v)
	if ok {
		if c.Kind == Date && c.Date.Order == "time" && math.Abs(v) < maxDays {
			return time.Unix(int64(math.Round(86400*v)), 0).UTC().Format(time.TimeOnly)
		}
		if c.Kind == Date && math.Abs(v) < maxDays {
			return time.Unix(0, 0).UTC().AddDate(0, 0, int(math.Floor(v))).Format(time.DateOnly)
		}
	}
	return fmt.Sprintf("%.4g", v)
}

// Standard returns the mean of feature j over the training rows with a number, and the standard
// deviation to which the encoder scales it. ok is false unless the feature is the number in a
// scaled column of numbers.
func (e *Encoder) Standard(j int) (mean, deviation float64, ok bool) {
	i, of := e.columnOf(j)
	c := &e.Columns[i]
	if c.Kind != Number || of != 0 || !(c.Number.Factor > 0) || e.Raw {
		return 0, 0, false
	}
	mean, deviation = float64(c.Number.scaled(c.Number.Mean)), 1
	if c.Weak {
		mean, deviation = mean*weakFactor, weakFactor
	}
	return mean, deviation, true
}

// maxDays bounds the days from 1970 of a date or time that is formatted as such.
const maxDays = 1e6

func (e *Encoder) columnOf(j int) (i, of int) {
	for j >= e.FeaturesOf(i) {
		j -= e.FeaturesOf(i)
		i++
	}
	return i, j
}

func (e *Encoder) Reads() (t *form.Table, uses []bool) {
	t = &form.Table{LabelAt: e.LabelAt}
	if e.Header {
		t.Label = e.Label.Name
	}
	for i := range e.Columns {
		name := e.Columns[i].Name
		if e.Header {
			t.Columns = append(t.Columns, name)
		} else if name != strconv.Itoa(t.FileColumn(i)) {
			t.Unnamed = true
		}
		uses = append(uses, e.Columns[i].Kind != LeftOut)
	}
	return t, uses
}

// NumberFeatures returns, for each column of numbers or dates, the feature that is the number or
// the date. The result is not nil.
func (e *Encoder) NumberFeatures() []int {
	features, next := []int{}, 0
	for i, c := range e.Columns {
		if c.Kind == Number || c.Kind == Date {
			features = append(features, next)
		}
		next += e.FeaturesOf(i)
	}
	return features
}
