package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/pegasimd/pegasimd/gate/history"
	"github.com/pegasimd/pegasimd/gate/stats"
)

// A result is all that was found.
type result struct {
	Time      time.Time `json:"time"`
	Commit    string    `json:"commit"`
	Changed   bool      `json:"changed"` // the head had changes that are not committed
	Base      string    `json:"base"`
	CPU       string    `json:"cpu"`
	Go        string    `json:"go"`
	Identical bool      `json:"identical"` // the binaries are equal
	Notes     []string  `json:"notes"`
	Missed    []string  `json:"missed"` // those of the notes on what could not be measured
	Findings  []finding `json:"findings"`
}

// miss notes what could not be measured and should have been.
func (r *result) miss(notes ...string) {
	r.Notes = append(r.Notes, notes...)
	r.Missed = append(r.Missed, notes...)
}

// A verdict on a number.
type verdict string

const (
	equal    verdict = "same"
	better   verdict = "better"
	worse    verdict = "worse"
	accepted verdict = "worse, accepted"
	added    verdict = "new"
	gone     verdict = "gone"
)

// A finding is a number at both commits.
type finding struct {
	What    string  `json:"what"` // the benchmark, or the function
	Unit    string  `json:"unit"`
	How     string  `json:"how"` // measured
	Base    float64 `json:"base"`
	Head    float64 `json:"head"`
	Verdict verdict `json:"verdict"`
	// Of counts that differ between processes: how many there were of each tree, and how far they
	// are apart, as a share; Limit is the change that is believed.
	Processes int     `json:"processes,omitempty"`
	Spread    float64 `json:"spread,omitempty"`
	// Of times: head/base of the rounds, base/base of the same rounds, what is believed, and
	// head/base of the second run.
	Ratio  *ratio  `json:"ratio,omitempty"`
	Floor  float64 `json:"floor,omitempty"`
	Limit  float64 `json:"limit,omitempty"`
	Second *ratio  `json:"second,omitempty"`
}

func (f *finding) line() string { return f.What + " " + f.Unit }

// exactLimit is the share by which a count must rise to be worse. Counts have no noise; a change
// below it is no reason to stop anyone.
const exactLimit = 0.005

// judge is the verdict on a count, which must rise by more than a share to be worse.
func judge(base, head, limit float64) verdict {
	switch d := head - base; {
	case d > limit*base:
		return worse
	case -d > limit*base:
		return better
	}
	return equal
}

func (r *result) add(f finding) { r.Findings = append(r.Findings, f) }

// addCounts takes in what was counted of a package.
func (r *result) addCounts(k *campaign, memories map[string]*memory) {
	names := map[string]bool{}
	for _, side := range k.surveys {
		for name := range side {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		before, inBase := k.surveys[0][name]
		after, inHead := k.surveys[1][name]
		per := "op"
		if inHead && after.calls || !inHead && before.calls {
			per = "call"
		}
		instructions := finding{What: k.prefix + name, Unit: "insn/" + per,
			How: "counted by Valgrind"}
		if s := k.insn[name]; s != nil {
			instructions.setSeries(*s, after.calls)
		}
		allocs := finding{What: k.prefix + name, Unit: "allocs/" + per,
			How: "counted by the Go runtime", Base: before.allocs, Head: after.allocs,
			Verdict: judge(before.allocs, after.allocs, exactLimit)}
		bytes := finding{What: allocs.What, Unit: "B/" + per, How: allocs.How}
		m := memories[name]
		if m != nil {
			allocs.setMemory(m.allocs, allocsRise, m.confirmed)
			bytes.setMemory(m.bytes, bytesRise, m.confirmed)
		}
		for _, f := range []*finding{&instructions, &allocs, &bytes} {
			switch {
			case !inBase || inHead && before.calls != after.calls:
				f.Verdict, f.Base = added, 0
			case !inHead:
				f.Verdict, f.Head = gone, 0
			}
		}
		if s := k.insn[name]; s != nil && (k.comparable(name) || !inBase || !inHead) {
			r.add(instructions)
		}
		r.add(allocs)
		if m != nil {
			r.add(bytes)
		}
	}
}

// setSeries takes in what some processes counted.
func (f *finding) setSeries(s series, calls bool) {
	if len(s.base) > 0 {
		f.Base = stats.Mean(s.base)
	}
	if len(s.head) > 0 {
		f.Head = stats.Mean(s.head)
	}
	if len(s.base) > 0 && len(s.head) > 0 {
		f.Verdict, f.Processes = s.verdict(calls), len(s.head)
		f.Spread, f.Limit = s.spread(), s.limit()
	}
}

// setMemory takes in what some runs allocated.
func (f *finding) setMemory(s series, by rise, confirmed bool) {
	if len(s.base) > 0 {
		f.Base = stats.Median(s.base)
	}
	if len(s.head) > 0 {
		f.Head = stats.Median(s.head)
	}
	if f.Verdict = s.memoryVerdict(by); f.Verdict == worse && !confirmed {
		f.Verdict = equal
	}
}

// textLimit is the share by which code may grow without a word: it costs less than anything else
// here, and most of what makes kernels faster makes them longer.
const textLimit = 0.02

func (r *result) compareFunctions(arch string, base, head []function) {
	how := "read from the code for " + arch
	before := map[string]function{}
	for _, f := range base {
		before[f.name] = f
	}
	var text, textBefore float64 // of functions in both
	var all, allBefore float64
	for _, f := range base {
		allBefore += float64(f.size)
	}
	for _, h := range head {
		all += float64(h.size)
		b, ok := before[h.name]
		delete(before, h.name)
		if !ok {
			r.add(finding{What: h.name + "/" + arch, Unit: "text-bytes", How: how,
				Head: float64(h.size), Verdict: added})
			continue
		}
		text, textBefore = text+float64(h.size), textBefore+float64(b.size)
		hl, bl := h.loops, b.loops
		name := func(i int) string { return fmt.Sprintf("%s/loop=%d/%s", h.name, i+1, arch) }
		if len(hl) != len(bl) {
			// Which loop has become which is not known: the one that moves fastest is where long
			// vectors spend their time.
			hl, bl = fastest(hl), fastest(bl)
			name = func(int) string { return fmt.Sprintf("%s/loop=fastest/%s", h.name, arch) }
		}
		for i := range min(len(hl), len(bl)) {
			insn := finding{What: name(i), Unit: "insn/KiB", How: how,
				Base: bl[i].perKiB(bl[i].instructions), Head: hl[i].perKiB(hl[i].instructions)}
			mem := finding{What: name(i), Unit: "mem/KiB", How: how,
				Base: bl[i].perKiB(bl[i].memory), Head: hl[i].perKiB(hl[i].memory)}
			insn.Verdict, mem.Verdict = judge(insn.Base, insn.Head, exactLimit), judge(mem.Base,
				mem.Head, exactLimit)
			r.add(insn)
			r.add(mem)
		}
	}
	r.add(finding{What: "all functions in both/" + arch, Unit: "text-bytes", How: how,
		Base: textBefore, Head: text, Verdict: judge(textBefore, text, textLimit)})
	// What is new makes code longer, and nothing worse.
	r.add(finding{What: "all functions/" + arch, Unit: "text-bytes", How: how, Base: allBefore,
		Head: all, Verdict: equal})
	for _, name := range slices.Sorted(maps.Keys(before)) {
		r.add(finding{What: name + "/" + arch, Unit: "text-bytes", How: how,
			Base: float64(before[name].size), Verdict: gone})
	}
}

// missUnread names functions whose loops could not be read.
func (r *result) missUnread(arch string, all []function) {
	why := map[string]error{}
	for _, f := range all {
		if f.unread != nil {
			why[f.name] = f.unread
		}
	}
	if len(why) > 0 {
		first := slices.Min(slices.Collect(maps.Keys(why)))
		r.miss(fmt.Sprintf("Not compared for %s, as there are instructions that can't be read, or "+
			"data among them: the loops of %d functions, such as `%s` (%v).", arch, len(why), first,
			why[first]))
	}
}

func fastest(loops []loop) []loop {
	if len(loops) == 0 {
		return nil
	}
	return []loop{slices.MaxFunc(loops, func(a, b loop) int { return a.advance - b.advance })}
}

// addTiming judges times. What looks slower is believed if the second run says so too.
func (r *result) addTiming(name string, first, second *timing) {
	hb := ratioOf(first.head, first.base)
	f := finding{What: name, Unit: "ns/op", How: "timed",
		Base: stats.Median(first.base), Head: stats.Median(first.head),
		Ratio: &hb, Floor: first.floor(), Limit: first.limit(), Verdict: equal}
	switch {
	case second != nil:
		again := ratioOf(second.head, second.base)
		if f.Second = &again; second.slower() {
			f.Verdict = worse
		}
	case first.faster():
		f.Verdict = better
	}
	r.add(f)
}

// settle marks what is accepted, and says by whom.
func (r *result) settle(accept []acceptance) {
	var idle []string
	for _, a := range accept {
		n := 0
		for i := range r.Findings {
			f := &r.Findings[i]
			if (f.Verdict == worse || f.Verdict == accepted) && a.pattern.MatchString(f.line()) {
				f.Verdict = accepted
				n++
			}
		}
		if n > 0 {
			r.Notes = append(r.Notes, fmt.Sprintf("Accepted by %s: what matches `%s`, %d of the "+
				"numbers that are worse.", a.by, a.pattern, n))
		} else {
			idle = append(idle, fmt.Sprintf("Nothing that is worse matches `%s`, which %s accepts.",
				a.pattern, a.by))
		}
	}
	if r.worse() {
		r.Notes = append(r.Notes, idle...) // a pattern with a mistake in it
	}
}

func (r *result) with(v ...verdict) (all []finding) {
	for _, f := range r.Findings {
		if slices.Contains(v, f.Verdict) {
			all = append(all, f)
		}
	}
	return all
}

func (r *result) worse() bool { return len(r.with(worse)) > 0 }

func (r *result) line() *history.Run {
	h := &history.Run{Time: r.Time, Commit: r.Commit, Changed: r.Changed, Base: r.Base, CPU: r.CPU,
		Go: r.Go, Verdict: "pass"}
	if r.worse() {
		h.Verdict = "regression"
	}
	for _, f := range r.Findings {
		if f.Verdict != gone {
			h.Set(f.What, f.Unit, f.Head)
		}
	}
	return h
}

func (r *result) writeJSON(file string) error {
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o666)
}

func (r *result) summary() string {
	var b strings.Builder
	verdict := "nothing is worse"
	if n := len(r.with(worse)); n > 0 {
		verdict = fmt.Sprintf("%d of %d numbers are worse", n, len(r.Findings))
	}
	changed := ""
	if r.Changed {
		changed = " with changes that are not committed"
	}
	fmt.Fprintf(&b, "## Regression gate: %s\n\nHead `%.12s`%s against base `%.12s`, on %s, %s.\n",
		verdict, r.Commit, changed, r.Base, r.CPU, r.Go)
	if r.Identical {
		b.WriteString("\nThe test binaries of the two are equal, byte for byte.\n")
	}
	for _, note := range r.Notes {
		fmt.Fprintf(&b, "\n%s\n", note)
	}
	counted := map[string]int{}
	for _, f := range r.Findings {
		counted[f.Unit+", "+f.How]++
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
	counts := func(f finding) bool { return f.Ratio == nil }
	if times := slices.DeleteFunc(slices.Clone(r.Findings), counts); len(times) > 0 {
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
		if key := f.What + string(f.Verdict); !seen[key] {
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
		if f.Base != 0 && f.Verdict != gone {
			change = fmt.Sprintf("%+.1f %%", 100*(f.Head/f.Base-1))
		}
		how := f.How
		if f.Ratio != nil {
			change = fmt.Sprintf("%+.1f %%", 100*(f.Ratio.Median-1))
			how += fmt.Sprintf(": %.3f to %.3f, noise %.1f %%, believed beyond %.1f %%", f.Ratio.Lo,
				f.Ratio.Hi, 100*f.Floor, 100*f.Limit)
			if f.Second != nil {
				how += fmt.Sprintf("; again: %.3f to %.3f", f.Second.Lo, f.Second.Hi)
			}
		}
		if f.Spread > 0 {
			how += fmt.Sprintf(" in %d processes of each, up to %.2f %% apart, believed beyond "+
				"%.1f %%", f.Processes, 100*f.Spread, 100*f.Limit)
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | %s |\n", f.What, f.Unit, number(f.Base),
			number(f.Head), change, f.Verdict, how)
	}
}

func number(v float64) string {
	if v == float64(int(v)) {
		return fmt.Sprint(int(v))
	}
	return fmt.Sprintf("%.4g", v)
}
