package pegasos

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/internal/base/misuse"
	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/certificate"
	"github.com/pegasimd/pegasimd/internal/train/choose"
	"github.com/pegasimd/pegasimd/internal/train/engine"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// Verdict is the outcome of a verification.
type Verdict string

const (
	// Confirmed means that Verify found the claimed objectives, and a bound and a gap at least as
	// good as claimed, for the mean over the problems. See also Verification.Unconfirmed.
	Confirmed Verdict = "confirmed"
	// NotConfirmed means that nothing contradicts the claim, but Verify found a weaker bound, or an
	// objective that differs as another layout of the rows may cause. It does not occur with a
	// Proof.
	NotConfirmed Verdict = "not confirmed"
	// Contradicted means that the claim is wrong, or refers to other data.
	Contradicted Verdict = "contradicted"
	// ClaimsNothing means that the model claims no objective, no bound, or a gap above 100 %.
	ClaimsNothing Verdict = "claims nothing"
)

// Verification is the result of Verify. Gaps are defined as in [Result].
type Verification struct {
	Verdict   Verdict
	Reasons   []string // why the Verdict is Contradicted; nil for any other Verdict
	Hash      string   // Hash of the model
	Data      string   // fingerprint of the data, in the form of Model.Data
	Known     bool     // whether Data and Model.Data are fingerprints of equal data in any layout
	Objective float64  // P of the model as written to its file, from float64 dot products
	Bound     float64  // lower bound on the minimum of P, computed anew; NaN without a certificate
	Gap       float64  // relative duality gap of Objective and Bound
	Proven    bool     // whether Bound follows from a Proof
	Sigmoids  bool     // whether the folds were trained again and gave the same sigmoids
	// Scaling reports whether training would fit the model's Scaling to these rows. It is false if
	// the model has no Scaling, or if its claim is contradicted for another reason than sigmoids. It
	// may be false if the run built on another model, or if the layout of the rows or
	// Trainer.CurveColumns differs.
	Scaling bool
	Claimed Result // the model's own Result, which is verified
	// Unconfirmed lists, for a model of several problems, the indices of the weight vectors whose
	// claimed bound or gap Verify did not confirm.
	Unconfirmed []int
}

// VerifyOptions selects how Verify computes a bound, and whether it verifies sigmoids.
type VerifyOptions struct {
	// Proof holds the dual variables of the bound. If nil, Verify computes dual variables from the
	// margins of the rows.
	Proof *Proof
	// Passes is the number of passes of dual coordinate descent that improve the bound from the
	// margins; 0 means none. If the bound is still weaker than claimed, Verify makes up to 21 times
	// Passes in all. If Passes is not 0, some iterations of Newton's method may follow, provided
	// that the model's Finish is FinishNewton or FinishAuto, its Multiclass is not joint, it has at
	// most 2,000 columns, and the memory suffices.
	Passes int
	// Sigmoids makes Verify train the folds of Config.Calibrate again. The verdict is Contradicted
	// unless this gives the model's sigmoids, to the bit. The trainer's Start and the layout of the
	// rows must be as in training.
	Sigmoids bool
}

// Verify checks the claims of m.Result against the rows of x with the labels y: it computes the
// objective and a lower bound on its minimum anew. Weights, Costs, Prior and Holdout of tr must be
// as in training; Verify does not use the Config of tr. The error says why the claims can't be
// checked.
func (tr *Trainer) Verify(ctx context.Context, m *Model, x Examples, y []float32,
	o VerifyOptions) (*Verification, error) {
	misuse.Context(ctx)
	if o.Passes < 0 {
		return nil, fmt.Errorf("pegasos: Passes: have %d, want 0 or more", o.Passes)
	}
	if tr.Holdout != 0 {
		return tr.verifyHoldout(ctx, m, x, y, o)
	}
	t, s, err := tr.newVerifySession(ctx, m, x, y)
	if err != nil {
		return nil, err
	}
	v := &Verification{Hash: m.Hash(), Data: s.Fingerprint(ctx), Claimed: m.Result,
		Proven: o.Proof != nil}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	v.checkData(m)
	point := t.scaledPoint(m)
	v.checkSettings(m, point.Bias)
	check := engine.Check{Passes: o.Passes, Finish: string(m.Config.Finish),
		Claims: proof.Result(m.Result)}
	if o.Proof != nil {
		check.Proof = o.Proof.proof.Vectors
		if err := v.checkProof(o.Proof.proof, m, s); err != nil {
			return nil, err
		}
	}
	found, all := s.Verify(ctx, point, check)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	v.Objective, v.Bound, v.Gap = all.Objective, all.DualObjective, all.Gap
	if !(v.Objective < math.Inf(1)) {
		return nil, errors.New("pegasos: the objective is not finite: the rows, or the model's " +
			"weights or biases, are too large")
	}
	if m.Lambda != s.Runs[0].Lambda {
		v.Contradict("the model's config and the data give lambda %v, but its lambda is %v", s.Runs[0].Lambda,
			m.Lambda)
	}
	c := proof.Comparison{Contradict: v.Contradict, Proven: v.Proven,
		SameData: v.Known && v.Data == m.Data}
	c.Linear(check.Claims, len(m.Weights), s.Joint(), found, all.Claim())
	v.Unconfirmed = c.Unconfirmed
	v.checkGap(m)
	if m.Scaling != nil && len(v.Reasons) == 0 {
		if v.Scaling, err = t.isFittedScaling(m, x, y); err != nil {
			return nil, err
		}
	}
	if o.Sigmoids && len(v.Reasons) == 0 {
		if err := tr.checkSigmoids(ctx, v, m, x, y); err != nil {
			return nil, err
		}
	}
	v.decide(c.Unsure)
	return v, nil
}

func (tr *Trainer) newVerifySession(ctx context.Context, m *Model, x Examples,
	y []float32) (*task, *engine.Session, error) {
	if err := m.Validate(); err != nil {
		return nil, nil, err
	}
	if have := x.Cols(); have != m.Cols() {
		return nil, nil, fmt.Errorf("pegasos: the rows have %s, the model has %d",
			plural.Count(have, "feature"), m.Cols())
	}
	if m.inputs > 0 {
		return nil, nil, fmt.Errorf("pegasos: WithCols reduced the features of a model with curves "+
			"from %d to %d: verify the model as it was before", m.trainedCols(), m.inputs)
	}
	switch {
	case m.Prior != "" && tr.Prior == nil:
		return nil, nil, configErrorf("Prior", "the model was trained with a prior: want the model "+
			"with the hash %s", m.Prior)
	case m.Prior == "" && tr.Prior != nil:
		return nil, nil, configErrorf("Prior", "the model was trained without a prior: want none")
	case m.Prior != "" && tr.Prior.Hash() != m.Prior:
		return nil, nil, configErrorf("Prior", "have the model with the hash %q, but training used the "+
			"prior with the hash %q", tr.Prior.Hash(), m.Prior)
	}
	if tr.Start != nil && m.Start == "" {
		return nil, nil, configErrorf("Start", "the model's run did not start from a model: want none")
	}
	if tr.Start != nil && tr.Start.Hash() != m.Start {
		return nil, nil, configErrorf("Start", "have the model with the hash %q, but the run started "+
			"from the one with the hash %q", tr.Start.Hash(), m.Start)
	}
	t, set, err := tr.taskFor(ctx, m, x, y, func(t *task) {
		settings.KeepOnly(&t.Config, settings.Problem)
		t.Epochs, t.Average, t.Start, t.verifies = 1, LastIterate, nil, true
		if strings.HasPrefix(m.Result.Solver, string(FinishDual)) && t.Order == Shuffled {
			t.Order, t.Block = Permutation, 0 // dual descent does not copy rows in shuffled order
		}
	})
	if err != nil {
		return nil, nil, err
	}
	s, err := engine.New(t.job(set))
	if err != nil {
		return nil, nil, publicError(options.OfModel("pegasos", err))
	}
	return t, s, nil
}

// taskFor returns a task with the settings of m, which change may modify, and the scaled rows.
func (tr *Trainer) taskFor(ctx context.Context, m *Model, x Examples, y []float32,
	change func(*task)) (*task, *store.Set, error) {
	t := &task{classes: m.Classes, prepareCtx: ctx, Trainer: Trainer{Config: m.Config,
		Threads: tr.Threads, Weights: tr.Weights, Start: tr.Start, Prior: tr.Prior,
		Costs: tr.Costs, MaxMemory: tr.MaxMemory, CurveColumns: tr.CurveColumns}}
	change(t)
	if err := cmp.Or(t.validate(), t.checkCurveColumns(m.trainedCols())); err != nil {
		return nil, nil, err
	}
	if s := m.Scaling.internal(); s != nil {
		room := float64(cmp.Or(t.MaxMemory, options.DefaultMaxMemory)) / 2
		given := y
		x, y = s.Apply(x, y, room, parallel.Threads(t.Threads), t.stopped)
		if err := checkScaled(given, y); err != nil {
			return nil, nil, err
		}
		t.Epsilon /= s.TargetUnit()
		t.scale = s
	}
	if err := cmp.Or(t.checkModels(), t.rescaleModels(m.Cols())); err != nil {
		return nil, nil, err
	}
	set, err := t.newSet(x, y)
	return t, set, err
}

// scaledPoint returns the weights of m for scaled rows. If m has a Scaling, the Folded field of the
// result holds the weights for unscaled rows.
func (t *task) scaledPoint(m *Model) *engine.Point {
	p := &engine.Point{Weights: m.Weights, Bias: m.Bias}
	if t.scale != nil {
		u := m.Scaling.Unfold(m)
		p = &engine.Point{Weights: u.Weights, Bias: u.Bias, Folded: p}
	}
	return p
}

// ProofError is an error about VerifyOptions.Proof.
type ProofError struct{ Reason string }

func (e *ProofError) Error() string { return "pegasos: the proof " + e.Reason }

func (v *Verification) checkProof(p *certificate.Proof, m *Model, s *engine.Session) error {
	switch have := m.proofHash(); {
	case p.Model != have:
		return &ProofError{fmt.Sprintf("belongs to another model: its hash of weights, biases and "+
			"classes is %.99q, the model's is %s", p.Model, have)}
	case p.Data != v.Data && !sameData(p.Data, v.Data):
		return &ProofError{"belongs to other rows, labels, weights or prior, or to another order of " +
			"the rows"}
	case p.Data != v.Data:
		return &ProofError{fmt.Sprintf("is for %s rows, but the rows are %s", layoutOf(p.Data),
			layoutOf(v.Data))}
	case !s.Fits(p.Vectors):
		return &ProofError{"has a number of dual variables that does not fit the problem"}
	}
	return nil
}

// sameData reports whether two fingerprints are equal apart from the layout before the colon.
func sameData(a, b string) bool {
	_, a, _ = strings.Cut(a, ":")
	_, b, _ = strings.Cut(b, ":")
	return a == b
}

// layoutOf names the layout of the rows in a fingerprint.
func layoutOf(data string) string {
	layout, _, _ := strings.Cut(data, ":")
	if layout == "other" {
		return "user-defined"
	}
	return layout
}

func (v *Verification) checkData(m *Model) {
	v.Known = m.Data != "" && sameData(v.Data, m.Data)
	if m.Data != "" && !v.Known {
		why := "they have other rows, labels, weights or prior, or another order"
		if m.Table != nil {
			why += ", or the model's table was changed"
		}
		v.Contradict("the data are not the model's training data: %s", why)
	}
}

// biases are the biases of m for scaled rows.
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
		v.Contradict("config.scale is %s, but scaling.kind is %s", cfg.Scale, is.Kind)
	case cfg.Curves != is.Expansion.KindOf():
		v.Contradict("config.curves is %s, but scaling.expansion has %s", cfg.Curves,
			is.Expansion.KindOf())
	case cfg.TargetScale != target:
		v.Contradict("config.target_scale is %s, but by scaling.spread it is %s", cfg.TargetScale,
			target)
	case cfg.Bias == BiasNone && m.Prior == "" && // with a Prior the model has the prior's bias
		slices.ContainsFunc(biases, func(b float64) bool { return b != 0 }):
		v.Contradict("config.bias is %s, but the model has a bias", cfg.Bias)
	case cfg.Bias != BiasNone && m.Bias == nil:
		v.Contradict("config.bias is %s, but the model has no bias", cfg.Bias)
	}
}

// Contradict adds a reason, formatted by fmt.Sprintf, and sets the Verdict to Contradicted.
func (v *Verification) Contradict(format string, a ...any) {
	v.Reasons = append(v.Reasons, fmt.Sprintf(format, a...))
	v.Verdict = Contradicted
}

func (v *Verification) checkGap(m *Model) {
	if m.gapMismatch != "" {
		v.Contradict("%s", m.gapMismatch)
	}
}

// decide sets the Verdict. unsure means that a claim was neither confirmed nor contradicted.
func (v *Verification) decide(unsure bool) {
	v.Verdict = Verdict(proof.Verdict(len(v.Reasons), proof.Result(v.Claimed).Claim(), unsure))
	if v.Verdict == NotConfirmed && v.Proven {
		v.Contradict("the objective differs from the claimed objective, although the data and their " +
			"layout are the proof's")
	}
}

func (t *task) isFittedScaling(m *Model, x Examples, y []float32) (bool, error) {
	set, err := t.newSet(x, y)
	if err != nil {
		return false, err
	}
	fits, err := choose.Fits(m.Scaling.internal(), set, t.CurveColumns, parallel.Threads(t.Threads),
		t.stopped)
	if t.stopped() {
		err = t.prepareCtx.Err()
	}
	return fits, publicError(err)
}

func (tr *Trainer) checkSigmoids(ctx context.Context, v *Verification, m *Model, x Examples,
	y []float32) error {
	switch {
	case m.Calibration == nil:
		return errors.New("pegasos: the model has no sigmoids")
	case m.Config.Calibrate == 0:
		return errors.New("pegasos: the sigmoids can't be verified: they were not fitted by folds")
	case m.Start != "" && tr.Start == nil:
		return configErrorf("Start", "want the model with the hash %s, from which the folds began",
			m.Start)
	case m.Config.Patience != 0:
		return errors.New("pegasos: the sigmoids can't be verified: the folds were trained with " +
			"patience, on validation rows that the verification does not have")
	case m.Data == "":
		return errors.New("pegasos: the sigmoids can't be verified: the model has no fingerprint of " +
			"the training data")
	case v.Data != m.Data:
		return fmt.Errorf("pegasos: the sigmoids can't be verified: the rows are %s, but were %s in "+
			"training", layoutOf(v.Data), layoutOf(m.Data))
	}
	t, set, err := tr.taskFor(ctx, m, x, y, func(*task) {})
	if err != nil {
		return err
	}
	if t.scale != nil { // the choice of solvers depends on t.columns
		raw, err := t.newSet(x, y)
		if err != nil {
			return err
		}
		t.columns = choose.Columns(t.scale, raw, parallel.Threads(t.Threads), t.stopped)
	}
	again := *m
	if err := t.calibrate(ctx, &again, set); err != nil {
		return err
	}
	if v.Sigmoids = slices.Equal(again.Calibration, m.Calibration); !v.Sigmoids {
		v.Contradict("the %d folds, trained again, give other sigmoids", m.Config.Calibrate)
	}
	return nil
}

// Compare checks the claims of m.Result against found, the objectives and bounds of m computed from
// parts of the data. found.PerClass must have an entry, with its Lambda, for every weight vector.
func (m *Model) Compare(found Result) *Verification {
	v := &Verification{Hash: m.Hash(), Claimed: m.Result, Objective: found.Objective,
		Bound: found.DualObjective, Gap: found.Gap}
	var problems []proof.Found
	for k, p := range found.PerClass {
		problems = append(problems, proof.Found{Vector: k, Lambda: p.Lambda,
			Exact: proof.Measurement{Objective: p.Objective, Bound: p.DualObjective}})
	}
	c := proof.Comparison{Contradict: v.Contradict, Parts: true}
	c.Linear(proof.Result(m.Result), len(m.Weights), false, problems, proof.Result(found).Claim())
	v.Unconfirmed = c.Unconfirmed
	v.checkGap(m)
	v.decide(c.Unsure)
	return v
}
