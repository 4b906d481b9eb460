package store

import "math"

// View returns the rows with a weight above 0, in the order of the set. If pair is not nil, it
// selects the rows of these two classes. If balanced is set, the weights are changed so that all
// classes in the view have the same total weight. Weights are then scaled to a mean of 1. sum is
// their sum before the scaling; 0 if the view has no rows, or if the set has no weights and
// balanced is false.
func (s *Set) View(pair []int32, balanced bool) (v View, sum float64, err error) {
	v = View{X: s.Rows(), Class: s.Class, Norms: s.Norms}
	if s.Classes == nil {
		v.Target = s.Y
	}
	s.selectRows(&v, pair)
	if v.Count() > 0 && (s.Weight != nil || balanced) {
		sum, err = s.setWeights(&v, balanced)
	}
	return v, sum, err
}

func (s *Set) selectRows(v *View, pair []int32) {
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
		v.renumber()
	}
}

// renumber numbers the selected rows from 0, so that arrays have elements for these rows alone.
func (v *View) renumber() {
	v.X, v.SetRows = Subset(v.X, v.Only), v.Only
	v.Norms, v.Class = gather(v.Norms, v.Only), gather(v.Class, v.Only)
	v.Only = nil
}

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

func (s *Set) setWeights(v *View, balanced bool) (sum float64, err error) {
	weight := make([]float64, v.X.Rows())
	for _, i := range v.All() {
		weight[i] = 1
		if s.Weight != nil {
			weight[i] = s.Weight[v.SetRow(uint32(i))]
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
			return 0, BadRow(v.SetRow(uint32(i)), "its weight times the weight "+
				"of its class is too far from the mean of all rows")
		}
	}
	if !same {
		v.Weight = weight
	}
	return sum, nil
}

// The sum of all weights is unchanged.
func (v *View) balance(weight []float64, classes int) {
	var total float64
	sum := make([]float64, classes)
	for _, i := range v.All() {
		sum[v.Class[i]] += weight[i]
		total += weight[i]
	}
	some := 0
	for _, s := range sum {
		if s > 0 {
			some++
		}
	}
	for _, i := range v.All() {
		weight[i] = float64(weight[i]*total) / float64(float64(some)*sum[v.Class[i]])
	}
}
