package main

import (
	"fmt"
	"math/bits"

	"github.com/mmcloughlin/avo/reg"
)

func init() {
	const signature = "func(dst []float32, step int, rows []float32, stride, count int, " +
		"queries [][]float32, length int, next *byte, pace int)"
	kernel("dotTile", signature, func(t Target) {
		sumTile(t, func(dst, row, query Group) { t.Mul(dst, row, query) })
	}).trusting().inWide()
	kernel("squaredDistanceTile", signature, func(t Target) {
		sumTile(t, func(dst, row, query Group) {
			t.Sub(dst, row, query)
			t.Mul(dst, dst, dst)
		})
	}).trusting().inWide()
}

// sumTile stores the sum for row i and query j in dst[j*step+i]. Row i starts at rows[i*stride].
// count, the number of rows, is a positive multiple of four, the number of queries a positive
// multiple of two. Rows and queries have length elements, 64 to asm.Block.
//
// A tile has two queries and four rows, or two rows if there are 16 registers. The kernel
// prefetches memory from next on: pace bytes, at most 32, per 64 terms.
func sumTile(t Target, term func(dst, row, query Group)) {
	m := floatTile{Target: t, term: term, size: t.Width() * float}
	if m.rows = make([]reg.GPVirtual, 4); t.Registers() < 32 {
		m.rows = m.rows[:2]
	}
	m.end = t.IntParam("length")
	m.part = t.LastPart(t.Part(m.end, t.Width()))
	t.ShiftLeft(m.end, 2)
	m.next, m.pace = t.PointerParam("next"), t.IntParam("pace")
	m.order = passes(t.Width(), 2)
	perIteration := len(m.rows) * len(m.queries) / len(m.order) // terms, in multiples of 64
	if perIteration > 1 {
		t.ShiftLeft(m.pace, bits.TrailingZeros(uint(perIteration)))
	}
	list, dst := t.PointerParam("queries"), t.PointerParam("dst")
	bytes := func(param string) reg.GPVirtual {
		n := t.IntParam(param)
		t.ShiftLeft(n, 2)
		return n
	}

	t.Label("queries")
	for j := range m.queries {
		m.queries[j] = t.LoadPointer(list, sliceSize*j)
	}
	next, count := t.PointerParam("rows"), t.IntParam("count")
	t.Label("tile")
	stride := bytes("stride")
	m.rows[0] = copyInt(t, next)
	for i := range m.rows[1:] {
		m.rows[i+1] = t.Offset(m.rows[i], stride, 1)
	}
	sums := m.sums()
	second := t.Offset(dst, bytes("step"), 1) // results of the second query
	zero := t.New(4)
	t.Zero(zero) // lanes start from +0: a sum of only -0 terms is +0
	result := t.FoldFour([4]Group(sums))
	t.Add(result, result, zero)
	if len(m.rows) == 4 {
		t.Store(result, dst, 0)
		result = t.FoldFour([4]Group(sums[4:]))
		t.Add(result, result, zero)
		t.Store(result, second, 0)
	} else {
		upper := t.New(2)
		t.UpperHalf(upper, result)
		t.Store(t.Narrow(result, 2), dst, 0)
		t.Store(upper, second, 0)
	}
	t.SetInt(next, t.Offset(m.rows[len(m.rows)-1], bytes("stride"), 1))
	t.Advance(dst, len(m.rows)*float)
	t.Decrement(count, len(m.rows))
	t.IfAtLeast(count, 1, "tile")

	t.DecrementReg(dst, bytes("count"))
	t.SetInt(dst, t.Offset(dst, bytes("step"), len(m.queries)))
	t.Advance(list, sliceSize*len(m.queries))
	end := t.IntParam("len(queries)")
	t.ShiftLeft(end, 3)
	end = t.Offset(end, end, sliceSize/8-1)
	t.AdvanceReg(end, t.PointerParam("queries"))
	t.IfLessReg(list, end, "queries")
	t.Done()
}

type floatTile struct {
	Target
	term    func(dst, row, query Group)
	size    int // bytes of a group
	rows    []reg.GPVirtual
	queries [2]reg.GPVirtual
	order   [][]int       // numbers of the groups of lanes in each pass
	end     reg.GPVirtual // bytes of a row
	part    Part          // elements of the last group that exist, for LoadLast
	next    reg.GPVirtual // pointer to memory to prefetch
	pace    reg.GPVirtual // bytes to prefetch per iteration of a pass
}

// sums returns unfolded lanes for each pair of the tile, with the pairs of the first query first.
func (m *floatTile) sums() (sum []Group) {
	// nil for sums in memory
	var earlier [][]Group
	for k, together := range m.order {
		m.Comment(fmt.Sprintf("Groups %v of the lanes.", together))
		sum = m.pass(fmt.Sprint(k), together)
		for range bits.TrailingZeros(uint(k + 1)) {
			last := len(earlier) - 1
			for i, v := range sum {
				if earlier[last] != nil {
					m.Add(v, v, earlier[last][i])
				} else {
					m.AddLoad(v, v, m.Scratch(), m.size*(last*len(sum)+i))
				}
			}
			earlier = earlier[:last]
		}
		switch {
		case k == len(m.order)-1:
		case k%2 == 0 && m.Registers() >= 32:
			earlier = append(earlier, sum)
		default:
			saved := m.Scratch()
			for i, v := range sum {
				m.Store(v, saved, m.size*(len(earlier)*len(sum)+i))
			}
			earlier = append(earlier, nil)
		}
	}
	return sum
}

// groups has two numbers, in ascending order.
func (m *floatTile) pass(name string, groups []int) []Group {
	var lane [2][]Group
	for h := range lane {
		for range len(m.rows) * len(m.queries) {
			lane[h] = append(lane[h], m.New(m.Width()))
		}
	}
	at := m.NewInt() // offset of the elements of lane 0
	address := func(p reg.GPVirtual) reg.GPVirtual { return m.Address(p, at, 1) }
	start := func(p reg.GPVirtual) reg.GPVirtual { return p }
	terms := func(h int, address func(p reg.GPVirtual) reg.GPVirtual,
		load func(v Group, p reg.GPVirtual, offset int), body func(sum, row, query Group)) {
		var x [2]Group
		for j, q := range m.queries {
			x[j] = m.New(m.Width())
			load(x[j], address(q), m.size*groups[h])
		}
		for i, p := range m.rows {
			v := m.New(m.Width())
			load(v, address(p), m.size*groups[h])
			for j := range m.queries {
				body(lane[h][j*len(m.rows)+i], v, x[j])
			}
		}
	}
	add := func(h int, load func(v Group, p reg.GPVirtual, offset int)) {
		terms(h, address, load, func(sum, row, query Group) {
			product := m.New(m.Width())
			m.term(product, row, query)
			m.Add(sum, sum, product)
		})
	}
	prefetch := func() {
		for line := range m.Width() / 8 { // two lines in each of two passes, or one in each of four
			m.Prefetch(m.next, 64*line)
		}
		m.AdvanceReg(m.next, m.pace)
	}
	loadLast := func(v Group, p reg.GPVirtual, offset int) { m.LoadLast(v, p, offset, m.part) }

	prefetch()
	terms(0, start, m.Load, m.term) // lanes start with their first terms
	terms(1, start, m.Load, m.term)
	m.SetConst(at, lanes*float)
	whole := copyInt(m.Target, m.end) // if at is less, both groups are whole
	m.Decrement(whole, m.size*(groups[1]+1)-1)
	m.IfAtLeastReg(at, whole, "rest"+name)
	m.LoopLabel("block" + name)
	prefetch()
	add(0, m.Load)
	add(1, m.Load)
	m.Advance(at, lanes*float)
	m.IfLessReg(at, whole, "block"+name)

	m.Label("rest" + name)
	m.IfAtLeastReg(at, m.end, "end"+name)
	rest := copyInt(m.Target, m.end)
	m.DecrementReg(rest, at)
	m.IfAtMost(rest, m.size*groups[0], "end"+name)
	m.IfLess(rest, m.size*(groups[0]+1), "part"+name)
	add(0, m.Load)
	m.IfAtMost(rest, m.size*groups[1], "end"+name)
	add(1, loadLast)
	m.Jump("end" + name)
	m.Label("part" + name)
	add(0, loadLast)
	m.Label("end" + name)
	for i, v := range lane[0] {
		m.Add(v, v, lane[1][i])
	}
	return lane[0]
}
