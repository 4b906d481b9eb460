package pegasos

import (
	"math/rand/v2"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/compact"
	"github.com/pegasimd/pegasimd/internal/order"
	"github.com/pegasimd/pegasimd/sparse"
)

// A layout is rows as learners see them: those of the data, or copies of some in another order.
type layout struct {
	x      Examples
	class  []int32   // of each row; nil for numbers to predict
	target []float32 // of each row, in place of a class; nil for classes
	norms  []float32 // squared, of each row
	names  []uint32  // of copies the numbers that the rows have in the data; else nil

	scattered bool // the rows are met in an order in which they do not lie in memory, which is beyond the caches
}

// ofItsOwn returns l for a learner.
func (l layout) ofItsOwn() layout {
	l.x = ofItsOwn(l.x)
	return l
}

// name returns what row i is called in the data.
func (l *layout) name(i uint32) int {
	if l.names != nil {
		return int(l.names[i])
	}
	return int(i)
}

// lay puts the rows of the order Shuffled into that order: as copies where that is worth it, else by their numbers. The results
// are the same bits.
func (r *run) lay() {
	d := r.data
	r.layout = layout{x: d.rows(), class: d.class, norms: d.norms}
	if d.classes == nil {
		r.target = d.y
	}
	size := sizeOf(r.x)
	r.scattered = size > copyFrom
	switch Order(r.order.Kind) {
	case Sequential, Blocks:
		r.scattered = false
		return
	case Permutation, IID:
		return
	}
	// It has a generator of its own: that of the epochs starts anew where a run is resumed.
	shuffled := make([]uint32, r.rows)
	order.Permute(rand.NewPCG(r.cfg.Seed, ^uint64(order.Stream)), shuffled)
	for j, i := range shuffled {
		shuffled[j] = uint32(r.row(int(i)))
	}
	r.only = shuffled
	if size == 0 || !r.worthCopying(size) {
		return
	}
	switch x := r.x.(type) {
	case *sparse.Matrix:
		r.x = x.Take(shuffled)
	case *compact.Same:
		r.x = x.Take(shuffled)
	case *unpacked:
		// All pairs have theirs at the same time, which is worth the memory and a third of a pass each in long runs only.
		pair := r.rows < len(d.y)
		if pair && (r.total < pairEpochs*int64(r.order.Steps) || (len(d.classes)-1)*size > copyTo) {
			return
		}
		r.x = unpack(x.Take(shuffled))
	case *dense.Matrix:
		// Long rows are long runs of memory as they are.
		if x.Cols() > copyCols && !r.few(size) {
			return
		}
		r.x = x.Take(shuffled)
	}
	r.only, r.names, r.scattered = nil, shuffled, false
	r.norms = gather(d.norms, shuffled)
	if d.class != nil {
		r.class = gather(d.class, shuffled)
	}
	if r.target != nil {
		r.target = gather(r.target, shuffled)
	}
	if r.weight != nil {
		r.weight = gather(r.weight, shuffled)
	}
}

// sizeOf returns what the rows of x take in memory, in bytes, and 0 where it is not known that they are there: of a lazy matrix, and
// of a caller's own store.
func sizeOf(x Examples) int {
	switch x := x.(type) {
	case *sparse.Matrix:
		if x.Lazy() {
			return 0
		}
		return 8 * x.NNZ()
	case *dense.Matrix:
		return 4 * x.Rows() * x.Cols()
	case *compact.Same:
		return x.Size()
	case *unpacked:
		return x.Size()
	}
	return 0
}

// worthCopying reports whether the run should have copies of its rows, of data of so many bytes.
func (r *run) worthCopying(size int) bool {
	// Copying takes about as long as an epoch, and saves less than that in each.
	return r.few(size) || r.total > 2*int64(r.order.Steps) && size >= copyFrom && size <= copyTo
}

// few reports whether the rows are few of many, as those of a pair of many classes: what a run keeps for each row of its store
// would be more than the rows.
func (r *run) few(size int) bool {
	all := len(r.data.y)
	return r.rows < all/4 && size/all*r.rows <= copyFew
}

// copyFrom to copyTo is the size, in bytes, of what is copied: what is smaller stays in the caches, what is larger may not fit
// in memory twice.
var copyFrom = 1 << 18 // a variable for the sake of tests

const (
	copyTo   = 1 << 30
	copyFew  = 1 << 22
	copyCols = 256

	pairEpochs = 16
)

func gather[T any](from []T, rows []uint32) []T {
	to := make([]T, len(rows))
	for k, i := range rows {
		to[k] = from[i]
	}
	return to
}
