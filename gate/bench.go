package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// A line is a result of a benchmark as go test prints it.
type line struct {
	name   string // without "Benchmark"
	n      int
	values map[string]float64 // by unit
}

var resultLine = regexp.MustCompile(`(?m)^(Benchmark\S*)\s+(\d+)\s+(\S+ ns/op.*)$`)

// benchmarks runs benchmarks of a test binary on one CPU, in a folder. What they complain of does
// not keep the results of the others from being read.
func benchmarks(binary, dir string, env []string, args ...string) (all []line, failed error) {
	cmd := exec.Command(binary, append([]string{"-test.run=^$", "-test.cpu=1"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		failed = fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err,
			lastLines(stdout.String()+stderr.String(), 20))
	}
	for _, m := range resultLine.FindAllStringSubmatch(stdout.String(), -1) {
		l := line{name: short(m[1]), values: map[string]float64{}}
		l.n, _ = strconv.Atoi(m[2])
		words := strings.Fields(m[3])
		for i := 0; i+1 < len(words); i += 2 {
			if v, err := strconv.ParseFloat(words[i], 64); err == nil {
				l.values[words[i+1]] = v
			}
		}
		all = append(all, l)
	}
	return all, failed
}

// lastLines are the last n lines of a text.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// exactly is the pattern that a benchmark and no other matches.
func exactly(name string) string {
	var parts []string
	for part := range strings.SplitSeq(name, "/") {
		parts = append(parts, "^"+regexp.QuoteMeta(part)+"$")
	}
	parts[0] = "^Benchmark" + strings.TrimPrefix(parts[0], "^")
	return strings.Join(parts, "/")
}
