package main

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
)

func (r *result) summary() string {
	var b strings.Builder
	changed := ""
	if r.changed {
		changed = " with changes that are not committed"
	}
	fmt.Fprintf(&b, "## Regression gate: %s\n\nHead `%.12s`%s against base `%.12s`, on %s, %s.\n",
		r.outcome().heading, r.commit, changed, r.base, r.cpu, r.goVersion)
	if r.why != "" {
		fmt.Fprintf(&b, "\n%s%s.\n", strings.ToUpper(r.why[:1]), r.why[1:])
	}
	if r.identical {
		b.WriteString("\nNothing was measured: the test binaries of base and head are equal, byte for " +
			"byte, and so are the other files that benchmarks may read: all but Go files outside of " +
			"testdata.\n")
	}
	for _, note := range r.notes {
		note, output, has := strings.Cut(note, "\n")
		fmt.Fprintf(&b, "\n%s\n", note)
		if has { // a line of a tool's output could begin like a heading or a list
			fmt.Fprintf(&b, "\n```\n%s\n```\n", strings.ReplaceAll(output, "```", "'''"))
		}
	}
	for _, part := range []struct {
		title    string
		verdicts []verdict
	}{
		{"Worse", []verdict{worse, accepted}}, {"Failing", []verdict{failing}},
		{"Not settled", []verdict{unsettled}}, {"Better", []verdict{better}},
	} {
		if found := r.with(part.verdicts...); len(found) > 0 {
			fmt.Fprintf(&b, "\n### %s\n", part.title)
			table(&b, found)
		}
	}
	// A name may have several findings.
	seen := map[string]bool{}
	fold(&b, "Not in both", slices.DeleteFunc(r.with(added, gone), func(f finding) bool {
		again := seen[f.what]
		seen[f.what] = true
		return again
	}))
	fold(&b, "All numbers", r.with(equal, better, worse, accepted, unsettled, failing))
	return b.String()
}

func fold(b *strings.Builder, title string, found []finding) {
	if len(found) > 0 {
		fmt.Fprintf(b, "\n### %s\n\n<details><summary>%d</summary>\n", title, len(found))
		table(b, found)
		b.WriteString("\n</details>\n")
	}
}

func table(b *strings.Builder, found []finding) {
	b.WriteString("\n| what | unit | base | head | change | | believed beyond | how |\n" +
		"|:--|:--|--:|--:|--:|:--|--:|:--|\n")
	for _, f := range found {
		change, floor := "-", "-"
		if c, ok := f.change(); ok {
			change = fmt.Sprintf("%+.1f %%", 100*c)
		}
		if f.floor > 0 {
			floor = fmt.Sprintf("%.1f %%", 100*f.floor)
		}
		how := f.how
		for i, t := range f.timed {
			ratio := ratioOf(t.head, t.base)
			separator := "; again"
			if i == 0 {
				separator = fmt.Sprintf(", noise %.1f %%", 100*t.floor())
			}
			how += fmt.Sprintf("%s: %.3f to %.3f", separator, ratio.Lo, ratio.Hi)
		}
		if s := f.counted; len(s[0]) > 0 && len(s[1]) > 0 && s.spread() > 0 {
			how += fmt.Sprintf(" in %d processes of ", len(s[0]))
			if len(s[0]) == len(s[1]) {
				how += "each"
			} else {
				how += fmt.Sprintf("the base and %d of the head", len(s[1]))
			}
			how += fmt.Sprintf(", up to %.2f %% apart", 100*s.spread())
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | %s | %s |\n", cell(f.what), cell(f.unit),
			number(f.base), number(f.head), change, f.verdict, floor, cell(how))
	}
}

var cell = strings.NewReplacer("|", `\|`, "\n", " ", "`", "\\`", "*", `\*`, "<", "&lt;", "[",
	`\[`).Replace

func number(v float64) string {
	if v == math.Trunc(v) || math.Abs(v) >= 1000 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.4g", v)
}

// In json, a change is null if a number is missing or the base's number is 0.
func (r *result) json() (string, error) {
	o, numbers := r.outcome(), []map[string]any{}
	for _, f := range r.findings {
		n := map[string]any{"what": f.what, "unit": f.unit, "base": f.base, "head": f.head,
			"change": nil, "believed_beyond": f.floor, "verdict": f.verdict, "how": f.how}
		if change, ok := f.change(); ok {
			n["change"] = change
		}
		numbers = append(numbers, n)
	}
	text, err := json.MarshalIndent(map[string]any{"heading": o.heading, "exit": o.exit,
		"exit_strict": o.strict, "base": r.base, "head": r.commit, "uncommitted_changes": r.changed,
		"cpu": r.cpu, "go": r.goVersion, "notes": append([]string{}, r.notes...),
		"numbers": numbers}, "", "\t")
	return string(text) + "\n", err
}
