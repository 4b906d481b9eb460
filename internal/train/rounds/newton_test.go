package rounds

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/internal/train/loss"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// setHessian sets the sums so that their means over the rows are h(i, j).
func (t *task) setHessian(r *Rounds, ring int, h func(i, j int) float64) {
	triangle := t.sum[t.size-(r.rings()-ring)*r.triangle():]
	for i := range r.vars {
		for j := i; j < r.vars; j++ {
			v := h(i, j) * r.scale[i] * r.scale[j] * r.weightedRows
			triangle[r.rowStart(i)+j] = int64(v * r.hessianQuantum.inverse)
		}
	}
}

func TestMeasureWidths(t *testing.T) {
	r := newRounds(t, loss.Hinge, Newton, 1)
	s := r.Start()
	p := &s.Problems[0]
	p.W, p.Bound, p.Width = []float64{1, 2, -1, 0}, 0.1, 2
	task := taskOf(t, r, s)
	task.setMean(r, 0, task.segments[0], 0.75)
	us := [][]float64{{0.01, 0.03, -0.02, 0}, {0.02, 0.01, -0.01, 0.01}, {0.01, 0.02, -0.01, 0.02}}
	dualTerms, rows := []float64{0.25, 0.5, 0.4375}, []float64{50, 20, 7}
	for g, u := range us {
		task.setMean(r, 1+g, task.segments[1], dualTerms[g])
		task.sum[4+g] = int64(rows[g])
		for j, v := range u {
			if g > 0 {
				v -= us[0][j] // sums of narrower widths are differences
			}
			task.setMean(r, 7+g*r.vars+j, task.segments[3], v*r.scale[j])
		}
	}
	widths := r.measureWidths(task)
	if len(widths) != 3 || !near(task.Objective, 0.75+0.03) || task.BestW[1] != 2 {
		t.Fatalf("%+v, %+v", widths, task.Problem)
	}
	inside := 77.0
	for g, z := range widths {
		square, rest := 0.0, 0.0
		for j, v := range us[g] {
			square += v * v
			rest += (p.W[j] - v/0.01) * (p.W[j] - v/0.01)
			if math.Abs(z.u[j]-v) > 1e-12 {
				t.Errorf("width %d: u is %v, want %v", g, z.u, us[g])
			}
		}
		bound := dualTerms[g] - square/0.02
		smoothing := max(0, 0.78-bound-0.005*rest)
		if math.Abs(z.rest-0.005*rest) > 1e-9 || math.Abs(z.smoothing-smoothing) > 1e-9 ||
			z.width != 2/math.Pow(2.5, float64(g)) || z.rows != inside {
			t.Errorf("width %d: %+v, want %v, %v of %v rows", g, z, 0.005*rest, smoothing, inside)
		}
		inside -= rows[g]
	}
	// The second bound is 0.5 - 0.035, the third 0.4375 - 0.05, the first 0.25 - 0.07.
	if math.Abs(p.Bound-0.465) > 1e-9 || p.DualWidth != widths[1].width || p.DualW[1] != 2 {
		t.Errorf("want the bound of the second width: %+v", p)
	}
}

func TestFindDirection(t *testing.T) {
	for _, c := range []struct {
		loss  loss.Kind
		index int
	}{{loss.Hinge, 0}, {loss.Hinge, 1}, {loss.Hinge, 2}, {loss.SquaredHinge, 0}} {
		r := newRounds(t, c.loss, Newton, 1)
		s := r.Start()
		p := &s.Problems[0]
		p.W = []float64{1, 2, -1, 0.5}
		task := taskOf(t, r, s)
		h := make([][]float64, r.vars)
		zone := widthSums{width: 0.5, u: []float64{0.3, -0.2, 0.1, 0.4}}
		for i := range h {
			h[i] = make([]float64, r.vars)
		}
		for g := range r.rings() {
			ring := func(i, j int) float64 {
				if i == j {
					return 0.4 + 0.1*float64(g)
				}
				return 0.02 * float64(i+j+g)
			}
			task.setHessian(r, g, ring)
			if g < c.index {
				continue
			}
			for i := range h {
				for j := range h {
					if h[i][j] += ring(i, j); r.rings() > 1 {
						h[i][j] += ring(i, j) // 1/width is 2
					}
				}
			}
		}
		if !r.findDirection(task, zone, c.index) {
			t.Fatal("no direction")
		}
		slope := 0.0
		for i, u := range zone.u {
			minusGradient := u - 0.01*p.W[i]
			slope -= minusGradient * p.Direction[i]
			left := 0.01 * p.Direction[i]
			for j, d := range p.Direction {
				left += h[i][j] * d
			}
			if math.Abs(left-minusGradient) > 1e-5 {
				t.Errorf("%+v: equation %d: %v, want %v", c, i, left, minusGradient)
			}
		}
		if !near(p.Slope, slope) || slope >= 0 {
			t.Errorf("%+v: slope %v, want %v", c, p.Slope, slope)
		}
		zone.u = []float64{0.01, 0.02, -0.01, 0.005}
		if r.findDirection(task, zone, c.index) {
			t.Errorf("%+v: a direction of slope %v", c, p.Slope)
		}
		zone.u[0] = math.Inf(1)
		if r.findDirection(task, zone, c.index) {
			t.Errorf("%+v: an infinite direction", c)
		}
	}
}

// lossAt returns the loss, its dual variable and its second derivative. For the hinge loss, the
// latter two are of the loss smoothed to the width.
func lossAt(kind loss.Kind, m, width float64) (value, a, curvature float64) {
	value = max(0, 1-m)
	switch u := (1-m)/width + 0.5; {
	case kind == loss.SquaredHinge && m < 1:
		return value * value, 2 * value, 2
	case kind == loss.SquaredHinge || u <= 0:
		return value, 0, 0
	case u >= 1:
		return value, 1, 0
	default:
		return value, u, 1 / width
	}
}

func TestVisitNewton(t *testing.T) {
	const rows, cols = 300, 5
	for _, kind := range []loss.Kind{loss.Hinge, loss.SquaredHinge} {
		for _, sparse := range []bool{false, true} {
			g := rand.New(rand.NewPCG(1, 2))
			data := sample.Random(71, rows, cols, 2, 0.7)
			s := statistics()
			s.Rows, s.Cols, s.Nonzeros, s.Counts = rows, cols, rows*cols, []int64{0, 0}
			s.MaxAbs = []float32{2, 2, 2, 2, 2}
			s.Sizes[scale.None] = scale.RowSizes{MaxSquare: 20, MeanSquare: 5}
			for _, y := range data.Y {
				s.Counts[int(y)]++
			}
			r, err := New(settings.Settings{Loss: kind.Name(), Lambda: 0.1,
				ClassWeight: "0=3,1=0.5", Bias: settings.BiasAugmented, BiasScale: 2, Scale: scale.None},
				Newton, s, 1)
			if err != nil {
				t.Fatal(err)
			}
			r.sparseHessian = sparse
			shard, err := r.Shard(0, data.Dense, data.Y, 0)
			if err != nil {
				t.Fatal(err)
			}
			state := r.Start()
			p := &state.Problems[0]
			for j := range p.W {
				p.W[j], p.Direction[j] = g.Float64()-0.5, g.Float64()-0.5
			}
			row := func(i int) (x []float64, y, weight float64) {
				for _, v := range data.Dense.Row(i) {
					x = append(x, float64(v))
				}
				n := 3*float64(s.Counts[0]) + 0.5*float64(s.Counts[1])
				if y, weight = -1, 3*rows/n; data.Y[i] == 1 {
					y, weight = 1, 0.5*rows/n
				}
				return append(x, 2), y, weight
			}
			checkSums(t, r, shard, state, row)
			state.Kind = Line
			checkSlopes(t, r, shard, state, row)
		}
	}
}

func visit(t *testing.T, r *Rounds, shard *Shard, state *State) *task {
	t.Helper()
	sum, _, err := shard.Visit(context.Background(), state, nil, 2)
	if err != nil {
		t.Fatal(err)
	}
	tasks, _, err := r.tasks(state)
	if err != nil {
		t.Fatal(err)
	}
	return &splitSums(tasks, sum)[0]
}

func dot(w, x []float64) (sum float64) {
	for j, v := range x {
		sum += w[j] * v
	}
	return sum
}

func checkSums(t *testing.T, r *Rounds, shard *Shard, s *State,
	row func(i int) (x []float64, y, weight float64),
) {
	t.Helper()
	p, n := &s.Problems[0], float64(len(shard.class))
	task := visit(t, r, shard, s)
	close := func(what string, have, want, tolerance float64) {
		t.Helper()
		if math.Abs(have-want) > tolerance {
			t.Errorf("%s, sparse %v: %s: %v, want %v", r.Config.Loss, r.sparseHessian, what, have, want)
		}
	}
	widths := r.measureWidths(task)
	h := make([]*hessian, r.rings())
	for g := range h {
		h[g] = &hessian{r: r}
		for k := g; k < len(h); k++ {
			at := task.size - (len(h)-k)*r.triangle()
			h[g].rings = append(h[g].rings, task.sum[at:at+r.triangle()])
		}
	}
	for g, z := range widths {
		var sum, terms, rows float64
		u, matrix := make([]float64, r.vars), make([]float64, r.vars*r.vars)
		for i := range len(shard.class) {
			x, y, weight := row(i)
			value, a, curvature := lossAt(r.loss.Kind, y*dot(p.W, x), z.width)
			sum += weight * value
			if terms += weight * a; r.loss.Kind == loss.SquaredHinge {
				terms -= weight * a * a / 4
			}
			if curvature > 0 {
				rows++
			}
			for j, v := range x {
				u[j] += weight * a * y * v
				for k, w := range x {
					matrix[j*r.vars+k] += weight * curvature * v * w
				}
			}
		}
		close("loss", r.mean(task.sum[0], task.segments[0]), sum/n, 1e-10)
		close("dual terms", r.mean(task.sum[1+g], task.segments[1]), terms/n, 1e-10)
		close("rows", z.rows, rows, 0)
		scale := 1.0
		if r.rings() > 1 {
			scale = 1 / z.width
		}
		for j := range u {
			close("u", z.u[j], u[j]/n, 1e-10)
			for k := j; k < r.vars; k++ {
				want := matrix[j*r.vars+k] // the products are float32
				close("Hessian", h[g].at(j, k)*scale, want, 1e-4+1e-6*math.Abs(want))
			}
		}
	}
}

func checkSlopes(t *testing.T, r *Rounds, shard *Shard, s *State,
	row func(i int) (x []float64, y, weight float64),
) {
	t.Helper()
	p := &s.Problems[0]
	task := visit(t, r, shard, s)
	for l, step := range stepLengths {
		want := 0.0
		for i := range len(shard.class) {
			x, y, weight := row(i)
			q := y * dot(p.Direction, x)
			_, a, _ := lossAt(r.loss.Kind, y*dot(p.W, x)+step*q, p.Width)
			want -= weight * a * q / float64(len(shard.class))
		}
		if have := r.mean(task.sum[l], task.segments[l]); math.Abs(have-want) > 1e-9 {
			t.Errorf("%s: slope at step %v: %v, want %v", r.Config.Loss, step, have, want)
		}
	}
}
