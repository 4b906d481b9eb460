package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/pegasimd/pegasimd/dataset"
)

// A recipe makes a problem: what is asked for below, and the rest drawn from the seed. It was
// written, with its seeds, before the first result was seen.
type recipe struct {
	name      string
	rows      int
	cols      int
	classes   int     // 0: numbers to predict
	noise     float64 // standard deviation beside a signal of 1
	flips     float64 // share of the labels that are drawn anew
	useless   float64 // share of the columns that have no weight
	factors   int     // that columns share: 0 for independent ones
	common    float64 // how much of a column is its factors
	tails     bool    // some values are a hundred times as large
	binary    float64 // share of the columns that are 0 or 1
	rare      float64 // two classes: the share of the rarer one; 0 means a half
	curved    float64 // how much of the signal is squares and products
	repeat    int     // each row so many times
	pairs     bool    // columns in nearly equal pairs, with the signal in the differences
	offset    float64 // added to numbers to predict
	unit      float64 // that numbers to predict are multiplied by
	text      bool    // counts of words, by topics
	scales    float64 // columns are multiplied by 10^u, |u| up to this, and shifted
	roughness float64 // text: how much longer some rows are than others
}

// recipes are 24 kinds of problems, each at raw scale and with its columns (or, of text, its rows)
// brought to one scale: madeSources has both of each.
var recipes = []recipe{
	{name: "easy", rows: 2000, cols: 10, classes: 2, noise: .3, scales: 3},
	{name: "noisy", rows: 3000, cols: 20, classes: 2, noise: 1, flips: .1, scales: 2},
	{name: "tiny", rows: 30, cols: 4, classes: 2, noise: .3, scales: 2},
	{name: "small", rows: 70, cols: 12, classes: 2, noise: .5, scales: 1},
	{name: "small-wide", rows: 100, cols: 400, classes: 2, noise: .3, useless: .9, scales: 1},
	{name: "tiny-three", rows: 60, cols: 6, classes: 3, noise: .3, scales: 2},
	{name: "duplicates", rows: 60, cols: 8, classes: 2, noise: .5, repeat: 40, scales: 2},
	{name: "rare", rows: 8000, cols: 12, classes: 2, noise: .3, rare: .02, scales: 2},
	{name: "rarer", rows: 20000, cols: 8, classes: 2, noise: .3, rare: .004, scales: 1},
	{name: "tails", rows: 3000, cols: 15, classes: 2, noise: .3, tails: true, scales: 1},
	{name: "tails-five", rows: 4000, cols: 15, classes: 5, noise: .3, tails: true, scales: 2},
	{name: "correlated", rows: 2000, cols: 40, classes: 2, noise: .2, factors: 3, common: .98,
		scales: 2},
	{name: "differences", rows: 1500, cols: 60, classes: 2, noise: .1, pairs: true, scales: 1},
	{name: "mixed", rows: 6000, cols: 40, classes: 2, noise: .5, binary: .7, factors: 5,
		common: .5, scales: 4},
	{name: "five", rows: 3000, cols: 20, classes: 5, noise: .4, scales: 3},
	{name: "twenty", rows: 8000, cols: 24, classes: 20, noise: .3, factors: 4, common: .5,
		scales: 2},
	{name: "curved", rows: 4000, cols: 12, classes: 3, noise: .2, curved: .7, scales: 2},
	{name: "wide", rows: 1500, cols: 900, classes: 2, noise: .5, useless: .8, scales: 1},
	{name: "many", rows: 60000, cols: 30, classes: 2, noise: .7, factors: 4, common: .6, scales: 3},
	{name: "text", rows: 3000, cols: 8000, classes: 2, noise: .5, text: true, roughness: 1},
	{name: "text-topics", rows: 4000, cols: 6000, classes: 8, noise: .4, text: true, roughness: 2},
	{name: "numbers", rows: 2000, cols: 12, noise: .4, scales: 3, offset: 50, unit: 1e4},
	{name: "numbers-small", rows: 90, cols: 10, noise: .3, scales: 2, unit: 1e-3},
	{name: "numbers-tails", rows: 4000, cols: 20, noise: .3, tails: true, factors: 3, common: .7,
		scales: 2, offset: -1e3, unit: 30},
}

func madeSources() (all []source) {
	for i, r := range recipes {
		for k, suffix := range []string{"", "-scaled"} {
			s := source{name: "made-" + r.name + suffix, use: accurate | made}
			if k == 1 {
				s.use |= scaled
			}
			if r.classes == 0 {
				s.use |= numbers
			}
			s.load = func() (*dataset.Set, error) {
				return r.make(rand.New(rand.NewPCG(uint64(1000+2*i+k), 0xdef)), k == 1), nil
			}
			all = append(all, s)
		}
	}
	return all
}

func (r *recipe) make(g *rand.Rand, scaled bool) *dataset.Set {
	draw := r.columns
	if r.text {
		draw = r.words
	}
	x, signal := draw(g)
	y := r.labels(g, signal)
	switch {
	case r.text && scaled:
		tfidf(x)
	case scaled:
		standardise(x)
	default:
		r.stretch(g, x)
	}
	return fromRows(r.cols, y, func(i int, add func(int, float32)) {
		for j, v := range x[i/max(r.repeat, 1)] {
			if v := float32(v); v != 0 {
				add(j, v)
			}
		}
	})
}

// columns draws the rows of a table, and each row's signal for each class.
func (r *recipe) columns(g *rand.Rand) (x, signal [][]float64) {
	k := max(r.classes, 1)
	if k == 2 {
		k = 1
	}
	weights := make([][]float64, k)
	for c := range weights {
		weights[c] = make([]float64, r.cols)
		for j := range weights[c] {
			if g.Float64() >= r.useless {
				weights[c][j] = g.NormFloat64()
			}
		}
	}
	loadings := make([][]float64, r.cols)
	binary := make([]bool, r.cols)
	level := make([]float64, r.cols)
	for j := range loadings {
		loadings[j] = make([]float64, r.factors)
		for f := range loadings[j] {
			loadings[j][f] = g.NormFloat64() / math.Sqrt(float64(r.factors))
		}
		binary[j], level[j] = g.Float64() < r.binary, g.NormFloat64()
	}
	for range r.rows {
		row := r.row(g, loadings)
		s := make([]float64, k)
		for c := range s {
			s[c] = r.signal(row, weights[c])
		}
		for j := range row {
			switch {
			case binary[j] && row[j] > level[j]:
				row[j] = 1
			case binary[j]:
				row[j] = 0
			case r.tails && g.IntN(50) == 0:
				row[j] *= 100
			}
		}
		x, signal = append(x, row), append(signal, s)
	}
	return x, signal
}

func (r *recipe) row(g *rand.Rand, loadings [][]float64) []float64 {
	row := make([]float64, r.cols)
	factors := make([]float64, r.factors)
	for f := range factors {
		factors[f] = g.NormFloat64()
	}
	for j := range row {
		row[j] = g.NormFloat64()
		if r.factors > 0 {
			row[j] *= math.Sqrt(1 - r.common)
		}
		for f, z := range factors {
			row[j] += math.Sqrt(r.common) * loadings[j][f] * z
		}
	}
	if r.pairs {
		for j := 0; j+1 < len(row); j += 2 {
			row[j+1] = row[j] + .03*row[j+1]
		}
	}
	return row
}

func (r *recipe) signal(row, weights []float64) (s float64) {
	for j, w := range weights {
		v := row[j]
		if r.pairs {
			if j%2 == 0 {
				continue
			}
			v = (row[j] - row[j-1]) / .03
		}
		s += (1 - r.curved) * w * v
		if r.curved > 0 {
			s += r.curved * w * (v*row[(j+1)%len(row)] + v*v - 1)
		}
	}
	return s
}

// words draws counts of words: each class has its own frequencies.
func (r *recipe) words(g *rand.Rand) (x, signal [][]float64) {
	common := make([]float64, r.cols)
	for j := range common {
		common[j] = 1 / float64(j+20)
	}
	g.Shuffle(len(common), func(i, j int) { common[i], common[j] = common[j], common[i] })
	sums := make([][]float64, r.classes)
	for c := range sums {
		var sum float64
		for _, f := range common {
			if g.IntN(10) == 0 {
				f *= math.Exp(g.NormFloat64())
			}
			sum += f
			sums[c] = append(sums[c], sum)
		}
	}
	for range r.rows {
		row, s := make([]float64, r.cols), make([]float64, r.classes)
		class := g.IntN(r.classes)
		length := int(60 * math.Exp(r.roughness*g.NormFloat64()/2))
		for range max(length, 5) {
			c := class
			if g.Float64() < .5 {
				c = g.IntN(r.classes)
			}
			j, _ := slices.BinarySearch(sums[c], g.Float64()*sums[c][r.cols-1])
			row[min(j, r.cols-1)]++
		}
		s[class] = 3
		x, signal = append(x, row), append(signal, s)
	}
	return x, signal
}

// labels makes labels of the signals: the number, or the class with the largest one, noise added.
func (r *recipe) labels(g *rand.Rand, signal [][]float64) (y []float32) {
	for c := range signal[0] {
		var squares float64
		for _, s := range signal {
			squares += s[c] * s[c]
		}
		sd := math.Sqrt(squares / float64(len(signal)))
		for _, s := range signal {
			s[c] = s[c]/sd + r.noise*g.NormFloat64()
		}
	}
	threshold := 0.
	if r.rare > 0 {
		first := make([]float64, len(signal))
		for i, s := range signal {
			first[i] = s[0]
		}
		slices.Sort(first)
		threshold = first[len(first)-1-int(r.rare*float64(len(first)))]
	}
	for _, s := range signal {
		v := float64(slices.Index(s, slices.Max(s)) + 1)
		switch {
		case r.classes == 0:
			v = r.offset + r.unit*s[0]
		case g.Float64() < r.flips:
			v = float64(1 + g.IntN(r.classes))
		case len(s) == 1 && s[0] > threshold:
			v = 2
		}
		for range max(r.repeat, 1) {
			y = append(y, float32(v))
		}
	}
	return y
}

// stretch gives each column a scale, and some of them an offset of up to ten times that.
func (r *recipe) stretch(g *rand.Rand, x [][]float64) {
	for j := range r.cols {
		scale := math.Pow(10, r.scales*(2*g.Float64()-1))
		offset := 0.
		if r.scales > 0 && g.IntN(2) == 0 {
			offset = 10 * g.NormFloat64() * scale
		}
		for _, row := range x {
			row[j] = row[j]*scale + offset
		}
	}
}

func standardise(x [][]float64) {
	for j := range x[0] {
		var sum, squares float64
		for _, row := range x {
			sum += row[j]
		}
		mean := sum / float64(len(x))
		for _, row := range x {
			squares += (row[j] - mean) * (row[j] - mean)
		}
		sd := math.Sqrt(squares / float64(len(x)))
		if sd == 0 {
			sd = 1
		}
		for _, row := range x {
			row[j] = (row[j] - mean) / sd
		}
	}
}

// tfidf weighs counts by the rarity of their columns and brings rows to unit length.
func tfidf(x [][]float64) {
	for j := range x[0] {
		n := 0
		for _, row := range x {
			if row[j] > 0 {
				n++
			}
		}
		for _, row := range x {
			if row[j] > 0 {
				row[j] = (1 + math.Log(row[j])) * math.Log(float64(len(x)+1)/float64(n))
			}
		}
	}
	for _, row := range x {
		var squares float64
		for _, v := range row {
			squares += v * v
		}
		for j := range row {
			row[j] /= math.Sqrt(squares)
		}
	}
}
