package scale

import (
	"math"
	"unsafe"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/rows/store"
)

// Columns holds statistics of the rows whose weight is above 0. Its JSON has only the statistics of
// columns.
type Columns struct {
	Rows     int       `json:"-"`
	Nonzeros int       `json:"-"`
	MaxAbs   []float32 `json:"max_abs"` // largest magnitude in each column
	Squares  []float64 `json:"-"`       // squared length of each row; 0 for rows of weight 0

	// Weighted moments of each column; nil unless Measure was asked for them.
	Mean     []float64 `json:"mean,omitempty"`
	Variance []float64 `json:"variance,omitempty"`
	// Constant[j] reports whether column j has the same value in all rows. Constant is nil unless
	// Measure has computed the moments, or MeasureConstants was called.
	Constant []bool `json:"constant,omitempty"`

	Bad int `json:"-"` // first row with a value that is not finite; -1 for none
}

// Every block but the last has at least columnRows rows.
const (
	columnBlocks = 256
	columnRows   = 1024
)

type columnBlock struct {
	rows, nonzeros int
	bad            int
	weight         float64
	mean           []float64
	square         []float64 // weighted sum of squared deviations from mean, for each column
	least, most    []float32
}

// Measure computes statistics of the rows of positive weight; a nil weight means that all weights
// are 1. It sets Mean, Variance and Constant only if moments is true. The results have the same
// bits for any number of goroutines: moments of blocks of rows are merged in order (Chan, Golub and
// LeVeque, The American Statistician 37, 1983). Once stop returns true, the results are unusable.
func Measure(x store.Rows, weight []float64, moments bool, threads int, stop func() bool) *Columns {
	return measure(x, weight, moments, false, threads, stop)
}

// MeasureConstants is Measure with Constant, but without Mean and Variance. It does not expand
// sparse rows.
func MeasureConstants(x store.Rows, weight []float64, threads int, stop func() bool) *Columns {
	return measure(x, weight, false, true, threads, stop)
}

func measure(x store.Rows, weight []float64, moments, constants bool, threads int,
	stop func() bool) *Columns {
	n, cols := x.Rows(), x.Cols()
	c := &Columns{Squares: make([]float64, n), Bad: -1}
	rows := max(columnRows, (n+columnBlocks-1)/columnBlocks)
	blocks := make([]columnBlock, (n+rows-1)/rows)
	workers := make([]*columnWorker, max(1, threads))
	parallel.For(len(workers), len(blocks), func(worker, b int) {
		if stop() {
			return
		}
		w := workers[worker]
		if w == nil {
			w = &columnWorker{Columns: c, x: x.Clone(), weight: weight,
				maxBits: make([]uint32, cols)}
			if constants {
				w.seen = make([]columnValues, cols)
			}
			workers[worker] = w
		}
		start := b * rows
		if moments {
			w.moments(&blocks[b], start, min(start+rows, n))
		} else {
			w.magnitudes(&blocks[b], start, min(start+rows, n))
		}
	})
	c.MaxAbs = largest(workers, cols)
	for _, b := range blocks {
		c.Rows += b.rows
		c.Nonzeros += b.nonzeros
		if c.Bad < 0 && b.bad >= 0 {
			c.Bad = b.bad
		}
	}
	if moments {
		c.mergeMoments(blocks)
	}
	if constants {
		c.findConstants(workers)
	}
	return c
}

func largest(workers []*columnWorker, cols int) []float32 {
	var all []uint32
	for _, w := range workers {
		switch {
		case w == nil:
		case all == nil:
			all = w.maxBits
		default:
			for j, size := range w.maxBits {
				all[j] = max(all[j], size)
			}
		}
	}
	if all == nil {
		return make([]float32, cols)
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(all))), cols)
}

type columnWorker struct {
	*Columns
	x       store.Rows
	weight  []float64
	maxBits []uint32
	row     []float32      // a sparse row expanded to all columns
	seen    []columnValues // nil unless MeasureConstants was called
}

type columnValues struct {
	first  float32
	differ bool
	count  int
}

func (w *columnWorker) weightOf(i int) float64 { return floats.At(w.weight, i, 1) }

func (w *columnWorker) addRow(b *columnBlock, i int, index []int32, values []float32) {
	square, nonzeros := 0.0, 0
	for k, v := range values {
		size := magnitude(v)
		nonzeros += nonzero(size)
		square += float64(float64(v) * float64(v))
		j := k
		if index != nil {
			j = int(index[k])
		}
		w.maxBits[j] = max(w.maxBits[j], size)
	}
	w.countRow(b, i, square, nonzeros)
}

func (w *columnWorker) countRow(b *columnBlock, i int, square float64, nonzeros int) {
	b.rows++
	b.nonzeros += nonzeros
	w.Squares[i] = square
	if !(square <= math.MaxFloat64) && (b.bad < 0 || i < b.bad) { // only if a value is not finite
		b.bad = i
	}
}

// Independent sums hide the latency of the additions.
const rowsAtOnce = 4

// The sums have the same bits as addRow's.
func (w *columnWorker) addFourRows(b *columnBlock, at [rowsAtOnce]int, rows [rowsAtOnce][]float32) {
	most := w.maxBits
	x0, x1, x2, x3 := rows[0][:len(most)], rows[1][:len(most)], rows[2][:len(most)],
		rows[3][:len(most)]
	var s0, s1, s2, s3 float64
	var n0, n1, n2, n3 int
	for j, m := range most {
		v0, v1, v2, v3 := x0[j], x1[j], x2[j], x3[j]
		m0, m1, m2, m3 := magnitude(v0), magnitude(v1), magnitude(v2), magnitude(v3)
		most[j] = max(m, max(max(m0, m1), max(m2, m3)))
		n0 += nonzero(m0)
		n1 += nonzero(m1)
		n2 += nonzero(m2)
		n3 += nonzero(m3)
		s0 += float64(float64(v0) * float64(v0))
		s1 += float64(float64(v1) * float64(v1))
		s2 += float64(float64(v2) * float64(v2))
		s3 += float64(float64(v3) * float64(v3))
	}
	w.countRow(b, at[0], s0, n0)
	w.countRow(b, at[1], s1, n1)
	w.countRow(b, at[2], s2, n2)
	w.countRow(b, at[3], s3, n3)
}

// magnitude returns the bits of |v|. As integers, they have the order of the magnitudes.
func magnitude(v float32) uint32 { return math.Float32bits(v) &^ (1 << 31) }

// nonzero returns, without a branch, 1 if size, a result of magnitude, is not 0, else 0.
func nonzero(size uint32) int { return int((size + (1<<31 - 1)) >> 31) }

func (w *columnWorker) magnitudes(b *columnBlock, start, end int) {
	b.bad = -1
	if m, ok := w.x.(store.Matrix); ok && m.Dense() != nil && w.seen == nil {
		w.denseMagnitudes(b, m, start, end)
		return
	}
	for i := start; i < end; i++ {
		if w.weightOf(i) > 0 {
			index, values := w.x.Row(i)
			w.addRow(b, i, index, values)
			if w.seen != nil {
				w.countValues(index, values)
			}
		}
	}
}

func (w *columnWorker) denseMagnitudes(b *columnBlock, x store.Matrix, start, end int) {
	var at [rowsAtOnce]int
	var rows [rowsAtOnce][]float32
	n := 0
	for i := start; i < end; i++ {
		if w.weightOf(i) == 0 {
			continue
		}
		at[n] = i
		_, rows[n] = x.Row(i)
		if n++; n == rowsAtOnce {
			w.addFourRows(b, at, rows)
			n = 0
		}
	}
	for k, row := range rows[:n] {
		w.addRow(b, at[k], nil, row)
	}
}

func (w *columnWorker) countValues(index []int32, values []float32) {
	for k, v := range values {
		if v == 0 {
			continue
		}
		j := k
		if index != nil {
			j = int(index[k])
		}
		s := &w.seen[j]
		if s.count == 0 {
			s.first = v
		}
		s.differ = s.differ || v != s.first
		s.count++
	}
}

func (c *Columns) findConstants(workers []*columnWorker) {
	c.Constant = make([]bool, len(c.MaxAbs))
	for j := range c.Constant {
		var all columnValues
		for _, w := range workers {
			if w == nil || w.seen[j].count == 0 {
				continue
			}
			s := w.seen[j]
			if all.count == 0 {
				all.first = s.first
			}
			all.differ = all.differ || s.differ || s.first != all.first
			all.count += s.count
		}
		c.Constant[j] = all.count == 0 || all.count == c.Rows && !all.differ
	}
}

func (w *columnWorker) moments(b *columnBlock, start, end int) {
	cols := len(w.maxBits)
	*b = columnBlock{mean: make([]float64, cols), square: make([]float64, cols),
		least: make([]float32, cols), most: make([]float32, cols)}
	w.magnitudes(b, start, end)
	for i := start; i < end; i++ {
		weight := w.weightOf(i)
		if weight == 0 {
			continue
		}
		row := w.denseRow(w.x.Row(i))
		if b.weight == 0 {
			copy(b.least, row)
			copy(b.most, row)
		}
		asm.Axpy64(weight, row, b.mean)
		least, most := b.least[:len(row)], b.most[:len(row)]
		for j, v := range row {
			least[j] = min(least[j], v)
			most[j] = max(most[j], v)
		}
		b.weight += weight
	}
	if b.rows == 0 {
		return
	}
	for j := range b.mean {
		b.mean[j] /= b.weight
	}
	for i := start; i < end; i++ {
		weight := w.weightOf(i)
		if weight == 0 {
			continue
		}
		row := w.denseRow(w.x.Row(i))
		mean, square := b.mean[:len(row)], b.square[:len(row)]
		for j, v := range row {
			d := float64(v) - mean[j]
			square[j] += float64(weight * float64(d*d))
		}
	}
}

// The result is valid until the next call.
func (w *columnWorker) denseRow(index []int32, values []float32) []float32 {
	if index == nil {
		return values
	}
	if w.row == nil {
		w.row = make([]float32, len(w.maxBits))
	}
	clear(w.row)
	for k, j := range index {
		w.row[j] = values[k]
	}
	return w.row
}

func (c *Columns) mergeMoments(blocks []columnBlock) {
	cols := len(c.MaxAbs)
	c.Mean, c.Variance, c.Constant = make([]float64, cols), make([]float64, cols),
		make([]bool, cols)
	least, most := make([]float32, cols), make([]float32, cols)
	var total float64
	for _, b := range blocks {
		if b.rows == 0 {
			continue
		}
		if total == 0 {
			copy(least, b.least)
			copy(most, b.most)
		}
		all := total + b.weight
		share := b.weight / all
		for j := range c.Mean {
			d := b.mean[j] - c.Mean[j]
			c.Mean[j] += float64(d * share)
			c.Variance[j] += b.square[j] + float64(float64(d*d)*float64(total*share))
			least[j], most[j] = min(least[j], b.least[j]), max(most[j], b.most[j])
		}
		total = all
	}
	for j := range c.Variance {
		if total > 0 {
			c.Variance[j] /= total
		}
		if c.Constant[j] = least[j] == most[j]; c.Constant[j] {
			c.Mean[j], c.Variance[j] = float64(least[j]), 0
		}
	}
}
