package engine_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/internal/train/checkpoint"
	"github.com/pegasimd/pegasimd/internal/train/engine"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// newJob returns a job with one goroutine, and with the defaults for unset settings.
func newJob(t testing.TB, x store.Examples, y []float32, s settings.Settings) engine.Job {
	t.Helper()
	return weightedJob(t, x, y, nil, s)
}

func weightedJob(t testing.TB, x store.Examples, y, weights []float32,
	s settings.Settings) engine.Job {
	t.Helper()
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	s = s.Plain()
	set, err := store.NewSet(x, y, store.SetOptions{Regression: s.Regression(), Weights: weights})
	if err != nil {
		t.Fatal(err)
	}
	return engine.Job{Settings: s, Rows: set, Threads: 1}
}

func newSession(t testing.TB, job engine.Job) *engine.Session {
	t.Helper()
	s, err := engine.New(job)
	if err != nil {
		t.Fatalf("%+v: %v", job.Settings, err)
	}
	return s
}

func train(t testing.TB, job engine.Job) *engine.Point {
	t.Helper()
	m, stopped, err := newSession(t, job).Train(t.Context())
	if err != nil || stopped {
		t.Fatalf("%+v: %v, stopped: %v", job.Settings, err, stopped)
	}
	return m
}

func digest(m *engine.Point) string {
	h := sha256.New()
	for _, w := range m.Weights {
		binary.Write(h, binary.LittleEndian, w)
	}
	binary.Write(h, binary.LittleEndian, m.Bias)
	r := m.Result
	fmt.Fprintf(h, "{{%v %v %v %v %v %v %v %v} %v %v %v %v}", r.Steps, r.Epochs, r.Violations,
		r.Solver, r.Replaced, r.Weight, r.R2, r.T0, r.Objective, r.DualObjective, r.Gap, r.PerClass)
	return fmt.Sprintf("%.6x", h.Sum(nil))
}

func targets(p sample.Pair) sample.Pair {
	y := make([]float32, len(p.Y))
	for i := range y {
		for j, v := range p.Dense.Row(i) {
			y[i] += v * float32(j%5-2)
		}
		y[i] += p.Y[i] / 8
	}
	p.Y = y
	return p
}

func rowWeights(n int) []float32 {
	w := make([]float32, n)
	for i := range w {
		w[i] = float32(i % 4)
	}
	return w
}

// The header goes through JSON, as in a file.
func resumeFrom(t testing.TB, job engine.Job, st *checkpoint.State) engine.Job {
	t.Helper()
	text, err := json.Marshal(st.Head)
	if err != nil {
		t.Fatal(err)
	}
	read := &checkpoint.State{Arrays: st.Arrays}
	if err := json.Unmarshal(text, &read.Head); err != nil {
		t.Fatal(err)
	}
	job.Start, job.Pause = nil, 0
	job.Resume = &engine.Resume{State: read, Settings: job.Settings}
	return job
}
