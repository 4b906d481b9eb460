package dataset

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/text/form"
)

type columns struct {
	opt    *Options
	cells  int
	empty  int // Form.Trailing
	cols   int
	label  int   // column of the label; -1 for none
	from   []int // column of each feature or cell passed to the encoder; -1 if the file lacks it
	table  *Table
	others []string

	growing bool // whether later rows may have further columns
	header  bool // whether the file names the columns

	wanted map[string]int // by name in Options.Table, the index in from; nil if matched by position
}

type columnError struct{ reason string }

func (e *columnError) Error() string { return e.reason }

func columnErrorf(format string, args ...any) error {
	return &columnError{fmt.Sprintf(format, args...)}
}

// settle assigns columns to the label and the features. names is nil if the columns have no names.
func (c *columns) settle(names []string, cells int) error {
	c.cells = cells
	if t := c.opt.Table; names != nil && t != nil && t.Columns != nil {
		return c.match(names, t)
	}
	return c.byPlace(names)
}

func (c *columns) byPlace(names []string) (err error) {
	without, features, err := c.opt.unlabelled(c.cells)
	if err != nil {
		return &columnError{err.Error()}
	}
	if features > c.opt.maxCSVFeatures() {
		return columnErrorf("%d feature columns are beyond the limit of %d (-max-features)", features,
			c.opt.maxCSVFeatures())
	}
	c.label = -1
	if !without {
		if c.label, err = c.labelColumn(names); err != nil {
			return err
		}
	}
	c.cols = features
	c.from = make([]int, 0, features)
	for i := range c.cells {
		if i != c.label {
			c.from = append(c.from, i)
		}
	}
	c.table = form.NewTable(names, c.label, c.cells)
	return nil
}

func (c *columns) match(names []string, t *Table) (err error) {
	at, twice := indexNames(names)
	if c.label, err = c.matchLabel(names, at, twice, t); err != nil {
		return err
	}
	c.wanted = make(map[string]int, len(t.Columns))
	for k, name := range t.Columns {
		c.wanted[name] = k
		i, found := at[name]
		switch {
		case !found && (c.opt.leavesOut(k) || c.growing):
			i = -1
		case !found:
			return columnErrorf("no column is called %q%s", escape.Cut(name), c.where())
		case twice[name]:
			return columnErrorf("two columns are called %q", escape.Cut(name))
		case i == c.label:
			return columnErrorf("column %q can't be both the label and a feature", escape.Cut(name))
		}
		c.from = append(c.from, i)
	}
	for i, name := range names {
		name = form.ColumnName(name)
		_, is := c.wanted[name]
		if !is && i != c.label && (c.label >= 0 || name != t.Label) {
			c.others = append(c.others, name)
		}
	}
	c.cols, c.table = len(t.Columns), t
	return nil
}

func (c *columns) matchLabel(names []string, at map[string]int, twice map[string]bool, t *Table) (
	int, error,
) {
	if c.opt.LabelColumn != "" {
		return c.labelColumn(names)
	}
	i, found := at[t.Label]
	switch {
	case c.opt.Labels == LabelsNo, !found && c.opt.Labels == LabelsAuto:
		return -1, nil
	case !found:
		return 0, columnErrorf("no column is called %q%s, like the label column of the training data: "+
			"rename the column that has the labels, or name it with -label-column, which applies to all "+
			"data files", escape.Cut(t.Label), c.where())
	case twice[t.Label]:
		return 0, columnErrorf("two columns are called %q: give the number, from 0, of the one that has "+
			"the labels with -label-column, which applies to all data files", escape.Cut(t.Label))
	}
	return i, nil
}

// labelColumn returns the column of the labels, or -1 if Labels is no. LabelColumn or else Table
// gives the column. Without both, the last c.empty columns don't count, and the column is the one
// that [ChooseLabel] finds or, if names is nil, the last one.
func (c *columns) labelColumn(names []string) (at int, err error) {
	want := c.opt.LabelColumn
	switch n, notNumber := strconv.Atoi(want); {
	case c.opt.Labels == LabelsNo:
		return -1, nil
	case want == "" && c.opt.Table != nil && c.opt.Table.LabelAt >= 0:
		return min(c.opt.Table.LabelAt, c.cells-1), nil
	case want == "" && c.opt.Table != nil:
		return c.cells - 1, nil
	case want == "" && names != nil:
		at, _, err := ChooseLabel(names[:len(names)-c.empty])
		return at, err
	case want == "":
		return c.cells - 1 - c.empty, nil
	case want == "last" && !slices.Contains(names, "last"):
		return c.cells - 1, nil
	case notNumber == nil && n >= 0 && n < c.cells:
		return n, nil
	case slices.Contains(names, want):
		at = slices.Index(names, want)
		if slices.Contains(names[at+1:], want) {
			return 0, columnErrorf("two columns are called %q: give the label column's number, from 0",
				escape.Cut(want))
		}
		return at, nil
	case notNumber == nil:
		return 0, columnErrorf("there is no column %d for the label: want 0 to %d", n, c.cells-1)
	}
	if names == nil {
		return 0, columnErrorf("no column is called %q: the table is read without a header",
			escape.Cut(want))
	}
	few := strings.Join(names[:min(len(names), 40)], ", ") // Cut shortens the list anyway
	return 0, columnErrorf("no column is called %q%s: %s", escape.Cut(want), c.where(),
		escape.Cut(few))
}

func (c *columns) doubts(names []string) []Doubt {
	want := c.opt.LabelColumn
	if want == "" || c.label < 0 || c.label >= len(names) || names[c.label] == want ||
		!slices.Contains(names, want) {
		return nil
	}
	return []Doubt{{About: "label", Text: fmt.Sprintf("the labels are taken from column number %s, "+
		"called %q, not from the column that is called %[1]s (columns are numbered from 0)", want,
		escape.Cut(names[c.label]))}}
}

func (c *columns) where() string {
	switch {
	case c.growing: // later lines may have further fields
		return " in the first lines"
	case c.header:
		return " in the header"
	}
	return ""
}

// grow adds the columns from number c.cells on, and reports whether any becomes a new feature.
func (c *columns) grow(names []string) (feature bool) {
	for ; c.cells < len(names); c.cells++ {
		name := form.ColumnName(names[c.cells])
		if c.wanted != nil {
			if k, found := c.wanted[name]; found {
				c.from[k] = c.cells
			} else {
				c.others = append(c.others, name)
			}
			continue
		}
		c.from = append(c.from, c.cells)
		if c.table.LabelAt < 0 { // -1 stands for the last column
			c.table.LabelAt = c.label
		}
		c.table.Columns = append(c.table.Columns, name)
		feature = true
	}
	return feature
}

// complete returns an error if a used column of Options.Table occurs in no line of JSON.
func (c *columns) complete() error {
	if !c.growing || c.wanted == nil {
		return nil
	}
	for k, i := range c.from {
		if i < 0 && !c.opt.leavesOut(k) {
			return fmt.Errorf("no line has the field %q; null in a line stands for a missing value",
				escape.Cut(c.opt.Table.Columns[k]))
		}
	}
	return nil
}

var labelNames = []string{"label", "target", "class", "y"}

// A LabelError is the error for a table in which more than one column may have the labels.
type LabelError struct {
	File       string
	Candidates []string // names of the columns that may have the labels, in the file's order
	Names      []string // names of all columns but those that Form.Trailing counts
}

func (e *LabelError) Error() string {
	return fmt.Sprintf("%s: more than one column may have the labels: %s: say which (-label-column)",
		e.File, strings.Join(escape.Names(e.Candidates), ", "))
}

// ChooseLabel returns the index of the column of the labels in a table whose columns have the given
// names. If exactly one column is called label, target, class or y, in upper or lower case, and
// this column is the first or the last, ChooseLabel returns it, and byName is true. If no column
// has such a name, it returns the last column, or -1 if there are no names. Otherwise the error is
// a *[LabelError].
func ChooseLabel(names []string) (at int, byName bool, err error) {
	last := len(names) - 1
	var found []int
	for i, name := range names {
		if slices.Contains(labelNames, strings.ToLower(name)) {
			found = append(found, i)
		}
	}
	switch {
	case len(found) == 0:
		return last, false, nil
	case len(found) == 1 && (found[0] == 0 || found[0] == last):
		return found[0], true, nil
	}
	e := &LabelError{Names: slices.Clone(names)}
	for _, i := range found {
		e.Candidates = append(e.Candidates, names[i])
	}
	if found[len(found)-1] != last {
		e.Candidates = append(e.Candidates, names[last])
	}
	return 0, false, e
}

// indexNames returns the last column with each name, and whether several columns have the name.
func indexNames(names []string) (at map[string]int, twice map[string]bool) {
	at, twice = make(map[string]int, len(names)), map[string]bool{}
	for i, name := range names {
		name = form.ColumnName(name)
		_, twice[name] = at[name]
		at[name] = i
	}
	return at, twice
}
