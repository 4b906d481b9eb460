package pegasos

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// readyNewton makes a problem's method, before its first iteration.
func readyNewton(t *testing.T, x Examples, y []float32, cfg Config) *newton {
	t.Helper()
	r, err := newRun(x, y, &Trainer{Config: cfg.Plain(), Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	p := r.problems[0]
	p.startNewton(r.cfg, 0, &r.data.newtons)
	p.newton.ready()
	p.newton.buffers = p.newton.pool.get(p.newton)
	return p.newton
}

// The loops without branches have the same bits as those for all losses, whatever the margins; the
// second derivative of slope has the same value but for roundings.
func TestNewtonHinge(t *testing.T) {
	const rows = 2*newtonChunk + 100
	data := random(81, rows, 3, 2, 1)
	n := readyNewton(t, data.dense, data.y, Config{Lambda: 1e-3, Finish: FinishNewton})
	n.line = n.pool.lineFor(n)
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
		n.plain = false
		if n.quick() {
			t.Fatal("the loop for all losses is not asked for")
		}
		var sums [2]newtonSums
		var a, bends [2][]float32
		var changed, zone [2][]int32
		var slopes [2][2]float64
		for k, quick := range []bool{false, true} {
			copy(n.a, before)
			visit := n.visit
			if n.plain = quick; quick {
				visit = n.visitHinge
			}
			s := visit(newtonChunk, rows)
			sums[k], a[k] = s, slices.Clone(n.a)
			changed[k] = slices.Clone(n.buffers.changed[newtonChunk:][:s.changed])
			zone[k] = slices.Clone(n.buffers.zone[newtonChunk:][:s.zone])
			for _, j := range zone[k] {
				bends[k] = append(bends[k], n.buffers.bend[j])
			}
			for _, j := range changed[k] {
				bends[k] = append(bends[k], n.buffers.was[j])
			}
			slopes[k][0], slopes[k][1] = n.slope(0.75)
		}
		if !sameSums(sums[0], sums[1]) || !slices.Equal(a[0], a[1]) ||
			!slices.Equal(changed[0], changed[1]) || !slices.Equal(zone[0], zone[1]) ||
			!slices.Equal(bends[0], bends[1]) {
			t.Fatalf("width %v: %+v, want %+v", n.h, sums[1], sums[0])
		}
		// Where the slope is not finite the search ends, whatever the other one is.
		if slopes[0] != slopes[1] && !(slopes[0][0] == slopes[1][0] &&
			math.Abs(slopes[0][1]-slopes[1][1]) <= 1e-12*slopes[0][1]) &&
			!(slopes[0][0] == slopes[1][0] && math.IsInf(slopes[0][0], 0)) &&
			!(math.IsNaN(slopes[0][0]) && math.IsNaN(slopes[1][0])) {
			t.Fatalf("width %v: slopes %v, want %v", n.h, slopes[1], slopes[0])
		}
	}
}

// sameSums reports whether both are the same numbers, NaN with NaN.
func sameSums(s, t newtonSums) bool {
	same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
	ok := same(s.loss, t.loss) && same(s.smoothing, t.smoothing) && same(s.bend, t.bend) &&
		s.changed == t.changed && s.zone == t.zone
	for k := range s.gain {
		ok = ok && same(s.gain[k], t.gain[k]) && same(s.squares[k], t.squares[k]) &&
			same(s.bias[k], t.bias[k])
	}
	return ok
}

// Where a run has copies of its rows in another order, Newton's method reads those of the data.
func TestNewtonRows(t *testing.T) {
	data := random(83, 3000, 30, 5, 0.8)
	before := copyFrom
	copyFrom = 1
	defer func() { copyFrom = before }()
	n := readyNewton(t, data.dense, data.y,
		Config{Lambda: 1e-3, Epochs: 9, Finish: FinishAuto, Multiclass: OneVsRest})
	if n.p.names == nil {
		t.Fatal("the run has copies of its rows")
	}
	have, want := make([]float32, 30), make([]float32, 30)
	for j, i := range n.at {
		clear(have)
		clear(want)
		n.x.Axpy(int(i), 1, have)
		n.p.x.Axpy(int(n.rows[j]), 1, want)
		side, _ := n.p.label(n.rows[j])
		if !slices.Equal(have, want) || float32(n.side[j]) != side {
			t.Fatalf("row %d is another", j)
		}
		if int(i) != j {
			t.Fatalf("row %d of the data comes after %d others", i, j)
		}
	}
}
