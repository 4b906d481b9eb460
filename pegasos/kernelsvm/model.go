package kernelsvm

import (
	"encoding/json"
	"math"
	"sync"

	"github.com/pegasimd/pegasimd/internal/model/labels"
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm/internal/kernel"
)

// Model is a trained kernel machine. Its scores have no bias.
//
// A model for two classes has one problem, and a score above 0 means the second class. A OneVsOne
// model for more classes has one problem for each pair of classes, in the order (0,1), (0,2) ...
// (1,2) ..., and a score above 0 means the second class of the pair. A OneVsRest model for more
// classes has one problem for each class against all others.
type Model struct {
	Classes []float32 // the labels, ascending
	Names   []string  // names of the classes, or nil; training leaves it nil
	Config  Config    // settings of the training run, with defaults filled in
	Lambda  float64   // lambda for all rows; with C, problems of fewer rows have a larger lambda
	Func    Func      // kernel if Config.Kernel is Function; set Func after reading a model
	Result  Result

	// As in [pegasos.Model], but Data is a fingerprint of the rows and labels alone, and empty
	// unless Trainer.Fingerprint was set.
	IndexBase int
	HashBits  int
	Table     json.RawMessage
	Data      string
	Command   string

	wrongGap string // how the gap in the file contradicts the objectives; else empty

	rows   store.Matrix // ordered by class
	counts []int
	// by class: coefficients of the class's support rows in its first problem, then in the next,
	// and so on; nil for a class without support rows
	coef [][]float32

	once      sync.Once
	expansion *kernel.Expansion // set by the first prediction
}

// Result reports how training went and how good the model is. Means are over the problems.
type Result struct {
	Steps      int64   `json:"steps"`      // Pegasos steps: maximum over the problems
	Epochs     float64 `json:"epochs"`     // steps divided by rows: maximum over the problems
	Passes     int     `json:"passes"`     // begun passes of the ascent: maximum over the problems
	Violations int64   `json:"violations"` // violations, plus alphas changed by rounds: in all problems

	// R2, the mean of k(x,x) over the rows that training visits, and T0, the step offset, are means
	// over the problems.
	R2 float64 `json:"r2"`
	T0 float64 `json:"t0"`

	// Objective is the mean objective of the model as written to a file, DualObjective the mean of
	// the lower bounds on the optima, and Gap the relative duality gap,
	// (Objective-DualObjective)/DualObjective. All three are NaN after an interrupted run or a run
	// with fewer steps than rows; DualObjective and Gap are also NaN if no bound is proven.
	Objective     float64 `json:"-"`
	DualObjective float64 `json:"-"`
	Gap           float64 `json:"-"`

	// PerProblem has the objective and bound of each problem, in the order of the scores. It is nil
	// after an interrupted run.
	PerProblem []ProblemResult `json:"-"`
}

// ProblemResult is the objective of one problem and the lower bound on its optimum; see [Result].
type ProblemResult struct{ Objective, DualObjective float64 }

func (r Result) claim() proof.Claim {
	return proof.Claim{Objective: r.Objective,
		DualObjective: r.DualObjective}
}

// WorstGap returns the largest relative gap and the index of its problem, or NaN and -1 if no gap
// is known.
func (r Result) WorstGap() (gap float64, k int) {
	return proof.Worst(len(r.PerProblem), func(k int) (objective, bound float64) {
		return r.PerProblem[k].Objective, r.PerProblem[k].DualObjective
	})
}

const (
	maxRows     = math.MaxInt32
	maxProblems = 1 << 16
)

func (cfg Config) pairs(classes int) bool {
	return classes == 2 || cfg.Multiclass == pegasos.OneVsOne
}

func (cfg Config) problems(classes int) int {
	if cfg.pairs(classes) {
		return classes * (classes - 1) / 2
	}
	return classes
}

func (cfg Config) slots(classes int) int {
	if cfg.pairs(classes) {
		return classes - 1
	}
	return classes
}

// problem returns the index of a class's problem number slot, in ascending order from 0.
func (cfg Config) problem(classes, class, slot int) int {
	if !cfg.pairs(classes) {
		return slot
	}
	a, b := slot, class
	if slot >= class {
		a, b = class, slot+1
	}
	return a*classes - a*(a+1)/2 + b - a - 1
}

// Cols returns the number of features of the rows.
func (m *Model) Cols() int { return m.rows.Cols() }

// Head returns the fields that describe the rows and labels.
func (m *Model) Head() pegasos.Head {
	return pegasos.Head{Features: m.Cols(), IndexBase: m.IndexBase,
		HashBits: m.HashBits, Table: m.Table, Classes: m.Classes, Names: m.Names}
}

// Outputs returns the number of scores of a row: one for each problem.
func (m *Model) Outputs() int { return m.Problems() }

// SupportRows returns the support rows, ordered by class, as a *dense.Matrix or a *sparse.Matrix,
// which must not be modified.
func (m *Model) SupportRows() pegasos.Examples { return m.rows.Examples() }

// Problems returns the number of binary problems of the model.
func (m *Model) Problems() int { return m.Config.problems(len(m.Classes)) }

// Coefficients returns the coefficient of each support row in one problem, in the order of
// SupportRows: 0 for rows of classes outside the problem.
func (m *Model) Coefficients(problem int) []float32 {
	var all []float32
	for c, n := range m.counts {
		own := make([]float32, n)
		m.eachProblem(c, func(k int, coef []float32) {
			if k == problem {
				own = coef
			}
		})
		all = append(all, own...)
	}
	return all
}

// eachProblem calls f with each problem of a class and the coefficients of the class's support
// rows, if there are any.
func (m *Model) eachProblem(class int, f func(problem int, coef []float32)) {
	n := m.counts[class]
	for slot, coef := 0, m.coef[class]; len(coef) > 0; slot, coef = slot+1, coef[n:] {
		f(m.Config.problem(len(m.Classes), class, slot), coef[:n:n])
	}
}

// ClassName returns Names[class], or the label Classes[class] as text if Names is nil.
func (m *Model) ClassName(class int) string {
	return labels.Name(m.Classes, m.Names, class)
}
