package shards

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/model/labels"
	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/internal/rows/store"
)

// measureLabels returns the distinct labels, ascending, and their numbers of rows. It returns nil
// for more labels than a model can have classes.
func measureLabels(y []float32) (classes []float32, count []int) {
	for _, v := range y {
		k, found := labels.Find(classes, v)
		if !found {
			if len(classes) == labels.MaxClasses {
				return nil, nil
			}
			classes, count = slices.Insert(classes, k, v+0), slices.Insert(count, k, 0)
		}
		count[k]++
	}
	return classes, count
}

// momentBytes limits the memory for the moments of the columns. Moments that need more are left
// out.
const momentBytes = 1 << 30

func measureColumns(ctx context.Context, set *dataset.Set, threads int) (*scale.Columns, error) {
	x := store.Of(set.Examples())
	// Measure keeps moments for up to 256 blocks of rows.
	moments := 256*24*int64(x.Cols()) <= momentBytes
	c := scale.Measure(x, nil, moments, parallel.Threads(threads),
		func() bool { return ctx.Err() != nil })
	if err := cmp.Or(ctx.Err(), set.Err()); err != nil {
		return nil, err
	}
	if c.Bad >= 0 {
		return nil, fmt.Errorf("row %d, counted from 0: a feature is NaN or infinite", c.Bad)
	}
	return c, nil
}

func measureValues(ctx context.Context, set *dataset.Set, c *scale.Columns, threads int) (
	Values, error,
) {
	v := Values{Scaled: map[scale.Kind]scale.RowSizes{}}
	for _, s := range c.Squares {
		v.MaxSquare = max(v.MaxSquare, s)
		v.MeanSquare += s
	}
	v.MeanSquare /= float64(c.Rows)
	copy(v.Lengths[:], scale.Quantiles(c.Squares, 0, 0.5, 1))
	var scales []*scale.Scale
	for _, kind := range []scale.Kind{scale.Standard, scale.MaxAbs, scale.Unit} {
		s := scale.Fit(kind, c)
		if s.Check(set.Cols()) == nil { // without moments there is no standard scale
			scales = append(scales, s)
		}
	}
	sizes := measureScaled(ctx, set, scales, threads)
	for k, s := range scales {
		// Leave out kinds of scaling that make values too large for float32.
		if size := sizes[k]; checkSquares(size.MaxSquare, size.MeanSquare) == nil {
			v.Scaled[s.Kind] = size
		}
	}
	return v, ctx.Err()
}

const measureRows = 1 << 13

func measureScaled(ctx context.Context, set *dataset.Set, scales []*scale.Scale, threads int,
) []scale.RowSizes {
	rows := store.Of(set.Examples())
	n := rows.Rows()
	blocks := make([][]scale.RowSizes, (n+measureRows-1)/measureRows)
	parallel.For(parallel.Threads(threads), len(blocks), func(_, b int) {
		x := rows.Clone()
		full := make([]float32, set.Cols())
		blocks[b] = make([]scale.RowSizes, len(scales))
		for i := b * measureRows; i < min(n, (b+1)*measureRows) && ctx.Err() == nil; i++ {
			index, values := x.Row(i)
			for k, s := range scales {
				square := squareOf(s, index, values, full)
				blocks[b][k].MaxSquare = max(blocks[b][k].MaxSquare, square)
				blocks[b][k].MeanSquare += square
			}
		}
	})
	all := make([]scale.RowSizes, len(scales))
	for k := range all {
		for _, block := range blocks {
			all[k].MaxSquare = max(all[k].MaxSquare, block[k].MaxSquare)
			all[k].MeanSquare += block[k].MeanSquare
		}
		all[k].MeanSquare /= float64(n)
	}
	return all
}

// squareOf returns the squared norm of a row scaled as in the trainer, to float32. It overwrites
// full, which has an element per column.
func squareOf(s *scale.Scale, index []int32, values, full []float32) (square float64) {
	if s.Shift != nil && index != nil { // zeros change, too
		clear(full)
		for k, j := range index {
			full[j] = values[k]
		}
		index, values = nil, full
	}
	s.Row(full, index, values)
	for _, z := range full[:len(values)] {
		square += float64(float64(z) * float64(z))
	}
	return square
}
