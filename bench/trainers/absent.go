package main

import (
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/gate/stats"
)

// Peers that no package has: Bottou's svmsgd and svmasgd (sgd 2.0, -O2, file order), sofia-ml (2016
// import of 2009-11, -O3) and lightning 0.6.3. They were measured on a Zen 4, beside liblinear
// 2.50. Here their times are those, times liblinear's here over liblinear's there.
type absent struct {
	name string
	// to 1.10, 1.01 and 1.001 of the optimum, to 0.5 and 0.1 points below its accuracy
	seconds  [5]float64
	best     float64 // objective over the optimum's
	accuracy float64
	speed    float64 // million steps a second
}

// A reference is what was measured there on one problem.
type reference struct {
	set       string
	lambda    float64
	other     string     // how that set differs, if it does
	liblinear [3]float64 // seconds to the objectives
	sklearn   float64    // million steps a second of its SGD; 0 if that was not measured
	absent    []absent
}

var never = math.NaN()

type (
	three = [3]float64
	five  = [5]float64
)

var references = []reference{
	{"a9a", 1e-4, "", three{0.0186, 0.0204, 0.0309}, 15.53, []absent{
		{"svmasgd", five{0.0018, 0.0066, 0.542, 0.0034, 0.0034}, 1.0008, 84.98, 19.56},
		{"svmsgd", five{0.0013, 0.0643, 0.304, 0.0112, 0.0387}, 1.0006, 84.92, 35.09},
		{"sofia-ml Pegasos", five{0.0251, 0.214, never, 0.0405, 0.153}, 1.0017, 84.98, 13.15},
		{"lightning dual CD", five{0.0349, 0.0705, 0.0874, 0.0818, 0.0859}, 1.0005, 85.09, 20.43},
		{"lightning SDCA", five{0.0244, 0.0657, 0.114, 0.0707, 0.0707}, 1.0005, 85.10, 9.74},
	}},
	{"a9a", 1e-5, "", three{0.104, 0.136, 0.161}, 15.92, []absent{
		{"svmasgd", five{0.0019, 0.0600, never, 0.0035, 0.0035}, 1.0039, 84.98, 20.06},
		{"svmsgd", five{0.0013, 0.551, never, 0.103, 0.358}, 1.0026, 85.04, 34.80},
		{"sofia-ml Pegasos", five{0.411, never, never, 0.599, never}, 1.0125, 84.79, 11.97},
	}},
	{"imdb", 1e-4, "", three{0.0701, 0.0701, 0.0925}, 2.00, []absent{
		{"svmasgd", five{0.0091, 0.241, never, 0.0091, 0.0185}, 1.0026, 89.12, 2.88},
		{"svmsgd", five{0.0082, 0.126, 0.624, 0.0082, 0.0082}, 1.0006, 89.11, 3.65},
		{"sofia-ml Pegasos", five{0.0307, 0.358, never, 0.0534, 0.457}, 1.0041, 89.05, 1.86},
		{"lightning dual CD", five{0.0298, 0.0675, 0.0979, 0.0261, 0.0261}, 1.0003, 89.10, 1.87},
		{"lightning SDCA", five{0.0259, 0.0465, 0.0778, 0.0235, 0.0235}, 1.0003, 89.09, 1.91},
	}},
	{"moneyfx", 1e-4, "", three{0.0035, 0.0048, 0.0074}, 0, []absent{
		{"svmasgd", five{0.0091, 0.168, never, 0.0012, 0.0012}, 1.0020, 97.39, 13.90},
		{"svmsgd", five{0.0028, 0.0216, 0.198, 0.0011, 0.0011}, 1.0002, 97.39, 18.75},
		{"sofia-ml Pegasos", five{0.0086, 0.0836, 0.747, 0.0022, 0.0022}, 1.0009, 97.39, 10.40},
	}},
	{"covtype20k", 1e-6, "", three{0.211, 0.211, never}, 10.42, []absent{
		{"svmasgd", five{1.608, never, never, 0.0971, 0.826}, 1.0943, 85.60, 21.30},
		{"svmsgd", five{0.240, never, never, 0.240, 0.308}, 1.0177, 85.45, 39.01},
		{"sofia-ml Pegasos", five{0.810, never, never, 1.096, never}, 1.0684, 85.20, 16.81},
	}},
	{"fashion26", 1e-4, "", three{never, never, never}, 0.73, []absent{
		{"svmasgd", five{never, never, never, 0.0249, 0.0249}, 1.5034, 84.90, 1.26},
		{"svmsgd", five{never, never, never, 0.0601, 0.122}, 1.2015, 81.85, 1.31},
		{"sofia-ml Pegasos", five{never, never, never, 1.192, 1.192}, 1.2802, 84.85, 0.86},
		{"lightning SDCA", five{never, never, never, never, never}, 1.2085, 83.00, 0.58},
	}},
	{"synthetic", 1e-4, "another set of this size", three{0.387, 0.387, 0.387}, 0, []absent{
		{"svmasgd", five{0.0298, 0.0469, 0.382, 0.0298, 0.0703}, 1.0003, 72.01, 5.13},
		{"svmsgd", five{0.0263, 0.0263, 0.0513, 0.0263, 0.0513}, 1.0005, 71.79, 7.50},
		{"sofia-ml Pegasos", five{0.0268, 0.285, never, 0.471, 0.471}, 1.0030, 71.84, 1.60},
	}},
}

// scaled returns the absent peers' rows for a problem, and how many times as long liblinear took
// here as there: the median over the targets that it reached in both places. Where it reached none,
// scikit-learn's steps stand in. other tells how the set there was another one.
func scaled(p *problem, rows []row) (added []row, slower float64, other string) {
	i := slices.IndexFunc(references, func(r reference) bool {
		return r.set == p.set.name && r.lambda == p.lambda
	})
	if i < 0 || p.set.small {
		return nil, math.NaN(), ""
	}
	r := references[i]
	var times []float64
	perStep := math.NaN()
	for _, c := range rows {
		switch c.Name {
		case "liblinear -s 3":
			for i, there := range r.liblinear {
				if f := c.Seconds[i] / there; f > 0 {
					times = append(times, f)
				}
			}
		case "scikit-learn SGD":
			if f := r.sklearn * 1e6 / c.Speed; f > 0 {
				perStep = f
			}
		}
	}
	if len(times) == 0 {
		times = append(times, perStep)
	}
	if slower = stats.Median(times); math.IsNaN(slower) {
		return nil, slower, ""
	}
	if math.IsNaN(perStep) {
		perStep = slower
	}
	for _, a := range r.absent {
		if slices.ContainsFunc(rows, func(c row) bool { return c.Name == a.name }) {
			continue // it ran
		}
		q := row{Name: a.name, Scaled: true, Best: a.best, Accuracy: a.accuracy,
			Speed: a.speed * 1e6 / perStep}
		for _, s := range a.seconds {
			q.Seconds = append(q.Seconds, s*slower)
		}
		added = append(added, q)
	}
	return added, slower, r.other
}
