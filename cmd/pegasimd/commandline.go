package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/pegasos"
)

// This file says in the shell's words what is wrong with a command line, or with a run.

// Flags that have to be above 0 where they are given, for 0 stands for their default, and flags
// that can't be below it. The packages look after others.
var (
	aboveZero = strings.Fields("c epochs steps tol patience gamma degree")
	notBelow  = strings.Fields("threads max-features max-bytes max-memory hash-bits top passes")
)

// checkValues holds the flags that are given against their choices and against 0.
func (c *call) checkValues() (err error) {
	trains := c.flags.Lookup("kernel") != nil
	c.flags.Visit(func(f *flag.Flag) {
		takes, _ := placeholderOf(f)
		choices, value := choicesOf(takes), f.Value.String()
		positive := slices.Contains(aboveZero, f.Name) ||
			trains && (f.Name == "lambda" || f.Name == "passes")
		switch {
		case err != nil:
		case choices != nil && !slices.Contains(choices, value):
			err = usagef("-%s: have %q, want %s", f.Name, value, list(choices))
		case slices.Contains(notBelow, f.Name) && strings.HasPrefix(value, "-"):
			err = usagef("-%s: have %s, want 0 or more", f.Name, value)
		case positive && strings.TrimPrefix(value, "-") == "0":
			err = usagef("-%s must be greater than 0", f.Name)
		}
	})
	return err
}

// wanted says what a flag takes whose placeholder is given, where that does not say so itself.
var wanted = map[string]string{
	"": "true or false, or the flag alone", "n": "a whole number", "number": "a number",
	"share": "a number", "duration": "a duration such as 30s or 5m",
	"character": "a character, comma, semicolon, tab, pipe or none",
}

var choicesForm = regexp.MustCompile(`^[a-z0-9-]+(\|[a-z0-9-]+)+$`)

// choicesOf returns the choices that a placeholder lists, nil if it is no such list.
func choicesOf(placeholder string) []string {
	if !choicesForm.MatchString(placeholder) {
		return nil
	}
	return strings.Split(placeholder, "|")
}

// list joins names as sentences do.
func list(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// placeholderOf divides a flag's usage into its placeholder and the rest.
func placeholderOf(f *flag.Flag) (placeholder, usage string) {
	usage = f.Usage
	if rest, ok := strings.CutPrefix(usage, "`"); ok {
		placeholder, usage, _ = strings.Cut(rest, "`")
	}
	return placeholder, strings.TrimSpace(usage)
}

// liblinearFlags has what does here what a flag of liblinear or libsvm does there.
var liblinearFlags = map[string]string{
	"s": "-loss, and -multiclass crammer-singer of -s 4", "v": "pegasimd cv -folds n",
	"B": "-bias augmented -bias-scale n", "e": "-tol, a proven share of the optimum", "b": "-proba",
	"w": "-class-weight label=weight", "p": "-epsilon", "C": "pegasimd cv", "q": "-quiet",
	"R": "-bias unregularised", "t": "-kernel", "g": "-gamma", "d": "-degree", "r": "-coef0",
	"c": "-c of train, which the model keeps",
}

// ofLiblinear returns the hint on a flag of liblinear, such as -w1; empty if it is none.
func (c *call) ofLiblinear(name string) string {
	if label, ok := strings.CutPrefix(name, "w"); ok {
		if _, err := strconv.ParseFloat(label, 64); err == nil {
			name = "w"
		}
	}
	does := slices.Contains([]string{"train", "cv", "predict"}, c.flags.Name()) // as liblinear
	if here := liblinearFlags[name]; here != "" && does {
		return ": what it is in liblinear is here " + here
	}
	return ""
}

// badValue is what package flag says of a value that it can't read.
var badValue = regexp.MustCompile(`^invalid (?:boolean )?value (".*") for (?:flag )?-([\w-]+): `)

// inShellWords returns what package flag says of a command line in plain words.
func (c *call) inShellWords(err error) error {
	if bad := badValue.FindStringSubmatch(err.Error()); bad != nil {
		takes, _ := placeholderOf(c.flags.Lookup(bad[2]))
		return usagef("-%s: have %s, want %s", bad[2], bad[1], cmp.Or(wanted[takes], takes))
	}
	if name, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: -"); ok {
		return usagef("there is no flag -%s%s", name, c.ofLiblinear(name))
	}
	if name, ok := strings.CutPrefix(err.Error(), "flag needs an argument: "); ok {
		return usagef("%s needs a value", name)
	}
	return usageError{err}
}

// A questionError is a question to the caller, with the command lines that answer it.
type questionError struct {
	error
	answers []string
}

// labelQuestion makes a question of a dataset.LabelError: one command line for each column that may
// have the labels. It returns other errors as they are.
func (c *call) labelQuestion(err error) error {
	var open *dataset.LabelError
	if !errors.As(err, &open) {
		return err
	}
	q := &questionError{error: err}
	for i, name := range open.Names {
		last := i == len(open.Names)-1
		if slices.Contains(open.Candidates, name) || saysLabel(name) || last {
			words := append(c.givenFlags(true, "label", "label-column"), "-label-column",
				columnWord(open.Names, i, true))
			q.answers = append(q.answers, c.commandLine(append(words, c.args...)))
		}
	}
	return q
}

// columnWord returns the name of column i for a command line, or its number if the name can't be
// typed, or another column has it. label says that it is for -label-column, to which numbers are no
// names.
func columnWord(names []string, i int, label bool) string {
	name := names[i]
	_, notNumber := strconv.Atoi(name)
	if name == "" || name == "*" || escape.Name(name) != name || label && (name == "last" ||
		notNumber == nil) || slices.Contains(names[:i], name) || slices.Contains(names[i+1:], name) {
		return strconv.Itoa(i)
	}
	return name
}

// commandLine returns a call of the command as a shell reads it.
func (c *call) commandLine(words []string) string {
	return "pegasimd " + c.flags.Name() + " " + shellWords(words)
}

func shellWords(words []string) string {
	var quoted []string
	for _, word := range words {
		quoted = append(quoted, shellWord(word))
	}
	return strings.Join(quoted, " ")
}

// shellWord returns a word in quotes if a shell would read it otherwise.
func shellWord(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("-_./:=,+%@", r)
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// givenFlags returns the flags on the command line and their values, but for some. Unless files is
// true the names of files are left out.
func (c *call) givenFlags(files bool, without ...string) []string {
	return c.flagWords(files, func(name string) bool { return !slices.Contains(without, name) })
}

// only returns those of some flags that are on the command line, and their values.
func (c *call) only(names ...string) []string {
	return c.flagWords(true, func(name string) bool { return slices.Contains(names, name) })
}

func (c *call) flagWords(files bool, wanted func(name string) bool) (words []string) {
	c.flags.Visit(func(f *flag.Flag) {
		is, boolean := f.Value.(interface{ IsBoolFlag() bool })
		takes, _ := placeholderOf(f)
		switch value := f.Value.String(); {
		case !wanted(f.Name):
		case takes == "file" && !files:
			words = append(words, "-"+f.Name, "FILE")
		case boolean && is.IsBoolFlag() && value == "true":
			words = append(words, "-"+f.Name)
		case boolean && is.IsBoolFlag():
			words = append(words, "-"+f.Name+"="+value)
		default:
			words = append(words, "-"+f.Name, value)
		}
	})
	return words
}

// packages finds the names of packages that their errors begin with: they mean nothing to who uses
// the command.
var packages = regexp.MustCompile(
	`(^|: |; |\n)(?:pegasos|kernelsvm|dataset|modelio|onnx|dense|sparse): `)

// plain returns an error's text without the packages' names.
func plain(err error) string {
	text := err.Error()
	for packages.MatchString(text) {
		text = packages.ReplaceAllString(text, "$1")
	}
	return text
}

// usageError is the caller's mistake, answered with the way to help.
type usageError struct{ error }

func usagef(format string, a ...any) error { return usageError{fmt.Errorf(format, a...)} }

// fieldNames finds the fields of the packages' configurations and trainers in what an error says.
var fieldNames = regexp.MustCompile(`\b(Loss|Epsilon|Multiclass|ClassWeight|Lambda|C|Epochs|` +
	`Steps|Tol|Patience|Order|Block|Batch|Project|Offset|Average|Finish|Bias|` +
	`BiasScale|Scale|Curves|TargetScale|Calibrate|Seed|Threads|Weights|Costs|Valid|Start|Prior|Resume|` +
	`KeepProof|MaxMemory|Kernel|Gamma|Coef0|Degree|Passes|CacheMB|folds)\b`)

var capitals = regexp.MustCompile(`[A-Z]+`)

// flagOf returns the flag of a field: -max-memory of MaxMemory.
func flagOf(field string) string {
	switch field {
	case "Calibrate":
		return "-proba"
	case "KeepProof":
		return "-proof"
	}
	name := strings.ToLower(capitals.ReplaceAllString(field, "-$0"))
	return "-" + strings.TrimPrefix(name, "-")
}

// configError makes a usage error of one about a field of a configuration, with the flag in place
// of the field. It returns other errors as they are.
func configError(err error) error {
	var bad *pegasos.ConfigError
	if !errors.As(err, &bad) {
		return err
	}
	text := fieldNames.ReplaceAllStringFunc(bad.Field+": "+bad.Reason, flagOf)
	return usageError{errors.New(strings.Replace(err.Error(), bad.Error(), text, 1))}
}

// dataError is the error of a run on the named data: a usage error if a setting is at fault.
func dataError(name string, err error) error {
	if bad := configError(err); bad != err {
		return bad
	}
	var row *pegasos.RowError
	if errors.As(err, &row) && row.Scale {
		return fmt.Errorf("%s: %w; scale them with train -scale, or in the file for a kernel machine",
			name, err)
	}
	return fmt.Errorf("%s: %w", name, err)
}
