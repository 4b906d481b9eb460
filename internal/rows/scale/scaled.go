package scale

import (
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
	"github.com/pegasimd/pegasimd/sparse"
)

// An embedded field named Rows would hide the method Rows.
type rows = store.Rows

// Scaled is scaled rows: float32 copies, and the original rows, from which Dot64 and AddTo compute
// scaled values in float64.
type Scaled struct {
	rows                 // perhaps reordered or compact
	matrix  store.Matrix // the scaled rows in float32, also if rows is compact
	places  []uint32     // index in matrix of each row; nil if it is the row's own index
	raw     store.Rows
	at      []uint32 // index in raw of each row; nil if it is the row's own index
	scale   *Scale
	stop    func() bool
	lengths []float64 // length of each row of raw; nil unless the kind is Unit
	values  []float64
	zeros   []float64 // a row of zeros after scaling; nil until it is needed
}

const scaleBlock = 1024

// Apply returns the scaled and expanded rows, and the scaled targets: x itself if the kind is None
// and there is no Expansion, and y itself if Spread is 0. Terms are stored only if they take at
// most room bytes. If stop returns true meanwhile, the rows are unusable.
func (s *Scale) Apply(x store.Examples, y []float32, room float64, threads int,
	stop func() bool) (store.Examples, []float32) {
	if s.Kind != None {
		x = s.Rows(store.Of(x), threads, stop)
	}
	if s.Expansion != nil {
		x = store.Expand(store.Of(x), s.Expansion, room)
	}
	if s.Spread == 0 {
		return x, y
	}
	scaled := make([]float32, len(y))
	for i, v := range y {
		scaled[i] = float32((float64(v) - s.Centre) / s.Spread)
	}
	return x, scaled
}

// Rows returns the scaled rows of x: sparse if x is a sparse matrix and the kind is not Standard,
// else dense. If stop returns true meanwhile, the rows are unusable.
func (s *Scale) Rows(x store.Rows, threads int, stop func() bool) *Scaled {
	r := &Scaled{raw: x, scale: s, stop: stop}
	if s.Kind == Unit {
		r.lengths = make([]float64, x.Rows())
	}
	m, ok := store.MatrixOf(x)
	if ok && m.Dense() == nil && s.Kind != Standard {
		r.matrix = r.scaleSparse(threads)
	} else {
		r.matrix = r.scaleDense(threads)
	}
	r.rows = r.matrix
	return r
}

func (r *Scaled) forBlocks(threads int, f func(r *Scaled, first, end int)) {
	n := r.raw.Rows()
	workers := make([]*Scaled, max(1, threads))
	parallel.For(len(workers), (n+scaleBlock-1)/scaleBlock, func(worker, b int) {
		if r.stop() {
			return
		}
		if workers[worker] == nil {
			workers[worker] = r.withOwnBuffers()
		}
		f(workers[worker], b*scaleBlock, min((b+1)*scaleBlock, n))
	})
}

func (r *Scaled) scaleDense(threads int) store.Matrix {
	d := (*dense.Matrix)(matrices.NewNarrow(r.raw.Rows(), r.raw.Cols()))
	r.forBlocks(threads, func(r *Scaled, first, end int) {
		for i := first; i < end; i++ {
			index, values := r.raw.Row(i)
			r.storeLength(i, values)
			if to := d.Row(i); index == nil {
				r.scale.Row(to, nil, values)
			} else {
				r.expandRow(i, index, values)
				for j, v := range r.values {
					to[j] = float32(v)
				}
			}
		}
	})
	return store.Of(d).(store.Matrix)
}

func (r *Scaled) scaleSparse(threads int) store.Matrix {
	n := r.raw.Rows()
	starts := make([]int64, n+1)
	for i := range n {
		index, _ := r.raw.Row(i)
		starts[i+1] = starts[i] + int64(len(index))
	}
	indices, scaled := make([]int32, starts[n]), make([]float32, starts[n])
	r.forBlocks(threads, func(r *Scaled, first, end int) {
		for i := first; i < end; i++ {
			index, values := r.raw.Row(i)
			r.storeLength(i, values)
			copy(indices[starts[i]:], index)
			r.scale.Row(scaled[starts[i]:starts[i+1]], index, values)
		}
	})
	m := matrices.Trusted(r.raw.Cols(), starts, indices, scaled)
	return store.Of((*sparse.Matrix)(m)).(store.Matrix)
}

func (r *Scaled) storeLength(i int, values []float32) {
	if r.lengths != nil {
		r.lengths[i] = Length(values)
	}
}

func (r *Scaled) scaledValue(i, j int, v float32) float64 {
	if r.lengths != nil {
		return float64(v) / r.lengths[i]
	}
	return r.scale.At(j, v)
}

func (r *Scaled) expandRow(i int, index []int32, values []float32) {
	if r.values == nil {
		r.values = make([]float64, r.raw.Cols())
	}
	if shift := r.scale.Shift; index == nil && shift != nil { // faster than scaledValue
		dst, shift, factor := r.values[:len(values)], shift[:len(values)], r.scale.Factor[:len(values)]
		for j, v := range values {
			dst[j] = float64((float64(v) - float64(shift[j])) * float64(factor[j]))
		}
		return
	}
	if index == nil {
		for j, v := range values {
			r.values[j] = r.scaledValue(i, j, v)
		}
		return
	}
	if r.zeros == nil {
		r.zeros = make([]float64, len(r.values))
		for j := range r.scale.Shift {
			r.zeros[j] = r.scale.At(j, 0)
		}
	}
	copy(r.values, r.zeros)
	for k, j := range index {
		r.values[j] = r.scaledValue(i, int(j), values[k])
	}
}

// The columns are nil if there is a value for every column.
func (r *Scaled) nonzeros(i int) ([]int32, []float64) {
	if r.at != nil {
		i = int(r.at[i])
	}
	index, values := r.raw.Row(i)
	if index == nil || r.scale.Shift != nil {
		r.expandRow(i, index, values)
		return nil, r.values
	}
	if cap(r.values) < len(values) {
		r.values = make([]float64, len(values))
	}
	r.values = r.values[:len(values)]
	for k, j := range index {
		r.values[k] = r.scaledValue(i, int(j), values[k])
	}
	return index, r.values
}

func (r *Scaled) withOwnBuffers() *Scaled {
	c := *r
	c.values, c.raw = nil, r.raw.Clone()
	return &c
}

func (r *Scaled) Clone() store.Rows {
	c := r.withOwnBuffers()
	c.rows = r.rows.Clone()
	return c
}

func (r *Scaled) Err() error { return r.raw.Err() }

func (r *Scaled) Take(rows []uint32) store.Rows {
	c := r.withOwnBuffers()
	c.rows = r.rows.Take(rows)
	c.at, c.places = store.Compose(r.at, rows), store.Compose(r.places, rows)
	if m, ok := c.rows.(store.Matrix); ok {
		c.matrix, c.places = m, nil
	}
	return c
}

func (r *Scaled) Compact(threads int) (store.Rows, bool) {
	x, ok := r.rows.Compact(threads)
	if !ok {
		return nil, false
	}
	c := r.withOwnBuffers()
	c.rows = x
	return c, true
}

// DotError adds two rounding errors of 2^-24: one for rounding a value to float32, and one for
// rounding a weight when the scale is folded into the weights.
func (r *Scaled) DotError(i int) float64 { return r.rows.DotError(i) + 1.01*0x1p-23 }

func (r *Scaled) Dot64(i int, w []float64) float64 {
	index, values := r.nonzeros(i)
	if index == nil {
		return floats.Dot(values, w)
	}
	var lane [floats.Lanes]float64
	for k, j := range index {
		lane[j&(floats.Lanes-1)] += float64(w[j] * values[k])
	}
	return floats.Fold(lane)
}

func (r *Scaled) AddTo(u []float64, s store.Sum) {
	for k := range s.Len() {
		i, a := s.Term(k)
		if a == 0 {
			continue
		}
		index, values := r.nonzeros(i)
		if index == nil {
			u := u[:len(values)]
			for j, v := range values {
				u[j] += float64(a * v)
			}
			continue
		}
		for k, j := range index {
			u[j] += float64(a * values[k])
		}
	}
}

func (r *Scaled) Row(i int) (index []int32, values []float32) {
	if r.places != nil {
		i = int(r.places[i])
	}
	return r.matrix.Row(i)
}

func (r *Scaled) Dense() *dense.Matrix { return r.matrix.Dense() }

func (r *Scaled) Examples() store.Examples { return r.matrix.Examples() }

// Raw returns the original rows of x, before they were scaled and expanded. If Take has selected or
// reordered scaled rows, or x was not scaled, it returns x without its terms.
func Raw(x store.Rows) store.Rows {
	x = store.Unexpanded(x)
	if s, ok := x.(*Scaled); ok && s.at == nil {
		return s.raw
	}
	return x
}
