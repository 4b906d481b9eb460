package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/settings"
	"github.com/pegasimd/pegasimd/modelio"
)

func (m linearModel) classWeights() (map[float32]float64, error) {
	cfg := new(settings.Settings)
	settings.Copy(cfg, m.Config)
	return cfg.ClassWeights()
}

// relabelTrainingSet calls relabel for the training set of m. m may lack classes of weight 0.
func relabelTrainingSet(set *dataset.Set, m modelio.Predictor, weights []float32) error {
	if linear, is := m.(linearModel); is {
		byLabel, err := linear.classWeights()
		if err != nil {
			return err
		}
		counts := slices.Repeat([]float32{1}, len(set.Y))
		copy(counts, weights)
		for i, y := range set.Y {
			if weight, listed := byLabel[y]; listed && weight == 0 {
				counts[i] = 0
			}
		}
		weights = counts
	}
	return relabel(set, m, weights)
}

// fingerprint returns the fingerprint that training m on the rows x, labels y and weights would
// store, or "" if labels or weights are not valid.
func (m linearModel) fingerprint(x store.Examples, y, weights []float32, threads int,
	stop func() bool) string {
	if s := m.Scaling; s != nil {
		targets := scale.Scale{Kind: scale.None, Centre: s.Centre, Spread: s.Spread}
		x, y = targets.Apply(x, y, 0, threads, stop)
	}
	byLabel, err := m.classWeights()
	if err != nil {
		return ""
	}
	o := store.SetOptions{Weights: weights, ByLabel: byLabel}
	o.Regression = true // skips finding the classes, which are no part of the fingerprint
	set, err := store.NewSet(x, y, o)
	if err != nil {
		return ""
	}
	return set.Fingerprint(set.X, m.Prior, threads, stop)
}

// Kernel machines are trained without weights.
func (m kernelModel) fingerprint(x store.Examples, y, _ []float32, threads int,
	stop func() bool) string {
	return store.Fingerprint(x, y, threads, stop)
}

// trainedOn reports whether s.all consists of the rows on which the model was trained, in the same
// order, and the rows that training held out. heldOut lists the latter by number in s.Set.
func (s *scoredSet) trainedOn() (trained bool, heldOut []int, err error) {
	_, want, known := strings.Cut(s.model.data(), ":")
	all, weights := *s.all, s.allWeights // relabel changes the copy
	all.Y = slices.Clone(all.Y)
	missing := func(y float32) bool { return y != y } // NaN marks a missing label
	if !known || all.Unlabelled || slices.ContainsFunc(all.Y, missing) ||
		s.model.Head().Classes != nil && relabelTrainingSet(&all, s.model, weights) != nil {
		return false, nil, nil
	}
	out, in, err := s.reader.heldOutRows(s.model, &all, weights)
	if err != nil {
		return false, nil, err
	}
	x, y := all.Examples(), all.Y
	if out != nil {
		at := make([]uint32, len(in))
		for k, i := range in {
			at[k] = uint32(i)
		}
		x, y, weights = store.Subset(store.Of(x), at), take(y, in), take(weights, in)
	}
	stop := func() bool { return s.reader.call.Err() != nil }
	threads := parallel.Threads(s.reader.opt.Threads)
	_, have, _ := strings.Cut(s.model.fingerprint(x, y, weights, threads, stop), ":")
	if err := s.reader.call.Err(); err != nil || have != want {
		return false, nil, err
	}
	row := 0 // number of row i in s.Set, which lacks rows of weight 0
	for i := range all.Y {
		if len(out) > 0 && out[0] == i {
			heldOut, out = append(heldOut, row), out[1:]
		}
		if s.allWeights == nil || s.allWeights[i] > 0 {
			row++
		}
	}
	return true, heldOut, nil
}

func (s *scoredSet) warnTrained() error {
	trained, heldOut, err := s.trainedOn()
	c := s.reader.call
	switch n := len(heldOut); {
	case err != nil || !trained:
	case n == 0:
		c.warn(fmt.Sprintf("these rows (%d) are the training data: the figures are not held-out "+
			"figures, and figures for new rows tend to be worse", s.Rows()))
	default:
		c.warn(fmt.Sprintf("%d of these %d rows are the training data, and %d were held out: the figures "+
			"are not held-out figures; pegasimd report measures the held-out rows alone",
			s.Rows()-n, s.Rows(), n))
	}
	return err
}
