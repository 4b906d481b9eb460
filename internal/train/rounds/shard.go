package rounds

import (
	"context"
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/labels"
	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/internal/scaling"
	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/pegasos"
)

// A Shard is a part of the rows of [Rounds]. It does not change, and may be used from several
// goroutines.
type Shard struct {
	r       *Rounds
	x       store.Reader
	own     store.Examples
	class   []int32
	number  int
	squares []float64 // of each row, scaled, with the bias's feature
	zeros   []float64 // of each column, what a 0 becomes; nil for 0
}

// Shard returns the shard of a number with the rows of x and their labels y, which are used as they
// are and must not change. Its first row, of all shards', has to be a multiple of Block, where
// it has rows. All rows are read, and an error tells what is not as the statistics have it.
func (r *Rounds) Shard(number int, x store.Examples, y []float32, first int) (*Shard, error) {
	if err := store.Given(x); err != nil {
		return nil, err
	}
	n := x.Rows()
	switch {
	case len(y) != n:
		return nil, fmt.Errorf("pegasos: %d labels for %d rows", len(y), n)
	case x.Cols() != r.cols:
		return nil, fmt.Errorf("pegasos: the rows have %d features, want %d", x.Cols(), r.cols)
	case n > 0 && (first%Block != 0 || first < 0 || first+n > r.count):
		return nil, fmt.Errorf("pegasos: a shard of %d rows from row %d: want one within %d rows, "+
			"that begins with a multiple of %d", n, first, r.count, Block)
	}
	p := &Shard{r: r, own: x, number: number, class: make([]int32, n),
		squares: make([]float64, n)}
	if _, ok := store.MatrixOf(x); !ok {
		return nil, fmt.Errorf("pegasos: a shard is a dense.Matrix or a sparse.Matrix")
	}
	p.x = store.ReaderOf(x)
	if c := r.Scaling; c != nil && c.Shift != nil {
		s := scalerOf(c)
		p.zeros = make([]float64, r.cols)
		for j := range p.zeros {
			p.zeros[j] = s.At(j, 0)
		}
	}
	return p, p.check(y)
}

// check reads all rows.
func (p *Shard) check(y []float32) error {
	r, rows := p.r, p.reader()
	for i, label := range y {
		k, ok := labels.Find(r.classes, label)
		if !ok {
			return badRow(i, fmt.Sprintf("the label %v is none of %v", label, r.classes))
		}
		p.class[i] = int32(k)
		index, values := p.x.Row(i)
		square := 0.0
		for t, v := range values {
			j := t
			if index != nil {
				j = int(index[t])
			}
			if !(math.Abs(float64(v)) <= float64(r.magnitude[j])) {
				return badRow(i, fmt.Sprintf("the value %v of column %d is beyond those that the "+
					"statistics have: %v", v, j, r.magnitude[j]))
			}
			square += float64(float64(v) * float64(v))
		}
		if !(square <= float64(r.longest*(1+0x1p-20))) {
			return badRow(i, fmt.Sprintf("the squared length %v is beyond what the statistics "+
				"have: %v", square, r.longest))
		}
		_, scaled := rows.row(i)
		p.squares[i] = float64(r.beta * r.beta)
		for _, v := range scaled {
			p.squares[i] += float64(v * v)
		}
	}
	return store.Of(p.own).Err()
}

// Rows returns the number of rows.
func (p *Shard) Rows() int { return len(p.class) }

// AlphaLength returns how many dual variables the shard keeps from one round to the next: two for
// each row and problem, those before the last pass and those after it. Newton's method keeps none.
func (p *Shard) AlphaLength() int {
	if p.r.Method == Newton {
		return 0
	}
	return 2 * len(p.class) * p.r.problems()
}

// Take takes the shard's part in the round that state begins, with up to so many goroutines. alpha
// is what the shard gave in the round before, nil in the first. It returns the sums over the
// shard's rows, and what it keeps for the next round.
func (p *Shard) Take(ctx context.Context, state *State, alpha []float32, threads int) (
	sum []int64, next []float32, err error,
) {
	if err := p.r.Check(state); err != nil {
		return nil, nil, err
	}
	if state.Done {
		return nil, nil, fmt.Errorf("pegasos: the rounds are done")
	}
	if alpha == nil && state.Round == 0 {
		alpha = make([]float32, p.AlphaLength())
	}
	if len(alpha) != p.AlphaLength() || floats.FirstNotFinite(alpha) >= 0 {
		return nil, nil, fmt.Errorf("pegasos: %d dual variables, want %d finite ones", len(alpha),
			p.AlphaLength())
	}
	if state.Kind == Ascent {
		sum, next, err = p.ascend(ctx, state, alpha)
	} else {
		sum, err = p.blocks(ctx, state, alpha, threads)
		next = p.inForce(state, alpha)
		if err == nil && state.Kind == Proof && p.r.Method == Dual {
			var dual []int64
			if dual, err = p.proveDual(ctx, state, alpha); err == nil {
				for j, v := range dual {
					sum[j] += v
				}
			}
		}
	}
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = store.Of(p.own).Err()
	}
	if err != nil {
		return nil, nil, err
	}
	return sum, next, nil
}

func scalerOf(c *pegasos.Scaling) *scaling.Scaler {
	return &scaling.Scaler{Kind: string(c.Kind), Shift: c.Shift, Factor: c.Factor}
}

// A reader reads rows, for one goroutine.
type reader struct {
	p      *Shard
	values []float64
}

func (p *Shard) reader() *reader { return &reader{p: p} }

// row returns the columns and values of row i, scaled; nil columns for all. They are valid until
// the next call.
func (o *reader) row(i int) (index []int32, values []float64) {
	p := o.p
	index, raw := p.x.Row(i)
	c := p.r.Scaling
	if c != nil && c.Shift != nil && index != nil {
		o.values = append(o.values[:0], p.zeros...)
		s := scalerOf(c)
		for t, j := range index {
			o.values[j] = s.At(int(j), raw[t])
		}
		return nil, o.values
	}
	if cap(o.values) < len(raw) {
		o.values = make([]float64, len(raw))
	}
	values = o.values[:len(raw)]
	switch {
	case c == nil:
		for t, v := range raw {
			values[t] = float64(v)
		}
	case c.Kind == pegasos.ScaleUnit:
		length := scaling.Length(raw)
		for t, v := range raw {
			values[t] = float64(v) / length
		}
	default:
		s := scalerOf(c)
		for t, v := range raw {
			j := t
			if index != nil {
				j = int(index[t])
			}
			values[t] = s.At(j, v)
		}
	}
	return index, values
}

// dot returns the dot product of a row and w, whose further elements are left out. Four sums take
// the products in turns.
func (o *reader) dot(index []int32, values, w []float64) float64 {
	var lane [floats.Lanes]float64
	if index != nil {
		index = index[:len(values)]
		for t, v := range values {
			lane[t%floats.Lanes] += float64(w[index[t]] * v)
		}
		return floats.Fold(lane)
	}
	w = w[:len(values)]
	t := 0
	for ; t+floats.Lanes <= len(values); t += floats.Lanes {
		u, v := (*[floats.Lanes]float64)(w[t:]), (*[floats.Lanes]float64)(values[t:])
		lane[0] += float64(u[0] * v[0])
		lane[1] += float64(u[1] * v[1])
		lane[2] += float64(u[2] * v[2])
		lane[3] += float64(u[3] * v[3])
	}
	for l := 0; t < len(values); t, l = t+1, l+1 {
		lane[l] += float64(w[t] * values[t])
	}
	return floats.Fold(lane)
}

// score returns that of the weights w, the bias's last.
func (o *reader) score(index []int32, values, w []float64) float64 {
	r := o.p.r
	z := o.dot(index, values, w)
	if r.beta > 0 {
		z += float64(r.beta * w[r.cols])
	}
	return z
}

// add adds a times the row, and the bias's feature, to u.
func (o *reader) add(a float64, index []int32, values, u []float64) {
	r := o.p.r
	if r.beta > 0 {
		u[r.cols] += float64(a * r.beta)
	}
	if index != nil {
		index = index[:len(values)]
		for t, v := range values {
			u[index[t]] += float64(a * v)
		}
		return
	}
	u = u[:len(values)]
	for t, v := range values {
		u[t] += float64(a * v)
	}
}

// blocks adds up the sums of the blocks, for rounds in which rows are independent of one another.
func (p *Shard) blocks(ctx context.Context, s *State, alpha []float32, threads int) (
	[]int64, error,
) {
	n := (len(p.class) + Block - 1) / Block
	threads = max(1, min(threads, n))
	workers := make([]*worker, threads)
	model, err := p.r.effective(s)
	if err != nil {
		return nil, err
	}
	parallel.For(threads, n, func(worker, block int) {
		if ctx.Err() != nil {
			return
		}
		w := workers[worker]
		if w == nil {
			w = p.worker(s, alpha, model)
			workers[worker] = w
		}
		first := block * Block
		w.block(first, min(first+Block, len(p.class)))
	})
	total := make([]int64, p.r.sumLength(s))
	for _, w := range workers {
		if w == nil {
			continue
		}
		if w.err != nil {
			return nil, w.err
		}
		for j, v := range w.total {
			total[j] += v
		}
	}
	return total, nil
}

// A worker adds up blocks of rows, in one goroutine.
type worker struct {
	*reader
	r     *Rounds
	s     *State
	alpha []float32
	model []effectiveModel // of a proof
	total []int64
	err   error

	sums []float64 // of a block
	zone zoneSum
}

func (p *Shard) worker(s *State, alpha []float32, model []effectiveModel) *worker {
	w := &worker{reader: p.reader(), r: p.r, s: s, alpha: alpha, model: model,
		total: make([]int64, p.r.sumLength(s))}
	size := 0
	switch s.Kind {
	case Sums:
		size = 1 + p.r.rings()*(2+p.r.vars)
		w.zone.fit(p.r, len(s.Problems))
	default:
		size = p.r.sumsOf(s.Kind)
	}
	w.sums = make([]float64, size*len(s.Problems))
	return w
}

// block adds the sums over the rows from first to end-1.
func (w *worker) block(first, end int) {
	clear(w.sums)
	switch w.s.Kind {
	case Sums:
		w.newtonSums(first, end)
	case Line:
		w.lineSums(first, end)
	case Proof:
		w.proofSums(first, end)
	}
}

// put adds a sum to the total, rounded to the quantum.
func (w *worker) put(to int, v float64, q quantum) {
	v = float64(v * q.per)
	if !(math.Abs(v) < 0x1p62) {
		if w.err == nil {
			w.err = fmt.Errorf("pegasos: a sum over rows is beyond its bound, or not finite")
		}
		return
	}
	w.total[to] += int64(v) // towards 0
}
