package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/template"
)

// A record is what a measuring program printed: a list of "* Key: value", then sections of
// Markdown, each with at most one table.
type record struct {
	page, link string // where the record is quoted, and how it is called there
	head       map[string]string
	sections   []*section
}

type section struct {
	title string
	text  []string // the lines that are not of the table
	rows  [][]string
	// rows[0] has the columns' names; align is the line below it
	align []string
}

func readRecord(path string) (*record, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r, err := parseRecord(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

func parseRecord(text string) (*record, error) {
	r := &record{head: map[string]string{}}
	var s *section
	for number, line := range strings.Split(text, "\n") {
		switch {
		case strings.HasPrefix(line, "# "):
		case strings.HasPrefix(line, "#"):
			s = &section{title: strings.TrimSpace(strings.TrimLeft(line, "#"))}
			r.sections = append(r.sections, s)
		case s == nil && strings.HasPrefix(line, "* "):
			key, value, ok := strings.Cut(line[2:], ": ")
			if !ok {
				return nil, fmt.Errorf("line %d: not a key and a value", number+1)
			}
			if r.head[key] != "" {
				value = r.head[key] + "\n" + value
			}
			r.head[key] = value
		case s != nil && strings.HasPrefix(line, "|"):
			cells := split(line)
			if len(s.rows) > 0 && len(cells) != len(s.rows[0]) {
				return nil, fmt.Errorf("line %d: %d cells in place of %d",
					number+1, len(cells), len(s.rows[0]))
			}
			if len(s.rows) == 1 && s.align == nil {
				s.align = cells
			} else {
				s.rows = append(s.rows, cells)
			}
		case s != nil && line != "":
			s.text = append(s.text, line)
		}
	}
	return r, nil
}

func split(line string) (cells []string) {
	for cell := range strings.SplitSeq(strings.Trim(strings.TrimSpace(line), "|"), "|") {
		cells = append(cells, strings.TrimSpace(cell))
	}
	return cells
}

// functions are what templates call.
func (r *record) functions() template.FuncMap {
	return template.FuncMap{
		"head": r.source, "value": r.value, "sections": r.titles, "text": r.text, "table": r.table,
		"cell": r.cell, "time": r.time, "best": r.best, "outdated": r.outdated,
	}
}

// source says where the numbers are from.
func (r *record) source() string {
	var parts []string
	for _, key := range []string{"CPU", "Go", "Pegasimd's path", "Peers", "Trainers", "Method"} {
		if v := r.head[key]; v != "" {
			parts = append(parts, key+": "+v)
		}
	}
	parts = append(parts, "commit: "+r.head["Commit"], "date: "+r.head["Date"])
	head := wrap(strings.Join(parts, "; ")+". The whole record: ["+r.link+"]("+r.link+").", 100)
	return "    " + strings.ReplaceAll(r.head["Command"], "\n", "\n    ") + "\n\n" + head
}

// outdated names the peers that were measured in another version than a go.mod file asks for now.
func (r *record) outdated(mod string) (string, error) {
	text, err := os.ReadFile(filepath.Join(filepath.Dir(r.page), mod))
	if err != nil {
		return "", err
	}
	pinned := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(strings.TrimPrefix(line, "require ")); len(words) >= 2 {
			pinned[words[0]] = words[1]
		}
	}
	var others []string
	for peer := range strings.SplitSeq(r.head["Peers"], ", ") {
		path, version, _ := strings.Cut(peer, " ")
		if now := pinned[path]; now != "" && now != version {
			others = append(others, fmt.Sprintf("%s %s (now %s)", path, version, now))
		}
	}
	if len(others) == 0 {
		return "The peers are those that the module pins now.", nil
	}
	return wrap("Measured in another version than the module pins now: "+
		strings.Join(others, ", ")+".", 100), nil
}

// value returns what the head has.
func (r *record) value(key string) (string, error) {
	if v := r.head[key]; v != "" {
		return v, nil
	}
	return "", fmt.Errorf("no %q in the head", key)
}

// titles returns those of the sections that have a part in their title.
func (r *record) titles(part string) (titles []string, err error) {
	for _, s := range r.sections {
		if strings.Contains(s.title, part) {
			titles = append(titles, s.title)
		}
	}
	if len(titles) == 0 {
		return nil, fmt.Errorf("no title with %q", part)
	}
	return titles, nil
}

func (r *record) section(title string) (*section, error) {
	for _, s := range r.sections {
		if s.title == title {
			return s, nil
		}
	}
	return nil, fmt.Errorf("no section %q", title)
}

// text returns the lines of a section that have a part, without the table.
func (r *record) text(title, part string) (string, error) {
	s, err := r.section(title)
	if err != nil {
		return "", err
	}
	var lines []string
	for _, line := range s.text {
		if strings.Contains(line, part) {
			lines = append(lines, wrap(line, 100))
		}
	}
	if len(lines) == 0 {
		return "", fmt.Errorf("no line with %q in %q", part, title)
	}
	return strings.Join(lines, "\n"), nil
}

// table returns a section's table. Options are "rows: A | B" and "columns: A | B", for some only.
func (r *record) table(title string, options ...string) (string, error) {
	s, err := r.section(title)
	if err != nil {
		return "", err
	}
	if len(s.rows) < 2 {
		return "", fmt.Errorf("no table in %q", title)
	}
	var names, columns []string
	for _, o := range options {
		if list, ok := strings.CutPrefix(o, "rows: "); ok {
			names = split(list)
		} else if list, ok := strings.CutPrefix(o, "columns: "); ok {
			columns = split(list)
		} else {
			return "", fmt.Errorf("unknown option %q", o)
		}
	}
	chosen := s.rows[1:]
	if names != nil {
		chosen = nil
		for _, name := range names {
			row, err := s.row(name)
			if err != nil {
				return "", err
			}
			chosen = append(chosen, row)
		}
	}
	at := []int{0}
	for i := range s.rows[0] {
		if columns == nil && i > 0 {
			at = append(at, i)
		}
	}
	for _, name := range columns {
		i, err := s.column(name)
		if err != nil {
			return "", err
		}
		at = append(at, i)
	}
	var b strings.Builder
	for _, row := range slices.Concat([][]string{s.rows[0], s.align}, chosen) {
		for _, i := range at {
			b.WriteString("| " + row[i] + " ")
		}
		b.WriteString("|\n")
	}
	return strings.TrimSpace(b.String()), nil
}

// row returns the row whose first cells, joined by commas, are the name.
func (s *section) row(name string) ([]string, error) {
	for _, row := range s.rows[1:] {
		joined := ""
		for _, cell := range row {
			joined += plain(cell)
			if joined == name {
				return row, nil
			}
			joined += ", "
		}
	}
	return nil, fmt.Errorf("no row %q in %q", name, s.title)
}

func (s *section) column(name string) (int, error) {
	for i, column := range s.rows[0] {
		if column == name {
			return i, nil
		}
	}
	return 0, fmt.Errorf("no column %q in %q", name, s.title)
}

// plain takes the marks for bold and italic away.
func plain(cell string) string { return strings.Trim(cell, "*") }

// cell returns the text of a cell.
func (r *record) cell(title, row, column string) (string, error) {
	s, err := r.section(title)
	if err != nil {
		return "", err
	}
	cells, err := s.row(row)
	if err != nil {
		return "", err
	}
	i, err := s.column(column)
	if err != nil {
		return "", err
	}
	return cells[i], nil
}

// time returns a cell without the ratio in brackets.
func (r *record) time(title, row, column string) (string, error) {
	cell, err := r.cell(title, row, column)
	time, _, _ := strings.Cut(cell, " (")
	return time, err
}

// best returns the least time of a column and whose it is. Among whom: "ours" are the rows in bold,
// "peers" those in neither bold nor italic; else it is a list of names.
func (r *record) best(title, column, among string) (string, error) {
	s, err := r.section(title)
	if err != nil {
		return "", err
	}
	at, err := s.column(column)
	if err != nil {
		return "", err
	}
	best, whose := math.Inf(1), "not reached"
	for _, row := range s.rows[1:] {
		switch among {
		case "ours":
			if !strings.HasPrefix(row[0], "**") {
				continue
			}
		case "peers":
			if strings.HasPrefix(row[0], "*") {
				continue
			}
		default:
			if !slices.Contains(split(among), plain(row[0])) {
				continue
			}
		}
		time, _, _ := strings.Cut(row[at], " (")
		if v, ok := milliseconds(time); ok && v < best {
			best, whose = v, time+" ("+strings.TrimPrefix(plain(row[0]), "Pegasimd, ")+")"
		}
	}
	return whose, nil
}

// milliseconds reads a time; without a unit it is in nanoseconds. A guess begins with ~.
func milliseconds(time string) (ms float64, ok bool) {
	number, unit, _ := strings.Cut(strings.TrimPrefix(time, "~"), " ")
	v, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return 0, false
	}
	scale := map[string]float64{"": 1e-6, "ns": 1e-6, "µs": 1e-3, "ms": 1, "s": 1e3}[unit]
	return v * scale, scale != 0
}
