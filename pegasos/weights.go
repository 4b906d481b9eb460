package pegasos

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Balanced is the [Config.ClassWeight] that gives each class the same weight in all: the rows of class k weigh n/(K*n_k),
// for n rows, of which n_k are of class k, and K classes. Of rows that have weights of their own those are counted.
const Balanced = "balanced"

// classWeights returns the weights that ClassWeight gives to labels, nil if it gives none or goes by the data.
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
			return nil, badField("ClassWeight", "have %.40q, want %s or a list such as -1=1,1=2.5", part, Balanced)
		}
		if !goodWeight(weight) {
			return nil, badField("ClassWeight", "have the weight %v for the label %v, want a finite number of at least 0", weight, label)
		}
		if _, twice := weights[float32(label)]; twice {
			return nil, badField("ClassWeight", "the label %v is there twice", label)
		}
		weights[float32(label)] = weight
	}
	return weights, nil
}

// The limit keeps sums of weights, and a row's share of them, far from the ends of float64 and float32.
func goodWeight(w float64) bool { return w == 0 || w >= 1e-15 && w <= 1e15 }

// weigh gives each row its weight, of its own times that of its label: nil if there are none. Balanced is not done yet.
func (r *run) weigh(y, own []float32) error {
	byLabel, err := r.cfg.classWeights()
	if err != nil {
		return err
	}
	if own != nil && len(own) != len(y) {
		return fmt.Errorf("pegasos: %d weights for %d rows", len(own), len(y))
	}
	if own == nil && byLabel == nil && r.cfg.ClassWeight != Balanced {
		return nil
	}
	r.weight = make([]float64, len(y))
	found := make(map[float32]bool)
	for i, label := range y {
		w := 1.0
		if own != nil {
			if w = float64(own[i]); !goodWeight(w) {
				return &RowError{i, fmt.Sprintf("the weight is %v, want 0 or 1e-15 to 1e15", own[i])}
			}
		}
		if c, ok := byLabel[label]; ok {
			w = float64(w * c)
			found[label] = true
		}
		r.weight[i] = w
	}
	for label := range byLabel {
		if !found[label] {
			return badField("ClassWeight", "no row has the label %v", label)
		}
	}
	return nil
}

// balance makes the weights of Balanced, class being the rows' and there being so many classes.
func (r *run) balance(class []int32, classes int) {
	var total float64
	sum := make([]float64, classes)
	for i, w := range r.weight {
		if w > 0 {
			sum[class[i]] += w
			total += w
		}
	}
	for i, w := range r.weight {
		if w > 0 {
			r.weight[i] = float64(w*total) / float64(float64(classes)*sum[class[i]])
		}
	}
}

// normalise scales the weights to a mean of 1 over the rows that have one, and returns their sum before. The rows without
// are left out of the run: only has the others.
func (r *run) normalise() (sum float64, err error) {
	if r.weight == nil {
		return float64(r.rows), nil
	}
	for i, w := range r.weight {
		if w > 0 {
			sum += w
			r.only = append(r.only, uint32(i))
		}
	}
	if sum == 0 {
		return 0, fmt.Errorf("pegasos: no row has a weight above 0")
	}
	r.rows = len(r.only)
	if r.rows == len(r.weight) {
		r.only = nil
	}
	mean := sum / float64(r.rows)
	for i, w := range r.weight {
		r.weight[i] = w / mean
		if r.weight[i] > math.MaxFloat32 || w > 0 && float32(r.weight[i]) == 0 {
			return 0, &RowError{i, "the weight is too far from the mean weight"}
		}
	}
	return sum, nil
}
