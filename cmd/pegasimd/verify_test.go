package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/model/proof"
)

func TestVerify(t *testing.T) {
	dir := t.TempDir()
	model, proof := filepath.Join(dir, "model"), filepath.Join(dir, "proof")
	numbers := filepath.Join(dir, "json")
	toy := file(t, "toy.svm", toy)
	named := file(t, "named.csv", "a,b,y\n1,2,yes\n2,1,yes\n-1,-2,no\n-2,0,no\n")
	three := file(t, "three.csv", "u,v,y\n1,2,b\n2,1,c\n3,3,a\n-1,-2,b\n-2,0,c\n4,3,a\n")
	weights := file(t, "weights", "1\n2\n3\n4\n")
	prior := filepath.Join(dir, "prior")
	must(t, "train", "-quiet", "-epochs", "1", "-lambda", "10", toy, prior)
	for name, run := range map[string]struct{ data, with []string }{
		"two classes":         {[]string{toy}, nil},
		"names":               {[]string{"-scale", "standard", "-class-weight", "yes=2", named}, nil},
		"a class of weight 0": {[]string{"-class-weight", "a=0", three}, nil},
		"weights":             {[]string{"-tol", "0.1", toy}, []string{"-weights", weights}},
		"prior":               {[]string{toy}, []string{"-prior", prior}},
		"ten classes":         {[]string{"-tol", "0.5", digits}, nil},
		"pairs":               {[]string{"-tol", "0.5", "-multiclass", "ovo", digits}, nil},
		"joint":               {[]string{"-tol", "0.5", "-multiclass", "crammer-singer", digits}, nil},
		"numbers":             {[]string{"-loss", "eps-insensitive", toy}, nil},
		"dual":                {[]string{"-finish", "dual", "-tol", "0.01", "-c", "1", digits}, nil},
		"unpenalised": {[]string{"-bias", "unregularised", "-multiclass", "ovr", "-tol", "0.5",
			digits}, nil},
		"newton": {[]string{"-finish", "newton", "-tol", "0.01", "-multiclass", "ovr", digits},
			nil},
		"calibrated": {[]string{"-proba", "-tol", "0.5", digits}, nil},
		"mini-batches": {[]string{"-batch", "20", "-project", "-lambda", "3", digits, "-epochs", "20"},
			nil},
	} {
		t.Run(name, func(t *testing.T) {
			args := append([]string{"train", "-quiet", "-proof", proof}, run.data...)
			must(t, append(append(args, run.with...), model)...)
			data := run.data[len(run.data)-1]
			if strings.Trim(data, "0123456789") == "" {
				data = digits
			}
			check := append([]string{"verify", "-json", numbers}, run.with...)
			_, _ = must(t, append(check, model, data)...)
			if r := report(t, numbers); r["verdict"] == "contradicted" || r["data_known"] != true ||
				r["objective"] == nil {
				t.Errorf("%v", r)
			}
			told, _ := must(t, append(check, "-proof", proof, model, data)...)
			if r := report(t, numbers); r["verdict"] != "confirmed" || r["proof"] != true ||
				!strings.HasSuffix(told, "\nconfirmed\n") {
				t.Errorf("%v\n%s", r, told)
			}
		})
	}
}

func TestVerifyContradicts(t *testing.T) {
	dir := t.TempDir()
	model, proof := filepath.Join(dir, "model"), filepath.Join(dir, "proof")
	data := file(t, "toy.svm", toy)
	must(t, "train", "-quiet", "-epochs", "2", "-lambda", "3", "-proof", proof, data, model)
	hash := report(t, jsonOf(t, model))["model_hash"].(string)
	must(t, "verify", "-hash", hash, model, data)
	must(t, "verify", "-hash", strings.ToUpper(hash[:16])+"...", model, data)
	other, kernel := filepath.Join(dir, "other"), filepath.Join(dir, "kernel")
	must(t, "train", "-quiet", "-seed", "1", "-lambda", "0.1", data, other)
	must(t, "train", "-quiet", "-kernel", "rbf", data, kernel)
	fails(t, exitError, "contradicted: the model's hash is "+hash,
		"verify", "-hash", strings.Repeat("0", 16), model, data)
	fails(t, exitError, "contradicted: the data are not the model's", "verify", model,
		file(t, "toy.svm", strings.Replace(toy, "1:3", "1:3.0001", 1)))
	fails(t, exitError, "contradicted: the data have features that the model does not have",
		"verify", model, file(t, "toy.svm", strings.Replace(toy, "2:0.5", "2:0.5 3:1", 1)))
	fails(t, exitError, "contradicted: ", "verify", model,
		file(t, "toy.svm", strings.Replace(toy, "+1", "-1", 1)))
	fails(t, exitError, proof+": the proof belongs to another model",
		"verify", "-proof", proof, other, data)
	fails(t, exitUsage, "-proof: not for kernel machines", "verify", "-proof", proof, kernel, data)
	fails(t, exitError, "contradicted: the data are not the model's", "verify", kernel,
		file(t, "toy.svm", strings.Replace(toy, "1:3", "1:3.0001", 1)))
	fails(t, exitUsage, "-hash: have", "verify", "-hash", "12", model, data)
	fails(t, exitUsage, "-proof: with -order", "train", "-order", "iid", "-proof", proof, data,
		model)
	fails(t, exitUsage, "-prior: the model was trained with a prior", "verify", priorOf(t, data), data)
	fails(t, exitError, "no rows with labels", "verify", model, file(t, "empty.svm", ""))
	fails(t, exitUsage, "is not a proof of pegasimd", "train", "-proof", other, data, model)
}

func jsonOf(t *testing.T, model string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "json")
	must(t, "inspect", "-json", name, model)
	return name
}

func priorOf(t *testing.T, data string) string {
	t.Helper()
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first"), filepath.Join(dir, "second")
	must(t, "train", "-quiet", data, first)
	must(t, "train", "-quiet", "-prior", first, data, second)
	return second
}

func TestVerifyKernelMachines(t *testing.T) {
	model, numbers := filepath.Join(t.TempDir(), "model"), filepath.Join(t.TempDir(), "json")
	named := file(t, "named.csv", "a,b,y\n1,2,yes\n2,1,yes\n-1,-2,no\n-2,0,no\n")
	for _, data := range []string{named, digits} {
		must(t, "train", "-quiet", "-kernel", "rbf", data, model)
		told, _ := must(t, "verify", "-json", numbers, model, data)
		if r := report(t, numbers); r["verdict"] != "confirmed" || r["data_known"] != true ||
			!strings.Contains(told, "from its coefficients\nconfirmed\n") {
			t.Errorf("%v\n%s", r, told)
		}
	}
}

func TestVerifyFalseClaims(t *testing.T) {
	claims := func(name string) string { return filepath.Join("testdata", "claims", name) }
	for _, args := range [][]string{
		{claims("false-confirmed.model"), claims("false-confirmed.svm")},
		{"-proof", claims("proof-false.proof"), claims("proof-false.model"),
			claims("offset1e4.svm")},
	} {
		code, told, _ := pegasimd(t, append([]string{"verify"}, args...)...)
		if code != exitError || !strings.HasSuffix(told, "\ncontradicted\n") ||
			!strings.Contains(told, " % above the optimum, from ") {
			t.Errorf("%q: exit code %d\n%s", args, code, told)
		}
	}
}

func TestVerifyLacksClaims(t *testing.T) {
	dir := t.TempDir()
	model, proof, data := filepath.Join(dir, "model"), filepath.Join(dir, "proof"),
		file(t, "toy.svm", toy)
	must(t, "train", "-quiet", "-finish", "newton", "-tol", "0.0002", "-proof", proof, data, model)
	m := modelOf(t, model)
	m.Result.PerClass = nil
	m.Result.Objective -= 0.6 * (m.Result.Objective - m.Result.DualObjective)
	save(t, m, model)
	const want = "contradicted: the model has results of 0 weight vectors, want 1"
	fails(t, exitError, want, "verify", "-passes", "200", model, data)
	fails(t, exitError, want, "verify", "-proof", proof, model, data)
}

func TestVerifyClaimsNothing(t *testing.T) {
	data, model := file(t, "toy.svm", toy), filepath.Join(t.TempDir(), "model")
	check := func(name, data string) {
		t.Helper()
		code, out, told := pegasimd(t, "verify", model, data)
		if code != exitNothing || !strings.HasSuffix(out, "\nclaims nothing\n") ||
			!strings.Contains(told, "claims nothing") {
			t.Errorf("%s: exit code %d\n%s%s", name, code, out, told)
		}
	}
	must(t, "train", "-quiet", "-lambda", "0.1", data, model)
	must(t, "verify", model, data)
	for _, bound := range []float64{math.NaN(), 0, 1e-300} {
		m := modelOf(t, model)
		m.Result.DualObjective, m.Result.PerClass[0].DualObjective = bound, bound
		m.Result.Gap = proof.Gap(m.Result.Objective, bound)
		save(t, m, model)
		check(fmt.Sprintf("the bound %v", bound), data)
	}
	m := modelOf(t, model)
	m.Result.Objective, m.Result.DualObjective, m.Result.Gap = math.NaN(), math.NaN(), math.NaN()
	m.Result.PerClass = nil
	save(t, m, model)
	check("no objective", data)
	var far strings.Builder
	g := rand.New(rand.NewPCG(5, 1))
	for i := range 200 {
		fmt.Fprintf(&far, "%d", i%2)
		for j := range 4 {
			fmt.Fprintf(&far, " %d:%.6f", j+1, 1e4+g.NormFloat64())
		}
		far.WriteByte('\n')
	}
	data = file(t, "far.svm", far.String())
	must(t, "train", "-quiet", "-kernel", "linear", data, model)
	check("a kernel machine far from the origin", data)
}

func TestVerifyTellsWhatItFound(t *testing.T) {
	dir := t.TempDir()
	model, numbers := filepath.Join(dir, "model"), filepath.Join(dir, "json")
	for _, kind := range []string{"-scale=none", "-kernel=rbf"} {
		must(t, "train", "-quiet", "-layout", "sparse", kind, digits, model)
		for want, args := range map[string][]string{"sparse:": nil, "dense:": {"-layout", "auto"}} {
			must(t, append(append([]string{"verify", "-json", numbers}, args...), model, digits)...)
			if have := report(t, numbers)["data"].(string); !strings.HasPrefix(have, want) {
				t.Errorf("%s %q: the layout of the data is %.9q", kind, args, have)
			}
		}
	}
	must(t, "train", "-quiet", "-multiclass", "ovr", "-epochs", "1", "-lambda", "1e-5", digits,
		model)
	code, told, _ := pegasimd(t, "verify", "-passes", "0", model, digits)
	if code != exitNothing || !strings.Contains(told, " % above the optimum, from its scores\n") {
		t.Error(told)
	}
	must(t, "train", "-quiet", "-multiclass", "ovr", "-tol", "0.01", digits, model)
	told, _ = must(t, "verify", "-passes", "0", "-json", numbers, model, digits)
	n := len(report(t, numbers)["unconfirmed"].([]any))
	want := fmt.Sprintf("\nbound or gap not confirmed for %d of 10 problems: 0, ", n)
	if n < 2 || !strings.Contains(told, want) {
		t.Errorf("%s\nlacks %q", told, want)
	}
}
