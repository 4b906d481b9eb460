package pegasos

import (
	"crypto/sha256"
	"errors"
	"strings"
	"testing"
)

// A checkpoint with the right checksum may still have been made to do harm: it gives an error or a finite model.
func FuzzResume(f *testing.F) {
	data := random(31, 23, 4, 3, 1)
	trainers := []Trainer{
		{Config: Config{Lambda: 0.01, Epochs: 3}},
		{Config: Config{Lambda: 0.01, Epochs: 3, Multiclass: OneVsOne, Order: Blocks, Bias: BiasAugmented}},
		{Config: Config{Lambda: 0.01, Epochs: 3, Multiclass: CrammerSinger, Order: IID, Batch: 5, Average: LastIterate}},
		{Config: Config{Lambda: 0.01, Epochs: 3, Patience: 2}, Valid: &Labelled{data.dense, data.y}},
	}
	for i, tr := range trainers {
		for _, pause := range []int64{1, 7, 23, 30} {
			tr.KeepState, tr.Pause = true, pause
			m, err := tr.Train(f.Context(), data.dense, data.y)
			if err != nil && !errors.Is(err, ErrPaused) {
				f.Fatal(err)
			}
			f.Add(uint8(i), encode(f, m))
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, text []byte) {
		if len(text) < sha256.Size {
			return
		}
		m, err := Read(strings.NewReader(seal(string(text[:len(text)-sha256.Size]), "")))
		if err != nil {
			return
		}
		tr := trainers[int(which)%len(trainers)]
		tr.Resume = m
		if m, err := tr.Train(t.Context(), data.dense, data.y); err == nil {
			if err := m.check(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
