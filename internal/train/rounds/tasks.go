package rounds

import (
	"fmt"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/vectors/gram"
)

// This file lays out the sums of a round and their quanta, for the shards that compute the sums and
// for Next, which reads them.

// tasks returns the tasks of the round whose input is s, and the total number of their sums. A
// proof has a task for every problem, other rounds only for problems that are not done.
func (r *Rounds) tasks(s *State) (tasks []task, size int, err error) {
	if err := r.Check(s); err != nil {
		return nil, 0, err
	}
	if s.Done {
		return nil, 0, fmt.Errorf("pegasos: the state is final: no round follows it")
	}
	m := r.verified
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
		if s.Kind == Sums {
			t.size += r.rings() * r.triangle()
		}
		tasks = append(tasks, t)
		size += t.size
	}
	return tasks, size, nil
}

// segments returns the layout of a task's sums over rows with labels y, features x and dual
// variables a, without the Hessians that a round of the kind Sums has in addition:
//
//	Line    slope at each step length
//	Ascent  loss, dual term -l*(-a), vector a*y*x
//	Sums    loss, dual term for each width, number of rows in each ring, a*y*x for each width
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

// splitSums returns a copy of the tasks. The sums of each task are its part of the slice sum.
func splitSums(tasks []task, sum []int64) []task {
	tasks = slices.Clone(tasks)
	for k := range tasks {
		tasks[k].sum, sum = sum[:tasks[k].size], sum[tasks[k].size:]
	}
	return tasks
}

// worker computes the sums over some of a shard's blocks, in one goroutine.
type worker struct {
	reader
	state *State
	tasks []task
	sums  []int64
	err   error

	// The current row with the bias feature, in variables scaled by Rounds.scale: see scaledRow.
	columns []int32
	scaled  []float64

	// Buffers for Hessians of dense rows; nil in other rounds and with Rounds.sparseHessian.
	products *gram.Sum // sum of the outer products of a ring's rows
	packed   []float32 // a ring's rows in the current block, dense, times Rounds.scale
	upper    []float64 // one row of the upper triangle of products
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

// block adds the sums over one block, the rows from start to end-1, to w.sums.
func (w *worker) block(start, end int) {
	for k := range w.tasks {
		clear(w.tasks[k].block)
	}
	visit := handlers[w.state.Kind].visit
	for i := start; i < end; i++ {
		if !w.read(i) {
			continue
		}
		for k := range w.tasks {
			visit(w, &w.tasks[k])
		}
	}
	for k := range w.tasks {
		t, at := &w.tasks[k], 0
		for j := 0; at < t.blockSums; j++ {
			q := t.segments[j]
			w.addTruncated(t.sum[at:], t.block[at:][:q.size], q)
			at += q.size
		}
		if w.products != nil {
			w.addHessians(t.sum[at:], t.ringRows)
		}
	}
}

// addTruncated converts the sums of the segment q to quanta, truncated toward 0, and adds them to
// dst. It sets w.err if a sum is not finite or not below 2^62 quanta in magnitude.
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
