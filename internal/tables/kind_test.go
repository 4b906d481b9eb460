package tables

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// The kind of a column comes from its cells alone, by the first line of the rule that fits.
func TestKind(t *testing.T) {
	const (
		counts = "whole numbers that count the rows"
		same   = "all rows have the same value"
		either = "one value, or a gap"
	)
	ids := func(digits int) string {
		return fmt.Sprintf("whole numbers of %d digits, another in each row, as ids are", digits)
	}
	names := func(n, of int) string {
		return fmt.Sprintf("%d different words in %d rows, as names are", n, of)
	}
	different := func(n int) string { return fmt.Sprintf("%d different words", n) }
	oneToThirty := shuffled(cells(30, plus(1)))
	eightDigits := cells(25, func(i int) string { return fmt.Sprint(10000000 + i*i*7919%87654321) })
	ages := words("34 51 27 45 33 62 29 41 38 55 47 23 36 52 44 31 58 26 49 40 35 61 28 43 37 54 " +
		"22 50 46 39")
	aged := append(ages[:29:29], "34")
	fractions := cells(40, func(i int) string { return fmt.Sprint(float64(i*i) + 0.25) })
	people := cells(30, func(i int) string { return fmt.Sprintf("Ann %d", i) })
	for _, c := range []struct {
		name     string
		cells    []string
		kind     Kind
		reason   string
		features int
	}{
		{"gaps", words("NA ? NaN null N/A n/a"), LeftOut, "no cell has a value", 0},
		{"empty cells", []string{"", "", ""}, LeftOut, "no cell has a value", 0},
		{"one number", times(30, "7"), LeftOut, same, 0},
		{"one word", times(30, "red"), LeftOut, same, 0},
		{"one word in one row", []string{"red"}, LeftOut, same, 0},
		{"one word or a gap", times(10, "red", ""), Category, either, 2},
		{"one number or a gap", times(10, "7", "NA"), Category, either, 2},
		{"one word once, and gaps", []string{"red", "", "?"}, Category, either, 1},
		{"two spellings of a number", times(10, "1", "1.0"), LeftOut, "all rows have the same value", 0},

		{"ascending", cells(20, func(i int) string { return fmt.Sprint(i * i * 50) }), LeftOut,
			counts, 0},
		{"ascending, but for a gap", append(cells(20, plus(50)), ""), LeftOut, counts, 0},
		{"ascending below 0", cells(20, func(i int) string { return fmt.Sprint(1000*i - 9000) }),
			LeftOut, counts, 0},
		{"19 rows that ascend", cells(19, plus(1)), Number, "numbers", 1},
		{"descending, far apart", cells(20, func(i int) string { return fmt.Sprint(-50 * i * i) }),
			Number, "numbers", 1},
		{"1 to 30, shuffled", oneToThirty, LeftOut, counts, 0},
		{"1 to 30, one twice", append(oneToThirty[:30:30], "7"), Number, "numbers", 1},
		{"four in five of 1 to 100, shuffled", shuffled(cells(100, plus(1)))[:80], LeftOut, counts,
			0},
		{"two in five of 1 to 100, shuffled", shuffled(cells(100, plus(1)))[:40], Number, "numbers",
			1},
		{"half of 1 to 40", append(words("1 40"), shuffled(cells(38, plus(2)))[:18]...), Number,
			"numbers", 1},
		{"more than half of 1 to 39", append(words("1 39"), shuffled(cells(37, plus(2)))[:18]...),
			LeftOut, counts, 0},
		{"years in order", cells(60, plus(1960)), LeftOut, counts, 0},
		{"years of many rows", times(3, cells(60, plus(1960))...), Number, "numbers", 1},
		{"ages of 30 people", aged, Number, "numbers", 1},
		{"8 digits", shuffled(eightDigits), LeftOut, ids(8), 0},
		{"8 digits with gaps", append(shuffled(eightDigits), "", ""), LeftOut, ids(8), 0},
		{"8 digits in 19 rows", shuffled(eightDigits)[:19], Number, "numbers", 1},
		{"8 digits, one twice", append(shuffled(eightDigits), eightDigits[0]), Number, "numbers", 1},
		{"8 digits with a point and 0", ends(shuffled(eightDigits), ".0"), LeftOut, ids(8), 0},
		{"5 digits", shuffled(cells(30, func(i int) string { return fmt.Sprint(10000 + 3001*i) })),
			Number, "numbers", 1},
		{"4 digits with a point and 0", shuffled(cells(30, func(i int) string {
			return fmt.Sprintf("%d.0", 1000+299*i)
		})), Number, "numbers", 1},
		{"6 digits below 0", shuffled(cells(30, func(i int) string {
			return fmt.Sprint(-99999 + 3001*i)
		})), Number, "numbers", 1},

		{"fractions that all differ", fractions, Number, "numbers", 1},
		{"whole numbers of few values", times(20, "1", "2", "3"), Number, "numbers", 1},
		{"0 and 1", times(20, "0", "1"), Number, "numbers", 1},
		{"a number or a gap, both often", times(20, "1", "2", ""), Number, "numbers", 2},
		{"a gap in 100 rows", append(times(33, "1", "2", "3"), ""), Number, "numbers", 1},
		{"two gaps in 101 rows", append(times(33, "1", "2", "3"), "", ""), Number, "numbers", 2},
		{"a word in ten", append(words("1 2 3 4 5 6 7 8 9"), "none"), Number,
			"numbers, and none in 1 rows, taken for gaps", 2},
		{"a word in nine", append(words("1 2 3 4 5 6 7 8"), "none"), Category, different(9), 0},
		{"three words", append(times(9, "1", "2", "3"), words("b a - ")...), Number,
			"numbers, and -, a, b in 3 rows, taken for gaps", 2},
		{"four words", append(times(20, "1", "2", "3"), words("b a - c")...), Category,
			different(7), 3},
		{"a word that is not UTF-8", append(times(9, "1", "2"), "\xff"), Category, different(3), 2},
		{"a word that can't be seen", append(times(9, "1", "2"), "\x1b"), Number,
			`numbers, and "\x1b" in 1 rows, taken for gaps`, 2},
		{"too large for float32", append(times(9, "1", "2"), "1e39"), Number,
			"numbers, and 1e39 in 1 rows, taken for gaps", 2},
		{"the largest float32", append(times(9, "1", "2"), "3.4028234663852886e38"), Number,
			"numbers", 1},

		{"names", people, LeftOut, names(30, 30), 0},
		{"names of 19 rows", people[:19], Category, different(19), 0},
		{"names with gaps", append(people[:30:30], ""), Category,
			"30 different words, as names are: only whether there is one counts", 1},
		{"names, and a gap in 100 rows", append(cells(99, func(i int) string {
			return fmt.Sprintf("w%d", i)
		}), ""), LeftOut, names(99, 99), 0},
		{"a quarter of the cells again", append(cells(30, func(i int) string {
			return fmt.Sprintf("w%d", i)
		}), times(5, "Bo", "Di")...), Category, different(32), 2},
		{"fewer than a quarter again", append(cells(31, func(i int) string {
			return fmt.Sprintf("w%d", i)
		}), times(5, "Bo", "Di")...), LeftOut, names(33, 41), 0},

		{"yes and no", times(10, "yes", "no"), Category, different(2), 1},
		{"yes, no and gaps", times(10, "yes", "no", ""), Category, different(2), 2},
		{"yes, no and a level of one row", append(times(10, "yes", "no"), "maybe"), Category,
			different(3), 2},
		{"levels of one row", words("a b c d"), Category, different(4), 0},
		{"zip codes", times(3, words("1011AB 2022CD 3033 4044")...), Category, different(4), 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			have := settled(c.cells, "")
			if have.Kind != c.kind || have.Reason != c.reason || have.Features() != c.features {
				t.Errorf("%s, %q, %d features, want %s, %q, %d", have.Kind, have.Reason,
					have.Features(), c.kind, c.reason, c.features)
			}
			if have.Rows != len(c.cells) {
				t.Errorf("%d rows", have.Rows)
			}
			if err := have.check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// ends returns the cells with an ending.
func ends(all []string, with string) []string {
	return cells(len(all), func(i int) string { return all[i] + with })
}

// Cells are numbers only in the notation of CSV files, which may have a point and an exponent.
func TestWordsLikeNumbers(t *testing.T) {
	for cell, number := range map[string]bool{
		"1": true, "+5": true, "-5": true, "1e5": true, "1E-5": true, ".5": true, "5.": true,
		"007": true, "-0": true, "1e-999": true, "3.4028234663852886e38": true,
		"0x10": false, "1_000": false, " 5": false, "5 ": false, "1,5": false, "inf": false,
		"-Inf": false, "infinity": false, "1e39": false, "-1e39": false, "1e999": false, "-": false,
		".": false, "e5": false, "1e": false, "--1": false, "1-2": false, "2024-01-02": false,
		"12:30": false, "1/2": false, "5%": false, "$5": false, "1011AB": false, "٣": false,
		"0b1": false, "1f": false, "0x1p-2": false,
	} {
		if _, have := parse(cell); have != number {
			t.Errorf("%q: %t", cell, have)
		}
		c := settled(times(3, cell, "a", "b", "c"), "")
		if !slices.Contains(c.Levels, cell) {
			t.Errorf("%q is no level beside words: %q", cell, c.Levels)
		}
	}
	c := settled(times(3, "nan", "NaN", "na", "NULL", "?", "", "N/a", "x", "y"), "")
	if c.Gaps != 21 || !slices.Equal(c.Levels, []string{"x", "y"}) {
		t.Errorf("%d gaps, levels %q", c.Gaps, c.Levels)
	}
}

// Levels are hashed if there are more than maxLevels, and are not counted beyond maxKept.
func TestManyLevels(t *testing.T) {
	level := func(i int) string { return fmt.Sprintf("w%d", i) }
	number := func(i int) string { return fmt.Sprintf("%d.5", i) }
	levels := func(n int) []string { return cells(n, level) }
	numbers := func(n int) []string { return cells(n, number) }
	for _, c := range []struct {
		name   string
		cells  []string
		kind   Kind
		reason string // begins so
		hashed bool
	}{
		{"4,096 levels", times(2, levels(maxLevels)...), Category, "4096 different words", false},
		{"4,097 levels", times(2, levels(maxLevels+1)...), Category, "4097 different words", true},
		{"4,097 words, one of them once", append(times(3, levels(maxLevels)...), "once"), Category,
			"4097 different words", false},
		{"4,097 levels, and gaps", append(times(2, levels(maxLevels+1)...), ""), Category,
			"4097 different words", true},
		{"names of 65,537 rows", levels(maxKept + 1), LeftOut, "more than 65536 different words",
			false},
		{"more levels than are kept", times(2, append(levels(maxKept/2),
			levels(maxKept + 1)[maxKept/2:]...)...), LeftOut, "more than 65536 different words", false},
		{"more levels than are kept, each often", func() (all []string) {
			for i := range maxKept + 10 {
				all = append(all, level(i), level(i), level(i/2))
			}
			return all
		}(), Category, "more than 65536 different words", true},
		{"numbers, then as many words", append(numbers(5000), levels(5000)...), LeftOut,
			"more than", false},
		{"numbers, then words again and again", append(numbers(5000), times(50,
			levels(2100)...)...), Category, "more than", true},
		{"numbers, then few words often", append(numbers(5000), times(3000,
			levels(4)...)...), Category, "more than", true},
		{"numbers, then four words", append(numbers(5000), levels(4)...), LeftOut, "more than",
			false},
		{"numbers, then three words", append(numbers(70000), levels(3)...), Number,
			"numbers, and w0, w1, w2 in 3 rows, taken for gaps", false},
		{"a word, numbers and another word", append(append([]string{"b"}, numbers(70000)...), "a"),
			Number, "numbers, and a, b in 2 rows, taken for gaps", false},
		{"a word, numbers and four other words", append(append([]string{"b"}, numbers(70000)...),
			levels(4)...), LeftOut, "more than 65536 different words", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			have := settled(c.cells, "")
			if have.Kind != c.kind || !strings.HasPrefix(have.Reason, c.reason) ||
				have.HashBits > 0 != c.hashed {
				t.Errorf("%s, %q, %d hash bits", have.Kind, have.Reason, have.HashBits)
			}
			if err := have.check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A kind that is given counts in place of the rule.
func TestOverrule(t *testing.T) {
	zips := shuffled(cells(30, func(i int) string { return fmt.Sprint(1000 + i%10) }))
	for _, c := range []struct {
		name     string
		cells    []string
		kind     Kind
		reason   string
		features int
	}{
		{"numbers that are categories", zips, Category, "as given", 10},
		{"ids that are numbers", cells(30, plus(1)), Number, "as given", 1},
		{"numbers that are numbers", zips, Number, "numbers", 1},
		{"numbers left out", zips, LeftOut, "as given", 0},
		{"names that are categories", times(2, cells(30, func(i int) string {
			return fmt.Sprintf("n%d", i)
		})...), Category, "as given", 30},
		{"names with gaps that are categories", append(times(1, cells(30, func(i int) string {
			return fmt.Sprintf("n%d", i/2+i%2*100)
		})...), "n1", ""), Category, "as given", 2},
		{"words that are numbers", times(3, "a", "b"), Number, "as given", 1},
		{"gaps that are numbers", times(3, ""), Number, "as given", 2},
		{"one value that is a number", times(3, "7"), Number, "as given", 1},
		{"one value that is a category", times(3, "7"), Category, "as given", 1},
		{"many numbers that are categories", cells(5000, plus(1)), Category, "as given", 4096},
	} {
		t.Run(c.name, func(t *testing.T) {
			have := settled(c.cells, c.kind)
			if have.Kind != c.kind || have.Reason != c.reason || have.Features() != c.features {
				t.Errorf("%s, %q, %d features", have.Kind, have.Reason, have.Features())
			}
			if err := have.check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Dates of one day of the month have no weekdays, and those of a day of the year no months either.
func TestDatesOfOneDay(t *testing.T) {
	for format, features := range map[string]int{"20%02d-01-01": 1, "2026-%02d-15": 13,
		"2026-01-%02d": 20} {
		c := settled(cells(12, func(i int) string { return fmt.Sprintf(format, i%12+1) }), "")
		if err := c.check(); err != nil || c.Kind != Date || c.Features() != features {
			t.Errorf("%s: %s, %d features, %v", format, c.Kind, c.Features(), err)
		}
		e := Encoder{Columns: []Column{*c}}
		columns, _, _, reason := e.Coder().Encode([]string{fmt.Sprintf(format, 3)}, nil, nil)
		if reason != "" || len(columns) == 0 || int(columns[len(columns)-1]) >= features {
			t.Errorf("%s: features %v, %s", format, columns, reason)
		}
	}
	c := settled([]string{"2026-01-02", "2026-02-03"}, "")
	if c.Counts = c.Counts[:5]; c.check() == nil {
		t.Error("a part of the months was taken")
	}
}
