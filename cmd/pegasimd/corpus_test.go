package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var corpusBinary = flag.String("corpus-binary", "", "build of the command to score, in place of "+
	"the tested one")

// Limits of the shares of wrongly read tables and columns, and of the number of wrong verdicts
// without a warning.
const (
	maxWrongTables  = 0.03
	maxWrongColumns = 0.05
	maxSilent       = 0
)

type corpusTable struct {
	file, note, sha256 string
	encoding           string
	header             bool
	table              bool
	rows, ragged       int
	label              string   // index of the label column, or empty
	task               string   // cls, reg or empty
	kinds              []string // right kinds of each column, in letters that README.md explains
}

func readCorpus(t *testing.T) []corpusTable {
	t.Helper()
	text := read(t, "testdata/corpus/truth.tsv")
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	names := strings.Split(lines[0], "\t")
	var tables []corpusTable
	seen := map[string]bool{}
	for i, line := range lines[1:] {
		cells := strings.Split(line, "\t")
		if len(cells) != len(names) {
			t.Fatalf("truth.tsv:%d: %d cells, want %d", i+2, len(cells), len(names))
		}
		get := func(name string) string { return cells[slices.Index(names, name)] }
		c := corpusTable{file: get("file"), note: get("note"), sha256: get("sha256"),
			encoding: get("encoding"), header: get("header") == "yes",
			table: get("form") == "table", label: get("label"), task: get("task"),
			kinds: strings.Fields(get("kinds"))}
		c.rows, _ = strconv.Atoi(get("rows"))
		c.ragged, _ = strconv.Atoi(get("ragged"))
		if err := c.check(get("cols")); err != nil {
			t.Errorf("truth.tsv:%d: %v", i+2, err)
		}
		if seen[c.sha256] {
			t.Errorf("truth.tsv:%d: a file with this hash is listed before", i+2)
		}
		seen[c.sha256] = true
		tables = append(tables, c)
	}
	return tables
}

var kindsOfTruth = regexp.MustCompile(`^[ndcxie](\|[ndcxie])*!?$`)

func (c *corpusTable) check(columns string) error {
	label, err := strconv.Atoi(c.label)
	switch {
	case len(c.sha256) != 64 || !strings.HasPrefix(c.file, c.sha256[:10]):
		return fmt.Errorf("file %s, hash %q: want 64 digits, and a name that begins with 10 of them",
			c.file, c.sha256)
	case c.table && strconv.Itoa(len(c.kinds)) != columns:
		return fmt.Errorf("%d kinds for %s columns", len(c.kinds), columns)
	case c.table && c.rows < 5:
		return fmt.Errorf("%d rows, want 5 or more", c.rows)
	case (c.label == "") != (c.task == "") || c.label != "" && (err != nil || label >= len(c.kinds)):
		return fmt.Errorf("label %q, task %q", c.label, c.task)
	}
	for _, kind := range c.kinds {
		if !kindsOfTruth.MatchString(kind) {
			return fmt.Errorf("kind %q", kind)
		}
	}
	return nil
}

type corpusView struct {
	code     int
	message  string
	rows     int
	columns  int
	form     string
	names    []string
	kinds    []string
	reasons  []string
	warnings []string
}

var (
	sizeLine   = regexp.MustCompile(`(?m)^(\d+) rows?, (\d+) columns?$`)
	formLine   = regexp.MustCompile(`(?m)^format: (.*)$`)
	classCount = regexp.MustCompile(`(?m)\b\d+ classes\b`)
)

func callCommand(args ...string) (code int, stdout, stderr string) {
	if *corpusBinary == "" {
		return ran(args...)
	}
	var out, errs bytes.Buffer
	c := exec.Command(*corpusBinary, args...)
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil {
		exit := (*exec.ExitError)(nil)
		if code = -1; errors.As(err, &exit) {
			code = exit.ExitCode()
		}
	}
	return code, out.String(), errs.String()
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

func warningsOf(text string) (warnings []string) {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "warning") {
			warnings = append(warnings, strings.TrimSpace(line))
		}
	}
	return warnings
}

func inspectCorpus(path string) corpusView {
	code, stdout, stderr := callCommand("inspect", path)
	v := corpusView{code: code, message: lastLine(stderr), warnings: warningsOf(stderr + stdout)}
	size := sizeLine.FindStringSubmatch(stdout)
	if code != exitDone || size == nil {
		return v
	}
	v.rows, _ = strconv.Atoi(size[1])
	v.columns, _ = strconv.Atoi(size[2])
	if form := formLine.FindStringSubmatch(stdout); form != nil {
		v.form = form[1]
	}
	for _, m := range kindLine.FindAllStringSubmatch(stdout, -1) {
		v.names = append(v.names, strings.TrimSpace(m[1]))
		v.kinds, v.reasons = append(v.kinds, m[2]), append(v.reasons, m[3])
	}
	return v
}

type corpusScore struct {
	tables, right, forms, refused, told, silent int
	columns, columnsRight, columnsSilent        int
	refusedRightly, taken, takenSilently        int // of files without a table
	tasks                                       map[string]int
	tasksSilent                                 int
	misses                                      []string
}

func (s *corpusScore) miss(c *corpusTable, format string, args ...any) {
	s.misses = append(s.misses, c.file+"  "+fmt.Sprintf(format, args...))
}

func (s *corpusScore) add(c *corpusTable, v corpusView) {
	if !c.table {
		s.addOther(c, v)
		return
	}
	s.tables++
	s.columns += len(c.kinds)
	if v.code != exitDone || v.columns == 0 {
		s.refused++
		s.miss(c, "refused: %s", v.message)
		return
	}
	form, told := c.wrongForm(v)
	silent := !told
	if form != "" {
		s.miss(c, "%s, %s", form, toldText(told))
	} else {
		s.forms++
	}
	wrong := 0
	if v.columns == len(c.kinds) && len(v.kinds) == v.columns {
		for i, want := range c.kinds {
			if kindIsRight(want, v.kinds[i], v.reasons[i]) {
				s.columnsRight++
				continue
			}
			wrong++
			told := v.warnsOf(i)
			s.miss(c, "column %d %s: %s (%s), want %s, %s", i, v.names[i], v.kinds[i],
				firstBytes(v.reasons[i], 50), want, toldText(told))
			if !told {
				s.columnsSilent++
				silent = true
			}
		}
	}
	switch {
	case form == "" && wrong == 0:
		s.right++
	case silent:
		s.silent++
	default:
		s.told++
	}
}

func (s *corpusScore) addOther(c *corpusTable, v corpusView) {
	switch {
	case v.code != exitDone:
		s.refusedRightly++
	case v.warnsOfForm(anyFormWords):
		s.taken++
	default:
		s.takenSilently++
		s.miss(c, "no table, but read without a warning: %s", v.form)
	}
}

func toldText(told bool) string {
	if told {
		return "told"
	}
	return "SILENT"
}

func firstBytes(s string, n int) string { return s[:min(n, len(s))] }

// told reports whether warnings mention all differences in wrong.
func (c *corpusTable) wrongForm(v corpusView) (wrong string, told bool) {
	told = true
	note := func(words *regexp.Regexp, format string, args ...any) {
		if wrong != "" {
			wrong += ", "
		}
		wrong += fmt.Sprintf(format, args...)
		told = told && v.warnsOfForm(words)
	}
	if v.columns != len(c.kinds) { // other differences then mean little
		note(separatorWords, "%d columns, want %d", v.columns, len(c.kinds))
		return wrong, told
	}
	header := !strings.Contains(v.form, "no header")
	if v.form != "" && !strings.HasPrefix(v.form, "lines") && header != c.header {
		note(headerWords, "header %v, want %v", header, c.header)
	}
	if v.rows < c.rows || v.rows > c.rows+c.ragged {
		note(rowWords, "%d rows, want %d", v.rows, c.rows)
	}
	said := strings.ToLower(v.form + strings.Join(v.warnings, "\n"))
	if legacy := strings.Contains(said, "windows-1252"); legacy != (c.encoding == "windows-1252") {
		note(encodingWords, "read as windows-1252: %v, want %s", legacy, c.encoding)
	}
	return wrong, told
}

var (
	separatorWords = regexp.MustCompile(`separator|-sep|quote`)
	headerWords    = regexp.MustCompile(`header|first row`)
	rowWords       = regexp.MustCompile(`\brows?\b|\blines?\b|header`)
	encodingWords  = regexp.MustCompile(`(?i)UTF-8|encoding`)
	anyFormWords   = regexp.MustCompile(`separator|-sep|quote|header|\brows?\b`)
)

var taskWords = regexp.MustCompile(`class|label|-loss`)

func (v *corpusView) warnsOfForm(words *regexp.Regexp) bool {
	return slices.ContainsFunc(v.warnings, func(w string) bool {
		return !strings.HasPrefix(w, "warning: column") && words.MatchString(w)
	})
}

func (v *corpusView) warnsOf(i int) bool {
	name := v.names[i]
	named := regexp.MustCompile(fmt.Sprintf(`columns? .*"(%s|%d)"`, regexp.QuoteMeta(name), i))
	return slices.ContainsFunc(v.warnings, func(w string) bool {
		names := named.MatchString(w) || name != "" && strings.Contains(w, "column "+name)
		return names && !strings.Contains(w, "may have the labels")
	})
}

// reason matters only for columns left out.
func kindIsRight(want, kind, reason string) bool {
	letters, constant := strings.CutSuffix(want, "!")
	number, date := strings.Contains(letters, "n"), strings.Contains(letters, "d")
	words := constant || strings.ContainsAny(letters, "cxi")
	switch {
	case strings.Contains(letters, "e"):
		return true
	case kind == "number":
		return number
	case kind == "date":
		return date
	case kind != "left out":
		return words
	case strings.Contains(reason, "same value"):
		return constant
	case strings.Contains(reason, "whole numbers"):
		return number || strings.Contains(letters, "i")
	}
	return words
}

func (s *corpusScore) addTask(c *corpusTable, path, model string) {
	code, stdout, stderr := callCommand("train", "-force", "-label-column", c.label, path, model)
	got := "reg"
	switch {
	case code != exitDone && strings.Contains(c.note, "label has gaps") &&
		strings.Contains(stderr, "-missing"):
		got = "asked about gaps, rightly"
	case code != exitDone:
		got = "refused"
	case classCount.MatchString(stdout + stderr):
		got = "cls"
	}
	s.tasks[c.task+" taken for "+got]++
	if got != c.task && got != "asked about gaps, rightly" {
		told := slices.ContainsFunc(warningsOf(stderr+stdout), taskWords.MatchString)
		if code == exitDone && !told {
			s.tasksSilent++
		}
		s.miss(c, "task %s taken for %s: %s", c.task, got, lastLine(stderr))
	}
}

func (s *corpusScore) String() string {
	var b strings.Builder
	share := func(n, of int) string {
		return fmt.Sprintf("%d of %d (%.1f %%)", n, of,
			100*float64(n)/float64(max(1, of)))
	}
	fmt.Fprintf(&b, "tables wholly right      %s\n", share(s.right, s.tables))
	fmt.Fprintf(&b, "form right               %s\n", share(s.forms, s.tables))
	fmt.Fprintf(&b, "columns right            %s\n", share(s.columnsRight, s.columns))
	fmt.Fprintf(&b, "tables refused           %d\n", s.refused)
	fmt.Fprintf(&b, "tables wrong, all told   %d\n", s.told)
	fmt.Fprintf(&b, "tables wrong in silence  %d (%d columns)\n", s.silent, s.columnsSilent)
	fmt.Fprintf(&b, "no table: refused %d, read with a warning %d, read in silence %d\n",
		s.refusedRightly, s.taken, s.takenSilently)
	for _, name := range slices.Sorted(maps.Keys(s.tasks)) {
		fmt.Fprintf(&b, "task %-20s %d\n", name, s.tasks[name])
	}
	fmt.Fprintf(&b, "tasks wrong in silence   %d\n", s.tasksSilent)
	for _, miss := range s.misses {
		fmt.Fprintln(&b, "  "+miss)
	}
	return b.String()
}

func TestCorpusTruth(t *testing.T) {
	if n := len(readCorpus(t)); n < 100 {
		t.Errorf("%d files, want 100 or more", n)
	}
}

func TestCorpus(t *testing.T) {
	folder := os.Getenv("PEGASIMD_CORPUS")
	if folder == "" {
		t.Skip("PEGASIMD_CORPUS is not set: NO FILE OF THE CORPUS WAS SCORED")
	}
	if _, err := os.Stat(*corpusBinary); *corpusBinary != "" && err != nil {
		t.Fatal(err)
	}
	s := corpusScore{tasks: map[string]int{}}
	missing := 0
	model := filepath.Join(t.TempDir(), "corpus.model")
	for _, c := range readCorpus(t) {
		path := filepath.Join(folder, c.file)
		data, err := os.ReadFile(path)
		if err != nil {
			missing++
			continue
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != c.sha256 {
			t.Errorf("%s: not the file of the corpus: its hash is %x", path, sum)
			continue
		}
		s.add(&c, inspectCorpus(path))
		if c.task != "" {
			s.addTask(&c, path, model)
		}
	}
	if missing > 0 {
		t.Errorf("%d files of the corpus are not in %s: NOT SCORED", missing, folder)
	}
	t.Logf("\n%s", &s)
	if wrong := s.tables - s.right; float64(wrong) > maxWrongTables*float64(s.tables) {
		t.Errorf("%d of %d tables are read wrongly", wrong, s.tables)
	}
	if wrong := s.columns - s.columnsRight; float64(wrong) > maxWrongColumns*float64(s.columns) {
		t.Errorf("%d of %d columns are read wrongly", wrong, s.columns)
	}
	if n := s.silent + s.takenSilently + s.tasksSilent; n > maxSilent {
		t.Errorf("%d wrong verdicts without a warning", n)
	}
}
