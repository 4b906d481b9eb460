package engine

import (
	"cmp"
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/internal/matrices"
	"github.com/pegasimd/pegasimd/internal/options"
	"github.com/pegasimd/pegasimd/internal/order"
	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/internal/train/newton"
	"github.com/pegasimd/pegasimd/internal/train/rows"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// learnerSize is about what a learner takes beside its vectors and what it keeps for rows.
const learnerSize = 2048

// checkMemory refuses a session that would take too much memory, before any of it is allocated.
func (s *Session) checkMemory() error {
	n := s.Sizes()
	limit := float64(cmp.Or(s.MaxMemory, options.DefaultMaxMemory))
	if s.pairs() && s.Memory(n, 1) > limit {
		all, set := s.Rows, *s.Rows
		set.Sparing, s.Rows = true, &set
		if less := s.Sizes(); s.Memory(less, 1) <= limit {
			n = less
		} else {
			s.Rows = all
		}
	}
	if s.MayNewton() { // it has buffers for as many problems at a time as fit, one at least
		rows, cols := len(s.Rows.Y), s.Rows.X.Cols()
		one := newton.Memory(1, rows, cols) - newton.Memory(0, rows, cols)
		left := limit - s.Memory(n, 0)
		s.Newtons.Most = int(max(1, min(left/one, n.vectors, float64(s.threads))))
	}
	what := fmt.Sprintf("%.0f weight vectors of %d features, which visit %.3g rows in all,",
		n.vectors, s.Rows.X.Cols(), n.rows)
	return options.Memory(s.MaxMemory, s.Memory(n, s.Newtons.Most), what).Err()
}

// Sizes are numbers that the memory of a session goes by. They are float64, which can't overflow.
type Sizes struct {
	vectors float64
	rows    float64 // for which something is kept, all vectors together
	copied  float64 // rows
}

func (s *Session) Sizes() (n Sizes) {
	x, all := s.Rows.X, float64(len(s.Rows.Y))
	if total, err := s.Length(len(s.Rows.Y)); err == nil && float64(total) > 2*all &&
		s.Finish != settings.FinishNewton && s.Order == order.Shuffled &&
		x.Size() >= rows.CopyFrom && x.Size() <= rows.CopyTo && x.TakeGain() != store.GainsNothing {
		n.copied = all // see Set.Shuffle
	}
	vectors, _ := s.Vectors(len(s.Rows.Classes))
	n.vectors, n.rows = float64(vectors), float64(vectors)*all
	if !s.pairs() {
		return n
	}
	n.rows = 0
	count := s.Rows.CountClasses()
	for _, pair := range s.Parts(len(count)) {
		of := count[pair[0]] + count[pair[1]]
		if s.Rows.Few(of) {
			n.rows += float64(of)
			n.copied += float64(of)
		} else if of > 0 { // which has no copies, or of all of its rows
			n.rows += all
		}
	}
	return n
}

// Memory estimates how many bytes a session takes beside the data, if Newton's method has buffers
// for the given number of problems at a time.
func (s *Session) Memory(n Sizes, problems int) float64 {
	x, rows := s.Rows.X, len(s.Rows.Y)
	perVector, perRow := 2.0, 0.0 // v and the model's
	if n.vectors > 1 {
		perVector += 2 // v once more, side by side with the others, and interleaved: see sgd.Group
	}
	if s.Average == settings.LastHalf {
		perVector += 2
	}
	if s.Order != order.IID {
		perRow += 8 // see certificate.Windows
	}
	if s.Finishes() || s.looks {
		perVector++
		perRow += 16 // alpha, when a row is due, how calm it is, and which rows are awake
	}
	if s.KeepState {
		perVector, perRow = 2*perVector, 2*perRow
	}
	if s.Shards > 1 {
		perVector += float64(s.Shards)
	}
	if s.Patience > 0 {
		perVector++ // the best model
	}
	if s.Prior != nil {
		perRow += 8 // the scores of what is fixed
	}
	if s.ClassWeight == settings.Balanced || s.Rows.Weight != nil {
		perRow += 8
		if !s.pairs() {
			n.rows += float64(rows) // all vectors have the same weights
		}
	}
	newtons := 0.0 // bytes of its problems at a time, and together
	if s.MayNewton() {
		perVector += newton.PerVector
		perRow += newton.PerRow
		_, flat := s.Cost().Flat()
		flat = flat && s.Rows.Weight == nil && s.ClassWeight == ""
		newtons = newton.Memory(float64(problems), rows, x.Cols()) +
			newton.SharedMemory(n.vectors, rows, x.Cols(), x.Size(), flat)
	}
	// At a time, each with a sum in float64, and one for each of its goroutines.
	measured := min(n.vectors, float64(s.threads))
	if parts := s.Rows.Parts(); parts > 1 {
		measured += min(float64(s.threads), measured*float64(parts))
	}
	vector := 4 * float64(matrices.Stride(x.Cols()))
	row := vector
	if store.Kind(x) != "dense" {
		row = float64(x.Size()) / float64(rows)
	}
	return n.vectors*learnerSize + (n.vectors*perVector+2*measured)*vector + n.rows*perRow +
		n.copied*row + newtons
}

// compact keeps the rows in fewer bytes as well, if they are of a kind that can be and are visited
// often enough. The results are the same bits.
func (s *Session) compact() {
	x, n := s.Rows.X, len(s.Rows.Y)
	steps, err := s.Length(n)
	if err != nil || s.Finish == settings.FinishNewton { // few visits
		return
	}
	visits := float64(steps) / float64(n) // of a row
	if k := float64(len(s.Rows.Classes)); s.pairs() {
		if s.Steps == 0 {
			visits *= k - 1 // a row is in k-1 pairs, each of which has all epochs
		} else {
			visits *= k * (k - 1) / 2 // each pair takes all steps
		}
	}
	from, least := x.CompactPays()
	switch {
	case x.Size() < from || visits < least:
	case s.Batch > 1 && x.Contiguous(): // batches are multiplied at once as they are
	case s.Multiclass == settings.OneVsRest && len(s.Rows.Classes) > 2 && x.Interleaved() != nil:
		// many classes against the rest visit a row together: see sgd.Group
	default:
		if x, ok := x.Compact(s.threads); ok {
			s.Rows.Compacted = x
		}
	}
}

// checkCosts returns an error unless the costs are some of mistakes between the classes.
func (s *Session) checkCosts() error {
	classes := len(s.Rows.Classes)
	switch {
	case s.Costs == nil:
		return nil
	case s.Multiclass != settings.CrammerSinger:
		return options.Bad("Costs", "they are for Multiclass %q, have %q", settings.CrammerSinger,
			s.Multiclass)
	case len(s.Costs) != classes:
		return options.Bad("Costs", "have %d rows, want one for each of the %d classes",
			len(s.Costs), classes)
	}
	for y, row := range s.Costs {
		if len(row) != classes {
			return options.Bad("Costs",
				"row %d has %d numbers, want one for each of the %d classes", y, len(row), classes)
		}
		for r, c := range row {
			if r == y && c != 0 || r != y && !(c > 0 && c <= math.MaxFloat32) {
				return options.Bad("Costs", "have %v for predicting class %d where %d is right: "+
					"want 0 where they are the same, else a positive finite number", c, r, y)
			}
		}
	}
	return nil
}
