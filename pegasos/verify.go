package pegasos

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/misuse"
	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/internal/train/claims"
	"github.com/pegasimd/pegasimd/internal/train/newton"
	"github.com/pegasimd/pegasimd/internal/train/rows"
)

// This file holds a model to what it claims of itself: its Result, about the data in Data. The
// objective is found anew, and a lower bound on the least there is that owes nothing to the run:
// its dual variables are made from the margins of the weights as they are written, see certificate.FromScores,
// or come from a Proof.

// A Verdict is what Verify comes to.
type Verdict string

const (
	// Confirmed says that the objectives are what the model claims, and that Verify found a bound no
	// lower and a gap no larger than the claimed ones: of the mean over the weight vectors, and of
	// each of them but those in Verification.Unconfirmed.
	Confirmed Verdict = "confirmed"
	// NotConfirmed says that nothing speaks against the claim, but that Verify found a lower bound,
	// or that it needs the rows held as in training to find the same objective. The claim may be
	// right. With a Proof this verdict does not exist.
	NotConfirmed Verdict = "not confirmed"
	// Contradicted says that the claim is wrong, or about other data.
	Contradicted Verdict = "contradicted"
	// ClaimsNothing says that the model has no objective or no bound to verify.
	ClaimsNothing Verdict = "claims nothing"
)

// A Verification is what Verify found. Gaps are those of [Result].
type Verification struct {
	Verdict Verdict
	Reasons []string // why the claim is contradicted

	Hash string // of the model
	Data string // the data's fingerprint, as Model.Data has it
	// Known says that the model has a fingerprint of the data it claims something of, and that
	// these are the data.
	Known bool

	Objective float64 // of the model as it is written, from float64 dot products
	Bound     float64 // on the least objective there is; NaN where there is none
	Gap       float64 // of these two
	Proven    bool    // the bound is that of a Proof
	Sigmoids  bool    // they are those of the folds, trained anew

	Claimed Result // the model's

	// Unconfirmed has the weight vectors of whose own problem a lower bound or a larger gap was found
	// than the model claims. With a Proof there are none.
	Unconfirmed []int

	unsure bool // nothing speaks against the claim, but it was not found again
}

// VerifyOptions say where a bound comes from.
type VerifyOptions struct {
	// Proof, if not nil, has the dual variables of the bound.
	Proof *Proof
	// Passes is how many passes of dual coordinate ascent improve the bound that is made of the
	// margins, for all losses but EpsInsensitive, without a prior and an unregularised bias; up to
	// 21 times as many where that is less than the model claims. If it still is, and Passes above 0 and its finish was Newton's method or
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
	misuse.Context(ctx)
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
		if err := p.fits(v, m, s); err != nil {
			return nil, err
		}
	}
	found := *m.Scaling.Unfold(m) // what is found out of it must not change the model
	found.Result.PerClass = slices.Clone(m.Result.PerClass)
	if len(found.Result.PerClass) != len(m.Weights) && !m.Config.Multiclass.Joint() {
		found.Result.PerClass = m.noClaims()
	}
	how := marginOptions{passes: o.Passes}
	if s.data.newtons.Until = ctx; o.Passes > 0 && s.newtonVerifies(tr, m) {
		how.pool = &s.data.newtons
	}
	quick := s.remeasure(ctx, &found, o.Proof, how)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.total(&found.Result)
	r := &found.Result
	v.Objective, v.Bound, v.Gap = r.Objective, r.DualObjective, r.Gap
	if !(v.Objective < math.Inf(1)) {
		return nil, fmt.Errorf("pegasos: the objective is not finite: %s", rows.TooLarge)
	}
	v.checkClaims(s, m, quick)
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
	cfg.Finish, cfg.Calibrate, cfg.Shards = "", 0, 0
	cfg.Offset, cfg.Average, cfg.Project = OffsetR2, LastIterate, false
	// The trainer's own settings of a run are of no use here.
	inner := &Trainer{Config: cfg, Threads: tr.Threads, Weights: tr.Weights, Prior: tr.Prior,
		Costs: tr.Costs, MaxMemory: tr.MaxMemory, classes: m.Classes, until: ctx}
	if scaling := m.Scaling; scaling != nil {
		x, y = scaling.apply(x, y, parallel.Threads(tr.Threads), inner.stopped)
		inner.Config.Epsilon /= scaling.spread()
		inner.scaling = scaling
		if tr.Prior != nil {
			inner.Prior, inner.priorHash = scaling.Unfold(tr.Prior), tr.Prior.Hash()
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
	if n, err := weightVectors(s.cfg, len(s.data.Classes)); err != nil || n != len(m.Weights) {
		return fmt.Errorf("pegasos: %d weight vectors for %d classes", len(m.Weights),
			len(s.data.Classes))
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

// remeasure finds the objective of m from float64 dot products, and for each learner the best bound
// that the margins give, or that of the proof. It returns what float32 dot products give, as in
// training where that is good enough: of each of m's vectors, or of a joint problem.
func (s *session) remeasure(
	ctx context.Context, m *Model, proof *Proof, how marginOptions,
) (quick [][]measurement) {
	quick = make([][]measurement, len(s.runs))
	s.parallel(func(i int, r *run) {
		r.measured = make([]measurement, len(r.learners))
		r.objectives(m, nil)
		quick[i] = slices.Clone(r.measured)
		all := make([]bool, len(r.learners))
		for k := range all {
			all[k] = floats.IsFinite(r.measured[k].objective)
		}
		r.objectives(m, all)
		parallel.For(r.threads, len(r.learners), func(_, k int) {
			at := &r.measured[k]
			at.bound = math.NaN()
			if ctx.Err() != nil {
				return
			}
			if proof != nil {
				at.bound = boundOf(r.learners[k].objective(),
					proof.vectors[r.first+k].Spread(r.learners[k].objective()), r.r2)
				return
			}
			w, b := r.vectorsOf(m, k)
			how, c := how, ClassResult{Objective: m.Result.Objective,
				DualObjective: m.Result.DualObjective}
			if r.joint == nil {
				c = m.Result.PerClass[r.first+k]
			}
			// With that much the gap is no larger than claimed, though P is by its roundings.
			how.wanted = c.DualObjective + max(0, at.objective-c.Objective) + at.mistake
			how.width, how.threads = c.Width, max(1, r.inner)
			at.bound = marginBound(r.learners[k], r.exact(w, r.first+k), b, r.r2, how)
		})
		r.note(m)
	})
	return quick
}

// newtonVerifies reports whether Newton's method may look for a bound: it may have found the one
// that m claims, and there is memory for it.
func (s *session) newtonVerifies(tr *Trainer, m *Model) bool {
	finish := m.Config.Finish
	if finish != FinishNewton && finish != FinishAuto || m.Config.Multiclass.Joint() ||
		s.data.X.Cols() > newton.MostColumns {
		return false
	}
	cfg := s.cfg
	defer func() { s.cfg = cfg }()
	s.cfg.Finish = FinishNewton
	return s.checkMemory(&Trainer{Config: s.cfg, MaxMemory: tr.MaxMemory}) == nil
}

// noClaims returns the claims of weight vectors of which nothing is known.
func (m *Model) noClaims() []ClassResult {
	none := ClassResult{Objective: math.NaN(), DualObjective: math.NaN()}
	return slices.Repeat([]ClassResult{none}, len(m.Weights))
}

// claim returns what is said of one weight vector.
func (c *ClassResult) claim() claims.Claim {
	return claims.Claim{Objective: c.Objective, Bound: c.DualObjective}
}

// claim returns what is said of the mean of all.
func (r *Result) claim() claims.Claim {
	return claims.Claim{Objective: r.Objective, Bound: r.DualObjective}
}

// checkClaims holds what the model claims against what was found, for each weight vector and for
// their mean.
func (v *Verification) checkClaims(s *session, m *Model, quick [][]measurement) {
	if lambda := s.runs[0].lambda; m.Lambda != lambda {
		v.Contradict("lambda is %v, not %v", lambda, m.Lambda)
	}
	claimed, all := m.Result.PerClass, m.Result.claim()
	if math.IsNaN(all.Objective) {
		return // that of a run that was interrupted
	}
	if len(claimed) != len(m.Weights) && !s.cfg.Multiclass.Joint() {
		v.Contradict("the model claims something of %d weight vectors and has %d", len(claimed),
			len(m.Weights))
		return
	}
	vectors := len(s.runs) * len(s.runs[0].learners) // that have problems of their own
	t, covered := v.trial(), make([]bool, len(claimed))
	for i, r := range s.runs {
		for k, at := range r.measured {
			c, of := all, claims.Of("weight vector", r.first+k, vectors)
			if r.joint == nil {
				covered[r.first+k], c = true, claimed[r.first+k].claim()
				t.Lambda(of, claimed[r.first+k].Lambda, r.lambda)
			}
			if q := quick[i][k]; c.Objective != q.objective || !(q.mistake <= c.Small()) {
				sure, most := v.allowed(m, c, at)
				t.Objective(of, c.Objective, at.objective, sure, most)
			}
			found := claims.Claim{Objective: at.objective, Bound: at.proven()}
			switch ok := t.Bound(of, c, found); {
			case of == "":
				t.Unsure = t.Unsure || !ok // There is no other problem.
			case !ok:
				v.Unconfirmed = append(v.Unconfirmed, r.first+k)
			}
		}
	}
	if !s.cfg.Multiclass.Joint() {
		t.Means(all)
		for k, c := range claimed {
			if !covered[k] && !(math.IsNaN(c.Objective) && math.IsNaN(c.DualObjective)) {
				v.Contradict("the model claims something of weight vector %d, which has no rows", k)
			}
		}
		if vectors > 1 && !t.Unsure {
			t.All(all, claims.Claim{Objective: v.Objective, Bound: v.Bound})
		}
	}
	v.unsure = t.Unsure
}

// allowed returns by how much a claimed objective may be off the one from float64 dot products, and
// by how much if it counts as found again. Training takes that from float32 dot products where it
// is as good, and so it has to be here, and to the bit. All bits depend on how the rows are held.
// Where that is otherwise, float64's roundings are allowed for, and nothing is said of an objective
// from float32 dot products.
func (v *Verification) allowed(m *Model, c claims.Claim, found measurement) (sure, most float64) {
	if v.Known && v.Data == m.Data {
		return 0, 0
	}
	sure = 2 * found.mistake
	return sure, max(sure, c.Small()+found.mistake)
}

// trial returns what compares claims, whose reasons it takes.
func (v *Verification) trial() *claims.Trial {
	return &claims.Trial{Contradict: v.Contradict, Proven: v.Proven}
}

// decide comes to the verdict.
func (v *Verification) decide() {
	v.Verdict = Verdict(claims.Verdict(len(v.Reasons), v.Claimed.Objective, v.unsure))
	if v.Verdict == NotConfirmed && v.Proven {
		v.Contradict("the objective is not the claimed one where the rows are held as they are " +
			"here")
	}
}
