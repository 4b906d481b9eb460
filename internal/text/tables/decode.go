package tables

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/model/modelfile"
)

// Decode reads an encoder's JSON. It returns nil without an error if text is nil, no valid JSON, or
// lacks an encoder's version, as the JSON of a [form.Table] does.
func Decode(text json.RawMessage) (*Encoder, error) {
	var is struct {
		Version int `json:"encoder"`
	}
	if text == nil || json.Unmarshal(text, &is) != nil || is.Version == 0 {
		return nil, nil
	}
	if is.Version != version {
		return nil, fmt.Errorf("table: an encoder of version %d, and this program reads only "+
			"version %d: train the model again with this program", is.Version, version)
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

func (e *Encoder) check() error {
	if e.LabelAt < -1 || e.LabelAt > len(e.Columns) {
		return fmt.Errorf("label_at: %d, want -1 to %d", e.LabelAt, len(e.Columns))
	}
	if e.Rows < 1 {
		return fmt.Errorf("%d rows", e.Rows)
	}
	if err := e.Label.check(); err != nil {
		return fmt.Errorf("label: %w", err)
	}
	texts, features := 0, int64(0)
	for i := range e.Columns {
		c := &e.Columns[i]
		if err := c.check(e.Rows, e.Raw); err != nil {
			return fmt.Errorf("column %q: %w", escape.Cut(c.Name), err)
		}
		if c.Kind == Text {
			texts++
		}
		features += int64(c.features(e.Rows))
	}
	if texts > maxTexts {
		return fmt.Errorf("%d columns of text, want at most %d", texts, maxTexts)
	}
	if features > math.MaxInt32 {
		return fmt.Errorf("%d features, want at most %d", features, math.MaxInt32)
	}
	return nil
}

func (l *Label) check() error {
	if l.Kind != "" && l.Kind != Number && l.Kind != Category ||
		l.GapIsClass && l.Kind != Category || l.Format != nil && l.Kind != Number {
		return errors.New("an invalid kind, or a format or gap_is_class that its kind can't have")
	}
	return l.Format.check()
}

func (c *Column) check(rows int, raw bool) error {
	has := [...]bool{c.Number != nil, c.Date != nil, c.Levels != nil, c.Text != nil}
	wants, known := map[Kind][len(has)]bool{
		Number: {true, false, false, false}, Date: {true, true, false, false},
		Category: {false, false, has[2], false}, Text: {false, false, false, true}, LeftOut: {},
	}[c.Kind]
	switch {
	case !known:
		return fmt.Errorf("unknown kind %q", escape.Cut(string(c.Kind)))
	case has != wants:
		return fmt.Errorf("missing or unexpected parts for the kind %s", c.Kind)
	case c.Gaps < 0 || c.Gaps > rows:
		return fmt.Errorf("gaps: %d, want 0 to %d", c.Gaps, rows)
	case raw && (c.Kind != Number || c.Gaps > 0 || c.GapFeature):
		return errors.New("a column of a raw table must have numbers, no gaps and no gap feature")
	case c.GapFeature && c.Kind == LeftOut:
		return errors.New("left out, but with a gap feature")
	case c.Weak && (raw || c.Kind == Text || c.Kind == LeftOut):
		return errors.New("marked weak, which text, left-out columns and columns of a raw table can't be")
	}
	switch c.Kind {
	case Number:
		return c.Number.check(raw)
	case Date:
		return cmp.Or(c.Number.check(false), c.Date.check(rows))
	case Category:
		return c.Levels.check(rows - c.Gaps)
	case Text:
		err := c.Text.unpack(rows)
		c.Text.sumCounts()
		return err
	}
	return nil
}

func (s *Scale) check(raw bool) error {
	if raw && (s.Shift != 0 || s.Factor != 0 || s.Format != nil) {
		return errors.New("a column of a raw table has a shift, a factor or a number format")
	}
	if !floats.IsFinite(s.Mean) || !floats.IsFinite(s.Shift) || !floats.IsFinite(s.Factor) ||
		!raw && s.Factor <= 0 || math.Abs(s.Mean) > math.MaxFloat32 {
		return errors.New("invalid mean, shift or factor")
	}
	return s.Format.check()
}

func (f *Format) check() error {
	switch {
	case f == nil:
		return nil
	case f.Decimal != "" && f.Decimal != ",":
		return errors.New("unknown decimal mark")
	case len(f.GapWords) > mostOddWords || !slices.IsSorted(f.GapWords):
		return errors.New("gap words that are too many or not sorted")
	}
	return nil
}

func (d *Calendar) check(rows int) error {
	if _, known := dateTexts[d.Order]; !known {
		return errors.New("unknown order of dates")
	}
	if n := len(d.Counts); n != 0 && n != months && n != months+weekdays {
		return fmt.Errorf("%s of months and weekdays, want 0, 12 or 19", plural.Count(n, "count"))
	}
	// A row adds to the count of its month and to the count of its weekday.
	return cmp.Or(checkCounts(d.Counts[:min(months, len(d.Counts))], 0, rows),
		checkCounts(d.Counts[min(months, len(d.Counts)):], 0, rows))
}

func (l *Levels) check(cells int) error {
	switch {
	case l == nil:
		return nil
	case l.HashBits != 0 && (l.HashBits < 0 || l.HashBits > hashBits || len(l.Names) > 0 ||
		len(l.Counts) > 0):
		return fmt.Errorf("hash_bits: %d, want 0, or 1 to %d without names and counts", l.HashBits,
			hashBits)
	case len(l.Names) != len(l.Counts) || len(l.Names) > maxLevels:
		return fmt.Errorf("levels: %d, counts: %d, want equally many, at most %d", len(l.Names),
			len(l.Counts), maxLevels)
	case l.HashBits == 0 && len(l.Names) == 0:
		return errors.New("no levels")
	}
	for k := range max(len(l.Names)-1, 0) {
		if l.Names[k] >= l.Names[k+1] {
			return errors.New("levels that are not sorted or that repeat")
		}
	}
	return checkCounts(l.Counts, 1, cells)
}

func checkCounts(counts []int, least, most int) error {
	left := most
	for _, count := range counts {
		if count < least || count > left {
			return fmt.Errorf("a count is below %d, or the counts add up to more than %d", least, most)
		}
		left -= count
	}
	return nil
}
