package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/pegasos"
)

// Train with -lambdas tells of each lambda, each proven to -tol, and writes the model that is best
// on the data of -valid, or without these that of the least lambda.
func TestPath(t *testing.T) {
	dir := t.TempDir()
	data, valid := filepath.Join(dir, "data.svm"), filepath.Join(dir, "valid.svm")
	for name, seed := range map[string]uint64{data: 1, valid: 2} {
		g, text := rand.New(rand.NewPCG(seed, 0)), strings.Builder{}
		for range 200 {
			a, b := g.NormFloat64(), g.NormFloat64()
			label := 2
			if a+0.5*b+0.7*g.NormFloat64() < 0 {
				label = 1
			}
			fmt.Fprintf(&text, "%d 1:%.4f 2:%.4f 3:%.4f\n", label, a, b, g.NormFloat64())
		}
		if err := os.WriteFile(name, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{}, {"-valid", valid}, {"-loss", "log", "-tol", "0.001"},
		{"-loss", "squared", "-valid", valid},
	} {
		args = append(args, "-lambdas", "1e-3:10:5", "-scale", "none", "-json", dir+"/json", data,
			dir+"/model")
		_, told := must(t, append([]string{"train"}, args...)...)
		var run struct {
			Path   []pathPoint
			Lambda float64
			Config pegasos.Config
		}
		text, err := os.ReadFile(dir + "/json")
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &run); err != nil {
			t.Fatal(err)
		}
		if len(run.Path) != 5 || !strings.Contains(told, "above the optimum") {
			t.Fatalf("%v: %+v, %s", args, run.Path, told)
		}
		best := 0
		for i, p := range run.Path {
			before := run.Path[max(0, i-1)]
			if !(float64(p.Gap) <= run.Config.Tol) || run.Config.Tol == 0 ||
				i > 0 && !(p.Lambda < before.Lambda && p.Objective < before.Objective) {
				t.Errorf("%v: %+v", args, p)
			}
			if p.better(&run.Path[best], strings.Contains(strings.Join(args, " "), "squared")) {
				best = i
			}
		}
		if args[0] != "-valid" && args[2] != "-valid" {
			best = 4
		}
		for i, p := range run.Path {
			if p.Chosen != (i == best) || p.Chosen && float64(p.Lambda) != run.Lambda {
				t.Errorf("%v: %+v, lambda %v written, want point %d", args, p, run.Lambda, best)
			}
		}
		m, err := readLinear(dir + "/model")
		if err != nil || m.Lambda != run.Lambda {
			t.Error(args, err)
		}
	}
	for _, args := range [][]string{
		{"-lambdas", "1:0:3"}, {"-lambdas", "x"}, {"-lambdas", "1,2", "-lambda", "1"},
		{"-lambdas", "1,2", "-plot", dir + "/p.svg"}, {"-lambdas", "1,2", "-kernel", "rbf"},
		{"-lambdas", "1,2", "-checkpoint", dir + "/c"}, {"-lambdas", "1,1e-30"},
	} {
		code, _, told := pegasimd(t, append(append([]string{"train"}, args...), data, dir+"/m")...)
		if code != exitUsage || !strings.Contains(told, "-lambda") {
			t.Errorf("%v: exit %d: %s", args, code, told)
		}
	}
}
