// Package order generates the order in which an epoch visits the rows: shuffled, in blocks, drawn
// independently, or sequential.
package order

import (
	"math/bits"
	"math/rand/v2"
	"slices"
)

// The kinds of order, which the type Order of package pegasos documents.
const (
	Shuffled    = "shuffled"
	Permutation = "permutation"
	IID         = "iid"
	Sequential  = "sequential"
	Blocks      = "blocks"
)

func InBlocks(kind string) bool { return kind == Shuffled || kind == Blocks }

// Stream is the second word of the generator's seed: 2^64 divided by the golden ratio.
const Stream = 0x9e3779b97f4a7c15

// Visits generates the row numbers of all epochs. Except for IID, an epoch's order does not depend
// on the previous order. So the generator's state at the start of the epoch and the position in the
// epoch suffice to restore the order.
type Visits struct {
	Kind        string
	rows        int
	block       int // rows in a block
	Batch       int // largest number of rows in a step; 0 if each row is a step
	Steps       int // steps in an epoch
	pcg         *rand.PCG
	epochState  []byte   // generator's state at the start of the epoch
	pos         int      // in steps of the epoch
	idx         []uint32 // rows of the epoch; for IID those drawn last
	blocks      []uint32
	ends        []int    // ends of the steps last returned by NextSteps; nil without batches
	drawn       []uint32 // batchNumber when each row was last drawn; nil unless IID has batches
	batchNumber uint32
	Only        []uint32 // Only[i] is returned in place of i; nil to return i itself
}

// minBlocks is the least number of blocks with Shuffled, if there are as many rows. With fewer
// blocks, epochs would hardly differ.
const minBlocks = 64

// New returns the Visits of the given number of rows. Shuffled and Blocks have up to block rows in
// a block. With a batch of 0 or 1, each row is a step. With a larger batch, a step is up to batch
// rows; if batch equals rows, the order is Sequential.
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
		o.blocks = make([]uint32, (rows-1)/o.block+1)
	}
	return o
}

// Next is NextSteps for Visits in which each row is a step.
func (o *Visits) Next(limit int) []uint32 {
	idx, _ := o.NextSteps(limit)
	return idx
}

// NextSteps returns the rows of the next steps: 1 to limit steps, fewer than limit if the epoch
// ends first. The rows of step k, counted from 0, end before idx[ends[k]]; ends is nil if each row
// is a step. The slices are valid until the next call.
func (o *Visits) NextSteps(limit int) (idx []uint32, ends []int) {
	if o.pos == o.Steps {
		o.pos = 0
	}
	from := o.pos
	o.pos += min(limit, o.Steps-from)
	o.ends = o.ends[:0] // stays nil if each row is a step
	if o.Kind == IID {
		o.idx = o.idx[:0]
		for range o.pos - from {
			if o.Batch == 0 {
				o.idx = append(o.idx, uint32N(o.pcg, uint64(o.rows)))
			} else {
				o.drawSubset()
				o.ends = append(o.ends, len(o.idx))
			}
		}
		o.mapRows()
		return o.idx, o.ends
	}
	if from == 0 {
		o.shuffle()
	}
	start := o.firstOf(from)
	for step := from + 1; o.Batch > 0 && step <= o.pos; step++ {
		o.ends = append(o.ends, o.firstOf(step)-start)
	}
	return o.idx[start:o.firstOf(o.pos)], o.ends
}

func (o *Visits) firstOf(step int) int {
	return int(uint64(step) * uint64(o.rows) / uint64(o.Steps))
}

// Upcoming returns up to n of the rows that follow in the epoch, after the first call of Next or
// NextSteps. It returns none for IID, whose rows are not drawn in advance.
func (o *Visits) Upcoming(n int) []uint32 {
	if o.Kind == IID {
		return nil
	}
	at := o.firstOf(o.pos)
	return o.idx[at:min(at+n, o.rows)]
}

func (o *Visits) shuffle() {
	o.epochState, _ = o.pcg.AppendBinary(o.epochState[:0]) // never fails
	switch o.Kind {
	case Permutation:
		Permute(o.pcg, o.idx)
	case Shuffled, Blocks:
		// With Shuffled, the caller has shuffled the rows themselves.
		o.shuffleBlocks()
	case Sequential:
		for i := range o.idx {
			o.idx[i] = uint32(i)
		}
	}
	o.mapRows()
}

func (o *Visits) drawSubset() {
	if o.batchNumber++; o.batchNumber == 0 { // 2^32 batches were drawn
		clear(o.drawn)
		o.batchNumber = 1
	}
	for j := o.rows - o.Batch; j < o.rows; j++ {
		i := uint32N(o.pcg, uint64(j)+1)
		if o.drawn[i] == o.batchNumber {
			i = uint32(j)
		}
		o.drawn[i] = o.batchNumber
		o.idx = append(o.idx, i)
	}
}

func (o *Visits) shuffleBlocks() {
	Permute(o.pcg, o.blocks)
	n := 0
	for _, b := range o.blocks {
		from := int(b) * o.block
		for i := from; i < min(from+o.block, o.rows); i++ {
			o.idx[n] = uint32(i)
			n++
		}
	}
}

func (o *Visits) mapRows() {
	if o.Only != nil {
		for i, v := range o.idx {
			o.idx[i] = o.Only[v]
		}
	}
}

func (o *Visits) AtEnd() bool { return o.pos == o.Steps }

func (o *Visits) Save() (generator []byte, position int) {
	if o.Kind == IID || o.pos == 0 || o.AtEnd() {
		generator, _ = o.pcg.MarshalBinary() // never fails
		return generator, o.pos
	}
	return slices.Clone(o.epochState), o.pos
}

// Restore sets the state that Save returned. It reports whether generator and position are valid.
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

func (o *Visits) Continue(other *Visits) { o.pcg = other.pcg }

// Permute fills p with a random permutation of 0 to len(p)-1.
func Permute(pcg *rand.PCG, p []uint32) {
	for i := range p {
		j := uint32N(pcg, uint64(i)+1)
		p[i] = p[j]
		p[j] = uint32(i)
	}
}

// uint32N returns a random number from 0 to n-1: the high word of n times a random word. The
// relative error of each probability is at most n/2^64. Each number takes one draw.
func uint32N(pcg *rand.PCG, n uint64) uint32 {
	hi, _ := bits.Mul64(pcg.Uint64(), n)
	return uint32(hi)
}
