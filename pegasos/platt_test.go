package pegasos

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// The sigmoid is where the gradient of Platt's likelihood is 0, and it is the one that the labels
// were drawn with.
func TestFitSigmoid(t *testing.T) {
	g := rand.New(rand.NewPCG(1, 2))
	for _, want := range []Sigmoid{{-1, 0}, {-3, 0.5}, {-0.2, -2}, {0.5, 1}} {
		var z []float64
		var positive []bool
		for range 40_000 {
			v := g.NormFloat64() * 2
			z = append(z, v)
			positive = append(positive, g.Float64() < 1/(1+math.Exp(want.A*v+want.B)))
		}
		s := fitSigmoid(z, positive)
		if math.Abs(s.A-want.A) > 0.15 || math.Abs(s.B-want.B) > 0.15 {
			t.Errorf("%+v, want %+v", s, want)
		}
		var pos, neg, g1, g2 float64
		for _, p := range positive {
			if p {
				pos++
			} else {
				neg++
			}
		}
		for i, v := range z {
			target := 1 / (neg + 2)
			if positive[i] {
				target = (pos + 1) / (pos + 2)
			}
			d := target - 1/(1+math.Exp(s.A*v+s.B))
			g1 += d * v
			g2 += d
		}
		if math.Abs(g1) > 1e-3 || math.Abs(g2) > 1e-3 {
			t.Errorf("%+v: the gradient is %v, %v", s, g1, g2)
		}
	}
	// Scores that part the labels, huge ones, and labels of one kind have a finite answer, in the
	// right order.
	for _, z := range [][]float64{{-2, -1, 1, 2}, {-1e30, -1e29, 1e29, 1e30}, {0, 0, 0, 0}} {
		s := fitSigmoid(z, []bool{false, false, true, true})
		if s.A-s.A != 0 || s.B-s.B != 0 || s.at(z[3]) < s.at(z[0]) {
			t.Errorf("%v: %+v", z, s)
		}
	}
	if s := fitSigmoid([]float64{1, 2, 3}, make([]bool, 3)); s.at(2) > 0.5 || s.A-s.A != 0 {
		t.Errorf("no positive row: %+v", s)
	}
}

// Pairs that agree with some probabilities give these back.
func TestCouple(t *testing.T) {
	g := rand.New(rand.NewPCG(3, 4))
	for n := 2; n <= 7; n++ {
		want := make([]float64, n)
		for k := range want {
			want[k] = 0.1 + g.Float64()
		}
		normalise(want)
		var pairs []float64
		for a := range n {
			for b := a + 1; b < n; b++ {
				pairs = append(pairs, want[b]/(want[a]+want[b]))
			}
		}
		have := couple(make([]float64, n), func(k int) float64 { return pairs[k] })
		for k := range want {
			if math.Abs(have[k]-want[k]) > 0.01 {
				t.Errorf("%d classes: %v, want %v", n, have, want)
			}
		}
	}
	if p := couple(make([]float64, 3),
		func(k int) float64 { return []float64{1, 1, 1}[k] }); math.Abs(p[0]+p[1]+p[2]-1) > 1e-12 ||
		p[2] < p[1] || p[1] < p[0] {
		t.Errorf("certain pairs: %v", p)
	}
}

// Every kind of model gives probabilities that add up to 1, are better than the classes' shares,
// and are the same for any number of threads and after a way through a file.
func TestCalibrate(t *testing.T) {
	for _, classes := range []int{2, 4} {
		data, test := random(51, 300, 5, classes, 1), random(51, 600, 5, classes, 1)
		for _, cfg := range []Config{
			{Calibrate: 5}, {Calibrate: 3, Multiclass: OneVsOne, Bias: BiasAugmented},
			{Calibrate: 2, Multiclass: CrammerSinger},
			{Loss: Log}, {Multiclass: Multinomial}, {Loss: Log, Multiclass: OneVsOne},
			{Loss: SquaredHinge, Calibrate: 4},
		} {
			cfg.Lambda = 0.01
			name := fmt.Sprintf("%d classes, %+v", classes, cfg)
			m := mustTrain(t, data.dense, data.y, cfg)
			plain := cfg
			plain.Calibrate = 0
			bare := *m
			bare.Calibration = nil
			if mustTrain(t, data.dense, data.y, plain).Hash() != bare.Hash() {
				t.Errorf("%s: the weights are others than without", name)
			}
			again, err := (&Trainer{Config: cfg, Threads: 3}).plain(t.Context(), data.dense, data.y)
			if err != nil || !reflect.DeepEqual(again.Calibration, m.Calibration) {
				t.Errorf("%s: other sigmoids with 3 threads", name)
			}
			file, err := Read(bytes.NewReader(encode(t, m)))
			if err != nil || !reflect.DeepEqual(file.Calibration, m.Calibration) {
				t.Errorf("%s: %v, sigmoids %v, want %v", name, err, file.Calibration, m.Calibration)
			}
			scores := m.DecisionAll(test.dense)
			var loss float64
			for i, y := range test.y {
				row := scores[i*len(m.Weights):][:len(m.Weights)]
				p := m.Probabilities(row, nil)
				var sum float64
				for _, v := range p {
					if !(v >= 0 && v <= 1) {
						t.Fatalf("%s: %v", name, p)
					}
					sum += v
				}
				if len(p) != classes || math.Abs(sum-1) > 1e-9 {
					t.Fatalf("%s: %v", name, p)
				}
				loss -= math.Log(p[int(y)]) / float64(len(test.y))
			}
			if limit := 0.8 * math.Log(float64(classes)); !(loss < limit) {
				t.Errorf("%s: log loss %v, want %v", name, loss, limit)
			}
		}
	}
}

func TestFolds(t *testing.T) {
	y, weights := make([]float32, 100), make([]float32, 100)
	for i := range y {
		y[i], weights[i] = float32(i%3), 1
		if i == 17 {
			weights[i] = 0
		}
	}
	fold := Folds(y, weights, 5, 9)
	count := map[[2]int]int{}
	size := map[int]int{}
	for i, f := range fold {
		if (f < 0) != (i == 17) || f >= 5 {
			t.Fatalf("row %d in fold %d", i, f)
		}
		count[[2]int{f, int(y[i])}]++
		size[f]++
	}
	for f := range 5 {
		for c := range 3 {
			if n := count[[2]int{f, c}]; n < 6 || n > 7 {
				t.Errorf("fold %d has %d rows of label %d", f, n, c)
			}
		}
		if size[f] < 19 || size[f] > 21 {
			t.Errorf("fold %d has %d rows", f, size[f])
		}
	}
	if !reflect.DeepEqual(fold, Folds(y, weights, 5, 9)) ||
		reflect.DeepEqual(fold, Folds(y, weights, 5, 10)) {
		t.Error("the folds do not go by the seed")
	}
}

func TestCalibrateRefuses(t *testing.T) {
	data := random(52, 30, 3, 2, 1)
	m := mustTrain(t, data.dense, data.y, Config{})
	if m.HasProbabilities() || mustTrain(t, data.dense, data.y,
		Config{Loss: EpsInsensitive}).HasProbabilities() {
		t.Error("probabilities of nothing")
	}
	for name, err := range map[string]error{
		"scores":     m.Calibrate(make([]float64, 3), make([]float32, 2)),
		"class":      m.Calibrate(make([]float64, 2), []float32{0, 2}),
		"NaN":        m.Calibrate([]float64{1, math.NaN()}, []float32{0, 1}),
		"one fold":   Config{Calibrate: 1}.Validate(),
		"regression": Config{Calibrate: 5, Loss: EpsInsensitive}.Validate(),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if m.Calibration != nil {
		t.Error("calibrated after an error")
	}
	// Two classes of one row each, in the same fold: the pair of them has no row to train on.
	data = random(53, 24, 3, 2, 1)
	data.y[3], data.y[4] = 5, 6
	for seed := range uint64(20) {
		m, err := fixed(t.Context(), data.dense, data.y, Config{Multiclass: OneVsOne, Calibrate: 2,
			Seed: seed})
		if (m == nil) == (err == nil) {
			t.Errorf("seed %d: %v, %v", seed, m, err)
		}
	}
}

// The hash covers the sigmoids, which verify can find anew.
func TestSigmoidsAreVerified(t *testing.T) {
	for seed := range uint64(6) {
		data := random(seed, 80, 5, 2+int(seed%3), 1)
		cfg := Config{Calibrate: 3, Epochs: 4, Loss: pick(rand.New(rand.NewPCG(seed, 4)), Hinge,
			SquaredHinge)}
		if seed%2 == 0 {
			cfg.Multiclass, cfg.Scale = OneVsRest, ScaleNone
		}
		tr := Trainer{Config: cfg, Fingerprint: true, KeepProof: true, Threads: 1}
		x := []Examples{data.dense, data.sparse}[seed%2]
		m := train(t, x, data.y, tr)
		o := VerifyOptions{Proof: m.Proof, Sigmoids: true}
		v, err := tr.Verify(t.Context(), m, x, data.y, o)
		if err != nil || v.Verdict != Confirmed || !v.Sigmoids {
			t.Fatalf("seed %d: %+v, %v", seed, v, err)
		}
		changed := *m
		changed.Calibration = slices.Clone(m.Calibration)
		at := &changed.Calibration[len(m.Calibration)-1].B
		*at = math.Nextafter(*at, 1)
		if _, err := Read(bytes.NewReader(changed.rewritten(t, m.Hash()))); err == nil {
			t.Errorf("seed %d: another sigmoid has the hash", seed)
		}
		v, err = tr.Verify(t.Context(), &changed, x, data.y, VerifyOptions{Sigmoids: true})
		if err != nil || v.Verdict != Contradicted || v.Hash == m.Hash() {
			t.Errorf("seed %d: another sigmoid: %+v, %v", seed, v, err)
		}
	}
}
