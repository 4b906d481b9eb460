package matrices

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func diagonal(rows int) (starts []int64, indices []int32, values []float32) {
	starts = []int64{0}
	for i := range rows {
		starts = append(starts, int64(i+1))
		indices, values = append(indices, int32(i)), append(values, float32(i+1))
	}
	return starts, indices, values
}

func paddedRows(rows, cols int) []float32 {
	m := NewDense(rows, cols)
	for i := range rows {
		for j := range cols {
			m.Row(i)[j] = float32(i + 1)
		}
	}
	return m.values
}

func panicked(f func()) (text string) {
	defer func() {
		if v := recover(); v != nil {
			text = fmt.Sprint(v)
		}
	}()
	f()
	return ""
}

type lazy interface {
	Guard() *Guard
	CheckAll() error
	first(i int) float32 // first stored value of row i; 0 if there is none
}

func (m *CSR) first(i int) float32 {
	if _, values := m.CheckedRow(i); len(values) > 0 {
		return values[0]
	}
	return 0
}

func (m *Dense) first(i int) float32 { return m.Row(i)[0] }

func newLazy(t *testing.T, kind string, rows int, c Check) lazy {
	t.Helper()
	var m lazy
	var err error
	if kind == "sparse" {
		starts, indices, values := diagonal(rows)
		m, err = Lazy(rows, starts, indices, values, c)
	} else {
		m, err = LazyDense(rows, 3, paddedRows(rows, 3), c)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestLazyBlocks(t *testing.T) {
	const rows = 11
	for _, kind := range []string{"sparse", "dense"} {
		for shift := range uint(5) {
			var verified [][2]int
			bad := map[int]bool{}
			check := Check{Shift: shift, Verify: func(first, end int) error {
				verified = append(verified, [2]int{first, end})
				if bad[first>>shift] {
					return fmt.Errorf("block %d", first>>shift)
				}
				return nil
			}}
			blocks := (rows-1)>>shift + 1
			for _, which := range [][]int{nil, {0}, {blocks - 1}, {0, blocks - 1}, {blocks / 2}} {
				verified, bad = nil, map[int]bool{}
				for _, b := range which {
					bad[b] = true
				}
				m := newLazy(t, kind, rows, check)
				if m.Guard() == nil || m.Guard().Verified() || m.Guard().Err() != nil || len(verified) > 0 {
					t.Fatalf("%s: a new matrix has the error %v and verified blocks %v", kind,
						m.Guard().Err(), verified)
				}
				for i := rows - 1; i >= 0; i-- { // the last block first
					want := float32(i + 1)
					if bad[i>>shift] {
						want = 0
					}
					for range 2 {
						if have := m.first(i); have != want {
							t.Errorf("%s, blocks of %d, bad %v: row %d: %v, want %v", kind,
								1<<shift, which, i, have, want)
						}
					}
				}
				var want [][2]int
				for b := blocks - 1; b >= 0; b-- {
					want = append(want, [2]int{b << shift, min(rows, (b+1)<<shift)})
				}
				if !slices.Equal(verified, want) {
					t.Errorf("%s: verified %v, want %v", kind, verified, want)
				}
				text := ""
				if len(which) > 0 {
					text = fmt.Sprintf("block %d", which[0])
				}
				if err := m.Guard().Err(); err == nil != (text == "") || err != nil && err.Error() != text {
					t.Errorf("%s, bad blocks %v: error %v", kind, which, err)
				}
				if m.Guard().Verified() != (which == nil) {
					t.Errorf("%s, bad blocks %v: Verified is %v", kind, which, m.Guard().Verified())
				}
			}
		}
	}
}

func TestCheckAll(t *testing.T) {
	damaged := errors.New("damaged")
	for _, kind := range []string{"sparse", "dense"} {
		for bad := range 2 {
			calls := 0
			m := newLazy(t, kind, 9, Check{Shift: 1, Verify: func(first, _ int) error {
				calls++
				if bad == 1 && first >= 4 {
					return damaged
				}
				return nil
			}})
			err := m.CheckAll()
			if bad == 1 {
				if !errors.Is(err, damaged) || m.Guard() == nil || calls != 3 {
					t.Errorf("%s: %v after %d blocks, lazy %v", kind, err, calls, m.Guard() != nil)
				}
				continue
			}
			if err != nil || m.Guard() != nil || !m.Guard().Verified() || calls != 5 || m.CheckAll() != nil {
				t.Errorf("%s: %v after %d blocks, lazy %v", kind, err, calls, m.Guard() != nil)
			}
			if m.first(8) != 9 || m.Guard().WillNeed() != nil || m.Guard().Err() != nil || calls != 5 {
				t.Errorf("%s: row 8 begins with %v, after %d blocks; %v", kind, m.first(8), calls,
					m.Guard().Err())
			}
		}
	}
}

func TestLazyWithoutVerify(t *testing.T) {
	if m := newLazy(t, "dense", 4, Check{}); m.CheckAll() != nil {
		t.Error(m.Guard().Err())
	}
	starts, indices, values := diagonal(8)
	for name, spoil := range map[string]func(starts []int64, indices []int32){
		"column":      func(_ []int64, x []int32) { x[5] = 8 },
		"start":       func(s []int64, _ []int32) { s[5] = -1 },
		"end":         func(s []int64, _ []int32) { s[5] = 9 },
		"descending":  func(s []int64, _ []int32) { s[5] = 3 },
		"two columns": func(s []int64, x []int32) { s[5], x[4], x[3] = 5, 3, 3 },
	} {
		s, x := slices.Clone(starts), slices.Clone(indices)
		spoil(s, x)
		m, err := Lazy(8, s, x, values, Check{Shift: 1})
		if err != nil {
			t.Fatal(err)
		}
		if name == "two columns" { // row 4 has columns 3 and 3
			s[4] = 3
		}
		if m.InBadBlock(0) || !m.InBadBlock(4) || m.InBadBlock(7) || m.Guard().Err() == nil {
			t.Errorf("%s: rows 0, 4 and 7 in bad blocks: %v, %v, %v; error %v", name,
				m.InBadBlock(0), m.InBadBlock(4), m.InBadBlock(7), m.Guard().Err())
		}
		if index, got := m.CheckedRow(5); len(index) > 0 || len(got) > 0 {
			t.Errorf("%s: row 5 of a bad block: %v, %v", name, index, got)
		}
	}
}

func TestLazyNegativeStart(t *testing.T) {
	starts, indices, values := diagonal(8)
	starts[6] = -1
	m, err := Lazy(8, starts, indices, values, Check{Shift: 1})
	if err != nil {
		t.Fatal(err)
	}
	const want = "sparse: row 6 starts at -1, want 0 or more"
	if !m.InBadBlock(7) || m.Guard().Err() == nil || m.Guard().Err().Error() != want {
		t.Errorf("error %v, want %q", m.Guard().Err(), want)
	}
}

func TestLazyArguments(t *testing.T) {
	starts, indices, values := diagonal(3)
	if _, err := Lazy(3, starts[:3], indices, values, Check{}); err == nil {
		t.Error("row starts that end before the last nonzero are accepted")
	}
	for shift, ok := range map[uint]bool{62: true, 63: false} {
		_, err := Lazy(3, starts, indices, values, Check{Shift: shift})
		_, errDense := LazyDense(3, 3, paddedRows(3, 3), Check{Shift: shift})
		if err == nil != ok || errDense == nil != ok {
			t.Errorf("blocks of 2^%d rows: errors %v and %v", shift, err, errDense)
		}
	}
	if _, err := LazyDense(3, 3, make([]float32, 1), Check{}); err == nil {
		t.Error("too few values are accepted")
	}
	for _, kind := range []string{"sparse", "dense"} {
		empty := newLazy(t, kind, 0, Check{Shift: 2})
		if !empty.Guard().Verified() || empty.CheckAll() != nil {
			t.Errorf("%s: no rows: error %v", kind, empty.Guard().Err())
		}
		announced := 0
		m := newLazy(t, kind, 3, Check{WillNeed: func(first, end int) { announced += end - first }})
		m.Guard().WillNeed()(0, 2)
		if announced != 2 {
			t.Errorf("%s: %d rows announced", kind, announced)
		}
		for _, i := range []int{-1, 3} {
			if text := panicked(func() { m.first(i) }); !strings.Contains(text,
				fmt.Sprintf("row %d of 3", i)) {
				t.Errorf("%s: row %d: panic %q", kind, i, text)
			}
		}
	}
}

// Every row of a bad dense block is the same slice of zeros.
func TestRowOfBadBlock(t *testing.T) {
	m, err := LazyDense(2, 20, paddedRows(2, 20), Check{
		Verify: func(int, int) error { return errors.New("damaged") },
	})
	if err != nil {
		t.Fatal(err)
	}
	if x, y := m.Row(0), m.Row(1); len(x) != 20 || slices.Max(x) != 0 || &x[0] != &y[0] {
		t.Errorf("rows %v and %v, want one slice of 20 zeros", x, y)
	}
}
