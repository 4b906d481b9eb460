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
	for name, group := range map[string]flagGroup{
		"train": new(trainFlags), "cv": new(cvFlags), "predict": new(predictFlags),
		"eval": new(evalFlags), "scale": new(scaleFlags), "inspect": new(inspectFlags),
		"convert": new(convertFlags), "verify": new(verifyFlags),
	} {
		sets[name] = flag.NewFlagSet(name, flag.ContinueOnError)
		group.define(sets[name])
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
	f.Int("n", 5, "`rows` the number")
	f.String("kind", "", "`a|b` "+strings.Repeat("word ", 30))
	f.Bool("quiet", false, "print nothing")
	var b strings.Builder
	printFlags(&b, f)
	want := "  -kind a|b\n    " + strings.TrimSpace(strings.Repeat("word ", 17)) + "\n    " +
		strings.TrimSpace(strings.Repeat("word ", 13)) + "\n" +
		"  -n rows\n    the number (default 5)\n  -quiet\n    print nothing\n"
	if have := b.String(); have != want {
		t.Errorf("%q, want %q", have, want)
	}
}

// Errors can name the flag of every field, and name no flag that there isn't.
func TestFlagOfFields(t *testing.T) {
	fields := map[string]bool{}
	for _, cfg := range []any{pegasos.Config{}, kernelsvm.Config{}} {
		for i := range reflect.TypeOf(cfg).NumField() {
			field := reflect.TypeOf(cfg).Field(i).Name
			if fields[field] = true; flagOf[field] == "" {
				t.Errorf("the field %s has no flag", field)
			}
		}
	}
	train, cv := flagSets()["train"], flagSets()["cv"]
	for field, name := range flagOf {
		name = strings.TrimPrefix(name, "-")
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
