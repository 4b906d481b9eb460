package blas32

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/blas/testblas"
)

// face adapts a float32 implementation to testblas, which expects float64 precision: face replaces
// a float32 result that is close to gonum's float64 result by the latter.
type face struct {
	gonum.Implementation
	f blas.Float32
}

func down(x []float64) []float32 {
	if x == nil {
		return nil
	}
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = float32(v)
	}
	return y
}

// near returns want if got is close to want, and got otherwise.
func near(got float32, want float64) float64 {
	if math.Abs(float64(got)-want) <= 1e-5*(1+math.Abs(want)) {
		return want
	}
	return float64(got)
}

// both calls store and wide with copies of x, and sets the elements that store changes to near of
// the two results.
func both(x []float64, store func(x []float32), wide func(x []float64)) {
	got, want := down(x), slices.Clone(x)
	store(got)
	wide(want)
	for i, v := range got {
		if v != float32(x[i]) {
			x[i] = near(v, want[i])
		}
	}
}

func (w face) Ddot(n int, x []float64, incX int, y []float64, incY int) float64 {
	return near(w.f.Sdot(n, down(x), incX, down(y), incY),
		w.Implementation.Ddot(n, x, incX, y, incY))
}

func (w face) Dnrm2(n int, x []float64, incX int) float64 {
	return near(w.f.Snrm2(n, down(x), incX), w.Implementation.Dnrm2(n, x, incX))
}

func (w face) Dasum(n int, x []float64, incX int) float64 {
	return near(w.f.Sasum(n, down(x), incX), w.Implementation.Dasum(n, x, incX))
}

func (w face) Daxpy(n int, a float64, x []float64, incX int, y []float64, incY int) {
	both(y, func(y []float32) { w.f.Saxpy(n, float32(a), down(x), incX, y, incY) },
		func(y []float64) { w.Implementation.Daxpy(n, a, x, incX, y, incY) })
}

func (w face) Dscal(n int, a float64, x []float64, incX int) {
	both(x, func(x []float32) { w.f.Sscal(n, float32(a), x, incX) },
		func(x []float64) { w.Implementation.Dscal(n, a, x, incX) })
}

func (w face) Dgemv(tA blas.Transpose, m, n int, alpha float64, a []float64, lda int, x []float64,
	incX int, beta float64, y []float64, incY int) {
	both(y, func(y []float32) {
		w.f.Sgemv(tA, m, n, float32(alpha), down(a), lda, down(x), incX, float32(beta), y, incY)
	}, func(y []float64) {
		w.Implementation.Dgemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
	})
}

func (w face) Dger(m, n int, alpha float64, x []float64, incX int, y []float64, incY int,
	a []float64, lda int) {
	both(a, func(a []float32) {
		w.f.Sger(m, n, float32(alpha), down(x), incX, down(y), incY, a, lda)
	}, func(a []float64) { w.Implementation.Dger(m, n, alpha, x, incX, y, incY, a, lda) })
}

func (w face) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int,
	b []float64, ldb int, beta float64, c []float64, ldc int) {
	both(c, func(c []float32) {
		w.f.Sgemm(tA, tB, m, n, k, float32(alpha), down(a), lda, down(b), ldb, float32(beta), c,
			ldc)
	}, func(c []float64) {
		w.Implementation.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	})
}

func TestGonum(t *testing.T) {
	w := face{f: Implementation{}}
	t.Run("Dot", func(t *testing.T) { testblas.DdotTest(t, w) })
	t.Run("Nrm2", func(t *testing.T) { testblas.Dnrm2Test(t, w) })
	t.Run("Asum", func(t *testing.T) { testblas.DasumTest(t, w) })
	t.Run("Axpy", func(t *testing.T) { testblas.DaxpyTest(t, w) })
	t.Run("Scal", func(t *testing.T) { testblas.DscalTest(t, w) })
	t.Run("Gemv", func(t *testing.T) { testblas.DgemvTest(t, w) })
	t.Run("Ger", func(t *testing.T) { testblas.DgerTest(t, w) })
	t.Run("Gemm", func(t *testing.T) { testblas.TestDgemm(t, w) })
}

var calls = flag.Int("calls", 3000, "`number` of random calls of each method that "+
	"TestDifferential compares with gonum's")

type trial struct{ *rand.Rand }

func (r trial) vector(n int) []float32 {
	x := make([]float32, max(n, 0))
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	return x
}

func (r trial) of(choices ...int) int { return choices[r.IntN(len(choices))] }

func (r trial) size() int { return r.of(0, 1, 2, 3, 5, 8, 17, 64, 65, 70, -1) }
func (r trial) inc() int  { return r.of(1, 1, 1, 1, 2, -1, -3, 0) }

func (r trial) missing() int { return r.of(0, 0, 0, 0, 0, 0, 0, 1) }

func (r trial) factor() float32 {
	return [5]float32{0, 1, -1, 2.5, float32(r.NormFloat64())}[r.IntN(5)]
}

func (r trial) transpose() blas.Transpose {
	return [7]blas.Transpose{blas.NoTrans, blas.NoTrans, blas.Trans, blas.Trans, blas.ConjTrans,
		blas.ConjTrans, 'X'}[r.IntN(7)]
}

func (r trial) strided(n, inc int) []float32 {
	return r.vector(1 + (n-1)*max(inc, -inc) - r.missing())
}

func (r trial) matrix(rows, cols int) ([]float32, int) {
	lda := max(1, cols) + r.IntN(3) - r.missing()
	return r.vector(lda*(rows-1) + cols - r.missing()), lda
}

type call struct {
	terms int
	f     func(b blas.Float32) []float32
}

func on(terms int, y []float32, f func(b blas.Float32, y []float32)) call {
	return call{terms, func(b blas.Float32) []float32 {
		z := slices.Clone(y)
		f(b, z)
		return z
	}}
}

// blank stores NaN in y if beta is 0, because methods must then not read y.
func blank(beta float32, y []float32) []float32 {
	if beta == 0 && len(y) > 0 {
		y[0] = float32(math.NaN())
	}
	return y
}

var methods = map[string]func(r trial) call{
	"Sdot": func(r trial) call {
		n, ix, iy := r.size(), r.inc(), r.inc()
		x, y := r.strided(n, ix), r.strided(n, iy)
		return call{n, func(b blas.Float32) []float32 { return []float32{b.Sdot(n, x, ix, y, iy)} }}
	},
	"Dsdot": func(r trial) call {
		n, ix, iy := r.size(), r.inc(), r.inc()
		x, y := r.strided(n, ix), r.strided(n, iy)
		return call{n, func(b blas.Float32) []float32 {
			return []float32{float32(b.Dsdot(n, x, ix, y, iy))}
		}}
	},
	"Sdsdot": func(r trial) call {
		n, ix, iy, alpha := r.size(), r.inc(), r.inc(), r.factor()
		x, y := r.strided(n, ix), r.strided(n, iy)
		return call{n, func(b blas.Float32) []float32 {
			return []float32{b.Sdsdot(n, alpha, x, ix, y, iy)}
		}}
	},
	"Snrm2": func(r trial) call {
		n, ix := r.size(), r.inc()
		x := r.strided(n, ix)
		scale := [5]float32{1, 1e-30, 1e30, 0, float32(math.Inf(1))}[r.IntN(5)]
		for i := range x {
			x[i] *= scale
		}
		return call{n, func(b blas.Float32) []float32 {
			return []float32{b.Snrm2(n, x, ix) / max(scale, 1e-38)}
		}}
	},
	"Sasum": func(r trial) call {
		n, ix := r.size(), r.inc()
		x := r.strided(n, ix)
		return call{n, func(b blas.Float32) []float32 { return []float32{b.Sasum(n, x, ix)} }}
	},
	"Saxpy": func(r trial) call {
		n, ix, iy, alpha := r.size(), r.inc(), r.inc(), r.factor()
		x := r.strided(n, ix)
		return on(1, r.strided(n, iy), func(b blas.Float32, y []float32) {
			b.Saxpy(n, alpha, x, ix, y, iy)
		})
	},
	"Sscal": func(r trial) call {
		n, ix, alpha := r.size(), r.inc(), r.factor()
		return on(1, blank(alpha, r.strided(n, ix)), func(b blas.Float32, x []float32) {
			b.Sscal(n, alpha, x, ix)
		})
	},
	"Sgemv": func(r trial) call {
		m, n, ix, iy := r.size(), r.size(), r.inc(), r.inc()
		tA, alpha, beta := r.transpose(), r.factor(), r.factor()
		a, lda := r.matrix(m, n)
		lx, ly := n, m
		if tA != blas.NoTrans {
			lx, ly = m, n
		}
		x := r.strided(lx, ix)
		return on(lx, blank(beta, r.strided(ly, iy)), func(b blas.Float32, y []float32) {
			b.Sgemv(tA, m, n, alpha, a, lda, x, ix, beta, y, iy)
		})
	},
	"Sger": func(r trial) call {
		m, n, ix, iy, alpha := r.size(), r.size(), r.inc(), r.inc(), r.factor()
		x, y := r.strided(m, ix), r.strided(n, iy)
		a, lda := r.matrix(m, n)
		return on(1, a, func(b blas.Float32, a []float32) {
			b.Sger(m, n, alpha, x, ix, y, iy, a, lda)
		})
	},
	"Sgemm": func(r trial) call {
		m, n, k := r.size(), r.size(), r.size()
		tA, tB, alpha, beta := r.transpose(), r.transpose(), r.factor(), r.factor()
		ra, ca, rb, cb := m, k, k, n
		if tA != blas.NoTrans {
			ra, ca = ca, ra
		}
		if tB != blas.NoTrans {
			rb, cb = cb, rb
		}
		a, lda := r.matrix(ra, ca)
		bb, ldb := r.matrix(rb, cb)
		c, ldc := r.matrix(m, n)
		return on(k, blank(beta, c), func(b blas.Float32, c []float32) {
			b.Sgemm(tA, tB, m, n, k, alpha, a, lda, bb, ldb, beta, c, ldc)
		})
	},
}

// panicOf returns the text of f's panic, without the index of an out-of-range error, or "".
func panicOf(f func()) (text string) {
	defer func() {
		if v := recover(); v != nil {
			text, _, _ = strings.Cut(fmt.Sprint(v), " [")
		}
	}()
	f()
	return ""
}

func plain(m, n int, alpha float32, x []float32, incX int, y []float32, incY int, a []float32,
	lda int) {
	at := func(i, n, inc int) int {
		if inc < 0 {
			return (i - n + 1) * inc
		}
		return i * inc
	}
	for i := range m {
		for j := range n {
			a[i*lda+j] += float32(float32(alpha*x[at(i, m, incX)]) * y[at(j, n, incY)])
		}
	}
}

// Every method gives gonum's results within rounding, or its panics.
//
//	go test -run Differential -calls 100000
func TestDifferential(t *testing.T) {
	for name, method := range methods {
		t.Run(name, func(t *testing.T) {
			r := trial{rand.New(rand.NewPCG(19, uint64(len(name))))}
			panics := 0
			for range *calls {
				c := method(r)
				var got, want []float32
				wanted := panicOf(func() { want = c.f(gonumOrPlain{}) })
				if had := panicOf(func() { got = c.f(Implementation{}) }); had != wanted {
					t.Fatalf("panics with %q, gonum with %q", had, wanted)
				}
				if wanted != "" {
					panics++
					continue
				}
				for i := range want {
					g, w := float64(got[i]), float64(want[i])
					most := 2e-5 * math.Sqrt(float64(max(c.terms, 1))) * (1 + math.Abs(w))
					if !(math.Abs(g-w) <= most) && (g == g || w == w) && g != w {
						t.Fatalf("element %d is %v, gonum's is %v", i, g, w)
					}
				}
			}
			t.Logf("%d calls, of which %d panic", *calls, panics)
		})
	}
}

// gonum's Sger with negative increments is wrong on amd64.
type gonumOrPlain struct{ gonum.Implementation }

func (b gonumOrPlain) Sger(m, n int, alpha float32, x []float32, incX int, y []float32, incY int,
	a []float32, lda int) {
	if incX >= 0 && incY >= 0 {
		b.Implementation.Sger(m, n, alpha, x, incX, y, incY, a, lda)
		return
	}
	b.Implementation.Sger(m, n, 0, x, incX, y, incY, a, lda)
	if m > 0 && n > 0 && alpha != 0 {
		plain(m, n, alpha, x, incX, y, incY, a, lda)
	}
}

// In this call gonum reads before x on amd64.
func TestGerNegativeIncrement(t *testing.T) {
	a := make([]float32, 4)
	Implementation{}.Sger(2, 2, 1, []float32{1, 2}, -1, []float32{3, 4}, 1, a, 2)
	if want := []float32{6, 8, 3, 4}; !slices.Equal(a, want) {
		t.Errorf("got %v, want %v", a, want)
	}
}

func TestThreads(t *testing.T) {
	r := trial{rand.New(rand.NewPCG(1, 1))}
	const n = 150
	a, b := r.vector(n*n), r.vector(n*n)
	var want []float32
	for _, threads := range []int{1, 2, 8} {
		c := make([]float32, n*n)
		Implementation{Threads: threads}.Sgemm(blas.NoTrans, blas.Trans, n, n, n, 1, a, n, b, n, 0,
			c, n)
		if want == nil {
			want = c
		} else if !slices.Equal(c, want) {
			t.Errorf("the bits with %d threads differ from those with one thread", threads)
		}
	}
}

// BenchmarkBLAS reports the shortest sampled time of gonum's and of this implementation, and the
// ratio of these times.
//
//	go test -run '^$' -bench . -benchtime 1x
func BenchmarkBLAS(b *testing.B) {
	r := trial{rand.New(rand.NewPCG(1, 1))}
	for _, n := range []int{10, 30, 100, 384, 1024, 2048} {
		x, y, a, m, c := r.vector(n), r.vector(n), r.vector(n*n), r.vector(n*n), r.vector(n*n)
		for _, op := range []struct {
			name  string
			terms int
			call  func(f blas.Float32)
		}{
			{"Sdot", n, func(f blas.Float32) { f.Sdot(n, x, 1, y, 1) }},
			{"Saxpy", n, func(f blas.Float32) { f.Saxpy(n, 1e-9, x, 1, y, 1) }},
			{"Snrm2", n, func(f blas.Float32) { f.Snrm2(n, x, 1) }},
			{"SgemvN", n * n, func(f blas.Float32) {
				f.Sgemv(blas.NoTrans, n, n, 1, a, n, x, 1, 0, y, 1)
			}},
			{"SgemvT", n * n, func(f blas.Float32) {
				f.Sgemv(blas.Trans, n, n, 1, a, n, x, 1, 0, y, 1)
			}},
			{"Sger", n * n, func(f blas.Float32) { f.Sger(n, n, 1e-9, x, 1, y, 1, a, n) }},
			{"SgemmNN", n * n * n, func(f blas.Float32) {
				f.Sgemm(blas.NoTrans, blas.NoTrans, n, n, n, 1, a, n, m, n, 0, c, n)
			}},
			{"SgemmNT", n * n * n, func(f blas.Float32) {
				f.Sgemm(blas.NoTrans, blas.Trans, n, n, n, 1, a, n, m, n, 0, c, n)
			}},
		} {
			b.Run(fmt.Sprintf("op=%s/n=%d", op.name, n), func(b *testing.B) {
				for range b.N {
					gonums, ours := sideBySide(op.terms, op.call)
					b.ReportMetric(gonums, "ns/gonum")
					b.ReportMetric(ours, "ns/ours")
					b.ReportMetric(ours/gonums, "x-gonum")
				}
			})
		}
	}
}

func sideBySide(terms int, call func(f blas.Float32)) (gonums, ours float64) {
	calls, rounds := 1+100_000/terms, 100
	if terms > 1<<27 {
		rounds = 3
	} else if terms > 1<<20 {
		rounds = 10
	}
	least := [2]float64{math.Inf(1), math.Inf(1)}
	for range rounds {
		for i, f := range [2]blas.Float32{gonum.Implementation{}, Implementation{}} {
			start := time.Now()
			for range calls {
				call(f)
			}
			least[i] = min(least[i], float64(time.Since(start))/float64(calls))
		}
	}
	return least[0], least[1]
}
