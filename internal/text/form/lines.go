package form

import (
	"bytes"
	"strings"

	"github.com/pegasimd/pegasimd/internal/text/cell"
)

const (
	labelName = "label"
	textName  = "text"
)

type lineRows struct {
	*scanner
	labelled bool
	keep     bool  // lines without a tab are rows with an empty label, not errors
	noTab    quirk // lines without a tab if labelled is true
	tabs     quirk // lines with a tab if labelled is false
}

func (l *lineRows) next() ([]string, error) {
	for {
		row, err := l.nextLine()
		if err != nil {
			return nil, err
		}
		blank := trim(row) == ""
		if blank && !l.blanks {
			continue
		}
		l.cells, l.starts = append(l.cells[:0], trim(row)), append(l.starts[:0], 0)
		if !l.labelled {
			if strings.IndexByte(l.cells[0], '\t') >= 0 {
				l.tabs.add(l.rowLine, l.cells[0])
			}
			return l.cells, nil
		}
		label, text, found := strings.Cut(row, "\t")
		if !found && !l.keep {
			return nil, &SyntaxError{Line: l.rowLine, Token: row[:min(len(row), 40)],
				Reason: "no tab after the label"}
		}
		if !found {
			if !blank {
				l.noTab.add(l.rowLine, row)
			}
			label, text = "", row
		}
		l.cells[0] = trim(label)
		l.cells, l.starts = append(l.cells, trim(text)), append(l.starts, len(row)-len(text))
		return l.cells, nil
	}
}

func haveLabels(text []byte) bool {
	lines, tabs := 0, 0
	for line := range bytes.FieldsFuncSeq(text, isLineEnd) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if lines++; bytes.IndexByte(line, '\t') >= 0 {
			tabs++
		}
	}
	return tabs > 0 && 2*tabs >= lines
}

func isLineEnd(r rune) bool { return r == '\n' || r == '\r' }

func (c *candidate) looksLikeLines(from int) bool {
	if c.separator != '\t' || c.width != 2 {
		return false
	}
	body := c.body(from)
	labels, texts := map[string]bool{}, map[string]bool{}
	words, sentences, oneWords := 0, 0, 0
	for _, r := range body {
		if len(r[0]) > 40 || r[0] == "" {
			return false
		}
		labels[r[0]], texts[r[1]] = true, true
		if cell.KindOf(r[1]) == cell.WordCell {
			words++
		}
		if !strings.ContainsAny(r[0], ` "`) {
			oneWords++
		}
		if strings.Count(r[1], " ") >= 3 {
			sentences++
		}
	}
	n := len(body)
	switch {
	case n == 0 || 10*words < 8*n || n < 9*len(c.rows[from:])/10:
		return false
	case 2*sentences >= n && oneWords == n:
		return true
	}
	return n >= 10 && 3*len(labels) <= n && 5*len(texts) >= 3*n
}

func (g *Given) wantsLines() bool {
	return len(g.Names) == 1 && g.Names[0] == textName && g.Label == labelName
}
