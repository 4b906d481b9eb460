package rows

import (
	"math/rand/v2"

	"github.com/pegasimd/pegasimd/internal/matrices"
	"github.com/pegasimd/pegasimd/internal/order"
	"github.com/pegasimd/pegasimd/internal/store"
)

// Visits are how often rows are visited.
type Visits struct {
	Seed  uint64
	Total int64 // steps
	Epoch int64 // steps of an epoch
	// Short says that something takes the place of the steps soon.
	Short bool
}

// Scatter says of a view that its rows are visited in any order.
func (v *View) Scatter() { v.Scattered = v.X.Size() > CopyFrom }

// Shuffle puts the rows of v into another order: as copies where that is worth it, else by their
// numbers. The results are the same bits.
func (s *Set) Shuffle(v *View, o Visits) {
	v.Scatter()
	// The generator is not that of the epochs, which starts anew where a run is resumed.
	shuffled := make([]uint32, v.Count())
	order.Permute(rand.NewPCG(o.Seed, ^uint64(order.Stream)), shuffled)
	for j, i := range shuffled {
		shuffled[j] = uint32(v.Row(int(i)))
	}
	v.Only = shuffled
	if !s.worthCopying(v, o) {
		return
	}
	v.X = v.X.Take(shuffled)
	v.Only, v.Scattered = nil, false
	if v.Names = gather(v.Names, shuffled); v.Names == nil {
		v.Names = shuffled
	}
	v.Norms, v.Class = gather(v.Norms, shuffled), gather(v.Class, shuffled)
	v.Target, v.Weight = gather(v.Target, shuffled), gather(v.Weight, shuffled)
}

// worthCopying reports whether the rows of v should be copied. Copying takes about as long as an
// epoch, and saves less than that in each.
func (s *Set) worthCopying(v *View, o Visits) bool {
	const pays = 2 // passes
	pair := v.Names != nil
	if s.Sparing || o.Short || o.Total <= pays*o.Epoch || s.Copies(pair) == 0 {
		return false
	}
	// Copies of pairs that gain little take a third of a pass each.
	return !pair || v.X.TakeGain() == store.Gains || o.Total >= pairEpochs*o.Epoch
}

// Copies returns how many bytes copies in the order of visits take, of all pairs of classes or of
// all rows; 0 if there are none.
func (s *Set) Copies(pairs bool) float64 {
	x := s.Rows()
	size, from := float64(x.Size()), float64(CopyFrom)
	if pairs { // they have copies at the same time, and a pair's rows are in the caches sooner
		from *= 64
	}
	if size == 0 || size < from || x.TakeGain() == store.GainsNothing {
		return 0
	}
	if pairs {
		size *= float64(max(1, len(s.Classes)-1))
	}
	if m, ok := store.MatrixOf(x); ok && m.Dense() != nil { // whose rows are padded
		size *= float64(matrices.Stride(x.Cols())) / float64(x.Cols())
	}
	if size > CopyTo {
		return 0
	}
	return size
}

// CopyFrom to CopyTo is the size, in bytes, of what is copied: what is smaller stays in the caches,
// what is larger may not fit in memory twice.
var CopyFrom = 1 << 18 // a variable for the sake of tests

const (
	CopyTo = 1 << 30

	pairEpochs = 16 // from which copies of pairs pay that gain little
)
