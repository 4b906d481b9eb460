package store

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
	"github.com/pegasimd/pegasimd/sparse"
)

type userExamples struct{ *dense.Matrix }

type format struct {
	name     string
	rows     Rows
	original Examples
}

// formats returns rows in every format but expanded, and a subset of each.
func formats(t *testing.T) []format {
	t.Helper()
	pixelRows := randomPixels(70, 33, 255)
	thin := randomSparse(t, 1, 70, 33, 20, func(i int) float32 { return inverseRoot(i + 1) })
	starts, indices, values := (*matrices.CSR)(thin).Arrays()
	values = slices.Clone(values)
	for k := range values {
		values[k] += float32(k % 7)
	}
	uneven := newSparse(t, 33, starts, indices, values)
	unchecked, err := matrices.Lazy(33, starts, indices, values, matrices.Check{Shift: 3})
	if err != nil {
		t.Fatal(err)
	}
	padded, _ := (*matrices.Dense)(pixelRows).Padded()
	unread, err := matrices.LazyDense(70, 33, padded, matrices.Check{
		Shift: 3, Verify: func(int, int) error { return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	all := []format{
		{"dense", Of(pixelRows), pixelRows},
		{"csr", Of(uneven), uneven},
		{"lazy", Of((*sparse.Matrix)(unchecked)), uneven},
		{"lazy dense", Of((*dense.Matrix)(unread)), pixelRows},
		{"user", Of(userExamples{pixelRows}), pixelRows},
	}
	for name, x := range map[string]Examples{"pixels": pixelRows, "constant": thin} {
		rows, ok := Of(x).Compact(2)
		if !ok {
			t.Fatalf("%s: rejected", name)
		}
		all = append(all, format{name, rows, x})
	}
	for _, k := range all {
		backwards := sequence(k.rows.Rows())
		slices.Reverse(backwards)
		twice := Subset(Subset(k.rows, backwards), backwards)
		all = append(all, format{"subset " + k.name, twice, k.original})
	}
	return all
}

// The copies of the user-defined rows are sparse, so that products have other bits.
func TestRows(t *testing.T) {
	for _, k := range formats(t) {
		t.Run(k.name, func(t *testing.T) {
			compareRows(t, k.rows, k.original)
			compareRows(t, k.rows.Clone(), k.original)
			order := []uint32{5, 69, 0, 5, 17}
			taken := k.rows.Take(order)
			w := ramp(k.rows.Cols())
			for j, i := range order {
				got, want := taken.Dot(j, w), k.original.Dot(int(i), w)
				if got != want && !strings.HasSuffix(k.name, "user") {
					t.Errorf("taken row %d: %v, want %v", j, got, want)
				}
			}
			if Of(k.rows) != k.rows {
				t.Error("Of converted rows again")
			}
			if k.rows.Err() != nil || k.rows.WillNeed() != nil {
				t.Error("Err or WillNeed is not nil")
			}
		})
	}
}

func ramp(n int) []float32 {
	w := make([]float32, n)
	for j := range w {
		w[j] = 1 / float32(j+3)
	}
	return w
}

func compareRows(t *testing.T, x Rows, want Examples) {
	t.Helper()
	w, vectors := ramp(x.Cols()), dense.New(3, x.Cols())
	copy(vectors.Row(1), w)
	copy(vectors.Row(2), w[1:])
	some := make([]float32, 2)
	for _, i := range rand.New(rand.NewPCG(1, 1)).Perm(x.Rows()) {
		x.Prefetch(i)
		got, sum := slices.Clone(w), slices.Clone(w)
		x.Axpy(i, 0.7, got)
		want.Axpy(i, 0.7, sum)
		x.DotVectors(some, i, vectors, 1)
		switch {
		case x.Dot(i, w) != want.Dot(i, w), x.SumSquares(i) != want.SumSquares(i),
			!slices.Equal(got, sum):
			t.Fatalf("row %d differs", i)
		case some[0] != want.Dot(i, w), some[1] != want.Dot(i, vectors.Row(2)):
			t.Fatalf("row %d: products %v", i, some)
		}
	}
	rows, a := []uint32{3, 60, 3}, []float32{1, -2, 0.5}
	dots, got, sum := make([]float32, 3), slices.Clone(w), slices.Clone(w)
	x.DotMany(dots, rows, w)
	x.AxpyMany(a, rows, got)
	for k, i := range rows {
		want.Axpy(int(i), a[k], sum)
		if dots[k] != want.Dot(int(i), w) {
			t.Errorf("row %d: product %v", i, dots[k])
		}
	}
	if !slices.Equal(got, sum) {
		t.Error("the sum of rows differs")
	}
}

func TestNarrowAddTo(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	for cols := range narrow + 2 {
		x, a := dense.New(50, cols), make([]float32, 50)
		want, got := make([]float64, cols), make([]float64, cols)
		for i := range a {
			a[i] = float32(random.NormFloat64())
			for j := range x.Row(i) {
				x.Row(i)[j] = float32(random.NormFloat64())
			}
			asm.Axpy64(float64(a[i]), x.Row(i), want)
		}
		if Of(x).AddTo(got, Sum{To: 50, A: a}); !slices.Equal(got, want) {
			t.Errorf("%d columns: %v, want %v", cols, got, want)
		}
	}
}

func TestAddTo(t *testing.T) {
	for _, k := range formats(t) {
		rows, cols := k.rows.Rows(), k.rows.Cols()
		a, weight, only := ramp(rows), make([]float64, rows), []uint32{}
		for i := range rows {
			weight[i] = float64(i%5) / 3
			if i%3 > 0 {
				only = append(only, uint32(i))
			}
			if i%7 == 0 {
				a[i] = 0
			}
		}
		for name, s := range map[string]Sum{
			"all":  {To: rows, A: a},
			"part": {From: rows / 3, To: rows / 2, A: a},
			"some": {Only: only, A: a, Weight: weight},
		} {
			got, want, size := make([]float64, cols), make([]float64, cols), make([]float64, cols)
			k.rows.AddTo(got, s)
			row := make([]float32, cols)
			for i := range rows {
				if s.Only != nil && i%3 == 0 || s.Only == nil && (i < s.From || i >= s.To) {
					continue
				}
				clear(row)
				k.original.Axpy(i, 1, row)
				for j, v := range row {
					d := float64(s.A[i]) * floats.At(s.Weight, i, 1) * float64(v)
					want[j] += d
					size[j] += max(d, -d)
				}
			}
			for j := range want {
				if d := got[j] - want[j]; max(d, -d) > 0x1p-45*size[j] {
					t.Errorf("%s, %s: column %d: %v, want %v", k.name, name, j, got[j], want[j])
				}
			}
			for held, x := range otherFormats(k) {
				again := make([]float64, cols)
				if x.AddTo(again, s); !slices.Equal(again, got) {
					t.Errorf("%s as %s: the sum differs", k.name, held)
				}
			}
		}
	}
}

func TestLazyDense(t *testing.T) {
	x := randomPixels(40, 20, 255)
	padded, _ := (*matrices.Dense)(x).Padded()
	damaged := errors.New("damaged")
	w := ramp(20)
	for name, read := range map[string]func(m Rows, i int) bool{ // reports whether the row is zeros
		"Dot":        func(m Rows, i int) bool { return m.Dot(i, w) == 0 },
		"SumSquares": func(m Rows, i int) bool { return m.SumSquares(i) == 0 },
		"Row": func(m Rows, i int) bool {
			_, row := m.(Matrix).Row(i)
			return dense.SumSquares(row) == 0
		},
		"Axpy": func(m Rows, i int) bool {
			y := make([]float32, 20)
			m.Axpy(i, 1, y)
			return dense.SumSquares(y) == 0
		},
		"DotMany": func(m Rows, i int) bool {
			dst := []float32{1}
			m.DotMany(dst, []uint32{uint32(i)}, w)
			return dst[0] == 0
		},
		"AxpyMany": func(m Rows, i int) bool {
			y := make([]float32, 20)
			m.AxpyMany([]float32{1}, []uint32{uint32(i)}, y)
			return dense.SumSquares(y) == 0
		},
		"DotVectors": func(m Rows, i int) bool {
			vectors, dst := dense.New(1, 20), []float32{1}
			copy(vectors.Row(0), w)
			m.DotVectors(dst, i, vectors, 0)
			return dst[0] == 0
		},
		"AddTo": func(m Rows, i int) bool {
			u, a := make([]float64, 20), make([]float32, 40)
			a[i] = 1
			m.AddTo(u, Sum{To: 40, A: a})
			return slices.Max(u) == 0
		},
		"Take": func(m Rows, i int) bool { return m.Take([]uint32{uint32(i)}).Dot(0, w) == 0 },
	} {
		for bad := range 2 {
			lazy, err := matrices.LazyDense(40, 20, padded, matrices.Check{
				Shift: 4, Verify: func(first, _ int) error {
					if bad == 1 && first == 16 {
						return damaged
					}
					return nil
				}})
			if err != nil {
				t.Fatal(err)
			}
			m := Of((*dense.Matrix)(lazy))
			if read(m, 3) || m.Err() != nil {
				t.Errorf("%s of a good row: zeros, or an error: %v", name, m.Err())
			}
			if zeros := read(m, 17); zeros != (bad == 1) || (m.Err() != nil) != zeros {
				t.Errorf("%s of row 17, %d bad blocks: zeros %v, %v", name, bad, zeros, m.Err())
			}
			m.SumSquares(39)
			if fast := m.Clone().(*denseRows).copied.Guard() == nil; fast != (bad == 0) {
				t.Errorf("%s: rows without checks: %v", name, fast)
			}
		}
	}
}

func TestTraits(t *testing.T) {
	for _, k := range formats(t) {
		x := k.rows
		if strings.HasPrefix(k.name, "subset ") {
			continue
		}
		dense := k.name == "dense" || k.name == "lazy dense" || k.name == "pixels"
		sparse := k.name == "csr" || k.name == "lazy"
		if x.FastBatches() != dense || (x.Interleaved() != nil) != sparse ||
			(x.Steps() != nil) != (k.name == "constant") {
			t.Errorf("%s: wrong kernels", k.name)
		}
		if (x.Size() == 0) != (k.name == "lazy" || k.name == "user") ||
			(x.PrefetchDistance() == 0) != (k.name == "user") {
			t.Errorf("%s: %d bytes, prefetch distance %d", k.name, x.Size(), x.PrefetchDistance())
		}
		if _, ok := x.Compact(1); ok != (k.name == "dense") { // a row of the csr has several values
			t.Errorf("%s: compacted: %v", k.name, ok)
		}
	}
	if g := Of(dense.New(1, maxReorderCols+1)).ReorderGain(); g != NoGain {
		t.Errorf("long rows: %v", g)
	}
}

func TestStepper(t *testing.T) {
	x := mustConstantCSR(t, randomSparse(t, 9, 50, 40, 15, inverseRoot))
	s := x.Steps()
	if s == nil {
		t.Fatal("no steps")
	}
	got, want := ramp(40), ramp(40)
	steps := make([]asm.Step, x.Rows())
	for i := range steps {
		s.Prefetch(i)
		y := float32(1 - 2*(i%2))
		s.Prepare(&steps[i], i, y, 3*y)
		steps[i].Least = 0.5
	}
	s.Take(steps, got)
	for i := range steps {
		y := float32(1 - 2*(i%2))
		if y*x.Dot(i, want) < 0.5 {
			x.Axpy(i, 3*y, want)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	long := mustConstantCSR(t, randomSparse(t, 9, 50, 400, 400, inverseRoot))
	if long.Steps() != nil {
		t.Error("long rows have a Stepper")
	}
}

func TestLazyErr(t *testing.T) {
	bad := errors.New("bad")
	announced := 0
	check := matrices.Check{
		Verify:   func(first, end int) error { return bad },
		WillNeed: func(first, end int) { announced += end - first },
	}
	m, err := matrices.Lazy(2, []int64{0, 1}, []int32{1}, []float32{5}, check)
	if err != nil {
		t.Fatal(err)
	}
	x := Of((*sparse.Matrix)(m))
	w, u := []float32{1, 1}, make([]float64, 2)
	x.Axpy(0, 1, w)
	x.AddTo(u, Sum{To: 1, A: []float32{1}})
	if x.Dot64(0, []float64{1, 1}) != 0 {
		t.Error("a bad row has values")
	}
	x.WillNeed()(0, 1)
	if x.Dot(0, w) != 0 || x.SumSquares(0) != 0 || w[1] != 1 || u[1] != 0 || announced != 1 ||
		!errors.Is(x.Err(), bad) {
		t.Errorf("reads of a bad row: sums %v and %v, %d rows announced, %v", w, u, announced, x.Err())
	}
	if _, ok := x.Compact(1); ok {
		t.Error("a lazy matrix was compacted")
	}
	if index, _ := x.Row(0); index == nil {
		t.Error("the columns are nil, as of a dense row")
	}
}

func TestEmptySparseRow(t *testing.T) {
	x := Of(newSparse(t, 3, []int64{0, 0, 0}, nil, nil))
	constant, ok := x.Compact(1)
	if !ok {
		t.Fatal("the empty rows have no compact format")
	}
	for _, x := range []Rows{x, constant, Subset(x, []uint32{1, 0})} {
		if index, values := x.Row(1); index == nil || len(index)+len(values) > 0 {
			t.Errorf("%T: columns %v, values %v", x, index, values)
		}
	}
}

func TestMatrixFrom(t *testing.T) {
	full, thin := dense.New(20, 5), dense.New(20, 50)
	for i := range 20 {
		copy(full.Row(i), ramp(5))
		thin.Row(i)[i] = 1
	}
	for _, c := range []struct {
		name   string
		x      Examples
		dense  bool
		binary bool
	}{
		{"dense", full, true, false},
		{"sparse", randomSparse(t, 2, 20, 9, 5, func(int) float32 { return 1 }), false, true},
		{"user dense", userExamples{full}, true, false}, {"user sparse", userExamples{thin}, false, true},
	} {
		only := []int32{3, 19, 4}
		m, at := MatrixFrom(c.x, only)
		if (m.Dense() != nil) != c.dense {
			t.Fatalf("%s: dense: %v", c.name, m.Dense() != nil)
		}
		if mine, ok := MatrixOf(c.x); ok && (mine.Examples() != c.x || !slices.Equal(at, only)) {
			t.Errorf("%s: MatrixFrom copied the rows or changed the indices", c.name)
		}
		taken, reader := TakeMatrix(m, at), Of(c.x)
		for k, i := range only {
			want := make([]float32, c.x.Cols())
			c.x.Axpy(int(i), 1, want)
			binary := true
			for _, v := range want {
				binary = binary && (v == 0 || v == 1)
			}
			if _, values := m.Row(int(at[k])); AreBinary(values) != binary || c.binary && !binary {
				t.Errorf("%s: row %d: AreBinary is wrong", c.name, i)
			}
			for _, row := range [][]float32{denseCopy(m, int(at[k])), denseCopy(taken, k),
				denseCopy(reader, int(i))} {
				if !slices.Equal(row, want) {
					t.Errorf("%s: row %d: %v, want %v", c.name, i, row, want)
				}
			}
		}
	}
}

func denseCopy(x Rows, i int) []float32 {
	index, values := x.Row(i)
	if index == nil {
		return values
	}
	row := make([]float32, x.Cols())
	for k, j := range index {
		row[j] = values[k]
	}
	return row
}

func otherFormats(k format) map[string]Rows {
	d := dense.New(k.rows.Rows(), k.rows.Cols())
	for i := range d.Rows() {
		k.original.Axpy(i, 1, d.Row(i))
	}
	starts := []int64{0}
	var index []int32
	var values []float32
	for i := range d.Rows() {
		for j, v := range d.Row(i) {
			if v != 0 {
				index, values = append(index, int32(j)), append(values, v)
			}
		}
		starts = append(starts, int64(len(values)))
	}
	s, err := sparse.New(d.Cols(), starts, index, values)
	if err != nil {
		panic(err)
	}
	return map[string]Rows{"dense": Of(d), "csr": Of(s), "user": Of(userExamples{d})}
}

func TestDot64(t *testing.T) {
	all := formats(t)
	for _, cols := range []int{1, 2, 3, 5, 8, 64, 65, 1000, asm.Block + 3, 3 * asm.Block} {
		x := dense.New(2, cols)
		for j, v := range ramp(cols) {
			x.Row(0)[j] = v * float32(1-2*(j%2))
		}
		x.Row(1)[cols-1] = 3
		k := format{"long", Of(x), x}
		all = append(all, k, format{"long sparse", otherFormats(k)["csr"], x})
	}
	for _, k := range all {
		others := otherFormats(k)
		w := ramp(k.rows.Cols())
		wide := make([]float64, len(w))
		for j, v := range w {
			w[j] = v * float32(j%7-2)
			wide[j] = float64(w[j])
		}
		for i := range k.rows.Rows() {
			row := make([]float32, len(w))
			k.original.Axpy(i, 1, row)
			var want, size float64
			for j, v := range row {
				want += wide[j] * float64(v)
				size += math.Abs(wide[j] * float64(v))
			}
			got := k.rows.Dot64(i, wide)
			if math.Abs(got-want) > float64(len(w)+2)*0x1p-53*size {
				t.Errorf("%s: row %d: %v, want %v", k.name, i, got, want)
			}
			for held, x := range others {
				if again := x.Dot64(i, wide); again != got {
					t.Errorf("%s as %s: row %d: %v, want %v", k.name, held, i, again, got)
				}
			}
			may := k.rows.DotError(i)
			if math.IsInf(may, 1) == (!strings.HasSuffix(k.name, "user")) ||
				!(math.Abs(float64(k.rows.Dot(i, w))-want) <= may*size) && size > 0 {
				t.Errorf("%s: row %d: %v, may be off by %v of %v, want %v", k.name, i,
					k.rows.Dot(i, w), may, size, want)
			}
		}
	}
}
