package tables

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pegasimd/pegasimd/internal/text/cell"
)

const (
	fewValues = 10
	idDigits  = 6 // digits of ids that are recognized by their equal lengths
	// Up to mostCodes distinct words that begin with digits, such as codes, age groups and hours,
	// are no doubtful category.
	mostCodes = 24
	// sparsestCounter bounds the range of a row counter, relative to the number of rows, as a file
	// may lack rows.
	sparsestCounter = 2
)

type verdict struct {
	kind   Kind
	reason string
	as     assumption // assumption that the statistics must make
	id     bool       // left out as whole numbers that count or identify rows
	names  bool       // left out as words that hardly repeat
	code   bool       // numbers taken for words
	doubt  string     // an observation and how it was read; "" for no doubt
	flag   string     // flags or advice that resolve the doubt; COLUMN stands for the column's name
	cell   string     // an example
}

func (s *stats) judge(name string, fileMark byte) verdict {
	cells := s.rows - s.missing
	s.joinBooleans()
	number, date := s.numberVerdict(name, fileMark), s.dateVerdict()
	switch one := s.oneValue(); {
	case cells == 0:
		return verdict{kind: LeftOut, reason: "no cell has a value"}
	case one && s.missing == 0:
		return verdict{kind: LeftOut, reason: "all rows have the same value"}
	case one:
		return verdict{kind: Category, reason: "one value, or a gap"}
	case number.kind != "":
		return number
	case date.kind != "":
		return date
	}
	v := s.wordsVerdict(cells)
	for _, failed := range []verdict{number, date} {
		if failed.doubt != "" {
			v.doubt, v.flag, v.cell = failed.doubt, failed.flag, failed.cell
		}
	}
	fit := max(s.numbers.count, s.dateCells)
	if v.doubt == "" && fit < cells && 2*fit >= cells {
		v.doubt, v.cell, v.flag = "numbers and words, taken for words", s.oddOne, "-numbers COLUMN"
		switch {
		case s.odd == 0:
			v.doubt, v.cell = "numbers and dates, taken for words", s.onlyDate
			v.flag = "-numbers COLUMN or -dates COLUMN"
		case s.dateCells > s.numbers.count:
			v.doubt, v.flag = "dates and words, taken for words", "-dates COLUMN"
			if s.numbers.count > s.eights {
				v.doubt = "dates, numbers and words, taken for words"
			}
		case s.dateCells > s.eights:
			v.doubt = "dates, numbers and words, taken for words"
			v.flag = "-numbers COLUMN or -dates COLUMN"
		case s.points > 0 && s.commas > 0 && cell.DecimalMark(s.oddOne) != 0:
			v.doubt = "numbers in two notations (as in 1,234.5 and 1.234,5), taken for words"
			v.flag = "write numbers in one notation, or -categories COLUMN"
		}
	}
	if v.doubt == "" && !namesID(name) && s.likeQuantities(v) {
		v.doubt, v.cell = "values that begin with digits, taken for words", s.sample
		if beginsWithDigit(s.oddOne) {
			v.cell = s.oddOne
		}
		v.flag = "-categories COLUMN or -ignore COLUMN; quantities must be written as plain numbers"
	}
	return v
}

// likeQuantities reports whether the words of v may be durations, fractions, ranges, hexadecimal
// numbers or other quantities that are not read as numbers.
func (s *stats) likeQuantities(v verdict) bool {
	if !v.names && (v.kind != Category || len(s.levels) <= mostCodes) {
		return false
	}
	n := 0
	for text := range s.levels {
		if beginsWithDigit(text) {
			n++
		}
	}
	return 10*n >= 9*len(s.levels)
}

// beginsWithDigit skips leading signs, marks such as < and ~, currencies, and the P and T of ISO
// 8601's durations.
func beginsWithDigit(text string) bool {
	text = strings.TrimLeftFunc(text, func(c rune) bool {
		return strings.ContainsRune("+-−<>≤≥=~≈±'( ", c) || unicode.Is(unicode.Sc, c)
	})
	text = strings.TrimPrefix(strings.TrimPrefix(text, "P"), "T")
	first, _ := utf8.DecodeRuneInString(text)
	return unicode.IsDigit(first)
}

func (s *stats) oneValue() bool {
	return len(s.levels) == 1 && !s.full || s.words == 0 && s.numbers.least == s.numbers.most &&
		len(s.units) < 2 && !s.merges(bits64) && !s.haveGrades()
}

func (s *stats) wordsVerdict(cells int) verdict {
	switch {
	case s.likeText():
		return verdict{kind: Text, as: assumption{text: true}, reason: fmt.Sprintf(
			"text of about %.0f words on average", 1+float64(s.spaces+s.alone)/float64(cells))}
	case s.likeNames() && (!s.manyGaps() || s.full):
		v := verdict{kind: LeftOut, names: true,
			reason: fmt.Sprintf("looks like an identifier: %s different words in %d rows",
				s.distinct(), cells)}
		if s.spaces >= 2*cells {
			v.doubt, v.cell = "several words in a cell, but left out like an identifier", s.sample
			v.flag = "-text COLUMN or -ignore COLUMN"
		}
		return v
	}
	return verdict{kind: Category, reason: s.distinct() + " different words"}
}

// mostly reports whether fit cells, which are numbers or dates, outweigh odd other cells, which are
// kinds distinct words. many says that the fitting cells have many distinct values.
func mostly(fit, odd, kinds int, many bool) bool {
	return fit > 0 && (9*odd <= fit || kinds <= mostOddWords && many)
}

func (s *stats) gapsAmong(fit int) int {
	if fit >= 2 || 10*fit >= s.rows-s.missing {
		return s.gapWords
	}
	return 0
}

func (s *stats) numberVerdict(name string, fileMark byte) (v verdict) {
	cells := s.rows - s.missing
	v.as = s.as
	v.as.decimal = s.mark(fileMark)
	if v.as.decimal != s.as.decimal && 2*(s.numbers.count+s.points+s.commas) >= cells {
		v.kind = Number // the next pass checks the other mark
		return v
	}
	odd := cells - s.numbers.count - s.gapsAmong(s.numbers.count)
	kinds := len(s.few)
	if s.dateCells > s.eights {
		kinds += mostOddWords + 1
	}
	many := s.different-len(s.few) > fewValues || s.full
	switch {
	case !mostly(s.numbers.count, odd, kinds, many), !many && s.oddCodes(), s.haveGrades():
		return verdict{}
	case s.likeCodes():
		v = s.wordsVerdict(cells)
		v.code = true
		v.reason = "codes with leading zeros: " + v.reason
		return v
	}
	unit, ok := s.unit()
	if !ok {
		return verdict{doubt: "numbers of several units, taken for words", cell: s.oddUnit,
			flag: "-numbers COLUMN reads numbers in " + unit + ", but in no other unit"}
	}
	if s.odd == 0 {
		if v := s.idVerdict(name); v.kind != "" {
			return v
		}
	}
	if s.merges(bits64) {
		v = s.wordsVerdict(cells)
		v.code, v.cell = true, s.sample
		v.doubt = "numbers with more digits than float64 holds, taken for words"
		v.flag = "-categories COLUMN, or subtract an offset from the numbers"
		return v
	}
	v.kind, v.reason = Number, s.describeNumbers(v.as.decimal, unit)
	v.as.unit = s.assumedUnit(unit)
	s.doubtNumbers(&v)
	return v
}

func (s *stats) doubtNumbers(v *verdict) {
	unit, _ := s.unit()
	switch open := s.points == 0 && s.commas == 0 && s.ambiguous > 0; {
	case open && v.as.decimal == ',':
		v.doubt, v.cell, v.flag = "decimal commas or thousands, read as decimals", s.open, "-decimal ."
		if strings.Contains(s.open, ".") {
			v.doubt = "decimal points or thousands, read as thousands"
		}
	case open && strings.Contains(s.open, ","):
		v.doubt, v.cell, v.flag = "thousands or decimal commas, read as thousands", s.open, "-decimal ,"
	case s.points > 0 && s.commas > 0:
		v.doubt = "numbers in two notations (as in 1,234.5 and 1.234,5), read with decimal points"
		v.flag = "write numbers in one notation, or -categories COLUMN"
		if v.as.decimal == ',' {
			v.doubt = "numbers in two notations (as in 1,234.5 and 1.234,5), read with decimal commas"
		}
	case s.hasMagnitudes(v.as) && s.withUnit == 0 && !strings.ContainsAny(s.magnitude, ".,"):
		v.doubt, v.cell = "numbers with magnitudes, or codes, read as numbers", s.magnitude
		v.flag = "-numbers COLUMN or -categories COLUMN"
	case unit == "%" && s.withUnit < s.parsed && v.as.unit != bareOnly:
		v.doubt, v.cell, v.flag = "numbers with and without %, read alike", s.sample,
			"-numbers COLUMN or -categories COLUMN"
	case s.eights == s.numbers.count && s.eights > 1:
		v.doubt, v.cell, v.flag = eightDigits, s.sample, "-dates COLUMN"
	}
}

const eightDigits = "perhaps dates without separators, read as numbers"

func (s *stats) describeNumbers(mark byte, unit string) string {
	text := "numbers"
	if unit != "" && s.assumedUnit(unit) != bareOnly {
		text += " in " + unit
	}
	if mark == ',' && s.commas+s.ambiguous > 0 {
		text += " with decimal commas"
	}
	if len(s.few) > 0 && len(s.few) <= mostOddWords {
		words := slices.Sorted(slices.Values(s.few))
		for i, word := range words {
			words[i] = strconv.Quote(word)
		}
		as := "gaps"
		if s.odd == 1 {
			as = "a gap"
		}
		text += fmt.Sprintf("; %s with %s taken for %s", count(s.odd), strings.Join(words, " or "), as)
	}
	return text
}

// oddCodes reports whether a repeated word in few may be a code such as 3* or 12A.
func (s *stats) oddCodes() bool {
	return slices.ContainsFunc(s.few, func(word string) bool {
		return cell.HasDigit(word) && s.isRepeated(word)
	})
}

// haveGrades reports whether cells such as 1+ are grades: other cells have the number without the
// plus, or a number with a minus.
func (s *stats) haveGrades() bool {
	plus, minus, same := false, false, false
	for text := range s.levels {
		if number, is := strings.CutSuffix(text, "+"); is && cell.KindOf(text) == cell.NumberCell {
			plus, same = true, same || s.levels[number] != nil
		}
		minus = minus || strings.HasSuffix(text, "-") && cell.KindOf(text) == cell.NumberCell
	}
	return same || plus && minus
}

func (s *stats) likeCodes() bool {
	return s.zeroLed > 0 &&
		(2*s.zeroLed > s.numbers.count || s.digits > 0 || s.narrowest >= s.zeroWidth)
}

// idVerdict returns a verdict without a kind unless the numbers seem to count or identify the rows.
func (s *stats) idVerdict(name string) verdict {
	n, named := s.numbers.count, namesID(name)
	if n < 2 || n < fewRows && !named || s.numbers.least == s.numbers.most || s.comeAgain() {
		return verdict{}
	}
	v := verdict{kind: LeftOut, id: true}
	switch {
	case n >= fewRows && s.counts && s.numbers.most-s.numbers.least < sparsestCounter*float64(n):
		v.reason = "looks like a row counter: whole numbers"
	case named:
		v.reason = "looks like an identifier: whole numbers, all different"
	case n >= fewRows && s.digits >= idDigits && s.eights < n:
		v.reason = fmt.Sprintf("looks like an identifier: whole numbers of %d digits, all different",
			s.digits)
	default:
		return verdict{}
	}
	if !named && name != "" {
		v.doubt, v.flag, v.cell = "left out: "+v.reason, "-numbers COLUMN", s.sample
	}
	return v
}

func namesID(name string) bool {
	lower := strings.ToLower(name)
	switch lower {
	case "", "id", "index", "row", "rowid", "rownum", "row number", "rownames", "#", "key":
		return true
	}
	for _, end := range []string{"_id", "-id", " id", ".id"} {
		if strings.HasSuffix(lower, end) {
			return true
		}
	}
	camel := len(name) > 2 && (strings.HasSuffix(name, "Id") || strings.HasSuffix(name, "ID")) &&
		name[len(name)-3]-'a' < 26
	return camel || strings.HasPrefix(lower, "unnamed:") || strings.HasPrefix(lower, "id_")
}

func (s *stats) unit() (unit string, ok bool) {
	most, all := 0, 0
	for u, count := range s.units {
		n := *count
		if all += n; n > most || n == most && u < unit {
			most, unit = n, u
		}
	}
	return unit, 10*(all-most) <= s.parsed
}

func (s *stats) assumedUnit(unit string) string {
	switch all := s.withUnit + s.magnitudes; {
	case all > 0 && 10*all <= s.parsed && !isCurrency(unit):
		return bareOnly
	case len(s.units) > 1:
		return unit
	}
	return ""
}

func isCurrency(unit string) bool {
	first, _ := utf8.DecodeRuneInString(unit)
	return unicode.Is(unicode.Sc, first)
}

func (s *stats) hasMagnitudes(as assumption) bool { return s.magnitudes > 0 && as.unit != bareOnly }

// format returns nil instead of the zero Format.
func (s *stats) format(gapWords []string) *Format {
	f := Format{Unit: s.as.unit, Groups: s.groups, Magnitudes: s.hasMagnitudes(s.as),
		GapWords: gapWords}
	if f.Unit == "" {
		f.Unit, _ = s.unit()
	} else if f.Unit == bareOnly {
		f.Unit = ""
	}
	if s.as.decimal == ',' {
		f.Decimal = ","
	}
	if f.Decimal == "" && f.Unit == "" && !f.Groups && !f.Magnitudes && gapWords == nil {
		return nil
	}
	return &f
}

func (s *stats) mark(fileMark byte) byte {
	switch {
	case s.forced != 0 && s.points+s.commas+s.ambiguous > 0:
		return s.forced
	case s.points == 0 && s.commas == 0 && s.ambiguous > 0:
		return fileMark
	case s.commas > s.points:
		return ','
	}
	return '.'
}

func (s *stats) dateVerdict() (v verdict) {
	cells := s.rows - s.missing
	n := max(s.times, s.dateCells-s.times)
	odd := cells - n - s.gapsAmong(n)
	kinds := len(s.few)
	if s.numbers.count > s.eights {
		kinds += mostOddWords + 1
	}
	if !mostly(n, odd, kinds, s.different-len(s.few) > fewValues || s.full) {
		return verdict{}
	}
	order, both := s.dateOrder()
	const ask = "-dates COLUMN=dmy or -dates COLUMN=mdy"
	v = verdict{kind: Date, as: s.as}
	switch v.as.times, v.as.order = 2*s.times > s.dateCells, order; {
	case v.as.times:
		v.as.order = 0
	case both:
		return verdict{flag: ask, cell: s.openDate,
			doubt: "dates of both orders, day/month and month/day, taken for words"}
	case order&(order-1) != 0 && s.mayBeginWithYear():
		return verdict{flag: fullYears + ", or say " + ask, cell: s.openDate,
			doubt: "no date shows whether the day, the month or the year comes first; taken for words"}
	case order&(order-1) != 0:
		return verdict{flag: ask, cell: s.openDate,
			doubt: "no date shows whether the day or the month comes first; taken for words"}
	}
	v.reason = dateTexts[orderName(v.as)]
	if v.as.order == cell.DMY {
		s.doubtYears(&v)
	}
	return v
}

const fullYears = "write years with four digits"

func (s *stats) doubtYears(v *verdict) {
	if s.mayBeginWithYear() {
		v.doubt, v.cell = "dates of day, month and year, or of year, month and day, read as day first",
			s.sample
		v.flag = fullYears + ", or say -dates COLUMN=dmy"
	}
}

const (
	mostMonths  = 12 // a larger last part is no month
	endOfMonths = 28 // if all first parts are at least this, they may be last days of months
)

func (s *stats) mayBeginWithYear() bool {
	var years, days moments
	for text := range s.levels {
		year, day, short := cell.YearFirst(text)
		if !short {
			continue
		}
		if day == 0 {
			return false
		}
		years.add(float64(year))
		days.add(float64(day))
	}
	return days.most > mostMonths && years.most-years.least < days.most-days.least &&
		years.least < endOfMonths
}

// dateOrder returns the orders under which all dates are valid, or else DMY or MDY if at least ten
// times as many dates need it as need the other. Without such an order, both is set and order is 0.
// order is also 0 if it does not matter.
func (s *stats) dateOrder() (order cell.Order, both bool) {
	order = allOrders
	for set := range s.orders {
		if s.orders[set] > 0 {
			order &= cell.Order(set)
		}
	}
	switch order {
	case 0:
		if dmy, mdy := s.orders[cell.DMY], s.orders[cell.MDY]; 10*min(dmy, mdy) <= max(dmy, mdy) {
			if dmy > mdy {
				return cell.DMY, false
			}
			return cell.MDY, false
		}
		return 0, true
	case allOrders:
		return 0, false
	}
	return order, false
}

func (s *stats) hardlyRepeats() bool { return 4*s.again < s.counted }

func (s *stats) likeNames() bool { return s.counted >= fewRows && s.hardlyRepeats() }

func (s *stats) manyGaps() bool { return 100*s.missing > s.rows }

func (s *stats) distinct() string {
	if s.full {
		return fmt.Sprintf("more than %d", s.different)
	}
	return strconv.Itoa(s.different)
}

func (s *stats) gapWordsOf() (words []string) {
	if len(s.few) > mostOddWords {
		return nil
	}
	for _, word := range s.few {
		if s.isRepeated(word) && utf8.ValidString(word) {
			words = append(words, word)
		}
	}
	slices.Sort(words)
	return words
}
