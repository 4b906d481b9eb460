package pegasos_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/sparse"
)

func shaped(g *rand.Rand, rows, cols, classes, nonzeros int) (*sparse.Matrix, []float32) {
	starts := make([]int64, 1, rows+1)
	var index []int32
	var values, y []float32
	for i := range rows {
		k := i % classes
		for j := range nonzeros {
			from, to := j*cols/nonzeros, (j+1)*cols/nonzeros
			index = append(index, int32(from+(k*7919+g.IntN(1+(to-from)/2))%(to-from)))
			values = append(values, 1+g.Float32())
		}
		starts, y = append(starts, int64(len(values))), append(y, float32(k))
	}
	return (*sparse.Matrix)(matrices.Trusted(cols, starts, index, values)), y
}

func TestManyClassesFit(t *testing.T) {
	for _, c := range []struct {
		rows, cols, classes, nonzeros int
		most                          int64 // bytes besides the data
	}{
		{3000, 54, 40, 54, 15e6}, // 780 pairs, whose rows have 25 MB
		{1600, 4500, 26, 15, 10e6},
		{5500, 6, 18, 6, 10e6},
		{2500, 2500, 60, 15, 10e6},
	} {
		name := fmt.Sprintf("%d x %d of %d", c.rows, c.cols, c.classes)
		x, y := shaped(rand.New(rand.NewPCG(1, 1)), c.rows, c.cols, c.classes, c.nonzeros)
		var rows pegasos.Examples = x
		if c.nonzeros == c.cols {
			d := dense.New(c.rows, c.cols)
			for i := range c.rows {
				x.Axpy(i, 1, d.Row(i))
			}
			rows = d
		}
		before := live()
		var most float64
		free := pegasos.Trainer{Config: pegasos.Config{Epochs: 3}, Progress: func(p pegasos.Progress) {
			most = max(most, live()-before)
		}}
		want := train(t, rows, y, free)
		t.Logf("%s: %.1f MB", name, most/1e6)
		if most > float64(c.most) {
			t.Errorf("%s: %.1f MB besides the data", name, most/1e6)
		}
		// If training with MaxMemory chooses the same settings, the model is the same.
		refused, same := false, 0
		for share := int64(1); !refused; share *= 2 {
			tr := pegasos.Trainer{Config: pegasos.Config{Epochs: 3}, MaxMemory: 128e6 / share}
			m, err := tr.Train(t.Context(), rows, y)
			var bad *pegasos.ConfigError
			if errors.As(err, &bad) && bad.Field == "MaxMemory" {
				refused = true
				continue
			}
			if err != nil {
				t.Fatal(name, err)
			}
			if m.Config == want.Config {
				same++
			}
			if m.Config == want.Config && m.Hash() != want.Hash() {
				t.Errorf("%s: another model with a limit of %d bytes", name, tr.MaxMemory)
			}
		}
		if same < 3 {
			t.Errorf("%s: the same settings with only %d limits", name, same)
		}
	}
}

func TestChoicesFit(t *testing.T) {
	g := rand.New(rand.NewPCG(3, 4))
	chosen := map[pegasos.Multiclass]int{}
	refusals := 0
	for range 150 {
		classes := 2 + g.IntN(60)
		rows := classes * (1 + g.IntN(100))
		cols := 1 << g.IntN(15)
		x, y := shaped(g, rows, cols, classes, min(cols, 1+g.IntN(6)))
		tr := pegasos.Trainer{MaxMemory: 1 << (14 + g.IntN(12)), Threads: 1 + g.IntN(3)}
		try := func(m pegasos.Multiclass) (pegasos.Config, error) {
			one := tr
			one.Multiclass, one.Lambda, one.Scale, one.Steps = m, 0.1, pegasos.ScaleNone, 1
			cfg, _, err := one.Choose(t.Context(), x, y)
			if err == nil {
				one.Config = cfg
				_, err = one.Train(t.Context(), x, y)
			}
			return cfg, err
		}
		cfg, err := try("")
		if err == nil {
			chosen[cfg.Multiclass]++
			continue
		}
		var bad *pegasos.ConfigError
		if !errors.As(err, &bad) || bad.Field != "MaxMemory" {
			t.Fatal(err)
		}
		refusals++
		for _, m := range []pegasos.Multiclass{pegasos.OneVsRest, pegasos.OneVsOne,
			pegasos.CrammerSinger} {
			if other, err := try(m); err == nil {
				t.Errorf("%d x %d of %d classes, %d bytes: %s is rejected, %s is not", rows, cols,
					classes, tr.MaxMemory, cfg.Multiclass, other.Multiclass)
			}
		}
	}
	if len(chosen) < 3 || refusals < 10 {
		t.Errorf("chosen %v, %d refusals", chosen, refusals)
	}
}

func TestRefusalNamesSchemes(t *testing.T) {
	x, y := shaped(rand.New(rand.NewPCG(5, 6)), 900, 50_000, 30, 8)
	tr := pegasos.Trainer{Config: pegasos.Config{Multiclass: pegasos.OneVsOne, Lambda: 0.1},
		MaxMemory: 100e6}
	_, err := tr.Train(t.Context(), x, y)
	if err == nil || !strings.Contains(err.Error(), `with Multiclass "`) {
		t.Error(err)
	}
}
