package tables

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

type kindCase struct {
	name, column string
	cells        []string
	kind         Kind
	reason       string // part of the reason
	features     int
	gaps         int
	doubt        string // part of the doubts; "" for none
}

func (c kindCase) check(t *testing.T) {
	t.Helper()
	have, f, e := settled(t, c.column, c.cells, Given{})
	if have.Kind != c.kind || !strings.Contains(f.Reports[0].Reason, c.reason) ||
		e.FeaturesOf(0) != c.features || have.Gaps != c.gaps {
		t.Errorf("%s, %q, %d features, %d gaps, want %s, %q, %d, %d", have.Kind,
			f.Reports[0].Reason, e.FeaturesOf(0), have.Gaps, c.kind, c.reason, c.features, c.gaps)
	}
	if e.Rows != len(c.cells) {
		t.Errorf("%d rows", e.Rows)
	}
	text := ""
	for _, d := range f.Doubts {
		text += d.String() + "\n"
	}
	if (text == "") != (c.doubt == "") || !strings.Contains(text, c.doubt) {
		t.Errorf("doubts %q, want %q", text, c.doubt)
	}
	checkAgain(t, e, c.column, c.cells)
}

// checkAgain fails the test if writing and reading, or fitting with its own kinds, changes an
// encoder of one column, or if the rows have another number of gaps.
func checkAgain(t *testing.T, e *Encoder, column string, cells []string) {
	t.Helper()
	file := string(asJSON(t, e))
	back, err := Decode([]byte(file))
	if err != nil {
		t.Fatalf("%v: %s", err, file)
	}
	again, err := refit(e, noLabels, columns([]string{column}, cells))
	if err != nil {
		t.Fatal(err)
	}
	given := Given{Kind: e.Columns[0].Kind}
	if d := e.Columns[0].Date; d != nil {
		given.Order, _ = orderOf(d.Order)
	}
	_, _, named := settled(t, column, cells, given)
	for what, other := range map[string]*Encoder{"decoded": back, "refitted": again, "given": named} {
		if have := string(asJSON(t, other)); have != file {
			t.Errorf("%s:\n%s, want\n%s", what, have, file)
		}
	}
	coder, gaps := e.Coder(), 0
	coder.RefuseGaps = true
	for _, text := range cells {
		if _, _, _, reason := coder.Encode([]string{text}, nil, nil); reason != "" {
			gaps++
		}
	}
	if c := &e.Columns[0]; gaps != c.Gaps && c.Kind != LeftOut {
		t.Errorf("%d rows are refused, want %d", gaps, c.Gaps)
	}
}

func TestNumbers(t *testing.T) {
	const (
		counts = "looks like a row counter: whole numbers"
		ids    = ", all different"
	)
	oneToThirty := shuffled(cells(30, plus(1)))
	sixDigits := shuffled(cells(25, func(i int) string { return fmt.Sprint(100000 + i*i*7919%876543) }))
	fractions := cells(40, func(i int) string { return fmt.Sprint(float64(i*i) + 0.25) })
	some := func(n int, dress string) []string {
		return cells(n, func(i int) string { return fmt.Sprintf(dress, 10*i%37, i%7) })
	}
	for _, c := range []kindCase{
		{"numbers", "x", fractions, Number, "numbers", 1, 0, ""},
		{"one number", "x", times(30, "7"), Number, "numbers", 1, 0, ""}, // in a raw table
		{"one number or a gap", "x", times(10, "7", "NA"), Category, "one value, or a gap", 2, 10, ""},
		{"0 and 1", "x", times(20, "0", "1"), Number, "numbers", 1, 0, ""},
		{"a gap in 101 rows", "x", append(times(50, "1", "2"), ""), Number, "numbers", 1, 1, ""},
		{"two gaps in 102 rows", "x", append(times(50, "1", "2"), "", "?"), Number, "numbers", 2, 2, ""},

		{"unknown in 11 %", "x", append(some(89, "%d.%d"), times(11, "unknown")...), Number, "numbers", 2,
			11, ""},
		{"a dash in most cells", "x", append(some(9, "%d.%d"), times(80, "-")...), Number, "numbers", 2,
			80, ""},
		{"none and missing in half", "x", append(some(40, "%d.%d"), times(20, "none", "missing")...), Number,
			"", 2, 40, ""},
		{"two of twenty are numbers", "x", append(times(18, "#REF!"), "3", "5"), Number, "", 2, 18, ""},
		{"two of twenty are finite", "x", append(times(18, "inf"), "3", "5"), Number, "", 2, 18,
			`18 of 20 values are infinite and count as missing, such as "inf"`},
		{"an infinite number", "x", append(some(89, "%d.%d"), "-Inf"), Number, "numbers", 2, 1,
			`1 of 90 values is infinite and counts as missing, such as "-Inf" (correct such cells or ` +
				"make them empty)"},
		{"infinity in words", "x", append(times(9, "hot", "cold"), "inf"), Category, "3 different words", 3, 0,
			""},
		{"one of twenty is a number", "x", append(times(19, "unknown"), "3"), Category, "", 1, 0, ""},
		{"three odd words in a third", "x", append(some(70, "%d.%d"), times(10, "low", "high", "off")...),
			Number, `30 cells with "high" or "low" or "off"`, 2, 30,
			`30 of 100 values are not read as numbers`},
		{"four odd words in a third", "x", append(some(70, "%d.%d"), times(8, "low", "high", "off",
			"on")...), Category, "different words", 74, 0, "numbers and words, taken for words"},
		{"odd words, one in ten", "x", append(some(90, "%d.%d"), cells(10, func(i int) string {
			return fmt.Sprintf("w%c", 'a'+i)
		})...), Number, "numbers", 2, 10, `such as "wa" (correct such cells`},
		{"a total", "year", append(times(10, "2018", "2019", "2020"), "Total"), Number, "numbers", 2, 1,
			`column "year": 1 of 31 values`},
		{"codes with stars", "x", append(times(6, "0", "1", "2", "3", "4", "5"), "3*", "3*"), Category,
			"7 different words", 7, 0, "numbers and words, taken for words"},
		{"dates and numbers", "x", append(some(20, "4%d3%d1"), times(20, "2023-11-05")...), Category,
			"different words", 21, 0, "numbers and dates, taken for words"},
		{"points and commas", "x", append(some(20, "%d.%d5"), some(20, "%d,2%d")...), LeftOut,
			"identifier", 0, 0, "numbers in two notations"},
		{"grades", "x", append(times(10, "1", "2", "3"), times(3, "G")...), Number, `3 cells with "G"`, 2, 3,
			"3 of 33 values"},
		{"signs after numbers", "x", times(20, "0+", "0-"), Category, "2 different words", 1, 0, ""},
		{"grades with signs", "x", times(9, "1+", "1", "1-", "2-"), Category, "4 different words", 4, 0, ""},
		{"with and without a plus", "x", times(9, "18", "18+"), Category, "2 different words", 1, 0, ""},
		{"a minus after numbers", "x", append(some(20, "%d.%d-"), some(20, "%d.%d")...), Number, "numbers",
			1, 0, ""},
		{"all with a plus", "x", cells(30, func(i int) string { return fmt.Sprint(100*i, "+") }), Number,
			"numbers in +", 1, 0, ""},
		{"half with decimal commas", "x", append(some(20, "%d.%d5"), some(20, "%d,%d5")...), LeftOut,
			"different words", 0, 0, "numbers in two notations (as in 1,234.5 and 1.234,5), taken " +
				"for words, and left out"},
		{"one number of two units", "x", times(9, "5 kg", "5 g"), Category, "different words", 1, 0,
			"numbers of several units"},
		{"too large for float32", "x", append(times(9, "1", "2"), "1e39"), Number, "", 2, 1, "1e39"},
		{"not UTF-8", "x", append(times(9, "1", "2"), "\xff", "\xff"), Number, "", 2, 2,
			"2 of 20 values"},

		{"dollars", "x", some(40, "$%d.%d5"), Number, "numbers in $", 1, 0, ""},
		{"thousands", "x", some(40, "1,0%02d,50%d"), Number, "numbers", 1, 0, ""},
		{"thousands or decimals", "x", some(36, "%d,50%d")[1:], Number, "numbers", 1, 0,
			"thousands or decimal commas, read as thousands, such as \"10,501\" (-decimal ,)"},
		{"brackets", "x", append(some(30, "(%d.%d5)"), some(10, "%d.%d5")...), Number, "numbers", 1, 0,
			""},
		{"percent", "x", some(40, "%d.%d%%"), Number, "numbers in %", 1, 0, ""},
		{"kilograms", "x", some(40, "%d.%d kg"), Number, "numbers in kg", 1, 0, ""},
		{"kilograms, some without", "x", append(some(20, "%d.%d kg"), some(20, "%d.%d")...), Number,
			"numbers in kg", 1, 0, ""},
		{"one of another unit", "x", append(some(40, "%d.%d kg"), "3 cm"), Number, "numbers in kg", 2, 1,
			"1 of 41 values"},
		{"two units", "x", append(some(20, "%d.%d kg"), some(20, "%d.%d cm")...), LeftOut,
			"different words", 0, 0, "numbers of several units"},
		{"gigabytes", "x", append(times(10, "4GB", "8GB"), ""), Number, "in GB", 2, 1, ""},
		{"decimal commas", "x", some(40, "%d,%d"), Number, "numbers with decimal commas", 1, 0, ""},
		{"decimal commas and thousands", "x", append(some(20, "1.0%02d,%d"), some(20, "%d,%d")...), Number,
			"decimal commas", 1, 0, ""},
		{"decimal commas and one point", "x", append(some(39, "%d,%d"), "1.25"), Number,
			"decimal commas", 2, 1, "numbers in two notations (as in 1,234.5 and 1.234,5), read " +
				"with decimal commas"},
		{"decimal commas in brackets", "x", some(40, "(%d,%d €)"), Number, "in € with decimal", 1, 0, ""},

		{"a counter", "id", cells(20, plus(0)), LeftOut, counts, 0, 0, ""},
		{"a counter of another name", "x", cells(20, plus(0)), LeftOut, counts, 0, 0,
			"(-numbers x)"},
		{"a counter without a name", "", cells(20, plus(1)), LeftOut, counts, 0, 0, ""},
		{"a counter of 19 rows", "x", cells(19, plus(1)), Number, "numbers", 1, 0, ""},
		{"1 to 30, shuffled", "x", oneToThirty, Number, "numbers", 1, 0, ""},
		{"1 to 30, shuffled, called an id", "user_id", oneToThirty, LeftOut, "whole numbers" + ids, 0, 0,
			""},
		{"1 to 30, shuffled, called Id", "PassengerId", oneToThirty, LeftOut, ids, 0, 0, ""},
		{"called an id, one twice", "id", append(oneToThirty[:30:30], "7"), Number, "numbers", 1, 0, ""},
		{"fractions called an id", "id", fractions, Number, "numbers", 1, 0, ""},
		{"ascending", "x", cells(30, func(i int) string {
			return fmt.Sprint(i * i * 50)
		}), Number, "", 1,
			0, ""},
		{"6 digits", "x", sixDigits, LeftOut, "whole numbers of 6 digits" + ids, 0, 0, "(-numbers x)"},
		{"6 digits, gaps", "nr", append(sixDigits[:25:25], "", ""), LeftOut, "6 digits" + ids, 0, 2,
			"(-numbers nr)"},
		{"6 digits in 19 rows", "x", sixDigits[:19], Number, "numbers", 1, 0, ""},
		{"18 digits", "ref", cells(30, func(i int) string {
			return fmt.Sprint(123456789012345678 + int64(i*i)<<32)
		}),
			LeftOut, "18 digits", 0, 0, "(-numbers ref)"},
		{"days without separators", "day", cells(28, func(i int) string {
			return fmt.Sprint(20150401 + i*13%28)
		}), Number, "numbers", 1, 0, `perhaps dates without separators, read as numbers, such as "201504`},

		{"zip codes", "zip", times(8, words("02139 02140 10001 94105")...), Category,
			"codes with leading zeros", 4, 0, ""},
		{"mostly zeros in front", "x", times(8, words("001 02 0003 7 05")...), Category, "codes", 5, 0, ""},
		{"codes of two digits", "x", times(9, words("01 02 03 10 11")...), Category, "codes", 5, 0, ""},
		{"different codes", "x", cells(30, func(i int) string {
			return fmt.Sprintf("%05d", i*3919%99991)
		}),
			LeftOut, "codes with leading zeros: looks like an identifier: 30 different words", 0, 0, ""},
		{"few zeros in front", "x", append(times(9, "7", "12", "150"), "007"), Number, "numbers", 1, 0, ""},
	} {
		t.Run(c.name, c.check)
	}
}

func TestDates(t *testing.T) {
	day := func(layout string) []string {
		at := time.Date(2019, 1, 3, 14, 5, 0, 0, time.UTC)
		return cells(60, func(i int) string {
			return at.Add(time.Duration(i*i*37) * time.Hour).Format(layout)
		})
	}
	early := func(layout string) []string {
		return cells(60, func(i int) string {
			return time.Date(2019+i%3, time.Month(i%12+1), i%11+1, 0, 0, 0, 0, time.UTC).Format(layout)
		})
	}
	odd := func(all []string, more ...string) []string { return append(all[:60:60], more...) }
	for _, c := range []kindCase{
		{"ISO", "x", day("2006-01-02"), Date, "dates", 20, 0, ""},
		{"ISO, times", "x", day("2006-01-02T15:04:05Z"), Date, "dates", 20, 0, ""},
		{"slashes, the year first", "x", day("2006/01/02"), Date, "dates", 20, 0, ""},
		{"compact", "x", day("20060102T150405"), Date, "dates", 20, 0, ""},
		{"day, month", "x", day("02/01/2006"), Date, "the day before the month", 20, 0, ""},
		{"day, month, points", "x", day("2.1.2006"), Date, "the day before the month", 20, 0, ""},
		{"month, day", "x", day("1/2/2006"), Date, "the month before the day", 20, 0, ""},
		{"month, day, two digits, hours", "x", day("1/2/06 15:04"), Date, "month before", 20, 0, ""},
		{"names of months", "x", day("02-Jan-2006"), Date, "dates", 20, 0, ""},
		{"names of months in front", "x", day("January 2, 2006"), Date, "dates", 20, 0, ""},
		{"months", "x", day("01/2006"), Date, "dates", 13, 0, ""},
		{"months, ISO", "x", day("2006-01"), Date, "dates", 13, 0, ""},
		{"Portuguese", "x", times(9, words("jan-2010 fev-2010 mar-2011 abr-2012")...), Date, "dates", 13, 0,
			""},
		{"times", "x", day("15:04"), Date, "times of the day", 1, 0, ""},
		{"times and a date", "x", odd(day("15:04"), "2020-01-01"), Date, "times of the day", 2, 1,
			`1 of 61 values is not read as a time and counts as missing, such as "2020-01-01"`},
		{"times, am and pm", "x", day("3:04 PM"), Date, "times of the day", 1, 0, ""},
		{"one unknown", "x", odd(day("2006-01-02"), "unknown"), Date, "dates", 21, 1, ""},
		{"zeros", "x", odd(day("2006-01-02"), "0000-00-00", "0000-00-00"), Date, "dates", 21, 2, ""},
		{"an odd word", "x", odd(day("02/01/2006"), "tomorrow"), Date, "day before", 21, 1,
			`1 of 61 values is not read as a date and counts as missing, such as "tomorrow"`},
		{"three words in a third", "x", odd(day("1/2/2006"), times(9, "open", "void", "lost")...), Date,
			"month before", 21, 27, "27 of 87 values"},
		{"day, month, two digits", "x", day("02-01-06"), Date, "day before", 20, 0, ""},
		{"year, month, two digits", "x", cells(60, func(i int) string {
			return time.Date(2019, 1, 3+i*i/3, 0, 0, 0, 0, time.UTC).Format("06-01-02")
		}), Date, "day before", 20, 0,
			"or of year, month and day, read as day first, such as \"19-01-03\" (write years with four " +
				"digits, or say -dates x=dmy)"},
		{"ends of months", "x", cells(60, func(i int) string {
			return time.Date(2005, time.Month(i*5), 0, 0, 0, 0, 0, time.UTC).Format("02/01/06")
		}), Date, "day before", 20, 0, ""},
		{"years before 1969", "x", odd(day("1/2/06"), "1/2/39", "3/14/40", "12/31/68", "1/1/69", "1/1/2040"),
			Date, "month before", 20, 0, "years of two digits, 40 to 68, read as 2040 to 2068 in 2 of 65 " +
				"values, such as \"3/14/40\" (write years with four digits)"},
		{"no order", "when", early("02/01/2006"), LeftOut, "different words", 0, 0,
			"(-dates when=dmy or -dates when=mdy)"},
		{"no order, two digits", "x", cells(60, func(i int) string {
			return fmt.Sprintf("%d-%02d-%d", 10+i%3, i%12+1, 13+i%16)
		}), Category, "different words", 48, 0, "month or the year comes first; taken for words, " +
			`such as "10-01-13" (write years with four digits, or say -dates x=dmy or -dates x=mdy)`},
		{"both orders", "x", append(day("02/01/2006"), day("01/02/2006")...), LeftOut, "different words", 0,
			0, "dates of both orders"},
		{"the order does not matter", "x", early("2006-01-02"), Date, "dates", 20, 0, ""},
	} {
		t.Run(c.name, c.check)
	}
}

func TestWords(t *testing.T) {
	names := func(n, of int) string {
		return fmt.Sprintf("looks like an identifier: %d different words in %d rows", n, of)
	}
	people := cells(30, func(i int) string { return fmt.Sprintf("Ann %d", i) })
	script := func(all ...string) []string {
		return cells(60, func(i int) string {
			return all[i%len(all)] + all[i*7%len(all)] + all[i*i%len(all)] + all[i/9%len(all)] +
				fmt.Sprint(i)
		})
	}
	for _, c := range []kindCase{
		{"gaps", "x", words("NA ? NaN null N/A n/a"), LeftOut, "no cell has a value", 0, 6, ""},
		{"one word", "x", times(30, "red"), LeftOut, "all rows have the same value", 0, 0, ""},
		{"one word or a gap", "x", times(10, "red", ""), Category, "one value, or a gap", 2, 10, ""},
		{"yes and no", "x", times(10, "yes", "no"), Category, "2 different words", 1, 0, ""},
		{"yes, no and gaps", "x", times(10, "yes", "no", ""), Category, "2 different words", 2, 10, ""},
		{"spellings of true", "x", times(10, "true", "TRUE", "True", "false"), Category, "2 different", 1,
			0, ""},
		{"unknown is a word", "x", times(10, "yes", "no", "unknown"), Category, "3 different", 3, 0, ""},
		{"names", "x", people, LeftOut, names(30, 30), 0, 0, ""},
		{"names of 19 rows", "x", people[:19], Category, "19 different words", 0, 0, ""},
		{"names with gaps", "x", append(people[:30:30], ""), Category, "30 different words", 1, 1, ""},
		{"words that come again", "x", times(3, words("1011AB 2022CD 3033 4044")...), Category, "4 different",
			4, 0, "numbers and words, taken for words"},
		{"sentences", "x", script("the cat sat ", "on a mat ", "in the sun ", "and slept "), Text, "text of",
			0, 0, ""},
		{"addresses", "x", cells(60, func(i int) string {
			return fmt.Sprintf("%dth-Northumberland-Avenue-Building, Westminster-%d", i, i%7)
		}), Text, "text of", 0, 0, ""},
		{"Chinese", "x", script("这部电影", "很好看", "演员表演", "真棒"), Text, "text of", 0, 0, ""},
		{"Japanese", "x", script("この映画は", "とても", "おもしろい", "です"), Text, "text of", 0, 0, ""},
		{"Thai", "x", script("หนังเรื่องนี้", "สนุก", "มาก", "ดี"), Text, "text of", 0, 0, ""},
		{"Chinese cities", "x", times(9, words("北京 上海 广州 深圳")...), Category, "4 different words", 4, 0,
			""},
		{"long codes", "x", cells(30, func(i int) string {
			return fmt.Sprintf("%064x", 1<<30+i*i*7919)
		}), LeftOut, names(30, 30), 0, 0, "values that begin with digits, taken for words, and left out"},
		{"ISO durations", "x", cells(30, func(i int) string { return fmt.Sprintf("PT%dM", i) }), LeftOut,
			names(30, 30), 0, 0, `such as "PT0M" (-categories x or -ignore x;`},
		{"codes in an ID", "run_id", cells(30, func(i int) string { return fmt.Sprint(i, "/x") }),
			LeftOut, names(30, 30), 0, 0, ""},
		{"many limits", "x", cells(78, func(i int) string { return fmt.Sprintf("<%d", i/3) }), Category,
			"26 different words", 26, 0, `values that begin with digits, taken for words, such as "<0"`},
		{"few limits", "x", cells(72, func(i int) string { return fmt.Sprintf("<%d", i/3) }), Category,
			"24 different words", 24, 0, ""},
		{"digits of other scripts", "x", cells(78, func(i int) string {
			return string(rune('٠'+i/3/10)) + string(rune('٠'+i/3%10))
		}), Category, "26 different words", 26, 0, "values that begin with digits"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.kind == Text {
				_, _, e := settled(t, c.column, c.cells, Given{})
				c.features = e.FeaturesOf(0)
				if c.features < 8 {
					t.Errorf("%d features", c.features)
				}
			}
			c.check(t)
		})
	}
}

func TestCounterWithGaps(t *testing.T) {
	column := func(cell func(i int) int) string {
		return "nr,x,y\n" + strings.Join(cells(60, func(i int) string {
			return fmt.Sprintf("%d,%d.5,%c\n", cell(i), i*7%13, "ab"[i%2])
		}), "")
	}
	for name, c := range map[string]struct {
		cell func(i int) int
		want Kind
	}{
		"whole":          {func(i int) int { return i + 1 }, LeftOut},
		"every third":    {func(i int) int { return 100 + i + i/3 }, LeftOut},
		"half":           {func(i int) int { return 2 * i }, LeftOut},
		"a tenth":        {func(i int) int { return 10 * i }, Number},
		"not sorted":     {func(i int) int { return i ^ 1 }, Number},
		"with one twice": {func(i int) int { return max(1, i) }, Number},
	} {
		e := fitted(t, column(c.cell))
		if kind := e.Columns[0].Kind; kind != c.want {
			t.Errorf("%s: %s, want %s", name, kind, c.want)
		}
	}
}
