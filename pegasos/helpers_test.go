package pegasos_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/model/labels"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/sparse"
)

type pair struct {
	dense  *dense.Matrix
	sparse *sparse.Matrix
	y      []float32
}

func random(seed uint64, rows, cols, classes int, fill float64) pair {
	p := sample.Random(seed, rows, cols, classes, fill)
	return pair{p.Dense, p.Sparse, p.Y}
}

func zerosAndOnes(p pair) pair {
	q := sample.ZerosAndOnes(sample.Pair{Dense: p.dense, Sparse: p.sparse, Y: p.y})
	return pair{q.Dense, q.Sparse, q.Y}
}

var (
	toSparse = sample.ToSparse
	norm     = sample.Norm
	distance = sample.Distance
	paths    = sample.Paths
	dataDir  = sample.DataDir
	seal     = sample.Seal
	only     = sample.OnlyFiles
	errFull  = sample.ErrFull
)

const (
	maxClasses = labels.MaxClasses
	maxSteps   = options.MaxSteps
)

type failingWriter = sample.FailingWriter

// If features is 0, the largest index in the set is the number of features.
func readSet(t testing.TB, dir, name string, features int) (pegasos.Examples, []float32) {
	t.Helper()
	return sample.ReadSet(t, dir, name, features)
}

func matrix(t testing.TB, rows, cols int, values ...float32) *dense.Matrix {
	t.Helper()
	m, err := dense.FromSlice(rows, cols, values)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func mustTrain(t testing.TB, x pegasos.Examples, y []float32, cfg pegasos.Config) *pegasos.Model {
	t.Helper()
	m, err := fixed(context.Background(), x, y, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func fixed(ctx context.Context, x pegasos.Examples, y []float32,
	cfg pegasos.Config) (*pegasos.Model, error) {
	return pegasos.Train(ctx, x, y, cfg.Plain())
}

func trainPlain(ctx context.Context, tr *pegasos.Trainer, x pegasos.Examples,
	y []float32) (*pegasos.Model, error) {
	plain := *tr
	plain.Config = tr.Config.Plain()
	return plain.Train(ctx, x, y)
}

func threadCounts() []int {
	if testing.Short() {
		return []int{2}
	}
	return []int{1, 2, 8}
}

func sameEverywhere(t *testing.T, cfg pegasos.Config, data pair, want string) {
	t.Helper()
	for _, isa := range paths() {
		for _, threads := range threadCounts() {
			func() {
				defer asm.Use(asm.Use(isa))
				m, err := trainPlain(t.Context(), &pegasos.Trainer{Config: cfg, Threads: threads}, data.dense,
					data.y)
				if err != nil || m.Hash() != want {
					t.Errorf("%+v on %s, %d threads: %v %s, want %s", cfg, isa, threads, err,
						m.Hash(), want)
				}
			}()
		}
	}
}

func allocations() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

func live() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

func vectorResult(m *pegasos.Model, k int) pegasos.ClassResult {
	if k < len(m.Result.PerClass) && m.Result.PerClass[k].Lambda > 0 {
		return m.Result.PerClass[k]
	}
	return pegasos.ClassResult{Steps: m.Result.Steps, Lambda: m.Lambda}
}

func vectorBias(m *pegasos.Model, k int) float64 {
	if m.Bias == nil {
		return 0
	}
	return m.Bias[k]
}

func sequence(n int) []uint32 {
	s := make([]uint32, n)
	for i := range s {
		s[i] = uint32(i)
	}
	return s
}
