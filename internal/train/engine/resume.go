package engine

import (
	"context"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/internal/options"
	"github.com/pegasimd/pegasimd/internal/train/checkpoint"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// Fingerprint returns that of the data, or, if until is done before it is known, nothing.
func (s *Session) Fingerprint(until context.Context) string {
	if s.hash == "" {
		s.hash = s.Rows.Fingerprint(s.PriorHash, s.threads, func() bool {
			return until.Err() != nil
		})
	}
	return s.hash
}

// arrays calls f with each long array of the session, in a fixed order. f may write to it.
func (s *Session) arrays(f func([]float32)) {
	for _, r := range s.Runs {
		for _, l := range r.Learners {
			l.Arrays(f)
			if l.Dual != nil {
				l.Dual.Arrays(f)
			}
		}
	}
	if b := s.stop.best; b != nil {
		for _, w := range b.Weights {
			f(w)
		}
	}
}

// Checkpoint returns the session's state.
func (s *Session) Checkpoint() *checkpoint.State {
	st := &checkpoint.State{Head: checkpoint.Head{
		Data: s.Fingerprint(context.Background()), Round: s.round, Ended: s.ended,
		Look: s.stop.look,
	}}
	if b := s.stop.best; b != nil {
		st.Best = &checkpoint.Best{Quality: s.stop.quality, Worse: s.stop.worse,
			Bias: slices.Clone(b.Bias), Result: b.Result.Header()}
	}
	for _, r := range s.Runs {
		generator, position := r.Order.Save()
		st.Runs = append(st.Runs, checkpoint.Run{Steps: r.T, Epoch: r.Epoch, Generator: generator,
			Position: position})
		for _, l := range r.Learners {
			k := checkpoint.Learner{Saved: l.State.Save(), Newtons: l.begins}
			switch l.phase() {
			case descending:
				k.Dual = l.Dual.Save()
			case iterating:
				k.Newton = &checkpoint.Newton{Start: l.Newton.start, Dual: l.Newton.dual,
					Past: l.Newton.Past()}
			}
			st.Learners = append(st.Learners, k)
		}
	}
	s.arrays(func(a []float32) {
		st.Lengths = append(st.Lengths, len(a))
		st.Arrays = append(st.Arrays, slices.Clone(a))
	})
	return st
}

// resume makes the session go on from a state. It trusts the state no more than it has to: the
// numbers can be any, but nothing may be out of range.
func (s *Session) resume() error {
	from := s.Resume
	if from.State == nil {
		return options.Bad("Resume", "the model has no state: it was not trained with KeepState")
	}
	if s.Start != nil {
		return options.Bad("Resume", "Start can't be set too")
	}
	if others := settings.Differences(from.Settings, s.Settings); others != "" {
		return options.Bad("Resume", "the run had other settings: %s", others)
	}
	if err := s.checkFingerprint(from.Data); err != nil {
		return err
	}
	if !s.resumeRuns(&from.Head) || !s.resumeStopping(&from.Head, from.Biases) ||
		!s.resumeArrays(from.Arrays) {
		return options.Bad("Resume", "the state is not one of such a run")
	}
	return nil
}

// checkFingerprint returns an error unless the data are those of a run with this fingerprint.
func (s *Session) checkFingerprint(run string) error {
	kind, hash, known := strings.Cut(run, ":")
	if !known {
		return options.Bad("Resume", "the state is of an earlier version, which knew the lengths of "+
			"the rows only: a run can start from its model, but can't go on")
	}
	haveKind, have, _ := strings.Cut(s.Fingerprint(context.Background()), ":")
	switch {
	case have != hash:
		return options.Bad("Resume", "the data are not those of the run: other rows, labels, "+
			"weights or prior, or another order")
	case haveKind != kind:
		return options.Bad("Resume", "the rows are those of the run, but %s, where they were %s: "+
			"that rounds differently", haveKind, kind)
	}
	return nil
}

// resumeRuns sets the runs and their learners but for their arrays. It reports whether they fit.
func (s *Session) resumeRuns(from *checkpoint.Head) bool {
	if len(from.Runs) != len(s.Runs) || from.Round < 0 {
		return false
	}
	s.round, s.ended = from.Round, from.Ended
	learners := from.Learners
	for i, r := range s.Runs {
		if !r.resume(&from.Runs[i]) {
			return false
		}
		for _, l := range r.Learners {
			if len(learners) == 0 || !r.resumeLearner(l, &learners[0]) {
				return false
			}
			learners = learners[1:]
		}
	}
	return len(learners) == 0
}

func (r *Run) resume(from *checkpoint.Run) bool {
	if from.Steps < 0 || from.Steps > r.Total ||
		int64(from.Epoch) != from.Steps/int64(r.Order.Steps) ||
		from.Epoch > r.s.round+1 || from.Epoch < r.s.round && from.Steps < r.Total ||
		!r.Order.Restore(from.Generator, from.Position) {
		return false
	}
	r.T, r.Epoch = from.Steps, from.Epoch
	return true
}

// resumeLearner sets a learner but for its arrays, for which it makes room.
func (r *Run) resumeLearner(l *Learner, from *checkpoint.Learner) bool {
	if !l.RestoreStep(&from.Saved) || from.Newtons < 0 ||
		r.s.Shards <= 1 && l.Done() != r.T { // all learners of a run are at its step
		return false
	}
	if from.Dual != nil {
		if l.Dual = r.newDual(l, nil, r.s.plan.means); !r.s.Finishes() ||
			!l.Dual.Restore(from.Dual, r.Epoch) {
			return false
		}
	}
	if from.Newton != nil && !r.resumeNewton(l, from.Newton) {
		return false
	}
	l.begins = from.Newtons
	return l.Restore(&from.Saved)
}

// resumeNewton makes a learner one of Newton's method, which will do its iterations again when
// their result is asked for. It reports whether they can be those of the run.
func (r *Run) resumeNewton(l *Learner, from *checkpoint.Newton) bool {
	if l.Joint != nil || !r.s.MayNewton() || from.Start < l.Start || from.Start > l.T ||
		!from.Fits(r.Epoch) {
		return false
	}
	if from.Dual {
		l.BeginDual(r.s.plan.means)
	}
	r.startNewton(l, from.Start)
	l.Newton.dual = from.Dual
	l.Newton.Repeat(from.Past, r.s.threads/max(r.threads, len(r.s.Runs)))
	return true
}

// resumeStopping sets what is known from former tests. Biases is how many the model has.
func (s *Session) resumeStopping(from *checkpoint.Head, biases int) bool {
	s.stop.look = from.Look
	b := from.Best
	if b == nil {
		return true
	}
	if s.Quality == nil || b.Result == nil || len(b.Bias) != biases {
		return false
	}
	best := s.Now()
	best.Bias, best.Result = b.Bias, b.Result.Result()
	s.stop.best, s.stop.quality, s.stop.worse = best, b.Quality, b.Worse
	return true
}

// resumeArrays copies the long arrays.
func (s *Session) resumeArrays(arrays [][]float32) bool {
	fit := true
	s.arrays(func(a []float32) {
		if !fit || len(arrays) == 0 || len(arrays[0]) != len(a) {
			fit = false
			return
		}
		copy(a, arrays[0])
		arrays = arrays[1:]
	})
	return fit && len(arrays) == 0
}
