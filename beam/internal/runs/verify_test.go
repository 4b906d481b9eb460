package runs

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/beam/internal/work"
	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/train/rounds"
	"github.com/pegasimd/pegasimd/pegasos"
)

func TestModel(t *testing.T) {
	cfg := brief(rounds.Newton)
	cfg.ClassWeight, cfg.Bias = "0=2", pegasos.BiasAugmented
	f := begin(t, split(t, small(t, 800, 3), 3), cfg)
	m, err := f.Model()
	if err != nil || !math.IsNaN(m.Result.Objective) || !math.IsNaN(m.Result.DualObjective) ||
		!math.IsNaN(m.Result.Gap) || m.Result.PerClass != nil || m.Result.Steps != 0 ||
		m.Config.Epochs != 1 || len(m.Bias) != 3 || m.Lambda != cfg.Lambda ||
		m.Result.Weight != float64(800+f.manifest.Count[0]) {
		t.Errorf("%+v, %v", m, err)
	}
	if v, err := f.Verified(); err == nil {
		t.Errorf("training has verified a model: %+v", v)
	}
	m, reports := drive(t, f, work.InProcess{})
	state, err := f.newest()
	if err != nil {
		t.Fatal(err)
	}
	end, last := reports[len(reports)-1], m.Result.PerClass[2]
	if len(m.Result.PerClass) != 3 || m.Result.Steps != int64(800*end.Iterations) ||
		m.Config.Epochs != end.Iterations || m.Result.Epochs != float64(end.Iterations) ||
		m.Config.Finish != pegasos.FinishNewton || m.Result.Gap > cfg.Tol ||
		m.Result.Objective != end.Objective || m.Result.DualObjective != end.Bound ||
		last != (pegasos.ClassResult{Objective: state.Problems[2].Objective,
			DualObjective: state.Problems[2].Bound, Steps: m.Result.Steps, Lambda: cfg.Lambda}) {
		t.Errorf("%+v of %+v", m.Result, state)
	}
}

func verify(t testing.TB, manifest string, m *pegasos.Model) (*pegasos.Verification, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model")
	if err := m.WriteFile(path); err != nil {
		t.Fatal(err)
	}
	f, err := StartVerify(filepath.Join(t.TempDir(), "run"), manifest, path, 0)
	if err != nil {
		return nil, err
	}
	if v, err := f.Verified(); err == nil {
		t.Errorf("verified before the first round: %+v", v)
	}
	if err := f.Run(context.Background(), work.InProcess{}, nil); err != nil {
		t.Fatal(err)
	}
	return f.Verified()
}

// Rounds can't compute the objectives of models trained with row weights or with a prior.
func TestVerifyTrained(t *testing.T) {
	data := small(t, 800, 2)
	manifest := split(t, data, 2)
	set, err := dataset.Read(data, dataset.Options{Layout: dataset.LayoutSparse})
	if err != nil {
		t.Fatal(err)
	}
	weights := make([]float32, len(set.Y))
	for i := range weights {
		weights[i] = float32(1 + i%3)
	}
	for _, classWeight := range []string{"", pegasos.Balanced, "0=3"} {
		tr := pegasos.Trainer{Config: pegasos.Config{Loss: pegasos.SquaredHinge, Lambda: 0.1,
			ClassWeight: classWeight, Scale: pegasos.ScaleMaxAbs}}
		m, err := tr.Train(t.Context(), set.Sparse, set.Y)
		if err != nil {
			t.Fatal(err)
		}
		v, err := verify(t, manifest, m)
		if err != nil || v.Verdict == pegasos.Contradicted {
			t.Errorf("%q: %+v, %v", classWeight, v, err)
		}
		tr.Weights = weights
		if m, err = tr.Train(t.Context(), set.Sparse, set.Y); err != nil {
			t.Fatal(err)
		}
		v, err = verify(t, manifest, m)
		if err == nil || !strings.Contains(err.Error(), "row weights") {
			t.Errorf("%q with weights of rows: %+v, %v", classWeight, v, err)
		}
		tr.Weights, tr.Prior = nil, m
		if m, err = tr.Train(t.Context(), set.Sparse, set.Y); err != nil {
			t.Fatal(err)
		}
		v, err = verify(t, manifest, m)
		if err == nil || !strings.Contains(err.Error(), "the model has a prior") {
			t.Errorf("%q with a prior: %+v, %v", classWeight, v, err)
		}
	}
	for want, tr := range map[string]pegasos.Trainer{
		"training held out some of the rows": {Holdout: 0.2},
		`multiclass: have "crammer-singer"`:  {Config: pegasos.Config{Multiclass: pegasos.CrammerSinger}},
		"the model is for regression":        {Config: pegasos.Config{Loss: pegasos.Squared}},
	} {
		m, err := tr.Train(t.Context(), set.Sparse, set.Y)
		if err != nil {
			t.Fatal(err)
		}
		if v, err := verify(t, manifest, m); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v, %v, want %s", v, err, want)
		}
	}
}

func TestFolderOfOtherRun(t *testing.T) {
	for want, c := range map[string][2]Config{
		"trains a model":              {{}, {Verify: "a", Claim: "1"}},
		"verifies a model":            {{Verify: "a", Claim: "1"}, {}},
		"verifies another model file": {{Verify: "a", Claim: "1"}, {Verify: "a", Claim: "2"}},
		"has other settings": {{Verify: "a", Claim: "1"},
			{Verify: "a", Claim: "1", Config: pegasos.Config{Epochs: 3}}},
	} {
		if have := differs(c[0], c[1]); have != want {
			t.Errorf("have %s, want %s", have, want)
		}
	}
}

func TestSettingRefused(t *testing.T) {
	manifest := split(t, small(t, 300, 2), 1)
	cfg := brief(rounds.Newton)
	cfg.Loss = pegasos.Squared
	_, err := Start(filepath.Join(t.TempDir(), "run"), manifest, cfg)
	const reason = `have "squared", but training in rounds supports only hinge, squared-hinge and log`
	bad, ok := err.(*pegasos.ConfigError)
	if want := (pegasos.ConfigError{Field: "Loss", Reason: reason}); !ok || *bad != want {
		t.Errorf("%v", err)
	}
	m := &pegasos.Model{Weights: [][]float32{make([]float32, 12)}, Classes: []float32{0, 1},
		Lambda: 1, Config: pegasos.Config{Bias: pegasos.BiasUnregularised}}
	_, err = verify(t, manifest, m)
	if err == nil || !strings.Contains(err.Error(),
		`can't be verified in shards: bias: have "unregularised"`) {
		t.Errorf("%v", err)
	}
}

// Some names are numbers that differ from the numbers of their classes.
func TestClassWeightsByName(t *testing.T) {
	set, err := dataset.Read(small(t, 200, 3), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	set.Names = []string{"1", "3", "a"}
	path := filepath.Join(t.TempDir(), "named.pgsm")
	out, err := os.Create(path)
	if err == nil {
		err = dataset.WritePGSM(out, set)
	}
	if err == nil {
		err = out.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	manifest, cfg := split(t, path, 2), brief(rounds.Newton)
	cfg.ClassWeight = "3=2,a=5"
	if have := begin(t, manifest, cfg).run.Settings.ClassWeight; have != "1=2,2=5" {
		t.Errorf("the class weights are %s", have)
	}
	for list, want := range map[string]string{
		"2=2":    `no class is called "2"`,
		"3=2,a":  `have "a", want a list such as 1=1,a=2.5`,
		"3=2,":   `have "", want a list such as`,
		"a=2,=1": `no class is called ""`,
	} {
		cfg.ClassWeight = list
		_, err = Start(filepath.Join(t.TempDir(), "run"), manifest, cfg)
		if err == nil || !strings.Contains(err.Error(), "ClassWeight: "+want) {
			t.Errorf("%s: %v, want %q", list, err, want)
		}
	}
}
