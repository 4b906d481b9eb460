package main

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

// Every contender that this build has is right, and a run of one cell gives a table and a verdict.
func TestCompare(t *testing.T) {
	ops, err := chosen("")
	if err != nil {
		t.Fatal(err)
	}
	var cells []*cell
	for _, o := range ops {
		for _, failed := range o.verify() {
			t.Error(failed)
		}
		if o.flag() == "dot" {
			cells = o.cells([]int{784})
		}
	}
	for _, c := range cells {
		c.measure(2, 10*time.Microsecond)
	}
	record := newReport([]string{"CPU: " + runtime.GOARCH}, cells).markdown()
	for _, want := range []string{
		"* CPU: " + runtime.GOARCH + "\n", "### Dot, aligned\n", "| | 784 |\n", "| **Pegasimd** | ",
		"| Go loop | ", "### Targets\n", "best of all",
	} {
		if !strings.Contains(record, want) {
			t.Errorf("no %q in\n%s", want, record)
		}
	}
}

func TestChosen(t *testing.T) {
	if ops, err := chosen("dot,axpy"); err != nil || len(ops) != 2 {
		t.Errorf("%d operations, %v", len(ops), err)
	}
	if _, err := chosen("dot,nothing"); err == nil {
		t.Error("an operation that is not there is chosen")
	}
	if sizes, err := parseSizes("8,100"); err != nil || len(sizes) != 2 {
		t.Errorf("sizes %v, %v", sizes, err)
	}
	for _, bad := range []string{"0", "x", "8,", "100000000"} {
		if sizes, err := parseSizes(bad); err == nil {
			t.Errorf("-sizes %s gives %v", bad, sizes)
		}
	}
}
