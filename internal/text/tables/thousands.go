package tables

import (
	"fmt"
	"math"
	"strings"

	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/text/cell"
)

const (
	markedRows = 1000 // rows of a file whose decimal marks are examined
	// leastDrop is the least ratio of the training mean to the mean of a file's numbers for which
	// the marks in these numbers may separate thousands. If they do, the ratio is about 1000, else
	// about 1.
	leastDrop = 100
)

// marks counts the numbers of a column in the first rows of a file to encode.
type marks struct {
	numbers   int
	ambiguous int // read as decimals, but 1000 times as large with the other decimal mark
	sum       float64
	such      string // the first ambiguous number, cut by escape.Cut
	decided   bool   // a number's mark can only be a decimal mark
	percents  int    // numbers with a percent sign, or a word for it
	bare      string // the first number without one, cut by escape.Cut
}

const percent = "%" // the unit's normalized name

func (c *Coder) examineMarks(cells []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.columns {
		in, m := &c.columns[i], &c.misfits[i].marks
		if in.Kind != Number {
			continue
		}
		text := cells[i]
		if f := in.Number.Format; f != nil && f.Unit == percent && (m.percents == 0 || m.bare == "") {
			in.examinePercent(m, text)
		}
		if m.decided {
			continue
		}
		v, ok := in.Number.Format.parse(text)
		if !ok {
			continue
		}
		m.numbers++
		m.sum += v
		switch mark := in.Number.Format.mark(); {
		case strings.IndexByte(text, mark) < 0:
		case isGrouped(text, mark) || !cell.Ambiguous(text):
			m.decided = true
		default:
			if m.ambiguous++; m.such == "" {
				m.such = escape.Cut(text)
			}
		}
	}
}

func (in *coding) examinePercent(m *marks, text string) {
	if _, ok := in.Number.Format.parse(text); !ok {
		return
	}
	if n, _ := cell.ParseNumber(text, in.Number.Format.mark()); n.Unit == percent {
		m.percents++
	} else if m.bare == "" {
		m.bare = escape.Cut(text)
	}
}

func (in *coding) doubtPercent(m *marks) string {
	if m.percents > 0 || m.bare == "" {
		return ""
	}
	return fmt.Sprintf("column %s: numbers such as %q lack the %% that numbers in training had, and "+
		"are read as percentages", escape.Name(escape.Cut(in.Name)), m.bare)
}

// doubtThousands returns a line if at least half of a column's numbers were read as decimals, but
// are more like the training data if their marks separate thousands.
func (in *coding) doubtThousands(m *marks) string {
	mean := m.sum / float64(max(m.numbers, 1))
	if m.decided || m.ambiguous == 0 || 2*m.ambiguous < m.numbers ||
		math.Abs(in.Number.Mean) < leastDrop*math.Abs(mean) {
		return ""
	}
	return fmt.Sprintf("column %s: the mean of the first %s is %.4g, but %.4g in training: perhaps "+
		"the marks in numbers such as %q, read as decimals, separate thousands",
		escape.Name(escape.Cut(in.Name)), plural.Count(m.numbers, "number"), mean, in.Number.Mean,
		m.such)
}
