package tables

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/text/cell"
	"github.com/pegasimd/pegasimd/internal/text/form"
)

// encoder returns the encoder of the rows of the pass, or nil if another pass is needed. last makes
// it keep the assumptions about numbers, dates and labels.
func (f *Fitter) encoder(last bool) (*Encoder, error) {
	t := f.file.Table
	if t == nil {
		t = &form.Table{LabelAt: -1}
	}
	n := len(f.columns)
	if f.raw != nil {
		n = len(f.raw.columns)
	}
	if n == 0 || f.raw != nil && f.raw.rows == 0 {
		return nil, ErrNoRows
	}
	e := &Encoder{Version: version, Columns: make([]Column, n), LabelAt: t.LabelAt, Rows: f.taken,
		Header: t.Columns != nil && t.Check(n) == nil}
	for i := range e.Columns {
		e.Columns[i].Name = strconv.Itoa(t.FileColumn(i))
		if t.Columns != nil {
			e.Columns[i].Name = t.Columns[i]
		}
		if e.Columns[i].Name == "*" {
			f.star = strconv.Itoa(t.FileColumn(i))
		}
	}
	given, err := f.given(e, t)
	if err != nil {
		return nil, err
	}
	f.Doubts, f.Reports = nil, make([]Report, n)
	f.Mark = f.decimalMark()
	if s := f.labels.full; s != nil {
		s.forced = f.labels.mark
	}
	name := t.Label
	if t.Columns == nil { // as for features, the number in the file
		if name = strconv.Itoa(n); t.LabelAt >= 0 {
			name = strconv.Itoa(t.LabelAt)
		}
	}
	label, again := f.labels.settle(f.Mark, f.questionMark, func(v verdict) { f.doubt(name, v) })
	if again = again && !last; label.Kind == Number && f.labels.full != nil {
		f.doubtSentinels(name, &f.labels.full.extremes, f.row, "")
	} else if label.Kind == Number {
		f.doubtSentinels(name, &f.targets, f.row, "")
	}
	if e.Label = label; t.Columns != nil {
		e.Label.Name = t.Label
	}
	if f.raw != nil {
		return f.rawEncoder(e, given, again)
	}
	return f.fullEncoder(e, given, again, last)
}

func (f *Fitter) rawEncoder(e *Encoder, given []Given, again bool) (*Encoder, error) {
	e.Raw, e.Rows = true, f.raw.rows
	for i := range e.Columns {
		c, r := &e.Columns[i], &f.raw.columns[i]
		if f.Mark == ',' || r.mayMerge() || given[i].Kind == "" && (r.points && r.thousands ||
			r.mayBeID(c.Name, e.Rows)) {
			f.raw = nil
			return nil, nil
		}
		c.Kind, c.Number = Number, &Scale{Mean: r.sum / float64(e.Rows)}
		f.Reports[i].Reason = "numbers"
		if given[i].Kind == "" {
			if r.eights && r.differs {
				f.doubt(c.Name, verdict{doubt: eightDigits, flag: "-dates COLUMN", cell: r.text})
			}
			f.doubtSentinels(c.Name, &r.extremes, e.Rows, "-numbers COLUMN")
		}
	}
	if again {
		return nil, nil
	}
	return e, nil
}

func (f *Fitter) fullEncoder(e *Encoder, given []Given, again, last bool) (*Encoder, error) {
	verdicts := make([]verdict, len(e.Columns))
	texts := 0
	plan := make([]assumption, len(e.Columns))
	for i := range e.Columns {
		s, v := f.columns[i], &verdicts[i]
		mark := f.Mark
		if f.marks != nil {
			s.forced = f.marks[i]
			mark = cmp.Or(f.marks[i], mark)
		}
		*v = f.verdict(s, e.Columns[i].Name, given[i], mark)
		plan[i] = s.as
		if s.contradicts(v) && (!last || v.kind == Text) {
			plan[i], again = v.as, true
		}
		if v.kind == Text {
			texts++
		}
	}
	if texts > maxTexts {
		return nil, fmt.Errorf("%d columns of text, more than %d: leave some out (-ignore)", texts,
			maxTexts)
	}
	if f.plan = plan; again {
		return nil, nil
	}
	e.Raw = f.isRaw(verdicts)
	for i := range e.Columns {
		f.settle(&e.Columns[i], f.columns[i], verdicts[i], e)
	}
	if texts > 0 {
		e.balance()
	}
	if e.Cols() == 0 && !f.Inspect {
		return f.withoutFeatures(e, verdicts)
	}
	for i, v := range verdicts {
		f.report(e, i, v)
	}
	return e, nil
}

// contradicts reports whether the verdict needs statistics under another assumption. It completes
// the assumption of a verdict of text.
func (s *stats) contradicts(v *verdict) bool {
	switch v.kind {
	case Number:
		return v.as.decimal != s.as.decimal || v.as.unit != s.as.unit
	case Date:
		return v.as.times != s.as.times || v.as.order != s.as.order
	case Text:
		v.as = s.as
		v.as.text = true
		return s.text == nil
	}
	return false
}

// questionMark revises the doubt of a column of numbers in which some cells are ambiguous and none
// proves the decimal mark. If the mark is given, it drops the doubt; otherwise it may add one about
// points read as decimals.
func (f *Fitter) questionMark(s *stats, v *verdict) {
	open := v.kind == Number && s.points == 0 && s.commas == 0 && s.ambiguous > 0
	switch {
	case !open:
	case f.file.Decimal != 0:
		v.doubt, v.cell, v.flag = "", "", ""
	case (f.file.Form.Separator == ';' || s.numbers.count > s.ambiguous) && v.as.decimal == '.' &&
		v.doubt == "":
		v.doubt, v.cell, v.flag = "decimal points or thousands, read as decimals", s.open, "-decimal ,"
	}
}

func (f *Fitter) isRaw(verdicts []verdict) bool {
	for i, v := range verdicts {
		s, other := f.columns[i], v.kind != Number && v.reason == asGiven
		if !s.plain || s.as.decimal != '.' || v.id || v.code || other || s.merges(bits32) {
			return false
		}
	}
	return true
}

const asGiven = "as given"

const otherwise = ": no column would have a feature otherwise"

func (f *Fitter) verdict(s *stats, name string, given Given, mark byte) verdict {
	if given.Kind == "" {
		v := s.judge(name, mark)
		f.questionMark(s, &v)
		switch {
		case f.file.Form.Format == form.Lines && v.names:
			v = verdict{kind: Text, as: assumption{text: true}, reason: v.reason + ", but text"}
		case v.id && f.kept && !s.merges(bits64):
			v = verdict{kind: Number, reason: v.reason + ", but kept" + otherwise, as: s.as}
			v.as.unit = ""
		case v.names && f.forced, v.id && f.kept:
			if v.doubt == "" || v.id {
				v.doubt, v.flag = "looks like an identifier, but taken for text"+otherwise, "-text COLUMN"
			}
			v.doubt = strings.Replace(v.doubt, "taken for words", "taken for text", 1)
			v.flag = strings.NewReplacer("-categories COLUMN or -ignore COLUMN", "-text COLUMN",
				"-categories COLUMN", "-text COLUMN").Replace(v.flag)
			v = verdict{kind: Text, as: assumption{text: true}, code: v.code || v.id, doubt: v.doubt,
				flag: v.flag, cell: v.cell, reason: v.reason + ", but taken for text" + otherwise}
		case v.names && strings.HasSuffix(v.doubt, "taken for words"):
			v.doubt += ", and left out"
		}
		return v
	}
	s.joinBooleans()
	v := verdict{kind: given.Kind, reason: asGiven, as: s.as}
	switch given.Kind {
	case Number:
		unit, _ := s.unit()
		v.as.decimal, v.as.unit = s.mark(mark), s.assumedUnit(unit)
	case Date:
		v.as.times = 2*s.times > s.dateCells
		order, both := s.dateOrder()
		switch {
		case given.Order != 0:
			order = given.Order
		case !v.as.times && (both || order&(order-1) != 0):
			order = cell.DMY
			v.doubt = "dates whose order no cell shows, read with the day before the month"
			if both {
				v.doubt = "dates of both orders, read with the day before the month"
			}
			v.flag, v.cell = "-dates COLUMN=dmy or -dates COLUMN=mdy", s.openDate
			if s.mayBeginWithYear() {
				v.flag = fullYears + ", or say " + v.flag
			}
		case order == cell.DMY:
			s.doubtYears(&v)
		}
		v.as.order = order
		if v.as.times || order == given.Order && s.as.order == 0 && s.unordered() {
			v.as.order = s.as.order
		}
	}
	return v
}

func (s *stats) unordered() bool {
	order, both := s.dateOrder()
	return order == 0 && !both
}

// decimalMark returns the decimal mark for ambiguous columns: the given mark, else the mark that
// more columns and labels prove, else the mark in the file's form. It also sets Mixed.
func (f *Fitter) decimalMark() byte {
	commas, points := 0, 0 // numbers of columns
	for _, s := range append(f.columns[:len(f.columns):len(f.columns)], f.labels.full) {
		switch {
		case s == nil:
		case s.commas > s.points:
			commas++
		case s.points > 0:
			points++
		}
	}
	if f.Mixed = commas > 0 && points > 0; f.file.Decimal != 0 {
		return f.file.Decimal
	}
	commas -= points
	if commas > 0 || commas == 0 && f.file.Form.Decimal == ',' {
		return ','
	}
	return '.'
}

func (f *Fitter) settle(c *Column, s *stats, v verdict, e *Encoder) {
	if c.Kind, c.Gaps = v.kind, s.missing; e.Raw {
		c.Kind, c.Number = Number, &Scale{Mean: s.plainSum / float64(e.Rows)}
		return
	}
	switch v.kind {
	case Number:
		c.fitNumber(s)
	case Date:
		c.fitDate(s)
	case Category:
		c.fitLevels(s)
	case Text:
		c.Text = s.text.words()
		c.GapFeature = 100*c.Gaps > s.rows
	}
}

// newScale returns the scale that maps the mean, and so gaps, to 0. But if at least three quarters
// of the numbers are 0 and mostlyGaps is false, it maps 0 to 0, so that rows remain sparse.
func newScale(m *moments, mostlyGaps bool) *Scale {
	n := float64(max(m.count, 1))
	mean := m.sum / n
	s := &Scale{Mean: m.first + mean}
	if s.Shift = s.Mean; 4*m.zeros >= 3*m.count && !mostlyGaps {
		s.Shift = 0
	}
	s.Factor = float64(floats.Inverse(math.Sqrt(max(m.squares/n-float64(mean*mean), 0))))
	return s
}

// balance sets the length of texts to the root mean square length of the features of the other
// columns, if above 1, because the penalty on the weights is the same for both.
func (e *Encoder) balance() {
	squares := 0.0
	for i := range e.Columns {
		if e.Columns[i].Kind != Text {
			squares += e.Columns[i].meanSquare(e.Rows)
		}
	}
	length := 0.0
	if squares > 1 {
		length = math.Sqrt(squares)
	}
	for i := range e.Columns {
		if t := e.Columns[i].Text; t != nil {
			t.Length = length
		}
	}
}

func (c *Column) fitNumber(s *stats) {
	c.Gaps = s.rows - s.numbers.count
	c.GapFeature = 100*c.Gaps > s.rows
	c.Number = newScale(&s.numbers, c.marksValues(s.rows))
	c.Number.Format = s.format(s.gapWordsOf())
}

func (c *Column) fitDate(s *stats) {
	c.Gaps = s.rows - s.dates.count
	c.GapFeature = 100*c.Gaps > s.rows
	c.Number = newScale(&s.dates, c.marksValues(s.rows))
	c.Date = &Calendar{Order: orderName(s.as)}
	if s.as.times || s.dates.count == 0 {
		return
	}
	counts := slices.Clone(s.calendar[:])
	if s.monthDay != 0 || s.noDay { // weekdays mean little
		counts = counts[:months]
		if slices.Max(counts) == s.dates.count {
			counts = nil
		}
	}
	c.Date.Counts = counts
}

// fitLevels omits levels that are not UTF-8, which JSON can't represent.
func (c *Column) fitLevels(s *stats) {
	c.GapFeature = c.Gaps > 0
	l, least := new(Levels), 1
	if s.hardlyRepeats() || len(s.levels) > maxLevels {
		least = leastRows
	}
	for name, of := range s.levels {
		if of.count >= least && utf8.ValidString(name) {
			l.Names = append(l.Names, name)
		}
	}
	switch {
	case s.full || len(l.Names) > maxLevels:
		c.Levels = &Levels{HashBits: hashBits}
		return
	case l.Names == nil:
		return
	}
	slices.Sort(l.Names)
	for _, name := range l.Names {
		l.Counts = append(l.Counts, s.levels[name].count)
	}
	c.Levels = l
}

// withoutFeatures plans another pass: columns of names become text, or else ids are kept. It
// returns an error if neither helps.
func (f *Fitter) withoutFeatures(e *Encoder, verdicts []verdict) (*Encoder, error) {
	is := func(v verdict) bool { return v.names }
	if f.forced || !slices.ContainsFunc(verdicts, is) {
		is = func(v verdict) bool { return v.id }
		if f.kept || !slices.ContainsFunc(verdicts, is) {
			return nil, allLeftOut(e, verdicts)
		}
		f.kept = true
		return nil, nil
	}
	f.forced = true
	return nil, nil
}

func allLeftOut(e *Encoder, verdicts []verdict) error {
	const most = 5
	var why []string
	for i := range e.Columns[:min(most, len(e.Columns))] {
		reason := verdicts[i].reason
		switch {
		case e.Columns[i].Kind == Category:
			reason = e.Describe(i)
		case reason == asGiven:
			reason = "left out " + asGiven
		}
		why = append(why, fmt.Sprintf("%s (%s)", escape.Name(escape.Cut(e.Columns[i].Name)), reason))
	}
	if len(e.Columns) > most {
		why = append(why, "...")
	}
	return escape.Error(fmt.Errorf("no column has a feature: %s", strings.Join(why, ", ")))
}

func (f *Fitter) report(e *Encoder, i int, v verdict) {
	c, s, r := &e.Columns[i], f.columns[i], &f.Reports[i]
	*r = Report{Reason: v.reason, Sample: s.sample, Distinct: s.distinct()}
	if e.Raw {
		r.Reason = "numbers"
	}
	if v.doubt != "" {
		f.doubt(c.Name, v)
	}
	values := s.rows - s.missing - s.gapWords + s.infinite
	switch r.Odd = values - s.infinite; c.Kind {
	case Number:
		if r.Odd -= s.numbers.count; v.reason != asGiven {
			f.doubtSentinels(c.Name, &s.extremes, s.rows, "-numbers COLUMN")
		}
		r.OddCell = cmp.Or(s.oddOne, s.oddUnit, s.onlyDate)
	case Date:
		if r.Odd -= s.dates.count; v.reason != asGiven {
			f.doubtSentinels(c.Name, &s.dateExtremes, s.rows, "-dates COLUMN")
		}
		r.OddCell = cmp.Or(s.oddOne, s.oddDate, s.oddNumber)
	default:
		r.Odd = 0
	}
	if s.late > 0 && c.Kind == Date {
		f.doubt(c.Name, verdict{cell: s.lateDate, flag: fullYears,
			doubt: fmt.Sprintf("years of two digits, 40 to 68, read as 2040 to 2068 in %d of %d values",
				s.late, values)})
	}
	if s.infinite > 0 && (c.Kind == Number || c.Kind == Date) {
		text := "%d of %d values are infinite and count as missing"
		if s.infinite == 1 {
			text = "%d of %d values is infinite and counts as missing"
		}
		f.doubt(c.Name, verdict{cell: s.infinity, flag: "correct such cells or make them empty",
			doubt: fmt.Sprintf(text, s.infinite, values)})
	}
	if r.Odd > 0 {
		text := "%d of %d values are not read as %ss and count as missing"
		if r.Odd == 1 {
			text = "%d of %d values is not read as a %s and counts as missing"
		}
		kind := string(c.Kind)
		if c.Date != nil && c.Date.Order == "time" {
			kind = "time"
		}
		f.doubt(c.Name, verdict{cell: r.OddCell, flag: "correct such cells or make them empty; if " +
			"the column has words, -categories COLUMN",
			doubt: fmt.Sprintf(text, r.Odd, values, kind)})
	}
}

func (f *Fitter) doubtSentinels(column string, x *extremes, rows int, flag string) {
	for _, v := range x.sentinels(rows, flag) {
		f.doubt(column, v)
	}
}

func (f *Fitter) doubt(column string, v verdict) {
	if column == "" {
		v.doubt = "a column without a name: " + v.doubt
	}
	var words []string
	word := column
	if word == "*" { // in a flag, "*" stands for all other columns
		word = f.star
	}
	for _, order := range []string{"=dmy", "=mdy", ""} {
		words = append(words, "COLUMN"+order, escape.Text(listed(word+order)))
	}
	f.Doubts = append(f.Doubts, form.Doubt{About: "column", Column: column, Cell: v.cell,
		Text: v.doubt, Flag: strings.NewReplacer(words...).Replace(v.flag)})
}

// listed quotes a word, where needed, for a list of columns and for the shell. It quotes a word
// that begins with =, which zsh would expand.
func listed(word string) string {
	plain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-./:+%@=", r)
	}
	if word != "" && word[0] != '=' &&
		!strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
		return word
	}
	word = `"` + strings.ReplaceAll(word, `"`, `""`) + `"`
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func (f *Fitter) given(e *Encoder, t *form.Table) ([]Given, error) {
	all := make([]Given, len(e.Columns))
	if f.kinds != nil {
		copy(all, f.kinds)
		return all, nil
	}
	if len(f.Overrule) == 0 {
		return all, nil
	}
	used := map[string]bool{"*": true}
	for i := range e.Columns {
		name, number := e.Columns[i].Name, strconv.Itoa(t.FileColumn(i))
		named, isName := f.Overrule[name]
		isName = isName && t.Columns != nil
		placed, isPlace := f.Overrule[number]
		isPlace = isPlace && !(t.Columns != nil && (slices.Contains(t.Columns, number) ||
			t.Label == number))
		switch {
		case isName && isPlace && name != number:
			return nil, fmt.Errorf("column %q is given twice, by name and by number", escape.Cut(name))
		case isName:
			all[i], used[name] = named, true
		case isPlace:
			all[i], used[number] = placed, true
		default:
			all[i] = f.Overrule["*"]
		}
	}
	for name := range f.Overrule {
		switch {
		case used[name]:
		case t.Columns != nil && name == t.Label && name != "":
			return nil, fmt.Errorf("the column %q has the labels: it can't be given a kind", escape.Cut(name))
		default:
			return nil, fmt.Errorf("no column, other than the label's, has the name or number %q (numbers "+
				"count from 0)", escape.Cut(name))
		}
	}
	return all, nil
}
