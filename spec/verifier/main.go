// Command verifier is a second verifier, written by docs/spec.md alone: it imports nothing of this
// repository. It reads a model of two classes and the svmlight data that it was trained on, finds
// the model's hash and its objective, to the bit, and a lower bound on the least objective, and
// fails if one is not what the model claims or could claim: go run ./spec/verifier MODEL DATA
package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

type model struct {
	Features    int
	Sparse      bool
	Classes     []float32
	Bias        bool
	Data, Hash  string
	Calibration []any // sigmoids, which the hash covers
	Lambda      float64
	Scaling     struct{ Kind string }
	Config      struct {
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
	end := max(0, len(file)-sha256.Size)
	sum := sha256.Sum256(file[:end])
	header, numbers, _ := strings.Cut(string(file[:end]), "\n\n")
	first, lines, _ := strings.Cut(header, "\n")
	if err != nil || string(sum[:]) != string(file[end:]) || first != "pegasimd model 1" {
		return nil, "", fmt.Errorf("%s is damaged, or no model that is known here: %w", name, err)
	}
	object := regexp.MustCompile(`(?m)^(\w+):`).ReplaceAllString(lines, `,"$1":`)
	m = new(model)
	err = json.Unmarshal([]byte(`{"form":1`+object+"}"), m)
	c, size := m.Config, 4*m.Features
	if m.Bias {
		size += 8
	}
	known := strings.Contains(" hinge squared-hinge log ", " "+c.Loss+" ") &&
		strings.Contains(" none unit ", " "+m.Scaling.Kind+" ") && c.ClassWeight == "" &&
		(c.Bias == "none" || c.Bias == "augmented") && c.Order == "shuffled" && m.Calibration == nil
	if m.Sparse {
		numbers = unpacked(numbers, m.Features)
	}
	if err != nil || !known || len(m.Classes) != 2 || m.Features < 0 || len(numbers) < size {
		return nil, "", fmt.Errorf("%s is of a kind that is not known here: %w", name, err)
	}
	m.w = make([]float32, m.Features)
	hashed := []byte(numbers[:size])
	at, _ := binary.Decode(hashed, binary.LittleEndian, m.w)
	binary.Decode(hashed[at:], binary.LittleEndian, &m.b) // if there is one
	hashed, _ = binary.Append(hashed, binary.LittleEndian, m.Classes)
	reading := regexp.MustCompile(`(?m)^(names|index_base: [1-9]|scaler|hash_bits|table).*\n`)
	hashed = append(hashed, strings.Join(reading.FindAllString(lines, -1), "")...)
	if m.Scaling.Kind == "unit" {
		hashed = append(hashed, "scale: \"unit\"\n"...)
	}
	return m, fmt.Sprintf("%x", sha256.Sum256(hashed)), nil
}

// unpacked returns the numbers of a sparse file with the zeros that it leaves out.
func unpacked(numbers string, n int) string {
	if n < 0 || n > 8*len(numbers) {
		return ""
	}
	weights, at := make([]byte, 4*n), (n+7)/8
	for j := range n {
		if numbers[j/8]>>(j%8)&1 == 1 {
			at += copy(weights[4*j:4*j+4], numbers[min(at, len(numbers)):])
		}
	}
	return string(weights) + numbers[min(at, len(numbers)):]
}

type row struct {
	y     float64 // -1 or +1
	index []int
	value []float64 // scaled
}

// readRows reads svmlight data, and scales them (spec, "Scaling").
func readRows(name string, m *model) (rows []row, err error) {
	text, err := os.ReadFile(name)
	for line := range strings.Lines(string(text)) {
		first, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		label, wrong := strconv.ParseFloat(first, 32)
		class := slices.Index(m.Classes, float32(label))
		r, squares, bad := row{y: float64(2*class - 1)}, 0.0, wrong != nil || class < 0
		for _, word := range strings.Fields(rest) {
			index, value, _ := strings.Cut(word, ":")
			j, wrong := strconv.Atoi(index)
			v, wrong2 := strconv.ParseFloat(value, 32)
			bad = bad || wrong != nil || wrong2 != nil || j < 1 || j > m.Features
			r.index, r.value = append(r.index, j-1), append(r.value, v)
			squares += float64(v * v)
		}
		for k := range r.value {
			if m.Scaling.Kind == "unit" && squares > 0 {
				r.value[k] /= math.Sqrt(squares)
			}
		}
		if bad {
			return nil, fmt.Errorf("%q has a label or a feature that the model lacks", line)
		}
		rows = append(rows, r)
	}
	return rows, err
}

// sum adds up terms in the given number of lanes, a block at a time (spec, "Sums").
func sum[T float32 | float64](terms []T, block, lanes int) (total T) {
	for part := range slices.Chunk(terms, block) {
		var lane [64]T
		for i, v := range part {
			lane[i%lanes] += v
		}
		for l := lanes - 1; l > 0; l-- { // to the lane that is 32, 16, 8, 4, 2 or 1 below
			lane[l-1<<(bits.Len(uint(l))-1)] += lane[l]
		}
		total += lane[0]
	}
	return total
}

// scores returns the score in float32, by columns where rows are held dense, else by nonzeros, and
// that in float64, in 4 lanes of columns.
func (m *model) scores(r *row) (quick, exact float64) {
	terms, lanes, wide := make([]float32, len(r.index)), 8, [4]float64{}
	if strings.HasPrefix(m.Data, "dense:") {
		terms, lanes = make([]float32, m.Features), 64
	}
	for at, j := range r.index {
		wide[j%4] += float64(float64(m.w[j]) * r.value[at])
		product := float32(float32(r.value[at]) * m.w[j])
		if lanes == 64 {
			at = j
		}
		terms[at] = product
	}
	wide[0] = (wide[0] + wide[1]) + (wide[2] + wide[3])
	return float64(sum(terms, 65536, lanes)) + m.b, wide[0] + m.b
}

// loss returns the loss at a margin, and for a bound a_i, of the hinge smoothed by h, and the
// term of its mean ("A bound").
func (m *model) loss(margin, h float64) (loss, a, least float64) {
	miss := max(0, 1-margin)
	switch a = max(0, min(0.5+(1-margin)/h, 1)); m.Config.Loss {
	case "squared-hinge":
		a = 2 * miss
		return float64(miss * miss), a, a - a*a/4
	case "log":
		loss, a = log1pExp(-margin), 1/(1+math.Exp(margin))
		return loss, a, loss + a*margin
	}
	return miss, a, a
}

// objective is lambda/2 |w|^2 and the mean loss, of margins that are given (spec, "The objective").
func (m *model) objective(margins []float64) float64 {
	b := m.b / cmp.Or(m.Config.BiasScale, 1)
	var squares float64
	for _, v := range m.w {
		squares += float64(float64(v) * float64(v))
	}
	losses, order := make([]float64, len(margins)), make([]int, len(margins))
	pcg := rand.NewPCG(m.Config.Seed, ^uint64(0x9e3779b97f4a7c15))
	for i := range order { // "Random numbers"
		j, _ := bits.Mul64(pcg.Uint64(), uint64(i)+1)
		order[i], order[j] = order[j], i
	}
	for i, j := range order {
		losses[i], _, _ = m.loss(margins[j], 1)
	}
	mean := sum(losses, max(32, m.Features/256), 1) / float64(len(losses))
	return float64(m.Lambda/2*(squares+float64(b*b))) + mean
}

// bound returns a lower bound on the least objective, of the margins' slopes ("A bound").
func (m *model) bound(rows []row, margins []float64, h float64) float64 {
	u, n := make([]float64, m.Features+1), float64(len(rows)) // the last of u is the bias's
	var mean, size, half float64
	for i, r := range rows {
		loss, a, least := m.loss(margins[i], h)
		mean, size = mean+least, size+loss+math.Abs(a*margins[i])+a*a+a
		for k, j := range r.index {
			u[j] += a * r.y * r.value[k]
			size += math.Abs(a * r.value[k])
		}
		u[m.Features] += a * r.y * m.Config.BiasScale
	}
	for _, v := range u {
		half += v * v / (2 * m.Lambda * n * n)
	}
	return mean/n - half - (8*n+float64(m.Features)+64)*0x1p-50*(size/n+2*half)
}

// verify returns its findings, and an error if they contradict the model.
func verify(modelFile, dataFile string) (told string, err error) {
	m, hash, err := readModel(modelFile)
	if err != nil {
		return "", err
	}
	rows, err := readRows(dataFile, m)
	if err != nil {
		return "", err
	}
	var quick, exact []float64 // margins
	for _, r := range rows {
		a, b := m.scores(&r)
		quick, exact = append(quick, r.y*a), append(exact, r.y*b)
	}
	best := 0.0
	for h := 1.0 / 64; h <= 64; h *= 2 {
		best = max(best, m.bound(rows, exact, h))
	}
	p, rough, of := m.objective(exact), m.objective(quick), m.Result
	wrong := of.Objective != p && of.Objective != rough
	if wrong || of.Bound > p || best > p || m.Hash != hash {
		err = fmt.Errorf("the claim is wrong: %v, bound %v, %s", of.Objective, of.Bound, m.Hash)
	}
	return fmt.Sprintf("hash %s\nobjective %v or %v, at least %v\n", hash, p, rough, best), err
}

func main() {
	told, err := verify(os.Args[1], os.Args[2])
	fmt.Print(told)
	if err != nil {
		fmt.Fprintln(os.Stderr, "verifier:", err)
		os.Exit(1)
	}
}

// The coefficients of exp and log ("Elementary functions").
const ln2High, ln2Low, magic = 0x1.62e42fefa2p-1, 0x1.9ef35793c7673p-41, 0x1.8p52

var ofExp = [16]float64{1. / 2, 1. / 6, 1. / 24, 1. / 120, 1. / 720, 1. / 5040, 1. / 40320,
	1. / 362880, 1. / 3628800, 1. / 39916800, 1. / 479001600, 1. / 6227020800, 1. / 87178291200}
var ofLog = [12]float64{2. / 3, 2. / 5, 2. / 7, 2. / 9, 2. / 11, 2. / 13, 2. / 15, 2. / 17, 2. / 19,
	2. / 21}

// poly is c[0] + c[1] x + c[2] x^2 + ..., four terms at a time.
func poly(c []float64, x float64) (sum float64) {
	x2 := float64(x * x)
	for n := len(c) - 4; n >= 0; n -= 4 {
		four := (c[n] + float64(x*c[n+1])) + float64(x2*(c[n+2]+float64(x*c[n+3])))
		sum = four + float64(float64(x2*x2)*sum)
	}
	return sum
}

// exp returns e^x, for x from -746 to 0, as e + eLow.
func exp(x float64) (e, eLow float64) {
	k := (float64(x*0x1.71547652b82fep+0) + magic) - magic
	high, low := x-float64(k*ln2High), float64(k*ln2Low)
	r := high - low
	rLow, head := (high-r)-low, 1+r
	tail := ((1 - head) + r) + float64(rLow*head)
	tail += float64(float64(r*r) * poly(ofExp[:], r))
	e = head + tail
	return math.Ldexp(e, int(k)), math.Ldexp((head-e)+tail, int(k))
}

// log returns log(1+f+fLow) + k log(2).
func log(f, fLow float64, k int) (high, low float64) {
	d := 2 + f
	dLow := ((2 - d) + f) + fLow
	inverse := 1 / d
	s := float64(f * inverse)
	sHigh := math.Float64frombits(math.Float64bits(s) &^ (1<<27 - 1)) // half of the digits
	dHigh := math.Float64frombits(math.Float64bits(d) &^ (1<<27 - 1))
	sRest, dRest := s-sHigh, d-dHigh
	left := f - float64(sHigh*dHigh) - float64(sHigh*dRest) - float64(sRest*dHigh) -
		float64(sRest*dRest)
	sLow := float64(((left + fLow) - float64(s*dLow)) * inverse)
	z, base := float64(s*s), float64(float64(k)*ln2High)
	rest := float64(sLow*(2+float64(2*z))) + float64(float64(k)*ln2Low)
	high = base + float64(2*s)
	low = (base - high) + float64(2*s)
	return high, low + (float64(float64(s*z)*poly(ofLog[:], z)) + rest)
}

// log1pExp returns log(1+e^z).
func log1pExp(z float64) float64 {
	e, fLow := exp(max(-746, -math.Abs(z)))
	if z < -40 {
		return e
	}
	f, k := e, 0
	if u := 1 + e; e >= 0.41 {
		_, k = math.Frexp(u / math.Sqrt2) // 1 from the root of 2 on
		f, fLow = math.Ldexp(u, -k)-1, math.Ldexp((e-(u-1))+fLow, -k)
	}
	high, low := log(f, fLow, k)
	z = max(0, z)
	sum := z + high
	from := sum - z
	return sum + (((z - (sum - from)) + (high - from)) + low)
}
