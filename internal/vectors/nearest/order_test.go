package nearest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func someRows(r *rand.Rand, count, n int) (rows, x []float32) {
	exponents := [][]int{{0}, {-80}, {70}, {-149, -75, 0}, {-100, 63, 127}}[r.IntN(5)]
	all := make([]float32, (count+1)*n)
	for i := range all {
		all[i] = float32(math.Ldexp(float64(r.IntN(9)-4)/4, exponents[r.IntN(len(exponents))]))
		if r.IntN(200) == 0 {
			all[i] = []float32{float32(math.Inf(1)), float32(math.NaN())}[r.IntN(2)]
		}
	}
	return all[:count*n], all[count*n:]
}

func TestKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	finite := func(v []float32) bool {
		return !slices.ContainsFunc(v, func(v float32) bool { return v-v != 0 })
	}
	for range 2000 {
		n, by := 1+r.IntN(9), Metric(r.IntN(3))
		rows, x := someRows(r, 20, n)
		s := Rows[float32]{Slice: rows, Stride: n, N: n, Count: 20}
		scores := make([]float32, s.Count)
		s.score(scores, by, x, 0)
		o := s.order(by, x)
		for i, score := range scores {
			key := o.key(Hit{i, score})
			small := math.Abs(key) < float64(o.small) && math.Abs(float64(score)) < float64(o.small)
			if score-score == 0 && !small && key != float64(score) {
				t.Fatalf("metric %d: the score is %v, the key %v", by, score, key)
			}
			if key-key != 0 && finite(s.row(i)) && finite(x) {
				t.Fatalf("metric %d: the key of finite vectors is %v", by, key)
			}
		}
	}
}

// Hits depend neither on the order of the rows nor on how they are divided among calls.
func TestOffer(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		count, n, by := r.IntN(600), 1+r.IntN(5), Metric(r.IntN(3))
		rows, x := someRows(r, count, n)
		s := Rows[float32]{Slice: rows, Stride: n, N: n, Count: count}
		for _, i := range r.Perm(count) {
			s.Idx = append(s.Idx, uint32(i))
		}
		o := s.order(by, x)
		scores, all := make([]float32, count), make([]Hit, count)
		for i := range scores {
			s.score(scores[i:i+1], by, x, i)
			all[i] = Hit{s.rowNumber(i), scores[i]}
		}
		Sort(all, o.better)
		hits := make([]Hit, 0, r.IntN(20))
		for start := 0; start < count; {
			end := min(start+1+r.IntN(500), count)
			hits = o.offer(hits, scores[start:end], start)
			start = end
		}
		Sort(hits, o.better)
		for k, h := range hits {
			if h.Row != all[k].Row {
				t.Fatalf("metric %d: hits %v, want the first of %v", by, hits, all)
			}
		}
		if len(hits) != min(cap(hits), count) {
			t.Fatalf("%d hits of %d rows, want %d", len(hits), count, min(cap(hits), count))
		}
	}
}

func ruleKey(by Metric, row, x []float32, score float32) float64 {
	wide, small := by.wide(x, row), float64(len(x))*0x1p-126
	if by == ByCosine {
		small = float64(len(x)) * 0x1p-36
	}
	s := float64(score)
	switch {
	case s-s != 0:
		return wide
	case math.Abs(s) >= small || math.Abs(wide) >= small:
		return s
	case by == ByCosine && math.Abs(wide) >= 0x1p-126 &&
		math.Abs(ByDot.wide(x, row)) >= float64(len(x))*0x1p-126:
		return s
	}
	return wide
}

func TestKeysAtTheBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	kinds := map[string]int{}
	for range 4000 {
		n, by := 1+r.IntN(3), Metric(r.IntN(3))
		row, x := make([]float32, n), make([]float32, n)
		exponent := [3][]int{{-126, -149, 127}, {-36, -44, -126}, {-63, -75, 64}}[by][r.IntN(3)]
		e := r.IntN(41) - 20 // exponent of the row's elements
		for i := range row { // the products' exponents are about exponent
			row[i] = float32(math.Ldexp(r.Float64()-0.5, e+r.IntN(3)))
			x[i] = float32(math.Ldexp(r.Float64()-0.5, exponent-e+r.IntN(3)))
			if by == ByDistance {
				row[i], x[i] = float32(math.Ldexp(float64(row[i]), exponent-e)), 0
			}
		}
		if by == ByCosine { // large elements make a tiny cosine
			row, x = append(row, 1, 0), append(x, 0, 1)
		}
		score := by.score(x, row)
		if by == ByCosine && r.IntN(2) == 0 {
			score = float32(math.Ldexp(float64(score), r.IntN(3)-1)) // as if rounded otherwise
		}
		s := Rows[float32]{Slices: [][]float32{row}, N: len(x), Count: 1}
		o := s.order(by, x)
		want, got := ruleKey(by, row, x, score), o.key(Hit{0, score})
		if got != want && (got == got || want == want) {
			t.Fatalf("metric %d of %v and %v: the key of score %v is %v, want %v", by, row, x, score,
				got, want)
		}
		if got != float64(score) {
			kinds["wide"]++
		} else if math.Abs(got) < float64(o.small) {
			kinds["small score"]++
		}
		if o.root = 0; o.scoreIsKey(score) != (math.Abs(float64(score)) >= float64(o.small) &&
			score-score == 0) {
			t.Fatalf("scoreIsKey(%v) with bound %v", score, o.small)
		}
	}
	if kinds["wide"] < 50 || kinds["small score"] < 50 {
		t.Errorf("too few cases of a kind: %v", kinds)
	}
}

func TestKeysExactlyAtTheBounds(t *testing.T) {
	for _, c := range []struct {
		by     Metric
		row, x []float32
		score  float32 // as rounded by the path that computed it
		want   float64
	}{
		{ByDot, []float32{math.MaxFloat32, 1}, []float32{1, 1}, math.MaxFloat32, math.MaxFloat32},
		// The float64 score is order.small (2^-126 for one element), then less.
		{ByDot, []float32{0x1p-126}, []float32{1}, 0, 0},
		{ByDot, []float32{0x1p-127}, []float32{1}, 0, 0x1p-127},
		// The float64 cosine is 2^-126, then less.
		{ByCosine, []float32{0x1p-126, 1}, []float32{4, 0}, 0, 0},
		{ByCosine, []float32{0x1p-127, 1}, []float32{8, 0}, 0, 0x1p-127},
		{ByCosine, []float32{0x1p-126, 1}, []float32{2, 0}, 0, 0},        // dot product 2*2^-126
		{ByCosine, []float32{0x1p-126, 1}, []float32{1, 0}, 0, 0x1p-126}, // dot product 2^-126
	} {
		s := Rows[float32]{Slices: [][]float32{c.row}, N: len(c.x), Count: 1}
		o := s.order(c.by, c.x)
		if got := o.key(Hit{0, c.score}); got != c.want {
			t.Errorf("metric %d of %v and %v: the key of score %v is %v, want %v", c.by, c.row, c.x,
				c.score, got, c.want)
		}
	}
}

func TestSmall(t *testing.T) {
	s := Rows[float32]{N: 3}
	for by, want := range map[Metric]float32{ByDot: 0x1.8p-125, ByCosine: 0x1.8p-35,
		ByDistance: 0x1.8p-125} {
		if o := s.order(by, nil); o.small != want {
			t.Errorf("metric %d: small is %v, want %v", by, o.small, want)
		}
	}
}

func TestPrecedes(t *testing.T) {
	keys := []float64{math.Inf(1), 1, 0, -1, math.Inf(-1), math.NaN()}
	for i, a := range keys {
		for j, b := range keys {
			for _, rows := range [][2]int{{1, 2}, {2, 1}, {1, 1}} {
				want := i < j || i == j && rows[0] < rows[1]
				if got := precedes(rows[0], a, rows[1], b); got != want {
					t.Errorf("row %d, key %v before row %d, key %v: %t", rows[0], a, rows[1], b, got)
				}
			}
		}
	}
}

func TestLeast(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, c := range []struct {
		score, element float32 // score of the worst hit, and the only element of its row
		finite         bool
		want           float32
	}{
		{2, 2, true, 2}, {2, 2, false, -inf}, {-2, -2, true, -2},
		{0, 0, true, -0x1p-126}, {0x1p-127, 0x1p-127, true, -0x1p-126},
		{inf, math.MaxFloat32, true, math.MaxFloat32}, {-inf, -math.MaxFloat32, true, -inf},
		{nan, nan, true, -inf},
	} {
		x := []float32{1}
		if c.element == math.MaxFloat32 || c.element == -math.MaxFloat32 {
			x[0] = 2
		}
		s := Rows[float32]{Slice: []float32{c.element}, Stride: 1, N: 1, Count: 1}
		o := s.order(ByDot, x)
		if got := o.least([]Hit{{0, c.score}}, c.finite); got != c.want {
			t.Errorf("worst hit %v, finite %t: %v, want %v", c.score, c.finite, got, c.want)
		}
		if o.root != 0 {
			t.Errorf("the root's key is not cached")
		}
		if got := o.least(make([]Hit, 1, 2), c.finite); got != -inf {
			t.Errorf("with room for a hit: %v", got)
		}
	}
}
