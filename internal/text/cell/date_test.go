package cell

import (
	"testing"
	"time"
)

func TestCalendar(t *testing.T) {
	for year := range 10_000 {
		for month := range 15 {
			for day := range 33 {
				at := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
				want := year > 0 && int(at.Month()) == month && at.Day() == day
				if isDay(year, month, day) != want {
					t.Fatalf("%d-%d-%d is a day: %v, want %v", year, month, day, !want, want)
				}
				if !want {
					continue
				}
				days := daysBefore(year, month) + day - 1
				if int64(days-epoch) != at.Unix()/86400 || days%7 != int(at.Weekday()+6)%7 {
					t.Fatalf("%d-%d-%d is day %d", year, month, day, days)
				}
			}
		}
	}
}

func TestYearFirst(t *testing.T) {
	for s, want := range map[string][2]int{"19-11-03": {19, 3}, "19/11/31": {19, 0}, "20.02.29": {20, 29},
		"19-13-01": {19, 0}, "19-11-03 18:30": {19, 3}} {
		if year, day, short := YearFirst(s); !short || year != want[0] || day != want[1] {
			t.Errorf("%s: %d, %d, %v", s, year, day, short)
		}
	}
	for _, s := range []string{"", "19-11-3", "19-11-2003", "2019-11-03", "19-11/03", "19 11 03", "191103"} {
		if _, _, short := YearFirst(s); short {
			t.Error(s)
		}
	}
}
