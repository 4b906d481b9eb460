package rounds

import (
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/labels"
	"github.com/pegasimd/pegasimd/internal/scaling"
	"github.com/pegasimd/pegasimd/internal/store"
)

// A Shard is a part of the rows of [Rounds]. It does not change, and may be used from several
// goroutines.
type Shard struct {
	r       *Rounds
	x       store.Matrix
	class   []int32
	number  int
	squares []float64 // of each row, scaled, with the bias's feature
	all     []int32   // the columns
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
	m, ok := store.MatrixOf(x)
	switch {
	case len(y) != n:
		return nil, fmt.Errorf("pegasos: %d labels for %d rows", len(y), n)
	case x.Cols() != r.cols:
		return nil, fmt.Errorf("pegasos: the rows have %d features, want %d", x.Cols(), r.cols)
	case n > 0 && (first%Block != 0 || first < 0 || first+n > r.count):
		return nil, fmt.Errorf("pegasos: a shard of %d rows from row %d: want one within %d rows, "+
			"that begins with a multiple of %d", n, first, r.count, Block)
	case !ok:
		return nil, fmt.Errorf("pegasos: a shard is a dense.Matrix or a sparse.Matrix")
	}
	p := &Shard{r: r, x: m, number: number, class: make([]int32, n), squares: make([]float64, n),
		all: make([]int32, r.cols)}
	for j := range p.all {
		p.all[j] = int32(j)
		if s := r.scaler; s != nil && s.Shift != nil {
			p.zeros = append(p.zeros, s.At(j, 0))
		}
	}
	return p, p.check(y)
}

// check reads all rows.
func (p *Shard) check(y []float32) error {
	r, scaled := p.r, &reader{p: p, r: p.r}
	for i, label := range y {
		k, ok := labels.Find(r.classes, label)
		if !ok {
			return badRow(i, "the label %v is none of %v", label, r.classes)
		}
		p.class[i] = int32(k)
		index, values := p.row(i)
		square := 0.0
		for t, v := range values {
			if j := index[t]; !(math.Abs(float64(v)) <= float64(r.magnitude[j])) {
				return badRow(i, "the value %v of column %d is beyond those that the statistics "+
					"have: %v", v, j, r.magnitude[j])
			}
			square += float64(float64(v) * float64(v))
		}
		if !(square <= float64(r.longest*(1+0x1p-20))) {
			return badRow(i, "the squared length %v is beyond what the statistics have: %v", square,
				r.longest)
		}
		if scaled.read(i) {
			p.squares[i] = float64(r.beta * r.beta)
			for _, v := range scaled.values {
				p.squares[i] += float64(v * v)
			}
		}
	}
	return p.x.Err()
}

// row returns the columns and values of row i, as it is.
func (p *Shard) row(i int) (index []int32, values []float32) {
	if index, values = p.x.Row(i); index == nil {
		index = p.all
	}
	return index, values
}

// Rows returns the number of rows.
func (p *Shard) Rows() int { return len(p.class) }

// AlphaLength returns how many dual variables the shard keeps from one round to the next: two for
// each row and problem, those before the last pass and those after it. Newton's method keeps none.
func (p *Shard) AlphaLength() int {
	if p.r.Method == Newton {
		return 0
	}
	return 2 * len(p.class) * p.r.Problems()
}

// A reader reads rows, for one goroutine. Its fields are valid until it reads the next row.
type reader struct {
	p *Shard
	r *Rounds

	i      int
	c      float64   // its weight
	index  []int32   // the columns
	values []float64 // in them, scaled
}

// read reads row i, unless its weight is 0.
func (o *reader) read(i int) bool {
	p, s := o.p, o.r.scaler
	o.i, o.c = i, o.r.weights[p.class[i]]
	if o.c == 0 {
		return false
	}
	index, raw := p.row(i)
	if p.zeros != nil {
		o.index, o.values = p.all, append(o.values[:0], p.zeros...)
		for t, j := range index {
			o.values[j] = s.At(int(j), raw[t])
		}
		return true
	}
	values, length := o.values[:0], 1.0
	if s != nil && s.Factor == nil {
		length = scaling.Length(raw)
	}
	for t, v := range raw {
		z := float64(v)
		switch {
		case s == nil:
		case s.Factor == nil:
			z /= length
		default:
			z = s.At(int(index[t]), v)
		}
		values = append(values, z)
	}
	o.index, o.values = index[:len(raw)], values
	return true
}

// side returns the label of the row in problem k: +1 or -1.
func (o *reader) side(k int) float64 {
	if len(o.r.classes) == 2 {
		k = 1
	}
	if int(o.p.class[o.i]) == k {
		return 1
	}
	return -1
}

// dot returns the dot product of the row and w, whose further elements are left out. Four sums take
// the products in turns.
func (o *reader) dot(w []float64) float64 {
	var s0, s1, s2, s3 float64
	index, values := o.index, o.values
	for len(values) >= floats.Lanes {
		j, v := (*[floats.Lanes]int32)(index), (*[floats.Lanes]float64)(values)
		s0 += float64(w[j[0]] * v[0])
		s1 += float64(w[j[1]] * v[1])
		s2 += float64(w[j[2]] * v[2])
		s3 += float64(w[j[3]] * v[3])
		index, values = index[floats.Lanes:], values[floats.Lanes:]
	}
	lane := [floats.Lanes]float64{s0, s1, s2, s3}
	for l, v := range values {
		lane[l] += float64(w[index[l]] * v)
	}
	return floats.Fold(lane)
}

// margin returns the row's in problem k with the weights w, the bias's last.
func (o *reader) margin(k int, w []float64) float64 {
	z := o.dot(w)
	if r := o.r; r.beta > 0 {
		z += float64(r.beta * w[r.cols])
	}
	return float64(o.side(k) * z)
}

// add adds a times the row, and the bias's feature, to u.
func (o *reader) add(a float64, u []float64) {
	if r := o.r; r.beta > 0 {
		u[r.cols] += float64(a * r.beta)
	}
	index := o.index[:len(o.values)]
	for t, v := range o.values {
		u[index[t]] += float64(a * v)
	}
}
