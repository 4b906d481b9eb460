package store

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func labeled(n, classes int) Labeled {
	g := rand.New(rand.NewPCG(1, 2))
	l := Labeled{Classes: classes, Class: make([]int32, n), Hashes: make([]uint64, n)}
	for i := range n {
		l.Hashes[i], l.Class[i] = g.Uint64(), int32(i*i%classes)
	}
	return l
}

func hashesOf(l Labeled, rows []int) (hashes []uint64) {
	for _, i := range rows {
		hashes = append(hashes, l.Hashes[i])
	}
	slices.Sort(hashes)
	return slices.Compact(hashes)
}

func TestHoldOutChoosesByHash(t *testing.T) {
	l := labeled(200, 3)
	held, rest := HoldOut(l, 7, 0.2)
	if all := slices.Sorted(slices.Values(slices.Concat(held, rest))); len(all) != 200 ||
		len(slices.Compact(all)) != 200 {
		t.Fatalf("%d rows held out and %d others, want each of 200 rows once", len(held), len(rest))
	}
	want := hashesOf(l, held)
	changed := Labeled{Classes: 3}
	for i := range 200 {
		at := (i*77 + 13) % 200
		for range 1 + at%3 {
			changed.Hashes = append(changed.Hashes, l.Hashes[at])
			changed.Class = append(changed.Class, l.Class[at])
		}
	}
	held, rest = HoldOut(changed, 7, 0.2)
	if have := hashesOf(changed, held); !slices.Equal(have, want) {
		t.Errorf("of shuffled copies other rows are held out: %d, want %d", len(have), len(want))
	}
	for _, h := range hashesOf(changed, rest) {
		if _, both := slices.BinarySearch(want, h); both {
			t.Errorf("the row %x is held out and trained on", h)
		}
	}
	if held, _ = HoldOut(l, 8, 0.2); slices.Equal(hashesOf(l, held), want) {
		t.Error("another seed holds out the same rows")
	}
}

func TestHoldOutIsStratified(t *testing.T) {
	for _, share := range []float64{0.1, 0.2, 0.25, 1. / 3, 0.5, 0.77, 0.9} {
		l := labeled(300, 7) // 3 of the 7 classes have no rows
		held, _ := HoldOut(l, 1, share)
		of, rows := make([]int, 7), make([]int, 7)
		for _, k := range l.Class {
			rows[k]++
		}
		for _, i := range held {
			of[l.Class[i]]++
		}
		for k, n := range of {
			if off := float64(n) - share*float64(rows[k]); off < -1 || off > 1 {
				t.Errorf("share %v: %d of %d rows of class %d", share, n, rows[k], k)
			}
		}
	}
}

func TestHoldOutWithoutOrder(t *testing.T) {
	g := rand.New(rand.NewPCG(3, 4))
	for seed := range uint64(2000) {
		var l, reversed Labeled
		for range 3 + g.IntN(8) {
			l.Hashes = append(l.Hashes, uint64(g.IntN(5)))
			l.Class = append(l.Class, int32(g.IntN(3)))
		}
		l.Classes, reversed.Classes = 3, 3
		reversed.Hashes, reversed.Class = slices.Clone(l.Hashes), slices.Clone(l.Class)
		slices.Reverse(reversed.Hashes)
		slices.Reverse(reversed.Class)
		held, _ := HoldOut(l, seed, 0.9)
		other, _ := HoldOut(reversed, seed, 0.9)
		if want, have := hashesOf(l, held), hashesOf(reversed, other); !slices.Equal(have, want) {
			t.Fatalf("%+v, seed %d: held out %v, in the reverse order %v", l, seed, want, have)
		}
	}
}

func TestHoldOutLeavesEachClass(t *testing.T) {
	for seed := range uint64(50) {
		l := Labeled{Classes: 4,
			Hashes: []uint64{1, 2, 3, 4, 5, 6, 7, 8, 2, 9},
			Class:  []int32{0, 0, 0, 0, 0, 1, 2, 2, 3, 1},
			Counts: func(i int) bool { return i != 9 }}
		held, rest := HoldOut(l, seed, 0.9)
		if len(held) == 0 || !slices.Contains(rest, 9) {
			t.Fatalf("seed %d: held out %v, others %v", seed, held, rest)
		}
		trains := make([]bool, 4)
		for _, i := range rest {
			trains[l.Class[i]] = trains[l.Class[i]] || i != 9
		}
		if slices.Contains(trains, false) {
			t.Errorf("seed %d: classes trained on: %v", seed, trains)
		}
	}
	same := Labeled{Hashes: make([]uint64, 9)}
	if held, rest := HoldOut(same, 1, 0.5); len(held) != 0 || len(rest) != 9 {
		t.Errorf("of 9 equal rows %d are held out and %d are not", len(held), len(rest))
	}
}
