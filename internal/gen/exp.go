package main

import "github.com/mmcloughlin/avo/reg"

// Indices of exp's constants in asm.expTable, which repeats each constant eight times.
const (
	expHigh    = iota // 89: least integer with the result +Inf
	expLow            // -104: from this x down, the result is 0
	expLog2E          // 1/ln 2
	expMagic          // adding it rounds to an integer, in the low bits of the sum
	expBias           // (bits of expMagic) - 2*127; subtracting it leaves the integer + 2*127
	expLn2High        // upper bits of ln 2
	expLn2Low         // ln 2 - expLn2High, rounded
	expC6             // expC6 to expC2: coefficients of r^4 to r^0 in p(r)
	expC5
	expC4
	expC3
	expC2
	expOne
)

func init() {
	kernel("exp", "func(dst, x []float32, table *float32)", func(t Target) {
		table := t.PointerParam("table")
		place := func(k int) int { return 8 * float * k }
		with := func(load func(dst, a Group, p reg.GPVirtual, offset int), op func(dst, a, b Group),
		) func(dst, a Group, k int) {
			return func(dst, a Group, k int) {
				if dst.width <= 8 {
					load(dst, a, table, place(k))
					return
				}
				b := t.New(dst.width)
				t.LoadBroadcast(b, table, place(k))
				op(dst, a, b)
			}
		}
		mul, add, sub := with(t.MulLoad, t.Mul), with(t.AddLoad, t.Add), with(t.SubLoad, t.Sub)
		load := func(dst Group, k int) {
			if dst.width <= 8 {
				t.Load(dst, table, place(k))
			} else {
				t.LoadBroadcast(dst, table, place(k))
			}
		}
		elementwise(t, []string{"x", "dst"}, false, func(dst Group, s source) {
			x, r, k := t.New(dst.width), t.New(dst.width), t.New(dst.width)
			constant := t.New(dst.width)
			s.load(x, 0)
			load(constant, expHigh)
			t.Min(x, constant, x)
			load(constant, expLow)
			t.Max(x, constant, x)

			// x = k ln 2 + r
			mul(k, x, expLog2E)
			add(k, k, expMagic)
			sub(r, k, expMagic)
			mul(constant, r, expLn2High)
			t.Sub(x, x, constant)
			mul(constant, r, expLn2Low)
			t.Sub(r, x, constant)

			// e^r = 1 + (r + r^2 p(r))
			mul(x, r, expC6)
			for _, c := range []int{expC5, expC4, expC3} {
				add(x, x, c)
				t.Mul(x, x, r)
			}
			add(x, x, expC2)
			t.Mul(constant, r, r)
			t.Mul(x, x, constant)
			t.Add(x, x, r)
			add(x, x, expOne)

			load(constant, expBias)
			t.BitsSub(k, k, constant)
			t.BitsShiftRight(constant, k, 1)
			t.BitsSub(k, k, constant)
			t.BitsShiftLeft(constant, constant, 23)
			t.BitsShiftLeft(k, k, 23)
			t.Mul(x, x, constant)
			t.Mul(dst, x, k)
		})
	}).inWide()
}
