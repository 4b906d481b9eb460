package sgd_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/internal/train/certificate"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/loss"
	"github.com/pegasimd/pegasimd/internal/train/sgd"
)

// oneVsRest returns a problem for each of k classes, whose vectors are rows of m from first on.
func oneVsRest(t *testing.T, s spec, x store.Examples, y []float32, k int, m *dense.Matrix,
	first int) (problems []*sgd.Binary) {
	for class := range k {
		state := s.state(t, x, y)
		state.Vectors[0] = m.Row(first + class)
		state.Average = iterate.NewAverage(state.Total, 1, x.Cols())
		problems = append(problems, sgd.NewBinary(state, s.loss, int32(class)))
	}
	return problems
}

// Problems that take their steps together get the same bits as one by one: dense rows from any
// first vector on, and sparse ones of any number of problems that share rows.
func TestGroup(t *testing.T) {
	for _, c := range []struct {
		classes, first int
		sparse         bool
	}{{1, 0, false}, {4, 0, false}, {5, 2, false}, {3, 0, true}, {8, 0, true}, {9, 1, true}} {
		for _, s := range []spec{{lambda: 0.1}, {lambda: 0.1, t0: 20, bias: 2},
			{lambda: 0.1, t0: 3, start: 4}} {
			data := sample.Random(7, 90, 20, max(2, c.classes), 0.6)
			var x store.Examples = data.Dense
			if c.sparse {
				x = data.Sparse
			}
			k := c.classes
			a, b := dense.New(k+c.first, 20), dense.New(k+c.first, 20)
			want := oneVsRest(t, s, x, data.Y, k, a, c.first)
			have := oneVsRest(t, s, x, data.Y, k, b, c.first)
			buffer := make(map[int][]float32)
			for range 3 { // groups come and go
				g := sgd.NewGroup(have, b, c.first, func(n int) []float32 {
					if buffer[n] == nil {
						buffer[n] = make([]float32, n)
					}
					return buffer[n]
				})
				if g == nil {
					t.Fatalf("%+v: no group", c)
				}
				idx := upTo(90)
				g.Steps(idx[:37])
				g.Steps(idx[37:])
				for _, p := range want {
					p.Steps(idx)
				}
			}
			for r, p := range have {
				w := want[r]
				if p.T != w.T || p.Violations != w.Violations || w.Violations == 0 ||
					!slices.Equal(p.Biases, w.Biases) ||
					p.Average.Current.N != w.Average.Current.N ||
					!slices.Equal(arrays(&p.State), arrays(&w.State)) {
					t.Errorf("%+v, %+v: problem %d has other bits: %v, want %v", c, s, r, p.V, w.V)
				}
			}
		}
	}
}

// Problems go one by one where a step is not the plain hinge's, and where sharing sparse rows would
// cost more than it saves.
func TestNoGroup(t *testing.T) {
	data := sample.Random(7, 30, 10, 8, 0.6)
	wide := sample.Random(7, 30, 40_000, 3, 0.0001)
	for name, c := range map[string]struct {
		x       store.Examples
		s       spec
		classes int
		want    bool
	}{
		"dense":             {data.Dense, spec{lambda: 1}, 3, true},
		"sparse":            {data.Sparse, spec{lambda: 1}, 3, true},
		"eight sparse":      {data.Sparse, spec{lambda: 1}, 8, true},
		"two sparse":        {data.Sparse, spec{lambda: 1}, 2, false},
		"two dense":         {data.Dense, spec{lambda: 1}, 2, true},
		"a user's own rows": {sample.UserRows(data.Dense), spec{lambda: 1}, 3, false},
		"few nonzeros":      {wide.Sparse, spec{lambda: 1}, 3, false},
		"log loss": {data.Dense, spec{lambda: 1, loss: loss.Func{Kind: loss.Log}}, 3,
			false},
		"a ball":             {data.Dense, spec{lambda: 1, radius: 1}, 3, false},
		"a prior":            {data.Dense, spec{lambda: 1, prior: true}, 3, false},
		"a bias in any size": {data.Dense, spec{lambda: 1, free: true}, 3, false},
	} {
		m := dense.New(8, c.x.Cols())
		problems := oneVsRest(t, c.s, c.x, data.Y, c.classes, m, 0)
		buffer := func(n int) []float32 {
			if n != 8*c.x.Cols() {
				t.Errorf("%s: a buffer of %d", name, n)
			}
			return make([]float32, n)
		}
		if g := sgd.NewGroup(problems, m, 0, buffer); (g != nil) != c.want {
			t.Errorf("%s: a group: %v", name, g != nil)
		}
		if problems[1].Fail(1, 2, "x"); sgd.NewGroup(problems, m, 0, buffer) != nil {
			t.Errorf("%s: a group in spite of an error", name)
		}
	}
}

// A group ends with the first score that is not finite.
func TestGroupNotFinite(t *testing.T) {
	x := dense.New(6, 1)
	for i := range 6 {
		x.Row(i)[0] = 1.5e19
	}
	for _, sparse := range []bool{false, true} {
		s := spec{lambda: 3e38, t0: 1e9}
		var rows store.Examples = x
		if sparse {
			rows = sample.ToSparse(x)
		}
		m := dense.New(3, 1)
		problems := oneVsRest(t, s, rows, []float32{0, 0, 0, 0, 1, 2}, 3, m, 0)
		g := sgd.NewGroup(problems, m, 0, func(n int) []float32 { return make([]float32, n) })
		if g == nil {
			t.Fatal("no group")
		}
		if g.Steps([]uint32{0, 1, 2, 3}); problems[0].Err == nil || problems[0].T != 2 {
			t.Errorf("sparse %v: %v after %d steps", sparse, problems[0].Err, problems[0].T)
		}
	}
}

// Shards start each round from the same w, and their mean is the next: in float64, with the rows of
// a round cut evenly. The number of goroutines changes no bit.
func TestShards(t *testing.T) {
	const n, rows = 3, 5002
	data := sample.Random(101, rows, 6, 2, 1)
	s := spec{lambda: 0.01, t0: 300, bias: 1}
	newShards := func(threads int) *sgd.Shards {
		state := s.state(t, data.Dense, data.Y)
		state.Windows = certificate.NewWindows(rows, rows, rows)
		state.Total, state.Period = 100_000, 1
		state.Average = iterate.NewAverage(state.Total, 1, 6)
		p := sgd.NewShards(sgd.NewBinary(state, s.loss, 1), n)
		p.Threads = threads
		return p
	}
	p := newShards(2)
	p.Steps(upTo(rows))
	w, steps, violations := make([]float64, 7), 0, int64(0)
	for from := 0; from < rows; from += sgd.RoundRows(6, n) {
		m := min(rows-from, sgd.RoundRows(6, n))
		next := make([]float64, 7)
		for k := range n {
			c, step := slices.Clone(w), float64(steps)
			for i := from + k*m/n; i < from+(k+1)*m/n; i++ {
				x, y, z := make([]float64, 7), float64(2*data.Y[i]-1), 0.0
				for j, v := range data.Dense.Row(i) {
					x[j] = float64(v)
				}
				x[6] = 1
				for j, v := range x {
					z += v * c[j]
				}
				step++
				eta := 1 / (s.lambda * (step + s.t0))
				if y*z < 1 {
					violations++
				}
				for j, v := range x {
					c[j] -= eta * s.lambda * c[j]
					if y*z < 1 {
						c[j] += eta * y * v
					}
				}
			}
			// Copies with fewer rows by one have the others' step size at the end.
			fix := (step + s.t0) / (float64(steps+(m+n-1)/n) + s.t0)
			for j, v := range c {
				next[j] += v * fix / n
			}
		}
		w = next
		steps += (m + n - 1) / n
	}
	if p.T != int64(steps) || p.T != sgd.ShardSteps(rows, rows, 6, n) ||
		p.Average.Current.N != 1 || p.Average.Old.N != 1 ||
		math.Abs(float64(p.Violations-violations)) > 5 {
		t.Errorf("%d steps, want %d; %d violations, want %d", p.T, steps, p.Violations, violations)
	}
	var counted float32
	for _, c := range p.Windows.Count {
		counted += c
	}
	if counted != float32(p.Violations) {
		t.Errorf("%v violations counted by row, %d in all", counted, p.Violations)
	}
	for j, v := range weightsOf(&p.State)[0] {
		if math.Abs(v-w[j]) > 1e-4 {
			t.Fatalf("%v, want %v", weightsOf(&p.State), w)
		}
	}
	one := newShards(1)
	one.Steps(upTo(rows))
	if !slices.Equal(arrays(&one.State), arrays(&p.State)) {
		t.Error("other bits in one goroutine")
	}
}

// An error in a copy ends the run.
func TestShardsNotFinite(t *testing.T) {
	x := dense.New(8, 1)
	for i := range 8 {
		x.Row(i)[0] = 1.5e19
	}
	s := spec{lambda: 3e38, t0: 1e9}
	y := []float32{1, 1, 1, 1, 1, 1, 1, 0}
	p := sgd.NewShards(sgd.NewBinary(s.state(t, x, y), s.loss, 1), 2)
	p.Steps(upTo(8))
	var e *iterate.Error
	if !errors.As(p.Err, &e) || e.Row != 2 || e.Step != 3 {
		t.Errorf("%v, want that of the first shard", p.Err)
	}
	ok := sgd.NewShards(sgd.NewBinary((&spec{lambda: 1}).state(t, x, []float32{1, 0, 0, 1, 1, 1, 1,
		0}), loss.Func{}, 1), 2)
	if ok.Steps(upTo(2)); ok.Err != nil {
		t.Error(ok.Err)
	}
}

// A round has some thousand rows, the same number for each shard, and more where vectors are long;
// a shard's steps are counted by rounds and epochs.
func TestRounds(t *testing.T) {
	for _, c := range []struct{ cols, shards, rows, segment int }{
		{6, 1, 2048, 8192}, {6, 3, 2046, 8192}, {16384, 4, 2048, 1024}, {16385, 4, 2048, 1024},
		{16000, 2, 2048, 1048}, {1, 4000, 4000, 8192}, {4096, 2, 2048, 4096}, {0, 2, 2048, 8192},
	} {
		if n := sgd.RoundRows(c.cols, c.shards); n != c.rows {
			t.Errorf("%+v: %d rows in a round", c, n)
		}
		if n := sgd.Segment(c.cols); n != c.segment {
			t.Errorf("%+v: segments of %d steps", c, n)
		}
	}
	for _, c := range []struct{ rows, n int64 }{{5000, 5000}, {12345, 5000}, {1, 5000}, {100, 7}} {
		const shards = 3
		want := int64(0)
		for left := c.rows; left > 0; left -= c.n {
			for epoch := min(left, c.n); epoch > 0; epoch -= 2046 {
				want += (min(epoch, 2046) + shards - 1) / shards
			}
		}
		if n := sgd.ShardSteps(c.rows, int(c.n), 6, shards); n != want {
			t.Errorf("%+v: %d steps, want %d", c, n, want)
		}
	}
}
