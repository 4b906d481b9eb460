package pegasos

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/pegasimd/pegasimd/internal/options"
)

// Balanced is the [Config.ClassWeight] that gives each class the same weight in all: the rows of
// class k have the weight n/(K*n_k), for n rows, of which n_k are of class k, and K classes. Of
// rows that have own weights those are counted.
const Balanced = "balanced"

// classWeights returns the weights that ClassWeight gives to labels, nil if it gives none or goes
// by the data.
func (cfg Config) classWeights() (map[float32]float64, error) {
	if cfg.ClassWeight == "" || cfg.ClassWeight == Balanced {
		return nil, nil
	}
	weights := make(map[float32]float64)
	for _, part := range strings.Split(cfg.ClassWeight, ",") {
		name, value, _ := strings.Cut(part, "=")
		label, err := strconv.ParseFloat(strings.TrimSpace(name), 32)
		weight, err2 := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil || err2 != nil {
			return nil, badField("ClassWeight", "have %.40q, want %s or a list such as -1=1,1=2.5",
				part, Balanced)
		}
		if !options.GoodWeight(weight) {
			return nil, badField("ClassWeight",
				"have the weight %v for the label %v, want a finite number of at least 0",
				weight, label)
		}
		if _, twice := weights[float32(label)]; twice {
			return nil, badField("ClassWeight", "the label %v is there twice", label)
		}
		weights[float32(label)] = weight
	}
	return weights, nil
}

// setWeights gives each row its weight, its own times that of its label: nil if there are none.
// Balanced is not done yet.
func (d *data) setWeights(tr *Trainer) error {
	byLabel, err := tr.Config.classWeights()
	if err != nil {
		return err
	}
	own := tr.Weights
	if own != nil && len(own) != len(d.y) {
		return fmt.Errorf("pegasos: %d weights for %d rows", len(own), len(d.y))
	}
	if own == nil && byLabel == nil {
		return nil
	}
	d.weight = make([]float64, len(d.y))
	found, rows := make(map[float32]bool), 0
	for i, label := range d.y {
		w := 1.0
		if own != nil {
			if w = float64(own[i]); !options.GoodWeight(w) {
				return rowError(i, fmt.Sprintf("the weight is %v, want %s", own[i],
					options.GoodWeights))
			}
		}
		if c, ok := byLabel[label]; ok {
			w = float64(w * c)
			found[label] = true
		}
		d.weight[i] = w
		if w > 0 {
			rows++
		}
	}
	if rows == 0 {
		return fmt.Errorf("pegasos: no row has a weight above 0")
	}
	for label := range byLabel {
		if !found[label] {
			return badField("ClassWeight", "no row has the label %v", label)
		}
	}
	return nil
}

// count returns the number of rows of each class, of those with a weight above 0.
func (d *data) count() []int {
	rows := make([]int, len(d.classes))
	for i, k := range d.class {
		if d.weight == nil || d.weight[i] > 0 {
			rows[k]++
		}
	}
	return rows
}

// choose says which rows the run has: those with a weight above 0, of the two classes if a pair is
// given.
func (r *run) choose(pair []int32) {
	d := r.data
	if d.weight == nil && pair == nil {
		return
	}
	if pair != nil {
		r.only = merge(d.rowsOf(pair[0]), d.rowsOf(pair[1]))
	} else {
		r.only = []uint32{}
		for i := range d.y {
			if d.weight[i] > 0 {
				r.only = append(r.only, uint32(i))
			}
		}
	}
	if r.rows = len(r.only); r.rows == len(d.y) {
		r.only = nil
	}
}

// rowsOf returns the rows of a class with a weight above 0, ascending.
func (d *data) rowsOf(class int32) []uint32 {
	if d.byClass == nil {
		d.byClass = make([][]uint32, len(d.classes))
		for i, k := range d.class {
			if d.weight == nil || d.weight[i] > 0 {
				d.byClass[k] = append(d.byClass[k], uint32(i))
			}
		}
	}
	return d.byClass[class]
}

// merge returns the numbers of both lists, which are ascending, and is as well.
func merge(a, b []uint32) []uint32 {
	all := make([]uint32, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0] < b[0] {
			all, a = append(all, a[0]), a[1:]
		} else {
			all, b = append(all, b[0]), b[1:]
		}
	}
	return append(append(all, a...), b...)
}

// setWeights makes the run's own weights: those of the data, for Balanced such that its classes
// have the same weight, and then scaled to a mean of 1. It returns their sum before that.
func (r *run) setWeights() (sum float64, err error) {
	d := r.data
	balanced := r.cfg.ClassWeight == Balanced
	if d.weight == nil && !balanced {
		return float64(r.rows), nil
	}
	r.weight = make([]float64, len(d.y))
	for j := range r.rows {
		i := r.row(j)
		r.weight[i] = 1
		if d.weight != nil {
			r.weight[i] = d.weight[i]
		}
	}
	if balanced {
		r.balance()
	}
	for j := range r.rows {
		sum += r.weight[r.row(j)]
	}
	r.sum = sum
	mean, same := sum/float64(r.rows), true
	for j := range r.rows {
		i := r.row(j)
		r.weight[i] /= mean
		same = same && r.weight[i] == 1
		if w := r.weight[i]; w > math.MaxFloat32 || float32(w) == 0 {
			return 0, rowError(i, "the weight is too far from the mean weight")
		}
	}
	if same { // the model is that without weights, to the bit
		r.weight = nil
	}
	return sum, nil
}

// balance makes the weights of Balanced.
func (r *run) balance() {
	var total float64
	sum := make([]float64, len(r.data.classes))
	for j := range r.rows {
		i := r.row(j)
		sum[r.data.class[i]] += r.weight[i]
		total += r.weight[i]
	}
	classes := 0
	for _, s := range sum {
		if s > 0 {
			classes++
		}
	}
	for j := range r.rows {
		i := r.row(j)
		r.weight[i] = float64(r.weight[i]*total) / float64(float64(classes)*sum[r.data.class[i]])
	}
}
