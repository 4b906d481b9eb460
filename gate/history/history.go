// Package history stores the numbers that the gate measures, as a line of JSON for each run.
//
//	run := &history.Run{Time: time.Now(), Commit: commit, CPU: machine.CPU()}
//	run.Set("op=dot/isa=avx2", "insn/call", 1234)
//	err := history.Append(history.File("build/history", run.CPU), run)
package history

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// A Run is one run of the gate.
type Run struct {
	Time    time.Time `json:"time"`
	Commit  string    `json:"commit"`            // hash of the head
	Changed bool      `json:"changed,omitempty"` // uncommitted changes in the head
	Base    string    `json:"base"`
	CPU     string    `json:"cpu"`
	Go      string    `json:"go"`
	Verdict string    `json:"verdict"` // pass, regression or not settled
	// Values are the head's numbers by benchmark or function, then by unit, such as insn/call.
	Values map[string]map[string]float64 `json:"values"`
}

// Set stores a value.
func (r *Run) Set(benchmark, unit string, value float64) {
	if r.Values == nil {
		r.Values = map[string]map[string]float64{}
	}
	if r.Values[benchmark] == nil {
		r.Values[benchmark] = map[string]float64{}
	}
	r.Values[benchmark][unit] = value
}

// File returns path itself or, if path is a folder, a file in it that is named after the CPU.
func File(path, cpu string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return filepath.Join(path, slug(cpu)+".jsonl")
	}
	return path
}

var notSlug = regexp.MustCompile(`[^a-z0-9]+`)

func slug(cpu string) string {
	return strings.Trim(notSlug.ReplaceAllString(strings.ToLower(cpu), "-"), "-")
}

// Append adds a run at the end of the file, which it creates if necessary.
func Append(file string, r *Run) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return AppendTo(file, string(line)+"\n")
}

// AppendTo adds text at the end of the file, which it creates if necessary.
func AppendTo(file, text string) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

const maxLine = 16 << 20

// Read returns the runs in the file's order. name stands for the file in errors.
func Read(name string, r io.Reader) ([]*Run, error) {
	var runs []*Run
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	n := 1
	for ; lines.Scan(); n++ {
		if len(lines.Bytes()) == 0 {
			continue
		}
		run := new(Run)
		if err := json.Unmarshal(lines.Bytes(), run); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		runs = append(runs, run)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, n, err)
	}
	return runs, nil
}
