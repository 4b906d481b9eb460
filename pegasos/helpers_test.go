package pegasos

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/sparse"
)

// pair is the same rows stored both ways, with labels.
type pair struct {
	dense  *dense.Matrix
	sparse *sparse.Matrix
	y      []float32
}

// random makes rows of sevenths up to 8/7, so that nearly every sum is rounded, with values that are nonzero at the given
// odds, and labels 0 to classes-1 that depend on the rows, but for one in ten. All of it comes from integers, so that it
// is the same everywhere.
func random(seed uint64, rows, cols, classes int, fill float64) pair {
	g := rand.New(rand.NewPCG(seed, 1))
	d := dense.New(rows, cols)
	y := make([]float32, rows)
	truth := make([]int64, classes*cols)
	for j := range truth {
		truth[j] = g.Int64N(17) - 8
	}
	for i := range rows {
		row := d.Row(i)
		for j := range row {
			if g.Uint64()>>11 < uint64(fill*(1<<53)) {
				row[j] = float32(g.Int64N(17)-8) / 7
			}
		}
		best := int64(math.MinInt64)
		for c := range classes {
			var score int64
			for j, v := range row {
				score += truth[c*cols+j] * int64(math.Round(float64(v)*7))
			}
			if score > best {
				best, y[i] = score, float32(c)
			}
		}
		if g.Int64N(10) == 0 {
			y[i] = float32(g.Int64N(int64(classes)))
		}
	}
	return pair{d, toSparse(d), y}
}

func toSparse(d *dense.Matrix) *sparse.Matrix {
	starts := []int64{0}
	var idx []int32
	var val []float32
	for i := range d.Rows() {
		for j, v := range d.Row(i) {
			if v != 0 {
				idx, val = append(idx, int32(j)), append(val, v)
			}
		}
		starts = append(starts, int64(len(idx)))
	}
	s, err := sparse.New(d.Cols(), starts, idx, val)
	if err != nil {
		panic(err)
	}
	return s
}

// foreign hides the type of the rows, as a user's own store of rows would.
type foreign struct{ Examples }

func matrix(t testing.TB, rows, cols int, values ...float32) *dense.Matrix {
	t.Helper()
	m, err := dense.FromSlice(rows, cols, values)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func mustTrain(t testing.TB, x Examples, y []float32, cfg Config) *Model {
	t.Helper()
	m, err := Train(context.Background(), x, y, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func mustRun(t testing.TB, x Examples, y []float32, cfg Config) *run {
	t.Helper()
	r, err := newRun(x, y, &Trainer{Config: cfg})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// train runs to the end, or until ctx is done.
func (r *run) train(ctx context.Context) (stopped bool, err error) {
	for r.t < r.total && ctx.Err() == nil {
		if err := r.advance(ctx, r.total); err != nil {
			return false, err
		}
	}
	return r.t < r.total, nil
}

// session is that of the run alone.
func (r *run) session() *session {
	return &session{cfg: r.cfg, data: r.data, runs: []*run{r}, threads: 1}
}

// model returns the model of this moment, not yet measured.
func (r *run) model() *Model { return r.session().model() }

// weights writes the vector of this moment to w and returns its bias.
func (p *problem) weights(w []float32) float64 {
	var b [1]float64
	p.state.weights([][]float32{w}, b[:])
	return b[0]
}

// norm returns |w|.
func norm(w []float32) float64 {
	var sum float64
	for _, v := range w {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum)
}

func distance(a, b []float32) float64 {
	var sum float64
	for j := range a {
		d := float64(a[j]) - float64(b[j])
		sum += d * d
	}
	return math.Sqrt(sum)
}
