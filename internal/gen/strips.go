package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/reg"
)

// A strip is columns of a matrix, so few that the registers hold a group for each, and as many more
// for the rest of the work. The last group ends where the columns do: it may overlap the one before,
// and what comes of both is the same.
type strip struct {
	name          string
	width, groups int
	last          reg.GPVirtual // where the last group begins, in bytes, or nil if behind the others
}

// at returns how to address a group in the row at p.
func (s strip) at(t Target, p reg.GPVirtual, group int) (reg.GPVirtual, int) {
	if s.last != nil && group == s.groups-1 {
		return t.Address(p, s.last, 1), 0
	}
	return p, float * s.width * group
}

// load returns the groups of the row at p.
func (s strip) load(t Target, p reg.GPVirtual) (v []Group) {
	for g := range s.groups {
		v = append(v, t.New(s.width))
		q, offset := s.at(t, p, g)
		t.Load(v[g], q, offset)
	}
	return v
}

// mostColumns is how many columns a strip has where there are more.
func mostColumns(t Target) int { return t.Registers() / 2 * t.Width() }

// narrow emits the rest of a kernel for 1 to mostColumns columns, n of them: body does all rows of a
// strip.
func narrow(t Target, n reg.GPVirtual, body func(s strip)) {
	width := t.Width()
	most := mostColumns(t) / width
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
