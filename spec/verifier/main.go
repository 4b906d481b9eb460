// Command verifier is a second verifier, written by docs/spec.md alone: it imports nothing of this
// repository. It reads a model of two classes with the loss hinge, squared-hinge or log, and the
// svmlight data that it was trained on, scaled by nothing or by the rows' lengths; finds the
// model's hash and its objective, to the bit, and a lower bound on the least objective; and fails
// if one of them is not what the model claims or could claim.
//
//	go run ./spec/verifier MODEL DATA
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
)

type model struct {
	Features   int
	Classes    []float32
	Bias       bool
	Data, Hash string
	Lambda     float64
	Scaling    struct{ Kind string }
	Config     struct {
		Loss, Order, Bias string
		ClassWeight       string  `json:"class_weight"`
		BiasScale         float64 `json:"bias_scale"`
		Seed              uint64
	}
	Result struct {
		Objective float64
		Bound     float64 `json:"dual_objective"`
	}
	w []float32
	b float64
}

// readModel reads a model file (spec, "Model files"), and returns its hash ("The hash") as well.
func readModel(name string) (m *model, hash string, err error) {
	file, err := os.ReadFile(name)
	if err != nil || len(file) < 32 {
		return nil, "", errors.Join(errors.New("no model file"), err)
	}
	end := len(file) - 32
	sum := sha256.Sum256(file[:end])
	header, numbers, _ := bytes.Cut(file[:end], []byte("\n\n"))
	lines := strings.Split(string(header), "\n")
	if !bytes.Equal(sum[:], file[end:]) || lines[0] != "pegasimd model 1" {
		return nil, "", errors.New("a damaged file, or a model that is not known here")
	}
	for i, line := range lines { // as one JSON object
		key, value, _ := strings.Cut(line, ": ")
		lines[i] = strconv.Quote(key) + ":" + value
	}
	m = new(model)
	err = json.Unmarshal([]byte("{"+strings.Join(lines[1:], ",")+"}"), m)
	c, size := m.Config, 4*m.Features
	if m.Bias {
		size += 8
	}
	if err != nil || len(numbers) < size || len(m.Classes) != 2 || c.ClassWeight != "" ||
		!slices.Contains([]string{"hinge", "squared-hinge", "log"}, c.Loss) ||
		!slices.Contains([]string{"none", "augmented"}, c.Bias) ||
		!slices.Contains([]string{"", "none", "unit"}, m.Scaling.Kind) {
		return nil, "", errors.Join(errors.New("a kind of model that is not known here"), err)
	}
	if numbers = numbers[:size]; m.Bias {
		m.b = math.Float64frombits(binary.LittleEndian.Uint64(numbers[size-8:]))
	}
	m.w = make([]float32, m.Features)
	binary.Decode(numbers, binary.LittleEndian, m.w)
	numbers, _ = binary.Append(slices.Clone(numbers), binary.LittleEndian, m.Classes)
	sum = sha256.Sum256(numbers)
	return m, hex.EncodeToString(sum[:]), nil
}

type row struct {
	y     float64 // -1 or +1
	index []int
	wide  []float64 // the values, scaled
	value []float32 // the same, rounded
}

// readRows reads svmlight data, and scales them (spec, "Scaling").
func readRows(name string, m *model) (rows []row, err error) {
	text, err := os.ReadFile(name)
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		label, err1 := strconv.ParseFloat(words[0], 32)
		r, squares := row{y: -1}, 0.0
		if float32(label) == m.Classes[1] {
			r.y = 1
		} else if float32(label) != m.Classes[0] {
			err = errors.New("a label that the model lacks")
		}
		for _, word := range words[1:] {
			index, value, _ := strings.Cut(word, ":")
			j, err2 := strconv.Atoi(index)
			v, err3 := strconv.ParseFloat(value, 32)
			if err = errors.Join(err, err1, err2, err3); j < 1 || j > m.Features {
				err = errors.Join(err, errors.New("a feature that the model lacks"))
			}
			r.index, r.wide = append(r.index, j-1), append(r.wide, v)
			squares += float64(v * v)
		}
		for k := range r.wide {
			if m.Scaling.Kind == "unit" && squares > 0 {
				r.wide[k] /= math.Sqrt(squares)
			}
			r.value = append(r.value, float32(r.wide[k]))
		}
		if rows = append(rows, r); err != nil {
			return nil, fmt.Errorf("row %d: %w", len(rows), err)
		}
	}
	return rows, err
}

// dot is the dot product in float32 (spec, "Sums"): 64 lanes of columns where rows are held dense,
// 8 lanes of nonzeros where they are sparse, in blocks of 65,536.
func (m *model) dot(r *row) (sum float32) {
	dense := strings.HasPrefix(m.Data, "dense:")
	lane, block := make([]float32, 8), 0
	if dense {
		lane = make([]float32, 64)
	}
	fold := func() {
		for n := len(lane) / 2; n > 0; n /= 2 {
			for l := range n {
				lane[l] += lane[n+l]
			}
		}
		sum += lane[0]
		clear(lane)
	}
	for k, j := range r.index {
		at := k
		if dense {
			at = j
		}
		if at/65536 != block {
			fold()
			block = at / 65536
		}
		lane[at%65536%len(lane)] += float32(r.value[k] * m.w[j])
	}
	fold()
	return sum
}

// wideDot is the same in float64, in 4 lanes of columns.
func (m *model) wideDot(r *row) float64 {
	var lane [4]float64
	for k, j := range r.index {
		lane[j%4] += float64(float64(m.w[j]) * r.wide[k])
	}
	return (lane[0] + lane[1]) + (lane[2] + lane[3])
}

// order is that in which rows are counted (spec, "Random numbers").
func (m *model) order(rows int) []int {
	p, pcg := make([]int, rows), rand.NewPCG(m.Config.Seed, ^uint64(0x9e3779b97f4a7c15))
	for i := range p {
		j := i
		if m.Config.Order == "shuffled" {
			high, _ := bits.Mul64(pcg.Uint64(), uint64(i)+1)
			j = int(high)
		}
		p[i], p[j] = p[j], i
	}
	return p
}

// objective is lambda/2 |w|^2 and the mean loss, of margins that are given (spec, "The objective").
func (m *model) objective(margins []float64) float64 {
	var squares, sum, part float64
	for _, v := range m.w {
		squares += float64(float64(v) * float64(v))
	}
	if m.Config.Bias == "augmented" {
		b := m.b / m.Config.BiasScale
		squares += float64(b * b)
	}
	for i, j := range m.order(len(margins)) {
		d := max(0, 1-margins[j])
		switch m.Config.Loss {
		case "squared-hinge":
			d = float64(d * d)
		case "log":
			d = log1pExp(-margins[j])
		}
		if part += d; (i+1)%max(32, m.Features/256) == 0 || i+1 == len(margins) {
			sum, part = sum+part, 0
		}
	}
	return float64(m.Lambda/2*squares) + sum/float64(len(margins))
}

// bound returns a lower bound on the least objective, of dual variables that the margins make.
func (m *model) bound(rows []row, margins []float64, h float64) float64 {
	u := make([]float64, m.Features)
	var ub, mean, size, half float64
	n := float64(len(rows))
	for i, r := range rows {
		a := max(0, min(0.5+(1-margins[i])/h, 1))
		least := a
		switch m.Config.Loss {
		case "squared-hinge":
			a = 2 * max(0, 1-margins[i])
			least = a - a*a/4
		case "log":
			if a, least = 1/(1+math.Exp(margins[i])), 0; a > 0 && a < 1 {
				least = -a*math.Log(a) - (1-a)*math.Log(1-a)
			}
		}
		mean, size = mean+least, size+math.Abs(least)+a*a
		for k, j := range r.index {
			u[j] += a * r.y * r.wide[k]
			size += math.Abs(a * r.wide[k])
		}
		ub += a * r.y * m.Config.BiasScale
	}
	if m.Config.Bias != "augmented" {
		ub = 0
	}
	for _, v := range append(u, ub) {
		half += v * v / (2 * m.Lambda * n * n)
	}
	return mean/n - half - (8*n+float64(m.Features)+64)*0x1p-50*(size/n+2*half)
}

// verify returns what was found, and an error if it contradicts the model.
func verify(modelFile, dataFile string) (told string, err error) {
	m, hash, err := readModel(modelFile)
	if err != nil {
		return "", err
	}
	rows, err := readRows(dataFile, m)
	if err != nil {
		return "", err
	}
	quick, exact := make([]float64, len(rows)), make([]float64, len(rows))
	for i := range rows {
		quick[i] = rows[i].y * (float64(m.dot(&rows[i])) + m.b)
		exact[i] = rows[i].y * (m.wideDot(&rows[i]) + m.b)
	}
	best := math.Inf(-1)
	for h := 1.0 / 64; h <= 64; h *= 2 {
		best = max(best, m.bound(rows, exact, h))
	}
	p, rough, of := m.objective(exact), m.objective(quick), m.Result
	told = fmt.Sprintf("hash %s\nobjective %v (%v), least objective at least %v\n", hash, p, rough,
		best)
	if of.Objective != p && of.Objective != rough {
		return told, fmt.Errorf("the objective is %v or %v, not %v", p, rough, of.Objective)
	}
	if m.Hash != "" && m.Hash != hash || of.Bound > p || best > p {
		return told, errors.New("another hash, or a bound above the objective")
	}
	return told, nil
}

func main() {
	told, err := verify(os.Args[1], os.Args[2])
	fmt.Print(told)
	if err != nil {
		fmt.Fprintln(os.Stderr, "verifier:", err)
		os.Exit(1)
	}
}
