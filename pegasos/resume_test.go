package pegasos

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
)

// resumed trains with a pause after each of the steps, goes through a file each time, and returns
// the model of the end.
func resumed(t *testing.T, x Examples, y []float32, tr Trainer, pauses ...int64) *Model {
	t.Helper()
	tr.KeepState = true
	before := steps(tr.Start)
	for _, p := range append(pauses, 0) {
		tr.Pause = p
		m, err := tr.plain(t.Context(), x, y)
		if err == nil && p > 0 { // it ended before
			return m
		}
		if err != nil && !(errors.Is(err, ErrPaused) && p > 0) {
			t.Fatalf("pause %d: %v", p, err)
		}
		if p == 0 {
			return m
		}
		if m.Result.Steps-before > p && tr.Shards < 2 { // those stop where they synchronise
			t.Fatalf("paused after %d steps, want %d", m.Result.Steps, p)
		}
		if m, err = Read(bytes.NewReader(encode(t, m))); err != nil {
			t.Fatalf("%+v: %v", tr.Config, err)
		}
		tr.Resume, tr.Start = m, nil
	}
	panic("unreachable")
}

func steps(m *Model) int64 {
	if m == nil {
		return 0
	}
	return m.Result.Steps
}

// resumeCases are runs of 5 epochs of 23 rows whose state has something in each of its parts.
func resumeCases(t *testing.T) map[string]Trainer {
	data := random(31, 23, 4, 3, 1)
	weights := make([]float32, 23)
	for i := range weights {
		weights[i] = float32(i % 4)
	}
	start := mustTrain(t, data.dense, data.y, Config{Lambda: 0.02, Epochs: 2})
	valid := random(32, 40, 4, 3, 1)
	held := &Labelled{X: valid.dense, Y: valid.y}
	cases := map[string]Trainer{
		"weights":  {Weights: weights},
		"start":    {Start: start},
		"prior":    {Prior: start},
		"patience": {Valid: held, Config: Config{Patience: 2}},
		"costs": {
			Config: Config{Multiclass: CrammerSinger},
			Costs:  [][]float64{{0, 1, 2}, {1, 0, 3}, {2, 1, 0}},
		},
	}
	for _, order := range []Order{Permutation, IID, Sequential, Blocks} {
		for _, batch := range []int{0, 4} {
			cases[fmt.Sprint(order, batch)] = Trainer{Config: Config{Order: order, Batch: batch}}
		}
	}
	for _, m := range []Multiclass{OneVsOne, CrammerSinger, Multinomial} {
		cases[string(m)] = Trainer{Config: Config{Multiclass: m}}
	}
	for _, b := range []Bias{BiasAugmented, BiasUnregularised} {
		cases[string(b)] = Trainer{Config: Config{Bias: b}}
	}
	for _, l := range []Loss{Log, SquaredHinge, EpsInsensitive, Squared} {
		cases[string(l)] = Trainer{Config: Config{Loss: l}}
	}
	for _, f := range []Finish{FinishDual, FinishAuto} {
		for _, l := range Losses() {
			for _, b := range []Bias{BiasAugmented, BiasUnregularised} {
				cases[fmt.Sprint(f, l, b)] = Trainer{Config: Config{Finish: f, Loss: l, Bias: b}}
			}
		}
		for _, m := range []Multiclass{OneVsOne, CrammerSinger, Multinomial} {
			cases[fmt.Sprint(f, m)] = Trainer{Weights: weights,
				Config: Config{Finish: f, Multiclass: m, Bias: BiasAugmented}}
		}
		cases[fmt.Sprint(f, " prior")] = Trainer{Prior: start, Config: Config{Finish: f}}
		cases[fmt.Sprint(f, " start")] = Trainer{Start: start, Config: Config{Finish: f}}
	}
	for name, cfg := range newtonConfigs() {
		cfg.ClassWeight = "" // there is a third class
		cases["newton "+name] = Trainer{Config: cfg}
	}
	cases["newton pairs"] = Trainer{
		Config: Config{Finish: FinishNewton, Multiclass: OneVsOne, Tol: 1e-7},
	}
	cases["shards"] = Trainer{Config: Config{Shards: 3, Bias: BiasAugmented}}
	cases["tol"] = Trainer{Config: Config{Tol: 0.3}}
	cases["project"] = Trainer{
		Config: Config{Project: true, Bias: BiasAugmented, Offset: OffsetNone},
	}
	cases["last"] = Trainer{Config: Config{Average: LastIterate}}
	for name, tr := range cases {
		tr.Lambda, tr.Epochs = 0.01, 5
		if tr.Patience > 0 || tr.Tol > 0 {
			tr.Epochs = 12
		}
		cases[name] = tr
	}
	return cases
}

// train(n) and resume(n) are train(2n), to the bit, through a file, at every step.
func TestResume(t *testing.T) {
	data := random(31, 23, 4, 3, 1)
	for name, tr := range resumeCases(t) {
		want, err := tr.plain(t.Context(), data.sparse, data.y)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		every := int64(1)
		if tr.Epochs > 5 {
			every = 7
		}
		if testing.Short() {
			every *= 4
		}
		for p := int64(1); p <= 5*23; p += every {
			have := resumed(t, data.sparse, data.y, tr, p)
			if have.Hash() != want.Hash() || fmt.Sprint(have.Result) != fmt.Sprint(want.Result) {
				t.Errorf("%s, paused after %d steps: %+v, want %+v", name, p, have.Result,
					want.Result)
				break
			}
		}
		// Several pauses, at once and in a row.
		have := resumed(t, data.sparse, data.y, tr, 3, 4, 23, 24, 50, 51)
		if have.Hash() != want.Hash() {
			t.Errorf("%s: other bits after several pauses", name)
		}
	}
}

// A run that ended is made longer: with the last iterate it is the longer run.
func TestResumeLonger(t *testing.T) {
	data := random(33, 30, 4, 2, 1)
	cfg := Config{Lambda: 0.05, Average: LastIterate, Epochs: 4}
	m, err := (&Trainer{Config: cfg, KeepState: true}).plain(t.Context(), data.dense, data.y)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Epochs = 9
	want := mustTrain(t, data.dense, data.y, cfg)
	have, err := (&Trainer{Config: cfg, Resume: m}).plain(t.Context(), data.dense, data.y)
	if err != nil || have.Hash() != want.Hash() {
		t.Errorf("%v, %s, want %s", err, have.Hash(), want.Hash())
	}
	if have.State != nil {
		t.Error("a state that nobody asked for")
	}
}

// A run that was cancelled, and one that a callback took the model of, go on as if nothing had
// been.
func TestResumeCancelled(t *testing.T) {
	data := random(34, 40, 5, 3, 1)
	cfg := Config{Lambda: 0.02, Epochs: 11}
	for _, multiclass := range []Multiclass{OneVsRest, OneVsOne} {
		cfg.Multiclass = multiclass
		want := mustTrain(t, data.dense, data.y, cfg)
		ctx, cancel := context.WithCancel(t.Context())
		var kept *Model
		tr := Trainer{Config: cfg, KeepState: true, Progress: func(p Progress) {
			if p.Epoch == 3 {
				kept = p.Model()
			}
			if p.Epoch == 6 {
				cancel()
			}
		}}
		m, err := tr.plain(ctx, data.dense, data.y)
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		for _, from := range []*Model{kept, m} {
			tr := Trainer{Config: cfg, Resume: from, Threads: 2}
			have, err := tr.plain(t.Context(), data.dense, data.y)
			if err != nil || have.Hash() != want.Hash() {
				t.Errorf("%s: %v, other bits", multiclass, err)
			}
		}
	}
}

func TestResumeRefuses(t *testing.T) {
	data := random(35, 20, 3, 2, 1)
	cfg := Config{Lambda: 0.1, Epochs: 3}
	tr := Trainer{Config: cfg, KeepState: true, Pause: 31}
	m, err := tr.plain(t.Context(), data.dense, data.y)
	if !errors.Is(err, ErrPaused) {
		t.Fatal(err)
	}
	plain := mustTrain(t, data.dense, data.y, cfg)
	other := random(36, 20, 3, 2, 1)
	labels := append([]float32(nil), data.y...)
	labels[3] = 1 - labels[3]
	wrong := cfg
	wrong.Seed = 1
	shorter := cfg
	shorter.Epochs = 1
	damage := func(f func(s *State)) *Model {
		c, err := Read(bytes.NewReader(encode(t, m)))
		if err != nil {
			t.Fatal(err)
		}
		f(c.State)
		return c
	}
	for name, c := range map[string]struct {
		tr Trainer
		x  Examples
		y  []float32
	}{
		"no state":     {Trainer{Config: cfg, Resume: plain}, data.dense, data.y},
		"start too":    {Trainer{Config: cfg, Resume: m, Start: plain}, data.dense, data.y},
		"other seed":   {Trainer{Config: wrong, Resume: m}, data.dense, data.y},
		"other rows":   {Trainer{Config: cfg, Resume: m}, other.dense, data.y},
		"other labels": {Trainer{Config: cfg, Resume: m}, data.dense, labels},
		"shorter":      {Trainer{Config: shorter, Resume: m}, data.dense, data.y},
		"pause":        {Trainer{Config: cfg, Pause: -1}, data.dense, data.y},
		"position": {Trainer{Config: cfg,
			Resume: damage(func(s *State) { s.state.Runs[0].Position = 21 })}, data.dense, data.y},
		"generator": {Trainer{Config: cfg,
			Resume: damage(func(s *State) { s.state.Runs[0].Generator = []byte("x") })}, data.dense,
			data.y},
		"arrays": {Trainer{Config: cfg,
			Resume: damage(func(s *State) { s.state.Arrays = s.state.Arrays[1:] })}, data.dense, data.y},
		"steps": {Trainer{Config: cfg,
			Resume: damage(func(s *State) { s.state.Runs[0].Steps = 1e9 })}, data.dense, data.y},
		"learners": {Trainer{Config: cfg,
			Resume: damage(func(s *State) { s.state.Learners = nil })}, data.dense, data.y},
		"shift": {Trainer{Config: cfg,
			Resume: damage(func(s *State) { s.state.Learners[0].Shift = 63 })}, data.dense, data.y},
	} {
		var e *ConfigError
		if m, err := c.tr.plain(t.Context(), c.x, c.y); m != nil || !errors.As(err, &e) {
			t.Errorf("%s: %v, %v", name, m, err)
		}
	}
}

// Unit rows with other columns, rows in another order, and rows with one other value are other
// data, though their norms and labels are the same.
func TestResumeKnowsTheRows(t *testing.T) {
	const rows, cols = 30, 12
	x, y := dense.New(rows, cols), make([]float32, rows)
	for i := range rows {
		x.Row(i)[i%5], y[i] = 1, float32(i%2)
	}
	cfg := Config{Lambda: 0.1, Epochs: 3}
	tr := Trainer{Config: cfg, KeepState: true, Pause: 40}
	m, err := tr.plain(t.Context(), x, y)
	if !errors.Is(err, ErrPaused) {
		t.Fatal(err)
	}
	for name, change := range map[string]func(x *dense.Matrix){
		"columns": func(x *dense.Matrix) {
			for i := range rows {
				row := x.Row(i)
				row[i%5], row[11-i%5] = 0, 1
			}
		},
		"a column": func(x *dense.Matrix) { row := x.Row(7); row[2], row[3] = 0, 1 },
		"order": func(x *dense.Matrix) {
			a, b := x.Row(3), x.Row(5) // of the same label
			a[3], a[0], b[0], b[3] = 0, 1, 0, 1
		},
		"a sign": func(x *dense.Matrix) { x.Row(29)[4] = -1 },
	} {
		other := x.Take(sequence(rows))
		change(other)
		tr := Trainer{Config: cfg, Resume: m}
		_, err := tr.plain(t.Context(), other, y)
		if err == nil || !strings.Contains(err.Error(), "the data are not those of the run") {
			t.Errorf("%s: %v", name, err)
		}
	}
	// The same rows, held otherwise.
	tr = Trainer{Config: cfg, Resume: m, Threads: 3}
	if _, err := tr.plain(t.Context(), x.Take(sequence(rows)), y); err != nil {
		t.Error(err)
	}
	_, err = tr.plain(t.Context(), sample.ToSparse(x), y)
	if err == nil || !strings.Contains(err.Error(), "sparse, where they were dense") {
		t.Error(err)
	}
	m.State.state.Data = strings.Repeat("0", 64)
	_, err = tr.plain(t.Context(), x, y)
	if err == nil || !strings.Contains(err.Error(), "of an earlier version") {
		t.Error(err)
	}
}

func sequence(n int) []uint32 {
	s := make([]uint32, n)
	for i := range s {
		s[i] = uint32(i)
	}
	return s
}

// TestResumeFiles interrupts runs with open settings, of every finish, order and scale, some of them
// several times: what they write in the end is the file of the unbroken run, byte for byte.
func TestResumeFiles(t *testing.T) {
	chains := 200
	if testing.Short() {
		chains = 40
	}
	seed, paused := uint64(0), 0
	for ; chains > 0; seed++ {
		trial := newTrial(seed + 7e6)
		trial.half, trial.auto = false, true
		trial.models()
		tr := trial.tr
		tr.Fingerprint = true
		tr.Finish = pick(trial.g, "", FinishNone, FinishDual, FinishNewton, FinishAuto)
		tr.Scale = pick(trial.g, "", ScaleNone, ScaleStandard, ScaleMaxAbs, ScaleUnit)
		trial.settle(&tr.Config)
		want, err := tr.Train(t.Context(), trial.x, trial.y)
		if err != nil {
			continue
		}
		chains--
		name := fmt.Sprintf("seed %d: %+v", seed, tr.Config)
		rest := tr
		rest.KeepState = true
		for range 1 + trial.g.IntN(3) {
			rest.Pause = 1 + int64(trial.g.IntN(100))
			m, err := rest.Train(t.Context(), trial.x, trial.y)
			if !errors.Is(err, ErrPaused) {
				break
			}
			if m, err = Read(bytes.NewReader(encode(t, m))); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			rest.Resume, rest.Start = m, nil
			paused++
		}
		rest.KeepState, rest.Pause = false, 0
		have, err := rest.Train(t.Context(), trial.x, trial.y)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if string(encode(t, have)) != string(encode(t, want)) {
			t.Errorf("%s:\n%+v %+v\nwant\n%+v %+v", name, have.Result, have.Scaling, want.Result,
				want.Scaling)
		}
	}
	t.Logf("%d interruptions", paused)
}
