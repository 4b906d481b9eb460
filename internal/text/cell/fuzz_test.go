package cell

import (
	"math"
	"strconv"
	"testing"
	"time"
)

func parseRef(s string) float64 {
	v, _ := strconv.ParseFloat(s, 64)
	return v
}

var seeds = []string{"", "1", "-2.5", "1,234", "1.234,5", "$1,234.50", "(12.50)", "12.50-", "58.6%",
	"1,25,000",
	"1'234", "12 kg", "36 months", "1.5K", "2.5 million", "Rs. 5", "500,-", "12 k€", "201k", "3*",
	"12A", "-", "NA",
	"2018-04-27", "27.4.2018", "4/27/18 6:30 PM", "Apr 27, 2018", "1er août 2020", "2010-01",
	"Apr-18", "18:30",
	"20150422T183005", "Fri Apr 27 18:30:05 +0000 2018", "5 DÉC. 2019", "5 de mayo de 2018", "\xff1",
	"1 sq ft"}

func FuzzParseNumber(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		point, p := ParseNumber(s, '.')
		comma, c := ParseNumber(s, ',')
		for _, n := range []Number{point, comma} {
			if !(math.Abs(n.Value) <= math.MaxFloat32) {
				t.Fatalf("%q is %v", s, n)
			}
		}
		mark := DecimalMark(s)
		if (mark == '.') != (p && !c) || (mark == ',') != (c && !p) || mark != 0 && Ambiguous(s) ||
			Ambiguous(s) != (p && c && point.Value != comma.Value) {
			t.Fatalf("%q: %v %v, %v %v, mark %q, ambiguous %v", s, point, p, comma, c, mark,
				Ambiguous(s))
		}
		if p && c && (point.Unit != comma.Unit || point.Magnitude != comma.Magnitude) {
			t.Fatalf("%q: %v and %v", s, point, comma)
		}
		if v, ok := ParsePlain(s); ok && (!p || v != point.Value || point.Unit != "") {
			t.Fatalf("%q: %v, plain %v", s, point, v)
		}
	})
}

func FuzzParseDate(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		orders := Orders(s)
		for order := range Order(8) {
			d, ok := ParseDate(s, order)
			if ok != (order&orders != 0) {
				t.Fatalf("%q in order %b: %v, orders %b", s, order, ok, orders)
			}
			if !ok {
				continue
			}
			days := math.Floor(d.Days)
			at := time.Unix(int64(days)*86400, 0).UTC()
			if d.TimeOnly {
				if d.Days < 0 || d.Days >= 1.0001 || d.Day || !d.Time {
					t.Fatalf("%q: %+v", s, d)
				}
			} else if second := d.Days-days > 0 || d.Time; !second && d.Days != days ||
				d.Month != int(at.Month())-1 || d.MonthDay != at.Day() ||
				d.Weekday != (int(at.Weekday())+6)%7 || at.Year() < 1 || at.Year() > 9999 {
				if !(d.Time && d.Days == days) { // 23:59:60 counts as the next day
					t.Fatalf("%q: %+v, day %s", s, d, at)
				}
			}
		}
	})
}

func FuzzKindOf(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		_, point := ParseNumber(s, '.')
		_, comma := ParseNumber(s, ',')
		gap, date := IsGapWord(s), Orders(s) != 0
		want := WordCell
		switch {
		case gap:
			want = GapCell
		case point || comma:
			want = NumberCell
		case date:
			want = DateCell
		}
		if have := KindOf(s); have != want {
			t.Fatalf("%q: kind %d, want %d", s, have, want)
		}
		if gap && (point || comma) {
			t.Fatalf("%q is a gap and a number", s)
		}
		Find([]string{s}, s)
		if EightDigitDate(s) && LeadingZero(s) {
			t.Fatalf("%q is a date of the years 0000 to 0999", s)
		}
	})
}

func BenchmarkKindOf(b *testing.B) {
	for _, s := range []string{"17", "-12.375", "red", "unknown", "$1,234.50", "1.234,5", "12.5 kg",
		"2018-04-27",
		"Apr 27, 2018", "4/27/2018 18:30", "A12", "Braund, Mr. Owen Harris"} {
		b.Run(s, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				KindOf(s)
			}
		})
	}
}

func BenchmarkParsePlain(b *testing.B) {
	for _, s := range []string{"17", "-12.375", "9.86899159742946E-02", "red"} {
		b.Run(s, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ParsePlain(s)
			}
		})
	}
}

func BenchmarkFloat32(b *testing.B) {
	for _, s := range []string{"17", "-12.375", "9.86899159742946E-02"} {
		b.Run(s, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Float32(s)
			}
		})
	}
}

func TestKindOfAllocates(t *testing.T) {
	for _, s := range []string{"17", "-12.375", "red", "unknown", "$1,234.50", "1.234,5", "12.5 kg",
		"36 months",
		"2018-04-27", "Apr 27, 2018", "4/27/2018 18:30", "12 €", "5. März 2020"} {
		if n := testing.AllocsPerRun(100, func() { KindOf(s) }); n > 0 {
			t.Errorf("%q: %v allocations", s, n)
		}
	}
}
