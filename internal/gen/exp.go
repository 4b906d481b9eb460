package main

// The constants of exp are in a table of package asm, each eight times; these are their places.
const (
	expHigh    = iota // above it the result is +Inf
	expLow            // below it the result is 0
	expLog2E          // 1/ln 2
	expMagic          // brings a number's integer part into the low bits
	expBias           // what those bits are above the number, less twice the exponents' bias
	expLn2High        // ln 2, the part whose products with integers are exact
	expLn2Low         // and the rest
	expC6             // of the polynomial
	expC5
	expC4
	expC3
	expC2
	expOne
)

func init() {
	kernel("exp", "func(dst, x *float32, n int, table *float32)", func(t Target) {
		table := t.PointerParam("table")
		place := func(k int) int { return 8 * float * k }
		elementwise(t, []string{"x", "dst"}, false, func(dst Group, s source) {
			x, r, k := t.New(dst.width), t.New(dst.width), t.New(dst.width)
			constant := t.New(dst.width)
			s.load(x, 0)
			t.Load(constant, table, place(expHigh))
			t.Min(x, constant, x)
			t.Load(constant, table, place(expLow))
			t.Max(x, constant, x)

			// x = k ln 2 + r
			t.MulLoad(k, x, table, place(expLog2E))
			t.AddLoad(k, k, table, place(expMagic))
			t.SubLoad(r, k, table, place(expMagic))
			t.MulLoad(constant, r, table, place(expLn2High))
			t.Sub(x, x, constant)
			t.MulLoad(constant, r, table, place(expLn2Low))
			t.Sub(r, x, constant)

			// e^r = 1 + (r + r^2 p(r))
			t.MulLoad(x, r, table, place(expC6))
			for _, c := range []int{expC5, expC4, expC3} {
				t.AddLoad(x, x, table, place(c))
				t.Mul(x, x, r)
			}
			t.AddLoad(x, x, table, place(expC2))
			t.Mul(constant, r, r)
			t.Mul(x, x, constant)
			t.Add(x, x, r)
			t.AddLoad(x, x, table, place(expOne))

			// 2^k in two factors, so that neither overflows and a subnormal result is rounded once.
			t.Load(constant, table, place(expBias))
			t.BitsSub(k, k, constant)
			t.BitsShiftRight(constant, k, 1)
			t.BitsSub(k, k, constant)
			t.BitsShiftLeft(constant, constant, 23)
			t.BitsShiftLeft(k, k, 23)
			t.Mul(x, x, constant)
			t.Mul(dst, x, k)
		})
	})
}
