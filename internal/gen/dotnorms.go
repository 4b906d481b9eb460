package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/reg"
)

func init() {
	kernel("dotNorms", "func(dst *float32, x, y []float32)", func(t Target) {
		dst := t.PointerParam("dst")
		allNorms(t, func(sums [3]Group) {
			t.Store(sums[0], dst, 0)
			t.Store(sums[1], dst, float*2)
			t.Store(sums[2], dst, float)
			t.Done()
		})
	}).inWide()
	kernel("cosine", "func(x, y []float32) float32", func(t Target) {
		allNorms(t, func(sums [3]Group) {
			t.IfOutside(sums[2], leastSquares, mostSquares, "inexact")
			t.Return(exactCosine(t, sums[0], sums[2], sums[1]))
		})
		t.Label("inexact")
		t.Leave("cosineSlow")
	}).partOf("Cosine").inWide()
}

// exactCosine makes the cosine of sums of x*y, x*x and y*y, and jumps to inexact if it is beyond 1 or
// the sum of y*y is not exact.
func exactCosine(t Target, xy, xx, yy Group) Group {
	cosine, square := t.New(1), t.New(1)
	t.IfOutside(yy, leastSquares, mostSquares, "inexact")
	t.Cosine(cosine, xy, xx, yy)
	t.Mul(square, cosine, cosine)
	t.IfOutside(square, 0, one, "inexact")
	return cosine
}

// one has the bits of 1.
const one = 0x3f800000

// allNorms hands the sums of x*y, of y*y and of x*x, each with the bits that it has by itself, to
// end. Vectors of up to 64 elements are added up without a loop. n is at most asm.Block.
func allNorms(t Target, end func(sums [3]Group)) {
	s := norms{t: t, x: t.PointerParam("x"), y: t.PointerParam("y"), n: t.IntParam("len(x)")}
	width := t.Width()
	s.sum = []Group{t.New(width), t.New(width), t.New(width)}
	t.IfAtLeast(s.n, 9, "over8")
	s.one(8)
	t.Label("over8")
	if width > 8 {
		t.IfAtLeast(s.n, width+1, "over1")
		s.one(width)
		t.Label("over1")
	}
	s.part = t.LastPart(t.Part(s.n, width))
	for k := 2; k <= lanes/width; k++ {
		over := fmt.Sprint("over", k, "groups")
		t.IfAtLeast(s.n, k*width+1, over)
		s.few(k)
		t.Label(over)
	}
	s.passes()
	t.Label("fold")
	end(t.FoldThree(s.sum[0], s.sum[1], s.sum[2]))
	if width > 8 {
		t.Label("eight")
		end(t.FoldThree(t.Narrow(s.sum[0], 8), t.Narrow(s.sum[1], 8), t.Narrow(s.sum[2], 8)))
	}
}

// norms are the sums of x*y, of y*y and, if there is a third, of x*x.
type norms struct {
	t        Target
	x, y, n  reg.GPVirtual
	part     Part // the last group, behind another
	sum      []Group
	prefetch int // prefetch distance in y, in bytes; 0 for none
}

// terms sets dst to the terms of a group. Squares are no -0, but products may be: zero is added to
// those that nothing else will be.
func (s *norms) terms(dst []Group, zero *Group, load func(v Group, p reg.GPVirtual)) {
	t, xy, yy, vx := s.t, dst[0], dst[1], s.t.New(dst[0].width)
	load(vx, s.x)
	load(yy, s.y)
	t.Mul(xy, vx, yy)
	if zero != nil {
		t.Add(xy, xy, *zero)
	}
	t.Mul(yy, yy, yy)
	if len(dst) > 2 {
		t.Mul(dst[2], vx, vx)
	}
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
	var sum []Group
	for _, v := range s.sum {
		sum = append(sum, t.Narrow(v, width))
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

// few is for k groups, of which the last may be incomplete, and at most 64 elements.
func (s *norms) few(k int) {
	t, zero := s.t, s.t.New(s.t.Width())
	t.Zero(zero)
	// fold adds every step-th group from g on to dst, those of lanes that fold first to each other
	// first.
	var fold func(dst []Group, g, step int)
	fold = func(dst []Group, g, step int) {
		if step < lanes/t.Width() {
			fold(dst, g, 2*step)
			if g+step < k {
				second := s.groups()
				fold(second, g+step, 2*step)
				s.addTo(dst, second)
			}
			return
		}
		first := &zero
		if g > 0 {
			first = nil
		}
		s.terms(dst, first, func(v Group, p reg.GPVirtual) {
			if g < k-1 {
				t.Load(v, p, float*t.Width()*g)
			} else {
				t.LoadLast(v, p, float*t.Width()*g, s.part)
			}
		})
	}
	fold(s.sum, 0, 1)
	t.Jump("fold")
}

// groups makes one for each of the sums.
func (s *norms) groups() (v []Group) {
	for range s.sum {
		v = append(v, s.t.New(s.t.Width()))
	}
	return v
}

func (s *norms) addTo(dst, v []Group) {
	for k := range dst {
		s.t.Add(dst[k], dst[k], v[k])
	}
}

// passes adds up any number of elements, more than 64. The lanes of three sums fit registers
// of 512 bits; else a pass has every other group of eight lanes, whose folds to sixteen lanes meet.
func (s *norms) passes() {
	t, some := s.t, [][]int{{0, 2, 4, 6}, {1, 3, 5, 7}}
	if t.Width() > 8 {
		some = [][]int{{0, 1, 2, 3}}
	}
	for h, groups := range some {
		p := normsPass{norms: s, name: fmt.Sprint("pass", h), of: groups,
			lane: make([][]Group, len(s.sum))}
		x, y, n := s.x, s.y, s.n
		if h < len(some)-1 {
			x, y, n = copyInt(t, x), copyInt(t, y), copyInt(t, n)
		}
		xy := walk{t, n, []vector{{x, float}, {y, float}}}
		p.start()
		xy.next(lanes)
		xy.loop(t.LoopLabel, p.name+"blocks", lanes, p.name+"rest", func() {
			for i, g := range groups {
				p.whole(i, g, x, y)
			}
			if h == 0 {
				prefetchTurn(t, y, s.prefetch, float*lanes)
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

// A normsPass adds up some groups of lanes of the sums.
type normsPass struct {
	*norms
	name            string
	of              []int // the groups of lanes
	lane            [][]Group
	vx, vy, product Group
}

// start makes the lanes the terms of the first block.
func (p *normsPass) start() {
	t, width := p.t, p.t.Width()
	p.vx, p.vy, p.product = t.New(width), t.New(width), t.New(width)
	zero := &zeros(t, 1, width)[0]
	for _, g := range p.of {
		first := p.groups()
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
	t.Mul(vy, vy, vy)
	t.Add(p.lane[1][i], p.lane[1][i], vy)
	if len(p.lane) > 2 {
		t.Mul(vx, vx, vx)
		t.Add(p.lane[2][i], p.lane[2][i], vx)
	}
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
	for i, g := range p.of {
		from, to := width*g, width*(g+1)
		t.IfAtMost(n, from, end)
		if to == lanes { // a rest is less
			t.Jump(part(g))
			break
		}
		t.IfLess(n, to, part(g))
		p.whole(i, g, x, y)
		if i == len(p.of)-1 {
			t.Jump(end)
		}
	}
	for i, g := range p.of {
		t.Label(part(g))
		t.LoadLast(p.vx, x, float*width*g, p.part)
		t.LoadLast(p.vy, y, float*width*g, p.part)
		p.add(i)
		if i < len(p.of)-1 {
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
