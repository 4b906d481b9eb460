package trials

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/internal/train/choose"
	"github.com/pegasimd/pegasimd/internal/train/engine"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

func jobOf(t *testing.T, x *dense.Matrix, y []float32, s settings.Settings, weights []float32) (
	engine.Job, *choose.Search,
) {
	t.Helper()
	set, err := store.NewSet(x, y, store.SetOptions{Regression: s.Regression(), Weights: weights})
	if err != nil {
		t.Fatal(err)
	}
	c, err := choose.Settings(choose.Open{Settings: s, Threads: 1,
		Stopped: func() bool { return false }}, set)
	if err != nil {
		t.Fatal(err)
	}
	p := c.Search()
	if p == nil {
		t.Fatal("no search")
	}
	p.Choices, p.Paths = p.Choices[:1], p.Paths[:1]
	return engine.Job{Settings: c.Settings, Rows: c.Rows, Scale: c.Scale, Threads: 2}, p
}

func lambdaOf(job engine.Job, p *choose.Search) (float64, error) {
	_, lambda, _, err := Best(p, func(*choose.Choice) engine.Job { return job })
	return lambda, err
}

// shift returns how many places the chosen lambda is below the default.
func shift(t *testing.T, job engine.Job, p *choose.Search) int {
	t.Helper()
	lambda, err := lambdaOf(job, p)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Index(p.Paths[0].Lambdas, lambda) - p.Paths[0].Rule
}

// A signal in small differences of correlated columns needs a lambda below the default. Random
// labels do not.
func TestLambda(t *testing.T) {
	for _, c := range []struct {
		classes int
		s       settings.Settings
		least   int // shift for labels that depend on the small differences
	}{
		{2, settings.Settings{}, 1}, {3, settings.Settings{}, 1},
		{2, settings.Settings{Loss: "log"}, 1},
		{3, settings.Settings{Multiclass: settings.OneVsRest}, 1},
		{2, settings.Settings{Bias: settings.BiasNone}, 1},
	} {
		x, y := sample.NearlyEqual(1, 300, 9, c.classes, true)
		job, p := jobOf(t, x, y, c.s, nil)
		have := shift(t, job, p)
		if have < c.least {
			t.Errorf("%d classes, %+v: %d places below the default", c.classes, c.s, have)
		}
		job.Threads = 1
		if other := shift(t, job, p); other != have {
			t.Errorf("%d classes, %+v: %d places with one goroutine, %d with two", c.classes, c.s,
				other, have)
		}
		turned, labels := dense.New(300, 9), make([]float32, 300)
		for i := range labels {
			copy(turned.Row(i), x.Row(299-i))
			labels[i] = y[299-i]
		}
		job, p = jobOf(t, turned, labels, c.s, nil)
		if other := shift(t, job, p); other != have {
			t.Errorf("%d classes, %+v: %d places with the rows in reverse order, else %d",
				c.classes, c.s, other, have)
		}
		x, y = sample.NearlyEqual(2, 300, 9, c.classes, false)
		job, p = jobOf(t, x, y, c.s, nil)
		if have := shift(t, job, p); have > 1 {
			t.Errorf("%d classes, %+v, noise: %d places below the default", c.classes, c.s, have)
		}
	}
}

func TestLambdaOfTargets(t *testing.T) {
	x, y := sample.NearlyEqual(4, 300, 8, 2, true)
	for i := range y {
		y[i] = 100*(x.Row(i)[0]-x.Row(i)[1]) + x.Row(i)[2]
	}
	for _, loss := range []string{"squared", "eps-insensitive"} {
		job, p := jobOf(t, x, y, settings.Settings{Loss: loss}, nil)
		if have := shift(t, job, p); have < 1 {
			t.Errorf("%s: %d places below the default", loss, have)
		}
	}
}

func TestLambdaOfWeights(t *testing.T) {
	x, y := sample.NearlyEqual(5, 300, 8, 2, true)
	weights := make([]float32, 300)
	for i := range weights {
		weights[i] = 2
	}
	job, p := jobOf(t, x, y, settings.Settings{}, nil)
	have := shift(t, job, p)
	doubled, q := jobOf(t, x, y, settings.Settings{}, weights)
	if other := shift(t, doubled, q); other != have {
		t.Errorf("%d places below the default with weights of 2, else %d", other, have)
	}
	more, labels := dense.New(400, 8), slices.Clone(y)
	for i := range 300 {
		copy(more.Row(i), x.Row(i))
		weights[i] = 1
	}
	for i := range 100 { // rows of weight 0 with wrong labels
		copy(more.Row(300+i), x.Row(i))
		labels, weights = append(labels, 1-y[i]), append(weights, 0)
	}
	with, q := jobOf(t, more, labels, settings.Settings{}, weights)
	if other := shift(t, with, q); other != have {
		t.Errorf("%d places below the default with rows of weight 0, else %d", other, have)
	}
}

func TestLambdaEnds(t *testing.T) {
	x, y := sample.NearlyEqual(1, 300, 9, 2, true)
	job, p := jobOf(t, x, y, settings.Settings{}, nil)
	job.MaxMemory = 10
	_, err := lambdaOf(job, p)
	var rule options.Rule
	if !errors.As(err, &rule) || rule.Field != "MaxMemory" ||
		!strings.HasSuffix(rule.Reason, `set Lambda and Finish "none" to train in less memory`) ||
		strings.TrimSpace(rule.Mentions) != "Lambda Finish" {
		t.Error(err)
	}
	job.MaxMemory = 0
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	job.Until = ctx
	if lambda, err := lambdaOf(job, p); err != nil || lambda != 0 {
		t.Errorf("canceled: lambda %v, error %v", lambda, err)
	}
}

// Memory that differs between machines must not decide whether a choice is skipped.
func TestSkippedChoice(t *testing.T) {
	x, y := sample.NearlyEqual(1, 300, 9, 2, true)
	job, p := jobOf(t, x, y, settings.Settings{}, nil)
	p.Choices, p.Paths = append(p.Choices, p.Choices[0]), append(p.Paths, p.Paths[0])
	defer func(most int64) { options.Allowed = most }(options.Allowed)
	for _, set := range []bool{true, false} {
		second := job
		if set {
			second.MaxMemory = 10
		}
		n := 0
		best, _, _, err := Best(p, func(*choose.Choice) engine.Job {
			if n++; n == 1 {
				return job
			}
			if !set {
				options.Allowed = 10 // stands for the machine's free memory
			}
			return second
		})
		var rule options.Rule
		if set && (err != nil || best != p.Choices[0]) || !set && !errors.As(err, &rule) {
			t.Errorf("MaxMemory set %t: %v", set, err)
		}
	}
}

func TestLambdaInLessMemory(t *testing.T) {
	x, y := sample.NearlyEqual(1, 60, 4, 2, true)
	job, p := jobOf(t, x, y, settings.Settings{}, nil)
	job.Threads, job.MaxMemory = 1, 1<<10
	want, err := lambdaOf(job, p)
	for ; err != nil && job.MaxMemory < 1<<30; want, err = lambdaOf(job, p) {
		job.MaxMemory *= 2
	}
	if err != nil || job.MaxMemory == 1<<10 {
		t.Fatalf("with %d bytes: %v", job.MaxMemory, err)
	}
	job.Threads = 2
	if have, err := lambdaOf(job, p); err != nil || have != want {
		t.Errorf("lambda %v, %v, want %v", have, err, want)
	}
}

func TestCopies(t *testing.T) {
	x, y := sample.NearlyEqual(1, 60, 4, 2, true)
	job, p := jobOf(t, x, y, settings.Settings{}, nil)
	p.Folds = 0 // holdOutSome then trains no model
	size := int64(store.CopySize(job.Rows.X))
	for _, c := range []struct {
		memory int64
		atOnce int
		want   bool
	}{{4 * size, 1, true}, {4*size - 1, 1, false}, {8*size - 1, 2, false}, {8 * size, 2, true}} {
		job.MaxMemory = c.memory
		tr := &trial{job: job, search: p}
		if err := tr.holdOutSome(&candidate{path: p.Paths[0]}, c.atOnce); err != nil || tr.copies != c.want ||
			tr.job.Share != c.atOnce {
			t.Errorf("%+v: copies %v, %d share the memory, %v", c, tr.copies, tr.job.Share, err)
		}
	}
}

func held(job engine.Job, p *choose.Path) (*trial, *candidate) {
	tr := &trial{job: job, copies: true, search: &choose.Search{Folds: choose.Parts, Factor: 1,
		Rows: len(job.Rows.Y), Tol: 0.05}}
	tr.prepareJob()
	tr.assignParts()
	return tr, tr.newCandidate(nil, p)
}

func TestHoldOutPerfect(t *testing.T) {
	x, y := dense.New(200, 2), make([]float32, 200)
	for i := range y {
		y[i] = float32(i % 2)
		x.Row(i)[0], x.Row(i)[1] = y[i]*4-2+float32(i)/400, float32(i%7)
	}
	job, p := jobOf(t, x, y, settings.Settings{}, nil)
	path := p.Paths[0]
	path.Lambdas, path.Rule = []float64{0.1, 0.01, math.NaN()}, 0 // NaN trains no model
	tr, c := held(job, path)
	if err := tr.holdOut(c, 0); err != nil {
		t.Fatal(err)
	}
	for k := range path.Lambdas {
		for i := range y {
			if c.wrong[k][i] != 0 {
				t.Fatalf("lambda %d, row %d: mistake %v", k, i, c.wrong[k][i])
			}
		}
	}
	path.Lambdas[0] = math.NaN()
	tr, c = held(job, path)
	if err := tr.holdOut(c, 1); err != nil {
		t.Fatal(err)
	}
	for i, part := range tr.part {
		if math.IsInf(c.wrong[0][i], 1) != (part == 1) {
			t.Fatalf("row %d of part %d: mistake %v", i, part, c.wrong[0][i])
		}
	}
}

func TestHoldOutRows(t *testing.T) {
	x, y, weights := dense.New(60, 3), make([]float32, 60), make([]float32, 60)
	for i := range y {
		y[i], weights[i] = float32(i%2), 1
		x.Row(i)[0], x.Row(i)[1] = float32(i), 2*y[i]-1
	}
	y[7], x.Row(7)[2] = 2, 1          // the only row of its class
	weights[8], x.Row(8)[1] = 0, 1000 // a row that would spoil the model
	s := settings.Settings{Multiclass: settings.OneVsRest}
	set, err := store.NewSet(x, y, store.SetOptions{Weights: weights})
	if err != nil {
		t.Fatal(err)
	}
	for part := range int32(choose.Parts) {
		tr, c := held(engine.Job{Rows: set, Settings: s.Plain()},
			&choose.Path{Lambdas: []float64{1e-3}})
		if err := tr.holdOut(c, part); err != nil {
			t.Fatal(err)
		}
		for i, p := range tr.part {
			if wrong := c.wrong[0][i]; wrong != 0 || p == part && math.IsInf(wrong, 1) {
				t.Errorf("part %d: row %d of part %d has the mistake %v", part, i, p, wrong)
			}
		}
	}
}

func TestHoldOutOne(t *testing.T) {
	x, y := dense.New(5, 1), []float32{1, 2, 3, 4, 5}
	for i := range y {
		x.Row(i)[0] = y[i]
	}
	s := settings.Settings{Loss: "squared"}
	set, err := store.NewSet(x, y, store.SetOptions{Regression: true})
	if err != nil {
		t.Fatal(err)
	}
	tr, c := held(engine.Job{Rows: set, Settings: s}, &choose.Path{Lambdas: []float64{math.NaN()}})
	if err := tr.holdOut(c, 2); err != nil {
		t.Fatal(err)
	}
	for i, part := range tr.part {
		if math.IsInf(c.wrong[0][i], 1) != (part == 2) {
			t.Errorf("row %d of part %d: mistake %v", i, part, c.wrong[0][i])
		}
	}
	job := tr.job
	job.Lambda, job.Threads = 0.1, 1
	if m, err := run(job); m == nil || err != nil {
		t.Errorf("run returned %v, %v", m, err)
	}
	job.Pause = 1
	if m, err := run(job); m != nil || err != nil {
		t.Errorf("a paused run returned %v, %v", m, err)
	}
}

func TestMistake(t *testing.T) {
	x, err := dense.FromSlice(3, 2, []float32{1, 2, -1, 3, 2, 0})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		s       settings.Settings
		y       []float32
		weights []float32
		m       *engine.Point
		want    []float64
	}{
		{settings.Settings{}, []float32{0, 1, 1}, nil,
			&engine.Point{Weights: [][]float32{{1, 0}}}, []float64{1, 1, 0}},
		{settings.Settings{}, []float32{0, 1, 1}, []float32{3, 5, 7},
			&engine.Point{Weights: [][]float32{{1, 0}}, Bias: []float64{-1.5}}, []float64{0, 5, 0}},
		{settings.Settings{Loss: "squared"}, []float32{0, 1, 5}, []float32{3, 5, 7},
			&engine.Point{Weights: [][]float32{{1, 1}}, Bias: []float64{2}},
			[]float64{3 * 25, 5 * 9, 7}},
		{settings.Settings{}, []float32{0, 1, 2}, nil,
			&engine.Point{Weights: [][]float32{{0, 1}, {-5, 0}, {1, 0}}}, []float64{0, 0, 0}},
		{settings.Settings{Multiclass: settings.OneVsOne}, []float32{0, 1, 2}, nil,
			// pairs (0, 1), (0, 2), (1, 2): a score above 0 is a vote for the second class
			&engine.Point{Weights: [][]float32{{0, 1}, {0, -1}, {1, 0}}}, []float64{1, 0, 1}},
		{settings.Settings{}, []float32{0, 1, 1}, nil, nil,
			[]float64{math.Inf(1), math.Inf(1), math.Inf(1)}},
	} {
		set, err := store.NewSet(x, c.y, store.SetOptions{Regression: c.s.Regression(), Weights: c.weights})
		if err != nil {
			t.Fatal(err)
		}
		if c.m != nil {
			if all := slices.Max(c.want) == 0; perfect(&c.s, c.m, set) != all {
				t.Errorf("%+v, labels %v: no mistakes: %v", c.s, c.y, !all)
			}
		}
		for i, want := range c.want {
			if have := mistake(&c.s, c.m, set, i); have != want {
				t.Errorf("%+v, labels %v, row %d: mistake %v, want %v", c.s, c.y, i, have, want)
			}
		}
	}
}
