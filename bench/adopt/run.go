package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/pegasimd/pegasimd/gate/machine"
)

func (t *tree) tests(arch string, emulator ...string) (failed []string, passed int, err error) {
	args := append(slices.Clone(emulator), t.bin[arch], "-test.v", "-test.short",
		"-test.timeout=20m")
	out, err := t.run(args[0], args[1:]...)
	for _, line := range strings.Split(out, "\n") {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "--- FAIL: "); ok {
			failed = append(failed, strings.Fields(rest)[0])
		}
		if strings.HasPrefix(line, "--- PASS: ") {
			passed++
		}
	}
	if err == nil && passed == 0 {
		err = errors.New("no test passed")
	}
	if err != nil && (len(failed) == 0 || passed == 0) {
		return nil, 0, fmt.Errorf("%s: the tests: %w\n%s", arch, err, out)
	}
	return failed, passed, nil
}

// compare returns a summary of the tests, which begins with FAIL if one fails only with the patch.
func compare(arch string, before, after *tree, emulator ...string) (string, error) {
	for _, t := range []*tree{before, after} {
		if err := t.build(arch); err != nil {
			return "", err
		}
	}
	already, _, err := before.tests(arch, emulator...)
	if err != nil {
		return "", err
	}
	failed, passed, err := after.tests(arch, emulator...)
	if err != nil {
		return "", err
	}
	news := slices.DeleteFunc(slices.Clone(failed), func(name string) bool {
		return slices.Contains(already, name)
	})
	switch {
	case len(news) > 0:
		return "FAIL: " + strings.Join(news, ", "), nil
	case len(failed) > 0:
		return fmt.Sprintf("%d pass, %d fail with and without the patch", passed, len(failed)), nil
	}
	return fmt.Sprintf("%d pass", passed), nil
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
