package newton

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/train/loss"
)

func TestHinge(t *testing.T) {
	const rows = 2*chunkRows + 100
	s := random(81, rows, 3, 1, loss.Func{})
	n := s.ready()
	if !n.hinge {
		t.Fatal("n.hinge is false")
	}
	n.line = &direction{q: make([]float32, rows)}
	g := rand.New(rand.NewPCG(82, 1))
	for try := range 40 {
		n.h = math.Exp2(float64(g.IntN(24)-20)) * (1 + g.Float64())
		special := []float64{1, 1 - n.h/2, 1 + n.h/2, math.Nextafter(1-n.h/2, 2), 0, -1e300,
			1e300, 1 + n.h/2*(1-1e-12)}
		if try%4 == 3 {
			special = append(special, math.Inf(1), math.Inf(-1))
		}
		for j := range n.m {
			n.m[j] = 1 + 2*n.h*g.NormFloat64()
			if g.IntN(4) == 0 {
				n.m[j] = special[g.IntN(len(special))]
			}
			n.line.q[j] = float32(n.h * g.NormFloat64())
			if try%8 == 7 && g.IntN(rows) < 3 {
				n.line.q[j] = float32(math.Inf(2*g.IntN(2) - 1))
			}
		}
		before := slices.Clone(n.a)
		var sums [2]tally
		var a, bends [2][]float32
		var changed, zone [2][]int32
		var slopes [2][2]float64
		for k, quick := range []bool{false, true} {
			copy(n.a, before)
			visit := n.visit
			if n.hinge = quick; quick {
				visit = n.visitHinge
			}
			s := visit(chunkRows, rows)
			sums[k], a[k] = s, slices.Clone(n.a)
			changed[k] = slices.Clone(n.buffers.changed[chunkRows:][:s.changed])
			zone[k] = slices.Clone(n.buffers.zone[chunkRows:][:s.zone])
			for _, j := range zone[k] {
				bends[k] = append(bends[k], n.buffers.curvature[j])
			}
			for _, j := range changed[k] {
				bends[k] = append(bends[k], n.buffers.was[j])
			}
			slopes[k][0], slopes[k][1] = n.slope(0.75)
		}
		if !sameSums(sums[0], sums[1]) || !slices.Equal(a[0], a[1]) ||
			!slices.Equal(changed[0], changed[1]) || !slices.Equal(zone[0], zone[1]) ||
			!slices.Equal(bends[0], bends[1]) {
			t.Fatalf("width %v: sums %+v, want %+v; or the dual variables, the changed rows or "+
				"the zone differ", n.h, sums[1], sums[0])
		}
		// A line search with a slope that is not finite ends without using the second derivative.
		if slopes[0] != slopes[1] && !(slopes[0][0] == slopes[1][0] &&
			math.Abs(slopes[0][1]-slopes[1][1]) <= 1e-12*slopes[0][1]) &&
			!(slopes[0][0] == slopes[1][0] && math.IsInf(slopes[0][0], 0)) &&
			!(math.IsNaN(slopes[0][0]) && math.IsNaN(slopes[1][0])) {
			t.Fatalf("width %v: slopes %v, want %v", n.h, slopes[1], slopes[0])
		}
	}
}

func sameSums(s, t tally) bool {
	same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
	ok := same(s.loss, t.loss) && same(s.smoothing, t.smoothing) && same(s.curvature, t.curvature) &&
		s.changed == t.changed && s.zone == t.zone
	for k := range s.gain {
		ok = ok && same(s.gain[k], t.gain[k]) && same(s.squares[k], t.squares[k]) &&
			same(s.bias[k], t.bias[k])
	}
	return ok
}

func TestPixels(t *testing.T) {
	s := random(63, 700, 30, 0.7, loss.Func{})
	toPixels(s.x, 255)
	for _, kind := range []loss.Kind{loss.Hinge, loss.SquaredHinge, loss.Squared} {
		for bias, beta := range []float64{0, 0.5, 1} { // the bias of scale 1 has no penalty
			s.loss, s.beta, s.free = loss.Func{Kind: kind}, beta, bias == 2
			n := s.ready()
			if n.pixels == nil || n.pixels.own == nil {
				t.Fatal("the Hessian is not summed from bytes, or not kept")
			}
			g := rand.New(rand.NewPCG(64, 1))
			for range 5 {
				var zone []int32
				for j := range n.p.Rows {
					if g.IntN(3) > 0 {
						zone = append(zone, int32(j))
					}
				}
				n.sumHessian(zone, 1)
				checkHessian(t, n, zone)
				have := n.pixels.own
				n.pixels.own = nil
				n.sumHessian(zone, 1)
				checkHessian(t, n, zone)
				n.pixels.own = have
			}
		}
	}
}

func checkHessian(t *testing.T, n *Method, zone []int32) {
	t.Helper()
	d, dim := n.p.Cols, n.dim()
	var rows [][]float64
	mean := make([]float64, dim)
	for _, j := range zone {
		row := make([]float64, dim)
		x := make([]float32, d)
		n.p.X.Axpy(int(n.p.At[j]), 1, x)
		for l, v := range x {
			row[l] = float64(v)
		}
		if dim > d {
			row[d] = n.p.Beta
		}
		for l, v := range row {
			mean[l] += v / float64(len(zone))
		}
		rows = append(rows, row)
	}
	unit := n.p.Loss.Kind.Traits().Flat
	have, diagonal := make([]float64, dim), make([]float64, dim)
	n.pixels.Diagonal(diagonal)
	for i := range dim {
		n.pixels.Upper(i, have)
		for j := i; j < dim; j++ {
			var want, size float64
			for _, row := range rows {
				a, b := row[i], row[j]
				size += a * b
				if n.p.Free {
					a, b = a-mean[i], b-mean[j]
				}
				want += unit * a * b
			}
			if math.Abs(have[j]-want) > 1e-6*size || i == j && diagonal[i] != have[i] {
				t.Fatalf("loss %v, bias %v, %d rows: element (%d, %d) is %v, on the diagonal %v, want %v",
					n.p.Loss.Kind, n.p.Beta, len(zone), i, j, have[j], diagonal[i], want)
			}
		}
	}
}

func TestShorter(t *testing.T) {
	// Odd-numbered rows are multiplied by odd. The samples of the larger sets skip these rows.
	for odd, rows := range map[float32]int{1: 700, 16: chunkRows + 100, 1. / 16: chunkRows + 101} {
		for _, f := range []loss.Func{{}, {Kind: loss.Log}, {Kind: loss.SquaredHinge}} {
			s := random(84, rows, 5, 1, f)
			for i := 1; i < rows; i += 2 {
				dense.Scale(odd, s.x.Row(i))
			}
			s.beta = 1
			n := s.ready()
			zero := n.p.Loss.At(0)
			for seed := uint64(0); seed < 20; seed += 1 + uint64(rows/chunkRows) {
				g := rand.New(rand.NewPCG(85, seed))
				for j := range n.v {
					n.v[j] = math.Ldexp(g.NormFloat64(), int(seed))
				}
				n.setMargins(true)
				want, least := 0.0, zero
				for k := 1; k <= 100; k++ {
					by := math.Ldexp(1, -k)
					if f := n.objective(by); f < least {
						want, least = by, f
					}
				}
				if got := n.shrinkFactor(zero); got != want {
					t.Errorf("%+v, %d rows, seed %d: factor %v, want %v", f, rows, seed, got, want)
				}
			}
		}
	}
}
