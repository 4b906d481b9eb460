package tables

// A date is a day of the calendar, with the time of the day.
type date struct {
	days     float64 // since 1970-01-01
	month    int     // from 0
	monthDay int     // from 1
	weekday  int     // from 0, Monday
}

const months, weekdays = 12, 7

var dateLevels = [...]string{"January", "February", "March", "April", "May", "June", "July", "August",
	"September", "October", "November", "December", "Monday", "Tuesday", "Wednesday", "Thursday",
	"Friday", "Saturday", "Sunday"}

// parseDate reads a date or a time as ISO 8601 has them: 2026-11-24, 2026-11-24T18:30,
// 2026-11-24 18:30:05.25Z, 2026-11-24T18:30+01:00. A zone is read, but does not count.
func parseDate(cell string) (d date, ok bool) {
	if len(cell) < len("2026-11-24") || cell[4] != '-' || cell[7] != '-' {
		return d, false
	}
	year, y := decimal(cell[:4])
	month, m := decimal(cell[5:7])
	day, n := decimal(cell[8:10])
	if !y || !m || !n || month < 1 || month > 12 || day < 1 || day > daysOf(year, month) {
		return d, false
	}
	whole := daysSince1970(year, month, day)
	part, ok := parseTime(cell[10:])
	weekday := (whole + 3) % 7 // 1970-01-01 was a Thursday
	if weekday < 0 {
		weekday += 7
	}
	return date{float64(whole) + part/86400, month - 1, day, weekday}, ok
}

// parseTime reads what follows a date, and returns the seconds of the day.
func parseTime(text string) (seconds float64, ok bool) {
	if text == "" {
		return 0, true
	}
	if text[0] != 'T' && text[0] != 't' && text[0] != ' ' {
		return 0, false
	}
	hour, minute, rest, ok := clock(text[1:])
	if !ok {
		return 0, false
	}
	seconds = float64(3600*hour + 60*minute)
	if len(rest) >= 3 && rest[0] == ':' {
		second, ok := decimal(rest[1:3])
		if !ok || second > 60 {
			return 0, false
		}
		seconds += float64(second)
		rest = rest[3:]
		if len(rest) > 1 && (rest[0] == '.' || rest[0] == ',') {
			rest = rest[1:]
			for unit := 0.1; len(rest) > 0 && rest[0]-'0' < 10; unit /= 10 {
				seconds += float64(unit * float64(rest[0]-'0'))
				rest = rest[1:]
			}
		}
	}
	return seconds, isZone(rest)
}

// isZone reports whether a text is what a time may end with.
func isZone(text string) bool {
	if text == "" || text == "Z" || text == "z" {
		return true
	}
	if text[0] != '+' && text[0] != '-' {
		return false
	}
	if len(text) == 3 {
		_, ok := decimal(text[1:])
		return ok
	}
	if len(text) == 5 {
		_, ok := decimal(text[1:])
		return ok
	}
	_, _, rest, ok := clock(text[1:])
	return ok && rest == ""
}

// clock reads the hours and minutes that a text begins with.
func clock(text string) (hour, minute int, rest string, ok bool) {
	if len(text) < 5 || text[2] != ':' {
		return 0, 0, "", false
	}
	hour, h := decimal(text[:2])
	minute, m := decimal(text[3:5])
	return hour, minute, text[5:], h && m && hour < 24 && minute < 60
}

// decimal returns the number that a text of digits is.
func decimal(text string) (n int, ok bool) {
	for i := range len(text) {
		if text[i]-'0' > 9 {
			return 0, false
		}
		n = 10*n + int(text[i]-'0')
	}
	return n, true
}

// daysOf returns how many days a month has.
func daysOf(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// daysSince1970 returns the number of a day in the Gregorian calendar, counted from 1970-01-01.
func daysSince1970(year, month, day int) int {
	if month <= 2 { // the year begins with March, so that a leap day is its last
		year, month = year-1, month+12
	}
	leaps := year/4 - year/100 + year/400
	return 365*year + leaps + (153*(month-3)+2)/5 + day - 1 - 719468
}
