package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/rows/scale"
)

// A recipe describes a made set. Coefficients that it does not set are drawn from the seed.
type recipe struct {
	Name         string
	Timed        bool // a set of its own, at one scale, for the tables of times
	Rows, Cols   int
	Classes      int     // 0 for regression
	Noise        float64 // standard deviation; that of the signal is 1
	Factors      int     // number of factors that columns share; 0 for independent columns
	Common       float64 // share of a column's variance that comes from the factors
	Tails        bool    // some values are a hundred times as large
	Outliers     bool    // a row in a hundred is 100 to 1,000 times as long, its signal 5 times
	Threshold    float64 // two classes: least signal of the second class, in standard deviations
	Curved       float64 // share of the signal that comes from squares and products
	Pairs        bool    // columns in nearly equal pairs, with the signal in the differences
	Offset, Unit float64 // regression targets are Offset + Unit * signal
	Text         bool    // word counts by topics
	Scales       float64 // columns are multiplied by 10^u, |u| <= Scales, and shifted
}

// recipes are the recipes of madeSources, and after them the timed ones.
var recipes = fromJSON[[]*recipe]("recipes.json")

// timed makes the set for the tables of times, with columns or rows of one scale.
func (r *recipe) timed() (*dataset.Set, error) {
	g := rand.New(rand.NewPCG(1, 2))
	if r.Text {
		return words(g, r.Rows, r.Cols, r.Classes, true)
	}
	return r.make(g, false)
}

// madeSources returns two sets for each recipe that is not timed: one at raw scale, one whose
// columns, or rows of text, are brought to one scale.
func madeSources() (all []source) {
	for i, r := range recipes {
		if r.Timed {
			continue
		}
		for k, suffix := range []string{"", "-scaled"} {
			s := source{name: "made-" + r.Name + suffix, use: accurate | made}
			if k == 1 {
				s.use |= scaled
			}
			if r.Classes == 0 {
				s.use |= numbers
			}
			s.load = func() (*dataset.Set, error) {
				g := rand.New(rand.NewPCG(uint64(1000+2*i+k), 0xdef))
				if r.Text {
					return words(g, r.Rows, r.Cols, r.Classes, k == 1)
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
	if !scaled && r.Scales > 0 {
		r.stretch(g, x)
	}
	s := fromRows(r.Cols, y, func(i int, add func(int, float32)) {
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
	weights := make([][]float64, max(r.Classes, 1))
	if r.Classes == 2 {
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
		weights[c] = normal(r.Cols)
	}
	loadings := make([][]float64, r.Cols)
	for j := range loadings {
		loadings[j] = normal(r.Factors)
	}
	for range r.Rows {
		row, factors, s := normal(r.Cols), normal(r.Factors), make([]float64, len(weights))
		for j := range row {
			if r.Factors > 0 {
				row[j] = row[j]*math.Sqrt(1-r.Common) +
					dot(factors, loadings[j])*math.Sqrt(r.Common/float64(r.Factors))
			}
			if r.Pairs && j%2 == 1 {
				row[j] = row[j-1] + .03*row[j]
			}
		}
		for c := range s {
			s[c] = r.signal(row, weights[c])
		}
		for j := range row {
			if r.Tails && g.IntN(50) == 0 {
				row[j] *= 100
			}
		}
		if r.Outliers && g.IntN(100) == 0 {
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
		if r.Pairs {
			v = (row[j|1] - row[j&^1]) / .03
		}
		s += (1-r.Curved)*w*v + r.Curved*w*(v*row[(j+1)%len(row)]+v*v-1)
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
			s[c] = s[c]/deviation + r.Noise*g.NormFloat64()
		}
	}
	for _, s := range signal {
		switch {
		case r.Classes == 0:
			y = append(y, float32(r.Offset+r.Unit*s[0]))
		case r.Classes == 2 && s[0] > r.Threshold:
			y = append(y, 2)
		default:
			y = append(y, float32(slices.Index(s, slices.Max(s))+1))
		}
	}
	return y
}

// stretch gives each column a scale, and some of them an offset of up to ten times that.
func (r *recipe) stretch(g *rand.Rand, x [][]float64) {
	for j := range r.Cols {
		scale, offset := math.Pow(10, r.Scales*(2*g.Float64()-1)), 0.
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
