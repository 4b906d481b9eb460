package kernel

import (
	"context"
	"slices"
	"sync"

	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/rows/store"
)

// Expansion is one or more weight vectors, the outputs, each a sum of coefficient*phi(row) over
// rows. With the linear kernel a score is the inner product of the query row and the weight vector.
// With other kernels a score is, to the bit, the float64 sum over the rows, in order, of
// coefficient times float64 kernel value.
type Expansion struct {
	Outputs int

	rows    *Rows // nil with the linear kernel
	groups  []int // numbers of rows of successive groups of the rows
	terms   Terms
	weights [][]float64 // by output; nil unless the kernel is linear
	single  sync.Pool   // of *scorer, for Score
}

// Terms are the coefficients of groups of rows.
type Terms struct {
	// Coef has, for each group, the coefficients of its rows for its first output, then for the
	// next, and so on.
	Coef [][]float32
	// Output returns the output of slot s of a group's outputs.
	Output func(group, s int) int
}

// NewExpansion returns an expansion over all rows of m. groups has the sizes of their groups.
func NewExpansion(f Function, m store.Matrix, groups []int, outputs int, terms Terms) *Expansion {
	e, at := &Expansion{Outputs: outputs, groups: groups, terms: terms}, UpTo(m.Rows())
	if f.Kind == Linear {
		e.sum(m, at)
		return e
	}
	if e.rows = NewRows(f, m, at, groups); e.rows.words != nil {
		e.rows.buildIndex()
	}
	return e
}

// Expand returns the expansion of one output over the rows at the given positions.
func (r *Rows) Expand(positions []int32, coef []float32) *Expansion {
	e := &Expansion{Outputs: 1, groups: []int{len(positions)},
		terms: Terms{[][]float32{coef}, func(group, s int) int { return 0 }}}
	if r.Kind == Linear {
		e.sum(r.Matrix, gather(nil, r.At, positions))
		return e
	}
	e.rows = new(Rows)
	r.Select(e.rows, positions)
	return e
}

// sum uses compensated summation, since the terms may cancel. at has the index in m of each row.
func (e *Expansion) sum(m store.Matrix, at []int32) {
	lost := make([][]float64, e.Outputs)
	for k := range lost {
		e.weights = append(e.weights, make([]float64, m.Cols()))
		lost[k] = make([]float64, m.Cols())
	}
	for g, n := range e.groups {
		for s, coef := 0, e.terms.Coef[g]; len(coef) > 0; s, coef = s+1, coef[n:] {
			k := e.terms.Output(g, s)
			w, lost := e.weights[k], lost[k]
			for i, a := range coef[:n] {
				if a == 0 {
					continue
				}
				EachValue(m, at[i:i+1], func(j int, v float64) {
					v = float64(v * float64(a)) // exact: a product of two float32 numbers
					sum := w[j] + v
					part := sum - w[j]
					lost[j] += (w[j] - (sum - part)) + (v - part)
					w[j] = sum
				})
			}
		}
		at = at[n:]
	}
	for k, w := range e.weights {
		for j, v := range lost[k] {
			w[j] += v
		}
	}
}

func EachValue(m store.Matrix, at []int32, f func(column int, value float64)) {
	for _, i := range at {
		x := RowOf(m, int(i))
		for k, v := range x.Value {
			f(x.column(k), float64(v))
		}
	}
}

// queryRows is the number of query rows that share the reads of the expansion's rows.
const queryRows = 64

// ScoreAll computes the scores of all rows of x. It calls emit from several goroutines, each time
// with the scores of successive rows from start on. Columns that the expansion lacks are ignored.
// Rows are skipped once ctx is done.
func (e *Expansion) ScoreAll(ctx context.Context, x store.Rows, threads int,
	emit func(start int, scores []float64)) {
	n := x.Rows()
	_, stable := x.(store.Matrix)
	workers := make([]*scorer, threads)
	parallel.For(threads, (n+queryRows-1)/queryRows, func(worker, block int) {
		if ctx.Err() != nil {
			return
		}
		s := workers[worker]
		if s == nil {
			s = &scorer{x: x.Clone()}
			workers[worker] = s
		}
		start := block * queryRows
		scores := make([]float64, (min(start+queryRows, n)-start)*e.Outputs)
		s.queries = s.queries[:0]
		for i := start; i < min(start+queryRows, n); i++ {
			q := RowOf(s.x, i)
			if !stable {
				q = Row{slices.Clone(q.Index), slices.Clone(q.Value)}
			}
			s.queries = append(s.queries, q)
		}
		e.score(s, scores)
		emit(start, scores)
	})
}

func (e *Expansion) Score(x Row, dst []float64) []float64 {
	s, _ := e.single.Get().(*scorer)
	if s == nil {
		s = new(scorer)
	}
	s.queries = append(s.queries[:0], x)
	clear(dst)
	e.score(s, dst)
	clear(s.queries) // do not keep the caller's row alive
	clear(s.probes)
	e.single.Put(s)
	return dst
}

type scorer struct {
	x       store.Rows
	queries []Row
	probes  []Probe
	buffers []buffer
	values  [][]float64 // kernel values of each probe with a tile's rows
}

// score stores the score of query i for output k in scores[i*Outputs+k], which must be 0.
func (e *Expansion) score(s *scorer, scores []float64) {
	p := e.Outputs
	if e.weights != nil {
		for i := range s.queries {
			e.scoreLinear(&s.queries[i], scores[i*p:])
		}
		return
	}
	rows := e.rows
	bits := rows.words != nil
	for i := 0; i < len(s.queries) && bits; i++ {
		bits = store.AreBinary(s.queries[i].Value)
	}
	s.probes = s.probes[:0]
	for i, x := range s.queries {
		if i == len(s.buffers) {
			s.buffers = append(s.buffers, buffer{})
			s.values = append(s.values, make([]float64, TileRows))
		}
		s.probes = append(s.probes, rows.query(x, bits, &s.buffers[i]))
	}
	group, first := 0, 0
	for t, tile := range rows.Tiles {
		if tile.Group != group {
			group, first = tile.Group, tile.Start
		}
		probes, rest := s.probes, scores
		if p == 1 && bits && rows.width == 2 && rows.Kind == RBF {
			coef := e.terms.Coef[group][tile.Start-first : tile.End-first]
			for ; len(probes) >= 2; probes, rest = probes[2:], rest[2:] {
				rows.addLookUp2((*[2]float64)(rest), coef, probes, tile.Start)
			}
		}
		if len(probes) == 0 {
			continue
		}
		Values(rows, s.values, probes, t)
		n := e.groups[group]
		for slot, coef := 0, e.terms.Coef[group]; len(coef) > 0; slot, coef = slot+1, coef[n:] {
			addProducts(rest, p, e.terms.Output(group, slot), coef[tile.Start-first:tile.End-first],
				s.values[:len(probes)])
		}
	}
}

func (e *Expansion) scoreLinear(x *Row, scores []float64) {
	for k, w := range e.weights {
		sum := 0.0
		for i, v := range x.Value {
			if j := x.column(i); j < len(w) {
				sum += float64(w[j] * float64(v))
			}
		}
		scores[k] = sum
	}
}

// addProducts adds the sum of coef[j]*rows[i][j], in the order of j, to scores[i*p+k]. The CPU can
// overlap the additions of four rows.
func addProducts(scores []float64, p, k int, coef []float32, rows [][]float64) {
	for ; len(rows) >= 4; rows, k = rows[4:], k+4*p {
		v0, v1, v2, v3 := rows[0][:len(coef)], rows[1][:len(coef)], rows[2][:len(coef)],
			rows[3][:len(coef)]
		s0, s1, s2, s3 := scores[k], scores[k+p], scores[k+2*p], scores[k+3*p]
		for j, c := range coef {
			a := float64(c)
			s0 += float64(a * v0[j])
			s1 += float64(a * v1[j])
			s2 += float64(a * v2[j])
			s3 += float64(a * v3[j])
		}
		scores[k], scores[k+p], scores[k+2*p], scores[k+3*p] = s0, s1, s2, s3
	}
	for i := range rows {
		sum := scores[k]
		for j, c := range coef {
			sum += float64(float64(c) * rows[i][j])
		}
		scores[k] = sum
		k += p
	}
}

type buffer struct {
	words  []uint64
	index  []int32
	values []float32
}

// query drops columns that r lacks. The probe may alias x and b.
func (r *Rows) query(x Row, bits bool, b *buffer) Probe {
	switch {
	case bits:
		b.words = append(b.words[:0], make([]uint64, r.width)...)
		if b.words == nil {
			b.words = []uint64{} // without columns; nil would mean "not packed"
		}
		packRow(b.words, &x, r.cols)
		return Probe{words: b.words}
	case r.dense == nil:
		if x.Index == nil {
			x = b.nonzeros(x)
		}
		n, _ := slices.BinarySearch(x.Index, int32(r.cols))
		x = Row{x.Index[:n], x.Value[:n]}
	case x.Index != nil || len(x.Value) != r.cols:
		b.values = append(b.values[:0], make([]float32, r.cols)...)
		for k, v := range x.Value {
			if j := x.column(k); j < r.cols {
				b.values[j] = v
			}
		}
		x = Row{Value: b.values}
	}
	return Probe{Row: x, square: r.squaredNorm64(x.Value)}
}

// nonzeros returns a sparse row without zeros, in memory of b.
func (b *buffer) nonzeros(x Row) Row {
	b.index, b.values = b.index[:0], b.values[:0]
	if b.index == nil {
		b.index = []int32{} // a nil index would mean a dense row
	}
	for k, v := range x.Value {
		if v != 0 {
			b.index, b.values = append(b.index, int32(x.column(k))), append(b.values, v)
		}
	}
	return Row{b.index, b.values}
}

// Equal reports whether two rows have the same nonzero values in the same columns.
func (x Row) Equal(z Row) bool {
	var a, b buffer
	x, z = a.nonzeros(x), b.nonzeros(z)
	return slices.Equal(x.Index, z.Index) && slices.Equal(x.Value, z.Value)
}
