package rows

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/store"
)

// View returns the rows with a weight above 0, of the two classes if a pair is given, in the order
// of the set. Their weights are those of the set, if balanced such that the classes have the same
// weight, scaled to a mean of 1; sum is what they were before, and 0 without any.
func (s *Set) View(pair []int32, balanced bool) (v View, sum float64, err error) {
	v = View{X: s.Rows(), Class: s.Class, Norms: s.Norms}
	if s.Classes == nil {
		v.Target = s.Y
	}
	s.choose(&v, pair)
	if v.Count() > 0 && (s.Weight != nil || balanced) {
		sum, err = s.setWeights(&v, balanced)
	}
	return v, sum, err
}

// choose sets which rows v has.
func (s *Set) choose(v *View, pair []int32) {
	switch {
	case pair != nil:
		v.Only = merge(s.ofClass(pair[0]), s.ofClass(pair[1]))
	case s.Weight != nil:
		v.Only = s.Counted()
	}
	if len(v.Only) == len(s.Y) {
		v.Only = nil
	}
	if pair != nil && v.Only != nil {
		v.pick()
	}
}

// pick numbers the rows of v among themselves, so that what is kept for each row takes no more
// memory than the rows that there are need. The results are the same bits.
func (v *View) pick() {
	v.X, v.Names = store.Pick(v.X, v.Only), v.Only
	v.Norms, v.Class = gather(v.Norms, v.Only), gather(v.Class, v.Only)
	v.Only = nil
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

// setWeights makes v's weights, and returns their sum before they were scaled.
func (s *Set) setWeights(v *View, balanced bool) (sum float64, err error) {
	weight := make([]float64, v.X.Rows())
	for _, i := range v.All() {
		weight[i] = 1
		if s.Weight != nil {
			weight[i] = s.Weight[v.Name(uint32(i))]
		}
	}
	if balanced {
		v.balance(weight, len(s.Classes))
	}
	for _, i := range v.All() {
		sum += weight[i]
	}
	mean, same := sum/float64(v.Count()), true
	for _, i := range v.All() {
		weight[i] /= mean
		same = same && weight[i] == 1
		if w := weight[i]; w > math.MaxFloat32 || float32(w) == 0 {
			return 0, Bad(v.Name(uint32(i)), "the weight is too far from the mean weight")
		}
	}
	if !same { // else the model is that without weights, to the bit
		v.Weight = weight
	}
	return sum, nil
}

// balance gives the classes the same weight.
func (v *View) balance(weight []float64, classes int) {
	var total float64
	sum := make([]float64, classes)
	for _, i := range v.All() {
		sum[v.Class[i]] += weight[i]
		total += weight[i]
	}
	some := 0 // classes with rows
	for _, s := range sum {
		if s > 0 {
			some++
		}
	}
	for _, i := range v.All() {
		weight[i] = float64(weight[i]*total) / float64(float64(some)*sum[v.Class[i]])
	}
}
