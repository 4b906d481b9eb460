package nearest_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/vectors/nearest"
)

func TestTopManyIsTop(t *testing.T) {
	for _, isa := range asm.Available() {
		t.Run(isa.String(), func(t *testing.T) {
			defer asm.Use(asm.Use(isa))
			r := rand.New(rand.NewPCG(11, 12))
			for kind, fill := range kinds {
				for _, n := range []int{1, 63, 64, 65, 100, 200, 768, 2100} {
					checkMany(t, r, kind, fill, n, 1+r.IntN(8*256/min(n, 256)), 1+r.IntN(9))
				}
				checkMany(t, r, kind, fill, 2, 1100, 3)   // more rows than a chunk has
				checkMany(t, r, kind, fill, 70, 130, 37)  // more queries than a batch has
				checkMany(t, r, kind, fill, 1500, 100, 4) // more elements than a chunk has
			}
			if isa != asm.Generic {
				checkMany(t, r, "long", kinds["normal"], asm.Block+1, 9, 5)
				checkMany(t, r, "long", kinds["normal"], asm.Block, 9, 5)
			}
		})
	}
}

var kinds = map[string]func(r *rand.Rand, v []float32){
	"normal": func(r *rand.Rand, v []float32) {
		for i := range v {
			v[i] = float32(r.NormFloat64())
		}
	},
	// All elements are 0 or 1, or all are 0 or -1, so that many scores are equal.
	"ties": func(r *rand.Rand, v []float32) {
		for i := range v {
			v[i] = float32(r.IntN(2)) * float32(1-2*(len(v)&1))
		}
	},
	// All cosines are nearly 1 or nearly -1.
	"alike": func(r *rand.Rand, v []float32) {
		sign := float32(1 - 2*r.IntN(2))
		for i := range v {
			v[i] = sign * float32(i%7+1)
		}
		v[r.IntN(len(v))] *= 1 + 0x1p-22*float32(r.IntN(4))
	},
	// Some sums of squares are beyond the range of float32.
	"scaled": func(r *rand.Rand, v []float32) {
		scale := float32(math.Ldexp(1, r.IntN(240)-120))
		if r.IntN(4) == 0 {
			scale = 0
		}
		for i := range v {
			v[i] = scale * float32(r.NormFloat64())
		}
	},
	"few infinite or NaN": func(r *rand.Rand, v []float32) {
		for i := range v {
			v[i] = float32(r.NormFloat64())
		}
		switch r.IntN(9) {
		case 0:
			v[r.IntN(len(v))] = float32(math.Inf(1))
		case 1:
			v[r.IntN(len(v))] = float32(math.NaN())
		}
	},
}

func checkMany(t *testing.T, r *rand.Rand, kind string, fill func(r *rand.Rand, v []float32),
	n, count, queries int) {
	stride := n + r.IntN(3)
	flat := make([]float32, (count-1)*stride+n)
	for i := range count {
		fill(r, flat[i*stride:][:n])
	}
	all := make([][]float32, queries)
	for q := range all {
		all[q] = make([]float32, n)
		fill(r, all[q])
		if r.IntN(4) == 0 {
			copy(all[q], flat[r.IntN(count)*stride:]) // the query equals this row
		}
	}
	for _, s := range layouts(flat, stride, n, count) {
		for by := nearest.ByDot; by <= nearest.ByDistance; by++ {
			dst := make([][]nearest.Hit, queries)
			for q := range dst {
				dst[q] = make([]nearest.Hit, []int{0, 1, 3, 10, count + 1}[r.IntN(5)])
			}
			lengths := make([]int, queries)
			for q := range dst {
				lengths[q] = len(dst[q])
			}
			s.many(dst, by, all, 1+r.IntN(2))
			for q, got := range dst {
				want := s.top(make([]nearest.Hit, lengths[q]), by, all[q])
				if !slices.EqualFunc(got, want, same) {
					t.Fatalf("%s, %s, metric %d, %d rows of %d, query %d of %d:\ngot  %v\nwant %v", kind,
						s.name, by, count, n, q, queries, got, want)
				}
			}
		}
	}
}

func same(a, b nearest.Hit) bool {
	return a.Row == b.Row && (math.Float32bits(a.Score) == math.Float32bits(b.Score) ||
		a.Score != a.Score && b.Score != b.Score)
}

func TestTopManyAllocatesNothing(t *testing.T) {
	const n, count = 70, 300
	r := rand.New(rand.NewPCG(3, 3))
	flat, queries := small(r, count*n), [][]float32{small(r, n), small(r, n), small(r, n), small(r, n)}
	half := make([]uint16, len(flat))
	dst := make([][]nearest.Hit, len(queries))
	hits := make([]nearest.Hit, 10*len(dst))
	floats := nearest.Rows[float32]{Slice: flat, Stride: n, N: n, Count: count}
	halves := nearest.Rows[uint16]{Slice: half, Stride: n, N: n, Count: count}
	for by := nearest.ByDot; by <= nearest.ByDistance; by++ {
		got := testing.AllocsPerRun(5, func() {
			for q := range dst {
				dst[q] = hits[10*q:][:10]
			}
			nearest.TopMany(&floats, dst, by, queries, 1, nearest.RowsPerRun)
			for q := range dst {
				dst[q] = hits[10*q:][:10]
			}
			nearest.TopMany(&halves, dst, by, queries, 1, nearest.RowsPerRun)
		})
		if got != 0 {
			t.Errorf("metric %d: %v allocations", by, got)
		}
	}
}
