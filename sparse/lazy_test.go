package sparse

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
)

func arrays(r *rand.Rand, rows, cols int) (starts []int64, indices []int32, values []float32) {
	starts = []int64{0}
	for range rows {
		for j := r.IntN(4); j < cols; j += 1 + r.IntN(cols) {
			indices = append(indices, int32(j))
			values = append(values, float32(r.NormFloat64()))
		}
		starts = append(starts, int64(len(values)))
	}
	return starts, indices, values
}

func lazy(
	cols int, starts []int64, indices []int32, values []float32,
	shift uint, verify func(first, end int) error,
) (*Matrix, error) {
	check := matrices.Check{Shift: shift, Verify: verify}
	m, err := matrices.Lazy(cols, starts, indices, values, check)
	return (*Matrix)(m), err
}

func TestLazy(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, rows := range []int{0, 1, 7, 8, 9, 100} {
		starts, indices, values := arrays(r, rows, 20)
		want, err := New(20, starts, indices, values)
		if err != nil {
			t.Fatal(err)
		}
		for shift := range uint(9) {
			var mu sync.Mutex
			verified := map[int]int{}
			got, err := lazy(20, starts, indices, values, shift, func(first, end int) error {
				mu.Lock()
				verified[first] = end
				mu.Unlock()
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			w := make([]float32, 20)
			for j := range w {
				w[j] = float32(j)
			}
			check := func(order []int) {
				for _, i := range order {
					a, b := slices.Clone(w), slices.Clone(w)
					got.Axpy(i, 2, a)
					want.Axpy(i, 2, b)
					idx, val := got.Row(i)
					idxWant, valWant := want.Row(i)
					if got.Dot(i, w) != want.Dot(i, w) ||
						got.SumSquares(i) != want.SumSquares(i) || !slices.Equal(a, b) ||
						!slices.Equal(idx, idxWant) || !slices.Equal(val, valWant) {
						t.Errorf("row %d of %d differs", i, rows)
					}
				}
			}
			var wg sync.WaitGroup
			wg.Add(3)
			for range 3 {
				order := r.Perm(rows)
				go func() {
					defer wg.Done()
					check(order)
				}()
			}
			wg.Wait()
			for first := 0; first < rows; first += 1 << shift {
				if verified[first] != min(rows, first+1<<shift) {
					t.Errorf("%d rows in blocks of %d: %v", rows, 1<<shift, verified)
				}
			}
			if got.Err() != nil || want.Err() != nil || got.Rows() != rows ||
				got.NNZ() != want.NNZ() {
				t.Errorf("%d rows, %d nonzeros and error %v, want %d, %d and %v", got.Rows(), got.NNZ(),
					got.Err(), rows, want.NNZ(), want.Err())
			}
		}
	}
}

// An invalid row makes the rows of its block empty.
func TestLazyBad(t *testing.T) {
	const rows, cols, shift = 20, 10, 2
	starts, indices, values := make([]int64, rows+1), make([]int32, 2*rows), make([]float32, 2*rows)
	for i := range rows {
		starts[i+1] = int64(2*i + 2)
		indices[2*i+1] = 5
		values[2*i], values[2*i+1] = 1, 1
	}
	verifyErr := errors.New("checksum")
	for name, c := range map[string]struct {
		spoil  func(starts []int64, indices []int32)
		verify func(first, end int) error
		want   string
		blocks int // invalid blocks of 4 rows, from row 8 on
	}{
		"index too large": {func(s []int64, x []int32) { x[19] = cols }, nil,
			"sparse: row 9: column 10 after 0: want strictly ascending columns from 0 and below 10", 1},
		"index negative": {func(s []int64, x []int32) { x[18] = -1 }, nil,
			"sparse: row 9: column -1: want strictly ascending columns from 0 and below 10", 1},
		"index twice": {func(s []int64, x []int32) { x[18] = 5 }, nil,
			"sparse: row 9: column 5 after 5: want strictly ascending columns from 0 and below 10", 1},
		"start past the end": {func(s []int64, x []int32) { s[10] = 1 << 40 }, nil,
			"sparse: row 9 ends at 1099511627776, past the last of the 40 nonzeros", 1},
		"start negative": {func(s []int64, x []int32) { s[10] = -1 << 40 }, nil,
			"sparse: row 9 ends at -1099511627776, before it starts, at 18", 1},
		"start of a block": {func(s []int64, x []int32) { s[12] = 1 << 40 }, nil,
			"sparse: row 11 ends at 1099511627776, past the last of the 40 nonzeros", 2},
		"not verified": {func(s []int64, x []int32) {}, func(first, end int) error {
			if first == 8 {
				return fmt.Errorf("rows %d to %d: %w", first, end-1, verifyErr)
			}
			return nil
		}, "rows 8 to 11: checksum", 1},
	} {
		t.Run(name, func(t *testing.T) {
			s, x := slices.Clone(starts), slices.Clone(indices)
			c.spoil(s, x)
			m, err := lazy(cols, s, x, values, shift, c.verify)
			if err != nil {
				t.Fatal(err)
			}
			w := make([]float32, cols)
			w[0], w[5] = 1, 2
			if m.Dot(0, w) != 3 || m.Err() != nil {
				t.Errorf("row 0: dot product %v and error %v, want 3 and none", m.Dot(0, w), m.Err())
			}
			for i := rows - 1; i >= 0; i-- { // the later of two invalid blocks first
				want := float32(3)
				if i >= 8 && i < 8+4*c.blocks {
					want = 0
				}
				y := slices.Clone(w)
				m.Axpy(i, 1, y)
				idx, val := m.Row(i)
				if m.Dot(i, w) != want || y[5] != 2+want/3 || len(idx) != int(2*want/3) ||
					len(val) != len(idx) || m.SumSquares(i) != 2*want/3 {
					t.Errorf("row %d: Dot is %v, want %v; Axpy gives %v, Row %v %v, SumSquares %v", i,
						m.Dot(i, w), want, y, idx, val, m.SumSquares(i))
				}
			}
			if err := m.Err(); err == nil || err.Error() != c.want {
				t.Errorf("Err is %v, want %s", err, c.want)
			}
		})
	}
	for _, c := range []struct {
		cols   int
		starts []int64
		shift  uint
		want   string
	}{
		{-1, starts, 0, "columns"},
		{cols, starts[:5], 0, "row starts must begin with 0 and end with"},
		{cols, nil, 0, "row starts must begin with 0 and end with"},
		{cols, starts, 63, "blocks of 2^63 rows"},
	} {
		if _, err := lazy(c.cols, c.starts, indices, values, c.shift, nil); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	if _, err := lazy(cols, starts, indices[1:], values, 0, nil); err == nil {
		t.Error("fewer indices than values: no error")
	}
}
