package main

import (
	"log"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/asm"
)

// Every function is compared with float64 for each of these lengths before it is timed, and ours
// with its plain Go body, to the bit. A peer that fails is reported and left out.
const longest = 700

const guard = 64 // floats behind a result that must not change

// keep returns the peers that are right and the names of the others. Ours must be right.
func keep[P any](title string, peers []P, describe func(P) (name string, k kind),
	right func(P) bool) (kept []P, failed []string) {
	for _, p := range peers {
		name, k := describe(p)
		if right(p) {
			kept = append(kept, p)
		} else if k == ours {
			log.Fatalf("%s: %s is wrong", title, name)
		} else {
			failed = append(failed, title+": "+name+" gives wrong results")
		}
	}
	return kept, failed
}

func (o *vectorOp) verify() (failed []string) {
	alpha = -0.7
	o.peers, failed = keep(o.title, o.peers, (vectorPeer).describe, o.right)
	return failed
}

func (o *vectorOp) right(p vectorPeer) bool {
	for n := 1; n <= longest; n++ {
		for _, offset := range []int{0, 1} {
			x, wide := vectorPair(n+guard, offset)
			x, y := x[:n:n], wide[:n:n]
			fill(x, uint64(n))
			fill(wide, uint64(n)+longest)
			before := slices.Clone(wide)
			p.loop(1, x, y)
			if !o.close(x, before[:n], y) || !slices.Equal(wide[n:], before[n:]) {
				return false
			}
			if p.kind == ours && !onEachPath(func() []float32 {
				copy(wide, before)
				p.loop(1, x, y)
				return append(slices.Clone(wide), sink)
			}) {
				return false
			}
		}
	}
	return true
}

// close tells whether sink, or y after, is what term or whole says of x and y before.
func (o *vectorOp) close(x, before, after []float32) bool {
	if o.whole != nil {
		return near(sink, o.whole(x, before), 1) && slices.Equal(before, after)
	}
	var sum, size float64
	for i := range x {
		v, s := o.term(float64(alpha), float64(x[i]), float64(before[i]))
		if o.writes && !near(after[i], v, s) {
			return false
		}
		sum, size = sum+v, size+s
	}
	return o.writes || near(sink, sum, size) && slices.Equal(before, after)
}

func wideCosine(x, y []float32) float64 {
	var xy, xx, yy float64
	for i, v := range x {
		a, b := float64(v), float64(y[i])
		xy, xx, yy = xy+a*b, xx+a*a, yy+b*b
	}
	return xy / math.Sqrt(xx*yy)
}

// near allows 32 roundings, each half a unit in the last place of size.
func near(got float32, want, size float64) bool {
	return math.Abs(float64(got)-want) <= 32*0x1p-24*size
}

// onEachPath tells whether result gives the same bits on every path of ours.
func onEachPath(result func() []float32) bool {
	defer asm.Use(asm.Active())
	asm.Use(asm.Generic)
	want := result()
	for _, isa := range asm.Available() {
		asm.Use(isa)
		if !slices.Equal(result(), want) {
			return false
		}
	}
	return true
}

func (o *rowsOp) verify() (failed []string) {
	const count = 7
	right := func(p rowsPeer) bool {
		for n := 1; n <= longest; n++ {
			r := newMatrix(count, n)
			p.loop(1, r)
			for i, got := range r.dst {
				var sum, size float64
				for j, x := range r.x {
					v := float64(x) * float64(r.rows[i*n+j])
					sum, size = sum+v, size+math.Abs(v)
				}
				if !near(got, sum, size) {
					return false
				}
			}
			if p.kind == ours && !onEachPath(func() []float32 {
				p.loop(1, r)
				return slices.Clone(r.dst)
			}) {
				return false
			}
		}
		return true
	}
	rowsPeers, failed = keep("DotRows", rowsPeers, (rowsPeer).describe, right)
	return failed
}

func (o *sparseOp) verify() (failed []string) {
	const cols = 4 * longest
	alpha = -0.7
	right := func(p sparsePeer) bool {
		for nnz := 1; nnz <= longest; nnz++ {
			m := newSparseRows(1, nnz, cols)
			w := memory[:cols]
			fill(w, uint64(nnz))
			before := slices.Clone(w)
			p.loop(1, m, w)
			want := make([]float64, cols) // the new w
			for j, v := range before {
				want[j] = float64(v)
			}
			var sum, size float64
			for k, j := range m.idx {
				v := float64(m.val[k]) * float64(before[j])
				sum, size = sum+v, size+math.Abs(v)
				if o.writes {
					want[j] += float64(alpha) * float64(m.val[k])
				}
			}
			if !o.writes && !near(sink, sum, size) {
				return false
			}
			for j, got := range w {
				if want[j] == float64(before[j]) && got != before[j] ||
					!near(got, want[j], math.Abs(want[j]-float64(before[j]))+1) {
					return false
				}
			}
			if p.kind == ours && !onEachPath(func() []float32 {
				copy(w, before)
				p.loop(1, m, w)
				return append(slices.Clone(w), sink)
			}) {
				return false
			}
		}
		return true
	}
	o.peers, failed = keep(o.title, o.peers, (sparsePeer).describe, right)
	return failed
}
