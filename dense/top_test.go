package dense

import (
	"flag"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/testing/asmtest"
	"github.com/pegasimd/pegasimd/internal/vectors/nearest"
)

var metrics = map[string]Metric{"dot": ByDot, "cosine": ByCosine, "distance": ByDistance,
	"L1": ByL1}

type topCase struct {
	n, stride int
	rows      []float32
	each      [][]float32
	idx       []int32
	queries   [][]float32
	k         int
}

// In some cases squares or products overflow or underflow float32.
func newTopCase(r *rand.Rand) *topCase {
	n, count := 1+r.IntN(20), r.IntN(80)
	c := &topCase{n: n, stride: n + r.IntN(3), k: r.IntN(12)}
	numbers := []float32{0, 1, 2, 0, 1, -1}
	if r.IntN(4) == 0 {
		numbers = append(numbers, float32(math.NaN()), float32(math.Inf(1)), 1e30, 1e-30)
	}
	scale := [][]int{{0}, {0}, {70}, {-80}, {-149}, {120}, {-80, 0, 60}, {-149, 70, 120}}[r.IntN(8)]
	some := func(v []float32) []float32 {
		for i := range v {
			v[i] = float32(math.Ldexp(float64(numbers[r.IntN(len(numbers))]), scale[r.IntN(len(scale))]))
		}
		return v
	}
	c.rows = some(make([]float32, count*c.stride))
	if count > 0 && r.IntN(2) == 0 {
		c.rows = c.rows[:(count-1)*c.stride+n] // no gap after the last row
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

// key returns the number by which docs/spec.md ranks rows, greatest first.
func key(by Metric, row, x []float32, score float32) float64 {
	s, least := float64(score), float64(len(x))*0x1p-126
	small, dot, wide := least, Dot64(row, x), 0.
	switch by {
	case ByDot:
		wide = dot
	case ByCosine:
		small, wide = float64(len(x))*0x1p-36, Cosine64(row, x)
	case ByDistance:
		s, wide = -s, -SquaredDistance64(row, x)
	case ByL1:
		s = -s
		for i, v := range x {
			wide -= math.Abs(float64(v) - float64(row[i]))
		}
	}
	switch {
	case s-s != 0:
		return wide
	case math.Abs(s) >= small || math.Abs(wide) >= small:
		return s
	case by == ByCosine && math.Abs(dot) >= least && math.Abs(wide) >= 0x1p-126:
		return s
	}
	return wide
}

func score(by Metric, row, x []float32) float32 {
	switch by {
	case ByDot:
		return Dot(row, x)
	case ByCosine:
		return Cosine(row, x)
	case ByL1:
		return L1Distance(row, x)
	}
	return SquaredDistance(row, x)
}

func (c *topCase) want(by Metric, picked []int32, x []float32) []Hit {
	type ranked struct {
		Hit
		key float64
	}
	var all []ranked
	for _, i := range picked {
		s := score(by, c.each[i], x)
		all = append(all, ranked{Hit{int(i), s}, key(by, c.each[i], x, s)})
	}
	sort.Slice(all, func(i, j int) bool {
		a, b := all[i], all[j]
		switch aIsNaN, bIsNaN := a.key != a.key, b.key != b.key; {
		case aIsNaN != bIsNaN:
			return bIsNaN
		case aIsNaN || a.key == b.key:
			return a.Row < b.Row
		}
		return a.key > b.key
	})
	var hits []Hit
	for _, r := range all[:min(c.k, len(all))] {
		hits = append(hits, r.Hit)
	}
	return hits
}

func sameHits(a, b []Hit) bool {
	return slices.EqualFunc(a, b, func(a, b Hit) bool {
		return a.Row == b.Row && (math.Float32bits(a.Score) == math.Float32bits(b.Score) ||
			a.Score != a.Score && b.Score != b.Score)
	})
}

var topCases = flag.Int("cases", 850, "`number` of random cases that TestTopIsSorting tries on "+
	"each code path, by each metric")

func TestTopIsSorting(t *testing.T) {
	cases := *topCases
	if testing.Short() {
		cases = 100
	}
	eachISA(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(19, 1))
		for range cases {
			c := newTopCase(r)
			for name, by := range metrics {
				c.check(t, name, by)
			}
		}
	})
}

func eachISA(t *testing.T, f func(t *testing.T)) {
	for _, isa := range asm.Available() {
		t.Run(fmt.Sprintf("isa=%v", isa), func(t *testing.T) {
			defer asm.Use(asm.Use(isa))
			f(t)
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
	compare("TopBytes", TopBytes(buf, by, bytesOf(c.rows, 1), 4*c.stride, x), want[0])
	var blobs [][]byte
	for _, row := range c.each {
		blobs = append(blobs, bytesOf(row, 1))
	}
	compare("TopByteSlices", TopByteSlices(buf, by, blobs, x), want[0])
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
		const run = 2 // rows per task
		nearest.TopMany(&s, dst, nearest.Metric(by), c.queries, threads, run)
		for q := range dst {
			compare(fmt.Sprint("TopMany, threads ", threads, ", query ", q), dst[q], want[q])
		}
	}
}

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

func scaledVector(r *rand.Rand, n, least, most, apart int) []float32 {
	v, exponent := make([]float32, n), least+r.IntN(most-least+1)
	for i := range v {
		e := min(exponent+r.IntN(apart+1), most)
		v[i] = float32(math.Ldexp(2*r.Float64()-1, e+1))
	}
	return v
}

// exactScore returns the exact score of a row, negated for ByDistance and rounded to float64, and a
// bound on the rounding error of a float32 score. If the terms are too small for float32, or the
// score is not finite, the bound is for a float64 score.
func exactScore(by Metric, row, x []float32, score float32) (v, off float64) {
	big64 := func(v float64) *big.Float { return new(big.Float).SetPrec(620).SetFloat64(v) }
	sum, magnitude, term := big64(0), big64(0), big64(0)
	for i, w := range row {
		a, b := big64(float64(w)), big64(float64(x[i]))
		if by == ByDistance {
			a.Sub(a, b)
			b.Set(a)
		}
		sum.Add(sum, term.Mul(a, b))
		magnitude.Add(magnitude, term.Abs(term))
	}
	n := float64(len(x))
	roundings := (n/64 + 12) * 0x1p-24
	v, _ = sum.Float64()
	size, _ := magnitude.Float64()
	if score-score != 0 || size < n*0x1p-127 {
		roundings = (n/32 + 9) * 0x1p-52
	}
	off = roundings * size
	if by == ByDistance {
		return -v, off
	}
	return v, off
}

// No row may come before another whose exact score is better by more than the rounding errors.
func TestTopAtEveryScale(t *testing.T) {
	cases := 300
	if testing.Short() {
		cases = 30
	}
	eachISA(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(23, 29))
		for range cases {
			n, count := 1+r.IntN(150), 2+r.IntN(40)
			least := -149 + r.IntN(270)
			most := min(least+r.IntN(80), 126)
			if r.IntN(4) == 0 {
				least, most = -149, 126
			}
			apart := r.IntN(20)
			var each [][]float32
			for range count {
				each = append(each, scaledVector(r, n, least, most, apart))
			}
			x := scaledVector(r, n, least, most, apart)
			for _, by := range []Metric{ByDot, ByDistance} {
				hits := TopSlices(make([]Hit, count), by, each, x)
				value, off := make([]float64, count), make([]float64, count)
				for k, h := range hits {
					value[k], off[k] = exactScore(by, each[h.Row], x, h.Score)
					for j := range k {
						if value[k]-off[k] > value[j]+off[j] {
							t.Fatalf("metric %d, n = %d: %v before %v; exact scores %v and %v",
								by, n, hits[j], h, value[j], value[k])
						}
					}
				}
				if got := TopSlices(make([]Hit, 3), by, each, x); !sameHits(got, hits[:len(got)]) {
					t.Fatalf("metric %d: the best three rows are %v, of all rows %v", by, got, hits)
				}
			}
		}
	})
}

func TestTopBeyondFloat32(t *testing.T) {
	const most = math.MaxFloat32
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		name string
		by   Metric
		x    []float32
		rows [][]float32
		want []int
	}{
		{"huge distances", ByDistance, []float32{0}, [][]float32{{3e20}, {1e20}, {2e20}},
			[]int{1, 2, 0}},
		{"tiny distances", ByDistance, []float32{0}, [][]float32{{3e-25}, {1e-25}, {2e-25}},
			[]int{1, 2, 0}},
		{"distances beyond float32", ByDistance, []float32{-most}, [][]float32{{most}, {0}, {3e38}},
			[]int{1, 2, 0}},
		{"distances of both kinds", ByDistance, []float32{0},
			[][]float32{{2e20}, {1}, {1e-30}, {1e20}, {0}, {1e-40}}, []int{4, 5, 2, 1, 3, 0}},
		{"L1 distances beyond float32", ByL1, []float32{-most, 1},
			[][]float32{{most, 1}, {0, 2e38}, {3e38, 1}, {-most, inf}}, []int{1, 2, 0, 3}},
		{"an infinite distance", ByDistance, []float32{0}, [][]float32{{inf}, {2e20}, {1e20}},
			[]int{2, 1, 0}},
		{"products that cancel", ByDot, []float32{1e30, 1e30, 1},
			[][]float32{{0, 0, -.5}, {1e30, -1e30, 0}, {0, 0, .5}, {1e30, -2e30, 0}},
			[]int{2, 1, 0, 3}},
		{"huge products of both signs", ByDot, []float32{1e20},
			[][]float32{{-3e20}, {1e20}, {-1e20}, {2e20}, {1}}, []int{3, 1, 4, 2, 0}},
		{"a partial sum of -Inf", ByDot, []float32{-1e20, 3e38, 3e38},
			[][]float32{{1, 0, 0}, {3.5e18, 1, 1}, {0, 0, 0}}, []int{1, 2, 0}},
		{"tiny products of both signs", ByDot, []float32{1e-30},
			[][]float32{{-3e-30}, {1e-30}, {0}, {-1e-30}, {2e-30}}, []int{4, 1, 2, 3, 0}},
		{"infinite elements", ByDot, []float32{1e20, 1},
			[][]float32{{1e20, 0}, {0, inf}, {-inf, 0}, {-1e20, 0}, {inf, -inf}, {2e20, 0}},
			[]int{1, 5, 0, 3, 2, 4}},
		{"cosines of tiny dot products", ByCosine, []float32{0x1p-40, 0},
			[][]float32{{0, 1}, {0x1p-110, 1}, {0x1p-109, 1}, {-0x1p-120, 1}}, []int{2, 1, 0, 3}},
		{"cosines below float32", ByCosine, []float32{1, 0},
			[][]float32{{1e-40, -1e38}, {2e-40, 1e38}, {-1e-40, 1e38}, {0, 1e38}, {1, 1}},
			[]int{4, 1, 0, 3, 2}},
		{"cosines of tiny and huge rows", ByCosine, []float32{1e-25, 0},
			[][]float32{{1e25, 1e25}, {1e-30, 0}, {1e-30, 1e-30}, {0, 1e30}}, []int{1, 0, 2, 3}},
		{"a sum that cancels without underflow", ByDot, []float32{1, 1, 1},
			[][]float32{{1e8, -1e8, 0}, {1e8, -1e8, 1}, {0, 0, 1e-20}}, []int{2, 0, 1}},
	} {
		eachISA(t, func(t *testing.T) {
			var got []int
			for _, h := range TopSlices(make([]Hit, len(c.rows)), c.by, c.rows, c.x) {
				got = append(got, h.Row)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%s: got rows %v, want %v", c.name, got, c.want)
			}
		})
	}
}

func TestTopOfScaledVectors(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(31, 37))
		for n, step := range map[int]int{1: 1, 9: 4, 300: 15} {
			const count = 20
			rows := make([]float32, (count+1)*n)
			for i := range rows {
				rows[i] = float32(r.IntN(7) - 3)
			}
			for by := ByDot; by <= ByL1; by++ {
				x := rows[count*n:]
				want := Top(make([]Hit, 9), by, rows[:count*n], n, x)
				for exponent := -149; exponent <= 126; exponent += step {
					scaled := make([]float32, len(rows))
					for i, v := range rows {
						scaled[i] = float32(math.Ldexp(float64(v), exponent))
					}
					got := Top(make([]Hit, 9), by, scaled[:count*n], n, scaled[count*n:])
					if !slices.EqualFunc(got, want, func(a, b Hit) bool { return a.Row == b.Row }) {
						t.Fatalf("metric %d, n = %d, times 2^%d: got %v, want the rows of %v", by, n,
							exponent, got, want)
					}
				}
			}
		}
	})
}

func TestTopAtPageEnds(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		var g asmtest.Guard
		defer g.Free()
		r := rand.New(rand.NewPCG(41, 43))
		for n := 1; n < 200; n += 1 + n/5 {
			const count = 6
			rows, x, b := g.Floats(count*n), g.Floats(n), g.Bytes(4*count*n)
			idx := []int32{5, 2, 5, 0}
			for _, scale := range []float64{1, 1e20, 1e-25} {
				for _, v := range [][]float32{rows, x} {
					for i := range v {
						v[i] = float32(scale * r.NormFloat64())
					}
				}
				copy(b, bytesOf(rows, 0))
				heap, y := slices.Clone(rows), slices.Clone(x)
				for by := ByDot; by <= ByL1; by++ {
					want := Top(make([]Hit, 4), by, heap, n, y)
					for name, got := range map[string][]Hit{
						"Top":      Top(make([]Hit, 4), by, rows, n, x),
						"TopBytes": TopBytes(make([]Hit, 4), by, b, 4*n, x),
					} {
						if !sameHits(got, want) {
							t.Fatalf("%s, n = %d: got %v, want %v", name, n, got, want)
						}
					}
					want = TopAt(make([]Hit, 4), by, heap, n, idx, y)
					if got := TopAt(make([]Hit, 4), by, rows, n, idx, x); !sameHits(got, want) {
						t.Fatalf("TopAt, n = %d: got %v, want %v", n, got, want)
					}
				}
			}
		}
	})
}

func TestTopOfTornRows(t *testing.T) {
	const n, stride = 5, 8
	x, hits := make([]float32, n), make([]Hit, 20)
	for length := range 4 * stride {
		count, torn := (length+stride-n)/stride, length%stride > 0 && length%stride < n
		if torn {
			continue // panics
		}
		rows := make([]float32, length)
		b := bytesOf(rows, 1)
		for name, got := range map[string][]Hit{
			"Top":      Top(hits, ByDot, rows, stride, x),
			"TopBytes": TopBytes(hits, ByDot, b, 4*stride, x),
		} {
			if len(got) != count {
				t.Errorf("%s finds %d rows in %d elements, want %d", name, len(got), length, count)
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
