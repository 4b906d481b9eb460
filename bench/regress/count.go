package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pegasimd/pegasimd/bench/regress/gate"
)

// A count is what one call of a benchmark's body does. It is the same in every run.
type count struct {
	instructions int
	allocs       float64
}

// deterministic keeps the Go runtime from doing things at their own time while the benchmarks'
// bodies are counted.
var deterministic = []string{"GOMAXPROCS=1", "GOGC=off", "GODEBUG=asyncpreemptoff=1"}

// counts runs the benchmarks that match once in Valgrind, which counts the instructions inside the
// calls of gate.collect and writes a part of its file at the end of each. dir is a folder for
// files, made anew.
func counts(binary, match, dir string) (map[string]count, error) {
	if _, err := exec.LookPath("valgrind"); err != nil {
		return nil, fmt.Errorf("instructions are counted by valgrind, which is not here; install " +
			"it, or leave them out with -counts=false")
	}
	listed, profile := filepath.Join(dir, "counted"), filepath.Join(dir, "callgrind.out")
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		return nil, err
	}
	_, err := run(dir, append(deterministic, gate.Variable+"="+listed), "valgrind",
		"--tool=callgrind",
		"--toggle-collect="+collect, "--dump-after="+collect, "--combine-dumps=yes",
		"--callgrind-out-file="+profile,
		binary, "-test.run=^$", "-test.bench="+match, "-test.benchtime=1x")
	if err != nil {
		return nil, err
	}
	names, err := readListed(listed)
	if err != nil {
		return nil, err
	}
	instructions, err := readParts(profile)
	if err != nil {
		return nil, err
	}
	if len(instructions) != gate.Calls*len(names) {
		return nil, fmt.Errorf("valgrind saw %d calls of %s, the benchmarks made %d",
			len(instructions), collect, gate.Calls*len(names))
	}
	all := map[string]count{}
	for i, b := range names {
		if _, twice := all[b.name]; twice {
			return nil, fmt.Errorf("two benchmarks are called %s", b.name)
		}
		all[b.name] = count{slices.Min(instructions[gate.Calls*i:][:gate.Calls]), b.allocs}
	}
	return all, nil
}

// collect is the function's name as Valgrind sees it.
const collect = "*/bench/regress/gate.collect"

type listed struct {
	name   string
	allocs float64
}

// readListed reads the file that gate.Run writes.
func readListed(file string) ([]listed, error) {
	text, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return nil, fmt.Errorf("no benchmark that was run calls gate.Run: there is nothing " +
			"to count")
	}
	if err != nil {
		return nil, err
	}
	var all []listed
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		allocs, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: line %q: %w", file, line, err)
		}
		all = append(all, listed{strings.TrimPrefix(name, "Benchmark"), allocs})
	}
	return all, nil
}

// readParts reads the number of instructions of each part of a callgrind file that ends with a
// call.
func readParts(file string) (instructions []int, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	afterCall := false
	for n := 1; lines.Scan(); n++ {
		key, value, _ := strings.Cut(lines.Text(), ": ")
		switch {
		case key == "part":
			afterCall = false
		case key == "desc" && strings.HasPrefix(value, "Trigger: --dump-after="):
			afterCall = true
		case key == "summary" && afterCall:
			v, err := strconv.Atoi(strings.TrimSpace(value))
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", file, n, err)
			}
			instructions = append(instructions, v)
			afterCall = false
		}
	}
	return instructions, lines.Err()
}
