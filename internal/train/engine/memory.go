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

// learnerSize is the approximate size of a learner in bytes, without its vectors and its data for
// rows.
const learnerSize = 2048

// Need estimates the least number of bytes that the session of a job needs besides the data: with
// one goroutine, without copies of rows, and with buffers for one problem of Newton's method if the
// session may use it. The estimate depends on the settings and the data alone.
func Need(job Job) float64 {
	s := &Session{Job: job}
	s.Settings = s.InForce()
	s.auto.newton = s.autoMayUseNewton()
	return s.need()
}

// need is Need of the session's job.
func (s *Session) need() float64 {
	minimal := &Session{Job: s.Job, threads: 1, auto: s.auto, verifyByNewton: s.verifyByNewton}
	return minimal.Memory(minimal.Sizes(), 1)
}

// autoMayUseNewton reports whether Finish is FinishAuto and Newton's method is allowed: by the
// other
// settings, the number of columns, and MaxMemory or its default, whatever the machine has.
func (s *Session) autoMayUseNewton() bool {
	if s.Finish != settings.FinishAuto || s.Rows.X.Cols() > newton.MaxColumns || !s.CanNewton() {
		return false
	}
	may := &Session{Job: s.Job, auto: autoInputs{newton: true}}
	return may.need() <= float64(cmp.Or(s.MaxMemory, options.DefaultMaxMemory))
}

// checkMemory returns an error if the session needs more memory than allowed, before allocating any
// of it. It halves the number of goroutines while the session does not fit. By the remaining memory
// it decides whether rows are copied, and for how many problems at a time Newton's method has
// buffers and keeps sums. None of these changes the results.
func (s *Session) checkMemory() error {
	limit, have := s.memoryLimit()
	n := s.Sizes()
	s.Newtons.MaxKeptBytes = 0
	for s.threads > 1 && s.Memory(n, 1) > limit {
		s.threads /= 2
	}
	need := s.Memory(n, 1)
	if need > limit {
		what := fmt.Sprintf("%.0f weight vectors of %d features, which visit %.3g rows in all,",
			n.vectors, s.Rows.X.Cols(), n.rows)
		return options.Bad("MaxMemory", "%s, but %s take %.0f MB beside the data%s", have, what,
			need/1e6, s.alternatives(limit))
	}
	machine.Expect(need)
	left := max(0, min(limit, machine.Spare()/s.sessionsSharing())-need)
	set := *s.Rows
	s.Rows = &set
	set.NoCopies = s.copyBytes() > left
	if !set.NoCopies {
		left -= s.copyBytes()
	}
	if s.MayUseNewton() {
		one := s.Memory(n, 2) - need
		s.Newtons.MaxBuffers = int(max(1, min(1+left/one, n.vectors, float64(s.threads))))
		left = max(0, left-float64(s.Newtons.MaxBuffers-1)*one)
		s.Newtons.MaxKeptBytes = int(min(left, float64(newton.MaxKeptBytes))) + 1
	}
	return nil
}

// sessionsSharing returns the number of sessions that share the memory.
func (s *Session) sessionsSharing() float64 { return float64(max(1, s.Share)) }

// memoryLimit returns how many bytes the session may allocate, and the same in words.
func (s *Session) memoryLimit() (bytes float64, have string) {
	bytes = float64(cmp.Or(s.MaxMemory, options.Allowed)) / s.sessionsSharing()
	have = fmt.Sprintf("have %.0f MB", bytes/1e6)
	if s.MaxMemory > 0 { // the caller knows the machine
		return bytes, have
	}
	free := machine.Free()
	if free < bytes*s.sessionsSharing() && s.need() > free { // there may be garbage
		runtime.GC()
		free = machine.Free()
	}
	if free /= s.sessionsSharing(); free < bytes {
		bytes, have = free, fmt.Sprintf("the machine has %.0f MB left", free/1e6)
	}
	return bytes, have
}

// alternatives lists, for an error message, the other multi-class schemes that need at most limit
// bytes.
func (s *Session) alternatives(limit float64) (words string) {
	if len(s.Rows.Classes) <= 2 {
		return ""
	}
	for _, scheme := range []string{settings.OneVsOne, settings.OneVsRest, settings.CrammerSinger} {
		job := s.Job
		job.Multiclass = scheme
		if _, err := job.Vectors(len(job.Rows.Classes)); scheme == s.Multiclass || err != nil ||
			job.Validate() != nil {
			continue
		}
		if need := Need(job); need <= limit {
			words += fmt.Sprintf("; with Multiclass %q %.0f MB", scheme, need/1e6)
		}
	}
	return words
}

// copyBytes estimates the size in bytes of the copies of rows in the order of visits: see
// rows.Set.Shuffle.
func (s *Session) copyBytes() float64 {
	total, err := s.Length(len(s.Rows.Y))
	if err != nil || total <= 2*int64(len(s.Rows.Y)) || s.Order != order.Shuffled ||
		s.Finish == settings.FinishNewton || s.plan.newton || s.plan.startsWithDual {
		return 0
	}
	return s.Rows.Copies(s.pairs())
}

// Sizes are the counts that a session's memory depends on. They are float64 so that they can't
// overflow.
type Sizes struct {
	vectors float64
	rows    float64 // rows with data for a vector, summed over the vectors
	visited float64 // rows of the runs, summed over the runs
	longest float64 // rows of the largest run
}

// Sizes returns the sizes of the session.
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

// Memory estimates how many bytes a session needs besides the data and copies of it, if Newton's
// method has buffers for the given number of problems at a time. The sums that Newton's method may
// keep are counted once s.Newtons.Kept is set.
func (s *Session) Memory(n Sizes, problems int) float64 {
	x, rows := s.Rows.X, len(s.Rows.Y)
	perVector, perRow := 2.0, 0.0 // float32 numbers per feature (v, the model), and bytes per row
	perVisited := 8.0             // the row's numbers in the order of visits and of the epoch
	perSet := 4.0                 // the row's squared norm
	if s.pairs() {
		perVisited += 12 // the row's number among all rows, its class and squared norm
		perSet += 4      // the row's number in the list of its class
	}
	if n.vectors > 1 {
		perVector += 2 // v as a row of the matrix of all vectors, and interleaved
	}
	if s.Average == settings.LastHalf {
		perVector += 2
	}
	if s.Order != order.IID {
		perRow += 8 // violation counts: see certificate.Windows
	}
	if s.HasSolver() || s.verifyByNewton {
		perVector++
		perRow += 16 // the row's dual variable, next pass and streak, and the list of active rows
		if s.Joint() {
			perRow -= 8 // all classes share the next pass and the streak of a row
		}
	}
	if s.KeepState {
		perVector, perRow = 2*perVector, 2*perRow
	}
	if s.Shards > 1 {
		perVector += float64(s.Shards)
	}
	if s.Patience > 0 {
		perVector++ // the best point so far
	}
	if s.Prior != nil {
		perRow += 8 // the prior's score of the row
	}
	if s.ClassWeight == settings.Balanced || s.Rows.Weight != nil {
		perVisited += 8
	}
	newtons := 0.0 // bytes of Newton's buffers, per problem and shared
	if s.MayUseNewton() {
		perVector += newton.PerVector
		perRow += newton.PerRow
		_, flat := s.LossFunc().Flat()
		flat = flat && s.Rows.Weight == nil && s.ClassWeight == "" && store.MayBePixels(x)
		newtons = newton.Memory(float64(problems), int(n.longest), x.Cols()) +
			newton.SharedMemory(n.vectors, rows, x.Cols(), x.Size(), flat, s.Newtons.MaxKeptBytes)
	}
	// The learners that are measured at the same time have a float64 sum each, and one for each
	// goroutine.
	measured := min(n.vectors, float64(s.threads))
	if parts := s.Rows.Parts(); parts > 1 {
		measured += min(float64(s.threads), measured*float64(parts))
	}
	vector := 4 * float64(matrices.Stride(x.Cols()))
	return n.vectors*learnerSize + (n.vectors*perVector+2*measured)*vector + n.rows*perRow +
		n.visited*perVisited + perSet*float64(rows) + newtons
}

// compact packs the rows into fewer bytes, in addition to the rows as they are, if their values
// allow it and they are visited often enough for that to pay. The results are the same to the bit.
func (s *Session) compact() {
	x, n := s.Rows.X, len(s.Rows.Y)
	steps, err := s.Length(n)
	if err != nil || s.Finish == settings.FinishNewton { // Newton's method makes few passes
		return
	}
	visits := float64(steps) / float64(n) // of each row
	if k := float64(len(s.Rows.Classes)); s.pairs() {
		if s.Steps == 0 {
			visits *= k - 1 // a row belongs to k-1 pairs, and each pair trains for all epochs
		} else {
			visits *= k * (k - 1) / 2 // each pair takes all steps
		}
	}
	minSize, minVisits := x.CompactThreshold()
	switch {
	case x.Size() < minSize || visits < minVisits:
	case s.Batch > 1 && x.FastBatches(): // batches are faster on unpacked rows
	case s.Multiclass == settings.OneVsRest && len(s.Rows.Classes) > 2 && x.Interleaved() != nil:
		// all classes visit a row together, as it is: see sgd.Group
	default:
		if x, ok := x.Compact(s.threads); ok {
			s.Rows.Compacted = x
		}
	}
}

// checkCosts returns an error unless Costs is nil or a valid cost matrix for Crammer-Singer.
func (s *Session) checkCosts() error {
	classes := len(s.Rows.Classes)
	switch {
	case s.Costs == nil:
		return nil
	case s.Multiclass != settings.CrammerSinger:
		return options.Bad("Costs", "they are for Multiclass %q, but Multiclass is %q",
			settings.CrammerSinger, s.Multiclass)
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
				return options.Bad("Costs",
					"have %v for predicting class %d for a row of class %d, want 0 on the diagonal "+
						"and positive finite numbers elsewhere", c, r, y)
			}
		}
	}
	return nil
}
