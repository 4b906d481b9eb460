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

// blockSize is the number of nonzeros or rows at which a block of a table is full.
const blockSize = 1 << 16

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
	s.Form, s.Mixed = &detected, t.rows.mixed()
	s.Doubts = append(t.rows.Doubts(), t.columns.doubts(t.rows.Names())...)
	s.Rounded, s.LeftOut = t.rounded, t.leftOut
}

// scanTable reads a table. It calls each whenever t.block is full, and after the last row; then it
// reuses the block's memory. Words as labels become provisional class numbers.
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

func (t *tableFile) cols() int {
	if t.opt.Encoder != nil {
		return t.opt.Encoder.Cols()
	}
	return t.columns.cols
}

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

func (t *tableFile) scanFile(f openFile, from *sources, each func(cells []string) error) error {
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
		g.Label = o.LabelColumn
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
	if g.Names == nil { // the encoder uses no column, or there are no names
		g.Names = t.Columns
	}
	if t.Unnamed {
		g.Columns = 0 // there may be a header, but its names can't be matched
	}
	return g
}

// moreColumns is how many more columns than features a table may have: a model need not use all
// columns.
const moreColumns = 1024

func byteOf(character string) byte {
	switch character {
	case "":
		return 0
	case "none":
		return form.None
	}
	return character[0]
}

type tableFile struct {
	rows    *tableRows
	name    string
	size    int64 // size in bytes if the table is one file; 0 or -1 if unknown
	opt     Options
	columns columns
	classes classes
	settled bool
	refused *SyntaxError // error of the first cell that the encoder refused
	taken   []string     // scratch
	leading int          // the encoder's first leading cells are the row's
	count   int
	leftOut []int // numbers of the rows left out, from 0
	rounded int
	block   block
	each    func(t *tableFile) error
}

func (t *tableFile) row(cells []string) error {
	if err := t.settle(len(cells)); err != nil {
		return err
	}
	b := &t.block
	y, missing, reason := t.labelOf(cells)
	if reason != "" && t.opt.MissingLabels == MissingKeep { // the cell can't be a label
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

func (t *tableFile) settle(cells int) error {
	if !t.settled {
		t.settled = true
		f := t.rows.Form()
		t.columns.empty, t.columns.growing = f.Trailing, f.Format == form.JSONL
		t.columns.header = f.Header
		err := t.columns.settle(t.rows.Names(), cells)
		if c := (*columnError)(nil); errors.As(err, &c) {
			switch {
			case f.Format == form.CSV && f.Separator == form.None:
				c.reason += t.aboutSeparator()
			case f.Format == form.Lines && cells == 1 && t.opt.LabelColumn == "":
				c.reason = "the lines have no labels: want lines of a label, a tab and a text"
			}
		}
		for t.leading < len(t.columns.from) && t.columns.from[t.leading] == t.leading {
			t.leading++
		}
		if e := t.opt.Encoder; e != nil && err == nil {
			e.Begin(form.Source{Table: t.columns.table, Form: f,
				Decimal: byteOf(t.opt.Decimal), AnyWidth: !t.opt.autoMax,
				DropUnlabelled: t.opt.MissingLabels != MissingError})
		}
		return err
	}
	if cells <= t.columns.cells {
		return nil
	}
	if added := t.columns.grow(t.rows.Names()[:cells]); added && t.opt.Encoder == nil {
		line, _ := t.rows.FieldPos(0)
		return &SyntaxError{File: t.name, Line: line, Name: escape.Cut(t.rows.Names()[cells-1]),
			Reason: "the lines before lack this field", Cell: true}
	}
	return nil
}

func (t *tableFile) aboutSeparator() string {
	for _, d := range t.rows.Reader.Doubts() {
		if d.About == "separator" {
			return "; " + d.Text + " (" + d.Flag + ")"
		}
	}
	return "; no separator was found: if one character separates the cells, name it (-sep)"
}

// end returns the error of the refused cells, or else of columns.complete. It assigns the columns
// if there are names and no rows.
func (t *tableFile) end() error {
	if !t.settled {
		if names := t.rows.Names(); len(names) > 0 {
			t.columns.header = t.rows.Form().Header
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
		if reason = t.checkExact(text, l); reason != "" {
			reason = "label is " + reason
		}
		return l.Value, false, reason
	}
}

// parseLabel parses a label without an encoder. If the first label that is not missing is a word,
// all labels are words.
func (t *tableFile) parseLabel(text string) (l form.Label, reason string) {
	if cell.IsMissing(text) {
		return form.Label{Missing: true}, ""
	}
	v, reason := cell.Float32(text)
	if !t.classes.begun {
		t.classes.begun, t.classes.words = true, reason == cell.NotNumber
	}
	switch {
	case t.classes.words:
		return form.Label{Word: true}, ""
	case reason == cell.NotNumber:
		return l, "label is not a decimal number, unlike the first label of the data"
	case reason != "":
		return l, "label is " + reason
	}
	return form.Label{Value: v + 0}, "" // -0 is 0
}

// checkExact returns why float32 can't hold an integer label, or "". With Options.RoundLabels it
// counts such a label in t.rounded instead.
func (t *tableFile) checkExact(text string, l form.Label) (reason string) {
	if l.Value > -1<<24 && l.Value < 1<<24 {
		return ""
	}
	if reason = cell.NotExact; !l.Rounded {
		_, reason = cell.ExactLabel([]byte(text), l.Value)
	}
	if reason != "" && t.opt.RoundLabels {
		t.rounded++
		reason = ""
	}
	return reason
}

// features appends the features of a row to the block. bad is the index of the invalid cell, or -1
// for a cell that the row lacks.
func (t *tableFile) features(cells []string) (bad int, reason string) {
	b := &t.block
	for j, i := range t.columns.from {
		if i < 0 { // no line of JSON so far has the field
			return i, fmt.Sprintf("the field %q is missing: fill it in or leave the row out",
				escape.Cut(t.columns.table.Columns[j]))
		}
		v, reason := cell.Float32(cells[i])
		switch {
		case reason == "":
		case cell.IsMissing(cells[i]):
			return i, "missing value: fill it in or leave the row out"
		case reason == cell.NotNumber:
			reason = "feature is " + reason
			if t.opt.Features == 0 { // with Features, the table may be for a model of numbers
				reason += ": to encode words, use Train or Fit of package " +
					"github.com/pegasimd/pegasimd/pegasos/table"
			}
			return i, reason
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

// encode appends the features that the encoder computes for a row. It stores the error of the first
// refused cell, and counts later rows with refused cells in that error. It returns a reason only if
// the encoder stops the reading.
func (t *tableFile) encode(cells []string) (bad int, reason string) {
	taken := cells[:t.leading]
	if t.leading < len(t.columns.from) {
		taken = append(t.taken[:0], taken...)
		for _, i := range t.columns.from[t.leading:] {
			if i < 0 { // the file, or the lines of JSON so far, lack the column
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

func (t *tableFile) flush() error {
	err := t.each(t)
	b := &t.block
	*b = block{y: b.y[:0], ends: b.ends[:0], idx: b.idx[:0], val: b.val[:0]}
	return err
}

func (t *tableFile) at(i int, cells []string, reason string) *SyntaxError {
	line, column := t.rows.FieldPos(max(i, 0))
	e := &SyntaxError{File: t.name, Line: line, Column: column, Reason: reason,
		Cell: i < 0 || i != t.columns.label}
	if i < 0 {
		e.Column = 0
		return e
	}
	e.Token = escape.Cut(cells[i])
	if names := t.rows.Names(); names != nil {
		e.Name = escape.Cut(names[i])
	}
	return e
}

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
		if t.rows != nil && t.rows.Reader != nil {
			line = t.rows.FirstLine()
			if t.count > 0 || t.settled && !t.rows.Reader.Form().Header {
				line, _ = t.rows.FieldPos(0)
			}
		}
		return &SyntaxError{File: t.name, Line: line, Reason: c.Error()}
	}
	if l := (*LabelError)(nil); errors.As(err, &l) {
		l.File = t.name
		return l
	}
	return fail(t.name, err)
}
