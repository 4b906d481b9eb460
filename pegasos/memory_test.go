package pegasos_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/internal/train/sgd"
	"github.com/pegasimd/pegasimd/pegasos"
)

// manyClasses returns rows of the given number of classes.
func manyClasses(rows, cols, classes int) (*dense.Matrix, []float32) {
	x, y := dense.New(rows, cols), make([]float32, rows)
	for i := range rows {
		for j := range cols {
			x.Row(i)[j] = float32((i+j)%7) / 8
		}
		y[i] = float32(i % classes)
	}
	return x, y
}

// The memory of a run is about what was estimated: not much more, and not so much less that a run
// that would fit is refused.
func TestMemoryEstimate(t *testing.T) {
	for name, c := range map[string]struct {
		cfg           pegasos.Config
		classes, cols int
		sparse, keep  bool
	}{
		"two classes":  {pegasos.Config{}, 2, 50_000, false, false},
		"last iterate": {pegasos.Config{Average: pegasos.LastIterate}, 2, 50_000, false, false},
		"one-vs-rest":  {pegasos.Config{}, 50, 1000, false, false},
		"sparse":       {pegasos.Config{}, 50, 1000, true, false},
		"rows":         {pegasos.Config{}, 1000, 4, false, false},
		"state":        {pegasos.Config{}, 50, 1000, false, true},
		"finish":       {pegasos.Config{Finish: pegasos.FinishDual}, 100, 100, false, false},
		"newton":       {pegasos.Config{Finish: pegasos.FinishNewton}, 2, 500, false, false},
		"newton floats": {pegasos.Config{Finish: pegasos.FinishNewton, Loss: pegasos.Log}, 2, 500,
			false, false},
		"newton classes": {pegasos.Config{Finish: pegasos.FinishNewton}, 30, 300, false, false},
		"newton bias": {pegasos.Config{Finish: pegasos.FinishNewton, Bias: pegasos.BiasUnregularised},
			50, 200, true,
			true},
		"pairs":    {pegasos.Config{Multiclass: pegasos.OneVsOne}, 20, 500, false, false},
		"balanced": {pegasos.Config{ClassWeight: pegasos.Balanced}, 100, 100, false, false},
		"balanced pairs": {pegasos.Config{Multiclass: pegasos.OneVsOne, ClassWeight: pegasos.Balanced},
			30, 20, false,
			false},
		"Crammer-Singer": {pegasos.Config{Multiclass: pegasos.CrammerSinger}, 100, 1000, false,
			false},
		"shards":              {pegasos.Config{Shards: 4}, 100, 1000, false, false},
		"drawn independently": {pegasos.Config{Order: pegasos.IID}, 300, 4, false, false},
	} {
		x, y := manyClasses(1000, c.cols, c.classes)
		if c.cols > 10_000 {
			x, y = manyClasses(20, c.cols, c.classes)
		}
		var rows pegasos.Examples = x
		if c.sparse {
			rows = sample.ToSparse(x)
		}
		c.cfg.Epochs, c.cfg.Lambda = 2, 0.1
		if c.cfg.Finish == pegasos.FinishNewton {
			c.cfg.Epochs, c.cfg.Tol = 4, 1e-13 // the first iteration is in the second
		}
		tr := pegasos.Trainer{Config: c.cfg, KeepState: c.keep, Threads: 2}
		s, err := newSession(rows, y, &tr)
		if err != nil {
			t.Fatal(name, err)
		}
		need := s.Memory(s.Sizes(), 1)
		before, most := live(), 0.0
		tr.Progress = func(p pegasos.Progress) {
			if p.Epoch != max(1, c.cfg.Epochs-1) {
				return
			}
			m := p.Model() // with what measuring takes
			most = max(most, live()-before)
			runtime.KeepAlive(m)
		}
		if _, err := trainPlain(t.Context(), &tr, rows, y); err != nil {
			t.Fatal(name, err)
		}
		t.Logf("%s: %.1f MB, estimated %.1f", name, most/1e6, need/1e6)
		if !(need > 0.75*most && need < 4*most) {
			t.Errorf("%s: %.1f MB, estimated %.1f", name, most/1e6, need/1e6)
		}
	}
}

// live returns how many bytes are in use.
func live() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// A run that would take more memory than is allowed is refused before that is allocated.
func TestMaxMemory(t *testing.T) {
	x, y := manyClasses(20_000, 2, 20_000)
	for name, tr := range map[string]*pegasos.Trainer{
		"by default": {}, // 20,000 classes, each with 8 bytes for 20,000 rows, are 3.2 GB
		"10 MB": {MaxMemory: 10e6, Config: pegasos.Config{Order: pegasos.IID,
			Average: pegasos.LastIterate}},
		"joint": {MaxMemory: 1e9, Config: pegasos.Config{Multiclass: pegasos.CrammerSinger}},
	} {
		if name == "by default" {
			x, y = manyClasses(24_000, 2, 24_000)
		}
		tr.Lambda = 0.1
		before := allocations()
		_, err := trainPlain(t.Context(), tr, x, y)
		var bad *pegasos.ConfigError
		if !errors.As(err, &bad) || bad.Field != "MaxMemory" ||
			!strings.Contains(err.Error(), "weight vectors of 2 features") {
			t.Errorf("%s: %v", name, err)
		}
		if n := allocations() - before; n > 8<<20 {
			t.Errorf("%s: %d bytes", name, n)
		}
	}
	small, labels := manyClasses(60, 2, 3)
	if _, err := trainPlain(t.Context(), &pegasos.Trainer{MaxMemory: 1e6}, small, labels); err != nil {
		t.Error(err)
	}
	if _, err := trainPlain(t.Context(), &pegasos.Trainer{MaxMemory: -1}, small, labels); err == nil {
		t.Error("a limit of -1")
	}
}

func allocations() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// doneAfter is a context that is canceled after a number of calls of Err.
type doneAfter struct {
	context.Context
	calls int
}

func (d *doneAfter) Err() error {
	if d.calls--; d.calls < 0 {
		return context.Canceled
	}
	return nil
}

// A run of many classes checks its context after each segment, which is short.
func TestManyClassesStop(t *testing.T) {
	x, y := manyClasses(9000, 8, 9000)
	r, err := newRun(x, y, &pegasos.Trainer{Config: pegasos.Config{Lambda: 0.1}, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	if n := r.Segment(); n*len(r.Learners) > 1<<22 || n < 16 {
		t.Errorf("%d steps of %d learners between two looks", n, len(r.Learners))
	}
	ctx := &doneAfter{Context: t.Context(), calls: 3}
	if err := r.advance(ctx, 1<<50); err != nil || r.T != 3*int64(r.Segment()) {
		t.Errorf("%v: %d steps, want 3 segments of %d", err, r.T, r.Segment())
	}
	few, err := newRun(
		x,
		y[:9000],
		&pegasos.Trainer{Config: pegasos.Config{Lambda: 0.1, Loss: pegasos.EpsInsensitive}},
	)
	if err != nil || few.Segment() != sgd.Segment(8) {
		t.Errorf("%v, %d steps of one vector", err, few.Segment())
	}
}
