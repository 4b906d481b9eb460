package main

import (
	"math/rand/v2"
	"slices"
)

// A variant is the same problem told otherwise: what is learnt should not change.
type variant struct {
	name   string
	change func(p *problem, s split) split
}

var variants = []variant{
	{"times .001", func(p *problem, s split) split { return s.times(p, .001) }},
	{"times 1000", func(p *problem, s split) split { return s.times(p, 1000) }},
	{"constant column", func(_ *problem, s split) split {
		at := s.train.features
		return s.each(func(row []feature) []feature {
			return append(slices.Clip(row), feature{at, 1})
		}, at+1)
	}},
	{"columns permuted", func(_ *problem, s split) split {
		order := rand.New(rand.NewPCG(uint64(s.seed), 0xc01)).Perm(s.train.features)
		return s.each(func(row []feature) []feature {
			moved := make([]feature, len(row))
			for k, v := range row {
				moved[k] = feature{order[v.index], v.value}
			}
			slices.SortFunc(moved, func(a, b feature) int { return a.index - b.index })
			return moved
		}, s.train.features)
	}},
	{"rows shuffled", func(_ *problem, s split) split {
		order := rand.New(rand.NewPCG(uint64(s.seed), 0x205)).Perm(len(s.train.y))
		s.train = s.train.subset(order)
		return s
	}},
	{"rows twice", func(_ *problem, s split) split {
		t := s.train
		s.train = &table{slices.Concat(t.x, t.x), slices.Concat(t.y, t.y), t.features}
		return s
	}},
}

// each changes all rows.
func (s split) each(change func([]feature) []feature, features int) split {
	for _, part := range []**table{&s.train, &s.test} {
		t := &table{y: (*part).y, features: features}
		for _, row := range (*part).x {
			t.x = append(t.x, change(row))
		}
		*part = t
	}
	return s
}

// times multiplies features, and numbers to predict.
func (s split) times(p *problem, by float64) split {
	s = s.each(func(row []feature) []feature {
		scaled := make([]feature, len(row))
		for k, v := range row {
			scaled[k] = feature{v.index, float64(float32(v.value * by))}
		}
		return scaled
	}, s.train.features)
	if p.numbers {
		for _, t := range []*table{s.train, s.test} {
			y := make([]float64, len(t.y))
			for i, v := range t.y {
				y[i] = v * by
			}
			t.y = y
		}
	}
	return s
}
