package main

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
)

// This file reads model files (spec, "Model files").

type model struct {
	Features, IndexBase int
	Sparse, Bias        bool
	Classes             []float32
	Lambda              float64
	Hash, Data          string
	Config              config
	Result              result
	Scaling             scaling

	shift, factor []float32 // by column; nil if there is none
	terms         expansion
	w             []float64 // of features and then of terms
	quick         []float32 // rounded to float32
	b, bSize      float64   // bias for scaled rows, and the sum of its terms' magnitudes
}

// A JSON key is a field's tag or its name in lower case.
type config struct {
	Loss, Multiclass, Order, Offset, Average, Finish, Bias, Scale, Curves string

	Lambda, C, Tol float64
	Epochs, Steps  int64
	Block          int32
	BiasScale      float64 `json:"bias_scale"`
	TargetScale    string  `json:"target_scale"`
	Seed           uint64
}

// A nil field is not in the file.
type result struct {
	Steps, Violations int64
	Epochs, R2, T0    float64
	Solver            string
	Replaced          int
	CrossValidated    *estimate `json:"cross_validated"`
	HeldOut           *estimate `json:"held_out"`
	Objective, Gap    *float64
	Bound             *float64 `json:"dual_objective"`
	PerClass          []struct {
		Objective         *float64
		Bound             *float64 `json:"dual_objective"`
		Steps, Violations int64
		Lambda, Width     float64
	} `json:"per_class"`
}

type estimate struct {
	Metric       string
	Value, Share float64
	StdErr       float64 `json:"std_err"`
	Rows, Folds  int
}

func (e *estimate) valid() bool {
	return e == nil || (e.Metric == "accuracy" && e.Value >= 0 || e.Metric == "r2") && e.Value <= 1 &&
		e.StdErr >= 0 && e.Rows > 0 && e.Folds >= 0 && e.Share >= 0 && e.Share < 1
}

type scaling struct {
	Kind, Note string
	Folded     bool
	R2         float64
	Expansion  *expansion
}

// readModel also computes the hash of the model file (spec, "The hash").
func readModel(name string) (m *model, hash string, err error) {
	file, err := os.ReadFile(name)
	if err != nil {
		return nil, "", err
	}
	end := max(0, len(file)-sha256.Size)
	sum := sha256.Sum256(file[:end])
	header, numbers, whole := strings.Cut(string(file[:end]), "\n\n")
	_, lines, _ := strings.Cut(header, "\n")
	switch {
	case !strings.HasPrefix(string(file), "pegasimd model 1\n"):
		return nil, "", errors.New("want the file of a linear model, of version 1 and not compressed; " +
			"others are not supported")
	case string(sum[:]) != string(file[end:]) || !whole:
		return nil, "", errors.New("wrong checksum, or no end of the header")
	}
	m = new(model)
	if err := m.readHeader(strings.Split(lines, "\n")); err != nil {
		return nil, "", err
	}
	if m.Scaling == (scaling{}) {
		m.Scaling = scaling{Kind: "none", Folded: true}
	}
	if e := m.Scaling.Expansion; e != nil {
		m.terms = *e
	}
	if err := m.checkKind(); err != nil {
		return nil, "", err
	}
	hash, err = m.readNumbers([]byte(numbers))
	return m, hash, err
}

// readHeader accepts each line at most once, in the order of known.
func (m *model) readHeader(lines []string) error {
	known := []struct {
		name     string
		value    any // nil if models with such a line are not supported
		required bool
	}{
		{"features", &m.Features, true}, {"sparse", &m.Sparse, false},
		{"classes", &m.Classes, true}, {"names", nil, false}, {"bias", &m.Bias, true},
		{"index_base", &m.IndexBase, true}, {"hash_bits", nil, false},
		{"table", nil, false}, {"calibration", nil, false}, {"lambda", &m.Lambda, true},
		{"prior", nil, false}, {"start", nil, false}, {"hash", &m.Hash, true}, {"data", &m.Data, true},
		{"command", new(string), false}, {"config", &m.Config, true}, {"result", &m.Result, true}, {"scaling", &m.Scaling, false},
		{"state", nil, false},
	}
	for _, line := range append(lines, "") {
		name, text, _ := strings.Cut(line, ": ")
		for len(known) > 0 && known[0].name != name {
			if known[0].required {
				return fmt.Errorf("header: want a line %q here, have %.40q", known[0].name, line)
			}
			known = known[1:]
		}
		switch {
		case line == "":
			return nil
		case len(known) == 0:
			return fmt.Errorf("header: %.40q is unknown, repeated, or in the wrong place", line)
		case known[0].value == nil:
			return fmt.Errorf("models with a line %q are not supported", name)
		}
		if err := strict(text, known[0].value); err != nil {
			return fmt.Errorf("header: %s: %w", name, err)
		}
		known = known[1:]
	}
	return nil
}

func strict(text string, value any) error {
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(value); err != nil {
		return fmt.Errorf("not supported, or wrong: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("something follows the value")
	}
	return eachOnce(json.NewDecoder(strings.NewReader(text)))
}

// eachOnce refuses null, repeated keys, and upper-case letters in keys, whose case package json
// ignores.
func eachOnce(d *json.Decoder) error {
	t, err := d.Token()
	if t == nil {
		return errors.Join(err, errors.New("null is not allowed"))
	}
	if _, ok := t.(json.Delim); !ok {
		return err
	}
	seen := map[string]bool{}
	for d.More() {
		if t == json.Delim('{') {
			token, _ := d.Token()
			key := token.(string)
			if seen[key] || key != strings.ToLower(key) {
				return fmt.Errorf("the key %.40q is repeated or has upper-case letters", key)
			}
			seen[key] = true
		}
		if err := eachOnce(d); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

func (m *model) checkKind() error {
	c, s, r := &m.Config, &m.Scaling, &m.Result
	isOne := func(word string, of ...string) bool { return slices.Contains(of, word) }
	positive := func(v float64) bool { return v > 0 && v <= math.MaxFloat64 }
	layout, _, _ := strings.Cut(m.Data, ":")
	for _, rule := range []struct {
		holds bool
		what  string
	}{
		{len(m.Classes) == 2 && m.Classes[0] < m.Classes[1], "classes: want two, ascending"},
		{m.Features >= 0, "features"},
		{m.IndexBase == 0 || m.IndexBase == 1, "index_base"},
		{positive(m.Lambda), "lambda"},
		{isOne(layout, "dense", "sparse"), "data: layout"},
		{isOne(c.Loss, "hinge", "squared-hinge", "log"), "config: loss"},
		{isOne(c.Multiclass, "ovr", "ovo"), "config: multiclass"},
		{c.Lambda == 0 && positive(c.C) || c.C == 0 && positive(c.Lambda), "config: lambda and c"},
		{c.Epochs > 0 && c.Steps == 0 || c.Epochs == 0 && c.Steps > 0 && c.Steps <= 1<<53,
			"config: epochs and steps"},
		{c.Tol >= 0 && c.Tol < 1, "config: tol"},
		{c.Order == "shuffled" && c.Block > 0, "config: order or block"},
		{isOne(c.Offset, "auto", "r2", "none"), "config: offset"},
		{isOne(c.Average, "last-half", "none"), "config: average"},
		{isOne(c.Finish, "", "none", "dual", "auto", "newton"), "config: finish"},
		{c.Bias == "none" && c.BiasScale == 0 || c.Bias == "augmented" && positive(c.BiasScale) &&
			c.BiasScale <= math.MaxFloat32, "config: bias or bias_scale"},
		{m.Bias || c.Bias == "none", "bias: false contradicts config"},
		{!m.Bias || c.Bias != "none" || s.Kind == "standard" && s.Folded,
			"bias: true contradicts config"},
		{isOne(s.Kind, "none", "unit", "standard", "max-abs") && c.Scale == s.Kind &&
			c.TargetScale == "none", "config: scale or target_scale, or scaling: kind"},
		{isOne(c.Curves, "", "none") && s.Expansion == nil || s.Expansion != nil && c.Curves ==
			s.Expansion.Kind && s.Expansion.valid(m.Features), "config: curves, or scaling: expansion"},
		{s.Expansion == nil || !s.Folded && s.Kind != "unit", "scaling: kind or folded with an expansion"},
		{s.Folded != (s.Kind == "unit") || isOne(s.Kind, "standard", "max-abs") ||
			s.Expansion != nil, "scaling: folded"},
		{isOne(r.Solver, "", "steps", "dual", "steps, dual", "steps, newton", "dual, newton"),
			"result: solver"},
		{r.CrossValidated.valid() && r.HeldOut.valid(), "result: cross_validated or held_out"},
		{len(r.PerClass) == 1, "result: per_class: want one"},
		{r.Steps >= 0 && r.Epochs >= 0 && r.Violations >= 0 && r.Replaced >= 0 && r.Replaced <= 1,
			"result: counts below 0, or replaced above 1"},
	} {
		if !rule.holds {
			return fmt.Errorf("not supported, or wrong: %s", rule.what)
		}
	}
	return nil
}

func (m *model) readNumbers(numbers []byte) (hash string, err error) {
	n, kind, e := m.Features, m.Scaling.Kind, &m.terms
	terms := len(e.Terms)
	if n > 8*len(numbers)-terms { // not even a bit for each weight
		return "", errors.New("the file has too few numbers")
	}
	if m.Sparse {
		if numbers, err = unpacked(numbers, n+terms); err != nil {
			return "", err
		}
	}
	weights, biases := make([]float32, n+terms), []float64{0}
	e.shift, e.factor = make([]float32, terms), make([]float32, terms)
	if !m.Bias {
		biases = nil
	}
	if kind == "standard" {
		m.shift = make([]float32, n)
	}
	if kind == "standard" || kind == "max-abs" {
		m.factor = make([]float32, n)
	}
	for _, part := range []any{weights, biases, m.shift, m.factor, e.shift, e.factor} {
		size := binary.Size(part)
		if len(numbers) < size {
			return "", errors.New("the file has too few numbers")
		}
		binary.Decode(numbers, binary.LittleEndian, part)
		numbers = numbers[size:]
	}
	if len(numbers) > 0 {
		return "", errors.New("something follows the last of the file's numbers")
	}
	all := slices.Concat(weights, m.shift, e.shift, m.factor, e.factor)
	for k, v := range all {
		if v-v != 0 || k >= len(all)-len(m.factor)-terms && v <= 0 {
			return "", fmt.Errorf("a weight, shift or factor is not finite, or a factor not above 0: %v", v)
		}
	}
	hashed := pack(weights, biases, m.Classes)
	if m.IndexBase != 0 {
		hashed = fmt.Appendf(hashed, "index_base: %d\n", m.IndexBase)
	}
	if !m.Scaling.Folded {
		hashed = fmt.Appendf(hashed, "scale: %q\n", kind)
		hashed = append(hashed, pack(m.shift, m.factor)...)
	}
	if terms > 0 {
		hashed = fmt.Appendf(hashed, "curves: %q\n", e.Kind)
		for _, t := range e.Terms {
			hashed = append(hashed, pack([]int32{int32(t[0]), int32(t[1])})...)
		}
		hashed = append(hashed, pack(e.Knots, e.shift, e.factor)...)
	}
	m.unfold(weights, append(biases, 0)[0])
	if m.b-m.b != 0 || m.Config.Bias == "none" && m.b != 0 {
		return "", fmt.Errorf("the bias for scaled rows is %v: want a finite number, 0 without a bias", m.b)
	}
	return fmt.Sprintf("%x", sha256.Sum256(hashed)), nil
}

func pack(parts ...any) (packed []byte) {
	for _, part := range parts {
		packed, _ = binary.Append(packed, binary.LittleEndian, part)
	}
	return packed
}

func unpacked(numbers []byte, n int) ([]byte, error) {
	at := (n + 7) / 8
	if len(numbers) < at || n%8 > 0 && numbers[n/8]>>(n%8) != 0 {
		return nil, errors.New("the bitmap of weights is too short, or has bits after the last weight")
	}
	weights := make([]byte, 4*n)
	for j := range n {
		if numbers[j/8]>>(j%8)&1 == 1 {
			if len(numbers) < at+4 {
				return nil, errors.New("the file has too few weights")
			}
			copy(weights[4*j:], numbers[at:at+4])
			at += 4
		}
	}
	return append(weights, numbers[at:]...), nil
}

func (m *model) unfold(weights []float32, bias float64) {
	m.w, m.quick, m.b = make([]float64, len(weights)), make([]float32, len(weights)), bias
	m.bSize = math.Abs(bias)
	for j, v := range weights {
		m.w[j] = float64(v)
		if m.Scaling.Folded && m.factor != nil {
			m.w[j] /= float64(m.factor[j])
		}
		m.quick[j] = float32(m.w[j])
		if m.Scaling.Folded && m.shift != nil {
			moved := float64(float64(v) * float64(m.shift[j]))
			m.b += moved
			m.bSize += math.Abs(moved)
		}
	}
	if m.Config.Bias == "none" && math.Abs(m.b) <= 0x1p-44*m.bSize {
		m.b = 0
	}
}
