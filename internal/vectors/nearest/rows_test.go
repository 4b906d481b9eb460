package nearest_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
	"github.com/pegasimd/pegasimd/internal/vectors/nearest"
)

// Half-precision formats hold the small integers exactly, and many scores are equal.
func small(r *rand.Rand, n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(r.IntN(5) - 2)
	}
	return v
}

func score(by nearest.Metric, row, x []float32) float32 {
	var xy, xx, yy, squares float64
	for i, v := range x {
		a, b := float64(v), float64(row[i])
		xy, xx, yy, squares = xy+a*b, xx+a*a, yy+b*b, squares+(a-b)*(a-b)
	}
	switch {
	case by == nearest.ByDot:
		return float32(xy)
	case by == nearest.ByDistance:
		return float32(squares)
	case xx == 0 || yy == 0:
		return 0
	}
	return float32(max(-1, min(xy/math.Sqrt(xx*yy), 1)))
}

func sorting(by nearest.Metric, rows [][]float32, idx []uint32, x []float32,
	most int) []nearest.Hit {
	var all []nearest.Hit
	for i := range rows {
		if idx == nil {
			all = append(all, nearest.Hit{Row: i, Score: score(by, rows[i], x)})
		}
	}
	for _, i := range idx {
		all = append(all, nearest.Hit{Row: int(i), Score: score(by, rows[i], x)})
	}
	slices.SortFunc(all, func(a, b nearest.Hit) int {
		switch {
		case a.Score == b.Score:
			return a.Row - b.Row
		case a.Score > b.Score == (by != nearest.ByDistance):
			return -1
		}
		return 1
	})
	return all[:min(most, len(all))]
}

type search struct {
	name string
	idx  []uint32
	top  func(dst []nearest.Hit, by nearest.Metric, x []float32) []nearest.Hit
	many func(dst [][]nearest.Hit, by nearest.Metric, queries [][]float32, threads int)
}

func newSearch[E float32 | uint16](name string, count, n int, s nearest.Rows[E]) search {
	s.N, s.Count = n, count
	if s.Idx != nil {
		s.Count = len(s.Idx)
	}
	return search{name, s.Idx,
		func(dst []nearest.Hit, by nearest.Metric, x []float32) []nearest.Hit {
			return nearest.Top(&s, dst, by, x)
		},
		func(dst [][]nearest.Hit, by nearest.Metric, queries [][]float32, threads int) {
			nearest.TopMany(&s, dst, by, queries, threads, 10)
		}}
}

func layouts(flat []float32, stride, n, count int) (all []search) {
	var idx []uint32
	for i := range count {
		if i%3 != 1 {
			idx = append(idx, uint32((i*7919+3)%count))
		}
	}
	bytes := []byte{0} // one byte, so that the floats start at an odd address
	for _, v := range flat {
		bytes = binary.LittleEndian.AppendUint32(bytes, math.Float32bits(v))
	}
	var each [][]float32
	var blobs [][]byte
	matrix := matrices.NewDense(count, n)
	for i := range count {
		each = append(each, flat[i*stride:][:n:n])
		blobs = append(blobs, bytes[1:][4*i*stride:][:4*n])
		copy(matrix.Row(i), each[i])
	}
	for name, s := range map[string]nearest.Rows[float32]{
		"one slice":     {Slice: flat, Stride: stride},
		"picked":        {Slice: flat, Stride: stride, Idx: idx},
		"slices":        {Slices: each},
		"bytes":         {Bytes: bytes[1:], Stride: 4 * stride},
		"aligned bytes": {Bytes: slices.Clone(bytes[1:]), Stride: 4 * stride},
		"byte slices":   {ByteSlices: blobs},
		"matrix":        {Matrix: matrix},
	} {
		all = append(all, newSearch(name, count, n, s))
	}
	for _, bfloat16 := range []bool{false, true} {
		// Tests with rows that float16 cannot represent skip it.
		half := make([]uint16, len(flat))
		asm.PackHalves(half, flat, bfloat16)
		for _, idx := range [][]uint32{nil, idx} {
			all = append(all, newSearch(fmt.Sprintf("half, bfloat16 %t", bfloat16), count, n,
				nearest.Rows[uint16]{Slice: half, Stride: stride, Bfloat16: bfloat16, Idx: idx}))
		}
	}
	return all
}

func TestTopIsSorting(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for _, shape := range [][2]int{{1, 1}, {7, 3}, {60, 5}, {256, 2}, {300, 9}, {4500, 3}} {
		count, n := shape[0], shape[1]
		stride := n + r.IntN(3)
		flat := small(r, (count-1)*stride+n) // no gap after the last row
		rows := make([][]float32, count)
		for i := range rows {
			rows[i] = flat[i*stride:][:n]
		}
		// The last query is all zeros.
		queries := [][]float32{small(r, n), small(r, n), make([]float32, n)}
		for _, s := range layouts(flat, stride, n, count) {
			check := func(by nearest.Metric, x []float32, got []nearest.Hit, most int) {
				t.Helper()
				if want := sorting(by, rows, s.idx, x, most); !slices.Equal(got, want) {
					t.Fatalf("%s, metric %d, %d rows of %d: got %v, want %v", s.name, by, count, n,
						got, want)
				}
			}
			for by := nearest.ByDot; by <= nearest.ByDistance; by++ {
				for _, most := range []int{0, 1, 2, 11, count + 2} { // length of dst
					if most > 11 && count > 300 {
						continue
					}
					x, dst := queries[r.IntN(3)], make([]nearest.Hit, most)
					got := s.top(dst, by, x)
					check(by, x, got, most)
					if len(got) != cap(got) || len(got) > 0 && &got[0] != &dst[0] {
						t.Fatalf("%s: the hits are not the beginning of dst, or have more capacity",
							s.name)
					}
				}
				for _, threads := range []int{1, 3} {
					for _, q := range []int{1, 3} {
						sizes := [3]int{4, 9, 1}
						dst := make([][]nearest.Hit, q)
						for q := range dst {
							dst[q] = make([]nearest.Hit, sizes[q])
						}
						s.many(dst, by, queries[:q], threads)
						for q, hits := range dst {
							check(by, queries[q], hits, sizes[q])
						}
					}
				}
			}
		}
	}
}

func TestTopBeyondFloat32(t *testing.T) {
	for _, n := range []int{2, 3000} { // half-precision rows beyond 2048 elements are not unpacked
		for _, c := range []struct {
			by      nearest.Metric
			x       float32   // first element of the query; the others are 0
			first   []float32 // first elements of the rows; the others are 0
			want    []int     // rows, best first
			float16 bool      // whether float16 holds the rows' elements
		}{
			{nearest.ByDot, 0x1p-149, []float32{0x1p-14, 0x1p-12, -0x1p-13, 0, 0x1p-13},
				[]int{1, 4, 0, 3, 2}, true},
			{nearest.ByDot, 0x1p127, []float32{4, 16, -8, 0, 8}, []int{1, 4, 0, 3, 2}, true},
			{nearest.ByDistance, 0x1p-100, []float32{0x1p-101, 0x1p-100, -0x1p-100, 0x1.8p-100, 0},
				[]int{1, 0, 3, 4, 2}, false},
			{nearest.ByDistance, 0x1p100, []float32{0x1p101, 0x1p100, -0x1p100, 0x1.8p100, 0},
				[]int{1, 3, 0, 4, 2}, false},
			{nearest.ByCosine, 0x1p-100, []float32{-0x1p-101, 0, 0x1p-100}, []int{2, 1, 0}, false},
		} {
			flat, x := make([]float32, len(c.first)*n), make([]float32, n)
			for i, v := range c.first {
				flat[i*n] = v
			}
			x[0] = c.x
			for _, s := range layouts(flat, n, n, len(c.first)) {
				if s.idx != nil || s.name == "half, bfloat16 false" && !c.float16 {
					continue
				}
				var rows []int
				for _, h := range s.top(make([]nearest.Hit, len(c.first)), c.by, x) {
					rows = append(rows, h.Row)
				}
				if !slices.Equal(rows, c.want) {
					t.Errorf("%s, n = %d, metric %d of %v and %v: got rows %v, want %v", s.name, n,
						c.by, c.x, c.first, rows, c.want)
				}
			}
		}
	}
}

func TestUnknownMetric(t *testing.T) {
	for _, s := range layouts(make([]float32, 12), 4, 3, 3) {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", s.name)
				}
			}()
			s.top(make([]nearest.Hit, 1), nearest.ByL1+1, make([]float32, 3))
		}()
	}
}
