package pegasos_test

import (
	"crypto/sha256"
	"errors"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/pegasos"
)

func TestResumeOnAnotherPath(t *testing.T) {
	data := random(34, 60, 37, 3, 1)
	cfg := pegasos.Config{Lambda: 0.01, Epochs: 6, Bias: pegasos.BiasAugmented}
	want := mustTrain(t, data.dense, data.y, cfg).Hash()
	for _, first := range asm.Available() {
		for _, second := range asm.Available() {
			func() {
				defer asm.Use(asm.Use(first))
				tr := pegasos.Trainer{Config: cfg, KeepState: true, Pause: 200}
				m, err := trainPlain(t.Context(), &tr, data.dense, data.y)
				if !errors.Is(err, pegasos.ErrPaused) {
					t.Fatal(err)
				}
				asm.Use(second)
				tr = pegasos.Trainer{Config: cfg, Resume: clone(t, m)}
				m, err = trainPlain(t.Context(), &tr, data.dense, data.y)
				if err != nil || m.Hash() != want {
					t.Errorf("%s, then %s: %v", first, second, err)
				}
			}()
		}
	}
}

func FuzzResume(f *testing.F) {
	data := random(31, 23, 4, 3, 1)
	trainers := []pegasos.Trainer{
		{Config: pegasos.Config{Lambda: 0.01, Epochs: 3}},
		{Config: pegasos.Config{Lambda: 0.01, Epochs: 3, Multiclass: pegasos.OneVsOne,
			Order: pegasos.Blocks, Bias: pegasos.BiasAugmented}},
		{Config: pegasos.Config{Lambda: 0.01, Epochs: 3, Multiclass: pegasos.CrammerSinger,
			Order: pegasos.IID, Batch: 5, Average: pegasos.LastIterate}},
		{Config: pegasos.Config{Lambda: 0.01, Epochs: 3, Patience: 2},
			Valid: &pegasos.Labelled{X: data.dense, Y: data.y}},
	}
	for i, tr := range trainers {
		for _, pause := range []int64{1, 7, 23, 30} {
			tr.KeepState, tr.Pause = true, pause
			m, err := trainPlain(f.Context(), &tr, data.dense, data.y)
			if err != nil && !errors.Is(err, pegasos.ErrPaused) {
				f.Fatal(err)
			}
			f.Add(uint8(i), encode(f, m))
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, text []byte) {
		if len(text) < sha256.Size {
			return
		}
		m, err := pegasos.Read(strings.NewReader(seal(string(text[:len(text)-sha256.Size]), "")))
		if err != nil {
			return
		}
		tr := trainers[int(which)%len(trainers)]
		tr.Resume = m
		if m, err := trainPlain(t.Context(), &tr, data.dense, data.y); err == nil {
			if err := m.Validate(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
