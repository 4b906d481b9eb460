package main

import (
	"flag"
	"fmt"
	"io"
	"slices"
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
		"class-weight weights prior scale curves target-scale")},
	{"Kernel machines", strings.Fields("kernel gamma coef0 degree cache-mb")},
	{"How", strings.Fields("preset start order block batch project offset average finish seed")},
	{"How long", strings.Fields("epochs steps passes tol patience valid valid-weights holdout")},
	{"What is tried", strings.Fields("folds lambdas cs gammas metric")},
	{"What is verified", strings.Fields("proof hash sigmoids")},
	{"The other form", strings.Fields("from to for stream")},
	{"The data", strings.Fields("format layout label label-column labels missing strict data " +
		"index-base unsorted hash-bits in-memory")},
	{"The text of a table", strings.Fields("sep header quote comment skip-lines encoding decimal")},
	{"The columns of a table", strings.Fields("ignore numbers dates categories text ngrams words")},
	{"What is written", strings.Fields("model scores proba top json plot checkpoint every " +
		"resume quiet force")},
	{"Limits", strings.Fields("threads max-memory max-features max-bytes")},
}

// printFlags writes the help on flags, by topic: on all of them, or on those whose names are given.
func printFlags(w io.Writer, flags *flag.FlagSet, only string) {
	for _, topic := range flagTopics {
		var there []*flag.Flag
		for _, name := range topic.flags {
			f := flags.Lookup(name)
			if f != nil && (only == "" || slices.Contains(strings.Fields(only), name)) {
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
