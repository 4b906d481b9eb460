package calibrate

import (
	"math/rand/v2"
	"slices"

	"github.com/pegasimd/pegasimd/internal/base/misuse"
	"github.com/pegasimd/pegasimd/internal/base/order"
)

// Folds returns the fold of each row, from 0 to folds-1, or -1 for a row of weight 0. Nil weights
// are ones. The rows of each label are assigned to the folds in turn, in a random order.
func Folds(y, weights []float32, folds int, seed uint64) []int {
	if folds < 1 {
		panic(misuse.Of("%d folds: want 1 or more", folds))
	}
	if weights != nil && len(weights) != len(y) {
		panic(misuse.Lengths("len(y)", len(y), "len(weights)", len(weights)))
	}
	fold := make([]int, len(y))
	var counted []int
	for i := range y {
		if fold[i] = -1; weights == nil || weights[i] != 0 {
			counted = append(counted, i)
		}
	}
	shuffled := make([]uint32, len(counted))
	order.Permute(rand.NewPCG(seed, order.Stream), shuffled)
	dealt := make(map[float32]int)
	next := 0 // first fold of the next label; different starts make the folds' sizes similar
	for _, k := range shuffled {
		i := counted[k]
		if _, ok := dealt[y[i]]; !ok {
			dealt[y[i]] = next
			next++
		}
		fold[i] = dealt[y[i]] % folds
		dealt[y[i]]++
	}
	return fold
}

// Outside returns a copy of weights, or ones if weights is nil, with zeros for the rows of fold
// held.
func Outside(weights []float32, fold []int, held int) []float32 {
	part := slices.Repeat([]float32{1}, len(fold))
	copy(part, weights)
	for i, f := range fold {
		if f == held {
			part[i] = 0
		}
	}
	return part
}

// OwnWeights returns a copy of weights, or ones if weights is nil, with zeros where product, each
// row's weight times its class's weight, is 0. If product is nil, the result is nil.
func OwnWeights(weights []float32, product []float64) []float32 {
	if product == nil {
		return nil
	}
	own := slices.Repeat([]float32{1}, len(product))
	copy(own, weights)
	for i, w := range product {
		if w == 0 {
			own[i] = 0
		}
	}
	return own
}
