package checkpoint_test

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/model/modelfile"
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/train/checkpoint"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/newton"
)

func write(t *testing.T, head *checkpoint.Head, arrays [][]float32) []byte {
	t.Helper()
	var file bytes.Buffer
	w := modelfile.NewWriter(&file, modelfile.Linear)
	if err := w.Header([]modelfile.Field{modelfile.Required("state", head)}); err != nil {
		t.Fatal(err)
	}
	for _, a := range arrays {
		modelfile.WriteNumbers(w, a)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// read spends used bytes of the file's memory budget before it reads the arrays.
func read(file []byte, used int) (*checkpoint.State, error) {
	return modelfile.Read(bytes.NewReader(file), modelfile.Linear,
		func(r *modelfile.Reader) (*checkpoint.State, error) {
			var head checkpoint.Head
			err := r.Header([]modelfile.Field{modelfile.Required("state", &head)})
			if err != nil {
				return nil, err
			}
			if err := r.Take(used); err != nil {
				return nil, err
			}
			st, err := checkpoint.Read(r, &head)
			if err != nil {
				return nil, err
			}
			return st, r.End()
		})
}

func full() *checkpoint.State {
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	best := proof.Result{Steps: 7, Solver: "steps", Objective: 0.5,
		DualObjective: 0.25, Gap: 1}
	return &checkpoint.State{
		Head: checkpoint.Head{
			Data:      "dense:1234",
			Lengths:   []int{3, 0, 1},
			Round:     2,
			Ended:     true,
			NextCheck: 5,
			Best: &checkpoint.Best{
				Quality:   0.75,
				SinceBest: 1,
				Bias:      []float64{0.1},
				Result:    best.Header(),
			},
			Runs: []checkpoint.Run{{Steps: 30, Epoch: 1, Generator: []byte("state"), Position: 7},
				{Steps: 12, Generator: []byte{0}}},
			Learners: []checkpoint.Learner{
				{Saved: iterate.Saved{Steps: 30, Biases: []float64{0, 1e-300}, Factor: 0.1},
					Dual: &iterate.Progress{Start: 23, Pass: 2, GapSum: 0.1}},
				{Saved: iterate.Saved{Steps: 12, Biases: []float64{}}, NewtonStarts: 2,
					Newton: &checkpoint.Newton{Start: 10, Dual: true,
						Past: newton.Past{Iterations: 3, Retries: []int{1, 2}}}},
			},
		},
		Arrays: [][]float32{{1, nan, inf}, {}, {0x1p-149}},
	}
}

func TestRoundTrip(t *testing.T) {
	want := full()
	have, err := read(write(t, &want.Head, want.Arrays), 0)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(have.Head, want.Head) ||
		fmt.Sprint(have.Arrays) != fmt.Sprint(want.Arrays) {
		t.Errorf("%+v, want %+v", have, want)
	}
	if n := have.Steps(); n != 42 {
		t.Errorf("%d steps of all runs", n)
	}
	text := string(write(t, &want.Head, nil))
	for _, key := range []string{"data", "arrays", "round", "ended", "look", "best", "runs",
		"learners",
		"quality", "worse", "bias", "result", "steps", "epoch", "generator", "position", "dual", "newton",
		"newtons", "start", "iterations", "retries"} {
		if !strings.Contains(text, `"`+key+`":`) {
			t.Errorf("the header has no %q: %s", key, text)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for _, c := range []struct {
		want    string
		used    int
		lengths []int
	}{
		{"an array has negative length -1", 0, []int{3, -1, 1}},
		{"cut short", 0, []int{4, 0, 1}},
		{"cut short", 0, []int{math.MaxInt / 8, 0, 1}},
		{"wrong checksum", 0, []int{2, 0, 1}},
		{"wrong checksum", 0, []int{3, 0}},
		{"state: 8192 arrays: its contents would take more memory", 8 << 20, make([]int, 8192)},
	} {
		st := full()
		st.Lengths = c.lengths
		have, err := read(write(t, &st.Head, st.Arrays), c.used)
		if have != nil || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60v: %v, want %q", c.lengths, err, c.want)
		}
	}
}
