package engine

import (
	"cmp"
	"fmt"
	"math"
	"runtime"

	"github.com/pegasimd/pegasimd/internal/machine"
	"github.com/pegasimd/pegasimd/internal/matrices"
	"github.com/pegasimd/pegasimd/internal/options"
	"github.com/pegasimd/pegasimd/internal/order"
	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/internal/train/newton"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// learnerSize is about what a learner takes beside its vectors and what it keeps for rows.
const learnerSize = 2048

// Need estimates the least bytes that the session of a job takes beside the data: with one
// goroutine, no copies of rows, and buffers for one problem of Newton's method if the session may use
// it. The estimate depends on the settings and the data alone.
func Need(job Job) float64 {
	s := &Session{Job: job}
	s.Settings = s.InForce()
	s.auto.newton = s.mayAuto()
	return s.need()
}

func (s *Session) need() float64 {
	least := &Session{Job: s.Job, threads: 1, auto: s.auto, looks: s.looks}
	return least.Memory(least.Sizes(), 1)
}

// mayAuto reports whether FinishAuto may take Newton's method: by the columns, and by the memory
// that it needs, on any machine.
func (s *Session) mayAuto() bool {
	if s.Finish != settings.FinishAuto || s.Rows.X.Cols() > newton.MostColumns || !s.CanNewton() {
		return false
	}
	may := &Session{Job: s.Job, auto: autoFinish{newton: true}}
	return may.need() <= float64(cmp.Or(s.MaxMemory, options.DefaultMaxMemory))
}

// checkMemory refuses a session that would take too much memory, before any of it is allocated. How
// much there is decides only what changes no bit of the results: the goroutines, whether rows are
// copied, and of how many problems Newton's method has buffers and sums.
func (s *Session) checkMemory() error {
	most, have := s.limit()
	n := s.Sizes()
	s.Newtons.Kept = 0
	for s.threads > 1 && s.Memory(n, 1) > most {
		s.threads /= 2
	}
	need := s.Memory(n, 1)
	if need > most {
		what := fmt.Sprintf("%.0f weight vectors of %d features, which visit %.3g rows in all,",
			n.vectors, s.Rows.X.Cols(), n.rows)
		return options.Bad("MaxMemory", "%s, but %s take %.0f MB beside the data%s", have, what,
			need/1e6, s.less(most))
	}
	machine.Expect(need)
	left := max(0, min(most, machine.Spare()/s.share())-need)
	set := *s.Rows
	s.Rows = &set
	set.Sparing = s.copies() > left
	if !set.Sparing {
		left -= s.copies()
	}
	if s.MayNewton() {
		one := s.Memory(n, 2) - need
		s.Newtons.Most = int(max(1, min(1+left/one, n.vectors, float64(s.threads))))
		left = max(0, left-float64(s.Newtons.Most-1)*one)
		s.Newtons.Kept = int(min(left, float64(newton.PixelsKept))) + 1
	}
	return nil
}

// share returns how many sessions share the memory.
func (s *Session) share() float64 { return float64(max(1, s.Share)) }

// limit returns how many bytes the session may take, in words too.
func (s *Session) limit() (bytes float64, have string) {
	bytes = float64(cmp.Or(s.MaxMemory, options.Allowed)) / s.share()
	have = fmt.Sprintf("have %.0f MB", bytes/1e6)
	if s.MaxMemory > 0 { // the caller knows what the machine has
		return bytes, have
	}
	free := machine.Free()
	if free < bytes*s.share() && s.need() > free { // maybe not all garbage is collected
		runtime.GC()
		free = machine.Free()
	}
	if free /= s.share(); free < bytes {
		bytes, have = free, fmt.Sprintf("the machine has %.0f MB left", free/1e6)
	}
	return bytes, have
}

// less says which other ways with the classes take no more than most bytes.
func (s *Session) less(most float64) (words string) {
	if len(s.Rows.Classes) <= 2 {
		return ""
	}
	for _, way := range []string{settings.OneVsOne, settings.OneVsRest, settings.CrammerSinger} {
		job := s.Job
		job.Multiclass = way
		if _, err := job.Vectors(len(job.Rows.Classes)); way == s.Multiclass || err != nil ||
			job.Validate() != nil {
			continue
		}
		if need := Need(job); need <= most {
			words += fmt.Sprintf("; with Multiclass %q %.0f MB", way, need/1e6)
		}
	}
	return words
}

// copies returns how many bytes the session's copies of rows in the order of visits take: see
// rows.Set.Shuffle.
func (s *Session) copies() float64 {
	total, err := s.Length(len(s.Rows.Y))
	if err != nil || total <= 2*int64(len(s.Rows.Y)) || s.Order != order.Shuffled ||
		s.Finish == settings.FinishNewton || s.plan.newton || s.plan.descends {
		return 0
	}
	return s.Rows.Copies(s.pairs())
}

// Sizes are numbers that the memory of a session goes by. They are float64, which can't overflow.
type Sizes struct {
	vectors float64
	rows    float64 // for which something is kept, all vectors together
	visited float64 // rows of the runs, all runs together
	longest float64 // rows of the run with the most
}

func (s *Session) Sizes() (n Sizes) {
	all := float64(len(s.Rows.Y))
	vectors, _ := s.Vectors(len(s.Rows.Classes))
	n.vectors, n.visited, n.longest = float64(vectors), all, all
	if s.pairs() {
		n.visited, n.longest = 0, 0
		count := s.Rows.CountClasses()
		for _, pair := range s.Parts(len(count)) {
			of := float64(count[pair[0]] + count[pair[1]])
			n.visited += of
			n.longest = max(n.longest, of)
		}
		n.rows = n.visited
		return n
	}
	n.rows = n.vectors * all
	return n
}

// Memory estimates how many bytes a session takes beside the data and without copies of it, if
// Newton's method has buffers for the given number of problems at a time, and sums that are kept
// once there is memory for them.
func (s *Session) Memory(n Sizes, problems int) float64 {
	x, rows := s.Rows.X, len(s.Rows.Y)
	perVector, perRow := 2.0, 0.0 // v and the model's
	perVisited := 8.0             // the row's numbers in the order of visits and in the epoch's order
	perSet := 4.0                 // its norm
	if s.pairs() {
		perVisited += 12 // its number among all rows, its class and norm
		perSet += 4      // the row's number among the rows of its class
	}
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
		if s.Joint() {
			perRow -= 8 // there is one of the latter for all classes
		}
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
		perVisited += 8
	}
	newtons := 0.0 // bytes of its problems at a time, and together
	if s.MayNewton() {
		perVector += newton.PerVector
		perRow += newton.PerRow
		_, flat := s.Cost().Flat()
		flat = flat && s.Rows.Weight == nil && s.ClassWeight == "" && store.MayBePixels(x)
		newtons = newton.Memory(float64(problems), int(n.longest), x.Cols()) +
			newton.SharedMemory(n.vectors, rows, x.Cols(), x.Size(), flat, s.Newtons.Kept)
	}
	// At a time, each with a sum in float64, and one for each of its goroutines.
	measured := min(n.vectors, float64(s.threads))
	if parts := s.Rows.Parts(); parts > 1 {
		measured += min(float64(s.threads), measured*float64(parts))
	}
	vector := 4 * float64(matrices.Stride(x.Cols()))
	return n.vectors*learnerSize + (n.vectors*perVector+2*measured)*vector + n.rows*perRow +
		n.visited*perVisited + perSet*float64(rows) + newtons
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
