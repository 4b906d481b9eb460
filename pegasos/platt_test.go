package pegasos_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/pegasos"
)

func TestCalibrate(t *testing.T) {
	for _, classes := range []int{2, 4} {
		data, test := random(51, 300, 5, classes, 1), random(51, 600, 5, classes, 1)
		for _, cfg := range []pegasos.Config{
			{Calibrate: 5}, {Calibrate: 3, Multiclass: pegasos.OneVsOne, Bias: pegasos.BiasAugmented},
			{Calibrate: 2, Multiclass: pegasos.CrammerSinger},
			{Loss: pegasos.Log}, {Multiclass: pegasos.Multinomial}, {Loss: pegasos.Log,
				Multiclass: pegasos.OneVsOne},
			{Loss: pegasos.SquaredHinge, Calibrate: 4},
		} {
			cfg.Lambda = 0.01
			name := fmt.Sprintf("%d classes, %+v", classes, cfg)
			m := mustTrain(t, data.dense, data.y, cfg)
			plain := cfg
			plain.Calibrate = 0
			bare := *m
			bare.Calibration = nil
			if mustTrain(t, data.dense, data.y, plain).Hash() != bare.Hash() {
				t.Errorf("%s: Calibrate changes the weights", name)
			}
			again, err := trainPlain(t.Context(), &pegasos.Trainer{Config: cfg, Threads: 3}, data.dense,
				data.y)
			if err != nil || !reflect.DeepEqual(again.Calibration, m.Calibration) {
				t.Errorf("%s: with 3 threads %v, or other sigmoids", name, err)
			}
			file, err := pegasos.Read(bytes.NewReader(encode(t, m)))
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
				t.Errorf("%s: log loss %v, want less than %v", name, loss, limit)
			}
		}
	}
}

// Only training's own sigmoids are those of Config.Calibrate's folds.
func TestCalibrateFolds(t *testing.T) {
	p := random(54, 60, 3, 2, 1)
	m := mustTrain(t, p.dense, p.y, pegasos.Config{Lambda: 0.01, Calibrate: 3})
	scores := m.DecisionAll(p.dense)
	if err := m.Calibrate(scores[1:], p.y, nil); err == nil || m.Config.Calibrate != 3 {
		t.Errorf("a score too few: %v, %d folds, want 3", err, m.Config.Calibrate)
	}
	if err := m.Calibrate(scores, p.y, nil); err != nil || m.Config.Calibrate != 0 {
		t.Errorf("%v, %d folds, want 0", err, m.Config.Calibrate)
	}
}

func TestCalibrateWeights(t *testing.T) {
	for _, classes := range []int{2, 4} {
		data := random(54, 200, 5, classes, 1)
		weights := some(200)
		copies := data.repeat(weights)
		for _, multiclass := range []pegasos.Multiclass{pegasos.OneVsRest, pegasos.OneVsOne,
			pegasos.CrammerSinger} {
			m := mustTrain(t, data.dense, data.y, pegasos.Config{Multiclass: multiclass, Lambda: 0.01})
			if err := m.Calibrate(m.DecisionAll(copies.dense), copies.y, nil); err != nil {
				t.Fatal(err)
			}
			want, scores, y := m.Calibration, m.DecisionAll(data.dense), slices.Clone(data.y)
			for i, w := range weights {
				if w == 0 {
					scores[i*len(m.Weights)], y[i] = math.Inf(1), 77
				}
			}
			if err := m.Calibrate(scores, y, weights); err != nil {
				t.Fatal(err)
			}
			for k, s := range m.Calibration {
				if math.Abs(s.A-want[k].A) > 1e-8 || math.Abs(s.B-want[k].B) > 1e-8 {
					t.Errorf("%d classes, %s, vector %d: %+v, with copies %+v", classes, multiclass, k,
						s, want[k])
				}
			}
			have, copied := m.MeanLoss(scores, y, weights),
				m.MeanLoss(m.DecisionAll(copies.dense), copies.y, nil)
			if math.Abs(have-copied) > 1e-12*copied {
				t.Errorf("%d classes, %s: mean loss %v, with copies %v", classes, multiclass, have,
					copied)
			}
		}
	}
}

// The weighted mean of a class's probability is about the class's share of the weight. The sigmoids
// ignore class weights: with these, the plain mean is about the class's share of the rows.
func TestProbabilitiesAreWeighted(t *testing.T) {
	for _, classes := range []int{2, 3} {
		data := random(55, 900, 2, classes, 0.5)
		weights := make([]float32, 900)
		for i, y := range data.y {
			weights[i] = 1
			if int(y) == classes-1 {
				weights[i] = 9
			}
		}
		for _, multiclass := range []pegasos.Multiclass{pegasos.OneVsRest, pegasos.OneVsOne} {
			for _, unit := range []float32{1, 1e-6, 100} {
				scaled := slices.Clone(weights)
				for i := range scaled {
					scaled[i] *= unit
				}
				cfg := pegasos.Config{Multiclass: multiclass, Lambda: 0.01, Calibrate: 5,
					Bias: pegasos.BiasAugmented}
				m := weighted(t, data.dense, data.y, scaled, cfg)
				checkShare(t, m, data, scaled, fmt.Sprintf("%d classes, %s, unit %v", classes,
					multiclass, unit))
				if multiclass == pegasos.OneVsOne && classes > 2 {
					continue // coupled probabilities of differently weighted pairs have other means
				}
				cfg.ClassWeight = fmt.Sprintf("%d=9", classes-1)
				m = mustTrain(t, data.dense, data.y, cfg)
				checkShare(t, m, data, nil, fmt.Sprintf("%d classes, class weights", classes))
			}
		}
	}
}

// nil weights stand for 1 each.
func checkShare(t *testing.T, m *pegasos.Model, data pair, weights []float32, name string) {
	t.Helper()
	var mean, share, all float64
	scores, last := m.DecisionAll(data.dense), len(m.Classes)-1
	for i, y := range data.y {
		w := 1.0
		if weights != nil {
			w = float64(weights[i])
		}
		mean += w * m.Probabilities(scores[i*len(m.Weights):][:len(m.Weights)], nil)[last]
		if int(y) == last {
			share += w
		}
		all += w
	}
	if mean, share = mean/all, share/all; math.Abs(mean-share) > 0.04 {
		t.Errorf("%s: mean probability %.3f of the last class, whose share is %.3f", name, mean,
			share)
	}
}

func TestCalibrateWeightZero(t *testing.T) {
	data := random(56, 120, 4, 3, 1)
	weights, byClass := make([]float32, 120), make([]float32, 120)
	for i, y := range data.y {
		if y != 1 {
			byClass[i] = 1
			weights[i] = float32(i % 3)
		}
	}
	cfg := pegasos.Config{Calibrate: 3, Lambda: 0.01}
	m := weighted(t, data.dense, data.y, weights, cfg)
	rest := data.repeat(ones(weights))
	var own []float32
	for _, w := range weights {
		if w > 0 {
			own = append(own, w)
		}
	}
	if want := weighted(t, rest.dense, rest.y, own, cfg); m.Hash() != want.Hash() {
		t.Errorf("sigmoids %v, without the rows of weight 0 %v", m.Calibration, want.Calibration)
	}
	rest, cfg.ClassWeight = data.repeat(byClass), ""
	want := mustTrain(t, rest.dense, rest.y, cfg)
	cfg.ClassWeight = "1=0"
	m, err := fixed(t.Context(), data.dense, data.y, cfg)
	if err != nil || m.Hash() != want.Hash() {
		t.Errorf("a class of weight 0: %v, %v", m, err)
	}
}

func TestProbabilitiesWithoutLoss(t *testing.T) {
	data := random(52, 60, 3, 3, 1)
	m := mustTrain(t, data.dense, data.y, pegasos.Config{Multiclass: pegasos.Multinomial})
	scores := []float64{1, 2, 3}
	want := m.Probabilities(scores, nil)
	if m.Config.Loss = ""; !m.HasProbabilities() || !slices.Equal(m.Probabilities(scores, nil), want) {
		t.Error("without a loss, there are no probabilities or other probabilities")
	}
}

func TestCalibrateRefuses(t *testing.T) {
	data := random(52, 30, 3, 2, 1)
	m := mustTrain(t, data.dense, data.y, pegasos.Config{})
	if m.HasProbabilities() || mustTrain(t, data.dense, data.y,
		pegasos.Config{Loss: pegasos.EpsInsensitive}).HasProbabilities() {
		t.Error("a model without a calibration has probabilities")
	}
	for name, err := range map[string]error{
		"scores":     m.Calibrate(make([]float64, 3), make([]float32, 2), nil),
		"class":      m.Calibrate(make([]float64, 2), []float32{0, 2}, nil),
		"NaN":        m.Calibrate([]float64{1, math.NaN()}, []float32{0, 1}, nil),
		"weights":    m.Calibrate([]float64{1, 2}, []float32{0, 1}, []float32{1}),
		"weight":     m.Calibrate([]float64{1, 2}, []float32{0, 1}, []float32{1, -1}),
		"no weight":  m.Calibrate([]float64{1, 2}, []float32{0, 1}, []float32{0, 0}),
		"one fold":   pegasos.Config{Calibrate: 1}.Validate(),
		"regression": pegasos.Config{Calibrate: 5, Loss: pegasos.EpsInsensitive}.Validate(),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if m.Calibration != nil {
		t.Error("calibrated after an error")
	}
	// Two classes of one row each may be in one fold. Without this fold their pair has no row to
	// train on.
	data = random(53, 24, 3, 2, 1)
	data.y[3], data.y[4] = 5, 6
	for seed := range uint64(20) {
		m, err := fixed(t.Context(), data.dense, data.y,
			pegasos.Config{Multiclass: pegasos.OneVsOne, Calibrate: 2, Seed: seed})
		if (m == nil) == (err == nil) {
			t.Errorf("seed %d: %v, %v", seed, m, err)
		}
	}
}

// Empty columns do not count when the folds' solver is chosen.
func TestSigmoidsOfSomeColumns(t *testing.T) {
	x, y := matrix(t, 2, 13, 0, 0, 1, 0, 0, 100, 0, 0, 0, 0, 0, 0, 0,
		178, 6, 0, 0, 0, 0, 30, 0, 0, 0, 0, 0, 0), []float32{5, 2}
	cfg := pegasos.Config{Loss: pegasos.Log, Lambda: 0.75, Epochs: 2, Order: pegasos.Sequential,
		Bias: pegasos.BiasUnregularised, Scale: pegasos.ScaleStandard, Curves: pegasos.CurvesNone,
		Finish: pegasos.FinishAuto, Calibrate: 2, Seed: 4}
	tr := pegasos.Trainer{Config: cfg, Fingerprint: true}
	m := train(t, x, y, tr)
	v, err := tr.Verify(t.Context(), m, x, y, pegasos.VerifyOptions{Sigmoids: true})
	if err != nil || v.Verdict == pegasos.Contradicted || !v.Sigmoids {
		t.Errorf("%+v, %v", v, err)
	}
}

func TestSigmoidsAreVerified(t *testing.T) {
	for seed := range uint64(6) {
		data := random(seed, 80, 5, 2+int(seed%3), 1)
		cfg := pegasos.Config{Calibrate: 3, Epochs: 4, Lambda: 0.1,
			Loss: pick(rand.New(rand.NewPCG(seed, 4)), pegasos.Hinge, pegasos.SquaredHinge)}
		if seed%2 == 0 {
			cfg.Multiclass, cfg.Scale = pegasos.OneVsRest, pegasos.ScaleNone
		}
		tr := pegasos.Trainer{Config: cfg, Fingerprint: true, KeepProof: true, Threads: 1}
		if seed > 2 {
			tr.Weights = some(80)
		}
		x := []pegasos.Examples{data.dense, data.sparse}[seed%2]
		m := train(t, x, data.y, tr)
		o := pegasos.VerifyOptions{Proof: m.Proof, Sigmoids: true}
		v, err := tr.Verify(t.Context(), m, x, data.y, o)
		if err != nil || v.Verdict != pegasos.Confirmed || !v.Sigmoids {
			t.Fatalf("seed %d: %+v, %v", seed, v, err)
		}
		changed := *m
		changed.Calibration = slices.Clone(m.Calibration)
		at := &changed.Calibration[len(m.Calibration)-1].B
		*at = math.Nextafter(*at, 1)
		if _, err := pegasos.Read(bytes.NewReader(rewritten(&changed, t, m.Hash()))); err == nil {
			t.Errorf("seed %d: a changed sigmoid does not change the hash", seed)
		}
		v, err = tr.Verify(t.Context(), &changed, x, data.y, pegasos.VerifyOptions{Sigmoids: true})
		if err != nil || v.Verdict != pegasos.Contradicted || v.Hash == m.Hash() {
			t.Errorf("seed %d: a changed sigmoid: %+v, %v", seed, v, err)
		}
	}
}
