package pegasos_test

import (
	"context"
	"errors"
	"testing"

	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/sparse"
)

func TestLazyExamples(t *testing.T) {
	starts, y := []int64{0}, []float32{}
	var indices []int32
	var values []float32
	for i := range 100 {
		indices = append(indices, int32(i%7), 7+int32(i%3))
		values = append(values, float32(i%5)-2.5, 1)
		starts = append(starts, int64(len(values)))
		y = append(y, float32(i%2))
	}
	want, err := sparse.New(10, starts, indices, values)
	if err != nil {
		t.Fatal(err)
	}
	cfg := pegasos.Config{Lambda: 1e-2, Epochs: 3}
	hash := mustTrain(t, want, y, cfg).Hash()
	scaled := mustTrain(t, want, y, pegasos.Config{Lambda: 1e-2, Epochs: 3, Scale: pegasos.ScaleUnit,
		Finish: pegasos.FinishNone})
	damaged := errors.New("damaged")
	for bad := -1; bad < 100; bad += 33 {
		lazy, err := matrices.Lazy(10, starts, indices, values,
			matrices.Check{Shift: 3, Verify: func(first, end int) error {
				if first <= bad && bad < end {
					return damaged
				}
				return nil
			}})
		if err != nil {
			t.Fatal(err)
		}
		x := (*sparse.Matrix)(lazy)
		m, err := fixed(context.Background(), x, y, cfg)
		if bad < 0 && (err != nil || m.Hash() != hash) || bad >= 0 &&
			(m != nil || !errors.Is(err, damaged)) {
			t.Errorf("row %d damaged: %v, %v", bad, m, err)
		}
		// In Verify and Fit, scaling reads the rows first.
		var tr pegasos.Trainer
		_, err = tr.Verify(context.Background(), scaled, x, y, pegasos.VerifyOptions{})
		p, wrong := pegasos.NewPartialFrom(scaled)
		if wrong != nil {
			t.Fatal(wrong)
		}
		for what, err := range map[string]error{"Verify": err, "Fit": p.Fit(x, y)} {
			if errors.Is(err, damaged) != (bad >= 0) || bad < 0 && err != nil {
				t.Errorf("row %d damaged: %s: %v", bad, what, err)
			}
		}
	}
}
