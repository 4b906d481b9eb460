package engine

import (
	"cmp"
	"context"
	"math"

	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// New returns a session in the state of job.Resume, if any, else before the first step.
func New(job Job) (*Session, error) {
	s := &Session{Job: job}
	s.Threads, s.Share = parallel.Threads(s.Threads), max(1, s.Share)
	s.Pause = cmp.Or(s.Pause, math.MaxInt64)
	s.Settings = s.InForce()
	if s.Scale != nil && !s.Scale.Changes() {
		s.Scale = nil
	}
	s.compact()
	s.Until = cmp.Or(s.Until, context.Background())
	s.Newtons.X, s.Newtons.Threads = s.Rows.Rows(), s.Threads
	if err := s.Rows.Measure(); err != nil {
		return nil, err
	}
	if err := s.checkCosts(); err != nil {
		return nil, err
	}
	if k := len(s.Rows.Classes); s.pairs() && k > settings.MaxPairClasses {
		return nil, options.Bad("Multiclass", "have %q with %d classes, but it allows at most %d",
			settings.OneVsOne, k, settings.MaxPairClasses)
	}
	s.choosePlan()
	if err := s.checkMemory(); err != nil {
		return nil, err
	}
	if err := s.Until.Err(); err != nil {
		return nil, err
	}
	if err := s.addRuns(); err != nil {
		return nil, err
	}
	if s.Resume != nil {
		return s, s.resume()
	}
	return s, nil
}

// A pair without rows gets no run.
func (s *Session) addRuns() error {
	for k, pair := range s.Parts(len(s.Rows.Classes)) {
		r, err := s.newRun(pair, k)
		if err != nil {
			return err
		}
		if r != nil {
			s.Runs = append(s.Runs, r)
		}
	}
	if s.pairs() || len(s.Runs) == 0 {
		return nil
	}
	r := s.Runs[0]
	r.threads = min(s.Threads, len(r.Learners))
	r.innerThreads = s.Threads / r.threads
	r.View.Threads = r.innerThreads
	for _, l := range r.Learners {
		l.View.Threads = r.innerThreads
	}
	return nil
}

func (s *Session) checkCosts() error {
	classes, of := len(s.Rows.Classes), ""
	if s.Rows.Weight != nil {
		of = " of rows with a weight above 0"
	}
	switch {
	case s.Costs == nil:
		return nil
	case s.Multiclass != settings.CrammerSinger:
		return options.Bad("Costs", "they are for %s %q, but %s is %q",
			options.Name("Multiclass"), settings.CrammerSinger, options.Name("Multiclass"), s.Multiclass)
	case len(s.Costs) != classes:
		return options.Bad("Costs", "have %s, want one for each of the %d classes%s",
			plural.Count(len(s.Costs), "row"), classes, of)
	}
	for y, row := range s.Costs {
		if len(row) != classes {
			return options.Bad("Costs",
				"row %d has %s, want one for each of the %d classes%s", y,
				plural.Count(len(row), "number"), classes, of)
		}
		for r, c := range row {
			if r == y && c != 0 || r != y && !(c > 0 && c <= math.MaxFloat32) {
				return options.Bad("Costs",
					"have %v in row %d, column %d (counted from 0), want 0 on the diagonal and positive "+
						"numbers of at most 3.4e38 elsewhere", c, y, r)
			}
		}
	}
	return nil
}

// compact adds a copy of the rows in fewer bytes if that saves time. The results stay the same.
func (s *Session) compact() {
	x, n := s.Rows.X, len(s.Rows.Y)
	steps, err := s.Length(n)
	if err != nil || s.Finish == settings.FinishNewton {
		return
	}
	visits := float64(steps) / float64(n)
	if k := float64(len(s.Rows.Classes)); s.pairs() {
		if s.Steps == 0 {
			visits *= k - 1 // a row is in k-1 pairs, each of which trains for all epochs
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
		if x, ok := x.Compact(s.Threads); ok {
			s.Rows.Compacted = x
		}
	}
}
