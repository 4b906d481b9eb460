package engine

import (
	"cmp"

	"github.com/pegasimd/pegasimd/internal/options"
	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/internal/train/choose"
	"github.com/pegasimd/pegasimd/internal/train/newton"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// New returns the session of a job, before its first step or where it was left off.
func New(job Job) (*Session, error) {
	s := &Session{Job: job, threads: parallel.Threads(job.Threads)}
	s.Settings = s.InForce()
	s.compact()
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
	if err := s.checkMemory(); err != nil {
		return nil, err
	}
	if err := s.interrupted(); err != nil {
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

// addRuns makes the runs, of the pairs of classes that have rows: see untrained for the others. The
// threads of a run that is alone are divided among its learners.
func (s *Session) addRuns() error {
	if s.pairs() {
		count := s.Rows.CountClasses()
		for k, pair := range settings.Pairs(len(count)) {
			if count[pair[0]]+count[pair[1]] > 0 {
				r, err := s.newRun(pair[:], k)
				if err != nil {
					return err
				}
				r.inner = 1
				s.Runs = append(s.Runs, r)
			}
		}
		return nil
	}
	r, err := s.newRun(nil, 0)
	if err != nil {
		return err
	}
	r.threads = min(s.threads, len(r.Learners))
	r.inner = s.threads / r.threads
	for _, l := range r.Learners {
		if l.shards != nil {
			l.shards.Threads = max(1, min(s.threads/len(r.Learners), s.Shards))
		}
	}
	s.Runs = []*Run{r}
	return nil
}

// setAuto finds what FinishAuto goes by.
func (s *Session) setAuto() {
	if s.Finish != settings.FinishAuto || s.Rows.X.Cols() > newton.MostColumns || !s.CanNewton() {
		return
	}
	s.auto = autoFinish{store.DensityOf(s.Rows.X, choose.Counted(s.Rows.Weight)),
		cmp.Or(s.Columns, s.Rows.X.Cols()), true}
	s.auto.newton = s.checkMemory() == nil
}
