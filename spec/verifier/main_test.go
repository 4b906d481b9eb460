package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const folder = "../vectors/"

func TestLines(t *testing.T) {
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(name, "_test.go") {
			lines += bytes.Count(text, []byte("\n"))
			if strings.Contains(string(text), "github.com/") {
				t.Errorf("%s imports a package from github.com", name)
			}
		}
	}
	if lines < 100 || lines > 1050 {
		t.Errorf("%d lines, want 100 to 1050", lines)
	}
}

func TestGoldenModels(t *testing.T) {
	for _, name := range []string{"hinge", "squared-hinge", "log", "unit", "dense", "products", "pieces"} {
		r, err := verify(folder+name+".model", folder+"data.svm")
		if err != nil || r.verdict != confirmed {
			t.Errorf("%s: %v, %+v", name, err, r)
		}
	}
}

func parts(t *testing.T, name string) (header, numbers string) {
	t.Helper()
	file, err := os.ReadFile(folder + name + ".model")
	if err != nil {
		t.Fatal(err)
	}
	header, numbers, _ = strings.Cut(string(file[:len(file)-sha256.Size]), "\n\n")
	return header, numbers
}

func sealed(t *testing.T, body string) string {
	t.Helper()
	sum := sha256.Sum256([]byte(body))
	return written(t, body+string(sum[:]))
}

func written(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// A sparse file has the dense file's hash. A file without weights is refused.
func TestSparseModel(t *testing.T) {
	header, numbers := parts(t, "hinge")
	header = strings.Replace(header, "\nclasses", "\nsparse: true\nclasses", 1)
	m, want, err := readModel(folder + "hinge.model")
	if err != nil {
		t.Fatal(err)
	}
	bitmap, stored := make([]byte, (m.Features+7)/8), ""
	for j, v := range m.w {
		if v != 0 {
			bitmap[j/8] |= 1 << (j % 8)
			stored += numbers[4*j : 4*j+4]
		}
	}
	name := sealed(t, header+"\n\n"+string(bitmap)+stored+numbers[4*m.Features:])
	if r, err := verify(name, folder+"data.svm"); err != nil || r.verdict != confirmed {
		t.Error(r, err)
	}
	if _, have, err := readModel(name); err != nil || have != want {
		t.Errorf("hash %s, want %s: %v", have, want, err)
	}
	for _, few := range []string{"", "\xff\xff", string(bitmap)} { // bitmaps only
		name := sealed(t, header+"\n\n"+few)
		if _, err := verify(name, folder+"data.svm"); err == nil {
			t.Errorf("the numbers %q are accepted", few)
		}
	}
}

func TestTampering(t *testing.T) {
	notices := func(what, model, data string) {
		t.Helper()
		if r, err := verify(model, data); err == nil && r.verdict != contradicted {
			t.Errorf("a change of %s is not noticed: %+v", what, r)
		}
	}
	for _, name := range []string{"hinge", "products", "pieces"} {
		header, numbers := parts(t, name)
		for at := range len(numbers) {
			changed := []byte(numbers)
			changed[at] ^= 1 << (at % 8)
			notices(fmt.Sprintf("byte %d of %s", at, name),
				sealed(t, header+"\n\n"+string(changed)), folder+"data.svm")
		}
	}
	text, err := os.ReadFile(folder + "data.svm")
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		for _, other := range []string{"-1" + line[2:], "+1" + line[2:], line + "e1"} {
			changed := strings.Replace(string(text), line, other, 1)
			if changed != string(text) {
				notices(fmt.Sprintf("line %d: %s", i, other), folder+"hinge.model",
					written(t, changed))
			}
		}
	}
	known := &model{Features: 9, IndexBase: 1, Classes: []float32{-1, 1}}
	for _, bad := range []string{"\n", "+1 1:2:3\n", "+1 10:1\n", "2 1:1\n", "+1 1\n", "+1 0:1\n",
		"+1 2:1 1:1\n", "+1 1:1 1:1\n", "+1 1:0x1p3\n", "+1 1:inf\n", "+1 1:1e99\n", "+1 qid:1\n",
		"+1 1:1 # comment\n", "0x1p0 1:1\n", ""} {
		if rows, _, err := readRows(written(t, bad), known); err == nil {
			t.Errorf("%q was read: %v", bad, rows)
		}
	}
}

func TestHeaderEdits(t *testing.T) {
	header, numbers := parts(t, "hinge")
	const p, d, g = "0.5469749159456349", "0.5277713522771774", "0.03638614257026217"
	objective, _ := strconv.ParseFloat(p, 64)
	claim := func(bound float64) []string { // edits that claim the bound and its gap
		return []string{`"dual_objective":` + d, fmt.Sprintf(`"dual_objective":%v`, bound),
			`"gap":` + g, fmt.Sprintf(`"gap":%v`, gap(objective, bound))}
	}
	without := []string{`,"gap":` + g, "", `,"dual_objective":` + d, ""}
	_, resultLine, _ := strings.Cut(header, "\nresult: ")
	resultLine, _, _ = strings.Cut(resultLine, "\n")
	for _, c := range []struct {
		want  string // a verdict, or a part of the error
		edits []string
	}{
		{"confirmed", nil},
		{"confirmed", claim(0.5)},
		{"confirmed", claim(0.53)}, // more than training claims, but true
		{"not confirmed", claim(0.54)},
		{"contradicted", claim(objective)}, // it is not exact, so the gap can't be 0
		{"contradicted", claim(0.6)},
		{"contradicted", append(claim(-1), `,"gap":+Inf`, "")},
		{"claims nothing", append(claim(0), `,"gap":+Inf`, "")},
		{"claims nothing", claim(0.25)},
		{"claims nothing", without},
		{"claims nothing", append(without, `"objective":`+p+",", "")},
		{"confirmed", []string{"\nconfig:", "\ncommand: \"-loss hinge\"\nconfig:"}}, // not checked
		{`a line "data" here`, []string{"\ndata: ", "\ncommand: \"\"\ndata: "}},     // too early
		{"contradicted", []string{g, "0.03"}},
		{"contradicted", []string{`,"gap":` + g, ""}},
		{"contradicted", []string{`{"objective":` + p, `{"objective":0.546974915945635`}},
		{"contradicted", []string{p, "0.546974915945635", g, "0.036386142570262384"}},
		{"contradicted", []string{"sparse:6", "sparse:7"}},
		{"contradicted", []string{`hash: "4`, `hash: "5`}},
		{"contradicted", []string{"\nlambda: 0.1", "\nlambda: 0.1000001"}},
		{"contradicted", []string{`"lambda":0.1,"steps"`, `"lambda":1e-9,"steps"`}},
		{"contradicted", []string{`"lambda":0.1}`, `"lambda":1e-9}`}},
		{"contradicted", []string{`"loss":"hinge"`, `"loss":"log"`}},
		{"not the label of a class", []string{"[-1,1]", "[-1,2]"}},
		{"want FEATURE:FLOAT32", []string{"index_base: 1", "index_base: 0"}},
		{"result: {", []string{"\nscaling", "\nresult: " + resultLine + "\nscaling"}},
		{"is unknown", []string{"\nscaling", "\nwhatever: 1\nscaling"}},
		{"is unknown", []string{`"r2":4.5723572486864}`, `"r2":4.5723572486864}` + "\nmore: 1"}},
		{`a line "config" here`, []string{"\nconfig:", "\nresult: " + resultLine + "\nconfig:"}},
		{`a line "features" here`, []string{"\nfeatures: 9\n", "\n"}},
		{`a line "hash" here`, []string{"\nhash: ", "\nash: "}},
		{`a line "data" here`, []string{"\ndata: ", "\nprior: \"\"\ndata: "}},
		{`"prior" are not supported`, []string{"\nhash: ", "\nprior: \"\"\nhash: "}},
		{`"start" are not supported`, []string{"\nhash: ", "\nstart: \"\"\nhash: "}},
		{`"names" are not supported`, []string{"\nbias: ", "\nnames: [\"a\",\"b\"]\nbias: "}},
		{`"table" are not supported`, []string{"\nlambda: ", "\ntable: {}\nlambda: "}},
		{`"calibration" are not supported`, []string{"\nlambda: ", "\ncalibration: []\nlambda: "}},
		{`unknown field "class_weight"`, []string{`"lambda":0.1,"steps"`,
			`"lambda":0.1,"class_weight":"balanced","steps"`}},
		{`unknown field "weight"`, []string{`"r2":4.57235721119852`, `"weight":3,"r2":4.57235721119852`}},
		{"repeated", []string{`"block":64`, `"block":64,"loss":"hinge"`}},
		{"upper-case", []string{`"block":64`, `"Block":64`}},
		{"null", []string{`"block":64`, `"block":null`}},
		{"follows the value", []string{"features: 9", "features: 9 9"}},
		{"features", []string{"features: 9", "features: -9"}},
		{"too few numbers", []string{"features: 9", "features: 10"}},
		{"something follows the last", []string{"features: 9", "features: 8"}},
		{"bias", []string{"bias: false", "bias: true"}},
		{"lambda", []string{`"lambda":0.1,"steps"`, `"steps"`}},
		{"tol", []string{`"order"`, `"tol":-0.5,"order"`}},
		{"epochs and steps", []string{`"order"`, `"epochs":3,"order"`}},
		{"per_class", []string{`,"per_class":[`, `,"per_class":[{},`}},
		{"folded", []string{`"folded":true`, `"folded":false`}},
		{"config: scale", []string{`"kind":"none"`, `"kind":"unit"`}},
		{"config: scale", []string{`"kind":"none",`, ""}},
		{"config: order", []string{`"shuffled"`, `"iid"`}},
		{"a linear model", []string{"pegasimd model", "pegasimd kernel model"}},
		{"version 1", []string{"pegasimd model 1", "pegasimd model 2"}},
	} {
		have := header
		for i := 0; i < len(c.edits); i += 2 {
			if !strings.Contains(have, c.edits[i]) {
				t.Fatalf("no %q in\n%s", c.edits[i], have)
			}
			have = strings.ReplaceAll(have, c.edits[i], c.edits[i+1])
		}
		r, err := verify(sealed(t, have+"\n\n"+numbers), folder+"data.svm")
		if err != nil && !strings.Contains(err.Error(), c.want) ||
			err == nil && string(r.verdict) != c.want {
			t.Errorf("%q: %+v, %v, want %s", c.edits, r, err, c.want)
		}
	}
}

func TestCurveEdits(t *testing.T) {
	for _, c := range []struct{ name, want, from, to string }{
		{"products", "scaling: expansion", `"terms":[[0,0],[0,1]`, `"terms":[[0,1],[0,0]`},
		{"products", "scaling: expansion", `"terms":[[0,0],[0,1]`, `"terms":[[0,0],[0,0]`},
		{"products", "scaling: expansion", `[0,1]`, `[0,9]`},
		{"products", "scaling: expansion", `[0,1]`, `[1,0]`},
		{"products", "scaling: expansion", `[0,1]`, `[-1,1]`},
		{"products", "scaling: expansion", `[0,1]`, `[0,1,1]`},
		{"products", "something follows the last", `[0,1],`, ``},
		{"products", "scaling: expansion", `"kind":"products"`, `"kind":"pieces"`},
		{"products", "config: curves", `"curves":"products"`, `"curves":"none"`},
		{"products", "config: curves", `"curves":"products"`, `"curves":"pieces"`},
		{"products", "with an expansion", `"folded":false`, `"folded":true`},
		{"products", "scaling: expansion", `"kind":"products"`, `"kind":"products","knots":[]`},
		{"pieces", "contradicted", `[0,0],[1,1]`, `[0,0],[0,0]`},
		{"pieces", "contradicted", `"knots":[-0.05`, `"knots":[-0.15`},
		{"pieces", "scaling: expansion", `"knots":[`, `"knots":[0,`},
		{"pieces", "scaling: expansion", `"knots":[`, `"knots":[9,`},
		{"pieces", "scaling: expansion", `"terms":[[0,0]`, `"terms":[[0,1]`},
	} {
		header, numbers := parts(t, c.name)
		if !strings.Contains(header, c.from) {
			t.Fatalf("no %q in\n%s", c.from, header)
		}
		header = strings.Replace(header, c.from, c.to, 1)
		r, err := verify(sealed(t, header+"\n\n"+numbers), folder+"data.svm")
		if err != nil && !strings.Contains(err.Error(), c.want) ||
			err == nil && string(r.verdict) != c.want {
			t.Errorf("%s, %s in place of %s: %+v, %v, want %s", c.name, c.to, c.from, r, err, c.want)
		}
	}
}

func TestGoldenTraining(t *testing.T) {
	for _, name := range []string{"hinge", "squared-hinge", "log", "dense", "products", "pieces"} {
		m, _, err := readModel(folder + name + ".model")
		if err != nil {
			t.Fatal(err)
		}
		rows, _, err := readRows(folder+"data.svm", m)
		if err != nil {
			t.Fatal(err)
		}
		w, b := trainAnew(t, m, rows, folder+name+".steps", 180)
		for j := range w {
			if float64(w[j]) != m.w[j] || b != m.b {
				t.Errorf("%s: weight %d is %v, want %v; bias %v, want %v", name, j, w[j], m.w[j], b,
					m.b)
			}
		}
	}
}

// trainAnew compares the iterates with those in the file steps, and returns the averaged weights
// and bias.
func trainAnew(t *testing.T, m *model, rows []row, steps string, total int) ([]float32, float64) {
	n, scale := len(rows), m.Config.BiasScale // 0 without a bias
	var sum, largest float64
	for _, r := range rows {
		same := make([]float32, len(m.w))
		for k, j := range r.index {
			same[j] = float32(r.value[k])
		}
		s := float64(m.dot(&r, same))
		sum, largest = sum+s, max(largest, s+float64(scale*scale))
	}
	t0 := (sum/float64(n) + float64(scale*scale)) / m.Lambda
	if m.Config.Loss == "squared-hinge" {
		t0 = 2 * largest / m.Lambda
	}
	v, vb := make([]float32, len(m.w)), 0.0
	period := max(1, min(max(64, len(m.w)/4), total/16))
	var cur window
	shift := 62
	file, err := os.Open(steps)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Scan() // the heading
	shuffled := permutation(rand.NewPCG(m.Config.Seed, ^uint64(0x9e3779b97f4a7c15)))(n)
	blocks := permutation(rand.NewPCG(m.Config.Seed, 0x9e3779b97f4a7c15))
	var epoch []int
	for step := 1; step <= total; step++ {
		if len(epoch) == 0 {
			epoch = blocks(n) // with fewer than 128 rows, a block is one row
		}
		r := &rows[shuffled[epoch[0]]]
		epoch = epoch[1:]
		at := m.Lambda * (float64(step-1) + t0)
		z := float64(m.dot(r, v)) + float64(scale*vb)
		a := float32(0)
		switch m.Config.Loss {
		case "hinge":
			if !(float64(r.y*z) >= at) {
				a = float32(r.y)
			}
		case "log":
			a = float32(sigmoid(-float64(r.y*(z/at)))) * float32(r.y)
		default:
			a = float32(2*max(0, 1-float64(r.y*(z/at)))) * float32(r.y)
		}
		if a != 0 {
			for k, j := range r.index {
				v[j] += float32(a * float32(r.value[k]))
			}
			vb += float64(float64(a) * scale)
		}
		d := m.Lambda * (float64(step) + t0)
		if lines.Scan() {
			want := fmt.Sprint(step)
			for _, x := range v {
				want += fmt.Sprintf(" %08x", math.Float32bits(float32(float64(x)/d)))
			}
			if m.Bias {
				want += fmt.Sprintf(" %016x", math.Float64bits(float64(scale*vb)/d))
			}
			if lines.Text() != want {
				t.Fatalf("%s: have\n%s, want\n%s", steps, want, lines.Text())
			}
		}
		if (total-step)%period == 0 {
			for step > total>>shift {
				shift--
				cur = window{} // the window of the next steps
			}
			cur.add(float32(1/d), v, vb)
		}
	}
	// After the last step, cur holds the samples of the last half of the steps.
	w := make([]float32, len(m.w))
	for j := range w {
		w[j] = float32(float64(cur.w[j]) / cur.n)
	}
	return w, float64(scale * (cur.b / cur.n))
}

type window struct {
	n float64 // samples
	w []float32
	b float64
}

func (s *window) add(a float32, v []float32, b float64) {
	if s.w == nil {
		s.w = make([]float32, len(v))
	}
	s.n++
	for j, x := range v {
		s.w[j] += float32(a * x)
	}
	s.b += float64(float64(a) * b)
}

func permutation(pcg *rand.PCG) func(n int) []int {
	return func(n int) []int {
		p := make([]int, n)
		for i := range p {
			high, _ := bits.Mul64(pcg.Uint64(), uint64(i)+1)
			p[i], p[int(high)] = p[int(high)], i
		}
		return p
	}
}

func TestGoldenDots(t *testing.T) {
	for _, kernel := range []string{"dot", "dotsparse"} {
		text, err := os.ReadFile(folder + "kernel-" + kernel + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			var n int
			var want uint32
			if c, _ := fmt.Sscanf(line, "%d %x", &n, &want); c != 2 {
				continue
			}
			m, r := &model{Data: "dense:", Features: n}, &row{}
			second := uint64(2)
			if kernel == "dotsparse" {
				m.Data, m.Features, second = "sparse:", 3*n+1, 3
			}
			w := make([]float32, 3*n+1)
			for i := range w {
				w[i] = value(second, i)
			}
			for i := range n {
				j := i
				if kernel == "dotsparse" {
					j = 3*i + int(mix(uint64(i))%3)
				}
				r.index, r.value = append(r.index, j), append(r.value, float64(value(1, i)))
			}
			if have := math.Float32bits(m.dot(r, w)); have != want {
				t.Errorf("%s of %d: %08x, want %08x", kernel, n, have, want)
			}
		}
	}
}

func value(s uint64, i int) float32 {
	z := mix(s<<32 + uint64(i))
	b := uint32(z>>63)<<31 | (119+uint32(z>>59)&15)<<23 | uint32(z>>32)&0x7fffff
	var v [1]float32
	binary.Decode(binary.LittleEndian.AppendUint32(nil, b), binary.LittleEndian, v[:])
	return v[0]
}

// The two losses of 1 in the second part, in different blocks, would be lost if each were added to
// the first loss.
func TestPartsOf4096Rows(t *testing.T) {
	m := model{Lambda: 1, Config: config{Loss: "hinge"}, Result: result{Solver: "dual"}}
	margins := make([]float64, 8192)
	for i := range margins {
		margins[i] = 1
	}
	margins[0], margins[4096], margins[4096+32] = -0x1p53, 0, 0
	if have, want := m.objective(margins, 0), (0x1p53+2)/8192; have != want {
		t.Errorf("the objective is %v, want %v", have, want)
	}
}
