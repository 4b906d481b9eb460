package pegasos

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pegasimd/pegasimd/internal/options"
)

// Balanced is the [Config.ClassWeight] that gives each class the same weight in all: the rows of
// class k have the weight n/(K*n_k), for n rows, of which n_k are of class k, and K classes. Of
// rows that have own weights those are counted.
const Balanced = "balanced"

// ClassWeights returns the weights that ClassWeight gives to labels, nil if it gives none or goes
// by the data.
func (cfg Config) ClassWeights() (map[float32]float64, error) {
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

// setWeights gives each row its weight. Balanced is not done yet.
func (d *data) setWeights(tr *Trainer) error {
	byLabel, err := tr.Config.ClassWeights()
	if err != nil {
		return err
	}
	if err := d.Weigh(tr.Weights, byLabel); err != nil {
		return publicError(err)
	}
	for label := range byLabel {
		if !slices.Contains(d.Y, label) {
			return badField("ClassWeight", "no row has the label %v", label)
		}
	}
	return nil
}
