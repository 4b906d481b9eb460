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
