package engine

import (
	"cmp"
	"context"

	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// New returns a session for the job. If the job has a Resume, the session has the state of the
// checkpoint; otherwise it has taken no steps.
func New(job Job) (*Session, error) {
	s := &Session{Job: job, threads: parallel.Threads(job.Threads)}
	s.Settings = s.InForce()
	if s.Scale != nil && !s.Scale.Changes() {
		s.Scale = nil
	}
	s.compact()
	s.Until = cmp.Or(s.Until, context.Background())
	s.Newtons.X, s.Newtons.Threads = s.Rows.Rows(), s.threads
	if err := s.Rows.Measure(); err != nil {
		return nil, err
	}
	if err := s.checkCosts(); err != nil {
		return nil, err
	}
	if k := len(s.Rows.Classes); s.pairs() && k > settings.MaxPairClasses {
		return nil, options.Bad("Multiclass", "have %q with %d classes, want at most %d with it",
			settings.OneVsOne, k, settings.MaxPairClasses)
	}
	s.setAutoInputs()
	s.plan = s.choosePlan()
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

// addRuns creates the session's runs: for one-vs-one, a run for each pair of classes that has rows,
// otherwise a single run over all rows. The goroutines of a single run are divided among its
// learners.
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
	r.threads = min(s.threads, len(r.Learners))
	r.innerThreads = s.threads / r.threads
	r.View.Threads = r.innerThreads
	for _, l := range r.Learners {
		l.View.Threads = r.innerThreads
	}
	return nil
}

// setAutoInputs sets s.auto, from which FinishAuto chooses solvers. It leaves s.auto zero unless
// FinishAuto may use Newton's method.
func (s *Session) setAutoInputs() {
	if s.autoMayUseNewton() {
		s.auto = autoInputs{store.DensityOf(s.Rows.X, s.Rows.Counted()),
			cmp.Or(s.Columns, s.Rows.X.Cols()), true}
	}
}
