package pegasos

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/engine"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// Partial trains on rows that arrive in chunks, in one pass over each chunk. The step count t and
// the random number generator continue from chunk to chunk. The same chunks give the same model, to
// the bit, on every machine.
type Partial struct {
	cfg     Config
	classes []float32 // distinct labels, ascending; empty for regression
	cols    int
	byLabel map[float32]float64 // nil if all weights are 1
	chunks  *engine.Chunks
	from    *Model   // model given to NewPartialFrom; else nil
	scaling *Scaling // nil if chunks are not scaled
	failed  error    // StepError of an earlier Fit

	// Threads limits the goroutines of Fit: see Trainer.Threads.
	Threads int
}

// NewPartial returns a trainer for chunks of rows with cols columns. classes lists the labels of
// all chunks: at least two, all distinct, or none for regression. Settings for the whole data cause
// a *[ConfigError]: Scale, TargetScale, Curves and Finish unless they are "none", C, Epochs, Steps,
// Tol, Patience, Calibrate, Balanced, and Project for regression. Shuffled visits a chunk's rows in
// a random order without blocks; the model's Config then has the Order [Permutation]. Class weights
// multiply the loss, without division by their mean. There is no certificate. Zero fields mean the
// values of [Config.Plain], but each chunk is visited once.
func NewPartial(cfg Config, classes []float32, cols int) (*Partial, error) {
	return newPartial(cfg, classes, cols, nil)
}

// NewPartialFrom returns a trainer for chunks that continues from m as from a Trainer.Start, with
// the settings of m that NewPartial allows. Fit takes unscaled rows and targets and scales them
// like the training data of m. m is not changed. The error is a *[ConfigError] if m was trained
// with Balanced or with Project for regression, or if C and OneVsOne gave its pairs different
// lambdas. Other errors say that m is invalid or has an Expansion.
func NewPartialFrom(m *Model) (*Partial, error) {
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("pegasos: the model: %w", err)
	}
	for k := range m.Weights {
		if m.lambda(k) != m.lambda(0) {
			return nil, configErrorf("C", "have %v, with which the lambdas of the model's weight vectors "+
				"differ and depend on all rows: chunks can't continue the model", m.Config.C)
		}
	}
	cfg := m.Config.Plain()
	settings.KeepOnly(&cfg, settings.Chunk)
	if l := m.lambda(0); l > 0 {
		cfg.Lambda = l
	}
	if cfg.Order == Permutation { // a Partial trained m with Shuffled
		cfg.Order = Shuffled
	}
	return newPartial(cfg, m.Classes, m.Cols(), m)
}

// base is the model to continue from, or nil.
func newPartial(cfg Config, classes []float32, cols int, base *Model) (*Partial, error) {
	if err := cfg.checkChunks(); err != nil {
		return nil, err
	}
	if cols < 0 || cols > math.MaxInt32 {
		return nil, fmt.Errorf("pegasos: %d columns, want 0 to 2^31-1", cols)
	}
	p := &Partial{classes: append([]float32(nil), classes...), cols: cols, from: base}
	slices.Sort(p.classes)
	for i, c := range p.classes {
		if !floats.IsFinite(c) {
			return nil, fmt.Errorf("pegasos: the class %v is not finite", c)
		}
		if i > 0 && c == p.classes[i-1] {
			return nil, fmt.Errorf("pegasos: the class %v is listed twice", c)
		}
		p.classes[i] += 0 // -0 becomes 0
	}
	s := cfg.settings().InForce()
	if _, err := s.Vectors(len(p.classes)); err != nil {
		return nil, fmt.Errorf("pegasos: %w", err)
	}
	p.byLabel, _ = s.ClassWeights()
	for label := range p.byLabel {
		if !slices.Contains(p.classes, label) {
			return nil, configErrorf("ClassWeight", "the label %v is not one of the classes", label)
		}
	}
	if s.Order == string(Shuffled) {
		s.Order, s.Block = string(Permutation), 0
	}
	p.cfg = fromSettings(s)
	if base != nil && base.Scaling.internal().Terms() > 0 {
		return nil, fmt.Errorf("pegasos: the model has curves (Scaling.Expansion), which chunks can't "+
			"continue: train it with Curves %q", CurvesNone)
	}
	if base != nil && base.Scaling != nil {
		p.scaling = base.Scaling
		base = p.scaling.Unfold(base)
		s.Epsilon = base.Config.Epsilon
		p.cfg.Scale, p.cfg.TargetScale = p.from.Config.Scale, p.from.Config.TargetScale
	}
	p.chunks = engine.NewChunks(s, p.classes, cols, base.point())
	return p, nil
}

func (cfg Config) checkChunks() error {
	if err := cfg.Validate(); err != nil {
		return err
	}
	rest := *cfg.settings()
	if rest.Finish == string(FinishNone) {
		rest.Finish = ""
	}
	if rest.Curves == CurvesNone {
		rest.Curves = ""
	}
	for _, s := range []*Scale{&rest.Scale, &rest.TargetScale} {
		if *s == ScaleNone {
			*s = ""
		}
	}
	bad := settings.SetBeyond(rest, settings.Chunk)
	switch {
	case len(bad) > 0 && slices.Contains(strings.Fields("Finish Scale TargetScale Curves"), bad[0]):
		return configErrorf(bad[0], "for chunks it can only be %q", FinishNone)
	case len(bad) > 0:
		return configErrorf(bad[0], "it can't be set for chunks")
	case cfg.ClassWeight == Balanced:
		return configErrorf("ClassWeight", "for chunks it can't be %q", Balanced)
	case cfg.Project && cfg.Loss.Regression():
		return configErrorf("Project", "it can't be set for chunks with the %s %q",
			options.Name("Loss"), cfg.Loss)
	}
	return nil
}

// Fit trains on a chunk, the rows of x with the labels y. A chunk may be empty or lack some of the
// classes. The step-size offset t0 is computed from the first chunk that has rows (in one-vs-one,
// rows of the pair). An error for the rows or labels leaves the model unchanged. After a
// *[StepError] the model is lost, and all further calls of Fit and Model return that error.
func (p *Partial) Fit(x Examples, y []float32) error {
	if p.failed != nil {
		return p.failed
	}
	if err := store.CheckExamples(x); err != nil {
		return err
	}
	if x.Cols() != p.cols {
		return fmt.Errorf("pegasos: the rows have %s, want %d", plural.Count(x.Cols(), "column"),
			p.cols)
	}
	if x.Rows() == 0 && len(y) == 0 {
		return nil
	}
	if s := p.scaling.internal(); s != nil && len(y) == x.Rows() {
		given := y
		x, y = s.Apply(x, y, 0, parallel.Threads(p.Threads), func() bool { return false })
		if err := checkScaled(given, y); err != nil {
			return err
		}
		if err := store.Of(x).Err(); err != nil {
			return fmt.Errorf("pegasos: %w", err)
		}
	}
	set, err := store.NewSet(x, y, store.SetOptions{
		Regression: p.cfg.Loss.Regression(), Known: p.classes})
	if err != nil {
		return publicError(err)
	}
	if p.byLabel != nil {
		for _, label := range y {
			w, ok := p.byLabel[label]
			if !ok {
				w = 1
			}
			set.Weight = append(set.Weight, w)
		}
	}
	err = p.chunks.Train(set, p.Threads)
	if _, lost := err.(*iterate.Error); lost {
		p.failed = publicError(err)
	}
	return publicError(err)
}

// Model returns the model after the chunks so far, without objective, bound and gap. The error is a
// *[StepError] of an earlier Fit, or a new *StepError if a weight or bias is not finite.
func (p *Partial) Model() (*Model, error) {
	if p.failed != nil {
		return nil, p.failed
	}
	point := p.chunks.Point()
	m := &Model{Classes: slices.Clone(p.classes), Weights: point.Weights, Bias: point.Bias,
		Lambda: p.cfg.Lambda, Config: p.cfg, Result: Result(point.Result)}
	if p.from != nil {
		m.Names, m.IndexBase = p.from.Names, p.from.IndexBase
		m.HashBits, m.Table = p.from.HashBits, p.from.Table
	}
	if m = p.scaling.Fold(m); p.scaling != nil {
		m.Config.Epsilon = p.from.Config.Epsilon // without the rounding errors of Unfold and Fold
	}
	if err := m.check(); err != nil {
		return nil, &StepError{m.Result.Steps, -1, err.Error() + ": " + store.TooLarge}
	}
	return m, nil
}
