package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// A progress shows how far a long task is: on a terminal a line that changes, elsewhere nothing. It
// says nothing of tasks that are done within a second.
type progress struct {
	w              io.Writer
	quiet          bool
	terminal       bool
	start, last    time.Time
	shown          int // characters on the terminal's line
	pause, between time.Duration
}

// lineWidth is what fits on the line of most terminals.
const lineWidth = 79

func newProgress(w io.Writer, quiet bool) *progress {
	p := &progress{w: w, quiet: quiet, start: time.Now(), pause: time.Second,
		between: 200 * time.Millisecond}
	if f, ok := w.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 &&
			os.Getenv("TERM") != "dumb" {
			p.terminal = true
		}
	}
	return p
}

// due reports whether it is time to show something.
func (p *progress) due() bool {
	now := time.Now()
	return p.terminal && !p.quiet && now.Sub(p.start) >= p.pause && now.Sub(p.last) >= p.between
}

// show prints a line with the time that is left if a share of the task, 0 for not known, is done.
func (p *progress) show(share float64, format string, a ...any) {
	left := time.Duration(-1)
	if share > 0 && share < 1 {
		left = time.Duration(float64(time.Since(p.start)) * (1 - share) / share)
	}
	p.showLeft(left, format, a...)
}

// showLeft prints a line with the time that is left, which is below 0 if it is not known.
func (p *progress) showLeft(left time.Duration, format string, a ...any) {
	if !p.due() {
		return
	}
	p.last = time.Now()
	line := fmt.Sprintf(format, a...)
	if left >= 0 {
		line += fmt.Sprintf(", %s left", left.Round(time.Second))
	}
	if len(line) > lineWidth {
		line = line[:lineWidth] // one that wraps can't be written over
	}
	fmt.Fprintf(p.w, "\r%s%s", line, strings.Repeat(" ", max(0, p.shown-len(line))))
	p.shown = len(line)
}

// clear takes the line away.
func (p *progress) clear() {
	if p.shown > 0 {
		fmt.Fprintf(p.w, "\r%s\r", strings.Repeat(" ", p.shown))
		p.shown = 0
	}
}
