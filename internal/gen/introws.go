package main

import (
	"math/bits"

	"github.com/mmcloughlin/avo/reg"
)

// There must be at least one row. Elements of rows and of x have size bytes.
func eachRow(t Target, size int, sum func(row, x, n reg.GPVirtual) reg.GPVirtual) {
	newIntRows(t, size).each(sum)
}

type intRows struct {
	t            Target
	dst, count   reg.GPVirtual // pointer to the next result; number of rows left
	rows, stride reg.GPVirtual // pointer to the next row; distance between rows in bytes
	x, n         reg.GPVirtual
}

func newIntRows(t Target, size int) *intRows {
	r := &intRows{t: t, dst: t.PointerParam("dst"), count: t.IntParam("len(dst)"),
		x: t.PointerParam("x"), rows: t.PointerParam("rows"), stride: t.IntParam("stride"),
		n: t.IntParam("len(x)")}
	if size > 1 {
		t.ShiftLeft(r.stride, bits.TrailingZeros(uint(size)))
	}
	return r
}

func (r *intRows) each(sum func(row, x, n reg.GPVirtual) reg.GPVirtual) {
	t := r.t
	t.LoopLabel("row")
	t.StoreInt(sum(copyInt(t, r.rows), copyInt(t, r.x), copyInt(t, r.n)), r.dst)
	t.Advance(r.dst, 8)
	t.AdvanceReg(r.rows, r.stride)
	t.Decrement(r.count, 1)
	t.IfAtLeast(r.count, 1, "row")
	t.Done()
}
