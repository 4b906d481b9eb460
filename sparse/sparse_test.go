package sparse_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/sparse"
)

func random(r *rand.Rand, nnz, cols int) (idx []int32, val []float32) {
	for _, j := range r.Perm(cols)[:nnz] {
		idx = append(idx, int32(j))
		val = append(val, 2*r.Float32()-1)
	}
	return idx, val
}

func eachISA(t *testing.T, f func(t *testing.T)) {
	for _, isa := range asm.Available() {
		t.Run(fmt.Sprintf("isa=%v", isa), func(t *testing.T) {
			defer asm.Use(asm.Use(isa))
			f(t)
		})
	}
}

// dot is the loop in the documentation of Dot.
func dot(idx []int32, val, w []float32) float32 {
	var lane [8]float32
	for k, j := range idx {
		lane[k%8] += float32(val[k] * w[j])
	}
	for n := 4; n > 0; n /= 2 {
		for l := range n {
			lane[l] += lane[n+l]
		}
	}
	return lane[0]
}

func TestMeaning(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		for nnz := range 100 {
			idx, val := random(r, nnz, 120)
			_, w := random(r, 120, 120)
			product, right := sparse.Dot(idx, val, w), dot(idx, val, w)
			if math.Float32bits(product) != math.Float32bits(right) {
				t.Errorf("Dot of %d: got %v, want %v", nnz, product, right)
			}
			slices.Sort(idx)
			m, err := sparse.New(len(w), []int64{0, int64(nnz)}, idx, val)
			if err != nil {
				t.Fatal(err)
			}
			product, right = m.Dot(0, w), dot(idx, val, w)
			if math.Float32bits(product) != math.Float32bits(right) {
				t.Errorf("Matrix.Dot of %d: got %v, want %v", nnz, product, right)
			}
			got, want := append([]float32(nil), w...), append([]float32(nil), w...)
			sparse.Axpy(0.3, idx, val, got)
			for k, j := range idx {
				want[j] += float32(0.3 * val[k])
			}
			for j := range want {
				if got[j] != want[j] {
					t.Errorf("Axpy of %d: element %d: got %v, want %v", nnz, j, got[j], want[j])
				}
			}
		}
	})
}

// Products of -0 add up to +0, and no infinity or NaN is lost.
func TestShortRowsOfZeros(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	negativeZero := float32(math.Copysign(0, -1))
	eachISA(t, func(t *testing.T) {
		for nnz := 1; nnz < 20; nnz++ {
			idx, w, val := make([]int32, nnz), make([]float32, nnz+1), make([]float32, nnz)
			starts := []int64{0, int64(nnz)}
			for k := range idx {
				idx[k], w[k], val[k] = int32(k), 1, negativeZero
			}
			m, err := sparse.New(nnz+1, starts, idx, val)
			if err != nil {
				t.Fatal(err)
			}
			for _, got := range []float32{sparse.Dot(idx, val, w), m.Dot(0, w)} {
				if math.Float32bits(got) != 0 {
					t.Errorf("%d products of -0: got %v with bits %#x, want +0", nnz, got,
						math.Float32bits(got))
				}
			}
			for k := range idx {
				val[k] = 1
				w[k] = inf
				if got := sparse.Dot(idx, val, w); got != inf {
					t.Errorf("%d products, number %d infinite: got %v", nnz, k, got)
				}
				w[k] = nan
				if got := sparse.Dot(idx, val, w); got == got {
					t.Errorf("%d products, number %d NaN: got %v", nnz, k, got)
				}
				w[k] = 1
			}
		}
	})
}

// The panic names the index, and w is unchanged.
func TestOutOfRange(t *testing.T) {
	const n = 70
	w := make([]float32, 8*n)
	factors := []float32{1, 1, 1, 1, 1, 1, 1, 1}
	for nnz := 1; nnz < 70; nnz++ {
		idx, val := make([]int32, nnz), make([]float32, nnz)
		for k := range idx {
			idx[k], val[k] = int32(n-1-k), 1
		}
		for k := range idx {
			in := idx[k]
			for _, j := range []int32{n, -1, math.MaxInt32, math.MinInt32, math.MinInt32 + n} {
				idx[k] = j
				want := fmt.Sprintf("idx[%d] = %d, outside of %d features", k, j, n)
				for name, call := range map[string]func(){
					"Dot":   func() { sparse.Dot(idx, val, w[:n]) },
					"Axpy":  func() { sparse.Axpy(1, idx, val, w[:n]) },
					"DotK":  func() { sparse.DotK(make([]float32, 8), idx, val, w) },
					"AxpyK": func() { sparse.AxpyK(factors, idx, val, w) },
				} {
					if got := panicText(call); !strings.Contains(got, want) {
						t.Fatalf("%s of %d: got panic %q, want %q", name, nnz, got, want)
					}
				}
			}
			idx[k] = in
		}
	}
	if slices.ContainsFunc(w, func(v float32) bool { return v != 0 }) {
		t.Error("a call that panics has changed w")
	}
}

func panicText(f func()) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	f()
	return ""
}

func TestInterleavedAreSingleCalls(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		const cols = 50
		for _, k := range []int{0, 8, 16, 24} {
			for nnz := range cols + 1 {
				idx, val := random(r, nnz, cols)
				_, w := random(r, cols*k, cols*k)
				_, a := random(r, k, k)
				single := func(c int) []float32 {
					v := make([]float32, cols)
					for j := range v {
						v[j] = w[j*k+c]
					}
					return v
				}
				got, after := make([]float32, k), append([]float32(nil), w...)
				sparse.DotK(got, idx, val, w)
				sparse.AxpyK(a, idx, val, after)
				for c := range k {
					v := single(c)
					if want := sparse.Dot(idx, val, v); got[c] != want {
						t.Fatalf("DotK of %d, vector %d of %d: got %v, want %v", nnz, c, k,
							got[c], want)
					}
					sparse.Axpy(a[c], idx, val, v)
					for j := range v {
						if after[j*k+c] != v[j] {
							t.Fatalf("AxpyK of %d, vector %d of %d: feature %d: got %v, want %v",
								nnz, c, k, j, after[j*k+c], v[j])
						}
					}
				}
			}
		}
	})
}

func TestAgreesWithDense(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for nnz := range 200 {
		idx, val := random(r, nnz, 300)
		_, w := random(r, 300, 300)
		row := make([]float32, 300)
		var abs float64
		for k, j := range idx {
			row[j] = val[k]
			abs += math.Abs(float64(val[k]) * float64(w[j]))
		}
		one, other := float64(sparse.Dot(idx, val, w)), float64(dense.Dot(row, w))
		if d := math.Abs(one - other); d > 32*0x1p-24*abs {
			t.Errorf("%d nonzeros: differ by %v", nnz, d)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	beyond := math.MaxInt32
	beyond++ // negative if int has 32 bits
	for name, c := range map[string]struct {
		cols    int
		starts  []int64
		indices []int32
		values  []float32
	}{
		"no starts":          {3, nil, nil, nil},
		"starts not at 0":    {3, []int64{1, 1}, []int32{0}, []float32{1}},
		"starts end early":   {3, []int64{0, 1}, []int32{0, 1}, []float32{1, 1}},
		"starts end late":    {3, []int64{0, 3}, []int32{0, 1}, []float32{1, 1}},
		"starts fall":        {3, []int64{0, 2, 1, 2}, []int32{0, 1}, []float32{1, 1}},
		"start past the end": {3, []int64{0, 9, 2}, []int32{0, 1}, []float32{1, 1}},
		"start huge": {3, []int64{0, math.MaxInt64, 2}, []int32{0, 1},
			[]float32{1, 1}},
		"start negative":          {3, []int64{0, -1, 2}, []int32{0, 1}, []float32{1, 1}},
		"more indices than value": {3, []int64{0, 2}, []int32{0, 1}, []float32{1}},
		"negative column":         {3, []int64{0, 1}, []int32{-1}, []float32{1}},
		"column too large":        {3, []int64{0, 1}, []int32{3}, []float32{1}},
		"columns descend":         {3, []int64{0, 2}, []int32{1, 0}, []float32{1, 1}},
		"column twice":            {3, []int64{0, 2}, []int32{1, 1}, []float32{1, 1}},
		"no columns":              {0, []int64{0, 1}, []int32{0}, []float32{1}},
		"negative cols":           {-1, []int64{0}, nil, nil},
		"cols beyond int32":       {beyond, []int64{0}, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if m, err := sparse.New(c.cols, c.starts, c.indices, c.values); err == nil {
				t.Errorf("no error, but %v", m)
			}
		})
	}
}

func TestEmpty(t *testing.T) {
	m, err := sparse.New(4, []int64{0, 0, 0}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := make([]float32, 4)
	m.Axpy(1, 2, w)
	if m.Rows() != 2 || m.NNZ() != 0 || m.Dot(0, w) != 0 || m.SumSquares(1) != 0 {
		t.Errorf("%d rows, %d nonzeros, dot product %v, sum of squares %v; want 2 rows and zeros",
			m.Rows(), m.NNZ(), m.Dot(0, w), m.SumSquares(1))
	}
}

func TestPanics(t *testing.T) {
	m, err := sparse.New(4, []int64{0, 1}, []int32{3}, []float32{1})
	if err != nil {
		t.Fatal(err)
	}
	w := make([]float32, 4)
	for name, f := range map[string]func(){
		"Dot: lengths":        func() { sparse.Dot([]int32{1}, nil, w) },
		"Dot: index":          func() { sparse.Dot([]int32{4}, []float32{1}, w) },
		"Dot: negative index": func() { sparse.Dot([]int32{-1}, []float32{1}, w) },
		"Axpy: index":         func() { sparse.Axpy(1, []int32{4}, []float32{1}, w) },
		"DotK: k":             func() { sparse.DotK(make([]float32, 7), nil, nil, nil) },
		"DotK: index": func() {
			sparse.DotK(make([]float32, 8), []int32{1}, []float32{1},
				make([]float32, 15))
		},
		"AxpyK: index": func() {
			sparse.AxpyK(make([]float32, 8), []int32{1}, []float32{1},
				make([]float32, 15))
		},
		"Matrix.Dot":     func() { m.Dot(0, w[:3]) },
		"Matrix.Axpy":    func() { m.Axpy(0, 1, w[:3]) },
		"Matrix.Row":     func() { m.Row(1) },
		"Matrix.DotK":    func() { m.DotK(0, make([]float32, 8), make([]float32, 31)) },
		"Matrix.DotK: k": func() { m.DotK(0, make([]float32, 4), make([]float32, 16)) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				switch text := recover().(type) {
				case nil:
					t.Error("did not panic")
				case string: // not a panic of the runtime
					if !strings.HasPrefix(text, "pegasimd: ") {
						t.Errorf("the panic is %q", text)
					}
				}
			}()
			f()
		})
	}
}

func TestNoAllocations(t *testing.T) {
	idx, val, w := []int32{1, 2, 3}, []float32{1, 2, 3}, make([]float32, 32)
	dst := make([]float32, 8)
	for name, f := range map[string]func(){
		"Dot":   func() { sparse.Dot(idx, val, w) },
		"Axpy":  func() { sparse.Axpy(1, idx, val, w) },
		"DotK":  func() { sparse.DotK(dst, idx, val, w) },
		"AxpyK": func() { sparse.AxpyK(dst, idx, val, w) },
	} {
		if got := testing.AllocsPerRun(10, f); got != 0 {
			t.Errorf("%s: %v allocations a call", name, got)
		}
	}
}

// By writing to shared indices, a caller could make the kernels write outside of w.
func TestMatrixIsItsOwn(t *testing.T) {
	starts, idx, val := []int64{0, 2, 5}, []int32{1, 3, 0, 2, 3}, []float32{1, 2, 3, 4, 5}
	m, err := sparse.New(4, starts, idx, val)
	if err != nil {
		t.Fatal(err)
	}
	w := []float32{1, 10, 100, 1000}
	results := func() (all []float32) {
		for i := range m.Rows() {
			y, y8 := slices.Clone(w), make([]float32, 8*len(w))
			m.Axpy(i, 2, y)
			m.AxpyK(i, []float32{1, 2, 3, 4, 5, 6, 7, 8}, y8)
			dst := make([]float32, 8)
			m.DotK(i, dst, y8)
			all = append(append(append(all, m.Dot(i, w), m.SumSquares(i)), y...), y8...)
			all = append(append(all, dst...), m.Take([]uint32{uint32(i)}).Dot(0, w))
			for j, v := range m.Nonzeros(i) {
				all = append(all, float32(j), v)
			}
		}
		return all
	}
	want := results()
	spoil := func(idx []int32, val []float32) {
		for k := range idx {
			idx[k], val[k] = 3-idx[k], -1
		}
	}
	spoil(idx, val)
	starts[1] = 4
	for i := range m.Rows() {
		spoil(m.Row(i))
	}
	if have := results(); !slices.Equal(have, want) {
		t.Errorf("after writes to the slices: %v, want %v", have, want)
	}
	for range m.Nonzeros(1) {
		break
	}
	var sum float32
	if got := testing.AllocsPerRun(10, func() {
		for _, v := range m.Nonzeros(1) {
			sum += v
		}
	}); got != 0 {
		t.Errorf("Nonzeros: %v allocations", got)
	}
}

func TestNewShared(t *testing.T) {
	starts, idx, val := []int64{0, 2}, []int32{1, 3}, []float32{1, 2}
	m, err := sparse.NewShared(4, starts, idx, val)
	if err != nil {
		t.Fatal(err)
	}
	val[0] = 5
	if have := m.Dot(0, []float32{1, 1, 1, 1}); have != 7 {
		t.Errorf("after a write to the values: dot product %v, want 7", have)
	}
	if got := testing.AllocsPerRun(10, func() { sparse.NewShared(4, starts, idx, val) }); got > 1 {
		t.Errorf("%v allocations", got)
	}
	if _, err := sparse.NewShared(3, starts, idx, val); err == nil {
		t.Error("a column beyond the last: no error")
	}
}

func FuzzNew(f *testing.F) {
	f.Add(3, []byte{0, 1, 3}, []byte{1, 0, 2})
	f.Fuzz(func(t *testing.T, cols int, starts, indices []byte) {
		s, idx, val := make([]int64, len(starts)), make([]int32, len(indices)), make([]float32,
			len(indices))
		for i, b := range starts {
			s[i] = int64(int8(b))
		}
		for i, b := range indices {
			idx[i], val[i] = int32(int8(b)), float32(b)
		}
		m, err := sparse.New(cols%1000, s, idx, val)
		if err != nil {
			return
		}
		w := make([]float32, m.Cols())
		for i := range m.Rows() {
			m.Axpy(i, 1, w)
			m.Dot(i, w)
			m.SumSquares(i)
		}
	})
}

func TestNoColumns(t *testing.T) {
	m, err := sparse.New(0, []int64{0, 0}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	dst := []float32{1, 2, 3, 4, 5, 6, 7, 8}
	m.DotK(0, dst, nil)
	m.AxpyK(0, dst, nil)
	if !slices.Equal(dst, make([]float32, 8)) || m.Dot(0, nil) != 0 {
		t.Errorf("DotK gives %v and Dot %v, want zeros", dst, m.Dot(0, nil))
	}
}

func TestPanicTexts(t *testing.T) {
	m, err := sparse.New(3, []int64{0, 1}, []int32{0}, []float32{1})
	if err != nil {
		t.Fatal(err)
	}
	two, eight := make([]float32, 2), make([]float32, 8)
	for call, f := range map[string]func(){
		"Matrix.Dot: len(w) = 2, Cols = 3":                              func() { m.Dot(0, two) },
		"Matrix.Axpy: len(w) = 2, Cols = 3":                             func() { m.Axpy(0, 1, two) },
		"Matrix.SumSquares: row 1 of 1":                                 func() { m.SumSquares(1) },
		"Matrix.DotK: len(w) = 8, want 8 vectors of 3 (Cols) elements":  func() { m.DotK(0, eight, eight) },
		"Matrix.AxpyK: len(w) = 8, want 8 vectors of 3 (Cols) elements": func() { m.AxpyK(0, eight, eight) },
	} {
		_, want, _ := strings.Cut(call, ": ")
		want = "pegasimd: " + want
		func() {
			defer func() {
				if got := recover(); got != want {
					t.Errorf("%s: the panic is %v", call, got)
				}
			}()
			f()
		}()
	}
}
