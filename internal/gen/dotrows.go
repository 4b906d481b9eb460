package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/reg"
)

func init() {
	const signature = "func(dst, rows []float32, stride int, idx []uint32, x []float32)"
	for name, term := range map[string]rowTerm{
		"dotRows": {
			load: func(t Target, v, x Group, row reg.GPVirtual, offset int) {
				t.MulLoad(v, x, row, offset)
			},
			compute: func(t Target, v, x Group) { t.Mul(v, v, x) },
		},
		"squaredDistanceRows": {
			load: func(t Target, v, x Group, row reg.GPVirtual, offset int) {
				t.SubLoad(v, x, row, offset)
				t.Mul(v, v, v)
			},
			compute: func(t Target, v, x Group) {
				t.Sub(v, x, v)
				t.Mul(v, v, v)
			},
		},
	} {
		kernel(name, signature, func(t Target) { fourRows(t, name, term) }).trusting().inWide()
	}
}

// load sets v to the terms of x and of the row's group at row + offset. compute replaces v, a group
// of the row, by the terms of x and v.
type rowTerm struct {
	load    func(t Target, v, x Group, row reg.GPVirtual, offset int)
	compute func(t Target, v, x Group)
}

const groups = lanes / 8

// passes returns, for each pass over the elements of rows, the numbers of its perPass groups of
// lanes. The second half of these are 32 lanes after the first half: each pass ends with the fold
// from 64 lanes to 32.
func passes(width, perPass int) [][]int {
	switch {
	case width > 8 && perPass == 4:
		return [][]int{{0, 1, 2, 3}}
	case width > 8:
		return [][]int{{0, 2}, {1, 3}}
	case perPass == 4:
		return [][]int{{0, 1, 4, 5}, {2, 3, 6, 7}}
	}
	return [][]int{{0, 4}, {2, 6}, {1, 5}, {3, 7}}
}

// fourRows stores in dst the sums of term over x and each of the rows. Without idx, the rows are
// consecutive; otherwise idx holds their numbers. The number of rows is a positive multiple of
// four. x has 1 to asm.Block elements.
//
// An x of at most eight groups stays in registers. Longer rows are read in one to four passes.
func fourRows(t Target, name string, term rowTerm) {
	width, n := t.Width(), t.IntParam("len(x)")
	if width > 8 {
		t.IfAtLeast(n, 9, "wide") // shorter rows fill at most half of a register
		t.Leave(name + "AVX512x256")
		t.Label("wide")
	}
	dst, rows, stride := t.PointerParam("dst"), t.PointerParam("rows"), t.IntParam("stride")
	t.ShiftLeft(stride, 2)
	idx, count, x := t.PointerParam("idx"), t.IntParam("len(dst)"), t.PointerParam("x")
	part := t.Part(n, width)

	// If the rows are consecutive, next prefetches the cache line ahead bytes after the start of
	// each row, unless ahead is 0.
	next := func(loop string, ahead int) [4]reg.GPVirtual {
		var p [4]reg.GPVirtual
		for i := range p {
			p[i] = t.NewInt()
		}
		t.Label(loop)
		t.IfAtLeast(idx, 1, loop+"at")
		for i := range p {
			t.SetInt(p[i], rows)
			if ahead > 0 {
				t.Prefetch(rows, ahead)
			}
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
		t.Zero(zero) // adding +0 turns sums of only -0 terms into +0
		t.Add(result, result, zero)
		t.Store(result, dst, 0)
		t.Advance(dst, 4*float)
		t.Decrement(count, 4)
		t.IfAtLeast(count, 4, loop)
		t.Done()
	}

	for k := range groups {
		t.IfAtMost(n, width*(k+1), fmt.Sprint("groups", k+1))
	}
	longRows(t, term, x, n, part, next, finish)

	for k := 1; k <= groups; k++ {
		t.Label(fmt.Sprint("groups", k))
		part, loadPart := part, t.LoadPart
		if k > 1 {
			part, loadPart = t.LastPart(part), t.LoadLast
		}
		var xs [groups]Group
		for g := range k {
			xs[g] = t.New(width)
			if g < k-1 {
				t.Load(xs[g], x, width*float*g)
			} else {
				loadPart(xs[g], x, width*float*g, part)
			}
		}
		loop := fmt.Sprint("rows", k)
		p := next(loop, shortPrefetch(t, k))
		var sum [4]Group
		for i := range sum {
			sum[i] = shortSum(t, k, func(g int) Group {
				v := t.New(width)
				if g < k-1 {
					term.load(t, v, xs[g], p[i], width*float*g)
				} else {
					loadPart(v, p[i], width*float*g, part)
					term.compute(t, v, xs[g])
				}
				return v
			})
		}
		finish(sum, loop)
	}
}

func shortPrefetch(t Target, k int) int {
	switch {
	case k == 1 && t.Rotates():
		return rowPrefetch
	case k == 2 && t.Width() > 8:
		return 64 // the line of the last group
	}
	return 0
}

// shortSum adds k groups of terms in the order in which lanes are folded. The result is not yet
// folded completely.
func shortSum(t Target, k int, term func(g int) Group) Group {
	if t.Width() > 8 {
		var lane []Group
		for g := range min(k, 4) {
			v := term(g)
			if g+4 < k {
				t.Add(v, v, term(g+4))
			}
			lane = append(lane, v)
		}
		foldGroups(t, lane)
		return lane[0]
	}
	var halves []Group
	for g := range 2 {
		var pairs []Group
		for first := g; first < min(k, 4); first += 2 {
			v := term(first)
			if first+4 < k {
				t.Add(v, v, term(first+4))
			}
			pairs = append(pairs, v)
		}
		halves = append(halves, addAll(t, pairs)...)
	}
	return addAll(t, halves)[0]
}

func addAll(t Target, v []Group) []Group {
	if len(v) == 2 {
		t.Add(v[0], v[0], v[1])
		v = v[:1]
	}
	return v
}

func longRows(t Target, term rowTerm, x, n reg.GPVirtual, part Part,
	next func(loop string, ahead int) [4]reg.GPVirtual, finish func(sum [4]Group, loop string)) {
	span := copyInt(t, n) // length of the blocks of a row, in bytes
	t.Decrement(span, 1)
	rest := copyInt(t, span)
	t.And(rest, 63)
	t.Advance(rest, 1)
	t.ShiftRight(span, 6)
	t.ShiftLeft(span, 8)

	part = t.LastPart(part)
	p := next("rows", 0)
	order := passes(t.Width(), 2)
	if t.Registers() >= 32 { // four groups of lanes for four rows
		order = passes(t.Width(), 4)
	}
	var folded [4][]Group // sums of each row, in 32 lanes or fewer
	for pass, together := range order {
		t.Comment(fmt.Sprintf("Groups %v of the lanes.", together))
		lane := passOver(t, term, pass, together, p, x, span, rest, part)
		half := len(together) / 2
		for i := range p {
			for g := range half {
				t.Add(lane[i][g], lane[i][g], lane[i][half+g])
				if pass%2 == 1 {
					t.Add(folded[i][g], folded[i][g], lane[i][g])
				}
			}
			if pass%2 == 0 {
				folded[i] = lane[i][:half]
			}
		}
		if len(order) == 4 && pass%2 == 1 {
			saved := t.Scratch()
			for i := range p {
				if pass == 1 {
					t.Store(folded[i][0], saved, 8*float*i)
				} else {
					t.AddLoad(folded[i][0], folded[i][0], saved, 8*float*i)
				}
			}
		}
	}
	var sum [4]Group
	for i := range sum {
		sum[i] = addAll(t, folded[i])[0]
	}
	finish(sum, "rows")
}

func passOver(t Target, term rowTerm, pass int, together []int, p [4]reg.GPVirtual,
	x, span, rest reg.GPVirtual, part Part) (lane [4][]Group) {
	width := t.Width()
	terms := t.New(width)
	xs := make([]Group, len(together))
	name := func(s string, n int) string { return fmt.Sprint(s, n) }
	offset := func(g int) int { return width * float * g }

	for h, g := range together {
		xs[h] = t.New(width)
		t.Load(xs[h], x, offset(g))
		for i := range p {
			lane[i] = append(lane[i], t.New(width))
			term.load(t, lane[i][h], xs[h], p[i], offset(g))
		}
	}
	const block = lanes * float
	at := t.NewInt()
	t.SetConst(at, block)
	t.IfAtLeastReg(at, span, name("tail", pass))
	t.LoopLabel(name("block", pass))
	here := t.Address(x, at, 1)
	for h, g := range together {
		t.Load(xs[h], here, offset(g))
	}
	for i := range p {
		here := t.Address(p[i], at, 1)
		for h, g := range together {
			term.load(t, terms, xs[h], here, offset(g))
			t.Add(lane[i][h], lane[i][h], terms)
		}
	}
	t.Advance(at, block)
	t.IfLessReg(at, span, name("block", pass))

	t.Label(name("tail", pass))
	for h, g := range together {
		more := h < len(together)-1
		if h == 0 || together[h-1] < g-1 {
			t.IfAtMost(rest, width*g, name("end", pass))
		}
		t.IfAtMost(rest, width*(g+1), name("part", g))
		t.Load(xs[h], t.Address(x, at, 1), offset(g))
		for i := range p {
			term.load(t, terms, xs[h], t.Address(p[i], at, 1), offset(g))
			t.Add(lane[i][h], lane[i][h], terms)
		}
		if more {
			t.Jump(name("next", g))
		} else {
			t.Jump(name("end", pass))
		}
		t.Label(name("part", g))
		t.LoadLast(xs[h], t.Address(x, at, 1), offset(g), part)
		for i := range p {
			t.LoadLast(terms, t.Address(p[i], at, 1), offset(g), part)
			term.compute(t, terms, xs[h])
			t.Add(lane[i][h], lane[i][h], terms)
		}
		if more {
			t.Jump(name("end", pass))
			t.Label(name("next", g))
		}
	}
	t.Label(name("end", pass))
	return lane
}
