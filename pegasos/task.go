package pegasos

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/model/labels"
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/certificate"
	"github.com/pegasimd/pegasimd/internal/train/choose"
	"github.com/pegasimd/pegasimd/internal/train/engine"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/internal/train/settings"
	"github.com/pegasimd/pegasimd/internal/train/trials"
	"github.com/pegasimd/pegasimd/metrics"
)

// ErrPaused is returned by Train, along with the model so far, when the run reaches Trainer.Pause.
var ErrPaused = errors.New("pegasos: the run is paused")

func (t *task) prepare(x Examples, y []float32) (*store.Set, error) {
	from := cmp.Or(t.Resume, t.Start, t.Prior)
	if from != nil {
		cfg := t.settings()
		cfg.FillFrom(*from.Config.settings(), t.Resume != nil)
		t.Config = fromSettings(*cfg)
		what := map[*Model]string{t.Prior: "Prior", t.Start: "Start", t.Resume: "Resume"}[from]
		if err := t.checkLoss(what, from); err != nil && len(from.Weights) > 0 {
			return nil, err
		}
	}
	if t.Resume != nil {
		t.crossValidated = t.Resume.Result.CrossValidated
	}
	if err := cmp.Or(t.Config.Validate(), t.validate(), t.checkModels()); err != nil {
		return nil, err
	}
	set, err := t.newSet(x, y)
	if err == nil {
		err = t.checkCurveColumns(x.Cols())
	}
	if err != nil {
		return nil, err
	}
	// A Scaling of Resume is used again.
	scaled := t.Resume != nil && t.Resume.Scaling != nil
	unscaled := t.Scale == ScaleNone && t.TargetScale == ScaleNone && t.Curves == CurvesNone &&
		!scaled
	if unscaled && t.Config.Plain() == t.Config {
		return set, t.rescaleModels(x.Cols())
	}
	open := choose.Open{Settings: *t.Config.settings(), Resumed: t.Resume != nil,
		Start: t.Start != nil && t.Resume == nil, Prior: t.Prior != nil, Costs: t.Costs != nil,
		CurveColumns: t.CurveColumns,
		Threads:      parallel.Threads(t.Threads), MaxMemory: t.MaxMemory, Stopped: t.stopped,
		Need: func(s settings.Settings, set *store.Set) float64 {
			job := t.job(set)
			job.Settings = s
			return engine.Need(job)
		}}
	if from != nil {
		open.Known = from.Scaling.internal()
	}
	c, err := choose.Settings(open, set)
	if t.stopped() {
		err = t.prepareCtx.Err()
	}
	if err != nil {
		return nil, publicError(err)
	}
	if s := c.Search(); s != nil {
		best, lambda, estimate, err := trials.Best(s, func(c *choose.Choice) engine.Job {
			t.use(c)
			return t.job(c.Rows)
		})
		if t.stopped() {
			return nil, t.prepareCtx.Err()
		}
		if err != nil {
			return nil, publicError(err)
		}
		c, t.crossValidated = best, estimate
		c.Use(s, lambda)
	}
	c.End()
	t.use(c)
	return c.Rows, cmp.Or(t.checkKeepProof(), t.rescaleModels(x.Cols()))
}

func (t *task) use(c *choose.Choice) {
	t.Config = fromSettings(c.Settings)
	t.scale, t.rawEpsilon = c.Scale, c.RawEpsilon
	t.MaxMemory, t.columns = c.MaxMemory, c.Cols()
}

func (t *task) validate() error {
	return cmp.Or(publicError(options.Check([]options.Rule{
		options.Range("Threads", t.Threads, 0, math.MaxInt, "0 or more"),
		options.Range("Pause", t.Pause, 0, math.MaxInt64, "0 or more"),
		options.Range("MaxMemory", t.MaxMemory, 0, math.MaxInt64, "0 or more"),
	})), t.checkKeepProof(), t.validateRows(t.Valid))
}

// checkKeepProof must be called again once Multiclass is chosen.
func (t *task) checkKeepProof() error {
	cfg := t.Config.settings()
	return publicError(options.Check([]options.Rule{
		options.Not("KeepProof", t.KeepProof && t.Order == IID,
			"with %s %q there is no bound to prove", options.Name("Order"), cfg.Order),
		options.Not("KeepProof", t.KeepProof && !cfg.HasBound(),
			"with %s %q and %s %q there is no bound to prove", options.Name("Bias"), cfg.Bias,
			options.Name("Multiclass"), cfg.Multiclass),
	}))
}

func (t *task) validateRows(v *Labelled) error {
	if t.Patience == 0 {
		return nil
	}
	const valid = options.Name("Valid")
	if v == nil || v.X == nil {
		return configErrorf("Patience", "have %d, which needs %s", t.Patience, valid)
	}
	reason := func(err error) string { return strings.TrimPrefix(err.Error(), "pegasos: ") }
	if err := t.checkColumns(v.X); err != nil {
		return configErrorf("Patience", "have %d, but the rows of %s can't be used: %s", t.Patience,
			valid, reason(err))
	}
	if v.X.Rows() == 0 || len(v.Y) != v.X.Rows() {
		return configErrorf("Patience", "have %d, which needs rows in %s, and a label for each of them",
			t.Patience, valid)
	}
	if _, err := labels.Weigh(v.Y, v.Weights, nil, store.BadRow); err != nil {
		return configErrorf("Patience", "the weights of %s can't be used: %s", valid, reason(err))
	}
	for i, y := range v.Y {
		if t.Loss.Regression() && !floats.IsFinite(y) && (v.Weights == nil || v.Weights[i] > 0) {
			return configErrorf("Patience", "the label of row %d of %s is %v, want a finite number", i,
				valid, y)
		}
	}
	return nil
}

func (t *task) newSet(x Examples, y []float32) (*store.Set, error) {
	byLabel, err := t.settings().ClassWeights()
	if err != nil {
		return nil, publicError(err)
	}
	if err := t.checkColumns(x); err != nil {
		return nil, err
	}
	maps.DeleteFunc(byLabel, func(label float32, _ float64) bool { // a class may have no rows
		return (t.verifies || slices.Contains(t.classes, label)) && !slices.Contains(y, label)
	})
	set, err := store.NewSet(x, y, store.SetOptions{Regression: t.Loss.Regression(), Known: t.classes,
		Weights: t.Weights, ByLabel: byLabel})
	return set, publicError(err)
}

// checkScaled returns an error if a finite label of y is not finite in scaled.
func checkScaled(y, scaled []float32) error {
	for i, v := range scaled[:min(len(y), len(scaled))] {
		if floats.IsFinite(y[i]) && !floats.IsFinite(v) {
			return newRowError(i, "the scaled label exceeds the range of float32")
		}
	}
	return nil
}

func (t *task) checkColumns(x Examples) error {
	return publicError(options.CheckRows(x, t.MaxMemory))
}

func (t *task) checkCurveColumns(cols int) error {
	last := -1
	for _, j := range t.CurveColumns {
		if j <= last || j >= cols {
			return configErrorf("CurveColumns", "have %d, want different columns in ascending order, 0 "+
				"or more and below %d", t.CurveColumns, cols)
		}
		last = j
	}
	return nil
}

// checkModels also sets t.priorHash, t.startHash and, if there is a Prior or a Start, t.classes.
func (t *task) checkModels() error {
	for i, m := range []*Model{t.Prior, t.Start} {
		what := []string{"Prior", "Start"}[i]
		if m == nil {
			continue
		}
		if err := m.check(); err != nil {
			return configErrorf(what, "%v", err)
		}
		have, want := m.Config.Plain().Multiclass, t.Config.Plain().Multiclass
		if err := t.checkLoss(what, m); err != nil {
			return err
		}
		switch {
		case have != want && (len(m.Classes) > 2 || have.Joint() || want.Joint()):
			return configErrorf(what, "the model's %s is %q, want %q",
				options.Name("Multiclass"), have, want)
		case m.Scaling.internal().Terms() > 0:
			return configErrorf(what, "the model has curves, want a model without: train it with %s %q",
				options.Name("Curves"), CurvesNone)
		case t.classes != nil && !slices.Equal(t.classes, m.Classes):
			return configErrorf(what, "the model's classes differ from the other model's: only one of "+
				"the two has the class %v", firstOfOne(m.Classes, t.classes))
		}
		t.classes = m.Classes
	}
	if t.Prior != nil {
		t.priorHash = t.Prior.Hash()
	}
	if t.Start != nil {
		t.startHash = t.Start.Hash()
		for k := range t.Start.Weights {
			if n := t.Start.vectorResult(k).Steps; n < 0 || n > options.MaxSteps {
				return configErrorf("Start", "the model has taken %d steps, want 0 to 2^53", n)
			}
		}
	}
	return t.checkResumed()
}

// checkResumed checks Resume, if any, and compares Start with the Start of its run. It also sets
// t.startHash and, for a run with a Start, t.classes.
func (t *task) checkResumed() error {
	if t.Resume == nil {
		return nil
	}
	if err := t.Resume.check(); err != nil {
		return configErrorf("Resume", "%v", err)
	}
	want := t.Resume.Start
	switch {
	case t.Start != nil && want == "":
		return configErrorf("Start", "the run to resume did not start from a model: want none")
	case t.Start != nil && t.startHash != want:
		return configErrorf("Start", "the run to resume started from another model, with the hash "+
			"%.16s...", want)
	case t.Start == nil && want != "" && t.Calibrate > 0 &&
		t.Calibrate == t.Resume.Config.Calibrate: // another number of folds is an error of its own
		return configErrorf("Start", "want the model with the hash %.16s..., from which the run to "+
			"resume started: %s trains from it, too", want, options.Name("Calibrate"))
	}
	if t.startHash = want; want != "" && t.classes == nil {
		t.classes = t.Resume.Classes // the Start's, of which some may have no rows
	}
	return nil
}

func (t *task) checkLoss(what string, m *Model) error {
	if (m.Classes == nil) == t.Loss.Regression() {
		return nil
	}
	have, want := "classes", "regression"
	if m.Classes == nil {
		have, want = want, have
	}
	return configErrorf(what, "the model is for %s, but the loss %s is for %s", have,
		t.Config.Plain().Loss, want)
}

// firstOfOne returns the least label that only one of a and b has. Both ascend, and they differ.
func firstOfOne(a, b []float32) float32 {
	k := 0
	for k < len(a) && k < len(b) && a[k] == b[k] {
		k++
	}
	return slices.Min(slices.Concat(a[k:min(k+1, len(a))], b[k:min(k+1, len(b))]))
}

func (t *task) rescaleModels(cols int) error {
	for i, m := range []**Model{&t.Start, &t.Prior, &t.Resume} {
		what, from := []string{"Start", "Prior", "Resume"}[i], *m
		if from == nil {
			continue
		}
		s := cmp.Or(t.scale, &scale.Scale{Kind: scale.None, Folded: true})
		own := from.Scaling.internal()
		unfoldable := own != nil && !own.Folded || !s.Folded && s.Kind == scale.Unit
		if unfoldable && !own.Same(s) {
			kind := scale.None
			if own != nil {
				kind = own.Kind
			}
			return configErrorf(what, "the model's %s is %q, the run's is %q: the model's weights "+
				"can't be converted", options.Name("Scale"), kind, s.Kind)
		}
		*m = from.WithCols(cols)
		if t.scale != nil {
			*m = (*Scaling)(t.scale).Unfold(*m)
		}
	}
	return nil
}

// trainOnce returns a model for unscaled rows if folded is true, else for scaled rows.
func (t *task) trainOnce(ctx context.Context, set *store.Set, folded bool) (*Model, error) {
	job := t.job(set)
	var s *engine.Session
	if f := t.Progress; f != nil {
		job.Progress, job.Early = func(p engine.Progress) {
			f(Progress{p.Epoch, p.Steps, p.TotalSteps, p.Violations, t, s})
		}, t.Early
	}
	var err error
	if s, err = engine.New(job); err != nil {
		return nil, publicError(err)
	}
	p, stopped, err := s.Train(ctx)
	if err != nil {
		return nil, publicError(err)
	}
	m := t.model(s, p, folded)
	if stopped {
		return m, cmp.Or(ctx.Err(), ErrPaused)
	}
	if t.Fingerprint || t.KeepProof {
		if m.Data = s.Fingerprint(ctx); ctx.Err() != nil {
			(*proof.Result)(&m.Result).Unmeasure()
			return m, ctx.Err()
		}
	}
	if t.KeepProof {
		vectors, err := s.Prove()
		if err != nil {
			return nil, err
		}
		m.Proof = &Proof{&certificate.Proof{Model: m.proofHash(), Data: m.Data,
			Vectors: vectors}}
	}
	return m, nil
}

func (t *task) job(set *store.Set) engine.Job {
	job := engine.Job{
		Settings: *t.Config.settings(), Rows: set, Scale: t.scale, Columns: t.columns,
		Prior: t.Prior.point(), PriorHash: t.priorHash, Costs: t.Costs,
		Threads: t.Threads, MaxMemory: t.MaxMemory, Pause: t.Pause, KeepState: t.KeepState,
		KeepProof: t.KeepProof, Verifies: t.verifies, Until: t.prepareCtx,
	}
	if m := t.Resume; m == nil {
		job.Start = t.Start.point()
	} else {
		job.Resume = &engine.Resume{Settings: *m.Config.settings()}
		if m.State != nil {
			job.Resume.State = &m.State.state
		}
	}
	if t.Patience > 0 {
		job.Quality = func(p *engine.Point) float64 {
			m := &Model{Config: t.Config, Classes: set.Classes, Weights: p.Weights, Bias: p.Bias,
				Scaling: (*Scaling)(t.scale)}
			return m.quality(t.Valid)
		}
	}
	return job
}

func (m *Model) point() *engine.Point {
	if m == nil {
		return nil
	}
	p := &engine.Point{Weights: m.Weights, Bias: m.Bias, Result: proof.Result(m.Result)}
	p.Result.PerClass = nil
	for k := range m.Weights {
		p.Result.PerClass = append(p.Result.PerClass, m.vectorResult(k))
	}
	return p
}

func (t *task) model(s *engine.Session, p *engine.Point, folded bool) *Model {
	m := &Model{Classes: slices.Clone(s.Rows.Classes), Weights: p.Weights, Bias: p.Bias,
		Lambda: s.Runs[0].Lambda, Config: fromSettings(s.Settings), Prior: t.priorHash,
		Start: t.startHash, Result: Result(p.Result)}
	m.Result.CrossValidated = t.crossValidated
	if folded && t.scale != nil {
		p = p.Fold(t.scale)
		m.Weights, m.Bias = p.Weights, p.Bias
		scaling := Scaling(*t.scale)
		m.Scaling, m.Config.Epsilon = &scaling, t.rawEpsilon
	}
	if t.KeepState {
		m.State = &State{*s.Checkpoint()}
	}
	return m
}

func (m *Model) quality(d *Labelled) float64 {
	if m.Classes == nil {
		rmse := metrics.RMSE(d.Y, m.DecisionAll(d.X), d.Weights)
		return -float64(rmse * rmse)
	}
	return metrics.Accuracy(d.Y, m.PredictAll(d.X), d.Weights)
}
