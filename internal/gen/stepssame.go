package main

import "github.com/mmcloughlin/avo/reg"

func init() {
	kernel("stepsSame", "func(steps *uint32, count int, indices []uint16, w []float32)", stepsSame).
		trusting().passingSlices()
}

// Offsets in bytes of the fields of asm.Step, and its size.
const (
	stepStart  = 0
	stepCount  = 4
	stepValue  = 8
	stepUpdate = 12
	stepLeast  = 16
	stepMargin = 20
	stepBytes  = 24
)

// count is at least 1. The code adds even updates of 0: a branch would be hard to predict.
func stepsSame(t Target) {
	step, count, indices, w := t.PointerParam("steps"), t.IntParam("count"),
		t.PointerParam("indices"), t.PointerParam("w")
	t.Label("step")
	row := func() (idx, n reg.GPVirtual) {
		start := t.LoadUint32(step, stepStart)
		t.ShiftLeft(start, 1)
		return t.Offset(indices, start, 1), t.LoadUint32(step, stepCount)
	}
	a := t.New(1)
	t.Load(a, step, stepValue)
	idx, n := row()
	margin, fewDot := dotSame(t, "dot_", a, idx, n, w)
	t.Store(margin, step, stepMargin)
	t.Comment("Stop if the margin is infinite or NaN: its exponent is 255.")
	exponent := t.LoadUint32(step, stepMargin)
	t.ShiftLeft(exponent, 64-31)
	t.ShiftRight(exponent, 64-8)
	t.IfAtLeast(exponent, 255, "end")
	t.Comment("Add Update if the margin is below Least, and otherwise 0.")
	least, update := t.New(1), t.New(1)
	t.Load(least, step, stepLeast)
	t.Load(update, step, stepUpdate)
	t.KeepBelow(update, update, margin, least)
	idx, n = row()
	fewAxpy := axpySame(t, "axpy_", update, idx, n, w, "next")
	t.Label("next")
	t.Advance(step, stepBytes)
	t.Decrement(count, 1)
	t.IfAtLeast(count, 1, "step")
	t.Label("end")
	t.Done()
	fewDot()
	fewAxpy()
}
