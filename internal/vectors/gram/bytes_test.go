package gram

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func byteRows(n, dim int) [][]byte {
	r := rand.New(rand.NewPCG(uint64(n), uint64(dim)))
	rows := make([][]byte, n)
	for i := range rows {
		rows[i] = make([]byte, dim)
		for j := range rows[i] {
			rows[i][j] = byte(r.Uint32())
			if j%5 == 0 {
				rows[i][j] = 255
			}
		}
	}
	return rows
}

func checkBytes(t *testing.T, s *Bytes, rows [][]byte) {
	t.Helper()
	row, diagonal := make([]float64, s.Dim()), make([]float64, s.Dim())
	s.Diagonal(diagonal)
	for i := range s.Dim() {
		s.Upper(i, row)
		if diagonal[i] != row[i] {
			t.Fatalf("element %d of the diagonal is %v, of its row %v", i, diagonal[i], row[i])
		}
		for j := i; j < s.Dim(); j++ {
			var want int64
			for _, x := range rows {
				want += int64(x[i]) * int64(x[j])
			}
			if s.At(i, j) != want || s.At(j, i) != want || row[j] != float64(want) {
				t.Fatalf("%d rows of %d: element (%d, %d) is %d, %d and %v, want %d", len(rows),
					s.Dim(), i, j, s.At(i, j), s.At(j, i), row[j], want)
			}
		}
	}
}

func TestBytes(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		for _, dim := range []int{1, 12, 33, 50} {
			for _, n := range []int{0, 1, 2, 511, 600, 1025} {
				rows := byteRows(n, dim)
				s := NewBytes(dim)
				at := func(r int) []byte { return rows[r] }
				s.Add(n, at, 1+n%3)
				checkBytes(t, s, rows)
				if n%2 == 1 {
					s.SetBuffer(NewBuffer(dim))
				}
				s.Remove(n/3, at, 2)
				checkBytes(t, s, rows[n/3:])
				s.Reset()
				s.Add(n, at, 1)
				checkBytes(t, s, rows)
			}
		}
	})
}

// The sums exceed 32-bit integers.
func TestManyBytes(t *testing.T) {
	const dim, n = 3, 100_000
	white := []byte{255, 255, 0}
	s := NewBytes(dim)
	s.Add(n, func(int) []byte { return white }, 1)
	if got, want := s.At(0, 1), int64(n)*255*255; got != want {
		t.Errorf("%d white pixels: %d, want %d", n, got, want)
	}
	s.Remove(n, func(int) []byte { return white }, 1)
	if got := fmt.Sprint(s.At(0, 0), s.At(1, 0), s.At(2, 2)); got != "0 0 0" {
		t.Errorf("all rows removed: elements %s, want 0", got)
	}
	// Up to smallRows rows need no 64-bit sum, even if rows were added and removed before.
	s.Reset()
	for range 4 {
		s.Add(smallRows, func(int) []byte { return white }, 1)
		row := make([]float64, dim)
		s.Upper(0, row)
		if s.sum != nil || row[1] != smallRows*255*255 || s.At(0, 0) != int64(row[1]) {
			t.Errorf("%d white pixels: row %v, element (0, 0) %d, a 64-bit sum %v", smallRows, row,
				s.At(0, 0), s.sum != nil)
		}
		s.Remove(smallRows, func(int) []byte { return white }, 1)
	}
	s.Add(smallRows, func(int) []byte { return white }, 1)
	s.Add(1, func(int) []byte { return white }, 1)
	if got, want := s.At(0, 1), int64(smallRows+1)*255*255; s.sum == nil || got != want {
		t.Errorf("%d white pixels: %d, want %d; a 64-bit sum %v", smallRows+1, got, want,
			s.sum != nil)
	}
}
