package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/reg"
)

// strip is a range of columns of a matrix, so narrow that half of the registers can hold one of its
// rows. If last is not nil, the last group of columns may overlap the group before.
type strip struct {
	name          string        // prefix of the strip's labels
	width, groups int           // floats per group; number of groups
	last          reg.GPVirtual // byte offset of a last group that may overlap; nil for none
}

// The group's address is the sum of the results.
func (s strip) at(t Target, p reg.GPVirtual, group int) (reg.GPVirtual, int) {
	if s.last != nil && group == s.groups-1 {
		return t.Address(p, s.last, 1), 0
	}
	return p, float * s.width * group
}

func (s strip) load(t Target, p reg.GPVirtual) (v []Group) {
	for g := range s.groups {
		v = append(v, t.New(s.width))
		q, offset := s.at(t, p, g)
		t.Load(v[g], q, offset)
	}
	return v
}

func maxColumns(t Target) int { return t.Registers() / 2 * t.Width() }

// narrow emits the code for the last n columns of a matrix, 1 to maxColumns, and the return from
// the kernel. body emits the loop over all rows of a strip.
func narrow(t Target, n reg.GPVirtual, body func(s strip)) {
	width := t.Width()
	most := maxColumns(t) / width
	t.IfLess(n, width, "few")
	for groups := 1; groups < most; groups++ {
		t.IfAtMost(n, groups*width, fmt.Sprint("groups", groups))
	}
	overlapping := func(name string, width, groups int) {
		last := copyInt(t, n)
		t.Decrement(last, width)
		t.ShiftLeft(last, 2)
		body(strip{name, width, groups, last})
		t.Done()
	}
	for groups := most; groups > 0; groups-- {
		name := fmt.Sprint("groups", groups)
		t.Label(name)
		overlapping("rows"+name, width, groups)
	}
	t.Label("few")
	for width /= 2; width > 1; width /= 2 {
		less := fmt.Sprint("less", width)
		t.IfLess(n, width, less)
		overlapping(fmt.Sprint("pairs", width), width, 2)
		t.Label(less)
	}
	body(strip{name: "one", width: 1, groups: 1})
	t.Done()
}
