package dense_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/testing/asmtest"
)

// Libraries that accept a distance function expect this type.
var _ func(a, b []float32) float32 = dense.Dot
var _ func(a, b []float32) float32 = dense.SquaredDistance
var _ func(a, b []float32) float32 = dense.L1Distance
var _ func(a, b []float32) float32 = dense.Distance
var _ func(a, b []float32) float32 = dense.Cosine

func numbers(n int) []float32 {
	r := rand.New(rand.NewPCG(uint64(n), 1))
	v := make([]float32, n)
	for i := range v {
		v[i] = 2*r.Float32() - 1
	}
	return v
}

// sum is the loop in the documentation of Dot.
func sum(n int, term func(i int) float32) (total float32) {
	const block = 65536
	for start := 0; start < n; start += block {
		var lane [64]float32
		for i := start; i < min(start+block, n); i++ {
			lane[(i-start)%64] += term(i)
		}
		for n := 32; n > 0; n /= 2 {
			for l := range n {
				lane[l] += lane[n+l]
			}
		}
		total += lane[0]
	}
	return total
}

func sum64(x, y []float32) (total float64) {
	const block = 65536
	for start := 0; start < len(x); start += block {
		var lane [32]float64
		for i := start; i < min(start+block, len(x)); i++ {
			lane[(i-start)%32] += float64(x[i]) * float64(y[i])
		}
		for n := 16; n > 0; n /= 2 {
			for l := range n {
				lane[l] += lane[n+l]
			}
		}
		total += lane[0]
	}
	return total
}

func abs(v float32) float32 { return float32(math.Abs(float64(v))) }

var sums = map[string]struct {
	of   func(x, y []float32) float32
	term func(a, b float32) float32
}{
	"Dot": {dense.Dot, func(a, b float32) float32 { return float32(a * b) }},
	"SquaredDistance": {dense.SquaredDistance, func(a, b float32) float32 {
		return float32((a - b) * (a - b))
	}},
	"L1Distance": {dense.L1Distance, func(a, b float32) float32 { return abs(a - b) }},
	"SumSquares": {one(dense.SumSquares), func(a, _ float32) float32 { return float32(a * a) }},
	"Sum":        {one(dense.Sum), func(a, _ float32) float32 { return a }},
	"SumAbs":     {one(dense.SumAbs), func(a, _ float32) float32 { return abs(a) }},
}

// readsBoth reports whether a sum with these terms is over two vectors.
func readsBoth(term func(a, b float32) float32) bool { return term(1, 1) != term(1, 2) }

func one(of func(x []float32) float32) func(x, y []float32) float32 {
	return func(x, _ []float32) float32 { return of(x) }
}

func eachISA(t *testing.T, f func(t *testing.T)) {
	for _, isa := range asm.Available() {
		t.Run(fmt.Sprintf("isa=%v", isa), func(t *testing.T) {
			defer asm.Use(asm.Use(isa))
			f(t)
		})
	}
}

func TestMeaning(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 2, 3, 7, 8, 9, 31, 54, 63, 64, 65, 100, 300, 784, 1000, 65536,
			65537, 200_000} {
			x, y := numbers(n), numbers(n + 1)[1:]
			check := func(name string, got, want float32) {
				if math.Float32bits(got) != math.Float32bits(want) {
					t.Errorf("%s of %d: got %v, want %v", name, n, got, want)
				}
			}
			for name, s := range sums {
				check(name, s.of(x, y), sum(n, func(i int) float32 { return s.term(x[i], y[i]) }))
			}
			xy, xx, yy := dense.DotNorms(x, y)
			check("DotNorms: xy", xy, dense.Dot(x, y))
			check("DotNorms: xx", xx, dense.SumSquares(x))
			check("DotNorms: yy", yy, dense.SumSquares(y))
			z, both := append([]float32(nil), y...), append([]float32(nil), y...)
			e := append([]float32(nil), x...)
			dense.Axpy(0.3, x, z)
			dense.Axpby(0.3, x, -0.7, both)
			dense.Scale(0.3, e)
			if got, want := dense.Dot64(x, y), sum64(x, y); got != want {
				t.Errorf("Dot64 of %d: got %v, want %v", n, got, want)
			}
			var forms [5][]float32
			for k := range forms {
				forms[k] = make([]float32, n)
			}
			dense.Add(forms[0], x, y)
			dense.Sub(forms[1], x, y)
			dense.Mul(forms[2], x, y)
			dense.ScaleTo(forms[3], 0.3, x)
			dense.AxpyTo(forms[4], 0.3, x, y)
			for i := range x {
				check("Add", forms[0][i], x[i]+y[i])
				check("Sub", forms[1][i], x[i]-y[i])
				check("Mul", forms[2][i], x[i]*y[i])
				check("ScaleTo", forms[3][i], 0.3*x[i])
				check("AxpyTo", forms[4][i], float32(0.3*x[i])+y[i])
				check("Axpy", z[i], y[i]+float32(0.3*x[i]))
				check("Axpby", both[i], float32(0.3*x[i])+float32(-0.7*y[i]))
				check("Scale", e[i], 0.3*x[i])
			}
		}
	})
}

func TestFromFloat64(t *testing.T) {
	inf := math.Inf(1)
	values := []struct{ v, want float64 }{
		{0, 0}, {math.Copysign(0, -1), math.Copysign(0, -1)}, {inf, inf}, {-inf, -inf},
		{math.NaN(), math.NaN()}, {0x1.000001p0, 1}, {0x1.0000010000001p0, 0x1.000002p0},
		{0x1.000003p0, 0x1.000004p0}, {-0x1.000003p0, -0x1.000004p0},
		{0x1.fffffefffffffp127, 0x1.fffffep127}, {0x1.ffffffp127, inf}, {-1e300, -inf},
		{0x1p-150, 0}, {0x1.0000000000001p-150, 0x1p-149}, {0x1.8p-149, 0x1p-148},
		{0x1.ffffffp-127, 0x1p-126}, {-5e-324, math.Copysign(0, -1)},
	}
	eachISA(t, func(t *testing.T) {
		for n := range 80 {
			src, dst := make([]float64, n), make([]float32, n)
			for shift := range values {
				for i := range src {
					src[i] = values[(i+shift)%len(values)].v
				}
				dense.FromFloat64(dst, src)
				for i, got := range dst {
					want := float32(values[(i+shift)%len(values)].want)
					if math.Float32bits(got) != math.Float32bits(want) && (got == got || want == want) {
						t.Fatalf("n = %d: %v became %v, want %v", n, src[i], got, want)
					}
				}
			}
		}
	})
}

// The last shape has 12 MB, so that its rows may be read one by one.
func TestRowsAreSingleCalls(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		for _, shape := range [][2]int{{1, 5}, {4, 1}, {7, 54}, {9, 64}, {10, 65}, {33, 100},
			{12, 784}, {5, 70_000}, {10_000, 300}} {
			rows, cols := shape[0], shape[1]
			m, err := dense.FromSlice(rows, cols, numbers(rows*cols))
			if err != nil {
				t.Fatal(err)
			}
			w := numbers(cols)
			got := make([]float32, rows)
			m.DotRows(got, 0, w)
			idx, picked := make([]int32, rows), make([]float32, rows)
			for i := range idx {
				idx[i] = int32(i * 7 % rows)
			}
			m.DotRowsAt(picked, idx, w)
			for i := range got {
				if want := dense.Dot(m.Row(i), w); got[i] != want {
					t.Fatalf("%d x %d: row %d: got %v, want %v", rows, cols, i, got[i], want)
				}
				if want := dense.Dot(m.Row(int(idx[i])), w); picked[i] != want {
					t.Fatalf("%d x %d: row %d at %d: got %v, want %v", rows, cols, idx[i], i,
						picked[i], want)
				}
			}
			sum, want := append([]float32(nil), w...), append([]float32(nil), w...)
			m.AxpyRows(got, idx, sum)
			for k, i := range idx {
				dense.Axpy(got[k], m.Row(int(i)), want)
			}
			for j := range want {
				if sum[j] != want[j] {
					t.Fatalf("%d x %d: AxpyRows: element %d: got %v, want %v", rows, cols, j,
						sum[j], want[j])
				}
			}
		}
	})
}

func TestMatrixLayout(t *testing.T) {
	for _, shape := range [][2]int{{0, 0}, {3, 0}, {0, 3}, {1, 1}, {5, 16}, {7, 17}} {
		m := dense.New(shape[0], shape[1])
		if m.Rows() != shape[0] || m.Cols() != shape[1] {
			t.Errorf("%v: is %d x %d", shape, m.Rows(), m.Cols())
		}
		for i := range m.Rows() {
			row := m.Row(i)
			if len(row) != m.Cols() || cap(row) != m.Cols() {
				t.Errorf("%v: row %d has length %d and capacity %d", shape, i, len(row), cap(row))
			}
			if p := uintptr(unsafe.Pointer(unsafe.SliceData(row))); len(row) > 0 && p%64 != 0 {
				t.Errorf("%v: row %d is not aligned: %#x", shape, i, p)
			}
		}
	}
}

func TestPanics(t *testing.T) {
	m := dense.New(3, 5)
	short, long := make([]float32, 4), make([]float32, 5)
	calls := map[string]func(){
		"DotNorms":  func() { dense.DotNorms(short, long) },
		"Axpy":      func() { dense.Axpy(1, short, long) },
		"Axpby":     func() { dense.Axpby(1, short, 1, long) },
		"Exp":       func() { dense.Exp(short, long) },
		"Dot64":     func() { dense.Dot64(short, long) },
		"Cosine":    func() { dense.Cosine(short, long) },
		"Distance":  func() { dense.Distance(short, long) },
		"Normalize": func() { dense.Normalize(short, long) },
		"Add":       func() { dense.Add(short, long, long) },
		"Sub":       func() { dense.Sub(long, long, short) },
		"Mul":       func() { dense.Mul(long, short, long) },
		"ScaleTo":   func() { dense.ScaleTo(short, 1, long) },
		"AxpyTo":    func() { dense.AxpyTo(short, 1, long, long) },
		"DotRows: rows end": func() {
			dense.DotRows(make([]float32, 2), long, 3, make([]float32, 3))
		},
		"DotRows: stride": func() {
			dense.DotRows(make([]float32, 2), long, -1, make([]float32, 3))
		},
		"DotRows: huge stride": func() {
			dense.DotRows(make([]float32, 3), long, math.MaxInt/2+1, make([]float32, 3))
		},
		"DotRowsAt: index": func() {
			dense.DotRowsAt(make([]float32, 1), long, 5, []int32{1}, long)
		},
		"DotRowsAt: negative": func() {
			dense.DotRowsAt(make([]float32, 1), long, 5, []int32{-1}, long)
		},
		"DotRowsAt: count": func() {
			dense.DotRowsAt(make([]float32, 2), long, 5, []int32{0}, long)
		},
		"AxpyRows: index": func() {
			dense.AxpyRows([]float32{1}, long, 5, []int32{1}, long)
		},
		"AxpyRows: count": func() {
			dense.AxpyRows([]float32{1, 2}, long, 5, []int32{0}, short)
		},
		"Matrix.Row":              func() { m.Row(3) },
		"Matrix.Row negative":     func() { m.Row(-1) },
		"Matrix.Dot":              func() { m.Dot(0, short) },
		"Matrix.DotRows":          func() { m.DotRows(make([]float32, 3), 1, long) },
		"Matrix.DotRows: w":       func() { m.DotRows(make([]float32, 3), 0, short) },
		"Matrix.DotRowsAt: index": func() { m.DotRowsAt(make([]float32, 1), []int32{3}, long) },
		"New":                     func() { dense.New(-1, 2) },
		"New: too large":          func() { dense.New(math.MaxInt/8, 100) },
	}
	for name, s := range sums {
		if readsBoth(s.term) {
			calls[name] = func() { s.of(short, long) }
		}
	}
	for name, f := range calls {
		t.Run(name, func(t *testing.T) {
			defer func() {
				switch text := recover().(type) {
				case nil:
					t.Error("did not panic")
				case string:
					if !strings.HasPrefix(text, "pegasimd: ") {
						t.Errorf("the panic is %q", text)
					}
				}
			}()
			f()
		})
	}
}

func TestFromSliceRejectsOtherSizes(t *testing.T) {
	for _, c := range [][3]int{{2, 3, 5}, {2, 3, 7}, {-1, 3, 3}, {2, -1, 2},
		{math.MaxInt/2 + 1, 4, 0}, {1, 0, 1}} {
		if _, err := dense.FromSlice(c[0], c[1], make([]float32, c[2])); err == nil {
			t.Errorf("%d x %d of %d values: no error", c[0], c[1], c[2])
		}
	}
}

func TestFromSliceWithoutColumns(t *testing.T) {
	if m, err := dense.FromSlice(math.MaxInt, 0, nil); err != nil || m.Rows() != math.MaxInt {
		t.Error(err)
	}
}

func TestNoAllocations(t *testing.T) {
	m := dense.New(9, 100)
	x, y := make([]float32, 100), make([]float32, 100)
	dst, idx := make([]float32, 9), make([]int32, 9)
	huge, wide := make([]float32, 100), make([]float64, 100)
	huge[7] = 1e30
	calls := map[string]func(){
		"DotNorms":       func() { dense.DotNorms(x, y) },
		"Cosine":         func() { dense.Cosine(x, y) },
		"Cosine, huge":   func() { dense.Cosine(huge, huge) },
		"Distance":       func() { dense.Distance(x, y) },
		"Distance, huge": func() { dense.Distance(huge, y) },
		"Norm":           func() { dense.Norm(huge) },
		"Normalize":      func() { dense.Normalize(y, huge) },
		"ArgMin":         func() { dense.ArgMin(x) },
		"Dot64":          func() { dense.Dot64(x, y) },
		"Axpy":           func() { dense.Axpy(1, x, y) },
		"Axpby":          func() { dense.Axpby(1, x, 2, y) },
		"Scale":          func() { dense.Scale(1, x) },
		"Exp":            func() { dense.Exp(x, y) },
		"Softmax":        func() { dense.Softmax(x, y) },
		"LogSumExp":      func() { dense.LogSumExp(x) },
		"FromFloat64":    func() { dense.FromFloat64(x, wide) },
		"DotRowsAt":      func() { dense.DotRowsAt(dst, y, 10, idx, x[:10]) },
		"SquaredDistanceRowsAt": func() {
			dense.SquaredDistanceRowsAt(dst, y, 10, idx, x[:10])
		},
		"CosineRowsAt":     func() { dense.CosineRowsAt(dst, y, 10, idx, x[:10]) },
		"Matrix.Dot":       func() { m.Dot(0, x) },
		"Matrix.Axpy":      func() { m.Axpy(0, 1, x) },
		"Matrix.DotRows":   func() { m.DotRows(dst, 0, x) },
		"Matrix.DotRowsAt": func() { m.DotRowsAt(dst, idx, x) },
		"Matrix.AxpyRows":  func() { m.AxpyRows(dst, idx, x) },
	}
	for name, s := range sums {
		calls[name] = func() { s.of(x, y) }
	}
	for name, f := range calls {
		if got := testing.AllocsPerRun(10, f); got != 0 && !asmtest.Race {
			t.Errorf("%s: %v allocations a call", name, got)
		}
	}
}

func TestPartialOverlapIsSafe(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		for n := range 300 {
			for shift := range 9 {
				buf := numbers(n + shift + 64)
				before := append([]float32(nil), buf...)
				dense.Axpy(2, buf[32:32+n], buf[32+shift:32+shift+n])
				for i := range buf {
					if (i < 32+shift || i >= 32+shift+n) && buf[i] != before[i] {
						t.Fatalf("n = %d, shifted by %d: element %d changed", n, shift, i-32)
					}
				}
			}
		}
	})
}
