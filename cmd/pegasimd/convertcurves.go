package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/sparse"
)

// expand replaces the rows of set by the rows that the model's weights multiply: scaled, with the
// terms of the model's curves.
func (d *dataReader) expand(set *dataset.Set, s *pegasos.Scaling) error {
	cols := set.Cols()
	stopped := func() bool { return d.call.Err() != nil }
	examples, _ := (*scale.Scale)(s).Apply(set.Examples(), nil, 0,
		parallel.Threads(d.opt.Threads), stopped)
	rows := store.Of(examples)
	var x *dense.Matrix
	starts, indices, values := []int64{0}, []int32{}, []float32{}
	for i := range rows.Rows() {
		if stopped() {
			return d.call.Err()
		}
		index, row := rows.Row(i)
		if index == nil {
			if x == nil {
				x = dense.New(rows.Rows(), rows.Cols())
			}
			copy(x.Row(i), row)
			continue
		}
		for k, v := range row {
			if v != 0 {
				indices, values = append(indices, index[k]), append(values, v)
			}
		}
		starts = append(starts, int64(len(values)))
	}
	if err := cmp.Or(rows.Err(), d.call.Err()); err != nil {
		return err
	}
	if set.Dense, set.Sparse = x, nil; x == nil {
		var err error
		if set.Sparse, err = sparse.New(rows.Cols(), starts, indices, values); err != nil {
			return err
		}
	}
	if t := set.Table; t != nil && len(t.Columns) == cols {
		named := *t
		named.Columns = slices.Clone(t.Columns)
		for k := range s.Expansion.Terms {
			named.Columns = append(named.Columns, s.Expansion.Name(k,
				func(j int) string { return t.Columns[j] }, unscaled(s, d.encoder)))
		}
		set.Table = &named
	}
	if !d.call.flags.Quiet {
		scaled := ""
		if s.Kind != pegasos.ScaleNone {
			scaled = fmt.Sprintf(", scaled (%s),", s.Kind)
		}
		fmt.Fprintf(d.call.stderr, "%s%s and %s computed from them\n", count(cols, "feature"), scaled,
			count(s.Expansion.Len(), "curve"))
	}
	return nil
}
