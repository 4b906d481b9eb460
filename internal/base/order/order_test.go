package order

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestOrderGolden(t *testing.T) {
	for _, c := range []struct {
		kind string
		seed uint64
		want string
	}{
		{Permutation, 0, "[9 5 3 4 2 7 8 6 1 0 5 9 6 8 1 0 4 3 7 2]"},
		{Permutation, 7, "[1 3 6 9 5 4 8 2 0 7 1 4 7 9 5 2 8 6 3 0]"},
		{Blocks, 0, "[0 1 2 3 4 5 6 7 8 9 8 9 4 5 6 7 0 1 2 3]"},
		{Sequential, 0, "[0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9]"},
		{IID, 0, "[4 7 9 5 6 3 7 7 7 0 6 6 4 9 5 0 3 3 4 1]"},
	} {
		o := New(c.kind, 10, 4, 0, c.seed)
		var have []uint32
		for len(have) < 20 {
			have = append(have, o.Next(7)...)
		}
		if fmt.Sprint(have) != c.want {
			t.Errorf("%s, seed %d: %v, want %s", c.kind, c.seed, have, c.want)
		}
	}
}

func TestOrderPieces(t *testing.T) {
	for _, kind := range []string{Permutation, IID, Sequential, Blocks} {
		for _, rows := range []int{1, 2, 7, 100} {
			whole := New(kind, rows, 3, 1, 3)
			pieces := New(kind, rows, 3, 1, 3)
			for epoch := range 4 {
				want := slices.Clone(whole.Next(rows))
				if len(want) != rows || !whole.AtEnd() {
					t.Fatalf("%s: %d of %d rows in an epoch", kind, len(want), rows)
				}
				var have []uint32
				for n := 1; len(have) < rows; n++ {
					part := pieces.Next(n)
					if len(part) == 0 || len(part) > n {
						t.Fatalf("%d rows, asked for %d", len(part), n)
					}
					have = append(have, part...)
					if pieces.AtEnd() != (len(have) == rows) {
						t.Fatal("AtEnd is wrong")
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

func TestOrderUniform(t *testing.T) {
	pcg := rand.NewPCG(1, 2)
	count := make(map[[4]uint32]int)
	for range 24_000 {
		var p [4]uint32
		Permute(pcg, p[:])
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
		cells[uint32N(pcg, 100)]++
	}
	if chi2(cells) > 149 { // 99 degrees of freedom: p = 0.001 is at 148.2
		t.Errorf("draws: chi-square %.1f", chi2(cells))
	}
}

func TestBlocks(t *testing.T) {
	count := make(map[string]int)
	o := New(Blocks, 11, 3, 0, 5)
	for range 24_000 {
		idx := o.Next(11)
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

func TestBatches(t *testing.T) {
	for _, kind := range []string{Permutation, Sequential, Blocks, IID} {
		for _, c := range [][2]int{{10, 7}, {10, 3}, {100, 9}, {7, 7}, {5, 4}} {
			rows, batch := c[0], c[1]
			a, b := New(kind, rows, 3, batch, 9), New(kind, rows, 3, batch, 9)
			for range 5 {
				var all, pieces []uint32
				idx, ends := a.NextSteps(1000)
				all = slices.Clone(idx)
				if len(ends) != (rows-1)/batch+1 || !a.AtEnd() {
					t.Fatalf("%d batches", len(ends))
				}
				start, least, most := 0, rows, 0
				for _, end := range ends {
					part := slices.Sorted(slices.Values(all[start:end]))
					if len(slices.Compact(part)) != end-start {
						t.Fatalf("a row twice in %v", part)
					}
					least, most = min(least, end-start), max(most, end-start)
					start = end
				}
				if most > batch || most-least > 1 || kind == IID && least != batch {
					t.Errorf("%s %v: batches of %d to %d", kind, c, least, most)
				}
				for n := 1; len(pieces) < len(all); n++ {
					idx, ends := b.NextSteps(n)
					if len(ends) > n || ends[len(ends)-1] != len(idx) {
						t.Fatalf("%v, %v", idx, ends)
					}
					pieces = append(pieces, idx...)
				}
				if !slices.Equal(all, pieces) {
					t.Errorf("%v and %v", all, pieces)
				}
				if slices.Sort(all); kind != IID &&
					(len(all) != rows || len(slices.Compact(all)) != rows) {
					t.Errorf("%s: no permutation", kind)
				}
			}
		}
	}
	o := New(IID, 6, 0, 3, 1)
	count := make(map[string]int)
	for range 20_000 {
		idx, _ := o.NextSteps(1)
		count[fmt.Sprint(slices.Sorted(slices.Values(idx)))]++
	}
	var cells []int
	for _, c := range count {
		cells = append(cells, c)
	}
	if len(cells) != 20 || chi2(cells) > 43.8 { // 19 degrees of freedom, p = 0.001
		t.Errorf("%d sets, chi-square %.1f", len(cells), chi2(cells))
	}
	o.batchNumber = 1<<32 - 2
	for range 4 {
		if idx, _ := o.NextSteps(1); len(slices.Compact(slices.Sorted(slices.Values(idx)))) != 3 {
			t.Errorf("a row twice in %v", idx)
		}
	}
}

func TestBatchesHaveEachRowAsOften(t *testing.T) {
	o := New(IID, 10, 0, 7, 85)
	count := make([]int, 10)
	for range 10_000 {
		idx, _ := o.NextSteps(1)
		if set := slices.Sorted(slices.Values(idx)); len(slices.Compact(set)) != 7 {
			t.Fatalf("%v", idx)
		}
		for _, i := range idx {
			count[i]++
		}
	}
	// The counts of a batch are not independent: their variance is 0.7*0.3 instead of 0.7. The
	// statistic is distributed like 0.3 times 10/9 of a chi-square variable with 9 degrees of
	// freedom, whose p = 0.001 is at 27.9.
	if x := chi2(count) / 0.3 * 9 / 10; x > 27.9 {
		t.Errorf("chi-square %.1f of %v", x, count)
	}
}

func TestPermutationGolden(t *testing.T) {
	o := New(Permutation, 10, 0, 0, 86)
	if have := fmt.Sprint(o.Next(10)) + fmt.Sprint(o.Next(10)); have != "[9 8 5 1 3 2 6 4 0 7][8 "+
		"9 5 2 1 3 4 6 7 0]" {
		t.Errorf("%s: not the golden permutations", have)
	}
}
