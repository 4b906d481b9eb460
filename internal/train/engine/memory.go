package engine

import (
	"cmp"
	"fmt"
	"math"
	"runtime"

	"github.com/pegasimd/pegasimd/internal/base/order"
	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/sys/machine"
	"github.com/pegasimd/pegasimd/internal/train/dual"
	"github.com/pegasimd/pegasimd/internal/train/newton"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/internal/train/settings"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
)

// approximate bytes of a learner, without weight vectors and arrays by row
const learnerSize = 2048

// Need estimates the bytes that the job needs besides the data, with one goroutine and without
// copies of rows. It must not depend on the machine.
func Need(job Job) float64 {
	s := &Session{Job: job}
	s.Settings = s.InForce()
	s.plan.mayNewton = s.autoMayUseNewton()
	return s.need()
}

func (s *Session) need() float64 {
	minimal := &Session{Job: s.Job, plan: s.plan, verifyByNewton: s.verifyByNewton}
	minimal.Threads = 1
	return minimal.Memory(1)
}

// autoMayUseNewton reports whether FinishAuto is set and may choose Newton's method. With it, the
// session must need at most MaxMemory bytes or, if that is 0, the default limit: free memory must
// not change the model.
func (s *Session) autoMayUseNewton() bool {
	if s.Finish != settings.FinishAuto || s.Rows.X.Cols() > newton.MaxColumns || !s.CanNewton() {
		return false
	}
	may := &Session{Job: s.Job, plan: plan{mayNewton: true}}
	may.KeepState = s.KeepState || s.Resume != nil // as in the run to resume
	return may.need() <= float64(cmp.Or(s.MaxMemory, options.DefaultMaxMemory))
}

func (s *Session) MayUseNewton() bool {
	return s.Finish == settings.FinishNewton || s.Finish == settings.FinishAuto && s.plan.mayNewton ||
		s.verifyByNewton
}

// checkMemory returns an error if the session needs more memory than allowed. It reduces
// goroutines, copies of rows, Newton's buffers and kept Hessians until they fit. The results stay
// the same.
func (s *Session) checkMemory() error {
	limit, have := s.memoryLimit()
	s.Newtons.MaxKeptBytes = 0
	for s.Threads > 1 && s.Memory(1) > limit {
		s.Threads /= 2
	}
	need := s.Memory(1)
	vectors, rows, _, _ := s.sizes()
	if need > limit {
		others, args := s.alternatives(limit)
		with := plural.Count(int(math.Round(rows/vectors)), "row")
		if s.pairs() {
			with = "about " + with
		}
		if vectors > 1 {
			with += " each"
		}
		return options.Bad("MaxMemory", "%s, but %s of %s, with %s, would take %.6g MB beside the data"+
			others, append([]any{have, plural.Count(int(vectors), "weight vector"),
			plural.Count(s.Rows.X.Cols(), "feature"), with, need / 1e6}, args...)...)
	}
	machine.Expect(need)
	left := max(0, min(limit, machine.Spare()/float64(s.Share))-need)
	set := *s.Rows
	s.Rows = &set
	set.NoCopies = s.copyBytes() > left
	if !set.NoCopies {
		left -= s.copyBytes()
	}
	if s.MayUseNewton() {
		one := s.Memory(2) - need
		s.Newtons.MaxBuffers = int(max(1, min(1+left/one, vectors, float64(s.Threads))))
		left = max(0, left-float64(s.Newtons.MaxBuffers-1)*one)
		s.Newtons.MaxKeptBytes = int(min(left, float64(newton.MaxKeptBytes))) + 1
	}
	return nil
}

func (s *Session) memoryLimit() (bytes float64, have string) {
	bytes = float64(cmp.Or(s.MaxMemory, options.Allowed)) / float64(s.Share)
	have = fmt.Sprintf("have %.6g MB left", bytes/1e6)
	if s.MaxMemory > 0 { // the limit holds however much memory is free
		return bytes, have
	}
	free := machine.Free()
	if free < bytes*float64(s.Share) && s.need() > free { // garbage may occupy memory
		runtime.GC()
		free = machine.Free()
	}
	if free /= float64(s.Share); free < bytes {
		bytes, have = free, fmt.Sprintf("the machine or control group has %.6g MB beside what this "+
			"program uses", free/1e6)
	}
	return bytes, have
}

// alternatives lists other multi-class schemes that need at most limit bytes; none if costs or
// another model require the present scheme.
func (s *Session) alternatives(limit float64) (format string, args []any) {
	if len(s.Rows.Classes) <= 2 || s.Costs != nil || s.Start != nil || s.Prior != nil ||
		s.Resume != nil {
		return "", nil
	}
	for _, scheme := range []string{settings.OneVsOne, settings.OneVsRest, settings.CrammerSinger} {
		job := s.Job
		job.Multiclass = scheme
		if _, err := job.Vectors(len(job.Rows.Classes)); scheme == s.Multiclass || err != nil ||
			job.Validate() != nil {
			continue
		}
		if need := Need(job); need <= limit {
			format += "; with %s %q %.6g MB"
			args = append(args, options.Name("Multiclass"), scheme, need/1e6)
		}
	}
	return format, args
}

func (s *Session) copyBytes() float64 {
	total, err := s.Length(len(s.Rows.Y))
	if err != nil || total <= store.MinCopyEpochs*int64(len(s.Rows.Y)) || s.Order != order.Shuffled ||
		s.Finish == settings.FinishNewton || s.plan.newton || s.plan.startsWithDual {
		return 0
	}
	return s.Rows.Copies(s.pairs())
}

// sizes returns the number of weight vectors; rows, the sum of their numbers of training rows;
// visited, the sum of the runs' numbers of rows; and longest, the largest number of rows of a run.
// float64 can't overflow.
func (s *Session) sizes() (vectors, rows, visited, longest float64) {
	n, _ := s.Vectors(len(s.Rows.Classes))
	vectors = float64(n)
	if !s.pairs() {
		all := float64(len(s.Rows.Y))
		return vectors, vectors * all, all, all
	}
	count := s.Rows.CountClasses()
	for _, pair := range s.Parts(len(count)) {
		of := float64(count[pair[0]] + count[pair[1]])
		visited += of
		longest = max(longest, of)
	}
	return vectors, visited, visited, longest
}

// Memory estimates the bytes that the session needs besides the data and copies of rows. problems
// is the number of problems that have Newton buffers at a time.
func (s *Session) Memory(problems int) float64 {
	x, set := s.Rows.X, len(s.Rows.Y)
	vectors, rows, visited, longest := s.sizes()
	perVector := 2.0  // float32 numbers per feature and weight vector: v and the model
	perRow := 0.0     // bytes per weight vector and row of its training
	perVisited := 8.0 // bytes per run and row: View.Only and order.Visits
	perSet := 4.0     // bytes per row of the training set: squared norm
	if s.pairs() {
		perVisited += 12 // index in the training set, class and squared norm
		perSet += 4      // index in the list of the rows of its class
	}
	if vectors > 1 {
		perVector += 2 // v in the matrix of all vectors, and v interleaved
	}
	if s.Average == settings.LastHalf {
		perVector += 2
	}
	if s.Order != order.IID {
		perRow += 8 // two sums in certificate.Windows
	}
	if s.HasSolver() || s.verifyByNewton {
		perVector++
		perRow += 16 // dual variable, nextPass, streak and active in package dual
		if s.Joint() {
			perRow -= 8 // all classes share nextPass and streak
		}
	}
	faces := 0.0 // bytes: see package dual
	if s.HasSolver() && !s.Joint() && !s.Kind().Traits().Entropy || s.verifyByNewton {
		faces = min(vectors, float64(s.Threads)) * dual.FaceBytes(longest, float64(x.Cols()))
	}
	if s.KeepState {
		perVector, perRow = 2*perVector, 2*perRow
	}
	if s.Patience > 0 {
		perVector++ // best point so far
	}
	if s.Prior != nil {
		perRow += 8 // the prior's score
	}
	if s.ClassWeight == settings.Balanced || s.Rows.Weight != nil {
		perVisited += 8
	}
	newtons := 0.0 // bytes
	if s.MayUseNewton() {
		perVector += newton.PerVector
		perRow += newton.PerRow
		flat := s.Kind().Traits().Flat > 0 && s.Rows.Weight == nil && s.ClassWeight == "" &&
			store.MayBePixels(x)
		newtons = newton.Memory(float64(problems), int(longest), x.Cols()) +
			newton.SharedMemory(vectors, set, x.Cols(), x.Size(), flat, s.Newtons.MaxKeptBytes)
	}
	// A measured learner sums the rows in a float64 vector. If it sums them in parts, each
	// goroutine has another.
	measured := min(vectors, float64(s.Threads))
	if parts := s.Rows.Parts(); parts > 1 {
		measured += min(float64(s.Threads), measured*float64(parts))
	}
	vector := 4 * float64(matrices.Stride(x.Cols()))
	return vectors*learnerSize + (vectors*perVector+2*measured)*vector + rows*perRow +
		visited*perVisited + perSet*float64(set) + newtons + faces
}
