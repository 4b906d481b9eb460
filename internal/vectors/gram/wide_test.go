package gram

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"testing"
)

func (s *SparseSum) At(i, j int) float64 { return s.sum[min(i, j)*s.dim+max(i, j)] }

func sparseRows(n, dim, nonzeros int) (sparse, dense []Row) {
	r := rand.New(rand.NewPCG(uint64(n), uint64(dim)))
	for range n {
		c := 2*r.Float64() - 1
		s, d := Row{Index: []int32{}, C: c}, Row{Values: make([]float32, dim), C: c}
		for j := range dim {
			if r.IntN(dim) < nonzeros {
				v := 2*r.Float32() - 1
				s.Index, s.Values = append(s.Index, int32(j)), append(s.Values, v)
				d.Values[j] = v
			}
		}
		sparse, dense = append(sparse, s), append(dense, d)
	}
	return sparse, dense
}

func addAll(s *SparseSum, rows []Row, threads int) {
	s.Add(len(rows), func(r int) Row { return rows[r] }, threads)
}

func TestWide(t *testing.T) {
	for _, dim := range []int{1, 2, 17, 60} {
		for _, n := range []int{0, 1, 200} {
			sparse, dense := sparseRows(n, dim, 1+dim/3)
			eachPath(t, func(t *testing.T) {
				for _, threads := range []int{1, 2, 8} {
					s := NewSparseSum(dim)
					addAll(s, sparse, threads)
					checkWide(t, s, dense)
				}
			})
		}
	}
}

func checkWide(t *testing.T, s *SparseSum, dense []Row) {
	t.Helper()
	for i := range s.Dim() {
		upper := make([]float64, s.Dim())
		s.Upper(i, upper)
		for j := i; j < s.Dim(); j++ {
			var want float64
			for _, x := range dense {
				want += float64(float64(x.C*float64(x.Values[i])) * float64(x.Values[j]))
			}
			if s.At(i, j) != want || s.At(j, i) != want || upper[j] != want {
				t.Fatalf("element (%d, %d) of %d is %v, %v and %v, want %v", i, j, s.Dim(),
					s.At(i, j), s.At(j, i), upper[j], want)
			}
		}
	}
}

func TestWideTakesAway(t *testing.T) {
	const dim = 30
	rows, _ := sparseRows(400, dim, 10)
	for i := range rows {
		rows[i].C = math.Abs(rows[i].C)
	}
	s := NewSparseSum(dim)
	addAll(s, rows, 1)
	for i := range rows[:390] {
		rows[i].C = -rows[i].C
	}
	addAll(s, rows[:390], 2)
	few := NewSparseSum(dim)
	addAll(few, rows[390:], 1)
	for i := range dim {
		for j := range dim {
			if d := math.Abs(s.At(i, j) - few.At(i, j)); d > 1e-15*400 {
				t.Errorf("element (%d, %d) is off by %v", i, j, d)
			}
		}
	}
	s.Reset()
	if addAll(s, rows[390:], 1); s.At(3, 5) != few.At(3, 5) {
		t.Error("a sum is wrong after Reset")
	}
}

const sparseGolden = "72e59b5d7e51b61564d0af32b4758d2df5ee921d43685f5870247e3a61fa8e7b"

func TestWideGolden(t *testing.T) {
	rows, _ := sparseRows(300, 90, 50)
	eachPath(t, func(t *testing.T) {
		s, h := NewSparseSum(90), sha256.New()
		addAll(s, rows, 2)
		for i := range 90 {
			for j := range i + 1 {
				h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(s.At(i, j))))
			}
		}
		if got := hex.EncodeToString(h.Sum(nil)); got != sparseGolden {
			t.Errorf("hash is %s, want %s", got, sparseGolden)
		}
	})
}
