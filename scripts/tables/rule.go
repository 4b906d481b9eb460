package main

import (
	"encoding/csv"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

type table struct {
	name, source string
	group        string     // R package, or prefix of the file's name
	task         string     // "classes" or "numbers"; "" before findLabel, except for ARFF
	cells        [][]string // the first row has the columns' names; "" is a missing cell
	label        int        // column; -1 in a table of R before findLabel
}

const (
	classes, numbers = "classes", "numbers" // tasks

	minRows, maxRows       = 150, 20_000
	minColumns, maxColumns = 4, 500 // label included
	maxCells               = 500_000
	perGroup               = 2 // tables of a task and group
)

// benchmarked are words in names of data sets on which defaults were chosen before.
var benchmarked = []string{"abalone", "adult", "houses", "cal-hous", "letter", "mammography",
	"heart"}

// beginnings of the names of groups of time series
var series = []string{"fpp", "tsi", "times", "mhsets", "riverflow", "rmftsa"}

// choose selects tables and their labels, by a rule that was fixed before any result:
//
//   - A table has no word of benchmarked in its name, is no time series, and is within the limits
//     of the constants: rows with a label, columns with the label, and cells with the header.
//   - The label of an ARFF file is the attribute named class, or else the last attribute; that of a
//     file of jbrownlee/Datasets is the last column. The label of a table of R is the last column
//     that could be a class. If there is none, or the first hexadecimal digit of the hash of the
//     table's name has an odd character code, it is the last column that could be a regression
//     target, if there is one.
//   - At most perGroup tables of each group and task are chosen, in the order of the sources and of
//     the hashes of their names.
//   - A copy of a chosen table is left out: a table with the same letters and digits of the file
//     name, or with the same counts of the label's values.
func choose(all []*table) []*table {
	var chosen []*table
	seen, groups := map[string]bool{}, map[string]int{}
	for _, t := range all {
		if slices.ContainsFunc(benchmarked, func(w string) bool {
			return strings.Contains(t.name, w)
		}) || slices.ContainsFunc(series, func(w string) bool {
			return strings.HasPrefix(t.group, w)
		}) || !t.findLabel() || len(t.cells)-1 < minRows || len(t.cells)-1 > maxRows ||
			len(t.cells[0]) < minColumns || len(t.cells[0]) > maxColumns ||
			len(t.cells)*len(t.cells[0]) > maxCells {
			continue
		}
		counts := fmt.Sprint(slices.Sorted(maps.Values(t.values(t.label))))
		file := filepath.Base(t.source)
		file = strings.ReplaceAll(clean(strings.TrimSuffix(file, filepath.Ext(file))), "-", "")
		group := t.group + " " + t.task
		if seen[counts] || seen[file] || groups[group] == perGroup {
			continue
		}
		seen[counts], seen[file] = true, true
		groups[group]++
		t.labelLast()
		chosen = append(chosen, t)
	}
	return chosen
}

func (t *table) values(column int) map[string]int {
	counts := map[string]int{}
	for _, row := range t.cells[1:] {
		if row[column] != "" {
			counts[row[column]]++
		}
	}
	return counts
}

func (t *table) couldBe(column int) string {
	counts := t.values(column)
	sum, most, least, words := 0, 0, len(t.cells), 0
	for v, n := range counts {
		sum, most, least = sum+n, max(most, n), min(least, n)
		if _, err := strconv.ParseFloat(v, 64); err != nil {
			words++
		}
	}
	switch {
	case len(counts) >= 2 && 100*most <= 95*sum && 100*least >= 5*sum &&
		(len(counts) == 2 || words == len(counts) && len(counts) <= 20):
		return classes
	case words == 0 && len(counts) > 20:
		return numbers
	}
	return ""
}

// findLabel sets label and task, unless the source has, and removes rows without a label. It
// reports whether the label is usable.
func (t *table) findLabel() bool {
	if len(t.cells) < 2 {
		return false
	}
	switch {
	case t.label < 0: // a table of R
		last := map[string]int{classes: -1, numbers: -1}
		for j := range t.cells[0] {
			last[t.couldBe(j)] = j
		}
		t.task = classes
		if t.hash()[0]&1 == 1 && last[numbers] >= 0 || last[classes] < 0 {
			t.task = numbers
		}
		t.label = last[t.task]
	case t.task == "":
		t.task = numbers
		counts := t.values(t.label)
		if t.couldBe(t.label) != numbers && len(counts) <= 30 {
			t.task = classes
		}
	}
	if t.label < 0 {
		return false
	}
	t.cells = append(t.cells[:1:1], slices.DeleteFunc(t.cells[1:], func(row []string) bool {
		return row[t.label] == ""
	})...)
	counts := slices.Collect(maps.Values(t.values(t.label)))
	if t.task == numbers {
		return t.couldBe(t.label) == numbers
	}
	return len(counts) >= 2 && len(counts) <= 30 && 100*slices.Max(counts) <= 95*(len(t.cells)-1)
}

// labelLast also prepends a letter to classes, so that they are not predicted as numbers.
func (t *table) labelLast() {
	for i, row := range t.cells {
		v := row[t.label]
		if i == 0 {
			v = "label"
		} else if t.task == classes {
			v = "c" + v
		}
		t.cells[i] = append(slices.Delete(row, t.label, t.label+1), v)
	}
	t.label = len(t.cells[0]) - 1
}

var missing = []string{"?", "NA", "NaN", "nan", "N/A", "null", "NULL"}

func newTable(rows [][]string, label int, task string) *table {
	for _, row := range rows {
		if len(row) != len(rows[0]) {
			return nil
		}
		for j := range row {
			row[j] = strings.TrimSpace(row[j])
			if slices.Contains(missing, row[j]) {
				row[j] = ""
			}
		}
	}
	return &table{cells: rows, label: label, task: task}
}

func parsePlain(text string) *table {
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(rows) == 0 {
		return nil
	}
	header := make([]string, len(rows[0]))
	named := true
	for j, v := range rows[0] {
		header[j] = fmt.Sprint("x", j+1)
		if _, err := strconv.ParseFloat(v, 64); err == nil || v == "?" {
			named = false
		}
	}
	if !named || len(rows) > 1 && slices.ContainsFunc(rows[1:], func(row []string) bool {
		return row[0] == rows[0][0]
	}) {
		rows = append([][]string{header}, rows...)
	}
	return newTable(rows, len(header)-1, "")
}

// The first column of Rdatasets is left out: it names the rows.
func parseR(text string) *table {
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(rows) == 0 {
		return nil
	}
	for i := range rows {
		rows[i] = rows[i][1:]
	}
	return newTable(rows, -1, "")
}

// parseARFF returns nil for sparse or invalid data.
func parseARFF(text string) *table {
	var header []string
	var nominal []bool
	var rows [][]string
	label, data := -1, false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		lower := strings.ToLower(line)
		switch {
		case line == "" || line[0] == '%':
		case data && line[0] == '{':
			return nil
		case data:
			rows = append(rows, split(line, ','))
		case strings.HasPrefix(lower, "@data"):
			data = true
			rows = append(rows, header)
		case strings.HasPrefix(lower, "@attribute"):
			f := slices.DeleteFunc(split(strings.ReplaceAll(line, "\t", " "), ' '),
				func(s string) bool { return s == "" })
			if len(f) < 3 {
				return nil
			}
			if strings.EqualFold(f[1], "class") {
				label = len(header)
			}
			header, nominal = append(header, f[1]), append(nominal, f[2][0] == '{')
		}
	}
	if len(header) == 0 {
		return nil
	}
	if label < 0 {
		label = len(header) - 1
	}
	task := numbers
	if nominal[label] {
		task = classes
	}
	return newTable(rows, label, task)
}

// split removes quotation marks, and the backslash before an escaped character. It does not divide
// within quotation marks.
func split(line string, sep byte) []string {
	var cells []string
	var cell []byte
	quote := byte(0)
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && i+1 < len(line):
			i++
			cell = append(cell, line[i])
		case c == quote, quote == 0 && (c == '\'' || c == '"') &&
			len(strings.TrimSpace(string(cell))) == 0:
			quote = c - quote
		case quote == 0 && c == sep:
			cells, cell = append(cells, string(cell)), nil
		default:
			cell = append(cell, c)
		}
	}
	return append(cells, string(cell))
}
