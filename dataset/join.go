package dataset

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/text/form"
)

// tableRows reads the rows of a table's files with cells in the order of the table's columns.
type tableRows struct {
	*form.Reader
	join     *join       // nil if the table is one file
	place    []int       // the table's column for each column of the current file
	straight bool        // whether read returns the Reader's cells unchanged
	cells    []string    // scratch
	count    int         // rows read of the current file
	doubts   []joinDoubt // about the files that were read to their ends
}

type join struct {
	form  Form           // as in Set.Form
	mixed bool           // whether some file has another form
	names []string       // names of the columns; nil if they have none
	at    map[string]int // index in names, for lines of JSON
	first string         // name of the first file that is not empty; "" if all are empty
	empty []string       // names of the files without columns
}

const noRows = "the file has no rows"

const giveHeader = "give each file the header or, if both have one, use -header yes or, if " +
	"neither has one, -header no"

type joinDoubt struct {
	Doubt
	more int // further files with this doubt
}

// joinTables reads the beginnings of a table's files and checks that their columns match. Only
// lines of JSON may have different columns.
func joinTables(from *sources, opt Options) (*join, error) {
	if len(from.names) == 1 {
		return nil, nil
	}
	opt.Progress, opt.meter, opt.bytes, opt.More = nil, nil, new(int64), nil
	j, points, commas := &join{at: map[string]int{}}, 0, 0
	for _, name := range from.names {
		in := input{opt: opt}
		err := in.open(name)
		if err == nil {
			err = j.add(&in, &points, &commas)
		}
		in.close()
		if err != nil {
			return nil, err
		}
	}
	if j.form.Format != string(FormatJSONL) {
		j.form.Decimal = form.DecimalOf(points, commas)
	}
	return j, nil
}

// add compares the beginning of a file with the files before, and adds the Reader's DecimalMarks to
// points and commas.
func (j *join) add(in *input, points, commas *int) error {
	files, err := in.readers()
	if err != nil {
		return err
	}
	f := files[0]
	if !f.regular || in.files[0] == os.Stdin {
		return fmt.Errorf("%s: several tables must be regular files other than standard input, because "+
			"each is read more than once", f.name)
	}
	format, err := in.opt.formatOf(f.name)
	if err != nil {
		return err
	}
	r, err := form.Open(f.r, f.at, f.size, j.given(in.opt.given(format)))
	if err != nil {
		t := &tableFile{name: f.name}
		return t.fault(err)
	}
	x, y := r.DecimalMarks()
	*points, *commas = *points+x, *commas+y
	is, names := r.Form(), r.Names()
	if is.Columns == 0 && len(names) == 0 || f.size == 0 {
		j.empty = append(j.empty, f.name)
	}
	if j.first == "" { // all files before are empty
		j.form = is
	}
	switch {
	case slices.Contains(j.empty, f.name):
		return nil
	case j.first == "":
		j.names, j.first = slices.Clone(names), f.name
		for k, name := range names {
			j.at[name] = k
		}
		return nil
	}
	if format == FormatJSONL {
		for _, name := range names {
			j.column(name)
		}
		j.form.Columns = len(j.names)
	} else if _, err := j.places(&is, names, f.name, r.FirstLine()); err != nil {
		return err
	}
	a, b := j.form, is
	j.form.Trailing = min(a.Trailing, b.Trailing)
	for _, f := range []*Form{&a, &b} { // fields that don't tell how cells are split
		f.Decimal, f.Columns, f.Trailing = 0, 0, 0
	}
	j.mixed = j.mixed || a != b
	return nil
}

// given replaces the expected columns in g by the header, if any, of the first file that is not
// empty. If that file has the format Lines, g gets this format. g stays unchanged while no such
// file is known, and for lines of JSON, whose columns may differ.
func (j *join) given(g form.Given) form.Given {
	if j.first == "" || g.Format == form.JSONL {
		return g
	}
	if j.form.Format == form.Lines {
		g.Format = form.Lines
	}
	g.Names, g.Label, g.Columns = nil, "", 0
	if j.form.Header {
		g.Names, g.NamesOf = j.names, j.first
	}
	return g
}

func (j *join) places(f *Form, names []string, file string, line int) ([]int, error) {
	fault := func(text string, a ...any) ([]int, error) {
		return nil, &SyntaxError{File: file, Line: line, Reason: fmt.Sprintf(text, a...)}
	}
	switch {
	case f.Header != j.form.Header && f.Header:
		return fault("a header, but %s has none: "+giveHeader, j.first)
	case f.Header != j.form.Header:
		return fault("no header, but %s has one: "+giveHeader, j.first)
	case f.Format == form.Lines && j.form.Format != form.Lines:
		return fault("lines of texts, but %s has cells", j.first)
	case len(names) > len(j.names) && !f.Header:
		return fault("lines of a label and a text, but %s has lines of a text alone", j.first)
	case len(names) < len(j.names) && !f.Header:
		return fault("lines without a tab, but %s has lines of a label, a tab and a text", j.first)
	case f.Columns != j.form.Columns && !f.Header:
		return fault("%s, but %s has %d", plural.Count(f.Columns, "column"), j.first, j.form.Columns)
	}
	at := make([]int, f.Columns)
	for i := range at {
		at[i] = i
	}
	if slices.Equal(names, j.names) {
		return at, nil
	}
	have, twice := indexNames(names)
	index, doubled := indexNames(j.names)
	for _, name := range j.names {
		if _, found := have[form.ColumnName(name)]; !found {
			return fault("no column is called %q, unlike in %s", escape.Cut(name), j.first)
		}
	}
	for i, name := range names {
		name = form.ColumnName(name)
		k, found := index[name]
		switch {
		case !found:
			return fault("column %q is not in %s", escape.Cut(name), j.first)
		case twice[name]:
			return fault("two columns are called %q, and the header differs from the one in %s",
				escape.Cut(name), j.first)
		case doubled[name]:
			return fault("the header differs from the one in %s, in which two columns are called %q",
				j.first, escape.Cut(name))
		}
		at[i] = k
	}
	return at, nil
}

func (j *join) column(name string) int {
	k, found := j.at[name]
	if !found {
		k, j.names = len(j.names), append(j.names, name)
		j.at[name] = k
	}
	return k
}

func (r *tableRows) open(f openFile, g form.Given) (err error) {
	j := r.join
	alone := j == nil || slices.Contains(j.empty, f.name) && j.form.Format != form.JSONL
	if !alone && f.name != j.first {
		g = j.given(g)
	}
	r.Reader, err = form.Open(f.r, f.at, f.size, g)
	r.place, r.straight, r.count = nil, alone, 0
	if err != nil || alone || j.form.Format == form.JSONL {
		return err
	}
	is := r.Reader.Form()
	r.place, err = j.places(&is, r.Reader.Names(), f.name, r.Reader.FirstLine())
	r.straight = err == nil && slices.IsSorted(r.place)
	return err
}

// read returns the cells of the next row, valid until the next call.
func (r *tableRows) read() ([]string, error) {
	cells, err := r.Reader.Read()
	if err != nil {
		return nil, err
	}
	if r.count++; r.straight {
		return cells, nil
	}
	for i := len(r.place); i < len(cells); i++ { // new fields of lines of JSON
		r.place = append(r.place, r.join.column(r.Reader.Names()[i]))
	}
	r.cells = slices.Grow(r.cells[:0], len(r.join.names))[:len(r.join.names)]
	clear(r.cells)
	for i, cell := range cells {
		r.cells[r.place[i]] = cell
	}
	return r.cells, nil
}

func (r *tableRows) end(file string) {
	doubts := r.Reader.Doubts()
	switch {
	case r.join == nil:
	case r.count == 0:
		doubts = append(doubts, Doubt{About: "rows", Text: noRows})
	case r.join.form.Format == form.JSONL && len(r.Reader.Names()) == 0:
		doubts = append(doubts, Doubt{About: "rows", Text: "no line of the file has a field"})
	}
	for _, d := range doubts {
		if r.join != nil {
			if d.File = file; strings.Contains(d.Flag, "-") && !strings.Contains(d.Flag, "awk") {
				d.Flag += "; flags apply to all files"
			}
		}
		i := slices.IndexFunc(r.doubts, func(o joinDoubt) bool {
			return o.About == d.About && o.Column == d.Column && o.Text == d.Text
		})
		if i < 0 || r.join == nil {
			r.doubts = append(r.doubts, joinDoubt{Doubt: d})
		} else {
			r.doubts[i].more++
		}
	}
}

func (r *tableRows) Doubts() (doubts []Doubt) {
	for _, d := range r.doubts {
		switch {
		case d.more == 1:
			d.Text += " (the same in one more file)"
		case d.more > 1:
			d.Text += fmt.Sprintf(" (the same in %d more files)", d.more)
		}
		doubts = append(doubts, d.Doubt)
	}
	return doubts
}

func (r *tableRows) Form() Form {
	if r.join != nil {
		return r.join.form
	}
	return r.Reader.Form()
}

func (r *tableRows) mixed() bool { return r.join != nil && r.join.mixed }

func (r *tableRows) Names() []string {
	if r.join != nil {
		return r.join.names
	}
	return r.Reader.Names()
}

// FieldPos returns the line and column of the cell in the table's column i. column is 0 if the
// current file has had no such column.
func (r *tableRows) FieldPos(i int) (line, column int) {
	if !r.straight {
		if i = slices.Index(r.place, i); i < 0 {
			line, _ = r.Reader.FieldPos(0)
			return line, 0
		}
	}
	return r.Reader.FieldPos(i)
}
