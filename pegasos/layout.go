package pegasos

import (
	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/internal/train/rows"
)

// arrange puts the rows into the order in which they are visited, if that is always the same.
func (r *run) arrange() {
	switch Order(r.order.Kind) {
	case Sequential, Blocks:
	case Permutation, IID:
		r.Scatter()
	default:
		r.data.Shuffle(&r.View, rows.Visits{Seed: r.cfg.Seed, Total: r.total,
			Epoch: int64(r.order.Steps), Short: r.cfg.Finish == FinishNewton || r.newtonSoon()})
	}
}

// compact keeps the rows in fewer bytes as well, if they are of a kind that can be and are visited
// often enough. The results are the same bits.
func (d *data) compact(tr *Trainer) {
	cfg := tr.Config.Plain()
	if cfg.Finish == FinishNewton {
		return // few visits
	}
	steps, err := cfg.runLength(len(d.Y))
	if err != nil {
		return
	}
	visits := float64(steps) / float64(len(d.Y)) // of a row
	if k := float64(len(d.Classes)); cfg.Multiclass == OneVsOne && k > 2 {
		if cfg.Steps == 0 {
			visits *= k - 1 // a row has so many pairs, each with such epochs
		} else {
			visits *= k * (k - 1) / 2 // each pair has such steps
		}
	}
	from, least := d.X.CompactPays()
	if d.X.Size() < from || visits < least {
		return
	}
	if cfg.Batch > 1 && d.X.Contiguous() {
		return // batches are multiplied at once as they are
	}
	if cfg.Multiclass == OneVsRest && len(d.Classes) > 2 && d.X.Interleaved() != nil {
		return // many classes against the rest visit a row together: see group
	}
	if x, ok := d.X.Compact(parallel.Threads(tr.Threads)); ok {
		d.Compacted = x
	}
}
