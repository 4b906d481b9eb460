package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/rows/scale"
)

// A recipe makes a set: what is asked for below, and the rest drawn from the seed.
type recipe struct {
	name         string
	rows, cols   int
	classes      int     // 0: numbers to predict
	noise        float64 // standard deviation beside a signal of 1
	factors      int     // that columns share: 0 for independent ones
	common       float64 // how much of a column is its factors
	tails        bool    // some values are a hundred times as large
	outliers     bool    // a row in a hundred is 100 to 1,000 times as long, its signal 5 times
	threshold    float64 // two classes: of the signal, in its deviations, for the second one
	curved       float64 // how much of the signal is squares and products
	pairs        bool    // columns in nearly equal pairs, with the signal in the differences
	offset, unit float64 // added to numbers to predict, and that they are multiplied by
	text         bool    // counts of words, by topics
	scales       float64 // columns times 10^u, |u| up to this, and shifted
}

// recipes are kinds of sets. madeSources has each of them twice: at raw scale, and with its columns,
// or the rows of text, brought to one scale.
var recipes = []recipe{
	{name: "easy", rows: 2000, cols: 10, classes: 2, noise: .3, scales: 3},
	{name: "tiny", rows: 30, cols: 4, classes: 2, noise: .3, scales: 2},
	{name: "small-wide", rows: 100, cols: 400, classes: 2, noise: .3, scales: 1},
	{name: "tiny-three", rows: 60, cols: 6, classes: 3, noise: .3, scales: 2},
	{name: "rare", rows: 8000, cols: 12, classes: 2, noise: .3, threshold: 2, scales: 2},
	{name: "tails", rows: 3000, cols: 15, classes: 2, noise: .3, tails: true, scales: 1},
	{name: "correlated", rows: 2000, cols: 40, classes: 2, noise: .2, factors: 3, common: .98,
		scales: 2},
	{name: "differences", rows: 1500, cols: 60, classes: 2, noise: .1, pairs: true, scales: 1},
	{name: "five", rows: 3000, cols: 20, classes: 5, noise: .4, scales: 3},
	{name: "twenty", rows: 8000, cols: 24, classes: 20, noise: .3, factors: 4, common: .5,
		scales: 2},
	{name: "curved", rows: 4000, cols: 12, classes: 3, noise: .2, curved: .7, scales: 2},
	{name: "wide", rows: 1500, cols: 900, classes: 2, noise: .5, scales: 1},
	{name: "many", rows: 60000, cols: 30, classes: 2, noise: .7, factors: 4, common: .6, scales: 3},
	{name: "text", rows: 3000, cols: 8000, classes: 2, text: true},
	{name: "topics", rows: 4000, cols: 6000, classes: 8, text: true},
	{name: "numbers", rows: 2000, cols: 12, noise: .4, scales: 3, offset: 50, unit: 1e4},
	{name: "numbers-small", rows: 90, cols: 10, noise: .3, scales: 2, unit: 1e-3},
	{name: "numbers-tails", rows: 4000, cols: 20, noise: .3, tails: true, factors: 3, common: .7,
		scales: 2, offset: -1e3, unit: 30},
}

// timed returns a function that makes a set for the tables of times, with columns of one scale.
func (r recipe) timed() func() (*dataset.Set, error) {
	return func() (*dataset.Set, error) { return r.make(rand.New(rand.NewPCG(1, 2)), false) }
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
				g := rand.New(rand.NewPCG(uint64(1000+2*i+k), 0xdef))
				if r.text {
					return words(g, r.rows, r.cols, r.classes, k == 1)
				}
				return r.make(g, k == 1)
			}
			all = append(all, s)
		}
	}
	return all
}

func (r *recipe) make(g *rand.Rand, scaled bool) (*dataset.Set, error) {
	x, signal := r.columns(g)
	y := r.labels(g, signal)
	if !scaled && r.scales > 0 {
		r.stretch(g, x)
	}
	s := fromRows(r.cols, y, func(i int, add func(int, float32)) {
		for j, v := range x[i] {
			add(j, float32(v))
		}
	})
	if !scaled {
		return s, nil
	}
	return rescale(s, scale.Standard)
}

// columns draws the rows of a table, and each row's signal for each class.
func (r *recipe) columns(g *rand.Rand) (x, signal [][]float64) {
	weights := make([][]float64, max(r.classes, 1))
	if r.classes == 2 {
		weights = weights[:1]
	}
	normal := func(n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = g.NormFloat64()
		}
		return v
	}
	for c := range weights {
		weights[c] = normal(r.cols)
	}
	loadings := make([][]float64, r.cols)
	for j := range loadings {
		loadings[j] = normal(r.factors)
	}
	for range r.rows {
		row, factors, s := normal(r.cols), normal(r.factors), make([]float64, len(weights))
		for j := range row {
			if r.factors > 0 {
				row[j] = row[j]*math.Sqrt(1-r.common) +
					dot(factors, loadings[j])*math.Sqrt(r.common/float64(r.factors))
			}
			if r.pairs && j%2 == 1 {
				row[j] = row[j-1] + .03*row[j]
			}
		}
		for c := range s {
			s[c] = r.signal(row, weights[c])
		}
		for j := range row {
			if r.tails && g.IntN(50) == 0 {
				row[j] *= 100
			}
		}
		if r.outliers && g.IntN(100) == 0 {
			length := math.Pow(10, 2+g.Float64())
			for j := range row {
				row[j] *= length
			}
			for c := range s {
				s[c] *= 5
			}
		}
		x, signal = append(x, row), append(signal, s)
	}
	return x, signal
}

func dot(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

func (r *recipe) signal(row, weights []float64) (s float64) {
	for j, w := range weights {
		v := row[j]
		if r.pairs {
			v = (row[j|1] - row[j&^1]) / .03
		}
		s += (1-r.curved)*w*v + r.curved*w*(v*row[(j+1)%len(row)]+v*v-1)
	}
	return s
}

// labels makes labels of the signals: the number, or the class with the largest one, noise added.
func (r *recipe) labels(g *rand.Rand, signal [][]float64) (y []float32) {
	for c := range signal[0] {
		var squares float64
		for _, s := range signal {
			squares += s[c] * s[c]
		}
		deviation := math.Sqrt(squares / float64(len(signal)))
		for _, s := range signal {
			s[c] = s[c]/deviation + r.noise*g.NormFloat64()
		}
	}
	for _, s := range signal {
		switch {
		case r.classes == 0:
			y = append(y, float32(r.offset+r.unit*s[0]))
		case r.classes == 2 && s[0] > r.threshold:
			y = append(y, 2)
		default:
			y = append(y, float32(slices.Index(s, slices.Max(s))+1))
		}
	}
	return y
}

// stretch gives each column a scale, and some of them an offset of up to ten times that.
func (r *recipe) stretch(g *rand.Rand, x [][]float64) {
	for j := range r.cols {
		scale, offset := math.Pow(10, r.scales*(2*g.Float64()-1)), 0.
		if g.IntN(2) == 0 {
			offset = 10 * g.NormFloat64() * scale
		}
		for _, row := range x {
			row[j] = row[j]*scale + offset
		}
	}
}

// words makes rows of text: counts of words by Zipf's law, some of them in an order of the row's
// class. Rows differ much in length. One label in twenty is wrong. Scaled, counts are weighed by
// the rarity of the word, and rows have length 1.
func words(g *rand.Rand, rows, cols, classes int, scaled bool) (*dataset.Set, error) {
	zipf := rand.NewZipf(g, 1.05, 16, uint64(cols-1))
	orders := make([][]int, classes+1)
	for k := range orders {
		orders[k] = g.Perm(cols)
	}
	y, row := make([]float32, rows), make([]float32, cols)
	s := fromRows(cols, y, func(i int, add func(int, float32)) {
		class, share, present := g.IntN(classes), .2*g.Float64(), []int(nil)
		for range max(5, int(60*math.Exp(g.NormFloat64()/2))) {
			rank, order := zipf.Uint64(), orders[classes]
			if g.Float64() < share {
				order = orders[class]
			}
			weight := 1.
			if scaled {
				weight = math.Log(float64(cols+32) / float64(rank+16))
			}
			j := order[rank]
			if row[j] == 0 {
				present = append(present, j)
			}
			row[j] += float32(weight)
		}
		slices.Sort(present)
		for _, j := range present {
			add(j, row[j])
			row[j] = 0
		}
		if g.IntN(20) == 0 {
			class = g.IntN(classes)
		}
		y[i] = float32(class + 1)
	})
	if !scaled {
		return s, nil
	}
	return rescale(s, scale.Unit)
}
