package main

import "github.com/mmcloughlin/avo/reg"

// Indices of constants in floats.LogisticTable, which repeats each constant four times.
const (
	logisticLow   = iota // -746: at and below this x, e^x rounds to 0
	logisticLog2E        // 1/ln 2
	logisticMagic        // adding it leaves the nearest integer in the low bits
	logisticMinusMagic
	logisticMagicBias // logisticMagic + 1023 (exponent bias)
	logisticMagicOne  // logisticMagic + 1
	logisticLn2High   // upper bits of ln 2
	logisticLn2Low    // ln 2 - logisticLn2High, rounded
	logisticUpperMask // mask of all but the lower 27 bits of a float64
	logisticMinusOne
	logisticOne
	logisticTwo
	logisticCutoff // 40: above it e^-x is too small to change 1
	logisticMinusCutoff
	logisticSmall                    // 0.41: below it, log(1+x) is computed from x itself
	logisticSqrt2                    // sqrt(2), the least 1+x that is halved
	logisticExp                      // 13 coefficients of (e^r-1-r)/r^2, the first 1/2
	logisticLog   = logisticExp + 13 // 10 coefficients of (2 artanh s - 2s)/s^3
)

func init() {
	const signature = "func(dst, x []float64, table *float64)"
	kernel("sigmoid", signature, func(t Target) { logisticLoop(t, logistic.sigmoid) }).inWide()
	kernel("log1pexp", signature, func(t Target) { logisticLoop(t, logistic.log1pExp) }).inWide()
}

func logisticLoop(t Target, f func(l logistic, x Group) Group) {
	dst, x, n := t.PointerParam("dst"), t.PointerParam("x"), t.IntParam("n")
	l := logistic{t, t.PointerParam("table")}
	half := t.Width() / 2
	xy := walk{t, n, []vector{{x, double}, {dst, double}}}
	xy.loop(t.LoopLabel, "loop", half, "rest", func() {
		v := t.New(t.Width())
		t.Load(v, x, 0)
		t.Store(f(l, v), dst, 0)
	})
	t.Label("rest")
	t.IfAtMost(n, 0, "done")
	t.Comment("The last, incomplete group.")
	t.ShiftLeft(n, 1)
	part, v := t.Part(n, t.Width()), t.New(t.Width())
	t.LoadPart(v, x, 0, part)
	t.StorePart(f(l, v), dst, 0, part)
	t.Label("done")
	t.Done()
}

// logistic emits arithmetic on groups of doubles, with each result in a new group. Package floats
// performs the same steps in the same order.
type logistic struct {
	Target
	table reg.GPVirtual
}

func (l logistic) binary(op func(dst, a, b Group), a, b Group) Group {
	v := l.New(a.width)
	op(v, a, b)
	return v
}

func (l logistic) add(a, b Group) Group { return l.binary(l.AddDoubles, a, b) }
func (l logistic) sub(a, b Group) Group { return l.binary(l.SubDoubles, a, b) }
func (l logistic) mul(a, b Group) Group { return l.binary(l.MulDoubles, a, b) }
func (l logistic) div(a, b Group) Group { return l.binary(l.DivDoubles, a, b) }

func (l logistic) plus(a Group, k int) Group {
	v := l.New(a.width)
	l.AddDoubleLoad(v, a, l.table, 4*double*k)
	return v
}

func (l logistic) times(a Group, k int) Group {
	v := l.New(a.width)
	l.MulDoubleLoad(v, a, l.table, 4*double*k)
	return v
}

func (l logistic) number(k int) Group {
	v := l.New(l.Width())
	l.BroadcastDouble(v, l.table, 4*double*k)
	return v
}

func (l logistic) zero() Group { return zeros(l, 1, l.Width())[0] }

// polynomial evaluates the count coefficients, 10 or 13, from index k of the table on. r2 must be
// r*r.
func (l logistic) polynomial(k, count int, r, r2 Group) Group {
	pair := func(k int) Group { return l.plus(l.times(r, k+1), k) }
	four := func(k int) Group { return l.add(pair(k), l.mul(r2, pair(k+2))) }
	r4 := l.mul(r2, r2)
	var sum Group
	switch count {
	case 13:
		sum = l.add(four(k+8), l.times(r4, k+12))
	case 10:
		sum = pair(k + 8)
	}
	sum = l.add(four(k+4), l.mul(r4, sum))
	return l.add(four(k), l.mul(r4, sum))
}

// exp returns e^-|x| as the sum high + low. If |x| is above logisticCutoff, low is undefined.
func (l logistic) exp(x Group) (high, low Group) {
	negated := l.sub(l.zero(), x)
	x = l.SelectDoubles(l.LessDoubles(x, l.zero()), x, negated)
	least := l.number(logisticLow)
	x = l.SelectDoubles(l.LessDoubles(x, least), least, x)

	l.Comment("x = k ln 2 + r")
	k := l.plus(l.plus(l.times(x, logisticLog2E), logisticMagic), logisticMinusMagic)
	upper, lower := l.sub(x, l.times(k, logisticLn2High)), l.times(k, logisticLn2Low)
	r := l.sub(upper, lower)
	rest := l.sub(l.sub(upper, r), lower)

	l.Comment("e^r = head + tail")
	one := l.number(logisticOne)
	head := l.add(r, one)
	tail := l.add(l.add(l.sub(one, head), r), l.mul(rest, head))
	r2 := l.mul(r, r)
	tail = l.add(tail, l.mul(r2, l.polynomial(logisticExp, 13, r, r2)))

	l.Comment("Times 2^k.")
	y := l.add(head, tail)
	scale := l.New(l.Width())
	l.ShiftDoublesLeft(scale, l.plus(k, logisticMagicBias), 52)
	low = l.mul(l.add(l.sub(head, y), tail), scale)
	high = l.mul(y, scale)

	l.Comment("A subnormal result is rounded once.")
	big, sum := l.sub(l.number(logisticMagicOne), k), l.New(l.Width())
	l.ShiftDoublesLeft(big, big, 52)
	l.AddDoubles(sum, big, head)
	l.AddDoubles(sum, sum, l.add(l.add(l.sub(big, sum), head), tail))
	l.BitsSub(sum, sum, big)
	return l.SelectDoubles(l.LessDoubles(y, big), sum, high), low
}

func (l logistic) remainder(n, q, d Group) Group {
	mask := l.number(logisticUpperMask)
	qHigh, dHigh := l.binary(l.BitsAnd, q, mask), l.binary(l.BitsAnd, d, mask)
	n = l.sub(n, l.mul(qHigh, dHigh))
	dLow := l.sub(d, dHigh)
	n = l.sub(n, l.mul(qHigh, dLow))
	qLow := l.sub(q, qHigh)
	return l.sub(l.sub(n, l.mul(qLow, dHigh)), l.mul(qLow, dLow))
}

func (l logistic) sigmoid(x Group) Group {
	e, eLow := l.exp(x)
	l.Comment("The quotient, and its remainder.")
	one := l.number(logisticOne)
	d := l.add(e, one)
	dLow := l.add(l.add(l.sub(one, d), e), eLow)
	inverse := l.div(one, d)
	negative := l.LessDoubles(x, l.zero())
	n, nLow := l.SelectDoubles(negative, e, one), l.SelectDoubles(negative, eLow, l.zero())
	q := l.mul(n, inverse)
	rest := l.sub(l.add(l.remainder(n, q, d), nLow), l.mul(q, dLow))
	q = l.add(q, l.mul(rest, inverse))
	return l.beyond(x, e, q, l.number(logisticOne))
}

// beyond returns low where x < -cutoff, high where x > cutoff, and v elsewhere.
func (l logistic) beyond(x, low, v, high Group) Group {
	v = l.SelectDoubles(l.LessDoubles(x, l.number(logisticMinusCutoff)), low, v)
	return l.SelectDoubles(l.LessDoubles(l.number(logisticCutoff), x), high, v)
}

func (l logistic) log1pExp(x Group) Group {
	e, eLow := l.exp(x)
	high, low := l.log1p(e, eLow)
	l.Comment("Add x if it is above 0.")
	sum := l.add(x, high)
	from := l.sub(sum, x)
	lost := l.add(l.sub(x, l.sub(sum, from)), l.sub(high, from))
	sum = l.add(sum, l.add(lost, low))
	v := l.SelectDoubles(l.LessDoubles(l.zero(), x), sum, l.add(high, low))
	return l.beyond(x, e, v, x)
}

// log1p returns log(1+x+xLow) as high + low, for x from 0 to 1.
func (l logistic) log1p(x, xLow Group) (high, low Group) {
	l.Comment("1+x = 2^k (1+f), k being 0 or 1.")
	u := l.plus(x, logisticOne)
	lost := l.add(l.sub(x, l.plus(u, logisticMinusOne)), xLow)
	below := l.LessDoubles(u, l.number(logisticSqrt2))
	u = l.SelectDoubles(below, u, l.times(u, logisticExp))
	lost = l.SelectDoubles(below, lost, l.times(lost, logisticExp))
	small := l.LessDoubles(x, l.number(logisticSmall))
	f := l.SelectDoubles(small, x, l.plus(u, logisticMinusOne))
	fLow := l.SelectDoubles(small, xLow, lost)

	l.Comment("log(1+f) = 2 artanh(s), s = f/(2+f)")
	d := l.plus(f, logisticTwo)
	dLow := l.add(l.add(l.sub(l.number(logisticTwo), d), f), fLow)
	inverse := l.div(l.number(logisticOne), d)
	s := l.mul(f, inverse)
	sLow := l.sub(l.add(l.remainder(f, s, d), fLow), l.mul(s, dLow))
	sLow = l.mul(sLow, inverse)
	z := l.mul(s, s)
	rest := l.mul(sLow, l.plus(l.add(z, z), logisticTwo))
	rest = l.add(rest, l.SelectDoubles(below, l.zero(), l.number(logisticLn2Low)))
	rest = l.add(l.mul(l.mul(s, z), l.polynomial(logisticLog, 10, z, l.mul(z, z))), rest)
	twice := l.add(s, s)
	base := l.SelectDoubles(below, l.zero(), l.number(logisticLn2High))
	high = l.add(base, twice)
	return high, l.add(l.add(l.sub(base, high), twice), rest)
}
