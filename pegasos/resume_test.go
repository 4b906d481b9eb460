package pegasos_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/internal/train/checkpoint"
	"github.com/pegasimd/pegasimd/pegasos"
)

// resumed trains with a pause after each of the steps, goes through a file each time, and returns
// the model of the end.
func resumed(
	t *testing.T,
	x pegasos.Examples,
	y []float32,
	tr pegasos.Trainer,
	pauses ...int64,
) *pegasos.Model {
	t.Helper()
	tr.KeepState = true
	before := steps(tr.Start)
	for _, p := range append(pauses, 0) {
		tr.Pause = p
		m, err := trainPlain(t.Context(), &tr, x, y)
		if err == nil && p > 0 { // it ended before
			return m
		}
		if err != nil && !(errors.Is(err, pegasos.ErrPaused) && p > 0) {
			t.Fatalf("pause %d: %v", p, err)
		}
		if p == 0 {
			return m
		}
		if m.Result.Steps-before > p && tr.Shards < 2 { // those stop where they synchronise
			t.Fatalf("paused after %d steps, want %d", m.Result.Steps, p)
		}
		if m, err = pegasos.Read(bytes.NewReader(encode(t, m))); err != nil {
			t.Fatalf("%+v: %v", tr.Config, err)
		}
		tr.Resume, tr.Start = m, nil
	}
	panic("unreachable")
}

func steps(m *pegasos.Model) int64 {
	if m == nil {
		return 0
	}
	return m.Result.Steps
}

// resumeCases are runs of 5 epochs of 23 rows whose state has something in each of its parts.
func resumeCases(t *testing.T) map[string]pegasos.Trainer {
	data := random(31, 23, 4, 3, 1)
	weights := make([]float32, 23)
	for i := range weights {
		weights[i] = float32(i % 4)
	}
	start := mustTrain(t, data.dense, data.y, pegasos.Config{Lambda: 0.02, Epochs: 2})
	valid := random(32, 40, 4, 3, 1)
	held := &pegasos.Labelled{X: valid.dense, Y: valid.y}
	cases := map[string]pegasos.Trainer{
		"weights":  {Weights: weights},
		"start":    {Start: start},
		"prior":    {Prior: start},
		"patience": {Valid: held, Config: pegasos.Config{Patience: 2}},
		"costs": {
			Config: pegasos.Config{Multiclass: pegasos.CrammerSinger},
			Costs:  [][]float64{{0, 1, 2}, {1, 0, 3}, {2, 1, 0}},
		},
	}
	for _, order := range []pegasos.Order{pegasos.Permutation, pegasos.IID, pegasos.Sequential,
		pegasos.Blocks} {
		for _, batch := range []int{0, 4} {
			cases[fmt.Sprint(order, batch)] = pegasos.Trainer{
				Config: pegasos.Config{Order: order, Batch: batch},
			}
		}
	}
	for _, m := range []pegasos.Multiclass{pegasos.OneVsOne, pegasos.CrammerSinger,
		pegasos.Multinomial} {
		cases[string(m)] = pegasos.Trainer{Config: pegasos.Config{Multiclass: m}}
	}
	for _, b := range []pegasos.Bias{pegasos.BiasAugmented, pegasos.BiasUnregularised} {
		cases[string(b)] = pegasos.Trainer{Config: pegasos.Config{Bias: b}}
	}
	for _, l := range []pegasos.Loss{pegasos.Log, pegasos.SquaredHinge, pegasos.EpsInsensitive,
		pegasos.Squared} {
		cases[string(l)] = pegasos.Trainer{Config: pegasos.Config{Loss: l}}
	}
	for _, f := range []pegasos.Finish{pegasos.FinishDual, pegasos.FinishAuto} {
		for _, l := range pegasos.Losses() {
			for _, b := range []pegasos.Bias{pegasos.BiasAugmented, pegasos.BiasUnregularised} {
				cases[fmt.Sprint(f, l, b)] = pegasos.Trainer{
					Config: pegasos.Config{Finish: f, Loss: l, Bias: b},
				}
			}
		}
		for _, m := range []pegasos.Multiclass{pegasos.OneVsOne, pegasos.CrammerSinger,
			pegasos.Multinomial} {
			cases[fmt.Sprint(f, m)] = pegasos.Trainer{Weights: weights,
				Config: pegasos.Config{Finish: f, Multiclass: m, Bias: pegasos.BiasAugmented}}
		}
		cases[fmt.Sprint(f, " prior")] = pegasos.Trainer{Prior: start, Config: pegasos.Config{Finish: f}}
		cases[fmt.Sprint(f, " start")] = pegasos.Trainer{Start: start, Config: pegasos.Config{Finish: f}}
	}
	for name, cfg := range newtonConfigs() {
		cfg.ClassWeight = "" // there is a third class
		cases["newton "+name] = pegasos.Trainer{Config: cfg}
	}
	cases["newton pairs"] = pegasos.Trainer{
		Config: pegasos.Config{Finish: pegasos.FinishNewton, Multiclass: pegasos.OneVsOne, Tol: 1e-7},
	}
	cases["shards"] = pegasos.Trainer{Config: pegasos.Config{Shards: 3, Bias: pegasos.BiasAugmented}}
	cases["tol"] = pegasos.Trainer{Config: pegasos.Config{Tol: 0.3}}
	cases["project"] = pegasos.Trainer{
		Config: pegasos.Config{Project: true, Bias: pegasos.BiasAugmented, Offset: pegasos.OffsetNone},
	}
	cases["last"] = pegasos.Trainer{Config: pegasos.Config{Average: pegasos.LastIterate}}
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
		want, err := trainPlain(t.Context(), &tr, data.sparse, data.y)
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
	cfg := pegasos.Config{Lambda: 0.05, Average: pegasos.LastIterate, Epochs: 4}
	m, err := trainPlain(
		t.Context(),
		&pegasos.Trainer{Config: cfg, KeepState: true},
		data.dense,
		data.y,
	)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Epochs = 9
	want := mustTrain(t, data.dense, data.y, cfg)
	have, err := trainPlain(t.Context(), &pegasos.Trainer{Config: cfg, Resume: m}, data.dense, data.y)
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
	cfg := pegasos.Config{Lambda: 0.02, Epochs: 11}
	for _, multiclass := range []pegasos.Multiclass{pegasos.OneVsRest, pegasos.OneVsOne} {
		cfg.Multiclass = multiclass
		want := mustTrain(t, data.dense, data.y, cfg)
		ctx, cancel := context.WithCancel(t.Context())
		var kept *pegasos.Model
		tr := pegasos.Trainer{Config: cfg, KeepState: true, Progress: func(p pegasos.Progress) {
			if p.Epoch == 3 {
				kept = p.Model()
			}
			if p.Epoch == 6 {
				cancel()
			}
		}}
		m, err := trainPlain(ctx, &tr, data.dense, data.y)
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		for _, from := range []*pegasos.Model{kept, m} {
			tr := pegasos.Trainer{Config: cfg, Resume: from, Threads: 2}
			have, err := trainPlain(t.Context(), &tr, data.dense, data.y)
			if err != nil || have.Hash() != want.Hash() {
				t.Errorf("%s: %v, other bits", multiclass, err)
			}
		}
	}
}

func TestResumeRefuses(t *testing.T) {
	data := random(35, 20, 3, 2, 1)
	cfg := pegasos.Config{Lambda: 0.1, Epochs: 3}
	tr := pegasos.Trainer{Config: cfg, KeepState: true, Pause: 31}
	m, err := trainPlain(t.Context(), &tr, data.dense, data.y)
	if !errors.Is(err, pegasos.ErrPaused) {
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
	damage := func(f func(s *checkpoint.State)) *pegasos.Model {
		c, err := pegasos.Read(bytes.NewReader(encode(t, m)))
		if err != nil {
			t.Fatal(err)
		}
		f(pegasos.CheckpointOf(c.State))
		return c
	}
	for name, c := range map[string]struct {
		tr pegasos.Trainer
		x  pegasos.Examples
		y  []float32
	}{
		"no state":     {pegasos.Trainer{Config: cfg, Resume: plain}, data.dense, data.y},
		"start too":    {pegasos.Trainer{Config: cfg, Resume: m, Start: plain}, data.dense, data.y},
		"other seed":   {pegasos.Trainer{Config: wrong, Resume: m}, data.dense, data.y},
		"other rows":   {pegasos.Trainer{Config: cfg, Resume: m}, other.dense, data.y},
		"other labels": {pegasos.Trainer{Config: cfg, Resume: m}, data.dense, labels},
		"shorter":      {pegasos.Trainer{Config: shorter, Resume: m}, data.dense, data.y},
		"pause":        {pegasos.Trainer{Config: cfg, Pause: -1}, data.dense, data.y},
		"position": {pegasos.Trainer{Config: cfg,
			Resume: damage(func(s *checkpoint.State) { s.Runs[0].Position = 21 })}, data.dense, data.y},
		"generator": {pegasos.Trainer{Config: cfg,
			Resume: damage(func(s *checkpoint.State) { s.Runs[0].Generator = []byte("x") })}, data.dense,
			data.y},
		"arrays": {pegasos.Trainer{Config: cfg,
			Resume: damage(func(s *checkpoint.State) { s.Arrays = s.Arrays[1:] })}, data.dense, data.y},
		"steps": {pegasos.Trainer{Config: cfg,
			Resume: damage(func(s *checkpoint.State) { s.Runs[0].Steps = 1e9 })}, data.dense, data.y},
		"learners": {pegasos.Trainer{Config: cfg,
			Resume: damage(func(s *checkpoint.State) { s.Learners = nil })}, data.dense, data.y},
		"shift": {pegasos.Trainer{Config: cfg,
			Resume: damage(func(s *checkpoint.State) { s.Learners[0].Shift = 63 })}, data.dense, data.y},
	} {
		var e *pegasos.ConfigError
		if m, err := trainPlain(t.Context(), &c.tr, c.x, c.y); m != nil || !errors.As(err, &e) {
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
	cfg := pegasos.Config{Lambda: 0.1, Epochs: 3}
	tr := pegasos.Trainer{Config: cfg, KeepState: true, Pause: 40}
	m, err := trainPlain(t.Context(), &tr, x, y)
	if !errors.Is(err, pegasos.ErrPaused) {
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
		tr := pegasos.Trainer{Config: cfg, Resume: m}
		_, err := trainPlain(t.Context(), &tr, other, y)
		if err == nil || !strings.Contains(err.Error(), "the data are not those of the run") {
			t.Errorf("%s: %v", name, err)
		}
	}
	// The same rows, held otherwise.
	tr = pegasos.Trainer{Config: cfg, Resume: m, Threads: 3}
	if _, err := trainPlain(t.Context(), &tr, x.Take(sequence(rows)), y); err != nil {
		t.Error(err)
	}
	_, err = trainPlain(t.Context(), &tr, sample.ToSparse(x), y)
	if err == nil || !strings.Contains(err.Error(), "sparse, where they were dense") {
		t.Error(err)
	}
	pegasos.CheckpointOf(m.State).Data = strings.Repeat("0", 64)
	_, err = trainPlain(t.Context(), &tr, x, y)
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

// TestResumeFiles interrupts runs with open settings, of every finish, order and scale, some of
// them
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
		tr.Finish = pick(
			trial.g,
			"",
			pegasos.FinishNone,
			pegasos.FinishDual,
			pegasos.FinishNewton,
			pegasos.FinishAuto,
		)
		tr.Scale = pick(
			trial.g,
			"",
			pegasos.ScaleNone,
			pegasos.ScaleStandard,
			pegasos.ScaleMaxAbs,
			pegasos.ScaleUnit,
		)
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
			if !errors.Is(err, pegasos.ErrPaused) {
				break
			}
			if m, err = pegasos.Read(bytes.NewReader(encode(t, m))); err != nil {
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
