package nearest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// someRows returns rows and a query with numbers at the ends of float32's range and between them, a
// few of them infinite or NaN.
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

// TestKeys checks that a finite score and its key are equal or both small, and that a key is
// infinite or NaN only if the row or the query has such an element.
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

// TestOffer checks that hits do not depend on the order and the parts in which rows are offered.
func TestOffer(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		count, n, by := r.IntN(600), 1+r.IntN(5), Metric(r.IntN(3))
		rows, x := someRows(r, count, n)
		s := Rows[float32]{Slice: rows, Stride: n, N: n, Count: count}
		for _, i := range r.Perm(count) {
			s.Idx = append(s.Idx, int32(i))
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
			t.Fatalf("%d hits of %d rows, want %d", len(hits), count, cap(hits))
		}
	}
}
