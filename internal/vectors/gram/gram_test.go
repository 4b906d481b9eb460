package gram

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pegasimd/pegasimd/internal/asm"
)

func (s *Sum) At(i, j int) float32 {
	s.flush()
	return s.sum[min(i, j)*s.stride+max(i, j)]
}

func rows(n, dim, stride int) (x, c []float32) {
	r := rand.New(rand.NewPCG(uint64(n), uint64(dim)))
	x, c = make([]float32, max((n-1)*stride+dim, 0)), make([]float32, n)
	for i := range x {
		x[i] = 2*r.Float32() - 1
	}
	for i := range c {
		c[i] = r.Float32()
	}
	return x, c
}

func naive(x []float32, stride int, c []float32, i, j int) (sum float32) {
	for done := 0; done < len(c); done += asm.BlockRows {
		var block float32
		for r := done; r < min(done+asm.BlockRows, len(c)); r++ {
			block += float32(float32(c[r]*x[r*stride+i]) * x[r*stride+j])
		}
		sum += block
	}
	return sum
}

var dims = []int{1, 2, 11, 12, 13, 31, 32, 33, 54, 62, 97, 123}

func eachPath(t *testing.T, f func(t *testing.T)) {
	for _, isa := range asm.Available() {
		t.Run(fmt.Sprintf("isa=%v", isa), func(t *testing.T) {
			defer asm.Use(asm.Use(isa))
			f(t)
		})
	}
}

func check(t *testing.T, s *Sum, x []float32, stride int, c []float32) {
	t.Helper()
	for i := range s.Dim() {
		for j := i; j < s.Dim(); j += 1 + j%3 {
			want := naive(x, stride, c, i, j)
			if got := s.At(j, i); got != want || s.At(i, j) != want {
				t.Fatalf("%d rows of %d: element (%d, %d) is %v, (%d, %d) %v, want %v", len(c),
					s.Dim(), j, i, got, i, j, s.At(i, j), want)
			}
		}
	}
}

func TestSum(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, dim := range dims {
			s := New(dim)
			for _, n := range []int{0, 1, 5, 256, 257, 600} {
				for _, threads := range []int{1, 2, 8} {
					stride := dim + n%3
					x, c := rows(n, dim, stride)
					s.Reset()
					s.AddRows(x, stride, c, threads)
					check(t, s, x, stride, c)
				}
			}
		}
	})
}

// The bits do not depend on how the rows are divided among calls.
func TestPortions(t *testing.T) {
	const n, dim = 3000, 70
	x, c := rows(n, dim, dim)
	for _, threads := range []int{1, 2, 3} {
		s := New(dim)
		for done, take := 0, 1; done < n; take = take*3%701 + 1 {
			k := min(take, n-done)
			s.AddRows(x[done*dim:], dim, c[done:][:k], 1+(threads+take)%3)
			done += k
		}
		check(t, s, x, dim, c)
	}
}

// Reading an element ends a block. Reset discards an unfinished block.
func TestBlockEnds(t *testing.T) {
	const dim = 20
	x, c := rows(200, dim, dim)
	s := New(dim)
	s.AddRows(x, dim, c[:100], 1)
	first := s.At(3, 4)
	s.AddRows(x[100*dim:], dim, c[100:], 1)
	if got, want := s.At(3, 4), first+naive(x[100*dim:], dim, c[100:], 3, 4); got != want {
		t.Errorf("after an element was read, the sum is %v, want %v", got, want)
	}
	s.AddRows(x, dim, c, 1)
	s.Reset()
	s.AddRows(x, dim, c[:7], 1)
	check(t, s, x, dim, c[:7])
}

func TestDiagonal(t *testing.T) {
	const dim = 50
	x, c := rows(30, dim, dim)
	s, w := New(dim), NewSparseSum(dim)
	s.AddRows(x, dim, c, 1)
	all := make([]int32, dim)
	for j := range all {
		all[j] = int32(j)
	}
	w.Add(30, func(r int) Row { return Row{all, x[r*dim:][:dim], float64(c[r])} }, 1)
	for name, m := range map[string]Matrix{"Sum": s, "Wide": w} {
		diagonal, row := make([]float64, dim), make([]float64, dim)
		m.Diagonal(diagonal)
		for i, v := range diagonal {
			if m.Upper(i, row); v != row[i] || v <= 0 {
				t.Errorf("%s: element %d of the diagonal is %v, of its row %v", name, i, v, row[i])
			}
		}
	}
}

func TestUpper(t *testing.T) {
	const dim = 50
	x, c := rows(30, dim, dim)
	s := New(dim)
	s.AddRows(x, dim, c, 1)
	row := make([]float64, dim)
	for i := range dim {
		for j := range row {
			row[j] = -1
		}
		s.Upper(i, row)
		for j, v := range row {
			want := -1.0
			if j >= i {
				want = float64(naive(x, dim, c, i, j))
			}
			if v != want {
				t.Fatalf("element (%d, %d) is %v, want %v", i, j, v, want)
			}
		}
	}
}

const golden = "d2da021025e2d0d043da07345c29ea959ebbe92ed7216efc9e67560f7ce47a9b"

func TestGolden(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		h := sha256.New()
		for _, dim := range []int{7, 54, 123} {
			x, c := rows(1000, dim, dim)
			s := New(dim)
			s.AddRows(x, dim, c, 2)
			for i := range dim {
				for j := range i + 1 {
					h.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(s.At(i, j))))
				}
			}
		}
		if got := hex.EncodeToString(h.Sum(nil)); got != golden {
			t.Errorf("hash is %s, want %s", got, golden)
		}
	})
}

func TestWrongCalls(t *testing.T) {
	for name, f := range map[string]func(){
		"stride": func() { New(5).AddRows(make([]float32, 20), 4, []float32{1}, 1) },
		"rows":   func() { New(2).AddRows(make([]float32, 3), 2, []float32{1, 2}, 1) },
		"dim":    func() { New(-1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}
