package main

import (
	"errors"
	"flag"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// This file says in the shell's words what is wrong with a command line, and what may have been
// meant.

// meant returns ": did you mean X?" for the name that is closest to what was written, or nothing if
// none is close.
func meant(written string, prefix string, names []string) string {
	best, least := "", len(written)/3+2
	for _, name := range names {
		if d := unlike(strings.ToLower(written), name); d < least {
			best, least = name, d
		}
	}
	if best == "" {
		return ""
	}
	return ": did you mean " + prefix + best + "?"
}

// unlike returns how many letters only one of two words has, in whatever order.
func unlike(a, b string) (n int) {
	for letter := range strings.SplitSeq("abcdefghijklmnopqrstuvwxyz0123456789-", "") {
		d := strings.Count(a, letter) - strings.Count(b, letter)
		n += max(d, -d)
	}
	return n
}

// A checkedValue is a flag's value that says in plain words what is wrong with what it is given.
type checkedValue struct {
	flag.Value
	call  *call
	name  string
	takes string // the placeholder
}

func (v *checkedValue) IsBoolFlag() bool { return isBool(v.Value) }

func (v *checkedValue) Set(s string) error {
	err := v.check(s)
	if err == nil {
		if err = v.Value.Set(s); err == nil {
			return nil
		}
		err = usagef("-%s: have %q, want %s", v.name, s, wanted(v.takes, isBool(v.Value)))
	}
	v.call.flagError = err // in place of what package flag makes of it
	return err
}

// check holds what is given against the choices, and counts against 0.
func (v *checkedValue) check(s string) error {
	if choices := choicesOf(v.takes); choices != nil && !slices.Contains(choices, s) {
		return usagef("-%s: have %q, want %s%s", v.name, s, list(choices),
			meant(s, "", choices))
	}
	if slices.Contains(notBelowZero, v.name) && strings.HasPrefix(s, "-") {
		return usagef("-%s: have %s, want 0 or more", v.name, s)
	}
	return nil
}

// notBelowZero are the flags about data that can't be negative; the packages look after others.
var notBelowZero = strings.Fields("threads max-features max-bytes max-memory hash-bits top passes")

// isBool reports whether a flag needs no value.
func isBool(v flag.Value) bool {
	b, ok := v.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// wanted says what a flag takes whose placeholder is given.
func wanted(placeholder string, isBool bool) string {
	switch {
	case isBool:
		return "true or false, or the flag alone"
	case placeholder == "n":
		return "a whole number"
	case placeholder == "duration":
		return "a duration such as 30s or 5m"
	case placeholder == "number" || placeholder == "share":
		return "a number"
	}
	return placeholder
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

// checkValues has the call keep what is wrong with a flag's value.
func (c *call) checkValues() {
	c.flags.VisitAll(func(f *flag.Flag) {
		takes, _ := placeholderOf(f)
		f.Value = &checkedValue{f.Value, c, f.Name, takes}
	})
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

// inShellWords returns what package flag says of a command line in plain words.
func (c *call) inShellWords(err error) error {
	if c.flagError != nil {
		return c.flagError
	}
	if name, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: -"); ok {
		var names []string
		c.flags.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
		hint := c.ofLiblinear(name)
		if hint == "" {
			hint = meant(name, "-", names)
		}
		return usagef("there is no flag -%s%s", name, hint)
	}
	if name, ok := strings.CutPrefix(err.Error(), "flag needs an argument: "); ok {
		return usagef("%s needs a value", name)
	}
	return usageError{errors.New(strings.TrimSuffix(err.Error(), ": parse error"))}
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
