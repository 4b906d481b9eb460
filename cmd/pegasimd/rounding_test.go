package main

import (
	"fmt"
	"strings"
	"testing"
)

func TestRoundedFeatures(t *testing.T) {
	of := func(value func(i int) int) string {
		var b strings.Builder
		for i := range 1500 {
			fmt.Fprintf(&b, "%d 1:%d 2:%d\n", i%2, i%7, value(i))
		}
		return b.String()
	}
	const warning = "warning: the values of feature 2 may be rounded by up to 64 to the nearest float32"
	for name, c := range map[string]struct {
		value func(i int) int
		warns bool
	}{
		"near":           {func(i int) int { return 1_700_000_000 + i%50 }, true},
		"far at the end": {func(i int) int { return 1_700_000_000 + i%50 + i/1400*1_000_000 }, false},
		"far":            {func(i int) int { return 1_700_000_000 + i*100 }, false},
		"exact":          {func(i int) int { return 16_000_000 + i%50 }, false},
		"mostly far":     {func(i int) int { return 1_700_000_000 * (i % 3) }, false},
	} {
		data := file(t, "x.svm", of(c.value))
		if _, told := must(t, "inspect", data); strings.Contains(told, warning) != c.warns {
			t.Errorf("%s: inspect printed %s", name, told)
		}
	}
}

// Labels that are the same float32 must not become one class, in whatever notation.
func TestRoundedLabelNotations(t *testing.T) {
	for _, notation := range []string{"%d", `"%d kg"`, `"%d,%03d,%03d"`, "%d.%03d.%03d",
		`"$%d,%03d,%03d"`} {
		var b strings.Builder
		b.WriteString("a,b,label\n")
		for i := range 12 {
			label := fmt.Sprintf(notation, 16777216+i%3)
			if strings.Count(notation, "%") > 1 {
				label = fmt.Sprintf(notation, 16, 777, 216+i%3)
			}
			fmt.Fprintf(&b, "%d,%d,%s\n", i, i*i%7, label)
		}
		data := file(t, "x.csv", b.String())
		const want = "of a magnitude above 2^24 would be rounded"
		fails(t, exitError, "4 labels "+want, "train", "-multiclass", "ovr", data, t.TempDir()+"/m")
		_, told := must(t, "train", "-loss", "squared", data, t.TempDir()+"/m")
		if !strings.Contains(told, "rounded 4 labels") {
			t.Errorf("%s: %s", notation, told)
		}
	}
}
