package form

import (
	"bytes"
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/internal/text/cell"
)

type dialect struct{ separator, quote, comment byte }

// separators lists the separators that are detected, the likeliest first.
const separators = ",;\t|"

const sampledCells = 20000

type candidate struct {
	dialect
	*sampled
	score float64
	width int
	first int // index in rows of the table's first row
}

type sampled struct {
	rows     [][]string
	lines    []int // line number of each row; 0 in further pieces
	err      error // error of splitting the head, other than io.EOF
	unclosed int   // rows of the head with a quote that is not closed
}

// rows splits the samples by the dialect d, and leaves out rows of empty cells.
func (s *sample) rows(d dialect) *sampled {
	t := new(sampled)
	for i := -1; i < len(s.others); i++ {
		in, line := scanSample(s.head, !s.whole), s.line-1
		if i >= 0 {
			in = scanSample(s.others[i], s.cut[i])
		}
		in.set(d.separator, d.quote, d.comment)
		in.maxColumns = s.maxColumns
		for len(t.rows) < sampledRows || i >= 0 {
			cells, err := in.next()
			if err != nil && i < 0 && err != io.EOF {
				t.err = err
			}
			if err != nil {
				break
			}
			if isEmpty(cells) {
				continue
			}
			t.rows = append(t.rows, append([]string(nil), cells...))
			if i >= 0 {
				line = -in.rowLine
			}
			t.lines = append(t.lines, line+in.rowLine)
		}
		if i < 0 {
			t.unclosed = in.openings.count
		}
	}
	return t
}

// detectDialect returns the likeliest dialect, and the likeliest dialect with another separator;
// second.score is 0 if there is none. err is nil if best has a separator, otherwise the first
// error, if any, of splitting the head by a candidate.
func detectDialect(s *sample, g *Given) (best, second candidate, err error) {
	odd := true // whether the previous candidate left quotes unclosed
	for _, d := range candidates(s, g) {
		if d.quote == None && g.Quote == 0 && !odd {
			continue
		}
		c := candidate{dialect: d, sampled: s.rows(d)}
		odd = c.unclosed > 0
		if c.err != nil {
			err = cmp.Or(err, c.err)
			continue
		}
		c.measure(g)
		c.judge(g)
		switch {
		case best.sampled == nil || c.score > best.score+1e-9:
			if best.sampled != nil && best.separator != c.separator {
				second = best
			}
			best = c
		case c.separator != best.separator && c.score > second.score:
			second = c
		}
	}
	if best.separator != None && best.sampled != nil {
		err = nil
	}
	return best, second, err
}

// candidates returns dialects in the order of preference. Dialects without a separator come last.
func candidates(s *sample, g *Given) (all []dialect) {
	comments := []byte{None}
	if g.Comment != 0 {
		comments[0] = g.Comment
	} else if commented(s.head) {
		comments = append(comments, '#')
	}
	quotes := []byte{cmp.Or(g.Quote, '"')}
	if g.Quote == 0 && bytes.IndexByte(s.head, '"') >= 0 {
		quotes = append(quotes, None)
	}
	given := []byte{g.Separator}
	if g.Separator == 0 {
		given = slices.DeleteFunc([]byte(separators), func(c byte) bool {
			return bytes.IndexByte(s.head, c) < 0
		})
	}
	for _, comment := range comments {
		for _, separator := range given {
			for _, quote := range quotes {
				all = append(all, dialect{separator, quote, comment})
			}
			if g.Quote == 0 && (bytes.Contains(s.head, []byte{separator, '\''}) ||
				bytes.Contains(s.head, []byte{'\'', separator})) {
				all = append(all, dialect{separator, '\'', comment})
			}
		}
	}
	for _, comment := range comments {
		if g.Separator == 0 {
			all = append(all, dialect{None, quotes[0], comment})
		}
	}
	return all
}

func commented(text []byte) bool {
	n := bytes.Count(text, []byte("\n#")) + bytes.Count(text, []byte("\r#"))
	if bytes.HasPrefix(text, []byte("#")) {
		n++
	}
	return n >= 2
}

// measure sets c.width. Unless the caller gives SkipLines, it sets c.first to the first row of that
// width, or to the row before it if that may be the header.
func (c *candidate) measure(g *Given) {
	counts := map[int]int{}
	for _, r := range c.rows {
		counts[len(r)]++
	}
	best := 0.
	for w, n := range counts {
		if v := float64(n) * (float64(w) - .5) / float64(w); v > best || v == best && w > c.width {
			best, c.width = v, w
		}
	}
	c.cutEmpty(counts)
	if g.SkipLines != 0 || len(c.rows) == 0 {
		return
	}
	for len(c.rows[c.first]) != c.width {
		c.first++
	}
	if c.first > 0 && headsTable(c.rows[c.first-1], c.width) {
		c.first--
	}
}

// cutEmpty lowers c.width by 1 if the last column is empty and enough rows lack it. It cuts empty
// cells beyond c.width.
func (c *candidate) cutEmpty(counts map[int]int) {
	empty := func(r []string) bool { return len(r) != c.width || r[c.width-1] == "" }
	if c.width > 1 && counts[c.width-1] > 1 && counts[c.width-1] >= counts[c.width]/20 &&
		!slices.ContainsFunc(c.rows, func(r []string) bool { return !empty(r) }) {
		c.width--
	}
	for i, r := range c.rows {
		if len(r) > c.width && named(r) <= c.width {
			c.rows[i] = r[:c.width]
		}
	}
}

// headsTable reports whether row, whose length is not width, may be the header. If a header is one
// cell short, the first column contains the names of the rows and has no name itself.
func headsTable(row []string, width int) bool {
	n := named(row)
	return n == width || width > 2 && n == width-1
}

func named(row []string) int {
	n := len(row)
	for n > 0 && row[n-1] == "" {
		n--
	}
	return n
}

func isEmpty(cells []string) bool { return named(cells) == 0 }

func (c *candidate) judge(g *Given) {
	if len(c.rows) == 0 {
		return
	}
	var body [][]string
	fit := 0
	for i, r := range c.rows {
		if len(r) == c.width {
			fit++
			if i >= c.first {
				body = append(body, r)
			}
		} else if i == c.first && headsTable(r, c.width) {
			fit++
		}
	}
	if len(body) == 0 {
		return
	}
	share := float64(fit) / float64(len(c.rows))
	w := float64(c.width)
	c.score = share * share * c.sureness(body) * (w - 1) / w
	if c.separator == None {
		c.score = .12 * share * share
	}
	if len(c.rows) == 1 {
		c.score /= 2
	}
	if c.quote != '\'' && singleQuotes(body) {
		c.score *= .3
	}
	if c.unclosed > 0 {
		c.score *= max(.5, 1-float64(c.unclosed)/float64(len(c.rows)))
	}
	if c.separator == ',' && strings.ContainsAny(strings.Join(c.rows[c.first], ""), ";\t|") {
		c.score *= .7
	}
	if g.Format == TSV && c.separator != '\t' {
		c.score *= .7
	}
	c.fitModel(g)
}

func singleQuotes(body [][]string) bool {
	n := 0
	for _, r := range body {
		first := slices.IndexFunc(r, func(s string) bool { return len(s) > 1 && s[0] == '\'' })
		if first >= 0 && slices.ContainsFunc(r[first:], func(s string) bool {
			return len(s) > 1 && strings.HasSuffix(s, "'")
		}) {
			n++
		}
	}
	return 2*n > len(body)
}

func (c *candidate) fitModel(g *Given) {
	_, found := c.findHeader(g)
	switch {
	case found:
		c.score += 100
	case g.Columns > 0 && (c.width == g.Columns || c.width == g.Columns+1):
		c.score += 10 * c.score
		if c.width > 1 && c.width == g.Columns+1 {
			c.score += .1
		}
	}
}

// findHeader returns the index of the first row, among the first 100, with all of g.Names. If
// g.Columns is 0 and a label is given, it looks only for g.Label.
func (c *candidate) findHeader(g *Given) (at int, found bool) {
	names := g.Names
	if g.Columns == 0 && g.Label != "" {
		names = []string{g.Label}
	}
	if names == nil {
		return 0, false
	}
	for i, r := range c.rows[:min(len(c.rows), 100)] {
		if len(r) == c.width-1 {
			r = append([]string{""}, r...) // the first column has no name
		}
		if c.lines[i] > 0 && hasAll(r, names) {
			return i, true
		}
	}
	return 0, false
}

func hasAll(cells, names []string) bool {
	return len(cells) >= len(names) && len(lacking(cells, names)) == 0
}

func lacking(cells, names []string) (absent []string) {
	has := make(map[string]bool, len(cells))
	for _, c := range cells {
		has[strings.ToValidUTF8(c, "\ufffd")] = true
	}
	for _, n := range names {
		if !has[n] {
			absent = append(absent, n)
		}
	}
	return absent
}

// sureness returns the mean confidence, from 0 to 1, that a cell of body is not several cells.
func (c *candidate) sureness(body [][]string) float64 {
	step := 1 + len(body)*c.width/sampledCells
	sum, cells, quoted := 0., 0, false
	for i, r := range body {
		for j := i % step; j < len(r); j += step {
			sum += sureness(r[j])
			quoted = quoted || c.quote == None && strings.HasPrefix(r[j], `"`)
			cells++
		}
	}
	if quoted {
		sum *= .6
	}
	return sum / float64(max(1, cells))
}

func sureness(s string) float64 {
	if k := cell.KindOf(s); k != cell.WordCell {
		return 1
	}
	switch {
	case len(s) <= 40 && !strings.ContainsAny(s, " ,;|\t\""):
		return .9
	case len(s) < 40 && !strings.ContainsAny(s, ",;|\t"):
		return .6
	}
	return .3
}
