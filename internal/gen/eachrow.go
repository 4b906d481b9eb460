package main

import (
	"math/bits"

	"github.com/mmcloughlin/avo/reg"
)

func init() {
	const signature = "func(dst, rows []float32, stride int, x []float32)"
	kernel("dotEachRow", signature, func(t Target) { sumEachRow(t, product) }).trusting().inWide()
	kernel("squaredDistanceEachRow", signature, func(t Target) {
		sumEachRow(t, squareOfDifference(t))
	}).trusting().inWide()
	kernel("cosineEachRow", "func(dst, rows []float32, stride int, x []float32, xx float32)",
		cosineEachRow).trusting().inWide()
}

// rowPrefetch is how far rows are prefetched, in bytes: the CPU's own prefetching begins anew in each
// page, and rows of less than one end before it has got going.
const rowPrefetch = 4096

// sumEachRow makes a sum over x, which has more than 64 elements, and each row.
func sumEachRow(t Target, term func(dst Group, s source)) {
	r := newRowLoop(t, float)
	s := newSummation(t, []reg.GPVirtual{r.row, r.x}, nil, r.n, term)
	s.prefetch = rowPrefetch
	s.end = func(sum Group) { r.end(sum) }
	t.Zero(s.zero)
	r.over(func() {
		s.first(0, s.at(0))
		s.blocks()
		s.rest()
	})
}

// cosineEachRow finds the cosines of x and each row as cosine does, xx being the sum of the squares of
// x, which is exact, for x of more than 64 elements. It stores NaN where cosine would leave the row
// to Go.
func cosineEachRow(t Target) {
	r, width, xx := newRowLoop(t, float), t.Width(), t.ScalarParam("xx")
	s := norms{t: t, x: r.x, y: r.row, n: r.n, sum: []Group{t.New(width), t.New(width)},
		prefetch: rowPrefetch}
	r.over(func() {
		s.part = t.LastPart(t.Part(r.n, width))
		s.passes()
		sums := t.FoldThree(s.sum[0], s.sum[1], zeros(t, 1, width)[0])
		r.end(exactCosine(t, sums[0], xx, sums[1]))
		t.Label("inexact")
		nan := t.New(1)
		t.Fill(nan, aNaN)
		r.end(nan)
	})
}

const aNaN = 0x7fc00000

// A rowLoop takes one row after the other, of which there is at least one. x has at most asm.Block
// elements.
type rowLoop struct {
	t         Target
	dst       reg.GPVirtual
	rows      reg.GPVirtual
	row, x, n reg.GPVirtual // of the row at hand, for its sum to move
	size      int           // bytes of a row's element
}

func newRowLoop(t Target, size int) *rowLoop {
	return &rowLoop{t: t, dst: t.PointerParam("dst"), row: t.NewInt(), x: t.NewInt(), n: t.NewInt(),
		size: size}
}

// begin sets what moves to where the row at hand begins.
func (r *rowLoop) begin() {
	r.t.SetInt(r.row, r.rows)
	r.t.SetInt(r.x, r.t.PointerParam("x"))
	r.t.SetInt(r.n, r.t.IntParam("len(x)"))
}

func (r *rowLoop) over(sum func()) {
	t := r.t
	r.rows = t.PointerParam("rows")
	stride := t.IntParam("stride")
	end := t.Offset(r.dst, t.IntParam("len(dst)"), float)
	t.ShiftLeft(stride, bits.TrailingZeros(uint(r.size)))
	t.Label("row")
	r.begin()
	sum()
	t.Label("next")
	t.AdvanceReg(r.rows, stride)
	t.IfLessReg(r.dst, end, "row")
	t.Done()
}

// end stores what a row comes to.
func (r *rowLoop) end(sums ...Group) {
	for k, v := range sums {
		r.t.Store(v, r.dst, float*k)
	}
	r.t.Advance(r.dst, float*len(sums))
	r.t.Jump("next")
}
