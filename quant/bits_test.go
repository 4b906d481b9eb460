package quant_test

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/quant"
)

func randomWords(r *rand.Rand, n int) []uint64 {
	v := make([]uint64, n)
	for i := range v {
		v[i] = r.Uint64() & r.Uint64() & 0x0f0f0f0f // few bits, so that distances tie
	}
	return v
}

func TestTopHamming(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, isa := range asm.Available() {
		defer asm.Use(asm.Use(isa))
		for n := 1; n < 20; n++ {
			stride, count := n+r.IntN(3), 1+r.IntN(300)
			rows, x := randomWords(r, (count-1)*stride+n), randomWords(r, n)
			var all []quant.Hit
			for i := range count {
				score := 0
				for j, v := range x {
					score += bits.OnesCount64(v ^ rows[i*stride+j])
				}
				all = append(all, quant.Hit{Row: i, Score: int64(score)})
				if got := quant.Hamming(rows[i*stride:][:n], x); got != int64(score) {
					t.Fatalf("isa=%v: n = %d: %d bits differ, want %d", isa, n, got, score)
				}
			}
			slices.SortStableFunc(all, func(a, b quant.Hit) int { return int(a.Score - b.Score) })
			k := min(1+r.IntN(20), count)
			if got := quant.TopHamming(make([]quant.Hit, k), rows, stride, x); !slices.Equal(got, all[:k]) {
				t.Fatalf("isa=%v: n = %d: got %v, want %v", isa, n, got, all[:k])
			}
		}
	}
	if quant.Hamming(nil, nil) != 0 {
		t.Error("Hamming(nil, nil) is not 0")
	}
	long := slices.Repeat([]uint64{math.MaxUint64}, 3*asm.Block+5)
	if got := quant.Hamming(long, make([]uint64, len(long))); got != int64(64*len(long)) {
		t.Errorf("%d bits of %d words differ, want all", got, len(long))
	}
}

func TestHammingBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, isa := range asm.Available() {
		defer asm.Use(asm.Use(isa))
		for _, n := range []int{0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 63, 64, 65, 96, 100, 129, 1000,
			8*asm.Block + 3} {
			for shift := range 4 {
				x, y := make([]byte, n+shift)[shift:], make([]byte, n+3*shift)[3*shift:]
				want := 0
				for i := range x {
					x[i], y[i] = byte(r.Uint32()), byte(r.Uint32())
					want += bits.OnesCount8(x[i] ^ y[i])
				}
				if got := quant.HammingBytes(x, y); got != int64(want) {
					t.Fatalf("isa=%v: n = %d: %d bits differ, want %d", isa, n, got, want)
				}
			}
		}
		for n := 1; n < 20; n++ {
			stride, count := n+r.IntN(3), 1+r.IntN(300)
			rows, x := make([]byte, (count-1)*stride+n), make([]byte, n)
			for i := range rows {
				rows[i] = byte(r.IntN(4))
			}
			var all []quant.Hit
			for i := range count {
				all = append(all, quant.Hit{Row: i, Score: quant.HammingBytes(rows[i*stride:][:n], x)})
			}
			slices.SortStableFunc(all, func(a, b quant.Hit) int { return int(a.Score - b.Score) })
			k := min(1+r.IntN(20), count)
			got := quant.TopHammingBytes(make([]quant.Hit, k), rows, stride, x)
			if !slices.Equal(got, all[:k]) {
				t.Fatalf("isa=%v: n = %d: got %v, want %v", isa, n, got, all[:k])
			}
		}
	}
}

func TestSigns(t *testing.T) {
	x := make([]float32, 70)
	x[0], x[1], x[63], x[64], x[69] = 1, -1, 1e-45, nan(), 2
	x[2], x[3] = float32(math.Inf(1)), float32(math.Copysign(0, -1))
	words := []uint64{99, 99}
	quant.Signs(words, x)
	if want := []uint64{1<<0 | 1<<2 | 1<<63, 1 << 5}; !slices.Equal(words, want) {
		t.Errorf("got %#x, want %#x", words, want)
	}
	quant.Signs(nil, nil)
}

func embeddings(r *rand.Rand, count, n, clusters int, noise float64) []float32 {
	centers, rows := make([]float64, clusters*n), make([]float32, count*n)
	for i := range centers {
		centers[i] = r.NormFloat64()
	}
	for i := range count {
		c := r.IntN(clusters)
		for j := range n {
			rows[i*n+j] = float32(centers[c*n+j] + noise*r.NormFloat64())
		}
	}
	return rows
}

// recall returns, for each m of ms, the mean share of the k nearest rows by cosine that are among
// the m nearest rows by signs.
func recall(rows []float32, n int, queries [][]float32, k int, ms []int) (parts []float64) {
	words := (n + 63) / 64
	signs, query := make([]uint64, len(rows)/n*words), make([]uint64, words)
	for i := range len(rows) / n {
		quant.Signs(signs[i*words:][:words], rows[i*n:][:n])
	}
	for _, m := range ms {
		found := 0
		for _, x := range queries {
			quant.Signs(query, x)
			var some []int32
			for _, h := range quant.TopHamming(make([]quant.Hit, m), signs, words, query) {
				some = append(some, int32(h.Row))
			}
			have := dense.TopAt(make([]dense.Hit, k), dense.ByCosine, rows, n, some, x)
			for _, best := range dense.Top(make([]dense.Hit, k), dense.ByCosine, rows, n, x) {
				if slices.Contains(have, best) {
					found++
				}
			}
		}
		parts = append(parts, float64(found)/float64(k*len(queries)))
	}
	return parts
}

func TestRecall(t *testing.T) {
	const count, k = 20_000, 10
	ms := []int{10, 20, 50, 100, 200, 500, 1000}
	for _, n := range []int{384, 768, 1536} {
		if testing.Short() && n > 384 {
			continue
		}
		r := rand.New(rand.NewPCG(uint64(n), 1))
		all := embeddings(r, count+50, n, 200, 1)
		var queries [][]float32
		for q := range 50 {
			queries = append(queries, all[(count+q)*n:][:n])
		}
		parts := recall(all[:count*n], n, queries, k, ms)
		line := fmt.Sprintf("%d columns:", n)
		for i, m := range ms {
			line += fmt.Sprintf(" %d %.3f", m, parts[i])
		}
		t.Log(line)
		if !slices.IsSorted(parts) || parts[len(parts)-1] < 0.95 {
			t.Errorf("recall %v, want numbers that do not fall, the last at least 0.95", parts)
		}
	}
}
