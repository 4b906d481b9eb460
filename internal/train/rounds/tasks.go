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
	m := r.held
	if s.Kind == Proof && m == nil {
		if m, err = r.Model(s); err != nil {
			return nil, 0, err
		}
	}
	for k := range s.Problems {
		t := task{Problem: &s.Problems[k], k: k}
		if s.Kind == Proof {
			t.model = r.effective(m, k)
		} else if t.Done {
			continue
		}
		t.parts = r.parts(s.Kind, &t)
		for j, q := range t.parts {
			t.size += q.size
			if j == 0 || r.Method == Newton {
				t.byBlock = t.size
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
func (r *Rounds) parts(kind Kind, t *task) (parts []part) {
	row, dual, gain := r.most(length(t.W))
	switch kind {
	case Sums:
		rings := r.rings()
		return []part{{r.quantum(row), 1, false}, {r.quantum(gain), rings, false},
			{quantum{1, 1}, rings, false}, {r.quantum(dual), rings * r.vars, true}}
	case Line:
		p := length(t.P)
		for _, s := range lineLengths {
			_, dual, _ := r.most(length(t.W) + float64(s*p))
			q := r.quantum(float64(float64(p*r.reach) * dual))
			parts = append(parts, part{q, 1, false})
		}
		return parts
	case Proof:
		row, _, _ = r.most(t.model.length(r) + t.model.size)
		_, dual, gain = r.most(length(t.Dual))
	}
	if r.Method == Dual {
		dual, gain = r.ascentBounds()
	}
	parts = []part{{r.quantum(row), 1, false}, {r.quantum(gain), 1, false}}
	if kind == Proof {
		parts = append(parts, part{r.quantum(float64(dual * dual)), 1, false})
	}
	return append(parts, part{r.quantum(dual), r.vars, true})
}

// deal returns the tasks with their sums.
func deal(of []task, sum []int64) []task {
	of = slices.Clone(of)
	for k := range of {
		of[k].sum, sum = sum[:of[k].size], sum[of[k].size:]
	}
	return of
}

// A worker adds up rows, in one goroutine.
type worker struct {
	reader
	s     *State
	of    []task
	total []int64
	err   error

	// Of the row in scaled variables, with the bias: see unit.
	columns []int32
	units   []float64

	// The products of a zone's rows: nil but for the Hessian of rows that have many nonzeros.
	products *gram.Sum
	packed   []float32
	upper    []float64
}

func (p *Shard) worker(s *State, of []task, size int) *worker {
	w := &worker{reader: reader{p: p, r: p.r}, s: s, total: make([]int64, size)}
	w.of = deal(of, w.total)
	for k := range w.of {
		t := &w.of[k]
		t.block, t.zone = make([]float64, t.byBlock), make([]zone, p.r.rings())
	}
	if n := p.r.vars; s.Kind == Sums && !p.r.few {
		w.products, w.packed, w.upper = gram.New(n), make([]float32, Block*n), make([]float64, n)
	}
	return w
}

// block adds the sums over the rows from first to end-1.
func (w *worker) block(first, end int) {
	for k := range w.of {
		clear(w.of[k].block)
	}
	visit := rounds[w.s.Kind].visit
	for i := first; i < end; i++ {
		if !w.read(i) {
			continue
		}
		for k := range w.of {
			visit(w, &w.of[k])
		}
	}
	for k := range w.of {
		t, at := &w.of[k], 0
		for j := 0; at < t.byBlock; j++ {
			q := t.parts[j]
			w.put(t.sum[at:], t.block[at:][:q.size], q)
			at += q.size
		}
		if w.products != nil {
			w.putZones(t.sum[at:], t.zone)
		}
	}
}

// put adds the sums of a part to the total, rounded to its quantum.
func (w *worker) put(to []int64, from []float64, q part) {
	for j, v := range from {
		if q.scaled {
			v = float64(v * w.r.scale[j%w.r.vars])
		}
		v = float64(v * q.per)
		if !(math.Abs(v) < 0x1p62) {
			w.err = fmt.Errorf("pegasos: a sum over rows is beyond its bound, or not finite")
			continue
		}
		to[j] += int64(v) // towards 0
	}
}
