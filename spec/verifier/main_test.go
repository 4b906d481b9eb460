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
	"strings"
	"testing"
)

const folder = "../vectors/"

// The program can be read at one sitting.
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
				t.Errorf("%s imports what others wrote", name)
			}
		}
	}
	if lines < 100 || lines > 325 {
		t.Errorf("%d lines, want at most 325", lines)
	}
}

// The claims of the published models hold by this program alone, on every architecture.
func TestGoldenModels(t *testing.T) {
	for _, name := range []string{"hinge", "squared-hinge", "log", "unit", "dense"} {
		if told, err := verify(folder+name+".model", folder+"data.svm"); err != nil {
			t.Errorf("%s: %v\n%s", name, err, told)
		}
	}
}

// Any model's file may be sparse, and its claims and its hash are the same.
func TestSparseModel(t *testing.T) {
	file, err := os.ReadFile(folder + "hinge.model")
	if err != nil {
		t.Fatal(err)
	}
	header, numbers, _ := strings.Cut(string(file[:len(file)-sha256.Size]), "\n\n")
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
	name := filepath.Join(t.TempDir(), "model")
	write := func(body string) {
		sum := sha256.Sum256([]byte(body))
		if err := os.WriteFile(name, append([]byte(body), sum[:]...), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(header + "\n\n" + string(bitmap) + stored + numbers[4*m.Features:])
	if _, err := verify(name, folder+"data.svm"); err != nil {
		t.Error(err)
	}
	if _, have, err := readModel(name); err != nil || have != want {
		t.Errorf("hash %s, want %s: %v", have, want, err)
	}
	for _, few := range []string{"", "\xff\xff", string(bitmap)} { // and no weights
		write(header + "\n\n" + few)
		if _, err := verify(name, folder+"data.svm"); err == nil {
			t.Errorf("the numbers %q are those of a model", few)
		}
	}
}

// Another weight, objective, hash, label or value is noticed.
func TestTampering(t *testing.T) {
	dir := t.TempDir()
	claimed, data := filepath.Join(dir, "model"), filepath.Join(dir, "data")
	write := func(name string, text []byte) {
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	file, _ := os.ReadFile(folder + "hinge.model")
	text, err := os.ReadFile(folder + "data.svm")
	if err != nil {
		t.Fatal(err)
	}
	body := file[:len(file)-32]
	seal := func(b []byte) []byte {
		sum := sha256.Sum256(b)
		return append(bytes.Clone(b), sum[:]...)
	}
	write(data, text)
	header := bytes.Index(body, []byte("\n\n")) + 2
	tried := 0
	for at := header; at < len(body); at++ { // each byte of the weights
		changed := bytes.Clone(body)
		changed[at] ^= 1 << (at % 8)
		write(claimed, seal(changed))
		if _, err := verify(claimed, data); err == nil {
			t.Errorf("byte %d was not noticed", at)
		}
		tried++
	}
	for _, change := range [][2]string{{`"objective":0.`, `"objective":0.1`},
		{`hash: "`, `hash: "0`},
		{`lambda: 0.1`, `lambda: 0.1000001`}, {`"loss":"hinge"`, `"loss":"log"`}} {
		changed := bytes.Replace(body, []byte(change[0]), []byte(change[1]), 1)
		write(claimed, seal(changed))
		if _, err := verify(claimed, data); err == nil {
			t.Errorf("%s was not noticed", change[1])
		}
		tried++
	}
	write(claimed, file)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	for i, line := range lines { // a label each
		other := "-1" + line[2:]
		if line[0] == '-' {
			other = "+1" + line[2:]
		}
		write(data, []byte(strings.Replace(string(text), line, other, 1)))
		if _, err := verify(claimed, data); err == nil {
			t.Errorf("the label of row %d was not noticed", i)
		}
		tried++
	}
	known := &model{Features: 9, Classes: []float32{-1, 1}}
	for _, bad := range []string{"\n", "+1 1:2:3\n", "+1 10:1\n", "2 1:1\n", "+1 1\n"} {
		write(data, []byte(bad))
		if rows, err := readRows(data, known); err == nil {
			t.Errorf("%q was read: %v", bad, rows)
		}
	}
	t.Logf("%d changes", tried)
}

// The specification of training is complete: by it alone the same steps are taken, and
// the same model comes out, to the bit. Among the models are a hinge without a bias and
// a squared hinge with one.
func TestGoldenTraining(t *testing.T) {
	for _, name := range []string{"hinge", "squared-hinge", "log", "dense"} {
		m, _, err := readModel(folder + name + ".model")
		if err != nil {
			t.Fatal(err)
		}
		rows, err := readRows(folder+"data.svm", m)
		if err != nil {
			t.Fatal(err)
		}
		w, b := trainAnew(t, m, rows, folder+name+".steps", 180)
		for j := range w {
			if w[j] != m.w[j] || b != m.b {
				t.Errorf("%s: weight %d is %v, want %v; bias %v, want %v", name, j, w[j], m.w[j], b,
					m.b)
			}
		}
	}
}

// trainAnew trains for total steps, checks the first against a file, and returns the average.
func trainAnew(t *testing.T, m *model, rows []row, steps string, total int) ([]float32, float64) {
	n, scale := len(rows), m.Config.BiasScale // 0 without a bias
	var sum, largest float64
	for _, r := range rows {
		same := *m
		same.b = 0
		same.w = make([]float32, m.Features)
		for k, j := range r.index {
			same.w[j] = float32(r.value[k])
		}
		s, _ := same.scores(&r)
		sum, largest = sum+s, max(largest, s+float64(scale*scale))
	}
	t0 := (sum/float64(n) + float64(scale*scale)) / m.Lambda
	if m.Config.Loss == "squared-hinge" {
		t0 = 2 * largest / m.Lambda
	}
	v := *m
	v.w, v.b = make([]float32, m.Features), 0
	var vb float64
	period := max(1, min(max(64, m.Features/4), total/16))
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
			epoch = blocks(n) // of one row each, of fewer than 128 rows
		}
		r := &rows[shuffled[epoch[0]]]
		epoch = epoch[1:]
		at := m.Lambda * (float64(step-1) + t0)
		z, _ := v.scores(r)
		z += float64(scale * vb)
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
				v.w[j] += float32(a * float32(r.value[k]))
			}
			vb += float64(float64(a) * scale)
		}
		d := m.Lambda * (float64(step) + t0)
		if lines.Scan() {
			want := fmt.Sprint(step)
			for _, x := range v.w {
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
				cur = window{} // its samples are far from the end
			}
			cur.add(float32(1/d), v.w, vb)
		}
	}
	// After the last step the present window is the last half.
	w := make([]float32, m.Features)
	for j := range w {
		w[j] = float32(float64(cur.w[j]) / cur.n)
	}
	return w, float64(scale * (cur.b / cur.n))
}

// A window is a sum of samples.
type window struct {
	n float64
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

// permutation returns a function that makes permutations by draws of a generator.
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

// The kernels' vectors hold for the sums written down here.
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
				m.Data, second = "sparse:", 3
			}
			m.w = make([]float32, 3*n+1)
			for i := range m.w {
				m.w[i] = value(second, i)
			}
			for i := range n {
				j := i
				if kernel == "dotsparse" {
					j = 3*i + int(mix(uint64(i))%3)
				}
				r.index, r.value = append(r.index, j), append(r.value, float64(value(1, i)))
			}
			quick, _ := m.scores(r)
			if have := math.Float32bits(float32(quick)); have != want {
				t.Errorf("%s of %d: %08x, want %08x", kernel, n, have, want)
			}
		}
	}
}

func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func value(s uint64, i int) float32 {
	z := mix(s<<32 + uint64(i))
	b := uint32(z>>63)<<31 | (119+uint32(z>>59)&15)<<23 | uint32(z>>32)&0x7fffff
	var v [1]float32
	binary.Decode(binary.LittleEndian.AppendUint32(nil, b), binary.LittleEndian, v[:])
	return v[0]
}
