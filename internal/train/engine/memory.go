package engine

import (
	"cmp"
	"fmt"
	"math"
	"runtime"

	"github.com/pegasimd/pegasimd/internal/base/order"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/sys/machine"
	"github.com/pegasimd/pegasimd/internal/train/newton"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/internal/train/settings"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
)

// learnerSize is the approximate size of a learner in bytes. Its weight vectors, and its arrays
// with an element for each row, are not counted.
const learnerSize = 2048

// Need estimates the least number of bytes that a session of the job needs besides the data: with
// one goroutine, without copies of rows, and with buffers for one problem of Newton's method if the
// session may use it. The estimate depends on the job alone, not on the machine.
func Need(job Job) float64 {
	s := &Session{Job: job}
	s.Settings = s.InForce()
	s.auto.newton = s.autoMayUseNewton()
	return s.need()
}

// need returns the estimate of Need for the session's job.
func (s *Session) need() float64 {
	minimal := &Session{Job: s.Job, threads: 1, auto: s.auto, verifyByNewton: s.verifyByNewton}
	return minimal.Memory(minimal.Sizes(), 1)
}

// autoMayUseNewton reports whether Finish is FinishAuto and may choose Newton's method. The other
// settings must permit Newton's method, there must be at most newton.MaxColumns columns, and a
// session that uses Newton's method must need at most MaxMemory bytes, or the default limit if
// MaxMemory is 0. The machine's free memory does not matter.
func (s *Session) autoMayUseNewton() bool {
	if s.Finish != settings.FinishAuto || s.Rows.X.Cols() > newton.MaxColumns || !s.CanNewton() {
		return false
	}
	may := &Session{Job: s.Job, auto: autoInputs{newton: true}}
	return may.need() <= float64(cmp.Or(s.MaxMemory, options.DefaultMaxMemory))
}

// checkMemory returns an error if the session needs more memory than allowed; it must be called
// before that memory is allocated. While the session does not fit, checkMemory halves the number of
// goroutines. The memory that remains decides whether rows are copied, how many problems of
// Newton's method have buffers at a time, and how many bytes of Hessians are kept. None of these
// decisions changes the results.
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

// memoryLimit returns how many bytes the session may allocate, and a phrase for error messages that
// states this limit.
func (s *Session) memoryLimit() (bytes float64, have string) {
	bytes = float64(cmp.Or(s.MaxMemory, options.Allowed)) / s.sessionsSharing()
	have = fmt.Sprintf("have %.0f MB", bytes/1e6)
	if s.MaxMemory > 0 { // the caller's limit holds however much memory is free
		return bytes, have
	}
	free := machine.Free()
	if free < bytes*s.sessionsSharing() && s.need() > free { // garbage may occupy memory
		runtime.GC()
		free = machine.Free()
	}
	if free /= s.sessionsSharing(); free < bytes {
		bytes, have = free, fmt.Sprintf("the machine has %.0f MB left", free/1e6)
	}
	return bytes, have
}

// alternatives returns a phrase for an error message that lists the other multi-class schemes that
// need at most limit bytes, with the megabytes that each needs. It returns "" if there are none, or
// for at most two classes.
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

// copyBytes estimates the total size in bytes of the copies of rows, in the order of visits, that
// rows.Set.Shuffle makes. It returns 0 if Shuffle makes no copies.
func (s *Session) copyBytes() float64 {
	total, err := s.Length(len(s.Rows.Y))
	if err != nil || total <= 2*int64(len(s.Rows.Y)) || s.Order != order.Shuffled ||
		s.Finish == settings.FinishNewton || s.plan.newton || s.plan.startsWithDual {
		return 0
	}
	return s.Rows.Copies(s.pairs())
}

// Sizes are the counts of vectors and rows on which a session's memory depends. They are float64 so
// that they can't overflow.
type Sizes struct {
	vectors float64
	rows    float64 // rows that each weight vector is trained on, summed over the vectors
	visited float64 // rows that each run visits, summed over the runs
	longest float64 // rows of the run with the most rows
}

// Sizes returns the counts for the session's problems.
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

// Memory estimates how many bytes a session with the sizes n needs besides the data and copies of
// rows. problems is the number of problems of Newton's method that have buffers at a time; up to
// s.Newtons.MaxKeptBytes bytes of Hessians are kept.
func (s *Session) Memory(n Sizes, problems int) float64 {
	x, rows := s.Rows.X, len(s.Rows.Y)
	perVector := 2.0  // float32 numbers per feature and weight vector: in v and in the model
	perRow := 0.0     // bytes per weight vector and row that it is trained on
	perVisited := 8.0 // bytes per run and row: two indices, for the order of visits and of the epoch
	perSet := 4.0     // bytes per row of the training set: its squared norm
	if s.pairs() {
		perVisited += 12 // the row's index in the training set, its class and its squared norm
		perSet += 4      // the row's index in the list of the rows of its class
	}
	if n.vectors > 1 {
		perVector += 2 // v as a row of the matrix of all vectors, and v interleaved with others
	}
	if s.Average == settings.LastHalf {
		perVector += 2
	}
	if s.Order != order.IID {
		perRow += 8 // two sums of the row's coefficients, in certificate.Windows
	}
	if s.HasSolver() || s.verifyByNewton {
		perVector++
		perRow += 16 // the row's dual variable, nextPass, streak and place in active: see package dual
		if s.Joint() {
			perRow -= 8 // all classes share the nextPass and the streak of a row
		}
	}
	if s.KeepState {
		perVector, perRow = 2*perVector, 2*perRow
	}
	if s.Patience > 0 {
		perVector++ // weights of the best point so far
	}
	if s.Prior != nil {
		perRow += 8 // the prior's score of the row
	}
	if s.ClassWeight == settings.Balanced || s.Rows.Weight != nil {
		perVisited += 8
	}
	newtons := 0.0 // bytes of buffers and shared data of Newton's method
	if s.MayUseNewton() {
		perVector += newton.PerVector
		perRow += newton.PerRow
		_, flat := s.LossFunc().Flat()
		flat = flat && s.Rows.Weight == nil && s.ClassWeight == "" && store.MayBePixels(x)
		newtons = newton.Memory(float64(problems), int(n.longest), x.Cols()) +
			newton.SharedMemory(n.vectors, rows, x.Cols(), x.Size(), flat, s.Newtons.MaxKeptBytes)
	}
	// Each learner that is measured has a float64 vector for the sum over the rows. If the rows are
	// summed in parts, each goroutine has another such vector.
	measured := min(n.vectors, float64(s.threads))
	if parts := s.Rows.Parts(); parts > 1 {
		measured += min(float64(s.threads), measured*float64(parts))
	}
	vector := 4 * float64(matrices.Stride(x.Cols()))
	return n.vectors*learnerSize + (n.vectors*perVector+2*measured)*vector + n.rows*perRow +
		n.visited*perVisited + perSet*float64(rows) + newtons
}

// compact adds a copy of the rows in a format of fewer bytes to s.Rows. It does so only if the
// values allow the format, and if the rows are large enough and visited often enough for the copy
// to save time. The results are the same to the bit.
func (s *Session) compact() {
	x, n := s.Rows.X, len(s.Rows.Y)
	steps, err := s.Length(n)
	if err != nil || s.Finish == settings.FinishNewton { // Newton's method makes few passes
		return
	}
	visits := float64(steps) / float64(n) // expected visits to each row
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
		// all classes visit an unpacked row together: see sgd.Group
	default:
		if x, ok := x.Compact(s.threads); ok {
			s.Rows.Compacted = x
		}
	}
}

// checkCosts returns an error if Costs is set and is not a valid cost matrix for CrammerSinger.
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
