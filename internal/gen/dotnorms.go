package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/reg"
)

func init() {
	kernel("dotNorms", "func(dst *float32, x, y []float32)", dotNorms).inWide()
}

// dotNorms stores the sums of x*y, of x*x and of y*y, each with the bits that it has by itself, and
// one number more, to be ignored. The lanes of all three fit registers of 512 bits; else half of
// them do at a time. n is at most asm.Block.
func dotNorms(t Target) {
	dst, n := t.PointerParam("dst"), t.IntParam("n")
	s := norms{t: t, x: t.PointerParam("x"), y: t.PointerParam("y"), n: n}
	width := t.Width()
	for k := range s.sum {
		s.sum[k] = t.New(width)
	}
	t.IfAtLeast(n, 9, "over8")
	s.one(8)
	t.Label("over8")
	if width > 8 {
		t.IfAtLeast(n, width+1, "over1")
		s.one(width)
		t.Label("over1")
	}
	s.part = t.LastPart(t.Part(n, width))
	t.IfAtLeast(n, 2*width+1, "over2")
	s.two()
	t.Label("over2")
	if width > 8 {
		s.passes([][]int{{0, 1, 2, 3}})
	} else {
		t.IfAtLeast(n, lanes/2+1, "over32")
		t.Comment("Lanes from 32 on are +0.")
		s.short()
		t.Jump("fold")
		t.Label("over32")
		s.passes([][]int{{0, 2, 4, 6}, {1, 3, 5, 7}}) // groups whose folds to sixteen lanes meet
	}
	t.Label("fold")
	for _, v := range s.sum {
		if width > 8 {
			half := t.New(8)
			t.UpperHalf(half, v)
			t.Add(t.Narrow(v, 8), t.Narrow(v, 8), half)
		}
	}
	t.Label("eight")
	v := [4]Group{3: zeros(t, 1, 8)[0]}
	for k, sum := range s.sum {
		v[k] = t.Narrow(sum, 8)
	}
	t.Store(t.FoldFour(v), dst, 0)
	t.Done()
}

// norms are the sums that dotNorms makes.
type norms struct {
	t       Target
	x, y, n reg.GPVirtual
	part    Part // the last group, behind another
	sum     [3]Group
}

// terms sets dst to the terms of a group. Squares are no -0, but products may be: zero is added to
// those that nothing else will be.
func (s *norms) terms(dst [3]Group, zero *Group, load func(v Group, p reg.GPVirtual)) {
	t, xy, xx, yy := s.t, dst[0], dst[1], dst[2]
	load(xx, s.x)
	load(yy, s.y)
	t.Mul(xy, xx, yy)
	if zero != nil {
		t.Add(xy, xy, *zero)
	}
	t.Mul(xx, xx, xx)
	t.Mul(yy, yy, yy)
}

// one is for at most one group of that width.
func (s *norms) one(width int) {
	t := s.t
	if width == 8 {
		t.IfAtMost(s.n, 0, "none")
	}
	part, zero := t.Part(s.n, width), t.New(width)
	t.Zero(zero)
	var sum [3]Group
	for k, v := range s.sum {
		sum[k] = t.Narrow(v, width)
	}
	s.terms(sum, &zero, func(v Group, p reg.GPVirtual) { t.LoadPart(v, p, 0, part) })
	if width > 8 {
		t.Jump("fold")
		return
	}
	t.Jump("eight")
	t.Label("none")
	for _, v := range sum {
		t.Zero(v)
	}
	t.Jump("eight")
}

// two is for a group and at most another, of the widest.
func (s *norms) two() {
	t, width := s.t, s.t.Width()
	zero, second := t.New(width), [3]Group{t.New(width), t.New(width), t.New(width)}
	t.Zero(zero)
	s.terms(s.sum, &zero, func(v Group, p reg.GPVirtual) { t.Load(v, p, 0) })
	s.terms(second, nil, func(v Group, p reg.GPVirtual) {
		t.LoadLast(v, p, float*width, s.part)
	})
	for k, v := range s.sum {
		t.Add(v, v, second[k])
	}
	t.Jump("fold")
}

// short adds up at most 32 elements, more than two groups, to groups of eight.
func (s *norms) short() {
	p := normsPass{norms: s, name: "short", groups: []int{0, 1, 2, 3}}
	p.start()
	p.rest(s.x, s.y, s.n, 2*s.t.Width()+1)
	p.fold()
	for k, l := range p.lane {
		s.t.Add(s.sum[k], l[0], l[1])
	}
}

// passes adds up any number of elements, more than two groups, some groups of lanes a pass.
func (s *norms) passes(some [][]int) {
	t := s.t
	for h, groups := range some {
		p := normsPass{norms: s, name: fmt.Sprint("pass", h), groups: groups}
		x, y, n := s.x, s.y, s.n
		if h < len(some)-1 {
			x, y, n = copyInt(t, x), copyInt(t, y), copyInt(t, n)
		}
		p.start()
		xy := walk{t, n, []vector{{x, float}, {y, float}}}
		xy.loop(t.LoopLabel, p.name+"blocks", lanes, p.name+"rest", func() {
			for i, g := range groups {
				p.whole(i, g, x, y)
			}
		})
		t.Label(p.name + "rest")
		p.rest(x, y, n, 0)
		p.fold()
		for k, l := range p.lane {
			switch {
			case h < len(some)-1:
				t.Add(l[0], l[0], l[1])
				t.Store(l[0], t.Scratch(), 8*float*k)
			case h > 0:
				t.Add(l[0], l[0], l[1])
				t.AddLoad(s.sum[k], l[0], t.Scratch(), 8*float*k)
			default:
				t.Add(s.sum[k], l[0], l[1])
			}
		}
	}
}

// A normsPass adds up some groups of lanes of the three sums.
type normsPass struct {
	*norms
	name            string
	groups          []int
	lane            [3][]Group
	vx, vy, product Group
}

func (p *normsPass) start() {
	t := p.t
	for k := range p.lane {
		p.lane[k] = zeros(t, len(p.groups), t.Width())
	}
	p.vx, p.vy, p.product = t.New(t.Width()), t.New(t.Width()), t.New(t.Width())
}

// add adds what is in vx and vy to the lanes of the i-th group.
func (p *normsPass) add(i int) {
	t, vx, vy := p.t, p.vx, p.vy
	t.Mul(p.product, vx, vy)
	t.Add(p.lane[0][i], p.lane[0][i], p.product)
	t.Mul(vx, vx, vx)
	t.Add(p.lane[1][i], p.lane[1][i], vx)
	t.Mul(vy, vy, vy)
	t.Add(p.lane[2][i], p.lane[2][i], vy)
}

func (p *normsPass) whole(i, g int, x, y reg.GPVirtual) {
	p.t.Load(p.vx, x, float*p.t.Width()*g)
	p.t.Load(p.vy, y, float*p.t.Width()*g)
	p.add(i)
}

// rest adds what is left of lanes, or at most so many as short has: whole groups, then what is left
// of one. There are at least so many elements.
func (p *normsPass) rest(x, y, n reg.GPVirtual, least int) {
	t, width := p.t, p.t.Width()
	end := p.name + "end"
	part := func(g int) string { return fmt.Sprint(p.name, "part", g) }
	var parts []int
	for i, g := range p.groups {
		from, to := width*g, width*(g+1)
		if from >= least {
			t.IfAtMost(n, from, end)
		}
		if to > least {
			parts = append(parts, i)
		}
		if to == lanes { // a rest is less
			t.Jump(part(g))
			break
		}
		if to > least {
			t.IfLess(n, to, part(g))
		}
		p.whole(i, g, x, y)
		if i == len(p.groups)-1 {
			t.Jump(end)
		}
	}
	for _, i := range parts {
		g := p.groups[i]
		t.Label(part(g))
		t.LoadLast(p.vx, x, float*width*g, p.part)
		t.LoadLast(p.vy, y, float*width*g, p.part)
		p.add(i)
		if i < len(p.groups)-1 {
			t.Jump(end)
		}
	}
	t.Label(end)
}

// fold adds the lanes that are two places apart, which are 32 lanes apart in a pass over half of
// the groups of eight and in one over all of sixteen.
func (p *normsPass) fold() {
	for _, l := range p.lane {
		p.t.Add(l[0], l[0], l[2])
		p.t.Add(l[1], l[1], l[3])
	}
}
