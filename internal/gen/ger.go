package main

import "github.com/mmcloughlin/avo/reg"

func init() {
	kernel("ger", "func(alpha float32, x, y, a []float32, stride, size int)", ger).trusting().inWide()
}

// A matrix of at least farElements elements (16 MiB of float32s) is assumed to be in memory, not in
// a cache.
const farElements = 4 << 20

// ger requires at least one row and one column. A y of at most maxColumns elements stays in
// registers. size is the number of elements of the whole matrix, of which a may be a part.
func ger(t Target) {
	if t.Width() > 8 {
		t.IfLess(t.IntParam("size"), farElements, "near")
		t.Leave("gerAVX512x256")
		t.Label("near")
	}
	alpha, scalars, rows := t.BroadcastParam("alpha"), t.PointerParam("x"), t.IntParam("len(x)")
	y, n := t.PointerParam("y"), t.IntParam("len(y)")
	row, stride := t.PointerParam("a"), t.IntParam("stride")
	t.ShiftLeft(stride, 2)
	each := func(name string, width int, update func(v Group)) {
		t.LoopLabel(name)
		v := t.New(width)
		t.LoadBroadcast(v, scalars, 0)
		t.Mul(v, v, t.Narrow(alpha, width))
		update(v)
		t.Advance(scalars, float)
		t.AdvanceReg(row, stride)
		t.Decrement(rows, 1)
		t.IfAtLeast(rows, 1, name)
	}
	t.IfAtLeast(n, maxColumns(t)+1, "wide")
	narrow(t, n, func(s strip) {
		ys, last := s.load(t, y), s.groups-1
		each(s.name, s.width, func(v Group) {
			update := func(g int) Group {
				sum := t.New(s.width)
				p, offset := s.at(t, row, g)
				t.Mul(sum, v, ys[g])
				t.AddLoad(sum, sum, p, offset)
				return sum
			}
			store := func(sum Group, g int) {
				p, offset := s.at(t, row, g)
				t.Store(sum, p, offset)
			}
			end := update(last)
			for g := range last {
				store(update(g), g)
			}
			store(end, last)
		})
	})
	t.Label("wide")
	last := copyInt(t, n)
	t.Decrement(last, t.Width())
	t.ShiftLeft(last, 2)
	each("row", t.Width(), func(v Group) { wideRow(t, v, y, row, last) })
	t.Done()
}

// last is the byte offset in the row of its last group, which ends where the row ends. The groups
// between the first and the last are aligned to their size.
func wideRow(t Target, v Group, y, row, last reg.GPVirtual) {
	width := t.Width()
	const together = 4
	update := func(y, row reg.GPVirtual, offset int) Group {
		sum := t.New(width)
		t.MulLoad(sum, v, y, offset)
		t.AddLoad(sum, sum, row, offset)
		return sum
	}
	first := update(y, row, 0)
	end := update(t.Address(y, last, 1), t.Address(row, last, 1), 0)
	at := t.NewInt() // offset of the next group in the row, in bytes
	t.SetConst(at, 0)
	t.DecrementReg(at, row)
	t.And(at, float*(width-1))
	left := copyInt(t, last) // bytes from the next group to the last
	t.DecrementReg(left, at)
	updateGroups := func(groups int) {
		for g := range groups {
			sum := update(t.Address(y, at, 1), t.Address(row, at, 1), float*width*g)
			t.Store(sum, t.Address(row, at, 1), float*width*g)
		}
		t.Advance(at, float*width*groups)
	}
	t.LoopLabel("groups")
	updateGroups(together)
	t.Decrement(left, float*width*together)
	t.IfAtLeast(left, float*width*together, "groups")
	t.IfAtMost(left, 0, "end")
	t.LoopLabel("group")
	updateGroups(1)
	t.IfLessReg(at, last, "group")
	t.Label("end")
	t.Store(first, row, 0)
	t.Store(end, t.Address(row, last, 1), 0)
}
