package kernelsvm

import (
	"context"
	"runtime"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/misuse"
	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/model/labels"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm/internal/kernel"
)

func (m *Model) expand() *kernel.Expansion {
	if m.Config.Kernel == Function && m.Func == nil {
		panic(misuse.Of("the model's kernel is a function: set Func after reading"))
	}
	m.once.Do(func() {
		cfg, n := m.Config, len(m.Classes)
		terms := kernel.Terms{Coef: m.coef,
			Output: func(class, slot int) int { return cfg.problem(n, class, slot) }}
		m.expansion = kernel.NewExpansion(cfg.function(m.Func), m.rows, m.counts, m.Problems(),
			terms)
	})
	return m.expansion
}

// DecisionAll returns the scores of all rows of x: the scores of row i start at i*Problems().
// Features that the model lacks are ignored; features that x lacks count as 0. DecisionAll panics
// if the kernel is a function and Func is not set.
func (m *Model) DecisionAll(x pegasos.Examples) []float64 {
	return m.decisionAll(x, runtime.GOMAXPROCS(0))
}

func (m *Model) decisionAll(x pegasos.Examples, threads int) []float64 {
	if err := store.CheckExamples(x); err != nil {
		panic(misuse.Of("%v", err))
	}
	p := m.Problems()
	scores := make([]float64, x.Rows()*p)
	m.expand().ScoreAll(context.Background(), store.Of(x), threads,
		func(start int, some []float64) { copy(scores[start*p:], some) })
	return scores
}

// Class returns the index in Classes of the class with the highest score by [Model.ClassScores], or
// of the first class in a tie. It returns -1 if a score is not finite, and panics for fewer scores
// than [Model.Outputs].
func (m *Model) Class(scores []float64) int {
	if n := len(m.Classes); len(scores) < m.Outputs() || n == 0 {
		panic(misuse.Of("%s for a model with %s and %s", plural.Count(len(scores), "score"),
			plural.Count(m.Outputs(), "output"), plural.Count(n, "class")))
	}
	if floats.FirstNotFinite(scores[:m.Outputs()]) >= 0 {
		return -1
	}
	var space [fewOutputs]float64
	return labels.Highest(m.ClassScores(scores, space[:]))
}

// ClassScores stores a score for each class in dst, in the order of Classes, and returns dst cut to
// their number, or a new slice if dst is too short. See [pegasos.Model.ClassScores].
func (m *Model) ClassScores(scores, dst []float64) []float64 {
	n := len(m.Classes)
	return labels.ClassScores(scores[:m.Outputs()], dst, n, m.Config.pairs(n))
}

// PredictAll returns the predicted labels of all rows of x, NaN where a score is not finite. See
// [Model.DecisionAll] for other numbers of columns and for panics.
func (m *Model) PredictAll(x pegasos.Examples) []float32 {
	scores, p := m.DecisionAll(x), m.Problems()
	predicted := make([]float32, x.Rows())
	for i := range predicted {
		predicted[i] = labels.At(m.Classes, m.Class(scores[i*p:][:p]))
	}
	return predicted
}

// Score returns the scores of one row, one for each problem, with the bits of [Model.DecisionAll].
// It stores them in dst, or in a new slice if dst is shorter than [Model.Outputs]. Other memory is
// reused in later calls. Score panics unless len(x) is Cols, or if the kernel is a function and
// Func is not set. It may be called from several goroutines at once.
func (m *Model) Score(x []float32, dst []float64) []float64 {
	misuse.CheckEqual("len(x)", len(x), "m.Cols()", m.Cols())
	return m.score(kernel.Row{Value: x}, dst)
}

// ScoreSparse is [Model.Score] for a sparse row: see [pegasos.Model.ScoreSparse] for idx and val.
func (m *Model) ScoreSparse(idx []int32, val []float32, dst []float64) []float64 {
	store.CheckRow(idx, val)
	if idx == nil {
		idx = []int32{} // a nil index would mean a dense row
	}
	return m.score(kernel.Row{Index: idx, Value: val}, dst)
}

func (m *Model) score(x kernel.Row, dst []float64) []float64 {
	e := m.expand()
	if len(dst) < e.Outputs {
		dst = make([]float64, e.Outputs)
	}
	return e.Score(x, dst[:e.Outputs])
}

// fewOutputs is the number of scores up to which predicting a row needs no new slice.
const fewOutputs = 64

// PredictDense returns the predicted label of one row, NaN if a score is not finite. It panics
// where [Model.Score] does.
func (m *Model) PredictDense(x []float32) float32 {
	var space [fewOutputs]float64
	return labels.At(m.Classes, m.Class(m.Score(x, space[:])))
}

// PredictSparse is [Model.PredictDense] for a row of a sparse matrix, as in [Model.ScoreSparse].
func (m *Model) PredictSparse(idx []int32, val []float32) float32 {
	var space [fewOutputs]float64
	return labels.At(m.Classes, m.Class(m.ScoreSparse(idx, val, space[:])))
}
