package pegasos

import (
	"math"
	"testing"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/train/dual"
)

// costsOf3 are costs of mistakes among three classes.
var costsOf3 = [][]float64{{0, 1, 2}, {0.5, 0, 3}, {2, 1, 0}}

// Each step raises the dual objective to the most that it can be with the other rows as they are:
// in float64, as the definition has it.
func TestJointAscentSteps(t *testing.T) {
	data := random(81, 60, 4, 3, 1)
	clear(data.dense.Row(7)) // a row without values has a loss as well
	for _, weights := range [][]float32{nil, some(60)} {
		tr := Trainer{Costs: costsOf3, Weights: weights, Config: Config{
			Multiclass: CrammerSinger, Lambda: 0.02, Order: Sequential, Epochs: 8,
			Finish: FinishDual, Average: LastIterate, Bias: BiasAugmented,
			BiasScale: 1.5}}
		r, err := newRun(data.dense, data.y, &tr)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.advance(t.Context(), math.MaxInt64); err != nil {
			t.Fatal(err)
		}
		j := r.joint
		if j.ascent() == nil {
			t.Fatal("no ascent")
		}
		rested := 0
		for pass := range 6 {
			for i := range uint32(60) {
				resting := j.ascent().Resting[i] == 1 && !dual.Full(j.ascent().Pass)
				before := exactDual(j)
				j.TakeSteps([]uint32{i})
				after := exactDual(j)
				if resting {
					rested++
					if after != before {
						t.Fatalf("pass %d: row %d does not rest", pass, i)
					}
					continue
				}
				if after < before-1e-6 {
					t.Fatalf("pass %d, row %d: from %v to %v", pass, i, before, after)
				}
				row := j.ascent().Alpha[3*i:][:3]
				kept := [3]float32(row)
				for try := range 30 { // no other shares are better
					u, v := float64(try%6)/5, float64(try/6)/4
					a, b := (int(j.Class[i])+1)%3, (int(j.Class[i])+2)%3
					row[a], row[b] = float32(u), float32((1-u)*v)
					if d := exactDual(j); d > after+1e-6 {
						t.Fatalf("pass %d, row %d: %v is better than %v: %v, not %v", pass, i, row,
							kept, d, after)
					}
				}
				copy(row, kept[:])
			}
			j.EndEpoch(pass + 2)
		}
		if rested == 0 {
			t.Error("no row rested")
		}
	}
}

// exactDual is the dual objective of j's shares, added up in float64.
func exactDual(j *joint) float64 {
	k, d := len(j.Vectors), len(j.Vectors[0])
	w := make([][]float64, k)
	for r := range w {
		w[r] = make([]float64, d+1)
	}
	n, gain, squares := float64(j.Count()), 0.0, 0.0
	for p := range j.Count() {
		i := j.Row(p)
		x := make([]float32, d)
		j.X.Axpy(i, 1, x)
		y := int(j.Class[i])
		for r, a := range j.ascent().Alpha[i*k:][:k] {
			c := j.Share(i) * float64(a)
			gain += c * j.Of.Cost(y, r)
			for l, v := range x {
				w[r][l] -= c * float64(v)
				w[y][l] += c * float64(v)
			}
			w[r][d] -= c * j.BiasScale
			w[y][d] += c * j.BiasScale
		}
	}
	for _, w := range w {
		for _, v := range w {
			squares += v * v
		}
	}
	return gain/n - squares/(2*j.Lambda*n*n)
}

// The ascent closes the gap, whatever the data and the settings, and the result is the same bits on
// each path.
func TestJointAscentConverges(t *testing.T) {
	data := random(82, 400, 8, 3, 0.7)
	for name, c := range map[string]struct {
		tr   Trainer
		want string
	}{
		"plain": {Trainer{},
			"f10e72f4f8f79cf928746e6c7888734c7ad3ac7db77624a1c16208dae581be78"},
		"auto": {Trainer{Config: Config{Finish: FinishAuto}},
			"f10e72f4f8f79cf928746e6c7888734c7ad3ac7db77624a1c16208dae581be78"},
		"costs": {Trainer{Costs: costsOf3},
			"f449254a5092df1de0387e7c9b730e7b2d33da96c49c3b70fdf4e020945aa81c"},
		"bias": {Trainer{Config: Config{Bias: BiasAugmented}},
			"deafbabc674e317deeaa5691a99de43457ef354b4313b09211669e0521965949"},
		"last": {Trainer{Config: Config{Average: LastIterate}},
			"f10e72f4f8f79cf928746e6c7888734c7ad3ac7db77624a1c16208dae581be78"},
		"weights": {Trainer{Weights: some(400), Config: Config{ClassWeight: "0=2"}},
			"fa29d1d8516c64a3fe5726a968c35e71373e51d3be47f8865830b5744aaa1429"},
	} {
		tr := c.tr
		tr.Multiclass, tr.Lambda, tr.Tol, tr.Epochs = CrammerSinger, 0.01, 1e-4, 300
		if tr.Finish == "" {
			tr.Finish = FinishDual
		}
		for _, isa := range paths() {
			func() {
				defer asm.Use(asm.Use(isa))
				for _, x := range []Examples{data.dense, foreign{data.dense}} {
					m, err := tr.plain(t.Context(), x, data.y)
					if err != nil || m.Result.Gap > 1e-4 {
						t.Fatalf("%s: %v, gap %v after %v epochs", name, err, m.Result.Gap,
							m.Result.Epochs)
					}
					if m.Hash() != c.want {
						t.Errorf("%s on %s: %s, want %s", name, isa, m.Hash(), c.want)
					}
				}
			}()
		}
	}
}
