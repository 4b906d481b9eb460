package kernelsvm

import (
	"math"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/pegasos"
)

func TestPredictOverflow(t *testing.T) {
	p := sample.Random(1, 40, 2, 3, 1)
	for _, multiclass := range []pegasos.Multiclass{pegasos.OneVsRest, pegasos.OneVsOne} {
		m := mustTrain(t, p.Dense, p.Y, Trainer{
			Config: Config{Kernel: Polynomial, Degree: 9, Multiclass: multiclass},
		})
		x := dense.New(2, 2)
		copy(x.Row(0), []float32{3e38, -3e38})
		copy(x.Row(1), p.Dense.Row(1))
		labels := m.PredictAll(x)
		if !math.IsNaN(float64(labels[0])) || math.IsNaN(float64(labels[1])) {
			t.Errorf("%s: %v, want NaN and a label", multiclass, labels)
		}
		for _, z := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			if k := m.Class([]float64{0, z, 0}); k != -1 {
				t.Errorf("%s: class %d for a score of %v, want -1", multiclass, k, z)
			}
		}
	}
}

func TestFuncNotFinite(t *testing.T) {
	p := sample.Random(1, 40, 2, 2, 1)
	for _, finish := range []pegasos.Finish{pegasos.FinishDual, pegasos.FinishNone} {
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			tr := Trainer{Config: Config{Kernel: Function, Finish: finish, Lambda: 0.1},
				Func: func(x, z Row) float32 {
					if x.Value[0] == z.Value[0] && x.Value[1] == z.Value[1] {
						return 1
					}
					return float32(bad)
				}}
			_, err := tr.Train(t.Context(), p.Dense, p.Y)
			if err == nil || !strings.Contains(err.Error(), "a kernel value is NaN or infinite") {
				t.Errorf("%s, %v: %v", finish, bad, err)
			}
		}
	}
}
