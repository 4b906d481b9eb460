package store

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/rows/curves"
	"github.com/pegasimd/pegasimd/sparse"
)

func halfEmpty(t *testing.T, rows, cols int) (*dense.Matrix, *sparse.Matrix) {
	t.Helper()
	g := rand.New(rand.NewPCG(4, 4))
	x := dense.New(rows, cols)
	starts, indices, values := []int64{0}, []int32{}, []float32{}
	for i := range rows {
		for j := range cols {
			if g.IntN(2) == 0 {
				v := float32(2 * g.NormFloat64()) // some beyond curves.Clip
				x.Row(i)[j] = v
				indices, values = append(indices, int32(j)), append(values, v)
			}
		}
		starts = append(starts, int64(len(indices)))
	}
	return x, newSparse(t, cols, starts, indices, values)
}

func expansions(cols int) []*curves.Expansion {
	p, q := &curves.Expansion{Kind: curves.Products}, &curves.Expansion{Kind: curves.Pieces}
	for a := range int32(cols) {
		for b := a; b < int32(cols); b++ {
			p.Terms = append(p.Terms, curves.Term{a, b})
		}
		for k := range 3 {
			q.Terms = append(q.Terms, curves.Term{a, a})
			q.Knots = append(q.Knots, float32(k)-0.9)
		}
	}
	for _, e := range []*curves.Expansion{p, q} {
		for k := range e.Terms {
			e.Shift = append(e.Shift, 0.1+float32(k%5))
			e.Factor = append(e.Factor, 1.3/float32(1+k%7))
		}
	}
	return []*curves.Expansion{p, q}
}

func termOf(e *curves.Expansion, k int, z []float32) float64 {
	cut := func(j int32) float64 { return math.Max(-4, math.Min(4, float64(z[j]))) }
	f := cut(e.Terms[k][0]) * cut(e.Terms[k][1])
	if e.Kind == curves.Pieces {
		f = math.Max(0, cut(e.Terms[k][0])-float64(e.Knots[k]))
	}
	return (f - float64(e.Shift[k])) * float64(e.Factor[k])
}

func TestExpanded(t *testing.T) {
	const rows, cols = 80, 9
	d, s := halfEmpty(t, rows, cols)
	for _, e := range expansions(cols) {
		w := make([]float32, cols+e.Len())
		g := rand.New(rand.NewPCG(5, 5))
		for j := range w {
			w[j] = float32(g.NormFloat64())
		}
		for _, base := range []Rows{Of(d), Of(s)} {
			room := float64(4 * rows * e.Len())
			stored, computed := Expand(base, e, room), Expand(base, e, room-1)
			if stored.(*expanded).stored == nil || computed.(*expanded).stored != nil {
				t.Fatal("room does not decide whether terms are stored")
			}
			order := make([]uint32, rows)
			for k, i := range g.Perm(rows) {
				order[k] = uint32(i)
			}
			compareExpanded(t, stored, base, d, e, w, order)
			for _, x := range []Rows{computed, stored.Clone(), computed.Clone()} {
				compareRows(t, x, stored)
				compareExpanded(t, x, base, d, e, w, order)
			}
			for _, x := range []Rows{stored, computed} {
				taken, subset := x.Take(order), Subset(x, order)
				for k, i := range order {
					if want := stored.Dot(int(i), w); taken.Dot(k, w) != want || subset.Dot(k, w) != want {
						t.Fatalf("row %d differs in a copy or a subset", i)
					}
				}
			}
		}
	}
}

func TestFlattened(t *testing.T) {
	const rows, cols = 80, 9
	d, s := halfEmpty(t, rows, cols)
	for _, e := range expansions(cols) {
		for _, room := range []float64{0, math.Inf(1)} {
			set := &Set{X: Expand(Of(d), e, room), Y: make([]float32, rows)}
			order := []uint32{7, 3, 79, 3}
			for _, copies := range []bool{false, true} {
				x := set.Subset(order, copies).X
				if _, ok := x.(*denseRows); !ok || x.Rows() != len(order) || x.Cols() != set.X.Cols() {
					t.Fatalf("%T of %d x %d", x, x.Rows(), x.Cols())
				}
				for k, i := range order {
					_, have := x.Row(k)
					if _, want := set.X.Row(int(i)); !slices.Equal(have, want) {
						t.Errorf("row %d: %v, want %v", i, have, want)
					}
				}
			}
			if x := flatten(Expand(Of(s), e, room), order); x != nil {
				t.Errorf("%T of sparse rows", x)
			}
		}
	}
}

func compareExpanded(t *testing.T, x, base Rows, d *dense.Matrix, e *curves.Expansion, w []float32,
	order []uint32) {
	t.Helper()
	cols := d.Cols()
	if x.Rows() != d.Rows() || x.Cols() != cols+e.Len() || x.Err() != nil {
		t.Fatalf("%d x %d, %v", x.Rows(), x.Cols(), x.Err())
	}
	w64 := make([]float64, len(w))
	for j, v := range w {
		w64[j] = float64(v)
	}
	sum, a := make([]float64, len(w)), make([]float32, x.Rows())
	for _, i := range order {
		i := int(i)
		a[i] = float32(i%3) - 0.5
		z := d.Row(i)
		exact := make([]float64, 0, len(w))
		terms := make([]float32, 0, e.Len())
		for _, v := range z {
			exact = append(exact, float64(v))
		}
		for k := range e.Terms {
			v := termOf(e, k, z)
			exact, terms = append(exact, v), append(terms, float32(v))
		}
		var dot, size float64
		for j, v := range exact {
			dot += w64[j] * v
			size += math.Abs(w64[j] * v)
			sum[j] += float64(a[i]) * v
		}
		if have, want := x.Dot(i, w), base.Dot(i, w[:cols])+asm.Dot(terms, w[cols:]); have != want {
			t.Fatalf("row %d: Dot %v, want %v", i, have, want)
		}
		if have := x.Dot64(i, w64); math.Abs(have-dot) > 0x1p-53*float64(2*len(w)+4)*size {
			t.Fatalf("row %d: Dot64 %v, want %v", i, have, dot)
		}
		if err := math.Abs(float64(x.Dot(i, w)) - dot); err > x.DotError(i)*size {
			t.Fatalf("row %d: Dot is off by %v, more than the bound %v", i, err, x.DotError(i)*size)
		}
		if have, want := x.SumSquares(i), base.SumSquares(i)+dense.SumSquares(terms); have != want {
			t.Fatalf("row %d: SumSquares %v, want %v", i, have, want)
		}
		whole := append(slices.Clone(z), terms...)
		axpy, row := make([]float32, len(w)), make([]float32, len(w))
		x.Axpy(i, 1, axpy)
		index, values := x.Row(i)
		for k, v := range values {
			if index != nil {
				row[index[k]] = v
			} else {
				row[k] = v
			}
		}
		if !slices.Equal(axpy, whole) || !slices.Equal(row, whole) {
			t.Fatalf("row %d: Axpy %v, Row %v, want %v", i, axpy, row, whole)
		}
	}
	u := make([]float64, len(w))
	x.AddTo(u, Sum{To: x.Rows(), A: a})
	for j := range u {
		if math.Abs(u[j]-sum[j]) > 1e-12 {
			t.Fatalf("column %d of the sum: %v, want %v", j, u[j], sum[j])
		}
	}
}

func TestExpandedAllocations(t *testing.T) {
	d, s := halfEmpty(t, 40, 6)
	e := expansions(6)[0]
	w, w64 := make([]float32, 6+e.Len()), make([]float64, 6+e.Len())
	for _, base := range []Rows{Of(d), Of(s)} {
		for _, x := range []Rows{Expand(base, e, math.Inf(1)), newExpanded(base, e)} {
			i := 0
			visit := func() {
				i = (i + 1) % 40
				x.Dot(i, w)
				x.Axpy(i, 1, w)
				x.SumSquares(i)
				x.Row(i)
				x.Dot64(i, w64)
			}
			for range 40 {
				visit()
			}
			if n := testing.AllocsPerRun(100, visit); n != 0 {
				t.Errorf("%T: %v allocations", base, n)
			}
		}
	}
}
