package pegasos

import (
	"math/rand/v2"

	"github.com/pegasimd/pegasimd/internal/order"
	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/internal/store"
)

// A layout is the rows that learners visit: those of the data, or copies of some in another order.
type layout struct {
	x      store.Rows
	class  []int32   // of each row; nil for numbers to predict
	target []float32 // of each row, in place of a class; nil for classes
	norms  []float32 // squared, of each row
	names  []uint32  // of copies the numbers that the rows have in the data; else nil

	// The rows are visited in another order than that in memory, and exceed the caches.
	scattered bool
}

// forWorker returns l for a learner, which may have a goroutine of its own.
func (l layout) forWorker() layout {
	l.x = l.x.ForWorker()
	return l
}

// fetchAhead returns how many steps before its use a row is to be fetched; 0 for not at all.
func (l *layout) fetchAhead() int {
	if !l.scattered {
		return 0
	}
	return l.x.Ahead()
}

// name returns what row i is called in the data.
func (l *layout) name(i uint32) int {
	if l.names != nil {
		return int(l.names[i])
	}
	return int(i)
}

// arrange puts the rows of the order Shuffled into that order: as copies where that is worth it,
// else by their numbers. The results are the same bits.
func (r *run) arrange() {
	d := r.data
	r.layout = layout{x: d.rows(), class: d.class, norms: d.norms}
	if d.classes == nil {
		r.target = d.y
	}
	size := r.x.Size()
	r.scattered = size > copyFrom
	switch Order(r.order.Kind) {
	case Sequential, Blocks:
		r.scattered = false
		return
	case Permutation, IID:
		return
	}
	// The generator is not that of the epochs, which starts anew where a run is resumed.
	shuffled := make([]uint32, r.rows)
	order.Permute(rand.NewPCG(r.cfg.Seed, ^uint64(order.Stream)), shuffled)
	for j, i := range shuffled {
		shuffled[j] = uint32(r.row(int(i)))
	}
	r.only = shuffled
	if size == 0 || !r.worthCopying(size) {
		return
	}
	r.x = r.x.Take(shuffled)
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

// worthCopying reports whether the run should have copies of its rows, of data of so many bytes.
func (r *run) worthCopying(size int) bool {
	// Copying takes about as long as an epoch, and saves less than that in each.
	const pays = 2 // passes
	short := r.cfg.Finish == FinishNewton || r.newtonSoon() || r.total <= pays*int64(r.order.Steps)
	if !r.few(size) && (short || size < copyFrom || size > copyTo) {
		return false
	}
	switch r.x.TakeGain() {
	case store.GainsNothing:
		return r.few(size)
	case store.GainsLittle:
		// All pairs have copies at the same time. They take memory and a third of a pass each,
		// which pays in long runs only.
		pair := r.rows < len(r.data.y)
		long := r.total >= pairEpochs*int64(r.order.Steps) && (len(r.data.classes)-1)*size <= copyTo
		return !pair || long
	}
	return true
}

// few reports whether the rows are few of many, as those of a pair of many classes: what a run
// keeps for each row of its store would be more than the rows.
func (r *run) few(size int) bool {
	all := len(r.data.y)
	return r.rows < all/4 && size/all*r.rows <= copyFew
}

// copyFrom to copyTo is the size, in bytes, of what is copied: what is smaller stays in the caches,
// what is larger may not fit in memory twice.
var copyFrom = 1 << 18 // a variable for the sake of tests

const (
	copyTo  = 1 << 30
	copyFew = 1 << 22

	pairEpochs = 16
)

// compact keeps the rows in fewer bytes as well, if they are of a kind that can be and are visited
// often enough. The results are the same bits.
func (d *data) compact(tr *Trainer) {
	cfg := tr.Config.Plain()
	if cfg.Finish == FinishNewton {
		return // few visits
	}
	steps, err := cfg.runLength(len(d.y))
	if err != nil {
		return
	}
	visits := float64(steps) / float64(len(d.y)) // of a row
	if k := float64(len(d.classes)); cfg.Multiclass == OneVsOne && k > 2 {
		if cfg.Steps == 0 {
			visits *= k - 1 // a row has so many pairs, each with such epochs
		} else {
			visits *= k * (k - 1) / 2 // each pair has such steps
		}
	}
	from, least := d.x.CompactPays()
	if d.x.Size() < from || visits < least {
		return
	}
	if cfg.Batch > 1 && d.x.Contiguous() {
		return // batches are multiplied at once as they are
	}
	if cfg.Multiclass == OneVsRest && len(d.classes) > 2 && d.x.Interleaved() != nil {
		return // many classes against the rest visit a row together: see group
	}
	if x, ok := d.x.Compact(parallel.Threads(tr.Threads)); ok {
		d.compacted = x
	}
}

func gather[T any](from []T, rows []uint32) []T {
	to := make([]T, len(rows))
	for k, i := range rows {
		to[k] = from[i]
	}
	return to
}
