package pegasos

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/internal/misuse"
	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/internal/train/choose"
	"github.com/pegasimd/pegasimd/internal/train/claims"
	"github.com/pegasimd/pegasimd/internal/train/engine"
	"github.com/pegasimd/pegasimd/internal/train/result"
	"github.com/pegasimd/pegasimd/internal/train/rows"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// A Verdict is what Verify comes to.
type Verdict string

const (
	// Confirmed says that Verify found the claimed objectives, and a bound and a gap as good as the
	// claimed ones, of the mean over the vectors and of each but those in Verification.Unconfirmed.
	Confirmed Verdict = "confirmed"
	// NotConfirmed says that nothing speaks against the claim, but that Verify found a lower bound,
	// or needs the rows held as in training to find the same objective. A Proof excludes it.
	NotConfirmed Verdict = "not confirmed"
	// Contradicted says that the claim is wrong, or about other data.
	Contradicted Verdict = "contradicted"
	// ClaimsNothing says that the model claims no objective, or no gap of at most 100 %.
	ClaimsNothing Verdict = "claims nothing"
)

// A Verification is what Verify found. Gaps are those of [Result].
type Verification struct {
	Verdict   Verdict
	Reasons   []string // why the claim is contradicted
	Hash      string   // of the model
	Data      string   // the data's fingerprint, as Model.Data has it
	Known     bool     // the model has a fingerprint, which is that of the data
	Objective float64  // of the model as it is written, from float64 dot products
	Bound     float64  // on the least objective there is; NaN where there is none
	Gap       float64  // of these two
	Proven    bool     // the bound is that of a Proof
	Sigmoids  bool     // the folds were trained again, with the same sigmoids
	// Scaling says that the model's Scaling is the one that training fits to the rows: it may be
	// false as well where the run built on another model, or the rows are not held as in training.
	Scaling bool
	Claimed Result // the model's
	// Unconfirmed has the vectors for which less was found than claimed; none with a Proof.
	Unconfirmed []int

	unsure bool // nothing speaks against the claim, but it was not found again
}

// VerifyOptions say where a bound comes from.
type VerifyOptions struct {
	// Proof, if not nil, has the dual variables of the bound, else they are made of the margins.
	Proof *Proof
	// Passes is the number of passes of dual coordinate descent that improve the bound made of the
	// margins, for all losses but EpsInsensitive, without a prior and an unregularised bias. Where
	// the model claims more, up to 21 times as many follow, and then, if its Finish was
	// FinishNewton or FinishAuto and Passes is above 0, some iterations of Newton's method.
	Passes int
	// Sigmoids asks for the folds of Config.Calibrate to be trained again: the sigmoids have to be
	// the same to the bit. The trainer's Start and the way that rows are held have to be as in
	// training.
	Sigmoids bool
}

// Verify holds the model to what its Result claims of the rows of x with the labels y: it computes
// the objective again, and a lower bound on the least there is. The trainer's Weights, Costs and
// Prior have to be those of the model's training, with Sigmoids its Start too, and so has what the
// rows were scaled by before; its Config is not used. An error says why nothing can be said.
func (tr *Trainer) Verify(ctx context.Context, m *Model, x Examples, y []float32,
	o VerifyOptions) (*Verification, error) {
	misuse.Context(ctx)
	t, s, err := tr.sessionOf(ctx, m, x, y)
	if err != nil {
		return nil, err
	}
	v := &Verification{Hash: m.Hash(), Data: s.Fingerprint(ctx), Claimed: m.Result,
		Proven: o.Proof != nil}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	v.checkData(m)
	point := t.pointOf(m)
	v.checkSettings(m, point.Bias)
	check := engine.Check{Passes: o.Passes, Finish: string(m.Config.Finish),
		Claims: *m.Result.room()}
	if o.Proof != nil {
		if err := o.Proof.fits(v, m, s); err != nil {
			return nil, err
		}
		check.Proof = o.Proof.vectors
	}
	found, all := s.Verify(ctx, point, check)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	v.Objective, v.Bound, v.Gap = all.Objective, all.DualObjective, all.Gap
	if !(v.Objective < math.Inf(1)) {
		return nil, fmt.Errorf("pegasos: the objective is not finite: %s", rows.TooLarge)
	}
	v.checkClaims(m, s.Lambda(), found)
	v.checkGap(m)
	if m.Scaling != nil && len(v.Reasons) == 0 {
		if v.Scaling, err = t.fitsScaling(m, x, y); err != nil {
			return nil, err
		}
	}
	if o.Sigmoids && len(v.Reasons) == 0 {
		if err := tr.checkSigmoids(ctx, v, m, x, y); err != nil {
			return nil, err
		}
	}
	v.decide()
	return v, nil
}

// sessionOf returns the model's problem, of which no step will be taken.
func (tr *Trainer) sessionOf(ctx context.Context, m *Model, x Examples,
	y []float32) (*task, *engine.Session, error) {
	if err := m.Validate(); err != nil {
		return nil, nil, err
	}
	if have := x.Cols(); have != m.Cols() {
		return nil, nil, fmt.Errorf("pegasos: the rows have %d features, the model has %d", have,
			m.Cols())
	}
	if m.Prior != "" && tr.Prior == nil {
		return nil, nil, badField("Prior", "the model's penalty is about the distance from "+
			"another model, which is needed: its hash is %s", m.Prior)
	}
	if tr.Start != nil && m.Start != "" && tr.Start.Hash() != m.Start {
		return nil, nil, badField("Start", "its hash is %q, want that of the model's own, %q",
			tr.Start.Hash(), m.Start)
	}
	t, set, err := tr.taskOf(ctx, m, x, y, func(t *task) {
		settings.Only(&t.Config, settings.Problem)
		t.Epochs, t.Average, t.Start = 1, LastIterate, nil
		if strings.HasPrefix(m.Result.Solver, string(FinishDual)) && t.Order == Shuffled {
			t.Order, t.Block = Permutation, 0 // as the descent, which has its rows where they lie
		}
	})
	if err != nil {
		return nil, nil, err
	}
	s, err := engine.New(t.job(set))
	if err != nil {
		return nil, nil, publicError(err)
	}
	if t.priorHash != m.Prior {
		return nil, nil, badField("Prior", "its hash is %q, want that of the model's own, %q",
			t.priorHash, m.Prior)
	}
	if n, err := s.Vectors(len(set.Classes)); err != nil || n != len(m.Weights) {
		return nil, nil, fmt.Errorf("pegasos: %d weight vectors for %d classes", len(m.Weights),
			len(set.Classes))
	}
	return t, s, nil
}

// taskOf returns the training of a model, changed by change, and its rows, scaled.
func (tr *Trainer) taskOf(ctx context.Context, m *Model, x Examples, y []float32,
	change func(*task)) (*task, *rows.Set, error) {
	t := &task{classes: m.Classes, until: ctx, Trainer: Trainer{Config: m.Config,
		Threads: tr.Threads, Weights: tr.Weights, Start: tr.Start, Prior: tr.Prior,
		Costs: tr.Costs, MaxMemory: tr.MaxMemory}}
	change(t)
	if err := t.validate(); err != nil {
		return nil, nil, err
	}
	if s := m.Scaling.room(); s != nil {
		x, y = s.Apply(x, y, parallel.Threads(t.Threads), t.stopped)
		t.Epsilon /= s.Unit()
		t.scale = s
	}
	if err := cmp.Or(t.fits(), t.adopt(m.Cols())); err != nil {
		return nil, nil, err
	}
	set, err := t.newSet(x, y)
	return t, set, err
}

// pointOf returns the model as the engine has one.
func (t *task) pointOf(m *Model) *engine.Point {
	p := &engine.Point{Weights: m.Weights, Bias: m.Bias}
	if t.scale != nil {
		u := m.Scaling.Unfold(m)
		p = &engine.Point{Weights: u.Weights, Bias: u.Bias, Folded: p}
	}
	return p
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

// checkSettings compares the settings of scale and bias with the model's Scaling, and with its biases
// for scaled rows.
func (v *Verification) checkSettings(m *Model, biases []float64) {
	cfg, is := m.Config.Plain(), Scaling{Kind: ScaleNone}
	if m.Scaling != nil {
		is = *m.Scaling
	}
	target := ScaleNone
	if is.Spread != 0 {
		target = ScaleStandard
	}
	switch {
	case cfg.Scale != is.Kind:
		v.Contradict("config.scale is %s, but scaling.kind %s", cfg.Scale, is.Kind)
	case cfg.TargetScale != target:
		v.Contradict("config.target_scale is %s, but scaling has it as %s", cfg.TargetScale, target)
	case cfg.Bias == BiasNone && m.Prior == "" && // whose biases the model has
		slices.ContainsFunc(biases, func(b float64) bool { return b != 0 }):
		v.Contradict("config.bias is %s, but the model has a bias", cfg.Bias)
	case cfg.Bias != BiasNone && m.Bias == nil:
		v.Contradict("config.bias is %s, but the model has no bias", cfg.Bias)
	}
}

// Contradict adds a reason for which the claim is contradicted.
func (v *Verification) Contradict(format string, a ...any) {
	v.Reasons = append(v.Reasons, fmt.Sprintf(format, a...))
	v.Verdict = Contradicted
}

// claim returns what is said, or was found, of a problem or of the mean of all.
func claim(objective, bound float64) claims.Claim {
	return claims.Claim{Objective: objective, Bound: bound}
}

// checkClaims compares what the model claims of each vector, and of the mean, with what was found.
func (v *Verification) checkClaims(m *Model, lambda float64, found []engine.Found) {
	if m.Lambda != lambda {
		v.Contradict("lambda is %v, not %v", lambda, m.Lambda)
	}
	claimed, joint := m.Result.PerClass, m.Config.Multiclass.Joint()
	all := claim(m.Result.Objective, m.Result.DualObjective)
	if math.IsNaN(all.Objective) {
		return // that of a run that was interrupted
	}
	switch {
	case joint && len(claimed) > 0:
		v.Contradict("the model claims something of %d weight vectors, which share one problem",
			len(claimed))
		return
	case !joint && len(claimed) != len(m.Weights):
		v.Contradict("the model claims something of %d weight vectors and has %d", len(claimed),
			len(m.Weights))
		return
	}
	t := claims.Trial{Contradict: v.Contradict, Proven: v.Proven}
	covered := make([]bool, len(claimed))
	for _, f := range found {
		c, of := all, claims.Of("weight vector", f.Vector, len(found))
		if !joint {
			own := claimed[f.Vector]
			covered[f.Vector], c = true, claim(own.Objective, own.DualObjective)
			t.Lambda(of, own.Lambda, f.Lambda)
		}
		if c.Objective != f.Quick.Objective || !(f.Quick.Mistake <= c.Small()) {
			sure, most := v.allowed(m, c, f.Exact)
			t.Objective(of, c.Objective, f.Exact.Objective, sure, most)
		}
		switch ok := t.Bound(of, c, claim(f.Exact.Objective, f.Exact.Proven())); {
		case of == "":
			t.Unsure = t.Unsure || !ok // There is no other problem.
		case !ok:
			v.Unconfirmed = append(v.Unconfirmed, f.Vector)
		}
	}
	if !joint {
		t.Means(all)
		for k, c := range claimed {
			if !covered[k] && !(math.IsNaN(c.Objective) && math.IsNaN(c.DualObjective)) {
				v.Contradict("the model claims something of weight vector %d, which has no rows", k)
			}
		}
		if len(found) > 1 && !t.Unsure {
			t.All(all, claim(v.Objective, v.Bound))
		}
	}
	v.unsure = t.Unsure
}

// checkGap contradicts a gap that only the model's file has.
func (v *Verification) checkGap(m *Model) {
	if m.wrongGap != "" {
		v.Contradict("%s", m.wrongGap)
	}
}

// allowed returns by how much a claimed objective may be off the one from float64 dot products if
// it counts as found again, and at most: nothing if the rows are held as in training, else
// float64's roundings, and what training leaves of the error of float32 dot products.
func (v *Verification) allowed(m *Model, c claims.Claim, found engine.Measurement) (sure,
	most float64) {
	if v.Known && v.Data == m.Data {
		return 0, 0
	}
	sure = 2 * found.Mistake
	return sure, max(sure, c.Small()+found.Mistake)
}

// decide comes to the verdict.
func (v *Verification) decide() {
	all := claim(v.Claimed.Objective, v.Claimed.DualObjective)
	v.Verdict = Verdict(claims.Verdict(len(v.Reasons), all, v.unsure))
	if v.Verdict == NotConfirmed && v.Proven {
		v.Contradict("the objective is not the claimed one where the rows are held as they are " +
			"here")
	}
}

// fitsScaling reports whether the model's Scaling is the one that training fits to the rows.
func (t *task) fitsScaling(m *Model, x Examples, y []float32) (bool, error) {
	set, err := t.newSet(x, y)
	if err != nil {
		return false, err
	}
	fits, err := choose.Fits(m.Scaling.room(), set, parallel.Threads(t.Threads), t.stopped)
	if t.stopped() {
		err = t.until.Err()
	}
	return fits, publicError(err)
}

// checkSigmoids trains the folds of the model's calibration again and compares the sigmoids.
func (tr *Trainer) checkSigmoids(ctx context.Context, v *Verification, m *Model, x Examples,
	y []float32) error {
	switch {
	case m.Config.Calibrate == 0 || m.Calibration == nil:
		return errors.New("pegasos: the model has no sigmoids of folds that could be trained anew")
	case m.Start != "" && tr.Start == nil:
		return badField("Start", "the folds began with another model, which is needed: its hash is %s",
			m.Start)
	case m.Config.Patience != 0:
		return errors.New("pegasos: the folds went by data to validate with, which are not at hand")
	case v.Data != m.Data:
		return errors.New("pegasos: the sigmoids can be found anew only of rows that are held as " +
			"they were in training, dense or sparse")
	}
	t, set, err := tr.taskOf(ctx, m, x, y, func(*task) {})
	if err != nil {
		return err
	}
	again := *m
	if err := t.calibrate(ctx, &again, set); err != nil {
		return err
	}
	if v.Sigmoids = slices.Equal(again.Calibration, m.Calibration); !v.Sigmoids {
		v.Contradict("the sigmoids are not those of the %d folds, trained anew", m.Config.Calibrate)
	}
	return nil
}

// Compare holds what m claims to the result of rounds of training over shards, whose sums have
// another order. All weight vectors have to be in found.PerClass, with their lambdas.
func (m *Model) Compare(found Result) *Verification {
	v := &Verification{Hash: m.Hash(), Claimed: m.Result, Objective: found.Objective,
		Bound: found.DualObjective, Gap: found.Gap}
	if math.IsNaN(m.Result.Objective) {
		v.decide()
		return v
	}
	claimed, all := m.Result.PerClass, claim(m.Result.Objective, m.Result.DualObjective)
	t := claims.Trial{Contradict: v.Contradict, Proven: v.Proven}
	switch {
	case len(claimed) == len(m.Weights):
	case len(m.Weights) == 1:
		claimed = []ClassResult{{Objective: all.Objective, DualObjective: all.Bound}}
	default:
		claimed = resultOf(result.Result{PerClass: result.Unknown(len(m.Weights))}).PerClass
	}
	for k, p := range found.PerClass {
		of, own := claims.Of("weight vector", k, len(found.PerClass)), claimed[k]
		t.Lambda(of, own.Lambda, p.Lambda)
		compareObjectives(&t, of, own.Objective, p.Objective)
		is := claim(p.Objective, p.DualObjective)
		if !t.Bound(of, claim(own.Objective, own.DualObjective), is) {
			v.Unconfirmed = append(v.Unconfirmed, k)
		}
	}
	t.Means(all)
	if !t.Unsure {
		t.All(all, claim(v.Objective, v.Bound))
	}
	v.unsure = t.Unsure
	v.checkGap(m)
	v.decide()
	return v
}

// roundError and float32Error are how far a claimed objective may be off, as shares of the one that
// rounds find.
const (
	roundError   = 1e-11 // by the order of the sums
	float32Error = 1e-5  // by float32 dot products, which rounds don't have
)

// compareObjectives compares a claimed objective with the one found, which it may exceed a little.
func compareObjectives(t *claims.Trial, of string, claimed, found float64) {
	switch off := (claimed - found) / found; {
	case -roundError <= off && off <= float32Error, claimed == found:
	case -float32Error <= off && off < 0:
		t.Unsure = true
	default:
		t.Wrong(of, claimed, found)
	}
}
