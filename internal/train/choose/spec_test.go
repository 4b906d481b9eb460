package choose_test

import (
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/internal/train/choose"
	"github.com/pegasimd/pegasimd/internal/train/loss"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

var pageTables = flag.Int("page-tables", 250, "random tables that TestChoicesByThePage tries")

// This file implements the choices again, from docs/spec.md alone.

// byPage is a table with labels, and the choices that docs/spec.md, "the page", prescribes for it.
type byPage struct {
	rows    [][]float32
	sparse  bool
	counts  []bool // whether each row has a weight above 0
	y       []float32
	loss    string
	n, nnz  float64
	cols    float64 // number of columns with a nonzero value
	width   int
	largest []float64 // M_j on the page
	squares []float64 // S_i on the page

	mean, variance []float64
	constant       []bool

	kind          string
	shift, factor []float32
	scaled        [][]float32
	r2            float64

	finish func(lambda float64) settings.Settings // choices that depend on lambda
}

func (p *byPage) statistics() {
	cols := len(p.rows[0])
	p.cols, p.width, p.largest, p.squares = 0, cols, make([]float64, cols), nil
	for i, row := range p.rows {
		if !p.counts[i] {
			continue
		}
		p.n++
		s := 0.0
		for j, x := range row {
			if x != 0 {
				p.nnz++
			}
			p.largest[j] = math.Max(p.largest[j], math.Abs(float64(x)))
			s += float64(float64(x) * float64(x))
		}
		p.squares = append(p.squares, s)
	}
	for _, most := range p.largest {
		if most > 0 {
			p.cols++
		}
	}
}

func (p *byPage) moments() {
	cols := len(p.rows[0])
	p.mean, p.variance, p.constant = make([]float64, cols), make([]float64, cols),
		make([]bool, cols)
	size := max(1024, (len(p.rows)+255)/256)
	for j := range cols {
		total, mean, variance := 0.0, 0.0, 0.0
		var all []float32
		for start := 0; start < len(p.rows); start += size {
			var part []float32
			for i := start; i < min(start+size, len(p.rows)); i++ {
				if p.counts[i] {
					part = append(part, p.rows[i][j])
				}
			}
			if len(part) == 0 {
				continue
			}
			of, blockMean, square := float64(len(part)), 0.0, 0.0
			for _, x := range part {
				blockMean += float64(x)
			}
			blockMean /= of
			for _, x := range part {
				d := float64(x) - blockMean
				square += float64(d * d)
			}
			d, share := blockMean-mean, of/(total+of)
			mean += float64(d * share)
			variance += square + float64(float64(d*d)*float64(total*share))
			total += of
			all = append(all, part...)
		}
		variance /= total
		if slices.Min(all) == slices.Max(all) {
			mean, variance, p.constant[j] = float64(all[0]), 0, true
		}
		p.mean[j], p.variance[j] = mean, variance
	}
}

func quantile(numbers []float64, share float64) float64 {
	var s []float64
	for _, v := range numbers {
		if v > 0 {
			s = append(s, v)
		}
	}
	if len(s) == 0 {
		return 1
	}
	slices.Sort(s)
	return s[min(len(s)-1, int(math.Floor(share*float64(len(s)))))]
}

func meanOf(numbers []float64) (mean float64) {
	for _, v := range numbers {
		mean += v
	}
	return mean / float64(len(numbers))
}

func (p *byPage) scaling() {
	fill := p.nnz / (p.n * p.cols)
	q := func(share float64) float64 { return quantile(p.largest, share) }
	apart, very := q(0.9) > 10*q(0.1), slices.Max(p.largest) > 10*q(0)
	longest := slices.Max(p.squares)
	switch {
	case p.nnz == 0 || fill >= 0.25 && p.cols > 256 && !apart:
		p.kind = "none"
	case fill >= 0.25 || p.cols <= 256 && very:
		p.kind = "standard"
		rows := float64(len(p.rows))
		if p.sparse && (4*p.n*p.cols > 4*8*p.nnz || 4*rows*(float64(p.width)-p.cols) > 1<<20) {
			p.kind = "max-abs"
		}
	case meanOf(p.squares) > 3*quantile(p.squares, 0.5):
		p.kind = "unit"
	case apart && longest > 1.01*quantile(p.squares, 0):
		p.kind = "max-abs"
	default:
		p.kind = "none"
	}
	if mean := meanOf(p.squares); p.kind == "none" && p.nnz > 0 &&
		(mean < 0x1p-120 || longest > math.MaxFloat32) {
		p.kind = "max-abs"
	}
	inverse := func(x float64) float32 {
		if x == 0 {
			return 1
		}
		return float32(math.Min(1/x, math.MaxFloat32))
	}
	for j := range p.largest {
		switch p.kind {
		case "standard":
			p.shift = append(p.shift, float32(p.mean[j]))
			p.factor = append(p.factor, inverse(math.Sqrt(p.variance[j])))
		case "max-abs":
			p.factor = append(p.factor, inverse(p.largest[j]))
		}
	}
}

func (p *byPage) folded() bool {
	for j, f := range p.factor {
		far := p.shift != nil && f != 1 &&
			math.Abs(float64(p.shift[j]))*float64(f) > 1000
		if f < 0x1p-60 || f > 0x1p60 || far {
			return false
		}
	}
	return p.kind != "unit"
}

func (p *byPage) scale() {
	var norms []float64
	k := 0
	for i, row := range p.rows {
		scaled := make([]float32, len(row))
		length := 0.0
		for _, x := range row {
			length += float64(float64(x) * float64(x))
		}
		for j, x := range row {
			switch p.kind {
			case "standard":
				scaled[j] = float32((float64(x) - float64(p.shift[j])) * float64(p.factor[j]))
			case "max-abs":
				scaled[j] = float32(float64(x) * float64(p.factor[j]))
			case "unit":
				if scaled[j] = x; length > 0 {
					scaled[j] = float32(float64(x) / math.Sqrt(length))
				}
			default:
				scaled[j] = x
			}
		}
		p.scaled = append(p.scaled, scaled)
		if !p.counts[i] {
			continue
		}
		if p.kind == "none" {
			norms = append(norms, p.squares[k])
		} else {
			norms = append(norms, float64(sumSquares(scaled, p.sparse && p.kind != "standard")))
		}
		k++
	}
	p.r2 = meanOf(norms)
}

// sumSquares is the page's sumsquares for up to 65,536 columns or nonzeros.
func sumSquares(row []float32, sparse bool) float32 {
	var lane [64]float32
	k := 0
	for _, x := range row {
		if x == 0 && sparse {
			continue
		}
		lane[k%64] += float32(x * x)
		k++
	}
	for half := 32; half > 0; half /= 2 {
		for l := range half {
			lane[l] += lane[l+half]
		}
	}
	return lane[0]
}

func (p *byPage) choose() (cfg settings.Settings) {
	p.statistics()
	measured := p.cols <= 256
	p.moments()
	p.scaling()
	p.scale()
	used, nonzero := 0.0, p.nnz
	for j, m := range p.largest {
		if m > 0 && !((measured || p.kind == "standard") && p.constant[j]) {
			used++
		}
	}
	if p.kind == "standard" {
		nonzero = p.n * used
	}
	cfg.Loss, cfg.Bias, cfg.BiasScale = p.loss, settings.BiasAugmented, 1
	if nonzero > 0 && p.r2 > 0 {
		cfg.BiasScale = math.Sqrt(p.n * p.r2 / nonzero)
	}
	classes, share := p.classes()
	q := 0.3
	if p.loss == "squared" {
		q = 0.03
	}
	cfg.Lambda = math.Max(1e-4*math.Min(math.Max(10*used/p.n, 0.1), 1), q/p.n)
	if classes == 2 {
		cfg.Lambda *= math.Sqrt(2 * share)
	}
	if p.r2 > 0 {
		cfg.Lambda *= p.r2
	}
	k := float64(classes)
	pairs := k*(k-1)/2*p.cols <= 4e6
	rows := 70.0
	if p.cols > 256 && nonzero/(p.n*p.cols) < 0.25 {
		rows = 200
	}
	switch {
	case k <= 2:
		cfg.Multiclass = settings.OneVsRest
	case pairs && p.n >= rows*k:
		cfg.Multiclass = settings.OneVsOne
	case p.loss == "hinge":
		cfg.Multiclass = settings.CrammerSinger
	case p.loss == "log":
		cfg.Multiclass = settings.Multinomial
	default:
		cfg.Multiclass = settings.OneVsOne
	}
	least := 20.0
	if p.cols > 256 && nonzero/(p.n*p.cols) < 0.25 {
		least = 10
	}
	passes := math.Floor(math.Max(least, math.Min(2000, 1e6/math.Max(nonzero, 1))))
	cfg.Epochs = int(passes)
	p.finish = func(lambda float64) settings.Settings {
		c := cfg
		c.Lambda = lambda
		if p.loss != "eps-insensitive" || lambda != cfg.Lambda {
			p.end(&c, k, passes)
		} else if passes > 100 {
			c.Finish, c.Tol = settings.FinishNone, 0.01
		}
		return c
	}
	return cfg
}

func (p *byPage) end(cfg *settings.Settings, classes, passes float64) {
	rows, problems := p.n, 1.0
	joint := cfg.Multiclass == settings.CrammerSinger || cfg.Multiclass == settings.Multinomial
	switch {
	case cfg.Multiclass == settings.OneVsOne && classes > 2:
		rows, problems = 2*p.n/classes, classes*(classes-1)/2
	case classes > 2 || joint:
		problems = classes
	}
	newton, pass, epoch := p.costs(rows)
	norm := (p.r2 + float64(cfg.BiasScale*cfg.BiasScale)) / float64(cfg.Lambda*rows)
	descent := 3 + float64(lossCosts[p.loss].perNorm*norm)
	cost := descent * pass
	if !joint && p.width <= 2000 {
		cost = math.Min(cost, newton)
	}
	switch {
	case p.loss == "squared" && p.cols <= 256:
		cfg.Finish, cfg.Epochs = settings.FinishNewton, 0
		return
	case problems*cost <= math.Max(20e6, 3*passes*float64(problems*epoch)):
		cfg.Finish, cfg.Tol = settings.FinishAuto, 0.01
		cfg.Epochs = int(math.Max(passes, math.Min(2000, math.Floor(4*descent))))
		return
	}
	if passes > 100 {
		cfg.Finish, cfg.Tol = settings.FinishNone, 0.01
	}
}

// classes returns the number of classes and the share of the rarest class; 0 and 0 for regression.
func (p *byPage) classes() (int, float64) {
	if p.loss == "squared" || p.loss == "eps-insensitive" {
		return 0, 0
	}
	rows := map[float32]float64{}
	for i, y := range p.y {
		if p.counts[i] {
			rows[y]++
		}
	}
	least := p.n
	for _, of := range rows {
		least = math.Min(least, of)
	}
	return len(rows), least / p.n
}

func (p *byPage) costs(rows float64) (newton, descent, epoch float64) {
	var counted [][]float32
	for i, row := range p.scaled {
		if p.counts[i] {
			counted = append(counted, row)
		}
	}
	var z, z2, looked float64
	for i := 0; i < len(counted); i += max(1, len(counted)/256) {
		nonzeros := 0.0
		for _, x := range counted[i] {
			if x != 0 {
				nonzeros++
			}
		}
		z, z2, looked = z+nonzeros, z2+float64(nonzeros*nonzeros), looked+1
	}
	z, z2 = z/looked, z2/looked
	vars := p.cols + 1
	pass := rows * math.Min(0.08*p.cols, z)
	row := math.Min(0.6*z2, 10+vars*vars/100)
	c, ok := lossCosts[p.loss]
	if !ok {
		panic("lossCosts has no line for the loss " + p.loss)
	}
	zone := float64(c.zone * rows)
	if c.zone == 0 {
		zone = float64(math.Max(0.15*rows, math.Min(rows, 3*vars))) + float64(0.35*rows)
	}
	solve := float64(vars*vars*vars)/180 + float64(1.5*float64(vars*vars))
	cost := float64(c.iterations*(float64(2.5*pass)+float64(60*rows)+solve)) + float64(zone*row)
	return cost, 2*pass + float64(c.visit*rows), 2*pass + float64(20*rows)
}

var lossCosts = map[string]struct {
	iterations float64
	zone       float64 // mean number of Hessians to which a row is added; 0 for the formula
	visit      float64 // ns per row and pass of the dual solver
	perNorm    float64 // dual passes per unit of the mean |x|^2 / (lambda rows)
}{
	"hinge":           {12, 0, 90, 4},
	"eps-insensitive": {12, 0, 90, 4},
	"squared-hinge":   {6, 3, 50, 8},
	"squared":         {3, 3, 50, 8},
	"log":             {6, 6, 90, 1.5},
}

func newPage(seed uint64) *byPage {
	g := rand.New(rand.NewPCG(seed, 88))
	p := &byPage{loss: pick(g, loss.Names()...), sparse: g.IntN(2) == 0}
	rows, cols := 4+g.IntN(pick(g, 20, 300, 2500)), 1+g.IntN(pick(g, 4, 30, 30, 300))
	classes := pick(g, 2, 2, 2, 3, 5)
	fill := pick(g, 0.02, 0.1, 0.2, 0.3, 1)
	spread := pick(g, 0.0, 0, 1, 3)
	size := pick(g, 1, 1, 1, 1, 1e-22, 1e20)
	sizes, shifts := make([]float64, cols), make([]float64, cols)
	for j := range cols {
		sizes[j] = size * math.Pow(10, spread*(g.Float64()-0.5))
		shifts[j] = pick(g, 0.0, 0, 1, 5, 3000)
		if g.IntN(20) == 0 {
			sizes[j] = 0 // a column of zeros, or of zeros and threes if fill is 0.3
		}
	}
	long, times := pick(g, 0.0, 0, 0.01, 0.1), pick(g, 6.0, 1000)
	unweighted := pick(g, 0.0, 0, 0.2)
	for i := range rows {
		row := make([]float32, cols)
		factor := 1.0
		if g.Float64() < long {
			factor = times
		}
		for j := range row {
			if g.Float64() < fill {
				row[j] = float32(sizes[j] * (g.NormFloat64() + shifts[j]) * factor)
			} else if sizes[j] == 0 && fill > 0.25 {
				row[j] = 3
			}
		}
		p.rows = append(p.rows, row)
		p.counts = append(p.counts, i < 2*classes || g.Float64() >= unweighted)
		y := float32(i % classes)
		if p.loss == "squared" || p.loss == "eps-insensitive" {
			y = float32(100 * g.NormFloat64())
		} else if i >= 2*classes && g.IntN(3) == 0 {
			y = 0
		}
		p.y = append(p.y, y)
	}
	return p
}

func TestChoicesByThePage(t *testing.T) {
	kinds := map[string]int{}
	proven, moved := 0, 0
	for seed := range uint64(*pageTables) {
		p := newPage(seed)
		c := p.chosen(t)
		want := p.choose()
		if c.Lambda != want.Lambda {
			t.Errorf("seed %d: lambda is %v, by the page %v", seed, c.Lambda, want.Lambda)
		}
		if search := c.Search(); search != nil {
			path := search.Paths[0]
			lambda := path.Lambdas[seed%uint64(len(path.Lambdas))]
			if lambda != c.Lambda {
				moved++
			}
			c.Use(search, lambda)
		}
		c.End()
		want = p.finish(c.Lambda)
		have, s := c.Settings, c.Scale
		for _, d := range []struct {
			what       string
			have, want any
		}{
			{"scale", string(have.Scale), p.kind}, {"kind", string(s.Kind), p.kind},
			{"R^2", s.R2, p.r2},
			{"folded", s.Folded, p.folded()},
			{"bias", have.Bias, want.Bias}, {"bias's scale", have.BiasScale, want.BiasScale},
			{"multiclass", have.Multiclass, want.Multiclass},
			{"finish", have.Finish, want.Finish},
			{"tol", have.Tol, want.Tol},
		} {
			if d.have != d.want {
				t.Errorf("seed %d, loss %s, %d x %d, sparse %v: %s is %v, by the page %v", seed,
					p.loss, len(p.rows), len(p.rows[0]), p.sparse, d.what, d.have, d.want)
			}
		}
		if want.Epochs > 0 && have.Epochs != want.Epochs {
			t.Errorf("seed %d: %d epochs, by the page %d", seed, have.Epochs, want.Epochs)
		}
		if !slices.Equal(s.Shift, p.shift) || !slices.Equal(s.Factor, p.factor) {
			t.Errorf("seed %d: shifts or factors differ from those of the page", seed)
		}
		p.checkTargets(t, seed, c)
		if kinds[p.kind]++; want.Finish == settings.FinishAuto {
			proven++
		}
	}
	t.Logf("%d tables, scaled %v, %d up to a proof, %d with another lambda than the rule's",
		*pageTables, kinds, proven, moved)
	if len(kinds) < 4 || proven == 0 || proven == *pageTables || moved == 0 {
		t.Errorf("the tables are too much alike: scaled %v, %d up to a proof, %d with another lambda",
			kinds, proven, moved)
	}
}

func (p *byPage) chosen(t *testing.T) *choose.Choice {
	t.Helper()
	x := dense.New(len(p.rows), len(p.rows[0]))
	weights := make([]float32, len(p.rows))
	for i, row := range p.rows {
		copy(x.Row(i), row)
		if p.counts[i] {
			weights[i] = 1 + float32(i%3)
		}
	}
	var examples store.Examples = x
	if p.sparse {
		examples = sample.ToSparse(x)
	}
	return settled(t, examples, p.y, store.SetOptions{Weights: weights},
		choose.Open{Settings: settings.Settings{Loss: p.loss}})
}

func (p *byPage) checkTargets(t *testing.T, seed uint64, c *choose.Choice) {
	t.Helper()
	if p.loss != "squared" && p.loss != "eps-insensitive" {
		return
	}
	var center, deviation float64
	for i, y := range p.y {
		if p.counts[i] {
			center += float64(y)
		}
	}
	center /= p.n
	for i, y := range p.y {
		if d := float64(y) - center; p.counts[i] {
			deviation += float64(d * d)
		}
	}
	if deviation = math.Sqrt(deviation / p.n); !(deviation > 0x1p-40*math.Abs(center)) {
		deviation = 1
	}
	if c.Scale.Centre != center || c.Scale.Spread != deviation {
		t.Errorf("seed %d: center %v, deviation %v, by the page %v, %v", seed, c.Scale.Centre,
			c.Scale.Spread, center, deviation)
	}
	if p.loss == "eps-insensitive" && c.RawEpsilon != 0.1*deviation {
		t.Errorf("seed %d: epsilon is %v, by the page %v", seed, c.RawEpsilon, 0.1*deviation)
	}
}
