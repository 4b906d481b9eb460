package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
)

func TestTrainingDataAreRecognized(t *testing.T) {
	header, rows := countedTable(150)
	table := header + strings.Join(rows, "\n") + "\n"
	g := rand.New(rand.NewPCG(5, 5))
	var lines, numbers, weights strings.Builder
	for i := range 150 {
		a, b := g.NormFloat64(), g.NormFloat64()
		fmt.Fprintf(&lines, "%d 1:%.4f 2:%.4f\n", 1+2*g.IntN(2), a, b)
		fmt.Fprintf(&numbers, "%.4f,%.4f,%.4f\n", a, b, 3+a-b+g.NormFloat64())
		fmt.Fprintln(&weights, i%3) // a third of the rows has weight 0
	}
	weight := file(t, "weights.txt", weights.String())
	first := filepath.Join(t.TempDir(), "first.model")
	must(t, "train", "-quiet", file(t, "first.svm", lines.String()), first)
	for what, c := range map[string]struct{ name, text, flags, weights string }{
		"table":          {"a.csv", table, "-holdout 0.2", ""},
		"whole table":    {"a.csv", table, "", ""},
		"svmlight":       {"a.svm", lines.String(), "-holdout 0.2", ""},
		"weights":        {"a.svm", lines.String(), "-holdout 0.2", weight},
		"class weights":  {"a.svm", lines.String(), "-class-weight 1=2,3=1", ""},
		"prior":          {"a.svm", lines.String(), "-prior " + first, ""},
		"another layout": {"a.svm", lines.String(), "-layout sparse", ""},
		"numbers":        {"a.csv", "a,b,y\n" + numbers.String(), "-holdout 0.2", ""},
		"weighed table":  {"a.csv", "a,b,y\n" + numbers.String(), "-holdout 0.2", weight},
		"kernel":         {"a.svm", lines.String(), "-kernel rbf", ""},
	} {
		data, model := file(t, c.name, c.text), filepath.Join(t.TempDir(), "m.model")
		flags := strings.Fields(c.flags)
		var weigh []string
		if c.weights != "" {
			weigh = []string{"-weights", c.weights}
		}
		flags = append(flags, weigh...)
		want, origin := "warning: these rows (", "The model was trained on the "
		if !strings.Contains(c.flags, "-holdout") {
			must(t, append(append([]string{"train", "-quiet"}, flags...), data, model)...)
		} else {
			_, held := heldOutOf(t, data, model, flags...)
			out := int(held["rows"].(float64))
			all := strings.Count(c.text, "\n")
			if strings.HasSuffix(c.name, ".csv") {
				all--
			}
			if weigh != nil {
				all = all * 2 / 3
			}
			want = fmt.Sprintf("warning: %d of these %d rows are the training data, and %d were held",
				all-out, all, out)
			origin = fmt.Sprintf("%d rows that training held out of the %d rows", out, all)
		}
		short := c.text[:strings.LastIndexByte(strings.TrimSpace(c.text), '\n')+1]
		for _, command := range []string{"eval", "predict"} {
			if command == "predict" && weigh != nil {
				continue // predict has no -weights
			}
			args := append([]string{command}, weigh...)
			if _, told := must(t, append(args, data, model)...); !strings.Contains(told, want) {
				t.Errorf("%s: %s prints\n%s, want %q", what, command, told, want)
			}
			if weigh != nil {
				continue
			}
			if _, told := must(t, command, file(t, c.name, short), model); strings.Contains(told,
				"training data") {
				t.Errorf("%s without the last row: %s prints\n%s", what, command, told)
			}
		}
		page := reportOf(t, append(weigh, model, data)...)
		shows(t, what, page, origin)
	}
}
