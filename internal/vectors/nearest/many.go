package nearest

import (
	"math"
	"unsafe"

	"github.com/pegasimd/pegasimd/internal/asm"
)

const (
	batchQueries = 32
	leastBatch   = 4 // least number of queries for which scoring short rows in strips is faster
	chunkRows    = 512

	// greatest numbers of elements of a chunk and of a strip, unless four rows have more
	chunkElements = 1 << 16 // 256 KB, for the L2 cache
	stripElements = 1 << 13 // 32 KB, for the L1 cache
)

// chunk is a part of the rows to rank, with their scores for a batch of queries.
type chunk[E float32 | uint16] struct {
	rows         *Rows[E]
	first, count int                // position of the first row, and number of rows
	floats       []float32          // buffer for a strip of rows; nil if rows are read in place
	scores       [maxScores]float32 // for each query of the batch in turn, the scores of all rows

	// Fields for ByCosine:

	squares, inverse [chunkRows]float32 // sum of squares of each row, and 1 / its square root
	screens          bool               // whether all squares are from screenFrom to screenTo
	approximate      [chunkRows]float32 // cosines for one query, times its length
}

// dst holds one heap for each query.
func (s *Rows[E]) rankMany(dst [][]Hit, by Metric, queries [][]float32, firstRow, end int) {
	switch {
	case len(queries) == 1 || (end-firstRow)*len(queries) <= fewRows:
		for q, x := range queries {
			dst[q] = s.rank(dst[q], by, x, firstRow, end)
		}
	case s.isHalf() || s.Slice == nil || s.Idx != nil:
		var floats [stripElements]float32
		s.rankChunks(dst, by, queries, firstRow, end, floats[:])
	default:
		s.rankChunks(dst, by, queries, firstRow, end, nil)
	}
}

func (s *Rows[E]) rankChunks(dst [][]Hit, by Metric, queries [][]float32, firstRow, end int,
	floats []float32) {
	c := chunk[E]{rows: s, floats: floats}
	size := min(maxScores/min(len(queries), batchQueries), chunkElements/s.N, chunkRows)
	size = max(size&^3, 4)
	for ; firstRow < end; firstRow += size {
		c.first, c.count = firstRow, min(size, end-firstRow)
		for q := 0; q < len(queries); q += batchQueries {
			batch := queries[q:min(q+batchQueries, len(queries))]
			c.score(by, batch, by == ByCosine && q == 0)
			for j, x := range batch {
				o := s.order(by, x)
				dst[q+j] = c.offer(&o, dst[q+j], c.scores[j*c.count:][:c.count])
			}
		}
	}
}

// score sets scores for a batch of queries: for ByCosine, to dot products. With measure, it also
// sets squares, inverse and screens.
func (c *chunk[E]) score(by Metric, batch [][]float32, measure bool) {
	s := c.rows
	if by == ByCosine {
		by = ByDot
	}
	if measure {
		c.screens = true // until measure finds a sum of squares out of bounds
	}
	least := leastBatch
	if c.floats == nil {
		least += s.N / 512
	}
	if by > ByDistance || len(batch) < least || c.floats != nil && 4*s.N > len(c.floats) {
		for i := 0; measure && i < c.count; i++ {
			c.measure(i, s.squares(c.first+i, batch[0]))
		}
		for j, x := range batch {
			s.score(c.scores[j*c.count:][:c.count], by, x, c.first)
		}
		return
	}
	all, size := c.scores[:len(batch)*c.count], max(stripElements/s.N&^3, 4)
	for start := 0; start < c.count; start += size {
		count := min(size, c.count-start)
		rows, stride := c.strip(c.first+start, count)
		for i := 0; measure && i < count; i++ {
			c.measure(start+i, asm.SumSquares(rows[i*stride:][:s.N]))
		}
		next := s.memory(c.first+start+count, count)
		if by == ByDistance {
			asm.SquaredDistanceTile(all[start:], c.count, rows, stride, count, batch, next)
		} else {
			asm.DotTile(all[start:], c.count, rows, stride, count, batch, next)
		}
	}
	if by == ByDistance {
		asm.Scale(-1, all)
	}
}

// strip returns count rows from position first on as float32s, and the distance between row starts.
// Copies of rows are valid until the next call.
func (c *chunk[E]) strip(first, count int) (rows []float32, stride int) {
	s := c.rows
	switch {
	case c.floats == nil:
		return s.floats()[first*s.Stride:], s.Stride
	case s.isHalf() && s.Idx == nil && s.Stride == s.N:
		n := count * s.N
		asm.UnpackHalves(c.floats[:n], s.halves()[first*s.N:][:n], s.Bfloat16)
		return c.floats, s.N
	}
	for i := range count {
		to, row := c.floats[i*s.N:][:s.N], s.rowNumber(first+i)
		if s.isHalf() {
			asm.UnpackHalves(to, s.halfRow(row), s.Bfloat16)
		} else {
			copy(to, s.row(row))
		}
	}
	return c.floats, s.N
}

// memory returns the memory of count rows from position first on, or nil if there are fewer or they
// are not close together in Slice.
func (s *Rows[E]) memory(first, count int) []byte {
	if s.Slice == nil || s.Idx != nil || s.Stride > 2*s.N || first+count > s.Count {
		return nil
	}
	v := s.Slice[first*s.Stride:][:(count-1)*s.Stride+s.N]
	return unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), len(v)*int(unsafe.Sizeof(v[0])))
}

// If the sums of squares of the query and of all rows of a chunk are within these bounds, offer
// skips rows by their approximate cosines. The dot products do not overflow, and cosineOf in
// package asm does not recompute them.
const screenFrom, screenTo = 0x1p-90, 0x1p100

func (c *chunk[E]) measure(i int, squares float32) {
	c.squares[i], c.inverse[i] = squares, float32(1/math.Sqrt(float64(squares)))
	c.screens = c.screens && screenFrom <= squares && squares <= screenTo
}

// tooLow is below all cosines, but finite, because order.offer is slow if a score is not.
const tooLow = -2

// offer adds the best of the chunk's rows to the heap hits of a query. For ByCosine, scores holds
// dot products, which offer overwrites. A cosine takes a square root and a division: offer computes
// only those that may be among the best.
func (c *chunk[E]) offer(o *order[E], hits []Hit, scores []float32) []Hit {
	if cap(hits) == 0 {
		return hits
	}
	if o.by == ByCosine {
		xx := asm.SumSquares(o.x)
		limit, approximate := c.limit(o, hits, xx), c.approximate[:len(scores)]
		asm.Mul(approximate, scores, c.inverse[:len(scores)])
		if asm.Max(approximate) < limit {
			return hits
		}
		for i, xy := range scores {
			if approximate[i] < limit {
				scores[i] = tooLow
			} else {
				scores[i] = c.rows.cosine(o.x, c.first+i, xy, xx, c.squares[i])
			}
		}
	}
	return o.offer(hits, scores, c.first)
}

// limit returns a number such that a row ranks after all hits if its element of approximate is
// less, or -Inf. xx is the sum of squares of the query.
//
// Proof: Let least be the result of order.least, xy the row's dot product, yy its sum of squares,
// and cosine the exact value of xy / sqrt(xx*yy). limit returns least*sqrt(xx), lowered by 2^-20 of
// its magnitude and rounded. The row's element of inverse is off by at most 2^-23 of 1/sqrt(yy),
// and its product with xy by another 2^-24 of the product. (The product may underflow, to less than
// 2^-126. But the result is at least 2^-82 in magnitude, because least is at least 2^-36 in
// magnitude and xx at least 2^-90.)
//
// So if the product is less than the result, cosine is less than least by at least 2^-21 of least's
// magnitude. The row's score is cosine, rounded to float32 with an error of at most 2^-23 of
// cosine, and clamped to [-1, 1]. Hence the score is less than least if least is more than -1.
func (c *chunk[E]) limit(o *order[E], hits []Hit, xx float32) float32 {
	least := o.least(hits, true)
	if !c.screens || !(screenFrom <= xx && xx <= screenTo) || least <= -1 {
		return float32(math.Inf(-1))
	}
	v := float64(float64(least) * math.Sqrt(float64(xx)))
	return float32(v - math.Abs(v)*0x1p-20)
}
