package main

import "github.com/mmcloughlin/avo/reg"

// walk is a position in several vectors of equal length.
type walk struct {
	t       Target
	n       reg.GPVirtual // number of elements left
	vectors []vector
}

type vector struct {
	p    reg.GPVirtual
	size int // bytes per element
}

func (w walk) advance(count int) {
	for _, v := range w.vectors {
		w.t.Advance(v.p, count*v.size)
	}
}

func (w walk) next(count int) {
	w.advance(count)
	w.t.Decrement(w.n, count)
}

// loop emits a loop that processes count elements per iteration while that many are left. If fewer
// are left at first, the code jumps to the label rest.
func (w walk) loop(label func(name string), name string, count int, rest string, body func()) {
	w.t.IfLess(w.n, count, rest)
	label(name)
	body()
	w.next(count)
	w.t.IfAtLeast(w.n, count, name)
}

// On amd64, indexedLoop first advances the pointers and n beyond all iterations of the loop. A
// single negative index then counts up to 0.
func (w walk) indexedLoop(name string, count int, rest string, body func(p []reg.GPVirtual)) {
	t := w.t
	var p []reg.GPVirtual
	if !t.Rotates() {
		for _, v := range w.vectors {
			p = append(p, v.p)
		}
		w.loop(t.LoopLabel, name, count, rest, func() { body(p) })
		return
	}
	t.IfLess(w.n, count, rest)
	whole, index := copyInt(t, w.n), t.NewInt()
	t.And(whole, -count)
	t.DecrementReg(w.n, whole)
	t.SetConst(index, 0)
	t.DecrementReg(index, whole)
	for _, v := range w.vectors {
		t.SetInt(v.p, t.Offset(v.p, whole, v.size))
		p = append(p, t.Address(v.p, index, v.size))
	}
	t.LoopLabel(name)
	body(p)
	t.Advance(index, count)
	t.IfAtLeast(index, 1, name) // as an unsigned number, a negative index is large
}

func zeros(t Target, count, width int) []Group {
	v := make([]Group, count)
	for i := range v {
		v[i] = t.New(width)
		t.Zero(v[i])
	}
	return v
}

// fold adds the second half of the groups to the first half until one group is left. The number of
// groups must be a power of two.
func fold(lane []Group, add func(dst, a, b Group)) Group {
	for half := len(lane) / 2; half > 0; half /= 2 {
		for l := range half {
			add(lane[l], lane[l], lane[l+half])
		}
	}
	return lane[0]
}
