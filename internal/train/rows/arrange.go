package rows

import (
	"math/rand/v2"

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
	if size := v.X.Size(); size == 0 || !s.worthCopying(v, o, size) {
		return
	}
	v.X = v.X.Take(shuffled)
	v.Only, v.Names, v.Scattered = nil, shuffled, false
	v.Norms, v.Class = gather(v.Norms, shuffled), gather(v.Class, shuffled)
	v.Target, v.Weight = gather(v.Target, shuffled), gather(v.Weight, shuffled)
}

// worthCopying reports whether the rows of v, of data of size bytes, should be copied.
func (s *Set) worthCopying(v *View, o Visits, size int) bool {
	// Copying takes about as long as an epoch, and saves less than that in each.
	const pays = 2 // passes
	few := s.Few(v.Count())
	short := o.Short || o.Total <= pays*o.Epoch
	if !few && (short || size < CopyFrom || size > CopyTo) {
		return false
	}
	switch v.X.TakeGain() {
	case store.GainsNothing:
		return few
	case store.GainsLittle:
		// All pairs have copies at the same time. They take memory and a third of a pass each,
		// which pays in long runs only.
		pair := v.Count() < len(s.Y)
		return !pair || o.Total >= pairEpochs*o.Epoch && (len(s.Classes)-1)*size <= CopyTo
	}
	return true
}

// CopyFrom to CopyTo is the size, in bytes, of what is copied: what is smaller stays in the caches,
// what is larger may not fit in memory twice.
var CopyFrom = 1 << 18 // a variable for the sake of tests

const (
	CopyTo  = 1 << 30
	copyFew = 1 << 22

	pairEpochs = 16
)
