package dense_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/testing/asmtest"
)

// differ returns the first index at which the bits differ and not both are NaN, or -1.
func differ(a, b []float32) int {
	for i := range a {
		if math.Float32bits(a[i]) != math.Float32bits(b[i]) && (a[i] == a[i] || b[i] == b[i]) {
			return i
		}
	}
	return -1
}

func timesBeta(beta float32, y []float32) {
	for i := range y {
		if beta == 0 {
			y[i] = 0
		} else {
			y[i] *= beta
		}
	}
}

var factors = []float32{0, 1, -1, 2.5, 0.3}

func TestGemvMeaning(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 9))
		for range 300 {
			m, n := r.IntN(40), r.IntN(90)
			if r.IntN(10) == 0 {
				m += 600
			}
			lda := n + r.IntN(3)
			a, x, y := numbers(m*lda+n), numbers(n), numbers(m)
			alpha, beta := factors[r.IntN(5)], factors[r.IntN(5)]
			if beta == 0 && m > 0 {
				y[0] = float32(math.NaN()) // Gemv must not read y
			}
			want, got := slices.Clone(y), slices.Clone(y)
			timesBeta(beta, want)
			for i := range want {
				if alpha != 0 && beta == 0 {
					want[i] = alpha * dense.Dot(a[i*lda:][:n], x)
				} else if alpha != 0 {
					want[i] = float32(alpha*dense.Dot(a[i*lda:][:n], x)) + want[i]
				}
			}
			dense.Gemv(alpha, a, lda, x, beta, got)
			if i := differ(got, want); i >= 0 {
				t.Fatalf("Gemv %d x %d, alpha %v, beta %v: [%d] is %v, want %v", m, n, alpha, beta, i,
					got[i], want[i])
			}

			u, v := numbers(m), numbers(n)
			want, got = slices.Clone(v), slices.Clone(v)
			timesBeta(beta, want)
			for i := range u {
				if alpha != 0 {
					dense.Axpy(alpha*u[i], a[i*lda:][:n], want)
				}
			}
			dense.GemvT(alpha, a, lda, u, beta, got)
			if i := differ(got, want); i >= 0 {
				t.Fatalf("GemvT %d x %d, alpha %v, beta %v: [%d] is %v, want %v", m, n, alpha, beta,
					i, got[i], want[i])
			}

			want, got = slices.Clone(a), slices.Clone(a)
			for i := range u {
				if alpha != 0 {
					dense.Axpy(alpha*u[i], v, want[i*lda:][:n])
				}
			}
			dense.Ger(alpha, u, v, got, lda)
			if i := differ(got, want); i >= 0 {
				t.Fatalf("Ger %d x %d, alpha %v: [%d] is %v, want %v", m, n, alpha, i, got[i],
					want[i])
			}
		}
	})
}

func TestLargeGer(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		const m, n, lda = 61, 70_000, 70_001
		a, x, y := numbers(m*lda), numbers(m), numbers(n)
		got := slices.Clone(a)
		for i, v := range x {
			dense.Axpy(.3*v, y, a[i*lda:][:n])
		}
		if dense.Ger(.3, x, y, got, lda); differ(got, a) >= 0 {
			t.Errorf("element %d differs", differ(got, a))
		}
	})
}

func TestGemmMeaning(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(2, 9))
		for range 60 {
			checkGemm(t, r, r.IntN(40), r.IntN(80), r.IntN(30))
		}
		checkGemm(t, r, 13, 33, 600)
		checkGemm(t, r, 25, 600, 20)
		for range 4 { // enough for several threads and for panels of both factors
			checkGemm(t, r, 270, 300, 270)
		}
	})
}

func checkGemm(t *testing.T, r *rand.Rand, m, n, k int) {
	t.Helper()
	alpha, beta := factors[r.IntN(5)], factors[r.IntN(5)]
	factor := func(rows, cols int) (f dense.Factor, at func(i, j int) float32) {
		f.Transposed = r.IntN(2) == 0
		if f.Transposed {
			rows, cols = cols, rows
		}
		f.Stride = cols + r.IntN(3)
		f.Data = numbers(max(0, (rows-1)*f.Stride+cols))
		return f, func(i, j int) float32 {
			if f.Transposed {
				i, j = j, i
			}
			return f.Data[i*f.Stride+j]
		}
	}
	a, atA := factor(m, k)
	b, atB := factor(k, n)
	ldc := n + r.IntN(3)
	c := numbers(m * ldc)
	if beta == 0 && len(c) > 0 && n > 0 {
		c[0] = float32(math.NaN()) // Gemm must not read C
	}
	want := slices.Clone(c)
	for i := range m {
		timesBeta(beta, want[i*ldc:][:n])
		for j := range n {
			sum := want[i*ldc+j]
			for first := 0; first < k && alpha != 0; first += 256 {
				var block float32
				for l := first; l < min(first+256, k); l++ {
					block += float32(float32(alpha*atA(i, l)) * atB(l, j))
				}
				sum += block
			}
			want[i*ldc+j] = sum
		}
	}
	for _, threads := range []int{1, 3} {
		got := slices.Clone(c)
		dense.Gemm(m, n, k, alpha, a, b, beta, got, ldc, threads)
		if i := differ(got, want); i >= 0 {
			t.Fatalf("%d x %d x %d, transposed %v %v, alpha %v, beta %v, threads %d: element %d, "+
				"%d: got %v, want %v", m, n, k, a.Transposed, b.Transposed, alpha, beta, threads,
				i/ldc, i%ldc, got[i], want[i])
		}
	}
}

func TestMatricesAllocateNothing(t *testing.T) {
	a, x, y := numbers(400), numbers(20), numbers(20)
	f := dense.Factor{Data: a, Stride: 20}
	c := make([]float32, 400)
	for name, call := range map[string]func(){
		"Gemv":  func() { dense.Gemv(2, a, 20, x, 1, y) },
		"GemvT": func() { dense.GemvT(2, a, 20, x, 1, y) },
		"Ger":   func() { dense.Ger(2, x, y, a, 20) },
		"Gemm":  func() { dense.Gemm(20, 20, 20, 2, f, f, 1, c, 20, 1) },
	} {
		if got := testing.AllocsPerRun(10, call); got != 0 && !asmtest.Race {
			t.Errorf("%s: %v allocations a call", name, got)
		}
	}
}
