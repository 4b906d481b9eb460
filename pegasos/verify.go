package pegasos

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/internal/proof"
)

// This file holds a model to what it claims of itself: its Result, about the data in Data. The
// objective is found anew, and a lower bound on the least there is that owes nothing to the run:
// its dual variables are made from the margins of the weights as they are written, see margins.go,
// or come from a Proof.

// A Verdict is what Verify comes to.
type Verdict string

const (
	// Confirmed says that the objective is what the model claims, and that a bound of our own is no
	// lower than the claimed one.
	Confirmed Verdict = "confirmed"
	// NotConfirmed says that nothing speaks against the claim, but that our own bound is lower than
	// the claimed one. The claim may be right.
	NotConfirmed Verdict = "not confirmed"
	// Contradicted says that the claim is wrong, or about other data.
	Contradicted Verdict = "contradicted"
)

// A Verification is what Verify found. Gaps are those of [Result].
type Verification struct {
	Verdict Verdict
	Reasons []string // why the claim is contradicted

	Hash string // of the model
	Data string // the data's fingerprint, as Model.Data has it
	// Known says that the model has a fingerprint of the data it claims something of, and that
	// these are the data. Models of former versions have none.
	Known bool

	Objective float64 // of the model as it is written
	Bound     float64 // on the least objective there is; NaN where there is none
	Gap       float64 // of these two
	Proven    bool    // the bound is that of a Proof
	Sigmoids  bool    // they are those of the folds, trained anew

	Claimed Result // the model's
}

// VerifyOptions say where a bound comes from.
type VerifyOptions struct {
	// Proof, if not nil, has the dual variables of the bound.
	Proof *Proof
	// Passes is how many passes of dual coordinate ascent improve the bound that is made of the
	// margins, for all losses but EpsInsensitive, without a prior and an unregularised bias. If it
	// is above 0 and that is less than the model claims, and its finish was Newton's method or
	// FinishAuto, some iterations of Newton's method go on from the weights.
	Passes int
	// Sigmoids asks for the folds of Config.Calibrate to be trained anew, which takes as long as
	// they took: the sigmoids have to be the same to the bit. The trainer's Start has to be that of
	// the model's training, and the rows have to be held as they were.
	Sigmoids bool
}

// Verify holds the model to what its Result claims of the rows of x with the labels y. The
// trainer's Weights, Costs and Prior have to be those of the model's training, and so has what the
// rows were scaled by before; the trainer's Config is not used. An error says why nothing can be
// said.
func (tr *Trainer) Verify(ctx context.Context, m *Model, x Examples, y []float32, o VerifyOptions) (
	*Verification, error,
) {
	p := o.Proof
	s, err := tr.sessionOf(ctx, m, x, y)
	if err != nil {
		return nil, err
	}
	s.data.until = ctx
	v := &Verification{Hash: m.Hash(), Claimed: m.Result, Proven: p != nil}
	v.Data = s.data.fingerprint(s.threads)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	v.checkData(m)
	if p != nil {
		if err := p.fits(v, s); err != nil {
			return nil, err
		}
	}
	found := *m.Scaling.unfold(m) // what is found out of it must not change the model
	found.Result.PerClass = slices.Clone(m.Result.PerClass)
	if len(found.Result.PerClass) != len(m.Weights) && !m.Config.Multiclass.Joint() {
		found.Result.PerClass = make([]ClassResult, len(m.Weights))
	}
	how := marginOptions{passes: o.Passes}
	if s.data.newtons.until = ctx; o.Passes > 0 && s.newtonVerifies(tr, m) {
		how.pool = &s.data.newtons
	}
	quick := s.remeasure(ctx, &found, o.Proof, how)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.parallel(func(_ int, r *run) { r.refine(&found, exact) })
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.total(&found.Result)
	r := &found.Result
	v.Objective, v.Bound, v.Gap = r.Objective, r.DualObjective, r.Gap
	if !(v.Objective < math.Inf(1)) {
		return nil, fmt.Errorf("pegasos: the objective is not finite: %s", tooLarge)
	}
	v.checkObjective(s, m, &found, quick)
	v.checkBound()
	if o.Sigmoids && len(v.Reasons) == 0 {
		if err := tr.checkSigmoids(ctx, v, m, x, y); err != nil {
			return nil, err
		}
	}
	v.decide()
	return v, nil
}

// sessionOf returns a session of the model's problem, of which no step will be taken.
func (tr *Trainer) sessionOf(ctx context.Context, m *Model, x Examples, y []float32) (
	*session, error,
) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	if have := x.Cols(); have != m.Cols() {
		return nil, fmt.Errorf("pegasos: the rows have %d features, the model has %d", have,
			m.Cols())
	}
	if m.Prior != "" && tr.Prior == nil {
		return nil, badField("Prior", "the model's penalty is about the distance from another "+
			"model, which is needed: its hash is %s", m.Prior)
	}
	cfg := m.Config
	cfg.Epochs, cfg.Steps, cfg.Tol, cfg.Change, cfg.Patience = 1, 0, 0, 0, 0
	cfg.Finish, cfg.FinishAfter, cfg.Calibrate, cfg.Shards = "", 0, 0, 0
	cfg.Offset, cfg.Average, cfg.Project = OffsetR2, LastIterate, false
	if cfg.Bias == BiasOuter {
		cfg.Bias = BiasUnregularised // the same problem
	}
	// The trainer's own settings of a run are of no use here.
	inner := &Trainer{Config: cfg, Threads: tr.Threads, Weights: tr.Weights, Prior: tr.Prior,
		Costs: tr.Costs, MaxMemory: tr.MaxMemory, classes: m.Classes, until: ctx}
	if scaling := m.Scaling; scaling != nil {
		x, y = scaling.apply(x, y, parallel.Threads(tr.Threads), inner.stopped)
		inner.Config.Epsilon /= scaling.spread()
		inner.scaling = scaling
		if tr.Prior != nil {
			inner.Prior, inner.priorHash = scaling.unfold(tr.Prior), tr.Prior.Hash()
		}
	}
	s, err := newSession(x, y, inner)
	if err != nil {
		return nil, err
	}
	if m.Scaling != nil {
		s.data.folded = m
	}
	return s, s.checkClaimed(m)
}

// checkClaimed returns an error unless the model is one of the session's problem.
func (s *session) checkClaimed(m *Model) error {
	if s.data.priorHash != m.Prior {
		return badField("Prior", "its hash is %q, want that of the model's own, %q",
			s.data.priorHash, m.Prior)
	}
	if n, err := weightVectors(s.cfg, len(s.data.classes)); err != nil || n != len(m.Weights) {
		return fmt.Errorf("pegasos: %d weight vectors for %d classes", len(m.Weights),
			len(s.data.classes))
	}
	return nil
}

// checkData holds the data against those that the model was trained on.
func (v *Verification) checkData(m *Model) {
	_, have, _ := strings.Cut(v.Data, ":")
	_, want, known := strings.Cut(m.Data, ":")
	v.Known = known && have == want
	if known && have != want {
		v.Contradict("the data are not those that the model was trained on: other rows, labels, " +
			"weights or prior, or another order")
	}
}

// Contradict adds a reason for which the claim is contradicted.
func (v *Verification) Contradict(format string, a ...any) {
	v.Reasons = append(v.Reasons, fmt.Sprintf(format, a...))
	v.Verdict = Contradicted
}

// remeasure finds the objective of m as training does where it is quick, and for each learner the
// best bound that the margins give, or that of the proof. It returns these objectives of m's
// vectors, or of a joint problem.
func (s *session) remeasure(
	ctx context.Context, m *Model, proof *Proof, how marginOptions,
) (quick []float64) {
	s.parallel(func(_ int, r *run) {
		r.measured = make([]measurement, len(r.learners))
		parallel.For(r.threads, len(r.learners), func(_, k int) {
			at := &r.measured[k]
			at.bound = math.NaN()
			if ctx.Err() != nil {
				return
			}
			if proof != nil {
				at.bound = r.learners[k].boundOf(proof.vectors[r.first+k].spread(r, k), r.r2)
			} else {
				w, b := r.vectorsOf(m, k)
				how := how
				if how.threads = max(1, r.inner); r.joint == nil {
					c := m.Result.PerClass[r.first+k]
					how.width, how.wanted = c.Width, c.DualObjective
				}
				at.bound = r.learners[k].marginBound(r.exact(w, r.first+k), b, r.r2, how)
			}
		})
		r.objectives(m, nil)
	})
	for _, r := range s.runs {
		for _, at := range r.measured {
			quick = append(quick, at.objective)
		}
	}
	return quick
}

// newtonVerifies reports whether Newton's method may look for a bound: it may have found the one
// that m claims, and there is memory for it.
func (s *session) newtonVerifies(tr *Trainer, m *Model) bool {
	finish := m.Config.Finish
	if finish != FinishNewton && finish != FinishAuto || m.Config.Multiclass.Joint() ||
		s.data.x.Cols() > newtonColumns {
		return false
	}
	cfg := s.cfg
	defer func() { s.cfg = cfg }()
	s.cfg.Finish = FinishNewton
	return s.checkMemory(&Trainer{Config: s.cfg, MaxMemory: tr.MaxMemory}) == nil
}

// checkObjective compares what was found of the model's objectives with what it claims: to the bit
// if the data are those that it was trained on, held as they were, else within the roundings.
func (v *Verification) checkObjective(s *session, m, found *Model, quick []float64) {
	claimed := &m.Result
	if math.IsNaN(claimed.Objective) {
		return // nothing is claimed, of a run that was interrupted
	}
	bits := v.Known && v.Data == m.Data
	n, sum, bound := 0, 0.0, 0.0
	for _, r := range s.runs {
		for k, at := range r.measured {
			have := claimed.Objective
			if r.joint == nil {
				if len(claimed.PerClass) != len(m.Weights) { // of a former version
					v.checkTotal(claimed.Objective, found.Result.Objective, s)
					return
				}
				c := claimed.PerClass[r.first+k]
				have, sum, bound = c.Objective, sum+c.Objective, bound+c.DualObjective
				if c.Lambda != 0 && c.Lambda != r.lambda {
					v.Contradict("the lambda of weight vector %d is %v, not %v", r.first+k,
						r.lambda, c.Lambda)
				}
			}
			if !(have == at.objective || have == quick[n] ||
				!bits && math.Abs(have-at.objective) <= r.objectiveError(found, k)) {
				v.Contradict("the objective%s is %v, not %v", s.vectorName(r, k), at.objective,
					have)
			}
			n++
		}
	}
	if !s.cfg.Multiclass.Joint() {
		if mean := sum / float64(n); mean != claimed.Objective {
			v.Contradict("the mean of the objectives is %v, not %v", mean, claimed.Objective)
		}
		if mean := bound / float64(n); mean != claimed.DualObjective &&
			!(math.IsNaN(mean) && math.IsNaN(claimed.DualObjective)) {
			v.Contradict("the mean of the bounds is %v, not %v", mean, claimed.DualObjective)
		}
	}
	if lambda := s.runs[0].lambda; m.Lambda != lambda {
		v.Contradict("lambda is %v, not %v", lambda, m.Lambda)
	}
}

// checkTotal compares the mean objectives alone.
func (v *Verification) checkTotal(claimed, found float64, s *session) {
	if math.Abs(claimed-found) > 1e-4*math.Abs(found) { // as far as they were exact
		v.Contradict("the objective is %v, not %v", found, claimed)
	}
}

// objectiveError is the most by which two ways to find the objective of learner k's part of m may
// differ. Of rows of a type of the caller's nothing is known.
func (r *run) objectiveError(m *Model, k int) float64 {
	at := r.measured[k]
	if e := at.mistake + r.quickError(m, k); floats.IsFinite(e) {
		return e
	}
	return float64(smallOfObjective * at.objective)
}

// quickError is the most by which the objective of learner k's part of m may be off where it is
// found from float32 dot products.
func (r *run) quickError(m *Model, k int) float64 {
	l := r.learners[k]
	s := l.common()
	w, b := r.vectorsOf(m, k)
	penalty := s.penalty(w, b)
	loss := math.Max(0, r.measured[k].objective-penalty)
	z := s.scoreError(s.longest(w, penalty), b, r.dotSize(false), r.r2)
	e := l.lossError(z, loss) + float64(s.sums*(loss+penalty))
	if c := r.data.scaling; c != nil {
		e += l.lossError(float64(s.sums*c.biasError(w)), loss)
		e += c.penaltyError(w, s.lambda, penalty) + s.biasPenaltyError(c, w, b)
	}
	return e
}

// vectorName says which of several problems learner k's is.
func (s *session) vectorName(r *run, k int) string {
	if len(s.runs) == 1 && len(r.learners) == 1 {
		return ""
	}
	return fmt.Sprintf(" of weight vector %d", r.first+k)
}

// checkBound looks for what the claimed bound can't be.
func (v *Verification) checkBound() {
	claimed := v.Claimed.DualObjective
	if err := proof.Check(v.Objective, claimed); err != nil {
		v.Contradict("the claimed bound %v on the least objective is above the model's objective, %v",
			claimed, v.Objective)
	}
	if v.Proven && !(v.Bound >= claimed) {
		v.Contradict("the proof bounds the least objective by %v, not by %v", v.Bound, claimed)
	}
}

// decide comes to the verdict.
func (v *Verification) decide() {
	switch claimed := v.Claimed.DualObjective; {
	case len(v.Reasons) > 0:
		v.Verdict = Contradicted
	case v.Bound >= claimed:
		v.Verdict = Confirmed
	default:
		v.Verdict = NotConfirmed
	}
}
