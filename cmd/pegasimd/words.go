package main

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/sys/files"
	"github.com/pegasimd/pegasimd/internal/text/form"
)

func count(n int, noun string) string { return plural.Count(n, noun) }

// rowRange returns the smallest and the largest of some numbers of rows, as text.
func rowRange(rows []int) string {
	text := count(slices.Max(rows), "row")
	if least := slices.Min(rows); least < slices.Max(rows) {
		text = fmt.Sprintf("%d to %s", least, text)
	}
	return text
}

func epochCount(n float64) string {
	if text := fmt.Sprintf("%.4g", n); text != "1" {
		return text + " epochs"
	}
	return "1 epoch"
}

// several says that the steps are the maximum over several problems.
func stepCount(steps int64, several, started bool) string {
	text := count(int(steps), "step")
	if several {
		text = "up to " + text + " a problem"
	}
	if started {
		text += " including those of the start model"
	}
	return text
}

func firstNames(names []string) string { return listNames(names, 5) }

func listNames(names []string, most int) string {
	list := strings.Join(escape.Names(names[:min(most, len(names))]), ", ")
	if n := len(names) - most; n > 0 {
		list += fmt.Sprintf(" and %d more", n)
	}
	return list
}

func describeFeatures(n, base, hashBits int) string {
	text := count(n, "feature")
	switch {
	case hashBits > 0:
		text += fmt.Sprintf(" (hashed to %d bits)", hashBits)
	case base == 0:
		text += " (counted from 0)"
	}
	return text
}

func shellWords(words []string) string {
	var quoted []string
	for _, word := range words {
		quoted = append(quoted, shellWord(word))
	}
	return strings.Join(quoted, " ")
}

// shellWord quotes unprintable characters as bash and zsh do. It quotes a word that begins with =,
// which zsh would expand.
func shellWord(word string) string {
	if escape.Text(word) != word {
		return "$'" + escape.Text(strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(word)) + "'"
	}
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("-_./:=,+%@", r)
	}
	if word != "" && word[0] != '=' &&
		!strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// columnWord returns the name of column i for a command line, or its number if the name can't be
// typed, has another meaning there, or is not unique. label says that the word is for
// -label-column, which reads numbers as positions.
func columnWord(names []string, i int, label bool) string {
	name := names[i]
	_, notNumber := strconv.Atoi(name)
	if name == "" || name == "*" || escape.Name(name) != name || label && (name == "last" ||
		notNumber == nil) || slices.Contains(names[:i], name) || slices.Contains(names[i+1:], name) {
		return strconv.Itoa(i)
	}
	return name
}

func characterWord(c byte) string {
	switch c {
	case form.None:
		return "none"
	case '\t':
		return "tab"
	}
	return string(c)
}

func shortName(data string) string {
	if data == "-" {
		return "standard input"
	}
	name, _, _ := strings.Cut(data, ",")
	return path.Base(filepath.ToSlash(name))
}

// outputName returns given or, if that is empty, the input's name without folder and endings,
// followed by ending. word is the argument that names the output.
func outputName(given, input, ending, word string) (string, error) {
	switch {
	case given != "":
		return given, nil
	case input == "-":
		return "", flags.Usagef("the output can't be named after standard input: name %s, too", word)
	}
	name := files.PlainName(shortName(input))
	return strings.TrimSuffix(name, path.Ext(name)) + ending, nil
}

func plainName(name string) string {
	plain, _ := files.CutEnding(name, ".gz")
	return plain
}

func inputName(name string) string {
	if name == "-" {
		return "standard input"
	}
	return name
}
