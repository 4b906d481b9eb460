package rounds

import (
	"fmt"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/train/objective"
	"github.com/pegasimd/pegasimd/internal/vectors/gram"
)

type task struct {
	*Problem
	vector    int         // index in State.Problems
	model     modelVector // for rounds of the kind Proof alone
	segments  []segment   // Hessians or remainders come after the segments
	blockSums int         // number of leading sums that are computed block by block
	size      int         // number of sums, Hessians and remainders included

	sum      []int64
	block    []float64 // leading sums over the current block, before truncation
	ringRows []ringRows
}

type segment struct {
	quantum
	size   int
	scaled bool // vectors of Rounds.vars elements, multiplied by Rounds.scale
}

type ringRows struct {
	rows  []int     // row numbers in the shard
	coefs []float32 // weight of each row, times its second derivative if the loss has no kink
}

const (
	// ringCount is the number of widths of the zone if the loss has a kink. The widest is
	// Problem.Width; each next width is the one before divided by widthRatio.
	ringCount  = 3
	widthRatio = 2.5
	// In the first round of a training, all margins are 0, at distance 1 from the kink: zones of
	// width 2 or less would have no rows.
	initialWidth = 3
)

// Line rounds compute slopes at these multiples of Newton's step.
var stepLengths = []float64{
	1. / 256, 1. / 64, 1. / 16, 1. / 8, 3. / 16, 1. / 4, 5. / 16, 3. / 8, 7. / 16, 1. / 2, 9. / 16,
	5. / 8, 11. / 16, 3. / 4, 13. / 16, 7. / 8, 15. / 16, 1, 17. / 16, 9. / 8, 19. / 16, 5. / 4,
	21. / 16, 11. / 8, 3. / 2, 13. / 8, 7. / 4, 2, 9. / 4, 5. / 2, 3, 4, 6, 8, 16, 64,
}

func (r *Rounds) rings() int {
	if r.loss.Kind.Traits().Kinks {
		return ringCount
	}
	return 1
}

// A symmetric matrix's upper triangle is stored row by row: element (i, j), i <= j, has index
// rowStart(i)+j.
func (r *Rounds) triangle() int      { return r.vars * (r.vars + 1) / 2 }
func (r *Rounds) rowStart(i int) int { return i*r.vars - i*(i+1)/2 }

// tasks returns the tasks of the round that begins with s, and the number of all their sums. A
// proof has a task for every problem, other rounds only for those that are not done.
func (r *Rounds) tasks(s *State) (tasks []task, size int, err error) {
	if err := r.Check(s); err != nil {
		return nil, 0, err
	}
	if s.Done {
		return nil, 0, fmt.Errorf("pegasos: the state is final: no round follows it")
	}
	m := r.claimed
	if s.Kind == Proof && m == nil {
		if m, err = r.Model(s); err != nil {
			return nil, 0, err
		}
	}
	for k := range s.Problems {
		t := task{Problem: &s.Problems[k], vector: k}
		if s.Kind == Proof {
			t.model = r.modelVector(m, k)
		} else if t.Done {
			continue
		}
		t.segments = r.segments(s.Kind, &t)
		for j, q := range t.segments {
			t.size += q.size
			if j == 0 || r.Method == Newton {
				t.blockSums = t.size
			}
		}
		switch s.Kind {
		case Sums:
			t.size += r.rings() * r.triangle()
		case Proof:
			t.size++ // remainders of the loss: see remainder
		}
		tasks = append(tasks, t)
		size += t.size
	}
	return tasks, size, nil
}

// segments returns the layout of a task's sums over rows with labels y, features x and dual
// variables a. The Hessians of a Sums round and the remainders of a Proof round come after them.
//
//	Line    slope at each step length
//	Ascent  loss, dual term, vector a*y*x
//	Sums    loss, dual term for each width, number of rows in each ring, a*y*x for the
//	        widest width, differences from that for the other widths
//	Proof   loss, dual term, a^2, vector a*y*x
func (r *Rounds) segments(kind Kind, t *task) (layout []segment) {
	row, dual, dualTerm := r.rowBounds(norm(t.W))
	switch kind {
	case Sums:
		rings := r.rings()
		return []segment{{r.quantum(row), 1, false}, {r.quantum(dualTerm), rings, false},
			{quantum{1, 1}, rings, false}, {r.quantum(dual), rings * r.vars, true}}
	case Line:
		p := norm(t.Direction)
		for _, s := range stepLengths {
			_, dual, _ := r.rowBounds(norm(t.W) + float64(s*p))
			q := r.quantum(float64(float64(p*r.maxLength) * dual))
			layout = append(layout, segment{q, 1, false})
		}
		return layout
	case Proof:
		row, _, _ = r.rowBounds(t.model.norm(r) + t.model.biasSize)
		_, dual, dualTerm = r.rowBounds(norm(t.DualW))
	}
	if r.Method == Dual {
		dual, dualTerm = r.limits.meanDual, r.limits.meanDualTerm
	}
	layout = []segment{{r.quantum(row), 1, false}, {r.quantum(dualTerm), 1, false}}
	if kind == Proof {
		layout = append(layout, segment{r.quantum(float64(dual * dual)), 1, false})
	}
	return append(layout, segment{r.quantum(dual), r.vars, true})
}

func splitSums(tasks []task, sum []int64) []task {
	tasks = slices.Clone(tasks)
	for k := range tasks {
		tasks[k].sum, sum = sum[:tasks[k].size], sum[tasks[k].size:]
	}
	return tasks
}

// The mean is over the rows with a weight above 0.
func (r *Rounds) mean(v int64, q segment) float64 { return float64(v) * q.unit / r.weightedRows }

// meanVector undoes the factors Rounds.scale.
func (r *Rounds) meanVector(q segment, terms ...[]int64) []float64 {
	u := make([]float64, r.vars)
	for j := range u {
		var v int64
		for _, term := range terms {
			v += term[j]
		}
		u[j] = r.mean(v, q) / r.scale[j]
	}
	return u
}

// objective returns the primal objective of t.W. If it is the least so far, t keeps it and t.W.
func (r *Rounds) objective(t *task) float64 {
	p := float64(r.Lambda/2*objective.SquareSum(t.W)) + r.mean(t.sum[0], t.segments[0])
	if p < t.Objective {
		t.Objective = p
		copy(t.BestW, t.W)
	}
	return p
}

type worker struct {
	reader
	state *State
	tasks []task
	sums  []int64
	err   error

	// the current row with the bias feature, times Rounds.scale
	columns []int32
	scaled  []float64

	// buffers for Hessians of dense rows; else nil
	products *gram.Sum
	packed   []float32 // a ring's rows in the current block, dense, times Rounds.scale
	upper    []float64
}

func (p *Shard) worker(s *State, tasks []task, size int) *worker {
	w := &worker{reader: reader{p: p, r: p.r}, state: s, sums: make([]int64, size)}
	w.tasks = splitSums(tasks, w.sums)
	for k := range w.tasks {
		t := &w.tasks[k]
		t.block, t.ringRows = make([]float64, t.blockSums), make([]ringRows, p.r.rings())
	}
	if n := p.r.vars; s.Kind == Sums && !p.r.sparseHessian {
		w.products, w.packed, w.upper = gram.New(n), make([]float32, Block*n), make([]float64, n)
	}
	return w
}

// addTruncated truncates toward 0. It sets w.err if a sum is not finite or not below 2^62 quanta in
// magnitude.
func (w *worker) addTruncated(dst []int64, sums []float64, q segment) {
	for j, v := range sums {
		if q.scaled {
			v = float64(v * w.r.scale[j%w.r.vars])
		}
		v = float64(v * q.inverse)
		if !(math.Abs(v) < 0x1p62) {
			w.err = fmt.Errorf("pegasos: a sum over the rows exceeds its bound or is not finite")
			continue
		}
		dst[j] += int64(v)
	}
}
