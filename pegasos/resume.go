package pegasos

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/internal/modelfile"
	"github.com/pegasimd/pegasimd/internal/options"
	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/internal/train/dual"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/newton"
)

// ErrPaused is what Train returns, along with the model, when it ends at Trainer.Pause.
var ErrPaused = errors.New("pegasos: the run is paused")

// A State is all that is needed to take up a run where it was left off, beside the data and the
// Config: see Trainer.KeepState and Trainer.Resume. It is part of the model's file.
type State struct {
	saved  saved
	arrays [][]float32 // in the order of session.arrays
}

// Steps returns how many the run had taken, as in [Progress].
func (st *State) Steps() (n int64) {
	for _, r := range st.saved.Runs {
		n += r.Steps
	}
	return n
}

// Data returns a fingerprint of the rows, labels, weights and prior of the run.
func (st *State) Data() string { return st.saved.Data }

// Size returns how many numbers the state has beside those of the model.
func (st *State) Size() (n int) {
	for _, a := range st.arrays {
		n += len(a)
	}
	return n
}

// saved is the part of a State that is no long array, as it is in files.
type saved struct {
	Data      string         `json:"data"`   // fingerprint
	Arrays    []int          `json:"arrays"` // the arrays' lengths
	Round     int            `json:"round"`
	Ended     bool           `json:"ended,omitempty"` // by a rule, before its last step
	Again     bool           `json:"again,omitempty"` // it may be tried once more: see again.go
	Look      int            `json:"look"`
	Objective *float64       `json:"objective,omitempty"` // at the last test
	Best      *savedBest     `json:"best,omitempty"`
	Runs      []savedRun     `json:"runs"`
	Learners  []savedLearner `json:"learners"` // of all runs
}

type savedBest struct {
	Quality float64       `json:"quality"`
	Worse   int           `json:"worse"`
	Bias    []float64     `json:"bias,omitempty"`
	Result  *headerResult `json:"result"`
}

type savedRun struct {
	Steps int64 `json:"steps"`
	Epoch int   `json:"epoch"`
	// of the epoch's start, unless it is over or the order is IID
	Generator []byte `json:"generator"`
	Position  int    `json:"position"` // in the epoch
}

type savedLearner struct {
	Start      int64     `json:"start"`
	Began      []float64 `json:"began,omitempty"` // the biases of the model that it started from
	Steps      int64     `json:"steps"`           // those of the start included
	Violations int64     `json:"violations"`
	Checked    int64     `json:"checked"`
	VB         []float64 `json:"vb"`
	Factor     float64   `json:"factor"`
	Norm2      float64   `json:"norm2"`

	// Of the average.
	Shift uint          `json:"shift"`
	Old   *savedScalars `json:"old,omitempty"`
	Cur   *savedScalars `json:"cur,omitempty"`

	// Of the certificate, and what takes its place later.
	Recent         bool  `json:"recent"`
	RecentStart    int64 `json:"recent_start"`
	RecentOldStart int64 `json:"recent_old_start"`

	Ascent  *savedAscent `json:"ascent,omitempty"`
	Newton  *savedNewton `json:"newton,omitempty"`
	Newtons int          `json:"newtons,omitempty"` // how often Newton's method has begun
}

// savedNewton is what Newton's method has done since it took over from the state that is saved: a
// resumed run does it again.
type savedNewton struct {
	Start      int64 `json:"start"`          // the step after which it began
	Dual       int64 `json:"dual,omitempty"` // that after which the ascent before it began
	Iterations int   `json:"iterations"`
	Retries    []int `json:"retries,omitempty"` // the iterations after which it had to go on
}

type savedAscent struct {
	Start int64   `json:"start"` // the step after which it began
	Pass  int     `json:"pass"`
	B     float64 `json:"b"` // of Pegasos's own result
}

type savedScalars struct {
	N       int       `json:"n"`
	Scalars []float64 `json:"scalars"`
}

func scalarsOnly(s *iterate.Sum) *savedScalars {
	return &savedScalars{s.N, slices.Clone(s.Scalars)}
}

// arrays calls f with each long array of the session, in a fixed order. f may write to it.
func (s *session) arrays(f func([]float32)) {
	for _, r := range s.runs {
		for _, l := range r.learners {
			c := l.common()
			groups := [][][]float32{c.Vectors, c.Began.W}
			if c.Average != nil {
				groups = append(groups, c.Average.Old.Vectors, c.Average.Current.Vectors)
			}
			for _, g := range groups {
				for _, a := range g {
					f(a)
				}
			}
			if c.Recent != nil {
				c.InOrder(c.Recent.Count, f)
				c.InOrder(c.Recent.Old, f)
			}
			if p, ok := l.(*problem); ok && p.ascent != nil {
				c.InOrder(p.ascent.Alpha, f)
				c.InOrder(p.ascent.Resting, f)
				f(p.ascent.W[0])
			}
			if j, ok := l.(*joint); ok && j.ascent != nil {
				j.InOrder(j.ascent.Alpha, f)
				j.InOrder(j.ascent.Resting, f)
			}
		}
	}
	if b := s.stop.last.best; b != nil {
		for _, w := range b.Weights {
			f(w)
		}
	}
}

// checkpoint returns the session's state.
func (s *session) checkpoint() *State {
	st := &State{saved: saved{
		Data: s.data.fingerprint(s.threads), Round: s.round, Ended: s.ended, Again: s.again,
		Look: s.stop.look, Objective: modelfile.Known(s.stop.last.objective),
	}}
	if b := s.stop.last.best; b != nil {
		st.saved.Best = &savedBest{s.stop.last.quality, s.stop.last.worse, slices.Clone(b.Bias),
			b.Result.header()}
	}
	for _, r := range s.runs {
		generator, position := r.order.Save()
		st.saved.Runs = append(st.saved.Runs, savedRun{r.t, r.epoch, generator, position})
		for _, l := range r.learners {
			st.saved.Learners = append(st.saved.Learners, s.saveLearner(l))
		}
	}
	s.arrays(func(a []float32) {
		st.saved.Arrays = append(st.saved.Arrays, len(a))
		st.arrays = append(st.arrays, slices.Clone(a))
	})
	return st
}

// saveLearner returns what is to be saved of a learner beside its arrays.
func (s *session) saveLearner(l learner) savedLearner {
	c := l.common()
	k := savedLearner{
		Start: c.Start, Began: c.Began.B, Steps: c.T, Violations: c.Violations, Checked: c.Checked,
		VB: slices.Clone(c.Biases), Factor: c.Factor, Norm2: c.Norm2,
	}
	if c.Average != nil {
		k.Shift, k.Old, k.Cur = c.Average.Shift, scalarsOnly(&c.Average.Old),
			scalarsOnly(&c.Average.Current)
	}
	if c.Recent != nil {
		k.Recent, k.RecentStart, k.RecentOldStart = true, c.Recent.Start, c.Recent.OldStart
	}
	if p, ok := l.(*problem); ok && p.ascent != nil {
		a := p.ascent
		k.Ascent = &savedAscent{Start: a.From, Pass: a.Pass, B: a.B[0]}
	}
	if j, ok := l.(*joint); ok && j.ascent != nil {
		k.Ascent = &savedAscent{Start: j.ascent.From, Pass: j.ascent.Pass}
	}
	if p, ok := l.(*problem); ok && p.newton != nil {
		n := p.newton
		past := n.Past()
		k.Newton = &savedNewton{n.start, n.dual, past.Iterations, past.Retries}
	}
	if p, ok := l.(*problem); ok {
		k.Newtons = p.newtons
	}
	return k
}

// errDamaged is what a state gives that is not one of the run it is to be the state of.
var errDamaged = fieldError("Resume", "the state is not one of such a run")

// resume makes the session go on from a model's state. What the state says is not trusted beyond
// what it has to be: the numbers can be any, but nothing may be out of range.
func (s *session) resume(tr *Trainer) error {
	m := tr.Resume
	if m.State == nil {
		return badField("Resume", "the model has no state: it was not trained with KeepState")
	}
	if tr.Start != nil {
		return badField("Resume", "Start can't be set too")
	}
	if others := differences(sameRun(m.Config), sameRun(s.cfg)); others != "" {
		return badField("Resume", "the run had other settings: %s", others)
	}
	from := &m.State.saved
	if err := s.data.checkFingerprint(from.Data, s.threads); err != nil {
		return err
	}
	if !s.resumeRuns(from) || !s.resumeStopping(from, len(m.Bias)) ||
		!s.resumeArrays(m.State.arrays) {
		return errDamaged
	}
	return nil
}

// resumeRuns sets the runs and their learners but for their arrays. It reports whether they fit.
func (s *session) resumeRuns(from *saved) bool {
	if len(from.Runs) != len(s.runs) || from.Round < 0 {
		return false
	}
	s.round, s.ended = from.Round, from.Ended
	learners := from.Learners
	for i, r := range s.runs {
		if !s.resumeRun(r, &from.Runs[i]) || len(learners) < len(r.learners) {
			return false
		}
		for k := range r.learners {
			if !s.resumeLearner(r, k, &learners[k]) {
				return false
			}
		}
		learners = learners[len(r.learners):]
	}
	return len(learners) == 0
}

func (s *session) resumeRun(r *run, from *savedRun) bool {
	if from.Steps < 0 || from.Steps > r.total || int64(from.Epoch) != from.Steps/
		int64(r.order.Steps) ||
		from.Epoch > s.round+1 || from.Epoch < s.round && from.Steps < r.total ||
		!r.order.Restore(from.Generator, from.Position) {
		return false
	}
	r.t, r.epoch = from.Steps, from.Epoch
	return true
}

func (s *session) resumeLearner(r *run, k int, from *savedLearner) bool {
	c := r.learners[k].common()
	if !resumeStep(c, from) {
		return false
	}
	if s.cfg.Shards <= 1 && c.T-c.Start != r.t {
		return false // all learners of a run are at its step
	}
	if a := from.Ascent; a != nil {
		if !s.cfg.finishes() || a.Start < 0 || a.Start > c.T || a.Pass < 0 || a.Pass > r.epoch {
			return false
		}
		if r.joint != nil {
			r.joint.resumeAscent(a)
		} else {
			r.problems[k].resumeAscent(a)
		}
	}
	if n := from.Newton; n != nil && !s.resumeNewton(r, k, n) {
		return false
	}
	if from.Newtons < 0 {
		return false
	}
	if r.joint == nil {
		r.problems[k].newtons = from.Newtons
	}
	return resumeScalars(c, from)
}

// resumeStopping sets what is known from former tests. Biases is how many the model has.
func (s *session) resumeStopping(from *saved, biases int) bool {
	s.stop.look, s.stop.last.objective = from.Look, modelfile.OrNaN(from.Objective)
	b := from.Best
	if b == nil {
		return true
	}
	if s.stop.valid == nil || b.Result == nil || len(b.Bias) != biases {
		return false
	}
	best := s.model()
	best.Bias, best.Result = b.Bias, b.Result.result()
	s.stop.last.best, s.stop.last.quality, s.stop.last.worse = best, b.Quality, b.Worse
	return true
}

// resumeArrays copies the long arrays.
func (s *session) resumeArrays(arrays [][]float32) bool {
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

// resumeStep tells the state which step it is at.
func resumeStep(s *iterate.State, from *savedLearner) bool {
	if from.Start < 0 || from.Start > options.MaxSteps || from.Steps < from.Start ||
		from.Steps-from.Start > s.Total {
		return false
	}
	if n := len(from.Began); n > 0 {
		if n != len(s.Vectors) {
			return false
		}
		s.Began = iterate.Weights{W: iterate.Zeros(n, s.X.Cols()), B: from.Began}
	}
	s.Start, s.Origin, s.T, s.Total = from.Start, from.Start, from.Steps, s.Total+from.Start
	return true
}

// resumeAscent makes the problem's learner one of an ascent, whose arrays are still to come.
func (p *problem) resumeAscent(from *savedAscent) {
	p.ascent = dual.New(&p.State, &p.Of, make([]float32, p.X.Rows()), from.Start,
		iterate.Zeros(1, len(p.V)), []float64{from.B})
	p.ascent.Pass = from.Pass
}

func (j *joint) resumeAscent(from *savedAscent) {
	j.ascent = dual.NewJoint(&j.State, &j.Of, j.M, make([]float32, j.X.Rows()*len(j.Vectors)),
		from.Start)
	j.ascent.Pass = from.Pass
}

// resumeNewton makes learner k one of Newton's method, which will do its iterations again when
// their result is asked for. It reports whether they can be those of the run.
func (s *session) resumeNewton(r *run, k int, from *savedNewton) bool {
	p := (*problem)(nil)
	if r.joint == nil {
		p = r.problems[k]
	}
	if p == nil || p.ascent != nil || !s.mayNewton() || from.Start < p.Start ||
		from.Dual < 0 || from.Dual > from.Start ||
		from.Start > p.T || from.Iterations < 0 || from.Iterations > r.epoch {
		return false
	}
	last := 0
	for _, at := range from.Retries {
		if at < last || at > from.Iterations {
			return false
		}
		last = at
	}
	if len(from.Retries) > newton.Retries+1 {
		return false
	}
	if from.Dual > 0 {
		p.ascent = dual.New(&p.State, &p.Of, nil, from.Dual, nil, nil)
	}
	p.startNewton(s.cfg, from.Start, &s.data.newtons)
	p.newton.Repeat(newton.Past{Iterations: from.Iterations, Retries: from.Retries},
		s.threads/max(r.threads, len(s.runs)))
	return true
}

// resumeScalars sets what is no array.
func resumeScalars(s *iterate.State, from *savedLearner) bool {
	if len(from.VB) != len(s.Biases) || (s.Recent != nil) != from.Recent {
		return false
	}
	s.Violations, s.Checked, s.Factor, s.Norm2 = from.Violations, from.Checked, from.Factor,
		from.Norm2
	copy(s.Biases, from.VB)
	if s.Average != nil {
		if from.Old == nil || from.Cur == nil || from.Shift > 62 ||
			len(from.Old.Scalars) != len(s.Biases) || len(from.Cur.Scalars) != len(s.Biases) {
			return false
		}
		s.Average.Shift = from.Shift
		s.Average.Old.N, s.Average.Current.N = from.Old.N, from.Cur.N
		copy(s.Average.Old.Scalars, from.Old.Scalars)
		copy(s.Average.Current.Scalars, from.Cur.Scalars)
	}
	if s.Recent != nil {
		s.Recent.Start, s.Recent.OldStart = from.RecentStart, from.RecentOldStart
	}
	return true
}

// sameRun leaves of a Config what a resumed run has to have in common with the one before: its
// length may be another.
func sameRun(cfg Config) Config {
	cfg = cfg.inForce()
	cfg.Epochs, cfg.Steps = 0, 0
	return cfg
}

// differences lists the fields in which two configurations differ, and what they are in both.
func differences(was, is Config) string {
	var all []string
	a, b := reflect.ValueOf(was), reflect.ValueOf(is)
	for i := range a.NumField() {
		if had, has := a.Field(i).Interface(), b.Field(i).Interface(); had != has {
			all = append(all, fmt.Sprintf("%s was %s, is %s", a.Type().Field(i).Name,
				setting(had), setting(has)))
		}
	}
	return strings.Join(all, "; ")
}

// setting is a field's value as people read it.
func setting(value any) string {
	if text := fmt.Sprint(value); text != "" {
		return text
	}
	return "not set"
}

// fingerprint is the kind of the rows, and a hash of the rows, the labels, the weights and the
// prior, in order: other data have another. Data of equal numbers have the same hash, however they
// are held. The rows are read once, by so many goroutines. It is empty if the data are not wanted
// any more.
func (d *data) fingerprint(threads int) string {
	if d.hash == "" {
		h := sha256.New()
		fmt.Fprintln(h, d.X.Rows(), d.X.Cols(), len(d.Weight), d.priorHash)
		modelfile.WriteNumbers(h, d.Y)
		modelfile.WriteNumbers(h, store.Hashes(store.Raw(d.X), threads, d.over))
		modelfile.WriteNumbers(h, d.Weight)
		if d.over() {
			return ""
		}
		d.hash = store.Kind(d.X) + ":" + hex.EncodeToString(h.Sum(nil))
	}
	return d.hash
}

// checkFingerprint returns an error unless the data are those of a run with this fingerprint.
func (d *data) checkFingerprint(run string, threads int) error {
	kind, hash, known := strings.Cut(run, ":")
	if !known {
		return badField("Resume", "the state is of an earlier version, which knew the lengths of "+
			"the rows only: a run can start from its model, but can't go on")
	}
	haveKind, have, _ := strings.Cut(d.fingerprint(threads), ":")
	switch {
	case have != hash:
		return badField("Resume", "the data are not those of the run: other rows, labels, weights "+
			"or prior, or another order")
	case haveKind != kind:
		return badField("Resume", "the rows are those of the run, but %s, where they were %s: that "+
			"rounds differently", haveKind, kind)
	}
	return nil
}

// pause returns the step after which the session pauses.
func (tr *Trainer) pause() int64 {
	if tr.Pause == 0 {
		return math.MaxInt64
	}
	return tr.Pause
}
