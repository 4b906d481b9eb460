package rounds

import (
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/model/labels"
	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/internal/rows/store"
)

// Shard is a contiguous part of the rows that a [Rounds] trains on. It is immutable and safe for
// concurrent use.
type Shard struct {
	r           *Rounds
	x           store.Matrix
	class       []int32   // index into Rounds.labels
	number      int       // part of the seed of random row orders
	squareNorms []float64 // of scaled rows with the bias feature; 0 if the row's weight is 0
	columns     []int32   // 0 to cols-1, for dense rows
	scaledZeros []float64 // value of 0 in each column after scaling; nil without a shift
}

// Shard returns a shard of the rows x, a dense.Matrix or sparse.Matrix, with labels y. x must not
// change. start is the index of x's first row among the rows of all shards. It must be a multiple
// of Block, unless x has no rows. Shard returns an error if a row does not fit the statistics.
func (r *Rounds) Shard(number int, x store.Examples, y []float32, start int) (*Shard, error) {
	if err := store.CheckExamples(x); err != nil {
		return nil, err
	}
	n := x.Rows()
	m, ok := store.MatrixOf(x)
	switch {
	case len(y) != n:
		return nil, fmt.Errorf("pegasos: %s for %s", plural.Count(len(y), "label"),
			plural.Count(n, "row"))
	case x.Cols() != r.cols:
		return nil, fmt.Errorf("pegasos: the rows have %s, want %d",
			plural.Count(x.Cols(), "feature"), r.cols)
	case n > 0 && (start%Block != 0 || start < 0 || start+n > r.rows):
		return nil, fmt.Errorf("pegasos: a shard has %s from row %d on: it must lie within the "+
			"%d rows and begin at a multiple of %d", plural.Count(n, "row"), start, r.rows, Block)
	case !ok:
		return nil, fmt.Errorf("pegasos: a shard's rows must be a dense.Matrix or a sparse.Matrix")
	}
	p := &Shard{r: r, x: m, number: number, class: make([]int32, n), squareNorms: make([]float64, n),
		columns: make([]int32, r.cols)}
	for j := range p.columns {
		p.columns[j] = int32(j)
		if s := r.Scale; s != nil && s.Shift != nil {
			p.scaledZeros = append(p.scaledZeros, s.At(j, 0))
		}
	}
	return p, p.check(y)
}

func (p *Shard) check(y []float32) error {
	r, scaled := p.r, &reader{p: p, r: p.r}
	for i, label := range y {
		k, ok := labels.Find(r.labels, label)
		if !ok {
			return fmt.Errorf("pegasos: row %d: the label %v is not one of %v", i, label, r.labels)
		}
		p.class[i] = int32(k)
		index, values := p.row(i)
		square := 0.0
		for t, v := range values {
			if j := index[t]; !(math.Abs(float64(v)) <= float64(r.maxAbs[j])) {
				return fmt.Errorf("pegasos: row %d: the value in column %d is %v, want a magnitude of "+
					"at most %v, the column's largest in the statistics", i, j, v, r.maxAbs[j])
			}
			square += float64(float64(v) * float64(v))
		}
		if !(square <= float64(r.maxSquare*(1+0x1p-20))) {
			return fmt.Errorf("pegasos: row %d: the squared length %v exceeds the largest in the "+
				"statistics, %v", i, square, r.maxSquare)
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

func (p *Shard) row(i int) (index []int32, values []float32) {
	if index, values = p.x.Row(i); index == nil {
		index = p.columns
	}
	return index, values
}

// AlphaLength returns the number of dual variables to store for the shard between rounds: two for
// each row and problem, or 0 with Newton's method.
func (p *Shard) AlphaLength() int {
	if p.r.Method == Newton {
		return 0
	}
	return 2 * len(p.class) * p.r.Problems()
}

// reader reads the scaled rows of a shard, in one goroutine. index and values are valid until the
// next call of read.
type reader struct {
	p *Shard
	r *Rounds

	row    int // in the shard
	weight float64
	index  []int32
	values []float64 // 0 in the columns that are not in index
}

// If the weight of row i is 0, read returns false and leaves index and values unchanged.
func (o *reader) read(i int) bool {
	p, s := o.p, o.r.Scale
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
		length = scale.Length(raw)
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

// With two classes the second is the positive class, otherwise class k is.
func (o *reader) label(k int) float64 {
	if len(o.r.labels) == 2 {
		k = 1
	}
	if int(o.p.class[o.row]) == k {
		return 1
	}
	return -1
}

// dot excludes the bias. It adds the product of values[t] to running sum t mod 4.
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

// If there is a bias, the last element of w is the bias variable.
func (o *reader) margin(k int, w []float64) float64 {
	z := o.dot(w)
	if r := o.r; r.biasScale > 0 {
		z += float64(r.biasScale * w[r.cols])
	}
	return float64(o.label(k) * z)
}

// addRow adds a times the current row, with its bias feature, to u.
func (o *reader) addRow(a float64, u []float64) {
	if r := o.r; r.biasScale > 0 {
		u[r.cols] += float64(a * r.biasScale)
	}
	index := o.index[:len(o.values)]
	for t, v := range o.values {
		u[index[t]] += float64(a * v)
	}
}
