package pegasos_test

import (
	"testing"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/train/newton"
	"github.com/pegasimd/pegasimd/pegasos"
)

func autoTrial(seed uint64) *trial {
	t := newtonTrial(seed)
	t.tr.Config.Finish = pegasos.FinishAuto
	t.tr.Config.Epochs = pick(t.g, 0, 30, 60, 200)
	return t
}

func TestAutoCertificate(t *testing.T) {
	defer func() { newton.UseSparse = true }()
	var n tally
	n.certifyRandom(t, 2000, 60, autoTrial)
	if n.close < n.problems/3 {
		t.Error("too few lower bounds within 0.1 % of the objective")
	}
}

func TestGoldenAuto(t *testing.T) {
	few, wide := random(71, 3000, 10, 3, 0.7), random(72, 200, 150, 2, 1)
	for _, c := range []struct {
		data pair
		cfg  pegasos.Config
		want string
	}{
		{few, pegasos.Config{Lambda: 1e-3, Tol: 1e-4, Bias: pegasos.BiasAugmented},
			"5efe6fd7097dd0dfeade66daf9a3d741547ff1cb9da82a5c12c194a7dea7798e"},
		{few, pegasos.Config{Lambda: 1e-3, Tol: 1e-4, Multiclass: pegasos.OneVsOne,
			Loss: pegasos.SquaredHinge},
			"64a99cda8a4eb766060b1482f2fdc666a4aae1d883280c9bcfca3222c2ca01a0"},
		{few, pegasos.Config{Lambda: 1e-3, Tol: 1e-4, Loss: pegasos.Log, Bias: pegasos.BiasUnregularised},
			"dd58f854ae7ee614fd45c2c743bfdf28b84a1a390b55b9ecd328cf2bf713df46"},
		{wide, pegasos.Config{Lambda: 1, Tol: 1e-12, Epochs: 150},
			"f81314a81d752422713e3b1fca6dc27da2a7c4392415d5d9b0f55d132e2ba853"},
	} {
		c.cfg.Finish = pegasos.FinishAuto
		sameEverywhere(t, c.cfg, c.data, c.want)
	}
}

func TestGoldenTol(t *testing.T) {
	pixels := random(79, 2500, 40, 3, 0.9)
	toPixels(pixels.dense, 255)
	dense, few := random(77, 5000, 30, 2, 1), random(78, 5000, 60, 2, 0.05)
	for _, c := range []struct {
		name string
		x    pegasos.Examples
		y    []float32
		loss pegasos.Loss
		want string
	}{
		{"dense", dense.dense, dense.y, pegasos.Hinge,
			"d182e1ae08c1d86a5eee8f43a0c2d418705118510eddb95a5d228e4e2677e520"},
		{"dense, log", dense.dense, dense.y, pegasos.Log,
			"f7a50d97e204a850d7a1961bc7dca4d7212899a285caf1caaae75f568ddc5cd8"},
		{"sparse", few.sparse, few.y, pegasos.Hinge,
			"7dc50eba5c27ede628c0198057b436e2f22291c3dd27a199740a94d3745029ce"},
		{"sparse, squared hinge", few.sparse, few.y, pegasos.SquaredHinge,
			"073f369b55201374074dc7495a9e8be8bfb58b905ffcf61e974e81ce533e6e6a"},
		{"pixels", pixels.dense, pixels.y, pegasos.Hinge,
			"c240d14533f395896760f7e095562670f66afed2d5bb32751bd4b2fbc0e418ca"},
		{"pixels, squared hinge", pixels.dense, pixels.y, pegasos.SquaredHinge,
			"d999755cd6de6db9d1dad309559d6ca49ca3194513b075e64b49695bd2a494b1"},
	} {
		for _, isa := range paths() {
			for _, threads := range threadCounts() {
				func() {
					defer asm.Use(asm.Use(isa))
					cfg := pegasos.Config{Tol: 1e-3, Loss: c.loss, Multiclass: pegasos.OneVsRest}
					if c.x == pixels.dense {
						cfg.Scale = pegasos.ScaleNone
					}
					m := train(t, c.x, c.y, pegasos.Trainer{Config: cfg, Threads: threads})
					if m.Hash() != c.want || !(m.Result.Gap <= cfg.Tol) {
						t.Errorf("%s on %s, %d threads: %s, want %s; gap %v", c.name, isa, threads,
							m.Hash(), c.want, m.Result.Gap)
					}
				}()
			}
		}
	}
}

func TestTolIsProven(t *testing.T) {
	data := apart(74, 400, 8, 3)
	for _, cfg := range []pegasos.Config{
		{Tol: 1e-4}, {Tol: 1e-3, Loss: pegasos.Log, Multiclass: pegasos.OneVsRest}, {Tol: 1e-3,
			Scale: pegasos.ScaleNone},
		{Tol: 1e-3, Bias: pegasos.BiasUnregularised},
	} {
		m := train(t, data.dense, data.y, pegasos.Trainer{Config: cfg})
		finishes := m.Config.Finish == pegasos.FinishAuto || m.Config.Multiclass.Joint()
		if !(m.Result.Gap <= cfg.Tol) || m.Config.Tol != cfg.Tol || !finishes {
			t.Errorf("%+v: gap %v with %+v", cfg, m.Result.Gap, m.Config)
		}
	}
	numbers := pegasos.Config{Tol: 1e-5, Loss: pegasos.EpsInsensitive}
	if m := train(t, data.dense, data.y, pegasos.Trainer{Config: numbers}); !(m.Result.Gap <= 1e-5) {
		t.Errorf("regression: gap %v", m.Result.Gap)
	}
}
