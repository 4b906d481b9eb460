package pegasos

import (
	"fmt"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/internal/train/engine"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/rows"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// A Partial trains on rows that come in chunks, because they do not fit in memory or are not all
// there yet. The classes are known from the start. Each chunk is a pass over its rows; t, and the
// generator of random numbers, go on. The same chunks give the same model to the bit everywhere.
type Partial struct {
	cfg     Config
	classes []float32
	cols    int
	byLabel map[float32]float64
	chunks  *engine.Chunks
	from    *Model   // to go on from, as it was given; nil for none
	scaling *Scaling // of the rows; nil for none
	failed  error

	Threads int // goroutines for the classes, or pairs, of a chunk; 0 means GOMAXPROCS
}

// NewPartial returns a trainer of rows with cols columns, whose labels are among classes:
// distinct, and at least two, or none for numbers to predict. Settings that go by all rows are a
// *[ConfigError]: Scale, C, Epochs, Steps, Tol, Patience, Finish, Shards, Calibrate, Balanced, and
// Project with numbers to predict. Of each chunk there is one pass, for which Shuffled means
// Permutation. Class weights multiply the loss as they are. There is no certificate. Zero fields
// are those of [Config.Plain]: [NewPartialFrom] takes what training chose for other rows.
func NewPartial(cfg Config, classes []float32, cols int) (*Partial, error) {
	return newPartial(cfg, classes, cols, nil)
}

// NewPartialFrom returns a trainer of chunks that goes on from m as from a Trainer.Start. Columns,
// classes and settings are m's, but for the length and the end of the run and the shards. Rows, and
// numbers to predict, are given as they are, and scaled as m's were. m is not changed. Balanced,
// and C with OneVsOne, by which each pair has its own lambda, are a *[ConfigError].
func NewPartialFrom(m *Model) (*Partial, error) {
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("pegasos: the model: %w", err)
	}
	for k := range m.Weights {
		if m.lambda(k) != m.lambda(0) {
			return nil, badField("C", "have %v, which gave each pair of classes a lambda of its "+
				"own: it goes by all rows, which come in chunks here", m.Config.C)
		}
	}
	cfg := m.Config.Plain()
	settings.Only(&cfg, settings.Chunk)
	if l := m.lambda(0); l > 0 {
		cfg.Lambda = l
	}
	return newPartial(cfg, m.Classes, m.Cols(), m)
}

func newPartial(cfg Config, classes []float32, cols int, from *Model) (*Partial, error) {
	if err := cfg.checkChunks(); err != nil {
		return nil, err
	}
	if cols < 0 || cols > math.MaxInt32 {
		return nil, fmt.Errorf("pegasos: %d columns", cols)
	}
	p := &Partial{classes: append([]float32(nil), classes...), cols: cols, from: from}
	slices.Sort(p.classes)
	for i, c := range p.classes {
		if !floats.IsFinite(c) || i > 0 && c == p.classes[i-1] {
			return nil, fmt.Errorf("pegasos: classes must be finite and distinct, have %v", c)
		}
		p.classes[i] += 0 // a class is never -0
	}
	s := cfg.settings().InForce()
	if _, err := s.Vectors(len(p.classes)); err != nil {
		return nil, fmt.Errorf("pegasos: %w", err)
	}
	p.byLabel, _ = s.ClassWeights() // was validated
	for label := range p.byLabel {
		if !slices.Contains(p.classes, label) {
			return nil, badField("ClassWeight", "the label %v is none of the classes", label)
		}
	}
	if s.Order == string(Shuffled) { // for one pass that is the same, but for the work
		s.Order, s.Block = string(Permutation), 0
	}
	p.cfg = fromSettings(s)
	if from != nil && from.Scaling != nil {
		scaling := *from.Scaling
		scaling.epsilon = from.Config.Epsilon
		p.scaling = &scaling
		from = scaling.Unfold(from)
		s.Epsilon = from.Config.Epsilon
		p.cfg.Scale, p.cfg.TargetScale = p.from.Config.Scale, p.from.Config.TargetScale
	}
	p.chunks = engine.NewChunks(s, p.classes, cols, from.from())
	return p, nil
}

// checkChunks returns an error if a field is set that goes by all rows.
func (cfg Config) checkChunks() error {
	if err := cfg.Validate(); err != nil {
		return err
	}
	rest := *cfg.settings()
	for _, s := range []*string{&rest.Finish, &rest.Scale, &rest.TargetScale} {
		if *s == string(FinishNone) || *s == string(ScaleNone) {
			*s = ""
		}
	}
	if rest.Shards == 1 {
		rest.Shards = 0
	}
	bad := settings.Beyond(rest, settings.Chunk)
	if cfg.ClassWeight == Balanced {
		bad = append(bad, "ClassWeight")
	}
	if cfg.Project && cfg.Loss.Regression() {
		bad = append(bad, "Project")
	}
	if len(bad) > 0 {
		return badField(bad[0], "it goes by all rows, which come in chunks here")
	}
	return nil
}

// Fit trains on a chunk: rows, and a label for each. A chunk may lack classes, and may be empty.
// R^2 in t0 is the first one's. After an error about the rows or labels the model is what it was
// before; after a *[StepError] it is lost, and all further calls return that error.
func (p *Partial) Fit(x Examples, y []float32) error {
	if p.failed != nil {
		return p.failed
	}
	if err := store.Given(x); err != nil {
		return err
	}
	if x.Cols() != p.cols {
		return fmt.Errorf("pegasos: %d columns, want %d", x.Cols(), p.cols)
	}
	if x.Rows() == 0 && len(y) == 0 {
		return nil
	}
	if s := p.scaling.room(); s != nil && len(y) == x.Rows() {
		x, y = s.Apply(x, y, parallel.Threads(p.Threads), func() bool { return false })
		if err := store.Of(x).Err(); err != nil {
			return fmt.Errorf("pegasos: %w", err)
		}
	}
	set, err := rows.New(x, y, rows.Options{Numbers: p.cfg.Loss.Regression(), Known: p.classes})
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

// Model returns the model of this moment. Its objective is not known.
func (p *Partial) Model() (*Model, error) {
	if p.failed != nil {
		return nil, p.failed
	}
	point := p.chunks.Point()
	m := &Model{Classes: slices.Clone(p.classes), Weights: point.Weights, Bias: point.Bias,
		Lambda: p.cfg.Lambda, Config: p.cfg, Result: resultOf(point.Result)}
	if p.from != nil {
		m.Names, m.IndexBase = p.from.Names, p.from.IndexBase
		m.Scaler, m.HashBits, m.Table = p.from.Scaler, p.from.HashBits, p.from.Table
	}
	m = p.scaling.Fold(m)
	if err := m.check(); err != nil {
		return nil, &StepError{m.Result.Steps, -1, err.Error() + ": " + rows.TooLarge}
	}
	return m, nil
}
