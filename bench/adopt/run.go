package main

import (
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/pegasimd/pegasimd/gate/machine"
)

type outcome struct {
	passed, skipped int
	failed          []string
}

// outcomeOf reads the output of "-test.v"; subtests count as tests.
func outcomeOf(out string) (o outcome) {
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "--- FAIL: "); ok {
			o.failed = append(o.failed, strings.Fields(rest)[0])
		}
		if strings.HasPrefix(line, "--- PASS: ") {
			o.passed++
		}
		if strings.HasPrefix(line, "--- SKIP: ") {
			o.skipped++
		}
	}
	return o
}

func (o outcome) ended() int { return o.passed + o.skipped + len(o.failed) }

func (t *tree) tests(arch string, emulator ...string) (o outcome, err error) {
	args := append(slices.Clone(emulator), t.bin[arch], "-test.v", "-test.short",
		"-test.timeout=20m")
	out, err := t.run(args[0], args[1:]...)
	o = outcomeOf(out)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 && len(o.failed) > 0 {
		err = nil // all tests ran; a panic or a timeout exits with 2
	}
	if err == nil && o.passed == 0 {
		err = errors.New("no test passed")
	}
	if err != nil {
		return o, fmt.Errorf("%s: the tests: %w\n%s", arch, err, out)
	}
	return o, nil
}

// compare returns a summary of the tests, which begins with FAIL if tests fail, or do not run, only
// with the patch.
func compare(arch string, before, after *tree, emulator ...string) (string, error) {
	for _, t := range []*tree{before, after} {
		if err := t.build(arch); err != nil {
			return "", err
		}
	}
	without, err := before.tests(arch, emulator...)
	if err != nil {
		return "", err
	}
	with, err := after.tests(arch, emulator...)
	if err != nil {
		return "", fmt.Errorf("with the patch: %w", err)
	}
	return with.summary(without), nil
}

func (o outcome) summary(without outcome) string {
	news := slices.DeleteFunc(slices.Clone(o.failed), func(name string) bool {
		return slices.Contains(without.failed, name)
	})
	switch {
	case len(news) > 0:
		return "FAIL: " + strings.Join(news, ", ")
	case o.ended() < without.ended():
		return fmt.Sprintf("FAIL: tests that ran: %d; without the patch: %d", o.ended(), without.ended())
	case len(o.failed) > 0:
		return fmt.Sprintf("%d pass, %d fail with and without the patch", o.passed, len(o.failed))
	}
	return fmt.Sprintf("%d pass", o.passed)
}

const rounds = 6

func benchmarks(match string, before, after *tree) (b, a map[string]float64, err error) {
	pinned := machine.Pin()
	defer pinned.Release()
	trees, least := []*tree{before, after}, []map[string]float64{{}, {}}
	for turn := range 2 * rounds {
		i := (turn + turn/2) % 2
		out, err := trees[i].run(trees[i].bin[native], "-test.run=^$", "-test.bench="+match,
			"-test.benchtime=5ms", "-test.cpu=1")
		if err != nil {
			return nil, nil, err
		}
		lower(least[i], out)
	}
	return least[0], least[1], nil
}

func lower(least map[string]float64, out string) {
	for r := benchfmt.NewReader(strings.NewReader(out), ""); r.Scan(); {
		result, ok := r.Result().(*benchfmt.Result)
		if !ok {
			continue
		}
		seconds, ok := result.Value("sec/op")
		name := string(result.Name)
		if old, seen := least[name]; ok && (!seen || seconds < old) {
			least[name] = seconds
		}
	}
}
