package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
)

// sheet is a table in no particular format.
type sheet struct {
	names []string
	rows  [][]string
}

var firstDay = time.Date(2018, 1, 1, 0, 0, 0, 0, time.UTC)

// Few sizes of houses are whole numbers, and few are equal.
func houses(rows int) sheet {
	r := rand.New(rand.NewPCG(44, uint64(rows)))
	s := sheet{names: strings.Fields("size kind day label")}
	for range rows {
		size, day, label := 1000.01+float64(r.IntN(8_900_000))/100, r.IntN(1400), "cheap"
		if size+30*float64(day)+6000*r.NormFloat64() > 66000 {
			label = "dear"
		}
		s.rows = append(s.rows, []string{fmt.Sprintf("%.2f", size), string("abc"[r.IntN(3)]),
			firstDay.AddDate(0, 0, day).Format(time.DateOnly), label})
	}
	return s
}

func points(rows int) sheet {
	r := rand.New(rand.NewPCG(45, uint64(rows)))
	s := sheet{names: strings.Fields("a b c y")}
	for range rows {
		a, b, c := float64(r.IntN(200))/10, float64(r.IntN(90))/10, float64(r.IntN(50))/10
		s.rows = append(s.rows, []string{fmt.Sprintf("%.1f", a), fmt.Sprintf("%.1f", b),
			fmt.Sprintf("%.1f", c), fmt.Sprintf("%.2f", 3*a-2*b+r.NormFloat64())})
	}
	return s
}

func (s sheet) change(name string, f func(row int, cell string) string) sheet {
	at := slices.Index(s.names, name)
	rows := make([][]string, len(s.rows))
	for i, row := range s.rows {
		rows[i] = slices.Clone(row)
		rows[i][at] = f(i, row[at])
	}
	return sheet{s.names, rows}
}

func (s sheet) numbers(name string, f func(v float64) string) sheet {
	return s.change(name, func(_ int, cell string) string {
		if v, err := strconv.ParseFloat(cell, 64); err == nil {
			return f(v)
		}
		return cell
	})
}

func (s sheet) days(f func(day time.Time) string) sheet {
	return s.change("day", func(_ int, cell string) string {
		if day, err := time.Parse(time.DateOnly, cell); err == nil {
			return f(day)
		}
		return cell
	})
}

func (s sheet) called(names ...string) sheet { return sheet{names, s.rows} }

func (s sheet) with(name string, cell func(row int) string) sheet {
	of := sheet{names: append([]string{name}, s.names...)}
	for i, row := range s.rows {
		of.rows = append(of.rows, append([]string{cell(i)}, row...))
	}
	return of
}

func (s sheet) part(keep func(row []string) bool) sheet {
	of := sheet{names: s.names}
	for _, row := range s.rows {
		if keep(row) {
			of.rows = append(of.rows, row)
		}
	}
	return of
}

func record(cells []string, separator string) string {
	quoted := slices.Clone(cells)
	for i, cell := range cells {
		if strings.Contains(cell, separator) || strings.ContainsAny(cell, "\"\n\r") {
			quoted[i] = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
		}
	}
	return strings.Join(quoted, separator) + "\n"
}

func (s sheet) body(separator string) string {
	var b strings.Builder
	for _, row := range s.rows {
		b.WriteString(record(row, separator))
	}
	return b.String()
}

func (s sheet) text(separator string) string {
	return record(s.names, separator) + s.body(separator)
}

func (s sheet) csv() string { return s.text(",") }

func (s sheet) jsonLines() string {
	var b strings.Builder
	for _, row := range s.rows {
		for i, cell := range row {
			key, _ := json.Marshal(s.names[i])
			value, _ := json.Marshal(cell)
			if _, err := strconv.ParseFloat(cell, 64); err == nil && json.Valid([]byte(cell)) {
				value = []byte(cell)
			} else if cell == "" {
				value = []byte("null")
			}
			open := ", "
			if i == 0 {
				open = "{"
			}
			fmt.Fprintf(&b, "%s%s: %s", open, key, value)
		}
		b.WriteString("}\n")
	}
	return b.String()
}

func asUTF16(text string, bigEndian, mark bool) string {
	if mark {
		text = "\ufeff" + text
	}
	var b []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		if bigEndian {
			b = append(b, byte(unit>>8), byte(unit))
		} else {
			b = append(b, byte(unit), byte(unit>>8))
		}
	}
	return string(b)
}

// The characters of text are below U+0100.
func asLatin1(text string) string {
	var b []byte
	for _, c := range text {
		b = append(b, byte(c))
	}
	return string(b)
}

func grouped(v float64, decimals int, thousands, decimal string) string {
	whole, fraction, _ := strings.Cut(strconv.FormatFloat(math.Abs(v), 'f', decimals, 64), ".")
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + thousands + whole[at:]
	}
	if fraction != "" {
		whole += decimal + fraction
	}
	if v < 0 {
		return "-" + whole
	}
	return whole
}

// fitWarning matches warnings about the fit of a model, not about the reading of a file.
var fitWarning = regexp.MustCompile(`hardly better|no better than|rows?: too few|` +
	`training ended with a larger objective`)

func doubtsOf(output string) (doubts []string) {
	for _, line := range strings.Split(output, "\n") {
		if strings.HasPrefix(line, "warning:") && !fitWarning.MatchString(line) {
			doubts = append(doubts, line)
		}
	}
	return doubts
}

func mention(lines []string, word string) bool {
	return slices.ContainsFunc(lines, func(line string) bool {
		return strings.Contains(line, word)
	})
}

type trained struct {
	code    int
	told    string // standard output and standard error
	doubts  []string
	hash    string
	rows    int
	classes int     // 0 for regression targets
	fit     float64 // training accuracy or R^2, in percent
	model   string
}

var fitLine = regexp.MustCompile(`(?m)^training (?:accuracy ([\d.]+)|R\^2 (-?[\d.]+))`)

func trainOn(t *testing.T, data string, flags ...string) (of trained) {
	t.Helper()
	dir := t.TempDir()
	of.model = filepath.Join(dir, "x.model")
	numbers := filepath.Join(dir, "json")
	args := slices.Concat([]string{"train"}, flags, []string{"-json", numbers, data, of.model})
	code, out, errs := pegasimd(t, args...)
	of.code, of.told, of.doubts = code, out+errs, doubtsOf(out+errs)
	if code != exitDone {
		if _, err := os.Stat(of.model); err == nil {
			t.Errorf("train %q: exit code %d, but a model was written", flags, code)
		}
		return of
	}
	r := report(t, numbers)
	of.hash, _ = r["model_hash"].(string)
	rows, _ := r["rows"].(float64)
	of.rows = int(rows)
	classes, _ := r["classes"].(float64)
	of.classes = int(classes)
	if fit := fitLine.FindStringSubmatch(of.told); fit != nil && fit[1] != "" {
		of.fit, _ = strconv.ParseFloat(fit[1], 64)
	} else if fit != nil {
		of.fit, _ = strconv.ParseFloat(fit[2], 64)
		of.fit *= 100
	}
	return of
}

var briefLine = regexp.MustCompile(`^(pegasimd|warning|read as|the label|  .*  (number|category|date` +
	`|text|left out)  )`)

func brief(output string) string {
	lines := slices.DeleteFunc(strings.Split(output, "\n"), func(line string) bool {
		return !briefLine.MatchString(line) || fitWarning.MatchString(line)
	})
	return strings.Join(lines, "\n")
}

func tableScores(t *testing.T, data string, of trained, flags ...string) []string {
	t.Helper()
	args := append([]string{"predict"}, flags...)
	if of.classes > 0 {
		args = append(args, "-scores")
	}
	code, out, told := pegasimd(t, append(args, data, of.model)...)
	if code != exitDone {
		t.Errorf("predict %q: exit code %d, %s", flags, code, told)
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if of.classes > 0 {
		lines = lines[1:]
	}
	return lines
}

type looked struct {
	code   int
	told   string
	doubts []string
	rows   int
	kinds  map[string]string
}

var (
	rowsLine = regexp.MustCompile(`(?m)^(\d+) rows?, `)
	kindLine = regexp.MustCompile(
		`(?m)^  (.*?)\s{2,}(number|category|date|text|left out)\s{2,}(.*)$`)
)

func inspected(t *testing.T, data string, flags ...string) looked {
	t.Helper()
	code, out, errs := pegasimd(t, slices.Concat([]string{"inspect"}, flags, []string{data})...)
	of := looked{code: code, told: out + errs, doubts: doubtsOf(out + "\n" + errs),
		kinds: map[string]string{}}
	if rows := rowsLine.FindStringSubmatch(out); rows != nil {
		of.rows, _ = strconv.Atoi(rows[1])
	}
	for _, line := range kindLine.FindAllStringSubmatch(out, -1) {
		of.kinds[strings.TrimSpace(line[1])] = line[2]
	}
	return of
}

// anyDoubt in twin.doubt allows warnings and their absence.
const anyDoubt = "?"

// A twin is a file that means the same as its plain sheet in CSV.
type twin struct {
	name  string // x.csv if empty
	plain sheet
	text  string
	flags string
	hash  bool   // the models must be equal, not only their scores
	doubt string // word that a warning must contain, empty for no warning, or anyDoubt
}

func checkTwins(t *testing.T, twins map[string]twin) {
	t.Helper()
	for _, name := range sorted(twins) {
		c := twins[name]
		t.Run(name, func(t *testing.T) {
			plain := file(t, "plain.csv", c.plain.csv())
			want := trainOn(t, plain)
			if want.code != exitDone {
				t.Fatalf("the plain sheet: exit code %d, %s", want.code, brief(want.told))
			}
			if c.name == "" {
				c.name = "x.csv"
			}
			data, flags := file(t, c.name, c.text), strings.Fields(c.flags)
			have := trainOn(t, data, flags...)
			if have.code != exitDone || have.rows != len(c.plain.rows) ||
				have.classes != want.classes {
				t.Fatalf("exit code %d, %d rows, %d classes, want %d rows, %d classes\n%.200q\n%s",
					have.code, have.rows, have.classes, len(c.plain.rows), want.classes, c.text,
					brief(have.told))
			}
			if c.hash && have.hash != want.hash {
				t.Errorf("another model\n%.200q\n%s", c.text, brief(have.told))
			}
			if !c.hash && !slices.Equal(tableScores(t, data, have), tableScores(t, plain, want)) {
				t.Errorf("other scores; fit %v %%, want %v %%\n%.200q\n%s", have.fit, want.fit,
					c.text, brief(have.told))
			}
			switch {
			case c.doubt == "" && len(have.doubts) > 0:
				t.Errorf("%q, want no warning", have.doubts)
			case c.doubt != "" && c.doubt != anyDoubt && !mention(have.doubts, c.doubt):
				t.Errorf("%q, want a warning that names %s\n%s", have.doubts, c.doubt,
					brief(have.told))
			}
		})
	}
}

func sorted[V any](of map[string]V) (keys []string) {
	for key := range of {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
