package nearest_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/internal/vectors/nearest"
)

// The hits are those of Top, in any order and division of the rows into calls.
func TestAddAt(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for round := range 300 {
		n, count, most := 1+r.IntN(9), 1+r.IntN(200), 1+r.IntN(12)
		rows, x := small(r, count*n), small(r, n)
		scale := []float32{1, 0x1p-70, 0x1p70, 1}[round%4] // underflow and overflow
		for _, v := range [][]float32{rows, x} {
			for i := range v {
				v[i] *= scale
			}
		}
		if round%4 == 3 {
			rows[r.IntN(len(rows))] = float32(math.NaN())
		}
		for by := nearest.ByDot; by <= nearest.ByDistance; by++ {
			all := nearest.Rows[float32]{Slice: rows, Stride: n, N: n, Count: count}
			want := nearest.Top(&all, make([]nearest.Hit, most), by, x)
			everything := nearest.Top(&all, make([]nearest.Hit, count), by, x)

			s := nearest.Rows[float32]{Slice: rows, Stride: n, N: n}
			hits := make([]nearest.Hit, 0, min(most, count))
			order := r.Perm(count)
			for start := 0; start < count; {
				var idx []uint32
				for _, i := range order[start:min(start+1+r.IntN(64), count)] {
					idx = append(idx, uint32(i))
				}
				start += len(idx)
				var least float32
				hits, least = nearest.AddAt(&s, hits, by, idx, x)
				if len(hits) < cap(hits) && !math.IsInf(float64(least), -1) {
					t.Fatalf("least is %v while there are %d of %d hits", least, len(hits), cap(hits))
				}
				heap := slices.Clone(hits)
				for _, h := range everything {
					if by == nearest.ByDistance {
						h.Score = -h.Score
					}
					if h.Score < least && nearest.Better(&s, by, x, h, heap[0]) {
						t.Fatalf("metric %d: %v ranks before %v, but least is %v", by, h, heap[0], least)
					}
				}
			}
			nearest.Finish(&s, hits, by, x)
			same := func(a, b nearest.Hit) bool {
				return a.Row == b.Row && (a.Score == b.Score || a.Score != a.Score)
			}
			if !slices.EqualFunc(hits, want, same) {
				t.Fatalf("metric %d: got %v, want %v", by, hits, want)
			}
		}
	}
}
