package cell

import "strings"

// parseTime parses a time of the day with an optional time zone. If joined is true, the time may be
// written without marks, as 1830 or 183005; if points is true, with points, as 18.30 or 18.30.05.
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

// cutHalfDay parses the am or pm that s begins with, in letters of either case. half is 'a', 'p'
// or, if s begins with neither, 0. rest is the rest of s without leading blanks.
func cutHalfDay(s string) (half byte, rest string) {
	for _, name := range [...]string{"am", "a.m.", "pm", "p.m."} {
		if n := len(name); len(s) >= n && strings.EqualFold(s[:n], name) && wordLength(s[n:]) == 0 {
			return name[0], strings.TrimLeft(s[n:], " ")
		}
	}
	return 0, s
}

// isZone reports whether s is empty or has the form of a time zone: Z, CEST, +01, -0700, GMT+01:00.
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
