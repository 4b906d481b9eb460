package search

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func operands() (rows [][]float32, query, scores []float32) {
	const count, cols, wanted = 64, 128, 17
	r := rand.New(rand.NewPCG(1, 2))
	for i := range count {
		row := make([]float32, cols)
		for j := range row {
			row[j] = 0.01 * r.Float32()
		}
		row[i] = 1
		rows = append(rows, row)
	}
	query = make([]float32, cols)
	query[wanted] = 1
	return rows, query, make([]float32, count)
}

func TestNearest(t *testing.T) {
	if got := Nearest(operands()); got != 17 {
		t.Errorf("row %d is nearest, want 17", got)
	}
}

var nearest int

func BenchmarkNearest(b *testing.B) {
	rows, query, scores := operands()
	for b.Loop() {
		nearest = Nearest(rows, query, scores)
	}
}

func BenchmarkScore(b *testing.B) {
	rows, query, scores := operands()
	b.ResetTimer()
	for range b.N {
		Score(rows, query, scores)
	}
}

func BenchmarkWords(b *testing.B) {
	text := strings.Repeat("the quick brown fox jumps over a lazy dog ", 20)
	b.Run("long", func(b *testing.B) {
		for range b.N {
			Words(text)
		}
	})
	b.Run("short", func(b *testing.B) {
		for b.Loop() {
			Words(text[:40])
		}
	})
}
