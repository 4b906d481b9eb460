package order

import (
	"math/rand/v2"
	"slices"
	"testing"
)

var kinds = []string{Shuffled, Permutation, IID, Sequential, Blocks}

func piece(o *Visits, limit int) (all []uint32) {
	if o.Batch == 0 {
		return slices.Clone(o.Next(limit))
	}
	idx, ends := o.NextSteps(limit)
	from := 0
	for _, end := range ends {
		all = append(append(all, idx[from:end]...), 1<<31)
		from = end
	}
	return all
}

func TestRestore(t *testing.T) {
	only := []uint32{30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40}
	for _, kind := range kinds {
		for _, batch := range []int{0, 3} {
			o := New(kind, len(only), 2, batch, 5)
			o.Only = only
			for step := range 3 * o.Steps {
				generator, position := o.Save()
				r := New(kind, len(only), 2, batch, 99)
				r.Only = only
				if !r.Restore(generator, position) {
					t.Fatalf("%s: step %d is rejected", kind, step)
				}
				next, state := piece(o, 1), *o
				if have := piece(r, 1); !slices.Equal(have, next) {
					t.Fatalf("%s, batch %d: step %d: %v, want %v", kind, batch, step, have, next)
				}
				if r.AtEnd() != state.AtEnd() {
					t.Errorf("%s: step %d: the end of the epoch is %v", kind, step, r.AtEnd())
				}
			}
		}
	}
	o := New(Permutation, 5, 0, 0, 1)
	generator, _ := o.Save()
	for _, position := range []int{-1, 6} {
		if o.Restore(generator, position) {
			t.Errorf("position %d of 5 is accepted", position)
		}
	}
	if o.Restore(generator[1:], 0) || !o.Restore(generator, 5) {
		t.Error("a damaged generator is accepted, or a valid position rejected")
	}
}

func TestUpcoming(t *testing.T) {
	for _, kind := range kinds {
		for _, batch := range []int{0, 4} {
			o := New(kind, 10, 2, batch, 5)
			for o.Steps > 0 {
				piece(o, 1)
				coming := slices.Clone(o.Upcoming(100))
				few := slices.Clone(o.Upcoming(2))
				if o.AtEnd() || kind == IID {
					if len(coming) > 0 {
						t.Errorf("%s: Upcoming returns %v at the end or for IID, want none", kind, coming)
					}
					if o.AtEnd() {
						break
					}
					continue
				}
				generator, position := o.Save()
				r := New(kind, 10, 2, batch, 5)
				r.Restore(generator, position)
				rest := slices.DeleteFunc(piece(r, 10), func(v uint32) bool { return v == 1<<31 })
				if !slices.Equal(coming, rest) || !slices.Equal(few, rest[:min(2, len(rest))]) {
					t.Errorf("%s, batch %d: %v and %v, want %v", kind, batch, coming, few, rest)
				}
			}
		}
	}
}

// A further, empty block would take a draw.
func TestFullBlocks(t *testing.T) {
	blocks := make([]uint32, 5)
	Permute(rand.NewPCG(8, Stream), blocks)
	var want []uint32
	for _, b := range blocks {
		want = append(want, 2*b, 2*b+1)
	}
	if have := New(Blocks, 10, 2, 0, 8).Next(10); !slices.Equal(have, want) {
		t.Errorf("%v, want %v", have, want)
	}
}

func TestContinue(t *testing.T) {
	o, next := New(Permutation, 9, 0, 0, 2), New(Permutation, 9, 0, 0, 3)
	whole := New(Permutation, 9, 0, 0, 2)
	next.Continue(o)
	for k, v := range []*Visits{o, next, o} {
		if have, want := v.Next(9), whole.Next(9); !slices.Equal(have, want) {
			t.Errorf("epoch %d: %v, want %v", k, have, want)
		}
	}
}
