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

// rowPrefetch is in bytes. Hardware prefetching starts anew in each page.
const rowPrefetch = 4096

// sumEachRow stores in dst, for each row, the sum of term over the elements of the row and x. x has
// more than 64 elements.
func sumEachRow(t Target, term func(dst Group, s source)) {
	r := newRowLoop(t, float)
	s := newSummation(t, []reg.GPVirtual{r.row, r.x}, nil, r.n, term)
	s.prefetch = rowPrefetch
	s.end = func(sum Group) { r.store(sum) }
	t.Zero(s.zero)
	r.loop(func() {
		s.first(0, s.at(0))
		s.blocks()
		s.rest()
	})
}

// cosineEachRow stores in dst the cosine of x and each row, with the bits of the kernel cosine, or
// NaN where that kernel would jump to its slow path. x has more than 64 elements. xx, the sum of
// the squares of x, must be in the safe range.
func cosineEachRow(t Target) {
	r, width, xx := newRowLoop(t, float), t.Width(), t.ScalarParam("xx")
	s := norms{t: t, x: r.x, y: r.row, n: r.n, sum: []Group{t.New(width), t.New(width)},
		prefetch: rowPrefetch}
	r.loop(func() {
		s.part = t.LastPart(t.Part(r.n, width))
		s.passes()
		sums := t.FoldThree(s.sum[0], s.sum[1], zeros(t, 1, width)[0])
		r.store(exactCosine(t, sums[0], xx, sums[1]))
		t.Label("inexact")
		nan := t.New(1)
		t.Fill(nan, nanBits)
		r.store(nan)
	})
}

const nanBits = 0x7fc00000

// The matrix has at least one row.
type rowLoop struct {
	t         Target
	dst       reg.GPVirtual // pointer to the next result
	rows      reg.GPVirtual // pointer to the current row
	row, x, n reg.GPVirtual // pointers into the current row and x; number of elements left
	size      int           // bytes per element of a row
}

func newRowLoop(t Target, size int) *rowLoop {
	return &rowLoop{t: t, dst: t.PointerParam("dst"), row: t.NewInt(), x: t.NewInt(), n: t.NewInt(),
		size: size}
}

func (r *rowLoop) reset() {
	r.t.SetInt(r.row, r.rows)
	r.t.SetInt(r.x, r.t.PointerParam("x"))
	r.t.SetInt(r.n, r.t.IntParam("len(x)"))
}

// loop emits a loop over the rows, with the body that sum emits. The body may change the registers
// row, x and n, and must end with the code that store emits.
func (r *rowLoop) loop(sum func()) {
	t := r.t
	r.rows = t.PointerParam("rows")
	stride := t.IntParam("stride")
	end := t.Offset(r.dst, t.IntParam("len(dst)"), float)
	t.ShiftLeft(stride, bits.TrailingZeros(uint(r.size)))
	t.Label("row")
	r.reset()
	sum()
	t.Label("next")
	t.AdvanceReg(r.rows, stride)
	t.IfLessReg(r.dst, end, "row")
	t.Done()
}

func (r *rowLoop) store(sums ...Group) {
	for k, v := range sums {
		r.t.Store(v, r.dst, float*k)
	}
	r.t.Advance(r.dst, float*len(sums))
	r.t.Jump("next")
}
