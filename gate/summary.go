package main

import (
	"fmt"
	"maps"
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
		b.WriteString("\nThe test binaries of the two are equal, byte for byte, and so are the " +
			"files that benchmarks may read.\n")
	}
	for _, note := range r.notes {
		fmt.Fprintf(&b, "\n%s\n", note)
	}
	counted := map[string]int{}
	for _, f := range r.findings {
		if f.verdict != added && f.verdict != gone {
			counted[f.unit+", "+f.how]++
		}
	}
	if len(counted) > 0 {
		b.WriteString("\n| compared | |\n|:--|--:|\n")
		for _, how := range slices.Sorted(maps.Keys(counted)) {
			fmt.Fprintf(&b, "| %s | %d |\n", how, counted[how])
		}
	}
	for _, part := range []struct {
		title    string
		verdicts []verdict
	}{
		{"Worse", []verdict{worse, accepted}}, {"Not settled", []verdict{unsettled}},
		{"Better", []verdict{better}},
	} {
		if found := r.with(part.verdicts...); len(found) > 0 {
			fmt.Fprintf(&b, "\n### %s\n", part.title)
			table(&b, found)
		}
	}
	// Each benchmark or function that only one of the commits has gets a line.
	seen := map[string]bool{}
	fold(&b, "Not in both", slices.DeleteFunc(r.with(added, gone), func(f finding) bool {
		again := seen[f.what]
		seen[f.what] = true
		return again
	}))
	fold(&b, "All times", slices.DeleteFunc(slices.Clone(r.findings), func(f finding) bool {
		return f.timed == nil
	}))
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
	b.WriteString("\n| what | unit | base | head | change | | how |\n" +
		"|:--|:--|--:|--:|--:|:--|:--|\n")
	for _, f := range found {
		change := "-"
		if f.base != 0 && f.verdict != gone {
			change = fmt.Sprintf("%+.1f %%", 100*(f.head/f.base-1))
		}
		how := f.how
		for i, t := range f.timed {
			ratio := ratioOf(t.head, t.base)
			if i == 0 {
				change = fmt.Sprintf("%+.1f %%", 100*(ratio.Center-1))
				how += fmt.Sprintf(": %.3f to %.3f, noise %.1f %%, believed beyond %.1f %%",
					ratio.Lo, ratio.Hi, 100*t.floor(), 100*t.limit())
			} else {
				how += fmt.Sprintf("; again: %.3f to %.3f", ratio.Lo, ratio.Hi)
			}
		}
		if s := f.counted; len(s[0]) > 0 && len(s[1]) > 0 && s.spread() > 0 {
			how += fmt.Sprintf(" in %d processes of each, up to %.2f %% apart, believed beyond "+
				"%.1f %%", min(len(s[0]), len(s[1])), 100*s.spread(), 100*f.believed)
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | %s |\n", f.what, f.unit, number(f.base),
			number(f.head), change, f.verdict, how)
	}
}

func number(v float64) string {
	if v == float64(int(v)) {
		return fmt.Sprint(int(v))
	}
	return fmt.Sprintf("%.4g", v)
}
