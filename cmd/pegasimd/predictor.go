package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm"
)

// A predictor is a model of any kind, as the commands use it. Scores are those of one row.
type predictor interface {
	Cols() int
	Hash() string
	ClassName(class int) string
	Class(scores []float64) int
	ClassScores(scores, dst []float64) []float64 // dst has a place for each class
	DecisionAll(x pegasos.Examples) []float64

	features() *features
	ready() error // why the model can't predict
	classes() int // 0 for one that predicts numbers
	lambda() float64
	rowScores() int // the number of scores that DecisionAll gives a row

	// scoreNames has the columns of predict -scores, and showScores fills them.
	scoreNames() []string
	showScores(scores, columns []float64)

	// noProbabilities is the reason for which there are none, or empty.
	noProbabilities() string
	Probabilities(scores, dst []float64) []float64

	// penalty and meanLoss are the parts of the objective, NaN where it is not known. Of truth, the
	// positions of the rows' classes, and y, their numbers, the model's kind decides which is used.
	penalty() float64
	meanLoss(scores []float64, truth []int, y []float32) float64

	// report has what inspect tells: of each weight vector the top largest weights.
	report(of fileReport, top int) modelReport
}

// readPredictor reads the model that a file holds.
func readPredictor(name string) (predictor, error) {
	if fileHolds(name) == holdsKernel {
		m, err := kernelsvm.ReadFile(name)
		return kernelModel{m}, err
	}
	m, err := pegasos.ReadFile(name)
	return linearModel{m}, err
}

// What a file holds.
const (
	holdsData   = ""
	holdsLinear = "pegasimd model "
	holdsKernel = "pegasimd kernel model "
)

// fileHolds tells which kind of model a file begins as. What is no regular file is not looked at, for
// it can't be read twice.
func fileHolds(name string) string {
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return holdsData // whoever reads it next tells of the error
	}
	f, err := os.Open(name)
	if err != nil {
		return holdsData
	}
	defer f.Close()
	head := make([]byte, len(holdsKernel))
	n, _ := io.ReadFull(f, head)
	for _, magic := range []string{holdsLinear, holdsKernel} {
		if strings.HasPrefix(string(head[:n]), magic) {
			return magic
		}
	}
	return holdsData
}

// classNames returns the names of a model's classes, nil if it predicts numbers.
func classNames(p interface{ ClassName(int) string }, classes int) (names []string) {
	for i := range classes {
		names = append(names, p.ClassName(i))
	}
	return names
}

// A linearModel is one of package pegasos.
type linearModel struct{ *pegasos.Model }

func (m linearModel) features() *features { return featuresOf(m.Model) }
func (m linearModel) ready() error        { return nil }
func (m linearModel) classes() int        { return len(m.Classes) }
func (m linearModel) lambda() float64     { return m.Lambda }
func (m linearModel) rowScores() int      { return len(m.Weights) }
func (m linearModel) penalty() float64    { return m.Penalty() }

func (m linearModel) scoreNames() []string {
	names := classNames(m, m.classes())
	if len(m.Weights) == 1 {
		return names[1:]
	}
	return names
}

func (m linearModel) showScores(scores, columns []float64) {
	if len(m.Weights) == 1 {
		copy(columns, scores)
	} else {
		m.ClassScores(scores, columns)
	}
}

func (m linearModel) noProbabilities() string {
	if m.HasProbabilities() {
		return ""
	}
	return "train it with -loss log or with -proba"
}

func (m linearModel) meanLoss(scores []float64, truth []int, y []float32) float64 {
	if m.Classes == nil {
		return m.MeanLoss(scores, y)
	}
	labels := make([]float32, len(truth)) // those of the data may be others, with the same names
	for i, class := range truth {
		labels[i] = m.Classes[class]
	}
	return m.MeanLoss(scores, labels)
}

// A kernelModel is one of package kernelsvm.
type kernelModel struct{ *kernelsvm.Model }

func (m kernelModel) features() *features {
	return &features{cols: m.Cols(), indexBase: m.IndexBase}
}

func (m kernelModel) ready() error {
	if m.Config.Kernel == kernelsvm.Function {
		return errors.New("the model's kernel is a function of the program that made it")
	}
	return nil
}

func (m kernelModel) classes() int            { return len(m.Classes) }
func (m kernelModel) lambda() float64         { return m.Lambda }
func (m kernelModel) rowScores() int          { return m.Problems() }
func (m kernelModel) penalty() float64        { return math.NaN() }
func (m kernelModel) noProbabilities() string { return "it has a kernel" }

func (m kernelModel) Probabilities(_, _ []float64) []float64 { panic("no probabilities") }

func (m kernelModel) meanLoss([]float64, []int, []float32) float64 { return math.NaN() }

// scoreNames returns what the model's scores speak for when they are above 0: of a pair "b:a", b and
// not a.
func (m kernelModel) scoreNames() (names []string) {
	n := len(m.Classes)
	switch {
	case n == 2:
		return []string{m.ClassName(1)}
	case m.Config.Multiclass == pegasos.OneVsRest:
		return classNames(m, n)
	}
	for a := range n {
		for b := a + 1; b < n; b++ {
			names = append(names, m.ClassName(b)+":"+m.ClassName(a))
		}
	}
	return names
}

func (m kernelModel) showScores(scores, columns []float64) { copy(columns, scores) }

// A scoredSet is data with the scores that a model gives them.
type scoredSet struct {
	*dataset.Set
	model  predictor
	scores []float64
	truth  []int    // of each row its class, or a number beyond them; nil for numbers
	names  []string // of the classes, and of the further labels
}

// score reads data for a model and finds the scores.
func (d *dataReader) score(name string, m predictor) (*scoredSet, error) {
	if err := m.ready(); err != nil {
		return nil, err
	}
	set, _, err := d.read(name, m.features())
	if err != nil {
		return nil, err
	}
	s := &scoredSet{Set: set, model: m, scores: m.DecisionAll(matrix(set))}
	if err := set.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if n := m.classes(); n > 0 {
		s.truth, s.names = positions(set, classNames(m, n))
	}
	return s, nil
}

// row returns the scores of a row.
func (s *scoredSet) row(i int) []float64 {
	n := s.model.rowScores()
	return s.scores[i*n:][:n]
}

// predict returns the classes that the model predicts, and how many of them are right.
func (s *scoredSet) predict() (classes []int, right int) {
	classes = make([]int, len(s.truth))
	for i, t := range s.truth {
		if classes[i] = s.model.Class(s.row(i)); classes[i] == t {
			right++
		}
	}
	return classes, right
}
