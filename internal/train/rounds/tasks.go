package rounds

import (
	"fmt"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/gram"
)

// This file says which numbers a round adds up, and what each is rounded to: whoever takes a part
// in it and whoever takes in the sums go by the same table.

// tasks returns what the state's next round adds up, and how many numbers that is.
func (r *Rounds) tasks(s *State) (of []task, size int, err error) {
	if err := r.Check(s); err != nil {
		return nil, 0, err
	}
	if s.Done {
		return nil, 0, fmt.Errorf("pegasos: the rounds are done")
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
		of = append(of, t)
		size += t.size
	}
	return of, size, nil
}

// parts returns the table of a task's sums. Those of the dual method and of proofs are of the
// losses, of what the dual variables earn, in a proof of their squares, and of the rows with them.
func (r *Rounds) segments(kind Kind, t *task) (parts []segment) {
	row, dual, gain := r.rowBounds(length(t.W))
	switch kind {
	case Sums:
		rings := r.rings()
		return []segment{{r.quantum(row), 1, false}, {r.quantum(gain), rings, false},
			{quantum{1, 1}, rings, false}, {r.quantum(dual), rings * r.vars, true}}
	case Line:
		p := length(t.Direction)
		for _, s := range stepLengths {
			_, dual, _ := r.rowBounds(length(t.W) + float64(s*p))
			q := r.quantum(float64(float64(p*r.maxLength) * dual))
			parts = append(parts, segment{q, 1, false})
		}
		return parts
	case Proof:
		row, _, _ = r.rowBounds(t.model.length(r) + t.model.biasSize)
		_, dual, gain = r.rowBounds(length(t.DualW))
	}
	if r.Method == Dual {
		dual, gain = r.ascentBounds()
	}
	parts = []segment{{r.quantum(row), 1, false}, {r.quantum(gain), 1, false}}
	if kind == Proof {
		parts = append(parts, segment{r.quantum(float64(dual * dual)), 1, false})
	}
	return append(parts, segment{r.quantum(dual), r.vars, true})
}

// deal returns the tasks with their sums.
func splitSums(of []task, sum []int64) []task {
	of = slices.Clone(of)
	for k := range of {
		of[k].sum, sum = sum[:of[k].size], sum[of[k].size:]
	}
	return of
}

// A worker adds up rows, in one goroutine.
type worker struct {
	reader
	state     *State
	tasks    []task
	sums []int64
	err   error

	// Of the row in scaled variables, with the bias: see unit.
	columns []int32
	scaled   []float64

	// The products of a zone's rows: nil but for the Hessian of rows that have many nonzeros.
	products *gram.Sum
	packed   []float32
	upper    []float64
}

func (p *Shard) worker(s *State, of []task, size int) *worker {
	w := &worker{reader: reader{p: p, r: p.r}, state: s, sums: make([]int64, size)}
	w.tasks = splitSums(of, w.sums)
	for k := range w.tasks {
		t := &w.tasks[k]
		t.block, t.ringRows = make([]float64, t.blockSums), make([]ringRows, p.r.rings())
	}
	if n := p.r.vars; s.Kind == Sums && !p.r.sparseHessian {
		w.products, w.packed, w.upper = gram.New(n), make([]float32, Block*n), make([]float64, n)
	}
	return w
}

// block adds the sums over the rows from first to end-1.
func (w *worker) block(first, end int) {
	for k := range w.tasks {
		clear(w.tasks[k].block)
	}
	visit := handlers[w.state.Kind].visit
	for i := first; i < end; i++ {
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
			w.addRounded(t.sum[at:], t.block[at:][:q.size], q)
			at += q.size
		}
		if w.products != nil {
			w.addHessians(t.sum[at:], t.ringRows)
		}
	}
}

// put adds the sums of a part to the total, rounded to its quantum.
func (w *worker) addRounded(to []int64, from []float64, q segment) {
	for j, v := range from {
		if q.scaled {
			v = float64(v * w.r.scale[j%w.r.vars])
		}
		v = float64(v * q.inverse)
		if !(math.Abs(v) < 0x1p62) {
			w.err = fmt.Errorf("pegasos: a sum over rows is beyond its bound, or not finite")
			continue
		}
		to[j] += int64(v) // towards 0
	}
}
