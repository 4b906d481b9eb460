package sgd_test

import (
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/loss"
	"github.com/pegasimd/pegasimd/internal/train/sgd"
)

// The vector of class c is row first+c of m.
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
			g := sgd.NewGroup(have, b, c.first)
			if g == nil {
				t.Fatalf("%+v: no group", c)
			}
			for range 3 {
				idx := upTo(90)
				g.Steps(idx[:37])
				g.Steps(idx[37:])
				for _, p := range want {
					p.Steps(idx, nil)
				}
			}
			for r, p := range have {
				w := want[r]
				if p.T != w.T || p.Violations != w.Violations || w.Violations == 0 ||
					!slices.Equal(p.Biases, w.Biases) ||
					p.Average.Current.N != w.Average.Current.N ||
					!slices.Equal(arrays(&p.State), arrays(&w.State)) {
					t.Errorf("%+v, %+v: problem %d differs, or has no violations: v is %v, want %v", c, s,
						r, p.V, w.V)
				}
			}
		}
	}
}

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
		"a ball":              {data.Dense, spec{lambda: 1, radius: 1}, 3, false},
		"a prior":             {data.Dense, spec{lambda: 1, prior: true}, 3, false},
		"an unpenalized bias": {data.Dense, spec{lambda: 1, free: true}, 3, false},
	} {
		m := dense.New(8, c.x.Cols())
		problems := oneVsRest(t, c.s, c.x, data.Y, c.classes, m, 0)
		if g := sgd.NewGroup(problems, m, 0); (g != nil) != c.want {
			t.Errorf("%s: NewGroup returns a group: %v", name, g != nil)
		}
	}
}

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
		g := sgd.NewGroup(problems, m, 0)
		if g == nil {
			t.Fatal("no group")
		}
		if g.Steps([]uint32{0, 1, 2, 3}); problems[0].Err == nil || problems[0].T != 2 {
			t.Errorf("sparse %v: error %v after %d steps, want an error after 2", sparse,
				problems[0].Err, problems[0].T)
		}
	}
}

func TestSegment(t *testing.T) {
	for cols, want := range map[int]int{0: 8192, 1: 8192, 4096: 4096, 16000: 1048, 16384: 1024,
		16385: 1024} {
		if n := sgd.Segment(cols); n != want {
			t.Errorf("%d columns: segments of %d steps, want %d", cols, n, want)
		}
	}
}
