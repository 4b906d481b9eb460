package pegasos

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/train/checkpoint"
	"github.com/pegasimd/pegasimd/internal/train/result"
)

// A run goes on with another path of the kernels, as on another machine, with the same bits.
func TestResumeOnAnotherPath(t *testing.T) {
	data := random(34, 60, 37, 3, 1)
	cfg := Config{Lambda: 0.01, Epochs: 6, Bias: BiasAugmented}
	want := mustTrain(t, data.dense, data.y, cfg).Hash()
	for _, first := range asm.Available() {
		for _, second := range asm.Available() {
			func() {
				defer asm.Use(asm.Use(first))
				tr := Trainer{Config: cfg, KeepState: true, Pause: 200}
				m, err := tr.plain(t.Context(), data.dense, data.y)
				if !errors.Is(err, ErrPaused) {
					t.Fatal(err)
				}
				if m, err = Read(bytes.NewReader(encode(t, m))); err != nil {
					t.Fatal(err)
				}
				asm.Use(second)
				tr = Trainer{Config: cfg, Resume: m}
				m, err = tr.plain(t.Context(), data.dense, data.y)
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
	cfg := Config{Lambda: 0.01, Epochs: 3, Order: Permutation}
	for name, harm := range map[string]func(*State){
		"none":              func(*State) {},
		"an epoch of 1e9":   func(st *State) { st.state.Runs[0].Epoch = 1e9 },
		"an epoch of -1":    func(st *State) { st.state.Runs[0].Epoch = -1 },
		"a round of 1e9":    func(st *State) { st.state.Round = 1e9 },
		"a round of -1":     func(st *State) { st.state.Round = -1 },
		"steps of -1":       func(st *State) { st.state.Runs[0].Steps = -1 },
		"too many steps":    func(st *State) { st.state.Runs[0].Steps = 70 },
		"another step":      func(st *State) { st.state.Runs[0].Steps += 23 },
		"a position of -1":  func(st *State) { st.state.Runs[0].Position = -1 },
		"a position of 1e9": func(st *State) { st.state.Runs[0].Position = 1e9 },
		"no generator":      func(st *State) { st.state.Runs[0].Generator = nil },
		"no runs":           func(st *State) { st.state.Runs = nil },
		"a run more": func(st *State) {
			st.state.Runs = append(st.state.Runs, st.state.Runs[0])
		},
		"a learner less": func(st *State) { st.state.Learners = st.state.Learners[1:] },
		"a learner more": func(st *State) {
			st.state.Learners = append(st.state.Learners, st.state.Learners[0])
		},
		"two biases":      func(st *State) { st.state.Learners[0].Biases = make([]float64, 2) },
		"a start of -1":   func(st *State) { st.state.Learners[0].Start = -1 },
		"a start of 2^62": func(st *State) { st.state.Learners[0].Start = 1 << 62 },
		"no average":      func(st *State) { st.state.Learners[0].Old = nil },
		"an array less":   func(st *State) { st.state.Arrays = st.state.Arrays[1:] },
		"an array more":   func(st *State) { st.state.Arrays = append(st.state.Arrays, nil) },
		"a shorter array": func(st *State) { st.state.Arrays[0] = st.state.Arrays[0][1:] },
		"a best without any": func(st *State) {
			st.state.Best = &checkpoint.Best{Result: &result.Header{}}
		},
		"other data": func(st *State) { st.state.Data = "" },
	} {
		tr := Trainer{Config: cfg, KeepState: true, Pause: 30}
		m, err := tr.plain(t.Context(), data.dense, data.y)
		if !errors.Is(err, ErrPaused) {
			t.Fatal(err)
		}
		harm(m.State)
		var bad *ConfigError
		tr = Trainer{Config: cfg, Resume: m}
		_, err = tr.plain(t.Context(), data.dense, data.y)
		if name == "none" && err != nil || name != "none" && !errors.As(err, &bad) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A state whose learners are at another step than their run is refused: beyond its end they would
// never come to one.
func TestResumeLearnersAhead(t *testing.T) {
	data := random(31, 23, 4, 3, 1)
	for _, cfg := range []Config{
		{Lambda: .01, Epochs: 3}, {Lambda: .01, Epochs: 3, Multiclass: CrammerSinger},
		{Lambda: .01, Epochs: 3, Multiclass: OneVsOne},
	} {
		for _, ahead := range []int64{-1, 1, 39} {
			tr := Trainer{Config: cfg, KeepState: true, Pause: 30}
			m, err := tr.plain(t.Context(), data.dense, data.y)
			if !errors.Is(err, ErrPaused) {
				t.Fatal(err)
			}
			m.State.state.Learners[0].Steps += ahead
			tr = Trainer{Config: cfg, Resume: m}
			if _, err := tr.plain(t.Context(), data.dense, data.y); err == nil ||
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
	trainers := []Trainer{
		{Config: Config{Lambda: 0.01, Epochs: 3}},
		{Config: Config{Lambda: 0.01, Epochs: 3, Multiclass: OneVsOne, Order: Blocks,
			Bias: BiasAugmented}},
		{Config: Config{Lambda: 0.01, Epochs: 3, Multiclass: CrammerSinger, Order: IID, Batch: 5,
			Average: LastIterate}},
		{Config: Config{Lambda: 0.01, Epochs: 3, Patience: 2},
			Valid: &Labelled{X: data.dense, Y: data.y}},
	}
	for i, tr := range trainers {
		for _, pause := range []int64{1, 7, 23, 30} {
			tr.KeepState, tr.Pause = true, pause
			m, err := tr.plain(f.Context(), data.dense, data.y)
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
		if m, err := tr.plain(t.Context(), data.dense, data.y); err == nil {
			if err := m.check(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
