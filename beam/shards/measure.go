package shards

import (
	"fmt"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/labels"
	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/internal/scaling"
	"github.com/pegasimd/pegasimd/internal/store"
)

// measureLabels finds the statistics of the labels.
func measureLabels(y []float32) Labels {
	l := Labels{Classes: []float32{}}
	for _, v := range y {
		l.MaxAbs = max(l.MaxAbs, math.Abs(float64(v)))
		l.Mean += float64(v)
		if l.Classes == nil {
			continue
		}
		k, found := slices.BinarySearch(l.Classes, v)
		if !found {
			l.Classes, l.Count = slices.Insert(l.Classes, k, v), slices.Insert(l.Count, k, 0)
		}
		l.Count[k]++
		if len(l.Classes) > labels.MaxClasses {
			l.Classes, l.Count = nil, nil
		}
	}
	l.Mean /= float64(len(y))
	for _, v := range y {
		d := float64(v) - l.Mean
		l.Deviation += float64(d * d)
	}
	l.Deviation = math.Sqrt(l.Deviation / float64(len(y)))
	if !(l.Deviation > float64(0x1p-40*math.Abs(l.Mean))) || !floats.IsFinite(l.Deviation) {
		l.Deviation = 1
	}
	return l
}

// measureColumns finds the statistics of the columns, with moments where they fit the memory.
func measureColumns(set *dataset.Set, o *Options) (*store.Columns, error) {
	x := store.Of(set.Examples())
	// Measure keeps them for 256 blocks of rows, or fewer.
	moments := 256*24*int64(x.Cols()) <= momentBytes
	c := store.Measure(x, nil, moments, parallel.Threads(o.Threads), o.stopped)
	if err := o.err(); err != nil {
		return nil, err
	}
	if err := set.Err(); err != nil {
		return nil, err
	}
	if c.Bad >= 0 {
		return nil, fmt.Errorf("row %d, counted from 0: the features are too large", c.Bad)
	}
	return c, nil
}

// measureValues finds the statistics of the rows that follow from those of the columns, and the
// sizes of scaled rows in a further pass.
func measureValues(set *dataset.Set, c *store.Columns, o *Options) (Values, error) {
	v := Values{Used: used(c), Scaled: map[string]Size{}}
	for _, a := range c.MaxAbs {
		v.MaxAbs = max(v.MaxAbs, float64(a))
	}
	for _, s := range c.Squares {
		v.MaxSquare = max(v.MaxSquare, s)
		v.MeanSquare += s
	}
	v.MeanSquare /= float64(c.Rows)
	copy(v.Lengths[:], store.Quantiles(c.Squares, 0, 0.5, 1))
	copy(v.Magnitudes[:], store.Quantiles(c.MaxAbs, 0, 0.1, 0.9, 1))
	scalers := kinds(c)
	sizes := measureScaled(set, scalers, o)
	for k, s := range scalers {
		if sizes[k].check() == nil { // else the scaled rows are beyond float32
			v.Scaled[s.Kind] = sizes[k]
		}
	}
	return v, o.err()
}

// measureRows is how many rows a goroutine takes at once. The sums are merged in order.
const measureRows = 1 << 13

// measureScaled finds the sizes of the rows as each of the scalers makes them.
func measureScaled(set *dataset.Set, scalers []*scaling.Scaler, o *Options) []Size {
	rows := store.Of(set.Examples())
	n := rows.Rows()
	blocks := make([][]Size, (n+measureRows-1)/measureRows)
	parallel.For(parallel.Threads(o.Threads), len(blocks), func(_, b int) {
		if o.stopped() {
			return
		}
		x := store.ReaderOf(rows.ForWorker())
		blocks[b] = make([]Size, len(scalers))
		for i := b * measureRows; i < min(n, (b+1)*measureRows); i++ {
			index, values := x.Row(i)
			for k, s := range scalers {
				blocks[b][k].add(s, x.Cols(), index, values)
			}
		}
	})
	all := make([]Size, len(scalers))
	for _, block := range blocks {
		for k, s := range block {
			all[k].MaxAbs = max(all[k].MaxAbs, s.MaxAbs)
			all[k].MaxSquare = max(all[k].MaxSquare, s.MaxSquare)
			all[k].MeanSquare += s.MeanSquare
		}
	}
	for k := range all {
		all[k].MeanSquare /= float64(n)
	}
	return all
}

// add takes in a row, of which MeanSquare gets the square.
func (s *Size) add(scaler *scaling.Scaler, cols int, index []int32, values []float32) {
	square := 0.0
	take := func(x float64) {
		x = float64(float32(x)) // as the trainer holds it
		s.MaxAbs = max(s.MaxAbs, math.Abs(x))
		square += float64(x * x)
	}
	switch {
	case scaler.Kind == scaling.Unit:
		length := scaling.Length(values)
		for _, v := range values {
			take(float64(v) / length)
		}
	case index == nil:
		for j, v := range values {
			take(scaler.At(j, v))
		}
	default:
		next := 0
		for k, j := range index {
			if scaler.Shift != nil { // zeros become other numbers
				for ; next < int(j); next++ {
					take(scaler.At(next, 0))
				}
				next++
			}
			take(scaler.At(int(j), values[k]))
		}
		if scaler.Shift != nil {
			for ; next < cols; next++ {
				take(scaler.At(next, 0))
			}
		}
	}
	s.MaxSquare = max(s.MaxSquare, square)
	s.MeanSquare += square
}
