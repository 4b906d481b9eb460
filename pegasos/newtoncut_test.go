package pegasos_test

import (
	"context"
	"errors"
	"testing"

	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/pegasos"
)

func TestCancelNewton(t *testing.T) {
	const rows, soon = 20000, 3 * 4096
	data := sample.Random(1, rows, 3, 2, 1)
	for name, cfg := range map[string]pegasos.Config{
		"hinge":  {Bias: pegasos.BiasAugmented},
		"bias":   {Bias: pegasos.BiasUnregularised, Epochs: 4},
		"auto":   {Finish: pegasos.FinishAuto, Epochs: 30},
		"no tol": {Tol: -1, Loss: pegasos.SquaredHinge},
	} {
		if cfg.Finish == "" {
			cfg.Finish = pegasos.FinishNewton
		}
		if cfg.Lambda = 1e-3; cfg.Tol == 0 {
			cfg.Tol = 1e-5
		}
		cfg.Tol = max(0, cfg.Tol)
		whole := &watched{Examples: data.Dense, cancel: func() {}}
		want := mustTrain(t, whole, data.Y, cfg)
		first := int64(3 * rows) // about the number of reads until the end of the Pegasos epoch
		for k := range int64(3) {
			at := first + k*(whole.reads.Load()-first)/3
			var from, m *pegasos.Model
			// The run with last 0 is not canceled.
			for _, last := range []int64{at, at * 2 / 3, 0} {
				ctx, cancel := context.WithCancel(t.Context())
				x := &watched{Examples: data.Dense, cancel: cancel}
				x.last.Store(last)
				tr := pegasos.Trainer{Config: cfg, KeepState: true, Resume: from, Threads: 1}
				var err error
				m, err = trainPlain(ctx, &tr, x, data.Y)
				cancel()
				if err == nil {
					break
				}
				if !errors.Is(err, context.Canceled) {
					t.Fatalf("%s, after %d reads: %v", name, last, err)
				}
				// Canceling interrupts neither a lower bound's sums nor the sums from which the
				// dual solver starts.
				most := int64(rows + soon)
				if name == "auto" {
					most = 5 * rows
				}
				if late := x.reads.Load() - last; late > most {
					t.Errorf("%s: %d reads after the cancellation at read %d", name, late, last)
				}
				if m != nil { // nil if the run was canceled before its first step
					from = m
				}
			}
			if m.Hash() != want.Hash() || m.Result.Gap != want.Result.Gap {
				t.Errorf("%s, after %d reads: another hash or gap: %+v, want %+v", name, at, m.Result,
					want.Result)
			}
		}
	}
}
