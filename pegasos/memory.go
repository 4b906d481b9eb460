package pegasos

import (
	"cmp"
	"fmt"

	"github.com/pegasimd/pegasimd/internal/matrices"
	"github.com/pegasimd/pegasimd/internal/options"
	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/internal/train/newton"
	"github.com/pegasimd/pegasimd/internal/train/rows"
)

// learnerSize is about what a learner takes beside its vectors and what it keeps for rows.
const learnerSize = 2048

// checkMemory refuses a session that would take too much memory, before any of it is allocated.
func (s *session) checkMemory(tr *Trainer) error {
	n := s.sizes()
	// Newton's method has buffers for as many problems at a time as they fit for, one at least.
	if one := s.newtonMemory(1) - s.newtonMemory(0); one > 0 {
		left := float64(cmp.Or(tr.MaxMemory, options.DefaultMaxMemory)) - s.memory(tr, n, 0)
		s.data.newtons.Most = int(max(1, min(left/one, n.vectors, float64(s.threads))))
	}
	what := fmt.Sprintf("%.0f weight vectors of %d features, which visit %.3g rows in all,",
		n.vectors, s.data.X.Cols(), n.rows)
	return options.First(fieldError,
		[]options.Rule{options.Memory(tr.MaxMemory, s.memory(tr, n, s.data.newtons.Most), what)})
}

// sessionSizes are numbers that the memory of a session goes by. They are float64, which can't
// overflow.
type sessionSizes struct {
	vectors float64
	rows    float64 // for which something is kept, all vectors together
	copied  float64 // rows
}

func (s *session) sizes() (n sessionSizes) {
	classes, all, size := len(s.data.Classes), float64(len(s.data.Y)), s.data.X.Size()
	if total, err := s.cfg.runLength(len(s.data.Y)); err == nil && float64(total) > 2*all &&
		s.cfg.Finish != FinishNewton && s.cfg.Order == Shuffled &&
		size >= rows.CopyFrom && size <= rows.CopyTo && s.data.X.TakeGain() != store.GainsNothing {
		n.copied = all // see worthCopying
	}
	switch {
	case classes == 0 || classes == 2 && !s.cfg.Multiclass.Joint():
		n.vectors, n.rows = 1, all
		return n
	case s.cfg.Multiclass != OneVsOne:
		n.vectors, n.rows = float64(classes), float64(classes)*all
		return n
	}
	n.vectors = float64(classes) * float64(classes-1) / 2
	count := s.data.CountClasses()
	for a := range classes {
		for b := range a {
			rows := count[a] + count[b]
			if s.data.Few(rows) {
				n.rows += float64(rows)
				n.copied += float64(rows)
			} else if rows > 0 { // which has no copies, or of all of its rows
				n.rows += all
			}
		}
	}
	return n
}

// memory estimates how many bytes a session takes beside the data, with so many problems at a time
// of which Newton's method has buffers.
func (s *session) memory(tr *Trainer, n sessionSizes, problems int) float64 {
	cfg, cols := s.cfg, s.data.X.Cols()
	perVector, perRow := 2.0, 0.0 // v and the model's
	if n.vectors > 1 {
		perVector += 2 // v once more, side by side with the others, and interleaved: see group
	}
	if cfg.Average == LastHalf {
		perVector += 2
	}
	if cfg.Order != IID {
		perRow += 8 // see recent
	}
	if cfg.finishes() {
		perVector++
		perRow += 8 // alpha, and how long a row has rested
	}
	if tr.KeepState {
		perVector, perRow = 2*perVector, 2*perRow
	}
	if cfg.Shards > 1 {
		perVector += float64(cfg.Shards)
	}
	if cfg.Patience > 0 {
		perVector++ // the best model
	}
	if tr.Prior != nil {
		perRow += 8 // the scores of what is fixed
	}
	if cfg.ClassWeight == Balanced || s.data.Weight != nil {
		perRow += 8
		if !s.pairs() {
			n.rows += float64(len(s.data.Y)) // all vectors have the same weights
		}
	}
	if s.mayNewton() {
		perVector += newton.PerVector
		perRow += newton.PerRow
	}
	measured := min(n.vectors, float64(s.threads)) // at a time, each with a sum in float64
	vector := 4 * float64(matrices.Stride(cols))
	row := vector
	if store.Kind(s.data.X) != "dense" {
		row = float64(s.data.X.Size()) / float64(len(s.data.Y))
	}
	return n.vectors*learnerSize + (n.vectors*perVector+2*measured)*vector + n.rows*perRow +
		n.copied*row + s.newtonMemory(float64(problems)) + s.togetherMemory(n.vectors)
}
