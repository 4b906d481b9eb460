package engine

import (
	"context"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/rows"
)

// Train trains to the end and returns what has come of it, measured, or, stopped, where the session
// was when ctx was done or it was time to pause. That is not measured if ctx is done only then.
func (s *Session) Train(ctx context.Context) (m *Point, stopped bool, err error) {
	if stopped, err = s.advance(ctx); err != nil {
		return nil, false, err
	}
	if m = s.proven; m == nil || stopped {
		m = s.Now()
	}
	if !stopped && s.Quality != nil {
		s.validate(m)
		m = s.stop.best
	}
	if !m.finite() {
		return nil, false, s.failed("a weight")
	}
	if s.KeepState {
		s.Fingerprint(context.Background()) // a checkpoint has it, whatever is interrupted later
	}
	if stopped {
		return m, true, nil
	}
	s.mayCut = true
	s.settle(m)
	s.mayCut = false
	if ctx.Err() != nil {
		m.Result.Unmeasure()
		return m, true, nil
	}
	if !floats.IsFinite(m.Result.Objective) {
		return nil, false, s.failed("the objective")
	}
	if err := m.Result.Check(); err != nil {
		return nil, false, err
	}
	return m, false, nil
}

// finite reports whether all numbers are.
func (p *Point) finite() bool {
	for k, w := range p.Weights {
		if floats.FirstNotFinite(w) >= 0 || !floats.IsFinite(p.bias(k)) {
			return false
		}
	}
	return true
}

func (s *Session) failed(what string) error {
	var t int64
	for _, r := range s.Runs {
		t = max(t, r.T)
	}
	return &iterate.Error{Step: t, Row: -1, Reason: what + " is not finite: " + rows.TooLarge}
}

// pause returns the step to pause after.
func (s *Session) pause() int64 {
	if s.Pause == 0 {
		return math.MaxInt64
	}
	return s.Pause
}

// advance runs to the end, or until ctx is done: then it is stopped.
func (s *Session) advance(ctx context.Context) (stopped bool, err error) {
	s.Until, s.Newtons.Until = ctx, ctx
	if !s.readyNewtons() {
		return true, nil
	}
	if err := s.begin(ctx); err != nil {
		return false, err
	}
	if s.ended { // and what came after the steps was interrupted
		s.report()
		return false, nil
	}
	for {
		if err := s.advanceRuns(ctx, func(r *Run) (bool, int64) {
			return r.Epoch == s.round, s.pause()
		}); err != nil {
			return false, err
		}
		if s.cut() {
			return true, nil // the round is not over
		}
		done, pause := true, true
		for _, r := range s.Runs {
			if r.T < r.Total {
				done = false
				if r.Epoch == s.round { // ctx was done within its epoch, or it is time to pause
					return true, nil
				}
				pause = pause && r.T >= s.pause()
			}
		}
		s.round++
		s.ended = !done && s.enough()
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

// advanceRuns advances the runs that are due, each up to some step.
func (s *Session) advanceRuns(ctx context.Context, due func(r *Run) (bool, int64)) error {
	errs := make([]error, len(s.Runs))
	s.parallel(func(i int, r *Run) {
		if due, to := due(r); due {
			errs[i] = r.Advance(ctx, to)
		}
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// begin trains up to the last report within the first epoch, or not even so far if ctx is done or
// it is time to pause.
func (s *Session) begin(ctx context.Context) error {
	if s.Progress == nil {
		return nil
	}
	for _, part := range s.Early {
		before := s.steps()
		if err := s.advanceRuns(ctx, func(r *Run) (bool, int64) {
			step := int64(part * float64(r.Order.Steps))
			return step < min(int64(r.Order.Steps), r.Total), min(step, s.pause())
		}); err != nil || ctx.Err() != nil {
			return err
		}
		// Shards synchronise at fixed steps, which may be the epoch's end: that is reported when
		// all runs are there.
		ended := slices.ContainsFunc(s.Runs, func(r *Run) bool { return r.Epoch > 0 })
		if s.steps() > before && !ended {
			s.report()
		}
	}
	return nil
}

// steps returns how many the runs have taken, all together.
func (s *Session) steps() (n int64) {
	for _, r := range s.Runs {
		n += r.T
	}
	return n
}

// report calls the callback.
func (s *Session) report() {
	if s.Progress == nil {
		return
	}
	p := Progress{Epoch: s.round, Steps: s.steps()}
	for _, r := range s.Runs {
		p.TotalSteps += r.Total
		for _, l := range r.Learners {
			p.Violations += l.Violations
		}
	}
	s.Progress(p)
}
