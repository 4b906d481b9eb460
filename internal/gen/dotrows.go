package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/reg"
)

func init() {
	kernel("dotRows",
		"func(dst, rows *float32, stride int, idx *int32, count int, x *float32, n int)",
		dotRows).partOf("dotRows")
}

// groups of eight lanes in a dense sum.
const groups = lanes / 8

// foldOrder is an order of the eight groups of lanes in which each of the folds 64 to 8 finds its
// terms soon: the sums of groups g and g+4, then of their pairs, then of the two that are left.
var foldOrder = [4][2]int{{0, 4}, {2, 6}, {1, 5}, {3, 7}}

// dotRows takes four rows at a time: one after the other where idx is nil, else those at idx.
// stride is in bytes and count, the number of rows, a positive multiple of four; n is at least 1
// and at most asm.Block. The last three folds of four rows are shared.
//
// Rows of up to 64 elements have one term in each lane, and all of x stays in registers. Longer
// ones are passed over four times with two groups of lanes for each row, since all 64 lanes of four
// rows do not fit the registers.
func dotRows(t Target) {
	dst, rows, stride := t.PointerParam("dst"), t.PointerParam("rows"), t.IntParam("stride")
	idx, count := t.PointerParam("idx"), t.IntParam("count")
	x, n := t.PointerParam("x"), t.IntParam("n")
	part := t.Part(n, 8)

	// next begins the loop over the rows and points at the next four.
	next := func(loop string) [4]reg.GPVirtual {
		var p [4]reg.GPVirtual
		for i := range p {
			p[i] = t.NewInt()
		}
		t.Label(loop)
		t.IfAtLeast(idx, 1, loop+"at")
		for i := range p {
			t.SetInt(p[i], rows)
			t.AdvanceReg(rows, stride)
		}
		t.Jump(loop + "sum")
		t.Label(loop + "at")
		for i := range p {
			t.SetInt(p[i], t.LoadUint32(idx, 4*i))
			t.MultiplyReg(p[i], stride)
			t.AdvanceReg(p[i], rows)
		}
		t.Advance(idx, 16)
		t.Label(loop + "sum")
		return p
	}

	finish := func(sum [4]Group, loop string) {
		result, zero := t.FoldFour(sum), t.New(4)
		t.Zero(zero) // the lanes began at +0: a sum of nothing but -0 is +0
		t.Add(result, result, zero)
		t.Store(result, dst, 0)
		t.Advance(dst, 4*float)
		t.Decrement(count, 4)
		t.IfAtLeast(count, 4, loop)
		t.Done()
	}

	for k := range groups {
		t.IfAtMost(n, 8*(k+1), fmt.Sprint("groups", k+1))
	}
	longRows(t, x, n, part, next, finish)

	for k := 1; k <= groups; k++ {
		t.Label(fmt.Sprint("groups", k))
		part, loadPart := part, t.LoadPart
		if k > 1 {
			part, loadPart = t.LastPart(part), t.LoadLast
		}
		var xs [groups]Group
		for g := range k {
			xs[g] = t.New(8)
			if g < k-1 {
				t.Load(xs[g], x, 8*float*g)
			} else {
				loadPart(xs[g], x, 8*float*g, part)
			}
		}
		loop := fmt.Sprint("rows", k)
		p := next(loop)
		var sum [4]Group
		for i := range sum {
			term := func(g int) Group {
				v := t.New(8)
				if g < k-1 {
					t.MulLoad(v, xs[g], p[i], 8*float*g)
				} else {
					loadPart(v, p[i], 8*float*g, part)
					t.Mul(v, v, xs[g])
				}
				return v
			}
			sum[i] = shortSum(t, k, term)
		}
		finish(sum, loop)
	}
}

// shortSum folds the groups 0 to k-1, each given by term, to one.
func shortSum(t Target, k int, term func(g int) Group) Group {
	var halves []Group
	for _, quarter := range [][][2]int{foldOrder[:2], foldOrder[2:]} {
		var pairs []Group
		for _, pair := range quarter {
			if pair[0] >= k {
				continue
			}
			v := term(pair[0])
			if pair[1] < k {
				t.Add(v, v, term(pair[1]))
			}
			pairs = append(pairs, v)
		}
		halves = append(halves, addAll(t, pairs)...)
	}
	return addAll(t, halves)[0]
}

// addAll adds the second of at most two groups to the first.
func addAll(t Target, v []Group) []Group {
	if len(v) == 2 {
		t.Add(v[0], v[0], v[1])
		v = v[:1]
	}
	return v
}

// longRows is dotRows for n > 64: blocks of 64 elements, at least one, and a rest of 1 to 64.
func longRows(t Target, x, n reg.GPVirtual, part Part, next func(loop string) [4]reg.GPVirtual,
	finish func(sum [4]Group, loop string)) {
	span := t.CopyInt(n) // of the blocks, in bytes
	t.Decrement(span, 1)
	rest := t.CopyInt(span)
	t.And(rest, 63)
	t.Advance(rest, 1)
	t.ShiftRight(span, 6)
	t.ShiftLeft(span, 8)

	part = t.LastPart(part)
	p := next("rows")
	var sum [4]Group // of the pair of groups that is under way
	for pass, pair := range foldOrder {
		t.Comment(fmt.Sprintf("Groups %d and %d of the lanes.", pair[0], pair[1]))
		lane := passOver(t, pass, pair, p, x, span, rest, part)
		var saved reg.GPVirtual
		if pass == 1 || pass == 3 {
			saved = t.Scratch()
		}
		for i := range sum {
			t.Add(lane[i][0], lane[i][0], lane[i][1])
			switch pass {
			case 0, 2:
				sum[i] = lane[i][0]
			case 1:
				t.Add(sum[i], sum[i], lane[i][0])
				t.Store(sum[i], saved, 8*float*i)
			case 3:
				t.Add(sum[i], sum[i], lane[i][0])
				t.AddLoad(sum[i], sum[i], saved, 8*float*i)
			}
		}
	}
	finish(sum, "rows")
}

// passOver sums two groups of lanes of four rows.
func passOver(t Target, pass int, pair [2]int, p [4]reg.GPVirtual, x, span, rest reg.GPVirtual,
	part Part) [4][2]Group {
	var lane [4][2]Group
	product := t.New(8)
	xs := [2]Group{t.New(8), t.New(8)}
	name := func(s string, n int) string { return fmt.Sprint(s, n) }
	offset := func(g int) int { return 8 * float * g }

	for h, g := range pair {
		t.Load(xs[h], x, offset(g))
		for i := range p {
			lane[i][h] = t.New(8)
			t.MulLoad(lane[i][h], xs[h], p[i], offset(g))
		}
	}
	const block = 64 * float
	at := t.NewInt()
	t.SetConst(at, block)
	t.IfAtLeastReg(at, span, name("tail", pass))
	t.Label(name("block", pass))
	here := t.Address(x, at, 1)
	for h, g := range pair {
		t.Load(xs[h], here, offset(g))
	}
	for i := range p {
		here := t.Address(p[i], at, 1)
		for h, g := range pair {
			t.MulLoad(product, xs[h], here, offset(g))
			t.Add(lane[i][h], lane[i][h], product)
		}
	}
	t.Advance(at, block)
	t.IfLessReg(at, span, name("block", pass))

	t.Label(name("tail", pass))
	for h, g := range pair {
		t.IfAtMost(rest, 8*g, name("end", pass))
		t.IfAtMost(rest, 8*g+8, name("part", g))
		t.Load(xs[h], t.Address(x, at, 1), offset(g))
		for i := range p {
			t.MulLoad(product, xs[h], t.Address(p[i], at, 1), offset(g))
			t.Add(lane[i][h], lane[i][h], product)
		}
		if h == 0 {
			t.Jump(name("next", pass))
		} else {
			t.Jump(name("end", pass))
		}
		t.Label(name("part", g))
		t.LoadLast(xs[h], t.Address(x, at, 1), offset(g), part)
		for i := range p {
			t.LoadLast(product, t.Address(p[i], at, 1), offset(g), part)
			t.Mul(product, product, xs[h])
			t.Add(lane[i][h], lane[i][h], product)
		}
		if h == 0 {
			// The pair's other group comes after this one, where there is nothing.
			t.Jump(name("end", pass))
			t.Label(name("next", pass))
		}
	}
	t.Label(name("end", pass))
	return lane
}
