package main

import "github.com/mmcloughlin/avo/reg"

// A walk goes along vectors of which n elements are left.
type walk struct {
	t       Target
	n       reg.GPVirtual
	vectors []vector
}

// A vector is a pointer into one, and how many bytes an element has there.
type vector struct {
	p    reg.GPVirtual
	size int
}

// advance moves the pointers alone.
func (w walk) advance(count int) {
	for _, v := range w.vectors {
		w.t.Advance(v.p, count*v.size)
	}
}

// next goes count elements further.
func (w walk) next(count int) {
	w.advance(count)
	w.t.Decrement(w.n, count)
}

// loop takes count elements a turn, and jumps to rest where there are fewer to begin with. label
// makes the loop's label.
func (w walk) loop(label func(name string), name string, count int, rest string, turn func()) {
	w.t.IfLess(w.n, count, rest)
	label(name)
	turn()
	w.next(count)
	w.t.IfAtLeast(w.n, count, name)
}

// zeros returns groups that are +0.
func zeros(t Target, count, width int) []Group {
	v := make([]Group, count)
	for i := range v {
		v[i] = t.New(width)
		t.Zero(v[i])
	}
	return v
}

// fold adds the second half of some groups to the first until one is left, and returns that.
func fold(lane []Group, add func(dst, a, b Group)) Group {
	for half := len(lane) / 2; half > 0; half /= 2 {
		for l := range half {
			add(lane[l], lane[l], lane[l+half])
		}
	}
	return lane[0]
}
