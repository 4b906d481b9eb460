package main

import "github.com/mmcloughlin/avo/reg"

func init() {
	kernel("axpySame", "func(a float32, idx []uint16, w []float32)", func(t Target) {
		a := t.ScalarParam("a")
		few := axpySame(t, "", a, t.PointerParam("idx"), t.IntParam("n"),
			t.PointerParam("w"), "end")
		t.Label("end")
		t.Done()
		few()
	}).trusting()
}

// The indices must be distinct. The last four may overlap the group before: an element in both is
// stored twice with the same sum.
//
// few emits the code for fewer than four nonzeros, which ends with a jump to the label end. The
// caller must call few after it has emitted the return. All labels except end begin with name.
func axpySame(t Target, name string, a Group, idx, n, w reg.GPVirtual, end string) (few func()) {
	four := func(idx reg.GPVirtual, offset int) (j [4]reg.GPVirtual, sum [4]Group) {
		for l := range j {
			j[l], sum[l] = t.LoadUint16(idx, offset+2*l), t.New(1)
			t.AddLoad(sum[l], a, t.Element(w, j[l]), 0)
		}
		return j, sum
	}
	store := func(j [4]reg.GPVirtual, sum [4]Group) {
		for l := range j {
			t.Store(sum[l], t.Element(w, j[l]), 0)
		}
	}

	t.IfLess(n, 4, name+"few")
	j, sum := four(t.Address(idx, n, 2), -8)
	t.IfAtMost(n, 4, name+"last")
	t.Label(name + "loop")
	t.Comment("Four nonzeros per iteration.")
	store(four(idx, 0))
	t.Advance(idx, 2*4)
	t.Decrement(n, 4)
	t.IfAtLeast(n, 5, name+"loop")
	t.Label(name + "last")
	store(j, sum)
	return func() {
		t.Label(name + "few")
		t.IfAtMost(n, 0, end)
		t.Label(name + "single")
		one, v := t.LoadUint16(idx, 0), t.New(1)
		t.AddLoad(v, a, t.Element(w, one), 0)
		t.Store(v, t.Element(w, one), 0)
		t.Advance(idx, 2)
		t.Decrement(n, 1)
		t.IfAtLeast(n, 1, name+"single")
		t.Jump(end)
	}
}
