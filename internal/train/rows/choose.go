package rows

import "math"

// View returns the rows with a weight above 0, of the two classes if a pair is given, as they lie
// in the set. Their weights are those of the set, if balanced such that the classes have the same
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
	weight := make([]float64, len(s.Y))
	for _, i := range v.All() {
		weight[i] = 1
		if s.Weight != nil {
			weight[i] = s.Weight[i]
		}
	}
	if balanced {
		s.balance(v, weight)
	}
	for _, i := range v.All() {
		sum += weight[i]
	}
	mean, same := sum/float64(v.Count()), true
	for _, i := range v.All() {
		weight[i] /= mean
		same = same && weight[i] == 1
		if w := weight[i]; w > math.MaxFloat32 || float32(w) == 0 {
			return 0, Bad(i, "the weight is too far from the mean weight")
		}
	}
	if !same { // else the model is that without weights, to the bit
		v.Weight = weight
	}
	return sum, nil
}

// balance gives the classes the same weight.
func (s *Set) balance(v *View, weight []float64) {
	var total float64
	sum := make([]float64, len(s.Classes))
	for _, i := range v.All() {
		sum[s.Class[i]] += weight[i]
		total += weight[i]
	}
	classes := 0
	for _, s := range sum {
		if s > 0 {
			classes++
		}
	}
	for _, i := range v.All() {
		weight[i] = float64(weight[i]*total) / float64(float64(classes)*sum[s.Class[i]])
	}
}
