package pegasos_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/sparse"
)

// wide holds sparse rows in float64, for reference solvers.
type wide struct {
	idx    [][]int32
	val    [][]float64
	square []float64 // squared length of each row
	cols   int
}

// If bias is not 0, widen appends a feature of this value to each row.
func widen(x pegasos.Examples, bias float64) (w wide) {
	w.cols = x.Cols()
	for i := range x.Rows() {
		var idx []int32
		var val []float64
		var square float64
		add := func(j int, v float64) {
			if v != 0 {
				idx, val = append(idx, int32(j)), append(val, v)
				square += v * v
			}
		}
		switch m := x.(type) {
		case *dense.Matrix:
			for j, v := range m.Row(i) {
				add(j, float64(v))
			}
		case *sparse.Matrix:
			columns, values := m.Row(i)
			for k, j := range columns {
				add(int(j), float64(values[k]))
			}
		default:
			panic("rows of another type")
		}
		add(x.Cols(), bias)
		w.idx, w.val, w.square = append(w.idx, idx), append(w.val, val), append(w.square, square)
	}
	if bias != 0 {
		w.cols++
	}
	return w
}

func (x wide) dot(i int, w []float64) (sum float64) {
	val := x.val[i]
	for k, j := range x.idx[i] {
		sum += val[k] * w[j]
	}
	return sum
}

func (x wide) axpy(i int, a float64, w []float64) {
	val := x.val[i]
	for k, j := range x.idx[i] {
		w[j] += a * val[k]
	}
}

func (x wide) longest() (r float64) {
	for _, s := range x.square {
		r = math.Max(r, math.Sqrt(s))
	}
	return r
}

func square(w []float64) (sum float64) {
	for _, v := range w {
		sum += v * v
	}
	return sum
}

// wideLoss is the hinge loss for labels of -1 and +1 or, if number is true,
// max(0, |y - z| - epsilon) for the target y and the score z.
type wideLoss struct {
	number  bool
	epsilon float64
}

func (l wideLoss) at(z, y float64) float64 {
	if l.number {
		return math.Max(0, math.Abs(y-z)-l.epsilon)
	}
	return math.Max(0, 1-y*z)
}

// best returns the dual variable u_i that maximizes the dual objective while all others are fixed:
// u_i is in [-1, 1] for a regression, and otherwise y_i*u_i is in [0, 1]. a is the current u_i, z
// the current score of row i, y its label or target, and q is |x_i|^2/(lambda*n).
func (l wideLoss) best(a, z, y, q float64) float64 {
	if !l.number {
		return y * math.Max(0, math.Min(1, y*a+(1-y*z)/q))
	}
	c := a + (y-z)/q
	c = math.Copysign(math.Max(0, math.Abs(c)-l.epsilon/q), c)
	return math.Max(-1, math.Min(1, c))
}

func (l wideLoss) gain(a, y float64) float64 { return a*y - l.epsilon*math.Abs(a) }

// dualAscent minimizes lambda/2 |w|^2 + mean loss by dual coordinate ascent in float64. best is the
// weight vector found, and high its objective. The optimum is at least low, and high - low is at
// most tol*high.
func dualAscent(
	t testing.TB, x wide, y []float64, lambda float64, l wideLoss, tol float64,
) (best []float64, low, high float64) {
	t.Helper()
	n := len(y)
	u, w := make([]float64, n), make([]float64, x.cols)
	mean, passes := make([]float64, x.cols), 0.0
	best, high = make([]float64, x.cols), math.Inf(1)
	measure := func(w []float64) {
		p := 0.0
		for i := range y {
			p += l.at(x.dot(i, w), y[i])
		}
		if p = lambda/2*square(w) + p/float64(n); p < high {
			high = p
			copy(best, w)
		}
	}
	g, check := rand.New(rand.NewPCG(1, 2)), 8 // check: next pass after which to compute the gap
	for pass := 1; pass <= 20_000; pass++ {
		for range n {
			i := g.IntN(n)
			if x.square[i] == 0 {
				continue // w does not change the loss of the row; u[i] is set below
			}
			a := l.best(u[i], x.dot(i, w), y[i], x.square[i]/(lambda*float64(n)))
			if a != u[i] {
				x.axpy(i, (a-u[i])/(lambda*float64(n)), w)
				u[i] = a
			}
		}
		passes++
		for j, v := range w {
			mean[j] += (v - mean[j]) / passes
		}
		if pass < check {
			continue
		}
		d := 0.0
		for i, a := range u {
			if x.square[i] == 0 {
				a = l.best(0, 0, y[i], 1e-300)
			}
			d += l.gain(a, y[i])
		}
		low = math.Max(low, d/float64(n)-lambda/2*square(w))
		measure(w)
		measure(mean)
		if high-low <= tol*high {
			return best, low, high
		}
		if check += check / 4; passes > float64(pass)/2 {
			passes = 0
			clear(mean)
		}
	}
	t.Fatalf("no optimum found: between %v and %v", low, high)
	return nil, 0, 0
}

func TestDualAscent(t *testing.T) {
	for seed := range uint64(3) {
		for _, bias := range []float64{0, 2} {
			data := random(seed, 60, 5, 2, 0.5)
			clear(data.dense.Row(7))
			low, high := optimum(t, data.dense, signs(data.y, 1), 0.01, bias)
			for _, x := range []pegasos.Examples{data.dense, toSparse(data.dense)} {
				w, l, h := dualAscent(t, widen(x, bias), signs(data.y, 1), 0.01, wideLoss{}, 1e-7)
				if l > high*(1+1e-12) || h < low*(1-1e-12) || len(w) != 5+min(1, int(bias)) {
					t.Errorf("optimum between %v and %v, want %v to %v", l, h, low, high)
				}
			}
			data = random(seed, 60, 5, 2, 1).numbers(seed)
			y := make([]float64, len(data.y))
			for i, v := range data.y {
				y[i] = float64(v)
			}
			low, high = numberOptimum(t, data.dense, data.y, 0.1, bias, 0.1)
			x := widen(data.dense, bias)
			_, l, h := dualAscent(t, x, y, 0.1, wideLoss{true, 0.1}, 1e-7)
			if l > high*(1+1e-12) || h < low*(1-1e-12) {
				t.Errorf("regression: optimum between %v and %v, want %v to %v", l, h, low, high)
			}
		}
	}
}
