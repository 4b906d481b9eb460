package tables

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pegasimd/pegasimd/internal/escape"
)

const (
	mostGapWords = 3  // different words that a column of numbers may have in place of gaps
	fewRows      = 20 // too few to tell whether a column numbers them
	idDigits     = 6  // the digits of whole numbers that are taken for ids if they are all different
)

// fit finds the kind of a column by its cells: the rule of the package's documentation.
func (c *Column) fit(s *stats) {
	c.Rows, c.Gaps = s.rows, s.gaps
	cells := s.rows - s.gaps
	s.joinBooleans()
	words := s.gapWords()
	switch {
	case cells == 0:
		c.leaveOut("no cell has a value")
	case s.gaps == 0 && (len(s.levels) == 1 && !s.full || s.words == 0 && s.least == s.most):
		c.leaveOut("all rows have the same value")
	case len(s.levels) == 1 && !s.full:
		c.fitLevels(s)
		c.Reason = "one value, or a gap"
	case s.words == 0 && s.differ() && (s.ascending || s.most-s.least+1 < float64(2*cells)):
		c.leaveOut("whole numbers that count the rows")
	case s.words == 0 && s.differ() && s.digits >= idDigits:
		c.leaveOut(fmt.Sprintf("whole numbers of %d digits, another in each row, as ids are",
			s.digits))
	case s.words == 0:
		c.fitNumber(s)
		c.Reason = "numbers"
	case words != nil:
		c.GapWords, c.Gaps = words, s.gaps+s.words
		c.fitNumber(s)
		c.Reason = fmt.Sprintf("numbers, and %s in %d rows, taken for gaps",
			strings.Join(escape.Names(words), ", "), s.words)
	case s.dates == s.words && s.numbers == 0:
		c.fitDate(s)
		c.Reason = "dates"
	case s.likeText():
		c.Kind = Text // its n-grams may still have to be counted
		c.Reason = fmt.Sprintf("text of %.0f words in the mean", 1+float64(s.spaces)/float64(cells))
	case s.likeNames() && s.manyGaps():
		c.Kind, c.GapFeature = Category, true
		c.Reason = fmt.Sprintf("%s different words, as names are: only whether there is one counts",
			s.distinct())
	case s.likeNames():
		c.leaveOut(fmt.Sprintf("%s different words in %d rows, as names are", s.distinct(), cells))
	default:
		c.fitLevels(s)
		c.Reason = s.distinct() + " different words"
	}
}

func (c *Column) leaveOut(reason string) { c.Kind, c.Reason = LeftOut, reason }

// differ reports whether the numbers are whole, another in each row, of which there are enough.
func (s *stats) differ() bool { return s.numbers >= fewRows && !s.comeAgain() }

// likeNames reports whether fewer than a quarter of the cells, of which there are enough, come
// again.
func (s *stats) likeNames() bool { return s.counted >= fewRows && 4*s.again < s.counted }

// manyGaps reports whether more than one row in a hundred has a gap.
func (s *stats) manyGaps() bool { return 100*s.gaps > s.rows }

// distinct says how many different cells there are.
func (s *stats) distinct() string {
	if s.full {
		return fmt.Sprintf("more than %d", max(len(s.levels), maxKeptNumbers))
	}
	return fmt.Sprint(s.different)
}

// gapWords returns the words in a column of numbers, sorted, if they are few and rare.
func (s *stats) gapWords() []string {
	notUTF8 := func(word string) bool { return !utf8.ValidString(word) }
	if s.words == 0 || 9*s.words > s.numbers || len(s.few) > mostGapWords ||
		slices.ContainsFunc(s.few, notUTF8) {
		return nil
	}
	return slices.Sorted(slices.Values(s.few))
}
