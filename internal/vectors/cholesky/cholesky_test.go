package cholesky

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/asm"
)

type dense struct {
	dim int
	a   []float64
}

func (m dense) Dim() int { return m.dim }

func (m dense) Upper(i int, dst []float64) { copy(dst[i:], m.a[i*m.dim:][i:m.dim]) }

func (m dense) Diagonal(dst []float64) {
	for i := range m.dim {
		dst[i] = m.a[i*m.dim+i]
	}
}

// random returns a positive definite matrix whose rows and columns are scaled by powers of two that
// differ by up to 2^spread.
func random(dim, spread int) dense {
	r := rand.New(rand.NewPCG(uint64(dim), 7))
	g := make([]float64, dim*2*dim)
	for i := range g {
		g[i] = 2*r.Float64() - 1
	}
	scale := make([]float64, dim)
	for i := range scale {
		scale[i] = math.Ldexp(1, r.IntN(spread+1)-spread/2)
	}
	m := dense{dim, make([]float64, dim*dim)}
	for i := range dim {
		for j := i; j < dim; j++ {
			var sum float64
			for k := range 2 * dim {
				sum += float64(g[i*2*dim+k] * g[j*2*dim+k])
			}
			sum *= scale[i] * scale[j]
			m.a[i*dim+j], m.a[j*dim+i] = sum, sum
		}
	}
	return m
}

var dims = []int{1, 2, 3, 11, 12, 13, 31, 33, 54, 62, 95, 96, 97, 123, 200, 293}

func TestSolve(t *testing.T) {
	for _, dim := range dims {
		for _, spread := range []int{0, 40} {
			m := random(dim, spread)
			for _, isa := range asm.Available() {
				previous := asm.Use(isa)
				if worst := solve(t, m); worst > 1e-4 {
					t.Errorf("isa=%v, %d rows, spread 2^%d: x is off by %v", isa, dim, spread,
						worst)
				}
				asm.Use(previous)
			}
		}
	}
}

// solve returns the largest error of a solution, relative to its largest element, for the matrix
// scaled to a unit diagonal.
func solve(t *testing.T, m dense) (worst float64) {
	t.Helper()
	const add, scale = 1e-12, .125
	f := New(m.dim)
	if err := f.Decompose(m, add, scale, 1); err != nil {
		t.Fatal(err)
	}
	unit := func(i int) float64 { return math.Sqrt(scale*m.a[i*m.dim+i] + add) }
	want, b := make([]float64, m.dim), make([]float64, m.dim)
	for i := range want {
		want[i] = float64(i%7-3) / unit(i)
	}
	most := 1e-300
	for i := range b {
		for j, x := range want {
			a := scale * m.a[i*m.dim+j]
			if i == j {
				a += add
			}
			b[i] += a * x
		}
		most = max(most, math.Abs(want[i]*unit(i)))
	}
	f.Solve(b)
	for i, x := range b {
		worst = max(worst, math.Abs(x-want[i])*unit(i)/most)
	}
	return worst
}

const golden = "af31ba60432bcda7d55b86b79810afc39ad27aec565b7414f6bfaa1130319931"

func TestGolden(t *testing.T) {
	matrices := []dense{random(5, 0), random(97, 3), random(200, 28)}
	for _, isa := range asm.Available() {
		for _, threads := range []int{1, 2, 8} {
			previous := asm.Use(isa)
			h := sha256.New()
			for _, m := range matrices {
				f := New(m.dim)
				if err := f.Decompose(m, .5, 2, threads); err != nil {
					t.Fatal(err)
				}
				b := make([]float64, m.dim)
				for i := range b {
					b[i] = float64(i)
					for j := i; j < m.dim; j++ {
						h.Write(binary.LittleEndian.AppendUint32(nil,
							math.Float32bits(f.u[i*f.stride+j])))
					}
				}
				f.Solve(b)
				for _, x := range b {
					h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(x)))
				}
			}
			asm.Use(previous)
			if got := hex.EncodeToString(h.Sum(nil)); got != golden {
				t.Errorf("isa=%v, %d threads: hash is %s, want %s", isa, threads, got, golden)
			}
		}
	}
}

func TestAgain(t *testing.T) {
	good, other := random(70, 6), random(70, 15)
	fresh, used := New(70), New(70)
	bad := dense{70, make([]float64, 70*70)}
	for i := range bad.a {
		bad.a[i] = 1e30 * float64(i%3-1)
	}
	for i := range 70 {
		bad.a[i*71] = 1
	}
	if err := used.Decompose(other, 0, 1, 1); err != nil {
		t.Fatal(err)
	}
	if err := used.Decompose(bad, 0, 1, 1); err == nil {
		t.Error("an indefinite matrix has a factor")
	}
	for _, f := range []*Factor{fresh, used} {
		if err := f.Decompose(good, 0, 1, 1); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 70 {
		for j := i; j < 70; j++ {
			if a, b := fresh.u[i*fresh.stride+j], used.u[i*used.stride+j]; a != b {
				t.Fatalf("element (%d, %d) is %v, and %v in a factor that was used before", i, j,
					a, b)
			}
		}
	}
}

func TestNotDefinite(t *testing.T) {
	for name, m := range map[string]dense{
		"zero":       {1, []float64{0}},
		"negative":   {2, []float64{1, 0, 0, -1}},
		"indefinite": {2, []float64{1, 2, 2, 1}},
		"NaN":        {2, []float64{1, math.NaN(), math.NaN(), 1}},
		"infinite":   {1, []float64{math.Inf(1)}},
		"singular":   {2, []float64{1, 1, 1, 1}},
	} {
		f := New(m.dim)
		if err := f.Decompose(m, 0, 1, 1); err == nil ||
			!strings.Contains(err.Error(), "not positive definite") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	f := New(2)
	if err := f.Decompose(dense{2, []float64{1, 1, 1, 1}}, .25, 1, 1); err != nil {
		t.Errorf("with 0.25 added to the diagonal: %v", err)
	}
}
