package pegasos_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/internal/train/newton"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/internal/train/settings"
	"github.com/pegasimd/pegasimd/pegasos"
)

func newtonTrial(seed uint64) *trial {
	t := newTrial(seed)
	cfg := &t.tr.Config
	cfg.Finish, cfg.Project, cfg.Batch = pegasos.FinishNewton, false, 0
	if cfg.Multiclass.Joint() {
		cfg.Multiclass = pick(t.g, pegasos.OneVsRest, pegasos.OneVsOne)
	}
	if cfg.Order == pegasos.IID {
		cfg.Order = ""
	}
	cfg.Tol = pick(t.g, 0, 0.1, 1e-2, 1e-3, 1e-4)
	cfg.Epochs = pick(t.g, 0, 0, 3, 30)
	t.tr.Threads = pick(t.g, 1, 1, 2)
	newton.UseSparse = t.g.IntN(2) == 0 // whether Hessians may be summed from nonzeros
	if t.g.IntN(2) == 0 {
		toPixels(t.rows, pick[float32](t.g, 1, 16, 255))
		t.x = pick[pegasos.Examples](t.g, t.rows, toSparse(t.rows), sample.UserRows(t.rows))
	}
	return t
}

func TestNewtonCertificate(t *testing.T) {
	defer func() { newton.UseSparse = true }()
	var n tally
	n.certifyRandom(t, 1000, 200, newtonTrial)
	if n.close < n.problems*2/5 {
		t.Error("too few lower bounds within 0.1 % of the objective")
	}
}

func newtonConfigs() map[string]pegasos.Config {
	cases := make(map[string]pegasos.Config)
	for _, l := range pegasos.Losses() {
		for _, b := range []pegasos.Bias{pegasos.BiasNone, pegasos.BiasAugmented,
			pegasos.BiasUnregularised} {
			cfg := pegasos.Config{Loss: l, Bias: b, Lambda: 1e-3, Finish: pegasos.FinishNewton, Tol: 1e-5}
			if l == pegasos.EpsInsensitive {
				cfg.Epsilon = 0.25
			}
			cases[fmt.Sprintf("%s, %s", l, b)] = cfg
			if !l.Regression() {
				cfg.ClassWeight = "0=0.5,1=3"
				cases[fmt.Sprintf("%s, %s, weights", l, b)] = cfg
			}
		}
	}
	return cases
}

func TestNewtonEnds(t *testing.T) {
	data := random(52, 500, 10, 2, 1)
	m := mustTrain(t, data.dense, data.y, pegasos.Config{Lambda: 1e-3, Finish: pegasos.FinishNewton})
	if m.Result.Gap > 1e-3 || m.Result.Epochs > 30 || m.Config.Epochs != settings.DefaultNewtonEpochs {
		t.Errorf("gap %v after %v of %d epochs", m.Result.Gap, m.Result.Epochs, m.Config.Epochs)
	}
	m = mustTrain(t, data.dense, data.y,
		pegasos.Config{Lambda: 1e-3, Finish: pegasos.FinishNewton, Epochs: 3, Tol: 1e-9})
	if m.Result.Epochs != 3 {
		t.Errorf("%v epochs, want 3", m.Result.Epochs)
	}
}

func TestNewtonPrior(t *testing.T) {
	data := random(53, 300, 8, 2, 1)
	cfg := pegasos.Config{Lambda: 1e-2, Finish: pegasos.FinishNewton, Tol: 1e-6}
	prior := mustTrain(t, data.dense, data.y, cfg)
	cfg.Lambda = 10
	m, err := trainPlain(t.Context(), &pegasos.Trainer{Config: cfg, Prior: prior}, data.dense, data.y)
	if err != nil || m.Result.Gap > cfg.Tol {
		t.Fatal(err, m.Result.Gap)
	}
	if d := distance(m.Weights[0], prior.Weights[0]); d > 0.1*norm(prior.Weights[0]) {
		t.Errorf("the weights differ from the prior's by %v", d)
	}
}

func TestGoldenNewton(t *testing.T) {
	data := random(54, 5000, 40, 2, 0.4)
	many := random(55, 1200, 17, 4, 0.5)
	few := random(57, 5000, 60, 2, 0.05)
	pixels := random(66, 3000, 50, 3, 0.9)
	toPixels(pixels.dense, 255)
	for _, c := range []struct {
		cfg  pegasos.Config
		data pair
		want string
	}{
		{pegasos.Config{Loss: pegasos.Hinge, Bias: pegasos.BiasUnregularised}, data,
			"8e4a303349a3705398f1572d832575098ad1e2d4a571564e8c897a1a3a44f164"},
		{pegasos.Config{Loss: pegasos.SquaredHinge, Bias: pegasos.BiasAugmented, ClassWeight: "0=2"},
			data,
			"d759627bc6d8b0b1b84c4aab3b6501557fe44f8722cedc2afcb6eb04ace7ded3"},
		{pegasos.Config{Loss: pegasos.Log}, data,
			"51650d364a95fa19d8a95269c482d53eade047c6175a19f2045e53edddd7cfbf"},
		{pegasos.Config{Loss: pegasos.EpsInsensitive, Epsilon: 0.1, Bias: pegasos.BiasAugmented}, data,
			"3ea5ed56d1204e58c0c126ab1d9309b715e3b66ffeb019139da60b6b370a5c57"},
		{pegasos.Config{Loss: pegasos.Hinge}, many,
			"dbea7b3e3a0a76fffd00d670d0f60fe416cee107c78a1d8cd0ee6383d4cc42e0"},
		{pegasos.Config{Loss: pegasos.Hinge, Multiclass: pegasos.OneVsOne,
			Bias: pegasos.BiasUnregularised}, many,
			"ca4d28f3cd0f5ec9d58db5e38df22eda0034b57d597d2efb9ec1f73239ac02d1"},
		{pegasos.Config{Loss: pegasos.Hinge, Bias: pegasos.BiasAugmented}, few,
			"01a02564bbf9a23a9263a1b540eee7a7dead1d9d2cda9dd13bb429790e94655d"},
		{pegasos.Config{Loss: pegasos.Hinge, Bias: pegasos.BiasAugmented}, pixels,
			"a985f3da9900e082556a746d334be27ae0d5f1c6e3ae028603542d232eb97605"},
		{pegasos.Config{Loss: pegasos.SquaredHinge, Bias: pegasos.BiasUnregularised}, pixels,
			"84482fcec420b4282e13220e7d57de67b51ec0756e8607bd2d01dcd2c356ab2d"},
		{pegasos.Config{Loss: pegasos.Squared}, data,
			"0281f87cd02004c70f0cacf2f9c4215c1264334f65d5f3491b0c746a18e3eca3"},
	} {
		c.cfg.Lambda, c.cfg.Finish, c.cfg.Tol = 1e-3, pegasos.FinishNewton, 1e-4
		sameEverywhere(t, c.cfg, c.data, c.want)
	}
}

func toPixels(x *dense.Matrix, n float32) {
	for i := range x.Rows() {
		for j, v := range x.Row(i) {
			x.Row(i)[j] = float32(math.Round(min(255, math.Abs(100*float64(v))))) / n
		}
	}
}

func TestNewtonRefuses(t *testing.T) {
	for _, cfg := range []pegasos.Config{
		{Multiclass: pegasos.CrammerSinger}, {Order: pegasos.IID}, {Batch: 2}, {Project: true},
		{Patience: 3},
	} {
		cfg.Finish = pegasos.FinishNewton
		if cfg.Validate() == nil {
			t.Errorf("%+v: no error", cfg)
		}
	}
}

func rawSet(seed uint64, rows, cols int) pair {
	data := random(seed, rows, cols, 2, 0.8)
	g := rand.New(rand.NewPCG(seed, 3))
	for j := range cols {
		scale := float32(math.Pow(10, -3+7*g.Float64()))
		shift := pick[float32](g, 0, 0, 1, 10)
		for i := range rows {
			v := data.dense.Row(i)[j]
			if g.IntN(500) == 0 {
				v *= 100
			}
			data.dense.Row(i)[j] = scale * (v + shift)
		}
	}
	return data
}

func TestNewtonStarts(t *testing.T) {
	starts := 20
	sets := map[string]pair{"random": rawSet(61, 1500, 20)}
	if os.Getenv("PEGASIMD_LONG") != "" {
		starts = 200
		if dir := dataDir(t); dir != "" {
			x, y := readSet(t, dir, "covtype20k/covtype20k.binary.svm.gz", 0)
			few := dense.New(3000, x.Cols())
			for i := range few.Rows() {
				x.Axpy(6*i, 1, few.Row(i))
				y[i] = y[6*i]
			}
			sets["covtype"] = pair{dense: few, y: y[:few.Rows()]}
		}
	}
	for name, data := range sets {
		g := rand.New(rand.NewPCG(62, 1))
		proven := 0
		for k := range starts {
			scale := math.Pow(10, float64(g.IntN(13)-6))
			x := dense.New(data.dense.Rows(), data.dense.Cols())
			for i := range x.Rows() {
				for j, v := range data.dense.Row(i) {
					x.Row(i)[j] = float32(scale) * v
				}
			}
			cfg := pegasos.Config{
				Loss: pick(g, pegasos.Hinge, pegasos.Hinge, pegasos.SquaredHinge, pegasos.Log),
				Seed: uint64(k), Tol: 1e-2, Finish: pegasos.FinishNewton,
				Offset: pick(g, pegasos.OffsetR2, pegasos.OffsetR2, pegasos.OffsetNone),
				Bias:   pick(g, pegasos.BiasNone, pegasos.BiasAugmented, pegasos.BiasUnregularised),
				Lambda: math.Max(options.MinLambda, pick(g, 1e-2, 1e-4, 1e-6)*scale*scale),
			}
			if cfg.Loss == pegasos.SquaredHinge {
				cfg.Offset = pegasos.OffsetR2 // without an offset, weights overflow
			}
			m, err := fixed(t.Context(), x, data.y, cfg)
			switch {
			case err != nil:
				t.Errorf("%s: scale %v, %+v: %v", name, scale, cfg, err)
			case m.Result.Gap <= cfg.Tol:
				proven++
			case !(m.Result.Gap > 0):
				t.Errorf("%s: scale %v, %+v: gap %v", name, scale, cfg, m.Result.Gap)
			default:
				t.Logf("%s: scale %v, lambda %v, %s, %s, %s: gap %v after %v epochs", name, scale,
					cfg.Lambda, cfg.Loss, cfg.Bias, cfg.Offset, m.Result.Gap, m.Result.Epochs)
			}
		}
		t.Logf("%s: %d of %d runs reach Tol", name, proven, starts)
		if least := starts * 9 / 10; proven < least {
			t.Errorf("%s: %d runs reach Tol, want at least %d", name, proven, least)
		}
	}
}
