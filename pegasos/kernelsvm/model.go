package kernelsvm

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/labels"
	"github.com/pegasimd/pegasimd/internal/modelfile"
	"github.com/pegasimd/pegasimd/internal/proof"
	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/pegasos"
)

// A Model is what training gives with a kernel. A score is a sum over the support rows, of a
// coefficient times the kernel of the row and what is to be predicted.
//
// For two classes there is one problem, and a score above 0 speaks for the second class. For more
// there is one for each pair, in the order (0,1), (0,2) ... (1,2) ..., in which a score above 0
// speaks for the second of the two; or one a class, as in a [Model].
type Model struct {
	Classes []float32 // the labels, ascending
	Names   []string  // of the classes, if they have any: training leaves it nil
	Config  Config    // defaults filled in
	Lambda  float64   // in force, also where C was given: then each of several pairs has its own
	Func    Func      // the kernel if it is a function: no file has it, set it after reading
	Result  Result

	// As in [pegasos.Model]. The fingerprint is of rows and labels.
	IndexBase int
	HashBits  int
	Table     json.RawMessage
	Data      string
	Command   string

	wrongGap string // error message about the gap in the model's file; see modelfile.Bounds

	rows   store.Matrix // the support rows, class by class
	counts []int        // of them in each class
	// of each class, in each of its problems, of each row; nil for a class without rows
	coef [][][]float32

	once    sync.Once
	store   *rowStore
	general *rowStore   // for queries that are not zeros and ones, where support rows are
	linear  [][]float64 // with the linear kernel: w of each problem, in place of stores
	single  sync.Pool   // *queryWorker, for rows that are scored one at a time
}

// A Result says how a run went.
type Result struct {
	Steps      int64 // of Pegasos, over all rows
	Epochs     float64
	Passes     int   // of the finish
	Violations int64 // steps and moves that changed a weight, over all problems

	// means over the problems, R2 being itself the mean of the kernel of a row with itself
	R2, T0 float64

	// As in pegasos.Result: means over the problems, of the model that is written. MaxSV changes
	// the objective. With fewer steps than rows all three are NaN.
	Objective     float64
	DualObjective float64
	Gap           float64

	// PerProblem has those of each problem, in the order of the scores. It is nil in models of
	// former versions, and where nothing was measured.
	PerProblem []ProblemResult
}

// A ProblemResult is the part of one problem in a [Result].
type ProblemResult struct{ Objective, DualObjective float64 }

// WorstGap returns the largest gap of a problem, and its place; NaN and -1 where none has one.
func (r Result) WorstGap() (gap float64, k int) {
	return proof.Worst(len(r.PerProblem), func(k int) (objective, bound float64) {
		return r.PerProblem[k].Objective, r.PerProblem[k].DualObjective
	})
}

// pairs reports whether each of the problems is one of two classes.
func (cfg Config) pairs(classes int) bool {
	return classes == 2 || cfg.Multiclass == pegasos.OneVsOne
}

// problems returns the number of problems for the classes.
func (cfg Config) problems(classes int) int {
	if cfg.pairs(classes) {
		return classes * (classes - 1) / 2
	}
	return classes
}

// slots returns the number of problems that a class has part in.
func (cfg Config) slots(classes int) int {
	if cfg.pairs(classes) {
		return classes - 1
	}
	return classes
}

// problem returns the number of the problem that is the given one of a class.
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

// model returns the model of this moment. Unless it is whole the objective is not known.
func (r *run) model(whole bool) (*Model, error) {
	var all [][]float64 // coefficients
	for _, p := range r.problems {
		all = append(all, r.coefficients(p))
	}
	measured := whole && !r.partial
	if r.cfg.MaxSV > 0 {
		r.applyBudget(all)
	}
	if measured {
		r.confirmObjectives(all)
		for _, p := range r.problems { // so that other sums of the same find it again
			p.bound = max(0, p.bound-float64(1e-12*p.objective))
		}
	}
	m := &Model{Classes: slices.Clone(r.classes), Config: r.cfg, Lambda: r.lambda, Func: r.f,
		Result: r.result()}
	if nan := math.NaN(); !whole {
		m.Result.Objective, m.Result.DualObjective, m.Result.Gap = nan, nan, nan
		m.Result.PerProblem = nil
	}
	at, err := r.collectSupport(m, all)
	if err != nil {
		return nil, err
	}
	m.rows = store.TakeMatrix(r.store.matrix, at)
	if !measured {
		return m, nil
	}
	for _, p := range m.Result.PerProblem { // which rounding can't explain
		if err := proof.Check(p.Objective, p.DualObjective); err != nil {
			return nil, fmt.Errorf("kernelsvm: %w", err)
		}
	}
	if !floats.IsFinite(m.Result.Objective) {
		return nil, &pegasos.StepError{Step: r.t, Row: -1, Reason: "the objective is not finite: " +
			tooLarge}
	}
	return m, nil
}

// takeSupport gives the model its coefficients, and returns which rows of the data they are of.
func (r *run) collectSupport(m *Model, all [][]float64) ([]int32, error) {
	var at []int32
	for c, g := range r.groups {
		own, coef := r.classSlices(all, c), make([][]float32, len(r.classProblems[c]))
		count := 0
		for i := range g.end - g.start {
			used := false
			for s := range own {
				v := float32(own[s][i])
				if !floats.IsFinite(v) {
					return nil, &pegasos.StepError{Step: r.t, Row: -1,
						Reason: "a coefficient is not finite: " + tooLarge}
				}
				used = used || v != 0
			}
			for s := 0; s < len(own) && used; s++ {
				coef[s] = append(coef[s], float32(own[s][i]))
			}
			if used {
				at = append(at, r.store.at[g.start+i])
				count++
			}
		}
		if count == 0 {
			coef = nil
		}
		m.counts, m.coef = append(m.counts, count), append(m.coef, coef)
	}
	return at, nil
}

// ofClass returns the numbers of a class's rows in each of its problems.
func (r *run) classSlices(all [][]float64, c int) (own [][]float64) {
	g := r.groups[c]
	for _, k := range r.classProblems[c] {
		at, _ := r.problems[k].find(g.start)
		own = append(own, all[k][max(0, at):][:g.end-g.start])
	}
	return own
}

// Cols returns the number of features.
func (m *Model) Cols() int { return m.rows.Cols() }

// Head returns what rows and labels the model is about.
func (m *Model) Head() pegasos.Head {
	return pegasos.Head{Features: m.Cols(), IndexBase: m.IndexBase,
		HashBits: m.HashBits, Table: m.Table, Classes: m.Classes, Names: m.Names}
}

// Outputs returns the number of scores that a row has: one for each problem.
func (m *Model) Outputs() int { return m.Problems() }

// SupportRows returns the support rows, class by class: a *dense.Matrix or a *sparse.Matrix. It
// must not be changed.
func (m *Model) SupportRows() pegasos.Examples { return m.rows.Examples() }

// layout returns how the support rows are held: "dense" or "sparse".
func (m *Model) layout() string {
	if m.rows.Dense() == nil {
		return "sparse"
	}
	return "dense"
}

// Problems returns the number of problems that were trained.
func (m *Model) Problems() int { return m.Config.problems(len(m.Classes)) }

// Coefficients returns what the support rows are multiplied by in one of the problems.
func (m *Model) Coefficients(problem int) []float32 {
	var all []float32
	for c, slots := range m.coef {
		own := make([]float32, m.counts[c])
		for s, coef := range slots {
			if m.Config.problem(len(m.Classes), c, s) == problem {
				own = coef
			}
		}
		all = append(all, own...)
	}
	return all
}

// ClassName returns the name of a class, or its label as text if the classes have no names.
func (m *Model) ClassName(class int) string {
	return labels.Name(m.Classes, m.Names, class)
}

// Hash returns the SHA-256 of what makes the predictions, in hexadecimal: of the body of the
// model's file, which has the support rows and the coefficients, and of the kernel, its parameters,
// the classes and the file's lines that say how rows and labels are read.
func (m *Model) Hash() string {
	h := sha256.New()
	c := m.Config
	fmt.Fprintf(h, "%s %v %v %d %s\n", c.Kernel, c.Gamma, c.Coef0, c.Degree, c.Multiclass)
	modelfile.WriteNumbers(h, m.Classes)
	m.writeBody(h)
	modelfile.WriteLines(h, []modelfile.Field{
		modelfile.Optional("names", &m.Names), modelfile.Optional("index_base", &m.IndexBase),
		modelfile.Optional("hash_bits", &m.HashBits), modelfile.Optional("table", &m.Table),
	})
	return hex.EncodeToString(h.Sum(nil))
}
