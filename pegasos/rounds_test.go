package pegasos

import (
	"context"
	"math"
	"testing"

	"github.com/pegasimd/pegasimd/internal/labels"
	"github.com/pegasimd/pegasimd/internal/scaling"
	"github.com/pegasimd/pegasimd/internal/store"
)

// statisticsOf returns what NewRounds asks of all rows.
func statisticsOf(t testing.TB, x Examples, y []float32) *Statistics {
	t.Helper()
	rows := store.Of(x)
	c := store.Measure(rows, nil, true, 1, func() bool { return false })
	classes, class, err := labels.Classify(y, nil, nil, rowError)
	if err != nil {
		t.Fatal(err)
	}
	m, _ := store.MatrixOf(x)
	s := &Statistics{Rows: c.Rows, Cols: x.Cols(), Nonzeros: int64(c.Nonzeros),
		Dense: m.Dense() != nil, Classes: classes, Counts: make([]int64, len(classes)),
		MaxAbs: c.MaxAbs, Mean: c.Mean, Variance: c.Variance, Constant: c.Constant,
		Sizes: make(map[Scale]RowSizes)}
	for _, k := range class {
		s.Counts[k]++
	}
	copy(s.Lengths[:], store.Quantiles(c.Squares, 0, 0.5, 1))
	s.Sizes[ScaleNone] = sizesOf(c.Squares)
	for _, kind := range []string{scaling.Standard, scaling.MaxAbs, scaling.Unit} {
		scaled := store.Scale(rows, c.Scaler(kind), kind == scaling.Standard, 1,
			func() bool { return false })
		squares := make([]float64, c.Rows)
		for i := range squares {
			squares[i] = float64(scaled.SumSquares(i))
		}
		s.Sizes[Scale(kind)] = sizesOf(squares)
	}
	return s
}

func sizesOf(squares []float64) (s RowSizes) {
	for _, v := range squares {
		s.MaxSquare = math.Max(s.MaxSquare, v)
		s.MeanSquare += v / float64(len(squares))
	}
	return s
}

// inShards cuts rows into so many shards.
func inShards(t testing.TB, r *Rounds, x Examples, y []float32, n int) (shards []*RoundShard) {
	t.Helper()
	m, _ := store.MatrixOf(x)
	blocks := (len(y) + RoundBlock - 1) / RoundBlock
	for k := range n {
		first, end := min(len(y), k*blocks/n*RoundBlock), min(len(y), (k+1)*blocks/n*RoundBlock)
		var only []int32
		for i := first; i < end; i++ {
			only = append(only, int32(i))
		}
		part := store.TakeMatrix(m, only).Examples()
		s, err := r.Shard(k, part, y[first:end], first)
		if err != nil {
			t.Fatal(err)
		}
		shards = append(shards, s)
	}
	return shards
}

// runRounds trains in rounds.
func runRounds(t testing.TB, r *Rounds, shards []*RoundShard, each func(*RoundState)) *Model {
	t.Helper()
	s := r.Start()
	alpha := make([][]float32, len(shards))
	for !s.Done {
		sum := make([]int64, r.sumLength(s))
		for k, shard := range shards {
			part, next, err := shard.Take(context.Background(), s, alpha[k], 2)
			if err != nil {
				t.Fatal(err)
			}
			alpha[k] = next
			for j, v := range part {
				sum[j] += v
			}
		}
		var err error
		if s, err = r.Next(s, sum); err != nil {
			t.Fatal(err)
		}
		if each != nil {
			each(s)
		}
	}
	m, err := r.Model(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
