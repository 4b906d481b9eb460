package newton

import (
	"math"
	"testing"

	"github.com/pegasimd/pegasimd/internal/train/loss"
	"github.com/pegasimd/pegasimd/internal/vectors/cholesky"
	"github.com/pegasimd/pegasimd/internal/vectors/gram"
)

func TestStall(t *testing.T) {
	s := Stall{Falling: math.Inf(1)}
	for k, c := range []struct {
		gap  float64
		want bool
	}{{100, false}, {95, false}, {90, false}, {82, false}, {81.5, false}, {81, false}, {80, false},
		{79, false}, {75, true}, {72, false}, {71, false}, {70, false}, {69, true}} {
		if over := s.Over(c.gap, k+1, 3); over != c.want {
			t.Errorf("iteration %d, gap %v: over %v; %+v", k+1, c.gap, over, s)
		}
	}
}

func TestTooWide(t *testing.T) {
	if !TooWide(2.9, 1) || TooWide(3, 1) || TooWide(3.1, 1) {
		t.Error("TooWide does not compare with 3 times the smoothing gap")
	}
}

func TestDecompose(t *testing.T) {
	s := gram.NewSparseSum(2)
	s.Add(1, func(int) gram.Row {
		return gram.Row{Index: []int32{0, 1}, Values: []float32{1, 1}, C: -1}
	}, 1)
	f := cholesky.New(2)
	x := []float64{1, 1}
	if err := Decompose(f, s, 1e-3, 1, 1); err != nil {
		t.Fatal(err)
	}
	f.Solve(x) // the diagonal is 1e-3*64^2 - 1, the other elements are -1
	if want := 1 / (1e-3*64*64 - 2); math.Abs(x[0]-want) > 1e-5*want {
		t.Errorf("the solution is %v, want %v for both elements", x, want)
	}
	if Decompose(f, s, 1e-3, math.NaN(), 1) == nil {
		t.Error("a matrix of NaN is factored")
	}
}

func TestPastFits(t *testing.T) {
	for _, c := range []struct {
		past Past
		want bool
	}{
		{Past{}, true}, {Past{5, nil}, true}, {Past{6, nil}, false}, {Past{-1, nil}, false},
		{Past{5, []int{0, 3, 5}}, true}, {Past{5, []int{3, 2}}, false},
		{Past{5, []int{-1}}, false}, {Past{4, []int{5}}, false},
		{Past{5, make([]int, Retries+1)}, true}, {Past{5, make([]int, Retries+2)}, false},
	} {
		if c.past.Fits(5) != c.want {
			t.Errorf("%+v: Fits returns %v", c.past, !c.want)
		}
	}
}

func TestBusy(t *testing.T) {
	for _, c := range []struct{ rows, cols, want int }{
		{10, 10, 1}, {60_000, 10, 1}, {70_000, 10, 2}, {60_000, 784, 18}, {1, 2000, 1},
	} {
		p := Problem{Rows: make([]uint32, c.rows), Cols: c.cols}
		if have := p.usefulThreads(); have != c.want {
			t.Errorf("%+v: usefulThreads returns %d", c, have)
		}
	}
}

func TestMemory(t *testing.T) {
	for _, rows := range []int{2000, 9000} {
		for _, cols := range []int{30, 100} {
			s := random(120, rows, cols, 0.9, loss.Func{})
			n := s.method(1e-3)
			Iterate([]*Method{n}, 1)
			b := n.pool.free[0]
			have := 4.0*float64(len(b.changed)+len(b.zone)+len(b.curvature)+len(b.was)+
				len(b.only)+cap(b.packed)) + 8*float64(len(b.weight)+len(b.parts)*cols)
			d := float64(cols)
			have += 4*d*d + 8*d*d // the Hessian and its factor, without scratch memory
			if most := Memory(1, rows, cols); most < have || most > 2.2*have+5e6 {
				t.Errorf("%d rows, %d columns: %v bytes, estimated %v", rows, cols, have, most)
			}
			if a, b := Memory(1, rows, cols), Memory(3, rows, cols); b != 3*a {
				t.Errorf("%v bytes for one problem, %v for three", a, b)
			}
			kept := 8*float64(len(n.m)) + 4*float64(len(n.a)+len(n.bestA)+len(n.p.Rows)+len(n.p.At)) +
				float64(len(n.p.Side)+rows)
			if most := float64(PerRow * rows); most < kept || most > 1.1*kept {
				t.Errorf("%v bytes per row are kept, estimated %v", kept/float64(rows), PerRow)
			}
		}
	}
	const n, d = 1000., 51.
	sums := float64(pixelBytes(51))
	for _, c := range []struct {
		vectors float64
		size    int
		flat    bool
		kept    int
		want    float64
	}{
		{2, 1e9, false, 1e9, 2 * (4*n + 16*d)}, {100, 1e9, false, 1e9, 16 * (4*n + 16*d)},
		{2, 1e9, true, 1e9, 2*(4*n+16*d) + n*d + 2*sums},
		{2, 777, true, 1000, 2*(4*n+16*d) + 777 + 1000},
	} {
		if have := SharedMemory(c.vectors, 1000, 50, c.size, c.flat, c.kept); have != c.want {
			t.Errorf("%+v: SharedMemory returns %v", c, have)
		}
	}
	if sums != 4*83*83 {
		t.Errorf("%v bytes for an integer Hessian over 51 columns", sums)
	}
}
