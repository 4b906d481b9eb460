package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/app/predictions"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/text/tables"
	"github.com/pegasimd/pegasimd/modelio"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm"
)

// Methods with scores, except MeanLoss, get the scores of one row.
type predictor interface {
	modelio.Predictor

	ready() error // says why the model can't predict
	data() string // fingerprint of the training data; empty if unknown
	fingerprint(x store.Examples, y, weights []float32, threads int, stop func() bool) string

	// scoreNames returns the names of the columns that showScores fills in.
	scoreNames() []string
	showScores(scores, columns []float64)

	// noProbabilities returns "" if the model has probabilities.
	noProbabilities() string
	Probabilities(scores, dst []float64) []float64

	// Penalty and MeanLoss return the parts of the objective, NaN if unknown.
	Penalty() float64
	MeanLoss(scores []float64, y, weights []float32) float64

	run() runReport
}

func readPredictor(name string, stdin io.Reader) (predictor, error) {
	m, err := readModel(name, stdin)
	if err != nil {
		return nil, err
	}
	switch m := m.(type) {
	case *pegasos.Model:
		return linearModel{m}, nil
	case *kernelsvm.Model:
		return kernelModel{m}, nil
	}
	return nil, fmt.Errorf("%s: neither a linear model nor a kernel machine", name)
}

// If an existing file is not a model but another argument names a regular file that is one, the
// error says so: commands differ in the order of MODEL and DATA.
func (c *call) readPredictor(name string) (predictor, error) {
	p, err := readPredictor(name, os.Stdin)
	if err == nil || name == "-" || errors.Is(err, fs.ErrNotExist) {
		return p, err
	}
	if is, unread := c.holdsModel(name); is || unread != nil {
		return nil, err
	}
	for _, other := range c.args {
		if other == "-" {
			continue
		}
		if is, _ := c.holdsModel(other); is {
			return nil, flags.Usagef("%s is not a model, but %s is: change their order", name, other)
		}
	}
	return nil, err
}

type linearModel struct{ *pegasos.Model }

func (m linearModel) ready() error { return nil }
func (m linearModel) data() string { return m.Model.Data }

func (m linearModel) scoreNames() []string {
	names := predictions.ClassNames(m)
	if len(m.Weights) == 1 {
		return names[1:]
	}
	return names
}

// For a pair, problemName returns "b:a" with b the positive class.
func (m linearModel) problemName(k int) string {
	of, against := m.problem(k)
	if m.Config.Multiclass == pegasos.OneVsOne && against != "" {
		return of + ":" + against
	}
	return of
}

func (m linearModel) showScores(scores, columns []float64) {
	if len(m.Weights) == 1 {
		copy(columns, scores)
	} else {
		m.ClassScores(scores, columns)
	}
}

func (m linearModel) noProbabilities() string {
	switch {
	case m.HasProbabilities():
		return ""
	case m.Classes == nil:
		return "it predicts numbers"
	case m.Config.Multiclass == pegasos.CrammerSinger: // needs the hinge loss
		return "train it with -proba"
	}
	return "train it with -loss log or with -proba"
}

type kernelModel struct{ *kernelsvm.Model }

func (m kernelModel) ready() error { return predictions.Ready(m.Model) }

func (m kernelModel) problemName(k int) string { return m.scoreNames()[k] }

func (m kernelModel) data() string            { return m.Model.Data }
func (m kernelModel) noProbabilities() string { return "it has a kernel" }

func (m kernelModel) Probabilities(_, _ []float64) []float64 { panic("no probabilities") }

func (m kernelModel) Penalty() float64                             { return math.NaN() }
func (m kernelModel) MeanLoss(_ []float64, _, _ []float32) float64 { return math.NaN() }

func (m kernelModel) scoreNames() (names []string) {
	n := len(m.Classes)
	switch {
	case n == 2:
		return []string{m.ClassName(1)}
	case m.Config.Multiclass == pegasos.OneVsRest:
		return predictions.ClassNames(m)
	}
	for a := range n {
		for b := a + 1; b < n; b++ {
			names = append(names, m.ClassName(b)+":"+m.ClassName(a))
		}
	}
	return names
}

func (m kernelModel) showScores(scores, columns []float64) { copy(columns, scores) }

type scoredSet struct {
	*dataset.Set
	reader  *dataReader
	model   predictor
	weights []float32 // weights of the rows, all above 0; nil means 1 for each row
	scores  []float64 // scores of all rows; nil if they are too many to keep: see row
	// truth has the index of each row's label in names, or noLabel; nil for regression, or if the
	// data have no labels.
	truth []int
	names []string // of the model's classes, then of further labels

	all        *dataset.Set // the rows read, with rows of weight 0
	allWeights []float32    // of the rows of all; nil means 1 for each row

	first int // row of the first scores in block
	block []float64
}

// keptScores is the number of scores kept in memory, unless all are needed at once.
const keptScores = 1 << 20

// score reads data and scores the rows, except rows of weight 0. weights names the file of weights,
// if any. Scores are kept in memory if they are few, or if all is set.
func (d *dataReader) score(m predictor, weights string, all bool) (*scoredSet, error) {
	if err := m.ready(); err != nil {
		return nil, err
	}
	head := m.Head()
	if heldOutShare(m) > 0 && head.Table != nil { // trainedOn reads the table again
		if err := d.keepInput(); err != nil {
			return nil, err
		}
	}
	set, _, err := d.read(&head)
	if err != nil {
		return nil, err
	}
	d.doubtUnread()
	d.doubtUnnamed(set)
	var scaling *pegasos.Scaling
	if linear, is := m.(linearModel); is {
		scaling = linear.Scaling
	}
	d.doubtFar(set, scaling)
	if err := d.settle(false); err != nil {
		return nil, err
	}
	rows := set.Rows() + len(set.LeftOut)
	own, err := readWeights(weights, 0, rows)
	if err == nil {
		err = checkWeights(weights, own, rows)
	}
	if err != nil {
		return nil, err
	}
	own = withoutRows(own, set.LeftOut)
	s := &scoredSet{Set: set, reader: d, model: m, weights: own, all: set, allWeights: own}
	if slices.Contains(own, 0) {
		set, own = weighing(set, own)
		s.Set, s.weights = set, own
	}
	if all || set.Rows()*m.Outputs() <= keptScores {
		if s.scores, err = s.find(0, set); err != nil {
			return nil, fmt.Errorf("%s: %w", d, err)
		}
	}
	if d.opt.Labels == dataset.LabelsNo {
		s.Unlabelled = true // ignore labels, if the format has any
	}
	if head.Classes != nil && !s.Unlabelled {
		s.truth, s.names = positions(set, predictions.ClassNames(m))
	}
	return s, nil
}

// scoreLabeled leaves rows without a label out, unless -missing error refuses them.
func (d *dataReader) scoreLabeled(m predictor) (*scoredSet, error) {
	if d.missing == "fill" {
		d.missing = "drop"
	}
	s, err := d.score(m, d.call.flags.Weights, true)
	switch {
	case err != nil:
		return nil, err
	case s.Rows() == 0:
		which := ""
		if len(s.LeftOut) > 0 && d.call.flags.Weights != "" {
			which = " with a label and a weight above 0"
		} else if len(s.LeftOut) > 0 {
			which = " with a label"
		}
		return nil, fmt.Errorf("%s: no rows%s to evaluate", d, which)
	case predictions.Numbers(m) && s.Names != nil:
		return nil, fmt.Errorf("%s: some labels are not numbers, but the model predicts numbers", d)
	}
	return s, nil
}

func weighing(set *dataset.Set, weights []float32) (part *dataset.Set, own []float32) {
	var rows []int
	for i, w := range weights {
		if w > 0 {
			rows, own = append(rows, i), append(own, w)
		}
	}
	part = set.Subset(rows)
	part.Ignored, part.Lacking, part.Others = set.Ignored, set.Lacking, set.Others
	part.LeftOut, part.Rounded = set.LeftOut, set.Rounded
	return part, own
}

// part has the rows of s from number first on.
func (s *scoredSet) find(first int, part *dataset.Set) ([]float64, error) {
	scores := s.model.DecisionAll(part.Examples())
	if err := s.Err(); err != nil {
		return nil, err
	}
	inData := func(i int) int { return s.inData(first + i) }
	return scores, predictions.CheckFinite(s.model, inData, scores)
}

// inData returns the number in the data of row i, which counts no rows of weight 0 and no rows left
// out because they have no label.
func (s *scoredSet) inData(i int) int {
	var unweighted []int
	for k, w := range s.allWeights {
		if w == 0 {
			unweighted = append(unweighted, k)
		}
	}
	return rowOfData(rowOfData(i, unweighted), s.LeftOut)
}

// If the scores are not kept, row computes them in blocks: ask for rows in their order.
func (s *scoredSet) row(i int) (scores []float64, err error) {
	n := s.model.Outputs()
	if s.scores != nil {
		return s.scores[i*n:][:n], nil
	}
	rows := max(64, keptScores/max(n, 1)) // kernel machines score several rows together
	if first := i - i%rows; s.block == nil || first != s.first {
		s.first = first
		block := make([]int, min(rows, s.Rows()-s.first))
		for k := range block {
			block[k] = s.first + k
		}
		if s.block, err = s.find(s.first, s.Subset(block)); err != nil {
			return nil, err
		}
	}
	return s.block[(i-s.first)*n:][:n], nil
}

func (s *scoredSet) labels() []float32 {
	classes := s.model.Head().Classes
	if classes == nil {
		return s.Y
	}
	y := make([]float32, len(s.truth))
	for i, k := range s.truth {
		y[i] = classes[k]
	}
	return y
}

// For regression, predict returns nil and 0.
func (s *scoredSet) predict() (classes []int, right int, err error) {
	if predictions.Numbers(s.model) {
		return nil, 0, nil
	}
	classes = make([]int, s.Rows())
	for i := range classes {
		scores, err := s.row(i)
		if err != nil {
			return nil, 0, err
		}
		if classes[i] = s.model.Class(scores); s.truth != nil && classes[i] == s.truth[i] {
			right++
		}
	}
	return classes, right, nil
}

func (m linearModel) run() runReport {
	of := m.Result
	return runReport{
		number(of.Objective), number(of.DualObjective), number(of.Gap), m.Lambda,
		newWorstReport(of, len(m.Weights), m.problemName),
		of.Steps, of.Epochs, of.Violations, of.Solver, of.R2, of.T0,
	}
}

func (m kernelModel) run() runReport {
	of := m.Result
	return runReport{
		number(of.Objective), number(of.DualObjective), number(of.Gap), m.Lambda,
		newWorstReport(of, m.Problems(), m.problemName),
		of.Steps, of.Epochs, of.Violations, "", of.R2, of.T0,
	}
}

func (m linearModel) problem(k int) (of, against string) {
	switch {
	case m.Classes == nil:
		return "the prediction", ""
	case len(m.Weights) == 1:
		return m.ClassName(1), m.ClassName(0)
	case m.Config.Multiclass == pegasos.OneVsOne:
		first, second := m.Pair(k)
		return m.ClassName(second), m.ClassName(first)
	}
	return m.ClassName(k), ""
}

// unscaled returns a function that formats the value of feature j whose scaled value is z. e may
// be nil.
func unscaled(s *pegasos.Scaling, e *tables.Encoder) func(j int, z float64) string {
	return func(j int, z float64) string {
		if s.Factor != nil {
			z /= float64(s.Factor[j])
			if s.Shift != nil {
				z += float64(s.Shift[j])
			}
		}
		if e != nil && !e.Raw {
			return e.Original(j, z)
		}
		return fmt.Sprintf("%.4g", z)
	}
}

func settingsOf(m *pegasos.Model, e *tables.Encoder) string {
	line, unscaled := strings.CutPrefix(m.Settings(), "features not scaled, ")
	if unscaled && e != nil && !e.Raw {
		return "columns encoded as listed, " + line
	}
	return m.Settings()
}
