package pegasos

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// Written down once: the same on every machine and in every version.
func TestOrderGolden(t *testing.T) {
	for _, c := range []struct {
		kind Order
		seed uint64
		want string
	}{
		{Permutation, 0, "[9 5 3 4 2 7 8 6 1 0 5 9 6 8 1 0 4 3 7 2]"},
		{Permutation, 7, "[1 3 6 9 5 4 8 2 0 7 1 4 7 9 5 2 8 6 3 0]"},
		{Blocks, 0, "[0 1 2 3 4 5 6 7 8 9 8 9 4 5 6 7 0 1 2 3]"},
		{Sequential, 0, "[0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9]"},
		{IID, 0, "[4 7 9 5 6 3 7 7 7 0 6 6 4 9 5 0 3 3 4 1]"},
	} {
		o := newOrder(c.kind, 10, 4, 0, c.seed)
		var have []uint32
		for len(have) < 20 {
			have = append(have, o.next(7)...)
		}
		if fmt.Sprint(have) != c.want {
			t.Errorf("%s, seed %d: %v, want %s", c.kind, c.seed, have, c.want)
		}
	}
}

// However it is asked for, the sequence is the same, and no answer crosses the end of an epoch.
func TestOrderPieces(t *testing.T) {
	for _, kind := range []Order{Permutation, IID, Sequential, Blocks} {
		for _, rows := range []int{1, 2, 7, 100} {
			whole := newOrder(kind, rows, 3, 1, 3)
			pieces := newOrder(kind, rows, 3, 1, 3)
			for epoch := range 4 {
				want := slices.Clone(whole.next(rows))
				if len(want) != rows || !whole.atEnd() {
					t.Fatalf("%s: %d of %d rows in an epoch", kind, len(want), rows)
				}
				var have []uint32
				for n := 1; len(have) < rows; n++ {
					part := pieces.next(n)
					if len(part) == 0 || len(part) > n {
						t.Fatalf("%d rows, asked for %d", len(part), n)
					}
					have = append(have, part...)
					if pieces.atEnd() != (len(have) == rows) {
						t.Fatal("atEnd is wrong")
					}
				}
				if !slices.Equal(have, want) {
					t.Errorf("%s: epoch %d of %d rows: %v, want %v", kind, epoch, rows, have, want)
				}
				if kind != IID {
					slices.Sort(have)
					for i, v := range have {
						if int(v) != i {
							t.Fatalf("no permutation: %v", have)
						}
					}
				}
			}
		}
	}
}

// chi2 returns the sum of (have-want)^2/want over cells that should be alike.
func chi2(cells []int) (sum float64) {
	n := 0
	for _, c := range cells {
		n += c
	}
	want := float64(n) / float64(len(cells))
	for _, c := range cells {
		sum += (float64(c) - want) * (float64(c) - want) / want
	}
	return sum
}

// All 24 permutations of four rows are equally likely, and so are all draws.
func TestOrderUniform(t *testing.T) {
	pcg := rand.NewPCG(1, 2)
	count := make(map[[4]uint32]int)
	for range 24_000 {
		var p [4]uint32
		permute(pcg, p[:])
		count[p]++
	}
	var cells []int
	for _, c := range count {
		cells = append(cells, c)
	}
	if len(cells) != 24 || chi2(cells) > 50 { // 23 degrees of freedom: p = 0.001 is at 49.7
		t.Errorf("%d permutations, chi-square %.1f", len(cells), chi2(cells))
	}
	cells = make([]int, 100)
	for range 100_000 {
		cells[below(pcg, 100)]++
	}
	if chi2(cells) > 149 { // 99 degrees of freedom: p = 0.001 is at 148.2
		t.Errorf("draws: chi-square %.1f", chi2(cells))
	}
}

// Blocks are whole, and each order of them is equally likely.
func TestBlocks(t *testing.T) {
	count := make(map[string]int)
	o := newOrder(Blocks, 11, 3, 0, 5)
	for range 24_000 {
		idx := o.next(11)
		var blocks []int
		for n := 0; n < len(idx); {
			b := int(idx[n]) / 3
			blocks = append(blocks, b)
			for i := 3 * b; i < min(3*b+3, 11); i++ {
				if int(idx[n]) != i {
					t.Fatalf("%v", idx)
				}
				n++
			}
		}
		count[fmt.Sprint(blocks)]++
	}
	var cells []int
	for _, c := range count {
		cells = append(cells, c)
	}
	if len(cells) != 24 || chi2(cells) > 50 {
		t.Errorf("%d orders of 4 blocks, chi-square %.1f", len(cells), chi2(cells))
	}
}
