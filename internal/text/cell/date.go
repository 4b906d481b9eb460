package cell

import "strings"

// Order is a set of orders of day, month and year.
type Order byte

const (
	YMD Order = 1 << iota
	DMY
	MDY

	anyOrder = YMD | DMY | MDY
)

// Date is a day or a month of the Gregorian calendar, with or without a time. It may also be a time
// alone: then the fields from Month to Day have their zero values.
type Date struct {
	Days     float64 // days since 1970-01-01, or 0 for a time alone, plus the time in days
	Month    int     // from 0 for January
	MonthDay int     // from 1; 1 for a month without a day
	Weekday  int     // from 0 for Monday; of the 1st for a month without a day
	Day      bool    // whether the cell names a day; false for 2010-01
	Orders   Order   // orders under which the cell is a date; all for a time alone
	Time     bool
	TimeOnly bool
	Short    bool // whether the year has two digits
}

const maxDate = 80 // bytes of a cell

// ParseDate parses a date with or without a time, or a time alone:
//   - 2018-04-27, 2018/4/27, 20180427T123000, 2018-04, 4/2018 are dates in every order;
//   - 27.4.2018, 27/04/18, 27-4-2018, 27 4 2018 begin with the day or the month, as order allows;
//     if order allows both, they begin with the day where such a date exists;
//   - "27 April 2018", "Apr 27, 2018", "27-Apr-18", "2018 Apr 27", "Apr 27 18:30:05 2018" and
//     "April 2018" are dates in every order. The month may be in English, German, French, Spanish,
//     Portuguese, Italian, Dutch or Polish. The day may be an ordinal such as 27th, and a weekday
//     may come first;
//   - 18:30, 18:30:05.25, 6:30 pm are times. A time zone may follow; ParseDate ignores it.
//
// Years of two digits mean 1969 to 2068. Eight digits alone are not a date: see [EightDigitDate].
func ParseDate(s string, order Order) (d Date, ok bool) {
	var p dateParser
	if !p.parse(s) || order&p.orders == 0 {
		return d, false
	}
	d.Orders, d.Time, d.Days, d.Short = p.orders, p.hasTime, p.seconds/86400, p.short
	if p.year == 0 {
		d.TimeOnly = true
		return d, true
	}
	month, day := p.month, p.day
	if p.orders != anyOrder && order&p.orders == MDY {
		month, day = day, month
	}
	days := daysBefore(p.year, month) + max(day, 1) - 1
	d.Days += float64(days - epoch)
	d.Month, d.MonthDay, d.Weekday = month-1, max(day, 1), days%7
	d.Day = day > 0
	return d, true
}

// Orders returns the set of orders under which s is a date or a time, 0 if there is none. A time
// alone has all orders.
func Orders(s string) Order {
	var p dateParser
	if p.parse(s) {
		return p.orders
	}
	return 0
}

// YearFirst reports whether s begins with three numbers of two digits separated by equal marks,
// such as 19-11-03, and returns the first and the last number. day is 0 if the numbers, as year,
// month and day, are no date from 2000 to 2099.
func YearFirst(s string) (year, day int, short bool) {
	const form = "19-11-03"
	if len(s) < len(form) || countDigits(s) != 2 || countDigits(s[3:]) != 2 || countDigits(s[6:]) != 2 ||
		s[2] != s[5] || strings.IndexByte("-/.", s[2]) < 0 {
		return 0, 0, false
	}
	if year, day = atoi(s[:2]), atoi(s[6:8]); !isDay(2000+year, atoi(s[3:5]), day) {
		day = 0
	}
	return year, day, true
}

type dateParser struct {
	year, month, day int // year 0: time alone; day 0: month; as in DMY if the order is open
	orders           Order
	hasTime, short   bool    // short: the year has two digits
	seconds          float64 // since midnight
}

func (p *dateParser) parse(s string) bool {
	if len(s) > maxDate || !HasDigit(s) {
		return false
	}
	s = toASCII(s)
	rest, ok := p.parseDay(s)
	if n := wordLength(s); !ok && n > 1 && lookup(weekdays, s[:n]) != "" {
		rest, ok = p.parseDay(strings.TrimLeft(s[n:], " .,"))
	}
	if !ok {
		*p = dateParser{orders: anyOrder}
		return p.parseTime(s, false, len(s) == len("18.00.00") && s[2] == '.' && s[5] == '.')
	}
	if rest == "" || rest == "." {
		return true
	}
	after := strings.TrimLeft(rest, " ,")
	joined := len(after) == len(rest)
	if joined && (rest[0] == 'T' || rest[0] == ':') { // 27/Apr/2018:18:30:05
		return p.parseTime(rest[1:], true, true)
	}
	return !joined && p.parseTime(after, false, true)
}

// layouts maps the kinds of fields (y for four digits, n for one or two digits, M for a month's
// name) to the indices of the year, the month and the day; index 3 means that there is no day.
var layouts = namesOf(`012 ynn yMn|210 nny nnn nMy nMn|201 Mny Mnn|013 yn yM|103 ny My Mn`)

func (p *dateParser) parseDay(s string) (rest string, ok bool) {
	if countDigits(s) == 8 && len(s) > 8 && (s[8] == 'T' || s[8] == ' ') {
		return s[8:], p.setDay(atoi(s[:4]), atoi(s[4:6]), atoi(s[6:8]), anyOrder)
	}
	if len(s) >= len("2018-04-27") && s[4] == '-' && s[7] == '-' && countDigits(s) == 4 &&
		countDigits(s[5:]) == 2 && countDigits(s[8:]) == 2 && s[8:10] != "00" { // fast path
		return s[10:], p.setDay(atoi(s[:4]), atoi(s[5:7]), atoi(s[8:10]), anyOrder)
	}
	var f [4]field
	kinds, n, rest := scanFields(s, &f)
	layout := layouts[string(kinds[:n])]
	if layout == "" {
		return rest, false
	}
	year, month, day := f[layout[0]-'0'], f[layout[1]-'0'], f[layout[2]-'0']
	mark := strings.TrimRight(f[0].marks, " ")
	switch i := len(rest) - len(" 2018"); {
	case n == 3 && month.digits > 0: // numbers alone
		ok = len(mark) < 2 && mark == strings.TrimRight(f[1].marks, " ") && mark != "'" &&
			mark != "," && f[0].marks != "" && (mark != "" || year.digits == 4)
	case n == 2 && month.digits > 0: // 4/2018, but not 12-1234
		ok = (f[0].marks == "-" || f[0].marks == "/") && 1800 <= year.value && year.value < 2200
	case n == 3 || year.digits == 4:
		ok = true
	case i > 0 && rest[i] == ' ' && countDigits(rest[i+1:]) == 4: // Apr 27 18:30:05 2018
		day, year, rest, ok = year, field{value: atoi(rest[i+1:]), digits: 4}, rest[:i], true
	default: // Apr-18 and Apr '18 are months; Apr 18 may be a day
		ok = strings.ContainsAny(mark, "-/'")
	}
	if p.short = year.digits == 2; p.short {
		if year.value += 1900; year.value < 1969 {
			year.value += 100
		}
	}
	orders := anyOrder
	if layout == "210" && month.digits > 0 {
		orders = DMY
	}
	ok = ok && year.digits > 1 && (day.value > 0 || day.digits == 0)
	return rest, ok && p.setDay(year.value, month.value, day.value, orders)
}

// setDay returns false if the date exists in no order. orders is anyOrder, or DMY if day and month
// may be swapped.
func (p *dateParser) setDay(year, month, day int, orders Order) bool {
	p.year, p.month, p.day = year, month, day
	if isDay(year, month, max(day, 1)) {
		p.orders = orders
	}
	if orders == DMY && isDay(year, day, month) {
		p.orders |= MDY
	}
	return p.orders != 0
}

// isDay uses the Gregorian calendar, from year 1 on.
func isDay(year, month, day int) bool {
	return year > 0 && 0 < month && month <= 12 && 0 < day &&
		day <= daysBefore(year, month+1)-daysBefore(year, month)
}

// epoch is the number of days from 0001-01-01, a Monday, to 1970-01-01.
const epoch = 719162

// daysBefore returns the days from 0001-01-01 to the first day of a month, from 1 to 13.
func daysBefore(year, month int) int {
	days := 365*(year-1) + (year-1)/4 - (year-1)/100 + (year-1)/400 + int(monthStarts[month])
	if month > 2 && year%4 == 0 && (year%100 != 0 || year%400 == 0) {
		days++
	}
	return days
}

// monthStarts[m] is the number of days of a common year before month m, from 1.
var monthStarts = [...]uint16{0, 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365}

type field struct {
	value  int    // the number, or the month from 1
	digits int    // 0 for a month's name
	marks  string // blanks and any of -/.,' that follow
}

// scanFields parses the fields, at most three, that s begins with. kinds has their letters in
// layouts, a blank for three digits.
func scanFields(s string, f *[4]field) (kinds [3]byte, n int, rest string) {
	for n < 3 {
		length := countDigits(s)
		value, digits := 0, length
		if digits == 0 {
			length = wordLength(s)
			value = monthOf(s[:length])
		}
		if digits > 4 || digits == 0 && value == 0 ||
			0 < digits && digits < 3 && digits < len(s) && s[digits] == ':' { // a time
			break
		}
		if digits > 0 {
			value = atoi(s[:digits])
		}
		kinds[n] = "Mnn y"[digits]
		if rest = s[length:]; digits == 1 || digits == 2 {
			rest = skipWord(rest, "st", "nd", "rd", "th", "er", "°")
		}
		s = strings.TrimLeft(rest, " -/.,'")
		f[n] = field{value, digits, rest[:len(rest)-len(s)]}
		s = strings.TrimLeft(skipWord(s, "de", "of", "del"), " ") // 5 de mayo de 2018
		n++
	}
	return kinds, n, rest
}

// EightDigitDate reports whether s is eight digits, year, month and day, of a day from 1900 to
// 2099.
func EightDigitDate(s string) bool {
	return len(s) == 8 && countDigits(s) == 8 && (s[:2] == "19" || s[:2] == "20") &&
		isDay(atoi(s[:4]), atoi(s[4:6]), atoi(s[6:]))
}

// parseTime parses a time of the day. joined allows 1830 and 183005, points allows 18.30 and
// 18.30.05.
func (p *dateParser) parseTime(s string, joined, points bool) bool {
	var hms [3]int
	digits, n := countDigits(s), 0
	if joined && (digits == 4 || digits == 6) {
		for ; 2*n < digits; n++ {
			hms[n] = atoi(s[2*n : 2*n+2])
		}
	} else if digits == 1 || digits == 2 {
		hms[0], n = atoi(s[:digits]), 1
	}
	s = s[digits:]
	for 0 < n && n < 3 && len(s) > 2 && (s[0] == ':' || points && s[0] == '.') &&
		countDigits(s[1:]) == 2 {
		hms[n], s = atoi(s[1:3]), s[3:]
		n++
	}
	fraction := 0.0
	if n > 1 && len(s) > 1 && (s[0] == '.' || s[0] == ',') {
		if digits := countDigits(s[1:]); 0 < digits && digits <= 18 {
			fraction = float64(atoi(s[1:1+digits])) / pow10[digits]
			s = s[1+digits:]
		}
	}
	half, s := cutHalfDay(strings.TrimLeft(s, " "))
	ok := n > 1 || n > 0 && half != 0 && hms[0] <= 12
	if half == 'p' && hms[0] < 12 {
		hms[0] += 12
	} else if half == 'a' && hms[0] == 12 {
		hms[0] = 0
	}
	p.hasTime, p.seconds = true, float64(3600*hms[0]+60*hms[1]+hms[2])+fraction
	return ok && hms[0] < 24 && hms[1] < 60 && hms[2] <= 60 && isZone(s)
}

func cutHalfDay(s string) (half byte, rest string) {
	for _, name := range [...]string{"am", "a.m.", "pm", "p.m."} {
		if n := len(name); len(s) >= n && strings.EqualFold(s[:n], name) && wordLength(s[n:]) == 0 {
			return name[0], strings.TrimLeft(s[n:], " ")
		}
	}
	return 0, s
}

// isZone accepts an empty s, Z, CEST, +01, -0700, GMT+01:00.
func isZone(s string) bool {
	offset := strings.TrimLeft(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	if name := len(s) - len(offset); name == 1 && s != "Z" || name > 5 {
		return false
	}
	if len(offset) == len("+01:00") && offset[3] == ':' && countDigits(offset[4:]) == 2 {
		offset = offset[:3]
	}
	return offset == "" || (offset[0] == '-' || offset[0] == '+') &&
		(len(offset) == 3 || len(offset) == 5) && countDigits(offset[1:]) == len(offset)-1
}
