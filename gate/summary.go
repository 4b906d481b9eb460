package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

func (r *result) summary() string {
	var b strings.Builder
	verdict := "nothing is worse"
	if n := len(r.with(worse)); n > 0 {
		verdict = fmt.Sprintf("%d of %d numbers are worse", n, len(r.findings))
	}
	changed := ""
	if r.changed {
		changed = " with changes that are not committed"
	}
	fmt.Fprintf(&b, "## Regression gate: %s\n\nHead `%.12s`%s against base `%.12s`, on %s, %s.\n",
		verdict, r.commit, changed, r.base, r.cpu, r.goVersion)
	if r.identical {
		b.WriteString("\nThe test binaries of the two are equal, byte for byte.\n")
	}
	for _, note := range r.notes {
		fmt.Fprintf(&b, "\n%s\n", note)
	}
	counted := map[string]int{}
	for _, f := range r.findings {
		counted[f.unit+", "+f.how]++
	}
	if len(counted) > 0 {
		b.WriteString("\n| compared | |\n|:--|--:|\n")
		for _, how := range slices.Sorted(maps.Keys(counted)) {
			fmt.Fprintf(&b, "| %s | %d |\n", how, counted[how])
		}
	}
	r.table(&b, "Worse", worse, accepted)
	r.table(&b, "Better", better)
	r.absent(&b)
	counts := func(f finding) bool { return f.ratio == nil }
	if times := slices.DeleteFunc(slices.Clone(r.findings), counts); len(times) > 0 {
		b.WriteString("\n<details><summary>All times</summary>\n")
		table(&b, times)
		b.WriteString("\n</details>\n")
	}
	return b.String()
}

// absent lists what only one of the commits has, a line for each benchmark or function.
func (r *result) absent(b *strings.Builder) {
	const folded = 10
	var lines []finding
	seen := map[string]bool{}
	for _, f := range r.with(added, gone) {
		if key := f.what + string(f.verdict); !seen[key] {
			seen[key] = true
			lines = append(lines, f)
		}
	}
	switch {
	case len(lines) > folded:
		fmt.Fprintf(b, "\n### Not in both\n\n<details><summary>%d are in one of the two "+
			"only</summary>\n", len(lines))
		table(b, lines)
		b.WriteString("\n</details>\n")
	case len(lines) > 0:
		b.WriteString("\n### Not in both\n")
		table(b, lines)
	}
}

func (r *result) table(b *strings.Builder, title string, v ...verdict) {
	if found := r.with(v...); len(found) > 0 {
		fmt.Fprintf(b, "\n### %s\n", title)
		table(b, found)
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
		if f.ratio != nil {
			change = fmt.Sprintf("%+.1f %%", 100*(f.ratio.Center-1))
			how += fmt.Sprintf(": %.3f to %.3f, noise %.1f %%, believed beyond %.1f %%", f.ratio.Lo,
				f.ratio.Hi, 100*f.floor, 100*f.limit)
			if f.second != nil {
				how += fmt.Sprintf("; again: %.3f to %.3f", f.second.Lo, f.second.Hi)
			}
		}
		if f.spread > 0 {
			how += fmt.Sprintf(" in %d processes of each, up to %.2f %% apart, believed beyond "+
				"%.1f %%", f.processes, 100*f.spread, 100*f.limit)
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
