package main

import (
	"math"
	"strings"
	"testing"
)

func TestLower(t *testing.T) {
	got := map[string]float64{}
	for _, ns := range []string{"14", "12.5", "13"} {
		lower(got, "goos: linux\nBenchmarkX/a_b/8 \t 100\t "+ns+" ns/op\t 3 MB/s\nBenchmarkZ\nok\n")
	}
	if len(got) != 1 || math.Round(got["X/a_b/8"]*1e10) != 125 {
		t.Errorf("least seconds %v, want 12.5 ns for X/a_b/8", got)
	}
}

func TestOutcome(t *testing.T) {
	without := outcomeOf("=== RUN TestA\n--- FAIL: TestA (0.00s)\n--- PASS: TestB (0.00s)\n" +
		"    --- PASS: TestB/one (0.00s)\n--- SKIP: TestC (0.00s)\n")
	for out, want := range map[string]string{
		"--- FAIL: TestA (0s)\n--- PASS: TestB (0s)\n--- PASS: TestC (0s)\n--- SKIP: TestD\n": "" +
			"2 pass, 1 fail with and without the patch",
		"--- FAIL: TestA (0s)\n--- PASS: TestB (0s)\npanic: x\n": "" +
			"FAIL: tests that ran: 2; without the patch: 4",
		"--- FAIL: TestB (0s)\n": "FAIL: TestB",
	} {
		if got := outcomeOf(out).summary(without); got != want {
			t.Errorf("%q: %q, want %q", out, got, want)
		}
	}
}

func TestProjects(t *testing.T) {
	projects, err := readProjects()
	if err != nil || len(projects) != 8 {
		t.Fatalf("%d projects: %v", len(projects), err)
	}
	for _, p := range projects {
		added, deleted := p.lines()
		if p.Module == "" || p.Version == "" || p.Folder == "" || len(p.Calls) == 0 ||
			p.Theirs == "" || added == 0 || deleted == 0 || !strings.Contains(p.patch, library+"/") {
			t.Errorf("%s lacks a field, a call or a patch: +%d -%d, %+v", p.Name, added, deleted, p)
		}
	}
	if added, deleted := projects[0].lines(); added != 3 || deleted != 10 {
		t.Errorf("+%d -%d, want +3 -10", added, deleted)
	}
}

func TestBadProjects(t *testing.T) {
	for want, text := range map[string]string{
		"unknown field":    "{\"Nmae\": \"b\"}\n",
		"unknown section":  "{}\n-- a.go --\ny\n",
		"cannot unmarshal": "{\"Rows\": \"many\"}\n",
	} {
		if _, err := parseProject([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}
