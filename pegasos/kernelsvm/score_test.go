package kernelsvm

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/testing/asmtest"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/pegasos"
)

func scoredModels(t testing.TB) map[string]*Model {
	models := map[string]*Model{}
	for _, kernel := range []Kernel{RBF, Linear, Polynomial, Function} {
		for name, p := range map[string]sample.Pair{"sevenths": sample.Random(11, 120, 30, 3, 0.4),
			"zeros and ones": sample.ZerosAndOnes(sample.Random(12, 120, 30, 3, 0.4))} {
			for form, x := range map[string]pegasos.Examples{"dense": p.Dense, "sparse": p.Sparse} {
				tr := Trainer{Config: Config{Kernel: kernel, Epochs: 5}}
				if kernel == Function {
					tr.Func = func(x, z Row) float32 { return float32(len(x.Value) * len(z.Value)) }
				}
				models[fmt.Sprint(kernel, ", ", name, ", ", form)] = mustTrain(t, x, p.Y, tr)
			}
		}
	}
	return models
}

func TestScoreBits(t *testing.T) {
	models := scoredModels(t)
	some := sample.Random(13, 70, 30, 2, 0.5)
	for what, p := range map[string]sample.Pair{"floats": some, "bits": sample.ZerosAndOnes(some)} {
		for name, m := range models {
			all := [2][]float64{m.DecisionAll(p.Dense), m.DecisionAll(p.Sparse)}
			labels := [2][]float32{m.PredictAll(p.Dense), m.PredictAll(p.Sparse)}
			for i := range p.Dense.Rows() {
				idx, val := p.Sparse.Row(i)
				// Columns that the model does not have are ignored.
				got := [3][]float64{m.Score(p.Dense.Row(i), make([]float64, m.Outputs())),
					m.ScoreSparse(idx, val, nil),
					m.ScoreSparse(append(idx, 30, 1<<30), append(val, 3, -1), nil)}
				for form, scores := range got {
					want := all[min(form, 1)][i*m.Outputs():]
					for k, v := range scores {
						if math.Float64bits(v) != math.Float64bits(want[k]) {
							t.Fatalf("%s: %s, row %d, form %d: score %d is %v, want %v", name, what,
								i, form, k, v, want[k])
						}
					}
				}
				want := [2]float32{labels[0][i], labels[1][i]}
				labelled := [2]float32{m.PredictDense(p.Dense.Row(i)), m.PredictSparse(idx, val)}
				if labelled != want {
					t.Fatalf("%s: %s, row %d: labels %v, want %v", name, what, i, labelled, want)
				}
			}
		}
	}
}

func TestScoreAllocatesNothing(t *testing.T) {
	if asmtest.Race {
		t.Skip("under the race detector a sync.Pool drops elements at random")
	}
	p := sample.ZerosAndOnes(sample.Random(13, 2, 30, 2, 0.5))
	x, other := p.Dense.Row(0), make([]float32, 30)
	for i := range other {
		other[i] = float32(i)
	}
	idx, val := p.Sparse.Row(0)
	for name, m := range scoredModels(t) {
		scores := make([]float64, m.Outputs())
		for call, f := range map[string]func(){
			"Score":          func() { m.Score(x, scores) },
			"Score, floats":  func() { m.Score(other, scores) },
			"ScoreSparse":    func() { m.ScoreSparse(idx, val, scores) },
			"PredictDense":   func() { m.PredictDense(x) },
			"PredictSparse":  func() { m.PredictSparse(idx, val) },
			"nothing at all": func() { m.ScoreSparse(nil, nil, scores) },
		} {
			if got := testing.AllocsPerRun(50, f); got != 0 {
				t.Errorf("%s: %s: %v allocations a call", name, call, got)
			}
		}
	}
}

func TestScoreAtOnce(t *testing.T) {
	x, y := circle(3, 200)
	m := mustTrain(t, x, y, Trainer{Config: Config{Gamma: 1}})
	want := m.DecisionAll(x)
	var wait sync.WaitGroup
	for range 4 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := range x.Rows() {
				if got := m.Score(x.Row(i), nil)[0]; got != want[i] {
					t.Errorf("row %d: %v, want %v", i, got, want[i])
				}
			}
		}()
	}
	wait.Wait()
}

func TestScorePanics(t *testing.T) {
	x, err := dense.FromSlice(2, 2, []float32{1, 1, -1, 1})
	if err != nil {
		t.Fatal(err)
	}
	m := mustTrain(t, x, []float32{0, 1}, Trainer{})
	for call, f := range map[string]func(){
		"Model.Score: len(x) = 3, m.Cols() = 2": func() { m.Score(make([]float32, 3), nil) },
		"Model.ScoreSparse: idx[1] = 1 after 1": func() {
			m.ScoreSparse([]int32{1, 1}, make([]float32, 2), nil)
		},
		"Model.PredictSparse: len(idx) = 1, len(val) = 2": func() {
			m.PredictSparse([]int32{1}, make([]float32, 2))
		},
	} {
		_, want, _ := strings.Cut(call, ": ")
		want = "pegasimd: " + want
		func() {
			defer func() {
				if got, _ := recover().(string); !strings.HasPrefix(got, want) {
					t.Errorf("%s: the panic is %q, want %q at the beginning", call, got, want)
				}
			}()
			f()
		}()
	}
}
