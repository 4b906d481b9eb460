package tables

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pegasimd/pegasimd/internal/budget"
	"github.com/pegasimd/pegasimd/internal/csvcell"
)

const (
	leastRows = 2       // that have a level with a feature
	maxLevels = 1 << 12 // of a column that have features; more are hashed
	hashBits  = 12
	// maxKept is how many different cells of a column are told apart, and maxKeptNumbers of one
	// that has had only numbers.
	maxKept        = 1 << 16
	maxKeptBytes   = 1 << 22
	maxKeptNumbers = 1 << 12
	// maxSeen is how many whole numbers are told apart to find those that number the rows.
	maxSeen = 1 << 20
)

// stats are what is known of the cells of a column.
type stats struct {
	rows, gaps, words int // words are cells that are no numbers

	numbers, zeros      int
	first, sum, squares float64 // the sums are of the differences from the first number
	least, most, last   float64
	ascending           bool
	digits              int       // that every number has; 0 if they differ
	seen                []float64 // whole numbers, as long as none is known to have come again
	repeated            bool      // one has, or there was one with a fraction

	levels  map[string]*int // how often each cell came that is no gap
	kept    int             // bytes of them
	full    bool            // there were too many to be kept
	stopped bool            // no more cells are compared
	few     []string        // the first different words, one more than may be gaps

	// Cells that were compared, those that had not come before, and those that come more than once.
	counted, different, again int

	spaces   int // in all cells
	dates    int // words that are dates
	days     *stats
	calendar [months + weekdays]int // how many dates are in each month, and on each weekday
	monthDay int                    // the day of the month of all dates; 0 if they differ
	grams    int                    // words of an n-gram
	text     *textStats             // nil where cells don't look like text
	texts    *int                   // how many columns have such
	paid     *budget.Account        // of the file; nil for any memory
}

func newStats() *stats {
	return &stats{
		grams: textGrams, texts: new(int),
		ascending: true, levels: map[string]*int{},
		least: math.Inf(1), most: math.Inf(-1), last: math.Inf(-1),
	}
}

// parse returns the number that a cell is, and false if it is none or too large for float32.
func parse(cell string) (float64, bool) {
	digit := false // without one the error of ParseFloat would be garbage: of a gap, or of a dash
	for i := range len(cell) {
		switch c := cell[i]; {
		case c-'0' < 10:
			digit = true
		case c == '.', c == '-', c == '+', c == 'e', c == 'E':
		default:
			return 0, false
		}
	}
	if !digit {
		return 0, false
	}
	v, err := strconv.ParseFloat(cell, 64)
	return v, err == nil && math.Abs(v) <= math.MaxFloat32
}

// add takes in a cell.
func (s *stats) add(cell string) {
	s.rows++
	if csvcell.IsMissing(cell) {
		s.gaps++
		return
	}
	if v, ok := parse(cell); ok {
		s.number(v, digits(cell))
	} else {
		s.word(cell)
	}
	s.countText(cell)
	if s.levels != nil {
		s.level(cell)
	}
}

// digits returns how many digits a cell has, if a point and zeros are all that may follow them, and
// else 0.
func digits(cell string) int {
	whole, _, _ := strings.Cut(cell, ".")
	if strings.Trim(whole, "0123456789") != "" {
		return 0
	}
	return len(whole)
}

func (s *stats) number(v float64, digits int) {
	if s.numbers++; s.numbers == 1 {
		s.first, s.digits = v, digits
	}
	if v == 0 {
		s.zeros++
	}
	d := v - s.first
	s.sum += d
	s.squares += float64(d * d)
	s.least, s.most = min(s.least, v), max(s.most, v)
	s.ascending, s.last = s.ascending && v > s.last, v
	if s.digits != digits {
		s.digits = 0
	}
	s.see(v)
}

// see notes whether a number is whole and has not come before.
func (s *stats) see(v float64) {
	full := len(s.seen) == maxSeen
	switch {
	case s.repeated:
		return
	case v != math.Trunc(v):
		s.repeated = true
	case full:
		_, s.repeated = slices.BinarySearch(s.seen, v)
	case len(s.seen) == cap(s.seen) && s.comeAgain():
	default:
		if s.seen = append(s.seen, v); len(s.seen) == maxSeen {
			s.comeAgain()
		}
	}
	if s.repeated {
		s.seen = nil
	}
}

// comeAgain sorts the numbers seen, and reports whether one has come again.
func (s *stats) comeAgain() bool {
	slices.Sort(s.seen)
	for i := 1; i < len(s.seen) && !s.repeated; i++ {
		s.repeated = s.seen[i] == s.seen[i-1]
	}
	return s.repeated
}

func (s *stats) word(cell string) {
	if d, ok := parseDate(cell); ok && s.dates == s.words {
		s.date(d)
	}
	if s.words++; s.levels == nil {
		s.levels = map[string]*int{} // from here on
	}
	if len(s.few) <= mostGapWords && !slices.Contains(s.few, cell) {
		s.few = append(s.few, strings.Clone(cell))
	}
}

func (s *stats) date(d date) {
	if s.dates++; s.days == nil {
		s.days, s.monthDay = newStats(), d.monthDay
	}
	if d.monthDay != s.monthDay {
		s.monthDay = 0
	}
	s.days.number(d.days, 0)
	s.calendar[d.month]++
	s.calendar[months+d.weekday]++
}

// triedRows is how many cells tell whether n-grams are worth to be counted.
const triedRows = 256

// countText counts the n-grams of a cell if the first has some words, as long as the cells look like
// text.
func (s *stats) countText(cell string) {
	cells, spaces := s.rows-s.gaps, strings.Count(cell, " ")
	s.spaces += spaces
	if cells == 1 && spaces >= textSpaces-1 && s.text == nil && *s.texts < maxTexts {
		s.text = newTextStats(s.grams, s.paid)
		*s.texts++
	}
	if s.text == nil {
		return
	}
	if s.text.add(cell, s.rows); !s.text.wanted && cells == triedRows && !s.likeText() {
		s.text.drop()
		s.text = nil
		*s.texts--
	}
}

// likeText reports whether more than half of the cells, of which there are enough, are different,
// and of several words.
func (s *stats) likeText() bool {
	return s.counted >= fewRows && 2*s.different > s.counted &&
		s.spaces >= textSpaces*(s.rows-s.gaps)
}

func (s *stats) level(cell string) {
	count := s.levels[cell]
	switch {
	case count != nil:
		if *count++; !s.stopped {
			if s.again++; *count == 2 {
				s.again++ // the first one too
			}
		}
	case s.words == 0 && len(s.levels) == maxKeptNumbers:
		s.levels, s.full = nil, true
		return
	case len(s.levels) == maxKept || s.kept > maxKeptBytes:
		s.full, s.stopped = true, true
	default:
		count = new(int)
		*count = 1
		s.levels[strings.Clone(cell)] = count
		s.kept += len(cell)
		s.different++
	}
	if !s.stopped {
		s.counted++
	}
}

// joinBooleans adds up the counts of the spellings of true, and of those of false, as the counts of
// the levels "true" and "false".
func (s *stats) joinBooleans() {
	truths := map[string]int{}
	for _, spelling := range csvcell.Spellings {
		if count := s.levels[spelling]; count != nil {
			truths[csvcell.Truth(spelling)] += *count
			delete(s.levels, spelling)
		}
	}
	if s.full || len(truths) == 0 {
		return
	}
	for truth, count := range truths {
		s.levels[truth] = &count
	}
	s.different, s.again = len(s.levels), 0
	for _, count := range s.levels {
		if *count > 1 {
			s.again += *count
		}
	}
}
