package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/train/result"
	"github.com/pegasimd/pegasimd/modelio"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm"
)

var tamperings = flag.Int("tamperings", 1, "how many times TestVerifyTampered edits each value")

// A tampered model is one kind of model that TestVerifyTampered edits.
type tampered struct {
	data        string   // file
	train, with []string // flags of train, and further ones that verify needs too
}

// tamperedKinds returns models of every kind, with small data.
func tamperedKinds(t *testing.T) map[string]tampered {
	g := rand.New(rand.NewPCG(43, 8))
	var two, three, numbers, csv, weights strings.Builder
	table := strings.Builder{}
	csv.WriteString("a,b,y\n")
	table.WriteString("id,city,age,seen,note,flag,odd,y\n")
	for i := range 60 {
		shift := float64(i % 3)
		x, z := shift+g.NormFloat64(), 9+g.NormFloat64()
		row := fmt.Sprintf("1:%.4g 2:%.4g", x, z)
		fmt.Fprintf(&two, "%d %s\n", i%3/2, row)
		fmt.Fprintf(&three, "%d %s\n", i%3, row)
		fmt.Fprintf(&numbers, "%.4g %s\n", 3*x-z+g.NormFloat64()/9, row)
		fmt.Fprintf(&csv, "%.4g,%.4g,%s\n", x, z, [2]string{"no", "yes"}[i%2])
		fmt.Fprintf(&weights, "%d\n", 1+i%2)
		age, odd := fmt.Sprint(20+g.IntN(60)), fmt.Sprint(g.IntN(900))
		if i%10 == 3 {
			age = ""
		}
		if i%20 == 7 {
			odd = "none"
		}
		fmt.Fprintf(&table, "%d,%s,%s,2026-%02d-%02d,%s %s film %d of a %s kind,%s,%s,%s\n", i,
			[]string{"Oslo", "Lima", "Rome", ""}[g.IntN(4)], age, 1+g.IntN(12), 1+g.IntN(28),
			[]string{"A good", "A bad"}[i%2], []string{"long", "short"}[g.IntN(2)], i,
			[]string{"new", "old", "fine"}[g.IntN(3)], []string{"on", "off"}[g.IntN(2)], odd,
			[2]string{"no", "yes"}[i%2])
	}
	svm, svm3, svmy := file(t, "two.svm", two.String()), file(t, "three.svm", three.String()),
		file(t, "numbers.svm", numbers.String())
	named, words := file(t, "named.csv", csv.String()), file(t, "words.csv", table.String())
	byRow := file(t, "weights", weights.String())
	other := filepath.Join(t.TempDir(), "other.model")
	must(t, "train", "-quiet", "-epochs", "1", svm, other)
	costs := file(t, "costs", "0 1 2\n1 0 1\n2 1 0\n")
	kind := func(data, flags string, with ...string) tampered {
		return tampered{data: data, train: strings.Fields(flags), with: with}
	}
	return map[string]tampered{
		"two classes":    kind(svm, "-tol .01"),
		"unit":           kind(svm, "-tol .01 -scale unit"),
		"dual":           kind(svm, "-finish dual -scale max-abs -tol .01"),
		"weights":        kind(svm, "-tol .01", "-weights", byRow),
		"start":          kind(svm, "-tol .01", "-start", other),
		"prior":          kind(svm, "-lambda 0.1 -epochs 300", "-prior", other),
		"log":            kind(svm, "-loss log -bias unregularised -tol .01"),
		"rest":           kind(svm3, "-multiclass ovr -scale standard -tol .01"),
		"pairs":          kind(svm3, "-multiclass ovo -class-weight balanced -c 1 -tol .01"),
		"crammer-singer": kind(svm3, "-multiclass crammer-singer -tol .01"),
		"costs":          kind(svm3, "-epochs 400", "-costs", costs),
		"multinomial":    kind(svm3, "-multiclass multinomial -loss log -tol .01"),
		"squared":        kind(svmy, "-loss squared -tol .01"),
		"eps":            kind(svmy, "-loss eps-insensitive -finish dual -tol .05"),
		"hashed":         kind(svm, "-hash-bits 3 -tol .01"),
		"named":          kind(named, "-scale standard -tol .01"),
		"calibrated":     kind(named, "-proba -lambda .1"),
		"table":          kind(words, "-text note -words 9 -tol .01 -ignore id"),
		"rbf":            kind(svm, "-kernel rbf"),
		"polynomial":     kind(svm, "-kernel polynomial -degree 2 -gamma .01 -lambda .1 -tol .02"),
		"kernel table":   kind(words, "-kernel rbf"),
		"kernel rest":    kind(svm3, "-kernel rbf -multiclass ovr -c 1"),
	}
}

// Verify confirms an edited model only if it predicts for its training data as the honest model does,
// and claims no more, or if verify lists the edited part as not checked. Each part of the file is in
// one of the two lists. Edited files have a right checksum and no hash.
func TestVerifyTampered(t *testing.T) {
	for name, kind := range tamperedKinds(t) {
		t.Run(name, func(t *testing.T) {
			model := filepath.Join(t.TempDir(), "model")
			args := append([]string{"train", "-quiet"}, kind.train...)
			must(t, append(append(args, kind.with...), kind.data, model)...)
			honest := kind.verify(t, model)
			if honest.verdict != "confirmed" {
				t.Fatalf("the honest model: %s %q", honest.verdict, honest.reasons)
			}
			honest.holdsAll(t, model)
			text, err := os.ReadFile(model)
			if err != nil {
				t.Fatal(err)
			}
			g := rand.New(rand.NewPCG(8, 43))
			edits, confirmed := 0, 0
			for range *tamperings {
				for i, e := range editsOf(t, g, text) {
					if testing.Short() && i%5 > 0 {
						continue
					}
					if err := os.WriteFile(model, e.file, 0o666); err != nil {
						t.Fatal(err)
					}
					edits++
					v := kind.verify(t, model)
					if v.verdict != "confirmed" {
						continue
					}
					confirmed++
					if v.covers(e.part) != "not checked" && !kind.same(t, text, e.file) {
						t.Errorf("%s: %s is confirmed", e.part, e.what)
					}
				}
			}
			t.Logf("%d edits, %d confirmed, of parts that are not checked, or of no effect", edits,
				confirmed)
		})
	}
}

// A finding is the part of verify's report that the tests need.
type finding struct {
	verdict      string
	reasons      []any
	checked, not []string
}

// verify runs verify on a model and the data of its kind.
func (k *tampered) verify(t *testing.T, model string) (f finding) {
	t.Helper()
	args := append([]string{"verify", "-json", "-"}, k.with...)
	code, text, told := pegasimd(t, append(args, model, k.data)...)
	if strings.Contains(told, "panic") || strings.Contains(told, "internal error") {
		t.Errorf("%s", told)
	}
	if text == "" {
		return finding{verdict: fmt.Sprintf("refused, exit code %d: %s", code, told)}
	}
	var r map[string]any
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	strs := func(key string) (all []string) {
		for _, s := range r[key].([]any) {
			all = append(all, s.(string))
		}
		return all
	}
	f.verdict, f.reasons = r["verdict"].(string), r["reasons"].([]any)
	f.checked, f.not = strs("checked"), strs("not_checked")
	if f.verdict == "confirmed" && code != exitDone {
		t.Errorf("confirmed, exit code %d", code)
	}
	return f
}

// covers returns the list with the part, or with the longest part that it is of.
func (f *finding) covers(part string) string {
	for at := part; ; {
		switch in, out := slices.Contains(f.checked, at), slices.Contains(f.not, at); {
		case in && out:
			return "both"
		case in:
			return "checked"
		case out:
			return "not checked"
		}
		dot := strings.LastIndexByte(at, '.')
		if dot < 0 {
			return "none"
		}
		at = at[:dot]
	}
}

// holdsAll reports parts of the model's file that are in none of the lists, or in both.
func (f *finding) holdsAll(t *testing.T, model string) {
	t.Helper()
	text, err := os.ReadFile(model)
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := bytes.Cut(text, []byte("\n\n"))
	for _, line := range strings.Split(string(head), "\n")[1:] {
		key, value, _ := strings.Cut(line, ": ")
		var v any
		if err := json.Unmarshal([]byte(value), &v); err != nil {
			t.Fatal(err)
		}
		eachLeaf(key, v, func(part string, _ any, _ func(any)) {
			if in := f.covers(part); in != "checked" && in != "not checked" {
				t.Errorf("%s is in lists: %s", part, in)
			}
		}, nil)
	}
}

// eachLeaf calls f with each value that is no object and no array of objects, with its part, and with
// a function that replaces the value.
func eachLeaf(part string, v any, f func(part string, v any, set func(any)), set func(any)) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			eachLeaf(part+"."+key, v[key], f, func(to any) { v[key] = to })
		}
		return
	case []any:
		if len(v) == 0 {
			break
		}
		if _, objects := v[0].(map[string]any); objects {
			for i := range v {
				eachLeaf(part, v[i], f, func(to any) { v[i] = to })
			}
			return
		}
	}
	f(part, v, set)
}

// An edit is a model's file in which one value is another, or a bit of the numbers.
type edit struct {
	part, what string
	file       []byte
}

// editsOf returns edits of each value of a model: of the header's values each one of some kinds, and
// some bits of the numbers.
func editsOf(t *testing.T, g *rand.Rand, text []byte) (all []edit) {
	t.Helper()
	head, body, _ := bytes.Cut(text[:len(text)-sha256.Size], []byte("\n\n"))
	lines := strings.Split(string(head), "\n")
	add := func(part, what string, lines []string, body []byte) {
		without := slices.DeleteFunc(slices.Clone(lines), func(line string) bool {
			return strings.HasPrefix(line, "hash: ")
		})
		file := append([]byte(strings.Join(without, "\n")+"\n\n"), body...)
		sum := sha256.Sum256(file)
		all = append(all, edit{part, what, append(file, sum[:]...)})
	}
	for i, line := range lines[1:] {
		key, value, _ := strings.Cut(line, ": ")
		for leaf, more := 0, true; more; leaf++ {
			more = false
			for kind := range editKinds {
				var whole any
				if err := json.Unmarshal([]byte(value), &whole); err != nil {
					t.Fatal(err)
				}
				n, part, what := 0, "", ""
				eachLeaf(key, whole, func(p string, v any, set func(any)) {
					if n++; n-1 != leaf {
						return
					}
					more = true
					if to, ok := edited(g, v, kind); ok {
						part, what = p, fmt.Sprintf("%.60v in place of %.60v", to, v)
						set(to)
					}
				}, func(to any) { whole = to })
				if part == "" {
					continue
				}
				now, err := json.Marshal(whole)
				if err != nil {
					t.Fatal(err)
				}
				changed := slices.Clone(lines)
				changed[i+1] = key + ": " + string(now)
				add(part, what, changed, body)
			}
		}
		add(key, "nothing", slices.Delete(slices.Clone(lines), i+1, i+2), body)
	}
	for range 20 {
		flipped, at := bytes.Clone(body), g.IntN(len(body))
		flipped[at] ^= 1 << g.IntN(8)
		add("weights", fmt.Sprintf("a bit of byte %d of the numbers", at), lines, flipped)
	}
	return all
}

// editKinds is how many ways there are to edit a value.
const editKinds = 7

// edited returns another value in place of v, or that there is none of this kind.
func edited(g *rand.Rand, v any, kind int) (any, bool) {
	if kind == editKinds-1 {
		return nil, true
	}
	switch v := v.(type) {
	case float64:
		to := []float64{-v, v / 2, v + 1, math.Nextafter(v, 1e9), 0, v * (1 + g.NormFloat64()/1e4)}[kind]
		return to, to != v
	case bool:
		return !v, kind == 0
	case string:
		words := strings.Fields("none standard max-abs unit augmented unregularised hinge log squared " +
			"squared-hinge ovr ovo number category text dual newton linear rbf sequential balanced")
		to := []string{v + "x", "", strings.ToUpper(v), words[g.IntN(len(words))],
			words[g.IntN(len(words))], "600 lambdas by 500 folds"}[kind]
		return to, to != v
	case []any:
		if len(v) == 0 {
			return append(v, []any{1.0, "x"}[kind%2]), kind < 2
		}
		some := slices.Clone(v)
		switch at := g.IntN(len(v)); kind {
		case 0:
			return some[:len(v)-1], true
		case 1:
			return append(some, some[at]), true
		case 2:
			some[0], some[at] = some[at], some[0]
			return some, at > 0
		default:
			to, ok := edited(g, v[at], kind-3)
			some[at] = to
			return some, ok && to != nil
		}
	}
	return nil, false
}

// same reports whether an edited model predicts for the rows of its training what the honest one
// does, or leaves out the probabilities, and claims no more.
func (k *tampered) same(t *testing.T, honest, edited []byte) bool {
	t.Helper()
	a, b := k.answers(t, honest), k.answers(t, edited)
	return slices.Equal(a.labels, b.labels) && (b.numbers == nil || near(a.numbers, b.numbers, 1e-6)) &&
		near([]float64{a.objective}, []float64{b.objective}, a.sure) && b.gap >= a.gap
}

// answers are a model's predictions for its training data, and its claims.
type answers struct {
	labels               []string
	numbers              []float64 // in place of labels; or probabilities
	objective, gap, sure float64   // sure is how far verify finds the objective, as a share of it
}

func (k *tampered) answers(t *testing.T, text []byte) (a answers) {
	t.Helper()
	m, err := modelio.Read(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := &call{flags: new(flag.FlagSet), Context: t.Context(), stderr: io.Discard}
	head, reader := m.Head(), c.reader(dataFlags{quiet: true})
	set, _, err := reader.read(k.data, &head)
	if err != nil {
		t.Fatal(err)
	}
	all, n := m.DecisionAll(set.Examples()), m.Outputs()
	for i := range set.Rows() {
		scores := all[i*n:][:n]
		if head.Classes == nil {
			a.numbers = append(a.numbers, scores...)
			continue
		}
		a.labels = append(a.labels, m.ClassName(m.Class(scores)))
		if m, linear := m.(*pegasos.Model); linear && m.HasProbabilities() {
			a.numbers = append(a.numbers, m.Probabilities(scores, make([]float64, len(head.Classes)))...)
		}
	}
	switch m := m.(type) {
	case *pegasos.Model:
		a.objective, a.gap = m.Result.Objective, m.Result.Gap
	case *kernelsvm.Model:
		a.objective, a.gap = m.Result.Objective, m.Result.Gap
		a.sure = 0.01 * (1 - m.Result.DualObjective/m.Result.Objective)
	}
	return a
}

// near reports whether numbers differ by no more than a share of the largest.
func near(a, b []float64, share float64) bool {
	if len(a) != len(b) {
		return false
	}
	most := 0.0
	for _, v := range a {
		most = max(most, math.Abs(v))
	}
	for i, v := range a {
		if !(math.Abs(v-b[i]) <= share*most) {
			return false
		}
	}
	return true
}

// A gap in the file that the objective and the bound do not make, claims of vectors that share one
// problem, and a model that does not say what data it is of are not confirmed.
func TestVerifyEditedClaims(t *testing.T) {
	data, model := file(t, "toy.svm", toy), filepath.Join(t.TempDir(), "model")
	three := file(t, "three.svm", toy+"2 1:9 2:9\n2 1:8 2:9\n")
	for _, c := range []struct{ train, data, from, to, verdict, told string }{
		{"-lambda 0.1", data, `"gap":`, `"gap":0.1`, "contradicted", "the gap is 0.1"},
		{"-kernel rbf", data, `"gap":`, `"gap":0.1`, "contradicted", "the gap is 0.1"},
		{"-multiclass crammer-singer -lambda 0.1", three, `"objective":`,
			`"per_class":[{"violations":1,"objective":0.001,"dual_objective":0.001}],"objective":`,
			"contradicted", "which share one problem"},
		{"-lambda 0.1", data, "\ndata: ", "", "not confirmed", "does not say what data"},
		{"-kernel rbf", data, "\ndata: ", "", "not confirmed", "does not say what data"},
		{"-lambda 0.1", data, "\nindex_base: 1", "\nindex_base: 1", "confirmed", ""},
	} {
		must(t, append(strings.Fields("train -quiet "+c.train), c.data, model)...)
		text := []byte(read(t, model))
		head, body, _ := bytes.Cut(text[:len(text)-sha256.Size], []byte("\n\n"))
		before, after, found := strings.Cut(string(head), c.from)
		switch { // the value goes as well, or the line
		case c.from == `"gap":`:
			after = after[strings.IndexAny(after, ",}"):]
		case c.to == "":
			after = after[strings.IndexByte(after, '\n'):]
		}
		changed := append([]byte(before+c.to+after+"\n\n"), body...)
		sum := sha256.Sum256(changed)
		if err := os.WriteFile(model, append(changed, sum[:]...), 0o666); err != nil || !found {
			t.Fatal(err, found)
		}
		_, out, _ := pegasimd(t, "verify", model, c.data)
		if !strings.HasSuffix(out, "\n"+c.verdict+"\n") || !strings.Contains(out, c.told) {
			t.Errorf("%s, %q: %s", c.train, c.to, out)
		}
	}
}

// Negated sigmoids are confirmed as not checked, with a line that doubts them; -sigmoids contradicts
// them.
func TestVerifyNegatedSigmoids(t *testing.T) {
	data, model := file(t, "named.csv", asCSV(t, mixedTable(3, 90), 2, 3, 6)),
		filepath.Join(t.TempDir(), "model")
	data = file(t, "named.csv", strings.ReplaceAll(read(t, data), "none", "30"))
	must(t, "train", "-quiet", "-proba", "-lambda", "1", data, model)
	m, err := pegasos.ReadFile(model)
	if err != nil {
		t.Fatal(err)
	}
	s := &m.Calibration[0]
	s.A = -max(s.A, -s.A, 0.1)
	for range 2 {
		if err := m.WriteFile(model); err != nil {
			t.Fatal(err)
		}
		out, _ := must(t, "verify", model, data)
		if !strings.Contains(out, "\nthe probabilities were not checked: -sigmoids") ||
			strings.Contains(out, "\nsuspicious: the higher the score of yes") != (s.A > 0) {
			t.Errorf("A = %v: %s", s.A, out)
		}
		s.A, s.B = -s.A, -s.B
	}
	fails(t, exitError, "the sigmoids are not those", "verify", "-sigmoids", model, data)
}

// Every field that a header can have has a rule by which verify lists it, so that a new one can't be
// forgotten.
func TestVerifyParts(t *testing.T) {
	known := func(part string) {
		t.Helper()
		if partRules[part] == nil {
			t.Errorf("%s has no rule", part)
		}
	}
	of := func(part string, header any) {
		t.Helper()
		for _, f := range reflect.VisibleFields(reflect.TypeOf(header)) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name != "" && name != "-" && name != "per_class" && name != "per_problem" {
				known(part + name)
			}
		}
	}
	of("config.", pegasos.Config{})
	of("config.", kernelsvm.Config{})
	of("scaling.", pegasos.Scaling{})
	of("result.", result.Header{})
	perClass, _ := reflect.TypeFor[result.Header]().FieldByName("PerClass")
	of("result.per_class.", reflect.Zero(perClass.Type.Elem()).Interface())
	for name, pattern := range map[string]string{
		"modelfile.go":      `modelfile\.(?:Required|Optional)\("(\w+)"`,
		"kernelsvm/file.go": "`json:\"(\\w+)",
	} {
		text := read(t, filepath.Join("..", "..", "pegasos", name))
		all := regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1)
		if len(all) < 10 {
			t.Errorf("%s: %d fields", name, len(all))
		}
		for _, found := range all {
			switch part := found[1]; part {
			case "config", "result", "scaling", "per_problem", "gap":
			default:
				if partRules["result."+part] == nil || name == "modelfile.go" {
					known(part)
				}
			}
		}
	}
}
