package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// progress shows a line on a terminal, but nothing on other outputs, with -quiet, or in the first
// second.
type progress struct {
	w           io.Writer
	quiet       bool
	terminal    bool
	start, last time.Time
	shown       int // bytes of the line displayed now
}

const lineWidth = 79

func newProgress(w io.Writer, quiet bool) *progress {
	p := &progress{w: w, quiet: quiet, start: time.Now()}
	if f, ok := w.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 &&
			os.Getenv("TERM") != "dumb" {
			p.terminal = true
		}
	}
	return p
}

// share is the part of the task that is done.
func (p *progress) show(share float64, format string, a ...any) {
	now := time.Now()
	if !p.terminal || p.quiet || now.Sub(p.start) < time.Second ||
		now.Sub(p.last) < 200*time.Millisecond {
		return
	}
	p.last = now
	line, left := fmt.Sprintf(format, a...), ""
	if share > 0 && share < 1 {
		took := time.Duration(float64(now.Sub(p.start)) * (1 - share) / share)
		left = fmt.Sprintf(", %s left", took.Round(time.Second))
	}
	line = line[:min(len(line), lineWidth-len(left))] + left // a wrapped line can't be overwritten
	fmt.Fprintf(p.w, "\r%s%s", line, strings.Repeat(" ", max(0, p.shown-len(line))))
	p.shown = len(line)
}

func (p *progress) clear() {
	if p.shown > 0 {
		fmt.Fprintf(p.w, "\r%s\r", strings.Repeat(" ", p.shown))
		p.shown = 0
	}
}
