package pegasos_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"sync/atomic"
	"testing"

	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/pegasos"
)

type watched struct {
	pegasos.Examples
	reads  atomic.Int64
	last   atomic.Int64 // number of the read that calls cancel
	cancel context.CancelFunc
}

func (x *watched) read() {
	if x.reads.Add(1) == x.last.Load() {
		x.cancel()
	}
}

func (x *watched) SumSquares(i int) float32 {
	x.read()
	return x.Examples.SumSquares(i)
}

func (x *watched) Dot(i int, w []float32) float32 {
	x.read()
	return x.Examples.Dot(i, w)
}

func (x *watched) Axpy(i int, a float32, w []float32) {
	x.read()
	x.Examples.Axpy(i, a, w)
}

func TestCancelPreparation(t *testing.T) {
	const rows, soon = 50000, 2 << 12
	data := sample.Random(1, rows, 2, 2, 1)
	for _, cfg := range []pegasos.Config{
		{}, pegasos.Config{}.Plain(), {Calibrate: 3}, {Scale: pegasos.ScaleStandard},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		x := &watched{Examples: data.Dense, cancel: cancel}
		x.last.Store(1)
		m, err := pegasos.Train(ctx, x, data.Y, cfg)
		if !errors.Is(err, context.Canceled) || m != nil {
			t.Errorf("%+v: %v, %v, want no model", cfg, m, err)
		}
		if x.reads.Load() > 2*rows+soon { // the pass that chooses settings can't be canceled
			t.Errorf("%+v: %d reads of %d rows", cfg, x.reads.Load(), rows)
		}
	}
}

func TestCancelMeasuring(t *testing.T) {
	const rows, soon = 50000, 1000
	data := sample.Random(1, rows, 2, 2, 1)
	for _, cfg := range []pegasos.Config{
		{}, {Bias: pegasos.BiasAugmented, Average: pegasos.LastIterate}, {Loss: pegasos.EpsInsensitive},
	} {
		cfg.Lambda, cfg.Epochs = 0.01, 1
		ctx, cancel := context.WithCancel(t.Context())
		x := &watched{Examples: data.Dense, cancel: cancel}
		var begun int64
		tr := pegasos.Trainer{Config: cfg, KeepState: true, Progress: func(p pegasos.Progress) {
			begun = x.reads.Load()
			x.last.Store(begun + 100) // a read after the last step
		}}
		m, err := trainPlain(ctx, &tr, x, data.Y)
		if !errors.Is(err, context.Canceled) || m == nil {
			t.Fatalf("%+v: %v, %v, want a model", cfg, m, err)
		}
		if x.reads.Load() > begun+rows+soon { // the sums of a lower bound can't be canceled
			t.Errorf("%+v: %d reads after the last step", cfg, x.reads.Load()-begun)
		}
		r := &m.Result
		if !math.IsNaN(r.Objective) || !math.IsNaN(r.DualObjective) || !math.IsNaN(r.Gap) ||
			r.Steps != rows || m.Validate() != nil {
			t.Errorf("%+v: %+v, %v", cfg, r, m.Validate())
		}
		resumed, err := trainPlain(t.Context(), &pegasos.Trainer{Config: cfg, Resume: m}, x, data.Y)
		if err != nil {
			t.Fatal(err)
		}
		whole := mustTrain(t, &watched{Examples: data.Dense}, data.Y, cfg)
		if resumed.Hash() != whole.Hash() || resumed.Result.Objective != whole.Result.Objective {
			t.Errorf("%+v: another hash or objective: %+v, want %+v", cfg, resumed.Result, whole.Result)
		}
	}
}

type expiring struct {
	context.Context
	calls int // number of further calls of Err that return nil
}

func (c *expiring) Err() error {
	if c.calls--; c.calls < 0 {
		return context.Canceled
	}
	return nil
}

func TestCancelEverywhere(t *testing.T) {
	data := random(39, 80, 5, 2, 1)
	cfg := pegasos.Config{Multiclass: pegasos.OneVsRest}
	train := func(ctx context.Context, resume *pegasos.Model) (*pegasos.Model, error) {
		tr := pegasos.Trainer{Config: cfg, Resume: resume, Threads: 1, KeepState: true,
			KeepProof: true}
		return tr.Train(ctx, data.dense, data.y)
	}
	whole := &expiring{t.Context(), math.MaxInt}
	want, err := train(whole, nil)
	if err != nil || want.Result.CrossValidated == nil {
		t.Fatalf("%v, %+v, want an estimate by folds", err, want)
	}
	calls, kept := math.MaxInt-whole.calls, 0
	for n := calls - 1; n >= 0; n -= 1 + (calls-n)/8 { // most checks near the end
		m, err := train(&expiring{t.Context(), n}, nil)
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("canceled at check %d of %d: %v", n, calls, err)
		}
		if m == nil {
			continue
		}
		if kept++; m.Validate() != nil || !math.IsNaN(m.Result.Objective) {
			t.Errorf("canceled at check %d of %d: %+v, %v", n, calls, m.Result, m.Validate())
		}
		have, err := train(t.Context(), m)
		if err != nil || !bytes.Equal(encode(t, have), encode(t, want)) {
			t.Errorf("canceled at check %d of %d: %v, another file, with the result %+v, want %+v", n,
				calls, err, have.Result, want.Result)
		}
	}
	if kept < 5 {
		t.Errorf("only %d of the canceled runs returned a model", kept)
	}
}

// Verify reads all rows for their norms, then for the fingerprint, and then for the objectives.
func TestCancelVerify(t *testing.T) {
	const rows, soon = 50000, 1000
	data := sample.Random(1, rows, 2, 2, 1)
	m := mustTrain(t, data.Dense, data.Y, pegasos.Config{Lambda: 0.01, Epochs: 1})
	for _, passes := range []int64{2, 3} {
		ctx, cancel := context.WithCancel(t.Context())
		x := &watched{Examples: data.Dense, cancel: cancel}
		x.last.Store(passes*rows + rows/5)
		v, err := (&pegasos.Trainer{}).Verify(ctx, m, x, data.Y, pegasos.VerifyOptions{})
		if !errors.Is(err, context.Canceled) || v != nil {
			t.Errorf("%v, %v, want no verification", v, err)
		}
		if late := x.reads.Load() - x.last.Load(); late > soon {
			t.Errorf("%d reads after the cancellation at read %d", late, x.last.Load())
		}
	}
}
