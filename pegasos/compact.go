package pegasos

import (
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/compact"
	"github.com/pegasimd/pegasimd/sparse"
)

// denseRows are rows that can be had as slices of float32: those of a *dense.Matrix, or of bytes.
type denseRows interface {
	Examples
	Row(i int) []float32 // until the next call, for one goroutine
	Prefetch(i int)
}

// unpacked is one learner's way to see rows that are kept as bytes: the row it asked for last, as float32.
type unpacked struct {
	*compact.Bytes
	room []float32 // the row, and zeros up to a multiple of eight
	at   int       // its number; -1 for none
}

func unpack(b *compact.Bytes) *unpacked { return &unpacked{b, dense.New(1, b.Stride()).Row(0), -1} }

func (u *unpacked) Row(i int) []float32 {
	if i != u.at {
		u.Unpack(i, u.room)
		u.at = i
	}
	return u.room[:u.Cols()]
}

func (u *unpacked) Dot(i int, w []float32) float32 {
	if i == u.at {
		return dense.Dot(u.Row(i), w)
	}
	u.at = i
	return u.UnpackDot(i, u.room, w)
}

func (u *unpacked) Axpy(i int, a float32, w []float32) { dense.Axpy(a, u.Row(i), w) }
func (u *unpacked) SumSquares(i int) float32           { return dense.SumSquares(u.Row(i)) }

// ofItsOwn returns x for another goroutine than the one it is for.
func ofItsOwn(x Examples) Examples {
	if u, ok := x.(*unpacked); ok {
		return unpack(u.Bytes)
	}
	return x
}

// compact keeps the rows in fewer bytes as well, if they are of a kind that can be and are met often enough. The results are the
// same bits.
func (d *data) compact(tr *Trainer) {
	cfg := tr.Config.WithDefaults()
	steps, err := cfg.steps(len(d.y))
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
	switch x := d.x.(type) {
	case *dense.Matrix:
		if x.Reads() || sizeOf(x) < bytesFrom || cfg.Batch > 1 || visits < bytesVisits {
			return
		}
		if b, ok := compact.Dense(x, goroutines(tr.Threads)); ok {
			d.bytes = b
		}
	case *sparse.Matrix:
		if x.Lazy() || x.Reads() || sizeOf(x) < sameFrom || visits < sameVisits || cfg.Multiclass == OneVsRest && len(d.classes) > 2 {
			return // many classes against the rest meet a row together: see gang
		}
		if s, ok := compact.Sparse(x); ok {
			d.same = s
		}
	}
}

// bytesFrom is the number of bytes from which rows of pixels come from memory, so that they are met sooner as bytes, and
// bytesVisits how often they have to be met: packing them takes as long as ten steps with each saves. For rows of one value
// it takes as long as half a step.
var bytesFrom, sameFrom = 16 << 20, 1 << 16 // variables for the sake of tests

const bytesVisits, sameVisits = 12, 2
