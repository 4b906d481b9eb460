package modelio

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/pegasos"
)

// A script builds a model from a fuzzer's bytes.
type script struct{ text []byte }

func (s *script) bytes(n int) []byte {
	b := make([]byte, n)
	s.text = s.text[copy(b, s.text):]
	return b
}

func (s *script) bits(n int) (bits uint64) {
	for _, b := range s.bytes(n) {
		bits = bits<<8 | uint64(b)
	}
	return bits
}

func (s *script) below(n int) int { return int(s.bytes(1)[0]) % n }

func (s *script) float32() float32 {
	v := math.Float32frombits(uint32(s.bits(4)))
	if !floats.IsFinite(v) {
		return float32(s.below(100)) / 7
	}
	return v
}

func (s *script) float64() float64 {
	v := math.Float64frombits(s.bits(8))
	if !floats.IsFinite(v) {
		return float64(s.below(100)) / 7
	}
	return v
}

func (s *script) model(t *testing.T) *pegasos.Model {
	losses := []pegasos.Loss{
		pegasos.Hinge, pegasos.SquaredHinge, pegasos.Log, pegasos.EpsInsensitive,
		pegasos.Squared,
	}
	kinds := []pegasos.Multiclass{
		"", pegasos.OneVsRest, pegasos.OneVsOne, pegasos.CrammerSinger, pegasos.Multinomial,
	}
	m := &pegasos.Model{Lambda: 0.5, IndexBase: s.below(2)}
	m.Config.Loss = losses[s.below(len(losses))]
	vectors := 1
	if !m.Config.Loss.Regression() {
		kind := kinds[s.below(len(kinds))]
		switch kind {
		case pegasos.CrammerSinger:
			m.Config.Loss = pegasos.Hinge
		case pegasos.Multinomial:
			m.Config.Loss = pegasos.Log
		}
		m.Config.Multiclass = kind
		for range 2 + s.below(5) {
			label := float32(int32(s.bits(4)))
			if s.below(4) > 0 {
				label = float32(s.below(20) - 10)
			}
			if label < math.MaxInt32 && !slices.Contains(m.Classes, label) {
				m.Classes = append(m.Classes, label+0)
			}
		}
		for next := float32(0); len(m.Classes) < 2; next++ {
			if !slices.Contains(m.Classes, next) {
				m.Classes = append(m.Classes, next)
			}
		}
		slices.Sort(m.Classes)
		switch n := len(m.Classes); {
		case n == 2 && !kind.Joint():
		case kind == pegasos.OneVsOne:
			vectors = n * (n - 1) / 2
		default:
			vectors = n
		}
	}
	cols := s.below(40)
	for range vectors {
		w := make([]float32, cols)
		for j := range w {
			w[j] = s.float32()
		}
		m.Weights = append(m.Weights, w)
	}
	if s.below(2) > 0 {
		for range vectors {
			m.Bias = append(m.Bias, s.float64())
		}
	}
	m.Result.Objective, m.Result.DualObjective, m.Result.Gap = math.NaN(), math.NaN(), math.NaN()
	if err := m.Validate(); err != nil {
		t.Fatal(err)
	}
	return m
}

// NaN equals NaN.
func same(t *testing.T, form string, have, want *pegasos.Model) {
	t.Helper()
	if have.Hash() != want.Hash() {
		t.Fatalf("%s: weights, biases, classes %v %v %v, want %v %v %v", form,
			have.Weights, have.Bias, have.Classes,
			want.Weights, want.Bias, want.Classes)
	}
	g := rand.New(rand.NewPCG(1, 2))
	x := dense.New(8, want.Cols())
	for i := range x.Rows() {
		for j := range x.Row(i) {
			x.Row(i)[j] = float32(g.NormFloat64())
		}
	}
	scores := func(m *pegasos.Model) (all []float64) {
		for i := range x.Rows() {
			all = append(all, m.Decision(x, i, nil)...)
		}
		return all
	}
	a, b := scores(have), scores(want)
	for i, v := range a {
		if math.Float64bits(v) != math.Float64bits(b[i]) && (v == v || b[i] == b[i]) {
			t.Fatalf("%s: score %d is %v, want %v", form, i, v, b[i])
		}
	}
	labels := want.PredictAll(x)
	for i, v := range have.PredictAll(x) {
		if v != labels[i] && (v == v || labels[i] == labels[i]) {
			t.Fatalf("%s: row %d is predicted %v, want %v", form, i, v, labels[i])
		}
	}
}

func FuzzForms(f *testing.F) {
	f.Add([]byte{})
	g := rand.New(rand.NewPCG(3, 4))
	for range 40 {
		text := make([]byte, 400)
		for i := range text {
			text[i] = byte(g.Uint32())
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m := (&script{text}).model(t)
		native := encode(t, m)
		read, err := pegasos.Read(bytes.NewReader(native))
		if err != nil {
			t.Fatal(err)
		}
		same(t, "model file", read, m)

		object := encodeJSON(t, read)
		if read, err = ReadJSON(strings.NewReader(object)); err != nil {
			t.Fatalf("%v: %s", err, object)
		}
		same(t, "JSON", read, m)
		if again := encode(t, read); !bytes.Equal(again, native) {
			t.Fatalf("after JSON the model file is %.300q, was %.300q", again, native)
		}

		var b strings.Builder
		if err := WriteLiblinear(&b, read); err != nil {
			if m.Config.Multiclass != pegasos.OneVsOne || len(m.Classes) == 2 {
				t.Fatal(err)
			}
			return // liblinear has no one-vs-one of more than two classes
		}
		if read, err = ReadLiblinear(strings.NewReader(b.String())); err != nil {
			t.Fatalf("%v: %s", err, b.String())
		}
		same(t, "liblinear", read, asLiblinear(m))
		if read, err = ReadJSON(strings.NewReader(encodeJSON(t, read))); err != nil {
			t.Fatal(err)
		}
		same(t, "JSON of liblinear", read, asLiblinear(m))
	})
}

// asLiblinear returns m with the weights, biases and IndexBase that ReadLiblinear returns after
// WriteLiblinear wrote m.
func asLiblinear(m *pegasos.Model) *pegasos.Model {
	c := *m
	c.IndexBase = 1
	if len(m.Classes) != 2 || len(m.Weights) == 1 {
		return &c
	}
	c.Config.Multiclass = ""
	w := make([]float32, m.Cols())
	for j := range w {
		w[j] = float32(float64(m.Weights[1][j]) - float64(m.Weights[0][j]))
	}
	c.Weights = [][]float32{w}
	if m.Bias != nil {
		c.Bias = []float64{m.Bias[1] - m.Bias[0]}
	}
	return &c
}
