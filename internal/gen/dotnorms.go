package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/reg"
)

func init() {
	kernel("dotNorms", "func(dst *float32, x, y []float32)", func(t Target) {
		dst := t.PointerParam("dst")
		allNorms(t, func(sums [3]Group) {
			for k, sum := range sums {
				t.Store(sum, dst, float*k)
			}
			t.Done()
		})
	}).inWide()
	kernel("cosine", "func(x, y []float32) float32", func(t Target) {
		allNorms(t, func(sums [3]Group) { returnCosine(t, sums) })
		t.Label("inexact")
		t.Leave("cosineRare")
	}).inWide()
}

// returnCosine returns what the sums of x*y, x*x and y*y make, if those of squares are exact and the
// cosine is none beyond 1.
func returnCosine(t Target, sums [3]Group) {
	for _, squares := range sums[1:] {
		t.IfOutside(squares, leastSquares, mostSquares, "inexact")
	}
	cosine, square := t.New(1), t.New(1)
	t.Cosine(cosine, sums[0], sums[1], sums[2])
	t.Mul(square, cosine, cosine)
	t.IfOutside(square, 0, one, "inexact")
	t.Return(cosine)
}

// one has the bits of 1.
const one = 0x3f800000

// allNorms hands the sums of x*y, of x*x and of y*y, each with the bits that it has by itself, to
// end. The lanes of all three fit registers of 512 bits; else
// half of them do at a time. Vectors of up to four groups are added up without a loop. n is at most
// asm.Block.
func allNorms(t Target, end func(sums [3]Group)) {
	s := norms{t: t, x: t.PointerParam("x"), y: t.PointerParam("y"), n: t.IntParam("len(x)")}
	width := t.Width()
	for k := range s.sum {
		s.sum[k] = t.New(width)
	}
	t.IfAtLeast(s.n, 9, "over8")
	s.one(8)
	t.Label("over8")
	if width > 8 {
		t.IfAtLeast(s.n, width+1, "over1")
		s.one(width)
		t.Label("over1")
	}
	s.part = t.LastPart(t.Part(s.n, width))
	for k := 2; k <= 4; k++ {
		over := fmt.Sprint("over", k, "groups")
		t.IfAtLeast(s.n, k*width+1, over)
		s.few(k)
		t.Label(over)
	}
	if width > 8 {
		s.passes([][]int{{0, 1, 2, 3}})
	} else {
		s.passes([][]int{{0, 2, 4, 6}, {1, 3, 5, 7}}) // groups whose folds to sixteen lanes meet
	}
	t.Label("fold")
	end(t.FoldThree(s.sum[0], s.sum[1], s.sum[2]))
	if width > 8 {
		t.Label("eight")
		end(t.FoldThree(t.Narrow(s.sum[0], 8), t.Narrow(s.sum[1], 8), t.Narrow(s.sum[2], 8)))
	}
}

// norms are the sums that allNorms makes.
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
	t, fold := s.t, "fold"
	if width < t.Width() {
		fold = "eight"
	}
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
	t.Jump(fold)
	if width == 8 {
		t.Label("none")
		for _, v := range sum {
			t.Zero(v)
		}
		t.Jump(fold)
	}
}

// few is for k groups, of which the last may be incomplete: lanes that are two groups apart are added
// first.
func (s *norms) few(k int) {
	t, zero, second := s.t, s.t.New(s.t.Width()), s.triple()
	t.Zero(zero)
	group := func(dst [3]Group, zero *Group, g int) {
		s.terms(dst, zero, func(v Group, p reg.GPVirtual) {
			if g < k-1 {
				t.Load(v, p, float*t.Width()*g)
			} else {
				t.LoadLast(v, p, float*t.Width()*g, s.part)
			}
		})
	}
	add := func(dst [3]Group, g int) {
		more := s.triple()
		group(more, nil, g)
		s.addTo(dst, more)
	}
	group(s.sum, &zero, 0)
	if k > 2 {
		add(s.sum, 2)
	}
	group(second, nil, 1)
	if k > 3 {
		add(second, 3)
	}
	s.addTo(s.sum, second)
	t.Jump("fold")
}

// triple makes a group for each of the sums.
func (s *norms) triple() [3]Group {
	return [3]Group{s.t.New(s.t.Width()), s.t.New(s.t.Width()), s.t.New(s.t.Width())}
}

func (s *norms) addTo(dst, v [3]Group) {
	for k := range dst {
		s.t.Add(dst[k], dst[k], v[k])
	}
}

// passes adds up any number of elements, more than four groups, some groups of lanes a pass.
func (s *norms) passes(some [][]int) {
	t := s.t
	for h, groups := range some {
		p := normsPass{norms: s, name: fmt.Sprint("pass", h), groups: groups}
		x, y, n := s.x, s.y, s.n
		if h < len(some)-1 {
			x, y, n = copyInt(t, x), copyInt(t, y), copyInt(t, n)
		}
		xy := walk{t, n, []vector{{x, float}, {y, float}}}
		p.start()
		if t.Width() > 8 {
			xy.next(lanes)
		}
		xy.loop(t.LoopLabel, p.name+"blocks", lanes, p.name+"rest", func() {
			for i, g := range groups {
				p.whole(i, g, x, y)
			}
		})
		t.Label(p.name + "rest")
		p.rest(x, y, n)
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

// start makes the lanes +0 or, where there is a whole block of them, its terms.
func (p *normsPass) start() {
	t, width := p.t, p.t.Width()
	p.vx, p.vy, p.product = t.New(width), t.New(width), t.New(width)
	if width == 8 {
		for k := range p.lane {
			p.lane[k] = zeros(t, len(p.groups), width)
		}
		return
	}
	zero := &zeros(t, 1, width)[0]
	for g := range p.groups {
		first := p.triple()
		p.terms(first, zero, func(v Group, from reg.GPVirtual) { t.Load(v, from, float*width*g) })
		for k, v := range first {
			p.lane[k] = append(p.lane[k], v)
		}
		zero = nil
	}
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

// rest adds what is left of lanes, less than 64: whole groups, then what is left of one.
func (p *normsPass) rest(x, y, n reg.GPVirtual) {
	t, width := p.t, p.t.Width()
	end := p.name + "end"
	part := func(g int) string { return fmt.Sprint(p.name, "part", g) }
	for i, g := range p.groups {
		from, to := width*g, width*(g+1)
		t.IfAtMost(n, from, end)
		if to == lanes { // a rest is less
			t.Jump(part(g))
			break
		}
		t.IfLess(n, to, part(g))
		p.whole(i, g, x, y)
		if i == len(p.groups)-1 {
			t.Jump(end)
		}
	}
	for i, g := range p.groups {
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
