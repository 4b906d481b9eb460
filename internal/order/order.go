// Package order hands out the numbers of the rows of an epoch, one run of them after the other.
package order

import (
	"math/bits"
	"math/rand/v2"
	"slices"
)

// The kinds of order: see the type Order of package pegasos.
const (
	Shuffled    = "shuffled"
	Permutation = "permutation"
	IID         = "iid"
	Sequential  = "sequential"
	Blocks      = "blocks"
)

// InBlocks reports whether a kind cuts the rows into blocks.
func InBlocks(kind string) bool { return kind == Shuffled || kind == Blocks }

// Stream is the second word of the generator's seed: the golden ratio's bits, so that seed 0 is no
// special case.
const Stream = 0x9e3779b97f4a7c15

// Visits hands out row numbers. Its state is the generator's state at the start of the epoch and
// the position in the epoch: a permutation is made from the identity, not from the one before.
type Visits struct {
	Kind  string
	rows  int
	block int // rows in a block
	// rows in a step, or the most there are; 0 if each row is a step and next is used in place of
	// batches
	Batch int
	Steps int // in an epoch
	pcg   *rand.PCG
	mark  []byte   // the generator at the epoch's start
	pos   int      // in the epoch, in steps
	idx   []uint32 // the epoch's rows, or space for a few draws
	first []uint32 // the epoch's blocks
	ends  []int    // of batches
	drawn []uint32 // for each row, the last batch that it was drawn for
	draw  uint32   // the present batch's number there
	Only  []uint32 // what the numbers from 0 to rows-1 stand for; nil for themselves
}

// minBlocks is the least number of blocks that Shuffled cuts the rows into, if there are that many
// rows: epochs should differ.
const minBlocks = 64

// New returns the visits of the given number of rows. Shuffled and Blocks have blocks of up to
// block rows; the others ignore block. If each row is a step, batch is 0 or 1, and rows come from
// Next; else they come from Batches.
func New(kind string, rows, block, batch int, seed uint64) *Visits {
	if batch == rows && batch > 1 {
		kind = Sequential
	}
	o := &Visits{Kind: kind, rows: rows, block: block, Steps: rows, pcg: rand.NewPCG(seed, Stream)}
	if batch > 1 {
		o.Batch, o.Steps = batch, (rows-1)/batch+1
		if kind == IID {
			o.drawn = make([]uint32, rows)
		}
	}
	if kind != IID {
		o.idx = make([]uint32, rows)
	}
	if kind == Shuffled {
		o.block = min(block, max(1, rows/minBlocks))
	}
	if InBlocks(kind) {
		o.first = make([]uint32, (rows-1)/o.block+1)
	}
	return o
}

// Next returns the next row numbers, at least one and at most limit, none beyond the end of the
// epoch. The slice is valid until the next call.
func (o *Visits) Next(limit int) []uint32 {
	if o.pos == o.rows {
		o.pos = 0
	}
	n := min(limit, o.rows-o.pos)
	from := o.pos
	o.pos += n
	if o.Kind == IID {
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
		o.shuffle()
	}
	return o.idx[from:o.pos]
}

// Coming returns up to n of the rows that come after those handed out, in the same epoch. With IID
// there are none: they are drawn when they are asked for.
func (o *Visits) Coming(n int) []uint32 {
	if o.Kind == IID {
		return nil
	}
	at := o.pos
	if o.Batch > 0 {
		at = int(uint64(o.pos) * uint64(o.rows) / uint64(o.Steps))
	}
	return o.idx[at:min(at+n, o.rows)]
}

// shuffle fills idx with the rows of an epoch.
func (o *Visits) shuffle() {
	o.mark, _ = o.pcg.AppendBinary(o.mark[:0]) // never fails
	switch o.Kind {
	case Permutation:
		Permute(o.pcg, o.idx)
	case Shuffled, Blocks:
		// of the former the rows are in shuffled order: the caller has copied them so
		o.shuffleBlocks()
	case Sequential:
		for i := range o.idx {
			o.idx[i] = uint32(i)
		}
	}
	o.translate()
}

// Batches returns the row numbers of the next steps, at least one and at most limit, none beyond
// the end of the epoch: one batch after the other, and where each ends. The slices are valid until
// the next call.
func (o *Visits) Batches(limit int) (idx []uint32, ends []int) {
	if o.pos == o.Steps {
		o.pos = 0
	}
	from := o.pos
	o.pos += min(limit, o.Steps-from)
	o.ends = o.ends[:0]
	if o.Kind == IID {
		o.idx = o.idx[:0]
		for range o.pos - from {
			o.subset()
			o.ends = append(o.ends, len(o.idx))
		}
		o.translate()
		return o.idx, o.ends
	}
	if from == 0 {
		o.shuffle()
	}
	bound := func(step int) int { return int(uint64(step) * uint64(o.rows) / uint64(o.Steps)) }
	start := bound(from)
	for step := from + 1; step <= o.pos; step++ {
		o.ends = append(o.ends, bound(step)-start)
	}
	return o.idx[start:bound(o.pos)], o.ends
}

// subset appends a random set of rows to idx: Floyd's, with a draw a row.
func (o *Visits) subset() {
	if o.draw++; o.draw == 0 { // after 2^32 batches
		clear(o.drawn)
		o.draw = 1
	}
	for j := o.rows - o.Batch; j < o.rows; j++ {
		i := below(o.pcg, uint64(j)+1)
		if o.drawn[i] == o.draw {
			i = uint32(j)
		}
		o.drawn[i] = o.draw
		o.idx = append(o.idx, i)
	}
}

// shuffleBlocks fills idx with whole blocks in random order.
func (o *Visits) shuffleBlocks() {
	Permute(o.pcg, o.first)
	n := 0
	for _, b := range o.first {
		from := int(b) * o.block
		for i := from; i < min(from+o.block, o.rows); i++ {
			o.idx[n] = uint32(i)
			n++
		}
	}
}

func (o *Visits) translate() {
	if o.Only != nil {
		for i, v := range o.idx {
			o.idx[i] = o.Only[v]
		}
	}
}

// AtEnd reports whether the epoch is over.
func (o *Visits) AtEnd() bool { return o.pos == o.Steps }

// Save returns the generator's state and the position that Restore takes.
func (o *Visits) Save() (generator []byte, position int) {
	if o.Kind == IID || o.pos == 0 || o.AtEnd() {
		generator, _ = o.pcg.MarshalBinary() // never fails
		return generator, o.pos
	}
	return slices.Clone(o.mark), o.pos
}

// Restore makes the order go on from what Save returned. It reports whether it could.
func (o *Visits) Restore(generator []byte, position int) bool {
	if position < 0 || position > o.Steps || o.pcg.UnmarshalBinary(generator) != nil {
		return false
	}
	if o.Kind != IID && position > 0 && position < o.Steps {
		o.shuffle()
	}
	o.pos = position
	return true
}

// Continue makes the draws go on from those of other visits. Each epoch of one then follows from
// the other's.
func (o *Visits) Continue(from *Visits) { o.pcg = from.pcg }

// Permute fills p with a random permutation of 0 to len(p)-1: Fisher and Yates, inside out.
func Permute(pcg *rand.PCG, p []uint32) {
	for i := range p {
		j := below(pcg, uint64(i)+1)
		p[i] = p[j]
		p[j] = uint32(i)
	}
}

// below returns a number from 0 to n-1: the high word of n times a random word. A number's odds are
// off by n/2^64 of themselves at most, which nobody can measure, and each number takes one draw, so
// that draws can be counted.
func below(pcg *rand.PCG, n uint64) uint32 {
	hi, _ := bits.Mul64(pcg.Uint64(), n)
	return uint32(hi)
}
