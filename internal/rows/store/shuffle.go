package store

import (
	"math/rand/v2"

	"github.com/pegasimd/pegasimd/internal/base/order"
)

// Visits describes the visits of a run to its rows.
type Visits struct {
	Seed  uint64
	Total int64
	Epoch int64
	Short bool // the run soon switches from steps to Newton's method
}

// Scatter prepares v for visits in random order.
func (v *View) Scatter() { v.Scattered = v.X.Size() > MinCopySize }

// Shuffle puts the rows of v into a random order, in a copy if that pays. Results of training have
// the same bits either way.
func (s *Set) Shuffle(v *View, o Visits) {
	v.Scatter()
	// The epochs draw from another random stream.
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
	v.SetRows = Compose(v.SetRows, shuffled)
	v.Norms, v.Class = gather(v.Norms, shuffled), gather(v.Class, shuffled)
	v.Target, v.Weight = gather(v.Target, shuffled), gather(v.Weight, shuffled)
}

// MinCopyEpochs is the largest number of epochs at which a copy in shuffled order does not pay.
const MinCopyEpochs = 1

func (s *Set) worthCopying(v *View, o Visits) bool {
	pair := v.SetRows != nil
	if s.NoCopies || o.Short || o.Total <= MinCopyEpochs*o.Epoch || s.Copies(pair) == 0 {
		return false
	}
	return !pair || v.X.ReorderGain() == LargeGain || o.Total >= minPairEpochs*o.Epoch
}

// Copies returns the bytes of a copy of all rows or, if pairs is set, of the copies for all pairs
// of classes. It is 0 if rows of this size or type are not copied.
func (s *Set) Copies(pairs bool) float64 {
	x := s.Rows()
	size, from := float64(x.Size()), float64(MinCopySize)
	if pairs { // a pair has fewer rows, and all pairs have copies at the same time
		from *= 64
	}
	if size == 0 || size < from || x.ReorderGain() == NoGain {
		return 0
	}
	if Kind(x) == "dense" {
		size = CopySize(x) // padding included
	}
	if pairs {
		size *= float64(max(1, len(s.Classes)-1))
	}
	if size > maxCopySize {
		return 0
	}
	return size
}

// MinCopySize is the least size in bytes of rows that Shuffle copies. Smaller ones stay in the
// caches.
var MinCopySize = 1 << 18

const (
	// in bytes: larger rows may not fit in memory twice
	maxCopySize = 1 << 30

	// minPairEpochs is the least number of epochs at which a copy of a pair's rows pays with
	// SmallGain.
	minPairEpochs = 16
)
