package store

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
	"github.com/pegasimd/pegasimd/sparse"
)

func randomSparse(t testing.TB, seed uint64, rows, cols, most int,
	value func(i int) float32) *sparse.Matrix {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 0))
	starts := []int64{0}
	var idx []int32
	var val []float32
	for i := range rows {
		n := r.IntN(min(most, cols) + 1)
		row := r.Perm(cols)[:n]
		slices.Sort(row)
		for _, j := range row {
			idx, val = append(idx, int32(j)), append(val, value(i))
		}
		starts = append(starts, int64(len(idx)))
	}
	return newSparse(t, cols, starts, idx, val)
}

func newSparse(t testing.TB, cols int, starts []int64, idx []int32, val []float32) *sparse.Matrix {
	t.Helper()
	x, err := sparse.New(cols, starts, idx, val)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func tryConstantCSR(x *sparse.Matrix) (*constantCSR, bool) {
	m, ok := Of(x).Compact(1)
	if !ok {
		return nil, false
	}
	return m.(*constantCSR), true
}

func mustConstantCSR(t testing.TB, x *sparse.Matrix) *constantCSR {
	t.Helper()
	m, ok := tryConstantCSR(x)
	if !ok {
		t.Fatal("the rows have no compact format")
	}
	return m
}

func inverseRoot(i int) float32 { return 1 / float32(math.Sqrt(float64(i%29+1))) }

var rowValues = map[string]func(i int) float32{
	"ones":  func(int) float32 { return 1 },
	"unit":  inverseRoot,
	"zeros": func(int) float32 { return 0 },
	"signs": func(i int) float32 { return float32(1-2*(i%2)) * inverseRoot(i) },
	"huge": func(i int) float32 {
		return []float32{math.MaxFloat32, math.SmallestNonzeroFloat32,
			0x1p-75}[i%3]
	},
}

func TestConstantCSRBits(t *testing.T) {
	for _, isa := range asm.Available() {
		defer asm.Use(asm.Use(isa))
		for name, value := range rowValues {
			for _, shape := range []struct{ rows, cols, most int }{{0, 5, 5}, {40, 1, 1},
				{200, 60, 20}, {100, 700, 700}, {1, 0, 0}} {
				x := randomSparse(t, 1, shape.rows, shape.cols, shape.most, value)
				m, ok := tryConstantCSR(x)
				if !ok {
					t.Fatalf("%s, %v: rejected", name, shape)
				}
				t.Run(fmt.Sprintf("isa=%v/%s/%d", isa, name, shape.cols),
					func(t *testing.T) { compareToSparse(t, m, x) })
			}
		}
	}
}

func compareToSparse(t *testing.T, m *constantCSR, x *sparse.Matrix) {
	t.Helper()
	if m.Rows() != x.Rows() || m.Cols() != x.Cols() || len(m.indices) != x.NNZ() {
		t.Fatalf("%d rows, %d columns, %d nonzeros, want %d, %d, %d", m.Rows(), m.Cols(),
			len(m.indices), x.Rows(), x.Cols(), x.NNZ())
	}
	if want := 8*(x.Rows()+1) + 2*x.NNZ(); m.Size() != want {
		t.Errorf("%d bytes, want %d", m.Size(), want)
	}
	r := rand.New(rand.NewPCG(2, 0))
	got := make([]float32, x.Cols())
	for j := range got {
		got[j] = r.Float32() - 0.5
	}
	want := slices.Clone(got[:x.Cols()])
	squares := Squares(m)
	for i := range x.Rows() {
		m.Prefetch(i)
		idx, _ := x.Row(i)
		if _, have := m.entries(i); len(have) != len(idx) {
			t.Fatalf("row %d has %d nonzeros, want %d", i, len(have), len(idx))
		}
		equal(t, i, m.Dot(i, got), x.Dot(i, want))
		equal(t, i, m.SumSquares(i), x.SumSquares(i))
		equal(t, i, squares[i], x.SumSquares(i))
		a := r.Float32() - 0.5
		m.Axpy(i, a, got)
		x.Axpy(i, a, want)
		for j := range want {
			equal(t, i, got[j], want[j])
		}
	}
}

func equal(t *testing.T, i int, got, want float32) {
	t.Helper()
	if math.Float32bits(got) != math.Float32bits(want) && (got == got || want == want) {
		t.Fatalf("row %d: got %v, want %v", i, got, want)
	}
}

func TestMaxConstantColumns(t *testing.T) {
	const cols = 1 << 16
	var idx []int32
	var val []float32
	for j := range int32(cols) {
		idx, val = append(idx, j), append(val, 0.1)
	}
	m, ok := tryConstantCSR(newSparse(t, cols, []int64{0, cols}, idx, val))
	if !ok {
		t.Fatal("65,536 columns are rejected")
	}
	compareToSparse(t, m, newSparse(t, cols, []int64{0, cols}, idx, val))
	if _, ok := tryConstantCSR(newSparse(t, cols+1, []int64{0}, nil, nil)); ok {
		t.Error("65,537 columns are accepted")
	}
}

func TestConstantCSRRejects(t *testing.T) {
	const rows, cols = 1000, 40
	for name, wrong := range map[string]float32{
		"-0": float32(math.Copysign(0, -1)), "NaN": float32(math.NaN()),
		"Inf": float32(math.Inf(1)), "-Inf": float32(math.Inf(-1)),
	} {
		for _, at := range []int{0, 17, rows - 1} {
			x := randomSparse(t, 3, rows, cols, cols, func(i int) float32 {
				if i == at {
					return wrong
				}
				return 1
			})
			idx, _ := x.Row(at)
			if _, ok := tryConstantCSR(x); ok != (len(idx) == 0) {
				t.Errorf("%s %d times in row %d: accepted %v", name, len(idx), at, ok)
			}
		}
	}
	// One differing value is rejected, unless it is the row's only nonzero.
	x := randomSparse(t, 4, 60, cols, 19, inverseRoot)
	starts, idx, val := (*matrices.CSR)(x).Arrays()
	for k := range val {
		for _, wrong := range []float32{2, -val[k], math.Nextafter32(val[k], 2)} {
			v := slices.Clone(val)
			v[k] = wrong
			i, _ := slices.BinarySearch(starts, int64(k)+1)
			alone := starts[i]-starts[i-1] == 1
			if _, ok := tryConstantCSR(newSparse(t, cols, starts, idx, v)); ok != alone {
				t.Fatalf("nonzero %d is %v among %v: accepted: %v", k, wrong, val[k], ok)
			}
		}
	}
	lazy, err := matrices.Lazy(cols, starts, idx, val, matrices.Check{Shift: 3})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := Of((*sparse.Matrix)(lazy)).Compact(1); ok {
		t.Error("a lazy matrix is accepted")
	}
}

func TestConstantCSRTake(t *testing.T) {
	for name, value := range rowValues {
		x := randomSparse(t, 5, 300, 80, 50, value)
		m, ok := tryConstantCSR(x)
		if !ok {
			t.Fatalf("%s: the rows have no compact format", name)
		}
		r := rand.New(rand.NewPCG(6, 0))
		for _, n := range []int{0, 1, 7, 300, 1000} {
			rows := make([]uint32, n)
			for k := range rows {
				rows[k] = uint32(r.IntN(x.Rows()))
			}
			t.Run(fmt.Sprintf("%s/%d", name, n),
				func(t *testing.T) { compareToSparse(t, m.Take(rows).(*constantCSR), x.Take(rows)) })
		}
	}
}

func TestWrongLengthPanics(t *testing.T) {
	m := mustConstantCSR(t, randomSparse(t, 1, 3, 10, 10, inverseRoot))
	for name, f := range map[string]func(w []float32){
		"Dot":  func(w []float32) { m.Dot(0, w) },
		"Axpy": func(w []float32) { m.Axpy(0, 1, w) },
	} {
		func() {
			defer func() {
				if r := fmt.Sprint(recover()); !strings.Contains(r, "len(w) = 9, Cols = 10") {
					t.Errorf("%s: panic %q, want %q", name, r, "len(w) = 9, Cols = 10")
				}
			}()
			f(make([]float32, 9))
		}()
	}
}
