package dense

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/asmtest"
	"github.com/pegasimd/pegasimd/internal/nearest"
)

var metrics = map[string]Metric{"dot": ByDot, "cosine": ByCosine, "distance": ByDistance}

// A topCase has queries, and rows among whose scores many are equal.
type topCase struct {
	n, stride int
	rows      []float32
	each      [][]float32
	idx       []int32
	queries   [][]float32
	k         int
}

// newTopCase makes vectors of a few distinct numbers, at times with NaN, infinity and extremes.
func newTopCase(r *rand.Rand) *topCase {
	n, count := 1+r.IntN(20), r.IntN(80)
	c := &topCase{n: n, stride: n + r.IntN(3), k: r.IntN(12)}
	numbers := []float32{0, 1, 2, 0, 1, -1}
	if r.IntN(4) == 0 {
		numbers = append(numbers, float32(math.NaN()), float32(math.Inf(1)), 1e30, 1e-30)
	}
	some := func(v []float32) []float32 {
		for i := range v {
			v[i] = numbers[r.IntN(len(numbers))]
		}
		return v
	}
	c.rows = some(make([]float32, count*c.stride))
	if count > 0 && r.IntN(2) == 0 {
		c.rows = c.rows[:(count-1)*c.stride+n] // without a gap behind the last row
	}
	for i := range count {
		c.each = append(c.each, c.rows[i*c.stride:][:n])
	}
	for range r.IntN(2*count + 1) {
		c.idx = append(c.idx, int32(r.IntN(count)))
	}
	for range 1 + r.IntN(4) {
		c.queries = append(c.queries, some(make([]float32, n)))
	}
	return c
}

// want sorts all rows by the rule as it is written.
func (c *topCase) want(by Metric, picked []int32, x []float32) []Hit {
	var all []Hit
	for _, i := range picked {
		var score float32
		switch by {
		case ByDot:
			score = Dot(c.each[i], x)
		case ByCosine:
			score = Cosine(c.each[i], x)
		case ByDistance:
			score = SquaredDistance(c.each[i], x)
		}
		all = append(all, Hit{int(i), score})
	}
	isNaN := func(v float32) bool { return v != v }
	sort.Slice(all, func(i, j int) bool {
		a, b := all[i], all[j]
		switch {
		case isNaN(a.Score) || isNaN(b.Score):
			if isNaN(a.Score) && isNaN(b.Score) {
				return a.Row < b.Row
			}
			return isNaN(b.Score)
		case a.Score == b.Score:
			return a.Row < b.Row
		case by == ByDistance:
			return a.Score < b.Score
		}
		return a.Score > b.Score
	})
	return all[:min(c.k, len(all))]
}

func sameHits(a, b []Hit) bool {
	return slices.EqualFunc(a, b, func(a, b Hit) bool {
		return a.Row == b.Row && (math.Float32bits(a.Score) == math.Float32bits(b.Score) ||
			a.Score != a.Score && b.Score != b.Score)
	})
}

var topCases = flag.Int("cases", 850, "`searches` of each path, by three metrics each, that "+
	"TestTopIsSorting compares with sorting")

// The functions find the beginning of all rows in order, for any number of threads.
func TestTopIsSorting(t *testing.T) {
	cases := *topCases
	if testing.Short() {
		cases = 100
	}
	for _, isa := range asm.Available() {
		t.Run(fmt.Sprintf("isa=%v", isa), func(t *testing.T) {
			defer asm.Use(asm.Use(isa))
			r := rand.New(rand.NewPCG(19, 1))
			for range cases {
				c := newTopCase(r)
				for name, by := range metrics {
					c.check(t, name, by)
				}
			}
		})
	}
}

func (c *topCase) check(t *testing.T, name string, by Metric) {
	t.Helper()
	all := make([]int32, len(c.each))
	for i := range all {
		all[i] = int32(i)
	}
	var want [][]Hit
	for _, x := range c.queries {
		want = append(want, c.want(by, all, x))
	}
	compare := func(form string, got, want []Hit) {
		t.Helper()
		if !sameHits(got, want) {
			t.Fatalf("%s by %s of %d rows of %d: got %v, want %v", form, name, len(c.each), c.n,
				got, want)
		}
	}
	x, buf := c.queries[0], make([]Hit, c.k)
	compare("Top", Top(buf, by, c.rows, c.stride, x), want[0])
	compare("TopSlices", TopSlices(buf, by, c.each, x), want[0])
	compare("TopAt", TopAt(buf, by, c.rows, c.stride, c.idx, x), c.want(by, c.idx, x))
	m := New(len(c.each), c.n)
	for i, row := range c.each {
		copy(m.Row(i), row)
	}
	compare("Matrix.Top", m.Top(buf, by, x), want[0])
	for _, threads := range []int{1, 2, 8} {
		dst := make([][]Hit, len(c.queries))
		for q := range dst {
			dst[q] = make([]Hit, c.k)
		}
		s := strided(c.rows, c.stride, c.n)
		const run = 2 // rows, so that all workers have something to do
		nearest.TopMany(&s, dst, nearest.Metric(by), c.queries, threads, run)
		for q := range dst {
			compare(fmt.Sprint("TopMany, threads ", threads, ", query ", q), dst[q], want[q])
		}
	}
}

// Rows beyond the caches, more than one block of scores, and the public TopMany.
func TestTopOfManyRows(t *testing.T) {
	const count, n = 9000, 100
	r := rand.New(rand.NewPCG(1, 2))
	c := &topCase{n: n, stride: n, k: 25, rows: make([]float32, count*n)}
	for i := range c.rows {
		c.rows[i] = float32(r.IntN(3) - 1)
	}
	all := make([]int32, count)
	for i := range all {
		all[i] = int32(i)
		c.each = append(c.each, c.rows[i*n:][:n])
	}
	for q := range 9 {
		c.queries = append(c.queries, c.each[q*17])
	}
	for name, by := range metrics {
		for _, threads := range []int{0, 1, 3, math.MaxInt} {
			dst := make([][]Hit, len(c.queries))
			for q := range dst {
				dst[q] = make([]Hit, c.k)
			}
			TopMany(dst, by, c.rows, c.stride, c.queries, threads)
			for q, x := range c.queries {
				if want := c.want(by, all, x); !sameHits(dst[q], want) {
					t.Errorf("by %s, threads %d: got %v, want %v", name, threads, dst[q], want)
				}
				if got := Top(make([]Hit, c.k), by, c.rows, n, x); !sameHits(got, dst[q]) {
					t.Errorf("by %s: Top found %v, TopMany %v", name, got, dst[q])
				}
			}
		}
	}
}

func TestTopAllocatesNothing(t *testing.T) {
	rows, idx := make([]float32, 3000), []int32{1, 2, 5}
	x, m := make([]float32, 10), New(300, 10)
	each := [][]float32{x, x, x}
	hits, dst := make([]Hit, 5), [][]Hit{make([]Hit, 5), make([]Hit, 5)}
	queries := [][]float32{x, x}
	for name, by := range metrics {
		for form, f := range map[string]func(){
			"Top":        func() { Top(hits, by, rows, 10, x) },
			"TopAt":      func() { TopAt(hits, by, rows, 10, idx, x) },
			"TopSlices":  func() { TopSlices(hits, by, each, x) },
			"TopMany":    func() { TopMany(dst, by, rows, 10, queries, 1) },
			"Matrix.Top": func() { m.Top(hits, by, x) },
		} {
			if got := testing.AllocsPerRun(10, f); got != 0 && !asmtest.Race {
				t.Errorf("%s by %s: %v allocations a call", form, name, got)
			}
		}
	}
}
