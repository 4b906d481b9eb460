package dataset

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/text/cell"
	"github.com/pegasimd/pegasimd/internal/text/form"
)

// blockSize is about how many nonzeros or rows of a table make a block.
const blockSize = 1 << 16

// readTable reads a table: CSV, TSV, lines with labels, or objects of JSON.
func readTable(from *sources, opt Options) (*Set, error) {
	all := collector{opt: opt}
	t, err := all.read(from)
	if err != nil {
		return nil, err
	}
	s, err := all.finish(0, t.columns.cols)
	if err != nil {
		return nil, fail(t.name, err)
	}
	t.describe(s)
	for i, y := range s.Y {
		s.Y[i] = t.classes.place(y)
	}
	return s, nil
}

// describe sets the fields of the set that concern the table as a whole.
func (t *tableFile) describe(s *Set) {
	s.IndexBase, s.Bytes = 1, *t.opt.bytes
	s.Table, s.Others = t.columns.table, t.columns.others
	if e := t.opt.Encoder; e != nil && e.Cols() > 0 &&
		(e.Features() != nil || e.Cols() != len(t.columns.from)) {
		s.Table = &Table{Columns: e.Features(), LabelAt: -1}
		if t.columns.table != nil {
			s.Table.Label = t.columns.table.Label
		}
	}
	s.Unlabelled = t.columns.label < 0
	s.Names = t.classes.settle()
	detected := t.rows.Form()
	s.Form, s.Mixed, s.Doubts = &detected, t.rows.mixed(), t.rows.Doubts()
	s.Rounded, s.LeftOut = t.rounded, t.leftOut
}

// scanTable reads a table and calls each when t.block has rows for it, with provisional numbers of
// classes. After that, their memory is used again.
func scanTable(from *sources, opt Options, each func(t *tableFile) error) (*tableFile, error) {
	if err := opt.noHash(from.names[0]); err != nil {
		return nil, err
	}
	t := &tableFile{name: from.names[0], opt: opt, each: each}
	t.columns.opt = &t.opt
	if err := t.scan(from, t.row); err != nil {
		return nil, err
	}
	if err := t.end(); err != nil {
		return nil, t.fault(err)
	}
	t.columns.cols = t.cols()
	return t, t.flush()
}

// cols returns the number of features: the rows so far may have settled those of the encoder.
func (t *tableFile) cols() int {
	if t.opt.Encoder != nil {
		return t.opt.Encoder.Cols()
	}
	return t.columns.cols
}

// scan opens the table's files and calls each with the cells of every row.
func (t *tableFile) scan(from *sources, each func(cells []string) error) error {
	joined, err := joinTables(from, t.opt)
	if err != nil {
		return err
	}
	t.rows = &tableRows{join: joined}
	for {
		f, err := from.next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = t.scanFile(f, from, each)
		}
		if err != nil {
			return err
		}
	}
}

// scanFile calls each with the cells of the rows of a file.
func (t *tableFile) scanFile(f arrayFile, from *sources, each func(cells []string) error) error {
	rows := t.rows
	if t.name = f.name; len(from.names) == 1 {
		t.size = f.size
	}
	if err := rows.open(f, t.opt.given(from.format())); err != nil {
		return t.fault(err)
	}
	if f.regular && t.opt.Threads > 1 {
		defer rows.ReadAhead()()
	}
	for {
		cells, err := rows.read()
		if err == io.EOF {
			rows.end(f.name)
			return nil
		}
		if err == nil {
			err = each(cells)
		}
		if err != nil {
			return t.fault(err)
		}
	}
}

// given returns the parts of a table's form that the options settle.
func (o Options) given(format Format) form.Given {
	g := form.Given{
		Format: string(format), Encoding: o.Encoding, SkipLines: o.SkipLines, Keep: o.KeepRows,
		Separator: byteOf(o.Separator), Quote: byteOf(o.Quote), Comment: byteOf(o.Comment),
		MaxColumns: max(o.maxCSVFeatures(), o.Features) + moreColumns,
	}
	if o.Header != HeaderAuto {
		yes := o.Header == HeaderYes
		g.Header = &yes
	}
	t := o.Table
	_, notNumber := strconv.Atoi(o.LabelColumn)
	if notNumber != nil && o.LabelColumn != "" && o.LabelColumn != "last" {
		g.Label = o.LabelColumn // a header has that name
	}
	if t == nil {
		return g
	}
	g.Columns, g.Label = o.Features, t.Label
	for i, name := range t.Columns {
		if !o.leavesOut(i) {
			g.Names = append(g.Names, name)
		}
	}
	if g.Names == nil { // all columns are left out
		g.Names = t.Columns
	}
	if t.Unnamed {
		g.Columns = 0 // there may be a header, but its names say nothing
	}
	return g
}

// moreColumns is the number of columns that a table may have beyond the features allowed: for the
// label, and for columns that a model does not use.
const moreColumns = 1024

// byteOf returns the one byte of a character, 0 for the empty string, and form.None for "none".
func byteOf(character string) byte {
	switch character {
	case "":
		return 0
	case "none":
		return form.None
	}
	return character[0]
}

// A tableFile is a table being read.
type tableFile struct {
	rows    *tableRows
	name    string // of the file that is read
	size    int64  // of the only file, in bytes; 0 or -1 if that is not known
	opt     Options
	columns columns
	classes classes
	settled bool         // columns is filled in
	refused *SyntaxError // the first cell that the encoder refused, with the number of others
	taken   []string     // scratch: the cells passed to the encoder
	leading int          // number of taken cells that are also the row's first cells
	count   int          // rows so far
	leftOut []int
	rounded int
	block   block
	each    func(t *tableFile) error
}

// row appends a row to the block.
func (t *tableFile) row(cells []string) error {
	if err := t.settle(len(cells)); err != nil {
		return err
	}
	b := &t.block
	y, missing, reason := t.labelOf(cells)
	if reason != "" && t.opt.MissingLabels == MissingKeep { // a cell that can't be a label is missing
		missing, reason = true, ""
	}
	if reason == "" && missing {
		switch t.opt.MissingLabels {
		case MissingDrop:
			t.leftOut = append(t.leftOut, t.count+len(t.leftOut))
			return nil
		case MissingKeep:
			y = float32(math.NaN())
		default:
			reason = "missing label: fill it in, or leave such rows out (-missing drop)"
			if t.opt.LabelColumn == "" && t.opt.Table == nil {
				reason += "; if another column has the labels, name it (-label-column)"
			}
		}
	}
	if reason != "" {
		return t.at(t.columns.label, cells, reason)
	}
	b.y = append(b.y, y)
	take := t.features
	if t.opt.Encoder != nil {
		take = t.encode
	}
	if i, reason := take(cells); reason != "" {
		return t.at(i, cells, reason)
	}
	b.ends = append(b.ends, len(b.val))
	if t.count++; len(b.val) >= blockSize || len(b.y) >= blockSize {
		return t.flush()
	}
	return nil
}

// settle finds the columns of the label and the features at the first row, and adds the columns
// that later rows of JSON lines have.
func (t *tableFile) settle(cells int) error {
	if !t.settled {
		t.settled = true
		t.columns.empty = t.rows.Form().Trailing
		err := t.columns.settle(t.rows.Names(), cells)
		for t.leading < len(t.columns.from) && t.columns.from[t.leading] == t.leading {
			t.leading++
		}
		if e := t.opt.Encoder; e != nil && err == nil {
			e.Begin(form.Source{Table: t.columns.table, Form: t.rows.Form(),
				Decimal: byteOf(t.opt.Decimal), AnyWidth: !t.opt.paid,
				DropUnlabelled: t.opt.MissingLabels != MissingError})
		}
		return err
	}
	if cells <= t.columns.cells {
		return nil
	}
	added := t.columns.grow(t.rows.Names()[:cells])
	if added && t.opt.Encoder == nil && t.count > 0 {
		line, _ := t.rows.FieldPos(0)
		return &SyntaxError{File: t.name, Line: line, Name: escape.Cut(t.rows.Names()[cells-1]),
			Reason: "the lines before lack the field", Cell: true}
	}
	return nil
}

// end makes the checks that need the whole file.
func (t *tableFile) end() error {
	if !t.settled { // there are no rows
		if names := t.rows.Names(); len(names) > 0 {
			return t.columns.settle(names, len(names))
		}
		t.columns.label = -1
		return nil
	}
	if t.refused != nil {
		return t.refused
	}
	return t.columns.complete()
}

// labelOf returns the label of a row, 0 if there are no labels, and whether it is missing.
func (t *tableFile) labelOf(cells []string) (y float32, missing bool, reason string) {
	if t.columns.label < 0 {
		return 0, false, ""
	}
	text, parse := cells[t.columns.label], t.parseLabel
	if t.opt.Encoder != nil {
		parse = t.opt.Encoder.Label
	}
	switch l, reason := parse(text); {
	case reason != "" || l.Missing:
		return 0, l.Missing, reason
	case l.Word:
		y, reason = t.classes.class(text)
		return y, false, reason
	default:
		if reason = t.checkExact(text, l.Value); reason != "" {
			reason = "label is " + reason
		}
		return l.Value, false, reason
	}
}

// parseLabel parses a label without an encoder. If the first label is a word, all labels are words.
func (t *tableFile) parseLabel(text string) (l form.Label, reason string) {
	if cell.IsMissing(text) {
		return form.Label{Missing: true}, ""
	}
	v, reason := cell.Float32(text)
	if t.count == 0 && reason == cell.NotNumber {
		t.classes.words = true
	}
	switch {
	case t.classes.words:
		return form.Label{Word: true}, ""
	case reason == cell.NotNumber:
		return l, "label is not a decimal number, as the first label is"
	case reason != "":
		return l, "label is " + reason
	}
	return form.Label{Value: v + 0}, "" // -0 is 0
}

// checkExact returns why a label is refused that is a whole number and that float32 can't hold
// exactly. With Options.RoundLabels it counts the label instead and returns "".
func (t *tableFile) checkExact(label string, v float32) (reason string) {
	if v > -1<<24 && v < 1<<24 {
		return ""
	}
	if _, reason = cell.ExactLabel([]byte(label), v); reason != "" && t.opt.RoundLabels {
		t.rounded++
		reason = ""
	}
	return reason
}

// features appends the features of a row to the block. If a cell is wrong it returns the cell's
// index and the reason.
func (t *tableFile) features(cells []string) (bad int, reason string) {
	b := &t.block
	for j, i := range t.columns.from {
		v, reason := cell.Float32(cells[i])
		switch {
		case reason == "":
		case cell.IsMissing(cells[i]):
			return i, "missing value: fill it in or leave the row out"
		case reason == cell.NotNumber:
			return i, "feature is not a number: to encode words, use Train or Fit of package " +
				"github.com/pegasimd/pegasimd/pegasos/table"
		default:
			return i, "feature is " + reason
		}
		if v != 0 {
			b.idx = append(b.idx, int32(j))
			b.val = append(b.val, v)
		}
	}
	return 0, ""
}

// encode appends the encoder's features of a row to the block, and counts the cells that it
// refuses.
func (t *tableFile) encode(cells []string) (bad int, reason string) {
	taken := cells[:t.leading]
	if t.leading < len(t.columns.from) {
		taken = append(t.taken[:0], taken...)
		for _, i := range t.columns.from[t.leading:] {
			if i < 0 { // a column that the encoder does not use, or a field that JSON lines lack
				taken = append(taken, "")
			} else {
				taken = append(taken, cells[i])
			}
		}
		t.taken = taken
	}
	b := &t.block
	b.idx, b.val, bad, reason = t.opt.Encoder.Encode(taken, b.idx, b.val)
	switch {
	case reason == "":
	case reason == form.Stop:
		return 0, reason
	case t.refused == nil:
		t.refused = t.at(t.columns.from[bad], cells, reason)
	default:
		t.refused.more++
	}
	return 0, ""
}

// flush passes the block to each, and then reuses its memory.
func (t *tableFile) flush() error {
	err := t.each(t)
	b := &t.block
	*b = block{y: b.y[:0], ends: b.ends[:0], idx: b.idx[:0], val: b.val[:0]}
	return err
}

// at returns the error of cell i of the current row.
func (t *tableFile) at(i int, cells []string, reason string) *SyntaxError {
	line, column := t.rows.FieldPos(max(i, 0))
	e := &SyntaxError{File: t.name, Line: line, Column: column, Reason: reason,
		Cell: i != t.columns.label}
	if i >= 0 {
		e.Token = escape.Cut(cells[i])
		if names := t.rows.Names(); names != nil {
			e.Name = escape.Cut(names[i])
		}
	}
	return e
}

// fault gives an error the file's name, and a line if it concerns the columns.
func (t *tableFile) fault(err error) error {
	if s := (*form.SyntaxError)(nil); errors.As(err, &s) {
		if s.Line == 0 {
			return fmt.Errorf("%s: %s", t.name, s.Reason)
		}
		return &SyntaxError{File: t.name, Line: s.Line, Column: s.Column, Token: s.Token,
			Reason: s.Reason}
	}
	if s := (*SyntaxError)(nil); errors.As(err, &s) {
		return s
	}
	if c := (*columnError)(nil); errors.As(err, &c) {
		line := 1
		if t.rows != nil && t.rows.Reader != nil && t.count > 0 {
			line, _ = t.rows.FieldPos(0)
		}
		return &SyntaxError{File: t.name, Line: line, Reason: c.Error()}
	}
	if l := (*LabelError)(nil); errors.As(err, &l) {
		l.File = t.name
		return l
	}
	return fail(t.name, err)
}
