package store

import (
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/matrices"
	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/internal/scaling"
	"github.com/pegasimd/pegasimd/sparse"
)

// rows is Rows, under a name that is no method's.
type rows = Rows

// Scaled is rows that were scaled: copies of them in float32, and the rows as they were, of which
// WideDot and AddTo take the scaled values in float64. The results of these two are those of the
// scaled rows without the rounding to float32.
type Scaled struct {
	rows            // scaled, maybe in another order than raw, and in fewer bytes
	matrix Matrix   // of float32, also where rows has fewer bytes
	places []uint32 // of the rows in matrix; nil for the same
	raw    Rows     // as given
	reader Reader   // of raw
	at     []uint32 // the rows' places in raw; nil for the same
	scaler *scaling.Scaler
	stop   func() bool
	length []float64 // of each row of raw, with scaling.Unit
	values []float64 // a buffer for a row
	zeros  []float64 // a row of zeros, scaled; nil before it is asked for
}

// scaleBlock is how many rows a worker scales before it takes the next ones.
const scaleBlock = 1024

// Scale returns the rows of x, scaled by the given number of goroutines: as dense ones if toDense
// is set, else as they are held; rows of a type that the caller has defined become dense. x is not
// changed. Values that are not finite are left to the trainer, which looks for them anyway. Once
// stop is true, the rows are of no use.
func Scale(x Rows, s *scaling.Scaler, toDense bool, threads int, stop func() bool) *Scaled {
	r := &Scaled{raw: x, reader: ReaderOf(x), scaler: s, stop: stop}
	if s.Kind == scaling.Unit {
		r.length = make([]float64, x.Rows())
	}
	m, ok := MatrixOf(x)
	if ok && m.Dense() == nil && !toDense {
		r.matrix = r.scaleSparse(threads)
	} else {
		r.matrix = r.scaleDense(threads)
	}
	r.rows = r.matrix
	return r
}

// each calls f for blocks of rows, with a copy of r for each worker.
func (r *Scaled) each(threads int, f func(r *Scaled, first, end int)) {
	n := r.raw.Rows()
	workers := make([]*Scaled, max(1, threads))
	parallel.For(len(workers), (n+scaleBlock-1)/scaleBlock, func(worker, b int) {
		if r.stop() {
			return
		}
		if workers[worker] == nil {
			workers[worker] = r.another()
		}
		f(workers[worker], b*scaleBlock, min((b+1)*scaleBlock, n))
	})
}

func (r *Scaled) scaleDense(threads int) Matrix {
	d := (*dense.Matrix)(matrices.NewNarrow(r.raw.Rows(), r.raw.Cols()))
	r.each(threads, func(r *Scaled, first, end int) {
		for i := first; i < end; i++ {
			index, values := r.reader.Row(i)
			r.measure(i, values)
			if to := d.Row(i); index == nil {
				r.scaler.Row(to, nil, values)
			} else {
				r.expand(i, index, values)
				for j, v := range r.values {
					to[j] = float32(v)
				}
			}
		}
	})
	return newFloats(d)
}

// scaleSparse keeps the nonzeros where they are, even those that become 0: factors do not lose the
// others, and the few zeros are not worth another layout.
func (r *Scaled) scaleSparse(threads int) Matrix {
	n := r.raw.Rows()
	starts := make([]int64, n+1)
	for i := range n {
		index, _ := r.reader.Row(i)
		starts[i+1] = starts[i] + int64(len(index))
	}
	indices, scaled := make([]int32, starts[n]), make([]float32, starts[n])
	r.each(threads, func(r *Scaled, first, end int) {
		for i := first; i < end; i++ {
			index, values := r.reader.Row(i)
			r.measure(i, values)
			copy(indices[starts[i]:], index)
			r.scaler.Row(scaled[starts[i]:starts[i+1]], index, values)
		}
	})
	m := matrices.Trusted(r.raw.Cols(), starts, indices, scaled)
	return ofSparse((*sparse.Matrix)(m)).(Matrix)
}

// measure finds the length of row i, if the scaling divides by it.
func (r *Scaled) measure(i int, values []float32) {
	if r.length != nil {
		r.length[i] = scaling.Length(values)
	}
}

// at64 returns value v of column j in row i of raw, scaled.
func (r *Scaled) at64(i, j int, v float32) float64 {
	if r.length != nil {
		return float64(v) / r.length[i]
	}
	return r.scaler.At(j, v)
}

// expand writes all values of row i of raw, scaled, to the buffer.
func (r *Scaled) expand(i int, index []int32, values []float32) {
	if r.values == nil {
		r.values = make([]float64, r.raw.Cols())
	}
	if index == nil {
		for j, v := range values {
			r.values[j] = r.at64(i, j, v)
		}
		return
	}
	if r.zeros == nil {
		r.zeros = make([]float64, len(r.values))
		for j := range r.scaler.Shift {
			r.zeros[j] = r.scaler.At(j, 0)
		}
	}
	copy(r.values, r.zeros)
	for k, j := range index {
		r.values[j] = r.at64(i, int(j), values[k])
	}
}

// nonzeros returns the columns and the scaled values of row i in float64; nil columns for all.
func (r *Scaled) nonzeros(i int) ([]int32, []float64) {
	if r.at != nil {
		i = int(r.at[i])
	}
	index, values := r.reader.Row(i)
	if index == nil || r.scaler.Shift != nil {
		r.expand(i, index, values)
		return nil, r.values
	}
	if cap(r.values) < len(values) {
		r.values = make([]float64, len(values))
	}
	r.values = r.values[:len(values)]
	for k, j := range index {
		r.values[k] = r.at64(i, int(j), values[k])
	}
	return index, r.values
}

// another returns the same rows with buffers of their own.
func (r *Scaled) another() *Scaled {
	c := *r
	c.values, c.raw = nil, r.raw.ForWorker()
	c.reader = ReaderOf(c.raw)
	return &c
}

// ForWorker returns the same rows for another goroutine.
func (r *Scaled) ForWorker() Rows {
	c := r.another()
	c.rows = r.rows.ForWorker()
	return c
}

// Take returns copies of the given rows.
func (r *Scaled) Take(rows []uint32) Rows {
	c := r.another()
	c.rows = r.rows.Take(rows)
	m, whole := c.rows.(Matrix)
	if whole {
		c.matrix = m
	}
	c.at = rows
	if r.at != nil {
		c.at = make([]uint32, len(rows))
		for k, i := range rows {
			c.at[k] = r.at[i]
		}
	}
	if c.places = c.at; whole {
		c.places = nil
	}
	return c
}

// Compact returns the rows in fewer bytes, if they can be.
func (r *Scaled) Compact(threads int) (Rows, bool) {
	x, ok := r.rows.Compact(threads)
	if !ok {
		return nil, false
	}
	c := r.another()
	c.rows = x
	return c, true
}

// DotError includes the rounding of a value to float32, and that of a weight when the scale is
// folded into it.
func (r *Scaled) DotError(i int) float64 { return r.rows.DotError(i) + 1.01*0x1p-23 }

// WideDot takes the values without these roundings.
func (r *Scaled) WideDot(i int, w []float64) float64 {
	var lane [wideLanes]float64
	index, values := r.nonzeros(i)
	if index == nil {
		w = w[:len(values)]
		for j, v := range values {
			lane[j&(wideLanes-1)] += float64(w[j] * v)
		}
		return wideFold(lane)
	}
	for k, j := range index {
		lane[j&(wideLanes-1)] += float64(w[j] * values[k])
	}
	return wideFold(lane)
}

// AddTo does likewise.
func (r *Scaled) AddTo(u []float64, s Sum) {
	for i, a := range s.all() {
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

// Row returns a row as it was scaled: see Matrix.
func (r *Scaled) Row(i int) (index []int32, values []float32) {
	if r.places != nil {
		i = int(r.places[i])
	}
	return r.matrix.Row(i)
}

// Dense returns dense rows, and nil for sparse ones.
func (r *Scaled) Dense() *dense.Matrix { return r.matrix.Dense() }

// Examples returns the rows as the caller's package has them.
func (r *Scaled) Examples() Examples { return r.matrix.Examples() }

// Raw returns the rows that x was scaled from, or x.
func Raw(x Rows) Rows {
	if s, ok := x.(*Scaled); ok && s.at == nil {
		return s.raw
	}
	return x
}
