package tables

import (
	"math"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/internal/sys/budget"
	"github.com/pegasimd/pegasimd/internal/text/cell"
)

const (
	mostOddWords = 3
	fewRows      = 20

	maxLevels = 1 << 12
	hashBits  = 12
	// maxKept bounds the distinct cells of a column that are counted, and maxKeptNumbers bounds
	// them while all are numbers. maxKeptBytes is about the most bytes of these cells.
	maxKept        = 1 << 16
	maxKeptBytes   = 1 << 22
	maxKeptNumbers = 1 << 12
	maxSeen        = 1 << 20
	// maxValueBytes bounds the bytes of a cell that is parsed as a number or a date.
	maxValueBytes = 64
)

type assumption struct {
	decimal byte       // '.' or ','
	unit    string     // unit of all numbers with a unit; "" for any
	order   cell.Order // 0 until the order matters for a date
	times   bool
	text    bool
}

// bareOnly is the assumed unit of columns in which cells with a unit or a magnitude do not fit.
const bareOnly = "none"

const allOrders = cell.YMD | cell.DMY | cell.MDY

type moments struct {
	count, zeros        int
	first, sum, squares float64 // sum and squares sum v-first and (v-first)²
	least, most         float64
}

func (m *moments) add(v float64) {
	if m.count++; m.count == 1 {
		m.first, m.least, m.most = v, v, v
	}
	if v == 0 {
		m.zeros++
	}
	d := v - m.first
	m.sum += d
	m.squares += float64(d * d)
	m.least, m.most = min(m.least, v), max(m.most, v)
}

type stats struct {
	as             assumption
	rows, missing  int // missing: by cell.IsMissing
	words          int // cells that are no numbers under the assumption
	gapWords, odd  int
	infinite       int    // gaps by cell.IsInfinite
	infinity       string // the first of these cells
	sample, oddOne string // the first cell that is not missing, and the first odd cell
	// The first number of a second unit (under bareOnly, of any unit), the first date or time that
	// dates lacks, the first number that is no date, and the first date that is no number.
	oddUnit, oddDate, oddNumber, onlyDate string
	few                                   []string // distinct odd words, up to mostOddWords + 1

	numbers         moments
	extremes        extremes
	parsed          int  // cells that are numbers, with any unit or none
	plain           bool // all cells are numbers that parse32 accepts
	plainSum        float64
	points, commas  int    // cells that prove a decimal point or a decimal comma: see prove
	ambiguous       int    // cells that are different numbers under either mark: see prove
	open            string // the first cell counted in ambiguous
	units           map[string]*int
	withUnit        int
	groups          bool // some number contains the mark that is not the decimal one
	magnitudes      int
	magnitude       string // a number with a magnitude, if possible with a point
	forced          byte   // decimal mark in a refit; 0 to detect it
	counts          bool   // each number is whole and greater than the previous one
	last            float64
	digits          int // digits of all numbers, by digitsOf; 0 if they differ
	zeroLed, eights int // numbers with leading zeros; dates of eight digits
	// The least digitsOf above 0 of the numbers, and the most bytes of a number with leading zeros.
	narrowest, zeroWidth int
	seen                 []float64 // whole numbers, or hashes of large ones; nil if repeated
	repeated             bool      // a number is known to repeat or has a fraction

	*dateStats // noDates until there is a date

	levels  map[string]*level // by the text of cells that are not missing
	kept    int
	full    bool // levels lacks texts, because there were too many
	stopped bool // addLevel no longer changes counted, different and again
	// Cells counted, levels created, and cells in levels of several cells.
	counted, different, again int

	spaces, alone, bytes int // in cells not missing: blanks, characters that are words, bytes
	grams                int
	text                 *textStats
	texts                *int            // number of columns whose n-grams are counted
	paid                 *budget.Account // memory that the file's size allows; nil for any
}

type dateStats struct {
	dates            moments
	dateExtremes     extremes
	dateCells, times int // dates and times under any order; times alone
	orders           [allOrders + 1]int
	openDate         string // the first date valid in several orders, but not in all
	calendar         [months + weekdays]int
	monthDay         int // day of the month of all dates; 0 if they differ
	noDay            bool
	late             int // dates from lateDays on whose years have two digits
	lateDate         string
}

// lateDays is 2040-01-01 in days since 1970. Years of two digits are doubtful from it on.
const lateDays = 25567

var noDates = new(dateStats)

func newStats(as assumption) *stats {
	if as.decimal == 0 {
		as.decimal = '.'
	}
	return &stats{as: as, grams: textGrams, texts: new(int), plain: true, counts: true,
		extremes: noExtremes, dateStats: noDates, levels: map[string]*level{}}
}

func (s *stats) add(text string) {
	if s.rows++; cell.IsMissing(text) {
		s.missing++
		s.plain = false
		return
	}
	if s.sample == "" {
		s.sample = strings.Clone(text)
	}
	l := s.levels[text]
	var is content
	known := l != nil && l.known
	if known {
		is = l.is
	} else {
		marks := s.points + s.commas + s.ambiguous
		is = s.parse(text)
		known = is >= gapWord && marks == s.points+s.commas+s.ambiguous
	}
	if is != value {
		if s.words++; s.levels == nil {
			s.levels = map[string]*level{}
		}
		s.plain = false
	}
	switch is {
	case gapWord:
		if s.gapWords++; cell.IsInfinite(text) {
			if s.infinite++; s.infinite == 1 {
				s.infinity = strings.Clone(text)
			}
		}
	case word:
		s.addOdd(text)
	}
	s.countText(text)
	if s.levels != nil {
		s.addLevel(text, l, is, known)
	}
}

type content byte

const (
	value   content = iota
	date            // a date and no number
	gapWord         // a gap among numbers and dates
	word
)

type level struct {
	count int
	is    content
	known bool // cells of this text need not be parsed again
}

func (s *stats) parse(text string) content {
	isNumber, isDate := false, false
	if len(text) <= maxValueBytes && cell.HasDigit(text) {
		var plain bool
		// In a number, no digit precedes a minus inside the cell: in 1e-5, a letter does.
		if i := strings.LastIndexByte(text, '-'); i < 1 || i == len(text)-1 || text[i-1]-'0' > 9 {
			isNumber, plain = s.addNumber(text)
		}
		isDate = s.addDate(text, plain)
	}
	switch {
	case isNumber:
		if !isDate && s.oddNumber == "" {
			s.oddNumber = strings.Clone(text)
		}
		return value
	case isDate:
		if s.onlyDate == "" {
			s.onlyDate = strings.Clone(text)
		}
		return date
	case cell.IsGapWord(text):
		return gapWord
	}
	return word
}

func (s *stats) addOdd(text string) {
	if s.odd++; s.odd == 1 {
		s.oddOne = strings.Clone(text)
	}
	if len(s.few) <= mostOddWords && !slices.Contains(s.few, text) {
		s.few = append(s.few, strings.Clone(text))
	}
}

// addNumber reports whether the cell is a number under the assumption, and whether cell.ParsePlain
// accepts the cell.
func (s *stats) addNumber(text string) (is, plain bool) {
	v, plain := cell.ParsePlain(text)
	point := strings.IndexByte(text, '.')
	n := cell.Number{Value: v}
	switch {
	case plain && point < 0:
	case plain && s.as.decimal == '.':
		s.prove(text, point)
	default:
		var ok bool
		n, ok = cell.ParseNumber(text, s.as.decimal)
		if s.prove(text, point); !ok {
			return false, plain
		}
	}
	if n.Magnitude != 0 {
		if s.magnitudes++; s.magnitude == "" || strings.IndexByte(text, '.') >= 0 {
			s.magnitude = strings.Clone(text)
		}
		if s.as.unit == bareOnly {
			s.parsed++
			return false, plain
		}
	}
	if s.parsed++; n.Unit != "" {
		s.withUnit++
		if s.units == nil {
			s.units = map[string]*int{}
		}
		count := s.units[n.Unit]
		if (count == nil && len(s.units) > 0 || s.as.unit == bareOnly) && s.oddUnit == "" {
			s.oddUnit = strings.Clone(text)
		}
		if count == nil && len(s.units) < mostUnits {
			count = new(int)
			s.units[strings.Clone(n.Unit)] = count
		}
		if count != nil {
			*count++
		}
		if s.as.unit != "" && s.as.unit != n.Unit {
			return false, plain
		}
	}
	s.groups = s.groups || !(plain && s.as.decimal == '.') && isGrouped(text, s.as.decimal)
	s.numbers.add(n.Value)
	s.extremes.add(text, n.Value)
	s.addPlain(text, n.Value)
	return true, plain
}

func isGrouped(text string, mark byte) bool {
	return strings.IndexByte(text, '.'+','-mark) >= 0
}

const mostUnits = 64

// prove counts a cell as proof of a decimal mark, or as ambiguous, but may ignore points after the
// first proof of a decimal point. point is the index of the cell's first point, or -1.
func (s *stats) prove(text string, point int) {
	if point >= 0 && len(text)-point != len(".123") && strings.IndexByte(text, ',') < 0 &&
		s.as.decimal == '.' && strings.LastIndexByte(text, '.') == point {
		s.points++
		return
	}
	if s.points > 0 && point >= 0 && strings.IndexByte(text, ',') < 0 {
		return // the column is not ambiguous anyway
	}
	switch mark := cell.DecimalMark(text); {
	case mark == '.':
		s.points++
	case mark == ',':
		s.commas++
	case cell.Ambiguous(text):
		if s.ambiguous++; s.open == "" {
			s.open = strings.Clone(text)
		}
	}
}

func (s *stats) addPlain(text string, v float64) {
	if s.plain {
		x, ok := parse32(text)
		s.plain = ok
		s.plainSum += float64(x)
	}
	digits := digitsOf(text)
	if digits > 0 && (s.narrowest == 0 || digits < s.narrowest) {
		s.narrowest = digits
	}
	if cell.LeadingZero(text) {
		s.zeroLed++
		s.zeroWidth = max(s.zeroWidth, len(text))
	}
	if digits == 8 && cell.EightDigitDate(text) {
		s.eights++
	}
	if s.numbers.count == 1 {
		s.digits = digits
	} else {
		s.counts = s.counts && v > s.last
	}
	s.counts = s.counts && v == math.Trunc(v)
	if s.last = v; s.digits != digits {
		s.digits = 0
	}
	if math.Abs(v) >= 1<<53 { // float64 may not distinguish neighboring integers
		v = float64(hashText(text) >> 11)
	}
	s.see(v)
}

func parse32(text string) (float32, bool) {
	v, reason := cell.Float32(text)
	return v, reason == ""
}

// digitsOf returns the number of digits at the start of a number, or 0 if another character than a
// point follows them.
func digitsOf(text string) int {
	for i := range len(text) {
		switch c := text[i]; {
		case c-'0' < 10:
		case c == '.':
			return i
		default:
			return 0
		}
	}
	return len(text)
}

func (s *stats) see(v float64) {
	full := len(s.seen) == maxSeen
	switch {
	case s.repeated:
		return
	case v != math.Trunc(v):
		s.repeated = true
	case full:
		_, s.repeated = slices.BinarySearch(s.seen, v)
	case len(s.seen) == cap(s.seen) && s.comeAgain():
	default:
		if s.seen = append(s.seen, v); len(s.seen) == maxSeen {
			s.comeAgain()
		}
	}
	if s.repeated {
		s.seen = nil
	}
}

func (s *stats) comeAgain() bool {
	slices.Sort(s.seen)
	for i := 1; i < len(s.seen) && !s.repeated; i++ {
		s.repeated = s.seen[i] == s.seen[i-1]
	}
	return s.repeated
}

// addDate reports whether the cell is a date or a time under any order, and counts it. plain says
// that the cell is a plain number.
func (s *stats) addDate(text string, plain bool) bool {
	if plain && !cell.EightDigitDate(text) {
		return false
	}
	d, ok := parseDate(text, allOrders, plain)
	if !ok {
		return false
	}
	set := d.Orders
	if set != allOrders && s.as.order == 0 {
		if s.as.order = set & -set; set&cell.DMY != 0 {
			s.as.order = cell.DMY
		}
	}
	if s.dateStats == noDates {
		s.dateStats = &dateStats{dateExtremes: noExtremes}
	}
	if set != allOrders {
		d, ok = parseDate(text, s.as.order, false)
	}
	if s.dateCells++; ok && d.TimeOnly {
		s.times++
	} else if s.orders[set]++; set&(set-1) != 0 && set != allOrders && s.openDate == "" {
		s.openDate = strings.Clone(text)
	}
	if !ok || d.TimeOnly != s.as.times {
		if s.oddDate == "" {
			s.oddDate = strings.Clone(text)
		}
		return true
	}
	if s.dates.add(d.Days); s.dates.count == 1 {
		s.monthDay = d.MonthDay
	}
	if d.MonthDay != s.monthDay {
		s.monthDay = 0
	}
	s.noDay = s.noDay || !d.Day
	if d.Short && d.Days >= lateDays {
		if s.late++; s.late == 1 {
			s.lateDate = strings.Clone(text)
		}
	}
	if !d.TimeOnly {
		s.dateExtremes.addDate(text, d.Days)
		s.calendar[d.Month]++
		s.calendar[months+d.Weekday]++
	}
	return true
}

// parseDate parses a date; order 0 stands for all orders. Of plain numbers, only those of eight
// digits can be dates.
func parseDate(text string, order cell.Order, plain bool) (cell.Date, bool) {
	if order == 0 {
		order = allOrders
	}
	if !plain {
		return cell.ParseDate(text, order)
	}
	if !cell.EightDigitDate(text) {
		return cell.Date{}, false
	}
	var b [len("2015-04-22")]byte
	copy(b[:], text[:4])
	copy(b[5:], text[4:6])
	copy(b[8:], text[6:])
	b[4], b[7] = '-', '-'
	return cell.ParseDate(string(b[:]), order)
}

const triedRows = 256

// countText counts the n-grams of a cell. In a column not assumed to be text, it begins only if the
// first cell with a value looks like text, and gives up after triedRows cells if the column does
// not look like text.
func (s *stats) countText(text string) {
	cells, spaces, alone := s.rows-s.missing, strings.Count(text, " "), countAlone(text)
	s.spaces, s.alone, s.bytes = s.spaces+spaces, s.alone+alone, s.bytes+len(text)
	if cells == 1 && (spaces >= textSpaces-1 || alone >= textAlone/2) && s.text == nil &&
		*s.texts < maxTexts {
		s.text = newTextStats(s.grams, s.paid)
		*s.texts++
	}
	if s.text == nil {
		return
	}
	if s.text.add(text, s.rows); !s.as.text && cells == triedRows && !s.likeText() {
		s.text.drop()
		s.text = nil
		*s.texts--
	}
}

func (s *stats) likeText() bool {
	cells := s.rows - s.missing
	return s.counted >= fewRows && 2*s.different > s.counted &&
		(s.spaces >= textSpaces*cells || s.bytes >= textBytes*cells && s.spaces >= cells ||
			s.alone >= textAlone*cells)
}

func (s *stats) addLevel(text string, l *level, is content, known bool) {
	switch {
	case l != nil:
		if l.count++; !s.stopped {
			if s.again++; l.count == 2 {
				s.again++ // and the first occurrence
			}
		}
	case s.words == 0 && len(s.levels) == maxKeptNumbers:
		s.levels, s.full = nil, true
		return
	case len(s.levels) == maxKept || s.kept > maxKeptBytes:
		s.full, s.stopped = true, true
	default:
		s.levels[strings.Clone(text)] = &level{1, is, known}
		s.kept += len(text)
		s.different++
	}
	if !s.stopped {
		s.counted++
	}
}

func (s *stats) isRepeated(text string) bool {
	l := s.levels[text]
	return l != nil && l.count >= leastRows
}

// joinBooleans merges the spellings of true into the level "true", and likewise for "false". If
// levels lacks texts, it deletes these levels instead.
func (s *stats) joinBooleans() {
	truths := map[string]int{}
	for _, spelling := range cell.Spellings {
		if l := s.levels[spelling]; l != nil {
			truths[cell.Truth(spelling)] += l.count
			delete(s.levels, spelling)
		}
	}
	if s.full || len(truths) == 0 {
		return
	}
	for truth, count := range truths {
		s.levels[truth] = &level{count: count}
	}
	s.different, s.again = len(s.levels), 0
	for _, l := range s.levels {
		if l.count > 1 {
			s.again += l.count
		}
	}
}
