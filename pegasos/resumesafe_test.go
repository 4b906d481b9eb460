package pegasos_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/train/checkpoint"
	"github.com/pegasimd/pegasimd/internal/train/result"
	"github.com/pegasimd/pegasimd/pegasos"
)

// A run goes on with another path of the kernels, as on another machine, with the same bits.
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
				if m, err = pegasos.Read(bytes.NewReader(encode(t, m))); err != nil {
					t.Fatal(err)
				}
				asm.Use(second)
				tr = pegasos.Trainer{Config: cfg, Resume: m}
				m, err = trainPlain(t.Context(), &tr, data.dense, data.y)
				if err != nil || m.Hash() != want {
					t.Errorf("%s, then %s: %v", first, second, err)
				}
			}()
		}
	}
}

// A state that no run can have is refused, and does not keep the trainer busy.
func TestResumeHostile(t *testing.T) {
	data := random(31, 23, 4, 3, 1)
	cfg := pegasos.Config{Lambda: 0.01, Epochs: 3, Order: pegasos.Permutation}
	for name, harm := range map[string]func(*checkpoint.State){
		"none":              func(*checkpoint.State) {},
		"an epoch of 1e9":   func(st *checkpoint.State) { st.Runs[0].Epoch = 1e9 },
		"an epoch of -1":    func(st *checkpoint.State) { st.Runs[0].Epoch = -1 },
		"a round of 1e9":    func(st *checkpoint.State) { st.Round = 1e9 },
		"a round of -1":     func(st *checkpoint.State) { st.Round = -1 },
		"steps of -1":       func(st *checkpoint.State) { st.Runs[0].Steps = -1 },
		"too many steps":    func(st *checkpoint.State) { st.Runs[0].Steps = 70 },
		"another step":      func(st *checkpoint.State) { st.Runs[0].Steps += 23 },
		"a position of -1":  func(st *checkpoint.State) { st.Runs[0].Position = -1 },
		"a position of 1e9": func(st *checkpoint.State) { st.Runs[0].Position = 1e9 },
		"no generator":      func(st *checkpoint.State) { st.Runs[0].Generator = nil },
		"no runs":           func(st *checkpoint.State) { st.Runs = nil },
		"a run more": func(st *checkpoint.State) {
			st.Runs = append(st.Runs,
				st.Runs[0])
		},
		"a learner less": func(st *checkpoint.State) { st.Learners = st.Learners[1:] },
		"a learner more": func(st *checkpoint.State) {
			st.Learners = append(st.Learners,
				st.Learners[0])
		},
		"two biases":      func(st *checkpoint.State) { st.Learners[0].Biases = make([]float64, 2) },
		"a start of -1":   func(st *checkpoint.State) { st.Learners[0].Start = -1 },
		"a start of 2^62": func(st *checkpoint.State) { st.Learners[0].Start = 1 << 62 },
		"no average":      func(st *checkpoint.State) { st.Learners[0].Old = nil },
		"an array less":   func(st *checkpoint.State) { st.Arrays = st.Arrays[1:] },
		"an array more": func(st *checkpoint.State) {
			st.Arrays = append(st.Arrays, nil)
		},
		"a shorter array": func(st *checkpoint.State) { st.Arrays[0] = st.Arrays[0][1:] },
		"a best without any": func(st *checkpoint.State) {
			st.Best = &checkpoint.Best{Result: &result.Header{}}
		},
		"other data": func(st *checkpoint.State) { st.Data = "" },
	} {
		tr := pegasos.Trainer{Config: cfg, KeepState: true, Pause: 30}
		m, err := trainPlain(t.Context(), &tr, data.dense, data.y)
		if !errors.Is(err, pegasos.ErrPaused) {
			t.Fatal(err)
		}
		harm(pegasos.CheckpointOf(m.State))
		var bad *pegasos.ConfigError
		tr = pegasos.Trainer{Config: cfg, Resume: m}
		_, err = trainPlain(t.Context(), &tr, data.dense, data.y)
		if name == "none" && err != nil || name != "none" && !errors.As(err, &bad) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A state whose learners are at another step than their run is refused: beyond its end they would
// never come to one.
func TestResumeLearnersAhead(t *testing.T) {
	data := random(31, 23, 4, 3, 1)
	for _, cfg := range []pegasos.Config{
		{Lambda: .01, Epochs: 3}, {Lambda: .01, Epochs: 3, Multiclass: pegasos.CrammerSinger},
		{Lambda: .01, Epochs: 3, Multiclass: pegasos.OneVsOne},
	} {
		for _, ahead := range []int64{-1, 1, 39} {
			tr := pegasos.Trainer{Config: cfg, KeepState: true, Pause: 30}
			m, err := trainPlain(t.Context(), &tr, data.dense, data.y)
			if !errors.Is(err, pegasos.ErrPaused) {
				t.Fatal(err)
			}
			pegasos.CheckpointOf(m.State).Learners[0].Steps += ahead
			tr = pegasos.Trainer{Config: cfg, Resume: m}
			if _, err := trainPlain(t.Context(), &tr, data.dense, data.y); err == nil ||
				!strings.Contains(err.Error(), "the state is not one of such a run") {
				t.Errorf("%s, %d steps ahead: %v", cfg.Multiclass, ahead, err)
			}
		}
	}
}

// A checkpoint with the right checksum may still have been made to do harm: it gives an error or a
// finite model.
func FuzzResume(f *testing.F) {
	data := random(31, 23, 4, 3, 1)
	trainers := []pegasos.Trainer{
		{Config: pegasos.Config{Lambda: 0.01, Epochs: 3}},
		{
			Config: pegasos.Config{
				Lambda:     0.01,
				Epochs:     3,
				Multiclass: pegasos.OneVsOne,
				Order:      pegasos.Blocks,
				Bias:       pegasos.BiasAugmented,
			},
		},
		{
			Config: pegasos.Config{
				Lambda:     0.01,
				Epochs:     3,
				Multiclass: pegasos.CrammerSinger,
				Order:      pegasos.IID,
				Batch:      5,
				Average:    pegasos.LastIterate,
			},
		},
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
			if err := pegasos.CheckModel(m); err != nil {
				t.Fatal(err)
			}
		}
	})
}
