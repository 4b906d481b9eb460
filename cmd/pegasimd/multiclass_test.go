package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestMulticlass(t *testing.T) {
	seen := map[any]bool{}
	for _, c := range []struct{ flags, gap string }{
		{"-multiclass ovr", "yes"},
		{"-multiclass ovo", "yes"},
		{"-multiclass ovo -c 1", "yes"},
		{"-multiclass ovo -bias unregularised -loss squared-hinge", "yes"},
		{"-multiclass crammer-singer", "yes"},
		{"-multiclass crammer-singer -bias unregularised", "no"},
		{"-multiclass multinomial", "yes"},
		{"-multiclass multinomial -loss log -batch 8 -order iid", "no"},
	} {
		dir := t.TempDir()
		penalty := "-lambda 1e-4 "
		if strings.Contains(c.flags, "-c ") {
			penalty = ""
		}
		_, told := must(t, append([]string{"train", "-json", dir + "/json", digits, dir + "/model"},
			strings.Fields("-scale none -epochs 6 "+penalty+c.flags)...)...)
		_, scored := must(t, "eval", "-json", dir+"/eval", digits, dir+"/model")
		run, e := report(t, dir+"/json"), report(t, dir+"/eval")
		d := e["objective"].(float64)/run["objective"].(float64) - 1
		if e["accuracy"].(float64) < 0.93 || d > 1e-6 || d < -1e-6 ||
			(run["dual_objective"] != nil) != (c.gap == "yes") {
			t.Errorf("%s: accuracy %v, objective %v, in training %v, gap %v; %s", c.flags,
				e["accuracy"], e["objective"], run["objective"], run["gap"], scored)
		}
		switch { // C applies to all rows; models of pairs have a C only if it was given
		case strings.Contains(c.flags, "-c 1"):
			if run["c"] != 1.0 || !strings.Contains(told, "C 1 in each pair") {
				t.Errorf("%s: C %v; %s", c.flags, run["c"], told)
			}
		case strings.Contains(c.flags, "ovo"):
			if run["c"] != nil || strings.Contains(told, "(C") {
				t.Errorf("%s: C %v; %s", c.flags, run["c"], told)
			}
		default:
			if have := run["c"].(float64); have < 5.564 || have > 5.566 {
				t.Errorf("%s: C %v", c.flags, have)
			}
		}
		out, _ := must(t, "predict", "-scores", "-quiet", digits, dir+"/model")
		lines := strings.Split(strings.TrimSpace(out), "\n")
		if lines[0] != "label\t0\t1\t2\t3\t4\t5\t6\t7\t8\t9" || len(lines) != 1798 {
			t.Fatalf("%s: scores begin with %q", c.flags, lines[0])
		}
		for _, line := range lines[1:] {
			fields := strings.Split(line, "\t")
			var best int
			var most float64
			for k, f := range fields[1:] {
				var s float64
				fmt.Sscan(f, &s)
				if k == 0 || s > most {
					best, most = k, s
				}
			}
			if len(fields) != 11 || fields[0] != fmt.Sprint(best) {
				t.Fatalf("%s: %q", c.flags, line)
			}
		}
		seen[run["model_hash"]] = true
	}
	if len(seen) != 8 {
		t.Errorf("%d different models of 8 kinds", len(seen))
	}
	// Two of three classes have no rows, so that eval prints no objective.
	dir := t.TempDir()
	must(t, "train", "-quiet", "-multiclass", "ovo",
		file(t, "three.svm", "1 1:1\n2 2:1\n3 1:1 2:1\n"), dir+"/model")
	if table, _ := must(t, "eval", file(t, "one.svm", "2 2:1\n"), dir+"/model"); !strings.Contains(
		table, "have no rows") {
		t.Errorf("eval: %s", table)
	}
	// With two labels, a joint problem has two scores, and one-vs-one has one.
	for kind, columns := range map[string]string{"crammer-singer": "label\t-1\t1",
		"multinomial": "label\t-1\t1", "ovo": "label\t1"} {
		data := file(t, "toy.svm", toy)
		must(t, "train", "-quiet", "-multiclass", kind, data, dir+"/model")
		if out, _ := must(t, "predict", "-quiet", "-scores", data, dir+"/model"); strings.Split(out,
			"\n")[0] != columns {
			t.Errorf("%s: %s", kind, out)
		}
		if out, _ := must(t, "predict", "-quiet", data, dir+"/model"); out != "1\n1\n-1\n-1\n" {
			t.Errorf("%s: predicted %q", kind, out)
		}
	}
}

func noisy(seed uint64, rows int, only func(class int) bool, name func(class int) string) string {
	g := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	for range rows {
		class := g.IntN(3)
		x, y := g.IntN(9)+4*class, g.IntN(9)-3*(class%2)
		if only(class) {
			fmt.Fprintf(&b, "%d,%d,%s\n", x, y, name(class))
		}
	}
	return b.String()
}

// namelessHash ignores the table, too.
func namelessHash(t *testing.T, name string) string {
	t.Helper()
	m := modelOf(t, name)
	m.Names, m.Table = nil, nil
	return m.Hash()
}

func TestCosts(t *testing.T) {
	dir := t.TempDir()
	hash := func(args ...string) any {
		t.Helper()
		must(t, append([]string{"train", "-quiet", "-multiclass", "crammer-singer", "-lambda",
			"0.01", "-json", dir + "/json"}, append(args, dir+"/model")...)...)
		return namelessHash(t, dir+"/model")
	}
	all := func(int) bool { return true }
	pets := func(class int) string { return []string{"ant", "cat", "dog"}[class] }
	data := file(t, "pets.csv", noisy(1, 60, all, pets))
	plain := hash(data)
	if hash(data, "-costs", file(t, "c", "0 1 1\n1,0,1\n1\t1 0\r\n")) != plain {
		t.Error("costs of 1 change the model")
	}
	// The names ascend as the digits do, so that both give the same class numbers.
	costs := file(t, "c", "0 1 9\n3 0 1\n1 2 0\n")
	if a, b := hash(data, "-costs", costs), hash(file(t, "numbers.csv",
		noisy(1, 60, all, func(class int) string { return fmt.Sprint(class) })), "-costs",
		costs); a != b || a == plain {
		t.Errorf("with names %v, with numbers %v, without costs %v", a, b, plain)
	}
	for want, args := range map[string][]string{
		`costs:2: "x" is not a cost`: {"-costs", file(t, "costs", "0 1 1\n1 x 1\n1 1 0\n")},
		"costs:2: 2 costs, want 3":   {"-costs", file(t, "costs", "0 1 1\n1 0\n1 1 0\n")},
		"costs:1: 3 costs, want 4": {"-costs",
			file(t, "costs", "0 1 1\n1 0 1\n1 1 0\n1 1 1\n")},
		"costs: -costs: have 2 rows": {"-costs", file(t, "costs", "0 1\n1 0\n")},
		"costs: -costs: have 1 in row 1, column 1 ": {"-costs",
			file(t, "costs", "0 1 1\n1 1 1\n1 1 0\n")},
		"costs: -costs: have -1 in row 1, column 2 ": {"-costs",
			file(t, "costs", "0 1 1\n1 0 -1\n1 1 0\n")},
		"costs: -costs: they are for -mu": {"-multiclass", "ovr", "-costs",
			file(t, "costs", "0 1 1\n1 0 1\n1 1 0\n")},
		"none/costs": {"-costs", dir + "/none/costs"},
	} {
		fails(t, anyFailure, want, append([]string{"train", "-multiclass", "crammer-singer", data,
			dir + "/other"}, args...)...)
	}
	fails(t, exitUsage, `: -costs: they require -multiclass "crammer-singer"; -multiclass: have `+
		`"crammer-singer", which requires -loss "hinge", but -loss is "log"`, "train", "-loss", "log",
		"-costs", costs, data, dir+"/other")
}

func TestValid(t *testing.T) {
	dir := t.TempDir()
	hash := func(args ...string) any {
		t.Helper()
		must(t, append([]string{"train", "-quiet", "-lambda", "0.001", "-average", "none", "-bias",
			"augmented", "-order", "shuffled", "-epochs", "60", "-json", dir + "/json"},
			args...)...)
		return namelessHash(t, args[len(args)-1])
	}
	all := func(int) bool { return true }
	some := func(class int) bool { return class > 0 }
	pets := func(class int) string { return []string{"ant", "cat", "dog"}[class] }
	numbers := func(class int) string { return fmt.Sprint(class) }
	for _, multiclass := range []string{"ovr", "ovo", "crammer-singer"} {
		for n, v := range []struct {
			only  func(int) bool
			other []string // label of one more row, as a name and as a number
		}{{all, nil}, {some, nil}, {all, []string{"aardvark", "7"}}} {
			var hashes []any
			for k, name := range []func(int) string{pets, numbers} {
				rows := noisy(3, 80, v.only, name)
				if v.other != nil {
					rows += "3,3," + v.other[k] + "\n"
				}
				data, valid := file(t, "data.csv", noisy(2, 80, all, name)), file(t,
					"valid.csv", rows)
				hashes = append(hashes, hash("-multiclass", multiclass, "-patience", "40", "-valid",
					valid, data, dir+"/model"))
			}
			last := report(t, dir+"/json")
			plain := hash("-multiclass", multiclass,
				file(t, "data.csv", noisy(2, 80, all, numbers)), dir+"/plain")
			if hashes[0] != hashes[1] || hashes[0] == plain || last["epochs"].(float64) >= 60 {
				t.Errorf("%s %d: named %v, numbered %v, without validation %v; %v epochs",
					multiclass, n, hashes[0], hashes[1], plain, last["epochs"])
			}
			valid := file(t, "valid.csv", noisy(3, 80, v.only, numbers))
			must(t, "eval", "-quiet", "-json", dir+"/a", valid, dir+"/model")
			must(t, "eval", "-quiet", "-json", dir+"/b", valid, dir+"/plain")
			a := report(t, dir+"/a")["accuracy"].(float64)
			b := report(t, dir+"/b")["accuracy"].(float64)
			if a < b {
				t.Errorf("%s %d: accuracy %v, without validation %v", multiclass, n, a, b)
			}
		}
	}
	// -start uses the model's labels, also for -class-weight, even if the data lack some.
	var hashes []any
	for _, name := range []func(int) string{pets, numbers} {
		must(t, "train", "-quiet", "-lambda", "1e-4", "-scale", "none", "-multiclass", "ovr",
			"-bias", "augmented", "-bias-scale", "1", "-epochs", "20", "-average", "none", "-order",
			"shuffled", file(t, "data.csv", noisy(4, 80, all, name)), dir+"/start")
		hashes = append(hashes, hash("-start", dir+"/start", "-class-weight", name(2)+"=1.5",
			"-patience", "4", "-valid", file(t, "valid.csv", noisy(3, 80, all, name)),
			file(t, "some.csv", noisy(2, 80, some, name)), dir+"/model"))
	}
	if hashes[0] != hashes[1] || report(t, dir+"/json")["epochs"].(float64) < 2 {
		t.Errorf("-start: hash with named labels %v, with numbers %v; %v epochs",
			hashes[0], hashes[1], report(t, dir+"/json")["epochs"])
	}
	// If all rows of a class have weight 0, the model has neither the class nor its name.
	var weights strings.Builder
	for line := range strings.Lines(noisy(2, 80, all, pets)) {
		fmt.Fprintln(&weights, strings.Count(line, "ant")^1)
	}
	hash("-weights", file(t, "weights", weights.String()),
		file(t, "data.csv", noisy(2, 80, all, pets)), dir+"/model")
	if have := fmt.Sprint(report(t, dir+"/json")["labels"]); have != "[cat dog]" {
		t.Errorf("labels %s", have)
	}
	// The numbers of the model's classes, 1 and 2, are not the indices of its names.
	pairs := file(t, "two.csv", "1,0,dog\n0,1,cat\n")
	must(t, "convert", "-for", dir+"/model", pairs, dir+"/two.svm")
	must(t, "convert", "-for", dir+"/model", pairs, dir+"/two.csv")
	if a, b := read(t, dir+"/two.svm"), read(t, dir+"/two.csv"); !strings.HasPrefix(a, "2 ") ||
		!strings.Contains(a, "\n1 ") || !strings.Contains(b, ",dog\n") || !strings.Contains(b, ",cat\n") {
		t.Errorf("%s%s", a, b)
	}
	if _, told := must(t, "train", "-start", dir+"/model", "-weights", file(t, "weights",
		weights.String()), file(t, "data.csv", noisy(2, 80, all, pets)), dir+"/started"); !strings.
		Contains(told, "3 classes: ant (") {
		t.Error(told)
	}
	line := file(t, "line.csv", "x,y\n0,1\n1,3\n2,5\n3,7\n")
	must(t, "train", "-quiet", "-loss", "eps-insensitive", "-bias", "unregularised", "-epochs",
		"500", "-patience", "3", "-valid", line, line, dir+"/model")
	if _, told := must(t, "predict", line, dir+"/model"); !strings.Contains(told, "RMSE ") {
		t.Error(told)
	}
	data := file(t, "data.csv", noisy(2, 80, all, pets))
	for want, args := range map[string][]string{
		"-patience needs -valid":           {"-patience", "3", data},
		"-patience must be greater than 0": {"-patience", "0", "-valid", data, data},
		"-patience must be greater":        {"-patience", "-1", "-valid", data, data},
		"no/such.csv": {"-patience", "1", "-valid",
			dir + "/no/such.csv", data},
		"bad.csv:2:": {"-patience", "1", "-valid",
			file(t, "bad.csv", "1,2,ant\n1,cat\n"), data},
		"empty.svm: no rows to validate": {"-patience", "1", "-valid",
			file(t, "empty.svm", ""), data},
		"label is not a number as in the training data": {"-loss", "eps-insensitive",
			"-patience", "1", "-valid", file(t, "data.csv", "1,ant\n2,cat\n"), line},
	} {
		fails(t, anyFailure, want, append(append([]string{"train"}, args...), dir+"/other")...)
	}
}

func TestUnregularisedBias(t *testing.T) {
	dir := t.TempDir()
	_, told := must(t, "train", "-bias", "unregularised", "-lambda", "0.01", "-scale", "none",
		"-multiclass", "ovr", "-epochs", "20", "-json", dir+"/json", digits, dir+"/model")
	must(t, "eval", "-quiet", "-json", dir+"/eval", digits, dir+"/model")
	run, e := report(t, dir+"/json"), report(t, dir+"/eval")
	d := e["objective"].(float64)/run["objective"].(float64) - 1
	if !strings.Contains(told, "no useful bound yet on its distance from the optimum: "+
		"more -epochs, or -finish newton, may bring one") || run["gap"] == nil || d > 1e-6 ||
		d < -1e-6 || e["accuracy"].(float64) < 0.93 {
		t.Errorf("objective %v, in training %v; accuracy %v; %s", e["objective"], run["objective"],
			e["accuracy"], told)
	}
}
