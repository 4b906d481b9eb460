package calibrate

import (
	"math/rand/v2"
	"slices"

	"github.com/pegasimd/pegasimd/internal/misuse"
	"github.com/pegasimd/pegasimd/internal/order"
)

// Folds deals the rows of each label out to the folds, as package pegasos says of its Folds.
func Folds(y, weights []float32, folds int, seed uint64) []int {
	if folds < 1 {
		panic(misuse.Of("%d folds", folds))
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
	next := 0 // each label starts one fold after the one before, so that folds are of equal size
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

// Outside returns the weights for a training without the rows of one fold; weights may be nil.
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
