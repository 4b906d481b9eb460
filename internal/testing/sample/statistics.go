package sample

import (
	"fmt"
	"math"
	"testing"

	"github.com/pegasimd/pegasimd/internal/model/labels"
	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/internal/rows/store"
)

func Statistics(t testing.TB, x store.Examples, y []float32) *scale.Statistics {
	t.Helper()
	rows := store.Of(x)
	never := func() bool { return false }
	c := scale.Measure(rows, nil, true, 1, never)
	classes, class, err := labels.Classify(y, nil, nil, badRow)
	if err != nil {
		t.Fatal(err)
	}
	m, _ := store.MatrixOf(x)
	s := &scale.Statistics{Columns: *c, Cols: x.Cols(), Dense: m.Dense() != nil, Classes: classes,
		Counts: make([]int64, len(classes)), Sizes: make(map[scale.Kind]scale.RowSizes)}
	for _, k := range class {
		s.Counts[k]++
	}
	s.Squares = scale.Quantiles(c.Squares, 0, 0.5, 1)
	s.Sizes[scale.None] = sizesOf(c.Squares)
	for _, kind := range []scale.Kind{scale.Standard, scale.MaxAbs, scale.Unit} {
		scaled := scale.Fit(kind, c).Rows(rows, 1, never)
		squares := make([]float64, c.Rows)
		for i := range squares {
			squares[i] = float64(scaled.SumSquares(i))
		}
		s.Sizes[kind] = sizesOf(squares)
	}
	return s
}

func badRow(row int, reason string) error { return fmt.Errorf("row %d: %s", row, reason) }

func sizesOf(squares []float64) (s scale.RowSizes) {
	for _, v := range squares {
		s.MaxSquare = math.Max(s.MaxSquare, v)
		s.MeanSquare += v / float64(len(squares))
	}
	return s
}
