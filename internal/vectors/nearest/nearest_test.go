package nearest_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/vectors/nearest"
)

func before(a, b int) bool { return a > b }

func sorted(v []int) []int {
	v = slices.Clone(v)
	slices.SortFunc(v, func(a, b int) int { return cmp.Compare(b, a) })
	return v
}

func TestAddKeepsTheBest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for size := range 20 {
		for count := range 40 {
			hits, all := make([]int, 0, size), make([]int, count)
			for i := range all {
				all[i] = r.IntN(15)
				hits = nearest.Add(hits, all[i], before)
				if len(hits) > 0 && hits[0] != slices.Min(hits) {
					t.Fatalf("the root of %v is not the worst", hits)
				}
			}
			nearest.Sort(hits, before)
			if want := sorted(all)[:min(size, count)]; !slices.Equal(hits, want) {
				t.Fatalf("%d of %v: got %v, want %v", size, all, hits, want)
			}
		}
	}
}

func TestMerge(t *testing.T) {
	const runs, perRun = 23, 9 // number of runs, and rows in each run
	for threads := 1; threads <= 4; threads++ {
		dst := [][]int{make([]int, 0, 5), make([]int, 0, 300), {}, make([]int, 1, 4)}
		dst[3][0] = 1 << 20
		best := func(q, run, i int) int { return (run*perRun + i) * (7919 + q) % 1013 }
		nearest.Merge(dst, threads, runs, func(_, a, b int) bool { return before(a, b) },
			func(hits [][]int, run int) {
				for q := range hits {
					for i := range perRun {
						hits[q] = nearest.Add(hits[q], best(q, run, i), before)
					}
				}
			})
		for q, hits := range dst {
			all := []int{}
			if q == 3 {
				all = append(all, 1<<20)
			}
			for i := range runs * perRun {
				all = append(all, best(q, i/perRun, i%perRun))
			}
			nearest.Sort(hits, before)
			want := sorted(all)
			if want = want[:min(cap(hits), len(want))]; !slices.Equal(hits, want) {
				t.Errorf("query %d, %d threads: got %v, want %v", q, threads, hits, want)
			}
		}
	}
}

func TestMergeComparesByQuery(t *testing.T) {
	dst := [][]int{make([]int, 0, 1), make([]int, 0, 1)}
	rank := func(hits [][]int, run int) {
		for q := range hits {
			hits[q] = append(hits[q][:0], run)
		}
	}
	upward := func(q, a, b int) bool { return a != b && (a > b) == (q == 0) }
	nearest.Merge(dst, 1, 1, upward, rank)
	dst[0][0], dst[1][0] = 5, -5
	nearest.Merge(dst, 1, 1, upward, rank)
	if dst[0][0] != 5 || dst[1][0] != -5 {
		t.Errorf("got %v, want 5 and -5, which are better than 0", dst)
	}
}

func TestCount(t *testing.T) {
	for _, c := range []struct{ elements, stride, n, want int }{
		{0, 3, 3, 0}, {3, 3, 3, 1}, {6, 3, 3, 2}, {3, 5, 3, 1}, {4, 5, 3, 1}, {5, 5, 3, 1},
		{8, 5, 3, 2}, {9, 5, 3, 2}, {10, 5, 3, 2}, {13, 5, 3, 3}, {0, 1, 1, 0}, {7, 1, 1, 7},
	} {
		if got := nearest.Count(c.elements, c.stride, c.n); got != c.want {
			t.Errorf("Count(%d, %d, %d) = %d, want %d", c.elements, c.stride, c.n, got, c.want)
		}
	}
}

func TestChecks(t *testing.T) {
	for text, f := range map[string]func(){
		"rows of 0 elements, 3 apart": func() { nearest.Count(6, 3, 0) },
		"rows of 3 elements, 2 apart": func() { nearest.Count(6, 2, 3) },
		"len(rows) = 6 ends inside row 1: rows of 3 elements, 5 apart": func() {
			nearest.Count(6, 5, 3)
		},
		"len(rows) = 2 ends inside row 0: rows of 3 elements, 3 apart": func() {
			nearest.Count(2, 3, 3)
		},
		"len(rows[1]) = 3, wanted = 2": func() {
			nearest.CheckEach([][]byte{make([]byte, 2), make([]byte, 3), nil}, "wanted", 2)
		},
		"len(dst) = 1, len(queries) = 2": func() { nearest.CheckQueries(1, make([][]int8, 2)) },
		"len(queries[1]) = 1, len(queries[0]) = 2": func() {
			nearest.CheckQueries(3, [][]int8{{1, 2}, {3}, {4, 5}})
		},
		"": func() {
			nearest.CheckEach([][]byte{make([]byte, 2), make([]byte, 2)}, "wanted", 2)
			nearest.CheckQueries(2, [][]int8{{1, 2}, {3, 4}})
			nearest.CheckQueries[int8](0, nil)
		},
	} {
		func() {
			defer func() {
				if got, _ := recover().(string); !strings.HasSuffix(got, text) || text == "" && got != "" {
					t.Errorf("the panic is %q, want %q", got, text)
				}
			}()
			f()
		}()
	}
}
