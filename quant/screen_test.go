package quant

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/testing/asmtest"
)

// excluded returns the rows that the screen of q wrongly excludes. For each row it sets the least
// score of a hit to the greatest score that sumError allows the row.
func excluded(t *testing.T, x *Index, by dense.Metric, q []float32) (rows []int) {
	t.Helper()
	var s screen
	if !s.set(x, by, q) {
		t.Fatalf("metric %d: the query cannot be screened", by)
	}
	products, upper := make([]int64, x.count), make([]float32, x.count)
	score(products, dense.ByDot, x.bytes, x.n, s.bytes)
	for i, v := range products {
		upper[i] = float32(v)
	}
	for first := 0; first < x.count; first += screenRows {
		end := min(first+screenRows, x.count)
		s.upper(upper[first:end], x, first)
	}
	for i := range upper {
		score, worst := scoreOf(by, x.row(i), q)
		if float64(score) > worst+0x1p-126 {
			t.Errorf("row %d: the score is %v, the bound %v", i, score, worst)
		}
		least := float32(worst)
		if float64(least) > worst {
			least = math.Nextafter32(least, float32(math.Inf(-1)))
		}
		if upper[i] < s.limit(least) {
			rows = append(rows, i)
		}
	}
	return rows
}

// scoreOf returns a score of dense.Top, negated for ByDistance, and the greatest score that the
// bound on its error allows.
func scoreOf(by dense.Metric, row, q []float32) (score float32, worst float64) {
	u := sumError(len(q))
	switch by {
	case dense.ByDot:
		return dense.Dot(row, q), dense.Dot64(row, q) + u*length(row)*length(q)
	case dense.ByCosine:
		return dense.Cosine(row, q), dense.Cosine64(row, q) + 2*u + 0x1p-23
	}
	return -dense.SquaredDistance(row, q), -dense.SquaredDistance64(row, q) * (1 - u)
}

func length(v []float32) float64 { return math.Sqrt(dense.Dot64(v, v)) }

// worst describes rows and queries; in most cases some terms of a screen's bound are large.
type worst struct {
	name string
	row  func(r *rand.Rand, v []float32)
	q    func(r *rand.Rand, v []float32)
}

func each(f func(r *rand.Rand, j int) float64) func(r *rand.Rand, v []float32) {
	return func(r *rand.Rand, v []float32) {
		for j := range v {
			v[j] = float32(f(r, j))
		}
	}
}

func withFirst(first float32, f func(r *rand.Rand, v []float32)) func(r *rand.Rand, v []float32) {
	return func(r *rand.Rand, v []float32) {
		f(r, v)
		v[0] = first
	}
}

var integers = each(func(r *rand.Rand, j int) float64 { return float64(r.IntN(255) - 127) })

func noise(r *rand.Rand, scale float64) float64 { return scale * r.NormFloat64() }

var worstCases = []worst{
	{"normal", each(func(r *rand.Rand, j int) float64 { return r.NormFloat64() }),
		each(func(r *rand.Rand, j int) float64 { return r.NormFloat64() })},
	// The residual of the row is nearly parallel to the query.
	{"residual of rows", withFirst(127, each(func(r *rand.Rand, j int) float64 {
		return float64(r.IntN(100)-50) + .499
	})), each(func(*rand.Rand, int) float64 { return 1 })},
	// The residual of the query is nearly parallel to the row.
	{"residual of queries", each(func(*rand.Rand, int) float64 { return 1 }),
		withFirst(127, each(func(r *rand.Rand, j int) float64 {
			return float64(r.IntN(100)-50) + .499
		}))},
	{"both residuals", withFirst(127, each(func(*rand.Rand, int) float64 { return .499 })),
		withFirst(127, each(func(*rand.Rand, int) float64 { return .499 }))},
	{"residuals only", withFirst(127, each(func(*rand.Rand, int) float64 { return .499 })),
		withFirst(-127, each(func(*rand.Rand, int) float64 { return .499 }))},
	// Bytes are exact, and products round.
	{"integers", withFirst(127, integers), withFirst(127, integers)},
	// Rows with a center.
	{"center", each(func(r *rand.Rand, j int) float64 { return 100 + noise(r, 1) }),
		each(func(r *rand.Rand, j int) float64 { return 100 + noise(r, 1) })},
	{"center, another query", each(func(r *rand.Rand, j int) float64 { return 100 + noise(r, 1) }),
		each(func(r *rand.Rand, j int) float64 { return noise(r, 1) })},
	{"multiples of the center", func(r *rand.Rand, v []float32) {
		f := 1 + noise(r, .3)
		each(func(r *rand.Rand, j int) float64 { return f * float64(1+j%7) })(r, v)
	}, each(func(r *rand.Rand, j int) float64 { return float64(1+j%7) + noise(r, .001) })},
	{"opposite of the center", func(r *rand.Rand, v []float32) {
		f := 1 + noise(r, .3)
		each(func(r *rand.Rand, j int) float64 { return f * float64(1+j%7) })(r, v)
	}, each(func(r *rand.Rand, j int) float64 { return -3*float64(1+j%7) + noise(r, .001) })},
	{"magnitudes", func(r *rand.Rand, v []float32) {
		f := math.Exp(16 * (r.Float64() - .5))
		each(func(r *rand.Rand, j int) float64 { return noise(r, f) })(r, v)
	}, each(func(r *rand.Rand, j int) float64 { return noise(r, 1e-7) })},
}

func TestUpperIsABound(t *testing.T) {
	sizes := []int{48, 64, 100, 257, 1536, 20_000}
	if testing.Short() {
		sizes = []int{48, 100, 257, 20_000}
	}
	if asmtest.Race {
		sizes = []int{48, 257}
	}
	r := rand.New(rand.NewPCG(31, 32))
	for _, c := range worstCases {
		for _, n := range sizes {
			count := max(64, min(300, 400_000/n))
			rows, q := make([]float32, count*n), make([]float32, n)
			for i := range count {
				c.row(r, rows[i*n:][:n])
			}
			for _, isa := range asm.Available() {
				defer asm.Use(asm.Use(isa))
				x := NewIndex(rows, n, n, 1)
				for by := dense.ByDot; by <= dense.ByDistance; by++ {
					c.q(r, q)
					if got := excluded(t, x, by, q); len(got) > 0 {
						t.Errorf("isa=%v: %s, n = %d, metric %d: %d rows are excluded, row %d first",
							isa, c.name, n, by, len(got), got[0])
					}
				}
			}
		}
	}
}

// The comments of Index state the bounds. The test computes differences and products of float32s in
// float64, with negligible roundings.
func TestIndexNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(35, 36))
	for _, c := range worstCases {
		const n, count = 65, 500
		rows := make([]float32, count*n)
		for i := range count {
			c.row(r, rows[i*n:][:n])
		}
		x := NewIndex(rows, n, n, 1)
		for i := range count {
			var squares, size, removed, along float64
			for j, v := range x.row(i) {
				center := 0.0
				if x.center != nil {
					center = float64(x.center[j])
				}
				d := float64(v) - center
				e := d - float64(x.step[i])*float64(x.bytes[i*n+j])
				squares += float64(v) * float64(v)
				size, removed, along = size+d*d, removed+e*e, along+d*center
			}
			size, removed = math.Sqrt(size), math.Sqrt(removed)
			got := float64(x.size[i])
			bad := float64(x.residual[i]) < removed || got < size || got > size*(1+0x1p-20) ||
				math.Abs(float64(x.inverse[i])*math.Sqrt(squares)-1) > 0x1p-22
			if x.center != nil && math.Abs(float64(x.along[i])-along) > 0x1p-22*size*x.centerNorm {
				t.Fatalf("%s, row %d: along %v for %v", c.name, i, x.along[i], along)
			}
			if bad || removed > size {
				t.Fatalf("%s, row %d: residual %v for %v, size %v for %v, inverse %v for %v", c.name, i,
					x.residual[i], removed, got, size, x.inverse[i], 1/math.Sqrt(squares))
			}
		}
	}
}

// Additions in a lane round up by almost half a unit in the last place.
func TestSumError(t *testing.T) {
	for _, n := range []int{64, 64 * 64, 64 * 1024, 128 * 1024} {
		x, y := make([]float32, n), make([]float32, n)
		for i := range x {
			x[i], y[i] = 0x1p-12, 0x1.000002p-12
			if i%asm.Block < 64 {
				x[i], y[i] = 1, 1
			}
		}
		exact := dense.Dot64(x, y)
		off := math.Abs(float64(dense.Dot(x, y)) - exact)
		if bound := sumError(n) * exact; off > bound {
			t.Errorf("n = %d: the error is %v, the bound %v", n, off, bound)
		} else if n > 64*64 && off < .9*bound {
			t.Errorf("n = %d: the error is %v, much less than the bound %v", n, off, bound)
		}
	}
}

func TestScreenExcludes(t *testing.T) {
	const count, n, k = 5000, 128, 10
	for name, c := range map[string]struct{ mean, scale float64 }{
		"normal": {0, 1}, "common mean": {20, 1}, "short query": {20, 1e-3},
	} {
		r := rand.New(rand.NewPCG(33, 34))
		rows, q := make([]float32, count*n), make([]float32, n)
		for i := range rows {
			rows[i] = float32(c.mean + r.NormFloat64())
		}
		x := NewIndex(rows, n, n, 1)
		for by := dense.ByDot; by <= dense.ByDistance; by++ {
			for j := range q {
				q[j] = float32(c.mean + r.NormFloat64())
				if by != dense.ByDistance {
					q[j] *= float32(c.scale)
				}
			}
			s := x.newSearch(make([]dense.Hit, k), by, q)
			x.scan([]*search{s}, 0, count)
			s.scoreAll()
			least, candidates := s.least, 0
			for i := range count {
				upper := []float32{float32(Dot(x.bytes[i*n:][:n], s.bytes))}
				if s.upper(upper, x, i); upper[0] >= least {
					candidates++
				}
			}
			if candidates < k || candidates > 10*k {
				t.Errorf("%s, metric %d: %d of %d rows are candidates for %d hits", name, by,
					candidates, count, k)
			}
		}
	}
}

func TestSearchIsAbandoned(t *testing.T) {
	const count, n = 20_000, 48
	r := rand.New(rand.NewPCG(37, 38))
	rows, q := make([]float32, count*n), make([]float32, n)
	for j := range q {
		q[j] = float32(r.NormFloat64())
	}
	for _, noise := range []float64{1e-4, 1} {
		for i := range rows {
			sign := float64(1 - 2*(i/n%2)) // so that the center is about 0
			rows[i] = float32(sign*float64(q[i%n]) + noise*r.NormFloat64())
		}
		x, hits := NewIndex(rows, n, n, 1), make([]dense.Hit, 10)
		s := x.newSearch(hits, dense.ByDot, q)
		x.scan([]*search{s}, 0, count)
		if want := noise < 1; s.abandoned != want {
			t.Errorf("noise %v: abandoned is %t after %d of %d rows were scored", noise, s.abandoned,
				s.scored, s.screened)
		}
		for by := dense.ByDot; by <= dense.ByDistance; by++ {
			want := dense.Top(make([]dense.Hit, 10), by, rows, n, q)
			if got := x.Top(hits, by, q); !slices.Equal(got, want) {
				t.Errorf("noise %v, metric %d: got %v, want %v", noise, by, got, want)
			}
		}
		got := testing.AllocsPerRun(20, func() { x.Top(hits, dense.ByDot, q) })
		if got != 0 && !asmtest.Race {
			t.Errorf("noise %v: %v allocations a call", noise, got)
		}
	}
}
