package main

import (
	"flag"
	"fmt"
	"io"
	"strings"
)

// A flagTopic is flags that help lists together.
type flagTopic struct {
	title string
	flags []string
}

// flagTopics has the flags of all commands by what they are for, in the order of help.
var flagTopics = []flagTopic{
	{"What is minimised", strings.Fields("loss epsilon lambda c bias bias-scale multiclass costs " +
		"class-weight weights prior scale target-scale")},
	{"Kernel machines", strings.Fields("kernel gamma coef0 degree max-sv cache-mb")},
	{"How", strings.Fields("preset start order block batch shards project offset average finish seed")},
	{"How long", strings.Fields("epochs steps passes tol change patience valid")},
	{"What is tried", strings.Fields("folds lambdas cs gammas metric")},
	{"What is verified", strings.Fields("proof hash sigmoids")},
	{"The scale", strings.Fields("kind save like")},
	{"The other form", strings.Fields("from to stream")},
	{"The data", strings.Fields("format layout header label-column labels index-base unsorted " +
		"hash-bits in-memory")},
	{"What is written", strings.Fields("model scores proba top json plot checkpoint every " +
		"resume quiet force")},
	{"Limits", strings.Fields("threads max-memory max-features max-bytes")},
}

// commonFlags returns the set of some of the flags.
func commonFlags(all *flag.FlagSet, names string) *flag.FlagSet {
	common := flag.NewFlagSet(all.Name(), flag.ContinueOnError)
	for name := range strings.FieldsSeq(names) {
		f := all.Lookup(name)
		common.Var(f.Value, name, f.Usage)
	}
	return common
}

// printFlags writes the help on flags, by topic.
func printFlags(w io.Writer, flags *flag.FlagSet) {
	for _, topic := range flagTopics {
		var there []*flag.Flag
		for _, name := range topic.flags {
			if f := flags.Lookup(name); f != nil {
				there = append(there, f)
			}
		}
		if len(there) == 0 {
			continue
		}
		fmt.Fprintf(w, "\n%s:\n", topic.title)
		for _, f := range there {
			printFlag(w, f)
		}
	}
}

// printFlag writes a line for the name and the placeholder, and what the flag does below.
func printFlag(w io.Writer, f *flag.Flag) {
	placeholder, usage := placeholderOf(f)
	if d := f.DefValue; d != "" && d != "0" && d != "false" {
		usage += " (default " + d + ")"
	}
	fmt.Fprintln(w, strings.TrimSuffix("  -"+f.Name+" "+placeholder, " "))
	line := "   "
	for _, word := range strings.Fields(usage) {
		if len(line)+1+len(word) > 92 {
			fmt.Fprintln(w, line)
			line = "   "
		}
		line += " " + word
	}
	fmt.Fprintln(w, line)
}
