package form

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/internal/base/escape"
)

// jsonRows reads lines of JSON. Fields that a line lacks have empty cells.
type jsonRows struct {
	*scanner
	fields []string
	at     map[string]int
	row    int   // from 1
	seen   []int // by field, the number of the last row with it; 0 for none
	found  []int // fields of the last row
}

func newJSONRows(s *scanner, sample *sample) *jsonRows {
	j := &jsonRows{scanner: s, at: map[string]int{}}
	for _, name := range sample.fields() {
		j.add(name)
	}
	return j
}

func (j *jsonRows) add(name string) int {
	i, found := j.at[name]
	if !found {
		i = len(j.fields)
		name = strings.Clone(name) // the line is valid until the next one is read
		j.at[name] = i
		j.fields = append(j.fields, name)
		j.cells, j.starts, j.seen = append(j.cells, ""), append(j.starts, 0), append(j.seen, 0)
	}
	return i
}

func (j *jsonRows) next() ([]string, error) {
	for {
		line, err := j.nextLine()
		if err != nil {
			return nil, err
		}
		if strings.TrimSpace(line) != "" {
			return j.cells, j.parse(line)
		}
	}
}

// parse clears only the cells that the previous row set: there may be many fields.
func (j *jsonRows) parse(line string) error {
	for _, i := range j.found {
		j.cells[i], j.starts[i] = "", 0
	}
	j.found = j.found[:0]
	j.row++
	s := jsonScanner{text: line}
	reason := s.object(func(name, value string, at int) string {
		i := j.add(name)
		if j.seen[i] == j.row {
			return fmt.Sprintf("two fields are called %q", escape.Cut(name))
		}
		if len(j.fields) > j.maxColumns {
			return fmt.Sprintf("more than %d fields, beyond the limit (-max-features)", j.maxColumns)
		}
		j.seen[i], j.cells[i], j.starts[i] = j.row, trim(value), at
		j.found = append(j.found, i)
		return ""
	})
	if reason != "" {
		return &SyntaxError{Line: j.rowLine, Column: s.at + 1, Reason: reason}
	}
	return nil
}

// From maxMerged fields on, new fields are appended.
const maxMerged = 2000

// fields returns the fields in the head of the file. A new field follows the field before it in its
// line; new fields at a line's beginning precede the line's first known field.
func (s *sample) fields() (names []string) {
	in := scanSample(s.head, !s.whole)
	known := map[string]bool{}
	for {
		text, err := in.nextLine()
		if err != nil {
			return names
		}
		line := jsonScanner{text: text}
		var own []string
		line.object(func(name, _ string, _ int) string {
			own = append(own, name)
			return ""
		})
		names = mergeFields(names, own, known)
	}
}

func mergeFields(names, own []string, known map[string]bool) []string {
	at := len(names)
	if i := slices.IndexFunc(own, func(name string) bool { return known[name] }); i > 0 {
		at = slices.Index(names, own[i])
	}
	for _, name := range own {
		switch {
		case known[name] && at < maxMerged:
			at = slices.Index(names, name) + 1
			continue
		case known[name]:
			continue
		case len(names) >= maxMerged:
			at = len(names)
		}
		known[name] = true
		names = slices.Insert(names, at, name)
		at++
	}
	return names
}

func looksLikeJSON(text []byte) bool {
	line, err := scanSample(text, false).nextLine()
	if err != nil || !strings.HasPrefix(line, "{") {
		return false
	}
	s := jsonScanner{text: line}
	return s.object(func(string, string, int) string { return "" }) == ""
}

type jsonScanner struct {
	text string
	at   int
}

// object parses text as one JSON object. For each field it calls visit with the name, the value and
// the value's index in text. It returns the first syntax error or reason from visit.
func (s *jsonScanner) object(visit func(name, value string, at int) string) (reason string) {
	if s.skip(); !s.take('{') {
		return "want an object, in braces"
	}
	s.skip()
	for first := true; !s.take('}'); first = false {
		if !first && s.at < len(s.text) && !s.take(',') {
			return "want a comma or a brace"
		}
		if s.skip(); s.at == len(s.text) {
			return endWithin
		}
		quoted := s.at < len(s.text) && s.text[s.at] == '"'
		name, ok := s.string()
		if quoted && !ok {
			return badString
		}
		if s.skip(); !ok || !s.take(':') {
			return "want the name of a field, in quotes, and a colon"
		}
		s.skip()
		at := s.at
		value, reason := s.value()
		if reason != "" {
			return reason
		}
		if reason = visit(name, value, at); reason != "" {
			s.at = at
			return reason
		}
		s.skip()
	}
	if s.skip(); s.at < len(s.text) {
		return "text after the object"
	}
	return ""
}

func (s *jsonScanner) skip() {
	for s.at < len(s.text) && strings.IndexByte(" \t\r\n", s.text[s.at]) >= 0 {
		s.at++
	}
}

func (s *jsonScanner) take(c byte) bool {
	if s.at < len(s.text) && s.text[s.at] == c {
		s.at++
		return true
	}
	return false
}

const (
	badString = "not a valid string of JSON"
	endWithin = "the line ends within an object: want each object in one line"
)

// string leaves s.at unchanged if there is no valid string.
func (s *jsonScanner) string() (value string, ok bool) {
	start := s.at
	if !s.take('"') {
		return "", false
	}
	for escaped := false; ; {
		i := strings.IndexAny(s.text[s.at:], `"\`)
		switch {
		case i < 0:
			s.at = start
			return "", false
		case s.text[s.at+i] == '\\':
			escaped = true
			s.at = min(s.at+i+2, len(s.text))
		case !escaped:
			s.at += i + 1
			return s.text[start+1 : s.at-1], true
		default:
			s.at += i + 1
			if json.Unmarshal([]byte(s.text[start:s.at]), &value) != nil {
				s.at = start
				return "", false
			}
			return value, true
		}
	}
}

// value returns the text of a string, number, true or false, and "" for null. It accepts NaN,
// Infinity and -Infinity, which some programs write.
func (s *jsonScanner) value() (value, reason string) {
	if s.at == len(s.text) {
		return "", "want a value"
	}
	switch s.text[s.at] {
	case '"':
		value, ok := s.string()
		if !ok {
			return "", badString
		}
		return value, ""
	case '{', '[':
		return "", "an object or array within an object: fields have to be strings, numbers, true, " +
			"false or null"
	}
	start := s.at
	for s.at < len(s.text) && strings.IndexByte(",} \t\r\n", s.text[s.at]) < 0 {
		s.at++
	}
	value = s.text[start:s.at]
	switch value {
	case "null":
		return "", ""
	case "NaN", "Infinity", "-Infinity":
		return value, ""
	}
	if !json.Valid([]byte(value)) {
		s.at = start
		return "", "want a string, a number, true, false or null"
	}
	return value, ""
}
