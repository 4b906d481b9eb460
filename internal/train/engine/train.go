package engine

import (
	"cmp"
	"context"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
)

// Train advances the session to its end, and returns and measures the last point or, with Quality,
// the best checked point. If the session pauses, or if ctx is done before the point is measured,
// stopped is true and the point's objective and bound are NaN.
func (s *Session) Train(ctx context.Context) (m *Point, stopped bool, err error) {
	if stopped, err = s.advance(ctx); err != nil {
		return nil, false, err
	}
	if m = s.proven; m == nil || stopped {
		m = s.Now()
	}
	if !stopped && s.Quality != nil {
		s.recordQuality(m)
		m = s.stop.best
	}
	if !m.finite() {
		return nil, false, s.notFinite("a weight")
	}
	if s.KeepState {
		s.Fingerprint(context.Background()) // for a checkpoint, even if ctx is done
	}
	if stopped {
		return m, true, nil
	}
	s.abandonable = true
	s.measureAndReplace(m)
	s.abandonable = false
	if ctx.Err() != nil {
		m.Result.Unmeasure()
		return m, true, nil
	}
	if !floats.IsFinite(m.Result.Objective) {
		return nil, false, s.notFinite("the objective")
	}
	if err := m.Result.Check(); err != nil {
		return nil, false, err
	}
	return m, false, nil
}

func (s *Session) notFinite(what string) error {
	var t int64
	for _, r := range s.Runs {
		t = max(t, r.T)
	}
	return &iterate.Error{Step: t, Row: -1, Reason: what + " is not finite: " + store.TooLarge}
}

// stopped is true if ctx was done or the session paused before the end.
func (s *Session) advance(ctx context.Context) (stopped bool, err error) {
	s.Until, s.Newtons.Context = ctx, ctx
	if !s.replayNewton() {
		return true, nil
	}
	if err := s.trainEarlyParts(ctx); err != nil {
		return false, err
	}
	if s.ended || s.finished() { // a resumed session that had reached its end
		s.report()
		return false, nil
	}
	for {
		if err := s.advanceRuns(ctx, func(r *Run) (bool, int64) {
			return r.Epoch == s.round, s.Pause
		}); err != nil {
			return false, err
		}
		if s.newtonInterrupted() {
			return true, nil
		}
		done, pause := true, true
		for _, r := range s.Runs {
			if r.T < r.Total {
				done = false
				if r.Epoch == s.round { // ctx was done during the epoch, or the run pauses
					return true, nil
				}
				pause = pause && r.T >= s.Pause
			}
		}
		s.round++
		s.ended = !done && s.shouldStop()
		if s.undecided {
			s.round--
			return true, nil
		}
		s.report()
		if done || s.ended {
			return false, nil
		}
		if pause || ctx.Err() != nil {
			return true, nil
		}
	}
}

func (s *Session) finished() bool {
	for _, r := range s.Runs {
		epoch := int64(r.Order.Steps)
		if r.T < r.Total || int64(s.round) < (r.T+epoch-1)/epoch {
			return false
		}
	}
	return true
}

func (s *Session) advanceRuns(ctx context.Context, due func(r *Run) (bool, int64)) error {
	errs := make([]error, len(s.Runs))
	s.parallel(func(i int, r *Run) {
		if due, to := due(r); due {
			errs[i] = r.Advance(ctx, to)
		}
	})
	return cmp.Or(errs...)
}

// trainEarlyParts does nothing without a Progress callback.
func (s *Session) trainEarlyParts(ctx context.Context) error {
	if s.Progress == nil {
		return nil
	}
	for _, part := range s.Early {
		before := s.steps()
		if err := s.advanceRuns(ctx, func(r *Run) (bool, int64) {
			step := int64(part * float64(r.Order.Steps))
			return step < min(int64(r.Order.Steps), r.Total), min(step, s.Pause)
		}); err != nil || ctx.Err() != nil {
			return err
		}
		if s.steps() > before {
			s.report()
		}
	}
	return nil
}

func (s *Session) steps() (n int64) {
	for _, r := range s.Runs {
		n += r.T
	}
	return n
}

func (s *Session) report() {
	if s.Progress == nil {
		return
	}
	p := Progress{Epoch: s.round, Steps: s.steps()}
	for _, r := range s.Runs {
		p.TotalSteps += r.Total
	}
	for _, l := range s.learners() {
		p.Violations += l.Violations
	}
	s.Progress(p)
}
