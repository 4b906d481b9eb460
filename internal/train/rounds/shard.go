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
	squareNorms []float64 // of each row, scaled, with the bias's feature
	columns     []int32   // the columns
	scaledZeros   []float64 // of each column, what a 0 becomes; nil for 0
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
	case n > 0 && (first%Block != 0 || first < 0 || first+n > r.allRows):
		return nil, fmt.Errorf("pegasos: a shard of %d rows from row %d: want one within %d rows, "+
			"that begins with a multiple of %d", n, first, r.allRows, Block)
	case !ok:
		return nil, fmt.Errorf("pegasos: a shard is a dense.Matrix or a sparse.Matrix")
	}
	p := &Shard{r: r, x: m, number: number, class: make([]int32, n), squareNorms: make([]float64, n),
		columns: make([]int32, r.cols)}
	for j := range p.columns {
		p.columns[j] = int32(j)
		if s := r.scaler; s != nil && s.Shift != nil {
			p.scaledZeros = append(p.scaledZeros, s.At(j, 0))
		}
	}
	return p, p.check(y)
}

// check reads all rows.
func (p *Shard) check(y []float32) error {
	r, scaled := p.r, &reader{p: p, r: p.r}
	for i, label := range y {
		k, ok := labels.Find(r.labels, label)
		if !ok {
			return rowError(i, "the label %v is none of %v", label, r.labels)
		}
		p.class[i] = int32(k)
		index, values := p.row(i)
		square := 0.0
		for t, v := range values {
			if j := index[t]; !(math.Abs(float64(v)) <= float64(r.maxAbs[j])) {
				return rowError(i, "the value %v of column %d is beyond those that the statistics "+
					"have: %v", v, j, r.maxAbs[j])
			}
			square += float64(float64(v) * float64(v))
		}
		if !(square <= float64(r.maxSquare*(1+0x1p-20))) {
			return rowError(i, "the squared length %v is beyond what the statistics have: %v", square,
				r.maxSquare)
		}
		if scaled.read(i) {
			p.squareNorms[i] = float64(r.biasScale * r.biasScale)
			for _, v := range scaled.values {
				p.squareNorms[i] += float64(v * v)
			}
		}
	}
	return p.x.Err()
}

// row returns the columns and values of row i, as it is.
func (p *Shard) row(i int) (index []int32, values []float32) {
	if index, values = p.x.Row(i); index == nil {
		index = p.columns
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

	row      int
	weight      float64   // its weight
	index  []int32   // the columns
	values []float64 // in them, scaled
}

// read reads row i, unless its weight is 0.
func (o *reader) read(i int) bool {
	p, s := o.p, o.r.scaler
	o.row, o.weight = i, o.r.classWeights[p.class[i]]
	if o.weight == 0 {
		return false
	}
	index, raw := p.row(i)
	if p.scaledZeros != nil {
		o.index, o.values = p.columns, append(o.values[:0], p.scaledZeros...)
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
func (o *reader) label(k int) float64 {
	if len(o.r.labels) == 2 {
		k = 1
	}
	if int(o.p.class[o.row]) == k {
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
	if r := o.r; r.biasScale > 0 {
		z += float64(r.biasScale * w[r.cols])
	}
	return float64(o.label(k) * z)
}

// add adds a times the row, and the bias's feature, to u.
func (o *reader) addRow(a float64, u []float64) {
	if r := o.r; r.biasScale > 0 {
		u[r.cols] += float64(a * r.biasScale)
	}
	index := o.index[:len(o.values)]
	for t, v := range o.values {
		u[index[t]] += float64(a * v)
	}
}
