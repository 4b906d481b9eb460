package main

import (
	"flag"
	"reflect"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm"
)

// flagSets has the flags of each command.
func flagSets() map[string]*flag.FlagSet {
	sets := map[string]*flag.FlagSet{}
	for _, cmd := range commands {
		sets[cmd.name] = flag.NewFlagSet(cmd.name, flag.ContinueOnError)
		cmd.flags().define(sets[cmd.name])
	}
	return sets
}

// Flags that take a value have a placeholder, which is no part of the sentence that follows.
func TestPlaceholders(t *testing.T) {
	for command, flags := range flagSets() {
		flags.VisitAll(func(f *flag.Flag) {
			b, isBool := f.Value.(interface{ IsBoolFlag() bool })
			isBool = isBool && b.IsBoolFlag()
			if strings.HasPrefix(f.Usage, "`") == isBool || strings.Count(f.Usage, "`")%2 != 0 {
				t.Errorf("%s -%s: %q", command, f.Name, f.Usage)
			}
		})
	}
}

// Help has a line for the name and the placeholder, and short lines that tell the use.
func TestPrintFlags(t *testing.T) {
	f := flag.NewFlagSet("", flag.ContinueOnError)
	f.Int("epochs", 5, "`n` the number")
	f.String("loss", "", "`a|b` "+strings.Repeat("word ", 30))
	f.Bool("quiet", false, "print nothing")
	var b strings.Builder
	printFlags(&b, f, "")
	want := "\nWhat is minimised:\n  -loss a|b\n    " +
		strings.TrimSpace(strings.Repeat("word ", 17)) + "\n    " +
		strings.TrimSpace(strings.Repeat("word ", 13)) + "\n" +
		"\nHow long:\n  -epochs n\n    the number (default 5)\n\nWhat is written:\n" +
		"  -quiet\n    print nothing\n"
	if have := b.String(); have != want {
		t.Errorf("%q, want %q", have, want)
	}
}

// Errors can name the flag of every field, and name no flag that there isn't.
func TestFlagOfFields(t *testing.T) {
	for _, cfg := range []any{pegasos.Config{}, kernelsvm.Config{}} {
		for i := range reflect.TypeOf(cfg).NumField() {
			if field := reflect.TypeOf(cfg).Field(i).Name; !fieldNames.MatchString(field) {
				t.Errorf("the field %s has no flag", field)
			}
		}
	}
	train, cv := flagSets()["train"], flagSets()["cv"]
	list := strings.Trim(fieldNames.String(), `\b()`)
	for field := range strings.SplitSeq(list, "|") {
		name := strings.TrimPrefix(flagOf(field), "-")
		if train.Lookup(name) == nil && cv.Lookup(name) == nil {
			t.Errorf("the field %s has the flag -%s, which there isn't", field, name)
		}
	}
}

func TestConfigError(t *testing.T) {
	err := configError(&pegasos.ConfigError{Field: "Block", Reason: `have 3, but Order is "iid"`})
	if want := `-block: have 3, but -order is "iid"`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
