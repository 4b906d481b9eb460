package cell

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestParseNumber(t *testing.T) {
	for _, c := range []struct {
		cell    string
		decimal byte
		want    float64
		unit    string
	}{
		{"12", '.', 12, ""}, {"-3.5", '.', -3.5, ""}, {"1e5", ',', 1e5, ""},
		{"1,5e3", ',', 1500, ""},
		{"007", '.', 7, ""}, {".5", '.', .5, ""}, {",5", ',', .5, ""}, {"12.", ',', 12, ""},
		{"1,234", '.', 1234, ""}, {"1,234", ',', 1.234, ""}, {"1.234", ',', 1234, ""},
		{"1,234,567.89", '.', 1234567.89, ""}, {"1.234.567,89", ',', 1234567.89, ""},
		{"1 234 567", '.', 1234567, ""}, {"1\u00a0234,5", ',', 1234.5, ""},
		{"1\u202f234,5", ',', 1234.5, ""}, {"1'234.50", '.', 1234.5, ""},
		{"1’234.50", '.', 1234.5, ""},
		{"1_000", '.', 1000, ""}, {"1,25,000", '.', 125000, ""},
		{"12,34,567.5", '.', 1234567.5, ""},
		{"(12.50)", '.', -12.5, ""}, {"($1,234.50)", '.', -1234.5, "$"}, {"$(5)", '.', -5, "$"},
		{"12.50-", '.', -12.5, ""}, {"-$5", '.', -5, "$"}, {"$-5", '.', -5, "$"},
		{"\u22125", '.', -5, ""},
		{"€ 12,50", ',', 12.5, "€"}, {"12,50 €", ',', 12.5, "€"}, {"12,50EUR", ',', 12.5, "€"},
		{"Rs. 500", '.', 500, "₹"}, {"Rs.500", '.', 500, "₹"}, {"₹1,25,000", '.', 125000, "₹"},
		{"R$ 1.234,50", ',', 1234.5, "R$"}, {"CHF 1'200.-", '.', 1200, "CHF"},
		{"500,-", '.', 500, ""},
		{"1 234,50 zł", ',', 1234.5, "zł"}, {"kr 99", '.', 99, "kr"}, {"100TL", '.', 100, "₺"},
		{"$.50", '.', .5, "$"}, {"USD12", '.', 12, "$"}, {"£3bn", '.', 3e9, "£"},
		{"58.6%", '.', 58.6, "%"}, {"58,6 %", ',', 58.6, "%"}, {"%7", '.', 7, "%"},
		{"3‰", '.', 3, "‰"},
		{"12.5 kg", '.', 12.5, "kg"}, {"12kg", '.', 12, "kg"}, {"12 KG", '.', 12, "kg"},
		{"180cm", '.', 180, "cm"}, {"1248 CC", '.', 1248, "cc"}, {"23.4 kmpl", '.', 23.4, "kmpl"},
		{"26.6 km/kg", '.', 26.6, "km/kg"}, {"80 km/h", '.', 80, "km/h"},
		{"3 mg/dL", '.', 3, "mg/dl"},
		{"27\"", '.', 27, `"`},
		{"6'", '.', 6, "'"}, {"45°", '.', 45, "°"}, {"21.5°C", '.', 21.5, "°C"},
		{"12 A", '.', 12, "A"}, {"2.0L", '.', 2, "l"}, {"4GB", '.', 4, "GB"},
		{"1200 sq ft", '.', 1200, "ft²"},
		{"36 months", '.', 36, "month"}, {"1 month", '.', 1, "month"},
		{"36 Months", '.', 36, "month"},
		{"12 apples", '.', 12, "apple"}, {"5 años", '.', 5, "año"}, {"10,000+", '.', 10000, "+"},
		{"8 hrs.", '.', 8, "h"}, {"100 m²", '.', 100, "m²"},
		{"1.5K", '.', 1500, ""}, {"2M", '.', 2e6, ""}, {"3.3k", '.', 3300, ""},
		{"12k €", '.', 12000, "€"},
		{"475.8m", '.', 475.8, "m"}, {"$1.5B", '.', 1.5e9, "$"},
		{"$1.1 B", '.', 1.1e9, "$"}, {"€ 3 M", '.', 3e6, "€"}, {"(5%)", '.', -5, "%"},
		{"2.5 million", '.', 2.5e6, ""}, {"3 lakh", '.', 3e5, ""}, {"1,5 Mio. €", ',', 1.5e6, "€"},
	} {
		n, ok := ParseNumber(c.cell, c.decimal)
		if !ok || n.Value != c.want || n.Unit != c.unit {
			t.Errorf("%q with decimal %q: %v, %v; want %v %s", c.cell, c.decimal, n, ok, c.want,
				c.unit)
		}
		if KindOf(c.cell) != NumberCell {
			t.Errorf("%q: kind %d", c.cell, KindOf(c.cell))
		}
	}
}

func TestNoNumber(t *testing.T) {
	for _, s := range []string{"T0", "3*", "12A", "12C", "A12", "1-2", "555-1234", "192.168.0.1",
		"1.2.3",
		"1:2", "12/5", "5 Main Street", "5 main street", "0x1F", "1e400", "4e38",
		"999999999999999999999999999999B", "1st",
		"22nd", "5'11\"", "TRY1", "COP21", "(5", "5)", "-(5)", "(-5)", "--5", "1,23", "12,34,56",
		"12_34", "1 2345", "030 123 456", "5 pm", "5 may", "<=50K", ">50", "~3", "1/2", "½", "K5",
		"#5",
		"12 a", "5 B", "2XL", "1K5", "1e5K", "$", "%", "-", "+", ".", ",", "$5€", "5 kg m", "1.5.",
		"5 / 6",
		"12/b", "1__000", "1,,000", "1, 000", "$ $5", "5%5", "()", "(kg)", "e5", "kg", "1KK",
		"(12 notes)",
		"(1,288 notes)", "(5 kg)", "1.1 B"} {
		if n, ok := ParseNumber(s, '.'); ok {
			t.Errorf("%q is %v", s, n)
		}
	}
}

// Number.Magnitude records a K, M or B after the digits, because the letter may belong to a code
// such as 2B.
func TestMagnitude(t *testing.T) {
	for s, want := range map[string]Number{"2B": {2e9, "", 'B'}, "19M": {19e6, "", 'M'},
		"201k": {201e3, "", 'K'}, "1.5K": {1500, "", 'K'}, "0.7k": {700, "", 'K'},
		"-3k": {-3000, "", 'K'}, "$1.1 B": {1.1e9, "$", 'B'}, "12k €": {12e3, "€", 'K'},
		"$5k": {5000, "$", 'K'}, "10K+": {10000, "+", 'K'}, "(2M)": {-2e6, "", 'M'},
		"3 million": {3e6, "", 0}, "£3bn": {3e9, "£", 0}, "5 kg": {5, "kg", 0},
		"475.8m": {475.8, "m", 0}, "300 K": {300, "K", 0}, "12": {12, "", 0}} {
		if n, ok := ParseNumber(s, '.'); !ok || n != want {
			t.Errorf("%q: %v, %v; want %v", s, n, ok, want)
		}
	}
	for _, s := range []string{"5 k", "1kk", "2b", "k5", "1k5", "1e5k", "2Bx", "3 B", "4 M"} {
		if n, ok := ParseNumber(s, '.'); ok && n.Magnitude != 0 {
			t.Errorf("%q is %v", s, n)
		}
	}
}

func TestDecimalMark(t *testing.T) {
	for s, want := range map[string]byte{"1.5": '.', "1,5": ',', "12": 0, "1,234": 0, "1.234": 0,
		"1.234,5": ',',
		"1,234.5": '.', "1,234,567": '.', "1.234.567": ',', "0,123": ',', "0.123": '.',
		"12,50 €":  ',',
		"1234,567": ',', "1,25,000": '.', "$1,234": 0, "1 234,5": ',', "12.": 0, "x,y": 0, "": 0} {
		if have := DecimalMark(s); have != want {
			t.Errorf("%q: %q, want %q", s, have, want)
		}
	}
	for s, want := range map[string]bool{"1,234": true, "1.234": true, "$1,234": true, "1.5": false,
		"12":    false,
		"0,123": false, "12.": false, "1,234,567": false, "12.345 kg": true, "500,-": false} {
		if have := Ambiguous(s); have != want {
			t.Errorf("%q: %v", s, have)
		}
	}
	for s, want := range map[string]bool{"02139": true, "00": true, "0": false, "0.5": false,
		"12":  false,
		"-01": false, "01a": false, "": false} {
		if have := LeadingZero(s); have != want {
			t.Errorf("leading zero of %q: %v", s, have)
		}
	}
}

func TestParseDate(t *testing.T) {
	const all = YMD | DMY | MDY
	for _, c := range []struct {
		cell, want string
		orders     Order
	}{
		{"2018-04-27", "2018-04-27", all}, {"2018/4/7", "2018-04-07", all},
		{"2018.04.27", "2018-04-27", all},
		{"27.4.2018", "2018-04-27", DMY}, {"27/04/18", "2018-04-27", DMY},
		{"04-27-2018", "2018-04-27", MDY},
		{"4/27/68", "2068-04-27", MDY}, {"4/27/69", "1969-04-27", MDY},
		{"27 04 2018", "2018-04-27", DMY},
		{"3/4/2018", "2018-04-03", DMY | MDY}, {"27. 4. 2018", "2018-04-27", DMY},
		{"29/02/2020", "2020-02-29", DMY}, {"1600-02-29", "1600-02-29", all},
		{"Apr 27, 2018", "2018-04-27", all}, {"April 27th, 2018", "2018-04-27", all},
		{"27-Apr-18", "2018-04-27", all}, {"27 APRIL 2018", "2018-04-27", all},
		{"24Nov2020", "2020-11-24", all},
		{"2018 Apr 27", "2018-04-27", all}, {"2018-Apr-27", "2018-04-27", all},
		{"27. März 2018", "2018-03-27", all}, {"1er août 2020", "2020-08-01", all},
		{"5 DÉC. 2019", "2019-12-05", all},
		{"5 de mayo de 2018", "2018-05-05", all}, {"3 de março de 2021", "2021-03-03", all},
		{"7 maggio 1999", "1999-05-07", all}, {"7 mrt 2001", "2001-03-07", all},
		{"7 września 2001", "2001-09-07", all}, {"7 maj 2001", "2001-05-07", all},
		{"Friday, April 27, 2018", "2018-04-27", all}, {"mar 5 mai 2020", "2020-05-05", all},
		{"Fr. 27.4.2018", "2018-04-27", DMY},
		{"2010-01", "2010-01 month", all}, {"1/2010", "2010-01 month", all},
		{"Apr-18", "2018-04 month", all},
		{"April 2018", "2018-04 month", all}, {"2018 Apr", "2018-04 month", all},
		{"sept. 2019", "2019-09 month", all},
		{"20150422T183005", "2015-04-22 18:30:05", all},
		{"20150422 18:30", "2015-04-22 18:30:00", all},
		{"2018-04-27T18:30:05Z", "2018-04-27 18:30:05", all},
		{"2018-04-27 18:30+01:00", "2018-04-27 18:30:00", all},
		{"4/27/2018 6:30 PM", "2018-04-27 18:30:00", MDY},
		{"27.4.2018, 18:30", "2018-04-27 18:30:00", DMY},
		{"4/27/2018 12:05:00 AM", "2018-04-27 00:05:00", MDY},
		{"Fri Apr 27 18:30:05 +0000 2018", "2018-04-27 18:30:05", all},
		{"Fri, 27 Apr 2018 18:30:05 GMT", "2018-04-27 18:30:05", all},
		{"Mon Apr 06 22:19:45 PDT 2009", "2009-04-06 22:19:45", all},
		{"Fri Apr 27 2018 18:30:05 GMT+0100", "2018-04-27 18:30:05", all},
		{"27/Apr/2018:18:30:05 -0700", "2018-04-27 18:30:05", all},
		{"18:30", "18:30:00 alone", all}, {"6:30 pm", "18:30:00 alone", all},
		{"6 p.m.", "18:00:00 alone", all},
		{"18:30:05", "18:30:05 alone", all}, {"18.00.00", "18:00:00 alone", all},
		{"10/03/2004 18.00.00", "2004-03-10 18:00:00", DMY | MDY},
		{"27.4.2018 18.30", "2018-04-27 18:30:00", DMY},
		{"2018-04-27 18:30:05,250", "2018-04-27 18:30:05", all}, {"12 am", "00:00:00 alone", all},
	} {
		d, ok := ParseDate(c.cell, all)
		days := math.Floor(d.Days)
		at := time.Unix(int64(days)*86400+int64(math.Round((d.Days-days)*86400)), 0).UTC()
		layout := "2006-01-02"
		switch {
		case d.TimeOnly:
			layout = "15:04:05 alone"
		case !d.Day:
			layout = "2006-01 month"
		case d.Time:
			layout += " 15:04:05"
		}
		if have := at.Format(layout); !ok || have != c.want {
			t.Errorf("%q: %s, %v; want %s", c.cell, have, ok, c.want)
		}
		if !d.TimeOnly && (d.Month != int(at.Month())-1 || d.MonthDay != at.Day() ||
			d.Weekday != (int(at.Weekday())+6)%7) {
			t.Errorf("%q: %+v", c.cell, d)
		}
		if have := Orders(c.cell); have != c.orders {
			t.Errorf("%q: orders %b, want %b", c.cell, have, c.orders)
		}
		if KindOf(c.cell) != DateCell {
			t.Errorf("%q: kind %d", c.cell, KindOf(c.cell))
		}
	}
	if d, ok := ParseDate("3/4/2018", MDY); !ok || d.Month != 2 || d.MonthDay != 4 {
		t.Errorf("month first: %+v, %v", d, ok)
	}
}

func TestNoDate(t *testing.T) {
	for _, s := range []string{"", "20150422", "31/02/2020", "2019-02-29", "13/13/2020",
		"2020-13-01", "0/1/2020",
		"2020-00-10", "2020-01-00", "1-2", "1-2/2020", "12/5", "555-1234", "12-1234", "1.2.3",
		"1:2", "24:00", "18.00", "1.0.12", "25.00.00", "2.12.100", "1.26.001", "10.20.5",
		"18.60.00",
		"12:60", "12:30:61", "12:30x", "2020-01-01T", "2020-01-01 x", "2020-01-01 25:00", "Apr",
		"Apr 18", "5 May",
		"Apr 31, 2020", "Mon", "Monday 5", "May the 4th", "Foo 5, 2020", "2010.01", "1 2 20",
		"192.168.0.1",
		"2020-01-01-01", "12345-01-01", "13 pm", "2020--01-01", "apr may 2020", "12 2018 Apr",
		"0000-01-01"} {
		if d, ok := ParseDate(s, YMD|DMY|MDY); ok || Orders(s) != 0 {
			t.Errorf("%q is %+v", s, d)
		}
	}
	if _, ok := ParseDate("27.4.2018", MDY|YMD); ok {
		t.Error("27.4.2018 is accepted without the order DMY")
	}
	if _, ok := ParseDate("2018-04-27", 0); ok {
		t.Error("2018-04-27 is accepted in no order")
	}
}

func TestEveryDay(t *testing.T) {
	for at := time.Date(1600, 1, 1, 0, 0, 0, 0, time.UTC); at.Year() < 2400; at = at.AddDate(0, 0,
		1) {
		days := float64(at.Unix() / 86400)
		for layout, order := range map[string]Order{"2006-01-02": YMD, "2.1.2006": DMY,
			"1/2/2006": MDY} {
			d, ok := ParseDate(at.Format(layout), order)
			if !ok || d.Days != days || d.Month != int(at.Month())-1 || d.MonthDay != at.Day() {
				t.Fatalf("%s as %s: %+v, %v", at, layout, d, ok)
			}
		}
		if s := at.Format("20060102"); EightDigitDate(s) != (at.Year() >= 1900 && at.Year() < 2100) {
			t.Fatalf("%s: %v", s, EightDigitDate(s))
		}
	}
}

func TestGaps(t *testing.T) {
	for _, s := range strings.Split("|?|NA|na|N/A|NaN|nan|null|NULL|\\N|#N/A|<NA>|(null)", "|") {
		if !IsMissing(s) || !IsGapWord(s) || KindOf(s) != GapCell {
			t.Errorf("%q: missing %v, gap word %v, kind %d", s, IsMissing(s), IsGapWord(s), KindOf(s))
		}
	}
	for _, s := range strings.Split("-|--|.|..|...|none|None|UNKNOWN|missing|Nil|undefined|"+
		"n.a.|n.d.|#REF!|#VALUE!|"+
		"#DIV/0!|0000-00-00|0000-00-00 00:00:00|"+
		"Not Available|not known|No Data|NaT|inf|-Infinity|—", "|") {
		if IsMissing(s) || !IsGapWord(s) || KindOf(s) != GapCell {
			t.Errorf("%q: missing %v, gap word %v, kind %d", s, IsMissing(s), IsGapWord(s), KindOf(s))
		}
	}
	for _, s := range strings.Split("0|no|nay|yes|nana|Bob|N|nullo|unknown soldier|----------|naïve",
		"|") {
		if IsGapWord(s) {
			t.Errorf("%q is a gap", s)
		}
	}
}

func TestWords(t *testing.T) {
	for _, s := range []string{"red", "A12", "12A", "x@y.z", "Braund, Mr. Owen", "3 Main Street",
		"中文", "\xff\xfe1",
		strings.Repeat("12 ", 50), "http://a.b/1", "C85", "a1b2c3", "Jan", "yes"} {
		if KindOf(s) != WordCell {
			t.Errorf("%q: kind %d", s, KindOf(s))
		}
	}
}

func TestPlain(t *testing.T) {
	for i := range 100_000 {
		for _, s := range []string{fmt.Sprint(i * 7919), fmt.Sprintf("%d.%03d", i%977, i%1000),
			fmt.Sprintf("-%.*f", i%12, float64(i)/977), fmt.Sprintf("%.*e", i%18, float64(i)/7)} {
			v, ok := ParsePlain(s)
			if want := parseRef(s); !ok || math.Float64bits(v) != math.Float64bits(want) {
				t.Fatalf("%q: %v, %v; want %v", s, v, ok, want)
			}
		}
	}
	for _, s := range []string{"", "-", ".", "e", "1e400", "4e38", "nan", "0x1", "1_0", "1,5", " 1",
		"1..2", "1-"} {
		if v, ok := ParsePlain(s); ok {
			t.Errorf("%q is %v", s, v)
		}
	}
}

func TestMissing(t *testing.T) {
	all := Missing()
	for _, s := range all {
		if !IsMissing(s) {
			t.Errorf("%q is not missing", s)
		}
	}
	slices.Sort(all)
	if n := len(slices.Compact(all)); n != 60 || n != len(all) {
		t.Errorf("%d cells, %d different ones, want 60", len(all), n)
	}
}
