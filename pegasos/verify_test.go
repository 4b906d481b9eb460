package pegasos_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/pegasos"
)

var (
	verifyTrials = flag.Int("verify-trials", 300, "number of random runs in TestVerifyTrials")
	tamperings   = flag.Int("tamperings", 800, "least number of random changes in TestTampering")
)

func (t *trial) verify(m *pegasos.Model, x pegasos.Examples,
	p *pegasos.Proof) (*pegasos.Verification, error) {
	tr := pegasos.Trainer{Weights: t.tr.Weights, Prior: t.tr.Prior, Threads: 1}
	o := pegasos.VerifyOptions{Proof: p, Passes: t.g.IntN(6)}
	return tr.Verify(context.Background(), m, x, t.y, o)
}

func TestVerifyTrials(t *testing.T) {
	found := map[pegasos.Verdict]int{}
	for seed := range uint64(*verifyTrials) {
		trial := newTrial(seed + 5e6)
		trial.models()
		trial.half = false
		trial.tr.Fingerprint = true
		trial.tr.KeepProof = trial.hasBounds() && seed%2 == 0
		m, err := trial.train()
		if err != nil || m == nil || math.IsNaN(m.Result.Objective) {
			continue
		}
		v, err := trial.verify(m, trial.x, nil)
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		if v.Verdict == pegasos.Contradicted || v.Bound > v.Objective || !v.Known {
			t.Errorf("seed %d: %+v\n%+v", seed, v, m.Config)
		}
		found[v.Verdict]++
		other := pegasos.Examples(trial.rows) // the same rows in another format
		if trial.x == other {
			other = toSparse(trial.rows)
		}
		if v, err := trial.verify(m, other, nil); err != nil || v.Verdict == pegasos.Contradicted {
			t.Errorf("seed %d, another format: %+v, %v\n%+v", seed, v, err, m.Config)
		}
		if m.Proof == nil {
			continue
		}
		var file bytes.Buffer
		if err := m.Proof.Write(&file); err != nil {
			t.Fatal(err)
		}
		p, err := pegasos.ReadProof(&file)
		if err != nil {
			t.Fatal(err)
		}
		want := pegasos.Confirmed
		if !(m.Result.Gap <= 1) {
			want = pegasos.ClaimsNothing
		}
		if v, err := trial.verify(m, trial.x, p); err != nil || v.Verdict != want {
			t.Errorf("seed %d, with the proof: %+v, %v\n%+v", seed, v, err, m.Config)
		}
	}
	t.Log(found)
}

func TestTampering(t *testing.T) {
	missed, tried := 0, 0
	for seed := uint64(0); tried < *tamperings; seed++ {
		trial := newTrial(seed + 8e6)
		trial.half = false
		trial.tr.Fingerprint = true
		m, err := trial.train()
		if err != nil || m == nil || math.IsNaN(m.Result.Objective) {
			continue
		}
		var file bytes.Buffer
		if err := m.Write(&file); err != nil {
			t.Fatal(err)
		}
		for range 20 {
			what, noticed := trial.tamper(t, file.Bytes())
			if what == "" {
				continue
			}
			if tried++; !noticed {
				missed++
				t.Errorf("seed %d: %s was not noticed\n%+v", seed, what, m.Config)
			}
		}
	}
	t.Logf("%d changes, %d missed", tried, missed)
}

// tamper changes the model in file, with a valid checksum, or the data. what is "" if nothing was
// changed. noticed: Read or Verify detected the change.
func (t *trial) tamper(tt *testing.T, file []byte) (what string, noticed bool) {
	m, err := pegasos.Read(bytes.NewReader(file))
	if err != nil {
		tt.Fatal(err)
	}
	hash, x, y := m.Hash(), t.x, t.y
	switch t.g.IntN(5) {
	case 0:
		what = "a weight"
		w := m.Weights[t.g.IntN(len(m.Weights))]
		flip32(t.g, &w[t.g.IntN(len(w))])
	case 1:
		what = "an objective"
		at := &m.Result.Objective
		if n := len(m.Result.PerClass); n > 0 && t.g.IntN(2) == 0 {
			at = &m.Result.PerClass[t.g.IntN(n)].Objective
		}
		*at = math.Float64frombits(math.Float64bits(*at) ^ 1<<t.g.IntN(64))
		if math.IsNaN(*at) || math.IsInf(*at, 0) {
			return "", false // JSON can't express this objective
		}
	case 2:
		what = "the hash"
		digit := t.g.IntN(len(hash))
		hash = hash[:digit] + string("0123456789abcdef"[(strings.IndexByte("0123456789abcdef",
			hash[digit])+1+t.g.IntN(15))%16]) + hash[digit+1:]
	case 3:
		what = "a value of the data"
		changed := dense.New(t.rows.Rows(), t.rows.Cols())
		for i := range t.rows.Rows() {
			copy(changed.Row(i), t.rows.Row(i))
		}
		row := changed.Row(t.g.IntN(t.rows.Rows()))
		flip32(t.g, &row[t.g.IntN(len(row))])
		x = changed
	case 4:
		what = "a label"
		y = slices.Clone(y)
		i, j := t.g.IntN(len(y)), t.g.IntN(len(y))
		if y[i] == y[j] {
			return "", false
		}
		y[i] = y[j]
	}
	if m.Validate() != nil {
		return what, true
	}
	changed := rewritten(m, tt, hash)
	if m, err = pegasos.Read(bytes.NewReader(changed)); err != nil {
		return what, true
	}
	tr := pegasos.Trainer{Weights: t.tr.Weights, Threads: 1}
	v, err := tr.Verify(context.Background(), m, x, y, pegasos.VerifyOptions{})
	return what, err != nil || v.Verdict == pegasos.Contradicted
}

func rewritten(m *pegasos.Model, t *testing.T, hash string) []byte {
	var file bytes.Buffer
	if err := m.Write(&file); err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(file.String(), m.Hash(), hash, 1)
	text = text[:len(text)-sha256.Size]
	sum := sha256.Sum256([]byte(text))
	return append([]byte(text), sum[:]...)
}

func flip32(g *rand.Rand, v *float32) {
	old := *v
	for *v == old || math.IsNaN(float64(*v)) || math.IsInf(float64(*v), 0) {
		switch *v = old; g.IntN(3) {
		case 0:
			*v = math.Float32frombits(math.Float32bits(old) ^ 1<<g.IntN(32))
		case 1:
			*v *= 1 + float32(g.NormFloat64())*1e-3
		default:
			*v += float32(g.NormFloat64())
		}
	}
}

func TestVerifyErrors(t *testing.T) {
	p := random(3, 40, 6, 2, 1)
	cfg := pegasos.Config{Lambda: 0.1, Epochs: 3, Scale: pegasos.ScaleNone, Bias: pegasos.BiasNone}
	tr := pegasos.Trainer{Config: cfg, KeepProof: true}
	ctx := context.Background()
	m, err := trainPlain(ctx, &tr, p.dense, p.y)
	if err != nil {
		t.Fatal(err)
	}
	other := tr
	other.Seed = 1
	m2, err := trainPlain(ctx, &other, p.dense, p.y)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tr.Verify(ctx, m, p.dense, p.y, pegasos.VerifyOptions{Proof: m2.Proof}); err == nil ||
		!strings.Contains(err.Error(), "another model") {
		t.Error(err)
	}
	if _, err := tr.Verify(ctx, m, p.sparse, p.y, pegasos.VerifyOptions{Proof: m.Proof}); err == nil ||
		!strings.Contains(err.Error(), "the proof is for dense rows, but the rows are sparse") {
		t.Error(err)
	}
	// The proof shows a smaller lower bound than the model claims.
	bad := *m
	bad.Result.PerClass = slices.Clone(m.Result.PerClass)
	bad.Result.DualObjective = (m.Result.Objective + m.Result.DualObjective) / 2
	bad.Result.PerClass[0].DualObjective = bad.Result.DualObjective
	v, err := tr.Verify(ctx, &bad, p.dense, p.y, pegasos.VerifyOptions{Proof: m.Proof})
	if err != nil || v.Verdict != pegasos.Contradicted ||
		!strings.Contains(v.Reasons[0], "the proof") {
		t.Errorf("%+v, %v", v, err)
	}
	v, err = tr.Verify(ctx, &bad, p.dense, p.y, pegasos.VerifyOptions{})
	if err != nil || v.Verdict == pegasos.Contradicted {
		t.Errorf("%+v, %v", v, err)
	}
	fewer := random(3, 40, 5, 2, 1).dense
	if _, err := tr.Verify(ctx, m, fewer, p.y, pegasos.VerifyOptions{}); err == nil {
		t.Error("Verify accepts rows with another number of features")
	}
	prior := tr
	prior.Prior = m2
	near, err := trainPlain(ctx, &prior, p.dense, p.y)
	if err != nil {
		t.Fatal(err)
	}
	var field *pegasos.ConfigError
	if _, err := tr.Verify(ctx, near, p.dense, p.y, pegasos.VerifyOptions{}); !errors.As(err,
		&field) ||
		field.Field != "Prior" {
		t.Error(err)
	}
	v, err = prior.Verify(ctx, near, p.dense, p.y, pegasos.VerifyOptions{Proof: near.Proof})
	if err != nil || v.Verdict != pegasos.Confirmed {
		t.Errorf("%+v, %v", v, err)
	}
	for m, want := range map[*pegasos.Model]string{m: "trained without a prior: want none",
		near: "but training used the prior with the hash "} {
		other := tr
		other.Prior = near
		_, err := other.Verify(ctx, m, p.dense, p.y, pegasos.VerifyOptions{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	started := tr
	started.Start = near
	if _, err := started.Verify(ctx, m, p.dense, p.y, pegasos.VerifyOptions{}); !errors.As(err,
		&field) || field.Field != "Start" {
		t.Errorf("a start that the run did not have: %v", err)
	}
	unit := pegasos.Trainer{Config: pegasos.Config{Scale: pegasos.ScaleUnit}}
	other = tr
	if other.Prior, err = trainPlain(ctx, &unit, p.dense, p.y); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Verify(ctx, near, p.dense, p.y, pegasos.VerifyOptions{}); !errors.As(err,
		&field) || field.Field != "Prior" {
		t.Errorf("another prior, with another scaling: %v", err)
	}
	iid := pegasos.Trainer{Config: pegasos.Config{Order: pegasos.IID}, KeepProof: true}
	if _, err := trainPlain(ctx, &iid, p.dense, p.y); !errors.As(err, &field) ||
		field.Field != "KeepProof" {
		t.Error(err)
	}
	three := random(5, 30, 4, 3, 1) // of so few rows, which choose a joint Multiclass
	joint := pegasos.Trainer{Config: pegasos.Config{Bias: pegasos.BiasUnregularised}, KeepProof: true}
	if _, err := joint.Train(ctx, three.dense, three.y); !errors.As(err, &field) ||
		field.Field != "KeepProof" {
		t.Error(err)
	}
}

// With KeepProof the gap is computed from rounded dual variables. A run that reaches Tol without
// KeepProof must reach it with KeepProof, too.
func TestProofOfTol(t *testing.T) {
	for name, data := range map[string]pair{
		"two classes": random(81, 600, 12, 2, 1), "raw": rawSet(61, 1500, 20),
		"classes": random(82, 400, 8, 3, 1),
	} {
		for _, cfg := range []pegasos.Config{
			{Loss: pegasos.Hinge}, {Loss: pegasos.SquaredHinge,
				Scale: pegasos.ScaleNone}, {Loss: pegasos.Log},
			{Loss: pegasos.Hinge, Finish: pegasos.FinishDual, Lambda: 0.01},
			{Multiclass: pegasos.CrammerSinger, Lambda: 0.01},
			{Loss: pegasos.SquaredHinge, Bias: pegasos.BiasUnregularised}, {Loss: pegasos.EpsInsensitive,
				Bias: pegasos.BiasNone},
		} {
			if cfg.Lambda == 0 {
				cfg.Lambda = 0.005
				if name == "raw" && cfg.Scale == pegasos.ScaleNone {
					cfg.Lambda = 1e6
				}
			}
			for _, cfg.Tol = range []float64{1e-4, 2e-6} {
				tr := pegasos.Trainer{Config: cfg}
				plain := train(t, data.dense, data.y, tr)
				if cfg.Finish == pegasos.FinishDual {
					cfg.Tol = plain.Result.Gap
					tr.Config = cfg
				}
				tr.KeepProof = true
				m := train(t, data.dense, data.y, tr)
				if plain.Result.Gap <= cfg.Tol && !(m.Result.Gap <= cfg.Tol) {
					t.Errorf("%s, %+v: gap %v with a proof, else %v", name, cfg, m.Result.Gap,
						plain.Result.Gap)
				}
				v, err := (&pegasos.Trainer{}).Verify(t.Context(), m, data.dense, data.y,
					pegasos.VerifyOptions{Proof: m.Proof})
				if err != nil || v.Verdict != pegasos.Confirmed || v.Gap > m.Result.Gap*(1+1e-9) {
					t.Errorf("%s, %+v: %v, %+v", name, cfg, err, v)
				}
			}
		}
	}
}

func TestVerifyNewton(t *testing.T) {
	helped, tried, confirmed := 0, 0, 0
	for name, data := range map[string]pair{
		"two classes": random(83, 900, 12, 2, 1), "raw": rawSet(61, 1500, 20),
		"classes": random(84, 600, 8, 3, 0.5),
	} {
		for what, cfg := range newtonConfigs() {
			if cfg.Tol = 1e-3; name == "raw" {
				cfg.Tol, cfg.Lambda = 1e-2, 1
			}
			if name == "classes" && cfg.ClassWeight != "" {
				continue
			}
			m := mustTrain(t, data.dense, data.y, cfg)
			for _, x := range []pegasos.Examples{data.dense, toSparse(data.dense)} {
				v, err := (&pegasos.Trainer{}).Verify(t.Context(), m, x, data.y,
					pegasos.VerifyOptions{Passes: 5})
				// Because of rounding errors, Verify's gap may be slightly above the claimed gap.
				if err != nil || v.Verdict == pegasos.Contradicted || v.Bound > v.Objective ||
					!(v.Gap <= 1.0001*m.Result.Gap+1e-6) {
					t.Errorf("%s, %s, %T: %v, %v by %v, claimed %v", name, what, x, err, v.Verdict,
						v.Gap, m.Result.Gap)
				}
				if tried++; v.Verdict == pegasos.Confirmed {
					confirmed++
				}
			}
			kinks := m.Result.PerClass[0].Width > 0
			if kinks != (cfg.Loss == "" || cfg.Loss == pegasos.Hinge || cfg.Loss == pegasos.EpsInsensitive) {
				t.Errorf("%s, %s: width %v", name, what, m.Result.PerClass[0].Width)
			}
			with, err := (&pegasos.Trainer{}).Verify(t.Context(), m, data.dense, data.y,
				pegasos.VerifyOptions{})
			for k := range m.Result.PerClass {
				m.Result.PerClass[k].Width = 0 // not recorded
			}
			without, err2 := (&pegasos.Trainer{}).Verify(t.Context(), m, data.dense, data.y,
				pegasos.VerifyOptions{})
			if err != nil || err2 != nil || without.Bound > with.Bound {
				t.Errorf("%s, %s: %v, %v; lower bound %v without the width, %v with it", name, what,
					err, err2, without.Bound, with.Bound)
			}
			if without.Bound < with.Bound {
				helped++
			}
		}
	}
	if t.Logf("%d of %d models confirmed", confirmed, tried); confirmed < tried*4/5 {
		t.Error("too few models are confirmed")
	}
	if helped < 5 {
		t.Errorf("the smoothing width improved only %d lower bounds", helped)
	}
}

func TestVerifyScaling(t *testing.T) {
	for seed := range uint64(8) {
		data := random(seed, 90, 6, 2, 1)
		for _, kind := range []pegasos.Scale{pegasos.ScaleStandard, pegasos.ScaleMaxAbs,
			pegasos.ScaleUnit} {
			tr := pegasos.Trainer{Config: pegasos.Config{Scale: kind, Lambda: 0.1}, Fingerprint: true,
				Threads: 1}
			if seed%2 == 0 {
				tr.Config.Loss = pegasos.Squared
			}
			if seed%4 > 1 {
				tr.Weights = make([]float32, 90)
				for i := range tr.Weights {
					tr.Weights[i] = float32(i % 3)
				}
			}
			x := []pegasos.Examples{data.dense, data.sparse}[seed/4]
			m := train(t, x, data.y, tr)
			v, err := tr.Verify(t.Context(), m, x, data.y, pegasos.VerifyOptions{})
			if err != nil || v.Verdict == pegasos.Contradicted || !v.Scaling {
				t.Errorf("seed %d, %s: %+v, %v", seed, kind, v, err)
			}
			if kind == pegasos.ScaleUnit {
				continue
			}
			other := *m.Scaling
			other.Factor = slices.Clone(other.Factor)
			other.Factor[3] *= 2
			m.Scaling = &other
			if v, err = tr.Verify(t.Context(), m, x, data.y, pegasos.VerifyOptions{}); err == nil &&
				v.Scaling {
				t.Errorf("seed %d, %s, with a changed factor: %+v", seed, kind, v)
			}
		}
	}
}

func TestVerifyStart(t *testing.T) {
	data := random(5, 90, 6, 2, 1)
	cfg := pegasos.Config{Lambda: 0.1, Epochs: 8, Scale: pegasos.ScaleNone, Bias: pegasos.BiasNone,
		Finish: pegasos.FinishNone}
	first := train(t, data.dense, data.y, pegasos.Trainer{Config: cfg})
	cfg.Calibrate = 3
	tr := pegasos.Trainer{Config: cfg, Start: first, Fingerprint: true, KeepState: true, Pause: 180}
	part, err := tr.Train(t.Context(), data.dense, data.y)
	if !errors.Is(err, pegasos.ErrPaused) || part.Start != first.Hash() {
		t.Fatalf("%v, %q", err, part.Start)
	}
	tr.Pause, tr.Resume, tr.KeepState = 0, part, false
	for _, start := range []*pegasos.Model{nil, part} { // first is needed for the folds
		tr.Start = start
		var bad *pegasos.ConfigError
		if _, err := tr.Train(t.Context(), data.dense, data.y); !errors.As(err, &bad) ||
			bad.Field != "Start" {
			t.Errorf("resumed with another Start: %v", err)
		}
	}
	tr.Start = first
	resumed := train(t, data.dense, data.y, tr)
	tr.Resume = nil
	m := train(t, data.dense, data.y, tr)
	if m.Start != first.Hash() || !bytes.Equal(encode(t, resumed), encode(t, m)) {
		t.Errorf("%q, resumed %q, want %q", m.Start, resumed.Start, first.Hash())
	}
	o := pegasos.VerifyOptions{Sigmoids: true}
	v, err := tr.Verify(t.Context(), m, data.dense, data.y, o)
	if err != nil || !v.Sigmoids {
		t.Errorf("%+v, %v", v, err)
	}
	unnamed := *m
	unnamed.Data = ""
	if _, err := tr.Verify(t.Context(), &unnamed, data.dense, data.y, o); err == nil ||
		!strings.Contains(err.Error(), "no fingerprint") {
		t.Errorf("without a fingerprint: %v", err)
	}
	var field *pegasos.ConfigError
	for _, other := range []*pegasos.Model{nil, m} {
		tr.Start = other
		if _, err := tr.Verify(t.Context(), m, data.dense, data.y, o); !errors.As(err, &field) ||
			field.Field != "Start" {
			t.Errorf("without the Start or with another one: %v", err)
		}
	}
	tr.Start = nil
	fresh := train(t, data.dense, data.y, tr)
	tr.Start = first
	if _, err := tr.Verify(t.Context(), fresh, data.dense, data.y, o); !errors.As(err, &field) ||
		field.Field != "Start" {
		t.Errorf("with a Start that training did not have: %v", err)
	}
}
