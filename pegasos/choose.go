package pegasos

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/labels"
	"github.com/pegasimd/pegasimd/internal/misuse"
	"github.com/pegasimd/pegasimd/internal/options"
	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/internal/train/rows"
)

// This file has what is chosen by the data where the Config says nothing. The rule and its numbers
// come from a trial on 78 problems: docs/defaults.md has what they are, and why.

const (
	fewColumns  = 256 // up to these, columns are standardised
	denseFill   = 0.25
	scalesApart = 10      // of columns: the largest of the many to the smallest of them
	longApart   = 3       // of rows: the mean squared length to the median
	lengthsVary = 1.01    // of rows: the largest squared length to the least
	mostGrowth  = 4       // of sparse rows that become dense, in bytes
	mostEmpty   = 1 << 20 // bytes of empty columns in dense rows

	mostMapped = 1 << 30 // bytes of a copy of mapped rows

	shareOfR2   = 1e-4 // lambda
	leastOfRows = 0.3  // lambda times the rows, as a share of R^2
	ofSquared   = 0.03 // likewise for the loss Squared

	rowsOfPairs  = 70  // for each class, for one-vs-one
	rowsOfWide   = 200 // likewise, of few values of many columns
	mostOfPairs  = 4e6 // weights of all pairs
	fewPasses    = 10  // over many sparse columns
	mostPasses   = 2000
	enoughVisits = 1e6  // of nonzeros, in all passes
	manyPasses   = 100  // above these, some of them look whether the model is good enough
	enoughProof  = 0.01 // what it is then proven to be, at most, above the optimum
)

// A choice is the settings of a run in full, and the rows and numbers that they are for.
type choice struct {
	trainer Trainer
	x       Examples
	y       []float32

	rows    store.Rows
	weight  []float64 // 1 for each row that counts, else 0; nil for ones
	threads int
	classes []float32
	shares  []float64 // of the classes
	share   float64   // of the smaller class, of two
	columns *store.Columns
	note    string
	r2      float64 // of the scaled rows, without a bias
	nonzero float64 // values of the scaled rows
	used    float64 // columns that are not constant

	meanOfAll float64 // squared length of the rows as they are, where none are at hand
}

// Choose returns the Config that Train would give its model: what it leaves open is chosen by the
// data. r2 is R^2, the mean squared length of the rows as they are scaled, without a bias. Nothing
// is trained, but the rows are read, and scaled in a copy, which MaxMemory counts.
func (tr *Trainer) Choose(ctx context.Context, x Examples, y []float32) (cfg Config, r2 float64,
	err error) {
	misuse.Context(ctx)
	asked := *tr
	asked.until = ctx
	c, err := asked.choose(x, y)
	if err != nil {
		return cfg, 0, err
	}
	if c.rows == nil { // nothing was open
		d, err := newData(x, y, &asked, nil)
		if err != nil {
			return cfg, 0, err
		}
		rows := 0.0
		for i, s := range d.Norms {
			if d.Weight == nil || d.Weight[i] > 0 {
				c.r2 += float64(s)
				rows++
			}
		}
		c.r2 /= rows
	}
	return c.trainer.Config.Plain(), c.r2, nil
}

// choose fills in what the trainer's Config leaves open, and scales the rows.
func (tr *Trainer) choose(x Examples, y []float32) (*choice, error) {
	c := &choice{trainer: *tr, x: x, y: y, threads: parallel.Threads(tr.Threads)}
	cfg := &c.trainer.Config
	from := cmp.Or(tr.Resume, tr.Start, tr.Prior)
	if from != nil {
		cfg.fillFrom(from, tr.Resume != nil)
	}
	if err := c.trainer.validate(); err != nil {
		return nil, err
	}
	// A run whose settings were open has a Scaling, and what resumes it has to have it too.
	chosen := tr.Resume != nil && tr.Resume.Scaling != nil
	if cfg.Plain() == *cfg && cfg.Scale == ScaleNone && cfg.TargetScale == ScaleNone && !chosen {
		c.trainer.again = tr.Resume != nil && c.mayTryAgain(tr)
		return c, c.adopt(tr)
	}
	if store.Given(x) != nil || x.Rows() == 0 || len(y) != x.Rows() {
		*cfg = cfg.Plain() // training says what is wrong
		return c, nil
	}
	c.rows = store.Of(x)
	for _, step := range []func() error{c.readLabels, c.measure, c.scale} {
		failed := step()
		if err := firstError(c.trainer.interrupted(), failed); err != nil {
			return nil, err
		}
	}
	c.settle()
	c.trainer.columns = c.cols()
	c.trainer.again = c.mayTryAgain(tr)
	c.columns = nil // their memory is for the run
	return c, c.adopt(tr)
}

// fillFrom takes what is open from the model that a run builds on, or that it resumes.
func (cfg *Config) fillFrom(m *Model, resumed bool) {
	of := m.Config.Plain()
	options.Fill(&cfg.Scale, of.Scale)
	options.Fill(&cfg.TargetScale, of.TargetScale)
	options.Fill(&cfg.Multiclass, of.Multiclass)
	if cfg.Bias == "" {
		cfg.Bias = of.Bias
		options.Fill(&cfg.BiasScale, of.BiasScale)
	}
	if cfg.Lambda == 0 && cfg.C == 0 {
		cfg.Lambda, cfg.C = of.Lambda, of.C
	}
	if resumed && cfg.Finish == "" {
		cfg.Finish = of.Finish
		options.Fill(&cfg.Tol, of.Tol) // it may have been chosen with the finish
	}
	if resumed && cfg.Epochs == 0 && cfg.Steps == 0 {
		cfg.Epochs, cfg.Steps = of.Epochs, of.Steps
	}
	if resumed {
		options.Fill(&cfg.Tol, of.Tol)
	}
	if of.Loss == cfg.Plain().Loss {
		options.Fill(&cfg.Epsilon, of.Epsilon)
	}
}

// readLabels finds the weights of the rows, and their classes.
func (c *choice) readLabels() error {
	tr := &c.trainer
	d := &data{Set: rows.Set{Y: c.y}}
	if err := d.setWeights(tr); err != nil {
		return err
	}
	if d.Weight != nil { // the scale goes by the rows that there are, whatever they weigh
		c.weight = make([]float64, len(d.Weight))
		for i, w := range d.Weight {
			if w > 0 {
				c.weight[i] = 1
			}
		}
	}
	if tr.Loss.Regression() {
		return labels.Finite(c.y, rowError)
	}
	known := tr.classes
	for _, m := range []*Model{tr.Start, tr.Prior} {
		if m != nil {
			known = m.Classes
		}
	}
	classes, class, err := labels.Classify(c.y, c.weight, known, rowError)
	if err != nil {
		return err
	}
	c.classes = classes
	c.share = 0.5
	rows, total := make([]float64, len(classes)), 0.0
	for i, k := range class {
		if k >= 0 {
			rows[k] += c.weightOf(i)
			total += c.weightOf(i)
		}
	}
	if len(classes) == 2 {
		c.share = min(rows[0], rows[1]) / total
	}
	for k := range rows {
		rows[k] /= total
	}
	c.shares = rows
	return nil
}

func (c *choice) weightOf(i int) float64 {
	if c.weight == nil {
		return 1
	}
	return c.weight[i]
}

// measure finds the statistics of the rows.
func (c *choice) measure() error {
	few := c.x.Cols() <= fewColumns
	c.measureAs(few)
	if !few && c.cols() <= fewColumns {
		c.measureAs(true) // the others are empty
	}
	if err := c.rows.Err(); err != nil {
		return fmt.Errorf("pegasos: %w", err)
	}
	if c.columns.Bad >= 0 {
		return rowError(c.columns.Bad, "a value is NaN or infinite")
	}
	return nil
}

// measureAs is measure of rows with few columns that are not empty, or many.
func (c *choice) measureAs(few bool) {
	scale, stopped := c.trainer.Scale, c.trainer.stopped
	few = few && scale == ""
	m, ok := store.MatrixOf(c.rows)
	if thin := ok && m.Dense() == nil; few && thin { // standardising them is for later to decide
		c.columns = store.MeasureConstants(c.rows, c.weight, c.threads, stopped)
	} else {
		c.columns = store.Measure(c.rows, c.weight, few || scale == ScaleStandard, c.threads, stopped)
	}
}

// scale chooses how the rows are scaled, and does it.
func (c *choice) scale() error {
	tr := &c.trainer
	s := &Scaling{Kind: ScaleNone, Folded: true}
	switch m := cmp.Or(tr.Resume, tr.Start, tr.Prior); {
	case m != nil && m.Scaling != nil && m.Scaling.Kind == tr.Scale:
		known := *m.Scaling
		s = known.withCols(c.x.Cols())
		c.note = s.Note
	default:
		if tr.Scale == "" {
			tr.Scale = c.kind()
		}
		if tr.Scale != ScaleNone {
			fitted := c.columns.Scaler(string(tr.Scale))
			s.Kind, s.Shift, s.Factor = tr.Scale, fitted.Shift, fitted.Factor
			s.Folded = s.foldable()
		}
	}
	c.countUsed()
	if s.Kind != ScaleNone {
		if err := c.checkCopy(s.Kind == ScaleStandard); err != nil {
			return err
		}
	}
	c.chooseNumbers(s)
	c.x, c.y = s.apply(c.x, c.y, c.threads, tr.stopped)
	c.rows = store.Of(c.x)
	if i := floats.FirstNotFinite(c.y); i >= 0 {
		return rowError(i, "the label is beyond float32 when it is scaled")
	}
	c.sizes(s)
	s.Note, s.R2 = c.note, c.r2
	tr.scaling = s
	return nil
}

// cols returns the number of columns that have other values than 0: empty ones decide nothing.
func (c *choice) cols() (n int) {
	for _, v := range c.columns.MaxAbs {
		if v > 0 {
			n++
		}
	}
	return n
}

// countUsed counts the columns that are not constant.
func (c *choice) countUsed() {
	c.used = 0
	for j, v := range c.columns.MaxAbs {
		if v > 0 && (c.columns.Constant == nil || !c.columns.Constant[j]) {
			c.used++
		}
	}
}

// kind returns how the rows are to be scaled.
func (c *choice) kind() Scale {
	k := c.bestKind()
	if k == ScaleNone && !c.fitsFloat32() {
		k = ScaleMaxAbs
	}
	if k == ScaleNone {
		return k
	}
	m, ok := store.MatrixOf(c.rows)
	switch {
	case !ok:
		c.note = "rows of a type of the caller's, which are not copied"
	case m.WillNeed() != nil && c.copyBytes(k == ScaleStandard) > mostMapped:
		c.note = "mapped rows, too many to be copied"
	case c.copyBytes(k == ScaleStandard) > float64(c.memory())/2: // the rest is for training
		c.note = "rows of which there is no memory for a copy"
	default:
		return k
	}
	c.note += fmt.Sprintf(": scaling (%s) was left out", k)
	return ScaleNone
}

// fitsFloat32 reports whether float32 can square the rows as they are, and add the squares.
func (c *choice) fitsFloat32() bool {
	mean := c.meanSquare()
	return mean == 0 ||
		mean >= rows.LeastR2 && slices.Max(c.columns.Squares) <= math.MaxFloat32
}

// meanSquare returns the mean squared length of the rows as they are.
func (c *choice) meanSquare() (mean float64) {
	if c.y == nil {
		return c.meanOfAll
	}
	for i, s := range c.columns.Squares {
		mean += float64(s * c.weightOf(i))
	}
	return mean / c.total()
}

// bestKind is kind for rows that can be copied.
func (c *choice) bestKind() Scale {
	all := c.columns
	cols := c.cols()
	n := float64(all.Rows)
	if all.Nonzeros == 0 {
		return ScaleNone
	}
	q := store.Quantiles(all.MaxAbs, 0, 0.1, 0.9, 1)
	apart := q[2] > float64(scalesApart*q[1])
	m, ok := store.MatrixOf(c.rows)
	held := !ok || m.Dense() != nil
	fill := float64(all.Nonzeros) / (n * float64(cols))
	values := 4 * float64(c.x.Rows()) * float64(cols)
	fits := held || values <= float64(mostGrowth*float64(c.rows.Size())) &&
		c.copyBytes(true)-values <= mostEmpty
	switch {
	case fill >= denseFill && cols > fewColumns && !apart:
		return ScaleNone
	case fill >= denseFill || cols <= fewColumns && q[3] > float64(scalesApart*q[0]):
		if !fits {
			return ScaleMaxAbs
		}
		if all.Mean == nil {
			c.columns = store.Measure(c.rows, c.weight, true, c.threads,
				c.trainer.stopped)
		}
		return ScaleStandard
	}
	lengths := store.Quantiles(all.Squares, 0, 0.5, 1)
	if c.meanSquare() > float64(longApart*lengths[1]) {
		return ScaleUnit
	}
	if apart && lengths[2] > float64(lengthsVary*lengths[0]) {
		return ScaleMaxAbs
	}
	return ScaleNone
}

// total returns the sum of the weights.
func (c *choice) total() (sum float64) {
	if c.weight == nil {
		return float64(len(c.y))
	}
	for _, w := range c.weight {
		sum += w
	}
	return sum
}

// memory returns how many bytes training may take.
func (c *choice) memory() int64 { return cmp.Or(c.trainer.MaxMemory, options.DefaultMaxMemory) }

// copyBytes returns what a copy of the rows takes.
func (c *choice) copyBytes(toDense bool) float64 {
	m, ok := store.MatrixOf(c.rows)
	if toDense || !ok || m.Dense() != nil {
		return 4 * float64(c.x.Rows()) * float64(c.x.Cols())
	}
	return 8 * (float64(c.columns.Nonzeros) + float64(c.x.Rows()))
}

// checkCopy refuses a copy that would take too much memory, and takes it off what is left.
func (c *choice) checkCopy(toDense bool) error {
	need := c.copyBytes(toDense)
	if need >= float64(c.memory()) {
		return badField("MaxMemory", "have %.0f MB, but scaling copies the rows, which take %.0f MB",
			float64(c.memory())/1e6, need/1e6)
	}
	c.trainer.MaxMemory = c.memory() - int64(need)
	return nil
}

// sizes finds R^2 of the scaled rows, and the number of their nonzeros.
func (c *choice) sizes(s *Scaling) {
	all := c.columns
	c.nonzero = float64(all.Nonzeros)
	if s.Kind == ScaleNone {
		c.r2 = c.meanSquare()
		return
	}
	for i := range all.Squares {
		if w := c.weightOf(i); w > 0 {
			c.r2 += float64(w * float64(c.rows.SumSquares(i)))
		}
	}
	c.r2 /= c.total()
	if s.Kind == ScaleStandard {
		c.nonzero = float64(all.Rows) * c.used
	}
}

// chooseNumbers brings numbers to predict to the mean 0 and the deviation 1, if they are to be.
func (c *choice) chooseNumbers(s *Scaling) {
	tr := &c.trainer
	if !tr.Loss.Regression() {
		tr.TargetScale = ScaleNone
		return
	}
	options.Fill(&tr.TargetScale, ScaleStandard)
	if tr.TargetScale == ScaleNone {
		s.Centre, s.Spread = 0, 0
	} else if s.Spread == 0 { // else it is known
		s.Centre, s.Spread = c.moments()
	}
	if tr.Epsilon == 0 && tr.TargetScale == ScaleStandard && tr.Loss.traits().Epsilon {
		tr.Epsilon = float64(0.1 * s.Spread)
	}
	s.epsilon = tr.Epsilon
	tr.Epsilon /= s.spread()
}

// moments returns the mean and the deviation of the numbers to predict, 1 if that is 0.
func (c *choice) moments() (mean, deviation float64) {
	total := c.total()
	for i, y := range c.y {
		mean += float64(float64(y) * c.weightOf(i))
	}
	mean /= total
	for i, y := range c.y {
		d := float64(y) - mean
		deviation += float64(float64(d*d) * c.weightOf(i))
	}
	deviation = math.Sqrt(deviation / total)
	if !(deviation > float64(0x1p-40*math.Abs(mean))) || !floats.IsFinite(deviation) {
		deviation = 1
	}
	return mean, deviation
}

// settle fills in what goes by the scaled rows.
func (c *choice) settle() {
	tr := &c.trainer
	n := float64(c.columns.Rows)
	if tr.Multiclass == "" {
		tr.Multiclass = c.multiclass()
	}
	if tr.Multiclass == Multinomial {
		options.Fill(&tr.Loss, Log)
	}
	if tr.Bias == "" {
		tr.Bias = BiasAugmented
	}
	if tr.Bias == BiasAugmented && tr.BiasScale == 0 {
		tr.BiasScale = 1
		if c.nonzero > 0 && c.r2 > 0 {
			tr.BiasScale = math.Sqrt(n * c.r2 / c.nonzero)
		}
	}
	if tr.Lambda == 0 && tr.C == 0 {
		tr.Lambda = c.lambda()
	}
	c.finish(c.passes())
	tr.Config = tr.Config.Plain()
}

// wide reports whether the rows are few values of many columns, as those of text are.
func (c *choice) wide() bool {
	fill := c.nonzero / (float64(c.columns.Rows) * float64(c.cols()))
	return c.cols() > fewColumns && fill < denseFill
}

// passes returns how many there are at most where no proof is asked for.
func (c *choice) passes() int {
	least := float64(DefaultEpochs)
	if c.wide() {
		least = fewPasses
	}
	return int(max(least, min(mostPasses, enoughVisits/max(c.nonzero, 1))))
}

// mayProve reports whether a run can end when it is proven to be near the optimum, and nothing else
// is to end it.
func (cfg Config) mayProve() bool {
	return cfg.Tol == 0 && cfg.Change == 0 && cfg.Patience == 0 && !cfg.finishes() && cfg.bounds()
}

// lambda returns the penalty.
func (c *choice) lambda() float64 {
	n := float64(c.columns.Rows)
	least := leastOfRows
	if c.trainer.Loss == Squared {
		least = ofSquared
	}
	a := max(float64(shareOfR2*min(max(10*c.used/n, 0.1), 1)), least/n)
	if len(c.classes) == 2 {
		a = float64(a * math.Sqrt(2*c.share))
	}
	if c.r2 > 0 {
		a = float64(a * c.r2)
	}
	return a
}

// multiclass returns what problems the classes make.
func (c *choice) multiclass() Multiclass {
	cfg := c.trainer.Config
	k, n, d := float64(len(c.classes)), float64(c.columns.Rows), float64(c.cols())
	if c.trainer.Costs != nil {
		return CrammerSinger
	}
	if k <= 2 {
		return OneVsRest
	}
	pairs := k <= maxPairClasses && k*(k-1)/2*d <= mostOfPairs
	least := float64(rowsOfPairs)
	if c.wide() {
		least = rowsOfWide
	}
	if pairs && n >= least*k {
		return OneVsOne
	}
	for _, joint := range []Multiclass{CrammerSinger, Multinomial} {
		cfg.Multiclass = joint
		if cfg.Loss == "" && joint == Multinomial {
			continue
		}
		if cfg.Validate() == nil {
			return joint
		}
	}
	if pairs {
		return OneVsOne
	}
	return OneVsRest
}

// adopt brings the models that the run builds on to the scale of its rows.
func (c *choice) adopt(tr *Trainer) error {
	s := c.trainer.scaling
	if s == nil {
		s = &Scaling{Kind: ScaleNone, Folded: true}
	}
	for _, m := range []**Model{&c.trainer.Start, &c.trainer.Prior, &c.trainer.Resume} {
		from := *m
		if from == nil {
			continue
		}
		if err := from.check(); err != nil {
			continue // training says so
		}
		own := from.Scaling
		apart := own != nil && !own.Folded || !s.Folded && s.Kind == ScaleUnit
		if apart && !own.Same(s) {
			return badField("Scale", "have %q: the scaling of the model that the run builds on "+
				"can't be taken out of its weights", s.Kind)
		}
		if c.trainer.scaling != nil {
			*m = s.Unfold(from.WithCols(c.x.Cols()))
		}
	}
	if c.trainer.scaling == nil {
		return nil
	}
	if tr.Prior != nil {
		c.trainer.priorHash = tr.Prior.Hash()
	}
	return nil
}

// Same reports whether the features are scaled alike.
func (s *Scaling) Same(t *Scaling) bool {
	return s != nil && s.Kind == t.Kind && slices.Equal(s.Shift, t.Shift) &&
		slices.Equal(s.Factor, t.Factor)
}
