package engine

import (
	"cmp"
	"context"

	"github.com/pegasimd/pegasimd/internal/options"
	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// New returns the session of a job, before its first step or where it was left off.
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
		return nil, options.Bad("Multiclass", "have %q, want at most %d classes for that, not %d",
			settings.OneVsOne, settings.MaxPairClasses, k)
	}
	s.setAuto()
	s.plan = s.planned()
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

// addRuns makes the runs of the parts that have rows. The threads of the one of all rows are
// divided among its learners.
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
	r.inner = s.threads / r.threads
	r.View.Threads = r.inner
	for _, l := range r.Learners {
		l.View.Threads = r.inner
		if l.shards != nil {
			l.shards.Threads = max(1, min(s.threads/len(r.Learners), s.Shards))
		}
	}
	return nil
}

// setAuto finds what FinishAuto goes by.
func (s *Session) setAuto() {
	if s.mayAuto() {
		s.auto = autoFinish{store.DensityOf(s.Rows.X, s.Rows.Counted()),
			cmp.Or(s.Columns, s.Rows.X.Cols()), true}
	}
}
