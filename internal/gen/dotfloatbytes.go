package main

import "github.com/mmcloughlin/avo/reg"

func init() {
	bySign.either("dotFloatBytes", "func(x []float32, y []uint8, signed bool) float32",
		dotFloatBytes, func(k *kernelSpec) { k.inWide() })
}

func dotFloatBytes(t Target, signed bool) {
	m := mixedSum{t: t, x: t.PointerParam("x"), y: t.PointerParam("y"), n: t.IntParam("n"), size: 1,
		load: func(v Group, y reg.GPVirtual, offset int) { t.LoadBytes(v, signed, y, offset) },
		loadPart: func(v Group, y, n reg.GPVirtual, part Part, _ string) {
			t.LoadBytesPart(v, signed, y, n, part)
		},
		terms: []mixedTerm{productOf},
	}
	t.Return(m.sums()[0])
}

func productOf(dst, v Group, x source) { x.mul(dst, v, 0) }

// fewBytes returns the n mod 8 bytes at p in the low bytes of a register, in the order of memory,
// with zeros above. n mod 8 must not be 0.
func fewBytes(t Target, p, n reg.GPVirtual) reg.GPVirtual {
	few, count := t.NewInt(), copyInt(t, n)
	t.And(count, 7)
	from := t.Offset(p, count, 1)
	t.SetConst(few, 0)
	t.Label("byte")
	t.ShiftLeft(few, 8)
	t.Decrement(from, 1)
	t.AdvanceReg(few, t.LoadByte(from, false))
	t.Decrement(count, 1)
	t.IfAtLeast(count, 1, "byte")
	return few
}
