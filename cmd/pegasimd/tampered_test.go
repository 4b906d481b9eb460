package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/model/modelfile"
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/modelio"
	"github.com/pegasimd/pegasimd/pegasos"
)

var tamperedStep = flag.Int("tampered", 50, "TestTampered verifies every n-th tampered model, and "+
	"four times as many of the kinds that spec/verifier covers")

type honest struct {
	flags   string
	with    string // flags of both train and verify
	data    string
	covered bool // spec/verifier covers models of this kind

	file        []byte
	header      []string // the lines after the first
	numbers     string   // bytes between header and checksum
	cols        int
	terms       int // of the expansion
	vectors     int
	predictions string              // exit codes and outputs of predict
	bound       float64             // best lower bound that verify found
	notChecked  map[string][]string // by the verifier's name: parts that it names as not checked
}

var honestModels = []*honest{
	{flags: "-scale none -bias none -finish none -epochs 5", data: "two.svm", covered: true},
	{flags: "", data: "two.svm", covered: true},
	{flags: "-loss log -scale unit -tol 1e-3", data: "two.svm", covered: true},
	{flags: "-loss squared-hinge -scale max-abs -layout sparse -finish dual", data: "two.svm",
		covered: true},
	{flags: "-c 1 -finish dual -scale none -seed 3", data: "two.svm", covered: true},
	{flags: "-multiclass ovo -average none -offset none -epochs 30", data: "two.svm", covered: true},
	{flags: "-layout sparse", data: "wide.svm", covered: true},
	{flags: "-curves products -layout dense", data: "two.svm", covered: true},
	{flags: "-curves pieces -loss log -layout dense -lambda .1 -tol 1e-3", data: "two.svm",
		covered: true},
	{flags: "-proba -epochs 3", data: "two.svm"},
	{flags: "-multiclass ovr", data: "three.svm"},
	{flags: "-multiclass ovo", data: "three.svm"},
	{flags: "-multiclass crammer-singer", data: "three.svm"},
	{flags: "-multiclass multinomial -loss log", data: "three.svm"},
	{flags: "-loss squared", data: "numbers.svm"},
	{flags: "-loss eps-insensitive -target-scale none -tol 0.01", data: "numbers.svm"},
	{flags: "-class-weight balanced -loss log", data: "two.svm"},
	{with: "-weights weights", data: "two.svm"},
	{with: "-prior prior.model", data: "two.svm"},
	{flags: "-bias unregularised -finish newton", data: "two.svm"},
	{flags: "-batch 3 -project -epochs 3", data: "two.svm"},
	{with: "-hash-bits 5", data: "wide.svm"},
	{flags: "", data: "table.csv"},
	{flags: "-proba -epochs 3", data: "table.csv"},
	{flags: "-loss log", data: "named.csv"},
	{flags: "-kernel rbf", data: "two.svm"},
	{flags: "-kernel linear", data: "two.svm"},
	{flags: "-kernel polynomial -degree 2 -layout sparse", data: "three.svm"},
	{flags: "-kernel rbf -multiclass ovr -c 1", data: "three.svm"},
	{flags: "-kernel rbf", data: "table.csv"},
	{with: "-start prior.model", data: "two.svm"},
	{flags: "-epochs 400", with: "-costs costs", data: "three.svm"},
	{flags: "-multiclass ovo -class-weight balanced -c 1", data: "three.svm"},
	{flags: "-proba -scale standard", data: "named.csv"},
	{flags: "-text note -words 9 -ignore id", data: "table.csv"},
	{flags: "-curves products", data: "named.csv"},
	{flags: "-curves pieces -loss squared", data: "numbers.svm"},
	{flags: "-curves products -multiclass ovo", with: "-layout dense", data: "three.svm"},
}

func writeCorpus(t *testing.T) {
	g := rand.New(rand.NewPCG(9, 43))
	files := map[string]*strings.Builder{}
	for _, name := range strings.Fields("two.svm three.svm numbers.svm wide.svm weights named.csv " +
		"table.csv") {
		files[name] = new(strings.Builder)
	}
	print := func(name, format string, a ...any) { fmt.Fprintf(files[name], format, a...) }
	print("named.csv", "width,height,kind\n")
	print("table.csv", "id,odd,age,member,town,since,note,label\n")
	towns, words := strings.Fields("Oslo Rome Paris"), strings.Fields("red green blue big small new")
	for i := range 60 {
		class := g.IntN(3)
		x := [3]float64{float64(class) + g.NormFloat64(), 10 * g.NormFloat64(), 4 + g.NormFloat64()}
		row := fmt.Sprintf("1:%.3g 2:%.3g 4:%.3g", x[0], x[1], x[2])
		print("two.svm", "%d %s\n", 2*min(class, 1)-1, row)
		print("three.svm", "%d %s\n", class, row)
		print("numbers.svm", "%.3g %s\n", x[0]+x[2], row)
		print("wide.svm", "%d %d:%.3g 2000:1\n", min(class, 1), 1+g.IntN(40)+40*class, 1+g.Float64())
		print("weights", "%d\n", 1+i%3)
		print("named.csv", "%.3g,%.3g,%s\n", x[0], x[1], []string{"plum", "pear"}[min(class, 1)])
		age, note := fmt.Sprintf("%.3g", 40+x[1]), ""
		if i%7 == 0 {
			age = ""
		}
		for range 2 + g.IntN(5) {
			note += words[min(len(words)-1, g.IntN(4)+class)] + fmt.Sprintf(" n%d ", g.IntN(90))
		}
		print("table.csv", "%d,%d%s,%s,%s,%s,20%02d-%02d-%02d,%s,%s\n", i, g.IntN(900),
			[]string{"", " kg"}[i%20/19], age, []string{"yes", "no"}[g.IntN(2)],
			towns[(class+g.IntN(2))%3], 10+g.IntN(9), 1+g.IntN(12), 1+g.IntN(28), note,
			[]string{"stays", "goes"}[min(class, 1)])
	}
	for name, text := range files {
		write(t, name, text.String())
	}
	write(t, "costs", "0 1 2\n1 0 1\n2 1 0\n")
	must(t, "train", "-quiet", "-scale", "none", "-epochs", "1", "-lambda", "0.1", "two.svm",
		"prior.model")
}

// train also sets h's fields from file on, and checks the answers about the honest model.
func (h *honest) train(t *testing.T, verifiers []*verifier) {
	args := append([]string{"train", "-quiet", "-force"}, strings.Fields(h.flags+" "+h.with)...)
	must(t, append(args, h.data, "model")...)
	var err error
	if h.file, err = os.ReadFile("model"); err != nil {
		t.Fatal(err)
	}
	var header string
	header, h.numbers, _ = strings.Cut(string(h.file[:len(h.file)-sha256.Size]), "\n\n")
	h.header = strings.Split(header, "\n")[1:]
	p, err := modelio.Read(bytes.NewReader(h.file))
	if err != nil {
		t.Fatal(err)
	}
	h.cols, h.vectors, h.terms = p.Cols(), p.Outputs(), 0
	if m, ok := p.(*pegasos.Model); ok && m.Scaling != nil {
		h.terms = m.Scaling.Expansion.Len()
	}
	h.predictions, h.notChecked = h.predict(t, "model"), map[string][]string{}
	for _, v := range verifiers {
		f := v.verify(t, h, "model")
		ok := f.verdict == "confirmed" || f.verdict == "not confirmed"
		switch {
		case v.name != "verify" && h.covered:
			ok = f.verdict == "confirmed"
		case v.name != "verify":
			ok = f.verdict == "refused" && strings.Contains(f.told, "not supported")
		}
		for _, claim := range strings.Fields("weights biases lambda data config.loss " +
			"config.lambda result.objective result.dual_objective result.gap") {
			ok = ok && !named(claim, f.notChecked)
		}
		if !ok {
			t.Errorf("%s of %v: %s: %s", v.name, h, f.verdict, f.told)
		}
		h.notChecked[v.name] = f.notChecked
		if v.name == "verify" {
			h.checkLists(t, f)
		}
	}
	proving, model := *h, "model"
	if !strings.HasPrefix(h.flags, "-kernel") {
		proving.with += " -passes 1000"
	}
	for _, m := range h.tamper(rand.New(rand.NewPCG(1, 1))) {
		if strings.HasSuffix(m.what, gapOfZero) { // the claim that verify searches for longest
			model = "tampered"
			write(t, model, h.sealed(m))
			break
		}
	}
	h.bound = verifiers[0].verify(t, &proving, model).bound
}

// checkLists reports an error for each part of the header that is in neither of verify's lists of
// checked and unchecked parts, or is named by the same element of both.
func (h *honest) checkLists(t *testing.T, f opinion) {
	var each func(v value)
	each = func(v value) {
		for _, p := range v.parts {
			each(p)
		}
		if v.parts == nil && listOf(v.path, f.checked) == listOf(v.path, f.notChecked) {
			t.Errorf("%v: %s is in neither of the lists, or in both", h, v.path)
		}
	}
	for _, line := range h.header {
		key, text, _ := strings.Cut(line, ": ")
		each(valueOf(text, key))
	}
}

func (h *honest) String() string {
	return strings.Join(strings.Fields(h.flags+" "+h.with+" "+h.data), " ")
}

func (h *honest) predict(t *testing.T, model string) (all string) {
	for _, flag := range []string{"", "-scores", "-proba"} {
		args := append([]string{"predict", "-quiet"}, strings.Fields(flag)...)
		code, told, _ := pegasimd(t, append(args, h.data, model)...)
		all += fmt.Sprint(code, told)
	}
	return all
}

type verifier struct {
	name string
	run  func(t *testing.T, h *honest, model string) (f opinion, code int)
}

type opinion struct {
	verdict    string   // "refused" if the verifier printed none
	told       string   // error message of verify, or output of spec/verifier
	bound      float64  // that verify found; 0 for spec/verifier
	checked    []string // nil for spec/verifier
	notChecked []string // named as not checked
}

var exitCodes = map[string]int{"confirmed": exitDone, "not confirmed": exitDone,
	"contradicted": exitError, "claims nothing": exitNothing}

func (v *verifier) verify(t *testing.T, h *honest, model string) opinion {
	f, code := v.run(t, h, model)
	if want, ok := exitCodes[f.verdict]; ok && code != want || !ok &&
		(f.verdict != "refused" || code != exitError && code != exitUsage) {
		t.Errorf("%s: %q with the exit code %d: %s", v.name, f.verdict, code, f.told)
	}
	return f
}

func verifyHere(t *testing.T, h *honest, model string) (f opinion, code int) {
	args := append([]string{"verify", "-json", "-"}, strings.Fields(h.with)...)
	code, out, told := pegasimd(t, append(args, model, h.data)...)
	var r struct {
		Verdict    string   `json:"verdict"`
		Bound      float64  `json:"dual_objective"`
		Checked    []string `json:"checked"`
		NotChecked []string `json:"not_checked"`
	}
	if strings.Contains(told, "panic") || strings.Contains(told, "internal error") {
		t.Errorf("verify: %s", told)
	}
	if json.Unmarshal([]byte(out), &r) != nil {
		return opinion{verdict: "refused", told: told}, code
	}
	return opinion{r.Verdict, told, r.Bound, r.Checked, r.NotChecked}, code
}

func runSecond(t *testing.T) func(t *testing.T, h *honest, model string) (opinion, int) {
	program := filepath.Join(t.TempDir(), "verifier")
	build := exec.Command("go", "build", "-o", program, "../../spec/verifier")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return func(t *testing.T, h *honest, model string) (f opinion, code int) {
		c := exec.Command(program, model, h.data)
		both, err := c.CombinedOutput()
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		f.told = strings.TrimSpace(string(both))
		if code = c.ProcessState.ExitCode(); code == exitUsage {
			f.verdict = "refused"
			return f, code
		}
		lines := strings.Split(f.told, "\n")
		f.verdict, _, _ = strings.Cut(lines[len(lines)-1], ", at most")
		for _, line := range lines {
			list, _ := strings.CutPrefix(line, "not checked: ")
			for _, word := range strings.Fields(list) {
				prefix, keys, _ := strings.Cut(word, "{")
				for _, key := range strings.Split(strings.TrimSuffix(keys, "}"), ",") {
					f.notChecked = append(f.notChecked, prefix+key)
				}
			}
		}
		return f, code
	}
}

func TestTampered(t *testing.T) {
	verifiers := []*verifier{{"verify", verifyHere}, {"spec/verifier", runSecond(t)}}
	t.Chdir(t.TempDir())
	writeCorpus(t)
	tried, counts := 0, map[string]int{}
	for k, h := range honestModels {
		h.train(t, verifiers)
		step := *tamperedStep
		if h.covered {
			step = max(1, step/4)
		}
		for i, m := range h.tamper(rand.New(rand.NewPCG(uint64(k), 1))) {
			file := h.sealed(m)
			if (i+k)%step != 0 || bytes.Equal(file, h.file) {
				continue
			}
			write(t, "tampered", file)
			tried++
			for _, v := range verifiers {
				found := v.verify(t, h, "tampered")
				why, ok := found.verdict, true
				if why == "confirmed" {
					// Only the answer about the honest model names parts that
					// the edit removed.
					parts := slices.Concat(found.notChecked, h.notChecked[v.name])
					why, ok = h.mayConfirm(t, m, file, parts)
				}
				if why == otherWeights && v.name == "verify" {
					h.tellApart(t, m)
				}
				if counts[v.name+": "+why]++; !ok {
					t.Errorf("%s confirms %v with %s: %s", v.name, h, m.what, why)
				}
			}
		}
	}
	t.Logf("%d tampered models: %v", tried, counts)
}

const otherWeights = "confirmed, other weights of the same objective; hash.training is not checked"

// With the honest model's hash, verify must contradict a tampered model that it confirms without
// the hash.
func (h *honest) tellApart(t *testing.T, m mutant) {
	line := h.header[slices.IndexFunc(h.header, func(l string) bool {
		return strings.HasPrefix(l, "hash: ")
	})]
	known := *h
	known.with += " -hash " + strings.Trim(strings.TrimPrefix(line, "hash: "), `"`)
	if f, _ := verifyHere(t, &known, "tampered"); f.verdict != "contradicted" {
		t.Errorf("verify -hash of %v with %s: %s", h, m.what, f.verdict)
	}
	write(t, "model", h.file)
	if f, _ := verifyHere(t, &known, "model"); !slices.Contains(f.checked, trainedHash) {
		t.Errorf("verify -hash of %v: %s, checked %q", h, f.verdict, f.checked)
	}
}

// mayConfirm reports whether a verifier that names the parts notChecked may confirm m, and why.
func (h *honest) mayConfirm(t *testing.T, m mutant, file []byte, notChecked []string) (
	why string, ok bool) {
	harmless := func(e mutant) bool {
		return named(e.path, notChecked) || meaning(h.sealed(e)) == meaning(h.file)
	}
	small := m.small
	switch rest := slices.DeleteFunc(slices.Clone(m.edits), harmless); {
	case len(rest) == 1: // one edit matters: judge the model with this edit alone
		file := h.sealed(rest[0])
		write(t, "tampered", file)
		return h.mayConfirm(t, rest[0], file, notChecked)
	case len(rest) == 2:
		small = rest[0].small && rest[1].small
	case m.edits != nil || harmless(m):
		return "confirmed, named as not checked or the same model", true
	}
	was, is := claimsOf(h.file), claimsOf(file)
	switch same := alike(h.predict(t, "tampered"), h.predictions); {
	case !is.asTrue(was, h.bound):
		return fmt.Sprintf("other claims: %+v, honest ones %+v", is, was), false
	case !same && (m.numbersOnly || is.kernel) && named(trainedHash, notChecked):
		// For example, a weight has the opposite sign where no row's loss depends on the sign:
		// the claims are true of the edited model.
		return otherWeights, true
	case !same:
		return "other predictions", false
	case is != was:
		return "confirmed, other claims that are true", true
	case small || m.numbersOnly:
		return "confirmed, the same predictions and claims", true
	}
	return "another value of a part that is not named", false
}

// meaning returns a model file in a canonical form, or an error's text.
func meaning(file []byte) string {
	p, err := modelio.Read(bytes.NewReader(file))
	if err != nil {
		return err.Error()
	}
	if m, ok := p.(*pegasos.Model); ok {
		m.Config = m.Config.Plain()
		for k := range m.Result.PerClass { // fills in zeros: a pair without rows has 0 steps
			of := &m.Result.PerClass[k]
			of.Lambda, of.Steps = cmp.Or(of.Lambda, m.Lambda), cmp.Or(of.Steps, m.Result.Steps)
		}
		if s := m.Scaling; s != nil && s.Kind == pegasos.ScaleNone && s.Spread == 0 &&
			s.Expansion == nil {
			m.Scaling = nil
		}
		if len(m.Weights) == 1 {
			m.Config.Multiclass = pegasos.OneVsRest // one-vs-one of two classes is the same problem
		}
	}
	var again bytes.Buffer
	if err := p.(interface{ Write(io.Writer) error }).Write(&again); err != nil {
		return err.Error()
	}
	return again.String()[:again.Len()-sha256.Size]
}

// alike reports whether predictions are equal, numbers up to an error of 1e-6, relative above 1.
// Near an optimum the objective changes with the square of a change of the scores, so that its
// rounding errors hide small changes.
func alike(a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	return slices.EqualFunc(x, y, func(a, b string) bool {
		v, err := strconv.ParseFloat(a, 64)
		w, err2 := strconv.ParseFloat(b, 64)
		return a == b || err == nil && err2 == nil && math.Abs(v-w) <= 1e-6*max(1, math.Abs(v))
	})
}

func named(path string, list []string) bool { return listOf(path, list) > 0 }

// listOf returns the length of the longest element of list that is the path or contains it.
func listOf(path string, list []string) int {
	for p := path; ; {
		if slices.Contains(list, p) {
			return len(p)
		}
		dot := strings.LastIndexByte(p, '.')
		if dot < 0 {
			return 0
		}
		p = p[:dot]
	}
}

type claims struct {
	objective, bound, lambda float64
	data                     string
	kernel                   bool
}

// asTrue reports whether c claims the honest model's objective, lambda and data, and a bound of at
// most the larger of the honest model's and verify's, up to rounding. A kernel machine may differ
// more in the objective and in lambda.
func (c claims) asTrue(honest claims, bound float64) bool {
	off, most, ratio := math.Abs(c.objective-honest.objective), 0.0, c.lambda/honest.lambda
	if c.kernel {
		most, ratio = (honest.objective-honest.bound)/99, math.Round(1e6*ratio)/1e6
	}
	return off <= most && ratio == 1 && c.data == honest.data &&
		c.bound <= max(honest.bound, (1+1e-11)*bound)
}

func claimsOf(file []byte) (c claims) {
	c.kernel = strings.HasPrefix(string(file), modelfile.Kernel.Magic)
	header, _, _ := strings.Cut(string(file), "\n\n")
	for _, line := range strings.Split(header, "\n") {
		switch key, value, _ := strings.Cut(line, ": "); key {
		case "result":
			var r proof.ClaimHeader
			json.Unmarshal([]byte(value), &r)
			c.objective, c.bound = r.Claim().Objective, r.Claim().DualObjective
		case "lambda":
			c.lambda, _ = strconv.ParseFloat(value, 64)
		case "data":
			_, c.data, _ = strings.Cut(strings.Trim(value, `"`), ":")
		}
	}
	return c
}
