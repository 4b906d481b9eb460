package quant_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/testing/asmtest"
	"github.com/pegasimd/pegasimd/quant"
)

// vectors sets v, which is all zeros, to vector i of a set.
type vectors func(r *rand.Rand, i int, v []float32)

var hostile = map[string]vectors{
	"normal": func(r *rand.Rand, i int, v []float32) { fill(v, r.NormFloat64) },
	"clusters": func(r *rand.Rand, i int, v []float32) {
		center := rand.New(rand.NewPCG(uint64(i%7), 1))
		fill(v, func() float64 { return center.NormFloat64() + .3*r.NormFloat64() })
	},
	"common mean": func(r *rand.Rand, i int, v []float32) {
		mean := rand.New(rand.NewPCG(1, 1))
		fill(v, func() float64 { return 1000*mean.NormFloat64() + r.NormFloat64() })
	},
	"multiples of one vector": func(r *rand.Rand, i int, v []float32) {
		mean, factor := rand.New(rand.NewPCG(1, 1)), 1+r.NormFloat64()
		fill(v, func() float64 { return factor*mean.NormFloat64() + .01*r.NormFloat64() })
	},
	"heavy tails": func(r *rand.Rand, i int, v []float32) {
		fill(v, func() float64 { return math.Pow(r.NormFloat64()/r.Float64(), 3) })
	},
	"ties": func(r *rand.Rand, i int, v []float32) {
		fill(v, func() float64 { return float64(r.IntN(2)) })
	},
	"few distinct rows": func(r *rand.Rand, i int, v []float32) {
		row := rand.New(rand.NewPCG(uint64(i%5), 1))
		fill(v, row.NormFloat64)
	},
	"one-hot": func(r *rand.Rand, i int, v []float32) { v[r.IntN(len(v))] = 1 },
	"zeros and constants": func(r *rand.Rand, i int, v []float32) {
		fill(v, func() float64 { return float64(i%3) * 7 })
		v[0] = float32(i % 2)
	},
	"huge": func(r *rand.Rand, i int, v []float32) {
		fill(v, func() float64 { return 1e19 * r.NormFloat64() })
	},
	"overflow": func(r *rand.Rand, i int, v []float32) {
		fill(v, func() float64 { return 1e30 * r.NormFloat64() })
	},
	"tiny": func(r *rand.Rand, i int, v []float32) {
		fill(v, func() float64 { return 1e-30 * r.NormFloat64() })
	},
	"small": func(r *rand.Rand, i int, v []float32) {
		fill(v, func() float64 { return 1e-9 * r.NormFloat64() })
	},
	"subnormal": func(r *rand.Rand, i int, v []float32) {
		fill(v, func() float64 { return 1e-42 * r.NormFloat64() })
	},
	"all magnitudes": func(r *rand.Rand, i int, v []float32) {
		scale := math.Pow(10, 70*r.Float64()-35)
		fill(v, func() float64 { return scale * r.NormFloat64() })
	},
	"magnitudes that are screened": func(r *rand.Rand, i int, v []float32) {
		scale := math.Pow(10, 16*r.Float64()-8)
		fill(v, func() float64 { return scale * r.NormFloat64() })
	},
	"some not finite": func(r *rand.Rand, i int, v []float32) {
		fill(v, r.NormFloat64)
		switch r.IntN(20) {
		case 0:
			v[r.IntN(len(v))] = float32(math.NaN())
		case 1:
			v[r.IntN(len(v))] = float32(math.Inf(1 - 2*r.IntN(2)))
		case 2:
			v[r.IntN(len(v))] = 3e38
		}
	},
	"mostly not finite": func(r *rand.Rand, i int, v []float32) {
		fill(v, r.NormFloat64)
		if r.IntN(3) > 0 {
			v[r.IntN(len(v))] = float32(math.NaN())
		}
	},
}

func fill(v []float32, f func() float64) {
	for i := range v {
		v[i] = float32(f())
	}
}

// set returns count vectors, stride apart. The gaps between them are NaN.
func set(r *rand.Rand, f vectors, count, n, stride int) []float32 {
	rows := make([]float32, (count-1)*stride+n)
	fill(rows, math.NaN)
	for i := range count {
		v := rows[i*stride:][:n]
		clear(v)
		f(r, i, v)
	}
	return rows
}

// queries includes vectors that are unlike all rows or cannot be screened.
func queries(r *rand.Rand, f vectors, rows []float32, n int) (all [][]float32) {
	for i := range 3 {
		q := make([]float32, n)
		f(r, i, q)
		all = append(all, q)
	}
	scaled, opposite, ones := make([]float32, n), make([]float32, n), make([]float32, n)
	for i, v := range all[1] {
		scaled[i], opposite[i], ones[i] = 1e-3*v, -v, 1
	}
	odd := slices.Clone(all[0])
	odd[n/2] = [...]float32{float32(math.NaN()), float32(math.Inf(1)), 1e38, 1e6}[r.IntN(4)]
	return append(all, slices.Clone(rows[:n]), scaled, opposite, ones, odd, make([]float32, n))
}

func sameHits(a, b []dense.Hit) bool {
	return slices.EqualFunc(a, b, func(a, b dense.Hit) bool {
		return a.Row == b.Row && (math.Float32bits(a.Score) == math.Float32bits(b.Score) ||
			a.Score != a.Score && b.Score != b.Score)
	})
}

func checkIndex(t *testing.T, r *rand.Rand, name string, rows []float32, stride, n, k int,
	queries [][]float32) {
	t.Helper()
	x := quant.NewIndex(rows, stride, n, 1+r.IntN(3))
	for by := dense.ByDot; by <= dense.ByDistance; by++ {
		var want, many [][]dense.Hit
		for i, q := range queries {
			hits := dense.Top(make([]dense.Hit, k), by, rows, stride, q)
			if got := x.Top(make([]dense.Hit, k), by, q); !sameHits(got, hits) {
				t.Fatalf("%s, n = %d, metric %d, query %d: got %v, want %v", name, n, by, i, got, hits)
			}
			want, many = append(want, hits), append(many, make([]dense.Hit, k))
		}
		x.TopMany(many, by, queries, 1+3*r.IntN(2))
		for i := range queries {
			if !sameHits(many[i], want[i]) {
				t.Fatalf("%s, n = %d, metric %d, query %d of many: got %v, want %v", name, n, by, i,
					many[i], want[i])
			}
		}
	}
}

func TestIndexIsTop(t *testing.T) {
	sizes := []int{1, 2, 47, 48, 63, 64, 65, 100, 129, 768, 2000}
	if testing.Short() {
		sizes = []int{1, 48, 65, 200}
	}
	if asmtest.Race {
		sizes = []int{48}
	}
	eachISA(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(21, 22))
		for name, f := range hostile {
			for _, n := range sizes {
				count, stride := 64+r.IntN(600), n+r.IntN(3)
				rows := set(r, f, count, n, stride)
				for _, k := range []int{1, 1 + r.IntN(count/16)} {
					checkIndex(t, r, name, rows, stride, n, k, queries(r, f, rows, n))
				}
			}
		}
	})
}

func TestIndexSizes(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	f := hostile["normal"]
	for _, c := range []struct{ count, n, k int }{
		{1, 100, 1}, {1, 100, 3}, {2, 64, 1}, {63, 64, 2}, {64, 64, 4}, {65, 64, 65}, {300, 50, 0},
		{300, 50, 400}, {16 * 700, 48, 700}, {20_000, 48, 9}, {20_000, 48, 1250},
		{70, asm.Block + 5, 2}, {70, 2*asm.Block + 64, 1}, {40_000, 16, 10},
	} {
		if testing.Short() && c.count*c.n > 2_000_000 {
			continue
		}
		rows := set(r, f, c.count, c.n, c.n)
		checkIndex(t, r, fmt.Sprint(c), rows, c.n, c.n, c.k, queries(r, f, rows, c.n))
	}
	x := quant.NewIndex(nil, 5, 5, 0)
	if got := x.Top(make([]dense.Hit, 3), dense.ByDot, make([]float32, 5)); len(got) != 0 {
		t.Errorf("no rows: got %v", got)
	}
	x.TopMany(nil, dense.ByDot, nil, 1)
}

func TestIndexSortedRows(t *testing.T) {
	const count, n = 3000, 64
	rows, q := make([]float32, count*n), make([]float32, n)
	for i := range rows {
		rows[i] = float32(i/n) / count
	}
	fill(q, func() float64 { return 1 })
	checkIndex(t, rand.New(rand.NewPCG(1, 2)), "ascending", rows, n, n, 10, [][]float32{q, rows[:n]})
}

func TestIndexNearTies(t *testing.T) {
	const n = 48
	r := rand.New(rand.NewPCG(29, 30))
	base := make([]float32, n)
	fill(base, r.NormFloat64)
	// Rows alternate between base and -base, so that the index finds no common mean to subtract.
	near := func(r *rand.Rand, i int, v []float32) {
		for j := range v {
			v[j] = float32(1-2*(i%2))*base[j] + float32(1e-4*r.NormFloat64())
		}
	}
	for _, count := range []int{5000, 20_000} {
		rows := set(r, near, count, n, n)
		checkIndex(t, r, "near ties", rows, n, n, 3, [][]float32{base, rows[:n]})
		var all [][]float32
		for i := range 40 {
			q := slices.Clone(base)
			q[i] += float32(i%3) - 1
			all = append(all, q)
		}
		clear(rows[:n*(count/3)])
		checkIndex(t, r, "near ties of many queries", rows, n, n, 3, all)
	}
}

func TestIndexConcurrently(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 26))
	const count, n, k = 5000, 70, 6
	rows := set(r, hostile["clusters"], count, n, n)
	x, qs := quant.NewIndex(rows, n, n, 4), queries(r, hostile["clusters"], rows, n)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			by := dense.Metric(g % 3)
			many := make([][]dense.Hit, len(qs))
			for i := range many {
				many[i] = make([]dense.Hit, k)
			}
			x.TopMany(many, by, qs, 2)
			for i, q := range qs {
				want := dense.Top(make([]dense.Hit, k), by, rows, n, q)
				if got := x.Top(make([]dense.Hit, k), by, q); !sameHits(got, want) ||
					!sameHits(many[i], want) {
					t.Errorf("metric %d: got %v and %v, want %v", by, got, many[i], want)
				}
			}
		}()
	}
	wg.Wait()
}

func TestIndexAllocatesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 28))
	const count, n = 2000, 64
	rows := set(r, hostile["normal"], count, n, n)
	x, hits, q := quant.NewIndex(rows, n, n, 1), make([]dense.Hit, 10), rows[:n]
	for by := dense.ByDot; by <= dense.ByDistance; by++ {
		got := testing.AllocsPerRun(100, func() { x.Top(hits, by, q) })
		if got != 0 && !asmtest.Race {
			t.Errorf("by %d: %v allocations a call", by, got)
		}
	}
}

func FuzzIndex(f *testing.F) {
	for _, v := range [][]float32{{0, 1}, {-1, 1.5, 3e38}, {1e-30, 1e-20, 1}, {1e-8, 1e9, -3}} {
		var data []byte
		for _, x := range v {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
		}
		f.Add(data, uint64(1), uint8(0))
		f.Add(data, uint64(2), uint8(9))
	}
	f.Fuzz(func(t *testing.T, data []byte, seed uint64, size uint8) {
		var numbers []float32
		for ; len(data) >= 4; data = data[4:] {
			numbers = append(numbers, math.Float32frombits(binary.LittleEndian.Uint32(data)))
		}
		if len(numbers) == 0 {
			return
		}
		r := rand.New(rand.NewPCG(seed, 1))
		mixed := func(r *rand.Rand, i int, v []float32) {
			noise := float64(r.IntN(2)) * r.Float64()
			for j := range v {
				v[j] = numbers[r.IntN(len(numbers))] * float32(1+noise*r.NormFloat64())
			}
		}
		n, count := 48+int(size)%40, 64+r.IntN(200)
		rows := set(r, mixed, count, n, n)
		checkIndex(t, r, "fuzz", rows, n, n, 1+r.IntN(4), queries(r, mixed, rows, n))
	})
}

// For many queries, ns/row is the time per row and query.
func BenchmarkIndex(b *testing.B) {
	const count, many = 100_000, 64
	for _, n := range []int{128, 384, 768, 1536} {
		r := rand.New(rand.NewPCG(1, 2))
		rows := set(r, hostile["normal"], count, n, n)
		queries, hits := make([][]float32, many), make([][]dense.Hit, many)
		for q := range queries {
			queries[q] = make([]float32, n)
			fill(queries[q], r.NormFloat64)
		}
		x := quant.NewIndex(rows, n, n, 1)
		b.Run(fmt.Sprintf("op=NewIndex/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				quant.NewIndex(rows, n, n, 1)
			}
		})
		for by, name := range []string{"dot", "cosine", "distance"} {
			by := dense.Metric(by)
			one := func(op string, search func(x []float32) []dense.Hit) {
				b.Run(fmt.Sprintf("op=%s/by=%s/n=%d", op, name, n), func(b *testing.B) {
					for i := 0; b.Loop(); i++ {
						search(queries[i%many])
					}
				})
			}
			all := func(op string, search func()) {
				b.Run(fmt.Sprintf("op=%s/by=%s/n=%d", op, name, n), func(b *testing.B) {
					for b.Loop() {
						for q := range hits {
							hits[q] = make([]dense.Hit, 10)
						}
						search()
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/count/many, "ns/row")
				})
			}
			top := make([]dense.Hit, 10)
			one("dense.Top", func(q []float32) []dense.Hit { return dense.Top(top, by, rows, n, q) })
			one("Index.Top", func(q []float32) []dense.Hit { return x.Top(top, by, q) })
			all("dense.TopMany", func() { dense.TopMany(hits, by, rows, n, queries, 1) })
			all("Index.TopMany", func() { x.TopMany(hits, by, queries, 1) })
		}
	}
}
