package pegasos

import (
	"math/bits"
	"math/rand/v2"
)

// stream is the second word of the generator's seed: the golden ratio's bits, so that seed 0 is no special case.
const stream = 0x9e3779b97f4a7c15

// An order hands out row numbers. Its state is the generator's state at the start of the epoch and the position in the
// epoch: a permutation is made from the identity, not from the one before.
type order struct {
	kind  Order
	rows  int
	block int // rows in a block
	pcg   *rand.PCG
	pos   int      // in the epoch
	idx   []uint32 // the epoch's rows, or room for a few draws
	first []uint32 // the epoch's blocks
	only  []uint32 // what the numbers from 0 to rows-1 stand for; nil for themselves
}

func newOrder(kind Order, rows, block int, seed uint64) *order {
	o := &order{kind: kind, rows: rows, block: block, pcg: rand.NewPCG(seed, stream)}
	if kind != IID {
		o.idx = make([]uint32, rows)
	}
	if kind == Blocks {
		o.first = make([]uint32, (rows-1)/block+1)
	}
	return o
}

// next returns the next row numbers, at least one and at most limit, none beyond the end of the epoch. The slice is
// valid until the next call.
func (o *order) next(limit int) []uint32 {
	if o.pos == o.rows {
		o.pos = 0
	}
	n := min(limit, o.rows-o.pos)
	from := o.pos
	o.pos += n
	if o.kind == IID {
		if cap(o.idx) < n {
			o.idx = make([]uint32, n)
		}
		o.idx = o.idx[:n]
		for i := range o.idx {
			o.idx[i] = below(o.pcg, uint64(o.rows))
		}
		o.translate()
		return o.idx
	}
	if from == 0 {
		switch o.kind {
		case Permutation:
			permute(o.pcg, o.idx)
		case Blocks:
			o.shuffleBlocks()
		case Sequential:
			for i := range o.idx {
				o.idx[i] = uint32(i)
			}
		}
		o.translate()
	}
	return o.idx[from:o.pos]
}

// shuffleBlocks fills idx with the rows of an epoch.
func (o *order) shuffleBlocks() {
	permute(o.pcg, o.first)
	n := 0
	for _, b := range o.first {
		from := int(b) * o.block
		for i := from; i < min(from+o.block, o.rows); i++ {
			o.idx[n] = uint32(i)
			n++
		}
	}
}

func (o *order) translate() {
	if o.only != nil {
		for i, v := range o.idx {
			o.idx[i] = o.only[v]
		}
	}
}

// atEnd reports whether the epoch is over.
func (o *order) atEnd() bool { return o.pos == o.rows }

// permute fills p with a random permutation of 0 to len(p)-1: Fisher and Yates, inside out.
func permute(pcg *rand.PCG, p []uint32) {
	for i := range p {
		j := below(pcg, uint64(i)+1)
		p[i] = p[j]
		p[j] = uint32(i)
	}
}

// below returns a number from 0 to n-1: the high word of n times a random word. A number's odds are off by n/2^64 of
// themselves at most, which nobody can measure, and each number takes one draw, so that draws can be counted.
func below(pcg *rand.PCG, n uint64) uint32 {
	hi, _ := bits.Mul64(pcg.Uint64(), n)
	return uint32(hi)
}
