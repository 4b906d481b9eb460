package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/reg"
)

func init() {
	kernel("dotNorms", "func(dst *float32, x, y []float32)", func(t Target) {
		dst, zero := t.PointerParam("dst"), t.New(1)
		allNorms(t, func(sums [3]Group) {
			t.Zero(zero)
			t.Add(sums[2], sums[2], zero)
			for k, offset := range []int{1, 2, 0} {
				t.Store(sums[k], dst, float*offset)
			}
			t.Done()
		})
	}).inWide().passingSlices().slowByHand()
	kernel("cosine", "func(x, y []float32) float32", func(t Target) {
		allNorms(t, func(sums [3]Group) {
			t.IfOutside(sums[0], minSquares, maxSquares, "inexact")
			t.Return(exactCosine(t, sums[2], sums[0], sums[1]))
		})
		t.Label("inexact")
		t.Leave("cosineSlow")
	}).partOf("Cosine").inWide()
}

// exactCosine jumps to the label inexact if yy is outside the safe range, or if the cosine is
// outside [-1, 1], NaN or -0. xx must be in the safe range; xy may be -0 instead of +0.
func exactCosine(t Target, xy, xx, yy Group) Group {
	cosine := t.New(1)
	t.IfOutside(yy, minSquares, maxSquares, "inexact")
	t.Cosine(cosine, xy, xx, yy)
	t.IfNoCosine(cosine, "inexact")
	return cosine
}

// allNorms computes the sums of x*x, y*y and x*y, in this order. They have the bits of SumSquares
// and Dot, except that the sum of x*y may be -0 instead of +0. n is at most asm.Block.
func allNorms(t Target, end func(sums [3]Group)) {
	s := norms{t: t, x: t.PointerParam("x"), y: t.PointerParam("y"), n: t.IntParam("len(x)")}
	width := t.Width()
	s.sum = []Group{t.New(width), t.New(width), t.New(width)}
	t.IfAtLeast(s.n, 9, "over8")
	s.oneGroup(8)
	t.Label("over8")
	if width > 8 {
		t.IfAtLeast(s.n, width+1, "over1")
		s.oneGroup(width)
		t.Label("over1")
	}
	for k := 2; k <= lanes/width; k++ {
		over := fmt.Sprint("over", k, "groups")
		t.IfAtLeast(s.n, k*width+1, over)
		s.fewGroups(k)
		t.Label(over)
	}
	s.part = t.LastPart(t.Part(s.n, width))
	s.passes()
	t.Label("fold")
	end(t.FoldThree(s.sum[2], s.sum[1], s.sum[0]))
	if width > 8 {
		t.Label("eight")
		end(t.FoldThree(t.Narrow(s.sum[2], 8), t.Narrow(s.sum[1], 8), t.Narrow(s.sum[0], 8)))
	}
}

type norms struct {
	t        Target
	x, y, n  reg.GPVirtual
	part     Part    // elements of the last group that exist, for LoadLast
	sum      []Group // lanes of the sums, which the caller folds
	prefetch int     // prefetch distance in y, in bytes; 0 for none
}

func (s *norms) terms(dst []Group, load func(v Group, p reg.GPVirtual)) {
	t, xy, yy, vx := s.t, dst[0], dst[1], s.t.New(dst[0].width)
	load(vx, s.x)
	load(yy, s.y)
	t.Mul(xy, vx, yy)
	t.Mul(yy, yy, yy)
	if len(dst) > 2 {
		t.Mul(dst[2], vx, vx)
	}
}

func (s *norms) oneGroup(width int) {
	t, fold := s.t, "fold"
	if width < t.Width() {
		fold = "eight"
	}
	if width == 8 {
		t.IfAtMost(s.n, 0, "none")
	}
	part := t.FirstPart(s.n, 0, width)
	var sum []Group
	for _, v := range s.sum {
		sum = append(sum, t.Narrow(v, width))
	}
	s.terms(sum, func(v Group, p reg.GPVirtual) { t.LoadPart(v, p, 0, part) })
	t.Jump(fold)
	if width == 8 {
		t.Label("none")
		for _, v := range sum {
			t.Zero(v)
		}
		t.Jump(fold)
	}
}

func (s *norms) fewGroups(k int) {
	t, width := s.t, s.t.Width()
	part := t.LastPart(t.FirstPart(s.n, width*(k-1), width))
	// fold sets dst to the sum of groups g, g+step, g+2*step and so on, in the order in which 64
	// lanes are folded.
	var fold func(dst []Group, g, step int)
	fold = func(dst []Group, g, step int) {
		if step < lanes/width {
			fold(dst, g, 2*step)
			if g+step < k {
				second := s.newGroups()
				fold(second, g+step, 2*step)
				s.addTo(dst, second)
			}
			return
		}
		s.terms(dst, func(v Group, p reg.GPVirtual) {
			if g < k-1 {
				t.Load(v, p, float*width*g)
			} else {
				t.LoadLast(v, p, float*width*g, part)
			}
		})
	}
	fold(s.sum, 0, 1)
	t.Jump("fold")
}

func (s *norms) newGroups() (v []Group) {
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

// passes sums more than 64 elements. With registers of less than 512 bits, the first pass sums the
// even-numbered groups of eight lanes, the second the odd-numbered groups.
func (s *norms) passes() {
	t, some := s.t, [][]int{{0, 2, 4, 6}, {1, 3, 5, 7}}
	if t.Width() > 8 {
		some = [][]int{{0, 1, 2, 3}}
	}
	for h, groups := range some {
		p := normsPass{norms: s, name: fmt.Sprint("pass", h), groups: groups,
			lane: make([][]Group, len(s.sum))}
		x, y, n := s.x, s.y, s.n
		if h < len(some)-1 {
			x, y, n = copyInt(t, x), copyInt(t, y), copyInt(t, n)
		}
		xy := walk{t, n, []vector{{x, float}, {y, float}}}
		p.start()
		xy.next(lanes)
		xy.indexedLoop(p.name+"blocks", lanes, p.name+"rest", func(at []reg.GPVirtual) {
			for i, g := range groups {
				p.whole(i, g, at[0], at[1])
			}
			if h == 0 {
				prefetchIteration(t, at[1], s.prefetch, float*lanes)
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

type normsPass struct {
	*norms
	name            string
	groups          []int     // numbers of the groups of lanes in this pass
	lane            [][]Group // lanes of each sum, for each number in groups
	vx, vy, product Group
}

func (p *normsPass) start() {
	t, width := p.t, p.t.Width()
	p.vx, p.vy, p.product = t.New(width), t.New(width), t.New(width)
	for _, g := range p.groups {
		first := p.newGroups()
		p.terms(first, func(v Group, from reg.GPVirtual) { t.Load(v, from, float*width*g) })
		for k, v := range first {
			p.lane[k] = append(p.lane[k], v)
		}
	}
}

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

// Fewer than 64 elements, n, remain.
func (p *normsPass) rest(x, y, n reg.GPVirtual) {
	t, width := p.t, p.t.Width()
	end := p.name + "end"
	part := func(g int) string { return fmt.Sprint(p.name, "part", g) }
	for i, g := range p.groups {
		from, to := width*g, width*(g+1)
		t.IfAtMost(n, from, end)
		if to == lanes { // fewer than 64 elements remain
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

// The pass has every other group of eight lanes, or all groups of sixteen. Hence the groups added
// here are 32 lanes apart.
func (p *normsPass) fold() {
	for _, l := range p.lane {
		p.t.Add(l[0], l[0], l[2])
		p.t.Add(l[1], l[1], l[3])
	}
}
