package engine

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/internal/train/checkpoint"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// Fingerprint includes the prior's hash. It returns "" if until is done first.
func (s *Session) Fingerprint(until context.Context) string {
	if s.hash == "" {
		s.hash = s.Rows.Fingerprint(scale.Raw(s.Rows.X), s.PriorHash, s.Threads, func() bool {
			return until.Err() != nil
		})
	}
	return s.hash
}

func (s *Session) stateData() string {
	data := s.Fingerprint(context.Background())
	if s.Costs != nil {
		data += fmt.Sprintf(":%x", sha256.Sum256(fmt.Append(nil, s.Costs)))
	}
	return data
}

// arrays calls f with each long array of a checkpoint, in a fixed order. f may change the array.
func (s *Session) arrays(f func([]float32)) {
	for _, l := range s.learners() {
		l.Arrays(f)
		if l.Dual != nil {
			l.Dual.Arrays(f)
		}
	}
	if b := s.stop.best; b != nil {
		for _, w := range b.Weights {
			f(w)
		}
	}
}

func (s *Session) Checkpoint() *checkpoint.State {
	st := &checkpoint.State{Head: checkpoint.Head{
		Data: s.stateData(), Round: s.round, Ended: s.ended, NextCheck: s.stop.nextCheck,
	}}
	if b := s.stop.best; b != nil {
		st.Best = &checkpoint.Best{Quality: s.stop.quality, SinceBest: s.stop.sinceBest,
			Bias: slices.Clone(b.Bias), Result: b.Result.Header()}
	}
	for _, r := range s.Runs {
		generator, position := r.Order.Save()
		st.Runs = append(st.Runs, checkpoint.Run{Steps: r.T, Epoch: r.Epoch, Generator: generator,
			Position: position})
		for _, l := range r.Learners {
			k := checkpoint.Learner{Saved: l.State.Save(), NewtonStarts: l.newtonStarts}
			switch l.phase() {
			case descending:
				k.Dual = l.Dual.Save()
			case iterating:
				k.Newton = &checkpoint.Newton{Start: l.newtonStart, Dual: l.afterDual,
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

// resume restores the state of s.Resume. A damaged checkpoint may give weights, biases and dual
// variables any values.
func (s *Session) resume() error {
	from := s.Resume
	if from.State == nil {
		return options.Bad("Resume",
			"the model has no state to resume from: want a model trained with %s",
			options.Name("KeepState"))
	}
	if s.Start != nil {
		return options.Bad("Resume", "can't be combined with %s", options.Name("Start"))
	}
	if err := settings.Differences(from.Settings, s.Settings, s.Scale.TargetUnit()); err != nil {
		return err
	}
	if err := s.checkFingerprint(from.Data); err != nil {
		return err
	}
	if len(from.Runs) == len(s.Runs) {
		for i, r := range s.Runs {
			if at := from.Runs[i].Steps; at > r.Total {
				return options.Bad("Resume", "the run to resume is at step %d, but this run would end at "+
					"step %d: want a longer run", at, r.Total)
			}
		}
	}
	if !s.resumeRuns(&from.Head) || !s.resumeStopping(&from.Head) ||
		!s.resumeArrays(from.Arrays) {
		return options.Bad("Resume",
			"the model's state does not fit: it may be damaged, or from a run with another %s",
			options.Name("MaxMemory"))
	}
	return nil
}

func (s *Session) checkFingerprint(fingerprint string) error {
	kind, hash, _ := strings.Cut(fingerprint, ":")
	haveKind, have, _ := strings.Cut(s.stateData(), ":")
	hash, costs, _ := strings.Cut(hash, ":")
	have, haveCosts, _ := strings.Cut(have, ":")
	switch {
	case have != hash:
		return options.Bad("Resume", "the data are not those of the run to resume: other "+
			"rows, labels, weights or prior, or another order")
	case haveCosts != costs:
		return options.Bad("Resume", "the run to resume had other %s", options.Name("Costs"))
	case haveKind != kind:
		name := strings.NewReplacer("other", "user-defined").Replace
		return options.Bad("Resume", "the rows are %s, but were %s in the run to resume, "+
			"which changes how sums are rounded: give %[2]s rows", name(haveKind), name(kind))
	}
	return nil
}

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
	for _, r := range s.Runs {
		if r.T < r.Total { // an epoch within which the run had ended is now incomplete
			s.round = min(s.round, r.Epoch)
		}
	}
	return len(learners) == 0
}

func (r *Run) resume(from *checkpoint.Run) bool {
	ended := from.Steps == r.s.Resume.Settings.Steps // perhaps within an epoch
	if from.Steps < 0 || from.Steps > r.Total ||
		int64(from.Epoch) != from.Steps/int64(r.Order.Steps) ||
		from.Epoch < r.s.round && from.Steps < r.Total && !ended ||
		!r.Order.Restore(from.Generator, from.Position) {
		return false
	}
	r.T, r.Epoch = from.Steps, from.Epoch
	return true
}

// resumeLearner allocates the long arrays, which resumeArrays fills.
func (r *Run) resumeLearner(l *Learner, from *checkpoint.Learner) bool {
	if !l.RestoreStep(&from.Saved) || from.NewtonStarts < 0 || l.Done() != r.T {
		return false
	}
	if from.Dual != nil {
		if l.Dual = r.newDual(l, nil, r.s.plan.averages); !r.s.HasSolver() ||
			!l.Dual.Restore(from.Dual, r.Epoch) {
			return false
		}
	}
	if from.Newton != nil && !r.resumeNewton(l, from.Newton) {
		return false
	}
	l.newtonStarts = from.NewtonStarts
	return l.Restore(&from.Saved)
}

// Newton's method repeats its iterations when a result is first needed.
func (r *Run) resumeNewton(l *Learner, from *checkpoint.Newton) bool {
	if l.Joint != nil || !r.s.MayUseNewton() || from.Start < l.Start || from.Start > l.T ||
		!from.Fits(r.Epoch) {
		return false
	}
	if from.Dual {
		l.BeginDual(r.s.plan.averages)
	}
	r.startNewton(l, from.Start)
	l.afterDual = from.Dual
	l.Newton.Repeat(from.Past, r.s.Threads/max(r.threads, len(r.s.Runs)))
	return true
}

func (s *Session) resumeStopping(from *checkpoint.Head) bool {
	s.stop.nextCheck = from.NextCheck
	b := from.Best
	if b == nil {
		return true
	}
	best := s.Now()
	if s.Quality == nil || b.Result == nil || len(b.Bias) != len(best.Bias) {
		return false
	}
	best.Bias, best.Result = b.Bias, b.Result.Unpack()
	s.stop.best, s.stop.quality, s.stop.sinceBest = best, b.Quality, b.SinceBest
	return true
}

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
