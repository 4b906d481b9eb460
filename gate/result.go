package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/pegasimd/pegasimd/gate/history"
)

type result struct {
	when         time.Time
	base, commit string
	why          string // why -base does not name the base; empty if it does
	idle         bool   // head and base are the same commit, without changes
	changed      bool
	cpu          string
	goVersion    string
	threshold    float64 // changes up to this share count as equal
	repository   string
	work         string // messages do not show it
	identical    bool   // binaries, and files that benchmarks may read, are equal
	lost         int    // packages whose benchmarks only the base has
	notes        []string
	missed       []string
	untimed      int // number of packages and benchmarks to time that only the head has
	findings     []finding
}

func (r *result) say(format string, a ...any) {
	fmt.Fprintf(os.Stderr, "gate: %s\n", r.clean(fmt.Sprintf(format, a...)))
}

func (r *result) note(format string, a ...any) {
	r.notes = append(r.notes, r.clean(fmt.Sprintf(format, a...)))
}

func (r *result) miss(format string, a ...any) {
	if text := r.clean(fmt.Sprintf(format, a...)); !slices.Contains(r.missed, text) {
		r.notes, r.missed = append(r.notes, text), append(r.missed, text)
	}
}

func (r *result) add(f finding) {
	if f.floor > 0 {
		f.floor = max(f.floor, r.threshold)
	}
	const rounding = 1e-12 // 103/100 - 1 > 0.03
	if c, ok := f.change(); ok && math.Abs(c) <= r.threshold+rounding && (f.verdict == worse ||
		f.verdict == better) {
		f.verdict = equal
	}
	r.findings = append(r.findings, f)
}

func (r *result) clean(text string) string {
	if r.work == "" {
		return text
	}
	for _, folder := range []string{"/base", "/head", ""} {
		text = strings.ReplaceAll(text, r.work+folder+r.repository+"/", "")
	}
	return strings.ReplaceAll(text, r.work+"/", "")
}

type verdict string

const (
	equal     verdict = "same"
	better    verdict = "better"
	worse     verdict = "worse"
	accepted  verdict = "worse, accepted"
	unsettled verdict = "not settled"
	added     verdict = "new"
	gone      verdict = "gone"
	failing   verdict = "fails"
)

type finding struct {
	what       string // benchmark or function
	unit       string
	how        string
	base, head float64
	verdict    verdict
	floor      float64 // share shown as "believed beyond"; 0 if unknown
	counted    series  // instruction counts
	timed      []timing
}

func (f *finding) change() (share float64, ok bool) {
	if len(f.timed) > 0 {
		return ratioOf(f.timed[0].head, f.timed[0].base).Center - 1, true
	}
	if f.base == 0 || f.verdict == gone || f.verdict == failing {
		return 0, false
	}
	return f.head/f.base - 1, true
}

func (f *finding) line() string { return f.what + " " + f.unit }

func (r *result) settle(accept []acceptance) {
	var idle []string
	for _, a := range accept {
		n := 0
		for i := range r.findings {
			f := &r.findings[i]
			if (f.verdict == worse || f.verdict == accepted) && a.pattern.MatchString(f.line()) {
				f.verdict = accepted
				n++
			}
		}
		if n > 0 {
			r.note("Commit %s accepts worse numbers that match `%s`: %d.", a.commit, a.pattern, n)
		} else {
			idle = append(idle, fmt.Sprintf("The pattern `%s` that commit %s accepts matches "+
				"no number that is worse.", a.pattern, a.commit))
		}
	}
	if r.worse() {
		r.notes = append(r.notes, idle...) // the pattern may contain a mistake
	}
}

func (r *result) with(v ...verdict) (all []finding) {
	for _, f := range r.findings {
		if slices.Contains(v, f.verdict) {
			all = append(all, f)
		}
	}
	return all
}

func (r *result) worse() bool { return len(r.with(worse)) > 0 }

type outcome struct {
	heading      string
	exit, strict int
}

func (r *result) outcome() outcome {
	o := r.compared()
	names := map[string]bool{}
	for _, f := range r.with(gone) {
		name := f.what
		if f.unit == textBytes { // a function counts once, not once for each architecture
			name = name[:strings.LastIndex(name, "/")]
		}
		names[name] = true
	}
	if n := len(names) + r.lost; n > 0 {
		o.heading += fmt.Sprintf("; gone: %d", n)
	}
	return o
}

func (r *result) compared() outcome {
	passed, bad := len(r.with(equal, better)), len(r.with(worse))
	all := passed + bad + len(r.with(accepted, unsettled))
	complete := len(r.missed) == 0 && len(r.with(unsettled)) == 0
	fresh := len(r.with(added)) > 0 || r.untimed > 0
	switch {
	case bad > 0:
		return outcome{fmt.Sprintf("numbers that are worse: %d of %d", bad, all), exitRegression,
			exitRegression}
	case len(r.with(failing)) > 0:
		return outcome{fmt.Sprintf("benchmarks or packages that fail in the head alone: %d",
			len(r.with(failing))),
			exitError, exitError}
	case r.idle:
		return outcome{"nothing to compare: the head is the base, without changes", 0, exitError}
	case complete && len(r.with(accepted)) > 0:
		return outcome{"nothing is worse, but for what is accepted", 0, 0}
	case complete && (passed > 0 || r.identical):
		return outcome{"nothing is worse", 0, 0}
	case r.identical:
		return outcome{"not settled: not everything could be built, and the rest is equal", 0, exitError}
	case passed > 0 || len(r.with(accepted)) > 0:
		return outcome{fmt.Sprintf("not settled: not everything was measured; numbers that are not "+
			"worse: %d of %d", passed, all), 0, exitError}
	case complete && fresh:
		return outcome{"nothing was compared: all that was measured in the head is new", 0, 0}
	case fresh:
		return outcome{"not settled: not everything was measured, and the rest is new in the head", 0,
			exitError}
	}
	return outcome{"not settled: nothing could be compared", exitError, exitError}
}

func (r *result) reasons() string {
	all := slices.Clone(r.missed)
	for _, f := range r.with(unsettled, failing) {
		all = append(all, fmt.Sprintf("%s: %s.", f.line(), f.verdict))
	}
	if len(all) == 0 {
		return ""
	}
	return ": " + strings.Join(all, " ")
}

func (r *result) line() *history.Run {
	h := &history.Run{Time: r.when, Commit: r.commit, Changed: r.changed, Base: r.base, CPU: r.cpu,
		Go: r.goVersion, Verdict: "pass"}
	switch o := r.outcome(); {
	case o.exit == exitRegression:
		h.Verdict = "regression"
	case o.strict != 0:
		h.Verdict = "not settled"
	}
	for _, f := range r.findings {
		if f.verdict != gone && f.verdict != failing {
			h.Set(f.what, f.unit, f.head)
		}
	}
	return h
}

func (r *result) write(c *config) error {
	text := r.summary()
	var err error
	if page := os.Getenv("GITHUB_STEP_SUMMARY"); page != "" {
		err = history.AppendTo(page, text)
	}
	if c.json {
		var failed error
		text, failed = r.json()
		err = errors.Join(err, failed)
	}
	_, failed := io.WriteString(os.Stdout, text)
	if c.history != "" && len(r.findings) > 0 {
		err = errors.Join(err, history.Append(history.File(c.history, r.cpu), r.line()))
	}
	return errors.Join(err, failed)
}
